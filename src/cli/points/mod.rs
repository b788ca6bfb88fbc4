//! `visard shape`, `spd`, `sphere`, `hyperbolic`: private means of points on manifolds.

mod shape;
mod shape_demo;
mod spd;
mod vectors;

pub use shape::{ShapeCommand, shape};
pub use spd::{SpdCommand, spd};
pub use vectors::{HyperbolicCommand, SphereCommand, hyperbolic, sphere};

use super::Global;
use super::budget::{BudgetArgs, CalibrationName, LedgerArgs};
use super::output::{Failure, Printer, where_to};
use clap::{Args, ValueEnum};
use serde_json::json;
use std::path::PathBuf;
use visard::study::FolderError;
use visard::study::points::{PointMechanism, PointRequest, PointStudyError, Published, Unusable};

/// Options of every private mean of points.
#[derive(Debug, Args)]
pub struct Common {
    #[command(flatten)]
    budget: BudgetArgs,
    /// How Gaussian noise is calibrated to (ε, δ)
    #[arg(long, value_enum, default_value_t = CalibrationName::Analytic)]
    calibration: CalibrationName,
    /// The study's folder
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Independent draws, each charged
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    draws: u32,
    /// Records that are no points of the space (not a number, not positive definite, off the sphere, landmarks missing or all in one
    /// place) count as the centre instead of stopping the study; how many is told under internal/ only
    #[arg(long)]
    drop_unusable: bool,
    /// Where the release is recorded
    #[command(flatten)]
    ledger: LedgerArgs,
}

impl Common {
    fn request(&self, mechanism: PointMechanism, global: &Global) -> Result<PointRequest, Failure> {
        let budget = match (mechanism, self.budget.is_empty()) {
            (PointMechanism::None, true) => None,
            (PointMechanism::None, false) => {
                eprintln!(
                    "note: --mechanism none releases nothing: the budget is not used and nothing is charged"
                );
                None
            }
            _ => Some(self.budget.loss()?),
        };
        let unusable = if self.drop_unusable { Unusable::CountAsCentre } else { Unusable::Stop };
        Ok(PointRequest {
            out: self.out.clone(),
            mechanism,
            budget,
            calibration: self.calibration.into(),
            draws: self.draws,
            unusable,
            seed: global.seed,
            ledger: self.ledger.choice()?,
            replace: global.force,
            public_inputs: Vec::new(),
            paid_before: Vec::new(),
        })
    }
}

/// Mechanisms for matrices, directions and hyperbolic points.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum PlainMechanism {
    /// Gaussian in the tangent space at the centre
    #[value(alias = "gaussian")]
    TangentGaussian,
    /// Riemannian Gaussian with exact accounting
    RiemannianGaussian,
    /// Riemannian Laplace: pure ε
    Laplace,
    /// K-norm gradient: pure ε
    Kng,
    /// Noise in the surrounding space (a baseline)
    Extrinsic,
    /// The mean without noise, under internal/ only
    None,
}

impl From<PlainMechanism> for PointMechanism {
    fn from(name: PlainMechanism) -> Self {
        match name {
            PlainMechanism::TangentGaussian => Self::TangentGaussian,
            PlainMechanism::RiemannianGaussian => Self::RiemannianGaussian,
            PlainMechanism::Laplace => Self::Laplace,
            PlainMechanism::Kng => Self::Kng,
            PlainMechanism::Extrinsic => Self::Extrinsic,
            PlainMechanism::None => Self::None,
        }
    }
}

/// Errors of a study as exit codes and advice.
fn failure(error: PointStudyError) -> Failure {
    match &error {
        PointStudyError::Budget(_) | PointStudyError::NeedsDelta | PointStudyError::NotHere { .. } => {
            Failure::usage(&error)
        }
        PointStudyError::Folder(FolderError::HasRelease(_)) => Failure::failed(&error)
            .with_hint("choose another --out, or --force to replace it (the ledger keeps every charge)"),
        PointStudyError::Record { .. } | PointStudyError::Input(_) | PointStudyError::Read(_) => {
            Failure::failed(&error).with_hint("nothing was charged")
        }
        _ => Failure::failed(&error),
    }
}

fn say(published: &Published, what: &str, printer: &Printer) {
    let (root, release) = (published.folder.root(), published.folder.release());
    let internal = published.folder.internal();
    if published.outside != (0, 0) {
        eprintln!(
            "note (do not publish): {} records lay outside the public ball and were brought to its rim, {} count as its \
             centre",
            published.outside.0, published.outside.1
        );
    }
    match &published.certificate {
        None => printer.result(
            json!({"out": root, "internal": internal, "n": published.n, "released": false}),
            format!("non-private mean of {} {what}: {}", published.n, internal.display()),
        ),
        Some(certificate) => printer.result(
            json!({
                "out": root,
                "release": release,
                "n": published.n,
                "mechanism": certificate.mechanism,
                "loss": certificate.loss,
                "private": certificate.private,
            }),
            format!(
                "{} of {} {what}, {}, {}\n  {} {}\n  look first:  {}\n  keep secret: {}",
                if certificate.private { "private mean" } else { "mean (NOT PRIVATE)" },
                published.n,
                certificate.mechanism,
                certificate.loss,
                where_to(certificate.private),
                release.display(),
                release.join("report.html").display(),
                internal.display()
            ),
        ),
    }
}
