//! Slips in the papers: what is printed, what is right, and numbers computed here that show it.

mod erratum;
mod faces;
mod optimization;
mod shapes;
mod spd;

pub use erratum::Erratum;

use super::{AnyError, Context, Finding, ReproduceError, Verdict};

/// All slips, by paper.
///
/// # Errors
/// None that depends on anything but this program.
pub fn errata() -> Result<Vec<Erratum>, ReproduceError> {
    let parts = || -> Result<Vec<Erratum>, AnyError> {
        Ok([faces::slips()?, shapes::slips()?, spd::slips()?, optimization::slips()?].concat())
    };
    parts().map_err(|e| ReproduceError::Failed(format!("errata: {e}")))
}

pub(super) fn run(_context: &Context) -> Result<Finding, AnyError> {
    let all = errata()?;
    let mut finding = Finding::new("Errata of the five papers", "What is printed, in the table below.");
    let clean = |text: &str| text.replace(',', ";");
    let mut csv = String::from("slip,place,printed,right,computed here\n");
    for e in &all {
        let cells = [e.name, e.place, e.printed, e.right, &e.shown].map(clean);
        csv.push_str(&format!("{}\n", cells.join(",")));
    }
    finding.same = format!("{} slips, each with numbers computed on the spot.", all.len());
    finding.better = "The corrected formulas are what this program uses.".into();
    finding.verdict = Verdict::None;
    finding.why =
        "As printed, several of these formulas give less privacy than claimed, others waste accuracy.".into();
    finding.data = "none needed".into();
    finding.tables.push(("errata.csv".into(), csv));
    Ok(finding)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computed numbers against those of independent code (the reference table of slips), where both look at the same case:
    /// slip, place in the list, independent value, relative tolerance. The losses of KNG are suprema over a coarser grid there.
    const INDEPENDENT: [(&str, usize, f64, f64); 48] = [
        ("gdp-faces: sensitivity", 0, 9.999990, 1e-6),
        ("gdp-faces: sensitivity", 1, 14.131982, 1e-6),
        ("gdp-faces: sensitivity", 2, 9.961577, 1e-6),
        ("gdp-faces: sensitivity", 3, 3.142159, 1e-6),
        ("gdp-faces: eigenvalues", 0, 42.5867, 1e-5),
        ("gdp-faces: eigenvalues", 1, 60.1141, 1e-5),
        ("gdp-faces: eigenvalues", 2, 72.8983, 1e-5),
        ("gdp-faces: eigenvalues", 3, 28.2833, 1e-5),
        ("gdp-faces: total budget", 0, 2.9661, 1e-4),
        ("gdp-faces: penalty", 0, 0.99933378, 1e-7),
        ("gdp-faces: penalty", 1, 0.96774194, 1e-7),
        ("kng-shapes: sensitivity", 0, 0.9539, 1e-4),
        ("kng-shapes: sensitivity", 1, 0.8062, 2e-3),
        ("kng-shapes: sensitivity", 2, 0.8062, 1e-4),
        ("kng-shapes: domain", 0, std::f64::consts::TAU, 1e-3),
        ("kng-shapes: factor", 0, 1.2351, 0.025),
        ("kng-shapes: factor", 1, 0.6717, 0.025),
        ("kng-shapes: factor", 2, 1.3951, 0.025),
        ("kng-shapes: factor", 3, 0.7647, 0.025),
        ("kng-shapes: truncation", 0, 1.4899, 1e-4),
        ("kng-shapes: utility", 0, 2.5391, 1e-3),
        ("kng-shapes: utility", 1, 4.1260, 1e-3),
        ("kng-shapes: utility", 2, 17.7046, 1e-3),
        ("kng-shapes: proposal", 0, 2.403, 0.02),
        ("kng-shapes: radius", 0, std::f64::consts::FRAC_PI_8, 1e-3),
        ("spd-tangent-gaussian: Theorem 2", 0, -0.6487, 1e-4),
        ("spd-tangent-gaussian: Theorem 2", 1, 1.0, 1e-9),
        ("spd-tangent-gaussian: Theorem 4", 0, 0.05615, 1e-3),
        ("spd-tangent-gaussian: Theorem 4", 1, 0.11231, 0.02),
        ("spd-tangent-gaussian: extrinsic", 0, 0.6417, 2e-3),
        ("spd-tangent-gaussian: extrinsic", 1, 10.7405, 2e-3),
        ("spd-tangent-gaussian: extrinsic", 2, 29.4383, 3e-3),
        ("spd-tangent-gaussian: descriptors", 0, 44.61, 1e-3),
        ("spd-tangent-gaussian: descriptors", 1, 49.85, 1e-3),
        ("dp-optimization: Bures-Wasserstein factor", 0, 2.0, 0.02),
        ("dp-optimization: Bures-Wasserstein factor", 1, 1.0, 0.02),
        ("dp-optimization: Poincaré", 0, 0.5, 1e-9),
        ("dp-optimization: Poincaré", 1, 1.0, 1e-9),
        ("dp-optimization: stencil", 0, 3.75, 1e-12),
        ("dp-optimization: stencil", 1, 1.0, 1e-12),
        ("dp-optimization: subsampling", 0, 23.86, 1e-3),
        ("dp-optimization: subsampling", 1, 17.77, 1e-3),
        ("dp-optimization: subsampling", 2, 17.11, 1e-3),
        ("dp-optimization: subsampling", 3, 13.75, 1e-3),
        ("dp-optimization: subsampling", 4, 11.67, 1e-3),
        ("dp-optimization: subsampling", 5, 10.38, 1e-3),
        ("dp-optimization: subsampling", 6, 9.30, 1e-3),
        ("dp-optimization: subsampling", 7, 8.86, 1e-3),
    ];

    #[test]
    fn numbers_agree_with_independent_ones() {
        let all = errata().unwrap();
        for (name, place, expected, tolerance) in INDEPENDENT {
            let erratum = all.iter().find(|e| e.name == name).unwrap_or_else(|| panic!("{name}"));
            let got = erratum.numbers[place];
            assert!((got / expected - 1.0).abs() < tolerance, "{name} {place}: {got}, expected {expected}");
        }
    }

    #[test]
    fn corrections_hold() {
        let all = errata().unwrap();
        let numbers = |name: &str| all.iter().find(|e| e.name == name).unwrap().numbers.clone();
        let close = |a: f64, b: f64| (a - b).abs() < 1e-9;
        for name in [
            "dp-optimization: Bures-Wasserstein",
            "dp-optimization: log-Euclidean",
            "dp-optimization: Lorentz",
        ] {
            let n = numbers(name);
            assert!(close(n[1], 1.0) && !close(n[0], 1.0), "{name}: {n:?}");
        }
        let sphere = numbers("dp-optimization: sphere basis");
        assert!(sphere[0] > 0.5 && sphere[1] < 1e-12);
        assert!(numbers("gdp-faces: grid")[0].abs() < 1e-10, "K must be singular");
        assert!(
            numbers("kng-shapes: chain")[0] > 1.05 && (numbers("kng-shapes: chain")[1] - 1.0).abs() < 0.03
        );
        assert!(close(numbers("dp-optimization: clipping")[1], 1.0));
        assert!(close(numbers("dp-optimization: Algorithm 11")[1], 3.0));
        assert!(
            close(numbers("dp-optimization: Lemma 1")[1], 1.0)
                || numbers("dp-optimization: Lemma 1")[1] > 0.999
        );
        assert!(all.iter().all(|e| !e.numbers.is_empty()), "every slip shows a number");
    }
}
