# SPDX-License-Identifier: Apache-2.0
"""A learner in memory: ask(context) -> parameters, tell(outcome), policy. A `Study` also survives a crash."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from ._failures import from_library, from_status
from ._fcps import ffi, lib
from ._host import Handle, Host, as_seed, c_text, setting_list, taken_text
from ._policy import Policy
from ._problem import Problem
from ._trials import MISSING, OutcomeLike, Told, Trial, check_own, doubles, how_it_ended, unpack
from ._values import RowLike, Values, one_row, some_by_name
from .errors import ArgumentError


class Learner:
    """An algorithm that chooses parameters and is told the outcomes; `fcps.learners` lists the learners.

    >>> import fcps
    >>> problem = fcps.Problem(parameters={"dose": (0, 10)}, outcome=["growth"], reward="growth")
    >>> learner = fcps.Learner(problem, seed=1001)
    >>> for _ in range(12):
    ...     trial = learner.ask()
    ...     learner.tell(trial, growth=3 - (trial.parameters["dose"] - 4)**2)
    >>> abs(learner.policy()().parameters["dose"] - 4) < 0.3
    True
    """

    def __init__(
        self,
        problem: Problem,
        learner: str = "outcome",
        *,
        settings: Mapping[str, Any] | None = None,
        seed: int = 1,
        state: str | None = None,
    ) -> None:
        if not isinstance(problem, Problem):
            raise ArgumentError(f"expected a Problem, not {type(problem).__name__}", field="problem")
        host = Host(problem)
        native = problem._native(host)
        out = ffi.new("fcps_learner **")
        keep: list[Any] = []
        if state is not None:
            host.call(lib.fcps_learner_load, out, native.c, c_text(state, keep))
        else:
            host.call(
                lib.fcps_learner_create,
                out,
                native.c,
                c_text(str(learner), keep),
                setting_list(settings, keep),
                as_seed(seed),
            )
        self._learner = Handle(host, out[0], lib.fcps_learner_destroy, "learner", on=native.stand, keep=native)
        self._host = host
        self.problem = problem
        self._id = ffi.new("int64_t *")
        self._parameters = ffi.new("double[]", max(len(problem.parameters), 1))
        self._asked: dict[int, Trial] = _pending_of(problem, state) if state is not None else {}
        host.read(lib.fcps_learner_set_log, self._learner, {"write": lib.fcps_py_log, "user": host.user})

    @property
    def rollouts(self) -> int:
        """How many trials were told."""
        return int(self._host.read(lib.fcps_learner_rollout_count, self._learner))

    @property
    def pending(self) -> int:
        """How many asks have no result yet."""
        return int(self._host.read(lib.fcps_learner_pending_count, self._learner))

    @property
    def is_active(self) -> bool:
        """Whether the learner can choose contexts."""
        return bool(self._host.read(lib.fcps_learner_is_active, self._learner))

    def ask(self, context: RowLike | None = None, /, **values: float) -> Trial:
        """Parameters worth trying in a context, which is given by keywords, as a mapping or as an array."""
        problem = self.problem
        numbers = one_row("context", problem.context, context, values)
        cut = len(problem.target)
        with self._host.lock:
            self._call_for_id(lib.fcps_learner_ask, doubles(numbers[:cut]), doubles(numbers[cut:]), self._parameters)
            return self._kept(
                Trial(
                    self._id[0],
                    Values(problem.target.names, tuple(numbers[:cut])),
                    Values(problem.environment.names, tuple(numbers[cut:])),
                    unpack(problem.parameters, self._parameters),
                )
            )

    def choose(self, fixed: RowLike | None = None, /, **values: float) -> Trial:
        """For active learners: chooses context and parameters. The given part of the context stays as it is."""
        problem = self.problem
        free, target, environment, keep = free_dimensions(problem, fixed, values)
        with self._host.lock:
            self._call_for_id(lib.fcps_learner_choose, free, target, environment, self._parameters)
            del keep
            return self._kept(
                Trial(
                    self._id[0],
                    unpack(problem.target, target),
                    unpack(problem.environment, environment),
                    unpack(problem.parameters, self._parameters),
                )
            )

    def _kept(self, trial: Trial) -> Trial:
        self._asked[trial.id] = trial
        return trial

    def tell(
        self,
        trial: Trial | None,
        outcome: OutcomeLike = MISSING,
        /,
        *,
        reward: float | None = None,
        hindsight_reward: float = math.nan,
        status: str = "ok",
        failed: bool | str = False,
        deviation: RowLike | None = None,
        target: RowLike | None = None,
        environment: RowLike | None = None,
        parameters: RowLike | None = None,
        **values: float,
    ) -> None:
        """Tells the outcome of a trial: by keywords, as a mapping or as an array; None if there was no outcome.

        `deviation` says how exact the outcome is. Target, environment and parameters are those of the trial, unless
        they were measured. Without a trial (None) they must be given. A failed trial is told with `failed=True`, or
        with a status:
        """
        status, _ = how_it_ended(failed, status)
        number = int(lib.FCPS_NOT_ASKED) if trial is None else self._number(trial)
        told = Told(outcome, values, deviation, reward, hindsight_reward, status, target, environment, parameters)
        for name in ("target", "environment", "parameters"):
            if getattr(told, name) is None:
                if trial is None and len(getattr(self.problem, name)):
                    raise ArgumentError(f"a trial that nobody asked for must say its {name}", field=name)
                setattr(told, name, getattr(trial, name) if trial is not None else {})
        keep: list[Any] = []
        rollout = ffi.new("fcps_rollout *")
        told.fill(self.problem, rollout, keep)
        with self._host.lock:
            self._call(lib.fcps_learner_tell, number, rollout)
            self._asked.pop(number, None)

    def forget(self, trial: Trial) -> None:
        """Gives up a trial whose result will never be told."""
        with self._host.lock:
            self._call(lib.fcps_learner_forget, self._number(trial))
            self._asked.pop(trial.id, None)

    def _number(self, trial: Trial) -> int:
        """The number of a trial, which must be one of this learner. The library checks whether it is pending."""
        if not isinstance(trial, Trial):
            raise ArgumentError(f"expected a Trial, as ask returned it, not {type(trial).__name__}", field="trial")
        if trial.id in self._asked:
            check_own(trial, self._asked[trial.id], "learner")
        return trial.id

    def policy(self) -> Policy:
        """The learnt policy, as an independent value."""
        with self._host.lock:
            out = ffi.new("fcps_policy **")
            self._call(lib.fcps_learner_policy, out)
            text = ffi.new("char **")
            status = lib.fcps_policy_save(out[0], text, self._host.error)
            lib.fcps_policy_destroy(out[0])
            if status != lib.FCPS_OK:
                raise from_library(self._host.error)
            words = taken_text(text[0])
        return Policy(self.problem, words)

    def save(self) -> str:
        """The whole state as a text; `Learner.load` continues from it with the same bits."""
        out = ffi.new("char **")
        with self._host.lock:
            self._host.call(lib.fcps_learner_save, self._learner, out)
            return taken_text(out[0])

    @classmethod
    def load(cls, problem: Problem, state: str) -> Learner:
        """Makes a learner from the text of `save`."""
        if state is None:  # type: ignore[reportUnnecessaryComparison]  # without a text it would be a new learner
            raise ArgumentError("expected a text, as save returned it, not None", field="state")
        return cls(problem, state=state)

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.problem, self.save())

    def __repr__(self) -> str:
        return f"Learner({self.rollouts} told, {self.pending} pending)"

    def _call(self, function: Any, *arguments: Any) -> None:
        with self._host.lock:
            status = self._host.answer(function, self._learner, *arguments)
            if status != lib.FCPS_OK or self._host.raised is not None:
                self._fail(status)

    def _fail(self, status: int) -> None:
        error = lib.fcps_learner_error(self._learner.c)
        if error.status != status and self._host.raised is None:
            raise from_status(status)
        self._host.fail(error)

    def _call_for_id(self, function: Any, *arguments: Any) -> None:
        """Calls a function that makes an ask. If an interrupt comes, it is raised afterwards, and the ask is given up.
        """
        self._id[0] = 0
        try:
            self._call(function, *arguments, self._id)
        except BaseException:
            if self._id[0] != 0:
                self._host.answer(lib.fcps_learner_forget, self._learner, self._id[0])
            raise


def _again(problem: Problem, state: str) -> Learner:
    return Learner(problem, state=state)


def _pending_of(problem: Problem, state: str) -> dict[int, Trial]:
    """The asks without result in the text of a learner, which the library has already checked."""
    whole: dict[str, Any] = json.loads(state)
    pending: list[tuple[int, list[float], list[float], list[float]]] = whole["pending"]
    return {
        number: Trial(
            number,
            Values(problem.target.names, tuple(target)),
            Values(problem.environment.names, tuple(environment)),
            Values(problem.parameters.names, tuple(parameters)),
        )
        for number, target, environment, parameters in pending
    }


def free_dimensions(
    problem: Problem, fixed: RowLike | None, values: Mapping[str, float]
) -> tuple[Any, Any, Any, list[Any]]:
    """Which dimensions of the context a learner may choose, and an array for all of them."""
    given = some_by_name("context", problem.context, fixed, values)
    arrays: list[Any] = []
    keep: list[Any] = []
    free = ffi.new("fcps_free_dimensions *")
    for space in (problem.target, problem.environment):
        numbers = ffi.new("double[]", max(len(space), 1))
        flags = ffi.new("bool[]", max(len(space), 1))
        for i, name in enumerate(space.names):
            flags[i] = name not in given
            numbers[i] = given.get(name, 0.0)
        setattr(free, space.name, flags)
        arrays.append(numbers)
        keep.append(flags)
    return free, arrays[0], arrays[1], keep
