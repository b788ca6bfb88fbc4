//! What synthetic people are good for: forecasts from noised values and public simulation. No real record is compared with them.

use super::people::{People, stated};
use crate::study::face::StudyError;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;
use serde_json::{Value, json};

/// Pairs of points whose distances are looked at, and draws of the rest for their variance.
const PAIRS: usize = 300;
const DRAWS: usize = 100;
/// Always the same pairs and draws.
const SEED: u64 = 0xf1de;

const GOOD_FOR: &[&str] = &[
    "teaching, demonstrations, trying out software and pipelines, planning a study",
    "the mean face and the leading ways in which people differ, as exactly as the release states them",
];
const NOT_GOOD_FOR: &[&str] = &[
    "conclusions about people beyond what the release itself says: analyse the release, not these faces",
    "rare shapes, groups, outliers: scores are drawn from a normal law",
    "fine detail and differences between the left and right half, which are mostly public expectation",
    "training or judging a method that has to tell one real person from another",
];

/// The forecast for the people of a release: one JSON object.
///
/// # Errors
/// None for a release that could be read.
pub fn forecast(people: &People) -> Result<Value, StudyError> {
    let points = people.modes[0].len() as f64 / 3.0;
    let seen: f64 = people.modes.iter().map(|mode| mode.iter().map(|x| x * x).sum::<f64>() / points).sum();
    let whole = seen + people.rest.variance;
    let shares = learnt_of_distances(people)?;
    let at = |share: f64| shares[((shares.len() - 1) as f64 * share).round() as usize];
    let n = people.certificate.n as f64;
    let accuracy = people.certificate.details.get("accuracy");
    let own_mean = people.certificate.details.contains_key("bought");
    let visible = stated(&people.certificate, "visible").unwrap_or(people.modes.len() as f64);
    Ok(json!({
        "kind": "forecast",
        "from": "the noised values of the release and public simulation; no real record was read or compared",
        "mean": {
            "accuracy": accuracy,
            "note": if own_mean || people.design().is_some() { "as exact as the release states" } else {
                "the less exact mean that comes with modes; a release made --with mean,modes has a better one"
            },
        },
        "variance": {
            "per_point": whole,
            "learnt_from_the_people": seen / whole,
            "public_expectation": people.rest.variance / whole,
            "noise_sd": stated(&people.certificate, "total_noise").map(|noise| noise / whole),
            "sampling_sd": (2.0 / n).sqrt() * spread_of(people, whole),
            "note": "shares of the variance of one person; both standard deviations are shares of the same",
        },
        "distances": {
            "pairs": PAIRS,
            "learnt_from_the_people": {"q05": at(0.05), "median": at(0.5), "q95": at(0.95)},
            "note": "of the variance of a distance between two points, the share that the released modes give; the rest is public expectation",
        },
        "modes": {"used": people.modes.len(), "above_the_noise": visible},
        "good_for": GOOD_FOR,
        "not_good_for": NOT_GOOD_FOR,
        "privacy": "made from the release alone: these faces tell no more of any one person than its certificate allows",
    }))
}

/// √Σ v²/Σ v of the modes' variances: how few directions the variance lies in.
fn spread_of(people: &People, whole: f64) -> f64 {
    let points = people.modes[0].len() as f64 / 3.0;
    let squares = people.modes.iter().map(|mode| (mode.iter().map(|x| x * x).sum::<f64>() / points).powi(2));
    squares.sum::<f64>().sqrt() / whole
}

/// Of the variance of distances between random pairs of points, to first order, the share that comes from the modes: in rising order.
fn learnt_of_distances(people: &People) -> Result<Vec<f64>, StudyError> {
    let mut rng = ChaCha20Rng::seed_from_u64(SEED);
    let mean = people.mean_at(&[])?;
    let points = mean.data().len() / 3;
    let rests: Vec<Vec<f64>> = (0..DRAWS).map(|_| people.rest.draw(&mut rng)).collect();
    let at = |field: &[f64], p: usize| -> [f64; 3] { std::array::from_fn(|c| field[3 * p + c]) };
    let mut shares = Vec::with_capacity(PAIRS);
    while shares.len() < PAIRS {
        let (p, q) = (rng.random_range(0..points), rng.random_range(0..points));
        let (a, b) = (at(mean.data(), p), at(mean.data(), q));
        let apart: [f64; 3] = std::array::from_fn(|c| a[c] - b[c]);
        let length = apart.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length <= 0.0 {
            continue;
        }
        let change = |field: &Vec<f64>| {
            let (u, v) = (at(field, p), at(field, q));
            ((0..3).map(|c| (u[c] - v[c]) * apart[c]).sum::<f64>() / length).powi(2)
        };
        let by_modes: f64 = people.modes.iter().map(change).sum();
        let by_rest = rests.iter().map(change).sum::<f64>() / DRAWS as f64;
        shares.push(if by_modes + by_rest > 0.0 { by_modes / (by_modes + by_rest) } else { 0.0 });
    }
    shares.sort_by(f64::total_cmp);
    Ok(shares)
}
