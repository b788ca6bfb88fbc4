//! Pictures, charts and the self-contained HTML report.

pub mod chart;
pub mod html;
pub mod render;
