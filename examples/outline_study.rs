//! An outline study: a private mean of closed curves, with the smoothing chosen from the release itself.
//!
//! `cargo run --release --example outline_study`

use nalgebra::{Complex, DVector};
use rand::SeedableRng;
use std::error::Error;
use visard::manifold::{Kendall, Manifold};
use visard::mechanism::manifold::{PublicBall, TangentGaussian};
use visard::privacy::noise::NoiseSource;
use visard::privacy::{ClipRadius, ClipSource, Ledger, Mu, PrivacyLoss};
use visard::stats::{FrechetOptions, frechet_mean};
use visard::study::points::shrink_outline;

fn main() -> Result<(), Box<dyn Error>> {
    let space = Kendall::new(60)?;
    let outline = |wobble: f64| -> Vec<[f64; 2]> {
        (0..60)
            .map(|j| std::f64::consts::TAU * f64::from(j) / 60.0)
            .map(|t| [2.0 * t.cos() + wobble * (2.0 * t).cos(), t.sin() + 0.2 * (3.0 * t).sin()])
            .collect()
    };
    // Public: an ellipse-like atlas outline, and that real ones lie within 0.15 of it.
    let atlas = space.preshape(&outline(0.0))?;
    let ball = PublicBall::new(&space, atlas.clone(), ClipRadius::new(0.15, ClipSource::Public)?)?;
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
    let true_mean = space.preshape(&outline(0.15))?;
    let records: Vec<Option<DVector<Complex<f64>>>> = (0..300)
        .map(|_| Some(space.exp(&true_mean, &space.tangent_gaussian(&true_mean, 0.004, &mut rng))))
        .collect();
    let bounded = ball.bound(&records);
    let mu = Mu::new(1.0)?;
    let mechanism = TangentGaussian::new(ball, 300, mu, PrivacyLoss::Gaussian(mu))?;
    let statistic = mechanism.statistic(&bounded.points)?;
    let paid = Ledger::in_memory(None).charge("outlines", PrivacyLoss::Gaussian(mu))?;
    let released = mechanism.draw(&statistic, &mut NoiseSource::from_os()?, paid)?.point;
    let smooth = shrink_outline(&space, &atlas, &released, mechanism.price().scale)?;
    let mean = frechet_mean(&space, &bounded.points, None, None, FrechetOptions::default())?.point;
    let (raw, shrunk) = (space.dist(&mean, &released), space.dist(&mean, &smooth));
    println!("distance to the non-private mean: {raw:.4} as noised, {shrunk:.4} smoothed for free");
    assert!(shrunk < raw);
    Ok(())
}
