//! The workbench driven from a folder of six made-up scans to the report, by synthetic keys and clicks, without a display. With
//! `VISARD_PICTURES=FOLDER` a picture of every step is written there, to be looked at.

use kiss3d::egui::{Event, Key, Modifiers, PointerButton, Pos2};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use std::path::{Path, PathBuf};
use std::time::Duration;
use visard::privacy::{Certificate, Ledger, Mu};
use visard::report::render::Image;
use visard::study::StudyFolder;
use visard::synth::FaceParameters;
use visard_viewer::drawing::Pick;
use visard_viewer::easel::Easel;
use visard_viewer::workbench::{Act, Refusal, Run, Step, Workshop};
use visard_viewer::worker::{Shown, Wish, Worker};

const SIZE: (u32, u32) = (1080, 720);
const LONG: Duration = Duration::from_secs(600);

/// A window that nobody sees, with hands.
struct Hands {
    shop: Workshop,
    worker: Worker,
    easel: Easel,
    shown: Vec<Shown>,
    scale: f32,
    pictures: Option<PathBuf>,
    written: usize,
}

impl Hands {
    fn open(scans: &Path, out: &Path, scale: f32) -> Self {
        let shop = Workshop::open(vec![scans.to_owned()], out.to_owned(), Mu::new(1.0).unwrap());
        Self {
            shop,
            worker: Worker::start(),
            easel: Easel::new(SIZE, scale),
            shown: Vec::new(),
            scale,
            pictures: std::env::var_os("VISARD_PICTURES").map(PathBuf::from),
            written: 0,
        }
    }

    /// Waits for what the panes are to show.
    fn see(&mut self) {
        let wish = Wish { origins: self.shop.wish(), ..Wish::default() };
        self.worker.ask(wish.clone(), Duration::ZERO, false);
        loop {
            let (answered, shown) = self.worker.wait(LONG).expect("panes in time");
            if answered == wish {
                self.shown = shown.unwrap();
                return;
            }
        }
    }

    fn picture(&mut self) -> Image {
        self.shop.picture(&mut self.easel, SIZE, &self.shown, Vec::new())
    }

    fn happen(&mut self, events: Vec<Event>) {
        self.shop.happen(&mut self.easel, &self.shown, events);
    }

    fn press(&mut self, key: Key) {
        let event = |pressed| Event::Key {
            key,
            physical_key: None,
            pressed,
            repeat: false,
            modifiers: Modifiers::NONE,
        };
        self.happen(vec![event(true), event(false)]);
    }

    fn click(&mut self, at: Pos2) {
        let event = |pressed| Event::PointerButton {
            pos: at,
            button: PointerButton::Primary,
            pressed,
            modifiers: Modifiers::NONE,
        };
        self.happen(vec![Event::PointerMoved(at)]);
        self.happen(vec![event(true)]);
        self.happen(vec![event(false)]);
    }

    /// Clicks on the control that says so.
    fn click_on(&mut self, text: &str) {
        self.happen(Vec::new());
        let at = self.easel.place_of(text).unwrap_or_else(|| panic!("no {text:?} on view"));
        self.click(at);
    }

    /// Tabs to the control that says so, and presses it: no mouse.
    fn tab_to(&mut self, text: &str) {
        for _ in 0..60 {
            self.press(Key::Tab);
            if self.easel.focused().is_some_and(|label| label == text) {
                self.press(Key::Enter);
                return;
            }
        }
        panic!("{text:?} cannot be reached by Tab");
    }

    /// Clicks on what is foremost on the first pane: a nose.
    fn click_on_nose(&mut self) {
        let Shown { subject, drawing } = &self.shown[0];
        let front =
            |t: &[u32; 3]| t.iter().map(|i| drawing.positions[*i as usize][2]).fold(f32::MIN, f32::max);
        let triangle = (0..drawing.triangles.len())
            .max_by(|&a, &b| front(&drawing.triangles[a]).total_cmp(&front(&drawing.triangles[b])))
            .unwrap();
        let pick = Pick { triangle, weights: [1.0, 0.0, 0.0] };
        self.shop.clicked(subject, drawing, pick);
    }

    /// Writes a picture of where it is, light and dark.
    fn keep(&mut self, name: &str) {
        self.see();
        self.written += 1;
        // Drawing takes long, and is the same for all: where nobody looks, two steps are enough.
        if self.pictures.is_none() && self.written > 2 {
            return;
        }
        let light = self.picture();
        self.shop.window.dark = true;
        let dark = self.picture();
        self.shop.window.dark = false;
        let side = |points: u32| (points as f32 * self.scale) as usize;
        assert_eq!((light.width, light.height), (side(SIZE.0), side(SIZE.1)));
        assert!(light.rgb != dark.rgb);
        if let Some(folder) = &self.pictures {
            std::fs::create_dir_all(folder).unwrap();
            for (image, theme) in [(light, "light"), (dark, "dark")] {
                let file = folder.join(format!("{}-{name}-{theme}-{}x.png", self.written, self.scale));
                std::fs::write(file, image.to_png().unwrap()).unwrap();
            }
        }
    }

    fn until(&mut self, what: &str, done: impl Fn(&Workshop) -> bool) {
        while !done(&self.shop) {
            assert!(self.shop.wait(LONG), "waited for: {what}; {}", self.shop.bench.message);
        }
    }
}

fn six_scans(folder: &Path) {
    std::fs::create_dir_all(folder).unwrap();
    let mut rng = ChaCha20Rng::seed_from_u64(5);
    for k in 0..6 {
        let mesh = FaceParameters::sample_about(&FaceParameters::elsewhere(), &mut rng).mesh();
        // Lying on their ears, as scanners leave them.
        let turn = nalgebra::Rotation3::from_euler_angles(0.3, 0.2, 1.4);
        let scan = mesh.with_vertices(mesh.vertices().iter().map(|p| turn * p).collect()).unwrap();
        visard::io::write_ply(&folder.join(format!("person-{k}.ply")), &scan).unwrap();
    }
    std::fs::write(folder.join("notes.doc"), "not a scan").unwrap();
}

#[test]
fn from_a_folder_of_scans_to_the_report() {
    let dir = tempfile::tempdir().unwrap();
    let (scans, out) = (dir.path().join("scans"), dir.path().join("study"));
    six_scans(&scans);
    let mut hands = Hands::open(&scans, &out, 1.0);

    // Check: six count, one file is passed over; nothing later can be gone to.
    hands.until("the check", |s| s.bench.checked.is_some());
    assert_eq!((hands.shop.bench.people(), hands.shop.bench.step), (6, Step::Check));
    assert_eq!(hands.shop.bench.barred(Step::Run), Some(Refusal::NotFixed));
    assert_eq!(hands.shop.bench.act(Act::Go(Step::Look)), Err(Refusal::NotFixed));
    hands.see();
    // A click on the nose of the second scan, kept beside it.
    hands.press(Key::N);
    assert_eq!(hands.shop.bench.chosen, 1);
    hands.see();
    hands.click_on_nose();
    hands.keep("check");
    hands.click_on("keep");
    let landmarks = scans.join("person-1.landmarks.csv");
    hands.until("the nose", |s| s.bench.message.contains("landmarks"));
    assert!(landmarks.is_file());
    hands.until("the check again", |s| !s.bench.is_checking());

    // Plan: by keyboard alone.
    hands.press(Key::PageDown);
    assert_eq!(hands.shop.bench.step, Step::Plan);
    hands.until("the forecast", |s| s.bench.forecast.is_some());
    hands.keep("plan");
    assert!(!out.join("plan.json").exists() && !out.exists());
    hands.tab_to("Fix this plan");
    hands.until("the plan", |s| s.bench.plan.is_some());
    assert!(out.join("plan.json").is_file());
    assert_eq!(hands.shop.bench.act(Act::Budget(Mu::new(3.0).unwrap())), Err(Refusal::Fixed));
    assert_eq!(hands.shop.bench.act(Act::MarkNose(visard::mesh::Point::origin())), Err(Refusal::Fixed));

    // Register: pause, go on.
    assert_eq!(hands.shop.bench.step, Step::Run);
    hands.click_on("Begin");
    hands.until("a first scan", |s| {
        matches!(s.bench.run, Run::Running(c) if c.done > 0) || matches!(s.bench.run, Run::Registered(_))
    });
    hands.keep("register");
    if matches!(hands.shop.bench.run, Run::Running(_)) {
        hands.click_on("Pause");
        hands.until("the pause", |s| matches!(s.bench.run, Run::Paused(_) | Run::Registered(_)));
        if matches!(hands.shop.bench.run, Run::Paused(_)) {
            hands.keep("paused");
            hands.click_on("Go on");
        }
    }
    hands.until("the registrations", |s| matches!(s.bench.run, Run::Registered(_)));
    let folder = StudyFolder::at(&out);
    assert!(!folder.has_release() && charges(&folder) == 0, "nothing is charged before it is confirmed");

    // Look: the worst first.
    let left: Vec<f64> = hands.shop.bench.registrations.iter().filter_map(|m| m.left_over).collect();
    assert!(left.len() == 6 && left.windows(2).all(|pair| pair[0] >= pair[1]), "{left:?}");
    hands.keep("look");
    assert_eq!(hands.shown.len(), 2);

    // Release: asked once, charged once.
    hands.press(Key::PageDown);
    assert_eq!(hands.shop.bench.act(Act::Confirm), Err(Refusal::NotAsked));
    hands.tab_to("Release");
    assert!(hands.shop.bench.asked && charges(&folder) == 0);
    hands.keep("release");
    let price = hands.shop.bench.price();
    hands.click_on(&format!("Pay {price} and release"));
    hands.until("the release", |s| s.bench.outcome.is_some());
    assert_eq!(charges(&folder), 1);
    let certificate =
        Certificate::from_json(&std::fs::read_to_string(folder.certificate()).unwrap()).unwrap();
    assert!(certificate.private && certificate.details["plan"]["sha256"].is_string());
    assert!(!certificate.caveats.iter().any(|c| c.contains("other-than-planned")));
    assert_eq!(hands.shop.bench.step, Step::Report);
    hands.keep("report");
    assert!(hands.shop.bench.outcome.as_ref().unwrap().report.is_file());
    drop(hands);

    // Opened again, at 2×: it is where it was.
    let mut again = Hands::open(&scans, &out, 2.0);
    again.until("the study", |s| s.bench.outcome.is_some() && s.bench.checked.is_some());
    assert_eq!((again.shop.bench.step, again.shop.bench.run), (Step::Report, Run::Released));
    again.keep("again");
}

fn charges(folder: &StudyFolder) -> usize {
    let ledger = folder.own_ledger();
    if ledger.exists() { Ledger::history(&ledger).unwrap().charges.len() } else { 0 }
}
