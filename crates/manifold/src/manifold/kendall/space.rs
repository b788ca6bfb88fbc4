//! Kendall's space of planar shapes.

use super::mean;
use super::preshape::{
    NAME, Preshape, axpy, center, from_helmert, gaussian, helmert, hermitian, norm, phase,
};
use crate::manifold::complement::Complement;
use crate::manifold::error::ManifoldError;
use crate::manifold::space::{CurvatureBounds, Manifold, MeanLog};
use crate::manifold::two_point::TwoPointSpace;
use crate::manifold::volume::Isotropic;
use crate::manifold::weights::first_point;
use crate::numeric::elementary::sinc;
use nalgebra::{Complex, DMatrix};
use rand::Rng;
use std::f64::consts::FRAC_PI_2;

/// Kendall's space of shapes of k planar landmarks: configurations modulo translation, scale and rotation, the complex
/// projective space ℂPᵏ⁻² with the Fubini–Study metric of curvature 1 to 4 (Kendall 1984).
///
/// A point is a preshape: a vector of ℂᵏ, centred, of unit norm; preshapes that differ by a phase are the same shape.
/// A tangent vector is horizontal at the given preshape: v ∈ ℂᵏ, centred, p*v = 0. Distances are the Riemannian
/// (Procrustes) arccos|p*q| ∈ [0, π/2].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kendall {
    landmarks: usize,
}

impl Kendall {
    /// The space of shapes of k ≥ 3 landmarks in the plane.
    ///
    /// # Errors
    /// Fewer than three landmarks.
    pub fn new(landmarks: usize) -> Result<Self, ManifoldError> {
        if landmarks < 3 {
            return Err(ManifoldError::Parameter {
                manifold: NAME,
                parameter: "fewer than three landmarks",
                remedy: "mark at least three",
            });
        }
        Ok(Self { landmarks })
    }

    /// k.
    pub fn landmarks(&self) -> usize {
        self.landmarks
    }

    /// The preshape of a configuration of k landmarks (x, y): centred, scaled to unit norm, not rotated.
    ///
    /// # Errors
    /// The wrong number of landmarks, a coordinate that is not finite, or landmarks that all coincide.
    pub fn preshape(&self, landmarks: &[[f64; 2]]) -> Result<Preshape, ManifoldError> {
        if landmarks.len() != self.landmarks {
            let (expected, found) = (2 * self.landmarks, 2 * landmarks.len());
            return Err(ManifoldError::WrongSize { manifold: NAME, expected, found });
        }
        let largest = landmarks.iter().flatten().fold(0.0_f64, |m, x| m.max(x.abs()));
        if landmarks.iter().flatten().any(|x| !x.is_finite()) {
            return Err(ManifoldError::NotFinite(NAME));
        }
        // Dividing by the largest coordinate first keeps squares from overflowing or vanishing.
        let unit = if largest > 0.0 { largest } else { 1.0 };
        let mut z = Preshape::from_iterator(
            self.landmarks,
            landmarks.iter().map(|[x, y]| Complex::new(x / unit, y / unit)),
        );
        center(&mut z);
        let size = norm(&z);
        // Below this the differences between landmarks are rounding error.
        if size <= 1e-13 {
            return Err(ManifoldError::OffManifold {
                manifold: NAME,
                constraint: "has all its landmarks at one place",
                remedy: "mark it again",
            });
        }
        z /= Complex::from(size);
        center(&mut z);
        let size = norm(&z);
        z /= Complex::from(size);
        Ok(z)
    }

    /// The landmarks (x, y) of a preshape: centred, of unit size, at the preshape's own rotation.
    pub fn configuration(&self, p: &Preshape) -> Vec<[f64; 2]> {
        p.iter().map(|z| [z.re, z.im]).collect()
    }

    /// The preshape of q's shape rotated to match p best: p*q′ > 0.
    ///
    /// # Errors
    /// [`ManifoldError::CutLocus`] for shapes at distance π/2, which every rotation matches equally.
    pub fn align(&self, p: &Preshape, q: &Preshape) -> Result<Preshape, ManifoldError> {
        let phase = phase(hermitian(p, q))?;
        Ok(q.map(|z| z * phase.conj()))
    }
}

/// The horizontal space at p: what is orthogonal to p and centred. Gram–Schmidt on real coordinates gives each complex basis
/// vector and i times it.
fn horizontal(p: &Preshape) -> Complement<Complex<f64>> {
    let constant = Preshape::from_element(p.len(), Complex::from(1.0 / (p.len() as f64).sqrt()));
    Complement::new(&DMatrix::from_columns(&[constant, p.clone()]))
}

impl Manifold for Kendall {
    type Point = Preshape;
    type Tangent = Preshape;

    /// 2k − 4.
    fn dim(&self) -> usize {
        2 * self.landmarks - 4
    }

    fn check(&self, p: &Preshape) -> Result<(), ManifoldError> {
        if p.len() != self.landmarks {
            let (expected, found) = (2 * self.landmarks, 2 * p.len());
            return Err(ManifoldError::WrongSize { manifold: NAME, expected, found });
        }
        if p.iter().any(|z| !(z.re.is_finite() && z.im.is_finite())) {
            return Err(ManifoldError::NotFinite(NAME));
        }
        let constraint = if p.iter().sum::<Complex<f64>>().norm() > 1e-8 {
            "is not centred"
        } else if (norm(p) - 1.0).abs() > 1e-8 {
            "does not have unit size"
        } else {
            return Ok(());
        };
        Err(ManifoldError::OffManifold {
            manifold: NAME,
            constraint,
            remedy: "take the preshape of the landmarks",
        })
    }

    fn exp(&self, p: &Preshape, v: &Preshape) -> Preshape {
        let t = norm(v);
        let (cos, sinc) = (t.cos(), sinc(t));
        let mut q = Preshape::from_iterator(p.len(), p.iter().zip(v.iter()).map(|(p, v)| p * cos + v * sinc));
        center(&mut q);
        let size = norm(&q);
        q /= Complex::from(size);
        q
    }

    fn log(&self, p: &Preshape, q: &Preshape) -> Result<Preshape, ManifoldError> {
        let c = hermitian(p, q);
        let rotation = phase(c)?.conj();
        let size = c.norm();
        // u = q′ − p(p*q′) with q′ = q·(phase)⁻¹ in optimal position.
        let mut u =
            Preshape::from_iterator(p.len(), p.iter().zip(q.iter()).map(|(p, q)| q * rotation - p * size));
        // Once more: for near shapes the first pass leaves rounding error along p.
        let along = hermitian(p, &u);
        axpy(-along, p, &mut u);
        let length = norm(&u);
        if length > 0.0 {
            let scale = length.atan2(size) / length;
            u.iter_mut().for_each(|u| *u *= scale);
        }
        Ok(u)
    }

    fn dist(&self, p: &Preshape, q: &Preshape) -> f64 {
        // arccos loses half the digits for near shapes; the residual does not.
        let c = hermitian(p, q);
        let residual: f64 = p.iter().zip(q.iter()).map(|(p, q)| (q - p * c).norm_sqr()).sum();
        residual.sqrt().atan2(c.norm())
    }

    /// Re(u*v).
    fn inner(&self, _p: &Preshape, u: &Preshape, v: &Preshape) -> f64 {
        u.iter().zip(v.iter()).map(|(u, v)| u.re * v.re + u.im * v.im).sum()
    }

    fn transport(&self, p: &Preshape, q: &Preshape, v: &Preshape) -> Result<Preshape, ManifoldError> {
        // The unitary reflection in p + q′ is the parallel transport to q′; the phase carries it on to q itself.
        let rotation = phase(hermitian(p, q))?;
        let sum =
            Preshape::from_iterator(p.len(), p.iter().zip(q.iter()).map(|(p, q)| p + q * rotation.conj()));
        let square: f64 = sum.iter().map(|z| z.norm_sqr()).sum();
        let c = hermitian(&sum, v) * (-2.0 / square);
        let mut w = v.clone();
        axpy(c, &sum, &mut w);
        w.iter_mut().for_each(|w| *w *= rotation);
        Ok(w)
    }

    fn project_tangent(&self, p: &Preshape, ambient: &Preshape) -> Preshape {
        let mut v = ambient.clone();
        center(&mut v);
        let along = hermitian(p, &v);
        axpy(-along, p, &mut v);
        v
    }

    /// 1 to 4; triangles (k = 3) form the sphere of radius ½, of curvature 4.
    fn curvature(&self) -> CurvatureBounds {
        CurvatureBounds { lower: if self.landmarks == 3 { 4.0 } else { 1.0 }, upper: 4.0 }
    }

    fn injectivity_radius(&self) -> f64 {
        FRAC_PI_2
    }

    /// Uniform: a centred complex Gaussian, normalized (Kendall 1984).
    fn random_point<R: Rng + ?Sized>(&self, rng: &mut R) -> Preshape {
        loop {
            let mut z = gaussian(self.landmarks, rng);
            center(&mut z);
            let size = norm(&z);
            if size > 0.0 {
                z /= Complex::from(size);
                return z;
            }
        }
    }

    /// An ambient Gaussian projected onto the horizontal space (its law is that of the tangent Gaussian).
    fn tangent_gaussian<R: Rng + ?Sized>(&self, p: &Preshape, sigma: f64, rng: &mut R) -> Preshape {
        let mut v = gaussian(self.landmarks, rng);
        center(&mut v);
        let along = hermitian(p, &v);
        for (v, p) in v.iter_mut().zip(p.iter()) {
            *v = (*v - along * p) * sigma;
        }
        v
    }

    fn mean_log(
        &self,
        p: &Preshape,
        points: &[Preshape],
        weights: Option<&[f64]>,
    ) -> Result<MeanLog<Preshape>, ManifoldError> {
        mean::mean_log(p, points, weights)
    }

    /// The mean of the preshapes, each rotated to match the first.
    fn rough_mean(&self, points: &[Preshape], weights: Option<&[f64]>) -> Result<Preshape, ManifoldError> {
        let first = first_point(points, weights)?;
        let mut mean = Preshape::zeros(self.landmarks);
        for (i, q) in points.iter().enumerate() {
            let c = hermitian(&first, q);
            let size = c.norm();
            if size > 8.0 * f64::EPSILON {
                axpy(c.conj() * (weights.map_or(1.0, |w| w[i]) / size), q, &mut mean);
            }
        }
        center(&mut mean);
        let size = norm(&mean);
        if !(size > 0.0 && size.is_finite()) {
            return Ok(first);
        }
        mean /= Complex::from(size);
        Ok(mean)
    }

    fn zero(&self, _p: &Preshape) -> Preshape {
        Preshape::zeros(self.landmarks)
    }

    fn has_quick_coordinates(&self) -> bool {
        true
    }

    fn coordinates(&self, p: &Preshape, v: &Preshape) -> Vec<f64> {
        horizontal(p).coordinates(v.as_slice()).into_iter().flat_map(|c| [c.re, c.im]).collect()
    }

    fn from_coordinates(&self, p: &Preshape, coordinates: &[f64]) -> Preshape {
        let number = |pair: &[f64]| Complex::new(pair[0], pair.get(1).copied().unwrap_or(0.0));
        let numbers: Vec<Complex<f64>> = coordinates.chunks(2).map(number).collect();
        Preshape::from_vec(horizontal(p).vector(&numbers))
    }
}

impl Isotropic for Kendall {
    fn model(&self) -> (TwoPointSpace, f64) {
        (TwoPointSpace::ComplexProjective { dim: self.landmarks - 2 }, 1.0)
    }
    fn to_model(&self, p: &Preshape) -> Vec<f64> {
        helmert(p).into_iter().flat_map(|z| [z.re, z.im]).collect()
    }
    fn from_model(&self, numbers: &[f64], near: &Preshape) -> Option<Preshape> {
        if numbers.len() != 2 * self.landmarks - 3 {
            return None;
        }
        let first = numbers.first().map(|x| Complex::from(*x));
        let others = numbers.get(1..)?.chunks_exact(2).map(|z| Complex::new(z[0], z[1]));
        let mut z = from_helmert(&first.into_iter().chain(others).collect::<Vec<_>>());
        center(&mut z);
        let size = norm(&z);
        let turn = phase(hermitian(&z, near)).unwrap_or(Complex::from(1.0));
        z *= turn / size;
        (size > 0.0 && size.is_finite()).then_some(z)
    }
}
