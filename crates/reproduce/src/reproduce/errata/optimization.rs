//! dp-riemannian-optimization (Utpala, Han, Jawanpuria and Mishra 2023).

use super::{AnyError, Erratum};
use crate::manifold::{Lorentz, Manifold, PoincareBall, SpdBuresWasserstein, SpdLogEuclidean};
use nalgebra::{DMatrix, DVector, dmatrix, dvector};
use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};

/// Norms at diag(a, b) of the off-diagonal direction carried over from the identity with these factors, per its norm there.
fn carried<M: Manifold<Point = DMatrix<f64>, Tangent = DMatrix<f64>>>(
    space: &M,
    [a, b]: [f64; 2],
    factors: [f64; 2],
) -> [f64; 2] {
    let (unit, there) = (dmatrix![0.0, 1.0; 1.0, 0.0], dmatrix![a, 0.0; 0.0, b]);
    let here = space.norm(&DMatrix::identity(2, 2), &unit);
    factors.map(|f| space.norm(&there, &(&unit * f)) / here)
}

/// Root-mean-square coordinate of `factor`·C∘A at the identity, A symmetric with standard normal entries.
fn bures_scale(factor: f64) -> Result<f64, AnyError> {
    let space = SpdBuresWasserstein::new(3)?;
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(2);
    let (draws, identity) = (4000, DMatrix::identity(3, 3));
    let mut total = 0.0;
    for _ in 0..draws {
        let mut a = DMatrix::from_fn(3, 3, |_, _| -> f64 { StandardNormal.sample(&mut rng) });
        for i in 0..3 {
            for j in 0..i {
                a[(i, j)] *= std::f64::consts::FRAC_1_SQRT_2;
                a[(j, i)] = a[(i, j)];
            }
        }
        total += space.norm(&identity, &(a * factor)).powi(2);
    }
    Ok((total / f64::from(draws) / 6.0).sqrt())
}

/// Norms of a tangent vector carried from the origin of the hyperboloid with the printed and the right sign, per its own, and
/// ⟨w, PT u⟩ of both, which must be 0.
fn lorentz() -> Result<[f64; 4], AnyError> {
    let space = Lorentz::new(2)?;
    let (w, origin) = (space.from_space(&dvector![0.6, -0.8]), space.origin());
    let product = |a: &DVector<f64>, b: &DVector<f64>| a.dot(b) - 2.0 * a[0] * b[0];
    let u = dvector![0.0, 1.0, 0.0];
    let shift = (&origin + &w) * (product(&w, &u) / (1.0 - product(&origin, &w)));
    let (printed, right) = (&u - &shift, &u + &shift);
    let length = |v: &DVector<f64>| product(v, v).max(0.0).sqrt();
    Ok([length(&printed), length(&right), product(&w, &printed), product(&w, &right)])
}

/// ‖BBᵀ − I‖ of the printed and the right basis of a tangent space of the sphere.
fn sphere_basis() -> [f64; 2] {
    let w = dvector![0.3, -0.5, 0.4, 0.2].normalize();
    let e = |i: usize| DVector::from_fn(4, |j, _| f64::from(u8::from(i == j)));
    let defect = |row: &dyn Fn(usize) -> DVector<f64>| {
        let rows: Vec<DVector<f64>> = (1..4).map(row).collect();
        let gram = DMatrix::from_fn(3, 3, |i, j| rows[i].dot(&rows[j]));
        (gram - DMatrix::identity(3, 3)).norm()
    };
    let right = |i: usize| e(i) - (e(0) + &w) * (w[i] / (1.0 + w[0]));
    [defect(&|i| e(i) - &w * w[i]), defect(&right)]
}

/// SVRG on the mean of 1, 2, 6 with the anchor's gradient added (−1: subtracted, as printed).
fn svrg(sign: f64) -> f64 {
    let data = [1.0, 2.0, 6.0];
    let mut w: f64 = 0.0;
    for epoch in 0..20 {
        let anchor = w;
        let g: f64 = data.iter().map(|x| anchor - x).sum::<f64>() / 3.0;
        for i in 0..30 {
            let z = data[(i + epoch) % 3];
            w -= 0.2 * ((w - z) - (anchor - z) + sign * g);
        }
    }
    w
}

/// ∫ exp(−|v|²/2σ²) dv over the plane, by rings.
fn plane_integral(sigma: f64) -> f64 {
    let width = sigma / 1000.0;
    (0..20_000)
        .map(|i| (f64::from(i) + 0.5) * width)
        .map(|r| std::f64::consts::TAU * r * (-0.5 * (r / sigma).powi(2)).exp() * width)
        .sum()
}

/// Leading-order constants of sampling one record of n, all others at one place u, the two neighbours' at distance 4C₁ from
/// each other: at 60° as seen from u, and one of them at u. E[((p₁ − p₂)/q)²] in closed form, x = 16C₁²/σ₂² = 1/s′².
fn subsampling(s: f64) -> [f64; 2] {
    let x = 1.0 / s;
    [16.0 * (x.exp() - (0.5 * x).exp()) / x, 8.0 * (x.exp() - 1.0) / x]
}

pub(super) fn slips() -> Result<Vec<Erratum>, AnyError> {
    let bures = carried(&SpdBuresWasserstein::new(2)?, [1.0, 9.0], [5.0, 5.0_f64.sqrt()]);
    let (a, b) = (1.0, 3.0_f64);
    let logarithmic = (b - a) / (b.ln() - a.ln());
    let log_euclidean =
        carried(&SpdLogEuclidean::new(2)?, [a, b], [(b - a) / (b.exp() - a.exp()), logarithmic]);
    let scales = [bures_scale(4.0)?, bures_scale(2.0)?];
    let poincare = PoincareBall::new(2)?;
    let w = dvector![0.6, 0.0];
    let one = 1.0 - w.norm_squared();
    let ball = [0.25, 0.5].map(|c| poincare.norm(&w, &dvector![0.0, one * c]));
    let hyperboloid = lorentz()?;
    let basis = sphere_basis();
    let v = 10.0_f64;
    let clipped = [(v / 1.0).min(1.0) * v, (1.0 / v).min(1.0) * v];
    let sigma = 0.7_f64;
    let integral = plane_integral(sigma);
    let constant = [
        (std::f64::consts::TAU * sigma * sigma).sqrt() * integral,
        integral / (std::f64::consts::TAU * sigma * sigma),
    ];
    let response = |kernel: [f64; 9]| {
        let part = |sign: f64| kernel.iter().map(|k| (sign * k).max(0.0)).sum::<f64>() / 4.0;
        part(1.0).max(part(-1.0))
    };
    let stencil = [
        response([1.0, 0.0, -1.0, 2.0, 0.0, -2.0, 6.0, 0.0, -12.0]),
        response([1.0, 0.0, -1.0, 2.0, 0.0, -2.0, 1.0, 0.0, -1.0]),
    ];
    let (diverges, converges) = (svrg(-1.0), svrg(1.0));
    let constants: Vec<f64> = [0.7, 1.0, 2.0, 5.0].iter().flat_map(|s| subsampling(*s)).collect();
    let told: Vec<String> = [0.7, 1.0, 2.0, 5.0]
        .iter()
        .zip(constants.chunks_exact(2))
        .map(|(s, c)| format!("σ′² = {s}: {:.2} and {:.2}", c[0], c[1]))
        .collect();
    Ok(vec![
        Erratum::new(
            ["dp-optimization: Bures-Wasserstein", "A.1", "K = (λ_r + λ_s)/2", "K = √((λ_r + λ_s)/2)"],
            format!(
                "λ = 1, 9: norm carried over {:.4} as printed, {:.4} corrected (1 is an isometry)",
                bures[0], bures[1]
            ),
            bures,
        ),
        Erratum::new(
            ["dp-optimization: Bures-Wasserstein factor", "Algorithm for BW", "4 C∘A", "2 C∘A"],
            format!(
                "standard deviation of a unit draw: {:.3} as printed (twice the noise), {:.3} corrected",
                scales[0], scales[1]
            ),
            scales,
        ),
        Erratum::new(
            [
                "dp-optimization: log-Euclidean",
                "A.1",
                "K = (a − b)/(eᵃ − eᵇ)",
                "(λ_r − λ_s)/(ln λ_r − ln λ_s)",
            ],
            format!(
                "λ = 1, 3: norm carried over {:.4} as printed, {:.4} corrected",
                log_euclidean[0], log_euclidean[1]
            ),
            log_euclidean,
        ),
        Erratum::new(
            ["dp-optimization: Poincaré", "Poincaré sampler", "u = (1 − ‖w‖²) a/4", "u = (1 − ‖w‖²) a/2"],
            format!(
                "norm of a unit draw {:.3} as printed (half the noise: unsafe), {:.3} corrected",
                ball[0], ball[1]
            ),
            ball,
        ),
        Erratum::new(
            [
                "dp-optimization: Lorentz",
                "A (parallel transport)",
                "PT u = u − ⟨w, u⟩/(1 − ⟨ŵ, w⟩)(ŵ + w)",
                "u + …",
            ],
            format!(
                "norm {:.4} as printed, {:.6} corrected; ⟨w, PT u⟩ {:.2} and {:.0e} (must be 0)",
                hyperboloid[0],
                hyperboloid[1],
                hyperboloid[2],
                hyperboloid[3].abs()
            ),
            hyperboloid,
        ),
        Erratum::new(
            ["dp-optimization: sphere basis", "A (sphere)", "e_i − w_i w", "e_i − w_i/(1 + w_1)(e_1 + w)"],
            format!("‖BBᵀ − I‖ {:.3} as printed, {:.0e} corrected", basis[0], basis[1]),
            basis,
        ),
        Erratum::new(
            ["dp-optimization: clipping", "§3", "min(‖ν‖/τ, 1) ν", "min(τ/‖ν‖, 1) ν"],
            format!("‖ν‖ = 10 τ: {} τ as printed (unsafe), {} τ corrected", clipped[0], clipped[1]),
            clipped,
        ),
        Erratum::new(
            ["dp-optimization: Lemma 1", "Lemma 1", "C_{w,σ} = (2πσ²)^{1/2}", "(2πσ²)^{−d/2}"],
            format!(
                "d = 2, σ = 0.7: total probability {:.3} as printed, {:.6} corrected",
                constant[0], constant[1]
            ),
            constant,
        ),
        Erratum::new(
            [
                "dp-optimization: stencil",
                "C.1",
                "last row (6, 0, −12); I_y a copy of I_x",
                "last row (1, 0, −1), over 4; I_y its transpose",
            ],
            format!(
                "largest response to an image in [0, 1]: {:.2} as printed, {:.2} for Sobel's; response to a constant {:.2} and 0",
                stencil[0],
                stencil[1],
                (9.0 - 15.0) / 4.0
            ),
            stencil,
        ),
        Erratum::new(
            [
                "dp-optimization: Algorithm 11",
                "Algorithm 11, step 7",
                "v = ∇f(w) − PT(∇f(w̃)) − PT(g)",
                "v = ∇f(w) − PT(∇f(w̃) − g)",
            ],
            format!("mean of 1, 2, 6: {diverges:.2e} as printed, {converges:.6} corrected (true 3)"),
            [diverges, converges],
        ),
        Erratum::new(
            [
                "dp-optimization: subsampling",
                "Claim 4",
                "28 λ(λ + 1) C₁²/(n²σ₂²), from a lemma that gives 56",
                "a numerical subsampled bound at valid orders",
            ],
            format!("worst constants of leading order, at 60° and in line: {}", told.join("; ")),
            constants,
        ),
    ])
}
