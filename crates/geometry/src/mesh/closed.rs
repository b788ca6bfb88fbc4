//! A mesh proven to be a topological sphere, seen from outside.

use super::topology::{TopologyReport, topology};
use super::{MeshError, TriMesh};

/// A triangle mesh proven to be a closed surface without handles: one component, edge- and vertex-manifold, no border, V − E + F = 2, every
/// vertex used, no two in one place, no triangle without area, triangles counter-clockwise seen from outside.
#[derive(Debug, Clone, PartialEq)]
pub struct ClosedMesh(TriMesh);

impl ClosedMesh {
    /// Checks that the mesh is a closed surface without handles, seen from outside.
    ///
    /// # Errors
    /// [`MeshError::NotClosed`] with every reason, such as `not a closed surface without handles: genus 1 (expected 0)`.
    pub fn try_new(mesh: TriMesh) -> Result<Self, MeshError> {
        let mut reasons = obstacles(&topology(&mesh));
        if mesh.triangles().is_empty() {
            reasons = vec!["the mesh has no triangles".to_owned()];
        }
        if !reasons.is_empty() {
            return Err(MeshError::NotClosed(reasons.join(", ")));
        }
        if signed_volume(&mesh) > 0.0 {
            Ok(Self(mesh))
        } else {
            let inside = "its triangles face inwards; turn the surface inside out first";
            Err(MeshError::NotClosed(inside.into()))
        }
    }

    /// The mesh.
    pub fn mesh(&self) -> &TriMesh {
        &self.0
    }
}

/// What keeps a mesh from being a clean topological sphere, one phrase each.
fn obstacles(report: &TopologyReport) -> Vec<String> {
    let mut out = Vec::new();
    let counts = [
        (report.components.len(), 1, "component", "components"),
        (report.boundary_loops.len(), 0, "boundary loop", "boundary loops"),
        (report.non_manifold_edges.len(), 0, "non-manifold edge", "non-manifold edges"),
        (report.non_manifold_vertices.len(), 0, "pinched vertex", "pinched vertices"),
        (
            report.inconsistently_oriented_edges.len(),
            0,
            "inconsistently oriented edge",
            "inconsistently oriented edges",
        ),
        (report.unused_vertices.len(), 0, "unused vertex", "unused vertices"),
        (report.duplicate_vertices.len(), 0, "doubled vertex", "doubled vertices"),
        (report.degenerate_triangles.len(), 0, "triangle without area", "triangles without area"),
    ];
    for (found, expected, one, many) in counts {
        if found != expected {
            out.push(format!("{found} {} (expected {expected})", if found == 1 { one } else { many }));
        }
    }
    if let Some(genus) = report.genus.filter(|genus| *genus > 0) {
        out.push(format!("genus {genus} (expected 0)"));
    }
    out
}

/// Six times the volume, about the first vertex, positive where triangles face outwards.
fn signed_volume(mesh: &TriMesh) -> f64 {
    let origin = mesh.vertices()[0];
    let of = |t: usize| {
        let [a, b, c] = mesh.corners(t).map(|p| p - origin);
        a.dot(&b.cross(&c))
    };
    (0..mesh.triangles().len()).map(of).sum()
}
