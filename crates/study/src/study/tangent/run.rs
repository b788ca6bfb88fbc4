//! The one lifecycle of statistics in a tangent space, for every kind of record.

use super::centring::{Centring, Value};
use super::records::{Centred, Shown};
use super::space::{Circumstances, TangentSpace};
use super::statistic::Statistic;
use crate::estimate::{Band, Design};
use crate::io::{write_npy, write_text};
use crate::job::covariates::Covariates;
use crate::job::layout::{BAND, COVARIATES, REPORT};
use crate::job::unusable::{Problem, write_problems};
use crate::job::{self, Digest, Job, Publication, ReleaseFolder};
use crate::mechanism::Mechanism;
use crate::privacy::{Certificate, Released, Statement};
use crate::report::guarantee::{
    certificate_section, counted, guarantee_section, mechanism_rows, release_page,
};
use crate::study::points::{PointStudyError, Words};
use crate::study::{Place, StudyFolder};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;

/// How a study ended; `F` is what its statistic found.
#[derive(Debug, Clone)]
pub struct TangentOutcome<F> {
    /// The study's folder.
    pub folder: StudyFolder,
    /// Number of records.
    pub records_read: usize,
    /// Number of people n.
    pub people: usize,
    /// Whether they may have several records each.
    pub of_persons: bool,
    /// How many have no usable record and contribute zero; for the data holder only.
    pub failed: usize,
    /// How many lie beyond the public radius and count as shortened, where that is told by numbers; for the data holder only.
    pub beyond: Option<usize>,
    /// How many covariates lay outside their bounds; for the data holder only.
    pub outside: usize,
    /// What the data holder should know of the files, and was not told on the way.
    pub remarks: Vec<String>,
    /// What several records are called: functions, matrices.
    pub records: &'static str,
    /// What distances are.
    pub distance: &'static str,
    /// What a band excludes no difference at: samples, entries, landmarks.
    pub places: &'static str,
    /// What was found.
    pub found: F,
    /// What it guarantees.
    pub certificate: Certificate,
}

/// Runs a study: price, records, release, pages, in this order. Returns what was read of the records beside, too.
///
/// # Errors
/// [`PointStudyError`]; nothing is charged for input that cannot be used.
pub(in crate::study) fn run<K: Centred + ?Sized, S: Statistic>(
    kind: &K,
    statistic: S,
    place: &Place,
) -> Result<(TangentOutcome<S::Found>, K::Own), PointStudyError> {
    let centring = kind.centring(statistic.budget());
    let wanted = statistic.clone();
    let mechanism = centring.about(move |expected| wanted.inner(expected))?;
    let publication =
        TangentPublication { statistic, centring, mechanism, circumstances: kind.circumstances() };
    job::run(place, |job| run_job(kind, job, publication))
}

fn run_job<K: Centred + ?Sized, S: Statistic>(
    kind: &K,
    job: &mut Job<'_>,
    publication: TangentPublication<K::Centring, S>,
) -> Result<(TangentOutcome<S::Found>, K::Own), PointStudyError> {
    let price = publication.mechanism.price().clone();
    let priced = job.price(&price, publication)?;
    // From here on there are records; the publication was handed over before.
    let publication = priced.publication();
    let statistic = &publication.statistic;
    // Before hours of work, not after.
    let mut beside = statistic.covariates(kind)?;
    let mut gathered = kind.gather(job)?;
    let mut remarks = kind.notes();
    remarks.append(&mut gathered.notes);
    if let Some((covariates, design)) = &mut beside {
        remarks.extend(covariates.remarks(design));
        statistic.complete(kind, &gathered.own, covariates)?;
        K::give(&mut gathered.records, covariates.rows(design, &kind.people().members()));
    }
    job.tell(remarks.iter().cloned());
    // Not before: a table that is refused leaves no folder.
    write_tables(&job.folder().internal(), gathered.problems.as_deref(), beside.as_ref())?;
    let table = beside.as_ref().map(|(covariates, _)| covariates.table);
    let sums = kind.sums().into_iter().chain(gathered.sums.iter().copied()).chain(table);
    let digest = Digest::of(&publication.settings(), &price, sums);
    let mechanism = &publication.mechanism;
    let prepared = mechanism.prepare(&gathered.records)?;
    let mut noise = job.noise(0)?;
    let published =
        job.release::<_, _, PointStudyError>(&priced, mechanism, &prepared, &digest, &mut noise)?;
    let certificate = job.publish(&priced, &published)?;
    let (space, found) = publication.found(&published)?;
    let shown = Shown { space: &*space, mean: S::mean(&found), certificate: &certificate };
    let beyond = kind.write_internal(job, &gathered, &shown)?;
    job.finish()?;
    let outcome = TangentOutcome {
        records_read: kind.count(),
        people: kind.people().count(),
        failed: gathered.failed,
        beyond,
        outside: beside.map_or(0, |(covariates, _)| covariates.outside.iter().sum()),
        remarks,
        ..TangentOutcome::of(job, publication, (&*space, found), certificate)
    };
    Ok((outcome, gathered.own))
}

impl<F> TangentOutcome<F> {
    /// As a release has it; what is known of the records is for the caller to add.
    pub fn of<C: Centring, S: Statistic<Found = F>>(
        job: &Job<'_>,
        publication: &TangentPublication<C, S>,
        (space, found): (&dyn TangentSpace, F),
        certificate: Certificate,
    ) -> Self {
        let Words { records, distance, .. } = space.words();
        Self {
            folder: job.folder().clone(),
            records_read: 0,
            people: 0,
            of_persons: publication.counts_persons(),
            failed: 0,
            beyond: None,
            outside: 0,
            remarks: Vec::new(),
            records,
            distance,
            places: space.terms().places,
            found,
            certificate,
        }
    }
}

/// What became of records and covariates, for the data holder.
fn write_tables(
    internal: &Path,
    problems: Option<&[Problem]>,
    covariates: Option<&(Covariates, &Design)>,
) -> Result<(), PointStudyError> {
    if let Some(problems) = problems {
        write_problems(internal, problems)?;
    }
    if let Some((covariates, design)) = covariates {
        write_text(&internal.join(COVARIATES), &covariates.counted(design))?;
    }
    Ok(())
}

/// What a study publishes: public things only.
#[derive(Debug)]
pub struct TangentPublication<C: Centring, S: Statistic> {
    /// What is told of the records.
    pub statistic: S,
    /// Where they are seen from.
    pub centring: C,
    /// What drew it.
    pub mechanism: C::About<S::Inner>,
    /// What else the certificate says.
    pub circumstances: Circumstances,
}

/// The space that a release tells, and what was found there.
type Seen<S> = (Arc<dyn TangentSpace>, <S as Statistic>::Found);

impl<C: Centring, S: Statistic> TangentPublication<C, S> {
    /// Public settings, for the digest of a run.
    fn settings(&self) -> String {
        let Circumstances { public_inputs, counting, unusable } = &self.circumstances;
        let (name, own) = (self.statistic(), self.statistic.settings());
        let centring = self.centring.settings();
        format!("{name} {own} {public_inputs:?} {centring} {unusable:?} {:?}", counting.identical)
    }

    /// What a release tells.
    ///
    /// # Errors
    /// [`PointStudyError`] for a draw of other records.
    pub fn found(&self, released: &Released<Value<C, S::Inner>>) -> Result<Seen<S>, PointStudyError> {
        let told = self.centring.told(&self.mechanism, &released.value)?;
        let space = told.space.clone();
        Ok((space, self.statistic.find(told, &released.price)?))
    }

    fn page(
        &self,
        space: &dyn TangentSpace,
        found: &S::Found,
        certificate: &Certificate,
    ) -> Result<String, PointStudyError> {
        let [title, what] = self.statistic.title(space);
        let mut page = release_page(&title, &format!("{what} of {}", counted(certificate)), certificate);
        for row in self.statistic.figures(space, found)? {
            page.figures(&row);
        }
        self.statistic.section(space, found, &mut page)?;
        guarantee_section(&mut page, certificate);
        page.heading("How it was made");
        let mut rows = mechanism_rows(certificate);
        rows.push(vec!["what was noised".into(), self.mechanism.price().statistic.clone()]);
        rows.extend(space.parameters());
        rows.extend(self.statistic.parameters(found));
        let parts = certificate.composition.parts().iter();
        rows.extend(parts.map(|part| vec![part.mechanism.clone(), part.cost.to_string()]));
        page.table(&["parameter", "value"], &rows);
        certificate_section(&mut page, certificate);
        Ok(page.to_html())
    }
}

impl<C: Centring, S: Statistic> Publication for TangentPublication<C, S> {
    type Value = Value<C, S::Inner>;
    type Error = PointStudyError;

    fn counts_persons(&self) -> bool {
        self.circumstances.counting.counts_persons()
    }

    fn describe(&self, released: &Released<Self::Value>, statement: &mut Statement) {
        statement.public_inputs = self.circumstances.public_inputs.clone();
        // A draw that does not fit is refused when it is written.
        let Ok((space, found)) = self.found(released) else { return };
        let of = format!("{}, of {}", S::OF, space.words().space);
        statement.details.insert("statistic".into(), json!(of));
        space.state(&self.circumstances, &released.price.statistic, statement);
        self.statistic.state(&*space, statement);
        self.statistic.describe(&*space, &found, statement);
    }

    fn statistic(&self) -> String {
        self.statistic.full_name(self.centring.words().command)
    }

    fn write(
        &self,
        released: &Released<Self::Value>,
        certificate: &Certificate,
        folder: &mut ReleaseFolder,
    ) -> Result<(), PointStudyError> {
        let (space, found) = self.found(released)?;
        self.statistic.write(&*space, &found, folder)?;
        space.write_beside(folder)?;
        Ok(folder.write(REPORT, self.page(&*space, &found, certificate)?.as_bytes())?)
    }
}

/// Publishes arrays of one record's axes one after the other; `before` are the axes that count them.
pub(in crate::study) fn write_arrays<'a>(
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

/// Publishes bands of arrays: the lower borders of all, then the upper ones; `before` are the axes that count them.
pub(super) fn write_bands<'a>(
    folder: &mut ReleaseFolder,
    before: &[usize],
    space: &dyn TangentSpace,
    bands: impl Iterator<Item = &'a Band>,
) -> Result<(), PointStudyError> {
    let borders: Vec<Vec<f64>> = bands.map(Band::borders).collect();
    let half = |upper: bool| {
        let of = move |both: &Vec<f64>| {
            let (low, high) = both.split_at(both.len() / 2);
            space.numbers(if upper { high } else { low })
        };
        borders.iter().map(of)
    };
    let both: Vec<Vec<f64>> = half(false).chain(half(true)).collect();
    let counted: Vec<usize> = std::iter::once(2).chain(before.iter().copied()).collect();
    write_arrays(folder, BAND, &counted, space, &both)
}
