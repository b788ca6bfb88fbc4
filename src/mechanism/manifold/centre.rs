//! A rough centre found privately: the first of two passes, for studies that have no public centre.

use super::{ManifoldMeanError, PublicBall};
use crate::manifold::{Kendall, Manifold, Sphere};
use crate::privacy::noise::{NoiseDescription, NoiseSource};
use crate::privacy::{
    BudgetError, Charge, ClipRadius, ClipSource, Epsilon, L2Sensitivity, Mu, PrivacyLoss, gaussian_sigma,
};
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
    fn statistic(&self, records: &[Option<Self::Point>]) -> Result<Vec<f64>, ManifoldMeanError>;

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
pub struct ProcrustesStatistic<'a> {
    space: &'a Kendall,
}

impl<'a> ProcrustesStatistic<'a> {
    /// Of shapes of this space.
    pub fn new(space: &'a Kendall) -> Self {
        Self { space }
    }
}

impl CentreStatistic for ProcrustesStatistic<'_> {
    type Point = DVector<Complex<f64>>;

    fn statistic(&self, records: &[Option<Self::Point>]) -> Result<Vec<f64>, ManifoldMeanError> {
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
        self.space.preshape(&leading).unwrap_or_else(|_| any_shape(self.space))
    }

    fn error(&self, sigma: f64) -> f64 {
        // Beyond half the gap of about 1 the noise has eigenvectors of its own.
        let k = self.space.landmarks() as f64;
        if 2.0 * sigma * (k - 1.0).sqrt() > 0.5 { f64::INFINITY } else { sigma * (k - 2.0).sqrt() }
    }

    fn useless(&self) -> f64 {
        0.5 * super::largest_radius(self.space)
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
pub struct DirectionStatistic<'a> {
    sphere: &'a Sphere,
}

impl<'a> DirectionStatistic<'a> {
    /// Of points of this sphere.
    pub fn new(sphere: &'a Sphere) -> Self {
        Self { sphere }
    }
}

impl CentreStatistic for DirectionStatistic<'_> {
    type Point = DVector<f64>;

    fn statistic(&self, records: &[Option<DVector<f64>>]) -> Result<Vec<f64>, ManifoldMeanError> {
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
        0.5 * super::largest_radius(self.sphere)
    }
}

/// The mean of the logarithms at the centre of a generous public ball, in an orthonormal basis there. Records are projected onto
/// the ball first, so logarithms have norm at most its radius; a missing record counts as its centre. For spaces without
/// bounded coordinates (matrices, hyperbolic points).
#[derive(Debug)]
pub struct BallStatistic<'a, M: Manifold> {
    ball: PublicBall<'a, M>,
    basis: Vec<M::Tangent>,
}

impl<'a, M: Manifold> BallStatistic<'a, M> {
    /// Of records in this ball.
    pub fn new(ball: PublicBall<'a, M>) -> Self {
        let basis = ball.manifold().basis(ball.centre());
        Self { ball, basis }
    }
}

impl<M: Manifold> CentreStatistic for BallStatistic<'_, M> {
    type Point = M::Point;

    fn statistic(&self, records: &[Option<M::Point>]) -> Result<Vec<f64>, ManifoldMeanError> {
        let (manifold, centre) = (self.ball.manifold(), self.ball.centre());
        let mean = manifold.mean_log(centre, &self.ball.bound(records).points, None)?.log;
        Ok(self.basis.iter().map(|e| manifold.inner(centre, e, &mean)).collect())
    }

    fn coordinates(&self) -> usize {
        self.basis.len()
    }

    fn diameter(&self) -> f64 {
        2.0 * self.ball.radius().get()
    }

    fn bound(&self) -> f64 {
        self.ball.radius().get()
    }

    fn centre(&self, noised: &[f64]) -> M::Point {
        let (manifold, centre) = (self.ball.manifold(), self.ball.centre());
        let mut v = manifold.zero(centre);
        for (c, e) in noised.iter().zip(&self.basis) {
            manifold.axpy(*c, e, &mut v);
        }
        // The records lie in the ball, so nothing farther out is a likelier centre.
        let length = manifold.norm(centre, &v);
        let radius = self.ball.radius().get();
        if length > radius {
            v = manifold.scale(radius / length, &v);
        }
        manifold.exp(centre, &v)
    }

    fn error(&self, sigma: f64) -> f64 {
        sigma * (self.basis.len() as f64).sqrt()
    }

    fn useless(&self) -> f64 {
        self.ball.radius().get()
    }
}

/// A private rough centre, about which a second mechanism then bounds the records by a smaller ball.
///
/// # Proof
/// The statistic is a mean of n vectors of which one changes, by at most the diameter D: Δ₂ = D/n, plus the rounding of the sum.
/// With a budget in μ, Gaussian noise of standard deviation Δ₂/μ on a lattice is μ-GDP; with pure ε, noise of density
/// ∝ exp(−‖x‖ε/Δ₂) is ε-DP by the triangle inequality. The centre is read off the noised coordinates. The second mechanism has its
/// guarantee for *every* centre, so the two compose adaptively (Dong, Roth and Su 2019, Theorem 4; Dwork and Roth 2014,
/// Theorem 3.16): the ledger is charged for both, and the certificate lists both.
#[derive(Debug)]
pub struct PrivateCentre<S> {
    statistic: S,
    loss: CentreLoss,
    sensitivity: L2Sensitivity,
    sigma: f64,
}

#[derive(Debug, Clone, Copy)]
enum CentreLoss {
    Gaussian(Mu),
    Pure(Epsilon),
}

/// A private centre with the noised coordinates it was read off.
#[derive(Debug, Clone)]
pub struct CentreRelease<P> {
    /// The centre.
    pub centre: P,
    /// The noised coordinates: as private as the centre.
    pub values: Vec<f64>,
    /// Their noise, for the certificate.
    pub noise: NoiseDescription,
}

impl<S: CentreStatistic> PrivateCentre<S> {
    /// For n records at `loss`: μ, pure ε, or (ε, δ), for which the largest μ within is taken.
    ///
    /// # Errors
    /// [`ManifoldMeanError::CentreTooRough`] when the noise would leave a centre of no use, a condition on public numbers only;
    /// n = 0; a loss of another kind.
    pub fn new(statistic: S, n: u64, loss: PrivacyLoss) -> Result<Self, ManifoldMeanError> {
        let loss = match loss {
            PrivacyLoss::Gaussian(mu) => CentreLoss::Gaussian(mu),
            PrivacyLoss::Pure(epsilon) => CentreLoss::Pure(epsilon),
            PrivacyLoss::Approximate(epsilon, delta) => CentreLoss::Gaussian(Mu::within(epsilon, delta)?),
            _ => return Err(BudgetError::NoBudget.into()),
        };
        let half = ClipRadius::new(0.5 * statistic.diameter(), ClipSource::Public)?;
        let bound = ClipRadius::new(statistic.bound(), ClipSource::Public)?;
        let sensitivity = L2Sensitivity::of_clipped_mean(half, n)?.plus_float_mean(bound, n)?;
        // Room for rounding in the records' own vectors.
        let sensitivity = L2Sensitivity::new(sensitivity.get() * (1.0 + 1e-9))?;
        let sigma = match loss {
            CentreLoss::Gaussian(mu) => gaussian_sigma(sensitivity, mu)?,
            // E‖x‖² = d(d + 1)b² for the density ∝ exp(−‖x‖/b) on ℝᵈ.
            CentreLoss::Pure(epsilon) => {
                sensitivity.get() / epsilon.get() * (statistic.coordinates() as f64 + 1.0).sqrt()
            }
        };
        let (error, most) = (statistic.error(sigma), statistic.useless());
        if error.is_nan() || error > most {
            return Err(ManifoldMeanError::CentreTooRough { n, error, most });
        }
        Ok(Self { statistic, loss, sensitivity, sigma })
    }

    /// What it costs; known before a record is read.
    pub fn loss(&self) -> PrivacyLoss {
        match self.loss {
            CentreLoss::Gaussian(mu) => PrivacyLoss::Gaussian(mu),
            CentreLoss::Pure(epsilon) => PrivacyLoss::Pure(epsilon),
        }
    }

    /// Δ₂ of the statistic.
    pub fn sensitivity(&self) -> L2Sensitivity {
        self.sensitivity
    }

    /// Standard deviation of the noise in each coordinate.
    pub fn sigma(&self) -> f64 {
        self.sigma
    }

    /// About how far off the centre will be, in the space's distance: to be allowed for in the second pass's radius. Public.
    pub fn expected_error(&self) -> f64 {
        self.statistic.error(self.sigma)
    }

    /// The centre of the records; `None` for a missing one.
    ///
    /// # Errors
    /// When `paid` does not cover the loss; records off the space.
    pub fn draw(
        &self,
        records: &[Option<S::Point>],
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<CentreRelease<S::Point>, ManifoldMeanError> {
        let statistic = self.statistic.statistic(records)?;
        let (values, noise) = match self.loss {
            CentreLoss::Gaussian(mu) => {
                let drawn = noise.gaussian_vector(&statistic, self.sensitivity, mu, paid)?;
                (drawn.values, drawn.noise)
            }
            CentreLoss::Pure(epsilon) => {
                let drawn =
                    noise.isotropic_laplace_vector_idealized(&statistic, self.sensitivity, epsilon, paid)?;
                (drawn.values, drawn.noise)
            }
        };
        Ok(CentreRelease { centre: self.statistic.centre(&values), values, noise })
    }
}
