//! Arrays (K, J, m, 3) beside a release's surface, brought to its vertices.

use crate::template::{is_templates, template};
use std::path::Path;
use visard::function::FaceCurves;
use visard::io::npy;
use visard::mesh::{TriMesh, Vector};

/// K functions on J curves of m samples, each of faces of area 1.
#[derive(Debug, Clone, PartialEq)]
pub struct OnCurves {
    curves: usize,
    samples: usize,
    /// The values of each function, 3·J·m.
    pub functions: Vec<Vec<f64>>,
}

impl OnCurves {
    /// Those of a file beside a surface of the built-in template's triangles; `None` where there is no file. `what` they are is for messages.
    ///
    /// # Errors
    /// A sentence on why they cannot be used.
    pub fn beside(mean: &Path, name: &str, what: &str, mesh: &TriMesh) -> Result<Option<Self>, String> {
        let file = mean.with_file_name(name);
        if !file.exists() {
            return Ok(None);
        }
        let array = npy::read(&file).map_err(|e| e.to_string())?;
        let said = file.display();
        let [_, curves, samples, 3] = array.shape[..] else {
            return Err(format!("{said}: {what} are (K, J, m, 3), these are {:?}", array.shape));
        };
        if array.data.iter().any(|x| !x.is_finite()) {
            return Err(format!("{said}: holds values that are not finite numbers"));
        }
        if !is_templates(mesh) {
            return Err(format!("{said}: the surface beside it is not of the built-in template"));
        }
        let functions = array.data.chunks_exact((3 * curves * samples).max(1)).map(<[f64]>::to_vec).collect();
        Ok(Some(Self { curves, samples, functions }))
    }

    /// A function of these at the vertices of a mesh of the template's triangles, in the mesh's own unit.
    ///
    /// # Errors
    /// A sentence on why it cannot be used.
    pub fn at_vertices(&self, values: Vec<f64>, mesh: &TriMesh) -> Result<Vec<Vector>, String> {
        let template = template().map_err(|e| e.to_string())?;
        let curves = FaceCurves::new(self.curves, self.samples, values).map_err(|e| e.to_string())?;
        let unit = unit_length(mesh);
        Ok(template.field_through(&curves).into_iter().map(|v| v * unit).collect())
    }
}

/// What a length of 1 on a face of area 1 is on this mesh: releases are of faces of area 1, unless they have a size.
pub fn unit_length(mesh: &TriMesh) -> f64 {
    let area = mesh.area();
    if (area - 1.0).abs() < 0.1 { 1.0 } else { area.sqrt() }
}
