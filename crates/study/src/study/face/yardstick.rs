//! Lengths of unit-area faces in millimetres.

/// Millimetres in one unit of a face of 20 cm, which is about 1 high when its area is 1.
pub const FACE_MM: f64 = 200.0;

/// What one unit of the curves, the √area of a face, is in millimetres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Yardstick {
    /// On the mean face, whose size was released.
    Released(f64),
    /// On a face of 20 cm, which is about 1 high when its area is 1.
    OfTwentyCentimetres,
}

impl Yardstick {
    /// Millimetres in one unit.
    pub fn millimetres(self) -> f64 {
        match self {
            Self::Released(mm) => mm,
            Self::OfTwentyCentimetres => FACE_MM,
        }
    }

    /// On which face.
    pub fn face(self) -> &'static str {
        match self {
            Self::Released(_) => "the mean face",
            Self::OfTwentyCentimetres => "a face of 20 cm",
        }
    }
}
