//! Scattering points over a triangle mesh, neither on a lattice nor clumped.

use crate::mesh::Point;
use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

/// A surface to scatter points on.
pub(super) struct Patch<'a> {
    pub vertices: &'a [Point],
    pub triangles: &'a [[usize; 3]],
    /// Distance from the border at each vertex, handed to the acceptance test.
    pub border_distance: &'a [f64],
    /// Vertices outside; a triangle with no covered vertex is skipped.
    pub covered: &'a [bool],
}

/// `n` points, uniform by area up to `spacing` (relative local distance between points), none nearer to another
/// than about 0.7 of the mean spacing (Poisson-disk dart throwing). A point must pass `accept(point, border
/// distance)`. Order is random. Fewer than `n` points only when nothing is covered.
pub(super) fn scatter<R: Rng + ?Sized>(
    patch: &Patch<'_>,
    n: usize,
    accept: impl Fn(&Point, f64) -> bool,
    spacing: impl Fn(&Point) -> f64,
    rng: &mut R,
) -> Vec<Point> {
    let (table, area) = cumulated_area(patch);
    if table.is_empty() || area <= 0.0 {
        return Vec::new();
    }
    let mut radius = 0.66 * (area / n.max(1) as f64).sqrt();
    let mut grid = Grid::new(patch.vertices, radius);
    let mut points: Vec<Point> = Vec::with_capacity(n);
    let mut misses = 0;
    let mut rejected = 0;
    while points.len() < n {
        let (p, border) = random_point(patch, &table, area, rng);
        if !accept(&p, border) {
            // Guards against a face that is covered nowhere inside its triangles.
            rejected += 1;
            if rejected > 1000 * n {
                break;
            }
            continue;
        }
        if grid.crowded(&points, &p, radius * spacing(&p)) {
            misses += 1;
            // The surface is nearly full: let later points come nearer.
            if misses > n / 4 {
                misses = 0;
                radius *= 0.93;
            }
            continue;
        }
        grid.insert(&p);
        points.push(p);
    }
    points.shuffle(rng);
    points
}

/// Triangles with a covered vertex, each with the area up to and including it.
fn cumulated_area(patch: &Patch<'_>) -> (Vec<(f64, [usize; 3])>, f64) {
    let mut sum = 0.0;
    let mut table = Vec::with_capacity(patch.triangles.len());
    for &t in patch.triangles {
        if t.iter().any(|&v| patch.covered[v]) {
            let [a, b, c] = t.map(|v| patch.vertices[v]);
            sum += 0.5 * (b - a).cross(&(c - a)).norm();
            table.push((sum, t));
        }
    }
    (table, sum)
}

fn random_point<R: Rng + ?Sized>(
    patch: &Patch<'_>,
    table: &[(f64, [usize; 3])],
    area: f64,
    rng: &mut R,
) -> (Point, f64) {
    let at = area * rng.random::<f64>();
    let (_, t) = table[table.partition_point(|(sum, _)| *sum <= at).min(table.len() - 1)];
    let (r, s): (f64, f64) = (rng.random(), rng.random());
    let root = r.sqrt();
    let weights = [1.0 - root, root * (1.0 - s), root * s];
    let [a, b, c] = t.map(|v| patch.vertices[v].coords);
    let border = t.iter().zip(weights).map(|(&v, w)| patch.border_distance[v] * w).sum();
    (Point::from(a * weights[0] + b * weights[1] + c * weights[2]), border)
}

/// Points by cell of a box: for each cell the last point put there, for each point the one before it.
struct Grid {
    low: Point,
    size: f64,
    shape: [usize; 3],
    last: Vec<u32>,
    before: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Grid {
    /// Over the bounding box of `points`, in cells of `size` or, if that were too many cells, larger ones.
    fn new(points: &[Point], size: f64) -> Self {
        let low = points.iter().fold(Point::from([f64::INFINITY; 3]), |low, p| low.inf(p));
        let high = points.iter().fold(Point::from([f64::NEG_INFINITY; 3]), |high, p| high.sup(p));
        let extent = high - low;
        let mut size = size.max(1e-9);
        let cells = |size: f64| [extent.x, extent.y, extent.z].map(|e| (e / size) as usize + 1);
        while cells(size).iter().map(|&c| c as f64).product::<f64>() > 4e6 {
            size *= 1.5;
        }
        let shape = cells(size);
        Self { low, size, shape, last: vec![NONE; shape.iter().product()], before: Vec::new() }
    }

    fn cell(&self, p: &Point, shift: f64) -> [usize; 3] {
        std::array::from_fn(|k| {
            let c = (p[k] - self.low[k] + shift) / self.size;
            (c.max(0.0) as usize).min(self.shape[k] - 1)
        })
    }

    fn slot(&self, [i, j, k]: [usize; 3]) -> usize {
        (i * self.shape[1] + j) * self.shape[2] + k
    }

    /// Puts in the next point; its index is the number of points put in before.
    fn insert(&mut self, p: &Point) {
        let slot = self.slot(self.cell(p, 0.0));
        self.before.push(std::mem::replace(&mut self.last[slot], self.before.len() as u32));
    }

    fn crowded(&self, points: &[Point], p: &Point, radius: f64) -> bool {
        let near = radius * radius;
        let (low, high) = (self.cell(p, -radius), self.cell(p, radius));
        for i in low[0]..=high[0] {
            for j in low[1]..=high[1] {
                for k in low[2]..=high[2] {
                    let mut q = self.last[self.slot([i, j, k])];
                    while q != NONE {
                        if (points[q as usize] - p).norm_squared() < near {
                            return true;
                        }
                        q = self.before[q as usize];
                    }
                }
            }
        }
        false
    }
}
