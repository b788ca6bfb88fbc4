//! Numbers at the vertices of a surface.

/// A number at every vertex.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedField {
    /// What it is, a word: letters, digits, `_` and `-`.
    pub name: String,
    /// One value a vertex; NaN where there is none.
    pub values: Vec<f64>,
}
