//! What registration does to a mean face: people whose correspondence with the built-in template is known, scanned and registered.
//!
//! `cargo run --release --example measure -- registered_means N [POPULATIONS]` (the folder of shared data is `VISARD_DATA`): means of N people of the
//! synthetic model, ICT and SIMPOP about the template, and about `POPULATIONS` means that are one further person of the model. For each: how far the
//! true mean lies from the template; how far the mean of registered faces lies from it, across the skin and along it, over the face and by region, in mm
//! on a face of 20 cm, root mean square (the part of so few people taken out); that over what `Correspondence` expects.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use std::error::Error;
use std::path::PathBuf;
use visard::function::FaceCurves;
use visard::mesh::{Point, RepairSettings, Vector, make_disk, mesh_from_points};
use visard::reproduce::{Context, FaceModel, warped_templates};
use visard::study::face::{Correspondence, TemplateSource, load_template};
use visard::surface::Template;
use visard::surface::registration::{Elastic, ElasticSettings};
use visard::synth::{FaceMarks, Oddity, Sitter, builtin_landmarks, odd_scan};

const CURVES: usize = 23;
const SAMPLES: usize = 80;
const MM: f64 = 200.0;
const MODELS: [(&str, FaceModel); 3] =
    [("synthetic", FaceModel::Synthetic), ("ICT", FaceModel::Ict), ("SIMPOP", FaceModel::Simpop)];
const REGIONS: [&str; 6] = ["face", "nose", "eyes", "mouth", "cheeks, forehead", "rim"];

/// Prints the table.
pub fn run(words: &[String]) -> Result<(), Box<dyn Error>> {
    let [n, populations @ ..] = words else {
        println!("usage: measure registered_means N [POPULATIONS]");
        return Ok(());
    };
    let (n, populations): (usize, u64) =
        (n.parse()?, populations.first().map_or(Ok(4), |count| count.parse())?);
    let context = Context::new(std::env::var_os("VISARD_DATA").map(PathBuf::from), false);
    let template = load_template(&TemplateSource::Builtin)?.template;
    let own = template.own_curves(CURVES, SAMPLES)?;
    let regions = regions(&template, &own)?;
    println!("across/along the skin, mm: {}", REGIONS.join("; "));
    for (name, model) in MODELS {
        for population in 0..=populations {
            let mut people = warped_templates(&context, model, n + 1, 100 + population)?;
            // The mean of the population is a person who is not among them.
            let mean = people.remove(0);
            let shift = if population == 0 { 0.0 } else { 1.0 };
            for face in &mut people {
                for ((p, q), own) in face.iter_mut().zip(&mean).zip(template.mesh().vertices()) {
                    *p += shift * (q - own);
                }
            }
            println!("{name:10} {}", row(&template, &own, &regions, &people)?);
        }
    }
    Ok(())
}

/// The region of every point of the curves: its place in [`REGIONS`].
fn regions(template: &Template, own: &FaceCurves) -> Result<Vec<usize>, Box<dyn Error>> {
    let unit = template.face_through(own)?;
    let marks: Vec<(&str, Point)> =
        builtin_landmarks().named().iter().map(|&(name, vertex)| (name, unit.vertices()[vertex])).collect();
    let near = |p: &Point, what: &str, mm: f64| {
        marks.iter().any(|(name, mark)| name.contains(what) && MM * (p - mark).norm() < mm)
    };
    let region = |(i, p): (usize, Point)| match i / own.samples() {
        _ if near(&p, "nose_tip", 30.0) => 1,
        j if j + 3 >= own.curves() => 5,
        _ if near(&p, "eye", 20.0) => 2,
        _ if near(&p, "mouth", 18.0) => 3,
        _ => 4,
    };
    Ok(points(own.data()).enumerate().map(region).collect())
}

fn points(data: &[f64]) -> impl Iterator<Item = Point> + '_ {
    data.chunks_exact(3).map(|p| Point::new(p[0], p[1], p[2]))
}

/// One population.
fn row(
    template: &Template,
    own: &FaceCurves,
    regions: &[usize],
    people: &[Vec<Point>],
) -> Result<String, Box<dyn Error>> {
    let elastic = Elastic::new(template, &ElasticSettings::default())?;
    let pair = |(i, face): (usize, &Vec<Point>)| -> Option<[FaceCurves; 2]> {
        let found = registered(template, &elastic, face, i as u64).ok()?;
        let curves = |places: &[Point]| template.curves_of(places, CURVES, SAMPLES).ok();
        Some([curves(face)?, curves(&found)?])
    };
    let pairs: Vec<[FaceCurves; 2]> =
        people.par_iter().enumerate().map(pair).collect::<Vec<_>>().into_iter().flatten().collect();
    let n = pairs.len() as f64;
    let mean = |data: &dyn Fn(&[FaceCurves; 2], usize) -> f64, k: usize| {
        pairs.iter().map(|pair| data(pair, k)).sum::<f64>() / n
    };
    let vector = |data: &dyn Fn(&[FaceCurves; 2], usize) -> f64, p: usize| {
        Vector::from_fn(|axis, _| mean(data, 3 * p + axis))
    };
    let truth: Vec<Vector> = (0..regions.len()).map(|p| vector(&|pair, k| pair[0].data()[k], p)).collect();
    let away = truth.iter().zip(points(own.data())).map(|(p, q)| (p - q.coords).norm_squared()).sum::<f64>();
    let away = (away / truth.len() as f64).sqrt();
    // Sums of squares by region: across the skin, along it, and how many.
    let mut sums = [[0.0_f64; 3]; REGIONS.len()];
    for (p, &region) in regions.iter().enumerate() {
        let normal = normal(&truth, p);
        let slips: Vec<Vector> = pairs
            .iter()
            .map(|[a, b]| Vector::from_fn(|axis, _| b.data()[3 * p + axis] - a.data()[3 * p + axis]))
            .collect();
        let slip = slips.iter().sum::<Vector>() / n;
        // What the mean of so few people scatters by itself.
        let scatter = |part: &dyn Fn(&Vector) -> f64| {
            slips.iter().map(|s| part(&(s - slip))).sum::<f64>() / (n * (n - 1.0))
        };
        let across = |v: &Vector| v.dot(&normal).powi(2);
        let along = |v: &Vector| v.norm_squared() - v.dot(&normal).powi(2);
        let found = [across(&slip) - scatter(&across), along(&slip) - scatter(&along), 1.0];
        for into in [0, region] {
            sums[into].iter_mut().zip(found).for_each(|(sum, x)| *sum += x);
        }
    }
    let parts = sums.map(|[across, along, count]| [across, along].map(|x| MM * (x.max(0.0) / count).sqrt()));
    let expected = Correspondence::of(away);
    Ok(format!(
        "{:3} people, mean {:.2} mm from the template: {}; found/expected {:.2} across, {:.2} along",
        pairs.len(),
        MM * away,
        parts.map(|[across, along]| format!("{across:.2}/{along:.2}")).join(" "),
        parts[0][0] / (MM * expected.normal_rms),
        parts[0][1] / (MM * expected.skin_rms),
    ))
}

/// The normal of the surface through the curves.
fn normal(face: &[Vector], p: usize) -> Vector {
    let (j, l) = (p / SAMPLES, p % SAMPLES);
    let at = |j: usize, l: usize| face[j * SAMPLES + l % SAMPLES];
    let outward = at((j + 1).min(CURVES - 1), l) - at(j.saturating_sub(1), l);
    let around = at(j, l + 1) - at(j, l + SAMPLES - 1);
    outward.cross(&around).normalize()
}

fn registered(
    template: &Template,
    elastic: &Elastic<'_>,
    face: &[Point],
    seed: u64,
) -> Result<Vec<Point>, Box<dyn Error>> {
    let sitter =
        Sitter { vertices: face, triangles: template.mesh().triangles(), marks: FaceMarks::builtin() };
    let scan = odd_scan(&sitter, Oddity::Nothing, &mut ChaCha8Rng::seed_from_u64(seed))?;
    let pose = template.pose().find(&scan.points)?;
    let disk = make_disk(mesh_from_points(&scan.points)?, Some(pose.nose_tip), &RepairSettings::default())?;
    Ok(elastic.fit(&disk.mesh, &pose.similarity)?.positions)
}
