//! A scan: a bare point cloud or a triangle mesh.

use super::error::{Fault, Parsed};
use super::open::check_memory;
use crate::mesh::Point;

/// What a scan file holds. Every coordinate is finite, every index names a vertex, and there is a vertex.
///
/// The vertices are those of the file in the file's order, used by a face or not. STL is the exception: it lists
/// every triangle's corners anew, so corners of exactly equal coordinates are made one vertex, numbered by first
/// appearance. Points whose coordinates are no numbers (NaN, infinite) are left out, with their triangles. Nothing else is repaired: triangles
/// may be degenerate, doubled or wrongly oriented.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scan {
    /// The points, in the units of the file.
    pub vertices: Vec<Point>,
    /// Triangles as 0-based vertex numbers, or `None` for a bare point cloud. A polygon (a, b, c, d, …) is the fan
    /// (a, b, c), (a, c, d), …; one of fewer than three corners gives no triangle.
    pub triangles: Option<Vec<[usize; 3]>>,
    /// How many points of the file were left out, because a coordinate is NaN or infinite.
    pub not_finite: usize,
}

impl Scan {
    /// A bare point cloud.
    pub(super) fn cloud(vertices: Vec<Point>) -> Self {
        Self { vertices, ..Self::default() }
    }

    /// Makes sure of the promises of [`Scan`], in one place for all formats.
    pub(super) fn check(self) -> Parsed<Self> {
        let n_vertices = self.vertices.len();
        if n_vertices == 0 {
            return Err(Fault::Malformed("holds no points; export the scan again").into());
        }
        let triangles = self.triangles.filter(|t| !t.is_empty());
        let outside = triangles.iter().flatten().position(|t| t.iter().any(|&i| i >= n_vertices));
        if let Some(face) = outside {
            return Err(Fault::IndexOutOfRange { face, n_vertices }.into());
        }
        Self { triangles, ..self }.finite()
    }

    /// Without the points that are nowhere.
    fn finite(mut self) -> Parsed<Self> {
        let is_finite = |p: &Point| p.coords.iter().all(|c| c.is_finite());
        if self.vertices.iter().all(is_finite) {
            return Ok(self);
        }
        let mut kept = 0;
        let mut number = Vec::with_capacity(self.vertices.len());
        for p in &self.vertices {
            number.push(is_finite(p).then_some(kept));
            kept += usize::from(is_finite(p));
        }
        if kept == 0 {
            return Err(Fault::Malformed(
                "holds no point whose coordinates are numbers; export the scan again",
            )
            .into());
        }
        self.not_finite = number.len() - kept;
        self.vertices.retain(is_finite);
        let renumbered = |t: [usize; 3]| Some([number[t[0]]?, number[t[1]]?, number[t[2]]?]);
        let triangles =
            self.triangles.map(|triangles| triangles.into_iter().filter_map(renumbered).collect());
        self.triangles = triangles.filter(|t: &Vec<_>| !t.is_empty());
        Ok(self)
    }
}

/// Refuses so many vertices and triangles if a file of `bytes` bytes may not take as much memory.
pub(super) fn check_room(bytes: usize, vertices: usize, triangles: usize) -> Result<(), Fault> {
    let made = (vertices.saturating_add(triangles)).saturating_mul(size_of::<Point>());
    check_memory(bytes, made, "write its polygons as triangles and its numbers in 4 bytes or more")
}

// A bound for both; where addresses are short, a triangle takes half.
const _: () = assert!(size_of::<Point>() >= size_of::<[usize; 3]>());

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
    fn points_that_are_nowhere_are_left_out_and_counted() {
        let at = |x: f64| Point::new(x, 0.0, 0.0);
        let vertices = vec![at(0.0), at(f64::NAN), at(2.0), at(3.0), at(f64::INFINITY), at(5.0)];
        let triangles = Some(vec![[0, 2, 3], [0, 1, 2], [5, 3, 2], [4, 3, 2]]);
        let scan = Scan { vertices, triangles, not_finite: 0 }.check().unwrap();
        assert_eq!(scan.vertices, [at(0.0), at(2.0), at(3.0), at(5.0)]);
        assert_eq!(scan.triangles, Some(vec![[0, 1, 2], [3, 2, 1]]));
        assert_eq!(scan.not_finite, 2);
        assert!(Scan::cloud(vec![at(f64::NAN); 3]).check().is_err());
    }

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
