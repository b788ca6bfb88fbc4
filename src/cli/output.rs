//! What the command prints: results on standard output, everything else on standard error.

use serde_json::{Value, json};
use std::fmt::Display;
use std::io::Write;
use std::process::ExitCode;
use visard::study::JobError;

/// Prints a result as text, or as one JSON object where `--json` asks for it.
#[derive(Debug)]
pub struct Printer {
    json: bool,
}

impl Printer {
    /// `json`: what `--json` said.
    pub fn new(json: bool) -> Self {
        Self { json }
    }

    /// The result of the command, once.
    pub fn result(&self, json: Value, text: impl Display) {
        if self.json {
            say(&json);
        } else {
            say(text);
        }
    }
}

/// Why a command did not do what was asked.
#[derive(Debug)]
pub struct Failure {
    message: String,
    hint: Option<String>,
    usage: bool,
}

impl Failure {
    /// The command was well formed but could not be carried out: exit code 1.
    pub fn failed(message: impl Display) -> Self {
        Self { message: message.to_string(), hint: None, usage: false }
    }

    /// The arguments make no sense: exit code 2.
    pub fn usage(message: impl Display) -> Self {
        Self { message: message.to_string(), hint: None, usage: true }
    }

    /// What to do about it.
    pub fn with_hint(mut self, hint: impl Display) -> Self {
        self.hint = Some(hint.to_string());
        self
    }

    /// An error of a study, with what to do about its folder and its ledger.
    pub fn of_job(message: impl Display, job: Option<&JobError>) -> Self {
        let failure = Self::failed(message);
        match job.and_then(advice) {
            Some(hint) => failure.with_hint(hint),
            None => failure,
        }
    }

    /// Prints to standard error, or as one JSON object to standard output.
    pub fn print(&self, json: bool) {
        if json {
            let error = json!({"code": self.code(), "message": self.message, "hint": self.hint});
            say(json!({ "error": error }));
            return;
        }
        eprintln!("error: {}", self.message);
        if let Some(hint) = &self.hint {
            eprintln!("\nhint: {hint}");
        }
    }

    fn code(&self) -> u8 {
        if self.usage { 2 } else { 1 }
    }

    /// 2 for usage, 1 otherwise.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.code())
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
            "--resume goes on with it without paying again; --force gives it up and pays for a new one"
        }
        JobError::OtherRun(_) => {
            "give it the same records and settings, or give it up with --force and no --resume"
        }
        _ => return None,
    })
}

/// A line on standard output. Whoever reads it may have gone (`| head`): that is no failure of the command.
fn say(line: impl Display) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// What stands before the folder of a release.
pub fn where_to(private: bool) -> &'static str {
    if private { "publish:    " } else { "do NOT publish:" }
}
