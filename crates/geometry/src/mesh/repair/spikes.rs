//! Spikes: parts a scanner has thrown out of the surface.

use super::super::Point;
use super::super::edges::{EdgeTable, corner_fans, side_ends};
use super::holes::keep_largest;
use super::log::RepairKind;
use super::work::Work;
use std::collections::HashSet;

/// A spike is followed over at most this many rings of triangles.
const LONGEST: usize = 10;
/// Sums of a few chords are exact to far less, radians.
const ROUNDING: f64 = 1e-6;

/// Takes away spikes, leaving holes to be filled; true when there were any.
///
/// The tip of a spike is an inner vertex whose angles sum to less than `sharpest` radians (2π where the surface is
/// flat). The spike reaches down to the widest ring of triangles about the tip whose outer rim is still
/// shorter than `sharpest` times its distance from the tip, as on a cone of that angle.
pub(crate) fn remove(work: &mut Work, sharpest: f64) -> bool {
    let table = EdgeTable::new(&work.triangles, work.places.len());
    let tips = tips(work, &table, sharpest);
    if tips.is_empty() {
        return false;
    }
    let mut triangles_at = vec![Vec::new(); work.places.len()];
    for (t, corners) in work.triangles.iter().enumerate() {
        corners.iter().for_each(|&v| triangles_at[v].push(t));
    }
    let spikes: HashSet<usize> =
        tips.iter().flat_map(|&tip| spike_at(work, &table, &triangles_at, tip, sharpest)).collect();
    let vertices = work.sources(tips);
    let mut gone = work.retain(|t| !spikes.contains(&t));
    gone.extend(keep_largest(work));
    work.note(RepairKind::RemovedSpikes, vertices, gone, 0);
    true
}

/// Takes away points thrown far out of everything: vertices at the origin, which many scanners write for what they did not see, or where
/// parts of the surface meet only in a point, if even their shortest edge is longer than ten times the median.
pub(crate) fn remove_thrown_out(work: &mut Work) {
    const FAR: f64 = 10.0;
    let mut lengths = Vec::with_capacity(3 * work.triangles.len());
    let mut shortest = vec![f64::INFINITY; work.places.len()];
    for [a, b, c] in &work.triangles {
        for (a, b) in [(*a, *b), (*b, *c), (*c, *a)] {
            let length = (work.places[a] - work.places[b]).norm();
            lengths.push(length);
            shortest[a] = shortest[a].min(length);
            shortest[b] = shortest[b].min(length);
        }
    }
    if lengths.is_empty() {
        return;
    }
    let middle = lengths.len() / 2;
    let far = FAR * *lengths.select_nth_unstable_by(middle, f64::total_cmp).1;
    let is_far = |v: usize| shortest[v] > far && shortest[v] < f64::INFINITY;
    // Mostly there is none.
    if !(0..shortest.len()).any(is_far) {
        return;
    }
    let fans = corner_fans(&work.triangles, &EdgeTable::new(&work.triangles, work.places.len()));
    let mut fans_at = vec![0; work.places.len()];
    fans.iter().enumerate().filter(|(corner, fan)| corner == *fan).for_each(|(corner, _)| {
        fans_at[work.triangles[corner / 3][corner % 3]] += 1;
    });
    let is_out = |v: usize| is_far(v) && (fans_at[v] > 1 || work.places[v] == Point::origin());
    let out: Vec<usize> = (0..shortest.len()).filter(|&v| is_out(v)).collect();
    if !out.is_empty() {
        let touched: Vec<bool> = work.triangles.iter().map(|t| t.iter().any(|&v| is_out(v))).collect();
        let vertices = work.sources(out);
        let gone = work.retain(|t| !touched[t]);
        work.note(RepairKind::RemovedSpikes, vertices, gone, 0);
    }
}

/// Takes away spikes that are torn open at the tip: border vertices far out (all edges longer than three times
/// the median) whose angles sum to less than a quarter of `sharpest`.
pub(crate) fn remove_torn(work: &mut Work, sharpest: f64) {
    let table = EdgeTable::new(&work.triangles, work.places.len());
    let mut lengths = Vec::with_capacity(table.edges().len());
    let mut shortest = vec![f64::INFINITY; work.places.len()];
    let mut on_border = vec![false; work.places.len()];
    for edge in table.edges() {
        let length = (work.places[edge.ends[0]] - work.places[edge.ends[1]]).norm();
        lengths.push(length);
        for v in edge.ends {
            shortest[v] = shortest[v].min(length);
            on_border[v] |= table.sides(edge).len() == 1;
        }
    }
    if lengths.is_empty() {
        return;
    }
    let middle = lengths.len() / 2;
    let far = 3.0 * *lengths.select_nth_unstable_by(middle, f64::total_cmp).1;
    let is_far_out = |v: usize| on_border[v] && shortest[v] > far;
    // Mostly there is none.
    if !(0..on_border.len()).any(is_far_out) {
        return;
    }
    let angles = angle_sums_below(work, 0.25 * sharpest);
    let is_tip = |v: usize| is_far_out(v) && angles[v] < f64::INFINITY;
    let tips: Vec<usize> = (0..angles.len()).filter(|&v| is_tip(v)).collect();
    if !tips.is_empty() {
        let vertices = work.sources(tips);
        let touched: Vec<bool> = work.triangles.iter().map(|t| t.iter().any(|&v| is_tip(v))).collect();
        let mut gone = work.retain(|t| !touched[t]);
        gone.extend(keep_largest(work));
        work.note(RepairKind::RemovedSpikes, vertices, gone, 0);
    }
}

/// The sums of the angles at the vertices where they are less than `limit`; infinite elsewhere.
fn angle_sums_below(work: &Work, limit: f64) -> Vec<f64> {
    // An angle is no smaller than its chord on the unit circle: most vertices are ruled out without arc cosines.
    let mut chords = vec![0.0; work.places.len()];
    for t in &work.triangles {
        let [a, b, c] = t.map(|v| work.places[v]);
        let sides = [b - a, c - b, a - c];
        let lengths = [sides[0].norm(), sides[1].norm(), sides[2].norm()];
        for k in 0..3 {
            let before = (k + 2) % 3;
            let product = lengths[k] * lengths[before];
            let cosine = if product > 0.0 { -sides[k].dot(&sides[before]) / product } else { 1.0 };
            chords[t[k]] += (2.0 - 2.0 * cosine).max(0.0).sqrt();
        }
    }
    let mut sums: Vec<f64> =
        chords.into_iter().map(|chord| if chord < limit + ROUNDING { 0.0 } else { f64::INFINITY }).collect();
    for t in &work.triangles {
        if t.iter().all(|&v| sums[v] == f64::INFINITY) {
            continue;
        }
        for k in 0..3 {
            let [v, a, b] = [t[k], t[(k + 1) % 3], t[(k + 2) % 3]];
            sums[v] += (work.places[a] - work.places[v]).angle(&(work.places[b] - work.places[v]));
        }
    }
    sums.into_iter().map(|sum| if sum < limit { sum } else { f64::INFINITY }).collect()
}

fn tips(work: &Work, table: &EdgeTable, sharpest: f64) -> Vec<usize> {
    let mut angles = angle_sums_below(work, sharpest);
    for edge in table.edges().iter().filter(|e| table.sides(e).len() != 2) {
        edge.ends.iter().for_each(|&v| angles[v] = f64::INFINITY);
    }
    (0..angles.len()).filter(|&v| angles[v] > 0.0 && angles[v] < f64::INFINITY).collect()
}

/// The triangles of the spike with this tip: at least those at the tip.
fn spike_at(
    work: &Work,
    table: &EdgeTable,
    triangles_at: &[Vec<usize>],
    tip: usize,
    sharpest: f64,
) -> HashSet<usize> {
    let mut patch: HashSet<usize> = triangles_at[tip].iter().copied().collect();
    let mut spike = patch.clone();
    for _ in 1..LONGEST {
        let corners: HashSet<usize> = patch.iter().flat_map(|&t| work.triangles[t]).collect();
        patch.extend(corners.iter().flat_map(|&v| &triangles_at[v]));
        let (mut rim, mut distance) = (0.0, 0.0);
        for side in patch.iter().flat_map(|&t| 3 * t..3 * t + 3) {
            match table.across(side) {
                Some(over) if patch.contains(&(over / 3)) => {}
                Some(_) => {
                    let [a, b] = side_ends(&work.triangles, side).map(|v| work.places[v]);
                    let length = (b - a).norm();
                    rim += length;
                    distance += length * (nalgebra::center(&a, &b) - work.places[tip]).norm();
                }
                // Never as far as the border.
                None => return spike,
            }
        }
        if rim * rim < sharpest * distance {
            spike.clone_from(&patch);
        }
    }
    spike
}
