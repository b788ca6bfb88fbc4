//! `release/` of a face study: made of the noised mean, the certificate and public settings only.

use super::error::StudyError;
use super::noise_map::noise_map;
use super::release_report::{Page, release_report};
use super::template::LoadedTemplate;
use crate::function::FaceCurves;
use crate::io::{write_npy, write_ply};
use crate::mechanism::functional::{CurveMean, NoisedFunction};
use crate::privacy::{Certificate, Released, Statement};
use crate::study::Counting;
use crate::study::job::{Publication, ReleaseFolder};
use crate::study::layout::{CURVES, MEAN_PLY, NOISE, REPORT};
use crate::surface::registration::Registration;
use serde_json::json;
use std::sync::Arc;

/// What a face study publishes, and how.
#[derive(Debug, Clone)]
pub(super) struct FacePublication {
    pub(super) template: Arc<LoadedTemplate>,
    /// The template's own curves.
    pub(super) own: FaceCurves,
    pub(super) mechanism: CurveMean,
    pub(super) registration: Registration,
    pub(super) counting: Counting,
}

impl FacePublication {
    /// The released curves.
    pub(super) fn curves(&self, released: &Released<NoisedFunction>) -> Result<FaceCurves, StudyError> {
        let samples = released.value.samples.clone();
        Ok(FaceCurves::new(self.own.curves(), self.own.samples(), samples)?)
    }

    /// What the parts of a budget get, where a mechanism shares it out by itself.
    fn budget_parts(&self) -> Vec<(String, f64)> {
        match &self.mechanism {
            CurveMean::Joint(_) | CurveMean::PrivateRadius(_) => Vec::new(),
            CurveMean::PerCurve(mean) => ["x", "y", "z"]
                .iter()
                .zip(mean.block_budgets())
                .map(|(axis, mu)| (format!("each of {} curves, {axis}", self.own.curves()), mu))
                .collect(),
            CurveMean::Pointwise(mean) => {
                vec![(format!("each of {} coordinates", self.own.data().len()), mean.coordinate_budget())]
            }
        }
    }
}

impl Publication for FacePublication {
    type Value = NoisedFunction;
    type Error = StudyError;

    fn describe(&self, released: &Released<NoisedFunction>, statement: &mut Statement) {
        statement.public_inputs = vec![self.template.input.clone()];
        let parts: Vec<_> =
            self.budget_parts().into_iter().map(|(what, mu)| json!({"what": what, "mu": mu})).collect();
        let details = json!({
            "record_kind": self.counting.kind("scan"),
            "statistic": "mean of face radial curves, each record centred, of unit area, registered to the public template",
            "coordinates": released.price.statistic,
            "curves": self.own.curves(),
            "samples": self.own.samples(),
            "registration": self.registration,
            "units": "curves and mesh: mean of faces of surface area 1, centroid at the origin",
            "budget_parts": parts,
            "failed_scans": "count as the public template; their number is not published",
        });
        if let serde_json::Value::Object(details) = details {
            statement.details.extend(details);
        }
        statement.details.extend(self.counting.details());
    }

    fn write(
        &self,
        released: &Released<NoisedFunction>,
        certificate: &Certificate,
        folder: &mut ReleaseFolder,
    ) -> Result<(), StudyError> {
        let curves = self.curves(released)?;
        let mesh = self.template.template.face_through(&curves)?;
        folder.write_with(MEAN_PLY, |path| write_ply(path, &mesh))?;
        let shape = [curves.curves(), curves.samples(), 3];
        folder.write_with(CURVES, |path| write_npy(path, &shape, curves.data()))?;
        let noise = noise_map(&self.mechanism, &self.template.template, released, &curves, &mesh)?;
        if let Some(noise) = &noise {
            folder.write_with(NOISE, |path| write_npy(path, &[noise.len()], noise))?;
        }
        let page = Page {
            curves: &curves,
            mesh: &mesh,
            noise: noise.as_deref(),
            statistic: &released.price.statistic,
            budget_parts: &self.budget_parts(),
        };
        folder.write(REPORT, release_report(&page, certificate)?.as_bytes())?;
        Ok(())
    }
}
