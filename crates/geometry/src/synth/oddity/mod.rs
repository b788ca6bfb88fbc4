//! Faces as scanners meet them outside the laboratory: children, open mouths, beards, glasses, hair on the forehead, one side only, the
//! coarse points of a phone, the seams of a textured photograph. Each is made of a whole face whose true places are known.

mod features;
mod kinds;
mod shape;

use super::sampling::{Patch, scatter};
use crate::mesh::{MeshError, Point, Vector, mesh_from_points};
use features::Waves;
pub use kinds::{FaceMarks, Oddity, Sight, Sitter};
use rand::{Rng, RngExt};
use rand_distr::StandardNormal;

/// A scan and its hidden truth, in the sitter's frame.
#[derive(Debug, Clone)]
pub struct OddScan {
    /// Points of the scan, which correspond to nothing.
    pub points: Vec<Point>,
    /// Its triangles, if it is a mesh.
    pub triangles: Option<Vec<[usize; 3]>>,
    /// Where every vertex of the sitter is (on the skin, whatever hides it).
    pub truth: Vec<Point>,
    /// What became of every vertex.
    pub sight: Vec<Sight>,
}

/// Points in a scan.
const POINTS: usize = 7150;

/// Scans a face once.
///
/// # Errors
/// [`MeshError`] when the points of a scan with seams cannot be triangulated.
pub fn odd_scan<R: Rng + ?Sized>(
    sitter: &Sitter<'_>,
    oddity: Oddity,
    rng: &mut R,
) -> Result<OddScan, MeshError> {
    let shaped = shape::shaped(sitter, oddity, rng);
    let shown = features::shown(sitter, &shaped, oddity, rng);
    let border = vec![0.0; shown.surface.len()];
    let covered: Vec<bool> = shown.sight.iter().map(|&s| s != Sight::Unseen).collect();
    let triangles: Vec<[usize; 3]> =
        shaped.triangles.iter().copied().filter(|t| t.iter().all(|&i| covered[i])).collect();
    let patch = Patch {
        vertices: &shown.surface,
        triangles: &triangles,
        border_distance: &border,
        covered: &covered,
    };
    let mut points = scatter(&patch, POINTS, |p, _| !shown.hidden(p), |_| 1.0, rng);
    points.extend_from_slice(&shown.added);
    let sd = oddity.noise();
    let bumps = Waves::random(15.0, rng);
    for p in &mut points {
        let white = Vector::from_fn(|_, _| sd * rng.sample::<f64, _>(StandardNormal));
        // Bumps of half the noise: what a phone makes of a smooth cheek.
        let bump = if sd >= 1.0 { Vector::z() * (0.5 * sd * bumps.at(p)) } else { Vector::zeros() };
        *p += white + bump;
    }
    let (points, triangles) = match oddity {
        Oddity::Seams => charts(&points, 0.0, rng)?,
        Oddity::OpenSeams => charts(&points, 0.1, rng)?,
        _ => (points, None),
    };
    Ok(OddScan { points, triangles, truth: shaped.vertices, sight: shown.sight })
}

/// A mesh and its charts: vertices, triangles.
type Charts = (Vec<Point>, Option<Vec<[usize; 3]>>);

/// The triangulated points as three charts, right, middle and left, that share no vertex; each chart's copies of shared vertices
/// are moved by `gap` in a direction of its own.
fn charts<R: Rng + ?Sized>(points: &[Point], gap: f64, rng: &mut R) -> Result<Charts, MeshError> {
    let mesh = mesh_from_points(points)?;
    let centre = mesh.area_centroid().x;
    let bumps = Waves::random(20.0, rng);
    let mut vertices = Vec::new();
    let mut triangles = Vec::with_capacity(mesh.triangles().len());
    let mut copies = vec![[None; 3]; mesh.vertices().len()];
    for (t, corners) in mesh.triangles().iter().enumerate() {
        let [a, b, c] = mesh.corners(t);
        let middle = Point::from((a.coords + b.coords + c.coords) / 3.0);
        // An uneven line 25 mm to the right and to the left, as texture charts end.
        let across = middle.x - centre + 4.0 * bumps.at(&middle);
        let chart = if across < -25.0 { 0 } else { usize::from(across > 25.0) + 1 };
        triangles.push(corners.map(|i| {
            *copies[i][chart].get_or_insert_with(|| {
                let shift = Vector::from_fn(|_, _| gap * (rng.random::<f64>() - 0.5));
                vertices.push(mesh.vertices()[i] + shift);
                vertices.len() - 1
            })
        }));
    }
    Ok((vertices, Some(triangles)))
}

#[cfg(test)]
mod tests;
