//! The one course of a study of points.

use super::ball::StudyBall;
use super::budget::Budget;
use super::exploration::explore;
use super::form::PointForm;
use super::internal::{Internal, distances_csv};
use super::internal_page::utility_csv;
use super::records::Read;
use super::{PointAccuracy, PointMechanism, PointRequest, PointStudyError};
use crate::io::write_bytes;
use crate::job::layout::DISTANCES;
use crate::job::unusable::write_problems;
use crate::job::{self, Digest, Job};
use crate::manifold::PolarVolume;
use crate::mechanism::MechanismError;
use crate::mechanism::manifold::{CentreStatistic, MakeMean, NoisedPoint, PublicBall, ReleasedPoints};
use crate::privacy::{Certificate, Mechanism, Released};
use crate::study::{People, StudyFolder};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// How a study of points ended.
#[derive(Debug, Clone)]
pub struct PointOutcome {
    /// The study's folder.
    pub folder: StudyFolder,
    /// n: how many people there are.
    pub n: u64,
    /// Whether they may have several records each.
    pub of_persons: bool,
    /// What was released guarantees this; `None` where nothing was released.
    pub certificate: Option<Certificate>,
    /// How good the (first) release is, from the release alone; `None` where the size of the noise is not known.
    pub accuracy: Option<PointAccuracy>,
    /// Records brought into the ball, and those that could not be used: for the data holder only.
    pub outside: (usize, usize),
    /// What looks odd in the records: for the data holder only.
    pub remarks: Vec<String>,
}

/// A study whose public files have been read.
pub(super) struct Course<'a, M: PolarVolume, S, F> {
    pub(super) request: &'a PointRequest,
    pub(super) ball: StudyBall<M, S>,
    pub(super) form: F,
    /// Who gave which records.
    pub(super) people: &'a People,
    /// What the records are called, where the file names them.
    pub(super) names: Vec<String>,
    /// SHA-256 of the file of records.
    pub(super) file: [u8; 32],
    /// What else makes a run this run.
    pub(super) settings: String,
    /// What the data holder should know of the file, once it is read.
    pub(super) notes: &'a dyn Fn() -> Vec<String>,
}

impl<M: PolarVolume, S: CentreStatistic<Point = M::Point> + Clone, F> Course<'_, M, S, F> {
    /// Price, records, release, pages, in this order. `make` makes the mean of what is left of the budget, `records` reads the records.
    pub(super) fn run<K, Q>(
        self,
        make: impl FnOnce(Budget) -> Result<MakeMean<M, K>, MechanismError>,
        records: impl FnOnce() -> Result<Read<M::Point>, PointStudyError>,
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
        records: impl FnOnce() -> Result<Read<M::Point>, PointStudyError>,
    ) -> Result<PointOutcome, PointStudyError>
    where
        F: PointForm<M::Point, Q>,
    {
        job.without_release()?;
        let ball = self.ball.public()?;
        let Read { points: records, problems, notes } =
            self.ball.one_each(self.request.unusable, self.people, records()?)?;
        job.tell((self.notes)().into_iter().chain(notes));
        write_problems(&job.folder().internal(), &problems)?;
        let n = self.people.count() as u64;
        let mut internal = Internal::without_unusable(&ball, &records, &self.names)?;
        if self.request.explore {
            internal.exploration = Some(explore(&ball, n, self.request)?);
        }
        let outside = write_internal(job, &self.form, &internal, None)?;
        Ok(PointOutcome {
            folder: job.folder().clone(),
            n,
            of_persons: self.people.table().is_some(),
            certificate: None,
            accuracy: None,
            outside,
            remarks: job.notes(),
        })
    }

    fn release<K, Q>(
        self,
        job: &mut Job<'_>,
        make: impl FnOnce(Budget) -> Result<MakeMean<M, K>, MechanismError>,
        records: impl FnOnce() -> Result<Read<M::Point>, PointStudyError>,
    ) -> Result<PointOutcome, PointStudyError>
    where
        F: PointForm<M::Point, Q>,
        K: Mechanism<Records = [Option<M::Point>], Value = NoisedPoint<Q>, Error = MechanismError>,
        M::Point: Serialize + DeserializeOwned,
        Q: Serialize + DeserializeOwned,
    {
        let Self { request, ball, form, people, names, file, settings, notes: of_file } = self;
        let n = people.count() as u64;
        let mechanism = ball.staged(n, request.draws, request.whole_budget()?, make)?;
        let priced = job.price(mechanism.price(), form)?;
        // From here on there are records; the form was handed over before.
        let Read { points: records, problems, notes } =
            ball.one_each(request.unusable, people, records()?)?;
        job.tell(of_file().into_iter().chain(notes));
        write_problems(&job.folder().internal(), &problems)?;
        let prepared = mechanism.prepare(&records)?;
        let settings = format!("{} {:?} {settings}", request.digest(), priced.publication().circumstances());
        let table = people.table().unwrap_or_default();
        let digest = Digest::of(&settings, mechanism.price(), [file, table]);
        let mut noise = job.noise(0)?;
        let published =
            job.release::<_, _, PointStudyError>(&priced, &mechanism, &prepared, &digest, &mut noise)?;
        let certificate = job.publish(&priced, &published)?;
        let accuracy = priced.publication().accuracy(&published);
        let found = &published.value;
        let ball = PublicBall::new(ball.space, found.centre.clone(), found.radius)?;
        let mut internal = Internal::of(&ball, &records, &names)?;
        if request.explore {
            internal.exploration = Some(explore(&ball, n, request)?);
        }
        let outside = write_internal(job, priced.publication(), &internal, Some(&published))?;
        job.finish()?;
        Ok(PointOutcome {
            folder: job.folder().clone(),
            n,
            of_persons: people.table().is_some(),
            certificate: Some(certificate),
            accuracy,
            outside,
            remarks: job.notes(),
        })
    }
}

/// Writes `internal/`; returns how many records were brought into the ball, and how many stand at its centre.
fn write_internal<P, Q>(
    job: &Job<'_>,
    form: &impl PointForm<P, Q>,
    internal: &Internal<P>,
    released: Option<&Released<ReleasedPoints<P, Q>>>,
) -> Result<(usize, usize), PointStudyError> {
    let dir = job.folder().internal();
    let [n, projected, failed] = internal.counts;
    let count_as = if released.is_some() { "stand at the centre" } else { "are left out" };
    let counts = format!(
        "what,count\nrecords,{n}\nprojected onto the ball,{projected}\nunusable or without projection ({count_as}),{failed}\n"
    );
    write_bytes(&dir.join("records.csv"), counts.as_bytes())?;
    write_bytes(&dir.join(DISTANCES), distances_csv(&internal.distances).as_bytes())?;
    if let Some(exploration) = &internal.exploration {
        write_bytes(&dir.join("utility.csv"), utility_csv(exploration).as_bytes())?;
    }
    job.write_page(form.internal_page(internal, released))?;
    // Last: its presence says that the rest is there.
    form.write_mean(&dir, &internal.mean)?;
    Ok((projected, failed))
}
