//! How far registration pulls faces towards the template: the table "Bias towards the template" of docs/measurements.md.
//!
//! `cargo run --release --example atlas_bias [PEOPLE]`: made-up people whose true correspondence is known, ordinary ones (all parameters
//! random) and unusual ones (one feature of an ordinary person moved by 3 to 5 standard deviations). Of the way d from the template to the
//! face, position and size taken out, registration goes a part s = ⟨found, d⟩ / ⟨d, d⟩: 1 − s is how far it falls short. For unusual faces d
//! is the feature's own displacement, so what an ordinary person has beside it does not count.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::error::Error;
use visard::mesh::{Point, RepairSettings, Similarity, Vector, make_disk, mesh_from_points};
use visard::study::face::{TemplateSource, load_template};
use visard::surface::Template;
use visard::surface::registration::{Elastic, ElasticSettings};
use visard::synth::{FaceParameters, ScanConditions, ShapeParameter, simulate_scan};

/// A kind of face: its name, and what is moved by how many standard deviations.
struct Kind {
    name: String,
    moved: Vec<(ShapeParameter, f64)>,
}

/// Error and shortfall of one face.
struct Found {
    error: f64,
    /// ⟨found, d⟩ and ⟨d, d⟩.
    products: (f64, f64),
}

fn main() -> Result<(), Box<dyn Error>> {
    let people: usize = std::env::args().nth(1).map_or(Ok(1), |n| n.parse())?;
    let template = load_template(&TemplateSource::Builtin)?.template;
    let settings = [ElasticSettings::default(), ElasticSettings::for_unusual_faces()];
    let methods = [Elastic::new(&template, &settings[0])?, Elastic::new(&template, &settings[1])?];
    println!("{:34} {:>22} {:>22}", "", "default", "for unusual faces");
    println!(
        "{:34} {:>9} {:>12} {:>9} {:>12}",
        "faces", "error, mm", "shortfall, %", "error, mm", "shortfall, %"
    );
    for kind in kinds() {
        print!("{:34}", kind.name);
        for elastic in &methods {
            let all: Vec<Found> = (0..people)
                .map(|i| registered(&template, elastic, &kind, i as u64))
                .collect::<Result<_, _>>()?;
            let error = all.iter().map(|f| f.error).sum::<f64>() / people as f64;
            let sum = |part: fn(&Found) -> f64| all.iter().map(part).sum::<f64>();
            let shortfall = 100.0 * (1.0 - sum(|f| f.products.0) / sum(|f| f.products.1));
            print!(" {error:>9.3} {shortfall:>12.1}");
            assert!(shortfall < 60.0 && error < 2.0, "most of an unusual feature is found");
        }
        println!();
    }
    Ok(())
}

/// Features as they are unusual in patients. A nose base this much higher makes a philtrum this much longer.
const FEATURES: [(&str, ShapeParameter, f64); 10] = [
    ("long philtrum, short nose", ShapeParameter::NoseLength, -4.0),
    ("long nose", ShapeParameter::NoseLength, 4.0),
    ("broad nose", ShapeParameter::NoseWidth, 4.0),
    ("wide-set eyes", ShapeParameter::EyeSpacing, 4.0),
    ("asymmetric jaw", ShapeParameter::ChinAsymmetry, 5.0),
    ("receding chin", ShapeParameter::ChinProjection, -4.0),
    ("narrow jaw", ShapeParameter::JawWidth, -3.0),
    ("wide mouth", ShapeParameter::MouthWidth, 4.0),
    ("full cheeks", ShapeParameter::CheekFullness, 4.0),
    ("sloping forehead", ShapeParameter::ForeheadSlope, 4.0),
];

fn kinds() -> Vec<Kind> {
    let ordinary = Kind { name: "ordinary".to_owned(), moved: Vec::new() };
    let one = |&(name, parameter, sd): &(&str, ShapeParameter, f64)| Kind {
        name: format!("{name} ({sd:+} sd)"),
        moved: vec![(parameter, sd)],
    };
    std::iter::once(ordinary).chain(FEATURES.iter().map(one)).collect()
}

fn registered(
    template: &Template,
    elastic: &Elastic<'_>,
    kind: &Kind,
    seed: u64,
) -> Result<Found, Box<dyn Error>> {
    let mut rng = ChaCha8Rng::seed_from_u64(4000 + seed);
    let ordinary = FaceParameters::sample(&mut rng);
    let face = kind.moved.iter().fold(ordinary.clone(), |face, &(p, sd)| face.with(p, sd));
    let scan = simulate_scan(&face, &ScanConditions::demo(), &mut rng);
    let pose = template.pose().find(&scan.points)?;
    let disk = make_disk(mesh_from_points(&scan.points)?, Some(pose.nose_tip), &RepairSettings::default())?;
    let found = elastic.fit(&disk.mesh, &pose.similarity)?;
    // The scanner's own frame is known: what remains is the face in the generator's.
    let frame = Similarity::fit(&scan.truth, &face.vertices(), &vec![1.0; scan.truth.len()])
        .ok_or("the scanner's frame cannot be found")?;
    let vertices = template.mesh().vertices();
    let from: Vec<Point> = if kind.moved.is_empty() {
        vertices.to_vec()
    } else {
        kind.moved.iter().fold(ordinary, |face, &(p, _)| face.with(p, 0.0)).vertices()
    };
    let weights: Vec<f64> = scan.covered.iter().map(|&seen| if seen { 1.0 } else { 0.0 }).collect();
    // Position, turn and size are the pose's; shapes are compared from there.
    let aligned = Similarity::fit(&from, &face.vertices(), &weights).ok_or("no pose")?;
    let (mut error, mut seen, mut products) = (0.0, 0.0, (0.0, 0.0));
    for (i, truth) in face.vertices().iter().enumerate().filter(|(i, _)| scan.covered[*i]) {
        let place = frame.apply(&found.positions[i]);
        let start = aligned.apply(&from[i]);
        let (way, gone): (Vector, Vector) = (truth - start, place - start);
        error += (place - truth).norm();
        seen += 1.0;
        products.0 += gone.dot(&way);
        products.1 += way.norm_squared();
    }
    Ok(Found { error: error / seen, products })
}
