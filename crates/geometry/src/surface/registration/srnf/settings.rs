//! What the registration under the SRNF metric is told.

/// One level of the registration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SrnfLevel {
    /// Rings of the computational disk, at least 1.
    pub rings: usize,
    /// Degree of the polynomials in the fields.
    pub degree: usize,
    /// Most Gauss–Newton steps.
    pub steps: usize,
}

/// Settings of the registration under the SRNF metric.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SrnfSettings {
    /// Coarse to fine.
    pub levels: Vec<SrnfLevel>,
}

impl Default for SrnfSettings {
    fn default() -> Self {
        let level = |rings, degree, steps| SrnfLevel { rings, degree, steps };
        Self { levels: vec![level(8, 2, 8), level(24, 4, 6), level(32, 5, 4)] }
    }
}
