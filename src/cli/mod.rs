//! The command line. One file per command; each parses its arguments, calls the library, prints.

mod about;
mod answer;
mod assessed;
mod budget;
mod check;
mod compare;
mod demo;
mod dossier;
mod export;
mod extract;
mod face;
#[cfg(feature = "figures")]
mod figures;
mod files;
mod function;
mod global;
mod interrupt;
mod ledger;
mod optimize;
mod output;
mod parts;
mod plan;
mod points;
mod privacy;
mod progress;
#[cfg(feature = "reproduce")]
mod reproduce;
mod schema;
mod shell;
mod site;
mod surface;
mod synth;
mod tangent;
mod verify;
mod view;

pub use output::{Answer, Progress, Refusal};

use clap::error::{ContextKind, ErrorKind};
use clap::{CommandFactory, Parser, Subcommand};
use files::{make_folder, refuse_existing};
use global::{Global, heading, of_kind};
use output::{Failure, Printer};
use rayon::{ThreadPoolBuildError, ThreadPoolBuilder};
use std::ffi::OsString;
use std::process::ExitCode;
use visard::study::Stop;

/// Differentially private shapes and surfaces.
#[derive(Debug, Parser)]
#[command(
    name = "visard",
    version,
    long_version = about::version(),
    about = "Differentially private shapes and surfaces: from a folder of face scans to an average face you may publish",
    after_help = "Examples:\n  visard demo\n  visard face mean scans/ --mu 1 --out study\n  visard privacy convert --mu 1 --delta 1e-6\n\nExit codes: 0 done, 1 failed, 2 wrong usage.",
    propagate_version = true
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    global: Global,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Make a synthetic population of raw face scans and run the whole job on it
    Demo(demo::DemoArgs),
    /// Read scans; show which count, what is wrong and what a study would cost; charges nothing
    Check(check::CheckArgs),
    /// Face scans: private mean, flattening, dense correspondence
    #[command(
        subcommand,
        after_help = "Examples:\n  visard face mean scans/ --mu 1 --out study\n  visard face plan --n 200 --mu 1"
    )]
    Face(face::FaceCommand),
    /// Surfaces of any kind, disks or closed, such as organs: private mean, modes of variation, regression, groups, correspondence
    #[command(
        subcommand,
        after_help = "Example:\n  visard surface mean livers/ --template atlas.ply --mu 1 --out study"
    )]
    Surface(surface::SurfaceCommand),
    /// Landmark shapes, in the plane and in space: private mean, modes of variation, regression, groups
    #[command(subcommand, after_help = "Example:\n  visard shape mean outlines.npy --mu 1 --out study")]
    Shape(points::ShapeCommand),
    /// Functions that you bring, sampled on a circle, an interval or a disk: private mean, modes of variation, regression, groups
    #[command(
        subcommand,
        after_help = "Example:\n  visard function mean curves.npy --domain interval --bound 2 --mu 1 --out study"
    )]
    Function(function::FunctionCommand),
    /// Positive definite matrices: covariance descriptors, private mean, modes of variation, regression, groups
    #[command(
        subcommand,
        after_help = "Example:\n  visard spd mean tensors.npy --radius 3 --epsilon 1 --delta 1e-6 --out study"
    )]
    Spd(points::SpdCommand),
    #[command(flatten)]
    Vectors(points::VectorsCommand),
    /// Private Riemannian optimization: Fréchet means, eigenvectors, subspaces
    #[command(
        subcommand,
        after_help = "Example:\n  visard optimize frechet-mean spd.npy --space affine-invariant --method rgd --clip-radius 2 --mu 1 --out mean"
    )]
    Optimize(optimize::OptimizeCommand),
    /// Privacy budgets: convert, compose, calibrate, audit, explain
    #[command(
        subcommand,
        after_help = "Examples:\n  visard privacy convert --mu 1 --delta 1e-6\n  visard privacy explain study/release/certificate.json"
    )]
    Privacy(privacy::PrivacyCommand),
    /// One mean face from many sites without pooling data: each site sends noised or secret-shared sums
    #[command(
        subcommand,
        after_help = "Examples:\n  visard site plan consortium --mu 1 --noise each --site berlin=200 --site lyon=180\n  visard site sum consortium scans/ --site berlin --out berlin"
    )]
    Site(site::SiteCommand),
    /// Add up one part of a file of very many prepared faces; charges nothing
    Sum(parts::SumArgs),
    /// Release what the sums of all parts are of: the bytes of one process
    Release(parts::ReleaseArgs),
    /// Made-up records whose truth is known: scans of organs
    #[command(subcommand, after_help = "Example:\n  visard synth surface femur --n 300 --out made")]
    Synth(synth::SynthCommand),
    /// Reproduce the papers' tables and figures, ours beside theirs
    #[cfg(feature = "reproduce")]
    Reproduce(reproduce::ReproduceArgs),
    /// Distance between two surfaces: meshes, releases or the template
    Compare(compare::CompareArgs),
    /// Write a surface for other programs: .vtp, .glb, .ply, .obj, .stl, .csv
    Export(export::ExportArgs),
    /// Write every picture of a release as SVG, PDF and PNG, with captions: for a paper
    #[cfg(feature = "figures")]
    Figures(figures::FiguresArgs),
    /// Open a study, a mesh or a scan in the interactive viewer
    View(view::ViewArgs),
    /// Print the JSON schema of what visard writes
    Schema(schema::SchemaArgs),
    /// Print a shell's completion script
    Completions(shell::CompletionsArgs),
    /// Print the manual, or write its pages
    Man(shell::ManArgs),
}

/// The command: parses the words of the process's line, runs, prints; the exit code is 0, 1 (failed) or 2 (usage).
pub fn main() -> ExitCode {
    main_of(&std::env::args_os().collect::<Vec<_>>()).into()
}

/// The same for other words, of which the first is the command's name: for a process of another language. Returns the exit code.
pub fn main_of(words: &[OsString]) -> u8 {
    let (arguments, cli) = match interrupt::parse::<Cli>(words) {
        Ok(parsed) => parsed,
        Err(error) => return refused(&error, words),
    };
    interrupt::explain(&arguments);
    let printer = Printer::new(cli.global.json);
    match set_threads(&cli.global).and_then(|()| run(&cli, &printer)) {
        Ok(()) => 0,
        Err(failure) => {
            failure.print(cli.global.json);
            failure.code()
        }
    }
}

/// Its commands and options, as they are parsed.
pub fn interface() -> clap::Command {
    Cli::command()
}

/// What the command answers to these words (without its name), in this process: nothing is printed. `stop` ends a study before its charge.
///
/// # Errors
/// What the command would say in place of a result.
///
/// # Example
/// ```
/// let words = ["privacy", "convert", "--mu", "1", "--delta", "1e-6"];
/// let answer = visard::command::answer(words, &|_, _, _| {}, &Default::default()).map_err(|refusal| refusal.message)?;
/// assert!(answer.value["epsilon"].as_f64() > Some(4.8));
/// # Ok::<(), String>(())
/// ```
pub fn answer(
    words: impl IntoIterator<Item = impl Into<OsString> + Clone>,
    progress: Progress<'_>,
    stop: &Stop,
) -> Result<Answer, Refusal> {
    let line = std::iter::once(OsString::from("visard")).chain(words.into_iter().map(Into::into));
    let mut cli = Cli::try_parse_from(line).map_err(|error| misread(&error))?;
    cli.global.stop = stop.clone();
    let printer = Printer::keeping(progress);
    let preview = match with_threads(&cli.global, || run(&cli, &printer)) {
        Ok(()) => None,
        Err(failure) => failure.refusal()?,
    };
    let mut answer = printer.answer();
    if let Some(preview) = preview {
        answer.value = preview;
    }
    Ok(answer)
}

/// Words that are not understood, without the usage of the command.
fn misread(error: &clap::Error) -> Refusal {
    let text = error.render().to_string();
    let text = text.trim_start_matches("error: ");
    let end = ["\n\n  tip: to pass", "\n\nUsage:", "\n\nFor more information"]
        .iter()
        .filter_map(|end| text.find(end))
        .min();
    let kind = match error.kind() {
        ErrorKind::UnknownArgument => "unknown-option",
        _ => "usage",
    };
    let lines = text[..end.unwrap_or(text.len())].lines().map(str::trim).filter(|line| !line.is_empty());
    Refusal { kind, message: lines.collect::<Vec<_>>().join(" "), hint: None }
}

/// Arguments that were not understood, or a question for help.
fn refused(error: &clap::Error, words: &[OsString]) -> u8 {
    let json = words.iter().any(|word| word == "--json");
    if json && error.use_stderr() {
        let failure = Failure::usage(error.render().to_string().trim().trim_start_matches("error: "));
        failure.print(json);
        return failure.code();
    }
    match better_tip(error) {
        Some(tip) => eprintln!("{tip}"),
        None => drop(error.print()),
    }
    if error.use_stderr() { 2 } else { 0 }
}

/// What is said in place of the nearest spelling, where that is something else than was meant.
fn better_tip(error: &clap::Error) -> Option<String> {
    let said = |kind| error.get(kind).map(ToString::to_string);
    let tip = match error.kind() {
        ErrorKind::UnknownArgument if said(ContextKind::InvalidArg)? == "--recursive" => {
            "a study counts what a list names: visard check FOLDER --recursive --save LIST.csv, look at it, then --manifest LIST.csv"
        }
        ErrorKind::InvalidSubcommand if said(ContextKind::InvalidSubcommand)? == "mean" => {
            "a mean of what? visard face mean, surface mean, shape mean, function mean, spd mean, sphere mean or hyperbolic mean"
        }
        _ => return None,
    };
    let text = error.render().to_string();
    let first = text.lines().next()?.to_owned();
    Some(format!("{first}\n\nhint: {tip}"))
}

fn run(cli: &Cli, printer: &Printer) -> Result<(), Failure> {
    match &cli.command {
        Command::Demo(args) => demo::run(args, &cli.global, printer),
        Command::Check(args) => check::run(args, &cli.global, printer),
        Command::Face(command) => face::run(command, &cli.global, printer),
        Command::Surface(command) => surface::run(command, &cli.global, printer),
        Command::Shape(command) => points::shape(command, &cli.global, printer),
        Command::Function(command) => function::run(command, &cli.global, printer),
        Command::Spd(command) => points::spd(command, &cli.global, printer),
        Command::Vectors(command) => points::vectors(command, &cli.global, printer),
        Command::Optimize(command) => optimize::run(command, &cli.global, printer),
        Command::Privacy(command) => privacy::run(command, &cli.global, printer),
        Command::Site(command) => site::run(command, &cli.global, printer),
        Command::Sum(args) => parts::sum(args, &cli.global, printer),
        Command::Release(args) => parts::release(args, &cli.global, printer),
        Command::Synth(command) => synth::run(command, &cli.global, printer),
        #[cfg(feature = "reproduce")]
        Command::Reproduce(args) => reproduce::run(args, &cli.global, printer),
        Command::Compare(args) => compare::run(args, &cli.global, printer),
        Command::Export(args) => export::run(args, &cli.global, printer),
        #[cfg(feature = "figures")]
        Command::Figures(args) => figures::run(args, &cli.global, printer),
        Command::View(args) => view::run(args, printer),
        Command::Schema(args) => schema::run(args, printer),
        Command::Completions(args) => shell::completions(args, Cli::command(), printer),
        Command::Man(args) => shell::man(args, Cli::command(), printer),
    }
}

fn set_threads(global: &Global) -> Result<(), Failure> {
    pool(global).build_global().map_err(no_threads)
}

/// In a process of somebody else's, where the pool that all share may be at work already.
fn with_threads<T: Send>(
    global: &Global,
    work: impl FnOnce() -> Result<T, Failure> + Send,
) -> Result<T, Failure> {
    match global.threads {
        None => work(),
        Some(_) => pool(global).build().map_err(no_threads)?.install(work),
    }
}

fn pool(global: &Global) -> ThreadPoolBuilder {
    // One thread is all there is.
    if cfg!(target_os = "wasi") {
        return ThreadPoolBuilder::new().num_threads(1).use_current_thread();
    }
    ThreadPoolBuilder::new().num_threads(global.threads.map_or(0, usize::from))
}

fn no_threads(error: ThreadPoolBuildError) -> Failure {
    Failure::failed(format!("cannot start the worker threads: {error}"))
}
