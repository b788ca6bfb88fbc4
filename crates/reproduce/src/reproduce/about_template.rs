//! Faces of public models as a study about the built-in template sees them, with perfect correspondence among themselves: the
//! template is registered once, to the model's own mean, and carried along.

use super::population::{CURVES, SAMPLES};
use super::{AnyError, Context, ReproduceError};
use crate::function::FaceCurves;
use crate::io::{npy, write_ply};
use crate::mesh::{FootFinder, Point, Similarity, TriMesh, Vector};
use crate::study::face::record::{ScanRegistrar, ScanRow, default_crop_radius};
use crate::study::face::{Registration, TemplateSource, load_template};
use crate::surface::Template;
use crate::synth::FaceParameters;
use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;

/// Where faces come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaceModel {
    /// The ICT model's identity modes, independent standard normal.
    Ict,
    /// Normal with the mean and covariance of the 30 faces of SIMPOP, which vary in nine directions.
    Simpop,
    /// The built-in synthetic population about a mean that is not the template ([`FaceParameters::elsewhere`]).
    Synthetic,
}

/// The built-in template's own curves, and those of `n` faces of the model.
///
/// # Errors
/// Missing or damaged data.
pub fn faces_about_template(
    context: &Context,
    model: FaceModel,
    n: usize,
    seed: u64,
) -> Result<(FaceCurves, Vec<FaceCurves>), ReproduceError> {
    made(context, model, n, seed).map_err(|e| ReproduceError::Failed(format!("faces: {e}")))
}

fn made(
    context: &Context,
    model: FaceModel,
    n: usize,
    seed: u64,
) -> Result<(FaceCurves, Vec<FaceCurves>), AnyError> {
    let template = load_template(&TemplateSource::Builtin)?.template;
    let own = template.own_curves(CURVES, SAMPLES)?;
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
    let normals = |k: usize, rng: &mut rand_chacha::ChaCha8Rng| -> Vec<f64> {
        (0..k).map(|_| StandardNormal.sample(rng)).collect()
    };
    let curves = |positions: &[Point]| -> Result<FaceCurves, String> {
        template.curves_of(positions, CURVES, SAMPLES).map_err(|e| e.to_string())
    };
    let file = |name: &str| context.file(name).ok_or_else(|| format!("{name} is not among the shared data"));
    let faces: Result<Vec<FaceCurves>, String> = match model {
        FaceModel::Synthetic => {
            let mean = FaceParameters::elsewhere();
            FaceParameters::sample_vertices(&mean, n, &mut rng, curves).into_iter().collect()
        }
        FaceModel::Ict => {
            let neutral = npy::read(&file("faces_ict/ict_neutral.npy")?)?.data;
            let modes = npy::read(&file("faces_ict/ict_identity_modes.npy")?)?.data;
            let triangles = npy::read(&file("faces_ict/ict_faces.npy")?)?.data;
            let carried = Carried::on(&template, points(&neutral), &triangles)?;
            let weights: Vec<Vec<f64>> =
                (0..n).map(|_| normals(modes.len() / neutral.len(), &mut rng)).collect();
            let face = |w: &Vec<f64>| {
                let mut v = neutral.clone();
                for (mode, w) in modes.chunks_exact(neutral.len()).zip(w) {
                    v.iter_mut().zip(mode).for_each(|(v, m)| *v += w * m);
                }
                curves(&carried.positions(&points(&v)))
            };
            weights.par_iter().map(face).collect()
        }
        FaceModel::Simpop => {
            let vertices = npy::read(&file("faces_simpop/simpop_vertices.npy")?)?;
            let triangles = npy::read(&file("faces_simpop/simpop_faces.npy")?)?.data;
            let size = vertices.data.len() / vertices.shape[0];
            let people: Vec<Vec<Point>> = vertices.data.chunks_exact(size).map(points).collect();
            let first = people.first().ok_or("no faces")?.clone();
            let carried = Carried::on(&template, first, &triangles)?;
            let known: Vec<FaceCurves> =
                people.par_iter().map(|face| curves(&carried.positions(face))).collect::<Result<_, _>>()?;
            (0..n).map(|_| normal_face(&known, &normals(known.len(), &mut rng))).collect()
        }
    };
    Ok((own, faces?))
}

/// The built-in template moved as `n` people of a model differ from the model's mean (`Synthetic`: from the template), in its vertices:
/// faces whose correspondence with the template is known everywhere.
///
/// # Errors
/// Missing or damaged data.
pub fn warped_templates(
    context: &Context,
    model: FaceModel,
    n: usize,
    seed: u64,
) -> Result<Vec<Vec<Point>>, ReproduceError> {
    warped(context, model, n, seed).map_err(|e| ReproduceError::Failed(format!("faces: {e}")))
}

fn warped(context: &Context, model: FaceModel, n: usize, seed: u64) -> Result<Vec<Vec<Point>>, AnyError> {
    let template = load_template(&TemplateSource::Builtin)?.template;
    let own = template.mesh().vertices();
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
    let file = |name: &str| context.file(name).ok_or_else(|| format!("{name} is not among the shared data"));
    let names = match model {
        FaceModel::Synthetic => {
            let mean = FaceParameters::mean();
            return Ok(FaceParameters::sample_vertices(&mean, n, &mut rng, <[Point]>::to_vec));
        }
        FaceModel::Ict => ["faces_ict/ict_neutral.npy", "faces_ict/ict_faces.npy"],
        FaceModel::Simpop => ["faces_simpop/simpop_vertices.npy", "faces_simpop/simpop_faces.npy"],
    };
    let known = npy::read(&file(names[0])?)?.data;
    let triangles = npy::read(&file(names[1])?)?.data;
    let size = 3 * (1 + triangles.iter().fold(0.0_f64, |a, &b| a.max(b)) as usize);
    let base = &known[..size];
    let carried = Carried::on(&template, points(base), &triangles)?;
    let even = vec![1.0; own.len()];
    let posed = |face: &[f64], from: &[f64]| -> Result<Vec<Point>, AnyError> {
        let pose = Similarity::fit(&carried.positions(&points(from)), own, &even).ok_or("no pose")?;
        Ok(carried.positions(&points(face)).iter().map(|p| pose.apply(p)).collect())
    };
    // Faces whose deviations from their middle, times these factors, are a standard deviation each.
    let (faces, middle, factor): (Vec<Vec<Point>>, Vec<Point>, f64) = match model {
        FaceModel::Ict => {
            let modes = npy::read(&file("faces_ict/ict_identity_modes.npy")?)?.data;
            let moved = |mode: &[f64]| base.iter().zip(mode).map(|(a, b)| a + b).collect::<Vec<f64>>();
            let faces =
                modes.chunks_exact(size).map(|mode| posed(&moved(mode), base)).collect::<Result<_, _>>()?;
            (faces, posed(base, base)?, 1.0)
        }
        _ => {
            let faces: Vec<Vec<Point>> =
                known.chunks_exact(size).map(|face| posed(face, face)).collect::<Result<_, _>>()?;
            let count = faces.len() as f64;
            let middle = |i: usize| Point::from(faces.iter().map(|p| p[i].coords).sum::<Vector>() / count);
            let middle = (0..own.len()).map(middle).collect();
            (faces, middle, 1.0 / (count - 1.0).sqrt())
        }
    };
    let mut person = || {
        let mut face = own.to_vec();
        for direction in &faces {
            let w: f64 = factor * normal(&mut rng);
            for ((p, q), from) in face.iter_mut().zip(direction).zip(&middle) {
                *p += w * (q - from);
            }
        }
        face
    };
    Ok((0..n).map(|_| person()).collect())
}

fn normal(rng: &mut rand_chacha::ChaCha8Rng) -> f64 {
    StandardNormal.sample(rng)
}

/// The mean of the faces, and these weights of their deviations from it.
fn normal_face(known: &[FaceCurves], weights: &[f64]) -> Result<FaceCurves, String> {
    let count = known.len() as f64;
    let average = weights.iter().sum::<f64>() / count;
    let mut data = vec![0.0; known.first().map_or(0, |face| face.data().len())];
    for (face, w) in known.iter().zip(weights) {
        let factor = 1.0 / count + (w - average) / (count - 1.0).sqrt();
        data.iter_mut().zip(face.data()).for_each(|(x, f)| *x += factor * f);
    }
    FaceCurves::new(CURVES, SAMPLES, data).map_err(|e| e.to_string())
}

fn points(data: &[f64]) -> Vec<Point> {
    data.chunks_exact(3).map(|p| Point::new(p[0], p[1], p[2])).collect()
}

/// The template's vertices as places on a model's mesh.
struct Carried {
    /// Three vertices of the model, and their weights.
    places: Vec<([usize; 3], [f64; 3])>,
}

impl Carried {
    fn on(template: &Template, model: Vec<Point>, triangles: &[f64]) -> Result<Self, AnyError> {
        let triangles =
            triangles.chunks_exact(3).map(|t| [t[0] as usize, t[1] as usize, t[2] as usize]).collect();
        let mesh = TriMesh::new(model, triangles)?;
        let file = std::env::temp_dir().join(format!("visard-model-{}.ply", std::process::id()));
        write_ply(&file, &mesh)?;
        let registrar = ScanRegistrar::new(template, Registration::default(), default_crop_radius(template))?;
        let mut row = ScanRow::named("model".into());
        let posed = registrar.pose(&file, None, &mut row);
        // Only this process knows the file; a copy left behind would do no harm.
        let _ = std::fs::remove_file(&file);
        let positions = registrar.register(&posed?, &mut row)?;
        let feet = FootFinder::new(mesh)?;
        let place = |p: &Point| {
            let foot = feet.closest(p);
            (feet.corners(&foot), foot.weights)
        };
        Ok(Self { places: positions.iter().map(place).collect() })
    }

    fn positions(&self, face: &[Point]) -> Vec<Point> {
        let place = |(corners, weights): &([usize; 3], [f64; 3])| {
            Point::from((0..3).map(|k| face[corners[k]].coords * weights[k]).sum::<Vector>())
        };
        self.places.iter().map(place).collect()
    }
}
