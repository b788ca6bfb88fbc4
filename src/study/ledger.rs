//! Which ledger a study charges: its own, or one shared by all studies of the same people.

use super::folder::{FolderError, StudyFolder};
use crate::privacy::{Ledger, LedgerError, PrivacyLoss};
use std::path::{Path, PathBuf};

/// Where the releases of a study are recorded, and how far they may go.
///
/// A study charges the ledger in its own folder, unless it is given one that other studies of the same people charge
/// too: then all their losses add up. A folder remembers a shared ledger, and neither leaves it for its own later nor
/// begins to share once it has charges of its own: either would forget losses.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LedgerChoice {
    /// A shared ledger; by default the one the folder remembers, or its own.
    pub file: Option<PathBuf>,
    /// What all releases in the ledger together may cost, now and in later runs.
    pub ceiling: Option<PrivacyLoss>,
}

impl LedgerChoice {
    /// Opens the ledger and locks it.
    ///
    /// # Errors
    /// As the caller's error: [`FolderError::OtherLedger`] when the folder's releases are recorded elsewhere,
    /// [`FolderError::LedgerGone`] when they were recorded in a shared ledger that is missing,
    /// [`FolderError::Io`], and those of [`Ledger::open`].
    pub fn open<E: From<FolderError> + From<LedgerError>>(&self, folder: &StudyFolder) -> Result<Ledger, E> {
        let remembered = folder.shared_ledger()?;
        // To begin it anew would forget what it held.
        if let Some(path) = remembered.as_ref().filter(|path| !path.exists()) {
            return Err(FolderError::LedgerGone(path.clone()).into());
        }
        let Some(given) = &self.file else {
            let path = remembered.unwrap_or_else(|| folder.own_ledger());
            return Ok(Ledger::open(&path, self.ceiling)?);
        };
        let given = std::path::absolute(given).map_err(|e| FolderError::Io(given.clone(), e))?;
        match remembered {
            Some(path) if !same_file(&path, &given) => return Err(FolderError::OtherLedger(path).into()),
            Some(_) => {}
            None => refuse_charges::<E>(&folder.own_ledger())?,
        }
        let ledger = Ledger::open(&given, self.ceiling)?;
        folder.remember_ledger(&given)?;
        Ok(ledger)
    }
}

fn refuse_charges<E: From<FolderError> + From<LedgerError>>(own: &Path) -> Result<(), E> {
    if !own.exists() || Ledger::history(own)?.charges.is_empty() {
        return Ok(());
    }
    Err(FolderError::OtherLedger(own.to_owned()).into())
}

fn same_file(a: &Path, b: &Path) -> bool {
    a == b || matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::Mu;

    #[derive(Debug, thiserror::Error)]
    enum Failed {
        #[error(transparent)]
        Folder(#[from] FolderError),
        #[error(transparent)]
        Ledger(#[from] LedgerError),
    }

    fn open(choice: &LedgerChoice, folder: &StudyFolder) -> Result<Ledger, Failed> {
        choice.open(folder)
    }

    fn shared(file: PathBuf) -> LedgerChoice {
        LedgerChoice { file: Some(file), ceiling: None }
    }

    fn one() -> PrivacyLoss {
        PrivacyLoss::Gaussian(Mu::new(1.0).unwrap())
    }

    #[test]
    fn studies_of_the_same_people_add_up_in_a_shared_ledger() {
        let dir = tempfile::tempdir().unwrap();
        let choice = shared(dir.path().join("people.jsonl"));
        for (k, name) in ["faces", "outlines"].iter().enumerate() {
            let folder = StudyFolder::prepare(&dir.path().join(name), false).unwrap();
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
        let folder = StudyFolder::prepare(&dir.path().join("faces"), false).unwrap();
        open(&shared(first.clone()), &folder).unwrap().charge("Gaussian mechanism", one()).unwrap();
        // Without being told again it goes on with the same one; it does not go over to another.
        let again = open(&LedgerChoice::default(), &folder).unwrap();
        assert_eq!(again.spent().parts().len(), 1);
        drop(again);
        let refused = open(&shared(second.clone()), &folder).unwrap_err();
        assert!(
            matches!(&refused, Failed::Folder(FolderError::OtherLedger(path)) if *path == first),
            "{refused}"
        );
        assert!(!second.exists());
        assert!(open(&shared(dir.path().join("faces/../first.jsonl")), &folder).is_ok());
        // A ledger that is missing is not begun anew.
        std::fs::remove_file(&first).unwrap();
        for choice in [LedgerChoice::default(), shared(first.clone())] {
            let refused = open(&choice, &folder).unwrap_err();
            assert!(matches!(refused, Failed::Folder(FolderError::LedgerGone(_))), "{refused}");
        }
        assert!(!first.exists());
    }

    #[test]
    fn charges_of_its_own_are_not_left_behind() {
        let dir = tempfile::tempdir().unwrap();
        let folder = StudyFolder::prepare(&dir.path().join("faces"), false).unwrap();
        drop(open(&LedgerChoice::default(), &folder).unwrap());
        // Nothing is charged yet: it may begin to share.
        let people = dir.path().join("people.jsonl");
        let other = StudyFolder::prepare(&dir.path().join("outlines"), false).unwrap();
        open(&LedgerChoice::default(), &other).unwrap().charge("Gaussian mechanism", one()).unwrap();
        assert!(open(&shared(people.clone()), &folder).is_ok());
        let refused = open(&shared(people), &other).unwrap_err();
        assert!(
            matches!(&refused, Failed::Folder(FolderError::OtherLedger(path)) if *path == other.own_ledger())
        );
    }
}
