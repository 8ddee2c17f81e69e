# SPDX-License-Identifier: Apache-2.0
"""Copies, backups and repairs of whole studies."""

from __future__ import annotations

import os
from typing import Any

from ._fcps import ffi, lib
from ._host import Host, c_text, taken_text
from ._opened import OpenStudy
from .errors import UnsupportedError


class CopiedStudy(OpenStudy):
    """Copies a study, and restores it from a copy."""

    def backup(self, path: str | os.PathLike[str], *, replace: bool = False) -> int:
        """Copies the study to another file, also while others write to it. Returns how many records it has."""
        keep: list[Any] = []
        records = ffi.new("int64_t *")
        with self._host.lock:
            url = lib.fcps_study_url(self._handle().c)
            if url == ffi.NULL:
                raise UnsupportedError(
                    "a study in memory cannot be copied; give it a path when it is made", field="path"
                )
            self._host.call(lib.fcps_study_backup, url, c_text(os.fspath(path), keep), replace, records)
        return int(records[0])

    @staticmethod
    def repair(path: str | os.PathLike[str], to: str | os.PathLike[str]) -> int:
        """Copies the undamaged records of a damaged study to a new file. Returns how many these are."""
        keep: list[Any] = []
        records = ffi.new("int64_t *")
        Host().call(lib.fcps_study_repair, c_text(os.fspath(path), keep), c_text(os.fspath(to), keep), records)
        return int(records[0])

    @staticmethod
    def restore(backup: str | os.PathLike[str], path: str | os.PathLike[str], *, force: bool = False) -> str | None:
        """Makes `path` a copy of a backup. Returns the new name of the study that was there; None if there was none.
        If there is another study, it is refused unless `force`."""
        keep: list[Any] = []
        kept, records = ffi.new("char **"), ffi.new("int64_t *")
        Host().call(
            lib.fcps_study_restore,
            c_text(os.fspath(backup), keep),
            c_text(os.fspath(path), keep),
            force,
            kept,
            records,
        )
        return None if kept[0] == ffi.NULL else taken_text(kept[0])

    @staticmethod
    def copy(source: str | os.PathLike[str], to: str | os.PathLike[str]) -> int:
        """Copies a study to a new one: a file, or postgresql://HOST/DATABASE#NAME. Returns how many records it has."""
        keep: list[Any] = []
        records = ffi.new("int64_t *")
        Host().call(lib.fcps_study_copy, c_text(os.fspath(source), keep), c_text(os.fspath(to), keep), records)
        return int(records[0])

    @staticmethod
    def remove(path: str | os.PathLike[str]) -> None:
        """Deletes a study and all files that belong to it."""
        keep: list[Any] = []
        Host().call(lib.fcps_study_remove, c_text(os.fspath(path), keep))
