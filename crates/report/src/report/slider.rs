//! Sliders that bend a surface in the page: displacement fields with factors that depend on where the slider stands.

use super::chart::{escape, tidy};
use crate::mesh::Vector;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Positions the keyboard stops at from one end to the other.
const STOPS: f64 = 120.0;

/// A control that moves the vertices of a surface by Σ_f w_f(position) · field_f; several add up.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Slider {
    /// What is changed ("mode 1", "age").
    pub name: String,
    /// Positions at which the factors are given, ascending, two or more.
    pub values: Vec<f64>,
    /// Where it stands first, between the first and the last of them.
    pub start: f64,
    /// Displacements, one per vertex each, in the units of the mesh.
    pub fields: Vec<Vec<Vector>>,
    /// The factor of each field at each of `values`: a row per value. Linear between them.
    pub weights: Vec<Vec<f64>>,
    /// What to say at each of `values` in place of the number; empty for numbers.
    pub labels: Vec<String>,
}

impl Slider {
    /// One field times the position: −`reach` … `reach` of it, starting from none.
    pub fn along(name: impl Into<String>, field: Vec<Vector>, reach: f64) -> Self {
        Self {
            name: name.into(),
            values: vec![-reach, reach],
            start: 0.0,
            fields: vec![field],
            weights: vec![vec![-reach], vec![reach]],
            labels: Vec::new(),
        }
    }

    /// Whether it can be shown on a surface of so many vertices.
    pub(super) fn fits(&self, vertices: usize) -> bool {
        let finite = |x: &[f64]| x.iter().all(|v| v.is_finite());
        let ascending = self.values.len() > 1 && self.values.windows(2).all(|v| v[0] < v[1]);
        let inside =
            self.values.first().is_some_and(|a| *a <= self.start) && self.values.last() >= Some(&self.start);
        let factors = self.weights.len() == self.values.len()
            && self.weights.iter().all(|row| row.len() == self.fields.len() && finite(row));
        let moved =
            |field: &Vec<Vector>| field.len() == vertices && field.iter().all(|v| finite(v.as_slice()));
        let said = self.labels.is_empty() || self.labels.len() == self.values.len();
        finite(&self.values) && ascending && inside && factors && said && self.fields.iter().all(moved)
    }

    /// The control: reached and moved by the keyboard as any other.
    pub(super) fn control(&self, index: usize) -> String {
        let (low, high) = (self.values[0], self.values[self.values.len() - 1]);
        format!(
            "<label><span>{}</span><input type=\"range\" data-slider=\"{index}\" min=\"{low}\" max=\"{high}\" step=\"{}\" \
             value=\"{}\"><output>{}</output></label>",
            escape(&self.name),
            (high - low) / STOPS,
            self.start,
            escape(&self.said(self.start)),
        )
    }

    fn said(&self, at: f64) -> String {
        let nearest =
            |a: &usize, b: &usize| (self.values[*a] - at).abs().total_cmp(&(self.values[*b] - at).abs());
        match (0..self.labels.len()).min_by(nearest) {
            Some(k) => self.labels[k].clone(),
            None => tidy(at),
        }
    }

    /// What the program needs to know beside the packed fields; one unit of a packed field is `unit` of the surface's own.
    pub(super) fn head(&self, unit: f64) -> Value {
        let scales: Vec<f64> = self.fields.iter().map(|f| reach(f) / unit / f64::from(i16::MAX)).collect();
        json!({
            "values": self.values,
            "start": self.start,
            "weights": self.weights,
            "labels": self.labels,
            "scales": scales,
        })
    }

    /// Displacements as i16, three a vertex, field by field, each a share of that field's longest component.
    pub(super) fn pack(&self, bytes: &mut Vec<u8>) {
        for field in &self.fields {
            let reach = reach(field);
            for component in field.iter().flat_map(|v| v.iter().copied()) {
                let share = if reach > 0.0 { component / reach } else { 0.0 };
                bytes.extend(((share * f64::from(i16::MAX)).round() as i16).to_le_bytes());
            }
        }
    }
}

/// The longest component of any displacement.
fn reach(field: &[Vector]) -> f64 {
    field.iter().map(|v| v.amax()).fold(0.0, f64::max)
}

/// All controls, with a button that brings them back.
pub(super) fn controls(sliders: &[Slider]) -> String {
    if sliders.is_empty() {
        return String::new();
    }
    let mut html = String::from("<div class=\"sliders\" role=\"group\" aria-label=\"Shape\">");
    for (k, slider) in sliders.iter().enumerate() {
        let _ = write!(html, "{}", slider.control(k));
    }
    html.push_str("<button type=\"button\" data-reset>reset shape</button></div>");
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slider() -> Slider {
        Slider::along("mode <1>", vec![Vector::new(0.5, 0.0, -1.0), Vector::new(0.0, 0.25, 0.0)], 3.0)
    }

    #[test]
    fn packed_fields_unpack_to_within_a_step() {
        let (slider, mut bytes) = (slider(), Vec::new());
        slider.pack(&mut bytes);
        let scale = slider.head(2.0)["scales"][0].as_f64().unwrap();
        let exact = slider.fields[0].iter().flat_map(|v| v.iter().copied());
        assert_eq!(bytes.len(), 12);
        for (pair, x) in bytes.chunks(2).zip(exact) {
            let back = 2.0 * scale * f64::from(i16::from_le_bytes([pair[0], pair[1]]));
            assert!((back - x).abs() <= 0.5 / 32767.0 + 1e-12, "{back} {x}");
        }
    }

    #[test]
    fn controls_name_themselves_and_say_where_they_stand() {
        let html = controls(&[slider()]);
        assert!(
            html.contains("mode &lt;1&gt;")
                && html.contains("min=\"-3\" max=\"3\"")
                && html.contains("data-reset")
        );
        let levels = Slider { labels: vec!["F".into(), "M".into()], start: 2.0, ..slider() };
        assert!(levels.control(1).contains("<output>M</output>"));
        assert_eq!(controls(&[]), "");
    }

    #[test]
    fn what_does_not_fit_is_known() {
        assert!(slider().fits(2) && !slider().fits(3));
        let broken: [fn(&mut Slider); 6] = [
            |s| s.values.reverse(),
            |s| s.start = 4.0,
            |s| s.weights[0].push(1.0),
            |s| s.labels = vec!["a".into()],
            |s| s.fields[0][1].x = f64::NAN,
            |s| s.start = f64::NAN,
        ];
        for (k, change) in broken.iter().enumerate() {
            let mut slider = slider();
            change(&mut slider);
            assert!(!slider.fits(2), "{k}");
        }
    }
}
