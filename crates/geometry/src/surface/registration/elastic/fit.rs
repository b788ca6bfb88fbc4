//! Gauss–Newton for similarity and displacement together.

use super::basis::Rank;
use super::border::Sighting;
use super::equations::{Carried, DepthPrior, Equations, NormalEquations};
use super::prepared::Elastic;
use super::settings::Following;
use super::target::Target;
use crate::mesh::{MeshError, Point, Similarity, Vector};
use nalgebra::{Cholesky, DVector, Dyn, Rotation3};

/// Where the nodes came to lie.
pub struct Fitted {
    /// Displaced nodes, in the template's working coordinates.
    pub nodes: Vec<Point>,
    /// From there onto the scan, in working coordinates too.
    pub motion: Similarity,
    /// Displaced vertices of the border.
    rim: Vec<Point>,
    /// Coefficients of the depth by which the scan ends inside the template's border, working units.
    depth: Vec<f64>,
    /// Whether the scan is believed to end where the template does.
    pub ends_alike: bool,
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
    /// What was known of the depth beforehand.
    pub depth: DepthPrior,
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
/// The depth of a scan that ends where the template does, but for what its rim is uneven, working units.
const NOT_CUT: DepthPrior = DepthPrior { mean: 0.7, spread: 0.7 };
/// And of one that was cut a little inside.
const CUT_A_LITTLE: DepthPrior = DepthPrior { mean: 5.0, spread: 2.0 };
/// A scan is believed to end where the template does if that makes what is seen twenty times as likely (natural logarithm) as that it was cut. Of scans of
/// three populations, sixty of each kind, 59 whole ones reached 3.1 and more (one 2.3), 29 of faces twice as far from their template as people are;
/// ones cut by 0 to 7 mm -19 to 2.9 (one 3.5), ones cut by a sphere 2.0 at most, but for two whose cut missed the face.
const SURE: f64 = 3.0;
/// How much more is forgiven at the first step than at the last.
const FIRST_FORGIVEN: f64 = 4.0;

/// What changes from step to step.
struct Step {
    rank: Rank,
    sigma: f64,
    reach: f64,
    robust: f64,
    /// Whether it is one of all functions.
    is_full: bool,
    /// Whether it asks if the scan ends where the template does.
    asks: bool,
}

/// Fits the nodes to the scan, `motion` being where the whole template lies at the beginning.
pub fn fit(prepared: &Elastic<'_>, target: &Target, motion: Similarity) -> Result<Fitted, MeshError> {
    let s = prepared.settings();
    let total = s.steps.0 + s.steps.1;
    let x = prepared.mesh.vertices();
    let mut state = Fitted {
        nodes: x.to_vec(),
        rim: prepared.border.points.clone(),
        motion,
        depth: vec![0.0; prepared.border.depths.count()],
        ends_alike: false,
        misfit: Vec::new(),
        gaps: Vec::new(),
        posterior: None,
    };
    for k in 0..total {
        let done = k as f64 / (total.max(2) - 1) as f64;
        // The softest stage begins a little before the end, so that the last steps converge.
        let sigma = s.sigma.0 * (s.sigma.1 / s.sigma.0).powf((1.2 * done).min(1.0));
        let is_full = k >= s.steps.0;
        let rank = prepared.basis.rank(if is_full { s.kernel.rank } else { s.kernel.coarse_rank });
        let reach = s.reach.0 + (s.reach.1 - s.reach.0) * done;
        let robust = s.robust * (FIRST_FORGIVEN + (1.0 - FIRST_FORGIVEN) * done);
        // With the first step of all functions: those before know too little, those after are drawn to what it found.
        let asks = k == s.steps.0;
        state.step(prepared, target, &Step { rank, sigma, reach, robust, is_full, asks })?;
    }
    Ok(state)
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
        if equations.count() < FEWEST {
            return Err(MeshError::Degenerate(
                "too little of the scan lies near the template; check the pose or crop the scan to the face"
                    .to_owned(),
            ));
        }
        let apart = self.match_border(target, step, &normals, &mut equations);
        let unsolvable = || MeshError::Degenerate("the registration's equations have no solution".to_owned());
        let normal = equations.normal().ok_or_else(unsolvable)?;
        let depth = self.depth_prior(prepared, &normal, apart, step.asks);
        let (factor, right) = normal.factored(&depth).ok_or_else(unsolvable)?;
        let following = prepared.settings().following.as_ref();
        let misfit = self.last_misfit();
        let about = |last: &Posterior, following: &Following| {
            &right + last.centre(following.share(last, misfit), &depth)
        };
        let last = self.posterior.take().filter(|last| last.rank == step.rank);
        let first = following.zip(last).map(|(following, last)| about(&last, following));
        let solution = factor.solve(first.as_ref().unwrap_or(&right));
        let mut found = Posterior { factor, solution, rank: step.rank, depth };
        if let Some(following) = following.filter(|_| step.is_full) {
            for _ in 0..following.again {
                found.solution = found.factor.solve(&about(&found, following));
            }
        }
        self.update(prepared, &found.solution, step.rank, &depth);
        self.posterior = Some(found);
        Ok(())
    }

    /// What is known beforehand of the depth, `apart` being that of scans cut by a rule of their own. A free mean depth takes half of what a face is larger
    /// or smaller than the template, so it is asked whether what is seen is much likelier if there is next to none than if the scan was cut a little.
    fn depth_prior(
        &mut self,
        prepared: &Elastic<'_>,
        normal: &NormalEquations,
        apart: DepthPrior,
        asks: bool,
    ) -> DepthPrior {
        let Some((mean, spread)) = prepared.settings().border.alike else { return apart };
        if asks {
            let evidence = |prior: &DepthPrior| normal.evidence(prior).unwrap_or(f64::NEG_INFINITY);
            let other = evidence(&CUT_A_LITTLE).max(evidence(&apart));
            self.ends_alike = evidence(&NOT_CUT) > other + SURE;
        }
        if self.ends_alike { DepthPrior { mean, spread } } else { apart }
    }

    /// Point-to-plane distances of the nodes to the scan; nodes matched to the scan's border have none.
    fn match_surface(
        &mut self,
        target: &Target,
        step: &Step,
        normals: &[Vector],
        equations: &mut Equations<'_, '_>,
    ) {
        let least = equations.prepared().settings().least_cosine;
        let back = self.motion.rotation.inverse();
        let mut squares = 0.0;
        self.gaps = vec![None; self.nodes.len()];
        for &i in &equations.prepared().control.matched {
            let y = &self.nodes[i];
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
            let prepared = equations.prepared();
            let Some(direction) = (back * m + prepared.own_normal(i)).try_normalize(1e-9) else { continue };
            let w = prepared.weights[i] / (1.0 + (gap / step.robust).powi(2)).sqrt() / step.sigma;
            let carried = Carried { index: i, from: prepared.mesh.vertices()[i], now: *y };
            equations.push(&carried, &direction, &self.motion.invert(&p), w);
        }
        self.misfit.push((squares / equations.count().max(1) as f64).sqrt());
    }

    /// The scan's rim lies a smooth unknown depth inside the template's border: a scan may end anywhere, but gradually. Gives what is known of that
    /// depth where the scan was cut by a rule of its own.
    fn match_border(
        &self,
        target: &Target,
        step: &Step,
        normals: &[Vector],
        equations: &mut Equations<'_, '_>,
    ) -> DepthPrior {
        let prepared = equations.prepared();
        let (border, s) = (&prepared.border, prepared.settings());
        // The first steps know little: they trust the border as they trust the surface.
        let sigma = s.border.noise * step.sigma / s.sigma.1;
        let outward = border.outward(&self.rim, normals);
        // A closed template has no border, whatever holes the scan has.
        let seen = if self.rim.is_empty() { &[] } else { target.rim.as_slice() };
        let tells = |seen: &Sighting| seen.out != Vector::zeros() && seen.away < s.border.reach;
        let sighted: Vec<Sighting> = seen
            .iter()
            .map(|p| border.sight(&self.rim, &outward, &self.motion.invert(p)))
            .filter(tells)
            .collect();
        let mut gaps: Vec<f64> = sighted.iter().map(|seen| seen.gap).collect();
        gaps.sort_by(f64::total_cmp);
        let prior = |mean| DepthPrior { mean: s.border.mean, spread: s.border.spread(mean) };
        let Some(&median) = gaps.get(gaps.len() / 2) else { return prior(0.0) };
        let first = self.depth.iter().all(|&c| c == 0.0);
        for Sighting { vertex, out, gap, .. } in sighted {
            let expected = if first { median } else { -border.depths.depth(&self.depth, vertex) };
            let tolerance = if gap < expected { s.border.dents } else { s.border.robust };
            let w = 1.0 / (1.0 + ((gap - expected) / tolerance).powi(2)).sqrt() / sigma;
            let y = self.rim[vertex];
            let carried = Carried { index: self.nodes.len() + vertex, from: border.points[vertex], now: y };
            let depth = equations.push(&carried, &out, &(y + out * gap), w);
            depth.iter_mut().zip(border.depths.at(vertex)).for_each(|(o, f)| *o = (-w * f) as f32);
        }
        prior(if first { median } else { self.depth[0] })
    }

    fn update(&mut self, prepared: &Elastic<'_>, c: &DVector<f64>, rank: Rank, prior: &DepthPrior) {
        let off = 3 * (rank.0 + rank.1);
        let depth = c.as_slice()[off + 7..].iter().enumerate();
        self.depth = depth.map(|(k, c)| c * prior.scale(k)).collect();
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
