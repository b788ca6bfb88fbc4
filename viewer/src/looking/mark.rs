//! What is drawn over a finished picture: lines, dots and letters.

use visard::report::canvas::text_width;

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
