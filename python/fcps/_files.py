# SPDX-License-Identifier: Apache-2.0
"""Texts in the user's files. Their errors are both `fcps.Error` and those of Python."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from ._fcps import lib
from ._host import Host, c_text
from .errors import ArgumentError, FileError, MissingFileError


def read_text(path: str | os.PathLike[str], what: str) -> str:
    """Reads the text of a file; `what` describes it in errors."""
    if Path(path).is_fifo() and not os.fsdecode(path).startswith(("/dev/", "/proc/")):
        raise FileError(f"{os.fspath(path)} is a named pipe, which might wait for ever; give a file, or /dev/stdin", field="path")
    try:
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ArgumentError(f"{os.fspath(path)} is not a text; give {what}", field="path") from None
    except OSError as failure:
        kind = MissingFileError if isinstance(failure, FileNotFoundError) else FileError
        error = kind(f"{os.fspath(path)} cannot be read: {failure.strerror}", field="path")
        error.errno, error.filename = failure.errno, os.fspath(path)
        raise error from None


def write_text(path: str | os.PathLike[str], words: str) -> None:
    """Writes a file through the library, which refuses to write over a study, a program or a problem."""
    keep: list[object] = []
    try:
        Host().call(lib.fcps_file_write, c_text(os.fsdecode(path), keep), c_text(words, keep))
    except FileError as error:
        numbers = (number for number in errno.errorcode if error.message.endswith(os.strerror(number)))
        error.errno, error.filename = next(numbers, None), os.fspath(path)
        raise
