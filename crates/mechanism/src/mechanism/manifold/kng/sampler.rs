//! Draws of the mechanism on one dataset.

use super::cells::{Proposals, Verdict, point};
use crate::manifold::PolarVolume;
use crate::mechanism::MechanismError;
use crate::mechanism::manifold::laplace::LaplaceRadius;
use crate::mechanism::manifold::polar::direction_accepted;
use crate::mechanism::manifold::radial::RadialLaw;
use crate::mechanism::manifold::{LocatedRecords, Work};
use crate::privacy::noise::{NoiseSource, PaidGenerator};
use crate::privacy::{Charge, PrivacyLoss};
use std::sync::Arc;

/// What becomes of a proposal.
enum Attempt<P> {
    /// It was too much work.
    GivenUp,
    /// It is no draw.
    Refused,
    /// It is a draw; whether its score lay below its bound.
    Accepted(P, bool),
}

/// Draws of the mechanism on one dataset.
pub struct KngSampler<M: PolarVolume> {
    pub(super) manifold: M,
    pub(super) located: LocatedRecords<M::Point>,
    pub(super) loss: PrivacyLoss,
    pub(super) sigma: f64,
    pub(super) how: How<M>,
}

/// How proposals are made.
#[expect(clippy::large_enum_variant, reason = "there is one of it in a study")]
pub(super) enum How<M: PolarVolume> {
    /// On the cells of a grid; those whose point is no farther than this from the centre belong to the law's domain.
    Cells {
        /// The proposals.
        proposals: Proposals,
        /// p₀.
        centre: M::Point,
        /// How far from it.
        within: f64,
    },
    /// In floating point, about the mean: spaces of curvature at most 0 that are not two-point homogeneous.
    Idealized(Arc<RadialLaw<LaplaceRadius<M>>>),
}

/// What a draw took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Tally {
    /// Points that were proposed.
    pub(super) proposed: u64,
    /// Draws whose score lay below its bound.
    pub(super) overshot: u64,
}

impl<M: PolarVolume> KngSampler<M> {
    /// The records in the ball, and their Fréchet mean: for the data holder only.
    pub fn located(&self) -> &LocatedRecords<M::Point> {
        &self.located
    }

    /// One private point, and how many points were proposed for it.
    ///
    /// # Errors
    /// When `paid` does not cover the loss; geometry errors cannot happen inside the ball.
    pub fn draw(&self, noise: &mut NoiseSource, paid: Charge) -> Result<(M::Point, u64), MechanismError> {
        let (point, tally) = self.draw_counted(noise, paid)?;
        Ok((point, tally.proposed))
    }

    pub(super) fn draw_counted(
        &self,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<(M::Point, Tally), MechanismError> {
        let mut rng = noise.open(paid, self.loss)?;
        let mut tally = Tally::default();
        loop {
            tally.proposed += 1;
            if let Attempt::Accepted(x, overshot) = self.attempt(&mut rng, &mut |_| true)? {
                tally.overshot += u64::from(overshot);
                return Ok((x, tally));
            }
        }
    }

    /// One private point, or `None` when the work is more than was allowed: not a draw from the law then, so for figures
    /// only.
    #[doc(hidden)]
    pub fn draw_within(
        &self,
        noise: &mut NoiseSource,
        paid: Charge,
        work: &mut Work,
    ) -> Result<Option<M::Point>, MechanismError> {
        let mut rng = noise.open(paid, self.loss)?;
        loop {
            match self.attempt(&mut rng, &mut |logarithms| work.spend(logarithms))? {
                Attempt::Accepted(x, _) => return Ok(Some(x)),
                Attempt::GivenUp => return Ok(None),
                Attempt::Refused => {}
            }
        }
    }

    /// One proposal. `spend` is told how many logarithms are about to be computed, and may stop that.
    fn attempt(
        &self,
        rng: &mut PaidGenerator<'_>,
        spend: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Attempt<M::Point>, MechanismError> {
        match &self.how {
            How::Cells { proposals, centre, within } => {
                if !spend(A_PROPOSAL) {
                    return Ok(Attempt::GivenUp);
                }
                let (mut proposal, cell) = proposals.draw(rng);
                let inside = |x: &M::Point| self.manifold.dist(centre, x) <= *within;
                let Some(x) = point(&self.manifold, &cell, centre).filter(inside) else {
                    return Ok(Attempt::Refused);
                };
                if !spend(self.located.bounded.points.len()) {
                    return Ok(Attempt::GivenUp);
                }
                Ok(match proposals.judge(&mut proposal, self.score(&x)?, rng) {
                    Verdict::Refused => Attempt::Refused,
                    Verdict::Accepted => Attempt::Accepted(x, false),
                    Verdict::Overshot => Attempt::Accepted(x, true),
                })
            }
            How::Idealized(law) => {
                let mean = &self.located.mean;
                let t = law.draw(rng);
                let v = self.manifold.scale(t, &self.manifold.random_direction(mean, rng));
                let x = self.manifold.exp(mean, &v);
                if !spend(1 + self.located.bounded.points.len()) {
                    return Ok(Attempt::GivenUp);
                }
                let excess = (self.score(&x)? - t).max(0.0);
                let accepted = direction_accepted(&self.manifold, mean, &v, -excess / self.sigma, rng);
                Ok(if accepted { Attempt::Accepted(x, false) } else { Attempt::Refused })
            }
        }
    }

    /// ‖∇F(x)‖ as it is computed, in a fixed order: a number of its own for every x and every dataset.
    pub(super) fn score(&self, x: &M::Point) -> Result<f64, MechanismError> {
        let gradient = self.manifold.mean_log(x, &self.located.bounded.points, None)?.log;
        Ok(self.manifold.norm(x, &gradient))
    }
}

/// A proposal on a grid costs about as much as this many logarithms.
const A_PROPOSAL: usize = 100;
