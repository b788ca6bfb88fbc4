//! The shortest ways from border to border that cut the handles of a surface open.

use super::edges::{Edge, EdgeTable};
use super::topology::BoundaryLoop;
use super::unite::Sets;
use std::collections::VecDeque;

/// A walk along edges from the border to the border.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Arc {
    /// The vertices in walking order.
    pub vertices: Vec<usize>,
    /// True when it begins and ends at the same loop: then cutting along it takes away a handle.
    pub is_on_one_loop: bool,
}

/// Shortest arcs that generate the first homology of the surface modulo its border, shortest first: 2 g for
/// the handles and one fewer than the loops.
///
/// Tree–cotree decomposition (Eppstein 2003; greedy by length as Erickson and Whittlesey 2005): a shortest-path
/// forest from the border, a spanning tree of the triangles across the remaining edges that prefers edges far
/// from the border, and what is left closes the arcs. The surface must be connected and have a border.
///
/// Loops for which `is_covered` holds are taken for closed by a cell each: no arc begins or ends there.
pub(crate) fn generating_arcs(
    triangles: &[[usize; 3]],
    table: &EdgeTable,
    loops: &[BoundaryLoop],
    n_vertices: usize,
    is_covered: &dyn Fn(&BoundaryLoop) -> bool,
) -> Vec<Arc> {
    const NONE: usize = usize::MAX;
    let mut root = vec![NONE; n_vertices];
    let mut parent = vec![NONE; n_vertices];
    let mut steps = vec![0usize; n_vertices];
    let mut queue = VecDeque::new();
    let mut cell_at = vec![NONE; n_vertices];
    for (k, l) in loops.iter().enumerate() {
        let is_covered = is_covered(l);
        for &v in &l.vertices {
            if is_covered {
                cell_at[v] = triangles.len() + k;
            } else if root[v] == NONE {
                root[v] = k;
                queue.push_back(v);
            }
        }
    }
    let neighbours = NeighbourLists::new(table, n_vertices);
    while let Some(v) = queue.pop_front() {
        for &u in neighbours.of(v) {
            let u = u as usize;
            if root[u] == NONE {
                (root[u], parent[u], steps[u]) = (root[v], v, steps[v] + 1);
                queue.push_back(u);
            }
        }
    }
    let in_forest = |[a, b]: [usize; 2]| parent[a] == b || parent[b] == a;
    // The triangles, or the triangle and the cell, on either side of an edge.
    let faces = |e: &Edge| match *table.sides(e) {
        [s, o] => Some([s / 3, o / 3]),
        [s] => Some([s / 3, cell_at[e.ends[0]]]).filter(|f| f[1] != NONE && f[1] == cell_at[e.ends[1]]),
        _ => None,
    };
    let crossed = table.edges().iter().filter(|e| !in_forest(e.ends)).filter_map(|e| Some((e, faces(e)?)));
    let length = |[a, b]: [usize; 2]| steps[a] + steps[b] + 1;
    let mut joined = Sets::new(triangles.len() + loops.len());
    let mut arcs: Vec<Arc> = Vec::new();
    for (edge, [one, other]) in longest_first(crossed.collect(), |(e, _)| length(e.ends)) {
        if joined.unite(one, other) {
            continue;
        }
        let [a, b] = edge.ends;
        let to_border =
            |v: usize| std::iter::successors(Some(v), |&u| Some(parent[u]).filter(|&p| p != NONE));
        let mut vertices: Vec<usize> = to_border(a).collect();
        vertices.reverse();
        vertices.extend(to_border(b));
        arcs.push(Arc { vertices, is_on_one_loop: root[a] == root[b] });
    }
    arcs.sort_by_key(|arc| arc.vertices.len());
    arcs
}

/// In falling order of their lengths, those of one length in the order they had: counted, for there are few lengths.
fn longest_first<T: Copy>(all: Vec<T>, length: impl Fn(&T) -> usize) -> Vec<T> {
    let longest = all.iter().map(&length).max().unwrap_or(0);
    let mut next = vec![0; longest + 2];
    all.iter().for_each(|one| next[longest - length(one) + 1] += 1);
    (0..=longest).for_each(|k| next[k + 1] += next[k]);
    let mut out = all.clone();
    for one in all {
        let slot = &mut next[longest - length(&one)];
        out[*slot] = one;
        *slot += 1;
    }
    out
}

/// The neighbours of every vertex along edges, as one list cut into pieces.
struct NeighbourLists {
    start: Vec<usize>,
    flat: Vec<u32>,
}

impl NeighbourLists {
    fn new(table: &EdgeTable, n_vertices: usize) -> Self {
        let mut start = vec![0; n_vertices + 1];
        table.edges().iter().flat_map(|e| e.ends).for_each(|v| start[v + 1] += 1);
        (0..n_vertices).for_each(|v| start[v + 1] += start[v]);
        let mut fill = start.clone();
        let mut flat = vec![0; 2 * table.edges().len()];
        for &[a, b] in table.edges().iter().map(|e| &e.ends) {
            for (from, to) in [(a, b), (b, a)] {
                flat[fill[from]] = to as u32;
                fill[from] += 1;
            }
        }
        Self { start, flat }
    }

    fn of(&self, v: usize) -> &[u32] {
        &self.flat[self.start[v]..self.start[v + 1]]
    }
}

/// The triangles to take away so that the surface, of `n_vertices` vertices, is cut along arcs: those at their inner vertices, or those on
/// the only edge of one.
pub(crate) fn triangles_along<'a>(
    triangles: &[[usize; 3]],
    n_vertices: usize,
    arcs: impl IntoIterator<Item = &'a Arc>,
) -> Vec<usize> {
    let (mut is_inner, mut edges) = (vec![false; n_vertices], Vec::new());
    for arc in arcs {
        let ends = [arc.vertices.first(), arc.vertices.last()];
        match arc.vertices[..] {
            [a, b] => edges.push([a, b]),
            _ => arc.vertices.iter().filter(|v| !ends.contains(&Some(v))).for_each(|&v| is_inner[v] = true),
        }
    }
    let is_touched = |t: &[usize; 3]| {
        t.iter().any(|&v| is_inner[v]) || edges.iter().any(|edge| edge.iter().all(|v| t.contains(v)))
    };
    (0..triangles.len()).filter(|&t| is_touched(&triangles[t])).collect()
}

#[cfg(test)]
mod tests {
    use super::super::Point;
    use super::super::survey::Survey;
    use super::super::topology::boundary_loops;
    use super::*;

    /// A square grid torus with one quad taken out: one loop, one handle, χ = −1.
    fn bitten_torus(n: usize) -> Vec<[usize; 3]> {
        let at = |i: usize, j: usize| (i % n) * n + j % n;
        (0..n * n)
            .filter(|&k| k != 0)
            .flat_map(|k| {
                let (i, j) = (k / n, k % n);
                [[at(i, j), at(i + 1, j), at(i + 1, j + 1)], [at(i, j), at(i + 1, j + 1), at(i, j + 1)]]
            })
            .collect()
    }

    #[test]
    fn a_handle_has_two_arcs_and_opening_one_removes_it() {
        let n = 9;
        let triangles = bitten_torus(n);
        let places: Vec<Point> = (0..n * n).map(|i| Point::new(i as f64, (i * i) as f64, 0.0)).collect();
        let table = EdgeTable::new(&triangles, n * n);
        let loops = boundary_loops(&places, &triangles, &table);
        let arcs = generating_arcs(&triangles, &table, &loops, n * n, &|_| false);
        assert_eq!(arcs.len(), 2);
        assert!(arcs.iter().all(|a| a.is_on_one_loop && a.vertices.len() <= n + 1));
        // A further bite, covered, changes nothing; open, it adds one arc.
        let twice: Vec<[usize; 3]> =
            triangles.iter().copied().filter(|t| !t.contains(&(4 * n + 4))).collect();
        let table = EdgeTable::new(&twice, n * n);
        let two = boundary_loops(&places, &twice, &table);
        assert_eq!(two.len(), 2);
        let smallest = two[1].vertices.len().min(two[0].vertices.len());
        let of_hole = |l: &BoundaryLoop| l.vertices.len() == smallest;
        let covered = generating_arcs(&twice, &table, &two, n * n, &of_hole);
        assert_eq!(covered.len(), 2);
        assert!(covered.iter().all(|a| a.is_on_one_loop));
        let open = generating_arcs(&twice, &table, &two, n * n, &|_| false);
        assert_eq!(open.len(), 3);

        let gone = triangles_along(&triangles, n * n, [&arcs[0]]);
        let triangles: Vec<_> =
            (0..triangles.len()).filter(|t| !gone.contains(t)).map(|t| triangles[t]).collect();
        let after = Survey::of(&places, &triangles);
        assert_eq!((after.handles, after.loops.len()), (0, 2));
    }
}
