"""Private means of functions that you bring: samples on a circle, an interval or a disk."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from . import _visard
from ._arrays import PathLike, is_path
from ._errors import InputError
from ._inputs import Inputs, StudyOptions, as_radius, budget, in_order, warned
from ._release import FunctionalMean

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["functional_mean"]

#: Axes of one function on each domain, without its channels.
_AXES = {"circle": 1, "interval": 1, "disk": 2}


def functional_mean(
    X: ArrayLike | PathLike,
    *,
    domain: str,
    bound: float | None = None,
    center: ArrayLike | PathLike | None = None,
    positions: ArrayLike | PathLike | None = None,
    length: float = 0.5,
    smoothness: float = 1.9,
    band: bool = False,
    mechanism: str = "joint",
    unusable: str = "zero",
    **options: Unpack[StudyOptions],
) -> FunctionalMean:
    """A private mean of functions; `visard function mean`.

    Parameters
    ----------
    X : samples, a record along the first axis: (n, m) or (n, m, channels) on a circle (once around, at equal steps) or an interval (at equal
        steps); (n, J, m) or (n, J, m, channels) on J circles of a disk, of radius 1/J, 2/J, …, 1. Or an NPY file, or a table of numbers.
    domain : "circle", "interval" or "disk".
    bound : public: how far records may lie from the centre, root mean square over the samples (channels summed), in their own units. Records
        beyond it are shortened. A release needs it; mechanism="none" does not.
    center : one public function, sampled like the records; None: zero. A better one is estimated first, and paid for, in either case.
    positions : (m,), public: where the samples are, where not at equal steps; on a circle in radians. The mean is then at equal steps, and
        where these are is in the release.
    length : what is narrower than this is expected to be little; a circle and a disk have radius 1, an interval has length 1. Public.
    smoothness : how fast it falls beyond: expected variances are (1 + (length · frequency)²) ** −smoothness. Public; wrong expectations cost
        accuracy, not privacy.
    band : with a 95 % band for the population's mean.
    mechanism : "joint", or "none": the mean without noise, for you alone.
    unusable : "zero": records that are not finite numbers throughout contribute zero; "refuse": they stop the study before its charge, and
        the certificate says so.
    **options : budget, place, ledger, seed; see :class:`StudyOptions`.

    Raises
    ------
    InputError, BudgetError, VisardError : nothing is charged for input that cannot be used.

    Examples
    --------
    >>> import numpy as np, tempfile
    >>> t = np.linspace(0, 1, 40)
    >>> X = np.sin(3 * t) + 0.1 * np.random.default_rng(1).normal(size=(300, 1))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     release = functional_mean(X, domain="interval", bound=2, mu=1, out=folder + "/study")
    ...     release.mean.shape, bool(release.accuracy["rms"] < 0.1)
    ((40,), True)
    """
    if domain not in _AXES:
        raise InputError(f"domain: {domain!r} is none of {', '.join(_AXES)}")
    if mechanism not in ("joint", "none"):
        raise InputError(f"mechanism: {mechanism!r} is none of joint, none")
    own = _AXES[domain]
    with Inputs() as inputs:
        file = inputs.array("X", X, _shape(X, own), "functions.npy", finite=unusable == "refuse")
        paid = budget(inputs, options, in_order(X), free=mechanism == "none")
        told = _visard.functional_mean(
            paid.options,
            {
                "file": file,
                "domain": domain,
                "bound": as_radius("bound", bound),
                "center": None if center is None else inputs.array("center", center, ("...",), "center.npy"),
                "positions": None if positions is None else inputs.array("positions", positions, ("m",), "positions.npy"),
                "length": float(length),
                "smoothness": float(smoothness),
                "band": bool(band),
                "none": mechanism == "none",
                "unusable": unusable,
            },
        )
    return warned(FunctionalMean(json.loads(told), paid.keep))


def _shape(X: ArrayLike | PathLike, own: int) -> tuple[str, ...]:
    """What is expected of an array of functions of so many axes."""
    axes = ("n", "m") if own == 1 else ("n", "J", "m")
    try:
        channels = not is_path(X) and np.asarray(X).ndim == own + 2
    except ValueError:
        # Rows of different lengths: told by name where the array is made.
        channels = False
    return (*axes, "channels") if channels else axes
