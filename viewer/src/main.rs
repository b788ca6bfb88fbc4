//! visard-viewer
fn main() {}
