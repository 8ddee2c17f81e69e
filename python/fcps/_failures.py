# SPDX-License-Identifier: Apache-2.0
"""Makes errors from the messages of the library, in the words of Python, with a guess for misspelt names."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterable, Iterator
from typing import Any

from ._fcps import ffi, lib
from .errors import Error, FileError, MissingFileError, UnknownNameError


def _all_kinds(kind: type[Error]) -> Iterator[type[Error]]:
    for one in kind.__subclasses__():
        yield one
        yield from _all_kinds(one)


# the class of each status; its subclasses are more specific
_kinds: dict[str, type[Error]] = {kind.default_code: kind for kind in _all_kinds(Error) if "default_code" in vars(kind)}


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
_SAID = [  # words of the library for the command line, and the same in Python
    (re.compile(r"FCPS_NOT_ASKED"), "None"),
    (re.compile(r"\bleave outcome_sd out\b"), "leave deviation out"),
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
    (re.compile(r"\b([Tt]he same) command may be given again"), r"\1 call may be made again"),
    (re.compile(r"FCPS_SERVER_WAIT=SECONDS lets"), "a larger `wait` lets"),
    (re.compile(r"fcps study forget (?:'[^']*'|\S+) (\d+)"), r"study.forget(\1)"),
]
_FIELDS = {"outcome_sd": "deviation", "executed": "parameters", "STUDY": "address"}
_FIELD = re.compile(r"^(?:outcome_sd|executed|STUDY)\b")


def in_python(words: str) -> str:
    """Replaces commands in a message of the library by calls of this package."""
    for said, done in _SAID:
        words = said.sub(done, words)
    return words


def from_status(status: int) -> Error:
    """The error of a call that gives only a status."""
    code = ffi.typeof("fcps_status").elements.get(status, "FCPS_ERR_INTERNAL")
    return _kinds.get(code, Error)(_words(lib.fcps_status_text(status)), code=code)


def is_status(code: str) -> bool:
    """Whether a status of the library has this name."""
    return code in _kinds


def of_code(code: str, message: str, field: str) -> Error:
    """The error of a status by its name, as another process sent it."""
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
    """The name that was probably meant, by the rules of the library: one letter in three may be wrong (but none in
    names of one or two letters), and the beginning of a name is near it. "" if no name is near.
    """
    allowed = len(name) // 3 if len(name) >= 6 else int(len(name) >= 3)
    away = {other: _changes(name.lower(), other.lower()) for other in names if name and len(name) < 64 > len(other)}
    near = [other for other, changes in away.items() if changes <= allowed or other.startswith(name)]
    return min(near, key=away.__getitem__, default="")


def unknown(what: str, name: object, known: Iterable[str], field: str = "", remedy: str = "") -> UnknownNameError:
    """The error that there is no `what` with this name, with the name that was probably meant, and the known names.
    `remedy` replaces these."""
    names = list(known)
    if remedy:
        return UnknownNameError(f"there is no {what} '{name}'; {remedy}", field=field or str(name), hint=remedy)
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
