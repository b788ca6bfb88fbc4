//! The disk-conformal map: boundary on the unit circle, interior harmonic, no triangle flipped.

use super::boundary::conformal_angles;
use super::flips::{flipped_triangles, unflip};
use super::intrinsic::{SideWeights, cotangent_weights, laplacian};
use crate::mesh::{DiskMesh, TriMesh};
use crate::sparse::{NotPositiveDefinite, SparseCholesky};
use nalgebra::{DMatrix, DVector};

/// A point of the plane as a complex number.
pub type Complex = nalgebra::Complex<f64>;

/// A map of a mesh onto the closed unit disk.
#[derive(Debug, Clone, PartialEq)]
pub struct DiskMap {
    /// One point per vertex, |z| ≤ 1, |z| = 1 on the boundary.
    pub z: Vec<Complex>,
}

/// Why a mesh could not be flattened.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ConformalError {
    /// The Laplacian could not be factored.
    #[error("the mesh is too degenerate to flatten ({0}); remove triangles of no area")]
    Degenerate(#[from] NotPositiveDefinite),
    /// Triangles stayed flipped whatever the weights.
    #[error("{count} triangles cannot be flattened without folding; remove duplicated points and slivers")]
    Folded {
        /// How many.
        count: usize,
    },
}

/// Boundary vertices in order, and where every vertex stands among the unknowns: interior first, boundary last.
pub(super) struct Layout {
    pub(super) boundary: Vec<usize>,
    pub(super) place: Vec<usize>,
}

impl Layout {
    fn new(disk: &DiskMesh) -> Self {
        let n = disk.mesh().vertices().len();
        let boundary = disk.boundary().to_vec();
        let interior = n - boundary.len();
        let mut place = vec![usize::MAX; n];
        boundary.iter().enumerate().for_each(|(k, &v)| place[v] = interior + k);
        let inside = place.iter_mut().filter(|p| **p == usize::MAX);
        inside.enumerate().for_each(|(k, p)| *p = k);
        Self { boundary, place }
    }

    pub(super) fn interior(&self) -> usize {
        self.place.len() - self.boundary.len()
    }
}

/// Maps a disk-like mesh onto the unit disk, as nearly conformal as its triangles allow.
///
/// The boundary lies exactly on the unit circle, counter-clockwise as the mesh's boundary; no triangle is flipped.
/// The map is unique up to a Möbius transformation ([`super::Mobius`]), which is left as the arc-length parameterization
/// of the boundary suggests.
///
/// Method: minimal conformal energy over the boundary's angles (see `boundary.rs`), one sparse factorization in all;
/// where negative cotangents flip triangles, weights near them are made positive until none is (Tutte; Floater 1997).
///
/// # Errors
/// [`ConformalError`].
pub fn disk_map(disk: &DiskMesh) -> Result<DiskMap, ConformalError> {
    let mesh = disk.mesh();
    let layout = Layout::new(disk);
    let weights = cotangent_weights(mesh);
    let (factor, shift) = factor_shifted(mesh, &weights, &layout)?;
    let schur = schur_complement(&factor, shift, layout.boundary.len())?;
    let theta = conformal_angles(&schur, arc_length_angles(mesh, &layout.boundary));
    let circle: Vec<Complex> = theta.iter().map(|&t| Complex::from_polar(1.0, t)).collect();
    let z = harmonic_extension(&factor, &schur, shift, &layout, &circle);
    let flipped = flipped_triangles(mesh, &z);
    if flipped.is_empty() {
        return Ok(DiskMap { z });
    }
    unflip(mesh, &layout, weights, &circle, flipped)
}

/// Factors the Laplacian with a shift so small that it does not show, which makes it positive definite.
fn factor_shifted(
    mesh: &TriMesh,
    weights: &SideWeights,
    layout: &Layout,
) -> Result<(SparseCholesky, f64), ConformalError> {
    let mut size: Vec<f64> = weights.0.iter().map(|w| w.iter().map(|w| w.abs()).sum()).collect();
    let middle = size.len() / 2;
    let typical = *size.select_nth_unstable_by(middle, f64::total_cmp).1;
    let mut shift = 1e-9 * typical;
    loop {
        let matrix = laplacian(mesh, weights, &layout.place, shift);
        match SparseCholesky::keeping_last(&matrix, layout.boundary.len()) {
            Ok(factor) => return Ok((factor, shift)),
            Err(error) if shift > 1e-4 * typical => return Err(error.into()),
            Err(_) => shift *= 30.0,
        }
    }
}

fn schur_complement(factor: &SparseCholesky, shift: f64, n: usize) -> Result<DMatrix<f64>, ConformalError> {
    let lower = factor.schur_factor().ok_or(NotPositiveDefinite)?;
    let mut schur = &lower * lower.transpose();
    (0..n).for_each(|k| schur[(k, k)] -= shift);
    Ok(schur)
}

/// Angles in proportion to the boundary's length.
fn arc_length_angles(mesh: &TriMesh, boundary: &[usize]) -> DVector<f64> {
    let n = boundary.len();
    let v = mesh.vertices();
    let mean = (0..n).map(|k| (v[boundary[(k + 1) % n]] - v[boundary[k]]).norm()).sum::<f64>() / n as f64;
    // Coincident boundary points still need room on the circle.
    let lengths: Vec<f64> =
        (0..n).map(|k| (v[boundary[(k + 1) % n]] - v[boundary[k]]).norm().max(1e-3 * mean)).collect();
    let total: f64 = lengths.iter().sum();
    let mut sum = 0.0;
    DVector::from_fn(n, |k, _| {
        let angle = std::f64::consts::TAU * sum / total;
        sum += lengths[k];
        angle
    })
}

/// The harmonic map with the given boundary values. The factor is of the whole Laplacian: with S x on the boundary and
/// zero inside as right-hand side, its solution takes the values x on the boundary.
fn harmonic_extension(
    factor: &SparseCholesky,
    schur: &DMatrix<f64>,
    shift: f64,
    layout: &Layout,
    circle: &[Complex],
) -> Vec<Complex> {
    let (n, interior) = (layout.place.len(), layout.interior());
    let values = DMatrix::from_fn(circle.len(), 2, |k, c| if c == 0 { circle[k].re } else { circle[k].im });
    let mut columns = DMatrix::zeros(n, 2);
    columns.rows_mut(interior, circle.len()).copy_from(&(schur * &values + shift * &values));
    factor.solve_in_place(&mut columns);
    spread(layout, circle, |p| Complex::new(columns[(p, 0)], columns[(p, 1)]))
}

/// Vertex order from unknowns: interior as solved, boundary exactly on the circle.
pub(super) fn spread(layout: &Layout, circle: &[Complex], solved: impl Fn(usize) -> Complex) -> Vec<Complex> {
    let interior = layout.interior();
    layout.place.iter().map(|&p| if p < interior { solved(p) } else { circle[p - interior] }).collect()
}
