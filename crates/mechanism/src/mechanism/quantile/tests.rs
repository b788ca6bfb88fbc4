use super::*;
use crate::privacy::Ledger;
use crate::privacy::release;

fn quantile(
    low: f64,
    high: f64,
    ratio: f64,
    share: f64,
    n: u64,
    mu: f64,
) -> Result<PrivateQuantile, MechanismError> {
    PrivateQuantile::new(&RadiusGrid { low, high, ratio }, share, n, Mu::new(mu).unwrap())
}

fn radius_of(quantile: &PrivateQuantile, norms: &[Option<f64>], seed: u64) -> ClipRadius {
    release(quantile, norms, &mut Ledger::in_memory(None), &mut NoiseSource::seeded(seed))
        .unwrap()
        .value
        .radius
}

#[test]
fn the_grid_is_geometric_and_nonsense_is_refused() {
    let q = quantile(1.0, 8.0, 2.0, 0.5, 100, 100.0).unwrap();
    assert_eq!(q.edges().iter().map(|e| e.get()).collect::<Vec<_>>(), [1.0, 2.0, 4.0, 8.0]);
    for (low, high, ratio) in [
        (0.0, 1.0, 2.0),
        (1.0, 1.0, 2.0),
        (1.0, 2.0, 1.0),
        (1.0, f64::INFINITY, 2.0),
        (f64::NAN, 1.0, 2.0),
        (1e-9, 1e9, 1.01),
    ] {
        assert!(quantile(low, high, ratio, 0.5, 100, 100.0).is_err());
    }
    assert!(quantile(1.0, 2.0, 1.1, 1.0, 100, 100.0).is_err());
    assert!(quantile(1.0, 2.0, 1.1, 0.9, 0, 100.0).is_err());
    let poor = quantile(1.0, 2.0, 1.1, 0.9, 20, 0.1).unwrap_err();
    assert!(poor.to_string().contains("public radius"), "{poor}");
}

#[test]
fn the_quantile_is_found_within_a_cell_or_two() {
    let q = quantile(0.01, 1.0, 1.1, 0.9, 1000, 0.6).unwrap();
    let norms: Vec<_> = (0..1000).map(|i| Some(0.1 + 0.2 * f64::from(i) / 1000.0)).collect();
    for seed in 0..40 {
        let radius = radius_of(&q, &norms, seed);
        assert_eq!(radius.source(), ClipSource::Private);
        // The 90 % quantile is 0.28; the rank is off by about 10 to 20 records of 1000.
        assert!(radius.get() > 0.25 && radius.get() < 0.36, "{}", radius.get());
    }
}

#[test]
fn neighbours_move_the_counts_by_the_stated_sensitivity() {
    let q = quantile(1.0, 8.0, 2.0, 0.5, 3, 200.0).unwrap();
    let base = [Some(1.5), Some(3.0), None];
    let a = q.prepare(&base).unwrap();
    for other in [0.0, 1.0, 7.0, 1e9, f64::INFINITY, f64::NAN, -1.0].map(Some).into_iter().chain([None]) {
        let b = q.prepare(&[other, base[1], base[2]]).unwrap();
        let square: f64 = a.iter().zip(&b).map(|(x, y)| (x - y).powi(2)).sum();
        assert!(square == 0.0 || square == 2.0, "{other:?}");
    }
    assert!(q.prepare(&base[1..]).is_err());
}

#[test]
fn extremes_give_radii_of_the_grid() {
    let q = quantile(1.0, 8.0, 2.0, 0.5, 100, 100.0).unwrap();
    for (norm, expected) in [(None, 1.0), (Some(1e9), 8.0)] {
        assert_eq!(radius_of(&q, &[norm; 100], 1).get(), expected);
    }
}
