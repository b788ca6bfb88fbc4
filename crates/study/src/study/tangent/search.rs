//! Points about a centre that is found first and paid for from the same budget.

use super::centring::{Centring, Expected, Inner, Make, Told};
use super::chart::Chart;
use super::internal;
use super::opened::PointRecords;
use super::records::{Centred, Gathered, Opened, Shown};
use super::space::TangentSpace;
use crate::job::Job;
use crate::manifold::Manifold;
use crate::mechanism::MechanismError;
use crate::mechanism::functional::Reach;
use crate::mechanism::manifold::{self, AboutPrivate, CentreStatistic, ReleasedAbout};
use crate::privacy::{ClipRadius, ClipSource, Mu};
use crate::study::points::{Array, BallCentre, BallRadius, PointStudyError, Read, StudyBall, Words};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt;
use std::sync::Arc;

/// Where a private centre is sought, and how far records are expected to lie from it.
pub(super) struct Search<M: Manifold, C> {
    /// At any public point.
    chart: Arc<Chart<M>>,
    statistic: C,
    /// That the centre will have.
    ball: StudyBall<M, C>,
}

impl<M, C> Search<M, C>
where
    M: Manifold<Tangent = <M as Manifold>::Point> + 'static,
    C: CentreStatistic<Point = M::Point> + Clone,
    for<'a> Array: From<&'a M::Point>,
{
    /// From the chart at a public point, whose radius is that about the centre.
    ///
    /// # Errors
    /// A public centre: there is nothing to search for.
    pub(super) fn new(chart: Chart<M>, centre: BallCentre<M::Point, C>) -> Result<Self, PointStudyError> {
        let BallCentre::Private { statistic, .. } = &centre else {
            return Err(MechanismError::Shape("the centre is public").into());
        };
        let radius = ClipRadius::new(chart.radius(), ClipSource::Public).map_err(MechanismError::from)?;
        let statistic = statistic.clone();
        let ball = StudyBall { space: chart.manifold().clone(), centre, radius: BallRadius::Public(radius) };
        Ok(Self { chart: Arc::new(chart), statistic, ball })
    }
}

/// A private centre, with n people and their budget.
pub(super) struct SoughtCentre<M: Manifold, C> {
    chart: Arc<Chart<M>>,
    statistic: C,
    mu: Mu,
    n: u64,
}

impl<M: Manifold, C> fmt::Debug for SoughtCentre<M, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SoughtCentre").field("mu", &self.mu).field("n", &self.n).finish()
    }
}

impl<M, C> SoughtCentre<M, C>
where
    M: Manifold<Tangent = <M as Manifold>::Point> + 'static,
    C: CentreStatistic<Point = M::Point>,
    for<'a> Array: From<&'a M::Point>,
{
    /// How far a centre may lie from the mean: as far as the space or the ball goes that it is sought in.
    fn within(&self) -> f64 {
        let far = self.chart.manifold().injectivity_radius();
        if far.is_finite() { far } else { self.statistic.diameter() }
    }

    /// How far records may lie from a centre that is off by this: nothing is further than the space goes.
    fn radius(&self, centre_error: f64) -> f64 {
        self.chart.radius().hypot(centre_error).min(self.chart.manifold().injectivity_radius())
    }
}

impl<M, C> Centring for SoughtCentre<M, C>
where
    M: Manifold<Tangent = <M as Manifold>::Point> + 'static,
    M::Point: Serialize + DeserializeOwned + 'static,
    C: CentreStatistic<Point = M::Point> + Clone + Send + Sync + 'static,
    for<'a> Array: From<&'a M::Point>,
{
    type Records = manifold::PointRecords<M::Point>;
    type About<T: Inner> = AboutPrivate<M, C, T>;

    fn words(&self) -> Words {
        self.chart.words()
    }

    fn about<T: Inner>(&self, make: impl Make<T>) -> Result<AboutPrivate<M, C, T>, MechanismError> {
        let Self { chart, statistic, mu, n } = self;
        AboutPrivate::new(chart.manifold().clone(), statistic.clone(), *n, *mu, |centre_error, left| {
            make(Expected {
                basis: chart.basis().clone(),
                centre: chart.centre().to_vec(),
                reach: Reach::RootMeanSquare(self.radius(centre_error)),
                centre_error: Some(centre_error),
                known: None,
                mu: left,
                n: *n,
            })
        })
    }

    fn told<'a, T: Inner>(
        &self,
        about: &AboutPrivate<M, C, T>,
        released: &'a ReleasedAbout<M::Point, T::Value>,
    ) -> Result<Told<'a, T>, PointStudyError> {
        let chart =
            self.chart.found(released.centre.clone(), self.radius(about.centre_error()), self.within());
        Ok(Told { space: Arc::new(chart), inner: about.inner().clone(), value: &released.value })
    }

    fn settings(&self) -> String {
        let chart = &self.chart;
        format!("{:?}", (chart.radius(), chart.axes(), chart.point(chart.centre()), chart.details()))
    }
}

impl<M, C> Centred for PointRecords<M::Point, Search<M, C>>
where
    M: Manifold<Tangent = <M as Manifold>::Point> + 'static,
    M::Point: Serialize + DeserializeOwned + 'static,
    C: CentreStatistic<Point = M::Point> + Clone + Send + Sync + 'static,
    for<'a> Array: From<&'a M::Point>,
{
    type Centring = SoughtCentre<M, C>;
    type Own = ();

    fn centring(&self, mu: Mu) -> SoughtCentre<M, C> {
        let Search { chart, statistic, .. } = &self.seen_from;
        let n = self.people().count() as u64;
        SoughtCentre { chart: chart.clone(), statistic: statistic.clone(), mu, n }
    }

    fn gather(&self, _: &Job<'_>) -> Result<Gathered<Self>, PointStudyError> {
        let unusable = self.circumstances().unusable;
        let Read { points, problems, notes } =
            self.seen_from.ball.one_each(unusable, self.people(), self.read_as(Ok)?)?;
        let failed = points.iter().filter(|record| record.is_none()).count();
        let records = manifold::PointRecords { points, rows: Vec::new() };
        Ok(Gathered { own: (), records, sums: Vec::new(), failed, problems: Some(problems), notes })
    }

    fn give(records: &mut manifold::PointRecords<M::Point>, rows: Vec<Vec<f64>>) {
        records.rows = rows;
    }

    fn write_internal(
        &self,
        job: &Job<'_>,
        gathered: &Gathered<Self>,
        released: &Shown<'_>,
    ) -> Result<Option<usize>, PointStudyError> {
        let space = released.space;
        let centre = self.point(&space.point(space.centre())).map_err(PointStudyError::Input)?;
        let chart = self.seen_from.chart.found(centre, space.radius(), space.radius());
        let samples: Vec<_> =
            gathered.records.points.iter().map(|point| chart.coordinates(point.as_ref()?).ok()).collect();
        internal::write(job, space, &samples, released.mean).map(Some)
    }
}
