//! Axes of charts: linear or in powers of ten, with round ticks.

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

    pub(super) fn place(&self, v: f64) -> Option<f64> {
        match self.scale {
            Scale::Linear => v.is_finite().then_some(v),
            Scale::Log10 => (v > 0.0 && v.is_finite()).then(|| v.log10()),
        }
    }

    /// About five round ticks with their labels, in the axis's own (possibly log) coordinate.
    pub(super) fn ticks(&self, lo: f64, hi: f64) -> Vec<(f64, String)> {
        if self.scale == Scale::Log10 {
            let step = (((hi - lo) / 6.0).ceil()).max(1.0);
            let first = (lo / step).ceil() as i64;
            let last = (hi / step).floor() as i64;
            if last - first < 1 {
                return within_a_decade(lo, hi);
            }
            return (first..=last)
                .map(|k| k as f64 * step)
                .map(|e| (e, if (-3.0..=3.0).contains(&e) { tidy(10f64.powf(e)) } else { format!("1e{e}") }))
                .collect();
        }
        let raw = (hi - lo) / 5.0;
        let power = 10f64.powf(raw.log10().floor());
        let step = [1.0, 2.0, 2.5, 5.0, 10.0].iter().map(|m| m * power).find(|s| *s >= raw).unwrap_or(raw);
        let (first, last) = ((lo / step).ceil() as i64, (hi / step).floor() as i64);
        // One way of writing for the whole axis.
        let furthest = lo.abs().max(hi.abs());
        let write = |v: f64| {
            let is_plain = v == 0.0 || (step >= 1e-5 && furthest < 1e6);
            if is_plain { tidy(v) } else { exponent(v, step) }
        };
        (first..=last).map(|k| k as f64 * step).map(|v| (v, write(v))).collect()
    }
}

/// A value with as many digits as tell multiples of `step` apart.
fn exponent(v: f64, step: f64) -> String {
    // Two digits of the step, which is 1, 2, 2.5 or 5 times a power of ten, and one where a logarithm is rounded down.
    let digits = (v.abs().log10().floor() - step.log10().floor()).max(0.0) as usize + 2;
    let text = format!("{v:.digits$e}");
    match text.split_once('e') {
        Some((m, e)) if m.contains('.') => {
            format!("{}e{e}", m.trim_end_matches('0').trim_end_matches('.'))
        }
        _ => text,
    }
}

/// Ticks at 1, 2 and 5 times powers of ten, for logarithmic axes with hardly a decade; at round numbers where even those are too few.
fn within_a_decade(lo: f64, hi: f64) -> Vec<(f64, String)> {
    let places = |digits: &[f64]| -> Vec<(f64, String)> {
        let powers = lo.floor() as i64..=hi.ceil() as i64;
        let values = powers.flat_map(|k| digits.iter().map(move |d| d * 10f64.powi(k as i32)));
        let placed = values.map(|v| (v.log10(), label(v)));
        placed.filter(|(u, _)| (lo..=hi).contains(u)).collect()
    };
    let few = places(&[1.0, 2.0, 5.0]);
    if few.len() > 2 {
        return few;
    }
    let round = Axis::linear("").ticks(10f64.powf(lo), 10f64.powf(hi));
    // With the digits that tell them apart.
    round.into_iter().filter(|(v, _)| *v > 0.0).map(|(v, text)| (v.log10(), text)).collect()
}

/// A number as short as it can be read.
fn label(v: f64) -> String {
    if (1e-3..1e4).contains(&v) { tidy(v) } else { format!("{v:.1e}").replace(".0e", "e") }
}

pub(super) fn tidy(v: f64) -> String {
    let text = format!("{v:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" || text.is_empty() { "0".to_owned() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_logarithmic_axis_of_less_than_a_decade_has_labels() {
        for (lo, hi) in
            [(2.1, 8.7), (11.0, 14.0), (0.002, 0.0041), (3e5, 9e5), (0.8, 1.2), (1e4, 1.1e4), (1e-4, 1.1e-4)]
        {
            let ticks = Axis::log("x").ticks(f64::log10(lo), f64::log10(hi));
            assert!(ticks.len() > 1, "{lo} {hi}: {ticks:?}");
            assert!(
                ticks.iter().all(|(u, text)| (text.parse::<f64>().unwrap().log10() - u).abs() < 1e-9),
                "{ticks:?}"
            );
        }
        assert_eq!(Axis::log("x").ticks(-3.0, 1.0).len(), 5);
    }

    #[test]
    fn ticks_are_round_and_inside() {
        let labels: Vec<String> = Axis::linear("x").ticks(-0.3, 1.1).into_iter().map(|t| t.1).collect();
        assert_eq!(labels, ["0", "0.5", "1"]);
        let labels: Vec<String> = Axis::log("x").ticks(-6.0, 0.0).into_iter().map(|t| t.1).collect();
        assert_eq!(labels, ["1e-6", "1e-5", "1e-4", "0.001", "0.01", "0.1", "1"]);
    }

    #[test]
    fn labels_tell_small_and_large_values_apart() {
        for (lo, hi) in [(0.0, 12500.0), (0.0, 3e-8), (-4e-7, 1e-6), (1e7, 3e7), (1.0, 1.0002), (0.0, 2e12)] {
            let ticks = Axis::linear("x").ticks(lo, hi);
            assert!(ticks.len() > 2, "{lo} {hi}");
            for (v, text) in &ticks {
                let read: f64 = text.parse().unwrap();
                assert!((read - v).abs() <= 1e-9 * (hi - lo), "{text} for {v}");
            }
        }
    }
}
