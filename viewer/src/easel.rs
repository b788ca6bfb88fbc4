//! Draws the controls without a graphics adapter or a display: egui's triangles, pixel by pixel. For pictures of windows in tests and guides.

use kiss3d::egui::epaint::{ClippedPrimitive, ImageData, ImageDelta, Mesh, Primitive, Vertex};
use kiss3d::egui::{
    Color32, ColorImage, Context, Event, FullOutput, Pos2, RawInput, Rect, Shape, TextureId, Vec2,
};
use std::collections::HashMap;
use visard::report::render::Image;

/// A window that nobody sees.
pub struct Easel {
    ctx: Context,
    textures: HashMap<TextureId, ColorImage>,
    size: (u32, u32),
    scale: f32,
    time: f64,
    /// The last frame's writing, and where it stands.
    texts: Vec<(String, Rect)>,
}

impl Easel {
    /// Of this size in points, with so many pixels a point.
    pub fn new(size: (u32, u32), scale: f32) -> Self {
        let ctx = Context::default();
        ctx.set_pixels_per_point(scale);
        Self { ctx, textures: HashMap::new(), size, scale, time: 0.0, texts: Vec::new() }
    }

    /// What draws.
    pub fn context(&self) -> &Context {
        &self.ctx
    }

    /// One frame in which these things happen; what it would show is kept for [`Self::picture`].
    pub fn frame(&mut self, events: Vec<Event>, draw: impl FnMut(&Context)) -> FullOutput {
        let mut draw = draw;
        let screen = Vec2::new(self.size.0 as f32, self.size.1 as f32);
        self.time += 0.25;
        let mut input = RawInput {
            screen_rect: Some(Rect::from_min_size(Pos2::ZERO, screen)),
            time: Some(self.time),
            events,
            focused: true,
            ..RawInput::default()
        };
        if let Some(viewport) = input.viewports.get_mut(&input.viewport_id) {
            viewport.native_pixels_per_point = Some(self.scale);
        }
        self.ctx.begin_pass(input);
        draw(&self.ctx);
        let output = self.ctx.end_pass();
        self.texts.clear();
        output
            .shapes
            .iter()
            .for_each(|clipped| note_texts(&clipped.shape, clipped.clip_rect, &mut self.texts));
        for (id, deltas) in &output.textures_delta.set {
            deltas.iter().for_each(|delta| self.take(*id, delta));
        }
        output
    }

    /// Keeps a texture, or what is new of it.
    fn take(&mut self, id: TextureId, delta: &ImageDelta) {
        let ImageData::Color(image) = &delta.image;
        match (delta.pos, self.textures.get_mut(&id)) {
            (Some(at), Some(whole)) => patch(whole, image, at),
            _ => drop(self.textures.insert(id, ColorImage::clone(image))),
        }
    }

    /// Where the last frame says this, where it can be seen.
    pub fn place_of(&self, text: &str) -> Option<Pos2> {
        self.texts.iter().find(|(said, _)| said == text).map(|(_, place)| place.center())
    }

    /// What the control that has the keyboard says.
    pub fn focused(&self) -> Option<String> {
        let id = self.ctx.memory(|memory| memory.focused())?;
        let rect = self.ctx.read_response(id)?.rect;
        self.texts.iter().find(|(_, place)| rect.contains(place.center())).map(|(said, _)| said.clone())
    }

    /// What a frame shows, over a ground.
    pub fn picture(&self, output: FullOutput, ground: [u8; 3]) -> Image {
        let pixels = |side: u32| (side as f32 * self.scale).round() as usize;
        let mut image = Image::filled(pixels(self.size.0), pixels(self.size.1), ground);
        for ClippedPrimitive { clip_rect, primitive } in self.ctx.tessellate(output.shapes, self.scale) {
            let Primitive::Mesh(mesh) = primitive else { continue };
            if let Some(texture) = self.textures.get(&mesh.texture_id) {
                self.mesh(&mut image, &mesh, clip_rect, texture);
            }
        }
        image
    }

    fn mesh(&self, image: &mut Image, mesh: &Mesh, clip: Rect, texture: &ColorImage) {
        for corners in mesh.indices.chunks_exact(3) {
            let [Some(a), Some(b), Some(c)] = [0, 1, 2].map(|k| mesh.vertices.get(corners[k] as usize))
            else {
                continue;
            };
            self.triangle(image, [a, b, c], clip, texture);
        }
    }

    fn triangle(&self, image: &mut Image, corners: [&Vertex; 3], clip: Rect, texture: &ColorImage) {
        let at = corners.map(|v| v.pos * self.scale);
        let area = cross(at[0], at[1], at[2]);
        if area == 0.0 {
            return;
        }
        let bounds = Rect::from_points(&at).intersect(clip * self.scale);
        let range = |low: f32, high: f32, most: usize| {
            (low.floor().max(0.0) as usize)..((high.ceil().max(0.0) as usize).min(most))
        };
        for y in range(bounds.min.y, bounds.max.y, image.height) {
            for x in range(bounds.min.x, bounds.max.x, image.width) {
                let p = Pos2::new(x as f32 + 0.5, y as f32 + 0.5);
                let weights = [
                    cross(at[1], at[2], p) / area,
                    cross(at[2], at[0], p) / area,
                    cross(at[0], at[1], p) / area,
                ];
                // The half-open rule, so that pixels on a common edge are drawn once.
                if weights.iter().any(|w| *w < 0.0) || !bounds.contains(p) {
                    continue;
                }
                let colour = shaded(corners, weights, texture);
                let start = 3 * (y * image.width + x);
                for (channel, part) in image.rgb[start..start + 3].iter_mut().zip(colour) {
                    let below = f32::from(*channel) * (1.0 - colour[3] / 255.0);
                    *channel = (part + below).round().clamp(0.0, 255.0) as u8;
                }
            }
        }
    }
}

fn note_texts(shape: &Shape, clip: Rect, texts: &mut Vec<(String, Rect)>) {
    match shape {
        Shape::Vec(shapes) => shapes.iter().for_each(|shape| note_texts(shape, clip, texts)),
        Shape::Text(text) => {
            let place = text.galley.rect.translate(text.pos.to_vec2());
            if clip.contains(place.center()) {
                texts.push((text.galley.text().to_owned(), place));
            }
        }
        _ => {}
    }
}

fn cross(a: Pos2, b: Pos2, c: Pos2) -> f32 {
    (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
}

/// Colour of the vertices times that of the texture: red, green, blue, premultiplied, and opacity, from 0 to 255.
fn shaded(corners: [&Vertex; 3], weights: [f32; 3], texture: &ColorImage) -> [f32; 4] {
    let mut uv = Vec2::ZERO;
    let mut colour = [0.0; 4];
    for (vertex, w) in corners.iter().zip(weights) {
        uv += vertex.uv.to_vec2() * w;
        for (sum, part) in colour.iter_mut().zip(vertex.color.to_array()) {
            *sum += w * f32::from(part);
        }
    }
    let sample = sampled(texture, uv);
    [0, 1, 2, 3].map(|k| colour[k] * sample[k] / 255.0)
}

/// Linear between the four nearest texels.
fn sampled(texture: &ColorImage, uv: Vec2) -> [f32; 4] {
    let [w, h] = texture.size;
    let (x, y) = (uv.x * w as f32 - 0.5, uv.y * h as f32 - 0.5);
    let (fx, fy) = (x - x.floor(), y - y.floor());
    let texel = |dx: i32, dy: i32| {
        let column = (x.floor() as i32 + dx).clamp(0, w as i32 - 1) as usize;
        let row = (y.floor() as i32 + dy).clamp(0, h as i32 - 1) as usize;
        texture
            .pixels
            .get(row * w + column)
            .copied()
            .unwrap_or(Color32::TRANSPARENT)
            .to_array()
            .map(f32::from)
    };
    let (a, b, c, d) = (texel(0, 0), texel(1, 0), texel(0, 1), texel(1, 1));
    [0, 1, 2, 3].map(|k| {
        let (above, below) = (a[k] + fx * (b[k] - a[k]), c[k] + fx * (d[k] - c[k]));
        above + fy * (below - above)
    })
}

fn patch(whole: &mut ColorImage, part: &ColorImage, [x, y]: [usize; 2]) {
    let [w, h] = part.size;
    for row in 0..h {
        let to = (y + row) * whole.size[0] + x;
        if let (Some(to), Some(from)) =
            (whole.pixels.get_mut(to..to + w), part.pixels.get(row * w..(row + 1) * w))
        {
            to.copy_from_slice(from);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kiss3d::egui::{Area, Id, Sense, pos2, vec2};

    #[test]
    fn a_rectangle_is_where_it_is_drawn_at_any_scale_and_clicks_arrive() {
        for scale in [1.0, 2.0] {
            let mut easel = Easel::new((40, 30), scale);
            let mut clicked = false;
            let press = |pressed| Event::PointerButton {
                pos: pos2(15.0, 10.0),
                button: kiss3d::egui::PointerButton::Primary,
                pressed,
                modifiers: Default::default(),
            };
            let mut last = FullOutput::default();
            for events in [
                vec![],
                vec![Event::PointerMoved(pos2(15.0, 10.0))],
                vec![press(true)],
                vec![press(false)],
                vec![],
            ] {
                last = easel.frame(events, |ctx| {
                    Area::new(Id::new("a")).fixed_pos(pos2(10.0, 5.0)).show(ctx, |ui| {
                        let (rect, response) = ui.allocate_exact_size(vec2(20.0, 10.0), Sense::click());
                        clicked |= response.clicked();
                        ui.painter().rect_filled(rect, 0.0, Color32::from_rgb(200, 0, 0));
                    });
                });
            }
            let image = easel.picture(last, [255; 3]);
            let side = |points: f32| (points * scale) as usize;
            assert_eq!((image.width, image.height), (side(40.0), side(30.0)));
            let at = |x: f32, y: f32| {
                let start = 3 * (side(y) * image.width + side(x));
                [image.rgb[start], image.rgb[start + 1], image.rgb[start + 2]]
            };
            assert_eq!((at(20.0, 10.0), at(5.0, 3.0), at(35.0, 20.0)), ([200, 0, 0], [255; 3], [255; 3]));
            assert!(clicked);
        }
    }
}
