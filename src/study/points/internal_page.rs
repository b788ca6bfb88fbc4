//! `internal/report.html` and `internal/utility.csv`: for the data holder, beside the mean without noise.

use super::Exploration;
use crate::report::chart::{Axis, Line, line_chart};
use crate::report::figure::Figure;
use crate::report::page::Page;
use std::fmt::Write as _;

/// What stands on every such page about draws nobody paid for.
const NOT_CHARGED: &str = "The draws on this page see the records and are not charged to the ledger, because they stay here with the \
mean without noise. They are not releases: do not publish them, and do not choose the budget, the mechanism or a draw by them.";

/// A page marked as not for publication.
pub(super) fn private_page(title: &str) -> Page {
    Page::new(title).band("internal, do not publish")
}

/// How far the released mean lies from the mean without noise.
pub(super) fn distance_line(page: &mut Page, distance: Option<f64>) {
    if let Some(distance) = distance {
        page.paragraph(&format!("The released mean lies {distance:.3e} from the mean without noise."));
    }
}

/// Utility against ε.
pub(super) fn utility_section<P>(page: &mut Page, exploration: &Exploration<P>) {
    page.heading("How near the mean private means come");
    page.paragraph(NOT_CHARGED);
    page.paragraph(&format!(
        "The sampling error of the mean without noise is itself about {:.1e}.",
        exploration.sampling_error
    ));
    let mut lines: Vec<Line> = exploration
        .curves
        .iter()
        .map(|curve| {
            let points = curve.points.iter().map(|p| (p.epsilon, p.distance[1])).collect();
            let band = curve.points.iter().map(|p| (p.epsilon, p.distance[0], p.distance[2])).collect();
            Line::new(curve.mechanism, points).with_dots().with_band(band)
        })
        .collect();
    let ends: Vec<f64> = exploration.curves.iter().flat_map(|c| &c.points).map(|p| p.epsilon).collect();
    let (low, high) = ends.iter().fold((f64::INFINITY, 0.0_f64), |(l, h), e| (l.min(*e), h.max(*e)));
    if low < high && exploration.sampling_error > 0.0 {
        let level = exploration.sampling_error;
        lines.push(Line::dashed("sampling error of the mean", vec![(low, level), (high, level)]));
    }
    if lines.is_empty() {
        return;
    }
    let (x, y) = (Axis::log("ε"), Axis::log("distance from the mean without noise"));
    let caption = format!(
        "Median and quartiles of fresh draws. Laplace and K-norm gradient: pure ε. Gaussians, and Laplace at their μ: (ε, {:e}). Dashed: sampling error of the \
         mean itself. Mechanisms that do not exist here, or take long to draw, are left out.",
        exploration.delta
    );
    page.figures(&[Figure::chart(line_chart("utility against ε", &x, &y, &lines), caption)]);
}

/// The numbers of the figure.
pub(super) fn utility_csv<P>(exploration: &Exploration<P>) -> String {
    let mut text =
        "mechanism,epsilon,delta,distance_lower_quartile,distance_median,distance_upper_quartile\n"
            .to_owned();
    for curve in &exploration.curves {
        let delta = if curve.mechanism.contains("pure") { 0.0 } else { exploration.delta };
        for p in &curve.points {
            let [low, median, high] = p.distance;
            let name = curve.mechanism.replace(',', "");
            let _ = writeln!(text, "{name},{},{delta},{low},{median},{high}", p.epsilon);
        }
    }
    text
}
