//! A bar of a round length. The projection is parallel: it holds at every depth, across the line of sight.

use super::mark::{Anchor, Ink, Mark};
use super::{Lengths, View};

/// The bar takes at most this share of the picture's width.
const MOST: f64 = 0.25;

/// The largest of 1, 2 and 5 times a power of ten that is at most this.
fn round_below(most: f64) -> f64 {
    let power = 10f64.powf(most.log10().floor());
    [5.0, 2.0, 1.0].map(|k| k * power).into_iter().find(|l| *l <= most * (1.0 + 1e-9)).unwrap_or(power)
}

/// The bar and its length, in the lower left corner; `scale` is display units in a unit of the file.
pub fn marks(lengths: &Lengths, scale: f64, view: &View) -> Vec<Mark> {
    let [width, height] = view.size();
    let pixels = view.pixels() * scale / lengths.said(1.0);
    let length = round_below(MOST * width / pixels);
    if !(length.is_finite() && length > 0.0 && pixels.is_finite()) {
        return Vec::new();
    }
    let letters = view.lettering();
    let [left, bottom] = [2.0 * letters, height - 2.0 * letters];
    let right = left + length * pixels;
    let tick = 0.5 * letters;
    let line = |a: [f64; 2], b: [f64; 2]| Mark::Line { ends: [a, b], width: view.line(), ink: Ink::Ground };
    let text = format!("{length} {}", lengths.unit());
    vec![
        line([left, bottom], [right, bottom]),
        line([left, bottom - tick], [left, bottom + tick]),
        line([right, bottom - tick], [right, bottom + tick]),
        Mark::Text {
            at: [left, bottom - 1.3 * letters],
            anchor: Anchor::Left,
            height: letters,
            text,
            ink: Ink::Ground,
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::look::Look;

    #[test]
    fn the_bar_is_as_long_as_it_says() {
        for zoom in [0.3, 1.0, 7.0] {
            let view = View::new(Look { zoom, ..Look::default() }, 900.0, 700.0);
            // A subject of half-diagonal 125 in centimetres.
            let marks = marks(&Lengths::Millimetres(10.0), 1.0 / 125.0, &view);
            let Mark::Line { ends: [a, b], .. } = &marks[0] else { panic!("a line") };
            let Mark::Text { text, .. } = &marks[3] else { panic!("a text") };
            let said: f64 = text.trim_end_matches(" mm").parse().unwrap();
            let drawn = (b[0] - a[0]) / view.pixels() * 125.0 * 10.0;
            assert!((drawn / said - 1.0).abs() < 1e-9, "{drawn} {said}");
            assert!(b[0] - a[0] <= 0.25 * 900.0 + 1e-6 && b[0] - a[0] > 0.09 * 900.0);
        }
        assert_eq!([0.9, 1.0, 49.0, 999.0].map(round_below), [0.5, 1.0, 20.0, 500.0]);
        let view = View::new(Look::default(), 90.0, 70.0);
        assert!(marks(&Lengths::Unknown, f64::NAN, &view).is_empty());
    }
}
