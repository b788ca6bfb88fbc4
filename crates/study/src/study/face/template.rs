//! Loading the public template: the built-in face, or a mesh file whose pose the built-in face finds; with expressions that are taken out of
//! faces, or without.

use super::expressions::{EXPRESSIONS, ExpressionError, ExpressionSource, neutral};
use crate::io::{Content, ReadError, open_as, scan_of};
use crate::mesh::{
    DiskMesh, MeshError, Point, PoseError, PoseFinder, RepairSettings, Similarity, TriMesh, Vector, make_disk,
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
    /// One of these, and public expressions that are taken out of every face that is registered to it.
    Neutral(Box<TemplateSource>, ExpressionSource),
}

/// A template with its name and hash for the certificate.
#[derive(Debug, Clone)]
pub struct LoadedTemplate {
    /// Ready for registration.
    pub template: Arc<Template>,
    /// What it is, for the certificate.
    pub input: PublicInput,
    /// What the expressions are that are taken out of faces, where they are.
    pub expressions: Option<PublicInput>,
}

impl LoadedTemplate {
    /// All public inputs, for the certificate: the template first.
    pub fn inputs(&self) -> Vec<PublicInput> {
        std::iter::once(&self.input).chain(&self.expressions).cloned().collect()
    }

    /// What a certificate states beside the inputs.
    pub(super) fn detail(&self) -> Option<(String, serde_json::Value)> {
        self.expressions
            .as_ref()
            .map(|_| ("expressions".to_owned(), "taken out of every record by itself".into()))
    }

    /// What records depend on: the sum of the template, and that of the expressions that are taken out.
    pub fn sum(&self) -> String {
        let sums: Vec<_> = self.inputs().into_iter().map(|input| input.sha256).collect();
        sums.join(" without ")
    }

    /// Whether records of a certificate with these public inputs, the template first, had their expressions taken out as here.
    pub fn same_expressions(&self, certified: &[PublicInput]) -> bool {
        let mut others = certified.iter().skip(1).filter(|input| input.name.starts_with(EXPRESSIONS));
        others.next().map(|input| &input.sha256) == self.expressions.as_ref().map(|input| &input.sha256)
    }
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
    /// The expressions.
    #[error(transparent)]
    Expressions(#[from] ExpressionError),
    /// No triangles.
    #[error("the template must be a mesh, not a bare point cloud")]
    NotAMesh,
}

/// Loads the template. A file must hold a face mesh; its nose tip and directions are found by aligning the built-in face.
///
/// # Errors
/// [`TemplateLoadError`].
pub fn load_template(source: &TemplateSource) -> Result<LoadedTemplate, TemplateLoadError> {
    let loaded = |source: &TemplateSource| -> Result<LoadedTemplate, TemplateLoadError> {
        let (template, _, input) = made(source)?;
        Ok(LoadedTemplate { template: Arc::new(template), input, expressions: None })
    };
    match source {
        TemplateSource::Builtin => {
            // Flattened once: a program may run many studies.
            static LOADED: OnceLock<LoadedTemplate> = OnceLock::new();
            if let Some(loaded) = LOADED.get() {
                return Ok(loaded.clone());
            }
            let loaded = loaded(source)?;
            Ok(LOADED.get_or_init(|| loaded).clone())
        }
        TemplateSource::File(_) => loaded(source),
        TemplateSource::Neutral(of, expressions) => {
            let (template, from_builtin, input) = made(of)?;
            let (neutral, expressions) = neutral(&template, &from_builtin, expressions)?;
            let template = Arc::new(template.with_neutral(neutral));
            Ok(LoadedTemplate { template, input, expressions: Some(expressions) })
        }
    }
}

/// The template, what takes the built-in face to it, and what it is.
fn made(source: &TemplateSource) -> Result<(Template, Similarity, PublicInput), TemplateLoadError> {
    let builtin = synth::builtin_template();
    let nose = synth::builtin_landmarks().nose_tip;
    match source {
        TemplateSource::Builtin => {
            let disk = DiskMesh::try_new(builtin.clone())?;
            let template = Template::new(disk, nose, Vector::z(), Vector::y())?.with_mouth(builtin_mouth());
            let input = PublicInput::of_bytes("built-in template face", &synth::template_to_ply(builtin));
            Ok((template, Similarity::identity(), input))
        }
        TemplateSource::File(path) => {
            let file = open_as(path, Content::Scan)?;
            let input = public_input(&file)?;
            let scan = scan_of(&file)?;
            let mesh = TriMesh::new(scan.vertices, scan.triangles.ok_or(TemplateLoadError::NotAMesh)?)?;
            let (template, from_builtin) = posed(mesh, &PoseFinder::new(builtin, nose)?)?;
            Ok((template, from_builtin, input))
        }
        TemplateSource::Neutral(of, _) => made(of),
    }
}

/// The corners of the built-in face's mouth.
fn builtin_mouth() -> [Point; 2] {
    let marks = synth::builtin_landmarks();
    [marks.right_mouth_corner, marks.left_mouth_corner].map(|i| synth::builtin_template().vertices()[i])
}

/// Fills the holes of a given template without touching its vertices, and finds which way it looks.
fn posed(mesh: TriMesh, builtin: &PoseFinder) -> Result<(Template, Similarity), TemplateLoadError> {
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
    Ok((template.with_mouth(builtin_mouth().map(|p| pose.similarity.apply(&p))), pose.similarity))
}
