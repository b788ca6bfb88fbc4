//! Outlines that change with age, privately: a regression of closed curves on a covariate, in a public spline basis, by the library.
//!
//! `cargo run --release --example outline_growth`

use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, StandardNormal};
use std::error::Error;
use std::f64::consts::TAU;
use std::sync::Arc;
use visard::estimate::Design;
use visard::function::{Basis, Domain};
use visard::mechanism::functional::{AboutPublic, FunctionRegression, SampledRecords};
use visard::prelude::*;

const POINTS: usize = 60;

/// A leaf-like outline: longer with age, fast at first.
fn outline(age: f64) -> Vec<f64> {
    let length = 1.0 + 0.02 * (1.0 - (-age / 4.0).exp());
    let at = |l: usize| TAU * l as f64 / POINTS as f64;
    (0..POINTS).flat_map(|l| [0.5 * length * at(l).cos(), 0.3 * at(l).sin()]).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let basis = Basis::new(Domain::Circle { samples: POINTS }, 2);
    let n = 2000;
    // Public: ages lie between 0 and 16, growth is a natural cubic spline of three columns, outlines are near that of age 8.
    let design = Design::parse(&["age=0:16".into()], &[], &["age=3".into()])?;
    let template = outline(8.0);
    let regression = FunctionRegression::new(basis.clone(), template, 1.0, design.clone(), n, Mu::new(1.0)?)?;
    let mechanism = AboutPublic(Arc::new(regression));

    // The records: secret.
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
    let ages: Vec<f64> = (0..n).map(|_| rng.random_range(0.0..16.0)).collect();
    let outlines: Vec<Option<Vec<f64>>> = ages
        .iter()
        .map(|age| {
            let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
            let (wide, bent) = (0.01 * normal(), 0.005 * normal());
            let place = outline(*age).into_iter().enumerate();
            Some(
                place
                    .map(|(i, x)| x * (1.0 + wide) + bent * (TAU * i as f64 / POINTS as f64).sin())
                    .collect(),
            )
        })
        .collect();
    let rows = ages.iter().map(|age| design.row(&[Some(*age)])).collect();
    let records = SampledRecords { samples: Arc::new(outlines), rows };

    let mut noise = NoiseSource::from_os()?;
    let released = release(&mechanism, &records, &mut Ledger::in_memory(None), &mut noise)?;
    // From here on everything is public.
    let fields = mechanism.0.fields(&released.value)?;
    let at = |age: f64| -> Vec<f64> {
        let row = design.from_reference(&[Some(age)]);
        let mut outline = fields.mean.clone();
        for (field, x) in fields.columns.iter().zip(&row[1..]) {
            outline.iter_mut().zip(&field.samples).for_each(|(o, f)| *o += x * f);
        }
        outline
    };
    let rms = |a: &[f64], b: &[f64]| {
        (a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>() / POINTS as f64).sqrt()
    };
    println!("age   growth since birth: private, true");
    for age in [2.0, 4.0, 8.0, 16.0] {
        println!("{age:>3}   {:.4}  {:.4}", rms(&at(age), &at(0.0)), rms(&outline(age), &outline(0.0)));
    }
    let error = rms(&at(16.0), &outline(16.0));
    println!("error at 16: {error:.4}; R² {:?}", fields.explained.share());
    assert!(error < 0.5 * rms(&outline(16.0), &outline(0.0)));
    Ok(())
}
