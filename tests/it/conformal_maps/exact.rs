//! Surfaces whose conformal map is known, and what must not change the map.

use super::meshes::{delaunay, disk, ring_disk, rings};
use nalgebra::{Complex, Rotation3, Vector3};
use rand::{RngExt, SeedableRng, seq::SliceRandom};
use rand_chacha::ChaCha8Rng;
use std::f64::consts::{FRAC_PI_3, TAU};
use visard::conformal::{DiskMap, Quality, SurfacePoint, disk_map};
use visard::mesh::{DiskMesh, Point};

fn centred(disk: &DiskMesh, centre: usize, up: usize) -> DiskMap {
    let mut map = disk_map(disk).unwrap();
    map.recentre(disk, &SurfacePoint::Vertex(centre), &SurfacePoint::Vertex(up)).unwrap();
    map
}

fn largest_difference(a: &[Complex<f64>], b: &[Complex<f64>]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max)
}

/// A lopsided bump without symmetry.
fn bump(r: f64, t: f64) -> Point {
    let (x, y) = (r * t.cos(), r * t.sin());
    Point::new(
        x,
        1.3 * y + 0.2 * x * x,
        0.6 * (-4.0 * ((x - 0.2).powi(2) + y * y)).exp() + 0.1 * (5.0 * y).sin(),
    )
}

#[test]
fn a_flat_symmetric_disk_is_its_own_map() {
    let flat = ring_disk(12, |r, t| Point::new(7.0 * r * t.cos(), 7.0 * r * t.sin(), 3.0));
    // Vertex 2 is on the first ring at 60°: turned to 90°.
    let map = centred(&flat, 0, 2);
    let (polar, _) = rings(12);
    let exact: Vec<_> = polar.iter().map(|&(r, t)| Complex::from_polar(r, t + TAU / 12.0)).collect();
    assert!(largest_difference(&map.z, &exact) < 1e-9);
    let quality = Quality::measure(&flat, &map).unwrap();
    assert!(quality.angle_distortion_deg.mean < 1e-6 && quality.beltrami.max < 1e-7);
}

#[test]
fn an_uneven_flat_disk_is_nearly_its_own_map() {
    // Random interior vertices: the area centre of the vertices is not quite the centre of the disk, and a
    // Möbius transformation moves vertices, not triangles; what remains is of the order of the triangles.
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let k = 90;
    let mut points: Vec<Complex<f64>> =
        (0..k).map(|j| Complex::from_polar(1.0, TAU * j as f64 / k as f64)).collect();
    points.extend(
        (0..700).map(|_| Complex::from_polar(0.98 * rng.random::<f64>().sqrt(), TAU * rng.random::<f64>())),
    );
    let triangles = delaunay(&points);
    let flat = disk(points.iter().map(|z| Point::new(z.re, z.im, 0.0)).collect(), triangles);
    let quality = Quality::measure(&flat, &disk_map(&flat).unwrap()).unwrap();
    assert!(quality.angle_distortion_deg.mean < 0.2, "{quality:?}");
    assert_eq!(quality.flipped_triangles, 0);
}

#[test]
fn folding_along_edges_changes_nothing() {
    // A crease along the first axis bends the surface, not its intrinsic shape.
    let flat = ring_disk(14, bump_flat);
    let folded = ring_disk(14, |r, t| {
        let p = bump_flat(r, t);
        if t.sin() > 1e-9 { Point::new(p.x, p.y * FRAC_PI_3.cos(), p.y * FRAC_PI_3.sin()) } else { p }
    });
    let (a, b) = (disk_map(&flat).unwrap(), disk_map(&folded).unwrap());
    assert!(largest_difference(&a.z, &b.z) < 1e-7);
}

fn bump_flat(r: f64, t: f64) -> Point {
    let stretch = 1.0 + 0.3 * t.cos();
    Point::new(r * stretch * t.cos(), r * stretch * t.sin(), 0.0)
}

#[test]
fn spherical_caps_converge_to_the_stereographic_projection() {
    for cap in [1.0, TAU / 4.0] {
        let error = |n: usize| {
            let sphere = ring_disk(n, |r, t| {
                let polar = cap * r;
                Point::new(polar.sin() * t.cos(), polar.sin() * t.sin(), polar.cos())
            });
            let map = centred(&sphere, 0, 2);
            let (polar, _) = rings(n);
            let exact: Vec<_> = polar
                .iter()
                .map(|&(r, t)| Complex::from_polar((cap * r / 2.0).tan() / (cap / 2.0).tan(), t + TAU / 12.0))
                .collect();
            largest_difference(&map.z, &exact)
        };
        let errors = [6, 12, 24].map(error);
        assert!(errors[0] < 0.03, "{errors:?}");
        // Second order would be a factor of 4.
        assert!(errors[0] > 2.5 * errors[1] && errors[1] > 2.5 * errors[2], "{errors:?}");
    }
}

#[test]
fn pose_size_and_numbering_do_not_matter() {
    let (polar, triangles) = rings(12);
    let vertices: Vec<Point> = polar.iter().map(|&(r, t)| bump(r, t)).collect();
    let n = vertices.len();
    let original = centred(&disk(vertices.clone(), triangles.clone()), 0, 2);

    let turn = Rotation3::new(Vector3::new(0.4, -1.1, 2.0));
    for size in [1e-6, 1.0, 1e6] {
        let moved =
            vertices.iter().map(|p| turn * (p * size) + Vector3::new(3.0, -2.0, 9.0) * size).collect();
        let map = centred(&disk(moved, triangles.clone()), 0, 2);
        assert!(largest_difference(&map.z, &original.z) < 1e-6);
    }

    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let mut place: Vec<usize> = (0..n).collect();
    place.shuffle(&mut rng);
    let mut shuffled = vec![Point::origin(); n];
    (0..n).for_each(|v| shuffled[place[v]] = vertices[v]);
    let mut renamed: Vec<[usize; 3]> = triangles.iter().map(|t| t.map(|v| place[v])).collect();
    renamed.shuffle(&mut rng);
    renamed.iter_mut().for_each(|t| t.rotate_left(rng.random_range(0..3)));
    let map = centred(&disk(shuffled, renamed), place[0], place[2]);
    let back: Vec<_> = (0..n).map(|v| map.z[place[v]]).collect();
    assert!(largest_difference(&back, &original.z) < 1e-6, "{}", largest_difference(&back, &original.z));
}

#[test]
fn a_mirrored_surface_has_the_mirrored_map() {
    let (polar, triangles) = rings(10);
    let vertices: Vec<Point> = polar.iter().map(|&(r, t)| bump(r, t)).collect();
    let mirrored = vertices.iter().map(|p| Point::new(-p.x, p.y, p.z)).collect();
    let turned = triangles.iter().map(|&[a, b, c]| [a, c, b]).collect();
    let a = centred(&disk(vertices, triangles), 0, 2);
    let b = centred(&disk(mirrored, turned), 0, 2);
    let reflected: Vec<_> = b.z.iter().map(|z| -z.conj()).collect();
    assert!(largest_difference(&a.z, &reflected) < 1e-6);
}

#[test]
fn maps_get_more_conformal_as_the_mesh_gets_finer() {
    let mean = |n: usize| {
        let surface = ring_disk(n, bump);
        Quality::measure(&surface, &disk_map(&surface).unwrap()).unwrap().angle_distortion_deg.mean
    };
    let means = [8, 16, 32].map(mean);
    assert!(means[0] > 1.6 * means[1] && means[1] > 1.6 * means[2], "{means:?}");
    assert!(means[2] < 0.6, "{means:?}");
}

#[test]
fn a_point_inside_a_triangle_goes_to_the_centre() {
    let surface = ring_disk(10, bump);
    let mut map = disk_map(&surface).unwrap();
    let centre = SurfacePoint::Triangle { triangle: 17, weights: [0.2, 0.5, 0.3] };
    let up = SurfacePoint::Triangle { triangle: 200, weights: [0.1, 0.1, 0.8] };
    map.recentre(&surface, &centre, &up).unwrap();
    assert!(map.image(&surface, &centre).unwrap().norm() < 1e-14);
    let above = map.image(&surface, &up).unwrap();
    assert!(above.re.abs() < 1e-14 && above.im > 0.0);
    assert!(map.is_bijective(&surface));
    assert!(Quality::measure(&surface, &map).unwrap().boundary_deviation < 1e-15);
}
