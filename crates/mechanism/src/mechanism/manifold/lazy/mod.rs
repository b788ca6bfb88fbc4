//! Draws about a private point that are rounded to a public grid, with exactly the law of the rounded ideal draw.
//!
//! Floating-point draws exp_x̂(t u) can take only values that depend on x̂ bit by bit. Here distance and direction are digits that are drawn
//! when they are needed ([`Radius`], [`Normal`]), the point is enclosed by integers ([`Origin::moved`]), and the nearest point of the grid
//! is released once the whole enclosure agrees on it ([`to_grid`]). So the release is a function of the ideal draw, and every theorem
//! about that law holds for it unchanged; no tie has positive probability, because every coordinate that is rounded is a
//! real-analytic function of the digits that is not constant.

mod area;
mod loss;
mod point;
mod radius;

pub(super) use loss::Loss;
pub(super) use point::{Origin, enclose_all};
pub(super) use radius::{NoRadialLaw, RadialHistogram, Radius, Range};

use crate::manifold::{PolarVolume, TwoPointSpace};
use crate::mechanism::MechanismError;
use crate::numeric::enclosure::refine::{FIRST, to_grid};
use crate::privacy::noise::digits::Normal;
use num_bigint::{BigInt, Sign};
use rand::Rng;

/// What certificates call these draws.
pub(super) const SAMPLER: &str = "digits on demand, intervals";

/// How many binary digits of the noise scale the grid resolves.
const RESOLUTION: i32 = 32;

/// The grid 2^e ℤⁿ for noise of this scale, in lengths of the model; of a closed space for noise no wider than its unit.
pub(super) fn grid_exponent(space: TwoPointSpace, scale: f64) -> i32 {
    let scale = if space.diameter().is_finite() { scale.min(1.0) } else { scale };
    libm::ilogb(scale).clamp(-900, 900) - RESOLUTION
}

/// A point of the grid, in steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GridPoint {
    pub(super) steps: Vec<BigInt>,
    pub(super) exponent: i32,
}

/// Coordinates beyond this are released as this: their squares must be doubles.
const LARGEST: f64 = 1e150;

impl GridPoint {
    /// The doubles nearest to the coordinates, or next to those: post-processing.
    pub(super) fn to_doubles(&self) -> Vec<f64> {
        let double = |steps: &BigInt| {
            let size = radius::as_double(steps.magnitude(), self.exponent).min(LARGEST);
            if steps.sign() == Sign::Minus { -size } else { size }
        };
        self.steps.iter().map(double).collect()
    }
}

/// The random numbers of one point.
#[derive(Debug, Clone)]
pub(super) struct Polar {
    pub(super) radius: Radius,
    pub(super) deviates: Vec<Normal>,
}

impl Polar {
    pub(super) fn draw<R: Rng + ?Sized>(law: &RadialHistogram, origin: &Origin, rng: &mut R) -> Self {
        let (radius, _) = law.draw(rng);
        Self { radius, deviates: (0..origin.deviates()).map(|_| Normal::draw(rng)).collect() }
    }

    /// The point of the grid nearest to the one at this distance in this direction, beginning with `first` bits.
    pub(super) fn rounded<R: Rng + ?Sized>(
        &mut self,
        origin: &Origin,
        exponent: i32,
        first: u32,
        rng: &mut R,
    ) -> GridPoint {
        let steps = to_grid(first, exponent, |bits| {
            let t = self.radius.enclose(bits, rng)?;
            origin.moved(&t, &enclose_all(&mut self.deviates, bits, rng), bits)
        });
        GridPoint { steps, exponent }
    }
}

/// An isotropic law about the points of a two-point homogeneous space, released on a grid.
#[derive(Debug, Clone)]
pub(super) struct GridLaw {
    space: TwoPointSpace,
    /// The length of the model's unit.
    unit: f64,
    radius: RadialHistogram,
    exponent: i32,
}

impl GridLaw {
    /// The density e^{−loss(t)} with respect to volume, lengths in the unit of the model. `expected`: where the mass lies, about;
    /// `noise`: the scale the grid resolves.
    pub(super) fn new(
        (space, unit): (TwoPointSpace, f64),
        loss: Loss,
        expected: f64,
        noise: f64,
    ) -> Result<Self, NoRadialLaw> {
        let radius = RadialHistogram::new(space, &Range::Whole(loss), expected)?;
        Ok(Self { space, unit, radius, exponent: grid_exponent(space, noise) })
    }

    /// The step of the grid, in the unit of distance.
    pub(super) fn step(&self) -> f64 {
        self.unit * libm::ldexp(1.0, self.exponent)
    }

    /// A draw about a point of the model.
    pub(super) fn about<R: Rng + ?Sized>(&self, origin: &Origin, rng: &mut R) -> GridPoint {
        Polar::draw(&self.radius, origin, rng).rounded(origin, self.exponent, FIRST, rng)
    }

    /// A draw about a point of a space with this model; of several representatives the one nearest to the public point `near`.
    ///
    /// # Errors
    /// [`MechanismError::NoPoint`] for a point that the model does not know.
    pub(super) fn draw<M: PolarVolume, R: Rng + ?Sized>(
        &self,
        manifold: &M,
        (mean, near): (&M::Point, &M::Point),
        rng: &mut R,
    ) -> Result<M::Point, MechanismError> {
        let origin = origin(manifold, self.space, mean)?;
        let drawn = self.about(&origin, rng).to_doubles();
        manifold.from_two_point(&drawn, near).ok_or(MechanismError::NoPoint)
    }
}

/// A point as the model of its space reads it.
pub(super) fn origin<M: PolarVolume>(
    manifold: &M,
    space: TwoPointSpace,
    p: &M::Point,
) -> Result<Origin, MechanismError> {
    let numbers = manifold.to_two_point(p).ok_or(MechanismError::NoPoint)?;
    Origin::new(space, numbers).ok_or(MechanismError::NoPoint)
}

#[cfg(test)]
mod attack;
#[cfg(test)]
mod tests;
