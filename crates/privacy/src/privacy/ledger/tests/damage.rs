//! Cut, joined, doubled, reordered, flipped, converted: never a lower sum, never a lost file.

use super::super::content::{self, Damage, End};
use super::*;
use proptest::prelude::*;
use std::sync::OnceLock;

/// A ledger with every kind of line, and what had been handed out when it had how many bytes.
struct Example {
    bytes: Vec<u8>,
    /// Lengths at which nothing was being written, with the total μ paid so far.
    moments: Vec<(usize, f64)>,
}

impl Example {
    fn get() -> &'static Self {
        static EXAMPLE: OnceLock<Example> = OnceLock::new();
        EXAMPLE.get_or_init(Self::write)
    }

    fn write() -> Self {
        let (_folder, path) = place();
        let mut moments = Vec::new();
        let mut note = |ledger: &Ledger| {
            moments.push((fs::metadata(&path).unwrap().len() as usize, spent_mu(ledger)));
        };
        // For records that keep their group: groups are charged too.
        let within = groups::people().neighbours();
        let mut ledger = Ledger::open(&path, None).unwrap();
        ledger.add_ceiling_for(gaussian(90.0), within.clone()).unwrap();
        note(&ledger);
        let first = ledger.charge("one \u{e9} \"quoted\" \\ {[", gaussian(3.0)).unwrap();
        note(&ledger);
        ledger.redeem(first.receipt().unwrap(), &"1a".repeat(32)).unwrap();
        note(&ledger);
        let draws = Part { mechanism: "draws".into(), times: 16, cost: Cost::Loss(gaussian(1.0)) };
        let second = ledger.charge_part(draws).unwrap();
        note(&ledger);
        ledger.charge_groups(&groups::means(&groups::people(), 2.0)).unwrap();
        note(&ledger);
        ledger.add_ceiling_for(gaussian(80.0), within).unwrap();
        note(&ledger);
        ledger.redeem(second.receipt().unwrap(), &"2b".repeat(32)).unwrap();
        note(&ledger);
        ledger.charge("last", approximate(1.5, 0.0)).unwrap();
        note(&ledger);
        ledger.publish(first.receipt().unwrap(), &"3c".repeat(32)).unwrap();
        note(&ledger);
        Self { bytes: fs::read(&path).unwrap(), moments }
    }

    /// What had been handed out when the file had no more than these bytes.
    fn paid_at(&self, length: usize) -> f64 {
        self.moments.iter().filter(|(at, _)| *at <= length).map(|(_, paid)| *paid).fold(0.0, f64::max)
    }

    fn lines(&self) -> Vec<&[u8]> {
        self.bytes.split_inclusive(|b| *b == b'\n').collect()
    }
}

fn read(bytes: &[u8]) -> Result<LedgerHistory, Damage> {
    LedgerHistory::of(content::read(bytes)?)
}

/// What was spent; infinite when no μ bounds it.
fn mu(history: &LedgerHistory) -> f64 {
    match history.spent().mu().unwrap() {
        None if history.charges.is_empty() => 0.0,
        spent => spent.map_or(f64::INFINITY, Mu::get),
    }
}

/// Every prefix is what some interrupted write leaves: it opens, with everything that was handed out, and a torn charge
/// counts as soon as its loss can be read.
#[test]
fn a_file_cut_anywhere_keeps_all_that_was_handed_out() {
    let example = Example::get();
    for cut in 0..=example.bytes.len() {
        let history = read(&example.bytes[..cut]).unwrap_or_else(|e| panic!("cut at {cut}: {e:?}"));
        assert!(mu(&history) >= example.paid_at(cut), "cut at {cut}");
        assert!(mu(&history) <= example.paid_at(usize::MAX), "cut at {cut}");
    }
    // A torn charge: the second one's, from the end of its loss on, and not before.
    let text = String::from_utf8_lossy(&example.bytes);
    let loss = text.find("\"mu\":1.0}}").unwrap() + "\"mu\":1.0}}".len();
    assert_eq!(mu(&read(&example.bytes[..loss]).unwrap()), 5.0);
    assert_eq!(mu(&read(&example.bytes[..loss - 1]).unwrap()), 3.0);
}

/// The same through the file: repaired in place, charged further, and the old bytes kept.
#[test]
fn a_torn_file_is_repaired_and_goes_on() {
    let example = Example::get();
    let (_folder, path) = place();
    let kept = path.with_file_name(format!("{LEDGER_FILE}.bak"));
    let ends: Vec<usize> = example
        .lines()
        .iter()
        .scan(0, |at, line| {
            Some({
                *at += line.len();
                *at
            })
        })
        .collect();
    let near_ends = ends.iter().flat_map(|end| [end - 2, end - 1, *end, end + 1, end + 40, end + 150]);
    for cut in near_ends.chain((1..example.bytes.len()).step_by(211)) {
        let bytes = &example.bytes[..cut.min(example.bytes.len())];
        fs::write(&path, bytes).unwrap();
        let mut ledger = Ledger::open(&path, None).unwrap();
        let paid = spent_mu(&ledger);
        assert!(paid >= example.paid_at(bytes.len()), "cut at {cut}");
        let torn = matches!(content::read(bytes).unwrap().end, End::Torn { .. });
        if torn {
            assert_eq!(fs::read(&kept).unwrap(), bytes, "cut at {cut}");
        }
        assert_eq!(ledger.was_repaired(), torn && cut > ends[0], "cut at {cut}");
        ledger.charge("c", gaussian(12.0)).unwrap();
        drop(ledger);
        let again = Ledger::open(&path, None).unwrap();
        assert!((spent_mu(&again) - paid.hypot(12.0)).abs() < 1e-12, "cut at {cut}");
    }
}

/// What is left of a repair that was itself interrupted counts as what was repaired.
#[test]
fn an_interrupted_repair_is_repaired() {
    let example = Example::get();
    let (_folder, path) = place();
    let text = String::from_utf8_lossy(&example.bytes);
    let torn = text.find("\"mu\":1.0}},\"unix_time\"").unwrap() + 20;
    fs::write(&path, &example.bytes[..torn]).unwrap();
    assert_eq!(spent_mu(&Ledger::open(&path, None).unwrap()), 5.0);
    let repaired = fs::read(&path).unwrap();
    for cut in torn..=repaired.len() {
        assert_eq!(mu(&read(&repaired[..cut]).unwrap()), 5.0, "cut at {cut}");
        fs::write(&path, &repaired[..cut]).unwrap();
        assert_eq!(spent_mu(&Ledger::open(&path, None).unwrap()), 5.0, "cut at {cut}");
        assert_eq!(spent_mu(&Ledger::open(&path, None).unwrap()), 5.0, "cut at {cut}");
    }
}

/// Every torn charge that counts can be completed, whatever it is a charge of; and so can the line of a repair by an earlier version.
#[test]
fn what_counts_of_a_torn_line_can_be_completed() {
    let example = Example::get();
    let opening = || file::opening().unwrap();
    let salvaged = Some(Part { mechanism: "m".into(), times: 3, cost: Cost::Loss(gaussian(1.0)) });
    let mut chain = line::Chain::default();
    let earlier: String = [opening(), Entry::Repair { torn_bytes: 40, salvaged }]
        .iter()
        .map(|entry| chain.write(entry).unwrap())
        .collect();
    let mut completed = 0;
    for bytes in [&example.bytes[..], earlier.as_bytes()] {
        for cut in 0..bytes.len() {
            let content = content::read(&bytes[..cut]).unwrap();
            let End::Torn { salvaged: Some(_), .. } = content.end else { continue };
            let before = LedgerHistory::of(content.clone()).unwrap().spent();
            for now in [0, 5, 1_800_000_000, u64::MAX] {
                let rest = completion::of_anyone(&content, &bytes[..cut], now).unwrap();
                let whole = content::read(&[&bytes[..cut], rest.as_bytes()].concat()).unwrap();
                assert_eq!(whole.end, End::Whole, "cut at {cut}");
                assert_eq!(LedgerHistory::of(whole).unwrap().spent(), before, "cut at {cut}");
                completed += 1;
            }
        }
    }
    assert!(completed > 1000, "{completed}");
}

/// A torn charge that names a group of another ledger is none that an interrupted write leaves.
#[test]
fn a_torn_charge_of_unknown_groups_is_refused() {
    let example = Example::get();
    let text = std::str::from_utf8(&example.bytes).unwrap();
    let group = text.find("\"group\":{\"ledger\":\"").unwrap() + "\"group\":{\"ledger\":\"".len();
    let torn = group + text[group..].find("\"unix_time\"").unwrap() + 15;
    let mut bytes = example.bytes[..torn].to_vec();
    assert!(matches!(content::read(&bytes).unwrap().end, End::Torn { salvaged: Some(_), .. }));
    assert!(read(&bytes).is_ok());
    bytes[group] = if bytes[group] == b'0' { b'1' } else { b'0' };
    assert!(matches!(content::read(&bytes).unwrap().end, End::Torn { salvaged: Some(_), .. }));
    assert!(matches!(refused(&bytes), LedgerError::Corrupted { .. }));
}

#[test]
fn a_last_line_that_lacks_its_newline_counts() {
    let example = Example::get();
    let (_folder, path) = place();
    fs::write(&path, &example.bytes[..example.bytes.len() - 1]).unwrap();
    let ledger = Ledger::open(&path, None).unwrap();
    assert_eq!(spent_mu(&ledger), example.paid_at(usize::MAX));
    assert!(!ledger.was_repaired());
    assert_eq!(fs::read(&path).unwrap(), example.bytes);
    let charge = example.lines()[..5].concat();
    let history = read(&charge[..charge.len() - 1]).unwrap();
    assert_eq!(history, read(&charge).unwrap());
}

/// Refused whole, with the line, and left as it is.
fn refused(bytes: &[u8]) -> LedgerError {
    let (_folder, path) = place();
    fs::write(&path, bytes).unwrap();
    assert!(Ledger::history(&path).is_err());
    assert!(Ledger::open_existing(&path, Duration::ZERO).is_err());
    let error = Ledger::open(&path, Some(gaussian(1.0))).unwrap_err();
    assert_eq!(fs::read(&path).unwrap(), bytes);
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "nothing is put beside it");
    error
}

#[test]
fn lost_and_converted_line_ends_are_refused() {
    let bytes = &Example::get().bytes;
    let text = std::str::from_utf8(bytes).unwrap();
    let lines = text.lines().count() as u64;
    for (damaged, line, what) in [
        (text.replace('\n', ""), 1, "line ends"),
        (text.replace('\n', " "), 1, "line ends"),
        (text.replace('\n', "\r\n"), 1, "conversion"),
        (text.replace('\n', "\r"), 1, "line ends"),
        (format!("{text}\n"), lines + 1, "not a ledger line"),
        (format!("{text} "), lines + 1, "line ends"),
        (format!("{text}{}", "\0".repeat(9)), lines + 1, "line ends"),
        (format!("\u{feff}{text}"), 0, ""),
    ] {
        match refused(damaged.as_bytes()) {
            LedgerError::Corrupted { line: found, what: said, .. } => {
                assert!(found == line && said.contains(what), "line {found}: {said}");
            }
            LedgerError::Foreign(_) => assert_eq!(line, 0),
            other => panic!("{other}"),
        }
    }
    // Any one line end, also that of the last charge: joined lines are no torn tail.
    for (at, _) in bytes.iter().enumerate().filter(|(at, b)| **b == b'\n' && at + 1 < bytes.len()) {
        let damaged = [&bytes[..at], &bytes[at + 1..]].concat();
        assert!(matches!(refused(&damaged), LedgerError::Corrupted { .. }));
        // The joined lines are the last.
        let next = bytes[at + 1..].iter().position(|b| *b == b'\n').unwrap() + at + 1;
        for end in [next, next + 1, next - 30] {
            assert!(read(&[&bytes[..at], &bytes[at + 1..end]].concat()).is_err(), "joined at {at}, to {end}");
        }
    }
}

#[test]
fn lines_that_are_missing_doubled_or_in_another_order_are_refused() {
    let example = Example::get();
    let lines = example.lines();
    for at in 0..lines.len() {
        let mut doubled = lines.clone();
        doubled.insert(at, lines[at]);
        assert!(read(&doubled.concat()).is_err(), "line {at} doubled");
        if at + 1 < lines.len() {
            let mut removed = lines.clone();
            removed.remove(at);
            assert!(read(&removed.concat()).is_err(), "line {at} removed");
            let mut swapped = lines.clone();
            swapped.swap(at, at + 1);
            assert!(read(&swapped.concat()).is_err(), "line {at} swapped");
        }
    }
    let twice = [&example.bytes[..], &example.bytes[..]].concat();
    assert!(matches!(refused(&twice), LedgerError::Corrupted { .. }));
    // A torn line with another charge behind it is not the end of the file.
    let torn = [&lines[..3].concat()[..], &lines[3][..40], b"\n", lines[3]].concat();
    assert!(matches!(refused(&torn), LedgerError::Corrupted { line: 4, .. }));
    // What a charge costs is covered by its check.
    let text = String::from_utf8_lossy(&example.bytes).replace("\"mu\":3.0", "\"mu\":0.3");
    assert!(matches!(refused(text.as_bytes()), LedgerError::Corrupted { line: 3, .. }));
}

#[test]
fn every_flipped_bit_is_noticed() {
    let example = Example::get();
    for at in 0..example.bytes.len() {
        let mut changed = example.bytes.clone();
        changed[at] ^= 1 << (at % 8);
        assert!(read(&changed).is_err(), "byte {at}");
    }
}

#[test]
fn foreign_files_and_other_versions_are_told_apart() {
    for foreign in
        ["hello", "hello\n", "{}\n", "{\"epsilon\": 1}\n", "\u{0}\u{0}\n", "a,b\n1,2", "\r\n", "\n"]
    {
        assert!(matches!(refused(foreign.as_bytes()), LedgerError::Foreign(_)), "{foreign:?}");
    }
    assert!(matches!(refused(b"\xff\xfe\n"), LedgerError::Foreign(_)));
    let text = std::str::from_utf8(&Example::get().bytes).unwrap();
    let newer = text.replace("\"format\":2", "\"format\":3");
    let error = refused(newer.as_bytes());
    assert!(matches!(error, LedgerError::Version { found: 3, .. }), "{error}");
    // A kind of line that this version does not know, in its place and with its check, also as the last.
    let mut chain = line::Chain::default();
    let lines = Example::get().lines();
    chain.read(&lines[0][..lines[0].len() - 1]).unwrap();
    let body = format!("{}{{\"kind\":\"refund\",\"charge\":2}}", chain.opening());
    let check = crate::privacy::digest::sha256_hex(body.as_bytes());
    for end in ["\n", ""] {
        let unknown = format!("{}{body}{}{end}", String::from_utf8_lossy(lines[0]), line::ending(&check));
        let error = refused(unknown.as_bytes());
        assert!(matches!(error, LedgerError::Newer { line: 2, .. }), "{error}");
    }
}

/// Lines that are right in themselves and by their checks, but contradict those before.
#[test]
fn contradictions_are_refused() {
    let charge = Entry::Charge {
        nonce: None,
        part: Part { mechanism: "m".into(), times: 1, cost: Cost::Loss(gaussian(1.0)) },
        unix_time: 0,
    };
    let redeem = |charge, draw: &str| Entry::Redeem { charge, part: None, draw: draw.into() };
    let one = |part, draw: &str| Entry::Redeem { charge: 1, part: Some(part), draw: draw.into() };
    let open = || file::opening().unwrap();
    let partition = || Entry::Partition(groups::people());
    let of_group = |label: &str, ledger: &str| {
        let text = format!(
            r#"{{"mechanism":"m","group":{{"ledger":"{ledger}","label":"{label}"}},"loss":{{"mu":1.0}}}}"#
        );
        Entry::Charge { nonce: None, part: serde_json::from_str(&text).unwrap(), unix_time: 0 }
    };
    let forged = |entries: Vec<Entry>| {
        let mut chain = line::Chain::default();
        entries.iter().map(|entry| chain.write(entry).unwrap()).collect::<String>()
    };
    let same_twice = forged(vec![open(), charge.clone(), redeem(1, "x"), redeem(1, "x")]);
    assert!(read(same_twice.as_bytes()).is_ok());
    let each = forged(vec![open(), charge.clone(), one(0, "x"), one(1, "y"), one(1, "y")]);
    assert!(read(each.as_bytes()).is_ok());
    for (line, entries) in [
        (4, vec![open(), charge.clone(), one(0, "x"), one(0, "y")]),
        (4, vec![open(), charge.clone(), one(0, "x"), redeem(1, "y")]),
        (4, vec![open(), charge.clone(), redeem(1, "x"), one(0, "y")]),
        (4, vec![open(), charge.clone(), redeem(1, "x"), redeem(1, "y")]),
        (2, vec![open(), redeem(0, "x")]),
        (3, vec![open(), charge.clone(), open()]),
        (3, vec![open(), partition(), partition()]),
        (2, vec![open(), of_group("F", "")]),
        (3, vec![open(), partition(), of_group("F", "another")]),
    ] {
        let error = refused(forged(entries).as_bytes());
        assert!(
            matches!(error, LedgerError::Corrupted { line: found, .. } if found == line),
            "{line}: {error}"
        );
    }
    assert!(matches!(refused(forged(vec![charge]).as_bytes()), LedgerError::Foreign(_)));
}

/// What may happen to a file.
#[derive(Debug, Clone)]
enum Accident {
    Truncate(usize),
    Flip(usize, u8),
    Remove(usize, usize),
    Double(usize, usize),
    Insert(usize, Vec<u8>),
    Overwrite(usize, Vec<u8>),
    Join(usize),
    SwapLines(usize, usize),
}

fn accident() -> impl Strategy<Value = Accident> {
    let at = || 0usize..20_000;
    let junk = || prop::collection::vec(prop_oneof![any::<u8>(), Just(b'\n'), Just(b'"'), Just(b'}')], 1..40);
    prop_oneof![
        at().prop_map(Accident::Truncate),
        (at(), 0u8..8).prop_map(|(at, bit)| Accident::Flip(at, bit)),
        (at(), 1usize..2000).prop_map(|(at, n)| Accident::Remove(at, n)),
        (at(), 1usize..2000).prop_map(|(at, n)| Accident::Double(at, n)),
        (at(), junk()).prop_map(|(at, junk)| Accident::Insert(at, junk)),
        (at(), junk()).prop_map(|(at, junk)| Accident::Overwrite(at, junk)),
        at().prop_map(Accident::Join),
        (0usize..40, 0usize..40).prop_map(|(a, b)| Accident::SwapLines(a, b)),
    ]
}

impl Accident {
    fn happen(&self, bytes: &mut Vec<u8>) {
        let length = bytes.len().max(1);
        match self {
            Self::Truncate(at) => bytes.truncate(at % length),
            Self::Flip(at, bit) => {
                if let Some(byte) = bytes.get_mut(at % length) {
                    *byte ^= 1 << bit;
                }
            }
            Self::Remove(at, n) => {
                let from = (at % length).min(bytes.len());
                let to = (from + n).min(bytes.len());
                bytes.drain(from..to);
            }
            Self::Double(at, n) => {
                let from = (at % length).min(bytes.len());
                let part = bytes[from..(from + n).min(bytes.len())].to_vec();
                bytes.splice(from..from, part);
            }
            Self::Insert(at, junk) => {
                let from = (at % length).min(bytes.len());
                bytes.splice(from..from, junk.iter().copied());
            }
            Self::Overwrite(at, junk) => {
                for (byte, new) in bytes.iter_mut().skip(at % length).zip(junk) {
                    *byte = *new;
                }
            }
            Self::Join(at) => {
                let ends: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at] == b'\n').collect();
                if !ends.is_empty() {
                    bytes.remove(ends[at % ends.len()]);
                }
            }
            Self::SwapLines(a, b) => {
                let mut lines: Vec<Vec<u8>> =
                    bytes.split_inclusive(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
                let count = lines.len().max(1);
                if !lines.is_empty() {
                    lines.swap(a % count, b % count);
                }
                *bytes = lines.concat();
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]
    /// Whatever happens to a file: it is refused, or everything counts that was handed out up to the first change, and
    /// every charge that can still be found in it.
    #[test]
    fn no_accident_lowers_the_sum(accidents in prop::collection::vec(accident(), 1..4)) {
        let example = Example::get();
        let mut bytes = example.bytes.clone();
        for accident in &accidents {
            accident.happen(&mut bytes);
        }
        let same = bytes.iter().zip(&example.bytes).take_while(|(a, b)| a == b).count();
        if let Ok(history) = read(&bytes) {
            prop_assert!(mu(&history) >= example.paid_at(same));
            let charges = example.lines().into_iter().filter(|line| line.windows(8).any(|w| w == b"\"charge\""))
                .filter(|line| line.starts_with(b"{\"n\"") && line.windows(6).any(|w| w == b"\"part\""));
            let still_there = charges.filter(|line| {
                let line = &line[..line.len() - 1];
                bytes.windows(line.len()).any(|window| window == line)
            });
            prop_assert!(history.charges.len() >= still_there.count());
        }
    }
}
