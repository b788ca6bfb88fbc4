//! The problems: gradients, and what is found.

use super::*;

/// f(exp_w(tv)) − f(w) − t⟨∇f, v⟩ is quadratic in t: halving t quarters it, for every shipped problem.
#[test]
fn gradients_are_those_of_the_losses() {
    fn check<P: Problem>(name: &str, problem: &P, w: &PointOf<P>) {
        let space = problem.space();
        let mut rng = ChaCha20Rng::seed_from_u64(21);
        for i in 0..problem.records().min(4) {
            let v = space.random_direction(w, &mut rng);
            let gradient = problem.gradient(w, i).unwrap();
            let slope = space.inner(w, &gradient, &v);
            let rest =
                |t: f64| problem.loss(&space.exp(w, &space.scale(t, &v)), i) - problem.loss(w, i) - t * slope;
            let (far, near) = (rest(2e-3), rest(1e-3));
            let scale = 1e-6 * (1.0 + space.norm(w, &gradient));
            assert!(near.abs() < 10.0 * scale, "{name}: record {i} leaves {near}");
            assert!((far - 4.0 * near).abs() < 0.05 * scale, "{name}: record {i}: {far} {near}");
        }
    }
    fn mean<M: Manifold>(name: &str, space: M) {
        let (w, points) = cluster(&space, 4, 0.6, 31);
        check(name, &FrechetMeanProblem::new(space, points).unwrap(), &w);
    }
    mean("affine-invariant", SpdAffineInvariant::new(3).unwrap());
    mean("log-Euclidean", SpdLogEuclidean::new(3).unwrap());
    mean("Bures-Wasserstein", crate::manifold::SpdBuresWasserstein::new(2).unwrap());
    mean("sphere", Sphere::unit(4).unwrap());
    mean("ball", PoincareBall::new(3).unwrap());
    mean("hyperboloid", crate::manifold::Lorentz::new(3).unwrap());
    let mut rng = ChaCha20Rng::seed_from_u64(4);
    let records = nalgebra::DMatrix::from_fn(6, 4, |_, _| rand::RngExt::random::<f64>(&mut rng) - 0.5);
    let sphere = Sphere::unit(5).unwrap();
    let w = sphere.random_point(&mut rng);
    check("eigenvector", &LeadingEigenvector::new(records.clone()).unwrap(), &w);
    let stiefel = crate::manifold::Stiefel::new(6, 2).unwrap();
    let w = stiefel.random_point(&mut rng);
    check("Stiefel", &PrincipalSubspace::new(stiefel, records.clone()).unwrap(), &w);
    let grassmann = crate::manifold::Grassmann::new(6, 2).unwrap();
    check("Grassmann", &PrincipalSubspace::new(grassmann, records).unwrap(), &w);
}

/// Principal subspaces of made-up records with a known second moment.
#[test]
fn the_principal_subspace_is_found() {
    let mut rng = ChaCha20Rng::seed_from_u64(6);
    let spread = [3.0, 2.0, 0.4, 0.3, 0.2];
    let records =
        nalgebra::DMatrix::from_fn(5, 400, |i, _| spread[i] * (rand::RngExt::random::<f64>(&mut rng) - 0.5));
    let space = crate::manifold::Grassmann::new(5, 2).unwrap();
    let start = space.random_point(&mut rng);
    let problem = PrincipalSubspace::new(space, records).unwrap();
    let plan = Plan::with_noise(
        Method::GradientDescent { steps: 60 },
        400,
        clip(10.0),
        1e-4,
        None,
        Delta::new(1e-6).unwrap(),
    );
    let done = optimize(
        &problem,
        &plan.unwrap(),
        &Settings::default(),
        State::at(start),
        &mut NoiseSource::seeded(4),
        super::paid(),
        &mut keep_on,
    )
    .unwrap();
    // The first two axes, up to sampling error: nearly all of W's weight is in its first two rows.
    assert!(done.point.rows(0, 2).norm_squared() > 1.98, "{}", done.point);
}
