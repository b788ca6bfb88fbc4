//! Local Delaunay stars in the tangent planes, and the triangles they agree upon.

use super::super::neighbours::Neighbours;
use super::super::{Point, Vector};

/// A triangle of the cloud and how many of its corners have it in their star.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Candidate {
    /// Counter-clockwise about the normals, smallest index first.
    pub corners: [u32; 3],
    /// 1 to 3.
    pub votes: u8,
}

/// The Delaunay star of each point among its neighbours, in the plane across its normal; every triangle of
/// any star, once, with its votes.
pub(crate) fn candidates(points: &[Point], normals: &[Vector], neighbours: &Neighbours) -> Vec<Candidate> {
    let mut triples: Vec<[u32; 3]> = Vec::with_capacity(6 * points.len());
    let mut star = Star::default();
    for i in 0..points.len() {
        star.find(points, normals, neighbours, i);
        for &[a, b] in &star.spokes {
            triples.push(rotated_smallest_first([i as u32, a, b]));
        }
    }
    let mut out: Vec<Candidate> = Vec::with_capacity(2 * points.len());
    for corners in sorted(&triples, points.len()) {
        match out.last_mut() {
            Some(last) if last.corners == corners => last.votes += 1,
            _ => out.push(Candidate { corners, votes: 1 }),
        }
    }
    out
}

/// Triples of numbers below `n` in rising order: counted by the first, of which each has few.
fn sorted(triples: &[[u32; 3]], n: usize) -> Vec<[u32; 3]> {
    let mut start = vec![0u32; n + 1];
    triples.iter().for_each(|t| start[t[0] as usize + 1] += 1);
    (0..n).for_each(|v| start[v + 1] += start[v]);
    let mut next = start.clone();
    let mut out = vec![[0; 3]; triples.len()];
    for t in triples {
        let slot = &mut next[t[0] as usize];
        out[*slot as usize] = *t;
        *slot += 1;
    }
    start.windows(2).for_each(|w| out[w[0] as usize..w[1] as usize].sort_unstable());
    out
}

fn rotated_smallest_first([a, b, c]: [u32; 3]) -> [u32; 3] {
    if a < b && a < c {
        [a, b, c]
    } else if b < c {
        [b, c, a]
    } else {
        [c, a, b]
    }
}

/// Work space for one star.
#[derive(Default)]
struct Star {
    inverted: Vec<([f64; 2], u32)>,
    hull: Vec<usize>,
    spokes: Vec<[u32; 2]>,
}

impl Star {
    /// The triangles at point `i`, as pairs (a, b) with (i, a, b) counter-clockwise about its normal.
    ///
    /// Inversion at the point turns circles through it into lines, and empty circles into hull edges seen
    /// from inside: the star is read off a convex hull.
    fn find(&mut self, points: &[Point], normals: &[Vector], neighbours: &Neighbours, i: usize) {
        let normal = normals[i];
        let (u, v) = plane_axes(&normal);
        self.inverted.clear();
        self.spokes.clear();
        for &j in neighbours.of(i) {
            let other = j as usize;
            if normals[other].dot(&normal) <= 0.0 {
                continue;
            }
            let step = points[other] - points[i];
            let flat = [step.dot(&u), step.dot(&v)];
            let squared = flat[0] * flat[0] + flat[1] * flat[1];
            if squared > 1e-4 * step.norm_squared() {
                self.inverted.push(([flat[0] / squared, flat[1] / squared], j));
            }
        }
        self.hull();
        for k in 0..self.hull.len() {
            let (a, ja) = self.inverted[self.hull[k]];
            let (b, jb) = self.inverted[self.hull[(k + 1) % self.hull.len()]];
            if a[0] * b[1] - a[1] * b[0] > 0.0 {
                self.spokes.push([ja, jb]);
            }
        }
    }

    /// Andrew's monotone chain, counter-clockwise.
    fn hull(&mut self) {
        self.inverted.sort_unstable_by(|(a, _), (b, _)| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
        self.hull.clear();
        let n = self.inverted.len();
        let turn = |hull: &[usize], at: usize, points: &[([f64; 2], u32)]| {
            let (o, a, b) = (points[hull[hull.len() - 2]].0, points[hull[hull.len() - 1]].0, points[at].0);
            (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])
        };
        for at in 0..n {
            while self.hull.len() >= 2 && turn(&self.hull, at, &self.inverted) <= 0.0 {
                self.hull.pop();
            }
            self.hull.push(at);
        }
        let lower = self.hull.len() + 1;
        for at in (0..n.saturating_sub(1)).rev() {
            while self.hull.len() >= lower && turn(&self.hull, at, &self.inverted) <= 0.0 {
                self.hull.pop();
            }
            self.hull.push(at);
        }
        self.hull.pop();
    }
}

/// Two unit vectors that with the unit vector `normal` make a right-handed frame (Duff et al. 2017).
pub(crate) fn plane_axes(normal: &Vector) -> (Vector, Vector) {
    let sign = 1f64.copysign(normal.z);
    let a = -1.0 / (sign + normal.z);
    let b = normal.x * normal.y * a;
    (
        Vector::new(1.0 + sign * normal.x * normal.x * a, sign * b, -sign * normal.x),
        Vector::new(b, sign + normal.y * normal.y * a, -normal.y),
    )
}
