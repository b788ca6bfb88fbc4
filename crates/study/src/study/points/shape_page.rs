//! The pages of a shape study: one to publish, one for the data holder.

use super::accuracy::{PointAccuracy, accuracy_section};
use super::internal::Internal;
use super::internal_page::{distance_line, private_page, utility_section};
use super::shape_form::{Preshape, ReleasedShapes, ShapeForm};
use crate::io::shapes::ShapeRecord;
use crate::landmark::Configuration;
use crate::manifold::{Kendall, Manifold};
use crate::mechanism::manifold::ReleasedPoints;
use crate::privacy::{Certificate, Released};
use crate::report::figure::Figure;
use crate::report::guarantee::{self, certificate_section, guarantee_section, mechanism_rows};
use crate::report::landmarks::{Drawing, Figures};
use crate::report::outline::{Outline, small_multiples};
use crate::report::page::Page;

/// `release/report.html`.
pub(super) fn release_page(
    released: &ReleasedShapes<'_>,
    accuracy: Option<&PointAccuracy>,
    certificate: &Certificate,
) -> String {
    let what = format!("mean shape of {}", guarantee::counted(certificate));
    let mut page = guarantee::release_page("Private mean shape", &what, certificate);
    let found = certificate.details.contains_key("first_passes");
    if let Some(first) = released.shapes.first() {
        page.figures(&result(released, first, found));
    }
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
) -> Page {
    let mut page = private_page("Internal: mean shape");
    let released = released.and_then(|released| form.shapes(released).ok());
    let first = released.as_ref().and_then(|r| r.shapes.first().map(|shape| (r, shape)));
    let drawing = match first {
        Some((released, shape)) => {
            // Rotated to the centre; as it is where no rotation is best.
            let mean =
                form.space.align(released.centre, &internal.mean).unwrap_or_else(|_| internal.mean.clone());
            let released = released.drawing(shape).over(&matrix(&form.space, &mean));
            released.named("private mean, as released", "mean without noise")
        }
        None => Drawing::new(&matrix(&form.space, &internal.mean))
            .named("mean without noise", "")
            .linked(&form.links),
    };
    let caption = "Private over non-private. The mean without noise is for the data holder only.";
    page.figures(&charts(Figures::mean(&drawing), caption));
    distance_line(&mut page, first.map(|(_, shape)| form.space.dist(&internal.mean, shape)));
    if let Some(exploration) = &internal.exploration {
        utility_section(&mut page, exploration);
    }
    page
}

fn figures(drawings: &[(String, Vec<Outline>)]) -> Vec<Figure> {
    small_multiples(drawings).into_iter().map(|svg| Figure::chart(svg, "")).collect()
}

/// The result: about a public centre the mean over it and the deformation from one to the other. A centre found privately is noise mostly
/// and has no pose of its own: then the mean by itself.
fn result(released: &ReleasedShapes<'_>, mean: &Preshape, found: bool) -> Vec<Figure> {
    if found {
        let drawing = released.alone(mean).named("private mean", "").upright();
        return charts(Figures::mean(&drawing), "Centred, of unit size, laid along its longest extent.");
    }
    let drawing = released.drawing(mean).named("private mean", "public centre");
    let mut figures =
        charts(Figures::mean(&drawing), "Centred, of unit size, in the pose of the public centre.");
    if let Some((grids, factor)) = Figures::deformation(&drawing) {
        let enlarged = if factor > 1.0 { format!(", {factor} times enlarged") } else { String::new() };
        let caption = format!(
            "From the public centre to the private mean: thin-plate spline{enlarged}. Noise is part of what is seen."
        );
        figures.extend(charts(grids, &caption));
    }
    figures
}

fn charts(pictures: Vec<String>, caption: &str) -> Vec<Figure> {
    pictures.into_iter().map(|svg| Figure::chart(svg, caption)).collect()
}

fn matrix(space: &Kendall, p: &Preshape) -> Configuration {
    ShapeRecord::planar(None, &space.configuration(p)).to_matrix()
}

impl ReleasedShapes<'_> {
    /// A released shape over the centre.
    fn drawing(&self, p: &Preshape) -> Drawing {
        self.alone(p).over(&matrix(&self.space, self.centre))
    }

    fn alone(&self, p: &Preshape) -> Drawing {
        let drawing = Drawing::new(&matrix(&self.space, p)).linked(self.links);
        drawing.outlined(usize::from(self.outline))
    }

    fn draw(&self, name: &str, p: &Preshape, k: usize) -> Outline {
        draw(&self.space, name, p, k, self.outline)
    }
}

fn draw(space: &Kendall, name: &str, p: &Preshape, k: usize, closed: bool) -> Outline {
    let points = space.configuration(p);
    let outline = if closed { Outline::closed(name, points, k) } else { Outline::open(name, points, k) };
    // Lines join landmarks only where they are declared an outline.
    Outline { width: if closed { 0.35 } else { 0.0 }, ..outline }.with_dots()
}
