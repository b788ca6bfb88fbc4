//! What every mechanism brings with it: names, proof, a test of its noise, and the neighbours it is attacked with.

use super::Title;
use crate::privacy::audit::WorstCase;

/// A mechanism as the registry knows it (`mechanism::registry`).
#[derive(Debug)]
pub struct Entry {
    /// Its name on the command line and in audits.
    pub name: &'static str,
    /// Its name in the literature and its sentence.
    pub title: Title,
    /// Statistic, sensitivity, theorem: the text of its proof.
    pub proof: &'static str,
    /// Draws with a fixed seed, compared with the scale that the proof asks for.
    pub scale: fn(u64) -> Result<ScaleCheck, Box<dyn std::error::Error>>,
    /// The neighbours it is audited on.
    pub worst_cases: &'static [WorstCase],
}

/// The mean of a statistic of drawn noise beside what the proof says it is.
///
/// The expected value is worked out independently of the code that draws: from the sensitivity in closed form and the law's moments.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScaleCheck {
    /// The mean over the draws.
    pub observed: f64,
    /// What it is expected to be under the claim.
    pub expected: f64,
    /// What it would be with noise ten per cent too small.
    pub ten_percent_less: f64,
    /// The standard error of `observed` under the claim.
    pub standard_error: f64,
}

impl ScaleCheck {
    /// How many standard errors `observed` is allowed to be off: one false alarm in 1.7 million.
    pub const ALLOWED: f64 = 5.0;

    /// The mean of `draws` independent values of mean `expected` and variance `variance`, for a statistic that goes with the
    /// `power`-th power of the noise scale.
    pub fn of(values: &[f64], expected: f64, variance: f64, power: f64) -> Self {
        let n = values.len().max(1) as f64;
        Self {
            observed: values.iter().sum::<f64>() / n,
            expected,
            ten_percent_less: expected * 0.9f64.powf(power),
            standard_error: (variance / n).sqrt(),
        }
    }

    /// Of the squares of independent normal values of mean 0 and this variance.
    pub fn of_squares(squares: &[f64], variance: f64) -> Self {
        Self::of(squares, variance, 2.0 * variance * variance, 2.0)
    }

    /// Of checks of several parts, the one that is farthest off in standard errors.
    ///
    /// # Errors
    /// None at all was given.
    pub fn farthest(checks: impl IntoIterator<Item = Self>) -> Result<Self, Box<dyn std::error::Error>> {
        let farthest = checks.into_iter().max_by(|a, b| a.errors().total_cmp(&b.errors()));
        farthest.ok_or_else(|| "no noise was drawn".into())
    }

    /// How many standard errors `observed` is off.
    fn errors(&self) -> f64 {
        (self.observed - self.expected).abs() / self.standard_error
    }

    /// Whether the noise is of the claimed size.
    pub fn holds(&self) -> bool {
        self.errors() < Self::ALLOWED
    }

    /// Whether noise ten per cent too small would have been noticed, but for a chance as small as that of a false alarm.
    pub fn would_notice(&self) -> bool {
        self.expected - self.ten_percent_less > 2.0 * Self::ALLOWED * self.standard_error
    }
}
