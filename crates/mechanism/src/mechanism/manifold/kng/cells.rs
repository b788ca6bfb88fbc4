//! Draws from the discrete law on the cells of a grid: the score is what the program computes, acceptance is decided exactly.

use crate::manifold::PolarVolume;
use crate::mechanism::manifold::lazy::{GridPoint, Origin, Polar, RadialHistogram, Radius, enclose_all};
use crate::numeric::enclosure::Interval;
use crate::numeric::enclosure::refine::{FIRST, decide, to_grid};
use crate::privacy::noise::digits::Uniform;
use rand::Rng;
use std::sync::Arc;

/// Proposals: a point about the origin with the density k = e^{−loss} of its distance and its angle, and the grid that it is rounded to.
#[derive(Debug)]
pub(super) struct Proposals {
    pub(super) origin: Origin,
    pub(super) radii: Arc<RadialHistogram>,
    pub(super) lean: Option<Lean>,
    /// The grid is 2^this.
    pub(super) exponent: i32,
    /// σ.
    pub(super) sigma: f64,
}

/// A preferred direction.
#[derive(Debug)]
pub(super) struct Lean {
    /// Towards the point with these numbers.
    pub(super) towards: Vec<f64>,
    /// The law of the angle to it.
    pub(super) angles: RadialHistogram,
}

/// A proposal whose digits are kept until it is accepted or refused.
pub(super) struct Proposal {
    polar: Polar,
    angle: Option<Radius>,
}

/// What a score made of a proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The proposal is not the draw.
    Refused,
    /// The proposal is the draw.
    Accepted,
    /// It is the draw, but its score lay below its bound: the law is that of the bound there. It means a mistake in a proof.
    Overshot,
}

impl Proposals {
    /// A proposal and its point of the grid.
    pub(super) fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> (Proposal, GridPoint) {
        let mut polar = Polar::draw(&self.radii, &self.origin, rng);
        let Some(lean) = &self.lean else {
            let point = polar.rounded(&self.origin, self.exponent, FIRST, rng);
            return (Proposal { polar, angle: None }, point);
        };
        let (mut angle, _) = lean.angles.draw(rng);
        let steps = to_grid(FIRST, self.exponent, |bits| {
            let (t, phi) = (polar.radius.enclose(bits, rng)?, angle.enclose(bits, rng)?);
            let z = enclose_all(&mut polar.deviates, bits, rng);
            self.origin.moved_towards(&lean.towards, [&t, &phi], &z, bits)
        });
        (Proposal { polar, angle: Some(angle) }, GridPoint { steps, exponent: self.exponent })
    }

    /// Accepts with probability e^{−score/σ}/k.
    pub(super) fn judge<R: Rng + ?Sized>(&self, proposal: &mut Proposal, score: f64, rng: &mut R) -> Verdict {
        let (mut v, mut overshot) = (Uniform::draw(rng), false);
        let accepted = decide(|bits| {
            let t = proposal.polar.radius.enclose(bits, rng)?;
            let mut ln = proposal.polar.radius.loss.at(&t, bits)?;
            if let Some(angle) = &mut proposal.angle {
                let phi = angle.enclose(bits, rng)?;
                ln = &ln + &angle.loss.at(&phi, bits)?;
            }
            let ln = &ln - &Interval::of(score, bits)?.over(&Interval::of(self.sigma, bits)?)?;
            overshot = ln.is_positive();
            Some(&ln.exp()? - &v.enclose(bits, rng))
        });
        match (accepted, overshot) {
            (false, _) => Verdict::Refused,
            (true, false) => Verdict::Accepted,
            (true, true) => Verdict::Overshot,
        }
    }
}

/// The point of the space at a point of the grid, as its representative nearest to the public centre.
pub(super) fn point<M: PolarVolume>(manifold: &M, at: &GridPoint, centre: &M::Point) -> Option<M::Point> {
    manifold.from_two_point(&at.to_doubles(), centre)
}
