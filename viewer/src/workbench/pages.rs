//! What each step says, and the acts that its controls come to.

use super::account::{as_epsilon, meaning};
use super::state::{Act, Run, Step, WorkbenchState};
use super::steps::{LEAST, MOST, budget};
use super::window_state::WindowState;
use kiss3d::egui::{self, Button, Color32, DragValue, Grid, RichText, ScrollArea, Slider, Ui};
use visard::mesh::Point;
use visard::report::colour::short;
use visard::study::face::FACE_MM;

/// Orange that is legible on light and dark.
pub(super) fn warning(ui: &Ui) -> Color32 {
    if ui.visuals().dark_mode { Color32::from_rgb(255, 176, 92) } else { Color32::from_rgb(166, 76, 0) }
}

fn waiting(ui: &mut Ui, what: &str) {
    ui.horizontal(|ui| {
        ui.spinner();
        ui.label(what);
    });
}

fn main_button(ui: &mut Ui, enabled: bool, text: &str) -> bool {
    ui.add_space(8.0);
    let size = egui::vec2(ui.available_width(), 30.0);
    ui.add_enabled_ui(enabled, |ui| ui.add_sized(size, Button::new(RichText::new(text).strong())).clicked())
        .inner
}

pub(super) fn check(ui: &mut Ui, bench: &WorkbenchState, window: &mut WindowState, acts: &mut Vec<Act>) {
    let Some(found) = &bench.checked else {
        return if bench.is_checking() { waiting(ui, "looking at the files") } else { check_again(ui, acts) };
    };
    ui.strong(format!("{} scans count, of {} people", found.people.len(), found.n));
    ui.label(
        "A scan that cannot be used still counts: as the template. Nobody is left out for how a scan looks.",
    );
    ui.add_space(6.0);
    scans(ui, bench, acts);
    let mut list = |title: String, lines: Vec<String>| {
        if !lines.is_empty() {
            ui.add_space(4.0);
            ui.label(RichText::new(title).strong().color(warning(ui)));
            for line in lines.iter().take(8) {
                ui.label(line);
            }
            if lines.len() > 8 {
                ui.label(format!("and {} more: visard check has all", lines.len() - 8));
            }
        }
    };
    let name = |p: &std::path::Path| p.file_name().unwrap_or_default().to_string_lossy().into_owned();
    list(
        format!("cannot be used: {}", found.failed.len()),
        found.failed.iter().map(|f| format!("{}: {}", name(&f.file), f.problem)).collect(),
    );
    list(
        format!("skipped: {}", found.skipped.len()),
        found.skipped.iter().map(|s| format!("{}: {}", name(&s.file), s.why)).collect(),
    );
    list(
        "identical files given as different people's: the study would stop".into(),
        found
            .duplicates
            .iter()
            .map(|same| same.iter().map(|f| name(f)).collect::<Vec<_>>().join(" = "))
            .collect(),
    );
    if let (Some(seconds), Some(each)) = (found.seconds, found.seconds_per_scan) {
        ui.label(format!("registering them takes about {seconds:.0} s ({each:.1} s a scan)"));
    }
    nose(ui, bench, window, acts);
    ui.horizontal(|ui| check_again(ui, acts));
    if main_button(ui, bench.barred(Step::Plan).is_none() && !bench.is_checking(), "To the plan") {
        acts.push(Act::Go(Step::Plan));
    }
}

fn check_again(ui: &mut Ui, acts: &mut Vec<Act>) {
    if ui.button("look at the files again").clicked() {
        acts.push(Act::CheckAgain);
    }
}

fn scans(ui: &mut Ui, bench: &WorkbenchState, acts: &mut Vec<Act>) {
    let Some(found) = &bench.checked else { return };
    let row = ui.text_style_height(&egui::TextStyle::Button) + 4.0;
    ScrollArea::vertical().id_salt("scans").max_height(150.0).auto_shrink([false, true]).show_rows(
        ui,
        row,
        found.people.len(),
        |ui, range| {
            for k in range {
                let counted = &found.people[k];
                let name = counted.file.file_name().unwrap_or_default().to_string_lossy();
                let kind = if counted.mesh { "vertices" } else { "points" };
                let landmarks = if counted.landmarks.is_some() { ", nose tip given" } else { "" };
                let failed = if counted.status == "ok" { "" } else { ", cannot be used" };
                let text = format!("{name}: {} {kind}{landmarks}{failed}", counted.points);
                if ui.selectable_label(bench.chosen == k, text).clicked() {
                    acts.push(Act::Choose(k));
                }
            }
        },
    );
}

fn nose(ui: &mut Ui, bench: &WorkbenchState, window: &mut WindowState, acts: &mut Vec<Act>) {
    if !bench.takes_noses() || bench.on_view().is_none() {
        return;
    }
    ui.add_space(6.0);
    ui.label("Nose found in the wrong place? Click on its tip, or enter its coordinates:");
    let tip = window.nose.unwrap_or_else(Point::origin);
    let mut at: [f64; 3] = tip.coords.into();
    let mut changed = false;
    ui.horizontal(|ui| {
        for (name, value) in ["x ", "y ", "z "].into_iter().zip(&mut at) {
            changed |= ui.add(DragValue::new(value).prefix(name).speed(0.1).max_decimals(2)).changed();
        }
        if changed {
            window.nose = Some(Point::from(at));
        }
        if ui.add_enabled(window.nose.is_some(), Button::new("keep")).clicked()
            && let Some(tip) = window.nose.take()
        {
            acts.push(Act::MarkNose(tip));
        }
    });
    ui.small("Kept as NAME.landmarks.csv beside the scan, which every visard command reads.");
}

pub(super) fn plan(ui: &mut Ui, bench: &WorkbenchState, acts: &mut Vec<Act>) {
    let fixed = bench.plan.is_some();
    let people = bench.plan.as_ref().map_or(bench.people() as u64, |plan| plan.n);
    ui.strong(format!("Budget for {people} people"));
    let mut mu = bench.budget.get();
    ui.add_enabled_ui(!fixed, |ui| {
        ui.spacing_mut().slider_width = 230.0;
        let slider = Slider::new(&mut mu, LEAST..=MOST).logarithmic(true).text("mu").max_decimals(2);
        if ui.add(slider).changed()
            && let Some(mu) = budget((100.0 * mu).round() / 100.0)
        {
            acts.push(Act::Budget(mu));
        }
    });
    ui.label(meaning(bench.budget));
    ui.label(as_epsilon(bench.budget));
    ui.add_space(6.0);
    expected(ui, bench);
    ui.add_space(6.0);
    ui.strong("Good enough");
    let (mut says, mut limit) = (bench.accept_mm.is_some(), bench.accept_mm.unwrap_or(1.0));
    ui.add_enabled_ui(!fixed, |ui| {
        ui.horizontal(|ui| {
            let asked = ui.checkbox(&mut says, "an error of at most").changed();
            let drag = DragValue::new(&mut limit).range(0.01..=50.0).speed(0.05).suffix(" mm");
            let moved = ui.add_enabled(says, drag).changed();
            if asked || moved {
                acts.push(Act::Accept(says.then_some(limit)));
            }
        });
    });
    ui.small(
        "Set before the result is known, so that it cannot be chosen afterwards; the certificate names it.",
    );
    ui.add_space(6.0);
    ui.strong("Ledger");
    ui.label(bench.account.sentence(bench.price()));
    if fixed {
        ui.add_space(8.0);
        ui.label("This plan is fixed (plan.json). Registrations can be looked at now.");
        if main_button(ui, true, "To the registration") {
            acts.push(Act::Go(Step::Run));
        }
    } else {
        let ready = bench.forecast.is_some();
        if main_button(ui, ready, "Fix this plan") {
            acts.push(Act::Fix);
        }
        ui.small("Writes plan.json. After that, nose tips are fixed, and another budget becomes a caveat. Costs nothing.");
    }
}

fn expected(ui: &mut Ui, bench: &WorkbenchState) {
    ui.strong("What to expect");
    let Some(forecast) = &bench.forecast else {
        if bench.plan.is_none() {
            waiting(ui, "simulating people");
        }
        return;
    };
    let mm = |square: f64| format!("{:.2} mm", FACE_MM * square.sqrt());
    Grid::new("expected").num_columns(2).spacing([16.0, 3.0]).show(ui, |ui| {
        for (what, square) in [
            ("error of the release", forecast.error),
            ("the template, published unread", forecast.template_error),
            ("these people as a sample", forecast.sampling_error),
        ] {
            ui.label(what);
            ui.monospace(mm(square));
            ui.end_row();
        }
    });
    if !forecast.is_worth_it() {
        let text = "Not worth the budget: it would be mostly the template. More people, or a larger budget, change that.";
        ui.label(RichText::new(text).color(warning(ui)));
    }
    ui.small("Root mean square on a face of 20 cm, from simulated people; none of your data is read.");
}

pub(super) fn register(ui: &mut Ui, bench: &WorkbenchState, acts: &mut Vec<Act>) {
    ui.strong("Registration");
    ui.label("Every scan is brought into correspondence with the public template. Nothing is charged, and nothing leaves this machine.");
    ui.add_space(6.0);
    let (counts, text) = match bench.run {
        Run::Idle => {
            if main_button(ui, true, "Begin") {
                acts.push(Act::Start);
            }
            return;
        }
        Run::Running(counts) => (counts, "at work"),
        Run::Pausing(counts) => (counts, "stopping after the scans that are at work"),
        Run::Paused(counts) => (counts, "paused; nothing is charged"),
        Run::Registered(counts) => (counts, "done; nothing is charged"),
        Run::Releasing | Run::Released => return,
    };
    let share = if counts.scans == 0 { 0.0 } else { counts.done as f32 / counts.scans as f32 };
    let bar = egui::ProgressBar::new(share).text(format!("{} of {}", counts.done, counts.scans));
    ui.add(bar);
    ui.label(text);
    if counts.failed > 0 {
        ui.label(RichText::new(format!("{} count as the template", counts.failed)).color(warning(ui)));
    }
    match bench.run {
        Run::Running(_) if main_button(ui, true, "Pause") => acts.push(Act::Pause),
        Run::Paused(_) if main_button(ui, true, "Go on") => acts.push(Act::Start),
        Run::Registered(_) if main_button(ui, true, "Look at them") => acts.push(Act::Go(Step::Look)),
        _ => {}
    }
    ui.small("Finished scans are kept: closing the window loses none.");
}

pub(super) fn look(ui: &mut Ui, bench: &WorkbenchState, acts: &mut Vec<Act>) {
    ui.strong(format!("{} registrations, the worst first", bench.registrations.len()));
    ui.label("Left the scan, right what was registered to it. For your eyes only; the plan is fixed, and nobody is left out for what is seen here.");
    ui.add_space(6.0);
    let row = ui.text_style_height(&egui::TextStyle::Button) + 4.0;
    let made = &bench.registrations;
    ScrollArea::vertical().id_salt("made").max_height(220.0).auto_shrink([false, true]).show_rows(
        ui,
        row,
        made.len(),
        |ui, range| {
            for k in range {
                let text = match &made[k] {
                    m if !m.row.is_ok() => format!("{}: counts as the template", m.row.scan),
                    m => {
                        let left = m.left_over.map_or_else(|| "unknown".into(), short);
                        format!(
                            "{}: {left} left over, {:.0} % on the scan",
                            m.row.scan,
                            100.0 * m.row.on_scan
                        )
                    }
                };
                if ui.selectable_label(bench.chosen == k, text).clicked() {
                    acts.push(Act::Choose(k));
                }
            }
        },
    );
    if let Some(problem) = made.get(bench.chosen).map(|m| &m.row.problem).filter(|p| !p.is_empty()) {
        ui.label(RichText::new(problem).color(warning(ui)));
    }
    if main_button(ui, bench.barred(Step::Release).is_none(), "To the release") {
        acts.push(Act::Go(Step::Release));
    }
}

pub(super) fn release(ui: &mut Ui, bench: &WorkbenchState, acts: &mut Vec<Act>) {
    if bench.run == Run::Releasing {
        return waiting(ui, "charging, drawing and writing the report");
    }
    let price = bench.price();
    let people = bench.plan.as_ref().map_or(0, |plan| plan.n);
    ui.strong("The price");
    ui.label(format!("The mean face of {people} people, {price}."));
    ui.label(meaning(price));
    ui.label(as_epsilon(price));
    ui.label(bench.account.sentence(price));
    other_budget(ui, bench, acts);
    if bench.asked {
        ui.add_space(8.0);
        let text = format!(
            "This charges {price} to the ledger, permanently: it cannot be undone, no matter how the release turns out."
        );
        ui.label(RichText::new(text).strong().color(warning(ui)));
        if main_button(ui, true, &format!("Pay {price} and release")) {
            acts.push(Act::Confirm);
        }
        if ui.button("not now").clicked() {
            acts.push(Act::TakeBack);
        }
    } else if main_button(ui, true, "Release") {
        acts.push(Act::Ask);
    }
}

fn other_budget(ui: &mut Ui, bench: &WorkbenchState, acts: &mut Vec<Act>) {
    ui.add_space(6.0);
    ui.collapsing("another budget than planned", |ui| {
        let mut mu = bench.price().get();
        if ui.add(Slider::new(&mut mu, LEAST..=MOST).logarithmic(true).text("mu").max_decimals(2)).changed()
            && let Some(mu) = budget((100.0 * mu).round() / 100.0)
        {
            acts.push(Act::OtherBudget(mu));
        }
    });
    if bench.other.is_some() {
        let text = "Not what was planned: the certificate will say so (other-than-planned), since you have seen registrations by now.";
        ui.label(RichText::new(text).color(warning(ui)));
    }
}

pub(super) fn report(ui: &mut Ui, bench: &WorkbenchState, acts: &mut Vec<Act>) {
    let Some(outcome) = &bench.outcome else { return };
    ui.strong("Released");
    if let Some(mm) = outcome.error_mm {
        ui.label(format!("error as the release states it: {mm:.2} mm (root mean square, face of 20 cm)"));
        if let Some(limit) = bench.accept_mm {
            let verdict = if mm <= limit { "within" } else { "above" };
            ui.label(format!("{verdict} the {limit:.2} mm that were set as good enough in advance"));
        }
    }
    for caveat in &outcome.caveats {
        ui.label(RichText::new(caveat).color(warning(ui)));
    }
    ui.add_space(6.0);
    ui.label("may be published:");
    ui.monospace(outcome.report.display().to_string());
    ui.label("for your eyes only (true error, worst registrations):");
    ui.monospace(outcome.internal_report.display().to_string());
    if main_button(ui, true, "Open the report") {
        acts.push(Act::OpenReport);
    }
    ui.label(bench.account.sentence_now());
}
