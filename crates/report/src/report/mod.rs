//! Pictures, charts and the self-contained HTML report.
//!
//! A report is a [`page::Page`] filled section by section: [`guarantee`] writes what every release's page says of privacy
//! from its certificate alone; [`chart`], [`outline`], [`render`] and [`surface_view`] make the figures.

pub mod animation;
pub mod axis;
pub mod canvas;
pub mod chart;
pub mod colour;
pub mod extract;
pub mod figure;
pub mod guarantee;
pub mod landmarks;
pub mod outline;
pub mod page;
pub mod render;
pub mod slider;
pub mod surface_view;
pub mod values;
pub mod visibility;
