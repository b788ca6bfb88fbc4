//! Landmarks of the template carried to a scan by its registration.

use crate::io::landmarks::Landmark;
use crate::mesh::{FootFinder, MeshError, Point};
use crate::surface::Template;

/// A landmark farther than this from the template's surface, as a fraction of the template's reach (some ten millimetres of a face), is in
/// other coordinates, or no point of the face.
const FARTHEST: f64 = 0.1;

/// Why landmarks cannot be carried.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TransferError {
    /// The template has no surface to find them on.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// A landmark is not on the template.
    #[error(
        "landmark {name} lies {distance:.1} from the template's surface (at most {most:.1} is believed); give landmarks in the template's \
         coordinates"
    )]
    Off {
        /// Its name, or its number.
        name: String,
        /// In the template's units.
        distance: f64,
        /// In the template's units.
        most: f64,
    },
    /// Two landmarks have one name.
    #[error("two landmarks are called {0}; give each a name of its own")]
    Twice(String),
}

/// Places on the template, ready to be carried to any scan.
#[derive(Debug, Clone)]
pub struct Transfer {
    places: Vec<Place>,
}

/// A named point of the template's surface.
#[derive(Debug, Clone)]
struct Place {
    name: String,
    corners: [usize; 3],
    weights: [f64; 3],
}

/// A landmark on a scan.
#[derive(Debug, Clone, PartialEq)]
pub struct CarriedLandmark {
    /// Its name on the template; its number from 1 where it has none.
    pub name: String,
    /// Where it is, in the scan's coordinates.
    pub position: Point,
    /// How far it is expected to be from its true place, in the scan's units, where the registration tells.
    pub expected_error: Option<f64>,
}

impl Transfer {
    /// Landmarks in the template's coordinates; each stands for the nearest point of its surface.
    ///
    /// # Errors
    /// [`TransferError`].
    pub fn new(template: &Template, landmarks: &[Landmark]) -> Result<Self, TransferError> {
        let finder = FootFinder::new(template.mesh().clone())?;
        let most = FARTHEST * template.reach();
        let mut places: Vec<Place> = Vec::with_capacity(landmarks.len());
        for (k, landmark) in landmarks.iter().enumerate() {
            let name = landmark.name.clone().unwrap_or_else(|| (k + 1).to_string());
            let foot = finder.closest(&landmark.position);
            let distance = (foot.point - landmark.position).norm();
            if distance > most {
                return Err(TransferError::Off { name, distance, most });
            }
            if places.iter().any(|p| p.name == name) {
                return Err(TransferError::Twice(name));
            }
            places.push(Place { name, corners: finder.corners(&foot), weights: foot.weights });
        }
        Ok(Self { places })
    }

    /// The landmarks on a scan, given where the template's vertices lie on it, and how far each of them is expected to be off.
    pub fn carried(&self, positions: &[Point], errors: Option<&[f64]>) -> Vec<CarriedLandmark> {
        let one = |place: &Place| {
            let of = |values: &dyn Fn(usize) -> f64| -> f64 {
                place.corners.iter().zip(place.weights).map(|(&i, w)| w * values(i)).sum()
            };
            CarriedLandmark {
                name: place.name.clone(),
                position: Point::from([0, 1, 2].map(|d| of(&|i| positions[i][d]))),
                expected_error: errors.map(|e| of(&|i| e[i])),
            }
        };
        self.places.iter().map(one).collect()
    }
}

/// A table of carried landmarks that [`read_landmarks`](crate::io::read_landmarks) reads: name, x, y, z, expected_error (empty where it
/// is not known).
pub fn csv(landmarks: &[CarriedLandmark]) -> String {
    let row = |l: &CarriedLandmark| {
        let error = l.expected_error.map(|e| format!("{e:.3}")).unwrap_or_default();
        let p = l.position;
        format!("{},{:.5},{:.5},{:.5},{error}\n", super::table::field(&l.name), p.x, p.y, p.z)
    };
    std::iter::once("name,x,y,z,expected_error\n".to_owned()).chain(landmarks.iter().map(row)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{Similarity, Vector};
    use crate::study::face::template::{TemplateSource, load_template};
    use nalgebra::Rotation3;

    fn landmark(name: &str, position: Point) -> Landmark {
        Landmark { name: Some(name.to_owned()), position }
    }

    #[test]
    fn landmarks_move_with_the_surface_they_lie_on() {
        let template = load_template(&TemplateSource::Builtin).unwrap().template;
        let (v, t) = (template.mesh().vertices(), template.mesh().triangles()[1000]);
        let middle = nalgebra::center(&v[t[0]], &v[t[1]]);
        let transfer =
            Transfer::new(&template, &[landmark("nose", v[template.nose()]), landmark("side, left", middle)])
                .unwrap();
        let motion = Similarity {
            scale: 1.1,
            rotation: Rotation3::new(Vector::new(0.2, 0.1, -0.4)),
            translation: Vector::new(3.0, 4.0, -50.0),
        };
        let moved: Vec<Point> = v.iter().map(|p| motion.apply(p)).collect();
        let mut errors = vec![1.0; v.len()];
        errors[t[0]] = 3.0;
        let carried = transfer.carried(&moved, Some(&errors));
        for (found, truth) in carried.iter().zip([v[template.nose()], middle]) {
            assert!((found.position - motion.apply(&truth)).norm() < 1e-9);
        }
        assert!((carried[1].expected_error.unwrap() - 2.0).abs() < 1e-9);
        // And back through a file, with a name that needs quotes.
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("l.csv");
        std::fs::write(&file, csv(&carried)).unwrap();
        let read = crate::io::read_landmarks(&file).unwrap();
        assert!((read[1].position - carried[1].position).norm() < 1e-4);
        assert_eq!(read[0].name.as_deref(), Some("nose"));
    }

    #[test]
    fn landmarks_that_are_not_on_the_template_are_refused() {
        let template = load_template(&TemplateSource::Builtin).unwrap().template;
        let nose = template.mesh().vertices()[template.nose()];
        let off = Transfer::new(&template, &[landmark("tragus", nose + Vector::new(0.0, 0.0, 40.0))]);
        let message = off.unwrap_err().to_string();
        assert!(message.contains("tragus") && message.contains("coordinates"), "{message}");
        let twice = Transfer::new(&template, &[landmark("a", nose), landmark("a", nose)]);
        assert!(twice.unwrap_err().to_string().contains("two landmarks"));
    }
}
