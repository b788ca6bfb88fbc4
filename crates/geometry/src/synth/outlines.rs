//! Synthetic closed outlines: bent ovals, as an organ is cut in medical images.

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use std::f64::consts::TAU;

/// Landmarks on each outline, evenly along its parameter.
pub const OUTLINE_LANDMARKS: usize = 50;

/// A public radius (Riemannian shape distance) about [`outline_atlas`] that holds nearly all of the population.
pub const OUTLINE_RADIUS: f64 = 0.13;

/// How one outline differs from the mean one: asymmetry, four harmonics, height; standard normal in the population.
type Traits = [f64; 6];

fn outline(z: &Traits) -> Vec<[f64; 2]> {
    (0..OUTLINE_LANDMARKS)
        .map(|j| {
            let t = TAU * j as f64 / OUTLINE_LANDMARKS as f64;
            let bend = 0.35 * (t.cos() + 0.15 * z[0]).powi(2);
            let x = 2.0 * t.cos() + 0.06 * z[1] * (2.0 * t).cos() + 0.05 * z[2] * (3.0 * t).sin();
            let y = 0.5 * t.sin() - bend + 0.05 * z[3] * (2.0 * t).sin() + 0.03 * z[4] * (3.0 * t).cos();
            [x, y * (1.0 + 0.05 * z[5])]
        })
        .collect()
}

/// The outlines of `n` made-up people, (x, y) of every landmark, each in a place, size and rotation of its own.
pub fn outline_population(seed: u64, n: usize) -> Vec<Vec<[f64; 2]>> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..n).map(|_| person(&mut rng)).collect()
}

fn person<R: Rng + ?Sized>(rng: &mut R) -> Vec<[f64; 2]> {
    let traits: Traits = std::array::from_fn(|_| StandardNormal.sample(rng));
    let (size, turn) = (rng.random_range(20.0..60.0), rng.random_range(-0.6..0.6));
    let (x0, y0) = (rng.random_range(80.0..160.0), rng.random_range(80.0..160.0));
    let (sin, cos) = f64::sin_cos(turn);
    outline(&traits)
        .into_iter()
        .map(|[x, y]| [x0 + size * (cos * x - sin * y), y0 + size * (sin * x + cos * y)])
        .collect()
}

/// An outline that may be taken for public: near the population's mean, not on it.
pub fn outline_atlas() -> Vec<[f64; 2]> {
    outline(&[0.6, 0.5, -0.5, 0.5, 0.5, -0.5])
}

#[cfg(test)]
mod tests {
    use super::*;
    use visard_manifold::manifold::{Kendall, Manifold};

    #[test]
    fn the_public_ball_holds_nearly_all_outlines() {
        let space = Kendall::new(OUTLINE_LANDMARKS).unwrap();
        let atlas = space.preshape(&outline_atlas()).unwrap();
        let outlines = outline_population(4, 2000);
        let mut distances: Vec<f64> =
            outlines.iter().map(|o| space.dist(&atlas, &space.preshape(o).unwrap())).collect();
        distances.sort_by(f64::total_cmp);
        // 0.1 % beyond, about 0.05 in the middle: neither all alike nor clipped.
        assert!(distances[1980] < OUTLINE_RADIUS, "{}", distances[1980]);
        assert!(distances[1000] > 0.04 && distances[1000] < 0.07, "{}", distances[1000]);
    }

    #[test]
    fn outlines_do_not_cross_themselves_and_run_one_way() {
        for outline in outline_population(5, 200) {
            let n = outline.len();
            let area: f64 = (0..n)
                .map(|i| {
                    let ([a, b], [c, d]) = (outline[i], outline[(i + 1) % n]);
                    a * d - b * c
                })
                .sum();
            assert!(area > 0.0);
            for i in 0..n {
                for j in i + 2..n {
                    if i > 0 || j + 1 < n {
                        assert!(!cross([outline[i], outline[i + 1], outline[j], outline[(j + 1) % n]]));
                    }
                }
            }
        }
    }

    /// Whether two segments have an inner point in common.
    fn cross([a, b, c, d]: [[f64; 2]; 4]) -> bool {
        let side = |p: [f64; 2], q: [f64; 2], r: [f64; 2]| {
            (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])
        };
        side(a, b, c) * side(a, b, d) < 0.0 && side(c, d, a) * side(c, d, b) < 0.0
    }
}
