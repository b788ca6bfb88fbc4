"""Private statistics of landmark shapes, in the plane and in space: the same studies as the command's.

Specimens are an array (n, k, d) of k landmarks with d = 2 or 3 coordinates, or a file that the command reads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from ._arrays import PathLike
from ._inputs import Records, StudyOptions, array, study
from ._release import ShapeComparison, ShapeMean, ShapeModes, ShapeRegression

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["ShapeOptions", "shape_compare", "shape_mean", "shape_modes", "shape_regress"]


class ShapeOptions(StudyOptions, total=False):
    """What every statistic of shapes may be told, by name, with what :class:`StudyOptions` has."""

    #: One public shape (k, d), or a file; without it the centre is estimated and paid for.
    center: ArrayLike | PathLike | None
    #: How far shapes may lie from the centre, a public Riemannian distance; :func:`shape_mean` also takes "private". Default 0.18, with
    #: several public records half as much again as theirs.
    radius: float | str | None
    #: A file of public shapes, excluded from the study, whose mean is the centre.
    public_records: PathLike | None
    #: The landmarks go around a closed outline, in order, or so many, one after the other and as many landmarks on each: noise and smoothing are
    #: by frequency along them.
    outline: bool | int
    #: Landmarks of a shape, a public number, where neither a public shape nor the file's format tells.
    landmarks: int | None
    #: Coordinates of a landmark, 2 or 3, likewise.
    dimensions: int | None
    #: In a table with a line for each landmark, the column that names the records, and the one that names the landmarks (or "none").
    record_column: str | None
    landmark_column: str | None
    #: What a negative coordinate in a TPS file with IMAGE= is: "valid" or "missing".
    negative: str | None
    #: Records with missing landmarks cannot be used. Otherwise they are estimated from a public or private centre, where there is one.
    drop_missing: bool
    #: Numbers that stand for missing landmarks, beside NaN.
    missing: float | Sequence[float]
    #: Semilandmarks slide along their curves towards the public centre's shape: (m, 3) landmarks before, slide, after, counted from 0 as
    #: Python counts; a file, counted from 1; or "curves": all inner points of the curves in the centre's file.
    sliders: ArrayLike | PathLike | None
    #: Pairs of landmarks (m, 2) that pictures join by lines, counted from 0, or a file, counted from 1.
    links: ArrayLike | PathLike | None
    #: Reflect records that lie nearer to the mirror image of the public centre.
    unmirror: bool


def shape_mean(
    X: ArrayLike | PathLike,
    *,
    mechanism: str | None = None,
    band: bool = False,
    pairs: ArrayLike | PathLike | None = None,
    smooth: str = "none",
    calibration: str = "analytic",
    draws: int = 1,
    mu: float | None = None,
    out: PathLike | None = None,
    **options: Unpack[ShapeOptions],
) -> ShapeMean:
    """A private mean shape of landmarks; `visard shape mean`.

    Parameters
    ----------
    X : landmarks (n, k, d), or a file. Landmarks that are missing are NaN.
    mechanism : None: "joint", two rounds in the tangent space of the centre; for a pure ε, or with `draws`, `smooth` or `calibration`, the
        single mechanism with the least noise. Single ones, in the plane: "tangent-gaussian", "tangent-laplace", "riemannian-gaussian",
        "laplace", "kng", "pointwise", "pointwise-unaligned". "none": the mean without noise, for the data holder only, without a budget.
    band : also a 95 % confidence band for the population's mean (joint).
    pairs : pairs of landmarks (m, 2), left and right, counted from 0, or a file, counted from 1: the mean comes in its symmetric and its
        asymmetric part too.
    smooth : "none", "shrink" or "local-linear": smoothing of a single mechanism's release along a closed outline (free).
    calibration : "analytic" or "classical" Gaussian noise for (ε, δ).
    draws : independent draws, each charged.
    **options : centre, radius and what is done to records, see :class:`ShapeOptions`; budget, place, ledger, seed, see :class:`StudyOptions`.

    Raises :class:`InputError`, :class:`BudgetError`: nothing was charged. Warns with :class:`RecordsWarning` of what looks odd in the records.

    >>> import numpy as np, tempfile, visard
    >>> angle = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    >>> atlas = np.column_stack([1.5 * np.cos(angle), np.sin(angle)])
    >>> X = atlas + 0.02 * np.random.default_rng(1).normal(size=(200, 12, 2))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mean = visard.shape_mean(X, mu=1, center=atlas, radius=0.2, out=folder + "/study").mean
    >>> bool(visard.Kendall(12).dist(mean, atlas) < 0.05)
    True
    """
    return study(ShapeMean, "shape mean", _specimens(X), locals())


def shape_modes(
    X: ArrayLike | PathLike,
    *,
    modes: int = 5,
    mu: float | None = None,
    out: PathLike | None = None,
    **options: Unpack[ShapeOptions],
) -> ShapeModes:
    """The mean shape and at most `modes` (1 to 200) private modes of variation; only modes above the noise are released; `visard shape modes`.

    Other parameters and exceptions as for :func:`shape_mean`.
    """
    return study(ShapeModes, "shape modes", _specimens(X), locals())


def shape_regress(
    X: ArrayLike | PathLike,
    covariates: Any = None,
    *,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    levels: Mapping[str, Sequence[str]] | None = None,
    spline: Mapping[str, int] | None = None,
    allometry: bool = False,
    size_bounds: tuple[float, float] | None = None,
    mu: float | None = None,
    out: PathLike | None = None,
    **options: Unpack[ShapeOptions],
) -> ShapeRegression:
    """Shapes on covariates, their own size among them; `visard shape regress`.

    Parameters
    ----------
    covariates, bounds, levels, spline : as for :func:`face_regress`; not needed with `allometry`.
    allometry : the logarithm of the centroid size is a covariate, "log_size".
    size_bounds : with it, public bounds of the centroid size, in the landmarks' unit; sizes beyond count as the bound.

    Other parameters and exceptions as for :func:`shape_mean`.
    """
    return study(ShapeRegression, "shape regress", _specimens(X), locals())


def shape_compare(
    X: ArrayLike | PathLike,
    groups: Any,
    *,
    want: str = "both",
    mu: float | None = None,
    out: PathLike | None = None,
    **options: Unpack[ShapeOptions],
) -> ShapeComparison:
    """Groups of shapes: their means, where they differ, and whether they do; `visard shape compare`.

    `groups`: a table record,group (a file), a mapping, a Series with records as index, or one label a record in their order. Which record
    is in which group is taken to be public. `want`: "test", "map" or "both". Other parameters and exceptions as for
    :func:`shape_mean`.
    """
    return study(ShapeComparison, "shape compare", _specimens(X), locals())


def _specimens(X: Any) -> Records:
    return array(X, ("n", "k", "d"))
