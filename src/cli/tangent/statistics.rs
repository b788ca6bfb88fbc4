//! Which statistics there are.

use super::compare::{self, CompareArgs, GroupFindings};
use super::modes::{self, ModesArgs, ModesFindings};
use super::regress::FieldFindings;
use super::{KindArgs, Of, regress};
use crate::cli::Global;
use crate::cli::answer::Answers;
use crate::cli::output::{Failure, Printer};
use clap::Subcommand;

/// What every kind of record offers beside its mean. Every statistic has a line here and one in `run`.
#[derive(Debug, Subcommand)]
pub enum Statistics<K: KindArgs> {
    #[command(about = modes::about(K::RECORDS), after_help = modes::example(K::COMMAND, K::EXAMPLE))]
    Modes(Box<Of<K, ModesArgs>>),
    #[command(about = regress::about::<K>(), after_help = regress::example::<K>())]
    Regress(Box<Of<K, K::Covariates>>),
    #[command(about = compare::about(K::RECORDS), after_help = compare::example(K::COMMAND, K::EXAMPLE))]
    Compare(Box<Of<K, CompareArgs>>),
}

impl<K: KindArgs> Statistics<K> {
    /// Runs a statistic.
    pub fn run(&self, global: &Global, printer: &Printer) -> Result<(), Failure> {
        match self {
            Self::Modes(args) => modes::modes(args, global, printer),
            Self::Regress(args) => regress::regress(args, global, printer),
            Self::Compare(args) => compare::compare(args, global, printer),
        }
    }
}

/// What the statistics of a kind of record answer.
pub(in crate::cli) fn answers(kind: &str, all: &mut Answers) {
    all.add_study::<ModesFindings>(&format!("{kind} modes"));
    all.add_study::<FieldFindings>(&format!("{kind} regress"));
    all.add_study::<GroupFindings>(&format!("{kind} compare"));
}
