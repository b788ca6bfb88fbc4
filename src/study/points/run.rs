//! The one course of a study of points.

use super::ball::StudyBall;
use super::budget::Budget;
use super::exploration::explore;
use super::internal::{Internal, write_internal};
use super::{PointMechanism, PointRequest};
use crate::io::{ReadError, WriteError};
use crate::manifold::{ManifoldError, PolarVolume};
use crate::mechanism::MechanismError;
use crate::mechanism::manifold::{CentreStatistic, MakeMean, NoisedPoint, PublicBall, ReleasedPoints};
use crate::privacy::{BudgetError, Certificate, Mechanism, PublicInput, Released, Statement};
use crate::study::StudyFolder;
use crate::study::job::{self, Digest, Job, JobError, Publication};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// How a study of points ended.
#[derive(Debug, Clone)]
pub struct PointOutcome {
    /// The study's folder.
    pub folder: StudyFolder,
    /// n.
    pub n: u64,
    /// What was released guarantees this; `None` where nothing was released.
    pub certificate: Option<Certificate>,
    /// Records brought into the ball, and failed ones: for the data holder only.
    pub outside: (usize, usize),
}

/// Why a study of points stopped. Errors about the input name a record by its place only.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PointStudyError {
    /// The study's folder, its ledger, its state.
    #[error(transparent)]
    Job(#[from] JobError),
    /// An input file.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// An output file.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A record that is no point of the space.
    #[error("record {index} (counting from 1): {problem}")]
    Record {
        /// Its place, from 1.
        index: usize,
        /// What is wrong and what to do.
        problem: String,
    },
    /// Something else about the input.
    #[error("{0}")]
    Input(String),
    /// Geometry.
    #[error(transparent)]
    Manifold(#[from] ManifoldError),
    /// The mechanism or its noise.
    #[error(transparent)]
    Mechanism(#[from] MechanismError),
    /// A budget.
    #[error(transparent)]
    Budget(#[from] BudgetError),
}

/// Public circumstances that every certificate of such a study states.
#[derive(Debug, Clone)]
pub(super) struct Circumstances {
    /// Files that were assumed public.
    pub(super) public_inputs: Vec<PublicInput>,
    /// Further details.
    pub(super) details: Map<String, Value>,
}

impl Circumstances {
    pub(super) fn new(public_inputs: Vec<PublicInput>, request: &PointRequest, details: Value) -> Self {
        let mut all = if let Value::Object(details) = details { details } else { Map::new() };
        all.insert("unusable_records".into(), json!(request.unusable.describe()));
        all.insert("draws".into(), json!(request.draws));
        Self { public_inputs, details: all }
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

    /// Writes the mean without noise into this folder.
    fn write_mean(&self, internal: &std::path::Path, mean: &P) -> Result<(), PointStudyError>;

    /// `internal/report.html`.
    fn internal_page(
        &self,
        internal: &Internal<P>,
        released: Option<&Released<ReleasedPoints<P, Q>>>,
    ) -> String;
}

/// A study whose public files have been read.
pub(super) struct Course<'a, M: PolarVolume, S, F> {
    pub(super) request: &'a PointRequest,
    pub(super) ball: StudyBall<M, S>,
    pub(super) form: F,
    /// How many records there are.
    pub(super) n: u64,
    /// SHA-256 of the file of records.
    pub(super) file: [u8; 32],
    /// What else makes a run this run.
    pub(super) settings: String,
}

impl<M: PolarVolume, S: CentreStatistic<Point = M::Point> + Clone, F> Course<'_, M, S, F> {
    /// Price, records, release, pages, in this order. `make` makes the mean of what is left of the budget, `records` reads the records.
    pub(super) fn run<K, Q>(
        self,
        make: impl FnOnce(Budget) -> Result<MakeMean<M, K>, MechanismError>,
        records: impl FnOnce() -> Result<Vec<Option<M::Point>>, PointStudyError>,
    ) -> Result<PointOutcome, PointStudyError>
    where
        F: PointForm<M::Point, Q>,
        K: Mechanism<Records = [Option<M::Point>], Value = NoisedPoint<Q>, Error = MechanismError>,
        M::Point: Serialize + DeserializeOwned,
        Q: Serialize + DeserializeOwned,
    {
        job::run(&self.request.place, |job| match self.request.mechanism {
            PointMechanism::None => self.without_release(job, records),
            _ => self.release(job, make, records),
        })
    }

    fn without_release<Q>(
        self,
        job: &mut Job<'_>,
        records: impl FnOnce() -> Result<Vec<Option<M::Point>>, PointStudyError>,
    ) -> Result<PointOutcome, PointStudyError>
    where
        F: PointForm<M::Point, Q>,
    {
        job.without_release()?;
        let ball = self.ball.public()?;
        let records = records()?;
        let mut internal = Internal::of(&ball, &records)?;
        if self.request.explore {
            internal.exploration = Some(explore(&ball, self.n, self.request)?);
        }
        let outside = write_internal(job.folder(), &self.form, &internal, None)?;
        Ok(PointOutcome { folder: job.folder().clone(), n: self.n, certificate: None, outside })
    }

    fn release<K, Q>(
        self,
        job: &mut Job<'_>,
        make: impl FnOnce(Budget) -> Result<MakeMean<M, K>, MechanismError>,
        records: impl FnOnce() -> Result<Vec<Option<M::Point>>, PointStudyError>,
    ) -> Result<PointOutcome, PointStudyError>
    where
        F: PointForm<M::Point, Q>,
        K: Mechanism<Records = [Option<M::Point>], Value = NoisedPoint<Q>, Error = MechanismError>,
        M::Point: Serialize + DeserializeOwned,
        Q: Serialize + DeserializeOwned,
    {
        let Self { request, ball, form, n, file, settings } = self;
        let mechanism = ball.staged(n, request.draws, Budget::of(request)?, make)?;
        let priced = job.price(mechanism.price(), form)?;
        // From here on there are records; the form was handed over before.
        let records = records()?;
        let prepared = mechanism.prepare(&records)?;
        let settings = format!("{} {:?} {settings}", request.digest(), priced.publication().circumstances());
        let digest = Digest::of(&settings, mechanism.price(), [file]);
        let mut noise = job.noise(0)?;
        let published =
            job.release::<_, _, PointStudyError>(&priced, &mechanism, &prepared, &digest, &mut noise)?;
        let certificate = job.publish(&priced, &published)?;
        let found = &published.value;
        let ball = PublicBall::new(ball.space, found.centre.clone(), found.radius)?;
        let mut internal = Internal::of(&ball, &records)?;
        if request.explore {
            internal.exploration = Some(explore(&ball, n, request)?);
        }
        let outside = write_internal(job.folder(), priced.publication(), &internal, Some(&published))?;
        job.finish()?;
        Ok(PointOutcome { folder: job.folder().clone(), n, certificate: Some(certificate), outside })
    }
}
