# SPDX-License-Identifier: Apache-2.0
"""The problem: four spaces, the reward, and optionally which outcome achieves which target.

A `Problem` is a value: it can be compared, pickled and used by many learners. Each learner, policy or study makes its
own C side of it (`Native`), because the library's formulas belong to one thread at a time.
"""

from __future__ import annotations

import inspect
import json
import math
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Union, cast

import numpy as np
from numpy.typing import NDArray

from ._dimensions import SCALES, Choice, Dimension, Space, SpaceLike
from ._failures import from_library, unknown
from ._fcps import ffi, lib
from ._files import read_text
from ._host import Handle, Host, c_text, setting_list, text
from ._values import Array, Batch, RowLike, many_rows, one_number, one_row, shown, words_of
from .errors import ArgumentError, UnsupportedError

RewardFunction = Callable[[dict[str, float], Batch, Batch, Batch], Any]
AchievedFunction = Callable[[Batch, Batch], Any]
PresenceFunction = Callable[[Batch, Batch], Any]
Reward = Union[str, RewardFunction, None]
Achieved = Union[Mapping[str, str], AchievedFunction, None]


@dataclass
class Native:
    """The C side of a problem, for one handle, which keeps it alive."""

    c: Any  # const fcps_problem *
    host: Host
    keep: list[Any]
    stand: Handle | None = None  # the owner of the problem file or the task
    file: Any = None  # fcps_problem_file *, if the problem has a file
    task: Any = None  # fcps_task *, if it belongs to one


@dataclass(frozen=True)
class FileSource:
    """A problem file: its text, its name for errors, and amendments to it."""

    text: str
    name: str
    changes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class TaskSource:
    """A built-in task, to which the problem belongs."""

    task: str
    settings: tuple[tuple[str, str], ...]
    seed: int


class Problem:
    """The description of what is to be learnt: which parameters to use for which target in which environment.

    Spaces are mappings from names to bounds, or to `Dimension`, `Angle`, `Log`, `Integer`; the outcome may be a list of
    names. The reward is a formula, or a function of whole batches, `reward(target, environment, parameters, outcome)`:
    the target is a mapping from names to numbers, the others are mappings from names to arrays with a number for each
    row. It returns an array with the reward of each row. Without a `reward`, results come with their rewards.

    `achieved` computes the target that an outcome achieves: a formula for each target, or a function
    `achieved(environment, outcome)`. With formulas, the reward may use `distance`. `presence(environment, parameters)`
    says which trials will have an outcome, if that is known beforehand. `constraints` are formulas over parameters and
    context that all proposed parameters satisfy, such as `"a + b <= 1"`. `limits` are levels that an outcome must not
    pass, such as `{"apex": {"at_most": 1.2, "chance": 0.95}}`, and `safe` lists parameters that are known to keep them.
    `cost` is what a trial costs, a formula over parameters and context.

    >>> problem = Problem(target={"x": (-8, 8)}, parameters={"speed": (1, 10)}, outcome=["land"],
    ...                   achieved={"x": "land"}, reward="-distance - 0.01*speed^2")
    >>> problem.parameters["speed"].upper
    10.0
    >>> Problem(target={"x": (-8, 8)}, parameters={"speed": (1, 10)}, outcome=["land"],
    ...         reward=lambda target, environment, parameters, outcome: -abs(outcome["land"] - target["x"]))
    Problem('problem', target x; parameters speed; outcome land; reward by a function)
    """

    def __init__(
        self,
        *,
        target: SpaceLike = None,
        environment: SpaceLike = None,
        parameters: SpaceLike = None,
        outcome: SpaceLike = None,
        reward: Reward = None,
        achieved: Achieved = None,
        presence: PresenceFunction | None = None,
        constraints: Iterable[str] = (),
        limits: Mapping[str, Mapping[str, Any]] | None = None,
        safe: Iterable[Mapping[str, float]] = (),
        cost: str | None = None,
        name: str = "problem",
    ) -> None:
        self.name = name
        self.target = Space("target", target)
        self.environment = Space("environment", environment)
        self.parameters = Space("parameters", parameters)
        self.outcome = Space("outcome", outcome)
        self.reward: Any = reward
        self.achieved: Any = achieved
        self.presence: Any = presence
        self.constraints = texts_of("constraints", constraints)
        self.limits = limits_of(limits)
        self.safe = safe_of(safe)
        self.cost = cost
        self._source: FileSource | TaskSource | None = None  # the file or task of the problem; None if it has functions
        if not self._has_functions():
            self._source = FileSource(self._yaml(), name)
        self._check_parts()
        self._native()  # reports every mistake

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> Problem:
        """Reads a problem file (YAML), as `fcps run` does."""
        return cls.from_yaml(read_text(path, "a problem file"), name=os.fspath(path))

    @classmethod
    def from_yaml(cls, words: str, *, name: str = "problem") -> Problem:
        """Reads a text in the form of a problem file; `name` is its name in errors."""
        return cls._of_source(FileSource(words, name))

    @classmethod
    def _of_source(cls, source: FileSource | TaskSource) -> Problem:
        """Makes the problem of a problem file or of a task."""
        problem = cls.__new__(cls)
        problem._source = source
        problem.target = problem.environment = problem.parameters = problem.outcome = Space("target")
        native = problem._native()
        for space in ("target", "environment", "parameters", "outcome"):
            setattr(problem, space, read_space(space, getattr(native.c, space)))
        problem.name = source.task if isinstance(source, TaskSource) else text(native.file.name)
        told = native.c.reward == ffi.NULL
        problem.reward = (
            None if told else text(native.file.reward) if native.file is not None else f"of task {problem.name}"
        )
        problem.achieved = problem.presence = None
        problem.constraints = tuple(text(native.c.constraints[i]) for i in range(native.c.constraint_count))
        problem.limits = {text(native.c.limits[i].name): _read_limit(native.c.limits[i]) for i in range(native.c.limit_count)}
        problem.cost = None if native.c.cost == ffi.NULL else text(native.c.cost)
        problem.safe = tuple(_read_safe(problem, native.c.safe[i]) for i in range(native.c.safe_count))
        return problem

    @property
    def context(self) -> tuple[str, ...]:
        """The names of target and environment, in the order of context arrays."""
        return self.target.names + self.environment.names

    def to_yaml(self) -> str:
        """Writes the problem as the text of a problem file. Not possible for a problem with Python functions."""
        if not isinstance(self._source, FileSource) or self._source.changes:
            raise UnsupportedError(
                "only a problem whose reward is a formula can be written down; this one has Python functions"
            )
        return self._source.text

    # -- The C side --

    def _native(self, host: Host | None = None) -> Native:
        """Makes the C side, for one handle."""
        host = host or Host(self)
        if isinstance(self._source, FileSource):
            return _native_file(self._source, host)
        if isinstance(self._source, TaskSource):
            return _native_task(self._source, host)
        keep: list[Any] = []
        c = ffi.new("fcps_problem *")
        for space in (self.target, self.environment, self.parameters, self.outcome):
            setattr(c, space.name, _c_space(space, keep))
        c.user = host.user
        c.reward = lib.fcps_py_reward if self.reward is not None else ffi.NULL
        c.achieved = lib.fcps_py_achieved if self.achieved is not None else ffi.NULL
        c.presence = lib.fcps_py_presence if self.presence is not None else ffi.NULL
        c.constraint_count = len(self.constraints)
        formulas = ffi.new("const char *[]", [c_text(formula, keep) for formula in self.constraints] or [ffi.NULL])
        keep.append(formulas)
        c.constraints = formulas
        c.cost = ffi.NULL if self.cost is None else c_text(self.cost, keep)
        _put_limits(self, c, keep)
        if not self.target and not self.environment and not self.parameters:
            raise ArgumentError(
                "a problem needs at least one parameter; without one there is nothing to learn", field="parameters"
            )
        if lib.fcps_problem_check(c, host.error) != lib.FCPS_OK:
            raise from_library(host.error)
        return Native(c, host, keep)

    def outside(self, context: RowLike | None = None, /, **values: float) -> list[str]:
        """The values of a context that lie outside their bounds, in words: "environment.age: 400 lies outside [2, 40]"."""
        numbers = one_row("context", self.context, context, values)
        cut = len(self.target)
        native, found = self._native(), list[str]()
        target, environment = (ffi.new("double[]", part or [0.0]) for part in (numbers[:cut], numbers[cut:]))
        c, words = ffi.new("fcps_outside *"), ffi.new("char[256]")
        while lib.fcps_problem_outside(native.c, target, environment, len(found), c):
            found.append(text(lib.fcps_outside_text(c, 256, words)))
        return found

    def broken(self, parameters: Mapping[str, float], context: RowLike | None = None, /, **values: float) -> str | None:
        """Returns the constraint that parameters break in a context, or the one that they break most; None if they keep
        all.
        """
        numbers, cut = one_row("context", self.context, context, values), len(self.target)
        tried = one_row("parameters", self.parameters.names, parameters, {})
        native, found = self._native(), ffi.new("int *")
        rows = (ffi.new("double[]", part or [0.0]) for part in (numbers[:cut], numbers[cut:], tried))
        if lib.fcps_problem_find_broken(native.c, *rows, found, native.host.error) != lib.FCPS_OK:
            raise from_library(native.host.error)
        return self.constraints[int(found[0])] if found[0] >= 0 else None

    def cost_of(self, parameters: Mapping[str, float], context: RowLike | None = None, /, **values: float) -> float:
        """What a trial with these parameters costs in a context; NaN if the problem does not say."""
        numbers, cut = one_row("context", self.context, context, values), len(self.target)
        rows = (numbers[:cut], numbers[cut:], one_row("parameters", self.parameters.names, parameters, {}))
        return self._cost_at(*(ffi.new("double[]", row or [0.0]) for row in rows))

    def _cost_at(self, target: Any, environment: Any, parameters: Any) -> float:
        native, found = self._native(), ffi.new("double *")
        if lib.fcps_problem_cost(native.c, target, environment, parameters, found, native.host.error) != lib.FCPS_OK:
            raise from_library(native.host.error)
        return float(found[0])

    def _achieved_rows(self, answer: Any, count: int) -> Array:
        """Reads the answer of `achieved` as rows."""
        rows = many_rows("achieved target", self.target.names, answer)
        if rows.shape[0] != count:
            raise ArgumentError(
                f"the achieved function must return {count} rows, not {rows.shape[0]}", field="achieved"
            )
        return rows

    def _presence_rows(self, answer: Any, count: int) -> NDArray[np.bool_]:
        """What `presence` returned."""
        rows = np.ascontiguousarray(answer)
        if rows.shape != (count,) or rows.dtype != np.bool_:
            raise ArgumentError(
                f"the presence function must return {count} truth values, an array of bool with shape "
                f"({count},), not {rows.dtype} with shape {rows.shape}",
                field="presence",
            )
        return rows

    # -- What it is made of --

    def _has_functions(self) -> bool:
        return callable(self.reward) or callable(self.achieved) or self.presence is not None

    def _check_parts(self) -> None:
        if self.reward is not None and not isinstance(self.reward, str) and not callable(self.reward):
            raise ArgumentError(f"expected a formula or a function, not {type(self.reward).__name__}", field="reward")
        if self.cost is not None and not isinstance(self.cost, str):
            raise ArgumentError(f"expected a formula, not {type(self.cost).__name__}", field="cost")
        if self.presence is not None and not callable(self.presence):
            raise ArgumentError(f"expected a function, not {type(self.presence).__name__}", field="presence")
        _check_takes("reward", self.reward, "target", "environment", "parameters", "outcome")
        _check_takes("achieved", self.achieved, "environment", "outcome")
        _check_takes("presence", self.presence, "environment", "parameters")
        if self._has_functions() and (isinstance(self.reward, str) or isinstance(self.achieved, Mapping)):
            raise UnsupportedError(
                "formulas and functions cannot be mixed in one problem; give reward and achieved both as "
                "formulas, or both as functions (presence is a function)",
                field="reward",
            )

    def _yaml(self) -> str:
        lines = [f"name: {json.dumps(self.name)}"]
        lines += [
            f"{space.name}: {_yaml_space(space)}"
            for space in (self.target, self.environment, self.parameters, self.outcome)
        ]
        given: Any = self.achieved
        if given is not None:
            if not isinstance(given, Mapping):
                raise ArgumentError("expected a formula for each target, or a function", field="achieved")
            formulas = cast(Mapping[str, str], given)
            for name in formulas:
                if name not in self.target.names:
                    raise unknown("dimension of the target", name, self.target.names, "achieved")
            pairs = ", ".join(f"{json.dumps(name)}: {json.dumps(str(formula))}" for name, formula in formulas.items())
            lines.append(f"achieved: {{{pairs}}}")
        if self.reward is not None and not isinstance(self.reward, str):
            raise ArgumentError(f"expected a formula or a function, not {type(self.reward).__name__}", field="reward")
        lines.append(f"reward: {json.dumps(self.reward) if self.reward is not None else 'told'}")
        if self.constraints:
            lines.append(f"constraints: {json.dumps(list(self.constraints))}")
        if self.limits:
            lines.append(f"limits: {json.dumps(self.limits)}")
        if self.safe:
            lines.append(f"safe: {json.dumps([{k: v if isinstance(v, str) else float(v) for k, v in trial.items()} for trial in self.safe])}")
        if self.cost is not None:
            lines.append(f"cost: {json.dumps(self.cost)}")
        return "\n".join(lines) + "\n"

    def __repr__(self) -> str:
        spaces = "; ".join(
            f"{space.name} {', '.join(space.names)}"
            for space in (self.target, self.environment, self.parameters, self.outcome)
            if space
        )
        reward = (
            "told" if self.reward is None else repr(self.reward) if isinstance(self.reward, str) else "by a function"
        )
        return f"Problem({self.name!r}, {spaces}; reward {reward})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Problem) and self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash((self.name, self.context, self.parameters.names, self.outcome.names))

    def _parts(self) -> tuple[Any, ...]:
        spaces = tuple(tuple(space.items()) for space in (self.target, self.environment, self.parameters, self.outcome))
        if isinstance(self._source, FileSource):  # the name of the source appears only in errors
            return spaces, self._source.text, self._source.changes
        return (spaces, self._source) if self._source else (spaces, self.reward, self.achieved, self.presence, self.constraints, self.limits, self.safe, self.cost)

    def __reduce__(self) -> tuple[Any, ...]:
        if self._source is not None:
            return Problem._of_source, (self._source,)
        return _remake, (
            {
                "target": self.target,
                "environment": self.environment,
                "parameters": self.parameters,
                "outcome": self.outcome,
                "reward": self.reward,
                "achieved": self.achieved,
                "presence": self.presence,
                "constraints": self.constraints,
                "limits": self.limits,
                "safe": self.safe,
                "cost": self.cost,
                "name": self.name,
            },
        )


def _check_takes(name: str, function: Any, *arguments: str) -> None:
    """Refuses a function of the problem that does not accept these arguments."""
    if not callable(function):
        return
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # a function written in C has no signature; the call will show whether it fits
        return
    try:
        signature.bind(*arguments)
    except TypeError as error:
        raise ArgumentError(
            f"the function is called as {name}({', '.join(arguments)}), but takes {signature}: {error}; write it as "
            f"def {name}({', '.join(arguments)})",
            field=name,
        ) from None


def texts_of(field: str, given: Iterable[str]) -> tuple[str, ...]:
    """Reads formulas; a single one may be given without a list."""
    formulas = (given,) if isinstance(given, str) else tuple(given)
    for formula in formulas:
        if not isinstance(formula, str):
            raise ArgumentError(f"expected formulas as texts, not {type(formula).__name__}", field=field)
    return formulas


LIMIT_KEYS = ("of", "at_most", "at_least", "chance")


def limits_of(given: Mapping[str, Mapping[str, Any]] | None) -> dict[str, dict[str, Any]]:
    """Reads limits in the form of a problem file: levels become texts, because they may be formulas."""
    limits: dict[str, dict[str, Any]] = {}
    if given is not None and not isinstance(given, Mapping):
        raise ArgumentError(
            f'expected a mapping such as {{"apex": {{"at_most": 1.2}}}}, not {type(given).__name__}', field="limits"
        )
    for name, limit in (given or {}).items():
        field = f"limits.{name}"
        if not isinstance(limit, Mapping):
            raise ArgumentError(f'expected a mapping such as {{"at_most": 1.2}}, not {limit!r}', field=field)
        limits[name] = {}
        for key, value in limit.items():
            if key not in LIMIT_KEYS:
                raise unknown("key of a limit", key, LIMIT_KEYS, field)
            if key == "chance":
                limits[name][key] = _number_of(value, f"{field}.chance")
                continue
            if not isinstance(value, str):
                if key == "of":
                    raise ArgumentError(f"expected a formula as a text, not {value!r}", field=f"{field}.of")
                _number_of(value, f"{field}.{key}")
            limits[name][key] = str(value)
    return limits


def _number_of(value: Any, field: str) -> float:
    try:
        if isinstance(value, (str, bool)):
            raise TypeError
        return float(value)
    except (TypeError, ValueError):
        raise ArgumentError(f"expected a number, not {value!r}", field=field) from None


def safe_of(given: Iterable[Mapping[str, float]] | None) -> tuple[dict[str, float], ...]:
    """Reads parameters that are known to keep the limits, by name."""
    if isinstance(given, (Mapping, str)):
        raise ArgumentError('expected a list such as [{"speed": 2, "tilt": 0.5}]', field="safe")
    trials: list[dict[str, float]] = []
    for trial in given or ():
        if not isinstance(trial, Mapping):
            raise ArgumentError(f'expected a mapping such as {{"speed": 2}}, not {trial!r}', field="safe")
        trials.append(
            {name: value if isinstance(value, str) else _number_of(value, f"safe.{name}") for name, value in trial.items()}
        )
    return tuple(trials)


def _read_limit(c: Any) -> dict[str, Any]:
    texts = {key: text(getattr(c, key)) for key in LIMIT_KEYS[:3] if getattr(c, key) != ffi.NULL}
    return {**texts, "chance": c.chance}


def _safe_parts(problem: Problem) -> tuple[Space, Space, Space]:
    return problem.target, problem.environment, problem.parameters


def _read_safe(problem: Problem, c: Any) -> dict[str, float]:
    parts = zip(_safe_parts(problem), (c.target, c.environment, c.parameters))
    numbers = {name: (part[i], space) for space, part in parts for i, name in enumerate(space.names)}
    return {name: shown(space.names, name, x) for name, (x, space) in numbers.items() if x == x}


def _put_limits(problem: Problem, c: Any, keep: list[Any]) -> None:
    """Writes the limits and safe trials of a problem with functions."""
    limits, safe = ffi.new("fcps_limit[]", len(problem.limits) + 1), ffi.new("fcps_safe_trial[]", len(problem.safe) + 1)
    for slot, (name, limit) in zip(limits, problem.limits.items()):
        slot.name, slot.chance = c_text(name, keep), limit.get("chance", 0.95)
        for key in LIMIT_KEYS[:3]:
            setattr(slot, key, c_text(limit[key], keep) if key in limit else ffi.NULL)
    for slot, trial in zip(safe, problem.safe):
        for part, space in zip(("target", "environment", "parameters"), _safe_parts(problem)):
            words = words_of(space.names)
            given = [one_number(name, trial[name], words.get(name)) if name in trial else math.nan for name in space.names]
            numbers = ffi.new("double[]", given or [0.0])
            keep.append(numbers)
            setattr(slot, part, numbers)
    keep += [limits, safe]
    c.limits, c.limit_count, c.safe, c.safe_count = limits, len(problem.limits), safe, len(problem.safe)


def _remake(parts: dict[str, Any]) -> Problem:
    return Problem(**parts)


def _native_file(source: FileSource, host: Host) -> Native:
    keep: list[Any] = []
    data = source.text.encode("utf-8")
    out = ffi.new("fcps_problem_file **")
    changes = setting_pairs(source.changes, keep)
    status = lib.fcps_problem_file_parse(out, data, len(data), c_text(source.name, keep), changes, host.error)
    if status != lib.FCPS_OK:
        error = from_library(host.error)
        if error.file == source.name == "problem":  # there is no such file: the text was made here
            error.file, error.line, error.column = "", 0, 0
        raise error
    file = out[0]
    stand = Handle(host, file, lib.fcps_problem_file_destroy, "problem", keep=keep)
    return Native(ffi.addressof(file, "problem"), host, keep, stand, file=file)


def _native_task(source: TaskSource, host: Host) -> Native:
    keep: list[Any] = []
    out = ffi.new("fcps_task **")
    settings = setting_list(dict(source.settings), keep)
    if lib.fcps_task_create(out, c_text(source.task, keep), settings, source.seed, host.error) != lib.FCPS_OK:
        raise from_library(host.error)
    stand = Handle(host, out[0], lib.fcps_task_destroy, "task", keep=keep)
    return Native(lib.fcps_task_problem(out[0]), host, keep, stand, task=stand)


def setting_pairs(pairs: tuple[tuple[str, str], ...], keep: list[Any]) -> Any:
    """Makes amendments for the library, in which a name may occur several times."""
    if not pairs:
        return ffi.NULL
    array = ffi.new("fcps_setting[]", len(pairs) + 1)
    for slot, (name, value) in zip(array, pairs):
        slot.name, slot.value = c_text(name, keep), c_text(value, keep)
    keep.append(array)
    return array


def read_space(name: str, c: Any) -> Space:
    """Reads a space of the library."""
    dimensions: dict[str, Dimension] = {}
    for i in range(c.count):
        dim = c.dims[i]
        if dim.choices != ffi.NULL:
            dimensions[text(dim.name)] = _read_choices(dim.choices, text(dim.when))
            continue
        bounds = (None, None) if dim.lower == 0 and dim.upper == 0 else (dim.lower, dim.upper)
        dimensions[text(dim.name)] = Dimension(*bounds, dim.period, SCALES[int(dim.scale)], text(dim.unit), dim.step, text(dim.when))
    return Space(name, dimensions)


def _read_choices(c: Any, when: str) -> Choice:
    words = [text(c.words[i]) for i in range(c.count)]
    names = [text(c.properties[i]) for i in range(c.property_count)]
    known = {word: {name: c.known[i * len(names) + k] for k, name in enumerate(names)} for i, word in enumerate(words)}
    return Choice(*words, ordered=c.is_ordered, alike=c.is_alike, properties=known if names else None, when=when)


def _c_choices(choice: Choice, keep: list[Any]) -> Any:
    c = ffi.new("fcps_choices *")
    names = list(choice.properties[choice.words[0]]) if choice.properties else []
    words, properties = (ffi.new("const char *[]", [c_text(one, keep) for one in part] or 1) for part in (choice.words, names))
    known = ffi.new("double[]", [choice.properties[word][name] for word in choice.words for name in names] or 1)
    c.count, c.words, c.is_ordered, c.is_alike = len(choice.words), words, choice.ordered, choice.alike
    c.property_count, c.properties, c.known = len(names), properties, known
    keep += [c, words, properties, known]
    return c


def _c_space(space: Space, keep: list[Any]) -> dict[str, Any]:
    array = ffi.new("fcps_dimension[]", max(len(space), 1))
    for slot, (name, dim) in zip(array, space.items()):
        slot.name = c_text(name, keep)
        slot.lower, slot.upper = dim.lower or 0.0, dim.upper or 0.0
        slot.period, slot.scale = dim.period, SCALES.index(dim.scale)
        slot.unit, slot.step = c_text(dim.unit, keep), dim.step
        slot.when = c_text(dim.when, keep) if dim.when else ffi.NULL
        if isinstance(dim, Choice):
            slot.choices = _c_choices(dim, keep)
    keep.append(array)
    return {"count": len(space), "dims": array}


def _yaml_space(space: Space) -> str:
    return "{" + ", ".join(f"{json.dumps(name)}: {_yaml_dimension(dim)}" for name, dim in space.items()) + "}"


def _yaml_dimension(dim: Dimension) -> str:
    if isinstance(dim, Choice):
        said: dict[str, Any] = {name: True for name in ("ordered", "alike") if getattr(dim, name)}
        said.update({"when": dim.when} if dim.when else {})
        return json.dumps({"choices": dim.properties or list(dim.words), **said})
    parts: list[str] = []
    if dim.lower is not None and dim.upper is not None:
        parts.append(f"range: [{dim.lower!r}, {dim.upper!r}]")
    if dim.period:
        parts.append(f"period: {dim.period!r}")
    if dim.step:
        parts.append(f"step: {dim.step!r}")
    if dim.scale != "linear":
        parts.append(f"scale: {dim.scale}")
    if dim.unit:
        parts.append(f"unit: {json.dumps(dim.unit)}")
    if dim.when:
        parts.append(f"when: {json.dumps(dim.when)}")
    return "{" + ", ".join(parts) + "}"
