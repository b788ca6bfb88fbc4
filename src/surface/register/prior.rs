//! The prior.

use super::control::ControlMesh;
use super::settings::ElasticSettings;
use super::symmetry;
use crate::mesh::{MeshError, Point, Similarity, TriMesh, Vector};
use crate::surface::template::Template;
use nalgebra::{Cholesky, DMatrix, DVector, Rotation3};

/// Template coordinates to working coordinates (upright, nominal millimetres, mid-plane x = 0), and scan coordinates to them.
#[derive(Debug, Clone, Copy)]
pub struct Work {
    scan: Similarity,
    own: Similarity,
}

impl Work {
    pub fn from_scan(&self, p: &Point) -> Point {
        self.own.apply(&self.scan.invert(p))
    }
    pub fn to_scan(&self, p: &Point) -> Point {
        self.scan.apply(&self.own.invert(p))
    }
}

/// A template ready for registration.
pub struct Prepared {
    pub control: ControlMesh,
    /// Nodes in working coordinates.
    pub x: Vec<Point>,
    pub mesh: TriMesh,
    pub weights: Vec<f64>,
    own: Similarity,
    even: DMatrix<f64>,
    odd: DMatrix<f64>,
    shares: (f64, f64),
    pub curvature: Vec<f64>,
}

impl Prepared {
    pub fn new(template: &Template, settings: &ElasticSettings) -> Result<Self, MeshError> {
        let control = ControlMesh::new(template, settings.nodes)?;
        let mesh = template.mesh();
        let unit = mesh.area().sqrt() / 180.0;
        let centre = mesh.area_centroid();
        let upright = template.upright().inverse();
        let own = Similarity {
            scale: 1.0 / unit,
            rotation: upright,
            translation: -(upright * centre.coords) / unit,
        };
        let place = |own: &Similarity| -> Vec<Point> {
            control.nodes.iter().map(|&i| own.apply(&mesh.vertices()[i])).collect()
        };
        let mut own = own;
        let mut x = place(&own);
        let mut coarse = TriMesh::new(x.clone(), control.triangles.clone())?;
        if settings.mirror_fit > 0.0 {
            let turn = symmetry::to_mid_plane(&coarse);
            own = turn.after(&own);
            x = place(&own);
            coarse = TriMesh::new(x.clone(), control.triangles.clone())?;
        }
        let normals = coarse.vertex_normals();
        let areas = coarse.vertex_areas();
        let mean = areas.iter().sum::<f64>() / areas.len() as f64;
        let weights = areas.iter().map(|a| (a / mean).powf(settings.area_weight)).collect();
        let (even, odd) = basis(&x, &normals, settings)?;
        let c = settings.symmetry;
        let curvature = if settings.curvature > 0.0 {
            super::fit::curvature(&coarse, settings.curvature_scale)
        } else {
            Vec::new()
        };
        Ok(Self {
            control,
            x,
            mesh: coarse,
            weights,
            own,
            even,
            odd,
            shares: (((1.0 + c) / 2.0).sqrt(), ((1.0 - c) / 2.0).sqrt()),
            curvature,
        })
    }

    pub fn to_work(&self, pose: &Similarity) -> Work {
        Work { scan: *pose, own: self.own }
    }

    /// Template coordinates to working ones.
    pub fn own(&self) -> &Similarity {
        &self.own
    }

    /// u at node i.
    pub fn displacement(&self, c: &DVector<f64>, i: usize, r: usize, ra: usize) -> Vector {
        let (m, a) = self.shares;
        let (even, odd) = (self.even.column(i), self.odd.column(i));
        let dot = |b: &[f64], off: usize, k: usize| -> f64 {
            b[..k].iter().zip(&c.as_slice()[off..off + k]).map(|(x, y)| x * y).sum()
        };
        let s = r + ra;
        let (e, o) = (even.as_slice(), odd.as_slice());
        Vector::new(
            m * dot(o, 0, r) + a * dot(e, r, ra),
            m * dot(e, s, r) + a * dot(o, s + r, ra),
            m * dot(e, 2 * s, r) + a * dot(o, 2 * s + r, ra),
        )
    }

    /// Derivatives of n · u(node i) by the coefficients, times `scale`.
    pub fn row(&self, i: usize, n: &Vector, out: &mut [f64], r: usize, ra: usize, scale: f64) {
        let (m, a) = (self.shares.0 * scale, self.shares.1 * scale);
        let s = r + ra;
        let (even, odd) = (self.even.column(i), self.odd.column(i));
        let (e, o) = (even.as_slice(), odd.as_slice());
        for (d, (major, minor)) in [(o, e), (e, o), (e, o)].into_iter().enumerate() {
            let off = d * s;
            let (f, g) = (n[d] * m, n[d] * a);
            out[off..off + r].iter_mut().zip(major).for_each(|(x, b)| *x = b * f);
            out[off + r..off + s].iter_mut().zip(minor).for_each(|(x, b)| *x = b * g);
        }
    }
}

fn basis(
    x: &[Point],
    normals: &[Vector],
    settings: &ElasticSettings,
) -> Result<(DMatrix<f64>, DMatrix<f64>), MeshError> {
    let lam = settings.bend;
    let six: Vec<[f64; 6]> =
        x.iter().zip(normals).map(|(p, n)| [p.x, p.y, p.z, lam * n.x, lam * n.y, lam * n.z]).collect();
    let mirrored = |p: &[f64; 6]| [-p[0], p[1], p[2], -p[3], p[4], p[5]];
    let folded: Vec<[f64; 6]> = six.iter().map(|p| if p[0] < 0.0 { mirrored(p) } else { *p }).collect();
    let rank = settings.symmetric.max(settings.asymmetric).min(x.len());
    let chosen = farthest(&folded, rank);
    let count = ((settings.longest / settings.shortest).log2().ceil() as usize + 1).max(2);
    let terms: Vec<(f64, f64)> = (0..count)
        .map(|k| {
            let l = settings.shortest
                * (settings.longest / settings.shortest).powf(k as f64 / (count - 1) as f64);
            ((settings.amplitude * (l / 30.0).powf(settings.growth)).powi(2), 0.5 / (l * l))
        })
        .collect();
    let d2 = |p: &[f64; 6], q: &[f64; 6]| -> f64 { (0..6).map(|k| (p[k] - q[k]).powi(2)).sum() };
    let kernel = |d: f64| -> f64 { terms.iter().map(|(a, b)| a * (-d * b).exp()).sum() };
    let top = kernel(0.0);
    let near = DMatrix::from_fn(rank, x.len(), |i, j| kernel(d2(&folded[chosen[i]], &six[j])));
    let far = DMatrix::from_fn(rank, x.len(), |i, j| kernel(d2(&mirrored(&folded[chosen[i]]), &six[j])));
    let mut out = Vec::new();
    for sign in [1.0, -1.0] {
        let mut k = DMatrix::from_fn(rank, rank, |i, j| {
            let (p, q) = (&folded[chosen[i]], &folded[chosen[j]]);
            kernel(d2(p, q)) + sign * kernel(d2(p, &mirrored(q)))
        });
        for i in 0..rank {
            k[(i, i)] += 1e-6 * top;
        }
        let factor = Cholesky::new(k).ok_or_else(|| MeshError::Degenerate("kernel".to_owned()))?;
        let mixed = &near + &far * sign;
        let solved = factor
            .l()
            .solve_lower_triangular(&mixed)
            .ok_or_else(|| MeshError::Degenerate("kernel".to_owned()))?;
        out.push(solved);
    }
    let odd = out.pop().unwrap_or_default();
    let even = out.pop().unwrap_or_default();
    Ok((even, odd))
}

fn farthest(x: &[[f64; 6]], count: usize) -> Vec<usize> {
    let mut d = vec![f64::INFINITY; x.len()];
    let mut at = 0;
    let mut chosen = Vec::with_capacity(count);
    for _ in 0..count {
        chosen.push(at);
        let p = x[at];
        let mut best = (-1.0, 0);
        for (j, q) in x.iter().enumerate() {
            let e: f64 = (0..6).map(|k| (p[k] - q[k]).powi(2)).sum();
            d[j] = d[j].min(e);
            if d[j] > best.0 {
                best = (d[j], j);
            }
        }
        at = best.1;
    }
    chosen
}

impl Similarity {
    /// This map after another.
    pub(super) fn after(&self, first: &Similarity) -> Similarity {
        Similarity {
            scale: self.scale * first.scale,
            rotation: self.rotation * first.rotation,
            translation: self.scale * (self.rotation * first.translation) + self.translation,
        }
    }

    /// x ↦ x.
    pub(super) fn identity() -> Similarity {
        Similarity { scale: 1.0, rotation: Rotation3::identity(), translation: Vector::zeros() }
    }
}
