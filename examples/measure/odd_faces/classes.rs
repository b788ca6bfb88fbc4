//! From odd scans to registered faces.

use super::pictures::{Exhibit, write_page};
use super::populations::Population;
use super::reliability::Reliability;
use nalgebra::{Rotation3, Unit};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use std::error::Error;
use std::path::Path;
use visard::io::Scan;
use visard::mesh::{Point, Similarity, Vector};
use visard::study::face::Registration;
use visard::study::face::record::{RecordError, ScanRegistrar, ScanRow, default_crop_radius};
use visard::surface::Template;
use visard::synth::{OddScan, Oddity, Sight, Sitter, odd_scan};

/// What registration made of the scans of a class.
#[derive(Default)]
struct Tally {
    /// Distances from the true places, in millimetres: of skin that was seen, of skin beneath something or not seen.
    skin: Vec<f64>,
    covered: Vec<f64>,
    /// Of skin that was seen: what was expected.
    expected: Vec<f64>,
    registered: usize,
    refused: Vec<String>,
}

/// Vertices nearer than this (mm) to what is not seen, or to the template's border, are not counted.
const MARGIN_MM: f64 = 10.0;

/// Prints what is refused and how far places are off, class by class; with a folder, writes a page of the worst.
pub fn tables(populations: &[Population], seed: u64, folder: Option<&Path>) -> Result<(), Box<dyn Error>> {
    println!(
        "{:12} {:22} {:>10} {:>8} {:>9} {:>9} {:>9} {:>9}  why",
        "people", "scan", "registered", "refused", "mean, mm", "95 %, mm", "expected", "hidden"
    );
    let mut reliability = Reliability::default();
    let mut exhibits: Vec<(Oddity, Vec<Exhibit>)> = Oddity::ALL.map(|oddity| (oddity, Vec::new())).into();
    for population in populations {
        let template = &population.template;
        let registrar = ScanRegistrar::new(template, Registration::Elastic, default_crop_radius(template))?;
        for (oddity, exhibits) in &mut exhibits {
            let mut rng = ChaCha8Rng::seed_from_u64(700 + seed);
            let mut tally = Tally::default();
            for (i, person) in population.people.iter().enumerate() {
                let face = level(template, person).ok_or("a face that cannot be laid on its template")?;
                let sitter =
                    Sitter { vertices: &face, triangles: &population.triangles, marks: population.marks };
                let scan = odd_scan(&sitter, *oddity, &mut rng)?;
                match found(&registrar, &scan, &mut rng) {
                    Ok(found) => {
                        let mean = tally.add(population, &scan, &found);
                        if folder.is_some() {
                            let name = format!("{} {i}", population.name);
                            exhibits.push(Exhibit {
                                name,
                                mean,
                                scan: found.scan,
                                face: found.places,
                                off: found.off,
                            });
                        }
                    }
                    Err(e) => tally.refused.push(e.to_string()),
                }
            }
            assert!(tally.skin.is_empty() || mean(&tally.skin) < 5.0, "a face registered to something else");
            reliability.add(population.name, oddity.name(), &tally.expected, &tally.skin);
            tally.print(population.name, oddity.name());
        }
    }
    reliability.print();
    match folder {
        None => Ok(()),
        Some(folder) => write_page(folder, populations, exhibits, &reliability),
    }
}

/// A registered scan, turned back.
struct Found {
    scan: visard::mesh::TriMesh,
    places: Vec<Point>,
    /// Of the person's vertices: distance from the true place, and what was expected, in millimetres.
    off: Vec<f64>,
    expected: Vec<f64>,
}

/// Turns a scan as scanners do, up to 40 degrees, and registers it.
fn found(registrar: &ScanRegistrar<'_>, scan: &OddScan, rng: &mut ChaCha8Rng) -> Result<Found, RecordError> {
    let axis = Unit::new_normalize(Vector::from_fn(|_, _| rng.sample::<f64, _>(StandardNormal)));
    let turn = Rotation3::from_axis_angle(&axis, 40f64.to_radians() * rng.random::<f64>());
    let turned = scan.points.iter().map(|p| turn * p).collect();
    let mut row = ScanRow::default();
    let posed = registrar.pose_of(
        Scan { vertices: turned, triangles: scan.triangles.clone(), ..Scan::default() },
        None,
        &mut row,
    )?;
    let (places, expected) = registrar.register_with_errors(&posed, &mut row)?;
    let back = |points: &[Point]| points.iter().map(|p| turn.inverse() * p).collect::<Vec<_>>();
    let places = back(&places);
    let off = scan.truth.iter().zip(&places).map(|(truth, p)| (p - truth).norm()).collect();
    let mesh = posed.disk.mesh();
    let scan = mesh.with_vertices(back(mesh.vertices())).unwrap_or_else(|_| mesh.clone());
    Ok(Found { scan, places, off, expected: expected.unwrap_or_default() })
}

impl Tally {
    /// The mean error of skin that was seen.
    fn add(&mut self, population: &Population, scan: &OddScan, found: &Found) -> f64 {
        self.registered += 1;
        let before = self.skin.len();
        let edge: Vec<Point> =
            population.border().chain(unseen(&scan.sight)).map(|i| scan.truth[i]).collect();
        let inside = |p: &Point| edge.iter().all(|e| (p - e).norm_squared() > MARGIN_MM * MARGIN_MM);
        for (i, _) in scan.truth.iter().enumerate().filter(|(_, p)| inside(p)) {
            match scan.sight[i] {
                Sight::Skin => {
                    self.skin.push(found.off[i]);
                    self.expected.push(found.expected[i]);
                }
                Sight::Covered => self.covered.push(found.off[i]),
                Sight::Unseen => {}
            }
        }
        self.covered.extend(unseen(&scan.sight).map(|i| found.off[i]));
        mean(&self.skin[before..])
    }

    fn print(mut self, people: &str, scan: &str) {
        self.skin.sort_by(f64::total_cmp);
        let high = self.skin.get(self.skin.len() * 95 / 100).copied().unwrap_or(f64::NAN);
        let beneath =
            if self.covered.is_empty() { "-".to_owned() } else { format!("{:.2}", mean(&self.covered)) };
        let why = self.refused.first().map_or("", |why| why.as_str());
        println!(
            "{people:12} {scan:22} {:>10} {:>8} {:>9.2} {high:>9.2} {:>9.2} {beneath:>9}  {}",
            self.registered,
            self.refused.len(),
            mean(&self.skin),
            mean(&self.expected),
            why.chars().take(120).collect::<String>()
        );
    }
}

/// NaN of none.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn unseen(sight: &[Sight]) -> impl Iterator<Item = usize> + '_ {
    (0..sight.len()).filter(|&i| sight[i] == Sight::Unseen)
}

/// A person with x to the left, y up, z forward, in millimetres.
fn level(template: &Template, person: &[Point]) -> Option<Vec<Point>> {
    let own = Similarity::fit(&template.mesh().vertices()[..person.len()], person, &vec![1.0; person.len()])?;
    let turn = template.upright().inverse() * own.rotation.inverse();
    Some(person.iter().map(|p| turn * p).collect())
}
