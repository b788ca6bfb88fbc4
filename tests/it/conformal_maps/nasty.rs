//! Meshes that break conformal maps: the result must be one-to-one on all of them.

use super::meshes::{delaunay, disk};
use nalgebra::Complex;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::HashMap;
use std::f64::consts::TAU;
use visard::conformal::{ConformalError, Quality, SurfacePoint, disk_chart, disk_map};
use visard::mesh::{DiskMesh, MeshError, Point, TriMesh};

const SIZES: [usize; 4] = [5, 30, 200, 900];

/// Random points of the unit disk, with radii changed by `radius`.
fn scatter(n: usize, rng: &mut ChaCha8Rng, radius: impl Fn(f64) -> f64) -> Vec<Complex<f64>> {
    (0..n)
        .map(|_| Complex::from_polar(radius(rng.random::<f64>().sqrt()), TAU * rng.random::<f64>()))
        .collect()
}

fn lift(points: &[Complex<f64>], mut place: impl FnMut(f64, f64) -> Point) -> DiskMesh {
    disk(points.iter().map(|z| place(z.re, z.im)).collect(), delaunay(points))
}

/// The map exists, is one-to-one, has its boundary on the circle, and can be centred on most vertices.
fn check(name: &str, disk: &DiskMesh, rng: &mut ChaCha8Rng) {
    let map = disk_map(disk).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert!(map.is_bijective(disk), "{name}");
    // The chart of the first steps alone, on which certificates of registrations rest.
    assert!(disk_chart(disk).unwrap_or_else(|e| panic!("{name}: {e}")).is_bijective(disk), "{name}");
    let quality = Quality::measure(disk, &map).unwrap();
    assert_eq!(quality.flipped_triangles, 0, "{name}");
    assert!(quality.boundary_deviation < 1e-15, "{name}: {}", quality.boundary_deviation);
    let interior: Vec<usize> = (0..map.z.len()).filter(|v| !disk.boundary().contains(v)).collect();
    assert!(interior.iter().all(|&v| map.z[v].norm() < 1.0), "{name}");
    let Some(&centre) = interior.get(rng.random_range(0..interior.len().max(1))) else { return };
    let mut moved = map.clone();
    match moved.recentre(disk, &SurfacePoint::Vertex(centre), &SurfacePoint::Vertex(disk.boundary()[0])) {
        Ok(()) => {
            assert!(moved.is_bijective(disk), "{name}");
            assert_eq!(moved.z[centre], Complex::ZERO, "{name}");
        }
        Err(ConformalError::NotCentred { .. } | ConformalError::BadPoint(_)) => assert_eq!(moved, map),
        Err(e) => panic!("{name}: {e}"),
    }
}

fn each(name: &str, mut make: impl FnMut(usize, &mut ChaCha8Rng) -> DiskMesh) {
    for seed in 0..16 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let n = SIZES[seed as usize % SIZES.len()];
        let disk = make(n, &mut rng);
        check(&format!("{name}, seed {seed}, {n} points"), &disk, &mut rng);
    }
}

#[test]
fn noisy_heights() {
    each("noise", |n, rng| {
        let points = scatter(n, rng, |r| r);
        lift(&points, |x, y| Point::new(x, y, 0.3 * rng.random::<f64>()))
    });
}

#[test]
fn very_uneven_triangles() {
    each("uneven", |n, rng| {
        let points = scatter(n, rng, |r| r.powi(9) + 1e-9 * r);
        lift(&points, |x, y| Point::new(x, y, x * y))
    });
}

#[test]
fn slivers() {
    each("squashed", |n, rng| {
        let points = scatter(n, rng, |r| r);
        lift(&points, |x, y| Point::new(x, 1e-3 * y, 0.1 * x * x))
    });
}

#[test]
fn crumpled_beyond_recognition() {
    each("crumpled", |n, rng| {
        let points = scatter(n, rng, |r| r);
        lift(&points, |_, _| Point::new(rng.random(), rng.random(), rng.random()))
    });
}

#[test]
fn long_strips_and_spikes() {
    each("strip", |n, rng| {
        let points: Vec<_> = scatter(n, rng, |r| r).iter().map(|z| Complex::new(60.0 * z.re, z.im)).collect();
        lift(&points, |x, y| Point::new(x, y, 0.1 * x.sin()))
    });
    each("spike", |n, rng| {
        let points = scatter(n, rng, |r| r);
        lift(&points, |x, y| Point::new(x, y, 30.0 * (-8.0 * (x * x + y * y)).exp()))
    });
}

#[test]
fn coincident_and_collinear_vertices() {
    for mode in ["coincident", "collinear"] {
        each(mode, |n, rng| {
            let points = scatter(n, rng, |r| r);
            let triangles = delaunay(&points);
            let mut vertices: Vec<Point> =
                points.iter().map(|z| Point::new(z.re, z.im, 0.2 * z.re)).collect();
            for &[a, b, c] in triangles.iter().step_by(6) {
                let middle = Point::from((vertices[b].coords + vertices[c].coords) / 2.0);
                vertices[a] = if mode == "collinear" { middle } else { vertices[b] };
            }
            disk(vertices, triangles)
        });
    }
}

/// Takes away boundary triangles whose third vertex is inside, so that the rim gets ragged: ears, bays, and
/// edges that join two boundary vertices through the inside.
fn gnaw(mut triangles: Vec<[usize; 3]>, bites: usize, rng: &mut ChaCha8Rng) -> Vec<[usize; 3]> {
    let sides = |t: [usize; 3]| [0, 1, 2].map(|k| (t[k].min(t[(k + 1) % 3]), t[k].max(t[(k + 1) % 3])));
    for _ in 0..bites {
        let mut count: HashMap<(usize, usize), usize> = HashMap::new();
        triangles.iter().flat_map(|&t| sides(t)).for_each(|s| *count.entry(s).or_default() += 1);
        let rim: std::collections::HashSet<usize> =
            count.iter().filter(|(_, c)| **c == 1).flat_map(|(&(a, b), _)| [a, b]).collect();
        let open: Vec<usize> = (0..triangles.len())
            .filter(|&i| {
                let t = triangles[i];
                sides(t).iter().filter(|&s| count[s] == 1).count() == 1
                    && t.iter().filter(|&v| rim.contains(v)).count() == 2
            })
            .collect();
        if open.is_empty() {
            break;
        }
        triangles.swap_remove(open[rng.random_range(0..open.len())]);
    }
    triangles
}

#[test]
fn ragged_rims() {
    each("ragged", |n, rng| {
        let points = scatter(n, rng, |r| r);
        let triangles = gnaw(delaunay(&points), n / 4, rng);
        disk(points.iter().map(|z| Point::new(z.re, z.im, 0.3 * z.im * z.im)).collect(), triangles)
    });
}

#[test]
fn all_vertices_on_the_rim() {
    // A fan and a zigzag band have no interior vertex at all.
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let vertices: Vec<Point> =
        (0..12).map(|i| Point::new(i as f64, (i % 2) as f64, 0.3 * (i as f64).sin())).collect();
    let band = (0..10).map(|i| if i % 2 == 0 { [i, i + 2, i + 1] } else { [i, i + 1, i + 2] }).collect();
    check("band", &disk(vertices.clone(), band), &mut rng);
    let fan = (1..11).map(|i| [0, i, i + 1]).collect();
    check("fan", &disk(vertices, fan), &mut rng);
}

#[test]
fn sizes_from_tiny_to_huge() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let points = scatter(120, &mut rng, |r| r);
    for size in [1e-100, 1e-12, 1e12, 1e100] {
        check("size", &lift(&points, |x, y| Point::new(size * x, size * y, 0.3 * size * x * y)), &mut rng);
    }
    for size in [1e-200, 1e200] {
        let flat = lift(&points, |x, y| Point::new(size * x, size * y, 0.0));
        assert!(matches!(disk_map(&flat), Err(ConformalError::NoSize { .. })));
    }
}

#[test]
fn a_mesh_without_size_is_refused() {
    let square = TriMesh::new(vec![Point::new(1.0, 2.0, 3.0); 4], vec![[0, 1, 2], [0, 2, 3]]);
    let square = square.and_then(DiskMesh::try_new);
    match square {
        Ok(square) => {
            let error = disk_map(&square).unwrap_err();
            assert!(matches!(error, ConformalError::NoSize { mean_length } if mean_length == 0.0));
            assert!(!error.to_string().contains('\n'));
        }
        Err(e) => assert!(matches!(e, MeshError::NotADisk(_))),
    }
}
