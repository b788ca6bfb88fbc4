//! Your own mechanism: bound what one record can do, price it, charge it, draw.
//!
//! The private mean age of a study: one number, clipped to a public interval. `cargo run --release --example own_mechanism`

use std::error::Error;
use visard::privacy::noise::NoiseSource;
use visard::privacy::{ClipRadius, ClipSource, L2Sensitivity, Ledger, Mu, PrivacyLoss};

fn main() -> Result<(), Box<dyn Error>> {
    let ages: Vec<f64> = (0..500).map(|i| 20.0 + f64::from(i * 37 % 60)).collect();
    // Public: adults between 18 and 98, so every age is within 40 years of 58.
    let (middle, half) = (58.0, ClipRadius::new(40.0, ClipSource::Public)?);
    let n = ages.len() as u64;
    let statistic: f64 =
        ages.iter().map(|a| (a - middle).clamp(-half.get(), half.get())).sum::<f64>() / n as f64;
    let mu = Mu::new(1.0)?;
    let sensitivity = L2Sensitivity::of_clipped_mean(half, n)?.plus_float_mean(half, n)?;
    // The charge comes before the noise; without it the next line does not compile.
    let mut ledger = Ledger::in_memory(None);
    let paid = ledger.charge("mean age", PrivacyLoss::Gaussian(mu))?;
    let drawn = NoiseSource::from_os()?.gaussian_vector(&[statistic], sensitivity, mu, paid)?;
    println!(
        "private mean age {:.2} ± {:.2} years (1 σ of the noise)",
        middle + drawn.values[0],
        drawn.sigma
    );
    assert!(drawn.sigma < 0.17);
    Ok(())
}
