"""One mean face of many sites' people, modes of variation, groups compared, or a regression, nothing pooled: the steps of the command's group `site`, over the same files.

A public folder holds the plan and what every round has released. In each round a site hands on one sum of its own people, noised as a whole
(:func:`site_sum`, put together by :func:`site_merge`) or in two sealed shares (:func:`site_share`) for two aggregators who do not collude
(:func:`site_verify`, put together by :func:`site_unshare`). How files travel is up to you.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Union

from ._arrays import PathLike, as_path, is_path
from ._command import run
from ._errors import InputError
from ._faces import Scans, records
from ._geometry import CURVES, SAMPLES, Template
from ._inputs import Inputs, StudyOptions
from ._progress import Progress, watch
from ._release import FaceComparison, FaceMean, FaceModes, FaceRegression

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["SiteRound", "site_key", "site_merge", "site_plan", "site_share", "site_sum", "site_unshare", "site_verify"]


class SiteRound(NamedTuple):
    """A round that was closed."""

    #: Which one, from 1.
    round: int
    #: Of how many.
    rounds: int
    #: The mean face; or modes with their mean, groups compared, or what covariates do, where the plan asks for them: after the last.
    release: FaceMean | FaceModes | FaceComparison | FaceRegression | None


#: People of a site: their number, or that of each group by label; with its public key where sums are sealed.
_People = Union[int, Mapping[str, int]]


def site_key(file: PathLike) -> Path:
    """A key pair for sealed and signed messages: the secret key in `file`, the public one beside it, whose path is returned; `visard site keys`."""
    return Path(run("site keys", [as_path("file", file)])["public"])


def site_plan(
    public: PathLike,
    sites: Mapping[str, Union[_People, tuple[_People, PathLike]]],
    aggregators: Mapping[str, PathLike] | None = None,
    *,
    mu: float | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    noise: str | None = None,
    honest: int | None = None,
    template: Template | PathLike | None = None,
    curves: int = CURVES,
    samples: int = SAMPLES,
    registration: str = "elastic",
    modes: int | None = None,
    want: str | None = None,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    levels: Mapping[str, Sequence[str]] | None = None,
    spline: Mapping[str, int] | None = None,
    residuals: bool = False,
) -> dict[str, Any]:
    """What all parties agree on, written into the folder `public`, of which every party needs a copy; `visard site plan`.

    Parameters
    ----------
    sites : their names, each with its number of people (public), and with its public key where sums are sealed, as in
        {"berlin": (200, "berlin.key.pub")}. Where groups are compared, the number of each by label, the same labels everywhere, as in
        {"berlin": {"control": 120, "patient": 80}}.
    aggregators : two members who add up and do not collude, each with its public key; the first begins.
    mu, or epsilon with delta : the budget of a person, over all rounds.
    noise : "sites" (each a share, enough if `honest` of them are honest: all but one by default), "aggregators" (each the whole), "each"
        (without aggregators); by default "sites" where there are aggregators.
    template, curves, samples, registration : how scans become records, the same everywhere.
    modes : release modes of variation with the mean, at most this many (1 to 200), instead of the mean alone.
    bounds, levels, spline : covariates whose fields are released in place of one mean, as in :class:`CovariateOptions`.
    residuals : with covariates, release the modes of what they leave too.
    want : of groups: "map" (where they differ; the default) or "test" (whether they do). Both are two plans, each with its own budget.

    Returns the plan's file and SHA-256, which all confirm before the first round. Raises :class:`InputError`.
    """
    if not isinstance(sites, Mapping):
        raise InputError('sites: expected names with numbers of people, as in {"berlin": 200}')
    named = {str(name): _site(str(name), value) for name, value in sites.items()}
    groups = _groups({name: people for name, (people, _) in named.items()})
    options = {name: value for name, value in locals().items() if name not in ("public", "sites", "aggregators", "named", "groups")}
    options["groups"] = ",".join(groups) or None
    options["site"] = [f"{name}={'+'.join(_sizes(name, people, groups))}{key}" for name, (people, key) in named.items()]
    options["aggregator"] = [f"{name}={as_path(f'aggregators[{name!r}]', key)}" for name, key in (aggregators or {}).items()]
    return _run("site plan", [as_path("public", public)], options)


def site_sum(
    public: PathLike,
    scans: Scans,
    *,
    site: str,
    key: PathLike | None = None,
    groups: Any = None,
    covariates: Any = None,
    template: Template | PathLike | None = None,
    progress: Progress = False,
    out: PathLike | None = None,
    **options: Unpack[StudyOptions],
) -> dict[str, Any]:
    """A site's noised sum for the open round, of a plan without aggregators; `visard site sum`.

    The budget is the plan's, charged once, for all rounds, to this site's ledger (one in `out`, or `ledger`). Answering again gives the same
    files, or raises: a round is answered once, from whichever copy of `out`, as long as the ledger is at its place. `key`: this site's secret
    key, where the plan names its public one; the sum is then signed. Returns `round`, `rounds`, `n`, `again` and `files` (to be handed on). `groups`: where the plan compares some, who is in which, as for
    :func:`face_compare`. `covariates`: where the plan has some, those of each record, as for :func:`face_regress`. `scans` and exceptions as for :func:`face_mean`.
    """
    return _answer("site sum", public, scans, locals())


def site_share(
    public: PathLike,
    scans: Scans,
    *,
    site: str,
    key: PathLike,
    groups: Any = None,
    covariates: Any = None,
    template: Template | PathLike | None = None,
    progress: Progress = False,
    out: PathLike | None = None,
    **options: Unpack[StudyOptions],
) -> dict[str, Any]:
    """A site's two sealed shares for the open round, of a plan with aggregators; `visard site share`. `key`: this site's secret key; the rest as
    for :func:`site_sum`."""
    return _answer("site share", public, scans, locals())


def site_verify(
    public: PathLike,
    inbox: PathLike | Iterable[PathLike],
    *,
    aggregator: str,
    key: PathLike,
    without: Iterable[str] = (),
    template: Template | PathLike | None = None,
    out: PathLike | None = None,
    **options: Unpack[StudyOptions],
) -> dict[str, Any]:
    """An aggregator's step of a round: begins, or checks proofs of range and adds up, once a round; `visard site verify`. Its ledger
    lies beside its key unless `ledger` names another.

    `inbox`: files or folders with what was received; `without`: sites that do not answer. Returns `round`, `finished`, `sites` and `files`
    (to be handed on).
    """
    given = locals()
    del given["public"], given["inbox"], given["options"]
    return _run("site verify", [as_path("public", public)], given | {"inbox": _files("inbox", inbox), "without": list(without)} | options)


def site_merge(
    public: PathLike,
    inbox: PathLike | Iterable[PathLike],
    *,
    out: PathLike,
    without: Iterable[str] = (),
    template: Template | PathLike | None = None,
    force: bool = False,
) -> SiteRound:
    """Closes a round from sites' own sums; after the last one, the mean face in `out`; `visard site merge`."""
    return _close("site merge", public, inbox, {"without": list(without), "template": template, "out": out, "force": force})


def site_unshare(
    public: PathLike,
    inbox: PathLike | Iterable[PathLike],
    *,
    out: PathLike,
    template: Template | PathLike | None = None,
    force: bool = False,
) -> SiteRound:
    """Closes a round from the two aggregators' sums; after the last one, the mean face in `out`; `visard site unshare`."""
    return _close("site unshare", public, inbox, {"template": template, "out": out, "force": force})


def _answer(command: str, public: PathLike, scans: Scans, given: Mapping[str, Any]) -> dict[str, Any]:
    options = {name: value for name, value in given.items() if name not in ("public", "scans", "options")} | given["options"]
    with Inputs() as inputs, watch(options.pop("progress")) as shown:
        files = records(scans, planned=True)(inputs, options)
        return run(command, [as_path("public", public), *files], inputs.options(options), shown)


def _run(command: str, files: list[str], options: Mapping[str, Any]) -> dict[str, Any]:
    with Inputs() as inputs:
        return run(command, files, inputs.options(options))


def _close(command: str, public: PathLike, inbox: PathLike | Iterable[PathLike], options: Mapping[str, Any]) -> SiteRound:
    told = _run(command, [as_path("public", public), *_files("inbox", inbox)], options)
    kinds: dict[str, type[FaceMean | FaceModes | FaceComparison | FaceRegression]] = {
        "mean": FaceMean,
        "modes": FaceModes,
        "groups": FaceComparison,
        "regress": FaceRegression,
    }
    found = told.pop("comparison", {}) | told.pop("regression", {})
    release = kinds[told["statistic"]]({"secret": {}} | told | found) if told["released"] else None
    return SiteRound(told["round"], told["rounds"], release)


def _files(name: str, value: PathLike | Iterable[PathLike]) -> list[str]:
    if is_path(value):
        return [as_path(name, value)]
    try:
        files = list(value)  # type: ignore[arg-type]
    except TypeError:
        raise InputError(f"{name}: expected files or folders, not {type(value).__name__}") from None
    if not files:
        raise InputError(f"{name}: is empty")
    return [as_path(f"{name}[{i}]", file) for i, file in enumerate(files)]


def _site(name: str, value: Any) -> tuple[Union[int, dict[str, int]], str]:
    """A site's people, all or by group, and its public key, as the command takes it."""
    said = f"sites[{name!r}]"
    if not isinstance(value, tuple):
        return _people(said, value), ""
    if len(value) != 2:
        raise InputError(f"{said}: expected a number of people, or that with a public key")
    return _people(said, value[0]), f",{as_path(said, value[1])}"


def _people(said: str, value: Any) -> Union[int, dict[str, int]]:
    if isinstance(value, Mapping):
        return {str(label): _whole(f"{said}[{label!r}]", n) for label, n in value.items()}
    return _whole(said, value)


def _groups(people: Mapping[str, Union[int, dict[str, int]]]) -> list[str]:
    """The labels that all sites have, sorted; none where all have one number."""
    labels = {name: sorted(own) if isinstance(own, dict) else [] for name, own in people.items()}
    groups = next(iter(labels.values()), [])
    for name, own in labels.items():
        if own != groups:
            raise InputError(
                f"sites[{name!r}]: has {', '.join(own) or 'no groups'}, other sites have {', '.join(groups) or 'none'}; give each the same "
                "labels, with 0 for a group of which nobody is there"
            )
    return groups


def _sizes(name: str, people: Union[int, dict[str, int]], groups: list[str]) -> list[str]:
    if isinstance(people, int):
        return [str(people)]
    if not groups:
        raise InputError(f"sites[{name!r}]: expected a number of people, or one for each group")
    return [str(people[label]) for label in groups]


def _whole(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**63:
        raise InputError(f"{name}: must be a whole number, 0 or more")
    return value
