//! Pictures and animations without a window or a display: off-screen on any graphics adapter (software Vulkan included),
//! otherwise with the library's own renderer.

use crate::arguments::{Arguments, Extra, FieldChoice};
use crate::drawing::Drawing;
use crate::error::ViewerError;
use crate::listing::entries;
use crate::look::Look;
use crate::looking::{Instruments, View, marks, paint};
use crate::pane::{Show, draw};
use crate::software;
use crate::source;
use crate::stage::{GROUND, Stage, guarded, has_adapter};
use crate::subject::Subject;
use crate::synthetic;
use crate::template::template;
use crate::turntable;
use crate::workbench;
use std::path::{Path, PathBuf};
use visard::report::render::Image;
use visard::study::standing::Standing;

/// What stands beside what in a picture.
pub struct Exhibit {
    /// The drawings, from left to right.
    pub drawings: Vec<Drawing>,
    /// The strictest standing of all.
    pub standing: Standing,
    /// What is drawn over the drawings.
    pub instruments: Instruments,
    /// Of what the drawings are.
    subjects: Vec<Subject>,
}

impl Exhibit {
    /// Loads the arguments' paths.
    ///
    /// # Errors
    /// [`ViewerError`]: the first thing that cannot be shown.
    pub fn load(arguments: &Arguments) -> Result<Self, ViewerError> {
        let mut subjects = Vec::new();
        for path in arguments.paths.iter().take(2) {
            let subject = subject(path, arguments.mu)?;
            let subject = if arguments.upright { source::upright(subject, template()?) } else { subject };
            subjects.push(match &arguments.field {
                FieldChoice::File(file) => source::with_field(subject, file)?,
                FieldChoice::Named(_) => subject,
            });
        }
        if arguments.paths.len() > 2 {
            eprintln!("note: of {} paths the first two are shown", arguments.paths.len());
        }
        let show = arguments.show();
        let drawings = drawings(&subjects, &show, arguments.with.contains(&Extra::Disk))?;
        drawings.iter().flat_map(|d| &d.notices).for_each(|n| eprintln!("note: {n}"));
        for ruled in drawings.iter().flat_map(|d| &d.measurements.readings) {
            println!("{} {}", ruled.name, ruled.distance);
        }
        let standing = subjects.iter().map(|s| s.standing).max().unwrap_or(Standing::Internal);
        Ok(Self { drawings, standing, instruments: show.instruments, subjects })
    }

    /// Of drawings that are there already.
    pub fn new(drawings: Vec<Drawing>, standing: Standing, instruments: Instruments) -> Self {
        Self { drawings, standing, instruments, subjects: Vec::new() }
    }

    /// The same subjects from one end of a covariate to the other; the first one's release says between which.
    ///
    /// # Errors
    /// [`ViewerError`]: a subject without that covariate.
    pub fn along(&self, arguments: &Arguments, name: &str, steps: usize) -> Result<Vec<Self>, ViewerError> {
        let first = self.subjects.first().ok_or(ViewerError::NothingToShow)?;
        let none = || ViewerError::NoCovariates { subject: first.name.clone() };
        let growth = first.growth.as_ref().ok_or_else(none)?;
        let (show, disk) = (arguments.show(), arguments.with.contains(&Extra::Disk));
        let at = |at| -> Result<Self, ViewerError> {
            let drawings = drawings(&self.subjects, &Show { at, ..show.clone() }, disk)?;
            Ok(Self::new(drawings, self.standing, self.instruments.clone()))
        };
        growth.along(name, &arguments.at, steps, &first.name)?.into_iter().map(at).collect()
    }

    /// Size of one pane of a picture of this size, what frames it left out.
    fn pane_size(&self, (width, height): (u32, u32)) -> (u32, u32) {
        let (h, n) = (height as usize, self.drawings.len().max(1) as u32);
        let band = if self.standing.band().is_some() { Image::band_rows(h) } else { 0 };
        let bar = if self.drawings.iter().any(|d| d.scale.is_some()) { Image::colour_bar_rows(h) } else { 0 };
        ((width / n).max(8), h.saturating_sub(band + bar).max(8) as u32)
    }

    /// Size of a picture whose panes are together this large.
    pub fn framed_size(&self, (width, height): (u32, u32)) -> (u32, u32) {
        // A little larger than needed where the bands grow with the picture.
        let whole = (height..height + 400).find(|h| self.pane_size((width, *h)).1 >= height);
        (width, whole.unwrap_or(height + 400))
    }

    /// Draws the instruments over the picture of a drawing.
    pub fn measure(&self, drawing: &Drawing, look: &Look, picture: &mut Image) {
        let view = View::new(*look, picture.width as f64, picture.height as f64);
        paint::on_image(picture, &marks(&self.instruments, drawing, &view));
    }

    /// Panes side by side with colour bar, and the band over them where they must not be published.
    pub fn assemble(&self, panes: &[Image], (width, height): (u32, u32)) -> Image {
        let ground = [(255.0 * GROUND).round() as u8; 3];
        let (width, height) = (width as usize, height as usize);
        let band = if self.standing.band().is_some() { Image::band_rows(height) } else { 0 };
        let mut picture = Image::filled(width, height.saturating_sub(band), ground);
        for (k, (pane, drawing)) in panes.iter().zip(&self.drawings).enumerate() {
            let left = k * width / panes.len().max(1);
            picture.paste(pane, left, 0);
            if let Some(scale) = &drawing.scale {
                let mut strip = Image::filled(pane.width, height, ground);
                strip.draw_colour_bar(scale);
                let rows = Image::colour_bar_rows(height).min(height);
                picture.paste(&strip.rows(height - rows..height), left, picture.height.saturating_sub(rows));
            }
        }
        match self.standing.band() {
            Some(text) => picture.with_band_of(text, band),
            None => picture,
        }
    }
}

/// The subjects, each with its disk map beside it where that is wanted.
fn drawings(subjects: &[Subject], show: &Show, disk: bool) -> Result<Vec<Drawing>, ViewerError> {
    let mut drawings = Vec::new();
    for subject in subjects {
        drawings.push(draw(subject, show)?);
        if disk {
            drawings.push(draw(subject, &Show { disk: true, ..show.clone() })?);
        }
    }
    Ok(drawings)
}

/// The first thing to show behind a path, or one of the two names.
///
/// # Errors
/// [`ViewerError`]: nothing there, or nothing that can be shown.
pub fn subject(path: &Path, mu: f64) -> Result<Subject, ViewerError> {
    match path.to_str() {
        Some("builtin") if !path.exists() => Ok(synthetic::template_subject()),
        Some("synthetic") if !path.exists() => synthetic::MadeUpPeople::new(synthetic::PEOPLE)?.draw(mu, 1),
        _ => source::load(&entries(path)?.first().ok_or(ViewerError::NothingToShow)?.path),
    }
}

/// Writes what the arguments ask for.
///
/// # Errors
/// [`ViewerError`]: what cannot be read, shown or written.
pub fn run(arguments: &Arguments) -> Result<(), ViewerError> {
    for file in [&arguments.screenshot, &arguments.turntable].into_iter().flatten() {
        if file.exists() && !arguments.force {
            return Err(ViewerError::Exists(file.clone()));
        }
    }
    if arguments.workbench {
        return workbench::screenshot(arguments);
    }
    let look = Look::named(&arguments.camera)?;
    let exhibit = Exhibit::load(arguments)?;
    let stops = match &arguments.animate {
        Some(name) => exhibit.along(arguments, name, turntable::PLACES)?,
        None => Vec::new(),
    };
    let software = arguments.software || !guarded(has_adapter).unwrap_or(false);
    if software && !arguments.software {
        eprintln!("note: no graphics adapter here; drawn with the built-in renderer");
    }
    let made = if software {
        pictures(arguments, &exhibit, &stops, &look, true)
    } else {
        let made = guarded(|| pictures(arguments, &exhibit, &stops, &look, false));
        made.map_err(ViewerError::from).flatten().or_else(|error| {
            eprintln!("note: the graphics adapter failed ({error}); drawn with the built-in renderer");
            pictures(arguments, &exhibit, &stops, &look, true)
        })
    }?;
    for (file, bytes) in made {
        visard::io::write_bytes(&file, &bytes)?;
    }
    Ok(())
}

/// The files asked for, in memory; the turntable goes along the stops where there are any.
fn pictures(
    arguments: &Arguments,
    exhibit: &Exhibit,
    stops: &[Exhibit],
    look: &Look,
    software: bool,
) -> Result<Vec<(PathBuf, Vec<u8>)>, ViewerError> {
    let mut made = Vec::new();
    if let Some(file) = &arguments.screenshot {
        let mut painter = Painter::new(exhibit, arguments.size, software, STILL);
        made.push((file.clone(), painter.picture(look)?.to_png()?));
    }
    if let Some(file) = &arguments.turntable {
        let mut painter = Painter::new(exhibit, arguments.size, software, TURNING);
        let drawn = match stops {
            [] => turntable::turn(&mut painter, look),
            stops => turntable::growth(&mut painter, stops, look),
        }?;
        made.push((file.clone(), turntable::encode(&drawn, file)?));
    }
    Ok(made)
}

/// Frames of animations have the four samples a pixel of the adapter alone: 2.5 times faster at 600 x 600.
const TURNING: u32 = 1;
/// Stills are drawn so many times larger each way, over the adapter's own four samples a pixel: silhouettes as smooth as on paper.
const STILL: u32 = 2;
/// No larger than this on a side: memory is then 1.4 GB on software Vulkan (75 bytes a pixel with four samples, measured). Every adapter has
/// textures of twice this side (WebGPU's limit `maxTextureDimension2D` is 8192).
const LARGEST: u32 = 4096;

/// Draws an exhibit from any side.
pub struct Painter<'a> {
    exhibit: &'a Exhibit,
    /// One per drawing; none where there is no adapter.
    stages: Vec<Stage>,
    size: (u32, u32),
    pane: (u32, u32),
    /// How much larger the stages are.
    fineness: u32,
}

impl<'a> Painter<'a> {
    /// Prepares the panes of a picture of this size, drawn so many times larger each way and reduced, where the adapter can.
    pub fn new(exhibit: &'a Exhibit, size: (u32, u32), software: bool, fineness: u32) -> Self {
        let pane = exhibit.pane_size(size);
        let fineness = if pane.0.max(pane.1) * fineness > LARGEST { 1 } else { fineness };
        let mut stages = Vec::new();
        if !software {
            for drawing in &exhibit.drawings {
                let mut stage = kiss3d::pollster::block_on(Stage::new(fineness * pane.0, fineness * pane.1));
                stage.set_fineness(fineness);
                stage.set(drawing);
                stages.push(stage);
            }
        }
        Self { exhibit, stages, size, pane, fineness }
    }

    /// Paints another exhibit of as many drawings from now on.
    pub fn replace(&mut self, exhibit: &'a Exhibit) {
        self.exhibit = exhibit;
        self.stages.iter_mut().zip(&exhibit.drawings).for_each(|(stage, drawing)| stage.set(drawing));
    }

    /// One picture.
    ///
    /// # Errors
    /// [`ViewerError::Black`]: the adapter left a pane black, which nothing we draw is.
    pub fn picture(&mut self, look: &Look) -> Result<Image, ViewerError> {
        let mut panes: Vec<Image> = if self.stages.is_empty() {
            let draw = |d: &Drawing| software::picture(d, look, self.pane.0, self.pane.1);
            self.exhibit.drawings.iter().map(draw).collect()
        } else {
            let draw = |(stage, drawing): (&mut Stage, &Drawing)| {
                kiss3d::pollster::block_on(stage.render(&drawing.seen(look, None), None));
                stage.picture().reduced(self.fineness as usize)
            };
            self.stages.iter_mut().zip(&self.exhibit.drawings).map(draw).collect()
        };
        if panes.iter().any(|pane| pane.rgb.iter().all(|c| *c == 0)) {
            return Err(ViewerError::Black);
        }
        for (pane, drawing) in panes.iter_mut().zip(&self.exhibit.drawings) {
            self.exhibit.measure(drawing, &drawing.seen(look, None), pane);
        }
        Ok(self.exhibit.assemble(&panes, self.size))
    }
}
