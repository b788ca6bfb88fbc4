//! Pictures, charts and the self-contained HTML report.

pub mod render;
