//! Elementary functions of eight numbers at once, without branches, so that they are vector instructions: good to a few units in the last
//! place on the ranges stated.

use pulp::Simd;

/// Numbers side by side.
pub(in crate::manifold) const LANES: usize = 8;
/// Eight of them.
pub(in crate::manifold) type Lane = [f64; LANES];

/// A lane from a formula for one of its numbers.
macro_rules! lanes {
    ($l:ident => $body:expr) => {{
        let mut out = [0.0; $crate::manifold::rows::elementary::LANES];
        for $l in 0..$crate::manifold::rows::elementary::LANES {
            out[$l] = $body;
        }
        out
    }};
}
pub(in crate::manifold) use lanes;

/// An expression in the processor's vectors, of all lanes of two numbers. Spelled out in vectors: left to itself the compiler leaves half of the
/// arithmetic to single numbers. (No function of a closure: that would not know of the processor's vectors.)
macro_rules! vectors {
    ($s:ty, $a:expr, $b:expr, |$x:pat_param, $y:pat_param| $body:expr) => {{
        let mut out = [0.0; LANES];
        let (a, b): (&Lane, &Lane) = (&$a, &$b);
        let (a, b) = (<$s>::as_simd_f64s(a).0, <$s>::as_simd_f64s(b).0);
        let into = <$s>::as_mut_simd_f64s(&mut out).0;
        for place in 0..into.len() {
            let ($x, $y) = (a[place], b[place]);
            into[place] = $body;
        }
        out
    }};
}

/// A polynomial, the highest coefficient first.
#[inline(always)]
fn polynomial<S: Simd, const N: usize>(simd: S, x: S::f64s, coefficients: [f64; N]) -> S::f64s {
    let mut sum = simd.splat_f64s(coefficients[0]);
    for c in &coefficients[1..] {
        sum = simd.add_f64s(simd.mul_f64s(sum, x), simd.splat_f64s(*c));
    }
    sum
}

/// √x.
#[inline(always)]
pub(in crate::manifold) fn sqrt<S: Simd>(simd: S, x: &Lane) -> Lane {
    vectors!(S, x, x, |x, _| simd.sqrt_f64s(x))
}

/// atan(y/x) for x, y ≥ 0, not both 0 (0 if both are): Cephes' rational function (Moshier 1989, atan.c) of the smaller over the larger.
#[inline(always)]
pub(in crate::manifold) fn angle<S: Simd>(simd: S, y: &Lane, x: &Lane) -> Lane {
    use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};
    vectors!(S, y, x, |y, x| {
        let less = simd.less_than_f64s(y, x);
        let (small, large) = (simd.select_f64s(less, y, x), simd.select_f64s(less, x, y));
        // Above 0.66 of the larger, atan(t) = π/4 + atan((t − 1)/(t + 1)).
        let beyond = simd.less_than_f64s(simd.mul_f64s(simd.splat_f64s(0.66), large), small);
        let top = simd.select_f64s(beyond, simd.sub_f64s(small, large), small);
        let bottom = simd.select_f64s(beyond, simd.add_f64s(small, large), large);
        let bottom =
            simd.select_f64s(simd.less_than_f64s(simd.splat_f64s(0.0), bottom), bottom, simd.splat_f64s(1.0));
        let t = simd.div_f64s(top, bottom);
        let z = simd.mul_f64s(t, t);
        let p = polynomial(
            simd,
            z,
            [
                -0.8750608600031904,
                -16.157537187333652,
                -75.00855792314705,
                -122.88666844901361,
                -64.85021904942025,
            ],
        );
        let q = polynomial(
            simd,
            z,
            [
                1.0,
                24.858464901423062,
                165.02700983169885,
                432.88106049129027,
                485.3903996359137,
                194.5506571482614,
            ],
        );
        let tail = simd.mul_f64s(t, simd.div_f64s(simd.mul_f64s(z, p), q));
        let angle = simd.add_f64s(
            simd.add_f64s(t, tail),
            simd.select_f64s(beyond, simd.splat_f64s(FRAC_PI_4), simd.splat_f64s(0.0)),
        );
        simd.select_f64s(less, angle, simd.sub_f64s(simd.splat_f64s(FRAC_PI_2), angle))
    })
}

/// The largest angle whose sine and cosine the lanes find.
pub(in crate::manifold) const LARGEST_ANGLE: f64 = 1e4;

/// 1.5·2⁵²: added to a smaller number it leaves that rounded to a whole one in the last digits.
const ROUND: f64 = 6_755_399_441_055_744.0;

/// cos t and sin t / t for 0 ≤ t ≤ [`LARGEST_ANGLE`]: Cephes' polynomials (Moshier 1989, sin.c) on the nearest multiple of π/2.
#[inline(always)]
pub(in crate::manifold) fn cos_and_sinc<S: Simd>(simd: S, t: &Lane) -> (Lane, Lane) {
    // π/2 in three parts, the first two with zeros at the end.
    const PARTS: [f64; 3] = [1.570_796_251_296_997, 7.549_789_415_861_596e-8, 5.390_302_858_158_119e-15];
    let shifted = vectors!(S, t, t, |t, _| {
        let turns = simd.mul_f64s(t, simd.splat_f64s(std::f64::consts::FRAC_2_PI));
        simd.add_f64s(turns, simd.splat_f64s(ROUND))
    });
    let r = vectors!(S, t, shifted, |t, shifted| {
        let k = simd.sub_f64s(shifted, simd.splat_f64s(ROUND));
        let mut r = t;
        for part in PARTS {
            r = simd.sub_f64s(r, simd.mul_f64s(k, simd.splat_f64s(part)));
        }
        r
    });
    let s = vectors!(S, r, r, |r, _| {
        let z = simd.mul_f64s(r, r);
        let p = polynomial(
            simd,
            z,
            [
                1.5896230157654656e-10,
                -2.5050747762857807e-08,
                2.7557313621385722e-06,
                -0.0001984126982958954,
                0.008333333333322118,
                -0.1666666666666663,
            ],
        );
        simd.add_f64s(r, simd.mul_f64s(simd.mul_f64s(r, z), p))
    });
    let c = vectors!(S, r, r, |r, _| {
        let z = simd.mul_f64s(r, r);
        let p = polynomial(
            simd,
            z,
            [
                -1.1358536521387682e-11,
                2.087570084197473e-09,
                -2.755731417929674e-07,
                2.4801587288851704e-05,
                -0.0013888888888873056,
                0.041666666666666595,
            ],
        );
        let half = simd.mul_f64s(simd.splat_f64s(0.5), z);
        simd.add_f64s(simd.sub_f64s(simd.splat_f64s(1.0), half), simd.mul_f64s(simd.mul_f64s(z, z), p))
    });
    let quarter: [u64; LANES] = std::array::from_fn(|l| shifted[l].to_bits() & 3);
    let sin = lanes!(l => {
        let size = if quarter[l] & 1 == 0 { s[l] } else { c[l] };
        if quarter[l] & 2 == 0 { size } else { -size }
    });
    let cos = lanes!(l => {
        let size = if quarter[l] & 1 == 0 { c[l] } else { s[l] };
        if (quarter[l] + 1) & 2 == 0 { size } else { -size }
    });
    let sinc = vectors!(S, sin, t, |sin, t| {
        let near = simd
            .sub_f64s(simd.splat_f64s(1.0), simd.mul_f64s(simd.mul_f64s(t, t), simd.splat_f64s(1.0 / 6.0)));
        simd.select_f64s(simd.less_than_f64s(t, simd.splat_f64s(1e-4)), near, simd.div_f64s(sin, t))
    });
    (cos, sinc)
}

/// ln 2 in two parts, the first with zeros at the end.
const LN_2: [f64; 2] = [0.693_147_180_369_123_8, 1.908_214_929_270_587_7e-10];

/// eˣ for |x| ≤ 700: the Taylor polynomial of degree 13 within half of ln 2.
#[inline(always)]
pub(in crate::manifold) fn exp<S: Simd>(simd: S, x: &Lane) -> Lane {
    let shifted = vectors!(S, x, x, |x, _| {
        simd.add_f64s(simd.mul_f64s(x, simd.splat_f64s(std::f64::consts::LOG2_E)), simd.splat_f64s(ROUND))
    });
    let power = lanes!(l => f64::from_bits(shifted[l].to_bits().wrapping_add(1023) << 52));
    let sum = vectors!(S, x, shifted, |x, shifted| {
        let k = simd.sub_f64s(shifted, simd.splat_f64s(ROUND));
        let mut r = x;
        for part in LN_2 {
            r = simd.sub_f64s(r, simd.mul_f64s(k, simd.splat_f64s(part)));
        }
        polynomial(
            simd,
            r,
            [
                1.0 / 6_227_020_800.0,
                1.0 / 479_001_600.0,
                1.0 / 39_916_800.0,
                1.0 / 3_628_800.0,
                1.0 / 362_880.0,
                1.0 / 40_320.0,
                1.0 / 5_040.0,
                1.0 / 720.0,
                1.0 / 120.0,
                1.0 / 24.0,
                1.0 / 6.0,
                0.5,
                1.0,
                1.0,
            ],
        )
    });
    vectors!(S, sum, power, |sum, power| simd.mul_f64s(sum, power))
}

/// sinh t / t and cosh t for 0 ≤ t ≤ 700.
#[inline(always)]
pub(in crate::manifold) fn sinhc_and_cosh<S: Simd>(simd: S, t: &Lane) -> (Lane, Lane) {
    let e = exp(simd, t);
    let half = simd.splat_f64s(0.5);
    let one = simd.splat_f64s(1.0);
    let cosh = vectors!(S, e, e, |e, _| simd.mul_f64s(half, simd.add_f64s(e, simd.div_f64s(one, e))));
    let sinhc = vectors!(S, e, t, |e, t| {
        let z = simd.mul_f64s(t, t);
        // To z⁹/19!, 8e-18 of the sum at t = 1.
        let mut series = one;
        for k in [342.0, 272.0, 210.0, 156.0, 110.0, 72.0, 42.0, 20.0, 6.0_f64] {
            series = simd.add_f64s(one, simd.mul_f64s(simd.mul_f64s(z, simd.splat_f64s(k.recip())), series));
        }
        let far = simd.div_f64s(simd.mul_f64s(half, simd.sub_f64s(e, simd.div_f64s(one, e))), t);
        simd.select_f64s(simd.less_than_f64s(t, one), series, far)
    });
    (sinhc, cosh)
}

/// ln x for normal x > 0: the polynomial of FreeBSD's e_log.c (Sun Microsystems 1993).
#[inline(always)]
pub(in crate::manifold) fn ln<S: Simd>(simd: S, x: &Lane) -> Lane {
    const LEAST: u64 = 0x3fe6_a09e_667f_3bcd;
    // x = 2ᵏ m with √½ ≤ m < √2; the exponent becomes a number by its place in the digits of 2⁵².
    let bits: [u64; LANES] =
        std::array::from_fn(|l| x[l].to_bits().wrapping_add(0x3ff0_0000_0000_0000 - LEAST));
    let f = lanes!(l => f64::from_bits((bits[l] & 0x000f_ffff_ffff_ffff).wrapping_add(LEAST)) - 1.0);
    let k = lanes!(l => f64::from_bits((bits[l] >> 52) | 0x4330_0000_0000_0000) - (4_503_599_627_370_496.0 + 1023.0));
    vectors!(S, f, k, |f, k| {
        let s = simd.div_f64s(f, simd.add_f64s(simd.splat_f64s(2.0), f));
        let z = simd.mul_f64s(s, s);
        let r = simd.mul_f64s(
            z,
            polynomial(
                simd,
                z,
                [
                    0.14798198605116586,
                    0.15313837699209373,
                    0.1818357216161805,
                    0.22222198432149784,
                    0.2857142874366239,
                    0.3999999999940942,
                    0.6666666666666735,
                ],
            ),
        );
        let half = simd.mul_f64s(simd.mul_f64s(simd.splat_f64s(0.5), f), f);
        let low = simd.mul_f64s(k, simd.splat_f64s(LN_2[1]));
        let rest = simd.add_f64s(simd.mul_f64s(s, simd.add_f64s(half, r)), low);
        let high = simd.mul_f64s(k, simd.splat_f64s(LN_2[0]));
        simd.sub_f64s(high, simd.sub_f64s(simd.sub_f64s(half, rest), f))
    })
}

/// ln(1 + x) for x > −1 to the last digits of small x: of 1 + x as rounded, and what rounding took (Goldberg 1991, theorem 4).
#[inline(always)]
pub(in crate::manifold) fn ln_1p<S: Simd>(simd: S, x: &Lane) -> Lane {
    let one = simd.splat_f64s(1.0);
    let u = vectors!(S, x, x, |x, _| simd.add_f64s(one, x));
    let taken = vectors!(S, x, u, |x, u| simd.div_f64s(simd.sub_f64s(x, simd.sub_f64s(u, one)), u));
    vectors!(S, ln(simd, &u), taken, |ln, taken| simd.add_f64s(ln, taken))
}

/// asinh x for 0 ≤ x ≤ 1e150.
#[inline(always)]
pub(in crate::manifold) fn asinh<S: Simd>(simd: S, x: &Lane) -> Lane {
    let one = simd.splat_f64s(1.0);
    let y = vectors!(S, x, x, |x, _| {
        let square = simd.mul_f64s(x, x);
        let root = simd.sqrt_f64s(simd.add_f64s(one, square));
        simd.add_f64s(x, simd.div_f64s(square, simd.add_f64s(one, root)))
    });
    ln_1p(simd, &y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pulp::Scalar;

    const S: Scalar = Scalar;

    /// The largest error of a function against the standard library's, relative.
    fn error(range: (f64, f64), ours: impl Fn(&Lane) -> Lane, theirs: impl Fn(f64) -> f64) -> f64 {
        let mut worst = 0.0_f64;
        for step in 0..20_000 {
            let share = f64::from(step) / 20_000.0;
            // Half of them evenly, half of them over many magnitudes.
            let x = if step % 2 == 0 {
                range.0 + share * (range.1 - range.0)
            } else {
                range.1 * 10f64.powf(-18.0 * share)
            };
            let (found, expected) = (ours(&[x; LANES])[3], theirs(x));
            worst = worst.max((found - expected).abs() / expected.abs().max(1e-300));
        }
        worst
    }

    #[test]
    fn they_are_those_of_the_library() {
        for x in [1.0, 0.3, 1e-9] {
            assert!(error((0.0, 3.0), |y| angle(S, y, &[x; LANES]), |y| y.atan2(x)) < 4e-16);
            assert!(error((0.0, 3.0), |y| angle(S, &[x; LANES], y), |y| x.atan2(y)) < 4e-16);
        }
        assert_eq!(angle(S, &[0.0; LANES], &[0.0; LANES]), [std::f64::consts::FRAC_PI_2; LANES]);
        assert!(
            error(
                (0.0, 30.0),
                |t| cos_and_sinc(S, t).1.map(|s| s + 2.0),
                |t| 2.0 + if t < 1e-9 { 1.0 } else { t.sin() / t }
            ) < 4e-16
        );
        assert!(
            error((0.0, LARGEST_ANGLE), |t| cos_and_sinc(S, t).0.map(|c| c + 2.0), |t| 2.0 + t.cos()) < 1e-15
        );
        assert!(error((-700.0, 700.0), |x| exp(S, x), f64::exp) < 8e-16);
        assert!(error((0.0, 700.0), |t| sinhc_and_cosh(S, t).1, f64::cosh) < 8e-16);
        assert!(
            error((0.0, 30.0), |t| sinhc_and_cosh(S, t).0, |t| if t < 1e-9 { 1.0 } else { t.sinh() / t })
                < 8e-16
        );
        assert!(error((1e-300, 1e300), |x| ln(S, x), f64::ln) < 4e-16);
        assert!(error((0.5, 1.6), |x| ln(S, x), f64::ln) < 4e-16);
        assert!(error((-0.6, 5.0), |x| ln_1p(S, x), f64::ln_1p) < 8e-16);
        assert!(error((0.0, 1e9), |x| asinh(S, x), crate::numeric::elementary::asinh) < 8e-16);
    }
}
