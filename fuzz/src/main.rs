//! `cargo run -p fuzz --profile fuzz -- --minutes 10`

use clap::Parser;
use fuzz::counting::Counting;
use fuzz::harness::{Harness, Tally, Verdict, be_quiet, watch_for_hangs};
use fuzz::targets::targets;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Broken input for every reader and for whole commands; what fails is kept and tried first the next time
#[derive(Parser)]
struct Arguments {
    /// Minutes for all targets together
    #[arg(long, default_value_t = 5.0)]
    minutes: f64,
    /// Inputs for each target, instead of minutes
    #[arg(long)]
    inputs: Option<u64>,
    /// Only targets whose names contain this
    #[arg(long)]
    target: Option<String>,
    /// Another sequence of inputs
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where inputs that failed are kept
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/corpus"))]
    corpus: PathBuf,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    be_quiet();
    watch_for_hangs(arguments.corpus.join("hung"));
    // All work on one thread, whose memory is counted.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).stack_size(16 << 20).build();
    let (Ok(pool), Ok(harness)) = (pool, Harness::new(Some(arguments.corpus.clone()))) else {
        eprintln!("error: no thread or no temporary folder to work in");
        return ExitCode::FAILURE;
    };
    let chosen: Vec<_> = targets()
        .into_iter()
        .filter(|target| arguments.target.as_ref().is_none_or(|part| target.name.contains(part.as_str())))
        .collect();
    let each = Duration::from_secs_f64(60.0 * arguments.minutes.max(0.0) / chosen.len().max(1) as f64);
    println!(
        "| target | tried | panics | over the memory promised | over the time allowed | most memory, MB | longest, s |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    let mut failed = false;
    for target in &chosen {
        let start = Instant::now();
        let enough = |tally: &Tally| match arguments.inputs {
            Some(inputs) => tally.tried() >= inputs,
            None => start.elapsed() >= each,
        };
        let tally = pool.install(|| harness.fuzz(target, arguments.seed, enough));
        failed |= tally.of(Verdict::Fair) < tally.tried();
        println!(
            "| {} | {} | {} | {} | {} | {:.1} | {:.2} |",
            target.name,
            tally.tried(),
            tally.of(Verdict::Panicked),
            tally.of(Verdict::Large),
            tally.of(Verdict::Slow),
            tally.most_memory as f64 / 1e6,
            tally.longest.as_secs_f64()
        );
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
