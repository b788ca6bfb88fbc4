//! Groups in ledgers: registered once, in parallel, exact for mixed kinds.

use super::super::super::{Charge, ChargeError, PartitionError};
use super::*;

pub(super) fn people() -> Partition {
    Partition::of([("a", "F"), ("b", "F"), ("c", "M"), ("d", "M"), ("e", "M")]).unwrap()
}

/// A mean of each group at `mu`, after a first pass over everyone at 1.
pub(super) fn means(partition: &Partition, mu: f64) -> GroupedPart {
    let mut release = GroupedPart::new("group means", partition.clone());
    release.everyone("first pass", 1, Cost::Loss(gaussian(1.0)));
    for group in partition.groups() {
        release.group(&group.label, "mean", 1, Cost::Loss(gaussian(mu))).unwrap();
    }
    release
}

fn only(partition: &Partition, label: &str, loss: PrivacyLoss) -> GroupedPart {
    let mut release = GroupedPart::new("one group", partition.clone());
    release.group(label, "mean", 1, Cost::Loss(loss)).unwrap();
    release
}

#[test]
fn groups_of_one_partition_compose_in_parallel_and_over_runs() {
    let (_folder, path) = place();
    let mut ledger = Ledger::open(&path, None).unwrap();
    ledger.add_ceiling_for(gaussian(5.0), people().neighbours()).unwrap();
    let paid = ledger.charge_groups(&means(&people(), 2.0)).unwrap();
    let PrivacyLoss::Gaussian(mu) = paid.loss() else { panic!() };
    assert!((mu.get() - 5f64.sqrt()).abs() < 1e-12);
    // One line registers, one charges, one seals; the proof is divided along the entries.
    assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 5);
    let parts = paid.split_parts().unwrap();
    let labels: Vec<_> = parts.iter().map(|part| part.group().map(|group| group.label())).collect();
    assert_eq!(labels, [None, Some("F"), Some("M")]);
    assert_eq!(parts[2].loss(), gaussian(2.0));
    assert!(parts.iter().all(|part| part.receipt().is_some_and(|receipt| receipt.line == 3)));
    drop(ledger);
    // Another run: the worst group counts.
    let mut ledger = Ledger::open(&path, None).unwrap();
    assert_eq!(ledger.partition(), Some(&people()));
    ledger.charge_groups(&only(&people(), "M", gaussian(2.0))).unwrap();
    assert_eq!(spent_mu(&ledger), 3.0);
    ledger.charge_groups(&only(&people(), "F", gaussian(2.0))).unwrap();
    assert_eq!(spent_mu(&ledger), 3.0);
    // F and M up to the ceiling, each by itself; everyone's charges count for both.
    assert!(ledger.charge_groups(&only(&people(), "F", gaussian(4.1))).is_err());
    ledger.charge_groups(&only(&people(), "F", gaussian(4.0))).unwrap();
    assert!(ledger.charge("everyone", gaussian(0.5)).is_err());
    ledger.charge_groups(&only(&people(), "M", gaussian(4.0))).unwrap();
    assert_eq!(spent_mu(&ledger), 5.0);
    drop(ledger);
    let history = Ledger::history(&path).unwrap();
    assert_eq!(history.spent().mu().unwrap().unwrap().get(), 5.0);
    assert_eq!(history.charges.len(), 5);
}

#[test]
fn another_partition_adds_up() {
    let (_folder, path) = place();
    let mut ledger = Ledger::open(&path, None).unwrap();
    let ages =
        Partition::of([("a", "old"), ("b", "young"), ("c", "young"), ("d", "old"), ("e", "old")]).unwrap();
    // Before anything is registered either would do.
    let of = |part: Part| Composition::from(part).mu().unwrap().unwrap().get();
    assert!((of(ledger.as_recorded(&means(&ages, 2.0)).unwrap()) - 5f64.sqrt()).abs() < 1e-12);
    ledger.charge_groups(&only(&people(), "F", gaussian(1.0))).unwrap();
    assert_eq!(of(ledger.as_recorded(&means(&ages, 2.0)).unwrap()), 3.0);
    let paid = ledger.charge_groups(&means(&ages, 2.0)).unwrap();
    assert_eq!(paid.loss(), gaussian(3.0));
    // They are borne by everyone, so each of them pays for a draw from anyone.
    assert!(paid.split_parts().unwrap().iter().all(|part| part.group().is_none()));
    assert!((spent_mu(&ledger) - 10f64.sqrt()).abs() < 1e-12);
    assert_eq!(ledger.partition(), Some(&people()));
    // The same people in the same groups under other labels are another partition, too.
    let renamed = Partition::of([("a", "x"), ("b", "x"), ("c", "y"), ("d", "y"), ("e", "y")]).unwrap();
    assert_eq!(of(ledger.as_recorded(&means(&renamed, 2.0)).unwrap()), 3.0);
}

#[test]
fn a_group_is_charged_with_its_partition_only() {
    let mut ledger = Ledger::in_memory(None);
    let part = ledger.as_recorded(&means(&people(), 2.0)).unwrap();
    assert!(matches!(ledger.charge_part(part.clone()), Err(LedgerError::GroupWithoutPartition)));
    assert!(matches!(ledger.announce(part.clone()), Err(LedgerError::GroupWithoutPartition)));
    let mut nested = GroupedPart::new("nested", people());
    nested.everyone("inner", 1, part.cost);
    assert!(matches!(ledger.charge_groups(&nested), Err(LedgerError::GroupWithoutPartition)));
    let unknown = GroupedPart::new("m", people()).group("X", "m", 1, Cost::Loss(gaussian(1.0))).err();
    assert_eq!(unknown, Some(PartitionError::Unknown("X".into())));
    assert!(ledger.spent().is_empty() && ledger.partition().is_none());
}

/// A payment by one group does not pay for a draw from everyone.
#[test]
fn a_charge_of_several_groups_has_to_be_divided() {
    let mut ledger = Ledger::in_memory(None);
    let paid = || ledger.charge_groups(&means(&people(), 2.0)).unwrap();
    let (mut paid, one) = (paid, gaussian(0.1));
    assert_eq!(paid().check(one).unwrap_err(), ChargeError::Groups);
    assert_eq!(paid().split(&[one]).unwrap_err(), ChargeError::Groups);
    let parts = paid().split_parts().unwrap();
    let [first, f, _] = <[Charge; 3]>::try_from(parts).unwrap();
    assert!(first.check(gaussian(1.0)).is_ok() && f.check(gaussian(2.0)).is_ok());
    let f = f.split(&[gaussian(1.0), gaussian(1.5)]).unwrap();
    assert!(f.iter().all(|part| part.group().is_some_and(|group| group.label() == "F")));
}

/// Questions are asked of each group by itself; the worst may be another one each time.
#[test]
fn mixed_kinds_are_exact() {
    let mut ledger = Ledger::in_memory(None);
    // F: pure ε = 2; M: μ = 1, and for both (ε, δ) from everyone.
    ledger.charge_groups(&only(&people(), "F", approximate(2.0, 0.0))).unwrap();
    ledger.charge_groups(&only(&people(), "M", gaussian(1.0))).unwrap();
    ledger.charge("everyone", approximate(0.1, 1e-9)).unwrap();
    let alone = |loss: PrivacyLoss| {
        let mut one = Composition::new();
        one.add("own", loss).add("everyone", approximate(0.1, 1e-9));
        one
    };
    let (f, m) = (alone(approximate(2.0, 0.0)), alone(gaussian(1.0)));
    let mut worst = Vec::new();
    for delta in [1e-8, 1e-4, 1e-2, 0.2] {
        let delta = Delta::new(delta).unwrap();
        let at = |of: &Composition| of.epsilon_at(delta).unwrap().epsilon;
        assert_eq!(at(ledger.spent()), if at(&f) > at(&m) { at(&f) } else { at(&m) });
        worst.push(at(&f) > at(&m));
    }
    assert!(worst.contains(&true) && worst.contains(&false), "{worst:?}");
    assert_eq!(ledger.spent().mu().unwrap(), None, "an (ε, δ) loss has no μ");
    // A ceiling that has room for each group, and that a sum over groups would exceed.
    let mut limited = Ledger::in_memory(None);
    limited.add_ceiling_for(approximate(8.0, 0.05), people().neighbours()).unwrap();
    limited.charge("everyone", approximate(0.1, 1e-9)).unwrap();
    limited.charge_groups(&only(&people(), "F", approximate(2.0, 0.0))).unwrap();
    limited.charge_groups(&only(&people(), "M", gaussian(1.0))).unwrap();
    let mut summed = Ledger::in_memory(Some(approximate(8.0, 0.05)));
    summed.charge("F", approximate(2.1, 1e-9)).unwrap();
    assert!(summed.charge("M", gaussian(1.0)).is_ok() && summed.charge("F", approximate(2.0, 0.0)).is_err());
}

#[test]
fn a_certificate_states_its_groups() {
    let (_folder, path) = place();
    let mut ledger = Ledger::open(&path, None).unwrap();
    let part = ledger.as_recorded(&means(&people(), 2.0)).unwrap();
    let paid = ledger.charge_groups(&means(&people(), 2.0)).unwrap();
    let mut statement = super::super::super::Statement::new("group means", 5, paid.loss());
    statement.composition.push(part.mechanism.clone(), part.times, part.cost.clone());
    // For records that change their group the parts are no bound.
    assert!(statement.clone().certify().is_err());
    statement.neighbours = part.neighbours();
    statement.ledger = paid.receipt().cloned();
    let certificate = statement.certify().unwrap();
    let text = certificate.to_json().unwrap();
    let read = super::super::super::Certificate::from_json(&text).unwrap();
    assert_eq!(read, certificate);
    assert!(ledger.holds(&read.ledger.unwrap()).is_ok());
    // Two ledgers' groups may overlap: their compositions are not added up as if they did not.
    let mut other = Ledger::in_memory(None);
    other.charge_groups(&means(&people(), 2.0)).unwrap();
    let mut both = other.spent().clone();
    both.push(part.mechanism, part.times, part.cost);
    assert!(
        both.mu().is_err() && both.total().is_err() && both.epsilon_at(Delta::new(0.1).unwrap()).is_err()
    );
}
