//! The disk conformal map and its recentring.

use super::ConformalError;
use super::circle::{CircleEnergy, Stop, on_circle, proportional_angles, unwound_angles, widen_narrow_arcs};
use super::elimination::Elimination;
use super::harmonic::HarmonicSolver;
use super::intrinsic::Intrinsic;
use super::laplacian::{half_cotangents, ordered_laplacian};
use super::mobius::Mobius;
use super::orientation::flipped_triangles;
use super::refine::{is_monotone, refine};
use super::untangle::{move_into_kernels, with_positive_weights};
use crate::mesh::DiskMesh;
use nalgebra::Complex;
use std::sync::Arc;

/// A bijective map of a mesh to the closed unit disk: piecewise linear between the places of the vertices.
#[derive(Debug, Clone, PartialEq)]
pub struct DiskMap {
    /// Place of every vertex, in vertex order; |z| < 1 inside, |z| = 1 to rounding on the boundary.
    pub z: Vec<Complex<f64>>,
}

/// A point of the surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SurfacePoint {
    /// A vertex.
    Vertex(usize),
    /// A point of a triangle, by barycentric weights (summing to 1).
    Triangle {
        /// The triangle.
        triangle: usize,
        /// Weights of its three corners.
        weights: [f64; 3],
    },
}

/// Largest number of Newton steps on the boundary; arc length is rarely more than six away.
const BOUNDARY_STEPS: Stop = Stop { steps: 20, movement: 1e-4 };

/// Most rounds of repairing and refining for a centre far from the middle.
const RECENTRINGS: usize = 8;

/// A disk conformal map of a disk-like mesh: boundary exactly on the unit circle, no triangle turned over, as
/// conformal as the triangulation allows; the same however the mesh is posed and scaled, and up to rotation however
/// it is numbered.
///
/// 1. Among the harmonic maps with boundary on the circle, the conformal one has the least Dirichlet energy
///    less area (conformal energy, Hutchinson 1991; Yueh, Lin, Wu and Yau 2017). One sparse Cholesky factor
///    with the boundary eliminated last gives the energy as a dense quadratic form of the boundary, minimized
///    over the boundary angles by Newton's method from arc length.
/// 2. The Möbius freedom is fixed: the mean of the vertices, weighted by the area around them on the surface, lies at
///    the origin, and the boundary vertex of least number at 1.
/// 3. Flipped triangles (obtuse ones make cotangent weights negative) are turned back: single vertices are
///    moved into the kernels of their stars, or positive weights are used around them.
/// 4. A few Gauss–Newton steps lower the sum over triangles of a robust measure of the Beltrami coefficient,
///    boundary angles included: finite elements weigh triangles by their area, but angles do not. Triangles
///    are kept from folding at every step.
///
/// # Errors
/// [`ConformalError`] when the mesh has no size or is too uneven for double precision.
pub fn disk_map(disk: &DiskMesh) -> Result<DiskMap, ConformalError> {
    let parts = Parts::new(disk)?;
    let weights = surface_weights(disk, &parts.shape);
    let mut map = DiskMap::unrefined(disk, &parts, &weights)?;
    refine(disk, &parts.shape, &parts.elimination, &mut map.z)?;
    map.fix_gauge(disk, &weights);
    Ok(map)
}

/// A disk map by the first three steps of [`disk_map`]: one-to-one, and nearly as conformal where triangles are round.
///
/// # Errors
/// As [`disk_map`].
pub fn disk_chart(disk: &DiskMesh) -> Result<DiskMap, ConformalError> {
    let parts = Parts::new(disk)?;
    DiskMap::unrefined(disk, &parts, &surface_weights(disk, &parts.shape))
}

/// What the steps of a map share.
struct Parts {
    shape: Intrinsic,
    elimination: Arc<Elimination>,
    half_cotangents: Vec<[f64; 3]>,
}

impl Parts {
    fn new(disk: &DiskMesh) -> Result<Self, ConformalError> {
        let shape = Intrinsic::new(disk.mesh())?;
        let elimination = Arc::new(Elimination::new(disk)?);
        let half_cotangents = half_cotangents(&shape);
        Ok(Self { shape, elimination, half_cotangents })
    }
}

fn boundary_lengths(disk: &DiskMesh) -> Vec<f64> {
    let (b, p) = (disk.boundary(), disk.mesh().vertices());
    (0..b.len()).map(|k| (p[b[(k + 1) % b.len()]] - p[b[k]]).norm()).collect()
}

/// Share of the surface around each vertex.
fn surface_weights(disk: &DiskMesh, shape: &Intrinsic) -> Vec<f64> {
    let total: f64 = shape.double_area().iter().sum();
    let mut out = vec![0.0; disk.mesh().vertices().len()];
    for (triangle, area) in disk.mesh().triangles().iter().zip(shape.double_area()) {
        triangle.iter().for_each(|&v| out[v] += area / (3.0 * total));
    }
    out
}

impl DiskMap {
    /// Puts the weighted mean of the vertices at 0 by a Möbius transformation (conformal barycentre, Hersch
    /// 1970), by Newton's method; the weights sum to 1.
    fn balance(&mut self, weights: &[f64]) {
        for _ in 0..30 {
            let (mut mean, mut square) = (Complex::<f64>::ZERO, Complex::<f64>::ZERO);
            for (z, &w) in self.z.iter().zip(weights) {
                mean += z * w;
                square += z * z * w;
            }
            // The mean moves by −a + ā E[z²] to first order: solve a − ā E[z²] = E[z].
            let a = (mean + square * mean.conj()) / (1.0 - square.norm_sqr()).max(0.1);
            let a = if a.norm() > 0.5 { a * (0.5 / a.norm()) } else { a };
            match Mobius::new(a, 0.0) {
                Ok(mobius) if a.norm() > 1e-14 => self.z.iter_mut().for_each(|z| *z = mobius.apply(*z)),
                _ => break,
            }
        }
    }

    /// Balances again what refinement has moved, and turns the boundary vertex of least number to 1. A balance that
    /// would turn a triangle over (it is a hair's breadth away) is left.
    fn fix_gauge(&mut self, disk: &DiskMesh, weights: &[f64]) {
        let mut balanced = self.clone();
        balanced.balance(weights);
        balanced.turn_to_first(disk);
        if balanced.is_bijective(disk) {
            *self = balanced;
            return;
        }
        let mut turned = self.clone();
        turned.turn_to_first(disk);
        if turned.is_bijective(disk) {
            *self = turned;
        }
    }

    /// Turns the boundary vertex of least number to 1.
    fn turn_to_first(&mut self, disk: &DiskMesh) {
        let Some(&first) = disk.boundary().iter().min() else { return };
        let turn = self.z[first].conj() / self.z[first].norm();
        self.z.iter_mut().for_each(|z| *z *= turn);
        self.put_boundary_on_circle(disk);
        self.z[first] = Complex::ONE;
    }

    /// Steps 1 to 3.
    fn unrefined(disk: &DiskMesh, parts: &Parts, weights: &[f64]) -> Result<Self, ConformalError> {
        // Triangles beyond the resolution of numbers: start from the other end, the even map.
        Self::harmonic(disk, parts, weights).or_else(|_| Self::even(disk, parts))
    }

    /// Steps 1 to 3: the harmonic map of least conformal energy, balanced, its flipped triangles turned back.
    fn harmonic(disk: &DiskMesh, parts: &Parts, weights: &[f64]) -> Result<Self, ConformalError> {
        let laplacian = ordered_laplacian(&parts.elimination, &parts.half_cotangents);
        let solver = HarmonicSolver::from_laplacian(&parts.elimination, laplacian)?;
        let mut angles = proportional_angles(&boundary_lengths(disk));
        if !is_monotone(&angles) {
            // Coincident boundary vertices: give every edge the same arc.
            angles = proportional_angles(&vec![1.0; angles.len()]);
        }
        CircleEnergy::conformal(&solver.dirichlet_to_neumann()).descend(&mut angles, &BOUNDARY_STEPS)?;
        widen_narrow_arcs(&mut angles);
        let mut map = Self { z: solver.extend_map(&on_circle(&angles))? };
        drop(solver);
        map.balance(weights);
        map.unflip(disk, parts)?;
        Ok(map)
    }

    /// Tutte's map: even arcs on the boundary, every interior vertex at the mean of its neighbours.
    fn even(disk: &DiskMesh, parts: &Parts) -> Result<Self, ConformalError> {
        let laplacian = ordered_laplacian(&parts.elimination, &vec![[0.5; 3]; disk.mesh().triangles().len()]);
        let solver = HarmonicSolver::from_laplacian(&parts.elimination, laplacian)?;
        let even = proportional_angles(&vec![1.0; disk.boundary().len()]);
        let map = Self { z: solver.extend_map(&on_circle(&even))? };
        match flipped_triangles(disk.mesh().triangles(), &map.z).len() {
            0 => Ok(map),
            flipped => Err(ConformalError::NotBijective { flipped }),
        }
    }

    fn put_boundary_on_circle(&mut self, disk: &DiskMesh) {
        for &v in disk.boundary() {
            let r = self.z[v].norm();
            self.z[v] /= r;
        }
    }

    /// Turns flipped triangles back, boundary fixed.
    fn unflip(&mut self, disk: &DiskMesh, parts: &Parts) -> Result<(), ConformalError> {
        self.put_boundary_on_circle(disk);
        let before = self.z.clone();
        if move_into_kernels(disk.mesh().triangles(), &disk.on_boundary(), &mut self.z) {
            return Ok(());
        }
        self.z = before;
        with_positive_weights(disk, &parts.elimination, &parts.half_cotangents, &mut self.z)
    }

    /// The image of a point of the surface.
    ///
    /// # Errors
    /// [`ConformalError::BadPoint`] when the vertex or triangle does not exist, or the weights are not
    /// barycentric.
    pub fn image(&self, disk: &DiskMesh, place: &SurfacePoint) -> Result<Complex<f64>, ConformalError> {
        let missing = || ConformalError::BadPoint(format!("{place:?} is not a point of the mesh"));
        match *place {
            SurfacePoint::Vertex(v) => self.z.get(v).copied().ok_or_else(missing),
            SurfacePoint::Triangle { triangle, weights } => {
                let sound =
                    weights.iter().all(|w| *w >= 0.0) && (weights.iter().sum::<f64>() - 1.0).abs() < 1e-6;
                let corners = disk.mesh().triangles().get(triangle).filter(|_| sound).ok_or_else(missing)?;
                Ok(corners.iter().zip(weights).map(|(&v, w)| self.z[v] * w).sum())
            }
        }
    }

    /// Moves `centre` (the nose tip, say) to 0 and turns the disk so that `up` (a point of the forehead, say)
    /// lies on the positive imaginary axis. The boundary stays on the circle, and no triangle turns over.
    ///
    /// # Errors
    /// [`ConformalError::BadPoint`] when a place does not exist, the centre is on the boundary or the two
    /// coincide; [`ConformalError::NotCentred`] when triangles turn over on the way and cannot be turned back.
    pub fn recentre(
        &mut self,
        disk: &DiskMesh,
        centre: &SurfacePoint,
        up: &SurfacePoint,
    ) -> Result<(), ConformalError> {
        let expected = disk.mesh().vertices().len();
        if self.z.len() != expected {
            return Err(ConformalError::WrongLength { what: "vertices", given: self.z.len(), expected });
        }
        let mut moved = self.clone();
        moved.apply_centring(disk, centre, up)?;
        if !moved.is_bijective(disk) && !moved.repair_centred(disk, centre, up)? {
            moved.recentre_refining(disk, centre, up)?;
        }
        *self = moved;
        Ok(())
    }

    /// Applies the Möbius transformation that takes the centre to 0 and `up` above it.
    fn apply_centring(
        &mut self,
        disk: &DiskMesh,
        centre: &SurfacePoint,
        up: &SurfacePoint,
    ) -> Result<(), ConformalError> {
        // A point inside a triangle is not moved exactly as the triangle is: repeat, it converges at once.
        for _ in 0..8 {
            let at = self.image(disk, centre)?;
            let mobius = Mobius::centring(at, self.image(disk, up)?)?;
            self.z.iter_mut().for_each(|z| *z = mobius.apply(*z));
            if let SurfacePoint::Vertex(v) = *centre {
                self.z[v] = Complex::ZERO;
            }
            if at.norm() < 1e-15 {
                break;
            }
        }
        self.put_boundary_on_circle(disk);
        Ok(())
    }

    /// Turns back what the transformation turned over, the two places fixed; says whether that succeeded.
    fn repair_centred(
        &mut self,
        disk: &DiskMesh,
        centre: &SurfacePoint,
        up: &SurfacePoint,
    ) -> Result<bool, ConformalError> {
        let triangles = disk.mesh().triangles();
        let mut fixed = disk.on_boundary();
        for place in [centre, up] {
            match *place {
                SurfacePoint::Vertex(v) => fixed[v] = true,
                SurfacePoint::Triangle { triangle, .. } => {
                    triangles[triangle].iter().for_each(|&v| fixed[v] = true)
                }
            }
        }
        let before = self.z.clone();
        let done = move_into_kernels(triangles, &fixed, &mut self.z);
        if !done {
            self.z = before;
        }
        Ok(done)
    }

    /// For centres that the transformation takes far, so that triangles turn over: repairs and refines the
    /// map there, and repeats with what is left to move.
    fn recentre_refining(
        &mut self,
        disk: &DiskMesh,
        centre: &SurfacePoint,
        up: &SurfacePoint,
    ) -> Result<(), ConformalError> {
        let parts = Parts::new(disk)?;
        for _ in 0..RECENTRINGS {
            self.unflip(disk, &parts)?;
            refine(disk, &parts.shape, &parts.elimination, &mut self.z)?;
            self.apply_centring(disk, centre, up)?;
            if self.is_bijective(disk) || self.repair_centred(disk, centre, up)? {
                return Ok(());
            }
        }
        Err(ConformalError::NotCentred { flipped: flipped_triangles(disk.mesh().triangles(), &self.z).len() })
    }

    /// Whether the map is one-to-one: boundary in strict order on the circle, every triangle strictly
    /// counter-clockwise (decided exactly).
    pub fn is_bijective(&self, disk: &DiskMesh) -> bool {
        let boundary: Vec<Complex<f64>> =
            disk.boundary().iter().filter_map(|&v| self.z.get(v).copied()).collect();
        self.z.len() == disk.mesh().vertices().len()
            && is_monotone(&unwound_angles(&boundary))
            && flipped_triangles(disk.mesh().triangles(), &self.z).is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{Point, TriMesh};

    /// A fan of `k` triangles round an off-centre apex.
    fn fan(k: usize) -> DiskMesh {
        let mut vertices: Vec<Point> = (0..k)
            .map(|i| {
                let a = std::f64::consts::TAU * (i as f64 + 0.3 * (i as f64).sin()) / k as f64;
                Point::new(a.cos(), a.sin(), 0.1 * (3.0 * a).cos())
            })
            .collect();
        vertices.push(Point::new(0.2, 0.1, 0.7));
        let triangles = (0..k).map(|i| [i, (i + 1) % k, k]).collect();
        DiskMesh::try_new(TriMesh::new(vertices, triangles).unwrap()).unwrap()
    }

    #[test]
    fn the_even_map_is_the_last_resort_and_is_bijective() {
        let disk = fan(9);
        let map = DiskMap::even(&disk, &Parts::new(&disk).unwrap()).unwrap();
        assert!(map.is_bijective(&disk));
        // Equal weights put the apex at the mean of its neighbours, the centre.
        assert!(map.z[9].norm() < 1e-14);
    }

    #[test]
    fn balance_centres_the_weights() {
        let disk = fan(7);
        let mut map = disk_map(&disk).unwrap();
        let away = Mobius::new(Complex::new(0.6, -0.3), 0.4).unwrap();
        map.z.iter_mut().for_each(|z| *z = away.apply(*z));
        let weights = vec![1.0 / 8.0; 8];
        map.balance(&weights);
        let mean: Complex<f64> = map.z.iter().zip(&weights).map(|(z, w)| z * w).sum();
        assert!(mean.norm() < 1e-12);
    }

    #[test]
    fn the_gauge_is_the_documented_one() {
        let disk = fan(11);
        let map = disk_map(&disk).unwrap();
        assert_eq!(map.z[0], Complex::ONE);
        let weights = surface_weights(&disk, &Intrinsic::new(disk.mesh()).unwrap());
        let mean: Complex<f64> = map.z.iter().zip(&weights).map(|(z, w)| z * w).sum();
        assert!(mean.norm() < 1e-12, "{mean}");
        // Pose and scale do not matter.
        let turn = nalgebra::Rotation3::from_euler_angles(0.3, -2.0, 1.1);
        let moved =
            disk.mesh().vertices().iter().map(|p| turn * p * 7.0 + nalgebra::Vector3::new(1.0, 2.0, 3.0));
        let again = disk_map(&disk.with_vertices(moved.collect()).unwrap()).unwrap();
        map.z.iter().zip(&again.z).for_each(|(a, b)| assert!((a - b).norm() < 1e-6, "{a} {b}"));
    }

    #[test]
    fn one_triangle_fills_the_inscribed_triangle() {
        let vertices = vec![Point::origin(), Point::new(1., 0., 0.), Point::new(0., 2., 0.)];
        let disk = DiskMesh::try_new(TriMesh::new(vertices, vec![[0, 1, 2]]).unwrap()).unwrap();
        let map = disk_map(&disk).unwrap();
        assert!(map.is_bijective(&disk));
        assert!(map.z.iter().all(|z| (z.norm() - 1.0).abs() < 1e-15));
    }

    #[test]
    fn places_off_the_mesh_and_impossible_centres_are_refused() {
        let disk = fan(6);
        let mut map = disk_map(&disk).unwrap();
        let before = map.clone();
        let bad = [
            (SurfacePoint::Vertex(7), SurfacePoint::Vertex(0)),
            (SurfacePoint::Vertex(6), SurfacePoint::Triangle { triangle: 9, weights: [1.0, 0.0, 0.0] }),
            (SurfacePoint::Triangle { triangle: 0, weights: [0.9, 0.9, -0.8] }, SurfacePoint::Vertex(0)),
            (SurfacePoint::Vertex(6), SurfacePoint::Vertex(6)),
            (SurfacePoint::Vertex(0), SurfacePoint::Vertex(6)),
        ];
        for (centre, up) in bad {
            assert!(
                matches!(map.recentre(&disk, &centre, &up), Err(ConformalError::BadPoint(_))),
                "{centre:?}"
            );
        }
        assert_eq!(map, before);
        map.z.pop();
        assert!(matches!(
            map.recentre(&disk, &SurfacePoint::Vertex(1), &SurfacePoint::Vertex(0)),
            Err(ConformalError::WrongLength { given: 6, expected: 7, .. })
        ));
    }
}
