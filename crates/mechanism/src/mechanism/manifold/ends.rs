//! The neighbours that audits of means share: all records at one end of a ball, the last one there too or at the other end.
//!
//! For the mean, no replacement of a record moves it farther where the ball is small, since spaces are flat there. In a wide ball on the
//! sphere it moves farther when the other records are at both ends and the last one across. For the K-norm gradient the end itself, at the rim, matters: the law's normalizer changes with the mean too.

use super::{NoisedPoint, PublicBall, TangentMean};
use crate::manifold::{Manifold, Sphere};
use crate::mechanism::MechanismError;
use crate::privacy::audit::{AuditError, Auditable, Look, PairAudit};
use crate::privacy::{ClipRadius, ClipSource, Mechanism, Released};
use crate::stats::{FrechetOptions, frechet_mean};
use nalgebra::dvector;

/// Records of the audits.
pub(super) const RECORDS: u64 = 3;
/// Radius of their ball: small, so that bounds for curved spaces are attained.
pub(super) const SMALL: f64 = 0.05;

/// Radius of a ball that the sphere's curvature matters in: the largest is π/4.
const WIDE: f64 = 0.7;

/// A ball and two neighbouring datasets in it.
pub(super) struct Ends<M: Manifold> {
    ball: PublicBall<M>,
    data: [Vec<Option<M::Point>>; 2],
}

impl<M: Manifold + Clone + Send + Sync + 'static> Ends<M>
where
    M::Point: Send + Sync + 'static,
{
    /// In the ball of this radius about a centre, along the first vector of the basis there.
    pub(super) fn new(space: M, centre: M::Point, radius: f64, n: u64) -> Result<Self, MechanismError> {
        let mut along = vec![0.0; space.dim()];
        along[0] = radius;
        let at = |sign: f64| {
            let v = space.from_coordinates(&centre, &along.iter().map(|x| sign * x).collect::<Vec<_>>());
            space.exp(&centre, &v)
        };
        let (near, far) = (at(1.0), at(-1.0));
        let first = vec![Some(near); n as usize];
        let mut second = first.clone();
        second[0] = Some(far);
        let ball = PublicBall::new(space, centre, ClipRadius::new(radius, ClipSource::Public)?)?;
        Ok(Self { ball, data: [first, second] })
    }

    /// How many records.
    pub(super) fn n(&self) -> u64 {
        self.data[0].len() as u64
    }

    pub(super) fn ball(&self) -> PublicBall<M> {
        self.ball.clone()
    }

    /// The audit of a mechanism on them.
    pub(super) fn audit<K>(
        self,
        name: &'static str,
        mechanism: K,
        look: Look<NoisedPoint<M::Point>>,
    ) -> Result<Box<dyn Auditable>, AuditError>
    where
        K: Mechanism<Records = [Option<M::Point>], Value = NoisedPoint<M::Point>> + Send + Sync + 'static,
        K::Prepared<'static>: Send + Sync,
    {
        PairAudit::boxed(name, mechanism, self.data, |records| &records[..], look)
    }

    /// How much nearer a release is to one mean than to the other, as a difference of distances (the likelihood ratio of Laplace laws) and of
    /// their squares (of Gaussian ones).
    pub(super) fn nearer(&self) -> Result<Look<NoisedPoint<M::Point>>, MechanismError> {
        let space = self.ball.manifold().clone();
        let [first, second] = self.means()?;
        Ok(Box::new(move |released: &Released<NoisedPoint<M::Point>>| {
            let point = &released.value.point;
            let (a, b) = (space.dist(point, &first), space.dist(point, &second));
            vec![b - a, b * b - a * a]
        }))
    }

    /// How far apart the two means are.
    pub(super) fn moved(&self) -> Result<f64, MechanismError> {
        let [first, second] = self.means()?;
        Ok(self.ball.manifold().dist(&first, &second))
    }

    fn means(&self) -> Result<[M::Point; 2], MechanismError> {
        let space = self.ball.manifold();
        let mean = |records: &[Option<M::Point>]| {
            let points: Vec<_> = records.iter().flatten().cloned().collect();
            frechet_mean(space, &points, None, None, FrechetOptions::default()).map(|mean| mean.point)
        };
        Ok([mean(&self.data[0])?, mean(&self.data[1])?])
    }

    /// How badly a point balances either dataset: the norm of the gradient.
    pub(super) fn scores(&self) -> impl Fn(&M::Point) -> [f64; 2] + Send + Sync + 'static {
        let space = self.ball.manifold().clone();
        let data = self.data.clone().map(|records| records.into_iter().flatten().collect::<Vec<_>>());
        move |point| {
            let score = |points: &Vec<M::Point>| {
                space.mean_log(point, points, None).map_or(f64::NAN, |mean| space.norm(point, &mean.log))
            };
            [score(&data[0]), score(&data[1])]
        }
    }

    /// How much better a release balances the one dataset than the other: σ times the logarithm of the likelihood ratio of the K-norm
    /// gradient's two laws on the cells, but for a constant.
    pub(super) fn balance(&self) -> Look<NoisedPoint<M::Point>> {
        let scores = self.scores();
        Box::new(move |released: &Released<NoisedPoint<M::Point>>| {
            let [first, second] = scores(&released.value.point);
            vec![second - first]
        })
    }

    /// As [`Self::nearer`], of noised coordinates at the centre.
    pub(super) fn nearer_in_coordinates(&self) -> Look<NoisedPoint<M::Point>> {
        let (n, radius) = (self.data[0].len() as f64, self.ball.radius().get());
        let (first, second) = (radius, radius * (1.0 - 2.0 / n));
        Box::new(move |released: &Released<NoisedPoint<M::Point>>| {
            let noised = &released.value.noised;
            let across: f64 = noised[1..].iter().map(|x| x * x).sum();
            let square = |at: f64| (noised[0] - at).powi(2) + across;
            vec![square(second).sqrt() - square(first).sqrt(), noised[0]]
        })
    }
}

impl Ends<Sphere> {
    /// In a wide ball on S², four records at either end of one diameter and the last at either end of the other.
    pub(super) fn crossed() -> Result<Self, MechanismError> {
        let mut ends = spaces::sphere(WIDE, 9)?;
        let ball = ends.ball();
        let at = |x: f64, y: f64| Some(ball.manifold().exp(ball.centre(), &dvector![x, y, 0.0]));
        for (data, last) in ends.data.iter_mut().zip([WIDE, -WIDE]) {
            data[0] = at(0.0, last);
            data[1..5].fill(at(WIDE, 0.0));
            data[5..].fill(at(-WIDE, 0.0));
        }
        Ok(ends)
    }
}

/// The audit of a mean in the tangent space.
pub(super) fn tangent<M>(
    name: &'static str,
    ends: Result<Ends<M>, MechanismError>,
    make: impl FnOnce(PublicBall<M>) -> Result<TangentMean<M>, MechanismError>,
) -> Result<Box<dyn Auditable>, AuditError>
where
    M: Manifold + Clone + Send + Sync + 'static,
    M::Point: Send + Sync + 'static,
{
    let no_claim = |_| AuditError::NoClaim(name.to_owned());
    let ends = ends.map_err(no_claim)?;
    let mechanism = make(ends.ball()).map_err(no_claim)?;
    let look = ends.nearer_in_coordinates();
    ends.audit(name, mechanism, look)
}

/// The centres of the spaces that are audited: (1, 0, …) on hyperboloids, and any shape.
pub(super) mod spaces {
    use super::{Ends, MechanismError};
    use crate::manifold::{Euclidean, Kendall, Lorentz, SpdAffineInvariant, Sphere};
    use crate::mechanism::manifold::any_shape;
    use nalgebra::{DMatrix, dvector};

    pub(in super::super) fn sphere(radius: f64, n: u64) -> Result<Ends<Sphere>, MechanismError> {
        Ends::new(Sphere::unit(2)?, dvector![0.0, 0.0, 1.0], radius, n)
    }

    pub(in super::super) fn hyperbolic(radius: f64, n: u64) -> Result<Ends<Lorentz>, MechanismError> {
        Ends::new(Lorentz::new(2)?, dvector![1.0, 0.0, 0.0], radius, n)
    }

    pub(in super::super) fn kendall(radius: f64, n: u64) -> Result<Ends<Kendall>, MechanismError> {
        // Triangles: in few dimensions more of what a law loses is in events that are frequent.
        let space = Kendall::new(3)?;
        let centre = any_shape(&space);
        Ends::new(space, centre, radius, n)
    }

    /// Matrices of order 2 in the log-Euclidean metric, by their logarithms.
    pub(in super::super) fn logarithms(radius: f64, n: u64) -> Result<Ends<Euclidean>, MechanismError> {
        Ends::new(Euclidean::new(3), dvector![0.5, -0.2, 0.3], radius, n)
    }

    pub(in super::super) fn matrices(
        radius: f64,
        n: u64,
    ) -> Result<Ends<SpdAffineInvariant>, MechanismError> {
        let centre = DMatrix::from_row_slice(2, 2, &[2.0, 0.5, 0.5, 0.4]);
        Ends::new(SpdAffineInvariant::new(2)?, centre, radius, n)
    }
}
