//! The tangent space at a centre of shapes: public, or noised and paid for.

use super::accuracy::{Seen, of_mean, of_part, sentence};
use super::input::Specimens;
use super::page::Pictures;
use crate::estimate::{Band, Spread};
use crate::function::Basis;
use crate::io::shapes::ShapeRecord;
use crate::job::ReleaseFolder;
use crate::job::copies::Kind;
use crate::job::unusable::ZERO_DEVIATION;
use crate::mechanism::functional::{Estimate, Norm, OfSamples};
use crate::mechanism::landmarks::{ReleasedShapes, ShapeMechanism, ShapeMoment, Tangent};
use crate::privacy::{Caveat, Price, Statement};
use crate::report::figure::Figure;
use crate::study::points::{MeanFiles, PointAccuracy, PointStudyError, Words, missing_landmarks};
use crate::study::tangent::{
    Circumstances, Differing, Displaced, FieldTerms, Looked, REACH, TangentSpace, Terms,
};
use nalgebra::DMatrix;
use serde_json::{Value, json};
use std::sync::Arc;

/// What is public of a collection of shapes.
#[derive(Debug)]
pub(super) struct PublicShapes {
    outlines: usize,
    missing: String,
    treatment: Vec<(&'static str, String)>,
    /// How means are published.
    files: MeanFiles,
    /// Lines of pictures.
    links: Vec<[usize; 2]>,
    radius_given: bool,
    /// What makes a run this run.
    pub settings: String,
}

impl PublicShapes {
    pub fn of(specimens: &Specimens<'_>) -> Self {
        let inputs = specimens.inputs();
        Self {
            outlines: inputs.outlines,
            missing: missing_landmarks(inputs.drop_missing, specimens.fills(), inputs.unusable),
            treatment: inputs.treatment.details(),
            files: specimens.files(),
            links: specimens.links(),
            radius_given: inputs.radius.is_some(),
            settings: format!("{:?} {}", inputs.public(), inputs.table.told()),
        }
    }
}

/// Shapes about a centre: samples `(landmarks, coordinates)` as [`Tangent`] has them, arrays in units of the centroid size.
#[derive(Debug)]
pub(super) struct ShapeSpace {
    shapes: Arc<PublicShapes>,
    tangent: Tangent,
    template: Vec<f64>,
    axes: [usize; 2],
    has_public_centre: bool,
    scale: f64,
    seen: Seen,
}

impl ShapeSpace {
    /// That a release tells.
    pub fn of<M: OfSamples>(
        shapes: Arc<PublicShapes>,
        mechanism: &ShapeMechanism<M>,
        tangent: Tangent,
        released: &ReleasedShapes<M::Value>,
    ) -> Self {
        let space = mechanism.space();
        Self {
            shapes,
            template: tangent.template(),
            axes: [space.landmarks(), space.dimensions()],
            tangent,
            has_public_centre: mechanism.public_centre().is_some(),
            scale: mechanism.scale(),
            seen: Seen::of(released),
        }
    }

    fn matrix(&self, array: &[f64]) -> DMatrix<f64> {
        DMatrix::from_row_slice(self.axes[0], self.axes[1], array)
    }

    fn pictures(&self) -> Pictures<'_> {
        Pictures { outlines: self.shapes.outlines, links: &self.shapes.links }
    }
}

/// How landmarks are ordered, for certificates.
fn order(outlines: usize) -> String {
    match outlines {
        0 => "without an order".to_owned(),
        1 => "an outline, in order (declared)".to_owned(),
        _ => format!("{outlines} outlines, each in order (declared)"),
    }
}

/// How many outlines there are by these words of a certificate, on its `landmarks`; 0 for landmarks without an order.
pub fn outlines_in(order: &str) -> usize {
    match order.split_once(" outline") {
        Some(("an", _)) => 1,
        Some((count, _)) => count.parse().unwrap_or(0),
        None => 0,
    }
}

/// (k, d), in C order.
fn array(rows: &DMatrix<f64>) -> Vec<f64> {
    rows.transpose().as_slice().to_vec()
}

/// What `fields.npy` holds.
const LAYOUT: &str = "the shape at the reference values, then one displacement a column: the shape at other values is about the first plus, \
                      for every column, (its value there - its value at the reference) times its displacement, scaled to unit size. A number \
                      is mapped linearly from its bounds to [-1, 1], so its displacement is that from the middle to the upper bound; levels \
                      are -1 and 1; bends of a spline are functions of that number, made of the bounds alone. Fields are shrunk: what the \
                      noise hides is zero.";

/// What shapes are called.
pub(super) const WORDS: Words = Words {
    command: "shape",
    record: "shape",
    records: "shapes",
    distance: "Riemannian distance",
    space: "shapes of landmarks",
};

impl TangentSpace for ShapeSpace {
    fn words(&self) -> Words {
        WORDS
    }

    fn terms(&self) -> Terms {
        Terms {
            squared: "squared Riemannian distance",
            displacements: "tangent vectors at the centre",
            numbers: "landmarks and coordinates",
            places: "landmarks",
            reach: REACH,
            fields: FieldTerms { at_ends: "the shape at the ends of what was declared", layout: LAYOUT },
        }
    }

    fn basis(&self) -> &Basis {
        self.tangent.basis()
    }

    fn centre(&self) -> &[f64] {
        &self.template
    }

    fn radius(&self) -> f64 {
        self.scale * Norm::White.face_radius()
    }

    fn axes(&self) -> &[usize] {
        &self.axes
    }

    fn point(&self, samples: &[f64]) -> Vec<f64> {
        array(&self.tangent.shape(samples))
    }

    fn entries(&self) -> Option<&DMatrix<f64>> {
        None
    }

    fn displacement(&self, samples: &[f64]) -> Vec<f64> {
        array(&self.tangent.vector(samples))
    }

    fn numbers(&self, samples: &[f64]) -> Vec<f64> {
        array(&self.tangent.rows(samples))
    }

    fn size(&self, displacement: &[f64]) -> f64 {
        self.tangent.vector(displacement).norm()
    }

    fn half_widths(&self, band: &Band) -> [f64; 2] {
        let borders = band.borders();
        let (low, high) = borders.split_at(borders.len() / 2);
        let width = self.tangent.rows(high) - self.tangent.rows(low);
        [0.5 * width.mean(), 0.5 * width.max()]
    }

    fn accuracy(
        &self,
        estimate: &Estimate,
        looked: Looked,
        price: &Price,
        spread: Option<Spread>,
    ) -> PointAccuracy {
        let of = (&self.tangent, estimate);
        match looked {
            Looked::First(count, share) => {
                let shrunk = self.shapes.outlines > 0 && self.axes[1] == 2;
                let public = self.has_public_centre.then(|| self.radius());
                of_part(of, (self.seen, public), (count, share, shrunk), price, spread)
            }
            Looked::All { radius } => {
                of_mean(of, self.seen, self.has_public_centre.then_some(radius), price, spread)
            }
        }
    }

    fn sentence(&self, accuracy: &PointAccuracy) -> String {
        sentence(accuracy, self.has_public_centre)
    }

    fn state(&self, circumstances: &Circumstances, statistic: &str, statement: &mut Statement) {
        let Circumstances { counting, unusable, .. } = circumstances;
        let [k, d] = self.axes;
        let centre = if self.has_public_centre { "public" } else { "private, paid from the budget" };
        let details = json!({
            "space": format!("shapes of {k} landmarks in {d} dimensions"),
            "record_kind": counting.kind("shape"),
            "coordinates": statistic,
            "centre": centre,
            "landmarks": order(self.shapes.outlines),
            "expected_radius": self.radius(),
            "radius_source": if self.shapes.radius_given { "given" } else { "public default" },
            "missing_landmarks": self.shapes.missing,
            "unusable_records": unusable.describe(ZERO_DEVIATION),
            "units": "centred, of unit size, rotated to the centre",
        });
        if let Value::Object(details) = details {
            statement.details.extend(details);
        }
        statement.details.extend(counting.details(Kind::Landmarks));
        for (name, text) in &self.shapes.treatment {
            statement.details.insert((*name).into(), json!(text));
        }
        if !self.has_public_centre && ShapeMoment::is_flat(self.tangent.centre()) {
            statement.caveats.push(Caveat::Other(
                "flat centre: the third axis of the private centre did not stand out of its noise, so that the centre was taken flat; how \
                 thick shapes are is known from the second step only. A public shape as centre would be better"
                    .into(),
            ));
        }
    }

    fn mean_figures(&self, mean: &[f64], errors: &[f64]) -> Result<Vec<Vec<Figure>>, PointStudyError> {
        let centre = self.has_public_centre.then(|| self.tangent.centre());
        let errors = (!errors.is_empty()).then(|| {
            let deviations: Vec<f64> = errors.iter().map(|square| square.sqrt()).collect();
            self.tangent.rows(&deviations)
        });
        Ok(self.pictures().mean(("private mean", &self.matrix(mean)), centre, errors.as_ref()))
    }

    fn displaced_figures(&self, displaced: &Displaced<'_>) -> Result<Vec<Figure>, PointStudyError> {
        let Displaced { mean, ends, caption, .. } = *displaced;
        let by = self.matrix(&displaced.half_way());
        Ok(self.pictures().to_both_sides(&self.matrix(mean), &by, ends, caption))
    }

    fn means_figures(&self, means: &[(&str, Vec<f64>)]) -> Result<Vec<Vec<Figure>>, PointStudyError> {
        let centre = self.has_public_centre.then(|| self.tangent.centre());
        let one = |(name, mean): &(&str, Vec<f64>)| {
            self.pictures().mean((&format!("mean of {name}"), &self.matrix(mean)), centre, None)
        };
        Ok(means.iter().flat_map(one).collect())
    }

    fn difference_figures(&self, differing: &Differing<'_>) -> Result<Vec<Vec<Figure>>, PointStudyError> {
        let Differing { mean, by, standing, caption } = *differing;
        let below = self.matrix(mean);
        let standing: Vec<bool> = standing.iter().map(|excess| *excess > 0.0).collect();
        let moved = (&*format!("{caption}, added"), &(&below + self.matrix(by)));
        Ok(vec![self.pictures().over(moved, ("mean", &below), &standing)])
    }

    fn write_mean(
        &self,
        folder: &mut ReleaseFolder,
        mean: &[f64],
        _: Option<&[f64]>,
    ) -> Result<(), PointStudyError> {
        let record = ShapeRecord::from_matrix(Some("mean".into()), &self.matrix(mean));
        let record =
            record.ok_or_else(|| PointStudyError::Input("landmarks have two or three coordinates".into()))?;
        self.shapes.files.write(folder, &[record])
    }
}
