//! Orthonormal bases for vector-valued functions on a circle, an interval, a disk or a set of landmarks.

mod domain;
mod grid;
mod landmarks;
mod outlines;
mod spectral;
#[cfg(test)]
mod tests;

pub use domain::Domain;

use super::shrink::SpectralPlace;
use grid::Grid;
use landmarks::Warps;
use nalgebra::DMatrix;
use outlines::Outlines;
use spectral::Spectral;

/// The isometry between samples `(points, channels)` with ‖F‖² = (1/points) Σ |F|² and coefficients with Σ c².
///
/// On grids ([`Basis::new`]): along closed curves the real Fourier basis; along an interval orthonormal cosines. Across the curves of a
/// disk, for every angular frequency k on its own, the eigenvectors of ∫ (u′² + k²u²/r²) dr: their eigenvalues are squared local frequencies
/// on the disk, so that functions smooth *on the disk* (which near its centre have low angular frequencies only) have few
/// large coefficients. On landmarks ([`Basis::of_landmarks`]): affine displacements of a configuration, then its principal warps. White noise
/// on the coefficients is white noise on the samples.
#[derive(Debug, Clone)]
pub struct Basis(Kind);

#[derive(Debug, Clone)]
enum Kind {
    Grid(Grid),
    Outlines(Outlines),
    Warps(Warps),
    Spectral(Spectral),
}

impl Basis {
    /// For deviations of faces, (J, m) curves in ℝ³, which are nearly mirror-symmetric in x if the template is.
    pub fn of_faces(curves: usize, samples: usize, symmetric: bool) -> Self {
        let basis = Self::new(Domain::Disk { curves, samples }, 3);
        if symmetric { basis.with_mirror(0) } else { basis }
    }

    /// For functions on `domain` with values in ℝ^channels.
    pub fn new(domain: Domain, channels: usize) -> Self {
        Self(Kind::Grid(Grid::new(domain, channels)))
    }

    /// For displacements of a shape's landmarks that have no order, by how little they bend it (Bookstein 1989): the directions in which it
    /// stretches and shears, then its principal warps by rising bending energy, in every coordinate. The rows of `shape` are the landmarks,
    /// its columns the coordinates: public, or released. Frequencies are made of ranks, so that they depend on the numbers of landmarks and
    /// coordinates only. What moves, turns or scales the whole shape, which no tangent vector of a shape space does, comes last and is
    /// expected to be nothing.
    pub fn of_landmarks(shape: &DMatrix<f64>) -> Self {
        Self(Kind::Warps(Warps::new(shape)))
    }

    /// For displacements of landmarks that go around closed outlines, in order: one outline after the other, as many `points` on each. Each has its
    /// own Fourier basis.
    pub fn of_outlines(outlines: usize, points: usize, channels: usize) -> Self {
        Self(Kind::Outlines(Outlines::new(outlines, points, channels)))
    }

    /// For vectors of `count` coordinates in an orthonormal frame, of which nothing is known in advance: one sample with so many channels, each
    /// coordinate its own coefficient, all expected alike. The squared norm of the samples is that of the vector.
    pub fn of_coordinates(count: usize) -> Self {
        Self::new(Domain::Circle { samples: 1 }, count)
    }

    /// For coefficients of a function in ℝ³ by the first eigenfunctions of a surface, which have these frequencies
    /// ([`Harmonics`](super::Harmonics)): one sample with so many channels, `(functions, 3)`, each its own coefficient. Their squared norm is
    /// the mean square of the function over the area.
    pub fn of_harmonics(frequencies: &[f64]) -> Self {
        Self(Kind::Spectral(Spectral::new(frequencies)))
    }

    /// Tells functions that are symmetric under the mirror of the disk, t ↦ ½ − t, with a change of sign in `channel` (for a
    /// face: x), from antisymmetric ones. The functions stay the same; landmarks know no mirror.
    pub fn with_mirror(self, channel: usize) -> Self {
        match self.0 {
            Kind::Grid(grid) => Self(Kind::Grid(grid.with_mirror(channel))),
            other => Self(other),
        }
    }

    /// Calls every local frequency ν of a grid by another one, `of`(ν), rising and 0 at 0: whoever knows how smooth functions are says so by
    /// this, in terms of the one spectrum that norms and shrinkage expect. The functions stay the same; landmarks have ranks for frequencies.
    pub fn with_frequencies(self, of: impl Fn(f64) -> f64) -> Self {
        match self.0 {
            Kind::Grid(grid) => Self(Kind::Grid(grid.with_frequencies(of))),
            other => Self(other),
        }
    }

    /// Number of sample points.
    pub fn points(&self) -> usize {
        match &self.0 {
            Kind::Grid(grid) => grid.points(),
            Kind::Outlines(outlines) => outlines.points(),
            Kind::Warps(warps) => warps.points(),
            Kind::Spectral(_) => 1,
        }
    }

    /// Number of coefficients: points × channels.
    pub fn len(&self) -> usize {
        match &self.0 {
            Kind::Grid(grid) => grid.len(),
            Kind::Outlines(outlines) => outlines.len(),
            Kind::Warps(warps) => warps.len(),
            Kind::Spectral(spectral) => spectral.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What is known beforehand of the coefficient in place `i`; with a mirror, symmetric ones are of class 0 and
    /// antisymmetric ones of class 1.
    pub fn place(&self, i: usize) -> SpectralPlace {
        match &self.0 {
            Kind::Grid(grid) => grid.place(i),
            Kind::Outlines(outlines) => outlines.place(i),
            Kind::Warps(warps) => warps.place(i),
            Kind::Spectral(spectral) => spectral.place(i),
        }
    }

    /// Coefficients of samples `(points, channels)`; on grids ordered by channel, radial, angular place.
    pub fn analyse(&self, values: &[f64]) -> Vec<f64> {
        match &self.0 {
            Kind::Grid(grid) => grid.analyse(values),
            Kind::Outlines(outlines) => outlines.analyse(values),
            Kind::Warps(warps) => warps.analyse(values),
            Kind::Spectral(_) => values.to_vec(),
        }
    }

    /// Samples `(points, channels)` of the function with these coefficients.
    pub fn synthesize(&self, coefficients: &[f64]) -> Vec<f64> {
        match &self.0 {
            Kind::Grid(grid) => grid.synthesize(coefficients),
            Kind::Outlines(outlines) => outlines.synthesize(coefficients),
            Kind::Warps(warps) => warps.synthesize(coefficients),
            Kind::Spectral(_) => coefficients.to_vec(),
        }
    }

    /// The variance of each sample `(points, channels)` of a function whose coefficients are independent with these variances.
    pub fn variances(&self, of_coefficients: &[f64]) -> Vec<f64> {
        match &self.0 {
            Kind::Grid(grid) => grid.variances(of_coefficients),
            Kind::Outlines(outlines) => outlines.variances(of_coefficients),
            Kind::Warps(warps) => warps.variances(of_coefficients),
            Kind::Spectral(_) => of_coefficients.to_vec(),
        }
    }
}
