//! The points that were clicked in the window, the ruler between them, and what is drawn over a pane.

use crate::drawing::{Drawing, Pick};
use crate::looking::{Mark, View, controls, marks, ruler};
use crate::panel::PanelState;
use crate::picking::pick;
use kiss3d::egui::{Context, PointerButton, Rect, Response};

/// The points that were clicked: on every pane of the same triangles.
#[derive(Debug, Clone, Copy, Default)]
pub struct Picked {
    /// Marked by a click.
    pub mark: Option<Pick>,
    /// Made the centre by a double click.
    pub centre: Option<Pick>,
    /// The mark is of this frame.
    pub fresh: Option<()>,
    /// The ruler's first end.
    pub from: Option<Pick>,
}

impl Picked {
    /// Begins or ends a ruler as the key says.
    pub fn measure(&mut self, state: &mut PanelState) {
        if !state.measures {
            self.from = None;
        } else if self.from.is_none() {
            self.from = self.mark;
            if self.mark.is_none() {
                state.measures = false;
                state.message = "click on a point of the surface first, then press R".into();
            }
        }
    }

    /// What the ruler reads on a drawing.
    pub fn reads(&self, drawing: &Drawing) -> Option<String> {
        let ends = self.ruler(drawing)?;
        controls::between(ends, &drawing.measurements, &drawing.frame).map(|ruled| ruled.distance)
    }

    /// The ruler's ends on a drawing.
    fn ruler(&self, drawing: &Drawing) -> Option<[[f32; 3]; 2]> {
        let (from, to) = (self.from?, self.mark?);
        if from == to { None } else { Some([from.point(drawing)?, to.point(drawing)?]) }
    }
}

/// What is drawn over a pane of this size.
pub fn over(drawing: &Drawing, state: &PanelState, picked: Picked, [width, height]: [f32; 2]) -> Vec<Mark> {
    let look = drawing.seen(&state.look, picked.centre);
    let view = View::new(look, f64::from(width), f64::from(height));
    let mut over = marks(&state.wish.display.instruments, drawing, &view);
    if let Some(ends) = picked.ruler(drawing).filter(|_| !drawing.flat) {
        let ruled = controls::between(ends, &drawing.measurements, &drawing.frame);
        over.extend(ruled.iter().flat_map(|ruled| ruler::marks(ruled, &view)));
    }
    over
}

/// On the last of the drawings. As in MeshLab: left turns, right, middle or Ctrl + left moves, the wheel enlarges, a double click sets the centre.
pub fn move_by_mouse(
    ctx: &Context,
    response: &Response,
    rect: Rect,
    drawings: &[&Drawing],
    state: &mut PanelState,
    picked: &mut Picked,
) {
    let Some(drawing) = drawings.last() else { return };
    let delta = response.drag_delta();
    let (dx, dy) = (f64::from(delta.x), f64::from(delta.y));
    let modified = ctx.input(|i| i.modifiers.ctrl || i.modifiers.shift || i.modifiers.command);
    let moves = response.dragged_by(PointerButton::Secondary) || response.dragged_by(PointerButton::Middle);
    if moves || (response.dragged_by(PointerButton::Primary) && (modified || drawing.flat)) {
        state.look.shift_by(dx, dy, f64::from(rect.height()));
    } else if response.dragged_by(PointerButton::Primary) {
        state.look.turn(dx, dy);
    }
    if response.hovered() {
        let scroll = ctx.input(|i| i.smooth_scroll_delta().y);
        if scroll != 0.0 {
            state.look.enlarge((0.004 * f64::from(scroll)).exp());
        }
    }
    let Some(at) =
        response.interact_pointer_pos().filter(|_| response.clicked() || response.double_clicked())
    else {
        return;
    };
    let place = [(at.x - rect.min.x) / rect.width(), (at.y - rect.min.y) / rect.height()].map(f64::from);
    let aspect = f64::from(rect.width() / rect.height());
    let seen = drawing.seen(&state.look, picked.centre);
    let found = pick(drawing, &seen, place, aspect);
    picked.mark = found;
    picked.fresh = found.map(drop);
    // A disk map stands to the right of its surface, which is what turns about the new centre.
    let surface = drawings.iter().rev().find(|d| !d.flat).unwrap_or(drawing);
    if let (true, Some(found)) = (response.double_clicked(), found)
        && let Some(point) = found.point(surface)
    {
        picked.centre = Some(found);
        state.look.centre_on(point.map(f64::from));
    }
}
