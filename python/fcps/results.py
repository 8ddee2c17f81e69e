# SPDX-License-Identifier: Apache-2.0
"""All results of a study as one table: their dimensions, and what is known of each."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._fcps import ffi, lib
from ._host import Handle, Host, text
from .problem import Problem
from .trials import STATUSES
from .values import Table

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
    "was_used": np.bool_,
    "time": np.float64,
    "result_number": np.int64,
}


def read_results(host: Host, study: Handle, problem: Problem) -> Table:
    """The table, by a caller who has the host's lock."""
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
    table.say("ask", np.array(known.pop("ask"), np.int64), dimensions)
    for space in spaces:
        table.update({name: numbers[space.name][:, i].copy() for i, name in enumerate(space.names)})
    for name, values in known.items():
        table.say(name, np.array(values, _KNOWN[name]), dimensions)
    return table


def _known_of(stored: Any) -> tuple[Any, ...]:
    """What is known of a result, in the order of the columns."""
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
        stored.was_used,
        stored.time_ms / 1000,
        stored.result_number,
    )
