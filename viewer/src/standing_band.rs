//! The band that says on the screen whether what is shown may be published.

use kiss3d::egui::{self, Align2, Color32, Context, Id, Order};
use visard::study::standing::Standing;

/// The band over everything while something internal is shown. Returns its height in points.
pub fn standing_band(ctx: &Context, standing: Standing) -> f32 {
    let Some(text) = standing.band() else { return 0.0 };
    const HEIGHT: f32 = 30.0;
    let screen = ctx.content_rect();
    let rect = egui::Rect::from_min_size(screen.min, egui::vec2(screen.width(), HEIGHT));
    // Above every other layer: no window can be moved over it.
    let painter = ctx.layer_painter(egui::LayerId::new(Order::Debug, Id::new("band")));
    painter.rect_filled(rect, 0.0, Color32::from_rgb(140, 29, 24));
    painter.text(
        rect.center(),
        Align2::CENTER_CENTER,
        text,
        egui::FontId::proportional(17.0),
        Color32::WHITE,
    );
    HEIGHT
}
