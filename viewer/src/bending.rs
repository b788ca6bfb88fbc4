//! Sliders for what a release says of other faces: its covariates, the way from another group's mean, its modes. Of modes several at once, back to the mean, copied for the command line, a synthetic face.

use crate::modes::{option, sample};
use crate::worker::Shown;
use kiss3d::egui::{Slider, Ui};
use visard::estimate::Design;

/// Sliders reach so far, in standard deviations: 0.3 % of faces are farther out along a mode.
const REACH: f64 = 3.0;
/// More sliders than this are more than anyone moves.
const MOST: usize = 8;

/// What there is to follow, and which synthetic face was drawn last.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bending {
    /// Modes of what is shown; none where its release has none.
    pub modes: usize,
    /// The number of the last synthetic face.
    pub drawn: u64,
    /// The covariates of what is shown first, where its release has any.
    pub design: Option<Design>,
    /// The group whose mean a morph begins at; the template without.
    pub start: Option<String>,
}

impl Bending {
    /// What is shown from now on.
    pub fn know(&mut self, shown: &[Shown]) {
        // Beside another subject, what both can be bent by.
        self.modes = shown.iter().map(|s| s.subject.modes.len()).min().unwrap_or(0);
        let growth = shown.iter().find_map(|s| s.subject.growth.as_ref());
        self.design = growth.map(|growth| growth.design().clone());
        self.start = shown.iter().find_map(|s| s.subject.start.as_ref()).map(|start| start.label.clone());
    }

    /// Keeps the values that the release shown has, as those of another may have been. Returns a sentence on those that it has not.
    pub fn keep_known(&self, at: &mut Vec<String>) -> Option<String> {
        let wrong = |item: &String| match &self.design {
            Some(design) => {
                let values = design.values(std::slice::from_ref(item));
                values.err().map(|e| format!("left out {item} ({e})"))
            }
            None => Some(format!("left out {item} (what is shown is not the release of a regression)")),
        };
        let told: Vec<String> = at.iter().filter_map(wrong).collect();
        at.retain(|item| wrong(item).is_none());
        (!told.is_empty()).then(|| told.join("; "))
    }

    /// What the way to what is shown is called.
    pub fn way(&self) -> String {
        format!("{} to shown", self.start.as_deref().unwrap_or("template"))
    }
}

/// The sliders, where there are modes.
pub fn controls(ui: &mut Ui, bending: &mut Bending, values: &mut Vec<f64>) {
    if bending.modes == 0 {
        return;
    }
    values.resize(bending.modes, 0.0);
    for (k, value) in values.iter_mut().take(MOST).enumerate() {
        ui.add(Slider::new(value, -REACH..=REACH).fixed_decimals(2).text(format!("mode {}, sd", k + 1)));
    }
    ui.horizontal_wrapped(|ui| {
        if ui.button("back to the mean").clicked() {
            values.fill(0.0);
        }
        if ui.button("copy values").clicked() {
            ui.ctx().copy_text(option(values));
        }
        if ui.button("synthetic face").clicked() {
            bending.drawn += 1;
            *values = sample(bending.modes, bending.drawn);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::easel::Easel;
    use kiss3d::egui::{Area, Event, Id, OutputCommand, PointerButton, Pos2, pos2};
    use visard::estimate::design::{Covariate, Kind};

    #[derive(Default)]
    struct Desk {
        bending: Bending,
        values: Vec<f64>,
    }

    /// Presses the button that says this. Returns what was copied.
    fn press(desk: &mut Desk, text: &str) -> Option<String> {
        let mut easel = Easel::new((400, 300), 1.0);
        let draw = |easel: &mut Easel, desk: &mut Desk, events: Vec<Event>| {
            easel.frame(events, |ctx| {
                Area::new(Id::new("a")).fixed_pos(pos2(5.0, 5.0)).show(ctx, |ui| {
                    controls(ui, &mut desk.bending, &mut desk.values);
                });
            })
        };
        draw(&mut easel, desk, vec![]);
        draw(&mut easel, desk, vec![]);
        let pos: Pos2 = easel.place_of(text).unwrap();
        let button = |pressed| Event::PointerButton {
            pos,
            button: PointerButton::Primary,
            pressed,
            modifiers: Default::default(),
        };
        draw(&mut easel, desk, vec![Event::PointerMoved(pos)]);
        draw(&mut easel, desk, vec![button(true)]);
        let output = draw(&mut easel, desk, vec![button(false)]);
        output.platform_output.commands.into_iter().find_map(|command| match command {
            OutputCommand::CopyText(text) => Some(text),
            _ => None,
        })
    }

    #[test]
    fn values_that_a_release_does_not_have_are_left_out_and_told() {
        let age = Covariate { name: "age".into(), kind: Kind::Linear { lower: 3.0, upper: 18.0 } };
        let bending = Bending { design: Design::new(vec![age]).ok(), ..Bending::default() };
        let mut at = vec!["age=12".to_owned(), "age=99".to_owned(), "size=1".to_owned()];
        let told = bending.keep_known(&mut at).unwrap();
        assert_eq!(at, ["age=12"]);
        assert!(told.contains("age=99") && told.contains("3 to 18") && told.contains("size=1"), "{told}");
        assert_eq!(bending.keep_known(&mut at), None);
        let told = Bending::default().keep_known(&mut at).unwrap();
        assert!(at.is_empty() && told.contains("not the release of a regression"), "{told}");
    }

    #[test]
    fn a_synthetic_face_is_drawn_its_values_copied_and_taken_back() {
        let mut desk = Desk { bending: Bending { modes: 3, ..Bending::default() }, values: vec![1.0] };
        assert_eq!(press(&mut desk, "copy values").as_deref(), Some("--modes 1"));
        press(&mut desk, "synthetic face");
        assert_eq!(desk.values, sample(3, 1));
        press(&mut desk, "synthetic face");
        assert_eq!((desk.bending.drawn, &desk.values), (2, &sample(3, 2)));
        press(&mut desk, "back to the mean");
        assert_eq!(desk.values, [0.0; 3]);
        // Without modes there is nothing to press, and nothing is asked for.
        let mut none = Desk { bending: Bending::default(), values: Vec::new() };
        let mut easel = Easel::new((400, 300), 1.0);
        for _ in 0..2 {
            easel.frame(vec![], |ctx| {
                Area::new(Id::new("a")).show(ctx, |ui| controls(ui, &mut none.bending, &mut none.values));
            });
        }
        assert!(easel.place_of("copy values").is_none() && none.values.is_empty());
    }
}
