//! Errors of mean surfaces as they were forecast, stated and found: `surface_plan_table RUNS [KIND…]`, of made-up organs laid onto the template
//! without scanning; by kind, n and μ root mean squares in mm: forecast as by default, forecast of people as far apart and off as these, stated,
//! found, and of the template unread.

use rand::SeedableRng;
use rand::seq::index::sample;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use std::error::Error;
use std::path::Path;
use visard::io::{npy, write_npy, write_ply};
use visard::mesh::{Point, Similarity, TriMesh};
use visard::privacy::{Mu, PrivacyLoss};
use visard::study::Place;
use visard::study::points::plan::{Guess, PointPlan};
use visard::study::tangent::{MeanStatistic, run_mean};
use visard::surface_study::{SurfaceInputs, SurfacePlan};
use visard::synth::{OrganConditions, OrganKind, organ_scan};

const SEED: u64 = 46;
const PEOPLE: u64 = 1200;
const SIZES: [u64; 3] = [100, 300, 1000];
const BUDGETS: [f64; 2] = [1.0, 3.0];

type Vertices = Vec<f64>;

pub fn run(words: &[String]) -> Result<(), Box<dyn Error>> {
    let runs: u64 = words.first().map_or(Ok(20), |w| w.parse())?;
    let wanted = |kind: &&OrganKind| words.len() < 2 || words[1..].iter().any(|w| w == kind.name());
    println!("kind n mu forecast forecast_told stated found template stated/found forecast/found told/found");
    OrganKind::ALL.iter().filter(wanted).try_for_each(|kind| table(*kind, runs))
}

fn table(kind: OrganKind, runs: u64) -> Result<(), Box<dyn Error>> {
    let mesh = kind.template();
    let shares = mesh.vertex_shares();
    let people: Vec<Vertices> =
        (0..PEOPLE).into_par_iter().filter_map(|i| laid(kind, mesh, &shares, i)).collect();
    let all: Vec<&Vertices> = people.iter().collect();
    let size = |a: &[f64], b: &[f64]| -> f64 {
        let square = |p: &[f64], q: &[f64]| p.iter().zip(q).map(|(x, y)| (x - y).powi(2)).sum::<f64>();
        a.chunks(3).zip(b.chunks(3)).zip(&shares).map(|((p, q), w)| w * square(p, q)).sum::<f64>().sqrt()
    };
    let flat: Vertices = mesh.vertices().iter().flat_map(|p| [p.x, p.y, p.z]).collect();
    let mean = mean(&all);
    let spread = (people.iter().map(|p| size(p, &mean).powi(2)).sum::<f64>() / people.len() as f64).sqrt();
    let distance = size(&mean, &flat);
    let folder = std::env::temp_dir().join(format!("surface_plan_{}_{}", kind.name(), std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let template = folder.join("template.ply");
    write_ply(&template, mesh)?;
    let plan = SurfacePlan::open(&SurfaceInputs::new(Vec::new(), &template, Place::new(".")))?;
    let radius = plan.radius();
    println!(
        "{}: {spread:.3} apart, {distance:.3} off; radius {radius:.3}: {:.2}, {:.2} of it",
        kind.name(),
        spread / radius,
        distance / radius
    );
    for n in SIZES {
        for mu in BUDGETS {
            let budget = Mu::new(mu)?;
            let forecast = |guess: Guess| -> Result<f64, Box<dyn Error>> {
                let asked = PointPlan {
                    sizes: vec![n],
                    budgets: vec![PrivacyLoss::Gaussian(budget)],
                    mechanism: None,
                    guess,
                };
                Ok(plan.means(&asked)?[0].error.unwrap_or(f64::NAN))
            };
            let usual = forecast(plan.guess())?;
            let told = forecast(Guess { spread, distance })?;
            let one = |run: u64| -> Result<[f64; 3], String> {
                let mut rng = ChaCha8Rng::seed_from_u64(SEED + run);
                let chosen: Vec<&Vertices> =
                    sample(&mut rng, people.len(), n as usize).iter().map(|i| &people[i]).collect();
                release(&folder, run, &template, &chosen, budget, &|a, b| size(a, b), &flat)
                    .map_err(|e| e.to_string())
            };
            let found: Vec<[f64; 3]> = (0..runs).into_par_iter().map(one).collect::<Result<_, _>>()?;
            let of = |k: usize| (found.iter().map(|f| f[k] * f[k]).sum::<f64>() / found.len() as f64).sqrt();
            let (stated, off) = (of(0), of(1));
            println!(
                "{} {n} {mu} {usual:.3} {told:.3} {stated:.3} {off:.3} {:.3} {:.2} {:.2} {:.2}",
                kind.name(),
                of(2),
                stated / off,
                usual / off,
                told / off
            );
        }
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

/// Somebody's organ at the template's vertices, moved, turned and scaled onto the template.
fn laid(kind: OrganKind, mesh: &TriMesh, shares: &[f64], index: u64) -> Option<Vertices> {
    // Only the truth is used: the scan itself may be coarse.
    let conditions = OrganConditions { spacing: (2.0, 2.0), moved: false, ..OrganConditions::default() };
    let truth: Vec<Point> = organ_scan(kind, SEED, index, &conditions).truth;
    let onto = Similarity::fit(&truth, mesh.vertices(), shares)?;
    Some(truth.iter().map(|p| onto.apply(p)).flat_map(|p| [p.x, p.y, p.z]).collect())
}

fn mean(of: &[&Vertices]) -> Vertices {
    let mut out = vec![0.0; of[0].len()];
    of.iter().for_each(|p| out.iter_mut().zip(*p).for_each(|(sum, x)| *sum += x / of.len() as f64));
    out
}

/// The error of one release as it is stated and found, and that of the template.
fn release(
    folder: &Path,
    run: u64,
    template: &Path,
    chosen: &[&Vertices],
    budget: Mu,
    size: &dyn Fn(&[f64], &[f64]) -> f64,
    flat: &[f64],
) -> Result<[f64; 3], Box<dyn Error>> {
    let records = folder.join(format!("{run}.npy"));
    let shape = [chosen.len(), flat.len() / 3, 3];
    write_npy(&records, &shape, &chosen.iter().flat_map(|p| p.iter().copied()).collect::<Vec<f64>>())?;
    let out = folder.join(format!("study-{run}"));
    let place = Place { seed: Some(run + 1), ..Place::new(&out) };
    let inputs =
        SurfaceInputs { prepared: Some(records.clone()), ..SurfaceInputs::new(Vec::new(), template, place) };
    let outcome = run_mean(&inputs.into(), MeanStatistic { budget, band: false, private_radius: false })?;
    let released = npy::read(&out.join("release/mean.npy"))?.data;
    let own = mean(chosen);
    std::fs::remove_dir_all(&out)?;
    std::fs::remove_file(&records)?;
    Ok([outcome.found.accuracy.rms, size(&released, &own), size(flat, &own)])
}
