//! Which ledger a study charges: its own, or one shared by all studies of the same people.

use super::error::{JobError, io};
use super::kept::kept;
use super::layout::{SHARED_LEDGER, StudyFolder};
use crate::io::{Limit, write_text};
use crate::privacy::{
    Certificate, Composition, Ledger, LedgerError, LedgerHistory, Neighbours, PrivacyLoss, Receipt,
};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where the releases of a study are recorded, and how far they may go.
///
/// A study charges the ledger in its own folder, unless it is given one that other studies of the same people charge
/// too: then all their losses add up. A folder remembers a shared ledger, and neither leaves it for its own later nor
/// begins to share once it has charges of its own: either would forget losses. Nor is a ledger begun anew where a release tells that
/// there was one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LedgerChoice {
    /// A shared ledger; by default the one the folder remembers, or its own.
    pub file: Option<PathBuf>,
    /// What all releases in the ledger together may cost for the neighbours that this study protects, now and in later runs.
    pub ceiling: Option<PrivacyLoss>,
    /// How long to wait for another process that has the ledger open; not at all by default.
    pub wait: Duration,
}

impl LedgerChoice {
    /// Opens the ledger and locks it; a charge of this job that was half written, `announced` in these lines, is completed. The ceiling is for
    /// these neighbours.
    ///
    /// # Errors
    /// [`JobError::OtherLedger`] when the folder's releases are recorded elsewhere, [`JobError::LedgerGone`] when they were recorded in
    /// a ledger that is missing, and those of [`Ledger::open_waiting`].
    pub fn open_for(
        &self,
        folder: &StudyFolder,
        announced: &str,
        neighbours: Neighbours,
    ) -> Result<Ledger, JobError> {
        let open = |path: &Path| {
            let ceiling = self.ceiling.map(|loss| (loss, neighbours.clone()));
            Ledger::open_completing(path, ceiling, self.wait, announced)
        };
        let remembered = shared_ledger(folder)?;
        // To begin it anew would forget what it held.
        if let Some(path) = remembered.as_ref().filter(|path| !path.exists()) {
            return Err(JobError::LedgerGone(path.clone()));
        }
        let Some(given) = &self.file else {
            let path = remembered.unwrap_or_else(|| folder.own_ledger());
            if folder.has_release() && !path.exists() {
                return Err(JobError::LedgerGone(path));
            }
            return anchored(open(&path)?, folder);
        };
        let given = std::path::absolute(given).map_err(io(given))?;
        match remembered {
            Some(path) if !is_same(&path, &given) => return Err(JobError::OtherLedger(path)),
            Some(_) => {}
            None => refuse_charges(folder)?,
        }
        let ledger = anchored(open(&given)?, folder)?;
        remember(folder, &given)?;
        Ok(ledger)
    }

    /// What the ledger would hold with these releases, for the neighbours that they protect, asked of its file: nothing is opened for writing, begun, repaired or remembered, and
    /// no ceiling set.
    ///
    /// # Errors
    /// [`LedgerError::AboveCeiling`] for its ceilings and this one; a ledger that cannot be read.
    pub fn after(&self, folder: &StudyFolder, releases: &Composition) -> Result<Composition, JobError> {
        let path = match &self.file {
            Some(file) => file.clone(),
            None => shared_ledger(folder)?.unwrap_or_else(|| folder.own_ledger()),
        };
        let history = if path.exists() { Ledger::history(&path)? } else { LedgerHistory::default() };
        let mut total = history.spent().clone();
        for part in releases.parts() {
            total.push(part.mechanism.clone(), part.times, part.cost.clone());
        }
        let own = self.ceiling.map(|loss| (loss, releases.common_neighbours()));
        let others = history.ceilings.into_iter().map(|one| (one.loss, one.neighbours));
        for (loss, neighbours) in others.chain(own) {
            let mut limited = Ledger::in_memory(None);
            limited.add_ceiling_for(loss, neighbours)?;
            limited.check(&total)?;
        }
        Ok(total.for_neighbours(&releases.common_neighbours()).into_owned())
    }
}

/// The ledger a study shares with others, where it does.
///
/// # Errors
/// [`JobError::Read`].
fn shared_ledger(folder: &StudyFolder) -> Result<Option<PathBuf>, JobError> {
    let note = folder.root().join(SHARED_LEDGER);
    let Some(file) = kept(&note, Limit::SMALL)? else { return Ok(None) };
    Ok(Some(PathBuf::from(file.text()?.trim_end_matches('\n'))))
}

/// The ledger that holds the releases of the study in `root`, when that is a folder.
///
/// # Errors
/// [`JobError::Read`].
pub fn ledger_of(root: &Path) -> Result<Option<PathBuf>, JobError> {
    if !root.is_dir() {
        return Ok(None);
    }
    let folder = StudyFolder::at(root);
    Ok(Some(shared_ledger(&folder)?.unwrap_or_else(|| folder.own_ledger())))
}

/// From now on this study shares the ledger at `path`.
fn remember(folder: &StudyFolder, path: &Path) -> Result<(), JobError> {
    let text = path.to_str().ok_or_else(|| {
        let what = "the name of a shared ledger must be valid Unicode";
        io(path)(std::io::Error::new(std::io::ErrorKind::InvalidInput, what))
    })?;
    Ok(write_text(&folder.root().join(SHARED_LEDGER), &format!("{text}\n"))?)
}

/// The ledger, if it holds the charge that the folder's release names.
fn anchored(ledger: Ledger, folder: &StudyFolder) -> Result<Ledger, JobError> {
    if let Some(anchor) = anchor(folder)? {
        ledger.holds(&anchor).map_err(LedgerError::from)?;
    }
    Ok(ledger)
}

/// The charge that the folder's release names; releases of version 0.1 name none.
fn anchor(folder: &StudyFolder) -> Result<Option<Receipt>, JobError> {
    let path = folder.certificate();
    let Some(file) = kept(&path, Limit::CERTIFICATE)? else { return Ok(None) };
    Ok(Certificate::from_json(file.text()?)?.ledger)
}

fn refuse_charges(folder: &StudyFolder) -> Result<(), JobError> {
    let own = folder.own_ledger();
    if !own.exists() || Ledger::history(&own)?.charges.is_empty() {
        return Ok(());
    }
    Err(JobError::OtherLedger(own))
}

fn is_same(a: &Path, b: &Path) -> bool {
    a == b || same_file::is_same_file(a, b).unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::Mu;

    fn open(choice: &LedgerChoice, folder: &StudyFolder) -> Result<Ledger, JobError> {
        std::fs::create_dir_all(folder.root()).unwrap();
        choice.open_for(folder, "", Neighbours::default())
    }

    fn shared(file: PathBuf) -> LedgerChoice {
        LedgerChoice { file: Some(file), ..LedgerChoice::default() }
    }

    fn one() -> PrivacyLoss {
        PrivacyLoss::Gaussian(Mu::new(1.0).unwrap())
    }

    #[test]
    fn studies_of_the_same_people_add_up_in_a_shared_ledger() {
        let dir = tempfile::tempdir().unwrap();
        let choice = shared(dir.path().join("people.jsonl"));
        for (k, name) in ["faces", "outlines"].iter().enumerate() {
            let folder = StudyFolder::at(dir.path().join(name));
            let mut ledger = open(&choice, &folder).unwrap();
            ledger.charge("Gaussian mechanism", one()).unwrap();
            let mu = ledger.spent().mu().unwrap().unwrap().get();
            assert!((mu - (k as f64 + 1.0).sqrt()).abs() < 1e-12);
            assert!(!folder.own_ledger().exists());
        }
    }

    #[test]
    fn a_folder_keeps_to_its_ledger() {
        let dir = tempfile::tempdir().unwrap();
        let (first, second) = (dir.path().join("first.jsonl"), dir.path().join("second.jsonl"));
        let folder = StudyFolder::at(dir.path().join("faces"));
        open(&shared(first.clone()), &folder).unwrap().charge("Gaussian mechanism", one()).unwrap();
        // Without being told again it goes on with the same one; it does not go over to another.
        let again = open(&LedgerChoice::default(), &folder).unwrap();
        assert_eq!(again.spent().parts().len(), 1);
        drop(again);
        let refused = open(&shared(second.clone()), &folder).unwrap_err();
        assert!(matches!(&refused, JobError::OtherLedger(path) if *path == first), "{refused}");
        assert!(!second.exists());
        assert!(open(&shared(dir.path().join("faces/../first.jsonl")), &folder).is_ok());
        // A ledger that is missing is not begun anew.
        std::fs::remove_file(&first).unwrap();
        for choice in [LedgerChoice::default(), shared(first.clone())] {
            let refused = open(&choice, &folder).unwrap_err();
            assert!(matches!(refused, JobError::LedgerGone(_)), "{refused}");
        }
        assert!(!first.exists());
    }

    #[test]
    fn charges_of_its_own_are_not_left_behind() {
        let dir = tempfile::tempdir().unwrap();
        let folder = StudyFolder::at(dir.path().join("faces"));
        drop(open(&LedgerChoice::default(), &folder).unwrap());
        // Nothing is charged yet: it may begin to share.
        let people = dir.path().join("people.jsonl");
        let other = StudyFolder::at(dir.path().join("outlines"));
        open(&LedgerChoice::default(), &other).unwrap().charge("Gaussian mechanism", one()).unwrap();
        assert!(open(&shared(people.clone()), &folder).is_ok());
        let refused = open(&shared(people), &other).unwrap_err();
        assert!(matches!(&refused, JobError::OtherLedger(path) if *path == other.own_ledger()));
    }
}
