//! Where the boundary goes on the circle: the angles that minimize the discrete conformal energy.
//!
//! With the interior harmonic, the Dirichlet energy of a map whose boundary vertices lie at e^{iθ} is
//! ½ x* S x, x = e^{iθ}, S the Dirichlet-to-Neumann operator (the Schur complement of the cotangent Laplacian). Less the
//! area of the image it is the conformal energy, zero exactly for conformal maps (Pinkall and Polthier 1993; free
//! boundary: Yueh, Lin, Wu and Yau 2017). S is read off one Cholesky factorization, and Newton's method on θ
//! takes a handful of dense steps on the boundary alone.

use nalgebra::{Complex, DMatrix, DVector};

const STEPS: usize = 40;
/// Newton stops when no angle moves by more than this times the mean gap.
const TOLERANCE: f64 = 1e-9;

/// The conformal energy as a function of the boundary angles.
struct Energy<'a> {
    schur: &'a DMatrix<f64>,
}

impl Energy<'_> {
    fn times_schur(&self, x: &DVector<Complex<f64>>) -> DVector<Complex<f64>> {
        let parts = DMatrix::from_columns(&[x.map(|z| z.re), x.map(|z| z.im)]);
        let out = self.schur * parts;
        DVector::from_fn(x.len(), |i, _| Complex::new(out[(i, 0)], out[(i, 1)]))
    }

    fn value(&self, theta: &DVector<f64>) -> f64 {
        let x = theta.map(|t| Complex::from_polar(1.0, t));
        let dirichlet =
            0.5 * x.iter().zip(self.times_schur(&x).iter()).map(|(x, y)| (x.conj() * y).re).sum::<f64>();
        let area: f64 = 0.5 * gaps(theta).iter().map(|g| g.sin()).sum::<f64>();
        dirichlet - area
    }

    /// Gradient and Hessian.
    fn derivatives(&self, theta: &DVector<f64>) -> (DVector<f64>, DMatrix<f64>) {
        let n = theta.len();
        let x = theta.map(|t| Complex::from_polar(1.0, t));
        let y = self.times_schur(&x);
        let gap = gaps(theta);
        let mut gradient = DVector::from_fn(n, |k, _| (x[k].conj() * y[k]).im);
        let mut hessian = DMatrix::from_fn(n, n, |i, j| self.schur[(i, j)] * (x[i].conj() * x[j]).re);
        for k in 0..n {
            let (previous, next) = ((k + n - 1) % n, (k + 1) % n);
            gradient[k] -= 0.5 * (gap[previous].cos() - gap[k].cos());
            hessian[(k, k)] += 0.5 * (gap[previous].sin() + gap[k].sin()) - (x[k].conj() * y[k]).re;
            hessian[(k, next)] -= 0.5 * gap[k].sin();
            hessian[(next, k)] -= 0.5 * gap[k].sin();
        }
        (gradient, hessian)
    }
}

/// gaps[k] = θ_{k+1} − θ_k, the last across 2π.
fn gaps(theta: &DVector<f64>) -> Vec<f64> {
    let n = theta.len();
    (0..n)
        .map(
            |k| if k + 1 < n { theta[k + 1] - theta[k] } else { theta[0] + std::f64::consts::TAU - theta[k] },
        )
        .collect()
}

/// Boundary angles of the most conformal map onto the disk, increasing, from a strictly increasing start.
///
/// `schur` is the Dirichlet-to-Neumann operator on the boundary, in the order of the angles. The three directions of
/// Möbius maps are all but flat; the damping keeps the start's choice of them.
pub fn conformal_angles(schur: &DMatrix<f64>, start: DVector<f64>) -> DVector<f64> {
    let n = start.len();
    let energy = Energy { schur };
    let mean_gap = std::f64::consts::TAU / n as f64;
    let mut theta = start;
    let mut value = energy.value(&theta);
    let scale = (0..n).map(|k| schur[(k, k)]).sum::<f64>() / n as f64;
    let mut damping = 1e-3 * scale;
    for _ in 0..STEPS {
        let (gradient, hessian) = energy.derivatives(&theta);
        let Some(step) = damped_step(hessian, &gradient, &mut damping, scale) else { break };
        let longest = longest_monotone(&gaps(&theta), &gaps_of_step(&step));
        let mut fraction = longest.min(1.0);
        let slope = gradient.dot(&step);
        let accepted = loop {
            let trial = &theta + fraction * &step;
            let trial_value = energy.value(&trial);
            if trial_value <= value + 1e-4 * fraction * slope {
                break Some((trial, trial_value));
            }
            fraction *= 0.5;
            if fraction < 1e-6 {
                break None;
            }
        };
        let Some((next, next_value)) = accepted else { break };
        let moved = fraction * step.amax();
        (theta, value) = (next, next_value);
        damping *= if fraction >= 1.0 { 0.1 } else { 2.0 };
        damping = damping.clamp(1e-6 * scale, 1e3 * scale);
        if moved < TOLERANCE * mean_gap {
            break;
        }
    }
    theta
}

/// −(H + λI)⁻¹ g with the smallest tried λ that makes it positive definite.
fn damped_step(
    hessian: DMatrix<f64>,
    gradient: &DVector<f64>,
    damping: &mut f64,
    scale: f64,
) -> Option<DVector<f64>> {
    for _ in 0..12 {
        let mut shifted = hessian.clone();
        (0..shifted.nrows()).for_each(|k| shifted[(k, k)] += *damping);
        if let Some(cholesky) = shifted.cholesky() {
            return Some(-cholesky.solve(gradient));
        }
        *damping = (*damping * 10.0).max(1e-6 * scale);
    }
    None
}

fn gaps_of_step(step: &DVector<f64>) -> Vec<f64> {
    let n = step.len();
    (0..n).map(|k| step[(k + 1) % n] - step[k]).collect()
}

/// The longest step that leaves every gap at least a tenth of what it is.
fn longest_monotone(gap: &[f64], change: &[f64]) -> f64 {
    gap.iter().zip(change).filter(|(_, c)| **c < 0.0).map(|(g, c)| 0.9 * g / -c).fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn derivatives_agree_with_differences() {
        let n = 12;
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
        let a = DMatrix::from_fn(n, n, |_, _| rng.random::<f64>() - 0.5);
        let schur = &a * a.transpose();
        let energy = Energy { schur: &schur };
        let theta = DVector::from_fn(n, |k, _| {
            std::f64::consts::TAU * (k as f64 + 0.4 * rng.random::<f64>()) / n as f64
        });
        let (gradient, hessian) = energy.derivatives(&theta);
        let h = 1e-5;
        for k in 0..n {
            let mut step = DVector::zeros(n);
            step[k] = h;
            let (up, down) = (&theta + &step, &theta - &step);
            let slope = (energy.value(&up) - energy.value(&down)) / (2.0 * h);
            assert!((slope - gradient[k]).abs() < 1e-7);
            let column = (energy.derivatives(&up).0 - energy.derivatives(&down).0) / (2.0 * h);
            assert!((column - hessian.column(k)).norm() < 1e-6);
        }
    }
}
