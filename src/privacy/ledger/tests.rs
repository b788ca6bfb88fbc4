use super::super::{Delta, Epsilon, Mu, RenyiCurve};
use super::*;
use std::fs;

fn gaussian(m: f64) -> PrivacyLoss {
    PrivacyLoss::Gaussian(Mu::new(m).unwrap())
}
fn approximate(e: f64, d: f64) -> PrivacyLoss {
    PrivacyLoss::approximate(Epsilon::new(e).unwrap(), Delta::new(d).unwrap())
}
fn spent_mu(ledger: &Ledger) -> f64 {
    ledger.spent().mu().unwrap().map_or(0.0, Mu::get)
}
fn place() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(LEDGER_FILE);
    (folder, path)
}

#[test]
fn runs_on_the_same_ledger_compose() {
    let (_folder, path) = place();
    assert!(Ledger::open(&path, None).unwrap().charge("first run", gaussian(3.0)).unwrap().is_durable());
    let mut second = Ledger::open(&path, None).unwrap();
    assert_eq!(spent_mu(&second), 3.0);
    second.charge("second run", gaussian(4.0)).unwrap();
    drop(second);
    let third = Ledger::open(&path, None).unwrap();
    assert_eq!(spent_mu(&third), 5.0);
    assert_eq!(third.spent().parts()[1].mechanism, "second run");
    assert!(!third.was_repaired());
}

#[test]
fn ceilings_refuse_with_the_sum_and_charge_nothing() {
    let (_folder, path) = place();
    let mut ledger = Ledger::open(&path, Some(gaussian(4.9))).unwrap();
    ledger.charge("a", gaussian(3.0)).unwrap();
    let before = fs::read(&path).unwrap();
    let quote = ledger.quote(Composition::new().add("b", gaussian(4.0))).unwrap();
    assert_eq!((quote.total, quote.exceeds), (gaussian(5.0), Some(gaussian(4.9))));
    let refusal = ledger.charge("b", gaussian(4.0)).unwrap_err().to_string();
    assert_eq!(
        refusal,
        "mu = 3 spent + mu = 4 requested = mu = 5, above the ceiling mu = 4.9; nothing was charged"
    );
    assert_eq!(fs::read(&path).unwrap(), before);
    // No unit other than the ceiling's slips through.
    assert!(ledger.charge("c", approximate(0.1, 1e-9)).is_err());
    assert!(ledger.charge("c", PrivacyLoss::NonPrivate).is_err());
    // It holds for later runs that state none, and a higher one does not lift it.
    drop(ledger);
    assert!(Ledger::open(&path, None).unwrap().charge("b", gaussian(4.0)).is_err());
    assert!(Ledger::open(&path, Some(gaussian(100.0))).unwrap().charge("b", gaussian(4.0)).is_err());
    let mut ledger = Ledger::open(&path, None).unwrap();
    assert_eq!(ledger.ceilings(), [gaussian(4.9), gaussian(100.0)]);
    ledger.charge("small", gaussian(1.0)).unwrap();
}

#[test]
fn ceilings_in_epsilon_and_delta_count_every_kind() {
    let mut ledger = Ledger::in_memory(Some(approximate(2.0, 1e-6)));
    ledger.charge("pure", approximate(0.5, 0.0)).unwrap();
    let mu = Mu::within(Epsilon::new(1.4).unwrap(), Delta::new(5e-7).unwrap()).unwrap();
    assert!(!ledger.charge("gaussian", PrivacyLoss::Gaussian(mu)).unwrap().is_durable());
    let refusal = ledger.charge("more", approximate(0.5, 1e-7)).unwrap_err();
    assert!(matches!(refusal, LedgerError::AboveCeiling { .. }), "{refusal}");
    assert!(refusal.to_string().contains("epsilon = 2, delta = 1e-6"), "{refusal}");
}

#[test]
fn decimal_budgets_add_up_to_their_sum() {
    let mut ledger = Ledger::in_memory(Some(gaussian(1.0)));
    ledger.charge("a", gaussian(0.6)).unwrap();
    ledger.charge("b", gaussian(0.8)).unwrap();
    assert!(ledger.charge("c", gaussian(1e-5)).is_err());
    let mut ledger = Ledger::in_memory(Some(approximate(0.3, 0.0)));
    ledger.charge("a", approximate(0.1, 0.0)).unwrap();
    ledger.charge("b", approximate(0.2, 0.0)).unwrap();
}

#[test]
fn groups_and_curves_are_recorded_whole() {
    let (_folder, path) = place();
    let mut ledger = Ledger::open(&path, None).unwrap();
    let curve = Part {
        mechanism: "curve".into(),
        times: 23,
        cost: Cost::Parts({
            let mut axes = Composition::new();
            axes.add("x", gaussian(0.2)).add("y", gaussian(0.2)).add("z", gaussian(0.55));
            axes
        }),
    };
    let paid = ledger.charge_part(curve).unwrap();
    let PrivacyLoss::Gaussian(mu) = paid.loss() else { panic!() };
    assert!((mu.get() - 2.966_1).abs() < 1e-4);
    let rsvrg = Part {
        mechanism: "DP-RSVRG".into(),
        times: 1,
        cost: Cost::Renyi(RenyiCurve::from_fn(|a| if a < 50.0 { 0.01 * a } else { f64::INFINITY })),
    };
    ledger.charge_part(rsvrg).unwrap();
    let spent = ledger.spent().clone();
    drop(ledger);
    assert_eq!(Ledger::open(&path, None).unwrap().spent(), &spent);
}

#[test]
fn a_second_opener_is_refused_while_the_first_lives() {
    let (_folder, path) = place();
    let first = Ledger::open(&path, None).unwrap();
    assert!(matches!(Ledger::open(&path, None), Err(LedgerError::Locked(_))));
    drop(first);
    assert!(Ledger::open(&path, None).is_ok());
}

/// Every cut through the file's last line, and through the line before it.
#[test]
fn no_cut_through_the_last_line_loses_a_charge() {
    let (_folder, path) = place();
    let mut ledger = Ledger::open(&path, None).unwrap();
    ledger.charge("a", gaussian(3.0)).unwrap();
    ledger.charge("b", gaussian(4.0)).unwrap();
    drop(ledger);
    let whole = fs::read(&path).unwrap();
    let ends: Vec<usize> =
        whole.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(i, _)| i + 1).collect();
    let [.., before_charge, before_seal, end] = ends[..] else { panic!() };
    for cut in before_seal..end {
        fs::write(&path, &whole[..cut]).unwrap();
        let mut ledger = Ledger::open(&path, None).unwrap();
        assert_eq!(spent_mu(&ledger), 5.0, "cut at {cut}");
        assert_eq!(ledger.was_repaired(), cut != before_seal);
        // The repaired file goes on and opens again.
        ledger.charge("c", gaussian(12.0)).unwrap();
        drop(ledger);
        assert_eq!(spent_mu(&Ledger::open(&path, None).unwrap()), 13.0);
    }
    // A torn charge was never handed out; it counts as soon as its loss can be read.
    let loss_at = before_charge
        + String::from_utf8_lossy(&whole[before_charge..]).find("{\"mu\":4.0}}").unwrap()
        + "{\"mu\":4.0}}".len();
    for cut in before_charge + 1..before_seal {
        fs::write(&path, &whole[..cut]).unwrap();
        let ledger = Ledger::open(&path, None).unwrap();
        assert_eq!(spent_mu(&ledger), if cut >= loss_at { 5.0 } else { 3.0 }, "cut at {cut}");
        assert!(ledger.was_repaired());
    }
    assert!(!path.with_extension("jsonl.repair").exists());
}

#[test]
fn a_torn_opening_begins_anew() {
    let (_folder, path) = place();
    drop(Ledger::open(&path, None).unwrap());
    let whole = fs::read(&path).unwrap();
    for cut in [1, 20, 60, whole.len() - 1] {
        fs::write(&path, &whole[..cut]).unwrap();
        Ledger::open(&path, None).unwrap().charge("a", gaussian(1.0)).unwrap();
        assert_eq!(spent_mu(&Ledger::open(&path, None).unwrap()), 1.0);
    }
}

/// Any single changed byte of a whole line is noticed, and the file is left as it is.
#[test]
fn changed_removed_and_swapped_lines_are_noticed() {
    let (_folder, path) = place();
    let mut ledger = Ledger::open(&path, Some(gaussian(9.0))).unwrap();
    ledger.charge("a", gaussian(3.0)).unwrap();
    ledger.charge("b", gaussian(4.0)).unwrap();
    drop(ledger);
    let whole = fs::read(&path).unwrap();
    for at in (0..whole.len() - 1).step_by(7) {
        let mut changed = whole.clone();
        changed[at] ^= 1;
        fs::write(&path, &changed).unwrap();
        assert!(Ledger::open(&path, None).is_err(), "byte {at}");
        assert_eq!(fs::read(&path).unwrap(), changed);
    }
    let lines: Vec<&str> = std::str::from_utf8(&whole).unwrap().lines().collect();
    for order in [vec![0, 1, 4, 5], vec![0, 2, 3, 1, 4, 5], vec![2, 3, 4, 5], vec![0, 1, 2, 3, 2, 3, 4, 5]] {
        let text: String = order.iter().map(|i| format!("{}\n", lines[*i])).collect();
        fs::write(&path, text).unwrap();
        assert!(Ledger::open(&path, None).is_err(), "{order:?}");
    }
    fs::write(&path, String::from_utf8(whole).unwrap().replace("\"mu\":4.0", "\"mu\":0.4")).unwrap();
    let error = Ledger::open(&path, None).unwrap_err();
    assert!(matches!(error, LedgerError::Corrupted { line: 5, .. }), "{error}");
}

#[test]
fn foreign_files_versions_and_studies_are_refused_untouched() {
    let (folder, path) = place();
    for foreign in ["hello", "hello\n", "{}\n", "{\"epsilon\": 1}\n", "\u{0}\u{0}\n", "a,b\n1,2"] {
        fs::write(&path, foreign).unwrap();
        assert!(matches!(Ledger::open(&path, None), Err(LedgerError::Foreign(_))), "{foreign:?}");
        assert_eq!(fs::read_to_string(&path).unwrap(), foreign);
    }
    fs::write(&path, b"\xff\xfe\n").unwrap();
    assert!(matches!(Ledger::open(&path, None), Err(LedgerError::Foreign(_))));
    fs::remove_file(&path).unwrap();
    drop(Ledger::open_for(&path, "faces 2024", None).unwrap());
    assert!(Ledger::open_for(&path, "faces 2024", None).is_ok());
    assert!(Ledger::open(&path, None).is_ok());
    assert!(matches!(Ledger::open_for(&path, "outlines", None), Err(LedgerError::OtherStudy(_))));
    let newer = fs::read_to_string(&path).unwrap().replace("\"format\":1", "\"format\":2");
    fs::write(&path, newer).unwrap();
    assert!(matches!(Ledger::open(&path, None), Err(LedgerError::Version { found: 2, .. })));
    assert!(matches!(Ledger::open(folder.path(), None), Err(LedgerError::Io { .. })));
    assert!(Ledger::open(&folder.path().join("no/such/folder"), None).is_err());
}

#[test]
fn a_failed_write_hands_out_nothing_and_breaks_the_ledger() {
    let (_folder, path) = place();
    let mut ledger = Ledger::open(&path, None).unwrap();
    // A handle that cannot write stands in for a full disk.
    ledger.file.as_mut().unwrap().make_unwritable();
    assert!(matches!(ledger.charge("a", gaussian(1.0)), Err(LedgerError::Io { .. })));
    assert!(matches!(ledger.charge("a", gaussian(1.0)), Err(LedgerError::Broken)));
    assert!(ledger.spent().is_empty());
}

/// A run interrupted between its charge and its release gets its proof again, also from the file; nothing else does.
#[test]
fn a_charge_on_record_is_reissued_by_its_own_name_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(LEDGER_FILE);
    let loss = PrivacyLoss::Gaussian(crate::privacy::Mu::new(0.7).unwrap());
    let part = |name: &str| Part { mechanism: name.into(), times: 1, cost: Cost::Loss(loss) };
    let mut ledger = Ledger::open(&path, None).unwrap();
    assert!(ledger.reissue(&part("run 1")).is_none(), "never charged");
    ledger.charge_part(part("run 1")).unwrap();
    drop(ledger);
    let mut ledger = Ledger::open(&path, None).unwrap();
    let again = ledger.reissue(&part("run 1")).unwrap();
    assert!(again.is_durable() && again.check(loss).is_ok());
    assert_eq!(ledger.spent().parts().len(), 1, "nothing was charged again");
    assert!(ledger.reissue(&part("run 2")).is_none());
    let other = PrivacyLoss::Gaussian(crate::privacy::Mu::new(0.8).unwrap());
    let dearer = Part { cost: Cost::Loss(other), ..part("run 1") };
    assert!(ledger.reissue(&dearer).is_none(), "another cost is another charge");
    ledger.charge_part(part("run 1")).unwrap();
    assert!(ledger.reissue(&part("run 1")).is_none(), "an ambiguous name proves nothing");
}
