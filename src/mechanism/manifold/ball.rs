//! The public ball that bounds every record, and what its radius bounds.

use super::ManifoldMeanError;
use crate::manifold::Manifold;
use crate::privacy::{BudgetError, ClipRadius, L2Sensitivity};
use crate::stats::GeodesicBall;
use std::f64::consts::FRAC_PI_2;

/// Room for rounding in the geodesic projection and the logarithms.
const ROUNDING: f64 = 1.0 + 1e-10;

/// B_r(p₀): centre and radius are public, and every record is brought into it.
#[derive(Debug, Clone)]
pub struct PublicBall<'a, M: Manifold> {
    manifold: &'a M,
    ball: GeodesicBall<'a, M>,
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

impl<'a, M: Manifold> PublicBall<'a, M> {
    /// The ball; on spaces with positive curvature κ the theorems need r < ½ min(inj, π/(2√κ)) (theory: Assumption 1 of Soto
    /// et al. 2022).
    ///
    /// # Errors
    /// [`ManifoldMeanError::Radius`] with the bound; a centre off the manifold.
    pub fn new(manifold: &'a M, centre: M::Point, radius: ClipRadius) -> Result<Self, ManifoldMeanError> {
        manifold.check(&centre)?;
        let bound = largest_radius(manifold);
        if radius.get() >= bound {
            return Err(ManifoldMeanError::Radius { radius: radius.get(), bound });
        }
        let ball = GeodesicBall::new(manifold, centre, radius.get())?;
        Ok(Self { manifold, ball, radius })
    }

    /// The space.
    pub fn manifold(&self) -> &'a M {
        self.manifold
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

    /// s = 2r√κ, 0 where the curvature is at most 0.
    fn spread(&self) -> f64 {
        2.0 * self.radius.get() * self.manifold.curvature().upper.max(0.0).sqrt()
    }

    fn of_mean(&self, n: u64, factor: f64) -> Result<L2Sensitivity, BudgetError> {
        let flat = L2Sensitivity::of_clipped_mean(self.radius, n)?;
        L2Sensitivity::new(flat.get() * factor * ROUNDING)
    }

    /// How far one record moves the Fréchet mean: (2r/n)/cos s by Rauch comparison, 2r/n where κ ≤ 0; twice the error of the
    /// solver is added, η/h with η the gradient norm it stopped at and h = s cot s the least Hessian.
    ///
    /// # Errors
    /// n = 0.
    pub fn mean_sensitivity(&self, n: u64, gradient: f64) -> Result<L2Sensitivity, BudgetError> {
        let s = self.spread();
        let hessian = if s > 0.0 { s / s.tan() } else { 1.0 };
        self.of_mean(n, 1.0 / s.cos())?.plus_error(gradient / hessian)
    }

    /// How far one record moves the gradient of the Fréchet objective at any point of the ball: (2r/n)·s/sin s, 2r/n where
    /// κ ≤ 0 (there at any point at all).
    ///
    /// # Errors
    /// n = 0.
    pub fn gradient_sensitivity(&self, n: u64) -> Result<L2Sensitivity, BudgetError> {
        let s = self.spread();
        self.of_mean(n, if s > 0.0 { s / s.sin() } else { 1.0 })
    }

    /// How far one record moves the mean of the logarithms at p₀, each of norm at most r: 2r/n.
    ///
    /// # Errors
    /// n = 0.
    pub fn log_mean_sensitivity(&self, n: u64) -> Result<L2Sensitivity, BudgetError> {
        let flat = L2Sensitivity::of_clipped_mean(self.radius, n)?.plus_float_mean(self.radius, n)?;
        L2Sensitivity::new(flat.get() * ROUNDING)
    }
}

/// The largest admissible radius: ½ min(inj, π/(2√κ)); infinite where κ ≤ 0.
pub fn largest_radius<M: Manifold>(manifold: &M) -> f64 {
    let kappa = manifold.curvature().upper;
    if kappa > 0.0 {
        0.5 * manifold.injectivity_radius().min(FRAC_PI_2 / kappa.sqrt())
    } else {
        f64::INFINITY
    }
}
