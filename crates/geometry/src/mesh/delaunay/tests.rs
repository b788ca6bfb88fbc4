use super::super::{DiskMesh, topology};
use super::*;
use nalgebra::Rotation3;
use rand::{RngExt, SeedableRng};
use std::f64::consts::TAU;

fn rng(seed: u64) -> rand_chacha::ChaCha8Rng {
    rand_chacha::ChaCha8Rng::seed_from_u64(seed)
}

/// Random points of the cap of the unit sphere above height `z`, with their outward normals.
fn cap(n: usize, z: f64, seed: u64) -> Vec<Point> {
    let mut rng = rng(seed);
    (0..n)
        .map(|_| {
            let (h, a): (f64, f64) = (z + (1.0 - z) * rng.random::<f64>(), TAU * rng.random::<f64>());
            let r = (1.0 - h * h).max(0.0).sqrt();
            Point::new(r * a.cos(), r * a.sin(), h)
        })
        .collect()
}

fn torus(n: usize) -> Vec<Point> {
    let mut rng = rng(5);
    (0..n)
        .map(|_| {
            let (u, v) = (TAU * rng.random::<f64>(), TAU * rng.random::<f64>());
            Point::new((3.0 + v.cos()) * u.cos(), (3.0 + v.cos()) * u.sin(), v.sin())
        })
        .collect()
}

fn facing_out(mesh: &TriMesh) -> usize {
    (0..mesh.triangles().len()).filter(|&t| mesh.area_vector(t).dot(&mesh.corners(t)[0].coords) > 0.0).count()
}

/// A cap of three quarters of a sphere overhangs: no projection could mesh it.
#[test]
fn an_overhanging_cap_becomes_a_disk_facing_out() {
    let points = cap(2000, -0.5, 1);
    let disk = DiskMesh::try_new(mesh_from_points(&points).unwrap()).unwrap();
    assert_eq!(disk.mesh().vertices(), points);
    assert_eq!(facing_out(disk.mesh()), disk.mesh().triangles().len());
    // Area of the cap: 2π · 1.5; an inscribed mesh is a little smaller.
    approx::assert_relative_eq!(disk.mesh().area(), TAU * 1.5, max_relative = 0.03);
}

#[test]
fn pose_scale_and_side_do_not_matter() {
    let points = cap(1500, 0.2, 2);
    let plain = mesh_from_points(&points).unwrap();
    let turn = Rotation3::from_euler_angles(2.1, -0.7, 1.3);
    let moved: Vec<Point> =
        points.iter().map(|p| Point::from(turn * p.coords * 1e-3 + Vector::new(50., -7., 9.))).collect();
    let again = mesh_from_points(&moved).unwrap();
    let sorted = |m: &TriMesh| {
        let mut all: Vec<[usize; 3]> = m
            .triangles()
            .iter()
            .map(|&[a, b, c]| {
                if a < b && a < c {
                    [a, b, c]
                } else if b < c {
                    [b, c, a]
                } else {
                    [c, a, b]
                }
            })
            .collect();
        all.sort_unstable();
        all
    };
    assert_eq!(sorted(&plain), sorted(&again));
}

#[test]
fn a_flat_grid_with_all_its_ties_is_a_disk() {
    let points: Vec<Point> = (0..600).map(|i| Point::new((i % 30) as f64, (i / 30) as f64, 7.0)).collect();
    let disk = DiskMesh::try_new(mesh_from_points(&points).unwrap()).unwrap();
    approx::assert_relative_eq!(disk.mesh().area(), 29.0 * 19.0, epsilon = 1e-9);
    assert_eq!(disk.mesh().triangles().len(), 2 * 29 * 19);
}

#[test]
fn holes_like_eyes_are_covered() {
    let points: Vec<Point> =
        cap(4000, 0.0, 3).into_iter().filter(|p| (p - Point::new(0.3, 0.3, 0.9)).norm() > 0.15).collect();
    DiskMesh::try_new(mesh_from_points(&points).unwrap()).unwrap();
}

#[test]
fn repeated_points_stay_in_the_list_and_out_of_the_triangles() {
    let mut points = cap(300, 0.3, 4);
    points.push(points[17]);
    points.push(points[17]);
    let mesh = mesh_from_points(&points).unwrap();
    assert_eq!(mesh.vertices(), points);
    assert_eq!(topology(&mesh).unused_vertices, [300, 301]);
}

#[test]
fn closed_surfaces_and_several_surfaces_are_refused() {
    let message = |points: &[Point]| mesh_from_points(points).unwrap_err().to_string();
    assert!(message(&cap(2000, -1.0, 6)).contains("sphere"));
    assert!(message(&torus(4000)).contains("torus"));
    let mut two = cap(1000, 0.3, 7);
    two.extend(cap(1000, 0.3, 8).iter().map(|p| p + Vector::new(4.0, 0.0, 0.0)));
    assert!(message(&two).contains("one face per file"));
}

/// A torus with a bite has a border and still no disk.
#[test]
fn a_handle_is_refused() {
    let points: Vec<Point> = torus(5000).into_iter().filter(|p| p.x < 3.0 || p.y.abs() > 1.0).collect();
    let message = mesh_from_points(&points).unwrap_err().to_string();
    assert!(message.contains("torus"), "{message}");
}

#[test]
fn too_little_is_refused_in_one_line() {
    let at = |list: &[[f64; 3]]| list.iter().map(|&[x, y, z]| Point::new(x, y, z)).collect::<Vec<_>>();
    for (points, word) in [
        (at(&[]), "at least 3"),
        (at(&[[0., 0., 0.], [1., 0., 0.]]), "at least 3"),
        (at(&[[1., 2., 3.]; 50]), "at least 3"),
        ((0..50).map(|i| Point::new(i as f64, 2.0 * i as f64, 1.0)).collect(), "one line"),
        (at(&[[0., 0., 0.], [1., 0., f64::NAN], [0., 1., 0.]]), "not a finite number"),
    ] {
        let message = mesh_from_points(&points).unwrap_err().to_string();
        assert!(message.contains(word) && !message.contains('\n'), "{message}");
    }
    assert_eq!(
        mesh_from_points(&at(&[[0., 0., 0.], [1., 0., 0.], [0., 1., 0.]])).unwrap().triangles().len(),
        1
    );
}

proptest::proptest! {
    /// Whatever the points, an answer and no panic; coarse coordinates make repeats, lines and ties common.
    #[test]
    fn any_cloud_gets_an_answer(list in proptest::collection::vec(proptest::array::uniform3(0u8..4), 0..60)) {
        let points: Vec<Point> =
            list.iter().map(|&[x, y, z]| Point::new(x.into(), y.into(), z.into())).collect();
        if let Ok(mesh) = mesh_from_points(&points) {
            proptest::prop_assert_eq!(mesh.vertices(), &points[..]);
        }
    }
}
