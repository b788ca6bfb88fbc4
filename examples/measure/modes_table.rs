//! How good private modes of faces are: the table of docs/measurements.md.
//!
//! `cargo run --release --example measure -- modes_table POPULATION.npy [RUNS] [SIZES] [BUDGETS] [check]`; the population is an array of prepared
//! records (the measurement `prepared_faces` makes one). Every run draws n of them without replacement; modes are judged by all of them.
//!
//! The last columns are peers at the same μ, with normal noise in floating point (nothing of them is released): Analyze Gauss (Dwork,
//! Talwar, Thakurta and Zhang 2014) on 300 coefficients about the template, and noisy subspace iteration (Hardt and Price 2014) in two steps
//! with our coefficients, centre and radius; and k-DP-PCA, likewise and with the reach of its gradients unpaid, by the best number of steps.

use crate::dp_pca::{STEPS, k_dp_pca};
use nalgebra::DMatrix;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use std::error::Error;
use std::path::Path;
use visard::function::FaceCurves;
use visard::io::npy;
use visard::prelude::*;
use visard::reproduce::{analyze_gauss, subspace_iteration};
use visard::study::face::modes::{Explained, cosine, mechanism};
use visard::study::face::{TemplateSource, load_template};
use visard::study::tangent::SampledModes;

/// How many modes are compared.
const MODES: usize = 5;
/// What theory asks for at μ = 1: n, and the least that five modes explain relative to five without privacy.
const WANTED: [(usize, f64); 3] = [(300, 0.86), (1000, 0.955), (3000, 0.98)];

/// The population, and its own modes.
struct Population {
    own: FaceCurves,
    faces: Vec<Vec<f64>>,
    judged: Explained,
    truth: Vec<(f64, Vec<f64>)>,
}

/// What one run says: private, and the same without privacy.
struct Run {
    explained: f64,
    plain_explained: f64,
    visible: f64,
    angle: f64,
    plain_angle: f64,
    variance_error: f64,
    plain_variance_error: f64,
    mean_rms: f64,
    stated_rms: f64,
    analyze_gauss: f64,
    iteration: f64,
    k_dp_pca: [f64; STEPS.len()],
}

impl Population {
    fn read(file: &Path) -> Result<Self, Box<dyn Error>> {
        let array = npy::read(file)?;
        let [_, curves, samples, 3] = array.shape[..] else { return Err("not (n, J, m, 3)".into()) };
        let faces: Vec<Vec<f64>> =
            array.data.chunks_exact(3 * curves * samples).map(<[f64]>::to_vec).collect();
        let own = load_template(&TemplateSource::Builtin)?.template.own_curves(curves, samples)?;
        let judged = Explained::by(&faces).ok_or("no faces")?;
        let truth = judged.leading(MODES);
        Ok(Self { own, faces, judged, truth })
    }

    fn run(&self, n: usize, mu: f64, seed: u64) -> Result<Run, Box<dyn Error + Send + Sync>> {
        let mut order: Vec<usize> = (0..self.faces.len()).collect();
        order.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
        let sample: Vec<Vec<f64>> = order.iter().take(n).map(|&i| self.faces[i].clone()).collect();
        let plain = Explained::of_sample(&sample, MODES);
        let records: Vec<Option<Vec<f64>>> = sample.into_iter().map(Some).collect();
        let mechanism = mechanism(&self.own, n as u64, Mu::new(mu)?)?;
        let mut noise = NoiseSource::seeded(seed);
        let prepared = mechanism.prepare(&records)?;
        let paid = visard::privacy::pay(mechanism.price(), &mut Ledger::in_memory(None))?;
        let released = visard::privacy::draw(&mechanism, &prepared, &mut noise, paid)?;
        let SampledModes { mean: found, modes, fields } =
            SampledModes::of(&mechanism, &released.value, MODES)?;
        let directions: Vec<Vec<f64>> = plain.iter().map(|(_, direction)| direction.clone()).collect();
        let angle = |direction: Option<&Vec<f64>>| match direction {
            Some(direction) => cosine(direction, &self.truth[0].1).min(1.0).acos().to_degrees(),
            None => 90.0,
        };
        let off = |variances: &[f64]| {
            let one = |(k, (truth, _)): (usize, &(f64, Vec<f64>))| {
                (variances.get(k).copied().unwrap_or(0.0) / truth - 1.0).abs()
            };
            self.truth.iter().take(3).enumerate().map(one).sum::<f64>() / 3.0
        };
        let points = self.own.data().len() as f64 / 3.0;
        let mean: Vec<f64> = (0..self.own.data().len())
            .map(|j| records.iter().flatten().map(|r| r[j]).sum::<f64>() / n as f64)
            .collect();
        let square = found.samples.iter().zip(&mean).map(|(x, y)| (x - y).powi(2)).sum::<f64>() / points;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let peer = |modes: Vec<Vec<f64>>| self.judged.variance(&modes);
        let analyze_gauss = peer(analyze_gauss(&self.own, &records, MODES, mu, &mut rng)?);
        let iteration =
            peer(subspace_iteration(&mechanism, &released.value.recentred, &records, MODES, &mut rng)?);
        let leading = mechanism.coordinates();
        let recentred = &released.value.recentred;
        let about: Vec<Vec<f64>> =
            leading.of_records(&records)?.iter().map(|u| recentred.about(u.as_deref())).collect();
        let rows = DMatrix::from_fn(n, about[0].len(), |i, j| about[i][j]);
        let second = mechanism.vectors().recentring().second().get();
        let k_dp_pca = STEPS.map(|steps| {
            let modes = k_dp_pca(&rows, MODES, steps, second, &mut rng);
            peer(modes.iter().map(|mode| leading.displacement(mode.as_slice())).collect())
        });
        Ok(Run {
            analyze_gauss,
            iteration,
            k_dp_pca,
            explained: self.judged.variance(&fields),
            plain_explained: self.judged.variance(&directions),
            visible: modes.visible as f64,
            angle: angle(fields.first()),
            plain_angle: angle(directions.first()),
            variance_error: off(&modes.modes.iter().map(|mode| mode.variance).collect::<Vec<_>>()),
            plain_variance_error: off(&plain.iter().map(|(v, _)| *v).collect::<Vec<_>>()),
            mean_rms: square.sqrt(),
            stated_rms: (found.errors.iter().sum::<f64>() / points).sqrt(),
        })
    }
}

/// Prints the table; the words are those after its name on the command line.
pub fn run(words: &[String]) -> Result<(), Box<dyn Error>> {
    let Some(file) = words.first() else {
        println!("usage: measure modes_table POPULATION.npy [RUNS] [SIZES] [BUDGETS] [check]");
        return Ok(());
    };
    let given = |i: usize, otherwise: &'static str| words.get(i).map_or(otherwise, String::as_str);
    let runs: u64 = given(1, "6").parse()?;
    let sizes = given(2, "300,1000,3000").split(',').map(str::parse).collect::<Result<Vec<usize>, _>>()?;
    let budgets = given(3, "1,3").split(',').map(str::parse).collect::<Result<Vec<f64>, _>>()?;
    let population = Population::read(Path::new(file))?;
    println!(
        "| n | μ | seen | explained, relative | mode 1, degrees (no privacy) | three variances (no privacy) | mean, rms (stated) | Analyze Gauss | subspace iteration | k-DP-PCA |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    let mut enough = true;
    for &n in sizes.iter().filter(|n| **n <= population.faces.len()) {
        for &mu in &budgets {
            let cell: Vec<Run> = (0..runs)
                .into_par_iter()
                .map(|run| population.run(n, mu, 1000 * n as u64 + run))
                .collect::<Result<_, _>>()
                .map_err(|e| e.to_string())?;
            let mean = |of: &dyn Fn(&Run) -> f64| cell.iter().map(of).sum::<f64>() / cell.len() as f64;
            let relative = mean(&|r| r.explained) / mean(&|r| r.plain_explained);
            println!(
                "| {n} | {mu} | {:.1} | {relative:.3} | {:.1} ({:.1}) | {:.3} ({:.3}) | {:.5} ({:.5}) | {:.3} | {:.3} | {:.3} |",
                mean(&|r| r.visible),
                mean(&|r| r.angle),
                mean(&|r| r.plain_angle),
                mean(&|r| r.variance_error),
                mean(&|r| r.plain_variance_error),
                mean(&|r| r.mean_rms),
                mean(&|r| r.stated_rms),
                mean(&|r| r.analyze_gauss) / mean(&|r| r.plain_explained),
                mean(&|r| r.iteration) / mean(&|r| r.plain_explained),
                (0..STEPS.len()).map(|k| mean(&|r| r.k_dp_pca[k])).fold(0.0, f64::max)
                    / mean(&|r| r.plain_explained),
            );
            enough &= mu < 1.0 || WANTED.iter().all(|(size, least)| n < *size || relative >= *least);
        }
    }
    if words.iter().any(|word| word == "check") && !enough {
        return Err("private modes explain less than they should".into());
    }
    Ok(())
}
