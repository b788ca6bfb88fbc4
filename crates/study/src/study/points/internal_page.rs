//! `internal/report.html` and `internal/utility.csv`: for the data holder, beside the mean without noise.

use super::Exploration;
use crate::report::chart::{Axis, Line, line_chart};
use crate::report::figure::Figure;
use crate::report::page::Page;
use std::fmt::Write as _;

/// What stands on every such page about its draws.
const MADE_UP: &str = "These draws are made on made-up records, scattered through the public ball: this figure uses none of your data, so you may \
choose a budget or mechanism by it. The error of a release depends on little more of the records than their number.";

/// A page marked as not for publication.
pub(in crate::study) fn private_page(title: &str) -> Page {
    Page::new(title).band("internal, do not publish")
}

/// How far the released mean lies from the mean without noise.
pub(in crate::study) fn distance_line(page: &mut Page, distance: Option<f64>) {
    if let Some(distance) = distance {
        page.paragraph(&format!("The released mean lies {distance:.3e} from the mean without noise."));
    }
}

/// Utility against ε, on made-up records.
pub(in crate::study) fn utility_section(page: &mut Page, exploration: &Exploration) {
    page.heading("How close private means come to the mean");
    page.paragraph(MADE_UP);
    let lines: Vec<Line> = exploration
        .curves
        .iter()
        .map(|curve| {
            let points = curve.points.iter().map(|p| (p.epsilon, p.distance[1])).collect();
            let band = curve.points.iter().map(|p| (p.epsilon, p.distance[0], p.distance[2])).collect();
            Line::new(curve.mechanism, points).with_dots().with_band(band)
        })
        .collect();
    if lines.is_empty() {
        return;
    }
    let (x, y) = (Axis::log("ε"), Axis::log("distance from the mean without noise"));
    let caption = format!(
        "Median and quartiles of draws for as many records in the same ball. Laplace and K-norm gradient: pure ε. Gaussians, and \
         Laplace at their μ: (ε, {:e}). Mechanisms that do not exist here, or take long to draw, are left out.",
        exploration.delta
    );
    page.figures(&[Figure::chart(line_chart("utility against ε", &x, &y, &lines), caption)]);
}

/// The numbers of the figure.
pub(in crate::study) fn utility_csv(exploration: &Exploration) -> String {
    let mut text =
        "mechanism,epsilon,delta,distance_lower_quartile,distance_median,distance_upper_quartile\n"
            .to_owned();
    for curve in &exploration.curves {
        let delta = if curve.pure { 0.0 } else { exploration.delta };
        for p in &curve.points {
            let [low, median, high] = p.distance;
            let name = curve.mechanism.replace(',', "");
            let _ = writeln!(text, "{name},{},{delta},{low},{median},{high}", p.epsilon);
        }
    }
    text
}
