"""Arrays and tables as files that studies read: in a folder nobody else can look into, gone afterwards."""

from __future__ import annotations

import csv
import re
import tempfile
import warnings
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple, TypedDict, TypeVar

import numpy as np

from ._arrays import PathLike, as_path, is_path, numbers
from ._errors import InputError, RecordsWarning, VisardError
from ._geometry import CURVES, SAMPLES, Prepared, Template
from ._privacy import Ledger, Mu
from ._release import Release


_Of = TypeVar("_Of", bound=Release)


class Inputs:
    """The files of one call; a context."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._folder: Path | None = None
        self._names: dict[str, str] = {}

    def __enter__(self) -> Inputs:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._stack.close()
        # Whoever gave an array knows it by the argument's name, not by a file that is gone.
        if isinstance(error, VisardError):
            told = str(error)
            text = in_python(told)
            for path, name in self._names.items():
                text = text.replace(path, name)
            if text.startswith("record ") and self._names:
                text = f"{next(iter(self._names.values()))}: {text}"
            if text != told:
                raise type(error)(text) from None

    def _new(self, argument: str, name: str) -> Path:
        if self._folder is None:
            # Readable by its owner only, as all of tempfile's.
            self._folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="visard-")))
        self._names[str(self._folder / name)] = argument
        return self._folder / name

    def array(self, name: str, value: Any, shape: tuple[int | str, ...], file: str, finite: bool = True) -> str:
        """An array, or the path of a file that the library reads itself."""
        if is_path(value):
            return as_path(name, value)
        array = numbers(name, value, shape, finite)
        path = self._new(name, file)
        np.save(path, array)
        return str(path)

    def rows(self, name: str, heading: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
        """A table."""
        path = self._new(name, f"{name}.csv")
        with path.open("w", encoding="utf-8", newline="") as out:
            writer = csv.writer(out, lineterminator="\n")
            writer.writerow(heading)
            writer.writerows(rows)
        return str(path)

    def labels(self, name: str, value: Any, heading: str, records: Sequence[str] | None) -> str:
        """A table record,label: a file, a mapping of records, a Series with records as index, or one label a record in their order."""
        if is_path(value):
            return as_path(name, value)
        pairs = _pairs(name, value, records)
        return self.rows(name, ("record", heading), pairs)

    def covariates(self, value: Any, records: Sequence[str] | None) -> str:
        """A table record,NAME…: a file, a DataFrame with records as index, or a mapping of names to one value a record in their order."""
        name = "covariates"
        if is_path(value):
            return as_path(name, value)
        if hasattr(value, "columns") and hasattr(value, "index"):
            _refuse_other_order(name, value, records)
            columns = [str(column) for column in value.columns]
            index = [str(record) for record in value.index]
            rows = [(record, *map(_cell, row)) for record, row in zip(index, value.itertuples(index=False))]
            return self.rows(name, ("record", *columns), rows)
        if not isinstance(value, Mapping) or not value:
            raise InputError(f"{name}: expected a file, a DataFrame or a mapping of names to values, not {type(value).__name__}")
        if records is None:
            raise InputError(f"{name}: values in order need records in order (a list of files, or an array); give a DataFrame or a file")
        for column, values in value.items():
            _refuse_other_order(f"{name}: {column}", values, records, by_name=False)
            if len(values) != len(records):
                raise InputError(f"{name}: {column} has {len(values)} values for {len(records)} records")
        rows = [(record, *map(_cell, row)) for record, *row in zip(records, *value.values())]
        return self.rows(name, ("record", *map(str, value)), rows)


def in_python(text: str) -> str:
    """Options of the command as arguments: "--drop-missing" is "drop_missing"."""
    return re.sub(r"(?<![\w/.-])--([a-z][a-z-]*)", lambda option: option[1].replace("-", "_"), text)


def warned(release: _Of) -> _Of:
    """What looks odd in the records of a study is a warning for the data holder. Where warnings are exceptions, the release, which has been
    paid for, is not lost: the exception has it."""
    secret = release.summary["secret"]
    unusable = secret.get("unusable", 0)
    counted = []
    if unusable:
        records, do = ("1 record", "contributes") if unusable == 1 else (f"{unusable} records", "contribute")
        counted = [f"{records} could not be used and {do} zero; internal/unusable.csv says which and why"]
    try:
        for remark in (*counted, *secret.get("remarks", ())):
            warnings.warn(f"{in_python(remark)} (do not publish this)", RecordsWarning, stacklevel=3)
    except RecordsWarning as warning:
        warning.release = release
        raise
    return release


def count(name: str, value: int) -> int:
    """A whole number, 1 or more."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise InputError(f"{name}: must be a whole number, 1 or more")
    return int(value)


def as_radius(name: str, value: Any) -> float | None:
    """A public number, where there is one; the library says which are any good."""
    if value is None:
        return None
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InputError(f"{name}: {value!r} is not a number") from None


def positive_or_private(name: str, value: float | str | None) -> float | None:
    """A public number; "private" is handed on as a negative one."""
    if value is None:
        return None
    if isinstance(value, str) and value == "private":
        return -1.0
    number = float("nan") if isinstance(value, str) else as_radius(name, value)
    if number is None or not 0 < number < float("inf"):
        raise InputError(f'{name}: {value!r} is neither a positive number nor "private"')
    return number


def points_options(mechanism: str | None, calibration: str, draws: int, unusable: str) -> dict[str, Any]:
    """What private means of points share."""
    return {
        "mechanism": mechanism,
        "calibration": calibration,
        "draws": count("draws", draws),
        "unusable": unusable,
    }


def in_order(X: Any) -> list[str] | None:
    """What the records of an array are called."""
    return None if is_path(X) else [str(i) for i in range(len(X))]


def one_record(name: str, value: Any) -> Any:
    """One record, as files hold one: a batch of one."""
    if is_path(value):
        return value
    array = np.asarray(value)
    if array.dtype.kind not in "fiu":
        raise InputError(f"{name}: holds {array.dtype}, expected numbers")
    return array[None]


def design(
    bounds: Mapping[str, tuple[float, float]] | None,
    levels: Mapping[str, tuple[str, str]] | None,
    spline: Mapping[str, int] | None,
) -> tuple[list[str], list[str], list[str]]:
    """What is known of covariates beforehand, as the command is told it."""
    if not (bounds or levels):
        raise InputError("bounds, levels: give what is known of the covariates in advance")
    return (
        [f"{name}={float(low)!r}:{float(high)!r}" for name, (low, high) in (bounds or {}).items()],
        [f"{name}={a}|{b}" for name, (a, b) in (levels or {}).items()],
        [f"{name}={count('spline', columns)}" for name, columns in (spline or {}).items()],
    )


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


def _pairs(name: str, value: Any, records: Sequence[str] | None) -> list[tuple[str, str]]:
    if hasattr(value, "index") and hasattr(value, "items") and not isinstance(value, Mapping):
        _refuse_other_order(name, value, records)
        return [(str(record), _cell(label)) for record, label in value.items()]
    if isinstance(value, Mapping):
        return [(str(record), _cell(label)) for record, label in value.items()]
    try:
        labels = list(value)
    except TypeError:
        raise InputError(f"{name}: expected a file, a mapping or a list of labels, not {type(value).__name__}") from None
    if records is None:
        raise InputError(f"{name}: labels in order need records in order (a list of files, or an array); give a mapping or a file")
    if len(labels) != len(records):
        raise InputError(f"{name}: {len(labels)} labels for {len(records)} records")
    return [(record, _cell(label)) for record, label in zip(records, labels)]


class Faces(NamedTuple):
    """Whose faces."""

    options: dict[str, Any]
    #: What records are called, in order, where there is one.
    records: list[str] | None


def faces(
    inputs: Inputs,
    scans: Any,
    template: Template | PathLike | None,
    curves: int,
    samples: int,
    registration: str,
    crop_radius: float | None,
    unusable: str,
) -> Faces:
    """Scans: a folder, files, or records prepared before."""
    files: list[str] = []
    prepared: str | None = None
    records: list[str] | None = None
    if isinstance(scans, Prepared) or isinstance(scans, np.ndarray):
        array = numbers("scans", scans.curves if isinstance(scans, Prepared) else scans, ("n", "J", "m", 3))
        curves, samples = array.shape[1:3]
        prepared = inputs.array("scans", array, ("n", "J", "m", 3), "records.npy", finite=unusable == "refuse")
        records = [str(i) for i in range(len(array))]
    elif is_path(scans):
        path = as_path("scans", scans)
        # An array of records has an ending that scans may have too: it is known by its shape.
        prepared = path if _is_prepared(path) else None
        files = [] if prepared else [path]
        if prepared:
            records = [str(i) for i in range(len(np.load(path, mmap_mode="r")))]
    else:
        try:
            items = list(scans)
        except TypeError:
            raise InputError(f"scans: expected a folder, files or prepared records, not {type(scans).__name__}") from None
        for i, item in enumerate(items):
            if not is_path(item):
                raise InputError(f"scans[{i}]: expected a path, not {type(item).__name__}; visard.prepare makes records of meshes and arrays")
        files = [as_path(f"scans[{i}]", item) for i, item in enumerate(items)]
        if not files:
            raise InputError("scans: is empty")
        records = files if all(Path(file).is_file() for file in files) else None
    source = template._path if isinstance(template, Template) else template
    options = {
        "scans": files,
        "prepared": prepared,
        "template": None if source is None else as_path("template", source),
        "curves": curves,
        "samples": samples,
        "registration": registration,
        "crop_radius": crop_radius,
        "unusable": unusable,
    }
    return Faces(options, records)


def _is_prepared(path: str) -> bool:
    if not path.endswith(".npy"):
        return False
    try:
        return np.load(path, mmap_mode="r").ndim == 4
    except (OSError, ValueError):
        return False


class Budget(NamedTuple):
    """What a release may cost, where it works, what it is charged to."""

    options: dict[str, Any]
    #: A temporary folder that lives as long as the release.
    keep: Any


class StudyOptions(TypedDict, total=False):
    """What every private statistic may be told, by name. A budget is needed: `mu`, or `epsilon` with `delta` (`epsilon` alone where the
    mechanism has pure ε); and a place: `out`, or a `ledger`."""

    #: Budget in Gaussian differential privacy (at most ½ is strong, 1 moderate, 3 weak).
    mu: float | None
    #: Budget ε.
    epsilon: float | None
    #: Its δ.
    delta: float | None
    #: The study's folder; without it a temporary one (see Release.save), and the ledger has to be named.
    out: PathLike | None
    #: The ledger to charge, shared by all studies of the same people; without it one in the study's folder.
    ledger: Ledger | PathLike | None
    #: Fixes the noise: for tests and experiments only; the release is marked as not private.
    seed: int | None
    #: Goes on with an interrupted run of the same records and settings; what was paid for is not paid again.
    resume: bool
    #: Replaces a result that is there (the ledger keeps every charge).
    force: bool
    #: Allows a budget that protects nobody; the certificate says so.
    vacuous_budget: bool
    #: Who gave which record, where people have several: a table record,person; a mapping; or one name a record in their order.
    people: Any
    #: Takes records that are identical to the last bit for different people's, instead of stopping.
    allow_identical: bool


def budget(
    inputs: Inputs, given: StudyOptions, records: Sequence[str] | None = None, *, free: bool = False
) -> Budget:
    """The options that every private statistic has. `free`: nothing is charged."""
    for name in given:
        if name not in StudyOptions.__annotations__:
            raise TypeError(f"unexpected option {name!r}; known are {', '.join(StudyOptions.__annotations__)}")
    mu, epsilon, delta = given.get("mu"), given.get("epsilon"), given.get("delta")
    out, ledger, seed, people = given.get("out"), given.get("ledger"), given.get("seed"), given.get("people")
    keep = None
    if out is None:
        if ledger is None and not free:
            raise InputError("out, ledger: name a folder for the study (it gets a ledger of its own), or a ledger to charge")
        keep = tempfile.TemporaryDirectory(prefix="visard-")
        out = Path(keep.name) / "study"
    file, ceiling = ledger, None
    if isinstance(ledger, Ledger):
        file, ceiling = ledger.path, ledger.ceiling_mu
    if seed is not None and not (isinstance(seed, (int, np.integer)) and 0 <= seed < 2**64):
        raise InputError("seed: must be a whole number, 0 or more")
    options = {
        "mu": None if mu is None else float(Mu(mu)),
        "epsilon": None if epsilon is None else float(epsilon),
        "delta": None if delta is None else float(delta),
        "out": as_path("out", out),
        "ledger": None if file is None else as_path("ledger", file),
        "ceiling_mu": ceiling,
        "seed": None if seed is None else int(seed),
        "people": None if people is None else inputs.labels("people", people, "person", records),
        **{name: bool(given.get(name, False)) for name in ("resume", "force", "vacuous_budget", "allow_identical")},
    }
    return Budget(options, keep)
