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
from ._arrays import PathLike
from ._errors import InputError
from ._inputs import Inputs, StudyOptions, budget, as_radius, in_order, one_record, points_options, warned
from ._progress import Progress, watch
from ._release import PointMean, Solution

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["hyperbolic_mean", "optimize", "spd_mean", "sphere_mean"]


def spd_mean(
    X: ArrayLike | PathLike,
    *,
    radius: float | str | None = None,
    metric: str = "log-euclidean",
    mechanism: str | None = None,
    center: ArrayLike | PathLike | None = None,
    first_radius: float | None = None,
    calibration: str = "analytic",
    draws: int = 1,
    unusable: str = "zero",
    **options: Unpack[StudyOptions],
) -> PointMean:
    """A private mean of symmetric positive definite matrices; `visard spd mean`.

    Parameters
    ----------
    X : matrices (n, k, k), or an NPY file.
    radius : public radius of the ball that bounds them, or "descriptor": the ball of all covariance descriptors (k = 9 or 11). A release
        needs it; mechanism="none" does not.
    metric : "log-euclidean" or "affine-invariant".
    mechanism : None (the least noise at the budget), "tangent-gaussian", "tangent-laplace", "riemannian-gaussian", "laplace", "kng",
        "extrinsic", or "none".
    center : one public matrix (k, k), a file, or "private": estimated within `first_radius` of the identity and paid for; None: the identity.
    calibration : "analytic" or "classical" Gaussian noise for (ε, δ).
    draws : independent draws, each charged.
    unusable : "zero": records that cannot be used (NaN, off the space) contribute zero; "refuse": they stop the study before its charge, and
        the certificate says so.
    **options : budget, place, ledger, seed; see :class:`StudyOptions`.
    """
    descriptor = radius == "descriptor"
    if isinstance(radius, str) and not descriptor:
        raise InputError(f'radius: {radius!r} is neither a number nor "descriptor"')
    private = _is_private(center)
    if descriptor and center is not None:
        raise InputError('center, radius: the ball of all descriptors has its own centre; leave center out, or give a radius')
    with Inputs() as inputs:
        file = inputs.array("X", X, ("n", "k", "k"), "matrices.npy", finite=unusable == "refuse")
        paid = budget(inputs, options, in_order(X), free=mechanism == "none")
        public = None if center is None or private else one_record("center", center)
        told = _visard.spd_mean(
            paid.options,
            points_options(mechanism, calibration, draws, unusable),
            file,
            metric,
            None if public is None else inputs.array("center", public, ("n", "k", "k"), "center.npy"),
            private,
            None if descriptor else as_radius("radius", radius),
            first_radius,
            int(np.load(file, mmap_mode="r").shape[-1]) if descriptor else None,
        )
    return warned(PointMean(json.loads(told), paid.keep))


def sphere_mean(
    X: ArrayLike | PathLike,
    *,
    radius: float | None = None,
    center: ArrayLike | PathLike | None = None,
    mechanism: str | None = None,
    calibration: str = "analytic",
    draws: int = 1,
    unusable: str = "zero",
    **options: Unpack[StudyOptions],
) -> PointMean:
    """A private mean direction; `visard sphere mean`.

    `X`: unit vectors (n, d + 1), or a file. `radius`: public radius in radians. `center`: one public direction, a file, or "private":
    estimated and paid for. A release needs both; mechanism="none" neither. Other parameters as for :func:`spd_mean`.
    """
    points = points_options(mechanism, calibration, draws, unusable)
    return _vectors("sphere", X, radius, center, None, points, options)


def hyperbolic_mean(
    X: ArrayLike | PathLike,
    *,
    radius: float | None = None,
    center: ArrayLike | PathLike | None = None,
    first_radius: float | None = None,
    model: str = "poincare",
    mechanism: str | None = None,
    calibration: str = "analytic",
    draws: int = 1,
    unusable: str = "zero",
    **options: Unpack[StudyOptions],
) -> PointMean:
    """A private mean of points of hyperbolic space; `visard hyperbolic mean`.

    `X`: points (n, d) of the Poincaré ball, or (n, d + 1) of the hyperboloid (`model="lorentz"`), or a file. `radius`: public hyperbolic
    radius, needed for a release. `center`: one public point, a file, or "private": estimated within `first_radius` of the origin and paid for; None: the origin.
    Other parameters as for :func:`spd_mean`.
    """
    if model not in ("poincare", "lorentz"):
        raise InputError(f"model: {model!r} is none of poincare, lorentz")
    points = points_options(mechanism, calibration, draws, unusable)
    return _vectors(model, X, radius, center, first_radius, points, options)


def _vectors(
    space: str, X: Any, radius: float | None, center: Any, first_radius: float | None, points: dict[str, Any], options: StudyOptions
) -> PointMean:
    private = _is_private(center)
    with Inputs() as inputs:
        file = inputs.array("X", X, ("n", "d"), "points.npy", finite=points["unusable"] == "refuse")
        paid = budget(inputs, options, in_order(X), free=points["mechanism"] == "none")
        public = None if center is None or private else one_record("center", center)
        told = _visard.vector_mean(
            paid.options,
            points,
            file,
            space,
            None if public is None else inputs.array("center", public, ("n", "d"), "center.npy"),
            private,
            as_radius("radius", radius),
            first_radius,
        )
    return warned(PointMean(json.loads(told), paid.keep))


def optimize(
    task: str,
    X: ArrayLike | PathLike,
    *,
    clip_radius: float | None = None,
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
    unusable: str = "zero",
    progress: Progress = False,
    **options: Unpack[StudyOptions],
) -> Solution:
    """Private Riemannian optimization; `visard optimize`.

    Parameters
    ----------
    task : "frechet-mean" (on `space` "affine-invariant", "log-euclidean", "bures-wasserstein", "sphere", "poincare" or "lorentz"),
        "eigenvector", or "subspace" (of dimension `rank`; on `space` "grassmann" or "stiefel").
    X : the records, one along the first axis, or an NPY file.
    clip_radius : public bound on the length of one record's gradient, or for "moment" of one record; longer ones are clipped. Only "moment"
        with `unit_records` needs none.
    method : "rgd" (full gradients; the budget may be a μ), "rsgd", "rsvrg" (sampled batches; ε and δ), or "moment": principal components
        ("eigenvector", "subspace") at one stroke, read off the noised second moment of all records; far more exact, and makes no steps.
    steps : of rgd (20) and rsgd (500); rsvrg counts by `epochs`, `inner` and `restarts`.
    batch, sampling : records in a batch, drawn by "poisson" or "without-replacement".
    correction, correction_bound, share : how corrections of rsvrg are bounded ("lipschitz", "separate", "difference"), and the anchors' share
        of the noise (None: optimized).
    step, step_delay : step size (0.5 for rgd, else 0.1), falling like 1/(1 + t/step_delay).
    output : "last", "random" or "tail-mean".
    domain, longest_step, tolerance : the iterates' distance from the start, the length of a noised step, when to stop (the cost stays).
    start : a public start point.
    unit_records : scales every record to unit length first.
    unusable : "zero": records without a gradient (off the manifold, NaN, without a direction) contribute zero; "refuse": they stop the study.
    """
    with Inputs() as inputs, watch(progress) as shown:
        paid = budget(inputs, options, in_order(X))
        descent = {
            "method": method,
            "clip_radius": as_radius("clip_radius", clip_radius),
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
            "unusable": unusable,
        }
        file = inputs.array("X", X, ("...",), "records.npy", finite=unusable == "refuse")
        told = _visard.optimize(paid.options, file, task, space, rank, descent, shown)
    return warned(Solution(json.loads(told), paid.keep))


def _is_private(center: Any) -> bool:
    return isinstance(center, str) and center == "private"
