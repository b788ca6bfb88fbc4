//! Simultaneous confidence bands for a mean: sampling and privacy noise together.

use super::law::{ErrorLaw, Mapped, Synthesis, TOGETHER, Weighted};
use super::{Prior, RecordCovariance};
use crate::function::Basis;
use nalgebra::DMatrix;
use visard_base::parallel;

/// The probability with which a band holds the whole of what it is for.
pub const LEVEL: f64 = 0.95;
/// Fields that its width is read off.
pub const FIELDS: usize = 400;
/// They are drawn from a public generator with this seed: the band is a function of what is released.
pub const SEED: u64 = 0xba4d;

/// A band about an unshrunk estimate, samples `(points, channels)`.
#[derive(Debug, Clone, PartialEq)]
pub struct Band {
    /// The estimate.
    pub centre: Vec<f64>,
    /// Its standard error at every sample: of people as a sample, and of the noise.
    pub errors: Vec<f64>,
    /// How many standard errors the band reaches to either side everywhere.
    pub reach: f64,
}

/// What an unshrunk noised mean is made of.
#[derive(Debug, Clone, Copy)]
pub struct Unshrunk<'a> {
    /// Where functions are analysed.
    pub basis: &'a Basis,
    /// Its coefficients' weights.
    pub prior: &'a Prior,
    /// Samples of the released centre.
    pub centre: &'a [f64],
    /// Noised weighted coordinates about it.
    pub coordinates: &'a [f64],
    /// The standard deviation of the noise in each.
    pub sigma: f64,
    /// Number of records.
    pub n: u64,
}

impl Band {
    /// A band for what the noised mean estimates: the mean of the population's clipped records. The error is taken as normal, of
    /// covariance C/n + σ²I in weighted coordinates, C that of single records; the reach is the 95 % quantile of the largest standardized
    /// error of [`FIELDS`] fields drawn from that law. Of the samples, or of what a linear map makes of them, from samples, one a column, to
    /// values, one a row.
    ///
    /// `None` when lengths do not fit.
    pub fn new(mean: &Unshrunk<'_>, records: &RecordCovariance, maps: Option<&DMatrix<f64>>) -> Option<Self> {
        let d = mean.basis.len();
        let lengths = [mean.prior.len(), mean.centre.len(), mean.coordinates.len(), records.diagonal.len()];
        if lengths.iter().any(|length| *length != d) || d == 0 || mean.n == 0 {
            return None;
        }
        let law = ErrorLaw::new(records, 1.0 / mean.n as f64, mean.sigma * mean.sigma);
        let synthesis = Weighted { basis: mean.basis, prior: mean.prior };
        let mut centre = synthesis.field(mean.coordinates);
        centre.iter_mut().zip(mean.centre).for_each(|(x, c)| *x += c);
        let Some(maps) = maps else { return Some(Self::about(centre, &law, &synthesis)) };
        if maps.ncols() != d {
            return None;
        }
        let mapped = Mapped { field: &synthesis, maps };
        Some(Self::about(mapped.of(&centre), &law, &mapped))
    }

    /// A band about an unshrunk estimate whose error has this law in the coordinates of `synthesis`.
    pub fn about(centre: Vec<f64>, law: &ErrorLaw, synthesis: &dyn Synthesis) -> Self {
        let errors = law.errors(synthesis);
        let farthest = |drawn: &Vec<f64>| {
            let standardized =
                drawn.iter().zip(&errors).map(|(x, e)| if *e > 0.0 { (x / e).abs() } else { 0.0 });
            standardized.fold(0.0, f64::max)
        };
        let some = |block: usize| -> Vec<f64> {
            let fields = block * TOGETHER..FIELDS.min((block + 1) * TOGETHER);
            let drawn: Vec<Vec<f64>> = fields.map(|field| law.draw(SEED, field as u64)).collect();
            synthesis.fields(&drawn).iter().map(farthest).collect()
        };
        let mut largest: Vec<f64> = parallel::flat_map(FIELDS.div_ceil(TOGETHER), some);
        largest.sort_by(f64::total_cmp);
        let reach = largest[(LEVEL * (FIELDS + 1) as f64).ceil() as usize - 1];
        Self { centre, errors, reach }
    }

    /// How far it lies from 0 at every sample, outside of 0: positive where it excludes 0, else how much is missing.
    pub fn excess(&self) -> Vec<f64> {
        self.centre.iter().zip(&self.errors).map(|(x, e)| x.abs() - self.reach * e).collect()
    }

    /// Its lower border at every sample, then the upper one.
    pub fn borders(&self) -> Vec<f64> {
        let border = |sign: f64| {
            let pairs = self.centre.iter().zip(&self.errors);
            pairs.map(move |(x, e)| x + sign * self.reach * e)
        };
        border(-1.0).chain(border(1.0)).collect()
    }

    /// Half its width, averaged over all samples.
    pub fn mean_half_width(&self) -> f64 {
        self.reach * self.errors.iter().sum::<f64>() / self.errors.len().max(1) as f64
    }

    /// Half its width where it is widest.
    pub fn largest_half_width(&self) -> f64 {
        self.reach * self.errors.iter().copied().fold(0.0, f64::max)
    }

    /// Whether it holds the whole of a function of these samples.
    pub fn holds(&self, samples: &[f64]) -> bool {
        let within = |((x, c), e): ((&f64, &f64), &f64)| (x - c).abs() <= self.reach * e;
        samples.len() == self.centre.len() && samples.iter().zip(&self.centre).zip(&self.errors).all(within)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::{Visible, prior::spectrum};
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use rand_distr::{Distribution, StandardNormal};

    fn normal<R: Rng>(rng: &mut R) -> f64 {
        StandardNormal.sample(rng)
    }

    fn setting() -> (Basis, Prior, RecordCovariance) {
        let basis = Basis::of_faces(4, 10, true);
        let prior = Prior::new(&basis, |place| spectrum(place).powf(-0.5));
        let chosen = prior.leading(3);
        let vectors = DMatrix::from_column_slice(3, 1, &[0.6, 0.0, 0.8]);
        let diagonal = (0..prior.len()).map(|j| prior.weighted(j)).collect();
        (basis, prior, RecordCovariance { chosen, visible: Visible { values: vec![5.0], vectors }, diagonal })
    }

    /// Means drawn from the law: their standard deviations, and how often the whole band holds.
    #[test]
    fn bands_hold_the_mean_as_often_as_they_say() {
        let (basis, prior, records) = setting();
        let (n, sigma) = (50, 0.1);
        let zero = vec![0.0; basis.len()];
        let mean = Unshrunk { basis: &basis, prior: &prior, centre: &zero, coordinates: &zero, sigma, n };
        let whole = Band::new(&mean, &records, None).unwrap();
        assert!(whole.holds(&zero) && whole.reach > 2.5 && whole.reach < 4.5, "{}", whole.reach);
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let (runs, mut held, mut square) = (2000, 0, 0.0);
        for _ in 0..runs {
            let z = normal(&mut rng) * (5.0f64 / 50.0).sqrt();
            let mut u: Vec<f64> = records
                .diagonal
                .iter()
                .map(|v| (v / 50.0 + sigma * sigma).sqrt() * normal(&mut rng))
                .collect();
            u[records.chosen[0]] += 0.6 * z;
            u[records.chosen[2]] += 0.8 * z;
            let x: Vec<f64> = u.iter().zip(&prior.roots).map(|(u, root)| u / root).collect();
            let samples = basis.synthesize(&x);
            held += usize::from(whole.holds(&samples));
            square += (samples[11] / whole.errors[11]).powi(2) / f64::from(runs);
        }
        // A quantile from 400 draws is off by .011, one from 2000 by .005.
        let coverage = held as f64 / f64::from(runs);
        assert!((0.91..0.985).contains(&coverage), "{coverage}");
        assert!((square - 1.0).abs() < 0.16, "{square}");
    }

    #[test]
    fn borders_lie_about_the_unshrunk_centre() {
        let (basis, prior, records) = setting();
        let centre: Vec<f64> = (0..basis.len()).map(|i| i as f64).collect();
        let coordinates: Vec<f64> = (0..basis.len()).map(|i| ((i * 7) % 5) as f64).collect();
        let mean = Unshrunk {
            basis: &basis,
            prior: &prior,
            centre: &centre,
            coordinates: &coordinates,
            sigma: 0.2,
            n: 9,
        };
        let band = Band::new(&mean, &records, None).unwrap();
        let borders = band.borders();
        let (lower, upper) = borders.split_at(basis.len());
        for i in 0..basis.len() {
            approx::assert_relative_eq!(
                0.5 * (lower[i] + upper[i]),
                band.centre[i],
                max_relative = 1e-9,
                epsilon = 1e-9
            );
            assert!(upper[i] > lower[i]);
        }
        let mean_width: f64 =
            upper.iter().zip(lower).map(|(u, l)| 0.5 * (u - l)).sum::<f64>() / basis.len() as f64;
        approx::assert_relative_eq!(mean_width, band.mean_half_width(), max_relative = 1e-9);
        assert!(band.largest_half_width() >= band.mean_half_width());
        assert_eq!(band, Band::new(&mean, &records, None).unwrap());
        let short = Unshrunk { centre: &centre[1..], ..mean };
        assert_eq!(Band::new(&short, &records, None), None);
    }
}
