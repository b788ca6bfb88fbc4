//! A surface that changes and turns a little: an animated GIF.

use super::render::{CLAY, Extent, View, render_within};
use crate::mesh::TriMesh;
use rayon::prelude::*;

/// How a changing surface is shown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Animation {
    /// Side of the picture.
    pub pixels: usize,
    /// How far the head turns to either side, in degrees; once there and back while the surface changes there and back.
    pub turn: f64,
    /// How long a frame is shown, in hundredths of a second.
    pub delay: u16,
}

impl Default for Animation {
    fn default() -> Self {
        Self { pixels: 320, turn: 35.0, delay: 8 }
    }
}

/// Colours are looked for among every this many pixels: the encoder's own compromise between speed and quality.
const SPEED: i32 = 10;

/// The surfaces one after the other and back, over and over, all in the frame of the first.
///
/// # Errors
/// What the encoder reports, among it pictures of more than 65535 pixels a side.
pub fn animate(surfaces: &[TriMesh], animation: &Animation) -> Result<Vec<u8>, gif::EncodingError> {
    let side = u16::try_from(animation.pixels)
        .map_err(|_| gif::EncodingError::from(std::io::Error::other("the picture is too large")))?;
    let mut bytes = Vec::new();
    let mut encoder = gif::Encoder::new(&mut bytes, side, side, &[])?;
    encoder.set_repeat(gif::Repeat::Infinite)?;
    let Some(first) = surfaces.first() else {
        drop(encoder);
        return Ok(bytes);
    };
    let extent = Extent::around(first);
    // The ends are shown once: 0, 1, …, n − 1, …, 1.
    let back = surfaces.iter().rev().skip(1).take(surfaces.len().saturating_sub(2));
    let shown: Vec<&TriMesh> = surfaces.iter().chain(back).collect();
    let frame = |(i, mesh): (usize, &&TriMesh)| {
        let phase = std::f64::consts::TAU * i as f64 / shown.len() as f64;
        let view = View { yaw: animation.turn * phase.sin(), pitch: 3.0, size: animation.pixels };
        let image = render_within(mesh, view, CLAY, &extent);
        let mut frame = gif::Frame::from_rgb_speed(side, side, &image.rgb, SPEED);
        frame.delay = animation.delay;
        frame
    };
    let frames: Vec<gif::Frame<'_>> = shown.par_iter().enumerate().map(frame).collect();
    for frame in &frames {
        encoder.write_frame(frame)?;
    }
    drop(encoder);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Point;

    #[test]
    fn surfaces_go_there_and_back() {
        let mesh = |z: f64| {
            let v = vec![Point::new(0.0, 0.0, z), Point::new(1.0, 0.0, 0.0), Point::new(0.0, 1.0, 0.0)];
            TriMesh::new(v, vec![[0, 1, 2]]).unwrap()
        };
        let meshes: Vec<TriMesh> = (0..4).map(|i| mesh(0.1 * f64::from(i))).collect();
        let bytes = animate(&meshes, &Animation { pixels: 32, ..Animation::default() }).unwrap();
        let mut decoder = gif::DecodeOptions::new().read_info(&bytes[..]).unwrap();
        let mut frames = 0;
        while decoder.read_next_frame().unwrap().is_some() {
            frames += 1;
        }
        assert_eq!((decoder.width(), frames), (32, 6));
        assert!(animate(&[], &Animation::default()).unwrap().starts_with(b"GIF89a"));
        assert!(animate(&meshes, &Animation { pixels: 70_000, ..Animation::default() }).is_err());
    }
}
