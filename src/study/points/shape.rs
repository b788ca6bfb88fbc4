//! The shape study: a table of planar landmarks → a private mean shape.

use super::finish::{in_folder, public_input};
use super::first_pass::{private_centre, private_radius};
use super::release::{bounded_mean, draws};
use super::{
    Form, Internal, Outcome, PointMechanism, PointRequest, PointStudyError, Published, Smoothing,
    local_linear, publish, release, shrink_outline,
};
use crate::io::shapes::{self, ShapeRecord, write_tps};
use crate::manifold::{Kendall, Manifold};
use crate::mechanism::manifold::{
    Alignment, PointwiseShape, ProcrustesStatistic, PublicBall, any_shape, largest_radius,
};
use crate::privacy::{Certificate, ClipRadius, ClipSource, Ledger, PublicInput};
use crate::stats::{FrechetOptions, frechet_mean, full_procrustes_mean};
use crate::study::StudyFolder;
use nalgebra::{Complex, DVector};
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

type Preshape = DVector<Complex<f64>>;

/// Where the centre comes from.
#[derive(Debug, Clone)]
pub enum Centre {
    /// A file with one shape.
    File(PathBuf),
    /// The mean of shapes that are public: a table of shapes, or (`.txt`) names of records of the study, one on each line.
    /// Either way they are taken out of the study, and out of n.
    PublicRecords(PathBuf),
    /// A first pass paid from the budget; no shape need be public.
    Private,
}

/// Where the radius comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Radius {
    /// A public number.
    Public(f64),
    /// Half as much again as the largest distance of a public record from the centre.
    FromPublicRecords,
    /// A private 95 % quantile of the distances, paid with a fifth of μ.
    Private,
}

/// Everything a shape study needs to know.
#[derive(Debug, Clone)]
pub struct ShapeStudy {
    /// The table of landmarks.
    pub file: PathBuf,
    /// Its centre.
    pub centre: Centre,
    /// Its radius.
    pub radius: Radius,
    /// Records with missing landmarks count as the centre instead of stopping the study.
    pub drop_missing: bool,
    /// What is done to the release.
    pub smoothing: Smoothing,
    /// Mechanism, budget, folder.
    pub request: PointRequest,
}

/// Runs a shape study.
///
/// # Errors
/// [`PointStudyError`]; nothing is charged for input that cannot be used.
pub fn run(study: &ShapeStudy, pages: &dyn ShapePages) -> Result<Published, PointStudyError> {
    let mut table = shapes::read(&study.file)?;
    let mut request = study.request.clone();
    let (space, public) = public_centre(study, &mut table, &mut request)?;
    let records = preshapes(&space, &table, study)?;
    let prepared = Prepared { study, space, public, records };
    in_folder(&study.request, |folder, ledger| prepared.run(folder, ledger, &mut request, pages))
}

/// A study whose files have been read.
struct Prepared<'a> {
    study: &'a ShapeStudy,
    space: Kendall,
    public: Option<PublicCentre>,
    records: Vec<Option<Preshape>>,
}

impl Prepared<'_> {
    fn run(
        &self,
        folder: &StudyFolder,
        ledger: &mut Ledger,
        request: &mut PointRequest,
        pages: &dyn ShapePages,
    ) -> Result<Published, PointStudyError> {
        let Self { study, space, public, records } = self;
        let given = match (study.radius, public) {
            (Radius::Public(r), _) => Some(ClipRadius::new(r, ClipSource::Public)?),
            (Radius::FromPublicRecords, Some((centre, shapes))) => {
                let farthest = shapes.iter().map(|p| space.dist(centre, p)).fold(0.0, f64::max);
                Some(ClipRadius::new(1.5 * farthest, ClipSource::Public)?)
            }
            (Radius::FromPublicRecords, None) => {
                return Err(PointStudyError::Input(
                    "no records are public: give --radius F, or --radius private".into(),
                ));
            }
            (Radius::Private, _) => None,
        };
        let centre = match public {
            Some((centre, _)) => centre.clone(),
            None => {
                let widest = ClipRadius::new(0.999 * largest_radius(space), ClipSource::Private)?;
                let anywhere = PublicBall::new(space, any_shape(space), given.unwrap_or(widest))?;
                let statistic = ProcrustesStatistic::new(space);
                private_centre(statistic, records, &anywhere, request, ledger)?
            }
        };
        let radius = match given {
            Some(radius) => radius,
            None => private_radius(space, &centre, records, request, ledger)?,
        };
        let ball = PublicBall::new(space, centre.clone(), radius)?;
        let (internal, mut released) = match request.mechanism {
            PointMechanism::Pointwise | PointMechanism::PointwiseUnaligned => {
                pointwise(&ball, records, request, ledger)?
            }
            _ => release(&ball, records, request, ledger)?,
        };
        if let Some(released) = &mut released {
            let sigma = released.price.scale;
            for point in &mut released.points {
                *point = match study.smoothing {
                    Smoothing::None => point.clone(),
                    Smoothing::Shrink => shrink_outline(space, &centre, point, sigma)?,
                    Smoothing::LocalLinear => local_linear(space, point)?,
                };
                // The rotation is a convention; the centre's is as good as any.
                *point = space.align(&centre, point)?;
            }
        }
        let details = details(study, space);
        let write = |folder: &Path, name: &str, points: &[Preshape]| -> Result<(), PointStudyError> {
            let one = points.len() == 1;
            let shapes: Vec<ShapeRecord> = points
                .iter()
                .enumerate()
                .map(|(i, p)| ShapeRecord {
                    id: Some(if one { name.to_owned() } else { format!("{name}_{}", i + 1) }),
                    landmarks: space.configuration(p),
                })
                .collect();
            Ok(write_tps(&folder.join(format!("{name}.tps")), &shapes)?)
        };
        let points = released.as_ref().map(|r| r.points.clone()).unwrap_or_default();
        let outline = study.smoothing != Smoothing::None;
        let shapes = ShapeReport { space, centre: &centre, released: &points, outline };
        let form = Form {
            details,
            write: &write,
            report: &|certificate, json| pages.release(&shapes, certificate, json),
            private_page: &|internal, _| Some(pages.internal(&shapes, internal)),
        };
        publish(folder.clone(), request, ledger, &internal, released.as_ref(), form)
    }
}

/// The shapes of a study's pages.
pub struct ShapeReport<'a> {
    /// The space.
    pub space: &'a Kendall,
    /// The centre: public, or found privately and paid for.
    pub centre: &'a Preshape,
    /// The released shapes.
    pub released: &'a [Preshape],
    /// Whether the landmarks are an outline.
    pub outline: bool,
}

/// What makes the pages of a shape study.
pub trait ShapePages {
    /// `release/report.html`, from the release, the centre and the certificate (with its file's text) only.
    fn release(&self, shapes: &ShapeReport<'_>, certificate: &Certificate, json: &str) -> Option<String>;

    /// `internal/report.html`.
    fn internal(&self, shapes: &ShapeReport<'_>, internal: &Internal<Preshape>) -> String;
}

fn details(study: &ShapeStudy, space: &Kendall) -> Map<String, Value> {
    let mut details = Map::new();
    details.insert("space".into(), json!(format!("shapes of {} planar landmarks", space.landmarks())));
    details.insert("record_kind".into(), json!("shape"));
    details.insert(
        "smoothing".into(),
        json!(match study.smoothing {
            Smoothing::None => "none",
            Smoothing::Shrink => "Wiener shrinkage along the outline, tuned on the release",
            Smoothing::LocalLinear => "local linear regression along the outline, tuned on the release",
        }),
    );
    details.insert("units".into(), json!("centred, of unit size, rotated to the centre of the ball"));
    details
}

/// A public centre and the public shapes it was made of.
type PublicCentre = (Preshape, Vec<Preshape>);

/// The space, and the public centre where there is one.
fn public_centre(
    study: &ShapeStudy,
    table: &mut Vec<ShapeRecord>,
    request: &mut PointRequest,
) -> Result<(Kendall, Option<PublicCentre>), PointStudyError> {
    let landmarks = |shapes: &[ShapeRecord]| Kendall::new(shapes.first().map_or(0, |s| s.landmarks.len()));
    let (file, shapes) = match &study.centre {
        Centre::Private => return Ok((landmarks(table)?, None)),
        Centre::File(file) => {
            let shapes = shapes::read(file)?;
            if shapes.len() != 1 {
                return Err(PointStudyError::Input(format!(
                    "{} holds {} shapes where the public centre should be one; give several as --public-records",
                    file.display(),
                    shapes.len()
                )));
            }
            (file, shapes)
        }
        Centre::PublicRecords(file) => (file, public_records(file, table)?),
    };
    let space = landmarks(&shapes)?;
    let input = public_input(file)?;
    if by_name(file) {
        // The file holds names only: what was assumed public are the shapes.
        let name = format!("{}: landmarks of the records it names", input.name);
        request.public_inputs.push(PublicInput::of_bytes(name, &contents(&shapes)));
    }
    request.public_inputs.push(input);
    let public = shapes
        .iter()
        .map(|s| {
            space
                .preshape(&s.landmarks)
                .map_err(|e| PointStudyError::Input(format!("{}: {e}", file.display())))
        })
        .collect::<Result<Vec<_>, _>>()?;
    let centre = match &public[..] {
        [one] => one.clone(),
        many => {
            let start = full_procrustes_mean(&space, many, None)?;
            frechet_mean(&space, many, None, Some(&start), FrechetOptions::default())?.point
        }
    };
    Ok((space, Some((centre, public))))
}

/// Whether a file of public records holds names of records of the study.
fn by_name(file: &Path) -> bool {
    file.extension().is_some_and(|e| e.eq_ignore_ascii_case("txt"))
}

/// Names and landmarks of shapes, to be hashed: `name\0`, then x and y of each landmark as little-endian doubles.
fn contents(shapes: &[ShapeRecord]) -> Vec<u8> {
    let bytes = |shape: &ShapeRecord| {
        let name = shape.id.clone().unwrap_or_default();
        let numbers = shape.landmarks.iter().flatten().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
        [name.as_bytes(), b"\0", &numbers].concat()
    };
    shapes.iter().flat_map(bytes).collect()
}

/// Takes the public shapes out of the study.
fn public_records(file: &Path, table: &mut Vec<ShapeRecord>) -> Result<Vec<ShapeRecord>, PointStudyError> {
    let by_name = by_name(file);
    let (names, mut public) = if by_name {
        let text = std::fs::read_to_string(file).map_err(|e| crate::io::ReadError::new(file, e))?;
        let names: HashSet<String> =
            text.lines().map(|l| l.trim().to_owned()).filter(|l| !l.is_empty()).collect();
        (names, Vec::new())
    } else {
        let public = shapes::read(file)?;
        (public.iter().filter_map(|s| s.id.clone()).collect(), public)
    };
    let before = table.len();
    table.retain(|s| {
        let is_public = s.id.as_ref().is_some_and(|id| names.contains(id));
        if is_public && by_name {
            public.push(s.clone());
        }
        !is_public
    });
    if by_name && before - table.len() != names.len() {
        return Err(PointStudyError::Input(format!(
            "{} names {} records, of which {} are in the study; correct the names",
            file.display(),
            names.len(),
            before - table.len()
        )));
    }
    if public.is_empty() || table.is_empty() {
        return Err(PointStudyError::Input(format!(
            "{}: public records and study both need at least one shape",
            file.display()
        )));
    }
    Ok(public)
}

/// The records as preshapes; `None` for one that counts as the centre.
fn preshapes(
    space: &Kendall,
    table: &[ShapeRecord],
    study: &ShapeStudy,
) -> Result<Vec<Option<Preshape>>, PointStudyError> {
    let public = !matches!(study.centre, Centre::Private);
    let point = |shape: &ShapeRecord| -> Result<Option<Preshape>, String> {
        let (found, expected) = (shape.landmarks.len(), space.landmarks());
        if found != expected {
            let whose = if public { "the public centre" } else { "the first" };
            return Err(format!(
                "has {found} landmarks where {whose} has {expected}; every record must have the same"
            ));
        }
        match shape.missing() {
            0 => space.preshape(&shape.landmarks).map(Some).map_err(|e| e.to_string()),
            _ if study.drop_missing => Ok(None),
            missing => Err(format!(
                "has {missing} missing landmarks; digitize or estimate them, or give --drop-missing (the record then counts as \
                 the public centre)"
            )),
        }
    };
    let records = study.request.unusable.points(table.iter().map(point))?;
    Ok(records.into_iter().map(Option::flatten).collect())
}

/// The pointwise baselines.
fn pointwise(
    ball: &PublicBall<'_, Kendall>,
    records: &[Option<Preshape>],
    request: &PointRequest,
    ledger: &mut Ledger,
) -> Result<Outcome<Preshape>, PointStudyError> {
    let alignment = match request.mechanism {
        PointMechanism::PointwiseUnaligned => Alignment::Unaligned,
        _ => Alignment::Aligned,
    };
    let bounded = ball.bound(records);
    let mean = bounded_mean(ball, &bounded)?;
    let mechanism = PointwiseShape::new(ball, records.len() as u64, request.pure()?, alignment)?;
    let statistic = mechanism.statistic(&bounded.points, records)?;
    let released = draws(mechanism.price(), mechanism.noise(), request, ledger, |noise, paid| {
        mechanism.point(&mechanism.noised(&statistic, noise, paid)?)
    })?;
    Ok((Internal { mean, bounded, seconds_per_draw: 0.0, exploration: None }, Some(released)))
}
