//! How lengths of a subject are said: in millimetres where its unit is known.

use crate::subject::{Shape, Subject};
use visard::report::colour::short;
use visard::study::face::{FACE_MM, Units};

/// A face of area 1 within this is one of unit area.
const UNIT_AREA: f64 = 0.1;
/// Diagonals of faces and heads in millimetres lie between these: the smallest newborn's face and the largest bust.
const DIAGONALS_MM: std::ops::Range<f64> = 60.0..900.0;

/// What one unit of the file is.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Lengths {
    /// So many millimetres.
    Millimetres(f64),
    /// A face of surface area 1, which 20 cm high is so many millimetres.
    UnitArea,
    /// Not known.
    #[default]
    Unknown,
}

impl Lengths {
    /// Of a subject, in the units that were named for it, if any.
    pub fn of(subject: &Subject, units: Option<Units>) -> Self {
        let area = if let Shape::Surface(mesh) = &subject.shape { mesh.area() } else { f64::NAN };
        if (area - 1.0).abs() < UNIT_AREA {
            return Self::UnitArea;
        }
        if let Some(units) = units {
            return Self::Millimetres(units.millimetres());
        }
        let frame = crate::geometry::Frame::around(&subject.shape.points());
        if DIAGONALS_MM.contains(&(2.0 / frame.scale)) { Self::Millimetres(1.0) } else { Self::Unknown }
    }

    /// A length in units of the file, in the unit in which it is said.
    pub fn said(self, length: f64) -> f64 {
        match self {
            Self::Millimetres(one) => length * one,
            Self::UnitArea => length * FACE_MM,
            Self::Unknown => length,
        }
    }

    /// The unit in which lengths are said.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Millimetres(_) => "mm",
            Self::UnitArea => "mm on a face of 20 cm",
            Self::Unknown => "units of the file",
        }
    }

    /// A length in units of the file, with its unit.
    pub fn describe(self, length: f64) -> String {
        let said = self.said(length);
        // A tenth of a millimetre is finer than any scanner.
        let number = match self {
            Self::Unknown => short(said),
            _ => format!("{said:.1}"),
        };
        format!("{number} {}", self.unit())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::template_subject;
    use visard::mesh::Point;

    #[test]
    fn millimetres_are_found_told_or_not_claimed() {
        let face = template_subject();
        assert_eq!(Lengths::of(&face, None), Lengths::Millimetres(1.0));
        let scaled = |by: f64| {
            let Shape::Surface(mesh) = &face.shape else { panic!("a surface") };
            let moved = mesh.vertices().iter().map(|p| Point::from(p.coords * by)).collect();
            Subject { shape: Shape::Surface(mesh.with_vertices(moved).unwrap()), ..face.clone() }
        };
        assert_eq!(Lengths::of(&scaled(0.001), None), Lengths::Unknown);
        assert_eq!(Lengths::of(&scaled(0.001), Some(Units::M)), Lengths::Millimetres(1000.0));
        let Shape::Surface(mesh) = &face.shape else { panic!("a surface") };
        let unit = scaled(1.0 / mesh.area().sqrt());
        assert_eq!(Lengths::of(&unit, Some(Units::M)), Lengths::UnitArea, "known whatever is said");
        assert_eq!(Lengths::UnitArea.describe(0.25), "50.0 mm on a face of 20 cm");
        assert_eq!(Lengths::Millimetres(10.0).describe(2.5), "25.0 mm");
    }
}
