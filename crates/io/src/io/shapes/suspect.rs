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
/// is a code for "not found" far more often than not (−1, −999, 0). The commonest first. One landmark that lies there in most records is the
/// origin of a frame, and no such place.
pub fn suspects<'a>(shapes: impl IntoIterator<Item = &'a ShapeRecord>) -> Vec<Suspect> {
    let (mut found, mut records): (Vec<Place>, _) = (Vec::new(), 0);
    for shape in shapes {
        records += 1;
        for (landmark, point) in shape.points().enumerate() {
            let code = point.first().copied().filter(|c| point.iter().all(|other| other == c));
            let Some(code) = code else { continue };
            let room = found.len() < MOST;
            match found.iter_mut().find(|place| place.code == code) {
                Some(place) => {
                    place.times += 1;
                    place.of_one &= place.landmark == landmark;
                }
                None if room => found.push(Place { code, times: 1, landmark, of_one: true }),
                None => {}
            }
        }
    }
    found.retain(|place| place.times > 1 && !(place.of_one && 2 * place.times > records));
    found.sort_by_key(|place| std::cmp::Reverse(place.times));
    found.into_iter().map(|Place { code, times, .. }| Suspect { code, landmarks: times }).collect()
}

/// A place on the diagonal where landmarks lie.
struct Place {
    code: f64,
    times: usize,
    /// The landmark that lay there first, and whether no other did.
    landmark: usize,
    of_one: bool,
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
            of(&[[-1.0, -1.0], [5.0, 2.0], [-999.0, -999.0], [5.0, 2.0]]),
        ];
        let expected = [Suspect { code: -999.0, landmarks: 3 }, Suspect { code: -1.0, landmarks: 2 }];
        assert_eq!(suspects(&shapes), expected);
        assert!(suspects(&shapes[..1]).is_empty());
        let baseline = [of(&[[0.0, 0.0], [1.0, 0.0], [0.3, 0.2]]), of(&[[0.0, 0.0], [1.0, 0.0], [0.4, 0.1]])];
        assert!(suspects(&baseline).is_empty());
    }
}
