//! The rounds themselves: centre, counts, and what is added up about the centre.

use super::super::two_rounds::{EXPECTED_DOUBT, expected_of_centre};
use super::super::{FunctionalMean, LeadingCoordinates, Norm};
use super::covariates::AboutFound;
use super::deviations::Deviations;
use super::{RoundKind, RoundResult, SiteGroups, SiteRound, Sites};
use crate::function::Basis;
use crate::function::shrink::Expectation;
use crate::mechanism::quantile::{BisectedRadius, STEPS};
use crate::mechanism::rounds::{Rounds, Shares};
use crate::mechanism::vector::{Recentred, Rest, VectorRegression, modes, shrunk_in_two};
use crate::mechanism::{MechanismError, UnseenShares, unseen};
use crate::privacy::noise::{ClippedMoments, SITES_MOST, SharedNoise};
use crate::privacy::{
    Charge, ClipRadius, ClipSource, L2Sensitivity, Mu, NoisedPart, Price, PrivacyLoss, Sensitivity, Title,
};

/// What stands for the partition of the people of all sites, which no one place knows.
const PARTITION_OF_SITES: &str = "sites";

/// What the last round adds up.
#[derive(Debug, Clone)]
pub(super) enum Target {
    /// All weighted coefficients.
    Mean { basis: Basis, norm: Norm },
    /// The first `first` of the leading ones and their products.
    Modes { leading: Box<LeadingCoordinates>, first: usize },
    /// In every group of people the leading ones, and products of the first `first` of them.
    Groups { leading: Box<LeadingCoordinates>, first: usize, groups: SiteGroups },
    /// Products of covariates and of the first leading ones.
    Regression { leading: Box<LeadingCoordinates>, moments: Box<VectorRegression> },
}

impl Target {
    /// The leading coordinates that it looks at, where it is not of all of them.
    fn leading(&self) -> Option<&LeadingCoordinates> {
        match self {
            Self::Mean { .. } => None,
            Self::Modes { leading, .. } | Self::Groups { leading, .. } | Self::Regression { leading, .. } => {
                Some(leading)
            }
        }
    }
}

/// A release over several sites, round by round. Every round needs nothing of a site but a clipped sum.
#[derive(Debug, Clone)]
pub struct SitesRounds {
    pub(super) price: Price,
    pub(super) sites: Sites,
    pub(super) rounds: Rounds,
    pub(super) public: ClipRadius,
    pub(super) target: Target,
    /// The public template: samples.
    pub(super) template: Vec<f64>,
    pub(super) counted: Option<BisectedRadius>,
    /// Sites that add noise when all is drawn in one place; fewer than all in audits.
    pub(super) drawing: usize,
}

/// What the first round has released.
#[derive(Debug, Clone)]
pub(super) struct Centre {
    /// Samples, or leading coordinates about the template.
    pub(super) values: Vec<f64>,
    /// Its expected squared error: of a point, or of all these coordinates together.
    pub(super) error: f64,
    /// Coordinates that no later round looks at.
    pub(super) rest: Rest,
    /// Which shares of the records it was made without.
    pub(super) unseen: UnseenShares,
}

impl Centre {
    /// With the radius about it.
    pub(super) fn recentred(self, radius: ClipRadius) -> Recentred {
        let Self { values, error, rest, unseen } = self;
        Recentred { centre: values, rest, error, radius, unseen }
    }
}

/// μ that the noise there will be corresponds to: more noise than μ needs, for there are more shares than must be honest. And by how much.
///
/// # Errors
/// [`MechanismError`]: no sites, too many, sites without people, an impossible number of honest ones.
pub(super) fn known(mu: Mu, sites: &Sites) -> Result<(Mu, f64), MechanismError> {
    let Sites { sizes, sharing } = sites;
    let count = sizes.len() as u64;
    if count < sharing.fewest() || count > SITES_MOST as u64 || sharing.honest() == 0 {
        return Err(MechanismError::Shape(
            "there are at most a thousand sites, and at least one more than must be honest: a site knows its own share of the noise",
        ));
    }
    if sizes.iter().any(|n| *n == 0 || *n > 1 << 32) {
        return Err(MechanismError::Shape("every site has at least one person, and at most four billion"));
    }
    let ratio = (sharing.honest() as f64 / sharing.shares(count) as f64).sqrt();
    Ok((Mu::new(mu.get() * ratio)?, ratio))
}

impl SitesRounds {
    /// With what is public: the budget's shares, the clip's radius, and names for the two rounds of vectors.
    pub(super) fn new(
        (title, statistic, second): (Title, &str, &str),
        (target, template): (Target, Vec<f64>),
        (shares, public): (Shares, ClipRadius),
        mu: Mu,
        sites: Sites,
    ) -> Result<Self, MechanismError> {
        let n: u64 = sites.sizes.iter().sum();
        let rounds = Rounds::new(shares, n, mu)?;
        let counted = rounds.bisected(public)?;
        let mut price = Price::new(title, n, PrivacyLoss::Gaussian(mu), statistic)?;
        price.parts = rounds.parts("rough mean over sites, the private centre", counted.as_ref(), second);
        if matches!(target, Target::Groups { .. }) {
            price.neighbours = price.neighbours.within(PARTITION_OF_SITES);
        }
        let drawing = sites.sizes.len();
        let mut all = Self { price, sites, rounds, public, target, template, counted, drawing };
        all.check()?;
        Ok(all)
    }

    /// All that can fail for public numbers fails before anything is paid.
    fn check(&mut self) -> Result<(), MechanismError> {
        self.first()?;
        let radius = if self.counted.is_some() { self.public } else { self.rounds.uncounted(self.public)? };
        let second = self.second_noise(radius)?;
        self.counting_noise()?;
        if self.counted.is_none() {
            // The smallest group has the most noise.
            let n = self.groups().map_or(self.price.n, SiteGroups::smallest) as f64;
            let shares = self.shares();
            let bound = L2Sensitivity::new((second.sensitivity() / n).next_up())?;
            self.price = self
                .price
                .clone()
                .with_noise(Sensitivity::L2(bound), second.sigma(shares) / n)
                .with_clip(radius);
        }
        Ok(())
    }

    fn honest(&self) -> u64 {
        self.sites.sharing.honest()
    }

    /// Of noise, where all sites take part.
    fn shares(&self) -> u64 {
        self.sites.sharing.shares(self.sites.sizes.len() as u64)
    }

    /// What the whole costs.
    pub fn price(&self) -> &Price {
        &self.price
    }

    /// Who takes part.
    pub fn sites(&self) -> &Sites {
        &self.sites
    }

    /// Number of rounds: two, and six more where a radius is counted.
    pub fn count_rounds(&self) -> usize {
        2 + self.steps()
    }

    /// Counts for the radius.
    fn steps(&self) -> usize {
        if self.counted.is_some() { STEPS } else { 0 }
    }

    /// Coordinates of a vector.
    fn dimension(&self) -> usize {
        match &self.target {
            Target::Mean { basis, .. } => basis.len(),
            Target::Modes { leading, .. }
            | Target::Groups { leading, .. }
            | Target::Regression { leading, .. } => leading.len(),
        }
    }

    /// Coordinates of a vector about the private centre.
    fn looked(&self) -> usize {
        match &self.target {
            Target::Modes { first, .. } => *first,
            Target::Regression { moments, .. } => moments.dimension(),
            _ => self.dimension(),
        }
    }

    /// What the rounds cost, in their order.
    pub(super) fn losses(&self) -> Result<Vec<PrivacyLoss>, MechanismError> {
        let mut losses = vec![self.rounds.first];
        if let Some(counted) = &self.counted {
            losses.extend([counted.each()?; STEPS]);
        }
        losses.push(self.rounds.second);
        Ok(losses.into_iter().map(PrivacyLoss::Gaussian).collect())
    }

    /// The part of a payment for the whole that is for round `index` (from 0). Whoever asks answers for it that each part is used once.
    ///
    /// # Errors
    /// [`MechanismError`] for a payment for something else, or no such round.
    pub fn part(&self, paid: Charge, index: usize) -> Result<Charge, MechanismError> {
        let missing = MechanismError::Shape("there is no such round");
        paid.split(&self.losses()?)?.into_iter().nth(index).ok_or(missing)
    }

    fn first(&self) -> Result<SiteRound, MechanismError> {
        let dimension = self.dimension() + unseen::COORDINATES;
        let noise = SharedNoise::new(dimension, self.public.get(), self.rounds.first, self.honest())?;
        let about = match self.target.leading() {
            None => {
                let expected = expected_of_centre(Norm::White.face_radius());
                self.about_samples(self.template.clone(), self.public, expected, self.rounds.first)?
            }
            Some(leading) => {
                let (leading, looked) = (Box::new(leading.clone()), leading.len());
                Deviations::Leading { leading, centre: vec![0.0; looked], looked, radius: self.public }
            }
        };
        Ok(SiteRound::sum_of(RoundKind::Centre, about, noise, self.template.clone()))
    }

    /// Deviations from a released centre.
    pub(super) fn about(&self, centre: &Centre, radius: ClipRadius) -> Result<Deviations, MechanismError> {
        match self.target.leading() {
            None => {
                let energy = centre.error.max(f64::MIN_POSITIVE);
                let expected = Expectation { energy, doubt: EXPECTED_DOUBT };
                self.about_samples(centre.values.clone(), radius, expected, self.rounds.second)
            }
            Some(leading) => {
                let (leading, centre) = (Box::new(leading.clone()), centre.values.clone());
                Ok(Deviations::Leading { leading, centre, looked: self.looked(), radius })
            }
        }
    }

    fn about_samples(
        &self,
        centre: Vec<f64>,
        radius: ClipRadius,
        expected: Expectation,
        mu: Mu,
    ) -> Result<Deviations, MechanismError> {
        let Target::Mean { basis, norm } = &self.target else {
            return Err(MechanismError::Shape("what is not a mean has coordinates for a centre"));
        };
        let about = FunctionalMean::in_norm(*norm, basis.clone(), centre, radius, mu, self.price.n)?;
        Ok(Deviations::All(Box::new(about.expecting(expected))))
    }

    fn second_noise(&self, radius: ClipRadius) -> Result<SharedNoise, MechanismError> {
        let (dim, radius, mu, honest) = (self.dimension(), radius.get(), self.rounds.second, self.honest());
        Ok(match &self.target {
            Target::Mean { .. } => SharedNoise::new(dim, radius, mu, honest)?,
            Target::Modes { first, .. } => SharedNoise::moments(*first, radius, mu, honest, modes::RATIO)?,
            Target::Groups { first, groups, .. } => {
                let free = ClippedMoments::FREE;
                SharedNoise::in_groups(groups.count(), (dim + 1, *first), radius, mu, honest, free)?
            }
            // Both parts of a vector are divided by their bounds.
            Target::Regression { moments, .. } => {
                SharedNoise::second(moments.second().dimension(), 1.0, mu, honest)?
            }
        })
    }

    /// Counts are sums of ±½, so that one record moves them by one.
    fn counting_noise(&self) -> Result<Option<SharedNoise>, MechanismError> {
        let Some(counted) = &self.counted else { return Ok(None) };
        Ok(Some(SharedNoise::new(1, 0.5, counted.each()?, self.honest())?))
    }

    /// The centre that the first round's result makes: post-processing.
    pub(super) fn centre(&self, first: &RoundResult) -> Result<Centre, MechanismError> {
        let round = self.first()?;
        let mut sigmas = round.sigmas(first, &self.sites);
        let (mut values, k) = (first.values.clone(), self.dimension());
        let (shares, sigma) = (values.split_off(k), sigmas.split_off(k));
        let other = MechanismError::Shape("these are results of other rounds");
        let (Some(shares), Some(sigma)) = (shares.first_chunk(), sigma.first()) else { return Err(other) };
        let unseen = UnseenShares::of(*shares, *sigma, self.public.get());
        Ok(match round.about() {
            Deviations::All(about) => {
                let estimate = about.finish_uneven(&values, &|j| sigmas.get(j).copied().unwrap_or(f64::NAN));
                let points = about.basis().points().max(1) as f64;
                let error = estimate.errors.iter().sum::<f64>() / points;
                Centre { values: estimate.samples, error, rest: Rest::default(), unseen }
            }
            Deviations::Leading { leading, .. } => {
                let variances: Vec<f64> = sigmas.iter().map(|s| s * s).collect();
                let (looked, prior) = (self.looked(), leading.prior());
                let (found, rest) = shrunk_in_two(&values, &variances, &prior, looked, self.public);
                Centre { error: found.errors.iter().sum(), values: found.values, rest, unseen }
            }
        })
    }

    /// The next round, given what the earlier ones released; `None` after the last.
    ///
    /// # Errors
    /// [`MechanismError`] for results that are not of these rounds.
    pub fn next(&self, results: &[RoundResult]) -> Result<Option<SiteRound>, MechanismError> {
        let steps = self.steps();
        for (i, result) in results.iter().enumerate() {
            let length = match i {
                0 => self.dimension() + unseen::COORDINATES,
                i if i <= steps => 1,
                _ => self.second_noise(self.public)?.dimension(),
            };
            result.check(length, &self.sites)?;
        }
        let Some((first, rest)) = results.split_first() else { return self.first().map(Some) };
        if rest.len() > steps + 1 {
            return Err(MechanismError::Shape("there are more results than rounds"));
        }
        if rest.len() > steps {
            return Ok(None);
        }
        let centre = self.centre(first)?;
        let mut radius = self.rounds.uncounted(self.public)?;
        if let (Some(counted), Some(noise)) = (&self.counted, self.counting_noise()?) {
            let mut bracket = counted.bracket();
            for count in rest {
                let n = self.sites.people(&count.sites) as f64;
                let found = count.values.first().copied().unwrap_or_default();
                bracket = bracket.halved(counted.is_enough(found, n));
            }
            if rest.len() < STEPS {
                let about = self.about(&centre, self.public)?;
                let kind = RoundKind::Count { number: rest.len() + 1 };
                let (template, middle) = (self.template.clone(), bracket.middle());
                return Ok(Some(SiteRound::count(kind, about, noise, template, middle)));
            }
            let found = ClipRadius::new(bracket.high(), ClipSource::Private)?;
            radius = self.rounds.widened(found)?;
        }
        let kind = match self.target {
            Target::Mean { .. } => RoundKind::Mean,
            Target::Modes { .. } => RoundKind::Moments,
            Target::Groups { .. } => RoundKind::Groups,
            Target::Regression { .. } => RoundKind::Regression,
        };
        let (about, noise) = (self.about(&centre, radius)?, self.second_noise(radius)?);
        let round = SiteRound::sum_of(kind, about, noise, self.template.clone());
        Ok(Some(match &self.target {
            Target::Groups { groups, .. } => round.in_groups(groups.clone()),
            Target::Regression { leading, moments } => {
                let recentred = centre.recentred(radius);
                round.with_covariates(AboutFound {
                    leading: (**leading).clone(),
                    moments: (**moments).clone(),
                    recentred,
                })
            }
            _ => round,
        }))
    }

    /// The groups of every site's people, where groups are compared.
    pub fn groups(&self) -> Option<&SiteGroups> {
        match &self.target {
            Target::Groups { groups, .. } => Some(groups),
            _ => None,
        }
    }

    /// The last round, and how all of them were noised.
    ///
    /// # Errors
    /// [`MechanismError`] unless all rounds are there.
    pub(super) fn finished(
        &self,
        results: &[RoundResult],
    ) -> Result<(SiteRound, Vec<NoisedPart>), MechanismError> {
        let unfinished = MechanismError::Shape("there are rounds to come");
        if self.next(results)?.is_some() {
            return Err(unfinished);
        }
        let (mut parts, mut last) = (Vec::new(), None);
        for (i, result) in results.iter().enumerate() {
            let round = self.next(&results[..i])?.ok_or(MechanismError::Shape("there are rounds to come"))?;
            parts.extend(self.described(&round, &result.sites)?);
            last = Some(round);
        }
        Ok((last.ok_or(unfinished)?, parts))
    }

    /// How a round was noised; in groups, every one of them.
    fn described(&self, round: &SiteRound, sites: &[usize]) -> Result<Vec<NoisedPart>, MechanismError> {
        let (shares, what) = (self.sites.sharing.shares(sites.len() as u64), round.kind().to_string());
        let one = |what: String, n: u64| {
            let bound = L2Sensitivity::new((round.noise().sensitivity() / n as f64).next_up())?;
            Ok(NoisedPart {
                what,
                loss: round.noise().loss(),
                sensitivity: Sensitivity::L2(bound),
                clip: round.radius(),
                noise: round.noise().description(shares, n),
                expected_error: None,
            })
        };
        let sizes = match (self.groups(), round.kind()) {
            (Some(groups), RoundKind::Groups) => groups.people(sites),
            _ => return Ok(vec![one(what, self.sites.people(sites))?]),
        };
        let named = |(g, n): (usize, &u64)| one(format!("{what}, group {} of {}", g + 1, sizes.len()), *n);
        sizes.iter().enumerate().map(named).collect()
    }
}
