//! Turns flipped triangles back: first by moving single vertices into the kernels of their stars, then, where
//! that fails, by positive weights in growing neighbourhoods.

use super::ConformalError;
use super::elimination::Elimination;
use super::harmonic::HarmonicSolver;
use super::laplacian::ordered_laplacian;
use super::orientation::flipped_triangles;
use crate::mesh::DiskMesh;
use nalgebra::Complex;
use std::sync::Arc;

/// Rounds of moving single vertices.
const SWEEPS: usize = 40;
/// Rounds of growing the neighbourhoods with positive weights.
const GROWTHS: usize = 6;
/// Smallest weight of an edge in such a neighbourhood: that of two angles of about 84°.
const LEAST_WEIGHT: f64 = 0.1;

/// The triangles round every vertex, as one list cut into pieces.
pub(crate) struct Stars {
    start: Vec<usize>,
    triangles: Vec<usize>,
}

impl Stars {
    pub(crate) fn new(triangles: &[[usize; 3]], n: usize) -> Self {
        let mut start = vec![0; n + 1];
        triangles.iter().flatten().for_each(|&v| start[v + 1] += 1);
        (0..n).for_each(|v| start[v + 1] += start[v]);
        let mut fill = start.clone();
        let mut list = vec![0; 3 * triangles.len()];
        for (t, triangle) in triangles.iter().enumerate() {
            for &v in triangle {
                list[fill[v]] = t;
                fill[v] += 1;
            }
        }
        Self { start, triangles: list }
    }

    pub(crate) fn of(&self, v: usize) -> &[usize] {
        &self.triangles[self.start[v]..self.start[v + 1]]
    }
}

/// Moves interior vertices of flipped triangles into the kernels of their stars (the places from which the
/// whole star is seen the right way round) until nothing is flipped. Returns whether it succeeded; `fixed`
/// vertices stay.
pub(crate) fn move_into_kernels(triangles: &[[usize; 3]], fixed: &[bool], z: &mut [Complex<f64>]) -> bool {
    let mut flipped = flipped_triangles(triangles, z);
    if flipped.is_empty() {
        return true;
    }
    let stars = Stars::new(triangles, z.len());
    for _ in 0..SWEEPS {
        let mut movable: Vec<usize> =
            flipped.iter().flat_map(|&t| triangles[t]).filter(|&v| !fixed[v]).collect();
        movable.sort_unstable();
        movable.dedup();
        for &v in &movable {
            let sides: Vec<[Complex<f64>; 2]> = stars
                .of(v)
                .iter()
                .map(|&t| {
                    let k = triangles[t].iter().position(|&c| c == v).unwrap_or(0);
                    [z[triangles[t][(k + 1) % 3]], z[triangles[t][(k + 2) % 3]]]
                })
                .collect();
            z[v] = kernel_centroid(&sides).unwrap_or_else(|| {
                // No kernel: the mean of the ring lets the neighbourhood unfold.
                sides.iter().map(|s| s[0]).sum::<Complex<f64>>() / sides.len() as f64
            });
        }
        flipped = flipped_triangles(triangles, z);
        if flipped.is_empty() {
            return true;
        }
    }
    false
}

fn cross(a: Complex<f64>, b: Complex<f64>) -> f64 {
    a.re * b.im - a.im * b.re
}

/// Centroid of the places strictly left of all sides of a star; none when there is no such place.
pub(crate) fn kernel_centroid(sides: &[[Complex<f64>; 2]]) -> Option<Complex<f64>> {
    let middle = sides.iter().map(|s| s[0]).sum::<Complex<f64>>() / sides.len() as f64;
    let reach = sides.iter().map(|s| (s[0] - middle).norm()).fold(0.0, f64::max);
    let mut kernel: Vec<Complex<f64>> = [(-1., -1.), (1., -1.), (1., 1.), (-1., 1.)]
        .iter()
        .map(|&(x, y)| Complex::new(x, y) * reach)
        .collect();
    for &[from, to] in sides {
        let (from, along) = (from - middle, to - from);
        let height = |p: Complex<f64>| cross(along, p - from);
        let mut clipped = Vec::with_capacity(kernel.len() + 1);
        for (i, &p) in kernel.iter().enumerate() {
            let q = kernel[(i + 1) % kernel.len()];
            let (hp, hq) = (height(p), height(q));
            if hp >= 0.0 {
                clipped.push(p);
            }
            if (hp > 0.0 && hq < 0.0) || (hp < 0.0 && hq > 0.0) {
                clipped.push(p + (q - p) * (hp / (hp - hq)));
            }
        }
        kernel = clipped;
    }
    let (mut area, mut moment) = (0.0, Complex::ZERO);
    for i in 1..kernel.len().saturating_sub(1) {
        let (a, b, c) = (kernel[0], kernel[i], kernel[i + 1]);
        let twice = cross(b - a, c - a);
        area += twice;
        moment += (a + b + c) * (twice / 3.0);
    }
    (area > 1e-14 * reach * reach).then(|| middle + moment / area)
}

/// A map without flipped triangles and the same boundary: weights of edges near flipped triangles are raised
/// to be positive, in neighbourhoods that grow until none is flipped; at last all edges weigh the same, which
/// is bijective by Tutte's theorem (in the form of Floater 2003, *One-to-one piecewise linear mappings over
/// triangulations*: positive weights, strictly convex boundary).
///
/// # Errors
/// [`ConformalError::NotBijective`] when rounding defeats even that.
pub(crate) fn with_positive_weights(
    disk: &DiskMesh,
    elimination: &Arc<Elimination>,
    half_cotangents: &[[f64; 3]],
    z: &mut Vec<Complex<f64>>,
) -> Result<(), ConformalError> {
    let triangles = disk.mesh().triangles();
    let boundary: Vec<Complex<f64>> = disk.boundary().iter().map(|&v| z[v]).collect();
    let mut near = vec![false; z.len()];
    for round in 0..=GROWTHS + 1 {
        let flipped = flipped_triangles(triangles, z);
        if flipped.is_empty() {
            return Ok(());
        }
        if round > GROWTHS {
            return Err(ConformalError::NotBijective { flipped: flipped.len() });
        }
        let laplacian = if round == GROWTHS {
            ordered_laplacian(elimination, &vec![[0.5; 3]; triangles.len()])
        } else {
            flipped.iter().flat_map(|&t| triangles[t]).for_each(|v| near[v] = true);
            for _ in 0..=round {
                grow(triangles, &mut near);
            }
            raised_laplacian(triangles, elimination, half_cotangents, &near)
        };
        *z = HarmonicSolver::from_laplacian(elimination, laplacian)?.extend_map(&boundary)?;
    }
    Ok(())
}

/// Adds the neighbours of the marked vertices.
pub(crate) fn grow(triangles: &[[usize; 3]], marked: &mut [bool]) {
    let touched: Vec<usize> =
        triangles.iter().filter(|t| t.iter().any(|&v| marked[v])).flatten().copied().collect();
    touched.into_iter().for_each(|v| marked[v] = true);
}

/// The Laplacian, with every weight at a marked vertex [`LEAST_WEIGHT`] at least.
pub(crate) fn raised_laplacian(
    triangles: &[[usize; 3]],
    elimination: &Elimination,
    half_cotangents: &[[f64; 3]],
    near: &[bool],
) -> Vec<f64> {
    let mut values = ordered_laplacian(elimination, half_cotangents);
    for (slots, triangle) in elimination.slots().iter().zip(triangles) {
        for k in 0..3 {
            let next = (k + 1) % 3;
            let weight = -values[slots.side[k]];
            if weight < LEAST_WEIGHT && (near[triangle[k]] || near[triangle[next]]) {
                let raise = LEAST_WEIGHT - weight;
                values[slots.side[k]] -= raise;
                values[slots.diagonal[k]] += raise;
                values[slots.diagonal[next]] += raise;
            }
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernel_of_a_star_shaped_hexagon_sees_every_side() {
        let ring: Vec<Complex<f64>> = [0.0f64, 1.0, 2.0, 3.0, 4.0, 5.0]
            .iter()
            .map(|k| {
                Complex::from_polar(if k % 2.0 == 0.0 { 1.0 } else { 0.4 }, k * std::f64::consts::FRAC_PI_3)
            })
            .collect();
        let sides: Vec<_> = (0..6).map(|i| [ring[i], ring[(i + 1) % 6]]).collect();
        let p = kernel_centroid(&sides).unwrap();
        assert!(sides.iter().all(|s| cross(s[1] - s[0], p - s[0]) > 0.0));
        let reversed: Vec<_> = sides.iter().map(|s| [s[1], s[0]]).collect();
        assert_eq!(kernel_centroid(&reversed), None);
    }

    #[test]
    fn a_vertex_pulled_out_of_its_star_comes_back() {
        let triangles: Vec<[usize; 3]> = (0..5).map(|i| [i, (i + 1) % 5, 5]).collect();
        let mut z: Vec<Complex<f64>> =
            (0..5).map(|i| Complex::from_polar(1.0, i as f64 * std::f64::consts::TAU / 5.0)).collect();
        z.push(Complex::new(3.0, 0.2));
        let mut fixed = vec![true; 5];
        fixed.push(false);
        assert!(!flipped_triangles(&triangles, &z).is_empty());
        assert!(move_into_kernels(&triangles, &fixed, &mut z));
        assert!(flipped_triangles(&triangles, &z).is_empty());
    }

    /// Interior vertices thrown about at random: only the positive weights can help.
    #[test]
    fn positive_weights_undo_any_tangle() {
        use super::super::{intrinsic::Intrinsic, laplacian::half_cotangents};
        use crate::mesh::{Point, TriMesh};
        let n = 12;
        let vertices: Vec<Point> = (0..n * n)
            .map(|v| Point::new((v % n) as f64, 0.02 * (v / n) as f64, (v as f64 * 2.3).sin()))
            .collect();
        let triangles = (0..(n - 1) * (n - 1))
            .flat_map(|c| {
                let v = c / (n - 1) * n + c % (n - 1);
                [[v, v + 1, v + n + 1], [v, v + n + 1, v + n]]
            })
            .collect();
        let disk = DiskMesh::try_new(TriMesh::new(vertices, triangles).unwrap()).unwrap();
        let elimination = Arc::new(Elimination::new(&disk).unwrap());
        let weights = half_cotangents(&Intrinsic::new(disk.mesh()).unwrap());
        let mut z: Vec<Complex<f64>> =
            (0..n * n).map(|v| Complex::from_polar(0.9, (v * v) as f64 * 1.7)).collect();
        let k = disk.boundary().len();
        for (j, &v) in disk.boundary().iter().enumerate() {
            z[v] = Complex::from_polar(1.0, j as f64 * std::f64::consts::TAU / k as f64);
        }
        let boundary: Vec<Complex<f64>> = disk.boundary().iter().map(|&v| z[v]).collect();
        assert!(flipped_triangles(disk.mesh().triangles(), &z).len() > 20);
        with_positive_weights(&disk, &elimination, &weights, &mut z).unwrap();
        assert!(flipped_triangles(disk.mesh().triangles(), &z).is_empty());
        disk.boundary().iter().zip(boundary).for_each(|(&v, b)| assert_eq!(z[v], b));
    }
}
