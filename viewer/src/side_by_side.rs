//! Drawings side by side in a picture, with what frames them: colour bars, and the band over what must not be published.

use crate::arguments::{Arguments, Extra, FieldChoice};
use crate::display_settings::DisplaySettings;
use crate::drawing::Drawing;
use crate::error::ViewerError;
use crate::listing::entries;
use crate::look::Look;
use crate::looking::{Instruments, View, marks, paint};
use crate::pane::draw;
use crate::source;
use crate::stage::GROUND;
use crate::subject::Subject;
use crate::synthetic;
use crate::template::template;
use std::path::Path;
use visard::report::render::Image;
use visard::study::standing::Standing;

/// What stands beside what in a picture.
pub struct SideBySide {
    /// The drawings, from left to right.
    pub drawings: Vec<Drawing>,
    /// The strictest standing of all.
    pub standing: Standing,
    /// What is drawn over the drawings.
    pub instruments: Instruments,
    /// Of what the drawings are.
    subjects: Vec<Subject>,
}

impl SideBySide {
    /// Loads the arguments' paths.
    ///
    /// # Errors
    /// [`ViewerError`]: the first thing that cannot be shown.
    pub fn load(arguments: &Arguments) -> Result<Self, ViewerError> {
        let mut subjects = Vec::new();
        for path in arguments.paths.iter().take(2) {
            let subject = subject(path, arguments.mu)?;
            let subject = if arguments.upright { source::upright(subject, &*template()?) } else { subject };
            subjects.push(match &arguments.field {
                FieldChoice::File(file) => source::with_field(subject, file)?,
                FieldChoice::Named(_) => subject,
            });
        }
        if arguments.paths.len() > 2 {
            eprintln!("note: of {} paths the first two are shown", arguments.paths.len());
        }
        let display = arguments.display_settings();
        let drawings = drawings(&subjects, &display, arguments.with.contains(&Extra::Disk))?;
        drawings.iter().flat_map(|d| &d.notices).for_each(|n| eprintln!("note: {n}"));
        for ruled in drawings.iter().flat_map(|d| &d.measurements.readings) {
            println!("{} {}", ruled.name, ruled.distance);
        }
        let standing = subjects.iter().map(|s| s.standing).max().unwrap_or(Standing::Internal);
        Ok(Self { drawings, standing, instruments: display.instruments, subjects })
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
        let (display, disk) = (arguments.display_settings(), arguments.with.contains(&Extra::Disk));
        let at = |at| -> Result<Self, ViewerError> {
            let drawings = drawings(&self.subjects, &DisplaySettings { at, ..display.clone() }, disk)?;
            Ok(Self::new(drawings, self.standing, self.instruments.clone()))
        };
        growth.along(name, &arguments.at, steps, &first.name)?.into_iter().map(at).collect()
    }

    /// Size of one pane of a picture of this size, what frames it left out.
    pub fn pane_size(&self, (width, height): (u32, u32)) -> (u32, u32) {
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
fn drawings(
    subjects: &[Subject],
    display: &DisplaySettings,
    disk: bool,
) -> Result<Vec<Drawing>, ViewerError> {
    let mut drawings = Vec::new();
    for subject in subjects {
        drawings.push(draw(subject, display)?);
        if disk {
            drawings.push(draw(subject, &DisplaySettings { disk: true, ..display.clone() })?);
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
