//! How good private modes, means and allometric slopes of landmarks are: the table of docs/measurements.md.
//!
//! `cargo run --release --example measure -- landmark_table OUTLINES.tps [RUNS] [MU]`: outlines of people, their landmarks in order. In every run 100
//! of them, or one, are drawn and declared public for the centre; the others are the study.

use nalgebra::DMatrix;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use std::error::Error;
use std::path::Path;
use visard::estimate::Design;
use visard::io::{RecordSize, read_shapes};
use visard::manifold::LandmarkShapes;
use visard::mechanism::landmarks::{Centre, RADIUS, ShapeRecords, ShapeSetting};
use visard::prelude::*;
use visard::study::face::modes::Explained;
use visard::study::shape::{mean_mechanism, modes_mechanism, regression_mechanism};

type Fails = Box<dyn Error + Send + Sync>;

const MODES: usize = 5;
/// The size of the planted slope, Riemannian distance from the middle of the bounds to the upper one.
const PLANTED: f64 = 0.06;

/// Shapes and logarithms of their sizes.
struct Outlines {
    space: LandmarkShapes,
    shapes: Vec<DMatrix<f64>>,
    logs: Vec<f64>,
}

/// Where the centre comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
enum From {
    /// The mean of so many public outlines.
    Public(usize),
    Private,
}

impl Outlines {
    fn read(file: &Path) -> Result<Self, Fails> {
        let records = read_shapes(file, RecordSize::Content)?.all()?;
        let first = records.first().ok_or("no shapes")?;
        let space = LandmarkShapes::new(first.landmarks(), first.dimension())?;
        let (mut shapes, mut logs) = (Vec::new(), Vec::new());
        for record in &records {
            let (shape, size) = space.preshape(&record.to_matrix())?;
            shapes.push(shape);
            logs.push(size.ln());
        }
        Ok(Self { space, shapes, logs })
    }

    /// A centre, and which outlines are left.
    fn split(&self, from: From, seed: u64) -> (Centre, f64, Vec<usize>) {
        let mut order: Vec<usize> = (0..self.shapes.len()).collect();
        order.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
        let From::Public(public) = from else { return (Centre::Private, RADIUS, order) };
        let own: Vec<DMatrix<f64>> = order[..public].iter().map(|&i| self.shapes[i].clone()).collect();
        let centre = self.space.mean(&own).unwrap_or_else(|| self.shapes[0].clone());
        let farthest = own.iter().map(|z| self.space.dist(&centre, z)).fold(0.0, f64::max);
        let radius = if public > 1 { 1.5 * farthest } else { RADIUS };
        (Centre::Public(centre), radius, order[public..].to_vec())
    }

    fn setting(&self, (centre, radius, n): (Centre, f64, usize), mu: Mu) -> ShapeSetting {
        ShapeSetting { space: self.space, centre, outlines: 1, radius, n: n as u64, mu }
    }

    fn records(&self, order: &[usize]) -> ShapeRecords {
        ShapeRecords::of(order.iter().map(|&i| Some(self.shapes[i].clone())).collect())
    }

    /// What five private modes explain of the study's shapes, over what their own five explain.
    fn modes(&self, from: From, mu: Mu, seed: u64) -> Result<f64, Fails> {
        let (centre, radius, left) = self.split(from, seed);
        let mechanism = modes_mechanism(&self.setting((centre, radius, left.len()), mu))?;
        let mut noise = NoiseSource::seeded(seed);
        let released =
            release(&mechanism, &self.records(&left), &mut Ledger::in_memory(None), &mut noise)?.value;
        let (tangent, modes) = mechanism.about(&released.centre)?;
        let found = modes.modes(&released.value, MODES).ok_or("other coordinates")?;
        let fields: Vec<Vec<f64>> =
            found.modes.iter().map(|mode| modes.coordinates().displacement(&mode.coordinates)).collect();
        let rows: Vec<Vec<f64>> =
            left.iter().filter_map(|&i| tangent.function(std::slice::from_ref(&self.shapes[i]))).collect();
        let judged = Explained::by(&rows).ok_or("no shapes")?;
        let own: Vec<Vec<f64>> = judged.leading(MODES).into_iter().map(|(_, mode)| mode).collect();
        Ok(judged.variance(&fields) / judged.variance(&own))
    }

    /// The mean's squared distance from the one without noise, and what the release states of it.
    fn mean(&self, from: From, mu: Mu, seed: u64) -> Result<(f64, f64), Fails> {
        let (centre, radius, left) = self.split(from, seed);
        let mechanism = mean_mechanism(&self.setting((centre, radius, left.len()), mu), false)?;
        let mut noise = NoiseSource::seeded(seed);
        let records = self.records(&left);
        let released = release(&mechanism, &records, &mut Ledger::in_memory(None), &mut noise)?.value;
        let (tangent, _) = mechanism.about(&released.centre)?;
        let own = self.space.mean(&records.people.concat()).ok_or("no shapes")?;
        let stated = released.value.mean_square_error(self.space.landmarks());
        Ok((self.space.dist(&tangent.shape(&released.value.samples), &own).powi(2), stated))
    }

    /// Relative errors of a planted slope: private, and by least squares without privacy. Sizes are dealt out anew, so that the slope that was
    /// there is gone.
    fn slope(&self, from: From, mu: Mu, seed: u64) -> Result<(f64, f64), Fails> {
        let (centre, radius, left) = self.split(from, seed);
        let Centre::Public(p) = &centre else { return Err("about a public centre".into()) };
        let n = left.len();
        let mut logs: Vec<f64> = left.iter().map(|&i| self.logs[i]).collect();
        logs.shuffle(&mut ChaCha8Rng::seed_from_u64(seed ^ 1));
        let middle = logs.iter().sum::<f64>() / n as f64;
        let half = 2.0 * (logs.iter().map(|x| (x - middle).powi(2)).sum::<f64>() / n as f64).sqrt();
        let design = Design::parse(&[format!("log_size={}:{}", middle - half, middle + half)], &[], &[])?;
        // Half along the shapes' own first two directions, half a slow wave along the outline.
        let vectors: Vec<DMatrix<f64>> = left.iter().map(|&i| self.space.log(p, &self.shapes[i])).collect();
        let rows: Vec<Vec<f64>> = vectors.iter().map(|v| v.transpose().as_slice().to_vec()).collect();
        let own = Explained::of_sample(&rows, 2);
        let (k, d) = p.shape();
        let wave = DMatrix::from_fn(k, d, |i, j| {
            (1.0 + 3.0 * std::f64::consts::TAU * i as f64 / k as f64 + j as f64).sin()
        });
        let wave = self.space.project(p, &wave);
        let mut field = &wave / wave.norm();
        for (_, mode) in &own {
            field += DMatrix::from_row_slice(k, d, mode) * 0.5f64.sqrt();
        }
        let field = self.space.project(p, &field);
        let field = &field * (PLANTED / field.norm());
        let rows: Vec<Vec<f64>> = logs.iter().map(|log| design.row(&[Some(*log)])).collect();
        let shapes: Vec<DMatrix<f64>> =
            vectors.iter().zip(&rows).map(|(v, row)| self.space.exp(p, &(v + &field * row[1]))).collect();
        let plain = least_squares(&rows, &shapes.iter().map(|z| self.space.log(p, z)).collect::<Vec<_>>())?;
        let records = ShapeRecords {
            people: shapes.into_iter().map(|z| vec![z]).collect(),
            rows,
            ..ShapeRecords::default()
        };
        let mechanism = regression_mechanism(&self.setting((centre.clone(), radius, n), mu), design)?;
        let mut noise = NoiseSource::seeded(seed);
        let released = release(&mechanism, &records, &mut Ledger::in_memory(None), &mut noise)?.value;
        let (tangent, regression) = mechanism.about(&released.centre)?;
        let found = regression.fields(&released.value)?;
        let slope = tangent.vector(&found.columns.first().ok_or("no column")?.samples);
        Ok(((slope - &field).norm() / PLANTED, (plain - &field).norm() / PLANTED))
    }
}

/// The slope of vectors on the second column.
fn least_squares(rows: &[Vec<f64>], vectors: &[DMatrix<f64>]) -> Result<DMatrix<f64>, Fails> {
    let x = DMatrix::from_fn(rows.len(), 2, |i, j| rows[i][j]);
    let weights = &x * (x.transpose() * &x).try_inverse().ok_or("sizes are all the same")?;
    let mut slope = DMatrix::zeros(vectors[0].nrows(), vectors[0].ncols());
    vectors.iter().enumerate().for_each(|(i, v)| slope += v * weights[(i, 1)]);
    Ok(slope)
}

fn average(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (mean, (values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n).sqrt())
}

/// Prints the table; the words are those after its name on the command line.
pub fn run(words: &[String]) -> Result<(), Box<dyn Error>> {
    table(words).map_err(|e| e as Box<dyn Error>)
}

fn table(words: &[String]) -> Result<(), Fails> {
    let Some(file) = words.first() else {
        println!("usage: measure landmark_table OUTLINES.tps [RUNS] [MU]");
        return Ok(());
    };
    let outlines = Outlines::read(Path::new(file))?;
    let runs: u64 = words.get(1).map_or(Ok(40), |runs| runs.parse())?;
    let mu = Mu::new(words.get(2).map_or(Ok(1.0), |mu| mu.parse())?)?;
    println!(
        "| centre | five modes over non-private (sd) | mean: error | stated | slope: relative error (sd) | least squares |"
    );
    println!("| --- | --- | --- | --- | --- | --- |");
    for from in [From::Public(100), From::Public(1), From::Private] {
        let all = |what: &(dyn Fn(u64) -> Result<(f64, f64), Fails> + Sync)| {
            (1..=runs).into_par_iter().map(what).collect::<Result<Vec<_>, Fails>>()
        };
        let modes: Vec<f64> =
            all(&|seed| Ok((outlines.modes(from, mu, seed)?, 0.0)))?.into_iter().map(|x| x.0).collect();
        let means = all(&|seed| outlines.mean(from, mu, seed))?;
        let root = |of: fn(&(f64, f64)) -> f64| (means.iter().map(of).sum::<f64>() / runs as f64).sqrt();
        let slopes =
            if from == From::Private { Vec::new() } else { all(&|seed| outlines.slope(from, mu, seed))? };
        let (explained, sd) = average(&modes);
        print!("| {from:?} | {explained:.3} ({sd:.3}) | {:.5} | {:.5} |", root(|x| x.0), root(|x| x.1));
        if slopes.is_empty() {
            println!(" | |");
        } else {
            let (error, sd) = average(&slopes.iter().map(|x| x.0).collect::<Vec<_>>());
            let (plain, _) = average(&slopes.iter().map(|x| x.1).collect::<Vec<_>>());
            println!(" {error:.2} ({sd:.2}) | {plain:.2} |");
        }
    }
    Ok(())
}
