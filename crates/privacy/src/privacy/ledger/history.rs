//! What the lines of a ledger come to.

use super::super::group::Group;
use super::super::neighbours::UNKNOWN_PARTITION;
use super::super::{Composition, Cost, Neighbours, Part, Partition, PrivacyLoss, Receipt};
use super::content::{Content, Damage, End, Recorded};
use super::error::ReceiptError;
use super::line::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// A charge on record.
#[derive(Debug, Clone, PartialEq)]
pub struct ChargeOnRecord {
    /// What was charged. A part of it that concerns one group says which ([`Cost::Group`]).
    pub part: Part,
    /// When, in seconds since 1970; `None` for one that was read from a torn line.
    pub unix_time: Option<u64>,
    /// Where; `None` for one that was read from a torn line (and so was never handed out), or is held in memory only.
    pub receipt: Option<Receipt>,
    /// The SHA-256 of the result that was drawn under it, once it is redeemed.
    pub redeemed: Option<String>,
    /// The SHA-256 of the certificates of the releases that were made of that result, oldest first. Earlier versions recorded none.
    pub published: Vec<String>,
    /// Those of its draws, counted from 0, where each is redeemed by itself: the rounds of a plan of many sites.
    pub redeemed_parts: BTreeMap<u32, String>,
}

impl ChargeOnRecord {
    /// The SHA-256 that draw number `part` was redeemed for, by itself or with the whole.
    pub fn redeemed_part(&self, part: u32) -> Option<&String> {
        self.redeemed_parts.get(&part).or(self.redeemed.as_ref())
    }

    /// A result that was drawn under it or under a part of it, where there is one.
    pub(super) fn used(&self) -> Option<&String> {
        self.redeemed.as_ref().or_else(|| self.redeemed_parts.values().next())
    }
}

/// A limit on what all releases together may lose for pairs of one neighbour relation.
#[derive(Debug, Clone, PartialEq)]
pub struct Ceiling {
    /// The limit.
    pub loss: PrivacyLoss,
    /// For which neighbours.
    pub neighbours: Neighbours,
    /// How many charges stood before it. It is proved for budgets chosen after looking at earlier releases if there was none.
    pub after: usize,
}

/// What the releases on record lose together for pairs of one neighbour relation.
#[derive(Debug, Clone, PartialEq)]
pub struct SumForNeighbours {
    /// The relation.
    pub neighbours: Neighbours,
    /// The charges that have a bound for it, by their place in the list, from 1.
    pub releases: Vec<usize>,
    /// Those that have none: they publish labels that the relation lets change, count records where it speaks of persons, or were seeded.
    pub unbounded: Vec<usize>,
    /// All of them together; without a bound if one of them has none.
    pub total: Composition,
}

/// How entries of charges that publish labels begin, which versions before this one did not say in their lines; of which partition is not
/// known.
const PUBLISHED_LABELS: [&str; 3] =
    ["groups in two rounds", "groups over many sites", "mean and second moment of each group"];

/// What a ledger file records.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct LedgerHistory {
    /// The charges, oldest first.
    pub charges: Vec<ChargeOnRecord>,
    /// The ceilings, all of which hold.
    pub ceilings: Vec<Ceiling>,
    /// The groups that charges may name.
    pub partition: Option<Partition>,
    /// Whether a torn line has ever been repaired.
    pub was_repaired: bool,
    id: String,
    /// The check of each line.
    heads: Vec<String>,
    /// The lines of the charges that have no seal, with their nonces: they were never handed out.
    orphans: BTreeMap<u64, String>,
}

fn publishes_labels(part: &Part) -> bool {
    let inside = match part.bare_cost() {
        Cost::Parts(parts) => parts.parts().iter().any(publishes_labels),
        _ => false,
    };
    inside || PUBLISHED_LABELS.iter().any(|name| part.mechanism.starts_with(name))
}

impl LedgerHistory {
    /// The ledger's id, drawn at random when it was begun; empty for one in memory.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The releases together.
    pub fn spent(&self) -> Composition {
        let mut all = Composition::new();
        for charge in &self.charges {
            let Part { mechanism, times, cost } = charge.part.clone();
            all.push(mechanism, times, cost);
        }
        all
    }

    /// What the releases come to, for every neighbour relation that one of them is stated for, for the largest that all are, and for one record
    /// replaced by any other. Never one number for two relations: a loss counts for a relation if its guarantee implies it, else there is no
    /// bound.
    pub fn sums(&self) -> Vec<SumForNeighbours> {
        let all = self.spent();
        if all.is_empty() {
            return Vec::new();
        }
        let mut relations: BTreeSet<Neighbours> = all.parts().iter().map(Part::neighbours).collect();
        relations.insert(all.common_neighbours());
        let persons_only = relations.iter().all(|relation| relation.adjacency().of_persons());
        relations.insert(Neighbours::default().of_persons(persons_only));
        let sum = |neighbours: Neighbours| {
            let place = |bounded: bool| {
                let parts = all.parts().iter().enumerate();
                parts.filter(|(_, part)| part.bounds(&neighbours) == bounded).map(|(at, _)| at + 1).collect()
            };
            SumForNeighbours {
                releases: place(true),
                unbounded: place(false),
                total: all.for_neighbours(&neighbours).into_owned(),
                neighbours,
            }
        };
        relations.into_iter().map(sum).collect()
    }

    /// For each registered group, its label and the releases that its members bear together: those from everyone's records and those from
    /// theirs. The worst of these is what [`Self::spent`] comes to.
    pub fn spent_by_group(&self) -> Vec<(String, Composition)> {
        let spent = self.spent();
        let groups = self.partition.iter().flat_map(Partition::groups);
        let of_group = |label: &str| spent.borne_by(&Group::new(&self.id, label));
        groups.map(|group| (group.label.clone(), of_group(&group.label))).collect()
    }

    /// Whether this is the ledger that gave `receipt`, with that line as it was then; later lines may follow.
    ///
    /// # Errors
    /// [`ReceiptError::OtherLedger`], [`ReceiptError::Shorter`], [`ReceiptError::OtherLine`].
    pub fn holds(&self, receipt: &Receipt) -> Result<(), ReceiptError> {
        if receipt.id != self.id {
            return Err(ReceiptError::OtherLedger { expected: receipt.id.clone(), found: self.id.clone() });
        }
        let (line, lines) = (receipt.line, self.heads.len() as u64);
        match usize::try_from(line).ok().and_then(|at| self.heads.get(at)) {
            None => Err(ReceiptError::Shorter { line, lines }),
            Some(head) if *head != receipt.head => Err(ReceiptError::OtherLine { line }),
            Some(_) => Ok(()),
        }
    }

    /// The charge that `receipt` is for.
    ///
    /// # Errors
    /// As [`Self::holds`]; [`ReceiptError::NoCharge`] when the line is another kind of entry.
    pub fn charge(&self, receipt: &Receipt) -> Result<&ChargeOnRecord, ReceiptError> {
        self.holds(receipt)?;
        let found = self.position(receipt.line).and_then(|at| self.charges.get(at));
        found.ok_or(ReceiptError::NoCharge { line: receipt.line })
    }

    /// The nonce of the charge in that line, if it was never handed out and no run has made it its own: it was half written, and completed
    /// by whoever opened the ledger next.
    #[doc(hidden)]
    pub fn orphan(&self, line: u64) -> Option<&str> {
        self.orphans.get(&line).map(String::as_str)
    }

    /// Where that charge is on record.
    #[doc(hidden)]
    pub fn receipt_of(&self, line: u64) -> Option<&Receipt> {
        self.charges.get(self.position(line)?)?.receipt.as_ref()
    }

    /// Reads all lines of a file, and what could be read of a torn one after them.
    pub(super) fn of(content: Content) -> Result<Self, Damage> {
        let mut history = Self::of_lines(content.lines)?;
        if let End::Torn { salvaged: Some(part), .. } = content.end {
            history.salvage(part).map_err(|what| history.contradicted(what))?;
        }
        Ok(history)
    }

    /// Reads all lines; the error names the first that contradicts those before, from 1.
    pub(super) fn of_lines(lines: Vec<Recorded>) -> Result<Self, Damage> {
        let mut history = Self::default();
        for line in lines {
            history.add(line).map_err(|what| history.contradicted(what))?;
        }
        Ok(history)
    }

    /// By the line that would be the next.
    fn contradicted(&self, what: &'static str) -> Damage {
        Damage::Corrupted { line: self.heads.len() as u64 + 1, what }
    }

    /// One more line.
    pub(super) fn add(&mut self, line: Recorded) -> Result<(), &'static str> {
        let receipt = Receipt { id: self.id.clone(), line: self.heads.len() as u64, head: line.head.clone() };
        self.apply(line.entry, Some(receipt))?;
        self.heads.push(line.head);
        Ok(())
    }

    /// An entry; without a receipt, one that is in no file.
    pub(super) fn apply(&mut self, entry: Entry, receipt: Option<Receipt>) -> Result<(), &'static str> {
        match entry {
            Entry::Open { .. } if !self.heads.is_empty() => return Err("it begins another ledger"),
            Entry::Open { id, .. } => self.id = id,
            Entry::Ceiling { loss, neighbours } => {
                self.ceilings.push(Ceiling { loss, neighbours, after: self.charges.len() });
            }
            Entry::Partition(_) if self.partition.is_some() => return Err("it registers a second partition"),
            Entry::Partition(partition) => self.partition = Some(partition),
            Entry::Charge { nonce, part, unix_time } => {
                let line = receipt.as_ref().map(|receipt| receipt.line);
                self.push(part, Some(unix_time), receipt)?;
                self.orphans.extend(line.zip(nonce));
            }
            Entry::Seal { charge } => {
                self.orphans.remove(&charge);
            }
            Entry::Redeem { charge, part, draw } => self.redeem(charge, part, draw)?,
            Entry::Publish { charge, certificate } => self.publish(charge, certificate)?,
            Entry::Repair { salvaged, .. } => {
                self.was_repaired = true;
                if let Some(part) = salvaged {
                    self.salvage(part)?;
                }
            }
        }
        Ok(())
    }

    /// What a torn line charged. An interrupted write leaves the beginning of a line that would have been accepted, so one
    /// that names unknown groups was damaged otherwise, and no loss could be told from it.
    fn salvage(&mut self, part: Part) -> Result<(), &'static str> {
        self.push(part, None, None)
    }

    fn push(
        &mut self,
        part: Part,
        unix_time: Option<u64>,
        receipt: Option<Receipt>,
    ) -> Result<(), &'static str> {
        if !self.knows_groups(&part.cost) {
            return Err("it charges a group that is not registered");
        }
        let part = self.with_terms_of_earlier_versions(part);
        let (redeemed, redeemed_parts, published) = (None, BTreeMap::new(), Vec::new());
        self.charges.push(ChargeOnRecord { part, unix_time, receipt, redeemed, redeemed_parts, published });
        Ok(())
    }

    /// Earlier versions charged comparisons of groups, and groups of a registered partition, without saying that labels were published.
    fn with_terms_of_earlier_versions(&self, part: Part) -> Part {
        let known = self.partition.as_ref().map(Partition::hash).filter(|_| part.cost.names_groups());
        let unsaid = part.neighbours().partitions().is_empty();
        let named = publishes_labels(&part).then_some(UNKNOWN_PARTITION);
        match known.or(named).filter(|_| unsaid) {
            Some(partition) => {
                let (neighbours, seeded) = (part.neighbours().within(partition), part.is_seeded());
                part.with_terms(neighbours, seeded)
            }
            None => part,
        }
    }

    fn publish(&mut self, line: u64, certificate: String) -> Result<(), &'static str> {
        let charge = self.position(line).and_then(|at| self.charges.get_mut(at));
        let charge = charge.ok_or("it publishes under a charge that is not there")?;
        charge.published.push(certificate);
        Ok(())
    }

    fn redeem(&mut self, line: u64, part: Option<u32>, draw: String) -> Result<(), &'static str> {
        let charge = self.position(line).and_then(|at| self.charges.get_mut(at));
        let charge = charge.ok_or("it redeems a charge that is not there")?;
        let first = part.map_or_else(|| charge.used(), |part| charge.redeemed_part(part));
        if first.is_some_and(|first| *first != draw) {
            return Err("it redeems a charge for a second result");
        }
        match part {
            Some(part) => drop(charge.redeemed_parts.insert(part, draw)),
            None => charge.redeemed = Some(draw),
        }
        Ok(())
    }

    /// Where the charge of that line is in the list.
    fn position(&self, line: u64) -> Option<usize> {
        self.charges.iter().rposition(|charge| charge.receipt.as_ref().is_some_and(|r| r.line == line))
    }

    /// Whether all groups that are named in `cost` are registered.
    fn knows_groups(&self, cost: &Cost) -> bool {
        match cost {
            Cost::Loss(_) | Cost::Sampled(_) | Cost::Renyi(_) => true,
            Cost::Parts(parts) => parts.parts().iter().all(|part| self.knows_groups(&part.cost)),
            Cost::Terms(terms) => self.knows_groups(terms.cost()),
            Cost::Group(of) => {
                let known = |partition: &Partition| partition.known(of.group().label()).is_ok();
                of.group().ledger() == self.id && self.partition.as_ref().is_some_and(known)
            }
        }
    }
}
