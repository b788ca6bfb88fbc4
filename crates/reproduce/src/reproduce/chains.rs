//! Beyond the papers: Markov chains of the papers' lengths against the exact laws.

use super::{AnyError, Context, Finding, Verdict, drawn, scale};
use crate::manifold::{Kendall, Manifold, PolarVolume, SpdLogEuclidean, Sphere};
use crate::mechanism::manifold::{KNormGradient, PublicBall};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{ClipRadius, ClipSource, Epsilon, Mechanism};
use crate::report::chart::{Axis, Line, line_chart};
use crate::stats::{FrechetOptions, frechet_mean};
use nalgebra::{DMatrix, DVector, dvector};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Gamma};
use rayon::prelude::*;
use std::time::Instant;

/// Largest distance between two empirical distribution functions.
pub(super) fn kolmogorov_smirnov(a: &[f64], b: &[f64]) -> f64 {
    let sorted = |v: &[f64]| {
        let mut v = v.to_vec();
        v.sort_by(f64::total_cmp);
        v
    };
    let (a, b) = (sorted(a), sorted(b));
    let share = |v: &[f64], x: f64| v.partition_point(|y| *y <= x) as f64 / v.len() as f64;
    a.iter().chain(&b).map(|&x| (share(&a, x) - share(&b, x)).abs()).fold(0.0, f64::max)
}

/// A random-walk Metropolis chain, rejections repeated; its last state and the share of accepted proposals.
pub(super) fn metropolis<M: Manifold>(
    manifold: &M,
    start: &M::Point,
    steps: u32,
    ln_density: &dyn Fn(&M::Point) -> f64,
    propose: &mut dyn FnMut(&M::Point) -> M::Tangent,
    rng: &mut ChaCha8Rng,
) -> (M::Point, f64) {
    let (mut at, mut density, mut accepted) = (start.clone(), ln_density(start), 0u32);
    for _ in 0..steps {
        let next = manifold.exp(&at, &propose(&at));
        let ln = ln_density(&next);
        if ln - density >= rng.random::<f64>().ln() {
            (at, density) = (next, ln);
            accepted += 1;
        }
    }
    (at, f64::from(accepted) / f64::from(steps))
}

/// One comparison: distances to the mean of ends of chains and of exact draws.
struct Row {
    name: &'static str,
    steps: u32,
    chains: Vec<f64>,
    exact: Vec<f64>,
    seconds: [f64; 2],
    accepted: f64,
}

impl Row {
    fn distance(&self) -> f64 {
        kolmogorov_smirnov(&self.chains, &self.exact)
    }

    /// What two samples of these sizes of one law exceed once in a thousand times.
    fn threshold(&self) -> f64 {
        let (a, b) = (self.chains.len() as f64, self.exact.len() as f64);
        1.95 * ((a + b) / (a * b)).sqrt()
    }
}

/// KNG on a ball: chains from the mean with the paper's proposals against the exact sampler.
fn kng<M: PolarVolume>(
    name: &'static str,
    manifold: &M,
    (points, centre, radius): (&[M::Point], &M::Point, f64),
    steps: u32,
    [chains, draws]: [u64; 2],
    propose: impl Fn(&M::Point, f64, &mut ChaCha8Rng) -> M::Tangent,
) -> Result<Row, AnyError> {
    // One chain after another: its seconds are shown beside those of a draw.
    let ball =
        PublicBall::new(manifold.clone(), centre.clone(), ClipRadius::new(radius, ClipSource::Public)?)?;
    let mean = frechet_mean(manifold, points, None, Some(centre), FrechetOptions::default())?.point;
    let epsilon = Epsilon::new(1.0)?;
    let mechanism = KNormGradient::new(ball.clone(), points.len() as u64, epsilon)?;
    let sigma = scale(&mechanism)?;
    let ln_density = |x: &M::Point| {
        let gradient = manifold.mean_log(x, points, None).map(|found| found.log);
        match gradient {
            Ok(gradient) if ball.contains(x) => -manifold.norm(x, &gradient) / sigma,
            _ => f64::NEG_INFINITY,
        }
    };
    let clock = Instant::now();
    let ends: Vec<(f64, f64)> = (0..chains)
        .map(|seed| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let mut steps_rng = ChaCha8Rng::seed_from_u64(seed + 1_000_000);
            let mut next = |at: &M::Point| propose(at, sigma, &mut steps_rng);
            let (end, accepted) = metropolis(manifold, &mean, steps, &ln_density, &mut next, &mut rng);
            (manifold.dist(&mean, &end), accepted)
        })
        .collect();
    let chain_seconds = clock.elapsed().as_secs_f64() / chains as f64;
    let records: Vec<_> = points.iter().cloned().map(Some).collect();
    let sampler = mechanism.prepare(&records)?;
    let mut noise = NoiseSource::seeded(51);
    let clock = Instant::now();
    let mut exact = Vec::new();
    for _ in 0..draws {
        exact.push(manifold.dist(&mean, &drawn(&mechanism, &sampler, &mut noise)?.point));
    }
    let seconds = [chain_seconds, clock.elapsed().as_secs_f64() / draws as f64];
    let accepted = ends.iter().map(|e| e.1).sum::<f64>() / chains as f64;
    Ok(Row { name, steps, chains: ends.iter().map(|e| e.0).collect(), exact, seconds, accepted })
}

fn sphere(context: &Context) -> Result<Row, AnyError> {
    let sphere = Sphere::unit(2)?;
    let north = dvector![0.0, 0.0, 1.0];
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let radius = std::f64::consts::PI / 8.0;
    let points: Vec<DVector<f64>> = (0..50)
        .map(|_| {
            sphere.exp(&north, &(sphere.random_direction(&north, &mut rng) * (radius * rng.random::<f64>())))
        })
        .collect();
    // B.4.2: a Gaussian direction scaled to σ, projected onto the tangent plane, times t = ½.
    let propose = |at: &DVector<f64>, sigma: f64, rng: &mut ChaCha8Rng| {
        let space = crate::manifold::Euclidean::new(3);
        let ambient = space.random_direction(&DVector::zeros(3), rng) * (0.5 * sigma);
        sphere.project_tangent(at, &ambient)
    };
    let sizes = [context.pick(60, 400), context.pick(2000, 20_000)];
    kng("KNG on S² (20000 steps)", &sphere, (&points, &north, radius), 20_000, sizes, propose)
}

fn outlines(context: &Context) -> Result<Row, AnyError> {
    let (table, _) = super::shapes::table(context)?;
    let space = Kendall::new(table[0].len())?;
    let all = table.iter().map(|s| space.preshape(s)).collect::<Result<Vec<_>, _>>()?;
    let centre = frechet_mean(&space, &all[..30], None, None, FrechetOptions::default())?.point;
    let ball = PublicBall::new(space, centre.clone(), ClipRadius::new(0.13, ClipSource::Public)?)?;
    let records: Vec<_> = all[30..].iter().take(context.pick(60, 379)).cloned().map(Some).collect();
    let points = ball.bound(&records).points;
    // B.5.1 with uniform components, centred, horizontal. The length t is not stated: the longest of a few that accepts a third.
    let with = |length: f64| {
        let space = &space;
        move |at: &DVector<nalgebra::Complex<f64>>, _: f64, rng: &mut ChaCha8Rng| {
            let v = at.map(|_| nalgebra::Complex::new(rng.random::<f64>() - 0.5, rng.random::<f64>() - 0.5));
            let v = space.project_tangent(at, &v);
            space.scale(length / space.norm(at, &v).max(f64::MIN_POSITIVE), &v)
        }
    };
    let at = (points.as_slice(), &centre, 0.13);
    let mut length = 0.2;
    while length > 1e-3 && kng("tuning", &space, at, 1000, [2, 1], with(length))?.accepted < 0.33 {
        length *= 0.75;
    }
    let sizes = [context.pick(40, 100), context.pick(300, 1000)];
    kng("KNG on outlines of 50 landmarks (7500 steps)", &space, at, 7500, sizes, with(length))
}

/// Riemannian Laplace on SPD(k), log-Euclidean: the paper's 50,000 log-Gaussian steps from a random matrix.
fn laplace(context: &Context, k: usize, name: &'static str) -> Result<Row, AnyError> {
    let spd = SpdLogEuclidean::new(k)?;
    let dim = spd.dim();
    let scale = 2.0 * ((k as f64).sqrt() / 4.0) / 500.0 / 0.1;
    let steps = 50_000;
    let chains = context.pick(12, 48);
    let (identity, zero) = (DMatrix::identity(k, k), DVector::<f64>::zeros(dim));
    let clock = Instant::now();
    // In the flat coordinates: the same chain, without the matrix functions that the paper's runs pay for.
    let plane = crate::manifold::Euclidean::new(dim);
    let ends: Vec<(f64, f64)> = (0..chains)
        .into_par_iter()
        .map(|seed| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let mut walk = ChaCha8Rng::seed_from_u64(seed + 1_000_000);
            let start = spd.chart(&spd.random_point(&mut rng));
            let ln = |x: &DVector<f64>| -x.norm() / scale;
            let mut propose = |at: &DVector<f64>| plane.tangent_gaussian(at, scale, &mut walk);
            let (end, accepted) = metropolis(&plane, &start, steps, &ln, &mut propose, &mut rng);
            (spd.dist(&identity, &spd.from_chart(&end)), accepted)
        })
        .collect();
    let seconds = clock.elapsed().as_secs_f64() / chains as f64;
    let gamma = Gamma::new(dim as f64, scale)?;
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let clock = Instant::now();
    let exact: Vec<f64> = (0..2000)
        .map(|_| {
            let r: f64 = gamma.sample(&mut rng);
            let x = plane.random_direction(&zero, &mut rng) * r;
            std::hint::black_box(spd.from_chart(&x));
            x.norm()
        })
        .collect();
    let accepted = ends.iter().map(|e| e.1).sum::<f64>() / chains as f64;
    let seconds = [seconds, clock.elapsed().as_secs_f64() / 2000.0];
    Ok(Row { name, steps, chains: ends.iter().map(|e| e.0).collect(), exact, seconds, accepted })
}

pub(super) fn run(context: &Context) -> Result<Finding, AnyError> {
    context.step("chains of KNG on the sphere");
    let on_sphere = sphere(context)?;
    context.step("chains of KNG on outlines");
    let on_outlines = outlines(context)?;
    context.step("chains of the Laplace law on matrices");
    let rows = [
        on_sphere,
        on_outlines,
        laplace(context, 5, "Laplace on SPD(5) (50000 steps)")?,
        laplace(context, 20, "Laplace on SPD(20) (50000 steps)")?,
    ];
    let late = rows.iter().filter(|r| r.distance() > r.threshold()).count();
    let mut finding = Finding::new(
        "Beyond: chains of the papers' lengths against exact draws",
        "Burn-in of 20000 steps (S²), 7500 (outlines), 50000 (SPD); the chains are taken to have arrived.",
    );
    let mut csv = String::from(
        "mechanism,steps,chains,acceptance,chain mean distance,exact mean distance,KS distance,one in a thousand,seconds a chain,seconds an exact draw,ratio\n",
    );
    let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
    let mut told = Vec::new();
    for row in &rows {
        let (ks, limit) = (row.distance(), row.threshold());
        csv.push_str(&format!(
            "{},{},{},{:.3},{:.4e},{:.4e},{ks:.3},{limit:.3},{:.3e},{:.3e},{:.0}\n",
            row.name,
            row.steps,
            row.chains.len(),
            row.accepted,
            mean(&row.chains),
            mean(&row.exact),
            row.seconds[0],
            row.seconds[1],
            row.seconds[0] / row.seconds[1]
        ));
        let state = if ks > limit { "has not arrived" } else { "cannot be told from the law" };
        told.push(format!("{}: KS distance {ks:.2}, {state}", row.name));
        let steps = |values: &[f64]| {
            let mut v = values.to_vec();
            v.sort_by(f64::total_cmp);
            let every = v.len().div_ceil(200);
            let n = v.len() as f64;
            v.iter().enumerate().step_by(every).map(|(i, x)| (*x, (i as f64 + 0.5) / n)).collect::<Vec<_>>()
        };
        let lines =
            [Line::new("exact draws", steps(&row.exact)), Line::new("ends of chains", steps(&row.chains))];
        let svg =
            line_chart(row.name, &Axis::linear("distance to the mean"), &Axis::linear("share below"), &lines);
        let number = finding.figures.len() + 1;
        finding.figures.push((format!("chain_{number}.svg"), svg));
    }
    let (outline, matrix) = (&rows[1], &rows[3]);
    finding.same = format!("{}.", told.join("; "));
    finding.better = format!(
        "exact draws: {:.1e} s instead of {:.1e} s (outlines), {:.1e} s instead of {:.1e} s (SPD(20)).",
        outline.seconds[1], outline.seconds[0], matrix.seconds[1], matrix.seconds[0]
    );
    finding.verdict = if late == 0 { Verdict::Yes } else { Verdict::Partly };
    finding.why = format!(
        "{late} of {} kinds of chain differ from their laws by more than chance (one in a thousand), as far as so many ends can tell. Even so a chain \
         is private only in the limit, and those of KNG start at the private mean; an exact draw has no such caveat and costs less.",
        rows.len()
    );
    finding.then = "73 s for 50,000 steps at k = 30".into();
    finding.data = "points of a ball on S², the outlines of kng-shapes, none for SPD".into();
    finding.tells(
        "steps of a chain for one private outline (ratio: of seconds, both run here)",
        outline.steps.to_string(),
        "none (exact)",
        outline.seconds[0] / outline.seconds[1],
    );
    finding.tables.push(("chains.csv".into(), csv));
    Ok(finding)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_of_distributions() {
        assert_eq!(kolmogorov_smirnov(&[1.0, 2.0], &[3.0, 4.0]), 1.0);
        assert_eq!(kolmogorov_smirnov(&[1.0, 3.0], &[1.0, 3.0]), 0.0);
        assert_eq!(kolmogorov_smirnov(&[1.0, 2.0, 3.0, 4.0], &[1.5, 2.5]), 0.5);
    }

    /// A chain on the line for exp(−|x|): mean |x| of 400 ends is within 5 standard errors (0.05 each) of 1.
    #[test]
    fn a_chain_finds_its_law() {
        let line = crate::manifold::Euclidean::new(1);
        let mean: f64 = (0..400)
            .map(|seed| {
                let mut rng = ChaCha8Rng::seed_from_u64(seed);
                let mut walk = ChaCha8Rng::seed_from_u64(seed + 400);
                let mut propose = |at: &DVector<f64>| line.tangent_gaussian(at, 2.0, &mut walk);
                let ln = |x: &DVector<f64>| -x.norm();
                let start = DVector::zeros(1);
                metropolis(&line, &start, 200, &ln, &mut propose, &mut rng).0.norm() / 400.0
            })
            .sum();
        assert!((mean - 1.0).abs() < 0.25, "{mean}");
    }
}
