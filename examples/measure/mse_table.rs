//! Error of every mechanism at several budgets and sample sizes.
//!
//! `cargo run --release --example measure -- mse_table STUDY` takes the records a study has kept (for the data holder only);
//! `… -- ict` draws 1000 homologous faces from the public ICT face model in the folder `VISARD_DATA` (or synthetic ones).
//! Printed: mean square error per point of each private mean against the non-private one, beside the sampling error of
//! that mean.

use std::error::Error;
use std::path::{Path, PathBuf};
use visard::function::FaceCurves;
use visard::io::npy;
use visard::privacy::{ClipRadius, ClipSource, Mu};
use visard::reproduce::{Context, Sample, homologous_faces, mean_errors, sampling_error};
use visard::study::StudyFolder;
use visard::study::face::{TemplateSource, load_template, mean::JOINT_RADIUS};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The public face records are clipped around, and the records.
type Population = (FaceCurves, Vec<Option<FaceCurves>>);

fn kept_by(study: &Path) -> Result<Population> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(StudyFolder::at(study).records())?
        .flatten()
        .map(|e| e.path())
        .filter(|p| p.extension().is_some_and(|e| e == "npy"))
        .collect();
    files.sort();
    let mut records = Vec::new();
    for file in &files {
        let array = npy::read(file)?;
        records.push(Some(FaceCurves::new(array.shape[0], array.shape[1], array.data)?));
    }
    let Some(Some(first)) = records.first() else { return Err("no records".into()) };
    let template = load_template(&TemplateSource::Builtin)?.template;
    Ok((template.own_curves(first.curves(), first.samples())?, records))
}

fn homologous() -> Result<Population> {
    let data = std::env::var_os("VISARD_DATA").map(PathBuf::from);
    let faces = homologous_faces(&Context::new(data, false), 1000)?;
    println!("{}", faces.source);
    Ok((faces.own, faces.records))
}

/// Prints the table; the words are those after its name on the command line.
pub fn run(words: &[String]) -> Result<()> {
    let mut words = words.iter();
    let (centre, records) = match words.next().map(String::as_str) {
        Some("ict") => homologous()?,
        Some(study) => kept_by(Path::new(study))?,
        None => {
            println!("usage: measure mse_table STUDY|ict [RADIUS]");
            return Ok(());
        }
    };
    let radius = words.next().map_or(Ok(JOINT_RADIUS), |r| r.parse())?;
    let radius = ClipRadius::new(radius, ClipSource::Public)?;
    for n in [30, 100, 300, 1000] {
        let n = n.min(records.len());
        table(Sample { centre: &centre, records: &records[..n], radius })?;
        if n == records.len() {
            break;
        }
    }
    Ok(())
}

fn table(sample: Sample<'_>) -> Result<()> {
    let sampling = sampling_error(sample.centre, sample.records)?;
    println!("\nn = {}; sampling error of the mean {sampling:.3e}", sample.records.len());
    for mu in [0.1, 0.3, 1.0, 3.0] {
        let errors = mean_errors(sample, Mu::new(mu)?, 5)?;
        if mu == 0.1 {
            errors.iter().for_each(|(name, _)| print!("{:>20}", name));
            println!("{:>8}", "mu");
        }
        errors.iter().for_each(|(_, error)| print!("{error:>20.3e}"));
        println!("{mu:>8}");
    }
    Ok(())
}
