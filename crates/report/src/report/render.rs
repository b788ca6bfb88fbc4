//! A small software renderer: smooth-shaded meshes to PNG, with no display and no graphics card.

use crate::mesh::{Point, TriMesh, Vector};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use nalgebra::Rotation3;
use probes::{Probe, Probes, SPIRAL, subpixel};
use rayon::prelude::*;

mod probes;
#[cfg(test)]
mod tests;

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

    /// The same as an address that pages and drawings can name: all of it is inside.
    ///
    /// # Errors
    /// Whatever the encoder reports (an empty image).
    pub fn to_data_url(&self) -> Result<String, png::EncodingError> {
        Ok(format!("data:image/png;base64,{}", BASE64.encode(self.to_png()?)))
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

/// The part of space that fills a picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extent {
    /// Its middle.
    pub centre: Point,
    /// Distance from there that still fits, whatever the view.
    pub radius: f64,
}

impl Extent {
    /// All of a mesh, about the middle of its bounding box.
    pub fn around(mesh: &TriMesh) -> Self {
        let centre = bounding_centre(mesh);
        let radius = mesh.vertices().iter().map(|p| (p - centre).norm()).fold(1e-300, f64::max);
        Self { centre, radius }
    }
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

/// What colours fade to, and how much of it there is then.
const FADED: ([f64; 3], f64) = ([0.88, 0.88, 0.87], 0.82);
/// The line along a border, and half its width in large pixels.
const LINE: ([f64; 3], f64) = ([0.10, 0.11, 0.14], 2.2);

/// Warm clay, the colour of faces in reports.
pub const CLAY: Colour<'static> = Colour::Plain([0.86, 0.71, 0.61]);

const SUPERSAMPLING: usize = 2;
const BACKGROUND: f64 = 0.97;

/// Draws a mesh in orthographic projection, fitted to the frame, on a near-white ground.
///
/// Normals are interpolated over the triangles; back faces are drawn darker. Light comes from the sky, a key
/// light on the upper left and a weak fill on the right; hollows are darker, since less of the sky is seen from
/// them, and the key light casts soft shadows.
pub fn render(mesh: &TriMesh, view: View, colour: Colour<'_>) -> Image {
    render_within(mesh, view, colour, &Extent::around(mesh))
}

/// [`render`] with a given part of space in the frame, so that several meshes can be compared; what lies outside is cut off.
pub fn render_within(mesh: &TriMesh, view: View, colour: Colour<'_>, extent: &Extent) -> Image {
    let View { yaw, pitch, size } = view;
    let scale = 0.48 * size as f64 / extent.radius;
    render_from(mesh, Camera { yaw, pitch, centre: extent.centre, scale, width: size, height: size }, colour)
}

/// [`render`] by a camera, in a picture of any size. Working memory: 112 bytes a pixel.
pub fn render_from(mesh: &TriMesh, camera: Camera, colour: Colour<'_>) -> Image {
    let scene = Scene::project(mesh, &camera);
    let buffer = scene.rasterize(mesh, colour);
    let Camera { width, height, .. } = camera;
    let mut rgb = vec![0; 3 * width * height];
    rgb.par_chunks_mut((3 * width).max(1)).enumerate().for_each(|(y, row)| {
        for (x, pixel) in row.chunks_exact_mut(3).enumerate() {
            pixel.copy_from_slice(&buffer.pixel(x, y));
        }
    });
    Image { width, height, rgb }
}

/// From where a mesh is seen, and how large.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// Degrees the head turns, as in a [`View`].
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

/// A mesh in screen coordinates: x to the right, y down, z towards the viewer, all in (large) pixels.
struct Scene {
    /// Width and height in (large) pixels.
    size: [usize; 2],
    places: Vec<[f64; 3]>,
    /// Unit normals; x to the right, y up, z towards the viewer.
    normals: Vec<Vector>,
}

/// What is seen at each (large) pixel.
struct Buffer {
    /// Width and height.
    size: [usize; 2],
    /// Below everything where nothing is seen. Singles: a thousandth of a pixel is enough.
    depth: Vec<f32>,
    /// Of the surface's front; it points away from the viewer where the back is seen.
    normal: Vec<[f32; 3]>,
    base: Vec<[f32; 3]>,
    probes: Probes,
}

impl Scene {
    fn project(mesh: &TriMesh, camera: &Camera) -> Self {
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
            places: mesh.vertices().iter().map(place).collect(),
            normals: mesh.vertex_normals().iter().map(|n| turn * n).collect(),
        }
    }

    fn rasterize(&self, mesh: &TriMesh, colour: Colour<'_>) -> Buffer {
        let n = self.size[0] * self.size[1];
        let mut buffer = Buffer {
            size: self.size,
            depth: vec![f32::NEG_INFINITY; n],
            normal: vec![[0.0, 0.0, 1.0]; n],
            base: vec![[0.0; 3]; n],
            probes: Probes::new(self.size[0].min(self.size[1]), &key_light()),
        };
        for t in mesh.triangles() {
            self.draw(t, colour, &mut buffer);
        }
        buffer
    }

    fn draw(&self, t: &[usize; 3], colour: Colour<'_>, buffer: &mut Buffer) {
        let [a, b, c] = t.map(|i| self.places[i]);
        let twice_area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        if twice_area.abs() < 1e-12 {
            return;
        }
        let per_area = 1.0 / twice_area;
        // Of the weights w, per large pixel.
        let gradient = |u: [f64; 3], v: [f64; 3]| [u[1] - v[1], v[0] - u[0]].map(|g| g * per_area);
        let gradients = [gradient(b, c), gradient(c, a), gradient(a, b)];
        let range = |k: usize| {
            let lo = a[k].min(b[k]).min(c[k]).floor().max(0.0) as usize;
            let hi = a[k].max(b[k]).max(c[k]).ceil().clamp(0.0, self.size[k] as f64 - 1.0) as usize;
            lo..=hi
        };
        // Counter-clockwise triangles show their front; y points down here.
        let side = if twice_area < 0.0 { 1.0 } else { -1.0 };
        for y in range(1) {
            for x in range(0) {
                let p = [x as f64 + 0.5, y as f64 + 0.5];
                let edge =
                    |u: [f64; 3], v: [f64; 3]| (v[0] - u[0]) * (p[1] - u[1]) - (v[1] - u[1]) * (p[0] - u[0]);
                let w = [edge(b, c) * per_area, edge(c, a) * per_area, edge(a, b) * per_area];
                if w.iter().any(|&w| w < 0.0) {
                    continue;
                }
                let z = w[0] * a[2] + w[1] * b[2] + w[2] * c[2];
                let at = y * self.size[0] + x;
                if z as f32 <= buffer.depth[at] {
                    continue;
                }
                buffer.depth[at] = z as f32;
                let n: Vector = t.iter().zip(w).map(|(&i, w)| self.normals[i] * w).sum();
                buffer.normal[at] = seen_from(n, side);
                let base = match colour {
                    Colour::Plain(c) => c,
                    Colour::PerVertex(c) => blend(c, t, w),
                    Colour::Outlined(c, level) => outlined(blend(c, t, w), t.map(|i| level[i]), w, gradients),
                };
                buffer.base[at] = base.map(|c| c as f32);
            }
        }
    }
}

/// The unit normal as it is lit. Along silhouettes an interpolated normal may look away although the triangle shows its front (side 1), or
/// towards the viewer although it shows its back (−1): lit by that, they would be flecked. Which side is seen is the triangle's to say.
fn seen_from(normal: Vector, side: f64) -> [f32; 3] {
    const GRAZING: f64 = 0.02;
    let n = normal.try_normalize(0.0).unwrap_or_else(|| Vector::z() * side);
    let z = side * (side * n.z).max(GRAZING);
    let n = Vector::new(n.x, n.y, z).normalize();
    [n.x as f32, n.y as f32, n.z as f32]
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

impl Buffer {
    /// Depth where a probe from a pixel falls, if something is seen there.
    fn depth_at(&self, x: usize, y: usize, probe: &Probe) -> Option<f64> {
        let [width, height] = self.size;
        let x = x.checked_add_signed(probe.pixel[0]).filter(|x| *x < width)?;
        let y = y.checked_add_signed(probe.pixel[1]).filter(|y| *y < height)?;
        Some(self.depth[y * width + x]).filter(|z| *z > f32::NEG_INFINITY).map(f64::from)
    }

    /// A pixel of the picture: the mean of its large ones.
    fn pixel(&self, x: usize, y: usize) -> [u8; 3] {
        let mut sum = [0.0; 3];
        for k in 0..SUPERSAMPLING * SUPERSAMPLING {
            let [x, y] = [x * SUPERSAMPLING + k % SUPERSAMPLING, y * SUPERSAMPLING + k / SUPERSAMPLING];
            let seen = self.depth[y * self.size[0] + x] > f32::NEG_INFINITY;
            let colour = if seen { shade(self, x, y) } else { [BACKGROUND; 3] };
            sum.iter_mut().zip(colour).for_each(|(s, c)| *s += c);
        }
        sum.map(|s| (255.0 * s / (SUPERSAMPLING * SUPERSAMPLING) as f64).round() as u8)
    }

    /// The unit normal of the side that is seen, and whether that is the front.
    fn seen(&self, at: usize) -> (Vector, bool) {
        let n = Vector::from(self.normal[at].map(f64::from));
        if n.z >= 0.0 { (n, true) } else { (-n, false) }
    }

    /// Fraction of the sky that the neighbourhood hides, from 0 (open) to about 1 (a deep pit).
    ///
    /// Samples on a spiral in the screen, each weighted by the cosine at the normal and a falloff with distance.
    /// The four subpixels of a pixel turn the spiral differently.
    fn occlusion(&self, x: usize, y: usize) -> f64 {
        let at = y * self.size[0] + x;
        let (n, z, reach) = (self.seen(at).0, f64::from(self.depth[at]), self.probes.reach);
        let mut sum = 0.0;
        for probe in &self.probes.spirals[subpixel(x, y)] {
            if let Some(there) = self.depth_at(x, y, probe) {
                let v = Vector::new(probe.step[0], -probe.step[1], there - z);
                let length = v.norm().max(1e-9);
                let cosine = v.dot(&n) / length;
                if cosine > 0.04 {
                    sum += (cosine - 0.04) / (1.0 + (length / reach).powi(2));
                }
            }
        }
        2.6 * sum / SPIRAL as f64
    }

    /// How much of the key light arrives: marches towards it and measures by how wide an angle the surface
    /// rises over the way, so that edges of shadows are soft.
    fn light_arriving(&self, x: usize, y: usize, light: &Vector) -> f64 {
        const SOFTNESS: f64 = 0.16;
        let z = f64::from(self.depth[y * self.size[0] + x]);
        // Facets of a smooth surface must not shade one another.
        let facet = self.probes.facet;
        let mut open: f64 = 1.0;
        for probe in &self.probes.marches[subpixel(x, y)] {
            if let Some(there) = self.depth_at(x, y, probe) {
                let rise = (there - (z + probe.away * light.z) - facet) / probe.away;
                open = open.min(0.5 - 0.5 * rise / SOFTNESS);
            }
            if open <= 0.0 {
                return 0.0;
            }
        }
        let open = open.clamp(0.0, 1.0);
        open * open * (3.0 - 2.0 * open)
    }
}

fn bounding_centre(mesh: &TriMesh) -> Point {
    let (mut lo, mut hi) = (Vector::repeat(f64::INFINITY), Vector::repeat(f64::NEG_INFINITY));
    for p in mesh.vertices() {
        lo = lo.inf(&p.coords);
        hi = hi.sup(&p.coords);
    }
    if mesh.vertices().is_empty() { Point::origin() } else { Point::from((lo + hi) / 2.0) }
}

fn key_light() -> Vector {
    Vector::new(-0.48, 0.58, 0.66).normalize()
}

/// Sky, key light from the upper left, fill from the right, a little sheen; linear light, sRGB out.
fn shade(buffer: &Buffer, x: usize, y: usize) -> [f64; 3] {
    let at = y * buffer.size[0] + x;
    let (n, facing) = buffer.seen(at);
    let base = buffer.base[at].map(f64::from);
    let key = key_light();
    let fill = Vector::new(0.75, 0.05, 0.42).normalize();
    let half = (key + Vector::z()).normalize();
    let open = (1.0 - buffer.occlusion(x, y)).max(0.0);
    // Skin scatters light past the edge of its own shade: the cosine wraps a little beyond a right angle.
    let wrapped = ((n.dot(&key) + 0.12) / 1.12).max(0.0);
    let arriving = if facing && wrapped > 0.0 { buffer.light_arriving(x, y, &key) } else { 1.0 };
    let sky = 0.20 + 0.10 * n.y;
    let fill_light = 0.17 * n.dot(&fill).max(0.0);
    let diffuse = open * (sky + fill_light) + (0.4 + 0.6 * open) * arriving * 0.80 * wrapped;
    let sheen = 0.07 * arriving * open * n.dot(&half).max(0.0).powi(24);
    let side = if facing { 1.0 } else { 0.45 };
    // What bounces in hollows takes the surface's own colour: red light dies less than blue.
    let glow = [0.030, 0.012, 0.006].map(|c| c * (1.0 - open.min(1.0)) * 1.5);
    // Powers in single precision: a picture has 256 steps.
    std::array::from_fn(|k| {
        let linear = f64::from(buffer.base[at][k].powf(2.2)) * diffuse + sheen + glow[k] * base[k];
        f64::from(((side * linear) as f32).clamp(0.0, 1.0).powf(1.0 / 2.2))
    })
}
