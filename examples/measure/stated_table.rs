//! True and stated errors of private mean shapes, over numbers of people and budgets.
//!
//! `cargo run --release --example measure -- stated_table LANDMARKS [private|public|outline[=N]] [RUNS] [N,N…] [MU,MU…]`: people are drawn with replacement from the
//! file, so that n may be larger than it. `public`: the centre is the file's first shape; `outline`: it is private, and the landmarks go around
//! an outline, or N. Riemannian distances, root mean squares over the runs.

use nalgebra::DMatrix;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use std::error::Error;
use std::path::Path;
use visard::io::{RecordSize, read_shapes};
use visard::manifold::LandmarkShapes;
use visard::mechanism::landmarks::{Centre, RADIUS, ShapeRecords, ShapeSetting};
use visard::prelude::*;
use visard::study::shape::{mean_accuracy, mean_mechanism};

type Fails = Box<dyn Error + Send + Sync>;

/// Squares: of the error, of what is stated, of what the centre alone would give; and 1 where an upper bound is stated.
type Squares = [f64; 4];

fn numbers<T: std::str::FromStr>(word: Option<&String>, usual: &str) -> Result<Vec<T>, T::Err> {
    word.map_or(usual, String::as_str).split(',').map(str::parse).collect()
}

fn one(
    space: LandmarkShapes,
    shapes: &[DMatrix<f64>],
    (centre, outlines): (&Centre, usize),
    (n, mu): (usize, Mu),
    seed: u64,
) -> Result<Squares, Fails> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let people: Vec<DMatrix<f64>> =
        (0..n).map(|_| shapes[rng.random_range(0..shapes.len())].clone()).collect();
    let truth = space.mean(&people).ok_or("no mean")?;
    let setting = ShapeSetting { space, centre: centre.clone(), outlines, radius: RADIUS, n: n as u64, mu };
    let mechanism = mean_mechanism(&setting, false)?;
    let records = ShapeRecords::of(people.into_iter().map(Some).collect());
    let mut noise = NoiseSource::seeded(seed);
    let released = release(&mechanism, &records, &mut Ledger::in_memory(None), &mut noise)?;
    let stated = mean_accuracy(&mechanism, &released)?;
    let released = released.value;
    let (tangent, _) = mechanism.about(&released.centre)?;
    let found = space.dist(&tangent.shape(&released.value.samples), &truth);
    let alone = space.dist(tangent.centre(), &truth);
    let bound = if stated.upper_bound { 1.0 } else { 0.0 };
    Ok([found * found, stated.rms * stated.rms, alone * alone, bound])
}

/// Prints the table; the words are those after its name on the command line.
pub fn run(words: &[String]) -> Result<(), Box<dyn Error>> {
    table(words).map_err(|e| e as Box<dyn Error>)
}

fn table(words: &[String]) -> Result<(), Fails> {
    let Some(file) = words.first() else {
        println!("usage: measure stated_table LANDMARKS [private|public|outline[=N]] [RUNS] [N,N…] [MU,MU…]");
        return Ok(());
    };
    let records = read_shapes(Path::new(file), RecordSize::Content)?.all()?;
    let first = records.first().ok_or("no shapes")?;
    let space = LandmarkShapes::new(first.landmarks(), first.dimension())?;
    let shapes: Vec<DMatrix<f64>> =
        records.iter().map(|r| Ok(space.preshape(&r.to_matrix())?.0)).collect::<Result<_, Fails>>()?;
    let seen_from = words.get(1).map_or("private", String::as_str);
    let public = seen_from == "public";
    let outlines: usize = match seen_from.strip_prefix("outline") {
        Some(count) => count.strip_prefix('=').map_or(Ok(1), str::parse)?,
        None => 0,
    };
    let centre = if public { Centre::Public(shapes[0].clone()) } else { Centre::Private };
    let runs: u64 = words.get(2).map_or(Ok(12), |runs| runs.parse())?;
    let spread = space.mean(&shapes).ok_or("no mean")?;
    let spread = shapes.iter().map(|z| space.dist(&spread, z).powi(2)).sum::<f64>() / shapes.len() as f64;
    println!(
        "{} shapes of {} landmarks, {:.4} from their mean",
        shapes.len(),
        space.landmarks(),
        spread.sqrt()
    );
    println!("     n    mu |   error  stated | stated/true | centre  sampling");
    for n in numbers::<usize>(words.get(3), "20,50,300,1000,3000")? {
        for mu in numbers::<f64>(words.get(4), "0.3,1,3")? {
            let cell: Vec<Squares> = (1..=runs)
                .into_par_iter()
                .map(|seed| one(space, &shapes, (&centre, outlines), (n, Mu::new(mu)?), seed))
                .collect::<Result<_, Fails>>()?;
            let root = |i: usize| (cell.iter().map(|x| x[i]).sum::<f64>() / runs as f64).sqrt();
            let (error, stated, alone) = (root(0), root(1), root(2));
            let sampling = (spread / n as f64).sqrt();
            println!(
                "{n:>6} {mu:>5} | {error:.5} {stated:.5} | {:.2} | {alone:.4} {sampling:.5} {}",
                stated / error,
                if root(3) > 0.0 { "upper bound" } else { "" }
            );
        }
    }
    Ok(())
}
