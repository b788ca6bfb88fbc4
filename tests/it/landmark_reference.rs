//! The geometry of landmarks against other people's code: values made by `tests/reference/landmarks.py` with NumPy and SciPy.

use std::collections::BTreeMap;
use visard::io::{RecordSize, read_shapes};
use visard::landmark::{
    Configuration, GeneralizedOptions, Pairs, Slider, ThinPlate, fill, full_distance, generalized, slide,
};

/// Values by name and kind, in order.
fn reference(text: &str) -> BTreeMap<(&str, &str), Vec<f64>> {
    let mut values = BTreeMap::<_, Vec<f64>>::new();
    for line in text.lines() {
        let [name, kind, _, value] = line.split(',').collect::<Vec<_>>()[..] else { panic!("{line}") };
        values.entry((name, kind)).or_default().push(value.parse().unwrap());
    }
    values
}

fn made_up(k: usize, d: usize, seed: f64) -> Configuration {
    Configuration::from_fn(k, d, |i, j| {
        ((4 * i + 7 * j + i * j) as f64 + seed).sin() * 2.0 + 0.1 * (i * (j + 1)) as f64
    })
}

/// How far a matrix is from values given row by row.
fn off(found: &Configuration, expected: &[f64]) -> f64 {
    let (rows, columns) = found.shape();
    (found - Configuration::from_row_slice(rows, columns, expected)).amax()
}

#[test]
fn made_up_specimens_come_out_as_elsewhere() {
    let values = reference(include_str!("../reference/landmarks_made_up.csv"));
    for (d, kind) in [(2, "2"), (3, "3")] {
        let (template, points) = (made_up(10, d, 0.0), made_up(4, d, 2.5));
        let y = &template + made_up(10, d, 1.3) * 0.3;
        let expected = |name: &'static str| &values[&(name, kind)][..];
        assert!(off(&ThinPlate::new(&template, &y).unwrap().map(&points), expected("spline")) < 1e-8);
        let mut x = y.clone();
        [2, 7].into_iter().for_each(|i| x.row_mut(i).fill(f64::NAN));
        let filled = fill(&x, &template).unwrap().select_rows(&[2, 7]);
        assert!(off(&filled, expected("filled")) < 1e-8);
        let sliders = [(0, 1, 2), (1, 2, 3), (2, 3, 4), (6, 7, 8)];
        let sliders = sliders.map(|(before, slides, after)| Slider { before, slides, after });
        assert!(off(&slide(&y, &template, &sliders, 1).unwrap(), expected("slid")) < 1e-8);
        let pairs = Pairs::new(&[(1, 2), (4, 5), (7, 8)], 10).unwrap();
        assert!(off(&pairs.split(&y).unwrap().symmetric, expected("symmetric")) < 1e-10);
        assert!((full_distance(&template, &y).unwrap() - expected("distance")[0]).abs() < 1e-12);
    }
}

#[test]
#[ignore = "needs VISARD_DATA: the shared landmarks"]
fn means_of_all_shared_landmarks_are_those_of_scipy() {
    let values = reference(include_str!("../reference/landmarks_data.csv"));
    let files: Vec<&str> = values.keys().filter(|(_, kind)| *kind == "mean").map(|(file, _)| *file).collect();
    assert_eq!(files.len(), 15);
    for file in files {
        let shapes =
            read_shapes(&crate::shared_data::shared(file), RecordSize::Content).unwrap().all().unwrap();
        let configurations: Vec<Configuration> = shapes.iter().map(|shape| shape.to_matrix()).collect();
        let fit = generalized(&configurations, GeneralizedOptions::default()).unwrap();
        let of_mean = off(&fit.mean, &values[&(file, "mean")]);
        let largest = fit.distances.iter().copied().fold(0.0, f64::max);
        let squares: f64 = fit.distances.iter().map(|d| d * d).sum();
        let of_distances = (largest - values[&(file, "largest")][0]).abs();
        let of_squares = (squares - values[&(file, "squares")][0]).abs();
        println!(
            "{file}: mean {of_mean:.1e}, largest distance {of_distances:.1e}, sum of squares {of_squares:.1e}"
        );
        assert!(fit.converged && of_mean < 1e-8 && of_distances < 1e-8 && of_squares < 1e-8, "{file}");
    }
}
