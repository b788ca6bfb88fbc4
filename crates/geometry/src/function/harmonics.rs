//! Manifold harmonics: the lowest eigenfunctions of the Laplace–Beltrami operator of a triangle mesh.
//!
//! Finite elements: cotangent stiffness L (natural, that is Neumann, on a border), mass M of a third of every triangle at each of its
//! corners; L φ = λ M φ. The lowest pairs are the largest of the operator √M (L + σM)⁻¹ √M, found by block Lanczos with full
//! reorthogonalization (Golub and Van Loan 2013, §10.3.6; shift and invert, Vallet and Lévy 2008), from a fixed start.

use crate::conformal::ConformalError;
use crate::conformal::elimination::Elimination;
use crate::conformal::factor::Factor;
use crate::conformal::intrinsic::Intrinsic;
use crate::conformal::laplacian::{half_cotangents, ordered_laplacian};
use crate::mesh::TriMesh;
use crate::numeric::dense::{orthonormal_columns, product, symmetric_eigen};
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par};
use std::sync::Arc;

/// Columns of a block: more than functions of one eigenvalue on any surface but a large sphere's.
const BLOCK: usize = 16;
/// Pairs are as good as this, relative to the operator's own eigenvalue.
const TOLERANCE: f64 = 1e-5;
/// At most so many blocks: what has not settled by then is orthonormal and smooth all the same.
const MOST_BLOCKS: usize = 64;
/// What is added to λ before the operator is inverted, in units of 4π/area, the distance of eigenvalues (Weyl).
const SHIFT: f64 = 0.5;

/// Why a mesh has no harmonics.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum HarmonicsError {
    /// Fewer vertices than functions, or a vertex that no triangle has.
    #[error(
        "{wanted} harmonics were asked for of a mesh of {vertices} vertices in triangles; a mesh has fewer than vertices"
    )]
    TooFew {
        /// How many were asked for.
        wanted: usize,
        /// Vertices that triangles have.
        vertices: usize,
    },
    /// The mesh has no size, or its matrix none of the properties it should have.
    #[error("the surface's Laplacian cannot be factorized: {0}")]
    Factorization(String),
}

impl From<ConformalError> for HarmonicsError {
    fn from(error: ConformalError) -> Self {
        Self::Factorization(error.to_string())
    }
}

/// The first eigenfunctions of a surface: orthonormal in the mean over its area, ⟨f, g⟩ = Σ a f g with the areas a of the vertices, which
/// sum to 1. The first is 1. Signs are fixed: the first vertex that has more than half of the largest value has a positive one.
#[derive(Debug, Clone, PartialEq)]
pub struct Harmonics {
    /// (functions, vertices).
    functions: Vec<Vec<f64>>,
    frequencies: Vec<f64>,
    areas: Vec<f64>,
}

impl Harmonics {
    /// The first `count` of a mesh in one piece, disk or closed.
    ///
    /// # Errors
    /// [`HarmonicsError`].
    pub fn new(mesh: &TriMesh, count: usize) -> Result<Self, HarmonicsError> {
        let shape = Intrinsic::new(mesh)?;
        let areas = mesh.vertex_shares();
        let vertices = areas.iter().filter(|area| **area > 0.0).count();
        if count == 0 || count >= vertices || vertices < areas.len() {
            return Err(HarmonicsError::TooFew { wanted: count, vertices });
        }
        let operator = Operator::new(mesh, &shape, &areas)?;
        let found = operator.largest(count)?;
        let frequency = |theta: f64| operator.frequency(theta);
        let mut frequencies: Vec<f64> = found.values.iter().map(|theta| frequency(*theta)).collect();
        let mut functions: Vec<Vec<f64>> = (0..count).map(|j| operator.function(&found.vectors, j)).collect();
        // These are known.
        (frequencies[0], functions[0]) = (0.0, vec![1.0; areas.len()]);
        Ok(Self { functions, frequencies, areas })
    }

    /// How many.
    pub fn count(&self) -> usize {
        self.functions.len()
    }

    /// The values of function `k` at the vertices.
    pub fn function(&self, k: usize) -> &[f64] {
        &self.functions[k]
    }

    /// √(λ · area/π) of every function, rising: the local frequency on a disk of radius 1 of the same area, so that, by Weyl's law, as
    /// many functions are below a frequency on any surface as on that disk. On a sphere 2√(l(l + 1)).
    pub fn frequencies(&self) -> &[f64] {
        &self.frequencies
    }

    /// The share of the area of every vertex; they sum to 1.
    pub fn areas(&self) -> &[f64] {
        &self.areas
    }

    /// Coefficients `(count, 3)` of a field `(vertices, 3)`: the isometry of what the harmonics span.
    pub fn analyse(&self, field: &[f64]) -> Vec<f64> {
        let mut out = Vec::with_capacity(3 * self.count());
        for function in &self.functions {
            let mut sum = [0.0; 3];
            for ((x, phi), area) in field.chunks_exact(3).zip(function).zip(&self.areas) {
                (0..3).for_each(|c| sum[c] += area * phi * x[c]);
            }
            out.extend(sum);
        }
        out
    }

    /// The field `(vertices, 3)` with these coefficients `(count, 3)`.
    pub fn synthesize(&self, coefficients: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; 3 * self.areas.len()];
        for (function, c) in self.functions.iter().zip(coefficients.chunks_exact(3)) {
            for (x, phi) in out.chunks_exact_mut(3).zip(function) {
                (0..3).for_each(|k| x[k] += phi * c[k]);
            }
        }
        out
    }

    /// The sum over coordinates of the variance at every vertex, of independent coefficients `(count, 3)` with these variances.
    pub fn variances(&self, of_coefficients: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.areas.len()];
        for (function, v) in self.functions.iter().zip(of_coefficients.chunks_exact(3)) {
            let all: f64 = v.iter().sum();
            out.iter_mut().zip(function).for_each(|(x, phi)| *x += all * phi * phi);
        }
        out
    }

    /// The root mean square over the area of a field `(vertices, 3)`, coordinates summed.
    pub fn root_mean_square(&self, field: &[f64]) -> f64 {
        let square = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
        field.chunks_exact(3).zip(&self.areas).map(|(x, area)| area * square(x)).sum::<f64>().sqrt()
    }
}

/// Largest eigenpairs, in elimination order.
struct Pairs {
    values: Vec<f64>,
    vectors: Mat<f64>,
}

/// √M (L + σM)⁻¹ √M in elimination order, M the shares of the area.
struct Operator {
    factor: Factor<f64>,
    position: Vec<usize>,
    roots: Vec<f64>,
    /// σ, where L has no unit and M sums to 1.
    shift: f64,
}

impl Operator {
    fn new(mesh: &TriMesh, shape: &Intrinsic, areas: &[f64]) -> Result<Self, HarmonicsError> {
        let elimination = Arc::new(Elimination::of(mesh, &[])?);
        let mut lower = ordered_laplacian(&elimination, &half_cotangents(shape));
        let position = elimination.position().to_vec();
        let shift = SHIFT * 4.0 * std::f64::consts::PI;
        let mut roots = vec![0.0; position.len()];
        for (place, area) in position.iter().zip(areas) {
            lower[elimination.pattern().major_offsets()[*place]] += shift * area;
            roots[*place] = area.sqrt();
        }
        let factor = Factor::new(&elimination, lower, Vec::new())?;
        Ok(Self { factor, position, roots, shift })
    }

    /// Applies it to these columns.
    fn apply(&self, columns: &Mat<f64>) -> Result<Mat<f64>, HarmonicsError> {
        let scale = |x: &Mat<f64>| Mat::from_fn(x.nrows(), x.ncols(), |i, j| self.roots[i] * x[(i, j)]);
        let mut out = scale(columns);
        self.factor.forward(out.as_mut())?;
        self.factor.backward(out.as_mut())?;
        Ok(scale(&out))
    }

    /// The `count` largest eigenpairs, largest first.
    fn largest(&self, count: usize) -> Result<Pairs, HarmonicsError> {
        let n = self.roots.len();
        let most = (MOST_BLOCKS * BLOCK).max(2 * count).min(n / BLOCK * BLOCK).max(BLOCK.min(n));
        let block = BLOCK.min(n);
        let mut basis = Mat::<f64>::zeros(n, most);
        let mut image = Mat::<f64>::zeros(n, most);
        let mut size = 0;
        let mut next = start(n, block);
        loop {
            orthonormalize(&basis, size, &mut next);
            basis.subcols_mut(size, block).copy_from(&next);
            let applied = self.apply(&next)?;
            image.subcols_mut(size, block).copy_from(&applied);
            size += block;
            next = applied;
            let full = size + block > most;
            if full || (size >= count + 2 * block && (size / block).is_multiple_of(4)) {
                let (pairs, worst) = ritz(&basis, &image, size, count)?;
                if full || worst < TOLERANCE {
                    return Ok(pairs);
                }
            }
        }
    }

    fn frequency(&self, theta: f64) -> f64 {
        let lambda = (1.0 / theta - self.shift).max(0.0);
        (lambda / std::f64::consts::PI).sqrt()
    }

    /// Eigenvector `j` as a function on the vertices.
    fn function(&self, vectors: &Mat<f64>, j: usize) -> Vec<f64> {
        let at = |place: &usize| vectors[(*place, j)] / self.roots[*place];
        let mut function: Vec<f64> = self.position.iter().map(at).collect();
        let largest = function.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        if function.iter().find(|x| x.abs() > 0.5 * largest).is_some_and(|x| *x < 0.0) {
            function.iter_mut().for_each(|x| *x = -*x);
        }
        function
    }
}

/// A fixed start that is orthogonal to nothing: a linear congruential generator (Knuth 1997, §3.3.4, MMIX).
fn start(n: usize, columns: usize) -> Mat<f64> {
    let mut state = 1u64;
    Mat::from_fn(n, columns, |_, _| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 32) as f64 / 2f64.powi(32) - 0.5
    })
}

/// Makes the columns orthonormal, and orthogonal to the first `size` of `basis`: twice is enough.
fn orthonormalize(basis: &Mat<f64>, size: usize, columns: &mut Mat<f64>) {
    for _ in 0..2 {
        let before = basis.subcols(0, size);
        let along = product(before.transpose(), columns.as_ref());
        matmul(columns.as_mut(), Accum::Add, before, along.as_ref(), -1.0, Par::Seq);
        *columns = orthonormal_columns(columns);
    }
}

/// The best pairs in the span of the first `size` columns of `basis`, whose images are `image`; and how far off the worst is.
fn ritz(
    basis: &Mat<f64>,
    image: &Mat<f64>,
    size: usize,
    count: usize,
) -> Result<(Pairs, f64), HarmonicsError> {
    let (basis, image) = (basis.subcols(0, size), image.subcols(0, size));
    let projected = product(basis.transpose(), image);
    let (values, vectors) = symmetric_eigen(projected.as_ref())
        .ok_or_else(|| HarmonicsError::Factorization("eigenvalues that do not converge".into()))?;
    let wanted = Mat::from_fn(size, count, |i, j| vectors[(i, size - 1 - j)]);
    let values: Vec<f64> = (0..count).map(|j| values[size - 1 - j]).collect();
    let vectors = product(basis, wanted.as_ref());
    let images = product(image, wanted.as_ref());
    let off = |j: usize| {
        let square = (0..vectors.nrows()).map(|i| (images[(i, j)] - values[j] * vectors[(i, j)]).powi(2));
        square.sum::<f64>().sqrt() / values[j]
    };
    let worst = (0..count).map(off).fold(0.0, f64::max);
    Ok((Pairs { values, vectors }, worst))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{Point, subdivided};

    /// A sphere: an octahedron whose triangles are cut in four, again and again; 4^(times + 1) + 2 vertices.
    fn sphere(times: usize) -> TriMesh {
        let at = [[1, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]];
        let vertices = at.map(|p| Point::from(p.map(f64::from))).to_vec();
        let triangles = (0..4).flat_map(|i| [[i, (i + 1) % 4, 4], [(i + 1) % 4, i, 5]]).collect();
        let mut mesh = TriMesh::new(vertices, triangles).unwrap();
        for _ in 0..times {
            let fine = subdivided(&mesh).unwrap();
            let round = fine.vertices().iter().map(|p| Point::from(p.coords.normalize())).collect();
            mesh = fine.with_vertices(round).unwrap();
        }
        mesh
    }

    /// A flat disk: rings of 6j points.
    fn disk(rings: usize) -> TriMesh {
        let mut vertices = vec![Point::origin()];
        for j in 1..=rings {
            for l in 0..6 * j {
                let (r, t) = (j as f64 / rings as f64, std::f64::consts::TAU * l as f64 / (6 * j) as f64);
                vertices.push(Point::new(r * t.cos(), r * t.sin(), 0.0));
            }
        }
        let at = |j: usize, l: usize| if j == 0 { 0 } else { 1 + 3 * j * (j - 1) + l % (6 * j) };
        let mut triangles = Vec::new();
        for j in 1..=rings {
            for s in 0..6 {
                for i in 0..j {
                    triangles.push([at(j, s * j + i), at(j, s * j + i + 1), at(j - 1, s * (j - 1) + i)]);
                    if i > 0 {
                        triangles.push([
                            at(j, s * j + i),
                            at(j - 1, s * (j - 1) + i),
                            at(j - 1, s * (j - 1) + i - 1),
                        ]);
                    }
                }
            }
        }
        TriMesh::new(vertices, triangles).unwrap()
    }

    fn check_orthonormal(harmonics: &Harmonics) {
        approx::assert_relative_eq!(harmonics.areas().iter().sum::<f64>(), 1.0, max_relative = 1e-12);
        for i in 0..harmonics.count() {
            for j in 0..=i {
                let pairs = harmonics.function(i).iter().zip(harmonics.function(j));
                let sum: f64 = pairs.zip(harmonics.areas()).map(|((f, g), a)| a * f * g).sum();
                approx::assert_abs_diff_eq!(sum, f64::from(i == j), epsilon = 1e-9);
            }
        }
    }

    #[test]
    fn a_sphere_has_the_eigenvalues_of_spherical_harmonics() {
        let harmonics = Harmonics::new(&sphere(5), 49).unwrap();
        check_orthonormal(&harmonics);
        let mut k = 0;
        for l in 0..7 {
            for _ in 0..=2 * l {
                let expected = 2.0 * (l as f64 * (l + 1) as f64).sqrt();
                let found = harmonics.frequencies()[k];
                // 4098 vertices: linear elements are off by the square of the triangles' size.
                assert!((found - expected).abs() < 0.02 * expected.max(1e-3), "{l}: {found}, not {expected}");
                k += 1;
            }
        }
    }

    /// Zeros of the derivatives of Bessel functions: j'(1,1), j'(2,1), j'(0,1), j'(3,1), j'(4,1), j'(1,2) (Abramowitz and Stegun 1964,
    /// table 9.5).
    #[test]
    fn a_flat_disk_has_the_zeros_of_bessel_functions() {
        let harmonics = Harmonics::new(&disk(40), 11).unwrap();
        check_orthonormal(&harmonics);
        let zeros =
            [0.0, 1.84118, 1.84118, 3.05424, 3.05424, 3.83171, 4.20119, 4.20119, 5.31755, 5.31755, 5.33144];
        for (found, expected) in harmonics.frequencies().iter().zip(zeros) {
            assert!((found - expected).abs() < 0.004 * expected + 1e-6, "{found}, not {expected}");
        }
    }

    #[test]
    fn fields_have_coefficients_of_the_same_size() {
        let harmonics = Harmonics::new(&sphere(3), 30).unwrap();
        let c: Vec<f64> = (0..90).map(|i| ((i * 37) % 101) as f64 / 50.0 - 1.0).collect();
        let field = harmonics.synthesize(&c);
        for (found, expected) in harmonics.analyse(&field).iter().zip(&c) {
            approx::assert_abs_diff_eq!(found, expected, epsilon = 1e-8);
        }
        let norm = c.iter().map(|c| c * c).sum::<f64>().sqrt();
        approx::assert_relative_eq!(harmonics.root_mean_square(&field), norm, max_relative = 1e-9);
        let variances: Vec<f64> = c.iter().map(|c| c * c).collect();
        let all: f64 =
            harmonics.variances(&variances).iter().zip(harmonics.areas()).map(|(v, a)| v * a).sum();
        approx::assert_relative_eq!(all, norm * norm, max_relative = 1e-9);
    }

    #[test]
    fn the_same_mesh_has_the_same_functions_and_too_many_are_refused() {
        let mesh = sphere(2);
        assert_eq!(Harmonics::new(&mesh, 20).unwrap(), Harmonics::new(&mesh, 20).unwrap());
        assert!(matches!(Harmonics::new(&mesh, 66), Err(HarmonicsError::TooFew { wanted: 66, .. })));
        assert!(Harmonics::new(&TriMesh::default(), 1).is_err());
    }
}
