//! Homologous faces, of the public ICT face model where its data are, else of the built-in synthetic model.

use super::{AnyError, Context, Population, ReproduceError};
use crate::function::FaceCurves;
use crate::io::{npy, write_ply};
use crate::mesh::{Point, TriMesh};
use crate::study::face::{TemplateSource, load_template};
use crate::surface::Template;
use crate::synth::FaceParameters;
use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;
use std::sync::Arc;

/// J of the paper.
pub(super) const CURVES: usize = 23;
/// Faces of whom the strangest is the stranger.
const OTHERS: usize = 100;
/// m of the paper.
pub(super) const SAMPLES: usize = 80;

/// `n` homologous faces: of the public ICT face model where its data are, else of the built-in synthetic model.
///
/// # Errors
/// Damaged data.
pub fn homologous_faces(context: &Context, n: usize) -> Result<Population, ReproduceError> {
    made(context, n).map_err(|e| ReproduceError::Failed(format!("faces: {e}")))
}

fn made(context: &Context, n: usize) -> Result<Population, AnyError> {
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
    let (Some(neutral), Some(modes), Some(faces)) = (
        context.file("faces_ict/ict_neutral.npy"),
        context.file("faces_ict/ict_identity_modes.npy"),
        context.file("faces_ict/ict_faces.npy"),
    ) else {
        let template = load_template(&TemplateSource::Builtin)?.template;
        let mean = FaceParameters::mean();
        let people = FaceParameters::sample_vertices(&mean, n + OTHERS, &mut rng, <[Point]>::to_vec);
        let source = "faces of the built-in synthetic population (no shared data)";
        return measured(template, people.into_par_iter(), source);
    };
    let (neutral, modes, faces) = (npy::read(&neutral)?, npy::read(&modes)?, npy::read(&faces)?);
    let triangles =
        faces.data.chunks_exact(3).map(|t| [t[0] as usize, t[1] as usize, t[2] as usize]).collect();
    let mesh = TriMesh::new(points(&neutral.data), triangles)?;
    let file = std::env::temp_dir().join(format!("visard-neutral-{}.ply", std::process::id()));
    write_ply(&file, &mesh)?;
    let template = load_template(&TemplateSource::File(file.clone()));
    // Only this process knows the file; a copy left behind would do no harm.
    let _ = std::fs::remove_file(&file);
    let template = template?.template;
    let size = neutral.data.len().max(1);
    let weights: Vec<Vec<f64>> = (0..n + OTHERS)
        .map(|_| (0..modes.data.len() / size).map(|_| StandardNormal.sample(&mut rng)).collect())
        .collect();
    let people = weights.into_par_iter().map(|w| {
        let mut v = neutral.data.clone();
        for (mode, w) in modes.data.chunks_exact(size).zip(w) {
            v.iter_mut().zip(mode).for_each(|(v, m)| *v += w * m);
        }
        points(&v)
    });
    measured(template, people, "homologous faces of the public ICT face model")
}

/// Curves and aligned vertices of every face; the last [`OTHERS`] are not of the study.
fn measured(
    template: Arc<Template>,
    people: impl IndexedParallelIterator<Item = Vec<Point>>,
    source: &'static str,
) -> Result<Population, AnyError> {
    let own = template.own_curves(CURVES, SAMPLES)?;
    let all: Vec<_> = people
        .map(|positions| {
            let curves = template.curves_of(&positions, CURVES, SAMPLES).map_err(|e| e.to_string())?;
            let unit = template.unit_positions(&positions).map_err(|e| e.to_string())?;
            let dense = unit.iter().flat_map(|p| [p.x, p.y, p.z]).collect();
            Ok::<_, String>((Some(curves), Some(dense)))
        })
        .collect::<Result<_, _>>()?;
    let (mut records, mut dense): (Vec<Option<FaceCurves>>, Vec<_>) = all.into_iter().unzip();
    let n = records.len().saturating_sub(OTHERS);
    dense.truncate(n);
    let others = records.split_off(n).into_iter().flatten();
    let far = |face: &FaceCurves| face.mean_square_distance(&own);
    let stranger = others.max_by(|a, b| far(a).total_cmp(&far(b))).ok_or("no faces")?;
    Ok(Population { template, own, records, dense, stranger, source })
}

impl Context {
    /// One thousand homologous faces, as many as the paper has, whatever the sizes elsewhere.
    pub(super) fn faces(&self) -> Result<Arc<Population>, AnyError> {
        match self.faces.get() {
            Some(faces) => Ok(faces.clone()),
            None => {
                self.step("one thousand faces are made, for all items that show them");
                let made = Arc::new(homologous_faces(self, 1000)?);
                Ok(self.faces.get_or_init(|| made).clone())
            }
        }
    }
}

/// Points from x y z triples.
pub(super) fn points(values: &[f64]) -> Vec<Point> {
    values.chunks_exact(3).map(|c| Point::new(c[0], c[1], c[2])).collect()
}
