//! Mean-square error of every private mean of faces, beside the sampling error of the mean itself.
//!
//! Faces of a public model in perfect correspondence (so that only the mechanism is measured), 23 curves of 80 samples,
//! unit area. The error is the squared distance at a point between the release and the mean of the same faces without
//! noise and without clipping, averaged over points and draws.
//!
//! | column | mechanism |
//! | --- | --- |
//! | sampling | (none) error of the mean of n faces as an estimate of the population's |
//! | template | (none) the template itself, released in place of a mean |
//! | pointwise | every coordinate noised apart, public ranges |
//! | paper, paper* | as published (radius measured, so not private); * against its own smoothed mean: the noise alone |
//! | exact, exact* | the paper's noise at the exact sensitivity, public radii, best budget split |
//! | matched, matched* | the least noise for the same smoother |
//! | centred, +shrink | matched noise on deviations from the template, unsmoothed; denoised |
//! | flat, +shrink | one clip of the whole face in L²; denoised |
//! | joint, joint+s | one clip in the spectrally weighted norm; denoised: the default |
//!
//! `VISARD_DATA=… cargo run --release --example mse_table [draws]`

mod faces;

use faces::{FaceModel, generator, turned};
use rayon::prelude::*;
use std::error::Error;
use std::path::PathBuf;
use visard::function::{Circle, FaceCurves, Shrinkage};
use visard::mechanism::functional::{
    CurveNoise, CurvesMean, FaceMean, FaceSetting, JointMean, KernelSettings, PaperMean, PointwiseMean,
    PointwiseRange, SpectralWeight,
};
use visard::privacy::noise::NoiseSource;
use visard::privacy::{ClipRadius, ClipSource, Ledger, Mu};

const COUNTS: [usize; 4] = [30, 100, 300, 1000];
const MUS: [f64; 4] = [0.1, 0.3, 1.0, 3.0];

fn main() -> Result<(), Box<dyn Error>> {
    let draws: u64 = std::env::args().nth(1).map_or(Ok(5), |a| a.parse())?;
    let data = std::env::var_os("VISARD_DATA").map_or("../shared/data".into(), PathBuf::from);
    let model = FaceModel::load(&data.join("faces_ict"), 23, 80)?;
    // A study's population is not centred on the public template: a typical distance off, and the model's mean.
    let stranger = model.random(&mut generator(1));
    let largest = COUNTS[COUNTS.len() - 1];
    for (name, template) in [("another random face", stranger), ("the model's mean face", model.face(&[]))] {
        let faces: Vec<FaceCurves> = (0..largest as u64)
            .into_par_iter()
            .map(|i| turned(&model.random(&mut generator(1000 + i)), &template))
            .collect();
        println!("\ntemplate: {name} ({draws} draws)");
        table(&model, &template, &faces, draws)?;
    }
    Ok(())
}

fn table(
    model: &FaceModel,
    template: &FaceCurves,
    faces: &[FaceCurves],
    draws: u64,
) -> Result<(), Box<dyn Error>> {
    let sampling = variance(faces);
    let titles = columns(&setting(model, template, 30, 1.0)?)?;
    print!("{:>5} {:>4} {:>9} {:>9}", "n", "mu", "sampling", "template");
    titles.iter().for_each(|(title, _)| print!(" {title:>9}"));
    println!();
    for n in COUNTS {
        let truth = mean(&faces[..n]);
        for mu in MUS {
            print!("{n:>5} {mu:>4} {:>9.1e} {:>9.1e}", sampling / n as f64, distance(&truth, template));
            for (title, mechanism) in columns(&setting(model, template, n, mu)?)? {
                // A star: against the mechanism's own non-private mean, so that only the noise is measured.
                let reference = if title.ends_with('*') { smoothed(&truth)? } else { truth.clone() };
                print!(" {:>9.1e}", error(mechanism.as_ref(), &faces[..n], &reference, title, draws)?);
            }
            println!();
        }
    }
    Ok(())
}

type Column = (&'static str, Box<dyn FaceMean>);

fn columns(setting: &FaceSetting) -> Result<Vec<Column>, Box<dyn Error>> {
    let kernel = KernelSettings::paper()?;
    let radii = CurvesMean::default_radii(&setting.radii);
    let s = || setting.clone();
    let flat_clip = ClipRadius::new(0.04, ClipSource::Public)?;
    let flat = JointMean::with(s(), flat_clip, SpectralWeight::flat(), Shrinkage::default())?;
    Ok(vec![
        ("pointwise", Box::new(PointwiseMean::new(s(), PointwiseRange::default_public())?)),
        ("paper", Box::new(PaperMean::as_published(s(), kernel)?)),
        ("paper*", Box::new(PaperMean::as_published(s(), kernel)?)),
        ("exact", Box::new(CurvesMean::uncentred(s(), &radii, CurveNoise::Kernel(kernel))?)),
        ("exact*", Box::new(CurvesMean::uncentred(s(), &radii, CurveNoise::Kernel(kernel))?)),
        ("matched", Box::new(CurvesMean::uncentred(s(), &radii, CurveNoise::MatchedKernel(kernel))?)),
        ("matched*", Box::new(CurvesMean::uncentred(s(), &radii, CurveNoise::MatchedKernel(kernel))?)),
        ("centred", Box::new(CurvesMean::new(s(), &radii, CurveNoise::Matched(Shrinkage::None))?)),
        ("+shrink", Box::new(CurvesMean::new(s(), &radii, CurveNoise::Matched(Shrinkage::default()))?)),
        ("flat", Box::new(flat.clone())),
        ("+shrink", Box::new(flat)),
        ("joint", Box::new(JointMean::new(s(), JointMean::default_clip()?)?)),
        ("joint+s", Box::new(JointMean::new(s(), JointMean::default_clip()?)?)),
    ])
}

fn setting(
    model: &FaceModel,
    template: &FaceCurves,
    n: usize,
    mu: f64,
) -> Result<FaceSetting, Box<dyn Error>> {
    let (template, radii) = (template.clone(), model.radii.clone());
    Ok(FaceSetting { template, radii, records: n as u64, mu: Mu::new(mu)? })
}

fn error(
    mechanism: &dyn FaceMean,
    faces: &[FaceCurves],
    truth: &FaceCurves,
    title: &str,
    draws: u64,
) -> Result<f64, Box<dyn Error>> {
    let mut tally = mechanism.start()?;
    for face in faces {
        mechanism.add(&mut tally, Some(face))?;
    }
    let plan = mechanism.plan();
    let mut total = 0.0;
    for seed in 0..draws {
        let paid = Ledger::in_memory(None).charge(plan.mechanism, plan.loss)?;
        let release = mechanism.release(tally.clone(), &mut NoiseSource::seeded(seed), paid)?;
        let raw = matches!(title, "flat" | "joint");
        total += distance(if raw { &release.unshrunk } else { &release.curves }, truth);
    }
    Ok(total / draws as f64)
}

fn mean(faces: &[FaceCurves]) -> FaceCurves {
    let mut sum = vec![0.0; faces[0].data().len()];
    faces.iter().for_each(|f| sum.iter_mut().zip(f.data()).for_each(|(s, x)| *s += x / faces.len() as f64));
    FaceCurves::new(faces[0].curves(), faces[0].samples(), sum).expect("means of finite numbers are finite")
}

/// Mean squared distance of a face from the mean: over n, the sampling error of a mean of n.
fn variance(faces: &[FaceCurves]) -> f64 {
    let centre = mean(faces);
    faces.iter().map(|f| distance(f, &centre)).sum::<f64>() / (faces.len() - 1) as f64
}

fn distance(a: &FaceCurves, b: &FaceCurves) -> f64 {
    a.mean_square_distance(b).unwrap_or(f64::NAN)
}

/// The smoothed mean that the paper's mechanism estimates.
fn smoothed(face: &FaceCurves) -> Result<FaceCurves, Box<dyn Error>> {
    let circle = Circle::new(face.samples())?;
    let kernel = KernelSettings::paper()?;
    let mut data = vec![0.0; face.data().len()];
    for k in 0..3 {
        let smoother = visard::function::KernelSmoother::new(kernel.kernel, kernel.penalties[k], &circle)?;
        for j in 0..face.curves() {
            let values: Vec<f64> = (0..face.samples()).map(|l| face.get(j, l, k)).collect();
            let c = circle.analyse(&values)?;
            let c: Vec<f64> = c.iter().zip(smoother.multipliers()).map(|(c, s)| c * s).collect();
            for (l, x) in circle.synthesize(&c)?.into_iter().enumerate() {
                data[(j * face.samples() + l) * 3 + k] = x;
            }
        }
    }
    Ok(FaceCurves::new(face.curves(), face.samples(), data)?)
}
