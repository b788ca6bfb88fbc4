//! The interactive window.

use crate::scene;
use crate::source::Subject;
use kiss3d::egui;
use kiss3d::prelude::*;

/// Opens the window and runs until it is closed.
pub fn open(subject: Subject) -> Result<(), String> {
    if !has_display() {
        return Err("there is no display to open a window on; use --screenshot FILE".to_owned());
    }
    if !crate::headless::has_adapter() {
        return Err(
            "no graphics adapter found; install a Vulkan driver (Debian: mesa-vulkan-drivers)".to_owned()
        );
    }
    kiss3d::pollster::block_on(run(subject));
    Ok(())
}

fn has_display() -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|v| !v.is_empty());
    !cfg!(target_os = "linux") || set("DISPLAY") || set("WAYLAND_DISPLAY")
}

async fn run(subject: Subject) {
    let mut window = Window::new(&format!("visard: {}", subject.path.display())).await;
    window.set_background_color(scene::BACKGROUND);
    window.set_shadows_enabled(false);
    window.set_ambient(0.35);
    let mut nodes = scene::build(&subject);
    let mut camera = scene::camera(0.0);
    let facts =
        format!("{} points, {} triangles", subject.mesh.vertices().len(), subject.mesh.triangles().len());
    while window.render_3d(&mut nodes, &mut camera).await {
        window.draw_ui(|ctx| {
            if subject.internal {
                let top =
                    egui::Area::new(egui::Id::new("internal")).anchor(egui::Align2::CENTER_TOP, [0.0, 4.0]);
                top.show(ctx, |ui| {
                    ui.colored_label(egui::Color32::from_rgb(200, 30, 20), "INTERNAL: do not publish");
                });
            }
            egui::Window::new("visard").resizable(false).show(ctx, |ui| {
                ui.label(&facts);
                ui.horizontal(|ui| {
                    for (name, yaw) in [("front", 0.0), ("three-quarter", 40.0), ("left", 88.0)] {
                        if ui.button(name).clicked() {
                            camera = scene::camera(yaw);
                        }
                    }
                });
                ui.label("left drag: turn · right drag: move · wheel: zoom");
            });
        });
    }
}
