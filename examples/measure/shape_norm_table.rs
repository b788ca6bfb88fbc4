//! Specimens that are not in a norm of landmarks, held against it: how uniform percentiles are, along the modes and at single landmarks.
//!
//! `shape_norm_table FILE NORMS N MU [OPTION…]`: people are made of a file's specimens, each of two specimens' deviations from the mean shape in a
//! mixture that keeps all variances and covariances.

use super::norm_table::ks;
use nalgebra::DMatrix;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::error::Error;
use std::path::Path;
use visard::command::answer;
use visard::io::shapes::{ShapeReading, ShapeSize};
use visard::io::{RecordSize, read_shapes, write_npy};
use visard::manifold::LandmarkShapes;
use visard::norm::shape_assess::ShapeNorm;

/// Patients of a norm.
const PATIENTS: usize = 2000;

/// Where people come from.
struct Population {
    space: LandmarkShapes,
    mean: DMatrix<f64>,
    deviations: Vec<DMatrix<f64>>,
}

impl Population {
    fn open(file: &Path) -> Result<Self, Box<dyn Error>> {
        let size: ShapeSize = RecordSize::Content.into();
        let shapes = read_shapes(file, ShapeReading::from(size))?;
        let all: Vec<DMatrix<f64>> =
            shapes.all()?.iter().filter(|one| one.missing() == 0).map(|one| one.to_matrix()).collect();
        let first = all.first().ok_or("no specimens")?;
        let space = LandmarkShapes::new(first.nrows(), first.ncols())?;
        let shapes =
            all.iter().map(|x| Ok(space.preshape(x)?.0)).collect::<Result<Vec<_>, Box<dyn Error>>>()?;
        let mean = space.mean(&shapes).ok_or("no mean")?;
        let deviations = shapes.iter().map(|z| space.log(&mean, z)).collect();
        Ok(Self { space, mean, deviations })
    }

    fn person(&self, rng: &mut ChaCha8Rng) -> DMatrix<f64> {
        let mut one = || self.deviations.choose(rng).cloned().unwrap_or_else(|| self.mean.clone() * 0.0);
        let (a, b) = (one(), one());
        let (sin, cos) = rng.random_range(0.0..std::f64::consts::TAU).sin_cos();
        self.space.exp(&self.mean, &(a * cos + b * sin))
    }
}

pub fn run(words: &[String]) -> Result<(), Box<dyn Error>> {
    let [file, norms, n, mu, options @ ..] = words else {
        println!("usage: measure shape_norm_table FILE NORMS N MU [OPTION…]");
        return Ok(());
    };
    let (norms, n): (u64, usize) = (norms.parse()?, n.parse()?);
    let population = Population::open(Path::new(file))?;
    let (k, d) = population.mean.shape();
    let (mut modes, mut places, mut beyond, mut clear) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for seed in 0..norms {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let folder = tempfile::tempdir()?;
        let (records, study) = (folder.path().join("people.npy"), folder.path().join("study"));
        let rows = |x: DMatrix<f64>| x.transpose().as_slice().to_vec();
        let all: Vec<f64> = (0..n).flat_map(|_| rows(population.person(&mut rng))).collect();
        write_npy(&records, &[n, k, d], &all)?;
        let (records, study) = (records.display().to_string(), study.display().to_string());
        let seed = seed.to_string();
        let line =
            ["shape", "modes", &records, "--mu", mu, "--modes", "10", "--seed", &seed, "--out", &study];
        let line = line.into_iter().map(str::to_owned).chain(options.iter().cloned());
        answer(line, &|_, _, _| {}, &Default::default()).map_err(|refusal| refusal.message)?;
        let norm = ShapeNorm::open(Path::new(&study))?;
        let (mut along, mut at, mut ratio) = (Vec::new(), Vec::new(), 0.0);
        for _ in 0..PATIENTS {
            let found = norm.assess(&population.person(&mut rng), &[])?;
            along.extend(found.compared.percentile.map(|p| p / 100.0));
            at.extend(found.places.iter().map(|place| place.percentile / 100.0));
            ratio += found.compared.beyond.ratio.unwrap_or(f64::NAN) / PATIENTS as f64;
        }
        clear += norm.law.clear;
        let unusual = at.iter().filter(|p| **p > 0.95).count() as f64 / at.len() as f64;
        if !along.is_empty() {
            modes.push(ks(along));
        }
        places.push(unusual);
        beyond.push(ratio);
    }
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let worst = modes.iter().copied().fold(0.0, f64::max);
    println!(
        "{file}, n = {n}, mu = {mu}: KS of {} norms {:.3}, at most {worst:.3}; clear modes {:.1}; landmarks beyond 95 of 100: {:.3}; beyond the modes {:.2}",
        modes.len(),
        mean(&modes),
        clear as f64 / norms as f64,
        mean(&places),
        mean(&beyond)
    );
    Ok(())
}
