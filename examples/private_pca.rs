//! Private PCA: the leading direction of a cloud of points, by private descent on the sphere.
//!
//! `cargo run --release --example private_pca`

use nalgebra::{DMatrix, DVector};
use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use std::error::Error;
use visard::optimize::{Descent, LeadingEigenvector, Method, Plan, Problem, Settings, StepSize};
use visard::prelude::*;

fn main() -> Result<(), Box<dyn Error>> {
    let (n, d) = (4000, 6);
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(2);
    // Twice the spread along the first axis.
    let records = DMatrix::from_fn(d, n, |j, _| {
        let z: f64 = StandardNormal.sample(&mut rng);
        if j == 0 { 2.0 * z } else { z }
    });
    let problem = LeadingEigenvector::new(records)?;
    let clip = ClipRadius::new(8.0, ClipSource::Public)?;
    let mu = Mu::new(1.0)?;
    let plan = Plan::calibrate(Method::GradientDescent { steps: 30 }, n, clip, PrivacyLoss::Gaussian(mu))?;
    let start = DVector::from_element(d, 1.0 / (d as f64).sqrt());
    let settings = Settings { step: StepSize::Constant(0.5), ..Settings::default() };
    let run = Descent::<LeadingEigenvector>::new(problem.space(), plan, settings, start)?;
    let released = release(&run, &problem, &mut Ledger::in_memory(None), &mut NoiseSource::from_os()?)?;
    let cosine = released.value.point[0].abs();
    println!("cosine of the private leading direction with the true axis: {cosine:.4}");
    assert!(cosine > 0.9);
    Ok(())
}
