//! What registration does to a mean: the part of the way from the template that it does not go, found on public made-up surfaces.
//!
//! A registered surface lies on its scan, but places slide along it, and towards where the template has them. Of made-up displacements of the
//! template the true places are known. They come in pairs, d and −d: the half difference of what registration makes of them is nearly linear in the
//! displacement, so that it acts on the mean of many as on one; half their sum is what remains where the mean is the template.

use super::error::SurfaceRegistrationError;
use super::register::{Correspondences, SurfaceSettings, taken_out};
use super::template::SurfaceTemplate;
use crate::function::Harmonics;
use crate::mesh::{Point, Similarity, Vector, simplified};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;

/// Pairs of made-up surfaces.
const PAIRS: u64 = 4;
/// Scans have other triangles than the template: so many of its vertices.
const SCAN: f64 = 0.7;

/// An error along the surface's normal and along the surface, root mean square over its area.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Slip {
    /// Where the surface lies.
    pub normal: f64,
    /// Which place of it is called what.
    pub along: f64,
}

/// How registration to a template errs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pull {
    /// Of the mean of surfaces, over its distance from the template.
    pub share: Slip,
    /// Of the mean where it is the template, in the template's units.
    pub least: Slip,
    /// Of one surface, in the template's units.
    pub single: Slip,
}

impl SurfaceTemplate {
    /// How registration errs on public made-up surfaces that differ from the template by `spread` (root mean square, in its units), with these
    /// variances of the displacements' coefficients by frequency. `None` where fewer than half of them can be registered.
    pub fn pull(
        &self,
        harmonics: &Harmonics,
        spectrum: impl Fn(f64) -> f64 + Sync,
        spread: f64,
    ) -> Option<Pull> {
        let deviations: Vec<f64> = harmonics.frequencies().iter().map(|v| spectrum(*v).sqrt()).collect();
        let pair = |seed: u64| -> Result<(f64, [Vec<Vector>; 2]), SurfaceRegistrationError> {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
            let coefficients: Vec<f64> =
                deviations.iter().flat_map(|d| [0; 3].map(|_| d * normal())).collect();
            let field = harmonics.synthesize(&coefficients);
            let size = spread / harmonics.root_mean_square(&field);
            let [(away, a), (other, b)] =
                [self.slip_of(harmonics, &field, size)?, self.slip_of(harmonics, &field, -size)?];
            let half = |sign: f64| a.iter().zip(&b).map(|(p, q)| (p + q * sign) / 2.0).collect();
            Ok(((away + other) / 2.0, [half(-1.0), half(1.0)]))
        };
        let pairs: Vec<_> = (0..PAIRS).into_par_iter().map(pair).collect();
        let pairs: Vec<_> = pairs.into_iter().flatten().collect();
        if 2 * pairs.len() < PAIRS as usize {
            return None;
        }
        let normals = self.mesh().vertex_normals();
        let squares = |field: &[Vector]| mean_squares(field, &normals, harmonics.areas());
        let n = pairs.len() as f64;
        let mut away = 0.0;
        let (mut odd, mut even, mut mean) = ([0.0; 2], [0.0; 2], vec![Vector::zeros(); normals.len()]);
        for (d, [difference, sum]) in &pairs {
            away += d * d / n;
            let (a, b) = (squares(difference), squares(sum));
            (0..2).for_each(|k| {
                odd[k] += a[k] / n;
                even[k] += b[k] / n;
            });
            mean.iter_mut().zip(sum).for_each(|(m, s)| *m += s / n);
        }
        let mean = squares(&mean);
        // What the mean of so few pairs scatters by itself.
        let least = [0, 1].map(|k| (mean[k] - (even[k] - mean[k]) / (n - 1.0)).max(0.0).sqrt());
        Some(Pull {
            share: Slip { normal: (odd[0] / away).sqrt(), along: (odd[1] / away).sqrt() },
            least: Slip { normal: least[0], along: least[1] },
            single: Slip { normal: (odd[0] + even[0]).sqrt(), along: (odd[1] + even[1]).sqrt() },
        })
    }

    /// How far the template, displaced by so many times a field, lies from itself once pose and size are taken out, and the way from its true places to
    /// those that registration finds.
    fn slip_of(
        &self,
        harmonics: &Harmonics,
        field: &[f64],
        size: f64,
    ) -> Result<(f64, Vec<Vector>), SurfaceRegistrationError> {
        let places = self.mesh().vertices().iter().zip(field.chunks_exact(3));
        let truth: Vec<Point> = places.map(|(p, d)| p + Vector::new(d[0], d[1], d[2]) * size).collect();
        let truth = self.mesh().with_vertices(truth)?;
        let scan = simplified(&truth, truth.area(), (SCAN * truth.vertices().len() as f64) as usize)?;
        let settings = SurfaceSettings::default();
        let pose = taken_out(&truth, self.mesh(), true).unwrap_or_else(Similarity::identity);
        let found = if self.ambiguity().is_some_and(|ambiguity| ambiguity.needs_marks()) {
            // A pose that shape does not tell is given, as marks give it.
            let pairs = self.mesh().vertices().iter().copied().zip(truth.vertices().iter().copied());
            self.register(&scan, Some(&Correspondences(pairs.collect())), &settings)?
        } else {
            self.register_from(&scan, &pose.inverse(), &settings)?
        };
        let truth: Vec<Point> = truth.vertices().iter().map(|p| pose.apply(p)).collect();
        let way = truth.iter().zip(self.mesh().vertices()).map(|(p, q)| p - q);
        let away = harmonics.root_mean_square(&way.flat_map(|d| [d.x, d.y, d.z]).collect::<Vec<f64>>());
        Ok((away, found.vertices.iter().zip(&truth).map(|(p, q)| p - q).collect()))
    }
}

/// Of a field on a surface with these normals and shares of the area: mean squares along the normal and along the surface.
fn mean_squares(field: &[Vector], normals: &[Vector], areas: &[f64]) -> [f64; 2] {
    let (mut normal, mut along) = (0.0, 0.0);
    for ((d, n), area) in field.iter().zip(normals).zip(areas) {
        let across = d.dot(n).powi(2);
        normal += area * across;
        along += area * (d.norm_squared() - across);
    }
    [normal, along]
}
