# SPDX-License-Identifier: Apache-2.0
"""A policy: context -> parameters, with a prediction. A value that can be saved, loaded, pickled and queried by itself.

It is loaded from its text with a problem of its own, so it does not depend on its study, and threads share nothing.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from typing import Any, cast, overload

import numpy as np
from numpy.typing import NDArray

from ._check import Health, read_health
from ._fcps import ffi, lib
from ._files import read_text, write_text
from ._host import Handle, Host, c_text, taken_text, warn
from ._problem import FileSource, Problem
from ._trials import Answer, doubles, limit_chances, unpack
from ._values import Array, Frame, RowLike, Table, Values, many_rows, one_row, replaced_columns, same_kind
from .errors import ArgumentError, FormatError, UnsupportedError

# Signals are handled between the parts of a long question. `fcps retarget` has the same parts, so answers are equal.
_PART = 512


class Policy:
    """The learnt policy: `policy(x=1, wind=0)` returns parameters and the outcome and reward to expect.

    It does not depend on its study or learner, which may continue or be closed. After `policy.strict = True` contexts
    outside their bounds are refused; otherwise they are answered, with larger deviations and a warning of the logger
    `fcps`.
    """

    def __init__(self, problem: Problem, text: str, *, strict: bool = False) -> None:
        if text.lstrip().startswith('{"fcps_policy_file"'):
            text = str(_read_json(text).get("policy", ""))  # drops the problem in the text, because one is given
        host = Host(problem)
        native = problem._native(host)
        out = ffi.new("fcps_policy **")
        keep: list[Any] = []
        host.call(lib.fcps_policy_load, out, native.c, c_text(text, keep))
        self._policy = Handle(host, out[0], lib.fcps_policy_destroy, "policy", on=native.stand, keep=native)
        self._host = host
        self._native = native
        self.problem = problem
        host.read(lib.fcps_policy_set_log, self._policy, {"write": lib.fcps_py_log, "user": host.user})
        self.strict = strict
        self._answer = ffi.new("double[]", max(len(problem.parameters), 1))
        self._outcome = ffi.new("double[]", max(len(problem.outcome), 1))
        self._deviation = ffi.new("double[]", max(len(problem.outcome), 1))
        self._prediction = ffi.new("fcps_prediction *")

    @property
    def strict(self) -> bool:
        """Whether contexts outside their bounds are refused."""
        return self._strict

    @strict.setter
    def strict(self, strict: bool) -> None:
        self._strict = bool(strict)
        self._host.read(lib.fcps_policy_set_strict, self._policy, self._strict)

    @property
    def predicts_reward(self) -> bool:
        """Whether answers have a predicted reward: learners without a model only know the parameters."""
        return bool(self._host.read(lib.fcps_policy_predicts_reward, self._policy))

    @property
    def lacking_results(self) -> int:
        """How many more results are needed before predictions mean anything; 0 if there are enough."""
        return int(self._host.read(lib.fcps_policy_lacking_results, self._policy))

    def __call__(self, context: RowLike | None = None, /, **values: float) -> Answer:
        """The parameters for a context, which is given by keywords, as a mapping or as an array."""
        problem = self.problem
        numbers = one_row("context", problem.context, context, values)
        cut = len(problem.target)
        target, environment = doubles(numbers[:cut]), doubles(numbers[cut:])
        with self._host.lock:
            prediction = self._prediction
            prediction.outcome, prediction.outcome_deviation = self._outcome, self._deviation
            status = self._host.answer(
                lib.fcps_policy_query, self._policy, target, environment, self._answer, prediction
            )
            if status != lib.FCPS_OK or self._host.raised is not None:
                self._host.fail(lib.fcps_policy_error(self._policy.c))
            self._warn_without_value(int(math.isnan(prediction.reward)), 1)
            outcome = deviation = None
            chances: tuple[Values | None, float] = (None, 1.0)
            if prediction.has_outcome:
                chances = limit_chances(problem, target, environment, self._answer, self._outcome, self._deviation)
                outcome, deviation = unpack(problem.outcome, self._outcome), unpack(problem.outcome, self._deviation)
            return Answer(
                unpack(problem.parameters, self._answer),
                prediction.reward,
                prediction.reward_deviation,
                prediction.reducible_deviation,
                outcome,
                deviation,
                prediction.chance_of_success,
                prediction.chance_of_outcome,
                prediction.success_reward,
                prediction.success_reward_deviation,
                prediction.lacking_results,
                *chances,
            )

    @overload
    def predict(self, contexts: Frame) -> Frame: ...

    @overload
    def predict(self, contexts: Mapping[str, Any] | Sequence[Any] | NDArray[Any]) -> Table: ...

    def predict(self, contexts: Any) -> Any:
        """Answers for many contexts at once: a data frame or mapping with a column for each target and environment, or
        an array of rows. The result is a data frame of the same kind, with all its columns, or a `Table`: contexts,
        parameters, `reward`, `deviation`, `reducible_deviation`, `chance_of_success`, `chance_of_outcome`, and
        `success_reward` with `success_deviation`; of a problem with limits also `chance_of_limits`.
        """
        problem = self.problem
        rows = many_rows("contexts", problem.context, contexts)
        cut = len(problem.target)
        targets, environments = np.ascontiguousarray(rows[:, :cut]), np.ascontiguousarray(rows[:, cut:])
        count = rows.shape[0]
        parameters = np.empty((count, len(problem.parameters)))
        columns = _PREDICTED if problem.limits else {k: v for k, v in _PREDICTED.items() if k != "chances_of_limits"}
        predicted = {name: np.empty(count) for name in columns}
        for begin in range(0, count, _PART):
            part = slice(begin, min(begin + _PART, count))
            self._predict(
                part.stop - begin,
                targets[part],
                environments[part],
                parameters[part],
                {name: column[part] for name, column in predicted.items()},
            )
        table = Table()
        table._add(problem.context, rows)
        table._add(problem.parameters.names, parameters)
        for name, column in predicted.items():
            table._say(_PREDICTED[name], column, (*problem.context, *problem.parameters.names))
        self._warn_without_value(int(np.isnan(predicted["rewards"]).sum()), count)
        answers = [*problem.parameters.names, *map(table.own, columns.values())]
        replaced = replaced_columns(contexts, answers)
        if replaced:
            warn(
                "W_COLUMN_REPLACED",
                "columns of the data frame are called as those of the answer, which take their place: "
                f"{', '.join(replaced)}; rename them to keep them",
            )
        return same_kind(contexts, table, answers)

    def _warn_without_value(self, without: int, count: int) -> None:
        """Warns if the rewards of some answers are NaN although there are results to predict from."""
        if without and any(one.rollouts for one in self.health()):
            where = f"in {without} of {count} contexts the" if count > 1 else "the"
            warn(
                "W_NO_VALUE",
                f"{where} reward has no value for the expected outcome; it is NaN in the answer. Look at the reward",
            )

    def _predict(
        self, count: int, targets: Array, environments: Array, parameters: Array, predicted: dict[str, Array]
    ) -> None:
        c = ffi.new("fcps_predictions *")
        for name, column in predicted.items():
            setattr(c, name, _memory(column))
        with self._host.lock:
            status = self._host.answer(
                lib.fcps_policy_predict_batch,
                self._policy,
                count,
                _memory(targets),
                _memory(environments),
                _memory(parameters),
                c,
            )
            if status != lib.FCPS_OK or self._host.raised is not None:
                self._host.fail(lib.fcps_policy_error(self._policy.c))

    def health(self) -> list[Health]:
        """How each Gaussian process behind the policy explains the trials; empty for learners without a model."""
        with self._host.lock:
            return read_health(self.problem, self._policy.c)

    def save(self, path: str | os.PathLike[str] | None = None) -> str:
        """The policy as a text, which is also written to `path`. If the reward is a formula it has the problem in
        it: `fcps policy query` and `Policy.load` need nothing else.
        """
        words = self._own_text()
        source = self.problem._source
        if isinstance(source, FileSource):
            words = json.dumps(
                {
                    "fcps_policy_file": 1,
                    "problem": source.text,
                    "changes": [list(change) for change in source.changes],
                    "policy": words,
                }
            )
        if path is not None:
            write_text(path, words)
        return words

    @classmethod
    def load(cls, path: str | os.PathLike[str], problem: Problem | None = None, *, strict: bool = False) -> Policy:
        """Reads a file of `save` or `fcps policy export`. A policy whose reward is a function needs its problem."""
        return cls.from_text(read_text(path, "a policy"), problem, strict=strict)

    @classmethod
    def from_text(cls, text: str, problem: Problem | None = None, *, strict: bool = False) -> Policy:
        """The same from a text."""
        whole = _read_json(text)
        if isinstance(whole, dict) and "fcps_policy_file" in whole:
            parts = cast(dict[str, Any], whole)
            # the library reads it once, so that mistakes are described in the library's words
            host = Host()
            policy, file = ffi.new("fcps_policy **"), ffi.new("fcps_problem_file **")
            keep: list[Any] = []
            host.call(lib.fcps_study_load_policy, policy, file, c_text(text, keep), b"policy")
            lib.fcps_policy_destroy(policy[0])
            lib.fcps_problem_file_destroy(file[0])
            changes = tuple((str(what), str(value)) for what, value in parts.get("changes", []))
            own = Problem._of_source(FileSource(str(parts["problem"]), "policy", changes))
            return cls(own, str(parts["policy"]), strict=strict)
        if problem is None:
            raise UnsupportedError(
                "the text has no problem in it; give the problem, whose functions the policy needs", field="problem"
            )
        return cls(problem, text, strict=strict)

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.problem, self._own_text(), self.strict)

    def _own_text(self) -> str:
        out = ffi.new("char **")
        with self._host.lock:
            self._host.call(lib.fcps_policy_save, self._policy, out)
            return taken_text(out[0])

    def _repr_html_(self) -> str:
        from ._display import policy_html

        return policy_html(self)

    def __repr__(self) -> str:
        return (
            f"Policy({', '.join(self.problem.context) or 'no context'} -> {', '.join(self.problem.parameters.names)})"
        )


_PREDICTED = {
    "rewards": "reward",
    "reward_deviations": "deviation",
    "reducible_deviations": "reducible_deviation",
    "chances_of_success": "chance_of_success",
    "chances_of_outcome": "chance_of_outcome",
    "success_rewards": "success_reward",
    "success_reward_deviations": "success_deviation",
    "chances_of_limits": "chance_of_limits",
}


def _again(problem: Problem, text: str, strict: bool) -> Policy:
    return Policy(problem, text, strict=strict)


def _memory(array: Array) -> Any:
    return ffi.from_buffer("double[]", array, require_writable=False) if array.size else ffi.NULL


def _read_json(text: str) -> Any:
    if not isinstance(text, str):  # type: ignore[reportUnnecessaryIsInstance]
        raise ArgumentError(f"expected a text, not {type(text).__name__}", field="policy")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise FormatError(
            "this text is no policy; give what `save` returned, or what `fcps policy export` wrote", field="policy"
        ) from None
