//! Drawing without any graphics adapter: surfaces by the reports' own renderer, lines and points by hand.

use crate::drawing::Drawing;
use crate::glass;
use crate::look::Look;
use crate::looking;
use crate::material::Paint;
use crate::stage::GROUND;
use visard::mesh::{Point, TriMesh};
use visard::report::render::{CLAY, Camera, Colour, Image, render_from};

/// One picture, framed as on a graphics card.
pub fn picture(drawing: &Drawing, look: &Look, width: u32, height: u32) -> Image {
    let look = drawing.seen(look, None);
    let view = looking::View::new(look, f64::from(width), f64::from(height));
    let (w, h) = (width as usize, height as usize);
    let mut image = match drawing.triangles.is_empty() {
        true => Image::filled(w, h, [(255.0 * GROUND).round() as u8; 3]),
        false => surface(drawing, &look, &view, w, h),
    };
    if !drawing.shell.is_empty() {
        glass::over(&mut image, drawing, &view);
    }
    let away = |normal: [f32; 3]| view.turned(normal)[2] <= 0.0;
    for stroke in drawing.strokes.iter().filter(|stroke| !stroke.facing.is_some_and(away)) {
        let colour = stroke.colour.map(|c| (255.0 * c).round() as u8);
        let placed: Vec<[f64; 2]> = stroke.points.iter().map(|p| view.place(*p)).collect();
        for pair in placed.windows(2) {
            image.line(pair[0], pair[1], f64::from(stroke.width), colour);
        }
    }
    image
}

fn surface(drawing: &Drawing, look: &Look, view: &looking::View, width: usize, height: usize) -> Image {
    let place = |p: &[f32; 3]| Point::new(f64::from(p[0]), f64::from(p[1]), f64::from(p[2]));
    let vertices = drawing.positions.iter().map(place).collect();
    let triangles = drawing.triangles.iter().map(|t| t.map(|i| i as usize)).collect();
    let Ok(mesh) = TriMesh::new(vertices, triangles) else {
        return Image::filled(width, height, [(255.0 * GROUND).round() as u8; 3]);
    };
    // The point that stands in the middle of the picture.
    let middle = look.pivot() - look.rotation().inverse() * look.shift();
    let camera = Camera {
        yaw: look.yaw,
        pitch: look.pitch,
        centre: place(&middle.to_array()),
        scale: view.pixels(),
        width,
        height,
    };
    match drawing.paint {
        Paint::Skin => render_from(&mesh, camera, CLAY),
        paint => {
            let colours: Vec<[f64; 3]> = drawing.uvs.iter().map(|uv| colour(paint, *uv)).collect();
            render_from(&mesh, camera, Colour::PerVertex(&colours))
        }
    }
}

/// The shader's colours, vertex by vertex.
fn colour(paint: Paint, [u, v]: [f32; 2]) -> [f64; 3] {
    let (u, v) = (f64::from(u), f64::from(v));
    let clay = [0.86, 0.71, 0.61];
    match paint {
        Paint::Skin | Paint::Shell => clay,
        Paint::Field(map) => map.at(if u < 0.0 { f64::NAN } else { u }),
        Paint::Checkerboard => {
            let odd = ((10.0 * u + 0.5).floor() + (10.0 * v + 0.5).floor()) as i64 & 1;
            if odd == 0 { [0.96, 0.94, 0.90] } else { [0.16, 0.34, 0.52] }
        }
        Paint::PolarGrid => {
            let near = |x: f64| (x - x.round()).abs();
            let ring = near(10.0 * u.hypot(v)) < 0.08;
            let spoke = near(v.atan2(u) / std::f64::consts::FRAC_PI_6) * u.hypot(v) < 0.015;
            if ring || spoke { [0.05, 0.20, 0.42] } else { clay }
        }
    }
}
