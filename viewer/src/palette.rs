//! Which range of a field the colours span, which colours, and whether lines of equal value are drawn.

use visard::report::colour::{ColourMap, ColourScale};

/// The range that the colours span.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Range {
    /// As the field suggests.
    #[default]
    Auto,
    /// As far below 0 as above it.
    Symmetric,
    /// From 0 to the 99th percentile.
    Magnitude,
    /// As given.
    Fixed(f64, f64),
}

/// Which colours; all that there are read with any colour vision and in grey.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum MapChoice {
    /// As the range suggests
    #[default]
    Auto,
    /// Dark blue through green to yellow, evenly lighter
    Sequential,
    /// Blue through white to red
    Diverging,
}

/// How fields become colours.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Palette {
    /// The range.
    pub range: Range,
    /// The colours.
    pub map: MapChoice,
    /// Lines of equal value.
    pub isolines: bool,
}

/// Lines of equal value divide the range into so many parts.
pub const BANDS: usize = 10;

impl Palette {
    /// A field's own scale, changed as wished.
    pub fn applied(&self, own: ColourScale, values: &[f64]) -> ColourScale {
        let ColourScale { name, unit, .. } = own.clone();
        let scale = match self.range {
            Range::Auto => own,
            Range::Symmetric => ColourScale::signed(name, unit, values),
            Range::Magnitude => ColourScale::magnitude(name, unit, values),
            Range::Fixed(low, high) => {
                let map = if low < 0.0 && high > 0.0 { ColourMap::Diverging } else { ColourMap::Sequential };
                ColourScale { low, high, map, ..own }
            }
        };
        match self.map {
            MapChoice::Auto => scale,
            MapChoice::Sequential => ColourScale { map: ColourMap::Sequential, ..scale },
            MapChoice::Diverging => ColourScale { map: ColourMap::Diverging, ..scale },
        }
    }
}

/// Reads auto, symmetric, magnitude or LOW:HIGH.
pub fn parse_range(text: &str) -> Option<Range> {
    match text {
        "auto" => Some(Range::Auto),
        "symmetric" => Some(Range::Symmetric),
        "magnitude" => Some(Range::Magnitude),
        _ => {
            let (low, high) = text.split_once(':')?;
            let (low, high): (f64, f64) = (low.parse().ok()?, high.parse().ok()?);
            (low < high && (high - low).is_finite()).then_some(Range::Fixed(low, high))
        }
    }
}

/// The pieces of the lines of equal value in a triangle: where the edges cross each level, from the places of its corners' values on the scale.
pub fn crossings(places: [f32; 3]) -> Vec<[(usize, usize, f32); 2]> {
    if places.iter().any(|p| *p < 0.0) {
        return Vec::new();
    }
    let level = |k: usize| k as f32 / BANDS as f32;
    (1..BANDS)
        .filter_map(|k| {
            let crossed = |(a, b): (usize, usize)| {
                let (below, above) = (places[a] - level(k), places[b] - level(k));
                ((below < 0.0) != (above < 0.0)).then(|| (a, b, below / (below - above)))
            };
            let mut found = [(0, 1), (1, 2), (2, 0)].into_iter().filter_map(crossed);
            Some([found.next()?, found.next()?])
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_and_nonsense_is_not() {
        assert_eq!(parse_range("-2:3.5"), Some(Range::Fixed(-2.0, 3.5)));
        assert_eq!(parse_range("symmetric"), Some(Range::Symmetric));
        for bad in ["", "1", "2:1", "1:1", "nan:1", "0:inf", "a:b", "-1e308:1e308:"] {
            assert_eq!(parse_range(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_fixed_range_puts_values_where_they_belong() {
        let own = ColourScale::magnitude("f", "mm", &[0.0, 9.0]);
        let palette = Palette { range: Range::Fixed(-1.0, 3.0), ..Palette::default() };
        let scale = palette.applied(own.clone(), &[]);
        assert_eq!((scale.place(0.0), scale.place(9.0), scale.map), (0.25, 1.0, ColourMap::Diverging));
        let grey = Palette { map: MapChoice::Sequential, ..palette }.applied(own, &[]);
        assert_eq!(grey.map, ColourMap::Sequential);
    }

    #[test]
    fn lines_cross_a_triangle_where_the_field_has_the_value() {
        // Levels 0.1 … 0.9; the corners' values are 0, 0.25, 0.25: two lines.
        let found = crossings([0.0, 0.25, 0.25]);
        assert_eq!(found.len(), 2);
        for (k, line) in found.iter().enumerate() {
            for (a, b, t) in line {
                let value = [0.0, 0.25, 0.25][*a] * (1.0 - t) + [0.0, 0.25, 0.25][*b] * t;
                assert!((value - 0.1 * (k + 1) as f32).abs() < 1e-6);
            }
        }
        assert!(crossings([0.5; 3]).is_empty() && crossings([-1.0, 0.5, 0.9]).is_empty());
    }
}
