//! What a release costs: known before a record is read.

use crate::privacy::{
    BudgetError, ClipRadius, ClipSource, Composition, Cost, Neighbours, Part, PrivacyLoss, Sensitivity,
    Statement,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// What a mechanism is called and how it is told to people. Every mechanism has one, in the registry
/// (`mechanism::registry`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Title {
    /// Its name in the literature, as certificates and ledgers bear it.
    pub name: &'static str,
    /// What it does, in one sentence for people who know statistics.
    pub sentence: &'static str,
}

/// The price of a release, and the noise it buys as far as that is public: everything here is known before a record is read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Price {
    /// The mechanism's name in the literature.
    pub mechanism: String,
    /// What it does, in one sentence.
    pub sentence: String,
    /// Number of records n, public.
    pub n: u64,
    /// The loss of the whole release.
    pub loss: PrivacyLoss,
    /// What it is composed of: what the ledger is charged.
    pub parts: Composition,
    /// Bound on what one record can do to the (last) statistic; `None` where it depends on a bound still to be estimated.
    pub sensitivity: Option<Sensitivity>,
    /// The bound on every record; `None` where there is none or it is still to be estimated.
    pub clip: Option<ClipRadius>,
    /// The noise scale (σ, b, …) in the statistic's units, where it is known beforehand.
    pub scale: Option<f64>,
    /// What is noised, in words.
    pub statistic: String,
    /// The neighbours that the loss is stated for.
    #[serde(default)]
    pub neighbours: Neighbours,
}

impl Price {
    /// Of one noised statistic of n records.
    ///
    /// # Errors
    /// [`BudgetError::OutOfRange`] for n = 0.
    pub fn new(title: Title, n: u64, loss: PrivacyLoss, statistic: &str) -> Result<Self, BudgetError> {
        if n == 0 {
            return Err(BudgetError::OutOfRange { name: "n", range: "at least 1", value: 0.0 });
        }
        let mut parts = Composition::new();
        parts.add(title.name, loss);
        Ok(Self {
            mechanism: title.name.to_owned(),
            sentence: title.sentence.to_owned(),
            n,
            loss,
            parts,
            sensitivity: None,
            clip: None,
            scale: None,
            statistic: statistic.to_owned(),
            neighbours: Neighbours::default(),
        })
    }

    /// With its sensitivity and noise scale.
    pub fn with_noise(mut self, sensitivity: Sensitivity, scale: f64) -> Self {
        (self.sensitivity, self.scale) = (Some(sensitivity), Some(scale));
        self
    }

    /// With the bound on records. One that was measured on them leaves no guarantee.
    pub fn with_clip(mut self, clip: ClipRadius) -> Self {
        self.clip = Some(clip);
        if clip.source() == ClipSource::Data { self.not_private() } else { self }
    }

    /// Stated for these neighbours.
    pub fn for_neighbours(self, neighbours: Neighbours) -> Self {
        Self { neighbours, ..self }
    }

    /// Something is taken from the records unpaid: no bound is left.
    pub fn not_private(mut self) -> Self {
        self.loss = PrivacyLoss::NonPrivate;
        self.parts = Composition::new();
        self.parts.add(self.mechanism.clone(), self.loss);
        self
    }

    /// The same release, drawn `times` times.
    ///
    /// # Errors
    /// [`BudgetError`] when the sum overflows.
    pub fn repeated(mut self, times: u32) -> Result<Self, BudgetError> {
        let once = Cost::Parts(std::mem::take(&mut self.parts));
        self.parts = match once {
            Cost::Parts(parts) if parts.parts().len() == 1 && parts.parts()[0].times == 1 => {
                let mut all = Composition::new();
                all.push(parts.parts()[0].mechanism.clone(), times, parts.parts()[0].cost.clone());
                all
            }
            group => {
                let mut all = Composition::new();
                all.push(self.mechanism.clone(), times, group);
                all
            }
        };
        self.loss = self.parts.total()?;
        Ok(self)
    }

    /// What a certificate says of it, as far as it is known before the draw.
    pub fn statement(&self) -> Statement {
        let mut statement = Statement::new(self.mechanism.clone(), self.n, self.loss);
        statement.neighbours = self.neighbours.clone();
        statement.composition = self.parts.clone();
        statement.sensitivity = self.sensitivity;
        statement.clip_radius = self.clip;
        statement.details.insert("statistic".into(), json!(self.statistic));
        statement.details.insert("in_words".into(), json!(self.sentence));
        statement
    }

    /// The entry the ledger is charged with.
    pub fn charged(&self) -> Part {
        self.charged_as(false)
    }

    /// The same for a release whose noise is `seeded`.
    pub fn charged_as(&self, seeded: bool) -> Part {
        let part = match self.parts.parts() {
            [one] if one.mechanism == self.mechanism => one.clone(),
            _ => Part { mechanism: self.mechanism.clone(), times: 1, cost: Cost::Parts(self.parts.clone()) },
        };
        part.with_terms(self.neighbours.clone(), seeded)
    }
}
