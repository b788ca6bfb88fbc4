//! Landmarks that have a name: the template's on every surface of its triangles, otherwise those in the file beside a scan.

use super::View;
use super::mark::{Anchor, Cover, Ink, Mark};
use super::measurements::NamedPlace;
use crate::depth;
use crate::drawing::Drawing;
use crate::subject::{Shape, Subject};
use crate::template::is_templates;
use std::path::Path;
use visard::io::read_landmarks;
use visard::mesh::Point;
use visard::report::canvas::text_width;
use visard::study::face::record::landmark_file;
use visard::synth::builtin_landmarks;

/// Names of a subject's landmarks, and the vertex of each or its place.
pub fn of(subject: &Subject) -> Vec<(String, Result<usize, Point>)> {
    match &subject.shape {
        Shape::Surface(mesh) if is_templates(mesh) => builtin_landmarks()
            .named()
            .iter()
            .map(|(name, vertex)| ((*name).to_owned(), Ok(*vertex)))
            .collect(),
        Shape::Surface(_) | Shape::Cloud(_) => beside(&subject.path)
            .into_iter()
            .map(|(name, p)| (name, Err(subject.posed.as_ref().map_or(p, |front| front.apply(&p)))))
            .collect(),
        _ => Vec::new(),
    }
}

/// The landmarks beside a scan that studies read; none where they cannot be read: studies say why.
fn beside(scan: &Path) -> Vec<(String, Point)> {
    let read = landmark_file(scan).and_then(|file| read_landmarks(&file).ok()).unwrap_or_default();
    read.into_iter().filter_map(|l| Some((l.name?, l.position))).collect()
}

/// Those that face the viewer and stand behind nothing.
pub fn seen<'a>(drawing: &'a Drawing, view: &View) -> Vec<&'a NamedPlace> {
    let faces = |p: &NamedPlace| p.normal.is_none_or(|n| view.turned(n)[2] > 0.05);
    let places: Vec<[f32; 3]> = drawing.measurements.landmarks.iter().map(|p| p.at).collect();
    let behind = depth::hidden(drawing, view, &places);
    let with = drawing.measurements.landmarks.iter().zip(behind);
    with.filter(|(p, hidden)| !hidden && faces(p)).map(|(p, _)| p).collect()
}

/// A dot and a name for each; names stand where they cover no other name or dot. A name that has no such place is left out: it comes when the view
/// is turned or larger.
///
/// `before`: marks that are drawn already, whose writing is not covered either.
pub fn marks(shown: &[&NamedPlace], before: &[Mark], view: &View) -> Vec<Mark> {
    let height = 0.8 * view.lettering();
    let radius = 0.35 * height;
    let around =
        |at: [f64; 2]| Cover { low: at.map(|c| c - 1.5 * radius), high: at.map(|c| c + 1.5 * radius) };
    let mut taken: Vec<Cover> = shown.iter().map(|p| around(view.place(p.at))).collect();
    taken.extend(before.iter().filter_map(Mark::cover));
    let mut marks = Vec::new();
    for place in shown {
        let at = view.place(place.at);
        let text = place.name.replace('_', " ");
        let width = text_width(&text, height);
        let to = |dx: f64, rows: f64| [at[0] + dx, at[1] + 1.4 * rows * height];
        let (right, left) = (0.9 * height, -0.9 * height - width);
        let tried = [
            to(right, 0.0),
            to(left, 0.0),
            to(right, -1.0),
            to(right, 1.0),
            to(left, -1.0),
            to(left, 1.0),
            to(-0.5 * width, -1.2),
            to(-0.5 * width, 1.2),
            to(right, -2.0),
            to(right, 2.0),
            to(left, -2.0),
            to(left, 2.0),
        ];
        let covers =
            |[x, y]: [f64; 2]| Cover { low: [x, y - 0.6 * height], high: [x + width, y + 0.6 * height] };
        let free = |p: &[f64; 2]| taken.iter().all(|other| !covers(*p).meets(other));
        let beside = tried.into_iter().find(free);
        marks.push(Mark::Dot { at, radius, ink: Ink::Face });
        let Some(beside) = beside else { continue };
        taken.push(covers(beside));
        marks.push(Mark::Text { at: beside, anchor: Anchor::Left, height, text, ink: Ink::Face });
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::display_settings::DisplaySettings;
    use crate::look::Look;
    use crate::pane::draw;
    use crate::synthetic::template_subject;

    fn named() -> DisplaySettings {
        let instruments = crate::looking::Instruments { landmarks: true, ..Default::default() };
        DisplaySettings { instruments, ..DisplaySettings::default() }
    }

    #[test]
    fn the_templates_landmarks_are_named_and_those_that_look_away_left_out() {
        let drawing = draw(&template_subject(), &named()).unwrap();
        let names = |look: Look| -> Vec<String> {
            let text = |mark| if let Mark::Text { text, .. } = mark { Some(text) } else { None };
            let view = View::new(look, 800.0, 600.0);
            marks(&seen(&drawing, &view), &[], &view).into_iter().filter_map(text).collect()
        };
        let front = names(Look::default());
        assert!(front.len() >= 12 && front.contains(&"nose tip".to_owned()), "{front:?}");
        assert!(names(Look { yaw: 180.0, ..Look::default() }).len() < 4);
        let left = names(Look::named("left").unwrap());
        assert!(
            left.contains(&"left nose wing".to_owned()) && !left.contains(&"right nose wing".to_owned()),
            "{left:?}"
        );
    }

    #[test]
    fn names_do_not_cover_one_another() {
        let drawing = draw(&template_subject(), &named()).unwrap();
        for (size, least) in [(900.0, 11), (400.0, 1), (200.0, 1)] {
            let view = View::new(Look::default(), size, size);
            let marks = marks(&seen(&drawing, &view), &[], &view);
            let is_text = |mark: &&Mark| matches!(mark, Mark::Text { .. });
            let names: Vec<Cover> = marks.iter().filter(is_text).filter_map(Mark::cover).collect();
            assert!(names.len() >= least, "{} at {size}", names.len());
            assert!(names.iter().enumerate().all(|(k, a)| names[..k].iter().all(|b| !a.meets(b))));
        }
    }

    #[test]
    fn landmarks_beside_a_scan_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let scan = dir.path().join("a.xyz");
        std::fs::write(&scan, "0 0 0\n1 0 0\n0 1 0\n0 0 1\n").unwrap();
        std::fs::write(dir.path().join("a.landmarks.csv"), "name,x,y,z\nnose_tip,1,0,0\n").unwrap();
        let subject = crate::source::load(&scan).unwrap();
        assert_eq!(of(&subject), [("nose_tip".to_owned(), Err(Point::new(1.0, 0.0, 0.0)))]);
    }
}
