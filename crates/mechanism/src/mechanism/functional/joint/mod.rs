//! The joint mechanism: all curves and coordinates of a record as one vector, centred, clipped once.

mod best_of;
mod worst_case;

pub use worst_case::ENTRY;

use super::records::{Given, add_up};
use super::{
    Estimate, FunctionRecords, NoisedFunction, NoisedSize, Norm, PublicPrior, SizeCoordinate, clip_factor,
    noised_part,
};
use crate::estimate::prior::spectrum;
use crate::function::shrink::{self, Expectation, Shrunk};
use crate::function::{Basis, Domain};
use crate::mechanism::{MechanismError, UnseenShares, unseen};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{
    Charge, ClipRadius, ClippedMean, ClippedSum, Drawn, Mechanism, Mu, Price, PrivacyLoss, Title,
};
use std::sync::Arc;

const TITLE: Title = Title {
    name: "joint functional Gaussian mechanism",
    sentence: "Every record's deviation from a public template is taken as one vector and shortened to the clip radius where it is \
               longer; the vectors are averaged, normal noise is added to every coefficient of the average, and what is mostly noise is \
               shrunk towards the template.",
};

/// The squared deviation that a mean is expected to have, as a share of the squared root-mean-square radius: radii must hold single
/// records, whose differences average out. A weak expectation, for shrinkage only.
const EXPECTED_SHARE: f64 = 0.01;

/// Standard deviation of its logarithm.
const EXPECTED_DOUBT: f64 = 1.6;

/// What is done to the noised coefficients; all of it is free.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Smoothing {
    /// Nothing.
    None,
    /// Empirical-Bayes and James–Stein shrinkage by frequency, tuned on the noised coefficients themselves.
    #[default]
    Shrink,
}

/// The mean of functions under one Gaussian mechanism.
///
#[doc = include_str!("proof.md")]
#[derive(Debug, Clone)]
pub struct FunctionalMean {
    price: Price,
    mean: ClippedMean,
    basis: Basis,
    centre: Vec<f64>,
    norm: Norm,
    /// √a_j of every coefficient.
    roots: Vec<f64>,
    smoothing: Smoothing,
    /// The squared norm that the mean's deviation is expected to have.
    expected: Expectation,
    /// The size, as one more coordinate.
    size: Option<SizeCoordinate>,
    /// Whether the records that are not seen are counted, by two more.
    counts_unseen: bool,
    /// What noised coordinates are multiplied by: how much longer records are than what was left of them.
    lengthened: f64,
    /// What is known of public people, where something is.
    known: Option<Arc<PublicPrior>>,
}

impl FunctionalMean {
    /// A mean of n functions on `domain` with values in ℝ^channels, around the public `centre` (its samples,
    /// `(points, channels)` in C order).
    ///
    /// # Errors
    /// [`MechanismError`] when centre and domain do not fit, or n = 0.
    pub fn new(
        domain: Domain,
        channels: usize,
        centre: Vec<f64>,
        clip: ClipRadius,
        mu: Mu,
        n: u64,
    ) -> Result<Self, MechanismError> {
        Self::in_norm(Norm::White, Basis::new(domain, channels), centre, clip, mu, n)
    }

    /// The same with records clipped in another norm, on a basis that may know a mirror ([`Basis::with_mirror`]: shrinkage, and the
    /// norm, then expect little of antisymmetric parts; records need not be symmetric). `centre` is public or already released.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn in_norm(
        norm: Norm,
        basis: Basis,
        centre: Vec<f64>,
        clip: ClipRadius,
        mu: Mu,
        n: u64,
    ) -> Result<Self, MechanismError> {
        if centre.len() != basis.len() || centre.is_empty() {
            return Err(MechanismError::Shape("the public centre does not have the shape of the records"));
        }
        let mean = ClippedMean::new(basis.len(), n, clip, mu)?;
        let what = format!("mean deviation from the centre, {}", norm.sentence());
        let price = mean.price_as(TITLE, PrivacyLoss::Gaussian(mu), &what)?;
        let roots = (0..basis.len()).map(|j| norm.weight(&basis.place(j)).sqrt()).collect();
        let expected = Expectation { energy: EXPECTED_SHARE * clip.get().powi(2), doubt: EXPECTED_DOUBT };
        Ok(Self {
            price,
            mean,
            basis,
            centre,
            norm,
            roots,
            smoothing: Smoothing::Shrink,
            expected,
            size: None,
            counts_unseen: false,
            lengthened: 1.0,
            known: None,
        })
    }

    /// What is done after the noise.
    pub fn with_smoothing(mut self, smoothing: Smoothing) -> Self {
        self.smoothing = smoothing;
        self
    }

    /// For shrinkage: about what mean square deviation from the centre to expect, from public numbers or released ones.
    pub fn expecting(mut self, expected: Expectation) -> Self {
        self.expected = expected;
        self
    }

    /// With the mean logarithm of the records' sizes ([`FunctionRecords::log_size`]) as one more coordinate of the same clipped vector; the
    /// radius grows a little, so that the function keeps what it had.
    ///
    /// # Errors
    /// [`MechanismError`] for a radius out of range.
    pub fn with_size(mut self, size: SizeCoordinate) -> Result<Self, MechanismError> {
        let clip = self.mean.radius();
        let clip = ClipRadius::new(SizeCoordinate::widened(clip.get()), clip.source())?;
        self.size = Some(size);
        self.measuring("the mean logarithm of sizes", clip)
    }

    /// With the share of the records that cannot be used, and the mean root of the others' shares that were filled in ([`FunctionRecords::filled`]), as two more
    /// coordinates of the same clipped vector ([`NoisedFunction::unseen`]): a record that cannot be used counts in one of them only, so neither
    /// sensitivity nor noise grows. What they draw the mean by is then among its expected errors.
    ///
    /// # Errors
    /// [`MechanismError`] for a radius out of range.
    pub fn counting_unseen(mut self) -> Result<Self, MechanismError> {
        self.counts_unseen = true;
        let clip = self.mean.radius();
        self.measuring(unseen::WHAT, clip)
    }

    /// The same with all coordinates that were asked for, `what` the last of them.
    fn measuring(mut self, what: &str, clip: ClipRadius) -> Result<Self, MechanismError> {
        let PrivacyLoss::Gaussian(mu) = self.price.loss else {
            return Err(MechanismError::Shape("a mean of functions has a Gaussian loss"));
        };
        let unseen = if self.counts_unseen { unseen::COORDINATES } else { 0 };
        let dimension = self.basis.len() + usize::from(self.size.is_some()) + unseen;
        self.mean = ClippedMean::new(dimension, self.price.n, clip, mu)?;
        let what = format!("{}; and {what}", self.price.statistic);
        self.price = self.mean.price_as(TITLE, self.price.loss, &what)?;
        Ok(self)
    }

    /// For shrinkage: what is known of public people, in the coordinates of this basis and norm. Public; a wrong one costs accuracy only.
    pub fn knowing(mut self, known: Option<Arc<PublicPrior>>) -> Self {
        self.known = known;
        self
    }

    /// Of records whose clip left one part in `times` of them on average, by public or released numbers: noised coordinates, and their noise, are multiplied by
    /// that before they are shrunk. Free.
    pub(super) fn lengthening(mut self, times: f64) -> Self {
        self.lengthened = times;
        self
    }

    /// The clip's norm.
    pub fn norm(&self) -> Norm {
        self.norm
    }

    /// How far unit-area faces may lie from the centre, root mean square, by the clip; `None` where the mean is not shrunk towards that.
    pub(super) fn shrunk_within(&self) -> Option<f64> {
        let scale = self.mean.radius().get() / self.norm.face_radius();
        (self.smoothing == Smoothing::Shrink).then(|| scale * Norm::White.face_radius())
    }

    /// All coordinates of a record, its size among them; `None` for a failed one of which nothing else is asked.
    pub(super) fn vector(&self, given: &Given<'_>) -> Option<Vec<f64>> {
        let own = given.samples.map(|samples| self.coordinates(samples));
        if self.size.is_none() && !self.counts_unseen {
            return own;
        }
        let mut u = own.unwrap_or_else(|| vec![0.0; self.basis.len()]);
        u.extend(self.size.iter().map(|size| size.of(given.log_size)));
        if self.counts_unseen {
            u.extend(unseen::coordinates(given.samples.is_some(), given.filled, self.mean.radius().get()));
        }
        Some(u)
    }

    /// Takes what is no function's off noised coordinates: size and unseen shares.
    pub(super) fn split(
        &self,
        noised: &mut Vec<f64>,
        sigma: f64,
    ) -> (Option<NoisedSize>, Option<UnseenShares>) {
        let mut more = noised.split_off(self.basis.len().min(noised.len())).into_iter();
        let longer = self.lengthened;
        let size =
            self.size.as_ref().and_then(|size| Some(size.finish(longer * more.next()?, longer * sigma)));
        let radius = self.mean.radius().get();
        let shares = |noised| UnseenShares::of(noised, sigma, radius);
        (size, more.next().zip(more.next()).map(|(unusable, filled)| shares([unusable, filled])))
    }

    /// How many coordinates a record's vector has.
    pub(super) fn dimension(&self) -> usize {
        self.mean.dimension()
    }

    /// The samples of the centre.
    pub(super) fn centre(&self) -> &[f64] {
        &self.centre
    }

    /// What parts of records that were not seen are filled in from.
    pub(super) fn template(&self) -> &[f64] {
        let elsewhere = self.known.as_ref().and_then(|known| known.elsewhere.as_ref());
        elsewhere.map_or(&self.centre, |(template, _)| template)
    }

    /// The variances that a record's coordinates are expected to have, up to scale: public.
    pub(super) fn spectrum(&self) -> Vec<f64> {
        let one = |(j, root): (usize, &f64)| spectrum(&self.basis.place(j)) * root * root;
        self.roots.iter().enumerate().map(one).collect()
    }

    /// Where functions are analysed.
    pub(super) fn basis(&self) -> &Basis {
        &self.basis
    }

    /// The clip radius.
    pub(super) fn clip_radius(&self) -> ClipRadius {
        self.mean.radius()
    }

    /// The coordinates √a_j x_j of one function's deviation from the centre, before it is clipped.
    pub fn coordinates(&self, samples: &[f64]) -> Vec<f64> {
        let deviation: Vec<f64> = samples.iter().zip(&self.centre).map(|(x, c)| x - c).collect();
        let mut u = self.basis.analyse(&deviation);
        u.iter_mut().zip(&self.roots).for_each(|(u, root)| *u *= root);
        u
    }

    /// What is clipped and averaged.
    pub(super) fn clipped(&self) -> &ClippedMean {
        &self.mean
    }

    /// The clipped records' sum: secret.
    pub(super) fn sum(&self, records: &dyn FunctionRecords) -> Result<ClippedSum, MechanismError> {
        add_up(|| self.mean.sum(), records, self.centre.len(), |given| self.vector(given))
    }

    /// Post-processing: samples from noised coordinates whose noise had standard deviation `sigma`.
    pub fn finish(&self, noised: &[f64], sigma: f64) -> Estimate {
        let longer: Vec<f64> = noised.iter().map(|u| self.lengthened * u).collect();
        let (noised, sigma) = (&longer[..], self.lengthened * sigma);
        if let (Some(known), Smoothing::Shrink) = (&self.known, self.smoothing) {
            return self.best_of(known, noised, sigma);
        }
        self.finish_uneven(noised, &|_| sigma)
    }

    /// The same without what is known of public people, for noise that differs between coordinates.
    pub(super) fn finish_uneven(&self, noised: &[f64], sigma: &dyn Fn(usize) -> f64) -> Estimate {
        let shrunk = self.fitted(noised, sigma, self.expected);
        let mut samples = self.basis.synthesize(&shrunk.values);
        samples.iter_mut().zip(&self.centre).for_each(|(v, c)| *v += c);
        Estimate { samples, errors: self.basis.variances(&shrunk.errors) }
    }

    /// Coefficients (without weights), shrunk by a spectrum fitted to themselves.
    fn fitted(&self, noised: &[f64], sigma: &dyn Fn(usize) -> f64, expected: Expectation) -> Shrunk {
        let x: Vec<f64> = noised.iter().zip(&self.roots).map(|(u, root)| u / root).collect();
        let variance = |j: usize| (sigma(j) / self.roots[j]).powi(2);
        match self.smoothing {
            Smoothing::None => Shrunk::unshrunk(&x, variance),
            Smoothing::Shrink => {
                let shrunk = shrink::shrink(&x, variance, Some(expected), |i| self.basis.place(i));
                // The clipped mean lies in the ball of the radius, so pulling the estimate into it can only help.
                let squares = shrunk.values.iter().zip(&self.roots).map(|(x, root)| (x * root).powi(2));
                let factor =
                    clip_factor(squares.sum::<f64>().sqrt(), self.lengthened * self.mean.radius().get());
                let values = shrunk.values.iter().map(|x| factor * x).collect();
                Shrunk { values, ..shrunk }
            }
        }
    }
}

impl Mechanism for FunctionalMean {
    type Records = dyn FunctionRecords;
    type Prepared<'a> = ClippedSum;
    type Value = NoisedFunction;
    type Error = MechanismError;

    fn price(&self) -> &Price {
        &self.price
    }

    fn prepare(&self, records: &Self::Records) -> Result<ClippedSum, MechanismError> {
        self.sum(records)
    }

    fn draw(
        &self,
        sum: &ClippedSum,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<NoisedFunction>, MechanismError> {
        let mut drawn = self.mean.noised(sum, noise, paid)?;
        let sigma = drawn.noise.scale;
        let (size, unseen) = self.split(&mut drawn.values, sigma);
        let mut estimate = self.finish(&drawn.values, sigma);
        if let Some(unseen) = unseen {
            unseen.add_to(&mut estimate.errors, &estimate.samples, [&self.centre, self.template()]);
        }
        let value = NoisedFunction { size, unseen, ..NoisedFunction::new(estimate, drawn.values, sigma) };
        let part = noised_part(&self.price, &self.mean, self.mean.radius(), drawn.noise)?;
        Ok(Drawn { value, parts: vec![part] })
    }
}
