# SPDX-License-Identifier: Apache-2.0
"""Changes of a study: another reward, other bounds, another learner, old trials. All stored results are scored again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from typing import Any

from ._dimensions import Space
from ._failures import unknown
from ._fcps import ffi, lib
from ._findings import Counts, read_counts
from ._host import c_text, setting_list, text
from ._problem import limits_of, safe_of, texts_of
from ._speaking import SpeakingStudy
from ._trials import message_of
from .errors import ArgumentError, UnsupportedError


class ChangingStudy(SpeakingStudy):
    """Amends the problem and the learner of a study."""

    def amend(
        self,
        *,
        reward: str | None = None,
        bounds: Mapping[str, tuple[float, float]] | None = None,
        constraints: Iterable[str] | None = None,
        limits: Mapping[str, Mapping[str, Any]] | None = None,
        safe: Iterable[Mapping[str, float]] | None = None,
        cost: str | None = None,
        add_choice: Mapping[str, str] | None = None,
        force: bool = False,
    ) -> None:
        """Changes the formula of the reward or the cost ("none": all trials cost the same), the bounds of dimensions, or
        all constraints, limits or safe parameters, or adds words: add_choice={"gate": "ring"}. All stored results are
        scored again. A word that is nearly equal to another one needs `force`, and at a server also a reward that gives no
        stored result a finite value.
        """
        changes: dict[str, Any] = {
            "reward": _formula(reward),
            "bounds": {name: [it.lower, it.upper] for name, it in Space("bounds", bounds).items()} or None,
            "constraints": None if constraints is None else texts_of("constraints", constraints),
            "limits": None if limits is None else limits_of(limits),
            "safe": None if safe is None else safe_of(safe),
            "cost": cost,
            "add_choice": add_choice or None,
        }
        self._amend({name: value for name, value in changes.items() if value is not None}, force)

    def _amend(self, changes: dict[str, Any], force: bool) -> None:
        """Makes the changes, one after the other, in this process."""
        study = self._handle()
        add_choice = changes.pop("add_choice", None)
        self._check_formulas()
        keep: list[Any] = []
        for what, value in _texts(changes):
            self._host.call(lib.fcps_study_amend, study, c_text(what, keep), c_text(value, keep))
        if changes:
            self._see_amendment()
        if add_choice:
            self.call("amend", add_choice=add_choice, force=force)

    def call(self, operation: str, /, **request: Any) -> dict[str, Any]:
        """Does an operation by its name; see `Study.call`."""
        raise NotImplementedError

    def _see_amendment(self) -> None:
        self._host.problem = self.problem = self._read_problem(self.problem)
        self._is_reward_blamed = False

    def _check_formulas(self) -> None:
        if self.problem._source is None:
            raise UnsupportedError(
                "only a problem whose reward is a formula can be amended; open the study with a Problem that has another "
                "function: all stored results are scored again",
                field="reward",
            )

    def preview(
        self, *, reward: str | None = None, bounds: Mapping[str, tuple[float, float]] | None = None
    ) -> tuple[Counts, str]:
        """Computes the `counts` after one such change without making it, and says why a result could then not be used.
        """
        study = self._handle()
        spans = {name: [it.lower, it.upper] for name, it in Space("bounds", bounds).items()}
        changes = _texts({"bounds": spans} if reward is None else {"reward": _formula(reward), "bounds": spans})
        self._check_formulas()
        if len(changes) != 1:
            raise ArgumentError("give exactly one change: a reward, or the bounds of one dimension", field="reward")
        keep: list[Any] = []
        change, c, why = ffi.new("fcps_setting *"), ffi.new("fcps_study_counts *"), ffi.new("char[256]")
        change.name, change.value = (c_text(part, keep) for part in changes[0])
        self._host.call(lib.fcps_study_preview, study, change, c, why)
        return read_counts(c), text(why)

    def amend_learner(self, learner: str | None = None, **settings: Any) -> None:
        """Changes the learner and its settings, which are given by keywords. The new learner is told all results that
        count.
        """
        if "settings" in settings:  # settings are given as Study takes them
            way = "give settings by keywords, as in study.amend_learner(frame='off')"
            raise unknown("setting", "settings", (), remedy=way)
        keep: list[Any] = []
        self._host.call(
            lib.fcps_study_amend_learner, self._handle(), message_of(learner or "", keep), setting_list(settings, keep)
        )

    def note(self, code: str, words: str) -> None:
        """Adds an event that changes nothing."""
        keep: list[Any] = []
        self._host.call(lib.fcps_study_note, self._handle(), c_text(code, keep), c_text(words, keep))

    def import_csv(self, path: str | os.PathLike[str], *, again: bool = False) -> tuple[int, int]:
        """Reads old trials from a CSV with a column for each dimension. Returns how many were added and how many were
        skipped. Rows that equal a stored result are skipped, unless the trials were done `again` with the very same
        numbers.
        """
        keep: list[Any] = []
        added, skipped = ffi.new("int *"), ffi.new("int *")
        read = lib.fcps_study_import_again if again else lib.fcps_study_import
        self._host.call(read, self._handle(), c_text(os.fspath(path), keep), added, skipped)
        return added[0], skipped[0]


def _formula(reward: str | None) -> str | None:
    if reward is not None and not isinstance(reward, str):  # type: ignore[reportUnnecessaryIsInstance]
        raise ArgumentError(f"expected a formula, not {type(reward).__name__}", field="reward")
    return reward


def _texts(changes: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The changes as fcps_study_amend takes them."""
    texts: list[tuple[str, str]] = []
    for name, value in changes.items():
        if name == "bounds":
            texts += [(f"bounds.{dimension}", f"{lower!r},{upper!r}") for dimension, (lower, upper) in value.items()]
        else:
            texts.append((name, value if isinstance(value, str) else json.dumps(value)))
    return texts
