//! Means of positive definite matrices against the best that a clip can do: `cargo run --release --example measure -- matrix_table [RUNS] [REACH]`.
//!
//! For each population, n and μ: squared error of the mean in two rounds over that of an oracle (clipped about the true mean at the best radius, same
//! μ), the same of one round about a private centre and about the identity, and stated over true error of the two rounds (root mean squares). The
//! public radius is REACH times the largest distance of a record from the identity. `VISARD_DATA` adds diffusion tensors and connectomes.

use nalgebra::DMatrix;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use std::error::Error;
use std::path::PathBuf;
use visard::function::Basis;
use visard::io::npy;
use visard::manifold::SpdLogEuclidean;
use visard::mechanism::functional::{Aim, Reach, TwoRoundMean};
use visard::privacy::noise::NoiseSource;
use visard::privacy::{Ledger, Mu, release};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Draws the logarithms of n matrices.
type Draw = Box<dyn Fn(usize, &mut ChaCha8Rng) -> Vec<Vec<f64>>>;

const CELLS: [(usize, f64); 5] = [(50, 1.0), (100, 0.3), (300, 1.0), (1000, 1.0), (1000, 3.0)];

fn normal(rows: usize, columns: usize, rng: &mut ChaCha8Rng) -> DMatrix<f64> {
    DMatrix::from_fn(rows, columns, |_, _| rng.sample(StandardNormal))
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Log-normal about a random centre with this standard deviation in every direction.
fn log_normal(k: usize, spread: f64) -> Draw {
    let d = k * (k + 1) / 2;
    Box::new(move |n, rng| {
        let centre = normal(d, 1, rng);
        (0..n).map(|_| (&centre + spread * normal(d, 1, rng)).as_slice().to_vec()).collect()
    })
}

/// Wishart matrices with so many degrees of freedom about a random centre.
fn wishart(k: usize, degrees: usize) -> Draw {
    Box::new(move |n, rng| {
        let space = SpdLogEuclidean::new(k).expect("k > 0");
        let root = normal(k, k, rng);
        let one = |rng: &mut ChaCha8Rng| {
            let x = &root * normal(k, degrees, rng);
            space.chart(&(&x * x.transpose() / degrees as f64)).as_slice().to_vec()
        };
        (0..n).map(|_| one(rng)).collect()
    })
}

/// Drawn again and again from a file.
fn file(name: &str) -> Result<Option<Draw>> {
    let Some(data) = std::env::var_os("VISARD_DATA").map(PathBuf::from) else { return Ok(None) };
    let array = npy::read(&data.join("spd").join(name))?;
    let k = array.shape[1];
    let space = SpdLogEuclidean::new(k)?;
    let one = |m: &[f64]| space.chart(&DMatrix::from_row_slice(k, k, m)).as_slice().to_vec();
    let all: Vec<Vec<f64>> = array.data.chunks(k * k).map(one).collect();
    Ok(Some(Box::new(move |n, rng| (0..n).map(|_| all[rng.random_range(0..all.len())].clone()).collect())))
}

fn mean(records: &[Vec<f64>]) -> Vec<f64> {
    let n = records.len() as f64;
    (0..records[0].len()).map(|j| records.iter().map(|x| x[j]).sum::<f64>() / n).collect()
}

fn less(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

/// The square that clipping to a radius about a centre moves the mean by.
fn clipped(records: &[Vec<f64>], centre: &[f64], radius: f64) -> f64 {
    let cut = |x: &Vec<f64>| {
        let x = less(x, centre);
        let over = (1.0 - radius / norm(&x)).max(0.0);
        x.iter().map(|x| over * x).collect()
    };
    norm(&mean(&records.iter().map(cut).collect::<Vec<_>>())).powi(2)
}

/// Squared errors: of the oracle, of one round about a private centre and about the identity, both with a public radius that holds all records.
fn others(records: &[Vec<f64>], mu: f64, reach: f64) -> [f64; 3] {
    let (n, d) = (records.len() as f64, records[0].len() as f64);
    let noise = |radius: f64, mu: f64| d * (2.0 * radius / (n * mu)).powi(2);
    let truth = mean(records);
    let farthest = |from: &[f64]| records.iter().map(|x| norm(&less(x, from))).fold(0.0, f64::max);
    let most = farthest(&truth);
    let mut lengths: Vec<f64> = records.iter().map(|x| norm(&less(x, &truth))).collect();
    lengths.sort_by(f64::total_cmp);
    // An oracle may know where the middle of the records is, and clip half of them.
    let at = |i: usize| lengths[lengths.len() - 1 - i];
    let oracle = (0..lengths.len() / 2)
        .step_by(1 + lengths.len() / 80)
        .map(|i| clipped(records, &truth, at(i)) + noise(at(i), mu))
        .fold(f64::MAX, f64::min);
    let first = noise(reach, 0.3 * mu).sqrt();
    [oracle, noise(most.hypot(first).min(reach), mu * (1.0f64 - 0.09).sqrt()), noise(reach, mu)]
}

fn table(name: &str, draw: &Draw, runs: u64, reach: f64) -> Result<()> {
    for (n, mu) in CELLS {
        let (mut squares, mut stated, mut found) = ([0.0; 3], 0.0, 0.0);
        for run in 0..runs {
            let mut rng = ChaCha8Rng::seed_from_u64(run);
            let records = draw(n, &mut rng);
            let reach = reach * records.iter().map(|x| norm(x)).fold(0.0, f64::max);
            let d = records[0].len();
            others(&records, mu, reach).iter().zip(&mut squares).for_each(|(one, sum)| *sum += one);
            let truth = mean(&records);
            let mechanism = TwoRoundMean::aiming(
                Aim::Far,
                Basis::of_coordinates(d),
                vec![0.0; d],
                Reach::RootMeanSquare(reach),
                Mu::new(mu)?,
                n as u64,
            )?
            .expecting_centre_within(reach / 2.0);
            let records: Vec<Option<Vec<f64>>> = records.into_iter().map(Some).collect();
            let mut noise = NoiseSource::seeded(run);
            let released = release(&mechanism, &records, &mut Ledger::in_memory(None), &mut noise)?;
            found += norm(&less(&released.value.samples, &truth)).powi(2);
            stated += released.value.errors.iter().sum::<f64>();
        }
        let [oracle, private, identity] = squares;
        println!(
            "{name:<22}{n:>6}{mu:>5}  oracle {:.4}  two rounds {:>7.2}  one, private centre {:>7.2}  identity {:>8.2}  stated/true {:.2}",
            (oracle / runs as f64).sqrt(),
            found / oracle,
            private / oracle,
            identity / oracle,
            (stated / found).sqrt()
        );
    }
    Ok(())
}

/// Prints the table; the words are those after its name on the command line.
pub fn run(words: &[String]) -> Result<()> {
    let runs = words.first().map_or(Ok(20), |word| word.parse())?;
    let reach = words.get(1).map_or(Ok(1.5), |word| word.parse())?;
    let mut populations = vec![
        ("log-normal 3, sd .1", log_normal(3, 0.1)),
        ("log-normal 8, sd .1", log_normal(8, 0.1)),
        ("Wishart 3, 6 degrees", wishart(3, 6)),
        ("Wishart 8, 30 degrees", wishart(8, 30)),
    ];
    for (name, from) in [("diffusion tensors", "dti_tensors.npy"), ("connectomes", "connectomes.npy")] {
        populations.extend(file(from)?.map(|draw| (name, draw)));
    }
    populations.iter().try_for_each(|(name, draw)| table(name, draw, runs, reach))
}
