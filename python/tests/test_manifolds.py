"""Manifolds against formulas written down anew here, and against their laws."""

import threading
import time

import numpy as np
import pytest
import scipy.linalg

import visard

RNG = np.random.default_rng(11)


def spd(n, k):
    a = RNG.normal(size=(n, k, 2 * k))
    return a @ a.transpose(0, 2, 1) / (2 * k)


def ball(n, d):
    x = RNG.normal(size=(n, d))
    return 0.8 * RNG.uniform(size=(n, 1)) * x / np.linalg.norm(x, axis=1, keepdims=True)


def sphere(n, d):
    x = RNG.normal(size=(n, d + 1)) * 0.3 + np.eye(d + 1)[0]
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def hyperboloid(n, d):
    x = RNG.normal(size=(n, d))
    return np.column_stack([np.sqrt(1 + (x**2).sum(1)), x])


def configurations(n, k):
    return RNG.normal(size=(k, 2)) + 0.3 * RNG.normal(size=(n, k, 2))


SPACES = [
    (visard.Spd(4), spd(90, 4)),
    (visard.Spd(4, "log-euclidean"), spd(90, 4)),
    (visard.Spd(4, "bures-wasserstein"), spd(90, 4)),
    (visard.Sphere(3), sphere(90, 3)),
    (visard.Hyperbolic(3), ball(90, 3)),
    (visard.Hyperbolic(3, "lorentz"), hyperboloid(90, 3)),
    (visard.Kendall(6), configurations(90, 6)),
    (visard.Kendall(6, 3), RNG.normal(size=(6, 3)) + 0.2 * RNG.normal(size=(90, 6, 3))),
]
NAMES = [repr(space) for space, _ in SPACES]


@pytest.mark.parametrize(("space", "X"), SPACES, ids=NAMES)
def test_laws(space, X):
    p, q = X[:45], X[45:]
    v = space.log(q, p)
    assert v.shape == p.shape
    assert space.dist(space.exp(v, p), q) == pytest.approx(0, abs=1e-7)
    assert space.dist(p, q) == pytest.approx(space.dist(q, p), rel=1e-9)
    assert np.all(space.dist(X[0], q) <= space.dist(X[0], X[1]) + space.dist(X[1], q) + 1e-12)
    # One point and a batch; one and one.
    assert space.dist(X[0], q)[3] == pytest.approx(space.dist(X[0], q[3]), rel=1e-12)
    assert isinstance(space.dist(X[0], X[1]), float)
    assert space.belongs(space.exp(v[0], p[0])) is True
    assert space.exp(v[0], p[0]).shape == space.shape


@pytest.mark.parametrize(("space", "X"), SPACES, ids=NAMES)
def test_mean_is_stationary_and_the_same_with_weights(space, X):
    mean = space.frechet_mean(X)
    logs = space.log(X, mean)
    assert mean.shape == space.shape
    scale = np.abs(logs).mean()
    assert np.abs(logs.mean(0)).max() < 1e-9 * max(1, scale)
    doubled = space.frechet_mean(np.concatenate([X, X[:30]]))
    weights = np.ones(len(X))
    weights[:30] = 2
    assert space.dist(doubled, space.frechet_mean(X, weights=weights)) < 1e-8


def test_distances_against_formulas():
    X = spd(40, 5)
    affine = [np.linalg.norm(np.log(scipy.linalg.eigh(b, a, eigvals_only=True))) for a, b in zip(X[:20], X[20:])]
    assert visard.Spd(5).dist(X[:20], X[20:]) == pytest.approx(affine, rel=1e-10)
    flat = [np.linalg.norm(scipy.linalg.logm(a) - scipy.linalg.logm(b)) for a, b in zip(X[:20], X[20:])]
    assert visard.Spd(5, "log-euclidean").dist(X[:20], X[20:]) == pytest.approx(flat, rel=1e-9)
    roots = [np.trace(a + b - 2 * scipy.linalg.sqrtm(scipy.linalg.sqrtm(a) @ b @ scipy.linalg.sqrtm(a)).real) for a, b in zip(X[:20], X[20:])]
    assert visard.Spd(5, "bures-wasserstein").dist(X[:20], X[20:]) == pytest.approx(np.sqrt(roots), rel=1e-6)
    z = ball(20, 3)
    a, b = z[:10], z[10:]
    ratio = 1 + 2 * ((a - b) ** 2).sum(1) / ((1 - (a**2).sum(1)) * (1 - (b**2).sum(1)))
    assert visard.Hyperbolic(3).dist(a, b) == pytest.approx(np.arccosh(ratio), rel=1e-9)
    w = configurations(20, 7)
    c = (w - w.mean(1, keepdims=True)) @ np.array([1, 1j])
    c /= np.linalg.norm(c, axis=1, keepdims=True)
    angle = np.arccos(np.abs((c[:10].conj() * c[10:]).sum(1)))
    assert visard.Kendall(7).dist(w[:10], w[10:]) == pytest.approx(angle, rel=1e-9)


def test_log_euclidean_mean_is_the_exponential_of_the_mean_logarithm():
    X = spd(50, 4)
    expected = scipy.linalg.expm(np.mean([scipy.linalg.logm(x) for x in X], axis=0))
    assert visard.Spd(4, "log-euclidean").frechet_mean(X) == pytest.approx(expected, rel=1e-9)


def test_what_is_not_reached_is_no_result():
    X = spd(40, 4)
    with pytest.raises(visard.NotConvergedError, match="after 1 steps"):
        visard.Spd(4).frechet_mean(X, max_iter=1)


def test_lists_and_other_layouts_give_the_same():
    X, space = spd(30, 3), visard.Spd(3)
    expected = space.frechet_mean(X)
    read_only = X.copy()
    read_only.setflags(write=False)
    for same in (X.tolist(), np.asfortranarray(X), np.repeat(X, 2, axis=0)[::2], read_only, X.astype(object)):
        np.testing.assert_array_equal(space.frechet_mean(same), expected)
    assert visard.Sphere(1).dist([1, 0], [0, 1]) == pytest.approx(np.pi / 2)
    narrow = space.frechet_mean(X.astype(np.float32).astype(np.float64))
    np.testing.assert_array_equal(space.frechet_mean(X.astype(np.float32)), narrow)


BAD = [
    ("X", [[1.0, 2.0]], "shape"),
    ("X", [], "shape|empty"),
    ("X", np.zeros((0, 2, 2)), "empty"),
    ("X", [np.eye(2), np.full((2, 2), np.nan)], r"no finite number at \[1, 0, 0\]"),
    ("X", [np.eye(2), np.eye(3)], "array|lengths"),
    ("X", [np.eye(2), "words"], "array|objects|lengths"),
    ("X", np.array([[["a", "b"], ["c", "d"]]]), "expected numbers"),
    ("X", np.eye(2)[None] * 1j, "expected numbers"),
    ("X", np.array([[[True, False], [False, True]]]), "expected numbers"),
    ("X", None, "objects|shape|numbers"),
    ("X", np.array([[[None, 1], [1, None]]]), "objects|finite"),
    ("X", [np.eye(2), -np.eye(2)], r"\[1\]: .*not positive definite"),
    ("X", [np.eye(2), [[1, 0.5], [0, 1]]], r"\[1\]: .*symmetric"),
    ("X", np.ma.masked_array(np.eye(2)[None], mask=[[[1, 0], [0, 0]]]), "masked"),
    ("X", np.eye(2)[None, None], "shape|expected"),
]


@pytest.mark.parametrize(("name", "value", "said"), BAD)
def test_bad_points_are_named(name, value, said):
    with pytest.raises(visard.InputError, match=f"(?s){name}.*({said})") as caught:
        visard.Spd(2).frechet_mean(value)
    assert isinstance(caught.value, ValueError) and isinstance(caught.value, RuntimeError)


def test_bad_arguments_are_named():
    space = visard.Spd(2)
    with pytest.raises(visard.InputError, match="weights: expected an array of shape"):
        space.frechet_mean([np.eye(2)] * 3, weights=[1, 2])
    with pytest.raises(visard.InputError, match="weight"):
        space.frechet_mean([np.eye(2)] * 3, weights=[-1, 1, 1])
    with pytest.raises(visard.InputError, match="tol"):
        space.frechet_mean([np.eye(2)] * 3, tol=0)
    with pytest.raises(visard.InputError, match="point_b"):
        space.dist(np.eye(2), np.zeros((2, 2)))
    with pytest.raises(visard.InputError, match="2 and 3 points"):
        space.dist([np.eye(2)] * 2, [np.eye(2)] * 3)
    with pytest.raises(visard.InputError, match="cut locus"):
        visard.Sphere(1).log([-1, 0], [1, 0])
    with pytest.raises(visard.InputError, match="metric"):
        visard.Spd(2, metric="euclidean")
    for size in (0, -1, 2.5, True, "2"):
        with pytest.raises(visard.InputError):
            visard.Spd(size)
    assert space.belongs([np.eye(2), -np.eye(2), np.full((2, 2), np.inf)]).tolist() == [True, False, False]


def test_shapes_in_space():
    space = visard.Kendall(8, 3)
    X = RNG.normal(size=(8, 3)) + 0.2 * RNG.normal(size=(40, 8, 3))
    turn = np.linalg.qr(RNG.normal(size=(3, 3)))[0]
    turn *= np.linalg.det(turn)
    assert space.dim == 17
    assert space.dist(X, 3 * X @ turn + 2) == pytest.approx(0, abs=1e-12)
    z = X - X.mean(1, keepdims=True)
    z /= np.linalg.norm(z, axis=(1, 2), keepdims=True)
    u, s, v = np.linalg.svd(z[:20].transpose(0, 2, 1) @ z[20:])
    cosine = s[:, 0] + s[:, 1] + np.linalg.det(u @ v) * s[:, 2]
    assert space.dist(X[:20], X[20:]) == pytest.approx(np.arccos(cosine), rel=1e-9)
    logs = space.log(X[20:], X[:20])
    assert space.dist(space.exp(logs, X[:20]), X[20:]) == pytest.approx(0, abs=1e-12)
    mean = space.frechet_mean(X)
    assert np.abs(space.log(X, mean).mean(0)).max() < 1e-10
    with pytest.raises(visard.InputError, match=r"X\[1\]: .*one place"):
        space.frechet_mean([X[0], np.ones((8, 3))])


def test_arrays_are_not_copied_and_threads_go_on():
    space = visard.Spd(12)
    X = spd(20_000, 12)
    rows, _ = space._rows("X", X)
    assert np.shares_memory(rows, X)
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    beside = threading.Thread(target=tick)
    beside.start()
    began = time.perf_counter()
    space.log(X[1:], X[:-1])
    ended = time.perf_counter()
    done.set()
    beside.join()
    # Without the lock the other thread could not have gone on.
    assert sum(began < t < ended for t in ticks) > 5
