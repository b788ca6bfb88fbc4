//! Audits come close to honest claims and catch planted bugs. Every seed is fixed, so no test is left to chance.

use visard::mechanism::registry::audit_by_name;
use visard::privacy::audit::{
    AuditError, AuditReport, AuditVerdict, Auditable, Neighbour, STANDARD_AUDITS, audit,
};
use visard::privacy::noise::NoiseSource;
use visard::privacy::{
    Charge, ClipRadius, ClipSource, ClippedMean, Epsilon, L2Sensitivity, Ledger, Mu, PrivacyLoss,
};

fn mu(x: f64) -> Mu {
    Mu::new(x).unwrap()
}
fn paid(m: f64) -> Charge {
    Ledger::in_memory(None).charge("test", PrivacyLoss::Gaussian(mu(m))).unwrap()
}

/// A mechanism given by two closures: its claim and one run.
struct Planted<F> {
    claim: PrivacyLoss,
    run: F,
}

impl<F: Fn(bool, u64) -> Vec<f64> + Sync> Auditable for Planted<F> {
    fn name(&self) -> &str {
        "planted"
    }
    fn claim(&self) -> PrivacyLoss {
        self.claim
    }
    fn draw(&self, which: Neighbour, seed: u64) -> Vec<f64> {
        (self.run)(which == Neighbour::Second, seed)
    }
}

fn check(m: f64, runs: u64, run: impl Fn(bool, u64) -> Vec<f64> + Sync) -> AuditReport {
    audit(&Planted { claim: PrivacyLoss::Gaussian(mu(m)), run }, runs, 7).unwrap()
}

#[test]
fn honest_mechanisms_pass_and_come_close() {
    for case in STANDARD_AUDITS {
        let name = case.name;
        // prio's samplers are slow; their audits get fewer runs.
        let (runs, close) = match name {
            // A zCDP claim allows more than its Gaussian does.
            "discrete-gaussian" => (4_000, 0.4),
            "laplace" => (10_000, 0.85),
            // In the plane few outcomes carry the whole epsilon.
            "isotropic-laplace" => (100_000, 0.75),
            // The failure is worth half a replacement: zero against −τ.
            "failed-scan" => (100_000, 0.45),
            _ => (100_000, 0.95),
        };
        let report = audit(audit_by_name(name, 1.0).unwrap().as_ref(), runs, 1).unwrap();
        println!("{}", report.to_json());
        assert!(report.passed(), "{name}: {report:?}");
        assert!(report.lower_bound >= close * report.claimed, "{name}: only {}", report.lower_bound);
        assert!(report.trade_off.windows(2).all(|w| w[1].0 <= w[0].0 && w[1].1 >= w[0].1));
    }
}

/// A hundred runs cannot refute a claim of 5, whatever the mechanism does: that they did not says nothing.
#[test]
fn audits_that_could_not_have_refuted_the_claim_say_so() {
    let few = audit(audit_by_name("gaussian", 5.0).unwrap().as_ref(), 100, 1).unwrap();
    assert_eq!(few.verdict, AuditVerdict::Inconclusive);
    // Eighty held-out runs on each side bound both errors by 0.0906: 2Φ⁻¹(0.9094) = 2.67.
    assert!((few.largest_refutable - 2.674).abs() < 0.01, "{}", few.largest_refutable);
    assert!(!few.passed() && few.to_json()["verdict"] == "inconclusive" && few.to_json()["passed"] == false);
    let more = audit(audit_by_name("gaussian", 5.0).unwrap().as_ref(), 20_000, 1).unwrap();
    assert!(more.verdict == AuditVerdict::Held && more.largest_refutable > 6.0, "{more:?}");
}

#[test]
fn gaussian_audits_come_within_a_tenth_from_small_to_large_mu() {
    for m in [0.4, 1.0, 2.0, 3.0, 4.0] {
        let report = audit(audit_by_name("gaussian", m).unwrap().as_ref(), 100_000, 2).unwrap();
        assert!(report.passed() && report.lower_bound >= 0.9 * m, "mu {m}: {}", report.lower_bound);
    }
}

#[test]
fn noise_a_tenth_too_small_is_caught() {
    let honest = |scale: f64| {
        check(1.0, 100_000, move |second, seed| {
            let statistic = [if second { 1.0 } else { 0.0 }];
            let stated = L2Sensitivity::new(scale).unwrap();
            NoiseSource::seeded(seed).gaussian_vector(&statistic, stated, mu(1.0), paid(1.0)).unwrap().values
        })
    };
    assert!(honest(1.0).passed());
    let caught = honest(0.9);
    assert!(!caught.passed() && caught.lower_bound > 1.05, "{}", caught.lower_bound);
}

#[test]
fn a_sensitivity_without_clipping_is_caught() {
    // The mean of raw records, with the sensitivity clipped ones would have.
    let caught = check(1.0, 20_000, |second, seed| {
        let (n, radius) = (5u64, ClipRadius::new(1.0, ClipSource::Public).unwrap());
        let record = if second { -3.0 } else { 1.0 };
        let mean = (4.0 + record) / n as f64;
        let sensitivity = L2Sensitivity::of_clipped_mean(radius, n).unwrap();
        NoiseSource::seeded(seed).gaussian_vector(&[mean], sensitivity, mu(1.0), paid(1.0)).unwrap().values
    });
    assert!(!caught.passed() && caught.lower_bound > 1.8, "{}", caught.lower_bound);
}

#[test]
fn one_unclipped_record_is_caught() {
    // All but the last record go through the clipped mean; the last is added past it.
    let run = |clipped: bool| {
        check(1.0, 20_000, move |second, seed| {
            let radius = ClipRadius::new(1.0, ClipSource::Public).unwrap();
            let mean = ClippedMean::new(1, 3, radius, mu(1.0)).unwrap();
            let last = if second { -8.0 } else { 8.0 };
            let mut sum = mean.sum();
            for record in [Some(0.5), Some(0.5), clipped.then_some(last)] {
                sum.add(record.as_ref().map(std::slice::from_ref)).unwrap();
            }
            let released = mean.noised(&sum, &mut NoiseSource::seeded(seed), paid(1.0)).unwrap();
            vec![released.values[0] + if clipped { 0.0 } else { last / 3.0 }]
        })
    };
    assert!(run(true).passed());
    assert!(!run(false).passed());
}

#[test]
fn reused_seeds_are_caught() {
    // Two releases of different statistics of the same records, each at 1/√2, whose noise is the same.
    let run = |reuse: bool| {
        check(1.0, 20_000, move |second, seed| {
            let (half, one) = (1.0 / 2f64.sqrt(), L2Sensitivity::new(1.0).unwrap());
            let record = if second { 1.0 } else { 0.0 };
            let mut source = NoiseSource::seeded(seed);
            let x = source.gaussian_vector(&[record], one, mu(half), paid(half)).unwrap().values[0];
            if reuse {
                source = NoiseSource::seeded(seed);
            }
            let y = source.gaussian_vector(&[-record], one, mu(half), paid(half)).unwrap().values[0];
            vec![x - y, x + y, x, y]
        })
    };
    assert!(run(false).passed());
    let caught = run(true);
    assert!(!caught.passed() && caught.lower_bound > 4.0, "the difference has no noise left: {caught:?}");
}

/// theory: exp(−|x − η|/σ) on [−1, 1] has a normalizer that depends on η, so σ must be 2Δ/ε; with Δ/ε the loss for
/// centres 1 and 0.9 at ε = 1 is 1.4899.
#[test]
fn a_normalizer_that_depends_on_the_data_is_caught() {
    let run = |factor: f64| {
        let draw = move |second: bool, seed: u64| {
            let centre = if second { 1.0 } else { 0.9 };
            let scale = factor * 0.1 / 1.0;
            let loss = PrivacyLoss::Pure(Epsilon::new(1.0).unwrap());
            let mut source = NoiseSource::seeded(seed);
            let charge = Ledger::in_memory(None).charge("test", loss).unwrap();
            let mut rng = source.open(charge, loss).unwrap();
            loop {
                let x = centre + scale * (rng.exponential() - rng.exponential());
                if x.abs() <= 1.0 {
                    return vec![x];
                }
            }
        };
        let claim = PrivacyLoss::Pure(Epsilon::new(1.0).unwrap());
        audit(&Planted { claim, run: draw }, 50_000, 3).unwrap()
    };
    assert!(run(2.0).passed());
    let caught = run(1.0);
    assert!(!caught.passed() && caught.lower_bound > 1.1 && caught.lower_bound < 1.49, "{caught:?}");
}

#[test]
fn a_dropped_failed_scan_is_caught() {
    // The honest way counts it as zero; the planted one drops it, so that n, and with it the noise, shrinks.
    let run = |drops: bool| {
        check(1.0, 20_000, move |second, seed| {
            let scans: [Option<[f64; 1]>; 4] =
                [Some([1.0]), Some([1.0]), Some([1.0]), second.then_some([-1.0])];
            let kept: Vec<_> = scans.iter().filter(|scan| !drops || scan.is_some()).collect();
            let radius = ClipRadius::new(1.0, ClipSource::Public).unwrap();
            let mean = ClippedMean::new(1, kept.len() as u64, radius, mu(1.0)).unwrap();
            let mut sum = mean.sum();
            for scan in &kept {
                sum.add(scan.as_ref().map(|r| &r[..])).unwrap();
            }
            let released = mean.noised(&sum, &mut NoiseSource::seeded(seed), paid(1.0)).unwrap();
            // Certificate and all: n is published, and sigma tells it too.
            vec![released.values[0], kept.len() as f64, released.noise.scale]
        })
    };
    assert!(run(false).passed());
    let caught = run(true);
    assert!(!caught.passed() && caught.lower_bound > 4.0, "{caught:?}");
}

#[test]
fn visible_failures_are_outcomes() {
    // A release that fails for one dataset only, in one run of twenty.
    let caught = check(0.5, 20_000, |second, seed| {
        let mut source = NoiseSource::seeded(seed);
        if second && seed % 20 == 0 {
            return vec![f64::NAN];
        }
        source.gaussian_vector(&[0.0], L2Sensitivity::new(1.0).unwrap(), mu(0.5), paid(0.5)).unwrap().values
    });
    assert!(!caught.passed(), "{caught:?}");
}

#[test]
fn audits_refuse_what_they_cannot_do() {
    let nothing = Planted { claim: PrivacyLoss::NonPrivate, run: |_: bool, _: u64| vec![0.0] };
    assert!(matches!(audit(&nothing, 1000, 1), Err(AuditError::NoClaim(_))));
    let gaussian = audit_by_name("gaussian", 1.0).unwrap();
    assert!(matches!(audit(gaussian.as_ref(), 10, 1), Err(AuditError::TooFewRuns(10))));
    assert!(matches!(audit_by_name("telepathy", 1.0), Err(AuditError::Unknown { .. })));
    assert!(matches!(audit_by_name("gaussian", -1.0), Err(AuditError::Budget(_))));
    let empty = Planted { claim: PrivacyLoss::Gaussian(mu(1.0)), run: |_: bool, _: u64| vec![] };
    assert!(matches!(audit(&empty, 1000, 1), Err(AuditError::Statistics(_))));
    // Constant output: nothing to see, nothing claimed against.
    let constant = check(1.0, 1000, |_, _| vec![1.0]);
    assert!(constant.passed() && constant.lower_bound == 0.0);
}
