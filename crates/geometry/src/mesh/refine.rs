//! Edits of a manifold mesh: points put into triangles, edges flipped.

use super::{Point, Vector};
use std::collections::VecDeque;
use tri_mesh::{FaceID, HalfEdgeID, Mesh};

/// Sine of the smallest angle below which flips for the sake of curvature do not go.
const NEEDLE: f64 = 0.1;

/// An oriented, edge- and vertex-manifold triangle list under edit, with the normals it should follow.
pub(crate) struct Refiner<'a> {
    places: &'a [Point],
    normals: &'a [Vector],
    mesh: Mesh,
}

impl<'a> Refiner<'a> {
    /// The caller vouches for the triangles: manifold and consistently oriented, indices in range.
    pub fn new(places: &'a [Point], normals: &'a [Vector], triangles: &[[usize; 3]]) -> Self {
        let positions = places.iter().map(|p| tri_mesh::vec3(p.x, p.y, p.z)).collect();
        let indices = triangles.iter().flatten().map(|&v| v as u32).collect();
        let mesh = Mesh::new(&three_d_asset::TriMesh {
            positions: three_d_asset::Positions::F64(positions),
            indices: three_d_asset::Indices::U32(indices),
            ..Default::default()
        });
        Self { places, normals, mesh }
    }

    /// Flips edges as long as that turns fewer triangles away from the normals or, without turning more,
    /// makes the smallest angle larger (Lawson's rule, which in a plane ends at the Delaunay triangulation).
    /// Starts from the given triangles (rising numbers) and those turned away, and spreads as far as it finds
    /// something to improve.
    pub fn flip_edges(&mut self, suspects: &[usize]) {
        let mut faces: Vec<FaceID> =
            self.mesh.face_iter().filter(|f| suspects.binary_search(&(**f as usize)).is_ok()).collect();
        faces.extend(self.turned());
        let mut queue: VecDeque<HalfEdgeID> =
            faces.into_iter().flat_map(|f| self.mesh.face_halfedge_iter(f)).collect();
        // The order decides nothing in a plane; on a curved surface the rule might run in circles.
        let mut left = 50 * queue.len();
        while let (Some(edge), true) = (queue.pop_front(), left > 0) {
            left -= 1;
            if self.would_improve(edge) && self.mesh.flip_edge(edge).is_ok() {
                let mut walker = self.mesh.walker_from_halfedge(edge);
                for _ in 0..2 {
                    queue.extend(walker.as_next().halfedge_id());
                    queue.extend(walker.as_next().halfedge_id());
                    walker.as_next().as_twin();
                }
            }
        }
    }

    /// Flips edges between triangles of number `first` or more by the same rule, leaving the others alone.
    pub fn flip_edges_within(&mut self, first: usize) {
        for _ in 0..10 {
            let inner: Vec<HalfEdgeID> = self
                .mesh
                .edge_iter()
                .filter(|&edge| {
                    let mut walker = self.mesh.walker_from_halfedge(edge);
                    let faces = [walker.face_id(), walker.as_twin().face_id()];
                    faces.iter().all(|f| f.is_some_and(|f| *f as usize >= first))
                })
                .collect();
            let mut flipped = false;
            for edge in inner {
                flipped |= self.would_improve(edge) && self.mesh.flip_edge(edge).is_ok();
            }
            if !flipped {
                return;
            }
        }
    }

    /// Flips edges around vertices where the surface is far from flat (angles summing to 2π but for more than `bent`
    /// radians) as long as that lowers the sum of squares of these defects, turns no more triangles away from the
    /// normals and makes no needles.
    ///
    /// Where sheets of a fold come close, stars agree on triangles that jump to and fro. A conformal map has to pay
    /// for every cone they make; between the same points there are triangulations with fewer.
    pub fn even_curvature(&mut self, bent: f64) {
        let mut sums = AngleSums::new(self);
        let is_bent = |v: usize, sums: &AngleSums| sums.defect(v).abs() > bent;
        let faces: Vec<FaceID> =
            self.mesh.face_iter().filter(|&f| self.corners(f).iter().any(|&v| is_bent(v, &sums))).collect();
        let mut queue: VecDeque<HalfEdgeID> =
            faces.into_iter().flat_map(|f| self.mesh.face_halfedge_iter(f)).collect();
        let mut left = 50 * queue.len();
        while let (Some(edge), true) = (queue.pop_front(), left > 0) {
            left -= 1;
            let Some(quad) = self.quad(edge) else { continue };
            if !quad.iter().any(|&v| is_bent(v, &sums)) || !self.stays_sound(quad) {
                continue;
            }
            let change = self.angle_changes(quad);
            if sums.cost_of(&change) < -1e-3 && self.mesh.flip_edge(edge).is_ok() {
                sums.apply(&change);
                let mut walker = self.mesh.walker_from_halfedge(edge);
                for _ in 0..2 {
                    queue.extend(walker.as_next().halfedge_id());
                    queue.extend(walker.as_next().halfedge_id());
                    walker.as_next().as_twin();
                }
            }
        }
    }

    /// Whether flipping the diagonal turns no more triangles away from the normals and makes no needles.
    fn stays_sound(&self, [a, b, c, d]: [usize; 4]) -> bool {
        let now = [self.judge([a, b, c]), self.judge([b, a, d])];
        let new = [self.judge([c, d, b]), self.judge([d, c, a])];
        let least = |of: &[(u8, f64); 2]| of[0].1.min(of[1].1);
        new[0].0 + new[1].0 <= now[0].0 + now[1].0 && least(&new) > least(&now).min(NEEDLE)
    }

    /// How the angle sums of four vertices change when the diagonal (a, b) gives way to (c, d).
    fn angle_changes(&self, [a, b, c, d]: [usize; 4]) -> [(usize, f64); 4] {
        let mut change = [(a, 0.0), (b, 0.0), (c, 0.0), (d, 0.0)];
        for (sign, corners) in [(-1.0, [a, b, c]), (-1.0, [b, a, d]), (1.0, [c, d, b]), (1.0, [d, c, a])] {
            for (v, angle) in corners.into_iter().zip(angles(self.places, corners)) {
                change.iter_mut().filter(|(u, _)| *u == v).for_each(|(_, sum)| *sum += sign * angle);
            }
        }
        change
    }

    /// Ends a, b of an inner edge and the vertices c, d opposite to it in (a, b, c) and (b, a, d).
    fn quad(&self, edge: HalfEdgeID) -> Option<[usize; 4]> {
        let mut walker = self.mesh.walker_from_halfedge(edge);
        let b = walker.vertex_id();
        let c = walker.as_next().vertex_id();
        walker.as_previous().as_twin();
        let a = walker.vertex_id();
        let d = walker.as_next().vertex_id();
        if self.mesh.is_edge_on_boundary(edge) {
            return None;
        }
        let (Some(a), Some(b), Some(c), Some(d)) = (a, b, c, d) else { return None };
        (c != d).then(|| [a, b, c, d].map(|v| *v as usize))
    }

    fn would_improve(&self, edge: HalfEdgeID) -> bool {
        let Some([a, b, c, d]) = self.quad(edge) else { return false };
        let (now_1, now_2) = (self.judge([a, b, c]), self.judge([b, a, d]));
        let (new_1, new_2) = (self.judge([c, d, b]), self.judge([d, c, a]));
        let (turned_now, turned_new) = (now_1.0 + now_2.0, new_1.0 + new_2.0);
        let (angle_now, angle_new) = (now_1.1.min(now_2.1), new_1.1.min(new_2.1));
        turned_new < turned_now || (turned_new == turned_now && angle_new > angle_now + 1e-9)
    }

    /// Whether a triangle is turned away from its normals (0 or 1) and its smallest angle in radians.
    fn judge(&self, corners: [usize; 3]) -> (u8, f64) {
        let [a, b, c] = corners.map(|v| self.places[v]);
        let area_vector = (b - a).cross(&(c - a));
        // Twice the area over the product of the two longer sides is the sine of the smallest angle.
        let mut sides = [(b - a).norm(), (c - b).norm(), (a - c).norm()];
        sides.sort_by(f64::total_cmp);
        let sine = area_vector.norm() / (sides[1] * sides[2]).max(1e-300);
        (u8::from(self.is_turned(corners, &area_vector)), sine)
    }

    fn is_turned(&self, corners: [usize; 3], area_vector: &Vector) -> bool {
        area_vector.dot(&corners.iter().map(|&v| self.normals[v]).sum()) <= 0.0
    }

    /// Triangles turned away from the normals of their corners.
    pub fn turned(&self) -> Vec<FaceID> {
        let is_turned = |&f: &FaceID| {
            let corners = self.corners(f);
            let [a, b, c] = corners.map(|v| self.places[v]);
            self.is_turned(corners, &(b - a).cross(&(c - a)))
        };
        self.mesh.face_iter().filter(is_turned).collect()
    }

    fn corners(&self, face: FaceID) -> [usize; 3] {
        let (a, b, c) = self.mesh.face_vertices(face);
        [*a as usize, *b as usize, *c as usize]
    }

    /// The triangles as they are now.
    pub fn into_triangles(self) -> Vec<[usize; 3]> {
        self.mesh.face_iter().map(|f| self.corners(f)).collect()
    }
}

/// Sums of the angles at the vertices.
struct AngleSums {
    sums: Vec<f64>,
    is_border: Vec<bool>,
}

impl AngleSums {
    fn new(refiner: &Refiner<'_>) -> Self {
        let mut out =
            Self { sums: vec![0.0; refiner.places.len()], is_border: vec![false; refiner.places.len()] };
        let mut around = vec![(0, 0); refiner.places.len()];
        for face in refiner.mesh.face_iter() {
            let corners = refiner.corners(face);
            for (k, angle) in angles(refiner.places, corners).into_iter().enumerate() {
                let v = corners[k];
                out.sums[v] += angle;
                around[v].0 += corners[(k + 1) % 3];
                around[v].1 += corners[(k + 2) % 3];
            }
        }
        for (v, (next, previous)) in around.into_iter().enumerate() {
            // All round a vertex every neighbour is the next of one triangle and the one before of another.
            out.is_border[v] = next != previous;
        }
        out
    }

    /// 2π less the sum; nought on the border, which may turn as it likes.
    fn defect(&self, v: usize) -> f64 {
        if self.is_border[v] { 0.0 } else { std::f64::consts::TAU - self.sums[v] }
    }

    /// How the sum of squared defects would change.
    fn cost_of(&self, change: &[(usize, f64); 4]) -> f64 {
        let inner = change.iter().filter(|(v, _)| !self.is_border[*v]);
        inner.map(|&(v, c)| (self.defect(v) - c).powi(2) - self.defect(v).powi(2)).sum()
    }

    fn apply(&mut self, change: &[(usize, f64); 4]) {
        change.iter().for_each(|&(v, c)| self.sums[v] += c);
    }
}

/// The three angles of a triangle, radians.
fn angles(places: &[Point], corners: [usize; 3]) -> [f64; 3] {
    let p = corners.map(|v| places[v]);
    [0, 1, 2].map(|k| {
        let (u, v) = (p[(k + 1) % 3] - p[k], p[(k + 2) % 3] - p[k]);
        u.cross(&v).norm().atan2(u.dot(&v))
    })
}
