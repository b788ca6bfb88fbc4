//! In which order the landmarks of a table stand, by their names.
//!
//! The order is published with the mean, so no record may decide it. Numbers are sorted; other names are in the order of a public centre, or
//! in that of nearly all records; where records have all kinds of orders, in natural order. Between these two a table is refused: so one
//! record more or less changes nothing but whether it is read.

use super::reading::{LandmarkOrder, ShapeReading};
use crate::io::error::{Fault, printable_name};
use crate::io::heading::listed;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The order of landmarks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Order {
    /// Their names, in this order.
    pub names: Vec<String>,
    /// The place of each of the names found, in the order they were found.
    pub places: Vec<usize>,
    /// In how many records they are in another order.
    pub resorted: usize,
    /// How many records there are.
    records: usize,
}

/// The landmarks of the records of a table: for each record the names it lists, as numbers of names, in its order.
pub(super) trait Listing {
    /// How many records there are.
    fn records(&self) -> usize;
    /// The names that one lists.
    fn listed(&self, record: usize) -> Vec<u32>;
    /// What a record is called in a message.
    fn called(&self, record: usize) -> String;
}

/// Thirds of the records that list the landmarks in one order, for that to be the table's.
const SHARE: usize = 2;

impl Order {
    /// Of landmarks of these names.
    pub fn settle(found: &[String], listing: &impl Listing, reading: &ShapeReading) -> Result<Self, Fault> {
        let n = listing.records();
        let mut counts = vec![0_usize; found.len()];
        for record in 0..n {
            let listed = listing.listed(record);
            check_doubles(&listed, found, &listing.called(record))?;
            listed.iter().for_each(|&name| counts[name as usize] += 1);
        }
        if let LandmarkOrder::Named(wanted) = &reading.order
            && let Some(order) = Self::of_centre(found, wanted, listing)?
        {
            return Ok(order);
        }
        // A name that most records lack is not one of a landmark, unless it is known how many there are and that these are they.
        let are_all = reading.size.known().is_some_and(|known| found.len() <= known);
        if let Some(rare) = (0..found.len()).find(|&i| !are_all && 2 * counts[i] < n) {
            let first = (0..n).find(|&record| listing.listed(record).contains(&(rare as u32))).unwrap_or(0);
            return Err(Fault::Unclear {
                what: format!(
                    "{} has a landmark {}, which {} of {n} records have; correct the name (a landmark that was not found is NA, or left out)",
                    listing.called(first),
                    printable_name(&found[rare]),
                    counts[rare]
                ),
            });
        }
        let mut sorted: Vec<usize> = (0..found.len()).collect();
        sorted.sort_by(|&a, &b| natural(&found[a], &found[b]));
        if found.iter().all(|name| name.bytes().all(|b| b.is_ascii_digit())) {
            return Ok(Self::in_order(found, sorted, listing));
        }
        let usual = usual(found.len(), listing);
        let order = Self::in_order(found, usual, listing);
        let alike = n - order.resorted;
        if 3 * alike >= SHARE * n {
            return Ok(order);
        }
        let sortable = reading.order != LandmarkOrder::Unnamed || numbered(found).is_some();
        if 3 * alike < n && sortable {
            return Ok(Self::in_order(found, sorted, listing));
        }
        let remedy = match reading.order {
            LandmarkOrder::Unnamed => "sort the rows of every record as the public centre has its landmarks",
            _ => {
                "sort the rows of every record alike, number the landmarks, or give a public --center with these names"
            }
        };
        Err(Fault::Unclear {
            what: format!(
                "{alike} of {n} records list the landmarks in one order, and the others in other ones, so that the order is not clear; {remedy}"
            ),
        })
    }

    /// That of a public centre; `None` where its names are but numbers of landmarks, or those of the table are.
    fn of_centre(found: &[String], wanted: &[String], listing: &impl Listing) -> Result<Option<Self>, Fault> {
        let (numbers, wanted_numbers) = (numbered(found), numbered(wanted));
        let (keys, wanted_keys) = match (numbers, wanted_numbers) {
            (Some(found), Some(wanted)) => (from_one(found), from_one(wanted)),
            (None, None) => (found.to_vec(), wanted.to_vec()),
            _ => return Ok(None),
        };
        let wanted_places: HashMap<&String, usize> = wanted_keys.iter().zip(0..).collect();
        let places: Vec<Option<usize>> = keys.iter().map(|key| wanted_places.get(key).copied()).collect();
        if let Some(unknown) = places.iter().position(Option::is_none) {
            let has = |record: &usize| listing.listed(*record).contains(&(unknown as u32));
            let first = (0..listing.records()).find(has).unwrap_or(0);
            return Err(Fault::Unclear {
                what: format!(
                    "{} has a landmark {}, which the public centre does not have; correct the name",
                    listing.called(first),
                    printable_name(&found[unknown])
                ),
            });
        }
        let places: Vec<usize> = places.into_iter().flatten().collect();
        let resorted = resorted(&places, listing);
        Ok(Some(Self { names: wanted.to_vec(), places, resorted, records: listing.records() }))
    }

    fn in_order(found: &[String], order: Vec<usize>, listing: &impl Listing) -> Self {
        let mut places = vec![0; found.len()];
        order.iter().enumerate().for_each(|(place, &name)| places[name] = place);
        let resorted = resorted(&places, listing);
        let names = order.into_iter().map(|i| found[i].clone()).collect();
        Self { names, places, resorted, records: listing.records() }
    }

    /// How many landmarks there are, where no record decides it: names are refused that fewer than half of the records have, so that one
    /// record more or less of three changes nothing but whether the table is read.
    pub fn landmarks(&self) -> Option<usize> {
        (self.records > 2).then_some(self.names.len())
    }

    /// What the data holder should know of it.
    pub fn note(&self) -> Option<String> {
        (self.resorted > 0).then(|| {
            let records = if self.resorted == 1 {
                "1 record lists".into()
            } else {
                format!("{} records list", self.resorted)
            };
            let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
            format!(
                "{records} the landmarks in another order; they were put in this one by their names: {}",
                listed(&names, "and")
            )
        })
    }
}

fn resorted(places: &[usize], listing: &impl Listing) -> usize {
    let is_sorted = |record: usize| listing.listed(record).is_sorted_by_key(|&name| places[name as usize]);
    (0..listing.records()).filter(|&record| !is_sorted(record)).count()
}

fn check_doubles(listed: &[u32], found: &[String], record: &str) -> Result<(), Fault> {
    let mut sorted = listed.to_vec();
    sorted.sort_unstable();
    let twice = sorted.windows(2).find(|pair| pair[0] == pair[1]);
    twice.map_or(Ok(()), |pair| {
        Err(Fault::Unclear {
            what: format!(
                "{record} has the landmark {} twice; if its rows are of several records (sessions or sides of one person, say), give each record a name \
                 of its own in one column and name that column as --record-column (--people then says whose they are); otherwise remove a row",
                printable_name(&found[pair[0] as usize])
            ),
        })
    })
}

/// The order that most of those records have which list the most names, the others put in where records have them.
fn usual(names: usize, listing: &impl Listing) -> Vec<usize> {
    let n = listing.records();
    let most = (0..n).map(|record| listing.listed(record).len()).max().unwrap_or(0);
    let hash = |listed: &[u32]| {
        let mut hasher = DefaultHasher::new();
        listed.hash(&mut hasher);
        hasher.finish()
    };
    let mut orders: Vec<(u64, u32)> = Vec::with_capacity(n);
    for record in 0..n {
        let listed = listing.listed(record);
        if listed.len() == most {
            orders.push((hash(&listed), record as u32));
        }
    }
    orders.sort_unstable();
    let mut best: Option<&[(u64, u32)]> = None;
    for chunk in orders.chunk_by(|a, b| a.0 == b.0) {
        let is_better = |best: &[(u64, u32)]| (chunk.len(), best[0].1) > (best.len(), chunk[0].1);
        best = best.filter(|best| !is_better(best)).or(Some(chunk));
    }
    let first = best.map_or(0, |chunk| chunk[0].1 as usize);
    let mut order: Vec<usize> = listing.listed(first).into_iter().map(|name| name as usize).collect();
    for record in 0..n {
        if order.len() == names {
            break;
        }
        let mut after = 0;
        for name in listing.listed(record).into_iter().map(|name| name as usize) {
            match order.iter().position(|known| *known == name) {
                Some(place) => after = place + 1,
                None => {
                    order.insert(after, name);
                    after += 1;
                }
            }
        }
    }
    order
}

/// The numbers in names that differ in a number only: `lm1`, `lm2`; `F-1`, `F-2`.
pub(super) fn numbered(names: &[String]) -> Option<Vec<String>> {
    let split = |name: &String| {
        let (head, after) = name.split_at(name.rfind(|c: char| c.is_ascii_digit())? + 1);
        let before = head.trim_end_matches(|c: char| c.is_ascii_digit());
        let number = &head[before.len()..];
        let number = number.trim_start_matches('0');
        let number = if number.is_empty() { "0" } else { number };
        Some((before.to_owned(), number.to_owned(), after.to_owned()))
    };
    let parts: Vec<_> = names.iter().map(split).collect::<Option<_>>()?;
    let first = parts.first()?.clone();
    let alike = parts.iter().all(|(before, _, after)| (before, after) == (&first.0, &first.2));
    alike.then(|| parts.into_iter().map(|(_, number, _)| number).collect())
}

/// Numbers that count from 0, counted from 1.
pub(super) fn from_one(numbers: Vec<String>) -> Vec<String> {
    if !numbers.iter().any(|number| number == "0") {
        return numbers;
    }
    let next = |number: String| number.parse::<u64>().map_or(number, |n| n.saturating_add(1).to_string());
    numbers.into_iter().map(next).collect()
}

/// A name as it counts: `1.0`, `01` and `1` are one.
pub(super) fn canonical(name: &str) -> String {
    let whole = name.strip_suffix(".0").unwrap_or(name);
    if whole.is_empty() || !whole.bytes().all(|b| b.is_ascii_digit()) {
        return name.to_owned();
    }
    let number = whole.trim_start_matches('0');
    if number.is_empty() { "0".to_owned() } else { number.to_owned() }
}

/// Letters as letters, numbers as numbers.
fn natural(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a.as_bytes(), b.as_bytes());
    let digits = |text: &[u8]| text.iter().take_while(|b| b.is_ascii_digit()).count();
    loop {
        let (in_a, in_b) = (digits(a), digits(b));
        if in_a > 0 && in_b > 0 {
            let ((x, after_a), (y, after_b)) = (a.split_at(in_a), b.split_at(in_b));
            let (x, y) = (without_zeros(x), without_zeros(y));
            match x.len().cmp(&y.len()).then_with(|| x.cmp(y)) {
                Ordering::Equal => (a, b) = (after_a, after_b),
                other => return other,
            }
            continue;
        }
        match (a.split_first(), b.split_first()) {
            (Some((x, after_a)), Some((y, after_b))) if x == y => (a, b) = (after_a, after_b),
            (x, y) => return x.map(|(x, _)| x).cmp(&y.map(|(y, _)| y)),
        }
    }
}

fn without_zeros(digits: &[u8]) -> &[u8] {
    &digits[digits.iter().take_while(|b| **b == b'0').count()..]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::RecordSize;

    struct Lists(Vec<Vec<u32>>);

    impl Listing for Lists {
        fn records(&self) -> usize {
            self.0.len()
        }
        fn listed(&self, record: usize) -> Vec<u32> {
            self.0[record].clone()
        }
        fn called(&self, record: usize) -> String {
            format!("\"s{record}\"")
        }
    }

    fn settle(records: &[&str], order: LandmarkOrder) -> Result<(Vec<String>, usize), String> {
        let mut found: Vec<String> = Vec::new();
        let mut id = |name: &str| {
            let known = found.iter().position(|n| n == name);
            known.unwrap_or_else(|| {
                found.push(name.into());
                found.len() - 1
            }) as u32
        };
        let lists = Lists(records.iter().map(|list| list.split(' ').map(&mut id).collect()).collect());
        let reading = ShapeReading { order, ..RecordSize::Content.into() };
        let order = Order::settle(&found, &lists, &reading).map_err(|e| e.to_string())?;
        Ok((order.names, order.resorted))
    }

    fn own(records: &[&str]) -> Result<(String, usize), String> {
        settle(records, LandmarkOrder::Own).map(|(names, resorted)| (names.join(" "), resorted))
    }

    #[test]
    fn numbers_are_sorted_and_names_stay_in_the_order_of_the_records() {
        for (records, names, resorted) in [
            (&["1 2 10", "10 1 2", "2 10 1"][..], "1 2 10", 2),
            (&["nose chin eye", "nose chin eye", "nose eye"], "nose chin eye", 0),
            (&["nose chin eye", "nose chin eye", "eye chin nose"], "nose chin eye", 1),
            (&["chin eye", "nose chin", "nose eye", "nose eye chin"], "nose eye chin", 1),
            (&["L2 L10 L1", "L1 L10 L2", "L10 L2 L1", "L1 L2 L10"], "L1 L2 L10", 3),
            (&["b a", "b a"], "b a", 0),
        ] {
            assert_eq!(own(records).unwrap(), (names.to_owned(), resorted), "{records:?}");
        }
    }

    #[test]
    fn names_that_are_not_clear_are_refused() {
        for (records, problem) in [
            (&["1 2 3", "1 2 2"][..], "\"s1\" has the landmark \"2\" twice"),
            (&["1 2 3", "1 2 3", "1 2 4"], "\"s2\" has a landmark \"4\", which 1 of 3 records have"),
            (&["a b", "b a"], "1 of 2 records list"),
        ] {
            let found = own(records).unwrap_err();
            assert!(found.contains(problem), "{found}");
        }
    }

    #[test]
    fn a_centre_tells_the_order() {
        let named = |names: &[&str]| LandmarkOrder::Named(names.iter().map(|&n| n.to_owned()).collect());
        let names = |records: &[&str], order| settle(records, order).map(|(names, _)| names.join(" "));
        assert_eq!(names(&["a b", "b a"], named(&["b", "a"])).unwrap(), "b a");
        assert_eq!(names(&["lm2 lm1"], named(&["1", "2"])).unwrap(), "1 2");
        // Numbers beside names: by place.
        assert_eq!(names(&["b a", "b a"], named(&["1", "2"])).unwrap(), "b a");
        assert!(
            names(&["b c", "b a"], named(&["a", "b"]))
                .unwrap_err()
                .contains("\"c\", which the public centre")
        );
        assert!(
            names(&["a b c", "c b a", "b c a", "c a b"], LandmarkOrder::Unnamed)
                .unwrap_err()
                .contains("public centre")
        );
    }

    #[test]
    fn one_number_written_in_several_ways_is_one_name() {
        assert_eq!(["1.0", "01", "0", "00", "1a", "1.5"].map(canonical), ["1", "1", "0", "0", "1a", "1.5"]);
        assert_eq!(natural("a2", "a10"), Ordering::Less);
        assert_eq!(numbered(&["F-01".into(), "F-2".into()]).unwrap(), ["1", "2"]);
        assert_eq!(numbered(&["s0-1".into(), "s0-12".into()]).unwrap(), ["1", "12"]);
        assert_eq!(numbered(&["11".into(), "1".into()]).unwrap(), ["11", "1"]);
        assert_eq!(numbered(&["L1".into(), "R1".into()]), None);
    }
}
