//! One small study of each kind.

use crate::estimate::Design;
use crate::io::write_npy;
use crate::manifold::{Manifold, SpdAffineInvariant};
use crate::mechanism::functional::Want;
use crate::optimize::{Method, Settings, StepSize};
use crate::privacy::{ClipRadius, ClipSource, Delta, Epsilon, Mu, PrivacyLoss};
use crate::study::Place;
use crate::study::face::compare::CompareSettings;
use crate::study::face::modes::FaceModesSettings;
use crate::study::face::regress::FaceRegressionSettings;
use crate::study::face::{self, FaceInputs, FaceStudySettings, TemplateSource, load_template};
use crate::study::optimize::{MeanSpace, OptimizeStudySettings, Task};
use crate::study::points::{
    PointMechanism, PointRequest, ShapeCentre, ShapeRadius, ShapeStudy, SpdCentre, SpdMetric, SpdStudy,
    VectorCentre, VectorSpace, VectorStudy, run_shapes, run_spd, run_vectors,
};
use crate::study::shape::{ShapeInputs, ShapeMeanSettings, run_mean};
use crate::study::tangent::{TangentInputs, run_compare, run_modes, run_regression};
use crate::synth::FaceParameters;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

/// A kind of study.
#[derive(Debug, Clone, Copy)]
pub(super) struct Study {
    pub(super) name: &'static str,
    /// Runs it on the records in a folder.
    pub(super) run: fn(&Path, Place) -> Result<(), String>,
}

pub(super) const STUDIES: &[Study] = &[
    Study { name: "face mean", run: face_mean },
    Study { name: "face modes", run: face_modes },
    Study { name: "face regress", run: face_regress },
    Study { name: "face compare", run: face_compare },
    Study { name: "shape mean", run: shape_mean },
    Study { name: "shape mean of a ball", run: shape_ball },
    Study { name: "shape modes", run: shape_modes },
    Study { name: "shape regress", run: shape_regress },
    Study { name: "shape compare", run: shape_compare },
    Study { name: "spd mean", run: spd_mean },
    Study { name: "sphere mean", run: sphere_mean },
    Study { name: "hyperbolic mean", run: hyperbolic_mean },
    Study { name: "optimize", run: optimize },
];

const PEOPLE: usize = 30;
const CURVES: usize = 4;
const SAMPLES: usize = 8;

/// Records for all of them.
pub(super) fn write_records(folder: &Path) {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let template = load_template(&TemplateSource::Builtin).unwrap().template;
    let mean = FaceParameters::elsewhere();
    let faces: Vec<f64> = (0..PEOPLE)
        .flat_map(|_| {
            let face = FaceParameters::sample_about(&mean, &mut rng).vertices();
            template.curves_of(&face, CURVES, SAMPLES).unwrap().data().to_vec()
        })
        .collect();
    let npy = |name: &str, shape: &[usize], data: &[f64]| write_npy(&folder.join(name), shape, data).unwrap();
    npy("faces.npy", &[PEOPLE, CURVES, SAMPLES, 3], &faces);
    let shapes: Vec<f64> = (0..PEOPLE * 8)
        .flat_map(|i| {
            let angle = (i % 8) as f64 * std::f64::consts::TAU / 8.0;
            [1.5 * angle.cos() + rng.random_range(-0.1..0.1), angle.sin() + rng.random_range(-0.1..0.1)]
        })
        .collect();
    npy("shapes.npy", &[PEOPLE, 8, 2], &shapes);
    npy("centre.npy", &[1, 8, 2], &shapes[..16]);
    let (space, identity) = (SpdAffineInvariant::new(2).unwrap(), nalgebra::DMatrix::identity(2, 2));
    let matrices: Vec<f64> = (0..PEOPLE)
        .flat_map(|_| {
            space.exp(&identity, &space.tangent_gaussian(&identity, 0.2, &mut rng)).as_slice().to_vec()
        })
        .collect();
    npy("matrices.npy", &[PEOPLE, 2, 2], &matrices);
    let points: Vec<f64> = (0..2 * PEOPLE).map(|_| rng.random_range(-0.3..0.3)).collect();
    npy("points.npy", &[PEOPLE, 2], &points);
    let directions: Vec<f64> =
        points.chunks_exact(2).flat_map(|p| [p[0], p[1], (1.0 - p[0] * p[0] - p[1] * p[1]).sqrt()]).collect();
    npy("directions.npy", &[PEOPLE, 3], &directions);
    let rows = |line: &dyn Fn(usize) -> String| (0..PEOPLE).map(line).collect::<String>();
    let ages = rows(&|i| format!("{i},{}\n", i % 10));
    fs::write(folder.join("ages.csv"), format!("record,age\n{ages}")).unwrap();
    let groups = rows(&|i| format!("{i},{}\n", ["F", "M"][i % 2]));
    fs::write(folder.join("groups.csv"), format!("record,group\n{groups}")).unwrap();
}

fn mu() -> Mu {
    Mu::new(1.0).unwrap()
}

fn done<T, E: std::fmt::Display>(result: Result<T, E>) -> Result<(), String> {
    result.map(|_| ()).map_err(|error| error.to_string())
}

fn ages() -> Design {
    Design::parse(&["age=0:10".into()], &[], &[]).unwrap()
}

fn faces(from: &Path, place: Place) -> FaceInputs {
    FaceInputs {
        prepared: Some(from.join("faces.npy")),
        curves: CURVES,
        samples: SAMPLES,
        ..FaceInputs::new([], place)
    }
}

fn face_mean(from: &Path, place: Place) -> Result<(), String> {
    let settings =
        FaceStudySettings { records: faces(from, place.clone()), ..FaceStudySettings::new([], place, mu()) };
    done(face::run(&settings, &|_| ()))
}

fn face_modes(from: &Path, place: Place) -> Result<(), String> {
    let settings = FaceModesSettings {
        records: faces(from, place.clone()),
        most: 2,
        ..FaceModesSettings::new([], place, mu())
    };
    done(face::modes::run(&settings, &|_| ()))
}

fn face_regress(from: &Path, place: Place) -> Result<(), String> {
    let (records, covariates) = (faces(from, place), from.join("ages.csv"));
    let settings =
        FaceRegressionSettings { records, covariates, design: ages(), budget: mu(), residuals: true };
    done(face::regress::run_regression(&settings, &|_| ()))
}

fn face_compare(from: &Path, place: Place) -> Result<(), String> {
    let settings = CompareSettings {
        records: faces(from, place.clone()),
        ..CompareSettings::new([], from.join("groups.csv"), place, mu())
    };
    done(face::compare::run(&settings, &|_| ()))
}

fn shapes(from: &Path, place: Place) -> ShapeInputs {
    ShapeInputs::new(from.join("shapes.npy"), place)
}

fn shape_mean(from: &Path, place: Place) -> Result<(), String> {
    let inputs = shapes(from, place);
    done(run_mean(&ShapeMeanSettings { inputs, budget: mu(), band: true, private_radius: false }))
}

fn shape_ball(from: &Path, place: Place) -> Result<(), String> {
    let request =
        PointRequest::new(place, PointMechanism::Laplace, PrivacyLoss::Pure(Epsilon::new(2.0).unwrap()));
    let study = ShapeStudy::new(
        from.join("shapes.npy"),
        ShapeCentre::File(from.join("centre.npy")),
        ShapeRadius::Default,
        request,
    );
    done(run_shapes(&study))
}

fn shape_modes(from: &Path, place: Place) -> Result<(), String> {
    done(run_modes(&TangentInputs::Landmarks(Box::new(shapes(from, place))), mu(), 2))
}

fn shape_regress(from: &Path, place: Place) -> Result<(), String> {
    let inputs = TangentInputs::Landmarks(Box::new(shapes(from, place)));
    done(run_regression(&inputs, mu(), Some((from.join("ages.csv"), ages())), Some((1.0, 10.0)), true))
}

fn shape_compare(from: &Path, place: Place) -> Result<(), String> {
    let inputs = TangentInputs::Landmarks(Box::new(shapes(from, place)));
    done(run_compare(&inputs, mu(), &from.join("groups.csv"), Want::Both))
}

fn spd_mean(from: &Path, place: Place) -> Result<(), String> {
    done(run_spd(&SpdStudy {
        file: from.join("matrices.npy"),
        metric: SpdMetric::LogEuclidean,
        centre: SpdCentre::Identity,
        radius: Some(1.0),
        request: PointRequest::new(place, PointMechanism::TangentGaussian, PrivacyLoss::Gaussian(mu())),
    }))
}

fn vectors(file: &Path, space: VectorSpace, centre: VectorCentre, place: Place) -> Result<(), String> {
    let request = PointRequest::new(place, PointMechanism::TangentGaussian, PrivacyLoss::Gaussian(mu()));
    let request = PointRequest { draws: 3, ..request };
    done(run_vectors(&VectorStudy {
        file: file.to_owned(),
        space,
        centre,
        radius: Some(0.7),
        dim: None,
        request,
    }))
}

fn sphere_mean(from: &Path, place: Place) -> Result<(), String> {
    let centre = VectorCentre::Private { first_radius: None };
    vectors(&from.join("directions.npy"), VectorSpace::Sphere, centre, place)
}

fn hyperbolic_mean(from: &Path, place: Place) -> Result<(), String> {
    vectors(&from.join("points.npy"), VectorSpace::Poincare, VectorCentre::Origin, place)
}

fn optimize(from: &Path, place: Place) -> Result<(), String> {
    let settings = OptimizeStudySettings {
        input: from.join("matrices.npy"),
        place,
        task: Task::FrechetMean(MeanSpace::AffineInvariant),
        method: Method::GradientDescent { steps: 6 },
        run: Settings { step: StepSize::Constant(0.5), ..Settings::default() },
        clip: ClipRadius::new(1.0, ClipSource::Public).unwrap(),
        budget: PrivacyLoss::Approximate(Epsilon::new(2.0).unwrap(), Delta::new(1e-6).unwrap()),
        start: None,
        unit_records: false,
        unusable: Default::default(),
        counting: Default::default(),
    };
    done(crate::study::optimize::run(&settings, &mut |_| ControlFlow::Continue(())))
}
