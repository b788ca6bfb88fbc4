//! Made-up faces that more than one way of registration is tested with.

use crate::mesh::{DiskMesh, Point, RepairSettings, TriMesh, Vector, make_disk};
use crate::surface::Template;
use crate::synth::{FaceMarks, FaceParameters, Oddity, Sitter, builtin_template, odd_scan};
use rand::SeedableRng;

/// The built-in template, its mouth known.
pub(super) fn template() -> Template {
    let disk = DiskMesh::try_new(builtin_template().clone()).unwrap();
    let marks = FaceMarks::builtin();
    let mouth = marks.mouth.map(|i| disk.mesh().vertices()[i]);
    Template::new(disk, marks.nose_tip, Vector::z(), Vector::y()).unwrap().with_mouth(mouth)
}

/// A scan of a person with an open mouth, by a hinge of another place than the method's, and where the template's vertices are.
pub(super) fn open_mouth(seed: u64) -> (DiskMesh, Vec<Point>) {
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
    let vertices = FaceParameters::sample(&mut rng).vertices();
    let marks = FaceMarks::builtin();
    let sitter = Sitter { vertices: &vertices, triangles: builtin_template().triangles(), marks };
    let scan = odd_scan(&sitter, Oddity::OpenMouth, &mut rng).unwrap();
    let torn = match scan.triangles {
        Some(triangles) => TriMesh::new(scan.points, triangles),
        None => crate::mesh::mesh_from_points(&scan.points),
    };
    let tip = scan.truth[marks.nose_tip];
    let disk = make_disk(torn.unwrap(), Some(tip), &RepairSettings::default()).unwrap().mesh;
    (disk, scan.truth)
}

/// Mean distance from the truth of the vertices within so many millimetres of the middle of the template's mouth.
pub(super) fn error_about_mouth(found: &[Point], truth: &[Point], within: f64) -> f64 {
    let v = builtin_template().vertices();
    let [a, b] = FaceMarks::builtin().mouth.map(|i| v[i]);
    let middle = nalgebra::center(&a, &b);
    let errors = v.iter().zip(found.iter().zip(truth)).filter(|(p, _)| (*p - middle).norm() < within);
    let (sum, count) = errors.fold((0.0, 0.0), |(s, n), (_, (p, q))| (s + (p - q).norm(), n + 1.0));
    sum / count
}
