//! The conformal map of a closed surface onto the sphere.

use super::chart::{Chart, extend};
use super::mobius::centre;
use super::oriented::{covering, flipped, turn_back};
use crate::conformal::ConformalError;
use crate::conformal::elimination::Elimination;
use crate::conformal::intrinsic::Intrinsic;
use crate::conformal::laplacian::{half_cotangents, ordered_laplacian};
use crate::conformal::untangle::{grow, raised_laplacian};
use crate::mesh::{ClosedMesh, Vector};
use crate::numeric::nearest_rotation;
use nalgebra::{Complex, Matrix3};
use std::sync::Arc;

/// Times that both halves of the sphere are made harmonic. Every time shrinks what is wrong at the rim by (1 + REACH)²/(1 − REACH)² or more.
const ROUNDS: usize = 2;
/// Height on the sphere down to which a half reaches.
const REACH: f64 = 0.8;
/// Times a map is centred and what that turned over is turned back.
const SETTLINGS: usize = 5;
/// Rounds of growing the neighbourhoods with positive weights before all weights are positive, then even.
const GROWTHS: usize = 3;
/// Regularities of triangles nearer than this are alike.
const ALIKE: f64 = 1e-6;

/// A bijective map of a closed surface to the unit sphere: geodesic triangles between the places of the vertices.
#[derive(Debug, Clone, PartialEq)]
pub struct SphereMap {
    /// Place of every vertex, in vertex order: unit vectors to rounding.
    pub x: Vec<Vector>,
}

/// A conformal map of a closed surface onto the unit sphere: no triangle turned over, as conformal as finite elements are; the same however the
/// surface is posed and scaled, but that the sphere turns with it.
///
/// 1. Without its most regular triangle the surface is mapped harmonically into a triangle of that shape, and from there onto the sphere
///    (Haker et al. 2000; Choi, Lam and Lui 2015, *FLASH*, § 4.1).
/// 2. What is near the pole was mapped badly. The sphere is projected from the other pole, and the map made harmonic there, with values from far
///    away kept (§ 4.2: composed with the quasi-conformal map that undoes the Beltrami coefficient, which is the harmonic one for the
///    surface's own metric); then again from the first pole, and so on: Schwarz's alternating method.
/// 3. Of the maps that differ by a Möbius transformation, the one whose centre of area (of the surface, at its vertices) is the centre of the
///    sphere, turned so that it lies as the surface does: Σ a ⟨x, p⟩ is largest.
/// 4. Flipped triangles are turned back: single vertices move into the kernels of their stars, or weights near them are raised to be
///    positive and the steps repeated.
///
/// # Errors
/// [`ConformalError`] when the mesh has no size or is too uneven for double precision.
pub fn sphere_map(closed: &ClosedMesh) -> Result<SphereMap, ConformalError> {
    let parts = Parts::new(closed)?;
    let triangles = closed.mesh().triangles();
    let mut near = vec![false; parts.weights.len()];
    let mut failed = ConformalError::NotBijective { flipped: triangles.len() };
    for round in 0..GROWTHS + 2 {
        let laplacian = match round {
            0 => ordered_laplacian(&parts.elimination, &parts.half_cotangents),
            _ if round <= GROWTHS => {
                raised_laplacian(triangles, &parts.elimination, &parts.half_cotangents, &near)
            }
            _ => ordered_laplacian(&parts.elimination, &vec![[0.5; 3]; triangles.len()]),
        };
        match parts.mapped(&laplacian) {
            Ok(mut map) => {
                let wrong = flipped(triangles, &map.x);
                if parts.settle(&mut map) {
                    map.turn(closed, &parts.weights);
                    return if map.is_bijective(closed) { Ok(map) } else { Err(failed) };
                }
                failed = ConformalError::NotBijective { flipped: flipped(triangles, &map.x).len() };
                wrong.iter().flat_map(|&t| triangles[t]).for_each(|v| near[v] = true);
                (0..=round).for_each(|_| grow(triangles, &mut near));
            }
            Err(error) => failed = error,
        }
        if round + 1 == GROWTHS {
            near.fill(true);
        }
    }
    Err(failed)
}

/// What the steps of a map share.
struct Parts<'a> {
    closed: &'a ClosedMesh,
    elimination: Arc<Elimination>,
    half_cotangents: Vec<[f64; 3]>,
    /// Share of the surface around each vertex.
    weights: Vec<f64>,
}

impl<'a> Parts<'a> {
    fn new(closed: &'a ClosedMesh) -> Result<Self, ConformalError> {
        let mesh = closed.mesh();
        let shape = Intrinsic::new(mesh)?;
        let elimination = Arc::new(Elimination::of(mesh, &[])?);
        let half_cotangents = half_cotangents(&shape);
        Ok(Self { closed, elimination, half_cotangents, weights: mesh.vertex_shares() })
    }

    /// Steps 1 and 2 with these weights, centred.
    fn mapped(&self, laplacian: &[f64]) -> Result<SphereMap, ConformalError> {
        let triangles = self.closed.mesh().triangles();
        let (mut x, pole) = self.off_the_plane(laplacian)?;
        centre(&mut x, &self.weights);
        for _ in 0..ROUNDS {
            for side in [1.0, -1.0] {
                let middle = pole.iter().map(|&v| x[v]).sum::<Vector>().normalize() * side;
                let made = self.made_harmonic(laplacian, middle, &x)?;
                // Where triangles are large a chart may bend them over.
                if flipped(triangles, &made).len() <= flipped(triangles, &x).len() {
                    x = made;
                }
            }
            centre(&mut x, &self.weights);
        }
        Ok(SphereMap { x })
    }

    /// Step 1: the places, and the triangle at the pole.
    fn off_the_plane(&self, laplacian: &[f64]) -> Result<(Vec<Vector>, [usize; 3]), ConformalError> {
        let mesh = self.closed.mesh();
        let pole = most_regular(self.closed);
        let corners = mesh.triangles()[pole];
        let [a, b, c] = mesh.corners(pole);
        // The rest of the surface lies inside: seen from there the triangle is clockwise.
        let (along, across) = (b - a, c - a);
        let length = along.norm();
        let foot = across.dot(&along) / length;
        let height = along.cross(&across).norm() / length;
        let flat = [Complex::ZERO, Complex::from(length), Complex::new(foot, -height)].map(|z| z / length);
        let middle = flat.iter().sum::<Complex<f64>>() / 3.0;
        let mut z = vec![Complex::ZERO; self.weights.len()];
        let mut fixed = vec![false; z.len()];
        for (v, place) in corners.into_iter().zip(flat) {
            (z[v], fixed[v]) = (place - middle, true);
        }
        extend(&self.elimination, laplacian, &fixed, &mut z)?;
        // Half of the surface inside the equator, about its middle.
        let half = |of: &dyn Fn(Complex<f64>) -> f64, z: &[Complex<f64>]| self.median(z, of);
        let middle = Complex::new(half(&|z| z.re, &z), half(&|z| z.im, &z));
        let size = self.median(&z, &|z| (z - middle).norm()).max(1e-300);
        let chart = Chart::about(Vector::z());
        Ok((z.into_iter().map(|z| chart.up((z - middle) / size)).collect(), corners))
    }

    /// The weighted median over the vertices.
    fn median(&self, z: &[Complex<f64>], of: &dyn Fn(Complex<f64>) -> f64) -> f64 {
        let mut values: Vec<(f64, f64)> = z.iter().zip(&self.weights).map(|(z, w)| (of(*z), *w)).collect();
        values.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let mut sum = 0.0;
        let beyond = |&&(_, w): &&(f64, f64)| {
            sum += w;
            sum >= 0.5
        };
        values.iter().find(beyond).or(values.last()).map_or(0.0, |found| found.0)
    }

    /// The map made harmonic in the chart about this place, but for what lies far away.
    fn made_harmonic(
        &self,
        laplacian: &[f64],
        middle: Vector,
        x: &[Vector],
    ) -> Result<Vec<Vector>, ConformalError> {
        let chart = Chart::about(middle);
        let heights: Vec<f64> = x.iter().map(|x| x.dot(&middle)).collect();
        // Three values at least fix a map.
        let third = *heights.clone().select_nth_unstable_by(2, f64::total_cmp).1;
        let fixed: Vec<bool> = heights.iter().map(|height| *height <= third.max(-REACH)).collect();
        let mut z: Vec<Complex<f64>> = x.iter().map(|x| chart.down(x)).collect();
        extend(&self.elimination, laplacian, &fixed, &mut z)?;
        let place = |((x, z), fixed): ((&Vector, Complex<f64>), bool)| if fixed { *x } else { chart.up(z) };
        Ok(x.iter().zip(z).zip(fixed).map(place).collect())
    }

    /// Turns flipped triangles back and centres, until nothing is flipped and the centre is where it should be.
    fn settle(&self, map: &mut SphereMap) -> bool {
        let triangles = self.closed.mesh().triangles();
        for _ in 0..SETTLINGS {
            if !turn_back(triangles, &mut map.x) {
                return false;
            }
            if centre(&mut map.x, &self.weights) <= OFF_CENTRE && map.is_bijective(self.closed) {
                return true;
            }
        }
        false
    }
}

/// How far the centre of area of a map may lie from that of the sphere.
const OFF_CENTRE: f64 = 1e-10;

/// The triangle whose sides are most alike; the first of those that are nearly so.
fn most_regular(closed: &ClosedMesh) -> usize {
    let mesh = closed.mesh();
    let regularity = |t: usize| {
        let [a, b, c] = mesh.corners(t);
        let squares = (b - a).norm_squared() + (c - b).norm_squared() + (a - c).norm_squared();
        2.0 * 3f64.sqrt() * mesh.area_vector(t).norm() / squares
    };
    let all: Vec<f64> = (0..mesh.triangles().len()).map(regularity).collect();
    let best = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    all.iter().position(|r| *r >= best - ALIKE).unwrap_or(0)
}

impl SphereMap {
    /// Turns the sphere so that it lies as the surface does.
    fn turn(&mut self, closed: &ClosedMesh, weights: &[f64]) {
        let p = closed.mesh().vertices();
        let middle: Vector = p.iter().zip(weights).map(|(p, w)| p.coords * *w).sum();
        let size = p.iter().map(|p| (p.coords - middle).norm()).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
        let moment: Matrix3<f64> = p
            .iter()
            .zip(&self.x)
            .zip(weights)
            .map(|((p, x), w)| (p.coords - middle) * x.transpose() * (*w / size))
            .sum();
        if let Some((rotation, _)) = nearest_rotation(&moment) {
            self.x.iter_mut().for_each(|x| *x = (rotation * *x).normalize());
        }
    }

    /// Whether the map is one-to-one: every geodesic triangle strictly counter-clockwise seen from outside (decided exactly), and all of them
    /// together covering the sphere once.
    pub fn is_bijective(&self, closed: &ClosedMesh) -> bool {
        let mesh = closed.mesh();
        self.x.len() == mesh.vertices().len()
            && flipped(mesh.triangles(), &self.x).is_empty()
            && (covering(mesh.triangles(), &self.x) - 1.0).abs() < 0.5
    }

    /// How far the centre of the surface's area, at its vertices, lies from the centre of the sphere.
    pub fn off_centre(&self, closed: &ClosedMesh) -> f64 {
        let shares = closed.mesh().vertex_shares();
        self.x.iter().zip(shares).map(|(x, w)| x * w).sum::<Vector>().norm()
    }
}
