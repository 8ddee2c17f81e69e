# SPDX-License-Identifier: Apache-2.0
"""All results of a study as one table: their dimensions, and further facts about each."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ._fcps import ffi, lib
from ._host import Handle, Host, text
from ._problem import Problem
from ._trials import STATUSES
from ._values import Table
from .errors import ArgumentError, UnknownAskError

_KNOWN: dict[str, Any] = {
    "ask": np.int64,
    "sequence": np.int64,
    "reward": np.float64,
    "status": object,
    "message": object,
    "client": object,
    "used": np.bool_,
    "flagged": np.bool_,
    "suspect": np.bool_,
    "in_other_unit": np.bool_,
    "confirmed": np.bool_,
    "excused": np.bool_,
    "doubted": np.bool_,
    "was_used": np.bool_,
    "time": np.float64,
    "result_number": np.int64,
}


def read_results(host: Host, study: Handle, problem: Problem) -> Table:
    """The table of results; the caller has the host's lock."""
    count = lib.fcps_study_result_count(study.c)
    spaces = (problem.target, problem.environment, problem.parameters, problem.outcome)
    numbers = {space.name: np.full((count, len(space)), np.nan) for space in spaces}
    known: dict[str, list[Any]] = {name: [] for name in _KNOWN}
    stored = ffi.new("fcps_stored_result *")
    for i in range(count):
        host.look(lib.fcps_study_result_at, study, i, stored)
        for space in spaces:
            pointer = getattr(stored.result.rollout, space.name)
            if len(space) and pointer != ffi.NULL:
                numbers[space.name][i] = ffi.unpack(pointer, len(space))
        for name, value in zip(_KNOWN, _known_of(stored)):
            known[name].append(value)
    table = Table()
    dimensions = [name for space in spaces for name in space.names]
    table._say("ask", np.array(known.pop("ask"), np.int64), dimensions)
    for space in spaces:
        table._add(space.names, numbers[space.name])
    for name, values in known.items():
        table._say(name, np.array(values, _KNOWN[name]), dimensions)
    return table


_NAME = re.compile(r"(\d+)(\.\d+)?(?:-(\d+)(\.\d+)?)?")


def find_named(table: Table, names: str) -> list[int]:
    """Finds the sequences of results by their names in messages: "21.1" is the first result of ask 21, a plain number
    is a sequence, "30.1-39.1" is a range; several are separated by commas.
    """
    ask, sequence, number = (table.known(name) for name in ("ask", "sequence", "result_number"))
    found: list[int] = []
    for word in names.split(","):
        name = _NAME.fullmatch(word.strip())
        if name is None or (name[3] is not None and name[2] != name[4]):
            raise ArgumentError(
                f"'{word}' is not a result; give its sequence, or its name as in '42.2', or a range as in '30.1-39.1'",
                field="sequence",
            )
        first, last = int(name[1]), int(name[3] or name[1])
        place = sequence if name[2] is None else np.where(number == int(name[2][1:]), ask, 0)
        chosen = sequence[(place >= max(first, 1)) & (place <= last)].tolist()
        if not chosen:
            raise UnknownAskError(f"there is no result {word.strip()}; study.rollouts() lists them", field="sequence")
        found += chosen
    return found


def _known_of(stored: Any) -> tuple[Any, ...]:
    """Facts about a result, in the order of the columns."""
    result, rollout = stored.result, stored.result.rollout
    return (
        stored.ask,
        stored.sequence,
        rollout.reward,
        STATUSES[int(rollout.status)],
        text(result.message),
        text(result.client),
        stored.is_used,
        stored.is_flagged,
        stored.is_suspect,
        stored.is_in_other_unit,
        rollout.is_confirmed,
        stored.is_excused,
        stored.is_doubted,
        stored.was_used,
        stored.time_ms / 1000,
        stored.result_number,
    )
