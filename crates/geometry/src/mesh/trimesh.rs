//! The triangle mesh every other room works on.

use nalgebra::{Point3, Vector3};

/// A place in space, in the units of its file.
pub type Point = Point3<f64>;
/// A displacement in space.
pub type Vector = Vector3<f64>;

/// Why a list of vertices and triangles is not a mesh.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshError {
    /// A triangle names a vertex that does not exist.
    #[error("triangle {triangle} names vertex {vertex}, but there are only {n_vertices} vertices")]
    IndexOutOfRange {
        /// 0-based triangle number.
        triangle: usize,
        /// The index it names.
        vertex: usize,
        /// How many vertices there are.
        n_vertices: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error("vertex {vertex} has a coordinate that is not a finite number")]
    NotFinite {
        /// 0-based vertex number.
        vertex: usize,
    },
    /// The points or the mesh cannot serve as a disk-like surface; the text says why and what to do.
    #[error("{0}")]
    NotADisk(String),
    /// The mesh is no closed surface without handles, seen from outside; the text lists why.
    #[error("not a closed surface without handles: {0}")]
    NotClosed(String),
    /// The points cannot be meshed; the text says why and what to do.
    #[error("{0}")]
    Degenerate(String),
}

/// An indexed triangle mesh. Vertex order is data: nothing here merges, drops or reorders vertices.
///
/// Triangles are counter-clockwise seen from outside (from the front, for a face).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TriMesh {
    vertices: Vec<Point>,
    triangles: Vec<[usize; 3]>,
}

impl TriMesh {
    /// A mesh of these vertices and triangles (0-based indices).
    ///
    /// # Errors
    /// [`MeshError::IndexOutOfRange`] or [`MeshError::NotFinite`], naming the first offender.
    pub fn new(vertices: Vec<Point>, triangles: Vec<[usize; 3]>) -> Result<Self, MeshError> {
        if let Some(vertex) = vertices.iter().position(|p| !p.coords.iter().all(|c| c.is_finite())) {
            return Err(MeshError::NotFinite { vertex });
        }
        for (triangle, t) in triangles.iter().enumerate() {
            if let Some(&vertex) = t.iter().find(|&&i| i >= vertices.len()) {
                return Err(MeshError::IndexOutOfRange { triangle, vertex, n_vertices: vertices.len() });
            }
        }
        Ok(Self { vertices, triangles })
    }

    /// A mesh of parts known to be sound.
    pub(crate) fn from_checked(vertices: Vec<Point>, triangles: Vec<[usize; 3]>) -> Self {
        Self { vertices, triangles }
    }

    /// The vertices, in file order.
    pub fn vertices(&self) -> &[Point] {
        &self.vertices
    }

    /// The triangles as 0-based vertex indices, counter-clockwise from outside.
    pub fn triangles(&self) -> &[[usize; 3]] {
        &self.triangles
    }

    /// Takes the mesh apart into vertices and triangles.
    pub fn into_parts(self) -> (Vec<Point>, Vec<[usize; 3]>) {
        (self.vertices, self.triangles)
    }

    /// The same triangles at other places (one per vertex, in order).
    ///
    /// # Errors
    /// [`MeshError::NotFinite`]; [`MeshError::Degenerate`] when the number of vertices differs.
    pub fn with_vertices(&self, vertices: Vec<Point>) -> Result<Self, MeshError> {
        if vertices.len() != self.vertices.len() {
            return Err(MeshError::Degenerate(format!(
                "{} places given for a mesh of {} vertices",
                vertices.len(),
                self.vertices.len()
            )));
        }
        Self::new(vertices, self.triangles.clone())
    }

    /// The corners of triangle `t`.
    pub fn corners(&self, t: usize) -> [Point; 3] {
        self.triangles[t].map(|i| self.vertices[i])
    }

    /// The vertex nearest to `p`, the first of several; `None` without vertices.
    pub fn nearest_vertex(&self, p: &Point) -> Option<usize> {
        let distance = |i: &usize| (self.vertices[*i] - p).norm();
        (0..self.vertices.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)))
    }

    /// Twice the area vector of triangle `t`: (b − a) × (c − a).
    pub fn area_vector(&self, t: usize) -> Vector {
        let [a, b, c] = self.corners(t);
        (b - a).cross(&(c - a))
    }

    /// The share of the surface's area of every vertex: a third of each of its triangles.
    pub fn vertex_shares(&self) -> Vec<f64> {
        let mut areas = self.vertex_areas();
        let all: f64 = areas.iter().sum();
        areas.iter_mut().for_each(|area| *area /= all);
        areas
    }

    /// Total area, in squared units of the coordinates.
    pub fn area(&self) -> f64 {
        (0..self.triangles.len()).map(|t| 0.5 * self.area_vector(t).norm()).sum()
    }

    /// A third of the area of the triangles around each vertex; sums to [`TriMesh::area`].
    pub fn vertex_areas(&self) -> Vec<f64> {
        self.areas().vertices
    }

    /// Unit normals at the vertices, area-weighted; zero where a vertex has no triangle of positive area.
    pub fn vertex_normals(&self) -> Vec<Vector> {
        let mut out = vec![Vector::zeros(); self.vertices.len()];
        for (t, triangle) in self.triangles.iter().enumerate() {
            let n = self.area_vector(t);
            triangle.iter().for_each(|&i| out[i] += n);
        }
        out.iter_mut().for_each(|n| *n = n.try_normalize(0.0).unwrap_or_else(Vector::zeros));
        out
    }

    /// The area-weighted centroid of the surface (not the mean of the vertices).
    pub fn area_centroid(&self) -> Point {
        self.areas().centroid
    }

    /// What areas tell, in one pass over the triangles.
    pub(crate) fn areas(&self) -> Areas {
        let mut vertices = vec![0.0; self.vertices.len()];
        let (mut sum, mut total, mut twice) = (Vector::zeros(), 0.0, 0.0);
        for (t, triangle) in self.triangles.iter().enumerate() {
            let area = self.area_vector(t).norm();
            let [a, b, c] = self.corners(t);
            sum += (a.coords + b.coords + c.coords) * (area / 3.0);
            twice += area;
            total += 0.5 * area;
            triangle.iter().for_each(|&i| vertices[i] += area / 6.0);
        }
        let centroid = if twice > 0.0 { Point::from(sum / twice) } else { Point::origin() };
        Areas { total, centroid, vertices }
    }
}

/// Areas of a surface, in squared units of the coordinates.
pub(crate) struct Areas {
    /// As [`TriMesh::area`].
    pub total: f64,
    /// As [`TriMesh::area_centroid`].
    pub centroid: Point,
    /// As [`TriMesh::vertex_areas`].
    pub vertices: Vec<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit_square() -> TriMesh {
        let v = [[0., 0.], [1., 0.], [1., 1.], [0., 1.]].map(|[x, y]| Point::new(x, y, 0.0)).to_vec();
        TriMesh::new(v, vec![[0, 1, 2], [0, 2, 3]]).unwrap()
    }

    #[test]
    fn square_has_area_one_and_normals_towards_z() {
        let m = unit_square();
        assert_eq!(m.area(), 1.0);
        approx::assert_relative_eq!(m.vertex_areas().iter().sum::<f64>(), 1.0, epsilon = 1e-15);
        assert!(m.vertex_normals().iter().all(|n| *n == Vector::z()));
        approx::assert_relative_eq!(m.area_centroid(), Point::new(0.5, 0.5, 0.0), epsilon = 1e-15);
    }

    #[test]
    fn bad_indices_and_nan_are_named() {
        let v = vec![Point::origin(); 3];
        assert_eq!(
            TriMesh::new(v.clone(), vec![[0, 1, 3]]),
            Err(MeshError::IndexOutOfRange { triangle: 0, vertex: 3, n_vertices: 3 })
        );
        let mut w = v;
        w[1].y = f64::NAN;
        assert_eq!(TriMesh::new(w, vec![]), Err(MeshError::NotFinite { vertex: 1 }));
    }
}
