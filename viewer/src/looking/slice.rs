//! A plane that cuts the surface: what lies beyond it is taken away, the outline of the cut is drawn.

use crate::drawing::{Drawing, Stroke};
use crate::material::SHELL_INK;
use std::collections::HashMap;
use std::str::FromStr;
use visard::report::colour::short;

/// A plane across one of the file's axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slice {
    /// Which axis: 0 for x, 1 for y, 2 for z.
    pub axis: usize,
    /// Where along it, in units of the file.
    pub at: f64,
    /// What is below the position is taken away, instead of what is above it.
    pub below: bool,
}

/// A slice that is not one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("axis and position, as in x:0 (what is above is taken away) or -y:12.5 (what is below)")]
pub struct NotASlice;

impl FromStr for Slice {
    type Err = NotASlice;

    fn from_str(text: &str) -> Result<Self, NotASlice> {
        let (name, at) = text.split_once(':').ok_or(NotASlice)?;
        let (below, name) = name.strip_prefix('-').map_or((false, name), |name| (true, name));
        let axis = ["x", "y", "z"].iter().position(|n| n.eq_ignore_ascii_case(name)).ok_or(NotASlice)?;
        let at = at.parse().ok().filter(|x: &f64| x.is_finite()).ok_or(NotASlice)?;
        Ok(Self { axis, at, below })
    }
}

impl std::fmt::Display for Slice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{}{}:{}",
            if self.below { "-" } else { "" },
            ["x", "y", "z"][self.axis.min(2)],
            short(self.at)
        )
    }
}

/// The colour of the outline: as dark as the face radial curves, but red.
const INK: [f64; 3] = [0.55, 0.08, 0.12];
const WIDTH: f32 = 2.5;

/// Cuts a drawing. Triangles keep their numbers: those taken away have no area, those cut are cut in place.
pub fn cut(mut drawing: Drawing, slice: &Slice) -> Drawing {
    let plane = ((slice.at - drawing.frame.centre[slice.axis]) * drawing.frame.scale) as f32;
    let sign = if slice.below { 1.0 } else { -1.0 };
    let above = |p: &[f32; 3]| sign * (p[slice.axis] - plane);
    let height: Vec<f32> = drawing.positions.iter().map(above).collect();
    let mut knife = Knife { made: HashMap::new(), segments: Vec::new() };
    let mut more = Vec::new();
    for k in 0..drawing.triangles.len() {
        let t = drawing.triangles[k];
        let kept = t.map(|i| height[i as usize] >= 0.0);
        match kept.iter().filter(|inside| **inside).count() {
            3 => {}
            0 => drawing.triangles[k] = [t[0]; 3],
            n => {
                // The corner that is alone on its side of the plane comes first.
                let first = (0..3).find(|&c| kept[c] == (n == 1)).unwrap_or(0);
                let [a, b, c] = [0, 1, 2].map(|j| t[(first + j) % 3]);
                let ab = knife.meet(&mut drawing, &height, a, b);
                let ac = knife.meet(&mut drawing, &height, a, c);
                knife.segments.push([ab, ac]);
                if n == 1 {
                    drawing.triangles[k] = [a, ab, ac];
                } else {
                    drawing.triangles[k] = [ab, b, c];
                    more.push([ab, c, ac]);
                }
            }
        }
    }
    drawing.triangles.extend(more);
    drawing.strokes = drawing.strokes.iter().flat_map(|stroke| inside(stroke, above)).collect();
    drawing.measurements.landmarks.retain(|landmark| above(&landmark.at) >= 0.0);
    let shell = std::mem::take(&mut drawing.shell);
    for border in shell.into_iter().map(|border| cut(border, slice)) {
        let lines =
            border.strokes.iter().map(|s| Stroke { colour: SHELL_INK, width: 0.6 * WIDTH, ..s.clone() });
        drawing.strokes.extend(lines);
        drawing.shell.push(border);
    }
    let outlines = chained(&knife.segments);
    let mut length = 0.0;
    for line in &outlines {
        let points: Vec<[f32; 3]> = line.iter().map(|&i| drawing.positions[i as usize]).collect();
        length += points.windows(2).map(|w| apart(w[0], w[1])).sum::<f64>();
        drawing.strokes.push(Stroke { points, colour: INK, width: WIDTH, facing: None });
    }
    drawing.notices.push(match outlines.is_empty() {
        true => format!("cut at {slice}: the plane does not meet the surface"),
        false => {
            let length = drawing.measurements.lengths.describe(length / drawing.frame.scale);
            format!("cut at {slice}: an outline of {length}")
        }
    });
    drawing
}

fn apart(p: [f32; 3], q: [f32; 3]) -> f64 {
    (0..3).map(|k| f64::from(p[k] - q[k]).powi(2)).sum::<f64>().sqrt()
}

/// What it met so far.
struct Knife {
    /// The new vertex on each edge.
    made: HashMap<[u32; 2], u32>,
    /// Pairs of them in one triangle.
    segments: Vec<[u32; 2]>,
}

impl Knife {
    /// The vertex where an edge meets the plane.
    fn meet(&mut self, drawing: &mut Drawing, height: &[f32], a: u32, b: u32) -> u32 {
        let [low, high] = [a.min(b), a.max(b)];
        *self.made.entry([low, high]).or_insert_with(|| {
            let [i, j] = [low as usize, high as usize];
            let t = (height[i] / (height[i] - height[j])).clamp(0.0, 1.0);
            let mix = |x: f32, y: f32| x + t * (y - x);
            let between = |p: [f32; 3], q: [f32; 3]| [0, 1, 2].map(|k| mix(p[k], q[k]));
            drawing.positions.push(between(drawing.positions[i], drawing.positions[j]));
            let n = between(drawing.normals[i], drawing.normals[j]);
            let size = apart(n, [0.0; 3]).max(1e-12) as f32;
            drawing.normals.push(n.map(|c| c / size));
            drawing.sky.push(mix(drawing.sky[i], drawing.sky[j]));
            let [u, v] = [drawing.uvs[i], drawing.uvs[j]];
            drawing.uvs.push([mix(u[0], v[0]), mix(u[1], v[1])]);
            (drawing.positions.len() - 1) as u32
        })
    }
}

/// The parts of a line on the kept side.
fn inside(stroke: &Stroke, above: impl Fn(&[f32; 3]) -> f32) -> Vec<Stroke> {
    let runs = stroke.points.split(|p| above(p) < 0.0).filter(|run| run.len() > 1);
    runs.map(|run| Stroke { points: run.to_vec(), ..stroke.clone() }).collect()
}

/// Segments joined to lines, closed ones with their first point at both ends.
fn chained(segments: &[[u32; 2]]) -> Vec<Vec<u32>> {
    let mut at: HashMap<u32, Vec<usize>> = HashMap::new();
    for (k, ends) in segments.iter().enumerate() {
        ends.iter().for_each(|end| at.entry(*end).or_default().push(k));
    }
    // Open lines from their ends first, so that none is begun in its middle.
    let lonely = |k: &usize| segments[*k].iter().any(|end| at[end].len() == 1);
    let (open, rest): (Vec<usize>, Vec<usize>) = (0..segments.len()).partition(lonely);
    let mut used = vec![false; segments.len()];
    let mut lines = Vec::new();
    for first in open.into_iter().chain(rest) {
        if used[first] {
            continue;
        }
        let [a, b] = segments[first];
        let start = if at[&b].len() == 1 { b } else { a };
        let mut line = vec![start];
        let mut next = Some(first);
        while let Some(k) = next {
            used[k] = true;
            let [a, b] = segments[k];
            let end = if line.last() == Some(&a) { b } else { a };
            line.push(end);
            next = at[&end].iter().copied().find(|j| !used[*j]);
        }
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::display_settings::DisplaySettings;
    use crate::looking::Instruments;
    use crate::pane::draw;
    use crate::subject::{Shape, Subject};
    use crate::synthetic::template_subject;
    use visard::mesh::{Point, TriMesh};

    fn cut_at(subject: &Subject, text: &str) -> Drawing {
        let instruments = Instruments { slice: Some(text.parse().unwrap()), ..Instruments::default() };
        draw(subject, &DisplaySettings { instruments, ..DisplaySettings::default() }).unwrap()
    }

    fn area(drawing: &Drawing) -> f64 {
        let at = |i: u32| Point::from(drawing.positions[i as usize].map(f64::from));
        drawing
            .triangles
            .iter()
            .map(|t| t.map(at))
            .map(|[a, b, c]| 0.5 * (b - a).cross(&(c - a)).norm())
            .sum()
    }

    #[test]
    fn the_two_halves_make_the_whole_and_lie_on_their_sides() {
        let face = template_subject();
        let whole = area(&draw(&face, &DisplaySettings::default()).unwrap());
        for place in ["x:3.3", "y:-20", "z:-10"] {
            let (low, high) = (cut_at(&face, place), cut_at(&face, &format!("-{place}")));
            assert!((area(&low) + area(&high) - whole).abs() < 1e-4 * whole, "{place}");
            let slice: Slice = place.parse().unwrap();
            let plane = (slice.at - low.frame.centre[slice.axis]) * low.frame.scale;
            let beyond = |d: &Drawing, sign: f64| {
                let solid = d.triangles.iter().filter(|t| t[0] != t[1]).flatten();
                solid
                    .map(|i| sign * (f64::from(d.positions[*i as usize][slice.axis]) - plane))
                    .fold(f64::MIN, f64::max)
            };
            assert!(beyond(&low, 1.0) < 1e-6 && beyond(&high, -1.0) < 1e-6, "{place}");
            let n = low.positions.len();
            assert!(low.normals.len() == n && low.sky.len() == n && low.uvs.len() == n);
        }
    }

    #[test]
    fn a_spheres_outline_is_one_circle_of_the_right_length() {
        let (rows, columns) = (60, 120);
        let at = |i: usize, j: usize| {
            let (a, b) = (
                std::f64::consts::PI * i as f64 / rows as f64,
                std::f64::consts::TAU * j as f64 / columns as f64,
            );
            Point::new(a.sin() * b.cos(), a.sin() * b.sin(), a.cos()) * 100.0
        };
        let vertices = (0..=rows).flat_map(|i| (0..columns).map(move |j| at(i, j))).collect();
        let cell = |i: usize, j: usize| {
            let (p, q) = (i * columns + j, i * columns + (j + 1) % columns);
            [[p, p + columns, q + columns], [p, q + columns, q]]
        };
        let triangles = (0..rows).flat_map(|i| (0..columns).flat_map(move |j| cell(i, j))).collect();
        let sphere = Subject {
            shape: Shape::Surface(TriMesh::new(vertices, triangles).unwrap()),
            ..template_subject()
        };
        let drawing = cut_at(&sphere, "z:60");
        let [outline] = &drawing.strokes[..] else { panic!("{} lines", drawing.strokes.len()) };
        assert_eq!(outline.points.first(), outline.points.last());
        let length: f64 =
            outline.points.windows(2).map(|w| apart(w[0], w[1])).sum::<f64>() / drawing.frame.scale;
        // A circle of radius 80.
        assert!((length / (std::f64::consts::TAU * 80.0) - 1.0).abs() < 3e-3, "{length}");
        assert!(
            drawing.notices.iter().any(|n| n.contains("50") && n.contains("mm")),
            "{:?}",
            drawing.notices
        );
        assert!(cut_at(&sphere, "z:101").notices[0].contains("does not meet"));
    }

    #[test]
    fn landmarks_go_with_what_is_taken_away() {
        let instruments =
            Instruments { slice: "x:0".parse().ok(), landmarks: true, ..Instruments::default() };
        let drawing =
            draw(&template_subject(), &DisplaySettings { instruments, ..DisplaySettings::default() })
                .unwrap();
        let names: Vec<&str> = drawing.measurements.landmarks.iter().map(|l| l.name.as_str()).collect();
        assert!(names.contains(&"right_mouth_corner") && !names.contains(&"left_mouth_corner"), "{names:?}");
    }

    #[test]
    fn only_an_axis_and_a_number_are_a_slice() {
        assert_eq!("-Y:12.5".parse(), Ok(Slice { axis: 1, at: 12.5, below: true }));
        for bad in ["", "x", "x:", "w:0", "x:nan", "x:inf", "x:0:1", "--x:0"] {
            assert!(bad.parse::<Slice>().is_err(), "{bad}");
        }
    }
}
