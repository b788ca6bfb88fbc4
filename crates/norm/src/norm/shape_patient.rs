//! From a specimen's landmarks to the files of an assessment, which are the data holder's.

use super::assess_page::{Told, page};
use super::patient::{ASSESSMENT, apart, make_folder, standing};
use super::shape_assess::{ShapeAssessment, ShapeNorm};
use crate::io::internal::MARK;
use crate::io::shapes::{ShapeReading, ShapeSize};
use crate::io::{read_shapes, write_bytes};
use crate::report::figure::Figure;
use crate::report::landmarks::{Drawing, Figures};
use crate::report::page::Page;
use crate::study::StudyFolder;
use crate::study::layout::REPORT;
use crate::study::points::{PointStudyError, TableOptions};
use nalgebra::DMatrix;
use std::fmt::Write as _;
use std::path::PathBuf;

/// Displacements and percentiles at every landmark.
pub const LANDMARKS: &str = "landmarks.csv";
/// Of 100 specimens of the norm, five are beyond.
const UNUSUAL: f64 = 95.0;

/// Which specimen to hold against which norm.
#[derive(Debug, Clone)]
pub struct ShapeAssessRequest {
    /// A file with one specimen, of any format of landmarks.
    pub specimen: PathBuf,
    /// What its columns and negative numbers mean, where options say so.
    pub table: TableOptions,
    /// The folder of a release with modes, or of its study.
    pub release: PathBuf,
    /// Values of covariates, as in `age=8`.
    pub at: Vec<String>,
    /// Folder for the results: they go into `internal/` there.
    pub out: PathBuf,
}

/// Assesses a specimen and writes `internal/` of the folder: [`REPORT`], [`LANDMARKS`], [`ASSESSMENT`]; whether the norm verifies, too.
///
/// # Errors
/// [`PointStudyError`]: a norm that cannot be read or has no modes, a file that does not hold one specimen with its landmarks.
pub fn assess_shape(request: &ShapeAssessRequest) -> Result<(ShapeAssessment, bool), PointStudyError> {
    apart(&request.out, &request.release).map_err(|what| PointStudyError::Input(what.into()))?;
    let norm = ShapeNorm::open(&request.release)?;
    let (landmarks, of_file) = specimen(request, norm.form())?;
    let mut found = norm.assess(&landmarks, &request.at)?;
    let (verified, words) = standing(&request.release);
    found.notes.insert(1, words);
    found.notes.extend(of_file);
    write(request, &norm, &found, verified)?;
    Ok((found, verified))
}

/// The only specimen of the file, and what its reader guessed.
fn specimen(
    request: &ShapeAssessRequest,
    [k, d]: [usize; 2],
) -> Result<(DMatrix<f64>, Vec<String>), PointStudyError> {
    let file = &request.specimen;
    let no = |what: String| PointStudyError::Input(format!("{}: {what}", file.display()));
    let reading = request.table.reading(ShapeSize::of(k, d));
    let shapes = read_shapes(file, ShapeReading { is_one: true, ..reading })?;
    let all = shapes.all()?;
    let [only] = &all[..] else {
        return Err(no(format!("holds {} specimens: give a file with the one to be assessed", all.len())));
    };
    let negative = only.negative();
    let mut notes = shapes.notes().to_vec();
    if negative > 0 {
        notes.push(format!(
            "{negative} landmarks have a negative coordinate and count as missing because of IMAGE=; if they are coordinates, give --negative valid."
        ));
    }
    Ok((only.to_matrix(), notes))
}

fn write(
    request: &ShapeAssessRequest,
    norm: &ShapeNorm,
    found: &ShapeAssessment,
    verified: bool,
) -> Result<(), PointStudyError> {
    let folder = StudyFolder::at(&request.out).internal();
    make_folder(&folder).map_err(PointStudyError::Input)?;
    write_bytes(&folder.join(LANDMARKS), table(found).as_bytes())?;
    let mut said = serde_json::json!(found);
    said["verified"] = verified.into();
    said["at"] = request.at.clone().into();
    write_bytes(&folder.join(ASSESSMENT), format!("{said:#}\n").as_bytes())?;
    Ok(write_bytes(&folder.join(REPORT), report(request, norm, found).to_html().as_bytes())?)
}

fn table(found: &ShapeAssessment) -> String {
    let axes = &["dx", "dy", "dz"][..found.laid[0].ncols().min(3)];
    let mut csv = format!("# {MARK}\nlandmark,{},percentile,filled\n", axes.join(","));
    for place in &found.places {
        let by: Vec<String> = place.displacement.iter().map(f64::to_string).collect();
        let filled = if place.filled { "yes" } else { "no" };
        let _ = writeln!(csv, "{},{},{:.3},{filled}", place.landmark, by.join(","), place.percentile);
    }
    csv
}

fn report(request: &ShapeAssessRequest, norm: &ShapeNorm, found: &ShapeAssessment) -> Page {
    let [mean, laid] = &found.laid;
    let unusual: Vec<bool> =
        found.places.iter().map(|place| place.percentile > UNUSUAL && !place.filled).collect();
    let drawing = Drawing::new(laid).outlined(norm.outlines());
    let drawing = drawing.over(mean).named("specimen", "mean of the norm").standing_out(&unusual);
    let chart = |what: String| move |svg: String| Figure::chart(svg, &what);
    let over = "The specimen laid on the norm's mean, both of unit size. Landmarks that are not pale are more unusual than those of 95 of 100 specimens.";
    let mut figures: Vec<Figure> = Figures::mean(&drawing).into_iter().map(chart(over.into())).collect();
    if let Some((grids, factor)) = Figures::deformation(&drawing) {
        let enlarged = if factor > 1.0 { format!(", {factor} times enlarged") } else { String::new() };
        figures.extend(
            grids
                .into_iter()
                .map(chart(format!("From the mean to the specimen: thin-plate spline{enlarged}."))),
        );
    }
    let count = unusual.iter().filter(|unusual| **unusual).count();
    let name = request.specimen.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let expected = (!request.at.is_empty()).then(|| ("expected at", request.at.join(", ")));
    page(Told {
        title: "A specimen held against a norm",
        notes: &found.notes,
        compared: &found.compared,
        before: std::iter::once(("specimen", name)).chain(expected).collect(),
        after: vec![
            ("Riemannian distance from the mean", format!("{:.4}", found.riemannian_distance)),
            ("stated error of the mean", format!("{:.4}", found.mean_error)),
            (
                "landmarks that are more unusual than those of 95 of 100",
                format!("{count} of {}", unusual.len()),
            ),
        ],
        figures,
        measures: &[],
        places: format!(
            "The numbers are in {LANDMARKS}. Of 100 landmarks of a usual specimen about five stand out."
        ),
        unit: "Riemannian distance",
        length: &|length| format!("{length:.4}"),
    })
}
