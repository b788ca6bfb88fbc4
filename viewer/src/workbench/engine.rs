//! Does the workbench's tasks on a thread of its own, by the library's own functions: what the commands `check`, `face plan --save` and
//! `face mean --resume` call.

use super::account::{Account, DELTA};
use super::nose;
use super::state::{Counts, FixedPlan, News, Outcome, Task};
use crate::error::ViewerError;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use visard::privacy::{Certificate, Mu, PrivacyLoss};
use visard::study::check::{CheckSettings, check};
use visard::study::face::plan::{Forecast, PlanRequest, plan};
use visard::study::face::plan_rows;
use visard::study::face::registrations::Registrations;
use visard::study::face::{
    CURVES, FACE_MM, FaceInputs, FaceMechanism, FaceOutcome, FaceProgress, FaceStudySettings, SAMPLES,
    StudyError, TemplateSource, run,
};
use visard::study::layout::REPORT;
use visard::study::{JobError, LedgerChoice, Place, SavedPlan, Stop, StudyFolder};

/// The statistic, as plans name it.
const STATISTIC: &str = "face mean";

/// The thread, and how to stop what it does.
pub struct Engine {
    tasks: Sender<Task>,
    news: Receiver<News>,
    stop: Arc<Mutex<Stop>>,
}

impl Engine {
    /// Starts the thread for these scans and this study; it ends with the engine, after what it is at.
    pub fn start(scans: Vec<PathBuf>, out: PathBuf) -> Self {
        let (tasks, inbox) = channel();
        let (outbox, news) = channel();
        let stop = Arc::new(Mutex::new(Stop::default()));
        let worker = Worker { scans, out, news: outbox, stop: stop.clone() };
        std::thread::spawn(move || worker.work(&inbox));
        Self { tasks, news, stop }
    }

    /// Hands on tasks; a pause is not waited with.
    pub fn ask(&self, tasks: Vec<Task>) {
        for task in tasks {
            if task == Task::Pause {
                held(&self.stop).ask();
            } else {
                if matches!(task, Task::Register(_) | Task::Release(_)) {
                    // Made here, not where the work begins: a pause that comes before that counts.
                    *held(&self.stop) = Stop::default();
                }
                // The thread ends with the engine only; if it has panicked, nothing new is heard.
                let _ = self.tasks.send(task);
            }
        }
    }

    /// What it has told since.
    pub fn news(&self) -> Vec<News> {
        self.news.try_iter().collect()
    }

    /// Waits for the next, at most so long.
    pub fn wait(&self, longest: std::time::Duration) -> Option<News> {
        self.news.recv_timeout(longest).ok()
    }
}

impl Drop for Engine {
    /// A closed window pauses: before a charge all stops, after it the study goes on to its end or is gone on with.
    fn drop(&mut self) {
        held(&self.stop).ask();
    }
}

/// What another thread holds is a flag: it is as good after a panic as before.
fn held(stop: &Mutex<Stop>) -> std::sync::MutexGuard<'_, Stop> {
    stop.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

struct Worker {
    scans: Vec<PathBuf>,
    out: PathBuf,
    news: Sender<News>,
    stop: Arc<Mutex<Stop>>,
}

impl Worker {
    fn work(&self, inbox: &Receiver<Task>) {
        let mut waiting = std::collections::VecDeque::new();
        while let Some(task) = waiting.pop_front().or_else(|| inbox.recv().ok()) {
            waiting.extend(inbox.try_iter());
            // Of many budgets only the last counts: a slider makes many.
            let outdated = |later: &Task| matches!(later, Task::Foretell(..));
            if matches!(task, Task::Foretell(..)) && waiting.iter().any(outdated) {
                continue;
            }
            let done = self.perform(task).unwrap_or_else(|problem| vec![News::Failed(problem)]);
            if done.into_iter().any(|news| self.news.send(news).is_err()) {
                return;
            }
        }
    }

    fn perform(&self, task: Task) -> Result<Vec<News>, String> {
        let said = |error: &dyn std::error::Error| error.to_string();
        Ok(match task {
            Task::Open => {
                let folder = StudyFolder::at(&self.out);
                let plan = fixed_plan(&folder).map_err(|e| said(&e))?;
                vec![self.account(), News::Found(plan, found(&folder))]
            }
            Task::Check => vec![News::Checked(Box::new(check(&self.check()).map_err(|e| said(&e))?))],
            Task::KeepNose(scan, tip) => vec![News::NoseKept(nose::keep(&scan, &tip).map_err(|e| said(&e))?)],
            Task::Foretell(n, mu) => {
                let found = plan(&request(n, mu)).map_err(|e| said(&e))?;
                found.first().map(|forecast| News::Foretold(*forecast)).into_iter().collect()
            }
            Task::Fix(forecast, accept_mm) => vec![News::PlanFixed(self.fix(&forecast, accept_mm)?)],
            Task::Register(mu) => self.register(mu).map_err(|e| said(&e))?,
            Task::Release(mu) => self.release(mu).map_err(|e| said(&e))?,
            Task::Show(page) => {
                show(&page)?;
                Vec::new()
            }
            Task::Pause => Vec::new(),
        })
    }

    fn account(&self) -> News {
        News::Account(Account::of(&self.out))
    }

    fn check(&self) -> CheckSettings {
        CheckSettings {
            records: self.inputs(),
            recursive: false,
            full: false,
            budget: None,
            ledger: LedgerChoice::default(),
        }
    }

    /// What every study of these scans begins with; a run that was begun is gone on with.
    fn inputs(&self) -> FaceInputs {
        FaceInputs::new(self.scans.clone(), Place { resume: true, ..Place::new(&self.out) })
    }

    fn settings(&self, mu: Mu) -> FaceStudySettings {
        let stop = held(&self.stop).clone();
        let place = Place { resume: true, stop, ..Place::new(&self.out) };
        FaceStudySettings::new(self.scans.clone(), place, mu)
    }

    fn fix(&self, forecast: &Forecast, accept_mm: Option<f64>) -> Result<FixedPlan, String> {
        let row = plan_rows::mean(forecast, DELTA).map_err(|e| e.to_string())?;
        let (n, loss) = (forecast.n as u64, PrivacyLoss::Gaussian(forecast.mu));
        SavedPlan::new(STATISTIC, (n, loss), accept_mm.map(|mm| mm / FACE_MM), serde_json::json!(row))
            .and_then(|plan| plan.save(&StudyFolder::at(&self.out)))
            .map_err(|e| e.to_string())?;
        Ok(FixedPlan { mu: forecast.mu, n, accept_mm })
    }

    /// The study, stopped where it would be charged: its records are made then, and kept.
    fn register(&self, mu: Mu) -> Result<Vec<News>, StudyError> {
        let settings = self.settings(mu);
        let stop = settings.records.place.stop.clone();
        let all = std::sync::atomic::AtomicBool::new(false);
        let counts = Mutex::new(Counts::default());
        let done = run(&settings, &|progress| {
            if matches!(progress, FaceProgress::Releasing) {
                all.store(true, std::sync::atomic::Ordering::SeqCst);
                stop.ask();
            }
            self.tell(&counts, &progress);
        });
        match done {
            Err(StudyError::Job(JobError::Stopped)) if all.into_inner() => {
                let made = Registrations::open(&settings.records)?.worst_first();
                Ok(vec![self.account(), News::Registered(made)])
            }
            Err(StudyError::Job(JobError::Stopped)) => Ok(vec![News::Stopped]),
            Err(error) => Err(error),
            Ok(outcome) => Ok(vec![self.account(), News::Released(self.outcome(&outcome))]),
        }
    }

    fn tell(&self, counts: &Mutex<Counts>, progress: &FaceProgress) {
        let mut counts = counts.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        match *progress {
            FaceProgress::Found { scans } => counts.scans = scans,
            FaceProgress::Scan { done, ok, .. } => {
                counts.done = counts.done.max(done);
                counts.failed += usize::from(!ok);
            }
            _ => return,
        }
        let _ = self.news.send(News::Progress(*counts));
    }

    fn release(&self, mu: Mu) -> Result<Vec<News>, StudyError> {
        let outcome = run(&self.settings(mu), &|_| {})?;
        Ok(vec![self.account(), News::Released(self.outcome(&outcome))])
    }

    fn outcome(&self, outcome: &FaceOutcome) -> Outcome {
        let released = outcome.released.as_ref();
        let error_mm = released.map(|r| FixedPlan::millimetres(r.accuracy.rms));
        let caveats = released.map(|r| r.certificate.caveats.clone()).unwrap_or_default();
        Outcome { error_mm, caveats, ..pages(&outcome.folder) }
    }
}

fn request(n: usize, mu: Mu) -> PlanRequest {
    PlanRequest {
        sizes: vec![n],
        budgets: vec![mu],
        template: TemplateSource::Builtin,
        prior: None,
        mechanism: FaceMechanism::default(),
        band: false,
        radius: None,
        curves: CURVES,
        samples: SAMPLES,
    }
}

fn pages(folder: &StudyFolder) -> Outcome {
    Outcome {
        report: folder.release().join(REPORT),
        internal_report: folder.internal().join(REPORT),
        error_mm: None,
        caveats: Vec::new(),
    }
}

/// The release that is in the folder.
fn found(folder: &StudyFolder) -> Option<Outcome> {
    let text = std::fs::read_to_string(folder.certificate()).ok()?;
    let certificate = Certificate::from_json(&text).ok()?;
    let rms = certificate.details.get("accuracy").and_then(|accuracy| accuracy.get("rms")?.as_f64());
    Some(Outcome { error_mm: rms.map(FixedPlan::millimetres), caveats: certificate.caveats, ..pages(folder) })
}

/// The plan that is in the folder.
fn fixed_plan(folder: &StudyFolder) -> Result<Option<FixedPlan>, ViewerError> {
    let file = folder.plan();
    if !file.exists() {
        return Ok(None);
    }
    let no_plan = || ViewerError::NoPlan(file.clone());
    let opened = visard::io::open(&file, visard::io::Limit::SMALL)?;
    let plan: SavedPlan = serde_json::from_str(opened.text()?).map_err(|_| no_plan())?;
    let PrivacyLoss::Gaussian(mu) = plan.loss else { return Err(no_plan()) };
    if plan.statistic != STATISTIC {
        return Err(no_plan());
    }
    Ok(Some(FixedPlan { mu, n: plan.n, accept_mm: plan.accept_rms.map(FixedPlan::millimetres) }))
}

/// Opens a page in the browser that the system has for it.
fn show(page: &Path) -> Result<(), String> {
    let opener = match () {
        () if cfg!(windows) => "explorer",
        () if cfg!(target_os = "macos") => "open",
        () => "xdg-open",
    };
    let started = std::process::Command::new(opener)
        .arg(page)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn();
    started.map(|_| ()).map_err(|e| format!("cannot start {opener} ({e}); open {} yourself", page.display()))
}
