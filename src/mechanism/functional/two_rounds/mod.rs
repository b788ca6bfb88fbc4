//! The joint mean in two rounds: a rough private centre, a private radius about it, and a second round with a tight clip.

mod worst_case;

pub use worst_case::ENTRY;

use super::{FunctionRecords, FunctionalMean, NoisedFunction, Norm};
use crate::function::Basis;
use crate::function::shrink::Expectation;
use crate::mechanism::MechanismError;
use crate::mechanism::quantile::{BisectedRadius, RadiusGrid};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{
    Charge, ClipRadius, ClipSource, Composition, Drawn, Mechanism, Mu, NoisedPart, Price, PrivacyLoss, Title,
};
use rayon::prelude::*;
use std::borrow::Cow;

const TITLE: Title = Title {
    name: "joint functional Gaussian mechanism in two rounds",
    sentence: "A first, rough private mean serves as centre; a radius about it is read off noised counts where there are records enough; \
               then every record's deviation from the private centre is shortened to that radius, the deviations are averaged, normal noise \
               is added to every coefficient of the average, and what is mostly noise is shrunk towards the centre.",
};

/// Share of μ² for the first round. Flat: shares from .1 to .4 lie within 12 % of one another.
const FIRST_SHARE: f64 = 0.2;
/// Share of μ for the radius.
const RADIUS_SHARE: f64 = 0.1;
/// nμ from which a radius can be counted.
const COUNTABLE: f64 = 100.0;
/// The second round's radius where it cannot, as a share of the public one.
const UNCOUNTED: f64 = 0.65;
/// The bracket of radii begins at this share of the public one.
const LEAST: f64 = 1.0 / 8.0;
/// The squared distance of a mean from the public centre that the first round expects, as a share of the squared root-mean-square
/// radius: templates lie .012 to .03 from the means of public populations. A weak expectation, for shrinkage only.
const EXPECTED_SHARE: f64 = 0.075;
/// Standard deviation of its logarithm, in both rounds. Where little can be seen, this keeps the noise from being taken for a face: an
/// expectation up to twice the truth is never worse than the centre, one below it costs little.
const EXPECTED_DOUBT: f64 = 0.65;

/// How the budget is shared out.
#[derive(Debug, Clone, Copy)]
struct Budget {
    first: Mu,
    radius: Option<Mu>,
    second: Mu,
}

impl Budget {
    fn of(n: u64, mu: Mu) -> Result<Self, MechanismError> {
        let total = mu.get();
        let first = total * FIRST_SHARE.sqrt();
        let radius = if n as f64 * total >= COUNTABLE { RADIUS_SHARE * total } else { 0.0 };
        // A few last places pay for the rounding of these lines.
        let second = (total * total - first * first - radius * radius).sqrt() * (1.0 - 8.0 * f64::EPSILON);
        let radius = if radius > 0.0 { Some(Mu::new(radius)?) } else { None };
        Ok(Self { first: Mu::new(first)?, radius, second: Mu::new(second)? })
    }

    fn losses(&self) -> Vec<PrivacyLoss> {
        let parts = [Some(self.first), self.radius, Some(self.second)];
        parts.into_iter().flatten().map(PrivacyLoss::Gaussian).collect()
    }
}

/// The share of the records that the second round's radius holds: large n can see the bias that clipping adds.
fn held(n: u64, mu: Mu) -> f64 {
    match n as f64 * mu.get() {
        much if much < 1000.0 => 0.75,
        much if much < 3000.0 => 0.95,
        _ => 0.99,
    }
}

/// The mean of functions in two rounds.
///
#[doc = include_str!("proof.md")]
#[derive(Debug, Clone)]
pub struct TwoRoundMean {
    price: Price,
    budget: Budget,
    first: FunctionalMean,
    radius: Option<BisectedRadius>,
    public: ClipRadius,
    basis: Basis,
    template: Vec<f64>,
}

/// Records made ready: secret.
pub struct PreparedRounds<'a> {
    sum: crate::privacy::ClippedSum,
    records: &'a (dyn FunctionRecords + 'static),
}

/// Records with the template in place of failed ones, whatever the centre.
struct Filled<'a> {
    records: &'a (dyn FunctionRecords + 'static),
    template: &'a [f64],
}

impl FunctionRecords for Filled<'_> {
    fn count(&self) -> usize {
        self.records.count()
    }
    fn samples(&self, i: usize) -> Option<Cow<'_, [f64]>> {
        Some(self.records.samples(i).unwrap_or(Cow::Borrowed(self.template)))
    }
}

impl TwoRoundMean {
    /// The mean of n functions around the public `template`, its samples `(points, channels)`. `scale` tells how far records
    /// may lie from it, compared with unit-area faces (1).
    ///
    /// # Errors
    /// [`MechanismError`] when template and basis do not fit, n = 0, a radius out of range.
    pub fn new(basis: Basis, template: Vec<f64>, scale: f64, mu: Mu, n: u64) -> Result<Self, MechanismError> {
        let norm = Norm::for_budget(n, mu.get());
        let budget = Budget::of(n, mu)?;
        let public = ClipRadius::new(scale * norm.face_radius(), ClipSource::Public)?;
        let first = FunctionalMean::in_norm(norm, basis.clone(), template.clone(), public, budget.first, n)?
            .expecting(Expectation {
                energy: EXPECTED_SHARE * (scale * Norm::White.face_radius()).powi(2),
                doubt: EXPECTED_DOUBT,
            });
        let bracket = RadiusGrid { low: LEAST * public.get(), high: public.get(), ratio: 2.0 };
        let radius =
            budget.radius.map(|paid| BisectedRadius::new(&bracket, held(n, mu), n, paid)).transpose()?;
        let what = format!("mean deviation from a private centre, {}", norm.sentence());
        let mut price = Price::new(TITLE, n, PrivacyLoss::Gaussian(mu), &what)?;
        price.parts = Composition::new();
        price.parts.add("rough mean, the private centre", PrivacyLoss::Gaussian(budget.first));
        if let Some(radius) = &radius {
            price.parts.add(radius.price().mechanism.clone(), radius.price().loss);
        }
        price.parts.add("mean about the private centre", PrivacyLoss::Gaussian(budget.second));
        if radius.is_none() {
            let tight = ClipRadius::new(UNCOUNTED * public.get(), ClipSource::Public)?;
            let second =
                FunctionalMean::in_norm(norm, basis.clone(), template.clone(), tight, budget.second, n)?;
            let Price { sensitivity, scale, clip, .. } = *second.price();
            price = Price { sensitivity, scale, clip, ..price };
        }
        Ok(Self { price, budget, first, radius, public, basis, template })
    }

    /// Whether n records at budget μ are enough for a private radius; without it the second round has a public one.
    ///
    /// # Errors
    /// [`MechanismError::TooFew`] with the n and the μ that would be enough.
    pub fn check_private_radius(n: u64, mu: Mu) -> Result<(), MechanismError> {
        if n as f64 * mu.get() >= COUNTABLE {
            return Ok(());
        }
        let own = RADIUS_SHARE * mu.get();
        let (records, times) =
            ((COUNTABLE / mu.get()).ceil() as u64, COUNTABLE / (n.max(1) as f64 * mu.get()));
        let doubt = BisectedRadius::count_deviation(own);
        Err(MechanismError::TooFew { n, mu: own, doubt, records, times })
    }

    /// The clip's norm.
    pub fn norm(&self) -> Norm {
        self.first.norm()
    }

    /// The second round about a released centre.
    fn second(&self, centre: &NoisedFunction, radius: ClipRadius) -> Result<FunctionalMean, MechanismError> {
        let (n, samples) = (self.price.n, centre.samples.clone());
        let mean =
            FunctionalMean::in_norm(self.norm(), self.basis.clone(), samples, radius, self.budget.second, n)?;
        let energy = centre.mean_square_error(self.basis.points()).max(f64::MIN_POSITIVE);
        Ok(mean.expecting(Expectation { energy, doubt: EXPECTED_DOUBT }))
    }
}

impl Mechanism for TwoRoundMean {
    type Records = dyn FunctionRecords;
    type Prepared<'a> = PreparedRounds<'a>;
    type Value = NoisedFunction;
    type Error = MechanismError;

    fn price(&self) -> &Price {
        &self.price
    }

    fn prepare<'a>(&'a self, records: &'a Self::Records) -> Result<PreparedRounds<'a>, MechanismError> {
        Ok(PreparedRounds { sum: self.first.prepare(records)?, records })
    }

    fn draw(
        &self,
        prepared: &PreparedRounds<'_>,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<NoisedFunction>, MechanismError> {
        let unpaid = || MechanismError::Shape("a payment has a part for every part of the release");
        let mut paid = paid.split(&self.budget.losses())?.into_iter();
        let first = self.first.draw(&prepared.sum, noise, paid.next().ok_or_else(unpaid)?)?;
        let mut parts: Vec<NoisedPart> = first.parts;
        let records = Filled { records: prepared.records, template: &self.template };
        let radius = match &self.radius {
            None => ClipRadius::new(UNCOUNTED * self.public.get(), ClipSource::Public)?,
            Some(quantile) => {
                let about = self.second(&first.value, self.public)?;
                let norm = |i| {
                    let samples = records.samples(i).unwrap_or_default();
                    about.coordinates(&samples).iter().map(|u| u * u).sum::<f64>().sqrt()
                };
                let norms: Vec<f64> = (0..records.count()).into_par_iter().map(norm).collect();
                let drawn =
                    quantile.draw(&quantile.prepare(&norms)?, noise, paid.next().ok_or_else(unpaid)?)?;
                parts.extend(drawn.parts);
                drawn.value.radius
            }
        };
        let mean = self.second(&first.value, radius)?;
        // Records that could be prepared once can be prepared again: only lengths can be wrong.
        let second = mean.draw(&mean.sum(&records)?, noise, paid.next().ok_or_else(unpaid)?)?;
        parts.extend(second.parts);
        Ok(Drawn { value: NoisedFunction { centre: first.value.samples, ..second.value }, parts })
    }
}
