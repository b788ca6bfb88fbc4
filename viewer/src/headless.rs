//! Screenshots without a window or a display: off-screen on any graphics adapter (software Vulkan included),
//! otherwise with the library's own CPU renderer.

use crate::arguments::Camera;
use crate::scene;
use crate::source::Subject;
use kiss3d::prelude::*;
use std::path::Path;
use visard::report::render::{self, Image};

/// Renders the subject into a PNG file.
pub fn screenshot(
    subject: &Subject,
    camera: Camera,
    (width, height): (u32, u32),
    file: &Path,
    replace: bool,
) -> Result<(), String> {
    if file.exists() && !replace {
        return Err(format!("{} exists; use --force to replace it", file.display()));
    }
    let mut image = if has_adapter() {
        render_off_screen(subject, camera, width, height)
    } else if subject.mesh.triangles().is_empty() {
        return Err("no graphics adapter here, and bare points cannot be drawn without one".to_owned());
    } else {
        eprintln!(
            "note: no graphics adapter here; drawn with the built-in software renderer (square picture)"
        );
        let view = render::View { yaw: -camera.yaw_degrees(), pitch: 0.0, size: width.min(height) as usize };
        render::render(&subject.mesh, view, render::CLAY)
    };
    if subject.internal {
        band(&mut image);
    }
    let png = image.to_png().map_err(|e| e.to_string())?;
    visard::io::write_bytes(file, &png).map_err(|e| e.to_string())
}

/// Whether anything can draw: kiss3d panics without an adapter, so ask first.
pub fn has_adapter() -> bool {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends: wgpu::Backends::all(),
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    kiss3d::pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default())).is_ok()
}

fn render_off_screen(subject: &Subject, camera: Camera, width: u32, height: u32) -> Image {
    kiss3d::pollster::block_on(async {
        let mut surface = OffscreenSurface::new(width, height).await;
        surface.set_background_color(scene::BACKGROUND);
        surface.set_shadows_enabled(false);
        surface.set_samples(NumSamples::Four);
        surface.set_ambient(0.35);
        let mut nodes = scene::build(subject);
        let mut camera = scene::camera(camera.yaw_degrees());
        let picture = surface.render_image_3d(&mut nodes, &mut camera).await;
        Image { width: width as usize, height: height as usize, rgb: picture.into_raw() }
    })
}

/// A red band at the top of pictures of data that must not be published.
fn band(image: &mut Image) {
    let rows = (image.height / 18).max(4);
    for pixel in image.rgb[..3 * rows * image.width].chunks_exact_mut(3) {
        pixel.copy_from_slice(&[140, 29, 24]);
    }
}
