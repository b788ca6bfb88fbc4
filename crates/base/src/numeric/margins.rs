//! Room for rounding, in one place: by how much bounds are raised, and noise with them, because they are computed in doubles.
//!
//! The theorems are about real numbers. What computes them errs by about 1e-16 an operation, so every bound that a guarantee
//! rests on is moved towards more noise by a margin: far above what rounding can do to it, far below anything visible in a
//! release. A margin m is relative and meant as 1 + m, or 1 − m, unless its text says otherwise.
//!
//! The accountants of `privacy` have a margin of their own, 2⁻⁴³, which is derived there: their functions are known to
//! a few units in the last place.

/// How far a record that was brought into a geodesic ball, or its logarithm at the centre, may lie outside: exp and log of some
/// dozen to some ten thousand operations, on spaces where rounding does not grow. Where it does,
/// `Manifold::rounding_growth` counts on top.
pub const IN_BALL: f64 = 1e-10;

/// What curvature adds to the sensitivity of a mean or of its gradient: a tangent, a quotient and, for the gradient, the top of a concave
/// function at a place good to 1e-8 of it, where the function is good to twice as many digits.
pub const BENT: f64 = 1e-12;

/// The most room of this kind that a ball may need; wider balls are refused. At a tenth of the radius the bound still holds, but
/// distances have next to no digits left.
pub const WIDEST_BALL: f64 = 0.1;

/// Noise in a surrounding space: a chord, the norm of a record, the largest eigenvalue of the centre. For records that are on
/// their space to rounding.
pub const EXTRINSIC: f64 = 1e-9;

/// A private centre: each record's own vector (a normalized direction, an outer product divided by its norm, a logarithm in a
/// ball). The rounding of their sum is counted apart.
pub const CENTRE: f64 = 1e-9;

/// Clipped coordinates of an aligned shape: one rotation, one difference. The rounding of their sum is counted apart.
pub const POINTWISE: f64 = 1e-9;

/// KNG's domain: points are taken for inside only where a computed distance says so by this much.
pub const IN_DOMAIN: f64 = 1e-9;

/// Taken off the slopes that bound KNG's gradient from below: differences, over 1/512 of the range or more, of numbers that are
/// good to the last digits; and the mean may lie a rounding error outside the ball.
pub const KNG_SLOPE: f64 = 1e-9;

/// Taken off every piece of the integral that bounds KNG's gradient from below: three Gauss points on 1/512 of the range miss by
/// the order of 512⁻⁶ = 6e-17 of the piece, so rounding is what counts.
pub const KNG_PIECE: f64 = 1e-12;

/// The Laplace mechanism's σ = Δ/ε: a quotient.
pub const LAPLACE: f64 = 1e-12;

/// Added to the bounds of a radial envelope: chords of ln-densities, continued. Absolute, in the logarithm. An envelope that is too
/// high costs proposals only.
pub const ENVELOPE: f64 = 1e-9;

/// The Riemannian Gaussian's μ from integrals of both laws; the values agree with the reference table to 1e-12.
pub const GAUSSIAN_CURVE: f64 = 1e-10;

/// Taken off the number of steps of a public grid before it is rounded up, so that an end which is a power of the ratio needs no
/// step more. Absolute.
pub const GRID: f64 = 1e-9;

/// Means of curves: clipping and changes of coordinates, a few thousand operations.
pub const CLIPPED_CURVES: f64 = 1e-11;

/// Noise multipliers z = 2√times/μ: a root and a quotient.
pub const MULTIPLIER: f64 = 1e-13;

/// Added to ln of an amplified step's moment for what the quadrature may miss; its measured error is far smaller.
pub const AMPLIFICATION: f64 = 1e-9;

/// Rényi divergences in closed form or from such a moment: sums of some thousand positive terms and a logarithm.
pub const RENYI: f64 = 1e-12;

/// Masses of a step's privacy loss distribution, relative: quadratures whose sum misses 1 by less than 1e-14 (measured), and a logarithm.
pub const LOSS_MASS: f64 = 1e-12;

/// A step's privacy loss: differences of logarithms of a few units in the last place. Absolute.
pub const LOSS: f64 = 1e-15;

/// Taken off a budget that noise is calibrated to through transforms, so that another machine's rounding finds it kept too.
pub const CALIBRATED: f64 = 1e-9;

/// Taken off the parts into which a budget is split, so that their sum, or the root of their squares, does not exceed the whole: a
/// root and two products.
pub const SPLIT: f64 = 1e-12;

/// The noise of audited runs whose parts must compose to no more than the claim.
pub const AUDITED_PARTS: f64 = 1e-9;
