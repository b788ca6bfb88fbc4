//! Functional mechanisms on their worst-case neighbours, for empirical audits of the real code.

use super::{
    CurveNoise, CurvesMean, FaceMean, FaceSetting, FunctionalError, JointMean, PointwiseMean, PointwiseRange,
    PrivateQuantile, QuantileGrid,
};
use crate::function::{FaceCurves, Shrinkage};
use crate::privacy::audit::{AuditError, Auditable, Neighbour};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{ClipRadius, ClipSource, Ledger, Mu, PrivacyLoss};

/// The names [`functional_audit`] knows.
pub const FUNCTIONAL_AUDITS: &[&str] = &["joint", "curves", "pointwise", "private-quantile"];

const RINGS: usize = 3;
const SAMPLES: usize = 8;
const RECORDS: u64 = 4;
const RANGES: [f64; 3] = [0.05, 0.075, 0.07];

/// The audit of a functional mechanism at μ.
///
/// # Errors
/// [`AuditError::Unknown`], [`AuditError::Budget`].
pub fn functional_audit(name: &str, mu: f64) -> Result<Box<dyn Auditable>, AuditError> {
    let mu = Mu::new(mu)?;
    let unknown = || AuditError::Unknown { name: name.chars().take(60).collect() };
    if name == "private-quantile" {
        return Ok(Box::new(QuantileAudit { mu }));
    }
    let audit = FUNCTIONAL_AUDITS.iter().find(|known| **known == name).map(|known| FaceAudit::new(known, mu));
    // The settings are constants of this file: they fit together.
    Ok(Box::new(audit.and_then(Result::ok).ok_or_else(unknown)?))
}

/// Three faces far out on one side, and a fourth there too or far out on the other.
struct FaceAudit {
    name: &'static str,
    mean: Box<dyn FaceMean>,
    mu: Mu,
    /// The direction of the two neighbours' difference, and the coordinates an optimal test weighs it by.
    direction: [f64; 3],
    test: [f64; 3],
}

impl FaceAudit {
    fn new(name: &'static str, mu: Mu) -> Result<Self, FunctionalError> {
        let setting = FaceSetting {
            template: FaceCurves::new(RINGS, SAMPLES, vec![0.25; RINGS * SAMPLES * 3])?,
            radii: (1..=RINGS).map(|j| j as f64 / RINGS as f64).collect(),
            records: RECORDS,
            mu,
        };
        // Constant shifts are the smoothest functions there are: the joint norm has weight 1 there.
        let (mean, direction, test): (Box<dyn FaceMean>, _, _) = match name {
            "joint" => (
                Box::new(JointMean::new(setting, JointMean::default_clip()?)?),
                [1.0, 0.0, 0.0],
                [1.0, 0.0, 0.0],
            ),
            "curves" => {
                let radii = CurvesMean::default_radii(&setting.radii);
                let noise = CurveNoise::Matched(Shrinkage::default());
                // Block b moves by 2τ_b/n in noise of variance ∝ τ_b²/μ_b² ∝ τ_b: an optimal test weighs all alike.
                (Box::new(CurvesMean::new(setting, &radii, noise)?), [1.0; 3], [1.0; 3])
            }
            _ => {
                let range = PointwiseRange::Public(RANGES);
                (Box::new(PointwiseMean::new(setting, range)?), [1.0; 3], RANGES.map(|r| 1.0 / r))
            }
        };
        Ok(Self { name, mean, mu, direction, test })
    }

    fn release(&self, which: Neighbour, seed: u64) -> Result<Vec<f64>, FunctionalError> {
        let far = |sign: f64| {
            let data = (0..RINGS * SAMPLES * 3).map(|i| sign * 1e6 * self.direction[i % 3]).collect();
            FaceCurves::new(RINGS, SAMPLES, data)
        };
        let (plus, minus) = (far(1.0)?, far(-1.0)?);
        let mut tally = self.mean.start()?;
        for _ in 1..RECORDS {
            self.mean.add(&mut tally, Some(&plus))?;
        }
        self.mean.add(&mut tally, Some(if which == Neighbour::First { &plus } else { &minus }))?;
        let paid = Ledger::in_memory(None).charge(self.name, self.mean.plan().loss)?;
        let release = self.mean.release(tally, &mut NoiseSource::seeded(seed), paid)?;
        let weigh =
            |c: &FaceCurves| c.data().iter().enumerate().map(|(i, x)| x * self.test[i % 3]).sum::<f64>();
        // All that leaves the house: both faces, the estimate of the error, the noise scale.
        let error = release.estimated_error.unwrap_or(0.0);
        Ok(vec![weigh(&release.unshrunk), weigh(&release.curves), error, release.noise.scale])
    }
}

impl Auditable for FaceAudit {
    fn name(&self) -> &str {
        self.name
    }
    fn claim(&self) -> PrivacyLoss {
        PrivacyLoss::Gaussian(self.mu)
    }
    fn draw(&self, which: Neighbour, seed: u64) -> Vec<f64> {
        self.release(which, seed).unwrap_or_else(|_| vec![f64::NAN; 4])
    }
}

/// Norms of which one moves from the middle of the grid to its end.
struct QuantileAudit {
    mu: Mu,
}

impl QuantileAudit {
    fn release(&self, which: Neighbour, seed: u64) -> Result<ClipRadius, FunctionalError> {
        let mut quantile = PrivateQuantile::new(QuantileGrid::new(1.0, 4.0, 2.0)?, 0.5, 2, self.mu)?;
        quantile.add(Some(1.0))?;
        quantile.add(Some(if which == Neighbour::First { 1.0 } else { 1e9 }))?;
        let paid = Ledger::in_memory(None).charge("private-quantile", self.claim())?;
        quantile.release(&mut NoiseSource::seeded(seed), paid)
    }
}

impl Auditable for QuantileAudit {
    fn name(&self) -> &str {
        "private-quantile"
    }
    fn claim(&self) -> PrivacyLoss {
        PrivacyLoss::Gaussian(self.mu)
    }
    fn draw(&self, which: Neighbour, seed: u64) -> Vec<f64> {
        let radius = self.release(which, seed).ok().filter(|r| r.source() == ClipSource::Private);
        vec![radius.map_or(f64::NAN, ClipRadius::get)]
    }
}
