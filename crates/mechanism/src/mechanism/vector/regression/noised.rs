//! What a regression releases.

use super::super::scores::NoisedScores;
use super::Recentred;
use crate::estimate::moments::RegressionMoments;
use crate::privacy::noise::NoisedSecond;
use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

/// No noised moment is as large; what is made of such would not be finite.
const LARGEST: f64 = 1e60;

/// A released centre, and the noised second moments of covariates and of deviations from it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NoisedRegression {
    /// Centre and radius.
    pub recentred: Recentred,
    /// Of z = (x̃/X, (u − c)/τ)/√2.
    pub moments: NoisedSecond,
    /// q: how many of the coordinates of z are covariates.
    pub columns: usize,
    /// X.
    pub reach: f64,
    /// How squared scores about the fit go with covariates, where that was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scores: Option<NoisedScores>,
}

impl NoisedRegression {
    /// The moments in the units of covariates and vectors; `None` where a stored value does not fit together.
    pub fn moments(&self) -> Option<RegressionMoments> {
        let (d, q) = (self.moments.size(), self.columns);
        if !self.moments.is_consistent() || q == 0 || q >= d || self.recentred.centre.len() != d - q {
            return None;
        }
        let (x, tau) = (self.reach, self.recentred.radius.get());
        // z carries a half.
        let scale = |i: usize| 2.0f64.sqrt() * if i < q { x } else { tau };
        let mut whole = DMatrix::zeros(d, d);
        let mut entries = self.moments.entries.iter();
        for i in 0..d {
            for j in i..d {
                let value = scale(i) * scale(j) * entries.next()?;
                (whole[(i, j)], whole[(j, i)]) = (value, value);
            }
        }
        let sigma = self.moments.sigma;
        if !whole.iter().chain([&sigma]).all(|x| x.abs() < LARGEST) {
            return None;
        }
        Some(RegressionMoments {
            xx: whole.view((0, 0), (q, q)).into_owned(),
            xu: whole.view((0, q), (q, d - q)).into_owned(),
            uu: whole.view((q, q), (d - q, d - q)).into_owned(),
            xx_sigma: 2.0 * x * x * sigma,
            // Above the diagonal.
            xu_sigma: 2.0f64.sqrt() * x * tau * sigma,
            uu_sigma: 2.0 * tau * tau * sigma,
            radius: tau,
        })
    }
}
