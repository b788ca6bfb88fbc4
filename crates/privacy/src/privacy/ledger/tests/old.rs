//! Ledgers of version 0.1, as it wrote them: with a ceiling, torn lines repaired, a Rényi curve.

use super::*;

const LEDGER: &str = include_str!("version_0_1.jsonl");
const CURVE: &str = include_str!("version_0_1_curve.jsonl");

#[test]
fn old_ledgers_open_sum_the_same_and_go_on() {
    let (_folder, path) = place();
    fs::write(&path, LEDGER).unwrap();
    let history = Ledger::history(&path).unwrap();
    // As version 0.1 states it.
    assert_eq!(history.spent().total().unwrap(), gaussian(5.031_152_949_374_527));
    assert_eq!(history.ceilings[0].loss, gaussian(9.0));
    assert!(history.was_repaired && history.charges[2].unix_time.is_none());
    let mut ledger = Ledger::open(&path, None).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), LEDGER, "opening it changes nothing");
    assert!(matches!(ledger.charge("too much", gaussian(8.0)), Err(LedgerError::AboveCeiling { .. })));
    let paid = ledger.charge("more", gaussian(1.0)).unwrap();
    // A charge of version 0.1 is found, reissued and redeemed like a new one.
    let first = history.charges[0].clone();
    let receipt = first.receipt.unwrap();
    assert_eq!(ledger.find(&first.part).as_ref(), Some(&receipt));
    assert!(ledger.reissue(&receipt, &first.part).is_ok());
    ledger.redeem(&receipt, &"a".repeat(64)).unwrap();
    ledger.redeem(paid.receipt().unwrap(), &"b".repeat(64)).unwrap();
    drop(ledger);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.starts_with(LEDGER) && text.lines().count() == 9 + 6);
    let ledger = Ledger::open(&path, None).unwrap();
    assert_eq!(ledger.redeemed(&receipt), Some("a".repeat(64)));
    assert_eq!(ledger.spent().parts().len(), 5);
}

#[test]
fn old_curves_are_read_to_the_digit() {
    let (_folder, path) = place();
    fs::write(&path, CURVE).unwrap();
    let mut ledger = Ledger::open(&path, None).unwrap();
    let delta = Delta::new(1e-6).unwrap();
    let before = ledger.spent().epsilon_at(delta).unwrap().epsilon.get();
    // As version 0.1 states it.
    assert_eq!(before, EPSILON);
    let [part] = ledger.spent().parts() else { panic!("one charge") };
    let part = part.clone();
    let receipt = ledger.find(&part).unwrap();
    assert!(ledger.reissue(&receipt, &part).is_ok());
    ledger.charge_part(part).unwrap();
    assert!(ledger.spent().epsilon_at(delta).unwrap().epsilon.get() > before);
}

/// What `visard privacy ledger --json` of version 0.1 printed for that file at 1e-6.
const EPSILON: f64 = 1.999_999_999_999_999_8;
