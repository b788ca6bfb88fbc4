//! A bound on ρ: zCDP bounds all Rényi divergences, which one event hardly shows; some cells of one statistic show most of them.

use super::event::visible;
use super::interval::{FALSE_ALARM, lower_limit, upper_limit};

const ORDERS: [f64; 5] = [1.2, 1.4, 1.7, 2.0, 2.5];
const CELLS: [usize; 3] = [6, 9, 13];

/// Cells of a statistic between these edges, and an order.
#[derive(Debug, Clone)]
pub(super) struct Cells {
    column: usize,
    edges: Vec<f64>,
    order: f64,
    /// Which of the two laws is divided by the other.
    swapped: bool,
}

impl Cells {
    /// The cells that promise the largest bound.
    pub(super) fn best(first: &[Vec<f64>], second: &[Vec<f64>], runs: u64) -> Option<Self> {
        let mut best: Option<(Self, f64)> = None;
        let rest = (runs as f64 - first.len() as f64) / first.len() as f64;
        for column in 0..first.first().map_or(0, Vec::len) {
            let mut pooled: Vec<f64> = first.iter().chain(second).map(|row| visible(row[column])).collect();
            pooled.sort_by(f64::total_cmp);
            for cells in CELLS {
                let edges: Vec<f64> = (1..cells)
                    .map(|k| {
                        let rank = 0.5 - 0.5 * (std::f64::consts::PI * k as f64 / cells as f64).cos();
                        pooled[((pooled.len() - 1) as f64 * rank) as usize]
                    })
                    .collect();
                for (order, swapped) in ORDERS.iter().flat_map(|order| [(*order, false), (*order, true)]) {
                    let cells = Self { column, edges: edges.clone(), order, swapped };
                    let expected = |rows: &[Vec<f64>]| -> Vec<u64> {
                        cells.counts(rows).iter().map(|hits| (*hits as f64 * rest) as u64).collect()
                    };
                    let n = (first.len() as f64 * rest) as u64;
                    let promise = cells.bound_of(&expected(first), &expected(second), n);
                    if best.as_ref().is_none_or(|(_, most)| promise > *most) {
                        best = Some((cells, promise));
                    }
                }
            }
        }
        best.map(|(cells, _)| cells)
    }

    fn counts(&self, rows: &[Vec<f64>]) -> Vec<u64> {
        let mut counts = vec![0; self.edges.len() + 1];
        for row in rows {
            counts[self.edges.partition_point(|edge| *edge <= visible(row[self.column]))] += 1;
        }
        counts
    }

    /// The lower bound on ρ that these runs give.
    pub(super) fn bound(&self, first: &[Vec<f64>], second: &[Vec<f64>]) -> f64 {
        self.bound_of(&self.counts(first), &self.counts(second), first.len() as u64)
    }

    /// D_α(P‖Q) ≥ ln Σ pᵢ^α qᵢ^(1 − α)/(α − 1) over any cells, which rises with each pᵢ and falls with each qᵢ; ρ-zCDP allows ρα.
    fn bound_of(&self, first: &[u64], second: &[u64], n: u64) -> f64 {
        let (p, q) = if self.swapped { (second, first) } else { (first, second) };
        let error = FALSE_ALARM / (2 * p.len()) as f64;
        let sum: f64 = p
            .iter()
            .zip(q)
            .map(|(p, q)| {
                let (p, q) = (lower_limit(*p, n, error), upper_limit(*q, n, error));
                p.powf(self.order) * q.powf(1.0 - self.order)
            })
            .sum();
        (sum.ln() / (self.order - 1.0) / self.order).max(0.0)
    }
}
