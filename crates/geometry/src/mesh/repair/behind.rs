//! What lies behind a face: the inner side of a shell as thick as a print, the back of a closed cap.

use super::super::edges::EdgeTable;
use super::super::{Point, Vector};
use super::holes::keep_largest;
use super::log::RepairKind;
use super::work::Work;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Triangles that meet at a larger angle than 60° meet at a crease: its cosine.
const CREASE: f64 = 0.5;
/// How near the middle of the front and of the back their normals keep to the axis: the cosine of 60°.
const ALONG: f64 = 0.5;

/// A back is about as large as the front before it. Where this many times as much would be dropped, it was the front.
const MOST_BEHIND: f64 = 2.0;

/// So large a share of what faces the viewer is turned away from him where there is a back: all of it in a shell, a twentieth in a face, its nostrils
/// and lips.
const LEAST_BEHIND: f64 = 0.4;

/// Whether the surface has a back, though it may be a disk: a shell that was cropped.
pub(crate) fn has_back(work: &Work, nose: &Point) -> bool {
    let Some(view) = View::new(work, nose) else { return false };
    let area = |wanted: &dyn Fn(f64) -> bool| {
        let of = (0..work.triangles.len()).filter(|&t| wanted(view.facing(work, t)));
        of.map(|t| area_vector(work, t).norm()).sum::<f64>()
    };
    area(&|cosine| cosine < -ALONG) > LEAST_BEHIND * area(&|cosine| cosine > ALONG)
}

/// Drops what is nearer, along the surface, to the middle of its back than to the nose; true where there is a back, at most [`MOST_BEHIND`] times as
/// large. The two are parted at creases where there are any, and else halfway.
pub(crate) fn drop_back(work: &mut Work, nose: Point) -> bool {
    let Some([front, back]) = seeds(work, &nose) else { return false };
    let is_front = nearer_to_first(work, front, back);
    let area = |front: bool| {
        let of = (0..is_front.len()).filter(|&t| is_front[t] == front);
        of.map(|t| area_vector(work, t).norm()).sum::<f64>()
    };
    if area(false) > MOST_BEHIND * area(true) {
        return false;
    }
    let mut gone = work.retain(|t| is_front[t]);
    gone.extend(keep_largest(work));
    work.note(RepairKind::DroppedBack, vec![], gone, 0);
    true
}

fn centre(work: &Work, t: usize) -> Vector {
    work.triangles[t].iter().map(|&v| work.places[v].coords).sum::<Vector>() / 3.0
}

/// Twice the area along the normal.
fn area_vector(work: &Work, t: usize) -> Vector {
    let [a, b, c] = work.triangles[t].map(|v| work.places[v]);
    (b - a).cross(&(c - a))
}

/// The way in which a surface faces.
struct View {
    /// From its middle to the nose.
    axis: Vector,
    /// The sign of normals that point outward.
    outward: f64,
}

impl View {
    fn new(work: &Work, nose: &Point) -> Option<Self> {
        let (mut sum, mut total) = (Vector::zeros(), 0.0);
        for t in 0..work.triangles.len() {
            let area = area_vector(work, t).norm();
            sum += centre(work, t) * area;
            total += area;
        }
        let middle = sum / total;
        let axis = (nose.coords - middle).try_normalize(0.0)?;
        let volume = |t| area_vector(work, t).dot(&(centre(work, t) - middle));
        Some(Self { axis, outward: (0..work.triangles.len()).map(volume).sum::<f64>().signum() })
    }

    /// The cosine between a triangle's normal, outward, and the axis.
    fn facing(&self, work: &Work, t: usize) -> f64 {
        self.outward * area_vector(work, t).try_normalize(0.0).map_or(0.0, |n| n.dot(&self.axis))
    }
}

/// The triangle at the nose that faces away from the surface's middle, and the one behind it that faces the other way, nearest to the line
/// from the nose to the middle.
fn seeds(work: &Work, nose: &Point) -> Option<[usize; 2]> {
    let count = work.triangles.len();
    let view = View::new(work, nose)?;
    let facing = |t: usize| view.facing(work, t);
    let from_line = |t: usize| {
        let away = centre(work, t) - nose.coords;
        (away - view.axis * away.dot(&view.axis)).norm()
    };
    let to_nose = |t: usize| (centre(work, t) - nose.coords).norm();
    let least = |of: &dyn Fn(usize) -> f64, wanted: &dyn Fn(f64) -> bool| {
        (0..count).filter(|&t| wanted(facing(t))).min_by(|&a, &b| of(a).total_cmp(&of(b)))
    };
    Some([least(&to_nose, &|cosine| cosine > ALONG)?, least(&from_line, &|cosine| cosine < -ALONG)?])
}

/// For each triangle whether the way to `first` is shorter than that to `second`; a crease is as long a way as the surface is wide.
fn nearer_to_first(work: &Work, first: usize, second: usize) -> Vec<bool> {
    let table = EdgeTable::new(&work.triangles, work.places.len());
    let centres: Vec<Vector> = (0..work.triangles.len()).map(|t| centre(work, t)).collect();
    let normals: Vec<Vector> = (0..work.triangles.len())
        .map(|t| area_vector(work, t).try_normalize(0.0).unwrap_or_else(Vector::zeros))
        .collect();
    let wide = 2.0 * centres.iter().map(|c| (c - centres[first]).norm()).fold(0.0, f64::max);
    let mut reached: Vec<Option<bool>> = vec![None; centres.len()];
    // Positive numbers compare as their bits do.
    let mut heap = BinaryHeap::from([Reverse((0u64, first, true)), Reverse((0u64, second, false))]);
    while let Some(Reverse((way, t, is_first))) = heap.pop() {
        if reached[t].is_some() {
            continue;
        }
        reached[t] = Some(is_first);
        for side in 3 * t..3 * t + 3 {
            for next in table.sides_at(side).iter().map(|over| over / 3).filter(|&u| reached[u].is_none()) {
                let crease = if normals[t].dot(&normals[next]) < CREASE { wide } else { 0.0 };
                let far = f64::from_bits(way) + (centres[next] - centres[t]).norm() + crease;
                heap.push(Reverse((far.to_bits(), next, is_first)));
            }
        }
    }
    reached.into_iter().map(|reached| reached == Some(true)).collect()
}
