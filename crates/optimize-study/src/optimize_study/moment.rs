//! Principal components at one stroke: read off the noised second moment of all records.

use super::data::{self, DataError, PointArray};
use super::error::OptimizeStudyError;
use super::publication::record_details;
use super::records::Records;
use crate::estimate::Components;
use crate::io::npy::{self, Array};
use crate::io::{Content, open, write_npy};
use crate::job::layout::{SOLUTION, VARIANCES};
use crate::job::unusable::write_problems;
use crate::job::{self, Digest, Job, Publication, ReleaseFolder};
use crate::job::{Counting, JobError, Place, StudyFolder, Unusable};
use crate::optimize::PlanError;
use crate::privacy::noise::{ClippedSecond, NoiseError, NoisedSecond};
use crate::privacy::{Caveat, Certificate, ClipRadius, Mechanism, Mu, Released, Statement};
use nalgebra::DMatrix;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::PathBuf;

/// A study of principal components by [`ClippedSecond`].
#[derive(Debug, Clone)]
pub struct MomentStudy {
    /// The records: an `.npy` array, one record along the first axis; flattened.
    pub input: PathBuf,
    /// Folder, ledger, seed; whether to resume or replace.
    pub place: Place,
    /// How many components, as columns of a matrix; `None` for the first one as a vector.
    pub rank: Option<usize>,
    /// Bound on a record's length; longer ones are shortened.
    pub clip: ClipRadius,
    /// μ.
    pub mu: Mu,
    /// Scale every record to unit length first.
    pub unit_records: bool,
    /// What is done with records that are not numbers, or without a direction where they are scaled.
    pub unusable: Unusable,
    /// What counts as a person. A person of several records counts with the average of their products.
    pub counting: Counting,
}

/// How such a study ended.
#[derive(Debug, Clone)]
pub struct MomentOutcome {
    /// The study's folder.
    pub folder: StudyFolder,
    /// The certificate that was written.
    pub certificate: Certificate,
    /// By how much the solution is expected to explain less than the records' own components do: from noised values, in squared units of
    /// the records.
    pub expected_excess: f64,
    /// By how much it does: for the data holder only.
    pub excess: f64,
    /// Whether an interrupted run was continued, so that nothing was charged now.
    pub continued: bool,
    /// How many records could not be used; for the data holder only.
    pub failed: usize,
}

/// Runs a study of principal components at one stroke.
///
/// # Errors
/// [`OptimizeStudyError`]; nothing is charged for input that cannot be used.
pub fn run_moment(study: &MomentStudy) -> Result<MomentOutcome, OptimizeStudyError> {
    let file = open(&study.input, Content::Rows.limit())?;
    let array = npy::of(&file)?;
    let n = array.shape.first().copied().unwrap_or(0);
    let people = study.counting.people(n, &|i| vec![i.to_string()])?;
    job::run(&study.place, |job: &mut Job<'_>| {
        let d: usize = array.shape.get(1..).unwrap_or_default().iter().product();
        let rank = study.rank.unwrap_or(1);
        study.check(d, rank)?;
        if people.count() == 0 {
            return Err(PlanError::NoRecords.into());
        }
        let mechanism = ClippedSecond::new(d, people.count() as u64, study.clip, study.mu)?;
        let publication = MomentPublication {
            details: study.details(),
            rank: study.rank,
            folder: job.folder().clone(),
            counts_persons: study.counting.counts_persons(),
        };
        let priced = job.price(mechanism.price(), publication)?;
        let fits = |row: &[f64]| {
            row.iter().all(|x| x.is_finite()) && (!study.unit_records || data::has_direction(row))
        };
        let records = Records::of(&array, study.unusable, fits)?;
        let columns = data::columns(&records.array, study.unit_records)?;
        if let Some(record) = columns.column_iter().position(|z| z.iter().any(|x| !x.is_finite())) {
            return Err(DataError::Parameter(format!(
                "record {} (counting from 1) has a number that is not finite; without --unusable refuse it contributes zero",
                record + 1
            ))
            .into());
        }
        records.refuse_copies(&study.counting, &people)?;
        let mut sum = mechanism.sum();
        for own in records.members(&people) {
            let own: Vec<_> = own.iter().map(|&i| Some(columns.column(i).data.into_slice())).collect();
            sum.add_averaged(&own).map_err(NoiseError::from)?;
        }
        let digest = study.digest(&mechanism, [file.sha256(), people.table().unwrap_or_default()]);
        write_problems(&job.folder().internal(), &records.problems)?;
        let published =
            job.release::<_, _, OptimizeStudyError>(&priced, &mechanism, &sum, &digest, &mut job.noise(0)?)?;
        let certificate = job.publish(&priced, &published)?;
        job.finish()?;
        let found = found(&published.value, job.folder())?;
        Ok(MomentOutcome {
            folder: job.folder().clone(),
            certificate,
            expected_excess: found.expected_excess(rank),
            excess: excess(&columns, &found, rank),
            continued: job.resumed(),
            failed: records.problems.len(),
        })
    })
}

impl MomentStudy {
    fn check(&self, d: usize, rank: usize) -> Result<(), DataError> {
        if d < 2 || rank == 0 || rank >= d {
            let problem =
                format!("rank {rank} is not between 1 and {}: records have {d} numbers", d.max(1) - 1);
            return Err(DataError::Parameter(problem));
        }
        if d > MOST_NUMBERS {
            return Err(DataError::Parameter(format!(
                "records of {d} numbers have too many products; up to {MOST_NUMBERS} numbers by this method, more by rgd"
            )));
        }
        Ok(())
    }

    fn details(&self) -> serde_json::Map<String, Value> {
        let task = match self.rank {
            None => json!("eigenvector"),
            Some(rank) => json!({"subspace": {"rank": rank}}),
        };
        record_details(task, self.unit_records, "their products are zero", self.unusable, &self.counting)
    }

    fn digest(&self, mechanism: &ClippedSecond, files: [[u8; 32]; 2]) -> Digest {
        let Self { input: _, place, rank, clip, mu, unit_records, unusable, counting } = self;
        let text = format!(
            "moment {rank:?} {clip:?} {mu:?} {unit_records:?} {unusable:?} {:?} {:?}",
            counting.identical, place.seed
        );
        Digest::of(&text, mechanism.price(), files)
    }
}

/// Eigenvectors of products of so many numbers take about a minute.
const MOST_NUMBERS: usize = 2000;

/// All components.
fn found(noised: &NoisedSecond, folder: &StudyFolder) -> Result<Components, JobError> {
    let what = "the stored matrix lacks entries";
    Components::of(noised).ok_or_else(|| JobError::State { path: folder.drawn(), what })
}

/// What the first `rank` noised components explain of the records less than these records' own do.
fn excess(columns: &DMatrix<f64>, found: &Components, rank: usize) -> f64 {
    let n = columns.ncols().max(1) as f64;
    let moment = columns * columns.transpose() / n;
    let frame = found.vectors.columns(0, rank);
    let explained = (frame.transpose() * &moment * frame).trace();
    let mut own: Vec<f64> = moment.symmetric_eigenvalues().iter().copied().collect();
    own.sort_by(|a, b| b.total_cmp(a));
    own.iter().take(rank).sum::<f64>() - explained
}

/// Settings: nothing of a record.
#[derive(Debug)]
struct MomentPublication {
    details: serde_json::Map<String, Value>,
    rank: Option<usize>,
    folder: StudyFolder,
    counts_persons: bool,
}

impl Publication for MomentPublication {
    type Value = NoisedSecond;
    type Error = OptimizeStudyError;

    fn counts_persons(&self) -> bool {
        self.counts_persons
    }

    fn describe(&self, released: &Released<NoisedSecond>, statement: &mut Statement) {
        statement.details.extend(self.details.clone());
        statement.details.insert(
            "estimand".into(),
            json!("principal components, not centred, of the records shortened to the clip radius"),
        );
        let Some(found) = Components::of(&released.value) else { return };
        let rank = self.rank.unwrap_or(1);
        statement.details.insert("visible".into(), json!(found.visible));
        statement.details.insert("expected_excess".into(), json!(found.expected_excess(rank)));
        if found.visible < rank {
            statement.caveats.push(Caveat::Other(format!(
                "components-in-noise: of the components asked for ({rank}) {} stand out of the noise; the others are no better than directions \
                 drawn at random",
                found.visible
            )));
        }
    }

    fn statistic(&self) -> String {
        "optimize".into()
    }

    fn write(
        &self,
        released: &Released<NoisedSecond>,
        _: &Certificate,
        folder: &mut ReleaseFolder,
    ) -> Result<(), OptimizeStudyError> {
        let found = found(&released.value, &self.folder)?;
        let frame = found.vectors.columns(0, self.rank.unwrap_or(1)).into_owned();
        let array = match self.rank {
            None => Array { shape: vec![frame.nrows()], data: frame.as_slice().to_vec() },
            Some(_) => frame.to_array(),
        };
        folder.write_with(SOLUTION, |path| write_npy(path, &array.shape, &array.data))?;
        let trace: f64 = released.value.diagonal().iter().sum();
        let mut csv = String::from("mode,variance,lower,upper,share,cosine_squared\n");
        for (i, c) in found.first(MOST_LISTED).enumerate() {
            let share = if trace > 0.0 { c.value / trace } else { 0.0 };
            let _ =
                writeln!(csv, "{},{},{},{},{share},{}", i + 1, c.value, c.lower, c.upper, c.cosine_squared);
        }
        Ok(folder.write(VARIANCES, csv.as_bytes())?)
    }
}

/// Eigenvalues in the table.
const MOST_LISTED: usize = 50;
