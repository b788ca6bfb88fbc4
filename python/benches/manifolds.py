"""Processor seconds of exp, log, dist and frechet_mean, ours and our peers', in one process on one thread, with how far the results are apart.

    python python/benches/manifolds.py [WORD]    # rows whose name holds the word

A line: what, our milliseconds, then for each peer how many times as long it takes, and the largest difference over the largest number.
"""

import os
import sys

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"):
    os.environ[name] = "1"
os.environ.setdefault("GEOMSTATS_BACKEND", "numpy")

import logging
import time
import warnings

import numpy as np

import visard

warnings.simplefilter("ignore")
logging.disable(logging.WARNING)
RNG = np.random.default_rng(1)
WORD = sys.argv[1] if len(sys.argv) > 1 else ""


def timed(call, seconds=0.4):
    """The fewest processor seconds of several runs, and the last result; three runs at least, one where a run takes long."""
    best, start, runs = np.inf, time.perf_counter(), 0
    while True:
        began = time.process_time()
        found = call()
        best, runs = min(best, time.process_time() - began), runs + 1
        if time.perf_counter() - start > seconds and (runs >= 3 or best > 1):
            return best, np.asarray(found)


def row(what, ours, peers):
    if WORD not in what:
        return
    seconds, found = timed(ours)
    words = [f"{what:<48} {1e3 * seconds:9.3f} ms"]
    for name, call in peers.items():
        try:
            theirs, other = timed(call)
            apart = np.abs(found - other).max() / np.abs(found).max()
            words.append(f"{name} {theirs / seconds:.1f}x ({apart:.0e})")
        except Exception as error:
            words.append(f"{name}: {type(error).__name__}: {str(error)[:60]}")
    print("  ".join(words), flush=True)


def mean_of(space, X):
    """geomstats' mean; its epsilon bounds the square of the step."""
    from geomstats.learning.frechet_mean import FrechetMean

    estimator = FrechetMean(space)
    estimator.set(epsilon=1e-20, max_iter=256)
    return estimator.fit(X).estimate_


def operations(name, ours, X, spaces, others=None, mean=True):
    """Rows for one space; `spaces`: geomstats' space. `others(operation, arguments)`: further peers."""
    p, q = X[: len(X) // 2], X[len(X) // 2 :]
    q = q[: len(p)]
    metric = spaces.metric
    # Towards a point half way: exponentials end within every space.
    v = 0.5 * ours.log(q, p)
    others = others or {}

    def peers(operation, call, *arguments):
        found = {"geomstats": call}
        for peer, functions in others.items():
            if operation in functions:
                found[peer] = lambda f=functions[operation]: f(*arguments)
        return found

    row(f"{name} dist", lambda: ours.dist(p, q), peers("dist", lambda: metric.dist(p, q), p, q))
    row(f"{name} log", lambda: ours.log(q, p), peers("log", lambda: metric.log(q, p), q, p))
    row(f"{name} exp", lambda: ours.exp(v, p), peers("exp", lambda: metric.exp(v, p), v, p))
    if mean:
        row(f"{name} mean", lambda: ours.frechet_mean(X), peers("mean", lambda: mean_of(spaces, X), X))


def spd(n, k):
    a = RNG.normal(size=(n, k, 2 * k))
    return a @ a.transpose(0, 2, 1) / (2 * k)


def matrices():
    from geomstats.geometry.spd_matrices import SPDAffineMetric, SPDBuresWassersteinMetric, SPDLogEuclideanMetric, SPDMatrices
    from pymanopt.manifolds import SymmetricPositiveDefinite
    from pyriemann.utils import distance, mean, tangentspace

    metrics = {
        "affine-invariant": (SPDAffineMetric, "riemann", "riemann"),
        "log-euclidean": (SPDLogEuclideanMetric, "logeuclid", "logeuclid"),
        "bures-wasserstein": (SPDBuresWassersteinMetric, "wasserstein", "wasserstein"),
    }
    for k, n in ((3, 10_000), (8, 4_000), (11, 4_000), (16, 2_000), (32, 400), (64, 60)):
        X = spd(n, k)
        for metric, (their, of_distance, of_mean) in metrics.items():
            if WORD not in f"{metric} {n} x {k} x {k} dist log exp mean":
                continue
            space = SPDMatrices(k, equip=False)
            space.equip_with_metric(their)
            average = getattr(mean, f"mean_{of_mean}")
            arguments = {} if metric == "log-euclidean" else {"tol": 1e-10, "maxiter": 200}
            pyriemann = {
                "dist": getattr(distance, f"distance_{of_distance}"),
                "mean": lambda X, f=average, a=arguments: f(X, **a),
            }
            # From and to one point: pyriemann has no pairs here.
            centre = visard.Spd(k, metric).frechet_mean(X[:50])
            maps = {m: (getattr(tangentspace, f"log_map_{m}", None), getattr(tangentspace, f"exp_map_{m}", None)) for m in ("riemann", "logeuclid", "wasserstein")}
            log_map, exp_map = maps[of_distance]
            ours = visard.Spd(k, metric)
            others = {"pyriemann": pyriemann}
            if metric == "affine-invariant":
                pairs = SymmetricPositiveDefinite(k, k=n // 2)
                others["pymanopt"] = {"log": lambda q, p: pairs.log(p, q), "exp": lambda v, p: pairs.exp(p, v)}
            name = f"{metric} {n} x {k} x {k}"
            operations(name, ours, X, space, others, mean=metric != "bures-wasserstein" or True)
            if log_map is not None:
                row(f"{name} log at one point", lambda: ours.log(X, centre), {"pyriemann": lambda: log_map(X, centre, **({"C12": True} if metric == "affine-invariant" else {}))})
            if exp_map is not None:
                V = 0.5 * ours.log(X, centre)
                row(f"{name} exp at one point", lambda: ours.exp(V, centre), {"pyriemann": lambda: exp_map(V, centre, **({"Cm12": True} if metric == "affine-invariant" else {}))})


def vectors():
    from geomstats.geometry.hyperboloid import Hyperboloid
    from geomstats.geometry.hypersphere import Hypersphere
    from geomstats.geometry.poincare_ball import PoincareBall
    from pymanopt.manifolds import Oblique

    for d, n in ((2, 10_000), (2, 1_000_000), (9, 10_000), (99, 2_000)):
        x = RNG.normal(size=(n, d + 1)) * 0.4 / np.sqrt(d / 2) + np.eye(d + 1)[0]
        x /= np.linalg.norm(x, axis=1, keepdims=True)
        oblique = Oblique(d + 1, n // 2)
        pairs = {"log": lambda q, p, o=oblique: o.log(p.T, q.T).T, "exp": lambda v, p, o=oblique: o.exp(p.T, v.T).T}
        operations(f"sphere {n} x {d + 1}", visard.Sphere(d), x, Hypersphere(d), {"pymanopt": pairs})
        y = RNG.normal(size=(n, d)) * 0.5 / np.sqrt(d / 2)
        lorentz = np.column_stack([np.sqrt(1 + (y**2).sum(1)), y])
        operations(f"hyperbolic lorentz {n} x {d + 1}", visard.Hyperbolic(d, "lorentz"), lorentz, Hyperboloid(d))
        ball = y / (1 + lorentz[:, :1])
        # geomstats' mean in the ball takes a fixed step and needs minutes.
        operations(f"hyperbolic poincare {n} x {d}", visard.Hyperbolic(d), ball, PoincareBall(d), mean=n < 100_000)


def shapes():
    from geomstats.geometry.pre_shape import PreShapeSpace

    for k, m, n in ((50, 2, 400), (10, 2, 4_000), (50, 3, 400), (10, 3, 2_000)):
        theirs = PreShapeSpace(k, m)
        theirs.equip_with_group_action("rotations")
        theirs.equip_with_quotient()
        points = theirs.projection(RNG.normal(size=(k, m)) + 0.2 * RNG.normal(size=(n, k, m)))
        try:
            ours = visard.Kendall(k) if m == 2 else visard.Kendall(k, m)
        except TypeError:
            continue
        operations(f"kendall {m}d {n} x {k}", ours, points, theirs.quotient)


if __name__ == "__main__":
    print(f"numpy {np.__version__}")
    vectors()
    shapes()
    matrices()
