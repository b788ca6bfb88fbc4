//! `release/` of a study of modes: made of the noised moments, the certificate and public settings only.

use super::super::error::StudyError;
use super::super::error_map::error_map;
use super::super::template::LoadedTemplate;
use super::found::FoundModes;
use super::report::{ModesPage, modes_report};
use crate::estimate::INTERVALS;
use crate::function::FaceCurves;
use crate::io::{write_npy, write_ply, write_ply_with_scalar};
use crate::job::copies::Kind;
use crate::job::layout::{CURVES, ERROR, MEAN_PLY, MODES_NPY, REPORT, VARIANCES};
use crate::job::modes_table::{modes_details, variances_csv};
use crate::job::unusable::ZERO_DEVIATION;
use crate::job::{Publication, ReleaseFolder};
use crate::mechanism::functional::FunctionalModes;
use crate::mechanism::vector::NoisedModes;
use crate::privacy::{Certificate, Released, Statement};
use crate::study::{Counting, Unusable};
use crate::surface::registration::Registration;
use serde_json::{Value, json};
use std::sync::Arc;

/// What the numbers in the table of variances are.
fn estimand() -> String {
    format!(
        "variance: of single records along the mode before they were clipped, squared units of unit-area faces (mean over points, three coordinates summed); the clip is undone under a normal model. {INTERVALS}. share: of the \
         variance of all coefficients that were looked at"
    )
}

/// What a study of modes publishes, and how.
#[derive(Debug, Clone)]
pub(in crate::study::face) struct ModesPublication {
    pub(in crate::study::face) template: Arc<LoadedTemplate>,
    /// The template's own curves.
    pub(in crate::study::face) own: FaceCurves,
    pub(in crate::study::face) mechanism: FunctionalModes,
    pub(in crate::study::face) registration: Registration,
    pub(in crate::study::face) counting: Counting,
    pub(in crate::study::face) unusable: Unusable,
    /// How many modes were asked for.
    pub(in crate::study::face) most: usize,
}

impl ModesPublication {
    /// What was found in noised moments of n records.
    pub(in crate::study::face) fn found(
        &self,
        released: &NoisedModes,
        n: u64,
    ) -> Result<FoundModes, StudyError> {
        FoundModes::of(&self.mechanism, released, &self.own, n, self.most)
    }

    /// What the certificate says of the modes.
    fn modes_details(&self, found: &FoundModes) -> Value {
        let coordinates = self.mechanism.coordinates();
        modes_details(&found.modes, self.most, (coordinates.len(), coordinates.expected_share()), &estimand())
    }

    /// What a certificate states of the people and, where the draw fits, of what was found.
    pub(super) fn state(&self, found: Option<&FoundModes>, statistic: &str, statement: &mut Statement) {
        statement.public_inputs = vec![self.template.input.clone()];
        let details = json!({
            "record_kind": self.counting.kind("scan"),
            "statistic": "mean and second moment of face radial curves about a private centre, each record centred, of unit area, \
                          registered to the public template",
            "coordinates": statistic,
            "curves": self.own.curves(),
            "samples": self.own.samples(),
            "registration": self.registration,
            "units": "curves, modes and mesh: mean of faces of surface area 1, centroid at the origin",
            "unusable_records": self.unusable.describe(ZERO_DEVIATION),
        });
        if let Value::Object(details) = details {
            statement.details.extend(details);
        }
        statement.details.extend(self.counting.details(Kind::Faces));
        if let Some(found) = found {
            statement.details.insert("accuracy".into(), json!(found.accuracy));
            statement.details.insert("modes".into(), self.modes_details(found));
        }
    }

    /// Writes what was found; `errors`: the expected squared errors of the samples of its mean, where the mean has a release of its own.
    pub(super) fn write_found(
        &self,
        found: &FoundModes,
        statistic: &str,
        errors: Option<&[f64]>,
        certificate: &Certificate,
        folder: &mut ReleaseFolder,
    ) -> Result<(), StudyError> {
        let template = &self.template.template;
        let (jn, m) = (self.own.curves(), self.own.samples());
        let mesh = template.face_through(&found.curves)?;
        match errors {
            None => folder.write_with(MEAN_PLY, |path| write_ply(path, &mesh))?,
            Some(errors) => {
                let errors = error_map(template, &found.curves, errors)?;
                folder.write_with(MEAN_PLY, |path| write_ply_with_scalar(path, &mesh, "error", &errors))?;
                folder.write_with(ERROR, |path| write_npy(path, &[errors.len()], &errors))?;
            }
        }
        folder.write_with(CURVES, |path| write_npy(path, &[jn, m, 3], found.curves.data()))?;
        let all: Vec<f64> = found.fields.iter().flat_map(|field| field.data().iter().copied()).collect();
        folder.write_with(MODES_NPY, |path| write_npy(path, &[found.fields.len(), jn, m, 3], &all))?;
        folder.write(VARIANCES, variances_csv(&found.modes).as_bytes())?;
        let fields = found.fields.iter().map(|field| template.field_through(field)).collect::<Vec<_>>();
        let page = ModesPage {
            found,
            mesh: &mesh,
            fields: &fields,
            statistic,
            expected_share: self.mechanism.coordinates().expected_share(),
            asked: self.most,
        };
        folder.write(REPORT, modes_report(&page, certificate)?.as_bytes())?;
        Ok(())
    }
}

impl Publication for ModesPublication {
    type Value = NoisedModes;
    type Error = StudyError;

    fn counts_persons(&self) -> bool {
        self.counting.counts_persons()
    }

    fn describe(&self, released: &Released<NoisedModes>, statement: &mut Statement) {
        // A draw that does not fit is refused when it is written.
        self.state(
            self.found(&released.value, released.price.n).ok().as_ref(),
            &released.price.statistic,
            statement,
        );
    }

    fn statistic(&self) -> String {
        "face modes".into()
    }

    fn write(
        &self,
        released: &Released<NoisedModes>,
        certificate: &Certificate,
        folder: &mut ReleaseFolder,
    ) -> Result<(), StudyError> {
        let found = self.found(&released.value, released.price.n)?;
        self.write_found(&found, &released.price.statistic, None, certificate, folder)
    }
}
