//! The public ball of a study of points: its centre and radius, or the first passes that find them.

use super::PointStudyError;
use super::budget::Budget;
use super::records::Read;
use crate::job::unusable::Problem;
use crate::manifold::{Manifold, ManifoldError};
use crate::mechanism::MechanismError;
use crate::mechanism::manifold::{
    BallStatistic, CENTRE_SHARE, CentreSource, CentreStatistic, MakeMean, NoisedPoint, PrivateCentre,
    PublicBall, RadiusSource, StagedMean, largest_radius,
};
use crate::mechanism::quantile::{PrivateQuantile, RadiusGrid};
use crate::privacy::{ClipRadius, ClipSource, Mechanism, PrivacyLoss};
use crate::stats::{FrechetOptions, frechet_mean};
use crate::study::{People, Unusable};

/// Where the centre comes from.
pub(in crate::study) enum BallCentre<P, S> {
    /// It is public.
    Public(P),
    /// A first pass finds it.
    Private {
        /// Where it is read off.
        statistic: S,
        /// Any public point.
        anywhere: P,
    },
}

/// Where the radius comes from.
pub(in crate::study) enum BallRadius {
    /// It is public.
    Public(ClipRadius),
    /// A private quantile of the distances from the centre.
    Private,
    /// The same where n and the budget allow, otherwise [`FALLBACK`] of the largest radius that it could be.
    Default,
}

/// The ball that bounds the records, as far as it is public.
pub(in crate::study) struct StudyBall<M: Manifold, S> {
    pub(in crate::study) space: M,
    pub(in crate::study) centre: BallCentre<M::Point, S>,
    pub(in crate::study) radius: BallRadius,
}

/// Share of the largest radius the theorems allow, for a radius found privately.
const WITHIN: f64 = 0.999;

/// Share of the largest radius where a private one cannot be had: a default that depends on public numbers only.
const FALLBACK: f64 = 0.6;

/// The most records that are asked about.
const MOST_RECORDS: u64 = 1 << 40;

impl<M: Manifold, S: CentreStatistic<Point = M::Point>> StudyBall<M, S> {
    /// The ball, where all of it is public.
    pub(super) fn public(&self) -> Result<PublicBall<M>, PointStudyError> {
        match (&self.centre, &self.radius) {
            (BallCentre::Public(centre), BallRadius::Public(radius)) => {
                Ok(PublicBall::new(self.space.clone(), centre.clone(), *radius)?)
            }
            (BallCentre::Public(centre), BallRadius::Default) => {
                Ok(PublicBall::new(self.space.clone(), centre.clone(), self.fallback()?)?)
            }
            _ => Err(PointStudyError::Input(
                "without a release nothing is paid for: give a public centre and a public radius".into(),
            )),
        }
    }

    /// What several records of one person count as, which is one record: about a public centre the average of those records, brought
    /// into the ball, in the tangent space there; otherwise their Fréchet mean. It depends on that person's records and on public things
    /// only, so that the mechanism sees n records of n persons.
    ///
    /// # Errors
    /// [`PointStudyError::Record`] for records without a mean.
    pub(in crate::study) fn average(
        &self,
        first: usize,
        own: Vec<M::Point>,
    ) -> Result<M::Point, PointStudyError> {
        let of_person = |problem: ManifoldError| PointStudyError::Record {
            index: first + 1,
            problem: format!("the records of this person have no average: {problem}"),
        };
        let BallCentre::Public(centre) = &self.centre else {
            let found = frechet_mean(&self.space, &own, None, None, FrechetOptions::default());
            return Ok(found.map_err(of_person)?.point);
        };
        let radius = match self.radius {
            BallRadius::Public(radius) => radius,
            BallRadius::Private | BallRadius::Default => self.widest()?,
        };
        let ball = PublicBall::new(self.space.clone(), centre.clone(), radius)?;
        let own: Vec<_> = own.into_iter().map(Some).collect();
        let log = self.space.mean_log(centre, &ball.bound(&own).points, None).map_err(of_person)?.log;
        Ok(self.space.exp(centre, &log))
    }

    /// One record for each person; one whose records have no average is treated as unusable records are.
    ///
    /// # Errors
    /// As [`Self::average`].
    pub(in crate::study) fn one_each(
        &self,
        unusable: Unusable,
        people: &People,
        read: Read<M::Point>,
    ) -> Result<Read<M::Point>, PointStudyError> {
        let Read { points, mut problems, notes } = read;
        let points = people.one_each(points, |first, own| match (self.average(first, own), unusable) {
            (Err(PointStudyError::Record { problem: what, .. }), Unusable::Zero) => {
                problems.push(Problem { record: first, what });
                Ok(None)
            }
            (average, _) => average.map(Some),
        })?;
        Ok(Read { points, problems, notes })
    }

    /// The largest radius that is looked for privately.
    fn widest(&self) -> Result<ClipRadius, MechanismError> {
        Ok(ClipRadius::new(WITHIN * largest_radius(&self.space), ClipSource::Private)?)
    }

    /// The default radius where none can be found privately.
    fn fallback(&self) -> Result<ClipRadius, MechanismError> {
        Ok(ClipRadius::new(FALLBACK * self.widest()?.get(), ClipSource::Public)?)
    }

    /// The whole mechanism: first passes where they are needed, and `times` draws of the mean that `make` makes of what is left of the
    /// budget.
    pub(super) fn staged<K, Q>(
        &self,
        n: u64,
        times: u32,
        budget: Budget,
        make: impl FnOnce(Budget) -> Result<MakeMean<M, K>, MechanismError>,
    ) -> Result<StagedMean<M, S, K>, PointStudyError>
    where
        S: Clone,
        K: Mechanism<Records = [Option<M::Point>], Value = NoisedPoint<Q>, Error = MechanismError>,
    {
        let passes = self.passes(n, budget).map_err(|problem| self.too_few(problem, n, budget))?;
        let Passes { centre, radius, left } = passes;
        let mean = StagedMean::new(self.space.clone(), centre, radius, times, make(left)?)?;
        Ok(match left.stated_at() {
            Some(delta) => mean.stated_at(delta)?,
            None => mean,
        })
    }

    /// The first passes, made of public numbers only.
    fn passes(&self, n: u64, mut budget: Budget) -> Result<Passes<M::Point, S>, MechanismError>
    where
        S: Clone,
    {
        let centre = match &self.centre {
            BallCentre::Public(centre) => CentreSource::Public(centre.clone()),
            BallCentre::Private { statistic, anywhere } => CentreSource::Private {
                pass: PrivateCentre::new(statistic.clone(), n, budget.take(CENTRE_SHARE)?)?,
                anywhere: anywhere.clone(),
            },
        };
        let radius = match self.radius {
            BallRadius::Public(radius) => RadiusSource::Public(radius),
            BallRadius::Private => self.private_radius(n, &mut budget)?,
            BallRadius::Default => {
                let mut left = budget;
                match self.private_radius(n, &mut left) {
                    Ok(radius) => {
                        budget = left;
                        radius
                    }
                    Err(MechanismError::TooFew { .. } | MechanismError::NotHere { .. }) => {
                        RadiusSource::Public(self.fallback()?)
                    }
                    Err(other) => return Err(other),
                }
            }
        };
        Ok(Passes { centre, radius, left: budget })
    }

    /// Says how many records, and which budget, first passes need that do not work.
    fn too_few(&self, problem: MechanismError, n: u64, budget: Budget) -> PointStudyError
    where
        S: Clone,
    {
        let what = match problem {
            MechanismError::TooFew { .. } => "radius",
            MechanismError::CentreTooRough { .. } => "centre",
            other => return other.into(),
        };
        let (mut few, mut many) = (n, n.max(1));
        while self.passes(many, budget).is_err() {
            if many >= MOST_RECORDS {
                return problem.into();
            }
            (few, many) = (many, 2 * many);
        }
        while many - few > 1 {
            let middle = few + (many - few) / 2;
            if self.passes(middle, budget).is_ok() { many = middle } else { few = middle }
        }
        let least = budget.least(|budget| self.passes(n, budget).is_ok());
        PointStudyError::TooFew { n, what, records: many, budget: least }
    }

    fn private_radius(&self, n: u64, budget: &mut Budget) -> Result<RadiusSource, MechanismError> {
        let PrivacyLoss::Gaussian(mu) = budget.take(PrivateQuantile::BUDGET_SHARE)? else {
            return Err(MechanismError::NotHere {
                mechanism: "private radius with this",
                space: "a budget of pure epsilon",
                remedy: "give --mu or --delta too, or a public radius",
            });
        };
        let most = self.widest()?;
        let end = most.get();
        let grid = RadiusGrid { low: 0.02_f64.min(0.1 * end), high: end, ratio: 1.12 };
        Ok(RadiusSource::Private { pass: PrivateQuantile::on(&grid, n, mu)?, most })
    }
}

/// A centre still to be found in a generous ball about a public origin.
pub(in crate::study) fn in_first_ball<M: Manifold>(
    space: &M,
    origin: M::Point,
    radius: ClipRadius,
    first_radius: Option<f64>,
) -> Result<BallCentre<M::Point, BallStatistic<M>>, PointStudyError> {
    let first = first_radius.ok_or_else(|| {
        PointStudyError::Input(
            "a private centre is sought in a generous public ball about the origin: give its radius as --first-radius F"
                .into(),
        )
    })?;
    let first = ClipRadius::new(first, ClipSource::Public)?;
    if first.get() <= radius.get() {
        return Err(PointStudyError::Input(
            "--first-radius bounds the search for the centre and must exceed --radius; or give the public origin as centre"
                .into(),
        ));
    }
    let statistic = BallStatistic::new(PublicBall::new(space.clone(), origin.clone(), first)?);
    Ok(BallCentre::Private { statistic, anywhere: origin })
}

/// First passes, and what they leave of the budget.
struct Passes<P, S> {
    centre: CentreSource<P, S>,
    radius: RadiusSource,
    left: Budget,
}
