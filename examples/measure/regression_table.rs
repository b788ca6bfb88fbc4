//! Relative errors of the fields of covariates that a private regression finds, over numbers of people and budgets, with least squares
//! without privacy beside.
//!
//! `cargo run --release --example measure -- regression_table PREPARED.npy [RUNS] [N,N…] [MU,MU…] [normal]`: to every face of the file effects of age, sex
//! and body mass are added that are known: half of each along two or three modes of the population, half a smooth random field, of the sizes
//! .0066, .0047, .0066 (root mean square, from the middle of the bounds to the end). Age and body mass are uniform between their bounds, or,
//! with `normal` as fifth argument, normal with the bounds two standard deviations from the mean. Relative error: root of error energy over field energy, all points; 1 is saying nothing.

use nalgebra::{DMatrix, SymmetricEigen};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use std::error::Error;
use std::path::Path;
use visard::estimate::Design;
use visard::estimate::prior::spectrum;
use visard::function::Basis;
use visard::io::npy;
use visard::mechanism::functional::FunctionRegression;
use visard::privacy::noise::NoiseSource;
use visard::privacy::{Ledger, Mu, release};
use visard::study::face::{TemplateSource, load_template};

const SIZES: [f64; 3] = [0.0066, 0.0047, 0.0066];

struct Population {
    basis: Basis,
    own: Vec<f64>,
    faces: Vec<Vec<f64>>,
    fields: Vec<Vec<f64>>,
}

/// Prints the table; the words are those after its name on the command line.
pub fn run(words: &[String]) -> Result<(), Box<dyn Error>> {
    let [file, rest @ ..] = words else {
        println!("usage: measure regression_table PREPARED.npy [RUNS] [N,N…] [MU,MU…] [normal]");
        return Ok(());
    };
    let runs: u64 = rest.first().map_or(Ok(6), |r| r.parse())?;
    let sizes = rest.get(1).map_or("300,1000,3000", String::as_str);
    let budgets = rest.get(2).map_or("0.5,1,3", String::as_str);
    let normal = rest.get(3).is_some_and(|word| word == "normal");
    let population = population(Path::new(file))?;
    println!(
        "     n    mu | least squares: age sex bmi | private: age sex bmi | stated/true: age sex bmi | R2 stated/true"
    );
    for n in sizes.split(',').map(str::parse).collect::<Result<Vec<usize>, _>>()? {
        for mu in budgets.split(',').map(str::parse).collect::<Result<Vec<f64>, _>>()? {
            let mut cell = [[0.0; 3]; 3];
            let (mut shares, mut seen) = (0.0, 0);
            for run in 0..runs {
                let found = one(&population, n, mu, run, normal)?;
                for (sums, values) in cell.iter_mut().zip(found.squares) {
                    sums.iter_mut().zip(values).for_each(|(s, x)| *s += x / runs as f64);
                }
                if let Some(share) = found.share {
                    (shares, seen) = (shares + share, seen + 1);
                }
            }
            let row = |k: usize| {
                let shown = |j: usize| format!("{:.2}", (cell[k][j]).sqrt() / SIZES[j]);
                [0, 1, 2].map(shown).join(" ")
            };
            let stated = [0, 1, 2].map(|j| format!("{:.2}", (cell[2][j] / cell[1][j]).sqrt())).join(" ");
            let share = if seen > 0 {
                format!("{:.2} ({seen} of {runs} runs)", shares / f64::from(seen))
            } else {
                "not seen".into()
            };
            println!("{n:>6} {mu:>5} | {} | {} | {stated} | {share}", row(0), row(1));
        }
    }
    Ok(())
}

/// The faces of a file, and fields to be added.
fn population(file: &Path) -> Result<Population, Box<dyn Error>> {
    let array = npy::read(file)?;
    let (curves, samples) = (array.shape[1], array.shape[2]);
    let own = load_template(&TemplateSource::Builtin)?.template.own_curves(curves, samples)?;
    let faces: Vec<Vec<f64>> = array.data.chunks_exact(curves * samples * 3).map(<[f64]>::to_vec).collect();
    let basis = Basis::of_faces(curves, samples, true);
    let modes = modes(&faces[..faces.len().min(400)]);
    let mut rng = ChaCha8Rng::seed_from_u64(77);
    let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
    let scaled = |x: Vec<f64>, rms: f64| -> Vec<f64> {
        let factor = rms / rms_of(&x);
        x.into_iter().map(|x| factor * x).collect()
    };
    let mixtures: [&[usize]; 3] = [&[0, 2, 5], &[1, 4], &[0, 3, 6]];
    let fields = mixtures.iter().zip(SIZES).map(|(mixture, size)| {
        let mut along = vec![0.0; own.data().len()];
        for mode in *mixture {
            let weight = normal();
            along.iter_mut().zip(&modes[*mode]).for_each(|(a, m)| *a += weight * m);
        }
        let x: Vec<f64> = (0..basis.len()).map(|j| spectrum(&basis.place(j)).sqrt() * normal()).collect();
        let (along, smooth) = (scaled(along, 0.5f64.sqrt()), scaled(basis.synthesize(&x), 0.5f64.sqrt()));
        scaled(along.iter().zip(smooth).map(|(a, s)| a + s).collect(), size)
    });
    let fields = fields.collect();
    Ok(Population { basis, own: own.data().to_vec(), faces, fields })
}

fn rms_of(x: &[f64]) -> f64 {
    (3.0 * x.iter().map(|x| x * x).sum::<f64>() / x.len() as f64).sqrt()
}

/// The leading principal components of some faces.
fn modes(faces: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let (n, d) = (faces.len(), faces[0].len());
    let mean: Vec<f64> = (0..d).map(|i| faces.iter().map(|f| f[i]).sum::<f64>() / n as f64).collect();
    let x = DMatrix::from_fn(n, d, |i, j| faces[i][j] - mean[j]);
    let eigen = SymmetricEigen::new(&x * x.transpose());
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| eigen.eigenvalues[j].total_cmp(&eigen.eigenvalues[i]));
    let mode = |&i: &usize| (x.transpose() * eigen.eigenvectors.column(i)).iter().copied().collect();
    order.iter().take(7).map(mode).collect()
}

struct Found {
    /// Squared errors of least squares and of the private fields, and what is stated of these.
    squares: [[f64; 3]; 3],
    share: Option<f64>,
}

fn one(population: &Population, n: usize, mu: f64, run: u64, normal: bool) -> Result<Found, Box<dyn Error>> {
    let mut rng = ChaCha8Rng::seed_from_u64(1000 * run + n as u64);
    let design = Design::parse(&["age=-2:2,bmi=-2:2".into()], &["sex=F|M".into()], &[])?;
    let (mut rows, mut records) = (Vec::new(), Vec::new());
    for i in 0..n {
        let [age, bmi]: [f64; 2] = std::array::from_fn(|_| match normal {
            true => StandardNormal.sample(&mut rng),
            false => rng.random_range(-2.0..2.0),
        });
        let sex = if rng.random_bool(0.5) { 1.0 } else { -1.0 };
        let row = design.row(&[Some(age), Some(bmi), Some(sex)]);
        let mut face = population.faces[(run as usize * n + i) % population.faces.len()].clone();
        for (field, x) in population.fields.iter().zip([row[1], row[3], row[2]]) {
            face.iter_mut().zip(field).for_each(|(f, e)| *f += x * e);
        }
        rows.push(row);
        records.push(Some(face));
    }
    let plain = least_squares(&rows, &records);
    let (basis, own) = (population.basis.clone(), population.own.clone());
    let regression = FunctionRegression::new(basis, own, 1.0, design, n as u64, Mu::new(mu)?)?;
    let prepared = regression.records(&records, rows)?;
    let mut noise = NoiseSource::seeded(run + 1);
    let released = release(regression.mechanism(), &prepared, &mut Ledger::in_memory(None), &mut noise)?;
    let fields = regression.fields(&released.value)?;
    let mut squares = [[0.0; 3]; 3];
    // Age, sex, body mass stand in the columns 1, 3 and 2.
    for (j, column) in [0, 2, 1].into_iter().enumerate() {
        let truth = &population.fields[j];
        let off = |x: &[f64]| rms_of(&x.iter().zip(truth).map(|(a, b)| a - b).collect::<Vec<_>>()).powi(2);
        let found = &fields.columns[column];
        squares[0][j] = off(&plain[column + 1]);
        squares[1][j] = off(&found.samples);
        squares[2][j] = found.error.powi(2) + found.sampling.unwrap_or(0.0).powi(2);
    }
    Ok(Found { squares, share: fields.explained.share() })
}

/// The fields of all columns by least squares.
fn least_squares(rows: &[Vec<f64>], records: &[Option<Vec<f64>>]) -> Vec<Vec<f64>> {
    let q = rows[0].len();
    let x = DMatrix::from_fn(rows.len(), q, |i, j| rows[i][j]);
    let inverse = (x.transpose() * &x).try_inverse().expect("covariates vary");
    let weights = &x * inverse;
    let field = |j: usize| {
        let mut sum = vec![0.0; records[0].as_ref().map_or(0, Vec::len)];
        for (i, face) in records.iter().flatten().enumerate() {
            sum.iter_mut().zip(face).for_each(|(s, f)| *s += weights[(i, j)] * f);
        }
        sum
    };
    (0..q).map(field).collect()
}
