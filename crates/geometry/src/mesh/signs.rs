//! Consistent signs for the normals of a point cloud.

use super::neighbours::Neighbours;
use super::unite::Sets;
use super::{Point, Vector};

/// Neighbours of each point that tell of its sign.
const LINKS: usize = 8;
/// A branch is turned over when the links that speak for it outweigh the others by this much.
const MARGIN: f64 = 1.0;
/// At most so many branches are turned over.
const MOST_TURNS: usize = 30;

/// Two neighbouring points.
struct Link {
    ends: [usize; 2],
    /// How surely their normals have the same sign, up to turning one over: one for parallel normals across the step
    /// between them, near nought round a sharp fold.
    weight: f64,
}

/// Gives unit normals (zero ones are left) consistent signs.
///
/// First along a spanning forest of the neighbour graph that prefers pairs with parallel normals perpendicular to the
/// step between them (Hoppe et al. 1992; the second condition after Xie et al. 2003). Where two sheets of a fold come
/// close, one false link may turn over all that lies beyond it; so then every branch of the forest is turned over
/// where all the links that leave it, weighed together, speak for it.
pub(crate) fn orient(points: &[Point], neighbours: &Neighbours, normals: &mut [Vector]) {
    let links = links(points, neighbours, normals);
    let tree = Tree::grow(points.len(), &links);
    for &v in &tree.order {
        let parent = tree.parent[v];
        if normals[v].dot(&normals[parent]) < 0.0 {
            normals[v] = -normals[v];
        }
    }
    let mut meets = Vec::new();
    for _ in 0..MOST_TURNS {
        let against: f64 = links
            .iter()
            .map(|link| -link.agreement(normals))
            .filter(|&disagreement| disagreement > 0.0)
            .sum();
        if against < MARGIN {
            return;
        }
        if meets.is_empty() {
            meets = tree.meeting_points(&links);
        }
        let Some(branch) = tree.worst_branch(&links, &meets, normals) else { return };
        for v in tree.below(branch) {
            normals[v] = -normals[v];
        }
    }
}

impl Link {
    fn agreement(&self, normals: &[Vector]) -> f64 {
        let [a, b] = self.ends;
        if normals[a].dot(&normals[b]) < 0.0 { -self.weight } else { self.weight }
    }
}

/// The links of the neighbour graph, surest first.
fn links(points: &[Point], neighbours: &Neighbours, normals: &[Vector]) -> Vec<Link> {
    let mut ranked: Vec<(f32, u32, u32)> = Vec::with_capacity(points.len() * LINKS * 2 / 3);
    for i in 0..points.len() {
        for &j in neighbours.of(i).iter().take(LINKS) {
            let other = j as usize;
            // A pair in each other's lists is taken once.
            if other < i && neighbours.of(other).iter().take(LINKS).any(|&back| back as usize == i) {
                continue;
            }
            let step = points[other] - points[i];
            let (n, m) = (normals[i], normals[other]);
            let rise = (step.dot(&n).powi(2) + step.dot(&m).powi(2)) / step.norm_squared().max(1e-300);
            ranked.push(((1.0 - n.dot(&m).abs() + rise) as f32, i as u32, j));
        }
    }
    ranked.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let link = |(cost, i, j): (f32, u32, u32)| Link {
        ends: [i as usize, j as usize],
        weight: (1.0 - f64::from(cost)).max(0.0),
    };
    ranked.into_iter().map(link).collect()
}

/// A spanning forest; roots are their own parents.
struct Tree {
    parent: Vec<usize>,
    /// Every vertex after its parent.
    order: Vec<usize>,
}

impl Tree {
    /// Kruskal's forest over the links in their order.
    fn grow(n: usize, links: &[Link]) -> Self {
        let mut sets = Sets::new(n);
        let mut joined: Vec<Vec<usize>> = vec![Vec::new(); n];
        for &Link { ends: [a, b], .. } in links {
            if sets.unite(a, b) {
                joined[a].push(b);
                joined[b].push(a);
            }
        }
        let mut parent = vec![usize::MAX; n];
        let mut order = Vec::with_capacity(n);
        for root in 0..n {
            if parent[root] != usize::MAX {
                continue;
            }
            parent[root] = root;
            let mut stack = vec![root];
            while let Some(v) = stack.pop() {
                order.push(v);
                for &u in &joined[v] {
                    if parent[u] == usize::MAX {
                        parent[u] = v;
                        stack.push(u);
                    }
                }
            }
        }
        Self { parent, order }
    }

    /// The vertex whose branch (itself and all below) has the least sum of agreements over the links that leave it, when
    /// that is below −[`MARGIN`].
    ///
    /// A link within a branch counts for both ends and must be taken off twice where the paths from its ends meet.
    fn worst_branch(&self, links: &[Link], meets: &[u32], normals: &[Vector]) -> Option<usize> {
        let mut sum = vec![0.0; self.parent.len()];
        for (link, &meet) in links.iter().zip(meets) {
            let agreement = link.agreement(normals);
            link.ends.iter().for_each(|&v| sum[v] += agreement);
            sum[meet as usize] -= 2.0 * agreement;
        }
        for &v in self.order.iter().rev().filter(|&&v| self.parent[v] != v) {
            sum[self.parent[v]] += sum[v];
        }
        let is_branch = |v: &usize| self.parent[*v] != *v;
        let worst =
            (0..sum.len()).filter(is_branch).min_by(|&a, &b| sum[a].total_cmp(&sum[b]).then(a.cmp(&b)));
        worst.filter(|&v| sum[v] < -MARGIN)
    }

    /// For each link the lowest common ancestor of its ends (or a root, when they are in different trees).
    ///
    /// Every vertex knows its parent and an ancestor farther up (Myers 1983), so that a climb takes logarithmically many steps: trees of
    /// clouds that are no surfaces may be as deep as they have points.
    fn meeting_points(&self, links: &[Link]) -> Vec<u32> {
        let n = self.parent.len();
        let (mut depth, mut far) = (vec![0u32; n], vec![0u32; n]);
        for &v in &self.order {
            let p = self.parent[v];
            if p == v {
                far[v] = v as u32;
                continue;
            }
            let (up, above) = (far[p] as usize, far[far[p] as usize] as usize);
            let are_equal_jumps = depth[p] - depth[up] == depth[up] - depth[above];
            far[v] = if are_equal_jumps { above as u32 } else { p as u32 };
            depth[v] = depth[p] + 1;
        }
        let climb = |link: &Link| {
            let [mut a, mut b] = link.ends;
            if depth[a] < depth[b] {
                std::mem::swap(&mut a, &mut b);
            }
            while depth[a] > depth[b] {
                a = if depth[far[a] as usize] >= depth[b] { far[a] as usize } else { self.parent[a] };
            }
            while a != b && depth[a] > 0 {
                let is_below = far[a] != far[b];
                let up = |v: usize| if is_below { far[v] as usize } else { self.parent[v] };
                (a, b) = (up(a), up(b));
            }
            a as u32
        };
        links.iter().map(climb).collect()
    }

    fn below(&self, branch: usize) -> Vec<usize> {
        let mut inside = vec![false; self.parent.len()];
        inside[branch] = true;
        for &v in &self.order {
            inside[v] |= inside[self.parent[v]];
        }
        (0..inside.len()).filter(|&v| inside[v]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(a: usize, b: usize) -> Link {
        Link { ends: [a, b], weight: 1.0 }
    }

    /// Against a climb step by step, on forests of every depth.
    #[test]
    fn meeting_points_are_the_lowest_common_ancestors() {
        for spread in [1, 2, 7, 100] {
            let n = 300;
            let parent = |v: usize| v - 1 - (v * 7919) % spread.min(v);
            let grown: Vec<Link> = (1..n).filter(|v| v % 97 != 0).map(|v| link(parent(v), v)).collect();
            let tree = Tree::grow(n, &grown);
            let path = |v: usize| {
                let mut path = vec![v];
                while tree.parent[path[path.len() - 1]] != path[path.len() - 1] {
                    path.push(tree.parent[path[path.len() - 1]]);
                }
                path
            };
            let pairs: Vec<Link> = (0..n).map(|a| link(a, (a * 31 + 5) % n)).collect();
            for (pair, meet) in pairs.iter().zip(tree.meeting_points(&pairs)) {
                let [one, other] = pair.ends.map(path);
                match one.iter().find(|v| other.contains(v)) {
                    Some(&v) => assert_eq!(meet as usize, v),
                    None => assert!(tree.parent[meet as usize] == meet as usize),
                }
            }
        }
    }

    /// A path of 300 000 points with links far along it: climbing step by step would take 10¹⁰ steps.
    #[test]
    fn deep_trees_take_no_longer() {
        let n = 300_000;
        let mut links: Vec<Link> = (1..n).map(|v| link(v - 1, v)).collect();
        let tree = Tree::grow(n, &links);
        links.extend((0..n).map(|v| link(v, n - 1 - v)));
        let meets = tree.meeting_points(&links);
        assert!((0..n).all(|v| meets[n - 1 + v] as usize == v.min(n - 1 - v)));
    }
}
