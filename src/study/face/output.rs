//! What a study writes. `release/` holds functions of the noised mean and of public inputs only; it is put together
//! aside and moved into place as a whole. Everything else is under `internal/`.

use super::internal_report::internal_report;
use super::mean::ReleasedMean;
use super::noise_map::noise_map;
use super::record::{RecordSettings, ScanRow};
use super::release_report::release_report;
use super::settings::FaceStudySettings;
use super::template::LoadedTemplate;
use crate::function::FaceCurves;
use crate::io::{WriteError, write_bytes, write_npy, write_ply};
use crate::mesh::TriMesh;
use crate::privacy::{Caveat, Certificate, CertificateError, Composition, PrivacyLoss, Statement};
use crate::study::{FolderError, StudyFolder};
use crate::surface::TemplateError;
use serde_json::json;
use std::path::{Path, PathBuf};

/// A result could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutputError {
    /// A file.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A folder.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The mean as a mesh.
    #[error(transparent)]
    Mesh(#[from] TemplateError),
    /// A picture.
    #[error("cannot draw the report's pictures: {0}")]
    Picture(#[from] png::EncodingError),
    /// The certificate.
    #[error(transparent)]
    Certificate(#[from] CertificateError),
}

/// Everything the results are made of.
pub struct Results<'a> {
    pub folder: &'a StudyFolder,
    pub settings: &'a FaceStudySettings,
    pub loaded: &'a LoadedTemplate,
    pub own: &'a FaceCurves,
    pub scans: &'a [PathBuf],
    pub record_settings: &'a RecordSettings,
    pub rows: &'a [ScanRow],
    pub nonprivate: &'a FaceCurves,
    pub released: Option<&'a ReleasedMean>,
    pub spent: &'a Composition,
}

/// Writes the internal results, then the release.
pub fn write_results(results: &Results<'_>) -> Result<(), OutputError> {
    let internal = results.folder.internal();
    let template = &results.loaded.template;
    let nonprivate_mesh = template.face_through(results.nonprivate)?;
    let shape = [results.nonprivate.curves(), results.nonprivate.samples(), 3];
    write_npy(&internal.join("nonprivate_curves.npy"), &shape, results.nonprivate.data())?;
    match results.released {
        None => {
            let page = internal_report(results, &nonprivate_mesh, None)?;
            write_bytes(&internal.join("report.html"), page.as_bytes())?;
        }
        Some(released) => {
            let mesh = template.face_through(&released.curves)?;
            let certificate = certify(results, released)?;
            let page = internal_report(results, &nonprivate_mesh, Some(&mesh))?;
            write_bytes(&internal.join("report.html"), page.as_bytes())?;
            results.folder.publish(|aside| fill_release(aside, results, released, &mesh, &certificate))?;
        }
    }
    // Last: its presence says that the internal results are whole.
    write_ply(&internal.join("nonprivate_mean.ply"), &nonprivate_mesh)?;
    Ok(())
}

fn certify(results: &Results<'_>, released: &ReleasedMean) -> Result<Certificate, OutputError> {
    let price = &released.price;
    let mut statement = Statement::new(price.mechanism, price.n, price.loss);
    statement.sensitivity = Some(price.sensitivity.get());
    statement.clip_radius = Some(price.clip);
    statement.noise = Some(released.noise.clone());
    for (part, mu) in &released.parts {
        statement.composition.add(*part, PrivacyLoss::Gaussian(*mu));
    }
    statement.public_inputs = vec![results.loaded.input.clone()];
    statement.seeded = released.seeded;
    statement.recorded = released.recorded;
    if results.spent.parts().len() > 1 {
        statement.caveats.push(Caveat::Other(format!(
            "composed: this study's ledger holds {} releases from the same records; their joint loss is stated under \
             details.study_total",
            results.spent.parts().len()
        )));
    }
    let settings = results.settings;
    let parts: Vec<_> = price.parts.iter().map(|(what, mu)| json!({"what": what, "mu": mu})).collect();
    let details = json!({
        "record_kind": "scan",
        "statistic": "mean of face radial curves, each record centred, of unit area, registered to the public template",
        "coordinates": price.description,
        "curves": settings.curves,
        "samples": settings.samples,
        "registration": settings.registration,
        "units": "curves and mesh: surface area 1, centroid at the origin",
        "budget_parts": parts,
        "study_total": results.spent.total().ok(),
        "failed_scans": "count as the public template; their number is not published",
    });
    if let serde_json::Value::Object(details) = details {
        statement.details = details;
    }
    Ok(statement.certify()?)
}

/// Everything that may be published, into an empty folder; the certificate last.
fn fill_release(
    folder: &Path,
    results: &Results<'_>,
    released: &ReleasedMean,
    mesh: &TriMesh,
    certificate: &Certificate,
) -> Result<(), OutputError> {
    write_ply(&folder.join("mean.ply"), mesh)?;
    let shape = [released.curves.curves(), released.curves.samples(), 3];
    write_npy(&folder.join("curves.npy"), &shape, released.curves.data())?;
    let json = certificate.to_json()?;
    let noise = noise_map(results.settings, &results.loaded.template, results.own, released, mesh)?;
    if let Some(noise) = &noise {
        write_npy(&folder.join("noise.npy"), &[noise.len()], noise)?;
    }
    let page = release_report(results, released, mesh, noise.as_deref(), certificate, &json)?;
    write_bytes(&folder.join("report.html"), page.as_bytes())?;
    Ok(write_bytes(&folder.join("certificate.json"), json.as_bytes())?)
}
