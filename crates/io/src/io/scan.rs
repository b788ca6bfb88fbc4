//! A scan: a bare point cloud or a triangle mesh.

use super::error::{Fault, Parsed};
use super::open::check_memory;
use crate::mesh::Point;

/// What a scan file holds. Every coordinate is finite, every index names a vertex, and there is a vertex.
///
/// The vertices are those of the file in the file's order, used by a face or not. STL is the exception: it lists
/// every triangle's corners anew, so corners of exactly equal coordinates are made one vertex, numbered by first
/// appearance. Nothing else is repaired: triangles may be degenerate, doubled or wrongly oriented.
#[derive(Debug, Clone, PartialEq)]
pub struct Scan {
    /// The points, in the units of the file.
    pub vertices: Vec<Point>,
    /// Triangles as 0-based vertex numbers, or `None` for a bare point cloud. A polygon (a, b, c, d, …) is the fan
    /// (a, b, c), (a, c, d), …; one of fewer than three corners gives no triangle.
    pub triangles: Option<Vec<[usize; 3]>>,
}

impl Scan {
    /// A bare point cloud.
    pub(super) fn cloud(vertices: Vec<Point>) -> Self {
        Self { vertices, triangles: None }
    }

    /// Makes sure of the promises of [`Scan`], in one place for all formats.
    pub(super) fn check(self) -> Parsed<Self> {
        let n_vertices = self.vertices.len();
        if n_vertices == 0 {
            return Err(Fault::Malformed("holds no points; export the scan again").into());
        }
        if let Some(index) = self.vertices.iter().position(|p| !p.coords.iter().all(|c| c.is_finite())) {
            return Err(Fault::NotFinite { what: "vertex", index }.into());
        }
        let triangles = self.triangles.filter(|t| !t.is_empty());
        let outside = triangles.iter().flatten().position(|t| t.iter().any(|&i| i >= n_vertices));
        if let Some(face) = outside {
            return Err(Fault::IndexOutOfRange { face, n_vertices }.into());
        }
        Ok(Self { vertices: self.vertices, triangles })
    }
}

/// Refuses so many vertices and triangles if a file of `bytes` bytes may not take as much memory.
pub(super) fn check_room(bytes: usize, vertices: usize, triangles: usize) -> Result<(), Fault> {
    let made = (vertices.saturating_add(triangles)).saturating_mul(size_of::<Point>());
    check_memory(bytes, made, "write its polygons as triangles and its numbers in 4 bytes or more")
}

const _: () = assert!(size_of::<Point>() == size_of::<[usize; 3]>());

/// How many triangles the fan of a polygon of so many corners has.
pub(super) fn fan_size(corners: usize) -> usize {
    corners.saturating_sub(2)
}

/// The fan of a polygon, corner by corner: nothing is kept of a polygon but its first corner and its last so far.
#[derive(Default)]
pub(super) struct Fan {
    first: Option<usize>,
    last: Option<usize>,
}

impl Fan {
    /// The triangle that the next corner closes.
    pub fn corner(&mut self, corner: usize) -> Option<[usize; 3]> {
        let triangle = self.first.zip(self.last).map(|(first, last)| [first, last, corner]);
        match self.first {
            None => self.first = Some(corner),
            Some(_) => self.last = Some(corner),
        }
        triangle
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fan_is_about_its_first_corner() {
        for n in 0..7 {
            let mut fan = Fan::default();
            let triangles: Vec<_> = (10..10 + n).filter_map(|corner| fan.corner(corner)).collect();
            let expected: Vec<_> = (11..10 + n.max(2) - 1).map(|k| [10, k, k + 1]).collect();
            assert_eq!(triangles, expected, "{n}");
            assert_eq!(triangles.len(), fan_size(n));
        }
    }
}
