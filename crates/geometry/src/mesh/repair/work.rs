//! A mesh under repair and where its parts come from.

use super::super::{Point, TriMesh, Vector};
use super::log::{Repair, RepairKind, RepairLog};

/// Vertices and triangles with their numbers in the input, and the list of repairs.
#[derive(Clone)]
pub(crate) struct Work {
    pub places: Vec<Point>,
    pub source: Vec<Option<usize>>,
    pub triangles: Vec<[usize; 3]>,
    pub triangle_source: Vec<Option<usize>>,
    pub log: RepairLog,
}

impl Work {
    pub fn new(mesh: TriMesh) -> Self {
        let (places, triangles) = mesh.into_parts();
        Self {
            source: (0..places.len()).map(Some).collect(),
            triangle_source: (0..triangles.len()).map(Some).collect(),
            places,
            triangles,
            log: RepairLog::default(),
        }
    }

    /// Lists a repair.
    pub fn note(&mut self, kind: RepairKind, vertices: Vec<usize>, triangles: Vec<usize>, new: usize) {
        self.log.repairs.push(Repair { kind, vertices, triangles, new_triangles: new });
    }

    /// Keeps the triangles (by number) for which `keep` holds; returns the input numbers of the others.
    pub fn retain(&mut self, keep: impl Fn(usize) -> bool) -> Vec<usize> {
        let kept: Vec<usize> = (0..self.triangles.len()).filter(|&t| keep(t)).collect();
        let gone = (0..self.triangles.len()).filter(|&t| !keep(t)).filter_map(|t| self.triangle_source[t]);
        let gone: Vec<usize> = gone.collect();
        self.triangles = kept.iter().map(|&t| self.triangles[t]).collect();
        self.triangle_source = kept.iter().map(|&t| self.triangle_source[t]).collect();
        gone
    }

    /// Adds triangles that the input does not have.
    pub fn add_triangles(&mut self, new: Vec<[usize; 3]>) {
        self.triangle_source.extend(new.iter().map(|_| None));
        self.triangles.extend(new);
    }

    /// Adds a vertex; returns its number.
    pub fn add_vertex(&mut self, place: Point, source: Option<usize>) -> usize {
        self.places.push(place);
        self.source.push(source);
        self.places.len() - 1
    }

    /// Input numbers of these vertices, rising, each once.
    pub fn sources(&self, vertices: impl IntoIterator<Item = usize>) -> Vec<usize> {
        let mut out: Vec<usize> = vertices.into_iter().filter_map(|v| self.source[v]).collect();
        out.sort_unstable();
        out.dedup();
        out
    }

    /// Area-weighted unit normals at the vertices.
    pub fn normals(&self) -> Vec<Vector> {
        let mut out = vec![Vector::zeros(); self.places.len()];
        for t in &self.triangles {
            let [a, b, c] = t.map(|v| self.places[v]);
            t.iter().for_each(|&v| out[v] += (b - a).cross(&(c - a)));
        }
        out.iter_mut().for_each(|n| *n = n.try_normalize(0.0).unwrap_or_else(Vector::zeros));
        out
    }

    /// Drops the vertices no triangle names and renumbers the others in order.
    pub fn drop_unused(&mut self) {
        let mut used = vec![false; self.places.len()];
        self.triangles.iter().flatten().for_each(|&v| used[v] = true);
        if used.iter().all(|&u| u) {
            return;
        }
        let dropped = self.sources((0..used.len()).filter(|&v| !used[v]));
        let kept: Vec<usize> = (0..used.len()).filter(|&v| used[v]).collect();
        let mut renumbered = vec![0; used.len()];
        kept.iter().enumerate().for_each(|(new, &old)| renumbered[old] = new);
        self.places = kept.iter().map(|&v| self.places[v]).collect();
        self.source = kept.iter().map(|&v| self.source[v]).collect();
        self.triangles.iter_mut().flatten().for_each(|v| *v = renumbered[*v]);
        if !dropped.is_empty() {
            self.note(RepairKind::DroppedUnusedVertices, dropped, vec![], 0);
        }
    }
}
