//! Statistics of points in the tangent space of a centre that is found and paid for first.

mod worst_case;

pub use worst_case::ENTRY;

use super::staged::CENTRE_SHARE;
use super::{CentreStatistic, PrivateCentre};
use crate::manifold::{Manifold, TangentFrame};
use crate::mechanism::MechanismError;
use crate::mechanism::functional::{OfSamples, Samples, priced_after};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{Charge, Composition, Drawn, Mechanism, Mu, Price, PrivacyLoss, Title};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

const TITLE: Title = Title {
    name: "points in the tangent space of a private centre",
    sentence: "A rough centre is read off a noised average and paid for; every record becomes the coordinates of its logarithm there, and \
               nothing but the record itself and that centre has a part in this.",
};

/// n people by their points: secret.
#[derive(Debug, Clone)]
pub struct PointRecords<P> {
    /// Of each person the point; `None` without a usable one.
    pub points: Vec<Option<P>>,
    /// Of each person the covariates, where there are any.
    pub rows: Vec<Vec<f64>>,
}

/// What was released.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReleasedAbout<P, V> {
    /// The centre: noised and paid for.
    pub centre: P,
    /// What was released of the logarithms there.
    pub value: V,
}

/// A statistic of the coordinates of logarithms at a private centre, in an orthonormal frame there.
///
#[doc = include_str!("proof.md")]
///
/// # Failed records
/// A person without a usable point, or whose point has no logarithm at the centre, counts as the public vector of the first pass and as zero
/// in what comes then.
pub struct AboutPrivate<M, C, T> {
    price: Price,
    space: M,
    pass: Arc<PrivateCentre<C>>,
    /// The same whatever the centre, whose own coordinates are zero.
    inner: Arc<T>,
    left: PrivacyLoss,
}

/// Records made ready: secret.
pub struct PreparedAbout<'a, P> {
    records: &'a PointRecords<P>,
    moment: Vec<f64>,
}

impl<M, C, T> AboutPrivate<M, C, T>
where
    M: Manifold,
    C: CentreStatistic<Point = M::Point>,
    T: OfSamples,
{
    /// For n records at μ, the centre being read off `statistic`. `make` makes what comes then of how far the centre is expected to lie off by
    /// its noise (a standard deviation, in the distance of the space) and of what is left of μ.
    ///
    /// # Errors
    /// [`MechanismError`], about public numbers.
    pub fn new(
        space: M,
        statistic: C,
        n: u64,
        mu: Mu,
        make: impl FnOnce(f64, Mu) -> Result<T, MechanismError>,
    ) -> Result<Self, MechanismError> {
        let (first, left) = mu.split(CENTRE_SHARE)?;
        let pass = PrivateCentre::new(statistic, n, PrivacyLoss::Gaussian(first))?;
        let inner = make(pass.expected_error(), left)?;
        let mut parts = Composition::new();
        parts.add(pass.price().mechanism.clone(), pass.price().loss);
        let what = "of points by their logarithms at a private centre";
        let price = priced_after(TITLE, what, inner.price_of(), parts, (n, mu))?;
        let left = PrivacyLoss::Gaussian(left);
        Ok(Self { price, space, pass: Arc::new(pass), inner: Arc::new(inner), left })
    }

    /// What comes after the centre: for what is made of a release.
    pub fn inner(&self) -> &Arc<T> {
        &self.inner
    }

    /// How far the centre is expected to lie off by its noise: public.
    pub fn centre_error(&self) -> f64 {
        self.pass.expected_error()
    }

    /// The points as their coordinates at a centre: zero for one that has none there.
    fn samples(&self, points: &[Option<M::Point>], centre: M::Point) -> Samples {
        let frame = TangentFrame::new(self.space.clone(), centre.clone());
        let one = |point: &Option<M::Point>| {
            let log = self.space.log(&centre, point.as_ref()?).ok()?;
            Some(frame.coordinates(&log))
                .filter(|u| u.len() == frame.dim() && u.iter().all(|x| x.is_finite()))
        };
        points.iter().map(one).collect()
    }
}

impl<M, C, T> Mechanism for AboutPrivate<M, C, T>
where
    M: Manifold,
    C: CentreStatistic<Point = M::Point>,
    T: OfSamples,
{
    type Records = PointRecords<M::Point>;
    type Prepared<'a>
        = PreparedAbout<'a, M::Point>
    where
        Self: 'a;
    type Value = ReleasedAbout<M::Point, T::Value>;
    type Error = MechanismError;

    fn price(&self) -> &Price {
        &self.price
    }

    fn prepare<'a>(
        &'a self,
        records: &'a PointRecords<M::Point>,
    ) -> Result<PreparedAbout<'a, M::Point>, MechanismError> {
        // What can fail for want of data fails here, not after the charge.
        self.inner.check(records.points.len(), &records.rows)?;
        Ok(PreparedAbout { records, moment: self.pass.prepare(&records.points)? })
    }

    fn draw(
        &self,
        prepared: &PreparedAbout<'_, M::Point>,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<Self::Value>, MechanismError> {
        let mut paid = paid.split(&[self.pass.price().loss, self.left])?.into_iter();
        let mut next =
            || paid.next().ok_or(MechanismError::Shape("a payment has a part for every part of the release"));
        let Drawn { value, mut parts } = self.pass.draw(&prepared.moment, noise, next()?)?;
        let samples = self.samples(&prepared.records.points, value.centre.clone());
        let ready = self.inner.prepare_of(&samples, &prepared.records.rows)?;
        let drawn = self.inner.draw_of(&ready, noise, next()?)?;
        parts.extend(drawn.parts);
        Ok(Drawn { value: ReleasedAbout { centre: value.centre, value: drawn.value }, parts })
    }
}

impl<M, C, T> fmt::Debug for AboutPrivate<M, C, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AboutPrivate").field("price", &self.price).finish()
    }
}
