"""How far long work is: a bar, or a function of the caller's."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias, Union

from ._errors import InputError

#: True for a bar on standard error (tqdm's where it is installed), or a function of (what, done, total); total is 0 where not known.
Progress: TypeAlias = Union[bool, Callable[[str, int, int], Any]]


@contextmanager
def watch(progress: Progress) -> Iterator[Callable[[str, int, int], Any] | None]:
    """What is to be called."""
    if callable(progress):
        yield progress
    elif progress is True:
        bar = _bar()
        try:
            yield bar
        finally:
            bar.close()
    elif progress is False or progress is None:
        yield None
    else:
        raise InputError("progress: expected True, False or a function of (what, done, total)")


class _Plain:
    """A line every tenth."""

    def __init__(self) -> None:
        self._tenth = -1

    def __call__(self, what: str, done: int, total: int) -> None:
        tenth = 10 * done // total if total else -1
        if tenth > self._tenth:
            self._tenth = tenth
            print(f"{done}/{total} {what}", file=sys.stderr)

    def close(self) -> None:
        """Nothing to clear."""


class _Tqdm:
    def __init__(self, tqdm: Any) -> None:
        self._tqdm: Any = tqdm
        self._bar: Any = None

    def __call__(self, what: str, done: int, total: int) -> None:
        if self._bar is None:
            self._bar = self._tqdm(total=total or None, unit=f" {what}")
        # Threads may report out of order.
        self._bar.update(max(0, done - self._bar.n))

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


def _bar() -> Any:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _Plain()
    return _Tqdm(tqdm)
