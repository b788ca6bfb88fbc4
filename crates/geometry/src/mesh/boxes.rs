//! Exact distances to a triangle mesh, to the closest point and along a line, by a tree of boxes.

use super::foot::closest_weights;
use super::{MeshError, Point, TriMesh, Vector};

/// Triangles in a leaf.
const LEAF: usize = 4;

/// A box and what is in it: triangles `order[start..end]`; children at `2k + 1` and `2k + 2` where there are more than a leaf holds.
#[derive(Debug, Clone, Copy)]
struct Node {
    low: Vector,
    high: Vector,
    start: usize,
    end: usize,
}

/// The triangles of a mesh, to look for the closest and for those a line meets.
#[derive(Debug)]
pub struct TriangleTree<'a> {
    mesh: &'a TriMesh,
    order: Vec<usize>,
    nodes: Vec<Option<Node>>,
}

impl<'a> TriangleTree<'a> {
    /// Over a mesh.
    ///
    /// # Errors
    /// [`MeshError::Degenerate`] when it has no triangles.
    pub fn new(mesh: &'a TriMesh) -> Result<Self, MeshError> {
        if mesh.triangles().is_empty() {
            return Err(MeshError::Degenerate(
                "there are no triangles to measure distances to; mesh the points first".to_owned(),
            ));
        }
        let centres: Vec<Vector> = (0..mesh.triangles().len())
            .map(|t| mesh.corners(t).iter().map(|p| p.coords).sum::<Vector>() / 3.0)
            .collect();
        let mut tree = Self { mesh, order: (0..centres.len()).collect(), nodes: Vec::new() };
        tree.build(0, 0, centres.len(), &centres);
        Ok(tree)
    }

    fn build(&mut self, at: usize, start: usize, end: usize, centres: &[Vector]) {
        let mut low = Vector::repeat(f64::INFINITY);
        let mut high = Vector::repeat(f64::NEG_INFINITY);
        for &t in &self.order[start..end] {
            for p in self.mesh.corners(t) {
                low = low.inf(&p.coords);
                high = high.sup(&p.coords);
            }
        }
        if self.nodes.len() <= at {
            self.nodes.resize(at + 1, None);
        }
        self.nodes[at] = Some(Node { low, high, start, end });
        if end - start > LEAF {
            let axis = (high - low).imax();
            let middle = (start + end) / 2;
            let by = |a: &usize, b: &usize| centres[*a][axis].total_cmp(&centres[*b][axis]);
            self.order[start..end].select_nth_unstable_by(middle - start, by);
            self.build(2 * at + 1, start, middle, centres);
            self.build(2 * at + 2, middle, end, centres);
        }
    }

    /// The distance from `p` to the closest point of the surface.
    pub fn distance(&self, p: &Point) -> f64 {
        let mut best = f64::INFINITY;
        self.nearer(0, p, &mut best);
        best.sqrt()
    }

    fn nearer(&self, at: usize, p: &Point, best: &mut f64) {
        let Some(node) = self.node(at) else { return };
        if node.end - node.start <= LEAF {
            for &t in &self.order[node.start..node.end] {
                let corners = self.mesh.corners(t);
                let weights = closest_weights(p, &corners);
                let foot: Vector = (0..3).map(|k| corners[k].coords * weights[k]).sum();
                // A triangle without area has no weights.
                let square = (foot - p.coords).norm_squared();
                let corner = corners.iter().map(|c| (c - p).norm_squared()).fold(f64::INFINITY, f64::min);
                *best = best.min(if square.is_nan() { corner } else { square });
            }
            return;
        }
        let child = |k: usize| (self.node(k).map_or(f64::INFINITY, |node| node.square_distance(p)), k);
        let (a, b) = (child(2 * at + 1), child(2 * at + 2));
        let (first, second) = if a.0 <= b.0 { (a, b) } else { (b, a) };
        for (distance, k) in [first, second] {
            if distance < *best {
                self.nearer(k, p, best);
            }
        }
    }

    /// Where the line through `p` along the unit vector `d` first meets the surface, in either direction, within `reach`: the signed way
    /// there, positive along `d`.
    pub fn along(&self, p: &Point, d: &Vector, reach: f64) -> Option<f64> {
        let mut best = None;
        self.meet(0, p, d, &mut (reach, &mut best));
        best
    }

    fn meet(&self, at: usize, p: &Point, d: &Vector, found: &mut (f64, &mut Option<f64>)) {
        let Some(node) = self.node(at) else { return };
        if !node.is_met(p, d, found.0) {
            return;
        }
        if node.end - node.start > LEAF {
            self.meet(2 * at + 1, p, d, found);
            self.meet(2 * at + 2, p, d, found);
            return;
        }
        for &t in &self.order[node.start..node.end] {
            if let Some(way) = crossing(p, d, &self.mesh.corners(t)).filter(|way| way.abs() <= found.0) {
                *found.1 = Some(way);
                found.0 = way.abs();
            }
        }
    }

    fn node(&self, at: usize) -> Option<Node> {
        self.nodes.get(at).copied().flatten()
    }
}

impl Node {
    fn square_distance(&self, p: &Point) -> f64 {
        let beyond = |k: usize| (self.low[k] - p[k]).max(p[k] - self.high[k]).max(0.0);
        (0..3).map(|k| beyond(k).powi(2)).sum()
    }

    /// Whether a line comes into the box within `reach` to either side.
    fn is_met(&self, p: &Point, d: &Vector, reach: f64) -> bool {
        let (mut from, mut to) = (-reach, reach);
        for k in 0..3 {
            if d[k].abs() < 1e-300 {
                if p[k] < self.low[k] || p[k] > self.high[k] {
                    return false;
                }
                continue;
            }
            let (a, b) = ((self.low[k] - p[k]) / d[k], (self.high[k] - p[k]) / d[k]);
            from = from.max(a.min(b));
            to = to.min(a.max(b));
        }
        // Rounding must not lose a triangle that lies in a side of the box.
        from <= to + 1e-9 * reach
    }
}

/// Where a line meets a triangle (Möller and Trumbore 1997), its border included.
fn crossing(p: &Point, d: &Vector, [a, b, c]: &[Point; 3]) -> Option<f64> {
    const SLACK: f64 = 1e-9;
    let (u, v) = (b - a, c - a);
    let h = d.cross(&v);
    let det = u.dot(&h);
    if det.abs() <= 1e-12 * u.norm() * v.norm() {
        return None;
    }
    let s = p - a;
    let first = s.dot(&h) / det;
    let q = s.cross(&u);
    let second = d.dot(&q) / det;
    let inside = first >= -SLACK && second >= -SLACK && first + second <= 1.0 + SLACK;
    inside.then(|| v.dot(&q) / det)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A wavy sheet over [0, 1]².
    fn sheet(n: usize) -> TriMesh {
        let at = |k: usize| k as f64 / (n - 1) as f64;
        let height = |x: f64, y: f64| 0.1 * (7.0 * x).sin() * (5.0 * y).cos();
        let vertices =
            (0..n * n).map(|k| Point::new(at(k % n), at(k / n), height(at(k % n), at(k / n)))).collect();
        let cell = |k: usize| [[k, k + 1, k + n + 1], [k, k + n + 1, k + n]];
        let triangles = (0..n * (n - 1)).filter(|k| k % n < n - 1).flat_map(cell).collect();
        TriMesh::new(vertices, triangles).unwrap()
    }

    #[test]
    fn the_tree_finds_what_a_search_of_all_triangles_finds() {
        let mesh = sheet(14);
        let tree = TriangleTree::new(&mesh).unwrap();
        let down = Vector::new(0.1, -0.2, -1.0).normalize();
        for k in 0..300 {
            let unit = |m: usize| ((k * m) % 101) as f64 / 101.0;
            let p = Point::new(1.6 * unit(37) - 0.3, 1.6 * unit(53) - 0.3, 0.8 * unit(71) - 0.4);
            let all =
                |f: &dyn Fn(usize) -> f64| (0..mesh.triangles().len()).map(f).fold(f64::INFINITY, f64::min);
            let slow = all(&|t| {
                let corners = mesh.corners(t);
                let w = closest_weights(&p, &corners);
                ((0..3).map(|k| corners[k].coords * w[k]).sum::<Vector>() - p.coords).norm()
            });
            assert!((tree.distance(&p) - slow).abs() < 1e-14, "{p}");
            let slow = all(&|t| crossing(&p, &down, &mesh.corners(t)).map_or(f64::INFINITY, f64::abs));
            let found = tree.along(&p, &down, 10.0).map_or(f64::INFINITY, f64::abs);
            assert!(found == slow || (found - slow).abs() < 1e-12, "{p}: {found} {slow}");
        }
        assert!(tree.along(&Point::new(0.5, 0.5, 3.0), &Vector::z(), 1.0).is_none());
        assert!(TriangleTree::new(&TriMesh::default()).is_err());
    }
}
