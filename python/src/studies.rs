//! Whole studies: from files to a release, charged to a ledger. Each answers with JSON about what is in its folder; arrays are read from
//! there. What only the data holder may know is under "secret".

use crate::failure::Failure;
use crate::options::{Common, Faces, Points, named, template_source};
use crate::work::{Reporter, long};
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::path::PathBuf;
use visard::estimate::Design;
use visard::nalgebra::DMatrix;
use visard::privacy::{ClipRadius, ClipSource};
use visard::study::face::compare::{self, CompareSettings};
use visard::study::face::modes::{self, FaceModesSettings};
use visard::study::face::regress::{FaceRegressionSettings, RegressionRelease, run_regression};
use visard::study::face::sample::{SampleRequest, sample};
use visard::study::face::{self, ClipChoice, FaceMechanism, FaceProgress, FaceStudySettings};
use visard::study::points::spd::descriptor_ball;
use visard::study::points::{
    PointOutcome, SpdCentre, SpdStudy, VectorCentre, VectorStudy, run_spd, run_vectors,
};
use visard::study::{Stop, StudyFolder};

/// Where progress is told.
pub type Callback<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

/// What is going on with scans, for a progress bar.
fn teller<'a>(
    reporter: &'a Reporter<'a>,
    total: &'a std::sync::atomic::AtomicU64,
) -> impl Fn(FaceProgress) + Sync {
    use std::sync::atomic::Ordering::Relaxed;
    move |event| match event {
        FaceProgress::Found { scans } => {
            total.store(scans as u64, Relaxed);
            reporter.tell("scans", 0, scans as u64);
        }
        FaceProgress::Scan { done, .. } => reporter.tell("scans", done as u64, total.load(Relaxed)),
        _ => {}
    }
}

/// Runs a study of faces.
pub fn faces<T>(
    py: Python<'_>,
    stop: Stop,
    progress: Callback<'_, '_>,
    study: impl FnOnce(&(dyn Fn(FaceProgress) + Sync)) -> Result<T, face::StudyError> + Send + 'static,
    told: impl FnOnce(T) -> Value + Send + 'static,
) -> PyResult<String> {
    long(py, stop, progress, move |reporter| {
        let total = Default::default();
        let outcome = study(&teller(reporter, &total))?;
        Ok(told(outcome).to_string())
    })
}

fn about(folder: &StudyFolder, n: usize, scans: usize, failed: usize) -> Value {
    json!({"out": folder.root(), "n": n, "secret": {"scans": scans, "failed": failed}})
}

fn with(mut value: Value, key: &str, what: Value) -> Value {
    value[key] = what;
    value
}

/// A private mean face.
#[pyfunction]
#[pyo3(signature = (common, inputs, mechanism, clip_radius, band, units, prior, progress))]
#[expect(clippy::too_many_arguments, reason = "they are those of the Python function")]
pub fn face_mean(
    py: Python<'_>,
    common: Common,
    inputs: Faces,
    mechanism: &str,
    clip_radius: Option<f64>,
    band: bool,
    units: Option<String>,
    prior: Option<PathBuf>,
    progress: Callback<'_, '_>,
) -> PyResult<String> {
    let stop = Stop::default();
    let mechanism: FaceMechanism = named("mechanism", mechanism)?;
    let private_radius = clip_radius.is_some_and(|radius| radius < 0.0);
    let settings = FaceStudySettings {
        budget: if mechanism == FaceMechanism::None { None } else { Some(common.mu()?) },
        mechanism,
        clip_radius: match clip_radius {
            None => ClipChoice::Default,
            Some(_) if private_radius => ClipChoice::Private,
            Some(radius) => ClipChoice::Public(public_radius("clip_radius", radius)?),
        },
        band,
        size: units.map(|name| named("units", &name)).transpose()?,
        prior,
        records: inputs.inputs(&common, &stop)?,
    };
    let told = |outcome: face::FaceOutcome| {
        let said = about(&outcome.folder, outcome.people, outcome.scans, outcome.failed);
        let released = outcome.released.as_ref();
        let said = with(said, "accuracy", json!(released.map(|released| released.accuracy)));
        with(said, "band", json!(released.and_then(|released| released.band)))
    };
    faces(py, stop, progress, move |show| face::run(&settings, show), told)
}

/// A clip radius, by the argument's name.
pub fn public_radius(argument: &str, radius: f64) -> Result<ClipRadius, Failure> {
    ClipRadius::new(radius, ClipSource::Public).map_err(|e| Failure::input(format!("{argument}: {e}")))
}

/// Private modes of variation.
#[pyfunction]
pub fn face_modes(
    py: Python<'_>,
    common: Common,
    inputs: Faces,
    modes: usize,
    with_mean: bool,
    progress: Callback<'_, '_>,
) -> PyResult<String> {
    let stop = Stop::default();
    let records = inputs.inputs(&common, &stop)?;
    let settings = FaceModesSettings { records, budget: common.mu()?, most: modes, with_mean };
    let told = |outcome: modes::FaceModesOutcome| {
        let said = about(&outcome.folder, outcome.people, outcome.scans, outcome.failed);
        let modes = &outcome.released.modes;
        let said = with(said, "accuracy", json!(outcome.released.accuracy));
        let said = with(said, "shares", json!(modes.modes.iter().map(|mode| mode.share).collect::<Vec<_>>()));
        with(said, "leans_on_prior", json!(modes.leans_on_prior))
    };
    faces(py, stop, progress, move |show| modes::run(&settings, show), told)
}

/// A private regression on covariates.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "they are those of the Python function")]
pub fn face_regress(
    py: Python<'_>,
    common: Common,
    inputs: Faces,
    covariates: PathBuf,
    bounds: Vec<String>,
    levels: Vec<String>,
    splines: Vec<String>,
    progress: Callback<'_, '_>,
) -> PyResult<String> {
    let stop = Stop::default();
    let settings = FaceRegressionSettings {
        records: inputs.inputs(&common, &stop)?,
        covariates,
        design: Design::parse(&bounds, &levels, &splines).map_err(Failure::input)?,
        budget: common.mu()?,
    };
    let told = |outcome: face::regress::FaceRegressionOutcome| {
        let said = about(&outcome.folder, outcome.people, outcome.scans, outcome.failed);
        let released = &outcome.released;
        let said = with(said, "accuracy", json!(released.accuracy));
        let said = with(said, "explained_share", json!(released.explained));
        let columns = released.columns.iter();
        let columns =
            columns.map(|field| json!({"column": field.name, "rms": field.rms, "error_rms": field.error}));
        with(said, "fields", columns.collect())
    };
    faces(py, stop, progress, move |show| run_regression(&settings, show), told)
}

/// Groups compared.
#[pyfunction]
pub fn face_compare(
    py: Python<'_>,
    common: Common,
    inputs: Faces,
    groups: PathBuf,
    want: &str,
    progress: Callback<'_, '_>,
) -> PyResult<String> {
    let stop = Stop::default();
    let settings = CompareSettings {
        records: inputs.inputs(&common, &stop)?,
        groups,
        want: named("want", want)?,
        budget: common.mu()?,
    };
    let told = |outcome: compare::CompareOutcome| {
        let said = about(&outcome.folder, outcome.people, outcome.scans, outcome.failed);
        let comparison = &outcome.comparison;
        let groups = comparison.groups.iter().map(|(label, n)| json!({"label": label, "n": n}));
        let said = with(said, "groups", groups.collect());
        with(said, "test", json!(comparison.test))
    };
    faces(py, stop, progress, move |show| compare::run(&settings, show), told)
}

/// A face at given values of covariates, from a release alone: a mesh file is written; its expected error is told.
#[pyfunction]
pub fn face_predict(
    release: PathBuf,
    at: Vec<String>,
    template: Option<PathBuf>,
    out: PathBuf,
) -> PyResult<f64> {
    let predict = || -> Result<f64, Failure> {
        let release = RegressionRelease::open(&release, &template_source(template)).map_err(Failure::from)?;
        let values = release.design().values(&at).map_err(|e| Failure::input(format!("at: {e}")))?;
        let found = release.at(&values).map_err(Failure::from)?;
        visard::io::write_ply(&out, &found.mesh).map_err(Failure::other)?;
        Ok(found.rms)
    };
    Ok(predict()?)
}

/// Synthetic faces from released modes, written to a folder.
#[pyfunction]
pub fn face_sample(
    py: Python<'_>,
    release: PathBuf,
    count: usize,
    template: Option<PathBuf>,
    seed: u64,
    out: PathBuf,
) -> PyResult<()> {
    let request = SampleRequest { release, count, out, template: template_source(template), seed };
    long(py, Stop::default(), None, move |_| sample(&request).map(drop).map_err(Failure::from))
}

/// What a study of points says.
pub fn told(outcome: &PointOutcome) -> String {
    let (outside, unusable) = outcome.outside;
    json!({
        "out": outcome.folder.root(),
        "n": outcome.n,
        "accuracy": outcome.accuracy,
        "secret": {"outside": outside, "unusable": unusable, "remarks": outcome.remarks},
    })
    .to_string()
}

/// A private mean of positive definite matrices.
#[pyfunction]
#[pyo3(signature = (common, points, file, metric, center, private_center, radius, first_radius, descriptor_order))]
#[expect(clippy::too_many_arguments, reason = "they are those of the Python function")]
pub fn spd_mean(
    py: Python<'_>,
    common: Common,
    points: Points,
    file: PathBuf,
    metric: &str,
    center: Option<PathBuf>,
    private_center: bool,
    radius: Option<f64>,
    first_radius: Option<f64>,
    descriptor_order: Option<usize>,
) -> PyResult<String> {
    let stop = Stop::default();
    let known: Option<(DMatrix<f64>, f64)> = match descriptor_order {
        Some(order) => Some(descriptor_ball(order).ok_or_else(|| {
            Failure::input(
                "radius: \"descriptor\" is for covariance descriptors: 9 × 9 (grey) or 11 × 11 (colour)",
            )
        })?),
        None => None,
    };
    let (centre, radius) = match (known, center, private_center) {
        (Some((about, first)), _, true) => {
            let first_radius = first_radius.or(Some(first));
            (SpdCentre::Private { about: Some(about), first_radius }, radius)
        }
        (Some((centre, radius)), _, false) => (SpdCentre::Known(centre), Some(radius)),
        (None, _, true) => (SpdCentre::Private { about: None, first_radius }, radius),
        (None, Some(file), false) => (SpdCentre::File(file), radius),
        (None, None, false) => (SpdCentre::Identity, radius),
    };
    let radius = points.radius(radius)?;
    let request = points.request(&common, &stop)?;
    let study = SpdStudy { file, metric: named("metric", metric)?, centre, radius, request };
    long(py, stop, None, move |_| Ok(told(&run_spd(&study)?)))
}

/// A private mean of directions or hyperbolic points.
#[pyfunction]
#[pyo3(signature = (common, points, file, space, center, private_center, radius, first_radius))]
#[expect(clippy::too_many_arguments, reason = "they are those of the Python function")]
pub fn vector_mean(
    py: Python<'_>,
    common: Common,
    points: Points,
    file: PathBuf,
    space: &str,
    center: Option<PathBuf>,
    private_center: bool,
    radius: Option<f64>,
    first_radius: Option<f64>,
) -> PyResult<String> {
    let stop = Stop::default();
    let study = VectorStudy {
        file,
        space: named("space", space)?,
        centre: match center {
            _ if private_center => VectorCentre::Private { first_radius },
            Some(file) => VectorCentre::File(file),
            None => VectorCentre::Origin,
        },
        radius: points.radius(radius)?,
        dim: None,
        request: points.request(&common, &stop)?,
    };
    long(py, stop, None, move |_| Ok(told(&run_vectors(&study)?)))
}
