//! What every study of shapes publishes of itself.

use crate::job::copies::Kind;
use crate::job::unusable::ZERO_DEVIATION;
use crate::mechanism::landmarks::{OfShapes, ReleasedShapes, ShapeMechanism, ShapeMoment, Tangent};
use crate::privacy::{Caveat, PublicInput, Released, Statement};
use crate::study::points::{MeanFiles, PointStudyError, missing_landmarks};
use crate::study::shape::input::Specimens;
use crate::study::{Counting, Unusable};
use nalgebra::DMatrix;
use serde_json::{Value, json};

/// The mechanism and the public circumstances of a study.
#[derive(Debug, Clone)]
pub(super) struct Subject<M> {
    pub mechanism: ShapeMechanism<M>,
    pub outline: bool,
    public_inputs: Vec<PublicInput>,
    counting: Counting,
    missing: String,
    treatment: Vec<(&'static str, String)>,
    /// How means are published.
    pub files: MeanFiles,
    /// Lines of pictures.
    pub links: Vec<[usize; 2]>,
    unusable: Unusable,
    radius: Option<f64>,
}

impl<M: OfShapes> Subject<M> {
    pub fn new(mechanism: ShapeMechanism<M>, specimens: &Specimens<'_>) -> Self {
        let inputs = specimens.inputs();
        Self {
            mechanism,
            outline: inputs.outline,
            public_inputs: specimens.public_inputs.clone(),
            counting: inputs.counting.clone(),
            missing: missing_landmarks(inputs.drop_missing, specimens.fills(), inputs.unusable),
            treatment: inputs.treatment.details(),
            files: specimens.files(),
            links: specimens.links(),
            unusable: inputs.unusable,
            radius: inputs.radius,
        }
    }

    /// Whether n counts persons.
    pub fn counts_persons(&self) -> bool {
        self.counting.counts_persons()
    }

    /// Whether the centre is public.
    pub fn has_public_centre(&self) -> bool {
        self.mechanism.public_centre().is_some()
    }

    /// Whether a private centre is shrunk by frequency.
    pub fn shrinks_centre(&self) -> bool {
        self.outline && self.mechanism.space().dimensions() == 2
    }

    /// Tangent space and mechanism at the centre of a release.
    pub fn about(&self, released: &ReleasedShapes<M::Value>) -> Result<(Tangent, M), PointStudyError> {
        Ok(self.mechanism.about(&released.centre)?)
    }

    /// Adds public inputs, details and caveats.
    pub fn state(&self, released: &Released<ReleasedShapes<M::Value>>, statement: &mut Statement) {
        statement.public_inputs = self.public_inputs.clone();
        let space = self.mechanism.space();
        let (k, d) = (space.landmarks(), space.dimensions());
        let centre = if self.has_public_centre() { "public" } else { "private, paid from the budget" };
        let details = json!({
            "space": format!("shapes of {k} landmarks in {d} dimensions"),
            "record_kind": self.counting.kind("shape"),
            "coordinates": released.price.statistic,
            "centre": centre,
            "landmarks": if self.outline { "an outline, in order (declared)" } else { "without an order" },
            "expected_radius": self.mechanism.scale() * crate::mechanism::functional::Norm::White.face_radius(),
            "radius_source": if self.radius.is_some() { "given" } else { "public default" },
            "missing_landmarks": self.missing,
            "unusable_records": self.unusable.describe(ZERO_DEVIATION),
            "units": "centred, of unit size, rotated to the centre",
        });
        if let Value::Object(details) = details {
            statement.details.extend(details);
        }
        statement.details.extend(self.counting.details(Kind::Landmarks));
        for (name, text) in &self.treatment {
            statement.details.insert((*name).into(), json!(text));
        }
        let centre = DMatrix::from_row_slice(k, d, &released.value.centre);
        if !self.has_public_centre() && ShapeMoment::is_flat(&centre) {
            statement.caveats.push(Caveat::Other(
                "flat centre: the third axis of the private centre did not stand out of its noise, so that the centre was taken flat; how \
                 thick shapes are is known from the second step only. A public shape as centre would be better"
                    .into(),
            ));
        }
    }
}
