//! Evening out the density of a cloud.

use super::super::{Point, Vector};
use std::cmp::Ordering;

/// One point, the mean, for each occupied cell of a cubic grid whose cell size makes them about `wanted`; of a cloud
/// of fewer points each place once. The order does not depend on that of the input.
pub(crate) fn thin(points: &[Point], wanted: usize) -> Vec<Point> {
    if points.len() <= wanted {
        let mut out = points.to_vec();
        let key = |p: &Point| [p.x, p.y, p.z];
        out.sort_by(|a, b| {
            key(a)
                .iter()
                .zip(key(b))
                .map(|(x, y)| x.total_cmp(&y))
                .find(|o| o.is_ne())
                .unwrap_or(Ordering::Equal)
        });
        out.dedup();
        return out;
    }
    let lowest = points.iter().fold(Vector::repeat(f64::INFINITY), |low, p| low.inf(&p.coords));
    let highest = points.iter().fold(Vector::repeat(f64::NEG_INFINITY), |high, p| high.sup(&p.coords));
    // The count of occupied cells of a surface falls with the square of their size.
    let mut size = (highest - lowest).norm() / (wanted as f64).sqrt();
    for _ in 0..3 {
        let n = count_cells(points, lowest, size);
        size *= (n as f64 / wanted as f64).sqrt();
    }
    let mut keyed = keys(points, lowest, size);
    keyed.sort_unstable();
    let mut out = Vec::with_capacity(wanted * 5 / 4);
    for cell in keyed.chunk_by(|a, b| a.0 == b.0) {
        let sum: Vector = cell.iter().map(|&(_, i)| points[i as usize].coords).sum();
        out.push(Point::from(sum / cell.len() as f64));
    }
    out
}

fn keys(points: &[Point], lowest: Vector, size: f64) -> Vec<(u64, u32)> {
    let cell = |x: f64| ((x / size) as u64).min((1 << 21) - 1);
    points
        .iter()
        .enumerate()
        .map(|(i, p)| {
            let v = p.coords - lowest;
            (cell(v.x) << 42 | cell(v.y) << 21 | cell(v.z), i as u32)
        })
        .collect()
}

fn count_cells(points: &[Point], lowest: Vector, size: f64) -> usize {
    let mut all: Vec<u64> = keys(points, lowest, size).into_iter().map(|(key, _)| key).collect();
    all.sort_unstable();
    all.dedup();
    all.len()
}
