//! Quadratic energies of a closed polygon whose corners slide on the unit circle.

use super::ConformalError;
use crate::numeric::dense::cholesky_in_place;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Mat, Par};
use nalgebra::Complex;
use std::f64::consts::TAU;

/// E(θ) = ½ zᴴ M z + Re(bᴴ z) with z_j = e^{iθ_j}, M Hermitian.
pub(crate) struct CircleEnergy {
    /// M, both triangles filled.
    pub(crate) matrix: Mat<Complex<f64>>,
    /// b.
    pub(crate) linear: Vec<Complex<f64>>,
}

/// When to stop sliding.
pub(crate) struct Stop {
    /// Largest number of Newton steps.
    pub(crate) steps: usize,
    /// Stop after a step that moves no corner further than this, in radians.
    pub(crate) movement: f64,
}

/// How much of an arc between neighbours one step must leave.
const ARC_KEPT: f64 = 0.2;
/// Narrowest arc wanted, as a part of an even share of the circle.
const LEAST_ARC: f64 = 1e-6;
/// Stiffness of the three Möbius directions, relative to the largest diagonal entry of the Hessian.
const GAUGE: f64 = 10.0;

impl CircleEnergy {
    /// The conformal energy of the harmonic map with boundary z: Dirichlet energy ½ zᴴ S z less the area of
    /// the boundary polygon (Hutchinson 1991; Yueh, Lin, Wu and Yau 2017).
    pub(crate) fn conformal(dirichlet_to_neumann: &Mat<f64>) -> Self {
        let k = dirichlet_to_neumann.nrows();
        let mut matrix = Mat::from_fn(k, k, |i, j| Complex::new(dirichlet_to_neumann[(i, j)], 0.0));
        for j in 0..k {
            let next = (j + 1) % k;
            matrix[(j, next)] += Complex::new(0.0, 0.5);
            matrix[(next, j)] -= Complex::new(0.0, 0.5);
        }
        Self { matrix, linear: vec![Complex::ZERO; k] }
    }

    /// Makes an energy of displacements z − `origin` one of z (less a constant).
    pub(crate) fn shift_origin(&mut self, origin: &[Complex<f64>]) {
        for (j, z) in origin.iter().enumerate() {
            for (b, m) in self.linear.iter_mut().zip(self.matrix.col_as_slice(j)) {
                *b -= m * z;
            }
        }
    }

    fn force(&self, z: &[Complex<f64>]) -> Vec<Complex<f64>> {
        let mut out = self.linear.clone();
        for (j, &zj) in z.iter().enumerate() {
            for (o, &m) in out.iter_mut().zip(self.matrix.col_as_slice(j)) {
                *o += m * zj;
            }
        }
        out
    }

    /// E = ½ Re zᴴ (force + b), since the force is M z + b.
    fn value(&self, z: &[Complex<f64>], force: &[Complex<f64>]) -> f64 {
        z.iter().zip(force).zip(&self.linear).map(|((z, f), b)| 0.5 * (z.conj() * (f + b)).re).sum()
    }

    /// Slides the corners downhill by Newton steps, keeping their cyclic order, without moving along the
    /// three directions of the Möbius group (to first order). Angles must be strictly increasing within one turn.
    ///
    /// # Errors
    /// [`ConformalError::Factorization`] when no multiple of the identity makes the Hessian definite (NaN).
    pub(crate) fn descend(&self, angles: &mut [f64], stop: &Stop) -> Result<(), ConformalError> {
        let mut z = on_circle(angles);
        let mut force = self.force(&z);
        let mut energy = self.value(&z, &force);
        let mut hessian = Mat::zeros(angles.len(), angles.len());
        for _ in 0..stop.steps {
            let step = self.newton_step(&z, &force, &mut hessian)?;
            let mut scale = largest_monotone_scale(angles, &step);
            let moved = loop {
                if scale < 1e-6 {
                    return Ok(());
                }
                let trial: Vec<f64> = angles.iter().zip(&step).map(|(a, s)| a + scale * s).collect();
                let trial_z = on_circle(&trial);
                let trial_force = self.force(&trial_z);
                let trial_energy = self.value(&trial_z, &trial_force);
                if trial_energy < energy {
                    angles.copy_from_slice(&trial);
                    (z, force, energy) = (trial_z, trial_force, trial_energy);
                    break scale * step.iter().fold(0.0f64, |m, s| m.max(s.abs()));
                }
                scale *= 0.5;
            };
            if moved <= stop.movement {
                return Ok(());
            }
        }
        Ok(())
    }

    fn newton_step(
        &self,
        z: &[Complex<f64>],
        force: &[Complex<f64>],
        hessian: &mut Mat<f64>,
    ) -> Result<Vec<f64>, ConformalError> {
        let k = z.len();
        let gradient: Vec<f64> = z.iter().zip(force).map(|(z, f)| (z.conj() * f).im).collect();
        let curvature: Vec<f64> = z.iter().zip(force).map(|(z, f)| (z.conj() * f).re).collect();
        let largest =
            (0..k).map(|j| (self.matrix[(j, j)].re - curvature[j]).abs()).fold(f64::MIN_POSITIVE, f64::max);
        let mut shift = 0.0;
        for _ in 0..24 {
            self.fill_hessian(hessian, z, |j| shift - curvature[j], GAUGE * largest / k as f64);
            if cholesky_in_place(hessian.as_mut()) {
                let mut step = Mat::from_fn(k, 1, |i, _| -gradient[i]);
                solve_lower_triangular_in_place(hessian.as_ref(), step.as_mut(), Par::Seq);
                solve_upper_triangular_in_place(hessian.transpose(), step.as_mut(), Par::Seq);
                return Ok((0..k).map(|i| step[(i, 0)]).collect());
            }
            shift = if shift == 0.0 { 1e-6 * largest } else { 4.0 * shift };
        }
        Err(ConformalError::Factorization("the boundary energy has no definite Hessian".into()))
    }

    /// Lower triangle of the Hessian in the angles with `diagonal` added to its diagonal.
    ///
    /// ∂²E/∂θ_i∂θ_j = Re conj(i z_i) M_ij (i z_j) = Re conj(z_i) M_ij z_j off the diagonal. The Möbius
    /// directions 1, cos θ, sin θ are made stiff by `gauge` times the matrix of 1 + cos(θ_i − θ_j).
    fn fill_hessian(
        &self,
        hessian: &mut Mat<f64>,
        z: &[Complex<f64>],
        diagonal: impl Fn(usize) -> f64,
        gauge: f64,
    ) {
        for (j, &zj) in z.iter().enumerate() {
            let column = &self.matrix.col_as_slice(j)[j..];
            for (h, (m, zi)) in hessian.col_as_slice_mut(j)[j..].iter_mut().zip(column.iter().zip(&z[j..])) {
                let turn = zi.conj() * zj;
                *h = turn.re * (m.re + gauge) - turn.im * m.im + gauge;
            }
            hessian[(j, j)] += diagonal(j);
        }
    }
}

/// The points e^{iθ}.
pub(crate) fn on_circle(angles: &[f64]) -> Vec<Complex<f64>> {
    angles
        .iter()
        .map(|a| {
            let (s, c) = a.sin_cos();
            Complex::new(c, s)
        })
        .collect()
}

/// Angles of points on the circle, unwound so that they rise from the first one: the last is less than one
/// turn further exactly when the points follow one another counter-clockwise.
pub(crate) fn unwound_angles(z: &[Complex<f64>]) -> Vec<f64> {
    let mut last = z.first().map_or(0.0, |z| z.arg());
    z.iter()
        .map(|z| {
            last += (z.arg() - last).rem_euclid(TAU);
            last
        })
        .collect()
}

/// Angles whose arcs are proportional to these lengths, from 0.
pub(crate) fn proportional_angles(lengths: &[f64]) -> Vec<f64> {
    let total: f64 = lengths.iter().sum();
    let mut sum = 0.0;
    lengths
        .iter()
        .map(|l| {
            let angle = TAU * sum / total;
            sum += l;
            angle
        })
        .collect()
}

/// Widens arcs below [`LEAST_ARC`] of an even share, the others giving way in proportion; does nothing when
/// there are none. Narrower ones would crowd triangles beyond what later transformations can resolve.
pub(crate) fn widen_narrow_arcs(angles: &mut [f64]) {
    let k = angles.len();
    let least = LEAST_ARC * TAU / k as f64;
    let turn = |j: usize| if j + 1 == k { angles[0] + TAU } else { angles[j + 1] };
    let arcs: Vec<f64> = (0..k).map(|j| turn(j) - angles[j]).collect();
    if arcs.iter().all(|a| *a >= least) {
        return;
    }
    let arcs: Vec<f64> = arcs.into_iter().map(|a| a.max(least)).collect();
    let first = angles[0];
    angles.iter_mut().zip(proportional_angles(&arcs)).for_each(|(old, new)| *old = first + new);
}

/// The largest scale ≤ 1 of a step that leaves a part of every arc.
fn largest_monotone_scale(angles: &[f64], step: &[f64]) -> f64 {
    let k = angles.len();
    (0..k).fold(1.0, |scale: f64, j| {
        let next = (j + 1) % k;
        let turn = if next == 0 { TAU } else { 0.0 };
        let (arc, change) = (angles[next] + turn - angles[j], step[next] - step[j]);
        if change < -(1.0 - ARC_KEPT) * arc { scale.min(-(1.0 - ARC_KEPT) * arc / change) } else { scale }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descent_ends_at_a_stationary_point_of_the_gauge_fixed_energy() {
        // A Toeplitz energy favours the regular polygon: eigenvalues |m| of the smooth disk.
        let k = 24;
        let entry = |d: usize| -> f64 {
            (1..=12).map(|m| m as f64 * (TAU * (m * d) as f64 / k as f64).cos() / 12.0).sum()
        };
        let matrix = Mat::from_fn(k, k, |i, j| Complex::new(entry(i.abs_diff(j)), 0.0));
        let energy = CircleEnergy { matrix, linear: vec![Complex::ZERO; k] };
        let mut angles: Vec<f64> =
            (0..k).map(|j| TAU * j as f64 / k as f64 + 0.1 * (j as f64 * 2.7).sin()).collect();
        let before = energy.value(&on_circle(&angles), &energy.force(&on_circle(&angles)));
        energy.descend(&mut angles, &Stop { steps: 50, movement: 1e-13 }).unwrap();
        let z = on_circle(&angles);
        let force = energy.force(&z);
        assert!(energy.value(&z, &force) < before);
        let gradient: Vec<f64> = z.iter().zip(&force).map(|(z, f)| (z.conj() * f).im).collect();
        // What is left of the gradient lies in the span of 1, cos, sin.
        let basis = Mat::from_fn(k, 3, |i, j| [1.0, angles[i].cos(), angles[i].sin()][j]);
        let normal = basis.transpose() * &basis;
        let g = Mat::from_fn(k, 1, |i, _| gradient[i]);
        let inverse = nalgebra::Matrix3::from_fn(|i, j| normal[(i, j)]).try_inverse().unwrap();
        let coefficients = Mat::from_fn(3, 1, |i, _| {
            (0..3).map(|j| inverse[(i, j)] * (basis.transpose() * &g)[(j, 0)]).sum::<f64>()
        });
        let rest = &g - &basis * &coefficients;
        assert!(rest.norm_l2() < 1e-9, "{}", rest.norm_l2());
    }

    #[test]
    fn angles_unwind_across_the_cut() {
        let angles = [3.0, 3.1, 3.3, 8.2, 9.0];
        let back = unwound_angles(&on_circle(&angles));
        angles.iter().zip(&back).for_each(|(a, b)| assert!((a - b).abs() < 1e-12));
        let crossed = unwound_angles(&on_circle(&[0.0, 2.0, 1.0]));
        assert!(crossed[2] - crossed[0] > TAU);
        assert_eq!(proportional_angles(&[1.0, 1.0, 2.0]), [0.0, TAU / 4.0, TAU / 2.0]);
    }

    #[test]
    fn narrow_arcs_are_widened_and_others_left_alone() {
        let mut even = proportional_angles(&[1.0; 8]);
        widen_narrow_arcs(&mut even);
        assert_eq!(even, proportional_angles(&[1.0; 8]));
        let mut crowded = [0.0, 1e-12, 2e-12, 3.0];
        widen_narrow_arcs(&mut crowded);
        let least = 0.999 * LEAST_ARC * TAU / 4.0;
        assert!(crowded.windows(2).all(|w| w[1] - w[0] > least));
        assert!((crowded[3] - 3.0).abs() < 1e-5);
    }
}
