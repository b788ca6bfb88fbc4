use super::FunctionalError;
use crate::function::FunctionError;

/// Shares μ_b/μ, with Σ (μ_b/μ)² = 1, that divide a budget among blocks so that the total noise is least.
///
/// Block b has sensitivity Δ_b and noise (Δ_b/μ_b)² v_b; minimizing the sum under Σ μ_b² = μ² gives
/// μ_b² ∝ Δ_b √v_b (set the derivatives by μ_b² equal). `weights[b]` is Δ_b √v_b.
///
/// ```
/// use visard::mechanism::functional::best_split;
/// let shares = best_split(&[1.0, 3.0])?;
/// assert_eq!(shares, [0.5, 0.75_f64.sqrt()]);
/// # Ok::<(), visard::mechanism::functional::FunctionalError>(())
/// ```
///
/// # Errors
/// [`FunctionError`] when a weight is not positive and finite.
pub fn best_split(weights: &[f64]) -> Result<Vec<f64>, FunctionalError> {
    let total: f64 = weights.iter().sum();
    for &value in weights {
        if !(value > 0.0 && total.is_finite()) {
            let (name, range) = ("weight of a block", "a positive finite number");
            return Err(FunctionError::BadParameter { name, range, value }.into());
        }
    }
    Ok(weights.iter().map(|w| (w / total).sqrt()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_other_split_is_better() {
        let (delta, v) = ([0.3, 1.0, 2.0], [5.0, 0.1, 1.0_f64]);
        let weights: Vec<f64> = delta.iter().zip(v).map(|(d, v)| d * v.sqrt()).collect();
        let noise = |shares: &[f64]| -> f64 {
            shares.iter().zip(delta).zip(v).map(|((s, d), v)| (d / s).powi(2) * v).sum()
        };
        let best = best_split(&weights).unwrap();
        assert!((best.iter().map(|s| s * s).sum::<f64>() - 1.0).abs() < 1e-15);
        for i in 0..1000 {
            let angle = |k: usize| ((i * k * 7919) as f64).sin();
            let mut other: Vec<f64> =
                best.iter().enumerate().map(|(b, s)| s * (1.0 + 0.3 * angle(b + 1))).collect();
            let norm = other.iter().map(|s| s * s).sum::<f64>().sqrt();
            other.iter_mut().for_each(|s| *s /= norm);
            assert!(noise(&other) >= noise(&best) * (1.0 - 1e-12));
        }
        // The minimum itself: (Σ Δ√v)².
        let least = weights.iter().sum::<f64>().powi(2);
        assert!((noise(&best) / least - 1.0).abs() < 1e-12);
    }

    #[test]
    fn nonsense_is_refused() {
        assert!(best_split(&[1.0, 0.0]).is_err());
        assert!(best_split(&[1.0, f64::NAN]).is_err());
        assert!(best_split(&[f64::MAX, f64::MAX]).is_err());
        assert!(best_split(&[]).unwrap().is_empty());
    }
}
