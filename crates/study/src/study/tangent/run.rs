//! The one lifecycle of statistics in a tangent space, for every kind of record.

use super::records::{Circumstances, TangentRecords, TangentSpace, distance};
use super::statistic::{Samples, Statistic, Value};
use crate::io::{internal, write_npy, write_text};
use crate::job::copies::Kind;
use crate::job::layout::{DISTANCES, NONPRIVATE_MEAN_NPY, REPORT, UNUSABLE};
use crate::job::unusable::{ZERO_DEVIATION, write_problems};
use crate::job::{self, Digest, Job, Publication, ReleaseFolder};
use crate::mechanism::Mechanism;
use crate::privacy::{Certificate, Released, Statement};
use crate::report::guarantee::{
    certificate_section, counted, guarantee_section, mechanism_rows, release_page,
};
use crate::study::points::{PointStudyError, Read, Words, distance_line, distances_csv, private_page};
use crate::study::{Place, StudyFolder};
use serde_json::{Map, Value as Json, json};
use std::sync::Arc;

/// How a study ended; `F` is what its statistic found.
#[derive(Debug, Clone)]
pub struct TangentOutcome<F> {
    /// The study's folder.
    pub folder: StudyFolder,
    /// Number of people n.
    pub people: usize,
    /// Whether they may have several records each.
    pub of_persons: bool,
    /// How many have no usable record and contribute zero; for the data holder only.
    pub failed: usize,
    /// How many lie beyond the public radius and count as shortened; for the data holder only.
    pub beyond: usize,
    /// How many covariates lay outside their bounds; for the data holder only.
    pub outside: usize,
    /// What the data holder should know of the files.
    pub remarks: Vec<String>,
    /// What several records are called: functions, matrices.
    pub records: &'static str,
    /// What distances are.
    pub distance: &'static str,
    /// What was found.
    pub found: F,
    /// What it guarantees.
    pub certificate: Certificate,
}

/// Runs a study: price, records, release, pages, in this order.
///
/// # Errors
/// [`PointStudyError`]; nothing is charged for input that cannot be used.
pub(super) fn run<R: TangentRecords + ?Sized, S: Statistic>(
    records: &R,
    statistic: S,
    place: &Place,
) -> Result<TangentOutcome<S::Found>, PointStudyError> {
    let space = records.space();
    let estimator = statistic.estimator(&*space, records.people().count() as u64)?;
    let circumstances = records.circumstances();
    let publication = TangentPublication { statistic, space, estimator, circumstances };
    job::run(place, |job| run_job(records, job, publication))
}

fn run_job<R: TangentRecords + ?Sized, S: Statistic>(
    records: &R,
    job: &mut Job<'_>,
    publication: TangentPublication<S>,
) -> Result<TangentOutcome<S::Found>, PointStudyError> {
    let price = S::mechanism(&publication.estimator).price().clone();
    let priced = job.price(&price, publication)?;
    // From here on there are records; the publication was handed over before.
    let Read { points: samples, problems, notes } = records.read()?;
    job.tell(records.notes().into_iter().chain(notes));
    write_problems(&job.folder().internal(), &problems)?;
    let publication = priced.publication();
    let TangentPublication { statistic, space, estimator, .. } = publication;
    let beside = statistic.beside(records, estimator, &samples)?;
    job.tell(statistic.remarks(&beside));
    let sums = records.sums().into_iter().chain(S::table(&beside));
    let digest = Digest::of(&publication.settings(), &price, sums);
    let prepared = S::prepare(estimator, &samples, &beside)?;
    let mut noise = job.noise(0)?;
    let mechanism = S::mechanism(estimator);
    let published =
        job.release::<_, _, PointStudyError>(&priced, mechanism, &prepared, &digest, &mut noise)?;
    let certificate = job.publish(&priced, &published)?;
    let found = statistic.find(&**space, estimator, &published)?;
    let beyond = write_internal(job, &**space, &samples, S::mean(&found))?;
    job.finish()?;
    let Words { records: kind, distance, .. } = space.words();
    Ok(TangentOutcome {
        folder: job.folder().clone(),
        people: samples.len(),
        of_persons: publication.circumstances.counting.counts_persons(),
        failed: samples.iter().filter(|record| record.is_none()).count(),
        beyond,
        outside: S::outside(&beside),
        remarks: job.notes(),
        records: kind,
        distance,
        found,
        certificate,
    })
}

/// Writes what only the data holder may see: the mean without noise, how far every record lies from the released `mean`, and a page. Returns
/// how many records lie beyond the public radius.
fn write_internal(
    job: &Job<'_>,
    space: &dyn TangentSpace,
    samples: &Samples,
    mean: Option<&[f64]>,
) -> Result<usize, PointStudyError> {
    let dir = job.folder().internal();
    let usable: Vec<&Vec<f64>> = samples.iter().flatten().collect();
    let mut own = vec![0.0; space.centre().len()];
    for record in &usable {
        own.iter_mut().zip(*record).for_each(|(sum, x)| *sum += x / usable.len() as f64);
    }
    let from = mean.unwrap_or(&own);
    let named = samples.iter().enumerate().filter_map(|(i, record)| Some((i.to_string(), record.as_ref()?)));
    let distances: Vec<(String, f64)> =
        named.map(|(name, record)| (name, distance(space, record, from))).collect();
    write_text(&dir.join(DISTANCES), &distances_csv(&distances))?;
    let is_beyond = |record: &&&Vec<f64>| distance(space, record, space.centre()) > space.radius();
    let beyond = usable.iter().filter(is_beyond).count();
    let Words { records, distance: what, .. } = space.words();
    let mut page = private_page(&format!("Internal: {records}"));
    distance_line(&mut page, mean.filter(|_| !usable.is_empty()).map(|mean| distance(space, mean, &own)));
    page.paragraph(&format!(
        "{} {records}, {} of which cannot be used and contribute zero ({UNUSABLE}); {beyond} lie further than {} from the public centre \
         ({what}) and count as shortened. {DISTANCES} has how far each lies from the {} mean, in the tangent space at the centre.",
        samples.len(),
        samples.len() - usable.len(),
        space.radius(),
        if mean.is_some() { "released" } else { "own" }
    ));
    job.write_page(page)?;
    // Last: its presence says that the rest is there.
    internal::write_npy(&dir.join(NONPRIVATE_MEAN_NPY), space.axes(), &space.point(&own))?;
    Ok(beyond)
}

/// What a study publishes: public things only.
#[derive(Debug)]
struct TangentPublication<S: Statistic> {
    statistic: S,
    space: Arc<dyn TangentSpace>,
    estimator: S::Estimator,
    circumstances: Circumstances,
}

impl<S: Statistic> TangentPublication<S> {
    /// Public settings, for the digest of a run.
    fn settings(&self) -> String {
        let Circumstances { public_inputs, counting, unusable } = &self.circumstances;
        let space = &self.space;
        format!(
            "{} {} {:?} {public_inputs:?} {:?} {unusable:?}",
            self.statistic(),
            self.statistic.settings(),
            (space.radius(), space.axes(), space.point(space.centre()), space.details()),
            counting.identical
        )
    }

    fn page(&self, found: &S::Found, certificate: &Certificate) -> Result<String, PointStudyError> {
        let [title, what] = self.statistic.title();
        let mut page = release_page(title, &format!("{what} of {}", counted(certificate)), certificate);
        if let Some(mean) = S::mean(found) {
            page.figures(&self.space.mean_figures(&self.space.point(mean))?);
        }
        self.statistic.section(&*self.space, found, &mut page)?;
        guarantee_section(&mut page, certificate);
        page.heading("How it was made");
        page.table(&["parameter", "value"], &mechanism_rows(certificate));
        certificate_section(&mut page, certificate);
        Ok(page.to_html())
    }
}

impl<S: Statistic> Publication for TangentPublication<S> {
    type Value = Value<S>;
    type Error = PointStudyError;

    fn counts_persons(&self) -> bool {
        self.circumstances.counting.counts_persons()
    }

    fn describe(&self, released: &Released<Value<S>>, statement: &mut Statement) {
        let Circumstances { public_inputs, counting, unusable } = &self.circumstances;
        statement.public_inputs = public_inputs.clone();
        let details = json!({
            "space": self.space.words().space,
            "record_kind": counting.kind(self.space.words().record),
            "coordinates": released.price.statistic,
            "public_radius": self.space.radius(),
            "radius_of": format!(
                "deviations from the public centre, which are shortened to it in the first round ({}); the second round's radius, about the \
                 centre that the first one released, is counted below it or a share of it",
                self.space.words().distance
            ),
            "unusable_records": unusable.describe(ZERO_DEVIATION),
        });
        extend(&mut statement.details, details);
        statement.details.extend(counting.details(Kind::Numbers));
        statement.details.extend(self.space.details());
        self.statistic.state(statement);
        if let Ok(found) = self.statistic.find(&*self.space, &self.estimator, released) {
            self.statistic.describe(&*self.space, &found, statement);
        }
    }

    fn statistic(&self) -> String {
        format!("{} {}", self.space.words().command, S::NAME)
    }

    fn write(
        &self,
        released: &Released<Value<S>>,
        certificate: &Certificate,
        folder: &mut ReleaseFolder,
    ) -> Result<(), PointStudyError> {
        let found = self.statistic.find(&*self.space, &self.estimator, released)?;
        self.statistic.write(&*self.space, &found, folder)?;
        self.space.write_beside(folder)?;
        Ok(folder.write(REPORT, self.page(&found, certificate)?.as_bytes())?)
    }
}

/// Adds the entries of an object.
pub(super) fn extend(details: &mut Map<String, Json>, more: Json) {
    if let Json::Object(more) = more {
        details.extend(more);
    }
}

/// Publishes arrays of one record's axes one after the other; `before` are the axes that count them.
pub(super) fn write_arrays<'a>(
    folder: &mut ReleaseFolder,
    name: &str,
    before: &[usize],
    space: &dyn TangentSpace,
    arrays: impl IntoIterator<Item = &'a Vec<f64>>,
) -> Result<(), PointStudyError> {
    let axes: Vec<usize> = before.iter().chain(space.axes()).copied().collect();
    let all: Vec<f64> = arrays.into_iter().flatten().copied().collect();
    Ok(folder.write_with(name, |path| write_npy(path, &axes, &all))?)
}
