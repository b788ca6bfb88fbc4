//! The directions of x, y and z in a corner: x to the subject's left, y up, z forward, for what stands upright.

use super::View;
use super::mark::{Anchor, Ink, Mark};

/// Length of an axis in heights of letters.
const LENGTH: f64 = 4.0;
/// Shorter than this, an axis points at the viewer and its letter stands at the middle.
const SEEN: f64 = 0.12;

/// Three lines from one point in the lower right corner, the nearest drawn last.
pub fn marks(view: &View) -> Vec<Mark> {
    let [width, height] = view.size();
    let letters = view.lettering();
    let middle = [width - (LENGTH + 3.0) * letters, height - (LENGTH + 3.0) * letters];
    let directions = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|d| view.turned(d));
    let mut order = [0, 1, 2];
    order.sort_by(|a, b| directions[*a][2].total_cmp(&directions[*b][2]));
    let along = |k: usize, length: f64| {
        let [x, y, _] = directions[k];
        [middle[0] + length * letters * x, middle[1] - length * letters * y]
    };
    order
        .into_iter()
        .flat_map(|k| {
            let ink = Ink::Axis(k);
            let short = directions[k][0].hypot(directions[k][1]) < SEEN;
            let line = Mark::Line { ends: [middle, along(k, LENGTH)], width: 1.3 * view.line(), ink };
            let at = if short {
                [middle[0] - 1.2 * letters, middle[1] + 1.2 * letters]
            } else {
                along(k, LENGTH + 1.2)
            };
            let text = ["x", "y", "z"][k].to_owned();
            let dot = Mark::Dot { at: middle, radius: 1.3 * view.line(), ink };
            let letter = Mark::Text { at, anchor: Anchor::Middle, height: letters, text, ink };
            [if short { dot } else { line }, letter]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::look::Look;

    fn ends(look: Look) -> Vec<(usize, [[f64; 2]; 2])> {
        let of = |mark: Mark| match mark {
            Mark::Line { ends, ink: Ink::Axis(k), .. } => Some((k, ends)),
            _ => None,
        };
        marks(&View::new(look, 800.0, 600.0)).into_iter().filter_map(of).collect()
    }

    #[test]
    fn from_the_front_x_points_right_and_y_up_and_z_is_a_point() {
        let seen = ends(Look::default());
        assert_eq!(seen.len(), 2);
        for (k, [a, b]) in seen {
            assert!(if k == 0 { b[0] > a[0] + 10.0 } else { b[1] < a[1] - 10.0 }, "{k}");
        }
        // Seen from its left side, the nose (z) points to the left.
        let [a, b] = ends(Look::named("left").unwrap()).into_iter().find(|(k, _)| *k == 2).unwrap().1;
        assert!(b[0] < a[0] - 10.0);
    }
}
