//! What is public of other people, for `--prior`: their records, or an earlier private release.

use crate::io::numbers_sha256;
use crate::io::{Limit, ReadError, npy, open};
use crate::job::layout::{CERTIFICATE, MODES_NPY};
use crate::job::refuse_secret;
use crate::privacy::PublicInput;
use crate::study::{public_input, verify};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Why a prior is refused: nothing is charged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PriorError {
    /// A folder that is no prior.
    #[error("{path}: not a valid prior: {what}", path = path.display())]
    Release {
        /// The folder.
        path: PathBuf,
        /// Why not.
        what: String,
    },
    /// A prior made of the study's own records: for the data holder only.
    #[error(
        "record {record} (counted from 0) is one of the prior's: a prior must be public, and made without the study's records"
    )]
    OwnRecord {
        /// The first one.
        record: usize,
    },
    /// A file.
    #[error(transparent)]
    Read(#[from] ReadError),
}

/// Public people: free. Their mean is the public centre of a study, and how they differ is what shrinkage expects. The wrong people cost accuracy
/// only; a prior that was made of the study's own records would void the guarantee.
#[derive(Debug, Clone)]
pub struct PublicPeople {
    /// The files they were read from.
    pub inputs: Vec<PublicInput>,
    /// What single people, or one standard deviation of each mode, differ from the mean by; nothing where only a mean is known.
    pub differences: Vec<Vec<f64>>,
    /// Hashes of single records.
    sums: HashSet<[u8; 32]>,
}

impl PublicPeople {
    /// These records, whose mean is this one.
    pub fn of_records<'a>(
        input: PublicInput,
        records: impl Iterator<Item = &'a [f64]> + Clone,
        mean: &[f64],
    ) -> Self {
        let difference = |record: &[f64]| record.iter().zip(mean).map(|(x, m)| x - m).collect();
        Self {
            inputs: vec![input],
            differences: records.clone().map(difference).collect(),
            sums: records.map(numbers_sha256).collect(),
        }
    }

    /// The folder of an earlier private release of records with these axes, and the mean in its file `mean`.
    ///
    /// # Errors
    /// [`PriorError`] for a folder that is no private release of such records.
    pub fn of_release(path: &Path, mean: &str, axes: &[usize]) -> Result<(Vec<f64>, Self), PriorError> {
        let refused = |what: String| PriorError::Release { path: path.to_owned(), what };
        let verified = verify(path, None, None).map_err(|e| refused(e.to_string()))?;
        if !verified.certificate.private {
            return Err(refused("its certificate does not say that it is private".into()));
        }
        let folder =
            [path.join("release"), path.to_owned()].into_iter().find(|f| f.join(CERTIFICATE).exists());
        let folder = folder.unwrap_or_else(|| path.to_owned());
        let certificate = open(&folder.join(CERTIFICATE), Limit::CERTIFICATE)?;
        let array = |name: &str| {
            let file = open(&folder.join(name), Limit::TABLE)?;
            refuse_secret(&file)?;
            Ok::<_, PriorError>(npy::of(&file)?)
        };
        let found = array(mean)?;
        if found.shape != axes {
            return Err(refused(format!(
                "its mean has the shape {:?}, records of this study {axes:?}",
                found.shape
            )));
        }
        let differences = match folder.join(MODES_NPY).exists() {
            true => array(MODES_NPY)?.data.chunks_exact(found.data.len()).map(<[f64]>::to_vec).collect(),
            false => Vec::new(),
        };
        let people = Self { inputs: vec![public_input(&certificate)?], differences, sums: HashSet::new() };
        Ok((found.data, people))
    }

    /// Whether there are single records that a study's could be.
    pub fn has_records(&self) -> bool {
        !self.sums.is_empty()
    }

    /// Whether these numbers are one of the records, to the last bit.
    pub fn has(&self, record: &[f64]) -> bool {
        self.has_records() && self.sums.contains(&numbers_sha256(record))
    }
}
