//! Small pictures of a coarse drawing in one pass, for motion: what still pictures need besides costs more in software than the surface.

use crate::drawing::Drawing;
use crate::look::{Look, StillCamera};
use crate::material::{ObjectUniforms, Parts, Style};
use kiss3d::camera::Camera3d;
use kiss3d::prelude::{Context, Pose3, Vec3};
use wgpu::TextureFormat;

/// Blended and smoothed as light, kept as the bytes of a screen: the colours of still pictures but for the last bit or two.
const LIGHT: TextureFormat = TextureFormat::Rgba8UnormSrgb;
const SCREEN: TextureFormat = TextureFormat::Rgba8Unorm;
const DEPTH: TextureFormat = TextureFormat::Depth32Float;

/// A small off-screen picture.
pub struct Preview {
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
}

struct Target {
    size: (u32, u32),
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

const MARK: [f32; 3] = [0.65, 0.08, 0.0];

impl Preview {
    /// On the card of this thread.
    pub fn new() -> Self {
        let parts = Parts::new();
        Self {
            surface: parts.pipeline(false, 1, LIGHT, DEPTH),
            shell: parts.pipeline(true, 1, LIGHT, DEPTH),
            lines: parts.lines(LIGHT, DEPTH),
            of_surface: parts.uniforms(),
            of_shell: parts.uniforms(),
            target: None,
            meshes: Vec::new(),
            strokes: None,
            style: Style::default(),
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

    /// Draws it; the mark has this width in pixels.
    pub fn render(&mut self, size: (u32, u32), ground: f32, look: &Look, mark: Option<([f32; 3], f32)>) {
        let target = match self.target.take().filter(|target| target.size == size) {
            Some(target) => target,
            None => Target::new(size),
        };
        let (position, rotation) = look.pose();
        let pose = Pose3::from_parts(position, rotation);
        let camera = StillCamera::new(look.zoom, size.0, size.1).view_transform_pair(0);
        self.of_surface.set(pose, Vec3::ONE, camera, self.style);
        self.of_shell.set(pose, Vec3::ONE, camera, Style::GLASS);
        // A cross, before all else.
        let unit = 2.0 * crate::look::HALF_HEIGHT as f32 / (look.zoom as f32 * size.1 as f32);
        let cross = mark.and_then(|(at, width)| {
            let half = 0.5 * width * unit;
            let arm = |x: f32, y: f32| {
                rotation.inverse() * Vec3::new(x * half, y * half, 0.05) + Vec3::from_array(at)
            };
            let arms = [(-1.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (1.0, -1.0)];
            lines(&arms.map(|(x, y)| (arm(x, y).to_array(), MARK)))
        });
        let context = Context::get();
        let mut encoder = context.create_command_encoder(Some("preview"));
        {
            let grey = f64::from(ground);
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("preview"),
                color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                    view: &target.light,
                    resolve_target: None,
                    ops: wgpu::Operations {
                        load: wgpu::LoadOp::Clear(wgpu::Color { r: grey, g: grey, b: grey, a: 1.0 }),
                        store: wgpu::StoreOp::Store,
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
                pass.set_pipeline(if through { &self.shell } else { &self.surface });
                let uniforms = if through { &self.of_shell } else { &self.of_surface };
                pass.set_bind_group(0, uniforms.group(), &[]);
                pass.set_vertex_buffer(0, mesh.positions.slice(..));
                pass.set_vertex_buffer(1, mesh.normals.slice(..));
                pass.set_vertex_buffer(2, mesh.uvs.slice(..));
                pass.set_index_buffer(mesh.corners.slice(..), wgpu::IndexFormat::Uint32);
                pass.draw_indexed(0..mesh.count, 0, 0..1);
            }
            for lines in self.strokes.iter().chain(&cross) {
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
    fn new(size: (u32, u32)) -> Self {
        let texture = |format, view_formats: &[TextureFormat]| {
            Context::get().create_texture(&wgpu::TextureDescriptor {
                label: Some("preview"),
                size: wgpu::Extent3d { width: size.0, height: size.1, depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count: 1,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING,
                view_formats,
            })
        };
        let colour = texture(SCREEN, &[LIGHT]);
        let view = |format| {
            let description = wgpu::TextureViewDescriptor { format: Some(format), ..Default::default() };
            colour.create_view(&description)
        };
        let depth = texture(DEPTH, &[]).create_view(&wgpu::TextureViewDescriptor::default());
        Self { size, light: view(LIGHT), screen: view(SCREEN), depth }
    }
}

fn buffer<const N: usize>(values: impl Iterator<Item = [f32; N]>, usage: wgpu::BufferUsages) -> wgpu::Buffer {
    let bytes: Vec<u8> = values.flatten().flat_map(f32::to_le_bytes).collect();
    Context::get().create_buffer_init(Some("preview"), &bytes, usage)
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
        corners: Context::get().create_buffer_init(Some("preview"), &corners, wgpu::BufferUsages::INDEX),
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
