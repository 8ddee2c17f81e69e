# SPDX-License-Identifier: Apache-2.0
"""Facts about a study as values: its outlook, remarks, events and counts."""

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
    deviation: float
    worst_reward: float
    gain: float
    spread: float
    is_converged: bool
    trial_deviation: float
    caution_cost: float
    suspects: int
    excused: int
    doubted: int  # results that count less because others contradict them; Table.known("doubted") marks them
    remarks: int
    edge_gain: float
    untried_gain: float
    unmet: str | None  # the first rule of is_converged that is not met; None: all are met, or a remark prevents it
    worst_context: Values


@dataclass(frozen=True)
class Remark:
    """Something that looks wrong in a study."""

    code: str  # such as "W_UNIT"; docs/status.md lists them
    text: str  # the observation, and what to do about it
    holds_back: bool  # the study does not count as converged as long as this remark stands


@dataclass(frozen=True)
class Event:
    """A change of the problem or of the learner, or another event of a study."""

    sequence: int
    time: float  # seconds since 1970
    code: str
    text: str
    replaced: str | None = None  # the text that a change replaced; None if the event is not a change


@dataclass(frozen=True)
class Counts:
    """The results that count, by how their trials ended."""

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
    """An fcps_outlook, with the numbers of its worst context."""
    worst = ffi.unpack(target, len(problem.target)) + ffi.unpack(environment, len(problem.environment))
    names = [name for name in Outlook.__dataclass_fields__ if name not in ("unmet", "worst_context")]
    return Outlook(
        **{name: getattr(c, name) for name in names},
        unmet=None if c.unmet == ffi.NULL else text(c.unmet),
        worst_context=Values(problem.context, tuple(worst)),
    )


def read_remark(c: Any) -> Remark:
    """An fcps_remark."""
    return Remark(text(c.code), in_python(text(c.text)), bool(c.holds_back))


def read_event(c: Any) -> Event:
    """An fcps_study_event."""
    return Event(c.sequence, c.time_ms / 1000, text(c.code), text(c.text))


def read_counts(c: Any) -> Counts:
    """An fcps_study_counts."""
    return Counts(*(getattr(c, name) for name in Counts.__dataclass_fields__))
