//! What is known, and what is allowed when. Nothing here touches a file, a thread or a window.

use super::account::Account;
use std::path::{Path, PathBuf};
use visard::mesh::Point;
use visard::privacy::Mu;
use visard::study::StudyFolder;
use visard::study::check::Report;
use visard::study::face::FACE_MM;
use visard::study::face::plan::Forecast;
use visard::study::face::registrations::MadeRecord;

/// The steps, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// Which files count, and what is wrong with which.
    Check,
    /// The budget, what it means, what to expect of it; fixed before anything of a registration is seen.
    Plan,
    /// The scans are registered; nothing is charged.
    Run,
    /// The registrations, the worst first.
    Look,
    /// The charge.
    Release,
    /// What came of it.
    Report,
}

impl Step {
    /// All of them, with their names.
    pub const ALL: [(Self, &'static str); 6] = [
        (Self::Check, "Check"),
        (Self::Plan, "Plan"),
        (Self::Run, "Register"),
        (Self::Look, "Look"),
        (Self::Release, "Release"),
        (Self::Report, "Report"),
    ];
}

/// What the user does.
#[derive(Debug, Clone, PartialEq)]
pub enum Act {
    /// Goes to a step.
    Go(Step),
    /// Chooses a scan of the check's list, or a registration.
    Choose(usize),
    /// Has the files looked at again.
    CheckAgain,
    /// Says where the chosen scan's nose tip is, in the scan's coordinates.
    MarkNose(Point),
    /// Chooses the budget.
    Budget(Mu),
    /// Says which error will be good enough, in millimetres on a face of 20 cm.
    Accept(Option<f64>),
    /// Fixes the plan.
    Fix,
    /// Begins, or goes on.
    Start,
    /// Stops for now.
    Pause,
    /// Chooses another budget than the fixed one: a caveat of the certificate.
    OtherBudget(Mu),
    /// Wants to release: is asked once.
    Ask,
    /// Confirms the price.
    Confirm,
    /// Does not.
    TakeBack,
    /// Opens the report in a browser.
    OpenReport,
}

/// Why something is not done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Work is going on.
    #[error("wait until the work that is going on is done, or pause it")]
    Busy,
    /// Nothing counts.
    #[error("no scan that counts was found; give another folder")]
    Nobody,
    /// The files have to be looked at first.
    #[error("check the scans first")]
    NotChecked,
    /// The plan is not fixed.
    #[error("fix the plan first: what is looked at before that would decide on it")]
    NotFixed,
    /// The plan is fixed.
    #[error("the plan is fixed: budget and nose tips are not changed any more")]
    Fixed,
    /// The forecast of this budget is not there yet.
    #[error("wait for what this budget can be expected to give")]
    NoForecast,
    /// Registrations are missing.
    #[error("register all scans first")]
    NotRegistered,
    /// The price has not been asked for.
    #[error("read the price and confirm it")]
    NotAsked,
    /// There is no release yet.
    #[error("there is no release yet")]
    NotReleased,
    /// It is released.
    #[error("the study is released")]
    Released,
    /// No such scan.
    #[error("choose a scan of the list")]
    NoSuchScan,
}

/// How far the registration is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Run {
    /// Nothing was begun.
    #[default]
    Idle,
    /// So many of so many are done.
    Running(Counts),
    /// It was asked to stop.
    Pausing(Counts),
    /// It has stopped; nothing is charged.
    Paused(Counts),
    /// All records are made; nothing is charged.
    Registered(Counts),
    /// The mean is being released.
    Releasing,
    /// Released.
    Released,
}

/// How many scans are done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// All of them.
    pub scans: usize,
    /// Done.
    pub done: usize,
    /// Of these, without a face: they count as the template.
    pub failed: usize,
}

/// The fixed plan.
#[derive(Debug, Clone, PartialEq)]
pub struct FixedPlan {
    /// The budget.
    pub mu: Mu,
    /// For so many people.
    pub n: u64,
    /// The largest error to accept, in millimetres on a face of 20 cm.
    pub accept_mm: Option<f64>,
}

/// What was released.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The page of the release.
    pub report: PathBuf,
    /// The data holder's page.
    pub internal_report: PathBuf,
    /// What the release says of its error, in millimetres on a face of 20 cm; `None` for one that was found in the folder.
    pub error_mm: Option<f64>,
    /// What the certificate says beside the guarantee.
    pub caveats: Vec<String>,
}

/// What the worker is to do.
#[derive(Debug, Clone, PartialEq)]
pub enum Task {
    /// Look what the study's folder holds.
    Open,
    /// Look at the files.
    Check,
    /// Write the scan's landmark file.
    KeepNose(PathBuf, Point),
    /// Work out what to expect.
    Foretell(usize, Mu),
    /// Write the plan.
    Fix(Forecast, Option<f64>),
    /// Register, and stop before the charge.
    Register(Mu),
    /// Stop registering.
    Pause,
    /// Charge and release.
    Release(Mu),
    /// Open a page.
    Show(PathBuf),
}

/// What the worker tells.
#[derive(Debug, Clone)]
pub enum News {
    /// What the folder holds.
    Found(Option<FixedPlan>, Option<Outcome>),
    /// What is in the ledger.
    Account(Account),
    /// The files were looked at.
    Checked(Box<Report>),
    /// A nose tip was written.
    NoseKept(PathBuf),
    /// What to expect.
    Foretold(Forecast),
    /// The plan is written.
    PlanFixed(FixedPlan),
    /// So many are done.
    Progress(Counts),
    /// It stopped as asked.
    Stopped,
    /// All records are made: the worst first.
    Registered(Vec<MadeRecord>),
    /// Released.
    Released(Outcome),
    /// Something did not work.
    Failed(String),
}

/// All that the workbench knows; `steps` has the rules by which it changes.
#[derive(Debug, Clone)]
pub struct WorkbenchState {
    /// The folders of scans.
    pub scans: Vec<PathBuf>,
    /// The study's folder.
    pub out: PathBuf,
    /// The step on view.
    pub step: Step,
    /// What was found of the files.
    pub checked: Option<Report>,
    /// Which scan, or registration, is on view.
    pub chosen: usize,
    /// The ledger.
    pub account: Account,
    /// The budget that is being thought of.
    pub budget: Mu,
    /// What will be good enough, in millimetres on a face of 20 cm.
    pub accept_mm: Option<f64>,
    /// What to expect of it.
    pub forecast: Option<Forecast>,
    /// The fixed plan.
    pub plan: Option<FixedPlan>,
    /// Another budget, chosen after that.
    pub other: Option<Mu>,
    /// How far the work is.
    pub run: Run,
    /// The registrations, the worst first.
    pub registrations: Vec<MadeRecord>,
    /// The price is on view, to be confirmed.
    pub asked: bool,
    /// What was released.
    pub outcome: Option<Outcome>,
    /// What went wrong last, or was done.
    pub message: String,
    checking: bool,
}

impl WorkbenchState {
    /// A workbench for these scans and this study, and what it has done first.
    pub fn new(scans: Vec<PathBuf>, out: PathBuf, budget: Mu) -> (Self, Vec<Task>) {
        let bench = Self {
            scans,
            out,
            step: Step::Check,
            checked: None,
            chosen: 0,
            account: Account::default(),
            budget,
            accept_mm: None,
            forecast: None,
            plan: None,
            other: None,
            run: Run::Idle,
            registrations: Vec::new(),
            asked: false,
            outcome: None,
            message: String::new(),
            checking: true,
        };
        (bench, vec![Task::Open, Task::Check])
    }

    /// The study's folder.
    pub fn folder(&self) -> StudyFolder {
        StudyFolder::at(&self.out)
    }

    /// Number of people.
    pub fn people(&self) -> usize {
        self.checked.as_ref().map_or(0, |report| report.n)
    }

    /// Whether the files are being looked at.
    pub fn is_checking(&self) -> bool {
        self.checking
    }

    /// Whether a study is at work.
    pub fn is_working(&self) -> bool {
        matches!(self.run, Run::Running(_) | Run::Pausing(_) | Run::Releasing)
    }

    /// The budget that would be charged.
    pub fn price(&self) -> Mu {
        self.other.or(self.plan.as_ref().map(|plan| plan.mu)).unwrap_or(self.budget)
    }

    /// Why a step cannot be gone to, if it cannot.
    pub fn barred(&self, step: Step) -> Option<Refusal> {
        let registered = matches!(self.run, Run::Registered(_) | Run::Releasing | Run::Released);
        match step {
            Step::Check => None,
            Step::Plan if self.plan.is_some() => None,
            Step::Plan => self.no_people(),
            Step::Run if self.plan.is_none() => Some(Refusal::NotFixed),
            Step::Run => None,
            Step::Look | Step::Release if self.plan.is_none() => Some(Refusal::NotFixed),
            Step::Release if self.outcome.is_some() => Some(Refusal::Released),
            Step::Look | Step::Release => (!registered).then_some(Refusal::NotRegistered),
            Step::Report => self.outcome.is_none().then_some(Refusal::NotReleased),
        }
    }

    fn no_people(&self) -> Option<Refusal> {
        match &self.checked {
            None => Some(Refusal::NotChecked),
            Some(report) if report.n == 0 => Some(Refusal::Nobody),
            Some(_) => None,
        }
    }

    /// The scan that is on view, and whether beside it what was registered to it.
    pub fn on_view(&self) -> Option<(&Path, bool)> {
        match self.step {
            Step::Look => {
                self.registrations.get(self.chosen).map(|made| (made.scan.as_path(), made.row.is_ok()))
            }
            Step::Check | Step::Plan | Step::Run => {
                let report = self.checked.as_ref()?;
                report.people.get(self.chosen).map(|counted| (counted.file.as_path(), false))
            }
            Step::Release | Step::Report => None,
        }
    }

    /// How many there are to choose from.
    pub fn choices(&self) -> usize {
        match self.step {
            Step::Look => self.registrations.len(),
            _ => self.checked.as_ref().map_or(0, |report| report.people.len()),
        }
    }

    /// Whether a click on the scan marks its nose tip.
    pub fn takes_noses(&self) -> bool {
        self.step == Step::Check && self.plan.is_none()
    }

    pub(super) fn set_checking(&mut self, checking: bool) {
        self.checking = checking;
    }
}

impl FixedPlan {
    /// A length of a face of area 1 in millimetres on a face of 20 cm.
    pub fn millimetres(rms: f64) -> f64 {
        FACE_MM * rms
    }
}
