//! The one lifecycle of a study.
//!
//! 1. [`run`] locks the study's folder before anything in it is made.
//! 2. The study says what it will release, before it reads a value of a record: [`Job::price`] checks the ledger and its ceilings
//!    and takes the [`Publication`], which therefore holds public things only.
//! 3. It reads and prepares its records, and makes a [`Digest`] of them and of its settings.
//! 4. [`Job::release`] charges the ledger, draws, **stores what was drawn**, and redeems the charge with it. The first stored draw is
//!    the only one: after a crash, `resume` publishes it at no second charge; if none was stored, it draws under the charge that was
//!    made. Resuming is bound to the digest: other records or settings are refused.
//! 5. [`Job::publish`] hands the [`Published`] value to the publication, which sees nothing else, records the certificate's SHA-256 in the
//!    ledger, and moves the release into place as a whole, the certificate written last. The certificate quotes the line of the charge,
//!    which stands before, so there is no circle.
//! 6. Pictures and pages for the data holder come after that, and [`Job::finish`] last.
//!
//! What is withdrawn when a job fails is what this process made, and only that.

mod counting;
mod digest;
pub mod dossier;
mod error;
pub mod layout;
mod ledger;
mod lock;
mod near;
mod notes;
mod pay;
mod people;
mod people_error;
mod place;
mod priced;
mod public;
mod publish;
mod signature;
pub mod standing;
mod state;
mod steps;
mod stop;
mod verify;
// What studies need and users do not.
#[doc(hidden)]
pub mod copies;
#[doc(hidden)]
pub mod covariates;
#[doc(hidden)]
pub mod groups;
#[doc(hidden)]
pub mod kept;
#[doc(hidden)]
pub mod labelled;
#[doc(hidden)]
pub mod modes_table;
#[doc(hidden)]
pub mod plan;
#[doc(hidden)]
pub mod unusable;

#[doc(hidden)]
pub use counting::near_notes;
pub use counting::{Counting, Identical, Whose};
pub use covariates::{CovariateError, CovariateFault};
pub use digest::Digest;
#[doc(hidden)]
pub use error::io;
pub use error::{DryRun, JobError};
pub use groups::{GroupFault, Groups, GroupsError};
pub use layout::StudyFolder;
pub use ledger::{LedgerChoice, ledger_of};
pub use pay::Paid;
pub use people::{People, PeopleError, PeopleFault};
#[doc(hidden)]
pub use people::{average, others};
pub use place::Place;
pub use plan::{PlanError, SavedPlan};
pub use priced::Priced;
#[doc(hidden)]
pub use public::refuse_secret;
pub use public::{is_secret, public_input};
pub use publish::{Publication, Published, ReleaseFolder};
pub use signature::{SIGNATURE_FILE, SignatureError, make_key, sign_certificate, signer};
pub use steps::{Step, Steps};
pub use stop::Stop;
pub use unusable::Unusable;
pub use verify::{Binding, Verified, VerifiedAnswer, VerifyError, verify};

use crate::fault;
use crate::privacy::noise::NoiseSource;
use crate::privacy::{Certificate, Composition, Ledger, Part, Price, Released};
use layout::SHARED_LEDGER;
use lock::Locked;
use plan::FrozenPlan;
use state::Begun;
use std::path::PathBuf;
use std::sync::Mutex;

/// A study at work in its folder, which is locked.
#[derive(Debug)]
pub struct Job<'a> {
    place: &'a Place,
    locked: Locked,
    ledger: Option<Ledger>,
    begun: Option<Begun>,
    /// The plan that was saved beforehand.
    plan: Option<FrozenPlan>,
    /// Whether this process has made a charge, or something that one rests on.
    keep: bool,
    /// Whether it goes on under a charge that was made before.
    resumed: bool,
    shared_noted: bool,
    /// What the data holder is told of the records.
    notes: Mutex<Vec<String>>,
}

/// Does `work` with the study's folder locked. If it fails before anything is charged, nothing is left behind where there was nothing.
///
/// # Errors
/// Those of `work`, and [`JobError`].
pub fn run<T, E: From<JobError>>(
    place: &Place,
    work: impl FnOnce(&mut Job<'_>) -> Result<T, E>,
) -> Result<T, E> {
    let mut job = Job::open(place)?;
    let done = work(&mut job);
    // What was done before a stop serves a run that resumes, as after a crash.
    if done.is_err() && !job.keep && !place.stop.asked() {
        job.withdraw();
    }
    done
}

impl<'a> Job<'a> {
    fn open(place: &'a Place) -> Result<Self, JobError> {
        let locked = Locked::open(&place.out)?;
        let mut job = Self {
            place,
            locked,
            ledger: None,
            begun: None,
            plan: None,
            keep: false,
            resumed: false,
            shared_noted: false,
            notes: Mutex::default(),
        };
        match job.check_folder() {
            Ok(begun) => {
                job.begun = begun;
                Ok(job)
            }
            Err(error) => {
                job.withdraw();
                Err(error)
            }
        }
    }

    /// What an earlier run left, unless it is in the way.
    fn check_folder(&self) -> Result<Option<Begun>, JobError> {
        let (folder, place) = (self.folder(), self.place);
        let begun = Begun::load(folder)?;
        let unfinished = begun.as_ref().is_some_and(|begun| !begun.finished);
        if unfinished && !place.resume && !place.replace {
            return Err(JobError::Interrupted(folder.root().to_owned()));
        }
        // What cannot be told to be a run of these settings is not gone on with.
        let goes_on = place.resume && begun.is_some();
        if folder.has_release() && !unfinished && !goes_on && !place.replace {
            return Err(JobError::HasRelease(folder.root().to_owned()));
        }
        Ok(begun)
    }

    fn withdraw(self) {
        let shared = self.locked.folder().root().join(SHARED_LEDGER);
        if let Some(ledger) = self.ledger {
            ledger.withdraw();
        }
        if self.shared_noted {
            let _ = fault::remove(&shared);
        }
        self.locked.withdraw();
    }

    /// The study's folder.
    pub fn folder(&self) -> &StudyFolder {
        self.locked.folder()
    }

    /// Where it works, and how.
    pub fn place(&self) -> &Place {
        self.place
    }

    /// The noise of a part of the study: from the operating system, or of its own stream of the fixed seed.
    ///
    /// # Errors
    /// The operating system gives no randomness.
    pub fn noise(&self, stream: u64) -> Result<NoiseSource, JobError> {
        Ok(match self.place.seed {
            Some(seed) => NoiseSource::seeded(seed ^ stream),
            None => NoiseSource::from_os()?,
        })
    }

    /// For a study that releases nothing: refuses to replace an earlier mean without noise unasked.
    ///
    /// # Errors
    /// [`JobError::HasResult`]; [`JobError::NoPrice`] for a dry run.
    pub fn without_release(&self) -> Result<(), JobError> {
        if self.place.dry_run {
            return Err(JobError::NoPrice);
        }
        let folder = self.folder();
        if folder.has_nonprivate_mean() && !self.place.replace && !self.place.resume {
            return Err(JobError::HasResult(folder.root().to_owned()));
        }
        Ok(())
    }

    /// Opens the ledger and asks whether it has room for this price: before any work, and before a value of a record is read, so that
    /// what will be published ([`Publication`]) can hold nothing of one.
    ///
    /// # Errors
    /// [`JobError`]; nothing is charged.
    pub fn price<P: Publication>(&mut self, price: &Price, publication: P) -> Result<Priced<P>, JobError> {
        let charged = self.admit(price, publication.counts_persons())?;
        Ok(Priced { price: price.clone(), charged, publication })
    }

    /// What will be charged, if the ledger has room for it.
    fn admit(&mut self, price: &Price, counts_persons: bool) -> Result<Part, JobError> {
        if price.loss.is_private() && self.place.seed.is_none() && !self.place.vacuous {
            let losses = [Some(price.loss), self.place.asked];
            let vacuous = losses.into_iter().flatten().find_map(|loss| loss.vacuous(price.n));
            vacuous.map_or(Ok(()), Err)?;
        }
        self.plan = FrozenPlan::load(self.folder())?;
        let neighbours = price.neighbours.clone().of_persons(counts_persons);
        let part = price.charged_as(self.place.seed.is_some());
        let part = part.with_terms(neighbours.clone(), self.place.seed.is_some());
        let charged = Composition::from(part.clone());
        if self.place.dry_run {
            // Steps after the first are paid for.
            let stepped = self.begun.as_ref().is_some_and(|begun| begun.step.is_some());
            let more = if stepped { Composition::new() } else { charged };
            let total = self.place.ledger.after(self.folder(), &more)?;
            return Err(JobError::DryRun(Box::new(DryRun { price: price.clone(), total })));
        }
        let shared = self.folder().root().join(SHARED_LEDGER);
        let noted = shared.exists();
        let announced = self.begun.as_ref().map_or("", |begun| &begun.lines);
        let ledger = self.place.ledger.open_for(self.folder(), announced, neighbours)?;
        self.shared_noted = !noted && shared.exists();
        let ledger = self.ledger.insert(ledger);
        if let Some(begun) = self.begun.as_mut().filter(|begun| self.place.resume && !begun.finished) {
            begun.adopt(ledger, self.locked.folder())?;
        }
        let resumed = self.place.resume && self.begun.as_ref().is_some_and(|begun| begun.paid(ledger));
        if !resumed {
            ledger.check(&charged)?;
        }
        Ok(part)
    }

    /// Publishes a value whose parts were charged to other ledgers than this job's: those of the sites that took part.
    ///
    /// # Errors
    /// Those of the publication.
    pub fn publish_charged_elsewhere<P: Publication>(
        &self,
        publication: &P,
        released: Released<P::Value>,
    ) -> Result<Certificate, P::Error> {
        let neighbours = released.price.neighbours.clone();
        let published = Published { released, receipt: None, neighbours, releases: 1, total: None };
        let mut bind = |certificate: &str| publish::record(self.folder(), certificate);
        let (folder, plan) = ((self.folder(), None), self.plan.as_ref());
        publish::publish(folder, self.place.asked, plan, (publication, &published), &mut bind)
    }

    /// Puts the release together aside and moves it into place as a whole: what was there stays whole until then.
    ///
    /// # Errors
    /// Those of the publication, and [`JobError`]; the job can then be resumed.
    pub fn publish<P: Publication>(
        &mut self,
        priced: &Priced<P>,
        published: &Published<P::Value>,
    ) -> Result<Certificate, P::Error> {
        self.publish_beside(priced, published, None)
    }

    /// The same; the release that is there is moved to `before`, unless something is there already.
    fn publish_beside<P: Publication>(
        &mut self,
        priced: &Priced<P>,
        published: &Published<P::Value>,
        before: Option<PathBuf>,
    ) -> Result<Certificate, P::Error> {
        // That of the charge: a file that was changed since is of no concern.
        let plan = self.begun.as_ref().and_then(|begun| begun.plan.as_ref());
        let (receipt, mut ledger) = (published.receipt.as_ref(), self.ledger.as_mut());
        let mut bind = |certificate: &str| match (receipt, ledger.as_mut()) {
            (Some(receipt), Some(ledger)) => Ok(ledger.publish(receipt, certificate)?),
            _ => Err(JobError::OtherPrice),
        };
        let release = (priced.publication(), published);
        publish::publish((self.locked.folder(), before), self.place.asked, plan, release, &mut bind)
    }

    /// All is written: from now on there is nothing to resume.
    ///
    /// # Errors
    /// [`JobError::Write`].
    pub fn finish(&mut self) -> Result<(), JobError> {
        let folder = self.locked.folder();
        if let Some(begun) = &mut self.begun {
            begun.finished = true;
            begun.store(folder)?;
        }
        Ok(())
    }

    /// Whether it goes on under a charge that an interrupted run made, so that nothing is charged now.
    pub fn resumed(&self) -> bool {
        self.resumed
    }

    /// A file beside the job's own, for work that is drawn step by step: only this job's, and only while it is unfinished.
    pub fn progress_file(&self) -> PathBuf {
        self.folder().internal().join("run.json")
    }
}

#[cfg(test)]
mod tests;
