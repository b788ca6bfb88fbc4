//! How people vary along released modes, as far as the release tells: less than the modes' variances say, since noise has turned the modes.

use super::people::People;
use crate::mechanism::functional::{LeadingCoordinates, Norm};
use crate::study::face::StudyError;
use crate::study::face::mean::basis;
use nalgebra::{Cholesky, DMatrix, DVector, Dyn};
use statrs::distribution::{ContinuousCDF, FisherSnedecor};

/// The expected law of a person's coordinates along the released modes.
///
/// The noise of the second moment is white in the weighted coordinates that the mechanism works in. There an eigenvalue θ whose noise ends at 2t
/// has an eigenvector along which people vary by θ − t²/θ on average ([`crate::estimate::Components`]): in the direction that came out, people
/// vary less than in their own. Where the public spectrum filled in, this is in the release already.
///
/// Not right yet: a regression's `total_noise` is widened to an upper bound, so that t is too large there. On ICT at n = 1000, μ = 1 percentiles have
/// a Kolmogorov-Smirnov distance of .18 to .31 with it, .05 to .06 with t = 0; of modes .07 to .09 with it, .08 to .17 with t = 0.
#[derive(Debug)]
pub struct Law {
    /// Unit directions of the modes: mean square one per point.
    pub directions: Vec<Vec<f64>>,
    /// Covariance of people along the directions, without errors of the mean.
    pub covariance: DMatrix<f64>,
    /// Of the mean's squared error, the part along pairs of directions.
    mean_share: DMatrix<f64>,
    /// People in the release.
    n: f64,
    /// Columns that were fitted to them, the intercept too.
    columns: f64,
}

/// The same at some covariates: with the error of the mean there.
#[derive(Debug)]
pub struct Here {
    /// Covariance of a person's coordinates about the released mean.
    pub covariance: DMatrix<f64>,
    factor: Cholesky<f64, Dyn>,
    people: f64,
}

impl Law {
    /// Of a release.
    ///
    /// # Errors
    /// [`StudyError`]: a certificate that does not state the noise.
    pub fn of(people: &People) -> Result<Self, StudyError> {
        let missing =
            || StudyError::Release("the certificate does not state the noise of the modes".to_owned());
        let stated =
            |name: &str| people.stated(name).filter(|x| x.is_finite() && *x >= 0.0).ok_or_else(missing);
        let looked = stated("coefficients")? as usize;
        let mean = people.mean_at(&[])?;
        let own = people.template().own_curves(mean.curves(), mean.samples())?;
        let leading = LeadingCoordinates::new(basis(&own), own.data().to_vec(), Norm::Quarter, looked)?;
        let roots = leading.roots();
        let leans = people.certificate.details.get("modes").and_then(|m| m.get("leans_on_prior"));
        let half_edge = if leans == Some(&serde_json::Value::Bool(true)) {
            0.0
        } else {
            let fourth = roots.iter().map(|root| root.powi(-4)).sum::<f64>().sqrt();
            stated("total_noise")? / fourth * (0.5 * roots.len() as f64).sqrt()
        };
        let (k, count) = (roots.len(), people.modes.len());
        let points = (own.data().len() / 3) as f64;
        let weighted = |mode: &Vec<f64>| -> Vec<f64> {
            let moved: Vec<f64> = own.data().iter().zip(mode).map(|(x, d)| x + d).collect();
            leading.coordinates(&moved)
        };
        let columns: Vec<f64> = people.modes.iter().flat_map(weighted).collect();
        let modes = DMatrix::from_vec(k, count, columns);
        let lengths: Vec<f64> =
            people.modes.iter().map(|m| (m.iter().map(|x| x * x).sum::<f64>() / points).sqrt()).collect();
        // Unit directions in coefficients, divided by the weights: what a weighted matrix is asked along.
        let asked = DMatrix::from_fn(k, count, |j, i| modes[(j, i)] / (lengths[i] * roots[j].powi(2)));
        let svd = modes.svd(true, false);
        let vectors = svd.u.ok_or_else(missing)?;
        let along = vectors.transpose() * &asked;
        let turned = svd.singular_values.map(|s| turned_variance(s * s, half_edge));
        let covariance = along.transpose() * DMatrix::from_diagonal(&turned) * &along;
        let errors = roots.iter().map(|root| root.powi(-2)).sum::<f64>();
        // A coefficient of a unit direction is `asked` times the weight; its error goes with the weight's inverse: the weight is gone.
        let mean_share = asked.transpose() * &asked / errors;
        let directions = people
            .modes
            .iter()
            .zip(&lengths)
            .map(|(mode, length)| mode.iter().map(|x| x / length).collect())
            .collect();
        let fitted = people.design().map_or(1, |design| design.columns());
        Ok(Self {
            directions,
            covariance,
            mean_share,
            n: people.certificate.n as f64,
            columns: fitted as f64,
        })
    }

    /// Where the released mean has this root-mean-square error.
    ///
    /// # Errors
    /// [`StudyError`]: variances that are no covariance.
    pub fn with_error(&self, rms: f64) -> Result<Here, StudyError> {
        let covariance = &self.covariance * (1.0 + self.columns / self.n) + &self.mean_share * (rms * rms);
        let none =
            || StudyError::Release("the released modes have no variance left beyond the noise".to_owned());
        let factor = Cholesky::new(covariance.clone()).ok_or_else(none)?;
        Ok(Here { covariance, factor, people: self.n - self.columns })
    }

    /// Coordinates of a deviation along the directions, in units of faces of area 1.
    pub fn coordinates(&self, deviation: &[f64]) -> Vec<f64> {
        let points = (deviation.len() / 3) as f64;
        let dot = |d: &Vec<f64>| d.iter().zip(deviation).map(|(a, b)| a * b).sum::<f64>() / points;
        self.directions.iter().map(dot).collect()
    }
}

impl Here {
    /// The squared Mahalanobis distance of coordinates.
    pub fn square(&self, coordinates: &[f64]) -> f64 {
        let c = DVector::from_column_slice(coordinates);
        c.dot(&self.factor.solve(&c))
    }

    /// Of 100 people of the norm, how many lie nearer than this squared distance: in [0, 100]. By Hotelling's law, for variances estimated from as
    /// many people; `None` where these are not more than the modes.
    pub fn percentile(&self, square: f64) -> Option<f64> {
        let (k, people) = (self.covariance.nrows() as f64, self.people);
        let law = FisherSnedecor::new(k, people - k + 1.0).ok()?;
        Some(100.0 * law.cdf(square * (people - k + 1.0) / (people * k)))
    }
}

/// θ − t²/θ, at least a hundredth of θ.
fn turned_variance(theta: f64, half_edge: f64) -> f64 {
    (theta - half_edge * half_edge / theta.max(f64::MIN_POSITIVE)).max(0.01 * theta)
}
