//! `visard site`: one mean face of many sites' people, modes of variation, groups or covariates, nothing pooled.

mod exchange;
mod plan;

use super::Global;
use super::answer::Answers;
use super::output::{Failure, Printer};
use clap::Subcommand;

/// Commands for many sites.
#[derive(Debug, Subcommand)]
pub enum SiteCommand {
    /// Make a key for a site or an aggregator, to seal and sign messages with
    Keys(plan::KeysArgs),
    /// Write the plan that all sites follow, before anyone reads a record
    Plan(plan::PlanArgs),
    /// Answer a round without aggregators: this site's sum, with the whole noise
    Sum(Box<exchange::SumArgs>),
    /// Close a round without aggregators: put the sites' sums together
    Merge(exchange::CloseArgs),
    /// Answer a round under secure aggregation: this site's sum in two sealed shares
    Share(Box<exchange::ShareArgs>),
    /// Check shares and add them up, as an aggregator
    Verify(exchange::VerifyArgs),
    /// Close a round with the sums of both aggregators
    Unshare(exchange::CloseArgs),
}

/// Runs a site command.
pub fn run(command: &SiteCommand, global: &Global, printer: &Printer) -> Result<(), Failure> {
    match command {
        SiteCommand::Keys(args) => plan::keys(args, printer),
        SiteCommand::Plan(args) => plan::run(args, printer),
        SiteCommand::Sum(args) => exchange::sum(args, global, printer),
        SiteCommand::Merge(args) => exchange::merge(args, global, printer),
        SiteCommand::Share(args) => exchange::share(args, global, printer),
        SiteCommand::Verify(args) => exchange::verify(args, global, printer),
        SiteCommand::Unshare(args) => exchange::unshare(args, global, printer),
    }
}

/// What these commands answer.
pub fn answers(all: &mut Answers) {
    for answer in ["site sum", "site share"] {
        all.add::<exchange::RoundAnswered>(answer);
    }
    all.add::<exchange::SharesVerified>("site verify");
    for close in ["site merge", "site unshare"] {
        all.add::<exchange::RoundClosed>(close);
        all.add::<exchange::SitesReleased>(close);
    }
    all.add::<plan::SiteKeys>("site keys");
    all.add::<plan::SitePlanWritten>("site plan");
}
