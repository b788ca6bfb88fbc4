"""The way of every study: arguments become words of the command, and its answer comes back."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from . import _visard
from ._arrays import as_path, is_path
from ._errors import InputError, VisardError

#: An option as messages of the command name it, with the placeholder of its value; a bare one that they advise is `True` here.
_OPTION = re.compile(r"(?<![\w/.-])--([a-z][a-z-]*)(?: <[^>]*>)?(?:\.\.\.)?(?: ([A-Z]+(?:\.[a-z]+)?|\d+)\b)?")
_FLAGS = ("force", "resume", "unit_records", "vacuous_budget")


def in_python(text: str) -> str:
    """Options of the command as arguments: "--drop-missing" is "drop_missing", "--mu F" is "mu=F"."""
    text = re.sub(r"--mechanism ([a-z][a-z-]*)", r'mechanism="\1"', text)
    text = re.sub(r"\bsite (sum|share|verify|merge|unshare)\b", r"site_\1", text)
    return _OPTION.sub(_argument, text)


def _argument(option: re.Match[str]) -> str:
    name = option[1].replace("-", "_")
    value = option[2] or (name in _FLAGS)
    return f"{name}={value}" if value else name


def words(options: Mapping[str, Any]) -> list[str]:
    """Options as the command takes them: None and False are left out, True is a bare option, several values are the option several times."""
    found = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if isinstance(value, (bool, np.bool_)):
            found += [option] * bool(value)
        elif value is not None:
            values = value if isinstance(value, (list, tuple, np.ndarray)) else [value]
            found += [f"{option}={_word(name, one)}" for one in values]
    return found


def _word(name: str, value: Any) -> str:
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if is_path(value):
        return as_path(name, value)
    raise InputError(f"{name}: {value!r} is not a number, a word or a path")


def run(
    command: str,
    files: Iterable[str] = (),
    options: Mapping[str, Any] = {},
    progress: Callable[[str, int, int], Any] | None = None,
) -> Any:
    """What the command prints with `--json`; with "secret", for the data holder only, and "notes", where there are any."""
    try:
        found = json.loads(_visard.run([*command.split(), *words(options), "--", *files], progress))
    except (VisardError, TypeError) as error:
        text = in_python(str(error))
        if text == str(error):
            raise
        raise type(error)(text) from None
    answer = found["answer"]
    if found["secret"]:
        answer["secret"] = {"remarks": [], **found["secret"]}
    if found["notes"] and isinstance(answer, dict):
        answer["notes"] = [in_python(note) for note in found["notes"]]
    return answer
