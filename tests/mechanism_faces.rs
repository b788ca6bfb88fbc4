//! The promise of the default mechanism on faces of a public model: error at most twice the sampling error, and at
//! least 500 times below the paper's mechanism, at μ = 3 and n = 1000, with a public clip radius.

#[path = "../examples/mse_table/faces.rs"]
mod faces;

use faces::{FaceModel, generator, turned};
use std::path::PathBuf;
use visard::function::FaceCurves;
use visard::mechanism::functional::{
    FaceMean, FaceRelease, FaceSetting, JointMean, KernelSettings, PaperMean,
};
use visard::privacy::noise::NoiseSource;
use visard::privacy::{Ledger, Mu};

/// The model's folder, or `None` (said loudly) where it is absent.
fn model_folder() -> Option<PathBuf> {
    let data = std::env::var_os("VISARD_DATA").map_or("../shared/data".into(), PathBuf::from);
    let folder = data.join("faces_ict");
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("SKIPPED: no face model; set VISARD_DATA to the folder that holds faces_ict/");
    None
}

fn release(mechanism: &dyn FaceMean, faces: &[FaceCurves], seed: u64) -> FaceRelease {
    let mut tally = mechanism.start().unwrap();
    faces.iter().for_each(|face| mechanism.add(&mut tally, Some(face)).unwrap());
    tally.check_complete().unwrap();
    let paid = Ledger::in_memory(None).charge(mechanism.plan().mechanism, mechanism.plan().loss).unwrap();
    mechanism.release(tally, &mut NoiseSource::seeded(seed), paid).unwrap()
}

fn mean(faces: &[FaceCurves]) -> FaceCurves {
    let mut sum = vec![0.0; faces[0].data().len()];
    faces.iter().for_each(|f| sum.iter_mut().zip(f.data()).for_each(|(s, x)| *s += x / faces.len() as f64));
    FaceCurves::new(faces[0].curves(), faces[0].samples(), sum).unwrap()
}

#[test]
fn the_joint_mean_keeps_its_promise() {
    let Some(folder) = model_folder() else { return };
    let model = FaceModel::load(&folder, 23, 80).unwrap();
    let n = 1000;
    // The template is not the population's mean, but a face as far from it as any.
    let template = model.random(&mut generator(1));
    let faces: Vec<FaceCurves> =
        (0..n).map(|i| turned(&model.random(&mut generator(1000 + i)), &template)).collect();
    let truth = mean(&faces);
    let sampling =
        faces.iter().map(|f| f.mean_square_distance(&truth).unwrap()).sum::<f64>() / ((n - 1) * n) as f64;
    let setting = FaceSetting { template, radii: model.radii.clone(), records: n, mu: Mu::new(3.0).unwrap() };

    let joint = JointMean::new(setting.clone(), JointMean::default_clip().unwrap()).unwrap();
    let within =
        faces.iter().filter(|f| joint.norm(f).unwrap().unwrap() <= JointMean::DEFAULT_CLIP_RADIUS).count();
    assert!(within as f64 > 0.95 * n as f64, "only {within} faces are inside the default radius");
    let paper = PaperMean::as_published(setting, KernelSettings::paper().unwrap()).unwrap();
    let (mut ours, mut estimated, mut theirs) = (0.0, 0.0, 0.0);
    for seed in 0..3 {
        let r = release(&joint, &faces, seed);
        ours += r.curves.mean_square_distance(&truth).unwrap() / 3.0;
        estimated += r.estimated_error.unwrap() / 3.0;
        theirs += release(&paper, &faces, seed).curves.mean_square_distance(&truth).unwrap() / 3.0;
    }
    println!("joint {ours:.2e}, paper {theirs:.2e}, sampling error {sampling:.2e}");
    assert!(ours < 2.0 * sampling, "{ours} against a sampling error of {sampling}");
    assert!(ours < theirs / 500.0, "{ours} against the paper's {theirs}");
    // The release's own estimate of its error is right to within its spread.
    assert!((estimated / ours - 1.0).abs() < 0.2, "estimated {estimated}, found {ours}");
}
