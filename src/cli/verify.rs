//! `visard privacy verify`, `key` and `sign`: whether a release is what its certificate says, and who stands behind it.

use super::output::{Failure, Printer};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;
use visard::study::{StudyFolder, make_key, sign_certificate, verify as verify_release};

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
    /// Where the secret key goes; the public one goes beside it, FILE.pub
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
}

/// Runs `privacy verify`.
pub fn verify(args: &VerifyArgs, printer: &Printer) -> Result<(), Failure> {
    let found = verify_release(&args.release, args.ledger.as_deref(), args.key.as_deref())
        .map_err(|e| Failure::failed(e).with_hint("do not rely on this release"))?;
    let certificate = &found.certificate;
    let ledger = match &found.ledger {
        Some(ledger) => format!("charged: {}", ledger.display()),
        None => "charged: not looked at, there is no ledger here; --ledger FILE names one".to_owned(),
    };
    let signature = match &found.signed_by {
        Some(key) if args.key.is_some() => format!("signed: by the key given, {key}"),
        Some(key) => format!("signed: by the key {key}; whose it is, --key FILE tells"),
        None => "signed: no".to_owned(),
    };
    let private = if certificate.private { "private" } else { "NOT PRIVATE" };
    printer.result(
        json!({
            "verified": true,
            "private": certificate.private,
            "files": certificate.files.len(),
            "ledger": found.ledger,
            "signed_by": found.signed_by,
        }),
        format!(
            "{private}: {}, {}\nfiles:   {} as released\n{ledger}\n{signature}",
            certificate.mechanism,
            certificate.loss,
            certificate.files.len()
        ),
    );
    Ok(())
}

/// Runs `privacy key`.
pub fn key(args: &KeyArgs, printer: &Printer) -> Result<(), Failure> {
    let public = make_key(&args.file).map_err(Failure::failed)?;
    printer.result(
        json!({"secret_key": args.file, "public_key": public}),
        format!("keep secret: {}\npublish:     {}", args.file.display(), public.display()),
    );
    Ok(())
}

/// Runs `privacy sign`.
pub fn sign(args: &SignArgs, printer: &Printer) -> Result<(), Failure> {
    let study = StudyFolder::at(&args.release);
    let release = if study.has_release() { study.release() } else { args.release.clone() };
    // What is not right is not signed.
    let found = verify_release(&release, None, None).map_err(Failure::failed)?;
    let signature = sign_certificate(&release.join(visard::study::layout::CERTIFICATE), &args.key)
        .map_err(Failure::failed)?;
    printer.result(
        json!({"signature": signature, "private": found.certificate.private}),
        format!("signed: {}", signature.display()),
    );
    Ok(())
}
