//! The public ball that bounds every record, and what its radius bounds.

use crate::manifold::Manifold;
use crate::mechanism::MechanismError;
use crate::numeric::margins;
use crate::privacy::{BudgetError, ClipRadius, DistanceSensitivity, GradientSensitivity, L2Sensitivity};
use crate::stats::{FrechetOptions, GeodesicBall, distance_to_mean, frechet_mean, hessian_lower_bound};
use std::f64::consts::FRAC_PI_2;

/// The largest gradient norm at which the Fréchet mean of the bounded records is taken for found: half of it as it is computed, the other
/// half for what rounding does to it (about 1e-16 for each operation on a record; no bound is proved). So the point that the program uses is
/// within this over the least Hessian of the mean, whatever the records are, and the sensitivities count that twice: the theorems speak
/// of the exact mean, the mechanisms use the computed one. The scores of the K-norm gradient count it in the same way.
pub const MEAN_GRADIENT: f64 = 1e-9;

/// Gradient steps when a mean is sought that way: near the largest radius the rate comes close to 1.
const MOST_STEPS: f64 = 20_000.0;

/// B_r(p₀): centre and radius are public, and every record is brought into it.
#[derive(Debug, Clone)]
pub struct PublicBall<M: Manifold> {
    ball: GeodesicBall<M>,
    radius: ClipRadius,
}

/// Records in the ball, and how many had to be brought there: the counts are for the data holder only.
#[derive(Debug, Clone)]
pub struct BoundedRecords<P> {
    /// One point for each record, all in the ball.
    pub points: Vec<P>,
    /// How many lay outside and were projected.
    pub projected: usize,
    /// How many were missing or had no projection, and stand at the centre.
    pub failed: usize,
}

/// Records in the ball with their Fréchet mean: secret.
#[derive(Debug, Clone)]
pub struct LocatedRecords<P> {
    /// The records in the ball.
    pub bounded: BoundedRecords<P>,
    /// Their Fréchet mean, to within a gradient of [`MEAN_GRADIENT`].
    pub mean: P,
}

impl<M: Manifold> PublicBall<M> {
    /// The ball. The theorems need r < ½ min(inj, π/(2√κ)), the second where κ > 0 (theory: Assumption 1 of Soto et al. 2022);
    /// see [`largest_radius`].
    ///
    /// # Errors
    /// [`MechanismError::Radius`] with the bound; a centre off the manifold.
    pub fn new(manifold: M, centre: M::Point, radius: ClipRadius) -> Result<Self, MechanismError> {
        manifold.check(&centre)?;
        let bound = largest_radius(&manifold);
        if radius.get() >= bound {
            return Err(MechanismError::Radius { radius: radius.get(), bound });
        }
        let ball = GeodesicBall::new(manifold, centre, radius.get())?;
        Ok(Self { ball, radius })
    }

    /// The space.
    pub fn manifold(&self) -> &M {
        self.ball.manifold()
    }

    /// p₀.
    pub fn centre(&self) -> &M::Point {
        self.ball.center()
    }

    /// r and its source.
    pub fn radius(&self) -> ClipRadius {
        self.radius
    }

    /// Whether a point is inside.
    pub fn contains(&self, p: &M::Point) -> bool {
        self.ball.contains(p)
    }

    /// Brings every record into the ball: record by record, so free of charge.
    pub fn bound(&self, records: &[Option<M::Point>]) -> BoundedRecords<M::Point> {
        let mut bounded =
            BoundedRecords { points: Vec::with_capacity(records.len()), projected: 0, failed: 0 };
        for record in records {
            match record.as_ref().map(|p| self.ball.project(p)) {
                Some(Ok((point, moved))) => {
                    bounded.projected += usize::from(moved);
                    bounded.points.push(point);
                }
                // Failed, or beyond the cut locus of the centre: a record all the same.
                _ => {
                    bounded.failed += 1;
                    bounded.points.push(self.centre().clone());
                }
            }
        }
        bounded
    }

    /// Brings n records into the ball and finds their Fréchet mean.
    ///
    /// # Errors
    /// Another number of records; [`MechanismError::NotConverged`] for a mean that was not found accurately enough.
    pub fn locate(
        &self,
        records: &[Option<M::Point>],
        n: u64,
    ) -> Result<LocatedRecords<M::Point>, MechanismError> {
        if records.len() as u64 != n {
            return Err(MechanismError::Shape("the number of records is not the n that was declared"));
        }
        let bounded = self.bound(records);
        let options = FrechetOptions::default();
        let mean = match frechet_mean(self.manifold(), &bounded.points, None, Some(self.centre()), options) {
            Ok(found) if found.certificate.gradient_norm <= 0.5 * MEAN_GRADIENT => found.point,
            _ => self.descended(&bounded.points)?,
        };
        Ok(LocatedRecords { bounded, mean })
    }

    /// The mean by a fixed public number K of gradient steps from the centre, each brought back into the ball.
    ///
    /// In curvature ≥ 0 it is within (1 − h)ᴷ 2r of the mean, h = s cot s, s = 2r√κ: by Toponogov's comparison exp_x(−∇F) is as near to the
    /// mean as ∇F(x) + log_x x̄ is long, an integral of (Hess F − 1) with Hess F between h and 1, and bringing back into a convex ball brings
    /// nothing farther from a point of it. In negative curvature steps are divided by H = s coth s, the largest Hessian; their rate is not
    /// proved. So here not to converge is an outcome of rounding or of negative curvature only; nothing has been charged then.
    fn descended(&self, points: &[M::Point]) -> Result<M::Point, MechanismError> {
        let (manifold, r) = (self.manifold(), self.radius.get());
        let curvature = manifold.curvature();
        let s = 2.0 * r * (-curvature.lower).max(0.0).sqrt();
        let pace = if s > 1e-6 { s.tanh() / s } else { 1.0 };
        let rate = (1.0 - pace * hessian_lower_bound(curvature.upper, r)).clamp(1e-9, 1.0 - 1e-9);
        let steps = ((1e-2 * MEAN_GRADIENT / r).ln() / rate.ln()).clamp(60.0, MOST_STEPS) as u32;
        let mut x = self.centre().clone();
        for _ in 0..steps {
            let step = manifold.mean_log(&x, points, None)?.log;
            x = self.ball.project(&manifold.exp(&x, &manifold.scale(pace, &step)))?.0;
        }
        let gradient = manifold.norm(&x, &manifold.mean_log(&x, points, None)?.log);
        if gradient <= 0.5 * MEAN_GRADIENT { Ok(x) } else { Err(MechanismError::NotConverged) }
    }

    /// r√κ for a radius that rounding cannot exceed; 0 where the curvature is at most 0.
    fn angle(&self) -> f64 {
        let radius = self.radius.get() * (1.0 + rounding(self.manifold(), self.radius.get()));
        radius * self.manifold().curvature().upper.max(0.0).sqrt()
    }

    /// 2r/n times what curvature adds to it.
    fn of_mean(&self, n: u64, factor: f64) -> Result<L2Sensitivity, BudgetError> {
        let flat = L2Sensitivity::of_clipped_mean(self.radius, n)?;
        let room = (1.0 + margins::BENT) * (1.0 + rounding(self.manifold(), self.radius.get()));
        L2Sensitivity::new(flat.get() * factor * room)
    }

    /// How far one record moves the Fréchet mean, as a distance: min(2r, 2 tan(r√κ)/(n√κ)), or 2r/n where κ ≤ 0. Twice the distance to
    /// which the mean is known is added (see [`distance_to_mean`]), for a solver that stopped at a gradient of this norm.
    ///
    /// # Errors
    /// n = 0.
    ///
    #[doc = include_str!("sensitivity.md")]
    pub fn mean_sensitivity(&self, n: u64, gradient: f64) -> Result<DistanceSensitivity, BudgetError> {
        let off = distance_to_mean(gradient, self.manifold().curvature().upper, self.radius.get());
        let angle = self.angle();
        let bent = if angle > 0.0 { angle.tan() / angle } else { 1.0 };
        let bound = self.of_mean(n, bent.min(n as f64))?.plus_error(off)?;
        DistanceSensitivity::new(bound.get())
    }

    /// How far one record moves the gradient of the Fréchet objective at any point of the ball: for κ > 0, 1/(n√κ) times the largest
    /// 4β√(1 − tan²β/tan²(r√κ)) for β from 0 to r√κ (Lemma 3 of [`Self::mean_sensitivity`]); 2r/n where κ ≤ 0 (there at any point
    /// at all); plus twice the error with which its norm is known.
    ///
    /// # Errors
    /// n = 0.
    pub fn gradient_sensitivity(&self, n: u64, error: f64) -> Result<GradientSensitivity, BudgetError> {
        let bound = self.of_mean(n, widest_logarithms(self.angle()))?.plus_error(error)?;
        GradientSensitivity::new(bound.get())
    }
}

/// How much longer than 2ϱ the difference of two logarithms can be on the unit sphere, of points of a ball of radius `angle` = ϱ ≤ π/4 at one of
/// its points: the largest (2β/ϱ)√(1 − tan²β/tan²ϱ). Its logarithm is concave in β, so that the sign of its slope finds it.
fn widest_logarithms(angle: f64) -> f64 {
    if angle == 0.0 {
        return 1.0;
    }
    let share = |beta: f64| (beta.tan() / angle.tan()).powi(2);
    let (mut low, mut high) = (0.0, angle);
    for _ in 0..60 {
        let beta = 0.5 * (low + high);
        let rises = (1.0 - share(beta)) * (2.0 * beta).sin() > share(beta) * 2.0 * beta;
        if rises { low = beta } else { high = beta }
    }
    2.0 * low / angle * (1.0 - share(low)).sqrt()
}

/// By how much, relatively, a record brought into the ball may lie outside it, as its computed distances say.
fn rounding<M: Manifold>(manifold: &M, radius: f64) -> f64 {
    margins::IN_BALL + 4.0 * f64::EPSILON * manifold.rounding_growth(radius)
}

/// The largest admissible radius: ½ min(inj, π/(2√κ)), the second where κ > 0; a closed flat space, a circle, has the first. A little less,
/// so that records outside the ball by rounding are within. On Hadamard spaces it ends where distances can no longer be computed.
pub fn largest_radius<M: Manifold>(manifold: &M) -> f64 {
    let kappa = manifold.curvature().upper;
    let conjugate = if kappa > 0.0 { FRAC_PI_2 / kappa.sqrt() } else { f64::INFINITY };
    let theorem = 0.5 * manifold.injectivity_radius().min(conjugate);
    let inexact = |r: f64| rounding(manifold, r) > margins::WIDEST_BALL;
    let (mut low, mut high) = (0.0, 1e6_f64.min(theorem));
    if !inexact(high) {
        return theorem / (1.0 + 2.0 * rounding(manifold, high));
    }
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if inexact(middle) { high = middle } else { low = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifold::{Euclidean, Lorentz, SpdLogEuclidean, Sphere};
    use crate::privacy::ClipSource;
    use nalgebra::DVector;
    use std::f64::consts::PI;

    #[test]
    fn radii_end_where_the_theorems_or_the_numbers_do() {
        assert!((largest_radius(&Sphere::new(2, 1.0).unwrap()) - 0.25 * PI).abs() < 1e-9);
        // A circle is flat, but logarithms jump half-way round it.
        assert!((largest_radius(&Sphere::new(1, 1.0).unwrap()) - 0.5 * PI).abs() < 1e-9);
        assert!(largest_radius(&Euclidean::new(3)).is_infinite());
        let hyperbolic = largest_radius(&Lorentz::new(2).unwrap());
        assert!((14.0..20.0).contains(&hyperbolic), "{hyperbolic}");
        let matrices = largest_radius(&SpdLogEuclidean::new(3).unwrap());
        assert!((20.0..28.0).contains(&matrices), "{matrices}");
    }

    /// Neighbouring records at the ends of the widest arc: the circular mean moves by no more than is claimed.
    #[test]
    fn one_record_moves_the_mean_on_a_circle_by_no_more_than_is_claimed() {
        let circle = Sphere::new(1, 1.0).unwrap();
        let at = |angle: f64| DVector::from_vec(vec![angle.cos(), angle.sin()]);
        let clip = |r| ClipRadius::new(r, ClipSource::Public).unwrap();
        assert!(PublicBall::new(circle, at(0.0), clip(1.6)).is_err());
        let ball = PublicBall::new(circle, at(0.0), clip(1.55)).unwrap();
        let mean = |last: f64| {
            let mut records = vec![Some(at(3.0)); 5];
            records.extend(vec![Some(at(-3.0)); 4]);
            records.push(Some(at(last)));
            let points = ball.bound(&records).points;
            let found = crate::stats::frechet_mean(&circle, &points, None, None, Default::default()).unwrap();
            assert!(found.certificate.gradient_norm < 1e-12);
            found.point[1].atan2(found.point[0])
        };
        let moved = (mean(3.0) - mean(-3.0)).abs();
        let claimed = ball.mean_sensitivity(10, 1e-12).unwrap().get();
        assert!(moved <= claimed && moved > 0.99 * claimed, "{moved} against {claimed}");
    }

    /// The fixed number of steps meets its bound: it ends where the solver ends, on a sphere near its largest radius and on the hyperbolic
    /// plane.
    #[test]
    fn gradient_steps_find_the_mean_of_the_solver() {
        fn check<M: Manifold>(manifold: M, centre: M::Point, radius: f64) {
            let ball =
                PublicBall::new(manifold, centre, ClipRadius::new(radius, ClipSource::Public).unwrap())
                    .unwrap();
            let (manifold, dim) = (ball.manifold(), ball.manifold().dim());
            let at = |i: usize| {
                let unit: Vec<f64> =
                    (0..dim).map(|k| if i % dim == k { 1.9 * radius } else { 0.1 * i as f64 }).collect();
                Some(manifold.exp(ball.centre(), &manifold.from_coordinates(ball.centre(), &unit)))
            };
            let records: Vec<_> = (0..7).map(at).collect();
            let located = ball.locate(&records, 7).unwrap();
            let stepped = ball.descended(&located.bounded.points).unwrap();
            assert!(manifold.dist(&stepped, &located.mean) < 1e-8);
        }
        check(Sphere::new(3, 1.0).unwrap(), DVector::from_vec(vec![0.0, 1.0, 0.0, 0.0]), 0.7);
        let plane = Lorentz::new(2).unwrap();
        check(plane, plane.origin(), 2.0);
    }

    /// Records far outside, brought in: 40-digit arithmetic gave a relative excess of 2e-7 at r = 25 and 1e-5 at r = 30 on the
    /// hyperbolic plane; the room left for it is larger, and wider balls are refused.
    #[test]
    fn the_room_for_rounding_covers_what_was_measured() {
        let plane = Lorentz::new(2).unwrap();
        assert!(rounding(&plane, 12.0) > 1e-9);
        assert!(rounding(&plane, 25.0) > 2e-7);
        assert!(
            PublicBall::new(plane, plane.origin(), ClipRadius::new(25.0, ClipSource::Public).unwrap())
                .is_err()
        );
    }
}
