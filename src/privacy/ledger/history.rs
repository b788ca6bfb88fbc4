//! What the lines of a ledger come to.

use super::super::group::Group;
use super::super::{Composition, Cost, Part, Partition, PrivacyLoss, Receipt};
use super::content::{Content, Damage, End, Recorded};
use super::error::ReceiptError;
use super::line::Entry;
use std::collections::BTreeMap;

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
}

/// What a ledger file records.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct LedgerHistory {
    /// The charges, oldest first.
    pub charges: Vec<ChargeOnRecord>,
    /// The ceilings, all of which hold.
    pub ceilings: Vec<PrivacyLoss>,
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
    pub(super) fn orphan(&self, line: u64) -> Option<&str> {
        self.orphans.get(&line).map(String::as_str)
    }

    /// Where that charge is on record.
    pub(super) fn receipt_of(&self, line: u64) -> Option<&Receipt> {
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
            Entry::Ceiling { loss } => self.ceilings.push(loss),
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
            Entry::Redeem { charge, draw } => self.redeem(charge, draw)?,
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
        self.charges.push(ChargeOnRecord { part, unix_time, receipt, redeemed: None });
        Ok(())
    }

    fn redeem(&mut self, line: u64, draw: String) -> Result<(), &'static str> {
        let charge = self.position(line).and_then(|at| self.charges.get_mut(at));
        match charge {
            None => Err("it redeems a charge that is not there"),
            Some(charge) if charge.redeemed.as_ref().is_some_and(|first| *first != draw) => {
                Err("it redeems a charge for a second result")
            }
            Some(charge) => {
                charge.redeemed = Some(draw);
                Ok(())
            }
        }
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
            Cost::Group(of) => {
                let known = |partition: &Partition| partition.known(of.group().label()).is_ok();
                of.group().ledger() == self.id && self.partition.as_ref().is_some_and(known)
            }
        }
    }
}
