//! Instruments to look with: a scale bar, axes, named landmarks, a ruler, a cut. The cut changes what is drawn; the others are
//! lines, dots and letters over the finished picture, the same in stills and in the window.

pub mod axes;
pub mod controls;
pub mod landmarks;
pub mod lengths;
pub mod mark;
pub mod measure;
pub mod measurements;
pub mod paint;
pub mod ruler;
pub mod scale_bar;
pub mod slice;
pub mod view;

use crate::drawing::Drawing;
pub use lengths::Lengths;
pub use mark::Mark;
use mark::{Anchor, Ink};
pub use ruler::{End, Ruler};
pub use slice::Slice;
pub use view::View;
use visard::report::canvas::text_width;

/// Which instruments are in use.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Instruments {
    /// A bar of a round length.
    pub scale_bar: bool,
    /// The directions of x, y and z.
    pub axes: bool,
    /// The named landmarks.
    pub landmarks: bool,
    /// Distances between two points.
    pub rulers: Vec<Ruler>,
    /// The plane that cuts the surface.
    pub slice: Option<Slice>,
}

/// What is said of the whole drawing, in the upper left corner: its parts in as many lines as the picture's width asks for.
fn caption(text: &str, view: &View) -> Vec<Mark> {
    let letters = view.lettering();
    let room = view.size()[0] - 4.0 * letters;
    let mut lines: Vec<String> = Vec::new();
    for part in text.split(", ") {
        match lines.last_mut() {
            Some(line) if text_width(&format!("{line}, {part}"), letters) <= room => {
                line.push_str(", ");
                line.push_str(part);
            }
            _ => lines.push(part.to_owned()),
        }
    }
    let mark = |(k, text): (usize, String)| {
        let at = [2.0 * letters, (2.0 + 1.7 * k as f64) * letters];
        // A name longer than the picture is wide is made to fit.
        let height = letters * (room / text_width(&text, letters).max(1.0)).clamp(0.3, 1.0);
        Mark::Text { at, anchor: Anchor::Left, height, text, ink: Ink::Ground }
    };
    lines.into_iter().enumerate().map(mark).collect()
}

/// All marks over a drawing as it is seen. What lies in a plane for itself, as a disk map does, has none.
pub fn marks(instruments: &Instruments, drawing: &Drawing, view: &View) -> Vec<Mark> {
    let mut marks = Vec::new();
    if drawing.flat {
        return marks;
    }
    marks.extend(drawing.caption.iter().flat_map(|text| caption(text, view)));
    for ruled in &drawing.measurements.readings {
        marks.extend(ruler::marks(ruled, view));
    }
    if instruments.landmarks {
        let names = landmarks::marks(&landmarks::seen(drawing, view), &marks, view);
        marks.extend(names);
    }
    if instruments.scale_bar {
        marks.extend(scale_bar::marks(&drawing.measurements.lengths, drawing.frame.scale, view));
    }
    if instruments.axes {
        marks.extend(axes::marks(view));
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::look::Look;
    use mark::Cover;

    #[test]
    fn a_caption_of_many_values_stays_on_the_picture() {
        let (view, long) = (View::new(Look::default(), 300.0, 300.0), "n".repeat(90));
        let text = format!("age 12.5, body_mass_index 21.4, sex between F and M, {long}");
        let covers: Vec<Cover> = caption(&text, &view).iter().filter_map(Mark::cover).collect();
        assert_eq!(covers.len(), 3, "{covers:?}");
        assert!(covers.iter().all(|c| c.low[0] >= 0.0 && c.high[0] <= 300.0), "{covers:?}");
        assert!(covers.windows(2).all(|w| !w[0].meets(&w[1])), "{covers:?}");
        assert_eq!(caption("age 3", &view).len(), 1);
    }
}
