//! How matrices, directions and hyperbolic points are published and shown: as arrays, with a page of numbers.

use super::accuracy::{PointAccuracy, accuracy_section};
use super::array::{Array, write_arrays, write_internal};
use super::form::{Circumstances, PointForm};
use super::internal::Internal;
use super::internal_page::{distance_line, private_page, utility_section};
use super::{PointMechanism, PointRequest, PointStudyError};
use crate::job::copies::Kind;
use crate::job::layout::{MEAN_NPY, NONPRIVATE_MEAN_NPY, REPORT};
use crate::job::{Publication, ReleaseFolder};
use crate::mechanism::manifold::ReleasedPoints;
use crate::privacy::{Certificate, PublicInput, Released, Statement};
use crate::report::colour::short;
use crate::report::figure::Figure;
use crate::report::guarantee::{
    certificate_section, counted, guarantee_section, mechanism_rows, release_page,
};
use crate::report::page::Page;
use crate::report::values::{in_circle, matrix};
use serde_json::json;
use std::path::Path;

/// What the records are, for certificate and pages.
#[derive(Debug, Clone, Copy)]
pub(super) struct RecordKind {
    /// In the singular, as [`explain`](crate::privacy::explain) knows it.
    pub(super) kind: &'static str,
    /// In full.
    pub(super) description: &'static str,
    /// The mechanism that is taken where none is named.
    pub(super) usual: Option<PointMechanism>,
}

type ToArray<P> = Box<dyn Fn(&P) -> Array>;

/// How far a released point lies from the mean.
type Distance<P, Q> = Box<dyn Fn(&P, &Q) -> f64>;

/// The records' mean is a P, what is released a Q.
pub(super) struct PlainForm<P, Q> {
    records: RecordKind,
    /// As a plan calls it.
    statistic: String,
    circumstances: Circumstances,
    mean: ToArray<P>,
    released: ToArray<Q>,
    distance: Distance<P, Q>,
    /// Whether what is released is drawn towards the centre.
    shrunk: bool,
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
        let circumstances = Circumstances::new(public_inputs, request, Kind::Numbers, details);
        let command = match records.kind {
            "matrix" => "spd mean",
            "direction" => "sphere mean",
            _ => "hyperbolic mean",
        };
        let statistic = request.mechanism.statistic(command, records.usual);
        let shrunk = request.mechanism == PointMechanism::TwoRounds;
        let (mean, released) = (Box::new(mean), Box::new(released));
        Self { records, statistic, circumstances, mean, released, distance: Box::new(distance), shrunk }
    }
}

impl<P, Q> Publication for PlainForm<P, Q> {
    type Value = ReleasedPoints<P, Q>;
    type Error = PointStudyError;

    fn counts_persons(&self) -> bool {
        self.circumstances.counts_persons
    }

    fn describe(&self, released: &Released<Self::Value>, statement: &mut Statement) {
        self.circumstances.state(statement);
        let accuracy = PointAccuracy::state(self.accuracy(released).as_ref());
        statement.details.insert("accuracy".into(), accuracy);
    }

    fn statistic(&self) -> String {
        self.statistic.clone()
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
        let what = format!("mean of {} ({})", counted(certificate), self.records.description);
        let mut page = release_page("Private mean", &what, certificate);
        if let (Some(first), Some(draw)) = (points.first(), draws.first()) {
            let from_centre = (self.distance)(&released.value.centre, &draw.point);
            result(&mut page, first, &(self.mean)(&released.value.centre), from_centre);
        }
        guarantee_section(&mut page, certificate);
        accuracy_section(&mut page, self.accuracy(released).as_ref());
        page.heading("How it was made");
        page.table(&["parameter", "value"], &mechanism_rows(certificate));
        certificate_section(&mut page, certificate);
        Ok(folder.write(REPORT, page.to_html().as_bytes())?)
    }
}

/// The released mean at a glance: a picture and numbers.
fn result(page: &mut Page, mean: &Array, centre: &Array, from_centre: f64) {
    let numbers = mean.data();
    let sum = |terms: &mut dyn Iterator<Item = f64>| short(terms.sum::<f64>());
    let mut facts =
        vec![(short(from_centre), "from the centre of the ball, in the distance of the space".to_owned())];
    match (mean.shape(), numbers) {
        ([k, _], _) => {
            facts.push((sum(&mut (0..*k).map(|i| numbers[i * k + i])), "trace of the mean".to_owned()));
            let caption = format!("The private mean, {k} × {k}: mean.npy.");
            page.figures(&[Figure::chart(matrix("private mean", *k, numbers), caption)]);
        }
        (_, [x, y, ..]) => {
            let other = centre.data();
            let other = [other.first(), other.get(1)].map(|c| c.copied().unwrap_or(f64::NAN));
            let caption = "The first two coordinates, within the unit circle.";
            if x.hypot(*y) <= 1.0 + 1e-9 {
                page.figures(&[Figure::chart(
                    in_circle("private mean", [*x, *y], ("centre of the ball", other)),
                    caption,
                )]);
            }
            let all: Vec<String> = numbers.iter().take(6).map(|c| short(*c)).collect();
            let more = if numbers.len() > 6 { ", …" } else { "" };
            facts.push((all.join(", ") + more, "the private mean: mean.npy".to_owned()));
        }
        _ => {}
    }
    page.facts(&facts);
}

impl<P, Q> PointForm<P, Q> for PlainForm<P, Q> {
    fn circumstances(&self) -> &Circumstances {
        &self.circumstances
    }

    fn accuracy(&self, released: &Released<ReleasedPoints<P, Q>>) -> Option<PointAccuracy> {
        let rms = released.noise()?.expected_error?;
        let first = released.value.draws.first()?;
        Some(PointAccuracy::of(rms, (self.distance)(&released.value.centre, &first.point), self.shrunk))
    }

    fn write_mean(&self, internal: &Path, mean: &P) -> Result<(), PointStudyError> {
        Ok(write_internal(&internal.join(NONPRIVATE_MEAN_NPY), &(self.mean)(mean))?)
    }

    fn internal_page(
        &self,
        internal: &Internal<P>,
        released: Option<&Released<ReleasedPoints<P, Q>>>,
    ) -> Page {
        let mut page = private_page("Internal: mean of points");
        let first = released.and_then(|released| released.value.draws.first());
        distance_line(&mut page, first.map(|draw| (self.distance)(&internal.mean, &draw.point)));
        if let Some(exploration) = &internal.exploration {
            utility_section(&mut page, exploration);
        }
        page
    }
}
