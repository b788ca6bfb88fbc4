use super::*;
use crate::mesh::{ClosedMesh, Point, TriMesh, Vector};
use crate::synth::{OrganConditions, OrganKind, organ_scan};
use nalgebra::Rotation3;

/// An octahedron whose triangles are cut into four `depth` times, on the unit sphere.
fn sphere(depth: usize) -> TriMesh {
    let vertices: Vec<Point> = [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]]
        .map(|p| Point::from(p.map(f64::from)))
        .to_vec();
    let triangles =
        vec![[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];
    let mut mesh = TriMesh::new(vertices, triangles).unwrap();
    for _ in 0..depth {
        mesh = crate::mesh::subdivided(&mesh).unwrap();
        let round = mesh.vertices().iter().map(|p| Point::from(p.coords.normalize())).collect();
        mesh = mesh.with_vertices(round).unwrap();
    }
    mesh
}

fn closed(mesh: TriMesh) -> ClosedMesh {
    ClosedMesh::try_new(mesh).unwrap()
}

fn moved(mesh: &TriMesh, by: impl Fn(&Point) -> Point) -> TriMesh {
    mesh.with_vertices(mesh.vertices().iter().map(by).collect()).unwrap()
}

fn farthest(a: &[Vector], b: &[Vector]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max)
}

#[test]
fn a_sphere_maps_to_itself() {
    let mesh = closed(sphere(5));
    let map = sphere_map(&mesh).unwrap();
    let own: Vec<Vector> = mesh.mesh().vertices().iter().map(|p| p.coords).collect();
    assert!(farthest(&map.x, &own) < 2e-3, "{}", farthest(&map.x, &own));
    let quality = SphereQuality::measure(&mesh, &map).unwrap();
    assert!(quality.angle_distortion_deg.mean < 0.05 && quality.off_centre < 1e-9, "{quality:?}");
}

#[test]
fn smaller_triangles_come_nearer_to_the_sphere() {
    let error = |depth| {
        let mesh = closed(sphere(depth));
        let own: Vec<Vector> = mesh.mesh().vertices().iter().map(|p| p.coords).collect();
        farthest(&sphere_map(&mesh).unwrap().x, &own)
    };
    let (coarse, fine) = (error(3), error(5));
    // Second order would be 16.
    assert!(coarse > 8.0 * fine, "{coarse} {fine}");
}

/// The conformal map of a surface of revolution keeps the angle about the axis, and log tan(colatitude/2) is the integral of arc length over
/// distance from the axis.
#[test]
fn an_ellipsoid_maps_as_its_integral_says() {
    let half = 2.0;
    let mesh = closed(moved(&sphere(5), |p| Point::new(p.x, p.y, half * p.z)));
    let map = sphere_map(&mesh).unwrap();
    // From the equator to the parameter u (z = half·sin u): ∫ √(sin² + half² cos²)/cos du.
    let isothermal = |u: f64| {
        let n = 4000;
        let step = u / f64::from(n);
        let f = |u: f64| (u.sin().powi(2) + (half * u.cos()).powi(2)).sqrt() / u.cos();
        (0..n).map(|i| f((f64::from(i) + 0.5) * step)).sum::<f64>() * step
    };
    let mut most: f64 = 0.0;
    for (p, x) in mesh.mesh().vertices().iter().zip(&map.x).step_by(37) {
        let u = (p.z / half).asin();
        if u.abs() > 1.5 {
            continue;
        }
        let height = isothermal(u).tanh();
        let round = (p.x * p.x + p.y * p.y).sqrt();
        let radius = (1.0 - height * height).sqrt() / round;
        most = most.max((x - Vector::new(p.x * radius, p.y * radius, height)).norm());
    }
    assert!(most < 5e-3, "{most}");
}

#[test]
fn pose_and_scale_turn_the_sphere_and_change_nothing_else() {
    let mesh = OrganKind::Liver.template().clone();
    let map = sphere_map(&closed(mesh.clone())).unwrap();
    let turn = Rotation3::from_euler_angles(0.4, -1.1, 2.0);
    let there = moved(&mesh, |p| turn * (p * 0.037) + Vector::new(5.0, -80.0, 11.0));
    let other = sphere_map(&closed(there)).unwrap();
    let turned: Vec<Vector> = map.x.iter().map(|x| turn * x).collect();
    assert!(farthest(&turned, &other.x) < 1e-8, "{}", farthest(&turned, &other.x));
}

#[test]
fn organs_are_mapped_one_to_one_and_centred() {
    let closed_kinds = OrganKind::ALL.into_iter().filter(|kind| *kind != OrganKind::Ear);
    for (k, kind) in closed_kinds.enumerate() {
        let scan = |i: u64| organ_scan(kind, 3 + k as u64, i, &OrganConditions::default()).mesh;
        // A scan with an edge of four sides is no closed surface.
        let made = (0..2).find_map(|i| ClosedMesh::try_new(scan(i)).ok());
        // Fingers of hands touch.
        assert!(made.is_some() || kind == OrganKind::Hand, "{kind:?}");
        for mesh in made.into_iter().chain([closed(kind.template().clone())]) {
            let map = sphere_map(&mesh).unwrap();
            let quality = SphereQuality::measure(&mesh, &map).unwrap();
            assert!(map.is_bijective(&mesh) && quality.flipped_triangles == 0, "{kind:?}");
            assert!(quality.off_centre < 1e-9, "{kind:?} {quality:?}");
            assert!(quality.angle_distortion_deg.mean < 6.0, "{kind:?} {quality:?}");
        }
    }
}

#[test]
fn the_coarsest_sphere_and_a_spike_are_mapped() {
    let octahedron = closed(sphere(0));
    assert!(sphere_map(&octahedron).unwrap().is_bijective(&octahedron));
    let corners = [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [0., 0., 1.]].map(Point::from).to_vec();
    let four = closed(TriMesh::new(corners, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]).unwrap());
    assert!(sphere_map(&four).unwrap().is_bijective(&four));
    // A vertex pulled out by twenty radii, and thin triangles all round.
    let mut vertices = sphere(3).vertices().to_vec();
    vertices[4] *= 20.0;
    let spiked = closed(sphere(3).with_vertices(vertices).unwrap());
    let map = sphere_map(&spiked).unwrap();
    assert!(map.is_bijective(&spiked) && map.off_centre(&spiked) < 1e-9);
    let flat = closed(moved(&sphere(4), |p| Point::new(p.x, p.y, 1e-4 * p.z)));
    let map = sphere_map(&flat).unwrap();
    assert!(map.is_bijective(&flat) && map.off_centre(&flat) < 1e-9);
}

#[test]
fn what_is_no_closed_surface_is_refused_by_name() {
    let refused = |mesh: TriMesh| ClosedMesh::try_new(mesh).unwrap_err().to_string();
    let (vertices, triangles) = sphere(2).into_parts();
    let make = |triangles: Vec<[usize; 3]>| TriMesh::new(vertices.clone(), triangles).unwrap();
    let about = "not a closed surface without handles: ";
    assert_eq!(refused(make(triangles[1..].to_vec())), format!("{about}1 boundary loop (expected 0)"));
    let inside = triangles.iter().map(|&[a, b, c]| [a, c, b]).collect();
    assert_eq!(
        refused(make(inside)),
        format!("{about}its triangles face inwards; turn the surface inside out first")
    );
    let mut one_turned = triangles.clone();
    one_turned[0].swap(1, 2);
    assert_eq!(refused(make(one_turned)), format!("{about}3 inconsistently oriented edges (expected 0)"));
    let mut doubled = vertices.clone();
    doubled[7] = doubled[9];
    let found = refused(TriMesh::new(doubled, triangles.clone()).unwrap());
    assert!(found.contains("1 doubled vertex (expected 0)"), "{found}");
    let two = vertices.iter().copied().chain(vertices.iter().map(|p| p + Vector::new(5., 0., 0.))).collect();
    let n = vertices.len();
    let both = triangles.iter().copied().chain(triangles.iter().map(|t| t.map(|v| v + n))).collect();
    assert_eq!(refused(TriMesh::new(two, both).unwrap()), format!("{about}2 components (expected 1)"));
    assert_eq!(refused(torus()), format!("{about}genus 1 (expected 0)"));
    assert_eq!(refused(TriMesh::default()), format!("{about}the mesh has no triangles"));
}

fn torus() -> TriMesh {
    let (n, m) = (24, 12);
    let place = |k: usize| {
        let (s, t) = (
            (k / m) as f64 * std::f64::consts::TAU / n as f64,
            (k % m) as f64 * std::f64::consts::TAU / m as f64,
        );
        Point::new((2.0 + t.cos()) * s.cos(), (2.0 + t.cos()) * s.sin(), t.sin())
    };
    let at = |i: usize, j: usize| (i % n) * m + j % m;
    let cell = |k: usize| {
        let (i, j) = (k / m, k % m);
        [[at(i, j), at(i + 1, j), at(i + 1, j + 1)], [at(i, j), at(i + 1, j + 1), at(i, j + 1)]]
    };
    TriMesh::new((0..n * m).map(place).collect(), (0..n * m).flat_map(cell).collect()).unwrap()
}
