//! From the displaced nodes to the template's vertices on the scan: foot points where there is scan, a smooth continuation
//! where there is none, and no folds.

use super::fit::Fitted;
use super::prior::Prepared;
use super::scan::Target;
use super::settings::ElasticSettings;
use crate::mesh::{MeshError, Point, TriMesh, Vector};
use crate::sparse::{SparseCholesky, SymmetricBuilder};
use crate::surface::srnf::Registered;
use crate::surface::template::Template;
use nalgebra::DMatrix;

/// Smallest Jacobian determinant left after repair, relative to the mean.
const LEAST: f64 = 0.02;
/// Sweeps of fold repair before giving up.
const SWEEPS: usize = 60;

pub fn finish(
    template: &Template,
    prepared: &Prepared,
    target: &Target,
    fitted: &Fitted,
    settings: &ElasticSettings,
) -> Result<Registered, MeshError> {
    let mesh = template.mesh();
    let moved: Vec<Point> = mesh
        .vertices()
        .iter()
        .zip(&prepared.control.blends)
        .map(|(p, (nodes, weights))| {
            let u: Vector = (0..3).map(|k| (fitted.y[nodes[k]] - prepared.x[nodes[k]]) * weights[k]).sum();
            fitted.frame.apply(&(prepared.own().apply(p) + u))
        })
        .collect();
    let moved = mesh.with_vertices(moved)?;
    let landing = Landing::new(&moved, target, settings);
    let neighbours = neighbours(mesh);
    let offsets = landing.smooth_offsets(mesh, &neighbours, settings.finish_smooth)?;
    let landed = landing.offsets.iter().map(Option::is_some).collect();
    let mut sheet = Sheet { template: mesh, moved: &moved, offsets, landed, normals: landing.normals };
    let min_jacobian = sheet.unfold(&neighbours);
    let positions = (0..mesh.vertices().len()).map(|i| target.work.to_scan(&sheet.position(i))).collect();
    Ok(Registered { positions, energy: vec![fitted.misfit.clone()], min_jacobian })
}

/// Where the moved template meets the scan.
struct Landing {
    /// To the foot point; `None` where the scan has ended.
    offsets: Vec<Option<Vector>>,
    /// The surface's normal there: the scan's, or the moved template's own.
    normals: Vec<Vector>,
}

impl Landing {
    fn new(moved: &TriMesh, target: &Target, settings: &ElasticSettings) -> Self {
        let own = moved.vertex_normals();
        let (offsets, normals) = moved
            .vertices()
            .iter()
            .zip(&own)
            .map(|(q, n)| {
                let foot = target.finder.closest(q);
                let normal = target.normal_at(&foot);
                let offset = foot.point - q;
                let lands = !target.at_border(&foot)
                    && offset.norm() < settings.reach_last
                    && normal.dot(n) > settings.normal_least;
                if lands { (Some(offset), normal) } else { (None, *n) }
            })
            .unzip();
        Self { offsets, normals }
    }

    /// Minimizes Σ |v − offset|² over the vertices that landed + `stiffness` Σ |vᵢ − vⱼ|² over edges.
    fn smooth_offsets(
        &self,
        mesh: &TriMesh,
        neighbours: &[Vec<u32>],
        stiffness: f64,
    ) -> Result<Vec<Vector>, MeshError> {
        let n = mesh.vertices().len();
        let mut builder = SymmetricBuilder::new(n);
        let mut rhs = DMatrix::zeros(n, 3);
        for (i, offset) in self.offsets.iter().enumerate() {
            if let Some(v) = offset {
                builder.add(i, i, 1.0);
                (0..3).for_each(|d| rhs[(i, d)] = v[d]);
            }
            // Off the scan the offset fades out over some ten edges.
            builder.add(i, i, stiffness * (neighbours[i].len() as f64 + 0.01));
            neighbours[i]
                .iter()
                .filter(|&&j| (j as usize) < i)
                .for_each(|&j| builder.add(i, j as usize, -stiffness));
        }
        let factor = SparseCholesky::new(&builder.build())
            .map_err(|_| MeshError::Degenerate("the registered positions cannot be smoothed".to_owned()))?;
        factor.solve_in_place(&mut rhs);
        Ok((0..n).map(|i| Vector::new(rhs[(i, 0)], rhs[(i, 1)], rhs[(i, 2)])).collect())
    }
}

fn neighbours(mesh: &TriMesh) -> Vec<Vec<u32>> {
    let mut out = vec![Vec::with_capacity(8); mesh.vertices().len()];
    for t in mesh.triangles() {
        for k in 0..3 {
            let (a, b) = (t[k], t[(k + 1) % 3]);
            for (a, b) in [(a, b), (b, a)] {
                if !out[a].contains(&(b as u32)) {
                    out[a].push(b as u32);
                }
            }
        }
    }
    out
}

/// The registered template while its folds are taken out.
struct Sheet<'a> {
    template: &'a TriMesh,
    moved: &'a TriMesh,
    /// From the moved template to the registered one.
    offsets: Vec<Vector>,
    landed: Vec<bool>,
    /// The scan's normals where a vertex landed.
    normals: Vec<Vector>,
}

impl Sheet<'_> {
    fn position(&self, i: usize) -> Point {
        self.moved.vertices()[i] + self.offsets[i]
    }

    /// Jacobian determinants of the map from the template, relative to the mean: signed by the scan's normal where all
    /// corners landed, by the moved template's own elsewhere.
    fn jacobians(&self) -> Vec<f64> {
        let signed: Vec<f64> = (0..self.template.triangles().len())
            .map(|t| {
                let corners = self.template.triangles()[t];
                let [a, b, c] = corners.map(|i| self.position(i));
                let normal: Vector = if corners.iter().all(|&i| self.landed[i]) {
                    corners.iter().map(|&i| self.normals[i]).sum()
                } else {
                    self.moved.area_vector(t)
                };
                let own = self.template.area_vector(t).norm();
                let unit = normal.try_normalize(1e-300).unwrap_or_else(Vector::zeros);
                0.5 * (b - a).cross(&(c - a)).dot(&unit) / own.max(1e-300)
            })
            .collect();
        let mean = signed.iter().sum::<f64>() / signed.len() as f64;
        signed.into_iter().map(|j| j / mean).collect()
    }

    /// Lets the corners of turned triangles go from the scan, to follow their neighbours, until none is left; the
    /// smallest Jacobian determinant.
    fn unfold(&mut self, neighbours: &[Vec<u32>]) -> f64 {
        let mut least = f64::NEG_INFINITY;
        let mut touched = vec![false; self.offsets.len()];
        for sweep in 0..SWEEPS {
            let jacobians = self.jacobians();
            least = jacobians.iter().copied().fold(f64::INFINITY, f64::min);
            if least > LEAST || !least.is_finite() {
                break;
            }
            let mut bad = vec![false; self.offsets.len()];
            for (t, j) in jacobians.iter().enumerate() {
                if *j <= LEAST {
                    self.template.triangles()[t].iter().for_each(|&i| bad[i] = true);
                }
            }
            // A fold that stays takes its surroundings with it.
            for _ in 0..sweep / 6 {
                let before = bad.clone();
                (0..bad.len())
                    .filter(|&i| before[i])
                    .for_each(|i| neighbours[i].iter().for_each(|&j| bad[j as usize] = true));
            }
            (0..bad.len()).filter(|&i| bad[i]).for_each(|i| {
                touched[i] = true;
                self.landed[i] = false;
            });
            for _ in 0..10 {
                for i in (0..touched.len()).filter(|&i| touched[i]) {
                    let around = &neighbours[i];
                    self.offsets[i] = around.iter().map(|&j| self.offsets[j as usize]).sum::<Vector>()
                        / around.len() as f64;
                }
            }
            // Corners with one offset have the moved template's own orientation.
            for (t, _) in jacobians.iter().enumerate().filter(|(_, j)| **j <= LEAST) {
                let corners = self.template.triangles()[t];
                let middle = corners.iter().map(|&i| self.offsets[i]).sum::<Vector>() / 3.0;
                corners.iter().for_each(|&i| self.offsets[i] = middle);
            }
        }
        least
    }
}
