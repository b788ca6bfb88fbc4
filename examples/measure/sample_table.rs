//! How much synthetic faces are like people who were not in the study: the table of docs/measurements.md.
//!
//! `cargo run --release --example measure -- sample_table POPULATION.npy [RUNS] [SIZES] [MU] [WITH]`; the population is an array of prepared
//! records (the measurement `prepared_faces` makes one). Its last third is held out, and judged with as many synthetic faces as it has people;
//! every run draws n of the others without replacement. WITH: what `face modes --with` is given (`mean,modes`).

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::error::Error;
use std::path::Path;
use visard::io::{npy, write_npy};
use visard::norm::{SampleRequest, sample};
use visard::study::face::TemplateSource;
use visard::study::layout::CURVES;

/// Distances between points.
const PAIRS: usize = 300;

/// Faces as rows.
struct Faces {
    rows: Vec<Vec<f64>>,
}

impl Faces {
    fn mean(&self) -> Vec<f64> {
        let mut mean = vec![0.0; self.rows[0].len()];
        let n = self.rows.len() as f64;
        self.rows.iter().for_each(|row| mean.iter_mut().zip(row).for_each(|(m, x)| *m += x / n));
        mean
    }

    /// Per point.
    fn variance(&self) -> f64 {
        let mean = self.mean();
        let squares = self.rows.iter().map(|row| square(row, &mean));
        squares.sum::<f64>() / (self.rows.len() as f64 - 1.0)
    }

    fn deviations(&self, pairs: &[(usize, usize)]) -> Vec<f64> {
        let length = |row: &[f64], (p, q): (usize, usize)| {
            (0..3).map(|c| (row[3 * p + c] - row[3 * q + c]).powi(2)).sum::<f64>().sqrt()
        };
        let sd = |&pair: &(usize, usize)| {
            let all: Vec<f64> = self.rows.iter().map(|row| length(row, pair)).collect();
            let mean = all.iter().sum::<f64>() / all.len() as f64;
            (all.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (all.len() as f64 - 1.0)).sqrt()
        };
        pairs.iter().map(sd).collect()
    }
}

/// Mean square per point.
fn square(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>() / (a.len() as f64 / 3.0)
}

/// The share of faces of both kinds whose nearest other face is of the other kind: .5 where they are alike.
fn nearest_error(a: &Faces, b: &Faces) -> f64 {
    let rows: Vec<&Vec<f64>> = a.rows.iter().chain(&b.rows).collect();
    let matrix =
        visard::nalgebra::DMatrix::from_fn(rows[0].len(), rows.len(), |i, j| rows[j][i] - rows[0][i]);
    let gram = matrix.tr_mul(&matrix);
    let wrong = (0..rows.len()).filter(|&i| {
        let far = |j: usize| gram[(j, j)] - 2.0 * gram[(i, j)];
        let nearest = (0..rows.len()).filter(|&j| j != i).min_by(|&j, &k| far(j).total_cmp(&far(k)));
        nearest.is_some_and(|j| (j < a.rows.len()) != (i < a.rows.len()))
    });
    wrong.count() as f64 / rows.len() as f64
}

/// How well attacks tell members of the study from people who were not in it: the chance that a member scores higher. By the distance to the
/// nearest synthetic face; and by how far a face lies from the mean of people outside towards the synthetic mean. Half of those outside are what the
/// attacker knows, the others are to be told from members. Chance is .5; of anything that a release of μ tells, at most Φ(μ/√2) (.76 at 1).
fn membership(synthetic: &Faces, members: &[&Vec<f64>], held_out: &Faces) -> [f64; 2] {
    let (known, others) = held_out.rows.split_at(held_out.rows.len() / 2);
    let known = Faces { rows: known.to_vec() }.mean();
    let way: Vec<f64> = synthetic.mean().iter().zip(&known).map(|(s, k)| s - k).collect();
    let nearest =
        |face: &Vec<f64>| -synthetic.rows.iter().map(|s| square(s, face)).fold(f64::INFINITY, f64::min);
    let along =
        |face: &Vec<f64>| face.iter().zip(&known).zip(&way).map(|((x, k), w)| (x - k) * w).sum::<f64>();
    let wins = |score: &dyn Fn(&Vec<f64>) -> f64| {
        let ours: Vec<f64> = members.iter().map(|face| score(face)).collect();
        let theirs: Vec<f64> = others.iter().map(score).collect();
        let won = ours.iter().map(|a| theirs.iter().filter(|b| a > *b).count()).sum::<usize>();
        won as f64 / (ours.len() * theirs.len()) as f64
    };
    [wins(&nearest), wins(&along)]
}

/// Prints the table; the words are those after its name on the command line.
pub fn run(words: &[String]) -> Result<(), Box<dyn Error>> {
    let Some(file) = words.first() else {
        println!("usage: measure sample_table POPULATION.npy [RUNS] [SIZES] [MU] [WITH]");
        return Ok(());
    };
    let given = |i: usize, otherwise: &'static str| words.get(i).map_or(otherwise, String::as_str);
    let runs: u64 = given(1, "3").parse()?;
    let sizes = given(2, "300,1000").split(',').map(str::parse).collect::<Result<Vec<usize>, _>>()?;
    let (mu, with) = (given(3, "1"), given(4, "mean,modes"));
    let array = npy::read(Path::new(file))?;
    let [count, curves, samples, 3] = array.shape[..] else { return Err("not (n, J, m, 3)".into()) };
    let mut faces: Vec<Vec<f64>> =
        array.data.chunks_exact(3 * curves * samples).map(<[f64]>::to_vec).collect();
    let held_out = Faces { rows: faces.split_off(2 * count / 3) };
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let points = curves * samples;
    let pairs: Vec<(usize, usize)> =
        std::iter::repeat_with(|| (rng.random_range(0..points), rng.random_range(0..points)))
            .filter(|(p, q)| p != q)
            .take(PAIRS)
            .collect();
    let own = held_out.deviations(&pairs);
    println!(
        "| n | modes | variance | distances: least, 5 %, median, 95 %, most | within .9 to 1.1 | nearest neighbour | mean, mm | members told: nearest, mean |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    for &n in &sizes {
        let mut sums = [0.0; 12];
        for run in 0..runs {
            let found = one(&faces, &held_out, (&pairs, &own), n, (mu, with), 1000 * n as u64 + run)?;
            sums.iter_mut().zip(found).for_each(|(s, x)| *s += x / runs as f64);
        }
        let [modes, variance, least, low, middle, high, most, within, nearest, mean, by_nearest, by_mean] =
            sums;
        println!(
            "| {n} | {modes:.1} | {variance:.3} | {least:.2}, {low:.2}, {middle:.2}, {high:.2}, {most:.2} | {within:.2} | {nearest:.3} | {mean:.2} | {by_nearest:.3}, {by_mean:.3} |"
        );
    }
    Ok(())
}

fn one(
    faces: &[Vec<f64>],
    held_out: &Faces,
    (pairs, own): (&[(usize, usize)], &[f64]),
    n: usize,
    (mu, with): (&str, &str),
    seed: u64,
) -> Result<[f64; 12], Box<dyn Error>> {
    let mut order: Vec<usize> = (0..faces.len()).collect();
    order.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    let place = tempfile::tempdir()?;
    let path = |name: &str| place.path().join(name);
    let records: Vec<f64> = order.iter().take(n).flat_map(|&i| faces[i].iter().copied()).collect();
    let [curves, samples] = [23, faces[0].len() / 69];
    write_npy(&path("people.npy"), &[n, curves, samples, 3], &records)?;
    let (prepared, study) = (path("people.npy"), path("study"));
    let seed_word = seed.to_string();
    let words = [
        "face",
        "modes",
        "--prepared",
        &prepared.to_string_lossy(),
        "--mu",
        mu,
        "--modes",
        "200",
        "--with",
        with,
        "--seed",
        &seed_word,
        "--out",
        &study.to_string_lossy(),
    ]
    .map(str::to_owned);
    visard::command::answer(words, &|_, _, _| {}, &Default::default()).map_err(|refusal| refusal.message)?;
    std::fs::create_dir(path("faces"))?;
    let request = SampleRequest {
        release: study.clone(),
        count: held_out.rows.len(),
        at: Vec::new(),
        out: path("faces"),
        template: TemplateSource::Builtin,
        seed,
    };
    let sampled = sample(&request)?;
    eprintln!("{} of {} made smoother", sampled.smoothed, request.count);
    let drawn = npy::read(&path("faces").join(CURVES))?;
    let synthetic = Faces { rows: drawn.data.chunks_exact(faces[0].len()).map(<[f64]>::to_vec).collect() };
    let modes = npy::read(&study.join("release/modes.npy"))?.shape[0] as f64;
    let mut ratios: Vec<f64> =
        synthetic.deviations(pairs).iter().zip(own).map(|(found, own)| found / own).collect();
    ratios.sort_by(f64::total_cmp);
    let at = |share: f64| ratios[((ratios.len() - 1) as f64 * share).round() as usize];
    let within =
        ratios.iter().filter(|ratio| (0.9..=1.1).contains(*ratio)).count() as f64 / ratios.len() as f64;
    let members: Vec<&Vec<f64>> = order.iter().take(n.min(held_out.rows.len())).map(|&i| &faces[i]).collect();
    let [by_nearest, by_mean] = membership(&synthetic, &members, held_out);
    Ok([
        modes,
        synthetic.variance() / held_out.variance(),
        at(0.0),
        at(0.05),
        at(0.5),
        at(0.95),
        at(1.0),
        within,
        nearest_error(&synthetic, held_out),
        200.0 * square(&synthetic.mean(), &held_out.mean()).sqrt(),
        by_nearest,
        by_mean,
    ])
}
