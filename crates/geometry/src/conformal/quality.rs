//! How conformal a planar map of a mesh is.

use super::orientation::flipped_triangles;
use super::{ConformalError, DiskMap};
use crate::mesh::{DiskMesh, Point, TriMesh};
use nalgebra::Complex;
use serde::Serialize;

/// Conformal quality of a map, in the definitions usual in the literature on disk conformal maps (as in Choi
/// and Lui 2015, *Fast disk conformal parameterization of simply-connected open surfaces*, § 5).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Quality {
    /// Angle in the map less angle on the surface, over the 3 corners of all triangles, in degrees.
    pub angle_distortion_deg: AngleDistortion,
    /// |μ| = (σ₁ − σ₂)/(σ₁ + σ₂) of each triangle's singular values.
    pub beltrami: Beltrami,
    /// Triangles turned over, or of no area in the map.
    pub flipped_triangles: usize,
    /// Largest | |z| − 1 | on the boundary.
    pub boundary_deviation: f64,
    /// How unevenly the map enlarges.
    pub area_distortion: AreaDistortion,
}

/// Angle distortion d over all corners, degrees.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct AngleDistortion {
    /// Mean of |d|.
    pub mean: f64,
    /// Median of |d|.
    pub median: f64,
    /// 95 % of |d| are at most this.
    pub p95: f64,
    /// Standard deviation of d about its mean.
    pub sd: f64,
}

/// Size of the Beltrami coefficient over all triangles: 0 conformal, 1 folded flat.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Beltrami {
    /// Mean of |μ|.
    pub mean: f64,
    /// Largest |μ|.
    pub max: f64,
}

/// Natural logarithm of (share of the image area / share of the surface area), over all triangles.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct AreaDistortion {
    /// Mean of |log ratio|.
    pub mean: f64,
    /// Largest |log ratio|.
    pub max: f64,
}

impl Quality {
    /// Measures a map; triangles of no area on the surface have no |μ| and no area ratio, and are left out of
    /// these figures.
    ///
    /// # Errors
    /// [`ConformalError::WrongLength`] unless the map has one place per vertex.
    pub fn measure(disk: &DiskMesh, map: &DiskMap) -> Result<Self, ConformalError> {
        let (mesh, z) = (disk.mesh(), &map.z);
        let expected = mesh.vertices().len();
        if z.len() != expected {
            return Err(ConformalError::WrongLength { what: "vertices", given: z.len(), expected });
        }
        let deviation = disk.boundary().iter().map(|&v| (z[v].norm() - 1.0).abs()).fold(0.0, f64::max);
        Ok(Self {
            angle_distortion_deg: angle_distortion(mesh, &image(mesh, z)),
            beltrami: beltrami(mesh, &image(mesh, z)),
            flipped_triangles: flipped_triangles(mesh.triangles(), z).len(),
            boundary_deviation: deviation,
            area_distortion: area_distortion(mesh, &image(mesh, z)),
        })
    }
}

/// The corners of the image of each triangle.
fn image<'a>(mesh: &'a TriMesh, z: &'a [Complex<f64>]) -> impl Fn(usize) -> [Point; 3] + 'a {
    |t| mesh.triangles()[t].map(|v| Point::new(z[v].re, z[v].im, 0.0))
}

/// Signed angle distortion of every corner, degrees.
fn corner_distortions(mesh: &TriMesh, image: &dyn Fn(usize) -> [Point; 3]) -> Vec<f64> {
    let angle = |at: Point, from: Point, to: Point| {
        let (a, b) = (from - at, to - at);
        let cosine = a.dot(&b) / (a.norm_squared() * b.norm_squared()).sqrt().max(1e-300);
        cosine.clamp(-1.0, 1.0).acos().to_degrees()
    };
    let mut out = Vec::with_capacity(3 * mesh.triangles().len());
    for t in 0..mesh.triangles().len() {
        let (p, q) = (mesh.corners(t), image(t));
        for k in 0..3 {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            out.push(angle(q[k], q[i], q[j]) - angle(p[k], p[i], p[j]));
        }
    }
    out
}

pub(super) fn angle_distortion(mesh: &TriMesh, image: &dyn Fn(usize) -> [Point; 3]) -> AngleDistortion {
    let signed = corner_distortions(mesh, image);
    let n = signed.len() as f64;
    let centre = signed.iter().sum::<f64>() / n;
    let sd = (signed.iter().map(|d| (d - centre).powi(2)).sum::<f64>() / n).sqrt();
    let mut sizes: Vec<f64> = signed.iter().map(|d| d.abs()).collect();
    sizes.sort_unstable_by(f64::total_cmp);
    let middle = sizes.len() / 2;
    let median = if sizes.len() % 2 == 1 { sizes[middle] } else { 0.5 * (sizes[middle - 1] + sizes[middle]) };
    let p95 = sizes[(95 * sizes.len()).div_ceil(100).max(1) - 1];
    AngleDistortion { mean: sizes.iter().sum::<f64>() / n, median, p95, sd }
}

/// |μ| of each triangle of positive area.
fn beltrami_moduli(mesh: &TriMesh, image: &dyn Fn(usize) -> [Point; 3]) -> Vec<f64> {
    let modulus = |t: usize| {
        let [a, b, c] = mesh.corners(t);
        let (e1, e2) = (b - a, c - a);
        let x1 = e1.norm();
        let (x2, y2) = (e1.dot(&e2) / x1, e1.cross(&e2).norm() / x1);
        let [a, b, c] = image(t);
        let du = (b - a) / x1;
        let dv = (c - a - du * x2) / y2;
        let determinant = du.cross(&dv).norm();
        let frobenius = du.norm_squared() + dv.norm_squared();
        let (sum, difference) = (frobenius + 2.0 * determinant, frobenius - 2.0 * determinant);
        (difference.max(0.0) / sum).sqrt()
    };
    (0..mesh.triangles().len()).map(modulus).filter(|m| m.is_finite()).collect()
}

pub(super) fn beltrami(mesh: &TriMesh, image: &dyn Fn(usize) -> [Point; 3]) -> Beltrami {
    let moduli = beltrami_moduli(mesh, image);
    let mean = moduli.iter().sum::<f64>() / moduli.len().max(1) as f64;
    Beltrami { mean, max: moduli.into_iter().fold(0.0, f64::max) }
}

pub(super) fn area_distortion(mesh: &TriMesh, image: &dyn Fn(usize) -> [Point; 3]) -> AreaDistortion {
    let size = |t: usize| {
        let [a, b, c] = image(t);
        (b - a).cross(&(c - a)).norm()
    };
    let pairs: Vec<(f64, f64)> =
        (0..mesh.triangles().len()).map(|t| (size(t), mesh.area_vector(t).norm())).collect();
    let (total_image, total): (f64, f64) = pairs.iter().fold((0.0, 0.0), |(i, s), &(a, b)| (i + a, s + b));
    let ratios: Vec<f64> = pairs
        .iter()
        .map(|&(a, b)| ((a / total_image) / (b / total)).ln().abs())
        .filter(|r| r.is_finite())
        .collect();
    let mean = ratios.iter().sum::<f64>() / ratios.len().max(1) as f64;
    AreaDistortion { mean, max: ratios.into_iter().fold(0.0, f64::max) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A unit square of two right triangles.
    fn square() -> DiskMesh {
        let vertices = [[0., 0.], [1., 0.], [1., 1.], [0., 1.]].map(|[x, y]| Point::new(x, y, 0.0)).to_vec();
        DiskMesh::try_new(TriMesh::new(vertices, vec![[0, 1, 2], [0, 2, 3]]).unwrap()).unwrap()
    }

    fn image(stretch: f64) -> DiskMap {
        let z = [[0., 0.], [1., 0.], [1., 1.], [0., 1.]].map(|[x, y]| Complex::new(x, stretch * y)).to_vec();
        DiskMap { z }
    }

    #[test]
    fn a_stretch_by_root_three_has_known_angles() {
        // Right angles stay; the 45° angles become 60° and 30°: |d| = 0, 15, 15 in both triangles.
        let q = Quality::measure(&square(), &image(3f64.sqrt())).unwrap();
        approx::assert_relative_eq!(q.angle_distortion_deg.mean, 10.0, epsilon = 1e-12);
        approx::assert_relative_eq!(q.angle_distortion_deg.median, 15.0, epsilon = 1e-12);
        approx::assert_relative_eq!(q.angle_distortion_deg.p95, 15.0, epsilon = 1e-12);
        // d = 0, 15, −15 twice: variance 450/3.
        approx::assert_relative_eq!(q.angle_distortion_deg.sd, 150f64.sqrt(), epsilon = 1e-12);
        let mu = (3f64.sqrt() - 1.0) / (3f64.sqrt() + 1.0);
        approx::assert_relative_eq!(q.beltrami.mean, mu, epsilon = 1e-14);
        approx::assert_relative_eq!(q.beltrami.max, mu, epsilon = 1e-14);
        assert_eq!(q.flipped_triangles, 0);
        assert!(q.area_distortion.max < 1e-14);
        // The farthest boundary vertex is √(1 + 3) away, the nearest 0.
        approx::assert_relative_eq!(q.boundary_deviation, 1.0, epsilon = 1e-14);
    }

    #[test]
    fn flips_and_collapses_are_counted() {
        let mut map = image(1.0);
        map.z[1] = Complex::new(0.2, 0.8);
        assert_eq!(Quality::measure(&square(), &map).unwrap().flipped_triangles, 1);
        map.z[1] = Complex::new(0.5, 0.5);
        assert_eq!(Quality::measure(&square(), &map).unwrap().flipped_triangles, 1);
        map.z.pop();
        let error = Quality::measure(&square(), &map).unwrap_err().to_string();
        assert_eq!(error, "3 values given where the mesh has 4 vertices");
    }

    #[test]
    fn keys_are_those_of_the_contract() {
        let json = serde_json::to_value(Quality::measure(&square(), &image(2.0)).unwrap()).unwrap();
        for key in ["mean", "median", "sd"] {
            assert!(json["angle_distortion_deg"][key].is_number());
        }
        assert!(json["beltrami"]["mean"].is_number() && json["beltrami"]["max"].is_number());
        assert_eq!(json["flipped_triangles"], 0);
    }
}
