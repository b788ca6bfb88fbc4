//! Faces at other values of the covariates, for releases of a regression: the library's own prediction, sliders over it.

use crate::arrays::unit_length;
use crate::error::ViewerError;
use kiss3d::egui::{Slider, Ui};
use std::path::Path;
use visard::estimate::Design;
use visard::estimate::design::{Covariate, Kind};
use visard::mesh::TriMesh;
use visard::report::colour::short;
use visard::study::face::TemplateSource;
use visard::study::face::regress::{Displacements, RegressionRelease};
use visard::study::layout::FIELDS;

/// Millimetres of √area on a face of 20 cm, which is about 1 high when its area is 1.
const FACE_MM: f64 = 200.0;

/// What a regression's release says of the faces at other values.
#[derive(Debug, Clone, PartialEq)]
pub struct Growth {
    displacements: Displacements,
}

impl Growth {
    /// That of the release a mesh lies in; `None` where it is no release of a regression.
    ///
    /// # Errors
    /// A sentence on why it cannot be used.
    pub fn beside(file: &Path, mesh: &TriMesh) -> Result<Option<Self>, String> {
        let folder = file.parent().unwrap_or(Path::new("."));
        if !folder.join(FIELDS).exists() {
            return Ok(None);
        }
        let release = RegressionRelease::open(folder, &TemplateSource::Builtin)
            .map_err(|e| format!("{e}; shown without it"))?;
        let displacements = release.displacements().map_err(|e| format!("{e}; shown without it"))?;
        let [there, here] = [displacements.vertices(), mesh.vertices().len()];
        if there != here {
            let fields = folder.join(FIELDS);
            return Err(format!(
                "{}: of {there} vertices, but the surface has {here}; shown without it",
                fields.display()
            ));
        }
        Ok(Some(Self { displacements }))
    }

    /// The covariates.
    pub fn design(&self) -> &Design {
        self.displacements.design()
    }

    /// The face at these values, as in `age=8` and `sex=M`.
    ///
    /// # Errors
    /// [`ViewerError::At`] for values that the release does not have.
    pub fn face(&self, mesh: &TriMesh, at: &[String], subject: &str) -> Result<TriMesh, ViewerError> {
        let values = self.values(at, subject)?;
        self.displacements.face(mesh, &values, unit_length(mesh)).map_err(ViewerError::Morph)
    }

    fn values(&self, at: &[String], subject: &str) -> Result<Vec<Option<f64>>, ViewerError> {
        let told = |source| ViewerError::At { subject: subject.to_owned(), source };
        self.design().values(at).map_err(told)
    }

    /// What the face at these values is, in a sentence.
    pub fn describe(&self, at: &[String], subject: &str) -> String {
        let rms = self.values(at, subject).map_or(f64::NAN, |values| self.displacements.rms(&values));
        format!(
            "{subject}: the face expected at {}, of no person; its error is about {} mm on a face of 20 cm (noise only)",
            self.caption(at),
            short(FACE_MM * rms)
        )
    }

    /// Every covariate with its value.
    pub fn caption(&self, at: &[String]) -> String {
        let values = self.design().values(at).unwrap_or_default();
        let said = |(i, covariate): (usize, &Covariate)| {
            let value = values.get(i).copied().flatten().unwrap_or_else(|| covariate.reference());
            format!("{} {}", covariate.name, word(covariate, value))
        };
        self.design().covariates().iter().enumerate().map(said).collect::<Vec<_>>().join(", ")
    }

    /// The values from one end of a covariate to the other, the others where they are.
    ///
    /// # Errors
    /// [`ViewerError::NoCovariate`].
    pub fn along(
        &self,
        name: &str,
        at: &[String],
        steps: usize,
        subject: &str,
    ) -> Result<Vec<Vec<String>>, ViewerError> {
        let covariates = self.design().covariates();
        let Some(covariate) = covariates.iter().find(|c| c.name == name) else {
            let there = covariates.iter().map(|c| c.name.as_str()).collect::<Vec<_>>().join(", ");
            return Err(ViewerError::NoCovariate {
                subject: subject.to_owned(),
                asked: name.to_owned(),
                there,
            });
        };
        let others: Vec<String> = at.iter().filter(|item| name_of(item) != name).cloned().collect();
        let with = |value: String| [others.clone(), vec![format!("{name}={value}")]].concat();
        Ok(match &covariate.kind {
            Kind::Levels { levels } => levels.iter().cloned().map(with).collect(),
            Kind::Linear { lower, upper } | Kind::Spline { lower, upper, .. } => {
                let value = |k: usize| lower + (upper - lower) * k as f64 / (steps.max(2) - 1) as f64;
                (0..steps).map(|k| with(value(k).clamp(*lower, *upper).to_string())).collect()
            }
        })
    }
}

fn name_of(item: &str) -> &str {
    item.split('=').next().unwrap_or_default().trim()
}

/// A value as it is said.
fn word(covariate: &Covariate, value: f64) -> String {
    match &covariate.kind {
        Kind::Levels { levels } => match (0..levels.len()).find(|&k| covariate.level(k) == value) {
            Some(k) => levels[k].clone(),
            None => format!("between {}", levels.join(" and ")),
        },
        _ => short(value),
    }
}

/// A slider for every covariate that is a number, within its public bounds, and a choice for each that is a word.
pub fn controls(ui: &mut Ui, design: &Design, at: &mut Vec<String>) {
    for covariate in design.covariates() {
        let place = at.iter().position(|item| name_of(item) == covariate.name);
        let set = place.and_then(|k| at[k].split_once('=')).map(|(_, value)| value.trim().to_owned());
        let wanted = match &covariate.kind {
            Kind::Levels { levels } => level(ui, &covariate.name, levels, set.clone()),
            Kind::Linear { lower, upper } | Kind::Spline { lower, upper, .. } => {
                let before = set.as_ref().and_then(|text| text.parse().ok());
                let mut value = before.unwrap_or_else(|| covariate.reference());
                let moved = ui.add(Slider::new(&mut value, *lower..=*upper).text(&covariate.name)).changed();
                let rounded = (1e4 * value).round() / 1e4;
                if moved { Some(rounded.clamp(*lower, *upper).to_string()) } else { set.clone() }
            }
        };
        if wanted != set {
            at.retain(|item| name_of(item) != covariate.name);
            at.extend(wanted.map(|value| format!("{}={value}", covariate.name)));
        }
    }
    ui.horizontal_wrapped(|ui| {
        if ui.button("back to the reference").clicked() {
            at.clear();
        }
        if ui.button("copy --at").clicked() {
            ui.ctx().copy_text(option(at));
        }
    });
}

/// One of several words, or between them.
fn level(ui: &mut Ui, name: &str, levels: &[String], mut chosen: Option<String>) -> Option<String> {
    ui.horizontal_wrapped(|ui| {
        ui.label(name);
        for (k, level) in levels.iter().enumerate() {
            ui.selectable_value(&mut chosen, Some(level.clone()), level);
            if k == 0 {
                ui.selectable_value(&mut chosen, None, "between");
            }
        }
    });
    chosen
}

/// The values as the command line takes them; nothing at the reference values.
pub fn option(at: &[String]) -> String {
    if at.is_empty() { String::new() } else { format!("--at {}", at.join(",")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::easel::Easel;
    use kiss3d::egui::{Area, Event, Id, PointerButton, pos2};
    use visard::estimate::design::Covariate;

    fn design() -> Design {
        let number = Kind::Linear { lower: 3.0, upper: 18.0 };
        let levels = Kind::Levels { levels: vec!["F".into(), "M".into()] };
        Design::new(vec![
            Covariate { name: "age".into(), kind: number },
            Covariate { name: "sex".into(), kind: levels },
        ])
        .unwrap()
    }

    #[test]
    fn a_word_is_chosen_and_all_goes_back() {
        let (design, mut at) = (design(), vec!["age=12".to_owned()]);
        let mut press = |text: &str| {
            let mut easel = Easel::new((500, 300), 1.0);
            let draw = |easel: &mut Easel, at: &mut Vec<String>, events: Vec<Event>| {
                easel.frame(events, |ctx| {
                    Area::new(Id::new("a"))
                        .fixed_pos(pos2(5.0, 5.0))
                        .show(ctx, |ui| controls(ui, &design, at));
                });
            };
            draw(&mut easel, &mut at, vec![]);
            draw(&mut easel, &mut at, vec![]);
            let pos = easel.place_of(text).unwrap();
            let button = |pressed| Event::PointerButton {
                pos,
                button: PointerButton::Primary,
                pressed,
                modifiers: Default::default(),
            };
            draw(&mut easel, &mut at, vec![Event::PointerMoved(pos)]);
            draw(&mut easel, &mut at, vec![button(true)]);
            draw(&mut easel, &mut at, vec![button(false)]);
            at.clone()
        };
        // What was not touched stays as it was given.
        assert_eq!(press("M"), ["age=12", "sex=M"]);
        assert_eq!(press("between"), ["age=12"]);
        assert!(press("back to the reference").is_empty());
        assert_eq!(option(&["age=12".into(), "sex=M".into()]), "--at age=12,sex=M");
    }
}
