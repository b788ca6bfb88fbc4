"""Exceptions. All derive from :class:`VisardError`; messages name the argument, the file or the record, and never hold a value of one."""

from typing import Any

__all__ = ["BudgetError", "InputError", "NotConvergedError", "RecordsWarning", "VisardError"]


class VisardError(RuntimeError):
    """Something could not be done."""


class InputError(VisardError, ValueError):
    """An argument, a file or a record is not valid. Nothing was charged."""


class BudgetError(VisardError):
    """The ledger has no room for the release, or its budget would protect nobody. Nothing was charged."""


class NotConvergedError(VisardError):
    """An iteration did not reach its tolerance."""


class RecordsWarning(UserWarning):
    """Something looks odd in the records, or was done about them. It tells of single people: for the data holder, not to be published."""

    #: Where warnings are exceptions: the release, which has been paid for.
    release: Any = None
