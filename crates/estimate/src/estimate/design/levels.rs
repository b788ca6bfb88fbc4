//! Words as numbers: the corners of a regular simplex.

/// The corner of level `number` − 1 of `levels`, in levels − 1 columns, at distance 1 from the middle of all, which is 0 (and what any other number
/// stands for). Helmert's contrasts, scaled: column j has level j + 1 on one side and those before it on the other, so that of two levels −1 is the
/// first and 1 the second.
pub(super) fn corner(levels: usize, number: f64) -> Vec<f64> {
    let Some(level) = (0..levels).find(|level| *level as f64 + 1.0 == number) else {
        return vec![0.0; levels - 1];
    };
    let scale = (levels as f64 / (levels - 1) as f64).sqrt();
    let column = |j: usize| {
        let height = scale * ((j + 1) as f64 / (j + 2) as f64).sqrt();
        match level {
            _ if level == j + 1 => height,
            _ if level <= j => -height / (j + 1) as f64,
            _ => 0.0,
        }
    };
    (0..levels - 1).map(column).collect()
}
