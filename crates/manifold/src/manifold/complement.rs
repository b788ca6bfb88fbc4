//! Coordinates in the orthogonal complement of a few vectors, without a basis of it.

use nalgebra::{ComplexField, DMatrix};

/// Below this share of its length before, Gram–Schmidt drops a vector as dependent on the ones before it.
pub(super) const DEPENDENT: f64 = 1e-7;

/// Below this share of its length before the projection is rounding error.
pub(super) const NOISE: f64 = 8.0 * f64::EPSILON;

/// The complement in Tᴺ (T = ℝ or ℂ) of k orthonormal vectors, the normals, with the basis that Gram–Schmidt makes of the unit
/// vectors e₁, e₂, … projected onto it.
///
/// Basis vector j has entries in rows j and after only, where it is orthogonal to the normals' entries. So the matrix whose rows
/// are the (conjugated) basis vectors is a product of Givens rotations that reduce the normals to a triangle, row by row from the
/// last to the first: k rotations a row, as stable as rotations are. The k rows whose unit vectors Gram–Schmidt drops (the last,
/// in general), the pivots, fill the triangle.
pub(super) struct Complement<T> {
    /// Rows in the order in which they are rotated into the triangle: pivots, then the others from the last to the first.
    order: Vec<usize>,
    /// For each of these the rotations (cosine, sine) with the rows of the triangle.
    rotations: Vec<Rotation<T>>,
    normals: usize,
}

type Rotation<T> = (f64, T);

impl<T: ComplexField<RealField = f64> + Copy> Complement<T> {
    /// The columns of `normals` are orthonormal.
    pub(super) fn new(normals: &DMatrix<T>) -> Self {
        let k = normals.ncols();
        let mut pivots = Vec::with_capacity(k);
        for _ in 0..k {
            let order = order(normals.nrows(), &pivots);
            let rotations = rotations(normals, &order);
            let dropped = |(row, turns): (&usize, &[Rotation<T>])| {
                // What is left of e_row after Gram–Schmidt.
                let after: f64 = turns.iter().map(|turn| turn.0).product();
                if after > DEPENDENT {
                    return None;
                }
                let before = projected_length(normals, *row);
                (before <= NOISE || after <= DEPENDENT * before).then_some(*row)
            };
            let others = order.iter().zip(rotations.chunks_exact(k)).skip(pivots.len());
            // Broken normals (NaN) drop nothing: any row will do.
            let first = others.filter_map(dropped).min().or_else(|| order.last().copied());
            pivots.extend(first);
        }
        let order = order(normals.nrows(), &pivots);
        Self { rotations: rotations(normals, &order), order, normals: k }
    }

    /// The coordinates of v: one for each row that is no pivot, in ascending order.
    pub(super) fn coordinates(&self, v: &[T]) -> Vec<T> {
        let mut triangle = vec![T::zero(); self.normals];
        let mut out = Vec::with_capacity(self.order.len() - self.normals);
        for (place, (row, turns)) in self.rows().enumerate() {
            let mut x = v[row];
            for (y, (c, s)) in triangle.iter_mut().zip(turns) {
                (*y, x) = (y.scale(*c) + s.conjugate() * x, x.scale(*c) - *s * *y);
            }
            if place >= self.normals {
                out.push(x);
            }
        }
        out.reverse();
        out
    }

    /// The vector with these coordinates; missing ones are 0.
    pub(super) fn vector(&self, coordinates: &[T]) -> Vec<T> {
        let mut triangle = vec![T::zero(); self.normals];
        let mut v = vec![T::zero(); self.order.len()];
        let mut next = coordinates.iter().copied();
        for (place, (row, turns)) in self.rows().enumerate().rev() {
            let coordinate = if place >= self.normals { next.next() } else { None };
            let mut x = coordinate.unwrap_or_else(T::zero);
            for (y, (c, s)) in triangle.iter_mut().zip(turns).rev() {
                (*y, x) = (y.scale(*c) - s.conjugate() * x, x.scale(*c) + *s * *y);
            }
            v[row] = x;
        }
        v
    }

    fn rows(&self) -> impl DoubleEndedIterator<Item = (usize, &[Rotation<T>])> + ExactSizeIterator {
        self.order.iter().copied().zip(self.rotations.chunks_exact(self.normals))
    }
}

/// Pivots first, then the other rows from the last to the first.
fn order(rows: usize, pivots: &[usize]) -> Vec<usize> {
    pivots.iter().copied().chain((0..rows).rev().filter(|row| !pivots.contains(row))).collect()
}

/// The rotations that bring the rows of `normals` into a triangle, one row after another.
fn rotations<T: ComplexField<RealField = f64> + Copy>(
    normals: &DMatrix<T>,
    order: &[usize],
) -> Vec<Rotation<T>> {
    let k = normals.ncols();
    let mut triangle = DMatrix::<T>::zeros(k, k);
    let mut turns = Vec::with_capacity(k * order.len());
    for row in order {
        let mut x = normals.row(*row).into_owned();
        for i in 0..k {
            let (corner, size) = (triangle[(i, i)].real(), x[i].modulus());
            let length = corner.hypot(size);
            let (c, s) =
                if length > 0.0 { (corner / length, x[i].unscale(length)) } else { (1.0, T::zero()) };
            for l in i..k {
                let (y, z) = (triangle[(i, l)], x[l]);
                triangle[(i, l)] = y.scale(c) + s.conjugate() * z;
                x[l] = z.scale(c) - s * y;
            }
            turns.push((c, s));
        }
    }
    turns
}

/// The length of the projection of a unit vector, without cancellation.
fn projected_length<T: ComplexField<RealField = f64> + Copy>(normals: &DMatrix<T>, row: usize) -> f64 {
    let mut projected = normals * normals.row(row).adjoint();
    projected[row] -= T::one();
    projected.norm()
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{Complex, DVector};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Gram–Schmidt on the projected unit vectors, twice each.
    fn gram_schmidt<T: ComplexField<RealField = f64> + Copy>(normals: &DMatrix<T>) -> Vec<DVector<T>> {
        let (rows, k) = normals.shape();
        let mut basis: Vec<DVector<T>> = Vec::new();
        for row in 0..rows {
            let mut v = DVector::<T>::zeros(rows);
            v[row] = T::one();
            v -= normals * normals.ad_mul(&v);
            let before = v.norm();
            if before <= NOISE {
                continue;
            }
            for _ in 0..2 {
                for b in &basis {
                    let c = b.dotc(&v);
                    v -= b * c;
                }
                v -= normals * normals.ad_mul(&v);
            }
            let after = v.norm();
            if basis.len() < rows - k && after > DEPENDENT * before && after > 0.0 {
                basis.push(v.unscale(after));
            }
        }
        basis
    }

    fn agrees<T: ComplexField<RealField = f64> + Copy>(normals: &DMatrix<T>, what: &str) {
        let complement = Complement::new(normals);
        let basis = gram_schmidt(normals);
        assert_eq!(basis.len(), normals.nrows() - normals.ncols(), "{what}");
        for (j, b) in basis.iter().enumerate() {
            let mut unit = vec![T::zero(); basis.len()];
            unit[j] = T::one();
            let error = (DVector::from_vec(complement.vector(&unit)) - b).norm();
            assert!(error < 1e-12, "{what}: vector {j} off by {error:e}");
            let back = DVector::from_vec(complement.coordinates(b.as_slice())) - DVector::from_vec(unit);
            assert!(back.norm() < 1e-12, "{what}: coordinates {j}");
        }
    }

    fn orthonormal<T: ComplexField<RealField = f64>>(x: DMatrix<T>) -> DMatrix<T> {
        x.qr().q()
    }

    #[test]
    fn the_basis_is_that_of_gram_schmidt() {
        let mut rng = ChaCha8Rng::seed_from_u64(31);
        for (rows, k) in [(1, 1), (2, 1), (3, 2), (9, 1), (9, 4), (30, 5)] {
            let mut number = || rng.random::<f64>() - 0.5;
            agrees(&orthonormal(DMatrix::from_fn(rows, k, |_, _| number())), "real");
            agrees(
                &orthonormal(DMatrix::from_fn(rows, k, |_, _| Complex::new(number(), number()))),
                "complex",
            );
        }
    }

    /// Where unit vectors are dropped before the last: axes, vectors that end in zeros or nearly, equal rows.
    #[test]
    fn dependent_unit_vectors_are_dropped_where_gram_schmidt_drops_them() {
        for entries in [
            [1.0, 0.0, 0.0, 0.0, 0.0],
            [0.0, 0.0, 1.0, 0.0, 0.0],
            [0.0, 0.0, 0.0, 0.0, -1.0],
            [0.6, -0.8, 0.0, 0.0, 0.0],
            [0.6, 0.0, -0.8, 1e-12, -1e-13],
            [1.0, 1e-12, 0.0, 1e-13, 0.0],
            [1e-12, 1.0, 1e-3, 0.0, 0.0],
        ] {
            let normal = DVector::from_row_slice(&entries).normalize();
            agrees(&DMatrix::from_columns(&[normal]), &format!("{entries:?}"));
        }
        // Centred complex vectors beside the constant one: the last landmarks coincide, or only two are apart.
        for points in [
            vec![(1.0, 0.0), (0.0, 2.0), (0.5, -1.0), (0.5, -1.0), (0.5, -1.0)],
            vec![(1.0, 1.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0)],
            vec![(0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (1.0, 0.0)],
            vec![(0.0, 0.0), (1.0, 0.0), (0.0, 0.0), (1.0, 0.0), (0.0, 0.0)],
        ] {
            let n = points.len();
            let mut z = DVector::from_fn(n, |j, _| Complex::new(points[j].0, points[j].1));
            let mean = z.mean();
            z.iter_mut().for_each(|z| *z -= mean);
            let constant = DVector::from_element(n, Complex::from(1.0 / (n as f64).sqrt()));
            agrees(&DMatrix::from_columns(&[constant, z.normalize()]), &format!("{points:?}"));
        }
        for (rows, k) in [(4, 1), (6, 3)] {
            agrees(&DMatrix::<f64>::identity(rows, k), "first rows");
            agrees(&DMatrix::from_fn(rows, k, |i, j| f64::from(i + k == j + rows)), "last rows");
        }
    }

    #[test]
    fn broken_normals_do_not_panic() {
        let normals = DMatrix::from_element(4, 2, f64::NAN);
        assert_eq!(Complement::new(&normals).coordinates(&[0.0; 4]).len(), 2);
    }
}
