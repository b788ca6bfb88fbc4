//! How much of how people differ a few modes explain.

use nalgebra::{DMatrix, SymmetricEigen};

/// A population (its deviations from its mean, one row each) that modes are judged by: simulated or public, never a study's.
#[derive(Debug, Clone)]
pub struct Explained {
    /// Deviations, (people, samples).
    rows: DMatrix<f64>,
    points: f64,
}

impl Explained {
    /// Of these faces' samples; `None` without any, or of different lengths.
    pub fn by(faces: &[Vec<f64>]) -> Option<Self> {
        let length = faces.first()?.len();
        if length < 3 || faces.iter().any(|face| face.len() != length) {
            return None;
        }
        Some(Self { rows: centred(faces, length), points: length as f64 / 3.0 })
    }

    /// The mean variance per point along the space that these directions span.
    pub fn variance(&self, modes: &[Vec<f64>]) -> f64 {
        let basis = orthonormal(modes);
        (0..basis.ncols()).map(|j| (&self.rows * basis.column(j)).norm_squared()).sum::<f64>()
            / (self.rows.nrows() as f64 * self.points)
    }

    /// The population's own leading modes with their variances per point, the largest first.
    pub fn leading(&self, count: usize) -> Vec<(f64, Vec<f64>)> {
        leading(&self.rows, count, self.points)
    }

    /// The leading modes of a sample of faces about their own mean: what a study without privacy would show.
    pub fn of_sample(faces: &[Vec<f64>], count: usize) -> Vec<(f64, Vec<f64>)> {
        let Some(length) = faces.first().map(Vec::len) else { return Vec::new() };
        leading(&centred(faces, length), count, length as f64 / 3.0)
    }
}

/// The cosine between two directions, without sign.
pub fn cosine(a: &[f64], b: &[f64]) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    dot(a, b).abs() / (dot(a, a) * dot(b, b)).sqrt().max(f64::MIN_POSITIVE)
}

fn centred(faces: &[Vec<f64>], length: usize) -> DMatrix<f64> {
    let mut rows = DMatrix::from_fn(faces.len(), length, |i, j| faces[i][j]);
    let mean = rows.row_mean();
    rows.row_iter_mut().for_each(|mut row| row -= &mean);
    rows
}

/// Up to this size a Gram matrix is taken apart whole; beyond, only its leading part, by iteration.
const SMALL: usize = 600;
/// Directions beside those that are wanted, and steps: modes of faces are then found to many digits.
const BESIDE: usize = 15;
const STEPS: usize = 20;

fn leading(rows: &DMatrix<f64>, count: usize, points: f64) -> Vec<(f64, Vec<f64>)> {
    let across = rows.transpose();
    let some = rows.nrows().min(rows.ncols()).min(count + BESIDE);
    // A start that is no special direction of anything.
    let mut block =
        DMatrix::from_fn(rows.ncols(), some, |i, j| ((1 + i) as f64 * (1 + j) as f64 * 0.618).sin());
    if rows.nrows().min(rows.ncols()) <= SMALL {
        let wide = rows.ncols() > rows.nrows();
        let gram = if wide { rows * &across } else { &across * rows };
        let vectors = SymmetricEigen::new(gram);
        let mut order: Vec<usize> = (0..vectors.eigenvalues.len()).collect();
        order.sort_by(|&i, &j| vectors.eigenvalues[j].total_cmp(&vectors.eigenvalues[i]));
        order.truncate(some);
        let chosen = vectors.eigenvectors.select_columns(&order);
        block = if wide { &across * chosen } else { chosen };
    } else {
        for _ in 0..STEPS {
            block = (&across * (rows * block)).qr().q();
        }
    }
    let basis = block.qr().q();
    let seen = rows * &basis;
    let within = SymmetricEigen::new(seen.transpose() * &seen / rows.nrows() as f64);
    let mut order: Vec<usize> = (0..within.eigenvalues.len()).collect();
    order.sort_by(|&i, &j| within.eigenvalues[j].total_cmp(&within.eigenvalues[i]));
    let mode = |&i: &usize| {
        let direction = &basis * within.eigenvectors.column(i);
        (within.eigenvalues[i] / points, direction.as_slice().to_vec())
    };
    order.iter().take(count).map(mode).collect()
}

/// An orthonormal basis of what vectors span.
fn orthonormal(vectors: &[Vec<f64>]) -> DMatrix<f64> {
    let Some(length) = vectors.first().map(Vec::len) else { return DMatrix::zeros(0, 0) };
    DMatrix::from_fn(length, vectors.len(), |i, j| vectors[j].get(i).copied().unwrap_or(0.0)).qr().q()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leading_modes_explain_what_their_variances_say() {
        let face = |a: f64, b: f64| vec![1.0 + a, b, 2.0, 0.5, 0.0, 0.0];
        let faces = [face(2.0, 0.0), face(-2.0, 0.0), face(0.0, 1.0), face(0.0, -1.0)];
        let judged = Explained::by(&faces).unwrap();
        let own = judged.leading(2);
        // Σ x²/n per point: 8/4/2 and 2/4/2.
        approx::assert_relative_eq!(own[0].0, 1.0, max_relative = 1e-12);
        approx::assert_relative_eq!(own[1].0, 0.25, max_relative = 1e-12);
        let directions: Vec<Vec<f64>> = own.iter().map(|(_, d)| d.clone()).collect();
        approx::assert_relative_eq!(judged.variance(&directions), 1.25, max_relative = 1e-12);
        let skew = vec![vec![1.0, 1.0, 0.0, 0.0, 0.0, 0.0]];
        approx::assert_relative_eq!(judged.variance(&skew), 0.625, max_relative = 1e-12);
        approx::assert_relative_eq!(cosine(&skew[0], &directions[0]), 0.5f64.sqrt(), max_relative = 1e-12);
        assert_eq!(judged.variance(&[]), 0.0);
        assert!(Explained::by(&[]).is_none() && Explained::of_sample(&[], 3).is_empty());
    }
}
