//! Variances as they were before records were clipped.

use super::Visible;
use super::edge::matrix;
use crate::privacy::noise::NoisedSecond;
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use rand_distr::{Distribution, StandardNormal};

/// Draws of the law that is fitted, and steps of the fixed point. More change nothing that the noise does not hide.
const DRAWS: usize = 3000;
const STEPS: usize = 40;
/// What one step may change, and all of them together: a clip at the median of the norms shortens squares by less than half on average,
/// so larger factors come of noise.
const STEP: (f64, f64) = (0.7, 1.4);
const MOST: f64 = 6.0;
/// The draws are the same in every release: what comes out is a function of what was released.
const SEED: u64 = 0xc11b;

/// Variances without a clip.
#[derive(Debug, Clone, PartialEq)]
pub struct Unclipped {
    /// One for each that was given.
    pub variances: Vec<f64>,
    /// The factor by which squared lengths grow on average where nothing is known of the direction.
    pub rest: f64,
}

impl Unclipped {
    /// From variances `clipped` along orthogonal directions of normal vectors shortened to `radius`, and the energy `rest` in all other
    /// directions, shortened too: the L and R with E(f Z_j²) = θ_j and E(f) R = rest, f = min(1, τ²/(‖Z‖² + R)), Z_j ~ N(0, L_j) independent, by
    /// the fixed point L_j ← L_j θ_j/E_j, R ← rest/E(f).
    ///
    /// Directions need no correction when the law is elliptical; variances do, and rest on the normal model.
    pub fn new(clipped: &[f64], rest: f64, radius: f64) -> Self {
        let squares = squares(clipped.len());
        let mut variances = clipped.to_vec();
        let mut mean_factor: f64 = 1.0;
        for _ in 0..STEPS {
            let grown = rest / mean_factor.max(1.0 / MOST);
            let (factor, expected) = moments(&squares, &variances, grown, radius);
            mean_factor = factor;
            for ((l, e), theta) in variances.iter_mut().zip(expected).zip(clipped) {
                let change = if e > 0.0 { (theta / e).clamp(STEP.0, STEP.1) } else { 1.0 };
                *l = (*l * change).min(MOST * theta);
            }
        }
        Self { variances, rest: 1.0 / mean_factor.max(1.0 / MOST) }
    }
}

/// By how much a clip may move a mean, as a share of the root-mean-square distance of records from its centre, from a noised second moment
/// about that centre: E(‖Z‖ − τ)₊/√E‖Z‖² of normal vectors Z with the variances that stand out of the noise, before they were clipped.
///
/// Normal records on all sides of the centre pull it nowhere, since what is cut off on one side is cut off on the other; this is the move
/// where all that is cut off lies on one side, and records of one direction come nearest to that. An amount to be added to an error
/// statement, not a bound: tails may be heavier. `None` for a moment that has not as many entries as it says.
pub fn moved_by_clip(second: &NoisedSecond) -> Option<f64> {
    let matrix = matrix(second)?;
    let trace = matrix.trace().clamp(0.0, second.radius.powi(2));
    let visible = Visible::new(matrix, second.sigma);
    let clipped: Vec<f64> = visible.values.iter().map(|value| value.max(0.0)).collect();
    let rest = (trace - clipped.iter().sum::<f64>()).max(0.0);
    Some(excess(&clipped, rest, second.radius))
}

fn excess(clipped: &[f64], rest: f64, radius: f64) -> f64 {
    // Without a direction there is nothing to cut off on one side.
    if clipped.is_empty() {
        return 0.0;
    }
    let found = Unclipped::new(clipped, rest, radius);
    let (mut beyond, mut whole) = (0.0, 0.0);
    for draw in squares(clipped.len()).chunks_exact(clipped.len()) {
        let square = draw.iter().zip(&found.variances).map(|(z, l)| z * l).sum::<f64>() + rest;
        beyond += (square.sqrt() - radius).max(0.0) / DRAWS as f64;
        whole += square / DRAWS as f64;
    }
    if whole > 0.0 { beyond / whole.sqrt() } else { 0.0 }
}

/// Squares of [`DRAWS`] standard normal vectors, scaled so that each coordinate's have mean one: a wide clip then changes nothing.
fn squares(length: usize) -> Vec<f64> {
    let mut rng = ChaCha20Rng::seed_from_u64(SEED);
    let square = |_| {
        let z: f64 = StandardNormal.sample(&mut rng);
        z * z
    };
    let mut squares: Vec<f64> = (0..DRAWS * length).map(square).collect();
    for j in 0..length {
        let mean = squares.iter().skip(j).step_by(length).sum::<f64>() / DRAWS as f64;
        squares.iter_mut().skip(j).step_by(length).for_each(|x| *x /= mean);
    }
    squares
}

/// The mean of min(1, τ²/‖·‖²) over the draws, and of that times each square.
fn moments(squares: &[f64], variances: &[f64], rest: f64, radius: f64) -> (f64, Vec<f64>) {
    let (mut factor, mut expected) = (0.0, vec![0.0; variances.len()]);
    if variances.is_empty() {
        return (if rest > radius * radius { radius * radius / rest } else { 1.0 }, expected);
    }
    for draw in squares.chunks_exact(variances.len()) {
        let length: f64 = draw.iter().zip(variances).map(|(z, l)| z * l).sum::<f64>() + rest;
        let kept = if length > radius * radius { radius * radius / length } else { 1.0 };
        factor += kept;
        for ((e, z), l) in expected.iter_mut().zip(draw).zip(variances) {
            *e += kept * z * l;
        }
    }
    expected.iter_mut().for_each(|e| *e /= DRAWS as f64);
    (factor / DRAWS as f64, expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Normal vectors with a generator of their own, clipped at their median norm.
    #[test]
    fn clipped_variances_are_brought_back() {
        let truth = [4.0, 1.0, 0.5, 0.25];
        let mut rng = ChaCha20Rng::seed_from_u64(1);
        let draws: Vec<Vec<f64>> = (0..20_000)
            .map(|_| {
                truth
                    .iter()
                    .map(|v: &f64| v.sqrt() * Distribution::<f64>::sample(&StandardNormal, &mut rng))
                    .collect()
            })
            .collect();
        let mut norms: Vec<f64> = draws.iter().map(|d| d.iter().map(|x| x * x).sum::<f64>().sqrt()).collect();
        norms.sort_by(f64::total_cmp);
        let tau = norms[10_000];
        let mut clipped = [0.0; 4];
        for draw in &draws {
            let length = draw.iter().map(|x| x * x).sum::<f64>().sqrt();
            let factor = (tau / length).min(1.0);
            clipped.iter_mut().zip(draw).for_each(|(c, x)| *c += (factor * x).powi(2) / 20_000.0);
        }
        assert!(clipped[0] < 0.6 * truth[0]);
        // All directions; and the last one known by its clipped energy alone.
        for (known, within) in [(4, 0.08), (3, 0.12)] {
            let found = Unclipped::new(&clipped[..known], clipped[known..].iter().sum(), tau);
            for (l, v) in found.variances.iter().zip(truth) {
                assert!((l / v - 1.0).abs() < within, "{known}: {l} {v}");
            }
            assert!(found.rest > 1.05 && found.rest < 6.0);
        }
    }

    /// Against integrals of the normal law: E(|Z| − ρ)₊ = 2(φ(ρ) − ρ Q(ρ)) in one direction, at the ρ that 5 % of the records lie beyond.
    #[test]
    fn what_a_clip_may_move_is_that_of_normal_records() {
        let rho = 1.96_f64;
        let (density, tail) = (0.058_441, 0.024_998);
        let kept = 1.0 - 2.0 * rho * density - 2.0 * tail + 2.0 * rho * rho * tail;
        let expected = 2.0 * (density - rho * tail);
        let found = excess(&[kept], 0.0, rho);
        assert!((found / expected - 1.0).abs() < 0.25, "{found} {expected}");
        // In many directions a clip that as few records meet moves far less; and one that none meets, nothing.
        let spread = excess(&[0.05; 20], 0.0, 1.3);
        assert!(spread < 0.2 * found, "{spread}");
        assert_eq!((excess(&[1.0], 0.0, 100.0), excess(&[], 0.5, 1.0)), (0.0, 0.0));
    }

    #[test]
    fn a_wide_clip_changes_nothing_and_nothing_is_made_of_nothing() {
        let found = Unclipped::new(&[1.0, 0.5], 0.1, 100.0);
        approx::assert_relative_eq!(found.variances[0], 1.0, max_relative = 1e-9);
        assert_eq!(found.rest, 1.0);
        assert_eq!(Unclipped::new(&[], 0.5, 1.0), Unclipped { variances: Vec::new(), rest: 1.0 });
        // What a clip cannot have left: the bound holds.
        let most = Unclipped::new(&[10.0], 0.0, 1.0);
        assert!(most.variances[0] <= 60.0);
    }
}
