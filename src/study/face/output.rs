//! What a study writes. `release/` holds functions of the noised mean and of public inputs only; it is put together
//! aside and moved into place as a whole. Everything else is under `internal/`.

use super::internal_report::internal_report;
use super::mean::ReleasedMean;
use super::noise_map::noise_map;
use super::record::{Record, ScanRow, Stage};
use super::release_report::release_report;
use super::settings::FaceStudySettings;
use super::template::LoadedTemplate;
use crate::function::FaceCurves;
use crate::io::{WriteError, write_bytes, write_npy, write_ply};
use crate::mesh::TriMesh;
use crate::privacy::{Caveat, Certificate, CertificateError, Composition, PrivacyLoss, Statement};
use crate::study::StudyFolder;
use crate::surface::TemplateError;
use serde_json::json;
use std::path::Path;

/// A result could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutputError {
    /// A file.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A folder.
    #[error("cannot prepare {0}: {1}")]
    Folder(String, std::io::Error),
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
    pub rows: &'a [ScanRow],
    pub records: &'a [Option<FaceCurves>],
    pub nonprivate: &'a FaceCurves,
    pub released: Option<&'a ReleasedMean>,
    pub spent: &'a Composition,
}

/// `internal/scans.csv`: one line per scan.
pub fn write_scan_table(folder: &StudyFolder, records: &[Record]) -> Result<(), OutputError> {
    let mut text = String::from(
        "scan,status,problem,points,was_mesh,repairs,pose_misfit,angle_distortion_deg,flipped_triangles,\
         energy_start,energy_end,min_jacobian,deviation,seconds",
    );
    Stage::NAMES.iter().for_each(|stage| text.push_str(&format!(",seconds_{stage}")));
    text.push('\n');
    for Record { row, .. } in records {
        let status = if row.is_ok() { "ok" } else { "failed" };
        text.push_str(&format!(
            "{},{status},{},{},{},{},{:.5},{:.4},{},{:.6},{:.6},{:.4},{:.6},{:.4}",
            quoted(&row.scan),
            quoted(&row.problem),
            row.points,
            row.was_mesh,
            quoted(&row.repairs),
            row.pose_misfit,
            row.angle_distortion_deg,
            row.flipped_triangles,
            row.energy_start,
            row.energy_end,
            row.min_jacobian,
            row.deviation,
            row.seconds.iter().sum::<f64>(),
        ));
        row.seconds.iter().for_each(|s| text.push_str(&format!(",{s:.4}")));
        text.push('\n');
    }
    Ok(write_bytes(&folder.internal().join("scans.csv"), text.as_bytes())?)
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
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
            write_release(results, released, &mesh, &certificate)?;
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

/// Puts the release together aside and moves it into place.
fn write_release(
    results: &Results<'_>,
    released: &ReleasedMean,
    mesh: &TriMesh,
    certificate: &Certificate,
) -> Result<(), OutputError> {
    let release = results.folder.release();
    let aside = results.folder.root().join(".release.tmp");
    let prepare = |e| OutputError::Folder(aside.display().to_string(), e);
    remove_folder(&aside).map_err(prepare)?;
    std::fs::create_dir_all(&aside).map_err(prepare)?;
    write_ply(&aside.join("mean.ply"), mesh)?;
    let shape = [released.curves.curves(), released.curves.samples(), 3];
    write_npy(&aside.join("curves.npy"), &shape, released.curves.data())?;
    let json = certificate.to_json()?;
    let noise = noise_map(results.settings, &results.loaded.template, results.own, released, mesh)?;
    if let Some(noise) = &noise {
        write_npy(&aside.join("noise.npy"), &[noise.len()], noise)?;
    }
    let page = release_report(results, released, mesh, noise.as_deref(), certificate, &json)?;
    write_bytes(&aside.join("report.html"), page.as_bytes())?;
    write_bytes(&aside.join("certificate.json"), json.as_bytes())?;
    let finish = || -> std::io::Result<()> {
        let old = results.folder.root().join(".release.old");
        remove_folder(&old)?;
        if release.exists() {
            std::fs::rename(&release, &old)?;
        }
        std::fs::rename(&aside, &release)?;
        remove_folder(&old)
    };
    finish().map_err(|e| OutputError::Folder(release.display().to_string(), e))
}

fn remove_folder(path: &Path) -> std::io::Result<()> {
    if path.exists() { std::fs::remove_dir_all(path) } else { Ok(()) }
}
