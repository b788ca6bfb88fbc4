//! The workbench on screen: what the steps say, and the acts that their controls come to.

use super::pages::{check, look, plan, register, release, report, warning};
use super::state::{Act, Step, WorkbenchState};
use super::window_state::WindowState;
use kiss3d::egui::{self, Button, Context, Grid, Key, Modifiers, RichText, ScrollArea, Ui};

/// Width of the panel in points.
pub const WIDTH: f32 = 400.0;

/// Keys and what they do.
pub const KEYS: [(&str, &str); 9] = [
    ("Tab, Shift+Tab", "next, previous control"),
    ("Space, Enter", "press the control"),
    ("arrows", "move a slider that has the focus"),
    ("Page Down, Page Up", "next, previous step"),
    ("N  B", "next, previous scan"),
    ("1 2 3 4 0", "front, three-quarter, left, right; reset"),
    ("click", "mark the nose tip (while checking)"),
    ("T", "light or dark"),
    ("?  Esc", "these keys; close"),
];

/// Draws the panel; what was done with it.
pub fn show(ctx: &Context, bench: &WorkbenchState, window: &mut WindowState, top: f32) -> Vec<Act> {
    let mut acts = Vec::new();
    let height = ctx.content_rect().height() - top;
    let frame = egui::Frame::side_top_panel(&ctx.global_style()).inner_margin(12.0);
    egui::Area::new("workbench".into()).fixed_pos([0.0, top]).show(ctx, |ui| {
        frame.show(ui, |ui| {
            ui.set_width(WIDTH - 24.0);
            ui.set_height(height - 24.0);
            heading(ui, bench, window);
            steps(ui, bench, &mut acts);
            ui.separator();
            ScrollArea::vertical().auto_shrink([false, false]).max_height(ui.available_height() - 44.0).show(
                ui,
                |ui| match bench.step {
                    Step::Check => check(ui, bench, window, &mut acts),
                    Step::Plan => plan(ui, bench, &mut acts),
                    Step::Run => register(ui, bench, &mut acts),
                    Step::Look => look(ui, bench, &mut acts),
                    Step::Release => release(ui, bench, &mut acts),
                    Step::Report => report(ui, bench, &mut acts),
                },
            );
            if !bench.message.is_empty() {
                ui.separator();
                ui.label(RichText::new(&bench.message).color(warning(ui)));
            }
        });
    });
    keys(ctx, bench, window, &mut acts);
    help(ctx, window);
    acts
}

fn heading(ui: &mut Ui, bench: &WorkbenchState, window: &mut WindowState) {
    ui.horizontal(|ui| {
        ui.heading("A private mean face");
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            if ui.button("?").on_hover_text("keys").clicked() {
                window.help = !window.help;
            }
            if ui.button(if window.dark { "light" } else { "dark" }).clicked() {
                window.dark = !window.dark;
            }
        });
    });
    let scans = bench.scans.iter().map(|p| p.display().to_string()).collect::<Vec<_>>().join(", ");
    ui.add(egui::Label::new(RichText::new(format!("scans: {scans}")).small()).truncate());
    ui.add(egui::Label::new(RichText::new(format!("study: {}", bench.out.display())).small()).truncate());
    ui.add_space(4.0);
}

fn steps(ui: &mut Ui, bench: &WorkbenchState, acts: &mut Vec<Act>) {
    ui.horizontal_wrapped(|ui| {
        for (k, (step, name)) in Step::ALL.into_iter().enumerate() {
            let barred = bench.barred(step);
            let label = Button::selectable(bench.step == step, format!("{} {name}", k + 1));
            let response = ui.add_enabled(barred.is_none(), label);
            let response = match barred {
                Some(why) => response.on_disabled_hover_text(why.to_string()),
                None => response,
            };
            if response.clicked() {
                acts.push(Act::Go(step));
            }
        }
    });
}

fn keys(ctx: &Context, bench: &WorkbenchState, window: &mut WindowState, acts: &mut Vec<Act>) {
    if ctx.text_edit_focused() {
        return;
    }
    let pressed = |key: Key| ctx.input_mut(|i| i.consume_key(Modifiers::NONE, key));
    let at = Step::ALL.iter().position(|(step, _)| *step == bench.step).unwrap_or(0);
    if pressed(Key::PageDown)
        && let Some((next, _)) = Step::ALL.get(at + 1)
    {
        acts.push(Act::Go(*next));
    }
    if pressed(Key::PageUp)
        && let Some((before, _)) = at.checked_sub(1).and_then(|k| Step::ALL.get(k))
    {
        acts.push(Act::Go(*before));
    }
    let many = bench.choices();
    if pressed(Key::N) && many > 0 {
        acts.push(Act::Choose((bench.chosen + 1) % many));
    }
    if pressed(Key::B) && many > 0 {
        acts.push(Act::Choose((bench.chosen + many - 1) % many));
    }
    if pressed(Key::T) {
        window.dark = !window.dark;
    }
}

fn help(ctx: &Context, window: &mut WindowState) {
    if !window.help {
        return;
    }
    egui::Window::new("Keys").anchor(egui::Align2::CENTER_CENTER, [0.0, 0.0]).collapsible(false).show(
        ctx,
        |ui| {
            Grid::new("workbench keys").num_columns(2).striped(true).show(ui, |ui| {
                for (key, what) in KEYS {
                    ui.strong(key);
                    ui.label(what);
                    ui.end_row();
                }
            });
        },
    );
}
