//! Gauss–Newton.

use super::prior::Prepared;
use super::scan::Target;
use super::settings::ElasticSettings;
use crate::mesh::{MeshError, Point, Similarity, TriMesh, Vector};
use kiddo::{ImmutableKdTree, SquaredEuclidean};
use nalgebra::{Cholesky, DMatrix, DVector, Rotation3};

/// Where the nodes came to lie.
pub struct Fitted {
    /// Displaced nodes, working coordinates of the template.
    pub y: Vec<Point>,
    /// Template to scan, both in working coordinates.
    pub frame: Similarity,
    /// Root-mean-square distance to the matched planes, step by step.
    pub misfit: Vec<f64>,
}

pub fn curvature(mesh: &TriMesh, h: f64) -> Vec<f64> {
    let x = mesh.vertices();
    let (n, a) = (mesh.vertex_normals(), mesh.vertex_areas());
    let Ok(tree) =
        ImmutableKdTree::<f64, 3>::new_from_slice(&x.iter().map(|p| [p.x, p.y, p.z]).collect::<Vec<_>>())
    else {
        return vec![0.0; x.len()];
    };
    (0..x.len())
        .map(|i| {
            let (mut num, mut den) = (0.0, 0.0);
            for f in tree
                .query(&[x[i].x, x[i].y, x[i].z])
                .within::<SquaredEuclidean<f64>>(6.0 * h * h)
                .unsorted()
                .execute()
            {
                let j = f.item as usize;
                let d = x[j] - x[i];
                let d2 = d.norm_squared();
                if n[i].dot(&n[j]) < 0.0 {
                    continue;
                }
                let w = a[j] * (-d2 / (2.0 * h * h)).exp();
                num += w * (n[j] - n[i]).dot(&d);
                den += w * d2;
            }
            if den > 0.0 { num / den } else { 0.0 }
        })
        .collect()
}

fn gradients(mesh: &TriMesh, value: &[f64]) -> Vec<Vector> {
    let mut sum = vec![(Vector::zeros(), 0.0); value.len()];
    for (t, tri) in mesh.triangles().iter().enumerate() {
        let n = mesh.area_vector(t);
        let a2 = n.norm_squared();
        if a2 <= 0.0 {
            continue;
        }
        let [a, b, c] = mesh.corners(t);
        let g = (n.cross(&(c - b)) * value[tri[0]]
            + n.cross(&(a - c)) * value[tri[1]]
            + n.cross(&(b - a)) * value[tri[2]])
            / (2.0 * a2);
        for &i in tri {
            sum[i].0 += g * a2.sqrt();
            sum[i].1 += a2.sqrt();
        }
    }
    sum.into_iter().map(|(g, a)| if a > 0.0 { g / a } else { g }).collect()
}

pub fn fit(prepared: &Prepared, target: &Target, s: &ElasticSettings) -> Result<Fitted, MeshError> {
    let x = &prepared.x;
    let mut y = x.clone();
    let mut frame = Similarity::identity();
    let mut misfit = Vec::new();
    let scan = &target.finder.mesh;
    let (curv, grad) = if s.curvature > 0.0 {
        let c = curvature(scan, s.curvature_scale);
        let g = gradients(scan, &c);
        (c, g)
    } else {
        (Vec::new(), Vec::new())
    };
    for it in 0..s.steps {
        let a = it as f64 / (s.steps.max(2) - 1) as f64;
        let sigma = s.sigma_first * (s.sigma_last / s.sigma_first).powf((1.2 * a).min(1.0));
        let (r, ra) = if it + s.fine_steps < s.steps {
            (s.coarse_symmetric.min(s.symmetric), s.coarse_asymmetric.min(s.asymmetric))
        } else {
            (s.symmetric, s.asymmetric)
        };
        let normals = prepared.mesh.with_vertices(y.clone())?.vertex_normals();
        let n = 3 * (r + ra) + 7;
        let reach = s.reach_first * (1.0 - a) + s.reach_last * a;
        let huber = s.huber * (1.0 + 3.0 * (1.0 - a));
        let mut rows: Vec<f64> = Vec::with_capacity(n * x.len());
        let mut rhs = Vec::with_capacity(x.len());
        let mut sum = (0.0, 0.0);
        for i in 0..x.len() {
            let q = frame.apply(&y[i]);
            let m = frame.rotation * normals[i];
            let j = target.nearest(&q, &m);
            if target.border[j] {
                continue;
            }
            let (p, pn) = if s.exact > 0.0 {
                let foot = target.finder.best_of(&q, std::iter::once(j));
                (foot.point, target.normal_at(&foot))
            } else {
                (scan.vertices()[j], target.normals[j])
            };
            if (p - q).norm() > reach || pn.dot(&m) < s.normal_least {
                continue;
            }
            let gap = (p - q).dot(&pn);
            sum = (sum.0 + gap * gap, sum.1 + 1.0);
            let direction = (frame.rotation.inverse() * pn + normals[i] * s.normal_mix).normalize();
            let goal = frame.invert(&p);
            let w = (prepared.weights[i] / (1.0 + (gap / huber).powi(2))).sqrt() / sigma;
            let start = rows.len();
            rows.resize(start + n, 0.0);
            push(prepared, &mut rows[start..], i, &direction, r, ra, w, &y[i]);
            rhs.push(w * (goal - x[i]).dot(&direction));
            if s.curvature > 0.0 {
                let foot = q - pn * (q - p).dot(&pn);
                let off = foot - p;
                let value = curv[j] + grad[j].dot(&off);
                let e = prepared.curvature[i] - value;
                let dir = frame.rotation.inverse() * grad[j];
                let ee = e / s.curvature_sd;
                let w = s.curvature * (prepared.weights[i] / (1.0 + ee * ee)).sqrt() / s.curvature_sd / sigma;
                let start = rows.len();
                rows.resize(start + n, 0.0);
                push(prepared, &mut rows[start..], i, &dir, r, ra, w, &y[i]);
                rhs.push(w * (e + (y[i] - x[i]).dot(&dir)));
            }
        }
        let used = rhs.len();
        if used < 50 {
            return Err(MeshError::Degenerate("too little of the scan lies near the template".to_owned()));
        }
        let rows = DMatrix::from_vec(n, used, rows);
        let rhs = DVector::from_vec(rhs);
        let mut h = DMatrix::zeros(n, n);
        product(&rows, &mut h);
        for i in 0..n {
            h[(i, i)] += if i + 7 >= n { 1e-4 } else { 1.0 };
        }
        let c = Cholesky::new(h)
            .ok_or_else(|| MeshError::Degenerate("the registration's equations cannot be solved".to_owned()))?
            .solve(&(&rows * rhs));
        let off = n - 7;
        let shift = Vector::new(c[off], c[off + 1], c[off + 2]) * 30.0;
        let turn = Rotation3::new(Vector::new(c[off + 3], c[off + 4], c[off + 5]) * 0.5);
        let grow = (c[off + 6] * 0.5).exp();
        frame = Similarity {
            scale: frame.scale * grow,
            rotation: frame.rotation * turn,
            translation: frame.translation + frame.rotation * shift * frame.scale,
        };
        for i in 0..x.len() {
            y[i] = x[i] + prepared.displacement(&c, i, r, ra);
        }
        misfit.push((sum.0 / sum.1).sqrt());
    }
    Ok(Fitted { y, frame, misfit })
}

fn push(
    prepared: &Prepared,
    out: &mut [f64],
    i: usize,
    direction: &Vector,
    r: usize,
    ra: usize,
    w: f64,
    y: &Point,
) {
    prepared.row(i, direction, out, r, ra, w);
    let off = out.len() - 7;
    let turn = y.coords.cross(direction);
    for d in 0..3 {
        out[off + d] = direction[d] * 30.0 * w;
        out[off + 3 + d] = turn[d] * 0.5 * w;
    }
    out[off + 6] = y.coords.dot(direction) * 0.5 * w;
}

/// Lower triangle of B Bᵀ.
fn product(rows: &DMatrix<f64>, out: &mut DMatrix<f64>) {
    use faer::linalg::matmul::triangular::{BlockStructure, matmul};
    let n = rows.nrows();
    let b = faer::MatRef::from_column_major_slice(rows.as_slice(), n, rows.ncols());
    matmul(
        faer::MatMut::from_column_major_slice_mut(out.as_mut_slice(), n, n),
        BlockStructure::TriangularLower,
        faer::Accum::Replace,
        b,
        BlockStructure::Rectangular,
        b.transpose(),
        BlockStructure::Rectangular,
        1.0,
        faer::Par::Seq,
    );
}
