//! The `visard` command: parse, call, print. All the work is done in the library.

fn main() -> std::process::ExitCode {
    visard::command::main()
}
