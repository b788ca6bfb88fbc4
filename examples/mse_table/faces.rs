//! Faces of a public face model in perfect correspondence, as curves: the model's mesh is mapped to the disk once, and
//! every face is read off at the same places of it.

use nalgebra::{DMatrix, Matrix3, Vector3};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use rand_distr::{Distribution, StandardNormal};
use std::collections::{BTreeMap, HashMap};
use std::error::Error;
use std::f64::consts::TAU;
use std::path::Path;
use visard::function::FaceCurves;
use visard::io::npy;

/// face = neutral + Σ w_k mode_k, w_k ~ N(0, 1), read off on rings.
pub struct FaceModel {
    neutral: Vec<Vector3<f64>>,
    modes: Vec<f64>,
    triangles: Vec<[usize; 3]>,
    /// For every sample of every ring: vertices and weights.
    places: Vec<Vec<(usize, f64)>>,
    pub radii: Vec<f64>,
    samples: usize,
}

impl FaceModel {
    pub fn load(folder: &Path, rings: usize, samples: usize) -> Result<Self, Box<dyn Error>> {
        let points =
            |data: &[f64]| data.chunks_exact(3).map(|p| Vector3::new(p[0], p[1], p[2])).collect::<Vec<_>>();
        let neutral = points(&npy::read(&folder.join("ict_neutral.npy"))?.data);
        let modes = npy::read(&folder.join("ict_identity_modes.npy"))?.data;
        let triangles: Vec<[usize; 3]> = npy::read(&folder.join("ict_faces.npy"))?
            .data
            .chunks_exact(3)
            .map(|t| [t[0] as usize, t[1] as usize, t[2] as usize])
            .collect();
        let radii: Vec<f64> = (1..=rings).map(|j| j as f64 / rings as f64).collect();
        let places = places(&neutral, &triangles, &radii, samples);
        Ok(Self { neutral, modes, triangles, places, radii, samples })
    }

    /// A face with the weights of this generator, centred, of unit area, not turned.
    pub fn random(&self, rng: &mut impl Rng) -> FaceCurves {
        let weights: Vec<f64> =
            (0..self.modes.len() / (3 * self.neutral.len())).map(|_| StandardNormal.sample(rng)).collect();
        self.face(&weights)
    }

    /// The face with these weights of the modes (none: the neutral face).
    pub fn face(&self, weights: &[f64]) -> FaceCurves {
        let mut vertices = self.neutral.clone();
        for (w, mode) in weights.iter().zip(self.modes.chunks_exact(3 * self.neutral.len())) {
            for (v, d) in vertices.iter_mut().zip(mode.chunks_exact(3)) {
                *v += *w * Vector3::new(d[0], d[1], d[2]);
            }
        }
        let (mut centroid, mut area) = (Vector3::zeros(), 0.0);
        for [a, b, c] in self.triangles.iter().map(|t| t.map(|i| vertices[i])) {
            let share = (b - a).cross(&(c - a)).norm() / 2.0;
            centroid += (a + b + c) * (share / 3.0);
            area += share;
        }
        centroid /= area;
        let data = self.places.iter().flat_map(|place| {
            let p: Vector3<f64> = place.iter().map(|&(i, w)| vertices[i] * w).sum();
            let p = (p - centroid) / area.sqrt();
            [p.x, p.y, p.z]
        });
        FaceCurves::new(self.radii.len(), self.samples, data.collect())
            .expect("a face of the model is finite")
    }
}

/// `face` turned onto `template` (Kabsch 1976: the best rotation, no reflection).
pub fn turned(face: &FaceCurves, template: &FaceCurves) -> FaceCurves {
    let matrix = |c: &FaceCurves| DMatrix::from_row_slice(c.data().len() / 3, 3, c.data());
    let (a, b) = (matrix(face), matrix(template));
    let cross: Matrix3<f64> = (a.transpose() * &b).fixed_view::<3, 3>(0, 0).into_owned();
    let svd = cross.svd(true, true);
    let (u, vt) = (svd.u.expect("asked for"), svd.v_t.expect("asked for"));
    let sign = (u * vt).determinant().signum();
    let rotation = u * Matrix3::from_diagonal(&Vector3::new(1.0, 1.0, sign)) * vt;
    let data = (a * rotation).transpose().as_slice().to_vec();
    FaceCurves::new(face.curves(), face.samples(), data).expect("a rotation keeps numbers finite")
}

pub fn generator(seed: u64) -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(seed)
}

/// Where the samples of the rings lie on the mesh: harmonic map to the disk (positive cotangent weights, the rim by arc
/// length, holes closed by a fan), nose tip moved to the centre by a Möbius map.
fn places(
    vertices: &[Vector3<f64>],
    triangles: &[[usize; 3]],
    radii: &[f64],
    samples: usize,
) -> Vec<Vec<(usize, f64)>> {
    const NOSE_TIP: usize = 4857;
    let mut loops = boundary_loops(triangles);
    loops.sort_by_key(Vec::len);
    let rim = loops.pop().expect("a face has a rim");
    let (mut points, mut mesh) = (vertices.to_vec(), triangles.to_vec());
    for hole in &loops {
        let hub = points.len();
        points.push(hole.iter().map(|&i| vertices[i]).sum::<Vector3<f64>>() / hole.len() as f64);
        (0..hole.len()).for_each(|i| mesh.push([hub, hole[(i + 1) % hole.len()], hole[i]]));
    }
    let mut flat = harmonic(&points, &mesh, &rim);
    let nose = flat[NOSE_TIP];
    let one = Complex::new(1.0, 0.0);
    flat.iter_mut().for_each(|z| *z = (*z - nose) / (one - nose.conj() * *z));
    let mut out = Vec::new();
    for r in radii {
        for l in 0..samples {
            // A hair inside the rim, whose edges are chords.
            let target = Complex::from_polar(r * 0.999, TAU * l as f64 / samples as f64);
            let (t, weights) = locate(&flat, &mesh, target);
            let corners = mesh[t].iter().zip(weights);
            out.push(corners.flat_map(|(&i, w)| spread(i, w, vertices.len(), &loops)).collect());
        }
    }
    out
}

type Complex = nalgebra::Complex<f64>;

/// A hub's weight is shared by the loop it closes.
fn spread(i: usize, w: f64, real: usize, loops: &[Vec<usize>]) -> Vec<(usize, f64)> {
    match i.checked_sub(real) {
        None => vec![(i, w)],
        Some(hole) => loops[hole].iter().map(|&v| (v, w / loops[hole].len() as f64)).collect(),
    }
}

fn boundary_loops(triangles: &[[usize; 3]]) -> Vec<Vec<usize>> {
    let edges = |t: &[usize; 3]| [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])];
    let all: std::collections::HashSet<(usize, usize)> = triangles.iter().flat_map(edges).collect();
    let mut next: BTreeMap<usize, usize> =
        all.iter().filter(|(a, b)| !all.contains(&(*b, *a))).copied().collect();
    let mut loops = Vec::new();
    while let Some((first, mut at)) = next.pop_first() {
        let mut found = vec![first];
        while at != first {
            found.push(at);
            at = next.remove(&at).expect("boundary edges close up");
        }
        loops.push(found);
    }
    loops
}

/// Harmonic coordinates by conjugate gradients.
fn harmonic(points: &[Vector3<f64>], mesh: &[[usize; 3]], rim: &[usize]) -> Vec<Complex> {
    let mut weights: HashMap<(usize, usize), f64> = HashMap::new();
    for t in mesh {
        for k in 0..3 {
            let (a, b, c) = (t[k], t[(k + 1) % 3], t[(k + 2) % 3]);
            let (u, v) = (points[b] - points[a], points[c] - points[a]);
            let cotangent = u.dot(&v) / u.cross(&v).norm().max(1e-12) / 2.0;
            *weights.entry((b.min(c), b.max(c))).or_default() += cotangent;
        }
    }
    let mut edges: Vec<(usize, usize, f64)> =
        weights.into_iter().map(|((a, b), w)| (a, b, w.max(0.02))).collect();
    edges.sort_by_key(|e| (e.0, e.1));
    let mut flat = vec![Complex::new(0.0, 0.0); points.len()];
    let mut fixed = vec![false; points.len()];
    let lengths: Vec<f64> =
        (0..rim.len()).map(|i| (points[rim[(i + 1) % rim.len()]] - points[rim[i]]).norm()).collect();
    let mut along = 0.0;
    for (&i, length) in rim.iter().zip(&lengths) {
        (flat[i], fixed[i]) = (Complex::from_polar(1.0, TAU * along / lengths.iter().sum::<f64>()), true);
        along += length;
    }
    let residual = |x: &[Complex]| {
        let mut r = vec![Complex::new(0.0, 0.0); x.len()];
        for &(a, b, w) in &edges {
            let d = (x[b] - x[a]) * w;
            r[a] += d;
            r[b] -= d;
        }
        r.iter_mut().zip(&fixed).filter(|(_, f)| **f).for_each(|(r, _)| *r = Complex::new(0.0, 0.0));
        r
    };
    let dot = |a: &[Complex], b: &[Complex]| a.iter().zip(b).map(|(x, y)| (x * y.conj()).re).sum::<f64>();
    let mut r = residual(&flat);
    let (mut p, mut rr) = (r.clone(), dot(&r, &r));
    for _ in 0..20_000 {
        if rr < 1e-20 {
            break;
        }
        let ap: Vec<Complex> = residual(&p).iter().map(|z| -*z).collect();
        let step = rr / dot(&p, &ap);
        flat.iter_mut().zip(&p).for_each(|(x, p)| *x += p * step);
        r.iter_mut().zip(&ap).for_each(|(r, a)| *r -= a * step);
        let next = dot(&r, &r);
        p.iter_mut().zip(&r).for_each(|(p, r)| *p = *r + *p * (next / rr));
        rr = next;
    }
    flat
}

/// The triangle that holds `target`, or the nearest to doing so, and its barycentric weights.
fn locate(flat: &[Complex], mesh: &[[usize; 3]], target: Complex) -> (usize, [f64; 3]) {
    let cross = |a: Complex, b: Complex| (a.conj() * b).im;
    let mut best = (0, [1.0, 0.0, 0.0], f64::NEG_INFINITY);
    for (t, corners) in mesh.iter().enumerate() {
        let [a, b, c] = corners.map(|i| flat[i]);
        let area = cross(b - a, c - a);
        let (v, w) = (cross(target - a, c - a) / area, cross(b - a, target - a) / area);
        let weights = [1.0 - v - w, v, w];
        let least = weights.iter().copied().fold(f64::INFINITY, f64::min);
        if least > best.2 {
            best = (t, weights, least);
        }
    }
    let clamped = best.1.map(|w| w.max(0.0));
    (best.0, clamped.map(|w| w / clamped.iter().sum::<f64>()))
}
