//! The studies of directions and hyperbolic points, from their files to their releases.

use super::finish::{Records, finish, in_first_ball, public_input};
use super::first_pass::Place;
use super::release::{bounded_mean, draws};
use super::vectors::{Rows, read_rows, write_rows};
use super::{Internal, Outcome, PointMechanism, PointRequest, PointStudyError, Published, release};
use crate::manifold::{Lorentz, Manifold, PoincareBall, Sphere};
use crate::mechanism::manifold::{DirectionStatistic, ExtrinsicSphere, PolarVolume, PublicBall};
use crate::privacy::{ClipRadius, ClipSource, Ledger};
use nalgebra::DVector;
use std::path::{Path, PathBuf};

/// The space of a table of vectors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum VectorSpace {
    /// Unit vectors.
    Sphere,
    /// The Poincaré ball.
    Poincare,
    /// The hyperboloid.
    Lorentz,
}

/// The centre of a study of vectors.
#[derive(Debug, Clone)]
pub enum VectorCentre {
    /// The space's origin (spheres have none).
    Origin,
    /// A file with one row.
    File(PathBuf),
    /// A first pass paid from the budget. Hyperbolic points need a generous public ball about the origin to bound it; directions
    /// are bounded as they are.
    Private {
        /// The radius of that ball.
        first_radius: Option<f64>,
    },
}

/// A study of vectors: directions or hyperbolic points.
#[derive(Debug, Clone)]
pub struct VectorStudy {
    /// Rows of numbers.
    pub file: PathBuf,
    /// What they are.
    pub space: VectorSpace,
    /// The centre of the ball.
    pub centre: VectorCentre,
    /// The public radius.
    pub radius: f64,
    /// Mechanism, budget, folder.
    pub request: PointRequest,
}

/// Runs a study of vectors.
///
/// # Errors
/// [`PointStudyError`]; nothing is charged for input that cannot be used.
pub fn run_vectors(study: &VectorStudy) -> Result<Published, PointStudyError> {
    let rows = read_rows(&study.file)?;
    let d = rows.width;
    let mut request = study.request.clone();
    let given = match &study.centre {
        VectorCentre::File(file) => Some(one_row(file, &mut request)?),
        _ => None,
    };
    let private = matches!(study.centre, VectorCentre::Private { .. });
    let radius = ClipRadius::new(study.radius, ClipSource::Public)?;
    match study.space {
        VectorSpace::Sphere => {
            let sphere = Sphere::unit(d.saturating_sub(1))?;
            let records = checked(&sphere, rows, &request)?;
            let place = match given {
                Some(centre) => Place::Public(PublicBall::new(&sphere, centre, radius)?),
                None if private => {
                    let mut pole = DVector::zeros(d);
                    pole[0] = 1.0;
                    let anywhere = PublicBall::new(&sphere, pole, radius)?;
                    Place::Private { statistic: DirectionStatistic::new(&sphere), anywhere }
                }
                None => {
                    return Err(PointStudyError::Input(
                        "a sphere has no origin: give the public centre as --center FILE, or --center private".into(),
                    ));
                }
            };
            let run = |request: &mut PointRequest, ledger: &mut Ledger| {
                let ball = place.ball(&sphere, &records, request, ledger)?;
                if request.mechanism == PointMechanism::Extrinsic {
                    return extrinsic_sphere(&ball, &records, request, ledger);
                }
                release(&ball, &records, request, ledger)
            };
            let what = Records { kind: "direction", description: "directions on a sphere" };
            finish(request, &what, run, &write_rows, &|p, q| sphere.dist(p, q))
        }
        VectorSpace::Poincare => {
            let space = PoincareBall::new(d)?;
            let what = Records { kind: "point", description: "points of the Poincaré ball" };
            hyperbolic(&space, given, DVector::zeros(d), rows, study, request, &what)
        }
        VectorSpace::Lorentz => {
            let space = Lorentz::new(d.saturating_sub(1))?;
            let mut origin = DVector::zeros(d);
            origin[0] = 1.0;
            let what = Records { kind: "point", description: "points of the hyperboloid" };
            hyperbolic(&space, given, origin, rows, study, request, &what)
        }
    }
}

/// The public centre, one row of numbers.
fn one_row(file: &Path, request: &mut PointRequest) -> Result<DVector<f64>, PointStudyError> {
    let mut given = read_rows(file)?.rows;
    request.public_inputs.push(public_input(file)?);
    let fail = |problem: &str| PointStudyError::Input(format!("{}: {problem}", file.display()));
    match (given.pop(), given.is_empty()) {
        (Some(row), true) => row.map_err(|problem| fail(&problem)),
        _ => Err(fail("the public centre is one row")),
    }
}

fn hyperbolic<M: PolarVolume<Point = DVector<f64>> + Clone>(
    space: &M,
    given: Option<DVector<f64>>,
    origin: DVector<f64>,
    rows: Rows,
    study: &VectorStudy,
    request: PointRequest,
    what: &Records,
) -> Result<Published, PointStudyError> {
    let records = checked(space, rows, &request)?;
    let radius = ClipRadius::new(study.radius, ClipSource::Public)?;
    let place = match study.centre {
        VectorCentre::Private { first_radius } => in_first_ball(space, origin, radius, first_radius)?,
        _ => Place::Public(PublicBall::new(space, given.unwrap_or(origin), radius)?),
    };
    let run = |request: &mut PointRequest, ledger: &mut Ledger| {
        if request.mechanism == PointMechanism::Extrinsic {
            return Err(PointStudyError::NotHere {
                mechanism: "extrinsic",
                space: "hyperbolic space",
                remedy: "choose tangent-gaussian, riemannian-gaussian, laplace or kng",
            });
        }
        let ball = place.ball(space, &records, request, ledger)?;
        release(&ball, &records, request, ledger)
    };
    finish(request, what, run, &write_rows, &|p, q| space.dist(p, q))
}

fn checked<M: Manifold<Point = DVector<f64>>>(
    space: &M,
    rows: Rows,
    request: &PointRequest,
) -> Result<Vec<Option<DVector<f64>>>, PointStudyError> {
    let point = |row: DVector<f64>| match space.check(&row) {
        Ok(()) => Ok(row),
        Err(e) => Err(e.to_string()),
    };
    request.unusable.points(rows.rows.into_iter().map(|row| row.and_then(point)))
}

/// The baseline: the mean in ℝ^{d+1}, noised and scaled back.
fn extrinsic_sphere(
    ball: &PublicBall<'_, Sphere>,
    records: &[Option<DVector<f64>>],
    request: &PointRequest,
    ledger: &mut Ledger,
) -> Result<Outcome<DVector<f64>>, PointStudyError> {
    let bounded = ball.bound(records);
    let mean = bounded_mean(ball, &bounded)?;
    let mechanism = ExtrinsicSphere::new(ball, records.len() as u64, request.vector_noise()?)?;
    let statistic = mechanism.statistic(&bounded.points);
    let released = draws(mechanism.price(), mechanism.noise(), request, ledger, |source, paid| {
        Ok(mechanism.point(&mechanism.noised(&statistic, source, paid)?))
    })?;
    Ok((Internal { mean, bounded, seconds_per_draw: 0.0, exploration: None }, Some(released)))
}
