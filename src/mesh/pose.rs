//! Where the face is in a scan: the similarity that takes a public template onto it, and its nose tip.
//!
//! Record-wise: one scan and the public template, nothing else.

use super::nearest::NearestPoint;
use super::{MeshError, Point, TriMesh, Vector};
use nalgebra::{Matrix3, Rotation3, Unit};

/// x ↦ s R x + t, from template to scan coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Similarity {
    /// s > 0: scan units per template unit.
    pub scale: f64,
    /// R, a proper rotation.
    pub rotation: Rotation3<f64>,
    /// t.
    pub translation: Vector,
}

impl Similarity {
    /// The image of a point.
    pub fn apply(&self, p: &Point) -> Point {
        Point::from(self.scale * (self.rotation * p.coords) + self.translation)
    }

    /// The point whose image is `p`.
    pub fn invert(&self, p: &Point) -> Point {
        Point::from(self.rotation.inverse() * (p.coords - self.translation) / self.scale)
    }

    /// The best in the least-squares sense for weighted pairs (Umeyama 1991), never a reflection.
    pub fn fit(from: &[Point], to: &[Point], weights: &[f64]) -> Option<Self> {
        let total: f64 = weights.iter().sum();
        if total <= 0.0 {
            return None;
        }
        let mean = |points: &[Point]| -> Vector {
            points.iter().zip(weights).map(|(p, w)| p.coords * *w).sum::<Vector>() / total
        };
        let (a, b) = (mean(from), mean(to));
        let (mut cross, mut spread) = (Matrix3::zeros(), 0.0);
        for ((p, q), w) in from.iter().zip(to).zip(weights) {
            let (u, v) = (p.coords - a, q.coords - b);
            cross += *w * v * u.transpose();
            spread += w * u.norm_squared();
        }
        let (rotation, stretch) = nearest_rotation(&cross)?;
        let scale = stretch / spread;
        (scale.is_finite() && scale > 0.0).then(|| Self {
            scale,
            rotation,
            translation: b - scale * (rotation * a),
        })
    }
}

/// The rotation R maximizing tr(Rᵀ M), and that maximum.
pub fn nearest_rotation(m: &Matrix3<f64>) -> Option<(Rotation3<f64>, f64)> {
    if !m.iter().all(|x| x.is_finite()) {
        return None;
    }
    let svd = m.svd(true, true);
    let (u, vt) = (svd.u?, svd.v_t?);
    let sign = (u * vt).determinant().signum();
    let flip = Matrix3::from_diagonal(&Vector::new(1.0, 1.0, sign));
    let s = svd.singular_values;
    // nalgebra sorts singular values in decreasing order.
    Some((Rotation3::from_matrix_unchecked(u * flip * vt), s[0] + s[1] + sign * s[2]))
}

/// The public face that poses are found with.
#[derive(Debug)]
pub struct PoseTemplate {
    points: Vec<Point>,
    normals: Vec<Vector>,
    nose: Point,
    forward: Vector,
    size: f64,
}

/// Where the face is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// Template to scan.
    pub similarity: Similarity,
    /// The scan vertex that protrudes most near where the template's nose tip falls.
    pub nose: usize,
    /// Trimmed mean distance between template and scan, relative to the template's size (root mean square
    /// distance from its centroid): below about 0.06 for a face.
    pub misfit: f64,
}

const SAMPLES: usize = 400;
const COARSE: usize = 130;
/// Share of pairs kept: the rest may be hair, clothes, or cropped away.
const KEPT: f64 = 0.75;

impl PoseTemplate {
    /// From a template face whose nose tip and upright direction are known; forward is away from the face at the nose.
    ///
    /// # Errors
    /// [`MeshError::Degenerate`] for a mesh without area.
    pub fn new(mesh: &TriMesh, nose: usize, forward: Vector) -> Result<Self, MeshError> {
        let normals = mesh.vertex_normals();
        let chosen = evenly_spread(mesh.vertices(), SAMPLES);
        let centre = mean_point(mesh.vertices());
        let size = rms_radius(mesh.vertices(), &centre);
        if size.partial_cmp(&0.0) != Some(std::cmp::Ordering::Greater) {
            return Err(MeshError::Degenerate("the template has no extent".to_owned()));
        }
        Ok(Self {
            points: chosen.iter().map(|&i| mesh.vertices()[i]).collect(),
            normals: chosen.iter().map(|&i| normals[i]).collect(),
            nose: mesh.vertices()[nose],
            forward: forward.normalize(),
            size,
        })
    }

    /// Finds the face in a scan (a mesh with outward normals): many starts, trimmed closest-point alignment with scale.
    ///
    /// # Errors
    /// [`MeshError::Degenerate`] when nothing in the scan resembles a face.
    pub fn find(&self, scan: &TriMesh) -> Result<Pose, MeshError> {
        let search = Search {
            template: self,
            scan,
            normals: scan.vertex_normals(),
            tree: NearestPoint::new(scan.vertices().iter())?,
        };
        let mut best = search.best_of(&search.patch_starts())?;
        if best.1 > 0.075 {
            // A bust: the face is a small part, somewhere.
            let other = search.best_of(&search.bust_starts());
            if let Ok(other) = other
                && other.1 < best.1
            {
                best = other;
            }
        }
        let (similarity, misfit) = best;
        if misfit > 0.2 {
            return Err(MeshError::Degenerate(
                "no face found: nothing in the scan resembles the template; crop the scan to the face or give \
                 a landmark file with nose_tip"
                    .to_owned(),
            ));
        }
        let nose = search.nose(&similarity);
        Ok(Pose { similarity, nose, misfit })
    }
}

struct Search<'a> {
    template: &'a PoseTemplate,
    scan: &'a TriMesh,
    normals: Vec<Vector>,
    tree: NearestPoint,
}

impl Search<'_> {
    /// The scan is one face: its mean normal points forward, its size is the template's; only the roll is unknown.
    fn patch_starts(&self) -> Vec<Similarity> {
        let v = self.scan.vertices();
        let centre = mean_point(v);
        let scale = rms_radius(v, &centre) / self.template.size;
        let forward: Vector = (0..self.scan.triangles().len()).map(|t| self.scan.area_vector(t)).sum();
        self.rolls(&forward, 12)
            .into_iter()
            .map(|r| self.placed(scale, r, &mean_point(&self.template.points), &centre))
            .collect()
    }

    /// Noses anywhere: candidate tips with several sizes and rolls.
    fn bust_starts(&self) -> Vec<Similarity> {
        let v = self.scan.vertices();
        let extent = rms_radius(v, &mean_point(v)) / self.template.size;
        let mut starts = Vec::new();
        for tip in evenly_spread(v, 60) {
            let around: Vector = (0..v.len())
                .filter(|&i| (v[i] - v[tip]).norm() < 0.6 * extent * self.template.size)
                .map(|i| self.normals[i])
                .sum();
            for share in [0.3, 0.45, 0.65] {
                for r in self.rolls(&around, 6) {
                    starts.push(self.placed(extent * share, r, &self.template.nose, &v[tip]));
                }
            }
        }
        starts
    }

    /// Rotations that take the template's forward direction to `forward`, evenly rolled about it.
    fn rolls(&self, forward: &Vector, count: usize) -> Vec<Rotation3<f64>> {
        let Some(forward) = Unit::try_new(*forward, 1e-300) else { return Vec::new() };
        let base = Rotation3::rotation_between(&self.template.forward, &forward).unwrap_or_else(|| {
            Rotation3::from_axis_angle(&any_perpendicular(&forward), std::f64::consts::PI)
        });
        (0..count)
            .map(|k| {
                Rotation3::from_axis_angle(&forward, std::f64::consts::TAU * k as f64 / count as f64) * base
            })
            .collect()
    }

    fn placed(&self, scale: f64, rotation: Rotation3<f64>, from: &Point, to: &Point) -> Similarity {
        Similarity { scale, rotation, translation: to.coords - scale * (rotation * from.coords) }
    }

    /// A few steps from every start, then the best ones to convergence.
    fn best_of(&self, starts: &[Similarity]) -> Result<(Similarity, f64), MeshError> {
        let mut rough: Vec<(Similarity, f64)> =
            starts.iter().filter_map(|s| self.align(*s, COARSE, 8)).collect();
        rough.sort_by(|a, b| a.1.total_cmp(&b.1));
        rough
            .iter()
            .take(4)
            .filter_map(|(s, _)| self.align(*s, SAMPLES, 40))
            .min_by(|a, b| a.1.total_cmp(&b.1))
            .ok_or_else(|| MeshError::Degenerate("no face found: the scan has no extent".to_owned()))
    }

    /// Trimmed closest-point alignment; returns the similarity and its misfit.
    fn align(&self, start: Similarity, samples: usize, steps: usize) -> Option<(Similarity, f64)> {
        // Farthest-point order: any prefix is spread over the face.
        let chosen: Vec<usize> = (0..self.template.points.len().min(samples)).collect();
        let from: Vec<Point> = chosen.iter().map(|&i| self.template.points[i]).collect();
        let mut current = start;
        let mut misfit = f64::INFINITY;
        for _ in 0..steps {
            let (to, distance) = self.pairs(&current, &chosen);
            let weights = trimmed(&distance);
            let next = Similarity::fit(&from, &to, &weights)?;
            // The scale may not run away to a point where everything is close.
            if !(0.4..2.5).contains(&(next.scale / start.scale)) {
                return None;
            }
            let kept: f64 = weights.iter().sum();
            let new = distance.iter().zip(&weights).map(|(d, w)| d * w).sum::<f64>() / kept;
            let new = new / (current.scale * self.template.size);
            current = next;
            if (misfit - new).abs() < 1e-5 * new {
                misfit = new;
                break;
            }
            misfit = new;
        }
        Some((current, misfit))
    }

    /// The closest scan point of each template point; pairs whose normals disagree count as far apart.
    fn pairs(&self, s: &Similarity, chosen: &[usize]) -> (Vec<Point>, Vec<f64>) {
        chosen
            .iter()
            .map(|&i| {
                let (j, distance) = self.tree.find(&s.apply(&self.template.points[i]));
                let agreement = (s.rotation * self.template.normals[i]).dot(&self.normals[j]);
                let penalty = (0.4 - agreement).max(0.0) * 0.35 * s.scale * self.template.size;
                (self.scan.vertices()[j], distance + penalty)
            })
            .unzip()
    }

    /// The most forward vertex near the transferred nose tip, judged by a small neighbourhood's height.
    fn nose(&self, s: &Similarity) -> usize {
        let (v, forward) = (self.scan.vertices(), s.rotation * self.template.forward);
        let expected = s.apply(&self.template.nose);
        let reach = 0.20 * s.scale * self.template.size;
        let near: Vec<usize> = (0..v.len()).filter(|&i| (v[i] - expected).norm() < reach).collect();
        let height = |i: usize| v[i].coords.dot(&forward);
        let mut order = near;
        order.sort_by(|&a, &b| height(b).total_cmp(&height(a)));
        // The tip is the vertex nearest the mean of the most forward few per cent: steadier than one noisy point.
        let top = &order[..(order.len() / 25).clamp(1.min(order.len()), 12)];
        let mean = top.iter().map(|&i| v[i].coords).sum::<Vector>() / top.len().max(1) as f64;
        order
            .iter()
            .copied()
            .min_by(|&a, &b| (v[a].coords - mean).norm().total_cmp(&(v[b].coords - mean).norm()))
            .unwrap_or_else(|| self.tree.find(&expected).0)
    }
}

/// One for the nearest share of the pairs, zero for the rest.
fn trimmed(distance: &[f64]) -> Vec<f64> {
    let mut sorted = distance.to_vec();
    let rank = ((KEPT * sorted.len() as f64) as usize).min(sorted.len().saturating_sub(1));
    let cut = *sorted.select_nth_unstable_by(rank, f64::total_cmp).1;
    distance.iter().map(|&d| if d <= cut { 1.0 } else { 0.0 }).collect()
}

fn mean_point(points: &[Point]) -> Point {
    Point::from(points.iter().map(|p| p.coords).sum::<Vector>() / points.len().max(1) as f64)
}

fn rms_radius(points: &[Point], centre: &Point) -> f64 {
    (points.iter().map(|p| (p - centre).norm_squared()).sum::<f64>() / points.len().max(1) as f64).sqrt()
}

fn any_perpendicular(v: &Unit<Vector>) -> Unit<Vector> {
    let other = if v.x.abs() < 0.7 { Vector::x() } else { Vector::y() };
    Unit::new_normalize(v.cross(&other))
}

/// About `count` indices spread over a cloud: farthest points first, so that any prefix is spread too.
fn evenly_spread(points: &[Point], count: usize) -> Vec<usize> {
    let mut chosen = Vec::with_capacity(count);
    let mut gap = vec![f64::INFINITY; points.len()];
    let mut next = 0;
    while chosen.len() < count.min(points.len()) {
        chosen.push(next);
        let p = points[next];
        let mut far = 0.0;
        for (i, g) in gap.iter_mut().enumerate() {
            *g = g.min((points[i] - p).norm_squared());
            if *g > far {
                (far, next) = (*g, i);
            }
        }
        if far <= 0.0 {
            break;
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn fit_recovers_a_similarity_exactly() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(2);
        let from: Vec<Point> =
            (0..20).map(|_| Point::new(rng.random(), rng.random(), rng.random())).collect();
        let truth = Similarity {
            scale: 3.7,
            rotation: Rotation3::from_euler_angles(0.4, -1.1, 2.9),
            translation: Vector::new(5.0, -2.0, 9.0),
        };
        let to: Vec<Point> = from.iter().map(|p| truth.apply(p)).collect();
        let found = Similarity::fit(&from, &to, &[1.0; 20]).unwrap();
        approx::assert_relative_eq!(found.scale, truth.scale, max_relative = 1e-12);
        assert!((found.rotation.matrix() - truth.rotation.matrix()).norm() < 1e-12);
        assert!((truth.invert(&to[3]) - from[3]).norm() < 1e-12);
    }

    #[test]
    fn a_mirror_image_is_met_by_a_rotation_not_a_reflection() {
        let from: Vec<Point> =
            [[0., 0., 0.], [1., 0., 0.], [0., 2., 0.], [0., 0., 3.]].map(Point::from).to_vec();
        let to: Vec<Point> = from.iter().map(|p| Point::new(-p.x, p.y, p.z)).collect();
        let found = Similarity::fit(&from, &to, &[1.0; 4]).unwrap();
        assert!(found.rotation.matrix().determinant() > 0.999);
    }
}
