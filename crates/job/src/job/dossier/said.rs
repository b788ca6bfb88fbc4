//! What a dossier is made of.

use crate::job::verify::Verified;

/// Where a sentence comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Fields of the certificate.
    Certificate(&'static str),
    /// The ledger.
    Ledger(&'static str),
    /// Worked out here from these fields.
    Computed(&'static str),
    /// The program and its documents, the same for every release.
    Program(&'static str),
    /// A person must say.
    Person,
}

impl Source {
    pub(super) fn text(&self) -> String {
        match self {
            Self::Certificate(field) => format!("certificate: {field}"),
            Self::Ledger(field) => format!("ledger: {field}"),
            Self::Computed(field) => format!("computed from {field}"),
            Self::Program(what) => format!("program: {what}"),
            Self::Person => "TO BE FILLED IN BY A PERSON".to_owned(),
        }
    }
}

/// One sentence, and whence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// What it is about, in a word or two.
    pub about: &'static str,
    /// The sentence.
    pub text: String,
    /// Its source.
    pub source: Source,
}

/// A part of the dossier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// Its heading.
    pub heading: &'static str,
    /// Its sentences.
    pub said: Vec<Said>,
}

/// A dossier.
#[derive(Debug, Clone)]
pub struct Dossier {
    /// The parts, in order.
    pub sections: Vec<Section>,
    pub(super) verified: Verified,
}

/// A sentence.
pub(super) fn said(about: &'static str, text: impl Into<String>, source: Source) -> Said {
    Said { about, text: text.into(), source }
}

/// A question that only a person answers.
pub(super) fn asked(about: &'static str, question: &str) -> Said {
    said(about, question, Source::Person)
}
