//! What takes a density down with the distance.

use crate::numeric::enclosure::Interval;

/// What the logarithm of the density loses to the area's at distance t. Numbers are doubles, read exactly.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::mechanism::manifold) enum Loss {
    /// (value + slope·(t − start))/scale.
    Line {
        /// Where the line begins.
        start: f64,
        /// Its height there.
        value: f64,
        /// What it rises by per unit, at least 0.
        slope: f64,
        /// σ.
        scale: f64,
    },
    /// t²/2σ².
    Square {
        /// σ.
        scale: f64,
    },
}

impl Loss {
    /// t/σ.
    pub(in crate::mechanism::manifold) fn proportional(scale: f64) -> Self {
        Self::Line { start: 0.0, value: 0.0, slope: 1.0, scale }
    }

    /// The loss at t.
    pub(in crate::mechanism::manifold) fn at(&self, t: &Interval, bits: u32) -> Option<Interval> {
        match *self {
            Self::Line { start, value, slope, scale } => {
                let rise = &Interval::of(slope, bits)? * &(t - &Interval::of(start, bits)?);
                (&Interval::of(value, bits)? + &rise).over(&Interval::of(scale, bits)?)
            }
            Self::Square { scale } => {
                Some(t.over(&Interval::of(scale, bits)?)?.square().times_power_of_two(-1))
            }
        }
    }

    /// Its slope.
    pub(super) fn slope(&self, t: &Interval, bits: u32) -> Option<Interval> {
        match *self {
            Self::Line { slope, scale, .. } => Interval::of(slope, bits)?.over(&Interval::of(scale, bits)?),
            Self::Square { scale } => {
                let scale = Interval::of(scale, bits)?;
                t.over(&scale)?.over(&scale)
            }
        }
    }

    /// The same in doubles.
    pub(super) fn roughly(&self, t: f64) -> f64 {
        match *self {
            Self::Line { start, value, slope, scale } => (value + slope * (t - start)) / scale,
            Self::Square { scale } => 0.5 * (t / scale).powi(2),
        }
    }
}
