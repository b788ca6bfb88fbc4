//! The material of surfaces: our own small shader, so that pictures look the same here, in the reports and in the page.

use kiss3d::glamx::Mat4;
use kiss3d::prelude::*;
use std::any::Any;
use std::cell::Cell;
use visard::report::colour::ColourMap;

/// sRGB of the band's shell: the other side of the clay's colour, light enough to see the face through.
pub const SHELL_INK: [f64; 3] = [0.13, 0.36, 0.70];
/// Of what is behind it the shell hides so much where it is seen from straight ahead, and so much where it is seen edge on.
pub const SHELL_OPACITY: [f64; 2] = [0.14, 0.80];

/// What a surface's colours say.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Paint {
    /// Face-like clay.
    #[default]
    Skin,
    /// A scalar field; texture coordinate u is its place on the scale.
    Field(ColourMap),
    /// A checkerboard of the disk; texture coordinates are the disk coordinate.
    Checkerboard,
    /// Rings and spokes of the disk.
    PolarGrid,
    /// The band's shell: one colour, seen through.
    Shell,
}

impl Paint {
    /// The uniforms `style` and `palette` of the shader.
    fn uniforms(self, two_sided: bool, bands: f32) -> [f32; 40] {
        let (mode, map) = match self {
            Self::Skin => (0.0, ColourMap::Sequential),
            Self::Field(map) => (1.0, map),
            Self::Checkerboard => (2.0, ColourMap::Sequential),
            Self::PolarGrid => (3.0, ColourMap::Sequential),
            Self::Shell => return shell_uniforms(),
        };
        let mut out = [0.0; 40];
        out[0] = mode;
        out[1] = if two_sided { 1.0 } else { 0.0 };
        out[2] = bands;
        for (k, anchor) in map.anchors().iter().enumerate() {
            for (j, c) in anchor.iter().enumerate() {
                out[4 + 4 * k + j] = f32::from(*c) / 255.0;
            }
        }
        out
    }
}

/// The shell's colour in the place of the first anchor, its opacities in that of the second.
fn shell_uniforms() -> [f32; 40] {
    let mut out = [0.0; 40];
    out[0] = 4.0;
    SHELL_INK.iter().zip(&mut out[4..]).for_each(|(c, place)| *place = *c as f32);
    SHELL_OPACITY.iter().zip(&mut out[8..]).for_each(|(o, place)| *place = *o as f32);
    // As light, for `quick.wgsl`.
    SHELL_INK.iter().zip(&mut out[12..]).for_each(|(c, place)| *place = c.powf(2.2) as f32);
    out
}

/// How much of what is behind it a border of the shell hides where its unit normal is inclined so to the line of sight.
pub fn shell_opacity(cosine: f64) -> f64 {
    let [ahead, edge] = SHELL_OPACITY;
    ahead + (edge - ahead) * (1.0 - cosine.abs().min(1.0)).powi(3)
}

/// How a mesh is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Style {
    /// What its colours say.
    pub paint: Paint,
    /// Both sides are lit alike (points of a scan); otherwise backs are dark.
    pub two_sided: bool,
    /// Lines of equal value divide the field's scale into so many parts; 0 for none.
    pub bands: f32,
}

impl Style {
    /// Of the band's shell.
    pub const GLASS: Self = Self { paint: Paint::Shell, two_sided: true, bands: 0.0 };
}

/// Draws meshes with `face.wgsl`.
pub struct FaceMaterial {
    pipeline: PipelineCache,
    layout: wgpu::BindGroupLayout,
    style: Rc<Cell<Style>>,
}

/// One object's uniforms on the graphics card.
pub struct ObjectUniforms {
    buffer: wgpu::Buffer,
    group: wgpu::BindGroup,
}

impl GpuData for ObjectUniforms {
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}

/// Two matrices, the style, nine anchors: floats of 4 bytes.
const UNIFORM_BYTES: u64 = 4 * (16 + 16 + 40);

impl FaceMaterial {
    /// A material whose style can be changed through the cell; but what is a shell first stays one, and nothing else becomes one.
    pub fn new(style: Rc<Cell<Style>>) -> Self {
        let parts = Parts::here();
        let layout = parts.layout.clone();
        let through = style.get().paint == Paint::Shell;
        let pipeline = PipelineCache::new(move |samples| {
            parts.pipeline("fragment", through, samples, Context::render_format(), Context::depth_format())
        });
        Self { pipeline, layout, style }
    }
}

/// What pipelines of surfaces are made of.
pub struct Parts {
    /// Of the uniforms.
    pub layout: wgpu::BindGroupLayout,
    /// Of pipelines.
    pub pipeline_layout: wgpu::PipelineLayout,
    /// Surfaces and lines.
    pub shader: wgpu::ShaderModule,
}

/// Vertices of so many bytes each, with one attribute.
fn attribute(location: u32, format: wgpu::VertexFormat) -> ([wgpu::VertexAttribute; 1], wgpu::BufferAddress) {
    ([wgpu::VertexAttribute { offset: 0, shader_location: location, format }], format.size())
}

impl Parts {
    /// On the card of this thread.
    pub fn here() -> Self {
        let context = Context::get();
        let layout = context.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("face uniforms"),
            entries: &[wgpu::BindGroupLayoutEntry {
                binding: 0,
                visibility: wgpu::ShaderStages::VERTEX_FRAGMENT,
                ty: wgpu::BindingType::Buffer {
                    ty: wgpu::BufferBindingType::Uniform,
                    has_dynamic_offset: false,
                    min_binding_size: None,
                },
                count: None,
            }],
        });
        let pipeline_layout = context.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("face"),
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
        let source = concat!(include_str!("face.wgsl"), include_str!("quick.wgsl"));
        let shader = context.create_shader_module(Some("face"), source);
        Self { layout, pipeline_layout, shader }
    }

    /// Of surfaces, by this entry of the shader; of those that are seen through.
    pub fn pipeline(
        &self,
        fragment: &str,
        through: bool,
        samples: u32,
        format: wgpu::TextureFormat,
        depth: wgpu::TextureFormat,
    ) -> wgpu::RenderPipeline {
        // All layers of a shell have one colour, so that blending them in any order comes to the same; none hides what is behind it.
        let blend = through.then_some(wgpu::BlendState::ALPHA_BLENDING);
        let target = wgpu::ColorTargetState { blend, ..wgpu::ColorTargetState::from(format) };
        let three = wgpu::VertexFormat::Float32x3;
        let attributes = [(0, three), (1, three), (2, wgpu::VertexFormat::Float32x2)];
        self.made(
            ["vertex", fragment],
            &attributes,
            target,
            (depth, !through),
            samples,
            wgpu::PrimitiveState::default(),
        )
    }

    /// Of lines: pairs of places, with a linear colour each.
    pub fn lines(
        &self,
        samples: u32,
        format: wgpu::TextureFormat,
        depth: wgpu::TextureFormat,
    ) -> wgpu::RenderPipeline {
        let three = wgpu::VertexFormat::Float32x3;
        let pairs = wgpu::PrimitiveState {
            topology: wgpu::PrimitiveTopology::LineList,
            ..wgpu::PrimitiveState::default()
        };
        let entries = ["line_vertex", "line_fragment"];
        self.made(entries, &[(0, three), (1, three)], format.into(), (depth, true), samples, pairs)
    }

    fn made(
        &self,
        [vertex, fragment]: [&str; 2],
        attributes: &[(u32, wgpu::VertexFormat)],
        target: wgpu::ColorTargetState,
        (depth, writes): (wgpu::TextureFormat, bool),
        samples: u32,
        primitive: wgpu::PrimitiveState,
    ) -> wgpu::RenderPipeline {
        let attributes: Vec<_> = attributes.iter().map(|(at, format)| attribute(*at, *format)).collect();
        let buffers: Vec<_> = attributes
            .iter()
            .map(|(attribute, size)| {
                Some(wgpu::VertexBufferLayout {
                    array_stride: *size,
                    step_mode: wgpu::VertexStepMode::Vertex,
                    attributes: attribute,
                })
            })
            .collect();
        Context::get().create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some("face"),
            layout: Some(&self.pipeline_layout),
            vertex: wgpu::VertexState {
                module: &self.shader,
                entry_point: Some(vertex),
                buffers: &buffers,
                compilation_options: wgpu::PipelineCompilationOptions::default(),
            },
            fragment: Some(wgpu::FragmentState {
                module: &self.shader,
                entry_point: Some(fragment),
                targets: &[Some(target)],
                compilation_options: wgpu::PipelineCompilationOptions::default(),
            }),
            primitive,
            depth_stencil: Some(wgpu::DepthStencilState {
                format: depth,
                depth_write_enabled: Some(writes),
                depth_compare: Some(wgpu::CompareFunction::Less),
                stencil: wgpu::StencilState::default(),
                bias: wgpu::DepthBiasState::default(),
            }),
            multisample: multisample_state(samples),
            multiview_mask: None,
            cache: None,
        })
    }

    /// Uniforms on the card.
    pub fn uniforms(&self) -> ObjectUniforms {
        uniforms(&self.layout)
    }
}

fn uniforms(layout: &wgpu::BindGroupLayout) -> ObjectUniforms {
    let context = Context::get();
    let buffer = context.create_buffer(&wgpu::BufferDescriptor {
        label: Some("face uniforms"),
        size: UNIFORM_BYTES,
        usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let group = context.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("face uniforms"),
        layout,
        entries: &[wgpu::BindGroupEntry { binding: 0, resource: buffer.as_entire_binding() }],
    });
    ObjectUniforms { buffer, group }
}

impl ObjectUniforms {
    /// For their commands.
    pub fn group(&self) -> &wgpu::BindGroup {
        &self.group
    }

    /// Sets them for an object that stands so before a camera.
    pub fn set(&self, transform: Pose3, scale: Vec3, (view, projection): (Pose3, Mat4), style: Style) {
        let model = transform.to_mat4() * Mat4::from_scale(scale);
        let clip = projection * view.to_mat4() * model;
        let turn = view.to_mat4() * transform.to_mat4();
        let Style { paint, two_sided, bands } = style;
        let paint = paint.uniforms(two_sided, bands);
        let floats = clip.to_cols_array().into_iter().chain(turn.to_cols_array()).chain(paint);
        let bytes: Vec<u8> = floats.flat_map(f32::to_le_bytes).collect();
        Context::get().write_buffer(&self.buffer, 0, &bytes);
    }
}

impl Material3d for FaceMaterial {
    fn create_gpu_data(&self) -> Box<dyn GpuData> {
        Box::new(uniforms(&self.layout))
    }

    fn prepare(
        &mut self,
        pass: usize,
        transform: Pose3,
        scale: Vec3,
        camera: &mut dyn Camera3d,
        _lights: &LightCollection,
        _data: &ObjectData3d,
        gpu_data: &mut dyn GpuData,
        _width: u32,
        _height: u32,
    ) {
        let Some(object) = gpu_data.as_any_mut().downcast_mut::<ObjectUniforms>() else { return };
        object.set(transform, scale, camera.view_transform_pair(pass), self.style.get());
    }

    fn render(
        &mut self,
        _pass: usize,
        _transform: Pose3,
        _scale: Vec3,
        _camera: &mut dyn Camera3d,
        _lights: &LightCollection,
        data: &ObjectData3d,
        mesh: &mut GpuMesh3d,
        _instances: &mut InstancesBuffer3d,
        gpu_data: &mut dyn GpuData,
        render_pass: &mut wgpu::RenderPass<'_>,
        context: &RenderContext,
    ) {
        let Some(object) = gpu_data.as_any_mut().downcast_mut::<ObjectUniforms>() else { return };
        if !data.surface_rendering_active() {
            return;
        }
        let (Ok(mut coords), Ok(mut normals), Ok(mut uvs), Ok(mut faces)) =
            (mesh.coords().write(), mesh.normals().write(), mesh.uvs().write(), mesh.faces().write())
        else {
            return;
        };
        coords.load_to_gpu();
        normals.load_to_gpu();
        uvs.load_to_gpu();
        faces.load_to_gpu();
        let count = 3 * faces.len() as u32;
        let (Some(c), Some(n), Some(t), Some(f)) =
            (coords.buffer(), normals.buffer(), uvs.buffer(), faces.buffer())
        else {
            return;
        };
        render_pass.set_pipeline(&self.pipeline.get(context.sample_count));
        render_pass.set_bind_group(0, &object.group, &[]);
        render_pass.set_vertex_buffer(0, c.slice(..));
        render_pass.set_vertex_buffer(1, n.slice(..));
        render_pass.set_vertex_buffer(2, t.slice(..));
        render_pass.set_index_buffer(f.slice(..), wgpu::IndexFormat::Uint32);
        render_pass.draw_indexed(0..count, 0, 0..1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shell_is_seen_through_ahead_and_thick_at_its_edge() {
        assert!(shell_opacity(1.0) < 0.2 && shell_opacity(0.0) > 0.7);
        assert_eq!(shell_opacity(-0.5), shell_opacity(0.5));
    }
}
