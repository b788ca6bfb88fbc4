//! Embeddings of a tree in hyperbolic space, trained without privacy (the tree is public): the points of the third experiment.

use crate::manifold::{Linear, Manifold};
use rand::{Rng, RngExt};
use std::collections::{HashMap, HashSet};

/// A directed graph of named nodes: child → ancestor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    /// The nodes' names, in order of first appearance.
    pub names: Vec<String>,
    /// (child, ancestor), as indices.
    pub edges: Vec<(usize, usize)>,
}

/// An edge list that is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TreeError {
    /// A line without two names.
    #[error("line {0}: expected two names separated by a comma")]
    Line(usize),
    /// An edge from a node to itself.
    #[error("line {0}: an edge leads from a node to itself")]
    Loop(usize),
    /// No edges.
    #[error("no edges: give one `child,ancestor` a line below a header line")]
    Empty,
}

impl Tree {
    /// From a csv text with a header line and one `child,ancestor` a line; further columns are ignored.
    ///
    /// # Errors
    /// [`TreeError`] with the line.
    pub fn from_csv(text: &str) -> Result<Self, TreeError> {
        let mut index: HashMap<String, usize> = HashMap::new();
        let mut tree = Self { names: Vec::new(), edges: Vec::new() };
        for (number, line) in text.lines().enumerate().skip(1).filter(|(_, line)| !line.trim().is_empty()) {
            let mut cells = line.split(',').map(str::trim);
            let (Some(child), Some(ancestor)) = (cells.next(), cells.next()) else {
                return Err(TreeError::Line(number + 1));
            };
            if child.is_empty() || ancestor.is_empty() {
                return Err(TreeError::Line(number + 1));
            }
            if child == ancestor {
                return Err(TreeError::Loop(number + 1));
            }
            let mut node = |name: &str| {
                *index.entry(name.to_owned()).or_insert_with(|| {
                    tree.names.push(name.to_owned());
                    tree.names.len() - 1
                })
            };
            let edge = (node(child), node(ancestor));
            tree.edges.push(edge);
        }
        if tree.edges.is_empty() { Err(TreeError::Empty) } else { Ok(tree) }
    }
}

/// Nickel and Kiela 2017: for each edge (u, v) the loss −ln(e^{−d(u,v)} / Σ_{v′} e^{−d(u,v′)}), v′ over v and random nodes
/// not related to u, by Riemannian stochastic gradient descent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TreeEmbedding {
    /// Passes over the edges.
    pub epochs: usize,
    /// First passes, at a tenth of the step size, in which the points find their places.
    pub burn_in: usize,
    /// Step size η.
    pub step: f64,
    /// Unrelated nodes drawn for each edge.
    pub negatives: usize,
}

impl Default for TreeEmbedding {
    /// 100 passes, 10 of them burn-in, step 0.3, ten negatives.
    fn default() -> Self {
        Self { epochs: 100, burn_in: 10, step: 0.3, negatives: 10 }
    }
}

/// Points farther than this from the origin are pulled back: beyond it a Poincaré ball has few digits left.
const FARTHEST: f64 = 12.0;

impl TreeEmbedding {
    /// A point for each node, about `origin`.
    pub fn train<M: Manifold, R: Rng + ?Sized>(
        &self,
        space: &M,
        origin: &M::Point,
        tree: &Tree,
        rng: &mut R,
    ) -> Vec<M::Point> {
        let n = tree.names.len();
        let related: HashSet<(usize, usize)> =
            tree.edges.iter().flat_map(|&(u, v)| [(u, v), (v, u)]).collect();
        let mut points: Vec<M::Point> =
            (0..n).map(|_| space.exp(origin, &space.tangent_gaussian(origin, 1e-3, rng))).collect();
        let mut order: Vec<usize> = (0..tree.edges.len()).collect();
        for epoch in 0..self.epochs {
            let step = if epoch < self.burn_in { 0.1 * self.step } else { self.step };
            for i in (1..order.len()).rev() {
                order.swap(i, rng.random_range(0..=i));
            }
            for &edge in &order {
                let (u, v) = tree.edges[edge];
                let mut others = vec![v];
                // A node related to nearly all others has few negatives: it gets those it has.
                for _ in 0..4 * self.negatives {
                    let other = rng.random_range(0..n);
                    if others.len() > self.negatives {
                        break;
                    }
                    if other != u && !related.contains(&(u, other)) {
                        others.push(other);
                    }
                }
                self.descend(space, origin, &mut points, u, &others, step);
            }
        }
        points
    }

    /// One step on the loss of u against `others`, the first of which is its ancestor.
    fn descend<M: Manifold>(
        &self,
        space: &M,
        origin: &M::Point,
        points: &mut [M::Point],
        u: usize,
        others: &[usize],
        step: f64,
    ) {
        let distances: Vec<f64> = others.iter().map(|&v| space.dist(&points[u], &points[v])).collect();
        let nearest = distances.iter().copied().fold(f64::INFINITY, f64::min);
        let total: f64 = distances.iter().map(|d| (nearest - d).exp()).sum();
        let mut at_u = space.zero(&points[u]);
        let mut moves = Vec::with_capacity(others.len());
        for (k, (&v, &d)) in others.iter().zip(&distances).enumerate() {
            // dL/dd of the k-th distance; ∇_u d(u, v) = −log_u(v)/d is a unit vector, likewise at v.
            let slope = f64::from(u8::from(k == 0)) - (nearest - d).exp() / total;
            let (Ok(to_v), Ok(to_u)) = (space.log(&points[u], &points[v]), space.log(&points[v], &points[u]))
            else {
                continue;
            };
            if d > 1e-12 {
                at_u.add_scaled(step * slope / d, &to_v);
                moves.push((v, space.scale(step * slope / d, &to_u)));
            }
        }
        moves.push((u, at_u));
        for (i, v) in moves {
            let moved = space.exp(&points[i], &v);
            points[i] = pulled_back(space, origin, moved).unwrap_or_else(|| points[i].clone());
        }
    }
}

fn pulled_back<M: Manifold>(space: &M, origin: &M::Point, p: M::Point) -> Option<M::Point> {
    let log = space.log(origin, &p).ok()?;
    let distance = space.norm(origin, &log);
    if !distance.is_finite() {
        return None;
    }
    Some(if distance > FARTHEST { space.exp(origin, &space.scale(FARTHEST / distance, &log)) } else { p })
}

impl Tree {
    /// How well points tell the tree: the mean, over all edges (u, v), of v's rank among the nodes unrelated to u by distance
    /// from u. 1 is perfect; unrelated points give about half the number of nodes.
    pub fn mean_rank<M: Manifold>(&self, space: &M, points: &[M::Point]) -> f64 {
        let related: HashSet<(usize, usize)> =
            self.edges.iter().flat_map(|&(u, v)| [(u, v), (v, u)]).collect();
        let mut by_child: HashMap<usize, Vec<usize>> = HashMap::new();
        for &(u, v) in &self.edges {
            by_child.entry(u).or_default().push(v);
        }
        let mut total = 0.0;
        for (&u, ancestors) in &by_child {
            let others: Vec<f64> = (0..points.len())
                .filter(|&w| w != u && !related.contains(&(u, w)))
                .map(|w| space.dist(&points[u], &points[w]))
                .collect();
            for &v in ancestors {
                let d = space.dist(&points[u], &points[v]);
                total += 1.0 + others.iter().filter(|x| **x < d).count() as f64;
            }
        }
        total / self.edges.len() as f64
    }
}
