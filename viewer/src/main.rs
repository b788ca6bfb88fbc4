//! `visard-viewer`: looks at studies, releases, meshes and scans, in a window or without a display.

mod arguments;
mod headless;
mod scene;
mod source;
mod window;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = arguments::Arguments::parse();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(1)
        }
    }
}

fn run(arguments: &arguments::Arguments) -> Result<(), String> {
    let subject = source::load(&arguments.paths)?;
    match &arguments.screenshot {
        Some(file) => headless::screenshot(&subject, arguments.camera, arguments.size, file, arguments.force),
        None => window::open(subject),
    }
}
