//! Sums and ceilings for each neighbour relation, seeded charges, and certificates that are bound.

use super::*;
use crate::privacy::{Adjacency, Neighbours, ReceiptError};

fn part(mu: f64, neighbours: Neighbours, seeded: bool) -> Part {
    let part = Part { mechanism: "m".into(), times: 1, cost: Cost::Loss(gaussian(mu)) };
    part.with_terms(neighbours, seeded)
}

fn within(partition: &str) -> Neighbours {
    Neighbours::default().within(partition)
}

/// What the ledger says of each relation: its name, its loss, and which releases have no bound.
fn rows(ledger: &Ledger) -> Vec<(Adjacency, Option<f64>, Vec<usize>)> {
    let sums = ledger.on_record().sums();
    let mu = |loss| if let PrivacyLoss::Gaussian(mu) = loss { mu.get() } else { f64::NAN };
    sums.iter()
        .map(|sum| (sum.neighbours.adjacency(), sum.loss().unwrap().map(mu), sum.unbounded.clone()))
        .collect()
}

#[test]
fn a_loss_counts_for_every_relation_that_it_covers_and_for_no_other() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("l.jsonl");
    let mut ledger = Ledger::open(&path, None).unwrap();
    for (mu, neighbours) in [(3.0, Neighbours::default()), (4.0, within("p")), (12.0, within("q"))] {
        ledger.charge_part(part(mu, neighbours, false)).unwrap();
    }
    drop(ledger);
    let ledger = Ledger::open(&path, None).unwrap();
    let found = rows(&ledger);
    assert_eq!(found.len(), 4);
    assert_eq!(found[0], (Adjacency::ReplaceOne, None, vec![2, 3]));
    let [p, both, q] = [1, 2, 3].map(|at| found[at].clone());
    assert_eq!((p.1, p.2), (None, vec![3]));
    assert_eq!((both.1, both.2), (Some(13.0), vec![]));
    assert_eq!((q.1, q.2), (None, vec![2]));
    // A sum of the two that are stated for one partition is for that partition.
    let spent = ledger.spent().parts()[..2].iter().cloned().map(Composition::from);
    let two = spent.fold(Composition::new(), |mut all, one| {
        one.parts().iter().for_each(|p| {
            all.push(p.mechanism.clone(), p.times, p.cost.clone());
        });
        all
    });
    assert_eq!(two.common_neighbours(), within("p"));
    assert_eq!(two.for_neighbours(&within("p")).mu().unwrap().unwrap().get(), 5.0);
    assert!(!two.for_neighbours(&Neighbours::default()).total().unwrap().is_private());
}

#[test]
fn records_and_persons_are_not_added_up_for_persons() {
    let mut ledger = Ledger::in_memory(None);
    ledger.charge_part(part(3.0, Neighbours::default().of_persons(true), false)).unwrap();
    assert_eq!(rows(&ledger), [(Adjacency::ReplaceOnePerson, Some(3.0), vec![])]);
    ledger.charge_part(part(4.0, Neighbours::default(), false)).unwrap();
    let expected = [(Adjacency::ReplaceOne, Some(5.0), vec![]), (Adjacency::ReplaceOnePerson, None, vec![2])];
    assert_eq!(rows(&ledger), expected);
}

#[test]
fn a_ceiling_is_for_one_relation_and_nothing_without_a_bound_for_it_passes() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("l.jsonl");
    let mut ledger = Ledger::open(&path, Some(gaussian(5.0))).unwrap();
    ledger.charge("mean", gaussian(3.0)).unwrap();
    let refused = ledger.charge_part(part(0.1, within("p"), false)).unwrap_err().to_string();
    assert!(
        refused.contains("no bound") && refused.contains("one record replaced by any other"),
        "{refused}"
    );
    assert!(ledger.charge_part(part(0.1, Neighbours::default(), true)).is_err());
    drop(ledger);
    let path = dir.path().join("labels.jsonl");
    let mut ledger = Ledger::open(&path, None).unwrap();
    ledger.add_ceiling_for(gaussian(5.0), within("p")).unwrap();
    ledger.charge_part(part(3.0, within("p"), false)).unwrap();
    drop(ledger);
    let mut ledger = Ledger::open(&path, None).unwrap();
    assert_eq!((ledger.ceilings()[0].neighbours.clone(), ledger.ceilings()[0].after), (within("p"), 0));
    assert!(ledger.charge("mean", gaussian(4.1)).is_err());
    ledger.charge("mean", gaussian(3.9)).unwrap();
    ledger.add_ceiling(gaussian(9.0)).unwrap();
    assert_eq!(ledger.ceilings()[1].after, 2);
}

#[test]
fn seeded_charges_have_no_bound_and_leave_no_digest() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("l.jsonl");
    let mut ledger = Ledger::open(&path, None).unwrap();
    let charge = ledger.charge_part(part(1.0, Neighbours::default(), true)).unwrap();
    // It pays for the noise it was made for.
    assert!(charge.check(gaussian(1.0)).is_ok() && charge.check(gaussian(1.1)).is_err());
    let receipt = charge.receipt().unwrap().clone();
    ledger.redeem(&receipt, &"ab".repeat(32)).unwrap();
    ledger.publish(&receipt, &"cd".repeat(32)).unwrap();
    assert_eq!(rows(&ledger), [(Adjacency::ReplaceOne, None, vec![1])]);
    drop(ledger);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(!text.contains("abab") && !text.contains("cdcd"), "{text}");
    assert!(Ledger::history(&path).unwrap().charges[0].part.is_seeded());
}

#[test]
fn certificates_are_bound_after_the_draw_and_once_each() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("l.jsonl");
    let mut ledger = Ledger::open(&path, None).unwrap();
    let receipt = ledger.charge("m", gaussian(1.0)).unwrap().receipt().unwrap().clone();
    let [draw, first, second] = ["ab", "cd", "ef"].map(|two| two.repeat(32));
    let early = ledger.publish(&receipt, &first).unwrap_err();
    assert!(matches!(early, LedgerError::Receipt(ReceiptError::NotRedeemed { .. })), "{early}");
    ledger.redeem(&receipt, &draw).unwrap();
    assert!(ledger.publish(&receipt, "certificate").is_err());
    for certificate in [&first, &first, &second] {
        ledger.publish(&receipt, certificate).unwrap();
    }
    drop(ledger);
    let history = Ledger::history(&path).unwrap();
    assert_eq!(history.charges[0].published, [first, second]);
    assert_eq!(history.sums().len(), 1);
}

/// Lines of earlier versions, which say of no charge whom it protects.
#[test]
fn comparisons_charged_by_earlier_versions_published_labels() {
    let mut ledger = Ledger::in_memory(None);
    ledger.charge("groups in two rounds", gaussian(1.0)).unwrap();
    ledger.charge("mean in two rounds", gaussian(1.0)).unwrap();
    let found = rows(&ledger);
    assert_eq!(found[0], (Adjacency::ReplaceOne, None, vec![1]));
    assert_eq!((found[1].0, found[1].2.len()), (Adjacency::ReplaceOneWithinGroups, 0));
}
