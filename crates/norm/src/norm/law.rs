//! How people vary along released modes, as far as the release tells.

use super::people::People;
use crate::study::face::StudyError;
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use rand_distr::{Distribution, StandardNormal};
use statrs::distribution::{ChiSquared, ContinuousCDF};

/// The percentile is of modes whose variance has no more noise than this share of it (one standard deviation). Found on two public models of faces
/// at n = 1000, μ = 1: with all modes percentiles are off by half as much again.
const CLEAR: f64 = 0.1;
/// Of what the noise's turning of a mode would take from its variance if people did not vary in other directions, this much is lost. Found on the
/// same models, where it is .2 to .5.
const TURNED: f64 = 0.35;
/// By how much, as a share of all variances alike, a regression's are too small on average because the clip at the median of the lengths is undone
/// under a normal model, and how far they are off that (a standard deviation). Found on the same models.
const UNDONE: (f64, f64) = (0.045, 0.06);
/// Draws of what the variances may be, and which: always the same.
const DRAWS: usize = 400;
const SEED: u64 = 0x1a3;
/// The least that a drawn variance is, as a share of the stated one.
const LEAST: f64 = 0.1;

/// The law of a person's coordinates along the released modes: independent and normal.
///
/// The noise of the second moment has turned the modes. Where an eigenvalue θ is found in noise whose own spectrum ends at 2t, people vary along
/// the direction that came out by θ − t²/θ on average, if they do not vary in others ([`crate::estimate::Components`]): [`TURNED`]. Of the mean's
/// error along them only the sample's is counted: what stands out of the noise of a second moment is far above that of the mean.
#[derive(Debug)]
pub struct Law {
    /// Unit directions of the modes, orthogonal: mean square one per point.
    pub directions: Vec<Vec<f64>>,
    /// How a person is expected to vary along each, per point.
    pub variances: Vec<f64>,
    /// Of how many modes, the first, the percentile is.
    pub clear: usize,
    /// What the variances of the clear modes may be, as shares of the stated ones: [`DRAWS`] times.
    shares: Vec<Vec<f64>>,
}

/// A percentile: of 100 people of the norm, how many lie nearer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Percentile {
    /// In [0, 100].
    pub value: f64,
    /// Where it lies with probability .95, by what the noise and the sample may have done to the variances.
    pub interval: (f64, f64),
}

impl Law {
    /// Of a release.
    ///
    /// # Errors
    /// [`StudyError`]: a certificate that does not state the noise in the variances.
    pub fn of(people: &People) -> Result<Self, StudyError> {
        let none = || {
            StudyError::Release(
                "the certificate does not state the noise in the variances of the modes: the release is older than norms are".to_owned(),
            )
        };
        let looked = people.stated("coefficients").ok_or_else(none)?;
        let noise = people.stated_of_modes("variance_noise").ok_or_else(none)?;
        let leans = people.leans_on_prior();
        let stated: Vec<f64> = people.modes.iter().map(|mode| square(mode)).collect();
        let columns = people.design().map_or(1, |design| design.columns()) as f64;
        let n = people.certificate.n as f64;
        let (short, common) = people.design().map_or((0.0, 0.0), |_| UNDONE);
        let turned = |(v, noise): (&f64, &f64)| {
            // Where the public spectrum filled in, the turning is in the estimate already.
            let lost = if leans { 0.0 } else { TURNED * noise * noise * 0.5 * looked / v };
            (v - lost).max(LEAST * v) * (1.0 + columns / n + short)
        };
        let variances: Vec<f64> = stated.iter().zip(&noise).map(turned).collect();
        let clear = stated.iter().zip(&noise).take_while(|(v, noise)| **noise <= CLEAR * **v).count();
        let doubts: Vec<f64> = stated
            .iter()
            .zip(&noise)
            .take(clear)
            .map(|(v, noise)| ((noise / v).powi(2) + 2.0 / n).sqrt())
            .collect();
        let mut rng = ChaCha20Rng::seed_from_u64(SEED);
        let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
        let mut drawn = |_| -> Vec<f64> {
            let all = 1.0 + common * normal();
            doubts.iter().map(|doubt| (all + doubt * normal()).max(LEAST)).collect()
        };
        let shares = (0..DRAWS).map(&mut drawn).collect();
        let unit = |(mode, v): (&Vec<f64>, &f64)| mode.iter().map(|x| x / v.sqrt()).collect();
        let directions = people.modes.iter().zip(&stated).map(unit).collect();
        Ok(Self { directions, variances, clear, shares })
    }

    /// Coordinates of a deviation along the directions, in units of faces of area 1.
    pub fn coordinates(&self, deviation: &[f64]) -> Vec<f64> {
        let points = (deviation.len() / 3) as f64;
        let dot = |d: &Vec<f64>| d.iter().zip(deviation).map(|(a, b)| a * b).sum::<f64>() / points;
        self.directions.iter().map(dot).collect()
    }

    /// Squares of the coordinates along the clear modes over their variances: their sum is the squared Mahalanobis distance.
    pub fn squares(&self, coordinates: &[f64]) -> Vec<f64> {
        coordinates.iter().zip(&self.variances).take(self.clear).map(|(c, v)| c * c / v).collect()
    }

    /// The percentile of somebody with these squares: the mean over what the variances may be. `None` where no mode is clear.
    pub fn percentile(&self, squares: &[f64]) -> Option<Percentile> {
        let law = ChiSquared::new(self.clear as f64).ok()?;
        let among = |shares: &Vec<f64>| {
            100.0 * law.cdf(squares.iter().zip(shares).map(|(square, share)| square / share).sum())
        };
        let mut all: Vec<f64> = self.shares.iter().map(among).collect();
        all.sort_by(f64::total_cmp);
        let at = |share: f64| all[(share * (all.len() - 1) as f64).round() as usize];
        let value = all.iter().sum::<f64>() / all.len() as f64;
        Some(Percentile { value, interval: (at(0.025), at(0.975)) })
    }
}

/// The mean square per point.
pub(super) fn square(mode: &[f64]) -> f64 {
    mode.iter().map(|x| x * x).sum::<f64>() / (mode.len() as f64 / 3.0)
}
