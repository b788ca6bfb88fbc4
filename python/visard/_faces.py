"""Private statistics of faces: the same studies as the command's, charged to a ledger before any noise is drawn.

Scans are a folder, files, or records that were prepared before (:func:`prepare`, or an array (n, J, m, 3) of unit-area faces in the
template's frame). Which scans there are is fixed first; one that cannot be processed contributes zero.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, Union

import numpy as np

from . import _visard
from ._arrays import Array, PathLike, as_path
from ._errors import InputError
from ._geometry import CURVES, SAMPLES, Mesh, Prepared, Template, read_scan
from ._inputs import Inputs, StudyOptions, budget, count, design, faces, positive_or_private
from ._progress import Progress, watch
from ._release import FaceComparison, FaceMean, FaceModes, FaceRegression

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["face_compare", "face_mean", "face_modes", "face_predict", "face_regress", "face_sample"]

#: A folder, files, or prepared records.
Scans: TypeAlias = Union[PathLike, Iterable[PathLike], Prepared, Array]


def face_mean(
    scans: Scans,
    *,
    mechanism: str = "joint",
    clip_radius: float | str | None = None,
    band: bool = False,
    size: bool = False,
    units: str = "mm",
    prior: PathLike | None = None,
    template: Template | PathLike | None = None,
    curves: int = CURVES,
    samples: int = SAMPLES,
    registration: str = "elastic",
    crop_radius: float | None = None,
    unusable: str = "zero",
    progress: Progress = False,
    **options: Unpack[StudyOptions],
) -> FaceMean:
    """A private mean face of scans; `visard face mean`.

    Parameters
    ----------
    scans : a folder, files, or prepared records (n, J, m, 3).
    mechanism : "joint" (the least noise), "joint-1", "curves", "paper", "pointwise" (baselines), or "none": the mean without noise, for the
        data holder only, which needs no budget.
    clip_radius : a public number chosen without looking at the scans, or "private": estimated from them and paid for.
    band : also a 95 % confidence band for the population's mean.
    size : also the mean size, so that the mean is in millimetres; `units` of the scans: "mm", "cm" or "m".
    prior : public faces (n, J, m, 3) in a file, or an earlier release, as centre in place of the template.
    template, curves, samples, registration, crop_radius : how scans become records.
    unusable : "zero": scans that cannot be processed, and prepared faces in another frame, contribute zero; "refuse": they stop the study
        before its charge, and the certificate says so.
    progress : True for a bar, or a function of (what, done, total).
    **options : budget, place, ledger, seed; see :class:`StudyOptions`.

    Raises
    ------
    InputError : an argument or a scan is not valid; nothing was charged.
    BudgetError : the ledger has no room; nothing was charged.
    KeyboardInterrupt : before the charge nothing is charged; after it the study goes on, and `resume=True` finds its result.

    >>> import numpy as np, tempfile, visard
    >>> own = visard.Template().curves()
    >>> faces = own + 0.005 * np.random.default_rng(1).normal(size=(60, 1, 1, 3))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     release = visard.face_mean(faces, mu=1, out=folder + "/study")
    ...     release.curves.shape, release.certificate.mu
    ((23, 80, 3), 1.0)
    """
    with Inputs() as inputs, watch(progress) as shown:
        own = faces(inputs, scans, template, curves, samples, registration, crop_radius, unusable)
        paid = budget(inputs, options, own.records, free=mechanism == "none")
        told = _visard.face_mean(
            paid.options,
            own.options,
            mechanism,
            positive_or_private("clip_radius", clip_radius),
            bool(band),
            units if size else None,
            None if prior is None else as_path("prior", prior),
            shown,
        )
    return FaceMean(json.loads(told), paid.keep)


def face_modes(
    scans: Scans,
    *,
    modes: int = 5,
    with_mean: bool = False,
    template: Template | PathLike | None = None,
    curves: int = CURVES,
    samples: int = SAMPLES,
    registration: str = "elastic",
    crop_radius: float | None = None,
    unusable: str = "zero",
    progress: Progress = False,
    **options: Unpack[StudyOptions],
) -> FaceModes:
    """The mean and at most `modes` (1 to 200) private modes of variation; only modes above the noise are released; `visard face modes`.

    `with_mean`: the mean has half of the squared budget, and two rounds, of its own, in one charge; it has less error, the modes have more.
    Other parameters and exceptions as for :func:`face_mean`.
    """
    with Inputs() as inputs, watch(progress) as shown:
        own = faces(inputs, scans, template, curves, samples, registration, crop_radius, unusable)
        paid = budget(inputs, options, own.records)
        told = _visard.face_modes(paid.options, own.options, count("modes", modes), bool(with_mean), shown)
    return FaceModes(json.loads(told), paid.keep)


def face_regress(
    scans: Scans,
    covariates: Any,
    *,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    levels: Mapping[str, tuple[str, str]] | None = None,
    spline: Mapping[str, int] | None = None,
    template: Template | PathLike | None = None,
    curves: int = CURVES,
    samples: int = SAMPLES,
    registration: str = "elastic",
    crop_radius: float | None = None,
    unusable: str = "zero",
    progress: Progress = False,
    **options: Unpack[StudyOptions],
) -> FaceRegression:
    """Faces on covariates; `visard face regress`.

    Parameters
    ----------
    covariates : a table record,NAME… (a file), a DataFrame with records as index, or a mapping of names to one value a record, in the order
        of the records. Missing values count as the middle of the bounds.
    bounds : public bounds of numbers, as in {"age": (3, 40)}; values beyond count as the bound.
    levels : the two public levels of words, as in {"sex": ("F", "M")}.
    spline : curves in place of straight lines, by the number of columns, as in {"age": 4}.

    Other parameters and exceptions as for :func:`face_mean`.
    """
    written = design(bounds, levels, spline)
    with Inputs() as inputs, watch(progress) as shown:
        own = faces(inputs, scans, template, curves, samples, registration, crop_radius, unusable)
        paid = budget(inputs, options, own.records)
        table = inputs.covariates(covariates, own.records)
        told = _visard.face_regress(paid.options, own.options, table, *written, shown)
    return FaceRegression(json.loads(told), paid.keep)


def face_compare(
    scans: Scans,
    groups: Any,
    *,
    want: str = "both",
    template: Template | PathLike | None = None,
    curves: int = CURVES,
    samples: int = SAMPLES,
    registration: str = "elastic",
    crop_radius: float | None = None,
    unusable: str = "zero",
    progress: Progress = False,
    **options: Unpack[StudyOptions],
) -> FaceComparison:
    """Groups of faces: their means, where they differ, and whether they do; `visard face compare`.

    `groups`: a table record,group (a file), a mapping, a Series with records as index, or one label a record in their order. Which record
    is in which group is taken to be public. `want`: "test", "map" or "both". Other parameters and exceptions as for :func:`face_mean`.
    """
    with Inputs() as inputs, watch(progress) as shown:
        own = faces(inputs, scans, template, curves, samples, registration, crop_radius, unusable)
        paid = budget(inputs, options, own.records)
        table = inputs.labels("groups", groups, "group", own.records)
        told = _visard.face_compare(paid.options, own.options, table, want, shown)
    return FaceComparison(json.loads(told), paid.keep)


def face_predict(
    release: FaceRegression | PathLike,
    at: Mapping[str, float | str],
    *,
    template: Template | PathLike | None = None,
) -> tuple[Mesh, float]:
    """The face at values of the covariates, and its expected error (root mean square, noise only, unit area), from a release alone: free.

    Covariates that are not named are in the middle of their bounds, or between their levels; values outside the bounds are refused.
    """
    folder = release.folder if isinstance(release, FaceRegression) else release
    source = template._path if isinstance(template, Template) else template
    path = None if source is None else as_path("template", source)
    with tempfile.TemporaryDirectory(prefix="visard-") as place:
        file = str(Path(place) / "face.ply")
        error = _visard.face_predict(as_path("release", folder), [f"{k}={v}" for k, v in at.items()], path, file)
        return read_scan(file), error


def face_sample(
    release: FaceModes | PathLike,
    n: int,
    *,
    seed: int = 1,
    template: Template | PathLike | None = None,
) -> Array:
    """n synthetic faces (n, J, m, 3) drawn from the released mean and modes, none of a person: free."""
    folder = release.folder if isinstance(release, FaceModes) else release
    source = template._path if isinstance(template, Template) else template
    path = None if source is None else as_path("template", source)
    with tempfile.TemporaryDirectory(prefix="visard-") as place:
        _visard.face_sample(as_path("release", folder), count("n", n), path, seed, place)
        return np.load(Path(place) / "curves.npy")
