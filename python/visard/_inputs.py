"""Arguments as the command takes them: arrays and tables become files in a folder nobody else can look into, gone afterwards."""

from __future__ import annotations

import csv
import tempfile
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeAlias, TypedDict, TypeVar

import numpy as np

from ._arrays import PathLike, as_path, indices, is_path, numbers
from ._command import in_python, run
from ._errors import InputError, RecordsWarning, VisardError
from ._geometry import Template
from ._privacy import Ledger
from ._progress import watch
from ._release import Release

_Of = TypeVar("_Of", bound=Release)

#: Writes the files of the records, which the command takes without an option; those that it takes by one are added to the options.
Records: TypeAlias = "Callable[[Inputs, dict[str, Any]], list[str]]"


class StudyOptions(TypedDict, total=False):
    """What every private statistic may be told, by name, beside `mu`, the budget in Gaussian differential privacy (at most ½ is strong, 1
    moderate, 3 weak), and `out`, the study's folder. A budget is needed: `mu`, or `epsilon` with `delta` (`epsilon` alone where the mechanism
    has pure ε); and a place: `out`, or a `ledger` (the release then lies in a temporary folder, see Release.save). Other options of the command
    are taken too, with _ in place of -."""

    #: Budget ε.
    epsilon: float | None
    #: Its δ.
    delta: float | None
    #: The ledger to charge, shared by all studies of the same people; without it one in the study's folder.
    ledger: Ledger | PathLike | None
    #: Fixes the noise: for tests and experiments only; the release is marked as not private.
    seed: int | None
    #: Goes on with an interrupted run of the same records and settings; what was paid for is not paid again.
    resume: bool
    #: Replaces a result that is there (the ledger keeps every charge).
    force: bool
    #: Stops at the price, which is in the summary of what is returned: nothing is charged.
    dry_run: bool
    #: Allows a budget that protects nobody; the certificate says so.
    vacuous_budget: bool
    #: Who gave which record, where people have several: a table record,person; a mapping; or one name a record in their order.
    people: Any
    #: Takes records that are identical to the last bit for different people's, instead of stopping.
    allow_identical: bool
    #: "zero" (the default): records that cannot be used contribute zero; "refuse": they stop the study before its charge, and the certificate
    #: says so.
    unusable: str


class CovariateOptions(TypedDict, total=False):
    """What is public of the covariates of a regression."""

    #: Public bounds of numbers, as in {"age": (3, 40)}; values beyond count as the bound.
    bounds: Mapping[str, tuple[float, float]] | None
    #: The public levels of words, two or more, as in {"sex": ("F", "M")}.
    levels: Mapping[str, Sequence[str]] | None
    #: Curves in place of straight lines, by the number of columns, as in {"age": 4}.
    spline: Mapping[str, int] | None


class Inputs:
    """The files of one call; a context."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._folder: Path | None = None
        self._names: dict[str, str] = {}
        #: What records are called, in order, where there is one.
        self.records: list[str] | None = None

    def __enter__(self) -> Inputs:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._stack.close()
        # Whoever gave an array knows it by the argument's name, not by a file that is gone.
        if isinstance(error, VisardError):
            text = str(error)
            for path, name in self._names.items():
                text = text.replace(path, name)
            if text.startswith("record ") and self._names:
                text = f"{next(iter(self._names.values()))}: {text}"
            if text != str(error):
                raise type(error)(text) from None

    def _new(self, argument: str, name: str) -> Path:
        if self._folder is None:
            # Readable by its owner only, as all of tempfile's.
            self._folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="visard-")))
        self._names[str(self._folder / name)] = argument
        return self._folder / name

    def array(self, name: str, value: Any, shape: tuple[int | str, ...] = ("...",)) -> str:
        """An array, or the path of a file that the command reads itself."""
        if is_path(value):
            return as_path(name, value)
        path = self._new(name, f"{name}.npy")
        np.save(path, numbers(name, value, shape, finite=False))
        return str(path)

    def options(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Options whose values the command knows in another form: tables, arrays, mappings."""
        found = {}
        for name, value in given.items():
            translate = _TRANSLATED.get(name)
            found[name] = value if translate is None or value is None or value is False else translate(self, name, value)
        return found

    def rows(self, name: str, heading: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
        """A table."""
        path = self._new(name, f"{name}.csv")
        with path.open("w", encoding="utf-8", newline="") as out:
            writer = csv.writer(out, lineterminator="\n")
            writer.writerow(heading)
            writer.writerows(rows)
        return str(path)

    def labels(self, name: str, value: Any, heading: str) -> str:
        """A table record,label: a file, a mapping of records, a Series with records as index, or one label a record in their order."""
        if is_path(value):
            return as_path(name, value)
        if isinstance(value, Mapping) or (hasattr(value, "index") and hasattr(value, "items")):
            _refuse_other_order(name, value, self.records)
            return self.rows(name, ("record", heading), [(str(record), _cell(label)) for record, label in value.items()])
        try:
            labels = list(value)
        except TypeError:
            raise InputError(f"{name}: expected a file, a mapping or a list of labels, not {type(value).__name__}") from None
        if self.records is None:
            raise InputError(f"{name}: labels in order need records in order (a list of files, or an array); give a mapping or a file")
        if len(labels) != len(self.records):
            raise InputError(f"{name}: {len(labels)} labels for {len(self.records)} records")
        return self.rows(name, ("record", heading), zip(self.records, map(_cell, labels)))

    def covariates(self, name: str, value: Any) -> str:
        """A table record,NAME…: a file, a DataFrame with records as index, or a mapping of names to one value a record in their order."""
        if is_path(value):
            return as_path(name, value)
        if hasattr(value, "columns") and hasattr(value, "index"):
            _refuse_other_order(name, value, self.records)
            rows = [(str(record), *map(_cell, row)) for record, row in zip(value.index, value.itertuples(index=False))]
            return self.rows(name, ("record", *map(str, value.columns)), rows)
        if not isinstance(value, Mapping) or not value:
            raise InputError(f"{name}: expected a file, a DataFrame or a mapping of names to values, not {type(value).__name__}")
        if self.records is None:
            raise InputError(f"{name}: values in order need records in order (a list of files, or an array); give a DataFrame or a file")
        for column, values in value.items():
            _refuse_other_order(f"{name}: {column}", values, self.records, by_name=False)
            if len(values) != len(self.records):
                raise InputError(f"{name}: {column} has {len(values)} values for {len(self.records)} records")
        rows = [(record, *map(_cell, row)) for record, *row in zip(self.records, *value.values())]
        return self.rows(name, ("record", *map(str, value)), rows)

    def landmarks(self, name: str, value: Any) -> str:
        """Rows of landmarks: files count them from 1, arrays from 0 as Python does."""
        if is_path(value):
            return as_path(name, value)
        rows = indices(name, value, 3 if name == "sliders" else 2)
        if rows.size and rows.min() < 0:
            raise InputError(f"{name}: {rows.min()} is not a landmark; in arrays landmarks are counted from 0")
        return self.array(name, rows + 1)


def template_path(name: str, value: Any) -> str:
    """The file of a public template."""
    return as_path(name, (value._path or "builtin") if isinstance(value, Template) else value)


def _pairs(name: str, value: Any, word: Callable[[str, Any], str]) -> list[str]:
    """What is known of covariates in advance, a name each."""
    if not isinstance(value, Mapping):
        raise InputError(f"{name}: expected a mapping of names, not {type(value).__name__}")
    return [word(covariate, known) for covariate, known in value.items()]


def _bounds(name: str, value: Any) -> str:
    try:
        low, high = (float(bound) for bound in value)
    except (TypeError, ValueError):
        raise InputError(f"{name}: expected two numbers, as in (3, 40)") from None
    return f"{low!r}:{high!r}"


#: Options whose values have another form in Python.
_TRANSLATED: dict[str, Callable[[Inputs, str, Any], Any]] = {
    "people": lambda inputs, name, value: inputs.labels(name, value, "person"),
    "groups": lambda inputs, name, value: inputs.labels(name, value, "group"),
    "covariates": Inputs.covariates,
    "bounds": lambda _, name, value: _pairs(name, value, lambda one, known: f"{one}={_bounds(name, known)}"),
    "levels": lambda _, name, value: _pairs(name, value, lambda one, known: f"{one}={'|'.join(map(str, known))}"),
    "spline": lambda _, name, value: _pairs(name, value, lambda one, columns: f"{one}={columns}"),
    "size_bounds": lambda _, name, value: _bounds(name, value),
    "template": lambda _, name, value: template_path(name, value),
    "positions": Inputs.array,
    "start": Inputs.array,
    "sliders": Inputs.landmarks,
    "links": Inputs.landmarks,
    "pairs": Inputs.landmarks,
}


def array(X: Any, shape: tuple[int | str, ...], *, one_record: bool = True) -> Records:
    """Records in an array, which tables name by their numbers, or in a file. `one_record`: whether a file has a public centre as its only
    record."""

    def written(inputs: Inputs, options: dict[str, Any]) -> list[str]:
        file = inputs.array("X", X, shape)
        if not is_path(X):
            inputs.records = [str(i) for i in range(len(X))]
        center = options.get("center")
        if center is not None and not is_path(center):
            center = numbers("center", center, ("...",), finite=False)
            options["center"] = inputs.array("center", center[None] if one_record else center)
        return [file]

    return written


def study(result: type[_Of], command: str, records: Records, given: Mapping[str, Any]) -> _Of:
    """Runs a study by the command. `given`: the arguments of the function that users call, as `locals()` has them there."""
    options = {name: value for name, value in given.items() if name not in ("X", "scans", "options")} | given["options"]
    with Inputs() as inputs, watch(options.pop("progress", False)) as shown:
        files = records(inputs, options)
        keep = place(options)
        found = run(command, files, inputs.options(options), shown)
    # A dry run writes nothing.
    found = {"out": options["out"], "secret": {}} | found
    return _warned(result(found, keep))


def place(options: dict[str, Any]) -> Any:
    """Where a study works and what it charges, filled in; its folder where that is a temporary one, which lives as long as the release."""
    keep, ledger = None, options.get("ledger")
    if options.get("out") is None:
        if ledger is None and options.get("mechanism") != "none":
            raise InputError("out, ledger: name a folder for the study (it gets a ledger of its own), or a ledger to charge")
        keep = tempfile.TemporaryDirectory(prefix="visard-")
        options["out"] = str(Path(keep.name) / "study")
    if isinstance(ledger, Ledger):
        options |= {"ledger": ledger.path, "ceiling_mu": ledger.ceiling_mu}
    return keep


def _warned(release: _Of) -> _Of:
    """What looks odd in the records of a study is a warning for the data holder. Where warnings are exceptions, the release, which has been
    paid for, is not lost: the exception has it."""
    secret = release.summary["secret"]
    unusable = secret.get("unusable", 0)
    counted = []
    if unusable:
        unused, do = ("1 record", "contributes") if unusable == 1 else (f"{unusable} records", "contribute")
        counted = [f"{unused} could not be used and {do} zero; internal/unusable.csv says which and why"]
    try:
        for remark in (*counted, *secret.get("remarks", ())):
            warnings.warn(f"{in_python(remark)} (do not publish this)", RecordsWarning, stacklevel=4)
    except RecordsWarning as warning:
        warning.release = release
        raise
    return release


def _refuse_other_order(name: str, value: Any, records: Sequence[str] | None, by_name: bool = True) -> None:
    """Rows of pandas have names. Where records are rows of an array, they are called by their number; names that are these numbers in another
    order (as after `sample`) may mean rows by name or rows in order. With `by_name=False`, so does any other name: it is not looked at."""
    if records is None or not (hasattr(value, "index") and hasattr(value, "iloc")):
        return
    index = [str(record) for record in value.index]
    if index == list(records):
        return
    numbered = list(records) == [str(i) for i in range(len(records))]
    in_order = index == [str(i) for i in range(len(index))]
    if (numbered and sorted(index) == sorted(records)) or (not by_name and not in_order):
        raise InputError(
            f"{name}: its index is not that of the records in their order; if its rows are in the order of the records, give it with "
            ".reset_index(drop=True), and if they go by the index, bring it into their order first, as with .sort_index()"
        )


def _cell(value: Any) -> str:
    """Missing values are empty; numbers keep all their digits."""
    # pandas.NA compares to nothing.
    if value is None or type(value).__name__ in ("NAType", "NaTType") or value != value:
        return ""
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    return str(value)
