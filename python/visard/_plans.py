"""What to expect of a private release of faces, before any scan is read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Union

from ._arrays import PathLike
from ._command import run
from ._errors import InputError
from ._geometry import CURVES, SAMPLES, Template
from ._inputs import Inputs

__all__ = ["face_plan"]


def face_plan(
    n: Union[int, Sequence[int], None] = None,
    *,
    mu: Union[float, Sequence[float], None] = None,
    epsilon: Union[float, Sequence[float], None] = None,
    delta: float | None = None,
    want: float | None = None,
    kind: str = "mean",
    covariates: int | None = None,
    residuals: bool = False,
    mechanism: str = "joint",
    band: bool = False,
    clip_radius: float | None = None,
    template: Template | PathLike | None = None,
    prior: PathLike | None = None,
    curves: int = CURVES,
    samples: int = SAMPLES,
) -> list[dict[str, Any]]:
    """Expected accuracy of a private release of faces from this many people at these budgets; `visard face plan --json`.

    Simulated people; reads none of your data and charges nothing.

    Parameters
    ----------
    n : how many people there will be; several are compared.
    mu, epsilon with delta : budgets to compare; by default μ from 0.1 to 3.
    want : in place of n, the error that is wanted, in millimetres on a face of 20 cm (root mean square): how many people it takes.
    kind : "mean", "modes", "compare" (two groups of n/2) or "regress" (on `covariates` columns; with `residuals`, and modes of what these leave).
    mechanism, band, clip_radius, template, prior, curves, samples : as for :func:`face_mean`; the first three and `prior` of a mean only.

    Returns
    -------
    A row for every n and budget, with the fields that the command prints: n, mu, epsilon, delta, errors in millimetres on a face of 20 cm,
    `worth` (whether the release is worth its budget), and what its kind has beside them. With `want`, a row for every budget, whose n is None
    where the people that are simulated are not enough.

    Raises :class:`InputError`.

    Examples
    --------
    >>> [row] = face_plan(400, mu=1, curves=8, samples=24)
    >>> row["n"], row["worth"], row["error_mm"] < row["template_error_mm"]
    (400, True, True)
    """
    if kind not in ("mean", "modes", "compare", "regress"):
        raise InputError(f"kind: {kind!r} is none of mean, modes, compare, regress")
    if (kind == "regress") != (covariates is not None):
        raise InputError('covariates: 1 to 30 columns, for kind="regress"')
    options = {name: value for name, value in locals().items() if name not in ("kind", "covariates", "mechanism")}
    # What has its default is left out: not every kind has it.
    options |= {"mechanism": None if mechanism == "joint" else mechanism, "regress": covariates}
    if kind in ("modes", "compare"):
        options[kind] = True
    with Inputs() as inputs:
        return run("face plan", options=inputs.options(options))
