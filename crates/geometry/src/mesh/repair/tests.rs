use super::super::{Vector, topology};
use super::*;
use std::f64::consts::TAU;

/// An n × n grid over [−1, 1]², bulging in z.
fn grid(n: usize) -> TriMesh {
    let at = |i: usize| 2.0 * i as f64 / (n - 1) as f64 - 1.0;
    let vertices = (0..n * n)
        .map(|k| {
            let (x, y) = (at(k % n), at(k / n));
            Point::new(x, y, 1.0 - 0.5 * (x * x + y * y))
        })
        .collect();
    let triangles = (0..(n - 1) * (n - 1))
        .flat_map(|k| {
            let a = k / (n - 1) * n + k % (n - 1);
            [[a, a + 1, a + n + 1], [a, a + n + 1, a + n]]
        })
        .collect();
    TriMesh::new(vertices, triangles).unwrap()
}

fn edited(mesh: &TriMesh, edit: impl FnOnce(&mut Vec<Point>, &mut Vec<[usize; 3]>)) -> TriMesh {
    let (mut vertices, mut triangles) = mesh.clone().into_parts();
    edit(&mut vertices, &mut triangles);
    TriMesh::new(vertices, triangles).unwrap()
}

fn torus(n: usize) -> TriMesh {
    let vertices = (0..n * n)
        .map(|k| {
            let (u, v) = (TAU * (k / n) as f64 / n as f64, TAU * (k % n) as f64 / n as f64);
            Point::new((3.0 + v.cos()) * u.cos(), (3.0 + v.cos()) * u.sin(), v.sin())
        })
        .collect();
    let at = |i: usize, j: usize| (i % n) * n + j % n;
    let triangles = (0..n * n)
        .flat_map(|k| {
            let (i, j) = (k / n, k % n);
            [[at(i, j), at(i + 1, j), at(i + 1, j + 1)], [at(i, j), at(i + 1, j + 1), at(i, j + 1)]]
        })
        .collect();
    TriMesh::new(vertices, triangles).unwrap()
}

fn kinds(repaired: &Repaired) -> Vec<RepairKind> {
    repaired.log.repairs.iter().map(|r| r.kind).collect()
}

fn repair(mesh: TriMesh) -> Repaired {
    make_disk(mesh, None, &RepairSettings::default()).unwrap()
}

/// The grid as two charts of their own, the second moved away by `gap`.
fn two_charts(n: usize, gap: f64) -> TriMesh {
    edited(&grid(n), |vertices, triangles| {
        let whole = vertices.clone();
        vertices.extend(whole.iter().map(|p| p + Vector::new(gap, 0.0, 0.5 * gap)));
        let right = |t: &[usize; 3]| t.iter().map(|&v| whole[v].x).sum::<f64>() > 0.01;
        triangles.iter_mut().filter(|t| right(t)).for_each(|t| t.iter_mut().for_each(|v| *v += n * n));
    })
}

#[test]
fn seams_are_stitched_and_gaps_wider_than_a_third_of_an_edge_are_not() {
    let n = 11;
    let edge = 2.0 / (n - 1) as f64;
    for gap in [0.0, 1e-6, 0.2 * edge] {
        let repaired = repair(two_charts(n, gap));
        assert_eq!(repaired.mesh.mesh().triangles().len(), 2 * (n - 1) * (n - 1), "gap {gap}");
        assert_eq!(repaired.mesh.boundary().len(), 4 * (n - 1));
        assert_eq!(kinds(&repaired).contains(&RepairKind::StitchedSeams), gap > 0.0);
    }
    let apart = make_disk(two_charts(n, 0.5 * edge), None, &RepairSettings::default());
    assert!(apart.unwrap_err().to_string().contains("two surfaces of similar size"));
}

#[test]
fn a_disk_comes_back_as_it_was() {
    let mesh = grid(7);
    let repaired = repair(mesh.clone());
    assert_eq!(repaired.mesh.mesh(), &mesh);
    assert_eq!(repaired.log.to_string(), "nothing to repair");
    assert_eq!(repaired.vertex_source, (0..49).map(Some).collect::<Vec<_>>());
}

/// Each triangle with vertices of its own, as in an STL file.
#[test]
fn triangle_soup_is_welded() {
    let mesh = grid(6);
    let soup: Vec<Point> = mesh.triangles().iter().flatten().map(|&v| mesh.vertices()[v]).collect();
    let triangles = (0..soup.len() / 3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let repaired = repair(TriMesh::new(soup.clone(), triangles).unwrap());
    assert_eq!(kinds(&repaired), [RepairKind::WeldedVertices, RepairKind::DroppedUnusedVertices]);
    assert_eq!(repaired.mesh.mesh().vertices().len(), 36);
    for (place, source) in repaired.mesh.mesh().vertices().iter().zip(&repaired.vertex_source) {
        assert_eq!(*place, soup[source.unwrap()]);
    }
}

#[test]
fn waste_fins_and_turned_triangles_go() {
    let n = 8;
    let clean = grid(n);
    let dirty = edited(&clean, |vertices, triangles| {
        triangles[20].swap(0, 1);
        triangles.push(triangles[5]);
        triangles.push([3, 3, 4]);
        vertices.push(vertices[n + 1] + Vector::z());
        triangles.push([n + 1, n + 2, n * n]); // a fin on an inner edge
    });
    let n_clean = clean.triangles().len();
    let repaired = repair(dirty);
    assert_eq!(
        kinds(&repaired),
        [
            RepairKind::DroppedCollapsedTriangles,
            RepairKind::DroppedDuplicateTriangles,
            RepairKind::DroppedTangledTriangles,
            RepairKind::TurnedTriangles,
            RepairKind::DroppedUnusedVertices
        ]
    );
    let touched: Vec<Vec<usize>> = repaired.log.repairs.iter().map(|r| r.triangles.clone()).collect();
    assert_eq!(touched[..4], [vec![n_clean + 1], vec![n_clean], vec![n_clean + 2], vec![20]]);
    assert_eq!(repaired.mesh.mesh().vertices(), clean.vertices());
    let corner_set =
        |m: &TriMesh, t: usize| m.triangles()[t].iter().copied().collect::<std::collections::BTreeSet<_>>();
    assert!((0..n_clean).all(|t| corner_set(repaired.mesh.mesh(), t) == corner_set(&clean, t)));
    assert!((0..n_clean).all(|t| repaired.mesh.mesh().area_vector(t).z > 0.0));
}

#[test]
fn holes_are_filled_without_folds() {
    let n = 12;
    let hole = |k: &usize| (3..6).contains(&(k % n)) && (4..7).contains(&(k / n));
    let mesh = edited(&grid(n), |_, triangles| triangles.retain(|t| !t.iter().any(hole)));
    let repaired = repair(mesh.clone());
    assert_eq!(kinds(&repaired), [RepairKind::FilledHoles, RepairKind::DroppedUnusedVertices]);
    assert_eq!(repaired.log.repairs[0].vertices.len(), 14);
    assert_eq!(repaired.log.repairs[0].new_triangles, 12);
    let mesh = repaired.mesh.mesh();
    assert!(topology(mesh).degenerate_triangles.is_empty());
    assert!((0..mesh.triangles().len()).all(|t| mesh.area_vector(t).z > 0.0));
}

#[test]
fn a_border_that_touches_itself_encloses_a_hole() {
    // The corner quad's inner neighbour is missing: the hole touches the border at no edge, at one vertex.
    let n = 6;
    let mesh = edited(&grid(n), |_, triangles| {
        triangles.retain(|t| !(t.contains(&0) || (t.contains(&(n + 1)) && t.contains(&(2 * n + 2)))));
    });
    assert_eq!(topology(&mesh).non_manifold_vertices, [n + 1]);
    let repaired = repair(mesh);
    assert!(kinds(&repaired).contains(&RepairKind::FilledHoles));
}

#[test]
fn cropping_leaves_a_round_border() {
    let nose = Point::new(0.0, 0.0, 1.0);
    let settings = RepairSettings { crop_radius: Some(0.8), ..Default::default() };
    let repaired = make_disk(grid(21), Some(nose), &settings).unwrap();
    let mesh = repaired.mesh.mesh();
    assert_eq!(kinds(&repaired)[0], RepairKind::Cropped);
    // Vertices nearer to the cut than 0.15 of an edge (0.1 by 0.14) stay where they are.
    for &v in repaired.mesh.boundary() {
        assert!(((mesh.vertices()[v] - nose).norm() - 0.8).abs() < 0.15 * 0.15);
    }
    assert!(mesh.vertices().iter().all(|p| (p - nose).norm() < 0.8 + 0.15 * 0.15));
    assert!(repaired.vertex_source.iter().any(Option::is_none));
    assert!(topology(mesh).degenerate_triangles.is_empty());
    assert!(make_disk(grid(9), None, &settings).unwrap_err().to_string().contains("nose"));
    let far = make_disk(grid(9), Some(Point::new(90.0, 0.0, 0.0)), &settings).unwrap_err();
    assert!(far.to_string().contains("units"), "{far}");
}

#[test]
fn what_is_no_disk_is_refused_with_the_reason() {
    let refused = |mesh: TriMesh| make_disk(mesh, None, &RepairSettings::default()).unwrap_err().to_string();
    assert!(refused(torus(12)).contains("torus"));
    let bitten = edited(&torus(12), |_, triangles| triangles.retain(|t| !t.contains(&0)));
    assert!(refused(bitten).contains("handle"));
    let pillow = TriMesh::new(
        vec![Point::origin(), Point::new(1., 0., 0.), Point::new(0., 1., 0.), Point::new(0., 0., 1.)],
        vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]],
    );
    assert!(refused(pillow.unwrap()).contains("sphere"));
    let two = edited(&grid(6), |vertices, triangles| {
        let (more, again) = (vertices.clone(), triangles.clone());
        vertices.extend(more.iter().map(|p| p + Vector::x() * 5.0));
        triangles.extend(again.iter().map(|t| t.map(|v| v + 36)));
    });
    assert!(refused(two).contains("one face per file"));
    let ring = edited(&grid(12), |vertices, triangles| {
        triangles.retain(|t| t.iter().any(|&v| vertices[v].coords.xy().amax() > 0.75));
    });
    assert!(refused(ring).contains("ring"));
    assert!(refused(TriMesh::default()).contains("no triangles"));
}

/// The grid and the same `thickness` below it, facing down, joined along the border by a strip of 160 triangles: closed.
fn shell(n: usize, thickness: f64) -> TriMesh {
    edited(&grid(n), |vertices, triangles| {
        let below = vertices.len();
        vertices.extend(vertices.clone().iter().map(|p| p - Vector::z() * thickness));
        triangles.extend(triangles.clone().iter().map(|&[a, b, c]| [a + below, c + below, b + below]));
        let across = (0..n - 1).map(|i| (i, i + 1)).chain((0..n - 1).map(|i| (n * n - 1 - i, n * n - 2 - i)));
        let along = (0..n - 1)
            .map(|i| (n * (i + 1), n * i))
            .chain((0..n - 1).map(|i| (n * (i + 1) - 1, n * (i + 2) - 1)));
        for (a, b) in across.chain(along) {
            triangles.extend([[b, a, a + below], [b, a + below, b + below]]);
        }
    })
}

#[test]
fn the_outer_side_of_a_shell_is_kept() {
    for thickness in [0.02, 0.2, 0.9] {
        let closed = shell(21, thickness);
        let inside_out = edited(&closed, |_, triangles| triangles.iter_mut().for_each(|t| t.swap(0, 1)));
        for mesh in [closed, inside_out] {
            let repaired =
                make_disk(mesh, Some(Point::new(0.02, 0.0, 1.0)), &RepairSettings::default()).unwrap();
            assert_eq!(repaired.log.repairs[0].kind, RepairKind::DroppedBack, "{thickness}");
            let front = repaired.triangle_source.iter().filter(|t| t.is_some_and(|t| t < 800)).count();
            assert!(front >= 790 && repaired.triangle_source.len() <= 960, "{thickness}: {front}");
        }
    }
}

/// Where a crop cuts a corner off a shell, what is left is a disk, of its outer side and its inner one.
#[test]
fn a_shell_without_a_corner_has_a_back_too() {
    let settings = RepairSettings { crop_radius: Some(1.6), ..RepairSettings::default() };
    let repaired = make_disk(shell(21, 0.2), Some(Point::new(-0.3, -0.3, 1.0)), &settings).unwrap();
    let kinds: Vec<RepairKind> = repaired.log.repairs.iter().map(|repair| repair.kind).collect();
    assert!(kinds.contains(&RepairKind::Cropped) && kinds.contains(&RepairKind::DroppedBack), "{kinds:?}");
    let back = repaired.triangle_source.iter().flatten().filter(|t| (800..1600).contains(*t)).count();
    assert!(back < 40, "{back}");
}

/// A pyramid without its tip, of a front of side 1 and a back of side `wide` this far behind, closed.
fn stump(wide: f64, behind: f64) -> TriMesh {
    let square = |half: f64, z: f64| {
        [[-half, -half], [half, -half], [half, half], [-half, half]].map(|[x, y]| Point::new(x, y, z))
    };
    let vertices = [square(0.5, 0.0), square(0.5 * wide, -behind)].concat();
    let mut triangles = vec![[0, 1, 2], [0, 2, 3], [4, 6, 5], [4, 7, 6]];
    triangles.extend((0..4).map(|i| (i, (i + 1) % 4)).flat_map(|(a, b)| [[a, a + 4, b + 4], [a, b + 4, b]]));
    let mesh = TriMesh::new(vertices, triangles).unwrap();
    (0..4).fold(mesh, |mesh, _| crate::mesh::subdivided(&mesh).unwrap())
}

/// What lies behind a face is dropped where it is about as large; a large thing with a small front is no face with a back.
#[test]
fn a_front_is_not_dropped_as_a_back() {
    let nose = Some(Point::origin());
    let settings = RepairSettings::default();
    let kept = make_disk(stump(1.2, 0.3), nose, &settings).unwrap();
    assert!(kinds(&kept).contains(&RepairKind::DroppedBack));
    let refused = make_disk(stump(20.0, 200.0), nose, &settings).err().unwrap();
    assert!(matches!(refused, MeshError::NotADisk(_)), "{refused}");
}

#[test]
fn what_was_thrown_to_the_origin_goes() {
    let mesh = edited(&grid(41), |vertices, triangles| {
        vertices.push(Point::origin());
        [500, 1500, 2500].into_iter().for_each(|t: usize| triangles[t][0] = 41 * 41);
    });
    let repaired = repair(mesh);
    assert_eq!(repaired.log.repairs[0].kind, RepairKind::RemovedSpikes);
    assert_eq!(repaired.triangle_source.iter().filter(|t| t.is_none()).count(), 3);
}

/// A wall far larger than the face, behind it.
#[test]
fn a_wall_does_not_hide_the_face() {
    for (size, behind) in [(3.0, 0.6), (30.0, 1.5), (300.0, 10.0)] {
        let mesh = edited(&grid(21), |vertices, triangles| {
            let at = vertices.len();
            let wall = grid(41).into_parts();
            vertices.extend(wall.0.iter().map(|p| Point::new(size * p.x, size * p.y, -behind)));
            triangles.extend(wall.1.iter().map(|t| t.map(|v| v + at)));
        });
        let settings = RepairSettings { crop_radius: Some(1.8), ..RepairSettings::default() };
        let repaired = make_disk(mesh, Some(Point::new(0.0, 0.0, 1.0)), &settings).unwrap();
        assert!(repaired.vertex_source.iter().all(|v| v.is_none_or(|v| v < 441)), "{size}");
        assert_eq!(repaired.triangle_source.len(), 800, "{size}");
    }
}

#[test]
fn a_surface_facing_inwards_is_turned_over() {
    let mesh = edited(&grid(7), |_, triangles| triangles.iter_mut().for_each(|t| t.swap(0, 1)));
    let repaired = repair(mesh);
    assert_eq!(kinds(&repaired), [RepairKind::TurnedOver]);
    assert!((0..72).all(|t| repaired.mesh.mesh().area_vector(t).z > 0.0));
}

#[test]
fn small_pieces_are_dropped_and_the_nose_chooses() {
    let mesh = edited(&grid(9), |vertices, triangles| {
        let at = vertices.len();
        vertices.extend([[5., 0., 0.], [5.1, 0., 0.], [5., 0.1, 0.]].map(Point::from));
        triangles.push([at, at + 1, at + 2]);
    });
    let repaired = repair(mesh);
    assert_eq!(kinds(&repaired), [RepairKind::DroppedPieces, RepairKind::DroppedUnusedVertices]);
    assert_eq!(repaired.log.repairs[1].vertices, [81, 82, 83]);
}

#[test]
fn a_spike_is_taken_off_when_asked() {
    let n = 9;
    let tip = 4 * n + 4;
    let mesh = edited(&grid(n), |vertices, _| vertices[tip].z += 2.0);
    assert!(kinds(&repair(mesh.clone())).is_empty());
    let settings = RepairSettings { sharpest_spike: Some(2.0), ..Default::default() };
    let repaired = make_disk(mesh, None, &settings).unwrap();
    assert_eq!(kinds(&repaired)[0], RepairKind::RemovedSpikes);
    assert_eq!(repaired.log.repairs[0].vertices, [tip]);
    let highest = repaired.mesh.mesh().vertices().iter().map(|p| p.z).fold(0.0, f64::max);
    assert!(highest < 1.0);
}

/// A T-joint: a vertex on the middle of its neighbour's edge makes a triangle of no area.
#[test]
fn a_triangle_of_no_area_is_flipped_away() {
    let vertices = [[0., 0.], [2., 0.], [1., 1.], [1., 0.], [1., -1.]].map(|[x, y]| Point::new(x, y, 0.0));
    let triangles = vec![[0, 3, 2], [3, 1, 2], [0, 1, 3], [0, 4, 1]];
    let repaired = repair(TriMesh::new(vertices.to_vec(), triangles).unwrap());
    assert_eq!(kinds(&repaired), [RepairKind::FlippedSlivers]);
    assert!(topology(repaired.mesh.mesh()).degenerate_triangles.is_empty());
    assert_eq!(repaired.mesh.mesh().area(), 2.0);
}

proptest::proptest! {
    /// Any triangle list is repaired or refused in one line; nothing panics.
    #[test]
    fn any_list_gets_an_answer(
        list in proptest::collection::vec(proptest::array::uniform3(0usize..14), 0..40),
        crop in proptest::option::of(0.1f64..4.0),
    ) {
        let vertices = (0..14).map(|i| {
            let x = f64::from(i);
            Point::new((1.3 * x).sin() * 2.0, (2.1 * x).cos(), (0.4 * x).sin())
        });
        let mesh = TriMesh::new(vertices.collect(), list).unwrap();
        let settings = RepairSettings { crop_radius: crop, sharpest_spike: Some(1.0), ..Default::default() };
        match make_disk(mesh, Some(Point::origin()), &settings) {
            Ok(repaired) => proptest::prop_assert_eq!(
                repaired.vertex_source.len(), repaired.mesh.mesh().vertices().len()
            ),
            Err(e) => proptest::prop_assert!(!e.to_string().contains('\n')),
        }
    }
}
