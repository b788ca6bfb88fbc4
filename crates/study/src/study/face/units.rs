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
