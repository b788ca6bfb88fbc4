//! In what scans are measured, as their sizes let guess.

use super::look::Looked;
use crate::study::face::odd;
use serde::Serialize;
use std::path::PathBuf;

/// How large scans are: for the data holder only.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Scale {
    /// `mm`, `cm` or `m`, where the middle scan has the size of a face or a bust in these.
    pub guess: Option<&'static str>,
    /// The median diagonal of the box about a scan's points, in the scans' units.
    pub median_extent: Option<f64>,
    /// Scans more than five times as large or as small as that: probably in other units, or of something else.
    pub odd: Vec<PathBuf>,
}

/// Diagonals of faces and busts in millimetres.
const FACES_MM: (f64, f64) = (100.0, 1200.0);
/// By the scans that could be read.
pub(super) fn guess(looked: &[Looked]) -> Scale {
    let extents: Vec<Option<f64>> = looked.iter().map(|looked| looked.extent).collect();
    let (odd, Some(median)) = odd(&extents) else { return Scale::default() };
    let fits = |millimetres: f64| (FACES_MM.0..FACES_MM.1).contains(&(millimetres * median));
    let guess = [("mm", 1.0), ("m", 1000.0), ("cm", 10.0)]
        .into_iter()
        .find(|(_, mm)| fits(*mm))
        .map(|(unit, _)| unit);
    let odd = odd.into_iter().map(|i| looked[i].file.clone());
    Scale { guess, median_extent: Some(median), odd: odd.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faces_are_told_in_three_units() {
        let of = |extents: &[f64]| {
            let looked: Vec<Looked> =
                extents.iter().map(|x| Looked { extent: Some(*x), ..Looked::default() }).collect();
            guess(&looked)
        };
        assert_eq!(of(&[250.0, 260.0, 300.0]).guess, Some("mm"));
        assert_eq!(of(&[25.0, 26.0, 30.0]).guess, Some("cm"));
        assert_eq!(of(&[0.25, 0.26, 0.3]).guess, Some("m"));
        assert_eq!((of(&[5.0]).guess, of(&[]).guess), (None, None));
        assert_eq!(of(&[250.0, 0.26, 300.0]).odd.len(), 1);
    }
}
