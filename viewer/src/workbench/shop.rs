//! The workbench with its engine: what a window holds, and what a picture of one is made of.

use super::engine::Engine;
use super::panel::{WIDTH, show};
use super::state::{Act, Step, WorkbenchState};
use super::window_state::WindowState;
use crate::arguments::Arguments;
use crate::drawing::{Drawing, Pick};
use crate::easel::Easel;
use crate::error::ViewerError;
use crate::look::Look;
use crate::side_by_side::SideBySide;
use crate::software;
use crate::standing_band::standing_band;
use crate::subject::Subject;
use crate::worker::{Origin, Shown, Wish, Worker};
use kiss3d::egui::{self, Color32, ColorImage, Context, Event, Pos2, Rect, TextureOptions};
use std::path::{Path, PathBuf};
use std::time::Duration;
use visard::io::list_scans;
use visard::mesh::Point;
use visard::privacy::Mu;
use visard::report::render::Image;
use visard::study::StudyFolder;
use visard::study::layout::{MEAN_PLY, SCANS};
use visard::study::standing::Standing;

/// A workbench at work.
pub struct Workshop {
    /// What is known.
    pub bench: WorkbenchState,
    /// What is of the window.
    pub window: WindowState,
    engine: Engine,
}

impl Workshop {
    /// Opens the study and begins to look at the scans.
    pub fn open(scans: Vec<PathBuf>, out: PathBuf, budget: Mu) -> Self {
        let (bench, tasks) = WorkbenchState::new(scans.clone(), out.clone(), budget);
        let engine = Engine::start(scans, out);
        engine.ask(tasks);
        Self { bench, window: WindowState::default(), engine }
    }

    /// Hears what the engine has done since.
    pub fn attend(&mut self) {
        for news in self.engine.news() {
            let tasks = self.bench.hear(news);
            self.engine.ask(tasks);
        }
    }

    /// Waits until something has happened, at most so long; whether something has.
    pub fn wait(&mut self, longest: std::time::Duration) -> bool {
        let Some(news) = self.engine.wait(longest) else { return false };
        let tasks = self.bench.hear(news);
        self.engine.ask(tasks);
        true
    }

    /// Does what was done with the panel; what may not be done is said.
    pub fn perform(&mut self, acts: Vec<Act>) {
        for act in acts {
            if matches!(act, Act::Choose(_) | Act::Go(_)) {
                self.window.nose = None;
            }
            match self.bench.act(act) {
                Ok(tasks) => self.engine.ask(tasks),
                Err(refusal) => self.bench.message = refusal.to_string(),
            }
        }
    }

    /// What the panes are to show.
    pub fn wish(&self) -> Vec<Origin> {
        match (self.bench.on_view(), &self.bench.outcome) {
            (Some((scan, false)), _) => vec![Origin::Upright(scan.to_owned())],
            (Some((scan, true)), _) => {
                vec![Origin::Upright(scan.to_owned()), Origin::Registered(scan.to_owned())]
            }
            (None, Some(_)) if self.bench.step == Step::Report => {
                vec![Origin::File(self.bench.folder().release().join(MEAN_PLY))]
            }
            (None, _) => vec![Origin::Template],
        }
    }

    /// Takes a click on a scan for its nose tip, where one is wanted.
    pub fn clicked(&mut self, subject: &Subject, drawing: &Drawing, pick: Pick) {
        if self.bench.takes_noses()
            && let Some(at) = pick.point(drawing)
        {
            self.window.nose = Some(in_file(subject, drawing, at));
        }
    }

    /// The panel with panes beside it, drawn without a display; `events` happen first.
    pub fn picture(
        &mut self,
        easel: &mut Easel,
        (width, height): (u32, u32),
        shown: &[Shown],
        events: Vec<Event>,
    ) -> Image {
        let panes = panes(shown, (width.saturating_sub(WIDTH as u32), height));
        let output = self.passes(easel, shown, events, &panes);
        easel.picture(output, [247; 3])
    }

    /// `events` happen in the panel, which nobody looks at.
    pub fn happen(&mut self, easel: &mut Easel, shown: &[Shown], events: Vec<Event>) {
        self.passes(easel, shown, events, &Image::filled(1, 1, [247; 3]));
    }

    fn passes(
        &mut self,
        easel: &mut Easel,
        shown: &[Shown],
        events: Vec<Event>,
        panes: &Image,
    ) -> egui::FullOutput {
        let visuals = if self.window.dark { egui::Visuals::dark() } else { egui::Visuals::light() };
        easel.context().set_visuals(visuals);
        let standing = shown.iter().map(|s| s.subject.standing).max().unwrap_or(Standing::Public);
        let picture = easel.context().load_texture("panes", texture(panes), TextureOptions::LINEAR);
        let draw = |ctx: &Context, bench: &WorkbenchState, window: &mut WindowState| {
            let top = standing_band(ctx, standing);
            let place = Rect::from_min_max(Pos2::new(WIDTH, top), ctx.content_rect().max);
            let whole = Rect::from_min_max(Pos2::ZERO, Pos2::new(1.0, 1.0));
            ctx.layer_painter(egui::LayerId::background()).image(picture.id(), place, whole, Color32::WHITE);
            show(ctx, bench, window, top)
        };
        let mut acts = Vec::new();
        easel.frame(events, |ctx| acts = draw(ctx, &self.bench, &mut self.window));
        // What was done is seen from the next frame on, and a first frame does not know its sizes yet.
        self.perform(acts);
        let mut again = |ctx: &Context| drop(draw(ctx, &self.bench, &mut self.window));
        easel.frame(Vec::new(), &mut again);
        easel.frame(Vec::new(), &mut again)
    }
}

/// A place on a drawing, in the coordinates of the subject's file.
fn in_file(subject: &Subject, drawing: &Drawing, at: [f32; 3]) -> Point {
    let offset = visard::mesh::Vector::from(at.map(f64::from)) / drawing.frame.scale;
    let seen = drawing.frame.centre + offset;
    subject.posed.map_or(seen, |front| front.invert(&seen))
}

/// Panes side by side, by the renderer that needs no adapter.
fn panes(shown: &[Shown], (width, height): (u32, u32)) -> Image {
    let drawings = shown.iter().map(|s| (*s.drawing).clone()).collect();
    let side_by_side = SideBySide::new(drawings, Standing::Public, Default::default());
    let side = width / (shown.len().max(1) as u32);
    let look = Look::default();
    let images: Vec<Image> =
        side_by_side.drawings.iter().map(|d| software::picture(d, &look, side.max(8), height)).collect();
    side_by_side.assemble(&images, (width, height))
}

fn texture(image: &Image) -> ColorImage {
    ColorImage::from_rgb([image.width, image.height], &image.rgb)
}

/// The scans and the study's folder that a path means: a folder of scans and one beside it, or a study's folder with its scans.
///
/// # Errors
/// [`ViewerError`]: no scans there.
pub fn places(path: &Path, out: Option<&Path>) -> Result<(Vec<PathBuf>, PathBuf), ViewerError> {
    let within = path.join(SCANS);
    let scans = if within.is_dir() && !is_folder_of_scans(path) { within.clone() } else { path.to_owned() };
    list_scans(std::slice::from_ref(&scans))?;
    let is_study = scans == within;
    let beside = || {
        if is_study {
            return path.to_owned();
        }
        let full = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let name = full.file_name().unwrap_or_default().to_string_lossy().into_owned();
        path.with_file_name(format!("{name}-study"))
    };
    Ok((vec![scans], out.map_or_else(beside, Path::to_owned)))
}

/// Whether a path is a folder of scans and no study.
pub fn is_folder_of_scans(path: &Path) -> bool {
    let study = StudyFolder::at(path);
    let known = study.release().exists() || study.internal().exists() || path.join(MEAN_PLY).exists();
    path.is_dir() && !known && list_scans(&[path.to_owned()]).is_ok()
}

/// A picture of the first step, once the scans are checked, without a window.
///
/// # Errors
/// [`ViewerError`]: no scans, or a picture that cannot be written.
pub fn screenshot(arguments: &Arguments) -> Result<(), ViewerError> {
    let [path] = &arguments.paths[..] else { return Err(ViewerError::OneFolder) };
    let file = arguments.screenshot.as_ref().ok_or(ViewerError::NothingToShow)?;
    let (scans, out) = places(path, arguments.out.as_deref())?;
    let mut shop = Workshop::open(scans, out, Mu::new(arguments.mu)?);
    while shop.bench.is_checking() && shop.wait(LONGEST) {}
    let (worker, wish) = (Worker::start(), Wish { origins: shop.wish(), ..Wish::default() });
    worker.ask(wish, Duration::ZERO, false);
    let shown = worker.wait(LONGEST).ok_or(ViewerError::NothingToShow)?.1?;
    let picture = shop.picture(&mut Easel::new(arguments.size, 1.0), arguments.size, &shown, Vec::new());
    Ok(visard::io::write_bytes(file, &picture.to_png()?)?)
}

/// Longer than any one thing takes that a picture is waited for with.
const LONGEST: Duration = Duration::from_secs(3600);
