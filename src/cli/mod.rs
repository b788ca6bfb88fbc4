//! The command line. One file per command; each parses its arguments, calls the library, prints.

mod budget;
mod demo;
mod face;
mod global;
mod ledger;
mod optimize;
mod output;
mod points;
mod privacy;
mod progress;
#[cfg(feature = "reproduce")]
mod reproduce;
mod verify;
mod view;

use clap::{Parser, Subcommand};
use global::{Global, of_kind};
use output::{Failure, Printer};
use std::process::ExitCode;

/// Differentially private shapes and surfaces.
#[derive(Debug, Parser)]
#[command(
    name = "visard",
    version,
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
    /// Face scans: private mean, flattening, dense correspondence
    #[command(subcommand)]
    Face(face::FaceCommand),
    /// Landmark shapes, in the plane and in space: private mean, modes of variation, regression, groups
    #[command(subcommand)]
    Shape(points::ShapeCommand),
    /// Positive definite matrices: covariance descriptors, private mean
    #[command(subcommand)]
    Spd(points::SpdCommand),
    /// Directions: private mean
    #[command(subcommand)]
    Sphere(points::SphereCommand),
    /// Points of hyperbolic space: private mean
    #[command(subcommand)]
    Hyperbolic(points::HyperbolicCommand),
    /// Private Riemannian optimization: Fréchet means, eigenvectors, subspaces
    #[command(subcommand)]
    Optimize(optimize::OptimizeCommand),
    /// Privacy budgets: convert, compose, calibrate, audit, explain
    #[command(subcommand)]
    Privacy(privacy::PrivacyCommand),
    /// The papers' tables and figures, ours beside them
    #[cfg(feature = "reproduce")]
    Reproduce(reproduce::ReproduceArgs),
    /// Open a study, a mesh or a scan in the interactive viewer
    View(view::ViewArgs),
}

/// Parses, runs, prints; the exit code is 0, 1 (failed) or 2 (usage).
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return refused(&error),
    };
    let printer = Printer::new(cli.global.json);
    match set_threads(&cli.global).and_then(|()| run(&cli, &printer)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.print(cli.global.json);
            failure.exit_code()
        }
    }
}

/// Arguments that were not understood, or a question for help.
fn refused(error: &clap::Error) -> ExitCode {
    let json = std::env::args_os().any(|argument| argument == "--json");
    if json && error.use_stderr() {
        let failure = Failure::usage(error.render().to_string().trim().trim_start_matches("error: "));
        failure.print(json);
        return failure.exit_code();
    }
    let _ = error.print();
    ExitCode::from(if error.use_stderr() { 2 } else { 0 })
}

fn run(cli: &Cli, printer: &Printer) -> Result<(), Failure> {
    match &cli.command {
        Command::Demo(args) => demo::run(args, &cli.global, printer),
        Command::Face(command) => face::run(command, &cli.global, printer),
        Command::Shape(command) => points::shape(command, &cli.global, printer),
        Command::Spd(command) => points::spd(command, &cli.global, printer),
        Command::Sphere(command) => points::sphere(command, &cli.global, printer),
        Command::Hyperbolic(command) => points::hyperbolic(command, &cli.global, printer),
        Command::Optimize(command) => optimize::run(command, &cli.global, printer),
        Command::Privacy(command) => privacy::run(command, &cli.global, printer),
        #[cfg(feature = "reproduce")]
        Command::Reproduce(args) => reproduce::run(args, &cli.global, printer),
        Command::View(args) => view::run(args, printer),
    }
}

fn set_threads(global: &Global) -> Result<(), Failure> {
    let mut pool = rayon::ThreadPoolBuilder::new();
    if let Some(n) = global.threads {
        pool = pool.num_threads(n.into());
    }
    pool.build_global().map_err(|e| Failure::failed(format!("cannot start the worker threads: {e}")))
}
