//! Straight distances between two points.

use super::View;
use super::mark::{Anchor, Ink, Mark};
use super::measurements::{Measurements, RulerReading};
use crate::error::ViewerError;
use crate::geometry::Frame;
use std::str::FromStr;

/// An end of a ruler.
#[derive(Debug, Clone, PartialEq)]
pub enum End {
    /// A vertex, from 0.
    Vertex(usize),
    /// A landmark, by name.
    Landmark(String),
    /// A place that was clicked, in display coordinates.
    Place([f32; 3]),
}

/// Two ends, written A:B.
#[derive(Debug, Clone, PartialEq)]
pub struct Ruler(pub [End; 2]);

/// A ruler that is not one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("two different ends A:B, each a landmark's name or a vertex's number, as in nose_tip:chin")]
pub struct NotARuler;

impl FromStr for Ruler {
    type Err = NotARuler;

    fn from_str(text: &str) -> Result<Self, NotARuler> {
        let (a, b) = text.split_once(':').ok_or(NotARuler)?;
        let [a, b] = [a.trim(), b.trim()];
        if a.is_empty() || b.is_empty() || a == b || b.contains(':') {
            return Err(NotARuler);
        }
        let end = |text: &str| text.parse().map_or_else(|_| End::Landmark(text.to_owned()), End::Vertex);
        Ok(Self([end(a), end(b)]))
    }
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Vertex(k) => write!(f, "{k}"),
            Self::Landmark(name) => f.write_str(name),
            Self::Place(_) => f.write_str("a point"),
        }
    }
}

impl Ruler {
    /// Reads it on a subject whose vertices are at these display coordinates.
    ///
    /// # Errors
    /// [`ViewerError::NoSuchEnd`]: a landmark or a vertex that is not there.
    pub fn read(
        &self,
        measurements: &Measurements,
        frame: &Frame,
        vertices: &[[f32; 3]],
        subject: &str,
    ) -> Result<RulerReading, ViewerError> {
        let Self([a, b]) = self;
        let ends = [place(a, measurements, vertices, subject)?, place(b, measurements, vertices, subject)?];
        let apart: f64 = (0..3).map(|k| f64::from(ends[0][k] - ends[1][k]).powi(2)).sum::<f64>().sqrt();
        let clicked = matches!((a, b), (End::Place(_), End::Place(_)));
        let name = if clicked { String::new() } else { format!("{a}:{b}") };
        Ok(RulerReading { ends, name, distance: measurements.lengths.describe(apart / frame.scale) })
    }
}

fn place(
    end: &End,
    measurements: &Measurements,
    vertices: &[[f32; 3]],
    subject: &str,
) -> Result<[f32; 3], ViewerError> {
    let found = match end {
        End::Place(p) => Some(*p),
        End::Vertex(k) => vertices.get(*k).copied(),
        End::Landmark(name) => {
            measurements.landmarks.iter().find(|l| l.name.eq_ignore_ascii_case(name)).map(|l| l.at)
        }
    };
    found.ok_or_else(|| {
        let names: Vec<&str> = measurements.landmarks.iter().map(|l| l.name.as_str()).collect();
        let landmarks = if names.is_empty() { "no named landmarks".to_owned() } else { names.join(", ") };
        let there = match vertices.len() {
            0 => landmarks,
            n => format!("{landmarks}, and vertices 0 to {}", n - 1),
        };
        ViewerError::NoSuchEnd { subject: subject.to_owned(), end: end.to_string(), there }
    })
}

/// The line, its ends, and the distance beside its middle.
pub fn marks(ruled: &RulerReading, view: &View) -> Vec<Mark> {
    let [a, b] = ruled.ends.map(|p| view.place(p));
    let height = view.lettering();
    let ink = Ink::Ruler;
    let middle = [0.5 * (a[0] + b[0]) + 0.9 * height, 0.5 * (a[1] + b[1]) - 0.9 * height];
    let radius = 1.6 * view.line();
    vec![
        Mark::Line { ends: [a, b], width: 1.2 * view.line(), ink },
        Mark::Dot { at: a, radius, ink },
        Mark::Dot { at: b, radius, ink },
        Mark::Text { at: middle, anchor: Anchor::Left, height, text: ruled.distance.clone(), ink },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::display_settings::DisplaySettings;
    use crate::drawing::Drawing;
    use crate::looking::Instruments;
    use crate::pane::draw;
    use crate::synthetic::template_subject;
    use visard::synth::{builtin_landmarks, builtin_template};

    fn ruled(text: &str) -> Result<Drawing, ViewerError> {
        let rulers = vec![text.parse().unwrap()];
        let instruments = Instruments { rulers, ..Instruments::default() };
        draw(&template_subject(), &DisplaySettings { instruments, ..DisplaySettings::default() })
    }

    #[test]
    fn names_and_numbers_measure_the_same_and_what_the_vertices_say() {
        let (l, v) = (builtin_landmarks(), builtin_template().vertices());
        let expected = format!("{:.1} mm", (v[l.nose_tip] - v[l.chin]).norm());
        for text in
            ["nose_tip:chin".to_owned(), format!("{}:CHIN", l.nose_tip), format!("{}:{}", l.chin, l.nose_tip)]
        {
            assert_eq!(ruled(&text).unwrap().measurements.readings[0].distance, expected, "{text}");
        }
    }

    #[test]
    fn ends_that_are_not_there_are_named_with_those_that_are() {
        for (text, needle) in [("ear:chin", "nose_tip"), ("chin:99999999", "vertices 0 to")] {
            let error = ruled(text).unwrap_err().to_string();
            assert!(error.contains(needle), "{error}");
        }
        for bad in ["", "a", "a:", ":b", "a:a", "a:b:c"] {
            assert!(bad.parse::<Ruler>().is_err(), "{bad}");
        }
    }
}
