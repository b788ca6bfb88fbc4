//! Normals of a point cloud: directions from local planes, signs by propagation.

use super::neighbours::Neighbours;
use super::unite::Sets;
use super::{Point, Vector};
use nalgebra::Matrix3;

/// The unit normal of the plane of best fit through each point's `m` nearest neighbours and itself, of either
/// sign; the zero vector where the neighbourhood is a line.
pub(crate) fn plane_normals(points: &[Point], neighbours: &Neighbours, m: usize) -> Vec<Vector> {
    (0..points.len())
        .map(|i| {
            let near = &neighbours.of(i)[..m.min(neighbours.k())];
            let weight = 1.0 / (near.len() as f64 + 1.0);
            // Offsets from the point itself: no cancellation.
            let (mut sum, mut moments) = (Vector::zeros(), Matrix3::zeros());
            for &j in near {
                let d = points[j as usize] - points[i];
                sum += d;
                moments += d * d.transpose();
            }
            smallest_axis(&(moments * weight - sum * sum.transpose() * (weight * weight)))
        })
        .collect()
}

/// A unit eigenvector for the smallest eigenvalue of a symmetric positive semidefinite matrix; zero when
/// that is not unique (rank one or less).
///
/// The adjugate has the same eigenvectors and the products of the other two eigenvalues, so its largest
/// eigenvalue belongs to the vector sought; six squarings raise the gap to the 64th power.
pub(crate) fn smallest_axis(m: &Matrix3<f64>) -> Vector {
    let (a, b, c) = (m.column(0), m.column(1), m.column(2));
    let mut power = Matrix3::from_columns(&[b.cross(&c), c.cross(&a), a.cross(&b)]);
    for _ in 0..6 {
        let trace = power.trace();
        if trace <= 1e-290 {
            return Vector::zeros();
        }
        power /= trace;
        power *= power;
    }
    let k = power.diagonal().imax();
    power.column(k).into_owned().try_normalize(0.0).unwrap_or_else(Vector::zeros)
}

/// Gives the normals consistent signs: along a spanning forest of the neighbour graph that prefers pairs with
/// parallel normals perpendicular to the step between them (Hoppe et al. 1992, the second condition after
/// Xie et al. 2003), so that the two sheets of a fold are joined round the fold and not across it.
pub(crate) fn orient(points: &[Point], neighbours: &Neighbours, graph_k: usize, normals: &mut [Vector]) {
    let mut steps: Vec<(f32, u32, u32)> = Vec::with_capacity(points.len() * graph_k);
    for i in 0..points.len() {
        for &j in neighbours.of(i).iter().take(graph_k) {
            let other = j as usize;
            // A pair in each other's lists is taken once.
            if other < i && neighbours.of(other).iter().take(graph_k).any(|&back| back as usize == i) {
                continue;
            }
            let step = points[other] - points[i];
            let (n, m) = (normals[i], normals[other]);
            let rise = (step.dot(&n).powi(2) + step.dot(&m).powi(2)) / step.norm_squared().max(1e-300);
            steps.push(((1.0 - n.dot(&m).abs() + rise) as f32, i as u32, j));
        }
    }
    steps.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let mut forest: Vec<Vec<u32>> = vec![Vec::new(); points.len()];
    let mut sets = Sets::new(points.len());
    for (_, i, j) in steps {
        if sets.unite(i as usize, j as usize) {
            forest[i as usize].push(j);
            forest[j as usize].push(i);
        }
    }
    let mut reached = vec![false; points.len()];
    let mut stack = Vec::new();
    for root in 0..points.len() {
        if reached[root] {
            continue;
        }
        reached[root] = true;
        stack.push(root);
        while let Some(i) = stack.pop() {
            for &j in &forest[i] {
                let j = j as usize;
                if !reached[j] {
                    reached[j] = true;
                    if normals[i].dot(&normals[j]) < 0.0 {
                        normals[j] = -normals[j];
                    }
                    stack.push(j);
                }
            }
        }
    }
}
