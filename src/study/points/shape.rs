//! The shape study: a table of planar landmarks → a private mean shape.

use super::first_pass::{private_centre, private_radius};
use super::release::draws;
use super::{
    Form, Internal, Outcome, PointMechanism, PointRequest, PointStudyError, Published, Smoothing,
    local_linear, publish, release, shrink_outline,
};
use crate::io::shapes::{self, ShapeRecord, write_tps};
use crate::manifold::{Kendall, Manifold};
use crate::mechanism::manifold::{
    BoundedRecords, ManifoldPrice, ProcrustesStatistic, PublicBall, any_shape, largest_radius,
};
use crate::privacy::noise::{NoiseDescription, NoisePath};
use crate::privacy::{Certificate, ClipRadius, ClipSource, L1Sensitivity, Ledger, PrivacyLoss, PublicInput};
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
    let records = preshapes(&space, &table, study.drop_missing)?;
    let folder = StudyFolder::prepare(&request.out, request.replace)?;
    let mut ledger = request.ledger.open::<PointStudyError>(&folder)?;
    let given = match (study.radius, &public) {
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
        Some((centre, _)) => centre,
        None => {
            let widest = ClipRadius::new(0.999 * largest_radius(&space), ClipSource::Private)?;
            let anywhere = PublicBall::new(&space, any_shape(&space), given.unwrap_or(widest))?;
            let statistic = ProcrustesStatistic::new(&space);
            private_centre(statistic, &records, &anywhere, &mut request, &mut ledger)?
        }
    };
    let radius = match given {
        Some(radius) => radius,
        None => private_radius(&space, &centre, &records, &mut request, &mut ledger)?,
    };
    let ball = PublicBall::new(&space, centre.clone(), radius)?;
    let (internal, mut released) = match request.mechanism {
        PointMechanism::Pointwise | PointMechanism::PointwiseUnaligned => {
            let bounded = ball.bound(&records);
            pointwise(&space, &ball, bounded, &records, &request, &mut ledger)?
        }
        _ => release(&ball, &records, &request, &mut ledger)?,
    };
    if let Some(released) = &mut released {
        let sigma = released.price.scale;
        for point in &mut released.points {
            *point = match study.smoothing {
                Smoothing::None => point.clone(),
                Smoothing::Shrink => shrink_outline(&space, &centre, point, sigma)?,
                Smoothing::LocalLinear => local_linear(&space, point)?,
            };
            // The rotation is a convention; the centre's is as good as any.
            *point = space.align(&centre, point)?;
        }
    }
    let details = details(study, &space);
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
    let shapes = ShapeReport { space: &space, centre: &centre, released: &points, outline };
    let form = Form {
        details,
        write: &write,
        report: &|certificate, json| pages.release(&shapes, certificate, json),
        private_page: &|internal, _| Some(pages.internal(&shapes, internal)),
    };
    publish(folder, &request, &ledger, &internal, released.as_ref(), form)
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
    let space = Kendall::new(table.first().map_or(0, |s| s.landmarks.len()))?;
    let (file, shapes) = match &study.centre {
        Centre::Private => return Ok((space, None)),
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
    let bytes = std::fs::read(file).map_err(|e| crate::io::ReadError::new(file, e))?;
    let name = file.file_name().map_or_else(|| "centre".to_owned(), |n| n.to_string_lossy().into_owned());
    request.public_inputs.push(PublicInput::of_bytes(name, &bytes));
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

/// Takes the public shapes out of the study.
fn public_records(file: &Path, table: &mut Vec<ShapeRecord>) -> Result<Vec<ShapeRecord>, PointStudyError> {
    let by_name = file.extension().is_some_and(|e| e.eq_ignore_ascii_case("txt"));
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

/// The records as preshapes; `None` for one with missing landmarks, where that is allowed.
fn preshapes(
    space: &Kendall,
    table: &[ShapeRecord],
    drop_missing: bool,
) -> Result<Vec<Option<Preshape>>, PointStudyError> {
    let mut records = Vec::with_capacity(table.len());
    for (i, shape) in table.iter().enumerate() {
        let fail = |problem: String| PointStudyError::Record { index: i + 1, problem };
        if shape.landmarks.len() != space.landmarks() {
            return Err(fail(format!(
                "has {} landmarks where the first has {}; every record must have the same",
                shape.landmarks.len(),
                space.landmarks()
            )));
        }
        if shape.missing() > 0 {
            if drop_missing {
                records.push(None);
                continue;
            }
            return Err(fail(format!(
                "has {} missing landmarks; digitize or estimate them, or give --drop-missing (the record then counts \
                 as the public centre)",
                shape.missing()
            )));
        }
        records.push(Some(space.preshape(&shape.landmarks).map_err(|e| fail(e.to_string()))?));
    }
    Ok(records)
}

/// The pointwise baselines: Laplace noise on the 2k coordinates of the mean configuration.
///
/// Aligned: each record is rotated to the public centre, and every coordinate's deviation from the centre is clipped to r/2 (the
/// whole shape's is at most r): Δ₁ = 2k·r/n. Unaligned: coordinates of unit-size configurations lie in [−1, 1]: Δ₁ = 2k·2/n.
/// ε-DP by the Laplace mechanism in ℝ^{2k}; the same scale as giving each coordinate ε/(2k), as Soto et al. 2022 (B.5.2) do.
fn pointwise(
    space: &Kendall,
    ball: &PublicBall<'_, Kendall>,
    bounded: BoundedRecords<Preshape>,
    records: &[Option<Preshape>],
    request: &PointRequest,
    ledger: &mut Ledger,
) -> Result<Outcome<Preshape>, PointStudyError> {
    let aligned = request.mechanism == PointMechanism::Pointwise;
    let (n, k) = (records.len() as f64, space.landmarks() as f64);
    let half = if aligned { 0.5 * ball.radius().get() } else { 1.0 };
    let centre = ball.centre();
    let mut mean = vec![0.0; 2 * space.landmarks()];
    for (bounded, raw) in bounded.points.iter().zip(records) {
        let shape =
            if aligned { space.align(centre, bounded)? } else { raw.as_ref().unwrap_or(centre).clone() };
        for (j, z) in shape.iter().enumerate() {
            let middle = if aligned { centre[j] } else { Complex::from(0.0) };
            let deviation = z - middle;
            mean[2 * j] += (middle.re + deviation.re.clamp(-half, half)) / n;
            mean[2 * j + 1] += (middle.im + deviation.im.clamp(-half, half)) / n;
        }
    }
    let epsilon = request.pure()?;
    // Room for the rounding of the mean.
    let sensitivity = L1Sensitivity::new(2.0 * k * 2.0 * half / n * (1.0 + 1e-9))?;
    let price = ManifoldPrice {
        mechanism: if aligned { "pointwise Laplace, aligned" } else { "pointwise Laplace, not aligned" },
        loss: PrivacyLoss::Pure(epsilon),
        n: records.len() as u64,
        sensitivity: sensitivity.get(),
        radius: ball.radius(),
        scale: sensitivity.get() / epsilon.get(),
        statistic: "coordinates of the mean configuration",
    };
    let description = NoiseDescription {
        distribution: "laplace".into(),
        path: NoisePath::Lattice,
        scale: price.scale,
        dimension: mean.len(),
        step: None,
        sampler: "exact discrete Laplace on a lattice".into(),
    };
    let released = draws(&price, description, request, ledger, |noise, paid| {
        let noised = noise.laplace_vector(&mean, sensitivity, epsilon, paid)?.values;
        let points: Vec<[f64; 2]> = noised.chunks_exact(2).map(|p| [p[0], p[1]]).collect();
        Ok(space.preshape(&points)?)
    })?;
    let mean = frechet_mean(space, &bounded.points, None, Some(centre), FrechetOptions::default())?.point;
    Ok((Internal { mean, bounded, seconds_per_draw: 0.0, exploration: None }, Some(released)))
}
