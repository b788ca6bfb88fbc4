//! A centre of shapes that needs none: the mean of their outer products.

use crate::function::circle::Fourier;
use crate::function::shrink::{Shrunk, empirical_bayes};
use crate::manifold::LandmarkShapes;
use crate::mechanism::MechanismError;
use crate::mechanism::manifold::CentreStatistic;
use crate::privacy::Mu;
use nalgebra::{Complex, DMatrix, DVector, SymmetricEigen};
use std::f64::consts::SQRT_2;

/// Eigenvalues count as seen from this much above the noise's own.
const ABOVE: f64 = 1.01;
/// The largest eigenvalue of m × m noise is beyond 2t(1 + this · m^(−2/3)) with a probability of about .025 in space, less in the plane (half the quantile
/// 1.454 of the Tracy–Widom law of real symmetric matrices): a centre that is not beyond it may be noise.
const CERTAIN: f64 = 0.727;
/// No shape is farther from another than π/2.
const MOST_ERROR: f64 = std::f64::consts::FRAC_PI_2 * std::f64::consts::FRAC_PI_2;

/// The mean over people of B'zz*B, z a shape and B a public orthonormal basis of functions on the landmarks, in coordinates of an orthonormal
/// basis of the matrices: complex Hermitian in the plane (z ∈ ℂᵏ), real symmetric in space (the Gram matrix of z ∈ ℝ^(k × 3)). A person of
/// several shapes has the mean of theirs. It needs no centre: rotations of z leave it as it is.
///
/// Both are positive semidefinite of trace at most 1, so for any two of them ‖G − G′‖² = ‖G‖² + ‖G′‖² − 2⟨G, G′⟩ ≤ 2 in the Frobenius norm
/// (⟨G, G′⟩ ≥ 0), attained by orthogonal ones of rank one; a missing record counts as 0, which is nearer to either. In the plane the leading
/// eigenvector is the full Procrustes mean (Kent 1994), handedness included. In space the three leading eigenvectors, each times the root of
/// its eigenvalue, are the centre up to a reflection; below the edge of the noise's own eigenvalues the third is taken for 0. A flat centre
/// is no worse: log_p shows how thick shapes are, for which of two mirror images a flat p is of does not matter.
#[derive(Debug, Clone)]
pub struct ShapeMoment {
    space: LandmarkShapes,
    /// (k, m): orthonormal columns, orthogonal to constants.
    basis: DMatrix<f64>,
    /// Of each of these, where they are waves along an outline.
    frequencies: Option<Vec<f64>>,
    /// The noise that there will be.
    sigma: f64,
}

/// A public shape: points of a circle, or of a curve once around in space.
pub fn anywhere(space: &LandmarkShapes) -> DMatrix<f64> {
    let (k, d) = (space.landmarks(), space.dimensions());
    let angle = |i: usize| std::f64::consts::TAU * i as f64 / k as f64;
    let shape = DMatrix::from_fn(k, d, |i, j| match j {
        0 => angle(i).cos(),
        1 => angle(i).sin(),
        _ => 0.5 * (2.0 * angle(i)).cos(),
    });
    space.preshape(&shape).map_or(shape, |(p, _)| p)
}

impl ShapeMoment {
    /// Of n people at budget `mu`. Of outlines, frequencies are looked at that the public spectrum lets stand out of the noise.
    pub fn new(space: LandmarkShapes, outlines: usize, n: u64, mu: Mu) -> Self {
        let sigma = SQRT_2 / (n as f64 * mu.get());
        let k = space.landmarks();
        let (basis, frequencies) = match outlines {
            0 => (differences(k), None),
            _ => {
                let (waves, frequencies) = waves(k / outlines, outlines, sigma);
                (waves, Some(frequencies))
            }
        };
        Self { space, basis, frequencies, sigma }
    }

    /// Whether a centre that was read off is flat, though shapes are spatial.
    pub fn is_flat(centre: &DMatrix<f64>) -> bool {
        centre.ncols() > 2 && centre.clone().singular_values().min() < 1e-9
    }

    fn size(&self) -> usize {
        self.basis.ncols()
    }

    fn in_plane(&self) -> bool {
        self.space.dimensions() == 2
    }

    /// Adds a shape's symmetric part, and in the plane its antisymmetric part.
    fn add(&self, z: &DMatrix<f64>, weight: f64, even: &mut DMatrix<f64>, odd: &mut DMatrix<f64>) {
        let w = self.basis.tr_mul(z);
        let columns: Vec<DVector<f64>> = w.column_iter().map(|c| c.into_owned()).collect();
        columns.iter().for_each(|x| even.ger(weight, x, x, 1.0));
        if let [x, y] = &columns[..] {
            odd.ger(weight, y, x, 1.0);
            odd.ger(-weight, x, y, 1.0);
        }
    }

    /// The Hermitian matrix (real and imaginary part) with these coordinates.
    fn unpacked(&self, noised: &[f64]) -> (DMatrix<f64>, DMatrix<f64>) {
        let m = self.size();
        let (mut even, mut odd) = (DMatrix::zeros(m, m), DMatrix::zeros(m, m));
        let mut next = noised.iter().copied();
        let mut number = || next.next().unwrap_or(0.0);
        for j in 0..m {
            even[(j, j)] = number();
            for i in 0..j {
                let x = number() / SQRT_2;
                (even[(i, j)], even[(j, i)]) = (x, x);
                if self.in_plane() {
                    let y = number() / SQRT_2;
                    (odd[(i, j)], odd[(j, i)]) = (y, -y);
                }
            }
        }
        (even, odd)
    }

    /// What noise whose spectrum ends at twice `edge` hardly reaches.
    fn certain(&self, edge: f64) -> f64 {
        2.0 * edge * (1.0 + CERTAIN * (self.size() as f64).powf(-2.0 / 3.0))
    }

    /// The leading eigenvector, and its expected squared error. Along outlines noise is shrunk by frequency.
    fn planar(&self, even: &DMatrix<f64>, odd: &DMatrix<f64>) -> (DMatrix<f64>, f64) {
        let m = self.size();
        let eigen = even.zip_map(odd, Complex::new).symmetric_eigen();
        let leading = eigen.eigenvalues.imax();
        let w = eigen.eigenvectors.column(leading);
        let parts: Vec<f64> = w.iter().map(|z| z.re).chain(w.iter().map(|z| z.im)).collect();
        // To the first order the noise of the matrix's column over the eigenvalue, which is near 1 where all records are whole.
        let edge = self.sigma * (m as f64).sqrt();
        let y = eigen.eigenvalues[leading];
        let size = if y > 2.0 * ABOVE * edge { 0.5 * (y + (y * y - 4.0 * edge * edge).sqrt()) } else { edge };
        let variance = 0.5 * (self.sigma / size).powi(2);
        let shrunk = match &self.frequencies {
            None => Shrunk::unshrunk(&parts, |_| variance),
            Some(of) => empirical_bayes(&parts, |_| variance, |i| (i / m, of[i % m])),
        };
        // An eigenvector that does not stand out of the noise tells nothing.
        let error = if y > self.certain(edge) { shrunk.errors.iter().sum() } else { MOST_ERROR };
        (&self.basis * DMatrix::from_column_slice(m, 2, &shrunk.values), error)
    }

    fn spatial(&self, even: DMatrix<f64>) -> (DMatrix<f64>, f64) {
        let m = self.size();
        let eigen = SymmetricEigen::new(even);
        let mut order: Vec<usize> = (0..m).collect();
        order.sort_by(|&i, &j| eigen.eigenvalues[j].total_cmp(&eigen.eigenvalues[i]));
        let edge = self.sigma * (0.5 * m as f64).sqrt();
        let (mut w, mut error, mut total) = (DMatrix::zeros(m, 3), 0.0, 0.0);
        // What does not stand out of the noise tells nothing.
        let seen = order.first().is_some_and(|&i| eigen.eigenvalues[i] > self.certain(edge));
        for (j, &i) in order.iter().take(3).enumerate() {
            let y = eigen.eigenvalues[i];
            let size = match y {
                seen if seen > 2.0 * ABOVE * edge => 0.5 * (y + (y * y - 4.0 * edge * edge).sqrt()),
                // Two directions a centre needs.
                _ if j < 2 => 0.5 * y.max(edge),
                _ => 0.0,
            };
            w.set_column(j, &(eigen.eigenvectors.column(i) * size.sqrt()));
            // The noise of a column of the matrix turns the eigenvector by that over its eigenvalue; never by more than a right angle.
            let turned = 0.5 * m as f64 * self.sigma * self.sigma;
            error += if size > 0.0 { (turned / size).min(size) } else { 0.0 };
            total += size;
        }
        // The centre has norm 1, whatever share of the records is whole.
        (&self.basis * w, if seen { error / total } else { MOST_ERROR })
    }

    /// The shape that noised coordinates tell, and its expected squared error as far as they tell that too.
    pub fn read(&self, noised: &[f64]) -> (DMatrix<f64>, f64) {
        let (even, odd) = self.unpacked(noised);
        let (found, error) = if self.in_plane() { self.planar(&even, &odd) } else { self.spatial(even) };
        match self.space.preshape(&found) {
            Ok((p, _)) => (p, error.min(MOST_ERROR)),
            Err(_) => (anywhere(&self.space), MOST_ERROR),
        }
    }

    /// Which share of the records at least, beyond two standard deviations of the noise, is not in the matrix, whose trace is the share of whole
    /// records: they are incomplete, or cannot be used.
    pub fn share_not_whole(&self, noised: &[f64]) -> f64 {
        let trace = self.unpacked(noised).0.trace();
        (1.0 - trace - 2.0 * self.sigma * (self.size() as f64).sqrt()).clamp(0.0, 1.0)
    }
}

/// An orthonormal basis of what adds up to zero.
fn differences(k: usize) -> DMatrix<f64> {
    // What a reflection that takes constants to the first axis takes the other axes to.
    let mut reflected = DMatrix::identity(k, k);
    DMatrix::from_element(k, 1, 1.0).qr().q_tr_mul(&mut reflected);
    reflected.transpose().columns(1, k - 1).into_owned()
}

/// Waves along each of some outlines of k landmarks, as many as stand out of noise of this size, two frequencies at least; then what moves one outline
/// against another.
fn waves(k: usize, outlines: usize, sigma: f64) -> (DMatrix<f64>, Vec<f64>) {
    let fourier = Fourier::new(k);
    let seen = |i: &usize| {
        let frequency = Fourier::frequency(*i) as f64;
        frequency <= 2.0 || crate::estimate::prior::spectrum(&(0, frequency).into()) > sigma * sigma
    };
    let kept: Vec<usize> = (1..k).filter(seen).collect();
    let wave = |&i: &usize| {
        let mut one = vec![0.0; k];
        one[i] = 1.0 / (k as f64).sqrt();
        fourier.synthesize(&one)
    };
    let own = |curve: usize| {
        let at = move |one: Vec<f64>| {
            DVector::from_fn(k * outlines, |i, _| if i / k == curve { one[i % k] } else { 0.0 })
        };
        kept.iter().map(wave).map(at)
    };
    let against = differences(outlines);
    let apart =
        against.column_iter().map(|c| DVector::from_fn(k * outlines, |i, _| c[i / k] / (k as f64).sqrt()));
    let waves: Vec<DVector<f64>> = (0..outlines).flat_map(own).chain(apart).collect();
    let frequencies = (0..outlines).flat_map(|_| kept.iter().map(|&i| Fourier::frequency(i) as f64));
    (DMatrix::from_columns(&waves), frequencies.chain(std::iter::repeat_n(0.0, outlines - 1)).collect())
}

impl CentreStatistic for ShapeMoment {
    /// A person's shapes; a centre is one.
    type Point = Vec<DMatrix<f64>>;

    fn statistic(&self, records: &[Option<Self::Point>]) -> Result<Vec<f64>, MechanismError> {
        let m = self.size();
        let (mut even, mut odd) = (DMatrix::zeros(m, m), DMatrix::zeros(m, m));
        for own in records.iter().flatten() {
            for z in own {
                // Shapes are checked to 1e-8 only; the bound is for unit norms.
                let weight = 1.0 / (z.norm_squared() * (own.len() * records.len()) as f64);
                self.add(z, weight, &mut even, &mut odd);
            }
        }
        let mut coordinates = Vec::with_capacity(self.coordinates());
        for j in 0..m {
            coordinates.push(even[(j, j)]);
            for i in 0..j {
                coordinates.push(SQRT_2 * even[(i, j)]);
                if self.in_plane() {
                    coordinates.push(SQRT_2 * odd[(i, j)]);
                }
            }
        }
        Ok(coordinates)
    }

    fn coordinates(&self) -> usize {
        let m = self.size();
        if self.in_plane() { m * m } else { m * (m + 1) / 2 }
    }

    fn diameter(&self) -> f64 {
        SQRT_2
    }

    fn bound(&self) -> f64 {
        1.0
    }

    fn centre(&self, noised: &[f64]) -> Self::Point {
        vec![self.read(noised).0]
    }

    /// Riemannian distance; in space the gaps between the three eigenvalues are smaller than the one in the plane.
    fn error(&self, sigma: f64) -> f64 {
        let gap = if self.in_plane() { 1.0 } else { 0.5 };
        (sigma * (self.size() as f64).sqrt() / gap).min(std::f64::consts::FRAC_PI_2)
    }

    /// There always is a release.
    fn useless(&self) -> f64 {
        f64::INFINITY
    }
}
