//! Private modes of variation on another domain: closed outlines, how they differ and their mean, from one release.
//!
//! `cargo run --release --example outline_modes`

use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use std::error::Error;
use visard::function::{Basis, Domain};
use visard::mechanism::functional::FunctionalModes;
use visard::prelude::*;

const POINTS: usize = 60;

/// Samples (points, 2) of an outline: an egg, longer or shorter, and more or less bent.
fn outline(longer: f64, bent: f64) -> Vec<f64> {
    let point = |l: usize| {
        let t = std::f64::consts::TAU * l as f64 / POINTS as f64;
        [(0.6 + longer) * t.cos() + bent * (2.0 * t).cos(), 0.4 * t.sin()]
    };
    (0..POINTS).flat_map(point).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
    let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
    // 500 people's outlines: they differ in length (standard deviation .02), less in how bent they are (.01).
    let records: Vec<Option<Vec<f64>>> =
        (0..500).map(|_| Some(outline(0.01 + 0.02 * normal(), 0.005 + 0.01 * normal()))).collect();
    // Public: an atlas outline, and that outlines lie about as far from it as faces do from theirs.
    let basis = Basis::new(Domain::Circle { samples: POINTS }, 2);
    let modes = FunctionalModes::new(basis, outline(0.0, 0.0), 1.0, Mu::new(1.0)?, 500)?;
    let released = release(&modes, &records, &mut Ledger::in_memory(None), &mut NoiseSource::from_os()?)?;
    let found = modes.modes(&released.value, 3).ok_or("another release")?;
    println!("{} modes stand out of the noise at mu = 1", found.visible);
    for (k, mode) in found.modes.iter().enumerate() {
        println!(
            "mode {}: standard deviation {:.4} (95 %: {:.4} to {:.4}), {:.0} % of the variance",
            k + 1,
            mode.variance.sqrt(),
            mode.lower.sqrt(),
            mode.upper.sqrt(),
            100.0 * mode.share
        );
    }
    // The first is the length: x moves with cos t, by .02 √½ root mean square.
    let first = found.modes.first().ok_or("nothing stood out")?;
    let field = modes.coordinates().displacement(&first.coordinates);
    let cosine = (0..POINTS)
        .map(|l| field[2 * l] * (std::f64::consts::TAU * l as f64 / POINTS as f64).cos())
        .sum::<f64>();
    let along = cosine.abs() / (field.iter().map(|x| x * x).sum::<f64>() * POINTS as f64 / 2.0).sqrt();
    println!("mode 1 is the length: cosine {along:.3}");
    assert!(along > 0.9);
    let mean = modes.mean(&released.value).ok_or("another release")?;
    println!("the mean's first point: {:.4} (truth about .615)", mean.samples[0]);
    Ok(())
}
