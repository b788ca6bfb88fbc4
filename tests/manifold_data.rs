//! Means of the shared data against its README and against independent high-precision arithmetic.

use nalgebra::{DMatrix, DVector, dvector};
use std::error::Error;
use std::path::PathBuf;
use visard::io::npy;
use visard::manifold::*;
use visard::stats::*;

/// The folder of shared data, or nothing said loudly.
fn data() -> Option<PathBuf> {
    let folder = std::env::var_os("VISARD_DATA")
        .map_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data")), PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("SKIPPED: the shared data are not there; set VISARD_DATA to their folder");
    None
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
fn planar_shapes() -> Result<(), Box<dyn Error>> {
    let Some(data) = data() else { return Ok(()) };
    for (name, mean, largest) in [
        ("gorf", 0.042, 0.070),
        ("panm", 0.048, 0.089),
        ("schizophrenia", 0.072, 0.100),
        ("digit3", 0.255, 0.706),
        ("sand", 0.135, 0.252),
        ("corpus_callosum", 0.045, 0.115),
        ("london_faces", 0.074, 0.138),
    ] {
        let specimens = tps(data.join(format!("landmarks2d/{name}.tps")))?;
        let space = Kendall::new(specimens[0].len())?;
        let shapes = specimens.iter().map(|s| space.preshape(s)).collect::<Result<Vec<_>, _>>()?;
        let procrustes = full_procrustes_mean(&space, &shapes, None)?;
        let distances: Vec<f64> = shapes.iter().map(|z| space.dist(&procrustes, z)).collect();
        let average = distances.iter().sum::<f64>() / distances.len() as f64;
        assert!((average - mean).abs() < 6e-4, "{name}: {average}");
        let worst = distances.iter().fold(0.0_f64, |a, b| a.max(*b));
        assert!((worst - largest).abs() < 6e-4, "{name}: {worst}");
        let options = FrechetOptions { gradient_tolerance: 1e-14, ..FrechetOptions::default() };
        let frechet = frechet_mean(&space, &shapes, None, None, options)?;
        assert!(frechet.certificate.converged(), "{name}: {:?}", frechet.certificate);
        let from_procrustes = frechet_mean(&space, &shapes, None, Some(&procrustes), options)?;
        assert!(space.dist(&frechet.point, &from_procrustes.point) < 1e-13, "{name}");
    }
    Ok(())
}

#[test]
fn positive_definite_matrices() -> Result<(), Box<dyn Error>> {
    let Some(data) = data() else { return Ok(()) };
    for (name, mean, largest) in [("connectomes", 7.5, 10.3), ("dti_tensors", 1.25, 4.7)] {
        let array = npy::read(&data.join(format!("spd/{name}.npy")))?;
        let order = array.shape[1];
        let matrices: Vec<DMatrix<f64>> = array
            .data
            .chunks_exact(order * order)
            .map(|m| DMatrix::from_row_slice(order, order, m))
            .collect();
        let log_euclidean = SpdLogEuclidean::new(order)?;
        matrices.iter().try_for_each(|m| log_euclidean.check(m))?;
        let center = log_euclidean.mean(&matrices, None)?;
        let distances: Vec<f64> = matrices.iter().map(|m| log_euclidean.dist(&center, m)).collect();
        let average = distances.iter().sum::<f64>() / distances.len() as f64;
        assert!((average - mean).abs() < 0.06, "{name}: {average}");
        let worst = distances.iter().fold(0.0_f64, |a, b| a.max(*b));
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
fn cities() -> Result<(), Box<dyn Error>> {
    let Some(data) = data() else { return Ok(()) };
    let table = std::fs::read_to_string(data.join("sphere/cities.csv"))?;
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
