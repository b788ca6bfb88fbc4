//! What commands answer: a type each, of which `--json` and `visard schema` are made.

use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::{JsonSchema, Schema, json_schema};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::path::Path;
use visard::privacy::{Certificate, ClipRadius, Composition, Mu, PrivacyLoss};
use visard::study::StudyFolder;
use visard::study::layout::REPORT;

/// A path as answers have it; what is no text is replaced.
pub fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// A release: where it is, what it cost, what it says.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "{Findings}Release")]
pub struct Release<Findings> {
    /// The folder of the study.
    pub out: String,
    /// The folder that may be published.
    pub release: String,
    /// The page to open first, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<String>,
    /// How many records, or people with all of theirs; unusable ones count.
    pub n: u64,
    /// The mechanism's name in the literature.
    pub mechanism: String,
    /// The budget, where it is one number.
    pub mu: Option<Mu>,
    /// The privacy loss.
    pub loss: PrivacyLoss,
    /// Whether the guarantee holds; the certificate says why not.
    pub private: bool,
    /// What was found.
    #[serde(flatten)]
    pub findings: Findings,
}

impl<Findings> Release<Findings> {
    /// Of this folder and its certificate.
    pub fn of(folder: &StudyFolder, certificate: &Certificate, findings: Findings) -> Self {
        let release = folder.release();
        let report = release.join(REPORT);
        Self {
            out: shown(folder.root()),
            release: shown(&release),
            report: report.is_file().then(|| shown(&report)),
            n: certificate.n,
            mechanism: certificate.mechanism.clone(),
            mu: if let PrivacyLoss::Gaussian(mu) = certificate.loss { Some(mu) } else { None },
            loss: certificate.loss,
            private: certificate.private,
            findings,
        }
    }
}

/// An error statement.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "{A}Mean")]
pub struct MeanFindings<A> {
    /// How far the release is expected to lie from the mean without noise, beside what else might be published.
    pub accuracy: A,
}

/// A mean without noise, for the data holder only: nothing was released.
#[derive(Serialize, JsonSchema)]
pub struct NothingReleased {
    /// The folder of the study.
    pub out: String,
    /// The folder with the mean, which must not be published.
    pub internal: String,
    /// How many records, or people with all of theirs.
    pub n: u64,
    /// `false`.
    #[schemars(extend("const" = false))]
    pub released: bool,
}

impl NothingReleased {
    /// Of this folder.
    pub fn of(folder: &StudyFolder, n: u64) -> Self {
        Self { out: shown(folder.root()), internal: shown(&folder.internal()), n, released: false }
    }
}

/// An answer that is for the data holder only.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Own{A}")]
pub struct Own<A> {
    #[serde(flatten)]
    pub answer: A,
    /// What was told about single records, by name; not in an answer to Python or R, which get it apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub do_not_publish: Option<Map<String, Value>>,
}

/// What a release would cost: nothing was charged.
#[derive(Serialize, JsonSchema)]
pub struct DryRunAnswer {
    /// `true`.
    #[schemars(extend("const" = true))]
    pub dry_run: bool,
    /// The mechanism's name in the literature.
    pub mechanism: String,
    /// What it does.
    pub in_words: String,
    /// How many records, or people.
    pub n: u64,
    /// What would be charged.
    pub loss: PrivacyLoss,
    /// The releases it is composed of.
    pub composition: Composition,
    /// What one record can do to the statistic.
    pub sensitivity: Option<SensitivityAnswer>,
    /// The bound on every record.
    pub clip_radius: Option<ClipRadius>,
    /// The scale of the noise, where it is known beforehand.
    pub noise_scale: Option<f64>,
    /// What is noised.
    pub statistic: String,
    /// What the ledger would then hold.
    pub ledger_total_after: Option<PrivacyLoss>,
}

/// A bound in a norm.
#[derive(Serialize, JsonSchema)]
pub struct SensitivityAnswer {
    /// The norm.
    pub norm: String,
    /// The bound.
    pub bound: f64,
}

/// What is said in place of an answer.
#[derive(Serialize, JsonSchema)]
pub struct Refused {
    /// What went wrong.
    pub error: ErrorAnswer,
}

/// What went wrong, and what to do.
#[derive(Serialize, JsonSchema)]
pub struct ErrorAnswer {
    /// The exit code: 2 for wrong usage, 1 otherwise.
    pub code: u8,
    /// What went wrong, in a word that stays the same.
    pub kind: String,
    /// What was wrong, and where.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl ErrorAnswer {
    /// With no hint.
    pub fn new(code: u8, kind: &str, message: String) -> Self {
        Self { code, kind: kind.to_owned(), message, hint: None }
    }
}

/// Synthetic records, drawn from a release: nothing was charged.
#[derive(Serialize, JsonSchema)]
pub struct Sample {
    /// Their folder.
    out: String,
    /// How many.
    n: u64,
    /// Which sample it is.
    seed: u64,
    /// `true`: none is of a person.
    #[schemars(extend("const" = true))]
    synthetic: bool,
}

impl Sample {
    /// In this folder.
    pub fn of(out: &Path, n: u64, seed: u64) -> Self {
        Self { out: shown(out), n, seed, synthetic: true }
    }
}

/// What stands before the folder of a release.
pub fn where_to(private: bool) -> &'static str {
    if private { "publish:     " } else { "do NOT publish:" }
}

/// Where everything is, for the end of what is printed.
pub fn places(folder: &StudyFolder, certificate: &Certificate) -> String {
    let release = folder.release();
    format!(
        "  {} {}\n  open first:   {}\n  do not share: {}",
        where_to(certificate.private),
        release.display(),
        release.join(REPORT).display(),
        folder.internal().display()
    )
}

/// The schemas of all answers, by command.
pub struct Answers {
    schemas: SchemaGenerator,
    by_command: Map<String, Value>,
}

impl Answers {
    /// None yet.
    pub fn new() -> Self {
        let schemas = SchemaSettings::draft2020_12().for_serialize().into_generator();
        Self { schemas, by_command: Map::new() }
    }

    /// One of the answers that a command has.
    pub fn add<A: JsonSchema>(&mut self, command: &str) {
        let schema = json!(self.schemas.subschema_for::<A>());
        let all = self.by_command.entry(command).or_insert_with(|| json!([]));
        all.as_array_mut().into_iter().for_each(|all| all.push(schema.clone()));
    }

    /// Those of a study: its release, or what it would cost.
    pub fn add_study<Findings: JsonSchema>(&mut self, command: &str) {
        self.add::<Release<Findings>>(command);
        self.add::<DryRunAnswer>(command);
    }

    /// One schema, of an object with the answer of each command under its name.
    pub fn schema(mut self) -> Schema {
        let any = |(command, all): (String, Value)| (command, json!({"anyOf": all}));
        let by_command: Map<String, Value> = self.by_command.into_iter().map(any).collect();
        json_schema!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "Answers of visard",
            "description": "What each command prints with --json, under the name of the command.",
            "type": "object",
            "additionalProperties": false,
            "properties": by_command,
            "$defs": self.schemas.take_definitions(true),
        })
    }
}
