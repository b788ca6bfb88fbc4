//! Where what a command has to say goes: results to standard output and everything else to standard error, or all of it to a caller in
//! the same process.

pub use super::answer::where_to;

use super::answer::{DryRunAnswer, ErrorAnswer, Own, Refused, SensitivityAnswer};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::fmt::Display;
use std::io::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};
use visard::privacy::{LedgerError, Sensitivity};
use visard::study::{DryRun, JobError};

/// What a command answers to a caller in the same process.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    /// What the command prints with `--json`.
    pub value: Value,
    /// What is for the data holder only, and must not be published: how many records could not be used, and the like.
    pub secret: Map<String, Value>,
    /// What else the command says on standard error.
    pub notes: Vec<String>,
}

/// Why a command did not do what was asked.
#[derive(Debug, Clone)]
pub struct Refusal {
    /// What went wrong, in one word that stays the same: `usage`, `unknown-option`, `input`, `budget`, `above-ceiling`, `exists` and others.
    pub kind: &'static str,
    /// What was wrong, and where.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

/// Is called with how far long work is: what is counted, how many are done, how many there are.
pub type Progress<'a> = &'a (dyn Fn(&'static str, u64, u64) + Sync);

/// What stands before notes that are for the data holder only.
const DO_NOT_PUBLISH: &str = "note (do not publish): ";

/// Takes what a command has to say: the result as text or, where `--json` asks for it, as one JSON object.
pub struct Printer<'a> {
    json: bool,
    /// What was told apart for the data holder only, where all is printed.
    told: Mutex<Map<String, Value>>,
    kept: Option<(Mutex<Answer>, Progress<'a>)>,
}

impl<'a> Printer<'a> {
    /// Prints; `json`: whether the result is JSON.
    pub fn new(json: bool) -> Self {
        Self { json, told: Mutex::default(), kept: None }
    }

    /// Prints nothing, and keeps all for a caller.
    pub fn keeping(progress: Progress<'a>) -> Self {
        Self { json: true, told: Mutex::default(), kept: Some((Mutex::default(), progress)) }
    }

    /// Where progress goes, unless it is to be printed.
    pub fn progress(&self) -> Option<Progress<'a>> {
        self.kept.as_ref().map(|(_, progress)| *progress)
    }

    /// What was kept.
    pub fn answer(self) -> Answer {
        self.kept.map_or_else(Answer::default, |(kept, _)| {
            kept.into_inner().unwrap_or_else(PoisonError::into_inner)
        })
    }

    fn kept(&self) -> Option<MutexGuard<'_, Answer>> {
        self.kept.as_ref().map(|(kept, _)| kept.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The result of the command, once.
    pub fn result(&self, answer: impl Serialize, text: impl Display) {
        let unwritten = |error: serde_json::Error| {
            let error = ErrorAnswer::new(1, "failed", error.to_string());
            json!(Refused { error })
        };
        let json = serde_json::to_value(answer).unwrap_or_else(unwritten);
        match self.kept() {
            Some(mut kept) => kept.value = json,
            None if self.json => say(&json),
            None => say(text),
        }
    }

    /// A result that is the data holder's own, once: with `--json` all that was told apart stands in it, under `do_not_publish`. The result of a
    /// release holds none of it.
    pub fn own_result(&self, answer: impl Serialize, text: impl Display) {
        let told = std::mem::take(&mut *self.told.lock().unwrap_or_else(PoisonError::into_inner));
        self.result(Own { answer, do_not_publish: self.kept.is_none().then_some(told) }, text);
    }

    /// A line beside the result.
    pub fn note(&self, line: impl Display) {
        match self.kept() {
            Some(mut kept) => kept.notes.push(line.to_string()),
            None => eprintln!("{line}"),
        }
    }

    /// A finding for the data holder only, by its name; in words where there is something to say.
    pub fn secret(&self, name: &str, value: impl Into<Value>, words: Option<String>) {
        if self.kept.is_none() {
            words.iter().for_each(|words| eprintln!("{DO_NOT_PUBLISH}{words}"));
        }
        self.apart(|told| drop(told.insert(name.to_owned(), value.into())));
    }

    /// What looks odd in the records, for the data holder only.
    pub fn remarks(&self, remarks: &[String]) {
        if self.kept.is_none() {
            remarks.iter().for_each(|remark| eprintln!("{DO_NOT_PUBLISH}{remark}"));
        }
        self.apart(|told| {
            let all = told.entry("remarks").or_insert_with(|| json!([]));
            all.as_array_mut().into_iter().for_each(|all| all.extend(remarks.iter().map(|text| json!(text))));
        });
    }

    /// What is told apart from the result.
    fn apart(&self, tell: impl FnOnce(&mut Map<String, Value>)) {
        match self.kept() {
            Some(mut kept) => tell(&mut kept.secret),
            None => tell(&mut self.told.lock().unwrap_or_else(PoisonError::into_inner)),
        }
    }
}

/// Why a command did not do what was asked.
#[derive(Debug)]
pub struct Failure {
    message: String,
    hint: Option<String>,
    usage: bool,
    /// What went wrong, in one word that stays the same: for programs.
    kind: &'static str,
    /// What was asked for after all: a dry run ends here, and well.
    preview: Option<Box<Value>>,
    /// Whether all of it was printed as the result.
    said: bool,
}

impl Failure {
    /// As a caller in the same process gets it; nothing, where it is an answer after all.
    pub fn refusal(self) -> Result<Option<Value>, Refusal> {
        match self {
            Self { preview: Some(preview), .. } => Ok(Some(*preview)),
            Self { said: true, .. } => Ok(None),
            Self { kind, message, hint, .. } => Err(Refusal { kind, message, hint }),
        }
    }

    /// What went wrong stands in the result that was printed: exit code 1, and nothing more is said.
    pub fn said() -> Self {
        Self { said: true, ..Self::failed("") }
    }

    /// The command was well formed but could not be carried out: exit code 1.
    pub fn failed(message: impl Display) -> Self {
        Self {
            message: message.to_string(),
            hint: None,
            usage: false,
            kind: "failed",
            preview: None,
            said: false,
        }
    }

    /// The arguments make no sense: exit code 2.
    pub fn usage(message: impl Display) -> Self {
        Self {
            message: message.to_string(),
            hint: None,
            usage: true,
            kind: "usage",
            preview: None,
            said: false,
        }
    }

    /// A file or a record is not valid: exit code 1.
    pub fn input(message: impl Display) -> Self {
        Self::failed(message).of_kind("input")
    }

    /// What went wrong, for programs.
    pub fn of_kind(self, kind: &'static str) -> Self {
        Self { kind, ..self }
    }

    /// What to do about it.
    pub fn with_hint(mut self, hint: impl Display) -> Self {
        self.hint = Some(hint.to_string());
        self
    }

    /// An error of a study, with what to do about its folder and its ledger.
    pub fn of_job(message: impl Display, job: Option<&JobError>) -> Self {
        if let Some(JobError::DryRun(dry)) = job {
            let (value, text) = preview(dry);
            return Self { preview: Some(Box::new(value)), ..Self::failed(text) };
        }
        let failure = Self { kind: job.map_or("failed", kind), ..Self::failed(message) };
        match job.and_then(advice) {
            Some(hint) => failure.with_hint(hint),
            None => failure,
        }
    }

    /// Prints to standard error, or as one JSON object to standard output.
    pub fn print(&self, json: bool) {
        if self.said {
            return;
        }
        if let Some(preview) = &self.preview {
            return if json { say(preview) } else { say(&self.message) };
        }
        if json {
            let error = ErrorAnswer::new(self.code(), self.kind, self.message.clone());
            return say(json!(Refused { error: ErrorAnswer { hint: self.hint.clone(), ..error } }));
        }
        eprintln!("error: {}", self.message);
        if let Some(hint) = &self.hint {
            eprintln!("\nhint: {hint}");
        }
    }

    /// The exit code: 2 for usage, 1 otherwise; a preview is no failure.
    pub fn code(&self) -> u8 {
        match (&self.preview, self.usage) {
            (Some(_), _) => 0,
            (None, true) => 2,
            (None, false) => 1,
        }
    }
}

/// A price, for programs and for people.
fn preview(DryRun { price, total }: &DryRun) -> (Value, String) {
    let bound = |bound: Sensitivity| SensitivityAnswer { norm: bound.norm().to_owned(), bound: bound.get() };
    let after = total.total().ok();
    let answer = DryRunAnswer {
        dry_run: true,
        mechanism: price.mechanism.clone(),
        in_words: price.sentence.clone(),
        n: price.n,
        loss: price.loss,
        composition: price.parts.clone(),
        sensitivity: price.sensitivity.map(bound),
        clip_radius: price.clip,
        noise_scale: price.scale,
        statistic: price.statistic.clone(),
        ledger_total_after: after,
    };
    let mut text = format!(
        "dry run: nothing was charged, and no value of a record was used\n  mechanism:   {}\n  in words:    {}\n  records:     {}\n  costs:       {}",
        price.mechanism, price.sentence, price.n, price.loss
    );
    let mut line = |name: &str, what: String| text.push_str(&format!("\n  {name:<12} {what}"));
    for part in price.parts.parts().iter().filter(|_| price.parts.parts().len() > 1) {
        line("of it:", format!("{} for {}", part.cost, part.mechanism));
    }
    if let Some(bound) = price.sensitivity {
        line("sensitivity:", format!("{} ({})", bound.get(), bound.norm()));
    }
    if let Some(clip) = price.clip {
        line("clip radius:", format!("{}", clip.get()));
    }
    if let Some(scale) = price.scale {
        line("noise scale:", format!("{scale}"));
    }
    if let Some(after) = after {
        line("ledger then:", format!("{after}"));
    }
    (json!(answer), text)
}

/// What kept a study from running, in one word.
fn kind(error: &JobError) -> &'static str {
    match error {
        JobError::HasRelease(_) | JobError::HasResult(_) => "exists",
        JobError::Busy(_) => "busy",
        JobError::Interrupted(_) => "interrupted",
        JobError::OtherRun(_) | JobError::OtherStream(_) => "other-run",
        JobError::OtherVersion { .. } => "other-version",
        JobError::Step { .. } => "step",
        JobError::OtherLedger(_) | JobError::LedgerGone(_) => "other-ledger",
        JobError::Vacuous(_) => "vacuous-budget",
        JobError::Ledger(LedgerError::AboveCeiling { .. }) => "above-ceiling",
        JobError::Read(_) => "read",
        JobError::Write(_) | JobError::Io { .. } => "write",
        _ => "failed",
    }
}

/// What to do about a study that did not run.
fn advice(error: &JobError) -> Option<&'static str> {
    Some(match error {
        JobError::HasRelease(_) => {
            "choose another --out, or --force to replace it (the ledger keeps every charge)"
        }
        JobError::HasResult(_) => "choose another --out, or --force to replace it",
        JobError::Interrupted(_) => {
            "--resume continues it without paying again; --force discards it and pays for a new one"
        }
        JobError::NoPrice => "leave out --dry-run, or name a mechanism that releases something",
        JobError::Vacuous(_) => {
            "choose a smaller budget; --vacuous-budget allows this one, and the certificate will say so; nothing was charged"
        }
        JobError::Ledger(LedgerError::Locked(_)) => {
            "--wait 60 waits up to a minute for it; nothing was charged"
        }
        JobError::OtherVersion { .. } => {
            "nothing more was charged; --force without --resume discards that run"
        }
        JobError::OtherRun(_) => {
            "use the same records and settings, or discard it with --force and no --resume"
        }
        _ => return None,
    })
}

/// A line on standard output. Whoever reads it may have gone (`| head`): that is no failure of the command.
fn say(line: impl Display) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// A number of things: "1 record", "2 records".
pub fn counted(count: usize, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
}
