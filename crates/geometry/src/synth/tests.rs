//! The promises of this room, checked together.

use super::*;
use crate::mesh::{Point, TriMesh};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::collections::HashMap;

/// Times each undirected edge is used, and whether every inner edge runs once in each direction.
fn edges(mesh: &TriMesh) -> (HashMap<[usize; 2], usize>, bool) {
    let mut directed: HashMap<[usize; 2], usize> = HashMap::new();
    for t in mesh.triangles() {
        for k in 0..3 {
            *directed.entry([t[k], t[(k + 1) % 3]]).or_default() += 1;
        }
    }
    let mut undirected: HashMap<[usize; 2], usize> = HashMap::new();
    for (&[a, b], &n) in &directed {
        *undirected.entry([a.min(b), a.max(b)]).or_default() += n;
    }
    (undirected, directed.values().all(|&n| n == 1))
}

/// 4√3 area / sum of squared edges: 1 for an equilateral triangle.
fn quality(mesh: &TriMesh, t: usize) -> f64 {
    let [a, b, c] = mesh.corners(t);
    let squares = (b - a).norm_squared() + (c - b).norm_squared() + (a - c).norm_squared();
    2.0 * 3.0_f64.sqrt() * mesh.area_vector(t).norm() / squares
}

#[test]
fn the_asset_is_what_the_generator_makes() {
    let made = sculpt_template();
    let asset = builtin_template();
    assert_eq!(made.mesh.triangles(), asset.triangles());
    assert_eq!(made.mesh.vertices(), asset.vertices());
    assert_eq!(made.landmarks, *builtin_landmarks());
    assert_eq!(template_to_ply(&made.mesh), include_bytes!("../../../../assets/template_face.ply"));
    assert_eq!(made.landmarks.to_csv(&made.mesh), include_str!("../../../../assets/template_landmarks.csv"));
}

#[test]
fn the_template_is_a_symmetric_disk_of_good_triangles() {
    let mesh = builtin_template();
    let (n_vertices, n_triangles) = (mesh.vertices().len(), mesh.triangles().len());
    assert!((7000..=10000).contains(&n_vertices), "{n_vertices} vertices");
    let (edges, oriented) = edges(mesh);
    assert!(oriented && edges.values().all(|&n| n <= 2));
    assert_eq!(n_vertices + n_triangles - edges.len(), 1);
    // One border: as many edges as vertices on it, all in one cycle.
    let mut next: HashMap<usize, Vec<usize>> = HashMap::new();
    for (&[a, b], _) in edges.iter().filter(|(_, n)| **n == 1) {
        next.entry(a).or_default().push(b);
        next.entry(b).or_default().push(a);
    }
    assert!(next.values().all(|n| n.len() == 2));
    let start = *next.keys().min().unwrap();
    let (mut before, mut here, mut steps) = (start, next[&start][0], 1);
    while here != start {
        (before, here) = (here, *next[&here].iter().find(|&&v| v != before).unwrap());
        steps += 1;
    }
    assert_eq!(steps, next.len());

    let mut qualities: Vec<f64> = (0..n_triangles).map(|t| quality(mesh, t)).collect();
    qualities.sort_by(f64::total_cmp);
    assert!(qualities[0] > 0.4, "worst triangle {}", qualities[0]);
    assert!(qualities[n_triangles / 100] > 0.7 && qualities[n_triangles / 2] > 0.9);

    let mirror: std::collections::HashSet<_> =
        mesh.vertices().iter().map(|p| [(-p.x + 0.0).to_bits(), p.y.to_bits(), p.z.to_bits()]).collect();
    assert!(mesh.vertices().iter().all(|p| mirror.contains(&[
        (p.x + 0.0).to_bits(),
        p.y.to_bits(),
        p.z.to_bits()
    ])));
}

#[test]
fn the_template_has_average_adult_proportions() {
    let mesh = builtin_template();
    let l = builtin_landmarks();
    let at = |v: usize| mesh.vertices()[v];
    let apart = |a: usize, b: usize| (at(a) - at(b)).norm();
    // Farkas (1994), mean of the women's and men's means, give or take two standard deviations.
    for (what, mm, mean, sd) in [
        ("between inner eye corners", apart(l.left_eye_inner, l.right_eye_inner), 32.5, 2.7),
        ("between outer eye corners", apart(l.left_eye_outer, l.right_eye_outer), 89.0, 3.5),
        ("width of the mouth", apart(l.left_mouth_corner, l.right_mouth_corner), 52.5, 3.5),
        ("width of the nose", apart(l.left_nose_wing, l.right_nose_wing), 33.2, 2.5),
        ("length of the nose", apart(l.nose_root, l.nose_base), 51.0, 3.3),
        ("protrusion of the nose", apart(l.nose_tip, l.nose_base), 19.8, 1.8),
    ] {
        assert!((mm - mean).abs() < 2.0 * sd, "{what}: {mm:.1} mm, expected {mean} ± {sd}");
    }
    assert!((at(l.nose_tip) - Point::origin()).norm() < 2.0);
}

#[test]
fn the_underside_of_the_nose_overhangs() {
    let mesh = builtin_template();
    let backwards = |t: &usize| {
        let n = mesh.area_vector(*t);
        n.z < 0.0 && mesh.corners(*t)[0].coords.norm() < 25.0
    };
    // A height field would have none.
    assert!((0..mesh.triangles().len()).filter(backwards).count() > 20);
}

#[test]
fn persons_stay_embedded_disks_and_differ() {
    use rand::SeedableRng;
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(11);
    let mean = builtin_template();
    for _ in 0..150 {
        let person = FaceParameters::sample(&mut rng);
        assert!(person.stretch() < 0.8);
        let mesh = person.mesh();
        for t in 0..mesh.triangles().len() {
            assert!(mesh.area_vector(t).dot(&mean.area_vector(t)) > 0.0, "triangle {t} turned over");
        }
        assert_ne!(&mesh, mean);
    }
    assert_eq!(FaceParameters::mean().vertices(), mean.vertices());
}

#[test]
fn displacement_contracts_all_over_space_so_no_two_places_meet() {
    use rand::SeedableRng;
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(12);
    for _ in 0..20 {
        let person = FaceParameters::sample(&mut rng);
        for i in 0..10 {
            for j in 0..12 {
                for k in 0..6 {
                    let p = Point::new(
                        -78.0 + 17.0 * i as f64,
                        -92.0 + 17.0 * j as f64,
                        -105.0 + 20.0 * k as f64,
                    );
                    let h = 0.01;
                    let columns = [0, 1, 2].map(|axis| {
                        let mut q = p;
                        q[axis] += h;
                        (person.displacement(&q) - person.displacement(&p)) / h
                    });
                    let jacobian = nalgebra::Matrix3::from_columns(&columns);
                    assert!(jacobian.norm() < 1.0, "at {p}: {}", jacobian.norm());
                }
            }
        }
    }
}

#[test]
fn tables_agree_with_the_displacement_of_space() {
    use rand::SeedableRng;
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(13);
    let person = FaceParameters::sample(&mut rng).with(ShapeParameter::NoseLength, 1.5);
    let vertices = person.vertices();
    for (p, q) in builtin_template().vertices().iter().zip(&vertices).step_by(97) {
        approx::assert_relative_eq!(p + person.displacement(p), *q, epsilon = 1e-9);
    }
}

#[test]
fn clean_scans_lie_on_the_face_and_truth_says_where() {
    let scan = person(5, 3, &ScanConditions::clean());
    assert_eq!(scan.points.len(), 7150);
    assert!(scan.covered.iter().all(|&c| c));
    let mesh = builtin_template().with_vertices(scan.truth.clone()).unwrap();
    // Undo nothing: distances within the truth are those of the person, since the scale is one.
    let own = scan.parameters.vertices();
    for (a, b) in [(0, 900), (17, 3000), (5, 4444)] {
        approx::assert_relative_eq!(
            (own[a] - own[b]).norm(),
            (scan.truth[a] - scan.truth[b]).norm(),
            epsilon = 1e-9
        );
    }
    // Each tried point lies in the plane of, and within, some triangle.
    for p in scan.points.iter().step_by(150) {
        let off = (0..mesh.triangles().len()).map(|t| distance_to(&mesh, t, p)).fold(f64::INFINITY, f64::min);
        assert!(off < 1e-9, "{off} mm off the face");
    }
}

/// Distance from `p` to triangle `t` if its foot falls inside, else to the nearest corner.
fn distance_to(mesh: &TriMesh, t: usize, p: &Point) -> f64 {
    let [a, b, c] = mesh.corners(t);
    let n = mesh.area_vector(t);
    let inside = [(a, b), (b, c), (c, a)].iter().all(|(u, v)| (v - u).cross(&(p - u)).dot(&n) >= -1e-6);
    if inside {
        ((p - a).dot(&n) / n.norm()).abs()
    } else {
        [a, b, c].iter().map(|q| (q - p).norm()).fold(f64::INFINITY, f64::min)
    }
}

#[test]
fn scans_are_even_by_area_and_carry_no_order() {
    let scan = person(9, 0, &ScanConditions::clean());
    let mut near = f64::INFINITY;
    let area = builtin_template().with_vertices(scan.truth.clone()).unwrap().area();
    let mean_spacing = (area / 7150.0).sqrt();
    let mut steps = 0.0;
    for (i, p) in scan.points.iter().enumerate() {
        for q in &scan.points[..i] {
            near = near.min((p - q).norm());
        }
        if i > 0 {
            steps += (p - scan.points[i - 1]).norm() / 7149.0;
        }
    }
    // Poisson-disk: no two points closer than a fixed part of the mean spacing.
    assert!(near > 0.4 * mean_spacing, "{near} of {mean_spacing}");
    // Consecutive points are as far apart as random points of the face.
    assert!(steps > 20.0 * mean_spacing, "{steps}");
}

#[test]
fn hard_scans_miss_what_they_say_they_miss() {
    for i in 0..5 {
        let scan = person(21, i, &ScanConditions::hard());
        assert_eq!(scan.points.len(), 7150);
        let tree: Vec<&Point> = scan.points.iter().collect();
        let reach = |p: &Point| tree.iter().map(|q| (*q - p).norm()).fold(f64::INFINITY, f64::min);
        let far = |covered: bool| {
            let picked: Vec<f64> = scan
                .truth
                .iter()
                .zip(&scan.covered)
                .filter(|(_, c)| **c == covered)
                .step_by(40)
                .map(|(p, _)| reach(p))
                .collect();
            picked.iter().sum::<f64>() / picked.len() as f64
        };
        assert!(scan.covered.iter().any(|c| !c));
        assert!(far(true) < 3.5 && far(false) > far(true), "{} {}", far(true), far(false));
    }
}

#[test]
fn populations_are_reproducible_and_their_people_differ() {
    let demo = ScanConditions::demo();
    let three: Vec<_> = (0..3).map(|i| person(4, i, &demo)).collect();
    assert_eq!(three[2], person(4, 2, &demo));
    assert_ne!(three[0].parameters, three[1].parameters);
    assert_ne!(person(5, 2, &demo), three[2]);
}

/// Of an open surface and of a closed one: as large as it was, none of the vertices within where one was, nothing lost without holes, and of a closed
/// one nothing at all.
#[test]
fn scans_as_meshes_lie_on_the_surface_at_other_places() {
    let surfaces = [builtin_template(), OrganKind::Femur.template()];
    for (surface, is_open) in surfaces.into_iter().zip([true, false]) {
        let mut rng = ChaCha8Rng::seed_from_u64(8);
        let (scan, truth) = scan_as_mesh(surface, &ScanConditions::clean(), &mut rng);
        let there = surface.with_vertices(truth.clone()).unwrap();
        let area = scan.area() / there.area();
        assert!((0.97..1.001).contains(&area), "{area}");
        assert_eq!(scan.triangles().len(), surface.triangles().len());
        let same = scan.vertices().iter().filter(|p| truth.iter().any(|q| (*p - q).norm() < 1e-9)).count();
        assert!(same < truth.len() / 20, "{same} of {}", truth.len());
        let (hard, _) = scan_as_mesh(surface, &ScanConditions::hard(), &mut rng);
        assert_eq!(hard.triangles().len() < surface.triangles().len(), is_open);
    }
}
