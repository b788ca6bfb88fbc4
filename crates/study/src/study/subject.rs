//! A surface that someone names: a mesh file, a release or its study, or the built-in template; with what is known of it.

use super::face::{TemplateLoadError, TemplateSource, load_template};
use super::layout::{CERTIFICATE, ERROR, MEAN_NPY, MEAN_PLY, StudyFolder};
pub use super::standing::Standing;
use super::standing::{Judged, judge, lies_in_internal};
use crate::io::{Content, Limit, NamedField, ReadError, RecordSize, npy, open, open_as, read_rows, scan_of};
use crate::mesh::{MeshError, Point, TriMesh};
use crate::privacy::{Certificate, CertificateError};
use std::path::{Path, PathBuf};

/// Why there is nothing to show.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SubjectError {
    /// A file that cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The built-in template.
    #[error(transparent)]
    Template(#[from] TemplateLoadError),
    /// The mesh of a file.
    #[error("{}: {source}", .path.display())]
    Mesh {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: MeshError,
    },
    /// The certificate of a release.
    #[error("{}: {source}", .path.display())]
    Certificate {
        /// The release.
        path: PathBuf,
        /// What is wrong.
        source: CertificateError,
    },
    /// A folder without a surface.
    #[error("{}: no release with a {MEAN_PLY} lies here; name a mesh file, a release, a study or \"builtin\"", .0.display())]
    NoSurface(PathBuf),
    /// A field of another length.
    #[error("{}: {found} values, but the surface has {expected} vertices; one value a vertex is needed", .path.display())]
    Length {
        /// The file.
        path: PathBuf,
        /// Its values.
        found: usize,
        /// The surface's vertices.
        expected: usize,
    },
    /// A field with a line that is no number.
    #[error("{}: {what}", .path.display())]
    Value {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
}

/// What coordinates are measured in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LengthUnit {
    /// Millimetres: the release has a size, or it is the built-in template.
    Millimetres,
    /// The square root of a face's area: no size was released.
    RootArea,
    /// The centroid size of a shape of landmarks.
    CentroidSize,
    /// Whatever the file is in.
    Unknown,
}

impl LengthUnit {
    /// Its name on axes and in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Millimetres => "mm",
            Self::RootArea => "face of area 1",
            Self::CentroidSize => "shape of centroid size 1",
            Self::Unknown => "units of the file",
        }
    }

    /// Metres in one, where that is known.
    pub fn metres(self) -> Option<f64> {
        (self == Self::Millimetres).then_some(1e-3)
    }
}

/// A surface with what is known of it.
#[derive(Debug, Clone)]
pub struct Subject {
    /// Its name, for titles.
    pub name: String,
    /// The surface.
    pub mesh: TriMesh,
    /// What it is measured in.
    pub unit: LengthUnit,
    /// Whether it may be published.
    pub standing: Standing,
    /// Why it may not, where something is wrong or could not be checked.
    pub why: Option<String>,
    /// The error at each vertex, in the units of the records (a face of area 1), where a release states it.
    pub errors: Option<Vec<f64>>,
    /// What the release guarantees.
    pub certificate: Option<Certificate>,
}

impl Subject {
    /// Loads a mesh file, a release, a study or `builtin`.
    ///
    /// # Errors
    /// [`SubjectError`].
    pub fn load(name: &Path) -> Result<Self, SubjectError> {
        if name == Path::new("builtin") {
            return builtin();
        }
        if !name.is_dir() {
            return of_file(name);
        }
        let release = StudyFolder::release_of(name);
        if !release.join(MEAN_PLY).is_file() {
            return Err(SubjectError::NoSurface(name.to_owned()));
        }
        let surface = of_file(&release.join(MEAN_PLY))?;
        Ok(Self { name: named(name), ..surface })
    }

    /// The landmarks of a release of shapes, or of its study, as a cloud; in the plane the third coordinate is 0. Returns the coordinates of a
    /// landmark, 2 or 3, beside it; `None` where no such release lies here.
    ///
    /// # Errors
    /// [`SubjectError`].
    pub fn landmarks(name: &Path) -> Result<Option<(Self, usize)>, SubjectError> {
        let path = StudyFolder::release_of(name).join(MEAN_NPY);
        if !name.is_dir() || !path.is_file() {
            return Ok(None);
        }
        let stated = certificate_beside(&path)?;
        let space = stated.as_ref().and_then(|c| c.details.get("space")?.as_str());
        let array = npy::read(&path)?;
        let [_, d @ (2 | 3)] = array.shape[..] else { return Ok(None) };
        if !space.is_some_and(|space| space.starts_with("shapes of")) {
            return Ok(None);
        }
        let Judged { standing, certificate, why } = judge(&path);
        let point = |p: &[f64]| Point::new(p[0], p[1], p.get(2).copied().unwrap_or(0.0));
        let points = array.data.chunks_exact(d).map(point).collect();
        let mesh = TriMesh::new(points, vec![]).map_err(|source| SubjectError::Mesh { path, source })?;
        let unit = LengthUnit::CentroidSize;
        Ok(Some((Self { name: named(name), mesh, unit, standing, why, errors: None, certificate }, d)))
    }

    /// What 1 in the arrays of a release is in the unit of the coordinates.
    pub fn length_of_one(&self) -> f64 {
        let size = |c: &Certificate| c.details.get("size")?.get("root_area_mm")?.as_f64();
        self.certificate.as_ref().and_then(size).unwrap_or(1.0)
    }

    /// The stated errors in the unit of the coordinates.
    pub fn errors_in_unit(&self) -> Option<Vec<f64>> {
        let scale = self.length_of_one();
        Some(self.errors.as_ref()?.iter().map(|e| scale * e).collect())
    }

    /// A field from a file: `.npy` of one value a vertex, or a table with one value a line (the last column counts).
    ///
    /// # Errors
    /// [`SubjectError`], also for one of another length.
    pub fn field(&self, path: &Path) -> Result<NamedField, SubjectError> {
        field_of(path, self.mesh.vertices().len())
    }
}

/// A field from a file for a surface of so many vertices: `.npy` of one value a vertex, or a table with one value a line (the last column
/// counts).
///
/// # Errors
/// [`SubjectError`], also for one of another length.
pub fn field_of(path: &Path, expected: usize) -> Result<NamedField, SubjectError> {
    let is_array = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("npy"));
    let values = if is_array { npy::read(path)?.data } else { column(path)? };
    if values.len() != expected {
        return Err(SubjectError::Length { path: path.to_owned(), found: values.len(), expected });
    }
    Ok(NamedField { name: field_name(path), values })
}

fn builtin() -> Result<Subject, SubjectError> {
    let mesh = load_template(&TemplateSource::Builtin)?.template.mesh().clone();
    Ok(Subject {
        name: "built-in template".into(),
        mesh,
        unit: LengthUnit::Millimetres,
        standing: Standing::Public,
        why: None,
        errors: None,
        certificate: None,
    })
}

fn of_file(path: &Path) -> Result<Subject, SubjectError> {
    let scan = scan_of(&open_as(path, Content::Scan)?)?;
    let broken = |source| SubjectError::Mesh { path: path.to_owned(), source };
    let mesh = TriMesh::new(scan.vertices, scan.triangles.unwrap_or_default()).map_err(broken)?;
    let full = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let name = full.file_name().unwrap_or_default().to_string_lossy().into_owned();
    certificate_beside(&full)?;
    let Judged { standing, certificate, why } = judge(path);
    let unit = match &certificate {
        Some(c) if c.details.contains_key("size") => LengthUnit::Millimetres,
        // Of surfaces of any kind: those of the template.
        Some(c) if c.details.contains_key("surface") => LengthUnit::Unknown,
        Some(_) => LengthUnit::RootArea,
        None => LengthUnit::Unknown,
    };
    let errors = certificate.is_some().then(|| full.with_file_name(ERROR)).filter(|file| file.is_file());
    let errors = match errors {
        Some(file) if name == MEAN_PLY => {
            Some(npy::read(&file)?.data).filter(|e| e.len() == mesh.vertices().len())
        }
        _ => None,
    };
    Ok(Subject { name: named(path), mesh, unit, standing, why, errors, certificate })
}

/// What the certificate beside a file says, checked or not; one that cannot be read is an error of whoever names the file, not a file without one.
fn certificate_beside(file: &Path) -> Result<Option<Certificate>, SubjectError> {
    let path = file.with_file_name(CERTIFICATE);
    if lies_in_internal(file) || !path.is_file() {
        return Ok(None);
    }
    let opened = open(&path, Limit::CERTIFICATE)?;
    Certificate::from_json(opened.text()?)
        .map(Some)
        .map_err(|source| SubjectError::Certificate { path, source })
}

fn column(path: &Path) -> Result<Vec<f64>, SubjectError> {
    let rows = read_rows(path, RecordSize::Content)?;
    rows.iter()
        .map(|row| match row {
            Ok(row) => Ok(row.last().copied().unwrap_or(f64::NAN)),
            Err(e) => Err(SubjectError::Value { path: path.to_owned(), what: e.to_string() }),
        })
        .collect()
}

/// The last part of a path, without its ending where it is a file.
fn named(path: &Path) -> String {
    let full = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let part = if full.is_dir() { full.file_name() } else { full.file_stem() };
    part.unwrap_or_default().to_string_lossy().into_owned()
}

/// A field's name from its file's: other characters become `_`.
fn field_name(path: &Path) -> String {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let name: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect();
    if name.is_empty() { "field".into() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::write_ply;
    use crate::mesh::Point;

    #[test]
    fn files_fields_and_what_is_wrong_with_them() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let mesh = TriMesh::new(
            vec![Point::origin(), Point::new(1.0, 0.0, 0.0), Point::new(0.0, 1.0, 0.0)],
            vec![[0, 1, 2]],
        )
        .unwrap();
        write_ply(&at("m.ply"), &mesh).unwrap();
        let subject = Subject::load(&at("m.ply")).unwrap();
        assert_eq!(
            (subject.name.as_str(), subject.unit, subject.standing),
            ("m", LengthUnit::Unknown, Standing::Internal)
        );
        std::fs::write(at("my field.csv"), "vertex,value\n0,1.5\n1,2\n2,-3\n").unwrap();
        let field = subject.field(&at("my field.csv")).unwrap();
        assert_eq!((field.name.as_str(), field.values), ("my_field", vec![1.5, 2.0, -3.0]));
        crate::io::write_npy(&at("f.npy"), &[2], &[1.0, 2.0]).unwrap();
        let message = subject.field(&at("f.npy")).unwrap_err().to_string();
        assert!(message.contains("2 values") && message.contains("3 vertices"), "{message}");
        assert!(matches!(Subject::load(folder.path()), Err(SubjectError::NoSurface(_))));
        std::fs::write(at(CERTIFICATE), "{").unwrap();
        assert!(matches!(Subject::load(&at("m.ply")), Err(SubjectError::Certificate { .. })));
        assert_eq!(Subject::load(Path::new("builtin")).unwrap().unit, LengthUnit::Millimetres);
    }
}
