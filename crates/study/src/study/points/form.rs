//! What differs between studies of points.

use super::accuracy::PointAccuracy;
use super::internal::Internal;
use super::request::ZERO_AT_CENTRE;
use super::{PointRequest, PointStudyError};
use crate::job::Publication;
use crate::job::copies::Kind;
use crate::mechanism::manifold::ReleasedPoints;
use crate::privacy::{PublicInput, Released, Statement};
use crate::report::page::Page;
use serde_json::{Map, Value, json};

/// Public circumstances that every certificate of such a study states.
#[derive(Debug, Clone)]
pub(super) struct Circumstances {
    /// Files that were assumed public.
    pub(super) public_inputs: Vec<PublicInput>,
    /// Further details.
    pub(super) details: Map<String, Value>,
    /// Whether n counts persons.
    pub(super) counts_persons: bool,
}

impl Circumstances {
    pub(super) fn new(
        public_inputs: Vec<PublicInput>,
        request: &PointRequest,
        kind: Kind,
        details: Value,
    ) -> Self {
        let mut all = if let Value::Object(details) = details { details } else { Map::new() };
        all.insert("unusable_records".into(), json!(request.unusable.describe(ZERO_AT_CENTRE)));
        all.extend(request.counting.details(kind));
        all.insert("draws".into(), json!(request.draws));
        Self { public_inputs, details: all, counts_persons: request.counting.counts_persons() }
    }

    pub(super) fn state(&self, statement: &mut Statement) {
        statement.public_inputs = self.public_inputs.clone();
        statement.details.extend(self.details.clone());
    }
}

/// What differs between studies, made of public things only: how points are published, and how they are shown to the data holder.
pub(super) trait PointForm<P, Q>:
    Publication<Value = ReleasedPoints<P, Q>, Error = PointStudyError>
{
    /// What its certificates state.
    fn circumstances(&self) -> &Circumstances;

    /// How far the (first) release lies from the mean without noise, where the noise's size is known.
    fn accuracy(&self, released: &Released<ReleasedPoints<P, Q>>) -> Option<PointAccuracy>;

    /// Writes the mean without noise into this folder.
    fn write_mean(&self, internal: &std::path::Path, mean: &P) -> Result<(), PointStudyError>;

    /// `internal/report.html`.
    fn internal_page(
        &self,
        internal: &Internal<P>,
        released: Option<&Released<ReleasedPoints<P, Q>>>,
    ) -> Page;
}
