//! Handles opened, holes filled, pinched vertices split.

use super::super::edges::{EdgeTable, corner_fans};
use super::super::fill::{LONGEST_RIM, fill_rim};
use super::super::necks::{generating_arcs, triangles_along};
use super::super::refine::Refiner;
use super::super::survey::Survey;
use super::super::topology::{boundary_loops, component_labels};
use super::super::{MeshError, Point, Vector};
use super::log::RepairKind;
use super::work::Work;
use std::collections::{HashMap, HashSet};

/// A cut across a handle longer than this fraction of the width of the outer border is a real handle.
const LONGEST_CUT: f64 = 0.25;
/// How often handles are cut open before giving up.
const ROUNDS: usize = 12;

/// Makes one oriented, edge-manifold piece a disk.
pub(crate) fn close(work: &mut Work, widest_hole: f64) -> Result<(), MeshError> {
    let survey = open_handles(work)?;
    let mut holes = simple_holes(&survey);
    if !holes.is_empty() {
        let outer = holes.swap_remove(outermost(work, &holes));
        refuse_wide(work, &holes, &outer, widest_hole)?;
        fill(work, &holes)?;
    }
    let fans = if holes.is_empty() { survey.fans } else { fans_of(work) };
    split_pinched(work, &fans);
    Ok(())
}

fn open_handles(work: &mut Work) -> Result<Survey, MeshError> {
    for round in 0..=ROUNDS {
        let survey = Survey::of(&work.places, &work.triangles);
        if survey.loops.is_empty() {
            return Err(MeshError::NotADisk(match survey.handles {
                0 => "a closed surface, like a sphere: crop it to the face, or cut it open".into(),
                n => format!("a closed surface with {n} handles, like a torus: crop it to the face"),
            }));
        }
        if survey.handles == 0 {
            return Ok(survey);
        }
        let cut = if round < ROUNDS { triangles_to_open(work, &survey) } else { HashSet::new() };
        if cut.is_empty() {
            return Err(MeshError::NotADisk(format!(
                "the surface has {} handles and cannot be flattened: crop it tighter, or cut the handles open",
                survey.handles
            )));
        }
        let mut gone = work.retain(|t| !cut.contains(&t));
        gone.extend(keep_largest(work));
        work.note(RepairKind::OpenedHandles, vec![], gone, 0);
    }
    Ok(Survey::of(&work.places, &work.triangles))
}

/// The triangles along short cuts across handles, as many cuts as handles at most.
fn triangles_to_open(work: &Work, survey: &Survey) -> HashSet<usize> {
    let apart: Vec<[usize; 3]> =
        (0..work.triangles.len()).map(|t| [0, 1, 2].map(|k| survey.fans[3 * t + k])).collect();
    let places: Vec<Point> = work.triangles.iter().flatten().map(|&v| work.places[v]).collect();
    let table = EdgeTable::new(&apart, places.len());
    let loops = boundary_loops(&places, &apart, &table);
    let longest = loops.first().map_or(0.0, |l| LONGEST_CUT * width(&places, &l.vertices));
    let length = |arc: &[usize]| arc.windows(2).map(|w| (places[w[0]] - places[w[1]]).norm()).sum::<f64>();
    let arcs = generating_arcs(&apart, &table, &loops, places.len(), &|_| false);
    let short: Vec<_> = arcs.iter().filter(|arc| length(&arc.vertices) <= longest).collect();
    let on_one: Vec<_> = short.iter().filter(|arc| arc.is_on_one_loop).take(survey.handles).collect();
    // Where no short cut comes back to its loop, two loops are joined first.
    let chosen = if on_one.is_empty() { short.iter().take(1).collect() } else { on_one };
    triangles_along(&apart, places.len(), chosen.into_iter().copied()).into_iter().collect()
}

/// Keeps the piece with the most triangles; returns the input numbers of the others.
pub(crate) fn keep_largest(work: &mut Work) -> Vec<usize> {
    let labels = component_labels(&work.triangles, &EdgeTable::new(&work.triangles, work.places.len()));
    let mut sizes: HashMap<usize, usize> = HashMap::new();
    labels.iter().for_each(|&l| *sizes.entry(l).or_default() += 1);
    let largest = sizes.iter().max_by_key(|&(&l, &size)| (size, std::cmp::Reverse(l))).map_or(0, |(&l, _)| l);
    work.retain(|t| labels[t] == largest)
}

/// The border as loops that pass no vertex twice. Since the surface is one piece, a loop that touches itself
/// at a vertex encloses a hole there.
fn simple_holes(survey: &Survey) -> Vec<Vec<usize>> {
    let mut out = Vec::new();
    for l in &survey.loops {
        let mut open: Vec<usize> = Vec::new();
        let mut position: HashMap<usize, usize> = HashMap::new();
        for &v in &l.vertices {
            if let Some(&at) = position.get(&v) {
                let closed: Vec<usize> = open.drain(at..).collect();
                closed.iter().for_each(|u| {
                    position.remove(u);
                });
                out.push(closed);
            }
            position.insert(v, open.len());
            open.push(v);
        }
        out.push(open);
    }
    out
}

fn outermost(work: &Work, loops: &[Vec<usize>]) -> usize {
    let widths: Vec<f64> = loops.iter().map(|l| width(&work.places, l)).collect();
    (0..loops.len()).max_by(|&a, &b| widths[a].total_cmp(&widths[b]).then(b.cmp(&a))).unwrap_or(0)
}

/// The largest distance of these vertices from their mean.
fn width(places: &[Point], of: &[usize]) -> f64 {
    let mean: Vector = of.iter().map(|&v| places[v].coords / of.len() as f64).sum();
    of.iter().map(|&v| (places[v].coords - mean).norm()).fold(0.0, f64::max)
}

fn refuse_wide(
    work: &Work,
    holes: &[Vec<usize>],
    outer: &[usize],
    widest_hole: f64,
) -> Result<(), MeshError> {
    let limit = widest_hole * width(&work.places, outer);
    match holes.iter().find(|h| width(&work.places, h) > limit || h.len() > LONGEST_RIM) {
        None => Ok(()),
        Some(hole) => Err(MeshError::NotADisk(format!(
            "a hole of {} edges is {:.0} % as wide as the outer border, too wide to fill: the surface is a ring or a tube; crop it to the face",
            hole.len(),
            100.0 * width(&work.places, hole) / width(&work.places, outer)
        ))),
    }
}

/// Fills the holes and smooths the fillings by edge flips.
fn fill(work: &mut Work, holes: &[Vec<usize>]) -> Result<(), MeshError> {
    if holes.is_empty() {
        return Ok(());
    }
    let mut normals = work.normals();
    let table = EdgeTable::new(&work.triangles, work.places.len());
    let mut added: HashSet<[usize; 2]> = HashSet::new();
    let mut new = Vec::new();
    for hole in holes {
        // The surface lies on the left of the loop, the hole on its right.
        let rim: Vec<usize> = hole.iter().rev().copied().collect();
        let rim_normals: Vec<Vector> = rim.iter().map(|&v| normals[v]).collect();
        let is_edge = |a: usize, b: usize| {
            let ends = [a.min(b), a.max(b)];
            added.contains(&ends) || table.edges().binary_search_by(|e| e.ends.cmp(&ends)).is_ok()
        };
        let filling = fill_rim(&work.places, &rim, &rim_normals, &is_edge).unwrap_or_else(|| {
            // Where the rim touches other holes, its diagonals may be edges elsewhere: those to a new vertex are not.
            normals.push(rim_normals.iter().sum::<Vector>().try_normalize(0.0).unwrap_or_else(Vector::zeros));
            let middle =
                Point::from(rim.iter().map(|&v| work.places[v].coords).sum::<Vector>() / rim.len() as f64);
            let middle = work.add_vertex(middle, None);
            (0..rim.len()).map(|k| [rim[k], rim[(k + 1) % rim.len()], middle]).collect()
        });
        for t in &filling {
            added.extend((0..3).map(|k| [t[k].min(t[(k + 1) % 3]), t[k].max(t[(k + 1) % 3])]));
        }
        new.extend(filling);
    }
    let rims = work.sources(holes.iter().flatten().copied());
    let (first, count) = (work.triangles.len(), new.len());
    work.add_triangles(new);
    work.note(RepairKind::FilledHoles, rims, vec![], count);
    relax(work, &normals, first);
    Ok(())
}

/// Flips edges among the triangles from number `first` on, the fillings.
fn relax(work: &mut Work, normals: &[Vector], first: usize) {
    let table = EdgeTable::new(&work.triangles, work.places.len());
    let is_manifold = table.edges().iter().all(|e| table.sides(e).len() <= 2);
    let fans = corner_fans(&work.triangles, &table);
    let pinched = super::super::topology::pinched(&work.triangles, &fans, work.places.len());
    // The walkers of the refiner need one fan at each vertex.
    if is_manifold && pinched.is_empty() {
        let mut refiner = Refiner::new(&work.places, normals, &work.triangles);
        refiner.flip_edges_within(first);
        work.triangles = refiner.into_triangles();
    }
}

/// The fan of each corner.
fn fans_of(work: &Work) -> Vec<usize> {
    corner_fans(&work.triangles, &EdgeTable::new(&work.triangles, work.places.len()))
}

/// Gives every fan at a vertex a vertex of its own.
fn split_pinched(work: &mut Work, fans: &[usize]) {
    let mut vertex_of_fan: HashMap<usize, usize> = HashMap::new();
    let mut taken = vec![false; work.places.len()];
    let mut doubled = Vec::new();
    for (corner, &fan) in fans.iter().enumerate() {
        let (t, k) = (corner / 3, corner % 3);
        let v = work.triangles[t][k];
        if corner == fan {
            if taken[v] {
                let copy = work.add_vertex(work.places[v], work.source[v]);
                vertex_of_fan.insert(fan, copy);
                doubled.push(v);
            } else {
                taken[v] = true;
                vertex_of_fan.insert(fan, v);
            }
        }
        work.triangles[t][k] = vertex_of_fan.get(&fan).copied().unwrap_or(v);
    }
    if !doubled.is_empty() {
        let doubled = work.sources(doubled);
        work.note(RepairKind::SplitVertices, doubled, vec![], 0);
    }
}
