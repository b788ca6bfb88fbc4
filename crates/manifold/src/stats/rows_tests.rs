//! Batches against the operations of one pair, and what is no good.

use super::{FrechetOptions, frechet_mean, frechet_mean_of_rows};
use crate::manifold::{
    Batch, Kendall, LandmarkShapes, Linear, Lorentz, Manifold, MeanRows, PoincareBall, RowCloud, Rows,
    SpdAffineInvariant, SpdBuresWasserstein, SpdLogEuclidean, Sphere,
};
use nalgebra::DMatrix;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Not a multiple of eight.
const N: usize = 21;

/// The numbers of a tangent vector as those of a row; of matrices, which are symmetric, by columns.
fn numbers<T: Linear>(v: &T) -> Vec<f64> {
    (0..v.real_len()).map(|i| v.real(i)).collect()
}

fn apart(found: &[f64], expected: &[f64]) -> f64 {
    let size = expected.iter().fold(1e-300_f64, |m, x| m.max(x.abs()));
    found.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / size
}

/// Pairs at distances of `reach`: all three operations, in a batch and one by one, with many base points and with one.
fn agree<M: MeanRows>(space: &M, reach: f64, tolerance: f64) {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let width = space.width();
    let base: Vec<M::Point> = (0..N).map(|_| space.random_point(&mut rng)).collect();
    for one in [false, true] {
        let base = if one { vec![base[0].clone(); N] } else { base.clone() };
        let vectors: Vec<M::Tangent> =
            base.iter().map(|p| space.scale(reach, &space.random_direction(p, &mut rng))).collect();
        let ends: Vec<M::Point> = base.iter().zip(&vectors).map(|(p, v)| space.exp(p, v)).collect();
        let rows = |points: &[M::Point]| {
            let mut all = vec![0.0; points.len() * width];
            all.chunks_exact_mut(width).zip(points).for_each(|(row, p)| space.put_point(p, row));
            all
        };
        let (p, q) = (rows(if one { &base[..1] } else { &base }), rows(&ends));
        let v = vectors.iter().flat_map(numbers).collect::<Vec<_>>();
        let end = |i: usize| &q[i * width..(i + 1) * width];
        let [p, q, v] = [&p, &q, &v].map(|rows| Batch::new(rows, width));
        let mut dist = vec![0.0; N];
        space.dist_rows(p, q, &mut dist).unwrap();
        let (mut log, mut exp) = (vec![0.0; N * width], vec![0.0; N * width]);
        space.log_rows(p, q, &mut log).unwrap();
        space.exp_rows(p, v, &mut exp).unwrap();
        for i in 0..N {
            let expected = space.dist(&base[i], &ends[i]);
            assert!(
                (dist[i] / expected - 1.0).abs() < tolerance,
                "{space:?} {reach}: {} {expected}",
                dist[i]
            );
            let row = |all: &[f64]| all[i * width..(i + 1) * width].to_vec();
            let expected = numbers(&space.log(&base[i], &ends[i]).unwrap());
            assert!(
                apart(&row(&log), &expected) < tolerance,
                "{space:?} {reach}: log {:e}",
                apart(&row(&log), &expected)
            );
            assert!(
                apart(&row(&exp), end(i)) < tolerance,
                "{space:?} {reach}: exp {:e}",
                apart(&row(&exp), end(i))
            );
        }
    }
}

#[test]
fn batches_are_what_their_pairs_are() {
    for reach in [1e-9, 1e-3, 0.4, 1.0] {
        for dim in [1, 2, 3, 8, 30] {
            agree(&Sphere::new(dim, 2.5).unwrap(), 2.5 * reach, 1e-13);
            agree(&Sphere::unit(dim).unwrap(), 3.0 * reach, 1e-12);
            agree(&PoincareBall::new(dim).unwrap(), 3.0 * reach, 1e-11);
            agree(&Lorentz::new(dim).unwrap(), 3.0 * reach, 1e-11);
        }
        for order in [1, 2, 3, 7, 12] {
            agree(&SpdAffineInvariant::new(order).unwrap(), 2.0 * reach, 1e-11);
            agree(
                &SpdBuresWasserstein::new(order).unwrap(),
                0.1 * reach,
                if reach < 1e-5 { 1e-6 } else { 1e-10 },
            );
        }
        for landmarks in [3, 4, 11, 50] {
            agree(&Kendall::new(landmarks).unwrap(), 1.5 * reach, if reach < 1e-5 { 1e-6 } else { 1e-11 });
        }
    }
    // Logarithms are subtracted here: near matrices have no more digits than these.
    for order in [1, 2, 3, 7, 12] {
        agree(&SpdLogEuclidean::new(order).unwrap(), 1.0, 1e-12);
        agree(&SpdLogEuclidean::new(order).unwrap(), 1e-3, 1e-10);
    }
}

/// Near the antipode the distance is known, and the logarithm as long.
#[test]
fn near_the_cut_locus() {
    let space = Sphere::unit(2).unwrap();
    for off in [1e-3_f64, 1e-7, 1e-12] {
        let (p, q) = ([1.0, 0.0, 0.0], [-off.cos(), off.sin(), 0.0]);
        let (p, q) = (Batch::new(&p, 3), Batch::new(&q, 3));
        let (mut dist, mut log) = ([0.0], [0.0; 3]);
        space.dist_rows(p, q, &mut dist).unwrap();
        space.log_rows(p, q, &mut log).unwrap();
        assert!((dist[0] - (std::f64::consts::PI - off)).abs() < 1e-15, "{off}");
        assert!(apart(&log, &[0.0, std::f64::consts::PI - off, 0.0]) < 1e-15, "{off}: {log:?}");
    }
    let q = [-1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    let error =
        space.log_rows(Batch::new(&[1.0, 0.0, 0.0], 3), Batch::new(&q, 3), &mut [0.0; 6]).unwrap_err();
    assert_eq!((error.batch, error.row), (1, 0));
}

/// D A D and D B D, D over six magnitudes, are as far apart as A and B, in every order of the rows: conditions of 1e12.
#[test]
fn affine_invariant_distances_at_condition_1e12() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    for order in [2, 3, 6, 16] {
        let space = SpdAffineInvariant::new(order).unwrap();
        let (a, b) = (space.random_point(&mut rng), space.random_point(&mut rng));
        let scale = |m: &DMatrix<f64>| {
            // Powers of two, so that nothing is rounded.
            DMatrix::from_fn(order, order, |i, j| {
                let power = |i: usize| (20.0 * i as f64 / (order as f64 - 1.0)).round();
                m[(i, j)] * (power(i) + power(j)).exp2()
            })
        };
        let (p, q) = (scale(&a), scale(&b));
        let eigenvalues = p.symmetric_eigenvalues();
        assert!(eigenvalues.max() / eigenvalues.min() > 1e11);
        let mut dist = [0.0];
        space.dist_part(
            Batch::new(p.as_slice(), space.width()),
            Batch::new(q.as_slice(), space.width()),
            &mut dist,
        );
        let expected = space.dist(&a, &b);
        assert!((dist[0] / expected - 1.0).abs() < 1e-10, "{order}: {} {expected}", dist[0]);
    }
    // Diagonal ones, in closed form.
    let space = SpdAffineInvariant::new(4).unwrap();
    let diagonal = |x: [f64; 4]| DMatrix::from_fn(4, 4, |i, j| if i == j { x[i] } else { 0.0 });
    let (p, q) = (diagonal([1.0; 4]), diagonal([1.0, 1e-12, 3.0, 1e-5]));
    let mut dist = [0.0];
    space.dist_rows(Batch::new(p.as_slice(), 16), Batch::new(q.as_slice(), 16), &mut dist).unwrap();
    let expected = [1e-12_f64, 3.0, 1e-5].iter().map(|x| x.ln().powi(2)).sum::<f64>().sqrt();
    assert!((dist[0] / expected - 1.0).abs() < 1e-13);
}

/// The quick look at matrices refuses none that the careful one takes, and takes none that it refuses.
#[test]
fn what_is_no_matrix_is_refused() {
    let space = SpdAffineInvariant::new(3).unwrap();
    let good = DMatrix::identity(3, 3);
    let mut kinds: Vec<DMatrix<f64>> = vec![good.clone(); 12];
    kinds[1][(1, 1)] = -1.0;
    kinds[2][(0, 2)] = f64::NAN;
    kinds[3][(2, 0)] = f64::INFINITY;
    kinds[4][(0, 1)] = 0.5;
    kinds[5][(2, 2)] = 0.0;
    kinds[6][(2, 2)] = 1e-17;
    kinds[7][(2, 2)] = 1e-13;
    kinds[8] *= 0.0;
    kinds[9] *= f64::NAN;
    kinds[10][(1, 0)] = 1e-9;
    for matrix in &kinds {
        let rows: Vec<f64> = good.iter().chain(matrix.iter()).chain(good.iter()).copied().collect();
        let found = space.check_rows(Batch::new(&rows, 9));
        assert_eq!(found.is_ok(), space.check(matrix).is_ok(), "{matrix}");
        assert!(found.is_ok() || found.is_err_and(|e| e.row == 1));
    }
}

#[test]
fn means_of_rows_are_those_of_points() {
    fn compare<M: MeanRows>(space: &M, spread: f64, n: usize) {
        let mut rng = ChaCha8Rng::seed_from_u64(11);
        let centre = space.random_point(&mut rng);
        let points: Vec<M::Point> =
            (0..n).map(|_| space.exp(&centre, &space.tangent_gaussian(&centre, spread, &mut rng))).collect();
        let mut rows = vec![0.0; n * space.width()];
        rows.chunks_exact_mut(space.width()).zip(&points).for_each(|(row, p)| space.put_point(p, row));
        let weights: Vec<f64> = (0..n).map(|i| ((i + 1) % 5) as f64).collect();
        let options = FrechetOptions { gradient_tolerance: 1e-11, ..FrechetOptions::default() };
        for weights in [None, Some(weights.as_slice())] {
            let cloud = RowCloud::new(&rows, space.width(), weights);
            let found = frechet_mean_of_rows(space, &cloud, options, &|| false).unwrap();
            let expected = frechet_mean(space, &points, weights, None, options).unwrap();
            assert!(found.certificate.settled() && expected.certificate.settled(), "{space:?}");
            assert!(space.dist(&found.point, &expected.point) < 1e-9, "{space:?} {n}");
        }
    }
    for n in [1, 9, 1500] {
        compare(&Sphere::unit(2).unwrap(), 0.2, n);
        compare(&Sphere::new(6, 3.0).unwrap(), 0.2, n);
        compare(&Lorentz::new(3).unwrap(), 0.4, n);
        compare(&PoincareBall::new(2).unwrap(), 0.4, n);
        compare(&SpdAffineInvariant::new(3).unwrap(), 0.3, n);
        compare(&SpdLogEuclidean::new(3).unwrap(), 0.3, n);
        compare(&SpdBuresWasserstein::new(3).unwrap(), 0.05, n);
        compare(&Kendall::new(7).unwrap(), 0.05, n);
    }
}

/// In space: the operations of [`LandmarkShapes`], and a mean at which the logarithms cancel.
#[test]
fn shapes_in_space() {
    let space = LandmarkShapes::new(9, 3).unwrap();
    let some = |seed: usize| {
        DMatrix::from_fn(9, 3, |i, j| {
            (((i + 1) * (j + 3) * 37 + (i * seed * 7 + j * seed) % 23 + i * i) % 101) as f64
        })
    };
    let shapes: Vec<DMatrix<f64>> = (0..12).map(|seed| space.preshape(&some(seed)).unwrap().0).collect();
    let rows: Vec<f64> = shapes.iter().flat_map(|z| z.transpose().as_slice().to_vec()).collect();
    let (p, all) = (Batch::new(&rows[..27], 27), Batch::new(&rows, 27));
    let (mut dist, mut log, mut exp) = (vec![0.0; 12], vec![0.0; 12 * 27], vec![0.0; 12 * 27]);
    space.dist_rows(p, all, &mut dist).unwrap();
    space.log_rows(p, all, &mut log).unwrap();
    space.exp_rows(p, Batch::new(&log, 27), &mut exp).unwrap();
    for (i, shape) in shapes.iter().enumerate() {
        let expected = space.log(&shapes[0], shape);
        let row = |all: &[f64]| DMatrix::from_row_slice(9, 3, &all[i * 27..(i + 1) * 27]);
        assert!((dist[i] - expected.norm()).abs() < 1e-14 && (row(&log) - expected).norm() < 1e-13, "{i}");
        assert!(space.dist(&row(&exp), shape) < 1e-7, "{i}");
    }
    let mean = space.mean_of_rows(&rows, None, (1e-13, 500), &|| false).unwrap();
    let mean = DMatrix::from_row_slice(9, 3, &mean.shape);
    let sum: DMatrix<f64> = shapes.iter().map(|z| space.log(&mean, z)).sum();
    assert!(sum.norm() < 1e-11, "{:e}", sum.norm());
}
