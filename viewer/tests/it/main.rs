//! The viewer's integration tests, in one program.

mod frames;
mod instruments;
mod refusals;
#[cfg(target_os = "linux")]
mod window;
mod workbench;
