//! Error of every mechanism at several budgets and sample sizes.
//!
//! `cargo run --release --example mse_table -- STUDY` takes the records a study has kept (for the data holder only);
//! `… -- ict` draws up to 1000 homologous faces from the public ICT face model in the folder `VISARD_DATA`.
//! Printed: mean square error per point of each private mean against the non-private one, beside the sampling error of
//! that mean.

use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use std::error::Error;
use std::path::{Path, PathBuf};
use visard::function::{Domain, FaceCurves};
use visard::io::npy;
use visard::mechanism::functional::{
    BlockNoise, FunctionalMean, MeanMechanism, PerCurveMean, PerCurveSettings, PointwiseMean, RangeScale,
    Smoothing,
};
use visard::mesh::{Point, TriMesh};
use visard::privacy::noise::NoiseSource;
use visard::privacy::{ClipRadius, ClipSource, Ledger, Mu};
use visard::study::face::{TemplateSource, load_template, mean};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Records, and the public face they are clipped around.
struct Population {
    own: FaceCurves,
    records: Vec<Option<FaceCurves>>,
}

fn kept_by(study: &Path) -> Result<Population> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(study.join("internal/records"))?
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
    Ok(Population { own: template.own_curves(first.curves(), first.samples())?, records })
}

/// Faces neutral + Σ w mode with standard normal weights; the neutral face, which is public, is the template.
fn homologous(n: usize) -> Result<Population> {
    let data = std::env::var("VISARD_DATA").unwrap_or_else(|_| "../shared/data".to_owned());
    let read = |name: &str| npy::read(&Path::new(&data).join("faces_ict").join(name));
    let (neutral, modes, faces) =
        (read("ict_neutral.npy")?, read("ict_identity_modes.npy")?, read("ict_faces.npy")?);
    let points = |v: &[f64]| v.chunks(3).map(|c| Point::new(c[0], c[1], c[2])).collect::<Vec<_>>();
    let triangles = faces.data.chunks(3).map(|t| [t[0] as usize, t[1] as usize, t[2] as usize]).collect();
    let mesh = TriMesh::new(points(&neutral.data), triangles)?;
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("ict_neutral.ply");
    visard::io::write_ply(&file, &mesh)?;
    let template = load_template(&TemplateSource::File(file))?.template;
    let (curves, samples) = (23, 80);
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
    let mut records = Vec::with_capacity(n);
    for _ in 0..n {
        let mut v = neutral.data.clone();
        for mode in modes.data.chunks(v.len()) {
            let w: f64 = StandardNormal.sample(&mut rng);
            v.iter_mut().zip(mode).for_each(|(v, m)| *v += w * m);
        }
        records.push(Some(template.curves_of(&points(&v), curves, samples)?));
    }
    Ok(Population { own: template.own_curves(curves, samples)?, records })
}

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let population = match arguments.next().as_deref() {
        Some("ict") => homologous(1000)?,
        Some(study) => kept_by(Path::new(study))?,
        None => {
            println!("usage: mse_table STUDY|ict [RADIUS]");
            return Ok(());
        }
    };
    let radius = arguments.next().map_or(Ok(mean::JOINT_RADIUS), |r| r.parse())?;
    for n in [30, 100, 300, 1000] {
        let n = n.min(population.records.len());
        table(&population.own, &population.records[..n], radius)?;
        if n == population.records.len() {
            break;
        }
    }
    Ok(())
}

fn table(own: &FaceCurves, records: &[Option<FaceCurves>], radius: f64) -> Result<()> {
    let truth = mean::nonprivate_mean(own, records)?;
    let n = records.len() as f64;
    let spread: f64 = records.iter().flatten().map(|r| r.mean_square_distance(&truth)).sum::<f64>() / n;
    let mut deviations: Vec<f64> =
        records.iter().flatten().map(|r| r.mean_square_distance(own).sqrt()).collect();
    deviations.sort_by(f64::total_cmp);
    println!(
        "\nn = {n}; sampling error of the mean {:.3e}; deviation from the template: median {:.4}, 99% {:.4}, \
         largest {:.4}; of the mean {:.4}",
        spread / n,
        deviations[deviations.len() / 2],
        deviations[deviations.len() * 99 / 100],
        deviations[deviations.len() - 1],
        truth.mean_square_distance(own).sqrt()
    );
    println!("mu      paper      exact      matched    centred    pointwise  joint      joint+shrinkage");
    for mu in [0.1, 0.3, 1.0, 3.0] {
        let mu = Mu::new(mu)?;
        let mut row = format!("{:<8}", mu.get());
        for mechanism in mechanisms(own, records, radius, mu)? {
            let mut total = 0.0;
            let draws = 5;
            for seed in 0..draws {
                let (mut ledger, mut noise) = (Ledger::in_memory(None), NoiseSource::seeded(seed));
                total += mean::release(mechanism.as_ref(), own, records, &mut ledger, &mut noise)?
                    .curves
                    .mean_square_distance(&truth);
            }
            row += &format!("{:.3e}  ", total / draws as f64);
        }
        println!("{row}");
    }
    Ok(())
}

/// Paper, exact sensitivity, matched noise, centred, pointwise, joint, joint with shrinkage. The uncentred ones and the
/// pointwise one take the largest norms in the data, as the paper does: more than a private release may.
fn mechanisms(
    own: &FaceCurves,
    records: &[Option<FaceCurves>],
    radius: f64,
    mu: Mu,
) -> Result<Vec<Box<dyn MeanMechanism>>> {
    let n = records.len() as u64;
    let public = ClipRadius::new(radius, ClipSource::Public)?;
    let largest = PerCurveMean::radii_from_data(own, records, false)?;
    let tight = vec![public; 3 * own.curves()];
    let settings = PerCurveSettings::paper().ok_or("settings")?;
    let with = |noise, centred| PerCurveSettings { noise, centred, ..settings.clone() };
    let of_data = PointwiseMean::from_data(
        own.data(),
        records.iter().map(|r| r.as_ref().map(FaceCurves::data)),
        RangeScale::OfMean,
        mu,
        n,
    )?;
    let domain = Domain::Disk { curves: own.curves(), samples: own.samples() };
    let joint = FunctionalMean::new(domain, 3, own.data().to_vec(), public, mu, n)?;
    let mut all: Vec<Box<dyn MeanMechanism>> = Vec::new();
    for (radii, noise, centred) in [
        (&largest, BlockNoise::PaperBound, false),
        (&largest, BlockNoise::ExactBound, false),
        (&largest, BlockNoise::Matched, false),
        (&tight, BlockNoise::Matched, true),
    ] {
        all.push(Box::new(PerCurveMean::new(own.clone(), radii, with(noise, centred), mu, n)?));
    }
    all.push(Box::new(of_data));
    all.push(Box::new(joint.with_smoothing(Smoothing::None)));
    all.extend(mean::mechanism(mean::FaceMechanism::Joint, own, records, Some(public), mu)?);
    Ok(all)
}
