//! `visard site sum`, `share`, `verify`, `merge`, `unshare`: the rounds.

use crate::cli::answer::{Release, shown};
use crate::cli::budget::{CountingArgs, PlaceArgs};
use crate::cli::face::{self, difference_lines, note_failures, scans_help, template_source, with_progress};
use crate::cli::output::{Failure, Printer, where_to};
use crate::cli::tangent::{
    FieldFindings, GroupFindings, explained_text, field_text, groups_text, residual_text, test_line,
};
use crate::cli::{Global, heading};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;
use visard::mechanism::functional::Sharing;
use visard::sites::{
    AggregatorSettings, Closed, CombineSettings, Findings, KnownPlan, SiteSettings, SitesError, answer_round,
    merge_round, unshare_round, verify_round,
};
use visard::study::StudyFolder;
use visard::study::face::{Accuracy, Correspondence, FaceInputs, Yardstick};
use visard::study::points::PointAccuracy;

/// Whose people, and where.
#[derive(Debug, Args)]
struct SiteArgs {
    /// The public folder: the plan, and the results of rounds so far
    #[arg(value_name = "PUBLIC")]
    public: PathBuf,
    #[arg(value_name = "SCAN_OR_DIR", required_unless_present_any = ["prepared", "manifest"], help = scans_help())]
    scans: Vec<PathBuf>,
    /// Records registered elsewhere, instead of scans: unit-area faces in the template's frame, as an NPY array (n, J, m, 3) or a Parquet
    /// file of one column with a list of J·m·3 numbers in each row
    #[arg(long, help_heading = heading::RECORDS, value_name = "FILE", conflicts_with_all = ["scans", "manifest", "records"])]
    prepared: Option<PathBuf>,
    /// The table of this site's scans, in place of folders, as for `face mean`
    #[arg(long, help_heading = heading::RECORDS, value_name = "FILE.csv")]
    manifest: Option<PathBuf>,
    /// Records that `face prepare` made of the manifest's scans, with the plan's template, curves, samples and registration: no scan is opened
    #[arg(long, help_heading = heading::RECORDS, value_name = "DIR", requires = "manifest", conflicts_with = "scans")]
    records: Option<PathBuf>,
    /// Stop if a scan of the manifest has no record; otherwise it contributes zero
    #[arg(long, help_heading = heading::RECORDS, requires = "records")]
    complete: bool,
    /// This site's name in the plan
    #[arg(long, value_name = "NAME")]
    site: String,
    /// For a plan that compares groups: the group of each record, a table with the heading record,group (default: the manifest's column group)
    #[arg(long, help_heading = heading::RECORDS, value_name = "FILE.csv")]
    groups: Option<PathBuf>,
    /// For a plan with covariates: those of each record, a table with the heading record,NAME… (default: the manifest's columns)
    #[arg(long, help_heading = heading::COVARIATES, value_name = "FILE.csv", conflicts_with = "groups")]
    covariates: Option<PathBuf>,
    #[command(flatten)]
    place: PlaceArgs,
    #[command(flatten)]
    counting: CountingArgs,
    /// The plan's template face: a mesh file, or "builtin".
    /// Must be public: visard refuses what it wrote under internal/, but cannot recognize files converted from it
    #[arg(long, help_heading = heading::REGISTRATION, value_name = "FILE|builtin", default_value = "builtin")]
    template: String,
}

/// Arguments of `site sum`.
#[derive(Debug, Args)]
#[command(
    after_help = "A round is answered once: asked again, by any copy of the folder with the ledger at its place, a site hands on the same files or refuses. A ledger that is put back together with the folder, from an older copy, cannot \
                  be detected: keep it elsewhere (--ledger), or keep the check of its last line elsewhere.\n\nExamples:\n  visard site sum consortium scans/ --site berlin --out berlin\n  visard site sum consortium --records records --manifest all.csv --site berlin --out berlin"
)]
pub struct SumArgs {
    #[command(flatten)]
    site: SiteArgs,
    /// This site's secret key, if the plan names its public one: the sum is then signed
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
}

/// Arguments of `site share`.
#[derive(Debug, Args)]
#[command(
    after_help = "A round is answered once: asked again, by any copy of the folder with the ledger at its place, a site hands on the same files or refuses. A ledger that is put back together with the folder, from an older copy, cannot \
                  be detected: keep it elsewhere (--ledger), or keep the check of its last line elsewhere.\n\nExamples:\n  visard site share consortium scans/ --site berlin --key berlin.key --out berlin\n  visard site share consortium --records records --manifest all.csv --site berlin --key berlin.key --out berlin"
)]
pub struct ShareArgs {
    #[command(flatten)]
    site: SiteArgs,
    /// This site's secret key
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
}

/// Arguments of `site verify`.
#[derive(Debug, Args)]
#[command(
    after_help = "A round is added up once, for one set of sites: asked again, an aggregator hands on the same files or refuses. Its record of that is a ledger, beside its key unless --ledger names another place (KEY.ledger.jsonl), so that copies of the folder and new folders find it. A ledger that is put back from an older copy, or \
                  a key that is copied away from it, cannot be detected.\n\nExample:\n  visard site verify consortium --aggregator ministry --key ministry.key --inbox received/ --out ministry"
)]
pub struct VerifyArgs {
    /// The public folder
    #[arg(value_name = "PUBLIC")]
    public: PathBuf,
    /// This aggregator's name in the plan
    #[arg(long, value_name = "NAME")]
    aggregator: String,
    /// Its secret key
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// Messages, or folders of messages
    #[arg(long, value_name = "FILE_OR_DIR", required = true, num_args = 1..)]
    inbox: Vec<PathBuf>,
    /// Continue without this site in this round
    #[arg(long, value_name = "NAME")]
    without: Vec<String>,
    /// The plan's template face: a mesh file, or "builtin".
    /// Must be public: visard refuses what it wrote under internal/, but cannot recognize files converted from it
    #[arg(long, help_heading = heading::REGISTRATION, value_name = "FILE|builtin", default_value = "builtin")]
    template: String,
    #[command(flatten)]
    place: PlaceArgs,
}

/// Arguments of `site merge` and `site unshare`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  visard site merge consortium received/ --out study\n  visard site unshare consortium received/ --out study"
)]
pub struct CloseArgs {
    /// The public folder, into which the round's result is written
    #[arg(value_name = "PUBLIC")]
    public: PathBuf,
    /// Messages, or folders of messages
    #[arg(value_name = "FILE_OR_DIR", required = true)]
    inbox: Vec<PathBuf>,
    /// Continue without this site in this round (merge only)
    #[arg(long, value_name = "NAME")]
    without: Vec<String>,
    /// The plan's template face: a mesh file, or "builtin".
    /// Must be public: visard refuses what it wrote under internal/, but cannot recognize files converted from it
    #[arg(long, help_heading = heading::REGISTRATION, value_name = "FILE|builtin", default_value = "builtin")]
    template: String,
    /// Folder for the release, which the last round makes
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// Runs `site sum`.
pub fn sum(args: &SumArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let each = Sharing::Each;
    answer(
        &args.site,
        args.key.clone(),
        |noise| noise == each,
        "this plan has aggregators: use site share",
        global,
        printer,
    )
}

/// Runs `site share`.
pub fn share(args: &ShareArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let key = Some(args.key.clone());
    let wrong = "this plan has no aggregators: use site sum";
    answer(&args.site, key, |noise| noise != Sharing::Each, wrong, global, printer)
}

fn answer(
    args: &SiteArgs,
    key: Option<PathBuf>,
    fits: impl Fn(Sharing) -> bool,
    wrong: &str,
    global: &Global,
    printer: &Printer,
) -> Result<(), Failure> {
    let known = KnownPlan::read(&args.public).map_err(Failure::input)?;
    if !fits(known.plan.noise) {
        return Err(Failure::usage(wrong));
    }
    if known.plan.groups.is_none() && args.groups.is_some() {
        return Err(Failure::usage("this plan compares no groups: leave out --groups"));
    }
    if known.plan.regression.is_none() && args.covariates.is_some() {
        return Err(Failure::usage("this plan has no covariates: leave out --covariates"));
    }
    let table = args.groups.as_ref().or(args.covariates.as_ref()).or(args.manifest.as_ref()).cloned();
    let mut place = args.place.place(global)?;
    // Answering a round again gives the same files: there is nothing that going on could lose.
    place.resume = true;
    let records = FaceInputs {
        prepared: args.prepared.clone(),
        manifest: args.manifest.clone(),
        records: args.records.clone(),
        complete: args.complete,
        template: template_source(&args.template),
        counting: args.counting.counting(),
        ..FaceInputs::new(args.scans.clone(), place)
    };
    let settings = SiteSettings { public: args.public.clone(), name: args.site.clone(), key, table, records };
    let done = with_progress(printer, |show| answer_round(&settings, show)).map_err(failure)?;
    let (failed, scans) = done.failed;
    note_failures(printer, failed, scans, &settings.records.place.out.join("internal"));
    printer.remarks(&done.remarks);
    let files: Vec<String> = done.files.iter().map(|file| file.display().to_string()).collect();
    let before = if done.again { " (answered before: the same files again)" } else { "" };
    printer.result(
        RoundAnswered {
            round: done.round,
            rounds: done.rounds,
            asked: done.kind.to_string(),
            n: done.n,
            again: done.again,
            files: done.files.iter().map(|file| shown(file)).collect(),
        },
        format!(
            "round {} of {}: {} of {} people{before}\n  hand on: {}",
            done.round,
            done.rounds,
            done.kind,
            done.n,
            files.join("\n           ")
        ),
    );
    Ok(())
}

/// Runs `site verify`.
pub fn verify(args: &VerifyArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let mut place = args.place.place(global)?;
    place.resume = true;
    let settings = AggregatorSettings {
        public: args.public.clone(),
        name: args.aggregator.clone(),
        key: args.key.clone(),
        inbox: args.inbox.clone(),
        without: args.without.clone(),
        template: template_source(&args.template),
        place,
    };
    let done = verify_round(&settings).map_err(failure)?;
    let files: Vec<String> = done.files.iter().map(|file| file.display().to_string()).collect();
    let what =
        if done.finished { "checked and added up" } else { "begun; the other aggregator's answer is needed" };
    printer.result(
        SharesVerified {
            round: done.round,
            finished: done.finished,
            sites: done.sites.clone(),
            files: done.files.iter().map(|file| shown(file)).collect(),
        },
        format!("round {}: {what}\n  hand on: {}", done.round, files.join("\n           ")),
    );
    Ok(())
}

/// Runs `site merge`.
pub fn merge(args: &CloseArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let closed = merge_round(&settings(args, global)).map_err(failure)?;
    report(args, &closed, printer);
    Ok(())
}

/// Runs `site unshare`.
pub fn unshare(args: &CloseArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    if !args.without.is_empty() {
        return Err(Failure::usage(
            "--without is for site verify here: the aggregators say which sites are in their sums",
        ));
    }
    let closed = unshare_round(&settings(args, global)).map_err(failure)?;
    report(args, &closed, printer);
    Ok(())
}

fn settings(args: &CloseArgs, global: &Global) -> CombineSettings {
    CombineSettings {
        public: args.public.clone(),
        inbox: args.inbox.clone(),
        without: args.without.clone(),
        template: template_source(&args.template),
        place: crate::cli::budget::place_of(&args.out, global),
    }
}

fn failure(error: SitesError) -> Failure {
    match error {
        SitesError::Study(error) => face::failure(*error),
        error => Failure::input(&error),
    }
}

/// A site's answer to a round.
#[derive(Serialize, JsonSchema)]
pub struct RoundAnswered {
    round: usize,
    /// How many rounds there are.
    rounds: usize,
    /// What was asked for.
    asked: String,
    /// People of this site.
    n: u64,
    /// Whether it was answered before: the same files again.
    again: bool,
    /// What to hand on.
    files: Vec<String>,
}

/// What an aggregator checked.
#[derive(Serialize, JsonSchema)]
pub struct SharesVerified {
    round: usize,
    /// Whether the shares are added up; otherwise the other aggregator's answer is needed.
    finished: bool,
    /// The sites in the sum.
    sites: Vec<String>,
    /// What to hand on.
    files: Vec<String>,
}

/// A round that is closed.
#[derive(Serialize, JsonSchema)]
pub struct RoundClosed {
    round: usize,
    /// How many rounds there are.
    rounds: usize,
    /// What it was.
    closed: String,
    /// Whether it was the last.
    released: bool,
}

/// A release of many sites.
#[derive(Serialize, JsonSchema)]
pub struct SitesReleased {
    #[serde(flatten)]
    round: RoundClosed,
    /// What was released.
    statistic: String,
    #[serde(flatten)]
    release: Release<SiteFindings>,
}

/// What many sites found.
#[derive(Serialize, JsonSchema)]
pub enum SiteFindings {
    /// Of a mean.
    #[serde(rename = "accuracy")]
    Mean(Accuracy),
    /// Of the mean beside modes.
    #[serde(rename = "accuracy")]
    Modes(PointAccuracy),
    #[serde(rename = "comparison")]
    Comparison(GroupFindings),
    #[serde(rename = "regression")]
    Regression(FieldFindings),
}

fn report(args: &CloseArgs, closed: &Closed, printer: &Printer) {
    let Closed { round, rounds, kind, released } = closed;
    let Some((certificate, found)) = released else {
        printer.result(
            RoundClosed { round: *round, rounds: *rounds, closed: kind.to_string(), released: false },
            format!(
                "round {round} of {rounds} closed: {kind}\n  hand on: {}",
                args.public.join(format!("round-{round}.json")).display()
            ),
        );
        return;
    };
    let release = args.out.join(visard::study::layout::RELEASE);
    let mm = |rms: f64| Yardstick::OfTwentyCentimetres.millimetres() * rms;
    let average = format!("average of {} people", certificate.n);
    let error = |rms: f64, template: f64, registration: Option<Correspondence>| {
        format!(
            "  error, root mean square: {:.2} mm (the template alone: {:.2} mm)\n  {}\n",
            mm(rms),
            mm(template),
            registration.map_or_else(String::new, |part| part.sentence(mm(1.0)))
        )
    };
    let (findings, statistic, what, told) = match found {
        Findings::Mean(accuracy) => (
            SiteFindings::Mean(*accuracy),
            "mean",
            average,
            error(accuracy.rms, accuracy.template_rms, Some(accuracy.registration)),
        ),
        Findings::Modes(accuracy) => (
            SiteFindings::Modes(*accuracy),
            "modes",
            average,
            error(accuracy.rms, accuracy.template_rms, accuracy.registration),
        ),
        Findings::Groups(comparison) => (
            SiteFindings::Comparison(GroupFindings::of(comparison)),
            "groups",
            format!("comparison of {}", groups_text(comparison)),
            format!("{}{}", test_line(comparison), difference_lines(comparison)),
        ),
        Findings::Regression(fields) => {
            let lines = fields.fields.columns.iter();
            let lines = lines.map(|field| field_text(field, |size| format!("{:.2} mm", mm(size))));
            (
                SiteFindings::Regression(FieldFindings::of(fields)),
                "regress",
                format!("regression of {} people's faces", certificate.n),
                format!(
                    "  fields, root mean square on a face of 20 cm:{}\n  explained: {}{}\n",
                    lines.collect::<String>(),
                    explained_text(fields),
                    residual_text(fields)
                ),
            )
        }
    };
    let private = if certificate.private { "private " } else { "NOT PRIVATE: " };
    printer.result(
        SitesReleased {
            round: RoundClosed { round: *round, rounds: *rounds, closed: kind.to_string(), released: true },
            statistic: statistic.to_owned(),
            release: Release::of(&StudyFolder::at(&args.out), certificate, findings),
        },
        format!(
            "round {round} of {rounds} closed: {private}{what} at many sites, {}\n{told}  {} {}",
            certificate.loss,
            where_to(certificate.private),
            release.display()
        ),
    );
}
