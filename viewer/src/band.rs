//! The band of a release: how far the population's mean face may lie from the one that is shown.

use crate::arrays::{Functions, unit_length};
use crate::template::is_templates;
use std::path::Path;
use visard::mesh::{TriMesh, Vector};
use visard::report::colour::short;
use visard::study::layout::BAND;

/// Millimetres of √area on a face of 20 cm, which is about 1 high when its area is 1.
const FACE_MM: f64 = 200.0;

/// How far the band reaches to either side at every vertex, in each coordinate, in the unit of the mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct Band {
    pub(crate) half: Vec<Vector>,
}

impl Band {
    /// Half its width at every vertex, in each coordinate (at least 0), in the unit of the mesh.
    pub fn new(half: Vec<Vector>) -> Self {
        Self { half }
    }

    /// That of the release a mesh lies in; `None` where it has none.
    ///
    /// # Errors
    /// A sentence on why it cannot be used.
    pub fn beside(file: &Path, mesh: &TriMesh) -> Result<Option<Self>, String> {
        let Some(borders) = Functions::beside(file, BAND, "bands", mesh)? else { return Ok(None) };
        let [lower, upper] = &borders.functions[..] else {
            return Err(format!(
                "{}: a band has 2 borders, this has {}; shown without it",
                file.with_file_name(BAND).display(),
                borders.functions.len()
            ));
        };
        if lower.iter().zip(upper).any(|(l, u)| u < l) {
            return Err(format!(
                "{}: its lower border is above its upper one; shown without it",
                file.with_file_name(BAND).display()
            ));
        }
        let half = lower.iter().zip(upper).map(|(l, u)| 0.5 * (u - l)).collect();
        // A smooth function through values of at least 0 may swing a little below.
        let half = borders.at_vertices(half, mesh)?.into_iter().map(|v| v.sup(&Vector::zeros())).collect();
        Ok(Some(Self { half }))
    }

    /// How far it reaches along the normal at every vertex: what holds in all three coordinates at once holds in a direction with the
    /// sum of their shares.
    pub(crate) fn reach(&self, normals: &[Vector]) -> Vec<f64> {
        self.half.iter().zip(normals).map(|(half, n)| half.dot(&n.abs())).collect()
    }

    /// What it is and how wide, in a sentence on a subject of this name.
    pub fn describe(&self, subject: &str, mesh: &TriMesh) -> String {
        let reach = self.reach(&mesh.vertex_normals());
        let (unit, word, of) = if is_templates(mesh) {
            (FACE_MM / unit_length(mesh), " mm", ", on a face of 20 cm")
        } else {
            (1.0, "", ", in the surface's own unit")
        };
        let mean = unit * reach.iter().sum::<f64>() / reach.len().max(1) as f64;
        let most = unit * reach.iter().copied().fold(0.0, f64::max);
        format!(
            "{subject}: the band for the population's mean reaches {}{word} to either side on average, {}{word} at most (along the normal{of}); its \
             width is drawn about the surface that is shown, the band itself lies about the rougher mean before it was shrunk",
            short(mean),
            short(most)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::display_settings::DisplaySettings;
    use crate::drawing::Drawing;
    use crate::geometry::Frame;
    use crate::pane::draw;
    use crate::shell::shell;
    use crate::subject::{Shape, Subject};
    use visard::io::write_npy;
    use visard::study::standing::Standing;
    use visard::synth::builtin_template;

    /// The template in a folder with a band of these half widths in x, y and z everywhere.
    fn banded(half: [f64; 3]) -> (tempfile::TempDir, Result<Option<Band>, String>) {
        let dir = tempfile::tempdir().unwrap();
        let border = |side: f64| (0..3 * 5 * 12).map(move |i| 0.3 * (i as f64).sin() + side * half[i % 3]);
        let data: Vec<f64> = border(-1.0).chain(border(1.0)).collect();
        write_npy(&dir.path().join(BAND), &[2, 5, 12, 3], &data).unwrap();
        let band = Band::beside(&dir.path().join("mean.ply"), builtin_template());
        (dir, band)
    }

    #[test]
    fn borders_lie_as_far_along_the_normal_as_the_band_reaches() {
        let mesh = builtin_template();
        let band = banded([0.01, 0.02, 0.03]).1.unwrap().unwrap();
        let normals = mesh.vertex_normals();
        let root = mesh.area().sqrt();
        for (r, n) in band.reach(&normals).iter().zip(&normals) {
            let expected = root * (0.01 * n.x.abs() + 0.02 * n.y.abs() + 0.03 * n.z.abs());
            assert!((r - expected).abs() < 1e-9 * root, "{r} {expected}");
        }
        let subject = Subject::new("s", "s", Standing::Public, Shape::Surface(mesh.clone()));
        let subject = Subject { band: Some(band), ..subject };
        let drawn = draw(&subject, &DisplaySettings { band: true, ..DisplaySettings::default() }).unwrap();
        assert_eq!(drawn.shell.len(), 2);
        assert!(drawn.notices.iter().any(|n| n.contains("mm to either side")), "{:?}", drawn.notices);
        let nose = visard::synth::builtin_landmarks().nose_tip;
        let z = |d: &Drawing| d.positions[nose][2];
        assert!(z(&drawn.shell[0]) < z(&drawn) && z(&drawn) < z(&drawn.shell[1]));
        assert!(draw(&subject, &DisplaySettings::default()).unwrap().shell.is_empty());
    }

    #[test]
    fn a_band_of_no_width_has_no_shell_and_what_is_none_is_told() {
        let mesh = builtin_template();
        let none = banded([0.0; 3]).1.unwrap().unwrap();
        assert!(shell(&none, mesh, &Frame::around(mesh.vertices())).is_empty());
        assert!(banded([-0.01; 3]).1.unwrap_err().contains("lower border"));
        let (dir, _) = banded([0.0; 3]);
        write_npy(&dir.path().join(BAND), &[3, 5, 12, 3], &[0.0; 540]).unwrap();
        assert!(Band::beside(&dir.path().join("mean.ply"), mesh).unwrap_err().contains("2 borders"));
        let subject = Subject::new("s", "s", Standing::Public, Shape::Surface(mesh.clone()));
        let drawn = draw(&subject, &DisplaySettings { band: true, ..DisplaySettings::default() }).unwrap();
        assert!(drawn.shell.is_empty() && drawn.notices[0].contains(BAND), "{:?}", drawn.notices);
    }
}
