//! An outline study: a private mean of closed curves, with the smoothing chosen from the release itself.
//!
//! `cargo run --release --example outline_study`

use nalgebra::{Complex, DVector};
use rand::SeedableRng;
use std::error::Error;
use visard::manifold::{Kendall, Manifold};
use visard::mechanism::manifold::{PublicBall, TangentMean};
use visard::prelude::*;
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
    let ball = PublicBall::new(space, atlas.clone(), ClipRadius::new(0.15, ClipSource::Public)?)?;
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
    let true_mean = space.preshape(&outline(0.15))?;
    let records: Vec<Option<DVector<Complex<f64>>>> = (0..300)
        .map(|_| Some(space.exp(&true_mean, &space.tangent_gaussian(&true_mean, 0.004, &mut rng))))
        .collect();
    let mean = ball.locate(&records, 300)?.mean;
    let mechanism = TangentMean::gaussian(ball, 300, Mu::new(1.0)?)?;
    let released =
        release(&mechanism, &records[..], &mut Ledger::in_memory(None), &mut NoiseSource::from_os()?)?;
    let point = &released.value.point;
    let smooth = shrink_outline(&space, &atlas, point, released.parts[0].noise.scale)?;
    let (raw, shrunk) = (space.dist(&mean, point), space.dist(&mean, &smooth));
    println!("distance to the non-private mean: {raw:.4} as noised, {shrunk:.4} smoothed for free");
    assert!(shrunk < raw);
    Ok(())
}
