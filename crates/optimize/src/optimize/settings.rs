//! Step sizes, outputs, limits: all public, none of them costs privacy.

use super::PlanError;
use serde::{Deserialize, Serialize};

/// The step size η_t, t = 0, 1, ...
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum StepSize {
    /// η.
    Constant(f64),
    /// η₀/(1 + t/t₀)^power: power ½ for convex losses, 1 for strongly convex ones.
    Polynomial {
        /// η₀.
        initial: f64,
        /// t₀ > 0, the step at which it begins to fall.
        delay: f64,
        /// The power, 0 or more.
        power: f64,
    },
}

impl StepSize {
    /// η_t.
    pub fn at(self, step: u64) -> f64 {
        match self {
            Self::Constant(eta) => eta,
            Self::Polynomial { initial, delay, power } => initial / (1.0 + step as f64 / delay).powf(power),
        }
    }

    fn check(self) -> Result<(), PlanError> {
        let positive = |name, value: f64| {
            if value > 0.0 && value.is_finite() {
                Ok(())
            } else {
                Err(PlanError::Parameter { name, range: "a positive finite number", value })
            }
        };
        positive("the step size", self.at(0))?;
        match self {
            Self::Constant(_) => Ok(()),
            Self::Polynomial { delay, power, .. } => {
                positive("the step size's delay", delay)?;
                if power >= 0.0 && power.is_finite() {
                    Ok(())
                } else {
                    let name = "the step size's power";
                    Err(PlanError::Parameter { name, range: "zero or more", value: power })
                }
            }
        }
    }
}

/// Which iterate is the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Output {
    /// The last iterate (the paper's option I)
    #[default]
    Last,
    /// A uniformly random iterate (option II, which the paper's restarts use)
    Random,
    /// The running geodesic mean of the second half of the iterates: averages the noise out at no cost
    TailMean,
}

/// Everything about a run that costs no privacy.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Step sizes.
    pub step: StepSize,
    /// Which iterate is the result.
    pub output: Output,
    /// Longest step: a noised step that is longer is shortened to it. Half the injectivity radius, at most 10, if `None`.
    pub longest_step: Option<f64>,
    /// Iterates are pulled back into the geodesic ball of this radius about the start point.
    pub domain: Option<f64>,
    /// Stops when the noised gradient is no longer than this.
    pub gradient_tolerance: Option<f64>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            step: StepSize::Constant(1.0),
            output: Output::Last,
            longest_step: None,
            domain: None,
            gradient_tolerance: None,
        }
    }
}

impl Settings {
    /// Refuses settings that are no numbers.
    ///
    /// # Errors
    /// [`PlanError::Parameter`].
    pub fn check(&self) -> Result<(), PlanError> {
        self.step.check()?;
        let optional = [
            ("the longest step", self.longest_step),
            ("the domain's radius", self.domain),
            ("the gradient tolerance", self.gradient_tolerance),
        ];
        for (name, value) in optional {
            if let Some(value) = value.filter(|x| !(*x > 0.0 && x.is_finite())) {
                return Err(PlanError::Parameter { name, range: "a positive finite number", value });
            }
        }
        Ok(())
    }
}
