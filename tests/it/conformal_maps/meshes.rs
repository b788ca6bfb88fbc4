//! Meshes to map.

use nalgebra::Complex;
use spade::{DelaunayTriangulation, Point2, Triangulation};
use std::f64::consts::TAU;
use visard::mesh::{DiskMesh, Point, TriMesh};

/// Polar coordinates and triangles of a disk of `n` rings, ring i of 6 i vertices at radius i/n; vertex 0 is
/// the centre, and a whole diameter of edges lies on the first axis.
pub fn rings(n: usize) -> (Vec<(f64, f64)>, Vec<[usize; 3]>) {
    let first = |i: usize| if i == 0 { 0 } else { 1 + 3 * i * (i - 1) };
    let mut polar = vec![(0.0, 0.0)];
    let mut triangles = Vec::new();
    for i in 1..=n {
        polar.extend((0..6 * i).map(|j| (i as f64 / n as f64, TAU * j as f64 / (6 * i) as f64)));
        let outer = |j: usize| first(i) + j % (6 * i);
        let inner = |j: usize| if i == 1 { 0 } else { first(i - 1) + j % (6 * (i - 1)) };
        for sector in 0..6 {
            for j in 0..i {
                triangles.push([
                    outer(sector * i + j),
                    outer(sector * i + j + 1),
                    inner(sector * (i - 1) + j),
                ]);
                if j + 1 < i {
                    triangles.push([
                        outer(sector * i + j + 1),
                        inner(sector * (i - 1) + j + 1),
                        inner(sector * (i - 1) + j),
                    ]);
                }
            }
        }
    }
    (polar, triangles)
}

/// The ring mesh with every vertex placed by its polar coordinates.
pub fn ring_disk(n: usize, place: impl Fn(f64, f64) -> Point) -> DiskMesh {
    let (polar, triangles) = rings(n);
    disk(polar.iter().map(|&(r, t)| place(r, t)).collect(), triangles)
}

pub fn disk(vertices: Vec<Point>, triangles: Vec<[usize; 3]>) -> DiskMesh {
    DiskMesh::try_new(TriMesh::new(vertices, triangles).unwrap()).unwrap()
}

/// Delaunay triangles of points in the plane, counter-clockwise.
pub fn delaunay(points: &[Complex<f64>]) -> Vec<[usize; 3]> {
    let points = points.iter().map(|z| Point2::new(z.re, z.im)).collect();
    let triangulation: DelaunayTriangulation<Point2<f64>> =
        DelaunayTriangulation::bulk_load_stable(points).unwrap();
    triangulation.inner_faces().map(|f| f.vertices().map(|v| v.fix().index())).collect()
}
