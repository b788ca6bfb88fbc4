"""Processor seconds of Fréchet means, ours and our peers', in one process on one thread, to the same tolerance where a peer has one.

    python python/benches/means.py
"""

import os

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


def timed(call, seconds=3.0):
    """The fewest processor seconds of several runs (what others do on the machine moves these less than the clock), and the last result."""
    best, start = np.inf, time.perf_counter()
    while True:
        began = time.process_time()
        found = call()
        best = min(best, time.process_time() - began)
        if time.perf_counter() - start > seconds:
            return best, found


def row(what, space, X, peers):
    ours, mean = timed(lambda: space.frechet_mean(X))
    norm = np.linalg.norm(space.log(X, mean).mean(0))
    print(f"{what}: visard {ours:.4f} s (|mean log| {norm:.0e})")
    for name, call in peers.items():
        try:
            theirs, other = timed(call)
            norm = np.linalg.norm(space.log(X, np.asarray(other)).mean(0))
            print(f"    {name} {theirs:.4f} s (|mean log| {norm:.0e}): {theirs / ours:.1f} times as long, {space.dist(mean, other):.0e} away")
        except Exception as error:
            print(f"    {name}: {type(error).__name__}: {error}")


def geomstats_mean(space, X, epsilon=1e-20, iterations=256):
    from geomstats.learning.frechet_mean import FrechetMean

    estimator = FrechetMean(space)
    # Its epsilon bounds the square of the step.
    estimator.set(epsilon=epsilon, max_iter=iterations)
    return estimator.fit(X).estimate_


def main():
    from geomstats.geometry.hyperboloid import Hyperboloid
    from geomstats.geometry.hypersphere import Hypersphere
    from geomstats.geometry.pre_shape import PreShapeSpace
    from geomstats.geometry.spd_matrices import SPDAffineMetric, SPDLogEuclideanMetric, SPDMatrices
    from pyriemann.utils.mean import mean_logeuclid, mean_riemann, mean_wasserstein

    a = RNG.normal(size=(10_000, 11, 22))
    X = a @ a.transpose(0, 2, 1) / 22
    affine, flat = SPDMatrices(11, equip=False), SPDMatrices(11, equip=False)
    affine.equip_with_metric(SPDAffineMetric)
    flat.equip_with_metric(SPDLogEuclideanMetric)
    row("SPD 10000 x 11 x 11, affine-invariant", visard.Spd(11), X, {
        "pyriemann (1e-10)": lambda: mean_riemann(X, tol=1e-10),
        "pyriemann (its default)": lambda: mean_riemann(X),
        "geomstats": lambda: geomstats_mean(affine, X),
    })
    row("SPD 10000 x 11 x 11, log-Euclidean", visard.Spd(11, "log-euclidean"), X, {
        "pyriemann": lambda: mean_logeuclid(X),
        "geomstats": lambda: geomstats_mean(flat, X),
    })
    row("SPD 10000 x 11 x 11, Bures-Wasserstein", visard.Spd(11, "bures-wasserstein"), X, {
        "pyriemann (1e-10)": lambda: mean_wasserstein(X, tol=1e-10),
    })
    shapes = RNG.normal(size=(50, 2)) + 0.2 * RNG.normal(size=(400, 50, 2))
    kendall = PreShapeSpace(50, 2)
    kendall.equip_with_group_action("rotations")
    kendall.equip_with_quotient()
    points = kendall.projection(shapes)
    row("Kendall 400 x 50", visard.Kendall(50), shapes, {"geomstats": lambda: geomstats_mean(kendall.quotient, points)})
    x = RNG.normal(size=(10_000, 3)) * 0.4 + np.eye(3)[0]
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    row("sphere 10000 x 3", visard.Sphere(2), x, {"geomstats": lambda: geomstats_mean(Hypersphere(2), x)})
    y = 0.5 * RNG.normal(size=(10_000, 3))
    y = np.column_stack([np.sqrt(1 + (y**2).sum(1)), y])
    row("hyperbolic 10000 x 3", visard.Hyperbolic(3, "lorentz"), y, {"geomstats": lambda: geomstats_mean(Hyperboloid(3), y)})
    p, q, space = x[0], x[1], visard.Sphere(2)
    calls = 20_000
    began = time.process_time()
    for _ in range(calls):
        space.dist(p, q)
    print(f"a call (distance of two points): {1e6 * (time.process_time() - began) / calls:.1f} us")


if __name__ == "__main__":
    main()
