//! Cubic grids that points fall into.

use super::{Point, Vector};

/// A cubic grid from the lowest corner of a cloud on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Grid {
    lowest: Vector,
    size: f64,
}

/// The cells along each axis that have numbers; what lies beyond them falls into the last.
pub(crate) const CELLS: u64 = 1 << 21;

/// So many points to a cell tell how many cells are occupied: one of e⁸ is missed.
const ENOUGH: usize = 8;

impl Grid {
    /// With cells of this size.
    pub fn new(points: &[Point], size: f64) -> Self {
        let lowest = points.iter().fold(Vector::repeat(f64::INFINITY), |low, p| low.inf(&p.coords));
        Self { lowest, size }
    }

    /// With about this many occupied cells, for points on a surface.
    pub fn with_cells(points: &[Point], wanted: usize) -> Self {
        let mut grid = Self::new(points, extent(points) / (wanted as f64).sqrt());
        let few = some(points, points.len() / (ENOUGH * wanted.max(1)));
        // The count of occupied cells of a surface falls with the square of their size.
        for _ in 0..3 {
            grid.size *= (grid.occupied(&few) as f64 / wanted as f64).sqrt();
        }
        grid
    }

    /// As fine as it may be with at most this many occupied cells.
    pub fn with_at_most(points: &[Point], most: usize) -> Self {
        let mut grid = Self::new(points, extent(points) / (most as f64).sqrt());
        // First halved while there is room, then coarser by ever more until it fits.
        for _ in 0..24 {
            let n = grid.occupied(points);
            if n > most / 2 {
                break;
            }
            grid.size *= 0.5_f64.max((n as f64 / most as f64).sqrt());
        }
        while grid.size > 0.0 && grid.occupied(points) > most {
            grid.size *= 1.1;
        }
        grid
    }

    /// The side of a cell.
    pub fn size(&self) -> f64 {
        self.size
    }

    /// The number of a point's cell: of its place along x, y and z, 21 bits each.
    pub fn number(&self, p: &Point) -> u64 {
        let [x, y, z] = self.cell(p);
        x << 42 | y << 21 | z
    }

    /// Its place along the axes.
    pub fn cell(&self, p: &Point) -> [u64; 3] {
        let v = p.coords - self.lowest;
        [v.x, v.y, v.z].map(|x| ((x / self.size) as u64).min(CELLS - 1))
    }

    /// How far a point is inside its cell.
    pub fn depth(&self, p: &Point) -> f64 {
        let part = (p.coords - self.lowest).map(|x| (x / self.size).fract());
        self.size * part.iter().map(|t| t.min(1.0 - t)).fold(f64::INFINITY, f64::min)
    }

    /// Every point with the number of its cell, cell by cell.
    pub fn sorted(&self, points: &[Point]) -> Vec<(u64, u32)> {
        let mut keyed: Vec<(u64, u32)> = points.iter().map(|p| self.number(p)).zip(0..).collect();
        keyed.sort_unstable();
        keyed
    }

    fn occupied(&self, points: &[Point]) -> usize {
        let mut all: Vec<u64> = points.iter().map(|p| self.number(p)).collect();
        all.sort_unstable();
        all.dedup();
        all.len()
    }
}

/// About one of so many points, told by lot from their coordinates: the same ones in any order. All of them where the lot falls on none.
fn some(points: &[Point], of: usize) -> Vec<Point> {
    // Multiplication by an odd number (2⁶⁴ over the golden ratio) carries every bit to the upper ones, which decide.
    let mixed = |sum: u64, x: &f64| (sum ^ x.to_bits()).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(32);
    let drawn = |p: &&Point| (p.coords.iter().fold(0, mixed) % of.max(1) as u64) == 0;
    let few: Vec<Point> = points.iter().filter(drawn).copied().collect();
    if few.is_empty() { points.to_vec() } else { few }
}

/// The diagonal of the box about a cloud.
fn extent(points: &[Point]) -> f64 {
    let lowest = points.iter().fold(Vector::repeat(f64::INFINITY), |low, p| low.inf(&p.coords));
    let highest = points.iter().fold(Vector::repeat(f64::NEG_INFINITY), |high, p| high.sup(&p.coords));
    (highest - lowest).norm()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_of_cells_does_not_depend_on_the_order_of_the_points() {
        let at = |i: u32| Point::new(f64::from((i % 317) as f32 * 0.1), f64::from(i / 317), 0.0);
        let points: Vec<Point> = (0..100_000).map(at).collect();
        let turned: Vec<Point> = points.iter().rev().copied().collect();
        let grid = Grid::with_cells(&points, 1000);
        assert_eq!(grid.size(), Grid::with_cells(&turned, 1000).size());
        let found = grid.occupied(&points);
        assert!((700..1400).contains(&found), "{found}");
        let drawn = some(&points, 12).len() as f64 / (100_000.0 / 12.0);
        assert!((0.9..1.1).contains(&drawn), "{drawn}");
        // Of points that are all the same all or none are drawn.
        assert!(Grid::with_cells(&[Point::new(1.0, 2.0, 3.0); 50_000], 100).number(&Point::origin()) == 0);
    }
}
