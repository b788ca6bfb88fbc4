//! `visard-viewer`: looks at studies, releases, meshes and scans, in a window or without a display.

use clap::Parser;
use std::process::ExitCode;
use visard_viewer::{arguments::Arguments, headless, window};

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = if arguments.screenshot.is_some() || arguments.turntable.is_some() {
        headless::run(&arguments)
    } else {
        window::open(&arguments)
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(1)
        }
    }
}
