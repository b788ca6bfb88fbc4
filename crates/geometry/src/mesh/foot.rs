//! The points of a mesh nearest to given ones.

use super::{MeshError, Point, TriMesh, Vector};
use crate::numeric::search::SearchTree3;
use std::iter::Sum;
use std::ops::Mul;

/// A point of a triangle mesh: the foot of the perpendicular from another.
#[derive(Debug, Clone, Copy)]
#[doc(hidden)]
pub struct Foot {
    /// Its triangle.
    pub triangle: usize,
    /// Barycentric weights; none is negative.
    pub weights: [f64; 3],
    /// Where it is.
    pub point: Point,
}

/// Closest points on a mesh, looked for in the triangles about the nearest vertices.
#[doc(hidden)]
pub struct FootFinder {
    mesh: TriMesh,
    tree: SearchTree3,
    /// `around[starts[i]..starts[i + 1]]` are the triangles about vertex i.
    starts: Vec<u32>,
    around: Vec<u32>,
}

/// A corner of less weight than this does not count: the foot is on the side between the others, but for rounding.
const ON_SIDE: f64 = 1e-9;

impl FootFinder {
    /// Over a mesh.
    ///
    /// # Errors
    /// [`MeshError::Degenerate`] when it has no triangles.
    pub fn new(mesh: TriMesh) -> Result<Self, MeshError> {
        let places: Vec<[f64; 3]> = mesh.vertices().iter().map(|p| [p.x, p.y, p.z]).collect();
        if mesh.triangles().is_empty() {
            return Err(MeshError::Degenerate("a mesh has no triangles to search among".to_owned()));
        }
        let tree = SearchTree3::new(&places)
            .ok_or_else(|| MeshError::Degenerate("the mesh cannot be searched".to_owned()))?;
        let mut starts = vec![0u32; places.len() + 1];
        mesh.triangles().iter().flatten().for_each(|&i| starts[i + 1] += 1);
        (0..places.len()).for_each(|i| starts[i + 1] += starts[i]);
        let mut next = starts.clone();
        let mut around = vec![0u32; 3 * mesh.triangles().len()];
        for (t, corners) in mesh.triangles().iter().enumerate() {
            for &i in corners {
                around[next[i] as usize] = t as u32;
                next[i] += 1;
            }
        }
        Ok(Self { mesh, tree, starts, around })
    }

    /// The mesh.
    pub fn mesh(&self) -> &TriMesh {
        &self.mesh
    }

    /// The corners of the triangle a foot lies in.
    pub fn corners(&self, foot: &Foot) -> [usize; 3] {
        self.mesh.triangles()[foot.triangle]
    }

    /// The value at a foot of what is linear on every triangle.
    pub fn blend<T: Copy + Mul<f64, Output = T> + Sum>(&self, foot: &Foot, values: &[T]) -> T {
        let corners = self.corners(foot);
        (0..3).map(|k| values[corners[k]] * foot.weights[k]).sum()
    }

    /// Whether a foot lies on the border, given which vertices do: what it is the foot of may lie beyond.
    pub fn at_border(&self, foot: &Foot, on_border: &[bool]) -> bool {
        let corners = self.corners(foot);
        (0..3).all(|k| foot.weights[k] < ON_SIDE || on_border[corners[k]])
    }

    /// The point of the mesh closest to `p`: in the triangles about the nearest vertex, and from there in those about the corners of the best
    /// as long as they are better and it is not inside its triangle.
    pub fn closest(&self, p: &Point) -> Foot {
        let (nearest, _) = self.tree.nearest(&[p.x, p.y, p.z]);
        let mut best = (f64::INFINITY, Foot { triangle: 0, weights: [1.0, 0.0, 0.0], point: *p });
        let (mut seen, mut count) = ([usize::MAX; MOST_CORNERS], 0);
        let mut next = Some(nearest);
        while let Some(i) = next.filter(|_| count < MOST_CORNERS) {
            for &t in &self.around[self.starts[i] as usize..self.starts[i + 1] as usize] {
                // Near vertices share some of their triangles.
                let corners = self.mesh.triangles()[t as usize];
                if corners.iter().any(|corner| seen[..count].contains(corner)) {
                    continue;
                }
                let corners = self.mesh.corners(t as usize);
                let weights = closest_weights(p, &corners);
                let point: Vector = (0..3).map(|k| corners[k].coords * weights[k]).sum();
                let distance = (point - p.coords).norm_squared();
                if distance < best.0 {
                    best = (distance, Foot { triangle: t as usize, weights, point: point.into() });
                }
            }
            seen[count] = i;
            count += 1;
            if best.1.weights.iter().all(|&w| w > ON_SIDE) {
                break;
            }
            let corners = self.corners(&best.1);
            next = corners.into_iter().find(|corner| !seen[..count].contains(corner));
        }
        best.1
    }
}

/// Vertices about which triangles are looked at: a foot is mostly found about the first three.
const MOST_CORNERS: usize = 8;

/// Barycentric weights of the point of a triangle nearest to p (Ericson 2005, section 5.1.5).
pub(super) fn closest_weights(p: &Point, [a, b, c]: &[Point; 3]) -> [f64; 3] {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(&ap), ac.dot(&ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return [1.0, 0.0, 0.0];
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(&bp), ac.dot(&bp));
    if d3 >= 0.0 && d4 <= d3 {
        return [0.0, 1.0, 0.0];
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let t = d1 / (d1 - d3);
        return [1.0 - t, t, 0.0];
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(&cp), ac.dot(&cp));
    if d6 >= 0.0 && d5 <= d6 {
        return [0.0, 0.0, 1.0];
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let t = d2 / (d2 - d6);
        return [1.0 - t, 0.0, t];
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        let t = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return [0.0, 1.0 - t, t];
    }
    let sum = va + vb + vc;
    [va / sum, vb / sum, vc / sum]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two triangles over the unit square; only the corner (1, 1) is not called border.
    fn square() -> (FootFinder, [bool; 4]) {
        let vertices = [[0., 0.], [1., 0.], [1., 1.], [0., 1.]].map(|[x, y]| Point::new(x, y, 0.0)).to_vec();
        let mesh = TriMesh::new(vertices, vec![[0, 1, 2], [0, 2, 3]]).unwrap();
        (FootFinder::new(mesh).unwrap(), [true, true, false, true])
    }

    #[test]
    fn feet_are_inside_on_sides_and_on_corners() {
        let (finder, on_border) = square();
        for (p, foot, at_border) in [
            ([0.7, 0.2, 3.0], [0.7, 0.2, 0.0], false),
            ([0.4, -2.0, 1.0], [0.4, 0.0, 0.0], true),
            ([5.0, 0.5, 0.0], [1.0, 0.5, 0.0], false),
            ([-1.0, -1.0, 0.0], [0.0, 0.0, 0.0], true),
            ([2.0, 3.0, -1.0], [1.0, 1.0, 0.0], false),
        ] {
            let found = finder.closest(&Point::from(p));
            assert!((found.point - Point::from(foot)).norm() < 1e-15, "{p:?}: {found:?}");
            assert_eq!(finder.at_border(&found, &on_border), at_border, "{p:?}");
            // x + 2y is linear: its blend is its value at the foot.
            let blend = finder.blend(&found, &[0.0, 1.0, 3.0, 2.0]);
            assert!((blend - (foot[0] + 2.0 * foot[1])).abs() < 1e-15);
        }
    }

    #[test]
    fn a_mesh_without_triangles_is_refused() {
        assert!(FootFinder::new(TriMesh::new(vec![Point::origin()], Vec::new()).unwrap()).is_err());
        assert!(FootFinder::new(TriMesh::default()).is_err());
    }
}
