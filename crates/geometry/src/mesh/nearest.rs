//! Nearest points, by a k-d tree.

use super::{MeshError, Point};
use crate::numeric::search::SearchTree3;

/// A set of points to find the nearest of.
pub struct NearestPoint {
    tree: SearchTree3,
}

impl std::fmt::Debug for NearestPoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("NearestPoint")
    }
}

impl NearestPoint {
    /// Over these points.
    ///
    /// # Errors
    /// [`MeshError::Degenerate`] when there are none or one is not finite.
    pub fn new<'a>(points: impl Iterator<Item = &'a Point>) -> Result<Self, MeshError> {
        let places: Vec<[f64; 3]> = points.map(|p| [p.x, p.y, p.z]).collect();
        if places.is_empty() || !places.iter().flatten().all(|c| c.is_finite()) {
            return Err(MeshError::Degenerate("no finite points to search among".to_owned()));
        }
        let tree = SearchTree3::new(&places)
            .ok_or_else(|| MeshError::Degenerate("the points cannot be searched".to_owned()))?;
        Ok(Self { tree })
    }

    /// The index of the nearest point and the distance to it.
    pub fn find(&self, p: &Point) -> (usize, f64) {
        let (index, square) = self.tree.nearest(&[p.x, p.y, p.z]);
        (index, square.sqrt())
    }

    /// The indices of the points within `radius`, in no particular order.
    pub fn within(&self, p: &Point, radius: f64) -> Vec<usize> {
        self.tree.within(&[p.x, p.y, p.z], radius)
    }
}
