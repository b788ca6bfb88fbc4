"""What to expect of a private release of faces, before any scan is read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Union

from . import _visard
from ._arrays import PathLike, as_path
from ._errors import InputError
from ._geometry import CURVES, SAMPLES

__all__ = ["face_plan"]

_BUDGETS = (0.1, 0.3, 0.5, 1.0, 3.0)


def face_plan(
    n: Union[int, Sequence[int], None] = None,
    *,
    mu: Union[float, Sequence[float], None] = None,
    epsilon: Union[float, Sequence[float], None] = None,
    delta: float | None = None,
    want: float | None = None,
    kind: str = "mean",
    covariates: int | None = None,
    mechanism: str = "joint",
    band: bool = False,
    clip_radius: float | None = None,
    template: PathLike | None = None,
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
    kind : "mean", "modes", "compare" (two groups of n/2) or "regress" (on `covariates` columns).
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
    if (n is None) == (want is None):
        raise InputError("n: give how many people there will be, or want=, the error that is wanted")
    if want is not None and kind != "mean":
        raise InputError(f"want: goes with kind=\"mean\" only, not with {kind!r}")
    if want is not None and not 0 < want < float("inf"):
        raise InputError("want: must be a positive number of millimetres")
    if kind != "mean" and (band or mechanism != "joint" or clip_radius is not None or prior is not None):
        raise InputError(f"kind: {kind!r} has no band, mechanism, clip_radius or prior of its own")
    if (kind == "regress") != (covariates is not None) or (covariates is not None and not 1 <= covariates <= 30):
        raise InputError("covariates: 1 to 30 columns, for kind=\"regress\"")
    sizes = _several("n", n, int)
    if any(not (4 if kind == "compare" else 1) <= size <= 1_000_000 for size in sizes):
        raise InputError("n: from 1 to 1000000 people, 4 at least for a comparison")
    if mu is not None and epsilon is not None:
        raise InputError("mu: give it, or epsilon with delta, not both")
    if epsilon is not None and delta is None:
        raise InputError("delta: needed with epsilon")
    if not (2 <= curves <= 500 and 8 <= samples <= 2000):
        raise InputError("curves, samples: 2 to 500 curves of 8 to 2000 samples")
    told = _visard.face_plan(
        {
            "kind": kind,
            "n": sizes,
            "mu": _several("mu", _BUDGETS if mu is None and epsilon is None else mu, float),
            "epsilon": _several("epsilon", epsilon, float),
            "delta": None if delta is None else float(delta),
            "want": None if want is None else float(want),
            "covariates": covariates,
            "template": None if template is None else as_path("template", template),
            "prior": None if prior is None else as_path("prior", prior),
            "mechanism": mechanism,
            "band": bool(band),
            "clip_radius": None if clip_radius is None else float(clip_radius),
            "curves": int(curves),
            "samples": int(samples),
        }
    )
    return json.loads(told)


def _several(name: str, value: Any, kind: type) -> list[Any]:
    """One number or several."""
    if value is None:
        return []
    try:
        numbers = list(value) if hasattr(value, "__len__") else [value]
        found = [kind(number) for number in numbers]
    except (TypeError, ValueError):
        raise InputError(f"{name}: expected a number or several") from None
    if not found or any(isinstance(x, bool) or a != x for a, x in zip(found, numbers)):
        raise InputError(f"{name}: expected a number or several, {value!r} is not")
    return found
