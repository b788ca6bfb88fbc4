//! The ledger: every release is charged before its noise is drawn, and never refunded.
//!
//! One file for one group of people, append-only, one JSON object a line. What it guarantees:
//!
//! * **Charged before drawn.** A [`Charge`] is handed out after its line *and* a seal line after it have been written in
//!   one write and synced to disk. Every ceiling ever set holds. One line may pay for thousands of draws ([`Part::times`]).
//! * **Never a lower sum.** The lines are chained by checksums; a file that cannot be read whole is refused whole, with
//!   the line and what to do, and left as it is: changed, removed, doubled, reordered and joined lines, lost or converted
//!   line ends, bad bytes. The one thing that is repaired is what an interrupted write of ours leaves, the beginning of
//!   the next line, to the byte: its charge was never handed out, and still counts if its loss can be read. Its line is then
//!   completed, not replaced, so that it counts throughout; the run that had announced it goes on with it
//!   whoever completed it. A complete last line that lacks its newline counts.
//! * **Never another file.** Links are resolved first, so that all names of a ledger lock and repair one file; it is
//!   locked while open, repaired in place, the old state kept beside it in `<name>.bak`, and never renamed over. Several
//!   hard links are refused, and so is what is no regular file. New files belong to their owner only.
//! * **One charge, one result.** A charge is known by its [`Receipt`] (ledger, line, checksum). It is redeemed at most
//!   once, for the stored result of that SHA-256, and is reissued to an interrupted run only until then; so is each
//!   draw by itself of a charge for several that leave one by one ([`Ledger::redeem_part`]).
//! * **One release, one certificate.** Every release made of that result records the SHA-256 of its certificate, which names every file
//!   of it ([`Ledger::publish`]).
//! * **One sum for one neighbour relation** ([`LedgerHistory::sums`]). A charge says whom it protects and whether its noise was seeded
//!   ([`Part::with_terms`](super::Part::with_terms)); what is no bound for a relation makes its sum none.
//! * **A ceiling is a filter**: it holds however budgets are chosen (`privacy/filter.rs`).
//! * **Groups** of one registered [`Partition`](super::Partition) compose in parallel ([`GroupedPart`]).
//!
//! What it cannot do: whoever can write the file can forge all of it, or put back an older copy. It guards against
//! accidents and other processes, not against its owner. Nor can a file that was cut off somewhere be told from an older
//! copy, or from one whose last write was interrupted. Against that, certificates carry receipts: [`Ledger::holds`] tells
//! whether a ledger still has the line a release was charged in ([`Ledger::open_existing`] begins none in its place). And
//! it counts what is charged to it: releases made elsewhere from the same people are not in the sum.
//!
//! **Format.** Version 0.1 wrote format 1, without redemptions, partitions and groups. These are new kinds of lines in an
//! otherwise unchanged chain, so files of format 1 are read and written on as they are. New files say format 2
//! all the same: version 0.1 refuses any line it does not know, but calls the file corrupted and advises a backup, which
//! would forget charges; of format 2 it says that it needs another program, which is the truth.

mod completion;
mod content;
mod error;
mod file;
mod groups;
mod history;
mod line;
mod place;
mod redeem;
mod repair;
mod told;
mod torn;
mod utc;

pub use error::{LedgerError, ReceiptError};
pub use groups::GroupedPart;
pub use history::{Ceiling, ChargeOnRecord, LedgerHistory, SumForNeighbours};
pub use told::{CeilingAnswer, ChargeAnswer, GroupAnswer, LedgerAnswer, SumAnswer};
pub use utc::utc;

use super::filter;
use super::{BudgetError, Charge, Composition, Cost, Neighbours, Part, Partition, PrivacyLoss, Receipt};
use file::{Draft, LedgerFile};
use line::Entry;
use std::path::Path;
use std::time::Duration;

/// The name of a study's ledger within its folder.
pub const LEDGER_FILE: &str = "visard.ledger.jsonl";

/// What charges would cost, before they are made, all for the largest neighbour relation that those asked about are stated for.
#[derive(Debug, Clone, PartialEq)]
pub struct Quote {
    /// The loss of the releases asked about.
    pub requested: PrivacyLoss,
    /// The total so far.
    pub spent: PrivacyLoss,
    /// The total with it.
    pub total: PrivacyLoss,
    /// The first ceiling it would exceed, if any.
    pub exceeds: Option<PrivacyLoss>,
}

/// Record of the releases made from one dataset, with ceilings on their composed loss.
///
/// ```
/// use visard_privacy::privacy::{Ledger, Mu, PrivacyLoss};
/// let mu = |x| Mu::new(x).map(PrivacyLoss::Gaussian);
/// let mut ledger = Ledger::in_memory(Some(mu(1.0)?));
/// let first = ledger.charge("Gaussian mechanism", mu(0.6)?)?;
/// let second = ledger.charge("Gaussian mechanism", mu(0.8)?)?;
/// assert!(ledger.charge("Gaussian mechanism", mu(0.1)?).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Ledger {
    file: Option<LedgerFile>,
    history: LedgerHistory,
    spent: Composition,
    broken: bool,
}

/// A charge that fits below the ceilings and whose line is ready, but not yet written.
///
/// Its receipt is known already. Who stores that before [paying](Self::pay) finds the charge again after a crash at any
/// moment: the ledger [holds](Ledger::holds) the receipt, or was not charged.
#[derive(Debug)]
#[must_use = "nothing is charged before it is paid"]
pub struct Announced<'l> {
    ledger: &'l mut Ledger,
    part: Part,
    receipt: Option<Receipt>,
    entries: Entries,
}

/// Entries on their way into a ledger.
#[derive(Debug)]
enum Entries {
    InFile(Draft),
    InMemory(Vec<Entry>),
}

impl Announced<'_> {
    /// The receipt that the charge will have; `None` for an in-memory ledger.
    pub fn receipt(&self) -> Option<&Receipt> {
        self.receipt.as_ref()
    }

    /// The lines that will be written; empty for an in-memory ledger. Who stores them can have a charge completed that was half written
    /// when the process ended.
    #[doc(hidden)]
    pub fn lines(&self) -> &str {
        match &self.entries {
            Entries::InFile(draft) => draft.text(),
            Entries::InMemory(_) => "",
        }
    }

    /// Records the charge and hands out the proof. Nothing is ever refunded: a draw that fails afterwards is paid for.
    ///
    /// # Errors
    /// [`LedgerError::Io`]: nothing was handed out, though the charge may be on record.
    pub fn pay(self) -> Result<Charge, LedgerError> {
        self.ledger.record(self.entries)?;
        Ok(Charge::recorded(&self.part, self.receipt)?)
    }
}

impl Ledger {
    /// A ledger that forgets: for experiments and synthetic data. Its charges say so ([`Charge::is_durable`]).
    pub fn in_memory(ceiling: Option<PrivacyLoss>) -> Self {
        let mut history = LedgerHistory::default();
        let of_all = |loss| Ceiling { loss, neighbours: Neighbours::default(), after: 0 };
        history.ceilings.extend(ceiling.map(of_all));
        Self { file: None, history, spent: Composition::new(), broken: false }
    }

    /// Opens the ledger at `path`, or begins one, and locks it. A `ceiling` is recorded and holds from then on, for all
    /// later runs too; where several have been set, all hold.
    ///
    /// # Errors
    /// [`LedgerError`]: locked, foreign, corrupted, of another version, not readable.
    pub fn open(path: &Path, ceiling: Option<PrivacyLoss>) -> Result<Self, LedgerError> {
        Self::open_waiting(path, ceiling, Duration::ZERO)
    }

    /// As [`Self::open`], waiting up to `wait` for another process that has it open.
    ///
    /// # Errors
    /// [`LedgerError`]; [`LedgerError::Locked`] after that time.
    pub fn open_waiting(
        path: &Path,
        ceiling: Option<PrivacyLoss>,
        wait: Duration,
    ) -> Result<Self, LedgerError> {
        Self::open_completing(path, ceiling.map(|loss| (loss, Neighbours::default())), wait, "")
    }

    /// As [`Self::open_waiting`], for a run that was interrupted: where its charge, announced in these lines ([`Announced::lines`]), was
    /// half written, so that it counts, it is completed and counts once, instead of being made a second time.
    #[doc(hidden)]
    pub fn open_completing(
        path: &Path,
        ceiling: Option<(PrivacyLoss, Neighbours)>,
        wait: Duration,
        announced: &str,
    ) -> Result<Self, LedgerError> {
        let mut ledger = Self::open_file(path, true, wait, announced)?;
        if let Some((loss, neighbours)) = ceiling {
            ledger.add_ceiling_for(loss, neighbours)?;
        }
        Ok(ledger)
    }

    /// As [`Self::open_waiting`] for a ledger that must be there: where releases have been charged, a new one in its
    /// place would forget them.
    ///
    /// # Errors
    /// [`LedgerError`]; [`LedgerError::Missing`] when there is no file, or one without a line.
    pub fn open_existing(path: &Path, wait: Duration) -> Result<Self, LedgerError> {
        Self::open_file(path, false, wait, "")
    }

    fn open_file(path: &Path, may_begin: bool, wait: Duration, announced: &str) -> Result<Self, LedgerError> {
        let (file, lines) = LedgerFile::open(path, may_begin, wait, announced)?;
        let history = LedgerHistory::of_lines(lines).map_err(|damage| damage.of(path))?;
        Ok(Self { file: Some(file), spent: history.spent(), history, broken: false })
    }

    /// What the ledger at `path` records; it is neither locked nor changed. What can be read of a torn last line counts.
    ///
    /// # Errors
    /// [`LedgerError`]: not readable, foreign, corrupted, of another version.
    pub fn history(path: &Path) -> Result<LedgerHistory, LedgerError> {
        LedgerHistory::of(file::look(path)?).map_err(|damage| damage.of(path))
    }

    /// From now on, and in all later runs, the total for one record replaced by any other must stay within `ceiling`; earlier ceilings hold
    /// too. A release that has no bound for these neighbours, because it publishes labels or is seeded, is then refused.
    ///
    /// # Errors
    /// [`LedgerError`] of writing.
    pub fn add_ceiling(&mut self, ceiling: PrivacyLoss) -> Result<(), LedgerError> {
        self.add_ceiling_for(ceiling, Neighbours::default())
    }

    /// As [`Self::add_ceiling`] for pairs of these neighbours.
    ///
    /// # Errors
    /// [`LedgerError`] of writing.
    pub fn add_ceiling_for(&mut self, loss: PrivacyLoss, neighbours: Neighbours) -> Result<(), LedgerError> {
        let is_there = |one: &Ceiling| one.loss == loss && one.neighbours == neighbours;
        if self.history.ceilings.iter().any(is_there) {
            return Ok(());
        }
        self.write(vec![Entry::Ceiling { loss, neighbours }])
    }

    /// Records one release and hands out the proof. Nothing is ever refunded: a draw that fails afterwards is paid for.
    ///
    /// # Errors
    /// [`LedgerError::AboveCeiling`] with the sum shown, and those of writing the file.
    pub fn charge(&mut self, mechanism: &str, loss: PrivacyLoss) -> Result<Charge, LedgerError> {
        self.charge_part(Part { mechanism: mechanism.to_owned(), times: 1, cost: Cost::Loss(loss) })
    }

    /// Records a repeated release, several together, or a Rényi curve, in one line. The proof's loss is that of the whole;
    /// [`Charge::split_equally`] and [`Charge::split_parts`] divide it.
    ///
    /// # Errors
    /// As [`Self::charge`]; [`LedgerError::GroupWithoutPartition`] for an entry that names a group
    /// ([`Self::charge_groups`]).
    pub fn charge_part(&mut self, part: Part) -> Result<Charge, LedgerError> {
        self.announce(part)?.pay()
    }

    /// Prepares a charge, so that its receipt can be stored before it is paid.
    ///
    /// # Errors
    /// As [`Self::charge_part`]; nothing is charged yet.
    pub fn announce(&mut self, part: Part) -> Result<Announced<'_>, LedgerError> {
        if part.cost.names_groups() {
            return Err(LedgerError::GroupWithoutPartition);
        }
        self.draft(part, None)
    }

    /// The lines of a charge, and before it of the partition that it is the first to need.
    fn draft(&mut self, part: Part, partition: Option<Partition>) -> Result<Announced<'_>, LedgerError> {
        if self.broken {
            return Err(LedgerError::Broken);
        }
        let one = Composition::from(part.clone());
        // What has no total cannot be handed out.
        one.total()?;
        self.check(&one)?;
        let mut entries: Vec<Entry> = partition.map(Entry::Partition).into_iter().collect();
        let Some(file) = &self.file else {
            let entry = Entry::Charge { nonce: None, part: part.clone(), unix_time: file::unix_time() };
            entries.push(entry);
            return Ok(Announced { ledger: self, part, receipt: None, entries: Entries::InMemory(entries) });
        };
        let before = entries.len();
        let line = file.next_line() + before as u64;
        let charge = file.charge(part.clone())?;
        entries.extend([charge, Entry::Seal { charge: line }]);
        let draft = file.draft(entries)?;
        let head = draft.lines.get(before).map(|line| line.head.clone()).ok_or(LedgerError::Broken)?;
        let receipt = Some(Receipt { id: self.history.id().to_owned(), line, head });
        Ok(Announced { ledger: self, part, receipt, entries: Entries::InFile(draft) })
    }

    /// What releases would cost together; charges nothing.
    ///
    /// # Errors
    /// [`LedgerError::Budget`] when a sum overflows.
    pub fn quote(&self, releases: &Composition) -> Result<Quote, LedgerError> {
        let neighbours = releases.common_neighbours();
        let total = |all: &Composition| all.for_neighbours(&neighbours).total();
        let exceeds = self.exceeded(releases)?.map(|ceiling| ceiling.loss);
        let (requested, spent) = (total(releases)?, total(&self.spent)?);
        Ok(Quote { requested, spent, total: total(&self.after(releases))?, exceeds })
    }

    /// Whether all these releases fit below the ceilings, so that none is made in vain; charges nothing.
    ///
    /// # Errors
    /// [`LedgerError::AboveCeiling`] when they do not; [`LedgerError::NoLocks`] where a ledger's file is not safe from a second process
    /// (WASI) and a release is not seeded; [`LedgerError::Budget`].
    pub fn check(&self, releases: &Composition) -> Result<(), LedgerError> {
        if cfg!(target_os = "wasi") && self.file.is_some() && !releases.parts().iter().all(Part::is_seeded) {
            return Err(LedgerError::NoLocks);
        }
        let Some(Ceiling { loss: ceiling, neighbours, .. }) = self.exceeded(releases)?.cloned() else {
            return Ok(());
        };
        let in_unit = |all: &Composition| stated(&all.for_neighbours(&neighbours), ceiling);
        let (spent, requested) = (in_unit(&self.spent)?, in_unit(releases)?);
        let total = in_unit(&self.after(releases))?;
        Err(LedgerError::AboveCeiling { spent, requested, total, ceiling, neighbours: Box::new(neighbours) })
    }

    /// What would be spent with these.
    fn after(&self, releases: &Composition) -> Composition {
        let mut after = self.spent.clone();
        for part in releases.parts() {
            after.push(part.mechanism.clone(), part.times, part.cost.clone());
        }
        after
    }

    /// The first ceiling that is exceeded with these. (Nothing is copied: it is asked for every charge of thousands.)
    fn exceeded(&self, releases: &Composition) -> Result<Option<&Ceiling>, BudgetError> {
        for ceiling in &self.history.ceilings {
            let [spent, more] = [&self.spent, releases].map(|all| all.for_neighbours(&ceiling.neighbours));
            if !filter::within(&[&spent, &more], ceiling.loss)? {
                return Ok(Some(ceiling));
            }
        }
        Ok(None)
    }

    /// Removes the file again if this ledger began it and neither a charge nor a ceiling is in it: for a job that came to nothing.
    pub fn withdraw(self) {
        let unused = self.history.charges.is_empty() && self.history.ceilings.is_empty();
        if let Some(file) = self.file.filter(|_| unused && !self.broken) {
            file.withdraw();
        }
    }

    /// The ledger's id, drawn at random when it was begun; empty in memory.
    pub fn id(&self) -> &str {
        self.history.id()
    }

    /// Every release so far.
    pub fn spent(&self) -> &Composition {
        &self.spent
    }

    /// What the ledger records.
    pub fn on_record(&self) -> &LedgerHistory {
        &self.history
    }

    /// The ceilings, all of which hold.
    pub fn ceilings(&self) -> &[Ceiling] {
        &self.history.ceilings
    }

    /// Whether a torn line has ever been repaired in this file.
    pub fn was_repaired(&self) -> bool {
        self.history.was_repaired
    }

    fn write(&mut self, entries: Vec<Entry>) -> Result<(), LedgerError> {
        if self.broken {
            return Err(LedgerError::Broken);
        }
        let entries = match &self.file {
            None => Entries::InMemory(entries),
            Some(file) => Entries::InFile(file.draft(entries)?),
        };
        self.record(entries)
    }

    /// Entries that are right in themselves, into the file and then into what is known of it.
    fn record(&mut self, entries: Entries) -> Result<(), LedgerError> {
        // Until it is known what the file holds.
        self.broken = true;
        let added = match (entries, &mut self.file) {
            (Entries::InFile(draft), Some(file)) => {
                file.append(draft)?.into_iter().try_for_each(|line| self.history.add(line))
            }
            (Entries::InMemory(entries), None) => {
                entries.into_iter().try_for_each(|entry| self.history.apply(entry, None))
            }
            _ => return Err(LedgerError::Broken),
        };
        added.map_err(|_| LedgerError::Broken)?;
        for charge in self.history.charges.iter().skip(self.spent.parts().len()) {
            let Part { mechanism, times, cost } = charge.part.clone();
            self.spent.push(mechanism, times, cost);
        }
        self.broken = false;
        Ok(())
    }
}

/// A sum in the unit of `ceiling` where that is possible, in its own otherwise.
fn stated(sum: &Composition, ceiling: PrivacyLoss) -> Result<PrivacyLoss, BudgetError> {
    let in_unit = match ceiling {
        PrivacyLoss::Gaussian(_) => sum.mu()?.map(PrivacyLoss::Gaussian),
        PrivacyLoss::ZeroConcentrated(_) => sum.rho()?.map(PrivacyLoss::ZeroConcentrated),
        PrivacyLoss::Approximate(_, delta) => {
            sum.epsilon_at(delta).ok().map(|bound| PrivacyLoss::Approximate(bound.epsilon, delta))
        }
        _ => None,
    };
    in_unit.map_or_else(|| sum.total(), Ok)
}

#[cfg(test)]
mod tests;
