//! A surface to turn in the page: mesh, fields and curves packed into a few hundred kilobytes, drawn by
//! `assets/surface.js` with WebGL.
//!
//! Positions are rounded to 1/65535 of the surface's extent, far below what a screen shows and below the noise of any
//! release; fields to 1/255 of their scale. Everything shown is a function of what the caller gives, nothing else.

use super::chart::escape;
use super::colour::ColourScale;
pub use super::slider::Slider;
use super::slider::controls;
use super::visibility::sky_visibility;
use crate::mesh::{Point, TriMesh};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::json;
use std::fmt::Write as _;

/// A surface with what can be shown on it.
#[derive(Debug, Clone)]
pub struct SurfaceView {
    label: String,
    mesh: TriMesh,
    fields: Vec<(ColourScale, Vec<f64>)>,
    curves: Vec<Vec<Point>>,
    sliders: Vec<Slider>,
    frame: Vec<Point>,
    coloured: bool,
}

impl SurfaceView {
    /// A surface; `label` says what it is ("private average face"). x runs to the right, y up, z towards the viewer.
    pub fn new(label: impl Into<String>, mesh: TriMesh) -> Self {
        Self {
            label: label.into(),
            mesh,
            fields: Vec::new(),
            curves: Vec::new(),
            sliders: Vec::new(),
            frame: Vec::new(),
            coloured: false,
        }
    }

    /// Adds a scalar field, one value per vertex, to be shown in colours. A field of another length is left out.
    pub fn with_field(mut self, scale: ColourScale, values: &[f64]) -> Self {
        if values.len() == self.mesh.vertices().len() {
            self.fields.push((scale, values.to_vec()));
        }
        self
    }

    /// Shows the first field from the beginning, not the bare surface.
    pub fn coloured(mut self) -> Self {
        self.coloured = true;
        self
    }

    /// Leaves room for these points too: surfaces with one frame are shown at one scale.
    pub fn with_frame(mut self, points: &[Point]) -> Self {
        self.frame = points.to_vec();
        self
    }

    /// The cube that is shown.
    fn cube(&self) -> Cube {
        let points: Vec<Point> = self.mesh.vertices().iter().chain(&self.frame).copied().collect();
        Cube::around(&points)
    }

    /// Adds closed curves in space that can be drawn over the surface.
    pub fn with_curves(mut self, curves: Vec<Vec<Point>>) -> Self {
        self.curves = curves;
        self
    }

    /// Adds sliders that bend the surface, several at once if one likes. The mesh is the surface where all their factors are 0. A slider
    /// that does not fit the mesh is left out.
    pub fn with_sliders(mut self, sliders: Vec<Slider>) -> Self {
        let vertices = self.mesh.vertices().len();
        self.sliders.extend(sliders.into_iter().filter(|slider| slider.fits(vertices)));
        self
    }

    /// The figure's content: a canvas, its buttons, the colour bars and the packed data.
    pub(super) fn to_html(&self) -> String {
        let label = escape(&self.label);
        let mut html = format!(
            "<div class=\"stage\"><canvas tabindex=\"0\" role=\"img\" aria-label=\"{label}, a surface to turn: arrow keys turn it, plus and minus zoom, 0 resets\"></canvas></div>\
             <div class=\"controls\"><div role=\"group\" aria-label=\"View\">\
             <button type=\"button\" data-view=\"0,0\">front</button><button type=\"button\" data-view=\"40,5\">three-quarter</button>\
             <button type=\"button\" data-view=\"88,0\">profile</button><button type=\"button\" data-zoom=\"1.25\" aria-label=\"zoom in\">+</button>\
             <button type=\"button\" data-zoom=\"0.8\" aria-label=\"zoom out\">−</button></div>"
        );
        if !self.fields.is_empty() || !self.curves.is_empty() {
            html.push_str("<div role=\"group\" aria-label=\"Show\">");
            if !self.fields.is_empty() {
                html.push_str(
                    "<button type=\"button\" data-field=\"-1\" aria-pressed=\"true\">surface</button>",
                );
            }
            for (k, (scale, _)) in self.fields.iter().enumerate() {
                let _ = write!(
                    html,
                    "<button type=\"button\" data-field=\"{k}\"{} aria-pressed=\"false\">{}</button>",
                    if k == 0 && self.coloured { " data-first" } else { "" },
                    escape(&scale.name)
                );
            }
            if !self.curves.is_empty() {
                html.push_str("<button type=\"button\" data-curves aria-pressed=\"false\">curves</button>");
            }
            html.push_str("</div>");
        }
        html.push_str("</div>");
        html.push_str(&controls(&self.sliders));
        for (scale, _) in &self.fields {
            let _ = write!(
                html,
                "<div class=\"scale\" hidden>{}</div>",
                scale.bar().replacen("<svg", "<svg class=\"bar\"", 1)
            );
        }
        let _ = write!(
            html,
            "<script type=\"text/plain\" class=\"packed\" data-head=\"{}\">base64,{}</script>",
            escape(&self.head()),
            BASE64.encode(self.bytes())
        );
        html
    }

    /// What the program needs to unpack the data.
    fn head(&self) -> String {
        let palettes: Vec<Vec<[u8; 3]>> = self.fields.iter().map(|(s, _)| s.map.anchors().to_vec()).collect();
        let lengths: Vec<usize> = self.curves.iter().map(Vec::len).collect();
        let unit = self.cube().half;
        let sliders: Vec<serde_json::Value> = self.sliders.iter().map(|slider| slider.head(unit)).collect();
        json!({
            "vertices": self.mesh.vertices().len(),
            "triangles": self.mesh.triangles().len(),
            "wide": self.wide(),
            "palettes": palettes,
            "curves": lengths,
            "sliders": sliders,
        })
        .to_string()
    }

    fn wide(&self) -> bool {
        self.mesh.vertices().len() > usize::from(u16::MAX)
    }

    /// Little-endian: positions (3 u16 a vertex), curve points (the same), triangles (3 u16 or u32), sky visibility (u8 a
    /// vertex), fields (u8 a vertex each), displacements of sliders (3 i16 a vertex each). Padded to 4 bytes after the u16s.
    fn bytes(&self) -> Vec<u8> {
        let box_ = self.cube();
        let mut bytes = Vec::new();
        for p in self.mesh.vertices().iter().chain(self.curves.iter().flatten()) {
            box_.pack(p).iter().for_each(|c| bytes.extend(c.to_le_bytes()));
        }
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        for &i in self.mesh.triangles().iter().flatten() {
            // Narrow only where every index fits.
            if self.wide() {
                bytes.extend((i as u32).to_le_bytes())
            } else {
                bytes.extend((i as u16).to_le_bytes())
            }
        }
        bytes.extend(sky_visibility(&self.mesh, 60).iter().map(|s| (255.0 * s).round() as u8));
        for (scale, values) in &self.fields {
            bytes.extend(values.iter().map(|v| (255.0 * scale.place(*v)).round() as u8));
        }
        self.sliders.iter().for_each(|slider| slider.pack(&mut bytes));
        bytes
    }
}

/// The smallest cube around points, on which they are rounded.
struct Cube {
    centre: Point,
    half: f64,
}

impl Cube {
    fn around(points: &[Point]) -> Self {
        let (mut lo, mut hi) = (Point::origin(), Point::origin());
        if let Some(first) = points.first() {
            (lo, hi) = (*first, *first);
        }
        for p in points {
            (lo, hi) = (lo.coords.inf(&p.coords).into(), hi.coords.sup(&p.coords).into());
        }
        let half = (hi - lo).max() / 2.0;
        Self { centre: nalgebra::center(&lo, &hi), half: if half > 0.0 { half } else { 1.0 } }
    }

    fn pack(&self, p: &Point) -> [u16; 3] {
        std::array::from_fn(|k| {
            let t = 0.5 + 0.5 * (p[k] - self.centre[k]) / self.half;
            (t.clamp(0.0, 1.0) * f64::from(u16::MAX)).round() as u16
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_unpacks_to_within_a_step() {
        let v = vec![Point::new(-1.0, 0.0, 0.3), Point::new(1.0, 0.5, 0.0), Point::new(0.0, 1.7, 0.2)];
        let mesh = TriMesh::new(v.clone(), vec![[0, 1, 2]]).unwrap();
        let scale = ColourScale::magnitude("d", "mm", &[0.0, 1.0, 2.0]);
        let view = SurfaceView::new("a <face>", mesh)
            .with_curves(vec![v.clone()])
            .with_field(scale.clone(), &[0.0, 1.0, 2.0])
            .with_field(scale, &[1.0]);
        let bytes = view.bytes();
        // 6 points × 6 bytes = 36, no padding; 3 indices of 2 bytes; 3 + 3 bytes.
        assert_eq!(bytes.len(), 36 + 6 + 3 + 3);
        let cube = Cube::around(&v);
        for (p, packed) in v.iter().zip(bytes.chunks(6)) {
            for k in 0..3 {
                let c = f64::from(u16::from_le_bytes([packed[2 * k], packed[2 * k + 1]])) / 65535.0;
                let back = cube.centre[k] + cube.half * (2.0 * c - 1.0);
                assert!((back - p[k]).abs() <= cube.half / 65535.0);
            }
        }
        assert_eq!(bytes[36..42], [0, 0, 1, 0, 2, 0]);
        assert_eq!(bytes[45..], [0, 128, 255]);
        let html = view.to_html();
        assert!(
            html.contains("a &lt;face&gt;")
                && html.contains("data-field=\"0\"")
                && !html.contains("data-field=\"1\"")
        );
    }

    #[test]
    fn sliders_come_last_and_those_that_do_not_fit_not_at_all() {
        let v = vec![Point::new(-1.0, 0.0, 0.0), Point::new(1.0, 0.0, 0.0), Point::new(0.0, 1.0, 0.0)];
        let mesh = TriMesh::new(v, vec![[0, 1, 2]]).unwrap();
        let slider =
            |n: usize| Slider::along("mode 1", vec![crate::mesh::Vector::new(0.0, 0.0, 0.5); n], 3.0);
        let plain = SurfaceView::new("a face", mesh);
        let view = plain.clone().with_sliders(vec![slider(3), slider(2)]);
        assert_eq!(view.bytes().len(), plain.bytes().len() + 18);
        assert_eq!(view.bytes()[plain.bytes().len()..][..6], [0, 0, 0, 0, 255, 127]);
        let html = view.to_html();
        assert!(html.contains("data-slider=\"0\"") && !html.contains("data-slider=\"1\""));
        assert!(!plain.to_html().contains("data-reset"));
    }

    #[test]
    fn an_empty_surface_is_packed_too() {
        let html = SurfaceView::new("nothing", TriMesh::default()).to_html();
        assert!(html.contains("&quot;vertices&quot;:0") && html.contains("base64,<"));
    }
}
