//! The certificate: what a release guarantees, under what, and what it leaves to the reader.

use super::digest::sha256_hex;
use super::fit::fits;
use super::neighbours::{UNKNOWN_PARTITION, WITHIN_GROUPS};
use super::noise::{NoiseDescription, NoisePath};
use super::{
    Adjacency, BudgetError, ClipRadius, ClipSource, Composition, Cost, Delta, Epsilon, Neighbours, Part,
    PrivacyLoss, Receipt, Sensitivity,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The name of a certificate, beside the files of its release.
pub const CERTIFICATE_FILE: &str = "certificate.json";

/// The version of the certificate's form.
pub const CERTIFICATE_FORMAT: u64 = 1;

/// The δ at which every certificate states ε.
const DELTAS: [f64; 4] = [1e-5, 1e-6, 1e-9, 1e-12];

/// Why a certificate cannot be issued or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CertificateError {
    /// Not JSON, or not of a certificate's form.
    #[error("not a certificate of this form: {0}")]
    Malformed(String),
    /// A certificate of another version.
    #[error(
        "the certificate has format {found}, this program reads {CERTIFICATE_FORMAT}; use the program that wrote it"
    )]
    Version {
        /// Its format.
        found: String,
    },
    /// It says two things that cannot both be true.
    #[error("the certificate contradicts itself: {0}")]
    Contradiction(&'static str),
    /// No records.
    #[error("n = 0: a release without records has nothing to certify")]
    NoRecords,
    /// A sum that cannot be stated.
    #[error(transparent)]
    Budget(#[from] BudgetError),
}

/// Where a certificate says which shares of its records a release was made without, by noised counts.
pub const UNSEEN: &str = "unseen_at_least";
/// Among a certificate's details, how many times as long as what a public radius left of them records were found to be, by a noised measure.
pub const LENGTHENED: &str = "lengthened";
/// Where a certificate's details say what its stated errors leave out.
pub const NOT_IN_ERRORS: &str = "not_in_errors";

/// What a guarantee assumes beyond its theorem, or why there is none.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Caveat {
    /// Noise was drawn in floating point.
    IdealizedReals,
    /// The noise came from a fixed seed: whoever knows it can subtract the noise.
    Seeded,
    /// Something was measured on the records and not paid for.
    DataDriven(String),
    /// The charge was recorded only in memory, so later releases from these records do not count it.
    Unrecorded,
    /// A Markov chain was stopped; its distance to its limit is bounded by the stated total variation.
    MarkovChain {
        /// The bound, already added to δ.
        total_variation: f64,
    },
    /// Anything else, in one sentence.
    Other(String),
}

impl Caveat {
    /// Whether nothing private is left.
    pub fn breaks_privacy(&self) -> bool {
        matches!(self, Self::Seeded | Self::DataDriven(_) | Self::IdealizedReals)
    }

    /// A keyword and a sentence.
    pub fn text(&self) -> String {
        match self {
            Self::IdealizedReals => {
                "idealized-reals: the noise is floating-point; the theorem speaks of real numbers, \
                                     and the low bits of the output tell more than it says"
                    .into()
            }
            Self::Seeded => {
                "seeded: the noise came from a fixed seed, and anyone who learns the seed can subtract it; for tests and demonstrations only"
                    .into()
            }
            Self::DataDriven(what) => {
                format!("data-driven: {what} was taken from the records themselves without being paid for")
            }
            Self::Unrecorded => {
                "unrecorded: no ledger file holds this charge, so other releases from the same records \
                                 are not counted with it"
                    .into()
            }
            Self::MarkovChain { total_variation } => format!(
                "markov-chain: the sampler is a Markov chain within total variation {total_variation:e} of its limit; \
                 this has been added to delta"
            ),
            Self::Other(text) => text.clone(),
        }
    }
}

/// A file or table that was assumed public.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct PublicInput {
    /// What it is; a file name without folders.
    #[cfg_attr(feature = "cli", schemars(length(min = 1)))]
    pub name: String,
    /// SHA-256 of its bytes, lower-case hexadecimal.
    #[cfg_attr(feature = "cli", schemars(regex(pattern = super::digest::SHA256)))]
    pub sha256: String,
}

impl PublicInput {
    /// Hashes the bytes.
    pub fn of_bytes(name: impl Into<String>, bytes: &[u8]) -> Self {
        Self { name: name.into(), sha256: sha256_hex(bytes) }
    }
}

/// A file of the release and the sum of its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct FileSum {
    /// Its name in the folder of the release.
    #[cfg_attr(feature = "cli", schemars(length(min = 1)))]
    pub name: String,
    /// SHA-256 of its bytes, lower-case hexadecimal.
    #[cfg_attr(feature = "cli", schemars(regex(pattern = super::digest::SHA256)))]
    pub sha256: String,
}

impl FileSum {
    /// Hashes the bytes.
    pub fn of_bytes(name: impl Into<String>, bytes: &[u8]) -> Self {
        Self { name: name.into(), sha256: sha256_hex(bytes) }
    }
}

/// ε at a δ.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct EpsilonAtDelta {
    /// δ.
    pub delta: Delta,
    /// ε, rounded up.
    pub epsilon: Epsilon,
}

/// What a mechanism says about its release; [`Statement::certify`] draws the conclusions. All of it must be public.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    /// The mechanism's name in the literature.
    pub mechanism: String,
    /// The number of records, failed ones included.
    pub n: u64,
    /// The loss of everything in this release.
    pub loss: PrivacyLoss,
    /// The neighbours that it is stated for.
    pub neighbours: Neighbours,
    /// The sensitivity the noise was scaled to, in the statistic's units; `None` where there is no noise.
    pub sensitivity: Option<Sensitivity>,
    /// The clip radius; `None` where records are bounded by nature or there is no guarantee.
    pub clip_radius: Option<ClipRadius>,
    /// The noise; `None` where there is none.
    pub noise: Option<NoiseDescription>,
    /// The releases it is composed of.
    pub composition: Composition,
    /// What was assumed public.
    pub public_inputs: Vec<PublicInput>,
    /// Whether the noise source was seeded.
    pub seeded: bool,
    /// Whether the charge is in a ledger file ([`super::Charge::is_durable`]).
    pub recorded: bool,
    /// Where it is ([`super::Charge::receipt`]).
    pub ledger: Option<Receipt>,
    /// Caveats beyond those that follow from the rest.
    pub caveats: Vec<Caveat>,
    /// Further public parameters of the mechanism.
    pub details: Map<String, Value>,
}

impl Statement {
    /// A statement of `mechanism` on `n` records at `loss`, nothing else said yet.
    pub fn new(mechanism: impl Into<String>, n: u64, loss: PrivacyLoss) -> Self {
        Self {
            mechanism: mechanism.into(),
            n,
            loss,
            neighbours: Neighbours::default(),
            sensitivity: None,
            clip_radius: None,
            noise: None,
            composition: Composition::new(),
            public_inputs: Vec::new(),
            seeded: false,
            recorded: true,
            ledger: None,
            caveats: Vec::new(),
            details: Map::new(),
        }
    }

    /// The certificate.
    ///
    /// # Errors
    /// [`CertificateError`] when n = 0 or the parts of the composition exceed the stated loss.
    pub fn certify(self) -> Result<Certificate, CertificateError> {
        if self.n == 0 {
            return Err(CertificateError::NoRecords);
        }
        let mut caveats = self.caveats;
        let mut note = |caveat: Caveat| {
            if !caveats.contains(&caveat) {
                caveats.push(caveat);
            }
        };
        if self.seeded {
            note(Caveat::Seeded);
        }
        if self.clip_radius.is_some_and(|radius| radius.source() == ClipSource::Data) {
            note(Caveat::DataDriven("the clip radius".into()));
        }
        if self.noise.as_ref().is_some_and(|noise| noise.path == NoisePath::IdealizedReals) {
            note(Caveat::IdealizedReals);
        }
        if !self.recorded && self.ledger.is_none() && self.loss.is_private() {
            note(Caveat::Unrecorded);
        }
        let mut composition = self.composition;
        if composition.is_empty() {
            composition.add(self.mechanism.clone(), self.loss);
        }
        let certificate = Certificate {
            visard: env!("CARGO_PKG_VERSION").into(),
            format: CERTIFICATE_FORMAT,
            private: self.loss.is_private() && !caveats.iter().any(Caveat::breaks_privacy),
            caveats: caveats.iter().map(Caveat::text).collect(),
            adjacency: self.neighbours.adjacency(),
            partitions: self.neighbours.partitions().clone(),
            n: self.n,
            mechanism: self.mechanism,
            loss: self.loss,
            epsilon_at_delta: curve(&composition, self.loss),
            sensitivity: self.sensitivity.map(Sensitivity::get),
            sensitivity_norm: self.sensitivity.map(|bound| bound.norm().to_owned()),
            clip_radius: self.clip_radius,
            noise: self.noise,
            composition,
            ledger: self.ledger,
            public_inputs: self.public_inputs,
            seeded: self.seeded,
            files: Vec::new(),
            details: self.details,
        };
        certificate.check()?;
        Ok(certificate)
    }
}

/// ε at the standard δ and at the loss's own, the smaller of what the composition and the headline prove.
fn curve(composition: &Composition, loss: PrivacyLoss) -> Vec<EpsilonAtDelta> {
    let mut deltas = DELTAS.to_vec();
    match loss {
        PrivacyLoss::Pure(_) => deltas = vec![0.0],
        PrivacyLoss::Approximate(_, delta) if !deltas.contains(&delta.get()) => deltas.push(delta.get()),
        _ => {}
    }
    deltas.sort_by(|a, b| b.total_cmp(a));
    deltas
        .into_iter()
        .filter_map(|delta| {
            let delta = Delta::new(delta).ok()?;
            let by_parts = composition.epsilon_at(delta).ok().map(|bound| bound.epsilon);
            let by_headline = loss.epsilon_at(delta).ok();
            let epsilon = match (by_parts, by_headline) {
                (Some(a), Some(b)) => {
                    if b < a {
                        b
                    } else {
                        a
                    }
                }
                (a, b) => a.or(b)?,
            };
            Some(EpsilonAtDelta { delta, epsilon })
        })
        .collect()
}

/// Whether n counts persons with any number of records each.
#[doc(hidden)]
pub fn counts_persons(c: &Certificate) -> bool {
    c.details.get("record_kind").and_then(serde_json::Value::as_str) == Some("person")
}

/// What a release guarantees: `certificate.json` beside it. Its form is `docs/certificate.schema.json`.
///
/// Every value is public or a parameter of the mechanism; none depends on the records, so neither does the file's size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema), schemars(
    deny_unknown_fields,
    extend("if" = {"properties": {"private": {"const": true}}}, "then" = {"properties": {
        "loss": {"type": "object"},
        "seeded": {"const": false},
        "clip_radius": {"not": {"type": "object", "properties": {"source": {"const": "data"}}}}
    }})
))]
#[non_exhaustive]
pub struct Certificate {
    /// The version of the program that wrote it.
    #[cfg_attr(feature = "cli", schemars(length(min = 1)))]
    pub visard: String,
    /// The version of its form.
    #[cfg_attr(feature = "cli", schemars(extend("const" = CERTIFICATE_FORMAT)))]
    pub format: u64,
    /// Whether the guarantee holds; false says why in `caveats`.
    pub private: bool,
    /// What the guarantee leaves to the reader, or why there is none.
    #[cfg_attr(feature = "cli", schemars(inner(length(min = 1))))]
    pub caveats: Vec<String>,
    /// Which datasets are neighbours.
    pub adjacency: Adjacency,
    /// The partitions into groups whose labels neighbours keep, by their SHA-256: their labels are published.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    #[cfg_attr(feature = "cli", schemars(length(min = 1)))]
    pub partitions: BTreeSet<String>,
    /// The number of records.
    #[cfg_attr(feature = "cli", schemars(range(min = 1)))]
    pub n: u64,
    /// The mechanism.
    #[cfg_attr(feature = "cli", schemars(length(min = 1)))]
    pub mechanism: String,
    /// The loss; `null` when there is no bound.
    pub loss: PrivacyLoss,
    /// The loss as (ε, δ).
    pub epsilon_at_delta: Vec<EpsilonAtDelta>,
    /// The sensitivity.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub sensitivity: Option<f64>,
    /// The norm it is a bound in ([`Sensitivity::norm`]); certificates of version 0.1 do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", schemars(extend("enum" = ["l1", "l2", "distance", "gradient"])))]
    pub sensitivity_norm: Option<String>,
    /// The clip radius and its source.
    pub clip_radius: Option<ClipRadius>,
    /// The noise.
    pub noise: Option<NoiseDescription>,
    /// The releases it is composed of.
    pub composition: Composition,
    /// Where it was charged; absent in certificates of version 0.1 and where no ledger file holds the charge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ledger: Option<Receipt>,
    /// What was assumed public.
    pub public_inputs: Vec<PublicInput>,
    /// Whether the noise source was seeded.
    pub seeded: bool,
    /// Every file of the release but this one; certificates of version 0.1 do not say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileSum>,
    /// Further public parameters.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    #[cfg_attr(feature = "cli", schemars(extend("properties" = {
        "statistic": {"type": "string", "description": "What is noised."},
        "in_words": {"type": "string", "description": "The mechanism in one sentence."},
        "first_passes": {
            "type": "array",
            "items": {"type": "object"},
            "description": "What was estimated before and paid for with it: a centre, a radius."
        },
        "study_total": {
            "$ref": "#/$defs/PrivacyLoss",
            "description": "What this release and all earlier ones in its ledger lose together."
        }
    })))]
    pub details: Map<String, Value>,
}

impl Certificate {
    /// The file's text.
    ///
    /// # Errors
    /// [`CertificateError::Malformed`] when a detail cannot be written as JSON.
    pub fn to_json(&self) -> Result<String, CertificateError> {
        let text =
            serde_json::to_string_pretty(self).map_err(|e| CertificateError::Malformed(e.to_string()))?;
        Ok(text + "\n")
    }

    /// Reads a certificate and checks that it does not contradict itself.
    ///
    /// # Errors
    /// [`CertificateError`].
    pub fn from_json(text: &str) -> Result<Self, CertificateError> {
        let malformed = |e: serde_json::Error| CertificateError::Malformed(e.to_string());
        let value: Value = serde_json::from_str(text).map_err(malformed)?;
        let Some(found) = value.get("format").filter(|_| value.get("visard").is_some()) else {
            return Err(CertificateError::Malformed("there is no `visard` and `format`".into()));
        };
        if found.as_u64() != Some(CERTIFICATE_FORMAT) {
            return Err(CertificateError::Version { found: found.to_string().chars().take(40).collect() });
        }
        let certificate: Self = serde_json::from_value(value).map_err(malformed)?;
        certificate.check()?;
        Ok(certificate)
    }

    /// The neighbours that its loss is stated for. Certificates of earlier versions say `replace-one` of every release; of those that compare
    /// groups they say elsewhere that labels are published.
    pub fn neighbours(&self) -> Neighbours {
        let stated = Neighbours::default().of_persons(self.adjacency.of_persons());
        let stated = self.partitions.iter().fold(stated, |all, one| all.within(one));
        if !self.adjacency.within_groups() && self.details.contains_key(WITHIN_GROUPS) {
            return stated.within(UNKNOWN_PARTITION);
        }
        stated
    }

    fn check(&self) -> Result<(), CertificateError> {
        use CertificateError::Contradiction;
        if self.n == 0 {
            return Err(CertificateError::NoRecords);
        }
        if self.adjacency.within_groups() == self.partitions.is_empty() {
            return Err(Contradiction(
                "its neighbours keep their groups, but of which partition it does not say, or the other way round",
            ));
        }
        if self.adjacency.of_persons() && !counts_persons(self) {
            return Err(Contradiction("its neighbours differ in a person, but it counts records"));
        }
        if self.private && self.seeded {
            return Err(Contradiction("it says private, but its noise was seeded"));
        }
        if self.private && !self.loss.is_private() {
            return Err(Contradiction("it says private, but states no loss"));
        }
        let measured = self.clip_radius.is_some_and(|radius| radius.source() == ClipSource::Data);
        if self.private && measured {
            return Err(Contradiction("it says private, but its clip radius was taken from the data"));
        }
        let positive = |x: f64| x.is_finite() && x > 0.0;
        if self.private && self.sensitivity.is_some_and(|x| !positive(x)) {
            return Err(Contradiction("its sensitivity is not a positive number"));
        }
        if self.private && self.noise.as_ref().is_some_and(|noise| !positive(noise.scale)) {
            return Err(Contradiction("its noise scale is not a positive number"));
        }
        // Entries that say nothing of neighbours are stated for those of the certificate.
        let neighbours = self.neighbours();
        let others = |part: &Part| matches!(part.cost, Cost::Terms(_)) && !part.bounds(&neighbours);
        let protects_others = self.composition.parts().iter().any(others);
        if self.private && (protects_others || !fits(&[&self.composition], self.loss)?) {
            return Err(Contradiction(
                "the parts of its composition lose more than its loss, or protect others",
            ));
        }
        let proved = curve(&self.composition, self.loss);
        let understated = self.epsilon_at_delta.iter().any(|claim| {
            let known = proved.iter().find(|p| p.delta == claim.delta).map(|p| p.epsilon);
            let known = known.or_else(|| self.loss.epsilon_at(claim.delta).ok());
            known.is_none_or(|epsilon| claim.epsilon.get() < epsilon.get() * (1.0 - 1e-9))
        });
        if self.private && understated {
            return Err(Contradiction("an epsilon in epsilon_at_delta is smaller than its loss implies"));
        }
        Ok(())
    }
}
