//! Pictures for the window, of surfaces and thin lines in one pass: what still pictures need besides costs a processor more than the surface.

use crate::drawing::Drawing;
use crate::look::{Look, StillCamera};
use crate::material::{ObjectUniforms, Paint, Parts, Style};
use kiss3d::camera::Camera3d;
use kiss3d::prelude::{Context, Pose3, Vec3};
use wgpu::TextureFormat;

/// Blended and smoothed as light, kept as the bytes of a screen: the colours of still pictures but for the last bit or two.
const LIGHT: TextureFormat = TextureFormat::Rgba8UnormSrgb;
const SCREEN: TextureFormat = TextureFormat::Rgba8Unorm;
const DEPTH: TextureFormat = TextureFormat::Depth32Float;

/// An off-screen picture.
pub struct Quick {
    skin: wgpu::RenderPipeline,
    surface: wgpu::RenderPipeline,
    shell: wgpu::RenderPipeline,
    lines: wgpu::RenderPipeline,
    of_surface: ObjectUniforms,
    of_shell: ObjectUniforms,
    target: Option<Target>,
    /// The surface, and the borders of its band.
    meshes: Vec<Mesh>,
    strokes: Option<Lines>,
    style: Style,
    samples: u32,
}

struct Target {
    size: (u32, u32),
    /// Of several samples a pixel, where there are.
    fine: Option<wgpu::TextureView>,
    light: wgpu::TextureView,
    screen: wgpu::TextureView,
    depth: wgpu::TextureView,
}

struct Mesh {
    positions: wgpu::Buffer,
    normals: wgpu::Buffer,
    uvs: wgpu::Buffer,
    corners: wgpu::Buffer,
    count: u32,
}

struct Lines {
    places: wgpu::Buffer,
    colours: wgpu::Buffer,
    count: u32,
}

/// Linear.
const MARK: [f32; 3] = [0.65, 0.08, 0.0];

impl Quick {
    /// On the card of this thread, with so many samples a pixel.
    pub fn new(samples: u32) -> Self {
        let parts = Parts::here();
        Self {
            skin: parts.pipeline("skin_fragment", false, samples, LIGHT, DEPTH),
            surface: parts.pipeline("fragment", false, samples, LIGHT, DEPTH),
            shell: parts.pipeline("shell_fragment", true, samples, LIGHT, DEPTH),
            lines: parts.lines(samples, LIGHT, DEPTH),
            of_surface: parts.uniforms(),
            of_shell: parts.uniforms(),
            target: None,
            meshes: Vec::new(),
            strokes: None,
            style: Style::default(),
            samples,
        }
    }

    /// Puts another drawing on it.
    pub fn set(&mut self, drawing: &Drawing) {
        self.style = drawing.style();
        self.meshes = std::iter::once(drawing).chain(&drawing.shell).filter_map(mesh).collect();
        let mut ends: Vec<([f32; 3], [f32; 3])> = Vec::new();
        for stroke in drawing.strokes.iter().filter(|stroke| stroke.facing.is_none()) {
            let colour = stroke.colour.map(|c| c.powf(2.2) as f32);
            ends.extend(stroke.points.windows(2).flatten().map(|p| (*p, colour)));
        }
        if drawing.wireframe {
            let edges = drawing.triangles.iter().flat_map(|[a, b, c]| [*a, *b, *b, *c, *c, *a]);
            ends.extend(edges.map(|i| (drawing.positions[i as usize], [0.02, 0.04, 0.08])));
        }
        self.strokes = lines(&ends);
    }

    /// Whether there is anything on it.
    pub fn is_empty(&self) -> bool {
        self.meshes.is_empty()
    }

    /// Takes the drawing off.
    pub fn clear(&mut self) {
        self.meshes.clear();
        self.strokes = None;
    }

    /// Draws it on a ground of this grey, sRGB; the mark has this width in pixels.
    pub fn render(&mut self, size: (u32, u32), ground: f64, look: &Look, mark: Option<([f32; 3], u32)>) {
        let target = match self.target.take().filter(|target| target.size == size) {
            Some(target) => target,
            None => Target::new(size, self.samples),
        };
        let (position, rotation) = look.pose();
        let pose = Pose3::from_parts(position, rotation);
        let camera = StillCamera::new(look.zoom, size.0, size.1).view_transform_pair(0);
        self.of_surface.set(pose, Vec3::ONE, camera, self.style);
        self.of_shell.set(pose, Vec3::ONE, camera, Style::GLASS);
        // A square of lines, before all else.
        let pixel = 2.0 * crate::look::HALF_HEIGHT as f32 / (look.zoom as f32 * size.1 as f32);
        let square = mark.and_then(|(at, width)| {
            let half = 0.5 * width as f32;
            let row = |k: u32| [-half, half].map(|x| Vec3::new(x, k as f32 + 0.5 - half, 0.0) * pixel);
            let place =
                |p: Vec3| (rotation.inverse() * (p + 0.05 * Vec3::Z) + Vec3::from_array(at)).to_array();
            lines(&(0..width).flat_map(row).map(|p| (place(p), MARK)).collect::<Vec<_>>())
        });
        let context = Context::get();
        let mut encoder = context.create_command_encoder(Some("quick"));
        {
            // As sRGB is decoded.
            let grey = ((ground + 0.055) / 1.055).powf(2.4);
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("quick"),
                color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                    view: target.fine.as_ref().unwrap_or(&target.light),
                    resolve_target: target.fine.as_ref().map(|_| &target.light),
                    ops: wgpu::Operations {
                        load: wgpu::LoadOp::Clear(wgpu::Color { r: grey, g: grey, b: grey, a: 1.0 }),
                        store: match target.fine {
                            Some(_) => wgpu::StoreOp::Discard,
                            None => wgpu::StoreOp::Store,
                        },
                    },
                    depth_slice: None,
                })],
                depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                    view: &target.depth,
                    depth_ops: Some(wgpu::Operations {
                        load: wgpu::LoadOp::Clear(1.0),
                        store: wgpu::StoreOp::Discard,
                    }),
                    stencil_ops: None,
                }),
                timestamp_writes: None,
                occlusion_query_set: None,
                multiview_mask: None,
            });
            for (k, mesh) in self.meshes.iter().enumerate() {
                let through = k > 0;
                pass.set_pipeline(match self.style.paint {
                    _ if through => &self.shell,
                    Paint::Skin => &self.skin,
                    _ => &self.surface,
                });
                let uniforms = if through { &self.of_shell } else { &self.of_surface };
                pass.set_bind_group(0, uniforms.group(), &[]);
                pass.set_vertex_buffer(0, mesh.positions.slice(..));
                pass.set_vertex_buffer(1, mesh.normals.slice(..));
                pass.set_vertex_buffer(2, mesh.uvs.slice(..));
                pass.set_index_buffer(mesh.corners.slice(..), wgpu::IndexFormat::Uint32);
                pass.draw_indexed(0..mesh.count, 0, 0..1);
            }
            for lines in self.strokes.iter().chain(&square) {
                pass.set_pipeline(&self.lines);
                pass.set_bind_group(0, self.of_surface.group(), &[]);
                pass.set_vertex_buffer(0, lines.places.slice(..));
                pass.set_vertex_buffer(1, lines.colours.slice(..));
                pass.draw(0..lines.count, 0..1);
            }
        }
        context.submit([encoder.finish()]);
        self.target = Some(target);
    }

    /// The last picture, on the card.
    pub fn view(&self) -> Option<wgpu::TextureView> {
        self.target.as_ref().map(|target| target.screen.clone())
    }
}

impl Target {
    fn new(size: (u32, u32), samples: u32) -> Self {
        let texture = |format, sample_count, view_formats: &[TextureFormat]| {
            Context::get().create_texture(&wgpu::TextureDescriptor {
                label: Some("quick"),
                size: wgpu::Extent3d { width: size.0, height: size.1, depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING,
                view_formats,
            })
        };
        let whole = wgpu::TextureViewDescriptor::default();
        let colour = texture(SCREEN, 1, &[LIGHT]);
        let view = |format| {
            let description = wgpu::TextureViewDescriptor { format: Some(format), ..Default::default() };
            colour.create_view(&description)
        };
        let depth = texture(DEPTH, samples, &[]).create_view(&whole);
        let fine = (samples > 1).then(|| texture(LIGHT, samples, &[]).create_view(&whole));
        Self { size, fine, light: view(LIGHT), screen: view(SCREEN), depth }
    }
}

fn buffer<const N: usize>(values: impl Iterator<Item = [f32; N]>, usage: wgpu::BufferUsages) -> wgpu::Buffer {
    let bytes: Vec<u8> = values.flatten().flat_map(f32::to_le_bytes).collect();
    Context::get().create_buffer_init(Some("quick"), &bytes, usage)
}

fn mesh(drawing: &Drawing) -> Option<Mesh> {
    if drawing.triangles.is_empty() {
        return None;
    }
    let corners: Vec<u8> = drawing.triangles.iter().flatten().flat_map(|i| i.to_le_bytes()).collect();
    let vertices = wgpu::BufferUsages::VERTEX;
    Some(Mesh {
        positions: buffer(drawing.positions.iter().copied(), vertices),
        normals: buffer(drawing.lit_normals(), vertices),
        uvs: buffer(drawing.uvs.iter().copied(), vertices),
        corners: Context::get().create_buffer_init(Some("quick"), &corners, wgpu::BufferUsages::INDEX),
        count: 3 * drawing.triangles.len() as u32,
    })
}

fn lines(ends: &[([f32; 3], [f32; 3])]) -> Option<Lines> {
    if ends.is_empty() {
        return None;
    }
    let vertices = wgpu::BufferUsages::VERTEX;
    Some(Lines {
        places: buffer(ends.iter().map(|(place, _)| *place), vertices),
        colours: buffer(ends.iter().map(|(_, colour)| *colour), vertices),
        count: ends.len() as u32,
    })
}
