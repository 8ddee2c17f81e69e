# SPDX-License-Identifier: Apache-2.0
"""Errors: one class for each status of the library, all of them `fcps.Error`.

An error says what happened, names the field and says what to do next. Where Python has a class of the same meaning
(`ValueError`, `KeyError`, `OSError`), the error is one of those too.

>>> import fcps
>>> try:
...     fcps.Problem(parameters={"speed": (8, 1)}, reward="-speed")
... except fcps.BoundsError as error:
...     print(error.code, error.field)
FCPS_ERR_BOUNDS parameters.speed
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterable, Iterator
from typing import Any

from ._fcps import ffi, lib


class Error(Exception):
    """What went wrong. Subclasses say which kind; `code` is the stable name of the status in C."""

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
        self.field = field  # the field or setting concerned, such as "target.x"; "" where there is none
        self.hint = hint or _remedy(message) or self.default_hint  # what to do next
        self.file = file  # the user's file concerned, with the position in it
        self.line = line
        self.column = column

    def __str__(self) -> str:
        place = self.file and ":".join(str(part) for part in (self.file, self.line, self.column) if part)
        return ": ".join(part for part in (place, self.field, self.message) if part)

    def __reduce__(self) -> tuple[Any, ...]:
        return _make, (type(self), self.message, dict(self.__dict__))


class ArgumentError(Error, ValueError):
    """An argument that cannot be meant so."""

    default_code = "FCPS_ERR_ARGUMENT"
    default_hint = "give this argument another value"


class ClosedError(ArgumentError):
    """What was closed is used."""


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
    """A file is not there."""

    default_hint = "look at its name"


class NumericalError(Error, ArithmeticError):
    """A matrix is not positive definite."""

    default_code = "FCPS_ERR_NOT_POSITIVE"


class UnknownAskError(Error, LookupError):
    """No pending ask has this number."""

    default_code = "FCPS_ERR_UNKNOWN_ASK"
    default_hint = "tell a trial that was asked and is pending"


class CallbackError(Error):
    """A function of the problem failed. What it raised comes out of the call itself, so this is rarely seen."""

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
    """A different result is already stored; the new one is kept as evidence, and not used."""

    default_code = "FCPS_ERR_CONFLICT"


class ProgramError(Error):
    """The external program failed."""

    default_code = "FCPS_ERR_PROGRAM"


class FailureRateError(Error):
    """More than half of the trials failed."""

    default_code = "FCPS_ERR_FAILURE_RATE"


class InternalError(Error):
    """A mistake of the library."""

    default_code = "FCPS_ERR_INTERNAL"


class BusyError(Error, RuntimeError):
    """A function used the learner, policy or study that was calling it."""

    default_code = "FCPS_ERR_BUSY"
    default_hint = "return from the function first"


class NoRewardError(Error):
    """No trial has a reward that can be used."""

    default_code = "FCPS_ERR_NO_REWARD"


def _all_kinds(kind: type[Error]) -> Iterator[type[Error]]:
    for one in kind.__subclasses__():
        yield one
        yield from _all_kinds(one)


# by status: the class that names it; its own subclasses say more
_kinds: dict[str, type[Error]] = {kind.default_code: kind for kind in _all_kinds(Error) if "default_code" in vars(kind)}


def _make(kind: type[Error], message: str, state: dict[str, Any]) -> Error:
    error = kind(message)
    error.__dict__.update(state)
    return error


def _remedy(message: str) -> str:
    """Messages say first what happened and then what to do: after a semicolon, in a second sentence, or after a colon with
    what to do. Marks within brackets and quotes belong to what was given.
    """
    plain = message
    for inside in (_QUOTED, _BRACKETS, _BRACKETS):
        plain = inside.sub(lambda found: "_" * len(found[0]), plain)
    found = _REMEDY.search(plain)
    return message[found.end() :] if found else ""


_QUOTED = re.compile(r"""(?<!\w)'[^']*'(?!\w)|"[^"]*"|array\(.*\)""", re.DOTALL)
_BRACKETS = re.compile(r"\([^()]*\)|\[[^][]*\]|\{[^{}]*\}")
_REMEDY = re.compile(r"; |\. (?=[A-Z])|: (?=(?:ask|choose|give|install|look|make|open|run|set|use|wait|write)\b)")


def from_library(error: Any) -> Error:
    """The error that an fcps_error describes."""
    code = ffi.typeof("fcps_status").elements.get(error.status, "FCPS_ERR_INTERNAL")
    kind = _kinds.get(code, Error)
    message = in_python(_words(error.message))
    if kind is FileError and os.strerror(errno.ENOENT) in message:
        kind = MissingFileError
    return kind(
        message,
        code=code,
        field=_FIELD.sub(lambda found: _FIELDS[found[0]], _words(error.field)),
        file=_words(error.file),
        line=error.line,
        column=error.column,
    )


_WORD = r"(?:'[^']*'|\S+)"
_STUDY = rf"(?:fcps study amend {_WORD} )"
_RESULT = r"\d+(?:\.\d+)?(?:-\d+(?:\.\d+)?)?"
_RESULTS = rf"({_RESULT}(?:,{_RESULT})*)"
_SAID = [  # what the library says for the command line, and how Python does it
    (re.compile(r"FCPS_NOT_ASKED"), "None"),
    (re.compile(r"leave outcome_sd out"), "leave the deviation out"),
    (re.compile(r"replace it with --force"), "replace it with replace=True"),
    (re.compile(_STUDY + r"--use (\d+)\.(\d+)"), r"study.use_of(\1, \2)"),
    (re.compile(_STUDY + r"--drop (failed|no-outcome|not-finite)"), r"study.use(sequence, False) for each of them"),
    (re.compile(_STUDY + r"?--drop " + _RESULTS), r"study.use('\1', False)"),
    (re.compile(_STUDY + r"?--confirm " + _RESULTS), r"study.confirm('\1')"),
    (re.compile(_STUDY + r"?--reward '([^']*)'"), r'study.amend(reward="\1")'),
    (re.compile(rf"(?:{_STUDY}|amend )?--reward\b(?: FORMULA)?"), "study.amend(reward=...)"),
    (re.compile(_STUDY + r"?--bounds (\w+)=LOWER,UPPER"), r"study.amend(bounds={'\1': (lower, upper)})"),
    (re.compile(r"(?:amend )?--drop (?:failed|no-outcome|not-finite)|(?:amend )?--drop\b"), "study.use(sequence, False)"),
    (re.compile(r"--confirm\b"), "study.confirm(sequence)"),
    (re.compile(r"`fcps study log`"), "study.rollouts()"),
    (re.compile(rf"fcps study check-model {_WORD}"), "study.check_model()"),
    (re.compile(rf"fcps study repair {_WORD} --to NEW"), "fcps.Study.repair(path, to)"),
    (re.compile(r"(?<!`)fcps study status(?!`)"), "study.find_suspects()"),
    (re.compile(r"fcps study restore"), "fcps.Study.restore(backup, path)"),
    (re.compile(r"fcps study copy"), "fcps.Study.copy(source, to)"),
]
_FIELDS = {"outcome_sd": "deviation", "executed": "parameters"}
_FIELD = re.compile(r"^(?:outcome_sd|executed)\b")


def in_python(words: str) -> str:
    """Words of the library in which commands are calls of this package."""
    for said, done in _SAID:
        words = said.sub(done, words)
    return words


def from_status(status: int) -> Error:
    """The error for a call that has nothing more to say."""
    code = ffi.typeof("fcps_status").elements.get(status, "FCPS_ERR_INTERNAL")
    return _kinds.get(code, Error)(_words(lib.fcps_status_text(status)), code=code)


def is_status(code: str) -> bool:
    """Whether a status of the library has this name."""
    return code in _kinds


def of_code(code: str, message: str, field: str) -> Error:
    """The error of a status by its name, as another process told it."""
    return _kinds.get(code, Error)(message, code=code, field=field)


def _changes(a: str, b: str) -> int:
    """The least number of insertions, deletions, changes and exchanges of neighbours that make `a` into `b`."""
    earlier: list[int] = []
    last = list(range(len(b) + 1))
    for i in range(1, len(a) + 1):
        row = [i]
        for j in range(1, len(b) + 1):
            least = min(last[j - 1] + (a[i - 1] != b[j - 1]), last[j] + 1, row[j - 1] + 1)
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                least = min(least, earlier[j - 2] + 1)
            row.append(least)
        earlier, last = last, row
    return last[-1]


def _nearest(name: str, names: list[str]) -> str:
    """What was probably meant, as the library guesses it: one letter in three may be wrong (but none of one or two, which
    are mostly another name), and the beginning of a name is near it. "" where nothing is near.
    """
    allowed = len(name) // 3 if len(name) >= 6 else int(len(name) >= 3)
    away = {other: _changes(name.lower(), other.lower()) for other in names if name and len(name) < 64 > len(other)}
    near = [other for other, changes in away.items() if changes <= allowed or other.startswith(name)]
    return min(near, key=away.__getitem__, default="")


def unknown(what: str, name: object, known: Iterable[str], field: str = "") -> UnknownNameError:
    """No `what` is called so; says what was probably meant, and what there is."""
    names = list(known)
    meant = _nearest(str(name), names)
    there = ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")
    hint = f"did you mean '{meant}'?" if meant else ""
    message = (
        f"there is no {what} '{name}'; "
        + (f"{hint} " if hint else "")
        + (f"There are: {there}" if names else "there is none")
    )
    return UnknownNameError(message, field=field or str(name), hint=hint or f"choose one of: {there}")


def _words(text: Any) -> str:
    return str(ffi.string(text).decode("utf-8", "replace"))
