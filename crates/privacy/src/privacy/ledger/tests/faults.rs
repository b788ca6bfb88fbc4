//! A ledger stopped at every operation on its file: what was handed out is in the sum, nothing is in it twice, and it opens.

use super::super::super::Receipt;
use super::*;
use crate::fault::{self, After, Fault, Outcome};
use std::cell::Cell;

/// The errors of a failing disk, missing rights, a full disk, an append-only file and a read-only file system; then the ends of a
/// process, and of the power.
fn troubles(k: u32) -> (Vec<Fault>, Vec<After>) {
    let errors = [5, 13, 28, 1, 30].map(Fault::Error);
    let faults = errors.into_iter().chain([Fault::Full, Fault::Short]).collect();
    (faults, vec![After::All, After::Nothing, After::Names, After::Contents, After::Some(u64::from(k))])
}

/// Opens a ledger, which may have a torn end, charges it and redeems the charge; what was handed out by whom.
fn work(path: &Path, handed_out: &Cell<bool>) -> Result<(), LedgerError> {
    let mut ledger = Ledger::open(path, Some(gaussian(9.0)))?;
    let charge = ledger.charge("b", gaussian(4.0))?;
    handed_out.set(true);
    ledger.redeem(charge.receipt().ok_or(LedgerError::Broken)?, &"5e".repeat(32))
}

#[test]
fn a_ledger_that_is_stopped_anywhere_forgets_nothing() {
    let (_start, path) = place();
    Ledger::open(&path, None).unwrap().charge("a", gaussian(3.0)).unwrap();
    let whole = fs::read(&path).unwrap();
    let mut cases = 0;
    // As it is; with a torn seal; with a torn charge; not there at all.
    let charge = whole.windows(9).position(|w| w == b"unix_time").unwrap();
    for (start, before) in
        [(&whole[..], 3.0), (&whole[..whole.len() - 9], 3.0), (&whole[..charge + 4], 3.0), (&[], 0.0)]
    {
        for k in 0.. {
            let (faults, powers) = troubles(k);
            let mut ended = false;
            for trouble in faults.iter().copied().map(Ok).chain(powers.into_iter().map(Err)) {
                let (room, path) = place();
                if !start.is_empty() {
                    fs::write(&path, start).unwrap();
                }
                let handed_out = Cell::new(false);
                let outcome = match trouble {
                    Ok(fault) => fault::with(fault, k, || work(&path, &handed_out)),
                    Err(after) => fault::crashed(room.path(), after, k, || work(&path, &handed_out)),
                };
                let what = match outcome {
                    Outcome::Whole(done) => {
                        done.unwrap();
                        ended = true;
                        break;
                    }
                    Outcome::Struck(what, _) | Outcome::Crashed(what) => what,
                };
                cases += 1;
                let context = format!("{trouble:?} at {k}, {what}, {} bytes before", start.len());
                let ledger = Ledger::open(&path, None).unwrap_or_else(|e| panic!("{context}: {e}"));
                let spent = spent_mu(&ledger);
                let least = if handed_out.get() { f64::hypot(before, 4.0) } else { before };
                assert!(spent >= least && spent <= f64::hypot(before, 4.0), "{context}: {spent}");
                drop(ledger);
                assert_eq!(spent_mu(&Ledger::open(&path, None).unwrap()), spent, "{context}");
            }
            if ended {
                assert!(k > 5, "only {k} operations");
                break;
            }
        }
    }
    assert!(cases > 400, "{cases}");
    eprintln!("{cases} cases");
}

/// A charge that was half written is completed by the run that announced it, instead of being made twice; by another run it counts.
#[test]
fn an_announced_charge_is_completed() {
    let (_folder, path) = place();
    let mut ledger = Ledger::open(&path, None).unwrap();
    ledger.charge("a", gaussian(3.0)).unwrap();
    let part = Part { mechanism: "b".into(), times: 1, cost: Cost::Loss(gaussian(4.0)) };
    let announced = ledger.announce(part).unwrap();
    let (lines, receipt) = (announced.lines().to_owned(), announced.receipt().cloned().unwrap());
    drop(ledger);
    let before = fs::read(&path).unwrap();
    let open = |announced: &str| Ledger::open_completing(&path, None, Duration::ZERO, announced).unwrap();
    for cut in 0..lines.len() {
        let torn = [&before, &lines.as_bytes()[..cut]].concat();
        fs::write(&path, &torn).unwrap();
        let counted = spent_mu(&open(""));
        fs::write(&path, &torn).unwrap();
        let ledger = open(&lines);
        assert_eq!(spent_mu(&ledger), counted, "cut at {cut}");
        // It counts once, and can be gone on with.
        if counted == 5.0 {
            ledger.holds(&receipt).unwrap();
            assert!(!ledger.was_repaired() || cut > lines.find('\n').unwrap());
        }
        drop(ledger);
        // Lines of another moment complete nothing.
        fs::write(&path, &torn).unwrap();
        assert_eq!(spent_mu(&open(&lines.replace("\"n\":3", "\"n\":4"))), counted);
        // What has nothing torn is left alone.
        fs::write(&path, &before).unwrap();
        assert_eq!(spent_mu(&open(&lines)), 3.0);
    }
}

/// A charge that was half written counts wherever it is cut as soon as its loss can be read, at every moment of its repair by another
/// run; and the run that had announced it goes on with it, once.
#[test]
fn a_charge_completed_by_another_run_is_found_again() {
    let (_folder, path) = place();
    let mut ledger = Ledger::open(&path, None).unwrap();
    ledger.charge("a", gaussian(3.0)).unwrap();
    let part = Part { mechanism: "b".into(), times: 1, cost: Cost::Loss(gaussian(4.0)) };
    let announced = ledger.announce(part.clone()).unwrap();
    let (lines, receipt) = (announced.lines().to_owned(), announced.receipt().cloned().unwrap());
    drop(ledger);
    let before = fs::read(&path).unwrap();
    let legible = lines.find(",\"unix_time\"").unwrap();
    for cut in 1..lines.len() {
        let torn = [&before, &lines.as_bytes()[..cut]].concat();
        fs::write(&path, &torn).unwrap();
        let counted = Ledger::history(&path).unwrap().charges.len();
        assert_eq!(counted, if cut < legible { 1 } else { 2 }, "cut at {cut}");
        // Another run, which charges something of its own.
        let mut other = Ledger::open(&path, None).unwrap();
        assert_eq!(other.spent().parts().len(), counted, "cut at {cut}");
        other.charge("c", gaussian(1.0)).unwrap();
        drop(other);
        // (Half of the line after it, which counts nothing, is cut off.)
        if (legible..=lines.find('\n').unwrap()).contains(&cut) {
            let now = fs::read(&path).unwrap();
            assert!(now.starts_with(&torn), "cut at {cut}: completed where it stands");
        }
        let mut ledger = Ledger::open(&path, None).unwrap();
        // With the line as announced, or with another time and check.
        let own = match ledger.holds(&receipt) {
            Ok(()) => Some(receipt.clone()),
            Err(_) => ledger.adoptable(&receipt, &lines),
        };
        assert_eq!(own.is_some(), cut >= legible, "cut at {cut}");
        let Some(own) = own else { continue };
        assert_eq!(ledger.adoptable(&receipt, &lines.replace("nonce\":\"", "nonce\":\"0")), None);
        assert_eq!(ledger.reissue(&own, &part).unwrap().receipt(), Some(&own));
        ledger.adopt(&own).unwrap();
        assert_eq!(ledger.spent().parts().len(), counted + 1, "cut at {cut}");
        // Once and for all.
        let unknown = Receipt { head: "5e".repeat(32), ..receipt.clone() };
        assert_eq!(ledger.adoptable(&unknown, &lines), None, "cut at {cut}");
        let length = fs::metadata(&path).unwrap().len();
        ledger.adopt(&own).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().len(), length, "once is enough");
        ledger.redeem(&own, &"1a".repeat(32)).unwrap();
        drop(ledger);
        assert_eq!(Ledger::open(&path, None).unwrap().redeemed(&own), Some("1a".repeat(32)));
    }
    // A charge that was handed out is no other run's, and neither is one of another ledger.
    fs::write(&path, [&before, lines.as_bytes()].concat()).unwrap();
    let ledger = Ledger::open(&path, None).unwrap();
    let foreign = Receipt { head: "5e".repeat(32), ..receipt.clone() };
    assert_eq!(ledger.adoptable(&foreign, &lines), None);
    drop(ledger);
    fs::write(&path, [&before, &lines.as_bytes()[..legible]].concat()).unwrap();
    let ledger = Ledger::open(&path, None).unwrap();
    assert_eq!(ledger.adoptable(&Receipt { id: "0".repeat(32), ..foreign }, &lines), None);
}

/// The disk fails, or the power, at every operation of such a repair: the sum stays what it was throughout.
#[test]
fn a_repair_that_is_stopped_anywhere_keeps_the_sum() {
    let (_start, path) = place();
    let mut ledger = Ledger::open(&path, None).unwrap();
    let part = Part { mechanism: "b".into(), times: 1, cost: Cost::Loss(gaussian(4.0)) };
    let lines = ledger.announce(part).unwrap().lines().to_owned();
    drop(ledger);
    let begin = fs::read(&path).unwrap();
    let legible = lines.find(",\"unix_time\"").unwrap();
    let mut cases = 0;
    for cut in [legible, legible + 5, legible + 15, lines.find('\n').unwrap() - 9] {
        for k in 0..40 {
            let (faults, powers) = troubles(k);
            for trouble in faults.into_iter().map(Ok).chain(powers.into_iter().map(Err)) {
                let (room, path) = place();
                fs::write(&path, [&begin, &lines.as_bytes()[..cut]].concat()).unwrap();
                let work = || Ledger::open(&path, None).map(drop);
                let outcome = match trouble {
                    Ok(fault) => fault::with(fault, k, work),
                    Err(after) => fault::crashed(room.path(), after, k, work),
                };
                if let Outcome::Whole(done) = outcome {
                    done.unwrap();
                    continue;
                }
                cases += 1;
                assert_eq!(Ledger::history(&path).unwrap().spent().mu().unwrap().map(Mu::get), Some(4.0));
                assert_eq!(spent_mu(&Ledger::open(&path, None).unwrap()), 4.0, "{trouble:?} at {k}");
            }
        }
    }
    assert!(cases > 200, "{cases}");
}

/// Times are told, and nothing follows from them.
#[test]
fn a_clock_that_goes_back_changes_no_sum() {
    let (_folder, path) = place();
    let part = || Part { mechanism: "m".into(), times: 1, cost: Cost::Loss(gaussian(3.0)) };
    let mut chain = line::Chain::default();
    let entries = [
        file::opening().unwrap(),
        Entry::Charge { nonce: None, part: part(), unix_time: u64::MAX },
        Entry::Charge { nonce: None, part: part(), unix_time: 0 },
    ];
    let text: String = entries.iter().map(|entry| chain.write(entry).unwrap()).collect();
    fs::write(&path, text).unwrap();
    let mut ledger = Ledger::open(&path, Some(gaussian(6.0))).unwrap();
    ledger.charge("now", gaussian(4.0)).unwrap();
    assert!((spent_mu(&ledger) - 34f64.sqrt()).abs() < 1e-12);
    assert!(matches!(ledger.charge("now", gaussian(4.0)), Err(LedgerError::AboveCeiling { .. })));
    drop(ledger);
    assert_eq!(Ledger::history(&path).unwrap().charges.len(), 3);
}

/// `chattr +a`: the file can be charged, a torn charge that counts is completed, and nothing is cut off.
#[cfg(target_os = "linux")]
#[test]
#[ignore = "needs root, and a file system with append-only files"]
fn an_append_only_file_is_charged_and_never_cut() {
    let (_folder, path) = place();
    let attribute = |what: &str| {
        let done = std::process::Command::new("chattr").arg(what).arg(&path).status().unwrap();
        assert!(done.success(), "chattr {what}");
    };
    let mut ledger = Ledger::open(&path, None).unwrap();
    let part = Part { mechanism: "b".into(), times: 1, cost: Cost::Loss(gaussian(4.0)) };
    let lines = ledger.announce(part.clone()).unwrap().lines().to_owned();
    drop(ledger);
    let begin = fs::read(&path).unwrap();
    attribute("+a");
    let mut ledger = Ledger::open(&path, None).unwrap();
    ledger.charge("a", gaussian(3.0)).unwrap();
    drop(ledger);
    attribute("-a");
    assert_eq!(spent_mu(&Ledger::open(&path, None).unwrap()), 3.0);
    // Half a charge.
    let torn = [&begin, &lines.as_bytes()[..lines.find("unix_time").unwrap()]].concat();
    fs::write(&path, &torn).unwrap();
    attribute("+a");
    assert_eq!(Ledger::history(&path).unwrap().charges.len(), 1, "it counts");
    let mut ledger = Ledger::open(&path, None).unwrap();
    assert_eq!(spent_mu(&ledger), 4.0, "completed by whoever comes next");
    ledger.charge("c", gaussian(3.0)).unwrap();
    drop(ledger);
    attribute("-a");
    assert!(fs::read(&path).unwrap().starts_with(&torn));
    // By who announced it, as announced.
    fs::write(&path, &torn).unwrap();
    attribute("+a");
    let ledger = Ledger::open_completing(&path, None, Duration::ZERO, &lines).unwrap();
    assert_eq!((spent_mu(&ledger), ledger.was_repaired()), (4.0, false));
    drop(ledger);
    attribute("-a");
    // Half a charge whose loss cannot be read yet: it cannot be cut off, and nothing is changed.
    let torn = [&begin, &lines.as_bytes()[..lines.find("\"loss\"").unwrap()]].concat();
    fs::write(&path, &torn).unwrap();
    attribute("+a");
    let refused = Ledger::open(&path, None).unwrap_err();
    assert!(matches!(refused, LedgerError::Io { .. }), "{refused}");
    assert_eq!(fs::read(&path).unwrap(), torn);
    attribute("-a");
}

/// A file system that nothing can be written to: read, not charged, not changed.
#[cfg(target_os = "linux")]
#[test]
#[ignore = "needs root, to mount a file system read-only"]
fn read_only_media_are_read_and_not_charged() {
    let (folder, path) = place();
    let system = |program: &str, arguments: &[&str]| {
        let done = std::process::Command::new(program).args(arguments).arg(folder.path()).status().unwrap();
        assert!(done.success(), "{program}");
    };
    system("mount", &["-t", "tmpfs", "tmpfs"]);
    Ledger::open(&path, None).unwrap().charge("a", gaussian(3.0)).unwrap();
    let whole = fs::read(&path).unwrap();
    for bytes in [&whole[..], &whole[..whole.len() - 5]] {
        fs::write(&path, bytes).unwrap();
        system("mount", &["-o", "remount,ro"]);
        let refused = Ledger::open(&path, None).unwrap_err().to_string();
        assert!(
            refused.contains("Read-only file system") && refused.contains("nothing was charged"),
            "{refused}"
        );
        assert_eq!(Ledger::history(&path).unwrap().charges.len(), 1);
        assert_eq!(fs::read(&path).unwrap(), bytes);
        system("mount", &["-o", "remount,rw"]);
    }
    system("umount", &[]);
}
