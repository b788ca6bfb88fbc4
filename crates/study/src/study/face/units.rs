//! Units of length of scans.

use serde::Serialize;

/// In what unit the scans' coordinates are measured: public.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Units {
    /// Millimetres
    #[default]
    Mm,
    /// Centimetres
    Cm,
    /// Metres
    M,
}

impl std::fmt::Display for Units {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Mm => "mm",
            Self::Cm => "cm",
            Self::M => "m",
        }
        .fmt(f)
    }
}

impl Units {
    /// Millimetres in one of them.
    pub fn millimetres(self) -> f64 {
        match self {
            Self::Mm => 1.0,
            Self::Cm => 10.0,
            Self::M => 1000.0,
        }
    }
}

/// A scan this many times as large or as small as the middle one is in other units, or of something else.
const ODD: f64 = 5.0;

/// Which of these sizes are odd, and the median.
pub(in crate::study) fn odd(sizes: &[Option<f64>]) -> (Vec<usize>, Option<f64>) {
    let mut known: Vec<f64> = sizes.iter().flatten().copied().collect();
    known.sort_by(f64::total_cmp);
    let Some(&median) = known.get(known.len() / 2) else { return (Vec::new(), None) };
    let is_odd = |size: f64| size > ODD * median || size < median / ODD;
    ((0..sizes.len()).filter(|&i| sizes[i].is_some_and(is_odd)).collect(), Some(median))
}
