//! Points and tangent vectors of every space as rows of numbers.

use nalgebra::{Complex, DMatrix, DVector};
use visard::manifold::{
    Kendall, Lorentz, Manifold, ManifoldError, PoincareBall, SpdAffineInvariant, SpdBuresWasserstein,
    SpdLogEuclidean, Sphere,
};
use visard::nalgebra;

/// Points and tangent vectors as rows of numbers.
pub trait Rows: Manifold + 'static {
    /// Numbers in a row.
    fn width(&self) -> usize;
    /// A point that has been checked.
    fn point(&self, row: &[f64]) -> Result<Self::Point, ManifoldError>;
    /// A tangent vector.
    fn tangent(&self, row: &[f64]) -> Self::Tangent;
    /// The numbers of a point.
    fn put_point(&self, p: &Self::Point, to: &mut Vec<f64>);
    /// The numbers of a tangent vector.
    fn put_tangent(&self, v: &Self::Tangent, to: &mut Vec<f64>);
    /// The Fréchet mean, where it has a closed form.
    fn closed_mean(
        &self,
        _points: &[Self::Point],
        _weights: Option<&[f64]>,
    ) -> Option<Result<Self::Point, ManifoldError>> {
        None
    }
}

/// For spaces whose points and tangent vectors are alike.
macro_rules! rows {
    ($($space:ty: $width:expr, $read:expr, $put:expr $(, $mean:expr)?;)+) => {$(
        impl Rows for $space {
            fn width(&self) -> usize {
                ($width)(self)
            }
            fn point(&self, row: &[f64]) -> Result<Self::Point, ManifoldError> {
                let p = self.tangent(row);
                self.check(&p)?;
                Ok(p)
            }
            fn tangent(&self, row: &[f64]) -> Self::Tangent {
                $read(row)
            }
            fn put_point(&self, p: &Self::Point, to: &mut Vec<f64>) {
                $put(p, to);
            }
            fn put_tangent(&self, v: &Self::Tangent, to: &mut Vec<f64>) {
                $put(v, to);
            }
            $(
                fn closed_mean(
                    &self,
                    points: &[Self::Point],
                    weights: Option<&[f64]>,
                ) -> Option<Result<Self::Point, ManifoldError>> {
                    Some($mean(self, points, weights))
                }
            )?
        }
    )+};
}

/// A square matrix, row by row.
fn matrix(row: &[f64]) -> DMatrix<f64> {
    let order = row.len().isqrt();
    DMatrix::from_row_slice(order, order, row)
}

fn put_matrix(p: &DMatrix<f64>, to: &mut Vec<f64>) {
    // Row by row, though it is symmetric: rounding may not be.
    to.extend(p.transpose().iter());
}

fn put_vector(p: &DVector<f64>, to: &mut Vec<f64>) {
    to.extend(p.iter());
}

rows! {
    SpdAffineInvariant: |m: &Self| m.order() * m.order(), matrix, put_matrix;
    SpdLogEuclidean: |m: &Self| m.order() * m.order(), matrix, put_matrix, SpdLogEuclidean::mean;
    SpdBuresWasserstein: |m: &Self| m.order() * m.order(), matrix, put_matrix;
    Sphere: |m: &Self| m.dim() + 1, DVector::from_row_slice, put_vector;
    PoincareBall: Manifold::dim, DVector::from_row_slice, put_vector;
    Lorentz: |m: &Self| m.dim() + 1, DVector::from_row_slice, put_vector;
}

/// A configuration of landmarks stands for its preshape: centred, of unit size, at its own rotation.
impl Rows for Kendall {
    fn width(&self) -> usize {
        2 * self.landmarks()
    }
    fn point(&self, row: &[f64]) -> Result<Self::Point, ManifoldError> {
        let landmarks: Vec<[f64; 2]> = row.chunks_exact(2).map(|xy| [xy[0], xy[1]]).collect();
        self.preshape(&landmarks)
    }
    fn tangent(&self, row: &[f64]) -> Self::Tangent {
        DVector::from_iterator(self.landmarks(), row.chunks_exact(2).map(|xy| Complex::new(xy[0], xy[1])))
    }
    fn put_point(&self, p: &Self::Point, to: &mut Vec<f64>) {
        p.iter().for_each(|z| to.extend([z.re, z.im]));
    }
    fn put_tangent(&self, v: &Self::Tangent, to: &mut Vec<f64>) {
        self.put_point(v, to);
    }
}
