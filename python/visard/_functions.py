"""Private statistics of functions that you bring: samples on a circle, an interval or a disk."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ._arrays import PathLike, is_path
from ._inputs import CovariateOptions, Records, StudyOptions, array, study
from ._release import FunctionalMean, FunctionComparison, FunctionModes, FunctionRegression

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["FunctionOptions", "function_compare", "function_modes", "function_regress", "functional_mean"]


class FunctionOptions(StudyOptions, total=False):
    """What statistics of functions may be told, by name, with what :class:`StudyOptions` has; see :func:`functional_mean`."""

    #: Public: how far records may lie from the centre, root mean square over the samples. A release needs it.
    bound: float | None
    #: One public function, sampled like the records; None: zero.
    center: ArrayLike | PathLike | None
    #: Where the samples are, where not at equal steps; public.
    positions: ArrayLike | PathLike | None
    #: What is narrower than this is expected to be little; public.
    length: float
    #: How fast it falls beyond; public.
    smoothness: float


class FunctionRegressOptions(FunctionOptions, CovariateOptions, total=False):
    """Of a regression of functions."""


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
    mu: float | None = None,
    out: PathLike | None = None,
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
    **options : budget, place, ledger, seed, what is done with records that cannot be used; see :class:`StudyOptions`.

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
    return study(FunctionalMean, "function mean", _functions(X, domain), locals())


def function_modes(
    X: ArrayLike | PathLike,
    *,
    domain: str,
    modes: int = 5,
    mu: float | None = None,
    out: PathLike | None = None,
    **options: Unpack[FunctionOptions],
) -> FunctionModes:
    """The mean function and at most `modes` (1 to 200) private modes of variation; only modes above the noise are released; `visard function
    modes`. `X`, `domain` and exceptions as for :func:`functional_mean`."""
    return study(FunctionModes, "function modes", _functions(X, domain), locals())


def function_regress(
    X: ArrayLike | PathLike,
    covariates: Any,
    *,
    domain: str,
    mu: float | None = None,
    out: PathLike | None = None,
    **options: Unpack[FunctionRegressOptions],
) -> FunctionRegression:
    """Functions on covariates; `visard function regress`. `covariates` as for :func:`face_regress`, the rest as for :func:`functional_mean`."""
    return study(FunctionRegression, "function regress", _functions(X, domain), locals())


def function_compare(
    X: ArrayLike | PathLike,
    groups: Any,
    *,
    domain: str,
    want: str = "both",
    mu: float | None = None,
    out: PathLike | None = None,
    **options: Unpack[FunctionOptions],
) -> FunctionComparison:
    """Groups of functions: their means, where they differ, and whether they do; `visard function compare`. `groups` and `want` as for
    :func:`face_compare`, the rest as for :func:`functional_mean`."""
    return study(FunctionComparison, "function compare", _functions(X, domain), locals())


def _functions(X: Any, domain: str) -> Records:
    """Samples: one axis of a record, two on a disk, and one more where there are channels."""
    axes = ("n", "J", "m") if domain == "disk" else ("n", "m")
    try:
        channels = not is_path(X) and np.ndim(X) == len(axes) + 1
    except ValueError:
        # Rows of different lengths: told by name where the array is made.
        channels = False
    return array(X, (*axes, "channels") if channels else axes, one_record=False)
