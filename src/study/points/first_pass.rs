//! Private first passes: a rough centre or a radius estimated from the records and paid for, before the mean itself.
//!
//! Every later mechanism has its guarantee whatever the centre and the radius are, so the parts compose adaptively. Whatever can
//! fail for public reasons (budget, n, radius, ceiling) fails before the first part is charged.

use super::release::preflight;
use super::{PointMechanism, PointRequest, PointStudyError, Stream};
use crate::manifold::Manifold;
use crate::mechanism::manifold::{CentreStatistic, PolarVolume, PrivateCentre, PublicBall, largest_radius};
use crate::mechanism::quantile::PrivateQuantile;
use crate::privacy::noise::{NoiseDescription, NoisePath};
use crate::privacy::{
    BudgetError, ClipRadius, ClipSource, Composition, Cost, Epsilon, Ledger, Mu, PrivacyLoss,
};
use serde::Serialize;

/// Share of μ (of ε, for pure budgets) for a private centre: the mean keeps √(1 − 0.09) = 95 % of μ.
const CENTRE_SHARE: f64 = 0.3;
/// Share of μ for a private radius: what follows keeps 98 % of it.
const RADIUS_SHARE: f64 = 0.2;

/// A first pass that has been paid for. All of it is public.
#[derive(Debug, Clone, Serialize)]
pub struct FirstPass {
    /// What was estimated.
    pub what: &'static str,
    /// What it cost.
    pub loss: PrivacyLoss,
    /// Sensitivity of the noised statistic.
    pub sensitivity: f64,
    /// Its noise.
    pub noise: NoiseDescription,
    /// About how far off the result is, where known beforehand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_error: Option<f64>,
}

/// The ball of the second pass: about a public centre, or about one still to be found.
pub(super) enum Place<'a, M: Manifold, S> {
    /// Known.
    Public(PublicBall<'a, M>),
    /// A first pass finds the centre.
    Private {
        /// Where the centre is read off.
        statistic: S,
        /// A ball of the same radius about any public point.
        anywhere: PublicBall<'a, M>,
    },
}

impl<'a, M: PolarVolume + Clone, S: CentreStatistic<Point = M::Point>> Place<'a, M, S> {
    /// The ball, after a first pass where one is needed.
    pub(super) fn ball(
        self,
        space: &'a M,
        records: &[Option<M::Point>],
        request: &mut PointRequest,
        ledger: &mut Ledger,
    ) -> Result<PublicBall<'a, M>, PointStudyError> {
        match self {
            Self::Public(ball) => Ok(ball),
            Self::Private { statistic, anywhere } => {
                let centre = private_centre(statistic, records, &anywhere, request, ledger)?;
                Ok(PublicBall::new(space, centre, anywhere.radius())?)
            }
        }
    }
}

/// A private centre; leaves the rest of the budget in `request`.
pub(super) fn private_centre<M: PolarVolume + Clone, S: CentreStatistic<Point = M::Point>>(
    statistic: S,
    records: &[Option<M::Point>],
    anywhere: &PublicBall<'_, M>,
    request: &mut PointRequest,
    ledger: &mut Ledger,
) -> Result<M::Point, PointStudyError> {
    let n = records.len() as u64;
    let (first, rest) = split(request, CENTRE_SHARE)?;
    let mechanism = PrivateCentre::new(statistic, n, first)?;
    request.budget = Some(rest);
    preflight(anywhere, n, request)?;
    affordable(ledger, request, mechanism.loss(), rest)?;
    let mut noise = request.noise(Stream::Centre)?;
    let paid = ledger.charge("private centre", mechanism.loss())?;
    let drawn = mechanism.draw(records, &mut noise, paid)?;
    request.paid_before.push(FirstPass {
        what: "private centre",
        loss: mechanism.loss(),
        sensitivity: mechanism.sensitivity().get(),
        noise: drawn.noise,
        expected_error: Some(mechanism.expected_error()),
    });
    Ok(drawn.centre)
}

/// A private quantile of the distances from the centre; leaves the rest of the budget in `request`.
pub(super) fn private_radius<M: PolarVolume + Clone>(
    space: &M,
    centre: &M::Point,
    records: &[Option<M::Point>],
    request: &mut PointRequest,
    ledger: &mut Ledger,
) -> Result<ClipRadius, PointStudyError> {
    let n = records.len() as u64;
    let (first, rest) = split(request, RADIUS_SHARE)?;
    let PrivacyLoss::Gaussian(mu) = first else {
        return Err(PointStudyError::NotHere {
            mechanism: "private radius with this",
            space: "a budget of pure epsilon",
            remedy: "give --mu or --delta too, or a public radius",
        });
    };
    let end = 0.999 * largest_radius(space);
    let quantile = PrivateQuantile::new(0.02_f64.min(0.1 * end), end, 1.12, 0.95, n, mu)?;
    request.budget = Some(rest);
    let widest = PublicBall::new(space, centre.clone(), ClipRadius::new(end, ClipSource::Private)?)?;
    preflight(&widest, n, request)?;
    affordable(ledger, request, first, rest)?;
    let mut noise = request.noise(Stream::Radius)?;
    let paid = ledger.charge("private clip radius", first)?;
    let distances = records.iter().map(|r| r.as_ref().map(|p| space.dist(centre, p)));
    let radius = quantile.release(distances, &mut noise, paid)?;
    let sensitivity = std::f64::consts::SQRT_2;
    request.paid_before.push(FirstPass {
        what: "private clip radius",
        loss: first,
        sensitivity,
        noise: NoiseDescription {
            distribution: "gaussian".into(),
            path: NoisePath::Lattice,
            scale: sensitivity / mu.get(),
            dimension: quantile.edges().len() + 1,
            step: None,
            sampler: "noised counts of distances on a public grid".into(),
        },
        expected_error: None,
    });
    // The last edge of the grid may lie a step beyond the theorem's bound.
    Ok(ClipRadius::new(radius.get().min(end), ClipSource::Private)?)
}

/// The first pass's loss and what is left of the budget.
///
/// μ splits as μ² = (sμ)² + (1 − s²)μ²; ε as ε = sε + (1 − s)ε. An (ε, δ) budget for a pure mechanism pays the first pass's
/// Gaussian noise with (sε, δ) and leaves (1 − s)ε; for a Gaussian one it is a μ.
fn split(request: &PointRequest, share: f64) -> Result<(PrivacyLoss, PrivacyLoss), PointStudyError> {
    let pure = matches!(
        request.mechanism,
        PointMechanism::Kng
            | PointMechanism::Laplace
            | PointMechanism::Pointwise
            | PointMechanism::PointwiseUnaligned
    );
    // A hair less, so that rounding does not carry the sum above the budget.
    let part = |epsilon: Epsilon, share: f64| Epsilon::new(epsilon.get() * share * (1.0 - 1e-12));
    match request.budget.ok_or(BudgetError::NoBudget)? {
        PrivacyLoss::Pure(epsilon) => {
            Ok((PrivacyLoss::Pure(part(epsilon, share)?), PrivacyLoss::Pure(part(epsilon, 1.0 - share)?)))
        }
        PrivacyLoss::Approximate(epsilon, delta) if pure => Ok((
            PrivacyLoss::Gaussian(Mu::within(part(epsilon, share)?, delta)?),
            PrivacyLoss::Approximate(part(epsilon, 1.0 - share)?, delta),
        )),
        _ => {
            let mu = request.gaussian()?;
            let rest = mu.get() * (1.0 - share * share).sqrt() * (1.0 - 1e-12);
            Ok((PrivacyLoss::Gaussian(Mu::new(share * mu.get())?), PrivacyLoss::Gaussian(Mu::new(rest)?)))
        }
    }
}

/// Whether the ledger's ceilings leave room for the first pass and all draws after it.
fn affordable(
    ledger: &Ledger,
    request: &PointRequest,
    first: PrivacyLoss,
    rest: PrivacyLoss,
) -> Result<(), PointStudyError> {
    // Only pure mechanisms are left an (ε, δ), and they spend its ε.
    let rest =
        if let PrivacyLoss::Approximate(epsilon, _) = rest { PrivacyLoss::Pure(epsilon) } else { rest };
    let mut all = Composition::new();
    all.add("first pass", first).push("private mean", request.draws.max(1), Cost::Loss(rest));
    Ok(ledger.check(&all)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::{Calibration, Delta};
    use crate::study::LedgerChoice;

    fn request(mechanism: PointMechanism, budget: PrivacyLoss) -> PointRequest {
        PointRequest {
            out: "study".into(),
            mechanism,
            budget: Some(budget),
            calibration: Calibration::Analytic,
            draws: 1,
            unusable: Default::default(),
            seed: None,
            ledger: LedgerChoice::default(),
            replace: false,
            public_inputs: Vec::new(),
            paid_before: Vec::new(),
        }
    }

    /// The parts never cost more than was asked for, and waste next to nothing.
    #[test]
    fn parts_compose_to_the_budget() {
        let (e, d) = (Epsilon::new(1.0).unwrap(), Delta::new(1e-6).unwrap());
        for (mechanism, budget) in [
            (PointMechanism::Kng, PrivacyLoss::Pure(e)),
            (PointMechanism::Kng, PrivacyLoss::Approximate(e, d)),
            (PointMechanism::TangentGaussian, PrivacyLoss::Approximate(e, d)),
            (PointMechanism::TangentGaussian, PrivacyLoss::Gaussian(Mu::new(0.7).unwrap())),
            (PointMechanism::Laplace, PrivacyLoss::Gaussian(Mu::new(0.7).unwrap())),
        ] {
            let mut asked = request(mechanism, budget);
            let (first, rest) = split(&asked, CENTRE_SHARE).unwrap();
            asked.budget = Some(rest);
            let second = match mechanism {
                PointMechanism::TangentGaussian => PrivacyLoss::Gaussian(asked.gaussian().unwrap()),
                _ => PrivacyLoss::Pure(asked.pure().unwrap()),
            };
            let mut both = Composition::new();
            both.add("first", first).add("second", second);
            match budget {
                PrivacyLoss::Pure(e) => {
                    let sum = both.pure_epsilon().unwrap().unwrap().get();
                    assert!(sum <= e.get() && sum > 0.999 * e.get());
                }
                PrivacyLoss::Gaussian(mu) => {
                    let sum = both.mu().unwrap().unwrap().get();
                    assert!(sum <= mu.get() && sum > 0.999 * mu.get());
                }
                _ => assert!(both.epsilon_at(d).unwrap().epsilon.get() <= e.get() * (1.0 + 1e-9)),
            }
        }
        let nothing = PointRequest { budget: None, ..request(PointMechanism::None, PrivacyLoss::Pure(e)) };
        assert!(split(&nothing, CENTRE_SHARE).is_err());
    }
}
