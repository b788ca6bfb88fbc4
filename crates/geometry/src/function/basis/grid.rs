//! Fourier functions and cosines on grids, and what is smooth on a disk.

use super::domain::Domain;
use crate::function::circle::Fourier;
use crate::function::shrink::SpectralPlace;
use nalgebra::DMatrix;

/// The isometry between samples `(points, channels)` with ‖F‖² = (1/points) Σ |F|² and coefficients with Σ c².
///
/// Along closed curves the real Fourier basis; along an interval orthonormal cosines. Across the curves of a disk, for every
/// angular frequency k on its own, the eigenvectors of ∫ (u′² + k²u²/r²) dr: their eigenvalues are squared local frequencies
/// on the disk, so that functions smooth *on the disk* (which near its centre have low angular frequencies only) have few
/// large coefficients. White noise on the coefficients is white noise on the samples.
#[derive(Debug, Clone)]
pub(super) struct Grid {
    curves: usize,
    channels: usize,
    fourier: Fourier,
    /// For every angular frequency: rows are orthonormal functions of the curve, roughest last.
    across: Vec<DMatrix<f64>>,
    /// For every angular frequency and row: local frequency, in cycles around the border of the disk (or along the curve).
    roughness: Vec<Vec<f64>>,
    /// The channel that changes its sign in the mirror, where there is one.
    mirror: Option<usize>,
}

impl Grid {
    /// For functions on `domain` with values in ℝ^channels.
    pub(super) fn new(domain: Domain, channels: usize) -> Self {
        let (curves, samples) = domain.shape();
        let frequencies = samples / 2 + 1;
        let (across, roughness) = (0..frequencies).map(|k| radial_functions(curves, k)).unzip();
        Self { curves, channels, fourier: Fourier::new(samples), across, roughness, mirror: None }
    }

    /// Tells functions that are symmetric under the mirror of the disk, t ↦ ½ − t, with a change of sign in `channel` (for a
    /// face: x), from antisymmetric ones. The functions stay the same.
    pub(super) fn with_mirror(mut self, channel: usize) -> Self {
        self.mirror = Some(channel);
        self
    }

    /// Calls every local frequency ν by another one, `of`(ν): the functions stay the same, what is expected of them does not.
    pub(super) fn with_frequencies(mut self, of: impl Fn(f64) -> f64) -> Self {
        self.roughness.iter_mut().flatten().for_each(|frequency| *frequency = of(*frequency));
        self
    }

    /// Number of sample points.
    pub(super) fn points(&self) -> usize {
        self.curves * self.fourier.samples()
    }

    /// Number of coefficients: points × channels.
    pub(super) fn len(&self) -> usize {
        self.channels * self.curves * self.fourier.samples()
    }

    /// What is known beforehand of the coefficient in place `i`; with a mirror, symmetric ones are of class 0 and
    /// antisymmetric ones of class 1.
    pub(super) fn place(&self, i: usize) -> SpectralPlace {
        let m = self.fourier.samples();
        let (channel, within) = (i / (self.curves * m), i % (self.curves * m));
        let frequency = Fourier::frequency(within % m);
        let on_a_disk = self.curves > 1 && m > 1;
        SpectralPlace {
            class: self.mirror.map_or(0, |odd| usize::from(changes_sign(within % m) != (channel == odd))),
            channel,
            frequency: self.roughness[frequency][within / m],
            angular: if on_a_disk { frequency as f64 } else { 0.0 },
        }
    }

    /// Coefficients, ordered by channel, radial, angular place, of samples `(points, channels)`.
    pub(super) fn analyse(&self, values: &[f64]) -> Vec<f64> {
        let (jn, m, n) = (self.curves, self.fourier.samples(), self.channels);
        let mut out = vec![0.0; self.len()];
        let scale = 1.0 / (jn as f64).sqrt();
        let (mut along, mut sums) = (vec![0.0; jn * m], vec![0.0; jn]);
        for k in 0..n {
            for (j, along) in along.chunks_exact_mut(m).enumerate() {
                let f: Vec<f64> = (0..m).map(|l| scale * values[n * (j * m + l) + k]).collect();
                along.copy_from_slice(&self.fourier.analyse(&f));
            }
            for i in 0..m {
                sums.fill(0.0);
                // Column by column: the functions' values at one radius stand side by side.
                let functions = &self.across[Fourier::frequency(i)];
                for (j, column) in functions.as_slice().chunks_exact(jn).enumerate() {
                    let c = along[j * m + i];
                    sums.iter_mut().zip(column).for_each(|(sum, u)| *sum += u * c);
                }
                sums.iter().enumerate().for_each(|(a, sum)| out[(k * jn + a) * m + i] = *sum);
            }
        }
        out
    }

    /// Samples `(points, channels)` of the function with these coefficients.
    pub(super) fn synthesize(&self, coefficients: &[f64]) -> Vec<f64> {
        let (jn, m, n) = (self.curves, self.fourier.samples(), self.channels);
        let mut out = vec![0.0; self.len()];
        let scale = (jn as f64).sqrt();
        let (mut along, mut place) = (vec![0.0; jn * m], vec![0.0; jn]);
        for k in 0..n {
            for i in 0..m {
                place
                    .iter_mut()
                    .enumerate()
                    .for_each(|(a, c)| *c = scale * coefficients[(k * jn + a) * m + i]);
                let functions = &self.across[Fourier::frequency(i)];
                for (j, column) in functions.as_slice().chunks_exact(jn).enumerate() {
                    along[j * m + i] = column.iter().zip(&place).map(|(u, c)| u * c).sum();
                }
            }
            for (j, along) in along.chunks_exact(m).enumerate() {
                for (l, value) in self.fourier.synthesize(along).into_iter().enumerate() {
                    out[n * (j * m + l) + k] = value;
                }
            }
        }
        out
    }
}

impl Grid {
    /// The variance of each sample `(points, channels)` of a function whose coefficients are independent with these variances.
    pub(super) fn variances(&self, of_coefficients: &[f64]) -> Vec<f64> {
        let (jn, m, n) = (self.curves, self.fourier.samples(), self.channels);
        let mut out = vec![0.0; self.len()];
        for (k, channel) in of_coefficients.chunks_exact(jn * m).enumerate() {
            for j in 0..jn {
                let square =
                    |i: usize, a: usize| jn as f64 * self.across[Fourier::frequency(i)][(a, j)].powi(2);
                let c: Vec<f64> =
                    (0..m).map(|i| (0..jn).map(|a| square(i, a) * channel[a * m + i]).sum()).collect();
                for (l, variance) in self.fourier.variances(&c).into_iter().enumerate() {
                    out[n * (j * m + l) + k] = variance;
                }
            }
        }
        out
    }
}

/// Whether a Fourier basis function changes its sign under t ↦ ½ − t, the mirror of a disk about its vertical diameter.
fn changes_sign(i: usize) -> bool {
    let (odd, sine) = (Fourier::frequency(i) % 2 == 1, i > 0 && i.is_multiple_of(2));
    odd != sine
}

/// Orthonormal functions of J equally spaced radii for angular frequency k (rows, smoothest first), and their local
/// frequencies: the square roots of the eigenvalues of ∫ (u′² + k²u²/r²) dr on r = 1/J, …, 1.
fn radial_functions(curves: usize, k: usize) -> (DMatrix<f64>, Vec<f64>) {
    let step = 1.0 / curves as f64;
    let mut energy = DMatrix::<f64>::zeros(curves, curves);
    for j in 0..curves {
        let r = (j + 1) as f64 * step;
        energy[(j, j)] += (k as f64 / r).powi(2);
        if j + 1 < curves {
            let stiffness = 1.0 / (step * step);
            energy[(j, j)] += stiffness;
            energy[(j + 1, j + 1)] += stiffness;
            energy[(j, j + 1)] -= stiffness;
            energy[(j + 1, j)] -= stiffness;
        }
    }
    let eigen = nalgebra::SymmetricEigen::new(energy);
    let mut order: Vec<usize> = (0..curves).collect();
    order.sort_by(|&a, &b| eigen.eigenvalues[a].total_cmp(&eigen.eigenvalues[b]));
    let rows = DMatrix::from_fn(curves, curves, |a, j| eigen.eigenvectors[(j, order[a])]);
    let roughness = order.iter().map(|&a| eigen.eigenvalues[a].max(0.0).sqrt()).collect();
    (rows, roughness)
}
