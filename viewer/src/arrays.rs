//! Arrays beside a release's surface, of functions on it: (K, J, m, 3) on the curves of faces, or (K, V, 3) at the vertices of other surfaces.

use crate::template::{is_templates, template};
use std::path::Path;
use visard::function::FaceCurves;
use visard::io::npy;
use visard::mesh::{TriMesh, Vector};
use visard::study::layout::CURVES;

/// K functions on a surface.
#[derive(Debug, Clone, PartialEq)]
pub struct Functions {
    places: Places,
    /// The values of each function.
    pub functions: Vec<Vec<f64>>,
}

/// Where functions have their values.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Places {
    /// On J curves of m samples, each of faces of area 1.
    Curves(usize, usize),
    /// At the vertices, in the unit of the surface.
    Vertices,
}

impl Functions {
    /// Those of a file beside a surface: on curves only of the built-in template's triangles; `None` where there is no file. `what` they are is
    /// for messages.
    ///
    /// # Errors
    /// A sentence on why they cannot be used.
    pub fn beside(mean: &Path, name: &str, what: &str, mesh: &TriMesh) -> Result<Option<Self>, String> {
        let file = mean.with_file_name(name);
        if !file.exists() {
            return Ok(None);
        }
        let array = npy::read(&file).map_err(|e| e.to_string())?;
        let (said, vertices) = (file.display(), mesh.vertices().len());
        let places = match array.shape[..] {
            [_, curves, samples, 3] if is_templates(mesh) => Places::Curves(curves, samples),
            [_, _, _, 3] => {
                return Err(format!("{said}: the surface beside it is not of the built-in template"));
            }
            [_, there, 3] if there == vertices => Places::Vertices,
            _ => {
                return Err(format!(
                    "{said}: {what} are (K, J, m, 3) on curves or (K, {vertices}, 3) at the vertices, these are {:?}",
                    array.shape
                ));
            }
        };
        if array.data.iter().any(|x| !x.is_finite()) {
            return Err(format!("{said}: holds values that are not finite numbers"));
        }
        let numbers = array.shape[1..].iter().product::<usize>().max(1);
        let functions = array.data.chunks_exact(numbers).map(<[f64]>::to_vec).collect();
        Ok(Some(Self { places, functions }))
    }

    /// A function of these at the vertices of a mesh, in the mesh's own unit.
    ///
    /// # Errors
    /// A sentence on why it cannot be used.
    pub fn at_vertices(&self, values: Vec<f64>, mesh: &TriMesh) -> Result<Vec<Vector>, String> {
        let Places::Curves(curves, samples) = self.places else {
            return Ok(values.chunks_exact(3).map(Vector::from_column_slice).collect());
        };
        let template = template().map_err(|e| e.to_string())?;
        let curves = FaceCurves::new(curves, samples, values).map_err(|e| e.to_string())?;
        let unit = unit_length(mesh);
        Ok(template.field_through(&curves).into_iter().map(|v| v * unit).collect())
    }
}

/// What a length of 1 in a release is on the surface `mean` of it: faces, which have curves, are of area 1 unless they have a size; other surfaces
/// are in the unit of their template.
pub fn release_unit(mean: &Path, mesh: &TriMesh) -> f64 {
    if mean.with_file_name(CURVES).exists() { unit_length(mesh) } else { 1.0 }
}

/// What a length of 1 on a face of area 1 is on this mesh: releases are of faces of area 1, unless they have a size.
pub fn unit_length(mesh: &TriMesh) -> f64 {
    let area = mesh.area();
    if (area - 1.0).abs() < 0.1 { 1.0 } else { area.sqrt() }
}
