//! Faces of a public model as prepared records about the built-in template, (n, J, m, 3) in an NPY file.
//!
//! `cargo run --release --example measure -- prepared_faces ict|simpop|synthetic N OUT.npy [SEED]`; the first two need the shared data in the
//! folder `VISARD_DATA`.

use std::error::Error;
use std::path::{Path, PathBuf};
use visard::io::write_npy;
use visard::reproduce::{Context, FaceModel, faces_about_template};

/// Writes the faces.
pub fn run(words: &[String]) -> Result<(), Box<dyn Error>> {
    let [model, n, out, seed @ ..] = words else {
        println!("usage: measure prepared_faces ict|simpop|synthetic N OUT.npy [SEED]");
        return Ok(());
    };
    let model = match model.as_str() {
        "ict" => FaceModel::Ict,
        "simpop" => FaceModel::Simpop,
        "synthetic" => FaceModel::Synthetic,
        other => return Err(format!("no model {other}").into()),
    };
    let data = std::env::var_os("VISARD_DATA").map(PathBuf::from);
    let seed = seed.first().map_or(Ok(1), |s| s.parse())?;
    let (own, faces) = faces_about_template(&Context::new(data, false), model, n.parse()?, seed)?;
    let mean: Vec<f64> = (0..own.data().len())
        .map(|i| faces.iter().map(|f| f.data()[i]).sum::<f64>() / faces.len() as f64)
        .collect();
    let points = own.data().len() as f64 / 3.0;
    let square = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>() / points;
    let spread = faces.iter().map(|f| square(f.data(), &mean)).sum::<f64>() / faces.len() as f64;
    println!(
        "template from the mean {:.4}, a face from the mean {:.4}",
        square(own.data(), &mean).sqrt(),
        spread.sqrt()
    );
    let all: Vec<f64> = faces.iter().flat_map(|f| f.data().iter().copied()).collect();
    write_npy(Path::new(out), &[faces.len(), own.curves(), own.samples(), 3], &all)?;
    Ok(())
}
