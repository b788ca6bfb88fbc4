//! Normals of a face at the samples of its curves.

use crate::function::FaceCurves;
use crate::mesh::Vector;

/// Unit normals of a face at the samples of its curves, pointing outwards (z is to the front): by differences along and across the curves.
pub(super) fn normals(curves: &FaceCurves) -> Vec<[f64; 3]> {
    let (jn, m, data) = (curves.curves(), curves.samples(), curves.data());
    let point = |j: usize, l: usize| Vector::from_column_slice(&data[3 * (j * m + l)..][..3]);
    let normal = |j: usize, l: usize| {
        let along = point(j, (l + 1) % m) - point(j, (l + m - 1) % m);
        let across = point((j + 1).min(jn - 1), l) - point(j.saturating_sub(1), l);
        across.cross(&along).try_normalize(0.0).unwrap_or_else(Vector::z)
    };
    let mut normals: Vec<Vector> = (0..jn).flat_map(|j| (0..m).map(move |l| normal(j, l))).collect();
    if normals.iter().map(|n| n.z).sum::<f64>() < 0.0 {
        normals.iter_mut().for_each(|n| *n = -*n);
    }
    normals.into_iter().map(Into::into).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::face::{TemplateSource, load_template};

    #[test]
    fn normals_point_out_of_the_face() {
        let own = load_template(&TemplateSource::Builtin).unwrap().template.own_curves(10, 24).unwrap();
        let normals = normals(&own);
        let centre = [0.0, 0.0, -0.4];
        let outwards = |(p, n): (&[f64], &[f64; 3])| (0..3).map(|k| (p[k] - centre[k]) * n[k]).sum::<f64>();
        let points = own.data().chunks_exact(3).zip(&normals);
        let out = points.filter(|(p, n)| outwards((p, n)) > 0.0).count();
        assert!(out as f64 > 0.97 * normals.len() as f64, "{out} of {}", normals.len());
        assert!(normals.iter().all(|n| (n.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-9));
    }
}
