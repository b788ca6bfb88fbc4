//! The band of a release as a shell about the surface, which is seen through.

use crate::band::Band;
use crate::drawing::Drawing;
use crate::geometry::Frame;
use visard::mesh::{Point, TriMesh};

/// Both borders of a band about a surface, the inner one first; none for a band of no width.
pub fn shell(band: &Band, mesh: &TriMesh, frame: &Frame) -> Vec<Drawing> {
    let normals = mesh.vertex_normals();
    let reach = band.reach(&normals);
    if band.half.len() != mesh.vertices().len() || reach.iter().all(|r| *r == 0.0) {
        return Vec::new();
    }
    let border = |side: f64| {
        let moved = mesh.vertices().iter().zip(&normals).zip(&reach).map(|((p, n), r)| p + n * (side * r));
        sheet(&moved.collect::<Vec<Point>>(), mesh, frame)
    };
    // At once, for a slider to be followed.
    std::thread::scope(|scope| {
        let inner = scope.spawn(|| border(-1.0));
        let outer = border(1.0);
        vec![inner.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), outer]
    })
}

/// A border: positions of the mesh's vertices.
fn sheet(places: &[Point], mesh: &TriMesh, frame: &Frame) -> Drawing {
    let Ok(moved) = mesh.with_vertices(places.to_vec()) else { return Drawing::empty(*frame) };
    Drawing {
        positions: places.iter().map(|p| frame.place(p)).collect(),
        normals: moved.vertex_normals().iter().map(|v| [v.x as f32, v.y as f32, v.z as f32]).collect(),
        sky: vec![1.0; places.len()],
        uvs: vec![[0.0; 2]; places.len()],
        triangles: mesh.triangles().iter().map(|t| t.map(|i| i as u32)).collect(),
        ..Drawing::empty(*frame)
    }
}
