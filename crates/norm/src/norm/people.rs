//! A released mean with the variation about it, read back: everything in it has been published.

use super::law::Stated;
use super::rest::Rest;
use crate::estimate::design::{Covariate, Kind};
use crate::estimate::variance_function::BY_COVARIATES;
use crate::estimate::{Design, VarianceFunction};
use crate::function::FaceCurves;
use crate::io::{Limit, npy, open};
use crate::mesh::TriMesh;
use crate::privacy::Certificate;
use crate::study::StudyFolder;
use crate::study::face::regress::RegressionRelease;
use crate::study::face::{LoadedTemplate, StudyError, TemplateSource, load_template};
use crate::study::layout::{CERTIFICATE, CURVES, MODES_NPY};
use crate::surface::Template;
use rand::{Rng, RngExt};
use rand_distr::{Distribution, StandardNormal};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use visard_base::numeric::elementary::add_scaled;

/// The mean of a release, and how people vary about it: normal amounts of its modes, and a public model of the rest.
#[derive(Debug)]
pub struct People {
    /// The folder of the release.
    pub folder: PathBuf,
    /// What it guarantees.
    pub certificate: Certificate,
    /// One standard deviation of each mode: samples `(points, 3)`.
    pub modes: Vec<Vec<f64>>,
    /// What the modes do not hold.
    pub rest: Rest,
    loaded: LoadedTemplate,
    mean: FaceCurves,
    /// What covariates do to the mean, where it is a regression's.
    regression: Option<RegressionRelease>,
}

impl People {
    /// From the folder of a release, or of its study; a template other than the built-in one must be named again.
    ///
    /// # Errors
    /// [`StudyError`]: a release that cannot be read, has no modes, or was made about another template.
    pub fn open(named: &Path, template: &TemplateSource) -> Result<Self, StudyError> {
        let folder = StudyFolder::release_of(named);
        let no = |what: &str| StudyError::Release(format!("{}: {what}", folder.display()));
        let text = open(&folder.join(CERTIFICATE), Limit::CERTIFICATE)?.text()?.to_owned();
        let certificate = Certificate::from_json(&text).map_err(|e| no(&e.to_string()))?;
        let loaded = load_template(template)?;
        if !certificate.public_inputs.iter().any(|input| input.sha256 == loaded.input.sha256) {
            return Err(no("was made about another template; give that one with --template"));
        }
        let regression = certificate.details.contains_key("covariates");
        let regression = regression.then(|| RegressionRelease::open(&folder, template)).transpose()?;
        let modes_file = folder.join(MODES_NPY);
        if !modes_file.exists() {
            return Err(no(
                "has no modes to draw from: they come from `visard face modes`, or from `visard face regress --residuals`",
            ));
        }
        let mean = match &regression {
            Some(regression) => regression.curves_at(&[])?,
            None => read_mean(&folder).ok_or_else(|| no("its mean is not an array (J, m, 3)"))?,
        };
        let modes = npy::read(&modes_file)?;
        let [count, curves, samples, 3] = modes.shape[..] else {
            return Err(no("its modes are not an array (K, J, m, 3)"));
        };
        if (curves, samples) != (mean.curves(), mean.samples()) || modes.data.iter().any(|x| !x.is_finite()) {
            return Err(no("its mean and its modes do not fit each other"));
        }
        if count == 0 {
            return Err(no(
                "has no modes to draw from: nothing stood out of the noise; more people, or a larger budget",
            ));
        }
        let modes: Vec<Vec<f64>> =
            modes.data.chunks_exact(3 * curves * samples).map(<[f64]>::to_vec).collect();
        let positive = |name: &str| stated(&certificate, name).filter(|x| x.is_finite() && *x > 0.0);
        let variance = positive("total_variance").zip(positive("coefficients"));
        let (total, looked) = variance.ok_or_else(|| no("its certificate does not state the variance"))?;
        let own = loaded.template.own_curves(curves, samples)?;
        let rest = Rest::new(&own, &modes, (total, looked as usize))?;
        Ok(Self { folder, certificate, modes, rest, loaded, mean, regression })
    }

    /// Whether expressions are taken out of faces registered to this template as they were for the release.
    pub(super) fn same_expressions(&self) -> bool {
        self.loaded.same_expressions(&self.certificate.public_inputs)
    }

    /// The covariates, where it is a regression.
    pub fn design(&self) -> Option<&Design> {
        self.regression.as_ref().map(RegressionRelease::design)
    }

    /// The mean at these values of the covariates (one each, a missing one at its reference), or the mean.
    ///
    /// # Errors
    /// None for a release that could be read.
    pub fn mean_at(&self, values: &[Option<f64>]) -> Result<FaceCurves, StudyError> {
        match &self.regression {
            Some(regression) => regression.curves_at(values),
            None => Ok(self.mean.clone()),
        }
    }

    /// A deviation from the mean with these standard deviations, in units of the stated ones, of each mode and of the rest (`super::law::deviations`): what the modes make of it, and
    /// the rest.
    pub fn deviation<R: Rng + ?Sized>(
        &self,
        (modes, rest): (&[f64], f64),
        rng: &mut R,
    ) -> (Vec<f64>, Vec<f64>) {
        let mut seen = vec![0.0; self.mean.data().len()];
        for (mode, deviation) in self.modes.iter().zip(modes) {
            let z = deviation * Distribution::<f64>::sample(&StandardNormal, rng);
            add_scaled(&mut seen, z, mode);
        }
        let mut drawn = self.rest.draw(rng);
        drawn.iter_mut().for_each(|x| *x *= rest);
        (seen, drawn)
    }

    /// Values of the covariates: those given, the others drawn evenly from what is public of them.
    pub fn covariates<R: Rng + ?Sized>(&self, given: &[Option<f64>], rng: &mut R) -> Vec<Option<f64>> {
        self.design().map_or_else(Vec::new, |design| drawn_values(design, given, rng))
    }

    /// The expected root-mean-square error of [`Self::mean_at`]: the square root of the mean square over the points, on faces of area 1.
    ///
    /// # Errors
    /// [`StudyError`]: a certificate that does not state it.
    pub fn mean_error(&self, values: &[Option<f64>]) -> Result<f64, StudyError> {
        if let Some(regression) = &self.regression {
            return Ok(regression.at(values)?.rms);
        }
        let accuracy = self.certificate.details.get("accuracy");
        let stated = accuracy.and_then(|accuracy| accuracy.get("rms")).and_then(Value::as_f64);
        let missing =
            || StudyError::Release("the certificate does not state the error of the mean".to_owned());
        stated.filter(|rms| rms.is_finite() && *rms >= 0.0).ok_or_else(missing)
    }

    /// The template that faces are registered with.
    pub fn template(&self) -> &Template {
        &self.loaded.template
    }

    /// The surface through these curves.
    ///
    /// # Errors
    /// [`StudyError`] when no surface goes through them.
    pub fn surface(&self, curves: &FaceCurves) -> Result<TriMesh, StudyError> {
        Ok(self.loaded.template.face_through(curves)?)
    }

    /// What the release states of how people vary.
    ///
    /// # Errors
    /// [`StudyError`]: a certificate that does not state the noise in the variances.
    pub fn stated(&self) -> Result<Stated, StudyError> {
        let noise = variance_noise(&self.certificate, self.modes.len());
        let noise = noise.ok_or_else(|| StudyError::Release(NO_NOISE.to_owned()))?;
        let number = |name: &str| stated(&self.certificate, name).unwrap_or(0.0);
        Ok(Stated {
            modes: self.modes.clone(),
            points: (self.mean.data().len() / 3) as f64,
            noise,
            looked: number("coefficients"),
            whole_noise: number("total_noise") / number("total_variance").max(f64::MIN_POSITIVE),
            beyond: self.rest.variance,
            leans_on_prior: leans_on_prior(&self.certificate),
            n: self.certificate.n,
            design: self.design().cloned(),
            variances: variance_function(&self.certificate),
        })
    }
}

/// Values of covariates: those given, the others drawn evenly from what is public of them.
pub(super) fn drawn_values<R: Rng + ?Sized>(
    design: &Design,
    given: &[Option<f64>],
    rng: &mut R,
) -> Vec<Option<f64>> {
    let one = |(i, covariate): (usize, &Covariate)| {
        given.get(i).copied().flatten().or_else(|| match (&covariate.kind, covariate.bounds()) {
            (_, Some((lower, upper))) => Some(rng.random_range(lower..=upper)),
            (Kind::Levels { levels }, None) => Some(covariate.level(rng.random_range(0..levels.len()))),
            _ => None,
        })
    };
    design.covariates().iter().enumerate().map(one).collect()
}

/// Why an older release is no norm.
pub(super) const NO_NOISE: &str = "the certificate does not state the noise in the variances of the modes: the release is older than norms are";

/// The noise in the variances of so many modes: finite, not negative. `None` where it is missing or not of as many.
pub(super) fn variance_noise(certificate: &Certificate, modes: usize) -> Option<Vec<f64>> {
    let list = certificate.details.get("modes")?.get("variance_noise")?.as_array()?;
    let number = |value: &Value| value.as_f64().filter(|x| x.is_finite() && *x >= 0.0);
    list.iter().map(number).collect::<Option<Vec<_>>>().filter(|list| list.len() == modes)
}

/// How variances change with covariates, where the certificate tells.
pub(super) fn variance_function(certificate: &Certificate) -> Option<VarianceFunction> {
    let told = certificate.details.get("modes")?.get(BY_COVARIATES)?;
    serde_json::from_value(json!({"changes": told["changes"], "errors": told["errors"]})).ok()
}

/// Whether the public spectrum filled in what the people did not say.
pub(super) fn leans_on_prior(certificate: &Certificate) -> bool {
    let modes = certificate.details.get("modes");
    modes.and_then(|modes| modes.get("leans_on_prior")) == Some(&Value::Bool(true))
}

/// A number of the certificate's details on modes.
pub(super) fn stated(certificate: &Certificate, name: &str) -> Option<f64> {
    certificate.details.get("modes")?.get(name).and_then(Value::as_f64)
}

fn read_mean(folder: &Path) -> Option<FaceCurves> {
    let array = npy::read(&folder.join(CURVES)).ok()?;
    let [curves, samples, 3] = array.shape[..] else { return None };
    FaceCurves::new(curves, samples, array.data).ok().filter(|mean| mean.data().iter().all(|x| x.is_finite()))
}
