//! Why a job stopped.

use crate::io::{ReadError, WriteError};
use crate::privacy::noise::NoiseError;
use crate::privacy::{CertificateError, Composition, LedgerError, Price, Vacuous};
use std::path::{Path, PathBuf};

/// Of the program; those before this was kept say nothing.
fn version_name(version: &str) -> String {
    if version.is_empty() { "an earlier version".into() } else { format!("visard {version}") }
}

/// Why a job stopped. Nothing here is of a record.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JobError {
    /// A finished release is there already.
    #[error("{} already holds a release", .0.display())]
    HasRelease(PathBuf),
    /// A mean without noise is there already.
    #[error("{} already holds a mean without noise", .0.display())]
    HasResult(PathBuf),
    /// A file stands where the folder should be.
    #[error("{} is a file, not a folder", .0.display())]
    IsAFile(PathBuf),
    /// Another process works there.
    #[error("another process is working in {}; let it finish, then try again", .0.display())]
    Busy(PathBuf),
    /// A job that was interrupted after it had been paid for.
    #[error("{} holds an interrupted run that may have been paid for", .0.display())]
    Interrupted(PathBuf),
    /// The interrupted job is another one.
    #[error(
        "the interrupted run in {} had other records or settings; run it again with the same, or discard it and pay again", .0.display()
    )]
    OtherRun(PathBuf),
    /// The interrupted job was begun by another version of the program, which may draw otherwise.
    #[error(
        "the interrupted run in {} was begun by {}, not by visard {}; go on with that version, or discard it and pay again",
        .path.display(), version_name(.version), env!("CARGO_PKG_VERSION")
    )]
    OtherVersion {
        /// The folder.
        path: PathBuf,
        /// Which, where it says so.
        version: String,
    },
    /// A step of a stream that cannot be drawn.
    #[error("step {step} of this stream: {what}; nothing was drawn")]
    Step {
        /// Which, from 1.
        step: usize,
        /// Why not.
        what: &'static str,
    },
    /// A folder of something else than this stream.
    #[error(
        "what {} holds is not of this stream: another plan, template or way of making records, or no stream at all; choose another folder", .0.display()
    )]
    OtherStream(PathBuf),
    /// The job's own files were changed.
    #[error("{}: {what}; nothing was drawn", .path.display())]
    State {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: &'static str,
    },
    /// The study's releases are recorded in this ledger, not in the one it was told to charge.
    #[error(
        "the releases of this study are recorded in {}; charge that ledger, or choose another folder", .0.display()
    )]
    OtherLedger(PathBuf),
    /// The ledger that records the releases in this folder is not where it was.
    #[error("the ledger {}, which records releases of this study, is not there; put it back", .0.display())]
    LedgerGone(PathBuf),
    /// The price is not the one that was checked.
    #[error("the mechanism's price changed after it was checked; nothing was charged")]
    OtherPrice,
    /// A budget that protects nobody, and was not asked for by that name.
    #[error(transparent)]
    Vacuous(#[from] Vacuous),
    /// It was asked to stop ([`Stop`](super::Stop)).
    #[error("stopped before anything was charged")]
    Stopped,
    /// The price was asked for of what has none.
    #[error("a mean without noise releases nothing and costs nothing: there is no price")]
    NoPrice,
    /// Only the price was asked for: here it is. Nothing was charged.
    #[error("a dry run: {} costs {}", .0.price.mechanism, .0.price.loss)]
    DryRun(Box<DryRun>),
    /// A folder could not be made, moved or emptied.
    #[error("cannot prepare {}: {source}", .path.display())]
    Io {
        /// The folder or file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A ledger that forgets cannot pay for a study.
    #[error("a study is charged to a ledger file, not to memory")]
    Unrecorded,
    /// A file of the study could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A file could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The ledger.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// No randomness.
    #[error(transparent)]
    Noise(#[from] NoiseError),
    /// The certificate.
    #[error(transparent)]
    Certificate(#[from] CertificateError),
}

/// What a study would cost: all of it, for a price depends on no value of a record.
#[derive(Debug)]
pub struct DryRun {
    /// The price: what the certificate will say of mechanism, loss, sensitivity and noise.
    pub price: Price,
    /// What the ledger would hold afterwards, for the neighbours that this release protects.
    pub total: Composition,
}

/// A folder that cannot be read or written, as an error.
pub fn io(path: &Path) -> impl FnOnce(std::io::Error) -> JobError {
    let path = path.to_owned();
    move |source| JobError::Io { path, source }
}
