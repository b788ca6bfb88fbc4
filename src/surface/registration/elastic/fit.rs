//! Gauss–Newton for similarity and displacement together.

use super::basis::Rank;
use super::border::Sighting;
use super::prepared::Elastic;
use super::target::Target;
use crate::mesh::{MeshError, Point, Similarity, Vector};
use crate::numeric::dense::cholesky_in_place;
use nalgebra::{Cholesky, DMatrix, DVector, Dyn, Rotation3};

/// Where the nodes came to lie.
pub struct Fitted {
    /// Displaced nodes, in the template's working coordinates.
    pub nodes: Vec<Point>,
    /// From there onto the scan, in working coordinates too.
    pub motion: Similarity,
    /// Displaced vertices of the border.
    rim: Vec<Point>,
    /// Coefficients of the depth by which the scan ends inside the template's border: of its mean, and in working units.
    depth: Vec<f64>,
    /// Root-mean-square distance to the matched planes, step by step.
    pub misfit: Vec<f64>,
    /// Distances of the nodes to the planes they were matched to at the last step.
    pub gaps: Vec<Option<f64>>,
    /// What the last step left unknown.
    pub posterior: Option<Posterior>,
}

/// The last step's normal equations.
pub struct Posterior {
    /// Of the precision of displacement, motion and depth, in this order.
    pub factor: Cholesky<f64, Dyn>,
    /// Their coefficients, of unit variance.
    pub solution: DVector<f64>,
    /// Which part of the basis the displacement is in.
    pub rank: Rank,
    /// Standard deviation of the depth about its mean, working units.
    spread: f64,
}

impl Posterior {
    /// Mean square of the displacement's coefficients: 1 for a draw of the prior.
    pub fn energy(&self) -> f64 {
        self.solution.rows(0, self.displacement()).norm_squared() / self.displacement() as f64
    }

    /// How many coefficients are the displacement's.
    pub fn displacement(&self) -> usize {
        3 * (self.rank.0 + self.rank.1)
    }
}

/// Fewest matched nodes a registration can rest on.
const FEWEST: usize = 50;
/// Standard deviations of a step's shift (working units), turn (radians) and log growth: all but free.
const SHIFT: f64 = 3000.0;
const TURN: f64 = 50.0;
/// How much more is forgiven at the first step than at the last.
const FIRST_FORGIVEN: f64 = 4.0;

/// What changes from step to step.
struct Step {
    rank: Rank,
    sigma: f64,
    reach: f64,
    robust: f64,
}

/// Fits the nodes to the scan.
pub fn fit(prepared: &Elastic<'_>, target: &Target) -> Result<Fitted, MeshError> {
    let s = prepared.settings();
    let total = s.steps.0 + s.steps.1;
    let x = prepared.mesh.vertices();
    let mut state = Fitted {
        nodes: x.to_vec(),
        rim: prepared.border.points.clone(),
        motion: Similarity::identity(),
        depth: vec![0.0; prepared.border.depths.count()],
        misfit: Vec::new(),
        gaps: Vec::new(),
        posterior: None,
    };
    for k in 0..total {
        let done = k as f64 / (total.max(2) - 1) as f64;
        // The softest stage begins a little before the end, so that the last steps converge.
        let sigma = s.sigma.0 * (s.sigma.1 / s.sigma.0).powf((1.2 * done).min(1.0));
        let rank = prepared.basis.rank(if k < s.steps.0 { s.kernel.coarse_rank } else { s.kernel.rank });
        let reach = s.reach.0 + (s.reach.1 - s.reach.0) * done;
        let robust = s.robust * (FIRST_FORGIVEN + (1.0 - FIRST_FORGIVEN) * done);
        state.step(prepared, target, &Step { rank, sigma, reach, robust })?;
    }
    Ok(state)
}

/// A point of the template the displacement carries.
struct Carried {
    /// Its number among the basis's points.
    index: usize,
    /// Where it is on the template.
    from: Point,
    /// Where it is after the last step, in the template's coordinates.
    now: Point,
}

/// Weighted linear equations for coefficients and motion, a column each.
struct Equations<'a, 't> {
    prepared: &'a Elastic<'t>,
    rank: Rank,
    /// Coefficients of the displacement; of the depth at the border.
    sizes: (usize, usize),
    columns: Vec<f64>,
    right: Vec<f64>,
}

impl<'a, 't> Equations<'a, 't> {
    fn new(prepared: &'a Elastic<'t>, rank: Rank) -> Self {
        let sizes = (3 * (rank.0 + rank.1), prepared.border.depths.count());
        // The rim of a scan is seldom much longer than the template's border.
        let rows = prepared.mesh.vertices().len() + 2 * prepared.border.points.len();
        let columns = Vec::with_capacity((sizes.0 + 7 + sizes.1) * rows);
        Self { prepared, rank, sizes, columns, right: Vec::with_capacity(rows) }
    }
}

impl Equations<'_, '_> {
    /// w · direction · (x + u + motion of y) = w · direction · goal, x where the point was and y where it is; the row's part
    /// for the depth, zero so far.
    fn push(&mut self, point: &Carried, direction: &Vector, goal: &Point, w: f64) -> &mut [f64] {
        let y = &point.now;
        let start = self.columns.len();
        self.columns.resize(start + self.sizes.0 + 7 + self.sizes.1, 0.0);
        let (field, rest) = self.columns[start..].split_at_mut(self.sizes.0);
        let (motion, depth) = rest.split_at_mut(7);
        self.prepared.basis.gradient(point.index, direction, w, self.rank, field);
        let turn = y.coords.cross(direction);
        for d in 0..3 {
            motion[d] = w * direction[d];
            motion[3 + d] = w * turn[d];
        }
        motion[6] = w * y.coords.dot(direction);
        self.right.push(w * (goal - point.from).dot(direction));
        depth
    }

    /// The precision's factor and the posterior mode: coefficients of unit variance about `centre` (none: about 0), of all but free motion.
    fn solve(self, centre: Option<DVector<f64>>) -> Option<(Cholesky<f64, Dyn>, DVector<f64>)> {
        let size = self.sizes.0 + 7 + self.sizes.1;
        let rows = DMatrix::from_vec(size, self.right.len(), self.columns);
        let mut normal = DMatrix::zeros(size, size);
        gram(&rows, &mut normal);
        for i in 0..size {
            normal[(i, i)] += match i.checked_sub(self.sizes.0) {
                Some(0..3) => SHIFT.powi(-2),
                Some(3..7) => TURN.powi(-2),
                _ => 1.0,
            };
        }
        let lower = faer::MatMut::from_column_major_slice_mut(normal.as_mut_slice(), size, size);
        // nalgebra's own factorization goes column by column and takes as long as the products.
        if !cholesky_in_place(lower) {
            return None;
        }
        let factor = Cholesky::pack_dirty(normal);
        let mut right = times(&rows, &self.right);
        if let Some(centre) = centre {
            right += centre;
        }
        let solution = factor.solve(&right);
        Some((factor, solution))
    }
}

impl Fitted {
    /// The misfit before the last step.
    pub fn last_misfit(&self) -> f64 {
        self.misfit.last().copied().unwrap_or(f64::INFINITY)
    }

    fn step(&mut self, prepared: &Elastic<'_>, target: &Target, step: &Step) -> Result<(), MeshError> {
        let normals = prepared.normals(&self.nodes)?;
        let mut equations = Equations::new(prepared, step.rank);
        self.match_surface(target, step, &normals, &mut equations);
        if equations.right.len() < FEWEST {
            return Err(MeshError::Degenerate(
                "too little of the scan lies near the template; check the pose or crop the scan to the face"
                    .to_owned(),
            ));
        }
        let spread = self.match_border(target, step, &normals, &mut equations);
        let last = self.posterior.take().filter(|last| last.rank == step.rank);
        let centre = prepared.settings().following.as_ref().zip(last).map(|(following, last)| {
            last.centre(following.share(&last, self.last_misfit()), (last.spread, spread))
        });
        let (factor, solution) = equations.solve(centre).ok_or_else(|| {
            MeshError::Degenerate("the registration's equations have no solution".to_owned())
        })?;
        self.update(prepared, &solution, step.rank, spread);
        self.posterior = Some(Posterior { factor, solution, rank: step.rank, spread });
        Ok(())
    }

    /// Point-to-plane distances of the nodes to the scan; nodes matched to the scan's border have none.
    fn match_surface(
        &mut self,
        target: &Target,
        step: &Step,
        normals: &[Vector],
        equations: &mut Equations<'_, '_>,
    ) {
        let least = equations.prepared.settings().least_cosine;
        let back = self.motion.rotation.inverse();
        let mut squares = 0.0;
        self.gaps = vec![None; self.nodes.len()];
        for (i, y) in self.nodes.iter().enumerate() {
            let (q, n) = (self.motion.apply(y), self.motion.rotation * normals[i]);
            let j = target.match_of(&q, &n);
            let (p, m) = (target.finder.mesh().vertices()[j], target.normals[j]);
            if target.on_border[j] || (p - q).norm() > step.reach || m.dot(&n) < least {
                continue;
            }
            let gap = (p - q).dot(&m);
            squares += gap * gap;
            self.gaps[i] = Some(gap);
            // The chord of a slide along a curved surface is at a right angle to the sum of the normals where it begins and
            // where it ends (Rusinkiewicz 2019), and the displacement is such a chord.
            let prepared = equations.prepared;
            let Some(direction) = (back * m + prepared.own_normal(i)).try_normalize(1e-9) else { continue };
            let w = prepared.weights[i] / (1.0 + (gap / step.robust).powi(2)).sqrt() / step.sigma;
            let carried = Carried { index: i, from: prepared.mesh.vertices()[i], now: *y };
            equations.push(&carried, &direction, &self.motion.invert(&p), w);
        }
        self.misfit.push((squares / equations.right.len().max(1) as f64).sqrt());
    }

    /// The scan's rim lies a smooth unknown depth inside the template's border: a scan may end anywhere, but gradually. Gives the standard deviation
    /// of that depth about its mean.
    fn match_border(
        &self,
        target: &Target,
        step: &Step,
        normals: &[Vector],
        equations: &mut Equations<'_, '_>,
    ) -> f64 {
        let prepared = equations.prepared;
        let (border, s) = (&prepared.border, prepared.settings());
        // The first steps know little: they trust the border as they trust the surface.
        let sigma = s.border.noise * step.sigma / s.sigma.1;
        let outward = border.outward(&self.rim, normals);
        let sighted: Vec<Sighting> = target
            .rim
            .iter()
            .map(|p| border.sight(&self.rim, &outward, &self.motion.invert(p)))
            .filter(|seen| seen.out != Vector::zeros())
            .collect();
        let mut gaps: Vec<f64> = sighted.iter().map(|seen| seen.gap).collect();
        gaps.sort_by(f64::total_cmp);
        let Some(&median) = gaps.get(gaps.len() / 2) else { return s.border.spread(0.0) };
        let first = self.depth.iter().all(|&c| c == 0.0);
        let spread = s.border.spread(if first { median } else { self.depth[0] * s.border.mean });
        for Sighting { vertex, out, gap } in sighted {
            let expected = if first { median } else { -border.depths.depth(&self.depth, vertex) };
            let tolerance = if gap < expected { s.border.dents } else { s.border.robust };
            let w = 1.0 / (1.0 + ((gap - expected) / tolerance).powi(2)).sqrt() / sigma;
            let y = self.rim[vertex];
            let carried = Carried { index: self.nodes.len() + vertex, from: border.points[vertex], now: y };
            let depth = equations.push(&carried, &out, &(y + out * gap), w);
            let scales = std::iter::once(1.0).chain(std::iter::repeat(spread));
            let functions = border.depths.at(vertex).iter().zip(scales);
            depth.iter_mut().zip(functions).for_each(|(o, (f, scale))| *o = -w * scale * f);
        }
        spread
    }

    fn update(&mut self, prepared: &Elastic<'_>, c: &DVector<f64>, rank: Rank, spread: f64) {
        let off = 3 * (rank.0 + rank.1);
        self.depth = c.as_slice()[off + 7..].to_vec();
        self.depth.iter_mut().skip(1).for_each(|c| *c *= spread);
        let part = |k: usize| Vector::new(c[off + k], c[off + k + 1], c[off + k + 2]);
        let m = self.motion;
        self.motion = Similarity {
            scale: m.scale * c[off + 6].exp(),
            rotation: m.rotation * Rotation3::new(part(3)),
            translation: m.translation + m.rotation * part(0) * m.scale,
        };
        for (i, x) in prepared.mesh.vertices().iter().enumerate() {
            self.nodes[i] = x + prepared.basis.displacement(c, i, rank);
        }
        for (k, x) in prepared.border.points.iter().enumerate() {
            self.rim[k] = x + prepared.basis.displacement(c, self.nodes.len() + k, rank);
        }
    }
}

/// B v; nalgebra's own product goes column by column of a matrix with few rows, and takes several times as long.
fn times(b: &DMatrix<f64>, v: &[f64]) -> DVector<f64> {
    let mut out = DVector::zeros(b.nrows());
    faer::linalg::matmul::matmul(
        faer::ColMut::from_slice_mut(out.as_mut_slice()).as_mat_mut(),
        faer::Accum::Replace,
        faer::MatRef::from_column_major_slice(b.as_slice(), b.nrows(), b.ncols()),
        faer::ColRef::from_slice(v).as_mat(),
        1.0,
        faer::Par::Seq,
    );
    out
}

/// The lower triangle of B Bᵀ.
fn gram(b: &DMatrix<f64>, out: &mut DMatrix<f64>) {
    use faer::linalg::matmul::triangular::{BlockStructure, matmul};
    let n = b.nrows();
    let b = faer::MatRef::from_column_major_slice(b.as_slice(), n, b.ncols());
    matmul(
        faer::MatMut::from_column_major_slice_mut(out.as_mut_slice(), n, n),
        BlockStructure::TriangularLower,
        faer::Accum::Replace,
        b,
        BlockStructure::Rectangular,
        b.transpose(),
        BlockStructure::Rectangular,
        1.0,
        faer::Par::Seq,
    );
}
