//! Released modes of variation: what one standard deviation of each does at every vertex, so that a face can be bent by several at once.

use crate::arrays::Functions;
use crate::error::ViewerError;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use std::path::Path;
use visard::mesh::{Point, TriMesh, Vector};
use visard::study::layout::MODES_NPY;

/// The farthest a mode is followed, in standard deviations; faces beyond are nobody's.
pub const REACH: f64 = 10.0;

/// A displacement of every vertex for each mode, in the mesh's own unit.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Modes {
    fields: Vec<Vec<Vector>>,
}

impl Modes {
    /// A displacement of every vertex for each mode, at one standard deviation, in the mesh's own unit.
    pub fn new(fields: Vec<Vec<Vector>>) -> Self {
        Self { fields }
    }

    /// Those of the release a mesh lies in; `None` where it has none.
    ///
    /// # Errors
    /// A sentence on why they cannot be used.
    pub fn beside(file: &Path, mesh: &TriMesh) -> Result<Option<Self>, String> {
        let Some(released) = Functions::beside(file, MODES_NPY, "modes", mesh)? else { return Ok(None) };
        let field = |mode: &Vec<f64>| released.at_vertices(mode.clone(), mesh);
        let fields = released.functions.iter().map(field).collect::<Result<_, _>>()?;
        Ok(Some(Self { fields }))
    }

    /// The same at these vertices alone.
    pub(crate) fn at(&self, vertices: &[usize]) -> Self {
        let at = |field: &Vec<Vector>| {
            vertices.iter().map(|i| field.get(*i).copied().unwrap_or_else(Vector::zeros)).collect()
        };
        Self { fields: self.fields.iter().map(at).collect() }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.fields.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// The mesh moved by so many standard deviations of each of the first modes.
    ///
    /// # Errors
    /// [`ViewerError::TooManyModes`]: more values than modes.
    pub fn bend(&self, mesh: &TriMesh, values: &[f64], subject: &str) -> Result<TriMesh, ViewerError> {
        if values.len() > self.len() {
            return Err(ViewerError::TooManyModes {
                subject: subject.to_owned(),
                asked: values.len(),
                there: self.len(),
            });
        }
        let mut moved: Vec<Point> = mesh.vertices().to_vec();
        for (field, value) in self.fields.iter().zip(values) {
            moved.iter_mut().zip(field).for_each(|(p, v)| *p += v * *value);
        }
        mesh.with_vertices(moved).map_err(ViewerError::Morph)
    }
}

/// Whether any mode is followed at all.
pub fn bends(values: &[f64]) -> bool {
    values.iter().any(|v| *v != 0.0)
}

/// Standard deviations of a synthetic face: independent standard normal values, the same for the same number.
pub fn sample(modes: usize, number: u64) -> Vec<f64> {
    let mut rng = ChaCha20Rng::seed_from_u64(number);
    // Uniform on (0, 1): 53 bits, and never 0.
    let mut uniform = || ((rng.next_u64() >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
    // Box and Muller (1958).
    let mut normal = || (-2.0 * uniform().ln()).sqrt() * (std::f64::consts::TAU * uniform()).cos();
    (0..modes).map(|_| (100.0 * normal()).round() / 100.0).collect()
}

/// The values as the command line takes them.
pub fn option(values: &[f64]) -> String {
    let last = values.iter().rposition(|v| *v != 0.0).map_or(0, |k| k + 1);
    let said: Vec<String> =
        values[..last].iter().map(|v| format!("{}", (100.0 * v).round() / 100.0)).collect();
    format!("--modes {}", if said.is_empty() { "0".to_owned() } else { said.join(",") })
}

#[cfg(test)]
mod tests {
    use super::*;
    use visard::io::write_npy;
    use visard::synth::builtin_template;

    /// The template in a folder with two modes: all of the face 0.1 along x, and 0.2 along y.
    fn folder() -> (tempfile::TempDir, std::path::PathBuf, TriMesh) {
        let dir = tempfile::tempdir().unwrap();
        let (curves, samples) = (5, 12);
        let along =
            |k: usize, by: f64| (0..3 * curves * samples).map(move |i| if i % 3 == k { by } else { 0.0 });
        let data: Vec<f64> = along(0, 0.1).chain(along(1, 0.2)).collect();
        write_npy(&dir.path().join(MODES_NPY), &[2, curves, samples, 3], &data).unwrap();
        let mesh = builtin_template();
        let root = mesh.area().sqrt();
        let unit = mesh.vertices().iter().map(|p| Point::from(p.coords / root)).collect();
        let file = dir.path().join("mean.ply");
        (dir, file, mesh.with_vertices(unit).unwrap())
    }

    #[test]
    fn several_modes_add_up_and_keep_to_the_unit_of_the_mesh() {
        let (_dir, file, mesh) = folder();
        let modes = Modes::beside(&file, &mesh).unwrap().unwrap();
        let bent = modes.bend(&mesh, &[2.0, -1.0], "s").unwrap();
        for (p, q) in mesh.vertices().iter().zip(bent.vertices()) {
            assert!((q - p - Vector::new(0.2, -0.2, 0.0)).norm() < 1e-9, "{:?}", q - p);
        }
        let large = builtin_template();
        let bent = Modes::beside(&file, large).unwrap().unwrap().bend(large, &[1.0], "s").unwrap();
        let moved = bent.vertices()[0] - large.vertices()[0];
        assert!((moved.x - 0.1 * large.area().sqrt()).abs() < 1e-9);
        let error = modes.bend(&mesh, &[0.0; 3], "s").unwrap_err().to_string();
        assert!(error.contains("2 modes") && error.contains('3'), "{error}");
    }

    #[test]
    fn what_cannot_be_used_says_why_and_no_modes_are_no_fault() {
        let (dir, file, mesh) = folder();
        assert!(Modes::beside(&dir.path().join("none/mean.ply"), &mesh).unwrap().is_none());
        let other = TriMesh::new(vec![Point::origin(); 3], vec![[0, 1, 2]]).unwrap();
        assert!(Modes::beside(&file, &other).unwrap_err().contains("template"));
        write_npy(&dir.path().join(MODES_NPY), &[2, 3], &[0.0; 6]).unwrap();
        assert!(Modes::beside(&file, &mesh).unwrap_err().contains("(K, J, m, 3)"));
        std::fs::write(dir.path().join(MODES_NPY), b"\x93NUMPY").unwrap();
        assert!(Modes::beside(&file, &mesh).is_err());
    }

    #[test]
    fn samples_are_standard_normal_and_come_back() {
        let many: Vec<f64> = (0..200).flat_map(|k| sample(50, k)).collect();
        let n = many.len() as f64;
        let mean = many.iter().sum::<f64>() / n;
        let variance = many.iter().map(|v| v * v).sum::<f64>() / n;
        // Six standard errors (1/√n, √(2/n)): a false alarm in 10⁸ seeds, and the seeds are fixed.
        assert!(
            mean.abs() < 6.0 / n.sqrt() && (variance - 1.0).abs() < 6.0 * (2.0 / n).sqrt(),
            "{mean} {variance}"
        );
        assert_eq!(sample(3, 9), sample(3, 9));
        assert_eq!(option(&[2.0, -1.004, 0.0]), "--modes 2,-1");
        assert_eq!(option(&[0.0]), "--modes 0");
    }
}
