//! What the three metrics do with eight pairs of matrices.

use super::affine_invariant::SpdAffineInvariant;
use super::bures_wasserstein::SpdBuresWasserstein;
use super::lanes;
use super::lockstep::{LANES, Lane};
use super::log_euclidean::SpdLogEuclidean;
use super::pairs::{Ask, Fit, Metric, Room};
use crate::manifold::rows::elementary::{self, lanes as of_lanes};
use crate::manifold::space::Manifold;
use nalgebra::DMatrix;
use pulp::Simd;

/// Matrices whose eigenvalues spread more, seen from the base point, go the more accurate way.
const SPREAD: f64 = 1e-5;
/// The largest logarithm of an eigenvalue whose exponential is taken here.
const LARGEST_LN: f64 = 700.0;

/// A function of the eigenvalues the solver found, into `weights`; no closure, which would not know of the processor's vectors.
macro_rules! weigh {
    ($room:expr, $d:ident => $f:expr) => {
        for k in 0..$room.n {
            let $d = &$room.solver.d[k];
            $room.weights[k] = $f;
        }
    };
}

/// One pair by the operations of [`Manifold`].
fn alone<M: Manifold<Point = DMatrix<f64>, Tangent = DMatrix<f64>>>(
    space: &M,
    ask: Ask,
    p: &[f64],
    q: &[f64],
    out: &mut [f64],
) -> bool {
    let order = p.len().isqrt();
    let (p, q) = (DMatrix::from_row_slice(order, order, p), DMatrix::from_row_slice(order, order, q));
    let found = match ask {
        Ask::Dist => {
            out[0] = space.dist(&p, &q);
            return true;
        }
        Ask::Exp => space.exp(&p, &space.project_tangent(&p, &q)),
        Ask::Log => match space.log(&p, &q) {
            Ok(log) => log,
            Err(_) => return false,
        },
    };
    // By columns, which of a symmetric matrix are the rows.
    out.copy_from_slice(found.as_slice());
    true
}

#[inline(always)]
fn both(fit: Fit, also: Fit) -> Fit {
    std::array::from_fn(|l| fit[l] && also[l])
}

/// Lanes whose eigenvalues are all above this share of the largest, and positive.
#[inline(always)]
fn positive(room: &Room, share: f64) -> Fit {
    let (smallest, largest) = room.extremes();
    std::array::from_fn(|l| smallest[l] > share * largest[l] && largest[l].is_finite())
}

impl Metric for SpdAffineInvariant {
    #[inline(always)]
    fn base<S: Simd>(self, simd: S, room: &mut Room, _: Ask) -> Fit {
        room.factor.copy_from_slice(&room.p);
        lanes::cholesky(simd, room.n, &mut room.factor)
    }

    /// By the eigenvalues of L⁻¹QL⁻ᵀ; of near matrices by those of L⁻¹(Q − P)L⁻ᵀ, whose difference is exact.
    #[inline(always)]
    fn apply<S: Simd>(self, simd: S, room: &mut Room, ask: Ask, mut fit: Fit) -> Fit {
        let n = room.n;
        let mut near = [false; LANES];
        if ask != Ask::Exp {
            for ((half, q), p) in room.half.iter_mut().zip(&room.q).zip(&room.p) {
                *half = of_lanes!(l => q[l] - p[l]);
            }
        }
        lanes::whiten(simd, n, &room.factor, &mut room.q);
        room.solver.a.copy_from_slice(&room.q);
        if ask != Ask::Exp {
            (0..n).for_each(|i| room.q[i * n + i] = of_lanes!(l => room.q[i * n + i][l] - 1.0));
            let square = lanes::square(n, &room.q);
            near = square.map(|s| s < 0.25);
            if near.contains(&true) {
                lanes::whiten(simd, n, &room.factor, &mut room.half);
                for (a, half) in room.solver.a.iter_mut().zip(&room.half) {
                    *a = of_lanes!(l => if near[l] { half[l] } else { a[l] });
                }
            }
        }
        let solved = if ask == Ask::Dist { room.solver.solve_values(simd) } else { room.solver.solve(simd) };
        fit = both(fit, solved);
        if ask == Ask::Exp {
            let (_, largest) = room.extremes();
            fit = both(fit, largest.map(|x| x < LARGEST_LN));
            weigh!(room, d => elementary::exp(simd, &d.map(|d| d.clamp(-LARGEST_LN, LARGEST_LN))));
        } else {
            let far = positive(room, SPREAD);
            fit = both(fit, std::array::from_fn(|l| near[l] || far[l]));
            weigh!(room, d => {
                let (plain, shifted) = (elementary::ln(simd, d), elementary::ln_1p(simd, d));
                of_lanes!(l => if near[l] { shifted[l] } else { plain[l] })
            });
        }
        if ask == Ask::Dist {
            let mut sum = [0.0; LANES];
            room.weights.iter().for_each(|w| (0..LANES).for_each(|l| sum[l] += w[l] * w[l]));
            room.dist = sum.map(f64::sqrt);
            return fit;
        }
        lanes::lower_times(simd, n, &room.factor, &room.solver.z, &mut room.half);
        lanes::gram(simd, n, &room.half, &room.weights, &mut room.out);
        fit
    }

    fn alone(self, ask: Ask, p: &[f64], q: &[f64], out: &mut [f64]) -> bool {
        alone(&self, ask, p, q, out)
    }
}

/// The logarithmic means of numbers with these logarithms: (a − b)/(ln a − ln b), or of near ones √(ab) sinh(t)/t.
#[inline(always)]
fn logarithmic_mean(ln_a: &Lane, ln_b: &Lane, a: &Lane, b: &Lane) -> Lane {
    of_lanes!(l => {
        let t = 0.5 * (ln_a[l] - ln_b[l]);
        let square = t * t;
        let mut sum = 1.0;
        for divisor in [210.0, 156.0, 110.0, 72.0, 42.0, 20.0, 6.0] {
            sum = 1.0 + square / divisor * sum;
        }
        if t.abs() > 0.7 { 0.5 * (a[l] - b[l]) / t } else { (a[l] * b[l]).sqrt() * sum }
    })
}

/// The lower triangle of `room.out`, in the eigenbasis, times a function of the two eigenvalues.
#[inline(always)]
fn scale_entries(room: &mut Room, f: impl Fn(&Room, usize, usize) -> Lane) {
    let n = room.n;
    for j in 0..n {
        for i in j..n {
            let k = f(room, i, j);
            let x = room.out[j * n + i];
            room.out[j * n + i] = of_lanes!(l => x[l] * k[l]);
        }
    }
}

/// The lower triangle of VᵀQV in `out`, for the symmetric Q in `q` and V in `factor`.
#[inline(always)]
fn into_eigenbasis<S: Simd>(simd: S, room: &mut Room) {
    let n = room.n;
    lanes::product(simd, n, &room.q, &room.factor, &mut room.half);
    lanes::transposed_product(simd, n, &room.factor, &room.half, &mut room.out);
}

impl Metric for SpdLogEuclidean {
    /// V in `factor`, ln λ in `values`, λ in `own`, log P in `function`.
    #[inline(always)]
    fn base<S: Simd>(self, simd: S, room: &mut Room, _: Ask) -> Fit {
        room.solver.a.copy_from_slice(&room.p);
        let fit = both(room.solver.solve(simd), positive(room, 0.0));
        room.factor.copy_from_slice(&room.solver.z);
        weigh!(room, d => elementary::ln(simd, d));
        room.values.copy_from_slice(&room.weights);
        room.own.copy_from_slice(&room.solver.d);
        lanes::gram(simd, room.n, &room.factor, &room.values, &mut room.function);
        fit
    }

    #[inline(always)]
    fn apply<S: Simd>(self, simd: S, room: &mut Room, ask: Ask, mut fit: Fit) -> Fit {
        let n = room.n;
        let mean = |room: &Room, i: usize, j: usize| {
            logarithmic_mean(&room.values[i], &room.values[j], &room.own[i], &room.own[j])
        };
        if ask == Ask::Exp {
            // exp of log P + D log_P(V), in the eigenbasis of P.
            into_eigenbasis(simd, room);
            scale_entries(room, |room, i, j| mean(room, i, j).map(f64::recip));
            for i in 0..n {
                room.out[i * n + i] = of_lanes!(l => room.out[i * n + i][l] + room.values[i][l]);
            }
            room.solver.a.copy_from_slice(&room.out);
            fit = both(fit, room.solver.solve(simd));
            let (_, largest) = room.extremes();
            fit = both(fit, largest.map(|x| x < LARGEST_LN));
            weigh!(room, d => elementary::exp(simd, &d.map(|d| d.clamp(-LARGEST_LN, LARGEST_LN))));
            lanes::product(simd, n, &room.factor, &room.solver.z, &mut room.half);
            lanes::gram(simd, n, &room.half, &room.weights, &mut room.out);
            return fit;
        }
        room.solver.a.copy_from_slice(&room.q);
        fit = both(fit, both(room.solver.solve(simd), positive(room, 0.0)));
        weigh!(room, d => elementary::ln(simd, d));
        lanes::gram(simd, n, &room.solver.z, &room.weights, &mut room.q);
        for (q, p) in room.q.iter_mut().zip(&room.function) {
            *q = of_lanes!(l => q[l] - p[l]);
        }
        if ask == Ask::Dist {
            room.dist = lanes::square(n, &room.q).map(f64::sqrt);
            return fit;
        }
        lanes::mirror(n, &mut room.q);
        into_eigenbasis(simd, room);
        scale_entries(room, mean);
        lanes::mirror(n, &mut room.out);
        lanes::product(simd, n, &room.factor, &room.out, &mut room.half);
        lanes::product_transposed(simd, n, &room.half, &room.factor, &mut room.out);
        fit
    }

    fn alone(self, ask: Ask, p: &[f64], q: &[f64], out: &mut [f64]) -> bool {
        alone(&self, ask, p, q, out)
    }
}

/// How much of a distance rounding may be.
const SHARE: f64 = 1e-12;

impl Metric for SpdBuresWasserstein {
    /// For exponentials V in `factor` and λ in `values`; else L in `factor`, LᵀL in `function`, ‖L⁻¹‖ in `values[0]`.
    #[inline(always)]
    fn base<S: Simd>(self, simd: S, room: &mut Room, ask: Ask) -> Fit {
        let n = room.n;
        if ask == Ask::Exp {
            room.solver.a.copy_from_slice(&room.p);
            let fit = both(room.solver.solve(simd), positive(room, 0.0));
            room.factor.copy_from_slice(&room.solver.z);
            room.values.copy_from_slice(&room.solver.d);
            return fit;
        }
        room.factor.copy_from_slice(&room.p);
        let fit = lanes::cholesky(simd, n, &mut room.factor);
        for j in 1..n {
            room.factor[j * n..j * n + j].fill([0.0; LANES]);
        }
        lanes::transposed_product(simd, n, &room.factor, &room.factor, &mut room.function);
        room.values[0] = lanes::inverse_square(simd, n, &room.factor, &mut room.half[..n]).map(f64::sqrt);
        fit
    }

    /// With R = (LᵀQL)^½, T = L⁻ᵀRL⁻¹ is the map with TPT = Q; G = L⁻ᵀ(R − LᵀL) = (T − I)L, d = ‖G‖, log_P(Q) = GLᵀ + LGᵀ.
    #[inline(always)]
    fn apply<S: Simd>(self, simd: S, room: &mut Room, ask: Ask, mut fit: Fit) -> Fit {
        let n = room.n;
        if ask == Ask::Exp {
            into_eigenbasis(simd, room);
            scale_entries(room, |room, i, j| of_lanes!(l => 1.0 / (room.values[i][l] + room.values[j][l])));
            for i in 0..n {
                room.out[i * n + i] = room.out[i * n + i].map(|x| x + 1.0);
            }
            lanes::mirror(n, &mut room.out);
            lanes::product(simd, n, &room.factor, &room.out, &mut room.half);
            lanes::gram(simd, n, &room.half, &room.values, &mut room.out);
            return fit;
        }
        into_eigenbasis(simd, room);
        room.solver.a.copy_from_slice(&room.out);
        fit = both(fit, both(room.solver.solve(simd), positive(room, 0.0)));
        let (smallest, largest) = room.extremes();
        weigh!(room, d => d.map(f64::sqrt));
        lanes::gram(simd, n, &room.solver.z, &room.weights, &mut room.q);
        for (q, p) in room.q.iter_mut().zip(&room.function) {
            *q = of_lanes!(l => q[l] - p[l]);
        }
        lanes::mirror(n, &mut room.q);
        lanes::solve_transposed(simd, n, &room.factor, &mut room.q);
        let mut sum = [0.0; LANES];
        room.q.iter().for_each(|g| (0..LANES).for_each(|l| sum[l] += g[l] * g[l]));
        room.dist = sum.map(f64::sqrt);
        // Roots of small eigenvalues lose digits, which near matrices and ill-conditioned base points make worse.
        for l in 0..LANES {
            let lost = f64::EPSILON * largest[l] / smallest[l].sqrt() * room.values[0][l];
            fit[l] &= lost < 10.0 * SHARE * room.dist[l];
        }
        if ask == Ask::Log {
            lanes::product_transposed(simd, n, &room.q, &room.factor, &mut room.out);
            lanes::product_transposed(simd, n, &room.factor, &room.q, &mut room.half);
            for (out, half) in room.out.iter_mut().zip(&room.half) {
                *out = of_lanes!(l => out[l] + half[l]);
            }
        }
        fit
    }

    fn alone(self, ask: Ask, p: &[f64], q: &[f64], out: &mut [f64]) -> bool {
        alone(&self, ask, p, q, out)
    }
}
