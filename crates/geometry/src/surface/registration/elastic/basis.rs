//! Low-rank basis of the random displacement: even and odd functions about the mid-plane (Nyström's method).

use super::settings::DisplacementKernel;
use crate::mesh::{MeshError, Point, Vector};
use nalgebra::{Cholesky, DMatrix, DVector};

/// How many basis functions of each half face are in use: (symmetric, asymmetric).
pub type Rank = (usize, usize);

/// u(xᵢ) = Σ cₖ bₖ(xᵢ) with independent standard normal cₖ. Of a symmetric face u_x is odd and u_y, u_z are even.
pub struct DisplacementBasis {
    /// Functions by points.
    even: DMatrix<f64>,
    odd: DMatrix<f64>,
    /// Standard deviations of the symmetric and the asymmetric part.
    shares: (f64, f64),
}

impl DisplacementBasis {
    /// At points in working coordinates (mid-plane x = 0), the first `nodes` of which it spans best.
    pub fn new(x: &[Point], nodes: usize, kernel: &DisplacementKernel) -> Result<Self, MeshError> {
        let folded: Vec<Point> = x.iter().map(|p| Point::new(p.x.abs(), p.y, p.z)).collect();
        let count = kernel.rank.0.max(kernel.rank.1).min(nodes);
        let centres: Vec<Point> =
            farthest_points(&folded[..nodes], count).into_iter().map(|i| folded[i]).collect();
        let terms = kernel.terms();
        let k = |p: &Point, q: &Point| -> f64 {
            let d = (p - q).norm_squared();
            terms.iter().map(|(variance, rate)| variance * (-d * rate).exp()).sum()
        };
        let mirrored = |p: &Point| Point::new(-p.x, p.y, p.z);
        let (own, other) = rayon::join(
            || DMatrix::from_fn(centres.len(), x.len(), |i, j| k(&centres[i], &x[j])),
            || DMatrix::from_fn(centres.len(), x.len(), |i, j| k(&mirrored(&centres[i]), &x[j])),
        );
        let part = |sign: f64| -> Result<DMatrix<f64>, MeshError> {
            let mut among = DMatrix::from_fn(centres.len(), centres.len(), |i, j| {
                k(&centres[i], &centres[j]) + sign * k(&centres[i], &mirrored(&centres[j]))
            });
            // Centres on the mid-plane have no odd part; a little noise keeps the factorization going.
            let jitter = 1e-6 * terms.iter().map(|t| t.0).sum::<f64>();
            (0..centres.len()).for_each(|i| among[(i, i)] += jitter);
            Cholesky::new(among)
                .and_then(|factor| factor.l().solve_lower_triangular(&(&own + &other * sign)))
                .ok_or_else(|| MeshError::Degenerate("the displacement's kernel is not positive".to_owned()))
        };
        let c = kernel.symmetry;
        let shares = (((1.0 + c) / 2.0).sqrt(), ((1.0 - c) / 2.0).sqrt());
        let (even, odd) = rayon::join(|| part(1.0), || part(-1.0));
        Ok(Self { even: even?, odd: odd?, shares })
    }

    /// The largest rank there is within `wanted`.
    pub fn rank(&self, wanted: Rank) -> Rank {
        (wanted.0.min(self.even.nrows()), wanted.1.min(self.even.nrows()))
    }

    /// u at point i.
    pub fn displacement(&self, c: &DVector<f64>, i: usize, rank: Rank) -> Vector {
        let (r, all) = (rank.0, rank.0 + rank.1);
        let mut u = Vector::zeros();
        for (d, (major, minor)) in self.columns(i).into_iter().enumerate() {
            let c = &c.as_slice()[d * all..(d + 1) * all];
            let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            u[d] = self.shares.0 * dot(&c[..r], major) + self.shares.1 * dot(&c[r..], minor);
        }
        u
    }

    /// Derivatives of w n · u(point i) by the coefficients.
    pub fn gradient(&self, i: usize, n: &Vector, w: f64, rank: Rank, out: &mut [f32]) {
        let (r, all) = (rank.0, rank.0 + rank.1);
        for (d, (major, minor)) in self.columns(i).into_iter().enumerate() {
            let (symmetric, asymmetric) = out[d * all..(d + 1) * all].split_at_mut(r);
            let (f, g) = (n[d] * w * self.shares.0, n[d] * w * self.shares.1);
            symmetric.iter_mut().zip(major).for_each(|(o, b)| *o = (b * f) as f32);
            asymmetric.iter_mut().zip(minor).for_each(|(o, b)| *o = (b * g) as f32);
        }
    }

    /// Derivatives of coordinate d of u(point i) by the coefficients of that coordinate; by those of others they are 0.
    pub fn row(&self, i: usize, d: usize, rank: Rank) -> impl Iterator<Item = f64> {
        let (major, minor) = self.columns(i)[d];
        let major = major[..rank.0].iter().map(|b| b * self.shares.0);
        major.chain(minor[..rank.1].iter().map(|b| b * self.shares.1))
    }

    /// By coordinate: the functions at point i of the symmetric and of the asymmetric part.
    fn columns(&self, i: usize) -> [(&[f64], &[f64]); 3] {
        let rows = self.even.nrows();
        let (e, o) = (&self.even.as_slice()[i * rows..][..rows], &self.odd.as_slice()[i * rows..][..rows]);
        [(o, e), (e, o), (e, o)]
    }
}

impl DisplacementKernel {
    /// (variance, 1 / 2l²) of every Gaussian.
    fn terms(&self) -> Vec<(f64, f64)> {
        let (shortest, longest) = self.lengths;
        let octaves = ((longest / shortest).log2().ceil() as usize).max(1);
        (0..=octaves)
            .map(|k| {
                let l = shortest * (longest / shortest).powf(k as f64 / octaves as f64);
                ((self.amplitude * (l / 30.0).powf(self.growth)).powi(2), 0.5 / (l * l))
            })
            .collect()
    }
}

/// Greedily, each as far as can be from those before: any leading part of them covers the surface evenly.
fn farthest_points(x: &[Point], count: usize) -> Vec<usize> {
    let mut distance = vec![f64::INFINITY; x.len()];
    let mut chosen = Vec::with_capacity(count);
    let mut at = 0;
    for _ in 0..count {
        chosen.push(at);
        let p = x[at];
        let mut farthest = -1.0;
        for (j, (q, d)) in x.iter().zip(&mut distance).enumerate() {
            *d = d.min((q - p).norm_squared());
            if *d > farthest {
                (farthest, at) = (*d, j);
            }
        }
    }
    chosen
}
