//! What the command prints: results on standard output, everything else on standard error.

use serde_json::Value;
use std::fmt::Display;
use std::process::ExitCode;

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
            println!("{json}");
        } else {
            println!("{text}");
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

    /// Prints to standard error.
    pub fn print(&self) {
        eprintln!("error: {}", self.message);
        if let Some(hint) = &self.hint {
            eprintln!("\nhint: {hint}");
        }
    }

    /// 2 for usage, 1 otherwise.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(if self.usage { 2 } else { 1 })
    }
}

/// What stands before the folder of a release.
pub fn where_to(private: bool) -> &'static str {
    if private { "publish:    " } else { "do NOT publish:" }
}
