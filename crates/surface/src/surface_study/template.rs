//! The public template, with what fixes poses.

use crate::io::landmarks::Landmark;
use crate::io::{Content, open_as, read_landmarks, scan_of};
use crate::job::public_input;
use crate::mesh::{Point, TriMesh};
use crate::privacy::PublicInput;
use crate::study::face::record::landmark_file;
use crate::study::points::PointStudyError;
use crate::surface::any::{Ambiguity, Correspondences, SurfaceTemplate, Topology};
use std::path::Path;

/// The template of a study, read from a file.
#[derive(Debug)]
pub struct PublicTemplate {
    /// The surface, ready for scans.
    pub template: SurfaceTemplate,
    /// Its marks, where a file of them lies beside it.
    marks: Option<Vec<Landmark>>,
    /// What it is, for the certificate.
    pub public_inputs: Vec<PublicInput>,
}

impl PublicTemplate {
    /// Reads a template.
    ///
    /// # Errors
    /// [`PointStudyError`]: a file or a surface that is no template; nothing is charged.
    pub fn read(path: &Path) -> Result<Self, PointStudyError> {
        let about = |problem: String| PointStudyError::Input(format!("{}: {problem}", path.display()));
        let file = open_as(path, Content::Scan)?;
        let mut public_inputs = vec![public_input(&file)?];
        let scan = scan_of(&file)?;
        let no_mesh = || about("the template is a mesh, not a bare point cloud".into());
        let mesh = TriMesh::new(scan.vertices, scan.triangles.ok_or_else(no_mesh)?);
        let mesh = mesh.map_err(|e| about(e.to_string()))?;
        let template = SurfaceTemplate::try_new(mesh).map_err(|e| about(e.to_string()))?;
        let marks = match landmark_file(path) {
            None => None,
            Some(beside) => {
                public_inputs.push(public_input(&open_as(&beside, Content::Landmarks)?)?);
                Some(read_landmarks(&beside)?)
            }
        };
        Ok(Self { template, marks, public_inputs })
    }

    /// Its vertices as numbers, (V, 3).
    pub fn vertices(&self) -> Vec<f64> {
        self.template.mesh().vertices().iter().flat_map(|p| [p.x, p.y, p.z]).collect()
    }

    /// Refuses a template whose pose cannot be told, where no marks fix it: before any record is read.
    ///
    /// # Errors
    /// [`PointStudyError::Input`], with the angle that cannot be told.
    pub fn check_pose(&self) -> Result<(), PointStudyError> {
        match self.template.ambiguity().filter(Ambiguity::needs_marks) {
            Some(ambiguity) if self.marks.is_none() => Err(PointStudyError::Input(format!(
                "the template's pose cannot be told: {ambiguity}; put three marks or more beside it (NAME.landmarks.csv) and the same beside \
                 every scan"
            ))),
            _ => Ok(()),
        }
    }

    /// What pairs the template's marks with those of a scan: by name, or by their order where none has a name.
    ///
    /// # Errors
    /// What is wrong with the scan's marks.
    pub fn pairs(&self, scan: &Path) -> Result<Option<Correspondences>, String> {
        let (Some(own), Some(file)) = (&self.marks, landmark_file(scan)) else { return Ok(None) };
        let theirs = read_landmarks(&file).map_err(|e| e.to_string())?;
        let named = |marks: &[Landmark]| marks.iter().all(|mark| mark.name.is_some());
        let pairs: Vec<(Point, Point)> = if named(own) && named(&theirs) {
            let same = |mark: &Landmark| Some(theirs.iter().find(|their| their.name == mark.name)?.position);
            own.iter().filter_map(|mark| Some((mark.position, same(mark)?))).collect()
        } else if own.len() == theirs.len() {
            own.iter().zip(&theirs).map(|(a, b)| (a.position, b.position)).collect()
        } else {
            return Err(format!("{} marks, but the template has {}", theirs.len(), own.len()));
        };
        Ok(Some(Correspondences(pairs)))
    }

    /// What the surface is, in words.
    pub fn kind(&self) -> &'static str {
        match self.template.topology() {
            Topology::Disk => "disk",
            Topology::Sphere => "closed",
        }
    }
}
