//! What all studies are told: budget, place, ledger, people.

use crate::failure::Failure;
use clap::ValueEnum;
use pyo3::prelude::*;
use std::path::PathBuf;
use visard::privacy::{BudgetError, Calibration, Mu, PrivacyLoss, convert};
use visard::study::face::{FaceInputs, Registration, TemplateSource};
use visard::study::points::{PointMechanism, PointRequest};
use visard::study::{Counting, Identical, LedgerChoice, Place, Stop, Unusable};

/// Arguments that every private statistic has; a dictionary in Python.
#[derive(Debug, Clone, FromPyObject)]
#[pyo3(from_item_all)]
pub struct Common {
    mu: Option<f64>,
    epsilon: Option<f64>,
    delta: Option<f64>,
    out: PathBuf,
    ledger: Option<PathBuf>,
    ceiling_mu: Option<f64>,
    seed: Option<u64>,
    resume: bool,
    force: bool,
    vacuous_budget: bool,
    people: Option<PathBuf>,
    allow_identical: bool,
}

impl Common {
    /// The budget, as it was asked for.
    pub fn loss(&self) -> Result<PrivacyLoss, Failure> {
        PrivacyLoss::requested(self.mu, self.epsilon, self.delta).map_err(budget)
    }

    /// The budget as μ of a Gaussian mechanism; (ε, δ) becomes the largest μ that meets it.
    pub fn mu(&self) -> Result<Mu, Failure> {
        match self.loss()? {
            PrivacyLoss::Gaussian(mu) => Ok(mu),
            PrivacyLoss::Approximate(epsilon, delta) => {
                let found = convert(None, Some(epsilon.get()), Some(delta.get())).map_err(budget)?;
                Mu::new(found.mu).map_err(budget)
            }
            _ => Err(Failure::input(
                "epsilon: this Gaussian mechanism has no pure epsilon; give delta too, or mu",
            )),
        }
    }

    /// Where the study works.
    pub fn place(&self, stop: &Stop) -> Result<Place, Failure> {
        let ceiling = self.ceiling_mu.map(Mu::new).transpose().map_err(budget)?;
        Ok(Place {
            ledger: LedgerChoice {
                file: self.ledger.clone(),
                ceiling: ceiling.map(PrivacyLoss::Gaussian),
                ..LedgerChoice::default()
            },
            seed: self.seed,
            resume: self.resume,
            replace: self.force,
            vacuous: self.vacuous_budget,
            asked: self.loss().ok(),
            stop: stop.clone(),
            ..Place::new(&self.out)
        })
    }

    /// What counts as a person.
    pub fn counting(&self) -> Counting {
        let identical = if self.allow_identical { Identical::Allow } else { Identical::Refuse };
        Counting { people: self.people.clone().map(Into::into), identical }
    }
}

fn budget(error: BudgetError) -> Failure {
    Failure::input(format!(
        "{error}; give mu=, or epsilon= with delta= (epsilon= alone where the mechanism has pure epsilon)"
    ))
}

/// The value of an option that the command has by the same name.
pub fn named<T: ValueEnum>(argument: &str, name: &str) -> Result<T, Failure> {
    T::from_str(name, false).map_err(|_| {
        let known: Vec<String> = T::value_variants()
            .iter()
            .filter_map(|v| Some(v.to_possible_value()?.get_name().to_owned()))
            .collect();
        Failure::input(format!("{argument}: {name:?} is none of {}", known.join(", ")))
    })
}

/// Arguments of statistics of faces.
#[derive(Debug, Clone, FromPyObject)]
#[pyo3(from_item_all)]
pub struct Faces {
    scans: Vec<PathBuf>,
    prepared: Option<PathBuf>,
    template: Option<PathBuf>,
    curves: usize,
    samples: usize,
    registration: String,
    crop_radius: Option<f64>,
    unusable: String,
}

/// The public template: a file, or the built-in face.
pub fn template_source(file: Option<PathBuf>) -> TemplateSource {
    file.map_or(TemplateSource::Builtin, TemplateSource::File)
}

impl Faces {
    /// As studies take them.
    pub fn inputs(self, common: &Common, stop: &Stop) -> Result<FaceInputs, Failure> {
        if self.crop_radius.is_some_and(|x| !(x > 0.0 && x.is_finite())) {
            return Err(Failure::input("crop_radius: must be a positive number"));
        }
        Ok(FaceInputs {
            prepared: self.prepared,
            template: template_source(self.template),
            curves: self.curves,
            samples: self.samples,
            registration: named::<Registration>("registration", &self.registration)?,
            crop_radius: self.crop_radius,
            unusable: named("unusable", &self.unusable)?,
            counting: common.counting(),
            ..FaceInputs::new(self.scans, common.place(stop)?)
        })
    }
}

/// Arguments of private means of points.
#[derive(Debug, Clone, FromPyObject)]
#[pyo3(from_item_all)]
pub struct Points {
    mechanism: Option<String>,
    calibration: String,
    draws: u32,
    unusable: String,
}

impl Points {
    /// Which mean was asked for, by name.
    pub fn mechanism(&self) -> Option<&str> {
        self.mechanism.as_deref()
    }

    /// Whether something was asked for that only single mechanisms have: several draws, or classical noise.
    pub fn wants_single(&self) -> Result<bool, Failure> {
        let calibration: Calibration = named("calibration", &self.calibration)?;
        Ok(self.draws > 1 || calibration != Calibration::Analytic)
    }

    /// What is done with records that cannot be used.
    fn unusable(&self) -> Result<Unusable, Failure> {
        named("unusable", &self.unusable)
    }

    /// The public bound on the records: only a mean without noise needs none.
    pub fn radius(&self, radius: Option<f64>) -> Result<Option<f64>, Failure> {
        if radius.is_none() && self.mechanism() != Some("none") {
            return Err(Failure::input(
                "radius: a release needs a public bound on the records (mechanism=\"none\" gives the mean without noise, for the data holder only, \
                 and needs no bound)",
            ));
        }
        Ok(radius)
    }

    /// As studies take them.
    pub fn request(&self, common: &Common, stop: &Stop) -> Result<PointRequest, Failure> {
        let place = common.place(stop)?;
        let mechanism = match &self.mechanism {
            Some(name) => named("mechanism", name)?,
            None => PointMechanism::best_for(common.loss()?),
        };
        let request = match mechanism {
            PointMechanism::None => PointRequest::nonprivate(place),
            _ => PointRequest::new(place, mechanism, common.loss()?),
        };
        Ok(PointRequest {
            calibration: named("calibration", &self.calibration)?,
            draws: self.draws.max(1),
            unusable: self.unusable()?,
            counting: common.counting(),
            ..request
        })
    }
}
