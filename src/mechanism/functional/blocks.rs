use super::FunctionalError;
use crate::privacy::{ClipRadius, ClipSource, Mu};

/// Blocks of coordinates clipped apart and released together.
///
/// Block b is clipped to its own radius τ_b, divided by it and multiplied by its share s_b of the budget. Since
/// Σ s_b² = 1 the whole vector has norm at most 1, so one Gaussian mechanism with clip radius 1 at the total μ gives
/// block b the noise of a mechanism of its own at μ_b = s_b μ: composition √Σμ_b² = μ, exactly and with one charge.
#[derive(Debug, Clone)]
pub(super) struct Blocks {
    length: usize,
    radii: Vec<f64>,
    shares: Vec<f64>,
}

impl Blocks {
    /// Blocks of `length` coordinates, with positive finite radii and shares whose squares sum to 1.
    pub(super) fn new(length: usize, radii: Vec<f64>, shares: Vec<f64>) -> Result<Self, FunctionalError> {
        for radius in &radii {
            ClipRadius::new(*radius, ClipSource::Public)?;
        }
        debug_assert!((shares.iter().map(|s| s * s).sum::<f64>() - 1.0).abs() < 1e-9);
        debug_assert_eq!(radii.len(), shares.len());
        Ok(Self { length, radii, shares })
    }

    pub(super) fn dim(&self) -> usize {
        self.length * self.radii.len()
    }

    pub(super) fn radii(&self) -> &[f64] {
        &self.radii
    }

    /// The radius of the scaled vector.
    pub(super) fn unit_radius() -> Result<ClipRadius, FunctionalError> {
        Ok(ClipRadius::new(1.0, ClipSource::Public)?)
    }

    /// The clipped and scaled vector; `None` when a coordinate is not finite.
    pub(super) fn embed(&self, blocks: &[Vec<f64>]) -> Option<Vec<f64>> {
        let mut out = Vec::with_capacity(self.dim());
        for ((block, radius), share) in blocks.iter().zip(&self.radii).zip(&self.shares) {
            let norm = block.iter().map(|x| x * x).sum::<f64>().sqrt();
            let factor = share / radius.max(norm);
            out.extend(block.iter().map(|x| x * factor));
        }
        out.iter().all(|x| x.is_finite()).then_some(out)
    }

    /// The scaled vector without clipping, for bounds that were measured on what is scaled.
    pub(super) fn scale(&self, blocks: &[Vec<f64>]) -> Vec<f64> {
        let factors = self.radii.iter().zip(&self.shares).map(|(r, s)| s / r);
        blocks.iter().zip(factors).flat_map(|(block, f)| block.iter().map(move |x| x * f)).collect()
    }

    /// Undoes the scaling.
    pub(super) fn restore(&self, vector: &[f64]) -> Vec<Vec<f64>> {
        let scales = self.radii.iter().zip(&self.shares).map(|(r, s)| r / s);
        vector.chunks_exact(self.length).zip(scales).map(|(c, f)| c.iter().map(|x| x * f).collect()).collect()
    }

    /// Standard deviation of the noise in the coordinates of each block, for n records at a total of μ.
    pub(super) fn noise(&self, records: u64, mu: Mu) -> Vec<f64> {
        let unit = 2.0 / (records as f64 * mu.get());
        self.radii.iter().zip(&self.shares).map(|(r, s)| unit * r / s).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn embedding_has_norm_one_at_most_and_restores_what_is_not_clipped() {
        let blocks = Blocks::new(2, vec![1.0, 10.0], vec![0.6, 0.8]).unwrap();
        let inside = [vec![0.3, -0.4], vec![6.0, 1.0]];
        let e = blocks.embed(&inside).unwrap();
        let back = blocks.restore(&e);
        for (a, b) in back.iter().flatten().zip(inside.iter().flatten()) {
            assert!((a - b).abs() < 1e-15);
        }
        let e = blocks.embed(&[vec![3e5, 4e5], vec![-30.0, 40.0]]).unwrap();
        assert!((e.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-15);
        assert_eq!(blocks.restore(&e)[1], [-6.0, 8.0]);
        assert!(blocks.embed(&[vec![f64::NAN, 0.0], vec![0.0; 2]]).is_none());
        assert!(Blocks::new(2, vec![0.0], vec![1.0]).is_err());
    }

    #[test]
    fn noise_is_that_of_one_mechanism_for_each_block() {
        let blocks = Blocks::new(2, vec![1.0, 10.0], vec![0.6, 0.8]).unwrap();
        let noise = blocks.noise(100, Mu::new(2.0).unwrap());
        assert!((noise[0] - 2.0 / 100.0 / (0.6 * 2.0)).abs() < 1e-15);
        assert!((noise[1] - 20.0 / 100.0 / (0.8 * 2.0)).abs() < 1e-15);
    }
}
