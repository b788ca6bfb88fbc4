//! How a pane's picture lies on the screen.

use crate::looking::{Mark, paint};
use crate::worker::Shown;
use kiss3d::egui::{self, Context, Id, Order, Rect, Response, Sense, TextureId, vec2};
use visard::report::colour::ColourScale;

/// Puts a pane's picture, what is drawn over it, its colour bar and its name on the screen.
pub fn lay_out(
    ctx: &Context,
    k: usize,
    rect: Rect,
    shown: &Shown,
    texture: Option<TextureId>,
    over: &[Mark],
) -> Response {
    let area = egui::Area::new(Id::new(("pane", k))).order(Order::Background).fixed_pos(rect.min);
    area.show(ctx, |ui| {
        let (place, response) = ui.allocate_exact_size(rect.size(), Sense::click_and_drag());
        if let Some(texture) = texture {
            let whole = Rect::from_min_max(egui::pos2(0.0, 0.0), egui::pos2(1.0, 1.0));
            ui.painter().image(texture, place, whole, egui::Color32::WHITE);
        }
        paint::on_screen(ui.painter(), place, over, ui.visuals().dark_mode);
        if let Some(scale) = &shown.drawing.scale {
            colour_bar(ui.painter(), place, scale, ui.visuals().strong_text_color());
        }
        let title = place.center_bottom() - vec2(0.0, 8.0);
        let font = egui::FontId::proportional(14.0);
        let ink = ui.visuals().strong_text_color();
        ui.painter().text(title, egui::Align2::CENTER_BOTTOM, shown.title(), font, ink);
        response
    })
    .inner
}

fn colour_bar(painter: &egui::Painter, pane: Rect, scale: &ColourScale, ink: egui::Color32) {
    let width = (0.32 * pane.width()).clamp(80.0, 320.0);
    let corner = pane.right_bottom() - vec2(width + 24.0, 48.0);
    let font = egui::FontId::proportional(13.0);
    for step in 0..64 {
        let [r, g, b] = scale.map.at((step as f64 + 0.5) / 64.0).map(|c| (255.0 * c).round() as u8);
        let left = corner + vec2(width * step as f32 / 64.0, 0.0);
        let cell = Rect::from_min_size(left, vec2(width / 64.0 + 0.5, 12.0));
        painter.rect_filled(cell, 0.0, egui::Color32::from_rgb(r, g, b));
    }
    // A label longer than the bar goes to the left, into the pane.
    let label = painter.layout_no_wrap(scale.label(), font.clone(), ink);
    let x = corner.x.min(pane.right() - 12.0 - label.size().x).max(pane.left() + 4.0);
    painter.galley(egui::pos2(x, corner.y - 4.0 - label.size().y), label, ink);
    let anchors = [egui::Align2::LEFT_TOP, egui::Align2::CENTER_TOP, egui::Align2::RIGHT_TOP];
    let narrow = width < 150.0;
    for ((t, text), anchor) in
        scale.ticks().into_iter().zip(anchors).filter(|((t, _), _)| !narrow || *t != 0.5)
    {
        painter.text(corner + vec2(width * t as f32, 14.0), anchor, text, font.clone(), ink);
    }
}
