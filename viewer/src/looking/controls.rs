//! The instruments in the window: check boxes, a slider for the cut, keys.

use super::measurements::{Measurements, RulerReading};
use super::{End, Instruments, Ruler, Slice};
use crate::geometry::Frame;
use kiss3d::egui::{Context, Key, Slider, Ui};

/// A step of `[` and `]`, in half-diagonals of the subject.
const STEP: f64 = 0.02;

/// Check boxes, and the place of the cut while there is one.
pub fn controls(ui: &mut Ui, instruments: &mut Instruments, frame: &Frame) {
    ui.horizontal_wrapped(|ui| {
        ui.checkbox(&mut instruments.scale_bar, "scale bar");
        ui.checkbox(&mut instruments.axes, "axes");
        ui.checkbox(&mut instruments.landmarks, "landmarks");
    });
    ui.horizontal_wrapped(|ui| {
        ui.label("cut across");
        for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
            let on = instruments.slice.is_some_and(|slice| slice.axis == axis);
            if ui.selectable_label(on, name).clicked() {
                toggle(instruments, axis, frame);
            }
        }
        if let Some(slice) = &mut instruments.slice {
            ui.checkbox(&mut slice.below, "other side");
        }
    });
    if let Some(slice) = &mut instruments.slice {
        let (middle, reach) = (frame.centre[slice.axis], 1.0 / frame.scale);
        ui.add(Slider::new(&mut slice.at, middle - reach..=middle + reach).text("place of the cut"));
    }
}

/// A cut through the middle across an axis, or none where there was one across it.
fn toggle(instruments: &mut Instruments, axis: usize, frame: &Frame) {
    instruments.slice = match instruments.slice {
        Some(slice) if slice.axis == axis => None,
        _ => Some(Slice { axis, at: frame.centre[axis], below: false }),
    };
}

/// Acts on the keys that were pressed and the letters that were typed.
pub fn keys(ctx: &Context, typed: &str, instruments: &mut Instruments, frame: &Frame) {
    let pressed = |key: Key| ctx.input(|i| i.key_pressed(key));
    for (key, flag) in [
        (Key::M, &mut instruments.scale_bar),
        (Key::A, &mut instruments.axes),
        (Key::L, &mut instruments.landmarks),
    ] {
        if pressed(key) {
            *flag = !*flag;
        }
    }
    for (axis, key) in [Key::X, Key::Y, Key::Z].into_iter().enumerate() {
        if pressed(key) {
            toggle(instruments, axis, frame);
        }
    }
    for letter in typed.chars() {
        let steps = match letter {
            '[' => -STEP,
            ']' => STEP,
            _ => continue,
        };
        if let Some(slice) = &mut instruments.slice {
            slice.at += steps / frame.scale;
        }
    }
}

/// The ruler between two places of a drawing that were clicked.
pub fn between(ends: [[f32; 3]; 2], measurements: &Measurements, frame: &Frame) -> Option<RulerReading> {
    Ruler(ends.map(End::Place)).read(measurements, frame, &[], "").ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kiss3d::egui::{Event, Modifiers, RawInput};
    use visard::mesh::Point;

    fn press(instruments: &mut Instruments, key: Key, typed: &str) {
        let ctx = Context::default();
        let event =
            Event::Key { key, physical_key: None, pressed: true, repeat: false, modifiers: Modifiers::NONE };
        ctx.begin_pass(RawInput { events: vec![event], ..RawInput::default() });
        let frame = Frame { centre: Point::new(1.0, 2.0, 3.0), scale: 0.01 };
        keys(&ctx, typed, instruments, &frame);
        let _ = ctx.end_pass();
    }

    #[test]
    fn keys_switch_instruments_and_move_the_cut() {
        let mut instruments = Instruments::default();
        press(&mut instruments, Key::M, "");
        press(&mut instruments, Key::Y, "]]");
        assert!(instruments.scale_bar && !instruments.axes);
        assert_eq!(instruments.slice, Some(Slice { axis: 1, at: 2.0 + 2.0 * STEP / 0.01, below: false }));
        press(&mut instruments, Key::Y, "[");
        assert_eq!(instruments.slice, None);
    }

    #[test]
    fn clicked_places_are_measured_in_the_subjects_lengths() {
        let measurements =
            Measurements { lengths: crate::looking::Lengths::Millimetres(1.0), ..Measurements::default() };
        let frame = Frame { centre: Point::origin(), scale: 0.01 };
        let ruled = between([[0.0; 3], [0.3, 0.4, 0.0]], &measurements, &frame).unwrap();
        assert_eq!(ruled.distance, "50.0 mm");
    }
}
