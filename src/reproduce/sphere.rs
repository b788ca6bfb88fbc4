//! Soto et al. 2022, Figure 1 (left): private means on S².

use super::{AnyError, Context, Finding, Verdict};
use crate::manifold::{Manifold, Sphere};
use crate::mechanism::manifold::{KNormGradient, PublicBall, RiemannianGaussian, RiemannianLaplace};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{ClipRadius, ClipSource, Epsilon, L2Sensitivity, Ledger, Mu, PrivacyLoss};
use crate::report::chart::{Axis, Line, line_chart};
use crate::stats::{FrechetOptions, frechet_mean};
use nalgebra::{DVector, dvector};
use rand::{RngExt, SeedableRng};
use rayon::prelude::*;

const NAMES: [&str; 5] =
    ["KNG", "Laplace", "Euclidean Laplace", "the same, projected", "Riemannian Gaussian"];

pub(super) fn run(context: &Context) -> Result<Finding, AnyError> {
    let replicates = context.pick(150, 10_000);
    let sizes: &[u64] = if context.quick { &[10, 50, 200, 1000] } else { &[10, 20, 50, 100, 200, 500, 1000] };
    let radius = std::f64::consts::PI / 8.0;
    let mut csv = format!("n,{}\n", NAMES.join(","));
    let mut lines: Vec<Vec<(f64, f64)>> = vec![Vec::new(); NAMES.len()];
    for &n in sizes {
        let means = errors(n, radius, replicates).map_err(|e| -> AnyError { e })?;
        csv.push_str(&format!("{n}"));
        for (line, mean) in lines.iter_mut().zip(means) {
            line.push((n as f64, mean));
            csv.push_str(&format!(",{mean:.5e}"));
        }
        csv.push('\n');
    }
    let drawn: Vec<Line> = NAMES.iter().zip(&lines).map(|(n, l)| Line::new(*n, l.clone())).collect();
    let mut finding = Finding::new(
        "kng-shapes, Figure 1 (left): private means on the sphere S²",
        "Mean distance of private to Fréchet mean at ε = 1, n from 10 to 1000, 10000 replicates: KNG below Laplace below the \
         ambient Laplace, which leaves the sphere.",
    );
    let last = |k: usize| lines[k].last().map_or(f64::NAN, |p| p.1);
    finding.same = format!(
        "n = {}, ε = 1, both with the factor their proofs need: KNG {:.2e}, Riemannian Laplace {:.2e}, ambient Laplace {:.2e}, \
         projected {:.2e}.",
        sizes[sizes.len() - 1],
        last(0),
        last(1),
        last(2),
        last(3)
    );
    finding.better = format!(
        "Riemannian Gaussian at the μ that ε = 1 implies: {:.2e}; every draw exact, no chain.",
        last(4)
    );
    finding.tells(
        "mean distance on S², n = 1000, ε = 1: KNG with the factor its proof needs, and Riemannian Laplace calibrated exactly",
        format!("{:.2e}", last(0)),
        format!("{:.2e}", last(1)),
        last(0) / last(1),
    );
    finding.verdict = Verdict::Partly;
    finding.why = "The figure draws KNG with σ = Δ/ε, which loses up to 1.4 ε; with the factor 2 its own theorem needs, the \
                   untruncated Laplace (factor 1 on a homogeneous space) is the better of the two."
        .into();
    finding.data = "random points of a ball of radius π/8, new for every replicate".into();
    let svg = line_chart("Error on S² at ε = 1", &Axis::log("n"), &Axis::log("mean distance"), &drawn);
    finding.figures.push(("sphere.svg".into(), svg));
    finding.tables.push(("sphere.csv".into(), csv));
    Ok(finding)
}

/// Mean distances to the Fréchet mean for one n.
fn errors(
    n: u64,
    radius: f64,
    replicates: u64,
) -> Result<[f64; 5], Box<dyn std::error::Error + Send + Sync>> {
    let sphere = Sphere::unit(2)?;
    let north = dvector![0.0, 0.0, 1.0];
    let clip = ClipRadius::new(radius, ClipSource::Public)?;
    let ball = PublicBall::new(&sphere, north.clone(), clip)?;
    let epsilon = Epsilon::new(1.0)?;
    let mu = Mu::of_pure(epsilon)?;
    let kng = KNormGradient::new(ball.clone(), n, epsilon)?;
    let laplace = RiemannianLaplace::new(ball.clone(), n, epsilon, 0.0)?;
    let gaussian = RiemannianGaussian::new(ball.clone(), n, mu, 0.0)?;
    let chord = L2Sensitivity::new(2.0 * radius.sin() / n as f64)?;
    let pure = PrivacyLoss::Pure(epsilon);
    let one = |seed: u64| -> Result<[f64; 5], Box<dyn std::error::Error + Send + Sync>> {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
        let points: Vec<DVector<f64>> = (0..n)
            .map(|_| {
                let direction = sphere.random_direction(&north, &mut rng);
                let t = radius * rng.random::<f64>().sqrt();
                sphere.exp(&north, &(direction * t))
            })
            .collect();
        let mean = frechet_mean(&sphere, &points, None, Some(&north), FrechetOptions::default())?.point;
        let (mut noise, mut ledger) = (NoiseSource::seeded(seed), Ledger::in_memory(None));
        let k = kng.sampler(&points, &mean)?.draw(&mut noise, ledger.charge("kng", pure)?)?.0;
        let l = laplace.draw(&mean, &mut noise, ledger.charge("laplace", pure)?)?;
        let g = gaussian.draw(&mean, &mut noise, ledger.charge("gaussian", PrivacyLoss::Gaussian(mu))?)?;
        let mut ambient = DVector::zeros(3);
        points.iter().for_each(|p| ambient += p / n as f64);
        let paid = ledger.charge("ambient", pure)?;
        let drawn = noise.isotropic_laplace_vector_idealized(ambient.as_slice(), chord, epsilon, paid)?;
        let e = DVector::from_vec(drawn.values);
        let projected = &e / e.norm();
        Ok([
            sphere.dist(&mean, &k),
            sphere.dist(&mean, &l),
            (&e - &mean).norm(),
            sphere.dist(&mean, &projected),
            sphere.dist(&mean, &g),
        ])
    };
    let all: Vec<[f64; 5]> = (0..replicates).into_par_iter().map(one).collect::<Result<_, _>>()?;
    let mut means = [0.0; 5];
    for errors in &all {
        means.iter_mut().zip(errors).for_each(|(m, e)| *m += e / replicates as f64);
    }
    Ok(means)
}
