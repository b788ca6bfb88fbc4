//! Privacy losses and bounds as types, so that a mix-up does not compile.

use serde::{Deserialize, Serialize};

/// A budget or bound that is no number a guarantee can be stated with.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BudgetError {
    /// A parameter outside its range.
    #[error("{name} must be {range}, got {value}")]
    OutOfRange {
        /// Which parameter.
        name: &'static str,
        /// What is allowed.
        range: &'static str,
        /// What was given.
        value: f64,
    },
}

macro_rules! parameter {
    ($(#[$doc:meta])* $name:ident, $symbol:literal, $range:literal, $valid:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
        #[serde(try_from = "f64", into = "f64")]
        pub struct $name(f64);

        impl $name {
            #[doc = concat!("Checks that the value is ", $range, ".\n\n# Errors\n[`BudgetError::OutOfRange`] otherwise.")]
            pub fn new(value: f64) -> Result<Self, BudgetError> {
                let valid: fn(f64) -> bool = $valid;
                if value.is_finite() && valid(value) {
                    Ok(Self(value))
                } else {
                    Err(BudgetError::OutOfRange { name: $symbol, range: $range, value })
                }
            }

            /// The number.
            pub fn get(self) -> f64 {
                self.0
            }
        }

        impl TryFrom<f64> for $name {
            type Error = BudgetError;
            fn try_from(value: f64) -> Result<Self, BudgetError> {
                Self::new(value)
            }
        }

        impl From<$name> for f64 {
            fn from(value: $name) -> f64 {
                value.0
            }
        }
    };
}

parameter!(
    /// μ of Gaussian differential privacy (Dong, Roth and Su 2019): telling neighbours apart is at least as
    /// hard as telling N(0, 1) from N(μ, 1).
    Mu, "mu", "a positive finite number", |x| x > 0.0
);
parameter!(
    /// ε of (ε, δ)-differential privacy.
    Epsilon, "epsilon", "a finite number, zero or more", |x| x >= 0.0
);
parameter!(
    /// δ of (ε, δ)-differential privacy.
    Delta, "delta", "between 0 (included) and 1 (excluded)", |x| (0.0..1.0).contains(&x)
);

/// Which datasets count as neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Adjacency {
    /// One record is replaced by another; the number of records n is public.
    ReplaceOne,
}

/// Where a clip radius came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ClipSource {
    /// Chosen without looking at the study's records.
    Public,
    /// Estimated from them by a mechanism that was paid for.
    Private,
    /// Measured on them: the release is not private.
    Data,
}

/// The bound τ > 0 every record is clipped to, with its source.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ClipRadius {
    value: f64,
    source: ClipSource,
}

impl ClipRadius {
    /// A positive finite radius and where it came from.
    ///
    /// # Errors
    /// [`BudgetError::OutOfRange`].
    pub fn new(value: f64, source: ClipSource) -> Result<Self, BudgetError> {
        if value.is_finite() && value > 0.0 {
            Ok(Self { value, source })
        } else {
            Err(BudgetError::OutOfRange { name: "clip radius", range: "a positive finite number", value })
        }
    }

    /// τ.
    pub fn get(self) -> f64 {
        self.value
    }

    /// Where τ came from.
    pub fn source(self) -> ClipSource {
        self.source
    }
}

/// A privacy loss in the unit of its theorem.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum PrivacyLoss {
    /// ε-DP.
    Pure(Epsilon),
    /// (ε, δ)-DP.
    Approximate(Epsilon, Delta),
    /// μ-GDP.
    Gaussian(Mu),
    /// No bound: something was taken from the data unpaid.
    NonPrivate,
}
