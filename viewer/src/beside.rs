//! What lies beside a mean's surface in its folder: its error, its curves, its modes. Damaged files keep nothing else from being shown.

use crate::arrays::{release_unit, unit_length};
use crate::band::Band;
use crate::credentials;
use crate::groups::{self, Start};
use crate::growth::Growth;
use crate::modes::Modes;
use crate::subject::Shape;
use crate::template::{is_templates, template};
use std::path::Path;
use visard::function::FaceCurves;
use visard::io::npy;
use visard::mesh::{Point, TriMesh};
use visard::study::layout::{BAND, CURVES, ERROR, FIELDS, MEAN_PLY, MODES_NPY, NONPRIVATE_CURVES};

/// What lies beside a mean's surface.
#[derive(Default)]
pub struct Beside {
    /// Root-mean-square error at each vertex.
    pub errors: Option<Vec<f64>>,
    /// The curves of the same mean.
    pub curves: Vec<Vec<Point>>,
    /// How faces differ.
    pub modes: Modes,
    /// Where the population's mean is, with 95 % probability.
    pub band: Option<Band>,
    /// Faces at other values of the covariates.
    pub growth: Option<Growth>,
    /// The mean of another group.
    pub start: Option<Start>,
}

impl Beside {
    /// All that can be used; of the rest a sentence each.
    pub fn of(file: &Path, mesh: &TriMesh, notices: &mut Vec<String>) -> Self {
        let released = file.file_name().is_some_and(|n| n == MEAN_PLY);
        let mut told = |found: Result<(), String>| notices.extend(found.err());
        // What was changed since its release is not used.
        let sound = |name: &str| credentials::altered(&file.with_file_name(name)).map_or(Ok(()), Err);
        let mut beside = Self::default();
        if groups::label(file).is_some() {
            told(Start::beside(file, mesh).map(|found| beside.start = found));
            return beside;
        }
        if released {
            let errors = sound(ERROR).and_then(|()| read_errors(file, mesh));
            told(errors.map(|found| beside.errors = found));
            let modes = sound(MODES_NPY).and_then(|()| Modes::beside(file, mesh));
            told(modes.map(|found| beside.modes = found.unwrap_or_default()));
            let growth = sound(FIELDS).and_then(|()| Growth::beside(file, mesh));
            told(growth.map(|found| beside.growth = found));
            let band = sound(BAND).and_then(|()| Band::beside(file, mesh));
            told(band.map(|found| beside.band = found));
        }
        let curves = if released { CURVES } else { NONPRIVATE_CURVES };
        let found = sound(curves).and_then(|()| read_curves(&file.with_file_name(curves), mesh));
        told(found.map(|found| beside.curves = found));
        beside
    }
}

/// The error at every vertex in the unit of the mesh, where the release has it.
fn read_errors(mean: &Path, mesh: &TriMesh) -> Result<Option<Vec<f64>>, String> {
    let vertices = mesh.vertices().len();
    let file = mean.with_file_name(ERROR);
    if !file.exists() {
        return Ok(None);
    }
    let array = npy::read(&file).map_err(|e| e.to_string())?;
    if array.shape != [vertices] {
        let [path, shape] = [file.display().to_string(), format!("{:?}", array.shape)];
        return Err(format!(
            "{path}: of shape {shape}, but the surface has {vertices} vertices; shown without it"
        ));
    }
    let unit = release_unit(mean, mesh);
    Ok(Some(array.data.into_iter().map(|error| unit * error).collect()))
}

/// The curves on the mesh, which has a size of its own where that was released; none where there is no file.
fn read_curves(file: &Path, mesh: &TriMesh) -> Result<Vec<Vec<Point>>, String> {
    if !file.exists() {
        return Ok(Vec::new());
    }
    let array = npy::read(file).map_err(|e| e.to_string())?;
    let curves = match Shape::from_array(&array.shape, &array.data) {
        Ok(Shape::Curves(curves)) => curves,
        Ok(_) => return Err(format!("{}: no curves (J, m, 3); shown without them", file.display())),
        Err(error) => return Err(format!("{}: {error}; shown without them", file.display())),
    };
    let unit = unit_length(mesh);
    if unit == 1.0 || !is_templates(mesh) {
        return Ok(curves);
    }
    // The face through the curves is a little smaller than 1: exactly as large as the mesh, or they would sink into it.
    let through = FaceCurves::new(array.shape[0], array.shape[1], array.data).map_err(|e| e.to_string())?;
    let own = template().map_err(|e| e.to_string())?.face_through(&through).map_err(|e| e.to_string())?;
    let scale = unit / own.area().sqrt();
    Ok(curves.iter().map(|curve| curve.iter().map(|p| p * scale).collect()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source;
    use visard::io::{write_npy, write_ply};
    use visard::privacy::{FileSum, Mu, PrivacyLoss, Statement};
    use visard::study::layout::CERTIFICATE;
    use visard::study::standing::Standing;
    use visard::synth::builtin_template;

    #[test]
    fn what_is_damaged_is_told_and_the_rest_is_shown() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        write_ply(&at(MEAN_PLY), builtin_template()).unwrap();
        let sound = source::load(&at(MEAN_PLY)).unwrap();
        assert!(sound.notices.is_empty() && sound.errors.is_none(), "{:?}", sound.notices);
        write_npy(&at(ERROR), &[7], &[0.1; 7]).unwrap();
        write_npy(&at(MODES_NPY), &[1, 2], &[0.0; 2]).unwrap();
        std::fs::write(at(CURVES), "no array").unwrap();
        let told = source::load(&at(MEAN_PLY)).unwrap();
        assert!(told.errors.is_none() && told.modes.is_empty() && told.curves.is_empty());
        for needle in [ERROR, MODES_NPY, CURVES] {
            assert!(told.notices.iter().any(|n| n.contains(needle)), "{needle}: {:?}", told.notices);
        }
        let n = builtin_template().vertices().len();
        assert!(told.notices.iter().any(|said| said.contains("[7]") && said.contains(&n.to_string())));
    }

    #[test]
    fn on_a_face_of_a_released_size_curves_lie_on_it_and_errors_have_its_unit() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        let template = template().unwrap();
        let curves = template.own_curves(5, 12).unwrap();
        let mesh = template.face_through(&curves).unwrap();
        let millimetres = mesh.vertices().iter().map(|p| p * 190.0).collect();
        write_ply(&at(MEAN_PLY), &mesh.with_vertices(millimetres).unwrap()).unwrap();
        write_npy(&at(CURVES), &[5, 12, 3], curves.data()).unwrap();
        let n = mesh.vertices().len();
        write_npy(&at(ERROR), &[n], &vec![0.01; n]).unwrap();
        let shown = source::load(&at(MEAN_PLY)).unwrap();
        let (first, there) = (shown.curves[0][0], &curves.data()[..3]);
        for k in 0..3 {
            assert!((first[k] - 190.0 * there[k]).abs() < 1e-3, "{first} {there:?}");
        }
        let error = shown.errors.unwrap()[0];
        assert!((error / 1.9 - 1.0).abs() < 0.02, "{error}");
    }

    /// Other surfaces than faces are in the unit of their template, and what is released of them is at their vertices.
    #[test]
    fn surfaces_without_curves_keep_their_unit() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        let corners = [[0.0, 0.0, 0.0], [40.0, 0.0, 0.0], [0.0, 40.0, 0.0], [0.0, 0.0, 40.0]];
        let corners = corners.iter().map(|[x, y, z]| Point::new(*x, *y, *z)).collect();
        let triangles = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
        write_ply(&at(MEAN_PLY), &TriMesh::new(corners, triangles).unwrap()).unwrap();
        write_npy(&at(ERROR), &[4], &[0.5; 4]).unwrap();
        let fields: Vec<f64> = (0..24).map(f64::from).collect();
        write_npy(&at(MODES_NPY), &[2, 4, 3], &fields).unwrap();
        let shown = source::load(&at(MEAN_PLY)).unwrap();
        assert!(shown.notices.is_empty(), "{:?}", shown.notices);
        assert_eq!((shown.errors.as_deref(), shown.modes.len()), (Some(&[0.5; 4][..]), 2));
        let Shape::Surface(mesh) = &shown.shape else { panic!("no surface") };
        let bent = shown.modes.bend(mesh, &[0.0, 1.0], "s").unwrap();
        assert_eq!(bent.vertices()[1] - mesh.vertices()[1], visard::mesh::Vector::new(15.0, 16.0, 17.0));
        write_npy(&at(MODES_NPY), &[2, 5, 3], &[0.0; 30]).unwrap();
        let told = source::load(&at(MEAN_PLY)).unwrap();
        assert!(told.modes.is_empty() && told.notices[0].contains("(K, 4, 3)"), "{:?}", told.notices);
    }

    #[test]
    fn what_was_changed_since_its_release_is_left_out() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        write_ply(&at(MEAN_PLY), builtin_template()).unwrap();
        let n = builtin_template().vertices().len();
        write_npy(&at(ERROR), &[n], &vec![0.1; n]).unwrap();
        let sums = [MEAN_PLY, ERROR].map(|name| FileSum::of_bytes(name, &std::fs::read(at(name)).unwrap()));
        let statement = Statement::new("m", 3, PrivacyLoss::Gaussian(Mu::new(1.0).unwrap()));
        let mut certificate = statement.certify().unwrap();
        certificate.files = sums.to_vec();
        std::fs::write(at(CERTIFICATE), certificate.to_json().unwrap()).unwrap();
        assert!(source::load(&at(MEAN_PLY)).unwrap().errors.is_some());
        write_npy(&at(ERROR), &[n], &vec![0.0; n]).unwrap();
        let shown = source::load(&at(MEAN_PLY)).unwrap();
        assert!(shown.errors.is_none() && shown.standing == Standing::Internal);
        assert!(
            shown.notices.iter().any(|n| n.contains(ERROR) && n.contains("SHA-256")),
            "{:?}",
            shown.notices
        );
        // And what was put beside it.
        write_npy(&at(CURVES), &[2, 4, 3], &[0.5; 24]).unwrap();
        assert!(source::load(&at(MEAN_PLY)).unwrap().curves.is_empty());
    }

    #[test]
    fn curves_stand_in_for_a_surface_that_cannot_be_read() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::write(at(MEAN_PLY), "ply\nformat ascii 1.0\n").unwrap();
        assert!(source::load(&at(MEAN_PLY)).is_err());
        write_npy(&at(CURVES), &[2, 4, 3], &(0..24).map(f64::from).collect::<Vec<_>>()).unwrap();
        let shown = source::load(&at(MEAN_PLY)).unwrap();
        assert!(matches!(shown.shape, Shape::Curves(_)) && shown.notices[0].contains(MEAN_PLY));
    }
}
