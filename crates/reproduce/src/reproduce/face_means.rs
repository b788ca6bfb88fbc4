//! Soto et al. 2024, Figures 4, 5, 6 and 8: mean faces by points and by curves, private and not.

use super::face_error::Sample;
use super::faces::{PAPER_MU, dense_mean, pointwise, released, without_noise};
use super::picture::{BLUE, Camera, RED};
use super::population::points;
use super::{AnyError, Context, Finding, Population, Verdict};
use crate::function::FaceCurves;
use crate::mechanism::functional::RangeScale;
use crate::mesh::{Point, TriMesh};
use crate::privacy::Mu;
use crate::report::render::{CLAY, Image, View, render};

const FRONT: View = View { yaw: 0.0, pitch: 0.0, size: 360 };
const SIDE: View = View { yaw: 40.0, pitch: 5.0, size: 360 };

/// A face turned upright, for pictures.
fn upright(faces: &Population, vertices: &[Point]) -> Result<TriMesh, AnyError> {
    let turn = faces.template.upright().inverse();
    Ok(faces.template.mesh().with_vertices(vertices.iter().map(|p| turn * p).collect())?)
}

/// Two angles of a face.
fn two_angles(mesh: &TriMesh) -> Image {
    Image::beside(&[render(mesh, FRONT, CLAY), render(mesh, SIDE, CLAY)])
}

/// Points over the points of the mean.
fn overlay(mean: &TriMesh, private: &[Point]) -> Image {
    let camera = Camera::new(mean, SIDE);
    let mut image = camera.paper();
    camera.dots(&mut image, mean.vertices(), 1.4, BLUE);
    camera.dots(&mut image, private, 2.2, RED);
    image
}

pub(super) fn run(context: &Context) -> Result<Finding, AnyError> {
    let faces = context.faces()?;
    let n = faces.records.len();
    let curves = |values: Vec<f64>| FaceCurves::new(faces.own.curves(), faces.own.samples(), values);
    let face = |values: &FaceCurves| -> Result<TriMesh, AnyError> {
        upright(&faces, faces.template.face_through(values)?.vertices())
    };
    let mu = Mu::new(PAPER_MU)?;
    let sample = Sample::of(&faces.own, &faces.records)?;
    let (paper, best) = (sample.mechanism("paper", mu)?, sample.mechanism("joint and shrinkage", mu)?);
    let smooth_mean = curves(without_noise(&paper, &faces.records)?)?;
    let published = curves(released(&paper, &faces.records, 1)?)?;
    let ours = curves(released(&best, &faces.records, 1)?)?;
    let mean = upright(&faces, &points(&dense_mean(&faces)))?;
    let by_points = |mu: f64| -> Result<TriMesh, AnyError> {
        let mechanism = pointwise(&faces, RangeScale::OfMean, Mu::new(mu)?)?;
        upright(&faces, &points(&released(&mechanism, &faces.dense, 1)?))
    };
    let (two, three) = (by_points(2.0)?, by_points(3.0)?);
    let mut finding = Finding::new(
        "gdp-faces, Figures 4, 5, 6, 8: mean faces, private faces",
        "Mean of 1000 faces by curves (φ = 0.01, 0.01, 0.005) and by points; a private face by points (μ = 2, 3) is rough and fuzzy, one by \
         curves (μ = 2.9661) smooth, its lips and eyes blurred; overlays of private points on the mean's.",
    );
    let (by_curves, private, free) = (face(&smooth_mean)?, face(&published)?, face(&ours)?);
    let beside = |a: &TriMesh, b: &TriMesh| Image::beside(&[two_angles(a), two_angles(b)]);
    finding.picture(
        "figure4_means.png",
        "Figure 4: the mean by curves; the mean by points",
        &beside(&by_curves, &mean),
    )?;
    finding.picture(
        "figure5_private_faces.png",
        "Figure 5: private by points, μ = 2; private by the paper's curves, μ = 2.9661",
        &beside(&two, &private),
    )?;
    finding.picture(
        "figure5_ours.png",
        "Beside Figure 5: the mean by points, not private; ours: the default mechanism with a public radius, μ = 2.9661, private",
        &beside(&mean, &free),
    )?;
    finding.picture(
        "figure8_by_points.png",
        "Figure 8: private by points, μ = 2 and μ = 3",
        &beside(&two, &three),
    )?;
    let turn = faces.template.upright().inverse();
    let of = |c: &FaceCurves| points(c.data()).iter().map(|p| turn * p).collect::<Vec<_>>();
    let panels =
        [overlay(&mean, three.vertices()), overlay(&mean, &of(&published)), overlay(&mean, &of(&ours))];
    finding.picture(
        "figure6_overlays.png",
        "Figure 6: blue the mean by points; red private: by points, μ = 3; by the paper's curves, μ = 2.9661; ours, μ = 2.9661",
        &Image::beside(&panels),
    )?;
    let moved = |a: &FaceCurves, b: &FaceCurves| a.mean_square_distance(b);
    finding.same = format!(
        "n = {n}: private curves lie {:.2e} (mean square) from the mean by curves; the face bears the noise's ripples.",
        moved(&published, &smooth_mean)
    );
    let truth = crate::study::face::mean::nonprivate_mean(&faces.own, &faces.records)?;
    finding.better = format!(
        "the default mechanism at the same μ: {:.2e} from the non-private mean; no difference from it can be seen. The template here is nearly the mean, which helps (see gdp-faces-error).",
        moved(&ours, &truth)
    );
    finding.verdict = Verdict::Partly;
    finding.why = "Noise by points makes a rough face, as the paper says. Noise by curves is smooth along every curve, but drawn anew for each \
                   of the 23 curves, so that the face through them ripples from curve to curve: on registered, unit-area faces it moves \
                   farther from the mean than points with the 1/n of a mean do. Clipping whole curves, not deviations from a public face, \
                   costs more than smoothing gains."
        .into();
    finding.then = "3 minutes (curves), 1 minute (points) for mean and noise".into();
    finding.data = faces.source.into();
    Ok(finding)
}
