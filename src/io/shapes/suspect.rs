//! Numbers that look like codes for missing landmarks: told to whoever holds the data, never acted upon.

use super::record::ShapeRecord;

/// A number that all coordinates of some landmarks are, to the digit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Suspect {
    /// The number.
    pub code: f64,
    /// How many landmarks are there, in all records.
    pub landmarks: usize,
}

/// How many different numbers are counted.
const MOST: usize = 64;

/// Numbers that all coordinates of two or more landmarks are to the digit: where measured landmarks lie at one such place twice, that place
/// is a code for "not found" far more often than not (−1, −999, 0). The commonest first.
pub fn suspects<'a>(shapes: impl IntoIterator<Item = &'a ShapeRecord>) -> Vec<Suspect> {
    let mut found: Vec<Suspect> = Vec::new();
    for shape in shapes {
        for point in shape.points() {
            let Some(code) = point.first().copied().filter(|c| point.iter().all(|other| other == c)) else {
                continue;
            };
            let room = found.len() < MOST;
            match found.iter_mut().find(|suspect| suspect.code == code) {
                Some(suspect) => suspect.landmarks += 1,
                None if room => found.push(Suspect { code, landmarks: 1 }),
                None => {}
            }
        }
    }
    found.retain(|suspect| suspect.landmarks > 1);
    found.sort_by_key(|suspect| std::cmp::Reverse(suspect.landmarks));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_places_where_landmarks_cannot_all_be() {
        let of = |points: &[[f64; 2]]| ShapeRecord::planar(None, points);
        let nan = f64::NAN;
        let shapes = [
            of(&[[1.0, 2.0], [-999.0, -999.0], [3.0, 3.0], [nan, nan]]),
            of(&[[-1.0, 2.0], [-999.0, -999.0], [-1.0, -1.0], [nan, nan]]),
            of(&[[-1.0, -1.0], [-999.0, -999.0], [5.0, 2.0], [5.0, 2.0]]),
        ];
        let expected = [Suspect { code: -999.0, landmarks: 3 }, Suspect { code: -1.0, landmarks: 2 }];
        assert_eq!(suspects(&shapes), expected);
        assert!(suspects(&shapes[..1]).is_empty());
    }
}
