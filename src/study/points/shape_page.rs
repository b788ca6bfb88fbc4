//! The pages of a shape study: one to publish, one for the data holder.

use super::Internal;
use super::internal_page::{distance_line, private_page, utility_section};
use super::shape::{ShapePages, ShapeReport};
use crate::manifold::Manifold;
use crate::privacy::Certificate;
use crate::report::figure::Figure;
use crate::report::guarantee::{certificate_section, guarantee_section, mechanism_rows, release_page};
use crate::report::outline::{Outline, outlines, small_multiples};
use nalgebra::{Complex, DVector};

type Preshape = DVector<Complex<f64>>;

/// The pages as the command makes them.
#[derive(Debug, Clone, Copy, Default)]
pub struct StandardPages;

impl ShapePages for StandardPages {
    fn release(&self, shapes: &ShapeReport<'_>, certificate: &Certificate, json: &str) -> Option<String> {
        let what = format!("mean shape of {} records", certificate.n);
        let mut page = release_page("Private mean shape", &what, certificate);
        let first = shapes.released.first()?;
        let found = certificate.details.contains_key("first_passes");
        let name = if found { "centre of the ball" } else { "public centre" };
        page.figures(&[Figure::chart(
            outlines(
                "private mean shape",
                &[shapes.draw(name, shapes.centre, 7).faint(), shapes.draw("private mean", first, 0)],
            ),
            "Centred, of unit size, rotated to the centre of the ball that bounds the records.",
        )]);
        if shapes.released.len() > 1 {
            page.heading("Independent draws");
            let drawings: Vec<(String, Vec<Outline>)> = shapes
                .released
                .iter()
                .take(12)
                .enumerate()
                .map(|(i, p)| (format!("draw {}", i + 1), vec![shapes.draw("", p, 0)]))
                .collect();
            page.figures(&figures(&drawings));
        }
        guarantee_section(&mut page, certificate);
        page.heading("How it was made");
        page.table(&["parameter", "value"], &mechanism_rows(certificate));
        certificate_section(&mut page, certificate, json);
        Some(page.to_html())
    }

    fn internal(&self, shapes: &ShapeReport<'_>, internal: &Internal<Preshape>) -> String {
        let mut page = private_page("Internal: mean shape");
        let mean = shapes.turned(&internal.mean);
        let mut drawn = vec![shapes.draw("mean without noise", &mean, 1)];
        drawn.extend(shapes.released.first().map(|p| shapes.draw("private mean, as released", p, 0)));
        page.figures(&[Figure::chart(
            outlines("private over non-private", &drawn),
            "The mean without noise is for the data holder only.",
        )]);
        distance_line(&mut page, shapes.released.first().map(|p| shapes.space.dist(&internal.mean, p)));
        if let Some(exploration) = &internal.exploration {
            utility_section(&mut page, exploration);
            if !exploration.draws.is_empty() {
                page.heading("More draws like the released one");
                page.paragraph(
                    "The same mechanism at the same budget, before smoothing, over the mean without noise. Not charged, not for \
                     publication.",
                );
                let drawings: Vec<(String, Vec<Outline>)> = exploration
                    .draws
                    .iter()
                    .enumerate()
                    .map(|(i, p)| {
                        let behind = shapes.draw("", &mean, 1).faint();
                        (format!("draw {}", i + 1), vec![behind, shapes.draw("", &shapes.turned(p), 0)])
                    })
                    .collect();
                page.figures(&figures(&drawings));
            }
        }
        page.to_html()
    }
}

fn figures(drawings: &[(String, Vec<Outline>)]) -> Vec<Figure> {
    small_multiples(drawings).into_iter().map(|svg| Figure::chart(svg, "")).collect()
}

impl ShapeReport<'_> {
    fn draw(&self, name: &str, p: &Preshape, k: usize) -> Outline {
        let points = self.space.configuration(p);
        let outline =
            if self.outline { Outline::closed(name, points, k) } else { Outline::open(name, points, k) };
        let landmarks = Outline { width: if self.outline { 0.7 } else { 0.15 }, ..outline };
        landmarks.with_dots()
    }

    /// Rotated to the centre; as it is where no rotation is best.
    fn turned(&self, p: &Preshape) -> Preshape {
        self.space.align(self.centre, p).unwrap_or_else(|_| p.clone())
    }
}
