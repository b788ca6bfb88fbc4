//! From a surface with gaps to a disk: opening what is tangled, filling what is open.

use super::super::edges::{EdgeTable, corner_fans};
use super::super::fill::fill_rim;
use super::super::necks::{Arc, generating_arcs, triangles_along};
use super::super::neighbours::Neighbours;
use super::super::survey::{Survey, beside_largest_component, component_sizes};
use super::super::topology::{BoundaryLoop, pinched};
use super::super::{MeshError, Point, Vector};
use super::insert::{About, insert_point};
use super::interior::fill_region;
use std::collections::{HashMap, HashSet, VecDeque};

/// A cloud with what is known of it.
pub(crate) struct Cloud<'a> {
    pub points: &'a [Point],
    pub normals: &'a [Vector],
    pub neighbours: &'a Neighbours,
}

/// How often a tangle is opened wider before giving up.
const ROUNDS: usize = 60;
/// How often handles are cut across before everything around the holes is opened instead.
const PATIENCE: usize = 30;
/// Rims up to this many edges are taken for missing triangles and not for the mouths of tangles.
const SMALL_HOLE: usize = 6;
/// How often cuts from small holes are tried, where there are no others.
const SMALL_CUTS: usize = 8;
/// How often fillings that clash are taken out again.
const REFILLS: usize = 6;
/// A cut across a handle of more vertices than this is not taken for an error of sampling.
const LONGEST_NECK: usize = 8;
/// A surface that falls apart unless one in so many triangles goes has real handles; scans of mouths and nostrils lose one in
/// forty at most.
const LARGEST_LOSS: usize = 16;
/// An inner border wider than this fraction of the outer one is a real second border.
const WIDEST_HOLE: f64 = 0.5;

/// More handles than one for so many triangles are those of points that make no surface at all.
const LEAST_FOR_A_HANDLE: usize = 50;

/// A surface without gaps.
pub(crate) struct Closed {
    pub triangles: Vec<[usize; 3]>,
    /// The numbers of the triangles that filling has made, rising.
    pub new: Vec<usize>,
    /// The vertices of the outer border, before points were added to it.
    pub border: Vec<usize>,
}

/// Makes a surface a disk on all points that can be reached from its largest component: opens what is pinched
/// or has handles, then fills every hole with the points that lie loose there; where the fillings get in each
/// other's way, opens wider and fills again.
///
/// # Errors
/// [`MeshError::NotADisk`] for no surface, several surfaces, a closed one, and one with handles that do not come open.
pub(crate) fn close_gaps(cloud: &Cloud<'_>, mut triangles: Vec<[usize; 3]>) -> Result<Closed, MeshError> {
    let mut table = EdgeTable::new(&triangles, cloud.points.len());
    refuse_two_surfaces(&triangles, &table)?;
    let mut round = 0;
    loop {
        let survey = open_tangles(cloud, &mut triangles, table)?;
        let border = survey.loops.first().map(|l| l.vertices.clone()).unwrap_or_default();
        let (filled, new) = fill_all(cloud, &survey, &triangles);
        let clashes =
            if new.is_empty() { Vec::new() } else { clashing_vertices(&filled, cloud.points.len()) };
        if clashes.is_empty() || round == REFILLS {
            return Ok(Closed { triangles: filled, new, border });
        }
        let clash = |t: &[usize; 3]| t.iter().any(|v| clashes.binary_search(v).is_ok());
        let is_gone: Vec<bool> = triangles.iter().map(clash).collect();
        table = without(&mut triangles, &survey.table, &is_gone);
        round += 1;
    }
}

fn refuse_two_surfaces(triangles: &[[usize; 3]], table: &EdgeTable) -> Result<(), MeshError> {
    let mut sizes = component_sizes(triangles, table);
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    match sizes[..] {
        [] => Err(MeshError::NotADisk(
            "no surface can be recognized in the points; are they a surface, evenly sampled?".into(),
        )),
        [largest, second, ..] if second > largest / 3 => Err(MeshError::NotADisk(format!(
            "the points make more than one surface ({largest} and {second} triangles); keep one face per file"
        ))),
        _ => Ok(()),
    }
}

fn fill_all(cloud: &Cloud<'_>, survey: &Survey, surface: &[[usize; 3]]) -> (Vec<[usize; 3]>, Vec<usize>) {
    let mut triangles = surface.to_vec();
    if survey.loops.len() > 1 {
        triangles.append(&mut fill_holes(cloud, survey, surface));
    }
    let mut new: Vec<usize> = (surface.len()..triangles.len()).collect();
    let mut used = vec![false; cloud.points.len()];
    triangles.iter().flatten().for_each(|&v| used[v] = true);
    let reached = within_reach(cloud, &used);
    let mut about = About::new(if reached.is_empty() { &[] } else { &triangles }, cloud.points.len());
    for v in reached {
        let Cloud { points, normals, neighbours } = cloud;
        new.extend(insert_point(points, normals, neighbours, &mut triangles, &mut about, &used, v));
        used[v] = true;
    }
    new.sort_unstable();
    new.dedup();
    (triangles, new)
}

/// Ends of edges with more than two sides and vertices with more than one fan, rising.
fn clashing_vertices(triangles: &[[usize; 3]], n_vertices: usize) -> Vec<usize> {
    let table = EdgeTable::new(triangles, n_vertices);
    let mut out = pinched(triangles, &corner_fans(triangles, &table), n_vertices);
    out.extend(table.edges().iter().filter(|e| table.sides(e).len() > 2).flat_map(|e| e.ends));
    out.sort_unstable();
    out.dedup();
    out
}

/// Takes triangles away, of which this is the table, until the surface is one piece without handles whose border loops pass no vertex
/// twice.
fn open_tangles(
    cloud: &Cloud<'_>,
    triangles: &mut Vec<[usize; 3]>,
    mut table: EdgeTable,
) -> Result<Survey, MeshError> {
    let at_first = triangles.len();
    let mut left = SMALL_CUTS;
    for round in 0..ROUNDS {
        let beside = beside_largest_component(triangles, &table);
        if !beside.is_empty() {
            table = without(triangles, &table, &marked(&beside, triangles.len()));
            continue;
        }
        let survey = Survey::with(table, cloud.points, triangles);
        let mut gone = survey.lesser_fans(triangles);
        refuse_closed(cloud.points, triangles, &survey)?;
        if survey.handles > 10 + triangles.len() / LEAST_FOR_A_HANDLE {
            break;
        }
        if survey.handles > 0 {
            let mut cuts = necks(&survey, triangles, true);
            if cuts.is_empty() && left > 0 {
                left -= 1;
                cuts = necks(&survey, triangles, false);
            }
            if cuts.is_empty() || round >= PATIENCE {
                cuts = around_holes(&survey, triangles);
            }
            gone.extend(cuts);
        } else if gone.is_empty() {
            return Ok(survey);
        }
        if gone.is_empty() || triangles.len() < at_first - at_first / LARGEST_LOSS {
            break;
        }
        table = without(triangles, &survey.table, &marked(&gone, triangles.len()));
    }
    Err(MeshError::NotADisk(match Survey::of(cloud.points, triangles).handles {
        0 => "the points make a surface that hangs together by single points only; are they evenly sampled? give a mesh instead".into(),
        1 => "the points make a surface with a handle, like a torus, which cannot be flattened; give a mesh, or crop the points to the face".into(),
        n => format!(
            "the points make a surface with {n} handles, like a torus, which cannot be flattened; give a mesh, or crop the points to the face"
        ),
    }))
}

/// The triangles along as many short arcs as there are handles; none when the arcs are too long for errors of
/// sampling.
/// Small holes are no places to cut handles from, unless `cover` is false.
fn necks(survey: &Survey, triangles: &[[usize; 3]], cover: bool) -> Vec<usize> {
    // Pinched vertices are taken apart, a vertex for each fan, so that no arc jumps from fan to fan.
    let apart: Vec<[usize; 3]> =
        (0..triangles.len()).map(|t| [0, 1, 2].map(|k| survey.fans[3 * t + k])).collect();
    let table = survey.table.apart(&survey.fans);
    let in_fans = |(l, corners): (&BoundaryLoop, &Vec<usize>)| {
        let vertices = corners.iter().map(|&corner| survey.fans[corner]).collect();
        BoundaryLoop { vertices, length: l.length }
    };
    let loops: Vec<BoundaryLoop> = survey.loops.iter().zip(&survey.corners).map(in_fans).collect();
    let outer = loops.first().map_or(0, |l| l.vertices.len());
    let is_covered = |l: &BoundaryLoop| cover && l.vertices.len() <= SMALL_HOLE.min(outer.saturating_sub(1));
    let n_corners = 3 * apart.len();
    let arcs = generating_arcs(&apart, &table, &loops, n_corners, &is_covered);
    let short = |arc: &&Arc| arc.vertices.len() <= LONGEST_NECK;
    let mut chosen: Vec<&Arc> =
        arcs.iter().filter(short).filter(|arc| arc.is_on_one_loop).take(survey.handles).collect();
    if chosen.is_empty() {
        // No arc comes back to its loop: join loops first.
        let longest = if cover { LONGEST_NECK } else { LONGEST_NECK / 2 };
        chosen.extend(arcs.iter().find(|arc| arc.vertices.len() <= longest));
    }
    triangles_along(&apart, n_corners, chosen)
}

/// Which of `n` have these numbers.
fn marked(numbers: &[usize], n: usize) -> Vec<bool> {
    let mut out = vec![false; n];
    numbers.iter().for_each(|&k| out[k] = true);
    out
}

/// Takes triangles away; the table of those that are left.
fn without(triangles: &mut Vec<[usize; 3]>, table: &EdgeTable, is_gone: &[bool]) -> EdgeTable {
    let mut gone = is_gone.iter();
    triangles.retain(|_| gone.next().is_none_or(|gone| !gone));
    table.without(is_gone)
}

/// The triangles around the rims of the inner holes that are not small.
fn around_holes(survey: &Survey, triangles: &[[usize; 3]]) -> Vec<usize> {
    let large = survey.loops.iter().skip(1).filter(|l| l.vertices.len() > SMALL_HOLE);
    let open: HashSet<usize> = large.flat_map(|l| l.vertices.iter().copied()).collect();
    let outer: HashSet<usize> =
        survey.loops.first().into_iter().flat_map(|l| l.vertices.iter().copied()).collect();
    let is_gone = |t: &[usize; 3]| t.iter().any(|v| open.contains(v)) && !t.iter().any(|v| outer.contains(v));
    (0..triangles.len()).filter(|&t| is_gone(&triangles[t])).collect()
}

fn refuse_closed(points: &[Point], triangles: &[[usize; 3]], survey: &Survey) -> Result<(), MeshError> {
    let area: f64 = triangles
        .iter()
        .map(|&[a, b, c]| 0.5 * (points[b] - points[a]).cross(&(points[c] - points[a])).norm())
        .sum();
    // A flat disk has 3.5, a hemisphere 2.5, a whole head open at the neck about 1. The rim of a gap in the sampling
    // may be long and jagged, but it is not wide.
    let rim = survey.loops.first();
    let rim = rim.map_or(0.0, |l| l.length.min(std::f64::consts::TAU * width(points, &l.vertices)));
    let roundness = rim / area.sqrt();
    if roundness > 0.35 {
        return Ok(());
    }
    let shape = if survey.handles == 0 { "a sphere" } else { "a torus" };
    Err(MeshError::NotADisk(format!(
        "the points make a closed surface, like {shape}, without a border; crop the scan to the face"
    )))
}

/// Triangles for every inner hole that is not a border in its own right.
fn fill_holes(cloud: &Cloud<'_>, survey: &Survey, triangles: &[[usize; 3]]) -> Vec<[usize; 3]> {
    let loose_of = loose_points_by_hole(cloud, survey, triangles);
    let table = &survey.table;
    let mut out: Vec<[usize; 3]> = Vec::new();
    let mut added: HashSet<[usize; 2]> = HashSet::new();
    for (l, loose) in survey.loops.iter().zip(&loose_of).skip(1) {
        if width(cloud.points, &l.vertices) > WIDEST_HOLE * width(cloud.points, &survey.loops[0].vertices) {
            continue;
        }
        // The surface lies on the left of the loop, the hole on its right.
        let rim: Vec<usize> = l.vertices.iter().rev().copied().collect();
        let normals: Vec<Vector> = rim.iter().map(|&v| cloud.normals[v]).collect();
        let known = |a: usize, b: usize| {
            let ends = [a.min(b), a.max(b)];
            added.contains(&ends) || table.edges().binary_search_by(|e| e.ends.cmp(&ends)).is_ok()
        };
        let simple = loose.is_empty().then(|| fill_rim(cloud.points, &rim, &normals, &known)).flatten();
        let region = || fill_region(cloud.points, cloud.normals, cloud.neighbours, &rim, loose, &known);
        let filling = simple.or_else(region).unwrap_or_default();
        for t in &filling {
            added.extend((0..3).map(|k| (t[k], t[(k + 1) % 3])).map(|(a, b)| [a.min(b), a.max(b)]));
        }
        out.extend(filling);
    }
    out
}

/// The largest distance of these points from their mean.
fn width(points: &[Point], of: &[usize]) -> f64 {
    let mean: Vector = of.iter().map(|&v| points[v].coords / of.len() as f64).sum();
    of.iter().map(|&v| (points[v].coords - mean).norm()).fold(0.0, f64::max)
}

/// For every loop the unused points nearest to it along neighbours; none for the outer loop.
fn loose_points_by_hole(cloud: &Cloud<'_>, survey: &Survey, triangles: &[[usize; 3]]) -> Vec<Vec<usize>> {
    const NOBODY: usize = usize::MAX;
    let mut owner = vec![NOBODY; cloud.points.len()];
    let mut is_loose = vec![true; cloud.points.len()];
    triangles.iter().flatten().for_each(|&v| is_loose[v] = false);
    let mut out = vec![Vec::new(); survey.loops.len()];
    if !is_loose.contains(&true) {
        return out;
    }
    let links = loose_links(cloud, &is_loose);
    let mut queue = VecDeque::new();
    for (k, l) in survey.loops.iter().enumerate() {
        for &v in &l.vertices {
            owner[v] = k;
            queue.push_back(v);
        }
    }
    while let Some(v) = queue.pop_front() {
        for &u in links.get(&v).into_iter().flatten() {
            if is_loose[u] && owner[u] == NOBODY {
                owner[u] = owner[v];
                queue.push_back(u);
            }
        }
    }
    (0..owner.len())
        .filter(|&v| is_loose[v] && owner[v] != NOBODY && owner[v] > 0)
        .for_each(|v| out[owner[v]].push(v));
    out
}

/// The neighbour graph (either way, eight each) as far as it touches loose points.
fn loose_links(cloud: &Cloud<'_>, is_loose: &[bool]) -> HashMap<usize, Vec<usize>> {
    let mut links: HashMap<usize, Vec<usize>> = HashMap::new();
    for (v, &loose) in is_loose.iter().enumerate() {
        for &u in cloud.neighbours.of(v).iter().take(8) {
            let u = u as usize;
            if loose || is_loose[u] {
                links.entry(v).or_default().push(u);
                links.entry(u).or_default().push(v);
            }
        }
    }
    links
}

/// Unused points that a chain of close neighbours joins to the surface, nearest along the chain first; the
/// others are debris.
fn within_reach(cloud: &Cloud<'_>, used: &[bool]) -> Vec<usize> {
    let is_loose: Vec<bool> = used.iter().map(|u| !u).collect();
    if !is_loose.contains(&true) {
        return Vec::new();
    }
    let links = loose_links(cloud, &is_loose);
    let close = typical_spacing(cloud) * 4.0;
    let mut reached = used.to_vec();
    let mut queue: VecDeque<usize> = (0..used.len()).filter(|&v| used[v] && links.contains_key(&v)).collect();
    let mut out = Vec::new();
    while let Some(v) = queue.pop_front() {
        for &u in links.get(&v).into_iter().flatten() {
            if !reached[u] && (cloud.points[u] - cloud.points[v]).norm() < close {
                reached[u] = true;
                out.push(u);
                queue.push_back(u);
            }
        }
    }
    out
}

/// The median distance to the sixth neighbour.
fn typical_spacing(cloud: &Cloud<'_>) -> f64 {
    let mut distances: Vec<f64> = (0..cloud.points.len())
        .filter_map(|v| {
            let far = *cloud.neighbours.of(v).iter().take(6).next_back()?;
            Some((cloud.points[far as usize] - cloud.points[v]).norm())
        })
        .collect();
    let middle = distances.len() / 2;
    if distances.is_empty() { 0.0 } else { *distances.select_nth_unstable_by(middle, f64::total_cmp).1 }
}

/// Whether every edge has at most two sides and V − E + F = 1.
pub(crate) fn is_disk(triangles: &[[usize; 3]], n_vertices: usize) -> bool {
    let table = EdgeTable::new(triangles, n_vertices);
    let mut used = vec![false; n_vertices];
    triangles.iter().flatten().for_each(|&v| used[v] = true);
    let n_used = used.iter().filter(|&&u| u).count();
    table.edges().iter().all(|e| table.sides(e).len() <= 2)
        && n_used + triangles.len() == table.edges().len() + 1
}
