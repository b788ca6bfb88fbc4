"""Budgets, ledgers and certificates."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from . import _visard
from ._arrays import PathLike, as_path
from ._errors import InputError

__all__ = [
    "Calibrated",
    "Certificate",
    "Composed",
    "Guarantee",
    "Ledger",
    "Mu",
    "audit",
    "audit_names",
    "calibrate",
    "compose",
    "convert",
    "verify",
]


class Guarantee(NamedTuple):
    """μ of Gaussian differential privacy, with one (ε, δ) that it gives."""

    mu: float
    epsilon: float
    delta: float


class Composed(NamedTuple):
    """What several releases add up to."""

    #: In the unit that fits, as {"mu": …}, {"epsilon": …} and so on.
    loss: dict[str, Any]
    epsilon: float
    delta: float


class Calibrated(NamedTuple):
    """A Riemannian Gaussian's scale and what it guarantees."""

    mu: float
    sigma: float


class Mu(float):
    """A budget in Gaussian differential privacy: telling neighbours apart is at least as hard as telling N(0, 1) from N(μ, 1).

    At most ½ is strong, 1 moderate, 3 weak.

    >>> import visard
    >>> round(visard.Mu(1).epsilon(1e-6), 3)
    4.887
    """

    def __new__(cls, value: float) -> Mu:
        number = float(value)
        if not 0 < number < float("inf"):
            raise InputError("mu: must be a positive finite number")
        return super().__new__(cls, number)

    @classmethod
    def of(cls, epsilon: float, delta: float) -> Mu:
        """The largest μ that gives (ε, δ)-differential privacy."""
        return cls(convert(epsilon=epsilon, delta=delta).mu)

    def epsilon(self, delta: float) -> float:
        """The ε it gives at this δ."""
        return convert(mu=self, delta=delta).epsilon

    def __repr__(self) -> str:
        return f"Mu({float(self)!r})"


def convert(*, mu: float | None = None, epsilon: float | None = None, delta: float | None = None) -> Guarantee:
    """The third of μ, ε and δ from two.

    >>> import visard
    >>> visard.convert(mu=1, epsilon=1).delta.__round__(6)
    0.126937
    """
    return Guarantee(*_visard.convert(mu, epsilon, delta))


def compose(
    *,
    mu: Iterable[float] = (),
    epsilon: Iterable[float] = (),
    epsilon_delta: Iterable[tuple[float, float]] = (),
    rho: Iterable[float] = (),
    delta: float = 1e-6,
) -> Composed:
    """The total of several releases, each by its μ, its ε, its (ε, δ) or its ρ; and the ε of the total at `delta`.

    >>> import visard
    >>> round(visard.compose(mu=[0.6, 0.8]).loss["mu"], 12)
    1.0
    """
    lists = list(mu), list(epsilon), [(float(e), float(d)) for e, d in epsilon_delta], list(rho)
    if not any(lists):
        raise InputError("mu, epsilon, epsilon_delta, rho: give at least one release")
    loss, total = _visard.compose(*lists, delta)
    return Composed(json.loads(loss), total, delta)


def calibrate(
    mechanism: str = "gaussian",
    *,
    sensitivity: float,
    epsilon: float | None = None,
    delta: float | None = None,
    calibration: str = "analytic",
    manifold: str | None = None,
    dim: int | None = None,
    mu: float | None = None,
    sigma: float | None = None,
) -> float | Calibrated:
    """The noise a mechanism needs.

    "gaussian": σ for (ε, δ) at an L2 sensitivity; `calibration` is "analytic" or "classical". "riemannian-gaussian": σ for μ, or μ of σ, on
    `manifold` "euclidean", "sphere", "hyperbolic" or "kendall" of real dimension `dim` (kendall: the complex one, landmarks less two), where
    `sensitivity` is a distance.

    >>> import visard
    >>> round(visard.calibrate(sensitivity=1, epsilon=1, delta=1e-5), 3)
    3.731
    """
    if mechanism == "gaussian":
        if epsilon is None or delta is None:
            raise InputError('epsilon, delta: both are needed for mechanism="gaussian"')
        return _visard.calibrate_gaussian(epsilon, delta, sensitivity, calibration)
    if mechanism == "riemannian-gaussian":
        if manifold is None or dim is None:
            raise InputError('manifold, dim: both are needed for mechanism="riemannian-gaussian"')
        return Calibrated(*_visard.calibrate_riemannian(manifold, dim, sensitivity, mu, sigma))
    raise InputError(f"mechanism: {mechanism!r} is none of gaussian, riemannian-gaussian")


def audit_names() -> list[str]:
    """The mechanisms that :func:`audit` knows."""
    return _visard.audit_names()


def audit(
    mechanism: str, *, runs: int | None = None, parameter: float = 1.0, seed: int = 1
) -> dict[str, Any]:
    """Tries to refute a mechanism's claim on worst-case neighbours.

    Returns claimed_mu (or epsilon), lower_bound_mu, loss_of_pair (what the neighbours truly lose), largest_refutable_mu (what the same audit
    refutes of noise with which they lose 1.3 times the claim), verdict ("held", "refuted", "inconclusive"), runs, runs_needed, seconds,
    passed. Without `runs`, as many as show most of the loss. Passing proves nothing; failing disproves.
    """
    return json.loads(_visard.audit(mechanism, runs, parameter, seed))


class Ledger:
    """A file in which every release from the same people is charged, before any noise is drawn.

    `path`: made by the first charge; or the folder of a study, whose ledger it is then. `ceiling_mu`: releases beyond this total are refused
    from the next charge on, now and in later runs.
    """

    def __init__(self, path: PathLike, *, ceiling_mu: float | None = None) -> None:
        self.path = Path(as_path("path", path))
        self.ceiling_mu = None if ceiling_mu is None else float(Mu(ceiling_mu))

    def history(self, delta: float = 1e-6) -> dict[str, Any]:
        """All of it: releases, ceilings, `sums` (one for each neighbour relation), and the total with its ε at `delta` where there is one
        relation only.
        """
        if not self.path.exists():
            return {"releases": [], "ceilings": [], "sums": [], "total": None, "epsilon": 0.0, "delta": delta}
        return json.loads(_visard.ledger(str(self.path), delta))

    @property
    def releases(self) -> list[dict[str, Any]]:
        """What was charged, one a release."""
        return self.history()["releases"]

    @property
    def sums(self) -> list[dict[str, Any]]:
        """What the releases add up to, for each neighbour relation separately: `neighbours`, `loss` (None where a release has no bound for
        them), `releases`.
        """
        return self.history()["sums"]

    @property
    def total(self) -> dict[str, Any] | None:
        """What all releases add up to, in the unit that fits; None before the first, and where they are stated for several neighbour
        relations or without a bound: see `sums`.
        """
        return self.history()["total"]

    def epsilon(self, delta: float) -> float | None:
        """The ε of all releases together at this δ; None where `total` is, but 0 before the first."""
        return self.history(delta)["epsilon"]

    def __repr__(self) -> str:
        return f"Ledger({str(self.path)!r}, {len(self.releases)} releases, total {self.total})"


class Certificate(Mapping[str, Any]):
    """What a release guarantees: certificate.json, key by key.

    `source`: its file, or a folder of a release or of a study.
    """

    def __init__(self, source: PathLike) -> None:
        path = Path(as_path("source", source))
        for inside in ("certificate.json", "release/certificate.json"):
            if (path / inside).is_file():
                path = path / inside
                break
        try:
            self._text = path.read_text("utf-8")
            self._values: dict[str, Any] = json.loads(self._text)
        except (OSError, ValueError) as error:
            raise InputError(f"certificate: cannot read {path}: {error}") from None
        self.path = path

    def __getitem__(self, key: str) -> Any:
        return self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    @property
    def private(self) -> bool:
        """Whether it may be published."""
        return bool(self["private"])

    @property
    def mu(self) -> float | None:
        """Its μ, where that is the unit of its guarantee."""
        return self["loss"].get("mu")

    def explain(self) -> str:
        """The guarantee in plain sentences."""
        return _visard.explain(self._text)

    def __repr__(self) -> str:
        private = "private" if self.private else "NOT PRIVATE"
        return f"Certificate({self['mechanism']!r}, {self['loss']}, n={self['n']}, {private})"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.explain())}</pre>"


def verify(release: PathLike, *, ledger: PathLike | Ledger | None = None, key: PathLike | None = None) -> dict[str, Any]:
    """Whether a release is what its certificate says: files, line in the ledger, signature.

    Raises :class:`VisardError` where anything is wrong; returns what was looked at: `bound_by` (certificate, signature, draw-only, seeded or
    nothing), `private` (None where it says so but nothing stands behind it), `neighbours`, files, ledger and signed_by (None where there was
    nothing to look at).
    """
    file = ledger.path if isinstance(ledger, Ledger) else ledger
    paths = [None if p is None else as_path(name, p) for name, p in (("ledger", file), ("key", key))]
    return json.loads(_visard.verify(as_path("release", release), *paths))
