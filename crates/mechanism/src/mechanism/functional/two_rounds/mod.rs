//! The joint mean in two rounds: a rough private centre, a private radius about it, and a second round with a tight clip.

mod aim;
mod clip;
mod passes;
mod second;
mod tail;
#[cfg(test)]
mod tests;
mod view;
mod worst_case;

pub use aim::Aim;
pub use clip::Clip;
pub use worst_case::ENTRY;

use second::SecondRound;
use view::View;

use super::{
    FunctionRecords, FunctionalMean, NoisedFunction, NoisedSize, Norm, PublicPrior, Reach, SizeCoordinate,
};
use crate::estimate::band::Unshrunk;
use crate::estimate::prior::coefficients;
use crate::estimate::{Band, RecordCovariance, Spread};
use crate::function::Basis;
use crate::function::shrink::Expectation;
use crate::mechanism::quantile::BisectedRadius;
use crate::mechanism::rounds::Rounds;
use crate::mechanism::{MechanismError, unseen};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{Charge, ClipRadius, Drawn, Mechanism, Mu, Price, PrivacyLoss, Title};
use nalgebra::DMatrix;
use std::sync::Arc;

const TITLE: Title = Title {
    name: "joint functional Gaussian mechanism in two rounds",
    sentence: "A first, rough private mean serves as centre; a norm and a radius about it are read off noised counts where there are records \
               enough, and how far records lie beyond that on average is noised too; then every record's deviation from the private centre is shortened to that radius, the deviations are averaged, and so \
               are products of some of their coefficients; normal noise is added to every coefficient of the average and to the \
               products; where the radius is public, the average is made longer by what the noised lengths tell; and what is mostly noise is \
               shrunk towards the centre.",
};

/// The squared distance of a mean from the public centre that the first round expects, as a share of the squared root-mean-square
/// radius: templates lie .012 to .03 from the means of public populations. A weak expectation, for shrinkage only.
const EXPECTED_SHARE: f64 = 0.075;
/// Standard deviation of its logarithm, in both rounds. Where little can be seen, this keeps the noise from being taken for a face: an
/// expectation up to twice the truth is never worse than the centre, one below it costs little.
pub(super) const EXPECTED_DOUBT: f64 = 0.65;

/// So many radii are 1.3 public ones, and more than three are not told apart: faces .05 from the template lie 1.3 to 1.85 radii from the private centre.
const SHORTENED: f64 = 2.5;

/// The mean of functions in two rounds.
///
#[doc = include_str!("proof.md")]
#[derive(Debug, Clone)]
pub struct TwoRoundMean {
    price: Price,
    aim: Aim,
    rounds: Rounds,
    first: FunctionalMean,
    radius: Option<BisectedRadius>,
    /// The norm that is best for records as smooth as expected; and, where a radius is counted, one for a second round with rougher records.
    view: View,
    rougher: Option<View>,
    basis: Basis,
    /// Coefficients whose second moment comes with the mean.
    leading: Vec<usize>,
    template: Vec<f64>,
    /// The public bound of log sizes, where the mean size is wanted too.
    size_bound: Option<f64>,
    /// How far records may lie from the public centre, root mean square.
    reach: f64,
}

/// Records made ready: secret.
pub struct PreparedRounds<'a> {
    sum: crate::privacy::ClippedSum,
    records: &'a (dyn FunctionRecords + 'static),
}

/// What the first round released.
struct Rough<'a> {
    samples: &'a [f64],
    size: Option<NoisedSize>,
    /// Of the mean's distance from it.
    expected: Expectation,
}

/// In place of a released size where prices are worked out.
const UNKNOWN: NoisedSize = NoisedSize { log: 0.0, error: 0.0 };

/// How far a mean is expected to lie from its public template, single records lying within `reach` of that.
pub(super) fn expected_of_centre(reach: f64) -> Expectation {
    let energy = EXPECTED_SHARE * reach.powi(2);
    Expectation { energy, doubt: EXPECTED_DOUBT }
}

impl TwoRoundMean {
    /// The mean of n functions around the public `template`, its samples `(points, channels)`. `reach` tells how far records
    /// may lie from it; a number is in units of unit-area faces.
    ///
    /// # Errors
    /// [`MechanismError`] when template and basis do not fit, n = 0, a radius out of range.
    pub fn new(
        basis: Basis,
        template: Vec<f64>,
        reach: impl Into<Reach>,
        mu: Mu,
        n: u64,
    ) -> Result<Self, MechanismError> {
        Self::aiming(Aim::Mean, basis, template, reach, mu, n)
    }

    /// The same, set for the shrunk mean or for a band about the unshrunk one ([`Self::band`]).
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn aiming(
        aim: Aim,
        basis: Basis,
        template: Vec<f64>,
        reach: impl Into<Reach>,
        mu: Mu,
        n: u64,
    ) -> Result<Self, MechanismError> {
        let reach = reach.into();
        let view = View::new(aim.norm(n, mu), &basis, reach)?;
        let rounds = Rounds::new(aim.shares(n, mu, view.prior.effective_dimension()), n, mu)?;
        let rougher = (rounds.radius.is_some() && view.norm == Norm::Half)
            .then(|| View::new(Norm::Quarter, &basis, reach))
            .transpose()?;
        let radius = match (rounds.bisected(view.public)?, &rougher) {
            (Some(counted), Some(other)) => Some(counted.or_else(&rounds.bracket(other.public))?),
            (counted, _) => counted,
        };
        let reach = reach.root_mean_square();
        let first = view
            .mean(&basis, template.clone(), view.public, rounds.first, n)?
            .expecting(expected_of_centre(reach))
            .counting_unseen()?;
        let leading = view.prior.leading(coefficients(n, mu.get()));
        let what = statistic(view.norm, rougher.is_some(), leading.len());
        let mut mean = Self {
            price: Price::new(TITLE, n, PrivacyLoss::Gaussian(mu), &what)?,
            aim,
            rounds,
            first,
            radius,
            view,
            rougher,
            basis,
            leading,
            template,
            size_bound: None,
            reach,
        };
        mean.check()?;
        Ok(mean)
    }

    /// With the mean logarithm of the records' sizes in units of a public one ([`FunctionRecords::log_size`]), known to lie within ±`bound`:
    /// one more coordinate of the same clipped vectors in both rounds, which costs the function .8 % more noise variance.
    ///
    /// # Errors
    /// [`MechanismError`] for a bound that is not positive.
    pub fn with_size(mut self, bound: f64) -> Result<Self, MechanismError> {
        if !(bound > 0.0 && bound.is_finite()) {
            return Err(MechanismError::Shape("the bound of log sizes is a positive number"));
        }
        let size = SizeCoordinate::public(bound, self.public_radius().get());
        self.first = self.first.with_size(size)?;
        self.size_bound = Some(bound);
        self.price.statistic.push_str("; and the mean logarithm of sizes");
        self.check()?;
        Ok(self)
    }

    /// For shrinkage: about a centre that lies so far from the mean (root mean square), by public numbers.
    pub fn expecting_centre_within(mut self, distance: f64) -> Self {
        let expected = Expectation { energy: distance * distance, doubt: EXPECTED_DOUBT };
        self.first = self.first.expecting(expected);
        self
    }

    /// About the mean of public people: shrinks by how they differ, given the coefficients of their deviations from that mean
    /// ([`Basis::analyse`]), or towards `elsewhere`, samples of another public centre, where the noised values say so. Public; the wrong people
    /// cost accuracy only. Fewer than two people are a centre, no more.
    pub fn knowing(mut self, people: &[Vec<f64>], elsewhere: Vec<f64>) -> Self {
        self.view.know(people);
        self.rougher.iter_mut().for_each(|view| view.know(people));
        let first = self.view.known.as_deref().cloned().map(|known| {
            let elsewhere = Some((elsewhere, expected_of_centre(self.reach)));
            Arc::new(PublicPrior { elsewhere, ..known })
        });
        let expected = PublicPrior::expected(self.reach, &self.basis, people);
        self.first = self.first.expecting(expected).knowing(first);
        self
    }

    /// The norm of the second round, once it is chosen.
    fn view_of(&self, norm: Option<Norm>) -> &View {
        self.rougher.as_ref().filter(|view| Some(view.norm) == norm).unwrap_or(&self.view)
    }

    /// Prices the parts. A scale that the noise cannot be drawn on is found out before anything is paid.
    fn check(&mut self) -> Result<(), MechanismError> {
        self.price_parts()?;
        for view in [Some(&self.view), self.rougher.as_ref()].into_iter().flatten() {
            self.about(&self.template, (view, view.public))?;
        }
        Ok(())
    }

    /// What the price is composed of.
    fn price_parts(&mut self) -> Result<(), MechanismError> {
        let (first, second) =
            ("rough mean, the private centre", "mean and second moment about the private centre");
        self.price.parts = self.rounds.parts(first, self.radius.as_ref(), second);
        if self.radius.is_none() {
            let second =
                self.about(&self.template, (&self.view, self.rounds.uncounted(self.view.public)?))?;
            let Price { sensitivity, scale, clip, .. } = *second.price();
            self.price = Price { sensitivity, scale, clip, ..self.price.clone() };
        }
        Ok(())
    }

    /// Whether n records at budget μ are enough for a private radius; without it the second round has a public one.
    ///
    /// # Errors
    /// [`MechanismError::TooFew`] with the n and the μ that would be enough.
    pub fn check_private_radius(aim: Aim, n: u64, mu: Mu) -> Result<(), MechanismError> {
        Rounds::new(aim.shares(n, mu, 1.0), n, mu)?.check_countable()
    }

    /// The clip's norm for records as smooth as expected.
    pub fn norm(&self) -> Norm {
        self.view.norm
    }

    /// The public clip radius of the first round, in that norm.
    pub fn public_radius(&self) -> ClipRadius {
        self.view.public
    }

    /// How far records may lie from the public centre, root mean square: public.
    pub fn reach(&self) -> f64 {
        self.reach
    }

    /// The basis that functions are analysed in.
    pub fn basis(&self) -> &Basis {
        &self.basis
    }

    /// The samples of the public centre.
    pub fn template(&self) -> &[f64] {
        &self.template
    }

    /// What it was set for.
    pub fn aim(&self) -> Aim {
        self.aim
    }

    /// The mean square distance of single records from their mean, unweighted, per point, from what was released: free. `None` where the
    /// noise hides it.
    pub fn record_spread(&self, released: &NoisedFunction) -> Option<Spread> {
        let prior = &self.view_of(released.norm).prior;
        Spread::of(released.moments.as_ref()?, prior, &released.coordinates, released.sigma)
    }

    /// Whether most records may have been shortened, and little or nothing tells by how much; what is stated of the error then leaves out the largest part.
    /// Where records were found to be long, from 2.5 radii on. Where nobody looked, if the mean lies farther from the public centre than the
    /// second round looks from its own: in units of the public radius, at nμ = 60, SIMPOP's faces (.034 from the template) are found at .39 to
    /// .59, faces .05 from it at .79 to .99. Never about a private centre, whose radius allows for how far off that is.
    pub fn is_at_the_edge(&self, released: &NoisedFunction) -> bool {
        let never = self.counts() || self.aim == Aim::Found;
        if never || released.samples.len() != self.template.len() {
            return false;
        }
        if let Some(lengthened) = released.lengthened {
            return lengthened >= SHORTENED;
        }
        let u = self.first.coordinates(&released.samples);
        let length = u.iter().map(|u| u * u).sum::<f64>().sqrt();
        self.rounds.uncounted(self.public_radius()).is_ok_and(|radius| length > radius.get())
    }

    /// A 95 % band for the mean of the population's clipped records, about the mean before it was shrunk: free. `None` unless the release was
    /// aimed at one ([`Aim::Band`]): under a tighter clip a band would be about that clip more than about people.
    pub fn band(&self, released: &NoisedFunction) -> Option<Band> {
        self.band_of(released, None)
    }

    /// The same for what is made of the samples by a linear map, where there is one: from samples, one a column, to values, one a row.
    pub fn band_of(&self, released: &NoisedFunction, maps: Option<&DMatrix<f64>>) -> Option<Band> {
        let second = released.moments.as_ref().filter(|_| self.aim == Aim::Band)?;
        let prior = &self.view_of(released.norm).prior;
        let covariance = RecordCovariance::on_the_safe_side(second, prior)?.unevenly();
        let mean = Unshrunk {
            basis: &self.basis,
            prior,
            centre: &released.centre,
            coordinates: &released.coordinates,
            sigma: released.sigma,
            n: self.price.n,
        };
        Band::new(&mean, &covariance, maps)
    }

    /// A mean about a centre, for what does not depend on what was expected of it.
    fn about(&self, centre: &[f64], clip: (&View, ClipRadius)) -> Result<SecondRound, MechanismError> {
        let expected = Expectation { energy: clip.0.public.get().powi(2), doubt: EXPECTED_DOUBT };
        self.expecting(&Rough { samples: centre, size: self.size_bound.map(|_| UNKNOWN), expected }, clip)
    }

    /// A mean about a released centre, with the distance that the mean is expected to have from that.
    fn expecting(
        &self,
        rough: &Rough<'_>,
        (view, radius): (&View, ClipRadius),
    ) -> Result<SecondRound, MechanismError> {
        let (n, mu) = (self.price.n, self.rounds.second);
        let mean = view
            .mean(&self.basis, rough.samples.to_vec(), radius, mu, n)?
            .expecting(rough.expected)
            .knowing(view.known.clone());
        let mean = match (self.size_bound, rough.size) {
            (Some(bound), Some(size)) => {
                mean.with_size(SizeCoordinate::public(bound, radius.get()).about(size, radius.get()))?
            }
            _ => mean,
        };
        SecondRound::new(mean, self.leading.clone(), mu)
    }
}

/// What is noised, in words.
fn statistic(norm: Norm, choice: bool, leading: usize) -> String {
    let or = if choice {
        "; or by the power -1/4, where the first noised count says that the public radius does not hold the wanted share of the records"
    } else {
        ""
    };
    format!(
        "mean deviation from a private centre, {}{or}; with the second moment of the {leading} coefficients of which single records are \
         expected to have most, and {}",
        norm.sentence(),
        unseen::WHAT
    )
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
        let paid = self.rounds.split(paid)?;
        let Drawn { value: centre, mut parts } = self.first.draw(&prepared.sum, noise, paid.first)?;
        let lengths = self.lengths(&centre.samples, prepared.records)?;
        let (clip, more) = self.clip_by(&lengths, noise, (paid.radius, paid.excess))?;
        parts.extend(more);
        let second = self.second(&centre, clip)?;
        // Records that could be prepared once can be prepared again: only lengths can be wrong.
        let sum = second.sum(prepared.records, true)?;
        let Drawn { value, parts: more } = second.draw(&sum, noise, paid.second)?;
        parts.extend(more);
        Ok(Drawn { value: self.finished(centre, clip, value), parts })
    }
}
