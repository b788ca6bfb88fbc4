"""Private statistics of surfaces of any kind, about a public template that is a disk or closed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from ._arrays import PathLike, numbers
from ._command import run
from ._faces import Scans, records
from ._inputs import CovariateOptions, Inputs, Records, StudyOptions, study
from ._release import SurfaceComparison, SurfaceMean, SurfaceModes, SurfaceRegression

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["SurfaceOptions", "surface_compare", "surface_mean", "surface_modes", "surface_plan", "surface_regress"]


class SurfaceOptions(StudyOptions, total=False):
    """What statistics of surfaces may be told, by name, with what :class:`StudyOptions` has; see :func:`surface_mean`."""

    #: Public: how far records may lie from the template, root mean square over its area, in its units; None: a tenth of √area.
    radius: float | None
    #: How many harmonics of the template are looked at; public.
    harmonics: int
    #: Takes scans that only fit as mirror images, mirrored.
    allow_mirrored: bool


class SurfaceRegressOptions(SurfaceOptions, CovariateOptions, total=False):
    """Of a regression of surfaces."""


def surface_mean(
    scans: Scans,
    *,
    template: PathLike,
    private_radius: bool = False,
    prior: PathLike | None = None,
    band: bool = False,
    mu: float | None = None,
    out: PathLike | None = None,
    **options: Unpack[SurfaceOptions],
) -> SurfaceMean:
    """A private mean of surfaces; `visard surface mean`.

    Parameters
    ----------
    scans : a folder or files; or an array (n, vertices, 3) of records registered elsewhere, the template's vertices in its order and frame.
    template : a public mesh that is a disk or closed, without handles. Marks beside it (NAME.landmarks.csv), and the same beside the scans, fix
        their pose.
    private_radius : refuse where records or budget are too small for a private radius.
    prior : public surfaces (n, vertices, 3) in a file, or an earlier release, as centre in place of the template.
    band : also a 95 % confidence band for the population's mean.
    **options : budget, place, ledger, seed, what is done with records that cannot be used; see :class:`SurfaceOptions`.

    Raises
    ------
    InputError, BudgetError, VisardError : nothing is charged for input that cannot be used.
    """
    return study(SurfaceMean, "surface mean", _surfaces(scans), locals())


def surface_modes(
    scans: Scans,
    *,
    template: PathLike,
    modes: int = 5,
    mu: float | None = None,
    out: PathLike | None = None,
    **options: Unpack[SurfaceOptions],
) -> SurfaceModes:
    """The mean and at most `modes` (1 to 200) private modes of variation; only modes above the noise are released; `visard surface modes`. The
    rest as for :func:`surface_mean`."""
    return study(SurfaceModes, "surface modes", _surfaces(scans), locals())


def surface_regress(
    scans: Scans,
    covariates: Any,
    *,
    template: PathLike,
    mu: float | None = None,
    out: PathLike | None = None,
    **options: Unpack[SurfaceRegressOptions],
) -> SurfaceRegression:
    """Surfaces on covariates; `visard surface regress`. `covariates` as for :func:`face_regress`, the rest as for :func:`surface_mean`."""
    return study(SurfaceRegression, "surface regress", _surfaces(scans), locals())


def surface_compare(
    scans: Scans,
    groups: Any,
    *,
    template: PathLike,
    want: str = "both",
    mu: float | None = None,
    out: PathLike | None = None,
    **options: Unpack[SurfaceOptions],
) -> SurfaceComparison:
    """Groups of surfaces: their means, where they differ, and whether they do; `visard surface compare`. `groups` and `want` as for
    :func:`face_compare`, the rest as for :func:`surface_mean`."""
    return study(SurfaceComparison, "surface compare", _surfaces(scans), locals())


def surface_plan(
    n: Union[int, Sequence[int], None] = None,
    *,
    template: PathLike,
    mu: Union[float, Sequence[float], None] = None,
    epsilon: Union[float, Sequence[float], None] = None,
    delta: float | None = None,
    want: float | None = None,
    spread: float | None = None,
    distance: float | None = None,
    radius: float | None = None,
    harmonics: int | None = None,
    prior: PathLike | None = None,
) -> list[dict[str, Any]]:
    """Expected error of a private mean of surfaces from this many people at these budgets; `visard surface plan --json`.

    Reads the template and none of your data, and charges nothing. Lengths are root mean squares over the template's area, in its units.

    Parameters
    ----------
    n : how many people there will be; several are compared.
    mu, epsilon with delta : budgets to compare.
    want : in place of n, the error that is wanted: how many people it takes.
    spread, distance : how far surfaces are guessed to lie from their mean, and the mean from the template.
    template, radius, harmonics, prior : as for :func:`surface_mean`; with a prior, surfaces differ as its do.

    Returns a row for every n and budget, with the fields that the command prints.
    """
    options = dict(locals())
    with Inputs() as inputs:
        rows: list[dict[str, Any]] = run("surface plan", options=inputs.options(options))
        return rows


def _surfaces(scans: Any) -> Records:
    """Scans as of faces, or an array of vertices."""
    if not isinstance(scans, np.ndarray):
        return records(scans, planned=True)

    def written(inputs: Inputs, options: dict[str, Any]) -> list[str]:
        options["prepared"] = inputs.array("scans", numbers("scans", scans, ("n", "vertices", 3), finite=False))
        inputs.records = [str(i) for i in range(len(scans))]
        return []

    return written
