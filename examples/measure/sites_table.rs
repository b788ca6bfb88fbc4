//! What it costs that nothing is pooled: errors of the mean face of several sites beside those of one place with all the people.
//!
//! `cargo run --release --example measure -- sites_table PREPARED.npy [DRAWS] [SITES] [PEOPLE] [MU]`: that many people at each site, the first faces of
//! the file, the same in every draw. Errors are root-mean-square distances, on faces of unit area, from these people's mean without noise:
//! medians over the draws with their standard errors (of a median of as many normal numbers). The last line's rival has the budget μ/√K, for every site there
//! adds the whole noise.

use std::error::Error;
use std::path::Path;
use visard::function::{Basis, FaceCurves};
use visard::io::npy;
use visard::mechanism::MechanismError;
use visard::mechanism::functional::{Aim, FunctionRecords, NoisedFunction, Sharing, Sites, SitesMean};
use visard::privacy::noise::NoiseSource;
use visard::privacy::{Ledger, Mechanism, Mu, release};
use visard::study::face::mean::two_rounds;
use visard::study::face::{ClipChoice, TemplateSource, load_template};

/// The median of some draws' errors, and its standard error.
struct Median {
    value: f64,
    error: f64,
}

struct Table {
    own: FaceCurves,
    people: Vec<Option<Vec<f64>>>,
    mean: Vec<f64>,
    draws: u64,
}

impl Table {
    fn read(file: &str, n: usize, draws: u64) -> Result<Self, Box<dyn Error>> {
        let array = npy::read(Path::new(file))?;
        let (curves, samples) = (array.shape[1], array.shape[2]);
        let own = load_template(&TemplateSource::Builtin)?.template.own_curves(curves, samples)?;
        let faces = array.data.chunks_exact(own.data().len()).take(n);
        let people: Vec<Option<Vec<f64>>> = faces.map(|face| Some(face.to_vec())).collect();
        if people.len() < n {
            return Err(format!("{file} has {} faces, {n} are wanted", people.len()).into());
        }
        let mut mean = vec![0.0; own.data().len()];
        for face in people.iter().flatten() {
            mean.iter_mut().zip(face).for_each(|(m, x)| *m += x / n as f64);
        }
        Ok(Self { own, people, mean, draws })
    }

    fn distance(&self, samples: &[f64]) -> f64 {
        let square: f64 = samples.iter().zip(&self.mean).map(|(a, b)| (a - b).powi(2)).sum();
        (square / (self.mean.len() / 3) as f64).sqrt()
    }

    fn median<M>(&self, mechanism: &M) -> Result<Median, Box<dyn Error>>
    where
        M: Mechanism<Records = dyn FunctionRecords, Value = NoisedFunction, Error = MechanismError>,
    {
        let mut errors = Vec::new();
        for seed in 0..self.draws {
            let (mut ledger, mut noise) = (Ledger::in_memory(None), NoiseSource::seeded(seed));
            let released = release(mechanism, &self.people, &mut ledger, &mut noise)?;
            errors.push(self.distance(&released.value.samples));
        }
        errors.sort_by(f64::total_cmp);
        let m = errors.len() as f64;
        let mean = errors.iter().sum::<f64>() / m;
        let variance = errors.iter().map(|e| (e - mean).powi(2)).sum::<f64>() / (m - 1.0).max(1.0);
        Ok(Median {
            value: errors[errors.len() / 2],
            error: (std::f64::consts::FRAC_PI_2 * variance / m).sqrt(),
        })
    }

    fn central(&self, mu: f64) -> Result<Median, Box<dyn Error>> {
        let n = self.people.len() as u64;
        self.median(&two_rounds(Aim::Mean, &self.own, n, ClipChoice::Default, Mu::new(mu)?, None)?)
    }

    fn sites(&self, count: usize, sharing: Sharing, mu: f64) -> Result<Median, Box<dyn Error>> {
        let sizes = vec![(self.people.len() / count) as u64; count];
        let (template, curves, samples) = (self.own.data().to_vec(), self.own.curves(), self.own.samples());
        // The template that comes with the program is symmetric.
        let basis = Basis::of_faces(curves, samples, true);
        self.median(&SitesMean::new(basis, template, Mu::new(mu)?, Sites { sizes, sharing })?)
    }
}

/// Prints the table; the words are those after its name on the command line.
pub fn run(words: &[String]) -> Result<(), Box<dyn Error>> {
    let Some(file) = words.first() else {
        println!("usage: measure sites_table PREPARED.npy [DRAWS] [SITES] [PEOPLE] [MU]");
        return Ok(());
    };
    let number = |i: usize, default: f64| words.get(i).map_or(Ok(default), |text| text.parse::<f64>());
    let (draws, count, each, mu) =
        (number(1, 60.0)?, number(2, 5.0)? as usize, number(3, 200.0)?, number(4, 1.0)?);
    let table = Table::read(file, count * each as usize, draws as u64)?;
    println!("template published unread: {:.6}", table.distance(table.own.data()));
    let (whole, part) = (table.central(mu)?, table.central(mu / (count as f64).sqrt())?);
    let row = |what: &str, here: &Median, central: &Median| {
        let ratio = here.value / central.value;
        let error = ratio * (here.error / here.value).hypot(central.error / central.value);
        println!(
            "{what:<34} {:.6} ± {:.6}   in one place {:.6} ± {:.6}   ratio {ratio:.3} ± {error:.3}",
            here.value, here.error, central.value, central.error
        );
    };
    let honest = count as u64 - 1;
    row("noise by the sites, all but one", &table.sites(count, Sharing::Sites { honest }, mu)?, &whole);
    row("noise by two aggregators", &table.sites(count, Sharing::Aggregators, mu)?, &whole);
    row("every site the whole, against μ/√K", &table.sites(count, Sharing::Each, mu)?, &part);
    Ok(())
}
