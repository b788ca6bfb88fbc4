//! From the displaced nodes to the template's vertices on the scan: foot points where there is scan, a smooth continuation
//! where there is none.

use super::fit::Fitted;
use super::folds::Sheet;
use super::prepared::Elastic;
use super::report::ElasticReport;
use super::target::Target;
use crate::mesh::{MeshError, Point, TriMesh, Vector};
use crate::numeric::{SparseCholesky, SymmetricBuilder};
use crate::surface::registration::method::Registered;
use nalgebra::DMatrix;

/// Pull of offsets towards zero, relative to that of one neighbour: beyond the scan they fade over some ten edges.
const FADING: f64 = 0.01;

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
    let neighbours = neighbours(template);
    let offsets = smooth_offsets(&feet, &neighbours, s.stiffness)?;
    let landed = feet.iter().map(Option::is_some).collect();
    let mut sheet = Sheet { template, moved: &moved, offsets, landed, normals };
    let min_jacobian = sheet.unfold(&neighbours);
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

/// Minimizes Σ |v − offset|² over the vertices that landed + `stiffness` Σ |vᵢ − vⱼ|² over edges.
fn smooth_offsets(
    feet: &[Option<Vector>],
    neighbours: &[Vec<u32>],
    stiffness: f64,
) -> Result<Vec<Vector>, MeshError> {
    let n = feet.len();
    let mut builder = SymmetricBuilder::new(n);
    let mut right = DMatrix::zeros(n, 3);
    for (i, foot) in feet.iter().enumerate() {
        let mut diagonal = stiffness * (neighbours[i].len() as f64 + FADING);
        if let Some(v) = foot {
            diagonal += 1.0;
            (0..3).for_each(|d| right[(i, d)] = v[d]);
        }
        builder.add(i, i, diagonal);
        let before = neighbours[i].iter().map(|&j| j as usize).filter(|&j| j < i);
        before.for_each(|j| builder.add(i, j, -stiffness));
    }
    SparseCholesky::new(&builder.build())
        .map_err(|_| MeshError::Degenerate("the registered positions cannot be smoothed".to_owned()))?
        .solve_in_place(&mut right);
    Ok((0..n).map(|i| Vector::new(right[(i, 0)], right[(i, 1)], right[(i, 2)])).collect())
}

/// The vertices that share an edge with each.
fn neighbours(mesh: &TriMesh) -> Vec<Vec<u32>> {
    let mut out = vec![Vec::with_capacity(8); mesh.vertices().len()];
    for t in mesh.triangles() {
        for (a, b) in [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])] {
            for (a, b) in [(a, b), (b, a)] {
                if !out[a].contains(&(b as u32)) {
                    out[a].push(b as u32);
                }
            }
        }
    }
    out
}
