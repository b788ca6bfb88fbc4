//! Simulated scanning: raw points of a face in random pose and condition, with no vertex correspondence.

use super::model::{FaceModel, distance_from_border};
use super::parameters::FaceParameters;
use super::sampling::{Patch, scatter};
use crate::mesh::{Point, TriMesh, Vector};
use nalgebra::{Rotation3, Unit};
use rand::seq::SliceRandom;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

/// Under what conditions faces are scanned. Lengths in millimetres, before scaling.
#[derive(Debug, Clone, PartialEq)]
pub struct ScanConditions {
    /// Points in each scan.
    pub n_points: usize,
    /// Largest rotation about a random axis, in degrees; the angle is uniform.
    pub rotation_deg: f64,
    /// Standard deviation of each coordinate of the translation.
    pub translation_mm: f64,
    /// Least and largest scale; the factor is uniform between them.
    pub scale: (f64, f64),
    /// Least and largest depth of the strip missing along the border; the depth varies smoothly around the face.
    pub crop_mm: (f64, f64),
    /// Standard deviation of the noise in each coordinate of each point.
    pub noise_sd_mm: f64,
    /// Most holes in a scan; the number is uniform from none to this.
    pub holes: usize,
    /// Least and largest radius of a hole.
    pub hole_radius_mm: (f64, f64),
    /// Unevenness of the density: standard deviation of the logarithm of the local spacing between points.
    pub unevenness: f64,
}

impl ScanConditions {
    /// What `visard demo` scans: 7150 points, pose up to 15 degrees, a few millimetres missing along the border,
    /// fine noise, sometimes a small hole.
    pub fn demo() -> Self {
        Self {
            n_points: 7150,
            rotation_deg: 15.0,
            translation_mm: 25.0,
            scale: (0.92, 1.08),
            crop_mm: (0.0, 6.0),
            noise_sd_mm: 0.12,
            holes: 2,
            hole_radius_mm: (1.5, 4.0),
            unevenness: 0.15,
        }
    }

    /// No noise, nothing missing, even density; random pose, unit scale.
    pub fn clean() -> Self {
        Self {
            scale: (1.0, 1.0),
            crop_mm: (0.0, 0.0),
            noise_sd_mm: 0.0,
            holes: 0,
            unevenness: 0.0,
            ..Self::demo()
        }
    }

    /// A careless scan: pose up to 40 degrees, much missing, noise, holes, uneven density.
    pub fn hard() -> Self {
        Self {
            rotation_deg: 40.0,
            translation_mm: 100.0,
            scale: (0.7, 1.4),
            crop_mm: (2.0, 18.0),
            noise_sd_mm: 0.4,
            holes: 6,
            hole_radius_mm: (2.0, 9.0),
            unevenness: 0.4,
            ..Self::demo()
        }
    }
}

/// A scan and what only a simulation knows about it.
#[derive(Debug, Clone, PartialEq)]
pub struct SimulatedScan {
    /// The raw scan: points on the face in no order, in the scanner's frame.
    pub points: Vec<Point>,
    /// Hidden truth: where each vertex of the built-in template lies, in the scan's frame, without noise.
    pub truth: Vec<Point>,
    /// Whether the scan covers that vertex (false in the cropped strip and in holes).
    pub covered: Vec<bool>,
    /// Whose face it is.
    pub parameters: FaceParameters,
}

/// A surface scanned once.
#[derive(Debug, Clone, PartialEq)]
pub struct ScannedSurface {
    /// The raw scan: points on the surface in no order, in the scanner's frame.
    pub points: Vec<Point>,
    /// Where each vertex of the surface lies, in the scan's frame, without noise.
    pub truth: Vec<Point>,
    /// Whether the scan covers that vertex.
    pub covered: Vec<bool>,
}

/// Scans a face once.
pub fn simulate_scan<R: Rng + ?Sized>(
    parameters: &FaceParameters,
    conditions: &ScanConditions,
    rng: &mut R,
) -> SimulatedScan {
    let vertices = parameters.vertices();
    let triangles = super::builtin_template().triangles();
    let ScannedSurface { points, truth, covered } =
        scan(&vertices, triangles, &FaceModel::get().border_distance, conditions, rng);
    SimulatedScan { points, truth, covered, parameters: parameters.clone() }
}

/// Scans any surface in millimetres once; a closed one has no border to be cut off.
pub fn scan_surface<R: Rng + ?Sized>(
    surface: &TriMesh,
    conditions: &ScanConditions,
    rng: &mut R,
) -> ScannedSurface {
    let border = distance_from_border(surface);
    scan(surface.vertices(), surface.triangles(), &border, conditions, rng)
}

/// How far a vertex is moved over one of its triangles, at most: less than half of it, so that none folds.
const SLID: f64 = 0.35;

/// Scans any surface in millimetres once, as a mesh: every vertex slides over one of its triangles, so that none lies where another person's does, and
/// all are in another order. Of an open surface the border and holes are left out. Returns the scan, and where each vertex of the surface lies in it.
pub fn scan_as_mesh<R: Rng + ?Sized>(
    surface: &TriMesh,
    conditions: &ScanConditions,
    rng: &mut R,
) -> (TriMesh, Vec<Point>) {
    let (vertices, border) = (surface.vertices(), distance_from_border(surface));
    let is_open = border.iter().all(|distance| distance.is_finite());
    let holes = if is_open { conditions.holes } else { 0 };
    let view = Coverage::random(&ScanConditions { holes, ..conditions.clone() }, vertices, rng);
    let mut slid = vertices.to_vec();
    for t in surface.triangles() {
        // The last of its triangles moves a vertex.
        for k in (0..3).filter(|k| border[t[*k]] > 0.0) {
            let [p, q, r] = [0, 1, 2].map(|i| vertices[t[(k + i) % 3]].coords);
            let (share, along) = (SLID * rng.random::<f64>(), rng.random::<f64>());
            slid[t[k]] = Point::from(p + share * (along * (q - p) + (1.0 - along) * (r - p)));
        }
    }
    let pose = Pose::random(conditions, rng);
    let noise =
        |rng: &mut R| Vector::from_fn(|_, _| conditions.noise_sd_mm * rng.sample::<f64, _>(StandardNormal));
    let kept: Vec<[usize; 3]> = (surface.triangles().iter().copied())
        .filter(|t| t.iter().all(|&v| view.covers(&vertices[v], border[v])))
        .collect();
    let mut order: Vec<usize> = kept.iter().flatten().copied().collect();
    order.sort_unstable();
    order.dedup();
    order.shuffle(rng);
    let mut number = vec![0; vertices.len()];
    order.iter().enumerate().for_each(|(new, &old)| number[old] = new);
    let places = order.iter().map(|&v| pose.apply(&(slid[v] + noise(rng)))).collect();
    let triangles = kept.into_iter().map(|t| t.map(|v| number[v])).collect();
    (TriMesh::from_checked(places, triangles), vertices.iter().map(|p| pose.apply(p)).collect())
}

fn scan<R: Rng + ?Sized>(
    vertices: &[Point],
    triangles: &[[usize; 3]],
    border_distance: &[f64],
    conditions: &ScanConditions,
    rng: &mut R,
) -> ScannedSurface {
    let view = Coverage::random(conditions, vertices, rng);
    let covered: Vec<bool> =
        vertices.iter().zip(border_distance).map(|(p, &border)| view.covers(p, border)).collect();
    let spacing = SpacingField::random(conditions.unevenness, rng);
    let patch = Patch { vertices, triangles, border_distance, covered: &covered };
    let mut points =
        scatter(&patch, conditions.n_points, |p, border| view.covers(p, border), |p| spacing.at(p), rng);
    let mut noise = || Vector::from_fn(|_, _| conditions.noise_sd_mm * rng.sample::<f64, _>(StandardNormal));
    points.iter_mut().for_each(|p| *p += noise());
    let pose = Pose::random(conditions, rng);
    ScannedSurface {
        points: points.iter().map(|p| pose.apply(p)).collect(),
        truth: vertices.iter().map(|p| pose.apply(p)).collect(),
        covered,
    }
}

/// Person number `i` of the population `seed`, scanned once: the same for the same three, whether or not the others were
/// looked at.
///
/// # Example
/// ```
/// use visard_geometry::synth::{ScanConditions, person};
/// let scans: Vec<_> = (0..2).map(|i| person(7, i, &ScanConditions::demo())).collect();
/// assert_eq!(scans[0].points.len(), 7150);
/// assert_eq!(person(7, 0, &ScanConditions::demo()), scans[0]);
/// ```
pub fn person(seed: u64, i: usize, conditions: &ScanConditions) -> SimulatedScan {
    person_about(&FaceParameters::mean(), seed, i, conditions)
}

/// As [`person`], of a population with another mean ([`FaceParameters::elsewhere`]).
pub fn person_about(
    mean: &FaceParameters,
    seed: u64,
    i: usize,
    conditions: &ScanConditions,
) -> SimulatedScan {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(i as u64);
    let parameters = FaceParameters::sample_about(mean, &mut rng);
    simulate_scan(&parameters, conditions, &mut rng)
}

/// A similarity from the template's frame to the scanner's.
struct Pose {
    turn: Rotation3<f64>,
    shift: Vector,
    scale: f64,
}

impl Pose {
    fn random<R: Rng + ?Sized>(conditions: &ScanConditions, rng: &mut R) -> Self {
        let mut normal = || Vector::from_fn(|_, _| rng.sample::<f64, _>(StandardNormal));
        let axis = Unit::new_normalize(normal() + Vector::repeat(1e-12));
        let shift = normal() * conditions.translation_mm;
        let angle = conditions.rotation_deg.to_radians() * rng.random::<f64>();
        Self { turn: Rotation3::from_axis_angle(&axis, angle), shift, scale: between(conditions.scale, rng) }
    }

    fn apply(&self, p: &Point) -> Point {
        Point::from(self.turn * p.coords * self.scale + self.shift)
    }
}

fn between<R: Rng + ?Sized>(range: (f64, f64), rng: &mut R) -> f64 {
    range.0 + (range.1 - range.0) * rng.random::<f64>()
}

/// What part of the face a scan shows.
struct Coverage {
    crop: (f64, f64),
    /// Amplitudes and phases of the crop depth as a function of the angle around the nose.
    waves: [(f64, f64); 4],
    holes: Vec<(Point, f64)>,
}

impl Coverage {
    fn random<R: Rng + ?Sized>(conditions: &ScanConditions, vertices: &[Point], rng: &mut R) -> Self {
        let waves =
            std::array::from_fn(|_| (rng.random::<f64>(), std::f64::consts::TAU * rng.random::<f64>()));
        let n_holes = rng.random_range(0..=conditions.holes);
        let holes = (0..n_holes)
            .map(|_| (vertices[rng.random_range(0..vertices.len())], between(conditions.hole_radius_mm, rng)))
            .collect();
        Self { crop: conditions.crop_mm, waves, holes }
    }

    fn covers(&self, p: &Point, border_distance: f64) -> bool {
        border_distance >= self.crop_depth(p, border_distance)
            && self.holes.iter().all(|(centre, radius)| (p - centre).norm() > *radius)
    }

    /// Between the least and the largest depth, by a smooth wave around the face.
    fn crop_depth(&self, p: &Point, border_distance: f64) -> f64 {
        if border_distance > self.crop.1 || self.crop.1 <= 0.0 {
            return 0.0;
        }
        let angle = libm::atan2(p.y, p.x);
        let (mut sum, mut most) = (0.0, 1e-12);
        for (k, (amplitude, phase)) in self.waves.iter().enumerate() {
            sum += amplitude * libm::sin((k + 1) as f64 * angle + phase);
            most += amplitude;
        }
        self.crop.0 + (self.crop.1 - self.crop.0) * 0.5 * (1.0 + sum / most)
    }
}

/// Local spacing of points relative to its mean: the exponential of a sum of a few waves.
struct SpacingField {
    waves: Vec<(Vector, f64)>,
    amplitude: f64,
}

impl SpacingField {
    fn random<R: Rng + ?Sized>(unevenness: f64, rng: &mut R) -> Self {
        const WAVES: usize = 4;
        const LENGTH_MM: f64 = 28.0;
        let waves = (0..WAVES)
            .map(|_| {
                let k = Vector::from_fn(|_, _| rng.sample::<f64, _>(StandardNormal)) / LENGTH_MM;
                (k, std::f64::consts::TAU * rng.random::<f64>())
            })
            .collect();
        Self { waves, amplitude: unevenness * (2.0 / WAVES as f64).sqrt() }
    }

    fn at(&self, p: &Point) -> f64 {
        if self.amplitude == 0.0 {
            return 1.0;
        }
        let sum: f64 = self.waves.iter().map(|(k, phase)| libm::sin(k.dot(&p.coords) + phase)).sum();
        libm::exp(self.amplitude * sum)
    }
}
