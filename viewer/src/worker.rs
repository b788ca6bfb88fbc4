//! Reads and prepares what is to be shown on a thread of its own, so that the window never waits for a large file.

use crate::coarse::Coarse;
use crate::display_settings::DisplaySettings;
use crate::drawing::Drawing;
use crate::error::ViewerError;
use crate::fields::FieldName;
use crate::listing::short_name;
use crate::motion::{Detail, detail};
use crate::pane::draw;
use crate::source;
use crate::subject::{Shape, Subject, Values};
use crate::synthetic::{MadeUpPeople, PEOPLE, template_subject};
use crate::template::template;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
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
    pub drawing: Arc<Drawing>,
}

impl Shown {
    /// What is written under it.
    pub fn title(&self) -> String {
        let flattened = self.drawing.flat && matches!(self.subject.shape, Shape::Surface(_));
        format!("{}{}", self.subject.name, if flattened { ", disk map" } else { "" })
    }
}

/// What is shown, pane by pane.
#[derive(Debug)]
pub enum Answer {
    /// All of it.
    Whole(Vec<Shown>),
    /// Less of the same, for motion; before all of it where a slider moves. `None` of what is small.
    Coarse(Vec<Option<Drawing>>),
}

type Answered = (Wish, Result<Answer, ViewerError>);

/// A wish, and when it was made.
struct Asked {
    wish: Wish,
    /// A picture of what is shown takes so long.
    picture: Duration,
    /// A mouse button is down: what it drags is still on its way.
    held: bool,
}

/// The thread.
pub struct Worker {
    wishes: Sender<Asked>,
    answers: Receiver<Answered>,
}

impl Worker {
    /// Starts the thread; it ends with the worker.
    pub fn start() -> Self {
        let (wishes, inbox) = channel();
        let (outbox, answers) = channel();
        std::thread::spawn(move || work(&inbox, &outbox));
        Self { wishes, answers }
    }

    /// Asks for something else to be shown, where a picture of what is shown takes so long and a mouse button may be down. While it is, what a slider
    /// bends may be answered with less: ask again when it is let go.
    pub fn ask(&self, wish: Wish, picture: Duration, held: bool) {
        // The thread lives as long as the worker: sending cannot fail but by its panic, and then nothing new is shown.
        let _ = self.wishes.send(Asked { wish, picture, held });
    }

    /// Waits for all of what was asked for, at most so long.
    pub fn wait(&self, longest: Duration) -> Option<(Wish, Result<Vec<Shown>, ViewerError>)> {
        loop {
            match self.answers.recv_timeout(longest).ok()? {
                (wish, Ok(Answer::Whole(shown))) => return Some((wish, Ok(shown))),
                (wish, Err(error)) => return Some((wish, Err(error))),
                (_, Ok(Answer::Coarse(_))) => {}
            }
        }
    }

    /// The new answers, the latest last.
    pub fn answers(&self) -> Vec<Answered> {
        self.answers.try_iter().collect()
    }
}

/// Answers wishes until nobody asks or hears.
fn work(inbox: &Receiver<Asked>, outbox: &Sender<Answered>) {
    let mut studio = Studio::default();
    // What is shown, all of it.
    let (mut settled, mut was_held) = (None, false);
    while let Ok(mut asked) = inbox.recv() {
        // Only the latest wish counts: a slider makes many.
        while let Ok(later) = inbox.try_recv() {
            asked = later;
        }
        let Asked { wish, picture, held } = asked;
        // Let go of what a slider has not bent, or not so that less was shown.
        let let_go = std::mem::replace(&mut was_held, held) && !held;
        if let_go && settled.as_ref() == Some(&wish) {
            continue;
        }
        settled = None;
        if let Some(drawings) = studio.preview(&wish, picture).filter(|_| held) {
            if outbox.send((wish, Ok(Answer::Coarse(drawings)))).is_err() {
                return;
            }
            continue;
        }
        let answer = studio.fulfil(&wish).map(Answer::Whole);
        let shown = answer.is_ok();
        if outbox.send((wish.clone(), answer)).is_err() {
            return;
        }
        if shown {
            settled = Some(wish.clone());
            if outbox.send((wish, Ok(Answer::Coarse(studio.coarse())))).is_err() {
                return;
            }
        }
    }
}

/// Whether a slider leads from one to the other.
fn bends(from: &Wish, to: &Wish) -> bool {
    let DisplaySettings { modes, at, morph, .. } = to.display.clone();
    let display = DisplaySettings { modes, at, morph, ..from.display.clone() };
    Wish { display, ..from.clone() } == *to
}

/// A subject, and its coarser surface once that was wanted.
struct Loaded {
    origin: Origin,
    subject: Arc<Subject>,
    coarse: OnceLock<Option<Coarse>>,
}

impl Loaded {
    fn coarse(&self) -> Option<&Coarse> {
        self.coarse.get_or_init(|| Coarse::of(&self.subject)).as_ref()
    }
}

/// What was drawn last of which subject, how.
struct Drawn {
    subject: usize,
    display: DisplaySettings,
    drawing: Arc<Drawing>,
}

/// Keeps what was loaded and drawn last.
#[derive(Default)]
struct Studio {
    loaded: Vec<Loaded>,
    population: Option<MadeUpPeople>,
    /// The last wish that was fulfilled, what was drawn for it, and how long that took.
    last: Option<(Wish, Vec<Drawn>, Duration)>,
}

impl Studio {
    fn fulfil(&mut self, wish: &Wish) -> Result<Vec<Shown>, ViewerError> {
        self.last = None;
        let subjects = wish.origins.iter().map(|origin| self.subject(origin, wish));
        let subjects = subjects.collect::<Result<Vec<_>, _>>()?;
        self.loaded.retain(|loaded| wish.origins.contains(&loaded.origin));
        // What is worked out once is no part of the time.
        subjects.iter().for_each(|subject| subject.prepare());
        let begun = Instant::now();
        let mut drawn = Vec::new();
        for (origin, subject) in wish.origins.iter().zip(&subjects) {
            let Some(k) = self.loaded.iter().position(|loaded| loaded.origin == *origin) else { continue };
            let display = display_of(origin, subject, &wish.display);
            let flat = wish.disk.then(|| DisplaySettings { disk: true, ..display.clone() });
            for display in [Some(display), flat].into_iter().flatten() {
                let drawing = Arc::new(draw(subject, &display)?);
                drawn.push(Drawn { subject: k, display, drawing });
            }
        }
        let shown =
            |d: &Drawn| Shown { subject: self.loaded[d.subject].subject.clone(), drawing: d.drawing.clone() };
        let shown = drawn.iter().map(shown).collect();
        self.last = Some((wish.clone(), drawn, begun.elapsed()));
        Ok(shown)
    }

    /// The last drawings with fewer triangles.
    fn coarse(&self) -> Vec<Option<Drawing>> {
        let drawn = self.last.iter().flat_map(|(_, drawn, _)| drawn);
        drawn.map(|d| self.loaded[d.subject].coarse()?.drawing(&d.drawing, &d.display)).collect()
    }

    /// Coarse drawings of a wish, where a slider moves and whole ones would take too long to follow it.
    fn preview(&self, wish: &Wish, picture: Duration) -> Option<Vec<Option<Drawing>>> {
        let (last, drawn, time) = self.last.as_ref()?;
        if !bends(last, wish) || detail(true, Some(*time + picture)) == Detail::Whole {
            return None;
        }
        let bent = |d: &Drawn| {
            let Loaded { origin, subject, .. } = &self.loaded[d.subject];
            let coarse = self.loaded[d.subject].coarse()?;
            let display =
                DisplaySettings { disk: d.display.disk, ..display_of(origin, subject, &wish.display) };
            coarse.bent(subject, &display, &d.drawing).ok().flatten().map(Some)
        };
        drawn.iter().map(bent).collect()
    }

    fn subject(&mut self, origin: &Origin, wish: &Wish) -> Result<Arc<Subject>, ViewerError> {
        if let Some(loaded) = self.loaded.iter().find(|loaded| loaded.origin == *origin) {
            return Ok(loaded.subject.clone());
        }
        let subject = Arc::new(match origin {
            Origin::File(file) => file_as_wished(file, wish)?,
            Origin::Upright(file) => source::upright(source::load(file)?, &*template()?),
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
        let (origin, coarse) = (origin.clone(), OnceLock::new());
        self.loaded.push(Loaded { origin, subject: subject.clone(), coarse });
        Ok(subject)
    }
}

fn file_as_wished(file: &Path, wish: &Wish) -> Result<Subject, ViewerError> {
    let subject = source::load(file)?;
    let subject = if wish.upright { source::upright(subject, &*template()?) } else { subject };
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

    #[test]
    fn wishes_are_answered_and_failures_told() {
        let worker = Worker::start();
        let wait = |wish: Wish| {
            worker.ask(wish.clone(), Duration::ZERO, false);
            let (answered, answer) = worker.wait(Duration::from_secs(120)).unwrap();
            assert_eq!(answered, wish);
            answer
        };
        let template = Wish { origins: vec![Origin::Template], disk: true, ..Wish::default() };
        let shown = wait(template.clone()).unwrap();
        assert!(shown.len() == 2 && shown[1].drawing.flat && !shown[0].drawing.flat);
        let missing = Wish { origins: vec![Origin::File("no-such.ply".into())], ..template };
        assert!(wait(missing).unwrap_err().to_string().contains("no-such.ply"));
    }

    fn morphed(morph: f64) -> Wish {
        let display = DisplaySettings { morph, ..DisplaySettings::default() };
        Wish { origins: vec![Origin::Template], display, disk: true, ..Wish::default() }
    }

    #[test]
    fn only_a_slider_is_followed_with_less_and_only_where_all_would_be_slow() {
        let mut studio = Studio::default();
        let (whole, bent) = (morphed(1.0), morphed(0.3));
        assert!(studio.preview(&bent, Duration::from_secs(1)).is_none(), "nothing was drawn yet");
        studio.fulfil(&whole).unwrap();
        let other = Wish { upright: true, ..bent.clone() };
        assert!(studio.preview(&other, Duration::from_secs(1)).is_none(), "more than a slider");
        studio.last.iter_mut().for_each(|(_, _, time)| *time = Duration::from_millis(20));
        assert!(studio.preview(&bent, Duration::from_millis(20)).is_none(), "fast enough");
        let drawings = studio.preview(&bent, Duration::from_millis(21)).unwrap();
        assert!(drawings.len() == 2 && drawings[1].as_ref().unwrap().flat);
        let shown = studio.fulfil(&bent).unwrap();
        for (drawing, shown) in drawings.iter().flatten().zip(&shown) {
            assert!(drawing.triangles.len() < shown.drawing.triangles.len());
            let seen =
                |d: &Drawing| d.positions.iter().copied().map(|p| p.map(f32::to_bits)).collect::<Vec<_>>();
            let all: std::collections::HashSet<_> = seen(&shown.drawing).into_iter().collect();
            assert!(seen(drawing).iter().all(|p| all.contains(p)), "vertices of the whole");
        }
        assert_eq!(studio.coarse().len(), 2);
    }

    #[test]
    fn all_follows_less_when_the_slider_is_let_go() {
        let worker = Worker::start();
        let heard = || {
            let (wish, answer) = worker.answers.recv_timeout(Duration::from_secs(120)).unwrap();
            (matches!(answer.unwrap(), Answer::Whole(_)), wish.display.morph)
        };
        worker.ask(morphed(1.0), Duration::ZERO, false);
        assert_eq!([heard(), heard()], [(true, 1.0), (false, 1.0)]);
        let slow = Duration::from_secs(1);
        worker.ask(morphed(0.3), slow, true);
        assert_eq!(heard(), (false, 0.3));
        // Back where it was, still held; then let go.
        worker.ask(morphed(1.0), slow, true);
        assert_eq!(heard(), (false, 1.0));
        worker.ask(morphed(1.0), slow, false);
        assert_eq!([heard(), heard()], [(true, 1.0), (false, 1.0)]);
        // What is there when the button is let go is not drawn again.
        let other = Wish { upright: true, ..morphed(1.0) };
        worker.ask(other.clone(), slow, true);
        assert_eq!([heard(), heard()], [(true, 1.0), (false, 1.0)]);
        worker.ask(other, slow, false);
        worker.ask(morphed(0.5), slow, false);
        assert_eq!([heard(), heard()], [(true, 0.5), (false, 0.5)]);
    }
}
