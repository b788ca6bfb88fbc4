//! Signatures of releases (Ed25519): who stands behind a certificate.

use crate::io::{Limit, ReadError, WriteError, open, write_text};
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use rand::TryRng;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The signature of a certificate, beside it.
pub const SIGNATURE_FILE: &str = "certificate.sig";

/// What a public key's file has at the end of its name.
const PUBLIC: &str = "pub";
const ALGORITHM: &str = "ed25519";

/// What can be wrong with a key or a signature.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SignatureError {
    /// A file.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A file.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A key is never replaced: what was signed with it could not be checked any more.
    #[error("{} is there already; give another name", .0.display())]
    Exists(PathBuf),
    /// Not a key.
    #[error("{} does not hold {what}: 64 hexadecimal digits", .path.display())]
    Key {
        /// The file.
        path: PathBuf,
        /// What was looked for.
        what: &'static str,
    },
    /// Not a signature.
    #[error("{} is not a signature of this form", .0.display())]
    Malformed(PathBuf),
    /// The certificate was changed, or signed with another key.
    #[error("the signature does not fit the certificate")]
    Wrong,
    /// Signed, but not by the key that was given.
    #[error("signed with another key than the one given: {found}")]
    OtherKey {
        /// The key it was signed with.
        found: String,
    },
    /// Nothing was signed.
    #[error("there is no {SIGNATURE_FILE} beside the certificate")]
    Unsigned,
    /// No key without randomness.
    #[error("the operating system gives no randomness: {0}")]
    Entropy(#[from] rand::rngs::SysError),
}

/// The form of [`SIGNATURE_FILE`].
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sealed {
    algorithm: String,
    public_key: String,
    signature: String,
}

/// Makes a key: the secret one in `path`, readable by its owner only, and the public one beside it, `PATH.pub`, which is returned.
///
/// # Errors
/// [`SignatureError`]; a key that is there already is kept.
pub fn make_key(path: &Path) -> Result<PathBuf, SignatureError> {
    let public = PathBuf::from(format!("{}.{PUBLIC}", path.display()));
    for file in [path, &public] {
        if file.exists() {
            return Err(SignatureError::Exists(file.to_owned()));
        }
    }
    let mut seed = [0; 32];
    rand::rngs::SysRng.try_fill_bytes(&mut seed)?;
    let key = SigningKey::from_bytes(&seed);
    crate::io::write_secret(path, &format!("{}\n", hex::encode(seed)))?;
    write_text(&public, &format!("{}\n", hex::encode(key.verifying_key().to_bytes())))?;
    Ok(public)
}

fn key_bytes(path: &Path, what: &'static str) -> Result<[u8; 32], SignatureError> {
    let file = open(path, Limit::SMALL)?;
    let mut bytes = [0; 32];
    let wrong = |_| SignatureError::Key { path: path.to_owned(), what };
    hex::decode_to_slice(file.text()?.trim(), &mut bytes).map_err(wrong)?;
    Ok(bytes)
}

/// Signs the certificate of a release with the secret key in `key`; the signature's file.
///
/// # Errors
/// [`SignatureError`].
pub fn sign_certificate(certificate: &Path, key: &Path) -> Result<PathBuf, SignatureError> {
    let key = SigningKey::from_bytes(&key_bytes(key, "a secret key")?);
    let file = open(certificate, Limit::CERTIFICATE)?;
    let sealed = Sealed {
        algorithm: ALGORITHM.into(),
        public_key: hex::encode(key.verifying_key().to_bytes()),
        signature: hex::encode(key.sign(file.bytes()).to_bytes()),
    };
    let text = serde_json::to_string_pretty(&sealed).map_err(|_| SignatureError::Wrong)?;
    let path = certificate.with_file_name(SIGNATURE_FILE);
    write_text(&path, &format!("{text}\n"))?;
    Ok(path)
}

/// The public key that the certificate with these bytes was signed with, in hexadecimal; `None` where nothing was signed.
/// With `expected`, the file of a public key, it must be that one.
///
/// # Errors
/// [`SignatureError`].
pub fn signer(
    certificate: &Path,
    bytes: &[u8],
    expected: Option<&Path>,
) -> Result<Option<String>, SignatureError> {
    let path = certificate.with_file_name(SIGNATURE_FILE);
    if !path.exists() {
        return if expected.is_some() { Err(SignatureError::Unsigned) } else { Ok(None) };
    }
    let malformed = || SignatureError::Malformed(path.clone());
    let file = open(&path, Limit::SMALL)?;
    let sealed: Sealed = serde_json::from_str(file.text()?).map_err(|_| malformed())?;
    let (mut public, mut signature) = ([0; 32], [0; 64]);
    hex::decode_to_slice(&sealed.public_key, &mut public).map_err(|_| malformed())?;
    hex::decode_to_slice(&sealed.signature, &mut signature).map_err(|_| malformed())?;
    if sealed.algorithm != ALGORITHM {
        return Err(malformed());
    }
    if let Some(expected) = expected
        && key_bytes(expected, "a public key")? != public
    {
        return Err(SignatureError::OtherKey { found: sealed.public_key });
    }
    let key = VerifyingKey::from_bytes(&public).map_err(|_| malformed())?;
    // Strict: no signature that another one could be made of.
    key.verify_strict(bytes, &Signature::from_bytes(&signature)).map_err(|_| SignatureError::Wrong)?;
    Ok(Some(sealed.public_key))
}
