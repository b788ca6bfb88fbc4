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
    for _ in 0..MOST_TURNS {
        let against: f64 = links
            .iter()
            .map(|link| -link.agreement(normals))
            .filter(|&disagreement| disagreement > 0.0)
            .sum();
        if against < MARGIN {
            return;
        }
        let Some(branch) = tree.worst_branch(&links, normals) else { return };
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
    fn worst_branch(&self, links: &[Link], normals: &[Vector]) -> Option<usize> {
        let mut sum = vec![0.0; self.parent.len()];
        for (link, meet) in links.iter().zip(self.meeting_points(links)) {
            let agreement = link.agreement(normals);
            link.ends.iter().for_each(|&v| sum[v] += agreement);
            sum[meet] -= 2.0 * agreement;
        }
        for &v in self.order.iter().rev().filter(|&&v| self.parent[v] != v) {
            sum[self.parent[v]] += sum[v];
        }
        let is_branch = |v: &usize| self.parent[*v] != *v;
        let worst =
            (0..sum.len()).filter(is_branch).min_by(|&a, &b| sum[a].total_cmp(&sum[b]).then(a.cmp(&b)));
        worst.filter(|&v| sum[v] < -MARGIN)
    }

    /// For each link the lowest common ancestor of its ends (or one of them, when they are in different trees).
    fn meeting_points(&self, links: &[Link]) -> Vec<usize> {
        let mut depth = vec![0u32; self.parent.len()];
        for &v in &self.order {
            depth[v] = if self.parent[v] == v { 0 } else { depth[self.parent[v]] + 1 };
        }
        let climb = |link: &Link| {
            let [mut a, mut b] = link.ends;
            while a != b {
                if depth[a] < depth[b] {
                    std::mem::swap(&mut a, &mut b);
                }
                if self.parent[a] == a {
                    break;
                }
                a = self.parent[a];
            }
            a
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
