use super::error::{check_samples, check_values};
use super::{Circle, FunctionError};
use nalgebra::{DMatrix, SymmetricEigen};

/// Functions on the unit disk, sampled on J rings of m angles: ring j at radius r_j, angle 2πl/m.
///
/// The inner product is ⟨f, g⟩ = Σ_j w_j (1/m) Σ_l f_jl g_jl with public ring weights w_j > 0, Σ w_j = 1. The basis
/// is exactly orthonormal in it, so noise that is independent and of equal variance in the coefficients is white
/// in this inner product. Basis function (k, i) is u_k(r; q) times the circle's real Fourier function i, of
/// frequency q; for each q the u_k are the J eigenvectors of the discrete Sturm–Liouville problem
///
/// > −(r u′)′ + q²u/r = λ w u on the rings, free at the rim, regular (∼ r^q) at the centre,
///
/// that is, the "drum modes" of a disk whose mass is spread over the rings as the weights say. λ is the Dirichlet
/// energy ∫‖∇f‖² / π of a basis function of unit norm: the smaller, the smoother, across rings as well as along
/// them. With w_j proportional to the rings' area, λ tends to the eigenvalues of the Laplacian (squared zeros of
/// J′_q); since the Dirichlet energy is conformally invariant, with w_j proportional to the area of a surface and a
/// conformal map, to those of the surface's Laplacian averaged over angles.
#[derive(Debug, Clone)]
pub struct Disk {
    radii: Vec<f64>,
    weights: Vec<f64>,
    circle: Circle,
    modes: Vec<RadialModes>,
}

/// The radial functions of one angular frequency.
#[derive(Debug, Clone)]
struct RadialModes {
    /// Ascending.
    eigenvalues: Vec<f64>,
    /// (ring, mode); columns orthonormal in the ring weights.
    vectors: DMatrix<f64>,
}

const MOST_RINGS: usize = 1024;

impl Disk {
    /// The disk with rings at these radii (ascending, in (0, 1]), `samples` angles and equal ring weights.
    ///
    /// # Errors
    /// [`FunctionError::BadDomain`].
    pub fn new(radii: &[f64], samples: usize) -> Result<Self, FunctionError> {
        Self::weighted(radii, samples, &vec![1.0; radii.len()])
    }

    /// The same with these positive ring weights, which are scaled to sum to 1.
    ///
    /// # Errors
    /// [`FunctionError::BadDomain`], [`FunctionError::WrongLength`], [`FunctionError::NotFinite`].
    pub fn weighted(radii: &[f64], samples: usize, weights: &[f64]) -> Result<Self, FunctionError> {
        check_samples("a ring", samples)?;
        check_radii(radii)?;
        check_values("ring weights", weights, radii.len())?;
        let total: f64 = weights.iter().sum();
        if !weights.iter().all(|&w| w > 0.0 && w / total > 1e-12) {
            return Err(FunctionError::BadDomain("every ring weight must be positive".into()));
        }
        let weights: Vec<f64> = weights.iter().map(|w| w / total).collect();
        let modes = (0..=samples / 2).map(|q| RadialModes::new(radii, &weights, q)).collect();
        Ok(Self { radii: radii.to_vec(), weights, circle: Circle::new(samples)?, modes })
    }

    /// The radii r_j.
    pub fn radii(&self) -> &[f64] {
        &self.radii
    }

    /// Angles m on each ring.
    pub fn samples(&self) -> usize {
        self.circle.samples()
    }

    /// The ring weights w_j, summing to 1.
    pub fn ring_weights(&self) -> &[f64] {
        &self.weights
    }

    /// λ of basis function k·m + i, where k counts radial and i angular functions.
    pub fn eigenvalues(&self) -> Vec<f64> {
        let m = self.samples();
        (0..self.radii.len() * m).map(|at| self.mode_of(at % m).eigenvalues[at / m]).collect()
    }

    /// Coefficients (radial k slowest, angular i fastest) of the function with these values, row-major (J, m).
    ///
    /// # Errors
    /// [`FunctionError`] when there are not J·m finite values.
    pub fn analyse(&self, values: &[f64]) -> Result<Vec<f64>, FunctionError> {
        let (rings, m) = (self.radii.len(), self.samples());
        check_values("disk", values, rings * m)?;
        let mut out = vec![0.0; rings * m];
        for (j, ring) in values.chunks_exact(m).enumerate() {
            let along = self.circle.analyse(ring)?;
            for (i, c) in along.iter().enumerate() {
                let (weighted, vectors) = (self.weights[j] * c, &self.mode_of(i).vectors);
                (0..rings).for_each(|k| out[k * m + i] += weighted * vectors[(j, k)]);
            }
        }
        Ok(out)
    }

    /// The values, row-major (J, m), of the function with these coefficients.
    ///
    /// # Errors
    /// [`FunctionError`] when there are not J·m finite coefficients.
    pub fn synthesize(&self, coefficients: &[f64]) -> Result<Vec<f64>, FunctionError> {
        let (rings, m) = (self.radii.len(), self.samples());
        check_values("disk coefficients", coefficients, rings * m)?;
        let mut out = Vec::with_capacity(rings * m);
        for j in 0..rings {
            let along: Vec<f64> = (0..m)
                .map(|i| {
                    let vectors = &self.mode_of(i).vectors;
                    (0..rings).map(|k| vectors[(j, k)] * coefficients[k * m + i]).sum()
                })
                .collect();
            out.extend(self.circle.synthesize(&along)?);
        }
        Ok(out)
    }

    fn mode_of(&self, angular: usize) -> &RadialModes {
        &self.modes[self.circle.frequency(angular)]
    }
}

/// Rings must be distinct, off the centre and inside the closed disk.
pub(super) fn check_radii(radii: &[f64]) -> Result<(), FunctionError> {
    if !(1..=MOST_RINGS).contains(&radii.len()) {
        return Err(FunctionError::BadDomain(format!(
            "a disk needs between 1 and {MOST_RINGS} rings, got {}",
            radii.len()
        )));
    }
    let inside = radii.iter().all(|r| *r > 0.0 && *r <= 1.0);
    let ascending = radii.windows(2).all(|pair| pair[1] - pair[0] > 1e-9);
    if inside && ascending && radii[0] > 1e-9 {
        Ok(())
    } else {
        Err(FunctionError::BadDomain("ring radii must ascend strictly within (0, 1]".into()))
    }
}

impl RadialModes {
    fn new(radii: &[f64], weights: &[f64], frequency: usize) -> Self {
        let scale: Vec<f64> = weights.iter().map(|w| 1.0 / w.sqrt()).collect();
        let energy = dirichlet_energy(radii, frequency);
        let rings = radii.len();
        let balanced = DMatrix::from_fn(rings, rings, |a, b| scale[a] * energy[(a, b)] * scale[b]);
        let eigen = SymmetricEigen::new(balanced);
        let mut order: Vec<usize> = (0..rings).collect();
        order.sort_by(|&a, &b| eigen.eigenvalues[a].total_cmp(&eigen.eigenvalues[b]));
        let vectors = DMatrix::from_fn(rings, rings, |j, k| {
            let column = eigen.eigenvectors.column(order[k]);
            // The sign an eigen-solver returns is arbitrary; fixing it makes the basis a function of the grid.
            let sign = if column[column.icamax()] < 0.0 { -1.0 } else { 1.0 };
            sign * scale[j] * column[j]
        });
        Self { eigenvalues: order.iter().map(|&k| eigen.eigenvalues[k].max(0.0)).collect(), vectors }
    }
}

/// The matrix of 2 ∫ (u′² + q²u²/r²) r dr for u linear between rings, ∼ r^q inside the first and constant from the
/// last to the edge of its cell; each ring's cell ends midway to the next.
fn dirichlet_energy(radii: &[f64], frequency: usize) -> DMatrix<f64> {
    let (rings, q) = (radii.len(), frequency as f64);
    let mut energy = DMatrix::zeros(rings, rings);
    for j in 1..rings {
        let stiffness = (radii[j] + radii[j - 1]) / (radii[j] - radii[j - 1]);
        energy[(j, j)] += stiffness;
        energy[(j - 1, j - 1)] += stiffness;
        energy[(j, j - 1)] -= stiffness;
        energy[(j - 1, j)] -= stiffness;
    }
    // ∫ over [0, r_1] of (u′² + q²u²/r²) r dr = q for u = (r/r_1)^q.
    energy[(0, 0)] += 2.0 * q;
    for j in 0..rings {
        let inner = if j == 0 { radii[0] } else { 0.5 * (radii[j - 1] + radii[j]) };
        let outer = match radii.get(j + 1) {
            Some(next) => 0.5 * (radii[j] + next),
            None if j == 0 => 1.0,
            None => (1.5 * radii[j] - 0.5 * radii[j - 1]).min(1.0),
        };
        energy[(j, j)] += 2.0 * q * q * (outer / inner).ln();
    }
    energy
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;
    use proptest::prelude::*;

    fn equal_rings(rings: usize) -> Vec<f64> {
        (1..=rings).map(|j| j as f64 / rings as f64).collect()
    }

    fn weighted_norm(disk: &Disk, values: &[f64]) -> f64 {
        let m = disk.samples();
        disk.ring_weights()
            .iter()
            .zip(values.chunks(m))
            .map(|(w, ring)| w * ring.iter().map(|x| x * x).sum::<f64>() / m as f64)
            .sum()
    }

    #[test]
    fn the_basis_is_orthonormal_in_the_ring_weights() {
        let weights: Vec<f64> = (0..7).map(|j| 1.0 + j as f64 * j as f64).collect();
        let disk = Disk::weighted(&[0.05, 0.2, 0.3, 0.55, 0.6, 0.9, 1.0], 10, &weights).unwrap();
        let columns: Vec<Vec<f64>> = (0..70)
            .map(|at| {
                let mut unit = vec![0.0; 70];
                unit[at] = 1.0;
                disk.synthesize(&unit).unwrap()
            })
            .collect();
        for (a, f) in columns.iter().enumerate() {
            for (b, g) in columns.iter().enumerate().skip(a) {
                let inner: f64 = (0..7)
                    .map(|j| {
                        let dot: f64 = (0..10).map(|l| f[j * 10 + l] * g[j * 10 + l]).sum();
                        disk.ring_weights()[j] * dot / 10.0
                    })
                    .sum();
                assert_relative_eq!(inner, f64::from(u8::from(a == b)), epsilon = 1e-13);
            }
        }
    }

    #[test]
    fn area_weights_give_the_laplacian_of_the_disk() {
        // Squared first positive zeros of J'_q (Abramowitz and Stegun, table 9.5), and j'_{0,2}, j'_{1,2}.
        let rings = 200;
        let radii: Vec<f64> = (0..rings).map(|j| (j as f64 + 0.5) / rings as f64).collect();
        let disk = Disk::weighted(&radii, 9, &radii).unwrap();
        let lambda = disk.eigenvalues();
        let of = |k: usize, q: usize| lambda[k * 9 + if q == 0 { 0 } else { 2 * q - 1 }];
        assert_relative_eq!(of(0, 0), 0.0, epsilon = 1e-9);
        for (k, q, zero) in [
            (1, 0, 3.83170597020751_f64),
            (0, 1, 1.84118378134066),
            (0, 2, 3.05423692822714),
            (0, 3, 4.20118894121053),
            (2, 0, 7.01558666981562),
            (1, 1, 5.33144277352503),
        ] {
            assert_relative_eq!(of(k, q), zero * zero, max_relative = 2e-3);
        }
    }

    #[test]
    fn constants_are_one_smoothest_function() {
        let disk = Disk::new(&equal_rings(23), 80).unwrap();
        let c = disk.analyse(&vec![2.5; 23 * 80]).unwrap();
        assert_relative_eq!(c[0], 2.5, epsilon = 1e-12);
        assert!(c[1..].iter().all(|x| x.abs() < 1e-12));
        assert!(disk.eigenvalues()[0] < 1e-9);
        assert!(disk.eigenvalues()[1..].iter().all(|&l| l > 1.0));
    }

    proptest! {
        #[test]
        fn analysis_undoes_synthesis_and_keeps_the_norm(seed in prop::collection::vec(-1e2..1e2f64, 5 * 9)) {
            let disk = Disk::weighted(&equal_rings(5), 9, &[0.1, 3.0, 1.0, 2.0, 0.5]).unwrap();
            let c = disk.analyse(&seed).unwrap();
            for (a, b) in disk.synthesize(&c).unwrap().iter().zip(&seed) {
                prop_assert!((a - b).abs() < 1e-10);
            }
            let (norm, of_c) = (weighted_norm(&disk, &seed), c.iter().map(|x| x * x).sum::<f64>());
            prop_assert!((norm - of_c).abs() < 1e-11 * norm.max(1.0));
        }
    }

    #[test]
    fn impossible_disks_are_refused() {
        for radii in [&[][..], &[0.0, 0.5], &[0.5, 0.5], &[0.7, 0.3], &[0.5, 1.5], &[0.5, f64::NAN]] {
            assert!(Disk::new(radii, 8).is_err(), "{radii:?}");
        }
        assert!(Disk::new(&[0.5, 1.0], 0).is_err());
        assert!(Disk::weighted(&[0.5, 1.0], 8, &[1.0, 0.0]).is_err());
        assert!(Disk::weighted(&[0.5, 1.0], 8, &[1.0]).is_err());
        assert!(Disk::new(&[0.5], 1).unwrap().analyse(&[3.0]).is_ok());
    }
}
