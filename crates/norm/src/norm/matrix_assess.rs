//! A matrix held against a released norm of symmetric positive definite matrices, as [`super::assess`] holds a face. Free, internal, and never a
//! diagnosis.

use super::assess::{law_notes, norm_in_words, values_of};
use super::assess_page::{Told, page};
use super::law::{Along, Compared, Law};
use super::patient::{ASSESSMENT, apart, make_folder, standing};
use super::people::NO_NOISE;
use super::release::ModesRelease;
use crate::io::internal::MARK;
use crate::io::{Content, npy, open_as, write_bytes};
use crate::manifold::{Manifold, SpdAffineInvariant, SpdLogEuclidean, TangentFrame};
use crate::report::figure::Figure;
use crate::report::page::Page;
use crate::report::values::matrix;
use crate::study::layout::REPORT;
use crate::study::points::{PointStudyError, one_matrix, positive_definite};
use crate::study::{StudyFolder, public_input};
use nalgebra::DMatrix;
use serde::Serialize;
use serde_json::Value;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use visard_base::numeric::elementary::add_scaled;

/// Displacements and z-values of every entry.
pub const ENTRIES: &str = "entries.csv";
/// What certificates call the distances of the two metrics.
const FLAT: &str = "log-Euclidean distance";
const CURVED: &str = "affine-invariant distance";

/// Which matrix to hold against which norm.
#[derive(Debug, Clone)]
pub struct MatrixAssessRequest {
    /// An array (k, k) or (1, k, k).
    pub matrix: PathBuf,
    /// The folder of a release with modes, or of its study.
    pub release: PathBuf,
    /// The file of the public centre, where the norm is about one.
    pub centre: Option<PathBuf>,
    /// Values of covariates, as in `age=8`.
    pub at: Vec<String>,
    /// Folder for the results: they go into `internal/` there.
    pub out: PathBuf,
}

/// A released norm of matrices, ready for others.
pub struct MatrixNorm {
    release: ModesRelease,
    tangent: Tangent,
    /// Coordinates of the mean, or of that at the reference values.
    mean: Vec<f64>,
    /// What each column of a regression does to them.
    columns: Vec<Vec<f64>>,
    /// How matrices vary along the modes.
    pub law: Law,
}

/// The tangent space at the centre of the norm, in orthonormal coordinates, whose Euclidean norm is the distance from there.
struct Tangent {
    order: usize,
    distance: &'static str,
    coordinates: Box<dyn Coordinates>,
    /// From coordinates to the entries of tangent vectors, row by row.
    entries: DMatrix<f64>,
}

/// In either metric.
trait Coordinates {
    /// Of a matrix; or why it has none.
    fn of_point(&self, x: &DMatrix<f64>) -> Result<Vec<f64>, String>;
    /// Of a tangent vector at the centre.
    fn of_vector(&self, v: &DMatrix<f64>) -> Vec<f64>;
}

struct Chart<M: Manifold> {
    space: M,
    centre: M::Point,
    frame: TangentFrame<M>,
}

impl<M> Coordinates for Chart<M>
where
    M: Manifold<Point = DMatrix<f64>, Tangent = DMatrix<f64>>,
{
    fn of_point(&self, x: &DMatrix<f64>) -> Result<Vec<f64>, String> {
        let log = self.space.log(&self.centre, x).map_err(|e| e.to_string())?;
        Ok(self.of_vector(&log))
    }

    fn of_vector(&self, v: &DMatrix<f64>) -> Vec<f64> {
        self.frame.coordinates(v)
    }
}

/// Along one mode.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct MatrixPart {
    /// Which, from 1.
    pub mode: usize,
    /// Standard deviations from the mean; the sign is that of the mode.
    pub z: f64,
    /// Distance along it.
    pub distance: f64,
}

/// One entry on or above the diagonal.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct EntryOfMatrix {
    /// Row, from 1.
    pub row: usize,
    /// Column, from 1.
    pub column: usize,
    /// By how much the tangent vector at the norm's centre differs from that of the expected matrix.
    pub displacement: f64,
    /// The same in standard deviations.
    pub z: f64,
}

/// How a matrix compares.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct MatrixAssessment {
    /// Percentile, distance, what lies beyond the modes.
    #[serde(flatten)]
    pub compared: Compared,
    /// From the expected matrix, in the tangent space at the norm's centre.
    pub tangent_distance: f64,
    /// The stated error of the expected matrix.
    pub mean_error: f64,
    /// Along each mode, the most unusual first.
    pub parts: Vec<MatrixPart>,
    /// On and above the diagonal, row by row.
    pub entries: Vec<EntryOfMatrix>,
    /// What is to be known.
    pub notes: Vec<String>,
}

impl std::fmt::Debug for MatrixNorm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MatrixNorm").field("release", &self.release).finish_non_exhaustive()
    }
}

impl Tangent {
    fn new<M>(space: M, centre: DMatrix<f64>, distance: &'static str) -> Self
    where
        M: Manifold<Point = DMatrix<f64>, Tangent = DMatrix<f64>> + 'static,
    {
        let order = centre.nrows();
        let frame = TangentFrame::new(space.clone(), centre.clone());
        let columns = (0..frame.dim()).map(|j| {
            let mut unit = vec![0.0; frame.dim()];
            unit[j] = 1.0;
            // Symmetric: row by row and column by column are the same.
            nalgebra::DVector::from_column_slice(frame.vector(&unit).as_slice())
        });
        let entries = DMatrix::from_columns(&columns.collect::<Vec<_>>());
        let coordinates = Box::new(Chart { space, centre, frame });
        Self { order, distance, coordinates, entries }
    }

    fn vector(&self, array: &[f64]) -> Vec<f64> {
        self.coordinates.of_vector(&DMatrix::from_row_slice(self.order, self.order, array))
    }
}

impl MatrixNorm {
    /// From the folder of a release of `spd modes` or `spd regress --residuals`, or of its study; and the file of its public centre, if it has one.
    ///
    /// # Errors
    /// [`PointStudyError`]: a release that cannot be read, has no modes, does not state its errors, or is about another centre or a private one.
    pub fn open(named: &Path, centre: Option<&Path>) -> Result<Self, PointStudyError> {
        // A secret centre is refused whatever the norm is.
        if let Some(file) = centre {
            public_input(&open_as(file, Content::Matrices)?)?;
        }
        let release = ModesRelease::open(named, "spd", "distance")?;
        let no = |what: &str| PointStudyError::Input(format!("{}: {what}", named.display()));
        let [order, columns] = release.axes;
        if order != columns {
            return Err(no("is not a release of matrices"));
        }
        let centre = centre_of(&release, order, centre)?;
        let tangent = match release.certificate.details.get("distance").and_then(Value::as_str) {
            Some(FLAT) => Tangent::new(SpdLogEuclidean::new(order)?, centre, FLAT),
            Some(CURVED) => Tangent::new(SpdAffineInvariant::new(order)?, centre, CURVED),
            _ => return Err(no("is not a release of matrices")),
        };
        let modes: Vec<Vec<f64>> = release.modes.iter().map(|mode| tangent.vector(mode)).collect();
        let seen: f64 = modes.iter().flatten().map(|x| x * x).sum();
        let [_, whole] = release.variances()?;
        let stated = release.stated(modes, 1.0, (whole - seen).max(0.0)).ok_or_else(|| no(NO_NOISE))?;
        let mean = positive_definite(order, &release.mean).map_err(|what| no(&format!("its mean {what}")))?;
        let mean = tangent.coordinates.of_point(&mean).map_err(|what| no(&what))?;
        let columns = release.columns().iter().map(|column| tangent.vector(column)).collect();
        Ok(Self { law: Law::of(&stated), release, tangent, mean, columns })
    }

    /// Holds a matrix against the norm at these covariates.
    ///
    /// # Errors
    /// [`PointStudyError`]: values outside the bounds, unknown or missing ones; a matrix of another order, or not positive definite.
    pub fn assess(&self, matrix: &DMatrix<f64>, at: &[String]) -> Result<MatrixAssessment, PointStudyError> {
        let no = |what: String| PointStudyError::Input(what);
        let values = values_of(self.release.design(), at).map_err(no)?;
        let error = self.release.mean_error(&values);
        let error =
            error.ok_or_else(|| no("the norm's certificate does not state the error of the mean".into()))?;
        let found =
            self.tangent.coordinates.of_point(matrix).map_err(|what| no(format!("the matrix {what}")))?;
        let mut expected = self.mean.clone();
        if let Some(design) = self.release.design() {
            let row = design.from_reference(&values);
            for (column, factor) in self.columns.iter().zip(row.iter().skip(1)) {
                add_scaled(&mut expected, *factor, column);
            }
        }
        let deviation: Vec<f64> = found.iter().zip(&expected).map(|(x, m)| x - m).collect();
        let law = self.law.at(&values);
        let compared = law.compare(&deviation, error);
        let part = |along: &Along| MatrixPart { mode: along.mode, z: along.z, distance: along.length };
        Ok(MatrixAssessment {
            tangent_distance: compared.deviation,
            mean_error: error,
            parts: compared.parts.iter().map(part).collect(),
            entries: self.entries(&law, &deviation, error),
            notes: self.notes(),
            compared,
        })
    }

    /// Every entry: modes vary as the law says, what they leave alike in all directions; so does the error of the mean.
    fn entries(&self, law: &Law, deviation: &[f64], error: f64) -> Vec<EntryOfMatrix> {
        let (order, dim) = (self.tangent.order, deviation.len());
        let rest = law.left / dim.saturating_sub(law.directions.len()).max(1) as f64;
        let at = |row: usize, column: usize| {
            let entry = self.tangent.entries.row(order * row + column);
            let along = |u: &[f64]| entry.iter().zip(u).map(|(e, x)| e * x).sum::<f64>();
            let of_modes = |d: &Vec<f64>| along(d).powi(2);
            let taken: f64 = law.directions.iter().map(of_modes).sum();
            let seen: f64 = law.directions.iter().zip(&law.variances).map(|(d, v)| v * of_modes(d)).sum();
            let own = entry.norm_squared();
            let variance = seen + rest * (own - taken).max(0.0) + error * error / dim as f64 * own;
            let displacement = along(deviation);
            EntryOfMatrix {
                row: row + 1,
                column: column + 1,
                displacement,
                z: displacement / variance.sqrt(),
            }
        };
        (0..order)
            .flat_map(|row| (row..order).map(move |column| (row, column)))
            .map(|(i, j)| at(i, j))
            .collect()
    }

    fn notes(&self) -> Vec<String> {
        let (certificate, count) = (&self.release.certificate, self.release.modes.len());
        let mut notes = law_notes(count, &self.law, "people");
        notes.push(format!(
            "The standard deviations hold the sample and the noise of the release. Of {} people at {}, {count} directions stood out of the noise; in \
             others matrices are taken to vary alike.",
            certificate.n, certificate.loss
        ));
        notes.extend(norm_in_words(certificate));
        notes
    }
}

/// The public centre, which the release does not hold unless it is the identity.
fn centre_of(
    release: &ModesRelease,
    order: usize,
    given: Option<&Path>,
) -> Result<DMatrix<f64>, PointStudyError> {
    let given = given.map(|file| one_matrix(file, order)).transpose()?;
    let certificate = &release.certificate;
    let centre = match (certificate.details.get("public_centre").and_then(Value::as_str), given) {
        (Some("the identity"), None) => Ok(DMatrix::identity(order, order)),
        (Some("the identity"), Some(_)) => Err("is about the identity: leave out --center"),
        (Some(said), given) if said.starts_with("a file") => match given {
            None => Err("is about a public centre: give its file with --center"),
            Some((centre, input))
                if certificate.public_inputs.iter().any(|own| own.sha256 == input.sha256) =>
            {
                Ok(centre)
            }
            Some(_) => Err("is about another centre than that of --center"),
        },
        _ => Err(
            "is about a centre that is not in the release (a private one, or that of descriptors): make the norm about the identity or a public file",
        ),
    };
    centre.map_err(|what| PointStudyError::Input(format!("the norm {what}")))
}

/// Assesses a matrix and writes `internal/` of the folder: [`REPORT`], [`ENTRIES`], [`ASSESSMENT`]; whether the norm verifies, too.
///
/// # Errors
/// [`PointStudyError`]: a norm that cannot be read or has no modes, a file that does not hold one matrix of its order.
pub fn assess_matrix(request: &MatrixAssessRequest) -> Result<(MatrixAssessment, bool), PointStudyError> {
    apart(&request.out, &request.release).map_err(|what| PointStudyError::Input(what.into()))?;
    let norm = MatrixNorm::open(&request.release, request.centre.as_deref())?;
    let mut found = norm.assess(&patient(&request.matrix, norm.tangent.order)?, &request.at)?;
    let (verified, words) = standing(&request.release);
    found.notes.insert(1, words);
    let folder = StudyFolder::at(&request.out).internal();
    make_folder(&folder).map_err(PointStudyError::Input)?;
    write_bytes(&folder.join(ENTRIES), table(&found).as_bytes())?;
    let mut said = serde_json::json!(found);
    said["verified"] = verified.into();
    said["at"] = request.at.clone().into();
    write_bytes(&folder.join(ASSESSMENT), format!("{said:#}\n").as_bytes())?;
    write_bytes(&folder.join(REPORT), report(&found, &norm, request).to_html().as_bytes())?;
    Ok((found, verified))
}

/// The only matrix of the file.
fn patient(file: &Path, order: usize) -> Result<DMatrix<f64>, PointStudyError> {
    let no = |what: String| PointStudyError::Input(format!("{}: {what}", file.display()));
    let array = npy::read(file)?;
    match array.shape[..] {
        [k, l] | [1, k, l] if (k, l) == (order, order) => {
            positive_definite(order, &array.data).map_err(|what| no(format!("the matrix {what}")))
        }
        _ => {
            Err(no(format!("is not one matrix of the norm's order {order}, but an array {:?}", array.shape)))
        }
    }
}

fn table(found: &MatrixAssessment) -> String {
    let mut csv = format!("# {MARK}\nrow,column,displacement,z\n");
    for EntryOfMatrix { row, column, displacement, z } in &found.entries {
        let _ = writeln!(csv, "{row},{column},{displacement},{z:.4}");
    }
    csv
}

fn report(found: &MatrixAssessment, norm: &MatrixNorm, request: &MatrixAssessRequest) -> Page {
    let order = norm.tangent.order;
    let mut z = vec![0.0; order * order];
    for entry in &found.entries {
        let (i, j) = (entry.row - 1, entry.column - 1);
        (z[order * i + j], z[order * j + i]) = (entry.z, entry.z);
    }
    let caption = "How far the matrix lies from what is expected, entry by entry of its logarithm at the norm's centre, in standard deviations of people.";
    let name = request.matrix.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let expected = (!request.at.is_empty()).then(|| ("expected at", request.at.join(", ")));
    page(Told {
        title: "A matrix held against a norm",
        notes: &found.notes,
        compared: &found.compared,
        before: std::iter::once(("matrix", name)).chain(expected).collect(),
        after: vec![
            ("distance from the expected matrix", format!("{:.4}", found.tangent_distance)),
            ("stated error of the expected matrix", format!("{:.4}", found.mean_error)),
        ],
        figures: vec![Figure::chart(matrix("z", order, &z), caption)],
        measures: &[],
        places: format!(
            "The numbers are in {ENTRIES}. Of 100 entries of a usual matrix about five have a z-value beyond 2."
        ),
        unit: norm.tangent.distance,
        length: &|length| format!("{length:.4}"),
    })
}
