# SPDX-License-Identifier: Apache-2.0
"""Texts in the user's files, whose errors are `fcps.Error` and those of Python at once."""

from __future__ import annotations

import os
from pathlib import Path

from .errors import ArgumentError, FileError, MissingFileError


def read_text(path: str | os.PathLike[str], what: str) -> str:
    """The text of a file; `what` it should be is for errors."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ArgumentError(f"{os.fspath(path)} is not a text; give {what}", field="path") from None
    except OSError as failure:
        raise _error(f"{os.fspath(path)} cannot be read", path, failure) from None


def write_text(path: str | os.PathLike[str], words: str) -> None:
    """Writes a file."""
    try:
        Path(path).write_text(words, encoding="utf-8")
    except OSError as failure:
        raise _error(f"{os.fspath(path)} cannot be written", path, failure) from None


def _error(words: str, path: str | os.PathLike[str], failure: OSError) -> FileError:
    kind = MissingFileError if isinstance(failure, FileNotFoundError) else FileError
    error = kind(f"{words}: {failure.strerror}", field="path")
    error.errno, error.filename = failure.errno, os.fspath(path)
    return error
