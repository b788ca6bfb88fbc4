//! Line charts as SVG text: axes with round ticks, colour-blind-safe lines, labels that read in print.

pub(super) use super::axis::tidy;
pub use super::axis::{Axis, Scale};
use std::fmt::Write as _;

/// Okabe and Ito's eight colours, distinguishable with any colour vision; black last.
pub const PALETTE: [&str; 8] =
    ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442", "#000000"];

/// One line of a chart.
#[derive(Debug, Clone)]
pub struct Line {
    /// Its name in the legend; empty for none.
    pub name: String,
    /// The points, in data coordinates.
    pub points: Vec<(f64, f64)>,
    /// Drawn dashed (reference lines).
    pub dashed: bool,
    /// A dot at every point (few, measured points).
    pub dotted: bool,
    /// A pale band around the line: (x, lower, upper).
    pub band: Vec<(f64, f64, f64)>,
}

impl Line {
    /// A solid line.
    pub fn new(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.into(), points, dashed: false, dotted: false, band: Vec::new() }
    }

    /// A dashed reference line.
    pub fn dashed(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self { dashed: true, ..Self::new(name, points) }
    }

    /// With a dot at every point.
    pub fn with_dots(mut self) -> Self {
        self.dotted = true;
        self
    }

    /// With a band, such as quartiles over repeated draws: (x, lower, upper).
    pub fn with_band(mut self, band: Vec<(f64, f64, f64)>) -> Self {
        self.band = band;
        self
    }
}

const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 320.0;
const LEFT: f64 = 62.0;
const RIGHT: f64 = 14.0;
const BOTTOM: f64 = 46.0;
/// Width of a letter of 12 units, on average (system fonts: 6 to 7).
const LETTER: f64 = 6.6;

/// Where data coordinates fall on the drawing.
struct Frame<'a> {
    x: &'a Axis,
    y: &'a Axis,
    span: [(f64, f64); 2],
    top: f64,
    left: f64,
}

impl<'a> Frame<'a> {
    /// With room on the left for the numbers of the vertical axis, beside its label.
    fn new(x: &'a Axis, y: &'a Axis, span: [(f64, f64); 2], top: f64) -> Self {
        let ticks = y.ticks(span[1].0, span[1].1);
        let longest = ticks.iter().map(|(_, label)| label.chars().count()).max().unwrap_or(0);
        Self { x, y, span, top, left: LEFT.max(28.0 + LETTER * longest as f64) }
    }

    fn horizontal(&self, u: f64) -> f64 {
        let (lo, hi) = self.span[0];
        self.left + (u - lo) / (hi - lo) * (WIDTH - self.left - RIGHT)
    }

    fn vertical(&self, v: f64) -> f64 {
        let (lo, hi) = self.span[1];
        HEIGHT - BOTTOM - (v - lo) / (hi - lo) * (HEIGHT - self.top - BOTTOM)
    }

    /// A data point on the drawing, if both axes can show it.
    fn place(&self, (u, v): (f64, f64)) -> Option<(f64, f64)> {
        Some((self.horizontal(self.x.place(u)?), self.vertical(self.y.place(v)?)))
    }

    /// The same, with what lies below a logarithmic axis (0 and less) at its lower end: a band that reaches down to 0.
    fn place_from_below(&self, (u, v): (f64, f64)) -> Option<(f64, f64)> {
        let is_below = v <= 0.0 && self.y.scale == Scale::Log10;
        let v = if is_below { self.span[1].0 } else { self.y.place(v)? };
        Some((self.horizontal(self.x.place(u)?), self.vertical(v)))
    }

    /// Ground, title, grid, ticks and labels.
    fn draw(&self, s: &mut String, title: &str) {
        let (top, base, left, end) = (self.top, HEIGHT - BOTTOM, self.left, WIDTH - RIGHT);
        let _ = write!(
            s,
            r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{t}" font-family="system-ui,sans-serif" font-size="12"><rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/><text x="8" y="18" font-size="14" font-weight="600">{t}</text>"##,
            t = escape(title)
        );
        for (u, label) in self.x.ticks(self.span[0].0, self.span[0].1) {
            let (px, text) = (self.horizontal(u), base + 16.0);
            let half = 0.5 * LETTER * label.chars().count() as f64;
            let tx = px.min(WIDTH - 2.0 - half);
            let _ = write!(
                s,
                r##"<path d="M{px:.1} {top}V{base}" stroke="#e6e6e6"/><text x="{tx:.1}" y="{text}" text-anchor="middle" fill="#444">{label}</text>"##
            );
        }
        for (v, label) in self.y.ticks(self.span[1].0, self.span[1].1) {
            let (py, text) = (self.vertical(v), left - 6.0);
            let _ = write!(
                s,
                r##"<path d="M{left:.1} {py:.1}H{end}" stroke="#e6e6e6"/><text x="{text}" y="{ty:.1}" text-anchor="end" fill="#444">{label}</text>"##,
                ty = py + 4.0
            );
        }
        let _ = write!(
            s,
            r##"<path d="M{left:.1} {top}V{base}H{end}" fill="none" stroke="#444"/><text x="{mx}" y="{ly}" text-anchor="middle">{xl}</text><text transform="translate(14 {my}) rotate(-90)" text-anchor="middle">{yl}</text>"##,
            mx = (left + end) / 2.0,
            ly = HEIGHT - 10.0,
            my = (top + base) / 2.0,
            xl = escape(&self.x.label),
            yl = escape(&self.y.label),
        );
    }
}

/// An SVG element (480 × 320 units, scales to its container) with the given lines. The legend stands above the plot, so
/// that it hides nothing.
pub fn line_chart(title: &str, x: &Axis, y: &Axis, lines: &[Line]) -> String {
    let legend = Legend::of(lines);
    let points = || lines.iter().flat_map(|l| l.points.iter().copied());
    let edges = || lines.iter().flat_map(|l| l.band.iter().flat_map(|&(u, a, b)| [(u, a), (u, b)]));
    let span = [
        range(points().chain(edges()).filter_map(|p| x.place(p.0)), 0.0),
        range(points().chain(edges()).filter_map(|p| y.place(p.1)), 0.05),
    ];
    let frame = Frame::new(x, y, span, 30.0 + 18.0 * legend.rows as f64);
    let mut s = String::new();
    frame.draw(&mut s, title);
    for (k, line) in lines.iter().enumerate() {
        let colour = PALETTE[k % PALETTE.len()];
        let band = line.band.iter().map(|b| (b.0, b.2)).chain(line.band.iter().rev().map(|b| (b.0, b.1)));
        let band: Vec<_> = band.filter_map(|p| frame.place_from_below(p)).collect();
        if !band.is_empty() {
            let _ = write!(s, r#"<polygon points="{}" fill="{colour}" fill-opacity="0.16"/>"#, path(&band));
        }
    }
    for (k, line) in lines.iter().enumerate() {
        let colour = PALETTE[k % PALETTE.len()];
        let placed: Vec<_> = line.points.iter().filter_map(|p| frame.place(*p)).collect();
        let dash = if line.dashed { r#" stroke-dasharray="5 4""# } else { "" };
        let _ = write!(
            s,
            r#"<polyline points="{}" fill="none" stroke="{colour}" stroke-width="1.8"{dash}/>"#,
            path(&placed)
        );
        for (px, py) in placed.iter().filter(|_| line.dotted) {
            let _ = write!(s, r#"<circle cx="{px:.1}" cy="{py:.1}" r="3" fill="{colour}"/>"#);
        }
    }
    legend.draw(&mut s);
    s.push_str("</svg>");
    s
}

/// An SVG element with the counts of `values` in equal bins, and labelled vertical marks (such as a clip radius).
pub fn histogram(title: &str, x: &Axis, values: &[f64], bins: usize, marks: &[(f64, &str)]) -> String {
    let shown: Vec<f64> = values.iter().filter_map(|v| x.place(*v)).collect();
    let marks: Vec<(f64, &str)> = marks.iter().filter_map(|(v, t)| Some((x.place(*v)?, *t))).collect();
    let (lo, hi) = range(shown.iter().copied().chain(marks.iter().map(|m| m.0)), 0.02);
    let bins = bins.max(1);
    let mut counts = vec![0usize; bins];
    for v in &shown {
        counts[(((v - lo) / (hi - lo) * bins as f64) as usize).min(bins - 1)] += 1;
    }
    let highest = counts.iter().copied().max().unwrap_or(0).max(1) as f64;
    let y = Axis::linear("count");
    let frame = Frame::new(x, &y, [(lo, hi), (0.0, 1.08 * highest)], 48.0);
    let mut s = String::new();
    frame.draw(&mut s, title);
    let width = (hi - lo) / bins as f64;
    for (k, &count) in counts.iter().enumerate().filter(|(_, c)| **c > 0) {
        let (left, right) =
            (frame.horizontal(lo + k as f64 * width), frame.horizontal(lo + (k + 1) as f64 * width));
        let top = frame.vertical(count as f64);
        let _ = write!(
            s,
            r#"<rect x="{left:.1}" y="{top:.1}" width="{w:.1}" height="{h:.1}" fill="{c}"/>"#,
            w = (right - left - 1.0).max(0.5),
            h = HEIGHT - BOTTOM - top,
            c = PALETTE[0]
        );
    }
    for (v, text) in marks {
        let px = frame.horizontal(v);
        let anchor = if px > WIDTH / 2.0 { "end" } else { "start" };
        let _ = write!(
            s,
            r#"<path d="M{px:.1} 40V{base}" stroke="{c}" stroke-width="1.8" stroke-dasharray="5 4"/><text x="{px:.1}" y="36" text-anchor="{anchor}" fill="{c}">{t}</text>"#,
            base = HEIGHT - BOTTOM,
            c = PALETTE[1],
            t = escape(text)
        );
    }
    s.push_str("</svg>");
    s
}

fn path(points: &[(f64, f64)]) -> String {
    points.iter().map(|(x, y)| format!("{x:.1} {y:.1}")).collect::<Vec<_>>().join(",")
}

/// Names with their lines in rows between title and plot.
struct Legend<'a> {
    /// Which line it is, the line, its place and its row.
    entries: Vec<(usize, &'a Line, f64, usize)>,
    rows: usize,
}

impl<'a> Legend<'a> {
    fn of(lines: &'a [Line]) -> Self {
        let (mut entries, mut x, mut row) = (Vec::new(), 8.0, 0);
        for (k, line) in lines.iter().enumerate().filter(|(_, l)| !l.name.is_empty()) {
            let width = 34.0 + LETTER * line.name.chars().count() as f64;
            if x + width > WIDTH && x > 8.0 {
                (x, row) = (8.0, row + 1);
            }
            entries.push((k, line, x, row));
            x += width;
        }
        let rows = if entries.is_empty() { 0 } else { row + 1 };
        Self { entries, rows }
    }

    fn draw(&self, s: &mut String) {
        for (k, line, x, row) in &self.entries {
            let y = 38.0 + 18.0 * *row as f64;
            let dash = if line.dashed { r#" stroke-dasharray="5 1.5""# } else { "" };
            let _ = write!(
                s,
                r##"<path d="M{x} {m}h18" stroke="{colour}" stroke-width="3"{dash}/><text x="{t}" y="{y}" fill="#222">{name}</text>"##,
                m = y - 4.0,
                t = x + 23.0,
                name = escape(&line.name),
                colour = PALETTE[k % PALETTE.len()],
            );
        }
    }
}

/// Smallest and largest value with a margin; a sensible interval where they coincide.
fn range(values: impl Iterator<Item = f64>, margin: f64) -> (f64, f64) {
    let (lo, hi) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
    if lo > hi {
        (0.0, 1.0)
    } else if hi - lo < 1e-12 * (1.0 + hi.abs()) {
        (lo - 0.5, hi + 0.5)
    } else {
        (lo - margin * (hi - lo), hi + margin * (hi - lo))
    }
}

/// Text made safe inside SVG and HTML.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_band_that_reaches_zero_goes_down_to_the_axis() {
        let line =
            Line::new("a", vec![(1.0, 1.0), (2.0, 2.0)]).with_band(vec![(1.0, 0.0, 2.0), (2.0, 0.1, 4.0)]);
        let svg = line_chart("t", &Axis::linear("x"), &Axis::log("y"), &[line]);
        let polygon = svg.split("<polygon points=\"").nth(1).unwrap().split('"').next().unwrap();
        assert_eq!(polygon.split(',').count(), 4, "{polygon}");
        assert!(polygon.contains(&format!(" {:.1}", HEIGHT - BOTTOM)), "{polygon}");
    }

    #[test]
    fn labels_of_ticks_end_inside() {
        let line = Line::new("", vec![(0.0, 0.0), (12500.0, 1.0)]);
        let svg = line_chart("t", &Axis::linear("x"), &Axis::linear("y"), &[line]);
        let before = svg.split(">12500<").next().unwrap();
        let x: f64 = before.rsplit("x=\"").next().unwrap().split('"').next().unwrap().parse().unwrap();
        assert!(x + 2.5 * LETTER < WIDTH, "{x}");
    }

    #[test]
    fn ends_of_a_line_land_on_the_frame() {
        let line = Line::new("a<b", vec![(0.0, 0.0), (1.0, 1.0)]);
        let svg = line_chart("t", &Axis::linear("x"), &Axis::linear("y"), &[line]);
        assert!(svg.contains(&format!("{LEFT:.1} ")) && svg.contains(&format!("{:.1} ", WIDTH - RIGHT)));
        assert!(svg.contains("a&lt;b") && svg.ends_with("</svg>") && !svg.contains("dasharray"));
        let guess = Line::dashed("guess", vec![(0.0, 0.0), (1.0, 1.0)]);
        // Dashed in the plot and in the legend.
        let svg = line_chart("t", &Axis::linear("x"), &Axis::linear("y"), &[guess]);
        assert_eq!(svg.matches("dasharray").count(), 2, "{svg}");
    }

    #[test]
    fn nothing_finite_is_an_empty_frame_not_a_panic() {
        let line = Line::new("", vec![(f64::NAN, 1.0), (1.0, -1.0)]);
        assert!(line_chart("t", &Axis::log("x"), &Axis::log("y"), &[line]).contains("<svg"));
    }
}
