//! `release/report.html` of a regression: sees noised values, the certificate and public settings only.

use super::super::accuracy::Accuracy;
use super::super::error::StudyError;
use super::super::release_report::portraits;
use crate::estimate::design::{Covariate, Design, Kind};
use crate::function::FaceCurves;
use crate::job::layout::{CURVES, FIELDS};
use crate::mechanism::functional::{Field, Fields};
use crate::mesh::{TriMesh, Vector};
use crate::privacy::{Certificate, counts_persons};
use crate::report::colour::{ColourScale, short};
use crate::report::figure::Figure;
use crate::report::guarantee::{certificate_section, guarantee_section, mechanism_rows, release_page};
use crate::report::render::{Colour, Extent, View, render_within};
use crate::report::slider::Slider;
use crate::report::surface_view::SurfaceView;
use crate::surface::{Template, TemplateError};

/// What the page shows: nothing of it is of a record.
pub(super) struct Page<'a> {
    pub(super) template: &'a Template,
    pub(super) design: &'a Design,
    /// The face at the reference values.
    pub(super) mean: &'a FaceCurves,
    /// The surface through it.
    pub(super) mesh: &'a TriMesh,
    pub(super) fields: &'a Fields,
    pub(super) accuracy: &'a Accuracy,
    /// What was noised, in words.
    pub(super) statistic: &'a str,
    /// Whether n and μ are enough for fields to be expected to show.
    pub(super) worthwhile: bool,
}

/// Millimetres of √area on a face of 20 cm, which is about 1 high when its area is 1.
const FACE_MM: f64 = 200.0;
/// Positions of a spline's slider at which its columns are given.
const STOPS: usize = 24;

/// The page.
pub(super) fn report(shown: &Page<'_>, certificate: &Certificate) -> Result<String, StudyError> {
    let faces = if counts_persons(certificate) { "persons' faces" } else { "faces" };
    let names: Vec<&str> = shown.design.covariates().iter().map(|c| c.name.as_str()).collect();
    let names = names.join(", ");
    let what = format!("regression of {} {faces} on {names}", certificate.n);
    let mut page = release_page(&format!("Faces by {names}"), &what, certificate);
    let moved = displacements(shown)?;
    page.figures(&[Figure::surface(
        &surface(shown, &moved),
        "Drag to turn, wheel or pinch to zoom; the sliders set the covariates, within the bounds that were fixed in advance; the buttons \
         show where each moves the face, outwards or inwards, when it goes from the middle of its bounds to the upper one.",
    )]);
    page.figures(&portraits(shown.mesh, "private mean at the reference values")?);
    page.heading("What the covariates do");
    if !shown.worthwhile {
        page.paragraph(
            "At this budget, this many people hardly show what a covariate does: most of what is seen below is the prior, which is zero. More \
             people, or a larger budget, would change that.",
        );
    }
    page.paragraph(&explained_sentence(shown));
    page.table(
        &["column", "size, mm", "error, mm", "error / error of zero", "sampling, mm"],
        &shown.fields.columns.iter().map(row).collect::<Vec<_>>(),
    );
    page.paragraph(
        "Millimetres are of a face of 20 cm, root mean square over all points. Size is how far the face is moved when the column grows by \
         one: from the middle of the bounds to the upper one, or from between the levels to the second. Error is how far the field may lie \
         from the one without noise; 1 in the next column is the error of a zero field. Sampling is how far that one may lie \
         from the population's, because these people are a sample. All of it is estimated from noised values. Fields are shrunk: what the \
         noise hides is left out, so they are too small rather than too large.",
    );
    for figures in heat_maps(shown, &moved)? {
        page.figures(&figures);
    }
    page.heading("The face at the reference values");
    page.paragraph(&format!(
        "Every covariate in the middle of its bounds, or between its levels: {}. It lies about {} mm from where it would lie without noise \
         (root mean square, on a face of 20 cm); {}. {CURVES} holds its curves, {FIELDS} the same curves and the displacement of every column; \
         visard face predict makes a face at other values of them.",
        shown.design.covariates().iter().map(reference).collect::<Vec<_>>().join(", "),
        short(FACE_MM * shown.accuracy.rms),
        shown.accuracy.registration.sentence(FACE_MM),
    ));
    guarantee_section(&mut page, certificate);
    page.heading("How it was made");
    page.table(&["parameter", "value"], &parameters(shown, certificate));
    certificate_section(&mut page, certificate);
    Ok(page.to_html())
}

/// The displacement of every vertex by every column.
fn displacements(shown: &Page<'_>) -> Result<Vec<Vec<Vector>>, StudyError> {
    let of = |field: &Field| {
        let curves = FaceCurves::new(shown.mean.curves(), shown.mean.samples(), field.samples.clone())?;
        Ok(shown.template.field_through(&curves))
    };
    shown.fields.columns.iter().map(of).collect()
}

/// How far outwards (or inwards) every vertex is moved, in millimetres.
fn outwards(shown: &Page<'_>, moved: &[Vector]) -> Vec<f64> {
    let normals = shown.mesh.vertex_normals();
    moved.iter().zip(normals).map(|(v, n)| FACE_MM * v.dot(&n)).collect()
}

fn scale(name: &str, values: &[f64]) -> ColourScale {
    ColourScale::signed(name, "mm outwards on a face of 20 cm", values)
}

fn surface(shown: &Page<'_>, moved: &[Vec<Vector>]) -> SurfaceView {
    let mut view = SurfaceView::new("face at the reference values", shown.mesh.clone());
    for (field, moved) in shown.fields.columns.iter().zip(moved) {
        let values = outwards(shown, moved);
        view = view.with_field(scale(&field.name, &values), &values);
    }
    let sliders = (0..shown.design.covariates().len()).map(|i| slider(shown.design, i, moved));
    view.with_sliders(sliders.collect())
}

/// A slider that sets one covariate.
fn slider(design: &Design, covariate: usize, moved: &[Vec<Vector>]) -> Slider {
    let about = &design.covariates()[covariate];
    // Fields have no intercept.
    let first = design.first_column(covariate) - 1;
    let columns = first..first + about.columns();
    let (values, labels) = match &about.kind {
        Kind::Linear { lower, upper } => (vec![*lower, *upper], Vec::new()),
        Kind::Spline { lower, upper, .. } => {
            let at = |i: usize| lower + (upper - lower) * i as f64 / STOPS as f64;
            ((0..=STOPS).map(at).collect(), Vec::new())
        }
        Kind::Levels { levels } => {
            (vec![-1.0, 0.0, 1.0], vec![levels[0].clone(), "between".into(), levels[1].clone()])
        }
    };
    let weights = values.iter().map(|value| {
        let mut at = vec![None; design.covariates().len()];
        at[covariate] = Some(*value);
        let row = design.from_reference(&at);
        columns.clone().map(|column| row[column + 1]).collect()
    });
    Slider {
        name: about.name.clone(),
        weights: weights.collect(),
        start: about.reference(),
        fields: columns.clone().filter_map(|column| moved.get(column).cloned()).collect(),
        values,
        labels,
    }
}

fn reference(covariate: &Covariate) -> String {
    match &covariate.kind {
        Kind::Levels { levels } => format!("{} between {} and {}", covariate.name, levels[0], levels[1]),
        _ => format!("{} = {}", covariate.name, short(covariate.reference())),
    }
}

fn explained_sentence(shown: &Page<'_>) -> String {
    match shown.fields.explained.share() {
        Some(share) => format!(
            "Together the covariates explain {:.0} % of how these faces differ (R², from noised values; of the smooth part of the faces \
             that was looked at).",
            100.0 * share
        ),
        None => {
            "How much of the faces' variance the covariates explain is unknown: the noise hides it.".into()
        }
    }
}

fn row(field: &Field) -> Vec<String> {
    let mm = |x: f64| short(FACE_MM * x);
    vec![
        field.name.clone(),
        mm(field.rms),
        mm(field.error),
        format!("{:.2}", field.relative_error()),
        field.sampling.map_or_else(|| "cannot be told".into(), mm),
    ]
}

/// Of every covariate the faces at both ends, and where the column moves the face.
fn heat_maps(shown: &Page<'_>, moved: &[Vec<Vector>]) -> Result<Vec<Vec<Figure>>, StudyError> {
    let design = shown.design;
    let extent = Extent::around(shown.mesh);
    let view = View { size: 320, ..View::THREE_QUARTER };
    let one = |i: usize| -> Result<Vec<Figure>, StudyError> {
        let covariate = &design.covariates()[i];
        let column = design.first_column(i) - 1;
        let values = outwards(shown, &moved[column]);
        let scale = scale(&covariate.name, &values);
        let colours: Vec<[f64; 3]> = values.iter().map(|v| scale.colour(*v)).collect();
        let ends = covariate.bounds().unwrap_or((-1.0, 1.0));
        let said = |value: f64, level: usize| match &covariate.kind {
            Kind::Levels { levels } => format!("{} {}", covariate.name, levels[level]),
            _ => format!("{} {}", covariate.name, short(value)),
        };
        let at = |value: f64, level: usize| -> Result<Figure, StudyError> {
            let mut at = vec![None; design.covariates().len()];
            at[i] = Some(value);
            let mesh = shown.mesh.with_vertices(moved_by(shown.mesh, moved, &design.from_reference(&at)));
            let mesh = mesh.map_err(TemplateError::from)?;
            let image = render_within(&mesh, view, crate::report::render::CLAY, &extent);
            Ok(Figure::image(&image, said(value, level))?)
        };
        let map = render_within(shown.mesh, view, Colour::PerVertex(&colours), &extent);
        let caption =
            format!("Where {} moves the face, from the middle of its bounds to the end.", covariate.name);
        Ok(vec![at(ends.0, 0)?, at(ends.1, 1)?, Figure::image_with_bar(&map, &scale, caption)?])
    };
    (0..design.covariates().len()).map(one).collect()
}

/// The vertices moved by every column's displacement, as often as `row` says (with the intercept's place, which moves nothing).
pub(super) fn moved_by(mesh: &TriMesh, moved: &[Vec<Vector>], row: &[f64]) -> Vec<crate::mesh::Point> {
    let mut vertices = mesh.vertices().to_vec();
    for (field, factor) in moved.iter().zip(row.iter().skip(1)) {
        vertices.iter_mut().zip(field).for_each(|(p, v)| *p += *factor * v);
    }
    vertices
}

fn parameters(shown: &Page<'_>, certificate: &Certificate) -> Vec<Vec<String>> {
    let row = |name: &str, value: String| vec![name.to_owned(), value];
    let mut rows = mechanism_rows(certificate);
    rows.push(row("coordinates", shown.statistic.to_owned()));
    rows.push(row("curves × samples", format!("{} × {}", shown.mean.curves(), shown.mean.samples())));
    for covariate in shown.design.covariates() {
        let known = match &covariate.kind {
            Kind::Linear { lower, upper } => format!("{lower} to {upper}"),
            Kind::Spline { lower, upper, columns } => {
                format!("{lower} to {upper}, natural cubic spline of {columns} columns")
            }
            Kind::Levels { levels } => format!("{} (-1) or {} (1)", levels[0], levels[1]),
        };
        rows.push(row(&format!("{}, known in advance", covariate.name), known));
    }
    let parts = certificate.composition.parts().iter();
    rows.extend(parts.map(|part| row(&part.mechanism, part.cost.to_string())));
    rows
}
