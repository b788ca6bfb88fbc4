//! What lies beside a mean's surface in its folder: its error, its curves, its modes. Damaged files keep nothing else from being shown.

use crate::band::Band;
use crate::error::ViewerError;
use crate::groups::{self, Start};
use crate::growth::Growth;
use crate::modes::Modes;
use crate::source::{self, Shape, Subject, shape_of_array};
use std::path::Path;
use visard::io::npy;
use visard::mesh::{Point, TriMesh};
use visard::study::layout::{CURVES, ERROR, MEAN_PLY, NONPRIVATE_CURVES};

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
        let mut beside = Self::default();
        if released {
            told(read_errors(file, mesh.vertices().len()).map(|found| beside.errors = found));
            told(Modes::beside(file, mesh).map(|found| beside.modes = found.unwrap_or_default()));
            told(Growth::beside(file, mesh).map(|found| beside.growth = found));
            told(Band::beside(file, mesh).map(|found| beside.band = found));
        }
        if groups::label(file).is_some() {
            told(Start::beside(file, mesh).map(|found| beside.start = found));
            return beside;
        }
        let curves = file.with_file_name(if released { CURVES } else { NONPRIVATE_CURVES });
        if curves.exists() {
            told(read_curves(&curves).map(|found| beside.curves = found));
        }
        beside
    }

    /// The curves of a release whose surface cannot be read.
    pub fn in_place_of(mean: &Path, why: &ViewerError) -> Option<Subject> {
        let curves = source::load(&mean.with_file_name(CURVES)).ok()?;
        let said = format!("{why}; its curves are shown in its place");
        Some(Subject { notices: [vec![said], curves.notices].concat(), ..curves })
    }
}

/// The error at every vertex, where the release has it.
fn read_errors(mean: &Path, vertices: usize) -> Result<Option<Vec<f64>>, String> {
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
    Ok(Some(array.data))
}

fn read_curves(file: &Path) -> Result<Vec<Vec<Point>>, String> {
    let array = npy::read(file).map_err(|e| e.to_string())?;
    match shape_of_array(&array.shape, &array.data) {
        Ok(Shape::Curves(curves)) => Ok(curves),
        Ok(_) => Err(format!("{}: no curves (J, m, 3); shown without them", file.display())),
        Err(error) => Err(format!("{}: {error}; shown without them", file.display())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use visard::io::{write_npy, write_ply};
    use visard::study::layout::MODES_NPY;
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
