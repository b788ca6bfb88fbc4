//! How densely points are proposed: lower bounds of the score, where the curvature is positive.

use super::lower_gradient::LowerGradient;
use crate::manifold::TwoPointSpace;
use crate::mechanism::manifold::MEAN_GRADIENT;
use crate::mechanism::manifold::lazy::{Loss, NoRadialLaw, RadialHistogram, Range};
use crate::numeric::margins;
use crate::stats::distance_to_mean;

/// Where proposals are centred. Both give the same law; which one is quicker depends on how far apart mean and centre are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum About {
    /// The Fréchet mean: few gradients, but in high dimension few directions of the outer spheres lie in the ball.
    Mean,
    /// The ball's centre, directions leaning towards the mean: nearly every proposal lies in the ball.
    Centre,
}

/// A lower bound of the score at distance t from x̄ or from p₀, affine on each cell. It shapes the proposals and not the law.
#[derive(Debug, Clone)]
pub(super) struct Envelope {
    /// g.
    pub(super) lower: LowerGradient,
    /// r.
    pub(super) radius: f64,
    /// d(p₀, x̄).
    pub(super) offset: f64,
    /// κ.
    pub(super) curvature: f64,
    /// σ.
    pub(super) sigma: f64,
    /// ρ.
    pub(super) cell_reach: f64,
}

impl Envelope {
    /// G(t): g(t) about the mean; g(t − o) about the centre, continued by t − o below o.
    fn at(&self, about: About, t: f64) -> f64 {
        match about {
            About::Mean => self.lower.at(t),
            About::Centre if t < self.offset => t - self.offset,
            About::Centre => self.lower.at(t - self.offset),
        }
    }

    /// By how much a computed score may lie below G: its own error, the computed mean's distance from the mean (twice: the offset is
    /// one, too), and how far a cell's point is from what was proposed.
    fn slack(&self) -> f64 {
        2.0 * (MEAN_GRADIENT + distance_to_mean(MEAN_GRADIENT, self.curvature, self.radius)) + self.cell_reach
    }

    /// a: the least slope of a chord of g of width 2o.
    fn slope(&self) -> f64 {
        let (r, o) = (self.radius, self.offset);
        if o < 1e-9 * r {
            return 0.0;
        }
        let inner = self.lower.at((r - o).max(0.0));
        (self.lower.at(r + o) - inner) / (2.0 * o) * (1.0 - margins::KNG_SLOPE)
    }

    /// The concentration of directions about x̄, for proposals about the centre.
    pub(super) fn concentration(&self) -> f64 {
        (self.slope() * self.offset / self.sigma).max(0.0)
    }

    /// The law of the distance of proposals. G is concave, so that chords bound it from below.
    pub(super) fn radii(
        &self,
        about: About,
        (space, unit): (TwoPointSpace, f64),
    ) -> Result<RadialHistogram, NoRadialLaw> {
        let end = match about {
            About::Mean => self.radius + self.offset,
            About::Centre => self.radius,
        };
        let line = |low: f64, high: f64| {
            let (a, b) = (self.at(about, unit * low), self.at(about, unit * high));
            let slope = ((b - a) / (high - low) * (1.0 - margins::KNG_SLOPE)).max(0.0);
            let value = a - self.slack() - margins::KNG_PIECE * a.abs();
            Loss::Line { start: low, value, slope, scale: self.sigma }
        };
        let scale = self.sigma / unit * space.real_dim() as f64;
        // The ball's own rounding included.
        let end = end / unit * (1.0 + margins::IN_BALL);
        RadialHistogram::new(space, &Range::UpTo(end, &line), scale)
    }

    /// About how far, in units of ln, the envelope about the centre lies above the law where its mass is: by flat trigonometry.
    pub(super) fn expected_loss(&self, radii: &RadialHistogram, unit: f64, dim: usize) -> f64 {
        let (o, half) = (self.offset, 0.5 * dim as f64);
        let concentration = self.concentration();
        let cosine = concentration / (half + half.hypot(concentration));
        let mode = radii.shares().max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0.0, |(t, _)| unit * t);
        let distance = (mode * mode + o * o - 2.0 * mode * o * cosine).max(0.0).sqrt();
        ((distance - mode + o * cosine) / self.sigma).max(0.0)
    }

    /// About the share of proposals about the mean that lie in the ball.
    pub(super) fn share_inside(&self, radii: &RadialHistogram, (space, unit): (TwoPointSpace, f64)) -> f64 {
        let inside = |t: f64| {
            if unit * t + self.offset <= self.radius {
                1.0
            } else if self.offset > 1e-12 * unit && unit * t < self.radius + self.offset {
                space.share_within(t, self.offset / unit, self.radius / unit)
            } else {
                0.0
            }
        };
        radii.shares().map(|(t, share)| share * inside(t)).sum()
    }
}

/// The law of the angle to a preferred direction, ∝ exp(κ(cos φ − 1)) sinᵈ⁻²φ or a little wider: lines below κ(1 − cos φ) in place of it, its
/// tangents where it is convex and its chords where it is concave.
pub(super) fn angles(concentration: f64, dim: usize) -> Result<RadialHistogram, NoRadialLaw> {
    let loss = |phi: f64| 2.0 * concentration * (0.5 * phi).sin().powi(2);
    let line = |low: f64, high: f64| {
        let slope = if high <= std::f64::consts::FRAC_PI_2 {
            concentration * low.sin()
        } else {
            ((loss(high.min(std::f64::consts::PI)) - loss(low)) / (high - low)).min(concentration * low.sin())
        };
        let slope = (slope * (1.0 - margins::KNG_SLOPE)).max(0.0);
        Loss::Line { start: low, value: loss(low) * (1.0 - margins::KNG_SLOPE), slope, scale: 1.0 }
    };
    let scale = (dim as f64 / concentration.max(1e-9)).sqrt().min(1.0);
    let space = TwoPointSpace::Sphere { dim: dim - 1 };
    RadialHistogram::new(space, &Range::UpTo(std::f64::consts::PI.next_up(), &line), scale)
}
