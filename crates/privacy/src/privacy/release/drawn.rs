//! What was drawn: values, and the description of the noise in them.

use super::Price;
use crate::privacy::noise::{NoiseDescription, NoisePath};
use crate::privacy::{Caveat, ClipRadius, PrivacyLoss, Sensitivity, Statement};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// One noised statistic, described by the code that noised it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NoisedPart {
    /// What was estimated.
    pub what: String,
    /// What it cost.
    pub loss: PrivacyLoss,
    /// What one record can do to the statistic.
    pub sensitivity: Sensitivity,
    /// The bound on every record, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clip: Option<ClipRadius>,
    /// Its noise.
    pub noise: NoiseDescription,
    /// About how far off the result is, where known beforehand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_error: Option<f64>,
}

/// What a mechanism drew.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Drawn<V> {
    /// The noised value.
    pub value: V,
    /// How each statistic in it was noised, in the order of drawing: the last is the release's own, those before are first passes.
    pub parts: Vec<NoisedPart>,
}

/// A release that has been paid for and drawn: noised values and public numbers only.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Released<V> {
    /// The noised value.
    pub value: V,
    /// How it was noised.
    pub parts: Vec<NoisedPart>,
    /// What was paid.
    pub price: Price,
    /// Whether the noise came from a fixed seed.
    pub seeded: bool,
    /// Whether the charge is in a ledger file.
    pub recorded: bool,
}

impl<V> Released<V> {
    /// The noise of the release itself, after its first passes.
    pub fn noise(&self) -> Option<&NoisedPart> {
        self.parts.last()
    }

    /// Those estimated beside it and paid for with it (a centre, a radius).
    pub fn first_passes(&self) -> &[NoisedPart] {
        self.parts.split_last().map_or(&[], |(_, first)| first)
    }

    /// The bound records were clipped to.
    pub fn clip(&self) -> Option<ClipRadius> {
        self.noise().and_then(|part| part.clip).or(self.price.clip)
    }

    /// What a certificate says of it. The caller adds public inputs and further details.
    pub fn statement(&self) -> Statement {
        let mut statement = self.price.statement();
        if let Some(part) = self.noise() {
            statement.sensitivity = Some(part.sensitivity);
            statement.noise = Some(part.noise.clone());
        }
        statement.clip_radius = self.clip();
        statement.seeded = self.seeded;
        statement.recorded = self.recorded;
        if self.parts.iter().any(|part| part.noise.path == NoisePath::IdealizedReals) {
            statement.caveats.push(Caveat::IdealizedReals);
        }
        if !self.first_passes().is_empty() {
            statement.details.insert("first_passes".into(), json!(self.first_passes()));
        }
        statement
    }

    /// The same release with its value in another form: post-processing.
    pub fn map<W>(self, f: impl FnOnce(V) -> W) -> Released<W> {
        let Self { value, parts, price, seeded, recorded } = self;
        Released { value: f(value), parts, price, seeded, recorded }
    }
}
