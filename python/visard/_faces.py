"""Private statistics of faces: the same studies as the command's, charged to a ledger before any noise is drawn.

Scans are a folder, files, or records that were prepared before (:func:`prepare`, or an array (n, J, m, 3) of unit-area faces in the
template's frame). Which scans there are is fixed first; one that cannot be processed contributes zero.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, Union

import numpy as np

from ._arrays import Array, PathLike, as_path, is_path, numbers
from ._command import run
from ._errors import InputError
from ._geometry import Mesh, Prepared, Template, read_scan
from ._inputs import CovariateOptions, Inputs, Records, StudyOptions, study, template_path
from ._progress import Progress
from ._release import FaceComparison, FaceMean, FaceModes, FaceRegression

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["FaceOptions", "face_compare", "face_mean", "face_modes", "face_predict", "face_regress", "face_sample"]

#: A folder, files, or prepared records.
Scans: TypeAlias = Union[PathLike, Iterable[PathLike], Prepared, Array]


class FaceOptions(StudyOptions, total=False):
    """What every statistic of faces may be told, by name, with what :class:`StudyOptions` has. `unusable`: scans that cannot be processed, and
    prepared faces in another frame."""

    #: The public template face; by default the built-in one.
    template: Template | PathLike | None
    #: Face radial curves of a record (23), and samples on each (80).
    curves: int
    samples: int
    #: "elastic" (the default) or "srnf".
    registration: str
    #: Expressions that are taken out of every scan: "builtin", or a folder of meshes, each the template with one expression.
    neutral: PathLike | None
    #: How much is kept around the nose tip of a bust, in units of the template.
    crop_radius: float | None
    #: True for a bar, or a function of (what, done, total).
    progress: Progress


class FaceRegressOptions(FaceOptions, CovariateOptions, total=False):
    """Of a regression of faces."""


def face_mean(
    scans: Scans,
    *,
    mechanism: str = "joint",
    clip_radius: float | str | None = None,
    band: bool = False,
    size: bool = False,
    units: str = "mm",
    prior: PathLike | None = None,
    mu: float | None = None,
    out: PathLike | None = None,
    **options: Unpack[FaceOptions],
) -> FaceMean:
    """A private mean face of scans; `visard face mean`.

    Parameters
    ----------
    scans : a folder, files, or prepared records: (n, J, m, 3), or the path of a Parquet file with a list in each row.
    mechanism : "joint" (the least noise), "joint-1", "curves", "paper", "pointwise" (baselines), or "none": the mean without noise, for the
        data holder only, which needs no budget.
    clip_radius : a public number chosen without looking at the scans, or "private": estimated from them and paid for.
    band : also a 95 % confidence band for the population's mean.
    size : also the mean size, so that the mean is in millimetres; `units` of the scans: "mm", "cm" or "m".
    prior : public faces (n, J, m, 3) in a file, or an earlier release, as centre in place of the template.
    mu : the budget in Gaussian differential privacy; or `epsilon` with `delta`.
    out : the study's folder; or a `ledger`.
    **options : how scans become records, see :class:`FaceOptions`; other budgets, ledger, seed, see :class:`StudyOptions`.

    Raises
    ------
    InputError : an argument or a scan is not valid; nothing was charged.
    BudgetError : the ledger has no room; nothing was charged.
    KeyboardInterrupt : before the charge nothing is charged; after it the study goes on, and `resume=True` finds its result.

    >>> import numpy as np, tempfile, visard
    >>> own = visard.Template().curves()
    >>> faces = own + 0.005 * np.random.default_rng(1).normal(size=(60, 23, 1, 3))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     release = visard.face_mean(faces, mu=1, out=folder + "/study")
    ...     release.curves.shape, release.certificate.mu
    ((23, 80, 3), 1.0)
    """
    if not size:
        del units
    return study(FaceMean, "face mean", records(scans), locals())


def face_modes(
    scans: Scans,
    *,
    modes: int = 5,
    with_mean: bool = False,
    mu: float | None = None,
    out: PathLike | None = None,
    **options: Unpack[FaceOptions],
) -> FaceModes:
    """The mean and at most `modes` (1 to 200) private modes of variation; only modes above the noise are released; `visard face modes`.

    `with_mean`: the mean has half of the squared budget, and two rounds, of its own, in one charge; it has less error, the modes have more.
    Other parameters and exceptions as for :func:`face_mean`.
    """
    given = locals() | {"with": "mean" if with_mean else None}
    del given["with_mean"]
    return study(FaceModes, "face modes", records(scans), given)


def face_regress(
    scans: Scans,
    covariates: Any,
    *,
    mu: float | None = None,
    out: PathLike | None = None,
    **options: Unpack[FaceRegressOptions],
) -> FaceRegression:
    """Faces on covariates; `visard face regress`.

    Parameters
    ----------
    covariates : a table record,NAME… (a file), a DataFrame with records as index, or a mapping of names to one value a record, in the order
        of the records. Missing values count as the middle of the bounds.
    **options : bounds, levels and splines of covariates, see :class:`CovariateOptions`; the rest and exceptions as for :func:`face_mean`.
    """
    return study(FaceRegression, "face regress", records(scans), locals())


def face_compare(
    scans: Scans,
    groups: Any,
    *,
    want: str = "both",
    mu: float | None = None,
    out: PathLike | None = None,
    **options: Unpack[FaceOptions],
) -> FaceComparison:
    """Groups of faces: their means, where they differ, and whether they do; `visard face compare`.

    `groups`: a table record,group (a file), a mapping, a Series with records as index, or one label a record in their order. Which record
    is in which group is taken to be public. `want`: "test", "map" or "both". Other parameters and exceptions as for :func:`face_mean`.
    """
    return study(FaceComparison, "face compare", records(scans), locals())


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
    with tempfile.TemporaryDirectory(prefix="visard-") as place:
        file = str(Path(place) / "face.ply")
        options = {"at": [f"{name}={value}" for name, value in at.items()], "template": template_of(template), "out": file}
        error = run("face predict", [as_path("release", folder)], options)["error_rms"]
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
    with tempfile.TemporaryDirectory(prefix="visard-") as place:
        options = {"n": n, "seed": seed, "template": template_of(template), "out": place}
        return np.load(run("face sample", [as_path("release", folder)], options)["curves"])


def template_of(template: Template | PathLike | None) -> str | None:
    """The template as the command takes it."""
    return None if template is None else template_path("template", template)


def records(scans: Any, *, planned: bool = False) -> Records:
    """Scans: a folder, files, or records prepared before. `planned`: a plan says how many curves and samples they have."""

    def written(inputs: Inputs, options: dict[str, Any]) -> list[str]:
        shape: tuple[int, ...] | None = None
        if isinstance(scans, (Prepared, np.ndarray)):
            array = numbers("scans", scans.curves if isinstance(scans, Prepared) else scans, ("n", "J", "m", 3), finite=False)
            shape, options["prepared"] = array.shape, inputs.array("scans", array)
        elif is_path(scans):
            path = as_path("scans", scans)
            if path.endswith(".parquet"):
                options["prepared"] = path
                return []
            shape = _prepared(path)
            if shape is None:
                return [path]
            options["prepared"] = path
        if shape is not None:
            inputs.records = [str(i) for i in range(shape[0])]
            if not planned:
                options["curves"], options["samples"] = shape[1:3]
            return []
        return _files(inputs, scans)

    return written


def _files(inputs: Inputs, scans: Any) -> list[str]:
    try:
        items = list(scans)
    except TypeError:
        raise InputError(f"scans: expected a folder, files or prepared records, not {type(scans).__name__}") from None
    for i, item in enumerate(items):
        if not is_path(item):
            raise InputError(f"scans[{i}]: expected a path, not {type(item).__name__}; visard.prepare makes records of meshes and arrays")
    if not items:
        raise InputError("scans: is empty")
    files = [as_path(f"scans[{i}]", item) for i, item in enumerate(items)]
    inputs.records = files if all(Path(file).is_file() for file in files) else None
    return files


def _prepared(path: str) -> tuple[int, ...] | None:
    """The shape of an array of records: it has an ending that scans may have too, and is known by its shape."""
    if not path.endswith(".npy"):
        return None
    try:
        shape: tuple[int, ...] = np.load(path, mmap_mode="r").shape
    except (OSError, ValueError):
        return None
    return shape if len(shape) == 4 else None
