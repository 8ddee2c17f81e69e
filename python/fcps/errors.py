# SPDX-License-Identifier: Apache-2.0
"""Errors: one class for each status of the library, all of them `fcps.Error`.

An error says what happened, names the field and says what to do next. If Python has a class of the same meaning
(`ValueError`, `KeyError`, `OSError`), the error is one of those too.

>>> import fcps
>>> try:
...     fcps.Problem(parameters={"speed": (8, 1)}, reward="-speed")
... except fcps.BoundsError as error:
...     print(error.code, error.field)
FCPS_ERR_BOUNDS parameters.speed
"""

from __future__ import annotations

import re
from typing import Any


class Error(Exception):
    """The base class of all errors. Subclasses say which kind it is; `code` is the stable name of the status in C."""

    default_code = "FCPS_ERR_INTERNAL"
    default_hint = "look at the field and the message"

    def __init__(
        self,
        message: str,
        *,
        code: str = "",
        field: str = "",
        hint: str = "",
        file: str = "",
        line: int = 0,
        column: int = 0,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.default_code
        self.field = field  # the field or setting with the mistake, such as "target.x"; "" if there is none
        self.hint = hint or _remedy(message) or self.default_hint  # what to do next
        self.file = file  # the user's file with the mistake, and the position in it
        self.line = line
        self.column = column

    def __str__(self) -> str:
        place = self.file and ":".join(str(part) for part in (self.file, self.line, self.column) if part)
        return ": ".join(part for part in (place, self.field, self.message) if part)

    def __reduce__(self) -> tuple[Any, ...]:
        return _make, (type(self), self.message, dict(self.__dict__))


class ArgumentError(Error, ValueError):
    """An argument that is not valid."""

    default_code = "FCPS_ERR_ARGUMENT"
    default_hint = "give this argument another value"


class ClosedError(ArgumentError):
    """A handle was used after it was closed."""


class OutOfMemoryError(Error, MemoryError):
    """There is no memory left."""

    default_code = "FCPS_ERR_MEMORY"
    default_hint = "ask for less at once"


class NotFiniteError(Error, ValueError):
    """A number is NaN or infinite."""

    default_code = "FCPS_ERR_NOT_FINITE"
    default_hint = "give a finite number"


class BoundsError(Error, ValueError):
    """A value lies outside its bounds."""

    default_code = "FCPS_ERR_BOUNDS"
    default_hint = "give a value within the bounds"


class UnknownNameError(Error, KeyError):
    """No dimension, setting, learner or task has this name."""

    default_code = "FCPS_ERR_UNKNOWN_NAME"
    default_hint = "choose one of the names that exist"
    __str__ = Error.__str__


class UnsupportedError(Error):
    """Not possible for this problem or learner."""

    default_code = "FCPS_ERR_UNSUPPORTED"
    default_hint = "choose another learner, or complete the problem"


class UnavailableError(Error):
    """An optional part is missing on this machine."""

    default_code = "FCPS_ERR_UNAVAILABLE"
    default_hint = "install what is missing"


class FormatError(Error, ValueError):
    """A text or file is malformed."""

    default_code = "FCPS_ERR_FORMAT"
    default_hint = "mend the text at this place"


class FileError(Error, OSError):
    """Reading or writing a file failed."""

    default_code = "FCPS_ERR_IO"
    default_hint = "look at the file and its permissions"
    __str__ = Error.__str__


class MissingFileError(FileError, FileNotFoundError):
    """A file does not exist."""

    default_hint = "look at its name"


class NumericalError(Error, ArithmeticError):
    """A matrix is not positive definite."""

    default_code = "FCPS_ERR_NOT_POSITIVE"


class UnknownAskError(Error, LookupError):
    """No pending ask has this number."""

    default_code = "FCPS_ERR_UNKNOWN_ASK"
    default_hint = "tell a trial that was asked and is pending"


class CallbackError(Error):
    """A function of the problem failed. Its exception is raised by the call itself, so this error is rare."""

    default_code = "FCPS_ERR_CALLBACK"


class StoppedError(Error):
    """Stopped on request."""

    default_code = "FCPS_ERR_STOPPED"


class StoreError(Error, OSError):
    """The store failed; nothing was acknowledged."""

    default_code = "FCPS_ERR_STORE"
    __str__ = Error.__str__


class StoreFullError(StoreError):
    """There is no space left for the store; nothing was acknowledged."""

    default_code = "FCPS_ERR_STORE_FULL"


class LockedError(StoreError):
    """Another process holds the study."""

    default_code = "FCPS_ERR_LOCKED"
    default_hint = "wait until the other process has ended"


class DamagedError(StoreError):
    """The study file is damaged."""

    default_code = "FCPS_ERR_DAMAGED"
    default_hint = "save what is left with fcps.Study.repair(path, to)"


class ConflictError(Error):
    """A different result is already stored. The new one is kept as evidence, but not used."""

    default_code = "FCPS_ERR_CONFLICT"


class ProgramError(Error):
    """The external program failed."""

    default_code = "FCPS_ERR_PROGRAM"


class FailureRateError(Error):
    """More than half of the trials failed."""

    default_code = "FCPS_ERR_FAILURE_RATE"


class InternalError(Error):
    """A mistake in the library."""

    default_code = "FCPS_ERR_INTERNAL"


class BusyError(Error, RuntimeError):
    """A function used the learner, policy or study that was calling it."""

    default_code = "FCPS_ERR_BUSY"
    default_hint = "return from the function first"


class NoRewardError(Error):
    """No trial has a reward that can be used."""

    default_code = "FCPS_ERR_NO_REWARD"


class TrialFailed(Exception):
    """Raise it in the function that does trials if a trial fails: the run continues, and the learner avoids this place.
    """

    def __init__(self, message: str = "", *, status: str = "failed") -> None:
        super().__init__(message)
        self.status = status


class StopRun(Exception):
    """Raise it in `on_episode`, or in the function that does trials, to end a run and keep its trials: `fcps.run`
    returns. A trial that raises it stays unfinished, and the next run begins with it.
    """


def _make(kind: type[Error], message: str, state: dict[str, Any]) -> Error:
    error = kind(message)
    error.__dict__.update(state)
    return error


def _remedy(message: str) -> str:
    """The part of a message that says what to do: after a semicolon, in a second sentence, or after a colon. Marks
    within brackets and quotes are part of quoted values.
    """
    plain = message
    for inside in (_QUOTED, _BRACKETS, _BRACKETS):
        plain = inside.sub(lambda found: "_" * len(found[0]), plain)
    found = _REMEDY.search(plain)
    return message[found.end() :] if found else ""


_QUOTED = re.compile(r"""(?<!\w)'[^']*'(?!\w)|"[^"]*"|array\(.*\)""", re.DOTALL)
_BRACKETS = re.compile(r"\([^()]*\)|\[[^][]*\]|\{[^{}]*\}")
_REMEDY = re.compile(r"; |\. (?=[A-Z])|: (?=(?:ask|choose|give|install|look|make|open|run|set|use|wait|write)\b)")


__all__ = [
    "ArgumentError",
    "BoundsError",
    "BusyError",
    "CallbackError",
    "ClosedError",
    "ConflictError",
    "DamagedError",
    "Error",
    "FailureRateError",
    "FileError",
    "FormatError",
    "InternalError",
    "LockedError",
    "MissingFileError",
    "NoRewardError",
    "NotFiniteError",
    "NumericalError",
    "OutOfMemoryError",
    "ProgramError",
    "StopRun",
    "StoppedError",
    "StoreError",
    "StoreFullError",
    "TrialFailed",
    "UnavailableError",
    "UnknownAskError",
    "UnknownNameError",
    "UnsupportedError",
]


def __dir__() -> list[str]:
    return __all__
