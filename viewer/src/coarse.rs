//! A coarser surface, for pictures that move: vertices of the whole one, so that all that is known at them stays what it is.

use crate::display_settings::DisplaySettings;
use crate::drawing::Drawing;
use crate::error::ViewerError;
use crate::geometry::{Frame, MOST_TRIANGLES, joined};
use crate::looking::slice;
use crate::modes::bends;
use crate::pane::morphed;
use crate::shell::shell;
use crate::subject::{Shape, Subject};
use visard::mesh::{TriMesh, Vector};

/// Surfaces of at most so many triangles have no coarser one: two cores draw them and a band of theirs in software 20 times a second.
pub const TRIANGLES: usize = 12_000;

/// Which vertices are left, and how they are joined.
#[derive(Debug, Clone, PartialEq)]
pub struct Coarse {
    triangles: Vec<[usize; 3]>,
    /// The vertex of the whole surface that each one is.
    source: Vec<usize>,
}

impl Coarse {
    /// A surface with fewer triangles, its edges where they were; `None` of what has few already, or more than are drawn at once.
    pub fn of(subject: &Subject) -> Option<Self> {
        let Shape::Surface(mesh) = &subject.shape else { return None };
        if mesh.triangles().len() <= TRIANGLES || mesh.triangles().len() > MOST_TRIANGLES {
            return None;
        }
        // A cell's first vertex stands for it: where there is an edge, one of the edge.
        let edge = on_edges(mesh);
        let (first, rest): (Vec<usize>, Vec<usize>) = (0..edge.len()).partition(|i| edge[*i]);
        // Vertices a unit of area are about 1.5 a cell's face, triangles twice as many.
        let scale = Frame::around(mesh.vertices()).scale;
        let area = (mesh.area() * scale * scale).max(1e-6);
        let cells = (TRIANGLES as f64 / (2.0 * area)).sqrt().clamp(10.0, 700.0);
        let (thin, source) = joined(mesh, TRIANGLES, (cells, 0.9), || first.iter().chain(&rest).copied());
        let normals = mesh.vertex_normals();
        let outwards = |(k, t): (usize, &[usize; 3])| {
            let normal: Vector = t.iter().map(|i| normals[source[*i]]).sum();
            // A fold smaller than a cell would show its back.
            if thin.area_vector(k).dot(&normal) < 0.0 { [t[0], t[2], t[1]] } else { *t }
        };
        let triangles = thin.triangles().iter().enumerate().map(outwards).collect();
        Some(Self { triangles, source })
    }

    /// A drawing of the whole surface with fewer triangles; `None` where it has other vertices.
    pub fn drawing(&self, whole: &Drawing, display: &DisplaySettings) -> Option<Drawing> {
        let gathered = |of: &Drawing| {
            Some(Drawing {
                positions: self.at(&of.positions)?,
                normals: self.at(&of.normals)?,
                sky: self.at(&of.sky)?,
                uvs: self.at(&of.uvs)?,
                triangles: self.triangles.iter().map(|t| t.map(|i| i as u32)).collect(),
                shell: Vec::new(),
                strokes: Vec::new(),
                notices: Vec::new(),
                scale: of.scale.clone(),
                measurements: of.measurements.clone(),
                caption: of.caption.clone(),
                ..*of
            })
        };
        let shell = whole.shell.iter().map(gathered).collect::<Option<_>>()?;
        let drawing = cut(Drawing { shell, ..gathered(whole)? }, display);
        Some(Drawing { strokes: whole.strokes.clone(), ..drawing })
    }

    /// What is drawn of the subject bent, grown or morphed otherwise than in a drawing of the whole, which gives it its colours; `None` where that
    /// has other vertices.
    ///
    /// # Errors
    /// [`ViewerError`]: why this subject cannot be shown so.
    pub fn bent(
        &self,
        subject: &Subject,
        display: &DisplaySettings,
        whole: &Drawing,
    ) -> Result<Option<Drawing>, ViewerError> {
        let Shape::Surface(mesh) = &subject.shape else { return Ok(None) };
        let Some(drawing) = self.drawing(whole, &DisplaySettings::default()) else { return Ok(None) };
        if drawing.flat {
            return Ok(Some(drawing));
        }
        // Modes move a vertex by itself; growth and other starts are those of the whole surface.
        let alone = display.at.is_empty() && display.morph >= 1.0;
        let whole = if alone { None } else { morphed(subject, mesh, display)? };
        let Some(places) = self.at(whole.as_ref().unwrap_or(mesh).vertices()) else { return Ok(None) };
        let mut thin = TriMesh::new(places, self.triangles.clone()).map_err(ViewerError::Morph)?;
        if alone && bends(&display.modes) {
            thin = subject.modes.at(&self.source).bend(&thin, &display.modes, &subject.name)?;
        }
        let frame = drawing.frame;
        let band = subject.band.as_ref().filter(|_| !drawing.shell.is_empty());
        let band = band.and_then(|band| Some(crate::band::Band::new(self.at(&band.half)?)));
        let bent = Drawing {
            positions: thin.vertices().iter().map(|p| frame.place(p)).collect(),
            normals: thin.vertex_normals().iter().map(|v| [v.x as f32, v.y as f32, v.z as f32]).collect(),
            shell: band.map_or_else(Vec::new, |band| shell(&band, &thin, &frame)),
            caption: subject.growth.as_ref().map(|growth| growth.caption(&display.at)),
            strokes: Vec::new(),
            ..drawing
        };
        Ok(Some(cut(bent, display)))
    }

    /// What stands at its vertices.
    fn at<T: Copy>(&self, values: &[T]) -> Option<Vec<T>> {
        self.source.iter().map(|i| values.get(*i).copied()).collect()
    }
}

fn cut(drawing: Drawing, display: &DisplaySettings) -> Drawing {
    match &display.instruments.slice {
        Some(plane) if !drawing.flat => slice::cut(drawing, plane),
        _ => drawing,
    }
}

/// Whether each vertex is on an edge of the surface. About any other, every neighbour is met twice: once after it in a triangle, once before.
fn on_edges(mesh: &TriMesh) -> Vec<bool> {
    let mut met = vec![0_u64; mesh.vertices().len()];
    // Spread, so that different neighbours do not cancel.
    let word = |i: usize| {
        (i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29).wrapping_mul(0xBF58_476D_1CE4_E5B9)
    };
    for t in mesh.triangles() {
        for k in 0..3 {
            met[t[k]] ^= word(t[(k + 1) % 3]) ^ word(t[(k + 2) % 3]);
        }
    }
    met.iter().map(|sum| *sum != 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::band::Band;
    use crate::fields::FieldName;
    use crate::looking::Instruments;
    use crate::modes::Modes;
    use crate::pane::draw;
    use crate::subject::Values;
    use visard::mesh::Point;
    use visard::study::standing::Standing;

    /// A wavy sheet of n × n vertices with a band, a mode and values.
    fn sheet(n: usize) -> Subject {
        let at = |i: usize| -1.0 + 2.0 * i as f64 / (n - 1) as f64;
        let height = |x: f64, y: f64| 0.3 * (5.0 * x).sin() * (4.0 * y).cos();
        let vertices: Vec<Point> =
            (0..n * n).map(|k| (at(k % n), at(k / n))).map(|(x, y)| Point::new(x, y, height(x, y))).collect();
        let cell = |k: usize| [[k, k + 1, k + n + 1], [k, k + n + 1, k + n]];
        let triangles = (0..n * (n - 1)).filter(|k| k % n < n - 1).flat_map(cell).collect();
        let mode = vertices.iter().map(|p| Vector::new(0.0, 0.1 * p.x, 0.2 * p.y)).collect();
        let values =
            Values { name: "v".into(), unit: String::new(), values: vertices.iter().map(|p| p.z).collect() };
        let mesh = TriMesh::new(vertices, triangles).unwrap();
        let mut subject = Subject::new("sheet", "sheet", Standing::Public, Shape::Surface(mesh));
        subject.band = Some(Band::new(vec![Vector::repeat(0.02); n * n]));
        subject.modes = Modes::new(vec![mode]);
        subject.values = Some(values);
        subject.light.set(vec![0.7; n * n]).unwrap();
        subject
    }

    fn shown() -> DisplaySettings {
        DisplaySettings { band: true, field: FieldName::Values, ..DisplaySettings::default() }
    }

    fn apart(p: &[f32; 3], q: &[f32; 3]) -> f32 {
        (0..3).map(|k| (p[k] - q[k]).powi(2)).sum::<f32>().sqrt()
    }

    /// The farthest that a point of the one is from the nearest of the other.
    fn farthest<'a>(from: impl Iterator<Item = &'a [f32; 3]>, to: &[&[f32; 3]]) -> f32 {
        from.map(|p| to.iter().map(|q| apart(p, q)).fold(f32::INFINITY, f32::min)).fold(0.0, f32::max)
    }

    #[test]
    fn a_coarse_drawing_has_few_triangles_and_the_frame_outline_and_colours_of_the_whole() {
        let n = 180;
        let subject = sheet(n);
        let coarse = Coarse::of(&subject).unwrap();
        let whole = draw(&subject, &shown()).unwrap();
        let drawn = coarse.drawing(&whole, &shown()).unwrap();
        let triangles = drawn.triangles.len();
        assert!((TRIANGLES / 2..=TRIANGLES).contains(&triangles) && whole.triangles.len() > 3 * triangles);
        assert_eq!((drawn.frame, drawn.paint, drawn.shell.len()), (whole.frame, whole.paint, 2));
        assert_eq!(drawn.shell[1].triangles, drawn.triangles);
        for (k, i) in coarse.source.iter().enumerate() {
            assert_eq!((drawn.positions[k], drawn.uvs[k]), (whole.positions[*i], whole.uvs[*i]));
            assert_eq!(drawn.shell[0].positions[k], whole.shell[0].positions[*i]);
        }
        // The edge within 3 % of half the diagonal, and the surface too.
        let rim = |i: &usize| [i % n, i / n].iter().any(|k| *k == 0 || *k == n - 1);
        let left: Vec<&[f32; 3]> =
            coarse.source.iter().filter(|i| rim(i)).map(|i| &whole.positions[*i]).collect();
        let edge = farthest((0..n * n).filter(rim).map(|i| &whole.positions[i]), &left);
        let all: Vec<&[f32; 3]> = drawn.positions.iter().collect();
        let surface = farthest(whole.positions.iter().step_by(17), &all);
        assert!(edge < 0.03 && surface < 0.03, "{edge} {surface}");
        let sum =
            |d: &Drawing| d.triangles.iter().map(|t| area(t.map(|i| d.positions[i as usize]))).sum::<f32>();
        assert!((sum(&drawn) / sum(&whole) - 1.0).abs() < 0.03, "{} {}", sum(&drawn), sum(&whole));
        // No triangle shows its back where the whole shows its front.
        let backs =
            drawn.triangles.iter().filter(|t| across(t.map(|i| drawn.positions[i as usize]))[2] < 0.0);
        assert_eq!(backs.count(), 0);
    }

    fn across([a, b, c]: [[f32; 3]; 3]) -> [f32; 3] {
        let [u, v] = [b, c].map(|p| [0, 1, 2].map(|k| p[k] - a[k]));
        [0, 1, 2].map(|k| u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3])
    }

    fn area(corners: [[f32; 3]; 3]) -> f32 {
        0.5 * apart(&across(corners), &[0.0; 3])
    }

    #[test]
    fn it_bends_with_the_modes_and_takes_its_band_along() {
        let subject = sheet(120);
        let coarse = Coarse::of(&subject).unwrap();
        let mean = draw(&subject, &shown()).unwrap();
        let display = DisplaySettings { modes: vec![1.5], ..shown() };
        let whole = draw(&subject, &display).unwrap();
        let bent = coarse.bent(&subject, &display, &mean).unwrap().unwrap();
        assert_eq!(bent.shell.len(), 2);
        for (k, i) in coarse.source.iter().enumerate() {
            assert_eq!((bent.positions[k], bent.uvs[k]), (whole.positions[*i], whole.uvs[*i]));
            let [a, b] = [bent.shell[1].positions[k], whole.shell[1].positions[*i]];
            // Normals of the coarser surface are others, most of all at its edge.
            assert!(apart(&a, &b) < 0.03, "{a:?} {b:?}");
        }
        assert_ne!(bent.positions, coarse.drawing(&mean, &shown()).unwrap().positions);
        // And back.
        let back = coarse.bent(&subject, &shown(), &whole).unwrap().unwrap();
        assert_eq!(back.positions, coarse.drawing(&mean, &shown()).unwrap().positions);
    }

    #[test]
    fn it_is_cut_where_the_whole_is_and_what_has_other_vertices_has_none() {
        let subject = sheet(120);
        let coarse = Coarse::of(&subject).unwrap();
        let instruments = Instruments { slice: Some("x:0".parse().unwrap()), ..Instruments::default() };
        let display = DisplaySettings { instruments, modes: vec![1.0], ..shown() };
        let whole = draw(&subject, &display).unwrap();
        for drawn in [coarse.drawing(&whole, &display), coarse.bent(&subject, &display, &whole).unwrap()] {
            let drawn = drawn.unwrap();
            let across = drawn.triangles.iter().filter(|t| t[0] != t[1]).flatten();
            assert!(across.map(|i| drawn.positions[*i as usize][0]).all(|x| x < 1e-5));
            assert!(drawn.strokes.iter().any(|stroke| stroke.points.len() > 20));
        }
        let other = draw(&sheet(30), &shown()).unwrap();
        assert!(coarse.drawing(&other, &shown()).is_none());
        assert!(Coarse::of(&sheet(30)).is_none(), "small enough");
        let cloud = Subject::new("c", "c", Standing::Public, Shape::Cloud(vec![Point::origin(); 9]));
        assert!(Coarse::of(&cloud).is_none());
        let flat = Subject::new("f", "f", Standing::Public, Shape::Surface(flat_and_folded()));
        let coarse = Coarse::of(&flat).unwrap();
        assert!(coarse.triangles.iter().flatten().all(|i| *i < coarse.source.len()));
    }

    /// Many triangles of no area, at one place.
    fn flat_and_folded() -> TriMesh {
        let triangles = (0..TRIANGLES + 1).map(|k| [k % 3, (k + 1) % 3, (k + 2) % 3]).collect();
        TriMesh::new(vec![Point::origin(); 3], triangles).unwrap()
    }
}
