//! A point of a space of matrices or vectors as a picture and numbers.

use super::chart::{PALETTE, escape};
use super::colour::{ColourScale, short};
use std::fmt::Write as _;

/// Width of every picture: they stand on pages at one scale, whatever is in them.
const WIDTH: f64 = 640.0;
/// The side of a large matrix.
const SIDE: f64 = 240.0;
/// The largest matrix whose entries are written into its picture.
const WITH_NUMBERS: usize = 6;

/// A square matrix (row by row) as coloured fields, the entries of a small one written in, with a colour bar.
pub fn matrix(name: &str, order: usize, entries: &[f64]) -> String {
    let scale = ColourScale::signed(name, "", entries);
    let field = (SIDE / order.max(1) as f64).min(0.25 * SIDE);
    let (side, left) = (field * order as f64, 0.5 * (WIDTH - field * order as f64));
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {side:.1}\" width=\"{WIDTH}\" height=\"{side:.0}\" role=\"img\" \
         aria-label=\"{}\" font-family=\"sans-serif\" font-size=\"{:.1}\">",
        escape(name),
        (0.22 * field).max(6.0)
    );
    for (i, value) in entries.iter().enumerate().take(order * order) {
        let (x, y) = (left + (i % order) as f64 * field, (i / order) as f64 * field);
        let [r, g, b] = scale.colour(*value).map(|c| (255.0 * c).round());
        let _ = write!(
            text,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{field:.1}\" height=\"{field:.1}\" fill=\"rgb({r:.0},{g:.0},{b:.0})\"/>"
        );
        if order <= WITH_NUMBERS {
            let ink = if 0.3 * r + 0.6 * g + 0.1 * b > 140.0 { "#000" } else { "#fff" };
            let (cx, cy) = (x + field / 2.0, y + 0.57 * field);
            let _ = write!(
                text,
                "<text x=\"{cx:.1}\" y=\"{cy:.1}\" text-anchor=\"middle\" fill=\"{ink}\">{}</text>",
                short(*value)
            );
        }
    }
    text + "</svg>" + &scale.bar()
}

/// A point (the first two coordinates of it) within the unit circle, beside another one: the Poincaré disk, or a sphere seen along its third axis.
pub fn in_circle(name: &str, point: [f64; 2], other: (&str, [f64; 2])) -> String {
    let place = |[x, y]: [f64; 2]| (150.0 + 130.0 * x.clamp(-1.0, 1.0), 150.0 - 130.0 * y.clamp(-1.0, 1.0));
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-170 0 640 340\" width=\"640\" height=\"340\" role=\"img\" aria-label=\"{}\" \
         font-family=\"sans-serif\" font-size=\"12\"><circle cx=\"150\" cy=\"150\" r=\"130\" fill=\"#fff\" stroke=\"#9aa1ab\"/>\
         <path d=\"M20 150H280M150 20V280\" stroke=\"#e6e6e6\"/>",
        escape(name)
    );
    for (k, (label, p, colour)) in
        [(other.0, other.1, "#9aa1ab"), (name, point, PALETTE[0])].into_iter().enumerate()
    {
        if p.iter().all(|c| c.is_finite()) {
            let ((x, y), row) = (place(p), 304.0 + 18.0 * k as f64);
            let _ = write!(
                text,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{colour}\"/><circle cx=\"14\" cy=\"{:.1}\" r=\"4\" fill=\"{colour}\"/>\
                 <text x=\"26\" y=\"{row:.1}\" fill=\"#1d2129\">{}</text>",
                row - 4.0,
                escape(label)
            );
        }
    }
    text + "</svg>"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_is_a_field_and_small_ones_are_written() {
        let svg = matrix("mean", 2, &[1.0, -0.5, -0.5, 2.0]);
        assert_eq!((svg.matches("<rect x=").count() >= 4, svg.contains(">2<")), (true, true), "{svg}");
        let large = matrix("mean", 9, &[0.25; 81]);
        assert!(!large.split("</svg>").next().unwrap().contains("<text"));
    }

    #[test]
    fn points_lie_in_the_circle() {
        let svg = in_circle("mean", [0.5, -0.5], ("centre", [0.0, 7.0]));
        assert!(svg.contains("cx=\"215.0\" cy=\"215.0\"") && svg.contains("cy=\"20.0\""));
        assert!(!in_circle("mean", [f64::NAN, 0.0], ("centre", [0.0, 0.0])).contains("NaN"));
    }
}
