//! Meshes of bare point clouds of a disk-like surface.
//!
//! No plane of projection suits a face: 13 % of its triangles turn away from any single viewing direction. So the
//! triangulation is found locally: every point computes its Delaunay star among its neighbours in its own
//! tangent plane, and triangles that their corners agree upon (97–99 % on clean scans) are laid down in
//! order of agreement as an oriented, edge-manifold sheet. What stays open is filled: bare holes by the
//! triangulation of least weight, holes with loose points by meshless parameterization (Floater and Reimers
//! 2001) and Delaunay in that plane. Edge flips finish: towards Delaunay, then, where sheets of a fold come close, away
//! from sharp cones.

mod gaps;
mod insert;
mod interior;

mod umbrella;

use super::bulge::bulge;
use super::neighbours::Neighbours;
use super::normals;
use super::refine::Refiner;
use super::sheet::Sheet;
use super::signs;
use super::topology::duplicate_places;
use super::{MeshError, Point, TriMesh, Vector};
use gaps::{Closed, Cloud, close_gaps};

/// Neighbours of which a point's star is found.
const STAR_NEIGHBOURS: usize = 20;

/// Vertices whose angles sum to more or less than 2π by more than this many radians get other triangles, where there
/// are better ones.
const BENT: f64 = 1.0;

/// A triangle mesh of a cloud of points on a disk-like surface such as a face, in any pose and unit.
///
/// All distinct points become vertices of one disk; the vertex order is that of the input. Points that repeat
/// an earlier place exactly, and debris far from the surface, stay in the list but in no triangle
/// ([`crate::mesh::make_disk`] drops them). Holes such as eyes and mouth are covered. Triangles are
/// counter-clockwise seen from the side towards which the surface bulges.
///
/// # Errors
/// [`MeshError::NotFinite`]; [`MeshError::Degenerate`] for fewer than three distinct points or collinear
/// ones; [`MeshError::NotADisk`] for closed surfaces, surfaces with handles, and two surfaces in one cloud.
pub fn mesh_from_points(points: &[Point]) -> Result<TriMesh, MeshError> {
    let mesh = TriMesh::new(points.to_vec(), Vec::new())?;
    let (distinct, source) = distinct_points(points);
    refuse_degenerate(&distinct)?;
    let triangles = if distinct.len() == 3 { vec![[0, 1, 2]] } else { disk_of(&distinct)? };
    let triangles = triangles.into_iter().map(|t| t.map(|v| source[v])).collect();
    TriMesh::new(mesh.into_parts().0, triangles)
}

/// The points without repeated places, moved and scaled to unit size, and their numbers in the input.
fn distinct_points(points: &[Point]) -> (Vec<Point>, Vec<usize>) {
    let repeated = duplicate_places(points);
    let source: Vec<usize> = (0..points.len()).filter(|i| repeated.binary_search(i).is_err()).collect();
    let middle: Vector = source.iter().map(|&i| points[i].coords / source.len() as f64).sum();
    let reach = source.iter().map(|&i| (points[i].coords - middle).amax()).fold(0.0, f64::max);
    let scale = if reach > 0.0 { 1.0 / reach } else { 1.0 };
    (source.iter().map(|&i| Point::from((points[i].coords - middle) * scale)).collect(), source)
}

fn refuse_degenerate(points: &[Point]) -> Result<(), MeshError> {
    if points.len() < 3 {
        return Err(MeshError::Degenerate(format!(
            "{} distinct points: a surface needs at least 3; is this the right file?",
            points.len()
        )));
    }
    let far = points.iter().max_by(|a, b| a.coords.norm_squared().total_cmp(&b.coords.norm_squared()));
    let axis = far.map_or_else(Vector::x, |p| p.coords.normalize());
    let off_line = points.iter().map(|p| (p.coords - axis * p.coords.dot(&axis)).norm()).fold(0.0, f64::max);
    if off_line < 1e-7 {
        let message = "all points lie on one line: no surface can be made of them; is a coordinate missing?";
        return Err(MeshError::Degenerate(message.into()));
    }
    Ok(())
}

fn disk_of(points: &[Point]) -> Result<Vec<[usize; 3]>, MeshError> {
    let neighbours = Neighbours::new(points, STAR_NEIGHBOURS)
        .ok_or_else(|| MeshError::Degenerate("the points cannot be searched for neighbours".into()))?;
    let mut normals = normals::normals(points, &neighbours);
    signs::orient(points, &neighbours, &mut normals);
    let sheet = agreed_sheet(points, &normals, &neighbours);
    let cloud = Cloud { points, normals: &normals, neighbours: &neighbours };
    let Closed { triangles, new, border } = close_gaps(&cloud, sheet)?;
    let mut triangles = refined(points, &normals, triangles, &new);
    if bulge(points, &triangles, &border) < 0.0 {
        triangles.iter_mut().for_each(|t| t.swap(1, 2));
    }
    Ok(triangles)
}

/// The triangles of the stars, by votes and then roundness, as far as they fit together.
fn agreed_sheet(points: &[Point], normals: &[Vector], neighbours: &Neighbours) -> Vec<[usize; 3]> {
    let spacing: Vec<f64> = (0..points.len())
        .map(|i| {
            let sixth = neighbours.of(i).iter().take(6).next_back();
            sixth.map_or(0.0, |&j| (points[j as usize] - points[i]).norm())
        })
        .collect();
    let mut ranked: Vec<(u8, f64, [u32; 3])> = umbrella::candidates(points, normals, neighbours)
        .into_iter()
        .filter_map(|candidate| {
            let [a, b, c] = candidate.corners.map(|v| points[v as usize]);
            let local = candidate.corners.iter().map(|&v| spacing[v as usize]).fold(0.0, f64::max);
            let sides = [(b - a).norm(), (c - b).norm(), (a - c).norm()];
            let twice_area = (b - a).cross(&(c - a)).norm();
            let radius = sides.iter().product::<f64>() / (2.0 * twice_area).max(1e-300) / local;
            let is_long = sides.iter().any(|&s| s > 3.0 * local);
            let fits = !is_long && (candidate.votes == 3 || radius < 3.0);
            fits.then_some((3 - candidate.votes, radius, candidate.corners))
        })
        .collect();
    ranked.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
    let mut sheet = Sheet::new(points.len());
    for (_, _, corners) in ranked {
        sheet.try_add(corners);
    }
    sheet.triangles().iter().map(|t| t.map(|v| v as usize)).collect()
}

fn refined(
    points: &[Point],
    normals: &[Vector],
    triangles: Vec<[usize; 3]>,
    new: &[usize],
) -> Vec<[usize; 3]> {
    let is_turned = |&[a, b, c]: &[usize; 3]| {
        let area_vector = (points[b] - points[a]).cross(&(points[c] - points[a]));
        area_vector.dot(&(normals[a] + normals[b] + normals[c])) <= 0.0
    };
    let is_fine = new.is_empty() && !triangles.iter().any(is_turned);
    if is_fine || !gaps::is_disk(&triangles, points.len()) {
        return triangles;
    }
    let mut refiner = Refiner::new(points, normals, &triangles);
    refiner.flip_edges(new);
    refiner.even_curvature(BENT);
    refiner.into_triangles()
}

#[cfg(test)]
mod tests;
