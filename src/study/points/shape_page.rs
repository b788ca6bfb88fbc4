//! The pages of a shape study: one to publish, one for the data holder.

use super::shape::ShapeReport;
use crate::report::figure::Figure;
use crate::report::guarantee::{certificate_section, guarantee_section, mechanism_rows, release_page};
use crate::report::outline::{Outline, outlines, small_multiples};
use crate::report::page::Page;

/// `release/report.html` where there is a certificate (it sees the release, the public centre and the certificate only),
/// `internal/report.html` where there is the non-private mean.
pub fn shape_page(report: &ShapeReport<'_>) -> Option<String> {
    let points = |p| report.space.configuration(p);
    let draw = |name: &str, p, k| {
        let outline = if report.outline {
            Outline::closed(name, points(p), k)
        } else {
            Outline::open(name, points(p), k)
        };
        let landmarks = Outline { width: if report.outline { 0.7 } else { 0.15 }, ..outline };
        landmarks.with_dots()
    };
    match (report.certificate, report.nonprivate) {
        (Some((certificate, json)), _) => {
            let what = format!("mean shape of {} records", certificate.n);
            let mut page = release_page("Private mean shape", &what, certificate);
            let first = report.released.first()?;
            page.figures(&[Figure::chart(
                outlines(
                    "private mean shape",
                    &[draw("public centre", report.centre, 7).faint(), draw("private mean", first, 0)],
                ),
                "Centred, of unit size, rotated to the public centre.",
            )]);
            if report.released.len() > 1 {
                page.heading("Independent draws");
                let drawings: Vec<(String, Vec<Outline>)> = report
                    .released
                    .iter()
                    .take(12)
                    .enumerate()
                    .map(|(i, p)| (format!("draw {}", i + 1), vec![draw("", p, 0)]))
                    .collect();
                let figures: Vec<Figure> =
                    small_multiples(&drawings).into_iter().map(|svg| Figure::chart(svg, "")).collect();
                page.figures(&figures);
            }
            guarantee_section(&mut page, certificate);
            page.heading("How it was made");
            page.table(&["parameter", "value"], &mechanism_rows(certificate));
            certificate_section(&mut page, certificate, json);
            Some(page.to_html())
        }
        (None, Some(mean)) => {
            let mut page = Page::new("Internal: mean shape").band("internal, do not publish");
            let mut drawn = vec![draw("mean without noise", mean, 1)];
            drawn.extend(report.released.first().map(|p| draw("private mean", p, 0)));
            page.figures(&[Figure::chart(
                outlines("private over non-private", &drawn),
                "The mean without noise is for the data holder only.",
            )]);
            Some(page.to_html())
        }
        (None, None) => None,
    }
}
