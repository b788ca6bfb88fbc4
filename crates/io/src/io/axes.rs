//! Which way the axes of 3D Slicer's files point.

use super::error::{Fault, Parsed};
use super::text::{Lines, lossy};

/// Which way the first two axes point; the third points up in both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Axes {
    /// Left, posterior, superior.
    Lps,
    /// Right, anterior, superior.
    Ras,
}

impl Axes {
    /// As Slicer writes them; in old files as a number.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        match text.trim().to_ascii_uppercase().as_str() {
            "LPS" | "1" => Ok(Self::Lps),
            "RAS" | "0" => Ok(Self::Ras),
            _ => Err(Fault::Malformed(
                "names a coordinate system that is neither LPS nor RAS; save it in one of these",
            )),
        }
    }

    /// Those of an `.fcsv` file: before there was a line for it, files were in RAS.
    pub fn of_fiducials(bytes: &[u8]) -> Parsed<Self> {
        let mut axes = Self::Ras;
        for (at, line) in
            Lines::new(bytes).take_while(|(_, line)| line.trim_ascii().first().is_none_or(|b| *b == b'#'))
        {
            let text = lossy(line);
            let Some((key, value)) = text.trim_start_matches(['#', ' ']).split_once('=') else { continue };
            if key.trim().eq_ignore_ascii_case("CoordinateSystem") {
                axes = Self::parse(value).map_err(|fault| fault.at_line(at))?;
            }
        }
        Ok(axes)
    }

    /// A place in LPS.
    pub fn to_lps(self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        match self {
            Self::Lps => [x, y, z],
            Self::Ras => [-x, -y, z],
        }
    }
}
