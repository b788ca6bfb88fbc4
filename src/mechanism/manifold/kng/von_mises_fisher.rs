//! Directions that lean towards another: the von Mises–Fisher law.

use crate::privacy::noise::PaidGenerator;

/// The cosine to the preferred direction of a unit vector of ℝᵈ, d ≥ 2, with density ∝ exp(κ cos): drawn by the rejection of
/// Wood (1994), exactly.
#[derive(Debug, Clone, Copy)]
pub(super) struct VonMisesFisher {
    /// κ ≥ 0.
    pub(super) concentration: f64,
    /// d − 1.
    rest: f64,
    b: f64,
    x0: f64,
    bound: f64,
}

impl VonMisesFisher {
    pub(super) fn new(dim: usize, concentration: f64) -> Self {
        let rest = dim as f64 - 1.0;
        // Without cancellation for small and large κ alike.
        let b = rest / (2.0 * concentration + (2.0 * concentration).hypot(rest));
        let x0 = (1.0 - b) / (1.0 + b);
        let bound = concentration * x0 + rest * (1.0 - x0 * x0).ln();
        Self { concentration, rest, b, x0, bound }
    }

    pub(super) fn cosine(&self, rng: &mut PaidGenerator<'_>) -> f64 {
        loop {
            // The quotient is Beta(½(d − 1), ½(d − 1)).
            let (Ok(a), Ok(c)) = (rng.gamma(0.5 * self.rest, 1.0), rng.gamma(0.5 * self.rest, 1.0)) else {
                return 0.0;
            };
            let z = a / (a + c);
            let w = (1.0 - (1.0 + self.b) * z) / (1.0 - (1.0 - self.b) * z);
            let ln = self.concentration * w + self.rest * (1.0 - self.x0 * w).ln() - self.bound;
            if ln >= -rng.exponential() {
                return w;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::noise::NoiseSource;
    use crate::privacy::{Ledger, Mu, PrivacyLoss};

    /// Kolmogorov–Smirnov at level 1e-4 for each of four laws, against numerical integration of e^{κc}(1 − c²)^{(d−3)/2}.
    #[test]
    fn cosines_follow_their_law() {
        let loss = PrivacyLoss::Gaussian(Mu::new(1.0).unwrap());
        for (dim, kappa) in [(2, 3.0), (3, 0.5), (10, 8.0), (96, 40.0)] {
            let law = VonMisesFisher::new(dim, kappa);
            let mut source = NoiseSource::seeded(9);
            let paid = Ledger::in_memory(None).charge("test", loss).unwrap();
            let mut rng = source.open(paid, loss).unwrap();
            let n = 20_000;
            let mut draws: Vec<f64> = (0..n).map(|_| law.cosine(&mut rng)).collect();
            draws.sort_by(f64::total_cmp);
            // In the angle, which keeps the density of d = 2 bounded.
            let grid = 200_000;
            let density = |phi: f64| (kappa * (phi.cos() - 1.0)).exp() * phi.sin().powi(dim as i32 - 2);
            let mut above = vec![0.0];
            for i in 0..grid {
                let phi = std::f64::consts::PI * (i as f64 + 0.5) / grid as f64;
                above.push(above[i] + density(phi));
            }
            let distance = draws
                .iter()
                .enumerate()
                .map(|(i, c)| {
                    let place = c.acos() / std::f64::consts::PI * grid as f64;
                    let exact = 1.0 - above[place as usize] / above[grid];
                    (exact - (i as f64 + 0.5) / n as f64).abs()
                })
                .fold(0.0, f64::max);
            assert!(distance < 2.23 / (n as f64).sqrt(), "{dim} {kappa}: {distance}");
        }
    }
}
