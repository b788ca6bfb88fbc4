//! Parts of a face in numbers that clinics know: distances and angles between landmarks, and how far whole regions lie outwards; beside each what is
//! expected, and how people vary. Only of faces on the built-in template, whose landmarks are known.

use super::law::Law;
use super::people::People;
use crate::function::FaceCurves;
use crate::io::landmarks::Landmark;
use crate::mesh::{Point, TriMesh, Vector};
use crate::study::face::anthropometry::{FaceMeasure, MeasureError};
use crate::study::face::{FACE_MM, StudyError};
use crate::synth::{builtin_landmarks, builtin_template};
use serde::Serialize;

/// What is measured between landmarks: the distances and angles that anthropometry names (Farkas 1994), as far as the template has their landmarks.
const MEASURES: [(&str, &str); 14] = [
    ("face height", "nose_root:chin"),
    ("lower face height", "nose_base:chin"),
    ("nose height", "nose_root:nose_base"),
    ("nose width", "right_nose_wing:left_nose_wing"),
    ("nose protrusion", "nose_base:nose_tip"),
    ("width between the eyes", "right_eye_inner:left_eye_inner"),
    ("width across both eyes", "right_eye_outer:left_eye_outer"),
    ("right eye, length", "right_eye_inner:right_eye_outer"),
    ("left eye, length", "left_eye_inner:left_eye_outer"),
    ("mouth width", "right_mouth_corner:left_mouth_corner"),
    ("upper lip height", "nose_base:mouth_middle"),
    ("nasal tip angle", "nose_root:nose_tip:nose_base"),
    ("nose and forehead, angle", "glabella:nose_root:nose_tip"),
    ("facial convexity", "glabella:nose_base:chin"),
];

/// Regions: the places that are nearer to the middle of these landmarks than to that of any other region.
const REGIONS: [(&str, &[&str]); 8] = [
    ("forehead", &["forehead"]),
    ("right eye", &["right_eye_inner", "right_eye_outer"]),
    ("left eye", &["left_eye_inner", "left_eye_outer"]),
    ("nose", &["nose_tip", "nose_root"]),
    ("right cheek", &["right_eye_outer", "right_mouth_corner"]),
    ("left cheek", &["left_eye_outer", "left_mouth_corner"]),
    ("mouth", &["right_mouth_corner", "left_mouth_corner"]),
    ("chin", &["chin"]),
];
/// No farther from it, in millimetres: what lies beyond, along the rim, is in many scans cut off.
const REACH: f64 = 40.0;
/// So many vertices of a region are looked at, and so many draws: more say little more of its mean, and take time.
const OF_A_REGION: usize = 16;
const DRAWS: usize = 200;
/// Steps of derivatives, in millimetres.
const STEP: f64 = 1e-3;

/// One of them.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct FacePart {
    /// What it is called.
    pub name: String,
    /// What is measured: landmarks `A:B`, `A:B:C`, or `outwards` of a region, the mean of its places along the normal.
    pub measured: String,
    /// `mm`, on a face of 20 cm, or `degrees`.
    pub unit: &'static str,
    /// The patient's.
    pub patient: f64,
    /// That of the expected face.
    pub expected: f64,
    /// One standard deviation, of people and of the expected face's error together.
    pub sd: f64,
    /// How many of these lie between both.
    pub z: f64,
}

/// A number that displacements of places change in proportion: by this much for each, in the order of [`FaceParts::places`].
type Linear = Vec<(usize, Vector)>;

/// The places, and how people vary there.
#[derive(Debug)]
pub(super) struct FaceParts {
    /// Vertices: first those of the landmarks.
    places: Vec<usize>,
    /// For each region: its places, with their shares of its area.
    regions: Vec<Vec<(usize, f64)>>,
    /// At the places, in millimetres: unit directions of the modes, and draws of what they leave, of which the squares' sum has a variance of 1.
    modes: Vec<Vec<Vector>>,
    rest: Vec<Vec<Vector>>,
}

impl FaceParts {
    /// For the directions of a law, and draws of the rest of this variance. `None` on a template of somebody's own.
    pub fn new(
        people: &People,
        law: &Law,
        rests: &[Vec<f64>],
        variance: f64,
    ) -> Result<Option<Self>, StudyError> {
        let mesh = people.template().mesh();
        if mesh.triangles() != builtin_template().triangles() {
            return Ok(None);
        }
        let mut places: Vec<usize> = builtin_landmarks().named().iter().map(|(_, vertex)| *vertex).collect();
        let regions = regions(mesh, &mut places);
        let mean = people.mean_at(&[])?;
        let at_places = |field: &Vec<f64>, factor: f64| -> Result<Vec<Vector>, StudyError> {
            let curves = FaceCurves::new(mean.curves(), mean.samples(), field.clone())?;
            let field = people.template().field_at(&curves, &places);
            Ok(field.into_iter().map(|v| factor * FACE_MM * v).collect())
        };
        let modes = law.directions.iter().map(|mode| at_places(mode, 1.0)).collect::<Result<_, _>>()?;
        let drawn = &rests[..DRAWS.min(rests.len())];
        let scale = if variance > 0.0 { (variance * drawn.len() as f64).sqrt().recip() } else { 0.0 };
        let rest = drawn.iter().map(|rest| at_places(rest, scale)).collect::<Result<_, _>>()?;
        Ok(Some(Self { regions, modes, rest, places }))
    }

    /// Of a patient who deviates like this from an expected face with this error; the most unusual first.
    pub fn told(
        &self,
        people: &People,
        law: &Law,
        deviation: &FaceCurves,
        expected: &TriMesh,
        error: f64,
    ) -> Vec<FacePart> {
        let moved: Vec<Vector> =
            people.template().field_at(deviation, &self.places).iter().map(|v| FACE_MM * v).collect();
        let error = FACE_MM * error;
        let names = builtin_landmarks().named();
        let marks: Vec<Landmark> = (names.iter().zip(&self.places))
            .map(|((name, _), v)| Landmark {
                name: Some((*name).to_owned()),
                position: expected.vertices()[*v] * FACE_MM,
            })
            .collect();
        let between = MEASURES.iter().filter_map(|(name, what)| {
            let measure: FaceMeasure = what.parse().ok()?;
            let mut of_patient = marks.clone();
            of_patient.iter_mut().zip(&moved).for_each(|(mark, v)| mark.position += v);
            let linear = derivative(&measure, &marks).ok()?;
            let error =
                error / 3.0f64.sqrt() * linear.iter().map(|(_, g)| g.norm_squared()).sum::<f64>().sqrt();
            let sd = self.sd(law, &linear).hypot(error);
            let unit = if matches!(measure, FaceMeasure::Distance(_)) { "mm" } else { "degrees" };
            Some(part(name, what, unit, [measure.of(&of_patient).ok()?, measure.of(&marks).ok()?, sd]))
        });
        let normals = expected.vertex_normals();
        let outwards = REGIONS.iter().zip(&self.regions).map(|((name, _), region)| {
            let linear: Linear =
                region.iter().map(|(k, share)| (*k, *share * normals[self.places[*k]])).collect();
            let found = linear.iter().map(|(k, g)| g.dot(&moved[*k])).sum();
            // The error may be the same in all of a region.
            let sd = self.sd(law, &linear).hypot(error / 3.0f64.sqrt());
            part(name, "outwards", "mm", [found, 0.0, sd])
        });
        let mut parts: Vec<FacePart> = between.chain(outwards).collect();
        parts.sort_by(|a, b| b.z.abs().total_cmp(&a.z.abs()));
        parts
    }

    /// How people vary in it.
    fn sd(&self, law: &Law, linear: &Linear) -> f64 {
        let of = |field: &Vec<Vector>| linear.iter().map(|(k, g)| g.dot(&field[*k])).sum::<f64>().powi(2);
        let along: f64 = self.modes.iter().zip(&law.variances).map(|(mode, v)| v * of(mode)).sum();
        let beyond: f64 = self.rest.iter().map(of).sum();
        (along + law.left * beyond).sqrt()
    }
}

fn part(name: &str, measured: &str, unit: &'static str, [patient, expected, sd]: [f64; 3]) -> FacePart {
    let (name, measured) = (name.to_owned(), measured.to_owned());
    FacePart { name, measured, unit, patient, expected, sd, z: (patient - expected) / sd }
}

/// How a measure changes with the places of the landmarks.
fn derivative(measure: &FaceMeasure, marks: &[Landmark]) -> Result<Linear, MeasureError> {
    let mut linear = Vec::new();
    for k in 0..marks.len() {
        let slope = |axis: usize| -> Result<f64, MeasureError> {
            let at = |step: f64| {
                let mut marks = marks.to_vec();
                marks[k].position[axis] += step;
                measure.of(&marks)
            };
            Ok((at(STEP)? - at(-STEP)?) / (2.0 * STEP))
        };
        let slope = Vector::new(slope(0)?, slope(1)?, slope(2)?);
        if slope != Vector::zeros() {
            linear.push((k, slope));
        }
    }
    Ok(linear)
}

/// For each region: some of its vertices, which become places, with their shares of the area of all of these.
fn regions(mesh: &TriMesh, places: &mut Vec<usize>) -> Vec<Vec<(usize, f64)>> {
    let names = builtin_landmarks().named();
    let vertices = builtin_template().vertices();
    let middle = |marks: &&[&str]| {
        let of =
            |mark: &&str| names.iter().find(|(name, _)| name == mark).map(|(_, vertex)| vertices[*vertex]);
        let found: Vec<Point> = marks.iter().filter_map(of).collect();
        Point::from(found.iter().map(|p| p.coords).sum::<Vector>() / found.len() as f64)
    };
    let middles: Vec<Point> = REGIONS.iter().map(|(_, marks)| middle(marks)).collect();
    let apart = |k: usize, v: usize| (vertices[v] - middles[k]).norm();
    let nearest = |v: usize| (0..middles.len()).min_by(|a, b| apart(*a, v).total_cmp(&apart(*b, v)));
    let owner: Vec<Option<usize>> =
        (0..vertices.len()).map(|v| nearest(v).filter(|k| apart(*k, v) <= REACH)).collect();
    let shares = mesh.vertex_shares();
    let mut region = |k: usize| {
        let own: Vec<usize> = (0..vertices.len()).filter(|v| owner[*v] == Some(k)).collect();
        let some: Vec<usize> = own.iter().copied().step_by(own.len().div_ceil(OF_A_REGION).max(1)).collect();
        let whole: f64 = some.iter().map(|v| shares[*v]).sum();
        let first = places.len();
        places.extend(&some);
        some.iter().enumerate().map(|(i, v)| (first + i, shares[*v] / whole)).collect()
    };
    (0..REGIONS.len()).map(&mut region).collect()
}
