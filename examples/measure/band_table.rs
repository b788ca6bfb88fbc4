//! How often the band of a private mean face holds the population's mean, and how wide it is, over numbers of people and budgets.
//!
//! `cargo run --release --example measure -- band_table PREPARED.npy [RUNS] [N,N…] [MU,MU…] [check]`: the faces of the file are the population;
//! every run draws its people from them anew, with replacement, so that the population's mean is known. Half-widths are averages over
//! points and coordinates, on faces of unit area; beside them those of a band without privacy. With `check` it fails where coverage is
//! out of [.92, 1].

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use std::borrow::Cow;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use visard::function::FaceCurves;
use visard::io::npy;
use visard::mechanism::functional::{Aim, FunctionRecords};
use visard::privacy::noise::NoiseSource;
use visard::privacy::{Ledger, Mu, release};
use visard::study::face::mean::two_rounds;
use visard::study::face::{ClipChoice, TemplateSource, load_template};

/// People drawn from the faces of a file.
struct Sample {
    faces: Arc<Vec<FaceCurves>>,
    drawn: Vec<usize>,
}

impl FunctionRecords for Sample {
    fn count(&self) -> usize {
        self.drawn.len()
    }
    fn samples(&self, i: usize) -> Option<Cow<'_, [f64]>> {
        Some(Cow::Borrowed(self.faces[*self.drawn.get(i)?].data()))
    }
}

/// All faces of a file.
struct Population {
    own: FaceCurves,
    faces: Arc<Vec<FaceCurves>>,
    mean: Vec<f64>,
    /// Of a single face, at every sample.
    deviation: Vec<f64>,
}

impl Population {
    fn read(file: &str) -> Result<Self, Box<dyn Error>> {
        let array = npy::read(Path::new(file))?;
        let (curves, samples) = (array.shape[1], array.shape[2]);
        let faces: Vec<FaceCurves> = array
            .data
            .chunks_exact(curves * samples * 3)
            .map(|face| FaceCurves::new(curves, samples, face.to_vec()))
            .collect::<Result<_, _>>()?;
        let own = load_template(&TemplateSource::Builtin)?.template.own_curves(curves, samples)?;
        let count = faces.len() as f64;
        let (mut mean, mut square) = (vec![0.0; own.data().len()], vec![0.0; own.data().len()]);
        for face in &faces {
            mean.iter_mut().zip(face.data()).for_each(|(m, x)| *m += x / count);
        }
        for face in &faces {
            square
                .iter_mut()
                .zip(face.data().iter().zip(&mean))
                .for_each(|(s, (x, m))| *s += (x - m).powi(2) / count);
        }
        let deviation = square.into_iter().map(f64::sqrt).collect();
        Ok(Self { own, faces: Arc::new(faces), mean, deviation })
    }

    /// Root-mean-square distance of a face from the mean.
    fn spread(&self) -> f64 {
        (self.deviation.iter().map(|d| d * d).sum::<f64>() / (self.mean.len() / 3) as f64).sqrt()
    }

    /// The mean half-width of a band for the mean of one face without privacy: over √n for n.
    fn half_width(&self) -> f64 {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let some = &self.faces[..self.faces.len().min(600)];
        let mut largest: Vec<f64> = (0..200)
            .map(|_| {
                let mut field = vec![0.0; self.mean.len()];
                for face in some {
                    let z: f64 = StandardNormal.sample(&mut rng);
                    let scale = z / (some.len() as f64).sqrt();
                    field
                        .iter_mut()
                        .zip(face.data().iter().zip(&self.mean))
                        .for_each(|(f, (x, m))| *f += scale * (x - m));
                }
                field.iter().zip(&self.deviation).map(|(f, d)| (f / d).abs()).fold(0.0, f64::max)
            })
            .collect();
        largest.sort_by(f64::total_cmp);
        largest[190] * self.deviation.iter().sum::<f64>() / self.deviation.len() as f64
    }

    fn sample<R: Rng>(&self, n: usize, rng: &mut R) -> Sample {
        let drawn = (0..n).map(|_| rng.random_range(0..self.faces.len())).collect();
        Sample { faces: self.faces.clone(), drawn }
    }
}

/// One release.
struct Run {
    /// Whether its band holds the population's mean.
    holds: bool,
    half_width: f64,
    reach: f64,
    /// The records' spread, where the release tells it.
    spread: Option<f64>,
}

fn one(population: &Population, n: usize, mu: f64, run: u64) -> Result<Run, Box<dyn Error>> {
    let mut rng = ChaCha8Rng::seed_from_u64(run);
    rng.set_stream(n as u64);
    let people = population.sample(n, &mut rng);
    let mechanism =
        two_rounds(Aim::Band, &population.own, n as u64, ClipChoice::Default, Mu::new(mu)?, None)?;
    let mut noise = NoiseSource::seeded(1000 * run + n as u64);
    let released = release(&mechanism, &people, &mut Ledger::in_memory(None), &mut noise)?;
    let band = mechanism.band(&released.value).ok_or("no band")?;
    let spread = mechanism.record_spread(&released.value).map(|spread| spread.square.sqrt());
    let holds = band.holds(&population.mean);
    Ok(Run { holds, half_width: band.mean_half_width(), reach: band.reach, spread })
}

/// Prints the table; the words are those after its name on the command line.
pub fn run(words: &[String]) -> Result<(), Box<dyn Error>> {
    let [file, rest @ ..] = words else {
        println!("usage: measure band_table PREPARED.npy [RUNS] [N,N…] [MU,MU…] [check]");
        return Ok(());
    };
    let runs: u64 = rest.first().map_or(Ok(40), |r| r.parse())?;
    let numbers = |place: usize, default: &str| rest.get(place).map_or(default, String::as_str).to_owned();
    let sizes = numbers(1, "100,300,1000").split(',').map(str::parse).collect::<Result<Vec<usize>, _>>()?;
    let budgets = numbers(2, "0.5,1,3").split(',').map(str::parse).collect::<Result<Vec<f64>, _>>()?;
    let population = Population::read(file)?;
    let (alone, spread) = (population.half_width(), population.spread());
    println!(
        "     n    mu  coverage  half-width  without privacy  ratio  reach | stated spread over true, told in"
    );
    let mut held_everywhere = true;
    for n in sizes {
        for mu in &budgets {
            let cell: Vec<Run> =
                (0..runs).map(|run| one(&population, n, *mu, run)).collect::<Result<_, _>>()?;
            let mean = |of: &dyn Fn(&Run) -> f64| cell.iter().map(of).sum::<f64>() / cell.len() as f64;
            let coverage = mean(&|run| f64::from(u8::from(run.holds)));
            let width = mean(&|run| run.half_width);
            let told: Vec<f64> = cell.iter().filter_map(|run| run.spread).collect();
            let plain = alone / (n as f64).sqrt();
            println!(
                "{n:>6} {mu:>5}  {coverage:>8.3}  {width:>10.5}  {plain:>15.5}  {:>5.2}  {:>5.2} | {:.2} {:.2}",
                width / plain,
                mean(&|run| run.reach),
                told.iter().sum::<f64>() / told.len().max(1) as f64 / spread,
                told.len() as f64 / cell.len() as f64,
            );
            held_everywhere &= coverage >= 0.92;
        }
    }
    if rest.iter().any(|word| word == "check") && !held_everywhere {
        return Err("a band holds the population's mean too seldom".into());
    }
    Ok(())
}
