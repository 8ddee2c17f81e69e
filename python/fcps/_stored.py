# SPDX-License-Identifier: Apache-2.0
"""The stored data of a study: its trials, results and events, and which results count."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ._failures import from_library, in_python
from ._fcps import ffi, lib
from ._findings import Counts, Event, read_counts
from ._host import taken_text, text, warn, whole_number
from ._opened import OpenStudy
from ._results import find_named, read_results
from ._trials import Trial, check_own, number_of, read_ask
from ._values import Table

_INT = (-(2**31), 2**31 - 1)  # numbers of C's int
_WORDS = 1024  # room for a text of the library


class StoredStudy(OpenStudy):
    """Reads stored data, and sets whether a result counts."""

    _is_reward_blamed = False  # it was logged that no reward can be used

    @property
    def trials(self) -> list[Trial]:
        """All trials that were asked for."""
        with self._host.lock:
            self._see_others()
            study = self._handle().c
            ask = ffi.new("fcps_ask *")
            found: list[Trial] = []
            for i in range(lib.fcps_study_ask_count(study)):
                lib.fcps_study_ask_at(study, i, ask)
                found.append(read_ask(self.problem, ask, self._identity))
            return found

    @property
    def pending(self) -> list[Trial]:
        """The trials without a result."""
        return [trial for trial in self.trials if trial.state == "pending"]

    def rollouts(self) -> Table:
        """All stored results, as a table: context, parameters, outcome, `reward`, `status` and further facts about
        each.

        pandas.DataFrame(study.rollouts()) and polars.DataFrame(study.rollouts()) make a data frame of it. If the reward
        is a function that raises, rewards are NaN, and the logger `fcps` has the exception.
        """
        with self._host.lock:
            self._see_others()
            return read_results(self._host, self._handle(), self.problem)

    def __len__(self) -> int:
        """The number of stored results."""
        with self._host.lock:
            self._see_others()
            return self._result_count()

    def _result_count(self) -> int:
        return int(self._host.look(lib.fcps_study_result_count, self._handle()))

    def __iter__(self) -> Iterator[Trial]:
        return iter(self.trials)

    @property
    def counts(self) -> Counts:
        """How the trials ended."""
        c = ffi.new("fcps_study_counts *")
        with self._host.lock:
            self._see_others()
            self._host.look(lib.fcps_study_count, self._handle(), c)
        return read_counts(c)

    @property
    def events(self) -> list[Event]:
        """Amendments and other events, oldest first."""
        with self._host.lock:
            self._see_others()
            return [replace(event, replaced=self._replaced(i)) for i, event in enumerate(self._events())]

    def _replaced(self, index: int) -> str | None:
        out = ffi.new("char **")
        self._host.call(lib.fcps_study_replaced, self._handle(), index, out)
        return None if out[0] == ffi.NULL else taken_text(out[0])

    def refresh(self) -> None:
        """Reads what other processes have stored. All methods that need this call it themselves."""
        self._host.call(lib.fcps_study_refresh, self._handle())

    def _see_others(self) -> None:
        """The same for a caller who has the lock and reads stored data, which works even if the reward raises. During a
        call of the library nothing is changed.
        """
        study = self._handle()
        if self._is_file and not self._host.active:
            status = self._host.look(lib.fcps_study_refresh, study, self._host.error)
            if status not in (lib.FCPS_OK, lib.FCPS_ERR_CALLBACK):
                raise from_library(self._host.error)

    def _number(self, trial: Trial | int | None) -> int:
        """The number of a trial, which must be one of this study."""
        number = number_of(trial)
        if isinstance(trial, Trial):
            with self._host.lock:
                own = self._asked_as(number)
                if own is None:  # asked by another process
                    self.refresh()
                    own = self._asked_as(number)
            if own is not None:
                check_own(trial, own, "study")
        return number

    def _asked_as(self, number: int) -> Trial | None:
        study, ask = self._handle().c, ffi.new("fcps_ask *")
        count = lib.fcps_study_ask_count(study)
        for i in (number - 1, *range(count)):  # asks are numbered from 1, and few are missing
            if 0 <= i < count:
                lib.fcps_study_ask_at(study, i, ask)
                if ask.id == number:
                    return read_ask(self.problem, ask, self._identity)
        return None

    # -- Which results count --

    def find_suspects(self) -> Table:
        """The results that the model believes to be wrong, each judged from all others."""
        count = ffi.new("int *")
        with self._host.lock:
            self._host.call(lib.fcps_study_find_suspects, self._handle(), count)
            # an exception of the reward is raised: without rewards nothing can be judged
            self._host.read(lib.fcps_study_count, self._handle(), ffi.new("fcps_study_counts *"))
            table = self.rollouts()
            rows = np.flatnonzero(table.known("suspect"))
            chosen = table.where(rows)
            words = np.array([self._surprise(int(row)) for row in rows], object)
            chosen._say("surprise", words, chosen)
            return chosen

    def _surprise(self, index: int) -> str:
        stored, words = ffi.new("fcps_stored_result *"), ffi.new("char[]", lib.FCPS_SURPRISE_SIZE)
        self._host.read(lib.fcps_study_result_at, self._handle(), index, stored)
        self._host.read(lib.fcps_study_surprise_text, self._handle(), stored, words)
        return in_python(text(words))

    def _warn_without_rewards(self) -> None:
        """Logs once if trials succeeded but not one reward can be used; the caller has the lock. A single such reward
        is mentioned by its receipt only.
        """
        if self._is_reward_blamed or (count := self._count_without_rewards()) < 2:
            return
        self._is_reward_blamed = True
        warn(
            "W_REWARD_NOT_FINITE",
            f"none of the {count} results that could have a reward has one that can be used ({self.unusable_reason()}): asks and "
            "answers are guesses. Look at the reward",
        )

    def _count_without_rewards(self) -> int:
        """How many trials succeeded; 0 if the reward of one of them can be used. Looks at the latest first."""
        stored, count = ffi.new("fcps_stored_result *"), 0
        for i in reversed(range(self._result_count())):
            self._host.look(lib.fcps_study_result_at, self._handle(), i, stored)
            if not stored.is_used or stored.result.rollout.status != lib.FCPS_ROLLOUT_OK:
                continue
            if math.isfinite(stored.result.rollout.reward):
                return 0
            count += 1
        return count

    def unusable_reason(self) -> str:
        """Why the latest result that should count cannot be used: because of an outcome, or of a part of the reward's
        formula. "" if all can be used.
        """
        words = ffi.new("char[]", _WORDS)
        with self._host.lock:
            return text(self._host.read(lib.fcps_study_explain, self._handle(), ffi.NULL, _WORDS, words))

    def complaint(self) -> str:
        """If no trial has succeeded: their messages, and what to do. "" if one has."""
        words = ffi.new("char[]", _WORDS)
        return in_python(text(words)) if self._host.read(lib.fcps_study_complain, self._handle(), _WORDS, words) else ""

    def confirm(self, sequence: int | str) -> None:
        """Confirms that a surprising result is right; by its `sequence` in the table of rollouts, or by its name in
        messages: "21.1" is the first result of ask 21, "30.1-39.1,42.1" are several.
        """
        for one in self._sequences(sequence):
            self._host.call(lib.fcps_study_confirm, self._handle(), one)

    def use(self, sequence: int | str, used: bool = True) -> None:
        """Hides a result from the learner, or shows it again; by its `sequence` or its name, as in `confirm`."""
        for one in self._sequences(sequence):
            self._host.call(lib.fcps_study_use_result, self._handle(), one, bool(used))

    def _sequences(self, given: int | str) -> list[int]:
        return find_named(self.rollouts(), given) if isinstance(given, str) else [whole_number("sequence", given)]

    def use_of(self, trial: Trial | int, result_number: int) -> None:
        """Chooses which of several results of a trial is used; by its `result_number` in the table of rollouts."""
        number = whole_number("result_number", result_number, *_INT)
        self._host.call(lib.fcps_study_use, self._handle(), self._number(trial), number)
