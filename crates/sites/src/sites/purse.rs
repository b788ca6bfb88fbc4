//! One charge for all rounds of a plan, and one answer to each: kept in `internal/sites.json`, and in the ledger.
//!
//! An answer is stored, its round is redeemed in the ledger with the answer's SHA-256, and only then is it handed on. So whichever copy of the
//! folder is asked, with the ledger at its place a round has one answer: where it is stored, it is handed on again as it was; where it is not,
//! nothing is drawn.

use super::error::{SitesError, of};
use super::message::{Position, part_of};
use crate::fault;
use crate::io::{Limit, sync_folder, write_bytes, write_text};
use crate::job::kept::kept;
use crate::job::{DryRun, JobError};
use crate::privacy::{Charge, Composition, Ledger, LedgerError, Part, Price, Receipt, ReceiptError};
use crate::study::{Place, StudyFolder};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::fs::DirBuilder;
use std::path::{Path, PathBuf};

/// The state's file.
const STATE: &str = "sites.json";
/// Where answers are kept, to be handed on again as they were.
const ANSWERS: &str = "answers";
/// Where messages lie that are to be handed on.
pub(super) const OUTBOX: &str = "outbox";

/// What has been paid and answered.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct State {
    plan: String,
    /// What the records are: all rounds must be about the same.
    records: String,
    receipt: Receipt,
    /// The charge as it was announced, by which it is known where it was half written.
    #[serde(default)]
    lines: String,
    answered: BTreeMap<usize, Answered>,
}

/// An answer that was stored before it left.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Answered {
    before: String,
    files: Vec<String>,
}

/// The folder of a party, with its state.
pub(super) struct Purse {
    folder: StudyFolder,
    state: Option<State>,
}

/// What an answer is charged for.
pub(super) struct Due<'a> {
    /// The charge, of all rounds.
    pub(super) part: Part,
    /// Whether a ledger has such a charge at most once, whatever folder it was made from.
    pub(super) once: bool,
    pub(super) position: &'a Position,
    pub(super) records: &'a str,
    /// Closed rounds that this party answered, with their charges; without one, under its only charge.
    pub(super) closed: Vec<(usize, Option<Receipt>)>,
}

impl Purse {
    /// Reads the state, of this plan or none.
    pub(super) fn open(folder: &StudyFolder, plan: &str) -> Result<Self, SitesError> {
        let path = folder.internal().join(STATE);
        let state = match kept(&path, Limit::TABLE)? {
            None => None,
            Some(file) => {
                let state: State = serde_json::from_slice(file.bytes())
                    .map_err(|_| of(&path, "this is not the state of a site or aggregator"))?;
                if state.plan != plan {
                    return Err(of(
                        folder.root(),
                        "this folder is of another plan; choose another one with --out",
                    ));
                }
                Some(state)
            }
        };
        Ok(Self { folder: folder.clone(), state })
    }

    /// The stored answer to this round, as files in the party's own keeping; none if there is none.
    ///
    /// # Errors
    /// A round that was answered about other results than those here: answering again would be a second, unpaid release.
    pub(super) fn stored(&self, position: &Position) -> Result<Option<Vec<PathBuf>>, SitesError> {
        let Some(answered) = self.state.as_ref().and_then(|state| state.answered.get(&position.round)) else {
            return Ok(None);
        };
        if answered.before != position.before {
            return Err(SitesError::Asked(format!(
                "round {} has been answered already, about other results of the rounds before; a round is answered once",
                position.round
            )));
        }
        Ok(Some(answered.files.iter().map(|name| self.path_of(name)).collect()))
    }

    /// The answer to this round, if it was given; it is put into the outbox again, as it was.
    ///
    /// # Errors
    /// As [`Self::stored`]; other records; a ledger that has another answer.
    pub(super) fn again(
        &mut self,
        place: &Place,
        part: &Part,
        position: &Position,
        records: &str,
    ) -> Result<Option<Vec<PathBuf>>, SitesError> {
        if self.stored(position)?.is_none() {
            return Ok(None);
        }
        self.check_records(records)?;
        let mut ledger = self.ledger(place, part)?;
        self.adopt(&mut ledger)?;
        // It may have ended between storing and this.
        self.redeem(&mut ledger, position.round)?;
        self.hand_on(position.round).map(Some)
    }

    /// Whether there is room in the ledger for what is yet to be paid, before any work; a dry run ends here.
    ///
    /// # Errors
    /// A ceiling; [`JobError::DryRun`].
    pub(super) fn check(&self, place: &Place, price: &Price, part: &Part) -> Result<(), JobError> {
        let charged = match &self.state {
            Some(_) => Composition::new(),
            None => Composition::from(part.clone()),
        };
        let total = place.ledger.after(&self.folder, &charged)?;
        if place.dry_run {
            return Err(JobError::DryRun(Box::new(DryRun { price: price.clone(), total })));
        }
        Ok(())
    }

    /// The ledger; a ceiling is for the neighbours that `part` is charged for.
    pub(super) fn ledger(&self, place: &Place, part: &Part) -> Result<Ledger, JobError> {
        place.ledger.open_for(&self.folder, "", part.neighbours())
    }

    /// A charge for the whole of the plan: paid once, and found again for later rounds, each of which is a draw that it pays for once.
    ///
    /// # Errors
    /// [`SitesError`]: other records than before, a ledger without the charge or with an answer to this round, a ceiling.
    pub(super) fn pay(&mut self, ledger: &mut Ledger, due: Due<'_>) -> Result<Charge, SitesError> {
        let Due { part, once, position, records, closed } = due;
        self.adopt(ledger)?;
        self.check_records(records)?;
        self.redeem_stored(ledger)?;
        self.check_closed(ledger, &closed)?;
        if let Some(state) = &self.state {
            if ledger.holds(&state.receipt).is_ok() {
                // Under it other rounds were drawn, each from its own part of the charge; of this round nothing has been stored.
                let again = ledger.reissue_part(&state.receipt, &part, position.part());
                return again.map_err(|error| refused(position.round, error));
            }
            if !state.answered.is_empty() {
                return Err(SitesError::Asked(
                    "the ledger does not hold the charge for the rounds that were answered; put the right one back".into(),
                ));
            }
        }
        if once && ledger.spent().parts().iter().any(|one| one.mechanism == part.mechanism) {
            return Err(SitesError::Asked(
                "this ledger has a charge for this plan already, made from another folder: go on with that one, since no round is added up for a second \
                 set of sites. Another release, also over the same sites, is another plan, with new keys of the aggregators"
                    .into(),
            ));
        }
        let announced = ledger.announce(part).map_err(JobError::from)?;
        let receipt = announced.receipt().cloned().ok_or(JobError::Unrecorded)?;
        let (plan, records, lines) =
            (position.plan.clone(), records.to_owned(), announced.lines().to_owned());
        let state = State { plan, records, receipt, lines, answered: BTreeMap::new() };
        // Written first: after a crash the ledger holds this charge, or was not charged.
        self.write(&state)?;
        let charge = announced.pay().map_err(JobError::from)?;
        self.state = Some(state);
        Ok(charge)
    }

    fn check_records(&self, records: &str) -> Result<(), SitesError> {
        match &self.state {
            Some(state) if state.records != records => Err(SitesError::Asked(
                "these records, or the way they were made, differ from those of the first round; all rounds use the same records".into(),
            )),
            _ => Ok(()),
        }
    }

    /// Makes the announced charge its own where another run found it half written and completed it; the receipt is stored first.
    fn adopt(&mut self, ledger: &mut Ledger) -> Result<(), SitesError> {
        let Some(mut state) = self.state.take() else { return Ok(()) };
        if let Some(receipt) = ledger.adoptable(&state.receipt, &state.lines) {
            state.receipt = receipt;
            self.write(&state)?;
        }
        if ledger.holds(&state.receipt).is_ok() {
            ledger.adopt(&state.receipt).map_err(JobError::from)?;
        }
        self.state = Some(state);
        Ok(())
    }

    /// Redeems what is stored and was not: of a run that was killed in between, or of an earlier version, which redeemed the last round only.
    fn redeem_stored(&self, ledger: &mut Ledger) -> Result<(), SitesError> {
        let Some(state) = self.state.as_ref().filter(|state| ledger.holds(&state.receipt).is_ok()) else {
            return Ok(());
        };
        for round in state.answered.keys() {
            if ledger.redeemed_part(&state.receipt, part_of(*round)).is_none() {
                self.redeem(ledger, *round)?;
            }
        }
        Ok(())
    }

    /// Whether the ledger has all answers of this party to rounds that are closed, as public results say: one that was put back from an
    /// older copy has not.
    fn check_closed(&self, ledger: &Ledger, closed: &[(usize, Option<Receipt>)]) -> Result<(), SitesError> {
        // A seeded charge is no bound, and its draws are not recorded.
        let known = |round: usize, receipt: &Receipt| {
            let charge = ledger.on_record().charge(receipt);
            charge.is_ok_and(|one| one.part.is_seeded() || one.redeemed_part(part_of(round)).is_some())
        };
        for (round, receipt) in closed {
            if !receipt.as_ref().or(self.receipt()).is_some_and(|receipt| known(*round, receipt)) {
                return Err(SitesError::Asked(format!(
                    "round {round} was closed with an answer of this party that is not in the ledger: the ledger or the folder was exchanged, or \
                     is an older copy; restore the ones that gave the answer"
                )));
            }
        }
        Ok(())
    }

    /// The charge's receipt.
    pub(super) fn receipt(&self) -> Option<&Receipt> {
        self.state.as_ref().map(|state| &state.receipt)
    }

    /// Stores the answer to a round, redeems that round with it, and only then puts it into the outbox.
    pub(super) fn answer(
        &mut self,
        ledger: &mut Ledger,
        position: &Position,
        files: &[(String, Vec<u8>)],
    ) -> Result<Vec<PathBuf>, SitesError> {
        let mut state = self.state.take().ok_or(JobError::Unrecorded)?;
        make_folder(&self.folder.internal().join(ANSWERS))?;
        for (name, bytes) in files {
            write_bytes(&self.path_of(name), bytes)?;
        }
        let files = files.iter().map(|(name, _)| name.clone()).collect();
        state.answered.insert(position.round, Answered { before: position.before.clone(), files });
        self.write(&state)?;
        self.state = Some(state);
        self.redeem(ledger, position.round)?;
        self.hand_on(position.round)
    }

    /// Redeems a round with its stored answer.
    fn redeem(&self, ledger: &mut Ledger, round: usize) -> Result<(), SitesError> {
        let state = self.state.as_ref().ok_or(JobError::Unrecorded)?;
        let mut hash = Sha256::new();
        for (_, bytes) in self.answer_to(round)? {
            hash.update(bytes);
        }
        let draw = hex::encode(hash.finalize());
        ledger.redeem_part(&state.receipt, part_of(round), &draw).map_err(|error| refused(round, error))
    }

    /// The stored answer to a round.
    fn answer_to(&self, round: usize) -> Result<Vec<(&str, Vec<u8>)>, SitesError> {
        let answered = self.state.iter().filter_map(|state| state.answered.get(&round));
        let read = |name: &'_ String| {
            let path = self.path_of(name);
            std::fs::read(&path).map_err(|e| of(&path, e.to_string()))
        };
        answered.flat_map(|one| &one.files).map(|name| Ok((name.as_str(), read(name)?))).collect()
    }

    fn path_of(&self, name: &str) -> PathBuf {
        self.folder.internal().join(ANSWERS).join(name)
    }

    fn write(&self, state: &State) -> Result<(), SitesError> {
        let path = self.folder.internal().join(STATE);
        let text = serde_json::to_string_pretty(state).map_err(|e| of(&path, e.to_string()))?;
        Ok(write_text(&path, &text)?)
    }

    /// Puts the stored answer into the outbox: only after its round was redeemed with it.
    fn hand_on(&self, round: usize) -> Result<Vec<PathBuf>, SitesError> {
        let outbox = outbox(self.folder.root())?;
        let mut paths = Vec::new();
        for (name, bytes) in self.answer_to(round)? {
            let path = outbox.join(name);
            write_bytes(&path, &bytes)?;
            paths.push(path);
        }
        Ok(paths)
    }
}

/// What a ledger's refusal means for a round.
fn refused(round: usize, error: LedgerError) -> SitesError {
    match error {
        LedgerError::Receipt(ReceiptError::AlreadyRedeemed { draw, .. }) => SitesError::Asked(format!(
            "round {round} has been answered already, and a round is answered once: the ledger has it as redeemed for an answer with SHA-256 \
             {draw}, which is not what this folder holds. The folder is a copy, or was put back from one; go on with the folder that gave that \
             answer, or hand on the files that it gave"
        )),
        error => JobError::from(error).into(),
    }
}

/// The folder with what is to be handed on.
pub(super) fn outbox(root: &Path) -> Result<PathBuf, SitesError> {
    let outbox = root.join(OUTBOX);
    make_folder(&outbox)?;
    Ok(outbox)
}

/// Makes a folder in one that is there, and waits until its name is on the disk.
fn make_folder(path: &Path) -> Result<(), SitesError> {
    if path.is_dir() {
        return Ok(());
    }
    fault::create_folder(path, &DirBuilder::new()).map_err(|e| of(path, e.to_string()))?;
    path.parent().into_iter().for_each(sync_folder);
    Ok(())
}
