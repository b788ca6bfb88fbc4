//! How squared scores go with covariates: what is noised for variances that change with them.

mod worst_case;

pub use worst_case::ENTRY;

use super::vectors::shortened;
use crate::estimate::variance_function::bound;
use crate::mechanism::MechanismError;
use crate::privacy::noise::{ClippedMean, NoiseError, NoiseSource};
use crate::privacy::{
    Charge, ClipRadius, ClipSource, ClippedSum, Drawn, Mechanism, Mu, Price, PrivacyLoss, Title,
};
use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

const TITLE: Title = Title {
    name: "squared scores by covariates",
    sentence: "Along modes that were released before, every record's squared distance from the released fit is shortened to a fixed \
               length and multiplied by its covariates; these products are averaged, and normal noise that covers what any one record can \
               do to all of them together is added.",
};

/// The most modes that are looked at.
pub const MOST: usize = 10;

/// One record: secret.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoreRecord {
    /// x̃, its covariates in the design's columns.
    pub covariates: Vec<f64>,
    /// z, its deviation from a released fit along released modes, each in its standard deviation: [`MOST`] at most, of all records the same ones. `None`
    /// for a failed record, which contributes zero.
    pub scores: Option<Vec<f64>>,
}

/// The noised mean of covariates times squared scores less one.
///
#[doc = include_str!("proof.md")]
#[derive(Debug, Clone)]
pub struct ScoreMoments {
    mean: ClippedMean,
    price: Price,
    columns: usize,
    reach: f64,
}

/// What it releases.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoisedScores {
    /// Of every column of the design, of [`MOST`] modes: means of t.
    pub values: Vec<f64>,
    /// The standard deviation of the noise in each.
    pub sigma: f64,
}

impl ScoreMoments {
    /// Of `n` records with `columns` covariates of length at most `reach` (X).
    ///
    /// # Errors
    /// [`MechanismError`], about public numbers.
    pub fn new(columns: usize, reach: f64, n: u64, mu: Mu) -> Result<Self, MechanismError> {
        if columns == 0 || !(reach > 0.0 && reach.is_finite()) {
            return Err(MechanismError::Shape(
                "squared scores need covariates of a length that is bounded by a positive number",
            ));
        }
        let mean = ClippedMean::new(columns * MOST, n, ClipRadius::new(1.0, ClipSource::Public)?, mu)?;
        let what = format!(
            "means of {columns} covariates (the intercept among them; scaled by public bounds to a length of at most {reach:.4}) times the \
             squared scores along at most {MOST} released modes, less one, over their bound"
        );
        let price = mean.price_as(TITLE, PrivacyLoss::Gaussian(mu), &what)?;
        Ok(Self { mean, price, columns, reach })
    }

    /// An empty sum.
    pub fn sum(&self) -> ClippedSum {
        self.mean.sum()
    }

    /// A sum that was written down ([`ClippedSum::written`]), of these settings.
    ///
    /// # Errors
    /// [`MechanismError`]: of something else.
    pub fn read_sum(&self, given: u64, steps: Vec<i128>) -> Result<ClippedSum, MechanismError> {
        Ok(self.mean.read_sum(given, steps).map_err(NoiseError::from)?)
    }

    /// Adds a record.
    ///
    /// # Errors
    /// [`MechanismError`] for another number of covariates, or a record too many.
    pub fn add(&self, sum: &mut ClippedSum, record: &ScoreRecord) -> Result<(), MechanismError> {
        if record.covariates.len() != self.columns {
            return Err(MechanismError::Shape("a record has another number of covariates than the design"));
        }
        Ok(sum.add(Some(&self.products(record))).map_err(NoiseError::from)?)
    }

    /// t of a record.
    fn products(&self, record: &ScoreRecord) -> Vec<f64> {
        let covariates = shortened(record.covariates.clone(), self.reach);
        let scores = record.scores.as_deref().unwrap_or(&[]);
        let squares = scores.iter().take(MOST).map(|z| z * z - 1.0).collect();
        let mut squares = shortened(squares, bound(scores.len().clamp(1, MOST)));
        squares.resize(MOST, 0.0);
        covariates.iter().flat_map(|x| squares.iter().map(move |s| x * s)).collect()
    }
}

impl NoisedScores {
    /// Means of x̃ (z² − 1) over the first `modes`, and the standard deviation of their noise: what [`crate::estimate::VarianceFunction::new`] asks for.
    /// `None` where a stored value does not fit.
    pub fn moments(&self, columns: usize, reach: f64, modes: usize) -> Option<(DMatrix<f64>, f64)> {
        if self.values.len() != columns * MOST || !(1..=MOST).contains(&modes) {
            return None;
        }
        let unit = reach * bound(modes);
        let moments = DMatrix::from_fn(columns, modes, |j, k| unit * self.values[j * MOST + k]);
        Some((moments, unit * self.sigma))
    }
}

impl Mechanism for ScoreMoments {
    type Records = [ScoreRecord];
    type Prepared<'a> = ClippedSum;
    type Value = NoisedScores;
    type Error = MechanismError;

    fn price(&self) -> &Price {
        &self.price
    }

    fn prepare(&self, records: &[ScoreRecord]) -> Result<ClippedSum, MechanismError> {
        let mut sum = self.sum();
        records.iter().try_for_each(|record| self.add(&mut sum, record))?;
        sum.check_complete().map_err(NoiseError::from)?;
        Ok(sum)
    }

    fn draw(
        &self,
        sum: &ClippedSum,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<NoisedScores>, MechanismError> {
        let Drawn { value: values, parts } = self.mean.draw(sum, noise, paid)?;
        Ok(Drawn { value: NoisedScores { values, sigma: self.mean.scale() }, parts })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::{Ledger, release};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    const REACH: f64 = 1.5;

    fn moments(n: u64, mu: f64) -> ScoreMoments {
        ScoreMoments::new(2, REACH, n, Mu::new(mu).unwrap()).unwrap()
    }

    /// No record is longer than one, whatever it holds; ends of both balls reach it.
    #[test]
    fn every_record_has_length_one_at_most() {
        let mechanism = moments(10, 1.0);
        let length = |x: &[f64], z: Option<Vec<f64>>| -> f64 {
            let record = ScoreRecord { covariates: x.to_vec(), scores: z };
            mechanism.products(&record).iter().map(|t| t * t).sum::<f64>().sqrt()
        };
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for scale in [1e-3, 1.0, 1e150, f64::MAX] {
            for modes in [0, 1, 4, MOST, 3 * MOST] {
                let mut draw =
                    |n: usize| -> Vec<f64> { (0..n).map(|_| scale * rng.random_range(-1.0..1.0)).collect() };
                let found = length(&draw(2), Some(draw(modes)));
                assert!(found <= 1.0 + 1e-12, "{scale} {modes}: {found}");
            }
        }
        approx::assert_relative_eq!(length(&[0.0, 1e9], Some(vec![1e9])), 1.0, max_relative = 1e-12);
        for nothing in [None, Some(vec![f64::NAN, 1.0]), Some(Vec::new())] {
            assert_eq!(length(&[0.5, 1.0], nothing), 0.0);
        }
        assert_eq!(length(&[f64::INFINITY, 1.0], Some(vec![2.0])), 0.0);
    }

    /// With hardly any noise the moments are those of the shortened records; the noise is 2Xc/(nμ) in their unit.
    #[test]
    fn moments_are_those_of_the_records() {
        let records: Vec<ScoreRecord> = (0..50)
            .map(|i| ScoreRecord {
                covariates: vec![0.5, f64::from(i) / 25.0 - 1.0],
                scores: (i % 5 > 0).then(|| vec![0.3, 1.5, f64::from(i % 7) / 3.0]),
            })
            .collect();
        let mechanism = moments(50, 1e5);
        let released =
            release(&mechanism, &records[..], &mut Ledger::in_memory(None), &mut NoiseSource::seeded(1));
        let (found, sigma) = released.unwrap().value.moments(2, REACH, 3).unwrap();
        approx::assert_relative_eq!(sigma, 2.0 * REACH * bound(3) / (50.0 * 1e5), max_relative = 1e-6);
        for j in 0..2 {
            for k in 0..3 {
                let one = |r: &ScoreRecord| {
                    let z = r.scores.as_ref()?;
                    let squares: Vec<f64> = z.iter().map(|z| z * z - 1.0).collect();
                    let length = squares.iter().map(|s| s * s).sum::<f64>().sqrt();
                    Some(r.covariates[j] * squares[k] * (bound(3) / length).min(1.0))
                };
                let mean = records.iter().filter_map(one).sum::<f64>() / 50.0;
                approx::assert_abs_diff_eq!(found[(j, k)], mean, epsilon = 1e-3);
            }
        }
        let short = NoisedScores { values: vec![0.0; 3], sigma: 0.1 };
        assert_eq!((short.moments(2, REACH, 3), short.moments(2, REACH, 0)), (None, None));
    }

    #[test]
    fn wrong_shapes_are_refused() {
        let good = ScoreRecord { covariates: vec![0.5, 0.0], scores: None };
        let long = ScoreRecord { covariates: vec![0.5; 3], scores: None };
        assert!(moments(2, 1.0).prepare(&[good.clone(), good.clone()]).is_ok());
        assert!(moments(2, 1.0).prepare(std::slice::from_ref(&good)).is_err());
        assert!(moments(2, 1.0).prepare(&[good, long]).is_err());
        for (columns, reach) in [(0, 1.0), (2, 0.0), (2, f64::NAN)] {
            assert!(ScoreMoments::new(columns, reach, 10, Mu::new(1.0).unwrap()).is_err());
        }
    }
}
