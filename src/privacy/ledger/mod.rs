//! The ledger: every release is charged before its noise is drawn, and never refunded.
//!
//! One file per study, `visard.ledger.jsonl`, append-only. A charge is handed out after its line *and* a seal line
//! after it have been written in one write and synced to disk, so whatever was drawn is on record. Should the last
//! line be torn (power cut, full disk), opening repairs the file: a torn seal leaves its charge counted; a torn charge
//! was never handed out, and still counts if its loss can be read. Repair never lowers the sum.
//!
//! The file is locked while it is open: a second process is refused, not raced.

mod file;
mod line;

use super::fit::fits;
use super::{BudgetError, Charge, Composition, Cost, Part, PrivacyLoss};
use file::LedgerFile;
use line::Entry;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// The name of a study's ledger within its folder.
pub const LEDGER_FILE: &str = "visard.ledger.jsonl";

/// Why nothing was charged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// The charge would exceed a ceiling.
    #[error(
        "{spent} spent + {requested} requested = {total}, above the ceiling {ceiling}{}; nothing was charged",
        other_unit(*total, *ceiling)
    )]
    AboveCeiling {
        /// The total before.
        spent: PrivacyLoss,
        /// What was asked.
        requested: PrivacyLoss,
        /// The composed total, in the ceiling's unit where it can be stated in it.
        total: PrivacyLoss,
        /// The ceiling.
        ceiling: PrivacyLoss,
    },
    /// A sum that no number can state.
    #[error("{0}; nothing was charged")]
    Budget(#[from] BudgetError),
    /// Another process has it open.
    #[error("the ledger {} is in use by another process; let it finish, then try again", .0.display())]
    Locked(PathBuf),
    /// The file could not be read or written.
    #[error("the ledger {}: {source}; nothing was charged", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Not a ledger.
    #[error("{} is not a visard ledger; it was left as it is", .0.display())]
    Foreign(PathBuf),
    /// A ledger of another format version.
    #[error("the ledger {} has format {found}, this program reads {}; use the program that wrote it", .path.display(), line::FORMAT)]
    Version {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u64,
    },
    /// The ledger of another study.
    #[error("the ledger {} belongs to another study; every study needs its own", .0.display())]
    OtherStudy(PathBuf),
    /// A line that was changed after it was written.
    #[error("the ledger {} is corrupted at line {line}: {what}; restore it from a backup, nothing was charged", .path.display())]
    Corrupted {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: u64,
        /// What is wrong.
        what: &'static str,
    },
    /// A write failed earlier: what the file holds is not known.
    #[error("an earlier write to the ledger failed; open it again, which repairs it")]
    Broken,
}

/// What charges would cost, before they are made.
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

/// What a ledger file records.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LedgerHistory {
    /// The releases, oldest first, with the time of the charge in seconds since 1970 where it is known.
    pub charges: Vec<(Option<u64>, Part)>,
    /// The ceilings, all of which hold.
    pub ceilings: Vec<PrivacyLoss>,
}

impl LedgerHistory {
    /// The releases together.
    pub fn spent(&self) -> Composition {
        let mut all = Composition::new();
        for (_, part) in &self.charges {
            all.push(part.mechanism.clone(), part.times, part.cost.clone());
        }
        all
    }
}

/// Record of the releases made from one dataset, with ceilings on their composed loss.
///
/// ```
/// use visard::privacy::{Ledger, Mu, PrivacyLoss};
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
    ceilings: Vec<PrivacyLoss>,
    spent: Composition,
    repaired: bool,
    broken: bool,
}

impl Ledger {
    /// A ledger that forgets: for experiments and synthetic data. Its charges say so ([`Charge::is_durable`]).
    pub fn in_memory(ceiling: Option<PrivacyLoss>) -> Self {
        Self {
            file: None,
            ceilings: ceiling.into_iter().collect(),
            spent: Composition::new(),
            repaired: false,
            broken: false,
        }
    }

    /// Opens the ledger at `path`, or begins one, and locks it. A `ceiling` is recorded and holds from then on, for all
    /// later runs too; where several have been set, all hold.
    ///
    /// # Errors
    /// [`LedgerError`]: locked, foreign, corrupted, of another version, not readable.
    pub fn open(path: &Path, ceiling: Option<PrivacyLoss>) -> Result<Self, LedgerError> {
        Self::begin(path, None, ceiling)
    }

    /// As [`Self::open`], for the study called `study` (a name or fingerprint chosen by the caller): the ledger of
    /// another study is refused.
    ///
    /// # Errors
    /// [`LedgerError`].
    pub fn open_for(path: &Path, study: &str, ceiling: Option<PrivacyLoss>) -> Result<Self, LedgerError> {
        Self::begin(path, Some(study), ceiling)
    }

    /// What the ledger at `path` records; it is neither locked nor changed. What can be read of a torn last line counts.
    ///
    /// # Errors
    /// [`LedgerError`]: not readable, foreign, corrupted, of another version.
    pub fn history(path: &Path) -> Result<LedgerHistory, LedgerError> {
        let mut history = LedgerHistory::default();
        for entry in file::entries(path)? {
            match entry {
                Entry::Ceiling { loss } => history.ceilings.push(loss),
                Entry::Charge { part, unix_time } => history.charges.push((Some(unix_time), part)),
                Entry::Repair { salvaged: Some(part), .. } => history.charges.push((None, part)),
                Entry::Open { .. } | Entry::Seal { .. } | Entry::Repair { salvaged: None, .. } => {}
            }
        }
        Ok(history)
    }

    fn begin(path: &Path, study: Option<&str>, ceiling: Option<PrivacyLoss>) -> Result<Self, LedgerError> {
        let (file, entries) = LedgerFile::open(path, study)?;
        let mut ledger = Self::in_memory(None);
        for entry in entries {
            ledger.replay(entry);
        }
        ledger.file = Some(file);
        if let Some(ceiling) = ceiling.filter(|ceiling| !ledger.ceilings.contains(ceiling)) {
            ledger.write(vec![Entry::Ceiling { loss: ceiling }])?;
            ledger.ceilings.push(ceiling);
        }
        Ok(ledger)
    }

    fn replay(&mut self, entry: Entry) {
        match entry {
            Entry::Ceiling { loss } => self.ceilings.push(loss),
            Entry::Charge { part, .. } => {
                self.spent.push(part.mechanism, part.times, part.cost);
            }
            Entry::Repair { salvaged, .. } => {
                self.repaired = true;
                if let Some(part) = salvaged {
                    self.spent.push(part.mechanism, part.times, part.cost);
                }
            }
            Entry::Open { .. } | Entry::Seal { .. } => {}
        }
    }

    /// Records one release and hands out the proof. Nothing is ever refunded: a draw that fails afterwards is paid for.
    ///
    /// # Errors
    /// [`LedgerError::AboveCeiling`] with the sum shown, and those of writing the file.
    pub fn charge(&mut self, mechanism: &str, loss: PrivacyLoss) -> Result<Charge, LedgerError> {
        self.charge_part(Part { mechanism: mechanism.to_owned(), times: 1, cost: Cost::Loss(loss) })
    }

    /// Records a repeated release, a group or a Rényi curve. The proof's loss is that of the whole.
    ///
    /// # Errors
    /// As [`Self::charge`].
    pub fn charge_part(&mut self, part: Part) -> Result<Charge, LedgerError> {
        if self.broken {
            return Err(LedgerError::Broken);
        }
        let one = Composition::from(part.clone());
        let after = self.after(&one);
        let requested = one.total()?;
        self.check(&one)?;
        let unix_time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |t| t.as_secs());
        let number = self.file.as_ref().map_or(0, LedgerFile::next_line);
        self.write(vec![Entry::Charge { part, unix_time }, Entry::Seal { charge: number }])?;
        self.spent = after;
        Ok(Charge::recorded(requested, self.file.is_some()))
    }

    /// The proof of a charge that is already on record, for a run that was interrupted between its charge and its
    /// release: whoever calls this answers for it that nothing drawn under the first proof has left the process, and that no
    /// release was made with it. `part` must carry a name no other charge has. `None` if it is not on record.
    pub fn reissue(&self, part: &Part) -> Option<Charge> {
        let mut found = self.spent.parts().iter().filter(|entry| *entry == part);
        match (found.next(), found.next()) {
            (Some(part), None) => {
                let loss = Composition::from(part.clone()).total().ok()?;
                Some(Charge::recorded(loss, self.file.is_some()))
            }
            _ => None,
        }
    }

    /// What releases would cost together; charges nothing.
    ///
    /// # Errors
    /// [`LedgerError::Budget`] when a sum overflows.
    pub fn quote(&self, releases: &Composition) -> Result<Quote, LedgerError> {
        let after = self.after(releases);
        let exceeds = self.exceeded(&after)?;
        Ok(Quote { requested: releases.total()?, spent: self.spent.total()?, total: after.total()?, exceeds })
    }

    /// Whether all these releases fit below the ceilings, so that none is made in vain; charges nothing.
    ///
    /// # Errors
    /// [`LedgerError::AboveCeiling`] when they do not; [`LedgerError::Budget`].
    pub fn check(&self, releases: &Composition) -> Result<(), LedgerError> {
        let after = self.after(releases);
        let Some(ceiling) = self.exceeded(&after)? else { return Ok(()) };
        let (spent, total) = (stated(&self.spent, ceiling)?, stated(&after, ceiling)?);
        let requested = stated(releases, ceiling)?;
        Err(LedgerError::AboveCeiling { spent, requested, total, ceiling })
    }

    /// What would be spent with these.
    fn after(&self, releases: &Composition) -> Composition {
        let mut after = self.spent.clone();
        for part in releases.parts() {
            after.push(part.mechanism.clone(), part.times, part.cost.clone());
        }
        after
    }

    /// The first ceiling that this much exceeds.
    fn exceeded(&self, spent: &Composition) -> Result<Option<PrivacyLoss>, BudgetError> {
        for ceiling in &self.ceilings {
            if !fits(spent, *ceiling)? {
                return Ok(Some(*ceiling));
            }
        }
        Ok(None)
    }

    /// Removes the file again if this ledger began it and neither a charge nor a ceiling is in it: for a job that came to nothing.
    pub fn withdraw(self) {
        if let Some(file) = self.file.filter(|_| self.spent.parts().is_empty() && self.ceilings.is_empty()) {
            file.withdraw();
        }
    }

    /// Every release so far.
    pub fn spent(&self) -> &Composition {
        &self.spent
    }

    /// The ceilings, all of which hold.
    pub fn ceilings(&self) -> &[PrivacyLoss] {
        &self.ceilings
    }

    /// Whether a torn line has ever been repaired in this file.
    pub fn was_repaired(&self) -> bool {
        self.repaired
    }

    fn write(&mut self, entries: Vec<Entry>) -> Result<(), LedgerError> {
        let Some(file) = &mut self.file else { return Ok(()) };
        file.append(entries).inspect_err(|_| self.broken = true)
    }
}

/// What to say where a total has no bound in its ceiling's unit, and so lies above every ceiling in it.
fn other_unit(total: PrivacyLoss, ceiling: PrivacyLoss) -> &'static str {
    let same = std::mem::discriminant(&total) == std::mem::discriminant(&ceiling);
    if same { "" } else { " (a loss of this kind has no bound in the ceiling's unit)" }
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
