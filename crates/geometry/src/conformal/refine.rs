//! Makes a bijective disk map as conformal as it can be, triangle by triangle.

use super::ConformalError;
use super::circle::{CircleEnergy, Stop, on_circle, unwound_angles};
use super::distortion::{Derivatives, derivatives, penalty_slope, total_penalty};
use super::elimination::Elimination;
use super::factor::{Entry, Factor};
use super::intrinsic::Intrinsic;
use super::orientation::flipped_triangles;
use crate::mesh::DiskMesh;
use faer::Mat;
use nalgebra::Complex;
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

/// One Gauss–Newton model of the energy: least squares of linearized Beltrami coefficients, Hermitian in the
/// displacement d of the vertices: ½ dᴴ C d + Re(bᴴ d).
///
/// Rows and columns are scaled to a unit diagonal, d = scale · x: then single precision gives a direction that
/// is good enough, at half the cost; the energy itself is always summed in double precision.
struct Model {
    /// Lower triangle of the scaled C on the pattern of the elimination.
    lower: Vec<Complex<f64>>,
    /// Scaled b, in elimination order.
    linear: Vec<Complex<f64>>,
    /// Scale of each unknown, in elimination order.
    scale: Vec<f64>,
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
    let mut storage = Vec::new();
    for _ in 0..STEPS {
        let model = build_model(disk, shape, elimination, &current);
        let boundary: Vec<Complex<f64>> = disk.boundary().iter().map(|&v| z[v]).collect();
        let angles = unwound_angles(&boundary);
        let Some((target_angles, displacement)) =
            minimize::<Complex<f32>>(elimination, &model, &angles, &mut storage)
                .or_else(|_| minimize::<Complex<f64>>(elimination, &model, &angles, &mut Vec::new()))
                .ok()
        else {
            // A model that cannot be solved ends the refinement: the map we have is bijective already.
            return Ok(());
        };
        let path = Path { disk, from: z, from_angles: &angles, displacement, to_angles: &target_angles };
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

fn build_model(
    disk: &DiskMesh,
    shape: &Intrinsic,
    elimination: &Elimination,
    current: &[Derivatives],
) -> Model {
    let (pattern, position) = (elimination.pattern(), elimination.position());
    let mut lower = vec![Complex::<f64>::ZERO; pattern.nnz()];
    let mut linear = vec![Complex::ZERO; elimination.n()];
    for (t, (triangle, d)) in disk.mesh().triangles().iter().zip(current).enumerate() {
        let weight = penalty_slope(d.beltrami_squared()) / d.conformal.norm_sqr();
        let ratio = d.anticonformal / d.conformal;
        let row = shape.opposite()[t].map(|w| w - ratio * w.conj());
        let slots = &elimination.slots()[t];
        for k in 0..3 {
            let next = (k + 1) % 3;
            lower[slots.diagonal[k]] += Complex::from(weight * row[k].norm_sqr());
            let product = row[k].conj() * row[next] * weight;
            lower[slots.side[k]] += if slots.start_is_row[k] { product } else { product.conj() };
            linear[position[triangle[k]]] += row[k].conj() * d.anticonformal * weight;
        }
    }
    let offsets = pattern.major_offsets();
    let scale: Vec<f64> = (0..elimination.n()).map(|j| lower[offsets[j]].re.sqrt().recip()).collect();
    for (j, column) in offsets.windows(2).enumerate() {
        for slot in column[0]..column[1] {
            lower[slot] *= scale[j] * scale[pattern.minor_indices()[slot]];
        }
        linear[j] *= scale[j];
    }
    Model { lower, linear, scale }
}

/// The minimum of the model over the interior displacements and the boundary angles: the angles, and the
/// displacements in vertex order.
fn minimize<T: Entry>(
    elimination: &Arc<Elimination>,
    model: &Model,
    angles: &[f64],
    storage: &mut Vec<T>,
) -> Result<(Vec<f64>, Vec<Complex<f64>>), ConformalError> {
    let (n, first) = (elimination.n(), elimination.n_interior());
    let scale = &model.scale;
    let lower = model.lower.iter().map(|&c| T::round(c)).collect();
    let factor = Factor::<T>::new(elimination, lower, std::mem::take(storage))?;
    let corner = factor.boundary_factor();
    // One forward solve eliminates the interior from the linear term ...
    let mut y = Mat::from_fn(n, 1, |i, _| T::round(model.linear[i]));
    factor.forward(y.as_mut())?;
    let reduced = &corner * y.subrows(first, n - first);
    let schur = Factor::schur_complement(&corner);
    let k = n - first;
    let mut energy = CircleEnergy {
        matrix: Mat::from_fn(k, k, |i, j| schur[(i, j)].widen() / (scale[first + i] * scale[first + j])),
        linear: (0..k).map(|j| reduced[(j, 0)].widen() / scale[first + j]).collect(),
    };
    // ... which holds for displacements, hence for places less where they come from.
    let start = on_circle(angles);
    energy.shift_origin(&start);
    let mut angles = angles.to_vec();
    energy.descend(&mut angles, &Stop { steps: 2, movement: 1e-6 })?;
    // ... and one backward solve gives the interior from the boundary.
    let moved = on_circle(&angles);
    let boundary = Mat::from_fn(k, 1, |j, _| T::round((moved[j] - start[j]) / scale[first + j]));
    let product = corner.adjoint() * &boundary;
    for i in 0..first {
        y[(i, 0)] = -y[(i, 0)];
    }
    y.subrows_mut(first, k).copy_from(&product);
    factor.backward(y.as_mut())?;
    *storage = factor.into_storage();
    let displacement = elimination.position().iter().map(|&p| y[(p, 0)].widen() * scale[p]).collect();
    Ok((angles, displacement))
}

/// From one map to another: interior vertices on straight lines, boundary vertices on the circle.
struct Path<'a> {
    disk: &'a DiskMesh,
    from: &'a [Complex<f64>],
    from_angles: &'a [f64],
    displacement: Vec<Complex<f64>>,
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
            self.from.iter().zip(&self.displacement).zip(progress).map(|((a, d), &p)| a + d * p).collect();
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
