//! Positive-part James–Stein shrinkage by bands.

use super::{Factor, NoisyCoefficients};

/// Fewest coefficients in a band: with two or fewer nothing is gained (Stein 1956).
const SMALLEST_BAND: usize = 5;

/// f = max(0, 1 − (p−2)/Σ y²/v) on each band of p coefficients (James and Stein 1961, Baranchik 1964).
///
/// Bands are dyadic in frequency, that is, factors of four in roughness; too small ones join the next.
pub(super) fn factors(noisy: &NoisyCoefficients<'_>) -> Vec<Factor> {
    let mut out = vec![Factor { value: 1.0, slope: 0.0 }; noisy.values.len()];
    for band in bands(noisy) {
        let noised: Vec<usize> = band.into_iter().filter(|&i| noisy.variances[i] > 0.0).collect();
        let score = |i: usize| noisy.values[i].powi(2) / noisy.variances[i];
        let (total, excess) = (noised.iter().map(|&i| score(i)).sum::<f64>(), noised.len() as f64 - 2.0);
        if excess <= 0.0 {
            continue;
        }
        for &i in &noised {
            out[i] = if total > excess {
                // y ∂f/∂y = (p−2)/S² · y ∂S/∂y with y ∂S/∂y = 2y²/v.
                Factor { value: 1.0 - excess / total, slope: excess / total * 2.0 * (score(i) / total) }
            } else {
                Factor { value: 0.0, slope: 0.0 }
            };
            if !out[i].slope.is_finite() {
                out[i].slope = 0.0;
            }
        }
    }
    out
}

fn bands(noisy: &NoisyCoefficients<'_>) -> Vec<Vec<usize>> {
    let unit = noisy.unit_roughness();
    let level = |i: usize| (noisy.roughness[i] / unit).max(0.25).log(4.0).floor() as i32;
    let mut order: Vec<usize> = (0..noisy.values.len()).collect();
    order.sort_by_key(|&i| level(i));
    let mut bands: Vec<Vec<usize>> = Vec::new();
    let mut last = None;
    for i in order {
        match bands.last_mut() {
            Some(band) if last == Some(level(i)) || band.len() < SMALLEST_BAND => band.push(i),
            _ => bands.push(vec![i]),
        }
        last = Some(level(i));
    }
    bands
}
