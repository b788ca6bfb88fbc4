//! A pane on a graphics card: an off-screen surface that both pictures and the window use.

use crate::drawing::Drawing;
use crate::look::{Look, StillCamera};
use crate::material::{FaceMaterial, Style};
use crate::preview::Preview;
use kiss3d::prelude::*;
use std::cell::Cell;
use visard::report::render::Image;

/// The ground, sRGB; near-white, as in the reports.
pub const GROUND: f64 = 0.97;

/// The linear grey of the ground, on a light screen or a dark one.
pub fn ground(dark: bool) -> f32 {
    (if dark { DARK_GROUND } else { GROUND }).powf(2.2) as f32
}

const DARK_GROUND: f64 = 0.15;

/// An off-screen surface with one drawing, and a smaller picture of a coarser one while it moves.
pub struct Stage {
    surface: OffscreenSurface,
    scene: SceneNode3d,
    group: SceneNode3d,
    strokes: Vec<Polyline3d>,
    material: Rc<RefCell<Box<dyn Material3d>>>,
    style: Rc<Cell<Style>>,
    /// Of the band's shell.
    glass: Rc<RefCell<Box<dyn Material3d>>>,
    /// Made when it is first wanted.
    preview: Option<Preview>,
    size: (u32, u32),
    /// Pixels in the width that a line of one pixel has.
    fineness: f32,
    dark: bool,
}

impl Stage {
    /// A stage of this size in pixels. Call only where [`crate::card::has_adapter`].
    pub async fn new(width: u32, height: u32) -> Self {
        let mut surface = OffscreenSurface::new(width, height).await;
        let ground = ground(false);
        surface.set_background_color(Color::new(ground, ground, ground, 1.0));
        surface.set_shadows_enabled(false);
        surface.set_samples(NumSamples::Four);
        surface.window_mut().set_tonemap(kiss3d::post_processing::Tonemap::None);
        let mut scene = SceneNode3d::empty();
        let group = scene.add_group();
        let style = Rc::new(Cell::new(Style::default()));
        let material: Box<dyn Material3d> = Box::new(FaceMaterial::new(style.clone()));
        let glass: Box<dyn Material3d> = Box::new(FaceMaterial::new(Rc::new(Cell::new(Style::GLASS))));
        Self {
            surface,
            scene,
            group,
            strokes: Vec::new(),
            material: Rc::new(RefCell::new(material)),
            style,
            glass: Rc::new(RefCell::new(glass)),
            preview: None,
            size: (width, height),
            fineness: 1.0,
            dark: false,
        }
    }

    /// For pictures that are reduced by this factor: lines are as much wider. Before [`Self::set`].
    pub fn set_fineness(&mut self, factor: u32) {
        self.fineness = factor as f32;
    }

    /// The ground of a light screen or a dark one.
    pub fn set_ground(&mut self, dark: bool) {
        self.dark = dark;
        let ground = ground(dark);
        self.surface.set_background_color(Color::new(ground, ground, ground, 1.0));
    }

    /// Changes the size; the next picture has it.
    pub fn resize(&mut self, width: u32, height: u32) {
        if self.size != (width, height) {
            self.size = (width, height);
            self.surface.resize(width, height);
        }
    }

    /// The size in pixels.
    pub fn size(&self) -> (u32, u32) {
        self.size
    }

    /// Puts another drawing on the stage; the coarser one of the last is gone.
    pub fn set(&mut self, drawing: &Drawing) {
        self.preview.iter_mut().for_each(Preview::clear);
        self.group.remove();
        self.group = self.scene.add_group();
        self.style.set(drawing.style());
        // Lines of equal value are the shader's.
        self.strokes = drawing
            .strokes
            .iter()
            .filter(|s| s.facing.is_none())
            .map(|s| polyline(s, self.fineness))
            .collect();
        if drawing.triangles.is_empty() {
            return;
        }
        let mesh = Rc::new(RefCell::new(gpu_mesh(drawing)));
        self.group
            .add_mesh(mesh.clone(), Vec3::ONE)
            .set_material(self.material.clone())
            .enable_backface_culling(false);
        if drawing.wireframe || drawing.points {
            let mut overlay = self.group.add_mesh(mesh, Vec3::ONE);
            overlay.set_surface_rendering_activation(false);
            if drawing.wireframe {
                overlay
                    .set_lines_width(self.fineness, false)
                    .set_lines_color(Some(Color::new(0.02, 0.04, 0.08, 1.0)));
            }
            if drawing.points {
                overlay
                    .set_points_size(2.5 * self.fineness, false)
                    .set_points_color(Some(Color::new(0.0, 0.05, 0.25, 1.0)));
            }
        }
        // After what is not seen through.
        for border in &drawing.shell {
            self.group
                .add_mesh(Rc::new(RefCell::new(gpu_mesh(border))), Vec3::ONE)
                .set_material(self.glass.clone())
                .enable_backface_culling(false);
        }
    }

    /// The same drawing coarser, for motion.
    pub fn set_coarse(&mut self, drawing: &Drawing) {
        self.preview.get_or_insert_with(Preview::new).set(drawing);
    }

    /// Whether it has a coarser drawing.
    pub fn has_coarse(&self) -> bool {
        self.preview.as_ref().is_some_and(|preview| !preview.is_empty())
    }

    /// Draws one frame; `look` is how the drawing is seen ([`Drawing::seen`]), `mark` a picked point in display coordinates.
    pub async fn render(&mut self, look: &Look, mark: Option<[f32; 3]>) {
        let (position, rotation) = look.pose();
        self.group.set_position(position);
        self.group.set_rotation(rotation);
        // Lines are drawn a hair before the surface they lie on.
        let lift = Vec3::new(0.0, 0.0, 0.006);
        let pose = Pose3::from_parts(position + lift, rotation);
        for stroke in &self.strokes {
            let mut line = stroke.clone();
            line.transform = pose;
            self.surface.window_mut().draw_polyline(&line);
        }
        if let Some(mark) = mark {
            let at = look.place(Vec3::from_array(mark)) + 4.0 * lift;
            self.surface.window_mut().draw_point(at, Color::new(0.65, 0.08, 0.0, 1.0), 9.0);
        }
        let mut camera = StillCamera::new(look.zoom, self.size.0, self.size.1);
        self.surface.render_3d(&mut self.scene, &mut camera).await;
    }

    /// Draws one frame of the coarser drawing, where there is one, with fewer pixels. The last whole frame stays what it is.
    pub fn render_coarse(&mut self, look: &Look, mark: Option<[f32; 3]>) {
        let size = ((self.size.0 / COARSER).max(8), (self.size.1 / COARSER).max(8));
        let ground = ground(self.dark);
        if let Some(preview) = &mut self.preview {
            preview.render(size, ground, look, mark.map(|at| (at, 9.0 / COARSER as f32)));
        }
    }

    /// Waits until the adapter has drawn what was handed over.
    pub fn finish(&self) {
        // A device that is lost has nothing to wait for.
        let _ = kiss3d::context::Context::get().device.poll(wgpu::PollType::wait_indefinitely());
    }

    /// What the card's passes of a whole frame took, in words, as far as the card tells.
    pub fn timings(&mut self) -> String {
        self.surface.window_mut().render_timings().map(ToString::to_string).unwrap_or_default()
    }

    /// The last whole frame.
    pub fn picture(&self) -> Image {
        let picture = self.surface.snap_image();
        Image { width: picture.width() as usize, height: picture.height() as usize, rgb: picture.into_raw() }
    }

    /// The last whole frame on the graphics card, for the window.
    pub fn view(&mut self) -> wgpu::TextureView {
        self.surface.output_view()
    }

    /// The last coarse frame on the graphics card, smaller.
    pub fn coarse_view(&self) -> Option<wgpu::TextureView> {
        self.preview.as_ref()?.view()
    }
}

/// Frames of motion have so many times fewer pixels each way.
const COARSER: u32 = 2;

fn gpu_mesh(drawing: &Drawing) -> GpuMesh3d {
    let positions = drawing.positions.iter().map(|p| Vec3::from_array(*p)).collect();
    let normals = drawing.lit_normals().map(Vec3::from_array).collect();
    let uvs = drawing.uvs.iter().map(|uv| Vec2::from_array(*uv)).collect();
    GpuMesh3d::new(positions, drawing.triangles.clone(), Some(normals), Some(uvs), false)
}

fn polyline(stroke: &crate::drawing::Stroke, fineness: f32) -> Polyline3d {
    let [r, g, b] = stroke.colour.map(|c| c.powf(2.2) as f32);
    Polyline3d::new(stroke.points.iter().map(|p| Vec3::from_array(*p)).collect())
        .with_color(Color::new(r, g, b, 1.0))
        .with_width(stroke.width * fineness)
        .with_perspective(false)
}
