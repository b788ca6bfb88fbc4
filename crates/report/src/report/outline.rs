//! Planar outlines as SVG: shapes drawn over one another, small multiples of draws, colour along the curve.

use super::chart::{PALETTE, escape};
use super::colour::ColourMap;
use std::fmt::Write as _;

/// How an outline's line is coloured.
#[derive(Debug, Clone, PartialEq)]
pub enum Ink {
    /// One CSS colour.
    Plain(String),
    /// From dark to light along the curve, so that one sees where it starts and which way it runs.
    AlongCurve,
}

/// One planar curve through landmarks, x to the right and y up.
#[derive(Debug, Clone, PartialEq)]
pub struct Outline {
    /// Its name in the legend; empty for none.
    pub name: String,
    /// The landmarks in order, any units.
    pub points: Vec<[f64; 2]>,
    /// Whether the last landmark joins the first.
    pub closed: bool,
    /// Line colour.
    pub ink: Ink,
    /// Line width in hundredths of the drawing's side.
    pub width: f64,
    /// From 0 (invisible) to 1: pale lines let many be drawn over one another.
    pub opacity: f64,
    /// A dot at every landmark.
    pub dots: bool,
}

impl Outline {
    /// A closed curve in the `k`-th colour of the palette.
    pub fn closed(name: impl Into<String>, points: Vec<[f64; 2]>, k: usize) -> Self {
        let ink = Ink::Plain(PALETTE[k % PALETTE.len()].to_owned());
        Self { name: name.into(), points, closed: true, ink, width: 0.7, opacity: 1.0, dots: false }
    }

    /// An open curve in the `k`-th colour of the palette.
    pub fn open(name: impl Into<String>, points: Vec<[f64; 2]>, k: usize) -> Self {
        Self { closed: false, ..Self::closed(name, points, k) }
    }

    /// Pale: for the many behind the few.
    pub fn faint(mut self) -> Self {
        (self.width, self.opacity) = (0.35, 0.35);
        self
    }

    /// With a dot at every landmark.
    pub fn with_dots(mut self) -> Self {
        self.dots = true;
        self
    }

    /// Coloured along the curve.
    pub fn along_curve(mut self) -> Self {
        self.ink = Ink::AlongCurve;
        self
    }
}

const SIDE: f64 = 320.0;
const MARGIN: f64 = 12.0;

/// A common scale for several drawings: similarity from data to the drawing, y turned downwards.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placement {
    centre: [f64; 2],
    half: [f64; 2],
}

impl Placement {
    /// The bounding box of all finite points of all outlines.
    pub fn of<'a>(outlines: impl IntoIterator<Item = &'a Outline>) -> Self {
        let (mut lo, mut hi) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for p in outlines.into_iter().flat_map(|o| &o.points).filter(|p| p.iter().all(|c| c.is_finite())) {
            for k in 0..2 {
                lo[k] = lo[k].min(p[k]);
                hi[k] = hi[k].max(p[k]);
            }
        }
        if lo[0] > hi[0] {
            return Self { centre: [0.0; 2], half: [1.0; 2] };
        }
        let half: [f64; 2] = std::array::from_fn(|k| (hi[k] - lo[k]) / 2.0);
        let least = 1e-3 * half[0].max(half[1]);
        let half = half.map(|h| h.max(if least > 0.0 { least } else { 1.0 }));
        Self { centre: std::array::from_fn(|k| (hi[k] + lo[k]) / 2.0), half }
    }

    fn scale(&self) -> f64 {
        (SIDE / 2.0 - MARGIN) / self.half[0].max(self.half[1])
    }

    /// Height of a drawing SIDE wide: flat shapes get flat drawings.
    fn height(&self) -> f64 {
        (2.0 * (self.scale() * self.half[1] + MARGIN)).clamp(0.35 * SIDE, SIDE)
    }

    fn place(&self, p: &[f64; 2], height: f64) -> (f64, f64) {
        let s = self.scale();
        (SIDE / 2.0 + s * (p[0] - self.centre[0]), height / 2.0 - s * (p[1] - self.centre[1]))
    }
}

/// An SVG element with the outlines over one another, the first at the bottom, fitted to the frame; legend below.
pub fn outlines(title: &str, shapes: &[Outline]) -> String {
    outlines_at(title, shapes, &Placement::of(shapes))
}

/// The same on a scale of one's own, so that several drawings compare.
pub fn outlines_at(title: &str, shapes: &[Outline], placement: &Placement) -> String {
    let heading = if title.is_empty() { 0.0 } else { 24.0 };
    let named: Vec<&Outline> = shapes.iter().filter(|o| !o.name.is_empty()).collect();
    let (body, legend) = (placement.height(), 18.0 * named.len() as f64);
    let height = heading + body + legend + if named.is_empty() { 0.0 } else { 6.0 };
    let mut s = String::new();
    let _ = write!(
        s,
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIDE} {height:.0}" role="img" aria-label="{t}" font-family="system-ui,sans-serif" font-size="11"><rect width="{SIDE}" height="{height:.0}" fill="#fff"/><text x="8" y="16" font-size="12" font-weight="600">{t}</text><g transform="translate(0 {heading})" stroke-linejoin="round" stroke-linecap="round">"##,
        t = escape(title)
    );
    shapes.iter().for_each(|o| draw(&mut s, o, placement, body));
    s.push_str("</g>");
    for (row, o) in named.iter().enumerate() {
        let y = heading + body + 14.0 + 18.0 * row as f64;
        let colour = match &o.ink {
            Ink::Plain(c) => escape(c),
            Ink::AlongCurve => ColourMap::Sequential.css(0.3),
        };
        let _ = write!(
            s,
            r##"<path d="M8 {m}h18" stroke="{colour}" stroke-width="3"/><text x="31" y="{y}" fill="#222">{n}</text>"##,
            m = y - 4.0,
            n = escape(&o.name)
        );
    }
    s.push_str("</svg>");
    s
}

/// Several drawings on one scale, such as draws of a mechanism at falling budgets: (title, outlines) each.
pub fn small_multiples(drawings: &[(String, Vec<Outline>)]) -> Vec<String> {
    let placement = Placement::of(drawings.iter().flat_map(|d| &d.1));
    drawings.iter().map(|(title, shapes)| outlines_at(title, shapes, &placement)).collect()
}

fn draw(s: &mut String, o: &Outline, placement: &Placement, height: f64) {
    let finite = o.points.iter().filter(|p| p.iter().all(|c| c.is_finite()));
    let placed: Vec<(f64, f64)> = finite.map(|p| placement.place(p, height)).collect();
    let width = o.width * SIDE / 100.0;
    match &o.ink {
        Ink::Plain(colour) => {
            let tag = if o.closed { "polygon" } else { "polyline" };
            let points: Vec<String> = placed.iter().map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
            let _ = write!(
                s,
                r#"<{tag} points="{}" fill="none" stroke="{}" stroke-width="{width:.2}" stroke-opacity="{}"/>"#,
                points.join(","),
                escape(colour),
                o.opacity
            );
        }
        Ink::AlongCurve => {
            let next = placed.iter().skip(1).chain(placed.first().filter(|_| o.closed));
            for (k, (a, b)) in placed.iter().zip(next).enumerate() {
                let colour = along(k, placed.len());
                let _ = write!(
                    s,
                    r#"<path d="M{:.1} {:.1}L{:.1} {:.1}" stroke="{colour}" stroke-width="{width:.2}" stroke-opacity="{}"/>"#,
                    a.0, a.1, b.0, b.1, o.opacity
                );
            }
        }
    }
    for (k, (x, y)) in placed.iter().enumerate().filter(|_| o.dots) {
        let colour = match &o.ink {
            Ink::Plain(c) => escape(c),
            Ink::AlongCurve => along(k, placed.len()),
        };
        let _ = write!(s, r#"<circle cx="{x:.1}" cy="{y:.1}" r="{:.2}" fill="{colour}"/>"#, 1.4 * width);
    }
}

/// The sequential map without its palest end, which white paper would swallow.
fn along(k: usize, n: usize) -> String {
    ColourMap::Sequential.css(0.86 * k as f64 / n.max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(side: f64) -> Vec<[f64; 2]> {
        vec![[-side, -side], [side, -side], [side, side], [-side, side]]
    }

    #[test]
    fn a_square_is_drawn_upright_and_fits() {
        let svg = outlines("a <square>", &[Outline::closed("mean", square(3.0), 0).with_dots()]);
        // Lower left landmark first: left margin, bottom margin.
        assert!(svg.contains(r#"<polygon points="12.0 308.0,308.0 308.0,308.0 12.0,12.0 12.0""#), "{svg}");
        assert_eq!(svg.matches("<circle").count(), 4);
        assert!(svg.contains("a &lt;square&gt;") && svg.contains(">mean</text>"));
    }

    #[test]
    fn multiples_share_a_scale_and_odd_points_are_left_out() {
        let small = Outline::closed("", square(1.0), 1).faint();
        let large = Outline::open("", [square(2.0), vec![[f64::NAN, 0.0]]].concat(), 2).along_curve();
        let drawings = small_multiples(&[("a".into(), vec![small]), ("b".into(), vec![large])]);
        assert!(drawings[0].contains(r#"points="86.0 234.0"#), "{}", drawings[0]);
        assert_eq!(drawings[1].matches("<path").count(), 3);
        assert!(!drawings.concat().contains("NaN"));
        let empty = outlines("", &[Outline::closed("", Vec::new(), 0)]);
        assert!(empty.ends_with("</svg>") && !empty.contains("inf") && !empty.contains("NaN"));
    }
}
