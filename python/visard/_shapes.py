"""Private statistics of landmark shapes, in the plane and in space: the same studies as the command's.

Specimens are an array (n, k, d) of k landmarks with d = 2 or 3 coordinates, or a file that the command reads.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike

from . import _visard
from ._arrays import Array, PathLike, as_path, indices, is_path, numbers
from ._errors import InputError
from ._inputs import (
    Budget,
    Inputs,
    StudyOptions,
    budget,
    count,
    design,
    in_order,
    one_record,
    points_options,
    positive_or_private,
    warned,
)
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
    #: The landmarks go once around a closed outline, in order: noise and smoothing are by frequency along it.
    outline: bool
    #: Landmarks of a shape, a public number, where neither a public shape nor the file's format tells.
    landmarks: int | None
    #: Coordinates of a landmark, 2 or 3, likewise.
    dimensions: int | None
    #: Records with missing landmarks cannot be used. Otherwise they are estimated from a public or private centre, where there is one.
    drop_missing: bool
    #: "zero" (the default): records that cannot be used contribute zero; "refuse": they stop the study before its charge, and the certificate
    #: says so.
    unusable: str
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
    with Inputs() as inputs:
        specimens = _specimens(inputs, X, options, private_radius=True)
        specimens["pairs"] = _landmarks(inputs, "pairs", pairs, 2, X)
        paid = _paid(inputs, X, options, free=mechanism == "none")
        points = points_options(mechanism, calibration, draws, specimens["unusable"])
        told = _visard.shape_mean(paid.options, points, specimens, bool(band), smooth)
    return warned(ShapeMean(json.loads(told), paid.keep))


def shape_modes(X: ArrayLike | PathLike, *, modes: int = 5, **options: Unpack[ShapeOptions]) -> ShapeModes:
    """The mean shape and at most `modes` (1 to 200) private modes of variation; only modes above the noise are released; `visard shape modes`.

    Other parameters and exceptions as for :func:`shape_mean`.
    """
    with Inputs() as inputs:
        specimens = _specimens(inputs, X, options)
        paid = _paid(inputs, X, options)
        told = _visard.shape_modes(paid.options, specimens, _at_most("modes", modes, 200))
    return warned(ShapeModes(json.loads(told), paid.keep))


def shape_regress(
    X: ArrayLike | PathLike,
    covariates: Any = None,
    *,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    levels: Mapping[str, tuple[str, str]] | None = None,
    spline: Mapping[str, int] | None = None,
    allometry: bool = False,
    size_bounds: tuple[float, float] | None = None,
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
    written = _written(covariates, bounds, levels, spline)
    if allometry != (size_bounds is not None):
        raise InputError("allometry, size_bounds: go together; the bounds are public, chosen without looking at the specimens")
    if covariates is None and not allometry:
        raise InputError("covariates: give them, or allometry=True with size_bounds")
    with Inputs() as inputs:
        specimens = _specimens(inputs, X, options)
        paid = _paid(inputs, X, options)
        table = None if covariates is None else inputs.covariates(covariates, in_order(X))
        told = _visard.shape_regress(paid.options, specimens, table, *written, _size_bounds(size_bounds))
    return warned(ShapeRegression(json.loads(told), paid.keep))


def shape_compare(
    X: ArrayLike | PathLike, groups: Any, *, want: str = "both", **options: Unpack[ShapeOptions]
) -> ShapeComparison:
    """Groups of shapes: their means, where they differ, and whether they do; `visard shape compare`.

    `groups`: a table record,group (a file), a mapping, a Series with records as index, or one label a record in their order. Which record
    is in which group is taken to be public. `want`: "test", "map" or "both". Other parameters and exceptions as for
    :func:`shape_mean`.
    """
    with Inputs() as inputs:
        specimens = _specimens(inputs, X, options)
        paid = _paid(inputs, X, options)
        table = inputs.labels("groups", groups, "group", in_order(X))
        told = _visard.shape_compare(paid.options, specimens, table, want)
    return warned(ShapeComparison(json.loads(told), paid.keep))


def _specimens(inputs: Inputs, X: Any, options: ShapeOptions, *, private_radius: bool = False) -> dict[str, Any]:
    """The specimens, and what is known of them in advance, as the library takes them."""
    for name in options:
        if name not in ShapeOptions.__annotations__:
            raise TypeError(f"unexpected option {name!r}; known are {', '.join(ShapeOptions.__annotations__)}")
    center: Any = options.get("center")
    public_records = options.get("public_records")
    if isinstance(center, str) and center == "private":
        center = None
    if center is not None and public_records is not None:
        raise InputError("center, public_records: give one of them; the mean of public records is the centre")
    public = center is not None or public_records is not None
    sliders, unmirror = options.get("sliders"), bool(options.get("unmirror", False))
    for name, asked in (("sliders", sliders is not None), ("unmirror", unmirror)):
        if asked and not public:
            raise InputError(f"{name}: needs a public shape to go by; give it as center")
    drop_missing, unusable = bool(options.get("drop_missing", False)), options.get("unusable", "zero")
    # What is missing may contribute zero, or be estimated from a public shape.
    finite = unusable == "refuse" and not public
    file = inputs.array("X", X, ("n", "k", "d"), "shapes.npy", finite=finite)
    curves = isinstance(sliders, str) and sliders == "curves"
    if center is not None and not is_path(center):
        if curves:
            raise InputError('sliders: "curves" are told by a centre\'s file (CURVES=); with an array as center give rows of landmarks')
        if not is_path(X) and np.shape(center) != np.shape(X)[1:]:
            raise InputError(f"center: expected an array of shape {np.shape(X)[1:]} as X has, this one is {np.shape(center)}")
    return {
        "file": file,
        "center": None if center is None else inputs.array("center", one_record("center", center), ("n", "k", "d"), "center.npy"),
        "public_records": None if public_records is None else as_path("public_records", public_records),
        "radius": _radius(options.get("radius"), private_radius),
        "outline": bool(options.get("outline", False)),
        "landmarks": _number("landmarks", options.get("landmarks"), X, 1),
        "dimensions": _number("dimensions", options.get("dimensions"), X, 2),
        "drop_missing": drop_missing,
        "unusable": unusable,
        "missing": _codes(options.get("missing", ())),
        "sliders": "curves" if curves else _landmarks(inputs, "sliders", sliders, 3, X),
        "links": _landmarks(inputs, "links", options.get("links"), 2, X),
        "pairs": None,
        "unmirror": unmirror,
    }


def _paid(inputs: Inputs, X: Any, options: ShapeOptions, *, free: bool = False) -> Budget:
    own = {name: value for name, value in options.items() if name in StudyOptions.__annotations__}
    return budget(inputs, cast(StudyOptions, own), in_order(X), free=free)


def _landmarks(inputs: Inputs, name: str, value: Any, width: int, X: Any) -> str | None:
    """A table of landmarks: files count them from 1, arrays from 0 as Python does."""
    if value is None:
        return None
    if is_path(value):
        return as_path(name, value)
    rows = indices(name, value, width)
    most = None if is_path(X) else np.shape(X)[1] - 1
    if len(rows) == 0:
        raise InputError(f"{name}: is empty")
    if rows.min() < 0 or (most is not None and rows.max() > most):
        beyond = int(rows.min() if rows.min() < 0 else rows.max())
        raise InputError(f"{name}: {beyond} is not a landmark; in arrays landmarks are counted from 0" + ("" if most is None else f" to {most}"))
    return inputs.array(name, rows + 1, ("m", width), f"{name}.npy")


def _radius(value: Any, private: bool) -> float | None:
    if not private and isinstance(value, str) and value == "private":
        raise InputError('radius: "private" is for shape_mean; give a public number, or leave it out')
    return positive_or_private("radius", value)


def _number(name: str, value: int | None, X: Any, axis: int) -> int | None:
    """A public number, which an array has too."""
    if value is None:
        return None
    if not is_path(X) and np.shape(X)[axis] != count(name, value):
        raise InputError(f"{name}: {value} does not agree with X, which has {np.shape(X)[axis]}")
    if name == "dimensions" and value not in (2, 3):
        raise InputError("dimensions: must be 2 or 3")
    return count(name, value)


def _at_most(name: str, value: int, most: int) -> int:
    if count(name, value) > most:
        raise InputError(f"{name}: must be at most {most}")
    return int(value)


def _codes(value: Any) -> list[float]:
    if isinstance(value, (int, float, np.number)):
        value = [value]
    if len(value) == 0:
        return []
    codes: Array = numbers("missing", value, ("codes",))
    return codes.tolist()


def _written(
    covariates: Any,
    bounds: Mapping[str, tuple[float, float]] | None,
    levels: Mapping[str, tuple[str, str]] | None,
    spline: Mapping[str, int] | None,
) -> tuple[list[str], list[str], list[str]]:
    if covariates is not None:
        return design(bounds, levels, spline)
    if bounds or levels or spline:
        raise InputError("covariates: bounds, levels and spline are of covariates; give these")
    return [], [], []


def _size_bounds(value: Any) -> tuple[float, float] | None:
    if value is None:
        return None
    try:
        low, high = (float(bound) for bound in value)
    except (TypeError, ValueError):
        raise InputError("size_bounds: expected two numbers, as in (80, 140)") from None
    if not 0 < low < high < float("inf"):
        raise InputError("size_bounds: must be two positive numbers in rising order, as in (80, 140)")
    return low, high
