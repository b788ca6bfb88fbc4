//! `release/report.html` of modes: sees noised values, the certificate and public settings only.

use super::super::error::StudyError;
use super::super::release_report::{curve_drawings, portraits};
use super::super::yardstick::FACE_MM;
use super::found::FoundModes;
use crate::estimate::INTERVALS;
use crate::job::layout::{MODES_NPY, VARIANCES};
use crate::job::modes_table::LEANS;
use crate::mesh::{TriMesh, Vector};
use crate::privacy::{Certificate, counts_persons};
use crate::report::colour::{ColourScale, short};
use crate::report::figure::Figure;
use crate::report::guarantee::{certificate_section, guarantee_section, mechanism_rows, release_page};
use crate::report::render::{CLAY, Colour, Extent, Image, View, render_within};
use crate::report::surface_view::{Slider, SurfaceView};
use rayon::prelude::*;

/// How far sliders and pictures go, in standard deviations.
const REACH: f64 = 3.0;
/// A face in a row of pictures.
const SMALL: View = View { size: 220, ..View::FRONT };
/// More modes than this have no still pictures: the page would grow beyond what is mailed.
const PICTURED: usize = 8;

/// More than this have no slider: some 80 kB each.
const SLIDERS: usize = 24;

/// What the page shows: nothing of it is of a record.
pub(super) struct ModesPage<'a> {
    pub(super) found: &'a FoundModes,
    /// The surface of the mean.
    pub(super) mesh: &'a TriMesh,
    /// One standard deviation of each mode, displacements of its vertices.
    pub(super) fields: &'a [Vec<Vector>],
    /// What was noised, in words.
    pub(super) statistic: &'a str,
    /// What share of single records' variance the coefficients are expected to have.
    pub(super) expected_share: f64,
    /// How many modes were asked for.
    pub(super) asked: usize,
}

/// The page.
pub(super) fn modes_report(shown: &ModesPage<'_>, certificate: &Certificate) -> Result<String, StudyError> {
    let faces = if counts_persons(certificate) { "persons' faces" } else { "faces" };
    let what = format!("mean and modes of variation of {} {faces}", certificate.n);
    let mut page = release_page("Private modes of variation", &what, certificate);
    page.paragraph(&lead(shown));
    page.figures(&[Figure::surface(
        &surface(shown),
        "The private mean and its modes: each slider goes from three standard deviations on one side to three on the other; several at once \
         add up. Drag to turn, wheel or pinch to zoom; arrow keys, + and − do the same. Buttons show where a mode moves the surface outwards \
         (red) and inwards (blue).",
    )]);
    page.heading("The modes");
    if shown.fields.is_empty() {
        page.paragraph(&nothing_seen(shown));
    } else {
        let header =
            ["mode", "standard deviation, 20 cm face", "variance", "95 % interval", "share of variance"];
        page.table(&header, &rows(shown));
        page.paragraph(&table_note(shown));
        page.wide_figures(&rows_of_faces(shown)?);
    }
    page.heading("The mean");
    page.figures(&portraits(shown.mesh, "private mean")?);
    page.paragraph(&mean_sentence(shown, certificate));
    guarantee_section(&mut page, certificate);
    page.heading("The mean's curves");
    page.figures(&curve_drawings(&shown.found.curves));
    page.heading("How it was made");
    page.table(&["parameter", "value"], &parameters(shown, certificate));
    certificate_section(&mut page, certificate);
    Ok(page.to_html())
}

/// What can be seen, in a sentence or two.
fn lead(shown: &ModesPage<'_>) -> String {
    let modes = &shown.found.modes;
    let share: f64 = modes.modes.iter().map(|mode| mode.share).sum();
    let mut text = format!(
        "{} of at most {} modes that were asked for; together {:.0} % of the variance examined. At this budget the data support {}: this many \
         directions stand out of the noise that was added for privacy, {} of them at 95 %.",
        modes.modes.len(),
        shown.asked,
        100.0 * share,
        modes.visible,
        modes.certain,
    );
    if modes.leans_on_prior {
        text.push_str(" Note: ");
        text.push_str(LEANS);
        text.push('.');
    }
    text
}

fn nothing_seen(shown: &ModesPage<'_>) -> String {
    format!(
        "None. No direction in which these people differ stands out of the noise that protects them, so none is shown. Only the mean below was \
         learnt. More people, or a larger budget, would change that. {MODES_NPY} is there, with no modes in it; {} were \
         asked for.",
        shown.asked
    )
}

fn rows(shown: &ModesPage<'_>) -> Vec<Vec<String>> {
    let modes = shown.found.modes.modes.iter().enumerate();
    modes
        .map(|(k, mode)| {
            vec![
                (k + 1).to_string(),
                format!("{} mm", short(FACE_MM * mode.variance.sqrt())),
                short(mode.variance),
                format!("{} to {}", short(mode.lower), short(mode.upper)),
                format!("{:.1} %", 100.0 * mode.share),
            ]
        })
        .collect()
}

fn table_note(shown: &ModesPage<'_>) -> String {
    format!(
        "A standard deviation is the root mean square over the face of what one standard deviation along the mode moves. Variances are of faces \
         of area 1. They were shortened by the clip and brought back under a normal model; directions need no such model. Of the interval's \
         ends: {INTERVALS}. The share is of \
         the variance in the coefficients that were looked at, which are expected to have {:.0} % of all. The sign of a mode is a convention. \
         Numbers are in {VARIANCES}, displacements of one standard deviation in {MODES_NPY}.",
        100.0 * shown.expected_share
    )
}

fn mean_sentence(shown: &ModesPage<'_>, certificate: &Certificate) -> String {
    let accuracy = &shown.found.accuracy;
    let (whence, fine) = if certificate.details.contains_key("bought") {
        ("The mean and the modes were asked for together: each has half of the squared budget.", "")
    } else {
        (
            "The mean came with the second moment, for the same budget.",
            ", details finer than the coefficients that were looked at included: those are the template's",
        )
    };
    format!(
        "{whence} It lies some {} mm from the mean without noise on a face of 20 cm (root mean square; the template published unread: {} mm){fine}; {}.",
        short(FACE_MM * accuracy.rms),
        short(FACE_MM * accuracy.template_rms),
        accuracy.registration.sentence(FACE_MM)
    )
}

/// The mean with a slider for every mode, and colours for where it moves.
fn surface(shown: &ModesPage<'_>) -> SurfaceView {
    let mut view = SurfaceView::new("private mean face and its modes", shown.mesh.clone());
    let mut sliders = Vec::new();
    for (k, field) in shown.fields.iter().take(SLIDERS).enumerate() {
        let along = along_normals(shown.mesh, field);
        let name = format!("mode {}", k + 1);
        view = view.with_field(
            ColourScale::signed(name.clone(), "outwards, mm a standard deviation", &along),
            &along,
        );
        let share = shown.found.modes.modes.get(k).map_or(0.0, |mode| 100.0 * mode.share);
        sliders.push(Slider::along(format!("{name} ({share:.0} %)"), field.clone(), REACH));
    }
    view.with_sliders(sliders)
}

/// Millimetres outwards on a face of 20 cm.
fn along_normals(mesh: &TriMesh, field: &[Vector]) -> Vec<f64> {
    mesh.vertex_normals().iter().zip(field).map(|(n, d)| FACE_MM * n.dot(d)).collect()
}

/// For every mode a row of faces from −3 to +3, the last one coloured by where it moves.
fn rows_of_faces(shown: &ModesPage<'_>) -> Result<Vec<Figure>, StudyError> {
    let pictures: Vec<(Image, ColourScale)> = shown
        .fields
        .par_iter()
        .take(PICTURED)
        .map(|field| (row_of_faces(shown.mesh, field), scale_of(shown.mesh, field)))
        .collect();
    let figure = |(k, (image, scale)): (usize, &(Image, ColourScale))| {
        let caption = format!(
            "Mode {}: −3, −1.5, +1.5 and +3 standard deviations from the mean; right: where it moves the surface outwards and inwards.",
            k + 1
        );
        Ok(Figure::image_with_bar(image, scale, caption)?)
    };
    pictures.iter().enumerate().map(figure).collect()
}

fn scale_of(mesh: &TriMesh, field: &[Vector]) -> ColourScale {
    ColourScale::signed("outwards", "mm a standard deviation, face of 20 cm", &along_normals(mesh, field))
}

/// Faces at −3, −1.5, 1.5 and 3 standard deviations of a mode, and the mean coloured by it.
pub(super) fn row_of_faces(mesh: &TriMesh, field: &[Vector]) -> Image {
    let extent = Extent::around(mesh);
    let at = |w: f64| {
        let vertices = mesh.vertices().iter().zip(field).map(|(p, d)| p + d * w).collect();
        // Displaced vertices are as many as the mesh has.
        mesh.with_vertices(vertices).unwrap_or_else(|_| mesh.clone())
    };
    let mut images: Vec<Image> = [-REACH, -0.5 * REACH, 0.5 * REACH, REACH]
        .par_iter()
        .map(|w| render_within(&at(*w), SMALL, CLAY, &extent))
        .collect();
    let scale = scale_of(mesh, field);
    let colours: Vec<[f64; 3]> = along_normals(mesh, field).iter().map(|v| scale.colour(*v)).collect();
    images.push(render_within(mesh, SMALL, Colour::PerVertex(&colours), &extent));
    Image::beside(&images)
}

fn parameters(shown: &ModesPage<'_>, certificate: &Certificate) -> Vec<Vec<String>> {
    let row = |name: &str, value: String| vec![name.to_owned(), value];
    let curves = &shown.found.curves;
    let mut rows = mechanism_rows(certificate);
    rows.push(row("coordinates", shown.statistic.to_owned()));
    rows.push(row("curves × samples", format!("{} × {}", curves.curves(), curves.samples())));
    let parts = certificate.composition.parts().iter();
    rows.extend(parts.map(|part| row(&part.mechanism, part.cost.to_string())));
    rows
}
