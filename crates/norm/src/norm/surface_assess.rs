//! A surface held against a released norm of surfaces, as [`super::assess`] holds a face: the files are the data holder's. Free, internal, and never
//! a diagnosis.

use super::assess::{law_notes, norm_in_words, values_of};
use super::assess_page::{Told, page};
use super::law::{Along, Compared, Law};
use super::map::{MAP, MAP_TABLE, NormalMap};
use super::patient::{ASSESSMENT, apart, make_folder, standing};
use super::surfaces::{Surfaces, vectors};
use crate::io::{npy, write_bytes};
use crate::mesh::{TriMesh, Vector};
use crate::report::figure::Figure;
use crate::report::page::Page;
use crate::report::render::View;
use crate::study::StudyFolder;
use crate::study::layout::REPORT;
use crate::study::points::PointStudyError;
use crate::surface::any::SurfaceSettings;
use crate::surface_study::{complaint, notes};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Which surface to hold against which norm.
#[derive(Debug, Clone)]
pub struct SurfaceAssessRequest {
    /// A scan, or with `prepared` an array (1, V, 3) of the template's vertices.
    pub scan: PathBuf,
    /// Whether it was registered elsewhere.
    pub prepared: bool,
    /// The folder of a release with modes, or of its study.
    pub release: PathBuf,
    /// The public template it was made with.
    pub template: PathBuf,
    /// How the scan is registered.
    pub registration: SurfaceSettings,
    /// Values of covariates, as in `age=8`.
    pub at: Vec<String>,
    /// Folder for the results: they go into `internal/` there.
    pub out: PathBuf,
}

/// A released norm of surfaces, ready for scans.
#[derive(Debug)]
pub struct SurfaceNorm {
    surfaces: Surfaces,
    /// How surfaces vary along the modes.
    pub law: Law,
}

/// Along one mode.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct SurfacePart {
    /// Which, from 1.
    pub mode: usize,
    /// Standard deviations from what is expected; the sign is that of the mode.
    pub z: f64,
    /// Root-mean-square displacement along it, in the template's units.
    pub displacement: f64,
}

/// How a surface compares; lengths in the template's units.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct SurfaceAssessment {
    /// Percentile, distance, what lies beyond the modes.
    #[serde(flatten)]
    pub compared: Compared,
    /// All of the deviation that the harmonics hold: root mean square over the template's area.
    pub deviation_rms: f64,
    /// The stated error of the expected surface, likewise.
    pub expected_surface_error: f64,
    /// Along each mode, the most unusual first.
    pub parts: Vec<SurfacePart>,
    /// Root mean square of the z-values over the vertices: about 1 for surfaces of the norm.
    pub z_rms: f64,
    /// What is to be known.
    pub notes: Vec<String>,
    /// At every vertex.
    #[serde(skip)]
    pub map: NormalMap,
    /// The expected surface.
    #[serde(skip)]
    pub expected: TriMesh,
}

impl SurfaceNorm {
    /// From the folder of a release of `surface modes` or `surface regress --residuals`, or of its study, and its template.
    ///
    /// # Errors
    /// [`PointStudyError`]: a release that cannot be read, has no modes, was made about another template, or does not state its errors.
    pub fn open(release: &Path, template: &Path) -> Result<Self, PointStudyError> {
        let surfaces = Surfaces::open(release, template)?;
        let law = Law::of(&surfaces.stated()?);
        Ok(Self { surfaces, law })
    }

    /// Holds registered vertices (V, 3) against the norm at these covariates.
    ///
    /// # Errors
    /// [`PointStudyError`]: values outside the bounds, unknown or missing ones; vertices that are not the template's.
    pub fn assess(&self, vertices: &[f64], at: &[String]) -> Result<SurfaceAssessment, PointStudyError> {
        let no = |what: &str| PointStudyError::Input(what.into());
        let release = &self.surfaces.release;
        let values = values_of(release.design(), at).map_err(PointStudyError::Input)?;
        let mean = release.mean_at(&values);
        if vertices.len() != mean.len() {
            return Err(no("the surface and the norm have other numbers of vertices"));
        }
        let error = release.mean_error(&values);
        let error = error.ok_or_else(|| no("the norm's certificate does not state the error of the mean"))?;
        let displaced: Vec<f64> = vertices.iter().zip(&mean).map(|(x, m)| x - m).collect();
        let law = self.law.at(&values);
        let compared = law.compare(&self.surfaces.coefficients(&displaced), error);
        let variation = self.surfaces.variation(&law);
        let expected = self.surfaces.surface(&mean)?;
        let variance = |v: usize, n: &Vector| variation.along(v, n);
        let map = NormalMap::new(&expected, &vectors(&displaced), variance, error, 1.0);
        let part = |along: &Along| SurfacePart { mode: along.mode, z: along.z, displacement: along.length };
        Ok(SurfaceAssessment {
            deviation_rms: compared.deviation,
            expected_surface_error: error,
            parts: compared.parts.iter().map(part).collect(),
            z_rms: map.z_rms(),
            notes: self.notes(),
            compared,
            map,
            expected,
        })
    }

    fn notes(&self) -> Vec<String> {
        let release = &self.surfaces.release;
        let (certificate, count) = (&release.certificate, release.modes.len());
        let mut notes = law_notes(count, &self.law, "people");
        notes.push(
            "The standard deviations hold the sample, the noise of the release and the registration of the norm's own scans. A scan registered otherwise \
             differs for that alone. Sizes are not in the norm."
                .to_owned(),
        );
        notes.push(format!(
            "Of {} people at {}, {count} directions stood out of the noise. What differs in other directions, or in small parts of the surface, cannot be \
             told apart from how people vary: z-values there rest on how smooth surfaces are expected to be.",
            certificate.n, certificate.loss
        ));
        notes.extend(norm_in_words(certificate));
        notes
    }
}

/// Assesses a surface and writes `internal/` of the folder: [`REPORT`], [`MAP`], [`MAP_TABLE`], [`ASSESSMENT`]; whether the norm verifies, too.
///
/// # Errors
/// [`PointStudyError`]: a norm that cannot be read, has no modes or another template; values outside the bounds; a scan that cannot be registered.
pub fn assess_surface(request: &SurfaceAssessRequest) -> Result<(SurfaceAssessment, bool), PointStudyError> {
    apart(&request.out, &request.release).map_err(|what| PointStudyError::Input(what.into()))?;
    let norm = SurfaceNorm::open(&request.release, &request.template)?;
    let (vertices, of_scan) = registered(request, &norm)?;
    let mut found = norm.assess(&vertices, &request.at)?;
    let (verified, words) = standing(&request.release);
    found.notes.insert(1, words);
    found.notes.extend(of_scan);
    let folder = StudyFolder::at(&request.out).internal();
    make_folder(&folder).map_err(PointStudyError::Input)?;
    found.map.write(&folder, &found.expected, "units of the template", "")?;
    let mut said = serde_json::json!(found);
    said["verified"] = verified.into();
    said["at"] = request.at.clone().into();
    write_bytes(&folder.join(ASSESSMENT), format!("{said:#}\n").as_bytes())?;
    write_bytes(&folder.join(REPORT), report(&found, request)?.to_html().as_bytes())?;
    Ok((found, verified))
}

/// The vertices, (V, 3), and what is to be known of them.
fn registered(
    request: &SurfaceAssessRequest,
    norm: &SurfaceNorm,
) -> Result<(Vec<f64>, Vec<String>), PointStudyError> {
    let file = request.scan.display();
    let template = &norm.surfaces.template;
    if !request.prepared {
        template.check_pose()?;
        let placed = template.place(&request.scan, &request.registration);
        let (vertices, row) = placed.map_err(|what| PointStudyError::Input(format!("{file}: {what}")))?;
        let mut known = vec![format!(
            "Registered: the scan lies {:.3} from the registered surface on average, in its own units.",
            row.fit_mean
        )];
        known.extend(notes(&[row]));
        return Ok((vertices.iter().flat_map(|p| [p.x, p.y, p.z]).collect(), known));
    }
    let array = npy::read(&request.scan)?;
    let mesh = template.template.mesh();
    let own: Vec<f64> = mesh.vertices().iter().flat_map(|p| [p.x, p.y, p.z]).collect();
    if array.shape != [1, own.len() / 3, 3] {
        return Err(PointStudyError::Input(format!(
            "{file}: a prepared surface is an array (1, {}, 3), the vertices of the template in its order, this one is {:?}",
            own.len() / 3,
            array.shape
        )));
    }
    match complaint(&array.data, &own, mesh.area().sqrt()) {
        Some(what) => Err(PointStudyError::Input(format!("{file}: {what}"))),
        None => Ok((array.data, vec!["The surface was registered elsewhere.".to_owned()])),
    }
}

fn report(found: &SurfaceAssessment, request: &SurfaceAssessRequest) -> Result<Page, PointStudyError> {
    let (image, bar) = found.map.picture(&found.expected, [View::FRONT, View::THREE_QUARTER, View::PROFILE]);
    let caption = "The expected surface; where the scan lies outwards or inwards of it, in standard deviations of people.";
    let figure = Figure::image_with_bar(&image, &bar, caption);
    let figure = figure.map_err(|e| PointStudyError::OfKind(Box::new(e)))?;
    let name = request.scan.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let expected = (!request.at.is_empty()).then(|| ("expected at", request.at.join(", ")));
    Ok(page(Told {
        title: "A surface held against a norm",
        notes: &found.notes,
        compared: &found.compared,
        before: std::iter::once(("scan", name)).chain(expected).collect(),
        after: vec![
            (
                "deviation, root mean square over the area, in the template's units",
                format!("{:.3}", found.deviation_rms),
            ),
            ("stated error of the expected surface", format!("{:.3}", found.expected_surface_error)),
            ("z-values along the normal, root mean square (1 is usual)", format!("{:.2}", found.z_rms)),
        ],
        figures: vec![figure],
        measures: &[],
        places: format!(
            "The numbers are in {MAP} and {MAP_TABLE}. Of 100 places on a usual surface about five have a z-value beyond 2."
        ),
        unit: "template's units",
        length: &|length| format!("{length:.3}"),
    }))
}
