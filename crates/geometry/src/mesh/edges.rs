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
}

impl EdgeTable {
    /// Finds the edges by counting sorts over their larger and then their smaller ends: linear.
    /// Edges come sorted by their ends, the sides of each in rising order.
    pub fn new(triangles: &[[usize; 3]], n_vertices: usize) -> Self {
        let ends =
            |&[a, b, c]: &[usize; 3]| [(a.min(b), a.max(b)), (b.min(c), b.max(c)), (c.min(a), c.max(a))];
        let n_sides = 3 * triangles.len();
        let (mut from_low, mut from_high) = (vec![0u32; n_vertices + 1], vec![0u32; n_vertices + 1]);
        for (low, high) in triangles.iter().flat_map(ends) {
            from_low[low + 1] += 1;
            from_high[high + 1] += 1;
        }
        for v in 0..n_vertices {
            from_low[v + 1] += from_low[v];
            from_high[v + 1] += from_high[v];
        }
        // Counting keeps the order among equals: sides by their larger ends, and those by their smaller ones.
        let mut by_high = vec![0u32; n_sides];
        for ((_, high), side) in triangles.iter().flat_map(ends).zip(0..) {
            by_high[from_high[high] as usize] = side;
            from_high[high] += 1;
        }
        // Larger end and side in one word: half the memory.
        let mut slots = vec![0u64; n_sides];
        let mut fill = from_low.clone();
        for side in by_high {
            let [a, b] = side_ends(triangles, side as usize);
            let slot = &mut fill[a.min(b)];
            slots[*slot as usize] = (a.max(b) as u64) << 32 | u64::from(side);
            *slot += 1;
        }
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
        Self { edges, sides: slots.into_iter().map(|word| word as u32 as usize).collect(), edge_of_side }
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
        match self.sides_at(side) {
            &[a, b] => Some(if a == side { b } else { a }),
            _ => None,
        }
    }
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
}
