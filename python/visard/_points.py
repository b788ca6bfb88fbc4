"""Private means of points of manifolds, and private optimization: the same studies as the command's.

Records are arrays, or files that the command reads. A public ball bounds them: its centre and radius are chosen without looking at the
records, or estimated from them and paid for ("private").
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from . import _visard
from ._arrays import PathLike, as_path, is_path
from ._errors import InputError
from ._faces import _count, _radius
from ._inputs import Inputs, StudyOptions, budget
from ._progress import Progress, watch
from ._release import PointMean, Solution

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["hyperbolic_mean", "optimize", "shape_mean", "spd_mean", "sphere_mean"]


def _points(mechanism: str | None, calibration: str, draws: int, drop_unusable: bool) -> dict[str, Any]:
    return {
        "mechanism": mechanism,
        "calibration": calibration,
        "draws": _count("draws", draws),
        "drop_unusable": bool(drop_unusable),
    }


def _in_order(X: Any) -> list[str] | None:
    """What the records of an array are called."""
    return None if is_path(X) else [str(i) for i in range(len(X))]


def shape_mean(
    X: ArrayLike | PathLike,
    *,
    mechanism: str | None = None,
    center: ArrayLike | PathLike | None = None,
    radius: float | str | None = None,
    public_records: PathLike | None = None,
    landmarks: int | None = None,
    drop_missing: bool = False,
    smooth: str = "none",
    calibration: str = "analytic",
    draws: int = 1,
    drop_unusable: bool = False,
    **options: Unpack[StudyOptions],
) -> PointMean:
    """A private mean shape of landmarks; `visard shape mean`.

    Parameters
    ----------
    X : landmarks (n, k, d), or a file (TPS, CSV, NPY). Landmarks that are missing are NaN, with `drop_missing`.
    mechanism : None (the least noise at the budget), "tangent-gaussian", "tangent-laplace", "riemannian-gaussian", "laplace", "kng",
        "pointwise", "pointwise-unaligned", or "none": the mean without noise, for the data holder only.
    center : one public shape (k, d), or a file; None: estimated and paid for.
    radius : a public Riemannian distance below π/8, or "private"; None: private where records and budget are enough.
    public_records : a file of public shapes, excluded from the study, whose mean is the centre.
    smooth : "none", "shrink" or "local-linear": smoothing of the release along a closed outline (free).
    draws : independent draws, each charged.
    drop_missing, drop_unusable : such records count as the centre instead of stopping the study.
    **options : budget, place, ledger, seed; see :class:`StudyOptions`.

    Raises :class:`InputError`, :class:`BudgetError`: nothing was charged.

    >>> import numpy as np, tempfile, visard
    >>> angle = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    >>> atlas = np.column_stack([1.5 * np.cos(angle), np.sin(angle)])
    >>> X = atlas + 0.02 * np.random.default_rng(1).normal(size=(200, 12, 2))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mean = visard.shape_mean(X, mu=1, center=atlas, radius=0.2, out=folder + "/study").mean
    >>> bool(visard.Kendall(12).dist(mean, atlas) < 0.05)
    True
    """
    with Inputs() as inputs:
        paid = budget(inputs, options, _in_order(X), free=mechanism == "none")
        told = _visard.shape_mean(
            paid.options,
            _points(mechanism, calibration, draws, drop_unusable),
            inputs.array("X", X, ("n", "k", "d"), "shapes.npy", finite=not (drop_missing or drop_unusable)),
            None if center is None else inputs.array("center", _one("center", center), ("n", "k", "d"), "center.npy"),
            None if public_records is None else as_path("public_records", public_records),
            _radius("radius", radius),
            None if landmarks is None else _count("landmarks", landmarks),
            bool(drop_missing),
            smooth,
        )
    return PointMean(json.loads(told), paid.keep)


def spd_mean(
    X: ArrayLike | PathLike,
    *,
    radius: float | str,
    metric: str = "log-euclidean",
    mechanism: str | None = None,
    center: ArrayLike | PathLike | None = None,
    first_radius: float | None = None,
    calibration: str = "analytic",
    draws: int = 1,
    drop_unusable: bool = False,
    **options: Unpack[StudyOptions],
) -> PointMean:
    """A private mean of symmetric positive definite matrices; `visard spd mean`.

    Parameters
    ----------
    X : matrices (n, k, k), or an NPY file.
    radius : public radius of the ball that bounds them, or "descriptor": the ball of all covariance descriptors (k = 9 or 11).
    metric : "log-euclidean" or "affine-invariant".
    mechanism : None (the least noise at the budget), "tangent-gaussian", "tangent-laplace", "riemannian-gaussian", "laplace", "kng",
        "extrinsic", or "none".
    center : one public matrix (k, k), a file, or "private": estimated within `first_radius` of the identity and paid for; None: the identity.
    calibration : "analytic" or "classical" Gaussian noise for (ε, δ).
    draws, drop_unusable, **options : as for :func:`shape_mean`.
    """
    descriptor = radius == "descriptor"
    if isinstance(radius, str) and not descriptor:
        raise InputError(f'radius: {radius!r} is neither a number nor "descriptor"')
    private = _is_private(center)
    if descriptor and center is not None:
        raise InputError('center, radius: the ball of all descriptors has its own centre; leave center out, or give a radius')
    with Inputs() as inputs:
        file = inputs.array("X", X, ("n", "k", "k"), "matrices.npy", finite=not drop_unusable)
        paid = budget(inputs, options, _in_order(X), free=mechanism == "none")
        public = None if center is None or private else _one("center", center)
        told = _visard.spd_mean(
            paid.options,
            _points(mechanism, calibration, draws, drop_unusable),
            file,
            metric,
            None if public is None else inputs.array("center", public, ("n", "k", "k"), "center.npy"),
            private,
            None if descriptor else float(radius),
            first_radius,
            int(np.load(file, mmap_mode="r").shape[-1]) if descriptor else None,
        )
    return PointMean(json.loads(told), paid.keep)


def sphere_mean(
    X: ArrayLike | PathLike,
    *,
    radius: float,
    center: ArrayLike | PathLike,
    mechanism: str | None = None,
    calibration: str = "analytic",
    draws: int = 1,
    drop_unusable: bool = False,
    **options: Unpack[StudyOptions],
) -> PointMean:
    """A private mean direction; `visard sphere mean`.

    `X`: unit vectors (n, d + 1), or a file. `radius`: public radius in radians. `center`: one public direction, a file, or "private":
    estimated and paid for. Other parameters as for :func:`spd_mean`.
    """
    points = _points(mechanism, calibration, draws, drop_unusable)
    return _vectors("sphere", X, radius, center, None, points, options)


def hyperbolic_mean(
    X: ArrayLike | PathLike,
    *,
    radius: float,
    center: ArrayLike | PathLike | None = None,
    first_radius: float | None = None,
    model: str = "poincare",
    mechanism: str | None = None,
    calibration: str = "analytic",
    draws: int = 1,
    drop_unusable: bool = False,
    **options: Unpack[StudyOptions],
) -> PointMean:
    """A private mean of points of hyperbolic space; `visard hyperbolic mean`.

    `X`: points (n, d) of the Poincaré ball, or (n, d + 1) of the hyperboloid (`model="lorentz"`), or a file. `radius`: public hyperbolic
    radius. `center`: one public point, a file, or "private": estimated within `first_radius` of the origin and paid for; None: the origin.
    Other parameters as for :func:`spd_mean`.
    """
    if model not in ("poincare", "lorentz"):
        raise InputError(f"model: {model!r} is none of poincare, lorentz")
    points = _points(mechanism, calibration, draws, drop_unusable)
    return _vectors(model, X, radius, center, first_radius, points, options)


def _vectors(
    space: str, X: Any, radius: float, center: Any, first_radius: float | None, points: dict[str, Any], options: StudyOptions
) -> PointMean:
    private = _is_private(center)
    with Inputs() as inputs:
        file = inputs.array("X", X, ("n", "d"), "points.npy", finite=not points["drop_unusable"])
        paid = budget(inputs, options, _in_order(X), free=points["mechanism"] == "none")
        public = None if center is None or private else _one("center", center)
        told = _visard.vector_mean(
            paid.options,
            points,
            file,
            space,
            None if public is None else inputs.array("center", public, ("n", "d"), "center.npy"),
            private,
            float(radius),
            first_radius,
        )
    return PointMean(json.loads(told), paid.keep)


def optimize(
    task: str,
    X: ArrayLike | PathLike,
    *,
    clip_radius: float,
    method: str = "rgd",
    space: str | None = None,
    rank: int | None = None,
    steps: int | None = None,
    epochs: int = 5,
    inner: int = 20,
    restarts: int = 1,
    batch: int = 64,
    sampling: str = "poisson",
    correction: str = "lipschitz",
    correction_bound: float = 2.0,
    share: float | None = None,
    step: float | None = None,
    step_delay: float | None = None,
    output: str | None = None,
    domain: float | None = None,
    longest_step: float | None = None,
    tolerance: float | None = None,
    start: ArrayLike | PathLike | None = None,
    unit_records: bool = False,
    drop_unusable: bool = False,
    progress: Progress = False,
    **options: Unpack[StudyOptions],
) -> Solution:
    """Private Riemannian optimization; `visard optimize`.

    Parameters
    ----------
    task : "frechet-mean" (on `space` "affine-invariant", "log-euclidean", "bures-wasserstein", "sphere", "poincare" or "lorentz"),
        "eigenvector", or "subspace" (of dimension `rank`; on `space` "grassmann" or "stiefel").
    X : the records, one along the first axis, or an NPY file.
    clip_radius : public bound on the length of one record's gradient; longer ones are clipped.
    method : "rgd" (full gradients; the budget may be a μ), "rsgd", "rsvrg" (sampled batches; ε and δ).
    steps : of rgd (20) and rsgd (500); rsvrg counts by `epochs`, `inner` and `restarts`.
    batch, sampling : records in a batch, drawn by "poisson" or "without-replacement".
    correction, correction_bound, share : how corrections of rsvrg are bounded ("lipschitz", "separate", "difference"), and the anchors' share
        of the noise (None: optimized).
    step, step_delay : step size (0.5 for rgd, else 0.1), falling like 1/(1 + t/step_delay).
    output : "last", "random" or "tail-mean".
    domain, longest_step, tolerance : the iterates' distance from the start, the length of a noised step, when to stop (the cost stays).
    start : a public start point.
    unit_records : scales every record to unit length first.
    """
    with Inputs() as inputs, watch(progress) as shown:
        paid = budget(inputs, options, _in_order(X))
        descent = {
            "method": method,
            "clip_radius": float(clip_radius),
            "steps": steps,
            "epochs": epochs,
            "inner": inner,
            "restarts": restarts,
            "batch": batch,
            "sampling": sampling,
            "correction": correction,
            "correction_bound": float(correction_bound),
            "share": share,
            "step": step,
            "step_delay": step_delay,
            "output": output,
            "domain": domain,
            "longest_step": longest_step,
            "tolerance": tolerance,
            "start": None if start is None else inputs.array("start", start, ("...",), "start.npy"),
            "unit_records": bool(unit_records),
            "drop_unusable": bool(drop_unusable),
        }
        file = inputs.array("X", X, ("...",), "records.npy", finite=not drop_unusable)
        told = _visard.optimize(paid.options, file, task, space, rank, descent, shown)
    return Solution(json.loads(told), paid.keep)


def _is_private(center: Any) -> bool:
    return isinstance(center, str) and center == "private"


def _one(name: str, value: Any) -> Any:
    """One record, as files hold one: a batch of one."""
    if is_path(value):
        return value
    array = np.asarray(value)
    if array.dtype.kind not in "fiu":
        raise InputError(f"{name}: holds {array.dtype}, expected numbers")
    return array[None]
