//! The nearest neighbours of every point of a cloud.

use super::Point;
use kiddo::{ImmutableKdTree, SquaredEuclidean};
use std::num::NonZero;

/// For every point its nearest other points, nearest first.
#[derive(Debug, Clone)]
pub(crate) struct Neighbours {
    k: usize,
    flat: Vec<u32>,
}

impl Neighbours {
    /// The `min(k, n − 1)` nearest of each of `n` distinct, finite points.
    pub fn new(points: &[Point], k: usize) -> Option<Self> {
        let places: Vec<[f64; 3]> = points.iter().map(|p| [p.x, p.y, p.z]).collect();
        let k = k.min(points.len().saturating_sub(1));
        let wanted = NonZero::new(k + 1)?;
        let tree: ImmutableKdTree<f64, 3> = ImmutableKdTree::new_from_slice(&places).ok()?;
        let mut flat = Vec::with_capacity(k * points.len());
        for (i, place) in places.iter().enumerate() {
            let found = tree.query(place).nearest_n::<SquaredEuclidean<f64>>(wanted).execute();
            flat.extend(found.iter().map(|f| f.item).filter(|&j| j as usize != i).take(k));
            flat.resize((i + 1) * k, i as u32);
        }
        Some(Self { k, flat })
    }

    /// The neighbours of point `i`.
    pub fn of(&self, i: usize) -> &[u32] {
        &self.flat[i * self.k..(i + 1) * self.k]
    }

    /// How many neighbours each point has.
    pub fn k(&self) -> usize {
        self.k
    }
}
