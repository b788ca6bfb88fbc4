//! The controls: what is shown, how, and the help.

use crate::bending::{self, Bending};
use crate::display_settings::DisplaySettings;
use crate::fields::FieldName;
use crate::geometry::Frame;
use crate::growth;
use crate::listing::{Entry, short_name};
use crate::look::{Look, VIEWS};
use crate::looking;
use crate::palette::{MapChoice, Palette, Range};
use crate::workbench::account::guesses;
use crate::workbench::{Act, Workshop};
use crate::worker::{Origin, Wish};
use kiss3d::egui::{self, Align2, Color32, Context, Key, RichText, Ui};

/// Everything the window shows and the user changes.
pub struct PanelState {
    /// What can be chosen.
    pub entries: Vec<Entry>,
    /// What is wished for.
    pub wish: Wish,
    /// From where.
    pub look: Look,
    /// The help is open.
    pub help: bool,
    /// What went wrong last, or what was done.
    pub message: String,
    /// Facts on what is shown.
    pub facts: Vec<String>,
    /// Something is being read.
    pub busy: bool,
    /// A picture is to be saved.
    pub save_picture: bool,
    /// The window is to be closed.
    pub close: bool,
    /// A ruler is drawn from one clicked point to the next.
    pub measures: bool,
    /// Where the first subject's coordinates went.
    pub frame: Frame,
    /// The released modes it may be bent by.
    pub bending: Bending,
    /// The workbench, where it is open.
    pub shop: Option<Workshop>,
}

/// Keys and what they do, in the order of the help.
const KEYS: [(&str, &str); 20] = [
    ("left drag", "turn"),
    ("right or middle drag, Ctrl + left drag", "move"),
    ("wheel", "enlarge"),
    ("click", "mark a point, on the disk map too"),
    ("double click", "make it the centre"),
    ("1 2 3 4", "front, three-quarter, left, right"),
    ("0", "everything back"),
    ("F", "next colours (checkerboard, distance, error, ...)"),
    ("W  P  C  D", "edges, vertices, curves, disk map"),
    ("U", "the band of the release: where the population's mean lies"),
    ("M  A  L", "scale bar, axes, landmarks"),
    ("R", "ruler from the marked point to the next ones"),
    ("X  Y  Z", "cut across that axis, and no more"),
    ("[  ]", "move the cut"),
    ("N  B", "next, previous of the list"),
    ("Space", "draw again (synthetic people)"),
    ("S", "save the camera, for --camera FILE"),
    ("V", "save a picture"),
    ("drop files", "show them, two side by side"),
    ("?  Esc", "this help; close the window"),
];

/// The controls on the left. Returns the width they take from the panes: none when folded away.
pub fn controls(ctx: &Context, state: &mut PanelState, top: f32) -> f32 {
    let window = egui::Window::new("visard")
        .anchor(Align2::LEFT_TOP, [6.0, top + 6.0])
        .default_width(230.0)
        .resizable(false);
    let shown = window.show(ctx, |ui| {
        subjects(ui, state);
        ui.separator();
        colours(ui, state);
        ui.separator();
        sliders(ui, state);
        ui.separator();
        if let Some(design) = &state.bending.design {
            growth::controls(ui, design, &mut state.wish.display.at);
        }
        bending::controls(ui, &mut state.bending, &mut state.wish.display.modes);
        looking::controls::controls(ui, &mut state.wish.display.instruments, &state.frame);
        ui.separator();
        ui.horizontal_wrapped(|ui| {
            for (name, yaw, pitch) in VIEWS {
                if ui.button(name).clicked() {
                    state.look = Look { yaw, pitch, ..Look::default() };
                }
            }
            if ui.button("?").clicked() {
                state.help = !state.help;
            }
        });
        for fact in &state.facts {
            ui.small(fact);
        }
        if state.busy {
            ui.horizontal(|ui| {
                ui.spinner();
                ui.label("reading");
            });
        }
        if !state.message.is_empty() {
            ui.label(RichText::new(&state.message).color(Color32::from_rgb(200, 90, 20)));
        }
    });
    help(ctx, state.help);
    let rect = shown.map_or(egui::Rect::ZERO, |w| w.response.rect);
    if rect.height() > 60.0 { rect.right() + 4.0 } else { 0.0 }
}

fn help(ctx: &Context, open: bool) {
    if open {
        egui::Window::new("Mouse and keys")
            .anchor(Align2::CENTER_CENTER, [0.0, 0.0])
            .collapsible(false)
            .show(ctx, |ui| {
                egui::Grid::new("keys").num_columns(2).striped(true).show(ui, |ui| {
                    for (key, what) in KEYS {
                        ui.strong(key);
                        ui.label(what);
                        ui.end_row();
                    }
                });
            });
    }
}

fn subjects(ui: &mut Ui, state: &mut PanelState) {
    let first = state.wish.origins.first().cloned();
    let row = ui.text_style_height(&egui::TextStyle::Button) + 4.0;
    let entries = std::mem::take(&mut state.entries);
    // Only the rows in sight are laid out: a thousand scans cost nothing.
    egui::ScrollArea::vertical().max_height(180.0).auto_shrink([false, true]).show_rows(
        ui,
        row,
        entries.len(),
        |ui, range| {
            for entry in &entries[range] {
                let origin = Origin::File(entry.path.clone());
                let chosen = first.as_ref() == Some(&origin);
                if ui.selectable_label(chosen, &entry.name).clicked() {
                    choose(state, origin);
                }
            }
        },
    );
    let second = state.wish.origins.get(1).cloned();
    let name = |origin: &Option<Origin>| match origin {
        None => "nothing".to_owned(),
        Some(Origin::Template) => "built-in template".to_owned(),
        Some(Origin::Synthetic { .. }) => "synthetic people".to_owned(),
        Some(Origin::Upright(file) | Origin::Registered(file)) => short_name(file),
        Some(Origin::File(file)) => {
            entries.iter().find(|e| e.path == *file).map_or_else(|| short_name(file), |e| e.name.clone())
        }
    };
    let mut other = second.clone();
    egui::ComboBox::from_label("beside it").selected_text(name(&second)).show_ui(ui, |ui| {
        ui.selectable_value(&mut other, None, "nothing");
        ui.selectable_value(&mut other, Some(Origin::Template), "built-in template");
        for entry in entries.iter().take(50) {
            ui.selectable_value(&mut other, Some(Origin::File(entry.path.clone())), &entry.name);
        }
    });
    state.entries = entries;
    if other != second {
        state.wish.origins.truncate(1);
        state.wish.origins.extend(other);
    }
    ui.horizontal(|ui| {
        if ui.button("built-in template").clicked() {
            choose(state, Origin::Template);
        }
        if ui.button("synthetic people").clicked() {
            choose(state, Origin::Synthetic { mu: 1.0, draw: 1 });
        }
    });
}

fn choose(state: &mut PanelState, origin: Origin) {
    state.message.clear();
    match state.wish.origins.first_mut() {
        Some(first) => *first = origin,
        None => state.wish.origins.push(origin),
    }
}

fn colours(ui: &mut Ui, state: &mut PanelState) {
    for (field, name) in FieldName::ALL {
        ui.radio_value(&mut state.wish.display.field, field, name);
    }
    palette(ui, &mut state.wish.display.palette);
    ui.horizontal_wrapped(|ui| {
        ui.checkbox(&mut state.wish.display.wireframe, "edges");
        ui.checkbox(&mut state.wish.display.points, "vertices");
        ui.checkbox(&mut state.wish.display.curves, "curves");
        ui.checkbox(&mut state.wish.display.band, "band");
        ui.checkbox(&mut state.wish.disk, "disk map");
    });
}

fn palette(ui: &mut Ui, palette: &mut Palette) {
    ui.horizontal_wrapped(|ui| {
        for (range, name) in
            [(Range::Auto, "own range"), (Range::Symmetric, "about 0"), (Range::Magnitude, "from 0")]
        {
            ui.selectable_value(&mut palette.range, range, name);
        }
        ui.checkbox(&mut palette.isolines, "isolines");
    });
    ui.horizontal_wrapped(|ui| {
        for (map, name) in [
            (MapChoice::Auto, "own colours"),
            (MapChoice::Sequential, "even"),
            (MapChoice::Diverging, "two-sided"),
        ] {
            ui.selectable_value(&mut palette.map, map, name);
        }
    });
}

fn sliders(ui: &mut Ui, state: &mut PanelState) {
    ui.add(egui::Slider::new(&mut state.wish.display.morph, 0.0..=1.0).text(state.bending.way()));
    let mut changed = None;
    for origin in &mut state.wish.origins {
        if let Origin::Synthetic { mu, draw } = origin {
            ui.add(egui::Slider::new(mu, 0.05..=10.0).logarithmic(true).text("mu"));
            if ui.button("draw again (Space)").clicked() {
                *draw += 1;
            }
            changed = Some(*mu);
        }
    }
    if let Some(mu) = changed {
        let guess = visard::privacy::Mu::new(mu).map_or(100.0, guesses);
        ui.small(format!(
            "200 made-up people; an attacker guesses right at most {guess:.1} % of the time (a coin: 50 %)"
        ));
    }
}

/// Acts on keys, unless a text field has them.
pub fn keys(ctx: &Context, state: &mut PanelState) {
    if ctx.text_edit_focused() {
        return;
    }
    let pressed = |key: Key| ctx.input(|i| i.key_pressed(key));
    if pressed(Key::Escape) {
        escape(state);
    }
    // Digits and the question mark as text: keyboards differ in which keys they are on.
    let typed: String = ctx.input(|i| {
        i.events
            .iter()
            .filter_map(|e| if let egui::Event::Text(t) = e { Some(t.as_str()) } else { None })
            .collect()
    });
    for letter in typed.chars() {
        match letter {
            '?' => match &mut state.shop {
                Some(shop) => shop.window.help = !shop.window.help,
                None => state.help = !state.help,
            },
            '0' => {
                state.look = Look::default();
                let units = state.wish.display.units;
                state.wish.display = DisplaySettings { units, ..Default::default() };
                state.measures = false;
            }
            '1'..='4' => {
                let (_, yaw, pitch) = VIEWS[letter as usize - '1' as usize];
                state.look = Look { yaw, pitch, ..Look::default() };
            }
            _ => {}
        }
    }
    looking::controls::keys(ctx, &typed, &mut state.wish.display.instruments, &state.frame);
    state.measures ^= pressed(Key::R);
    if pressed(Key::F) {
        let at = FieldName::ALL.iter().position(|f| f.0 == state.wish.display.field).unwrap_or(0);
        state.wish.display.field = FieldName::ALL[(at + 1) % FieldName::ALL.len()].0;
    }
    let display = &mut state.wish.display;
    for (key, flag) in [
        (Key::W, &mut display.wireframe),
        (Key::P, &mut display.points),
        (Key::C, &mut display.curves),
        (Key::U, &mut display.band),
        (Key::D, &mut state.wish.disk),
    ] {
        if pressed(key) {
            *flag = !*flag;
        }
    }
    if pressed(Key::Space) {
        for origin in &mut state.wish.origins {
            if let Origin::Synthetic { draw, .. } = origin {
                *draw += 1;
            }
        }
    }
    for (key, step) in [(Key::N, 1), (Key::B, state.entries.len().saturating_sub(1))] {
        if pressed(key) && !state.entries.is_empty() {
            let here = |e: &Entry| state.wish.origins.first() == Some(&Origin::File(e.path.clone()));
            let at = state.entries.iter().position(here).unwrap_or(0);
            let next = state.entries[(at + step) % state.entries.len()].path.clone();
            choose(state, Origin::File(next));
        }
    }
    if pressed(Key::S) {
        state.message = save_camera(&state.look);
    }
    state.save_picture |= pressed(Key::V);
}

/// Closes what is open, the window last.
fn escape(state: &mut PanelState) {
    match &mut state.shop {
        Some(shop) if shop.window.help => shop.window.help = false,
        Some(shop) if shop.bench.asked => shop.perform(vec![Act::TakeBack]),
        _ if state.help => state.help = false,
        _ => state.close = true,
    }
}

fn save_camera(look: &Look) -> String {
    let file = free_name("visard-camera", "json");
    match visard::io::write_text(&file, &look.to_json()) {
        Ok(()) => format!("saved {}; use it with --camera", file.display()),
        Err(error) => error.to_string(),
    }
}

/// The first of NAME-1.END, NAME-2.END ... that does not exist: nothing is ever overwritten.
pub fn free_name(name: &str, ending: &str) -> std::path::PathBuf {
    let numbered = |k: u32| std::path::PathBuf::from(format!("{name}-{k}.{ending}"));
    (1..u32::MAX).map(numbered).find(|f| !f.exists()).unwrap_or_else(|| numbered(0))
}
