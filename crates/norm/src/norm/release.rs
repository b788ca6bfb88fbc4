//! A release of how records vary about their mean, read back: everything in it has been published.

use super::law::Stated;
use super::people::{leans_on_prior, stated, variance_function, variance_noise};
use crate::estimate::Design;
use crate::io::{Limit, npy, open};
use crate::privacy::Certificate;
use crate::study::StudyFolder;
use crate::study::layout::{CERTIFICATE, MEAN_NPY, MODES_NPY};
use crate::study::points::PointStudyError;
use crate::study::tangent::FieldsRelease;
use serde_json::Value;
use std::path::Path;

/// The mean, what covariates do to it, and the modes: arrays of the same axes.
#[derive(Debug)]
pub(super) struct ModesRelease {
    /// What it guarantees.
    pub certificate: Certificate,
    /// The axes of one array: (k, d) of landmarks, (V, 3) of surfaces.
    pub axes: [usize; 2],
    /// The mean, or the one at the reference values of the covariates.
    pub mean: Vec<f64>,
    /// One standard deviation of each.
    pub modes: Vec<Vec<f64>>,
    /// What covariates do to the mean, where it is a regression's.
    regression: Option<FieldsRelease>,
}

impl ModesRelease {
    /// From the folder of a release, or of its study, of the command (`shape`) whose certificates have a detail of this name.
    ///
    /// # Errors
    /// [`PointStudyError`]: a release of another kind, one that cannot be read, or has no modes.
    pub fn open(named: &Path, command: &str, detail: &str) -> Result<Self, PointStudyError> {
        let folder = StudyFolder::release_of(named);
        let no = |what: &str| PointStudyError::Input(format!("{}: {what}", folder.display()));
        let text = open(&folder.join(CERTIFICATE), Limit::CERTIFICATE)?.text()?.to_owned();
        let certificate = Certificate::from_json(&text).map_err(|e| no(&e.to_string()))?;
        let modes_file = folder.join(MODES_NPY);
        if !modes_file.exists() {
            return Err(no(&format!(
                "has no modes: they come from `visard {command} modes`, or from `visard {command} regress --residuals`"
            )));
        }
        let details = &certificate.details;
        if !details.contains_key(detail) {
            return Err(no(&format!(
                "is not a release of `visard {command}` (visard {command} modes makes one)"
            )));
        }
        let regression =
            details.contains_key("covariates").then(|| FieldsRelease::open(&folder)).transpose()?;
        let (mean, modes) = (npy::read(&folder.join(MEAN_NPY))?, npy::read(&modes_file)?);
        let ([rows, columns], [count, k, d]) = (&mean.shape[..], &modes.shape[..]) else {
            return Err(no("its mean and its modes are not arrays of records"));
        };
        let finite = mean.data.iter().chain(&modes.data).all(|x| x.is_finite());
        if (rows, columns) != (k, d) || mean.data.is_empty() || !finite {
            return Err(no("its mean and its modes do not fit each other"));
        }
        if *count == 0 {
            return Err(no(
                "has no modes to draw from: nothing stood out of the noise; more people, or a larger budget",
            ));
        }
        let axes = [*k, *d];
        let modes = modes.data.chunks_exact(k * d).map(<[f64]>::to_vec).collect();
        Ok(Self { certificate, axes, mean: mean.data, modes, regression })
    }

    /// The covariates, where it is a regression.
    pub fn design(&self) -> Option<&Design> {
        self.regression.as_ref().map(FieldsRelease::design)
    }

    /// What each column of a regression's design does to the mean.
    pub fn columns(&self) -> &[Vec<f64>] {
        self.regression.as_ref().map_or(&[], |regression| regression.columns())
    }

    /// The mean at these values of the covariates (one each), or the mean.
    pub fn mean_at(&self, values: &[Option<f64>]) -> Vec<f64> {
        self.regression.as_ref().map_or_else(|| self.mean.clone(), |regression| regression.at(values))
    }

    /// The expected error of [`Self::mean_at`], in the distance of the kind; `None` where the certificate does not state it.
    pub fn mean_error(&self, values: &[Option<f64>]) -> Option<f64> {
        let stated = || self.certificate.details.get("accuracy")?.get("rms")?.as_f64();
        let error = self.regression.as_ref().map_or_else(stated, |regression| Some(regression.error(values)));
        error.filter(|rms| rms.is_finite() && *rms >= 0.0)
    }

    /// The variance of the modes, and all that records are expected to have, in the certificate's unit.
    ///
    /// # Errors
    /// [`PointStudyError`]: a certificate that does not state it.
    pub fn variances(&self) -> Result<[f64; 2], PointStudyError> {
        let modes = self.certificate.details.get("modes");
        let listed = modes.and_then(|modes| modes.get("variances")?.as_array());
        let of_modes: f64 = listed.into_iter().flatten().filter_map(Value::as_f64).sum();
        let number = |name: &str| stated(&self.certificate, name);
        let whole = number("total_variance").zip(number("expected_share")).filter(|(_, share)| *share > 0.0);
        let missing = || PointStudyError::Input("the certificate does not state the variance".into());
        let (total, share) = whole.ok_or_else(missing)?;
        Ok([of_modes, total / share])
    }

    /// What the release states of how records vary, where modes are these vectors, whose squares are `unit` times the certificate's variances, and
    /// this is expected beyond them; `None` where it does not state the noise in the variances.
    pub fn stated(&self, modes: Vec<Vec<f64>>, unit: f64, beyond: f64) -> Option<Stated> {
        let noise = variance_noise(&self.certificate, modes.len())?;
        let number = |name: &str| stated(&self.certificate, name).unwrap_or(0.0);
        Some(Stated {
            modes,
            points: 1.0,
            noise: noise.into_iter().map(|noise| unit * noise).collect(),
            looked: number("coefficients"),
            whole_noise: number("total_noise") / number("total_variance").max(f64::MIN_POSITIVE),
            beyond,
            leans_on_prior: leans_on_prior(&self.certificate),
            n: self.certificate.n,
            design: self.design().cloned(),
            variances: variance_function(&self.certificate),
        })
    }
}
