//! What is drawn, as lists of triangles and lines, and a point that was picked on it.

use crate::geometry::Frame;
use crate::look::Look;
use crate::looking::measurements::Measurements;
use crate::material::{Paint, Style};
use crate::palette::BANDS;
use kiss3d::prelude::Vec3;
use visard::mesh::Point;
use visard::report::colour::ColourScale;

/// A line to draw.
#[derive(Debug, Clone)]
pub struct Stroke {
    /// Its points, in display coordinates.
    pub points: Vec<[f32; 3]>,
    /// sRGB in [0, 1].
    pub colour: [f64; 3],
    /// Width in pixels.
    pub width: f32,
    /// The normal of the surface it lies in, for lines of equal value: seen from that side only.
    pub facing: Option<[f32; 3]>,
}

/// All that is drawn, in display coordinates (half-diagonal one).
#[derive(Debug, Clone)]
pub struct Drawing {
    /// Vertices.
    pub positions: Vec<[f32; 3]>,
    /// Unit normals.
    pub normals: Vec<[f32; 3]>,
    /// How much of the sky each vertex sees, from 0 to 1.
    pub sky: Vec<f32>,
    /// Texture coordinates.
    pub uvs: Vec<[f32; 2]>,
    /// Triangles; those of a subject with triangles come in its order.
    pub triangles: Vec<[u32; 3]>,
    /// What the texture coordinates mean.
    pub paint: Paint,
    /// Both sides are lit alike.
    pub two_sided: bool,
    /// Edges to be drawn.
    pub wireframe: bool,
    /// Vertices to be drawn.
    pub points: bool,
    /// Lines.
    pub strokes: Vec<Stroke>,
    /// The borders of the band, seen through: the inner one first. Each has triangles of its own.
    pub shell: Vec<Drawing>,
    /// The colour bar.
    pub scale: Option<ColourScale>,
    /// Lines of equal value of the field.
    pub isolines: bool,
    /// Lies in a plane: it is moved and enlarged, not turned.
    pub flat: bool,
    /// Where subject coordinates went.
    pub frame: Frame,
    /// What the instruments say of it.
    pub measurements: Measurements,
    /// What is written over it: at which values of the covariates it is seen.
    pub caption: Option<String>,
    /// What the viewer should know, such as that the mesh was thinned.
    pub notices: Vec<String>,
}

impl Drawing {
    /// Nothing, in this frame.
    pub fn empty(frame: Frame) -> Self {
        Self {
            positions: Vec::new(),
            normals: Vec::new(),
            sky: Vec::new(),
            uvs: Vec::new(),
            triangles: Vec::new(),
            paint: Paint::Skin,
            two_sided: false,
            wireframe: false,
            points: false,
            strokes: Vec::new(),
            shell: Vec::new(),
            scale: None,
            isolines: false,
            flat: false,
            frame,
            measurements: Measurements::default(),
            caption: None,
            notices: Vec::new(),
        }
    }

    /// How its surface is drawn.
    pub fn style(&self) -> Style {
        let bands = if self.isolines { BANDS as f32 } else { 0.0 };
        Style { paint: self.paint, two_sided: self.two_sided, bands }
    }

    /// The normals as `face.wgsl` takes them: as long as the vertex sees of the sky, from 1/2 to 1.
    pub fn lit_normals(&self) -> impl Iterator<Item = [f32; 3]> {
        self.normals.iter().zip(&self.sky).map(|(n, sky)| n.map(|c| c * (0.5 + 0.5 * sky)))
    }

    /// A triangle, all at one place: next to nothing, that is drawn as everything is.
    pub fn triangle() -> Self {
        Self {
            positions: vec![[0.0; 3]; 3],
            normals: vec![[0.0, 0.0, 1.0]; 3],
            sky: vec![1.0; 3],
            uvs: vec![[0.0; 2]; 3],
            triangles: vec![[0, 1, 2]],
            ..Self::empty(Frame { centre: Point::origin(), scale: 1.0 })
        }
    }

    /// From where it is seen: what lies in a plane is not turned, and has a place of its own for the point that was made
    /// the centre.
    pub fn seen(&self, look: &Look, centre: Option<Pick>) -> Look {
        if !self.flat {
            return *look;
        }
        let pivot = centre.and_then(|c| c.point(self)).unwrap_or_default();
        Look { yaw: 0.0, pitch: 0.0, pivot: pivot.map(f64::from), ..*look }
    }
}

/// A picked point: a triangle and where in it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pick {
    /// Which triangle.
    pub triangle: usize,
    /// Weights of its corners.
    pub weights: [f32; 3],
}

impl Pick {
    /// The point on a drawing of the same triangles: what links a surface with its disk map.
    pub fn point(&self, drawing: &Drawing) -> Option<[f32; 3]> {
        let t = drawing.triangles.get(self.triangle)?;
        let mut sum = Vec3::ZERO;
        for (i, w) in t.iter().zip(self.weights) {
            sum += Vec3::from_array(*drawing.positions.get(*i as usize)?) * w;
        }
        Some(sum.to_array())
    }

    /// The corner nearest to it.
    pub fn vertex(&self, drawing: &Drawing) -> Option<usize> {
        let k = (0..3).max_by(|&a, &b| self.weights[a].total_cmp(&self.weights[b]))?;
        drawing.triangles.get(self.triangle).map(|t| t[k] as usize)
    }
}
