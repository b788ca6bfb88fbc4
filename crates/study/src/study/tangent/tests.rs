//! What is clipped at is what was declared; with next to no noise, what is found is what is found without any.

use super::centring::{Centring, PublicCentre};
use super::comparison::ComparisonStatistic;
use super::modes::ModesStatistic;
use super::opened::Then;
use super::records::{Centred, TangentRecords};
use super::regression::RegressionStatistic;
use super::space::TangentSpace;
use super::statistic::Statistic;
use super::*;
use crate::estimate::{Design, Smoothness};
use crate::io::{npy, write_npy};
use crate::mechanism::functional::{LeadingCoordinates, Want};
use crate::privacy::{ClipRadius, ClipSource, ClippedMean, Mu};
use crate::study::function::{DomainKind, FunctionInputs};
use crate::study::points::{PointStudyError, Read, SpdCentre, SpdMetric, VectorCentre, VectorSpace};
use crate::study::{Counting, Groups, Place, Unusable};
use nalgebra::{DMatrix, DVector, Matrix2, SymmetricEigen};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use std::path::Path;
use std::sync::Arc;

const RADIUS: f64 = 0.8;

fn place(dir: &Path) -> Place {
    Place { seed: Some(7), ..Place::new(dir.join("study")) }
}

fn matrices(dir: &Path, metric: SpdMetric, centre: SpdCentre) -> TangentInputs {
    TangentInputs::Matrices(TangentMatrices {
        file: dir.join("records.npy"),
        metric,
        centre,
        radius: RADIUS,
        unusable: Unusable::Zero,
        counting: Counting::default(),
        place: place(dir),
    })
}

fn vectors(dir: &Path, space: VectorSpace, centre: VectorCentre) -> TangentInputs {
    TangentInputs::Vectors(TangentVectors {
        file: dir.join("records.npy"),
        space,
        centre,
        radius: RADIUS,
        dim: None,
        unusable: Unusable::Zero,
        counting: Counting::default(),
        place: place(dir),
    })
}

fn functions(dir: &Path) -> TangentInputs {
    TangentInputs::Functions(TangentFunctions {
        inputs: FunctionInputs::new(dir.join("records.npy"), DomainKind::Interval, place(dir)),
        bound: RADIUS,
        smoothness: Smoothness::default(),
    })
}

fn released(dir: &Path, name: &str) -> Vec<f64> {
    npy::read(&dir.join("study/release").join(name)).unwrap().data
}

/// Where records are seen from, and what they are there.
struct Seen;

impl Then for Seen {
    type Done = (Arc<dyn TangentSpace>, Read<Vec<f64>>);

    fn about(self, records: &dyn TangentRecords) -> Result<Self::Done, PointStudyError> {
        Ok((records.space(), records.read()?))
    }

    fn seeking<K: Centred>(self, _: &K) -> Result<Self::Done, PointStudyError> {
        unreachable!("their centre is private")
    }
}

fn open(inputs: &TangentInputs) -> (Arc<dyn TangentSpace>, Read<Vec<f64>>) {
    let seen = match inputs {
        TangentInputs::Functions(functions) => Seen.about(&*functions.open().unwrap()),
        TangentInputs::Matrices(matrices) => matrices.open(Seen),
        TangentInputs::Vectors(vectors) => vectors.open(Seen),
        TangentInputs::Landmarks(_) => unreachable!("their centre may be private"),
        TangentInputs::Other(_) => unreachable!("they are tested where they are"),
    };
    seen.unwrap()
}

/// The mechanism that a statistic of n people has in this space.
fn inner<S: Statistic>(statistic: S, space: &Arc<dyn TangentSpace>, n: u64) -> Arc<S::Inner> {
    let centre = PublicCentre { space: space.clone(), mu: statistic.budget(), n };
    centre.about(move |expected| statistic.inner(expected)).unwrap().0
}

fn mu(mu: f64) -> Mu {
    Mu::new(mu).unwrap()
}

/// exp of a symmetric 2 × 2 matrix, and log of a positive definite one.
fn spectral(m: &Matrix2<f64>, f: impl Fn(f64) -> f64) -> Matrix2<f64> {
    let eigen = SymmetricEigen::new(*m);
    eigen.eigenvectors * Matrix2::from_diagonal(&eigen.eigenvalues.map(f)) * eigen.eigenvectors.transpose()
}

/// The vector of a symmetric matrix whose norm is the matrix's.
fn vector(m: &Matrix2<f64>) -> Vec<f64> {
    vec![m[(0, 0)], 2.0f64.sqrt() * m[(0, 1)], m[(1, 1)]]
}

struct Normal(ChaCha8Rng);

impl Normal {
    fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    fn draw(&mut self) -> f64 {
        StandardNormal.sample(&mut self.0)
    }
}

/// Two records far out on opposite sides, as every kind has them, and what is expected of each: usable or not.
fn extremes(dir: &Path) -> Vec<(&'static str, TangentInputs)> {
    let write = |shape: &[usize], data: &[f64]| {
        let folder = dir.join(shape.len().to_string() + &data.len().to_string() + &data[0].to_string());
        std::fs::create_dir_all(&folder).unwrap();
        write_npy(&folder.join("records.npy"), shape, data).unwrap();
        folder
    };
    let far = [1e6, 0.0, 0.0, 1e3, 1e-6, 0.0, 0.0, 1e-3];
    let spd = write(&[2, 2, 2], &far);
    let other = Matrix2::new(2.0, 0.3, 0.3, 0.5);
    let known = SpdCentre::Known(DMatrix::from_column_slice(2, 2, other.as_slice()));
    let sphere = write(&[2, 3], &[1.0, 0.0, 0.0, -1.0, 0.0, 0.0]);
    write_npy(&sphere.join("centre.npy"), &[1, 3], &[0.0, 0.6, 0.8]).unwrap();
    let poincare = write(&[2, 2], &[0.999, 0.0, -0.999, 0.0]);
    let high: f64 = 1e3;
    let lorentz = write(&[2, 3], &[high.hypot(1.0), high, 0.0, high.hypot(1.0), -high, 0.0]);
    let wave: Vec<f64> = (0..24).map(|k| if k < 12 { 1e3 } else { -1e3 }).collect();
    let flat = write(&[2, 12], &wave);
    vec![
        ("log-Euclidean", matrices(&spd, SpdMetric::LogEuclidean, SpdCentre::Identity)),
        ("affine-invariant", matrices(&spd, SpdMetric::AffineInvariant, SpdCentre::Identity)),
        ("affine-invariant about another centre", matrices(&spd, SpdMetric::AffineInvariant, known)),
        ("sphere", vectors(&sphere, VectorSpace::Sphere, VectorCentre::File(sphere.join("centre.npy")))),
        ("Poincaré", vectors(&poincare, VectorSpace::Poincare, VectorCentre::Origin)),
        ("Lorentz", vectors(&lorentz, VectorSpace::Lorentz, VectorCentre::Origin)),
        ("functions", functions(&flat)),
    ]
}

#[test]
fn every_mechanism_clips_at_the_declared_radius() {
    let dir = tempfile::tempdir().unwrap();
    for (name, inputs) in extremes(dir.path()) {
        let (space, _) = open(&inputs);
        assert_eq!(space.radius(), RADIUS, "{name}");
        // A function's norm is weighted by how smooth it is expected to be: one that is as smooth has the clip radius when it has this one.
        let as_declared = |coordinates: &LeadingCoordinates, clip: ClipRadius| {
            let spectrum = coordinates.spectrum();
            let weighted =
                coordinates.roots().iter().zip(spectrum).map(|(root, lambda)| root * root * lambda);
            let expected = RADIUS * (weighted.sum::<f64>() / spectrum.iter().sum::<f64>()).sqrt();
            let is_flat = name != "functions";
            (clip.get() / expected - 1.0).abs() < 1e-12 && (!is_flat || clip.get() == RADIUS)
        };
        let n = 500;
        let modes = inner(ModesStatistic { budget: mu(1.0), most: 3 }, &space, n);
        assert!(as_declared(modes.coordinates(), modes.vectors().recentring().public()), "{name}: modes");
        let design = Design::parse(&["age=0:10".into()], &[], &[]).unwrap();
        let regression =
            RegressionStatistic::new(mu(1.0), Some(("none.csv".into(), design)), None, false).unwrap();
        let regression = inner(regression, &space, n);
        assert!(
            as_declared(regression.coordinates(), regression.mechanism().recentring().public()),
            "{name}: regression"
        );
        let groups = Groups::of_sizes(vec!["a".into(), "b".into()], &[250, 250]).unwrap();
        let compared = ComparisonStatistic { budget: mu(1.0), groups, want: Want::Both };
        let compared = inner(compared, &space, n);
        for (part, (coordinates, vectors)) in [("map", compared.map_parts()), ("test", compared.test_parts())]
            .map(|(part, found)| (part, found.unwrap()))
        {
            assert!(as_declared(coordinates, vectors.public()), "{name}: {part} of groups");
        }
    }
}

/// Records as far out as numbers allow have the norm of the radius when they are clipped, so two of them are at most twice as far apart.
#[test]
fn extreme_records_are_brought_to_the_radius() {
    let dir = tempfile::tempdir().unwrap();
    for (name, inputs) in extremes(dir.path()) {
        let (space, read) = open(&inputs);
        let estimator = inner(ModesStatistic { budget: mu(1.0), most: 3 }, &space, 2);
        let radius = estimator.vectors().recentring().public().get();
        let samples = read.points;
        let clipped: Vec<Vec<f64>> = samples
            .iter()
            .map(|record| {
                let u = estimator.coordinates().coordinates(record.as_ref().unwrap());
                let clip = ClipRadius::new(radius, ClipSource::Public).unwrap();
                let mean = ClippedMean::new(u.len(), 1, clip, mu(1.0)).unwrap();
                let mut sum = mean.sum();
                sum.add(Some(&u)).unwrap();
                sum.nonprivate_mean()
            })
            .collect();
        let norm = |u: &[f64]| u.iter().map(|x| x * x).sum::<f64>().sqrt();
        for u in &clipped {
            assert!((norm(u) / radius - 1.0).abs() < 1e-6, "{name}: {} for {radius}", norm(u));
        }
        let apart: Vec<f64> = clipped[0].iter().zip(&clipped[1]).map(|(a, b)| a - b).collect();
        assert!(norm(&apart) <= 2.0 * radius * (1.0 + 1e-6), "{name}");
    }
}

/// Coordinates are isometric: their norm is the distance from the centre, as the formulas of the metrics have it.
#[test]
fn coordinates_have_the_length_of_the_distance() {
    let dir = tempfile::tempdir().unwrap();
    let norm = |u: &[f64]| u.iter().map(|x| x * x).sum::<f64>().sqrt();
    let centre = Matrix2::new(2.0, 0.3, 0.3, 0.5);
    let known = SpdCentre::Known(DMatrix::from_column_slice(2, 2, centre.as_slice()));
    let record = Matrix2::new(1.5, -0.2, -0.2, 0.7);
    write_npy(&dir.path().join("records.npy"), &[1, 2, 2], record.as_slice()).unwrap();
    let root = spectral(&centre, |x| x.powf(-0.5));
    for (metric, distance) in [
        (SpdMetric::LogEuclidean, (spectral(&record, f64::ln) - spectral(&centre, f64::ln)).norm()),
        (SpdMetric::AffineInvariant, spectral(&(root * record * root), f64::ln).norm()),
    ] {
        let inputs = matrices(dir.path(), metric, known.clone());
        let (space, read) = open(&inputs);
        let u = read.points[0].clone().unwrap();
        approx::assert_relative_eq!(norm(&u), distance, max_relative = 1e-10);
        // And back: the point with these coordinates is the record.
        for (x, y) in space.point(&u).iter().zip(record.as_slice()) {
            approx::assert_relative_eq!(x, y, max_relative = 1e-9);
        }
        // Displacements are tangent vectors at the centre: a small one moves it by as much.
        let small: Vec<f64> = u.iter().map(|x| 1e-6 * x).collect();
        let moved = space.point(&small);
        let by = space.displacement(&small);
        for ((m, c), d) in moved.iter().zip(centre.as_slice()).zip(by) {
            assert!((m - c - d).abs() < 1e-11, "{m} {c} {d}");
        }
    }
}

/// The antipode has no logarithm: unusable, like what is off the sphere, and by itself.
#[test]
fn an_antipode_is_an_unusable_record() {
    let dir = tempfile::tempdir().unwrap();
    write_npy(&dir.path().join("centre.npy"), &[1, 3], &[0.0, 0.0, 1.0]).unwrap();
    let rows = [0.0, 0.0, -1.0, 0.6, 0.0, 0.8, 0.0, 0.6, 0.9];
    write_npy(&dir.path().join("records.npy"), &[3, 3], &rows).unwrap();
    let centre = VectorCentre::File(dir.path().join("centre.npy"));
    let inputs = vectors(dir.path(), VectorSpace::Sphere, centre);
    let read = open(&inputs).1;
    assert_eq!(read.points.iter().map(Option::is_some).collect::<Vec<_>>(), [false, true, false]);
    assert_eq!(read.problems.len(), 2);
}

#[test]
fn modes_of_matrices_are_those_of_their_logarithms() {
    let dir = tempfile::tempdir().unwrap();
    let mut normal = Normal::new(1);
    let n = 4000;
    let logs: Vec<Matrix2<f64>> = (0..n)
        .map(|_| {
            let (a, b, c) = (0.2 * normal.draw(), 0.1 * normal.draw(), 0.04 * normal.draw());
            Matrix2::new(0.1 + a + c, b, b, 0.5 * a - c)
        })
        .collect();
    let data: Vec<f64> = logs.iter().flat_map(|s| spectral(s, f64::exp).as_slice().to_vec()).collect();
    write_npy(&dir.path().join("records.npy"), &[n, 2, 2], &data).unwrap();
    let inputs = matrices(dir.path(), SpdMetric::LogEuclidean, SpdCentre::Identity);
    let outcome = run_modes(&inputs, mu(15.0), 2).unwrap();
    // The same without noise, by the book.
    let rows: Vec<Vec<f64>> = logs.iter().map(vector).collect();
    let table = DMatrix::from_fn(n, 3, |i, j| rows[i][j]);
    let mean = table.row_mean();
    let centred = DMatrix::from_fn(n, 3, |i, j| table[(i, j)] - mean[j]);
    let eigen = SymmetricEigen::new(centred.tr_mul(&centred) / n as f64);
    let first = eigen.eigenvalues.imax();
    let found = &outcome.found.modes.modes;
    assert_eq!(found.len(), 2);
    let share = found[0].variance / eigen.eigenvalues[first];
    assert!((share - 1.0).abs() < 0.1, "{share}");
    let modes = released(dir.path(), "modes.npy");
    let along = DVector::from_vec(vector(&Matrix2::from_column_slice(&modes[..4])));
    approx::assert_relative_eq!(along.norm_squared(), found[0].variance, max_relative = 1e-9);
    let cosine = along.dot(&eigen.eigenvectors.column(first)).abs() / along.norm();
    assert!(cosine > 0.99, "{cosine}");
    let log = spectral(&Matrix2::from_column_slice(&released(dir.path(), "mean.npy")), f64::ln);
    for (x, y) in vector(&log).iter().zip(mean.iter()) {
        assert!((x - y).abs() < 0.02, "{x} {y}");
    }
}

#[test]
fn slopes_of_directions_are_those_of_least_squares_in_the_tangent_space() {
    let dir = tempfile::tempdir().unwrap();
    let mut normal = Normal::new(2);
    let n = 4000;
    let mut table = String::from("record,age\n");
    let (mut data, mut u, mut x) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..n {
        // In [-1, 1], as the design takes it.
        let age = f64::from((7 * i) % 11) / 5.0 - 1.0;
        table.push_str(&format!("{i},{}\n", 5.0 + 5.0 * age));
        let v = [0.1 + 0.12 * age + 0.05 * normal.draw(), -0.08 * age + 0.05 * normal.draw()];
        let length = f64::hypot(v[0], v[1]);
        let share = length.sin() / length;
        data.extend([share * v[0], share * v[1], length.cos()]);
        u.push(v);
        x.push(age);
    }
    let file = |name: &str| dir.path().join(name);
    std::fs::write(file("ages.csv"), table).unwrap();
    write_npy(&file("records.npy"), &[n as usize, 3], &data).unwrap();
    write_npy(&file("centre.npy"), &[1, 3], &[0.0, 0.0, 1.0]).unwrap();
    let inputs = vectors(dir.path(), VectorSpace::Sphere, VectorCentre::File(file("centre.npy")));
    let design = Design::parse(&["age=0:10".into()], &[], &[]).unwrap();
    let outcome = run_regression(&inputs, mu(15.0), Some((file("ages.csv"), design)), None, false).unwrap();
    let design = DMatrix::from_fn(n as usize, 2, |i, j| if j == 0 { 1.0 } else { x[i] });
    let logs = DMatrix::from_fn(n as usize, 2, |i, j| u[i][j]);
    let slopes = (design.tr_mul(&design)).try_inverse().unwrap() * design.tr_mul(&logs);
    let fields = released(dir.path(), "fields.npy");
    assert_eq!(fields.len(), 6);
    // At the pole tangent vectors are the first two coordinates.
    for (j, slope) in slopes.row(1).iter().enumerate() {
        assert!((fields[3 + j] - slope).abs() < 0.01, "{} {slope}", fields[3 + j]);
    }
    assert!(fields[5].abs() < 1e-12);
    let explained = outcome.found.fields.explained.share().unwrap();
    let residual = (&logs - &design * &slopes).norm_squared() / f64::from(n);
    let total = (0..2).map(|j| logs.column(j).variance()).sum::<f64>();
    assert!((explained - (1.0 - residual / total)).abs() < 0.04, "{explained} {residual} {total}");
    for (j, middle) in slopes.row(0).iter().enumerate() {
        assert!((fields[j] - middle).abs() < 0.02, "{} {middle}", fields[j]);
    }
}

#[test]
fn differences_of_hyperbolic_points_are_those_of_the_means_of_logarithms() {
    let dir = tempfile::tempdir().unwrap();
    let mut normal = Normal::new(3);
    let n = 4000;
    let (mut data, mut sums) = (Vec::new(), [[0.0; 2]; 2]);
    let mut table = String::from("record,group\n");
    for i in 0..n {
        let group = i % 2;
        let shift = if group == 1 { [0.1, -0.06] } else { [0.0, 0.0] };
        let v = [shift[0] + 0.1 * normal.draw(), shift[1] + 0.1 * normal.draw()];
        // The point of the Poincaré ball at this distance: tanh of half of it.
        let length = f64::hypot(v[0], v[1]);
        data.extend(v.map(|v| (0.5 * length).tanh() / length * v));
        (0..2).for_each(|j| sums[group][j] += v[j] / (n / 2) as f64);
        table.push_str(&format!("{i},{}\n", ["a", "b"][group]));
    }
    std::fs::write(dir.path().join("groups.csv"), table).unwrap();
    write_npy(&dir.path().join("records.npy"), &[n, 2], &data).unwrap();
    let inputs = vectors(dir.path(), VectorSpace::Poincare, VectorCentre::Origin);
    let outcome = run_compare(&inputs, mu(15.0), &dir.path().join("groups.csv"), Want::Both).unwrap();
    // At the origin a tangent vector is twice its entries long.
    let expected: Vec<f64> = (0..2).map(|j| sums[1][j] - sums[0][j]).collect();
    for name in ["difference.npy", "difference_unshrunk.npy"] {
        for (found, expected) in released(dir.path(), name).iter().zip(&expected) {
            assert!((2.0 * found - expected).abs() < 0.01, "{name}: {} {expected}", 2.0 * found);
        }
    }
    let band = released(dir.path(), "band.npy");
    for (j, expected) in expected.iter().enumerate() {
        assert!(2.0 * band[j] < *expected && *expected < 2.0 * band[2 + j], "{band:?} {expected}");
    }
    let size = expected.iter().map(|x| x * x).sum::<f64>().sqrt();
    assert!((outcome.found.map[0].size / size - 1.0).abs() < 0.05);
    assert!(outcome.found.test.unwrap().p_value < 0.01);
    let mean = released(dir.path(), "mean_b.npy");
    let length = f64::hypot(mean[0], mean[1]);
    for (x, expected) in mean.iter().zip(sums[1]) {
        assert!((2.0 * length.atanh() / length * x - expected).abs() < 0.01);
    }
}

#[test]
fn modes_of_functions_are_their_principal_components() {
    let dir = tempfile::tempdir().unwrap();
    let mut normal = Normal::new(4);
    let (n, m) = (3000, 16);
    let wave = |k: usize, l: usize| {
        2.0f64.sqrt() * (std::f64::consts::PI * k as f64 * (l as f64 + 0.5) / m as f64).cos()
    };
    let data: Vec<f64> = (0..n)
        .flat_map(|_| {
            let (a, b, c) = (0.2 * normal.draw(), 0.1 * normal.draw(), 0.05 * normal.draw());
            (0..m).map(move |l| a + b * wave(1, l) + c * wave(2, l))
        })
        .collect();
    write_npy(&dir.path().join("records.npy"), &[n, m], &data).unwrap();
    let outcome = run_modes(&functions(dir.path()), mu(15.0), 3).unwrap();
    let modes = released(dir.path(), "modes.npy");
    assert_eq!(modes.len(), 3 * m);
    for (k, (mode, deviation)) in modes.chunks(m).zip([0.2, 0.1, 0.05]).enumerate() {
        let along = |l: usize| if k == 0 { 1.0 } else { wave(k, l) };
        let part: f64 = mode.iter().enumerate().map(|(l, x)| x * along(l) / m as f64).sum();
        assert!((part.abs() / deviation - 1.0).abs() < 0.1, "mode {}: {part} {deviation}", k + 1);
    }
    let found = &outcome.found;
    let square = found.modes.modes.iter().map(|mode| mode.variance).sum::<f64>();
    assert!((square / 0.0525 - 1.0).abs() < 0.1 && found.accuracy.rms < 0.01, "{square}");
}
