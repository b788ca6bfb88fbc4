//! The same surface in four times as many triangles.

use super::{EdgeTable, MeshError, TriMesh};

/// Every triangle cut in four at the middles of its sides: the surface stays, vertices keep their numbers, and triangle t becomes 4 t to 4 t + 3.
///
/// # Errors
/// As of [`TriMesh::new`].
pub fn subdivided(mesh: &TriMesh) -> Result<TriMesh, MeshError> {
    let mut vertices = mesh.vertices().to_vec();
    let table = EdgeTable::new(mesh.triangles(), vertices.len());
    let first = vertices.len();
    vertices.extend(
        table
            .edges()
            .iter()
            .map(|e| nalgebra::center(&mesh.vertices()[e.ends[0]], &mesh.vertices()[e.ends[1]])),
    );
    let middle = |a: usize, b: usize| {
        let ends = [a.min(b), a.max(b)];
        first + table.edges().binary_search_by(|e| e.ends.cmp(&ends)).unwrap_or_else(|place| place)
    };
    let cut = |&[a, b, c]: &[usize; 3]| {
        let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
        [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
    };
    let triangles = mesh.triangles().iter().flat_map(cut).collect();
    TriMesh::new(vertices, triangles)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{DiskMesh, Point};

    #[test]
    fn the_surface_stays() {
        let at = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 2.0, 1.0], [0.0, 2.0, 0.0]].map(Point::from);
        let mesh = TriMesh::new(at.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap();
        let fine = subdivided(&subdivided(&mesh).unwrap()).unwrap();
        assert_eq!((fine.vertices().len(), fine.triangles().len()), (25, 32));
        assert_eq!(fine.vertices()[..4], at);
        assert!((fine.area() - mesh.area()).abs() < 1e-12);
        for t in 0..32 {
            let (own, whole) = (fine.area_vector(t), mesh.area_vector(t / 16));
            assert!((own * 16.0 - whole).norm() < 1e-12);
        }
        assert_eq!(DiskMesh::try_new(fine).unwrap().boundary().len(), 16);
    }
}
