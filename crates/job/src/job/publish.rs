//! From a stored draw to a release: code that writes under `release/` is handed noised values and public things only.

use crate::fault;
use crate::io::{Fault, Limit, ReadError, WriteError, open, write_bytes, write_text};
use crate::job::StudyFolder;
use crate::job::error::{JobError, io};
use crate::job::kept::kept;
use crate::job::layout::{CERTIFICATE, PLAN, PUBLISHED};
use crate::job::plan::FrozenPlan;
use crate::privacy::{Caveat, Certificate, FileSum, Neighbours, PrivacyLoss, Receipt, Released, Statement};
use serde_json::json;
use sha2::{Digest, Sha256};
use std::ops::Deref;
use std::path::{Path, PathBuf};

/// A release that has been paid for, drawn, stored and redeemed: what is published is made of this and of public things. Only a
/// [`super::Job`] makes one.
#[derive(Debug, Clone)]
pub struct Published<V> {
    pub(super) released: Released<V>,
    pub(super) receipt: Option<Receipt>,
    pub(super) neighbours: Neighbours,
    pub(super) releases: usize,
    pub(super) total: Option<PrivacyLoss>,
}

impl<V> Deref for Published<V> {
    type Target = Released<V>;
    fn deref(&self) -> &Released<V> {
        &self.released
    }
}

/// What a study publishes. It is handed to the job *before* the study reads a value of a record ([`super::Job::price`]), so it can
/// hold public things only: settings, the template, the centre, how results are drawn.
pub trait Publication {
    /// What is drawn.
    type Value;
    /// Why it cannot be written.
    type Error: From<JobError>;

    /// Whether n counts persons, so that neighbours differ in a person with all their records.
    fn counts_persons(&self) -> bool;

    /// Adds public inputs, details and caveats to the certificate.
    fn describe(&self, published: &Released<Self::Value>, statement: &mut Statement);

    /// What it is, as `plan --save` calls it: the command, and the options that make another statistic or mechanism of it.
    fn statistic(&self) -> String;

    /// Writes every file of the release but the certificate. The certificate it is handed, for pages, lists no files yet.
    ///
    /// # Errors
    /// Whatever stops it; the release then stays as it was.
    fn write(
        &self,
        published: &Released<Self::Value>,
        certificate: &Certificate,
        folder: &mut ReleaseFolder,
    ) -> Result<(), Self::Error>;
}

/// A release that is being put together, aside.
#[derive(Debug)]
pub struct ReleaseFolder {
    aside: PathBuf,
    files: Vec<FileSum>,
}

impl ReleaseFolder {
    /// Writes one file.
    ///
    /// # Errors
    /// [`JobError::Write`].
    pub fn write(&mut self, name: &str, bytes: &[u8]) -> Result<(), JobError> {
        write_bytes(&self.aside.join(name), bytes)?;
        self.files.push(FileSum::of_bytes(name, bytes));
        Ok(())
    }

    /// Writes one file with a writer that takes its path.
    ///
    /// # Errors
    /// [`JobError::Write`].
    pub fn write_with(
        &mut self,
        name: &str,
        write: impl FnOnce(&Path) -> Result<(), WriteError>,
    ) -> Result<(), JobError> {
        let path = self.aside.join(name);
        write(&path)?;
        let bytes = std::fs::read(&path).map_err(io(&path))?;
        self.files.push(FileSum::of_bytes(name, &bytes));
        Ok(())
    }
}

/// Puts the release together aside, has its certificate's SHA-256 recorded by `bind`, and moves it into place as a whole. Another one that is
/// there already goes to `before`, unless there is something.
pub(super) fn publish<P: Publication>(
    (folder, before): (&StudyFolder, Option<PathBuf>),
    asked: Option<PrivacyLoss>,
    plan: Option<&FrozenPlan>,
    (publication, published): (&P, &Published<P::Value>),
    bind: &mut dyn FnMut(&str) -> Result<(), JobError>,
) -> Result<Certificate, P::Error> {
    let mut files = ReleaseFolder::new(folder)?;
    let mut statement = published.statement();
    statement.ledger = published.receipt.clone();
    statement.neighbours = published.neighbours.clone();
    publication.describe(&published.released, &mut statement);
    let terms = Terms {
        neighbours: &published.neighbours,
        releases: published.releases,
        total: published.total,
        asked,
        plan: plan.map(|plan| (plan, publication.statistic())),
    };
    let certificate = terms.certify(statement)?;
    publication.write(&published.released, &certificate, &mut files)?;
    if let Some(plan) = plan {
        files.write(PLAN, plan.text().as_bytes())?;
    }
    Ok(files.move_into_place(folder, before, certificate, bind)?)
}

impl ReleaseFolder {
    /// An empty one.
    fn new(folder: &StudyFolder) -> Result<Self, JobError> {
        let [aside, _] = folder.aside();
        fault::remove_all(&aside).map_err(io(&aside))?;
        fault::create_folder(&aside, &std::fs::DirBuilder::new()).map_err(io(&aside))?;
        Ok(Self { aside, files: Vec::new() })
    }

    /// Adds the certificate and shows the whole.
    fn move_into_place(
        self,
        folder: &StudyFolder,
        before: Option<PathBuf>,
        mut certificate: Certificate,
        bind: &mut dyn FnMut(&str) -> Result<(), JobError>,
    ) -> Result<Certificate, JobError> {
        let [aside, old] = folder.aside();
        certificate.files = self.files;
        let text = certificate.to_json().map_err(JobError::from)?;
        write_bytes(&aside.join(CERTIFICATE), text.as_bytes()).map_err(JobError::from)?;
        // Before anybody can see it: a release that the ledger does not know is then none of ours.
        bind(&hex::encode(Sha256::digest(text.as_bytes())))?;
        let is_other = std::fs::read(folder.certificate()).is_ok_and(|there| there != text.as_bytes());
        let before = before.filter(|before| is_other && !before.exists());
        let release = folder.release();
        fault::remove_all(&old).map_err(io(&old))?;
        if release.exists() {
            rename(&release, before.as_ref().unwrap_or(&old))?;
        }
        rename(&aside, &release)?;
        crate::io::sync_folder(folder.root());
        fault::remove_all(&old).map_err(io(&old))?;
        Ok(certificate)
    }
}

/// Records a certificate that no ledger of this study's does, before it can be seen.
pub(super) fn record(folder: &StudyFolder, certificate: &str) -> Result<(), JobError> {
    let path = folder.internal().join(PUBLISHED);
    let before = kept(&path, Limit::TABLE)?.map(|file| file.text().map(str::to_owned)).transpose()?;
    let before = before.unwrap_or_default();
    if before.lines().any(|line| line == certificate) {
        return Ok(());
    }
    Ok(write_text(&path, &format!("{before}{certificate}\n"))?)
}

/// Whether this study recorded the certificate so; nothing where it recorded none.
pub fn recorded(folder: &StudyFolder, certificate: &str) -> Result<Option<bool>, ReadError> {
    match open(&folder.internal().join(PUBLISHED), Limit::TABLE) {
        Ok(file) => Ok(Some(file.text()?.lines().any(|line| line == certificate))),
        Err(error) if matches!(error.fault(), Fault::Missing) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Under which terms a release is published.
struct Terms<'a> {
    neighbours: &'a Neighbours,
    releases: usize,
    total: Option<PrivacyLoss>,
    asked: Option<PrivacyLoss>,
    /// The plan, and what is released as a plan calls it.
    plan: Option<(&'a FrozenPlan, String)>,
}

impl Terms<'_> {
    fn certify(self, mut statement: Statement) -> Result<Certificate, JobError> {
        let Self { neighbours, releases, total, asked, plan } = self;
        let losses = [Some(statement.loss), asked].into_iter().flatten();
        let why = losses.filter(|loss| loss.is_private()).find_map(|loss| loss.vacuous(statement.n));
        if let Some(why) = why {
            statement.caveats.push(Caveat::Other(format!("vacuous: {why}")));
        }
        if releases > 1 {
            let bound =
                if total.is_some_and(|total| total.is_private()) { "" } else { " (there is no bound)" };
            statement.caveats.push(Caveat::Other(format!(
                "composed: this study's ledger holds {releases} releases from the same records; their joint loss for {neighbours} is stated \
                 under details.study_total{bound}",
            )));
        }
        if let Some((plan, statistic)) = plan {
            let losses: Vec<PrivacyLoss> = [Some(statement.loss), asked].into_iter().flatten().collect();
            let (stated, caveat) = plan.statement(&statistic, statement.n, &losses);
            statement.details.insert("plan".into(), stated);
            statement.caveats.extend(caveat.map(Caveat::Other));
        }
        statement.details.insert("study_total".into(), json!(total));
        Ok(statement.certify()?)
    }
}

fn rename(from: &Path, to: &Path) -> Result<(), JobError> {
    fault::rename_folder(from, to).map_err(io(from))
}
