//! Instruments to look with: a scale bar, axes, named landmarks, a ruler, a cut. The cut changes what is drawn; the others are
//! lines, dots and letters over the finished picture, the same in stills and in the window.

pub mod axes;
pub mod controls;
pub mod known;
pub mod landmarks;
pub mod lengths;
pub mod paint;
pub mod ruler;
pub mod scale_bar;
pub mod slice;
pub mod view;

use crate::drawing::Drawing;
pub use known::Known;
pub use landmarks::NamedPlace;
pub use lengths::Lengths;
pub use ruler::{End, Ruled, Ruler};
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

/// Where a text stands beside its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// Its left end is at the place, its middle at its height.
    Left,
    /// Its middle is at the place.
    Middle,
}

/// What is drawn over a picture; places and lengths in pixels from its upper left corner.
#[derive(Debug, Clone, PartialEq)]
pub enum Mark {
    /// A straight line.
    Line {
        /// Its ends.
        ends: [[f64; 2]; 2],
        /// Its width.
        width: f64,
        /// Its colour.
        ink: Ink,
    },
    /// A disc.
    Dot {
        /// Its middle.
        at: [f64; 2],
        /// Half its width.
        radius: f64,
        /// Its colour.
        ink: Ink,
    },
    /// Letters.
    Text {
        /// Where.
        at: [f64; 2],
        /// To which side of it.
        anchor: Anchor,
        /// Their height.
        height: f64,
        /// What they say.
        text: String,
        /// Their colour.
        ink: Ink,
    },
}

/// What letters cover, in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cover {
    /// The upper left corner.
    pub low: [f64; 2],
    /// The lower right corner.
    pub high: [f64; 2],
}

impl Cover {
    /// Whether two have a place in common.
    pub fn meets(&self, other: &Self) -> bool {
        (0..2).all(|k| self.low[k] < other.high[k] && other.low[k] < self.high[k])
    }
}

impl Mark {
    /// What its letters cover; `None` where it has none.
    pub fn cover(&self) -> Option<Cover> {
        let Self::Text { at: [x, y], anchor, height, text, .. } = self else { return None };
        let width = text_width(text, *height);
        let left = if *anchor == Anchor::Middle { x - 0.5 * width } else { *x };
        Some(Cover { low: [left, y - 0.5 * height], high: [left + width, y + 0.5 * height] })
    }
}

/// The colours of marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ink {
    /// Stands out from the ground: dark on a light one, light on a dark one.
    Ground,
    /// Stands out from a face.
    Face,
    /// Of the ruler.
    Ruler,
    /// Of an axis: 0 for x, 1 for y, 2 for z. They differ in lightness, too.
    Axis(usize),
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
    for ruled in &drawing.known.ruled {
        marks.extend(ruler::marks(ruled, view));
    }
    if instruments.landmarks {
        let names = landmarks::marks(&landmarks::seen(drawing, view), &marks, view);
        marks.extend(names);
    }
    if instruments.scale_bar {
        marks.extend(scale_bar::marks(&drawing.known.lengths, drawing.frame.scale, view));
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
