//! What the instruments say of a drawing: how long a unit is, where the landmarks are, what the rulers read.

use super::lengths::Lengths;

/// Lengths, landmarks and what the rulers read.
#[derive(Debug, Clone, Default)]
pub struct Measurements {
    /// How lengths are said.
    pub lengths: Lengths,
    /// The landmarks that have a name.
    pub landmarks: Vec<NamedPlace>,
    /// The rulers' ends and what they read.
    pub readings: Vec<RulerReading>,
}

/// A landmark on a drawing.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedPlace {
    /// Its name.
    pub name: String,
    /// Display coordinates.
    pub at: [f32; 3],
    /// The surface's normal there, where it is known: landmarks that look away are not drawn.
    pub normal: Option<[f32; 3]>,
}

/// What a ruler reads.
#[derive(Debug, Clone, PartialEq)]
pub struct RulerReading {
    /// Its ends, in display coordinates.
    pub ends: [[f32; 3]; 2],
    /// Between what it measures; empty for places that were clicked.
    pub name: String,
    /// The distance with its unit.
    pub distance: String,
}
