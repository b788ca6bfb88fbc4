//! Iterated closest points with scale, trimmed, in both directions.

use super::super::{Point, Vector};
use super::overlap;
use super::sampled::Sampled;
use super::similarity::Similarity;
use nalgebra::{Matrix3, Rotation3, SMatrix, SVector};

/// A template point or scan point with its match, in scan coordinates.
pub(crate) struct Pair {
    /// The template's point, moved.
    pub from: Point,
    /// The scan's point.
    pub to: Point,
    /// The normal at one of the two.
    pub normal: Vector,
    pub squared: f64,
}

/// Which pairs decide a step, and whether the scale moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    /// The nearest three quarters.
    Nearest,
    /// The same, without scale.
    NearestRigid,
    /// The nearest seven tenths, of noses.
    NearestOfNose,
    /// The nearest nine tenths of those that lie over the other surface: beyond a rim there is nothing to be matched.
    Overlapping,
}

impl Keep {
    pub(super) fn share(self) -> f64 {
        match self {
            Self::Nearest | Self::NearestRigid => 0.75,
            Self::NearestOfNose => 0.7,
            Self::Overlapping => 0.9,
        }
    }
}

/// One step of trimmed point-to-plane alignment with scale (Chen and Medioni 1992; Chetverikov et al. 2002 for the
/// trimming), with a tenth of the weight on point-to-point so that flat parts do not slide.
///
/// `probes` are the template points matched to the scan, `back` the scan points matched to the template (those
/// within reach of it). `keep` says which of the pairs, by distance, decide, `stretch` how many times a small step is lengthened.
pub(crate) fn step(
    pose: &Similarity,
    template: &Sampled,
    probes: &[usize],
    scan: &Sampled,
    back: &[usize],
    keep: Keep,
    stretch: f64,
) -> Option<Similarity> {
    let over = |offset: Vector, normal: &Vector, spacing: f64| {
        keep != Keep::Overlapping || overlap::is_over(&offset, normal, spacing)
    };
    let mut pairs = Vec::with_capacity(probes.len() + back.len());
    for &i in probes {
        let from = pose.apply(&template.points[i]);
        let (j, squared) = scan.nearest(&from);
        let normal = scan.normals[j];
        if (pose.rotation * template.normals[i]).dot(&normal).abs() > 0.5
            && over(from - scan.points[j], &normal, scan.spacing)
        {
            pairs.push(Pair { from, to: scan.points[j], normal, squared });
        }
    }
    for &j in back {
        let to = scan.points[j];
        let (i, squared) = template.nearest(&pose.invert(&to));
        let normal = pose.rotation * template.normals[i];
        let from = pose.apply(&template.points[i]);
        if normal.dot(&scan.normals[j]).abs() > 0.5 && over(to - from, &normal, template.spacing * pose.scale)
        {
            pairs.push(Pair { from, to, normal, squared: squared * pose.scale * pose.scale });
        }
    }
    pairs.sort_unstable_by(|a, b| a.squared.total_cmp(&b.squared));
    pairs.truncate((keep.share() * pairs.len() as f64) as usize);
    solve(pose, &pairs, keep != Keep::NearestRigid, stretch)
}

/// Parts of a step's weight on point-to-plane and on point-to-point.
const PLANE: f64 = 0.9;
const POINT: f64 = 0.1;

/// Steps that turn by more than this (radians) are not lengthened.
const NEAR: f64 = 0.1;

/// What the equations of a step are made of: rotation ω × arm, translation, and growth along the arm.
#[derive(Default)]
struct Sums {
    /// Of point-to-plane: the lower triangle of Σ row rowᵀ, row by row, and Σ gap row.
    plane: [f64; 28],
    plane_right: [f64; 7],
    /// Of point-to-point: Σ arm armᵀ, Σ arm, Σ gap, Σ arm × gap, Σ arm · gap, and the number.
    arms: Matrix3<f64>,
    arm: Vector,
    gap: Vector,
    turn: Vector,
    grow: f64,
    count: f64,
}

impl Sums {
    fn add(&mut self, arm: &Vector, gap: &Vector, normal: &Vector) {
        let (turn, off) = (arm.cross(normal), gap.dot(normal));
        let row = [turn.x, turn.y, turn.z, normal.x, normal.y, normal.z, arm.dot(normal)];
        let mut at = 0;
        for (i, a) in row.iter().enumerate() {
            for b in &row[..=i] {
                self.plane[at] += a * b;
                at += 1;
            }
            self.plane_right[i] += off * a;
        }
        self.arms += arm * arm.transpose();
        self.arm += arm;
        self.gap += gap;
        self.turn += arm.cross(gap);
        self.grow += arm.dot(gap);
        self.count += 1.0;
    }

    /// The symmetric matrix and the right side. Seen along the three axes e, arm × e and e and arm · e have products that sum to
    /// |arm|² I − arm armᵀ, the cross product with arm, I, 0, arm and |arm|².
    fn equations(&self) -> (SMatrix<f64, 7, 7>, SVector<f64, 7>) {
        let mut matrix = SMatrix::<f64, 7, 7>::zeros();
        let mut at = 0;
        for i in 0..7 {
            for j in 0..=i {
                matrix[(i, j)] = PLANE * self.plane[at];
                matrix[(j, i)] = matrix[(i, j)];
                at += 1;
            }
        }
        let square = self.arms.trace();
        let turned = Matrix3::from_diagonal_element(square) - self.arms;
        let crossed = self.arm.cross_matrix();
        for i in 0..3 {
            for j in 0..3 {
                matrix[(i, j)] += POINT * turned[(i, j)];
                matrix[(i, 3 + j)] += POINT * crossed[(i, j)];
                matrix[(3 + j, i)] += POINT * crossed[(i, j)];
            }
            matrix[(3 + i, 3 + i)] += POINT * self.count;
            matrix[(3 + i, 6)] += POINT * self.arm[i];
            matrix[(6, 3 + i)] += POINT * self.arm[i];
        }
        matrix[(6, 6)] += POINT * square;
        let point = [&self.turn, &self.gap].into_iter().flat_map(|v| v.iter().copied()).chain([self.grow]);
        let right = self.plane_right.iter().zip(point).map(|(plane, point)| PLANE * plane + POINT * point);
        (matrix, SVector::from_iterator(right))
    }
}

/// The pose that brings these pairs nearer, one step of it.
pub(crate) fn solve(pose: &Similarity, pairs: &[Pair], with_scale: bool, stretch: f64) -> Option<Similarity> {
    if pairs.len() < 12 {
        return None;
    }
    let centre: Vector = pairs.iter().map(|p| p.from.coords).sum::<Vector>() / pairs.len() as f64;
    let mut sums = Sums::default();
    for pair in pairs {
        sums.add(&(pair.from.coords - centre), &(pair.to - pair.from), &pair.normal);
    }
    let (mut normal_matrix, right) = sums.equations();
    if !with_scale {
        normal_matrix[(6, 6)] *= 1e9;
    }
    let mut x = normal_matrix.cholesky()?.solve(&right);
    if x.fixed_rows::<3>(0).norm() < NEAR {
        x *= stretch;
    }
    let turn = Rotation3::new(Vector::new(x[0], x[1], x[2]));
    let grow = x[6].clamp(-0.2, 0.2).exp();
    let shift = Vector::new(x[3], x[4], x[5]);
    let moved = Similarity {
        rotation: turn * pose.rotation,
        scale: pose.scale * grow,
        translation: turn * (pose.translation - centre) * grow + centre + shift,
    };
    (moved.scale.is_finite() && moved.translation.iter().all(|c| c.is_finite())).then_some(moved)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};

    /// The sums are those of the rows one by one.
    #[test]
    fn the_equations_are_the_sum_of_those_of_every_pair() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(4);
        let mut vector = || Vector::from_fn(|_, _| 2.0 * rng.random::<f64>() - 1.0);
        let mut sums = Sums::default();
        let mut matrix = SMatrix::<f64, 7, 7>::zeros();
        let mut right = SVector::<f64, 7>::zeros();
        for _ in 0..20 {
            let (arm, gap, normal) = (vector() * 3.0, vector(), vector().normalize());
            sums.add(&arm, &gap, &normal);
            let axes = [(POINT, Vector::x()), (POINT, Vector::y()), (POINT, Vector::z()), (PLANE, normal)];
            for (weight, direction) in axes {
                let turn = arm.cross(&direction);
                let parts = turn.iter().chain(direction.iter()).copied().chain([arm.dot(&direction)]);
                let row = SVector::<f64, 7>::from_iterator(parts);
                matrix += weight * row * row.transpose();
                right += weight * gap.dot(&direction) * row;
            }
        }
        let (m, r) = sums.equations();
        assert!((m - matrix).amax() < 1e-12 && (r - right).amax() < 1e-12, "{}", m - matrix);
    }
}
