//! How a subject is shown.

use crate::fields::FieldName;
use crate::looking::Instruments;
use crate::palette::Palette;
use visard::study::face::Units;

/// How a subject is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct DisplaySettings {
    /// Colours on the surface.
    pub field: FieldName,
    /// The triangles' edges.
    pub wireframe: bool,
    /// The vertices.
    pub points: bool,
    /// The face radial curves.
    pub curves: bool,
    /// The band of the release, as a shell about the surface.
    pub band: bool,
    /// The flattened surface instead of the surface.
    pub disk: bool,
    /// From the template (0) to the subject (1).
    pub morph: f64,
    /// How far each released mode is followed, in standard deviations.
    pub modes: Vec<f64>,
    /// At which values of the covariates, as in `age=8`; those not named at their reference.
    pub at: Vec<String>,
    /// How fields become colours.
    pub palette: Palette,
    /// Instruments to look with.
    pub instruments: Instruments,
    /// What one unit of the file is, where it was said.
    pub units: Option<Units>,
}

impl Default for DisplaySettings {
    fn default() -> Self {
        Self {
            field: FieldName::None,
            wireframe: false,
            points: false,
            curves: false,
            band: false,
            disk: false,
            morph: 1.0,
            modes: Vec::new(),
            at: Vec::new(),
            palette: Palette::default(),
            instruments: Instruments::default(),
            units: None,
        }
    }
}
