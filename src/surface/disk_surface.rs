//! Surfaces as maps f: D → ℝ³ from the unit disk, on a polar grid.

use super::locate::{LocateError, PlanarLocator};
use super::polar::PolarGrid;
use crate::mesh::{DiskMesh, MeshError, Point, TriMesh, Vector};
use nalgebra::Complex;

/// Why a surface cannot be resampled or normalized.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SurfaceError {
    /// The flattened mesh cannot be searched.
    #[error("{0}")]
    Locate(#[from] LocateError),
    /// As many places are needed as the mesh or the grid has vertices.
    #[error("{got} places were given for {expected} vertices; give one for each")]
    WrongLength {
        /// How many are needed.
        expected: usize,
        /// How many were given.
        got: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error("place {0} of the surface is not a finite number; check the scan's coordinates")]
    NotFinite(usize),
    /// The surface has no area, or so much that it overflows.
    #[error("the surface has area {0}, which cannot be scaled to 1; check the scan's coordinates")]
    NoArea(f64),
    /// A mesh could not be made of it.
    #[error("{0}")]
    Mesh(#[from] MeshError),
}

/// A surface f: D → ℝ³ sampled at the nodes of a polar grid, linear on the grid's triangles between them.
#[derive(Debug, Clone, PartialEq)]
pub struct DiskSurface {
    grid: PolarGrid,
    positions: Vec<Point>,
}

/// How well a resampled surface stands for its mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SurfaceQuality {
    /// Area of the resampled surface over that of the mesh: slightly under 1 when nothing is lost.
    pub area_ratio: f64,
    /// Neighbouring triangles whose normals are more than 90° apart: creases the grid cannot follow, or folds.
    pub sharp_creases: usize,
    /// Longest over mean edge of the grid's image: how uneven the sampling is.
    pub longest_edge_ratio: f64,
}

impl DiskSurface {
    /// The surface with these places at the grid's nodes (in [`PolarGrid::nodes`] order).
    ///
    /// # Errors
    /// [`SurfaceError::WrongLength`], [`SurfaceError::NotFinite`].
    pub fn new(grid: PolarGrid, positions: Vec<Point>) -> Result<Self, SurfaceError> {
        if positions.len() != grid.n_nodes() {
            return Err(SurfaceError::WrongLength { expected: grid.n_nodes(), got: positions.len() });
        }
        match positions.iter().position(|p| !p.coords.iter().all(|c| c.is_finite())) {
            Some(node) => Err(SurfaceError::NotFinite(node)),
            None => Ok(Self { grid, positions }),
        }
    }

    /// Resamples a mesh flattened to the unit disk (`z`: one place per vertex) on the grid.
    ///
    /// Nodes that fall between the circle and the flattened border polygon take the nearest border place.
    ///
    /// # Errors
    /// [`SurfaceError::WrongLength`] when `z` has not one place per vertex; [`SurfaceError::Locate`].
    pub fn resample(disk: &DiskMesh, z: &[Complex<f64>], grid: PolarGrid) -> Result<Self, SurfaceError> {
        let vertices = disk.mesh().vertices();
        if z.len() != vertices.len() {
            return Err(SurfaceError::WrongLength { expected: vertices.len(), got: z.len() });
        }
        let locator = PlanarLocator::new(z, disk.mesh().triangles())?;
        Ok(Self::pulled_back(&locator, vertices, grid, &grid.nodes()))
    }

    /// f ∘ γ, with γ given by its values at the grid's nodes and f by a flattened mesh.
    pub(crate) fn pulled_back(
        flattened: &PlanarLocator,
        vertices: &[Point],
        grid: PolarGrid,
        gamma: &[Complex<f64>],
    ) -> Self {
        let coords: Vec<Vector> = vertices.iter().map(|p| p.coords).collect();
        let positions = gamma.iter().map(|&z| Point::from(flattened.interpolate(&coords, z))).collect();
        Self { grid, positions }
    }

    /// The grid.
    pub fn grid(&self) -> PolarGrid {
        self.grid
    }

    /// The places, in [`PolarGrid::nodes`] order.
    pub fn positions(&self) -> &[Point] {
        &self.positions
    }

    /// The surface as a triangle mesh of the grid.
    ///
    /// # Errors
    /// None for a surface made by this module; the mesh type checks again.
    pub fn to_mesh(&self) -> Result<TriMesh, MeshError> {
        TriMesh::new(self.positions.clone(), self.grid.triangles())
    }

    /// (b − a) × (c − a) of every triangle of the grid: twice the area vectors.
    pub(crate) fn area_vectors(&self, triangles: &[[usize; 3]]) -> Vec<Vector> {
        let p = &self.positions;
        triangles.iter().map(|&[a, b, c]| (p[b] - p[a]).cross(&(p[c] - p[a]))).collect()
    }

    /// Centred and scaled to area 1: f ↦ (f − centroid)/√area, with the area-weighted centroid of the surface.
    ///
    /// # Errors
    /// [`SurfaceError::NoArea`].
    pub fn normalize(&self) -> Result<UnitAreaSurface, SurfaceError> {
        let mesh = self.to_mesh()?;
        let area = mesh.area();
        if !(area.is_finite() && area > 0.0) {
            return Err(SurfaceError::NoArea(area));
        }
        let (centroid, scale) = (mesh.area_centroid(), 1.0 / area.sqrt());
        let positions = self.positions.iter().map(|p| Point::from((p - centroid) * scale)).collect();
        Ok(UnitAreaSurface(Self { grid: self.grid, positions }))
    }

    /// Measures how well the surface stands for the mesh it was resampled from.
    pub fn quality(&self, original: &TriMesh) -> SurfaceQuality {
        let triangles = self.grid.triangles();
        let normals = self.area_vectors(&triangles);
        let area: f64 = normals.iter().map(|n| 0.5 * n.norm()).sum();
        let mut sides: Vec<(usize, usize, usize)> = triangles
            .iter()
            .enumerate()
            .flat_map(|(t, &[a, b, c])| [(a, b), (b, c), (c, a)].map(|(i, j)| (i.min(j), i.max(j), t)))
            .collect();
        sides.sort_unstable();
        let pairs = sides.windows(2).filter(|w| (w[0].0, w[0].1) == (w[1].0, w[1].1));
        let sharp_creases = pairs.filter(|w| normals[w[0].2].dot(&normals[w[1].2]) < 0.0).count();
        let lengths = sides.iter().map(|&(a, b, _)| (self.positions[b] - self.positions[a]).norm());
        let (longest, total) = lengths.fold((0.0_f64, 0.0), |(m, s), l| (m.max(l), s + l));
        SurfaceQuality {
            area_ratio: area / original.area(),
            sharp_creases,
            longest_edge_ratio: longest * sides.len() as f64 / total,
        }
    }
}

/// A disk surface of area 1 with its area centroid at the origin: the only kind that is registered or averaged.
#[derive(Debug, Clone, PartialEq)]
pub struct UnitAreaSurface(DiskSurface);

impl UnitAreaSurface {
    /// The surface.
    pub fn surface(&self) -> &DiskSurface {
        &self.0
    }

    /// The same surface turned about the origin.
    pub fn rotated(&self, rotation: &nalgebra::Rotation3<f64>) -> Self {
        let positions = self.0.positions.iter().map(|p| rotation * p).collect();
        Self(DiskSurface { grid: self.0.grid, positions })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    /// A spherical cap over the disk: f(z) = (x, y, √(4 − |z|²)); area 4π(2 − √3).
    fn cap(grid: PolarGrid) -> (DiskMesh, Vec<Complex<f64>>) {
        let z = grid.nodes();
        let lift = |z: &Complex<f64>| Point::new(z.re, z.im, (4.0 - z.norm_sqr()).sqrt());
        let mesh = TriMesh::new(z.iter().map(lift).collect(), grid.triangles()).unwrap();
        (DiskMesh::try_new(mesh).unwrap(), z)
    }

    #[test]
    fn resampling_a_fine_cap_keeps_its_area_and_shape() {
        let (disk, z) = cap(PolarGrid::new(60, 300).unwrap());
        let s = DiskSurface::resample(&disk, &z, PolarGrid::new(23, 77).unwrap()).unwrap();
        let exact = std::f64::consts::TAU * 2.0 * (2.0 - 3f64.sqrt());
        assert_relative_eq!(s.to_mesh().unwrap().area(), exact, max_relative = 2e-3);
        assert!(s.positions().iter().all(|p| (p.coords.norm() - 2.0).abs() < 1e-3));
        let q = s.quality(disk.mesh());
        assert!(q.sharp_creases == 0 && q.area_ratio < 1.0 && q.area_ratio > 0.997, "{q:?}");
        assert!(q.longest_edge_ratio > 1.0 && q.longest_edge_ratio < 4.0, "{q:?}");
    }

    #[test]
    fn normalizing_gives_unit_area_and_a_centred_surface() {
        let (disk, z) = cap(PolarGrid::new(20, 40).unwrap());
        let moved = disk.mesh().vertices().iter().map(|p| p * 37.0 + Vector::new(5.0, -100.0, 3.0)).collect();
        let disk = disk.with_vertices(moved).unwrap();
        let s = DiskSurface::resample(&disk, &z, PolarGrid::new(16, 40).unwrap()).unwrap();
        let mesh = s.normalize().unwrap().surface().to_mesh().unwrap();
        assert_relative_eq!(mesh.area(), 1.0, epsilon = 1e-12);
        assert!(mesh.area_centroid().coords.norm() < 1e-12);
    }

    #[test]
    fn bad_input_is_named() {
        let grid = PolarGrid::new(1, 3).unwrap();
        let few = DiskSurface::new(grid, vec![Point::origin(); 3]).unwrap_err();
        assert_eq!(few, SurfaceError::WrongLength { expected: 4, got: 3 });
        let mut p = vec![Point::origin(); 4];
        let flat = DiskSurface::new(grid, p.clone()).unwrap().normalize().unwrap_err();
        assert_eq!(flat, SurfaceError::NoArea(0.0));
        p[2].x = f64::INFINITY;
        assert_eq!(DiskSurface::new(grid, p).unwrap_err(), SurfaceError::NotFinite(2));
    }
}
