//! One picture of landmarks as SVG.

use crate::landmark::Configuration;
use crate::report::chart::{PALETTE, escape};
use std::fmt::Write as _;

/// Side of a panel in pixels.
const SIDE: f64 = 380.0;
const MARGIN: f64 = 22.0;
pub(super) const GREY: &str = "#9aa1ab";
/// What may be displaced by chance: pale.
pub(super) const CHANCE: &str = "#9cc3e0";
pub(super) const GRID: &str = "#c3c8cf";

/// Two axes that are seen.
#[derive(Debug, Clone, Copy)]
pub(super) struct View {
    pub across: usize,
    pub up: usize,
    pub title: &'static str,
}

impl View {
    pub fn of(self, row: impl Fn(usize) -> f64) -> [f64; 2] {
        [row(self.across), row(self.up)]
    }

    pub fn points(self, x: &Configuration) -> Vec<[f64; 2]> {
        (0..x.nrows()).map(|i| self.of(|axis| x[(i, axis)])).collect()
    }
}

/// Pixels that a page may stretch a picture to: beyond, strokes and lettering look thick.
const WIDEST: u32 = 520;

/// One picture as it is drawn: a similarity from the data to pixels, y upwards.
pub(super) struct Panel {
    view: View,
    lowest: [f64; 2],
    scale: f64,
    size: [f64; 2],
    body: String,
    legend: Vec<(String, String)>,
}

impl Panel {
    pub fn of(view: View, shapes: &[&Configuration], margin: Option<&Configuration>) -> Self {
        let room = |axis: usize| {
            margin
                .map_or(0.0, |h| h.column(axis).iter().copied().filter(|c| c.is_finite()).fold(0.0, f64::max))
        };
        let bounds = [view.across, view.up].map(|axis| {
            let values = shapes.iter().flat_map(|x| x.column(axis).iter().copied().collect::<Vec<_>>());
            let finite = values.filter(|c| c.is_finite());
            let (lo, hi) =
                finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), c| (lo.min(c), hi.max(c)));
            if lo > hi { (0.0, 0.0) } else { (lo - room(axis), hi + room(axis)) }
        });
        let sides = bounds.map(|(lo, hi)| hi - lo);
        let scale = (SIDE - 2.0 * MARGIN) / sides[0].max(sides[1]).max(f64::MIN_POSITIVE);
        let scale = if scale.is_finite() { scale } else { 1.0 };
        // All pictures are of one width, so that lettering is of one size beside one another.
        let size = [SIDE, (sides[1] * scale + 2.0 * MARGIN).max(0.3 * SIDE)];
        let lowest = [0, 1].map(|k| bounds[k].0 - (size[k] / scale - sides[k]) / 2.0);
        Self { view, lowest, scale, size, body: String::new(), legend: Vec::new() }
    }

    fn place(&self, p: [f64; 2]) -> [f64; 2] {
        [self.scale * (p[0] - self.lowest[0]), self.size[1] - self.scale * (p[1] - self.lowest[1])]
    }

    pub fn line(&mut self, points: &[[f64; 2]], colour: &str, width: f64) {
        if points.iter().flatten().any(|c| !c.is_finite()) {
            return;
        }
        let places: Vec<String> =
            points.iter().map(|p| self.place(*p)).map(|[x, y]| format!("{x:.2},{y:.2}")).collect();
        let _ = write!(
            self.body,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\"/>",
            places.join(" ")
        );
    }

    pub fn ellipse(&mut self, p: [f64; 2], half_axes: [f64; 2]) {
        if p.iter().chain(&half_axes).any(|c| !c.is_finite()) {
            return;
        }
        let ([x, y], [a, b]) = (self.place(p), half_axes.map(|h| h * self.scale));
        let _ = write!(
            self.body,
            "<ellipse cx=\"{x:.2}\" cy=\"{y:.2}\" rx=\"{a:.2}\" ry=\"{b:.2}\" fill=\"{}\" fill-opacity=\"0.13\"/>",
            PALETTE[0]
        );
    }

    /// The mean: pale where what is seen may be chance, which `standing` (one a landmark) says where it is known.
    pub fn displaced(
        &mut self,
        points: &[[f64; 2]],
        links: &[[usize; 2]],
        standing: Option<&[bool]>,
        name: &str,
    ) {
        let of = |stands: bool| if stands { PALETTE[0] } else { CHANCE };
        let dots: Vec<&str> = standing
            .map_or_else(|| vec![PALETTE[0]; points.len()], |all| all.iter().copied().map(of).collect());
        self.shape(points, links, of(!dots.contains(&CHANCE)), &dots);
        let legend = [(PALETTE[0], name.to_owned()), (CHANCE, format!("{name}: may be chance"))];
        if !name.is_empty() {
            let shown = legend.into_iter().filter(|(colour, _)| dots.contains(colour));
            self.legend.extend(shown.map(|(colour, name)| (name, colour.to_owned())));
        }
    }

    pub fn configuration(&mut self, points: &[[f64; 2]], links: &[[usize; 2]], colour: &str, name: &str) {
        self.shape(points, links, colour, &vec![colour; points.len()]);
        if !name.is_empty() {
            self.legend.push((name.to_owned(), colour.to_owned()));
        }
    }

    /// Links and dots, the dots smaller the more there are.
    fn shape(&mut self, points: &[[f64; 2]], links: &[[usize; 2]], lines: &str, dots: &[&str]) {
        for [a, b] in links {
            self.line(&[points[*a], points[*b]], lines, 1.1);
        }
        let radius = (16.0 / (points.len().max(1) as f64).sqrt()).clamp(1.1, 2.8);
        for (p, colour) in points.iter().zip(dots).filter(|(p, _)| p.iter().all(|c| c.is_finite())) {
            let [x, y] = self.place(*p);
            let _ = write!(
                self.body,
                "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"{radius:.2}\" fill=\"{colour}\"/>"
            );
        }
    }

    pub fn svg(self, label: &str) -> String {
        let Self { view, size: [width, body_height], body, legend, .. } = self;
        let notes = legend.len() + usize::from(!view.title.is_empty());
        let height = body_height + 18.0 * notes as f64 + 6.0;
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" \
             style=\"max-width:{WIDEST}px\" role=\"img\" aria-label=\"{}\" font-family=\"sans-serif\" font-size=\"12\"><rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>{body}",
            escape(label)
        );
        let mut y = body_height + 10.0;
        for (name, colour) in legend {
            let _ = write!(
                text,
                "<circle cx=\"14\" cy=\"{:.1}\" r=\"3\" fill=\"{colour}\"/><text x=\"24\" y=\"{y:.1}\" fill=\"#1d2129\">{}</text>",
                y - 4.0,
                escape(&name)
            );
            y += 18.0;
        }
        if !view.title.is_empty() {
            let _ =
                write!(text, "<text x=\"14\" y=\"{y:.1}\" fill=\"#5b6470\">{}</text>", escape(view.title));
        }
        text + "</svg>"
    }
}
