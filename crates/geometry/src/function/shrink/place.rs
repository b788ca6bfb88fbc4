//! Where in a spectrum a coefficient stands.

/// What is known beforehand of a coefficient, none of it from data.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SpectralPlace {
    /// Coefficients of different classes have nothing in common: mirror-symmetric and antisymmetric ones of a face.
    pub class: usize,
    /// The coordinate of the vector-valued function.
    pub channel: usize,
    /// Local frequency, 0 for constants.
    pub frequency: f64,
    /// Angular frequency on a disk; 0 on other domains, where it would say nothing beyond the local one.
    pub angular: f64,
}

impl From<(usize, f64)> for SpectralPlace {
    /// Channel and local frequency.
    fn from((channel, frequency): (usize, f64)) -> Self {
        Self { channel, frequency, ..Self::default() }
    }
}
