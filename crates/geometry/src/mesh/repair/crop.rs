//! Cutting a surface at a distance from the nose tip.

use super::super::edges::EdgeTable;
use super::super::topology::component_labels;
use super::super::{MeshError, Point};
use super::log::RepairKind;
use super::work::Work;
use std::collections::HashMap;

/// A vertex nearer to the cut than this fraction of its edge counts as lying on it, so that no slivers arise.
const SNAP: f64 = 0.15;

/// Keeps the part within `radius` of the nose that hangs together with it, cutting through triangles.
pub(crate) fn crop(work: &mut Work, nose: Point, radius: f64) -> Result<(), MeshError> {
    if !(radius.is_finite() && radius > 0.0) {
        return Err(MeshError::Degenerate(format!("the crop radius {radius} is not a positive number")));
    }
    let beyond: Vec<f64> = work.places.iter().map(|p| (p - nose).norm() - radius).collect();
    let sign = snapped_signs(work, &beyond);
    if work.triangles.iter().flatten().all(|&v| sign[v] <= 0) {
        return Ok(());
    }
    let mut cut = Cut { beyond: &beyond, sign: &sign, made: HashMap::new() };
    let mut new = Vec::new();
    let mut kept = vec![true; work.triangles.len()];
    let mut rim = Vec::new();
    for (t, keep) in kept.iter_mut().enumerate() {
        let corners = work.triangles[t];
        if corners.iter().all(|&v| sign[v] <= 0) {
            // A triangle with all corners on the cut is outside: the chord of a sphere lies within it, but
            // dropping it keeps the border simple.
            *keep = corners.iter().any(|&v| sign[v] < 0);
            continue;
        }
        *keep = false;
        if corners.iter().any(|&v| sign[v] < 0) {
            rim.extend(corners.iter().copied().filter(|&v| sign[v] <= 0));
            new.extend(cut.inside_part(work, corners));
        }
    }
    let mut gone = work.retain(|t| kept[t]);
    let n_new = new.len();
    work.add_triangles(new);
    if work.triangles.is_empty() {
        return Err(MeshError::Degenerate(format!(
            "no part of the surface lies within {radius} of the nose tip; check the units and the landmarks"
        )));
    }
    gone.extend(keep_piece_at(work, nose));
    let rim = work.sources(rim);
    work.note(RepairKind::Cropped, rim, gone, n_new);
    Ok(())
}

/// −1 inside, 0 on the cut, +1 outside.
fn snapped_signs(work: &Work, beyond: &[f64]) -> Vec<i8> {
    let mut shortest = vec![f64::INFINITY; beyond.len()];
    for t in &work.triangles {
        for k in 0..3 {
            let (a, b) = (t[k], t[(k + 1) % 3]);
            let length = (work.places[a] - work.places[b]).norm();
            shortest[a] = shortest[a].min(length);
            shortest[b] = shortest[b].min(length);
        }
    }
    let sign = |(d, short): (&f64, &f64)| match d {
        d if d.abs() < SNAP * short => 0,
        d if *d < 0.0 => -1,
        _ => 1,
    };
    beyond.iter().zip(&shortest).map(sign).collect()
}

struct Cut<'a> {
    beyond: &'a [f64],
    sign: &'a [i8],
    made: HashMap<[usize; 2], usize>,
}

impl Cut<'_> {
    /// The part of a triangle inside the cut: one or two triangles.
    fn inside_part(&mut self, work: &mut Work, corners: [usize; 3]) -> Vec<[usize; 3]> {
        let mut polygon = Vec::with_capacity(4);
        for k in 0..3 {
            let (a, b) = (corners[k], corners[(k + 1) % 3]);
            if self.sign[a] <= 0 {
                polygon.push(a);
            }
            if i16::from(self.sign[a]) * i16::from(self.sign[b]) < 0 {
                polygon.push(self.crossing(work, a, b));
            }
        }
        match polygon[..] {
            [a, b, c] => vec![[a, b, c]],
            [a, b, c, d] => {
                let square = |v: usize, w: usize| (work.places[v] - work.places[w]).norm_squared();
                if square(a, c) <= square(b, d) {
                    vec![[a, b, c], [a, c, d]]
                } else {
                    vec![[a, b, d], [b, c, d]]
                }
            }
            _ => Vec::new(),
        }
    }

    fn crossing(&mut self, work: &mut Work, a: usize, b: usize) -> usize {
        let ends = [a.min(b), a.max(b)];
        *self.made.entry(ends).or_insert_with(|| {
            let [low, high] = ends;
            let share = self.beyond[low] / (self.beyond[low] - self.beyond[high]);
            let place = work.places[low] + (work.places[high] - work.places[low]) * share;
            work.add_vertex(place, None)
        })
    }
}

/// Keeps the piece nearest to the nose; returns the input numbers of the triangles dropped.
fn keep_piece_at(work: &mut Work, nose: Point) -> Vec<usize> {
    let labels = component_labels(&work.triangles, &EdgeTable::new(&work.triangles, work.places.len()));
    let distance = |t: usize| {
        let [a, b, c] = work.triangles[t].map(|v| work.places[v].coords);
        ((a + b + c) / 3.0 - nose.coords).norm()
    };
    let nearest = (0..labels.len()).min_by(|&a, &b| distance(a).total_cmp(&distance(b))).unwrap_or(0);
    let piece = labels[nearest];
    work.retain(|t| labels[t] == piece)
}
