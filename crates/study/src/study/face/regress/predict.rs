//! A face at given values of the covariates, from a release alone.

use super::super::error::StudyError;
use super::super::template::{TemplateSource, load_template};
use crate::estimate::Design;
use crate::function::FaceCurves;
use crate::io::{Limit, npy, open};
use crate::job::layout::{CERTIFICATE, FIELDS};
use crate::mesh::{MeshError, Point, TriMesh, Vector};
use crate::privacy::Certificate;
use crate::study::StudyFolder;
use crate::surface::Template;
use std::path::Path;

/// A released regression of faces, read back: everything in it has been published.
#[derive(Debug)]
pub struct RegressionRelease {
    design: Design,
    template: Template,
    mean: FaceCurves,
    fields: Vec<FaceCurves>,
    /// Expected root-mean-square errors: of the face at the reference values, then of every column.
    errors: Vec<f64>,
    certificate: Certificate,
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

/// Errors of the reference's face and of columns so often, as if they were independent.
fn added(errors: &[f64], row: &[f64]) -> f64 {
    let squares = errors.iter().zip(row).enumerate();
    squares.map(|(j, (e, x))| if j == 0 { e * e } else { (e * x).powi(2) }).sum::<f64>().sqrt()
}

impl RegressionRelease {
    /// From the folder of a release, or of its study; the template it was made about must be given again, unless it is the built-in one.
    ///
    /// # Errors
    /// [`StudyError`]: no release of a regression, files that do not fit together, another template.
    pub fn open(folder: &Path, template: &TemplateSource) -> Result<Self, StudyError> {
        let folder = StudyFolder::release_of(folder);
        let no = |what: &str| StudyError::Release(format!("{}: {what}", folder.display()));
        let text = open(&folder.join(CERTIFICATE), Limit::SMALL)?.text()?.to_owned();
        let certificate = Certificate::from_json(&text).map_err(|e| no(&e.to_string()))?;
        let details = &certificate.details;
        let design = details.get("covariates").cloned();
        let design =
            design.ok_or_else(|| no("is not the release of a regression (visard face regress makes one)"))?;
        let design: Design = serde_json::from_value(design).map_err(|e| no(&e.to_string()))?;
        let array = npy::read(&folder.join(FIELDS))?;
        let [count, curves, samples, 3] = array.shape[..] else {
            return Err(no("its fields are not an array (1 + columns, J, m, 3)"));
        };
        if count != design.columns() {
            return Err(no("its fields are not as many as the columns of its covariates"));
        }
        let loaded = load_template(template)?;
        if certificate.public_inputs.first() != Some(&loaded.input) {
            return Err(no("was made about another template; give that one with --template"));
        }
        let mut faces = array
            .data
            .chunks_exact(3 * curves * samples)
            .map(|face| FaceCurves::new(curves, samples, face.to_vec()))
            .collect::<Result<Vec<_>, _>>()?;
        let fields = faces.split_off(1);
        let mean = faces.pop().ok_or_else(|| no("its fields are empty"))?;
        let number = |value: Option<&serde_json::Value>| value.and_then(serde_json::Value::as_f64);
        let own = number(details.get("accuracy").and_then(|accuracy| accuracy.get("rms")));
        let stated = details.get("field_accuracy").and_then(serde_json::Value::as_array);
        let of_columns = stated.into_iter().flatten().map(|field| number(field.get("error_rms")));
        let errors = std::iter::once(own).chain(of_columns).collect::<Option<Vec<f64>>>();
        let errors = errors.filter(|errors| errors.len() == count);
        let errors = errors.ok_or_else(|| no("its certificate does not state the errors of its fields"))?;
        Ok(Self { design, template: loaded.template, mean, fields, errors, certificate })
    }

    /// The covariates.
    pub fn design(&self) -> &Design {
        &self.design
    }

    /// What it guarantees.
    pub fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    /// What the covariates do to every vertex, for faces at many values.
    pub fn displacements(&self) -> Displacements {
        let columns = self.fields.iter().map(|field| self.template.field_through(field)).collect();
        Displacements { design: self.design.clone(), columns, errors: self.errors.clone() }
    }

    /// The curves at these values, one a covariate; a missing one is at its reference. Values outside the bounds count as the bound.
    ///
    /// # Errors
    /// None for a release that could be read.
    pub fn curves_at(&self, values: &[Option<f64>]) -> Result<FaceCurves, StudyError> {
        let row = self.design.from_reference(values);
        let mut data = self.mean.data().to_vec();
        for (field, factor) in self.fields.iter().zip(row.iter().skip(1)) {
            data.iter_mut().zip(field.data()).for_each(|(x, f)| *x += factor * f);
        }
        Ok(FaceCurves::new(self.mean.curves(), self.mean.samples(), data)?)
    }

    /// The face at these values.
    ///
    /// # Errors
    /// As [`Self::curves_at`].
    pub fn at(&self, values: &[Option<f64>]) -> Result<Prediction, StudyError> {
        let row = self.design.from_reference(values);
        let mesh = self.template.face_through(&self.curves_at(values)?)?;
        Ok(Prediction { mesh, rms: added(&self.errors, &row) })
    }
}
