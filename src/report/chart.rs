//! Line charts as SVG text: axes with round ticks, colour-blind-safe lines, labels that read in print.

use std::fmt::Write as _;

/// Okabe and Ito's eight colours, distinguishable with any colour vision; black last.
pub const PALETTE: [&str; 8] =
    ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442", "#000000"];

/// How an axis runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Proportional.
    Linear,
    /// Powers of ten; only positive values are drawn.
    Log10,
}

/// One axis: what it shows (with units) and how it runs.
#[derive(Debug, Clone)]
pub struct Axis {
    /// The label, with units.
    pub label: String,
    /// Linear or logarithmic.
    pub scale: Scale,
}

impl Axis {
    /// A linear axis.
    pub fn linear(label: impl Into<String>) -> Self {
        Self { label: label.into(), scale: Scale::Linear }
    }

    /// A logarithmic axis.
    pub fn log(label: impl Into<String>) -> Self {
        Self { label: label.into(), scale: Scale::Log10 }
    }

    fn place(&self, v: f64) -> Option<f64> {
        match self.scale {
            Scale::Linear => v.is_finite().then_some(v),
            Scale::Log10 => (v > 0.0 && v.is_finite()).then(|| v.log10()),
        }
    }

    /// About five round ticks with their labels, in the axis's own (possibly log) coordinate.
    fn ticks(&self, lo: f64, hi: f64) -> Vec<(f64, String)> {
        if self.scale == Scale::Log10 {
            let step = (((hi - lo) / 6.0).ceil()).max(1.0);
            let first = (lo / step).ceil() as i64;
            let last = (hi / step).floor() as i64;
            return (first..=last)
                .map(|k| k as f64 * step)
                .map(|e| (e, if (-3.0..=3.0).contains(&e) { tidy(10f64.powf(e)) } else { format!("1e{e}") }))
                .collect();
        }
        let raw = (hi - lo) / 5.0;
        let power = 10f64.powf(raw.log10().floor());
        let step = [1.0, 2.0, 2.5, 5.0, 10.0].iter().map(|m| m * power).find(|s| *s >= raw).unwrap_or(raw);
        let (first, last) = ((lo / step).ceil() as i64, (hi / step).floor() as i64);
        (first..=last).map(|k| k as f64 * step).map(|v| (v, tidy(v))).collect()
    }
}

fn tidy(v: f64) -> String {
    let text = format!("{v:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" || text.is_empty() { "0".to_owned() } else { text.to_owned() }
}

/// One line of a chart.
#[derive(Debug, Clone)]
pub struct Line {
    /// Its name in the legend; empty for none.
    pub name: String,
    /// The points, in data coordinates.
    pub points: Vec<(f64, f64)>,
    /// Drawn dashed (reference lines).
    pub dashed: bool,
}

impl Line {
    /// A solid line.
    pub fn new(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.into(), points, dashed: false }
    }

    /// A dashed reference line.
    pub fn dashed(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.into(), points, dashed: true }
    }
}

const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 320.0;
const LEFT: f64 = 62.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 30.0;
const BOTTOM: f64 = 46.0;

/// An SVG element (480 × 320 units, scales to its container) with the given lines.
pub fn line_chart(title: &str, x: &Axis, y: &Axis, lines: &[Line]) -> String {
    let placed: Vec<Vec<(f64, f64)>> = lines
        .iter()
        .map(|l| l.points.iter().filter_map(|&(u, v)| Some((x.place(u)?, y.place(v)?))).collect())
        .collect();
    let (x_lo, x_hi) = range(placed.iter().flatten().map(|p| p.0), 0.0);
    let (y_lo, y_hi) = range(placed.iter().flatten().map(|p| p.1), 0.05);
    let to_x = |u: f64| LEFT + (u - x_lo) / (x_hi - x_lo) * (WIDTH - LEFT - RIGHT);
    let to_y = |v: f64| HEIGHT - BOTTOM - (v - y_lo) / (y_hi - y_lo) * (HEIGHT - TOP - BOTTOM);

    let mut s = String::new();
    let _ = write!(
        s,
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{t}" font-family="system-ui,sans-serif" font-size="12"><rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/><text x="{LEFT}" y="18" font-weight="600">{t}</text>"##,
        t = escape(title)
    );
    for (u, label) in x.ticks(x_lo, x_hi) {
        let px = to_x(u);
        let (base, text) = (HEIGHT - BOTTOM, HEIGHT - BOTTOM + 16.0);
        let _ = write!(
            s,
            r##"<path d="M{px:.1} {TOP}V{base}" stroke="#e6e6e6"/><text x="{px:.1}" y="{text}" text-anchor="middle" fill="#444">{label}</text>"##
        );
    }
    for (v, label) in y.ticks(y_lo, y_hi) {
        let (py, end, text) = (to_y(v), WIDTH - RIGHT, LEFT - 6.0);
        let _ = write!(
            s,
            r##"<path d="M{LEFT} {py:.1}H{end}" stroke="#e6e6e6"/><text x="{text}" y="{ty:.1}" text-anchor="end" fill="#444">{label}</text>"##,
            ty = py + 4.0
        );
    }
    let _ = write!(
        s,
        r##"<path d="M{LEFT} {TOP}V{base}H{end}" fill="none" stroke="#444"/><text x="{mx}" y="{ly}" text-anchor="middle">{xl}</text><text transform="translate(14 {my}) rotate(-90)" text-anchor="middle">{yl}</text>"##,
        base = HEIGHT - BOTTOM,
        end = WIDTH - RIGHT,
        mx = (LEFT + WIDTH - RIGHT) / 2.0,
        ly = HEIGHT - 10.0,
        my = (TOP + HEIGHT - BOTTOM) / 2.0,
        xl = escape(&x.label),
        yl = escape(&y.label),
    );
    for (k, (line, points)) in lines.iter().zip(&placed).enumerate() {
        let colour = PALETTE[k % PALETTE.len()];
        let path: Vec<String> =
            points.iter().map(|&(u, v)| format!("{:.1} {:.1}", to_x(u), to_y(v))).collect();
        let dash = if line.dashed { r#" stroke-dasharray="5 4""# } else { "" };
        let _ = write!(
            s,
            r#"<polyline points="{}" fill="none" stroke="{colour}" stroke-width="1.8"{dash}/>"#,
            path.join(",")
        );
    }
    legend(&mut s, lines);
    s.push_str("</svg>");
    s
}

fn legend(s: &mut String, lines: &[Line]) {
    let named: Vec<(usize, &Line)> = lines.iter().enumerate().filter(|(_, l)| !l.name.is_empty()).collect();
    for (row, (k, line)) in named.into_iter().enumerate() {
        let y = TOP + 12.0 + 16.0 * row as f64;
        let x = WIDTH - RIGHT - 8.0;
        let _ = write!(
            s,
            r##"<text x="{x}" y="{y}" text-anchor="end" fill="#222" stroke="#fff" stroke-width="3" paint-order="stroke">{name} <tspan fill="{colour}" font-weight="700">━</tspan></text>"##,
            name = escape(&line.name),
            colour = PALETTE[k % PALETTE.len()],
        );
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
    fn ticks_are_round_and_inside() {
        let labels: Vec<String> = Axis::linear("x").ticks(-0.3, 1.1).into_iter().map(|t| t.1).collect();
        assert_eq!(labels, ["0", "0.5", "1"]);
        let labels: Vec<String> = Axis::log("x").ticks(-6.0, 0.0).into_iter().map(|t| t.1).collect();
        assert_eq!(labels, ["1e-6", "1e-5", "1e-4", "0.001", "0.01", "0.1", "1"]);
    }

    #[test]
    fn ends_of_a_line_land_on_the_frame() {
        let line = Line::new("a<b", vec![(0.0, 0.0), (1.0, 1.0)]);
        let svg = line_chart("t", &Axis::linear("x"), &Axis::linear("y"), &[line]);
        assert!(svg.contains(&format!("{LEFT:.1} ")) && svg.contains(&format!("{:.1} ", WIDTH - RIGHT)));
        assert!(svg.contains("a&lt;b") && svg.ends_with("</svg>"));
    }

    #[test]
    fn nothing_finite_is_an_empty_frame_not_a_panic() {
        let line = Line::new("", vec![(f64::NAN, 1.0), (1.0, -1.0)]);
        assert!(line_chart("t", &Axis::log("x"), &Axis::log("y"), &[line]).contains("<svg"));
    }
}
