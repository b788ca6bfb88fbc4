//! Tangent Gaussian draws by strategy (Figure 1) and the seconds that privatization adds (Table 2).

use crate::manifold::{
    Grassmann, Lorentz, Manifold, ManifoldError, PoincareBall, SpdAffineInvariant, SpdBuresWasserstein,
    SpdLogEuclidean, Sphere, Stiefel, basis_gaussian, orthonormal_basis,
};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{Ledger, Mu, PrivacyLoss};
use rand::{Rng, RngExt};
use serde::Serialize;
use std::hint::black_box;
use std::time::Instant;

/// Seconds of one draw.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SamplingRow {
    /// The space.
    pub space: &'static str,
    /// Its size m (and r).
    pub size: String,
    /// dim M.
    pub dimension: usize,
    /// `metropolis` (1000 steps of a random walk, the sampler before the paper), `gram-schmidt` (basis orthogonalized at each
    /// draw), `explicit` (basis ready), `transport` (drawn at a fixed point, carried over by the manifold's transport), `ours`.
    pub strategy: &'static str,
    /// Seconds of one draw, mean over the repetitions.
    pub seconds: f64,
}

/// Above this dimension strategies that enumerate a basis are left out: they take seconds a draw.
const LARGEST_BASIS: usize = 500;

/// Draws by five strategies over the paper's spaces. `quick`: the smaller sizes.
///
/// # Errors
/// [`ManifoldError`], which would be an error in this program.
pub fn sampling_seconds(quick: bool) -> Result<Vec<SamplingRow>, ManifoldError> {
    let mut rows = Vec::new();
    let orders: &[usize] = if quick { &[5, 11] } else { &[5, 10, 20, 30, 50] };
    for &m in orders {
        let size = m.to_string();
        measure("SPD affine-invariant", &size, &SpdAffineInvariant::new(m)?, &mut rows);
        measure("SPD Bures-Wasserstein", &size, &SpdBuresWasserstein::new(m)?, &mut rows);
        measure("SPD log-Euclidean", &size, &SpdLogEuclidean::new(m)?, &mut rows);
    }
    let sizes: &[usize] = if quick { &[250] } else { &[250, 500, 1000, 2000] };
    for &m in sizes {
        let size = m.to_string();
        measure("sphere", &size, &Sphere::unit(m - 1)?, &mut rows);
        measure("Poincare ball", &size, &PoincareBall::new(m)?, &mut rows);
        measure("Lorentz hyperboloid", &size, &Lorentz::new(m - 1)?, &mut rows);
    }
    let frames: &[(usize, usize)] =
        if quick { &[(100, 5)] } else { &[(100, 5), (250, 5), (1000, 5), (100, 20), (1000, 20)] };
    for &(m, r) in frames {
        let size = format!("{m}x{r}");
        measure("Stiefel", &size, &Stiefel::new(m, r)?, &mut rows);
        measure("Grassmann", &size, &Grassmann::new(m, r)?, &mut rows);
    }
    Ok(rows)
}

fn measure<M: Manifold>(space: &'static str, size: &str, m: &M, rows: &mut Vec<SamplingRow>) {
    let mut rng = seeded(1);
    let (p, reference) = (m.random_point(&mut rng), m.random_point(&mut rng));
    let mut push = |strategy, seconds| {
        rows.push(SamplingRow { space, size: size.into(), dimension: m.dim(), strategy, seconds });
    };
    let mut paid = NoiseSource::seeded(1);
    let mut generator = || {
        let loss = PrivacyLoss::Gaussian(Mu::new(1.0).ok()?);
        let charge = Ledger::in_memory(None).charge("benchmark", loss).ok()?;
        // The cryptographic generator, as in a release.
        paid.open(charge, loss).ok().map(|mut rng| {
            let ours = seconds(|| drop(black_box(m.tangent_gaussian(&p, 1.0, &mut rng))));
            let moved = seconds(|| {
                let v = m.tangent_gaussian(&reference, 1.0, &mut rng);
                drop(black_box(m.transport(&reference, &p, &v)));
            });
            (ours, moved)
        })
    };
    if let Some((ours, moved)) = generator() {
        push("ours", ours);
        push("transport", moved);
    }
    if m.dim() <= LARGEST_BASIS {
        push("metropolis", seconds(|| drop(black_box(metropolis(m, &p, &mut rng)))));
        push(
            "gram-schmidt",
            seconds(|| {
                let basis = orthonormal_basis(m, &p);
                drop(black_box(basis_gaussian(m, &p, &basis, 1.0, &mut rng)));
            }),
        );
        let basis = orthonormal_basis(m, &p);
        push("explicit", seconds(|| drop(black_box(basis_gaussian(m, &p, &basis, 1.0, &mut rng)))));
    }
}

/// Mean seconds of a call, over at least 30 ms or one call.
fn seconds(mut call: impl FnMut()) -> f64 {
    call();
    let start = Instant::now();
    let mut count = 0u32;
    while count == 0 || start.elapsed().as_secs_f64() < 0.03 {
        call();
        count += 1;
    }
    start.elapsed().as_secs_f64() / f64::from(count)
}

/// A thousand Metropolis steps with proposals uniform in a box of the ambient space, projected.
fn metropolis<M: Manifold, R: Rng>(m: &M, p: &M::Point, rng: &mut R) -> M::Tangent {
    use crate::manifold::Linear;
    let mut v = m.zero(p);
    let mut energy = 0.0;
    for _ in 0..1000 {
        let mut ambient = m.zero(p);
        for i in 0..ambient.real_len() {
            ambient.set_real(i, 0.3 * (rng.random::<f64>() - 0.5));
        }
        let mut w = m.project_tangent(p, &ambient);
        w.add_scaled(1.0, &v);
        let proposed = 0.5 * m.inner(p, &w, &w);
        if rng.random::<f64>().ln() < energy - proposed {
            (v, energy) = (w, proposed);
        }
    }
    v
}

/// A fast generator for points and baselines: nothing here is private.
fn seeded(seed: u64) -> rand::rngs::SmallRng {
    rand::SeedableRng::seed_from_u64(seed)
}

/// Table 2: seconds that privatization adds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OverheadRow {
    /// The space.
    pub space: &'static str,
    /// Its size.
    pub size: usize,
    /// Steps.
    pub steps: u32,
    /// Seconds of all the noise, drawn and added, single thread, cryptographic generator.
    pub noise_seconds: f64,
    /// Seconds of noise and clipping.
    pub noise_and_clip_seconds: f64,
    /// The paper's seconds for the same.
    pub paper_seconds: f64,
    /// The seconds of the sampler before the paper.
    pub before_seconds: f64,
}

/// 3·10⁵ privatizations (`quick`: 10⁴, scaled up) on SPD(11), affine-invariant, and on the unit sphere of ℝ⁷⁸⁶.
///
/// # Errors
/// [`ManifoldError`], which would be an error in this program.
pub fn overhead(quick: bool) -> Result<Vec<OverheadRow>, ManifoldError> {
    let steps = if quick { 10_000 } else { 300_000 };
    let spd =
        privatize("SPD affine-invariant", 11, &SpdAffineInvariant::new(11)?, steps, 41.0, 660.0 * 3600.0);
    let sphere = privatize("sphere", 786, &Sphere::unit(785)?, steps, 24.0, 668.0);
    Ok(spd.into_iter().chain(sphere).collect())
}

fn privatize<M: Manifold>(
    space: &'static str,
    size: usize,
    m: &M,
    steps: u32,
    paper_seconds: f64,
    before_seconds: f64,
) -> Option<OverheadRow> {
    let mut seed = seeded(2);
    let p = m.random_point(&mut seed);
    let gradient = m.tangent_gaussian(&p, 1.0, &mut seed);
    let loss = PrivacyLoss::Gaussian(Mu::new(1.0).ok()?);
    let charge = Ledger::in_memory(None).charge("benchmark", loss).ok()?;
    let mut source = NoiseSource::from_os().ok()?;
    let mut rng = source.open(charge, loss).ok()?;
    // The fastest of eight parts: on a shared machine the others measure the neighbours.
    let part = (steps / 8).max(1);
    let mut timed = |clip: bool| {
        let mut fastest = f64::INFINITY;
        for _ in 0..8 {
            let start = Instant::now();
            for _ in 0..part {
                let scale = if clip { (1.0 / m.norm(&p, black_box(&gradient))).min(1.0) } else { 1.0 };
                let mut v = m.tangent_gaussian(black_box(&p), 0.1, &mut rng);
                m.axpy(scale, &gradient, &mut v);
                black_box(v);
            }
            fastest = fastest.min(start.elapsed().as_secs_f64());
        }
        fastest * 300_000.0 / f64::from(part)
    };
    let (noise_seconds, noise_and_clip_seconds) = (timed(false), timed(true));
    Some(OverheadRow {
        space,
        size,
        steps: 300_000,
        noise_seconds,
        noise_and_clip_seconds,
        paper_seconds,
        before_seconds,
    })
}
