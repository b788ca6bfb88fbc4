//! Error of every mechanism at several budgets, on the records a study has kept.
//!
//! `cargo run --release --example mse_table -- STUDY [N]` prints the mean square error per point of each private mean
//! against the non-private mean of the first N records, beside the sampling error of that mean. For the data holder only.

use std::error::Error;
use visard::function::{Domain, FaceCurves};
use visard::io::npy;
use visard::mechanism::functional::{FunctionalMean, MeanMechanism, Smoothing};
use visard::privacy::noise::NoiseSource;
use visard::privacy::{ClipRadius, ClipSource, Ledger, Mu};
use visard::study::face::mean::{self, FaceMechanism, JOINT_RADIUS};
use visard::study::face::{TemplateSource, load_template};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let Some(study) = arguments.next() else {
        println!("usage: mse_table STUDY [N]");
        return Ok(());
    };
    let limit = arguments.next().map_or(Ok(usize::MAX), |n| n.parse())?;
    let mut files: Vec<_> = std::fs::read_dir(std::path::Path::new(&study).join("internal/records"))?
        .flatten()
        .map(|e| e.path())
        .filter(|p| p.extension().is_some_and(|e| e == "npy"))
        .collect();
    files.sort();
    let records = files
        .iter()
        .take(limit)
        .map(|f| {
            let array = npy::read(f)?;
            Ok(Some(FaceCurves::new(array.shape[0], array.shape[1], array.data)?))
        })
        .collect::<Result<Vec<_>, Box<dyn Error>>>()?;
    let Some(Some(first)) = records.first() else { return Err("no records".into()) };
    let (curves, samples) = (first.curves(), first.samples());
    let own = load_template(&TemplateSource::Builtin)?.template.own_curves(curves, samples)?;
    let truth = mean::nonprivate_mean(&own, &records)?;
    let n = records.len() as f64;
    let spread: f64 = records.iter().flatten().map(|r| r.mean_square_distance(&truth)).sum::<f64>() / n;
    let mut deviations: Vec<f64> =
        records.iter().flatten().map(|r| r.mean_square_distance(&own).sqrt()).collect();
    deviations.sort_by(f64::total_cmp);
    println!(
        "n = {n}; sampling error of the mean {:.3e}; deviation from the template: median {:.4}, 99% {:.4}, largest {:.4}",
        spread / n,
        deviations[deviations.len() / 2],
        deviations[deviations.len() * 99 / 100],
        deviations[deviations.len() - 1]
    );
    println!("mu      paper      pointwise  curves     joint      joint+shrinkage");
    for mu in [0.1, 0.3, 1.0, 2.966, 3.0] {
        let mu = Mu::new(mu)?;
        let error = |mechanism: &dyn MeanMechanism| -> Result<f64, Box<dyn Error>> {
            let mut total = 0.0;
            for seed in 0..10 {
                let (mut ledger, mut noise) = (Ledger::in_memory(None), NoiseSource::seeded(seed));
                total += mean::release(mechanism, &own, &records, &mut ledger, &mut noise)?
                    .curves
                    .mean_square_distance(&truth);
            }
            Ok(total / 10.0)
        };
        let mut row = format!("{:<8}", mu.get());
        for kind in [FaceMechanism::Paper, FaceMechanism::Pointwise, FaceMechanism::Curves] {
            if let Some(mechanism) = mean::mechanism(kind, &own, &records, None, mu)? {
                row += &format!("{:.3e}  ", error(mechanism.as_ref())?);
            }
        }
        let clip = ClipRadius::new(JOINT_RADIUS, ClipSource::Public)?;
        for smoothing in [Smoothing::None, Smoothing::Shrink] {
            let domain = Domain::Disk { curves, samples };
            let mechanism = FunctionalMean::new(domain, 3, own.data().to_vec(), clip, mu, n as u64)?;
            row += &format!("{:.3e}  ", error(&mechanism.with_smoothing(smoothing))?);
        }
        println!("{row}");
    }
    Ok(())
}
