//! What release pages of shapes have in common.

use super::picture::{Drawing, figures};
use super::subject::Subject;
use crate::mechanism::landmarks::{OfShapes, Tangent};
use crate::privacy::Certificate;
use crate::report::guarantee::{self, certificate_section, guarantee_section, mechanism_rows};
use crate::report::page::Page;
use nalgebra::DMatrix;

/// A page with the mean over the centre; what else there is comes between [`begin`] and [`end`].
pub(super) fn begin<M: OfShapes>(
    title: &str,
    what: &str,
    subject: &Subject<M>,
    (tangent, mean): (&Tangent, &DMatrix<f64>),
    certificate: &Certificate,
) -> Page {
    let what = format!("{what} of {}", guarantee::counted(certificate));
    let mut page = guarantee::release_page(title, &what, certificate);
    let centre = if subject.has_public_centre() { "public centre" } else { "private centre" };
    let drawn = [
        Drawing { name: centre, shape: tangent.centre(), ink: 7 },
        Drawing { name: "private mean", shape: mean, ink: 0 },
    ];
    let caption = "The private mean over the centre: centred, of unit size, rotated to the centre";
    page.figures(&figures("private mean shape", &drawn, subject.outline, caption));
    page
}

/// Guarantee, mechanism, certificate.
pub(super) fn end(mut page: Page, certificate: &Certificate) -> String {
    guarantee_section(&mut page, certificate);
    page.heading("How it was made");
    page.table(&["parameter", "value"], &mechanism_rows(certificate));
    certificate_section(&mut page, certificate);
    page.to_html()
}
