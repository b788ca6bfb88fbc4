//! What to expect of a private release, before any scan is read.

use crate::failure::Failure;
use crate::options::{named, template_source};
use crate::work::long;
use pyo3::prelude::*;
use serde_json::Value;
use std::path::PathBuf;
use visard::privacy::{BudgetError, Mu, convert};
use visard::study::Stop;
use visard::study::face::FACE_MM;
use visard::study::face::compare::Want;
use visard::study::face::compare::plan::{ComparePlan, plan as plan_compare};
use visard::study::face::modes::MODES;
use visard::study::face::modes::plan::plan_modes;
use visard::study::face::plan::{ForecastError, PlanRequest, people_for, plan};
use visard::study::face::plan_rows::{self, DELTA};
use visard::study::face::regress::plan_regression;

/// Arguments of a plan; a dictionary in Python.
#[derive(Debug, Clone, FromPyObject)]
#[pyo3(from_item_all)]
pub struct Plan {
    kind: String,
    n: Vec<usize>,
    mu: Vec<f64>,
    epsilon: Vec<f64>,
    delta: Option<f64>,
    want: Option<f64>,
    covariates: Option<usize>,
    template: Option<PathBuf>,
    prior: Option<PathBuf>,
    mechanism: String,
    band: bool,
    clip_radius: Option<f64>,
    curves: usize,
    samples: usize,
}

impl Plan {
    fn budgets(&self) -> Result<Vec<Mu>, Failure> {
        let wrong = |e: BudgetError| Failure::input(format!("mu, epsilon, delta: {e}"));
        let of_epsilon = |epsilon: &f64| {
            let found = convert(None, Some(*epsilon), self.delta).map_err(wrong)?;
            Mu::new(found.mu).map_err(wrong)
        };
        match (&self.mu[..], &self.epsilon[..]) {
            (mus, []) => mus.iter().map(|mu| Mu::new(*mu).map_err(wrong)).collect(),
            (_, epsilons) => epsilons.iter().map(of_epsilon).collect(),
        }
    }

    fn request(&self) -> Result<PlanRequest, Failure> {
        Ok(PlanRequest {
            sizes: self.n.clone(),
            budgets: self.budgets()?,
            template: template_source(self.template.clone()),
            prior: self.prior.clone(),
            mechanism: named("mechanism", &self.mechanism)?,
            band: self.band,
            radius: self.clip_radius,
            curves: self.curves,
            samples: self.samples,
        })
    }

    /// The rows that the command prints as JSON.
    fn rows(&self, request: &PlanRequest) -> Result<Vec<Value>, Failure> {
        let delta = self.delta.unwrap_or(DELTA);
        let refused = |e: ForecastError| Failure::input(e);
        let rows: Result<Vec<Value>, BudgetError> = match (self.kind.as_str(), self.covariates, self.want) {
            ("modes", ..) => plan_modes(request, MODES)
                .map_err(refused)?
                .iter()
                .map(|f| plan_rows::modes(f, delta))
                .collect(),
            ("compare", ..) => {
                let request = ComparePlan {
                    sizes: request.sizes.clone(),
                    budgets: request.budgets.clone(),
                    want: Want::Both,
                    template: request.template.clone(),
                    curves: request.curves,
                    samples: request.samples,
                };
                plan_compare(&request)
                    .map_err(refused)?
                    .iter()
                    .map(|f| plan_rows::compare(f, delta))
                    .collect()
            }
            (_, Some(covariates), _) => plan_regression(request, covariates)
                .map_err(refused)?
                .iter()
                .map(|f| plan_rows::regression(f, covariates, delta))
                .collect(),
            (_, _, Some(want)) => people_for(request, (want / FACE_MM).powi(2))
                .map_err(refused)?
                .into_iter()
                .map(|(mu, n)| plan_rows::people(mu, n, want, delta))
                .collect(),
            _ => plan(request).map_err(refused)?.iter().map(|f| plan_rows::mean(f, delta)).collect(),
        };
        rows.map_err(Failure::input)
    }
}

/// What to expect of a private mean face, of modes, of a comparison, of a regression: rows, as JSON.
#[pyfunction]
pub fn face_plan(py: Python<'_>, plan: Plan) -> PyResult<String> {
    let request = plan.request()?;
    long(py, Stop::default(), None, move |_| Ok(Value::Array(plan.rows(&request)?).to_string()))
}
