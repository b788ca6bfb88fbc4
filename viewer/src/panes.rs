//! The panes of the window: each drawn off-screen, whole, or coarse while it moves and the whole would be too slow.

use crate::drawing::{Drawing, Pick};
use crate::look::Look;
use crate::motion::{self, Cost, Detail};
use crate::pointing::Picked;
use crate::stage::{Picture, Stage};
use crate::worker::Shown;
use kiss3d::egui::{Rect, TextureId, vec2};
use kiss3d::prelude::Window;
use std::time::{Duration, Instant};

/// One pane on screen.
pub struct Pane {
    /// What it shows.
    pub shown: Shown,
    /// Where it is drawn.
    pub stage: Stage,
    /// Every picture, with its pane's size.
    textures: [Option<(TextureId, (u32, u32))>; 3],
    /// What was drawn last, from where.
    drawn: Option<(Seen, Picture)>,
    /// How long whole pictures of this drawing took.
    cost: Cost,
    /// Only the coarser surface is bent as a slider says; the whole one follows.
    ahead: bool,
}

/// From where, with which mark, at which size.
type Seen = (Look, Option<Pick>, (u32, u32));

/// What all panes are drawn for.
#[derive(Debug, Clone, Copy)]
pub struct Occasion {
    /// The look changes.
    pub moving: bool,
    /// The picture is to be saved.
    pub saved: bool,
}

impl Pane {
    /// A pane with something else on its stage.
    pub fn new(shown: Shown, mut stage: Stage) -> Self {
        stage.show(shown.drawing.clone());
        Self { shown, stage, textures: [None; 3], drawn: None, cost: Cost::default(), ahead: false }
    }

    /// Shows something else in the same place.
    pub fn show(self, shown: Shown) -> Self {
        Self { textures: self.textures, ..Self::new(shown, self.stage) }
    }

    /// A coarser drawing of what is shown or, `ahead` of it, of what will be.
    pub fn set_coarse(&mut self, drawing: &Drawing, ahead: bool) {
        self.stage.set_coarse(drawing);
        self.ahead = ahead;
        if ahead || self.drawn.is_some_and(|(_, picture)| picture == Picture::Coarse) {
            self.drawn = None;
        }
    }

    /// Shows the whole again: what a slider was to show is not to be had.
    pub fn fall_back(&mut self) {
        if std::mem::take(&mut self.ahead) {
            self.drawn = None;
        }
    }

    /// Has it drawn again.
    pub fn refresh(&mut self) {
        self.drawn = None;
    }

    /// Takes its pictures off the window.
    pub fn leave(self, window: &mut Window) {
        for (texture, _) in self.textures.into_iter().flatten() {
            window.unregister_egui_texture(texture);
        }
    }

    /// How long a picture of the whole takes, as far as it is known.
    pub fn picture_time(&self) -> Duration {
        self.cost.least.unwrap_or_default()
    }

    /// It is drawn as it is saved.
    pub fn is_still(&self) -> bool {
        self.drawn.is_some_and(|(_, picture)| picture == Picture::Still)
    }

    /// What was drawn last.
    pub fn texture(&self) -> Option<TextureId> {
        let (_, picture) = self.drawn?;
        self.textures[picture as usize].map(|(texture, _)| texture)
    }

    async fn draw(&mut self, window: &mut Window, seen: Seen, occasion: Occasion) {
        let Occasion { moving, saved } = occasion;
        let has_coarse = self.stage.has_coarse();
        let asked = motion::Pane { moving, saved, has_coarse, ahead: self.ahead, whole: self.cost.least };
        let detail = asked.detail();
        // A whole picture is not replaced by a coarse one from the same place, nor is one that is saved by a quicker one.
        let does = |picture: Picture| match picture {
            Picture::Still => true,
            Picture::Quick => !saved,
            Picture::Coarse => detail == Detail::Coarse,
        };
        if self.drawn.is_some_and(|(from, picture)| from == seen && does(picture)) {
            return;
        }
        let (look, mark, size) = seen;
        let mark = mark.and_then(|m| m.point(&self.shown.drawing));
        self.stage.resize(size.0, size.1);
        let picture = match detail {
            Detail::Coarse => self.stage.render_coarse(&look, mark),
            Detail::Whole if saved => {
                self.stage.render_still(&look, mark).await;
                Picture::Still
            }
            Detail::Whole => loop {
                let begun = Instant::now();
                let picture = self.stage.render_shown(&look, mark).await;
                self.stage.finish();
                self.cost.note(begun.elapsed());
                if !self.cost.is_doubtful() {
                    break picture;
                }
            },
        };
        self.drawn = Some((seen, picture));
        let place = &mut self.textures[picture as usize];
        if place.is_some_and(|(_, shown)| shown == size) {
            return;
        }
        if let Some((texture, _)) = place.take() {
            window.unregister_egui_texture(texture);
        }
        let view = self.stage.view(picture);
        let texture = view.map(|view| window.register_egui_texture(&view, wgpu::FilterMode::Linear));
        self.textures[picture as usize] = texture.map(|texture| (texture, size));
    }
}

/// Where a pane lies.
pub fn pane_rect(area: Rect, k: usize, n: usize) -> Rect {
    let width = area.width() / n.max(1) as f32;
    Rect::from_min_size(area.min + vec2(k as f32 * width, 0.0), vec2(width, area.height()))
}

/// Draws the panes whose look, mark or size changed, or that came to rest.
pub async fn draw_panes(
    window: &mut Window,
    panes: &mut [Pane],
    area: Rect,
    (look, picked): (&Look, Picked),
    occasion: Occasion,
) {
    let scale = window.scale_factor() as f32;
    let count = panes.len();
    for (k, pane) in panes.iter_mut().enumerate() {
        let rect = pane_rect(area, k, count);
        let size = ((rect.width() * scale).max(8.0) as u32, (rect.height() * scale).max(8.0) as u32);
        let seen = (pane.shown.drawing.seen(look, picked.centre), picked.mark, size);
        pane.draw(window, seen, occasion).await;
    }
}
