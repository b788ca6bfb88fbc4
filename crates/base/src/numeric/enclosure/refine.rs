//! Decisions by enclosures that are narrowed until they agree.
//!
//! Let X be a random real whose digits are drawn when they are asked for and then belong to it, and `[X]_p` an enclosure of it made of those
//! that p bits need. Asking for p = 128, 256, … until the question has one answer on all of `[X]_p` gives the answer for X itself: the
//! outcome is a function of the digits alone, and how many of them are read changes nothing. Where ties have probability 0 it ends with
//! probability 1. (Digits drawn anew after an undecided question would change the law.)

use super::Interval;
use num_bigint::BigInt;

/// Bits to begin with.
#[doc(hidden)]
pub const FIRST: u32 = 128;

/// Asks with more and more bits until there is an answer. `None` stands for "not decided yet".
#[doc(hidden)]
pub fn until_decided<T>(first: u32, mut ask: impl FnMut(u32) -> Option<T>) -> T {
    let mut bits = first;
    loop {
        if let Some(answer) = ask(bits) {
            return answer;
        }
        bits = bits.saturating_mul(2);
    }
}

/// Whether a real number is positive, from enclosures of it.
#[doc(hidden)]
pub fn decide(mut enclose: impl FnMut(u32) -> Option<Interval>) -> bool {
    until_decided(FIRST, |bits| {
        let x = enclose(bits)?;
        if x.is_positive() {
            Some(true)
        } else if x.is_negative() {
            Some(false)
        } else {
            None
        }
    })
}

/// The point of the grid 2^e ℤⁿ nearest to a real vector, from enclosures of its coordinates: integers, in steps of 2^e.
#[doc(hidden)]
pub fn to_grid(
    first: u32,
    exponent: i32,
    mut enclose: impl FnMut(u32) -> Option<Vec<Interval>>,
) -> Vec<BigInt> {
    until_decided(first, |bits| enclose(bits)?.iter().map(|x| x.nearest(exponent)).collect())
}
