//! The folder of a study, spelled once: what may be published and what only the data holder may see are never in one folder.

use crate::privacy::{CERTIFICATE_FILE, LEDGER_FILE};
use std::path::{Path, PathBuf};

/// What may be published.
pub const RELEASE: &str = "release";
/// What only the data holder may see.
pub const INTERNAL: &str = "internal";
/// The certificate of a release, written last.
pub const CERTIFICATE: &str = CERTIFICATE_FILE;
/// The page of a release, and the data holder's page.
pub const REPORT: &str = "report.html";
/// The released surface.
pub const MEAN_PLY: &str = "mean.ply";
/// The released shapes.
pub const MEAN_TPS: &str = "mean.tps";
/// The released matrix, direction or point; several draws one after the other.
pub const MEAN_NPY: &str = "mean.npy";
/// The mean as a table of text.
pub const MEAN_CSV: &str = "mean.csv";
/// The symmetric part of a mean shape.
pub const SYMMETRIC_NPY: &str = "mean_symmetric.npy";
/// What the mean shape has beside its symmetric part: a displacement of each landmark.
pub const ASYMMETRY_NPY: &str = "asymmetry.npy";
/// Where the samples of a mean function are, in the units of the positions that were declared.
pub const POSITIONS: &str = "positions.npy";
/// What a folder of prepared records says of itself.
pub const PREPARED: &str = "records.json";
/// Distances of the records from the centre, the farthest first.
pub const DISTANCES: &str = "distances.csv";
/// The released solution of an optimization.
pub const SOLUTION: &str = "solution.npy";
/// The plan that was fixed before the study, as it was saved.
pub const PLAN: &str = "plan.json";
/// What every step of an optimization did.
pub const TRACE: &str = "trace.csv";
/// The released curves, (J, m, 3).
pub const CURVES: &str = "curves.npy";
/// A band for the population's mean about the curves before they were shrunk: lower and upper borders, (2, J, m, 3).
pub const BAND: &str = "band.npy";
/// Modes of variation, one standard deviation each, (K, J, m, 3).
pub const MODES_NPY: &str = "modes.npy";
/// Their variances: mode, variance, lower, upper, share.
pub const VARIANCES: &str = "variances.csv";
/// The face at the reference values, then a displacement for every column of a regression, (1 + columns, J, m, 3).
pub const FIELDS: &str = "fields.npy";
/// What became of the covariates of a regression, for the data holder.
pub const COVARIATES: &str = "covariates.json";
/// The fields without noise, by least squares.
pub const NONPRIVATE_FIELDS: &str = "nonprivate_fields.npy";
/// Root-mean-square error of each vertex of the released surface, bias included.
pub const ERROR: &str = "error.npy";
/// Where the means of groups differ, shrunk: (J, m, 3), or (G − 1, J, m, 3) against the first.
pub const DIFFERENCE: &str = "difference.npy";
/// The same before it was shrunk: what the band of a comparison lies about.
pub const DIFFERENCE_UNSHRUNK: &str = "difference_unshrunk.npy";
/// The tests of a comparison.
pub const TEST: &str = "test.json";
/// The surface of the mean without noise.
pub const NONPRIVATE_MEAN_PLY: &str = "nonprivate_mean.ply";
/// The shape of the mean without noise.
pub const NONPRIVATE_MEAN_TPS: &str = "nonprivate_mean.tps";
/// The matrix, direction or point of the mean without noise.
pub const NONPRIVATE_MEAN_NPY: &str = "nonprivate_mean.npy";
/// The curves of the mean without noise.
pub const NONPRIVATE_CURVES: &str = "nonprivate_curves.npy";
/// What is known of every scan.
pub const SCAN_TABLE: &str = "scans.csv";
/// The records that cannot be used, and why.
pub const UNUSABLE: &str = "unusable.csv";
/// The made-up scans of a demo, beside what is made of them.
pub const SCANS: &str = "scans";

/// In `internal/`: the SHA-256 of the certificates that were published without a ledger of this study's, because the sites that took part were
/// charged; one a line.
pub const PUBLISHED: &str = "published.sha256";
/// Holds the path of the ledger a study shares with others.
pub const SHARED_LEDGER: &str = "visard.ledger.shared";

/// The folder of one study: names only, nothing is made or read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StudyFolder {
    root: PathBuf,
}

impl StudyFolder {
    /// The study in this folder.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The study's folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// What may be published.
    pub fn release(&self) -> PathBuf {
        self.root.join(RELEASE)
    }

    /// What only the data holder may see.
    pub fn internal(&self) -> PathBuf {
        self.root.join(INTERNAL)
    }

    /// Finished records, so that an interrupted study continues where it stopped.
    pub fn records(&self) -> PathBuf {
        self.internal().join("records")
    }

    /// The certificate of the release.
    pub fn certificate(&self) -> PathBuf {
        self.release().join(CERTIFICATE)
    }

    /// The ledger of every release made from this study's records, unless it shares one.
    pub fn own_ledger(&self) -> PathBuf {
        self.root.join(LEDGER_FILE)
    }

    /// The plan that is fixed before the study begins.
    pub fn plan(&self) -> PathBuf {
        self.root.join(PLAN)
    }

    /// What the job in this folder has paid for and drawn.
    pub fn job(&self) -> PathBuf {
        self.internal().join("job.json")
    }

    /// The draw that the job will publish.
    pub fn drawn(&self) -> PathBuf {
        self.internal().join("drawn.json")
    }

    /// A step of a stream (from 0) that was drawn, with what later steps need of its records.
    pub fn step(&self, at: usize) -> PathBuf {
        self.internal().join(format!("step-{:02}.json", at + 1))
    }

    /// The release of such a step after a later one was released.
    pub fn release_of_step(&self, at: usize) -> PathBuf {
        self.root.join(format!("release-{:02}", at + 1))
    }

    /// Held by whoever works in the folder.
    pub fn lock(&self) -> PathBuf {
        self.root.join(".visard.lock")
    }

    /// Where a release is put together, and where the one it replaces goes meanwhile.
    pub fn aside(&self) -> [PathBuf; 2] {
        [self.root.join(".release.tmp"), self.root.join(".release.old")]
    }

    /// The folder of the release that is named: it, or its study.
    pub fn release_of(named: &Path) -> PathBuf {
        let study = Self::at(named);
        if study.has_release() { study.release() } else { named.to_owned() }
    }

    /// Whether a finished release is there: its certificate is written last.
    pub fn has_release(&self) -> bool {
        self.certificate().exists()
    }

    /// Whether a mean without noise is there.
    pub fn has_nonprivate_mean(&self) -> bool {
        [NONPRIVATE_MEAN_PLY, NONPRIVATE_MEAN_TPS, NONPRIVATE_MEAN_NPY]
            .iter()
            .any(|file| self.internal().join(file).exists())
    }
}
