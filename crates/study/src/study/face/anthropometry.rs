//! Distances and angles between the landmarks of one face. They are about one person: for the data holder only.

use crate::io::landmarks::Landmark;
use crate::mesh::Point;
use std::str::FromStr;

/// What is measured between named landmarks. Written `a:b` (the distance of a and b) or `a:b:c` (the angle at b between a and c); names count
/// without regard to capitals.
///
/// # Example
/// ```
/// use visard_io::io::landmarks::Landmark;
/// use visard_geometry::mesh::Point;
/// use visard_study::study::face::anthropometry::FaceMeasure;
/// let at = |name: &str, x, y| Landmark { name: Some(name.into()), position: Point::new(x, y, 0.0) };
/// let face = [at("left", 3.0, 0.0), at("nose", 0.0, 0.0), at("brow", 0.0, 4.0)];
/// assert_eq!("left:brow".parse::<FaceMeasure>()?.of(&face)?, 5.0);
/// assert_eq!("left:nose:brow".parse::<FaceMeasure>()?.of(&face)?, 90.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FaceMeasure {
    /// The distance between two landmarks, in their units.
    Distance([String; 2]),
    /// The angle at the second landmark between the first and the third, in degrees, 0 to 180.
    Angle([String; 3]),
}

/// Why something cannot be measured.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MeasureError {
    /// Neither two nor three different names.
    #[error("{0:?} is neither a distance A:B nor an angle A:B:C of different landmarks")]
    Unknown(String),
    /// The landmarks do not include one.
    #[error("there is no landmark {wanted:?}; there are {there}")]
    Missing {
        /// Its name.
        wanted: String,
        /// The names there are.
        there: String,
    },
    /// More than one landmark has the name.
    #[error("more than one landmark is called {0:?}")]
    Twice(String),
    /// Two landmarks of an angle lie on one another.
    #[error("landmarks of the angle {0} lie on one another")]
    Degenerate(String),
}

impl FromStr for FaceMeasure {
    type Err = MeasureError;

    fn from_str(text: &str) -> Result<Self, MeasureError> {
        let names: Vec<String> = text.split(':').map(|name| name.trim().to_owned()).collect();
        let same = |a: &String, b: &String| a.to_lowercase() == b.to_lowercase();
        let distinct = names.iter().enumerate().all(|(i, a)| names[..i].iter().all(|b| !same(a, b)));
        let unknown = || MeasureError::Unknown(text.to_owned());
        if !distinct || names.iter().any(String::is_empty) {
            return Err(unknown());
        }
        match names.len() {
            2 => names.try_into().map(Self::Distance).map_err(|_| unknown()),
            3 => names.try_into().map(Self::Angle).map_err(|_| unknown()),
            _ => Err(unknown()),
        }
    }
}

impl std::fmt::Display for FaceMeasure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Distance(names) => f.write_str(&names.join(":")),
            Self::Angle(names) => f.write_str(&names.join(":")),
        }
    }
}

impl FaceMeasure {
    /// Its value on one face: the landmarks' units, or degrees.
    ///
    /// # Errors
    /// [`MeasureError`] when a landmark is missing or named twice, or an angle has no sides.
    pub fn of(&self, landmarks: &[Landmark]) -> Result<f64, MeasureError> {
        match self {
            Self::Distance([a, b]) => Ok((position(landmarks, a)? - position(landmarks, b)?).norm()),
            Self::Angle([a, b, c]) => {
                let at = position(landmarks, b)?;
                let (p, q) = (position(landmarks, a)? - at, position(landmarks, c)? - at);
                if p.norm() == 0.0 || q.norm() == 0.0 {
                    return Err(MeasureError::Degenerate(self.to_string()));
                }
                Ok(p.cross(&q).norm().atan2(p.dot(&q)).to_degrees())
            }
        }
    }
}

fn position(landmarks: &[Landmark], wanted: &str) -> Result<Point, MeasureError> {
    let is =
        |l: &&Landmark| l.name.as_ref().is_some_and(|n| n.trim().to_lowercase() == wanted.to_lowercase());
    let mut found = landmarks.iter().filter(is);
    match (found.next(), found.next()) {
        (Some(l), None) => Ok(l.position),
        (Some(_), Some(_)) => Err(MeasureError::Twice(wanted.to_owned())),
        (None, _) => {
            let names: Vec<&str> = landmarks.iter().filter_map(|l| l.name.as_deref()).collect();
            let there = if names.is_empty() { "none with a name".to_owned() } else { names.join(", ") };
            Err(MeasureError::Missing { wanted: wanted.to_owned(), there })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn face() -> Vec<Landmark> {
        let at = |name: &str, p: [f64; 3]| Landmark { name: Some(name.into()), position: Point::from(p) };
        vec![at("Nasion", [0.0, 3.0, 1.0]), at("tip", [0.0, 0.0, 1.0]), at("chin", [0.0, -2.0, 1.0])]
    }

    #[test]
    fn straight_lines_have_angles_of_half_a_turn() {
        let angle: FaceMeasure = "nasion:TIP:chin".parse().unwrap();
        assert!((angle.of(&face()).unwrap() - 180.0).abs() < 1e-12);
        let distance: FaceMeasure = " nasion : chin ".parse().unwrap();
        assert_eq!(distance.of(&face()).unwrap(), 5.0);
        assert_eq!(distance.to_string(), "nasion:chin");
    }

    #[test]
    fn what_cannot_be_measured_is_said() {
        for text in ["", "a", "a:", "a:a", "a:b:A", "a:b:c:d"] {
            assert!(text.parse::<FaceMeasure>().is_err(), "{text}");
        }
        let missing = "tip:gnathion".parse::<FaceMeasure>().unwrap().of(&face()).unwrap_err().to_string();
        assert!(missing.contains("gnathion") && missing.contains("chin"), "{missing}");
        let mut twice = face();
        twice.push(twice[1].clone());
        assert!("tip:chin".parse::<FaceMeasure>().unwrap().of(&twice).is_err());
        let mut flat = face();
        flat[0].position = flat[1].position;
        assert!("nasion:tip:chin".parse::<FaceMeasure>().unwrap().of(&flat).is_err());
    }
}
