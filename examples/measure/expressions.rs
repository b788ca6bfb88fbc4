//! What taking expressions out of scans does: people of known faces at rest, scanned with an expression, registered to the built-in template.
//!
//! `cargo run --release --example measure -- expressions N` (the folder of shared data is `VISARD_DATA`): N people of the synthetic model, ICT and
//! SIMPOP, who all smile, all open their mouths, or have a few expressions each. Expressions are the built-in ones, each person's moved by up to 3 mm and of a strength of
//! its own. Root mean squares on a face of 20 cm, in mm, from the same people at rest: of one face and of their mean, with true correspondence and
//! registered; at rest, with expressions, and with these taken out.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use std::error::Error;
use std::path::PathBuf;
use visard::function::FaceCurves;
use visard::io::Scan;
use visard::mesh::{Point, Vector};
use visard::reproduce::{Context, FaceModel, warped_templates};
use visard::study::face::record::{RecordMaker, RecordSettings, default_crop_radius};
use visard::study::face::{
    ExpressionSource, FACE_MM, LoadedTemplate, Registration, TemplateSource, load_template,
};
use visard::synth::{FaceMarks, Oddity, Sitter, builtin_template, expressions, odd_scan, untorn};

const CURVES: usize = 23;
const SAMPLES: usize = 80;
const MODELS: [(&str, FaceModel); 3] =
    [("synthetic", FaceModel::Synthetic), ("ICT", FaceModel::Ict), ("SIMPOP", FaceModel::Simpop)];

/// Prints the table.
pub fn run(words: &[String]) -> Result<(), Box<dyn Error>> {
    let [n] = words else {
        println!("usage: measure expressions N");
        return Ok(());
    };
    let n: usize = n.parse()?;
    let context = Context::new(std::env::var_os("VISARD_DATA").map(PathBuf::from), false);
    let source = TemplateSource::Neutral(Box::new(TemplateSource::Builtin), ExpressionSource::Builtin);
    let [kept, out] = [TemplateSource::Builtin, source].map(|source| load_template(&source));
    let (kept, out) = (kept?, out?);
    let expected = out.template.neutral().map_or(0.0, |neutral| FACE_MM * neutral.expected_rms());
    println!("expected to stay of an expression, or to go with it: {expected:.2} mm");
    println!(
        "one face/mean of {n}, mm; template: of the mean; known: with true correspondence; scanned: registered"
    );
    for (name, model) in MODELS {
        let people = warped_templates(&context, model, n, 300)?;
        for who in [Who::Smile, Who::Open, Who::Any] {
            let mut rng = ChaCha8Rng::seed_from_u64(301);
            let moved: Vec<Vec<Point>> = people.iter().map(|face| expressed(face, who, &mut rng)).collect();
            let truth = curves(&kept, &people)?;
            let own = kept.template.own_curves(CURVES, SAMPLES)?;
            let cells = [
                ("known, with expression", curves(&kept, &moved)?),
                ("scanned at rest", scanned(&kept, &people, &people, &truth)?),
                ("scanned at rest, taken out though", scanned(&out, &people, &people, &truth)?),
                ("scanned, with expression", scanned(&kept, &people, &moved, &truth)?),
                ("scanned, taken out", scanned(&out, &people, &moved, &truth)?),
            ];
            println!("{name}, {who:?}: template {:.2}", apart(own.data(), &mean(&truth)));
            for (what, faces) in cells {
                let squares: f64 =
                    faces.iter().zip(&truth).map(|(a, b)| apart(a.data(), b.data()).powi(2)).sum();
                let one = (squares / n as f64).sqrt();
                println!("  {what}: {one:.2}/{:.2}", apart(&mean(&faces), &mean(&truth)));
            }
        }
    }
    Ok(())
}

/// What they do.
#[derive(Debug, Clone, Copy)]
enum Who {
    /// All smile.
    Smile,
    /// All have their mouth open.
    Open,
    /// Each has a few of all expressions.
    Any,
}

/// A face with an expression.
fn expressed(face: &[Point], who: Who, rng: &mut ChaCha8Rng) -> Vec<Point> {
    let shift = Vector::from_fn(|_, _| 6.0 * (rng.random::<f64>() - 0.5));
    let template = builtin_template();
    let Ok(at) = template.with_vertices(face.iter().map(|p| p + shift).collect()) else {
        return face.to_vec();
    };
    let mut moved = face.to_vec();
    for (name, field) in expressions(&at, FaceMarks::builtin().mouth) {
        let strength: f64 = rng.random();
        let strength = match who {
            Who::Smile if name.starts_with("smile") => 0.6 + 0.4 * strength,
            Who::Open if name == "jaw_wide_open" => 0.6 + 0.4 * strength,
            Who::Any => (5.0 * strength - 4.0).max(0.0),
            _ => 0.0,
        };
        moved.iter_mut().zip(field).for_each(|(p, v)| *p += v * strength);
    }
    moved
}

fn curves(loaded: &LoadedTemplate, faces: &[Vec<Point>]) -> Result<Vec<FaceCurves>, Box<dyn Error>> {
    let of = |face: &Vec<Point>| loaded.template.curves_of(face, CURVES, SAMPLES);
    Ok(faces.iter().map(of).collect::<Result<_, _>>()?)
}

/// Clouds of points of these people's `faces`, registered; the truth where that failed, which is said.
fn scanned(
    loaded: &LoadedTemplate,
    people: &[Vec<Point>],
    faces: &[Vec<Point>],
    truth: &[FaceCurves],
) -> Result<Vec<FaceCurves>, Box<dyn Error>> {
    let settings = RecordSettings {
        registration: Registration::Elastic,
        crop_radius: default_crop_radius(&loaded.template),
        curves: CURVES,
        samples: SAMPLES,
    };
    let maker = RecordMaker::new(&loaded.template, settings)?;
    let one = |(i, face): (usize, &Vec<Point>)| {
        let triangles = untorn(&people[i], builtin_template().triangles(), face);
        let sitter = Sitter { vertices: face, triangles: &triangles, marks: FaceMarks::builtin() };
        let scan = odd_scan(&sitter, Oddity::Nothing, &mut ChaCha8Rng::seed_from_u64(i as u64)).ok()?;
        let scan = Scan { vertices: scan.points, triangles: scan.triangles, ..Scan::default() };
        maker.record_of(i.to_string(), scan, None).curves
    };
    let found: Vec<_> = faces.par_iter().enumerate().map(one).collect();
    let failed = found.iter().filter(|face| face.is_none()).count();
    if failed > 0 {
        println!("  {failed} of {} could not be registered", faces.len());
    }
    Ok(found.into_iter().zip(truth).map(|(face, truth)| face.unwrap_or_else(|| truth.clone())).collect())
}

fn mean(faces: &[FaceCurves]) -> Vec<f64> {
    let sum = |i: usize| faces.iter().map(|face| face.data()[i]).sum::<f64>() / faces.len() as f64;
    (0..faces[0].data().len()).map(sum).collect()
}

/// Root mean square, mm.
fn apart(a: &[f64], b: &[f64]) -> f64 {
    let square: f64 = a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum();
    FACE_MM * (3.0 * square / a.len() as f64).sqrt()
}
