//! A small software renderer: smooth-shaded meshes to PNG, with no display and no graphics card.

use crate::mesh::{Point, TriMesh, Vector};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use rayon::prelude::*;
use scene::Scene;
pub use scene::{Camera, Colour};
use shade::Shading;

mod probes;
mod scene;
mod shade;
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
        encoder.set_compression(png::Compression::Fast);
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

/// Warm clay, the colour of faces in reports.
pub const CLAY: Colour<'static> = Colour::Plain([0.86, 0.71, 0.61]);

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

/// [`render`] by a camera, in a picture of any size. Working memory: some 50 bytes a pixel.
pub fn render_from(mesh: &TriMesh, camera: Camera, colour: Colour<'_>) -> Image {
    let scene = Scene::project(mesh, &camera, colour);
    let shading = Shading::new(&scene);
    let Camera { width, height, .. } = camera;
    let mut rgb = vec![0; 3 * width * height];
    rgb.par_chunks_mut((3 * width).max(1)).enumerate().for_each(|(y, row)| {
        for (x, pixel) in row.chunks_exact_mut(3).enumerate() {
            pixel.copy_from_slice(&shading.pixel(x, y));
        }
    });
    Image { width, height, rgb }
}

fn bounding_centre(mesh: &TriMesh) -> Point {
    let (mut lo, mut hi) = (Vector::repeat(f64::INFINITY), Vector::repeat(f64::NEG_INFINITY));
    for p in mesh.vertices() {
        lo = lo.inf(&p.coords);
        hi = hi.sup(&p.coords);
    }
    if mesh.vertices().is_empty() { Point::origin() } else { Point::from((lo + hi) / 2.0) }
}
