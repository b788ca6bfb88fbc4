//! Small functions without cancellation.

/// sin t / t.
pub(super) fn sinc(t: f64) -> f64 {
    if t.abs() < 1e-4 { 1.0 - t * t / 6.0 } else { t.sin() / t }
}

/// sinh t / t.
pub(super) fn sinhc(t: f64) -> f64 {
    if t.abs() < 1e-4 { 1.0 + t * t / 6.0 } else { t.sinh() / t }
}

/// The logarithmic mean (a − b)/(ln a − ln b) of two positive numbers given by their logarithms: √(ab) sinh(t)/t with
/// t = (ln a − ln b)/2, which is stable for a ≈ b.
pub(super) fn logarithmic_mean(ln_a: f64, ln_b: f64) -> f64 {
    (0.5 * (ln_a + ln_b)).exp() * sinhc(0.5 * (ln_a - ln_b))
}

/// Σ x_i y_i.
pub(super) fn dot(x: &[f64], y: &[f64]) -> f64 {
    // Four running sums: the compiler may not reorder a single one.
    let mut sums = [0.0; 4];
    let (xs, ys) = (x.chunks_exact(4), y.chunks_exact(4));
    let tail: f64 = xs.remainder().iter().zip(ys.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in xs.zip(ys) {
        for k in 0..4 {
            sums[k] += a[k] * b[k];
        }
    }
    sums[0] + sums[1] + sums[2] + sums[3] + tail
}

/// ‖x‖, for vectors whose squares neither overflow nor vanish.
pub(super) fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

/// Whether every number is finite.
pub(super) fn all_finite(x: &[f64]) -> bool {
    x.iter().all(|x| x.is_finite())
}
