//! The `visard` command.

fn main() {}
