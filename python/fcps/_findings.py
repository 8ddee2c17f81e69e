# SPDX-License-Identifier: Apache-2.0
"""Findings about a study as values: its outlook, remarks, events and counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ._failures import in_python
from ._fcps import ffi
from ._host import text
from ._problem import Problem
from ._values import Values


@dataclass(frozen=True)
class Outlook:
    """How good the policy is believed to be over the whole context space, and whether more trials are worth it."""

    contexts: int
    without_value: int
    low_chance: int
    reward: float
    deviation: float  # of a single trial, with its noise
    reducible_deviation: float  # the part of it that more trials reduce
    worst_reward: float
    gain: float
    spread: float
    is_converged: bool
    caution_cost: float
    suspects: int
    excused: int
    doubted: int  # results that count less because others contradict them; Table.known("doubted") says which
    remarks: int
    edge_gain: float
    untried_gain: float
    unmet: str | None  # the first unmet rule of is_converged; None: all are met, or a suspect or a remark holds it back
    worst_context: Values


@dataclass(frozen=True)
class Remark:
    """A sentence about something that looks wrong in a study."""

    code: str  # such as "W_UNIT"; docs/status.md lists them
    text: str  # what was found, and what to do about it
    holds_back: bool  # while it stands, the study is never converged


@dataclass(frozen=True)
class Event:
    """A change of the problem or of the learner, or another event of a study."""

    sequence: int
    time: float  # seconds since 1970
    code: str
    text: str
    replaced: str | None = None  # the value that a change replaced; None if the event is not a change


@dataclass(frozen=True)
class Counts:
    """The numbers of results that count, by the endings of their trials."""

    results: int
    with_outcome: int
    without_outcome: int
    failed: int
    outcomes_not_finite: int
    rewards_not_finite: int
    usable: int
    unused: int
    with_reward: int


def read_outlook(problem: Problem, c: Any, target: Any, environment: Any) -> Outlook:
    """Reads an fcps_outlook, with the context of the worst reward."""
    worst = ffi.unpack(target, len(problem.target)) + ffi.unpack(environment, len(problem.environment))
    names = [name for name in Outlook.__dataclass_fields__ if name not in ("unmet", "worst_context")]
    return Outlook(
        **{name: getattr(c, name) for name in names},
        unmet=None if c.unmet == ffi.NULL else text(c.unmet),
        worst_context=Values(problem.context, tuple(worst)),
    )


def read_remark(c: Any) -> Remark:
    """Reads an fcps_study_remark."""
    return Remark(text(c.code), in_python(text(c.text)), bool(c.holds_back))


def read_event(c: Any) -> Event:
    """Reads an fcps_study_event."""
    return Event(c.sequence, c.time_ms / 1000, text(c.code), text(c.text))


def read_counts(c: Any) -> Counts:
    """Reads an fcps_study_counts."""
    return Counts(*(getattr(c, name) for name in Counts.__dataclass_fields__))
