//! What all commands have: the general options, and the words of their help.

use clap::Args;
use visard::io::Content;

/// Where the options that every command has stand in its help.
const GENERAL: &str = "General options";

/// Options every command has.
#[derive(Debug, Args)]
pub struct Global {
    /// Print one JSON object on standard output (everything else goes to standard error)
    #[arg(long, global = true, help_heading = GENERAL)]
    pub(super) json: bool,
    /// Fix the random seed: for tests and experiments only; marks releases as not private
    #[arg(long, global = true, help_heading = GENERAL, value_name = "N")]
    pub(super) seed: Option<u64>,
    /// Number of worker threads (default: one per core)
    #[arg(long, global = true, help_heading = GENERAL, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(super) threads: Option<u16>,
    /// Replace results that are already there
    #[arg(long, global = true, help_heading = GENERAL)]
    pub(super) force: bool,
}

/// The help of an argument that takes files: what they are, and the endings known for that.
pub fn of_kind(what: &str, content: Content) -> String {
    format!("{what} ({})", content.endings())
}
