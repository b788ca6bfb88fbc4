//! A terrain tile instead of a face: the same functional mechanism on functions on a disk.
//!
//! Heights around a point, on 12 circles of 48 samples; the private mean of 400 of them. `cargo run --release --example terrain_tile`

use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use std::error::Error;
use visard::function::Domain;
use visard::mechanism::functional::FunctionalMean;
use visard::prelude::*;

fn main() -> Result<(), Box<dyn Error>> {
    let (circles, samples, n) = (12, 48, 400);
    let domain = Domain::Disk { curves: circles, samples };
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(3);
    let mut tile = || -> Vec<f64> {
        let z: [f64; 4] = std::array::from_fn(|_| StandardNormal.sample(&mut rng));
        (0..circles * samples)
            .map(|i| {
                let r = (i / samples + 1) as f64 / circles as f64;
                let t = std::f64::consts::TAU * (i % samples) as f64 / samples as f64;
                let (x, y) = (r * t.cos(), r * t.sin());
                1.0 - r * r + 0.2 * x + 0.1 * (z[0] + z[1] * x + z[2] * y + z[3] * x * y)
            })
            .collect()
    };
    let tiles: Vec<Option<Vec<f64>>> = (0..n).map(|_| Some(tile())).collect();
    // Public: heights are within about 1.5 (root mean square) of sea level, the centre of clipping.
    let radius = ClipRadius::new(1.5, ClipSource::Public)?;
    let mechanism =
        FunctionalMean::new(domain, 1, vec![0.0; circles * samples], radius, Mu::new(1.0)?, n as u64)?;
    let released = release(&mechanism, &tiles, &mut Ledger::in_memory(None), &mut NoiseSource::from_os()?)?
        .value
        .samples;
    let error = (0..circles * samples)
        .map(|i| (tiles.iter().flatten().map(|t| t[i]).sum::<f64>() / n as f64 - released[i]).powi(2))
        .sum::<f64>()
        / (circles * samples) as f64;
    println!("root mean square error of the private mean tile: {:.4} (heights are about 1)", error.sqrt());
    assert!(error.sqrt() < 0.15);
    Ok(())
}
