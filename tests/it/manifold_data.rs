//! Means of made-up points against arithmetic of 40 digits (`tests/reference/make.py means`), of synthetic outlines, and of the shared
//! data against their README.

use nalgebra::{DMatrix, DVector, dvector};
use std::error::Error;
use std::path::PathBuf;
use visard::io::npy;
use visard::manifold::*;
use visard::stats::*;
use visard::synth::{OUTLINE_LANDMARKS, outline_atlas, outline_population};

use crate::shared_data::shared;

/// The congruential generator of `make.py`: small integers, the same there and here.
struct Integers(u64);

impl Integers {
    fn between(&mut self, low: i64, high: i64) -> f64 {
        self.0 = (1_103_515_245 * self.0 + 12_345) % (1 << 31);
        (low + (self.0 >> 16) as i64 % (high - low + 1)) as f64
    }
}

/// Compares numbers, in the table's order, with the lines of `means.csv` on a space: all of them, to 1e-13 of 1.
fn compare(space: &str, numbers: &[f64]) {
    let table = include_str!("../reference/means.csv");
    let lines: Vec<&str> = table.lines().filter(|line| line.starts_with(&format!("{space},"))).collect();
    assert_eq!(lines.len(), numbers.len(), "{space}");
    for (line, number) in lines.iter().zip(numbers) {
        let expected: f64 = line.rsplit(',').next().unwrap_or_default().parse().unwrap();
        assert!((number - expected).abs() < 1e-13, "{line}: {number}");
    }
}

/// The mean and the largest of the points' distances from a centre.
fn distances<M: Manifold>(space: &M, centre: &M::Point, points: &[M::Point]) -> [f64; 2] {
    let all: Vec<f64> = points.iter().map(|p| space.dist(centre, p)).collect();
    [all.iter().sum::<f64>() / all.len() as f64, all.iter().fold(0.0, |a, b| a.max(*b))]
}

fn close() -> FrechetOptions {
    FrechetOptions { gradient_tolerance: 1e-14, ..FrechetOptions::default() }
}

#[test]
fn made_up_places_on_the_sphere() -> Result<(), Box<dyn Error>> {
    let mut integers = Integers(1);
    let places: Vec<DVector<f64>> = (0..50)
        .map(|_| {
            let latitude = integers.between(-10, 70).to_radians();
            let longitude = integers.between(-50, 60).to_radians();
            dvector![latitude.cos() * longitude.cos(), latitude.cos() * longitude.sin(), latitude.sin()]
        })
        .collect();
    let sphere = Sphere::unit(2)?;
    let mean = frechet_mean(&sphere, &places, None, None, close())?;
    assert!(mean.certificate.converged(), "{:?}", mean.certificate);
    let mut numbers = mean.point.as_slice().to_vec();
    numbers.extend(distances(&sphere, &mean.point, &places));
    compare("sphere", &numbers);
    Ok(())
}

/// The lower triangle by rows.
fn lower(a: &DMatrix<f64>) -> Vec<f64> {
    (0..a.nrows()).flat_map(|i| (0..=i).map(move |j| a[(i, j)])).collect()
}

#[test]
fn made_up_positive_definite_matrices() -> Result<(), Box<dyn Error>> {
    let mut integers = Integers(1);
    let matrices: Vec<DMatrix<f64>> = (0..12)
        .map(|_| {
            let mut half = DMatrix::zeros(3, 3);
            for i in 0..3 {
                for j in 0..=i {
                    half[(i, j)] =
                        if i == j { integers.between(4, 20) } else { integers.between(-8, 8) } / 8.0;
                }
            }
            &half * half.transpose()
        })
        .collect();
    let log_euclidean = SpdLogEuclidean::new(3)?;
    let centre = log_euclidean.mean(&matrices, None)?;
    let mut numbers = distances(&log_euclidean, &centre, &matrices).to_vec();
    numbers.extend(lower(&centre));
    compare("log-euclidean", &numbers);
    let space = SpdAffineInvariant::new(3)?;
    let mean = frechet_mean(&space, &matrices, None, None, close())?;
    assert!(mean.certificate.converged(), "{:?}", mean.certificate);
    let mut numbers = lower(&mean.point);
    numbers.extend(distances(&space, &mean.point, &matrices));
    compare("affine-invariant", &numbers);
    Ok(())
}

#[test]
fn made_up_octagons() -> Result<(), Box<dyn Error>> {
    let mut integers = Integers(1);
    let base = [[90, 0], [60, 70], [0, 95], [-75, 50], [-85, -5], [-70, -60], [10, -80], [55, -75]];
    let space = Kendall::new(8)?;
    let shapes = (0..20)
        .map(|_| space.preshape(&base.map(|point| point.map(|x| f64::from(x) + integers.between(-25, 25)))))
        .collect::<Result<Vec<_>, _>>()?;
    let procrustes = full_procrustes_mean(&space, &shapes, None)?;
    compare("procrustes", &distances(&space, &procrustes, &shapes));
    let frechet = frechet_mean(&space, &shapes, None, None, close())?;
    assert!(frechet.certificate.converged(), "{:?}", frechet.certificate);
    compare("frechet shape", &distances(&space, &frechet.point, &shapes));
    Ok(())
}

/// As on the real shapes below: stationary to 1e-14, whatever the start; and near the public outline, as the population is made.
#[test]
fn synthetic_outlines() -> Result<(), Box<dyn Error>> {
    let space = Kendall::new(OUTLINE_LANDMARKS)?;
    let outlines = outline_population(8, 300);
    let shapes = outlines.iter().map(|o| space.preshape(o)).collect::<Result<Vec<_>, _>>()?;
    let atlas = space.preshape(&outline_atlas())?;
    let procrustes = full_procrustes_mean(&space, &shapes, None)?;
    let means = [None, Some(&procrustes), Some(&atlas)]
        .map(|start| frechet_mean(&space, &shapes, None, start, close()));
    let means = means.into_iter().collect::<Result<Vec<_>, _>>()?;
    for mean in &means {
        assert!(mean.certificate.converged(), "{:?}", mean.certificate);
        assert!(space.dist(&mean.point, &means[0].point) < 1e-13);
    }
    let [average, largest] = distances(&space, &means[0].point, &shapes);
    let from_public = space.dist(&atlas, &means[0].point);
    // Measured 0.0478, 0.1013 and 0.0272.
    assert!(average > 0.045 && average < 0.05 && largest < 0.11, "{average} {largest}");
    assert!(from_public > 0.025 && from_public < 0.03, "{from_public}");
    Ok(())
}

/// Specimens of a plain TPS file.
fn tps(path: PathBuf) -> Result<Vec<Vec<[f64; 2]>>, Box<dyn Error>> {
    let mut specimens: Vec<Vec<[f64; 2]>> = Vec::new();
    for line in std::fs::read_to_string(path)?.lines() {
        if line.starts_with("LM=") {
            specimens.push(Vec::new());
        } else if !line.contains('=')
            && let Some(specimen) = specimens.last_mut()
            && let [x, y] = line.split_whitespace().collect::<Vec<_>>()[..]
        {
            specimen.push([x.parse()?, y.parse()?]);
        }
    }
    Ok(specimens)
}

/// Distances to the full Procrustes mean, mean and largest, as the data's README prints them; and the Fréchet mean
/// stationary to 1e-14.
#[test]
#[ignore = "needs VISARD_DATA: the shared landmarks, matrices and cities"]
fn shared_planar_shapes() -> Result<(), Box<dyn Error>> {
    for (name, mean, largest) in [
        ("gorf", 0.042, 0.070),
        ("panm", 0.048, 0.089),
        ("schizophrenia", 0.072, 0.100),
        ("digit3", 0.255, 0.706),
        ("sand", 0.135, 0.252),
        ("corpus_callosum", 0.045, 0.115),
        ("london_faces", 0.074, 0.138),
    ] {
        let specimens = tps(shared(&format!("landmarks2d/{name}.tps")))?;
        let space = Kendall::new(specimens[0].len())?;
        let shapes = specimens.iter().map(|s| space.preshape(s)).collect::<Result<Vec<_>, _>>()?;
        let procrustes = full_procrustes_mean(&space, &shapes, None)?;
        let [average, worst] = distances(&space, &procrustes, &shapes);
        assert!((average - mean).abs() < 6e-4, "{name}: {average}");
        assert!((worst - largest).abs() < 6e-4, "{name}: {worst}");
        let frechet = frechet_mean(&space, &shapes, None, None, close())?;
        assert!(frechet.certificate.converged(), "{name}: {:?}", frechet.certificate);
        let from_procrustes = frechet_mean(&space, &shapes, None, Some(&procrustes), close())?;
        assert!(space.dist(&frechet.point, &from_procrustes.point) < 1e-13, "{name}");
    }
    Ok(())
}

#[test]
#[ignore = "needs VISARD_DATA: the shared landmarks, matrices and cities"]
fn shared_positive_definite_matrices() -> Result<(), Box<dyn Error>> {
    for (name, mean, largest) in [("connectomes", 7.5, 10.3), ("dti_tensors", 1.25, 4.7)] {
        let array = npy::read(&shared(&format!("spd/{name}.npy")))?;
        let order = array.shape[1];
        let matrices: Vec<DMatrix<f64>> = array
            .data
            .chunks_exact(order * order)
            .map(|m| DMatrix::from_row_slice(order, order, m))
            .collect();
        let log_euclidean = SpdLogEuclidean::new(order)?;
        matrices.iter().try_for_each(|m| log_euclidean.check(m))?;
        let center = log_euclidean.mean(&matrices, None)?;
        let [average, worst] = distances(&log_euclidean, &center, &matrices);
        assert!((average - mean).abs() < 0.06, "{name}: {average}");
        assert!((worst - largest).abs() < 0.06, "{name}: {worst}");
        let space = SpdAffineInvariant::new(order)?;
        let options = FrechetOptions { gradient_tolerance: 1e-11, ..FrechetOptions::default() };
        let mean = frechet_mean(&space, &matrices, None, None, options)?;
        assert!(mean.certificate.converged(), "{name}: {:?}", mean.certificate);
        // The mean's determinant is the geometric mean of theirs: an identity of the affine-invariant mean.
        let log_det = |m: &DMatrix<f64>| m.clone().cholesky().map_or(f64::NAN, |c| c.determinant().ln());
        let expected = matrices.iter().map(log_det).sum::<f64>() / matrices.len() as f64;
        assert!((log_det(&mean.point) - expected).abs() < 1e-9, "{name}");
    }
    Ok(())
}

/// The mean of fifty cities by mpmath (30 digits, fixed-point iteration to 1e-28).
#[test]
#[ignore = "needs VISARD_DATA: the shared landmarks, matrices and cities"]
fn shared_cities() -> Result<(), Box<dyn Error>> {
    let table = std::fs::read_to_string(shared("sphere/cities.csv"))?;
    let mut points: Vec<DVector<f64>> = Vec::new();
    for line in table.lines().skip(1) {
        let mut fields = line.rsplit(',');
        let mut degrees = || fields.next().unwrap_or_default().parse::<f64>().map(f64::to_radians);
        let (longitude, latitude) = (degrees()?, degrees()?);
        points.push(dvector![
            latitude.cos() * longitude.cos(),
            latitude.cos() * longitude.sin(),
            latitude.sin()
        ]);
    }
    let sphere = Sphere::unit(2)?;
    let mean = frechet_mean(&sphere, &points, None, None, FrechetOptions::default())?;
    assert!(mean.certificate.converged());
    let expected = dvector![0.383_646_167_365_057_7, 0.333_835_426_754_272_6, 0.861_028_179_625_902_2];
    assert!((mean.point - expected).norm() < 1e-12);
    Ok(())
}
