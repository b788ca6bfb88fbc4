//! Your own mechanism: bound what one record can do, price it, draw. The ledger, the certificate and the audits know the rest.
//!
//! The private mean age of a study: one number, clipped to a public interval. `cargo run --release --example own_mechanism`

use std::error::Error;
use visard::prelude::*;
use visard::privacy::noise::NoiseError;
use visard::privacy::{Charge, Drawn, L2Sensitivity, NoisedPart, Price, Sensitivity, Title};

const TITLE: Title = Title {
    name: "mean age",
    sentence: "Ages are brought into a public interval and averaged, and normal noise that covers any one of them is added.",
};

/// The mean of ages between 18 and 98.
///
/// # Proof of μ-GDP
/// Every age counts as one within 40 years of 58, so replacing one moves the mean of n by at most 2·40/n (and a little for rounding);
/// noise of standard deviation Δ/μ is μ-GDP (Dong, Roth and Su 2019, Theorem 1).
struct MeanAge {
    sensitivity: L2Sensitivity,
    mu: Mu,
    price: Price,
}

const MIDDLE: f64 = 58.0;

impl MeanAge {
    fn new(n: u64, mu: Mu) -> Result<Self, Box<dyn Error>> {
        let half = ClipRadius::new(40.0, ClipSource::Public)?;
        let sensitivity = L2Sensitivity::of_clipped_mean(half, n)?.plus_float_mean(half, n)?;
        let price = Price::new(TITLE, n, PrivacyLoss::Gaussian(mu), "mean of the clipped ages, in years")?
            .with_noise(Sensitivity::L2(sensitivity), sensitivity.get() / mu.get())
            .with_clip(half);
        Ok(Self { sensitivity, mu, price })
    }
}

impl Mechanism for MeanAge {
    type Records = [f64];
    type Prepared<'a> = f64;
    type Value = f64;
    type Error = NoiseError;

    fn price(&self) -> &Price {
        &self.price
    }

    fn prepare(&self, ages: &[f64]) -> Result<f64, NoiseError> {
        Ok(ages.iter().map(|age| (age - MIDDLE).clamp(-40.0, 40.0)).sum::<f64>() / self.price.n as f64)
    }

    fn draw(&self, mean: &f64, noise: &mut NoiseSource, paid: Charge) -> Result<Drawn<f64>, NoiseError> {
        // Without the charge this does not compile; with too small a one it is refused.
        let drawn = noise.gaussian_vector(&[*mean], self.sensitivity, self.mu, paid)?;
        let part = NoisedPart {
            what: TITLE.name.into(),
            loss: self.price.loss,
            sensitivity: Sensitivity::L2(self.sensitivity),
            clip: self.price.clip,
            noise: drawn.noise,
            expected_error: None,
        };
        Ok(Drawn { value: MIDDLE + drawn.values[0], parts: vec![part] })
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let ages: Vec<f64> = (0..500).map(|i| 20.0 + f64::from(i * 37 % 60)).collect();
    let mechanism = MeanAge::new(500, Mu::new(1.0)?)?;
    let released =
        release(&mechanism, &ages[..], &mut Ledger::in_memory(None), &mut NoiseSource::from_os()?)?;
    let sigma = released.parts[0].noise.scale;
    println!("private mean age {:.2} ± {sigma:.2} years (1 σ of the noise)", released.value);
    println!("{}", visard::privacy::explain(&released.statement().certify()?));
    assert!(sigma < 0.17);
    Ok(())
}
