//! Studies of landmark shapes, in the plane and in space: from a table of landmarks to a release. The same roads as the command's.

use crate::failure::Failure;
use crate::options::{Common, Points, named};
use crate::studies::told;
use crate::work::long;
use clap::ValueEnum;
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::path::PathBuf;
use visard::estimate::Design;
use visard::privacy::PrivacyLoss;
use visard::study::points::{
    OutlineSmoothing, PointMechanism, ShapeCentre, ShapeRadius, ShapeStudy, Sliding, Treatment, run_shapes,
};
use visard::study::shape::{
    ShapeCompareSettings, ShapeInputs, ShapeMeanOutcome, ShapeMeanSettings, ShapeModesSettings,
    ShapeRegressionSettings, run_compare, run_mean, run_modes, run_regression,
};
use visard::study::{Stop, StudyFolder};

/// The mean in two rounds, which is no mechanism of single points.
const JOINT: &str = "joint";

/// The specimens and what is known of them in advance; a dictionary in Python.
#[derive(Debug, Clone, FromPyObject)]
#[pyo3(from_item_all)]
pub struct Specimens {
    file: PathBuf,
    center: Option<PathBuf>,
    public_records: Option<PathBuf>,
    /// Below 0: private.
    radius: Option<f64>,
    outline: bool,
    landmarks: Option<usize>,
    dimensions: Option<usize>,
    drop_missing: bool,
    unusable: String,
    missing: Vec<f64>,
    /// A file, or "curves".
    sliders: Option<PathBuf>,
    links: Option<PathBuf>,
    pairs: Option<PathBuf>,
    unmirror: bool,
}

impl Specimens {
    fn centre(&self) -> ShapeCentre {
        match (&self.center, &self.public_records) {
            (Some(file), _) => ShapeCentre::File(file.clone()),
            (None, Some(file)) => ShapeCentre::PublicRecords(file.clone()),
            (None, None) => ShapeCentre::Private,
        }
    }

    fn treatment(&self) -> Treatment {
        let sliding = match &self.sliders {
            None => Sliding::None,
            Some(word) if word.as_os_str() == "curves" => Sliding::Curves,
            Some(file) => Sliding::File(file.clone()),
        };
        Treatment {
            missing: self.missing.clone(),
            sliding,
            unmirror: self.unmirror,
            pairs: self.pairs.clone(),
            links: self.links.clone(),
        }
    }

    fn has_private_radius(&self) -> bool {
        self.radius.is_some_and(|radius| radius < 0.0)
    }

    /// As studies take them.
    fn inputs(&self, common: &Common, stop: &Stop) -> Result<ShapeInputs, Failure> {
        Ok(ShapeInputs {
            centre: self.centre(),
            radius: self.radius.filter(|_| !self.has_private_radius()),
            outline: self.outline,
            landmarks: self.landmarks,
            dimensions: self.dimensions,
            drop_missing: self.drop_missing,
            treatment: self.treatment(),
            unusable: named("unusable", &self.unusable)?,
            counting: common.counting(),
            ..ShapeInputs::new(&self.file, common.place(stop)?)
        })
    }

    /// As a study with a single mechanism takes them.
    fn study(
        self,
        common: &Common,
        points: &Points,
        smoothing: OutlineSmoothing,
        stop: &Stop,
    ) -> Result<ShapeStudy, Failure> {
        let radius = match self.radius {
            Some(radius) if radius < 0.0 => ShapeRadius::Private,
            Some(radius) => ShapeRadius::Public(radius),
            None if self.public_records.is_some() => ShapeRadius::FromPublicRecords,
            None => ShapeRadius::Default,
        };
        let (centre, treatment) = (self.centre(), self.treatment());
        Ok(ShapeStudy {
            landmarks: self.landmarks,
            drop_missing: self.drop_missing,
            treatment,
            smoothing,
            ..ShapeStudy::new(self.file, centre, radius, points.request(common, stop)?)
        })
    }
}

/// Which private mean.
enum Road {
    /// In two rounds.
    Joint,
    /// One of the mechanisms that every space of points has.
    Single,
}

fn road(common: &Common, points: &Points, smoothing: OutlineSmoothing) -> Result<Road, Failure> {
    let asked = points.mechanism();
    let pure = asked.is_none() && matches!(common.loss()?, PrivacyLoss::Pure(_));
    let single = pure || points.wants_single()? || smoothing != OutlineSmoothing::None;
    match asked {
        None if single => Ok(Road::Single),
        None => Ok(Road::Joint),
        Some(JOINT) if single => Err(Failure::input(
            "draws, smooth, calibration: are for single mechanisms, not for mechanism=\"joint\"; give mechanism=\"tangent-gaussian\"; for \
             outlines, joint has outline=True in place of smooth",
        )),
        Some(JOINT) => Ok(Road::Joint),
        Some(name) => match PointMechanism::from_str(name, false) {
            Ok(_) => Ok(Road::Single),
            Err(_) => {
                let known = PointMechanism::value_variants().iter().filter_map(ValueEnum::to_possible_value);
                let known: Vec<String> = known.map(|value| value.get_name().to_owned()).collect();
                let message = format!("mechanism: {name:?} is none of {JOINT}, {}", known.join(", "));
                Err(Failure::input(message))
            }
        },
    }
}

/// A private mean shape.
#[pyfunction]
pub fn shape_mean(
    py: Python<'_>,
    common: Common,
    points: Points,
    specimens: Specimens,
    band: bool,
    smooth: &str,
) -> PyResult<String> {
    let stop = Stop::default();
    let smoothing: OutlineSmoothing = named("smooth", smooth)?;
    match road(&common, &points, smoothing)? {
        Road::Joint => {
            let settings = ShapeMeanSettings {
                private_radius: specimens.has_private_radius(),
                inputs: specimens.inputs(&common, &stop)?,
                budget: common.mu()?,
                band,
            };
            long(py, stop, None, move |_| Ok(told_joint(&run_mean(&settings)?)))
        }
        Road::Single => {
            if specimens.outline || band {
                let message = "outline, band: are for mechanism=\"joint\", the default; leave the mechanism out, or smooth its release with smooth";
                return Err(Failure::input(message).into());
            }
            let study = specimens.study(&common, &points, smoothing, &stop)?;
            if smoothing == OutlineSmoothing::Shrink
                && study.request.mechanism != PointMechanism::TangentGaussian
            {
                let message = "smooth: \"shrink\" needs Gaussian noise of known scale, mechanism=\"tangent-gaussian\"; \"local-linear\" goes \
                               with every mechanism";
                return Err(Failure::input(message).into());
            }
            long(py, stop, None, move |_| Ok(told(&run_shapes(&study)?)))
        }
    }
}

fn told_joint(outcome: &ShapeMeanOutcome) -> String {
    json!({
        "out": outcome.folder.root(),
        "n": outcome.people,
        "accuracy": outcome.accuracy,
        "secret": {"unusable": outcome.failed, "remarks": outcome.remarks},
    })
    .to_string()
}

fn about(folder: &StudyFolder, n: usize, unusable: usize) -> Value {
    json!({"out": folder.root(), "n": n, "secret": {"unusable": unusable}})
}

/// Private modes of variation of shapes, with their mean.
#[pyfunction]
pub fn shape_modes(py: Python<'_>, common: Common, specimens: Specimens, modes: usize) -> PyResult<String> {
    let stop = Stop::default();
    let inputs = specimens.inputs(&common, &stop)?;
    let settings = ShapeModesSettings { inputs, budget: common.mu()?, most: modes };
    long(py, stop, None, move |_| {
        let outcome = run_modes(&settings)?;
        let mut said = about(&outcome.folder, outcome.people, outcome.failed);
        said["accuracy"] = json!(outcome.accuracy);
        said["shares"] = outcome.modes.modes.iter().map(|mode| mode.share).collect();
        said["leans_on_prior"] = json!(outcome.modes.leans_on_prior);
        Ok(said.to_string())
    })
}

/// A private regression of shapes on covariates, their size among them where its bounds are given.
#[pyfunction]
#[pyo3(signature = (common, specimens, covariates, bounds, levels, splines, size_bounds))]
#[expect(clippy::too_many_arguments, reason = "they are those of the Python function")]
pub fn shape_regress(
    py: Python<'_>,
    common: Common,
    specimens: Specimens,
    covariates: Option<PathBuf>,
    bounds: Vec<String>,
    levels: Vec<String>,
    splines: Vec<String>,
    size_bounds: Option<(f64, f64)>,
) -> PyResult<String> {
    let stop = Stop::default();
    let covariates = match covariates {
        None => None,
        Some(file) => Some((file, Design::parse(&bounds, &levels, &splines).map_err(Failure::input)?)),
    };
    let inputs = specimens.inputs(&common, &stop)?;
    let settings = ShapeRegressionSettings { inputs, covariates, size_bounds, budget: common.mu()? };
    long(py, stop, None, move |_| {
        let outcome = run_regression(&settings)?;
        let mut said = about(&outcome.folder, outcome.people, outcome.failed);
        said["secret"]["outside"] = json!(outcome.outside);
        said["accuracy"] = json!(outcome.accuracy);
        said["explained_share"] = json!(outcome.explained);
        let columns = outcome.columns.iter();
        said["fields"] = columns
            .map(|field| json!({"column": field.name, "rms": field.rms, "error_rms": field.error}))
            .collect();
        Ok(said.to_string())
    })
}

/// Groups of shapes compared.
#[pyfunction]
pub fn shape_compare(
    py: Python<'_>,
    common: Common,
    specimens: Specimens,
    groups: PathBuf,
    want: &str,
) -> PyResult<String> {
    let stop = Stop::default();
    let inputs = specimens.inputs(&common, &stop)?;
    let settings = ShapeCompareSettings { inputs, groups, want: named("want", want)?, budget: common.mu()? };
    long(py, stop, None, move |_| {
        let outcome = run_compare(&settings)?;
        let mut said = about(&outcome.folder, outcome.people, outcome.failed);
        let groups = outcome.groups.iter().map(|(label, n)| json!({"label": label, "n": n}));
        said["groups"] = groups.collect();
        said["test"] = json!(outcome.test);
        said["map"] = json!(outcome.map);
        said["small"] = json!(outcome.small);
        Ok(said.to_string())
    })
}
