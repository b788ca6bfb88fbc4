"""Arrays from whatever holds numbers, with the argument's name in what is said of them."""

from __future__ import annotations

import os
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._errors import InputError

Array: TypeAlias = NDArray[np.float64]
PathLike: TypeAlias = "str | os.PathLike[str]"


def is_path(value: object) -> bool:
    """Whether it names a file."""
    return isinstance(value, (str, os.PathLike))


def as_path(name: str, value: object) -> str:
    """The path of a file or folder."""
    if not isinstance(value, (str, os.PathLike)):
        raise InputError(f"{name}: expected a path, not {type(value).__name__}")
    path = os.fspath(value)
    if not isinstance(path, str):
        raise InputError(f"{name}: expected a path of text, not of bytes")
    return path


def numbers(name: str, value: ArrayLike, shape: tuple[int | str, ...], finite: bool = True) -> Array:
    """A C-contiguous float64 array of this shape; words in it stand for any length, "..." at its beginning for any number of axes."""
    array = _array(name, value)
    free = shape[:1] == ("...",)
    wanted = shape[1:] if free else shape
    found = array.shape[array.ndim - len(wanted) :] if free and array.ndim >= len(wanted) else array.shape
    if len(found) != len(wanted) or any(isinstance(w, int) and w != f for w, f in zip(wanted, found)):
        words = ", ".join(str(axis) for axis in shape)
        raise InputError(f"{name}: expected an array of shape ({words}{',' if len(shape) == 1 else ''}), this one is {array.shape}")
    if array.size == 0:
        raise InputError(f"{name}: is empty")
    if finite and not np.isfinite(array).all():
        place = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise InputError(f"{name}: has no finite number at {list(place)}")
    return array


def _array(name: str, value: Any) -> Array:
    if isinstance(value, np.ma.MaskedArray) and bool(np.any(value.mask)):
        raise InputError(f"{name}: has masked entries; fill them or leave their records out")
    try:
        array = np.asarray(value)
    except (ValueError, TypeError) as error:
        raise InputError(f"{name}: is not an array: {error}") from None
    if array.dtype.kind == "O":
        # A table of numbers may come as objects; anything else may not.
        try:
            array = array.astype(np.float64)
        except (ValueError, TypeError):
            raise InputError(f"{name}: holds objects that are no numbers, or rows of different lengths") from None
    if array.dtype.kind not in "fiu":
        raise InputError(f"{name}: holds {array.dtype}, expected numbers")
    return np.ascontiguousarray(array, dtype=np.float64)


def indices(name: str, value: ArrayLike, width: int) -> NDArray[np.int64]:
    """A C-contiguous int64 array (n, width)."""
    array = np.asarray(value)
    if array.dtype.kind not in "iu":
        raise InputError(f"{name}: holds {array.dtype}, expected whole numbers")
    if array.ndim != 2 or array.shape[1] != width:
        raise InputError(f"{name}: expected an array of shape (n, {width}), this one is {array.shape}")
    return np.ascontiguousarray(array, dtype=np.int64)
