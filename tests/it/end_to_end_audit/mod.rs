//! The command itself on neighbouring inputs: whatever it publishes beside noised values is the same, and leaks planted in it are found.

mod folders;
mod planted;
mod refusals;
mod studies;
