//! What `release/report.html` shows of a mean face: sees the noised mean and public settings only.

use super::accuracy::Accuracy;
use super::band;
use super::correspondence::Correspondence;
use super::error::StudyError;
use super::found::FoundFace;
use crate::function::FaceCurves;
use crate::job::layout::ERROR;
use crate::mesh::{Point, TriMesh};
use crate::report::chart::{Axis, Line};
use crate::report::colour::{ColourMap, ColourScale, short};
use crate::report::figure::Figure;
use crate::report::outline::{Ink, Outline, outlines};
use crate::report::page::Page;
use crate::report::render::{CLAY, Colour, Image, View, render};
use crate::report::surface_view::SurfaceView;
use rayon::prelude::*;

/// What the page begins with: the face to turn, and three pictures of it.
pub(super) fn opening(found: &FoundFace) -> Result<Vec<Vec<Figure>>, StudyError> {
    let turned = Figure::surface(
        &surface(found),
        "Drag to turn, wheel or pinch to zoom, Shift-drag to move; arrow keys, + and − do the same.",
    );
    Ok(vec![vec![turned], portraits(&found.mesh, "private mean")?])
}

/// How exact the face is, and its curves.
pub(super) fn section(found: &FoundFace, page: &mut Page) -> Result<(), StudyError> {
    page.heading("How exact it is");
    page.paragraph(&error_sentence(found));
    page.wide_figures(&[error_stills(found)?]);
    page.table(&["root-mean-square distance", "face of area 1", found.yardstick.face()], &distances(found));
    if found.accuracy.is_mostly_template() {
        page.paragraph(
            "Most of what is shown is the public template: the data could decide less than half of what distinguishes their mean from \
             it. More people, or a larger budget, would change that.",
        );
    }
    if let Some(band) = &found.band {
        band::section(page, band, found.yardstick);
    }
    page.heading("The curves");
    page.paragraph(
        "A face is represented by closed curves around the nose tip; curve 1 is nearest to it. Coordinates are of a face of \
         surface area one, centred: x to the subject's left, y up, z to the front; t runs along the curve from 0 to 1.",
    );
    page.figures(&curve_drawings(&found.curves));
    page.figures(&curve_charts(&found.curves));
    Ok(())
}

fn surface(found: &FoundFace) -> SurfaceView {
    let scale = ColourScale::magnitude("error, root mean square", "face of area 1", &found.errors);
    SurfaceView::new("private average face", found.mesh.clone())
        .with_curves(closed_curves(&found.curves))
        .with_field(scale, &found.errors)
}

/// The error in colours, with its legend: what print and browsers without 3D have in place of the surface's button.
fn error_stills(found: &FoundFace) -> Result<Figure, StudyError> {
    let mm: Vec<f64> = found.errors.iter().map(|e| found.yardstick.millimetres() * e).collect();
    let scale =
        ColourScale::magnitude("error, root mean square", format!("mm on {}", found.yardstick.face()), &mm);
    let colours: Vec<[f64; 3]> = mm.iter().map(|e| scale.colour(*e)).collect();
    let views = [View { yaw: -40.0, ..View::THREE_QUARTER }, View::FRONT, View::THREE_QUARTER];
    let draw = |view: View| render(&found.mesh, View { size: 300, ..view }, Colour::PerVertex(&colours));
    let drawn: Vec<Image> = views.into_par_iter().map(draw).collect();
    let image = Image::beside(&drawn);
    Ok(Figure::image_with_bar(&image, &scale, "how far each point may lie from the mean without noise")?)
}

/// The error statement in words that mean something.
fn error_sentence(found: &FoundFace) -> String {
    let largest = found.errors.iter().copied().fold(0.0, f64::max);
    let Accuracy { rms, expected_rms, data_share, .. } = found.accuracy;
    let mm = found.yardstick.millimetres();
    // With a released size, its error too.
    let cited = found.accuracy.rms_mm.unwrap_or(mm * rms);
    // The parts of registration lie across one another, and come from elsewhere than the noise: squares add up.
    let Correspondence { normal_rms, skin_rms, expression_rms } = found.accuracy.registration;
    let of_scans =
        cited.hypot(mm * normal_rms.hypot(skin_rms)).hypot(mm * expression_rms.unwrap_or_default());
    if let Some(expected) = expected_rms {
        return format!(
            "The figure to cite: at most {} mm, {} mm where the records are scans, with what registration adds. How far a point of the surface lies from where it would lie without noise is not known: {}. It is at most {} \
             (root mean square over the face, {} mm on {}) for people whose mean lies within the public radius of the template; {} mm for people \
             like those of public populations, which the values in {ERROR} assume.",
            short(cited),
            short(of_scans),
            found.accuracy.why_a_bound(),
            short(rms),
            short(mm * rms),
            found.yardstick.face(),
            short(mm * expected),
        );
    }
    format!(
        "The figure to cite: {} mm, {} mm where the records are scans, with what registration adds. A point of the surface lies {} from where it would lie without noise (root mean square over the face; {} \
         where it is largest), \
         in units in which the face has area 1 and is about 1 high: on {}, some {} mm and {} mm. This counts the noise that \
         was added for privacy and what was taken away to tame it. It is estimated from the noised values alone, so it tells nothing new \
         of the data; it leaves out that the people are a sample of others. Of the squared distance between the template and the mean \
         the data decided {:.0} %. The values are in {ERROR}, and the button “error, root mean square” shows them on the surface.",
        short(cited),
        short(of_scans),
        short(rms),
        short(largest),
        found.yardstick.face(),
        short(mm * rms),
        short(mm * largest),
        100.0 * data_share,
    )
}

fn distances(found: &FoundFace) -> Vec<Vec<String>> {
    let (accuracy, mm) = (&found.accuracy, found.yardstick.millimetres());
    let row =
        |what: &str, value: f64| vec![what.to_owned(), short(value), format!("{} mm", short(mm * value))];
    let mut rows = vec![
        row(
            if accuracy.expected_rms.is_some() {
                "this release from the mean without noise, at most"
            } else {
                "this release from the mean without noise"
            },
            accuracy.rms,
        ),
        row("the public template from it, published unread", accuracy.template_rms),
        row(
            "that mean from its population's, by how these people differ as far as can be estimated",
            accuracy.sampling_rms,
        ),
    ];
    let registration = &accuracy.registration;
    rows.push(row(
        "registration, where the records are scans: along the skin, on top of all this",
        registration.skin_rms,
    ));
    rows.push(row("and across it", registration.normal_rms));
    let expressions = "what expressions that were taken out of scans leave or take with them, at most about";
    rows.extend(registration.expression_rms.map(|rms| row(expressions, rms)));
    if let Some(mm) = accuracy.rms_mm {
        let what = "this release from the mean without noise, the error of its size included";
        rows.push(vec![what.to_owned(), String::new(), format!("{} mm", short(mm))]);
    }
    rows
}

/// Three still pictures.
pub(super) fn portraits(mesh: &TriMesh, what: &str) -> Result<Vec<Figure>, StudyError> {
    [(View::FRONT, "front"), (View::THREE_QUARTER, "three-quarter"), (View::PROFILE, "profile")]
        .into_par_iter()
        .map(|(view, name)| Ok(Figure::image(&render(mesh, view, CLAY), format!("{what}, {name}"))?))
        .collect()
}

fn closed_curves(curves: &FaceCurves) -> Vec<Vec<Point>> {
    curves
        .data()
        .chunks(3 * curves.samples())
        .map(|curve| curve.chunks_exact(3).map(|c| Point::new(c[0], c[1], c[2])).collect())
        .collect()
}

/// All curves seen from the front and from the subject's left, dark near the nose.
pub(super) fn curve_drawings(curves: &FaceCurves) -> Vec<Figure> {
    let jn = curves.curves();
    let drawing = |title: &str, project: &dyn Fn(&Point) -> [f64; 2]| {
        let shapes: Vec<Outline> = closed_curves(curves)
            .iter()
            .enumerate()
            .map(|(j, curve)| Outline {
                ink: Ink::Plain(ColourMap::Sequential.css(0.85 * j as f64 / jn.max(2) as f64)),
                width: 0.45,
                ..Outline::closed("", curve.iter().map(project).collect(), 0)
            })
            .collect();
        outlines(title, &shapes)
    };
    vec![
        Figure::chart(
            drawing("From the front", &|p| [p.x, p.y]),
            format!("The {jn} curves, dark near the nose tip."),
        ),
        Figure::chart(drawing("From the side", &|p| [p.z, p.y]), "The same in profile, facing right."),
    ]
}

fn curve_charts(curves: &FaceCurves) -> Vec<Figure> {
    let (jn, m) = (curves.curves(), curves.samples());
    let shown = [0, jn / 4, jn / 2, 3 * jn / 4, jn - 1];
    ["x", "y", "z"]
        .iter()
        .enumerate()
        .map(|(k, axis)| {
            let lines: Vec<Line> = shown
                .iter()
                .map(|&j| {
                    let mut values = curves.coordinate(j, k);
                    values.push(values[0]);
                    let points =
                        values.into_iter().enumerate().map(|(l, v)| (l as f64 / m as f64, v)).collect();
                    Line::new(format!("curve {}", j + 1), points)
                })
                .collect();
            let caption = format!("{axis} along five of the {jn} curves");
            Figure::lines(axis, &Axis::linear("t"), &Axis::linear(*axis), &lines, caption)
        })
        .collect()
}
