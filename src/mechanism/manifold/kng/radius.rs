//! The radial laws that proposals are drawn from.

use super::lower_gradient::LowerGradient;
use crate::manifold::PolarVolume;
use crate::mechanism::manifold::PublicBall;
use crate::mechanism::manifold::radial::{RadialDensity, RadialLaw};
use crate::numeric::margins;

#[derive(Debug)]
pub(super) struct KngRadius<M: PolarVolume> {
    pub(super) ball: PublicBall<M>,
    pub(super) sigma: f64,
    /// √κ, 0 where κ ≤ 0.
    pub(super) root: f64,
    /// g, where κ > 0.
    pub(super) lower: LowerGradient,
    /// d(p₀, x̄).
    pub(super) offset: f64,
    pub(super) end: f64,
    /// Whether the radius is counted from x̄ or from p₀.
    pub(super) about: About,
}

/// Where proposals are centred. Both give the same law; which one is quicker depends on how far apart mean and centre are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum About {
    /// The Fréchet mean: few gradients, but in high dimension few directions of the outer spheres lie in the ball.
    Mean,
    /// The ball's centre, directions leaning towards the mean: every proposal lies in the ball.
    Centre,
}

impl<M: PolarVolume> KngRadius<M> {
    /// g(t), t ≤ r + o.
    pub(super) fn lower_gradient(&self, t: f64) -> f64 {
        if self.root == 0.0 { t } else { self.lower.at(t) }
    }

    /// g(t − o), continued by t − o below o.
    pub(super) fn lower_about_centre(&self, t: f64) -> f64 {
        if t < self.offset { t - self.offset } else { self.lower_gradient(t - self.offset) }
    }

    /// a: the least slope of a chord of g of width 2o.
    pub(super) fn slope(&self) -> f64 {
        let (r, o) = (self.ball.radius().get(), self.offset);
        if o < 1e-9 * r {
            return 0.0;
        }
        let inner = self.lower_gradient((r - o).max(0.0));
        (self.lower_gradient(r + o) - inner) / (2.0 * o) * (1.0 - margins::KNG_SLOPE)
    }

    /// The least slope of g, which counts with the concave part so that the rest varies little.
    pub(super) fn least_slope(&self) -> f64 {
        if self.root == 0.0 { 1.0 } else { self.lower.least_slope }
    }

    /// ln of the share of the sphere of radius t about x̄ that lies in the ball: 0 near x̄, falling with t because the ball is
    /// convex and holds x̄.
    pub(super) fn ln_share(&self, t: f64) -> f64 {
        let radius = self.ball.radius().get();
        if self.root == 0.0 || t + self.offset <= radius {
            return 0.0;
        }
        if t > self.end {
            return f64::NEG_INFINITY;
        }
        match self.ball.manifold().two_point() {
            Some((space, unit)) if self.offset > 1e-12 * unit => {
                space.share_within(t / unit, self.offset / unit, radius / unit).ln()
            }
            // The mean is the centre.
            _ => f64::NEG_INFINITY,
        }
    }
}

impl<M: PolarVolume> RadialDensity for KngRadius<M> {
    fn concave(&self, t: f64) -> f64 {
        self.ball.manifold().ln_area_concave(t) - self.least_slope() * t / self.sigma
    }
    fn rest(&self, t: f64) -> f64 {
        if self.about == About::Centre {
            return (self.least_slope() * t - self.lower_about_centre(t)) / self.sigma;
        }
        if self.root == 0.0 {
            return self.ball.manifold().ln_area_rise(t);
        }
        (self.least_slope() * t - self.lower_gradient(t)) / self.sigma + self.ln_share(t)
    }
    fn rest_bound(&self, a: f64, b: f64) -> f64 {
        // g grows at least as its least slope and the share falls (κ > 0); the volume's rise grows (κ ≤ 0).
        if self.root == 0.0 { self.ball.manifold().ln_area_rise(b) } else { self.rest(a) }
    }
    fn rest_slope(&self) -> f64 {
        self.ball.manifold().ln_area_rise_slope()
    }
    fn end(&self) -> f64 {
        self.end
    }
}

/// About how far, in units of ln, the envelope about the centre lies above the law where its mass is: by flat trigonometry.
pub(super) fn expected_loss<M: PolarVolume>(law: &RadialLaw<KngRadius<M>>, dim: usize) -> f64 {
    let (density, t) = (law.density(), law.mode());
    let (o, half) = (density.offset, 0.5 * dim as f64);
    let concentration = density.slope() * o / density.sigma;
    let cosine = concentration / (half + half.hypot(concentration));
    let distance = (t * t + o * o - 2.0 * t * o * cosine).max(0.0).sqrt();
    ((distance - t + o * cosine) / density.sigma).max(0.0)
}
