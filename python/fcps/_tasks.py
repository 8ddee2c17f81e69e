# SPDX-License-Identifier: Apache-2.0
"""Built-in tasks, and the lists of what is built in: `fcps.tasks`, `fcps.learners` and `fcps.operations`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import numpy as np

from ._failures import from_library, from_status, unknown
from ._fcps import ffi, lib
from ._host import Host, as_seed, setting_text, text, texts, whole_number
from ._problem import Problem, TaskSource
from ._trials import STATUSES, doubles, unpack
from ._values import RowLike, Table, Values, one_row
from .errors import UnavailableError

if TYPE_CHECKING:
    from ._policy import Policy


@dataclass(frozen=True)
class Setting:
    """One setting: its default and range."""

    name: str
    kind: str  # "number", "integer", "switch", "choice", or "words": a choice, or words of your own
    default: str
    lower: float
    upper: float
    choices: tuple[str, ...]
    help: str


@dataclass(frozen=True)
class LearnerInfo:
    """A built-in learner."""

    name: str
    summary: str
    is_active: bool  # chooses contexts
    needs_reward: bool  # needs a reward that is a formula or a function
    settings: dict[str, Setting]


@dataclass(frozen=True)
class TaskInfo:
    """A built-in task."""

    name: str
    summary: str
    unavailable: str  # why it cannot be used here; "" if it can
    settings: dict[str, Setting]


class Listed(Protocol):
    """An entry of a catalogue."""

    @property
    def name(self) -> str: ...

    @property
    def summary(self) -> str: ...


Info = TypeVar("Info", bound=Listed)


class Catalogue(Mapping[str, Info], Generic[Info]):
    """Built-in learners or tasks, by name."""

    def __init__(self, what: str, read: Callable[[], dict[str, Info]]) -> None:
        self._what = what
        self._read = read
        self._known: dict[str, Info] | None = None

    def _all(self) -> dict[str, Info]:
        if self._known is None:
            self._known = self._read()
        return self._known

    def __getitem__(self, name: str) -> Info:
        try:
            return self._all()[name]
        except KeyError:
            raise unknown(self._what, name, self._all(), self._what) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def __repr__(self) -> str:
        return f"<{self._what}s: {', '.join(self)}>"

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><td><code>{info.name}</code></td><td>{info.summary}</td></tr>" for info in self.values())
        return f"<table>{rows}</table>"


_KINDS = ("number", "integer", "switch", "choice", "words")  # in the order of fcps_setting_kind


def _settings(table: Any, defaults: Any) -> dict[str, Setting]:
    own = texts(defaults)
    found: dict[str, Setting] = {}
    i = 0
    while (spec := lib.fcps_setting_at(table, i)) != ffi.NULL:
        choices: list[str] = []
        while spec.choice != ffi.NULL and (choice := spec.choice(len(choices))) != ffi.NULL:
            choices.append(text(choice))
        name = text(spec.name)
        found[name] = Setting(
            name,
            _KINDS[int(spec.kind)],
            own.get(name, text(spec.initial)),
            spec.lower,
            spec.upper,
            tuple(choices),
            text(spec.help),
        )
        i += 1
    return found


def _learners() -> dict[str, LearnerInfo]:
    found: dict[str, LearnerInfo] = {}
    while (info := lib.fcps_learner_info_at(len(found))) != ffi.NULL:
        name = text(info.name)
        found[name] = LearnerInfo(
            name, text(info.summary), info.is_active, info.needs_reward, _settings(info.settings, info.defaults)
        )
    return found


def _tasks() -> dict[str, TaskInfo]:
    found: dict[str, TaskInfo] = {}
    while HAS_LAB and (info := lib.fcps_task_info_at(len(found))) != ffi.NULL:
        name = text(info.name)
        found[name] = TaskInfo(
            name, text(info.summary), text(info.unavailable), _settings(info.settings, info.defaults)
        )
    return found


# whether the built-in tasks were built into the module (the CMake option FCPS_LAB)
HAS_LAB = hasattr(lib, "fcps_task_create")
NO_LAB = "this module was built without the built-in tasks; install it again without -C cmake.define.FCPS_LAB=OFF"

learners: Catalogue[LearnerInfo] = Catalogue("learner", _learners)
tasks: Catalogue[TaskInfo] = Catalogue("task", _tasks)


@dataclass(frozen=True)
class Rollout:
    """The result of a simulated trial."""

    outcome: Values | None
    status: str
    message: str


class Task:
    """A built-in task: a problem, a simulator, the distribution of its contexts, and its offline evaluation.

    >>> import fcps
    >>> cannon = fcps.Task("cannon", seed=1001)
    >>> cannon.problem.target.names
    ('x', 'y')
    """

    def __init__(self, name: str, *, seed: int = 1, settings: Mapping[str, Any] | None = None) -> None:
        if not HAS_LAB:
            raise UnavailableError(NO_LAB, field="task")
        info = tasks[name]
        if info.unavailable:
            raise UnavailableError(info.unavailable, field=name)
        given = tuple((key, setting_text(value)) for key, value in (settings or {}).items())
        self._make(TaskSource(name, given, as_seed(seed)))

    @classmethod
    def _from_origin(cls, origin: str) -> Task:
        """The task of a study, made from the text that is stored in the study."""
        whole: dict[str, Any] = json.loads(origin)
        task = cls.__new__(cls)
        given: dict[str, Any] = whole.get("task_settings") or {}
        task._make(
            TaskSource(
                whole["task"], tuple((str(name), str(value)) for name, value in given.items()), int(whole["seed"])
            )
        )
        return task

    def _make(self, source: TaskSource) -> None:
        self._source = source
        self.name = source.task
        self.seed = source.seed
        self.problem = Problem._of_source(source)
        self._host = Host(self.problem)
        self._native = self.problem._native(self._host)

    def context(self, episode: int) -> Values:
        """The context of an episode, counted from 0."""
        problem = self.problem
        target, environment = (
            ffi.new("double[]", max(len(space), 1)) for space in (problem.target, problem.environment)
        )
        number = whole_number("episode", episode)
        self._host.read(lib.fcps_task_context, self._native.task, number, target, environment)
        return Values(
            problem.context,
            tuple(ffi.unpack(target, len(problem.target)) + ffi.unpack(environment, len(problem.environment))),
        )

    def run(self, parameters: RowLike, environment: RowLike | None = None, *, episode: int = -1) -> Rollout:
        """Simulates a trial, with the noise of an episode; a negative one has none."""
        problem = self.problem
        given = doubles(one_row("parameters", problem.parameters.names, parameters, {}))
        world = doubles(one_row("environment", problem.environment.names, environment, {}))
        number = whole_number("episode", episode)
        outcome = ffi.new("double[]", max(len(problem.outcome), 1))
        rollout = ffi.new("fcps_rollout *")
        with self._host.lock:
            task = self._native.task
            status = self._host.answer(lib.fcps_task_run, task, number, world, given, outcome, rollout)
            if status != lib.FCPS_OK:
                error = lib.fcps_task_error(task.c)
                raise from_library(error) if error.status == status else from_status(status)
            reached = unpack(problem.outcome, outcome) if rollout.outcome != ffi.NULL else None
            return Rollout(reached, STATUSES[int(rollout.status)], text(lib.fcps_task_message(task.c)))

    def evaluation(self) -> Table:
        """The contexts of the offline evaluation."""
        table = Table()
        with self._host.lock:
            c = self._host.read(lib.fcps_task_evaluation, self._native.task)
            for space, pointer in ((self.problem.target, c.targets), (self.problem.environment, c.environments)):
                if not len(space):
                    continue
                rows = np.frombuffer(ffi.buffer(pointer, 8 * c.count * len(space))).reshape(c.count, len(space))
                table._add(space.names, rows)
        return table

    def evaluate(self, policy: Policy) -> Table:
        """The rewards of a policy in each context of the evaluation, with its predictions (`predicted`). A reward is
        NaN if the trial failed and the task gives no reward for that.
        """
        problem = self.problem
        table = self.evaluation()
        count = int(self._host.read(lib.fcps_task_evaluation, self._native.task).count)
        reward, predicted, present = np.empty(count), np.empty(count), np.empty(count, bool)
        chosen, reached = np.empty((count, len(problem.parameters))), np.empty((count, len(problem.outcome)))
        rows, mean = ffi.new("fcps_evaluation_rows *"), ffi.new("double *")
        arrays = {"rewards": reward, "predictions": predicted, "parameters": chosen, "outcomes": reached}
        for name, array in arrays.items():
            setattr(rows, name, ffi.from_buffer("double[]", array) if array.size else ffi.NULL)
        rows.present = ffi.from_buffer("bool[]", present)
        with policy._host.lock:
            self._host.call(lib.fcps_run_evaluate, self._native.task, policy._policy, rows, mean)
        reached[~present] = np.nan
        for space, numbers in ((problem.parameters, chosen), (problem.outcome, reached)):
            table._add(space.names, numbers)
        table.update(reward=reward, predicted=predicted)
        return table

    def optimum(self) -> float:
        """The mean reward of the best possible policy over the evaluation; the first call searches for it. NaN if the
        task has no such search.
        """
        return float(self._host.read(lib.fcps_task_optimum, self._native.task))

    def __reduce__(self) -> tuple[Any, ...]:
        origin = {"task": self.name, "seed": self.seed, "task_settings": dict(self._source.settings)}
        return Task._from_origin, (json.dumps(origin),)

    def __repr__(self) -> str:
        return f"Task({self.name!r}, seed={self.seed})"
