# SPDX-License-Identifier: Apache-2.0
"""Messages of a study about told results, in the words of the program, to the logger `fcps`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ._fcps import ffi, lib
from ._host import text, warn
from ._stored import StoredStudy
from ._trials import Receipt
from ._values import Table

_LEAST_IN_A_ROW = 3  # fewer failed trials in a row are not taken for an outage
_WHY = 300  # room for an explanation


class SpeakingStudy(StoredStudy):
    """Logs what a person should know about a told result."""

    _is_loss_said = False  # it was logged that the reward has no value without an outcome
    _looked_at = 0, 0  # the numbers of results and of failed ones at the last look for an outage
    _outage = ""  # the results of the outage that was logged

    def _say_of_receipt(self, receipt: Receipt, lacks_outcome: bool, explain: Callable[[], str] = str) -> None:
        """Logs messages about a result that was just told, unless it was told before."""
        if receipt.is_repeated:
            return
        if receipt.is_late:
            warn(
                "W_TELL_LATE",
                f"ask {receipt.ask} had been given up or timed out; its result is stored and will be used",
            )
        self._say_of_result(receipt, lacks_outcome, explain)

    def _say_of_result(self, stored: Any, lacks_outcome: bool, explain: Callable[[], str] = str) -> None:
        """Logs why a result cannot be used; it is a Receipt or an fcps_stored_result."""
        if stored.is_misplaced:
            warn(
                "W_ENVIRONMENT_NOT_FINITE",
                "the measured environment is NaN, infinite or beyond 1e100. The result is stored with the environment of the "
                "ask, but the model does not use it",
            )
        elif stored.is_flagged and lacks_outcome:
            self._say_of_loss()
        elif stored.is_flagged:
            name = f"the result of ask {stored.ask}" if stored.ask else "this result"
            why = explain()
            warn(
                "W_REWARD_NOT_FINITE",
                f"the outcome or the reward of {name} cannot be used: it is NaN, infinite or beyond 1e100"
                f"{f' ({why})' if why else ''}. The result is stored, but the model does not use it",
            )

    def _say_of_loss(self) -> None:
        """Logs once that trials without an outcome have no reward."""
        if self._is_loss_said:
            return
        self._is_loss_said = True
        warn(
            "W_NO_REWARD",
            "the reward has no value without an outcome. The result counts all the same: the model learns where there is "
            "no outcome, and takes the worst reward seen for this one. To choose another reward for it, write a formula "
            "such as `present ? -distance : -10`",
        )

    def _explain_result(self, stored: Any) -> str:
        """Explains why an fcps_stored_result cannot be used."""
        words = ffi.new("char[]", _WHY)
        return text(self._host.look(lib.fcps_study_explain, self._handle(), stored, _WHY, words))

    def _explain_told(self, ask: int) -> str:
        """The same for the result that was just told; the caller has the lock."""
        stored = ffi.new("fcps_stored_result *")
        if not self._host.look(lib.fcps_study_result_of, self._handle(), ask, stored):
            last = self._host.look(lib.fcps_study_result_count, self._handle()) - 1
            self._host.look(lib.fcps_study_result_at, self._handle(), last, stored)
        return self._explain_result(stored)

    def _say_of_client(self, number: int, asked: str, client: str) -> None:
        """Logs if a client tells the result of another client's ask, which may be a wrong number."""
        if client and asked and asked != client:
            warn(
                "W_OTHER_CLIENT",
                f"ask {number} was given to {asked}, not to {client}. Its result is stored; if the number is wrong, take it "
                "out with study.use(sequence, False)",
            )

    # -- Outages --

    def _may_have_outage(self) -> bool:
        """Whether several trials in a row failed that were not checked for an outage yet; the caller has the lock."""
        counts = self.counts
        seen = counts.results, counts.failed + counts.without_outcome
        if seen[1] < _LEAST_IN_A_ROW or not counts.usable or self._looked_at == seen:
            return False
        self._looked_at = seen
        return _longest_row(_went_wrong(self.rollouts(), self.problem.outcome.names)) >= _LEAST_IN_A_ROW

    def _look_for_outage(self, policy: Any) -> None:
        """Logs which trials a policy takes for an outage; the caller has the lock."""
        outlook = ffi.new("fcps_outlook *")
        self._host.call(lib.fcps_study_outlook, self._handle(), policy, outlook, ffi.NULL, ffi.NULL)
        self._say_excused()

    def _say_excused(self) -> None:
        """Logs which trials the last outlook took for an outage."""
        table = self.rollouts()
        names = ",".join(
            f"{ask}.{number}" if ask else str(sequence)
            for ask, number, sequence, excused in zip(
                *(table.known(name) for name in ("ask", "result_number", "sequence", "excused"))
            )
            if excused
        )
        if names and names != self._outage:
            warn(
                "W_OUTAGE",
                f"{names.count(',') + 1} trials in a row went wrong, probably because of the machine and not of their "
                f"parameters: {names}. They do not count against their parameters; study.use('{names}', False) takes them out "
                "for good",
            )
        self._outage = names


def _went_wrong(table: Table, outcome: tuple[str, ...]) -> list[bool]:
    """For each result that counts, whether its trial failed or had no outcome."""
    failed = table.known("status") != "ok"
    absent = np.all([np.isnan(table[name]) for name in outcome], axis=0) if outcome else np.zeros(table.rows, bool)
    return (failed | absent)[table.known("used")].tolist()


def _longest_row(flags: list[bool]) -> int:
    longest = length = 0
    for flag in flags:
        length = length + 1 if flag else 0
        longest = max(longest, length)
    return longest
