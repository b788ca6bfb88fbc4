//! A face at given values of the covariates, from a release alone.

use super::super::error::StudyError;
use super::super::template::{TemplateSource, load_template};
use crate::estimate::Design;
use crate::function::FaceCurves;
use crate::mesh::{MeshError, Point, TriMesh, Vector};
use crate::privacy::Certificate;
use crate::study::StudyFolder;
use crate::study::tangent::{FieldsRelease, added};
use crate::surface::Template;
use std::path::Path;
use std::sync::Arc;

/// A released regression of faces, read back: everything in it has been published.
#[derive(Debug)]
pub struct RegressionRelease {
    fields: FieldsRelease,
    template: Arc<Template>,
    /// Curves, and samples on each.
    form: (usize, usize),
}

/// A face at given values.
#[derive(Debug, Clone)]
pub struct Prediction {
    /// The surface, of area about 1.
    pub mesh: TriMesh,
    /// Its expected root-mean-square error against the regression without noise: errors of the columns added up as if they were independent.
    pub rms: f64,
}

/// What the covariates do to every vertex of the face at the reference values.
#[derive(Debug, Clone, PartialEq)]
pub struct Displacements {
    design: Design,
    /// A vector a vertex for every column, of faces of area 1.
    columns: Vec<Vec<Vector>>,
    /// Expected root-mean-square errors: of the face at the reference values, then of every column.
    errors: Vec<f64>,
}

impl Displacements {
    /// The covariates.
    pub fn design(&self) -> &Design {
        &self.design
    }

    /// How many vertices they are of.
    pub fn vertices(&self) -> usize {
        self.columns.first().map_or(0, Vec::len)
    }

    /// The face at these values (one a covariate, a missing one at its reference), given the released one at the reference values; `unit` is
    /// what a length of 1 on a face of area 1 is on that mesh. Costs a sum: for sliders.
    ///
    /// # Errors
    /// [`MeshError`]: a mesh of other vertices.
    pub fn face(&self, mesh: &TriMesh, values: &[Option<f64>], unit: f64) -> Result<TriMesh, MeshError> {
        if mesh.vertices().len() != self.vertices() {
            return Err(MeshError::Degenerate(
                "the release's displacements are of other vertices".to_owned(),
            ));
        }
        let row: Vec<f64> = self.design.from_reference(values).into_iter().map(|x| unit * x).collect();
        mesh.with_vertices(moved_by(mesh, &self.columns, &row))
    }

    /// The expected root-mean-square error of that face, as [`Prediction::rms`].
    pub fn rms(&self, values: &[Option<f64>]) -> f64 {
        added(&self.errors, &self.design.from_reference(values))
    }
}

/// The vertices moved by every column's displacement, as often as `row` says (with the intercept's place, which moves nothing).
fn moved_by(mesh: &TriMesh, moved: &[Vec<Vector>], row: &[f64]) -> Vec<Point> {
    let mut vertices = mesh.vertices().to_vec();
    for (field, factor) in moved.iter().zip(row.iter().skip(1)) {
        vertices.iter_mut().zip(field).for_each(|(p, v)| *p += *factor * v);
    }
    vertices
}

impl RegressionRelease {
    /// From the folder of a release, or of its study; the template it was made about must be given again, unless it is the built-in one.
    ///
    /// # Errors
    /// [`StudyError`]: no release of a regression of faces, files that do not fit together, another template.
    pub fn open(folder: &Path, template: &TemplateSource) -> Result<Self, StudyError> {
        let fields = FieldsRelease::open(folder)?;
        let no = |what: &str| {
            StudyError::Release(format!("{}: {what}", StudyFolder::release_of(folder).display()))
        };
        let [curves, samples, 3] = fields.shape()[..] else {
            return Err(no("its fields are not an array (1 + columns, J, m, 3)"));
        };
        let loaded = load_template(template)?;
        if fields.certificate.public_inputs.first() != Some(&loaded.input) {
            return Err(no("was made about another template; give that one with --template"));
        }
        Ok(Self { fields, template: loaded.template, form: (curves, samples) })
    }

    /// The covariates.
    pub fn design(&self) -> &Design {
        self.fields.design()
    }

    /// What it guarantees.
    pub fn certificate(&self) -> &Certificate {
        &self.fields.certificate
    }

    /// What the covariates do to every vertex, for faces at many values.
    ///
    /// # Errors
    /// None for a release that could be read.
    pub fn displacements(&self) -> Result<Displacements, StudyError> {
        let column = |field: &Vec<f64>| Ok(self.template.field_through(&self.curves(field.clone())?));
        let columns = self.fields.columns().iter().map(column).collect::<Result<_, StudyError>>()?;
        Ok(Displacements { design: self.design().clone(), columns, errors: self.fields.errors().to_vec() })
    }

    /// The curves at these values, one a covariate; a missing one is at its reference. Values outside the bounds count as the bound.
    ///
    /// # Errors
    /// None for a release that could be read.
    pub fn curves_at(&self, values: &[Option<f64>]) -> Result<FaceCurves, StudyError> {
        self.curves(self.fields.at(values))
    }

    fn curves(&self, data: Vec<f64>) -> Result<FaceCurves, StudyError> {
        Ok(FaceCurves::new(self.form.0, self.form.1, data)?)
    }

    /// The face at these values.
    ///
    /// # Errors
    /// As [`Self::curves_at`].
    pub fn at(&self, values: &[Option<f64>]) -> Result<Prediction, StudyError> {
        let mesh = self.template.face_through(&self.curves_at(values)?)?;
        Ok(Prediction { mesh, rms: self.fields.error(values) })
    }
}
