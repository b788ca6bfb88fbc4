//! True and stated errors of the default private mean face, over numbers of people and budgets.
//!
//! `cargo run --release --example measure -- error_table PREPARED.npy [joint|joint-1] [RUNS] [N,N…] [PRIOR.npy|none] [MU,MU…]`: every run draws its people anew from the file.
//! Squared distances per point, three coordinates summed, on faces of unit area.

use std::error::Error;
use std::path::Path;
use visard::function::FaceCurves;
use visard::io::npy;
use visard::mechanism::functional::{Aim, CurveMean};
use visard::privacy::noise::NoiseSource;
use visard::privacy::{Ledger, Mu, release};
use visard::study::face::mean::{self, FaceMechanism, nonprivate_mean};
use visard::study::face::{ClipChoice, FacePrior, TemplateSource, load_template};

/// Prints the table; the words are those after its name on the command line.
pub fn run(words: &[String]) -> Result<(), Box<dyn Error>> {
    let [file, rest @ ..] = words else {
        println!(
            "usage: measure error_table PREPARED.npy [joint|joint-1] [RUNS] [N,N…] [PRIOR.npy|none] [MU,MU…]"
        );
        return Ok(());
    };
    let kind = match rest.first().map(String::as_str) {
        Some("joint-1") => FaceMechanism::JointOnce,
        _ => FaceMechanism::Joint,
    };
    let runs: u64 = rest.get(1).map_or(Ok(8), |r| r.parse())?;
    let array = npy::read(Path::new(file))?;
    let (curves, samples) = (array.shape[1], array.shape[2]);
    let people: Vec<FaceCurves> = array
        .data
        .chunks_exact(curves * samples * 3)
        .map(|face| FaceCurves::new(curves, samples, face.to_vec()))
        .collect::<Result<_, _>>()?;
    let own = load_template(&TemplateSource::Builtin)?.template.own_curves(curves, samples)?;
    let prior = rest
        .get(3)
        .filter(|path| *path != "none")
        .map(|path| FacePrior::load(Path::new(path), &own))
        .transpose()?;
    let of = |n: usize, mu: Mu| -> Result<CurveMean, Box<dyn Error>> {
        Ok(match (&prior, kind) {
            (Some(prior), FaceMechanism::Joint) => CurveMean::TwoRounds(Box::new(mean::two_rounds(
                Aim::Mean,
                &own,
                n as u64,
                ClipChoice::Default,
                mu,
                Some(prior),
            )?)),
            _ => mean::mechanism(kind, &own, n as u64, ClipChoice::Default, mu)?.ok_or("nothing")?,
        })
    };
    let all: Vec<Option<FaceCurves>> = people.iter().cloned().map(Some).collect();
    let population = nonprivate_mean(&own, &all)?;
    println!(
        "     n    mu    error   template sampling pop.error | stated rms/true rms: of means, least, most | data share | stated/true spread | bounds"
    );
    let budgets = rest.get(4).map_or("0.1,0.3,0.5,1,3", String::as_str);
    let budgets: Vec<f64> = budgets.split(',').map(str::parse).collect::<Result<_, _>>()?;
    let sizes = rest.get(2).map_or("30,100,300,1000,3000", String::as_str);
    for n in sizes.split(',').map(str::parse).collect::<Result<Vec<usize>, _>>()? {
        for &mu in &budgets {
            let cell = (0..runs).map(|run| one(&people, &own, &population, &of(n, Mu::new(mu)?)?, n, run));
            let cell: Vec<[f64; 8]> = cell.collect::<Result<_, _>>()?;
            let mean = |k: usize| cell.iter().map(|c| c[k]).sum::<f64>() / cell.len() as f64;
            let ratios: Vec<f64> = cell.iter().map(|c| (c[4] / c[0]).sqrt()).collect();
            let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
            let most = ratios.iter().copied().fold(0.0, f64::max);
            println!(
                "{n:>6} {mu:>5} {:>9.2e} {:>9.2e} {:>9.2e} {:>9.2e} | {:.2} {least:.2} {most:.2} | {:.2} | {:.2} | {:.2} {}",
                mean(0),
                mean(1),
                mean(2),
                mean(3),
                (mean(4) / mean(0)).sqrt(),
                mean(5),
                mean(6),
                mean(7),
                if mean(0) > 1.1 * mean(1) { "WORSE THAN THE TEMPLATE" } else { "" }
            );
        }
    }
    Ok(())
}

/// Error, template's error, sampling error, error against the population's mean, stated squared error, data share, stated over true spread of records, 1 for a bound.
fn one(
    people: &[FaceCurves],
    own: &FaceCurves,
    population: &FaceCurves,
    mechanism: &CurveMean,
    n: usize,
    run: u64,
) -> Result<[f64; 8], Box<dyn Error>> {
    let from = run as usize * n;
    let records: Vec<Option<FaceCurves>> =
        (from..from + n).map(|i| Some(people[i % people.len()].clone())).collect();
    let truth = nonprivate_mean(own, &records)?;
    let mut noise = NoiseSource::seeded(1000 * run + n as u64);
    let released = release(mechanism, &records, &mut Ledger::in_memory(None), &mut noise)?;
    let face = FaceCurves::new(own.curves(), own.samples(), released.value.samples.clone())?;
    let expected = released.value.mean_square_error(own.data().len() / 3);
    // As a study states it: a bound where the mean is found near the public radius.
    let (stated, bound) = match mechanism {
        CurveMean::TwoRounds(mean) if mean.is_at_the_edge(&released.value) => {
            (expected.max(mean.reach().powi(2)), 1.0)
        }
        _ => (expected, 0.0),
    };
    let template = own.mean_square_distance(&truth);
    let found = face.mean_square_distance(own) + expected;
    let mean_square = |of: &FaceCurves| {
        people.iter().map(|face| face.mean_square_distance(of)).sum::<f64>() / people.len() as f64
    };
    // 0 where the noise hides it.
    let spread = match mechanism {
        CurveMean::TwoRounds(mean) => {
            mean.record_spread(&released.value).map_or(0.0, |spread| spread.square.sqrt())
        }
        _ => 0.0,
    };
    Ok([
        face.mean_square_distance(&truth),
        template,
        truth.mean_square_distance(population),
        face.mean_square_distance(population),
        stated,
        (1.0 - expected / found).clamp(0.0, 1.0),
        spread / mean_square(population).sqrt(),
        bound,
    ])
}
