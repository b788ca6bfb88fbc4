//! A mesh proven to be a topological disk.

use super::topology::{TopologyReport, connectivity};
use super::{MeshError, TriMesh};

/// A triangle mesh proven to be a topological disk: one component, edge- and vertex-manifold, consistently
/// oriented, one boundary loop, V − E + F = 1, every vertex used.
///
/// Nothing is said of geometry: triangles may be thin or even of no area.
#[derive(Debug, Clone, PartialEq)]
pub struct DiskMesh {
    mesh: TriMesh,
    boundary: Vec<usize>,
}

impl DiskMesh {
    /// Checks that the mesh is a disk.
    ///
    /// # Errors
    /// [`MeshError::NotADisk`] with every reason, such as
    /// `not a disk: 2 boundary loops (expected 1), V − E + F = 0 (expected 1)`.
    pub fn try_new(mesh: TriMesh) -> Result<Self, MeshError> {
        if mesh.triangles().is_empty() {
            return Err(MeshError::NotADisk("not a disk: the mesh has no triangles".into()));
        }
        if let Some(t) = mesh.triangles().iter().position(|&[a, b, c]| a == b || b == c || c == a) {
            let message = format!("not a disk: triangle {t} names a vertex twice; drop such triangles first");
            return Err(MeshError::NotADisk(message));
        }
        let report = connectivity(&mesh);
        match disk_boundary(report) {
            Ok(boundary) => Ok(Self { mesh, boundary }),
            Err(reasons) => Err(MeshError::NotADisk(format!("not a disk: {reasons}"))),
        }
    }

    /// The mesh.
    pub fn mesh(&self) -> &TriMesh {
        &self.mesh
    }

    /// The boundary vertices in order along the orientation of the triangles: counter-clockwise seen from
    /// outside, the surface on the left.
    pub fn boundary(&self) -> &[usize] {
        &self.boundary
    }

    /// Whether each vertex is on the boundary.
    pub fn on_boundary(&self) -> Vec<bool> {
        let mut out = vec![false; self.mesh.vertices().len()];
        self.boundary.iter().for_each(|&i| out[i] = true);
        out
    }

    /// The same disk seen from the other side.
    pub(crate) fn turned_over(self) -> Self {
        let (vertices, mut triangles) = self.mesh.into_parts();
        triangles.iter_mut().for_each(|t| t.swap(1, 2));
        let mut boundary = self.boundary;
        boundary.reverse();
        Self { mesh: TriMesh::from_checked(vertices, triangles), boundary }
    }

    /// The same disk at other places (one per vertex, in order).
    ///
    /// # Errors
    /// As [`TriMesh::with_vertices`].
    pub fn with_vertices(&self, vertices: Vec<super::Point>) -> Result<Self, MeshError> {
        Ok(Self { mesh: self.mesh.with_vertices(vertices)?, boundary: self.boundary.clone() })
    }
}

fn disk_boundary(mut report: TopologyReport) -> Result<Vec<usize>, String> {
    let obstacles = report.obstacles_to_disk();
    if obstacles.is_empty() && !report.boundary_loops.is_empty() {
        Ok(report.boundary_loops.swap_remove(0).vertices)
    } else {
        Err(obstacles.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Point, TriMesh};
    use super::*;

    #[test]
    fn an_annulus_is_refused_with_both_reasons() {
        let ring = |r: f64| {
            (0..6).map(move |i| {
                let a = std::f64::consts::TAU * i as f64 / 6.0;
                Point::new(r * a.cos(), r * a.sin(), 0.0)
            })
        };
        let vertices: Vec<Point> = ring(2.0).chain(ring(1.0)).collect();
        let triangles = (0..6)
            .flat_map(|i| {
                let j = (i + 1) % 6;
                [[i, j, 6 + i], [j, 6 + j, 6 + i]]
            })
            .collect();
        let error = DiskMesh::try_new(TriMesh::new(vertices, triangles).unwrap()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "not a disk: 2 boundary loops (expected 1), V − E + F = 0 (expected 1)"
        );
    }

    #[test]
    fn boundary_follows_the_triangles() {
        let vertices = [[0., 0.], [1., 0.], [1., 1.], [0., 1.]].map(|[x, y]| Point::new(x, y, 0.0)).to_vec();
        let mesh = TriMesh::new(vertices, vec![[0, 1, 2], [0, 2, 3]]).unwrap();
        let disk = DiskMesh::try_new(mesh).unwrap();
        let at = disk.boundary().iter().position(|&v| v == 0).unwrap();
        let from_zero: Vec<usize> = (0..4).map(|i| disk.boundary()[(at + i) % 4]).collect();
        assert_eq!(from_zero, [0, 1, 2, 3]);
        assert_eq!(disk.on_boundary(), [true; 4]);
    }

    #[test]
    fn empty_and_collapsed_meshes_are_refused() {
        assert!(DiskMesh::try_new(TriMesh::default()).is_err());
        let mesh = TriMesh::new(vec![Point::origin(); 3], vec![[0, 1, 1]]).unwrap();
        assert!(DiskMesh::try_new(mesh).unwrap_err().to_string().contains("triangle 0"));
    }
}
