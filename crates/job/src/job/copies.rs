//! Copies that are not alike to the last bit: one record converted, moved, turned, in other units, rounded, simplified.
//!
//! What is too near for two people is a public number for each kind of record, [`Kind::within`]. It was set on public populations (`faces_ict`,
//! `faces_simpop`, `landmarks2d`, `landmarks3d` of the project's data; docs/measurements.md has the distances) so that at most one study in a
//! thousand of 1000 different people is stopped.

use super::near::{Metric, near};
use std::borrow::Cow;
use visard_base::parallel;

/// What is compared, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Registered curves of unit area in the template's frame, by how far the two surfaces lie apart along their normals, after the best small
    /// motion and scale: the root mean square of the least 70 %. Along the surface copies slide by ten times as much.
    Faces,
    /// Configurations of landmarks, by the Riemannian distance of their shapes.
    Landmarks,
    /// Functions, matrices, points: numbers, by their relative distance. Copies up to rounding only.
    Numbers,
}

impl Kind {
    /// Nearer than this are copies. Public.
    pub const fn within(self) -> f64 {
        match self {
            // SIMPOP's faces vary in 9 directions, and of 1000 people of that law two are nearer than this once in 1000 studies (.9e-4 to 1.9e-4,
            // by the 10 to 100 nearest pairs); of ICT's, in 50 directions, 1e-3. On a face of 190 mm (root of its area) it is 0.02 mm. Twins, and two
            // scans of one person, differ by ten times that.
            Self::Faces => 1e-4,
            // The nearest two of 409 outlines of the corpus callosum are 6.4e-4 apart, and of their 80 nearest pairs the number grows with the 2.1th to
            // 2.7th power of the distance: once in 1000 studies of 1000 such people. Landmarks set by hand are 0.02 and more apart.
            Self::Landmarks => 2.5e-5,
            // Six digits.
            Self::Numbers => 1e-6,
        }
    }

    /// Records with fewer numbers than this are compared to the last bit only: that few may agree by chance.
    pub const fn least(self) -> usize {
        match self {
            Self::Faces => 90,
            Self::Landmarks => 12,
            Self::Numbers => 3,
        }
    }

    /// Nearer than this are closer than any two people of the public populations, and the data holder is told.
    const fn noted(self) -> f64 {
        match self {
            Self::Faces => 2e-4,
            Self::Landmarks => 5e-4,
            Self::Numbers => self.within(),
        }
    }

    /// Where copies are looked for, in the metric of the search.
    const fn reach(self) -> f64 {
        match self {
            // Heights over the template: of copies 2e-4 apart, of those with a quarter of the vertices 4e-4.
            Self::Faces => 1e-3,
            Self::Landmarks | Self::Numbers => self.noted(),
        }
    }

    /// What is known of the metric of the search.
    const fn metric(self) -> Metric {
        match self {
            Self::Faces => Metric::Euclidean,
            Self::Landmarks | Self::Numbers => Metric::Any,
        }
    }

    /// For certificates: that the rule was applied, and with which number.
    pub fn sentence(self) -> String {
        let what = match self {
            Self::Faces => "registered faces of unit area (along the normals, the nearest 70 %)",
            Self::Landmarks => "shapes (Riemannian distance)",
            Self::Numbers => "records (relative distance)",
        };
        format!(
            "{what} of {} numbers or more within {:e} of one another are copies",
            self.least(),
            self.within()
        )
    }
}

/// Pairs of records of different persons: secret.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Copies {
    /// Copies.
    pub found: Vec<(usize, usize)>,
    /// Nearer than two people should be: of too few numbers to tell, or not quite as near as copies are.
    pub noted: Vec<(usize, usize)>,
}

impl Copies {
    /// Among n records of so many numbers each: pairs that are near in the metric `dist` (see [`near`]) are measured by `measure`, which takes two
    /// records by their places.
    pub fn among<'a, R: Clone + Sync + Send + 'a>(
        kind: Kind,
        numbers: usize,
        n: usize,
        record: impl Fn(usize) -> Option<Cow<'a, R>> + Sync,
        dist: impl Fn(&R, &R) -> f64 + Sync,
        measure: impl Fn(usize, usize) -> f64 + Sync,
        apart: impl Fn(usize, usize) -> bool + Sync,
    ) -> Self {
        let pairs = near(n, kind.reach(), kind.metric(), record, dist, apart);
        let measured: Vec<f64> = parallel::map(pairs.len(), |k| measure(pairs[k].0, pairs[k].1));
        let enough = numbers >= kind.least();
        let told = if enough { kind.noted() } else { kind.within() };
        let mut copies = Self::default();
        for (pair, apart) in pairs.into_iter().zip(measured) {
            if enough && apart <= kind.within() {
                copies.found.push(pair);
            } else if apart <= told {
                copies.noted.push(pair);
            }
        }
        copies
    }
}

/// So many sums are kept of a record's numbers.
const SUMS: usize = 8;

/// A record's numbers in short: the logarithm of their norm, and sums with public signs of what they are over it. Two records that are copies up
/// to rounding agree in all; two others agree in none but by chance, since each sum differs by about as much as the records.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sketch([f64; SUMS + 1]);

impl Sketch {
    /// Of these numbers; none where they are few, all zero or not finite.
    pub fn of(numbers: &[f64]) -> Option<Self> {
        let largest = numbers.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        if numbers.len() < Kind::Numbers.least() || !(largest > 0.0 && largest.is_finite()) {
            return None;
        }
        let norm = numbers.iter().map(|x| (x / largest).powi(2)).sum::<f64>().sqrt();
        let mut sums = [0.0; SUMS + 1];
        for (i, x) in numbers.iter().enumerate() {
            let (u, signs) = (x / largest / norm, mixed(i as u64));
            (0..SUMS).for_each(|k| sums[k] += if signs >> k & 1 == 0 { u } else { -u });
        }
        sums[SUMS] = norm.ln() + largest.ln();
        Some(Self(sums)).filter(|sketch| sketch.0.iter().all(|x| x.is_finite()))
    }

    /// The largest difference: of copies about the relative distance.
    pub fn dist(&self, other: &Self) -> f64 {
        self.0.iter().zip(&other.0).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    }
}

/// The bits of a number, mixed (SplitMix64; Steele, Lea, Flood 2014).
fn mixed(i: u64) -> u64 {
    let z = i.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(n: usize) -> Vec<[f64; 3]> {
        let unit = |i: u64| (mixed(i) >> 11) as f64 / (1u64 << 53) as f64;
        (0..n as u64).map(|i| [unit(3 * i), unit(3 * i + 1), unit(3 * i + 2)]).collect()
    }

    #[test]
    fn sketches_agree_up_to_rounding_only() {
        let numbers: Vec<f64> = points(40).concat();
        let short =
            |digits: &dyn Fn(f64) -> f64| Sketch::of(&numbers.iter().map(|x| digits(*x)).collect::<Vec<_>>());
        let whole = Sketch::of(&numbers).unwrap();
        let within = Kind::Numbers.within();
        assert!(whole.dist(&short(&|x| f64::from(x as f32)).unwrap()) <= within);
        assert!(whole.dist(&short(&|x| (x * 1e7).round() / 1e7).unwrap()) <= within);
        // One number in 120 by a thousandth; another unit.
        let mut other = numbers.clone();
        other[7] += 1e-3;
        assert!(whole.dist(&Sketch::of(&other).unwrap()) > within);
        assert!(whole.dist(&short(&|x| x * 1.0001).unwrap()) > within);
        for none in [&[][..], &[1.0, 2.0], &[0.0; 9], &[1.0, f64::NAN, 1.0], &[f64::INFINITY; 5]] {
            assert_eq!(Sketch::of(none), None);
        }
    }
}
