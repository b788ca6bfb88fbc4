//! Means of bounded vectors that a centre can be read off.

use crate::manifold::{Kendall, Manifold, Sphere, TangentFrame};
use crate::mechanism::MechanismError;
use crate::mechanism::manifold::{PublicBall, largest_radius};
use nalgebra::{Complex, DMatrix, DVector};
use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

/// A mean of bounded vectors, one for each record, from whose noised value a point near the records can be read off.
///
/// What privacy rests on: [`statistic`](Self::statistic) is the mean over all n records of vectors that depend on their own record
/// and public numbers only, of norm at most [`bound`](Self::bound) and at most [`diameter`](Self::diameter) from one another; a
/// missing record counts as a public vector that keeps both.
pub trait CentreStatistic {
    /// A point of the space.
    type Point;

    /// The coordinates of the mean. Not to be shown to anyone.
    ///
    /// # Errors
    /// Geometry that cannot fail for records that have been checked.
    fn statistic(&self, records: &[Option<Self::Point>]) -> Result<Vec<f64>, MechanismError>;

    /// How many coordinates there are.
    fn coordinates(&self) -> usize;

    /// The largest distance between the vectors of two records, in the coordinates' norm.
    fn diameter(&self) -> f64;

    /// The largest norm of a record's vector.
    fn bound(&self) -> f64;

    /// The point read off the noised coordinates: post-processing.
    fn centre(&self, noised: &[f64]) -> Self::Point;

    /// About how far that point lies off for noise of standard deviation `sigma` in every coordinate, in the space's distance.
    fn error(&self, sigma: f64) -> f64;

    /// The error from which on a centre is of no use.
    fn useless(&self) -> f64;
}

/// The mean of z z* over preshapes z, whose leading eigenvector is the full Procrustes mean (Kent 1994), in coordinates of an
/// orthonormal basis of the Hermitian matrices. It needs no centre: the matrix does not change with the rotation of z.
///
/// ‖zz*‖ = 1 and ‖zz* − ww*‖² = 2 − 2|z*w|² ≤ 2, in the Frobenius norm, for any two shapes; a missing record counts as 0, which
/// is nearer to either. Noise σ in every coordinate turns the eigenvector by about σ√(k − 2), first order in σ.
#[derive(Debug, Clone, Copy)]
pub struct ProcrustesStatistic {
    space: Kendall,
}

impl ProcrustesStatistic {
    /// Of shapes of this space.
    pub fn new(space: Kendall) -> Self {
        Self { space }
    }
}

impl CentreStatistic for ProcrustesStatistic {
    type Point = DVector<Complex<f64>>;

    fn statistic(&self, records: &[Option<Self::Point>]) -> Result<Vec<f64>, MechanismError> {
        let k = self.space.landmarks();
        let mut sum = DMatrix::<Complex<f64>>::zeros(k, k);
        for z in records.iter().flatten() {
            self.space.check(z)?;
            // Points are checked to 1e-8 only; the bound is for unit vectors.
            let square: f64 = z.iter().map(|z| z.norm_sqr()).sum();
            sum.gerc(Complex::from(1.0 / (square * records.len() as f64)), z, z, Complex::from(1.0));
        }
        let mut coordinates = Vec::with_capacity(self.coordinates());
        for j in 0..k {
            coordinates.push(sum[(j, j)].re);
            for i in 0..j {
                coordinates.extend([SQRT_2 * sum[(i, j)].re, SQRT_2 * sum[(i, j)].im]);
            }
        }
        Ok(coordinates)
    }

    fn coordinates(&self) -> usize {
        self.space.landmarks().pow(2)
    }

    fn diameter(&self) -> f64 {
        SQRT_2
    }

    fn bound(&self) -> f64 {
        1.0
    }

    fn centre(&self, noised: &[f64]) -> Self::Point {
        let k = self.space.landmarks();
        let mut sum = DMatrix::<Complex<f64>>::zeros(k, k);
        let mut next = noised.iter().copied();
        let mut number = || next.next().unwrap_or(0.0);
        for j in 0..k {
            sum[(j, j)] = Complex::from(number());
            for i in 0..j {
                let (re, im) = (number(), number());
                sum[(i, j)] = Complex::new(re, im) * FRAC_1_SQRT_2;
                sum[(j, i)] = sum[(i, j)].conj();
            }
        }
        // The preshapes are centred: rows and columns that add up to zero hold all of the signal and less of the noise.
        let rows: Vec<Complex<f64>> = sum.row_iter().map(|r| r.sum() / k as f64).collect();
        let all: Complex<f64> = rows.iter().sum::<Complex<f64>>() / k as f64;
        let centred =
            DMatrix::from_fn(k, k, |i, j| sum[(i, j)] - rows[i] - rows[j].conj() + Complex::from(all.re));
        let eigen = centred.symmetric_eigen();
        let leading: Vec<[f64; 2]> =
            eigen.eigenvectors.column(eigen.eigenvalues.imax()).iter().map(|z| [z.re, z.im]).collect();
        self.space.preshape(&leading).unwrap_or_else(|_| any_shape(&self.space))
    }

    fn error(&self, sigma: f64) -> f64 {
        // Beyond half the gap of about 1 the noise has eigenvectors of its own.
        let k = self.space.landmarks() as f64;
        if 2.0 * sigma * (k - 1.0).sqrt() > 0.5 { f64::INFINITY } else { sigma * (k - 2.0).sqrt() }
    }

    fn useless(&self) -> f64 {
        0.5 * largest_radius(&self.space)
    }
}

/// A public shape: the regular polygon.
pub fn any_shape(space: &Kendall) -> DVector<Complex<f64>> {
    let k = space.landmarks();
    let size = 1.0 / (k as f64).sqrt();
    DVector::from_fn(k, |j, _| Complex::from_polar(size, std::f64::consts::TAU * j as f64 / k as f64))
}

/// The mean of directions in the surrounding space, brought back to the sphere. Two unit vectors are at most 2 apart; a missing
/// record counts as 0.
#[derive(Debug, Clone, Copy)]
pub struct DirectionStatistic {
    sphere: Sphere,
}

impl DirectionStatistic {
    /// Of points of this sphere.
    pub fn new(sphere: Sphere) -> Self {
        Self { sphere }
    }
}

impl CentreStatistic for DirectionStatistic {
    type Point = DVector<f64>;

    fn statistic(&self, records: &[Option<DVector<f64>>]) -> Result<Vec<f64>, MechanismError> {
        let mut mean = vec![0.0; self.coordinates()];
        for x in records.iter().flatten() {
            self.sphere.check(x)?;
            let length = x.norm() * records.len() as f64;
            mean.iter_mut().zip(x.iter()).for_each(|(mean, x)| *mean += x / length);
        }
        Ok(mean)
    }

    fn coordinates(&self) -> usize {
        self.sphere.dim() + 1
    }

    fn diameter(&self) -> f64 {
        2.0
    }

    fn bound(&self) -> f64 {
        1.0
    }

    fn centre(&self, noised: &[f64]) -> DVector<f64> {
        let mut x = DVector::from_row_slice(noised);
        let length = x.norm();
        if length.is_nan() || length <= 1e-12 {
            x = DVector::zeros(noised.len());
            x[0] = 1.0;
            return x * self.sphere.radius();
        }
        x * (self.sphere.radius() / length)
    }

    fn error(&self, sigma: f64) -> f64 {
        sigma * (self.sphere.dim() as f64).sqrt() * self.sphere.radius()
    }

    fn useless(&self) -> f64 {
        0.5 * largest_radius(&self.sphere)
    }
}

/// The mean of the logarithms at the centre of a generous public ball, in an orthonormal basis there. Records are projected onto
/// the ball first, so logarithms have norm at most its radius; a missing record counts as its centre. For spaces without
/// bounded coordinates (matrices, hyperbolic points).
#[derive(Debug, Clone)]
pub struct BallStatistic<M: Manifold> {
    ball: PublicBall<M>,
    frame: TangentFrame<M>,
}

impl<M: Manifold> BallStatistic<M> {
    /// Of records in this ball.
    pub fn new(ball: PublicBall<M>) -> Self {
        let frame = TangentFrame::new(ball.manifold().clone(), ball.centre().clone());
        Self { ball, frame }
    }
}

impl<M: Manifold> CentreStatistic for BallStatistic<M> {
    type Point = M::Point;

    fn statistic(&self, records: &[Option<M::Point>]) -> Result<Vec<f64>, MechanismError> {
        let bounded = self.ball.bound(records).points;
        Ok(self.frame.coordinates(&self.ball.manifold().mean_log(self.ball.centre(), &bounded, None)?.log))
    }

    fn coordinates(&self) -> usize {
        self.frame.dim()
    }

    fn diameter(&self) -> f64 {
        2.0 * self.ball.radius().get()
    }

    fn bound(&self) -> f64 {
        self.ball.radius().get()
    }

    fn centre(&self, noised: &[f64]) -> M::Point {
        let (manifold, centre) = (self.ball.manifold(), self.ball.centre());
        let mut v = self.frame.vector(noised);
        // The records lie in the ball, so nothing farther out is a likelier centre.
        let length = manifold.norm(centre, &v);
        let radius = self.ball.radius().get();
        if length > radius {
            v = manifold.scale(radius / length, &v);
        }
        manifold.exp(centre, &v)
    }

    fn error(&self, sigma: f64) -> f64 {
        sigma * (self.frame.dim() as f64).sqrt()
    }

    fn useless(&self) -> f64 {
        self.ball.radius().get()
    }
}
