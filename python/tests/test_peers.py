"""Against independent packages. Slow: they take minutes to install."""

import os

os.environ.setdefault("GEOMSTATS_BACKEND", "numpy")

import numpy as np
import pytest

import visard

pytestmark = pytest.mark.slow
RNG = np.random.default_rng(17)


def spd(n, k):
    a = RNG.normal(size=(n, k, 2 * k))
    return a @ a.transpose(0, 2, 1) / (2 * k)


def test_matrices_against_pyriemann():
    base = pytest.importorskip("pyriemann.utils.base")
    distance = pytest.importorskip("pyriemann.utils.distance")
    mean = pytest.importorskip("pyriemann.utils.mean")
    X = spd(120, 7)
    names = {
        "affine-invariant": (distance.distance_riemann, lambda: mean.mean_riemann(X, tol=1e-12, maxiter=500)),
        "log-euclidean": (distance.distance_logeuclid, lambda: mean.mean_logeuclid(X)),
        "bures-wasserstein": (distance.distance_wasserstein, lambda: mean.mean_wasserstein(X, tol=1e-12, maxiter=500)),
    }
    for metric, (distance_of, mean_of) in names.items():
        space = visard.Spd(7, metric)
        assert space.dist(X[:60], X[60:]) == pytest.approx([distance_of(a, b) for a, b in zip(X[:60], X[60:])], rel=1e-6)
        assert space.frechet_mean(X) == pytest.approx(mean_of(), rel=1e-7, abs=1e-8), metric
    flat = visard.Spd(7, "log-euclidean")
    assert flat.dist(X[0], X[1]) == pytest.approx(np.linalg.norm(base.logm(X[0]) - base.logm(X[1])), rel=1e-9)


def test_spaces_against_geomstats():
    pytest.importorskip("geomstats")
    from geomstats.geometry.hyperboloid import Hyperboloid
    from geomstats.geometry.hypersphere import Hypersphere
    from geomstats.geometry.poincare_ball import PoincareBall
    from geomstats.geometry.spd_matrices import SPDAffineMetric, SPDMatrices
    from geomstats.learning.frechet_mean import FrechetMean

    def compare(ours, theirs, X, mean_tolerance=1e-6):
        metric = theirs.metric
        p, q = X[:20], X[20:40]
        assert ours.dist(p, q) == pytest.approx(metric.dist(p, q), rel=1e-6)
        v = metric.log(q, p)
        assert ours.log(q, p) == pytest.approx(v, rel=1e-6, abs=1e-8)
        assert ours.exp(0.5 * v, p) == pytest.approx(metric.exp(0.5 * v, p), rel=1e-6, abs=1e-8)
        mean = FrechetMean(theirs)
        # Its epsilon bounds the square of the step.
        mean.set(epsilon=1e-20, max_iter=2000)
        assert ours.dist(ours.frechet_mean(X), mean.fit(X).estimate_) < mean_tolerance

    x = RNG.normal(size=(60, 4)) * 0.3 + np.eye(4)[0]
    compare(visard.Sphere(3), Hypersphere(3), x / np.linalg.norm(x, axis=1, keepdims=True))
    y = RNG.normal(size=(60, 3)) * 0.5
    compare(visard.Hyperbolic(3, "lorentz"), Hyperboloid(3), np.column_stack([np.sqrt(1 + (y**2).sum(1)), y]))
    compare(visard.Hyperbolic(3), PoincareBall(3), 0.5 * np.tanh(y), 1e-4)
    space = SPDMatrices(4, equip=False).equip_with_metric(SPDAffineMetric) or None
    theirs = SPDMatrices(4, equip=False)
    theirs.equip_with_metric(SPDAffineMetric)
    compare(visard.Spd(4), theirs if space is None else space, spd(60, 4))


def test_shapes_against_geomstats():
    pytest.importorskip("geomstats")
    from geomstats.geometry.pre_shape import PreShapeSpace

    X = RNG.normal(size=(9, 2)) + 0.3 * RNG.normal(size=(40, 9, 2))
    theirs = PreShapeSpace(9, 2)
    theirs.equip_with_group_action("rotations")
    theirs.equip_with_quotient()
    points = theirs.projection(X)
    found = theirs.quotient.metric.dist(points[:20], points[20:])
    assert visard.Kendall(9).dist(X[:20], X[20:]) == pytest.approx(found, rel=1e-6)


def test_budgets_against_dp_accounting():
    accounting = pytest.importorskip("dp_accounting")
    from dp_accounting.pld import privacy_loss_distribution as pld

    for mu in (0.3, 1.0, 2.5):
        exact = pld.from_gaussian_mechanism(1 / mu, value_discretization_interval=1e-4)
        for delta in (1e-5, 1e-8):
            theirs = exact.get_epsilon_for_delta(delta)
            assert visard.Mu(mu).epsilon(delta) == pytest.approx(theirs, rel=2e-3)
    sigma = accounting.get_sigma_gaussian(1.0, 1e-6) if hasattr(accounting, "get_sigma_gaussian") else None
    if sigma is not None:
        assert visard.calibrate(sensitivity=1, epsilon=1, delta=1e-6) == pytest.approx(sigma, rel=1e-4)
    mixed = visard.compose(mu=[0.5, 1.2], delta=1e-6)
    theirs = pld.from_gaussian_mechanism(2.0, value_discretization_interval=1e-4).compose(
        pld.from_gaussian_mechanism(1 / 1.2, value_discretization_interval=1e-4)
    )
    assert mixed.epsilon == pytest.approx(theirs.get_epsilon_for_delta(1e-6), rel=2e-3)
    pure = visard.compose(epsilon=[0.4, 0.6]).loss["epsilon"]
    assert pure == pytest.approx(1.0)


def test_budgets_against_opendp():
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib")
    space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    gaussian, wide = (dp.m.make_gaussian(*space, scale=scale) for scale in (2.0, 1 / 1.2))
    both = dp.c.make_composition([gaussian, wide])
    # Gaussian noise of scale 1/mu is mu-GDP and mu²/2-zCDP; from zCDP their epsilon and ours are one formula's, from GDP ours is exact and less.
    for noise, mu in ((gaussian, [0.5]), (wide, [1.2]), (both, [0.5, 1.2])):
        rho = noise.map(1.0)
        assert rho == pytest.approx(visard.compose(mu=mu).loss["mu"] ** 2 / 2, rel=1e-9)
        for delta in (1e-5, 1e-8):
            theirs = dp.c.make_zCDP_to_approxDP(noise).map(1.0).epsilon(delta)
            assert visard.compose(rho=[rho], delta=delta).epsilon == pytest.approx(theirs, rel=1e-6)
            assert 0.8 * theirs < visard.compose(mu=mu, delta=delta).epsilon < theirs
    laplaces = dp.c.make_composition([dp.m.make_laplace(*space, scale=scale) for scale in (2.0, 4.0)])
    assert visard.compose(epsilon=[0.5, 0.25]).loss["epsilon"] == pytest.approx(laplaces.map(1.0), rel=1e-9)


def test_meshes_against_trimesh(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    mesh = visard.Template().mesh
    for ending in ("ply", "obj", "stl"):
        file = tmp_path / f"face.{ending}"
        mesh.to_trimesh().export(file)
        ours, theirs = visard.read_scan(file), trimesh.load(file, process=ending == "stl")
        assert len(ours.triangles) == len(theirs.faces)
        assert ours.to_trimesh().area == pytest.approx(theirs.area, rel=1e-5)
    mesh.save(tmp_path / "ours.ply")
    assert trimesh.load(tmp_path / "ours.ply", process=False).vertices == pytest.approx(mesh.vertices, abs=1e-4)
    # Delaunay triangles of a surface are those of its projection where it is flat.
    flat = np.column_stack([RNG.uniform(size=(400, 2)), np.zeros(400)])
    made = visard.mesh(flat).to_trimesh()
    from scipy.spatial import ConvexHull

    assert made.area == pytest.approx(ConvexHull(flat[:, :2]).volume, rel=0.1)
    assert made.euler_number == 1
