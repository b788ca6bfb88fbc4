"""Private statistics of points of manifolds, and private optimization: the same studies as the command's.

Records are arrays, or files that the command reads. A public ball bounds them: its centre and radius are chosen without looking at the
records, or for a mean estimated from them and paid for ("private").
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from ._arrays import PathLike
from ._errors import InputError
from ._inputs import CovariateOptions, Records, StudyOptions, array, study
from ._progress import Progress
from ._release import PointComparison, PointMean, PointModes, PointRegression, Solution

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = [
    "PointOptions",
    "SpdOptions",
    "hyperbolic_compare",
    "hyperbolic_mean",
    "hyperbolic_modes",
    "hyperbolic_regress",
    "optimize",
    "spd_compare",
    "spd_mean",
    "spd_modes",
    "spd_regress",
    "sphere_compare",
    "sphere_mean",
    "sphere_modes",
    "sphere_regress",
]


class PointOptions(StudyOptions, total=False):
    """What modes, regression and comparison of points may be told, by name, with what :class:`StudyOptions` has."""

    #: How far points may lie from the centre, a public distance; records beyond it are clipped to it. A release needs it.
    radius: float | None
    #: One public point, a file, or "private": estimated and paid for; in hyperbolic space and for matrices the origin or the identity if none is given.
    center: ArrayLike | PathLike | None


class SpdOptions(PointOptions, total=False):
    """As of points; `radius` may be "descriptor", the ball of all covariance descriptors."""

    #: "log-euclidean" (the default) or "affine-invariant".
    metric: str
    #: With `center="private"`: public radius about the identity that holds the centre, or "descriptor".
    first_radius: float | str | None


class HyperbolicOptions(PointOptions, total=False):
    """As of points."""

    #: "poincare" (the default) or "lorentz".
    model: str
    #: With `center="private"`: public radius about the origin that holds the centre.
    first_radius: float | None


class SpdRegressOptions(SpdOptions, CovariateOptions, total=False):
    """Of a regression of matrices."""


class SphereRegressOptions(PointOptions, CovariateOptions, total=False):
    """Of a regression of directions."""


class HyperbolicRegressOptions(HyperbolicOptions, CovariateOptions, total=False):
    """Of a regression of hyperbolic points."""


def _matrices(X: Any) -> Records:
    return array(X, ("n", "k", "k"))


def _rows(X: Any) -> Records:
    return array(X, ("n", "d"))


def spd_mean(
    X: ArrayLike | PathLike,
    *,
    radius: float | str | None = None,
    metric: str = "log-euclidean",
    mechanism: str | None = None,
    center: ArrayLike | PathLike | None = None,
    first_radius: float | str | None = None,
    calibration: str = "analytic",
    draws: int = 1,
    mu: float | None = None,
    out: PathLike | None = None,
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
    **options : other budgets, ledger, seed, what is done with records that cannot be used; see :class:`StudyOptions`.
    """
    return study(PointMean, "spd mean", _matrices(X), locals())


def spd_modes(
    X: ArrayLike | PathLike,
    *,
    modes: int = 5,
    mu: float | None = None,
    out: PathLike | None = None,
    **options: Unpack[SpdOptions],
) -> PointModes:
    """The mean of matrices and at most `modes` (1 to 200) private modes of variation, symmetric matrices in the tangent space; only modes above
    the noise are released; `visard spd modes`.

    >>> import numpy as np, tempfile
    >>> a = np.random.default_rng(1).normal(size=(300, 2, 6))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     release = spd_modes(a @ a.transpose(0, 2, 1) / 6, radius=2, mu=2, out=folder + "/study")
    ...     release.mean.shape, release.modes.shape[1:]
    ((2, 2), (2, 2))
    """
    return study(PointModes, "spd modes", _matrices(X), locals())


def spd_regress(
    X: ArrayLike | PathLike,
    covariates: Any,
    *,
    mu: float | None = None,
    out: PathLike | None = None,
    **options: Unpack[SpdRegressOptions],
) -> PointRegression:
    """Matrices on covariates; `visard spd regress`. `covariates` as for :func:`face_regress`; see also :class:`CovariateOptions`."""
    return study(PointRegression, "spd regress", _matrices(X), locals())


def spd_compare(
    X: ArrayLike | PathLike,
    groups: Any,
    *,
    want: str = "both",
    mu: float | None = None,
    out: PathLike | None = None,
    **options: Unpack[SpdOptions],
) -> PointComparison:
    """Groups of matrices: their means, where they differ, and whether they do; `visard spd compare`. `groups` and `want` as for
    :func:`face_compare`."""
    return study(PointComparison, "spd compare", _matrices(X), locals())


def sphere_mean(
    X: ArrayLike | PathLike,
    *,
    radius: float | None = None,
    center: ArrayLike | PathLike | None = None,
    mechanism: str | None = None,
    calibration: str = "analytic",
    draws: int = 1,
    mu: float | None = None,
    out: PathLike | None = None,
    **options: Unpack[StudyOptions],
) -> PointMean:
    """A private mean direction; `visard sphere mean`.

    `X`: unit vectors (n, d + 1), or a file. `radius`: public radius in radians. `center`: one public direction, a file, or "private":
    estimated and paid for. A release needs both; mechanism="none" neither. Other parameters as for :func:`spd_mean`.
    """
    return study(PointMean, "sphere mean", _rows(X), locals())


def sphere_modes(
    X: ArrayLike | PathLike,
    *,
    modes: int = 5,
    mu: float | None = None,
    out: PathLike | None = None,
    **options: Unpack[PointOptions],
) -> PointModes:
    """The mean direction and private modes of variation, tangent vectors; `visard sphere modes`. Parameters as for :func:`spd_modes`."""
    return study(PointModes, "sphere modes", _rows(X), locals())


def sphere_regress(
    X: ArrayLike | PathLike,
    covariates: Any,
    *,
    mu: float | None = None,
    out: PathLike | None = None,
    **options: Unpack[SphereRegressOptions],
) -> PointRegression:
    """Directions on covariates; `visard sphere regress`. Parameters as for :func:`spd_regress`."""
    return study(PointRegression, "sphere regress", _rows(X), locals())


def sphere_compare(
    X: ArrayLike | PathLike,
    groups: Any,
    *,
    want: str = "both",
    mu: float | None = None,
    out: PathLike | None = None,
    **options: Unpack[PointOptions],
) -> PointComparison:
    """Groups of directions; `visard sphere compare`. Parameters as for :func:`spd_compare`."""
    return study(PointComparison, "sphere compare", _rows(X), locals())


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
    mu: float | None = None,
    out: PathLike | None = None,
    **options: Unpack[StudyOptions],
) -> PointMean:
    """A private mean of points of hyperbolic space; `visard hyperbolic mean`.

    `X`: points (n, d) of the Poincaré ball, or (n, d + 1) of the hyperboloid (`model="lorentz"`), or a file. `radius`: public hyperbolic
    radius, needed for a release. `center`: one public point, a file, or "private": estimated within `first_radius` of the origin and paid for; None: the origin.
    Other parameters as for :func:`spd_mean`.
    """
    return study(PointMean, "hyperbolic mean", _rows(X), locals())


def hyperbolic_modes(
    X: ArrayLike | PathLike,
    *,
    modes: int = 5,
    mu: float | None = None,
    out: PathLike | None = None,
    **options: Unpack[HyperbolicOptions],
) -> PointModes:
    """The mean of hyperbolic points and private modes of variation, tangent vectors; `visard hyperbolic modes`. Parameters as for
    :func:`spd_modes`."""
    return study(PointModes, "hyperbolic modes", _rows(X), locals())


def hyperbolic_regress(
    X: ArrayLike | PathLike,
    covariates: Any,
    *,
    mu: float | None = None,
    out: PathLike | None = None,
    **options: Unpack[HyperbolicRegressOptions],
) -> PointRegression:
    """Hyperbolic points on covariates; `visard hyperbolic regress`. Parameters as for :func:`spd_regress`."""
    return study(PointRegression, "hyperbolic regress", _rows(X), locals())


def hyperbolic_compare(
    X: ArrayLike | PathLike,
    groups: Any,
    *,
    want: str = "both",
    mu: float | None = None,
    out: PathLike | None = None,
    **options: Unpack[HyperbolicOptions],
) -> PointComparison:
    """Groups of hyperbolic points; `visard hyperbolic compare`. Parameters as for :func:`spd_compare`."""
    return study(PointComparison, "hyperbolic compare", _rows(X), locals())


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
    progress: Progress = False,
    mu: float | None = None,
    out: PathLike | None = None,
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
    """
    if task not in ("frechet-mean", "eigenvector", "subspace"):
        raise InputError(f"task: {task!r} is none of frechet-mean, eigenvector, subspace")
    given = locals()
    # Where the command has other names.
    del given["task"]
    given["split"] = given.pop("share")
    if task == "subspace":
        given["manifold"] = given.pop("space")
    return study(Solution, f"optimize {task}", array(X, ("...",)), given)
