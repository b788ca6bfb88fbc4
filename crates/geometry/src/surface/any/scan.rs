//! A scan of any kind, made ready: one piece, its sides turned outwards.

use super::error::SurfaceRegistrationError;
use super::kind::Topology;
use crate::mesh::{EdgeTable, TriMesh, Vector, component_labels, topology};

/// What was passed over or changed in a scan before it was registered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct ScanNotes {
    /// Triangles of small pieces, and without area, left out.
    pub dropped: usize,
    /// Holes: borders but the one that a disk has.
    pub holes: usize,
    /// Whether its sides pointed inwards and were turned over (closed surfaces only).
    pub turned_over: bool,
}

/// A scan ready to be registered.
#[derive(Debug)]
pub(super) struct Ready {
    pub mesh: TriMesh,
    /// Vertices of its borders, longest first.
    pub borders: Vec<Vec<usize>>,
    pub notes: ScanNotes,
}

/// A piece that is to be the scan has at least this share of the area.
const LEAST_SHARE: f64 = 0.9;
/// Fewest vertices of a scan.
const FEWEST: usize = 100;
/// The longest border of a scan of a closed surface, over √area.
const LARGEST_HOLE: f64 = 0.5;

impl Ready {
    pub fn new(scan: &TriMesh, template: Topology) -> Result<Self, SurfaceRegistrationError> {
        let (mesh, dropped) = largest_piece(scan)?;
        if mesh.vertices().len() < FEWEST {
            return Err(SurfaceRegistrationError::TooSmall {
                vertices: mesh.vertices().len(),
                fewest: FEWEST,
            });
        }
        let report = topology(&mesh);
        if !report.inconsistently_oriented_edges.is_empty() {
            let edges = report.inconsistently_oriented_edges.len();
            return Err(SurfaceRegistrationError::Sides { edges });
        }
        let borders = report.boundary_loops;
        let longest = borders.first().map_or(0.0, |b| b.length) / mesh.area().sqrt();
        match template {
            Topology::Disk if borders.is_empty() => return Err(SurfaceRegistrationError::Closed),
            Topology::Sphere if longest > LARGEST_HOLE => return Err(SurfaceRegistrationError::Open),
            _ => {}
        }
        let (mesh, turned_over) = outwards(mesh, borders.is_empty());
        let holes = borders.len() - usize::from(template == Topology::Disk);
        let borders = borders.into_iter().map(|b| b.vertices).collect();
        Ok(Self { mesh, borders, notes: ScanNotes { dropped, holes, turned_over } })
    }

    pub fn borders(&self) -> Vec<&[usize]> {
        self.borders.iter().map(Vec::as_slice).collect()
    }
}

/// The piece with the largest area, its unused vertices left out, and how many triangles are not in it.
fn largest_piece(scan: &TriMesh) -> Result<(TriMesh, usize), SurfaceRegistrationError> {
    let proper: Vec<[usize; 3]> = (0..scan.triangles().len())
        .filter(|&t| scan.area_vector(t).norm() > 0.0)
        .map(|t| scan.triangles()[t])
        .collect();
    let labels = component_labels(&proper, &EdgeTable::new(&proper, scan.vertices().len()));
    let mut areas = vec![0.0; proper.len()];
    let v = scan.vertices();
    for (&[a, b, c], &label) in proper.iter().zip(&labels) {
        areas[label] += (v[b] - v[a]).cross(&(v[c] - v[a])).norm();
    }
    let total: f64 = areas.iter().sum();
    let largest = (0..areas.len()).max_by(|&a, &b| areas[a].total_cmp(&areas[b]).then(b.cmp(&a)));
    let Some(largest) = largest else {
        return Err(SurfaceRegistrationError::TooSmall { vertices: 0, fewest: FEWEST });
    };
    if areas[largest] < LEAST_SHARE * total {
        let pieces = areas.iter().filter(|&&a| a > (1.0 - LEAST_SHARE) * total).count();
        return Err(SurfaceRegistrationError::Pieces { pieces, share: areas[largest] / total });
    }
    let kept = proper.iter().zip(&labels).filter(|(_, label)| **label == largest).map(|(t, _)| *t);
    let mut number = vec![usize::MAX; v.len()];
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for t in kept {
        triangles.push(t.map(|i| {
            if number[i] == usize::MAX {
                number[i] = vertices.len();
                vertices.push(v[i]);
            }
            number[i]
        }));
    }
    let dropped = scan.triangles().len() - triangles.len();
    Ok((TriMesh::from_checked(vertices, triangles), dropped))
}

/// A closed mesh with its sides outwards, and whether it was turned over for that.
fn outwards(mesh: TriMesh, closed: bool) -> (TriMesh, bool) {
    let about = mesh.area_centroid();
    let volume = |t: usize| {
        let [a, b, c]: [Vector; 3] = mesh.corners(t).map(|p| p - about);
        a.cross(&b).dot(&c)
    };
    if !closed || (0..mesh.triangles().len()).map(volume).sum::<f64>() >= 0.0 {
        return (mesh, false);
    }
    let (vertices, mut triangles) = mesh.into_parts();
    triangles.iter_mut().for_each(|t| t.swap(1, 2));
    (TriMesh::from_checked(vertices, triangles), true)
}
