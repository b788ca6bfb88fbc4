//! Draws of the mechanism on one dataset.

use super::radius::{About, KngRadius};
use super::von_mises_fisher::VonMisesFisher;
use crate::manifold::PolarVolume;
use crate::mechanism::MechanismError;
use crate::mechanism::manifold::polar::direction_accepted;
use crate::mechanism::manifold::radial::RadialLaw;
use crate::mechanism::manifold::{LocatedRecords, Work};
use crate::privacy::noise::{NoiseSource, PaidGenerator};
use crate::privacy::{Charge, PrivacyLoss};

/// What becomes of a proposal.
enum Attempt<P> {
    /// It was too much work.
    GivenUp,
    /// Its gradient was computed, and it was not accepted.
    Refused,
    /// It is a draw.
    Accepted(P),
}

/// Draws of the mechanism on one dataset.
pub struct KngSampler<M: PolarVolume> {
    located: LocatedRecords<M::Point>,
    loss: PrivacyLoss,
    law: RadialLaw<KngRadius<M>>,
    /// Concentration of directions about x̄, for proposals about the ball's centre.
    lean: VonMisesFisher,
    /// The unit vector at p₀ towards x̄; `None` where they coincide.
    towards: Option<M::Tangent>,
}

impl<M: PolarVolume> KngSampler<M> {
    pub(super) fn new(
        loss: PrivacyLoss,
        located: LocatedRecords<M::Point>,
        law: RadialLaw<KngRadius<M>>,
    ) -> Self {
        let (manifold, centre) = (law.density().ball.manifold(), law.density().ball.centre());
        let radius = law.density();
        let lean = VonMisesFisher::new(manifold.dim(), radius.slope() * radius.offset / radius.sigma);
        let towards = manifold.log(centre, &located.mean).ok().and_then(|v| {
            let norm = manifold.norm(centre, &v);
            (lean.concentration > 0.0 && norm > 0.0).then(|| manifold.scale(1.0 / norm, &v))
        });
        Self { located, loss, law, lean, towards }
    }

    /// The records in the ball, and their Fréchet mean: for the data holder only.
    pub fn located(&self) -> &LocatedRecords<M::Point> {
        &self.located
    }

    /// One private point, and how many points were proposed for it.
    ///
    /// # Errors
    /// When `paid` does not cover the loss; geometry errors cannot happen inside the ball.
    pub fn draw(&self, noise: &mut NoiseSource, paid: Charge) -> Result<(M::Point, u64), MechanismError> {
        let mut rng = noise.open(paid, self.loss)?;
        let mut proposed = 0;
        loop {
            proposed += 1;
            if let Attempt::Accepted(x) = self.attempt(&mut rng, &mut |_| true)? {
                return Ok((x, proposed));
            }
        }
    }

    /// One private point, or `None` when the work is more than was allowed: not a draw from the law then, so for figures
    /// only.
    pub(crate) fn draw_within(
        &self,
        noise: &mut NoiseSource,
        paid: Charge,
        work: &mut Work,
    ) -> Result<Option<M::Point>, MechanismError> {
        let mut rng = noise.open(paid, self.loss)?;
        loop {
            match self.attempt(&mut rng, &mut |logarithms| work.spend(logarithms))? {
                Attempt::Accepted(x) => return Ok(Some(x)),
                Attempt::GivenUp => return Ok(None),
                Attempt::Refused => {}
            }
        }
    }

    /// One proposal inside the ball. `spend` is told how many logarithms are about to be computed, and may stop that.
    fn attempt(
        &self,
        rng: &mut PaidGenerator<'_>,
        spend: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Attempt<M::Point>, MechanismError> {
        let radius = self.law.density();
        let (ball, mean) = (&radius.ball, &self.located.mean);
        let manifold = ball.manifold();
        let t = self.law.draw(rng);
        let (from, x, v, lower) = match radius.about {
            // The radius stays: its law counts the share of directions inside.
            About::Mean => loop {
                if !spend(1) {
                    return Ok(Attempt::GivenUp);
                }
                let v = manifold.scale(t, &manifold.random_direction(mean, rng));
                let x = manifold.exp(mean, &v);
                if radius.root == 0.0 || ball.contains(&x) {
                    break (mean, x, v, radius.lower_gradient(t));
                }
            },
            About::Centre => {
                let (direction, cosine) = self.leaning_direction(rng);
                let v = manifold.scale(t, &direction);
                let gained = radius.sigma * self.lean.concentration * (1.0 - cosine);
                (ball.centre(), manifold.exp(ball.centre(), &v), v, radius.lower_about_centre(t) + gained)
            }
        };
        if !spend(self.located.bounded.points.len()) {
            return Ok(Attempt::GivenUp);
        }
        let gradient = manifold.mean_log(&x, &self.located.bounded.points, None)?.log;
        let excess = (manifold.norm(&x, &gradient) - lower).max(0.0);
        let accepted = direction_accepted(manifold, from, &v, -excess / radius.sigma, rng);
        Ok(if accepted { Attempt::Accepted(x) } else { Attempt::Refused })
    }

    /// A unit vector at p₀ from the von Mises–Fisher law about x̄, and its cosine.
    fn leaning_direction(&self, rng: &mut PaidGenerator<'_>) -> (M::Tangent, f64) {
        let ball = &self.law.density().ball;
        let (manifold, centre) = (ball.manifold(), ball.centre());
        let Some(towards) = &self.towards else {
            // At concentration 0 the cosine does not matter.
            return (manifold.random_direction(centre, rng), 1.0);
        };
        let cosine = self.lean.cosine(rng);
        loop {
            let mut across = manifold.random_direction(centre, rng);
            manifold.axpy(-manifold.inner(centre, &across, towards), towards, &mut across);
            let norm = manifold.norm(centre, &across);
            if norm > 1e-6 {
                let mut v = manifold.scale((1.0 - cosine * cosine).max(0.0).sqrt() / norm, &across);
                manifold.axpy(cosine, towards, &mut v);
                return (v, cosine);
            }
        }
    }
}
