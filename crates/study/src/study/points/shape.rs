//! The shape study: a table of planar landmarks → a private mean shape.

use super::ball::{BallCentre, BallRadius, StudyBall};
use super::budget::Budget;
use super::form::{Circumstances, PointForm};
use super::internal::Internal;
use super::mechanism::make_mean;
use super::run::Course;
use super::shape_files::MeanFiles;
use super::shape_form::{Preshape, ShapeForm};
use super::shape_input::{Input, ShapeCentre, Source};
use super::shape_page::{internal_page, release_page};
use super::shape_plain::{PlainShapes, run_plain, write_nonprivate};
use super::{
    OutlineSmoothing, PointAccuracy, PointMechanism, PointOutcome, PointRequest, PointStudyError,
    TableOptions, Treatment, shrink_outline_stating,
};
use crate::io::shapes::ShapeRecord;
use crate::job::copies::Kind;
use crate::job::layout::REPORT;
use crate::job::{Publication, ReleaseFolder};
use crate::manifold::{Kendall, Manifold};
use crate::mechanism::MechanismError;
use crate::mechanism::manifold::{
    Alignment, MakeMean, PointwiseShape, ProcrustesStatistic, ReleasedPoints, any_shape,
};
use crate::privacy::{Certificate, ClipRadius, ClipSource, PrivacyLoss, Released, Statement};
use crate::report::page::Page;
use crate::stats::{FrechetOptions, frechet_mean, full_procrustes_mean};
use crate::study::Unusable;
use nalgebra::DMatrix;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Where the radius comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ShapeRadius {
    /// A public number.
    Public(f64),
    /// Half as much again as the largest distance of a public record from the centre.
    FromPublicRecords,
    /// A private 95 % quantile of the distances, paid with a fifth of μ.
    Private,
    /// The same where n and the budget allow, otherwise 0.6 of the largest radius that shapes may have.
    Default,
}

/// Everything a shape study needs to know.
#[derive(Debug, Clone)]
pub struct ShapeStudy {
    /// The table of landmarks.
    pub file: PathBuf,
    /// Its centre.
    pub centre: ShapeCentre,
    /// Its radius.
    pub radius: ShapeRadius,
    /// Landmarks of a shape: needed where neither a public shape nor a heading nor an array's shape tells.
    pub landmarks: Option<usize>,
    /// Coordinates of a landmark, likewise: a private mean by a single mechanism is of landmarks in the plane.
    pub dimensions: Option<usize>,
    /// What columns and negative numbers mean, where options say so.
    pub table: TableOptions,
    /// Records with missing landmarks cannot be used; otherwise they are filled from a public centre, where there is one.
    pub drop_missing: bool,
    /// What is done to each record by itself.
    pub treatment: Treatment,
    /// What is done to the release.
    pub smoothing: OutlineSmoothing,
    /// Mechanism, budget, folder.
    pub request: PointRequest,
}

impl ShapeStudy {
    /// A table of landmarks about a centre, within a radius.
    pub fn new(
        file: impl Into<PathBuf>,
        centre: ShapeCentre,
        radius: ShapeRadius,
        request: PointRequest,
    ) -> Self {
        let smoothing = OutlineSmoothing::None;
        Self {
            file: file.into(),
            centre,
            radius,
            landmarks: None,
            dimensions: None,
            table: TableOptions::default(),
            drop_missing: false,
            treatment: Treatment::default(),
            smoothing,
            request,
        }
    }
}

/// Runs a shape study.
///
/// # Errors
/// [`PointStudyError`]; nothing is charged for input that cannot be used.
pub fn run_shapes(study: &ShapeStudy) -> Result<PointOutcome, PointStudyError> {
    let request = &study.request;
    // An exploration wants a ball.
    if request.mechanism == PointMechanism::None && study.radius == ShapeRadius::Default && !request.explore {
        return run_plain(&PlainShapes {
            file: &study.file,
            centre: &study.centre,
            landmarks: study.landmarks,
            dimensions: study.dimensions,
            options: &study.table,
            drop_missing: study.drop_missing,
            treatment: &study.treatment,
            request,
        });
    }
    if study.dimensions.is_some_and(|d| d != 2) {
        let text = "a single mechanism is for landmarks in the plane; for landmarks in space leave --mechanism out or give --mechanism joint";
        return Err(PointStudyError::Input(text.into()));
    }
    let source = Source {
        table: &study.file,
        centre: &study.centre,
        landmarks: study.landmarks,
        dimensions: Some(2),
        drop_missing: study.drop_missing,
        options: &study.table,
        gaps: false,
        treatment: &study.treatment,
        request,
    };
    study.table.check_outlines(&study.file, usize::from(study.smoothing != OutlineSmoothing::None))?;
    let input = source.open()?;
    let space = plane(&input)?;
    let public = public_centre(&space, &input.public)?;
    let people = input.people(request)?;
    let n = people.count() as u64;
    // Without a mechanism's name shapes are released in two rounds, or by this one where the budget is a pure ε.
    let usual = request.budget.filter(|budget| matches!(budget, PrivacyLoss::Pure(_)));
    let form = ShapeForm {
        space,
        statistic: request.mechanism.statistic("shape mean", usual.map(PointMechanism::best_for)),
        smoothing: study.smoothing,
        files: MeanFiles::of(&study.file, &input.treated),
        links: input.treated.links.clone(),
        circumstances: Circumstances::new(
            input.public_inputs.clone(),
            request,
            Kind::Landmarks,
            details(study, &input),
        ),
    };
    let course = Course {
        request,
        ball: ball(study, space, public)?,
        form,
        people: &people,
        names: input.names(),
        file: input.file(),
        settings: format!(
            "shapes {} {:?}{}",
            study.drop_missing,
            study.treatment.missing,
            study.table.told()
        ),
        notes: &|| input.remarks(),
    };
    let preshape = |shape: &ShapeRecord, _: usize| preshape_of(&space, shape);
    let records = || source.each(&input, &people, preshape);
    let alignment = match request.mechanism {
        PointMechanism::Pointwise => Alignment::Aligned,
        PointMechanism::PointwiseUnaligned => Alignment::Unaligned,
        other => {
            return course.run(|budget| make_mean(&space, other, n, budget), records);
        }
    };
    let make = |budget: Budget| -> Result<MakeMean<Kendall, PointwiseShape>, MechanismError> {
        let epsilon = budget.pure()?;
        Ok(Box::new(move |ball| PointwiseShape::new(ball, n, epsilon, alignment)))
    };
    course.run(make, records)
}

/// A public centre and the public shapes it was made of.
type PublicCentre = (Preshape, Vec<Preshape>);

/// The planar shapes of these files.
fn plane(input: &Input<'_>) -> Result<Kendall, PointStudyError> {
    Ok(Kendall::new(input.space.landmarks())?)
}

fn preshape_of(space: &Kendall, shape: &ShapeRecord) -> Result<Preshape, String> {
    let landmarks = shape.plane().ok_or("has landmarks in space")?;
    space.preshape(landmarks).map_err(|e| e.to_string())
}

/// The mean of public shapes; `None` where none are public.
fn public_centre(space: &Kendall, shapes: &[DMatrix<f64>]) -> Result<Option<PublicCentre>, PointStudyError> {
    let public = shapes.iter().map(|shape| {
        let rows: Vec<[f64; 2]> = shape.row_iter().map(|row| [row[0], row[1]]).collect();
        space.preshape(&rows)
    });
    let public = public.collect::<Result<Vec<_>, _>>()?;
    let centre = match &public[..] {
        [] => return Ok(None),
        [one] => one.clone(),
        many => {
            let start = full_procrustes_mean(space, many, None)?;
            frechet_mean(space, many, None, Some(&start), FrechetOptions::default())?.point
        }
    };
    Ok(Some((centre, public)))
}

fn ball(
    study: &ShapeStudy,
    space: Kendall,
    public: Option<PublicCentre>,
) -> Result<StudyBall<Kendall, ProcrustesStatistic>, PointStudyError> {
    let radius = match (study.radius, &public) {
        (ShapeRadius::Public(r), _) => BallRadius::Public(ClipRadius::new(r, ClipSource::Public)?),
        (ShapeRadius::FromPublicRecords, Some((centre, shapes))) => {
            let farthest = shapes.iter().map(|p| space.dist(centre, p)).fold(0.0, f64::max);
            BallRadius::Public(ClipRadius::new(1.5 * farthest, ClipSource::Public)?)
        }
        (ShapeRadius::FromPublicRecords, None) => {
            return Err(PointStudyError::Input(
                "no records are public: give --radius F, or --radius private".into(),
            ));
        }
        (ShapeRadius::Private, _) => BallRadius::Private,
        (ShapeRadius::Default, _) => BallRadius::Default,
    };
    let centre = match public {
        Some((centre, _)) => BallCentre::Public(centre),
        None => {
            BallCentre::Private { statistic: ProcrustesStatistic::new(space), anywhere: any_shape(&space) }
        }
    };
    Ok(StudyBall { space, centre, radius })
}

fn details(study: &ShapeStudy, input: &Input<'_>) -> serde_json::Value {
    let space = &input.space;
    let mut details = json!({
        "space": format!("shapes of {} planar landmarks", space.landmarks()),
        "record_kind": study.request.counting.kind("shape"),
        "smoothing": match study.smoothing {
            OutlineSmoothing::None => "none",
            OutlineSmoothing::Shrink => "Wiener shrinkage along the outline, tuned on the release",
            OutlineSmoothing::LocalLinear => "local linear regression along the outline, tuned on the release",
        },
        "missing_landmarks": missing_landmarks(study.drop_missing || !input.treated.fills(), true, study.request.unusable),
        "units": "centred, of unit size, rotated to the centre of the ball",
    });
    if study.radius == ShapeRadius::Default {
        let rule = "none was given: private where n and the budget allow, otherwise 0.6 of the largest that the theorems allow";
        details["radius"] = json!(rule);
    }
    for (name, text) in study.treatment.details() {
        details[name] = json!(text);
    }
    details
}

/// What became of missing landmarks, for certificates.
pub(in crate::study) fn missing_landmarks(dropped: bool, public_centre: bool, unusable: Unusable) -> String {
    if dropped {
        return format!(
            "records with missing landmarks {}",
            unusable.describe("like all that cannot be used")
        );
    }
    let centre = match public_centre {
        true => "the public centre, record by record",
        false => {
            "the private centre, record by record; records that have any have no part in that centre, and contribute zero to it"
        }
    };
    format!("missing landmarks were estimated by thin-plate spline from {centre}; how many is not published")
}

impl ShapeForm {
    fn records(&self, name: &str, points: &[Preshape]) -> Vec<ShapeRecord> {
        let id = |i: usize| if points.len() == 1 { name.to_owned() } else { format!("{name}_{}", i + 1) };
        let record = |(i, p)| ShapeRecord::planar(Some(id(i)), &self.space.configuration(p));
        points.iter().enumerate().map(record).collect()
    }
}

impl Publication for ShapeForm {
    type Value = ReleasedPoints<Preshape>;
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
        let shapes = self.shapes(released)?;
        let records = self.records("mean", &shapes.shapes);
        self.files.write(folder, &records)?;
        Ok(folder
            .write(REPORT, release_page(&shapes, self.accuracy(released).as_ref(), certificate).as_bytes())?)
    }
}

impl PointForm<Preshape, Preshape> for ShapeForm {
    fn circumstances(&self) -> &Circumstances {
        &self.circumstances
    }

    fn accuracy(&self, released: &Released<ReleasedPoints<Preshape>>) -> Option<PointAccuracy> {
        let noise = released.noise()?;
        let (centre, first) = (&released.value.centre, released.value.draws.first()?);
        let noised = noise.expected_error?;
        match self.smoothing {
            OutlineSmoothing::None => {
                Some(PointAccuracy::of(noised, self.space.dist(centre, &first.point), false))
            }
            // The factors are worked out for normal noise of known scale.
            OutlineSmoothing::Shrink if noise.noise.distribution == "gaussian" => {
                let (shape, rms) =
                    shrink_outline_stating(&self.space, centre, &first.point, noise.noise.scale).ok()?;
                Some(PointAccuracy::of(rms, self.space.dist(centre, &shape), true))
            }
            // How much a local regression bends is not known.
            OutlineSmoothing::Shrink | OutlineSmoothing::LocalLinear => None,
        }
    }

    fn write_mean(&self, internal: &Path, mean: &Preshape) -> Result<(), PointStudyError> {
        Ok(write_nonprivate(internal, &self.records("nonprivate_mean", std::slice::from_ref(mean)))?)
    }

    fn internal_page(
        &self,
        internal: &Internal<Preshape>,
        released: Option<&Released<ReleasedPoints<Preshape>>>,
    ) -> Page {
        internal_page(self, internal, released)
    }
}
