//! From the volumes of records to their surfaces.

use super::grid::{Grid, Place};
use super::making::{MaskMaking, Surfaces};
use super::plane::{Problem, organ, spacing};
use super::records::{each, notes, told, unclear};
use crate::io::{Opened, ReadError};
use crate::mesh::{EdgeTable, Point, TriMesh, Vector, largest_piece, surface_net, topology};
use nalgebra::{Matrix3, Vector3};

/// Where the surface lies between background (0) and organ (1); the others are for masks that are no clean surface there.
const LEVELS: [f64; 5] = [0.5, 0.47, 0.53, 0.44, 0.56];
/// Rounds of smoothing, each in and out again (Taubin 1995), and how far; nothing shrinks.
const ROUNDS: usize = 15;
const STEPS: [f64; 2] = [0.5, -0.53];

/// The surfaces of the organs in a file, or in a folder with a file for each record: closed, with triangles counter-clockwise as seen from
/// outside. `smooth` takes off the steps of the voxels.
///
/// # Errors
/// What an option has to decide for all records: several labels, no spacing.
pub fn extract(file: &Opened, making: &MaskMaking, smooth: bool) -> Result<Surfaces, ReadError> {
    let making = MaskMaking { metric: true, ..making.clone() };
    if file.files().next().is_none() {
        return Err(unclear(file, "holds no masks".into()));
    }
    let records = each(file, &making, |grid, remarks| surface(grid, &making, smooth, remarks))?;
    let mut notes = notes(&records, &making);
    let unknown =
        "do not tell their orientation: their surfaces are along their own axes, and may be mirrored";
    notes.extend(told(&records, unknown, |record| record.made.as_ref().is_ok_and(|(_, known)| !known)));
    let meshes = records.into_iter().map(|record| {
        let made = record.made.map(|(mesh, _)| mesh).map_err(Problem::into_text);
        (record.name, made)
    });
    Ok(Surfaces { meshes: meshes.collect(), notes })
}

/// The surface, and whether its orientation is known.
fn surface(
    grid: &Grid,
    making: &MaskMaking,
    smooth: bool,
    remarks: &mut Vec<String>,
) -> Result<(TriMesh, bool), Problem> {
    let (_, organ) = organ(grid, making)?;
    let lengths = spacing(grid, making)?.unwrap_or([1.0; 3]);
    if grid.shape.contains(&1) {
        return Err(Problem::record(
            "is a picture, which has no surface; its outline: visard shape outlines",
        ));
    }
    let solid = Solid::cropped(&organ, grid.shape);
    if solid.touches(grid) {
        remarks.push(
            "touches the border of the volume, where it was cut off and its surface is flat".to_owned(),
        );
    }
    let (steps, origin) = match &grid.place {
        // Towards left and back instead of right and front.
        Place::Body(steps, origin) => {
            let lps = Matrix3::from_diagonal(&Vector3::new(-1.0, -1.0, 1.0));
            (lps * steps, lps * origin)
        }
        _ => (Matrix3::from_diagonal(&Vector3::from(lengths)), Vector3::zeros()),
    };
    let at = |place: [f64; 3]| {
        let voxel = Vector3::from_fn(|k, _| place[k] + solid.from[k] as f64 - 2.0);
        Point::from(steps * voxel + origin)
    };
    let field = solid.smoothed();
    let mirrored = steps.determinant() < 0.0;
    let mesh = |level: f64| {
        let (vertices, mut triangles) = surface_net(solid.shape, |c| level - field[solid.index(c)], at);
        if mirrored {
            triangles.iter_mut().for_each(|t| t.swap(1, 2));
        }
        let all = triangles.len();
        let mesh = largest_piece(vertices, triangles);
        let left = 1.0 - mesh.triangles().len() as f64 / all.max(1) as f64;
        let report = topology(&mesh);
        (mesh, report, left)
    };
    let tries = || LEVELS.iter().map(|level| mesh(*level));
    let Some((mesh, report, left)) =
        tries().find(|(_, report, _)| report.genus.is_some()).or_else(|| tries().next())
    else {
        return Err(Problem::record("has no surface"));
    };
    if mesh.triangles().len() < 8 {
        return Err(Problem::record("is too small to have a surface"));
    }
    if left > 0.0 {
        let share = 100.0 * left;
        remarks.push(format!("has several pieces or inner hollows; the largest surface was taken, {share:.1} % of the triangles left out"));
    }
    match report.genus {
        Some(0) => {}
        Some(holes) => {
            remarks.push(format!("has {holes} holes through it, where an organ without handles is expected"))
        }
        None => {
            remarks.push("is not a clean surface: parts of it touch along edges or at corners".to_owned())
        }
    }
    let mesh = if smooth { smoothed(mesh) } else { mesh };
    Ok((mesh, matches!(grid.place, Place::Body(..))))
}

/// Voxels about the organ, with two layers of background around it.
struct Solid {
    from: [usize; 3],
    shape: [usize; 3],
    inside: Vec<bool>,
}

impl Solid {
    fn cropped(organ: &[bool], [a, b, c]: [usize; 3]) -> Self {
        let (mut low, mut high) = ([a, b, c], [0; 3]);
        for n in (0..organ.len()).filter(|n| organ[*n]) {
            for (k, x) in [n % a, n / a % b, n / (a * b)].into_iter().enumerate() {
                (low[k], high[k]) = (low[k].min(x), high[k].max(x));
            }
        }
        let shape = [0, 1, 2].map(|k| high[k] + 5 - low[k]);
        let mut solid = Self { from: low, shape, inside: vec![false; shape.iter().product()] };
        for k in low[2]..=high[2] {
            for j in low[1]..=high[1] {
                for i in low[0]..=high[0] {
                    let here = solid.index([i + 2 - low[0], j + 2 - low[1], k + 2 - low[2]]);
                    solid.inside[here] = organ[(k * b + j) * a + i];
                }
            }
        }
        solid
    }

    fn index(&self, [i, j, k]: [usize; 3]) -> usize {
        (k * self.shape[1] + j) * self.shape[0] + i
    }

    fn touches(&self, grid: &Grid) -> bool {
        let cut = if grid.cropped { 0..2 } else { 0..3 };
        cut.into_iter().any(|k| self.from[k] == 0 || self.from[k] + self.shape[k] - 4 == grid.shape[k])
    }

    /// The mask as numbers, smoothed along each axis (weights 1, 2, 1).
    fn smoothed(&self) -> Vec<f64> {
        let mut field: Vec<f64> = self.inside.iter().map(|inside| f64::from(u8::from(*inside))).collect();
        for step in [1, self.shape[0], self.shape[0] * self.shape[1]] {
            let before = field.clone();
            for n in step..before.len().saturating_sub(step) {
                field[n] = 0.25 * before[n - step] + 0.5 * before[n] + 0.25 * before[n + step];
            }
        }
        field
    }
}

/// Without the steps of the voxels.
fn smoothed(mesh: TriMesh) -> TriMesh {
    let mut places = mesh.vertices().to_vec();
    let mut around = vec![Vec::new(); places.len()];
    for edge in EdgeTable::new(mesh.triangles(), places.len()).edges() {
        let [a, b] = edge.ends;
        around[a].push(b);
        around[b].push(a);
    }
    for step in STEPS.into_iter().cycle().take(2 * ROUNDS) {
        let moved = places.iter().zip(&around).map(|(p, near)| {
            let mean = near.iter().map(|&j| places[j].coords).sum::<Vector>() / near.len().max(1) as f64;
            p + (mean - p.coords) * step
        });
        places = moved.collect();
    }
    mesh.with_vertices(places).unwrap_or(mesh)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ball(place: Place, shape: [usize; 3]) -> Grid {
        let at = |n: usize| [n % shape[0], n / shape[0] % shape[1], n / (shape[0] * shape[1])];
        let inside = |n: usize| {
            let far: f64 =
                at(n).iter().zip(shape).map(|(x, n)| ((*x as f64 + 0.5) / n as f64 - 0.5).powi(2)).sum();
            f64::from(u8::from(far.sqrt() < 0.35)) * 3.0
        };
        Grid::new(shape, (0..shape.iter().product()).map(inside), place).unwrap()
    }

    fn made(grid: &Grid, smooth: bool) -> (TriMesh, Vec<String>) {
        let mut remarks = Vec::new();
        let making = MaskMaking { metric: true, ..MaskMaking::default() };
        (surface(grid, &making, smooth, &mut remarks).unwrap().0, remarks)
    }

    /// The volume within, positive where triangles run counter-clockwise as seen from outside.
    fn volume(mesh: &TriMesh) -> f64 {
        let corners = (0..mesh.triangles().len()).map(|t| mesh.corners(t));
        corners.map(|[a, b, c]| a.coords.dot(&b.coords.cross(&c.coords)) / 6.0).sum()
    }

    #[test]
    fn a_ball_is_closed_and_of_its_size_in_every_orientation() {
        let of = |steps: Matrix3<f64>| Place::Body(steps, Vector3::new(7.0, -3.0, 20.0));
        let places = [
            Place::Spacing([1.0, 1.5, 2.0]),
            of(Matrix3::from_diagonal(&Vector3::new(1.0, 1.5, 2.0))),
            of(Matrix3::from_diagonal(&Vector3::new(-1.0, 1.5, 2.0))),
            of(Matrix3::new(0.0, 0.0, -2.0, 1.0, 0.0, 0.0, 0.0, 1.5, 0.0)),
        ];
        // Of 40, 40/1.5 and 20 voxels of these lengths the ball is one of radius 14.
        let expected = 4.0 / 3.0 * std::f64::consts::PI * 14f64.powi(3) * (27.0 * 1.5 / 40.0);
        for place in places {
            let grid = ball(place, [40, 27, 20]);
            for smooth in [false, true] {
                let (mesh, remarks) = made(&grid, smooth);
                let report = topology(&mesh);
                assert_eq!((report.genus, report.boundary_loops.len(), remarks.len()), (Some(0), 0, 0));
                assert!((volume(&mesh) / expected - 1.0).abs() < 0.03, "{}", volume(&mesh) / expected);
            }
        }
    }

    #[test]
    fn holes_pieces_and_borders_are_told() {
        let ring = |n: usize| {
            let [x, y, z] = [n % 30, n / 30 % 30, n / 900].map(|x| x as f64 - 14.5);
            f64::from(u8::from(
                ((x.hypot(y) - 8.0).hypot(z) < 3.5) || (x > 13.0 && y > 13.0 && z.abs() < 2.0),
            ))
        };
        let grid = Grid::new([30, 30, 30], (0..27000).map(ring), Place::Spacing([1.0; 3])).unwrap();
        let (_, remarks) = made(&grid, false);
        for (remark, word) in remarks.iter().zip(["border", "pieces", "1 holes"]) {
            assert!(remark.contains(word), "{remarks:?}");
        }
        assert_eq!(remarks.len(), 3);
    }
}
