//! What is seen where: a mesh in screen coordinates, its depths, and which triangle is in front.

use crate::mesh::{Point, TriMesh, Vector};
use nalgebra::Rotation3;
use rayon::prelude::*;

/// From where a mesh is seen, and how large.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// Degrees the head turns, as in a [`View`](super::View).
    pub yaw: f64,
    /// Degrees the camera is raised.
    pub pitch: f64,
    /// The point in the middle of the picture.
    pub centre: Point,
    /// Pixels that a length of one takes.
    pub scale: f64,
    /// The picture's width in pixels.
    pub width: usize,
    /// Its height.
    pub height: usize,
}

/// How the surface is coloured.
#[derive(Debug, Clone, Copy)]
pub enum Colour<'a> {
    /// One material, sRGB in [0, 1].
    Plain([f64; 3]),
    /// sRGB per vertex, in [0, 1].
    PerVertex(&'a [[f64; 3]]),
    /// The same, faded where the second value of a vertex is below 0, with a dark line along the border of that part.
    Outlined(&'a [[f64; 3]], &'a [f64]),
}

/// Large pixels on a side of one of the picture.
pub(super) const SUPERSAMPLING: usize = 2;

/// What colours fade to, and how much of it there is then.
const FADED: ([f64; 3], f64) = ([0.88, 0.88, 0.87], 0.82);
/// The line along a border, and half its width in large pixels.
const LINE: ([f64; 3], f64) = ([0.10, 0.11, 0.14], 2.2);

/// Rows that are drawn together.
const BAND: usize = 64;

/// A mesh in screen coordinates: x to the right, y down, z towards the viewer, all in (large) pixels.
pub(super) struct Scene<'a> {
    /// Width and height in (large) pixels.
    pub size: [usize; 2],
    triangles: &'a [[usize; 3]],
    places: Vec<[f64; 3]>,
    /// Unit normals; x to the right, y up, z towards the viewer.
    normals: Vec<Vector>,
    colour: Colour<'a>,
}

/// A triangle on the screen.
struct Corners {
    of: [[f64; 3]; 3],
    per_area: f64,
}

/// A weight along a row of pixels.
struct Along {
    /// At the first pixel.
    left: f64,
    /// Per pixel.
    slope: f64,
}

impl Along {
    /// Those of some columns where it is not negative.
    fn within(&self, columns: std::ops::Range<usize>) -> std::ops::Range<usize> {
        let zero = -self.left / self.slope;
        // Conversions go to the nearest number that there is.
        if self.slope > 0.0 {
            let below = zero as usize;
            columns.start.max(below.saturating_add(usize::from(zero > below as f64)))..columns.end
        } else if self.slope < 0.0 {
            let end = if zero < 0.0 { 0 } else { (zero as usize).saturating_add(1) };
            columns.start..columns.end.min(end)
        } else if self.left < 0.0 {
            0..0
        } else {
            columns
        }
    }
}

/// What is seen at each (large) pixel.
pub(super) struct Seen {
    /// Below everything where nothing is seen. Singles: a thousandth of a pixel is enough.
    pub depth: Vec<f32>,
    /// The triangle; [`NOTHING`] where none is.
    pub owner: Vec<u32>,
}

/// No triangle.
pub(super) const NOTHING: u32 = u32::MAX;

impl Corners {
    /// None of a triangle that is seen from its edge.
    fn new(of: [[f64; 3]; 3]) -> Option<Self> {
        let [a, b, c] = of;
        let twice_area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        (twice_area.abs() >= 1e-12).then(|| Self { of, per_area: 1.0 / twice_area })
    }

    /// The weights of the corners at a place; all are positive inside.
    fn weights(&self, p: [f64; 2]) -> [f64; 3] {
        let edge = |u: [f64; 3], v: [f64; 3]| (v[0] - u[0]) * (p[1] - u[1]) - (v[1] - u[1]) * (p[0] - u[0]);
        let [a, b, c] = self.of;
        [edge(b, c) * self.per_area, edge(c, a) * self.per_area, edge(a, b) * self.per_area]
    }

    /// The weights along the middles of a row of pixels.
    fn row(&self, y: usize) -> [Along; 3] {
        let (left, gradients) = (self.weights(middle(&[0, y])), self.gradients());
        std::array::from_fn(|k| Along { left: left[k], slope: gradients[k][0] })
    }

    /// Of the weights, per pixel to the right and down.
    fn gradients(&self) -> [[f64; 2]; 3] {
        let gradient = |u: [f64; 3], v: [f64; 3]| [u[1] - v[1], v[0] - u[0]].map(|g| g * self.per_area);
        let [a, b, c] = self.of;
        [gradient(b, c), gradient(c, a), gradient(a, b)]
    }

    /// Pixels that it may cover along an axis, of those from `first` to before `end`.
    fn range(&self, axis: usize, first: usize, end: usize) -> std::ops::Range<usize> {
        let [a, b, c] = [self.of[0][axis], self.of[1][axis], self.of[2][axis]];
        let lo = a.min(b).min(c).floor().max(first as f64) as usize;
        let hi = a.max(b).max(c).ceil().clamp(-1.0, end as f64 - 1.0);
        lo..(hi + 1.0) as usize
    }
}

impl<'a> Scene<'a> {
    pub fn project(mesh: &'a TriMesh, camera: &Camera, colour: Colour<'a>) -> Self {
        let size = [camera.width, camera.height].map(|side| side * SUPERSAMPLING);
        let turn = Rotation3::from_axis_angle(&Vector::x_axis(), camera.pitch.to_radians())
            * Rotation3::from_axis_angle(&Vector::y_axis(), camera.yaw.to_radians());
        let scale = camera.scale * SUPERSAMPLING as f64;
        let half = size.map(|side| side as f64 / 2.0);
        let place = |p: &Point| {
            let v = turn * (p - camera.centre);
            [half[0] + scale * v.x, half[1] - scale * v.y, scale * v.z]
        };
        Self {
            size,
            triangles: mesh.triangles(),
            places: mesh.vertices().iter().map(place).collect(),
            normals: mesh.vertex_normals().iter().map(|n| turn * n).collect(),
            colour,
        }
    }

    fn corners(&self, triangle: u32) -> Option<Corners> {
        Corners::new(self.triangles[triangle as usize].map(|i| self.places[i]))
    }

    /// The nearest triangle at every pixel, the first of those that are as near.
    pub fn seen(&self) -> Seen {
        let [width, height] = self.size;
        let n = width * height;
        let mut seen = Seen { depth: vec![f32::NEG_INFINITY; n], owner: vec![NOTHING; n] };
        let rows = (BAND * width).max(1);
        let bands = seen.depth.par_chunks_mut(rows).zip(seen.owner.par_chunks_mut(rows));
        bands.enumerate().for_each(|(band, (depth, owner))| self.draw(band * BAND, depth, owner));
        seen
    }

    /// Draws what lies in the rows from `top`.
    fn draw(&self, top: usize, depth: &mut [f32], owner: &mut [u32]) {
        let width = self.size[0];
        let bottom = top + depth.len() / width.max(1);
        for t in 0..self.triangles.len() as u32 {
            let Some(corners) = self.corners(t) else { continue };
            let columns = corners.range(0, 0, width);
            let depths = corners.of.map(|corner| corner[2]);
            for y in corners.range(1, top, bottom) {
                let row = corners.row(y);
                let slope: f64 = row.iter().zip(depths).map(|(weight, z)| weight.slope * z).sum();
                let left: f64 = row.iter().zip(depths).map(|(weight, z)| weight.left * z).sum();
                for x in row.iter().fold(columns.clone(), |inside, weight| weight.within(inside)) {
                    let (z, at) = ((left + slope * x as f64) as f32, (y - top) * width + x);
                    if z > depth[at] {
                        (depth[at], owner[at]) = (z, t);
                    }
                }
            }
        }
    }

    /// The unit normal of the front, pointing away from the viewer where the back is seen, and the colour, in sRGB, of a triangle in the middle of
    /// some pixels.
    pub fn surface(&self, triangle: u32, pixels: &[[usize; 2]]) -> Option<(Vector, [f64; 3])> {
        let corners = self.corners(triangle)?;
        let t = self.triangles[triangle as usize];
        let mut sum = [0.0; 3];
        for place in pixels.iter().map(middle) {
            sum = [sum[0] + place[0], sum[1] + place[1], sum[2] + 1.0];
        }
        let w = corners.weights([sum[0] / sum[2], sum[1] / sum[2]]);
        let n = self.normals[t[0]] * w[0] + self.normals[t[1]] * w[1] + self.normals[t[2]] * w[2];
        // Counter-clockwise triangles show their front; y points down here.
        let side = if corners.per_area < 0.0 { 1.0 } else { -1.0 };
        let colour = match self.colour {
            Colour::Plain(c) => c,
            Colour::PerVertex(c) => blend(c, &t, w),
            // A line is narrow: its edges are smooth by the mean of all pixels.
            Colour::Outlined(c, level) => {
                let level = t.map(|i| level[i]);
                let mut mean = [0.0; 3];
                for place in pixels.iter().map(middle) {
                    let w = corners.weights(place);
                    let colour = outlined(blend(c, &t, w), level, w, corners.gradients());
                    mean = [0, 1, 2].map(|k| mean[k] + colour[k] / sum[2]);
                }
                mean
            }
        };
        Some((seen_from(n, side), colour))
    }
}

/// Of a pixel.
fn middle([x, y]: &[usize; 2]) -> [f64; 2] {
    [*x as f64 + 0.5, *y as f64 + 0.5]
}

/// The unit normal as it is lit. Along silhouettes an interpolated normal may look away although the triangle shows its front (side 1), or
/// towards the viewer although it shows its back (−1): lit by that, they would be flecked. Which side is seen is the triangle's to say.
fn seen_from(normal: Vector, side: f64) -> Vector {
    const GRAZING: f64 = 0.02;
    let n = normal.try_normalize(0.0).unwrap_or_else(|| Vector::z() * side);
    let z = side * (side * n.z).max(GRAZING);
    Vector::new(n.x, n.y, z).normalize()
}

/// The colour at weights w of a triangle.
fn blend(colours: &[[f64; 3]], t: &[usize; 3], w: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|k| t.iter().zip(w).map(|(&i, w)| colours[i][k] * w).sum::<f64>())
}

/// A colour as it is above level 0, faded below, or the line between.
fn outlined(colour: [f64; 3], levels: [f64; 3], w: [f64; 3], gradients: [[f64; 2]; 3]) -> [f64; 3] {
    let level: f64 = levels.iter().zip(w).map(|(l, w)| l * w).sum();
    let slope = [0, 1].map(|k| levels.iter().zip(gradients).map(|(l, g)| l * g[k]).sum::<f64>());
    if level.abs() < LINE.1 * slope[0].hypot(slope[1]) {
        LINE.0
    } else if level >= 0.0 {
        colour
    } else {
        [0, 1, 2].map(|k| FADED.1 * FADED.0[k] + (1.0 - FADED.1) * colour[k])
    }
}
