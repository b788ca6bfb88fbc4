use super::*;
use std::f64::consts::TAU;

fn mesh(n: usize, triangles: Vec<[usize; 3]>) -> TriMesh {
    let vertices = (0..n)
        .map(|i| {
            let x = i as f64;
            Point::new(x, (1.7 * x).sin(), (0.9 * x).cos())
        })
        .collect();
    TriMesh::new(vertices, triangles).unwrap()
}

fn octahedron() -> Vec<[usize; 3]> {
    vec![[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 1], [5, 2, 1], [5, 3, 2], [5, 4, 3], [5, 1, 4]]
}

fn torus(n: usize) -> TriMesh {
    let at = |i: usize, j: usize| (i % n) * n + j % n;
    let vertices = (0..n * n)
        .map(|k| {
            let (u, v) = (TAU * (k / n) as f64 / n as f64, TAU * (k % n) as f64 / n as f64);
            let r = 3.0 + v.cos();
            Point::new(r * u.cos(), r * u.sin(), v.sin())
        })
        .collect();
    let triangles = (0..n * n)
        .flat_map(|k| {
            let (i, j) = (k / n, k % n);
            [[at(i, j), at(i + 1, j), at(i + 1, j + 1)], [at(i, j), at(i + 1, j + 1), at(i, j + 1)]]
        })
        .collect();
    TriMesh::new(vertices, triangles).unwrap()
}

#[test]
fn sphere_and_torus_have_the_textbook_numbers() {
    let sphere = topology(&mesh(6, octahedron()));
    assert_eq!((sphere.euler_characteristic, sphere.genus, sphere.boundary_loops.len()), (2, Some(0), 0));
    let torus = topology(&torus(8));
    assert_eq!((torus.euler_characteristic, torus.genus, torus.components.len()), (0, Some(1), 1));
    assert!(torus.inconsistently_oriented_edges.is_empty() && torus.degenerate_triangles.is_empty());
}

#[test]
fn a_mobius_band_has_no_genus_and_one_loop() {
    let n = 7;
    let triangles = (0..n)
        .flat_map(|i| {
            let (a, b) = (2 * i, 2 * i + 1);
            let (c, d) = if i + 1 < n { (a + 2, b + 2) } else { (1, 0) };
            [[a, c, b], [b, c, d]]
        })
        .collect();
    let report = topology(&mesh(2 * n, triangles));
    assert_eq!((report.euler_characteristic, report.boundary_loops.len(), report.genus), (0, 1, None));
    assert_eq!(report.inconsistently_oriented_edges.len(), 1);
    assert_eq!(report.boundary_loops[0].vertices.len(), 2 * n);
}

#[test]
fn a_turned_triangle_is_found_and_the_genus_still_defined() {
    let mut triangles = octahedron();
    triangles[3].swap(0, 1);
    let report = topology(&mesh(6, triangles));
    assert_eq!(report.inconsistently_oriented_edges.len(), 3);
    assert_eq!(report.genus, Some(0));
}

#[test]
fn three_sails_on_one_mast() {
    let report = topology(&mesh(5, vec![[0, 1, 2], [1, 0, 3], [0, 1, 4]]));
    assert_eq!(report.non_manifold_edges, [[0, 1]]);
    assert_eq!(report.non_manifold_vertices, [0, 1]);
    assert_eq!(report.components.len(), 3);
    assert_eq!(report.genus, None);
}

#[test]
fn a_pinched_vertex_is_walked_fan_by_fan() {
    let report = topology(&mesh(5, vec![[0, 1, 2], [0, 3, 4]]));
    assert_eq!(report.non_manifold_vertices, [0]);
    assert_eq!(report.boundary_loops.len(), 2);
    assert_eq!(report.components.len(), 2);
    assert_eq!(report.euler_characteristic, 1);
    assert_eq!(report.obstacles_to_disk()[0], "2 components (expected 1)");
}

#[test]
fn waste_is_listed() {
    let mut vertices: Vec<Point> = (0..6).map(|i| Point::new(i as f64, (i * i) as f64, 0.0)).collect();
    vertices[5] = vertices[1];
    vertices[4] = Point::new(0.5, 0.5, 0.0); // on the segment 0–1
    let mesh = TriMesh::new(vertices, vec![[0, 1, 2], [1, 2, 0], [0, 0, 2], [0, 4, 1]]).unwrap();
    let report = topology(&mesh);
    assert_eq!(report.duplicate_triangles, [1]);
    assert_eq!(report.degenerate_triangles, [2, 3]);
    assert_eq!(report.unused_vertices, [3, 5]);
    assert_eq!(report.duplicate_vertices, [5]);
}

#[test]
fn loop_length_is_that_of_the_polygon() {
    let vertices = [[0., 0.], [3., 0.], [0., 4.]].map(|[x, y]| Point::new(x, y, 0.0)).to_vec();
    let report = topology(&TriMesh::new(vertices, vec![[0, 1, 2]]).unwrap());
    assert_eq!(report.boundary_loops[0].length, 12.0);
}

proptest::proptest! {
    /// On any triangle list, however wild: χ adds up, every border side is in exactly one loop, and nothing panics.
    #[test]
    fn any_list_is_reported(list in proptest::collection::vec(proptest::array::uniform3(0usize..12), 0..40)) {
        let m = mesh(12, list);
        let report = topology(&m);
        let proper: Vec<[usize; 3]> =
            m.triangles().iter().filter(|t| t[0] != t[1] && t[1] != t[2] && t[2] != t[0]).copied().collect();
        let table = EdgeTable::new(&proper, 12);
        let border_sides = (0..3 * proper.len()).filter(|&s| table.multiplicity(s) != 2).count();
        proptest::prop_assert_eq!(
            report.boundary_loops.iter().map(|l| l.vertices.len()).sum::<usize>(),
            border_sides
        );
        proptest::prop_assert_eq!(report.components.iter().map(|c| c.triangles).sum::<usize>(), proper.len());
    }
}
