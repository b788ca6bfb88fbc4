//! Disk conformal maps of bumpy disks of two sizes: that of a registered face and that of a raw scan.

use std::f64::consts::TAU;
use visard::conformal::{SurfacePoint, disk_map};
use visard::mesh::{DiskMesh, Point, TriMesh};

/// A bumpy disk of `rings` rings: 1 + 3 n (n + 1) vertices.
fn bumpy(rings: usize) -> DiskMesh {
    let first = |i: usize| if i == 0 { 0 } else { 1 + 3 * i * (i - 1) };
    let mut vertices = vec![Point::new(0.0, 0.0, 1.0)];
    let mut triangles = Vec::new();
    for i in 1..=rings {
        for j in 0..6 * i {
            let (r, t) = (i as f64 / rings as f64, TAU * j as f64 / (6 * i) as f64);
            let (x, y) = (r * t.cos(), 1.3 * r * t.sin());
            vertices.push(Point::new(x, y, (1.0 - 0.6 * r * r) + 0.05 * (9.0 * x).sin() * (7.0 * y).cos()));
        }
        let outer = |j: usize| first(i) + j % (6 * i);
        let inner = |j: usize| if i == 1 { 0 } else { first(i - 1) + j % (6 * (i - 1)) };
        for (sector, j) in (0..6).flat_map(|s| (0..i).map(move |j| (s, j))) {
            let (o, n) = (sector * i + j, sector * (i - 1) + j);
            triangles.push([outer(o), outer(o + 1), inner(n)]);
            if j + 1 < i {
                triangles.push([outer(o + 1), inner(n + 1), inner(n)]);
            }
        }
    }
    TriMesh::new(vertices, triangles).and_then(DiskMesh::try_new).expect("the rings are a disk")
}

const RINGS: [usize; 2] = [48, 75];

#[divan::bench(args = RINGS)]
fn map(bencher: divan::Bencher, rings: usize) {
    let disk = bumpy(rings);
    bencher.bench_local(|| disk_map(&disk));
}

#[divan::bench(args = RINGS)]
fn recentre(bencher: divan::Bencher, rings: usize) {
    let disk = bumpy(rings);
    let map = disk_map(&disk).expect("the rings have a map");
    bencher
        .with_inputs(|| map.clone())
        .bench_local_refs(|map| map.recentre(&disk, &SurfacePoint::Vertex(8), &SurfacePoint::Vertex(40)));
}
