//! Errors of a private regression of faces, with what is stated of them, over numbers of people and budgets.
//!
//! `cargo run --release --example measure -- regression_table PREPARED.npy|SHAPES.tps|wishart [RUNS] [N:MU,…] [one|missing|pair|three|normal]`: to every face of the file effects
//! of age, body mass and sex are added that are known: half of each along two or three modes of the population, half a smooth random field, of the
//! sizes .0066, .0066, .0047 (root mean square, from the middle of the bounds to the end). `one` has age alone, `missing` that of half the people only, `pair` age and body mass of correlation
//! .7, both others all three, uniform between their bounds or, with `normal`, with the bounds two standard deviations from the mean. Relative errors:
//! root of error energy over field energy, all points; 1 is saying nothing. Stated over true, root mean squares, against least squares without privacy:
//! of the mean at the reference, of the fields, of a prediction at three quarters of the way to the upper bounds; last, the fields against the planted
//! ones, sampling included. Then how often the 95 % band of a field holds all of it, and half its width over the field's size.
//!
//! In place of faces: the landmarks of a file.tps about their mean, or `wishart`, matrices of order 5 in the log-Euclidean metric; fields are as large
//! there, compared with how far records lie from their mean.

use nalgebra::{DMatrix, SymmetricEigen};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use visard::estimate::Design;
use visard::estimate::prior::spectrum;
use visard::function::Basis;
use visard::io::{RecordSize, npy, read_shapes};
use visard::manifold::{LandmarkShapes, SpdLogEuclidean};
use visard::mechanism::functional::{AboutPublic, FunctionRegression, Reach, SampledRecords};
use visard::mechanism::landmarks::{RADIUS, Tangent};
use visard::privacy::noise::NoiseSource;
use visard::privacy::{Ledger, Mu, release};
use visard::study::face::{TemplateSource, load_template};

/// Of age, body mass and sex.
const SIZES: [f64; 3] = [0.0066, 0.0066, 0.0047];
/// How far faces lie from their mean, root mean square.
const SPREAD: f64 = 0.022;
/// Where a prediction is looked at, as a share of the way to the upper bounds.
const AT: f64 = 0.75;
const USAGE: &str = "usage: measure regression_table PREPARED.npy|SHAPES.tps|wishart [RUNS] [N:MU,…] [one|missing|pair|three|normal]";

struct Population {
    basis: Basis,
    own: Vec<f64>,
    faces: Vec<Vec<f64>>,
    fields: Vec<Vec<f64>>,
    /// How large these are.
    sizes: Vec<f64>,
    reach: Reach,
}

/// Which covariates there are, and their law.
#[derive(Clone, Copy, PartialEq)]
enum Law {
    One,
    Missing,
    Pair,
    Three,
    Normal,
}

impl Law {
    fn of(word: &str) -> Option<Self> {
        let laws = [
            ("one", Self::One),
            ("missing", Self::Missing),
            ("pair", Self::Pair),
            ("three", Self::Three),
            ("normal", Self::Normal),
        ];
        laws.into_iter().find(|(name, _)| *name == word).map(|(_, law)| law)
    }

    fn design(self) -> Result<Design, Box<dyn Error>> {
        let bounds: &[&str] =
            if matches!(self, Self::One | Self::Missing) { &["age=-2:2"] } else { &["age=-2:2", "bmi=-2:2"] };
        let levels: &[&str] = if matches!(self, Self::Three | Self::Normal) { &["sex=F|M"] } else { &[] };
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        Ok(Design::parse(&owned(bounds), &owned(levels), &[])?)
    }

    fn draw(self, rng: &mut ChaCha8Rng) -> [Option<f64>; 3] {
        let mut normal = || -> f64 { StandardNormal.sample(rng) };
        let (a, b) = (normal(), normal());
        let [age, bmi] = match self {
            Self::Normal => [a, b],
            Self::Pair => [a, 0.7 * a + 0.51f64.sqrt() * b],
            Self::One | Self::Missing | Self::Three => {
                [rng.random_range(-2.0..2.0), rng.random_range(-2.0..2.0)]
            }
        };
        [Some(age), Some(bmi), Some(if rng.random_bool(0.5) { 1.0 } else { -1.0 })]
    }
}

/// Prints the table; the words are those after its name on the command line.
pub fn run(words: &[String]) -> Result<(), Box<dyn Error>> {
    let [file, rest @ ..] = words else {
        println!("{USAGE}");
        return Ok(());
    };
    let runs: u64 = rest.first().map_or(Ok(12), |r| r.parse())?;
    let cells = rest.get(1).map_or("100:0.3,300:1,1000:1,1000:3", String::as_str);
    let law = Law::of(rest.get(2).map_or("one", String::as_str)).ok_or(USAGE)?;
    let population = population(file)?;
    println!(
        "     n    mu | least squares: fields | private: fields | stated/true: mean, fields, prediction | with sampling: fields | true mean | R2 | band: coverage, half width"
    );
    for cell in cells.split(',') {
        let (n, mu) = cell.split_once(':').ok_or(USAGE)?;
        let (n, mu): (usize, f64) = (n.parse()?, mu.parse()?);
        let found = (0..runs).map(|run| one(&population, n, mu, run, law)).collect::<Result<Vec<_>, _>>()?;
        let mean = |of: &dyn Fn(&Found) -> f64| (found.iter().map(of).sum::<f64>() / runs as f64).sqrt();
        let columns = found[0].planted.len();
        let each = |of: &dyn Fn(usize) -> f64| {
            (0..columns).map(|j| format!("{:.2}", of(j))).collect::<Vec<_>>().join(" ")
        };
        let ratio = |of: &dyn Fn(&Found) -> [f64; 2]| mean(&|f| of(f)[0]) / mean(&|f| of(f)[1]);
        let seen: Vec<f64> = found.iter().filter_map(|f| f.share).collect();
        println!(
            "{n:>6} {mu:>5} | {} | {} | {:.2}, {}, {:.2} | {} | {:.4} | {:.2} ({} of {runs} runs) | {}, {}",
            each(&|j| mean(&|f| f.least_squares[j]) / population.sizes[j]),
            each(&|j| mean(&|f| f.planted[j][1]) / population.sizes[j]),
            ratio(&|f| f.mean),
            each(&|j| ratio(&|f| f.fields[j])),
            ratio(&|f| f.prediction),
            each(&|j| ratio(&|f| f.planted[j])),
            mean(&|f| f.mean[1]),
            seen.iter().sum::<f64>() / seen.len() as f64,
            seen.len(),
            each(&|j| mean(&|f| f.bands[j][0]).powi(2)),
            each(&|j| mean(&|f| f.bands[j][1].powi(2)) / population.sizes[j]),
        );
    }
    Ok(())
}

/// The records of a file, and fields to be added.
fn population(file: &str) -> Result<Population, Box<dyn Error>> {
    if file == "wishart" {
        return Ok(matrices(5, 20)?);
    }
    let path = Path::new(file);
    if path.extension().is_some_and(|ending| ending == "tps") {
        return landmarks(path);
    }
    let array = npy::read(path)?;
    let (curves, samples) = (array.shape[1], array.shape[2]);
    let own = load_template(&TemplateSource::Builtin)?.template.own_curves(curves, samples)?;
    let faces: Vec<Vec<f64>> = array.data.chunks_exact(curves * samples * 3).map(<[f64]>::to_vec).collect();
    Ok(with_fields(
        Basis::of_faces(curves, samples, true),
        own.data().to_vec(),
        faces,
        Reach::Faces(1.0),
        1.0,
    ))
}

/// Wishart matrices about a random centre, as coordinates of their logarithms.
fn matrices(order: usize, degrees: usize) -> Result<Population, visard::manifold::ManifoldError> {
    let space = SpdLogEuclidean::new(order)?;
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut normal =
        |columns| DMatrix::from_fn(order, columns, |_, _| -> f64 { StandardNormal.sample(&mut rng) });
    let root = normal(order);
    let one = |_| {
        let x = &root * normal(degrees);
        space.chart(&(&x * x.transpose() / degrees as f64)).as_slice().to_vec()
    };
    let records: Vec<Vec<f64>> = (0..3000).map(one).collect();
    let basis = Basis::of_coordinates(records[0].len());
    let mean = mean(&records);
    let spread = spread(&records, &mean, basis.points());
    let farthest = 2.0 * mean.iter().map(|x| x * x).sum::<f64>().sqrt();
    let zero = vec![0.0; mean.len()];
    Ok(with_fields(basis, zero, records, Reach::RootMeanSquare(farthest), spread / SPREAD))
}

/// Landmarks about the mean of their file.
fn landmarks(file: &Path) -> Result<Population, Box<dyn Error>> {
    let records = read_shapes(file, RecordSize::Content)?.all()?;
    let first = records.first().ok_or("no shapes")?;
    let space = LandmarkShapes::new(first.landmarks(), first.dimension())?;
    let shapes = records.iter().map(|record| Ok(space.preshape(&record.to_matrix())?.0));
    let shapes = shapes.collect::<Result<Vec<_>, Box<dyn Error>>>()?;
    let tangent = Tangent::new(space, space.mean(&shapes).ok_or("no mean")?, 1)?;
    let records: Vec<Vec<f64>> =
        shapes.iter().filter_map(|shape| tangent.function(std::slice::from_ref(shape))).collect();
    let spread = spread(&records, &mean(&records), tangent.basis().points());
    let (basis, own) = (tangent.basis().clone(), tangent.template());
    Ok(with_fields(basis, own, records, Reach::Faces(RADIUS / 0.045), spread / SPREAD))
}

fn mean(records: &[Vec<f64>]) -> Vec<f64> {
    let n = records.len() as f64;
    (0..records[0].len()).map(|j| records.iter().map(|x| x[j]).sum::<f64>() / n).collect()
}

fn spread(records: &[Vec<f64>], mean: &[f64], points: usize) -> f64 {
    let square = |x: &Vec<f64>| x.iter().zip(mean).map(|(x, m)| (x - m).powi(2)).sum::<f64>();
    (records.iter().map(square).sum::<f64>() / (records.len() * points) as f64).sqrt()
}

fn with_fields(basis: Basis, own: Vec<f64>, faces: Vec<Vec<f64>>, reach: Reach, scale: f64) -> Population {
    let modes = modes(&faces[..faces.len().min(400)]);
    let mut rng = ChaCha8Rng::seed_from_u64(77);
    let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
    let points = basis.points();
    let scaled = |x: Vec<f64>, rms: f64| -> Vec<f64> {
        let factor = rms / rms_of(&x, points);
        x.into_iter().map(|x| factor * x).collect()
    };
    let mixtures: [&[usize]; 3] = [&[0, 2, 5], &[0, 3, 6], &[1, 4]];
    let sizes: Vec<f64> = SIZES.iter().map(|size| scale * size).collect();
    let fields = mixtures.iter().zip(&sizes).map(|(mixture, size)| {
        let mut along = vec![0.0; own.len()];
        for mode in *mixture {
            let weight = normal();
            along.iter_mut().zip(&modes[*mode]).for_each(|(a, m)| *a += weight * m);
        }
        let x: Vec<f64> = (0..basis.len()).map(|j| spectrum(&basis.place(j)).sqrt() * normal()).collect();
        let (along, smooth) = (scaled(along, 0.5f64.sqrt()), scaled(basis.synthesize(&x), 0.5f64.sqrt()));
        scaled(along.iter().zip(smooth).map(|(a, s)| a + s).collect(), *size)
    });
    let fields = fields.collect();
    Population { basis, own, faces, fields, sizes, reach }
}

fn rms_of(x: &[f64], points: usize) -> f64 {
    (x.iter().map(|x| x * x).sum::<f64>() / points as f64).sqrt()
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

/// Of one release: squares, stated and true.
struct Found {
    /// Of least squares against the planted fields.
    least_squares: Vec<f64>,
    planted: Vec<[f64; 2]>,
    mean: [f64; 2],
    fields: Vec<[f64; 2]>,
    prediction: [f64; 2],
    share: Option<f64>,
    /// Whether the band of a field holds the planted one; half its width, all channels of a point.
    bands: Vec<[f64; 2]>,
}

fn one(population: &Population, n: usize, mu: f64, run: u64, law: Law) -> Result<Found, Box<dyn Error>> {
    let mut rng = ChaCha8Rng::seed_from_u64(1000 * run + n as u64);
    let design = law.design()?;
    let (mut rows, mut records) = (Vec::new(), Vec::new());
    for i in 0..n {
        let values = &law.draw(&mut rng)[..design.covariates().len()];
        let row = design.row(values);
        let mut face = population.faces[(run as usize * n + i) % population.faces.len()].clone();
        for (field, x) in population.fields.iter().zip(&row[1..]) {
            face.iter_mut().zip(field).for_each(|(f, e)| *f += x * e);
        }
        let is_missing = law == Law::Missing && rng.random_bool(0.5);
        rows.push(if is_missing { design.row(&[None]) } else { row });
        records.push(Some(face));
    }
    let plain = least_squares(&rows, &records);
    let (basis, own) = (population.basis.clone(), population.own.clone());
    let regression =
        FunctionRegression::new(basis, own, population.reach, design.clone(), n as u64, Mu::new(mu)?)?;
    let (regression, records) = (Arc::new(regression), SampledRecords { samples: Arc::new(records), rows });
    let mut noise = NoiseSource::seeded(run + 1);
    let mechanism = AboutPublic(regression.clone());
    let released = release(&mechanism, &records, &mut Ledger::in_memory(None), &mut noise)?;
    let fields = regression.fields(&released.value)?;
    let count = population.basis.points();
    let off = |x: &[f64], y: &[f64]| {
        rms_of(&x.iter().zip(y).map(|(a, b)| a - b).collect::<Vec<_>>(), count).powi(2)
    };
    let points = count as f64;
    let channels = fields.mean.len() as f64 / points;
    let bands = regression.bands(&released.value, None)?;
    let reference: Vec<f64> = plain[0].iter().map(|x| design.row(&[])[0] * x).collect();
    let mean = fields.mean_errors.iter().sum::<f64>() / points;
    let at = vec![AT; fields.columns.len()];
    let moved = |from: &[f64], by: &mut dyn Iterator<Item = &Vec<f64>>| {
        let mut face = from.to_vec();
        by.zip(&at).for_each(|(field, x)| face.iter_mut().zip(field).for_each(|(a, b)| *a += x * b));
        face
    };
    let (predicted, true_one) = (
        moved(&fields.mean, &mut fields.columns.iter().map(|field| &field.samples)),
        moved(&reference, &mut plain[1..].iter()),
    );
    let stated = |j: usize| fields.columns[j].error.powi(2);
    let of = |f: &dyn Fn(usize) -> [f64; 2]| (0..at.len()).map(f).collect::<Vec<_>>();
    Ok(Found {
        least_squares: (0..at.len()).map(|j| off(&plain[j + 1], &population.fields[j])).collect(),
        planted: of(&|j| {
            let sampling = fields.columns[j].sampling.unwrap_or(0.0).powi(2);
            [stated(j) + sampling, off(&fields.columns[j].samples, &population.fields[j])]
        }),
        mean: [mean, off(&fields.mean, &reference)],
        fields: of(&|j| [stated(j), off(&fields.columns[j].samples, &plain[j + 1])]),
        prediction: [
            mean + (0..at.len()).map(|j| at[j].powi(2) * stated(j)).sum::<f64>(),
            off(&predicted, &true_one),
        ],
        share: fields.explained.share(),
        bands: of(&|j| {
            let held = f64::from(u8::from(bands[j].holds(&population.fields[j])));
            [held, bands[j].mean_half_width() * channels.sqrt()]
        }),
    })
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
