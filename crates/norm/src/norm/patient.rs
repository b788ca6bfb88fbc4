//! From a patient's scan to the files of an assessment, which are the data holder's.

use super::assess::{Assessment, Norm};
use super::assess_page;
use crate::fault::real_path;
use crate::function::FaceCurves;
use crate::io::{npy, write_bytes};
use crate::study::face::record::{RecordMaker, RecordSettings, default_crop_radius, landmark_file};
use crate::study::face::{Registration, StudyError, TemplateSource};
use crate::study::layout::{CERTIFICATE, REPORT};
use crate::study::{Binding, StudyFolder, verify};
use std::path::{Component, Path, PathBuf};

/// The numbers, as `--json` says them.
pub const ASSESSMENT: &str = "assessment.json";

/// Whom to hold against which norm.
#[derive(Debug, Clone)]
pub struct AssessRequest {
    /// A scan, or with `prepared` an array (n, J, m, 3) whose first record counts.
    pub patient: PathBuf,
    /// Whether the patient was prepared.
    pub prepared: bool,
    /// The folder of a release with modes, or of its study.
    pub release: PathBuf,
    /// Values of covariates, as in `age=8`.
    pub at: Vec<String>,
    /// Folder for the results: they go into `internal/` there.
    pub out: PathBuf,
    /// The template the release was made with.
    pub template: TemplateSource,
    /// How the scan is registered: as those of the release were.
    pub registration: Registration,
}

/// Whether the norm can be relied on, in words.
pub(super) fn standing(release: &Path) -> (bool, String) {
    match verify(release, None, None) {
        Err(error) => (false, format!("The norm DOES NOT VERIFY: {error}. Do not rely on this result.")),
        Ok(found) if found.binding == Binding::Nothing => {
            (false, "The norm is not verified: no ledger or known key stands behind it, anybody could have written it.".into())
        }
        Ok(found) if !found.certificate.private => (true, "The norm verifies, but IS NOT PRIVATE.".into()),
        Ok(_) => (true, "The norm verifies against its ledger.".into()),
    }
}

/// The patient's record, and what is to be known of its registration.
fn patient(request: &AssessRequest, norm: &Norm) -> Result<(FaceCurves, Vec<String>), StudyError> {
    let form = norm.people.mean_at(&[])?;
    let (curves, samples) = (form.curves(), form.samples());
    if request.prepared {
        let array = npy::read(&request.patient)?;
        return match array.shape[..] {
            [n, j, m, 3] if n > 0 && (j, m) == (curves, samples) => {
                let first = array.data[..3 * j * m].to_vec();
                let note = "The patient was prepared elsewhere: the first record of the array.".to_owned();
                Ok((FaceCurves::new(j, m, first)?, vec![note]))
            }
            _ => Err(StudyError::Release(format!(
                "{}: is not an array (n, {curves}, {samples}, 3), as the norm's records are",
                request.patient.display()
            ))),
        };
    }
    if !norm.people.same_expressions() {
        return Err(StudyError::Release(
            "the norm's faces and the patient's would not be alike: of the one, expressions were taken out; give --neutral as for the norm, or leave it out"
                .into(),
        ));
    }
    let template = norm.people.template();
    let settings = RecordSettings {
        registration: request.registration,
        crop_radius: default_crop_radius(template),
        curves,
        samples,
    };
    let maker = RecordMaker::new(template, settings)?;
    let record = maker.record(&request.patient, landmark_file(&request.patient).as_deref());
    let row = record.row;
    let found = record.curves.ok_or_else(|| {
        StudyError::Release(format!("{}: could not be registered: {}", row.scan, row.problem))
    })?;
    let mut notes = vec![format!("Registered: {:.0} % of the face lies on the scan.", 100.0 * row.on_scan)];
    notes.extend(Some(row.repairs).filter(|repairs| !repairs.is_empty()));
    Ok((found, notes))
}

/// Where a path leads to, links resolved, though its end may not exist yet.
fn real(path: &Path) -> PathBuf {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let Some((above, mut real)) = whole.ancestors().find_map(|above| Some((above, real_path(above).ok()?)))
    else {
        return whole;
    };
    for part in whole.strip_prefix(above).into_iter().flat_map(Path::components) {
        match part {
            Component::ParentDir => drop(real.pop()),
            part => real.push(part),
        }
    }
    real
}

/// Refuses a folder in which the results would lie with the release.
pub(super) fn apart(out: &Path, release: &Path) -> Result<(), &'static str> {
    let (release, out) = (real(&StudyFolder::release_of(release)), real(out));
    let study = release.parent().filter(|study| StudyFolder::at(*study).has_release());
    if out.starts_with(&release)
        || out.join(CERTIFICATE).exists()
        || study.is_some_and(|study| out.starts_with(study))
    {
        return Err("a patient's results do not belong into a study's folder: choose another --out");
    }
    Ok(())
}

/// Assesses a patient and writes `internal/` of the folder: [`REPORT`], [`MAP`](super::map::MAP), [`MAP_TABLE`](super::map::MAP_TABLE), [`ASSESSMENT`]; whether the norm verifies, too.
///
/// # Errors
/// [`StudyError`]: a norm that cannot be read, has no modes or another template; values outside the bounds; a patient who could not be registered.
pub fn assess(request: &AssessRequest) -> Result<(Assessment, bool), StudyError> {
    apart(&request.out, &request.release).map_err(StudyError::Shape)?;
    let norm = Norm::open(&request.release, &request.template)?;
    let values = norm.values(&request.at)?;
    let (face, of_patient) = patient(request, &norm)?;
    let mut found = norm.assess(&face, &values)?;
    let (verified, words) = standing(&request.release);
    found.notes.insert(1, words);
    found.notes.extend(of_patient);
    write(request, &found, verified)?;
    Ok((found, verified))
}

/// Makes the folder, which only its owner may look into: files have its mode.
pub(super) fn make_folder(folder: &Path) -> Result<(), String> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|e| format!("cannot prepare {}: {e}", folder.display()))
}

fn write(request: &AssessRequest, found: &Assessment, verified: bool) -> Result<(), StudyError> {
    let folder = StudyFolder::at(&request.out).internal();
    make_folder(&folder).map_err(StudyError::Release)?;
    found.map.write(&folder, &found.expected, "faces of area 1", "_mm")?;
    let mut said = serde_json::json!(found);
    said["verified"] = verified.into();
    said["at"] = request.at.clone().into();
    write_bytes(&folder.join(ASSESSMENT), format!("{said:#}\n").as_bytes())?;
    let page = assess_page::face_page(found, &request.at)?;
    Ok(write_bytes(&folder.join(REPORT), page.to_html().as_bytes())?)
}
