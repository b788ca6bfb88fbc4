//! The grid, and a surface in another pose and meshing.

use super::grid::{Grid, signed_area};
use super::{Srnf, SrnfSettings};
use crate::conformal::{Complex, disk_map};
use crate::mesh::{DiskMesh, Point, Similarity, TriMesh, Vector};
use crate::surface::locate::DiskSurface;
use crate::surface::registration::made_up::{error_about_mouth, open_mouth, template};
use crate::surface::registration::method::{PosedScan, RegistrationMethod};
use crate::surface::template::{Template, recentred};
use nalgebra::Rotation3;

#[test]
fn the_grid_covers_the_disk_once() {
    let grid = Grid::new(9);
    assert_eq!(grid.triangles.len(), 6 * 81);
    let areas: Vec<f64> = grid.triangles.iter().map(|t| signed_area(t.map(|i| grid.z[i]))).collect();
    assert!(areas.iter().all(|a| *a > 0.0));
    let polygon = 0.5 * 54.0 * (std::f64::consts::TAU / 54.0).sin();
    assert!((areas.iter().sum::<f64>() - polygon).abs() < 1e-12);
}

/// A bumpy cap, its vertices taken from the grid after a warp of the disk.
fn cap(warp: impl Fn(Complex) -> Complex, place: impl Fn(Point) -> Point) -> DiskMesh {
    let grid = Grid::new(20);
    let v = grid
        .z
        .iter()
        .map(|&z| {
            let w = warp(z);
            let bump = 0.35 * (-12.0 * (w - Complex::new(0.25, 0.2)).norm_sqr()).exp()
                + 0.3 * (-14.0 * (w + Complex::new(0.3, 0.1)).norm_sqr()).exp();
            place(Point::new(w.re, w.im, 0.4 - 0.4 * w.norm_sqr() + bump))
        })
        .collect();
    DiskMesh::try_new(TriMesh::new(v, grid.triangles).unwrap()).unwrap()
}

#[test]
fn the_same_surface_in_another_pose_and_meshing_is_found_again() {
    let template = Template::new(cap(|z| z, |p| p), 0, Vector::z(), Vector::y()).unwrap();
    let turn = Rotation3::from_euler_angles(0.3, -0.2, 0.25);
    let warp = |z: Complex| z * Complex::from_polar(1.0, 0.15 * (1.0 - z.norm_sqr()));
    let scan = cap(warp, |p| Point::from(3.0 * (turn * p.coords) + Vector::new(1.0, 2.0, 3.0)));
    // Recentred on its own middle, up as the template's: the residual turn is for the registration to find.
    let map = disk_map(&scan).unwrap();
    let up = 3.0 * (turn * template.upward().coords) + Vector::new(1.0, 2.0, 3.0);
    let map = recentred(&map, &scan, 0, &Point::from(up)).unwrap();
    let surface = DiskSurface::new(&scan, &map);
    let found = Srnf::new(&template, &SrnfSettings::default()).unwrap().fit(&surface, Rotation3::identity());
    assert!(found.min_jacobian > 0.0);
    for trace in &found.report.energy {
        assert!(trace.windows(2).all(|w| w[1] < w[0]), "energy must fall: {trace:?}");
    }
    let error: f64 = found
        .positions
        .iter()
        .zip(template.mesh().vertices())
        .map(|(p, q)| (p.coords - (3.0 * (turn * q.coords) + Vector::new(1.0, 2.0, 3.0))).norm() / 3.0)
        .sum::<f64>()
        / found.positions.len() as f64;
    assert!(error < 0.012, "mean error {error} of a disk of radius one");
    let curves = template.curves_of(&found.positions, 8, 24).unwrap();
    let own = template.own_curves(8, 24).unwrap();
    assert!(curves.mean_square_distance(&own) < 1e-4);
    let again = template.face_through(&own).unwrap();
    let moved = again
        .vertices()
        .iter()
        .zip(template.unit_vertices())
        .map(|(a, b)| (a - b).norm())
        .fold(0.0, f64::max);
    assert!(moved < 1e-9);
}

/// Disks are compared with the mouth closed: with the gap between the lips left in, this mouth comes out 7.7 mm off.
#[test]
fn an_open_mouth_is_closed_before_disks_are_compared() {
    let template = template();
    let (disk, truth) = open_mouth(1);
    let (nose, similarity) =
        (disk.mesh().nearest_vertex(&truth[template.nose()]).unwrap(), Similarity::identity());
    let scan = PosedScan { disk, nose, similarity, filled: Vec::new() };
    let found = Srnf::new(&template, &SrnfSettings::default()).unwrap().register(&scan).unwrap();
    let error = error_about_mouth(&found.positions, &truth, 25.0);
    assert!(error < 5.0 && found.report.note.is_some(), "{error} mm");
}
