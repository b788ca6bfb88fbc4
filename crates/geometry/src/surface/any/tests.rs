//! Laws of surfaces of any kind.

use super::*;
use crate::function::Harmonics;
use crate::mesh::pose::angle_between;
use crate::mesh::{Point, Similarity, TriMesh, Vector, subdivided};
use crate::synth::{FaceParameters, builtin_template};
use nalgebra::Rotation3;
use rand::SeedableRng;
use std::sync::LazyLock;

/// A closed mesh whose points are so far out in every direction.
fn star(radius: impl Fn(&Vector) -> f64) -> TriMesh {
    let g = (1.0 + 5f64.sqrt()) / 2.0;
    let corners = (0..3).flat_map(|k| {
        [[1.0, g], [-1.0, g], [1.0, -g], [-1.0, -g]].map(|[a, b]| {
            let mut p = [0.0; 3];
            (p[(k + 1) % 3], p[(k + 2) % 3]) = (a, b);
            Point::from(p)
        })
    });
    let corners: Vec<Point> = corners.collect();
    let mut triangles = Vec::new();
    for (i, j, k) in (0..12).flat_map(|i| (i..12).flat_map(move |j| (j..12).map(move |k| (i, j, k)))) {
        let near = |a: usize, b: usize| ((corners[a] - corners[b]).norm() - 2.0).abs() < 1e-9;
        if near(i, j) && near(j, k) && near(k, i) {
            let out = (corners[j] - corners[i]).cross(&(corners[k] - corners[i])).dot(&corners[i].coords);
            triangles.push(if out > 0.0 { [i, j, k] } else { [i, k, j] });
        }
    }
    let mut mesh = TriMesh::new(corners, triangles).unwrap();
    for _ in 0..3 {
        mesh = subdivided(&mesh).unwrap();
    }
    let places = mesh.vertices().iter().map(|p| p.coords.normalize()).map(|v| Point::from(v * radius(&v)));
    let places = places.collect();
    mesh.with_vertices(places).unwrap()
}

fn lump(v: &Vector, at: [f64; 3], width: f64) -> f64 {
    (-(v - Vector::from(at).normalize()).norm_squared() / (2.0 * width * width)).exp()
}

/// Lumps in three places, of different sizes: like nothing else when turned or mirrored.
fn potato(share: f64) -> TriMesh {
    star(|v| {
        20.0 * (1.0
            + 0.9 * lump(v, [1.0, 0.1, 0.0], 0.5)
            + (0.5 + 0.1 * share) * lump(v, [-0.2, 1.0, 0.3], 0.35)
            + (0.4 - 0.1 * share) * lump(v, [-0.5, -0.6, 1.0], 0.3)
            - 0.25 * lump(v, [0.3, -0.2, -1.0], 0.5))
    })
}

static POTATO: LazyLock<SurfaceTemplate> = LazyLock::new(|| SurfaceTemplate::try_new(potato(0.0)).unwrap());

fn motion() -> Similarity {
    Similarity {
        scale: 1.7,
        rotation: Rotation3::from_euler_angles(2.0, -0.8, 1.1),
        translation: Vector::new(100.0, -40.0, 7.0),
    }
}

fn moved(mesh: &TriMesh, by: &Similarity) -> TriMesh {
    mesh.with_vertices(mesh.vertices().iter().map(|p| by.apply(p)).collect()).unwrap()
}

fn root_mean_square(a: &[Point], b: &[Point]) -> f64 {
    (a.iter().zip(b).map(|(p, q)| (p - q).norm_squared()).sum::<f64>() / a.len() as f64).sqrt()
}

fn register(scan: &TriMesh) -> Result<RegisteredSurface, SurfaceRegistrationError> {
    POTATO.register(scan, None, &SurfaceSettings::default())
}

#[test]
fn a_turned_template_is_found_with_its_size() {
    assert_eq!((POTATO.topology(), POTATO.ambiguity()), (Topology::Sphere, None));
    let found = register(&moved(POTATO.mesh(), &motion())).unwrap();
    assert!(root_mean_square(&found.vertices, POTATO.mesh().vertices()) < 0.05);
    assert!((found.size - 1.7).abs() < 0.01 && !found.mirrored && found.min_jacobian > 0.5);
    assert!(found.fit.max < 0.2, "{:?}", found.fit);
    assert!(angle_between(&found.pose.after(&motion()).rotation, &Rotation3::identity()) < 0.01);
}

#[test]
fn another_shape_is_registered_alike_however_it_is_turned() {
    let other = potato(1.0);
    let found = register(&other).unwrap();
    let turned = register(&moved(&other, &motion())).unwrap();
    let apart = root_mean_square(&found.vertices, &turned.vertices);
    assert!(apart < 0.02, "{apart}");
    assert!((turned.size / found.size - 1.7).abs() < 1e-3 && found.min_jacobian > 0.0);
    let kept = SurfaceSettings { remove_scale: false, ..SurfaceSettings::default() };
    let kept = POTATO.register(&moved(&other, &motion()), None, &kept).unwrap();
    assert_eq!(kept.pose.scale, 1.0);
}

#[test]
fn mirrored_scans_are_refused_or_said() {
    let places = potato(0.5).vertices().iter().map(|p| Point::new(p.x, -p.y, p.z)).collect();
    let triangles = POTATO.mesh().triangles().iter().map(|&[a, b, c]| [a, c, b]).collect();
    let image = moved(&TriMesh::new(places, triangles).unwrap(), &motion());
    assert!(matches!(register(&image), Err(SurfaceRegistrationError::Mirrored)));
    let allowed = SurfaceSettings { allow_mirrored: true, ..SurfaceSettings::default() };
    let found = POTATO.register(&image, None, &allowed).unwrap();
    assert!(found.mirrored);
    let straight = register(&potato(0.5)).unwrap();
    assert!(root_mean_square(&found.vertices, &straight.vertices) < 0.1);
}

#[test]
fn sides_that_point_inwards_and_small_pieces_are_told() {
    let (mut vertices, mut triangles) = potato(0.5).into_parts();
    triangles.iter_mut().for_each(|t| t.swap(0, 1));
    let n = vertices.len();
    vertices.extend([[90.0, 0.0, 0.0], [91.0, 0.0, 0.0], [90.0, 1.0, 0.0]].map(Point::from));
    triangles.push([n, n + 1, n + 2]);
    let found = register(&TriMesh::new(vertices, triangles).unwrap()).unwrap();
    assert_eq!(found.notes, ScanNotes { dropped: 1, holes: 0, turned_over: true });
}

#[test]
fn balls_and_turned_shapes_are_ambiguous_without_marks() {
    let ball = SurfaceTemplate::try_new(star(|_| 20.0)).unwrap();
    assert!(ball.ambiguity().unwrap().needs_marks());
    let settings = SurfaceSettings::default();
    let alone = ball.register(&potato(0.0), None, &settings);
    assert!(matches!(alone, Err(SurfaceRegistrationError::Template(_))));
    let square = star(|v| 20.0 + 6.0 * lump(v, [1.0, 0.0, 0.0], 0.3) + 6.0 * lump(v, [-1.0, 0.0, 0.0], 0.3));
    assert!(SurfaceTemplate::try_new(square).unwrap().ambiguity().unwrap().needs_marks());
    let marks = [[20.0, 0.0, 0.0], [0.0, 20.0, 0.0], [0.0, 0.0, 20.0]].map(Point::from);
    let scan = moved(&star(|v| 20.0 + 3.0 * lump(v, [1.0, 0.0, 0.0], 0.4)), &motion());
    let pairs = |n: usize| Correspondences(marks[..n].iter().map(|p| (*p, motion().apply(p))).collect());
    let found = ball.register(&scan, Some(&pairs(3)), &settings).unwrap();
    let angle = angle_between(&found.pose.after(&motion()).rotation, &Rotation3::identity());
    assert!(angle < 0.2, "{angle}");
    let two = ball.register(&scan, Some(&pairs(2)), &settings);
    assert!(matches!(two, Err(SurfaceRegistrationError::Marks)));
}

/// Most of a way across the surface is seen, less of one along it.
#[test]
fn registration_pulls_means_along_the_surface_more_than_across() {
    let spectrum =
        |frequency: f64| if frequency > 0.0 { (1.0 + frequency * frequency / 4.0).powf(-1.9) } else { 0.0 };
    let ball = SurfaceTemplate::try_new(star(|_| 20.0)).unwrap();
    assert!(ball.ambiguity().unwrap().needs_marks());
    for template in [&*POTATO, &ball] {
        let harmonics = Harmonics::new(template.mesh(), 60).unwrap();
        let pull = template.pull(&harmonics, spectrum, 1.0).unwrap();
        assert!(pull.share.normal < 0.3 && pull.share.along > pull.share.normal, "{pull:?}");
        assert!(pull.share.along < 0.8 && pull.single.along < 0.8, "{pull:?}");
    }
}

#[test]
fn handles_borders_and_pieces_are_named() {
    let n = 16;
    let at = |k: usize| (k / n, k % n);
    let angle = |i: usize| std::f64::consts::TAU * i as f64 / n as f64;
    let places = (0..n * n).map(|k| {
        let ((s, c), (t, d)) = (angle(at(k).0).sin_cos(), angle(at(k).1).sin_cos());
        Point::new((5.0 + 2.0 * c) * d, (5.0 + 2.0 * c) * t, 2.0 * s)
    });
    let triangles = (0..n * n).flat_map(|k| {
        let (i, j) = at(k);
        let (a, b, c, d) = (k, i * n + (j + 1) % n, (i + 1) % n * n + (j + 1) % n, (i + 1) % n * n + j);
        [[a, b, c], [a, c, d]]
    });
    let torus = TriMesh::new(places.collect(), triangles.collect()).unwrap();
    let error = SurfaceTemplate::try_new(torus).unwrap_err().to_string();
    assert!(error.contains("genus 1") && error.contains("0 borders"), "{error}");
    let open = TriMesh::new(potato(0.0).vertices().to_vec(), POTATO.mesh().triangles()[40..].to_vec());
    assert!(SurfaceTemplate::try_new(open.unwrap()).is_err());
    let face = builtin_template();
    assert!(matches!(register(face), Err(SurfaceRegistrationError::Open)));
}

#[test]
fn a_disk_is_registered_with_its_border() {
    let template = SurfaceTemplate::try_new(builtin_template().clone()).unwrap();
    assert!(matches!(template.ambiguity(), Some(Ambiguity::Mirror { .. })));
    let person = FaceParameters::sample(&mut rand_chacha::ChaCha8Rng::seed_from_u64(3)).mesh();
    let found = template.register(&moved(&person, &motion()), None, &SurfaceSettings::default()).unwrap();
    let back = found.pose.inverse();
    let truth: Vec<Point> = person.vertices().iter().map(|p| motion().apply(p)).collect();
    let places: Vec<Point> = found.vertices.iter().map(|p| back.apply(p)).collect();
    let error = root_mean_square(&places, &truth) / motion().scale;
    assert!(error < 3.0, "{error} mm");
    // Of a scan without its lower third the rest is filled in.
    assert!(found.filled < 0.1, "{}", found.filled);
    let mut heights: Vec<f64> = person.vertices().iter().map(|p| p.y).collect();
    heights.sort_by(f64::total_cmp);
    let cut = heights[heights.len() / 3];
    let shares = template.mesh().vertex_shares();
    let below = |i: &usize| person.vertices()[*i].y < cut;
    let missing: f64 = (0..shares.len()).filter(below).map(|i| shares[i]).sum();
    let upper = person.triangles().iter().copied().filter(|t| !t.iter().any(below)).collect();
    let upper = TriMesh::new(person.vertices().to_vec(), upper).unwrap();
    let found = template.register(&upper, None, &SurfaceSettings::default()).unwrap();
    assert!((found.filled - missing).abs() < 0.1, "{} for {missing}", found.filled);
    assert!(matches!(
        template.register(&potato(0.0), None, &SurfaceSettings::default()),
        Err(SurfaceRegistrationError::Closed)
    ));
}
