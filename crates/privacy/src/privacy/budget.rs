//! Privacy losses and bounds as types, so that a mix-up does not compile.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// A budget or bound that is no number a guarantee can be stated with.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BudgetError {
    /// A parameter outside its range.
    #[error("{name} must be {range}, got {}", number(*.value))]
    OutOfRange {
        /// Which parameter.
        name: &'static str,
        /// What is allowed.
        range: &'static str,
        /// What was given.
        value: f64,
    },
    /// A loss stated in two units at once.
    #[error("give either mu or epsilon (with delta), not both: they are two statements of one budget")]
    TwoUnits,
    /// No loss at all.
    #[error("no budget given: state mu, or epsilon with or without delta")]
    NoBudget,
    /// δ alone bounds nothing.
    #[error("delta was given without epsilon: state both")]
    DeltaAlone,
    /// Fewer or more than two of μ, ε, δ.
    #[error("give exactly two of mu, epsilon and delta; the third is computed")]
    NotTwoOfThree,
    /// A conversion whose answer does not exist; the text says which and why.
    #[error("{0}")]
    NoSuchBound(&'static str),
}

/// A number as people write it: 0.25, 1e-300.
pub(crate) fn number(x: f64) -> String {
    if x == 0.0 || (1e-4..1e7).contains(&x.abs()) || !x.is_finite() {
        format!("{x}")
    } else {
        format!("{x:e}")
    }
}

/// A number to ten digits: sums of decimals are stated as people expect them.
pub(crate) fn short(x: f64) -> String {
    format!("{x:.9e}").parse().map_or_else(|_| number(x), number)
}

macro_rules! parameter {
    ($(#[$doc:meta])* $name:ident, $symbol:literal, $range:literal, [$($schema:tt)*], $valid:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
        #[serde(try_from = "f64", into = "f64")]
        #[cfg_attr(feature = "cli", derive(schemars::JsonSchema), schemars(extend($($schema)*)))]
        pub struct $name(f64);

        impl $name {
            #[doc = concat!("Checks that the value is ", $range, ".\n\n# Errors\n[`BudgetError::OutOfRange`] otherwise.")]
            pub fn new(value: f64) -> Result<Self, BudgetError> {
                let valid: fn(f64) -> bool = $valid;
                if value.is_finite() && valid(value) {
                    // Adding zero turns −0 into 0.
                    Ok(Self(value + 0.0))
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

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($symbol, " = {}"), $crate::privacy::budget::short(self.0))
            }
        }
    };
}
pub(crate) use parameter;

parameter!(
    /// μ of Gaussian differential privacy (Dong, Roth and Su 2019): telling neighbours apart is at least as
    /// hard as telling N(0, 1) from N(μ, 1).
    Mu, "mu", "a positive finite number", ["exclusiveMinimum" = 0], |x| x > 0.0
);
parameter!(
    /// ε of (ε, δ)-differential privacy.
    Epsilon, "epsilon", "a finite number, zero or more", ["minimum" = 0], |x| x >= 0.0
);
parameter!(
    /// δ of (ε, δ)-differential privacy.
    Delta, "delta", "between 0 (included) and 1 (excluded)", ["minimum" = 0, "exclusiveMaximum" = 1], |x| (0.0..1.0).contains(&x)
);
parameter!(
    /// ρ of zero-concentrated differential privacy (Bun and Steinke 2016): D_α ≤ ρα for every order α > 1.
    Rho, "rho", "a positive finite number", ["exclusiveMinimum" = 0], |x| x > 0.0
);

/// Where a clip radius came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
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
#[serde(try_from = "RawClipRadius")]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct ClipRadius {
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    value: f64,
    source: ClipSource,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema), schemars(rename = "ClipRadius"))]
struct RawClipRadius {
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    value: f64,
    source: ClipSource,
}

impl TryFrom<RawClipRadius> for ClipRadius {
    type Error = BudgetError;
    fn try_from(raw: RawClipRadius) -> Result<Self, BudgetError> {
        Self::new(raw.value, raw.source)
    }
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
///
/// Written to JSON as `{"mu": μ}`, `{"epsilon": ε, "delta": δ}` (δ = 0 for pure privacy), `{"rho": ρ}` or `null`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum PrivacyLoss {
    /// ε-DP.
    Pure(Epsilon),
    /// (ε, δ)-DP.
    Approximate(Epsilon, Delta),
    /// μ-GDP.
    Gaussian(Mu),
    /// ρ-zCDP.
    ZeroConcentrated(Rho),
    /// No bound: something was taken from the data unpaid.
    NonPrivate,
}

impl PrivacyLoss {
    /// The budget a user asked for: μ alone, ε alone (pure), or ε with δ (δ = 0 is pure).
    ///
    /// # Errors
    /// [`BudgetError`] when both units, neither, or δ alone are given, and for values outside their range: μ and pure ε from 1e-6 (with
    /// less, a release is noise alone for any number of people) to 1e6, ε beside a δ from 0 (excluded) to 1e6.
    ///
    /// ```
    /// use visard_privacy::privacy::PrivacyLoss;
    /// assert!(PrivacyLoss::requested(Some(1.0), None, None).is_ok());
    /// assert!(PrivacyLoss::requested(Some(1.0), Some(1.0), None).is_err());
    /// ```
    pub fn requested(mu: Option<f64>, epsilon: Option<f64>, delta: Option<f64>) -> Result<Self, BudgetError> {
        match (mu, epsilon, delta) {
            (Some(_), Some(_), _) | (Some(_), _, Some(_)) => Err(BudgetError::TwoUnits),
            (Some(mu), None, None) => Ok(Self::Gaussian(Mu::new(asked("mu", mu, false)?)?)),
            (None, None, Some(_)) => Err(BudgetError::DeltaAlone),
            (None, None, None) => Err(BudgetError::NoBudget),
            (None, Some(epsilon), delta) => {
                let delta = Delta::new(delta.unwrap_or(0.0))?;
                let epsilon = Epsilon::new(asked("epsilon", epsilon, delta.get() > 0.0)?)?;
                Ok(Self::approximate(epsilon, delta))
            }
        }
    }

    /// (ε, δ)-DP, which is ε-DP when δ = 0.
    pub fn approximate(epsilon: Epsilon, delta: Delta) -> Self {
        if delta.get() == 0.0 { Self::Pure(epsilon) } else { Self::Approximate(epsilon, delta) }
    }

    /// Whether there is a bound at all.
    pub fn is_private(&self) -> bool {
        !matches!(self, Self::NonPrivate)
    }
}

/// A budget that a release can be made with; `any`: however small.
fn asked(name: &'static str, value: f64, any: bool) -> Result<f64, BudgetError> {
    match value {
        x if (1e-6..=1e6).contains(&x) || (any && x > 0.0 && x < 1e-6) => Ok(x),
        _ if any => Err(BudgetError::OutOfRange {
            name,
            range: "above 0 and at most 1e6 (0.1 to 20 is usual)",
            value,
        }),
        _ => Err(BudgetError::OutOfRange {
            name,
            range: "from 1e-6 to 1e6 (0.1 to 20 is usual; with less than 1e-6 a release is noise alone)",
            value,
        }),
    }
}

impl fmt::Display for PrivacyLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pure(epsilon) => write!(f, "{epsilon}"),
            Self::Approximate(epsilon, delta) => write!(f, "{epsilon}, {delta}"),
            Self::Gaussian(mu) => write!(f, "{mu}"),
            Self::ZeroConcentrated(rho) => write!(f, "{rho}"),
            Self::NonPrivate => write!(f, "no bound"),
        }
    }
}

/// The JSON form of a loss.
#[derive(Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct RawLoss {
    #[serde(skip_serializing_if = "Option::is_none", default)]
    mu: Option<Mu>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    rho: Option<Rho>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    epsilon: Option<Epsilon>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    delta: Option<Delta>,
}

#[cfg(feature = "cli")]
impl schemars::JsonSchema for PrivacyLoss {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "PrivacyLoss".into()
    }

    fn json_schema(all: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let (mu, rho) = (all.subschema_for::<Mu>(), all.subschema_for::<Rho>());
        let (epsilon, delta) = (all.subschema_for::<Epsilon>(), all.subschema_for::<Delta>());
        schemars::json_schema!({
            "description": "A privacy loss: mu (Gaussian), rho (zero-concentrated), epsilon with delta (0: pure), or null where there is no bound.",
            "oneOf": [
                {"type": "null"},
                {"type": "object", "required": ["mu"], "additionalProperties": false, "properties": {"mu": mu}},
                {"type": "object", "required": ["rho"], "additionalProperties": false, "properties": {"rho": rho}},
                {
                    "type": "object",
                    "required": ["epsilon", "delta"],
                    "additionalProperties": false,
                    "properties": {"epsilon": epsilon, "delta": delta}
                }
            ]
        })
    }
}

impl Serialize for PrivacyLoss {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw = match *self {
            Self::Gaussian(mu) => RawLoss { mu: Some(mu), ..RawLoss::default() },
            Self::ZeroConcentrated(rho) => RawLoss { rho: Some(rho), ..RawLoss::default() },
            Self::Pure(epsilon) => {
                RawLoss { epsilon: Some(epsilon), delta: Delta::new(0.0).ok(), ..RawLoss::default() }
            }
            Self::Approximate(epsilon, delta) => {
                RawLoss { epsilon: Some(epsilon), delta: Some(delta), ..RawLoss::default() }
            }
            Self::NonPrivate => return serializer.serialize_none(),
        };
        raw.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for PrivacyLoss {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error;
        let Some(raw) = Option::<RawLoss>::deserialize(deserializer)? else {
            return Ok(Self::NonPrivate);
        };
        match raw {
            RawLoss { mu: Some(mu), rho: None, epsilon: None, delta: None } => Ok(Self::Gaussian(mu)),
            RawLoss { mu: None, rho: Some(rho), epsilon: None, delta: None } => {
                Ok(Self::ZeroConcentrated(rho))
            }
            RawLoss { mu: None, rho: None, epsilon: Some(epsilon), delta: Some(delta) } => {
                Ok(Self::approximate(epsilon, delta))
            }
            _ => Err(D::Error::custom("a loss is one of {mu}, {epsilon, delta}, {rho} or null")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nonsense_is_refused_with_its_name_and_value() {
        for bad in [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(Mu::new(bad).is_err(), "mu {bad}");
            assert!(Rho::new(bad).is_err(), "rho {bad}");
            assert!(ClipRadius::new(bad, ClipSource::Public).is_err(), "clip radius {bad}");
            assert!(PrivacyLoss::requested(None, Some(bad), None).is_err(), "epsilon {bad}");
        }
        for bad in [-1e-9, 1.0, 1.5, f64::NAN] {
            assert!(Delta::new(bad).is_err(), "delta {bad}");
            assert!(PrivacyLoss::requested(None, Some(1.0), Some(bad)).is_err(), "delta {bad}");
        }
        assert_eq!(Mu::new(-2.0).unwrap_err().to_string(), "mu must be a positive finite number, got -2");
    }

    #[test]
    fn a_request_has_one_unit() {
        let ask = PrivacyLoss::requested;
        assert_eq!(ask(Some(1.0), Some(1.0), None), Err(BudgetError::TwoUnits));
        assert_eq!(ask(Some(1.0), None, Some(1e-6)), Err(BudgetError::TwoUnits));
        assert_eq!(ask(None, None, Some(1e-6)), Err(BudgetError::DeltaAlone));
        assert_eq!(ask(None, None, None), Err(BudgetError::NoBudget));
        assert_eq!(ask(None, Some(2.0), Some(0.0)), Ok(PrivacyLoss::Pure(Epsilon::new(2.0).unwrap())));
    }

    #[test]
    fn losses_survive_json_and_malformed_ones_do_not() {
        let e = Epsilon::new(0.5).unwrap();
        for loss in [
            PrivacyLoss::Pure(e),
            PrivacyLoss::Approximate(e, Delta::new(1e-300).unwrap()),
            PrivacyLoss::Gaussian(Mu::new(0.1).unwrap()),
            PrivacyLoss::ZeroConcentrated(Rho::new(0.3).unwrap()),
            PrivacyLoss::NonPrivate,
        ] {
            let text = serde_json::to_string(&loss).unwrap();
            assert_eq!(serde_json::from_str::<PrivacyLoss>(&text).unwrap(), loss, "{text}");
        }
        assert_eq!(serde_json::to_string(&PrivacyLoss::Pure(e)).unwrap(), r#"{"epsilon":0.5,"delta":0.0}"#);
        for bad in [
            "{}",
            r#"{"mu":0}"#,
            r#"{"mu":-1}"#,
            r#"{"mu":1,"epsilon":1,"delta":0}"#,
            r#"{"epsilon":1}"#,
            r#"{"epsilon":1,"delta":1}"#,
            r#"{"mu":1,"extra":2}"#,
            "1",
        ] {
            assert!(serde_json::from_str::<PrivacyLoss>(bad).is_err(), "{bad}");
        }
        assert!(serde_json::from_str::<ClipRadius>(r#"{"value":0,"source":"public"}"#).is_err());
    }
}
