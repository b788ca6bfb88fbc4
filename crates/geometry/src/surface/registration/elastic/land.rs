//! From the displaced nodes to the template's vertices on the scan: foot points where there is scan, a smooth continuation
//! where there is none.

use super::fit::Fitted;
use super::folds::Sheet;
use super::prepared::Elastic;
use super::report::ElasticReport;
use super::target::Target;
use crate::mesh::{MeshError, Point, TriMesh, Vector};
use crate::surface::registration::method::Registered;

/// The template's vertices in scan coordinates.
pub fn land(
    prepared: &Elastic<'_>,
    target: &Target,
    fitted: &Fitted,
) -> Result<Registered<ElasticReport>, MeshError> {
    let template = prepared.shape();
    let nodes = prepared.mesh.vertices();
    let moved = template
        .vertices()
        .iter()
        .zip(&prepared.control.blends)
        .map(|(p, (corners, weights))| {
            let u: Vector =
                corners.iter().zip(weights).map(|(&i, w)| (fitted.nodes[i] - nodes[i]) * *w).sum();
            fitted.motion.apply(&(prepared.to_work(p) + u))
        })
        .collect();
    let moved = template.with_vertices(moved)?;
    let s = prepared.settings();
    let (feet, normals) = feet(&moved, target, s.reach.1, s.least_cosine);
    let smoother = prepared.smoother()?;
    let offsets = smoother.smoothed(&feet)?;
    let landed = feet.iter().map(Option::is_some).collect();
    let mut sheet = Sheet { template, moved: &moved, offsets, landed, normals };
    let min_jacobian = sheet.unfold(&smoother.neighbours);
    let positions =
        (0..template.vertices().len()).map(|i| target.frames.scan_of_work(&sheet.position(i))).collect();
    let report = ElasticReport { misfit: fitted.misfit.clone(), open_mouth: prepared.is_open() };
    Ok(Registered { positions, landed: sheet.landed, min_jacobian, report })
}

/// Offsets to the scan, `None` where it has ended; and the scan's normals there.
fn feet(moved: &TriMesh, target: &Target, reach: f64, least: f64) -> (Vec<Option<Vector>>, Vec<Vector>) {
    let own = moved.vertex_normals();
    let one = |(q, n): (&Point, &Vector)| {
        let foot = target.finder.closest(q);
        let (offset, normal) = (foot.point - q, target.normal_at(&foot));
        let lands = !target.at_border(&foot) && offset.norm() < reach && normal.dot(n) > least;
        (lands.then_some(offset), normal)
    };
    moved.vertices().iter().zip(&own).map(one).unzip()
}
