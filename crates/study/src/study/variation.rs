//! How a released shape changes: its modes of variation, and the ends of its covariates, at the vertices or landmarks of its mean. Reads a release
//! and nothing else.

use super::face::{TemplateSource, load_template};
use super::layout::{FIELDS, MODES_NPY};
use super::subject::Subject;
use crate::estimate::Design;
use crate::estimate::design::Kind;
use crate::function::FaceCurves;
use crate::io::{Way, npy};
use crate::job::standing::altered;
use crate::mesh::Vector;
use crate::study::StudyFolder;
use std::path::Path;

/// A released mean, and how it changes.
#[derive(Debug, Clone)]
pub struct Variation {
    /// Modes of variation, one standard deviation each, called `mode 1` and on.
    pub modes: Vec<Way>,
    /// For each covariate the ways from the mean at the reference values to its lower and upper bound, or to each of its levels; called as in
    /// `age=8` and `sex=F`.
    pub ends: Vec<Way>,
    /// Why modes or fields that are there could not be used.
    pub passed_over: Option<String>,
}

impl Variation {
    /// That of a release, or of its study, whose surface or landmarks are `subject`; all empty for what is no release. The template is needed for
    /// faces only.
    pub fn of(name: &Path, subject: &Subject, template: &TemplateSource) -> Self {
        let mut found = Self { modes: vec![], ends: vec![], passed_over: None };
        if !name.is_dir() || subject.certificate.is_none() {
            return found;
        }
        let release = StudyFolder::release_of(name);
        let reader = Reader { release: &release, subject, template };
        match reader.modes().and_then(|modes| Ok((modes, reader.ends()?))) {
            Ok((modes, ends)) => (found.modes, found.ends) = (modes, ends),
            Err(why) => found.passed_over = Some(why),
        }
        found
    }
}

/// Reads arrays of one release onto the vertices of its mean.
struct Reader<'a> {
    release: &'a Path,
    subject: &'a Subject,
    template: &'a TemplateSource,
}

impl Reader<'_> {
    fn modes(&self) -> Result<Vec<Way>, String> {
        let moves = self.moves(MODES_NPY)?;
        Ok(moves
            .into_iter()
            .enumerate()
            .map(|(k, moves)| Way { name: format!("mode {}", k + 1), moves })
            .collect())
    }

    fn ends(&self) -> Result<Vec<Way>, String> {
        let mut columns = self.moves(FIELDS)?;
        if columns.is_empty() {
            return Ok(vec![]);
        }
        columns.remove(0);
        let details = self.subject.certificate.as_ref().map(|c| &c.details);
        let design = details.and_then(|details| details.get("covariates")).cloned().unwrap_or_default();
        let design: Design = serde_json::from_value(design).map_err(|e| format!("covariates: {e}"))?;
        if design.columns() != columns.len() + 1 {
            return Err(format!("{FIELDS} does not have the columns of the covariates"));
        }
        let mut ends = Vec::new();
        for (k, covariate) in design.covariates().iter().enumerate() {
            let at = |value: f64, told: String| {
                let mut values = vec![None; design.covariates().len()];
                values[k] = Some(value);
                let row = design.from_reference(&values);
                Way { name: format!("{}={told}", covariate.name), moves: summed(&columns, &row[1..]) }
            };
            match &covariate.kind {
                Kind::Linear { lower, upper } | Kind::Spline { lower, upper, .. } => {
                    ends.extend([*lower, *upper].map(|value| at(value, rounded(value).to_string())));
                }
                Kind::Levels { levels } => {
                    ends.extend(
                        levels.iter().enumerate().map(|(i, level)| at(covariate.level(i), level.clone())),
                    );
                }
            }
        }
        Ok(ends)
    }

    /// The functions of a file at the vertices, in the unit of the mean; none where there is no file.
    fn moves(&self, name: &str) -> Result<Vec<Vec<Vector>>, String> {
        let (file, n) = (self.release.join(name), self.subject.mesh.vertices().len());
        if !file.exists() {
            return Ok(vec![]);
        }
        if let Some(why) = altered(&file) {
            return Err(why);
        }
        let array = npy::read(&file).map_err(|e| e.to_string())?;
        if array.data.iter().any(|x| !x.is_finite()) {
            return Err(format!("{name} holds values that are not finite numbers"));
        }
        let unit = self.subject.length_of_one();
        match array.shape[..] {
            [_, there, d @ (2 | 3)] if there == n && there > 0 => {
                let vector =
                    |row: &[f64]| unit * Vector::new(row[0], row[1], row.get(2).copied().unwrap_or(0.0));
                let of = |function: &[f64]| function.chunks_exact(d).map(vector).collect();
                Ok(array.data.chunks_exact(d * n).map(of).collect())
            }
            [_, curves, samples, 3] => self.through_template(&array.data, [curves, samples], unit),
            ref shape => {
                Err(format!("{name} has the shape {shape:?}, which does not fit the mean's {n} vertices"))
            }
        }
    }

    fn through_template(
        &self,
        data: &[f64],
        shape: [usize; 2],
        unit: f64,
    ) -> Result<Vec<Vec<Vector>>, String> {
        let [curves, samples] = shape;
        let loaded = load_template(self.template).map_err(|e| e.to_string())?;
        let inputs = self.subject.certificate.iter().flat_map(|c| &c.public_inputs);
        if !inputs.into_iter().any(|input| input.sha256 == loaded.input.sha256) {
            return Err("the release was made with another template: name it with --template".to_owned());
        }
        let of = |function: &[f64]| {
            let values = FaceCurves::new(curves, samples, function.to_vec()).map_err(|e| e.to_string())?;
            Ok(loaded.template.field_through(&values).into_iter().map(|v| unit * v).collect())
        };
        data.chunks_exact((3 * curves * samples).max(1)).map(of).collect()
    }
}

/// To four digits after the point, for names.
fn rounded(value: f64) -> f64 {
    (1e4 * value).round() / 1e4
}

/// Σ factorⱼ columnⱼ.
fn summed(columns: &[Vec<Vector>], factors: &[f64]) -> Vec<Vector> {
    let mut sum = vec![Vector::zeros(); columns.first().map_or(0, Vec::len)];
    for (column, factor) in columns.iter().zip(factors) {
        sum.iter_mut().zip(column).for_each(|(s, v)| *s += *factor * v);
    }
    sum
}
