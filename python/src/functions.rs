//! Functions that users bring.

use crate::failure::Failure;
use crate::options::{Common, named};
use crate::work::long;
use pyo3::prelude::*;
use serde_json::json;
use std::path::PathBuf;
use visard::estimate::Smoothness;
use visard::study::Stop;
use visard::study::function::{FunctionInputs, FunctionMeanSettings, run_mean};

/// Arguments of a mean of functions; a dictionary in Python.
#[derive(Debug, Clone, FromPyObject)]
#[pyo3(from_item_all)]
pub struct Functions {
    file: PathBuf,
    domain: String,
    bound: Option<f64>,
    center: Option<PathBuf>,
    positions: Option<PathBuf>,
    length: f64,
    smoothness: f64,
    band: bool,
    none: bool,
    unusable: String,
}

impl Functions {
    fn settings(self, common: &Common, stop: &Stop) -> Result<FunctionMeanSettings, Failure> {
        let bound = match (self.bound, self.none) {
            (Some(bound), _) => bound,
            // Nothing is released: only a note depends on it.
            (None, true) => f64::MAX,
            (None, false) => {
                return Err(Failure::input(
                    "bound: a release needs a public bound on the records (mechanism=\"none\" gives the mean without noise, for the data holder \
                     only, and needs no bound)",
                ));
            }
        };
        Ok(FunctionMeanSettings {
            inputs: FunctionInputs {
                centre: self.center,
                positions: self.positions,
                unusable: named("unusable", &self.unusable)?,
                counting: common.counting(),
                ..FunctionInputs::new(self.file, named("domain", &self.domain)?, common.place(stop)?)
            },
            bound,
            smoothness: Smoothness { length: self.length, power: self.smoothness },
            budget: if self.none { None } else { Some(common.mu()?) },
            band: self.band,
        })
    }
}

/// A private mean function.
#[pyfunction]
pub fn functional_mean(py: Python<'_>, common: Common, functions: Functions) -> PyResult<String> {
    let stop = Stop::default();
    let settings = functions.settings(&common, &stop)?;
    long(py, stop, None, move |_| {
        let outcome = run_mean(&settings)?;
        Ok(json!({
            "out": outcome.folder.root(),
            "n": outcome.people,
            "accuracy": outcome.released.map(|released| released.accuracy),
            "secret": {"unusable": outcome.failed, "beyond": outcome.beyond},
        })
        .to_string())
    })
}
