//! People who are not in a norm, held against it: how uniform their percentiles are, and how well a planted change stands out, against the same
//! norm without noise. The table of docs/measurements.md.
//!
//! `cargo run --release --example measure -- norm_table POPULATION.npy [NORMS] [N] [MU] [KEEP]`; the population is an array of prepared records (the
//! measurement `prepared_faces` makes one). Every norm is of N of them, drawn without replacement; all others are held against it. Half of the norms
//! are of `face modes`, half of `face regress --residuals` with a planted effect of age, and as many of the same with people who differ the more the older
//! they are. KEEP: a folder in which norms stay for the next time.

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::error::Error;
use std::path::{Path, PathBuf};
use visard::function::FaceCurves;
use visard::io::{npy, write_npy};
use visard::nalgebra::{DMatrix, SymmetricEigen};
use visard::norm::assess::Norm;
use visard::norm::law::Law;
use visard::study::face::TemplateSource;

/// Millimetres in a unit of a face of 20 cm.
const MM: f64 = 200.0;
/// How much age moves a face between the middle and the end of its bounds, root mean square.
const GROWTH: f64 = 0.0066;
/// By how much age changes how far people lie from their mean, in the same way: their variance goes from .49 to 1.69.
const SPREADING: f64 = 0.3;
const CHANGES: [&str; 3] = ["chin", "nose", "one cheek"];
/// So many people have their map made.
const MAPS: usize = 60;

struct Population {
    rows: Vec<Vec<f64>>,
    mean: Vec<f64>,
    form: [usize; 2],
    growth: Vec<f64>,
}

/// What a norm is of.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Modes,
    Regression,
    Spreading,
}

/// What a norm made of the others.
struct Found {
    clear: usize,
    ks: f64,
    /// The same of the youngest third, and of the oldest.
    ks_of_ends: [f64; 2],
    beyond_95: f64,
    z_square: f64,
    /// The mean square of z of distances and angles, and of regions.
    part_squares: [f64; 2],
    beyond: f64,
    /// For each change at 2 and 4 mm: by the distance and by what lies beyond the modes, private and exact.
    areas: Vec<[f64; 4]>,
}

/// The mean over the points of what two fields share.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>() / (a.len() as f64 / 3.0)
}

fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(x, y)| x - y).collect()
}

/// Kolmogorov-Smirnov, against a uniform law on [0, 1].
pub(super) fn ks(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let n = values.len() as f64;
    let off = |(i, u): (usize, &f64)| (u - i as f64 / n).abs().max((u - (i + 1) as f64 / n).abs());
    values.iter().enumerate().map(off).fold(0.0, f64::max)
}

/// The area under the curve: how often one of `high` is above one of `low`.
fn area(high: &[f64], low: &[f64]) -> f64 {
    let mut low = low.to_vec();
    low.sort_by(f64::total_cmp);
    let below = |x: &f64| low.partition_point(|y| y < x) as f64;
    high.iter().map(below).sum::<f64>() / (high.len() * low.len()) as f64
}

/// Bumps to the front, as wide as the part, in the order of [`CHANGES`]: what is added to a record for each millimetre.
fn planted(face: &[f64]) -> [Vec<f64>; 3] {
    let points: Vec<&[f64]> = face.chunks_exact(3).collect();
    let best = |of: &dyn Fn(&[f64]) -> Option<f64>| -> Vec<f64> {
        let scored = points.iter().filter_map(|p| of(p).map(|score| (score, p)));
        scored.max_by(|a, b| a.0.total_cmp(&b.0)).map_or_else(|| vec![0.0; 3], |(_, p)| p.to_vec())
    };
    let nose = best(&|p| Some(p[2]));
    let chin = best(&|p| (p[0].abs() < 0.05).then_some(-p[1]));
    let cheek = best(&|p| (p[0] > 0.25 && (p[1] - nose[1]).abs() < 0.1).then_some(p[2]));
    [(chin, 0.1), (nose, 0.08), (cheek, 0.12)].map(|(centre, width): (Vec<f64>, f64)| {
        let bump = |p: &&[f64]| {
            let apart: f64 = p.iter().zip(&centre).map(|(x, c)| (x - c).powi(2)).sum();
            [0.0, 0.0, (-apart / (2.0 * width * width)).exp() / MM]
        };
        points.iter().flat_map(bump).collect()
    })
}

/// A norm without noise, of as many modes as the private one has.
struct Exact {
    mean: Vec<f64>,
    growth: Vec<f64>,
    modes: Vec<(f64, Vec<f64>)>,
}

impl Exact {
    /// Of records with ages from −1 to 1, or with none of a thing.
    fn new(records: &[(Vec<f64>, f64)], count: usize, regression: bool) -> Self {
        let n = records.len() as f64;
        let width = records[0].0.len();
        let (mut mean, mut growth) = (vec![0.0; width], vec![0.0; width]);
        let middle = records.iter().map(|(_, age)| age / n).sum::<f64>();
        let spread = records.iter().map(|(_, age)| (age - middle).powi(2)).sum::<f64>();
        for (face, age) in records {
            mean.iter_mut().zip(face).for_each(|(m, x)| *m += x / n);
            if regression {
                growth.iter_mut().zip(face).for_each(|(g, x)| *g += x * (age - middle) / spread);
            }
        }
        mean.iter_mut().zip(&growth).for_each(|(m, g)| *m -= g * middle);
        let left = |j: usize, i: usize| records[j].0[i] - mean[i] - records[j].1 * growth[i];
        let matrix = DMatrix::from_fn(width, records.len(), |i, j| left(j, i));
        let eigen = SymmetricEigen::new(matrix.tr_mul(&matrix) / n);
        let mut order: Vec<usize> = (0..records.len()).collect();
        order.sort_by(|&a, &b| eigen.eigenvalues[b].total_cmp(&eigen.eigenvalues[a]));
        let points = width as f64 / 3.0;
        let mode = |&k: &usize| {
            let direction = &matrix * eigen.eigenvectors.column(k);
            let unit = direction.normalize() * points.sqrt();
            (eigen.eigenvalues[k] / points, unit.as_slice().to_vec())
        };
        let modes = order.iter().take(count).map(mode).collect();
        Self { mean, growth, modes }
    }

    /// The squared distance along the first modes, and the mean square beyond all.
    fn of(&self, face: &[f64], age: f64, clear: usize) -> [f64; 2] {
        let expected: Vec<f64> = self.mean.iter().zip(&self.growth).map(|(m, g)| m + age * g).collect();
        let off = difference(face, &expected);
        let along: Vec<f64> = self.modes.iter().map(|(_, mode)| dot(mode, &off)).collect();
        let near = along.iter().zip(&self.modes).take(clear).map(|(c, (v, _))| c * c / v).sum();
        [near, dot(&off, &off) - along.iter().map(|c| c * c).sum::<f64>()]
    }
}

impl Population {
    fn read(file: &Path) -> Result<Self, Box<dyn Error>> {
        let array = npy::read(file)?;
        let [_, curves, samples, 3] = array.shape[..] else { return Err("not (n, J, m, 3)".into()) };
        let rows: Vec<Vec<f64>> =
            array.data.chunks_exact(3 * curves * samples).map(<[f64]>::to_vec).collect();
        let apart = difference(&rows[0], &rows[1]);
        let scale = GROWTH / dot(&apart, &apart).sqrt();
        let growth = apart.iter().map(|x| scale * x).collect();
        let mut mean = vec![0.0; rows[0].len()];
        rows.iter().for_each(|row| mean.iter_mut().zip(row).for_each(|(m, x)| *m += x / rows.len() as f64));
        Ok(Self { growth, mean, rows, form: [curves, samples] })
    }

    /// A person, grown to an age from −1 to 1.
    fn grown(&self, i: usize, age: f64, kind: Kind) -> Vec<f64> {
        let wider = if kind == Kind::Spreading { 1.0 + SPREADING * age } else { 1.0 };
        let own = self.rows[i].iter().zip(&self.mean).map(|(x, m)| m + wider * (x - m));
        own.zip(&self.growth).map(|(x, g)| x + age * g).collect()
    }

    /// A norm of the first `n`, in this folder unless it is there.
    fn norm(
        &self,
        folder: &Path,
        people: &[(Vec<f64>, f64)],
        of: (&str, Kind, u64),
    ) -> Result<Norm, Box<dyn Error>> {
        let (mu, kind, seed) = of;
        let regression = kind != Kind::Modes;
        if !folder.join("release").exists() {
            let place = tempfile::tempdir()?;
            let path = |name: &str| place.path().join(name).to_string_lossy().into_owned();
            let records: Vec<f64> = people.iter().flat_map(|(face, _)| face.iter().copied()).collect();
            let [curves, samples] = self.form;
            write_npy(Path::new(&path("people.npy")), &[people.len(), curves, samples, 3], &records)?;
            let line = |(k, (_, age)): (usize, &(Vec<f64>, f64))| format!("{k},{}\n", 5.0 + 5.0 * age);
            let table: String = people.iter().enumerate().map(line).collect();
            std::fs::write(path("people.csv"), format!("record,age\n{table}"))?;
            let mut words: Vec<String> = ["face", if regression { "regress" } else { "modes" }, "--prepared"]
                .map(str::to_owned)
                .into();
            words.extend([path("people.npy"), "--mu".into(), mu.into(), "--seed".into(), seed.to_string()]);
            words.extend(["--out".into(), folder.to_string_lossy().into_owned()]);
            if !regression {
                words.extend(["--modes", "200"].map(str::to_owned));
            } else {
                words.extend(["--residuals", "--bounds", "age=0:10", "--covariates"].map(str::to_owned));
                words.push(path("people.csv"));
            }
            visard::command::answer(words, &|_, _, _| {}, &Default::default())
                .map_err(|refusal| refusal.message)?;
        }
        Ok(Norm::open(folder, &TemplateSource::Builtin)?)
    }

    fn one(&self, folder: PathBuf, n: usize, of: (&str, Kind, u64)) -> Result<Found, Box<dyn Error>> {
        let regression = of.1 != Kind::Modes;
        let mut order: Vec<usize> = (0..self.rows.len()).collect();
        let mut rng = ChaCha8Rng::seed_from_u64(of.2);
        order.shuffle(&mut rng);
        let person = |&i: &usize| {
            let age = rng.random_range(-1.0..1.0);
            if regression { (self.grown(i, age, of.1), age) } else { (self.rows[i].clone(), 0.0) }
        };
        let mut people: Vec<(Vec<f64>, f64)> = order.iter().map(person).collect();
        let others = people.split_off(n);
        let norm = self.norm(&folder, &people, of)?;
        let exact = Exact::new(&people, norm.people.modes.len(), regression);
        let values = |age: f64| if regression { vec![Some(5.0 + 5.0 * age)] } else { Vec::new() };
        let squares = |face: &[f64], mean: &FaceCurves, law: &Law| {
            let off = difference(face, mean.data());
            let along = law.coordinates(&off);
            (law.squares(&along), dot(&off, &off) - along.iter().map(|c| c * c).sum::<f64>())
        };
        let changes = planted(norm.people.mean_at(&[])?.data());
        let kinds: Vec<(&Vec<f64>, f64)> = changes.iter().flat_map(|c| [(c, 2.0), (c, 4.0)]).collect();
        let (mut percentiles, mut plain, mut changed) =
            (Vec::new(), Vec::new(), vec![Vec::new(); kinds.len()]);
        let (mut z_square, mut ratio) = (0.0, 0.0);
        let mut part_squares = [0.0; 2];
        let mut mean_squares: Vec<f64> = Vec::new();
        for (k, (face, age)) in others.iter().enumerate() {
            let (mean, law) = (norm.people.mean_at(&values(*age))?, norm.law.at(&values(*age)));
            let of_both = |face: &[f64]| {
                let (squares, beyond) = squares(face, &mean, &law);
                [[squares.iter().sum::<f64>(), beyond], exact.of(face, *age, law.clear)]
            };
            let own = squares(face, &mean, &law).0;
            mean_squares.resize(own.len(), 0.0);
            mean_squares.iter_mut().zip(&own).for_each(|(m, s)| *m += s / others.len() as f64);
            let percentile = law.percentile(&own);
            percentiles.push(percentile.map_or(f64::NAN, |p| p.value / 100.0));
            let found = of_both(face);
            plain.push(found);
            for ((change, mm), changed) in kinds.iter().zip(&mut changed) {
                let moved: Vec<f64> = face.iter().zip(*change).map(|(x, d)| x + mm * d).collect();
                changed.push(of_both(&moved));
            }
            if k < MAPS {
                let face = FaceCurves::new(self.form[0], self.form[1], face.clone())?;
                let said = norm.assess(&face, &values(*age))?;
                z_square += said.z_rms.powi(2) / MAPS as f64;
                ratio += said.compared.beyond.ratio.unwrap_or(f64::NAN) / MAPS as f64;
                for (k, square) in part_squares.iter_mut().enumerate() {
                    let of: Vec<f64> = said
                        .measures
                        .iter()
                        .filter(|p| (p.measured == "outwards") == (k == 1))
                        .map(|p| p.z.powi(2))
                        .collect();
                    *square += of.iter().sum::<f64>() / of.len() as f64 / MAPS as f64;
                }
            }
        }
        let areas = changed.iter().map(|changed| {
            let area = |way: usize, what: usize| {
                let of =
                    |all: &Vec<[[f64; 2]; 2]>| -> Vec<f64> { all.iter().map(|one| one[way][what]).collect() };
                area(&of(changed), &of(&plain))
            };
            [area(0, 0), area(1, 0), area(0, 1), area(1, 1)]
        });
        let beyond_95 = percentiles.iter().filter(|p| **p > 0.95).count() as f64 / others.len() as f64;
        println!("  mean squares of z along the modes {mean_squares:.2?}");
        let end = |sign: f64| {
            let old = |(_, (_, age)): &(&f64, &(Vec<f64>, f64))| sign * age > 1.0 / 3.0;
            ks(percentiles.iter().zip(&others).filter(old).map(|(p, _)| *p).collect())
        };
        Ok(Found {
            clear: norm.law.clear,
            ks_of_ends: if regression { [end(-1.0), end(1.0)] } else { [f64::NAN; 2] },
            areas: areas.collect(),
            part_squares,
            ks: ks(percentiles),
            beyond_95,
            z_square,
            beyond: ratio,
        })
    }
}

/// Prints the table; the words are those after its name on the command line.
pub fn run(words: &[String]) -> Result<(), Box<dyn Error>> {
    let Some(file) = words.first() else {
        println!("usage: measure norm_table POPULATION.npy [NORMS] [N] [MU] [KEEP]");
        return Ok(());
    };
    let given = |i: usize, otherwise: &'static str| words.get(i).map_or(otherwise, String::as_str);
    let (norms, n, mu): (u64, usize, &str) =
        (given(1, "10").parse()?, given(2, "1000").parse()?, given(3, "1"));
    let population = Population::read(Path::new(file))?;
    if population.rows.len() <= n {
        return Err("nobody is left to be held against the norm".into());
    }
    let place = tempfile::tempdir()?;
    let keep = words.get(4).map_or_else(|| place.path().to_owned(), PathBuf::from);
    for (kind, name) in
        [(Kind::Modes, "modes"), (Kind::Regression, "regression"), (Kind::Spreading, "spreading")]
    {
        let mut all = Vec::new();
        for seed in 1..=norms.div_ceil(2) {
            let found = population.one(keep.join(format!("{name}{seed}")), n, (mu, kind, seed))?;
            println!(
                "{name} {seed}: {} modes, KS {:.3}, of the youngest and oldest third {:.3?}, beyond 95: {:.3}, z² {:.2}, beyond the modes {:.2}",
                found.clear, found.ks, found.ks_of_ends, found.beyond_95, found.z_square, found.beyond
            );
            all.push(found);
        }
        let mean = |of: &dyn Fn(&Found) -> f64| all.iter().map(of).sum::<f64>() / all.len() as f64;
        println!(
            "{name}: KS {:.3}, at most {:.3}; of the youngest and oldest third {:.3}, {:.3}; beyond 95: {:.3}; z² {:.2}; beyond the modes {:.2}",
            mean(&|f| f.ks),
            all.iter().map(|f| f.ks).fold(0.0, f64::max),
            mean(&|f| f.ks_of_ends[0]),
            mean(&|f| f.ks_of_ends[1]),
            mean(&|f| f.beyond_95),
            mean(&|f| f.z_square),
            mean(&|f| f.beyond)
        );
        println!(
            "z² of distances and angles, of regions: {:.2}, {:.2}",
            mean(&|f| f.part_squares[0]),
            mean(&|f| f.part_squares[1])
        );
        println!("change | along the modes: private, exact | beyond them: private, exact");
        for k in 0..6 {
            let [a, b, c, d] = [0, 1, 2, 3].map(|i| mean(&|f| f.areas[k][i]));
            println!("{} {} mm | {a:.3}, {b:.3} | {c:.3}, {d:.3}", CHANGES[k / 2], 2 * (k % 2 + 1));
        }
    }
    Ok(())
}
