//! Noise in shares: each of several parties adds a part of it, and enough of them make the whole.

use super::clipped_moments::Scales;
use super::exact_normal::rounded_normal;
use super::integer_clip::IntegerClip;
use super::lattice::Lattice;
use super::products::{Products, upper_half};
use super::vectors::describe;
use super::{IncompleteMean, NoiseDescription, NoiseError, NoiseSource, NoisedMoments, NoisedSecond};
use crate::privacy::rounding::{div_up, mul_up, sqrt_up};
use crate::privacy::{Charge, Mu, PrivacyLoss};

/// Binary digits of the step: 2²² to 2²³ steps to the clip radius. Sums then fit into 32 to 40 bits; rounding costs √d/2 of them,
/// a hundred-thousandth for 5520 coordinates.
const DIGITS: i32 = 22;
/// Below so many steps in a share the proof of [`SharedNoise`] does not hold.
const LEAST: u64 = 1 << 16;
/// A share is kept within so many of its standard deviations: beyond lies a mass of 2·exp(−800).
const REACH: u64 = 40;
/// Parties at most.
pub const SITES_MOST: usize = 1000;
/// What the sampler is called.
const SAMPLER: &str = "shares of exact normals (Karney 2016), each rounded";

mod sum;

pub use sum::SharedSum;

/// A sum of clipped vectors, of the products of their coordinates, or of both, that are spread over several parties, and noise for it of which
/// each party draws a share: μ-GDP under replacement of one record as soon as `honest` of the shares are in, added to and unknown to whoever
/// looks.
///
#[doc = include_str!("shared/shares.md")]
#[derive(Debug, Clone, PartialEq)]
pub struct SharedNoise {
    clip: IntegerClip,
    /// Where products of coordinates are added up too.
    moments: Option<Multiplied>,
    /// Sums of disjoint sets of records, one after the other.
    blocks: usize,
    mu: Mu,
    honest: u64,
}

/// Products of all pairs of the first so many coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Multiplied {
    scales: Scales,
    first: usize,
    /// Whether the vectors themselves are not added up.
    alone: bool,
}

impl SharedNoise {
    /// For vectors of `dim` coordinates clipped to `radius`, released at `mu` once `honest` shares are in.
    ///
    /// # Errors
    /// [`NoiseError::OutOfScale`] for extreme radii, for no honest share or more than [`SITES_MOST`], and for a μ so large that a share of
    /// noise would be too small for the lattice; [`NoiseError::Empty`] for no coordinates.
    pub fn new(dim: usize, radius: f64, mu: Mu, honest: u64) -> Result<Self, NoiseError> {
        let root = root_of(honest)?;
        let clip = IntegerClip::coarse(dim, radius, DIGITS, |bound| {
            div_up(div_up(2.0 * bound as f64, mu.get()), root)
        })?;
        Self { clip, moments: None, blocks: 1, mu, honest }.checked()
    }

    /// For vectors of `dim` coordinates clipped to `radius` and the products of all pairs of their coordinates; `ratio` as in
    /// [`super::ClippedMoments::new`].
    ///
    /// # Errors
    /// As [`Self::new`]; [`NoiseError::OutOfScale`] for a ratio out of (0, 2].
    pub fn moments(dim: usize, radius: f64, mu: Mu, honest: u64, ratio: f64) -> Result<Self, NoiseError> {
        Self::in_groups(1, (dim, dim), radius, mu, honest, ratio)
    }

    /// For the products of all pairs of coordinates of vectors of `dim` coordinates clipped to `radius`, without the vectors themselves, as in
    /// [`super::ClippedSecond`].
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn second(dim: usize, radius: f64, mu: Mu, honest: u64) -> Result<Self, NoiseError> {
        let clip = IntegerClip::coarse(dim, radius, DIGITS, |_| 1.0)?;
        let products = Products::coarse(&clip, dim, loss_of(mu, honest)?, 0.0)?;
        // Nothing is noised on the vectors' lattice.
        let scales = Scales { mean: products.diagonal, products };
        Self { clip, moments: Some(Multiplied { scales, first: dim, alone: true }), blocks: 1, mu, honest }
            .checked()
    }

    /// For `groups` sums one after the other, of vectors of `dim` coordinates and of the products of all pairs of the `first` ones of these
    /// (`(dim, first)`); every record is in one of the groups, which is public.
    ///
    /// # Errors
    /// As [`Self::moments`]; [`NoiseError::OutOfScale`] for no groups, no or too many first coordinates.
    pub fn in_groups(
        groups: usize,
        (dim, first): (usize, usize),
        radius: f64,
        mu: Mu,
        honest: u64,
        ratio: f64,
    ) -> Result<Self, NoiseError> {
        let proper = groups > 0 && dim > 0 && (1..=dim).contains(&first);
        if dim > 0 && !(proper && ratio > 0.0 && ratio <= super::ClippedMoments::FREE) {
            return Err(NoiseError::OutOfScale);
        }
        let clip = IntegerClip::coarse(dim, radius, DIGITS, |_| 1.0)?;
        let scales = Scales::coarse(&clip, first, loss_of(mu, honest)?, ratio)?;
        let moments = Some(Multiplied { scales, first, alone: false });
        Self { clip, moments, blocks: groups, mu, honest }.checked()
    }

    fn checked(self) -> Result<Self, NoiseError> {
        if self.lattices().any(|lattice| lattice.multiplier() < LEAST) {
            return Err(NoiseError::OutOfScale);
        }
        Ok(self)
    }

    /// What every entry of the sum is noised on.
    fn lattices(&self) -> impl Iterator<Item = &Lattice> {
        let dim = self.vectors();
        let vectors = self.moments.as_ref().map_or(self.clip.lattice(), |of| &of.scales.mean);
        let block = move || {
            let products = self.moments.iter().flat_map(|of| of.scales.products.lattices(of.first));
            std::iter::repeat_n(vectors, dim).chain(products)
        };
        (0..self.blocks).flat_map(move |_| block())
    }

    /// Entries of the sum.
    pub fn dimension(&self) -> usize {
        self.blocks * self.block()
    }

    /// Entries of one group's.
    fn block(&self) -> usize {
        self.vectors() + self.moments.map_or(0, |of| upper_half(of.first))
    }

    /// Entries of the vectors themselves.
    fn vectors(&self) -> usize {
        if self.moments.is_some_and(|of| of.alone) { 0 } else { self.clip.dimension() }
    }

    /// Groups.
    pub fn groups(&self) -> usize {
        self.blocks
    }

    /// How vectors are clipped and rounded.
    pub fn clip(&self) -> &IntegerClip {
        &self.clip
    }

    /// What a release of the sum costs.
    pub fn loss(&self) -> PrivacyLoss {
        PrivacyLoss::Gaussian(self.mu)
    }

    /// How many shares make the whole.
    pub fn honest(&self) -> u64 {
        self.honest
    }

    /// An empty sum of n vectors of one party, all in one group. Its steps are secret until noise is added or they are shared out.
    pub fn sum(&self, n: u64) -> SharedSum {
        match &self.moments {
            None => SharedSum::vectors(&self.clip, n),
            Some(of) if of.alone => SharedSum::products(&self.clip, of.scales.products.shift, n),
            Some(of) => SharedSum::moments(&self.clip, of.first, of.scales.products.shift, n),
        }
    }

    /// One party's sum with its share of the noise, in steps. Alone it is as private as one share makes it, μ√K′: it is to be handed on so that
    /// only the sum of all parties' can be read.
    ///
    /// # Errors
    /// As [`Self::share`]; [`NoiseError::Incomplete`] for an incomplete sum or one of other settings.
    pub fn masked(
        &self,
        sum: &SharedSum,
        noise: &mut NoiseSource,
        paid: &Charge,
    ) -> Result<Vec<i128>, NoiseError> {
        let steps = self.bare(sum, paid)?;
        Ok(self.share(noise, paid)?.into_iter().zip(steps).map(|(share, k)| k + share).collect())
    }

    /// One party's sum *without noise*, in steps, where those who add the parties' sums up add the noise too: until then nobody may be able to
    /// read it. Paid for all the same.
    ///
    /// # Errors
    /// As [`Self::masked`].
    pub fn bare(&self, sum: &SharedSum, paid: &Charge) -> Result<Vec<i128>, NoiseError> {
        paid.check(self.loss())?;
        sum.check_complete()?;
        if !sum.fits(self.blocks, &self.sum(0)) {
            return Err(IncompleteMean::Mismatch.into());
        }
        Ok(sum.steps())
    }

    /// No entry of the sum of n vectors with one share of noise is farther from 0: n times the largest entry of one vector (B; of products
    /// B²/2^t), and 40M steps.
    pub fn range(&self, n: u64) -> u128 {
        let products = self.moments.map_or(0, |of| of.scales.products.bound(&self.clip));
        let reach = self.lattices().map(reach_of).max().unwrap_or_default();
        u128::from(n) * products.max(u128::from(self.clip.bound())) + reach as u128
    }

    /// One share: a rounded normal in every coordinate, in steps.
    ///
    /// # Errors
    /// [`NoiseError::Charge`] when `paid` does not cover the release of the sum; nothing has been drawn then.
    pub fn share(&self, noise: &mut NoiseSource, paid: &Charge) -> Result<Vec<i128>, NoiseError> {
        paid.check(self.loss())?;
        let mut one = |lattice: &Lattice| {
            let reach = reach_of(lattice);
            rounded_normal(lattice.multiplier(), &mut noise.rng).clamp(-reach, reach)
        };
        Ok(self.lattices().map(&mut one).collect())
    }

    /// The standard deviation that so many shares have together in one coordinate of the vectors, or on the diagonal of products alone; not below
    /// it, and above by the rounding to whole steps only.
    pub fn sigma(&self, shares: u64) -> f64 {
        mul_up(self.scale(), sqrt_up(shares as f64))
    }

    /// Of one share on the vectors' coordinates, or on the diagonal of products alone.
    fn scale(&self) -> f64 {
        self.moments.map_or(self.clip.scale(), |of| of.scales.mean.scale())
    }

    /// How far one record can move the sum, in coordinates in which all noise is that of [`Self::sigma`]: 2B steps, and with products μ√K′ times
    /// a share's noise.
    pub fn sensitivity(&self) -> f64 {
        match &self.moments {
            None => self.clip.sensitivity(),
            Some(_) => mul_up(mul_up(self.scale(), sqrt_up(self.honest as f64)), self.mu.get()).next_up(),
        }
    }

    /// Mean and second moment of every group, from its sum over so many vectors divided by their number, with so many shares in it; `None` for
    /// a sum without products, of another length or of other groups.
    pub fn noised_moments(&self, means: &[f64], shares: u64, sizes: &[u64]) -> Option<Vec<NoisedMoments>> {
        let fits = means.len() == self.dimension() && sizes.len() == self.blocks;
        let of = self.moments.filter(|of| fits && !of.alone)?;
        let dim = self.clip.dimension();
        let sigma = mul_up(of.scales.products.diagonal.scale(), sqrt_up(shares as f64));
        let one = |(means, n): (&[f64], &u64)| {
            let second = NoisedSecond {
                chosen: (0..of.first).collect(),
                entries: means[dim..].to_vec(),
                sigma: div_up(sigma, *n as f64),
                radius: self.clip.radius(),
            };
            let mean_sigma = div_up(self.sigma(shares), *n as f64);
            NoisedMoments { mean: means[..dim].to_vec(), mean_sigma, second }
        };
        Some(means.chunks_exact(self.block()).zip(sizes).map(one).collect())
    }

    /// The second moment, from a sum of products alone over n vectors divided by n, with so many shares in it; `None` for another sum.
    pub fn noised_second(&self, means: &[f64], shares: u64, n: u64) -> Option<NoisedSecond> {
        let of = self.moments.filter(|of| of.alone && means.len() == self.dimension())?;
        let sigma = div_up(self.sigma(shares), n as f64);
        let chosen = (0..of.first).collect();
        Some(NoisedSecond { chosen, entries: means.to_vec(), sigma, radius: self.clip.radius() })
    }

    /// Means of the sums of groups of these sizes, in the units of vectors and of products.
    pub fn means(&self, steps: &[i128], sizes: &[u64]) -> Vec<f64> {
        let each = sizes.iter().flat_map(|n| std::iter::repeat_n(*n as f64, self.block()));
        self.to_f64(steps).into_iter().zip(each).map(|(sum, n)| sum / n).collect()
    }

    /// Entries of a sum, from steps into the units of vectors and of products.
    pub fn to_f64(&self, steps: &[i128]) -> Vec<f64> {
        steps.iter().zip(self.lattices()).map(|(k, lattice)| lattice.to_f64(*k)).collect()
    }

    /// How a sum over n vectors was noised by so many shares.
    pub fn description(&self, shares: u64, n: u64) -> NoiseDescription {
        let lattice = self.moments.as_ref().map_or(self.clip.lattice(), |of| &of.scales.mean);
        let mut noise = describe("gaussian-shares", lattice, self.dimension(), SAMPLER);
        noise.scale = div_up(self.sigma(shares), n as f64);
        noise.step = noise.step.map(|step| step / n as f64);
        noise
    }
}

/// √K′, rounded down.
fn root_of(honest: u64) -> Result<f64, NoiseError> {
    if !(1..=SITES_MOST as u64).contains(&honest) {
        return Err(NoiseError::OutOfScale);
    }
    Ok((honest as f64).sqrt().next_down().max(1.0))
}

/// A loss of μ√K′ to each share, rounded down.
fn loss_of(mu: Mu, honest: u64) -> Result<f64, NoiseError> {
    Ok((mu.get() * root_of(honest)?).next_down())
}

/// Beyond so many steps no share is.
fn reach_of(lattice: &Lattice) -> i128 {
    i128::from(REACH) * i128::from(lattice.multiplier())
}

#[cfg(test)]
mod tests;
