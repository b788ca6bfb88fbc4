//! How far the noise may have moved each point of the released face: worked out from the release alone.

use super::error::StudyError;
use crate::function::FaceCurves;
use crate::mechanism::functional::{CurveMean, NoisedFunction};
use crate::mesh::{TriMesh, Vector};
use crate::privacy::Released;
use crate::surface::Template;
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;

/// How many times the mechanism is run again.
const DRAWS: u64 = 48;

/// Standard deviation of the noise along the normal at every vertex of the released face, in its units.
///
/// A parametric bootstrap: the mechanism's noise and post-processing, 48 times with fixed seeds, on the released mean taken
/// for the truth. It sees released values and public settings only, so it costs no privacy and may be published. It holds
/// the spread, not the bias that shrinkage adds.
///
/// `None` where the mechanism's bounds came from the data: it cannot be run again without them.
pub(super) fn noise_map(
    mechanism: &CurveMean,
    template: &Template,
    released: &Released<NoisedFunction>,
    curves: &FaceCurves,
    face: &TriMesh,
) -> Result<Option<Vec<f64>>, StudyError> {
    let Some(again) = mechanism.again(released)? else { return Ok(None) };
    let samples: Vec<Vec<f64>> = (0..DRAWS)
        .map(|draw| {
            let mut rng = ChaCha20Rng::seed_from_u64(draw);
            again.draw(|| StandardNormal.sample(&mut rng))
        })
        .collect();
    let normals = face.vertex_normals();
    let heights: Vec<Vec<f64>> = samples
        .into_par_iter()
        .map(|values| {
            let curves = FaceCurves::new(curves.curves(), curves.samples(), values)?;
            Ok(along_normals(&template.face_through(&curves)?, face, &normals))
        })
        .collect::<Result<_, StudyError>>()?;
    Ok(Some((0..normals.len()).map(|v| spread(heights.iter().map(|h| h[v]))).collect()))
}

/// The part along `normals` of the displacement from `from` to `to`, vertex by vertex.
pub(super) fn along_normals(to: &TriMesh, from: &TriMesh, normals: &[Vector]) -> Vec<f64> {
    to.vertices().iter().zip(from.vertices()).zip(normals).map(|((a, b), n)| (a - b).dot(n)).collect()
}

/// Standard deviation about the mean.
fn spread(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let n = values.clone().count().max(2) as f64;
    let mean = values.clone().sum::<f64>() / n;
    (values.map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spread_is_the_textbook_one() {
        assert!((spread([1.0, 2.0, 3.0, 4.0].into_iter()) - (5.0f64 / 3.0).sqrt()).abs() < 1e-15);
    }
}
