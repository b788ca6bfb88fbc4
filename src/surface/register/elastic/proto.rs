//! Prototype.
#![allow(missing_docs)]
use crate::mesh::{Point, TriMesh, Vector};
use kiddo::{ImmutableKdTree, SquaredEuclidean};
use nalgebra::{Cholesky, DMatrix, DVector, Matrix3, Rotation3};
use std::collections::HashMap;

pub type P = HashMap<String, f64>;

pub struct Sim {
    pub s: f64,
    pub r: Rotation3<f64>,
    pub t: Vector,
}
impl Sim {
    pub fn apply(&self, p: &Point) -> Point {
        Point::from(self.r * p.coords * self.s + self.t)
    }
    pub fn undo(&self, p: &Point) -> Point {
        Point::from(self.r.inverse() * (p.coords - self.t) / self.s)
    }
}

pub struct Proto {
    pub mesh: TriMesh,
    pub unit: f64, // template units per nominal mm
    pub centre: Vector,
    pub x: Vec<Point>, // nominal mm, centred
    pub even: DMatrix<f64>, // R x N
    pub odd: DMatrix<f64>,
    pub rs: usize,
    pub ra: usize,
    pub border: Vec<bool>,
    pub obs: Vec<usize>,
    pub w: Vec<f64>,
    pub p: P,
    pub curv: Vec<f64>,
}

fn g(p: &P, k: &str, d: f64) -> f64 {
    p.get(k).copied().unwrap_or(d)
}

pub fn ring_border(mesh: &TriMesh) -> Vec<bool> {
    let mut sides: Vec<(usize, usize)> = mesh
        .triangles()
        .iter()
        .flat_map(|t| (0..3).map(|k| (t[k].min(t[(k + 1) % 3]), t[k].max(t[(k + 1) % 3]))))
        .collect();
    sides.sort_unstable();
    let mut b = vec![false; mesh.vertices().len()];
    for c in sides.chunk_by(|a, b| a == b) {
        if c.len() == 1 {
            b[c[0].0] = true;
            b[c[0].1] = true;
        }
    }
    b
}
pub fn grow(mesh: &TriMesh, b: &[bool]) -> Vec<bool> {
    let mut o = b.to_vec();
    for t in mesh.triangles() {
        if t.iter().any(|&i| b[i]) {
            t.iter().for_each(|&i| o[i] = true);
        }
    }
    o
}
fn fps(x: &[Point], m: usize) -> Vec<usize> {
    let mut d = vec![f64::INFINITY; x.len()];
    let mut i = 0;
    let mut out = vec![];
    for _ in 0..m.min(x.len()) {
        out.push(i);
        let mut best = (0.0, 0);
        for (j, q) in x.iter().enumerate() {
            let e = (q - x[i]).norm_squared();
            if e < d[j] {
                d[j] = e;
            }
            if d[j] > best.0 {
                best = (d[j], j);
            }
        }
        i = best.1;
    }
    out
}
fn kern(p: &P, d2: f64) -> f64 {
    let mut k = 0.0;
    for i in 0..4 {
        let a = g(p, ["a0", "a1", "a2", "a3"][i], 0.0);
        if a > 0.0 {
            let l = g(p, ["l0", "l1", "l2", "l3"][i], 1.0);
            k += a * a * (-d2 / (2.0 * l * l)).exp();
        }
    }
    k
}
struct Kern {
    t: Vec<(f64, f64)>,
    rq: f64,
}
impl Kern {
    fn new(p: &P) -> Self {
        let mut t = vec![];
        for i in 0..4 {
            let a = g(p, ["a0", "a1", "a2", "a3"][i], 0.0);
            if a > 0.0 {
                let l = g(p, ["l0", "l1", "l2", "l3"][i], 1.0);
                t.push((a * a, 0.5 / (l * l)));
            }
        }
        Self { t, rq: g(p, "rq", 0.0) }
    }
    fn at(&self, d2: f64) -> f64 {
        if self.rq > 0.0 {
            self.t.iter().map(|(a, b)| a * (1.0 + d2 * b / self.rq).powf(-self.rq)).sum()
        } else {
            self.t.iter().map(|(a, b)| a * (-d2 * b).exp()).sum()
        }
    }
}
/// mean curvature-ish smoothed at scale h (nominal mm): div of normals via umbrella; returns H
pub fn curvature(mesh: &TriMesh, x: &[Point], h: f64) -> Vec<f64> {
    // smooth positions' normals by averaging within radius h, then H = -div n approx by mean over neighbours of (n_j-n_i).(x_j-x_i)/|..|^2
    let tri = mesh.triangles();
    let m2 = TriMesh::new(x.to_vec(), tri.to_vec()).unwrap();
    let n = m2.vertex_normals();
    let a = m2.vertex_areas();
    let tree: ImmutableKdTree<f64, 3> =
        ImmutableKdTree::new_from_slice(&x.iter().map(|p| [p.x, p.y, p.z]).collect::<Vec<_>>()).unwrap();
    (0..x.len())
        .map(|i| {
            let (mut num, mut den) = (0.0, 0.0);
            for nb in tree.query(&[x[i].x, x[i].y, x[i].z]).within::<SquaredEuclidean<f64>>(9.0 * h * h).unsorted().execute() {
                let j = nb.item as usize;
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
impl Proto {
    pub fn new(mesh: TriMesh, p: &P) -> Self {
        let area = mesh.area();
        let unit = area.sqrt() / g(p, "L", 180.0);
        let c = mesh.area_centroid().coords;
        let centre = Vector::new(0.0, c.y, c.z);
        let x: Vec<Point> = mesh.vertices().iter().map(|q| Point::from((q.coords - centre) / unit)).collect();
        let fold: Vec<Point> = x.iter().map(|q| Point::new(q.x.abs(), q.y, q.z)).collect();
        let (rs, ra) = (g(p, "rs", 150.) as usize, g(p, "ra", 40.) as usize);
        let r = rs.max(ra);
        let nodes = fps(&fold, r);
        let k = Kern::new(p);
        let _ = kern;
        let mut basis = vec![];
        for sg in [1.0, -1.0] {
            let kk = |a: &Point, b: &Point| {
                let d = (a.y - b.y).powi(2) + (a.z - b.z).powi(2);
                k.at(d + (a.x - b.x).powi(2)) + sg * k.at(d + (a.x + b.x).powi(2))
            };
            let mut kn = DMatrix::from_fn(r, r, |i, j| kk(&fold[nodes[i]], &fold[nodes[j]]));
            let jit = 1e-6 * k.at(0.0) + if sg < 0.0 { 1e-6 * k.at(0.0) } else { 0.0 };
            for i in 0..r {
                kn[(i, i)] += jit;
            }
            let l = Cholesky::new(kn).unwrap();
            let kx = DMatrix::from_fn(r, x.len(), |i, j| kk(&x[j], &fold[nodes[i]]));
            basis.push(l.l().solve_lower_triangular(&kx).unwrap());
        }
        let odd = basis.pop().unwrap();
        let even = basis.pop().unwrap();
        let m2 = TriMesh::new(x.clone(), mesh.triangles().to_vec()).unwrap();
        let border = grow(&mesh, &ring_border(&mesh));
        // deterministic shuffle
        let mut idx: Vec<usize> = (0..x.len()).collect();
        let n = idx.len();
        let mut st = 12345u64;
        for i in (1..n).rev() {
            st = st.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            idx.swap(i, (st >> 33) as usize % (i + 1));
        }
        if g(p, "fpsobs", 0.0) > 0.0 {
            idx = fps(&x, g(p, "nobs", 1500.) as usize);
        }
        let a = m2.vertex_areas();
        let mean = a.iter().sum::<f64>() / n as f64;
        let curv = curvature(&mesh, &x, g(p, "hc", 5.0));
        let cw = g(p, "cw", 0.0);
        let w = (0..n)
            .map(|i| (a[i] / mean).powf(g(p, "aw", 0.0)) * (1.0 + cw * (curv[i].abs() * 20.0).min(3.0)))
            .collect();
        idx.truncate(g(p, "nobs", 1500.) as usize);
        Self { mesh, unit, centre, x, even, odd, rs, ra, border, obs: idx, w, p: p.clone(), curv }
    }
    fn field(&self, c: &DVector<f64>, i: usize, r: usize, ra: usize) -> Vector {
        let cc = g(&self.p, "sym", 0.95);
        let (m, a) = (((1.0 + cc) / 2.0).sqrt(), ((1.0 - cc) / 2.0).sqrt());
        let dot = |b: &DMatrix<f64>, off: usize, k: usize| -> f64 {
            let col = b.column(i);
            (0..k).map(|j| col[j] * c[off + j]).sum()
        };
        let s = r + ra;
        Vector::new(
            m * dot(&self.odd, 0, r) + a * dot(&self.even, r, ra),
            m * dot(&self.even, s, r) + a * dot(&self.odd, s + r, ra),
            m * dot(&self.even, 2 * s, r) + a * dot(&self.odd, 2 * s + r, ra),
        )
    }
    fn row(&self, i: usize, nrm: &Vector, out: &mut [f64], r: usize, ra: usize, scale: f64, y: &Point) {
        let cc = g(&self.p, "sym", 0.95);
        let (m, a) = (((1.0 + cc) / 2.0).sqrt() * scale, ((1.0 - cc) / 2.0).sqrt() * scale);
        let s = r + ra;
        let e = self.even.column(i);
        let o = self.odd.column(i);
        for (d, (maj, min)) in [(&o, &e), (&e, &o), (&e, &o)].into_iter().enumerate() {
            let off = d * s;
            for j in 0..r {
                out[off + j] = maj[j] * nrm[d] * m;
            }
            for j in 0..ra {
                out[off + r + j] = min[j] * nrm[d] * a;
            }
        }
        let off = 3 * s;
        let big = 30.0 * scale;
        let rot = y.coords.cross(nrm);
        for d in 0..3 {
            out[off + d] = nrm[d] * big;
            out[off + 3 + d] = rot[d] * big / 70.0;
        }
        out[off + 6] = y.coords.dot(nrm) * big / 70.0;
    }

    /// returns (raw, projected) in scan coordinates
    pub fn run(&self, scan: &TriMesh, pose: &Sim) -> (Vec<Point>, Vec<Point>) {
        let p = &self.p;
        // pose maps template file coordinates to scan coordinates. work in nominal mm template frame
        let to_work = |q: &Point| Point::from((pose.undo(q).coords - self.centre) / self.unit);
        let sv: Vec<Point> = scan.vertices().iter().map(to_work).collect();
        let sm = TriMesh::new(sv.clone(), scan.triangles().to_vec()).unwrap();
        let sn = sm.vertex_normals();
        let sb = ring_border(scan);
        let kn = g(p, "kn", 20.0);
        let key = |q: &Point, n: &Vector| [q.x, q.y, q.z, kn * n.x, kn * n.y, kn * n.z];
        let tree: ImmutableKdTree<f64, 6> =
            ImmutableKdTree::new_from_slice(&sv.iter().zip(&sn).map(|(q, n)| key(q, n)).collect::<Vec<_>>()).unwrap();
        let wc = g(p, "wcurv", 0.0);
        let (scurv, sgrad) = if wc > 0.0 {
            let h = g(p, "hc", 5.0);
            let c = curvature(scan, &sv, h);
            // tangential gradient by per-vertex least squares average of triangle gradients
            let mut gr = vec![Vector::zeros(); sv.len()];
            let mut wt = vec![0.0; sv.len()];
            for (t, tri) in scan.triangles().iter().enumerate() {
                let n = sm.area_vector(t);
                let a2 = n.norm_squared();
                if a2 <= 0.0 {
                    continue;
                }
                let [a, b, cc] = tri.map(|i| sv[i]);
                let gv = (n.cross(&(cc - b)) * c[tri[0]] + n.cross(&(a - cc)) * c[tri[1]] + n.cross(&(b - a)) * c[tri[2]]) / a2;
                let ar = a2.sqrt();
                for &i in tri {
                    gr[i] += gv * ar;
                    wt[i] += ar;
                }
            }
            for i in 0..sv.len() {
                gr[i] /= wt[i].max(1e-12);
            }
            (c, gr)
        } else {
            (vec![], vec![])
        };
        let iters = g(p, "iters", 12.0) as usize;
        let (s0, s1) = (g(p, "sig0", 9.0), g(p, "sig1", 5.0));
        let mut frame = Sim { s: 1.0, r: Rotation3::identity(), t: Vector::zeros() }; // work template -> work scan
        let mut c = DVector::zeros(0);
        let (mut r, mut ra) = (0, 0);
        let all: Vec<usize> = (0..self.x.len()).collect();
        let mut y: Vec<Point> = self.x.clone();
        for it in 0..iters {
            let a = it as f64 / (iters - 1) as f64;
            let sig = s0 * (s1 / s0).powf(a);
            let coarse = it + (g(p, "fine", 4.0) as usize) < iters;
            let (nr, nra) = if coarse {
                ((g(p, "rc", 40.) as usize).min(self.rs), (g(p, "rca", 10.) as usize).min(self.ra))
            } else {
                (self.rs, self.ra)
            };
            let dm = TriMesh::new(y.clone(), self.mesh.triangles().to_vec()).unwrap();
            let yn = dm.vertex_normals();
            let n = 3 * (nr + nra) + 7;
            let dmax = g(p, "dmax0", 25.) * (1.0 - a) + g(p, "dmax1", 6.0) * a;
            let dnmin = g(p, "dnmin", 0.6);
            let hub = g(p, "huber", 3.0);
            let extra = if wc > 0.0 { 2 } else { 1 };
            let mut rows = DMatrix::<f64>::zeros(n, self.obs.len() * extra);
            let mut rhs = DVector::<f64>::zeros(self.obs.len() * extra);
            let mut used = 0;
            for &i in &self.obs {
                let q = frame.apply(&y[i]);
                let ni = frame.r * yn[i];
                let f = tree.query(&key(&q, &ni)).nearest_one::<SquaredEuclidean<f64>>().execute();
                let j = f.item as usize;
                if sb[j] {
                    continue;
                }
                let d = (sv[j] - q).norm();
                if d > dmax || sn[j].dot(&ni) < dnmin {
                    continue;
                }
                let res = (sv[j] - q).dot(&sn[j]);
                let an = g(p, "avgn", 0.0);
                let nn = (frame.r.inverse() * sn[j] + yn[i] * an).normalize();
                let target = frame.undo(&sv[j]);
                let w = (self.w[i] / (1.0 + (res / hub).powi(2))).sqrt() / sig;
                let col = &mut rows.as_mut_slice()[used * n..(used + 1) * n];
                self.row(i, &nn, col, nr, nra, w, &y[i]);
                rhs[used] = w * (target - self.x[i]).dot(&nn);
                used += 1;
                if wc > 0.0 {
                    // curvature at tangentially displaced foot point
                    let foot = q - sn[j] * (q - sv[j]).dot(&sn[j]);
                    let off = foot - sv[j];
                    let val = scurv[j] + sgrad[j].dot(&off);
                    let e = self.curv[i] - val;
                    let gnorm = sgrad[j].norm();
                    if gnorm > 1e-9 {
                        // e = sgrad . delta ; delta = R(u_new - u_old)
                        let dir = frame.r.inverse() * sgrad[j];
                        let sc = g(p, "sc", 0.01); // curvature std
                        let ee = e / sc;
                        let w = wc * (self.w[i] / (1.0 + ee * ee)).sqrt() / sc / sig;
                        let col = &mut rows.as_mut_slice()[used * n..(used + 1) * n];
                        self.row(i, &dir, col, nr, nra, w, &y[i]);
                        rhs[used] = w * (e + (y[i] - self.x[i]).dot(&dir));
                        used += 1;
                    }
                }
            }
            let rows = rows.columns(0, used).into_owned();
            let rhs = rhs.rows(0, used).into_owned();
            let mut h = &rows * rows.transpose();
            for i in 0..n {
                h[(i, i)] += if i >= n - 7 { 1e-4 } else { 1.0 };
            }
            c = Cholesky::new(h).unwrap().solve(&(&rows * rhs));
            r = nr;
            ra = nra;
            // the similarity part moves the frame
            let off = 3 * (r + ra);
            let big = 30.0;
            let tt = Vector::new(c[off], c[off + 1], c[off + 2]) * big;
            let om = Vector::new(c[off + 3], c[off + 4], c[off + 5]) * (big / 70.0);
            let sc = (c[off + 6] * big / 70.0).exp();
            let dr = Rotation3::new(om);
            frame = Sim { s: frame.s * sc, r: frame.r * dr, t: frame.t + frame.r * tt * frame.s };
            let _ = Matrix3::<f64>::identity();
            for &i in &all {
                y[i] = self.x[i] + self.field(&c, i, r, ra);
            }
        }
        // project
        let tree3: ImmutableKdTree<f64, 3> =
            ImmutableKdTree::new_from_slice(&sv.iter().map(|p| [p.x, p.y, p.z]).collect::<Vec<_>>()).unwrap();
        let mut vt = vec![vec![]; sv.len()];
        for (t, tri) in scan.triangles().iter().enumerate() {
            tri.iter().for_each(|&i| vt[i].push(t));
        }
        let back = |q: &Point| pose.apply(&Point::from(q.coords * self.unit + self.centre));
        let mut raw = vec![];
        let mut pr = vec![];
        for q in &y {
            let q = frame.apply(q);
            raw.push(back(&q));
            let mut best = (f64::INFINITY, q);
            for f in tree3
                .query(&[q.x, q.y, q.z])
                .nearest_n::<SquaredEuclidean<f64>>(std::num::NonZero::new(4).unwrap())
                .execute()
            {
                for &t in &vt[f.item as usize] {
                    let z = closest(&q, &sm.corners(t));
                    let d = (z - q).norm_squared();
                    if d < best.0 {
                        best = (d, z);
                    }
                }
            }
            pr.push(back(&best.1));
        }
        (raw, pr)
    }
}

pub fn closest(p: &Point, [a, b, c]: &[Point; 3]) -> Point {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(&ap), ac.dot(&ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return *a;
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(&bp), ac.dot(&bp));
    if d3 >= 0.0 && d4 <= d3 {
        return *b;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return a + ab * (d1 / (d1 - d3));
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(&cp), ac.dot(&cp));
    if d6 >= 0.0 && d5 <= d6 {
        return *c;
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return a + ac * (d2 / (d2 - d6));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        return b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)));
    }
    let den = va + vb + vc;
    a + ab * (vb / den) + ac * (vc / den)
}
