//! Where a registered surface lies on its scan: geometry alone, the same measure for every registration.

use super::method::PosedScan;
use crate::mesh::{Foot, FootFinder, MeshError, Point, TriMesh};

/// Surfaces face alike up to 60 degrees.
const LEAST_COSINE: f64 = 0.5;

/// Registered vertices, each with the point of the scan nearest to it.
pub struct Landed<'a> {
    pub(super) scan: &'a PosedScan,
    pub(super) positions: &'a [Point],
    pub(super) finder: FootFinder,
    /// `None` where the nearest point is on the scan's border: the scan ended before.
    pub(super) feet: Vec<Option<Foot>>,
}

impl<'a> Landed<'a> {
    /// Looks for them; positions are in the scan's coordinates.
    ///
    /// # Errors
    /// [`MeshError::Degenerate`] when the scan holds nothing finite to look on.
    pub fn new(scan: &'a PosedScan, positions: &'a [Point]) -> Result<Self, MeshError> {
        let finder = FootFinder::new(scan.disk.mesh().clone())?;
        let on_border = scan.disk.on_boundary();
        let foot = |p: &Point| Some(finder.closest(p)).filter(|foot| !finder.at_border(foot, &on_border));
        let feet = positions.iter().map(foot).collect();
        Ok(Self { scan, positions, finder, feet })
    }

    /// How far they are.
    pub fn landing(&self) -> Landing {
        let scale = self.scan.similarity.scale;
        let distance = |(p, foot): (&Point, &Option<Foot>)| {
            foot.as_ref().map_or(f64::NAN, |foot| (foot.point - p).norm() / scale)
        };
        Landing { distances: self.positions.iter().zip(&self.feet).map(distance).collect() }
    }

    /// How far those are that lie over the scan: that face as the scan does at the nearest point, to which the way goes along the normal but for
    /// `across` (units of the template). What lies beyond the end of a scan has its nearest point a little inside a ragged rim, or on the
    /// flank of the nose. `surface` has the triangles of the positions.
    ///
    /// # Errors
    /// [`MeshError`] for another surface's triangles.
    pub fn landing_over(&self, surface: &TriMesh, across: f64) -> Result<Landing, MeshError> {
        let own = surface.with_vertices(self.positions.to_vec())?.vertex_normals();
        let normals = self.scan.disk.mesh().vertex_normals();
        let across = across * self.scan.similarity.scale;
        let is_over = |i: usize| {
            let Some(foot) = &self.feet[i] else { return false };
            let Some(normal) = self.finder.blend(foot, &normals).try_normalize(1e-12) else { return false };
            let off = foot.point - self.positions[i];
            normal.dot(&own[i]) > LEAST_COSINE && (off - normal * off.dot(&normal)).norm() < across
        };
        let mut landing = self.landing();
        let distances = landing.distances.iter_mut().enumerate();
        distances.filter(|(i, _)| !is_over(*i)).for_each(|(_, d)| *d = f64::NAN);
        Ok(landing)
    }
}

/// Distances of registered vertices to the scan.
#[derive(Debug, Clone)]
pub struct Landing {
    /// Vertex by vertex, in units of the template; NaN where the nearest point is on the scan's border: the scan ended
    /// before.
    pub distances: Vec<f64>,
}

impl Landing {
    fn measured(&self) -> impl Iterator<Item = f64> {
        self.distances.iter().copied().filter(|d| !d.is_nan())
    }

    /// Share of the vertices that lie where there is scan.
    pub fn share(&self) -> f64 {
        self.measured().count() as f64 / self.distances.len().max(1) as f64
    }

    /// Root mean square distance of those.
    pub fn root_mean_square(&self) -> f64 {
        self.nearest_root_mean_square(1.0)
    }

    /// The same of the nearest of them, so large a share of all.
    pub fn nearest_root_mean_square(&self, share: f64) -> f64 {
        let mut all: Vec<f64> = self.measured().collect();
        let count = (share * all.len() as f64) as usize;
        if count < all.len() {
            all.sort_by(f64::total_cmp);
            all.truncate(count);
        }
        (all.iter().map(|d| d * d).sum::<f64>() / all.len().max(1) as f64).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{DiskMesh, Similarity, TriMesh, Vector};
    use nalgebra::Rotation3;

    #[test]
    fn heights_over_a_plate_are_measured_and_what_lies_beyond_it_is_not() {
        let n = 5;
        let vertices = (0..n * n).map(|k| Point::new((k % n) as f64, (k / n) as f64, 0.0)).collect();
        let cell = |k: usize| [[k, k + 1, k + n + 1], [k, k + n + 1, k + n]];
        let triangles = (0..n * (n - 1)).filter(|k| k % n < n - 1).flat_map(cell).collect();
        let disk = DiskMesh::try_new(TriMesh::new(vertices, triangles).unwrap()).unwrap();
        let similarity =
            Similarity { scale: 2.0, rotation: Rotation3::identity(), translation: Vector::zeros() };
        let plate = PosedScan { disk, nose: 12, similarity, filled: Vec::new() };
        let positions = [Point::new(2.3, 1.2, 0.6), Point::new(2.0, 2.0, -0.8), Point::new(9.0, 2.0, 0.0)];
        let landing = Landed::new(&plate, &positions).unwrap().landing();
        assert!((landing.distances[0] - 0.3).abs() < 1e-12 && (landing.distances[1] - 0.4).abs() < 1e-12);
        assert!(landing.distances[2].is_nan());
        assert!((landing.share() - 2.0 / 3.0).abs() < 1e-12);
        assert!((landing.root_mean_square() - 0.125f64.sqrt()).abs() < 1e-12);
    }
}
