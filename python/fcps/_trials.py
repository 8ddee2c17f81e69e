# SPDX-License-Identifier: Apache-2.0
"""A trial, what is told about it, and what a policy answers.

A trial has its context, its parameters and the identity of its study. All are compared with the ask of its number before it
is told: numbers of asks agree by chance between studies, and equal seeds give equal trials.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, Union, cast

from ._failures import from_library, unknown
from ._fcps import ffi, lib
from ._host import c_text, text, warn, whole_number
from ._values import ARGUMENTS, RowLike, Values, one_number, one_row
from .errors import ArgumentError, ConflictError

if TYPE_CHECKING:
    from ._problem import Problem

STATUSES: Final = ("ok", "failed", "refused", "timeout", "unstable")  # in the order of fcps_rollout_status
STATES: Final = ("pending", "told", "forgotten")  # in the order of fcps_ask_state


class Missing(Enum):
    """The outcome was not given: another thing than None, an outcome that does not exist."""

    MISSING = "missing"


MISSING: Final = Missing.MISSING
OutcomeLike = Union[RowLike, float, None, Missing]


@dataclass(frozen=True)
class Expected:
    """What the learner expected of a trial when it asked for it."""

    outcome: Values | None  # None: no outcome was predicted
    outcome_deviation: Values | None  # standard deviations, with the noise of a trial
    reward: float  # with what may go wrong; NaN if none was predicted, or the reward was amended since
    deviation: float  # standard deviation of the reward
    chance_of_success: float  # that the trial does not fail
    chance_of_outcome: float  # that a trial which does not fail has an outcome
    limits: Values | None = None  # the chance that each limit is kept; None: there are no limits
    chance_of_limits: float = 1.0  # that all of them are kept


@dataclass(frozen=True)
class Trial:
    """Parameters to try in a context. Do it, then tell its outcome."""

    id: int
    target: Values
    environment: Values
    parameters: Values
    client: str = ""
    state: str = "pending"
    is_repeated: bool = field(default=False, compare=False)  # it was pending already, and is offered again
    study: str = field(default="", compare=False, repr=False)  # the identity of who asked it; "": that is not known
    expected: Expected | None = field(default=None, compare=False, repr=False)  # None: the learner expected nothing
    cost: float | None = field(default=None, compare=False)  # None: the problem does not say what trials cost


@dataclass(frozen=True)
class Receipt:
    """What a study answers once a result is stored."""

    ask: int  # 0: nobody had asked for it
    reward: float  # for the trial's own target; NaN if it has none
    result_number: int = 1
    is_repeated: bool = False  # the same result was stored before; nothing new was
    is_late: bool = False  # the ask had been given up; the result is used
    is_flagged: bool = False  # a number is not finite; the result is stored, and models leave it out
    is_misplaced: bool = False  # the measured environment is not finite; that of the ask is stored
    is_suspect: bool = False  # far from what the model expected: a typing error?


@dataclass(frozen=True)
class Answer:
    """What a policy answers for a context: parameters, and what they are expected to come to."""

    parameters: Values
    reward: float  # NaN if the policy predicts none, or knows nothing yet
    deviation: float  # standard deviation of the reward
    reducible_deviation: float  # the part of it that further trials can take away
    outcome: Values | None
    outcome_deviation: Values | None
    chance_of_success: float  # that the trial does not fail
    chance_of_outcome: float  # that a trial which does not fail has an outcome
    success_reward: float  # the reward of a trial that does not fail and has an outcome
    success_deviation: float  # its standard deviation
    lacking_results: int = 0  # so many more are needed before any of this means something
    limits: Values | None = None  # the chance that each limit is kept; None: there are no limits
    chance_of_limits: float = 1.0  # that all of them are kept

    @property
    def chance(self) -> float:
        """That the trial does not fail and has an outcome."""
        return self.chance_of_success * self.chance_of_outcome


def doubles(values: list[float]) -> Any:
    """An array for the library; NULL for no numbers."""
    return ffi.new("double[]", values) if values else ffi.NULL


def unpack(space: Any, pointer: Any) -> Values:
    """Numbers of the library by name."""
    count = len(space.names)
    return Values(space.names, tuple(ffi.unpack(pointer, count)) if count else ())


def read_ask(problem: Problem, ask: Any, study: str = "") -> Trial:
    """An ask of a study, as a value."""
    return Trial(
        ask.id,
        unpack(problem.target, ask.target),
        unpack(problem.environment, ask.environment),
        unpack(problem.parameters, ask.parameters),
        text(ask.client),
        STATES[int(ask.state)],
        ask.is_repeated,
        study,
        _read_expected(problem, ask),
        None if problem.cost is None else problem._cost_at(ask.target, ask.environment, ask.parameters),
    )


def limit_chances(
    problem: Problem, target: Any, environment: Any, parameters: Any, outcome: Any, deviation: Any
) -> tuple[Values | None, float]:
    """The chance that a trial which is expected to go so keeps each limit, and all of them; C arrays."""
    if not problem.limits or outcome == ffi.NULL:
        return None, 1.0
    native, chances, together = problem._native(), ffi.new("double[]", len(problem.limits)), ffi.new("double *")
    status = lib.fcps_problem_limit_chances(
        native.c, target, environment, parameters, outcome, deviation, chances, together, native.host.error
    )
    if status != lib.FCPS_OK:
        raise from_library(native.host.error)
    return Values(tuple(problem.limits), tuple(chances)), together[0]


def _read_expected(problem: Problem, ask: Any) -> Expected | None:
    e = ask.expectation
    if not (e.has_outcome or e.has_reward):
        return None
    outcome = e.outcome if e.has_outcome else ffi.NULL
    deviation = e.outcome_deviation if e.has_outcome else ffi.NULL
    return Expected(
        unpack(problem.outcome, e.outcome) if e.has_outcome else None,
        unpack(problem.outcome, e.outcome_deviation) if e.has_outcome else None,
        e.reward if e.has_reward else math.nan,
        e.reward_deviation if e.has_reward else math.nan,
        e.chance_of_success,
        e.chance_of_outcome,
        *limit_chances(problem, ask.target, ask.environment, ask.parameters, outcome, deviation),
    )


def how_it_ended(failed: object, status: str, message: str = "") -> tuple[str, str]:
    """The status and the message of a trial. `failed` says in a word that it broke, and optionally what was seen."""
    if failed is False or failed is None:
        return status, message
    if failed is not True and not isinstance(failed, str):
        raise ArgumentError(f'expected True, or what was seen, as in failed="slipped", not {failed!r}', field="failed")
    if isinstance(failed, str) and message:
        raise ArgumentError("give the message once: as `failed`, or as `message`", field="message")
    return "failed" if status == "ok" else status, failed if isinstance(failed, str) else message


def lacks_outcome(problem: Problem, rollout: Any) -> bool:
    """Whether an fcps_rollout has nothing to score: what was measured is missing, and the reward is not told either."""
    return bool(len(problem.outcome)) and rollout.outcome == ffi.NULL and problem.reward is not None


def number_of(trial: Trial | int | None) -> int:
    """The number of a trial, which is given itself, by its number, or None: nobody asked for it."""
    if trial is None:
        return int(lib.FCPS_NOT_ASKED)
    if isinstance(trial, Trial):
        return trial.id
    if isinstance(trial, bool) or not hasattr(trial, "__index__"):
        raise ArgumentError(f"expected a Trial, its number, or None, not {type(trial).__name__}", field="trial")
    return whole_number("trial", trial)


def check_own(trial: Trial, own: Trial, asker: str) -> None:
    """Refuses a trial that somebody else asked: the numbers of asks agree by chance, and equal seeds give equal trials. `own`
    is the ask of that number.
    """
    if trial is own:
        return
    is_known = trial.study != "" and own.study != ""
    differs = f"is equal, but another {asker} asked it" if is_known and trial.study != own.study else ""
    for name in ("target", "environment", "parameters"):
        given, asked = getattr(trial, name), getattr(own, name)
        if given is not None and given != asked:
            differs = f"has the {name} {asked}, the trial has {given}: another {asker} asked it"
            break
    if differs:
        raise ConflictError(
            f"ask {own.id} of this {asker} {differs}; tell it to that one, or tell None here, with its target, environment "
            "and parameters",
            field="trial",
        )


@dataclass
class Told:
    """What is told about a trial, as it was given."""

    outcome: OutcomeLike
    values: Mapping[str, Any]
    deviation: RowLike | None = None
    reward: float | None = None  # None: it was not given; NaN: it was said that there is none
    hindsight_reward: float = math.nan
    status: str = "ok"
    target: RowLike | None = None
    environment: RowLike | None = None
    parameters: RowLike | None = None

    def fill(self, problem: Problem, rollout: Any, keep: list[Any]) -> None:
        """Writes it into an fcps_rollout, whose other numbers stay as they are."""
        rollout.status = STATUSES.index(self.checked_status())
        rollout.reward = reward = self.own_reward
        rollout.hindsight_reward = self.hindsight_reward
        outcome = self.outcome_row(problem)
        if reward == reward and problem.reward is not None:  # a NaN is not itself
            warn(
                "W_REWARD_IGNORED",
                "the problem has a reward of its own, which scores the outcome; the one that was told is not used",
            )
        if problem.reward is None and self.reward is None and self.status == "ok":
            raise ArgumentError(
                "the problem has no reward of its own, and none was told; give reward=... to tell, NaN if the trial has "
                "none, or give the problem a reward",
                field="reward",
            )
        rollout.outcome = _kept(outcome, keep)
        if outcome is None and problem.outcome:
            rollout.outcome = ffi.NULL
        if self.deviation is not None:
            rollout.outcome_deviation = _kept(one_row("deviation", problem.outcome.names, self.deviation, {}), keep)
        for name in ("target", "environment", "parameters"):
            given = getattr(self, name)
            if given is not None:
                setattr(rollout, name, _kept(one_row(name, getattr(problem, name).names, given, {}), keep))

    @property
    def own_reward(self) -> float:
        """The reward that was told; NaN if there is none."""
        return math.nan if self.reward is None else one_number("reward", self.reward)

    def checked_status(self) -> str:
        """How the trial ended."""
        if self.status not in STATUSES:
            raise unknown("status", self.status, STATUSES, "status")
        return self.status

    def outcome_row(self, problem: Problem) -> list[float] | None:
        """The outcome in the order of its dimensions; None if the trial had none."""
        names = problem.outcome.names
        given = self.outcome
        by_name = self.values if given is MISSING else given
        if isinstance(by_name, Mapping) and _is_none(names, cast("Mapping[str, Any]", by_name)):
            return None
        stranger = next((name for name in self.values if name not in names), None)
        if stranger is not None:
            raise unknown("dimension of the outcome", stranger, names, remedy=_OTHER_WORDS.get(stranger, ""))
        if given is MISSING and not self.values:
            mapping = ", ".join(f"'{name}': ..." for name in names)
            way = ", ".join(f"{name}=..." for name in names) if ARGUMENTS.isdisjoint(names) else f"{{{mapping}}}"
            if names and self.status == "ok" and math.isnan(self.own_reward):
                raise ArgumentError(
                    f"the outcome is missing; give {way}, or None if the trial had none", field="outcome"
                )
            if "reward" in names and not math.isnan(self.own_reward):
                raise ArgumentError(
                    "'reward' is a dimension of the outcome and an argument of tell; give the outcome as a mapping: "
                    "{'reward': 1.0, ...}, or None if the trial had none",
                    field="reward",
                )
            if names and self.status == "ok" and problem.reward is not None:
                # stored as a trial without an outcome, it would stand in the way of the real result
                raise ArgumentError(
                    f"the problem has a reward of its own, which scores the outcome; give {way} and leave `reward` out",
                    field="reward",
                )
            return None
        if given is None and self.values:
            raise ArgumentError("give the outcome once: by keywords, or as one argument", field="outcome")
        if given is None:
            return None
        if isinstance(given, (int, float)) and not isinstance(given, bool) and len(names) == 1:
            given = [given]
        row = one_row("outcome", names, None if given is MISSING else given, self.values)  # type: ignore[arg-type]
        if row and self.status != "ok":
            raise ArgumentError(f"a trial with the status '{self.status}' has no outcome; leave it out", field="outcome")
        return row


def _is_none(names: tuple[str, ...], by_name: Mapping[str, Any]) -> bool:
    """Whether each number of the outcome was given as None: then there was no outcome."""
    return bool(names) and set(by_name) == set(names) and all(value is None for value in by_name.values())


# what the command line and the server call otherwise
_OTHER_WORDS: Final = {
    "executed": "tell takes what was executed as `parameters`",
    "no_outcome": "None in the place of the outcome says that the trial had none",
    "outcome": "give the outcome itself, by keywords or as the argument after the trial",
    "outcome_sd": "tell takes how exact it is as `deviation`",
}


def _kept(numbers: list[float] | None, keep: list[Any]) -> Any:
    if not numbers:
        return ffi.NULL
    array = doubles(numbers)
    keep.append(array)
    return array


def message_of(message: str, keep: list[Any]) -> Any:
    """A text that may be missing."""
    return c_text(message, keep) if message else ffi.NULL
