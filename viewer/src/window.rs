//! The interactive window: panes drawn off-screen and laid out with the controls.

use crate::arguments::{Arguments, Extra, FieldChoice};
use crate::bending::Bending;
use crate::card::{guarded, has_adapter};
use crate::drawing::Drawing;
use crate::error::ViewerError;
use crate::geometry::Frame;
use crate::listing::{Entry, entries};
use crate::look::Look;
use crate::looking;
use crate::memory;
use crate::motion::Motion;
use crate::panel::{PanelState, controls, free_name, keys};
use crate::panes::{Occasion, Pane, draw_panes, pane_rect};
use crate::pointing::{Picked, move_by_mouse, over};
use crate::screen::lay_out;
use crate::side_by_side::SideBySide;
use crate::stage::{Stage, ground};
use crate::standing_band::standing_band;
use crate::workbench::{Workshop, is_folder_of_scans, panel, places};
use crate::worker::{Answer, Origin, Shown, Wish, Worker};
use kiss3d::egui::{self, Context, Rect, vec2};
use kiss3d::prelude::*;
use std::path::{Path, PathBuf};
use std::time::Instant;
use visard::mesh::Point;
use visard::privacy::Mu;
use visard::report::render::Image;
use visard::study::standing::Standing;

/// Opens the window and runs until it is closed.
///
/// # Errors
/// [`ViewerError`]: no display, no graphics adapter, nothing to show.
pub fn open(arguments: &Arguments) -> Result<(), ViewerError> {
    let mut state = first_state(arguments)?;
    if !has_display() {
        return Err(ViewerError::NoDisplay);
    }
    state.look = Look::named(&arguments.camera)?;
    match guarded(|| kiss3d::pollster::block_on(run(state))) {
        Ok(done) => done,
        // Asked only now: finding an adapter takes as long as the first picture.
        Err(_) if !guarded(has_adapter).unwrap_or(false) => Err(ViewerError::NoAdapter),
        Err(error) => Err(ViewerError::Window(error)),
    }
}

fn has_display() -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|v| !v.is_empty());
    !cfg!(target_os = "linux") || set("DISPLAY") || set("WAYLAND_DISPLAY")
}

fn first_state(arguments: &Arguments) -> Result<PanelState, ViewerError> {
    if let Some((scans, out)) = workbench_places(arguments)? {
        let template = Arguments { paths: vec!["builtin".into()], workbench: false, ..arguments.clone() };
        let shop = Workshop::open(scans, out, Mu::new(arguments.mu)?);
        return Ok(PanelState { shop: Some(shop), ..first_state(&template)? });
    }
    let (mut found, mut origins) = (Vec::new(), Vec::new());
    for path in &arguments.paths {
        let (origin, listed) = origin(path, arguments.mu)?;
        origins.push(origin);
        list(&mut found, listed, path, arguments.paths.len() > 1);
    }
    origins.truncate(2);
    let disk = arguments.with.contains(&Extra::Disk);
    Ok(PanelState {
        entries: found,
        wish: Wish { origins, display: arguments.display_settings(), disk, ..of_arguments(arguments) },
        look: Look::default(),
        help: false,
        message: String::new(),
        facts: Vec::new(),
        busy: true,
        save_picture: false,
        close: false,
        measures: false,
        bending: Bending::default(),
        frame: Frame { centre: Point::origin(), scale: 1.0 },
        shop: None,
    })
}

/// What arguments say of all that is shown.
fn of_arguments(arguments: &Arguments) -> Wish {
    let field = match &arguments.field {
        FieldChoice::File(file) => Some(file.clone()),
        FieldChoice::Named(_) => None,
    };
    Wish { field, upright: arguments.upright, ..Wish::default() }
}

/// The scans and the study of the workbench, where it is to be opened.
fn workbench_places(arguments: &Arguments) -> Result<Option<(Vec<PathBuf>, PathBuf)>, ViewerError> {
    match &arguments.paths[..] {
        [path] if arguments.workbench || is_folder_of_scans(path) => {
            places(path, arguments.out.as_deref()).map(Some)
        }
        _ if arguments.workbench => Err(ViewerError::OneFolder),
        _ => Ok(None),
    }
}

/// Adds what is not listed yet; with the folder's name where there are several.
fn list(found: &mut Vec<Entry>, listed: Vec<Entry>, path: &Path, several: bool) {
    let folder = path.file_name().filter(|_| several && path.is_dir());
    for mut entry in listed {
        if let Some(folder) = folder {
            entry.name = format!("{}/{}", folder.to_string_lossy(), entry.name);
        }
        if !found.iter().any(|e| e.path == entry.path) {
            found.push(entry);
        }
    }
}

fn origin(path: &Path, mu: f64) -> Result<(Origin, Vec<Entry>), ViewerError> {
    match path.to_str() {
        Some("builtin") if !path.exists() => Ok((Origin::Template, Vec::new())),
        Some("synthetic") if !path.exists() => Ok((Origin::Synthetic { mu, draw: 1 }, Vec::new())),
        _ => {
            let listed = entries(path)?;
            let first = listed.first().ok_or(ViewerError::NothingToShow)?.path.clone();
            Ok((Origin::File(first), listed))
        }
    }
}

async fn run(mut state: PanelState) -> Result<(), ViewerError> {
    let (width, height) = memory::window_size();
    // Nothing of the window's own has edges to smooth: panes come with theirs smoothed.
    let setup = CanvasSetup { samples: NumSamples::One, ..CanvasSetup::default() };
    let mut window = Window::new_with_setup("visard", width, height, setup).await;
    // OpenGL draws black off-screen.
    if kiss3d::context::Context::get().adapter.get_info().backend == wgpu::Backend::Gl {
        return Err(ViewerError::NoAdapter);
    }
    let ground = ground(false);
    window.set_background_color(Color::new(ground, ground, ground, 1.0));
    window.set_tonemap(kiss3d::post_processing::Tonemap::None);
    window.egui_context().set_visuals(egui::Visuals::light());
    let (mut scene, mut camera) = (SceneNode3d::empty(), FixedView3d::new());
    let worker = Worker::start();
    let (mut asked, mut shown) = (None, None);
    let mut panes: Vec<Pane> = Vec::new();
    let mut motion = Motion::default();
    let mut picked = Picked::default();
    let mut left: f32 = 0.0;
    let (mut was_dark, mut was_held) = (false, false);
    window.rebind_close_key(None);
    while window.render_3d(&mut scene, &mut camera).await {
        take_dropped(&window.dropped_files(), &mut state);
        if let Some(shop) = &mut state.shop {
            shop.attend();
            state.wish.origins = shop.wish();
        }
        let dark = state.shop.as_ref().is_some_and(|shop| shop.window.dark);
        if dark != was_dark {
            was_dark = dark;
            set_theme(&mut window, &mut panes, dark);
        }
        let held = window.egui_context().input(|i| i.pointer.any_down());
        let another = asked.as_ref() != Some(&state.wish);
        if another || (was_held && !held) {
            let picture = panes.iter().map(Pane::picture_time).sum();
            worker.ask(state.wish.clone(), picture, held);
            asked = Some(state.wish.clone());
            state.busy |= another;
        }
        was_held = held;
        for (wish, answer) in worker.answers() {
            match answer {
                Ok(Answer::Coarse(drawings)) => {
                    let ahead = shown.as_ref() != Some(&wish);
                    let both = panes.iter_mut().zip(&drawings);
                    both.for_each(|(pane, drawing)| {
                        drawing.iter().for_each(|drawing| pane.set_coarse(drawing, ahead));
                    });
                    continue;
                }
                Ok(Answer::Whole(drawn)) => {
                    picked.mark = None;
                    show(&mut window, &mut panes, drawn, &mut state).await;
                    shown = Some(wish.clone());
                }
                Err(error) => {
                    state.message = error.to_string();
                    panes.iter_mut().for_each(Pane::fall_back);
                }
            }
            state.busy = asked.as_ref() != Some(&wish);
        }
        let standing = panes.iter().map(|p| p.shown.subject.standing).max().unwrap_or(Standing::Public);
        let screen = screen(&window);
        let top = if standing.band().is_some() { 30.0 } else { 0.0 };
        let area = Rect::from_min_max(egui::pos2(left.min(0.5 * screen.width()), top), screen.max);
        let moving = motion.see((state.look, area), held, Instant::now());
        let occasion = Occasion { moving, saved: state.save_picture };
        draw_panes(&mut window, &mut panes, area, (&state.look, picked), occasion).await;
        if state.save_picture && panes.iter().all(Pane::is_still) {
            state.save_picture = false;
            state.message = match save_picture(&panes, &state, picked) {
                Ok(file) => format!("saved {}", file.display()),
                Err(error) => error.to_string(),
            };
        }
        picked.measure(&mut state);
        window.draw_ui(|ctx| {
            for (k, pane) in panes.iter().enumerate() {
                let rect = pane_rect(area, k, panes.len());
                let over = over(&pane.shown.drawing, &state, picked, rect.size().into());
                let response = lay_out(ctx, k, rect, &pane.shown, pane.texture(), &over);
                let drawings: Vec<&Drawing> = panes[..=k].iter().map(|p| &*p.shown.drawing).collect();
                move_by_mouse(ctx, &response, rect, &drawings, &mut state, &mut picked);
            }
            mark_facts(&panes, picked, &mut state);
            standing_band(ctx, standing);
            left = match &mut state.shop {
                Some(shop) => at_the_bench(ctx, shop, &panes, &mut picked, top),
                None => controls(ctx, &mut state, top),
            };
            keys(ctx, &mut state);
        });
        if state.look.pivot == [0.0; 3] {
            picked.centre = None;
        }
        if state.close {
            window.close();
        }
    }
    memory::keep_window_size(window.width(), window.height());
    Ok(())
}

/// The workbench in place of the controls. Returns its width.
fn at_the_bench(ctx: &Context, shop: &mut Workshop, panes: &[Pane], picked: &mut Picked, top: f32) -> f32 {
    if let (Some(pane), Some(pick)) = (panes.first(), std::mem::take(&mut picked.fresh).and(picked.mark)) {
        shop.clicked(&pane.shown.subject, &pane.shown.drawing, pick);
    }
    let acts = panel::show(ctx, &shop.bench, &mut shop.window, top);
    shop.perform(acts);
    panel::WIDTH
}

/// Light or dark: controls, ground, writing.
fn set_theme(window: &mut Window, panes: &mut [Pane], dark: bool) {
    let visuals = if dark { egui::Visuals::dark() } else { egui::Visuals::light() };
    window.egui_context().set_visuals(visuals);
    let ground = ground(dark);
    window.set_background_color(Color::new(ground, ground, ground, 1.0));
    for pane in panes {
        pane.stage.set_ground(dark);
        pane.refresh();
    }
}

fn screen(window: &Window) -> Rect {
    let scale = window.scale_factor() as f32;
    Rect::from_min_size(egui::Pos2::ZERO, vec2(window.width() as f32 / scale, window.height() as f32 / scale))
}

/// Shows dropped files or folders, the first two side by side.
fn take_dropped(dropped: &[PathBuf], state: &mut PanelState) {
    let mut origins = Vec::new();
    for path in dropped {
        match origin(path, 1.0) {
            Ok((origin, listed)) => {
                origins.push(origin);
                list(&mut state.entries, listed, path, true);
            }
            Err(error) => state.message = error.to_string(),
        }
    }
    if !origins.is_empty() {
        origins.truncate(2);
        state.message.clear();
        state.wish.origins = origins;
    }
}

/// Replaces what is on the panes; stages are kept where there are any.
async fn show(window: &mut Window, panes: &mut Vec<Pane>, shown: Vec<Shown>, state: &mut PanelState) {
    let mut old = std::mem::take(panes);
    old.reverse();
    if let Some(first) = shown.first() {
        state.frame = first.drawing.frame;
        // Beside another subject, what both can be bent by.
        state.bending.know(&shown);
        if let Some(told) = state.bending.keep_known(&mut state.wish.display.at) {
            state.message = told;
        }
        if state.bending.modes == 0 {
            state.wish.display.modes.clear();
        }
    }
    state.facts = shown
        .iter()
        .filter(|s| !s.drawing.flat)
        .map(|s| format!("{}: {}", s.subject.name, s.subject.shape.describe()))
        .collect();
    state.facts.extend(shown.iter().flat_map(|s| s.drawing.notices.iter().cloned()));
    let read = |r: &looking::measurements::RulerReading| format!("{}: {}", r.name, r.distance);
    state.facts.extend(shown.iter().flat_map(|s| &s.drawing.measurements.readings).map(read));
    let dark = state.shop.as_ref().is_some_and(|shop| shop.window.dark);
    for content in shown {
        let mut pane = match old.pop() {
            Some(pane) => pane.show(content),
            None => Pane::new(content, Stage::new(64, 64).await),
        };
        pane.stage.set_ground(dark);
        panes.push(pane);
    }
    old.into_iter().for_each(|pane| pane.leave(window));
    if let Some(first) = panes.first() {
        window.set_title(&format!("visard: {}", first.shown.subject.path.display()));
    }
}

/// What is known of the marked point.
fn mark_facts(panes: &[Pane], picked: Picked, state: &mut PanelState) {
    state.facts.retain(|f| !f.starts_with("point"));
    let Some((pane, vertex)) =
        panes.first().zip(picked.mark).and_then(|(p, m)| Some((p, m.vertex(&p.shown.drawing)?)))
    else {
        return;
    };
    let drawing = &pane.shown.drawing;
    let value = drawing.scale.as_ref().zip(drawing.uvs.get(vertex)).map(|(scale, uv)| {
        let value = scale.low + f64::from(uv[0]) * (scale.high - scale.low);
        // Below 0 stands what has no value.
        let said = if uv[0] < 0.0 { "not known".to_owned() } else { visard::report::colour::short(value) };
        format!(", {} {said}", scale.name)
    });
    state.facts.push(format!("point: vertex {vertex}{}", value.unwrap_or_default()));
    state.facts.extend(picked.reads(drawing).map(|read| format!("point to point: {read}")));
}

/// What is on the panes, with band and bars, into a new file.
fn save_picture(panes: &[Pane], state: &PanelState, picked: Picked) -> Result<PathBuf, ViewerError> {
    let picture = |pane: &Pane| {
        let mut picture = pane.stage.picture();
        let size = [picture.width as f32, picture.height as f32];
        looking::paint::on_image(&mut picture, &over(&pane.shown.drawing, state, picked, size));
        picture
    };
    let pictures: Vec<Image> = panes.iter().map(picture).collect();
    let drawings = panes.iter().map(|p| (*p.shown.drawing).clone()).collect();
    let standing = panes.iter().map(|p| p.shown.subject.standing).max().unwrap_or(Standing::Internal);
    let instruments = state.wish.display.instruments.clone();
    let side_by_side = SideBySide::new(drawings, standing, instruments);
    let width = pictures.iter().map(|p| p.width as u32).sum();
    let height = pictures.iter().map(|p| p.height as u32).max().unwrap_or(8);
    let file = free_name("visard-view", "png");
    let picture = side_by_side.assemble(&pictures, side_by_side.framed_size((width, height)));
    visard::io::write_bytes(&file, &picture.to_png()?)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[test]
    fn dropped_files_are_shown_side_by_side_and_refused_ones_named() {
        let dir = tempfile::tempdir().unwrap();
        let study = dir.path().join("study");
        std::fs::create_dir_all(study.join("release")).unwrap();
        std::fs::write(study.join("release/mean.ply"), "ply").unwrap();
        let scan = dir.path().join("scan.ply");
        std::fs::write(&scan, "ply").unwrap();
        let mut state = first_state(&Arguments::parse_from(["v", "builtin"])).unwrap();
        take_dropped(&[], &mut state);
        assert_eq!(state.wish.origins, [Origin::Template]);
        take_dropped(&[study.clone(), scan.clone(), scan.clone()], &mut state);
        let mean = study.join("release/mean.ply");
        assert_eq!(state.wish.origins, [Origin::File(mean), Origin::File(scan.clone())]);
        let names: Vec<&str> = state.entries.iter().map(|e| e.name.as_str()).collect();
        assert!(names.len() == 2 && names[0] == "study/release/mean.ply", "{names:?}");
        // What cannot be shown leaves what is shown.
        let empty = dir.path().join("empty");
        std::fs::create_dir(&empty).unwrap();
        take_dropped(&[empty], &mut state);
        assert!(state.message.contains("no release") && state.wish.origins.len() == 2);
    }
}
