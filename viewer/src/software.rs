//! Drawing without any graphics adapter: surfaces by the reports' own renderer, lines and points by hand.

use crate::look::Look;
use crate::material::Paint;
use crate::pane::Drawing;
use crate::stage::GROUND;
use kiss3d::prelude::Vec3;
use visard::mesh::{Point, TriMesh};
use visard::report::render::{CLAY, Colour, Image, View, render};

/// One picture. The look's zoom and place count for lines only where there is no surface; a surface always fills the picture.
pub fn picture(drawing: &Drawing, look: &Look, width: u32, height: u32) -> Image {
    let look = drawing.seen(look, None);
    let ground = (255.0 * GROUND).round() as u8;
    let (w, h) = (width as usize, height as usize);
    let mut image = Image::filled(w, h, [ground; 3]);
    let side = w.min(h);
    let (left, top) = ((w - side) / 2, (h - side) / 2);
    // The renderer fits the farthest vertex to 0.48 of the side.
    let extent = drawing.positions.iter().map(|p| Vec3::from_array(*p).length()).fold(1e-6, f32::max);
    if !drawing.triangles.is_empty() {
        image.paste(&surface(drawing, &look, side), left, top);
    }
    let extent = if drawing.triangles.is_empty() { 1.0 } else { extent };
    let scale = 0.48 * side as f64 / f64::from(extent);
    let away = |normal: [f32; 3]| (look.rotation() * Vec3::from_array(normal)).z <= 0.0;
    for stroke in drawing.strokes.iter().filter(|stroke| !stroke.facing.is_some_and(away)) {
        let colour = stroke.colour.map(|c| (255.0 * c).round() as u8);
        let placed: Vec<[f64; 2]> = stroke
            .points
            .iter()
            .map(|p| look.rotation() * Vec3::from_array(*p))
            .map(|p| [w as f64 / 2.0 + scale * f64::from(p.x), h as f64 / 2.0 - scale * f64::from(p.y)])
            .collect();
        for pair in placed.windows(2) {
            image.line(pair[0], pair[1], f64::from(stroke.width), colour);
        }
    }
    image
}

fn surface(drawing: &Drawing, look: &Look, side: usize) -> Image {
    let place = |p: &[f32; 3]| Point::new(f64::from(p[0]), f64::from(p[1]), f64::from(p[2]));
    let vertices = drawing.positions.iter().map(place).collect();
    let triangles = drawing.triangles.iter().map(|t| t.map(|i| i as usize)).collect();
    let Ok(mesh) = TriMesh::new(vertices, triangles) else {
        return Image::filled(side, side, [(255.0 * GROUND).round() as u8; 3]);
    };
    let view = View { yaw: look.yaw, pitch: look.pitch, size: side };
    match drawing.paint {
        Paint::Skin => render(&mesh, view, CLAY),
        paint => {
            let colours: Vec<[f64; 3]> = drawing.uvs.iter().map(|uv| colour(paint, *uv)).collect();
            render(&mesh, view, Colour::PerVertex(&colours))
        }
    }
}

/// The shader's colours, vertex by vertex.
fn colour(paint: Paint, [u, v]: [f32; 2]) -> [f64; 3] {
    let (u, v) = (f64::from(u), f64::from(v));
    let clay = [0.86, 0.71, 0.61];
    match paint {
        Paint::Skin => clay,
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
