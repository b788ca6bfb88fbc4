//! The shortest ways from border to border that cut the handles of a surface open.

use super::edges::{EdgeTable, side_ends};
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
pub(crate) fn generating_arcs(
    triangles: &[[usize; 3]],
    table: &EdgeTable,
    loops: &[BoundaryLoop],
    n_vertices: usize,
) -> Vec<Arc> {
    const NONE: usize = usize::MAX;
    let mut root = vec![NONE; n_vertices];
    let mut parent = vec![NONE; n_vertices];
    let mut steps = vec![0usize; n_vertices];
    let mut queue = VecDeque::new();
    for (k, l) in loops.iter().enumerate() {
        for &v in &l.vertices {
            if root[v] == NONE {
                root[v] = k;
                queue.push_back(v);
            }
        }
    }
    let neighbours = neighbour_lists(triangles, n_vertices);
    while let Some(v) = queue.pop_front() {
        for &u in &neighbours[v] {
            if root[u] == NONE {
                (root[u], parent[u], steps[u]) = (root[v], v, steps[v] + 1);
                queue.push_back(u);
            }
        }
    }
    let in_forest = |[a, b]: [usize; 2]| parent[a] == b || parent[b] == a;
    let mut crossed: Vec<_> =
        table.edges().iter().filter(|e| table.sides(e).len() == 2 && !in_forest(e.ends)).collect();
    let length = |[a, b]: [usize; 2]| steps[a] + steps[b] + 1;
    crossed.sort_by_key(|e| std::cmp::Reverse(length(e.ends)));
    let mut joined = Sets::new(triangles.len());
    let mut arcs: Vec<Arc> = Vec::new();
    for edge in crossed {
        let sides = table.sides(edge);
        if joined.unite(sides[0] / 3, sides[1] / 3) {
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

fn neighbour_lists(triangles: &[[usize; 3]], n_vertices: usize) -> Vec<Vec<usize>> {
    let mut out = vec![Vec::new(); n_vertices];
    for side in 0..3 * triangles.len() {
        let [a, b] = side_ends(triangles, side);
        out[a].push(b);
        out[b].push(a);
    }
    out
}

/// The triangles to take away so that the surface is cut along an arc: those at its inner vertices, or those
/// on its only edge.
pub(crate) fn triangles_along(triangles: &[[usize; 3]], arc: &Arc) -> Vec<usize> {
    let ends = [arc.vertices.first(), arc.vertices.last()];
    let is_touched = |t: &[usize; 3]| match &arc.vertices[..] {
        [a, b] => t.contains(a) && t.contains(b),
        all => t.iter().any(|v| all.contains(v) && !ends.contains(&Some(v))),
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
        let arcs = generating_arcs(&triangles, &table, &loops, n * n);
        assert_eq!(arcs.len(), 2);
        assert!(arcs.iter().all(|a| a.is_on_one_loop && a.vertices.len() <= n + 1));
        let gone = triangles_along(&triangles, &arcs[0]);
        let triangles: Vec<_> =
            (0..triangles.len()).filter(|t| !gone.contains(t)).map(|t| triangles[t]).collect();
        let after = Survey::of(&places, &triangles);
        assert_eq!((after.handles, after.loops.len()), (0, 2));
    }
}
