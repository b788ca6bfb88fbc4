//! How faces differ: named shape parameters, a smooth random field, and the individual they make.

use super::model::FaceModel;
use super::modes::Mode;
use crate::mesh::{Point, TriMesh, Vector};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use visard_base::parallel;

pub use super::modes::ShapeParameter;

/// One person's face: each named parameter in standard deviations from the mean face, and the coefficients of a
/// smooth random field that makes the population not exactly low-dimensional.
///
/// The face is the mean face moved by a displacement of space that is a linear function of these numbers
/// ([`FaceParameters::displacement`]).
///
/// # Example
/// ```
/// use visard_geometry::synth::{FaceParameters, ShapeParameter, builtin_landmarks, builtin_template};
/// // The mean face with a nose two standard deviations longer: its tip is lower by some four millimetres.
/// let face = FaceParameters::mean().with(ShapeParameter::NoseLength, 2.0).mesh();
/// let tip = builtin_landmarks().nose_tip;
/// let lower = builtin_template().vertices()[tip].y - face.vertices()[tip].y;
/// assert!((3.0..4.5).contains(&lower));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct FaceParameters {
    shape: [f64; ShapeParameter::COUNT],
    /// One displacement (mm) for each centre of the random field, the left half first.
    field: Vec<Vector>,
}

/// Standard deviations of each coordinate of the coefficients of the random field, in millimetres: what both
/// halves of a face share, and by how much they differ from it.
const FIELD_SD_MM: f64 = 0.9;
const FIELD_ASYMMETRY_SD_MM: f64 = 0.25;
/// Parameters are drawn from the normal distribution cut at this many standard deviations.
const CUT: f64 = 2.5;
/// A draw is kept only if displacement changes over no edge of the template by more than this fraction of the
/// edge: |D(p) − D(q)| < |p − q| keeps p ↦ p + D(p) one to one, so the face stays an embedded disk.
const MAX_STRETCH: f64 = 0.8;

/// Whose face, made less of, is the mean of another population.
const ELSEWHERE: u64 = 11;
/// How much of it.
const ELSEWHERE_SHARE: f64 = 0.6;

/// How faces differ at these points of the built-in template's frame: independent displacements (mm) at one standard deviation, of the named
/// parameters and of the random field.
pub fn face_differences(points: &[Point]) -> Vec<Vec<Vector>> {
    let named =
        ShapeParameter::ALL.iter().map(|&k| points.iter().map(|p| Mode::of(k).displacement(p)).collect());
    let weights = FaceModel::get().field_weights_of(points);
    let (left, right) = weights.split_at(FaceModel::HALF);
    let sides = [(FIELD_SD_MM, 1.0), (FIELD_ASYMMETRY_SD_MM, -1.0)];
    let field = left.iter().zip(right).flat_map(|(l, r)| {
        sides.into_iter().flat_map(move |(sd, sign)| {
            // The mirror image of what moves the left side along x moves the right one the other way.
            (0..3).map(move |k| {
                let mirrored = if k == 0 { -sign } else { sign };
                let at = |(l, r): (&f64, &f64)| Vector::ith(k, sd * (l + mirrored * r));
                l.iter().zip(r).map(at).collect()
            })
        })
    });
    named.chain(field).collect()
}

impl FaceParameters {
    /// The mean face.
    pub fn mean() -> Self {
        Self { shape: [0.0; ShapeParameter::COUNT], field: vec![Vector::zeros(); 2 * FaceModel::HALF] }
    }

    /// This face with one parameter set to `value` standard deviations.
    pub fn with(mut self, parameter: ShapeParameter, value: f64) -> Self {
        self.shape[parameter.index()] = value;
        self
    }

    /// A parameter's value, in standard deviations.
    pub fn get(&self, parameter: ShapeParameter) -> f64 {
        self.shape[parameter.index()]
    }

    /// The mean face of another population, as far from the built-in template as the means of public populations are (about .012
    /// root mean square on faces of unit area): a template is never the mean of those who are studied.
    pub fn elsewhere() -> Self {
        let mut person = Self::draw(&mut ChaCha8Rng::seed_from_u64(ELSEWHERE));
        person.shape.iter_mut().for_each(|x| *x *= ELSEWHERE_SHARE);
        person.field.iter_mut().for_each(|v| *v *= ELSEWHERE_SHARE);
        person
    }

    /// A random person: independent normal parameters (cut at ±2.5 standard deviations) and random field. Draws
    /// under which the surface might fold are drawn again.
    pub fn sample<R: Rng + ?Sized>(rng: &mut R) -> Self {
        Self::sample_about(&Self::mean(), rng)
    }

    /// A random person of a population with another mean.
    pub fn sample_about<R: Rng + ?Sized>(mean: &Self, rng: &mut R) -> Self {
        loop {
            let drawn = Self::draw_about(mean, rng);
            if drawn.stretch() < MAX_STRETCH {
                return drawn;
            }
        }
    }

    /// What `f` makes of the vertices of `n` persons, those that [`FaceParameters::sample_about`] draws one after the other. On all
    /// threads of the current pool.
    pub fn sample_vertices<T: Send, R: Rng + ?Sized>(
        mean: &Self,
        n: usize,
        rng: &mut R,
        f: impl Fn(&[Point]) -> T + Sync,
    ) -> Vec<T> {
        let made = |person: &Self| {
            let vertices = person.vertices();
            (FaceModel::get().stretch(&vertices) < MAX_STRETCH).then(|| f(&vertices))
        };
        let mut people = Vec::with_capacity(n);
        while people.len() < n {
            // Never more than are missing: what is drawn from `rng` afterwards does not change.
            let drawn: Vec<Self> = (people.len()..n).map(|_| Self::draw_about(mean, rng)).collect();
            people.extend(parallel::map_slice(&drawn, made).into_iter().flatten());
        }
        people
    }

    fn draw_about<R: Rng + ?Sized>(mean: &Self, rng: &mut R) -> Self {
        let mut drawn = Self::draw(rng);
        drawn.shape.iter_mut().zip(&mean.shape).for_each(|(x, m)| *x += m);
        drawn.field.iter_mut().zip(&mean.field).for_each(|(v, m)| *v += m);
        drawn
    }

    fn draw<R: Rng + ?Sized>(rng: &mut R) -> Self {
        let mut normal = || loop {
            let z: f64 = rng.sample(StandardNormal);
            if z.abs() <= CUT {
                return z;
            }
        };
        let shape = std::array::from_fn(|_| normal());
        let mut field = vec![Vector::zeros(); 2 * FaceModel::HALF];
        for k in 0..FaceModel::HALF {
            let shared = Vector::from_fn(|_, _| FIELD_SD_MM * normal());
            let own = Vector::from_fn(|_, _| FIELD_ASYMMETRY_SD_MM * normal());
            let (left, right) = (shared + own, shared - own);
            field[k] = left;
            field[k + FaceModel::HALF] = Vector::new(-right.x, right.y, right.z);
        }
        Self { shape, field }
    }

    /// Where the point `p` of the mean face goes in this face, minus `p`; millimetres. Defined on all of space.
    pub fn displacement(&self, p: &Point) -> Vector {
        let named: Vector =
            ShapeParameter::ALL.iter().map(|&k| Mode::of(k).displacement(p) * self.get(k)).sum();
        let field = FaceModel::get().field_weights(p);
        named + field.iter().zip(&self.field).map(|(&w, c)| c * w).sum::<Vector>()
    }

    /// The vertices of the built-in template on this face, in the template's order and frame.
    pub fn vertices(&self) -> Vec<Point> {
        FaceModel::get().vertices(&self.shape, &self.field)
    }

    /// This face as a mesh with the triangles of the built-in template.
    pub fn mesh(&self) -> TriMesh {
        let template = super::builtin_template();
        template.with_vertices(self.vertices()).unwrap_or_else(|_| template.clone())
    }

    /// The largest relative change of displacement over an edge of the template: below 1, no triangle can fold.
    pub fn stretch(&self) -> f64 {
        FaceModel::get().stretch(&self.vertices())
    }
}
