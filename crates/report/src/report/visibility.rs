//! How much of the sky each vertex of a surface sees: the soft light of hollows, worked out once and valid from every side.

use crate::mesh::{Point, TriMesh, Vector};
use rayon::prelude::*;

/// Side of the depth pictures.
const SIDE: usize = 160;

/// For every vertex the cosine-weighted share, in [0, 1], of the half-space over its normal that the surface does not hide.
///
/// The surface is projected along `directions` evenly spread directions into small depth pictures; a vertex sees a
/// direction when nothing lies in front of it there. 60 directions do for shading.
pub fn sky_visibility(mesh: &TriMesh, directions: usize) -> Vec<f32> {
    let normals = mesh.vertex_normals();
    let rays = spiral(directions);
    let seen: Vec<Vec<bool>> = rays.par_iter().map(|d| visible(mesh, &normals, d)).collect();
    (0..mesh.vertices().len())
        .map(|v| {
            let (mut open, mut all) = (0.0, 0.0);
            for (d, seen) in rays.iter().zip(&seen) {
                let cosine = normals[v].dot(d);
                if cosine > 0.0 {
                    all += cosine;
                    open += if seen[v] { cosine } else { 0.0 };
                }
            }
            if all > 0.0 { (open / all) as f32 } else { 1.0 }
        })
        .collect()
}

/// Evenly spread directions on the sphere (a Fibonacci spiral).
fn spiral(count: usize) -> Vec<Vector> {
    const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;
    (0..count)
        .map(|k| {
            let z = 1.0 - 2.0 * (k as f64 + 0.5) / count as f64;
            let (sin, cos) = (GOLDEN_ANGLE * k as f64).sin_cos();
            let r = (1.0 - z * z).sqrt();
            Vector::new(r * cos, r * sin, z)
        })
        .collect()
}

/// Which vertices are seen from infinitely far away in direction `d`.
fn visible(mesh: &TriMesh, normals: &[Vector], d: &Vector) -> Vec<bool> {
    let side = if d.x.abs() < 0.9 { Vector::x() } else { Vector::y() };
    let u = d.cross(&side).normalize();
    let v = d.cross(&u);
    let placed: Vec<[f64; 3]> = mesh
        .vertices()
        .iter()
        .map(|p: &Point| [p.coords.dot(&u), p.coords.dot(&v), p.coords.dot(d)])
        .collect();
    let bound = |k: usize| {
        placed.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), p| (a.min(p[k]), b.max(p[k])))
    };
    let (x, y) = (bound(0), bound(1));
    let extent = (x.1 - x.0).max(y.1 - y.0).max(1e-300);
    let scale = (SIDE as f64 - 2.0) / extent;
    let pixel = |p: &[f64; 3]| [1.0 + scale * (p[0] - x.0), 1.0 + scale * (p[1] - y.0), p[2]];
    let placed: Vec<[f64; 3]> = placed.iter().map(pixel).collect();
    let mut depth = vec![f64::NEG_INFINITY; SIDE * SIDE];
    for t in mesh.triangles() {
        draw(&t.map(|i| placed[i]), &mut depth);
    }
    // Neighbouring facets must not hide one another: a vertex may lie a pixel's slope behind what is drawn there.
    placed
        .iter()
        .zip(normals)
        .map(|(p, n)| {
            let cosine = n.dot(d).abs().max(0.02);
            let slope = (1.0 - cosine * cosine).max(0.0).sqrt() / cosine;
            let slack = (1.0 + 0.75 * slope) / scale;
            let at = (p[1] as usize).min(SIDE - 1) * SIDE + (p[0] as usize).min(SIDE - 1);
            p[2] + slack >= depth[at]
        })
        .collect()
}

fn draw([a, b, c]: &[[f64; 3]; 3], depth: &mut [f64]) {
    // Most triangles are so small that they hold the middle of no pixel. Conversions go to the nearest number that there is.
    let range = |k: usize| {
        let lo = (a[k].min(b[k]).min(c[k]) - 0.5).min(SIDE as f64);
        let hi = (a[k].max(b[k]).max(c[k]) - 0.5).min(SIDE as f64 - 1.0);
        lo as usize + usize::from(lo > (lo as usize) as f64)..hi as usize + 1
    };
    let (columns, rows) = (range(0), range(1));
    let twice_area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    if columns.is_empty() || rows.is_empty() || twice_area.abs() < 1e-12 {
        return;
    }
    for y in rows {
        for x in columns.clone() {
            let p = [x as f64 + 0.5, y as f64 + 0.5];
            let edge =
                |u: &[f64; 3], v: &[f64; 3]| (v[0] - u[0]) * (p[1] - u[1]) - (v[1] - u[1]) * (p[0] - u[0]);
            let w = [edge(b, c) / twice_area, edge(c, a) / twice_area, edge(a, b) / twice_area];
            if w.iter().all(|&w| w >= 0.0) {
                let z = w[0] * a[2] + w[1] * b[2] + w[2] * c[2];
                let at = y * SIDE + x;
                depth[at] = depth[at].max(z);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square grid over [−1, 1]² with heights from `f`.
    fn sheet(f: impl Fn(f64, f64) -> f64) -> TriMesh {
        let n = 41;
        let at = |i: usize| -1.0 + 2.0 * i as f64 / (n - 1) as f64;
        let vertices =
            (0..n * n).map(|k| Point::new(at(k % n), at(k / n), f(at(k % n), at(k / n)))).collect();
        let cell = |k: usize| [[k, k + 1, k + n + 1], [k, k + n + 1, k + n]];
        let triangles = (0..n * (n - 1)).filter(|k| k % n < n - 1).flat_map(cell).collect();
        TriMesh::new(vertices, triangles).unwrap()
    }

    #[test]
    fn a_plane_sees_the_whole_sky() {
        let seen = sky_visibility(&sheet(|_, _| 0.0), 60);
        assert!(seen.iter().all(|&s| s > 0.999), "{:?}", seen.iter().copied().fold(1.0, f32::min));
    }

    #[test]
    fn the_bottom_of_a_shaft_sees_what_its_rim_leaves() {
        // A shaft of radius a and depth h: seen from its centre, sin² of the rim's angle = a²/(a² + h²) of the sky.
        let (a, h) = (0.4f64, 0.4);
        let seen = sky_visibility(&sheet(|x, y| if x.hypot(y) < a { -h } else { 0.0 }), 600);
        let centre = f64::from(seen[41 * 20 + 20]);
        let expected = a * a / (a * a + h * h);
        assert!((centre - expected).abs() < 0.1, "{centre} {expected}");
    }

    #[test]
    fn no_triangles_no_shade() {
        let cloud = TriMesh::new(vec![Point::origin(), Point::new(1.0, 0.0, 0.0)], Vec::new()).unwrap();
        assert_eq!(sky_visibility(&cloud, 10), vec![1.0; 2]);
        assert!(sky_visibility(&TriMesh::default(), 10).is_empty());
    }
}
