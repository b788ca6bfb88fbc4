//! One slip in a paper.

/// One slip.
#[derive(Debug, Clone, PartialEq)]
pub struct Erratum {
    /// A short name, such as `gdp-faces: sensitivity`.
    pub name: &'static str,
    /// Where it stands in the paper.
    pub place: &'static str,
    /// What is printed.
    pub printed: &'static str,
    /// What is right.
    pub right: &'static str,
    /// What was computed, in words.
    pub shown: String,
    /// The computed numbers, in the order of the words.
    pub numbers: Vec<f64>,
}

impl Erratum {
    pub(super) fn new(
        [name, place, printed, right]: [&'static str; 4],
        shown: impl Into<String>,
        numbers: impl Into<Vec<f64>>,
    ) -> Self {
        Self { name, place, printed, right, shown: shown.into(), numbers: numbers.into() }
    }
}
