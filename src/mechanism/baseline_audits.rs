//! Audits of the baselines: noise in a surrounding vector space.

use super::manifold::{
    Alignment, ExtrinsicSpd, ExtrinsicSphere, ManifoldMeanError, PointwiseShape, PublicBall, VectorNoise,
};
use crate::manifold::{Kendall, Manifold, SpdLogEuclidean, Sphere};
use crate::privacy::audit::{AuditError, Auditable, Neighbour};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{ClipRadius, ClipSource, Epsilon, L2Sensitivity, Ledger, Mu, PrivacyLoss};
use nalgebra::{Complex, DMatrix, DVector, dmatrix, dvector};

/// The audits of the baselines: directions on S², positive definite matrices of order 2, triangles.
pub const BASELINE_AUDITS: [&str; 6] = [
    "extrinsic-sphere-gaussian",
    "extrinsic-sphere-laplace",
    "extrinsic-matrix-gaussian",
    "extrinsic-matrix-laplace",
    "pointwise-aligned",
    "pointwise-unaligned",
];

const RADIUS: f64 = 0.3;

/// A mechanism on vectors, and the statistics of worst-case neighbours.
struct BaselineAudit {
    name: &'static str,
    claim: PrivacyLoss,
    mechanism: Baseline,
    statistics: [Vec<f64>; 2],
}

enum Baseline {
    Sphere(ExtrinsicSphere),
    Matrix(ExtrinsicSpd),
    Pointwise(PointwiseShape),
}

/// The audit of this name at the given μ (`…-gaussian`) or ε.
pub(super) fn baseline_audit(name: &'static str, parameter: f64) -> Result<Box<dyn Auditable>, AuditError> {
    let noise = match name.ends_with("gaussian") {
        true => VectorNoise::Gaussian(Mu::new(parameter)?),
        false => VectorNoise::Laplace(Epsilon::new(parameter)?),
    };
    let made = match name {
        "extrinsic-sphere-gaussian" | "extrinsic-sphere-laplace" => directions(noise),
        "extrinsic-matrix-gaussian" | "extrinsic-matrix-laplace" => matrices(noise),
        "pointwise-aligned" => triangles(Epsilon::new(parameter)?, Alignment::Aligned),
        _ => triangles(Epsilon::new(parameter)?, Alignment::Unaligned),
    };
    let (mechanism, statistics) = made.map_err(|_| AuditError::NoClaim(name.to_owned()))?;
    Ok(Box::new(BaselineAudit { name, claim: noise.loss(), mechanism, statistics }))
}

type Made = Result<(Baseline, [Vec<f64>; 2]), ManifoldMeanError>;

fn radius() -> Result<ClipRadius, ManifoldMeanError> {
    Ok(ClipRadius::new(RADIUS, ClipSource::Public)?)
}

/// Directions at one end of the public ball, the last one there too or at the opposite end.
fn directions(noise: VectorNoise) -> Made {
    let sphere = Sphere::unit(2)?;
    let ball = PublicBall::new(&sphere, dvector![0.0, 0.0, 1.0], radius()?)?;
    let mechanism = ExtrinsicSphere::new(&ball, 3, noise)?;
    let at = |t: f64| dvector![t.sin(), 0.0, t.cos()];
    let statistic =
        |last: f64| mechanism.statistic(&ball.bound(&[at(0.9), at(0.9), at(last)].map(Some)).points);
    let statistics = [statistic(0.9), statistic(-0.9)];
    Ok((Baseline::Sphere(mechanism), statistics))
}

/// Matrices with one eigenvalue as large as the ball allows, which commute: the log-Euclidean mean and the affine-invariant one
/// are the same and move as far as any can. With many records the exponential is nearly straight on the way.
fn matrices(noise: VectorNoise) -> Made {
    const RECORDS: usize = 40;
    let space = SpdLogEuclidean::new(2)?;
    let centre = dmatrix![2.0, 0.3; 0.3, 1.0];
    let ball = PublicBall::new(&space, centre.clone(), radius()?)?;
    let moved = L2Sensitivity::of_clipped_mean(radius()?, RECORDS as u64)?;
    let mechanism = ExtrinsicSpd::new(&centre, radius()?, RECORDS as u64, moved, noise)?;
    let eigen = centre.clone().symmetric_eigen();
    let top = eigen.eigenvectors.column(eigen.eigenvalues.imax()).into_owned();
    let along = &top * top.transpose();
    let record = |t: f64| space.exponential(&(space.logarithm(&centre) + &along * t));
    let statistic = |last: f64| -> Result<Vec<f64>, ManifoldMeanError> {
        let mut records: Vec<Option<DMatrix<f64>>> = vec![Some(record(1.0)); RECORDS];
        records[0] = Some(record(last));
        Ok(mechanism.statistic(&space.mean(&ball.bound(&records).points, None)?))
    };
    let statistics = [statistic(1.0)?, statistic(-1.0)?];
    Ok((Baseline::Matrix(mechanism), statistics))
}

/// Triangles, of which one turns into its farthest neighbour: no configuration of unit size has all the coordinates that the
/// bound allows, so part of the claim must stay unused.
fn triangles(epsilon: Epsilon, alignment: Alignment) -> Made {
    let shapes = Kendall::new(3)?;
    let centre = shapes.preshape(&[[1.0, 0.0], [-0.5, 0.8], [-0.5, -0.8]])?;
    let ball = PublicBall::new(&shapes, centre.clone(), radius()?)?;
    let mechanism = PointwiseShape::new(&ball, 3, epsilon, alignment)?;
    let towards = shapes.preshape(&[[0.9, -0.4], [0.1, 0.9], [-1.0, -0.5]])?;
    let v = shapes.log(&centre, &towards)?;
    let v = shapes.scale(0.5 / shapes.norm(&centre, &v), &v);
    let (near, far) = match alignment {
        Alignment::Aligned => (shapes.exp(&centre, &v), shapes.exp(&centre, &-&v)),
        // The same shape turned half round.
        Alignment::Unaligned => (centre.clone(), -&centre),
    };
    let statistic = |last: &DVector<Complex<f64>>| {
        let raw = [near.clone(), near.clone(), last.clone()].map(Some);
        mechanism.statistic(&ball.bound(&raw).points, &raw)
    };
    let statistics = [statistic(&near)?, statistic(&far)?];
    Ok((Baseline::Pointwise(mechanism), statistics))
}

impl BaselineAudit {
    fn release(&self, which: Neighbour, seed: u64) -> Option<Vec<f64>> {
        let [first, second] = &self.statistics;
        let statistic = if which == Neighbour::First { first } else { second };
        let paid = Ledger::in_memory(None).charge(self.name, self.claim).ok()?;
        let mut noise = NoiseSource::seeded(seed);
        // The noised vector, which what is published is made from and which tells at least as much.
        let x = match &self.mechanism {
            Baseline::Sphere(m) => m.noised(statistic, &mut noise, paid),
            Baseline::Matrix(m) => m.noised(statistic, &mut noise, paid),
            Baseline::Pointwise(m) => m.noised(statistic, &mut noise, paid),
        }
        .ok()?;
        let far = |from: &[f64]| -> f64 {
            let away = x.iter().zip(from).map(|(a, b)| a - b);
            match self.mechanism {
                Baseline::Pointwise(_) => away.map(f64::abs).sum(),
                _ => away.map(|a| a * a).sum::<f64>().sqrt(),
            }
        };
        // The best statistics for Gaussian and for Laplace noise.
        let along = x.iter().zip(first.iter().zip(second)).map(|(x, (a, b))| (x - a) * (b - a)).sum();
        Some(vec![along, far(first) - far(second)])
    }
}

impl Auditable for BaselineAudit {
    fn name(&self) -> &str {
        self.name
    }
    fn claim(&self) -> PrivacyLoss {
        self.claim
    }
    fn draw(&self, which: Neighbour, seed: u64) -> Vec<f64> {
        self.release(which, seed).unwrap_or_else(|| vec![f64::NAN; 2])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::audit::audit;

    /// Each bound holds with confidence 1 − 1e-3 and the seeds are fixed: 6 honest mechanisms raise a false alarm with
    /// probability at most 6e-3 over the choice of seed. Gaussian noise 10 % too small would fail; pure ε is spent on events
    /// too rare for so few runs, and pointwise bounds are not attained.
    #[test]
    fn baselines_pass_and_the_gaussian_ones_come_close() {
        for (name, claim, runs, close) in [
            ("extrinsic-sphere-gaussian", 1.0, 20_000, 0.92),
            ("extrinsic-matrix-gaussian", 1.0, 20_000, 0.9),
            ("extrinsic-sphere-laplace", 2.0, 20_000, 1.0),
            ("extrinsic-matrix-laplace", 2.0, 20_000, 1.0),
            ("pointwise-aligned", 4.0, 1500, 0.8),
            ("pointwise-unaligned", 4.0, 1500, 0.4),
        ] {
            let mechanism = baseline_audit(name, claim).unwrap();
            let report = audit(mechanism.as_ref(), runs, 6).unwrap();
            assert!(report.passed, "{name}: {}", report.lower_bound);
            assert!(report.lower_bound > close, "{name}: {}", report.lower_bound);
        }
    }
}
