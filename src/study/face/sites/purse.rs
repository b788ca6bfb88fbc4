//! One charge for all rounds of a plan, and one answer to each: kept in `internal/sites.json`.

use super::error::{SitesError, of};
use super::message::Position;
use crate::io::{Limit, write_bytes, write_text};
use crate::privacy::{Charge, Composition, Ledger, Part, Price, Receipt};
use crate::study::face::StudyError;
use crate::study::job::{DryRun, JobError};
use crate::study::kept::kept;
use crate::study::{Place, StudyFolder};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
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

impl Purse {
    /// Reads the state, of this plan or none.
    pub(super) fn open(folder: &StudyFolder, plan: &str) -> Result<Self, StudyError> {
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
                    )
                    .into());
                }
                Some(state)
            }
        };
        Ok(Self { folder: folder.clone(), state })
    }

    /// The answer to this round, if it was given; it is put into the outbox again, as it was.
    ///
    /// # Errors
    /// A round that was answered about other results than those here: answering again would be a second, unpaid release.
    pub(super) fn again(&self, position: &Position) -> Result<Option<Vec<PathBuf>>, StudyError> {
        let Some(answered) = self.state.as_ref().and_then(|state| state.answered.get(&position.round)) else {
            return Ok(None);
        };
        if answered.before != position.before {
            return Err(SitesError::Asked(format!(
                "round {} has been answered already, about other results of the rounds before; a round is answered once",
                position.round
            ))
            .into());
        }
        self.hand_on(&answered.files).map(Some)
    }

    /// Whether there is room in the ledger for what is yet to be paid, before any work; a dry run ends here.
    ///
    /// # Errors
    /// A ceiling; [`JobError::DryRun`].
    pub(super) fn check(&self, place: &Place, price: &Price) -> Result<(), JobError> {
        let charged = match &self.state {
            Some(_) => Composition::new(),
            None => Composition::from(price.charged()),
        };
        let total = place.ledger.after(&self.folder, &charged)?;
        if place.dry_run {
            return Err(JobError::DryRun(Box::new(DryRun { price: price.clone(), total })));
        }
        Ok(())
    }

    /// A charge for the whole of the plan: paid once, and found again for later rounds.
    ///
    /// # Errors
    /// [`StudyError`]: other records than before, a ledger without the charge, a ceiling.
    pub(super) fn pay(
        &mut self,
        ledger: &mut Ledger,
        part: Part,
        plan: &str,
        records: &str,
    ) -> Result<Charge, StudyError> {
        self.adopt(ledger)?;
        if let Some(state) = &self.state {
            if state.records != records {
                return Err(SitesError::Asked(
                    "these are other records, or other ways to make them, than those of the first round; all rounds are about the same".into(),
                )
                .into());
            }
            if ledger.holds(&state.receipt).is_ok() {
                // Under it other rounds were drawn, each from its own part of the charge; of this round nothing has been stored.
                return Ok(ledger.reissue(&state.receipt, &part).map_err(JobError::from)?);
            }
            if !state.answered.is_empty() {
                return Err(SitesError::Asked(
                    "the ledger does not hold the charge for the rounds that were answered; put the right one back".into(),
                )
                .into());
            }
        }
        let announced = ledger.announce(part).map_err(JobError::from)?;
        let receipt = announced.receipt().cloned().ok_or(JobError::Unrecorded)?;
        let (plan, records, lines) = (plan.to_owned(), records.to_owned(), announced.lines().to_owned());
        let state = State { plan, records, receipt, lines, answered: BTreeMap::new() };
        // Written first: after a crash the ledger holds this charge, or was not charged.
        self.write(&state)?;
        let charge = announced.pay().map_err(JobError::from)?;
        self.state = Some(state);
        Ok(charge)
    }

    /// Makes the announced charge its own where another run found it half written and completed it; the receipt is stored first.
    fn adopt(&mut self, ledger: &mut Ledger) -> Result<(), StudyError> {
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

    /// The charge's receipt.
    pub(super) fn receipt(&self) -> Option<&Receipt> {
        self.state.as_ref().map(|state| &state.receipt)
    }

    /// Stores the answer to a round, and only then puts it into the outbox.
    pub(super) fn answer(
        &mut self,
        position: &Position,
        files: &[(String, Vec<u8>)],
    ) -> Result<Vec<PathBuf>, StudyError> {
        let answers = self.folder.internal().join(ANSWERS);
        std::fs::create_dir_all(&answers).map_err(|e| of(&answers, e.to_string()))?;
        for (name, bytes) in files {
            write_bytes(&answers.join(name), bytes)?;
        }
        let names: Vec<String> = files.iter().map(|(name, _)| name.clone()).collect();
        let mut state = self.state.take().ok_or(JobError::Unrecorded)?;
        let answered = Answered { before: position.before.clone(), files: names.clone() };
        state.answered.insert(position.round, answered);
        self.write(&state)?;
        self.state = Some(state);
        self.hand_on(&names)
    }

    /// Redeems the charge with the last answer.
    pub(super) fn close(&self, ledger: &mut Ledger, position: &Position) -> Result<(), StudyError> {
        let Some(state) = &self.state else { return Ok(()) };
        let Some(answered) = state.answered.get(&position.round) else { return Ok(()) };
        let mut hash = Sha256::new();
        for name in &answered.files {
            hash.update(self.stored(name)?);
        }
        ledger.redeem(&state.receipt, &hex::encode(hash.finalize())).map_err(JobError::from)?;
        Ok(())
    }

    fn write(&self, state: &State) -> Result<(), StudyError> {
        let path = self.folder.internal().join(STATE);
        let text = serde_json::to_string_pretty(state).map_err(|e| of(&path, e.to_string()))?;
        Ok(write_text(&path, &text)?)
    }

    fn stored(&self, name: &str) -> Result<Vec<u8>, SitesError> {
        let path = self.folder.internal().join(ANSWERS).join(name);
        std::fs::read(&path).map_err(|e| of(&path, e.to_string()))
    }

    fn hand_on(&self, names: &[String]) -> Result<Vec<PathBuf>, StudyError> {
        let outbox = outbox(self.folder.root())?;
        names
            .iter()
            .map(|name| {
                let path = outbox.join(name);
                write_bytes(&path, &self.stored(name)?)?;
                Ok(path)
            })
            .collect()
    }
}

/// The folder with what is to be handed on.
pub(super) fn outbox(root: &Path) -> Result<PathBuf, SitesError> {
    let outbox = root.join(OUTBOX);
    std::fs::create_dir_all(&outbox).map_err(|e| of(&outbox, e.to_string()))?;
    Ok(outbox)
}
