//! The mean logarithm of sizes as one more coordinate of a mean of functions.

use super::NoisedSize;

/// The square of the size's share of the clip radius: the radius grows by half of it, so the shape has .8 % more noise variance.
const SHARE: f64 = 0.008;
/// Standard deviation of ln size among adults of one species about their mean: face breadths and heights vary by 4 to 6 %.
const SPREAD: f64 = 0.06;
/// How far ln of the mean size may be expected to lie from the public one (a standard deviation): for shrinkage only.
const DOUBT: f64 = 0.12;

/// How sizes come into the vector that is clipped: as w (ln size − c), c a public or released centre. Logarithms beyond the public bound
/// are set to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SizeCoordinate {
    bound: f64,
    centre: f64,
    /// The expected squared error of the centre.
    error: f64,
    weight: f64,
}

impl SizeCoordinate {
    /// About the public size, for a clip of this radius; logarithms lie within ±`bound`.
    pub fn public(bound: f64, radius: f64) -> Self {
        Self { bound, centre: 0.0, error: DOUBT * DOUBT, weight: SHARE.sqrt() * radius / bound }
    }

    /// About a released centre: records then lie nearer, and the same share of the radius goes further.
    pub(super) fn about(self, released: NoisedSize, radius: f64) -> Self {
        let reach = (SPREAD * SPREAD + released.error).sqrt().min(2.0 * self.bound);
        let weight = SHARE.sqrt() * radius / reach;
        Self { centre: released.log, error: released.error, weight, ..self }
    }

    /// The radius of a clip that leaves the function what it had without a size.
    pub(super) fn widened(radius: f64) -> f64 {
        radius * (1.0 + SHARE).sqrt()
    }

    /// The coordinate of a record; zero without a size: that is the public size first, then the released one.
    pub(super) fn of(&self, log_size: Option<f64>) -> f64 {
        let log = log_size.filter(|log| log.is_finite());
        log.map_or(0.0, |log| self.weight * (log.clamp(-self.bound, self.bound) - self.centre))
    }

    /// What a noised mean of the coordinate, of noise `sigma`, tells; shrunk towards the centre by how sure that is.
    pub(super) fn finish(&self, noised: f64, sigma: f64) -> NoisedSize {
        let noise = (sigma / self.weight).powi(2);
        let factor = self.error / (self.error + noise);
        let log = (self.centre + factor * noised / self.weight).clamp(-self.bound, self.bound);
        NoisedSize { log, error: factor * noise }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_come_back_within_their_noise_and_their_bounds() {
        let first = SizeCoordinate::public(0.4, 0.05);
        assert_eq!(first.of(None), 0.0);
        assert_eq!(first.of(Some(f64::NAN)), 0.0);
        approx::assert_relative_eq!(first.of(Some(9.0)), first.of(Some(0.4)));
        // At the bound a size takes its share of the squared radius.
        approx::assert_relative_eq!((first.of(Some(0.4)) / 0.05).powi(2), SHARE, max_relative = 1e-12);
        let exact = first.finish(first.of(Some(0.1)), 0.0);
        approx::assert_relative_eq!(exact.log, 0.1, max_relative = 1e-12);
        assert_eq!(exact.error, 0.0);
        // Noise far above what is expected: the public size.
        let nothing = first.finish(1e3, 1e6);
        assert!(nothing.log.abs() < 1e-3 && (nothing.error / DOUBT.powi(2) - 1.0).abs() < 1e-3);
        let second = first.about(NoisedSize { log: 0.1, error: 0.0 }, 0.05);
        assert_eq!(second.of(None), 0.0);
        approx::assert_relative_eq!(
            (second.of(Some(0.1 + SPREAD)) / 0.05).powi(2),
            SHARE,
            max_relative = 1e-9
        );
    }
}
