//! How conformal a map is: angle distortion, Beltrami coefficients, flips.

use super::flips::flipped_triangles;
use super::{Complex, DiskMap};
use crate::mesh::{DiskMesh, Point};
use serde::{Deserialize, Serialize};

/// Angle in the map minus angle on the surface, in degrees, over all corners of all triangles.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct AngleDistortion {
    /// Mean of the absolute values.
    pub mean: f64,
    /// Median of the absolute values.
    pub median: f64,
    /// Standard deviation of the signed values.
    pub sd: f64,
}

/// |μ| = (s₁ − s₂)/(s₁ + s₂) of every triangle's map, s₁ ≥ s₂ its singular values; 0 is conformal.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Beltrami {
    /// Mean over triangles.
    pub mean: f64,
    /// Largest.
    pub max: f64,
}

/// Quality of a disk map.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MapQuality {
    /// Angle distortion in degrees.
    pub angle_distortion_deg: AngleDistortion,
    /// Beltrami coefficients.
    pub beltrami: Beltrami,
    /// Triangles whose image is not counter-clockwise.
    pub flipped_triangles: usize,
    /// Largest distance of a boundary vertex from the unit circle.
    pub boundary_deviation: f64,
}

/// Measures a map. Triangles of no area on the surface are left out of angles and Beltrami coefficients.
pub fn quality(disk: &DiskMesh, map: &DiskMap) -> MapQuality {
    let mesh = disk.mesh();
    let mut distortions = Vec::with_capacity(3 * mesh.triangles().len());
    let mut moduli = Vec::with_capacity(mesh.triangles().len());
    for (k, t) in mesh.triangles().iter().enumerate() {
        let on_surface = mesh.corners(k);
        let in_map = t.map(|i| Point::new(map.z[i].re, map.z[i].im, 0.0));
        if mesh.area_vector(k).norm() <= 0.0 {
            continue;
        }
        let (a, b) = (angles(&on_surface), angles(&in_map));
        distortions.extend((0..3).map(|c| (b[c] - a[c]).to_degrees()));
        moduli.push(beltrami_modulus(&on_surface, t.map(|i| map.z[i])));
    }
    let n = distortions.len().max(1) as f64;
    let mean_signed = distortions.iter().sum::<f64>() / n;
    let sd = (distortions.iter().map(|d| (d - mean_signed).powi(2)).sum::<f64>() / n).sqrt();
    let absolute: Vec<f64> = distortions.iter().map(|d| d.abs()).collect();
    MapQuality {
        angle_distortion_deg: AngleDistortion {
            mean: absolute.iter().sum::<f64>() / n,
            median: median(absolute),
            sd,
        },
        beltrami: Beltrami {
            mean: moduli.iter().sum::<f64>() / moduli.len().max(1) as f64,
            max: moduli.iter().copied().fold(0.0, f64::max),
        },
        flipped_triangles: flipped_triangles(mesh, &map.z).len(),
        boundary_deviation: disk
            .boundary()
            .iter()
            .map(|&i| (map.z[i].norm() - 1.0).abs())
            .fold(0.0, f64::max),
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    values.sort_by(f64::total_cmp);
    let (n, half) = (values.len(), values.len() / 2);
    if n % 2 == 1 { values[half] } else { 0.5 * (values[half - 1] + values[half]) }
}

fn angles(p: &[Point; 3]) -> [f64; 3] {
    [0, 1, 2].map(|k| {
        let (u, v) = (p[(k + 1) % 3] - p[k], p[(k + 2) % 3] - p[k]);
        u.cross(&v).norm().atan2(u.dot(&v))
    })
}

/// From the map's complex derivatives in an isometric frame of the surface triangle: |f_z̄ / f_z|.
fn beltrami_modulus(p: &[Point; 3], z: [Complex; 3]) -> f64 {
    let (e, f) = (p[1] - p[0], p[2] - p[0]);
    let x1 = e.norm();
    let (x2, y2) = (e.dot(&f) / x1, e.cross(&f).norm() / x1);
    let du = (z[1] - z[0]) / x1;
    let dv = (z[2] - z[0] - du * x2) / y2;
    let i = Complex::new(0.0, 1.0);
    ((du + i * dv).norm() / (du - i * dv).norm()).min(1e300)
}
