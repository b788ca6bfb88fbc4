//! Every mechanism that can be audited by name, with its worst-case neighbours.

pub use super::baseline_audits::BASELINE_AUDITS;
use super::baseline_audits::baseline_audit;
use super::functional::{
    BlockNoise, FunctionalMean, MeanMechanism, MechanismError, PerCurveMean, PerCurveSettings, PointwiseMean,
    Smoothing,
};
use super::manifold::{
    DirectionStatistic, KNormGradient, PrivateCentre, PublicBall, RiemannianGaussian, RiemannianLaplace,
    TangentGaussian,
};
use super::quantile::PrivateQuantile;
use crate::function::{Domain, FaceCurves};
use crate::manifold::{Manifold, Sphere};
use crate::optimize::{OPTIMIZATION_AUDITS, optimization_audit};
use crate::privacy::audit::{AuditError, Auditable, Neighbour, STANDARD_AUDITS, standard_audit};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{ClipRadius, ClipSource, Epsilon, Ledger, Mu, PrivacyLoss};
use crate::stats::{FrechetOptions, frechet_mean};
use nalgebra::{DVector, dvector};

/// The audits of private means, of the private clip radius and of the private centre.
pub const MEAN_AUDITS: [&str; 6] =
    ["joint", "curves", "paper", "pointwise", "private-quantile", "private-centre"];

/// The audits of private means on manifolds: directions on the sphere S².
pub const MANIFOLD_AUDITS: [&str; 4] =
    ["riemannian-laplace", "kng", "riemannian-gaussian", "tangent-gaussian"];

/// The names [`audit_by_name`] knows.
pub fn audit_names() -> Vec<&'static str> {
    let means = MEAN_AUDITS.into_iter().chain(MANIFOLD_AUDITS).chain(BASELINE_AUDITS);
    STANDARD_AUDITS.into_iter().chain(means).chain(OPTIMIZATION_AUDITS).collect()
}

/// The audit of this name at the given parameter (μ, ε or ρ, by what the mechanism is stated in).
///
/// # Errors
/// [`AuditError::Unknown`], [`AuditError::Budget`].
pub fn audit_by_name(name: &str, parameter: f64) -> Result<Box<dyn Auditable>, AuditError> {
    if let Some(name) = MANIFOLD_AUDITS.into_iter().find(|known| *known == name) {
        return DirectionAudit::boxed(name, parameter);
    }
    if let Some(name) = BASELINE_AUDITS.into_iter().find(|known| *known == name) {
        return baseline_audit(name, parameter);
    }
    match MEAN_AUDITS.into_iter().find(|known| *known == name) {
        None if OPTIMIZATION_AUDITS.contains(&name) => optimization_audit(name, parameter),
        None => standard_audit(name, parameter),
        Some("private-quantile") => Ok(Box::new(QuantileAudit { mu: Mu::new(parameter)? })),
        Some("private-centre") => Ok(Box::new(CentreAudit { mu: Mu::new(parameter)? })),
        Some(name) => {
            let unknown = |_| AuditError::Unknown { name: name.to_owned() };
            Ok(Box::new(MeanAudit::new(name, Mu::new(parameter)?).map_err(unknown)?))
        }
    }
}

const CURVES: usize = 2;
const SAMPLES: usize = 8;
const RECORDS: u64 = 4;

/// Three faces far out on one side, and a fourth there too or far out on the other.
struct MeanAudit {
    name: &'static str,
    mechanism: Box<dyn MeanMechanism + Send + Sync>,
    mu: Mu,
    near: Vec<f64>,
    far: Vec<f64>,
    /// Where the two statistics differ: the best test projects on it.
    direction: Vec<f64>,
}

impl MeanAudit {
    fn new(name: &'static str, mu: Mu) -> Result<Self, MechanismError> {
        let radius = ClipRadius::new(0.05, ClipSource::Public)?;
        let centre = vec![0.25; 3 * CURVES * SAMPLES];
        let curves = || {
            FaceCurves::new(CURVES, SAMPLES, centre.clone())
                .map_err(|_| MechanismError::Shape("audit curves"))
        };
        let settings = |s: Option<PerCurveSettings>| s.ok_or(MechanismError::Shape("kernel"));
        let radii = vec![radius; 3 * CURVES];
        let mechanism: Box<dyn MeanMechanism + Send + Sync> = match name {
            "joint" => {
                let domain = Domain::Disk { curves: CURVES, samples: SAMPLES };
                // Shrinkage is handed the noised coordinates only and takes a millisecond: left out of 10⁵ runs.
                let mean = FunctionalMean::new(domain, 3, centre, radius, mu, RECORDS)?;
                Box::new(mean.with_smoothing(Smoothing::None))
            }
            "curves" => {
                let settings = settings(PerCurveSettings::matched())?;
                Box::new(PerCurveMean::new(curves()?, &radii, settings, mu, RECORDS)?)
            }
            "paper" => {
                // Exact sensitivity: with the paper's bound the audit could only show that half of the claim is used.
                let settings = settings(PerCurveSettings::paper())?;
                let settings = PerCurveSettings { noise: BlockNoise::ExactBound, ..settings };
                Box::new(PerCurveMean::new(curves()?, &radii, settings, mu, RECORDS)?)
            }
            _ => Box::new(PointwiseMean::around(centre, radius, mu, RECORDS)?),
        };
        let mut audit = Self { name, mechanism, mu, near: vec![], far: vec![], direction: vec![] };
        // The worst direction depends on the mechanism: a constant shift, or the frequency its smoother passes best.
        let mut best = 0.0;
        for frequency in 0..=SAMPLES / 2 {
            let wave = |sign: f64| -> Vec<f64> {
                let value = |i: usize| {
                    let angle =
                        std::f64::consts::TAU * (frequency * (i / 3 % SAMPLES)) as f64 / SAMPLES as f64;
                    0.25 + sign * 1e6 * angle.cos()
                };
                (0..3 * CURVES * SAMPLES).map(value).collect()
            };
            let (near, far) = (wave(1.0), wave(-1.0));
            let (a, b) = (audit.statistic(&near, &near), audit.statistic(&near, &far));
            let direction: Vec<f64> = a.iter().zip(&b).map(|(x, y)| x - y).collect();
            let length = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
            if length > best {
                best = length;
                audit.direction = direction.iter().map(|x| x / length).collect();
                (audit.near, audit.far) = (near, far);
            }
        }
        Ok(audit)
    }

    fn statistic(&self, others: &[f64], last: &[f64]) -> Vec<f64> {
        let mut records = (1..RECORDS).map(|_| Some(others)).chain([Some(last)]);
        self.mechanism.statistic(&mut records)
    }

    fn release(&self, which: Neighbour, seed: u64) -> Option<Vec<f64>> {
        let last = if which == Neighbour::First { &self.near } else { &self.far };
        let statistic = self.statistic(&self.near, last);
        let price = self.mechanism.price();
        let charge = Ledger::in_memory(None).charge(self.name, price.loss).ok()?;
        let drawn = NoiseSource::seeded(seed)
            .gaussian_vector(&statistic, price.sensitivity, price.mu, charge)
            .ok()?;
        // As above: the post-processing of curves sees noised coordinates only and would take most of the time.
        let released = match self.name {
            "curves" => vec![0.0; self.near.len()],
            _ => self.mechanism.finish(&drawn.values, drawn.sigma),
        };
        let projected = drawn.values.iter().zip(&self.direction).map(|(x, d)| x * d).sum();
        // What an attacker has is the face; the noised coordinates (which the face is made from) tell at least as much.
        let face = released.iter().zip(&self.near).map(|(x, n)| x * (n - 0.25)).sum();
        Some(vec![projected, face, drawn.sigma])
    }
}

impl Auditable for MeanAudit {
    fn name(&self) -> &str {
        self.name
    }
    fn claim(&self) -> PrivacyLoss {
        PrivacyLoss::Gaussian(self.mu)
    }
    fn draw(&self, which: Neighbour, seed: u64) -> Vec<f64> {
        self.release(which, seed).unwrap_or_else(|| vec![f64::NAN; 3])
    }
}

/// Norms of which one moves from the bottom of the grid to its end.
struct QuantileAudit {
    mu: Mu,
}

impl QuantileAudit {
    fn release(&self, which: Neighbour, seed: u64) -> Option<Vec<f64>> {
        // So many records that every budget down to μ = 0.1 may ask for a radius.
        let n = 400;
        let quantile = PrivateQuantile::new(1.0, 2.0, 2.0, 0.5, n, self.mu).ok()?;
        let last = if which == Neighbour::First { 0.5 } else { 1e9 };
        let norms = (1..n).map(|i| Some(if i % 2 == 0 { 0.5 } else { 1e9 })).chain([Some(last)]);
        let paid = Ledger::in_memory(None).charge("private-quantile", self.claim()).ok()?;
        let counts = quantile.noised_counts(norms, &mut NoiseSource::seeded(seed), paid).ok()?;
        let radius = quantile.radius(&counts).ok()?.get();
        // The radius is one bit of the noised counts it is read off, which tell at least as much.
        Some(vec![radius, counts[counts.len() - 1] - counts[0]])
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
        self.release(which, seed).unwrap_or_else(|| vec![f64::NAN; 2])
    }
}

/// Directions of which one turns to its opposite: no pair of records is farther apart.
struct CentreAudit {
    mu: Mu,
}

impl CentreAudit {
    fn release(&self, which: Neighbour, seed: u64) -> Option<Vec<f64>> {
        let sphere = Sphere::unit(2).ok()?;
        // As few records as the budget lets a centre have.
        let n = (8.0 / self.mu.get()).ceil().max(2.0) as usize;
        let sign = if which == Neighbour::First { 1.0 } else { -1.0 };
        let mut records = vec![Some(dvector![0.0, 1.0, 0.0]); n];
        records[0] = Some(dvector![sign, 0.0, 0.0]);
        let mechanism =
            PrivateCentre::new(DirectionStatistic::new(&sphere), n as u64, PrivacyLoss::Gaussian(self.mu))
                .ok()?;
        let paid = Ledger::in_memory(None).charge("private-centre", self.claim()).ok()?;
        let drawn = mechanism.draw(&records, &mut NoiseSource::seeded(seed), paid).ok()?;
        // The centre, and the noised coordinates it was read off, which tell at least as much.
        Some(vec![drawn.values[0], drawn.centre[0].atan2(drawn.centre[1])])
    }
}

impl Auditable for CentreAudit {
    fn name(&self) -> &str {
        "private-centre"
    }
    fn claim(&self) -> PrivacyLoss {
        PrivacyLoss::Gaussian(self.mu)
    }
    fn draw(&self, which: Neighbour, seed: u64) -> Vec<f64> {
        self.release(which, seed).unwrap_or_else(|| vec![f64::NAN; 2])
    }
}

/// Directions at one end of the public ball, and a last one there too or at the opposite end.
struct DirectionAudit {
    name: &'static str,
    claim: PrivacyLoss,
    data: [Vec<DVector<f64>>; 2],
    means: [DVector<f64>; 2],
    sphere: Sphere,
    parameter: f64,
    /// The Riemannian Gaussian's scale, calibrated once for all runs.
    sigma: f64,
}

const DIRECTIONS: u64 = 3;
const BALL: f64 = 0.3;

impl DirectionAudit {
    fn boxed(name: &'static str, parameter: f64) -> Result<Box<dyn Auditable>, AuditError> {
        let claim = match name {
            "riemannian-laplace" | "kng" => PrivacyLoss::Pure(Epsilon::new(parameter)?),
            _ => PrivacyLoss::Gaussian(Mu::new(parameter)?),
        };
        let unknown = |_| AuditError::Unknown { name: name.to_owned() };
        let sphere = Sphere::unit(2).map_err(unknown)?;
        let at = |t: f64| dvector![t.sin(), 0.0, t.cos()];
        // Both at the rim, the last one there too or across: no pair of neighbours is farther apart.
        let data = [1.0, -1.0].map(|last| vec![at(BALL), at(BALL), at(last * BALL)]);
        let mean = |points: &[DVector<f64>]| {
            frechet_mean(&sphere, points, None, None, FrechetOptions::default()).map(|m| m.point)
        };
        let means = [mean(&data[0]).map_err(unknown)?, mean(&data[1]).map_err(unknown)?];
        let mut audit = Self { name, claim, data, means, sphere, parameter, sigma: f64::NAN };
        if name == "riemannian-gaussian" {
            let radius = ClipRadius::new(BALL, ClipSource::Public)?;
            let no_claim = |_| AuditError::NoClaim(name.to_owned());
            let ball = PublicBall::new(&audit.sphere, dvector![0.0, 0.0, 1.0], radius).map_err(no_claim)?;
            let mechanism =
                RiemannianGaussian::new(ball, DIRECTIONS, Mu::new(parameter)?, 0.0).map_err(no_claim)?;
            audit.sigma = mechanism.price().scale;
        }
        // Whether the mechanism exists at this budget is known before the runs.
        audit.release(Neighbour::First, 0).ok_or_else(|| AuditError::NoClaim(name.to_owned()))?;
        Ok(Box::new(audit))
    }

    fn release(&self, which: Neighbour, seed: u64) -> Option<Vec<f64>> {
        let i = usize::from(which == Neighbour::Second);
        let (points, mean) = (&self.data[i], &self.means[i]);
        let radius = ClipRadius::new(BALL, ClipSource::Public).ok()?;
        let ball = PublicBall::new(&self.sphere, dvector![0.0, 0.0, 1.0], radius).ok()?;
        let paid = Ledger::in_memory(None).charge(self.name, self.claim).ok()?;
        let mut noise = NoiseSource::seeded(seed);
        let point = match self.name {
            "riemannian-laplace" => {
                let epsilon = Epsilon::new(self.parameter).ok()?;
                RiemannianLaplace::new(ball, DIRECTIONS, epsilon, 0.0)
                    .ok()?
                    .draw(mean, &mut noise, paid)
                    .ok()?
            }
            "kng" => {
                let mechanism =
                    KNormGradient::new(ball, DIRECTIONS, Epsilon::new(self.parameter).ok()?).ok()?;
                mechanism.sampler(points, mean).ok()?.draw(&mut noise, paid).ok()?.0
            }
            "riemannian-gaussian" => {
                let mu = Mu::new(self.parameter).ok()?;
                let sensitivity = ball.mean_sensitivity(DIRECTIONS, 0.0).ok()?;
                let mechanism =
                    RiemannianGaussian::calibrated(ball, DIRECTIONS, mu, sensitivity, self.sigma).ok()?;
                mechanism.draw(mean, &mut noise, paid).ok()?
            }
            _ => {
                let mu = Mu::new(self.parameter).ok()?;
                let mechanism = TangentGaussian::new(ball, DIRECTIONS, mu, self.claim).ok()?;
                mechanism.draw(&mechanism.statistic(points).ok()?, &mut noise, paid).ok()?.point
            }
        };
        // How much nearer to one mean than to the other: the best statistic of all laws that depend on distances.
        let nearer = self.sphere.dist(&point, &self.means[1]) - self.sphere.dist(&point, &self.means[0]);
        Some(vec![point[0].atan2(point[2]), nearer])
    }
}

impl Auditable for DirectionAudit {
    fn name(&self) -> &str {
        self.name
    }
    fn claim(&self) -> PrivacyLoss {
        self.claim
    }
    fn draw(&self, which: Neighbour, seed: u64) -> Vec<f64> {
        self.release(which, seed).unwrap_or_else(|| vec![f64::NAN; 2])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::audit::audit;

    /// Each bound holds with confidence 1 − 1e-3 and the seeds are fixed: 6 honest mechanisms raise a false alarm with
    /// probability at most 6e-3 over the choice of seed.
    #[test]
    fn every_mean_passes_and_the_gaussian_ones_come_close() {
        for name in MEAN_AUDITS {
            let mechanism = audit_by_name(name, 1.0).unwrap();
            let report = audit(mechanism.as_ref(), 12_000, 3).unwrap();
            assert!(report.passed, "{name}: {}", report.lower_bound);
            assert!(report.lower_bound > 0.8, "{name}: {}", report.lower_bound);
        }
    }

    /// As above, for 4 mechanisms. Curvature costs Laplace and Gaussian what the bound on the Fréchet mean gives away, KNG keeps
    /// half of its budget for the normalizer, and pure ε is spent on events too rare for so few runs.
    #[test]
    fn directions_pass() {
        for (name, claim, close) in [
            ("riemannian-laplace", 4.0, 1.5),
            ("kng", 4.0, 0.8),
            ("riemannian-gaussian", 2.0, 1.3),
            ("tangent-gaussian", 2.0, 1.6),
        ] {
            let mechanism = audit_by_name(name, claim).unwrap();
            let report = audit(mechanism.as_ref(), 3000, 4).unwrap();
            assert!(report.passed, "{name}: {}", report.lower_bound);
            assert!(report.lower_bound > close, "{name}: {}", report.lower_bound);
        }
    }

    #[test]
    fn nonsense_is_refused() {
        assert!(audit_by_name("nothing", 1.0).is_err());
        assert!(audit_by_name("joint", -1.0).is_err());
        assert!(audit_by_name("kng", f64::NAN).is_err());
        let own = MEAN_AUDITS.len() + MANIFOLD_AUDITS.len() + BASELINE_AUDITS.len();
        let all = STANDARD_AUDITS.len() + own + OPTIMIZATION_AUDITS.len();
        assert_eq!(audit_names().len(), all);
    }
}
