//! Charging, composing, ceilings; what else there is to test is in the files below.

mod damage;
mod faults;
mod groups;
mod names;
mod neighbours;
mod old;
mod receipts;

use super::super::{Delta, Epsilon, Mu, RenyiCurve};
use super::*;
use std::fs;
use std::path::PathBuf;

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
    assert_eq!(
        ledger.ceilings().iter().map(|one| one.loss).collect::<Vec<_>>(),
        [gaussian(4.9), gaussian(100.0)]
    );
    ledger.charge("small", gaussian(1.0)).unwrap();
}

#[test]
fn ceilings_in_epsilon_and_delta_count_every_kind() {
    let mut ledger = Ledger::in_memory(Some(approximate(2.0, 1e-6)));
    ledger.charge("pure", approximate(0.5, 0.0)).unwrap();
    let mu = Mu::within(Epsilon::new(1.2).unwrap(), Delta::new(5e-7).unwrap()).unwrap();
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

#[test]
fn a_failed_write_hands_out_nothing_and_breaks_the_ledger() {
    let (_folder, path) = place();
    let mut ledger = Ledger::open(&path, None).unwrap();
    // A handle that cannot write stands in for a full disk.
    ledger.file.as_mut().unwrap().make_unwritable();
    assert!(matches!(ledger.charge("a", gaussian(1.0)), Err(LedgerError::Io { .. })));
    assert!(matches!(ledger.charge("a", gaussian(1.0)), Err(LedgerError::Broken)));
    assert!(matches!(ledger.add_ceiling(gaussian(1.0)), Err(LedgerError::Broken)));
    assert!(ledger.spent().is_empty());
    // It is not removed either: what it holds is not known.
    ledger.withdraw();
    assert!(path.exists());
}

/// Thousands of draws are one line, one write, and a proof for each.
#[test]
fn many_draws_are_one_line() {
    let (_folder, path) = place();
    let mut ledger = Ledger::open(&path, Some(gaussian(10.0))).unwrap();
    let draws = |times| Part { mechanism: "mean".into(), times, cost: Cost::Loss(gaussian(0.1)) };
    let paid = ledger.charge_part(draws(8000)).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 4);
    let receipt = paid.receipt().cloned();
    let all = paid.split_equally(8000).unwrap();
    assert!(all.iter().all(|one| one.loss() == gaussian(0.1) && one.receipt() == receipt.as_ref()));
    // The ceiling counts them all.
    assert!(matches!(ledger.charge_part(draws(2001)), Err(LedgerError::AboveCeiling { .. })));
    ledger.charge_part(draws(2000)).unwrap();
    assert!((spent_mu(&ledger) - 10.0).abs() < 1e-12);
}

/// Ten thousand charges one by one: linear work but for a sum of numbers, and the ceiling holds to the last.
#[test]
#[ignore = "needs a disk that is synced ten thousand times"]
fn thousands_of_charges_one_by_one() {
    let (_folder, path) = place();
    let n = 10_000;
    let mut ledger = Ledger::open(&path, Some(gaussian(10.0))).unwrap();
    let mut times = Vec::new();
    for _ in 0..n / 1000 {
        let start = std::time::Instant::now();
        for _ in 0..1000 {
            ledger.charge("mean", gaussian(0.1)).unwrap();
        }
        times.push(start.elapsed().as_secs_f64());
    }
    eprintln!("seconds for each thousand: {times:.2?}");
    assert!(matches!(ledger.charge("mean", gaussian(0.1)), Err(LedgerError::AboveCeiling { .. })));
    drop(ledger);
    let start = std::time::Instant::now();
    assert_eq!(Ledger::open(&path, None).unwrap().spent().parts().len(), n);
    eprintln!("opened in {:.3} s", start.elapsed().as_secs_f64());
}

#[test]
fn a_ledger_that_came_to_nothing_is_removed_by_whoever_began_it() {
    let (_folder, path) = place();
    Ledger::open(&path, None).unwrap().withdraw();
    assert!(!path.exists());
    for used in [true, false] {
        let mut ledger = Ledger::open(&path, None).unwrap();
        if used {
            ledger.charge("a", gaussian(1.0)).unwrap();
        } else {
            ledger.add_ceiling(gaussian(9.0)).unwrap();
        }
        ledger.withdraw();
        // Not by who only opened it, either.
        Ledger::open(&path, None).unwrap().withdraw();
        assert!(path.exists());
        fs::remove_file(&path).unwrap();
    }
    drop(Ledger::open(&path, None).unwrap());
    Ledger::open(&path, None).unwrap().withdraw();
    assert!(path.exists());
}

/// A new ledger in the place of one that is gone would forget what it held.
#[test]
fn a_ledger_that_must_be_there_is_not_begun() {
    let (_folder, path) = place();
    let open = || Ledger::open_existing(&path, Duration::ZERO);
    assert!(matches!(open(), Err(LedgerError::Missing(_))));
    assert!(!path.exists());
    for nothing in ["", "{\"n\":0,\"previous\":\"\",\"entry\":{\"kind\":\"open\",\"for"] {
        fs::write(&path, nothing).unwrap();
        assert!(matches!(open(), Err(LedgerError::Missing(_))));
        assert_eq!(fs::read_to_string(&path).unwrap(), nothing);
    }
    Ledger::open(&path, None).unwrap().charge("a", gaussian(1.0)).unwrap();
    assert_eq!(spent_mu(&open().unwrap()), 1.0);
}

/// Clients beginning and charging one ledger at once: all that is handed out is on record and below the ceiling.
#[test]
fn many_at_once_never_exceed_the_ceiling() {
    let (_folder, path) = place();
    let ceiling = Some(gaussian(3.0));
    let charged: u32 = std::thread::scope(|scope| {
        let client = |k: u32| {
            let path = &path;
            move || {
                let mut charged = 0;
                loop {
                    let mut ledger = Ledger::open_waiting(path, ceiling, Duration::from_secs(600)).unwrap();
                    match ledger.charge(&format!("client {k}"), gaussian(0.5)) {
                        Ok(_) => charged += 1,
                        Err(LedgerError::AboveCeiling { .. }) => return charged,
                        Err(error) => panic!("{error}"),
                    }
                }
            }
        };
        let clients: Vec<_> = (0..8).map(|k| scope.spawn(client(k))).collect();
        clients.into_iter().map(|client| client.join().unwrap()).sum()
    });
    // (3 / 0.5)² charges of 0.5.
    assert_eq!(charged, 36);
    assert_eq!(Ledger::history(&path).unwrap().charges.len(), 36);
}
