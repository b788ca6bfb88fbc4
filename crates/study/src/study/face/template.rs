//! Loading the public template: the built-in face, or a mesh file whose pose the built-in face finds.

use crate::io::{Content, ReadError, open_as, scan_of};
use crate::mesh::{
    DiskMesh, MeshError, Point, PoseError, PoseFinder, RepairSettings, TriMesh, Vector, make_disk,
};
use crate::privacy::PublicInput;
use crate::study::public_input;
use crate::surface::registration::RegistrationError;
use crate::surface::{Template, TemplateError};
use crate::synth;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// Where the public template comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TemplateSource {
    /// The built-in synthetic face.
    Builtin,
    /// A mesh file; its nose tip is found automatically.
    File(PathBuf),
}

/// A template with its name and hash for the certificate.
#[derive(Debug, Clone)]
pub struct LoadedTemplate {
    /// Ready for registration.
    pub template: Arc<Template>,
    /// What it is, for the certificate.
    pub input: PublicInput,
}

/// Why a template could not be loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TemplateLoadError {
    /// The file.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// Its mesh.
    #[error("template: {0}")]
    Mesh(#[from] MeshError),
    /// Its pose.
    #[error("template: {0}")]
    Pose(#[from] PoseError),
    /// Its flattening.
    #[error("template: {0}")]
    Template(#[from] TemplateError),
    /// It does not suit the registration.
    #[error("template: {0}")]
    Registration(#[from] RegistrationError),
    /// No triangles.
    #[error("the template must be a mesh, not a bare point cloud")]
    NotAMesh,
}

/// Loads the template. A file must hold a face mesh; its nose tip and directions are found by aligning the built-in face.
///
/// # Errors
/// [`TemplateLoadError`].
pub fn load_template(source: &TemplateSource) -> Result<LoadedTemplate, TemplateLoadError> {
    let builtin = synth::builtin_template();
    let nose = synth::builtin_landmarks().nose_tip;
    match source {
        TemplateSource::Builtin => {
            // Flattened once: a program may run many studies.
            static LOADED: OnceLock<LoadedTemplate> = OnceLock::new();
            if let Some(loaded) = LOADED.get() {
                return Ok(loaded.clone());
            }
            let bytes = synth::template_to_ply(builtin);
            let disk = DiskMesh::try_new(builtin.clone())?;
            let template = Template::new(disk, nose, Vector::z(), Vector::y())?.with_mouth(builtin_mouth());
            let input = PublicInput::of_bytes("built-in template face", &bytes);
            Ok(LOADED.get_or_init(|| LoadedTemplate { template: Arc::new(template), input }).clone())
        }
        TemplateSource::File(path) => {
            let file = open_as(path, Content::Scan)?;
            let input = public_input(&file)?;
            let scan = scan_of(&file)?;
            let mesh = TriMesh::new(scan.vertices, scan.triangles.ok_or(TemplateLoadError::NotAMesh)?)?;
            Ok(LoadedTemplate { template: Arc::new(posed(mesh, &PoseFinder::new(builtin, nose)?)?), input })
        }
    }
}

/// The corners of the built-in face's mouth.
fn builtin_mouth() -> [Point; 2] {
    let marks = synth::builtin_landmarks();
    [marks.right_mouth_corner, marks.left_mouth_corner].map(|i| synth::builtin_template().vertices()[i])
}

/// Fills the holes of a given template without touching its vertices, and finds which way it looks.
fn posed(mesh: TriMesh, builtin: &PoseFinder) -> Result<Template, TemplateLoadError> {
    let vertices = mesh.vertices().len();
    let disk = match DiskMesh::try_new(mesh.clone()) {
        Ok(disk) => disk,
        Err(_) => {
            let keep = RepairSettings { sharpest_spike: None, ..RepairSettings::default() };
            let repaired = make_disk(mesh, None, &keep)?;
            let unchanged = repaired.vertex_source.len() == vertices
                && repaired.vertex_source.iter().enumerate().all(|(i, s)| *s == Some(i));
            if !unchanged {
                return Err(TemplateLoadError::Mesh(MeshError::NotADisk(format!(
                    "the template needs repairs that would renumber its vertices ({}); repair the file first",
                    repaired.log
                ))));
            }
            repaired.mesh
        }
    };
    let pose = builtin.find(disk.mesh().vertices())?;
    let rotation = pose.similarity.rotation;
    let template = Template::new(disk, pose.nose, rotation * Vector::z(), rotation * Vector::y())?;
    Ok(template.with_mouth(builtin_mouth().map(|p| pose.similarity.apply(&p))))
}
