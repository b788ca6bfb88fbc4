//! Synthetic surfaces from a release of `surface modes`, or of a regression with residuals. Free: nothing but the release and the template is read.

use super::drawn::{Drawing, Words};
use super::folds::Folds;
use super::law::{Law, deviations};
use super::surfaces::Surfaces;
use crate::io::{write_npy, write_ply_with_comment};
use crate::study::points::PointStudyError;
use std::path::PathBuf;

/// The array of drawn surfaces.
pub const SURFACES: &str = "surfaces.npy";
/// The most that are drawn at once.
pub const MOST_SURFACES: usize = 10_000;
/// The most numbers in the array: 1.6 GB.
const MOST_NUMBERS: usize = 200_000_000;
/// What every mesh has in its heading.
const STAMP: &str = "synthetic surface by visard: drawn from a private release, not of a person";

/// Which surfaces to draw.
#[derive(Debug, Clone)]
pub struct SurfaceSampleRequest {
    /// The folder of a release with modes, or of the study it is in.
    pub release: PathBuf,
    /// The public template it was made with.
    pub template: PathBuf,
    /// How many surfaces.
    pub count: usize,
    /// Values of covariates, as in `age=8`; those that are not named are drawn evenly between their bounds, or among their levels.
    pub at: Vec<String>,
    /// Folder for the surfaces.
    pub out: PathBuf,
    /// Which sample: the same seed gives the same surfaces.
    pub seed: u64,
}

const WORDS: Words = Words {
    records: "surfaces",
    record: "surface",
    of: "a person",
    scale: "in the template's frame and units, sizes left out",
    variance: "mean square displacement of one surface from the mean over the template's area, in its squared units",
};

/// Draws surfaces: `sample-0001.ply` and on, [`SURFACES`] (n, V, 3), and beside them [`TABLE`](super::sample::TABLE),
/// [`SAMPLE`](super::sample::SAMPLE) and [`FIDELITY`](super::sample::FIDELITY). Returns the files, and how many surfaces were made smoother
/// because they folded.
///
/// # Errors
/// [`PointStudyError`]: a release that cannot be read, has no modes, or was made about another template; values of covariates it does not have.
pub fn sample_surfaces(request: &SurfaceSampleRequest) -> Result<(Vec<PathBuf>, usize), PointStudyError> {
    if !(1..=MOST_SURFACES).contains(&request.count) {
        return Err(PointStudyError::Input("between 1 and 10000 surfaces can be drawn at once".into()));
    }
    let surfaces = Surfaces::open(&request.release, &request.template)?;
    let release = &surfaces.release;
    if request.count.saturating_mul(release.mean.len()) > MOST_NUMBERS {
        let most = MOST_NUMBERS / release.mean.len();
        return Err(PointStudyError::Input(format!(
            "of a template of {} vertices at most {most} surfaces can be drawn at once",
            release.axes[0]
        )));
    }
    let folds = Folds::of(&surfaces.surface(&release.mean)?);
    let drawing = Drawing { count: request.count, at: &request.at, seed: request.seed, out: &request.out };
    let law = surfaces.stated().ok().map(|stated| Law::of(&stated));
    let (mut all, mut files, mut smoothed) = (Vec::new(), Vec::new(), 0);
    let table = drawing.draw(release, |k, values, rng| {
        let amounts = deviations(law.as_ref(), release.modes.len(), values);
        let [seen, rest] = surfaces.deviation(amounts, rng);
        let mean = release.mean_at(values);
        let (vertices, mesh, is_smoothed) =
            folds.unfolded(&mean, [&seen, &rest], |vertices| surfaces.surface(vertices))?;
        smoothed += usize::from(is_smoothed);
        all.extend(vertices);
        let file = request.out.join(format!("sample-{:04}.ply", k + 1));
        write_ply_with_comment(&file, &mesh, None, STAMP)?;
        files.push(file);
        Ok(())
    })?;
    let file = request.out.join(SURFACES);
    write_npy(&file, &[request.count, release.axes[0], 3], &all)?;
    files.push(file);
    files.extend(drawing.describe(release, &WORDS, [surfaces.seen(), surfaces.beyond], &table)?);
    Ok((files, smoothed))
}
