//! Makes a bijective disk map as conformal as it can be, triangle by triangle.

use super::ConformalError;
use super::circle::{CircleEnergy, Stop, on_circle, unwound_angles};
use super::distortion::{Derivatives, derivatives, penalty_slope, total_penalty};
use super::elimination::Elimination;
use super::factor::Factor;
use super::intrinsic::Intrinsic;
use super::laplacian::zero_matrix;
use super::orientation::flipped_triangles;
use crate::mesh::DiskMesh;
use faer::Mat;
use nalgebra::Complex;
use nalgebra_sparse::CscMatrix;
use std::f64::consts::TAU;
use std::sync::Arc;

/// Most Gauss–Newton steps.
const STEPS: usize = 6;
/// Stop when a step lowers the energy by less than this part of it.
const GAIN: f64 = 0.025;
/// How much of its distance from folding, 1 − |μ|, a triangle must keep in one step.
const KEPT: f64 = 0.1;
/// Factor by which vertices of endangered triangles are held back.
const HOLD_BACK: f64 = 0.6;

/// One Gauss–Newton model of the energy: least squares of linearized Beltrami coefficients, Hermitian in z.
struct Model {
    lower: CscMatrix<Complex<f64>>,
    /// b in elimination order; the model is ½ zᴴ C z + Re(bᴴ z).
    linear: Vec<Complex<f64>>,
    /// Mean diagonal entry, the scale of C.
    scale: f64,
}

/// Lowers the summed distortion of a bijective map by a few Gauss–Newton steps; the boundary slides on the
/// circle. Bijectivity is kept: vertices that would fold a triangle are held back.
///
/// Near a conformal map μ is linear in z to first order,
/// μ(z) ≈ (∂̄z − μ₀ ∂(z − z₀))/∂z₀, so Σ c_t |μ_t(z)|² with reweighting c_t = h'(|μ₀|²) is a complex least
/// squares problem on the edges of the mesh: a Hermitian system of the pattern of the Laplacian.
pub(crate) fn refine(
    disk: &DiskMesh,
    shape: &Intrinsic,
    elimination: &Arc<Elimination>,
    z: &mut Vec<Complex<f64>>,
) -> Result<(), ConformalError> {
    let triangles = disk.mesh().triangles();
    let mut current = derivatives(shape, triangles, z);
    let mut energy = total_penalty(&current);
    for _ in 0..STEPS {
        let model = build_model(disk, shape, elimination, &current);
        let angles: Vec<f64> = unwound_angles(&boundary_of(disk, z));
        let Ok((target_angles, target)) = minimize(disk, elimination, model, &angles) else {
            // A model that cannot be solved ends the refinement: the map we have is bijective already.
            return Ok(());
        };
        let path = Path { disk, from: z, from_angles: &angles, to: &target, to_angles: &target_angles };
        let Some((next, next_derivatives, next_energy)) = path.descend(shape, &current, energy) else {
            return Ok(());
        };
        let gain = (energy - next_energy) / energy;
        *z = next;
        (current, energy) = (next_derivatives, next_energy);
        if gain < GAIN {
            break;
        }
    }
    Ok(())
}

fn boundary_of(disk: &DiskMesh, z: &[Complex<f64>]) -> Vec<Complex<f64>> {
    disk.boundary().iter().map(|&v| z[v]).collect()
}

fn build_model(
    disk: &DiskMesh,
    shape: &Intrinsic,
    elimination: &Elimination,
    current: &[Derivatives],
) -> Model {
    let mut lower = zero_matrix(elimination, Complex::ZERO);
    let mut linear = vec![Complex::ZERO; elimination.n()];
    let values = lower.values_mut();
    let position = elimination.position();
    let mut trace = 0.0;
    for (t, (triangle, d)) in disk.mesh().triangles().iter().zip(current).enumerate() {
        let weight = penalty_slope(d.beltrami_squared()) / d.conformal.norm_sqr();
        let ratio = d.anticonformal / d.conformal;
        let row = shape.opposite()[t].map(|w| w - ratio * w.conj());
        let slots = &elimination.slots()[t];
        for k in 0..3 {
            let next = (k + 1) % 3;
            let diagonal = weight * row[k].norm_sqr();
            trace += diagonal;
            values[slots.diagonal[k]] += Complex::from(diagonal);
            let product = row[k].conj() * row[next] * weight;
            values[slots.side[k]] += if slots.start_is_row[k] { product } else { product.conj() };
            linear[position[triangle[k]]] += row[k].conj() * d.anticonformal * weight;
        }
    }
    Model { lower, linear, scale: trace / elimination.n() as f64 }
}

/// The minimum of the model over the interior vertices and the boundary angles.
fn minimize(
    disk: &DiskMesh,
    elimination: &Arc<Elimination>,
    model: Model,
    angles: &[f64],
) -> Result<(Vec<f64>, Vec<Complex<f64>>), ConformalError> {
    let (n, first) = (elimination.n(), elimination.n_interior());
    let factor = Factor::new(elimination, model.lower, model.scale)?;
    let corner = factor.boundary_factor();
    // One forward solve eliminates the interior from the linear term ...
    let mut y = Mat::from_fn(n, 1, |i, _| model.linear[i]);
    factor.forward(y.as_mut())?;
    let reduced = &corner * y.subrows(first, n - first);
    let energy = CircleEnergy {
        matrix: factor.schur_complement(&corner),
        linear: (0..n - first).map(|k| reduced[(k, 0)]).collect(),
    };
    let mut angles = angles.to_vec();
    energy.descend(&mut angles, &Stop { steps: 2, movement: 1e-6 })?;
    // ... and one backward solve gives the interior from the boundary.
    let boundary = on_circle(&angles);
    let boundary = Mat::from_fn(n - first, 1, |k, _| boundary[k]);
    let product = corner.adjoint() * &boundary;
    for i in 0..first {
        y[(i, 0)] = -y[(i, 0)];
    }
    y.subrows_mut(first, n - first).copy_from(&product);
    factor.backward(y.as_mut())?;
    let mut z: Vec<Complex<f64>> = elimination.position().iter().map(|&p| y[(p, 0)]).collect();
    disk.boundary().iter().enumerate().for_each(|(k, &v)| z[v] = boundary[(k, 0)]);
    Ok((angles, z))
}

/// From one map to another: interior vertices on straight lines, boundary vertices on the circle.
struct Path<'a> {
    disk: &'a DiskMesh,
    from: &'a [Complex<f64>],
    from_angles: &'a [f64],
    to: &'a [Complex<f64>],
    to_angles: &'a [f64],
}

type Reached = (Vec<Complex<f64>>, Vec<Derivatives>, f64);

impl Path<'_> {
    /// A bijective map of lower energy towards the end of the path; none when there is none worth taking.
    fn descend(&self, shape: &Intrinsic, current: &[Derivatives], energy: f64) -> Option<Reached> {
        let triangles = self.disk.mesh().triangles();
        let room: Vec<f64> = current.iter().map(|d| 1.0 - d.beltrami_squared().sqrt()).collect();
        let mut progress = vec![1.0; self.from.len()];
        for _ in 0..100 {
            let z = self.at(&progress);
            let reached = derivatives(shape, triangles, &z);
            let endangered: Vec<usize> = (0..triangles.len())
                .filter(|&t| {
                    let left = 1.0 - reached[t].beltrami_squared().sqrt();
                    left.is_nan() || left <= KEPT * room[t]
                })
                .collect();
            if endangered.is_empty() {
                let reached_energy = total_penalty(&reached);
                if reached_energy < energy && flipped_triangles(triangles, &z).is_empty() {
                    return Some((z, reached, reached_energy));
                }
                progress.iter_mut().for_each(|p| *p *= 0.5);
            } else {
                let mut held = vec![false; self.from.len()];
                endangered.iter().flat_map(|&t| triangles[t]).for_each(|v| held[v] = true);
                progress.iter_mut().zip(&held).filter(|(_, h)| **h).for_each(|(p, _)| *p *= HOLD_BACK);
            }
        }
        None
    }

    fn at(&self, progress: &[f64]) -> Vec<Complex<f64>> {
        let mut z: Vec<Complex<f64>> =
            self.from.iter().zip(self.to).zip(progress).map(|((a, b), &p)| a + (b - a) * p).collect();
        let boundary = self.disk.boundary();
        let angles: Vec<f64> = boundary
            .iter()
            .zip(self.from_angles.iter().zip(self.to_angles))
            .map(|(&v, (a, b))| a + (b - a) * progress[v])
            .collect();
        boundary.iter().zip(on_circle(&angles)).for_each(|(&v, on)| z[v] = on);
        z
    }
}

/// Whether boundary angles rise strictly within one turn.
pub(crate) fn is_monotone(angles: &[f64]) -> bool {
    angles.windows(2).all(|w| w[0] < w[1])
        && angles.first().zip(angles.last()).is_none_or(|(first, last)| last - first < TAU)
}
