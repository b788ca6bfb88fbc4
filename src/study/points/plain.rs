//! How matrices, directions and hyperbolic points are published and shown: as arrays, with a page of numbers.

use super::accuracy::{PointAccuracy, accuracy_section};
use super::array::{Array, write_arrays};
use super::form::{Circumstances, PointForm};
use super::internal::Internal;
use super::internal_page::{distance_line, private_page, utility_section};
use super::{PointRequest, PointStudyError};
use crate::mechanism::manifold::ReleasedPoints;
use crate::privacy::{Certificate, PublicInput, Released, Statement};
use crate::report::guarantee::{
    certificate_section, counted, guarantee_section, mechanism_rows, release_page,
};
use crate::study::job::{Publication, ReleaseFolder};
use crate::study::layout::{MEAN_NPY, NONPRIVATE_MEAN_NPY, REPORT};
use serde_json::json;
use std::path::Path;

/// What the records are, for certificate and pages.
#[derive(Debug, Clone, Copy)]
pub(super) struct RecordKind {
    /// In the singular, as [`explain`](crate::privacy::explain) knows it.
    pub(super) kind: &'static str,
    /// In full.
    pub(super) description: &'static str,
}

type ToArray<P> = Box<dyn Fn(&P) -> Array>;

/// How far a released point lies from the mean.
type Distance<P, Q> = Box<dyn Fn(&P, &Q) -> f64>;

/// The records' mean is a P, what is released a Q.
pub(super) struct PlainForm<P, Q> {
    records: RecordKind,
    circumstances: Circumstances,
    mean: ToArray<P>,
    released: ToArray<Q>,
    distance: Distance<P, Q>,
}

impl<P, Q> PlainForm<P, Q> {
    pub(super) fn new(
        records: RecordKind,
        request: &PointRequest,
        public_inputs: Vec<PublicInput>,
        mean: impl Fn(&P) -> Array + 'static,
        released: impl Fn(&Q) -> Array + 'static,
        distance: impl Fn(&P, &Q) -> f64 + 'static,
    ) -> Self {
        let kind = request.counting.kind(records.kind);
        let details = json!({ "records": records.description, "record_kind": kind });
        let circumstances = Circumstances::new(public_inputs, request, details);
        let (mean, released) = (Box::new(mean), Box::new(released));
        Self { records, circumstances, mean, released, distance: Box::new(distance) }
    }
}

impl<P, Q> Publication for PlainForm<P, Q> {
    type Value = ReleasedPoints<P, Q>;
    type Error = PointStudyError;

    fn describe(&self, released: &Released<Self::Value>, statement: &mut Statement) {
        self.circumstances.state(statement);
        let accuracy = PointAccuracy::state(self.accuracy(released).as_ref());
        statement.details.insert("accuracy".into(), accuracy);
    }

    fn write(
        &self,
        released: &Released<Self::Value>,
        certificate: &Certificate,
        folder: &mut ReleaseFolder,
    ) -> Result<(), PointStudyError> {
        let draws = &released.value.draws;
        let points: Vec<Array> = draws.iter().map(|draw| (self.released)(&draw.point)).collect();
        folder.write_with(MEAN_NPY, |path| write_arrays(path, &points))?;
        // Certificate and public settings only: the mean itself is a file of numbers.
        let what = format!("mean of {} ({})", counted(certificate), self.records.description);
        let mut page = release_page("Private mean", &what, certificate);
        guarantee_section(&mut page, certificate);
        accuracy_section(&mut page, self.accuracy(released).as_ref());
        page.heading("How it was made");
        page.table(&["parameter", "value"], &mechanism_rows(certificate));
        certificate_section(&mut page, certificate);
        Ok(folder.write(REPORT, page.to_html().as_bytes())?)
    }
}

impl<P, Q> PointForm<P, Q> for PlainForm<P, Q> {
    fn circumstances(&self) -> &Circumstances {
        &self.circumstances
    }

    fn accuracy(&self, released: &Released<ReleasedPoints<P, Q>>) -> Option<PointAccuracy> {
        let rms = released.noise()?.expected_error?;
        let first = released.value.draws.first()?;
        Some(PointAccuracy::of(rms, (self.distance)(&released.value.centre, &first.point), false))
    }

    fn write_mean(&self, internal: &Path, mean: &P) -> Result<(), PointStudyError> {
        Ok(write_arrays(&internal.join(NONPRIVATE_MEAN_NPY), &[(self.mean)(mean)])?)
    }

    fn internal_page(
        &self,
        internal: &Internal<P>,
        released: Option<&Released<ReleasedPoints<P, Q>>>,
    ) -> String {
        let mut page = private_page("Internal: mean of points");
        let first = released.and_then(|released| released.value.draws.first());
        distance_line(&mut page, first.map(|draw| (self.distance)(&internal.mean, &draw.point)));
        if let Some(exploration) = &internal.exploration {
            utility_section(&mut page, exploration);
        }
        page.to_html()
    }
}
