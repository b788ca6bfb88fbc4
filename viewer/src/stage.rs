//! A pane on a graphics card: an off-screen surface that both pictures and the window use.

use crate::drawing::Drawing;
use crate::look::{Look, StillCamera};
use crate::material::{FaceMaterial, Style};
use crate::quick::Quick;
use kiss3d::prelude::*;
use std::cell::Cell;
use std::sync::Arc;
use visard::report::render::Image;

/// The ground, sRGB; near-white, as in the reports.
pub const GROUND: f64 = 0.97;

/// The linear grey of the ground, on a light screen or a dark one.
pub fn ground(dark: bool) -> f32 {
    grey(dark).powf(2.2) as f32
}

fn grey(dark: bool) -> f64 {
    if dark { DARK_GROUND } else { GROUND }
}

const DARK_GROUND: f64 = 0.15;

/// Which of its pictures a stage drew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Picture {
    /// As it is saved.
    Still,
    /// In one pass: for the eye the same.
    Quick,
    /// Smaller, of the coarser drawing.
    Coarse,
}

/// An off-screen surface with one drawing; for the window also quicker pictures of it, and of a coarser one while it moves.
pub struct Stage {
    surface: OffscreenSurface,
    scene: SceneNode3d,
    group: SceneNode3d,
    strokes: Vec<Polyline3d>,
    material: Rc<RefCell<Box<dyn Material3d>>>,
    style: Rc<Cell<Style>>,
    /// Of the band's shell.
    glass: Rc<RefCell<Box<dyn Material3d>>>,
    /// Of the drawing on the surface, and of that which is not there yet.
    quick: Option<Quick>,
    kept: Option<Arc<Drawing>>,
    coarse: Option<Quick>,
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
            quick: None,
            kept: None,
            coarse: None,
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

    /// Puts another drawing on the stage for the window; the coarser one of the last is gone.
    pub fn show(&mut self, drawing: Arc<Drawing>) {
        self.coarse.iter_mut().for_each(Quick::clear);
        let quick = self.quick.get_or_insert_with(|| Quick::new(4));
        // Wide lines and points are the graphics library's.
        let wide = drawing.strokes.iter().any(|stroke| stroke.facing.is_none());
        match drawing.wireframe || drawing.points || wide {
            true => quick.clear(),
            false => quick.set(&drawing),
        }
        self.kept = Some(drawing);
    }

    /// Puts another drawing on the surface.
    pub fn set(&mut self, drawing: &Drawing) {
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

    /// What is shown coarser, for motion.
    pub fn set_coarse(&mut self, drawing: &Drawing) {
        self.coarse.get_or_insert_with(|| Quick::new(1)).set(drawing);
    }

    /// Whether it has a coarser drawing.
    pub fn has_coarse(&self) -> bool {
        self.coarse.as_ref().is_some_and(|coarse| !coarse.is_empty())
    }

    /// Draws what is shown, as quickly as it can be drawn whole.
    pub async fn render_shown(&mut self, look: &Look, mark: Option<[f32; 3]>) -> Picture {
        match self.quick.as_mut().filter(|quick| !quick.is_empty()) {
            Some(quick) => {
                quick.render(self.size, grey(self.dark), look, mark.map(|at| (at, 9)));
                Picture::Quick
            }
            None => {
                self.render_still(look, mark).await;
                Picture::Still
            }
        }
    }

    /// Draws what is shown as it is saved.
    pub async fn render_still(&mut self, look: &Look, mark: Option<[f32; 3]>) {
        if let Some(drawing) = self.kept.take() {
            self.set(&drawing);
        }
        self.render(look, mark).await;
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

    /// Draws one frame of the coarser drawing, where there is one, with fewer pixels.
    pub fn render_coarse(&mut self, look: &Look, mark: Option<[f32; 3]>) -> Picture {
        let size = ((self.size.0 / COARSER).max(8), (self.size.1 / COARSER).max(8));
        if let Some(coarse) = &mut self.coarse {
            coarse.render(size, grey(self.dark), look, mark.map(|at| (at, 9 / COARSER)));
        }
        Picture::Coarse
    }

    /// Waits until the adapter has drawn what was handed over.
    pub fn finish(&self) {
        // A device that is lost has nothing to wait for.
        let _ = kiss3d::context::Context::get().device.poll(wgpu::PollType::wait_indefinitely());
    }

    /// What the card's passes of a frame on the surface took, in words, as far as the card tells.
    pub fn timings(&mut self) -> String {
        self.surface.window_mut().render_timings().map(ToString::to_string).unwrap_or_default()
    }

    /// The last frame on the surface.
    pub fn picture(&self) -> Image {
        let picture = self.surface.snap_image();
        Image { width: picture.width() as usize, height: picture.height() as usize, rgb: picture.into_raw() }
    }

    /// The last such picture on the graphics card, for the window.
    pub fn view(&mut self, picture: Picture) -> Option<wgpu::TextureView> {
        match picture {
            Picture::Still => Some(self.surface.output_view()),
            Picture::Quick => self.quick.as_ref()?.view(),
            Picture::Coarse => self.coarse.as_ref()?.view(),
        }
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
