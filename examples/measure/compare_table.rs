//! How often the test of two groups finds a difference, and how often the map's band holds it, over numbers of people and budgets.
//!
//! `cargo run --release --example measure -- compare_table PREPARED.npy [RUNS] [N,N…] [MU,MU…] [MAPS] [check] [peer]`: the faces of the file are the
//! population; every run draws both groups (n/2 each) from it anew, with replacement, and moves one of them by a random difference of
//! known size, half along the differences of two pairs of people, half of no particular shape. RUNS without a difference, half as many
//! with one of .003, .005, .008 (root mean square, faces of unit area), MAPS bands with a difference of .005. Test and map have all of
//! the budget each. With `check` it fails where the level is above .07 for nμ ≥ 100, or a band holds less than .92 of the time. With `peer` the
//! same people are tested by dpMMD, all bandwidths, at the ε of which μ-GDP is implied, and at that of (ε, 10⁻⁵) that it implies.

use crate::dp_mmd::{BANDWIDTHS, Budget, DpMmd};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;
use std::error::Error;
use std::path::Path;
use visard::function::{Basis, FaceCurves};
use visard::io::npy;
use visard::mechanism::functional::{NoisedComparison, Want};
use visard::mechanism::vector::GroupLabels;
use visard::privacy::Mu;
use visard::study::face::compare::mechanism;
use visard::study::face::compare::plan::Trials;
use visard::study::face::mean::NEARLY_SYMMETRIC;
use visard::study::face::{TemplateSource, load_template};

/// All faces of a file.
struct Population {
    own: FaceCurves,
    basis: Basis,
    people: Vec<Vec<f64>>,
    /// Half the width, on average, of a band without privacy for the mean of one face: over √n for n.
    half_width: f64,
}

impl Population {
    fn read(file: &str) -> Result<Self, Box<dyn Error>> {
        let array = npy::read(Path::new(file))?;
        let (curves, samples) = (array.shape[1], array.shape[2]);
        let people: Vec<Vec<f64>> =
            array.data.chunks_exact(curves * samples * 3).map(<[f64]>::to_vec).collect();
        let own = load_template(&TemplateSource::Builtin)?.template.own_curves(curves, samples)?;
        let basis = Basis::of_faces(curves, samples, own.mirror_asymmetry() < NEARLY_SYMMETRIC);
        let half_width = half_width(&people);
        Ok(Self { own, basis, people, half_width })
    }
}

fn half_width(people: &[Vec<f64>]) -> f64 {
    let (count, size) = (people.len() as f64, people[0].len());
    let (mut mean, mut square) = (vec![0.0; size], vec![0.0; size]);
    for face in people {
        mean.iter_mut().zip(face).for_each(|(m, x)| *m += x / count);
    }
    for face in people {
        square.iter_mut().zip(face.iter().zip(&mean)).for_each(|(s, (x, m))| *s += (x - m).powi(2) / count);
    }
    let deviation: Vec<f64> = square.into_iter().map(f64::sqrt).collect();
    let some = &people[..people.len().min(600)];
    let field = |run: u64| {
        let mut rng = ChaCha8Rng::seed_from_u64(run);
        let mut field = vec![0.0; size];
        for face in some {
            let z: f64 = StandardNormal.sample(&mut rng);
            let scale = z / (some.len() as f64).sqrt();
            field.iter_mut().zip(face.iter().zip(&mean)).for_each(|(f, (x, m))| *f += scale * (x - m));
        }
        field.iter().zip(&deviation).map(|(f, d)| (f / d).abs()).fold(0.0, f64::max)
    };
    let mut largest: Vec<f64> = (0..200).into_par_iter().map(field).collect();
    largest.sort_by(f64::total_cmp);
    largest[190] * deviation.iter().sum::<f64>() / deviation.len() as f64
}

/// Level and powers of the test at μ.
fn test(
    population: &Population,
    labels: &GroupLabels,
    mu: Mu,
    runs: usize,
) -> Result<Vec<f64>, Box<dyn Error>> {
    let mechanism = mechanism(Want::Test, &population.own, labels.clone(), mu)?;
    let parts = mechanism.test_parts().ok_or("no test")?;
    let trials = Trials::new(&mechanism, parts, &population.basis, &population.people);
    let mut found = vec![trials.rejected(0.0, runs)?];
    for size in [0.003, 0.005, 0.008] {
        found.push(trials.rejected(size, runs / 2)?);
    }
    Ok(found)
}

/// Level and powers of dpMMD on the same people, a line for each budget and bandwidth.
fn peer(
    population: &Population,
    labels: &GroupLabels,
    mu: Mu,
    runs: usize,
) -> Result<Vec<String>, Box<dyn Error>> {
    let mechanism = mechanism(Want::Test, &population.own, labels.clone(), mu)?;
    let parts = mechanism.test_parts().ok_or("no test")?;
    let trials = Trials::new(&mechanism, parts, &population.basis, &population.people);
    let some = trials.records(0.0, 0).0;
    let apart = |(a, b): (&Vec<f64>, &Vec<f64>)| a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>();
    let mut apart: Vec<f64> = some.iter().zip(some.iter().skip(1)).map(apart).collect();
    apart.sort_by(f64::total_cmp);
    let median = apart[apart.len() / 2].sqrt();
    let tests = DpMmd::new(&[Budget::Pure(mu), Budget::Approximate(mu)], median)?;
    let mut rates = vec![vec![[0.0; 3]; 2]; 4];
    for (size, rates) in [0.0, 0.003, 0.005, 0.008].into_iter().zip(&mut rates) {
        let runs = if size == 0.0 { runs } else { runs / 2 };
        let found: Vec<_> = (0..runs as u64)
            .into_par_iter()
            .map(|run| tests.rejected(&trials.records(size, run).0, labels.of(), run))
            .collect();
        for found in &found {
            for (rates, found) in rates.iter_mut().zip(found) {
                rates.iter_mut().zip(found).for_each(|(r, f)| *r += f64::from(u8::from(*f)) / runs as f64);
            }
        }
    }
    let line = |budget: usize, k: usize| {
        let name = ["pure", "(ε, 10⁻⁵)"][budget];
        let rates: String = rates.iter().map(|rates| format!("  {:>5.3}", rates[budget][k])).collect();
        format!("  dpMMD {name}, bandwidth {}: {rates}", BANDWIDTHS[k])
    };
    Ok((0..2)
        .flat_map(|budget| (0..3).map(move |k| (budget, k)))
        .map(|(budget, k)| line(budget, k))
        .collect())
}

/// Of the map at μ: coverage of the band, its half-width over that without privacy, relative errors unshrunk and shrunk.
fn map(population: &Population, labels: &GroupLabels, mu: Mu, runs: u64) -> Result<[f64; 4], Box<dyn Error>> {
    let mechanism = mechanism(Want::Map, &population.own, labels.clone(), mu)?;
    let parts = mechanism.map_parts().ok_or("no map")?;
    let trials = Trials::new(&mechanism, parts, &population.basis, &population.people);
    let size = 0.005;
    let one = |run: u64| -> Option<[f64; 4]> {
        let (noised, truth) = trials.release(size, run).ok()?;
        let released = NoisedComparison { map: Some(noised), test: None };
        let map = mechanism.difference(&released, 0, 1)?;
        let points = population.basis.points() as f64;
        let error = |estimate: &[f64]| {
            let square = estimate.iter().zip(&truth).map(|(a, b)| (a - b).powi(2)).sum::<f64>() / points;
            square.sqrt() / size
        };
        let holds = f64::from(u8::from(map.band.holds(&truth)));
        Some([holds, map.band.mean_half_width(), error(&map.band.centre), error(&map.shrunk)])
    };
    let found: Vec<[f64; 4]> = (0..runs).into_par_iter().filter_map(one).collect();
    let mean = |k: usize| found.iter().map(|f| f[k]).sum::<f64>() / found.len().max(1) as f64;
    // Two groups of n/2.
    let alone = population.half_width * (4.0 / labels.n() as f64).sqrt();
    Ok([mean(0), mean(1) / alone, mean(2), mean(3)])
}

/// Prints the table; the words are those after its name on the command line.
pub fn run(words: &[String]) -> Result<(), Box<dyn Error>> {
    let [file, rest @ ..] = words else {
        println!("usage: measure compare_table PREPARED.npy [RUNS] [N,N…] [MU,MU…] [MAPS] [check] [peer]");
        return Ok(());
    };
    let runs: usize = rest.first().map_or(Ok(400), |r| r.parse())?;
    let numbers = |place: usize, default: &str| rest.get(place).map_or(default, String::as_str).to_owned();
    let sizes = numbers(1, "100,300,1000").split(',').map(str::parse).collect::<Result<Vec<usize>, _>>()?;
    let budgets = numbers(2, "0.5,1,3").split(',').map(str::parse).collect::<Result<Vec<f64>, _>>()?;
    let maps: u64 = rest.get(3).map_or(Ok(48), |r| r.parse())?;
    let population = Population::read(file)?;
    println!("     n    mu   level   .003   .005   .008 | coverage  ratio  unshrunk  shrunk");
    let mut holds = true;
    for n in sizes {
        for mu in &budgets {
            let labels = GroupLabels::new((0..n).map(|i| i % 2).collect())?;
            let mut line = format!("{n:>6} {mu:>5} ");
            if runs > 0 {
                let found = test(&population, &labels, Mu::new(*mu)?, runs)?;
                found.iter().for_each(|rate| line += &format!("  {rate:>5.3}"));
                holds &= n as f64 * mu < 100.0 || found[0] <= 0.07;
            }
            if maps > 0 {
                let [coverage, ratio, unshrunk, shrunk] = map(&population, &labels, Mu::new(*mu)?, maps)?;
                line += &format!(" | {coverage:>8.3}  {ratio:>5.2}  {unshrunk:>8.2}  {shrunk:>6.2}");
                holds &= coverage >= 0.92;
            }
            println!("{line}");
            if rest.iter().any(|word| word == "peer") {
                peer(&population, &labels, Mu::new(*mu)?, runs)?.iter().for_each(|line| println!("{line}"));
            }
        }
    }
    if rest.iter().any(|word| word == "check") && !holds {
        return Err("a test finds differences too often, or a band holds too seldom".into());
    }
    Ok(())
}
