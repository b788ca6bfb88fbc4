//! Geodesics of the Stiefel manifold: exp in closed form, and the endpoint problem exp_X(V) = Q.

use super::frame::{polish, transvect};
use super::svd::least_squares;
use nalgebra::{DMatrix, DVector};

/// Newton steps; five to ten are the rule.
const STEPS: usize = 60;
/// Dimension of the Krylov space of one Newton step.
const KRYLOV: usize = 40;
/// Longest step, a fraction of the injectivity radius.
const LONGEST: f64 = 1.0;

/// The tangent part of an ambient matrix: G − X sym(XᵀG).
pub(super) fn project(x: &DMatrix<f64>, g: &DMatrix<f64>) -> DMatrix<f64> {
    let inner = x.tr_mul(g);
    g - x * ((&inner + inner.transpose()) * 0.5)
}

/// [X Y] exp([[2A, −Rᵀ], [R, 0]]) [I; 0] exp(−A), with V = X A + Y R (Edelman et al. 1998; Zimmermann and Hüper 2022).
pub(super) fn geodesic(x: &DMatrix<f64>, v: &DMatrix<f64>) -> DMatrix<f64> {
    let r = x.ncols();
    let inner = x.tr_mul(v);
    let a = (&inner - inner.transpose()) * 0.5;
    let normal = v - x * &inner;
    let qr = normal.qr();
    let (y, upper) = (qr.q(), qr.r());
    let s = upper.nrows();
    let mut generator = DMatrix::zeros(r + s, r + s);
    generator.view_mut((0, 0), (r, r)).copy_from(&(&a * 2.0));
    generator.view_mut((r, 0), (s, r)).copy_from(&upper);
    generator.view_mut((0, r), (r, s)).copy_from(&(-upper.transpose()));
    let turned = generator.exp().columns(0, r) * (-a).exp();
    polish(&(x * turned.rows(0, r) + y * turned.rows(r, s)))
}

/// Newton's method on V ↦ Q − exp_X(V), seen from X by an isometric transport (where the differential is near the
/// identity, so that GMRES solves it in a few steps), damped. `None` unless it reaches rounding accuracy.
pub(super) fn shoot(x: &DMatrix<f64>, q: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    let chord = (q - x).norm();
    let mut v = project(x, &(q - x));
    let length = v.norm();
    if length > 0.0 {
        v *= 2.0 * (0.5 * chord).min(1.0).asin() / length;
    }
    let floor = f64::EPSILON * (x.ncols() as f64).sqrt();
    let mut end = geodesic(x, &v);
    let mut error = (q - &end).norm();
    for _ in 0..STEPS {
        if error <= floor {
            break;
        }
        let miss = seen_from(x, &end, &(q - &end))?;
        let mut step = newton_step(x, &v, &end, &miss)?;
        let length = step.norm();
        if length > LONGEST {
            step *= LONGEST / length;
        }
        let improved = (0..12).find_map(|halvings| {
            let trial = &v + &step * 0.5_f64.powi(halvings);
            let trial_end = geodesic(x, &trial);
            let trial_error = (q - &trial_end).norm();
            (trial_error < error).then_some((trial, trial_end, trial_error))
        });
        let Some(better) = improved else { break };
        (v, end, error) = better;
    }
    (error < 100.0 * floor).then_some(v)
}

/// The tangent part at `end` of an ambient matrix, transported to X.
fn seen_from(x: &DMatrix<f64>, end: &DMatrix<f64>, ambient: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    Some(project(x, &transvect(end, x, &project(end, ambient))?))
}

/// GMRES on the differential of exp_X at V (central differences), for the right-hand side `miss`.
fn newton_step(
    x: &DMatrix<f64>,
    v: &DMatrix<f64>,
    end: &DMatrix<f64>,
    miss: &DMatrix<f64>,
) -> Option<DMatrix<f64>> {
    let size = miss.norm();
    let (rows, columns) = x.shape();
    let dim = rows * columns - columns * (columns + 1) / 2;
    let krylov = KRYLOV.min(dim);
    let mut basis = vec![miss / size];
    let mut hessenberg = DMatrix::zeros(krylov + 1, krylov);
    let mut coefficients = DVector::zeros(0);
    for j in 0..krylov {
        const H: f64 = 1e-5;
        let direction = &basis[j] * H;
        let change = geodesic(x, &(v + &direction)) - geodesic(x, &(v - &direction));
        let mut w = seen_from(x, end, &(change / (2.0 * H)))?;
        // Gram–Schmidt twice.
        for _ in 0..2 {
            for (i, b) in basis.iter().enumerate() {
                let c = b.dot(&w);
                hessenberg[(i, j)] += c;
                w -= b * c;
            }
        }
        let length = w.norm();
        hessenberg[(j + 1, j)] = length;
        let head = hessenberg.view((0, 0), (j + 2, j + 1)).into_owned();
        let mut rhs = DVector::zeros(j + 2);
        rhs[0] = size;
        coefficients = least_squares(&head, &rhs, 1e-12)?;
        let residual = (head * &coefficients - rhs).norm();
        // The differential is known to about 1e-9: solving to more is in vain.
        if residual <= 1e-8 * size || length <= 1e-10 {
            break;
        }
        basis.push(w / length);
    }
    let mut step = DMatrix::zeros(rows, columns);
    for (c, b) in coefficients.iter().zip(&basis) {
        step += b * *c;
    }
    Some(step)
}
