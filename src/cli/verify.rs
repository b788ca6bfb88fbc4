//! `visard privacy verify`, `key` and `sign`: whether a release is what its certificate says, and who stands behind it.

use super::output::{Failure, Printer};
use crate::cli::answer::shown;
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;
use visard::study::{Binding, StudyFolder, make_key, sign_certificate, verify as verify_release};

/// Arguments of `privacy verify`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  visard privacy verify study/release\n  visard privacy verify downloaded --key lab.key.pub"
)]
pub struct VerifyArgs {
    /// The folder of a release, or of its study
    #[arg(value_name = "RELEASE")]
    release: PathBuf,
    /// The ledger it was charged to (default: that of the study it lies in)
    #[arg(long, value_name = "FILE")]
    ledger: Option<PathBuf>,
    /// The public key that must have signed it
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
}

/// Arguments of `privacy key`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  visard privacy key lab.key")]
pub struct KeyArgs {
    /// File for the secret key; the public key is written beside it as FILE.pub
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// Arguments of `privacy sign`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  visard privacy sign study/release --key lab.key")]
pub struct SignArgs {
    /// The folder of a release, or of its study
    #[arg(value_name = "RELEASE")]
    release: PathBuf,
    /// The secret key
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// The ledger it was charged to (default: that of the study it lies in)
    #[arg(long, value_name = "FILE")]
    ledger: Option<PathBuf>,
}

/// Runs `privacy verify`.
pub fn verify(args: &VerifyArgs, printer: &Printer) -> Result<(), Failure> {
    let found = verify_release(&args.release, args.ledger.as_deref(), args.key.as_deref())
        .map_err(|e| Failure::failed(e).with_hint("do not rely on this release"))?;
    let certificate = &found.certificate;
    let ledger = match (&found.ledger, found.binding) {
        (None, _) => "charged: not checked, there is no ledger here; name one with --ledger FILE".to_owned(),
        (Some(ledger), Binding::Certificate) => {
            format!("charged: {}, which records this certificate and with it every file", ledger.display())
        }
        (Some(ledger), Binding::Seeded) => {
            format!("charged: {}, as noise from a fixed seed", ledger.display())
        }
        (Some(ledger), _) => format!(
            "charged: {}, by an earlier version: it binds what was drawn, not this certificate, and does not record whether the noise was seeded",
            ledger.display()
        ),
    };
    let signature = match &found.signed_by {
        Some(key) if args.key.is_some() => format!("signed: by the key given, {key}"),
        Some(key) => {
            format!("signed: by the key {key}; to check whose it is, give the public key with --key FILE")
        }
        None => "signed: no".to_owned(),
    };
    let standing = match (certificate.private, found.binding) {
        (false, _) => "NOT PRIVATE".to_owned(),
        (true, Binding::Certificate | Binding::Signature) => "private".to_owned(),
        (true, Binding::DrawOnly) => "draw bound, certificate not checked; it says private".to_owned(),
        (true, Binding::Seeded | Binding::Nothing) => {
            "not checked: anybody could have written this; it says private".to_owned()
        }
    };
    printer.result(
        found.answer(),
        format!(
            "{standing}: {}, {} for {}\nfiles:   {} as released\n{ledger}\n{signature}",
            certificate.mechanism,
            certificate.loss,
            certificate.neighbours(),
            certificate.files.len()
        ),
    );
    Ok(())
}

/// A pair of keys.
#[derive(Serialize, JsonSchema)]
pub struct KeyPair {
    /// The file not to share.
    secret_key: String,
    /// The file to publish.
    public_key: String,
}

/// A certificate that was signed.
#[derive(Serialize, JsonSchema)]
pub struct Signed {
    /// The file of the signature.
    signature: String,
    /// Whether the release is private.
    private: bool,
}

/// Runs `privacy key`.
pub fn key(args: &KeyArgs, printer: &Printer) -> Result<(), Failure> {
    let public = make_key(&args.file).map_err(Failure::failed)?;
    printer.result(
        KeyPair { secret_key: shown(&args.file), public_key: shown(&public) },
        format!("do not share: {}\npublish:      {}", args.file.display(), public.display()),
    );
    Ok(())
}

/// Runs `privacy sign`.
pub fn sign(args: &SignArgs, printer: &Printer) -> Result<(), Failure> {
    let release = StudyFolder::release_of(&args.release);
    // What is not right is not signed, and neither is what nobody can tell to be.
    let found = verify_release(&release, args.ledger.as_deref(), None).map_err(Failure::failed)?;
    let refused = |why: &str, hint: &str| Err(Failure::failed(why.to_owned()).with_hint(hint.to_owned()));
    match found.binding {
        _ if !found.certificate.private => {
            return refused(
                "this release is not private, so it is not signed",
                "visard privacy explain says why",
            );
        }
        Binding::Certificate | Binding::Signature => {}
        Binding::DrawOnly | Binding::Seeded => {
            return refused(
                "the ledger does not record this certificate (an earlier version charged it), so an edited one could not be detected",
                "sign a release of this version",
            );
        }
        Binding::Nothing => {
            return refused(
                "there is no ledger here that records this certificate, so an edited one could not be detected",
                "name the ledger that was charged with --ledger FILE",
            );
        }
    }
    let signature = sign_certificate(&release.join(visard::study::layout::CERTIFICATE), &args.key)
        .map_err(Failure::failed)?;
    printer.result(
        Signed { signature: shown(&signature), private: found.certificate.private },
        format!("signed: {}", signature.display()),
    );
    Ok(())
}
