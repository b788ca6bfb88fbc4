//! A loss of one's own, minimized with differential privacy: the geometric median of positive definite matrices.
//!
//! The median minimizes the mean distance, not the mean squared distance: a few wild records hardly move it. Its gradients are
//! unit vectors, so nothing needs to be clipped. `cargo run --release --example own_loss`

use nalgebra::DMatrix;
use rand::SeedableRng;
use visard::manifold::{Manifold, SpdAffineInvariant};
use visard::optimize::{Descent, Method, Output, Plan, Problem, Settings, StepSize};
use visard::prelude::*;

/// min (1/n) Σ d(w, zᵢ) over positive definite matrices, affine-invariant metric.
struct GeometricMedian {
    space: SpdAffineInvariant,
    records: Vec<DMatrix<f64>>,
}

impl Problem for GeometricMedian {
    type Space = SpdAffineInvariant;

    fn space(&self) -> &SpdAffineInvariant {
        &self.space
    }

    fn records(&self) -> usize {
        self.records.len()
    }

    fn loss(&self, w: &DMatrix<f64>, i: usize) -> f64 {
        self.space.dist(w, &self.records[i])
    }

    /// −log_w(z)/d(w, z); zero at the record itself, where the loss has a kink.
    fn gradient(&self, w: &DMatrix<f64>, i: usize) -> Option<DMatrix<f64>> {
        let log = self.space.log(w, &self.records[i]).ok()?;
        let distance = self.space.norm(w, &log);
        Some(self.space.scale(if distance > 0.0 { -1.0 / distance } else { 0.0 }, &log))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // 2000 made-up records about a centre, one in ten of them wild.
    let space = SpdAffineInvariant::new(3)?;
    let mut rng = rand_chacha::ChaCha20Rng::seed_from_u64(1);
    let centre = DMatrix::from_diagonal(&nalgebra::dvector![2.0, 1.0, 0.5]);
    let wild = space.exp(&centre, &(&centre * 3.0));
    let records = (0..2000).map(|i| {
        let about = if i % 10 == 0 { &wild } else { &centre };
        space.exp(about, &space.tangent_gaussian(about, 0.2, &mut rng))
    });
    let problem = GeometricMedian { space, records: records.collect() };

    // What it costs, before a record is read.
    let clip = ClipRadius::new(1.0, ClipSource::Public)?;
    let budget = PrivacyLoss::requested(None, Some(1.0), Some(1e-6))?;
    let plan = Plan::calibrate(Method::GradientDescent { steps: 30 }, problem.records(), clip, budget)?;
    println!("noise on each gradient: sigma = {:.4}", plan.gradient_sigma());

    // Paid for, then drawn.
    let settings =
        Settings { step: StepSize::Constant(0.2), output: Output::TailMean, ..Settings::default() };
    let run = Descent::<GeometricMedian>::new(&space, plan, settings, DMatrix::identity(3, 3))?;
    let released = release(&run, &problem, &mut Ledger::in_memory(None), &mut NoiseSource::from_os()?)?;
    let (certificate, median) = (released.statement().certify()?, &released.value.point);
    println!("private median, {}:{median:.3}", certificate.loss);
    println!("{:.3} from the centre of the tame records", space.dist(median, &centre));
    Ok(())
}
