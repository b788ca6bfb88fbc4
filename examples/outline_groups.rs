//! Two groups of outlines compared: a private map of where their means differ, with a band, and a test, through the library.
//!
//! `cargo run --release --example outline_groups`

use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use std::error::Error;
use visard::function::{Basis, Domain};
use visard::mechanism::functional::{FunctionGroups, Want};
use visard::mechanism::vector::GroupLabels;
use visard::prelude::*;

const SAMPLES: usize = 100;

/// A leaf: an ellipse with random low waves; those of the second species are notched near its tip.
fn leaf(notched: bool, rng: &mut rand_chacha::ChaCha8Rng) -> Vec<f64> {
    let waves: Vec<[f64; 2]> =
        (2..8).map(|_| [0, 1].map(|_| 0.02 * Distribution::<f64>::sample(&StandardNormal, rng))).collect();
    outline(|t| {
        let wave = |(f, [a, b]): (usize, &[f64; 2])| {
            let f = f as f64 + 2.0;
            (a * (f * t).cos() + b * (f * t).sin()) / f
        };
        let notch = if notched { 0.06 * (-(t / 0.4).powi(2)).exp() } else { 0.0 };
        waves.iter().enumerate().map(wave).sum::<f64>() - notch
    })
}

/// Samples (point, coordinate) of an ellipse whose radius has this added, by the angle in (−π, π].
fn outline(radius: impl Fn(f64) -> f64) -> Vec<f64> {
    (0..SAMPLES)
        .flat_map(|l| {
            let t = std::f64::consts::TAU * (l as f64 / SAMPLES as f64 - 0.5);
            let r = 1.0 + radius(t);
            [0.6 * r * t.cos(), 0.3 * r * t.sin()]
        })
        .collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let n = 1000;
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
    let of: Vec<usize> = (0..n).map(|i| i % 2).collect();
    let leaves: Vec<Option<Vec<f64>>> = of.iter().map(|g| Some(leaf(*g == 1, &mut rng))).collect();
    // Public: an atlas outline, and that leaves vary about it as much as faces of area one do about theirs.
    let (basis, atlas) = (Basis::new(Domain::Circle { samples: SAMPLES }, 2), outline(|_| 0.0));
    let mechanism =
        FunctionGroups::new(Want::Both, &basis, &atlas, GroupLabels::new(of)?, 1.0, Mu::new(2.0)?)?;
    let released = release(&mechanism, &leaves, &mut Ledger::in_memory(None), &mut NoiseSource::from_os()?)?;
    let tests = mechanism.tests(&released.value).ok_or("no test")?;
    let map = mechanism.difference(&released.value, 0, 1).ok_or("no map")?;
    // Coordinates that the band, simultaneous over all of them, tells from no difference; the tip is in the middle.
    let excess = map.band.excess();
    let outside: Vec<usize> = (0..SAMPLES).filter(|l| excess[2 * l].max(excess[2 * l + 1]) > 0.0).collect();
    println!(
        "p = {:.4} at {}; the outlines differ at points {outside:?}",
        tests.p_value, released.price.loss
    );
    assert!(tests.p_value < 0.01 && outside.iter().any(|l| l.abs_diff(SAMPLES / 2) < 8));
    Ok(())
}
