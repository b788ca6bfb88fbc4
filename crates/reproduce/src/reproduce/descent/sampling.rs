//! Tangent Gaussian draws by strategy (Figure 1) and the seconds that privatization adds (Table 2).

use crate::manifold::{
    Grassmann, Lorentz, Manifold, ManifoldError, PoincareBall, SpdAffineInvariant, SpdBuresWasserstein,
    SpdLogEuclidean, Sphere, Stiefel, basis_gaussian, orthonormal_basis,
};
use crate::privacy::noise::{NoiseSource, PaidGenerator};
use crate::privacy::{Ledger, Mu, PrivacyLoss};
use rand::{Rng, RngExt};
use serde::Serialize;
use std::hint::black_box;
use std::time::Instant;

/// Seconds of one draw.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SamplingRow {
    /// The space; of frames with the number r of their columns.
    pub space: &'static str,
    /// Its size m.
    pub size: usize,
    /// dim M.
    pub dimension: usize,
    /// `metropolis` (1000 steps of a random walk, the sampler before the paper), `gram-schmidt` (a basis at the point,
    /// orthogonalized anew), `explicit` (a basis at the reference point, carried over vector by vector), `transport` (drawn at
    /// the reference point, carried over once), `ours`.
    pub strategy: &'static str,
    /// Seconds of one draw, mean over the repetitions.
    pub seconds: f64,
}

/// A draw that is expected to take longer than these seconds is not tried.
const PATIENCE: f64 = 8.0;

/// Draws by five strategies over the paper's spaces. `quick`: the smaller sizes. Strategies that become too slow are left out at
/// larger sizes. `tell` hears which space is next.
///
/// # Errors
/// [`ManifoldError`], which would be an error in this program.
pub fn sampling_seconds(quick: bool, tell: &dyn Fn(&str)) -> Result<Vec<SamplingRow>, ManifoldError> {
    let mut rows = Vec::new();
    let orders: &[usize] = if quick { &[5, 11] } else { &[5, 10, 20, 30, 50] };
    tell("draws on positive definite matrices");
    for &m in orders {
        measure("SPD affine-invariant", m, &SpdAffineInvariant::new(m)?, &mut rows);
        measure("SPD Bures-Wasserstein", m, &SpdBuresWasserstein::new(m)?, &mut rows);
        measure("SPD log-Euclidean", m, &SpdLogEuclidean::new(m)?, &mut rows);
    }
    let sizes: &[usize] = if quick { &[100, 250] } else { &[250, 500, 1000, 1500, 2000] };
    tell("draws on the sphere and hyperbolic space");
    for &m in sizes {
        measure("sphere", m, &Sphere::unit(m - 1)?, &mut rows);
        measure("Poincare ball", m, &PoincareBall::new(m)?, &mut rows);
        measure("Lorentz hyperboloid", m, &Lorentz::new(m - 1)?, &mut rows);
    }
    let (sizes, columns): (&[usize], &[usize]) =
        if quick { (&[50, 100], &[5]) } else { (&[100, 250, 500, 750, 1000], &[10, 20]) };
    tell("draws on frames and subspaces");
    for &r in columns {
        let [stiefel, grassmann] = match r {
            5 => ["Stiefel r = 5", "Grassmann r = 5"],
            10 => ["Stiefel r = 10", "Grassmann r = 10"],
            _ => ["Stiefel r = 20", "Grassmann r = 20"],
        };
        for &m in sizes {
            measure(stiefel, m, &Stiefel::new(m, r)?, &mut rows);
            measure(grassmann, m, &Grassmann::new(m, r)?, &mut rows);
        }
    }
    Ok(rows)
}

/// What one draw takes by this strategy, at least, as the next smaller size tells. No strategy that enumerates a basis grows
/// more slowly than the square of the dimension.
fn expected(rows: &[SamplingRow], space: &str, strategy: &str, dimension: usize) -> f64 {
    let mut smaller = rows.iter().filter(|r| r.space == space);
    let any = smaller.clone().next().is_some();
    match smaller.rfind(|r| r.strategy == strategy) {
        Some(row) => row.seconds * (dimension as f64 / row.dimension as f64).powi(2),
        // Left out at a smaller size already.
        None if any => f64::INFINITY,
        None => 0.0,
    }
}

fn measure<M: Manifold>(space: &'static str, size: usize, m: &M, rows: &mut Vec<SamplingRow>) {
    let mut rng = seeded(1);
    let (p, reference) = (m.random_point(&mut rng), m.random_point(&mut rng));
    let dimension = m.dim();
    let patient = |strategy: &str| expected(rows, space, strategy, dimension) < PATIENCE;
    let (walk, orthogonalize, enumerate) =
        (patient("metropolis"), patient("gram-schmidt"), patient("explicit"));
    let mut push = |strategy, seconds| {
        rows.push(SamplingRow { space, size, dimension, strategy, seconds });
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
    if walk {
        push("metropolis", seconds(|| drop(black_box(metropolis(m, &p, &mut rng)))));
    }
    if !orthogonalize {
        return;
    }
    let mut basis = Vec::new();
    push(
        "gram-schmidt",
        seconds(|| {
            basis = orthonormal_basis(m, &reference);
            drop(black_box(basis_gaussian(m, &reference, &basis, 1.0, &mut rng)));
        }),
    );
    if enumerate {
        push(
            "explicit",
            seconds(|| {
                let carried: Vec<M::Tangent> =
                    basis.iter().filter_map(|b| m.transport(&reference, &p, b).ok()).collect();
                drop(black_box(basis_gaussian(m, &p, &carried, 1.0, &mut rng)));
            }),
        );
    }
}

/// Mean seconds of a call, over at least 30 ms; the first call, which warms the caches, counts only where it is that long.
fn seconds(mut call: impl FnMut()) -> f64 {
    let start = Instant::now();
    call();
    let first = start.elapsed().as_secs_f64();
    if first > 0.03 {
        return first;
    }
    let start = Instant::now();
    let mut count = 0u32;
    while start.elapsed().as_secs_f64() < 0.03 {
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
    /// Seconds of the noise by the paper's strategy: drawn at a reference point and carried over.
    pub transport_seconds: f64,
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
    let (p, reference) = (m.random_point(&mut seed), m.random_point(&mut seed));
    let gradient = m.tangent_gaussian(&p, 1.0, &mut seed);
    let loss = PrivacyLoss::Gaussian(Mu::new(1.0).ok()?);
    let charge = Ledger::in_memory(None).charge("benchmark", loss).ok()?;
    let mut source = NoiseSource::from_os().ok()?;
    let mut rng = source.open(charge, loss).ok()?;
    // The fastest of eight parts: on a shared machine the others measure the neighbours.
    let part = (steps / 8).max(1);
    let mut timed = |add: &mut dyn FnMut(&mut PaidGenerator<'_>)| {
        let mut fastest = f64::INFINITY;
        for _ in 0..8 {
            let start = Instant::now();
            (0..part).for_each(|_| add(&mut rng));
            fastest = fastest.min(start.elapsed().as_secs_f64());
        }
        fastest * 300_000.0 / f64::from(part)
    };
    let add = |scale: f64, mut v: M::Tangent| {
        m.axpy(scale, &gradient, &mut v);
        black_box(v);
    };
    let noise_seconds = timed(&mut |rng| add(1.0, m.tangent_gaussian(black_box(&p), 0.1, rng)));
    let noise_and_clip_seconds = timed(&mut |rng| {
        let scale = (1.0 / m.norm(&p, black_box(&gradient))).min(1.0);
        add(scale, m.tangent_gaussian(black_box(&p), 0.1, rng));
    });
    let transport_seconds = timed(&mut |rng| {
        let v = m.tangent_gaussian(&reference, 0.1, rng);
        if let Ok(v) = m.transport(&reference, black_box(&p), &v) {
            add(1.0, v);
        }
    });
    Some(OverheadRow {
        space,
        size,
        steps: 300_000,
        noise_seconds,
        noise_and_clip_seconds,
        transport_seconds,
        paper_seconds,
        before_seconds,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(strategy: &'static str, dimension: usize, seconds: f64) -> SamplingRow {
        SamplingRow { space: "s", size: dimension, dimension, strategy, seconds }
    }

    #[test]
    fn slow_strategies_are_foreseen() {
        let mut rows = Vec::new();
        assert_eq!(expected(&rows, "s", "gram-schmidt", 10), 0.0, "nothing is known");
        rows.extend([row("ours", 10, 1.0), row("gram-schmidt", 10, 1.0), row("ours", 20, 2.0)]);
        assert_eq!(expected(&rows, "s", "gram-schmidt", 40), 16.0);
        assert_eq!(expected(&rows, "s", "explicit", 40), f64::INFINITY, "left out before");
        assert_eq!(expected(&rows, "other", "explicit", 40), 0.0);
    }

    /// Walk, basis and explicit basis draw from the same law as ours: E‖v‖² is the dimension. The means of 2000 draws are
    /// within five standard errors, dim √(2/(2000 dim)) each; the walk of 1000 steps is correlated and is not asked.
    #[test]
    fn strategies_draw_the_same_law() {
        let m = SpdAffineInvariant::new(3).unwrap();
        let mut rng = seeded(5);
        let (p, reference) = (m.random_point(&mut rng), m.random_point(&mut rng));
        let basis = orthonormal_basis(&m, &reference);
        let carried: Vec<_> = basis.iter().map(|b| m.transport(&reference, &p, b).unwrap()).collect();
        let mut draws: [Box<dyn FnMut() -> f64>; 3] = [
            Box::new({
                let (m, p, mut rng) = (m, p.clone(), seeded(6));
                move || m.norm(&p, &m.tangent_gaussian(&p, 1.0, &mut rng)).powi(2)
            }),
            Box::new({
                let (m, p, q, mut rng) = (m, p.clone(), reference.clone(), seeded(7));
                move || {
                    let v = m.tangent_gaussian(&q, 1.0, &mut rng);
                    m.norm(&p, &m.transport(&q, &p, &v).unwrap()).powi(2)
                }
            }),
            Box::new({
                let (m, p, mut rng) = (m, p.clone(), seeded(8));
                move || m.norm(&p, &basis_gaussian(&m, &p, &carried, 1.0, &mut rng)).powi(2)
            }),
        ];
        let dim = m.dim() as f64;
        for draw in &mut draws {
            let mean = (0..2000).map(|_| draw()).sum::<f64>() / 2000.0;
            assert!((mean / dim - 1.0).abs() < 5.0 * (2.0 / (2000.0 * dim)).sqrt(), "{mean}");
        }
    }
}
