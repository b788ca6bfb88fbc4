//! Affine displacements and principal warps of a configuration of landmarks.

use crate::function::shrink::SpectralPlace;
use nalgebra::{DMatrix, SymmetricEigen};

/// Local frequency of affine displacements: a shape is about half a wave long in them.
const AFFINE: f64 = 1.0;
/// Local frequency of what no tangent vector has: so high that the public spectrum expects nothing there.
const NOTHING: f64 = 1e3;
/// Singular values below this share of the largest are those of a flat configuration.
const FLAT: f64 = 1e-9;

/// Orthonormal displacements of k landmarks in d coordinates.
///
/// Scalar functions on the landmarks first: the constant, the linear ones, and the eigenvectors of N'KN, K the kernel of the thin-plate spline
/// (r² ln r in the plane, -r in space) on what is orthogonal to constant and linear functions; large eigenvalues bend little. Displacements
/// are their products with the coordinates, but that the d² products of linear functions are turned so that scaling and rotations stand apart.
#[derive(Debug, Clone)]
pub(super) struct Warps {
    channels: usize,
    /// (k, k): columns are the constant, the linear functions, the warps.
    functions: DMatrix<f64>,
    /// How many linear functions there are: d, fewer for flat configurations.
    linear: usize,
    /// Columns are displacements within the products of linear functions: scaling and rotations first.
    turned: DMatrix<f64>,
    /// Local frequency of each coefficient.
    frequencies: Vec<f64>,
}

impl Warps {
    pub(super) fn new(shape: &DMatrix<f64>) -> Self {
        let (k, d) = shape.shape();
        let mut centred = shape.clone();
        let mean = centred.row_mean();
        centred.row_iter_mut().for_each(|mut row| row -= &mean);
        let (functions, linear) = functions(&centred);
        let along = functions.columns(1, linear).transpose() * &centred;
        let (turned, rigid) = turned(&along);
        let within_affine = linear * d;
        // Warps of a flat configuration begin earlier; frequencies are those of a full one all the same.
        let frequency = |i: usize| {
            let rank = i.saturating_sub(d);
            AFFINE * ((1 + d + rank) as f64 / (1 + d) as f64).powf(1.0 / d as f64)
        };
        let mut frequencies = vec![NOTHING; k * d];
        for c in 0..d {
            for i in 1..k {
                frequencies[c * k + i] = frequency(i);
            }
        }
        for j in 0..within_affine {
            frequencies[affine_place(j, linear, k)] = if j < rigid { NOTHING } else { AFFINE };
        }
        Self { channels: d, functions, linear, turned, frequencies }
    }

    pub(super) fn points(&self) -> usize {
        self.functions.nrows()
    }

    pub(super) fn len(&self) -> usize {
        self.points() * self.channels
    }

    pub(super) fn place(&self, i: usize) -> SpectralPlace {
        // What is known of a warp is the same in all coordinates, whose directions mean nothing.
        SpectralPlace::from((0, self.frequencies[i]))
    }

    pub(super) fn analyse(&self, values: &[f64]) -> Vec<f64> {
        let k = self.points();
        let samples = DMatrix::from_row_slice(k, self.channels, values) / (k as f64).sqrt();
        let mut coefficients = self.functions.tr_mul(&samples).as_slice().to_vec();
        self.turn(&mut coefficients, |turned, block| turned.tr_mul(block));
        coefficients
    }

    pub(super) fn synthesize(&self, coefficients: &[f64]) -> Vec<f64> {
        let k = self.points();
        let mut coefficients = coefficients.to_vec();
        self.turn(&mut coefficients, |turned, block| turned * block);
        let samples = &self.functions * DMatrix::from_column_slice(k, self.channels, &coefficients);
        (samples.transpose() * (k as f64).sqrt()).as_slice().to_vec()
    }

    pub(super) fn variances(&self, of_coefficients: &[f64]) -> Vec<f64> {
        let (k, d) = (self.points(), self.channels);
        let mut rest = of_coefficients.to_vec();
        let places = || (0..self.linear * d).map(|j| affine_place(j, self.linear, k));
        places().for_each(|place| rest[place] = 0.0);
        let squares = self.functions.map(|x| x * x);
        let mut variances = squares * DMatrix::from_column_slice(k, d, &rest);
        for (j, place) in places().enumerate() {
            let field = self.affine_field(j);
            variances += field.map(|x| x * x) * of_coefficients[place];
        }
        (variances.transpose() * k as f64).as_slice().to_vec()
    }

    /// The (k, d) field of one turned affine displacement.
    fn affine_field(&self, j: usize) -> DMatrix<f64> {
        let column = self.turned.column(j);
        let block = DMatrix::from_column_slice(self.linear, self.channels, column.as_slice());
        self.functions.columns(1, self.linear) * block
    }

    /// Replaces the coefficients of linear functions by what `turn` makes of them.
    fn turn(&self, coefficients: &mut [f64], turn: impl Fn(&DMatrix<f64>, &DMatrix<f64>) -> DMatrix<f64>) {
        let k = self.points();
        let places: Vec<usize> =
            (0..self.linear * self.channels).map(|j| affine_place(j, self.linear, k)).collect();
        let block = DMatrix::from_iterator(places.len(), 1, places.iter().map(|&place| coefficients[place]));
        let turned = turn(&self.turned, &block);
        places.iter().zip(turned.iter()).for_each(|(&place, x)| coefficients[place] = *x);
    }
}

/// Where the j-th product of a linear function and a coordinate stands among all coefficients.
fn affine_place(j: usize, linear: usize, k: usize) -> usize {
    (j / linear) * k + 1 + j % linear
}

/// Orthonormal functions on the landmarks, and how many of them are linear.
fn functions(centred: &DMatrix<f64>) -> (DMatrix<f64>, usize) {
    let (k, d) = centred.shape();
    let svd = centred.clone().svd(true, false);
    let largest = svd.singular_values.max();
    let mut columns = vec![nalgebra::DVector::from_element(k, 1.0)];
    if let Some(u) = &svd.u {
        let kept = (0..svd.singular_values.len()).filter(|&j| svd.singular_values[j] > FLAT * largest);
        columns.extend(kept.map(|j| u.column(j).into_owned()));
    }
    let linear = columns.len() - 1;
    let mut functions = completed(DMatrix::from_columns(&columns));
    let first = 1 + linear;
    if first < k {
        let rest = functions.columns(first, k - first).into_owned();
        let eigen = SymmetricEigen::new(rest.transpose() * kernel(centred, d) * &rest);
        let mut order: Vec<usize> = (0..k - first).collect();
        order.sort_by(|&i, &j| eigen.eigenvalues[j].total_cmp(&eigen.eigenvalues[i]));
        functions
            .columns_mut(first, k - first)
            .copy_from(&(rest * eigen.eigenvectors.select_columns(&order)));
    }
    (functions, linear)
}

/// The thin-plate spline's kernel between landmarks: positive definite on what is orthogonal to linear functions.
fn kernel(centred: &DMatrix<f64>, d: usize) -> DMatrix<f64> {
    let k = centred.nrows();
    DMatrix::from_fn(k, k, |i, j| {
        let square = (centred.row(i) - centred.row(j)).norm_squared();
        match d {
            _ if square == 0.0 => 0.0,
            2 => 0.5 * square * square.ln(),
            _ => -square.sqrt(),
        }
    })
}

/// Orthonormal columns for the products of linear functions and coordinates: what scales and turns the shape first. And how many do.
fn turned(along: &DMatrix<f64>) -> (DMatrix<f64>, usize) {
    let (linear, d) = along.shape();
    if linear == 0 {
        return (DMatrix::zeros(0, 0), 0);
    }
    let mut rigid = vec![along.clone()];
    for a in 0..d {
        for b in 0..a {
            let mut spun = DMatrix::zeros(linear, d);
            spun.set_column(a, &along.column(b));
            spun.set_column(b, &-along.column(a));
            rigid.push(spun);
        }
    }
    let size = linear * d;
    let count = rigid.len().min(size);
    let columns: Vec<_> =
        rigid[..count].iter().map(|field| nalgebra::DVector::from_column_slice(field.as_slice())).collect();
    (completed(DMatrix::from_columns(&columns)), count)
}

/// An orthogonal matrix whose first columns span, one after the other, what these span.
fn completed(columns: DMatrix<f64>) -> DMatrix<f64> {
    let rows = columns.nrows();
    let mut transposed = DMatrix::identity(rows, rows);
    columns.qr().q_tr_mul(&mut transposed);
    transposed.transpose()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::function::Basis;

    fn shape(k: usize, d: usize) -> DMatrix<f64> {
        DMatrix::from_fn(k, d, |i, j| ((i * (j + 2) * 37 + 11 * j * j + i * i) % 101) as f64 / 50.0)
    }

    #[test]
    fn isometry_inverse_and_variances() {
        for (k, d) in [(6, 2), (10, 3), (4, 3), (3, 2)] {
            let basis = Basis::of_landmarks(&shape(k, d));
            let values: Vec<f64> = (0..k * d).map(|i| ((i * 37) % 101) as f64 / 50.0 - 1.0).collect();
            let c = basis.analyse(&values);
            let norm = values.iter().map(|x| x * x).sum::<f64>() / k as f64;
            approx::assert_relative_eq!(c.iter().map(|x| x * x).sum::<f64>(), norm, max_relative = 1e-12);
            for (a, b) in basis.synthesize(&c).iter().zip(&values) {
                approx::assert_abs_diff_eq!(a, b, epsilon = 1e-12);
            }
            let variances: Vec<f64> = (0..basis.len()).map(|i| 0.1 + ((i * 37) % 11) as f64).collect();
            let mut expected = vec![0.0; basis.len()];
            for (i, v) in variances.iter().enumerate() {
                let mut one = vec![0.0; basis.len()];
                one[i] = v.sqrt();
                expected.iter_mut().zip(basis.synthesize(&one)).for_each(|(e, x)| *e += x * x);
            }
            for (found, expected) in basis.variances(&variances).iter().zip(expected) {
                approx::assert_relative_eq!(*found, expected, max_relative = 1e-10);
            }
        }
    }

    /// Scaled, turned or moved as a whole, a shape is expected to have nothing; there are d + 1 + d(d - 1)/2 such places.
    #[test]
    fn what_moves_the_whole_shape_stands_apart() {
        for (k, d) in [(7, 2), (9, 3)] {
            let shape = shape(k, d);
            let basis = Basis::of_landmarks(&shape);
            let nothing: Vec<bool> = (0..basis.len()).map(|i| basis.place(i).frequency > 100.0).collect();
            assert_eq!(nothing.iter().filter(|x| **x).count(), d + 1 + d * (d - 1) / 2);
            let mut centred = shape.clone();
            let mean = centred.row_mean();
            centred.row_iter_mut().for_each(|mut row| row -= &mean);
            let mut turn = DMatrix::zeros(d, d);
            (turn[(0, 1)], turn[(1, 0)]) = (1.0, -1.0);
            let moved = DMatrix::from_fn(k, d, |_, j| j as f64 + 1.0);
            for field in [&centred * 0.3, &centred * &turn, moved] {
                let c = basis.analyse(field.transpose().as_slice());
                let inside: f64 = c.iter().zip(&nothing).filter(|(_, n)| !**n).map(|(c, _)| c * c).sum();
                assert!(inside < 1e-20, "{inside}");
            }
        }
    }

    /// Bending energy rises with the rank: of a regular grid the first warps are the slow waves.
    #[test]
    fn warps_come_by_rising_bending_energy() {
        let grid = DMatrix::from_fn(25, 2, |i, j| if j == 0 { (i % 5) as f64 } else { (i / 5) as f64 });
        let warps = Warps::new(&grid);
        let kernel = kernel(&grid, 2);
        let energies: Vec<f64> = (3..25)
            .map(|i| (warps.functions.column(i).transpose() * &kernel * warps.functions.column(i))[(0, 0)])
            .collect();
        assert!(energies.is_sorted_by(|a, b| *a >= *b - 1e-9) && energies.iter().all(|e| *e > 0.0));
        // The roughest changes its sign between neighbours.
        let last = warps.functions.column(24);
        assert!((0..24).filter(|i| i % 5 != 4).all(|i| last[i] * last[i + 1] < 0.0));
    }

    #[test]
    fn flat_and_degenerate_shapes_have_a_basis_too() {
        let flat = DMatrix::from_fn(6, 3, |i, j| if j == 2 { 0.0 } else { ((i * i * (j + 1)) % 7) as f64 });
        let same = DMatrix::from_element(5, 2, 1.0);
        let line = DMatrix::from_fn(5, 2, |i, j| i as f64 * (1.0 + j as f64));
        for shape in [flat, same, line] {
            let basis = Basis::of_landmarks(&shape);
            let values: Vec<f64> = (0..basis.len()).map(|i| (i as f64).sin()).collect();
            for (a, b) in basis.synthesize(&basis.analyse(&values)).iter().zip(&values) {
                approx::assert_abs_diff_eq!(a, b, epsilon = 1e-11);
            }
        }
    }
}
