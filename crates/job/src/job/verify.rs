//! Whether a release is what its certificate says: its files, its line in the ledger, its signature.

use super::layout::{CERTIFICATE, StudyFolder};
use super::signature::{SIGNATURE_FILE, SignatureError, signer};
use crate::fault;
use crate::io::{Limit, ReadError, open};
use crate::privacy::{
    Adjacency, Certificate, CertificateError, Composition, FileSum, Ledger, LedgerError, Neighbours,
    PrivacyLoss, ReceiptError,
};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// Why a release is not to be trusted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// A file that cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The folder cannot be listed.
    #[error("cannot list {}: {source}", .path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The certificate.
    #[error(transparent)]
    Certificate(#[from] CertificateError),
    /// A certificate of version 0.1.
    #[error(
        "the certificate names no files: version 0.1 wrote it, and nothing binds it to what lies beside it"
    )]
    NoFiles,
    /// A file that the certificate names.
    #[error("{0} is missing from the release")]
    Missing(String),
    /// A file that is not the one that was released.
    #[error("{0} is not the file that was released: its SHA-256 differs")]
    Changed(String),
    /// A file that the certificate does not name.
    #[error("{0} lies in the release, but the certificate does not name it")]
    Extra(String),
    /// The ledger.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The ledger does not have the line the certificate names.
    #[error("the ledger does not hold this release: {0}")]
    Anchor(#[from] ReceiptError),
    /// The certificate names no line of a ledger.
    #[error("the certificate names no line of a ledger: this release was never charged to one")]
    Unrecorded,
    /// The ledger charged something else.
    #[error("the certificate states {stated}, the ledger charged {charged}")]
    Price {
        /// The certificate's loss.
        stated: PrivacyLoss,
        /// The ledger's.
        charged: PrivacyLoss,
    },
    /// The draw that the charge paid for was never stored.
    #[error("the ledger has the charge, but no draw was redeemed for it")]
    Unredeemed,
    /// The ledger charged a release from a fixed seed, and the certificate does not say so, or the other way round.
    #[error("the ledger charged a release whose noise was {}seeded, the certificate states another", if *charged { "" } else { "not " })]
    Seeded {
        /// The ledger's.
        charged: bool,
    },
    /// The ledger charged a release that protects others.
    #[error("the certificate states a loss for {stated}, the ledger charged one for {charged}")]
    Neighbours {
        /// The certificate's.
        stated: Box<Neighbours>,
        /// The ledger's.
        charged: Box<Neighbours>,
    },
    /// The ledger binds other certificates to this charge.
    #[error(
        "the certificate is not one that the ledger recorded for this charge: it was edited, or belongs to another release of it"
    )]
    OtherCertificate,
    /// The signature.
    #[error(transparent)]
    Signature(#[from] SignatureError),
}

/// What stands behind a certificate, as far as it could be checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub enum Binding {
    /// The ledger recorded this very certificate, and so every byte of the release.
    Certificate,
    /// The public key that was given signed it.
    Signature,
    /// An earlier version charged it: the ledger binds what was drawn, but neither the certificate nor whether the noise was seeded.
    DrawOnly,
    /// Its noise came from a fixed seed, and the ledger says so. Of such releases it records no digest.
    Seeded,
    /// Nothing: there was no ledger to look at, and no public key. Anybody could have written it.
    Nothing,
}

/// What was found to be right.
#[derive(Debug, Clone, PartialEq)]
pub struct Verified {
    /// The certificate.
    pub certificate: Certificate,
    /// The ledger that holds the release, where one was there to look at.
    pub ledger: Option<PathBuf>,
    /// The public key it was signed with, in hexadecimal.
    pub signed_by: Option<String>,
    /// What stands behind the certificate.
    pub binding: Binding,
}

impl Verified {
    /// Whether the release may be published: it says that it is private, and that cannot have been written by just anybody.
    pub fn may_be_published(&self) -> bool {
        self.certificate.private && matches!(self.binding, Binding::Certificate | Binding::Signature)
    }

    /// For `--json`.
    pub fn answer(&self) -> VerifiedAnswer {
        let certificate = &self.certificate;
        let known = !certificate.private || self.may_be_published();
        VerifiedAnswer {
            verified: self.binding != Binding::Nothing,
            private: known.then_some(certificate.private),
            bound_by: self.binding,
            neighbours: certificate.neighbours().adjacency(),
            files: certificate.files.len(),
            ledger: self.ledger.as_ref().map(|file| file.to_string_lossy().into_owned()),
            signed_by: self.signed_by.clone(),
        }
    }
}

/// What was found to be right.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct VerifiedAnswer {
    /// Whether anything stands behind the certificate.
    pub verified: bool,
    /// Whether the guarantee holds; null where it says so but nothing stands behind it.
    pub private: Option<bool>,
    /// What stands behind it.
    pub bound_by: Binding,
    /// Which datasets are neighbours.
    pub neighbours: Adjacency,
    /// How many files are as released.
    pub files: usize,
    /// The ledger that was looked at.
    pub ledger: Option<String>,
    /// The public key it was signed with.
    pub signed_by: Option<String>,
}

/// Checks a release: a folder with a certificate, or a study's folder. The ledger is the one given, else that of the study the release
/// lies in, if it does; `key` is the file of a public key that must have signed it.
///
/// # Errors
/// [`VerifyError`]: the first thing that is wrong.
pub fn verify(folder: &Path, ledger: Option<&Path>, key: Option<&Path>) -> Result<Verified, VerifyError> {
    let release = StudyFolder::release_of(folder);
    let path = release.join(CERTIFICATE);
    let file = open(&path, Limit::CERTIFICATE)?;
    let certificate = Certificate::from_json(file.text()?)?;
    check_files(&release, &certificate)?;
    let own = fault::real_path(&release).ok().and_then(|release| release.parent().map(Path::to_owned));
    let ledger = match (ledger, &own) {
        (Some(ledger), _) => Some(ledger.to_owned()),
        (None, Some(study)) => super::ledger_of(study).ok().flatten().filter(|ledger| ledger.exists()),
        (None, None) => None,
    };
    let digest = hex::encode(Sha256::digest(file.bytes()));
    let recorded = match (&ledger, own) {
        (Some(ledger), _) => Some(check_ledger(ledger, &certificate, &digest)?),
        // Of sites that were charged themselves: whoever put their sums together has a list of its own.
        (None, Some(study)) if certificate.ledger.is_none() => {
            match super::publish::recorded(&StudyFolder::at(study), &digest)? {
                Some(true) => Some(Binding::Certificate),
                Some(false) => return Err(VerifyError::OtherCertificate),
                None => None,
            }
        }
        _ => None,
    };
    let signed_by = signer(&path, file.bytes(), key)?;
    let signed = (key.is_some() && signed_by.is_some()).then_some(Binding::Signature);
    // A signature says more than a ledger that knows the draw only.
    let binding = match (recorded, signed) {
        (Some(Binding::DrawOnly) | None, Some(signed)) => signed,
        (Some(recorded), _) => recorded,
        (None, None) => Binding::Nothing,
    };
    Ok(Verified { certificate, ledger, signed_by, binding })
}

fn check_files(release: &Path, certificate: &Certificate) -> Result<(), VerifyError> {
    if certificate.files.is_empty() {
        return Err(VerifyError::NoFiles);
    }
    for sum in &certificate.files {
        let path = release.join(&sum.name);
        // A name with a folder in it could point anywhere.
        if Path::new(&sum.name).file_name().is_none_or(|name| name != sum.name.as_str()) || !path.exists() {
            return Err(VerifyError::Missing(sum.name.clone()));
        }
        let file = open(&path, Limit::SCAN)?;
        if FileSum::of_bytes(sum.name.clone(), file.bytes()) != *sum {
            return Err(VerifyError::Changed(sum.name.clone()));
        }
    }
    let io = |source| VerifyError::Io { path: release.to_owned(), source };
    for entry in std::fs::read_dir(release).map_err(io)? {
        let name = entry.map_err(io)?.file_name().to_string_lossy().into_owned();
        let known = name == CERTIFICATE || name == SIGNATURE_FILE;
        if !known && !certificate.files.iter().any(|sum| sum.name == name) {
            return Err(VerifyError::Extra(name));
        }
    }
    Ok(())
}

fn check_ledger(ledger: &Path, certificate: &Certificate, digest: &str) -> Result<Binding, VerifyError> {
    let receipt = certificate.ledger.as_ref().ok_or(VerifyError::Unrecorded)?;
    let history = Ledger::history(ledger)?;
    let charge = history.charge(receipt)?;
    // What all its runs cost together, where it is one kind of run.
    let bare = charge.part.clone().with_terms(Neighbours::default(), false);
    let charged = charge.part.loss().and_then(|_| Composition::from(bare).total().ok());
    let stated = certificate.loss;
    // An (ε, δ) claim may be a rounding of the composition that was charged; in one unit they are one number.
    let agree = match (stated, charged) {
        (PrivacyLoss::Gaussian(a), Some(PrivacyLoss::Gaussian(b))) => (a.get() / b.get() - 1.0).abs() < 1e-9,
        (PrivacyLoss::Pure(a), Some(PrivacyLoss::Pure(b))) => (a.get() / b.get() - 1.0).abs() < 1e-9,
        (PrivacyLoss::Gaussian(_) | PrivacyLoss::Pure(_), Some(_)) => false,
        _ => true,
    };
    if let Some(charged) = charged.filter(|_| !agree) {
        return Err(VerifyError::Price { stated, charged });
    }
    let seeded = charge.part.is_seeded();
    // Earlier versions did not record seeds.
    if seeded != certificate.seeded && (seeded || !charge.published.is_empty()) {
        return Err(VerifyError::Seeded { charged: seeded });
    }
    let (stated, charged) = (certificate.neighbours(), charge.part.neighbours());
    if stated != charged {
        return Err(VerifyError::Neighbours { stated: Box::new(stated), charged: Box::new(charged) });
    }
    if seeded {
        return Ok(Binding::Seeded);
    }
    // Of a stream every step is redeemed by itself, and only what was redeemed is published.
    if charge.redeemed.is_none() && charge.published.is_empty() {
        return Err(VerifyError::Unredeemed);
    }
    if charge.published.is_empty() {
        return Ok(Binding::DrawOnly);
    }
    if charge.published.iter().any(|one| one == digest) {
        Ok(Binding::Certificate)
    } else {
        Err(VerifyError::OtherCertificate)
    }
}
