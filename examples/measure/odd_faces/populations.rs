//! Made-up people, and those of the shared data.

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use visard::io::{npy, read_landmarks};
use visard::mesh::Point;
use visard::study::face::{TemplateSource, load_template};
use visard::surface::Template;
use visard::synth::{FaceMarks, FaceParameters};

/// A population: its name, its people in a frame of its own, in millimetres.
pub struct Population {
    pub name: &'static str,
    pub people: Vec<Vec<Point>>,
    /// Its own template, whose first vertices correspond to a person's.
    pub template: Arc<Template>,
    pub triangles: Vec<[usize; 3]>,
    pub marks: FaceMarks,
}

impl Population {
    /// Vertices of the template's border that a person has too.
    pub fn border(&self) -> impl Iterator<Item = usize> + '_ {
        let n = self.people.first().map_or(0, Vec::len);
        self.template.disk().boundary().iter().copied().filter(move |&i| i < n)
    }
}

/// All there are: without shared data the made-up ones.
pub fn populations(people: usize, seed: u64) -> Result<Vec<Population>, Box<dyn Error>> {
    let mut rng = ChaCha8Rng::seed_from_u64(900 + seed);
    let own: Vec<_> = (0..people).map(|_| FaceParameters::sample(&mut rng).vertices()).collect();
    let template = load_template(&TemplateSource::Builtin)?.template;
    let triangles = template.mesh().triangles().to_vec();
    let mut all =
        vec![Population { name: "synthetic", people: own, template, triangles, marks: FaceMarks::builtin() }];
    let Some(data) = std::env::var_os("VISARD_DATA") else { return Ok(all) };
    let data = Path::new(&data);
    let triangles = npy::read(&data.join("faces_ict/ict_faces.npy"))?.data;
    let triangles = triangles.chunks_exact(3).map(|t| [t[0] as usize, t[1] as usize, t[2] as usize]);
    all.push(foreign(
        "ICT",
        &data.join("correspondence/ict"),
        ict(data, people, &mut rng)?,
        Some(triangles.collect()),
    )?);
    let faces = npy::read(&data.join("faces_simpop/simpop_vertices.npy"))?;
    let each = faces.data.len() / faces.shape[0];
    let chosen = faces.data.chunks_exact(each).cycle().skip(seed as usize * 7).take(people);
    let faces = chosen.map(|face| points(face, 1.0)).collect();
    all.push(foreign("SIMPOP", &data.join("correspondence/simpop"), faces, None)?);
    Ok(all)
}

/// A population whose folder holds its template and five landmarks of it: eyes, nose tip, corners of the mouth.
fn foreign(
    name: &'static str,
    folder: &Path,
    people: Vec<Vec<Point>>,
    triangles: Option<Vec<[usize; 3]>>,
) -> Result<Population, Box<dyn Error>> {
    let template = load_template(&TemplateSource::File(folder.join("template.ply")))?.template;
    let marks = read_landmarks(&folder.join("template_landmarks.csv"))?;
    let n = people.first().map_or(0, Vec::len);
    let vertices = &template.mesh().vertices()[..n];
    let nearest = |p: &Point| {
        let off = |i: &usize| (vertices[*i] - p).norm_squared();
        (0..n).min_by(|i, j| off(i).total_cmp(&off(j))).ok_or("no vertices")
    };
    let at: Vec<usize> = marks.iter().map(|mark| nearest(&mark.position)).collect::<Result<_, _>>()?;
    let to_the_left = |i: usize| (template.upright().inverse() * vertices[i]).x;
    let right_first = |a: usize, b: usize| if to_the_left(a) < to_the_left(b) { [a, b] } else { [b, a] };
    let [a, b, nose_tip, c, d] = at[..] else { return Err("five landmarks are wanted".into()) };
    let marks = FaceMarks { nose_tip, eyes: right_first(a, b), mouth: right_first(c, d) };
    let triangles = triangles.unwrap_or_else(|| template.mesh().triangles().to_vec());
    Ok(Population { name, people, template, triangles, marks })
}

fn ict(data: &Path, people: usize, rng: &mut impl Rng) -> Result<Vec<Vec<Point>>, Box<dyn Error>> {
    let neutral = npy::read(&data.join("faces_ict/ict_neutral.npy"))?.data;
    let modes = npy::read(&data.join("faces_ict/ict_identity_modes.npy"))?.data;
    let mut one = || {
        let mut v = neutral.clone();
        for mode in modes.chunks_exact(neutral.len()) {
            let w: f64 = rng.sample(StandardNormal);
            v.iter_mut().zip(mode).for_each(|(v, m)| *v += w * m);
        }
        // Centimetres.
        points(&v, 10.0)
    };
    Ok((0..people).map(|_| one()).collect())
}

fn points(flat: &[f64], unit: f64) -> Vec<Point> {
    flat.chunks_exact(3).map(|p| Point::new(unit * p[0], unit * p[1], unit * p[2])).collect()
}
