//! Exact confidence limits for a probability (Clopper and Pearson 1934).

/// The chance that an audit's lower bound is above the true value.
pub const FALSE_ALARM: f64 = 1e-3;

/// The largest p under which at most `hits` hits in `n` trials have probability `error`.
#[doc(hidden)]
pub fn upper_limit(hits: u64, n: u64, error: f64) -> f64 {
    if hits >= n {
        return 1.0;
    }
    let (mut low, mut high) = (hits as f64 / n as f64, 1.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if at_most(hits, n, middle) > error { low = middle } else { high = middle }
    }
    high
}

/// The smallest p under which at least `hits` hits in `n` trials have probability `error`.
#[doc(hidden)]
pub fn lower_limit(hits: u64, n: u64, error: f64) -> f64 {
    1.0 - upper_limit(n - hits, n, error)
}

/// P(Bin(n, p) ≤ k) for p ≥ k/n, summed from its largest term downwards.
fn at_most(k: u64, n: u64, p: f64) -> f64 {
    if p >= 1.0 {
        return if k >= n { 1.0 } else { 0.0 };
    }
    let (kf, nf) = (k as f64, n as f64);
    let ln_choose = libm::lgamma(nf + 1.0) - libm::lgamma(kf + 1.0) - libm::lgamma(nf - kf + 1.0);
    let mut term =
        libm::exp(ln_choose + kf * libm::log(p.max(f64::MIN_POSITIVE)) + (nf - kf) * libm::log1p(-p));
    let (mut sum, odds) = (term, (1.0 - p) / p);
    for i in (1..=k).rev() {
        term *= i as f64 / (nf - i as f64 + 1.0) * odds;
        sum += term;
        if term < 1e-17 * sum {
            break;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `python3 -c "from scipy.stats import beta
    /// [print(k, n, beta.ppf(1-e, k+1, n-k)) for k, n, e in
    ///  ((0,10,.05),(3,20,.025),(24680,80000,5e-4),(79999,80000,5e-4))]"`
    #[test]
    fn limits_agree_with_beta_quantiles() {
        for (k, n, error, truth) in [
            (0, 10, 0.05, 0.2588655508930522),
            (3, 20, 0.025, 0.37892682654531396),
            (24_680, 80_000, 5e-4, 0.3138975107835837),
            (79_999, 80_000, 5e-4, 0.999999993748437),
        ] {
            let got = upper_limit(k, n, error);
            assert!((got - truth).abs() < 1e-9, "{k}/{n}: {got} not {truth}");
        }
        assert_eq!(upper_limit(10, 10, 0.05), 1.0);
        assert_eq!(lower_limit(0, 10, 0.05), 0.0);
        assert!((lower_limit(10, 10, 0.05) - 0.05f64.powf(0.1)).abs() < 1e-12);
    }
}
