//! What release pages of shapes have in common.

use super::subject::Subject;
use crate::mechanism::landmarks::{OfShapes, Tangent};
use crate::privacy::Certificate;
use crate::report::figure::Figure;
use crate::report::guarantee::{self, certificate_section, guarantee_section, mechanism_rows};
use crate::report::landmarks::{Drawing, Figures};
use crate::report::page::Page;
use nalgebra::DMatrix;

/// A page with the mean: over a public centre with the deformation from that, or, where the centre is private and so mostly noise without a
/// pose of its own, by itself. What else there is comes between [`begin`] and [`end`].
pub(super) fn begin<M: OfShapes>(
    title: &str,
    what: &str,
    subject: &Subject<M>,
    (tangent, mean): (&Tangent, &DMatrix<f64>),
    certificate: &Certificate,
) -> Page {
    let what = format!("{what} of {}", guarantee::counted(certificate));
    let mut page = guarantee::release_page(title, &what, certificate);
    if !subject.has_public_centre() {
        let drawing = alone(subject, mean).named("private mean", "").upright();
        page.figures(&charts(
            Figures::mean(&drawing),
            "Centred, of unit size, laid along its longest extent.",
        ));
        return page;
    }
    let drawing = over(subject, ("private mean", mean), ("public centre", tangent.centre()));
    page.figures(&charts(
        Figures::mean(&drawing),
        "Centred, of unit size, in the pose of the public centre.",
    ));
    page.figures(&deformation(&drawing, "From the public centre to the private mean"));
    page
}

/// One shape over another of the same pose.
pub(super) fn over<M>(
    subject: &Subject<M>,
    (name, shape): (&str, &DMatrix<f64>),
    (other, below): (&str, &DMatrix<f64>),
) -> Drawing {
    alone(subject, shape).over(below).named(name, other)
}

fn alone<M>(subject: &Subject<M>, shape: &DMatrix<f64>) -> Drawing {
    let drawing = Drawing::new(shape).linked(&subject.links);
    if subject.outline { drawing.outlined() } else { drawing }
}

/// One shape over another, and the thin-plate spline between them.
pub(super) fn both(drawing: &Drawing, caption: &str) -> Vec<Figure> {
    let mut figures = charts(Figures::mean(drawing), caption);
    figures.extend(deformation(drawing, caption));
    figures
}

fn deformation(drawing: &Drawing, caption: &str) -> Vec<Figure> {
    let Some((grids, factor)) = Figures::deformation(drawing) else { return Vec::new() };
    let enlarged = if factor > 1.0 { format!(", {factor} times enlarged") } else { String::new() };
    charts(grids, &format!("{caption}: thin-plate spline{enlarged}. Noise is part of what is seen."))
}

/// A mean less and plus a displacement.
pub(super) fn to_both_sides<M>(
    subject: &Subject<M>,
    mean: &DMatrix<f64>,
    displacement: &DMatrix<f64>,
    ends: [&str; 2],
    caption: &str,
) -> Vec<Figure> {
    charts(Figures::mode(&alone(subject, mean), displacement, ends), caption)
}

fn charts(pictures: Vec<String>, caption: &str) -> Vec<Figure> {
    pictures.into_iter().map(|svg| Figure::chart(svg, caption)).collect()
}

/// Guarantee, mechanism, certificate.
pub(super) fn end(mut page: Page, certificate: &Certificate) -> String {
    guarantee_section(&mut page, certificate);
    page.heading("How it was made");
    page.table(&["parameter", "value"], &mechanism_rows(certificate));
    certificate_section(&mut page, certificate);
    page.to_html()
}
