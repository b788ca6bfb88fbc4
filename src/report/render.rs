//! A small software renderer: smooth-shaded meshes to PNG, with no display and no graphics card.

use crate::mesh::{Point, TriMesh, Vector};
use nalgebra::Rotation3;

/// An RGB image, rows from the top.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Width in pixels.
    pub width: usize,
    /// Height in pixels.
    pub height: usize,
    /// `3 * width * height` bytes, row by row from the top.
    pub rgb: Vec<u8>,
}

impl Image {
    /// The image as a PNG file's bytes.
    ///
    /// # Errors
    /// Whatever the encoder reports (an empty image).
    pub fn to_png(&self) -> Result<Vec<u8>, png::EncodingError> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.write_header()?.write_image_data(&self.rgb)?;
        Ok(bytes)
    }

    /// Several images of equal height side by side.
    pub fn beside(images: &[Image]) -> Image {
        let height = images.iter().map(|i| i.height).max().unwrap_or(0);
        let width = images.iter().map(|i| i.width).sum();
        let mut rgb = vec![255; 3 * width * height];
        let mut left = 0;
        for image in images {
            for row in 0..image.height {
                let to = 3 * (row * width + left);
                let from = 3 * row * image.width;
                rgb[to..to + 3 * image.width].copy_from_slice(&image.rgb[from..from + 3 * image.width]);
            }
            left += image.width;
        }
        Image { width, height, rgb }
    }
}

/// From where a mesh is seen: rotation about the vertical axis, then tilt, in degrees; the mesh's own
/// frame has x to the subject's left (the viewer's right), y up and z towards the viewer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct View {
    /// Degrees the head turns: 0 from the front, 90 shows its left profile turned to the viewer's left.
    pub yaw: f64,
    /// Degrees the camera is raised.
    pub pitch: f64,
    /// Image side in pixels.
    pub size: usize,
}

impl View {
    /// From the front.
    pub const FRONT: View = View { yaw: 0.0, pitch: 0.0, size: 480 };
    /// Three-quarter view.
    pub const THREE_QUARTER: View = View { yaw: 40.0, pitch: 5.0, size: 480 };
    /// In profile.
    pub const PROFILE: View = View { yaw: 88.0, pitch: 0.0, size: 480 };
}

/// How the surface is coloured.
#[derive(Debug, Clone, Copy)]
pub enum Colour<'a> {
    /// One material, sRGB in [0, 1].
    Plain([f64; 3]),
    /// sRGB per vertex, in [0, 1].
    PerVertex(&'a [[f64; 3]]),
}

/// Warm clay, the colour of faces in reports.
pub const CLAY: Colour<'static> = Colour::Plain([0.86, 0.71, 0.61]);

const SUPERSAMPLING: usize = 2;
const BACKGROUND: f64 = 0.97;

/// Draws a mesh in orthographic projection, fitted to the frame, on a near-white ground.
///
/// Normals are interpolated over the triangles; back faces are drawn darker.
pub fn render(mesh: &TriMesh, view: View, colour: Colour<'_>) -> Image {
    let big = view.size * SUPERSAMPLING;
    let turn = Rotation3::from_axis_angle(&Vector::x_axis(), view.pitch.to_radians())
        * Rotation3::from_axis_angle(&Vector::y_axis(), view.yaw.to_radians());
    let centre = bounding_centre(mesh);
    let turned: Vec<Vector> = mesh.vertices().iter().map(|p| turn * (p - centre)).collect();
    let normals: Vec<Vector> = mesh.vertex_normals().iter().map(|n| turn * n).collect();
    let extent = mesh.vertices().iter().map(|p| (p - centre).norm()).fold(1e-300, f64::max);
    let scale = 0.48 * big as f64 / extent;
    let half = big as f64 / 2.0;
    let screen: Vec<[f64; 3]> =
        turned.iter().map(|v| [half + scale * v.x, half - scale * v.y, scale * v.z]).collect();

    let mut depth = vec![f64::NEG_INFINITY; big * big];
    let mut pixels = vec![[BACKGROUND; 3]; big * big];
    for t in mesh.triangles() {
        let [a, b, c] = t.map(|i| screen[i]);
        let twice_area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        if twice_area.abs() < 1e-12 {
            continue;
        }
        let range = |k: usize| {
            let lo = a[k].min(b[k]).min(c[k]).floor().max(0.0) as usize;
            let hi = a[k].max(b[k]).max(c[k]).ceil().clamp(0.0, big as f64 - 1.0) as usize;
            lo..=hi
        };
        for y in range(1) {
            for x in range(0) {
                let p = [x as f64 + 0.5, y as f64 + 0.5];
                let edge =
                    |u: [f64; 3], v: [f64; 3]| (v[0] - u[0]) * (p[1] - u[1]) - (v[1] - u[1]) * (p[0] - u[0]);
                let w = [edge(b, c) / twice_area, edge(c, a) / twice_area, edge(a, b) / twice_area];
                if w.iter().any(|&w| w < 0.0) {
                    continue;
                }
                let z = w[0] * a[2] + w[1] * b[2] + w[2] * c[2];
                let at = y * big + x;
                if z <= depth[at] {
                    continue;
                }
                depth[at] = z;
                let n: Vector = t.iter().zip(w).map(|(&i, w)| normals[i] * w).sum();
                let base = match colour {
                    Colour::Plain(c) => c,
                    Colour::PerVertex(c) => {
                        [0, 1, 2].map(|k| t.iter().zip(w).map(|(&i, w)| c[i][k] * w).sum::<f64>())
                    }
                };
                pixels[at] = shade(n.try_normalize(0.0).unwrap_or_else(Vector::z), base);
            }
        }
    }
    downsample(&pixels, view.size)
}

fn bounding_centre(mesh: &TriMesh) -> Point {
    let (mut lo, mut hi) = (Vector::repeat(f64::INFINITY), Vector::repeat(f64::NEG_INFINITY));
    for p in mesh.vertices() {
        lo = lo.inf(&p.coords);
        hi = hi.sup(&p.coords);
    }
    if mesh.vertices().is_empty() { Point::origin() } else { Point::from((lo + hi) / 2.0) }
}

/// A key light from the upper left, a weak fill from the right, a little sheen; linear light, sRGB out.
fn shade(normal: Vector, base: [f64; 3]) -> [f64; 3] {
    let facing = normal.z >= 0.0;
    let n = if facing { normal } else { -normal };
    let key = Vector::new(-0.45, 0.55, 0.70).normalize();
    let fill = Vector::new(0.70, 0.05, 0.45).normalize();
    let half = (key + Vector::z()).normalize();
    let diffuse = 0.16 + 0.72 * n.dot(&key).max(0.0) + 0.22 * n.dot(&fill).max(0.0);
    let sheen = 0.10 * n.dot(&half).max(0.0).powi(28);
    let side = if facing { 1.0 } else { 0.45 };
    base.map(|c| (side * (c.powf(2.2) * diffuse + sheen)).clamp(0.0, 1.0).powf(1.0 / 2.2))
}

fn downsample(pixels: &[[f64; 3]], size: usize) -> Image {
    let big = size * SUPERSAMPLING;
    let mut rgb = Vec::with_capacity(3 * size * size);
    let samples = (SUPERSAMPLING * SUPERSAMPLING) as f64;
    for y in 0..size {
        for x in 0..size {
            let mut sum = [0.0; 3];
            for dy in 0..SUPERSAMPLING {
                for dx in 0..SUPERSAMPLING {
                    let pixel = pixels[(y * SUPERSAMPLING + dy) * big + x * SUPERSAMPLING + dx];
                    sum.iter_mut().zip(pixel).for_each(|(s, p)| *s += p);
                }
            }
            rgb.extend(sum.map(|s| (255.0 * s / samples).round() as u8));
        }
    }
    Image { width: size, height: size, rgb }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_square_fills_the_middle_and_leaves_the_corners() {
        let v = [[-1., -1.], [1., -1.], [1., 1.], [-1., 1.]].map(|[x, y]| Point::new(x, y, 0.0)).to_vec();
        let mesh = TriMesh::new(v, vec![[0, 1, 2], [0, 2, 3]]).unwrap();
        let image = render(&mesh, View { size: 64, ..View::FRONT }, CLAY);
        let at = |x: usize, y: usize| image.rgb[3 * (y * 64 + x)];
        assert!(at(32, 32) < 240 && at(1, 1) > 240);
        assert!(image.to_png().unwrap().starts_with(b"\x89PNG"));
    }
}
