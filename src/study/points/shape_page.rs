//! The pages of a shape study: one to publish, one for the data holder.

use super::accuracy::{PointAccuracy, accuracy_section};
use super::internal::Internal;
use super::internal_page::{distance_line, private_page, utility_section};
use super::shape_form::{Preshape, ReleasedShapes, ShapeForm};
use crate::manifold::{Kendall, Manifold};
use crate::mechanism::manifold::ReleasedPoints;
use crate::privacy::{Certificate, Released};
use crate::report::figure::Figure;
use crate::report::guarantee::{self, certificate_section, guarantee_section, mechanism_rows};
use crate::report::outline::{Outline, outlines, small_multiples};

/// `release/report.html`.
pub(super) fn release_page(
    released: &ReleasedShapes<'_>,
    accuracy: Option<&PointAccuracy>,
    certificate: &Certificate,
) -> String {
    let what = format!("mean shape of {}", guarantee::counted(certificate));
    let mut page = guarantee::release_page("Private mean shape", &what, certificate);
    let found = certificate.details.contains_key("first_passes");
    let name = if found { "centre of the ball" } else { "public centre" };
    let mut drawn = vec![released.draw(name, released.centre, 7).faint()];
    drawn.extend(released.shapes.first().map(|first| released.draw("private mean", first, 0)));
    page.figures(&[Figure::chart(
        outlines("private mean shape", &drawn),
        "Centred, of unit size, rotated to the centre of the ball that bounds the records.",
    )]);
    if released.shapes.len() > 1 {
        page.heading("Independent draws");
        let first = released.shapes.iter().take(12).enumerate();
        let drawings: Vec<(String, Vec<Outline>)> =
            first.map(|(i, p)| (format!("draw {}", i + 1), vec![released.draw("", p, 0)])).collect();
        page.figures(&figures(&drawings));
    }
    guarantee_section(&mut page, certificate);
    accuracy_section(&mut page, accuracy);
    page.heading("How it was made");
    page.table(&["parameter", "value"], &mechanism_rows(certificate));
    certificate_section(&mut page, certificate);
    page.to_html()
}

/// `internal/report.html`.
pub(super) fn internal_page(
    form: &ShapeForm,
    internal: &Internal<Preshape>,
    released: Option<&Released<ReleasedPoints<Preshape>>>,
) -> String {
    let mut page = private_page("Internal: mean shape");
    let released = released.and_then(|released| form.shapes(released).ok());
    let first = released.as_ref().and_then(|r| r.shapes.first().map(|shape| (r, shape)));
    let mut drawn = Vec::new();
    match first {
        Some((released, shape)) => {
            // Rotated to the centre; as it is where no rotation is best.
            let mean =
                form.space.align(released.centre, &internal.mean).unwrap_or_else(|_| internal.mean.clone());
            drawn.push(released.draw("mean without noise", &mean, 1));
            drawn.push(released.draw("private mean, as released", shape, 0));
        }
        None => drawn.push(draw(&form.space, "mean without noise", &internal.mean, 1, false)),
    }
    page.figures(&[Figure::chart(
        outlines("private over non-private", &drawn),
        "The mean without noise is for the data holder only.",
    )]);
    distance_line(&mut page, first.map(|(_, shape)| form.space.dist(&internal.mean, shape)));
    if let Some(exploration) = &internal.exploration {
        utility_section(&mut page, exploration);
    }
    page.to_html()
}

fn figures(drawings: &[(String, Vec<Outline>)]) -> Vec<Figure> {
    small_multiples(drawings).into_iter().map(|svg| Figure::chart(svg, "")).collect()
}

impl ReleasedShapes<'_> {
    fn draw(&self, name: &str, p: &Preshape, k: usize) -> Outline {
        draw(&self.space, name, p, k, self.outline)
    }
}

fn draw(space: &Kendall, name: &str, p: &Preshape, k: usize, closed: bool) -> Outline {
    let points = space.configuration(p);
    let outline = if closed { Outline::closed(name, points, k) } else { Outline::open(name, points, k) };
    Outline { width: if closed { 0.7 } else { 0.15 }, ..outline }.with_dots()
}
