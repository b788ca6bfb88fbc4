//! The `visard` command: parse, call, print. All the work is done in the library.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
