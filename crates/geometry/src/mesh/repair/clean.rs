//! Repairs that leave the shape as it is: welding, dropping waste, one oriented piece.

use super::super::edges::{EdgeTable, side_ends};
use super::super::refine::Refiner;
use super::super::sheet::Sheet;
use super::super::topology::{component_labels, duplicate_places, duplicate_triangles};
use super::super::{MeshError, Point, Vector};
use super::log::RepairKind;
use super::stitch::stitch;
use super::work::Work;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// Lets the first vertex at each place stand for all at exactly that place (an STL file repeats them all).
pub(crate) fn weld(work: &mut Work) {
    let repeated = duplicate_places(&work.places);
    if repeated.is_empty() {
        return;
    }
    let key = |p: &Point| [p.x + 0.0, p.y + 0.0, p.z + 0.0].map(f64::to_bits);
    let mut first = HashMap::with_capacity(work.places.len());
    let stands_for: Vec<usize> =
        work.places.iter().enumerate().map(|(v, p)| *first.entry(key(p)).or_insert(v)).collect();
    let welded = work.sources(repeated.into_iter().filter(|&v| stands_for[v] != v));
    work.triangles.iter_mut().flatten().for_each(|v| *v = stands_for[*v]);
    work.note(RepairKind::WeldedVertices, welded, vec![], 0);
}

/// Drops triangles that name a vertex twice and repeated triangles.
pub(crate) fn drop_collapsed_and_duplicates(work: &mut Work) {
    let is_proper: Vec<bool> = work.triangles.iter().map(|&[a, b, c]| a != b && b != c && c != a).collect();
    let gone = work.retain(|t| is_proper[t]);
    if !gone.is_empty() {
        work.note(RepairKind::DroppedCollapsedTriangles, vec![], gone, 0);
    }
    let duplicates = duplicate_triangles(&work.triangles);
    if !duplicates.is_empty() {
        let gone = work.retain(|t| duplicates.binary_search(&t).is_err());
        work.note(RepairKind::DroppedDuplicateTriangles, vec![], gone, 0);
    }
}

/// Keeps one piece, the nearest to the nose or else the largest, oriented and edge-manifold. Where the surface will be cropped about the nose,
/// only what is left then has a say: a wall or a chest in the scan may be larger than the face.
pub(crate) fn keep_one_oriented_piece(
    work: &mut Work,
    nose: Option<Point>,
    crop_radius: Option<f64>,
    largest_rest: f64,
) -> Result<(), MeshError> {
    if work.triangles.is_empty() {
        return Err(MeshError::Degenerate("the mesh has no triangles of three different vertices".into()));
    }
    let mut table = EdgeTable::new(&work.triangles, work.places.len());
    let mut labels = component_labels(&work.triangles, &table);
    if stitch(work, &table, &labels) {
        drop_collapsed_and_duplicates(work);
        table = EdgeTable::new(&work.triangles, work.places.len());
        labels = component_labels(&work.triangles, &table);
    }
    let areas = area_by_piece(work, &labels, nose.zip(crop_radius));
    let piece = choose_piece(work, &labels, &areas, nose);
    refuse_second_surface(&areas, piece, largest_rest)?;
    let is_clean = |e: &super::super::Edge| match table.sides(e) {
        [_] => true,
        &[a, b] => side_ends(&work.triangles, a) != side_ends(&work.triangles, b),
        _ => false,
    };
    if table.edges().iter().all(is_clean) {
        let gone = work.retain(|t| labels[t] == piece);
        if !gone.is_empty() {
            work.note(RepairKind::DroppedPieces, vec![], gone, 0);
        }
        return Ok(());
    }
    keep_grown(work, &table, &labels, piece);
    Ok(())
}

fn area(work: &Work, t: usize) -> f64 {
    let [a, b, c] = work.triangles[t].map(|v| work.places[v]);
    0.5 * (b - a).cross(&(c - a)).norm()
}

/// The area of each piece; of its triangles in this ball, if there is one.
fn area_by_piece(work: &Work, labels: &[usize], ball: Option<(Point, f64)>) -> Vec<f64> {
    let is_in = |t: usize| {
        ball.is_none_or(|(nose, radius)| {
            work.triangles[t].iter().all(|&v| (work.places[v] - nose).norm() <= radius)
        })
    };
    let mut areas = vec![0.0; work.triangles.len()];
    (0..labels.len()).filter(|&t| is_in(t)).for_each(|t| areas[labels[t]] += area(work, t));
    areas
}

/// The piece with the largest area; with a nose, the one nearest to it among those of some size.
fn choose_piece(work: &Work, labels: &[usize], areas: &[f64], nose: Option<Point>) -> usize {
    let largest =
        (0..areas.len()).max_by(|&a, &b| areas[a].total_cmp(&areas[b]).then(b.cmp(&a))).unwrap_or(0);
    let Some(nose) = nose else { return largest };
    let distance = |t: usize| {
        work.triangles[t].iter().map(|&v| (work.places[v] - nose).norm()).fold(f64::INFINITY, f64::min)
    };
    (0..labels.len())
        .filter(|&t| areas[labels[t]] > 0.05 * areas[largest])
        .min_by(|&a, &b| distance(a).total_cmp(&distance(b)))
        .map_or(largest, |t| labels[t])
}

fn refuse_second_surface(areas: &[f64], piece: usize, largest_rest: f64) -> Result<(), MeshError> {
    let other = (0..areas.len()).filter(|&l| l != piece).map(|l| areas[l]).fold(0.0, f64::max);
    if other <= largest_rest * areas[piece] {
        return Ok(());
    }
    Err(MeshError::NotADisk(format!(
        "two surfaces of similar size (the second has {:.0} % of the area of the first): keep one face per file",
        100.0 * other / areas[piece]
    )))
}

/// Grows a sheet from the flattest part of the piece, turning triangles to agree with those they are reached
/// from, flattest joints first: what stands out from an edge with three sides comes last and is left out.
fn keep_grown(work: &mut Work, table: &EdgeTable, labels: &[usize], piece: usize) {
    let unit: Vec<Vector> = work
        .triangles
        .iter()
        .map(|t| {
            let [a, b, c] = t.map(|v| work.places[v]);
            (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_else(Vector::zeros)
        })
        .collect();
    // Positive numbers compare as their bits do.
    let bend = |t: usize, u: usize, opposite: bool| {
        let cosine = unit[t].dot(&unit[u]) * if opposite { -1.0 } else { 1.0 };
        (1.0 - cosine).max(0.0).to_bits()
    };
    let mut sheet = Sheet::new(work.places.len());
    let mut turned: Vec<Option<bool>> = vec![None; work.triangles.len()];
    let mut heap = BinaryHeap::new();
    let seed = (0..labels.len()).filter(|&t| labels[t] == piece).max_by(|&a, &b| {
        let size = |t: usize| (3 * t..3 * t + 3).filter(|&s| table.multiplicity(s) == 2).count();
        size(a).cmp(&size(b)).then(area(work, a).total_cmp(&area(work, b)))
    });
    heap.extend(seed.map(|t| Reverse((0u64, t, false))));
    while let Some(Reverse((_, t, turn))) = heap.pop() {
        if turned[t].is_some() {
            continue;
        }
        let [a, b, c] = work.triangles[t].map(|v| v as u32);
        if !sheet.try_add(if turn { [a, c, b] } else { [a, b, c] }) {
            continue;
        }
        turned[t] = Some(turn);
        for side in 3 * t..3 * t + 3 {
            for &over in table.sides_at(side).iter().filter(|&&over| turned[over / 3].is_none()) {
                let same_way = side_ends(&work.triangles, side) == side_ends(&work.triangles, over);
                heap.push(Reverse((bend(t, over / 3, same_way), over / 3, turn != same_way)));
            }
        }
    }
    let reached = |t: usize| turned[t].is_some();
    let tangled: Vec<usize> = (0..labels.len())
        .filter(|&t| {
            !reached(t) && (3 * t..3 * t + 3).any(|s| table.sides_at(s).iter().any(|&o| reached(o / 3)))
        })
        .filter_map(|t| work.triangle_source[t])
        .collect();
    let over: Vec<usize> = (0..labels.len()).filter(|&t| turned[t] == Some(true)).collect();
    let turned_sources: Vec<usize> = over.iter().filter_map(|&t| work.triangle_source[t]).collect();
    over.iter().for_each(|&t| work.triangles[t].swap(1, 2));
    let mut gone = work.retain(reached);
    gone.retain(|t| !tangled.contains(t));
    for (kind, list) in [
        (RepairKind::DroppedTangledTriangles, tangled),
        (RepairKind::TurnedTriangles, turned_sources),
        (RepairKind::DroppedPieces, gone),
    ] {
        if !list.is_empty() {
            work.note(kind, vec![], list, 0);
        }
    }
}

/// Flips edges at triangles of (nearly) no area until they have some, where that is possible.
pub(crate) fn flip_slivers(work: &mut Work) {
    let is_flat = |t: &[usize; 3]| {
        let [a, b, c] = t.map(|v| work.places[v]);
        let longest = (b - a).norm_squared().max((c - b).norm_squared()).max((a - c).norm_squared());
        (b - a).cross(&(c - a)).norm() <= 1e-9 * longest
    };
    let flat: Vec<usize> = (0..work.triangles.len()).filter(|&t| is_flat(&work.triangles[t])).collect();
    if flat.is_empty() {
        return;
    }
    let sources: Vec<usize> = flat.iter().filter_map(|&t| work.triangle_source[t]).collect();
    let normals = work.normals();
    let mut refiner = Refiner::new(&work.places, &normals, &work.triangles);
    refiner.flip_edges(&flat);
    work.triangles = refiner.into_triangles();
    work.note(RepairKind::FlippedSlivers, vec![], sources, 0);
}
