//! A cloud prepared for matching: evened out, with normals and a search tree.

use super::super::nearest::NearestPoint;
use super::super::neighbours::Neighbours;
use super::super::normals::plane_normals;
use super::super::{Point, Vector};
use super::thin::thin;

/// Evened-out points with unit normals of either sign.
#[derive(Debug)]
pub(crate) struct Sampled {
    pub points: Vec<Point>,
    pub normals: Vec<Vector>,
    /// The mean distance of the fourth nearest neighbours: on an even grid, all of a point's four are as near.
    pub spacing: f64,
    tree: NearestPoint,
}

impl Sampled {
    /// About `wanted` points; none when there are too few to search.
    pub fn new(points: &[Point], wanted: usize) -> Option<Self> {
        let points = thin(points, wanted);
        let neighbours = Neighbours::new(&points, 10)?;
        let normals = plane_normals(&points, &neighbours, 10);
        let tree = NearestPoint::new(points.iter()).ok()?;
        let fourth = |i: usize| neighbours.of(i).get(3).map(|&j| (points[i] - points[j as usize]).norm());
        let spacing = (0..points.len()).filter_map(fourth).sum::<f64>() / points.len() as f64;
        Some(Self { points, normals, spacing, tree })
    }

    /// The nearest point's number and its squared distance.
    pub fn nearest(&self, p: &Point) -> (usize, f64) {
        let (i, distance) = self.tree.find(p);
        (i, distance * distance)
    }

    /// Numbers of the points within `radius`.
    pub fn within(&self, p: &Point, radius: f64) -> Vec<usize> {
        self.tree.within(p, radius)
    }

    /// The mean of the points and the root of their mean squared distance from it.
    pub fn centre_and_size(&self) -> (Point, f64) {
        let n = self.points.len() as f64;
        let mean: Vector = self.points.iter().map(|p| p.coords / n).sum();
        let square: f64 = self.points.iter().map(|p| (p.coords - mean).norm_squared() / n).sum();
        (Point::from(mean), square.sqrt())
    }

    /// How far point `p` stands out of what lies within `radius` of it, as a vector along the surface normal there:
    /// from the mean of the surroundings to the point. Small in planes, large on tips.
    pub fn protrusion(&self, p: &Point, normal: &Vector, radius: f64) -> Vector {
        let around = self.within(p, radius);
        let mean: Vector =
            around.iter().map(|&i| self.points[i].coords).sum::<Vector>() / around.len().max(1) as f64;
        normal * (p.coords - mean).dot(normal)
    }
}
