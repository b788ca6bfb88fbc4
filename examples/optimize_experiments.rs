//! The experiments of private Riemannian optimization, written as csv.
//!
//! `cargo run --release --example optimize_experiments -- DATA OUT [--quick] [sampling|overhead|privacy|noise|spd|eigenvector|hyperbolic|one-shot]...`
//!
//! DATA is the folder with `images/` and `hyperbolic/`; without names everything is run.

use nalgebra::{DMatrix, DVector};
use std::error::Error;
use std::path::{Path, PathBuf};
use visard::manifold::{Manifold, PoincareBall, SpdAffineInvariant};
use visard::optimize::experiments::risk::{Comparison, RiskRow, RiskSetup, leading_eigenvalue, summarize};
use visard::optimize::experiments::{privacy, records, sampling, to_csv};
use visard::optimize::{FrechetMeanProblem, LeadingEigenvector, Problem};
use visard::stats::{FrechetOptions, frechet_mean};

const EPSILONS: [f64; 3] = [0.1, 0.3, 0.5];
const DELTA: f64 = 1e-6;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let quick = arguments.iter().any(|a| a == "--quick");
    arguments.retain(|a| a != "--quick");
    let [data, out, names @ ..] = &arguments[..] else {
        return Err("usage: optimize_experiments DATA OUT [--quick] [NAME]...".into());
    };
    let (data, out) = (PathBuf::from(data), PathBuf::from(out));
    std::fs::create_dir_all(&out)?;
    let runs = if quick { 2 } else { 5 };
    let asked = |name: &str| names.is_empty() || names.iter().any(|n| n == name);
    let save = |name: &str, csv: String| std::fs::write(out.join(format!("{name}.csv")), csv);
    if asked("sampling") {
        save("sampling", to_csv(&sampling::sampling_seconds(quick)?)?)?;
    }
    if asked("overhead") {
        let rows = sampling::overhead(quick)?;
        for row in &rows {
            println!(
                "{} {}: {:.2} s noise, {:.2} s with clipping (paper {} s, before {} s)",
                row.space,
                row.size,
                row.noise_seconds,
                row.noise_and_clip_seconds,
                row.paper_seconds,
                row.before_seconds
            );
        }
        save("overhead", to_csv(&rows)?)?;
    }
    if asked("privacy") {
        save("epsilon_epochs", to_csv(&privacy::epsilon_against_epochs(quick)?)?)?;
    }
    if asked("noise") {
        save("noise_by_method", to_csv(&privacy::noise_by_method(10_000, 100, DELTA)?)?)?;
    }
    let mut risks = Vec::new();
    if asked("spd") {
        risks.extend(spd(&data, if quick { 14 } else { 7 }, runs, true)?);
    }
    if names.iter().any(|n| n == "one-shot") {
        risks.extend(spd(&data, if quick { 14 } else { 7 }, runs, false)?);
    }
    if asked("eigenvector") {
        risks.extend(eigenvector(&data, runs)?);
    }
    if asked("hyperbolic") {
        risks.extend(hyperbolic(&data, quick, runs)?);
    }
    if !risks.is_empty() {
        save("excess_risk", to_csv(&risks)?)?;
        let ends = summarize(&risks);
        for end in &ends {
            println!(
                "{:24} n {:5} eps {:.1} {:40} calls {:8.0} excess {:.4} ({:.4} to {:.4})",
                end.problem,
                end.records,
                end.epsilon,
                end.method,
                end.gradient_calls,
                end.excess_risk,
                end.least,
                end.largest
            );
        }
        save("excess_risk_ends", to_csv(&ends)?)?;
    }
    Ok(())
}

/// The median distance of points to their mean, and the mean: the public scale that another picture sets.
fn mean_and_scale<M: Manifold>(m: &M, points: &[M::Point]) -> Result<(M::Point, f64), Box<dyn Error>> {
    let mean = frechet_mean(m, points, None, None, FrechetOptions::default())?.point;
    let mut distances: Vec<f64> = points.iter().map(|p| m.dist(&mean, p)).collect();
    distances.sort_by(f64::total_cmp);
    Ok((mean, distances[distances.len() / 2]))
}

/// Descriptors of the tiles of one picture; start point and clip radius come from the other, which plays the public one.
fn spd(data: &Path, stride: usize, runs: u32, iterate: bool) -> Result<Vec<RiskRow>, Box<dyn Error>> {
    let space = SpdAffineInvariant::new(11)?;
    let mut rows = Vec::new();
    for (name, public) in [("ihc", "retina"), ("retina", "ihc")] {
        let points = records::tile_descriptors(data, name, if name == "ihc" { stride } else { 2 * stride })?;
        let proxy: Vec<DMatrix<f64>> = records::tile_descriptors(data, public, 28)?;
        let (start, scale) = mean_and_scale(&space, &proxy)?;
        let problem = FrechetMeanProblem::new(space, points)?;
        let (mean, spread) = mean_and_scale(&space, problem.points())?;
        println!(
            "{name}: n {}, median distance to the mean {spread:.2}; start {:.2} away, clip radius {scale:.2}",
            problem.records(),
            space.dist(&start, &mean)
        );
        let setup = RiskSetup {
            clip: scale,
            lipschitz: 2.0,
            rgd_steps: 15,
            rgd_step: 0.5,
            batch: 256,
            rsgd_passes: 6,
            rsgd_step: 0.3,
            epochs: 6,
            inner: 6,
            rsvrg_step: 0.25,
            domain: Some(4.0 * scale),
        };
        let least_risk = problem.risk(&mean);
        let name = format!("SPD mean: {name} tiles");
        let comparison =
            Comparison { name: &name, problem: &problem, start, least_risk, delta: DELTA, setup };
        if iterate {
            rows.extend(comparison.run(&EPSILONS, runs)?);
        }
        rows.extend(comparison.one_shot(&EPSILONS, runs)?);
    }
    Ok(rows)
}

fn eigenvector(data: &Path, runs: u32) -> Result<Vec<RiskRow>, Box<dyn Error>> {
    let mut rows = Vec::new();
    for (name, digits) in [("digit 0", &[0][..]), ("digit 1", &[1]), ("digits 0; 1; 3", &[])] {
        let vectors = records::digits(data, digits)?;
        let least_risk = -leading_eigenvalue(&vectors);
        let start = DVector::from_element(vectors.nrows(), (vectors.nrows() as f64).sqrt().recip());
        let problem = LeadingEigenvector::new(vectors)?;
        println!(
            "eigenvector of {name}: n {}, risk of the start {:.3}, least {least_risk:.3}",
            problem.records(),
            problem.risk(&start)
        );
        let setup = RiskSetup {
            clip: 1.0,
            lipschitz: 2.0,
            rgd_steps: 5,
            rgd_step: 0.7,
            batch: 200,
            rsgd_passes: 4,
            rsgd_step: 0.2,
            epochs: 3,
            inner: 5,
            rsvrg_step: 0.3,
            domain: None,
        };
        let name = format!("eigenvector: {name}");
        let comparison =
            Comparison { name: &name, problem: &problem, start, least_risk, delta: DELTA, setup };
        rows.extend(comparison.run(&EPSILONS, runs)?);
    }
    Ok(rows)
}

fn hyperbolic(data: &Path, quick: bool, runs: u32) -> Result<Vec<RiskRow>, Box<dyn Error>> {
    let (points, rank) = records::mammals(data, 2, quick)?;
    let ball = PoincareBall::new(2)?;
    let problem = FrechetMeanProblem::new(ball, points)?;
    let (mean, spread) = mean_and_scale(&ball, problem.points())?;
    println!(
        "mammals: n {}, mean rank of ancestors {rank:.1}, median distance to the mean {spread:.2}, mean {:.2} from the origin",
        problem.records(),
        ball.dist(&mean, &DVector::zeros(2))
    );
    let setup = RiskSetup {
        clip: 3.0,
        lipschitz: 3.0,
        rgd_steps: 15,
        rgd_step: 0.3,
        batch: 64,
        rsgd_passes: 10,
        rsgd_step: 0.1,
        epochs: 4,
        inner: 5,
        rsvrg_step: 0.2,
        domain: Some(3.0),
    };
    let (least_risk, start) = (problem.risk(&mean), DVector::zeros(2));
    let name = "mammals in the Poincare ball";
    let comparison = Comparison { name, problem: &problem, start, least_risk, delta: DELTA, setup };
    let mut rows = comparison.run(&EPSILONS, runs)?;
    rows.extend(comparison.one_shot(&EPSILONS, runs)?);
    Ok(rows)
}
