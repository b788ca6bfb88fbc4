//! Planes one behind the other, at even distances.

use crate::io::Fault;

/// A plane may lie so much of the distance between two from its place.
const OFF: f64 = 0.05;
/// The most empty slices between planes: more than a body has at 0.5 mm, and no memory for what a damaged number asks.
const EMPTY: usize = 4096;

/// Where planes lie among evenly spaced ones.
#[derive(Debug, PartialEq)]
pub(super) struct Stack {
    /// The number of each, from 0.
    pub numbers: Vec<usize>,
    /// How many there are, with those that are missing.
    pub slices: usize,
    /// The distance between two; 1 if there is one.
    pub step: f64,
    /// How many are there.
    pub found: usize,
}

impl Stack {
    /// Of planes at these distances along their normal. Those nearer than `close` are one. `told`: the distance between planes as the file tells
    /// it, which is taken if it fits; else the smallest that is found.
    ///
    /// # Errors
    /// Distances that are no multiples of one.
    pub fn of(along: &[f64], close: f64, told: Option<f64>) -> Result<Self, Fault> {
        let mut sorted = along.to_vec();
        sorted.sort_by(f64::total_cmp);
        sorted.dedup_by(|b, a| *b - *a < close);
        let gaps: Vec<f64> = sorted.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let least = gaps.iter().copied().min_by(f64::total_cmp);
        let Some(least) = least else {
            return Ok(Self {
                numbers: vec![0; along.len()],
                slices: 1,
                step: told.unwrap_or(1.0),
                found: 1,
            });
        };
        let fits = |step: f64| {
            let whole = gaps.iter().map(|gap| (gap / step).round());
            let slices = 1.0 + whole.clone().sum::<f64>();
            if slices > (sorted.len() + EMPTY) as f64 || whole.clone().any(|n| n < 1.0) {
                return None;
            }
            let step = (sorted[sorted.len() - 1] - sorted[0]) / (slices - 1.0);
            let mut place = 0.0;
            let mut even = whole.zip(&sorted[1..]).map(|(n, at)| {
                place += n;
                (at - sorted[0] - place * step).abs() <= OFF * step
            });
            even.all(|even| even).then_some((step, slices as usize))
        };
        let Some((step, slices)) = told.and_then(fits).or_else(|| fits(least)) else {
            return Err(Fault::Malformed(
                "has slices at uneven distances (or thousands apart); resample it to even ones",
            ));
        };
        let number = |at: &f64| ((at - sorted[0]) / step).round().clamp(0.0, (slices - 1) as f64) as usize;
        Ok(Self { numbers: along.iter().map(number).collect(), slices, step, found: sorted.len() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_are_numbered_and_uneven_ones_refused() {
        let of = |along: &[f64], told| Stack::of(along, 0.01, told);
        let found = of(&[7.5, 2.5, 5.0, 2.5001], None).unwrap();
        assert_eq!((found.numbers, found.slices, found.found), (vec![2, 0, 1, 0], 3, 3));
        // Planes 3 to 7 are missing.
        let found = of(&[0.0, 2.5, 5.0, 20.0], None).unwrap();
        assert_eq!((found.numbers, found.slices, found.found), (vec![0, 1, 2, 8], 9, 4));
        // What the file tells is taken where it fits.
        assert_eq!(of(&[0.0, 2.0, 5.0], Some(1.0)).unwrap().numbers, [0, 2, 5]);
        assert_eq!(of(&[0.0, 2.0, 4.0], Some(3.0)).unwrap().numbers, [0, 1, 2]);
        // Places rounded to a hundredth.
        assert_eq!(of(&[0.0, 0.63, 1.25, 1.88, 2.5], Some(0.625)).unwrap().slices, 5);
        for (along, told) in [
            (&[0.0, 2.0, 5.0][..], None),
            (&[0.0, 1.0, 1e9], None),
            (&[0.0, 1.0, 2.4], Some(-1.0)),
            (&[0.0, 1.0, 2.4], Some(1e-12)),
        ] {
            assert!(of(along, told).unwrap_err().to_string().contains("uneven"), "{along:?}");
        }
        assert_eq!(of(&[3.0, 3.0], Some(2.0)).unwrap().step, 2.0);
    }
}
