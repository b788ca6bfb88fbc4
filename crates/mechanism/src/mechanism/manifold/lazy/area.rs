//! ln of the area of geodesic spheres, and its slope, as enclosures.

use crate::manifold::TwoPointSpace;
use crate::numeric::enclosure::Interval;

/// How often ln of the sine, of the hyperbolic sine or of t itself counts.
fn power(space: TwoPointSpace) -> u32 {
    u32::try_from(space.real_dim().saturating_sub(1)).unwrap_or(u32::MAX)
}

/// 1 − e^{−2t}.
fn rise(t: &Interval, bits: u32) -> Option<Interval> {
    Some(&Interval::whole(1, bits) - &(-&t.times(2)).exp()?)
}

/// ln A(t), the area over that of the unit tangent sphere, as [`TwoPointSpace::ln_area`]; 0 < t below the largest distance.
pub(super) fn ln_area(space: TwoPointSpace, t: &Interval, bits: u32) -> Option<Interval> {
    let often = power(space);
    if often == 0 {
        return Some(Interval::whole(0, bits));
    }
    match space {
        TwoPointSpace::Euclidean { .. } => Some(t.ln()?.times(often)),
        TwoPointSpace::Sphere { .. } => Some(t.sin_cos().0.ln()?.times(often)),
        // sinh t = eᵗ (1 − e^{−2t})/2.
        TwoPointSpace::Hyperbolic { .. } => {
            Some((t + &rise(t, bits)?.times_power_of_two(-1).ln()?).times(often))
        }
        TwoPointSpace::ComplexProjective { .. } => {
            let (sin, cos) = t.sin_cos();
            Some(&sin.ln()?.times(often) + &cos.ln()?)
        }
    }
}

/// (ln A)′(t).
pub(super) fn slope(space: TwoPointSpace, t: &Interval, bits: u32) -> Option<Interval> {
    let often = power(space);
    let one = Interval::whole(1, bits);
    if often == 0 {
        return Some(Interval::whole(0, bits));
    }
    match space {
        TwoPointSpace::Euclidean { .. } => Some(one.over(t)?.times(often)),
        TwoPointSpace::Sphere { .. } => {
            let (sin, cos) = t.sin_cos();
            Some(cos.over(&sin)?.times(often))
        }
        // coth t = (2 − rise)/rise.
        TwoPointSpace::Hyperbolic { .. } => {
            let rise = rise(t, bits)?;
            Some((&one.times(2) - &rise).over(&rise)?.times(often))
        }
        TwoPointSpace::ComplexProjective { .. } => {
            let (sin, cos) = t.sin_cos();
            Some(&cos.over(&sin)?.times(often) - &sin.over(&cos)?)
        }
    }
}

/// The largest distance, where there is one.
pub(super) fn end(space: TwoPointSpace, bits: u32) -> Option<Interval> {
    match space {
        TwoPointSpace::Euclidean { .. } | TwoPointSpace::Hyperbolic { .. } => None,
        TwoPointSpace::Sphere { .. } => Some(Interval::pi(bits)),
        TwoPointSpace::ComplexProjective { .. } => Some(Interval::pi(bits).times_power_of_two(-1)),
    }
}
