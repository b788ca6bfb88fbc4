//! Receipts, announced charges, one result for one charge.

use super::super::super::Receipt;
use super::*;

fn part(name: &str, mu: f64) -> Part {
    Part { mechanism: name.into(), times: 1, cost: Cost::Loss(gaussian(mu)) }
}

fn draw(k: u8) -> String {
    crate::privacy::digest::sha256_hex(&[k])
}

#[test]
fn a_receipt_is_held_by_its_ledger_whatever_follows() {
    let (_folder, path) = place();
    let mut ledger = Ledger::open(&path, Some(gaussian(9.0))).unwrap();
    let before = fs::read(&path).unwrap();
    let paid = ledger.charge("a", gaussian(1.0)).unwrap();
    let receipt = paid.receipt().unwrap().clone();
    assert_eq!((receipt.id.as_str(), receipt.line), (ledger.id(), 2));
    // The head is the check of the line whose `n` is the receipt's.
    let text = fs::read_to_string(&path).unwrap();
    let line: serde_json::Value = serde_json::from_str(text.lines().nth(2).unwrap()).unwrap();
    assert_eq!(line["n"], 2);
    assert_eq!(line["check"], receipt.head.as_str());
    assert!(paid.split(&[gaussian(0.5)]).unwrap()[0].receipt() == Some(&receipt));
    ledger.charge("b", gaussian(1.0)).unwrap();
    ledger.holds(&receipt).unwrap();
    drop(ledger);
    let whole = fs::read(&path).unwrap();
    Ledger::history(&path).unwrap().holds(&receipt).unwrap();
    // An older copy, also one that went on from there; another ledger.
    fs::write(&path, &before).unwrap();
    let mut older = Ledger::open(&path, None).unwrap();
    assert!(matches!(older.holds(&receipt), Err(ReceiptError::Shorter { line: 2, lines: 2 })));
    assert!(matches!(
        older.redeem(&receipt, &draw(1)),
        Err(LedgerError::Receipt(ReceiptError::Shorter { .. }))
    ));
    older.charge("another", gaussian(1.0)).unwrap();
    assert!(matches!(older.holds(&receipt), Err(ReceiptError::OtherLine { line: 2 })));
    assert!(older.reissue(&receipt, &part("a", 1.0)).is_err());
    assert!(matches!(
        Ledger::in_memory(None).holds(&receipt),
        Err(ReceiptError::OtherLedger { expected, .. }) if expected == receipt.id
    ));
    drop(older);
    fs::write(&path, whole).unwrap();
    Ledger::open(&path, None).unwrap().holds(&receipt).unwrap();
    let huge = Receipt { line: u64::MAX, ..receipt };
    assert!(matches!(Ledger::history(&path).unwrap().holds(&huge), Err(ReceiptError::Shorter { .. })));
}

#[test]
fn a_charge_is_redeemed_once_and_reissued_until_then() {
    let (_folder, path) = place();
    let mut ledger = Ledger::open(&path, None).unwrap();
    let receipt = ledger.charge_part(part("a", 0.7)).unwrap().receipt().unwrap().clone();
    ledger.charge_part(part("b", 0.7)).unwrap();
    drop(ledger);
    let mut ledger = Ledger::open(&path, None).unwrap();
    let again = ledger.reissue(&receipt, &part("a", 0.7)).unwrap();
    assert!(again.check(gaussian(0.7)).is_ok() && again.receipt() == Some(&receipt));
    assert_eq!(ledger.spent().parts().len(), 2, "nothing was charged again");
    for other in [part("a", 0.8), part("b", 0.7), part("a", 0.6)] {
        let error = ledger.reissue(&receipt, &other).unwrap_err();
        assert!(matches!(error, LedgerError::Receipt(ReceiptError::OtherCharge { line: 1 })), "{error}");
    }
    assert_eq!(ledger.redeemed(&receipt), None);
    ledger.redeem(&receipt, &draw(1)).unwrap();
    let length = fs::metadata(&path).unwrap().len();
    ledger.redeem(&receipt, &draw(1)).unwrap();
    drop(ledger);
    // Also for another process, and once is enough.
    let mut ledger = Ledger::open(&path, None).unwrap();
    ledger.redeem(&receipt, &draw(1)).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().len(), length);
    assert_eq!(ledger.redeemed(&receipt), Some(draw(1)));
    for error in [
        ledger.redeem(&receipt, &draw(2)).unwrap_err(),
        ledger.reissue(&receipt, &part("a", 0.7)).unwrap_err(),
    ] {
        assert!(
            matches!(&error, LedgerError::Receipt(ReceiptError::AlreadyRedeemed { line: 1, draw: of }) if *of == draw(1)),
            "{error}"
        );
    }
    assert_eq!(Ledger::history(&path).unwrap().charges[0].redeemed, Some(draw(1)));
    assert_eq!(ledger.spent().parts().len(), 2, "to redeem costs nothing");
}

/// One charge for several rounds: each of them pays for one result, and the charge as a whole for no other.
#[test]
fn the_draws_of_one_charge_are_redeemed_one_by_one() {
    let (_folder, path) = place();
    let mut all = Composition::new();
    all.add("centre", gaussian(0.3)).push("counts", 2, Cost::Loss(gaussian(0.1))).add("mean", gaussian(0.5));
    let part = Part { mechanism: "rounds".into(), times: 1, cost: Cost::Parts(all) };
    let mut ledger = Ledger::open(&path, None).unwrap();
    let receipt = ledger.charge_part(part.clone()).unwrap().receipt().unwrap().clone();
    ledger.redeem_part(&receipt, 1, &draw(1)).unwrap();
    drop(ledger);
    let mut ledger = Ledger::open(&path, None).unwrap();
    let length = fs::metadata(&path).unwrap().len();
    ledger.redeem_part(&receipt, 1, &draw(1)).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().len(), length, "once is enough");
    assert_eq!(ledger.redeemed_part(&receipt, 1), Some(draw(1)));
    assert_eq!((ledger.redeemed_part(&receipt, 0), ledger.redeemed(&receipt)), (None, None));
    assert!(
        ledger.reissue_part(&receipt, &part, 0).is_ok() && ledger.reissue_part(&receipt, &part, 3).is_ok()
    );
    for error in [
        ledger.redeem_part(&receipt, 1, &draw(2)).unwrap_err(),
        ledger.reissue_part(&receipt, &part, 1).unwrap_err(),
        ledger.redeem(&receipt, &draw(1)).unwrap_err(),
        ledger.reissue(&receipt, &part).unwrap_err(),
    ] {
        assert!(
            matches!(error, LedgerError::Receipt(ReceiptError::AlreadyRedeemed { line: 1, .. })),
            "{error}"
        );
    }
    assert!(ledger.find(&part).is_none(), "it is in use");
    assert!(ledger.redeem_part(&receipt, 0, "abc").is_err());
    ledger.redeem_part(&receipt, 3, &draw(3)).unwrap();
    let history = Ledger::history(&path).unwrap();
    assert_eq!(history.charges[0].redeemed_parts.keys().collect::<Vec<_>>(), [&1, &3]);
    // A charge that was redeemed as a whole, as earlier versions did after the last round, pays for nothing else.
    let whole = ledger.charge_part(part.clone()).unwrap().receipt().unwrap().clone();
    ledger.redeem(&whole, &draw(9)).unwrap();
    assert!(
        ledger.redeem_part(&whole, 0, &draw(1)).is_err() && ledger.reissue_part(&whole, &part, 0).is_err()
    );
    ledger.redeem_part(&whole, 3, &draw(9)).unwrap();
}

/// Cut anywhere in its last line, the file still says what the charge was used for.
#[test]
fn a_cut_last_line_loses_no_redemption() {
    let (_folder, path) = place();
    let mut ledger = Ledger::open(&path, None).unwrap();
    let receipt = ledger.charge("a", gaussian(1.0)).unwrap().receipt().unwrap().clone();
    ledger.redeem(&receipt, &draw(1)).unwrap();
    drop(ledger);
    let whole = fs::read(&path).unwrap();
    let last = whole[..whole.len() - 1].iter().rposition(|b| *b == b'\n').unwrap() + 1;
    for cut in last..whole.len() {
        fs::write(&path, &whole[..cut]).unwrap();
        assert_eq!(Ledger::open(&path, None).unwrap().redeemed(&receipt), Some(draw(1)), "cut at {cut}");
    }
}

#[test]
fn what_is_no_charge_or_no_digest_is_not_redeemed() {
    let (_folder, path) = place();
    let mut ledger = Ledger::open(&path, None).unwrap();
    let receipt = ledger.charge("a", gaussian(1.0)).unwrap().receipt().unwrap().clone();
    let before = fs::read(&path).unwrap();
    let heads: Vec<String> = std::str::from_utf8(&before)
        .unwrap()
        .lines()
        .map(|line| {
            serde_json::from_str::<serde_json::Value>(line).unwrap()["check"].as_str().unwrap().to_owned()
        })
        .collect();
    // The opening and the seal are lines of this ledger, but no charges.
    for line in [0, 2] {
        let receipt = Receipt { line, head: heads[line as usize].clone(), ..receipt.clone() };
        ledger.holds(&receipt).unwrap();
        let error = ledger.redeem(&receipt, &draw(1)).unwrap_err();
        assert!(matches!(error, LedgerError::Receipt(ReceiptError::NoCharge { .. })), "{error}");
        assert!(ledger.reissue(&receipt, &part("a", 1.0)).is_err() && ledger.redeemed(&receipt).is_none());
    }
    for bad in ["", "abc", &draw(1).to_uppercase(), &format!("{} ", &draw(1)[1..])] {
        let error = ledger.redeem(&receipt, bad).unwrap_err();
        assert!(matches!(error, LedgerError::Receipt(ReceiptError::Digest(_))), "{error}");
    }
    assert_eq!(fs::read(&path).unwrap(), before);
    ledger.file.as_mut().unwrap().make_unwritable();
    assert!(matches!(ledger.redeem(&receipt, &draw(1)), Err(LedgerError::Io { .. })));
    assert!(matches!(ledger.redeem(&receipt, &draw(1)), Err(LedgerError::Broken)));
    assert_eq!(ledger.redeemed(&receipt), None);
}

/// The receipt is known before the charge is made, and tells afterwards whether it was.
#[test]
fn an_announced_charge_is_found_again_after_a_crash() {
    let (_folder, path) = place();
    let mut ledger = Ledger::open(&path, None).unwrap();
    let announced = ledger.announce(part("a", 1.0)).unwrap();
    let receipt = announced.receipt().unwrap().clone();
    drop(announced);
    assert!(ledger.spent().is_empty());
    assert!(matches!(ledger.holds(&receipt), Err(ReceiptError::Shorter { .. })), "it was not paid");
    let announced = ledger.announce(part("a", 1.0)).unwrap();
    let receipt = announced.receipt().unwrap().clone();
    let paid = announced.pay().unwrap();
    assert_eq!(paid.receipt(), Some(&receipt));
    drop((paid, ledger));
    let ledger = Ledger::open(&path, None).unwrap();
    assert!(ledger.reissue(&receipt, &part("a", 1.0)).is_ok());
    assert!(Ledger::in_memory(None).announce(part("a", 1.0)).unwrap().receipt().is_none());
}

/// A run that gave its charge a name of its own finds it by that; nothing else does.
#[test]
fn a_charge_is_found_by_its_own_name_only() {
    let (_folder, path) = place();
    let mut ledger = Ledger::open(&path, None).unwrap();
    assert!(ledger.find(&part("run 1", 0.7)).is_none(), "never charged");
    let receipt = ledger.charge_part(part("run 1", 0.7)).unwrap().receipt().unwrap().clone();
    assert_eq!(ledger.find(&part("run 1", 0.7)), Some(receipt.clone()));
    assert!(ledger.find(&part("run 2", 0.7)).is_none());
    assert!(ledger.find(&part("run 1", 0.8)).is_none(), "another cost is another charge");
    ledger.charge_part(part("run 1", 0.7)).unwrap();
    assert!(ledger.find(&part("run 1", 0.7)).is_none(), "an ambiguous name proves nothing");
    ledger.redeem(&receipt, &draw(1)).unwrap();
    assert!(ledger.find(&part("run 1", 0.7)).is_some(), "one of them is used up");
}
