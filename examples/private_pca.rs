//! Private PCA: the leading direction of a cloud of points, by private descent on the sphere.
//!
//! `cargo run --release --example private_pca`

use nalgebra::{DMatrix, DVector};
use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use std::error::Error;
use visard::optimize::{LeadingEigenvector, Method, Plan, Settings, State, StepSize, optimize};
use visard::privacy::noise::NoiseSource;
use visard::privacy::{ClipRadius, ClipSource, Ledger, Mu, PrivacyLoss};

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
    let paid = Ledger::in_memory(None).charge_part(plan.part())?;
    let start = State::at(DVector::from_element(d, 1.0 / (d as f64).sqrt()));
    let go_on = &mut |_: &_, _: &_| std::ops::ControlFlow::Continue(());
    let settings = Settings { step: StepSize::Constant(0.5), ..Settings::default() };
    let done = optimize(&problem, &plan, &settings, start, &mut NoiseSource::from_os()?, paid, go_on)?;
    println!("cosine of the private leading direction with the true axis: {:.4}", done.point[0].abs());
    assert!(done.point[0].abs() > 0.9);
    Ok(())
}
