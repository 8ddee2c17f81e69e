# SPDX-License-Identifier: Apache-2.0
"""A generator of gest-api, the standard of libEnsemble, Xopt and others: `suggest` and `ingest`, with contextual
variables.

    from gest_api.vocs import VOCS, ContextualVariable
    vocs = VOCS(variables={"x": ContextualVariable(domain=[-8, 8]), "speed": [1.0, 10.0]}, observables=["land"])
    generator = fcps.gest.Generator(vocs, reward="-abs(land - x)", contexts=[{"x": 3.0}, {"x": -2.0}])

Contextual variables are targets, unless they are listed in `environment`; they need bounds. Observables are the
outcome, and the reward is a formula or a function of them. Without a reward, the single objective of the VOCS is the
reward.

libEnsemble runs such a generator in persistent mode (`only_persistent_gens`). It sends the last results at the end if
`final_gen_send` is set. Xopt takes the generator as `Xopt(generator=..., evaluator=...)`.
"""

# gest-api has no type hints:
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
from __future__ import annotations

import itertools
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, cast

import gest_api
import numpy as np
from gest_api.vocs import ContextualVariable, ContinuousVariable, DiscreteVariable, MinimizeObjective

from ._dimensions import Choice, Dimension, Integer
from ._problem import Problem, Reward
from ._study import Study
from ._trials import Trial
from .errors import ArgumentError

Contexts = Callable[[], Mapping[str, float]] | Iterable[Mapping[str, float]] | None


class Generator(gest_api.Generator):
    """Suggests points for a study, and takes their results.

    `contexts` gives the contexts of the points one after the other: a function without arguments, or rows that are
    repeated; by default they are drawn evenly. `path` keeps everything in a file; `study` is the study of the
    generator.
    """

    returns_id = True

    def __init__(
        self,
        vocs: Any,
        reward: Reward = None,
        *,
        environment: Iterable[str] = (),
        contexts: Contexts = None,
        learner: str | None = None,
        settings: Mapping[str, Any] | None = None,
        seed: int = 1,
        path: str | os.PathLike[str] | None = None,
    ) -> None:
        super().__init__(vocs)
        self.vocs = vocs
        self._objective = None if reward is not None else _only_objective(vocs)
        surroundings = list(environment)
        contextual = [name for name, variable in vocs.variables.items() if isinstance(variable, ContextualVariable)]
        problem = Problem(
            target={name: _dimension(name, vocs.variables[name]) for name in contextual if name not in surroundings},
            environment={name: _dimension(name, vocs.variables[name]) for name in contextual if name in surroundings},
            parameters={
                name: _dimension(name, variable) for name, variable in vocs.variables.items() if name not in contextual
            },
            outcome=list(vocs.observable_names),
            reward=reward,
            name="vocs",
        )
        self.study = Study(path, problem, learner=learner, settings=settings, seed=seed)
        self._contexts = _source(problem, contexts, seed)
        self._pending: dict[int, Trial] = {trial.id: trial for trial in self.study.pending}

    def _validate_vocs(self, vocs: Any) -> None:
        if vocs.constraints:
            raise ValueError("fcps takes no constraints; make them part of the reward")
        if all(isinstance(variable, ContextualVariable) for variable in vocs.variables.values()):
            raise ValueError("there is nothing to learn: all variables are contextual")

    def suggest(self, num_points: int | None = None) -> list[dict[str, Any]]:
        """Points to evaluate; one by default."""
        constants = {name: constant.value for name, constant in self.vocs.constants.items()}
        points: list[dict[str, Any]] = []
        for _ in range(1 if num_points is None else num_points):
            trial = self.study.ask(next(self._contexts))
            self._pending[trial.id] = trial
            points.append({**constants, **trial.target, **trial.environment, **trial.parameters, "_id": trial.id})
        return points

    def ingest(self, results: list[dict[str, Any]]) -> None:
        """Takes results. Those of suggested points are recognized by their `_id`."""
        known = [_number(result.get("_id")) for result in results]
        for number in known:
            if number is not None and number not in self._pending:
                raise ValueError(f"no point with the _id {number} waits for its result")
        for number, result in zip(known, results):
            self._ingest(None if number is None else self._pending[number], result)

    def _ingest(self, trial: Trial | None, result: Mapping[str, Any]) -> None:
        problem = self.study.problem
        told: dict[str, Any] = {}
        if trial is None:
            for space in (problem.target, problem.environment, problem.parameters):
                told[space.name] = {name: _value(result, name) for name in space.names}
        if self._objective is not None:
            name, sign = self._objective
            told["reward"] = sign * float(result.get(name, math.nan))
        outcome = {name: float(result.get(name, math.nan)) for name in problem.outcome.names}
        if result.get("xopt_error") is True or (outcome and all(math.isnan(value) for value in outcome.values())):
            # an evaluation that failed; Xopt gives the reason
            told.pop("reward", None)
            words = str(result.get("xopt_error_str") or "the evaluation broke").strip().rpartition("\n")[2]
            self.study.tell(trial, status="failed", message=words, **told)
        else:
            self.study.tell(trial, outcome if outcome else None, **told)
        if trial is not None:
            del self._pending[trial.id]

    def __deepcopy__(self, memo: dict[int, Any]) -> Generator:
        """Returns the generator itself, because Xopt copies the given generator and there is only one study behind it.
        """
        return self

    def finalize(self) -> None:
        """Gives up points without a result. The study stays open: `generator.study.policy()` is the learnt policy."""
        for trial in self._pending.values():
            self.study.forget(trial)
        self._pending.clear()


def _number(given: Any) -> int | None:
    """The _id of a result; in a table with other results a missing _id is NaN."""
    return None if given is None or given != given else int(given)


def _only_objective(vocs: Any) -> tuple[str, float]:
    if len(vocs.objectives) != 1:
        raise ArgumentError(
            "give the reward as a formula or function of the observables, or one objective", field="reward"
        )
    ((name, objective),) = vocs.objectives.items()
    return name, -1.0 if isinstance(objective, MinimizeObjective) else 1.0


def _dimension(name: str, variable: Any) -> Dimension:
    if isinstance(variable, ContinuousVariable):
        lower, upper = variable.domain
        if not math.isfinite(lower) or not math.isfinite(upper):
            raise ArgumentError("this variable has no bounds; give its domain", field=name)
        return Dimension(lower, upper)
    if isinstance(variable, DiscreteVariable):
        values: list[Any] = sorted(cast(Iterable[Any], variable.values))
        if all(isinstance(one, str) for one in values):
            return Choice(*values)
        if values == list(range(int(values[0]), int(values[0]) + len(values))):
            return Integer(values[0], values[-1])
    raise ArgumentError("only continuous variables, texts, and whole numbers without gaps can be learnt", field=name)


def _source(problem: Problem, contexts: Contexts, seed: int) -> Iterator[Mapping[str, float]]:
    if callable(contexts):
        return iter(contexts, None)
    if contexts is not None:
        rows = list(contexts)
        if not rows:
            raise ArgumentError("there is no context; give at least one, or leave `contexts` out", field="contexts")
        return itertools.cycle(rows)
    return _drawn(problem, np.random.default_rng(seed))


def _drawn(problem: Problem, random: np.random.Generator) -> Iterator[Mapping[str, float]]:
    bounds = {name: dim for space in (problem.target, problem.environment) for name, dim in space.items()}
    while True:
        yield {name: _draw(dim, random) for name, dim in bounds.items()}


def _draw(dim: Dimension, random: np.random.Generator) -> Any:
    if isinstance(dim, Choice):
        return dim.words[int(random.integers(len(dim.words)))]
    return float(random.uniform(dim.lower or 0.0, dim.upper or 0.0))


def _value(result: Mapping[str, Any], name: str) -> Any:
    if isinstance(result.get(name), str):
        return result[name]  # a word, or refused as a text
    try:
        return float(result[name])
    except (KeyError, TypeError, ValueError):
        given = f"{result[name]!r}" if name in result else "none"
        raise ArgumentError(
            f"a result without the _id of a point that was suggested must have a number for '{name}', not {given}; give it, or "
            "the _id",
            field=name,
        ) from None


__all__ = ["Generator"]


def __dir__() -> list[str]:
    return __all__
