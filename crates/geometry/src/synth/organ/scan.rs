//! A person's organ, scanned.

use super::kind::OrganKind;
use super::modes::ORGAN_TRAITS;
use crate::mesh::{EdgeTable, Point, Similarity, TriMesh, Vector};
use nalgebra::{Quaternion, Rotation3, UnitQuaternion};
use rand::seq::SliceRandom;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

/// Under what conditions organs are scanned.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OrganConditions {
    /// Standard deviation of the noise of every coordinate, as a share of the edge length of the template.
    pub noise: f64,
    /// Least and largest edge length, as shares of the template's.
    pub spacing: (f64, f64),
    /// Whether it is turned anyhow, shifted by some centimetres and grown by up to an eighth; else it lies as the template does.
    pub moved: bool,
}

impl Default for OrganConditions {
    fn default() -> Self {
        Self { noise: 0.08, spacing: (0.75, 1.0), moved: true }
    }
}

/// A scan and what only a simulation knows of it.
#[derive(Debug, Clone)]
pub struct OrganScan {
    /// The scan.
    pub mesh: TriMesh,
    /// Where the template's vertices truly are, in the scan's coordinates.
    pub truth: Vec<Point>,
    /// From the template's frame to the scan's.
    pub similarity: Similarity,
    /// Its traits, in standard deviations from the template.
    pub traits: [f64; ORGAN_TRAITS],
}

/// The population's mean has traits of this size, so that the template is not it.
const ELSEWHERE: f64 = 0.4;
/// Traits are cut at so many standard deviations.
const CUT: f64 = 2.5;
/// A draw is kept only if displacement changes over no edge of the template by more than this part of the edge: no triangle folds then.
const MAX_STRETCH: f64 = 0.8;

/// The scan number `index` of a population: the same whatever others are drawn.
pub fn organ_scan(kind: OrganKind, seed: u64, index: u64, conditions: &OrganConditions) -> OrganScan {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(index + 1);
    let traits = drawn(kind, &mut rng);
    let similarity = if conditions.moved { pose(kind, &mut rng) } else { Similarity::identity() };
    let (from, to) = conditions.spacing;
    let spacing = kind.spacing() * (from + (to - from) * rng.random::<f64>());
    let shift = Vector::from_fn(|_, _| rng.random::<f64>());
    let net = kind.solid().mesh(spacing, &turn(&mut rng), &shift);
    let noise = conditions.noise * kind.spacing();
    let (vertices, triangles) = net.into_parts();
    let mut place = |p: &Point| {
        let off = Vector::from_fn(|_, _| noise * rng.sample::<f64, _>(StandardNormal));
        similarity.apply(&(p + kind.displacement(&traits, p) + off))
    };
    let places: Vec<Point> = vertices.iter().map(&mut place).collect();
    let mesh = shuffled(&places, triangles, &mut rng);
    let there = |p: &Point| similarity.apply(&(p + kind.displacement(&traits, p)));
    let truth = kind.template().vertices().iter().map(there).collect();
    OrganScan { mesh, truth, similarity, traits }
}

fn drawn<R: Rng + ?Sized>(kind: OrganKind, rng: &mut R) -> [f64; ORGAN_TRAITS] {
    let mut normal = || loop {
        let z: f64 = rng.sample(StandardNormal);
        if z.abs() <= CUT {
            return z;
        }
    };
    loop {
        let traits = std::array::from_fn(|k| normal() + if k % 3 == 1 { -ELSEWHERE } else { ELSEWHERE });
        if stretch(kind, &traits) < MAX_STRETCH {
            return traits;
        }
    }
}

/// The largest change of displacement over an edge of the template, as a part of the edge.
fn stretch(kind: OrganKind, traits: &[f64; ORGAN_TRAITS]) -> f64 {
    let mesh = kind.template();
    let v = mesh.vertices();
    let moved: Vec<Vector> = v.iter().map(|p| kind.displacement(traits, p)).collect();
    let table = EdgeTable::new(mesh.triangles(), v.len());
    let of = |[a, b]: [usize; 2]| (moved[a] - moved[b]).norm() / (v[a] - v[b]).norm();
    table.edges().iter().map(|e| of(e.ends)).fold(0.0, f64::max)
}

/// A rotation, all alike likely.
fn turn<R: Rng + ?Sized>(rng: &mut R) -> Rotation3<f64> {
    let q: [f64; 4] = std::array::from_fn(|_| rng.sample(StandardNormal));
    UnitQuaternion::from_quaternion(Quaternion::new(q[0], q[1], q[2], q[3])).to_rotation_matrix()
}

fn pose<R: Rng + ?Sized>(kind: OrganKind, rng: &mut R) -> Similarity {
    let rotation = turn(rng);
    let scale = (0.12 * (2.0 * rng.random::<f64>() - 1.0)).exp();
    let reach = 20.0 * kind.spacing();
    let translation = Vector::from_fn(|_, _| reach * rng.sample::<f64, _>(StandardNormal));
    Similarity { scale, rotation, translation }
}

/// The same mesh, its vertices in another order.
fn shuffled<R: Rng + ?Sized>(places: &[Point], mut triangles: Vec<[usize; 3]>, rng: &mut R) -> TriMesh {
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.shuffle(rng);
    let mut number = vec![0; places.len()];
    order.iter().enumerate().for_each(|(new, &old)| number[old] = new);
    triangles.iter_mut().for_each(|t| *t = t.map(|i| number[i]));
    triangles.shuffle(rng);
    TriMesh::from_checked(order.iter().map(|&i| places[i]).collect(), triangles)
}
