//! What all commands have: the general options, and the words of their help.

use clap::Args;
use visard::io::Content;
use visard::study::Stop;

/// The groups in which options stand in the help of a command. Those without a group come first: what nearly every run needs.
pub mod heading {
    /// What the release may cost.
    pub const BUDGET: &str = "Budget";
    /// Whose records, and what they are.
    pub const RECORDS: &str = "Records";
    /// How records are brought into one frame.
    pub const REGISTRATION: &str = "Registration";
    /// What is released, and by which mechanism.
    pub const RELEASE: &str = "Release";
    /// The covariates of a regression.
    pub const COVARIATES: &str = "Covariates";
    /// The statistic that a plan is for.
    pub const STATISTIC: &str = "Statistic";
    /// How an optimization runs.
    pub const METHOD: &str = "Method";
    /// The sites of a joint study.
    pub const SITES: &str = "Sites";
    /// Where the charge is recorded.
    pub const LEDGER: &str = "Ledger";
    /// What else is written.
    pub const OUTPUT: &str = "Output";
    /// What every command has.
    pub const GENERAL: &str = "General options";
}

/// Options every command has.
#[derive(Debug, Args)]
pub struct Global {
    /// Print one JSON object on standard output (everything else goes to standard error)
    #[arg(long, global = true, help_heading = heading::GENERAL)]
    pub(super) json: bool,
    /// Fix the random seed: for tests and experiments only; a release made with it is marked as not private (`sample` makes none:
    /// there it only chooses which synthetic people are drawn)
    #[arg(long, global = true, help_heading = heading::GENERAL, value_name = "N")]
    pub(super) seed: Option<u64>,
    /// Number of worker threads (default: one per core)
    #[arg(long, global = true, help_heading = heading::GENERAL, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(super) threads: Option<u16>,
    /// Replace results that are already there
    #[arg(long, global = true, help_heading = heading::GENERAL)]
    pub(super) force: bool,
    /// Through which a caller in the same process stops the study before its charge.
    #[arg(skip)]
    pub(super) stop: Stop,
}

/// The help of an argument that takes files: what they are, and the endings known for that.
pub fn of_kind(what: &str, content: Content) -> String {
    format!("{what} ({})", content.endings())
}
