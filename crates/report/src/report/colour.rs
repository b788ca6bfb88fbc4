//! Colour maps that read with any colour vision and in grey, for fields on surfaces, points along outlines and bars.

use super::chart::{escape, tidy};
use std::fmt::Write as _;

/// A map from [0, 1] to sRGB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColourMap {
    /// Dark blue through green to yellow, monotone in lightness: for magnitudes.
    Sequential,
    /// Blue through near-white to red-brown, 0.5 in the middle: for signed values.
    Diverging,
}

/// Anchors of the sequential map: lightness rises evenly, hue turns from blue-violet to yellow (the design of viridis).
const SEQUENTIAL: [[u8; 3]; 9] = [
    [68, 1, 84],
    [71, 44, 122],
    [59, 81, 139],
    [44, 113, 142],
    [33, 144, 141],
    [39, 173, 129],
    [92, 200, 99],
    [170, 220, 50],
    [253, 231, 37],
];

/// Anchors of the diverging map: blue and orange-red are told apart by deuteranopes and protanopes alike.
const DIVERGING: [[u8; 3]; 9] = [
    [5, 48, 97],
    [33, 102, 172],
    [67, 147, 195],
    [146, 197, 222],
    [246, 245, 243],
    [244, 165, 130],
    [214, 96, 77],
    [178, 24, 43],
    [103, 0, 31],
];

impl ColourMap {
    /// The anchors, equally spaced over [0, 1].
    pub fn anchors(self) -> &'static [[u8; 3]; 9] {
        match self {
            Self::Sequential => &SEQUENTIAL,
            Self::Diverging => &DIVERGING,
        }
    }

    /// sRGB in [0, 1] at `t`, which is clamped to [0, 1]; NaN is grey.
    pub fn at(self, t: f64) -> [f64; 3] {
        if t.is_nan() {
            return [0.6; 3];
        }
        let anchors = self.anchors();
        let place = t.clamp(0.0, 1.0) * (anchors.len() - 1) as f64;
        let low = (place as usize).min(anchors.len() - 2);
        let s = place - low as f64;
        std::array::from_fn(|k| {
            let (a, b) = (f64::from(anchors[low][k]), f64::from(anchors[low + 1][k]));
            (a + s * (b - a)) / 255.0
        })
    }

    /// The colour at `t` as CSS text, `#rrggbb`.
    pub fn css(self, t: f64) -> String {
        let [r, g, b] = self.at(t).map(|c| (255.0 * c).round() as u8);
        format!("#{r:02x}{g:02x}{b:02x}")
    }
}

/// How many letters a colour bar has room for.
const LINE_OF_BAR: usize = 42;

/// A scalar field's name, unit, range and colours: what a colour bar shows.
#[derive(Debug, Clone, PartialEq)]
pub struct ColourScale {
    /// What the field is.
    pub name: String,
    /// Its unit; empty for pure numbers.
    pub unit: String,
    /// The value at the lower end of the map.
    pub low: f64,
    /// The value at the upper end.
    pub high: f64,
    /// The colours.
    pub map: ColourMap,
}

impl ColourScale {
    /// A magnitude from 0 to the 99th percentile of the finite values (one outlier must not grey out the rest).
    pub fn magnitude(name: impl Into<String>, unit: impl Into<String>, values: &[f64]) -> Self {
        let high = percentile(values.iter().copied(), 0.99);
        Self { name: name.into(), unit: unit.into(), low: 0.0, high, map: ColourMap::Sequential }
    }

    /// A signed quantity, symmetric about 0, to the 99th percentile of the magnitudes.
    pub fn signed(name: impl Into<String>, unit: impl Into<String>, values: &[f64]) -> Self {
        let high = percentile(values.iter().map(|v| v.abs()), 0.99);
        Self { name: name.into(), unit: unit.into(), low: -high, high, map: ColourMap::Diverging }
    }

    /// Where a value lies on the map, in [0, 1]; NaN where it is NaN.
    pub fn place(&self, value: f64) -> f64 {
        ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }

    /// sRGB of a value.
    pub fn colour(&self, value: f64) -> [f64; 3] {
        self.map.at(self.place(value))
    }

    /// The label: name and unit.
    pub fn label(&self) -> String {
        if self.unit.is_empty() { self.name.clone() } else { format!("{} ({})", self.name, self.unit) }
    }

    /// Values at the ends and in the middle, as text.
    pub fn ticks(&self) -> [(f64, String); 3] {
        [0.0, 0.5, 1.0].map(|t| (t, short(self.low + t * (self.high - self.low))))
    }

    /// A horizontal colour bar with label and ticks, as an SVG element.
    pub fn bar(&self) -> String {
        let mut s = String::new();
        let label = escape(&self.label());
        // A line holds the width of the bar: what is longer has its unit on a second one.
        let is_long = self.label().chars().count() > LINE_OF_BAR;
        let lines = if is_long && !self.unit.is_empty() {
            vec![escape(&self.name), escape(&format!("({})", self.unit))]
        } else {
            vec![label.clone()]
        };
        let (down, longest) =
            (15 * (lines.len() - 1), lines.iter().map(|l| l.chars().count()).max().unwrap_or(0));
        // The rest is made to fit by smaller letters.
        let size = 12.0 * (LINE_OF_BAR as f64 / longest.max(1) as f64).min(1.0);
        let _ = write!(
            s,
            r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 {} 320 {}" role="img" aria-label="{label}" font-family="system-ui,sans-serif" font-size="12">"##,
            -(down as i32),
            52 + down
        );
        for (k, line) in lines.iter().enumerate() {
            let y = 13 - down as i32 + 15 * k as i32;
            let _ = write!(s, r##"<text x="8" y="{y}" font-size="{size:.1}">{line}</text>"##);
        }
        s.push_str(r#"<g shape-rendering="crispEdges">"#);
        let steps = 64;
        for k in 0..steps {
            let x = 8.0 + 304.0 * k as f64 / steps as f64;
            let colour = self.map.css((k as f64 + 0.5) / steps as f64);
            let _ = write!(s, r#"<rect x="{x:.2}" y="19" width="5" height="12" fill="{colour}"/>"#);
        }
        s.push_str("</g>");
        for ((t, text), anchor) in self.ticks().into_iter().zip(["start", "middle", "end"]) {
            let x = 8.0 + 304.25 * t;
            let _ =
                write!(s, r##"<text x="{x:.1}" y="46" text-anchor="{anchor}" fill="#444">{text}</text>"##);
        }
        s.push_str("</svg>");
        s
    }
}

/// A number in three digits.
pub fn short(value: f64) -> String {
    if value == 0.0 {
        "0".to_owned()
    } else if (1e-3..1e4).contains(&value.abs()) {
        let digits = (2.0 - value.abs().log10().floor()).max(0.0) as usize;
        tidy(format!("{value:.digits$}").parse().unwrap_or(value))
    } else {
        format!("{value:.2e}")
    }
}

fn percentile(values: impl Iterator<Item = f64>, share: f64) -> f64 {
    let mut finite: Vec<f64> = values.filter(|v| v.is_finite()).collect();
    finite.sort_by(f64::total_cmp);
    let at = (share * finite.len() as f64).ceil() as usize;
    let value = finite.get(at.max(1) - 1).copied().unwrap_or(1.0);
    if value > 0.0 { value } else { finite.last().copied().filter(|v| *v > 0.0).unwrap_or(1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CIE lightness of an sRGB colour.
    fn lightness(c: [f64; 3]) -> f64 {
        let linear = c.map(|v| if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) });
        let y = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
        116.0 * y.cbrt() - 16.0
    }

    #[test]
    fn the_sequential_map_rises_evenly_in_lightness() {
        let steps: Vec<f64> =
            (0..=20).map(|k| lightness(ColourMap::Sequential.at(k as f64 / 20.0))).collect();
        assert!(steps.windows(2).all(|w| (1.0..8.0).contains(&(w[1] - w[0]))), "{steps:?}");
    }

    #[test]
    fn the_ends_of_the_diverging_map_are_equally_dark_and_far_apart_without_red_or_green_cones() {
        let (a, b) = (ColourMap::Diverging.at(0.1), ColourMap::Diverging.at(0.9));
        assert!((lightness(a) - lightness(b)).abs() < 12.0);
        // Dichromats of both red-green kinds keep the blue-yellow axis: blue against the larger of red and green.
        let blueness = |c: [f64; 3]| c[2] - c[0].max(c[1]);
        assert!(blueness(a) > 0.2 && blueness(b) < -0.2);
        assert!(lightness(ColourMap::Diverging.at(0.5)) > 94.0);
    }

    #[test]
    fn scales_clip_outliers_and_place_values() {
        let mut values: Vec<f64> = (0..1000).map(|k| k as f64 / 1000.0).collect();
        values.extend([1e9, f64::NAN]);
        let scale = ColourScale::magnitude("distance", "mm", &values);
        assert!(scale.high < 1.0 && scale.low == 0.0 && scale.place(5.0) == 1.0);
        assert_eq!(ColourScale::signed("d", "", &[-2.0, 1.0]).place(0.0), 0.5);
        assert_eq!(ColourScale::magnitude("d", "", &[]).high, 1.0);
        assert!(scale.bar().contains("distance (mm)"));
        let long = ColourScale {
            name: "difference along the normal".into(),
            unit: "mm on a face of 20 cm".into(),
            ..scale.clone()
        };
        assert!(
            long.bar().contains(">difference along the normal</text>")
                && long.bar().contains(">(mm on a face of 20 cm)</text>")
        );
        let longer = ColourScale { name: "n".repeat(84), unit: String::new(), ..scale };
        assert!(longer.bar().contains("font-size=\"6.0\""));
        assert_eq!(short(0.012345), "0.0123");
        assert_eq!(short(-1234.6), "-1235");
        assert_eq!(short(1.5e-7), "1.50e-7");
    }
}
