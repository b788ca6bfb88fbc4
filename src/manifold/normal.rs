//! Standard normal numbers in bulk.

use rand::Rng;
use rand_distr::{Distribution, StandardNormal};

/// Fills `out` with independent standard normal numbers.
pub fn fill_standard_normal<R: Rng + ?Sized>(rng: &mut R, out: &mut [f64]) {
    out.iter_mut().for_each(|x| *x = StandardNormal.sample(rng));
}
