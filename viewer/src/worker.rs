//! Reads and prepares what is to be shown on a thread of its own, so that the window never waits for a large file.

use crate::display_settings::DisplaySettings;
use crate::drawing::Drawing;
use crate::error::ViewerError;
use crate::fields::FieldName;
use crate::listing::short_name;
use crate::pane::draw;
use crate::source;
use crate::subject::{Shape, Subject, Values};
use crate::synthetic::{MadeUpPeople, PEOPLE, template_subject};
use crate::template::template;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use visard::study::face::FaceInputs;
use visard::study::face::record::RecordError;
use visard::study::face::registrations::{RegisteredScan, Registrations};
use visard::study::standing::Standing;

/// Where a subject comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum Origin {
    /// A file.
    File(PathBuf),
    /// A scan, turned to the viewer.
    Upright(PathBuf),
    /// What is registered to a scan, coloured by its distance from it.
    Registered(PathBuf),
    /// The built-in template.
    Template,
    /// A draw of the mechanism on made-up people.
    Synthetic {
        /// The budget.
        mu: f64,
        /// Which draw.
        draw: u64,
    },
}

/// All that determines what is shown.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Wish {
    /// One subject or two, side by side.
    pub origins: Vec<Origin>,
    /// How they are shown.
    pub display: DisplaySettings,
    /// The disk map of each beside it.
    pub disk: bool,
    /// The file of the numbers that colour it, where it has as many vertices.
    pub field: Option<PathBuf>,
    /// Raw scans are turned to the viewer.
    pub upright: bool,
}

/// A pane's content.
#[derive(Debug)]
pub struct Shown {
    /// What it is.
    pub subject: Arc<Subject>,
    /// What is drawn.
    pub drawing: Drawing,
}

impl Shown {
    /// What is written under it.
    pub fn title(&self) -> String {
        let flattened = self.drawing.flat && matches!(self.subject.shape, Shape::Surface(_));
        format!("{}{}", self.subject.name, if flattened { ", disk map" } else { "" })
    }
}

/// The thread.
pub struct Worker {
    wishes: Sender<Wish>,
    answers: Receiver<(Wish, Result<Vec<Shown>, ViewerError>)>,
}

impl Worker {
    /// Starts the thread; it ends with the worker.
    pub fn start() -> Self {
        let (wishes, inbox) = channel::<Wish>();
        let (outbox, answers) = channel();
        std::thread::spawn(move || {
            let mut studio = Studio::default();
            while let Ok(mut wish) = inbox.recv() {
                // Only the latest wish counts: a slider makes many.
                while let Ok(later) = inbox.try_recv() {
                    wish = later;
                }
                let answer = studio.fulfil(&wish);
                if outbox.send((wish, answer)).is_err() {
                    return;
                }
            }
        });
        Self { wishes, answers }
    }

    /// Asks for something else to be shown.
    pub fn ask(&self, wish: Wish) {
        // The thread lives as long as the worker: sending cannot fail but by its panic, and then nothing new is shown.
        let _ = self.wishes.send(wish);
    }

    /// Waits for the next answer, at most so long.
    pub fn wait(&self, longest: std::time::Duration) -> Option<(Wish, Result<Vec<Shown>, ViewerError>)> {
        self.answers.recv_timeout(longest).ok()
    }

    /// The latest answer, if there is a new one.
    pub fn answer(&self) -> Option<(Wish, Result<Vec<Shown>, ViewerError>)> {
        self.answers.try_iter().last()
    }
}

/// Keeps what was loaded last.
#[derive(Default)]
struct Studio {
    loaded: Vec<(Origin, Arc<Subject>)>,
    population: Option<MadeUpPeople>,
}

impl Studio {
    fn fulfil(&mut self, wish: &Wish) -> Result<Vec<Shown>, ViewerError> {
        let mut shown = Vec::new();
        for origin in &wish.origins {
            let subject = self.subject(origin, wish)?;
            let display = display_of(origin, &subject, &wish.display);
            shown.push(Shown { drawing: draw(&subject, &display)?, subject: subject.clone() });
            if wish.disk {
                let drawing = draw(&subject, &DisplaySettings { disk: true, ..display.clone() })?;
                shown.push(Shown { drawing, subject });
            }
        }
        self.loaded.retain(|(origin, _)| wish.origins.contains(origin));
        Ok(shown)
    }

    fn subject(&mut self, origin: &Origin, wish: &Wish) -> Result<Arc<Subject>, ViewerError> {
        if let Some((_, subject)) = self.loaded.iter().find(|(o, _)| o == origin) {
            return Ok(subject.clone());
        }
        let subject = Arc::new(match origin {
            Origin::File(file) => file_as_wished(file, wish)?,
            Origin::Upright(file) => source::upright(source::load(file)?, template()?),
            Origin::Registered(file) => registered(file)?,
            Origin::Template => template_subject(),
            Origin::Synthetic { mu, draw } => {
                let population = match self.population.take() {
                    Some(population) => population,
                    None => MadeUpPeople::new(PEOPLE)?,
                };
                self.population.insert(population).draw(*mu, *draw)?
            }
        });
        self.loaded.push((origin.clone(), subject.clone()));
        Ok(subject)
    }
}

fn file_as_wished(file: &Path, wish: &Wish) -> Result<Subject, ViewerError> {
    let subject = source::load(file)?;
    let subject = if wish.upright { source::upright(subject, template()?) } else { subject };
    match &wish.field {
        Some(field) => source::with_field(subject, field),
        None => Ok(subject),
    }
}

/// What cannot have the wished-for colours has others.
fn display_of(origin: &Origin, subject: &Subject, display: &DisplaySettings) -> DisplaySettings {
    let field = match origin {
        Origin::Registered(_) => FieldName::Values,
        Origin::Upright(_) => FieldName::None,
        _ => display.field,
    };
    let modes = display.modes.iter().copied().take(subject.modes.len()).collect();
    let has = |item: &&String| {
        let design = subject.growth.as_ref().map(|growth| growth.design());
        design.is_some_and(|design| design.values(std::slice::from_ref(*item)).is_ok())
    };
    let at = display.at.iter().filter(has).cloned().collect();
    DisplaySettings { field, modes, at, ..display.clone() }
}

/// What is registered to a scan by the study's default settings.
fn registered(scan: &Path) -> Result<Subject, ViewerError> {
    let inputs = FaceInputs::new([scan.to_owned()], visard::study::Place::default());
    let made = Registrations::open(&inputs)?.look_at(scan)?;
    let failed = |e: RecordError| ViewerError::NotRegistered { file: scan.to_owned(), reason: e.to_string() };
    let RegisteredScan { registered, landing, .. } = made.map_err(failed)?;
    let name = format!("{}, registered", short_name(scan));
    let values = Some(Values {
        name: "distance to the scan".into(),
        unit: "mm of the template".into(),
        values: landing.distances,
    });
    Ok(Subject { values, ..Subject::new(name, scan, Standing::Internal, Shape::Surface(registered)) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn wishes_are_answered_and_failures_told() {
        let worker = Worker::start();
        let wait = |wish: Wish| {
            worker.ask(wish.clone());
            let (answered, answer) = worker.answers.recv_timeout(Duration::from_secs(120)).unwrap();
            assert_eq!(answered, wish);
            answer
        };
        let template = Wish { origins: vec![Origin::Template], disk: true, ..Wish::default() };
        let shown = wait(template.clone()).unwrap();
        assert!(shown.len() == 2 && shown[1].drawing.flat && !shown[0].drawing.flat);
        let missing = Wish { origins: vec![Origin::File("no-such.ply".into())], ..template };
        assert!(wait(missing).unwrap_err().to_string().contains("no-such.ply"));
    }
}
