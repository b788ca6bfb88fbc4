//! The rules: what an act does, what news change.

use super::state::{Act, Counts, News, Refusal, Run, Step, Task, WorkbenchState};
use visard::privacy::Mu;

impl WorkbenchState {
    /// Does what the user wants, or says why not.
    ///
    /// # Errors
    /// [`Refusal`]; nothing has changed then.
    pub fn act(&mut self, act: Act) -> Result<Vec<Task>, Refusal> {
        let tasks = match act {
            Act::Go(step) => go(self, step)?,
            Act::Choose(k) => choose(self, k)?,
            Act::CheckAgain => {
                open_for_change(self)?;
                self.set_checking(true);
                vec![Task::Check]
            }
            Act::MarkNose(tip) => {
                open_for_change(self)?;
                let (scan, _) = self.on_view().ok_or(Refusal::NoSuchScan)?;
                vec![Task::KeepNose(scan.to_owned(), tip)]
            }
            Act::Budget(mu) => {
                open_for_change(self)?;
                (self.budget, self.forecast) = (mu, None);
                foretell(self)
            }
            Act::Accept(limit) => {
                open_for_change(self)?;
                self.accept_mm = limit.filter(|mm| *mm > 0.0 && mm.is_finite());
                Vec::new()
            }
            Act::Fix => fix(self)?,
            Act::Start => start(self)?,
            Act::Pause => pause(self)?,
            Act::OtherBudget(mu) => {
                may_release(self)?;
                let planned = self.plan.as_ref().map(|plan| plan.mu);
                self.other = Some(mu).filter(|mu| Some(*mu) != planned);
                self.asked = false;
                Vec::new()
            }
            Act::Ask => {
                may_release(self)?;
                self.asked = true;
                Vec::new()
            }
            Act::TakeBack => {
                self.asked = false;
                Vec::new()
            }
            Act::Confirm => {
                may_release(self)?;
                if !std::mem::take(&mut self.asked) {
                    return Err(Refusal::NotAsked);
                }
                self.run = Run::Releasing;
                vec![Task::Release(self.price())]
            }
            Act::OpenReport => {
                let outcome = self.outcome.as_ref().ok_or(Refusal::NotReleased)?;
                vec![Task::Show(outcome.report.clone())]
            }
        };
        self.message.clear();
        Ok(tasks)
    }

    /// Takes note of what the worker tells.
    pub fn hear(&mut self, news: News) -> Vec<Task> {
        match news {
            News::Found(plan, outcome) => found(self, plan, outcome),
            News::Account(account) => self.account = account,
            News::Checked(report) => {
                self.set_checking(false);
                self.checked = Some(*report);
                self.chosen = self.chosen.min(self.choices().saturating_sub(1));
                self.forecast = None;
                if self.step == Step::Plan && self.plan.is_none() {
                    return foretell(self);
                }
            }
            News::NoseKept(file) => {
                self.message = format!("kept in {}", file.display());
                self.set_checking(true);
                return vec![Task::Check];
            }
            News::Foretold(forecast) => {
                // Of a budget that was left since: another is on its way.
                if forecast.mu == self.budget && forecast.n == self.people() {
                    self.forecast = Some(forecast);
                }
            }
            News::PlanFixed(plan) => {
                self.plan = Some(plan);
                self.step = Step::Run;
                self.chosen = 0;
            }
            News::Progress(counts) => match &mut self.run {
                Run::Running(own) | Run::Pausing(own) => *own = counts,
                _ => {}
            },
            News::Stopped => {
                if let Run::Running(counts) | Run::Pausing(counts) = self.run {
                    self.run = Run::Paused(counts);
                }
            }
            News::Registered(worst_first) => {
                let failed = worst_first.iter().filter(|made| !made.row.is_ok()).count();
                let scans = worst_first.len();
                self.run = Run::Registered(Counts { scans, done: scans, failed });
                self.registrations = worst_first;
                (self.step, self.chosen) = (Step::Look, 0);
            }
            News::Released(outcome) => {
                self.run = Run::Released;
                self.outcome = Some(outcome);
                self.step = Step::Report;
            }
            News::Failed(problem) => failed(self, problem),
        }
        Vec::new()
    }
}

fn go(bench: &mut WorkbenchState, step: Step) -> Result<Vec<Task>, Refusal> {
    if let Some(refusal) = bench.barred(step) {
        return Err(refusal);
    }
    if (bench.step == Step::Look) != (step == Step::Look) {
        bench.chosen = 0;
    }
    (bench.step, bench.asked) = (step, false);
    let needed = step == Step::Plan && bench.forecast.is_none() && bench.plan.is_none();
    Ok(if needed { foretell(bench) } else { Vec::new() })
}

fn foretell(bench: &WorkbenchState) -> Vec<Task> {
    match bench.people() {
        0 => Vec::new(),
        people => vec![Task::Foretell(people, bench.budget)],
    }
}

fn choose(bench: &mut WorkbenchState, k: usize) -> Result<Vec<Task>, Refusal> {
    if k >= bench.choices() {
        return Err(Refusal::NoSuchScan);
    }
    bench.chosen = k;
    Ok(Vec::new())
}

/// Whether what records are made of may still change.
fn open_for_change(bench: &WorkbenchState) -> Result<(), Refusal> {
    match (&bench.plan, bench.is_working()) {
        (Some(_), _) => Err(Refusal::Fixed),
        (None, true) => Err(Refusal::Busy),
        (None, false) => Ok(()),
    }
}

fn fix(bench: &mut WorkbenchState) -> Result<Vec<Task>, Refusal> {
    open_for_change(bench)?;
    if let Some(refusal) = bench.barred(Step::Plan) {
        return Err(refusal);
    }
    let people = bench.people();
    let foretold = bench.forecast.filter(|forecast| forecast.mu == bench.budget && forecast.n == people);
    let forecast = foretold.filter(|_| !bench.is_checking()).ok_or(Refusal::NoForecast)?;
    Ok(vec![Task::Fix(forecast, bench.accept_mm)])
}

fn start(bench: &mut WorkbenchState) -> Result<Vec<Task>, Refusal> {
    let plan = bench.plan.as_ref().ok_or(Refusal::NotFixed)?;
    let counts = match bench.run {
        Run::Idle => Counts::default(),
        Run::Paused(counts) => counts,
        Run::Running(_) | Run::Pausing(_) | Run::Releasing => return Err(Refusal::Busy),
        Run::Registered(_) | Run::Released => return Ok(Vec::new()),
    };
    let task = Task::Register(plan.mu);
    // What was done is done again at once: its records are kept.
    bench.run = Run::Running(Counts { scans: counts.scans, ..Counts::default() });
    Ok(vec![task])
}

fn pause(bench: &mut WorkbenchState) -> Result<Vec<Task>, Refusal> {
    match bench.run {
        Run::Running(counts) => {
            bench.run = Run::Pausing(counts);
            Ok(vec![Task::Pause])
        }
        Run::Pausing(_) => Ok(Vec::new()),
        _ => Err(Refusal::NotRegistered),
    }
}

fn may_release(bench: &WorkbenchState) -> Result<(), Refusal> {
    if bench.is_working() {
        return Err(Refusal::Busy);
    }
    bench.barred(Step::Release).map_or(Ok(()), Err)
}

fn found(
    bench: &mut WorkbenchState,
    plan: Option<super::state::FixedPlan>,
    outcome: Option<super::state::Outcome>,
) {
    if let Some(plan) = &plan {
        (bench.budget, bench.accept_mm) = (plan.mu, plan.accept_mm);
        bench.step = Step::Run;
    }
    bench.plan = plan;
    if outcome.is_some() {
        (bench.run, bench.step) = (Run::Released, Step::Report);
    }
    bench.outcome = outcome;
}

fn failed(bench: &mut WorkbenchState, problem: String) {
    bench.run = match bench.run {
        Run::Running(counts) | Run::Pausing(counts) => Run::Paused(counts),
        // Records are kept: it can be tried again, and goes on under a charge that was made.
        Run::Releasing => {
            let scans = bench.registrations.len();
            Run::Registered(Counts { scans, done: scans, failed: 0 })
        }
        other => other,
    };
    bench.set_checking(false);
    bench.message = problem;
}

/// Budgets that the slider offers.
pub const LEAST: f64 = 0.05;
/// The largest of them.
pub const MOST: f64 = 10.0;

/// A budget of the slider.
pub fn budget(value: f64) -> Option<Mu> {
    Mu::new(value.clamp(LEAST, MOST)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workbench::state::{FixedPlan, Outcome};
    use visard::mesh::Point;
    use visard::study::check::Report;
    use visard::study::face::plan::Forecast;

    fn mu(value: f64) -> Mu {
        Mu::new(value).unwrap()
    }

    fn fresh(people: usize) -> WorkbenchState {
        let (mut bench, tasks) = WorkbenchState::new(vec!["scans".into()], "study".into(), mu(1.0));
        assert_eq!(tasks, [Task::Open, Task::Check]);
        let report = Report { n: people, ..Report::default() };
        assert!(bench.hear(News::Checked(Box::new(report))).is_empty());
        bench
    }

    fn forecast(n: usize, budget: f64) -> Forecast {
        Forecast { n, mu: mu(budget), error: 1e-5, template_error: 1e-4, sampling_error: 1e-5, band: None }
    }

    fn fixed() -> WorkbenchState {
        let mut bench = fresh(6);
        bench.act(Act::Go(Step::Plan)).unwrap();
        bench.hear(News::Foretold(forecast(6, 1.0)));
        assert_eq!(bench.act(Act::Fix).unwrap(), [Task::Fix(forecast(6, 1.0), None)]);
        bench.hear(News::PlanFixed(FixedPlan { mu: mu(1.0), n: 6, accept_mm: None }));
        bench
    }

    fn registered() -> WorkbenchState {
        let mut bench = fixed();
        assert_eq!(bench.act(Act::Start).unwrap(), [Task::Register(mu(1.0))]);
        bench.hear(News::Registered(Vec::new()));
        bench
    }

    #[test]
    fn nothing_of_a_registration_is_seen_before_the_plan_is_fixed() {
        let mut bench = fresh(6);
        for step in [Step::Run, Step::Look, Step::Release] {
            assert_eq!(bench.act(Act::Go(step)), Err(Refusal::NotFixed), "{step:?}");
        }
        assert_eq!(bench.act(Act::Start), Err(Refusal::NotFixed));
        assert_eq!(bench.act(Act::Ask), Err(Refusal::NotFixed));
        assert_eq!(bench.act(Act::Fix), Err(Refusal::NoForecast));
        assert_eq!(fresh(0).act(Act::Go(Step::Plan)), Err(Refusal::Nobody));
    }

    #[test]
    fn a_fixed_plan_fixes_all_that_records_are_made_of() {
        let mut bench = fixed();
        let before = bench.clone();
        for act in [
            Act::Budget(mu(2.0)),
            Act::Accept(Some(1.0)),
            Act::MarkNose(Point::origin()),
            Act::CheckAgain,
            Act::Fix,
        ] {
            assert_eq!(bench.act(act), Err(Refusal::Fixed));
        }
        assert_eq!((bench.budget, bench.step), (before.budget, Step::Run));
    }

    #[test]
    fn forecasts_of_a_budget_that_was_left_are_not_fixed() {
        let mut bench = fresh(6);
        assert_eq!(bench.act(Act::Go(Step::Plan)).unwrap(), [Task::Foretell(6, mu(1.0))]);
        assert_eq!(bench.act(Act::Budget(mu(2.0))).unwrap(), [Task::Foretell(6, mu(2.0))]);
        bench.hear(News::Foretold(forecast(6, 1.0)));
        assert_eq!(bench.act(Act::Fix), Err(Refusal::NoForecast));
        bench.hear(News::Foretold(forecast(6, 2.0)));
        assert!(bench.act(Act::Fix).is_ok());
    }

    #[test]
    fn pausing_keeps_what_is_done_and_going_on_asks_the_same_study() {
        let mut bench = fixed();
        bench.act(Act::Start).unwrap();
        assert_eq!(bench.act(Act::Start), Err(Refusal::Busy));
        let counts = Counts { scans: 6, done: 2, failed: 1 };
        bench.hear(News::Progress(counts));
        assert_eq!(bench.act(Act::Pause).unwrap(), [Task::Pause]);
        bench.hear(News::Stopped);
        assert_eq!(bench.run, Run::Paused(counts));
        assert_eq!(bench.act(Act::Start).unwrap(), [Task::Register(mu(1.0))]);
        bench.hear(News::Failed("disk full".into()));
        assert!(matches!(bench.run, Run::Paused(_)) && bench.message == "disk full");
    }

    #[test]
    fn a_release_is_confirmed_once_at_the_price_that_was_named() {
        let mut bench = registered();
        assert_eq!(bench.act(Act::Confirm), Err(Refusal::NotAsked));
        bench.act(Act::Go(Step::Release)).unwrap();
        bench.act(Act::Ask).unwrap();
        // Another price has to be read again.
        bench.act(Act::OtherBudget(mu(2.0))).unwrap();
        assert_eq!(bench.act(Act::Confirm), Err(Refusal::NotAsked));
        bench.act(Act::OtherBudget(mu(1.0))).unwrap();
        assert_eq!(bench.other, None, "the planned budget is no other one");
        bench.act(Act::Ask).unwrap();
        bench.act(Act::TakeBack).unwrap();
        assert_eq!(bench.act(Act::Confirm), Err(Refusal::NotAsked));
        bench.act(Act::Ask).unwrap();
        assert_eq!(bench.act(Act::Confirm).unwrap(), [Task::Release(mu(1.0))]);
        assert_eq!(bench.act(Act::Ask), Err(Refusal::Busy));
        let outcome =
            Outcome { report: "r".into(), internal_report: "i".into(), error_mm: None, caveats: Vec::new() };
        bench.hear(News::Released(outcome));
        assert_eq!((bench.step, bench.act(Act::Ask)), (Step::Report, Err(Refusal::Released)));
        assert_eq!(bench.act(Act::OpenReport).unwrap(), [Task::Show("r".into())]);
    }

    #[test]
    fn a_study_that_is_found_is_gone_on_with() {
        let mut bench = fresh(6);
        bench.hear(News::Found(Some(FixedPlan { mu: mu(3.0), n: 6, accept_mm: Some(2.0) }), None));
        assert_eq!((bench.step, bench.price()), (Step::Run, mu(3.0)));
        assert_eq!(bench.act(Act::Start).unwrap(), [Task::Register(mu(3.0))]);
    }
}
