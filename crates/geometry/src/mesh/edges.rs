//! Edges of a triangle list and the triangles on their sides, for any list, manifold or not.

use super::unite::Sets;

/// An undirected edge and how many triangle sides lie on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// The end points, smaller index first.
    pub ends: [usize; 2],
    first_side: u32,
    n_sides: u32,
}

/// The edges of a list of triangles. Side `3 t + k` of triangle `t` runs from corner `k` to corner `k + 1`.
///
/// Makes no assumption on the list except that each triangle has three different corners: an edge may have
/// one side (border), two (in opposite directions where the orientation is consistent) or more. There may be at most
/// 2³² sides and vertices.
#[derive(Debug, Clone)]
pub struct EdgeTable {
    edges: Vec<Edge>,
    sides: Vec<usize>,
    edge_of_side: Vec<u32>,
    /// For every side the other one of its edge where there are two, else [`ALONE`].
    twins: Vec<u32>,
}

/// No other side.
const ALONE: u32 = u32::MAX;

impl EdgeTable {
    /// Finds the edges by a counting sort over their smaller ends, of which each has few: linear, but for vertices where very many meet.
    /// Edges come sorted by their ends, the sides of each in rising order.
    pub fn new(triangles: &[[usize; 3]], n_vertices: usize) -> Self {
        let ends =
            |&[a, b, c]: &[usize; 3]| [(a.min(b), a.max(b)), (b.min(c), b.max(c)), (c.min(a), c.max(a))];
        let n_sides = 3 * triangles.len();
        let mut from_low = vec![0u32; n_vertices + 1];
        triangles.iter().flat_map(ends).for_each(|(low, _)| from_low[low + 1] += 1);
        (0..n_vertices).for_each(|v| from_low[v + 1] += from_low[v]);
        // Larger end and side in one word: half the memory.
        let mut slots = vec![0u64; n_sides];
        let mut fill = from_low.clone();
        for ((low, high), side) in triangles.iter().flat_map(ends).zip(0u64..) {
            let slot = &mut fill[low];
            slots[*slot as usize] = (high as u64) << 32 | side;
            *slot += 1;
        }
        from_low.windows(2).for_each(|w| slots[w[0] as usize..w[1] as usize].sort_unstable());
        let mut edges: Vec<Edge> = Vec::with_capacity(n_sides / 2 + n_vertices);
        let mut edge_of_side = vec![0; n_sides];
        for low in 0..n_vertices {
            let own = from_low[low]..from_low[low + 1];
            let mut last = u64::MAX;
            for (&word, slot) in slots[own.start as usize..own.end as usize].iter().zip(own) {
                let high = word >> 32;
                match edges.last_mut() {
                    Some(e) if high == last => e.n_sides += 1,
                    _ => edges.push(Edge { ends: [low, high as usize], first_side: slot, n_sides: 1 }),
                }
                last = high;
                edge_of_side[word as u32 as usize] = edges.len() as u32 - 1;
            }
        }
        let sides: Vec<usize> = slots.into_iter().map(|word| word as u32 as usize).collect();
        let twins = twins(&edges, &sides);
        Self { edges, sides, edge_of_side, twins }
    }

    /// The table of the triangles that are left of these when some are taken away: what [`new`](Self::new) gives for them, without sorting.
    pub(crate) fn without(&self, is_gone: &[bool]) -> Self {
        let mut left = 0;
        let renumbered: Vec<u32> = is_gone
            .iter()
            .map(|&gone| {
                left += u32::from(!gone);
                if gone { ALONE } else { left - 1 }
            })
            .collect();
        let n_sides = 3 * left as usize;
        let mut edges: Vec<Edge> = Vec::with_capacity(self.edges.len());
        let (mut sides, mut edge_of_side) = (Vec::with_capacity(n_sides), vec![0; n_sides]);
        for edge in &self.edges {
            let first = sides.len();
            for &side in self.sides(edge) {
                let t = renumbered[side / 3];
                if t != ALONE {
                    let side = 3 * t as usize + side % 3;
                    edge_of_side[side] = edges.len() as u32;
                    sides.push(side);
                }
            }
            if sides.len() > first {
                let n_sides = (sides.len() - first) as u32;
                edges.push(Edge { ends: edge.ends, first_side: first as u32, n_sides });
            }
        }
        let twins = twins(&edges, &sides);
        Self { edges, sides, edge_of_side, twins }
    }

    /// The table of the same triangles cut apart at their pinched vertices: corner c is vertex `fans[c]` now. No edge
    /// may have more than two sides, and two sides must run in opposite directions.
    pub(crate) fn apart(&self, fans: &[usize]) -> Self {
        let mut out = self.clone();
        for edge in &mut out.edges {
            let side = self.sides[edge.first_side as usize];
            let (a, b) = (fans[side], fans[side - side % 3 + (side + 1) % 3]);
            edge.ends = [a.min(b), a.max(b)];
        }
        out
    }

    /// All edges.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The sides that lie on an edge.
    pub fn sides(&self, edge: &Edge) -> &[usize] {
        &self.sides[edge.first_side as usize..][..edge.n_sides as usize]
    }

    /// All sides on the edge of `side`, itself included.
    pub fn sides_at(&self, side: usize) -> &[usize] {
        self.sides(&self.edges[self.edge_of_side[side] as usize])
    }

    /// How many sides lie on the edge of `side`, itself included.
    pub fn multiplicity(&self, side: usize) -> usize {
        self.edges[self.edge_of_side[side] as usize].n_sides as usize
    }

    /// The other side of the edge of `side` when there are exactly two.
    pub fn across(&self, side: usize) -> Option<usize> {
        let twin = self.twins[side];
        (twin != ALONE).then_some(twin as usize)
    }
}

fn twins(edges: &[Edge], sides: &[usize]) -> Vec<u32> {
    let mut out = vec![ALONE; sides.len()];
    for edge in edges.iter().filter(|edge| edge.n_sides == 2) {
        let (a, b) = (sides[edge.first_side as usize], sides[edge.first_side as usize + 1]);
        (out[a], out[b]) = (b as u32, a as u32);
    }
    out
}

/// Start and end vertex of a side.
pub(crate) fn side_ends(triangles: &[[usize; 3]], side: usize) -> [usize; 2] {
    let t = triangles[side / 3];
    [t[side % 3], t[(side + 1) % 3]]
}

/// For every corner `3 t + k`, a number naming its fan: the corners at one vertex that are reached from one
/// another through edges with exactly two sides. A manifold vertex has one fan, a pinched one several.
pub(crate) fn corner_fans(triangles: &[[usize; 3]], table: &EdgeTable) -> Vec<usize> {
    let mut fans = Sets::new(3 * triangles.len());
    for edge in table.edges() {
        let &[a, b] = table.sides(edge) else { continue };
        let (a_end, b_end) = (a - a % 3 + (a + 1) % 3, b - b % 3 + (b + 1) % 3);
        let same_direction = side_ends(triangles, a) == side_ends(triangles, b);
        let (b_at_start, b_at_end) = if same_direction { (b, b_end) } else { (b_end, b) };
        fans.unite(a, b_at_start);
        fans.unite(a_end, b_at_end);
    }
    fans.into_labels()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_triangles_share_one_edge() {
        let triangles = [[0, 1, 2], [0, 2, 3]];
        let table = EdgeTable::new(&triangles, 4);
        assert_eq!(
            table.edges().iter().map(|e| e.ends).collect::<Vec<_>>(),
            [[0, 1], [0, 2], [0, 3], [1, 2], [2, 3]]
        );
        assert_eq!(table.across(2), Some(3));
        assert_eq!(table.across(3), Some(2));
        assert_eq!(table.across(0), None);
        assert_eq!(table.multiplicity(2), 2);
    }

    #[test]
    fn an_hourglass_has_two_fans_at_its_waist_whatever_the_orientation() {
        for second in [[0, 3, 4], [0, 4, 3]] {
            let triangles = [[0, 1, 2], second];
            let fans = corner_fans(&triangles, &EdgeTable::new(&triangles, 5));
            assert_ne!(fans[0], fans[3]);
        }
        for second in [[0, 2, 3], [0, 3, 2]] {
            let triangles = [[0, 1, 2], second];
            let fans = corner_fans(&triangles, &EdgeTable::new(&triangles, 4));
            assert_eq!(fans[0], fans[3]);
            let at_two = 3 + second.iter().position(|&v| v == 2).unwrap();
            assert_eq!(fans[2], fans[at_two]);
        }
    }

    /// Sheets with pinched vertices, edges of three sides and sides that run the same way.
    #[test]
    fn what_is_left_has_the_table_of_its_own() {
        let at = |i: usize, j: usize| 6 * i + j;
        let mut triangles: Vec<[usize; 3]> = (0..25)
            .map(|k| (k / 5, k % 5))
            .flat_map(|(i, j)| {
                [[at(i, j), at(i + 1, j), at(i, j + 1)], [at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]]
            })
            .collect();
        triangles.extend([[0, 1, 14], [7, 20, 36], [36, 7, 2], [at(3, 3), at(3, 4), 36]]);
        triangles.iter_mut().step_by(7).for_each(|t| t.swap(1, 2));
        for step in [2, 3, 5, 11] {
            let is_gone: Vec<bool> = (0..triangles.len()).map(|t| t % step == 1).collect();
            let left: Vec<[usize; 3]> =
                (0..triangles.len()).filter(|&t| !is_gone[t]).map(|t| triangles[t]).collect();
            let table = EdgeTable::new(&triangles, 37).without(&is_gone);
            let anew = EdgeTable::new(&left, 37);
            assert_eq!(format!("{table:?}"), format!("{anew:?}"));
        }
    }
}
