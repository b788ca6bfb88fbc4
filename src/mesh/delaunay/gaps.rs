//! From a surface with gaps to a disk: opening what is tangled, filling what is open.

use super::super::edges::{EdgeTable, corner_fans};
use super::super::fill::fill_rim;
use super::super::necks::{Arc, generating_arcs, triangles_along};
use super::super::neighbours::Neighbours;
use super::super::survey::{Survey, keep_largest_component};
use super::super::topology::{boundary_loops, pinched};
use super::super::{MeshError, Point, Vector};
use super::insert::insert_point;
use super::interior::fill_region;
use std::collections::{HashMap, HashSet, VecDeque};

/// A cloud with what is known of it.
pub(crate) struct Cloud<'a> {
    pub points: &'a [Point],
    pub normals: &'a [Vector],
    pub neighbours: &'a Neighbours,
}

/// How often a tangle is opened wider before giving up.
const ROUNDS: usize = 40;
/// How often handles are cut across before everything around the holes is opened instead.
const PATIENCE: usize = 20;
/// How often fillings that clash are taken out again.
const REFILLS: usize = 6;
/// A cut across a handle of more vertices than this is not taken for an error of sampling.
const LONGEST_NECK: usize = 12;
/// An inner border wider than this fraction of the outer one is a real second border.
const WIDEST_HOLE: f64 = 0.5;

/// Makes a surface of one component a disk on all points that can be reached from it: opens what is pinched
/// or has handles, then fills every hole with the points that lie loose there; where the fillings get in each
/// other's way, opens wider and fills again.
///
/// Returns the triangles and the numbers of those that are new, rising.
///
/// # Errors
/// [`MeshError::NotADisk`] for a closed surface and for one with handles that do not come open.
pub(crate) fn close_gaps(
    cloud: &Cloud<'_>,
    mut triangles: Vec<[usize; 3]>,
) -> Result<(Vec<[usize; 3]>, Vec<usize>), MeshError> {
    let mut filled = (Vec::new(), Vec::new());
    for _ in 0..REFILLS {
        let survey = open_tangles(cloud, &mut triangles)?;
        filled = fill_all(cloud, &survey, &triangles);
        let clashes = clashing_vertices(&filled.0, cloud.points.len());
        if clashes.is_empty() {
            break;
        }
        triangles.retain(|t| !t.iter().any(|v| clashes.binary_search(v).is_ok()));
    }
    Ok(filled)
}

fn fill_all(cloud: &Cloud<'_>, survey: &Survey, surface: &[[usize; 3]]) -> (Vec<[usize; 3]>, Vec<usize>) {
    let mut triangles = surface.to_vec();
    if survey.loops.len() > 1 {
        triangles.append(&mut fill_holes(cloud, survey, surface));
    }
    let mut new: Vec<usize> = (surface.len()..triangles.len()).collect();
    let mut used = vec![false; cloud.points.len()];
    triangles.iter().flatten().for_each(|&v| used[v] = true);
    for v in within_reach(cloud, &used) {
        new.extend(insert_point(cloud.points, cloud.normals, cloud.neighbours, &mut triangles, &used, v));
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

fn open_tangles(cloud: &Cloud<'_>, triangles: &mut Vec<[usize; 3]>) -> Result<Survey, MeshError> {
    let at_first = triangles.len();
    for round in 0..ROUNDS {
        keep_largest_component(triangles, cloud.points.len());
        let survey = Survey::of(cloud.points, triangles);
        refuse_closed(cloud.points, triangles, &survey)?;
        let lesser = survey.lesser_fans(triangles);
        if !lesser.is_empty() {
            let mut t = 0;
            triangles.retain(|_| {
                t += 1;
                lesser.binary_search(&(t - 1)).is_err()
            });
            continue;
        }
        if survey.handles == 0 {
            return Ok(survey);
        }
        let cut = round < PATIENCE && open_necks(cloud, &survey, triangles);
        if !cut {
            open_wider(&survey, triangles);
        }
        if triangles.len() < at_first - at_first / 8 {
            break;
        }
    }
    let survey = Survey::of(cloud.points, triangles);
    Err(MeshError::NotADisk(format!(
        "the points make a surface with {} handles, like a torus, which cannot be flattened; give a mesh, or crop the points to the face",
        survey.handles
    )))
}

/// Cuts as many short arcs as there are handles; false when an arc is too long to be an error of sampling.
fn open_necks(cloud: &Cloud<'_>, survey: &Survey, triangles: &mut Vec<[usize; 3]>) -> bool {
    // Pinched vertices are taken apart, a vertex for each fan, so that no arc jumps from fan to fan.
    let apart: Vec<[usize; 3]> =
        (0..triangles.len()).map(|t| [0, 1, 2].map(|k| survey.fans[3 * t + k])).collect();
    let places: Vec<Point> = triangles.iter().flatten().map(|&v| cloud.points[v]).collect();
    let table = EdgeTable::new(&apart, places.len());
    let loops = boundary_loops(&places, &apart, &table);
    let arcs = generating_arcs(&apart, &table, &loops, places.len());
    let short = |arc: &&Arc| arc.vertices.len() <= LONGEST_NECK;
    let mut chosen: Vec<&Arc> =
        arcs.iter().filter(short).filter(|arc| arc.is_on_one_loop).take(survey.handles).collect();
    if chosen.is_empty() {
        // No arc comes back to its loop: join loops first.
        chosen.extend(arcs.iter().find(short));
    }
    let mut open = vec![false; triangles.len()];
    for arc in &chosen {
        triangles_along(&apart, arc).into_iter().for_each(|t| open[t] = true);
    }
    let mut t = 0;
    triangles.retain(|_| {
        t += 1;
        !open[t - 1]
    });
    !chosen.is_empty()
}

/// Takes away the triangles around the rims of the larger inner holes.
fn open_wider(survey: &Survey, triangles: &mut Vec<[usize; 3]>) {
    let rims = |least: usize| -> HashSet<usize> {
        let inner = survey.loops.iter().skip(1).filter(|l| l.vertices.len() >= least);
        inner.flat_map(|l| l.vertices.iter().copied()).collect()
    };
    let large = rims(9);
    let open = if large.is_empty() { rims(0) } else { large };
    let outer: HashSet<usize> =
        survey.loops.first().into_iter().flat_map(|l| l.vertices.iter().copied()).collect();
    triangles.retain(|t| !t.iter().any(|v| open.contains(v)) || t.iter().any(|v| outer.contains(v)));
}

fn refuse_closed(points: &[Point], triangles: &[[usize; 3]], survey: &Survey) -> Result<(), MeshError> {
    let area: f64 = triangles
        .iter()
        .map(|&[a, b, c]| 0.5 * (points[b] - points[a]).cross(&(points[c] - points[a])).norm())
        .sum();
    // A flat disk has 3.5, a hemisphere 2.5, a whole head open at the neck about 1.
    let roundness = survey.loops.first().map_or(0.0, |l| l.length) / area.sqrt();
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
    distances.sort_by(f64::total_cmp);
    distances.get(distances.len() / 2).copied().unwrap_or(0.0)
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
