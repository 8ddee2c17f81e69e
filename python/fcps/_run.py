# SPDX-License-Identifier: Apache-2.0
"""The loop of `fcps run`: draw or choose a context, ask, do the trial, tell. It can go on after an interruption."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._fcps import ffi, lib
from ._host import Host, inform, whole_number
from ._policy import Policy
from ._problem import FileSource, Problem
from ._study import Study
from ._tasks import Task
from ._trials import (
    MISSING,
    STATUSES,
    Missing,
    OutcomeLike,
    Told,
    Trial,
    lacks_outcome,
    message_of,
    read_ask,
    unpack,
    unpack_parameters,
)
from ._values import Table, Values, many_rows, one_row
from .errors import ArgumentError, BusyError, StopRun, TrialFailed, UnsupportedError

TrialFunction = Callable[[Trial], OutcomeLike]


@dataclass(frozen=True)
class Episode:
    """A finished episode, as a run shows it."""

    episode: int  # counted from 1
    done: int  # the number of finished episodes, including this one
    target: Values
    environment: Values
    parameters: Values
    outcome: Values | None
    reward: float
    status: str
    ask_seconds: float
    run_seconds: float
    is_earlier: bool  # done by an earlier call, and shown again


@dataclass(frozen=True)
class Run:
    """The result of a run. The study is open but not held: the same call may go on with more episodes. Close it, or use
    the run in a `with`, before its file is moved or deleted.
    """

    study: Study
    episodes: Table  # a row for each episode
    offline: Table  # the mean reward of the policy over the evaluation contexts of a built-in task: `episode`, `mean`
    is_converged: bool  # the run ended because further trials are worth little
    is_stopped: bool  # `on_episode` or StopRun ended the run

    def policy(self) -> Policy:
        """Makes the policy learnt so far."""
        return self.study.policy()

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        self.study.close()


def run(
    what: Study | Problem | Task | str | os.PathLike[str],
    trial: TrialFunction | None = None,
    *,
    episodes: int,
    path: str | os.PathLike[str] | None = None,
    learner: str | None = None,
    settings: Mapping[str, Any] | None = None,
    seed: int | None = None,
    contexts: Any = None,
    evaluate_every: int = 0,
    until_converged: bool = False,
    budget: float | None = None,
    on_episode: Callable[[Episode], object] | None = None,
    parallel: int = 1,
    goes_on_failing: bool = False,
) -> Run:
    """Learns: asks, does the trials and tells them, until there are `episodes` trials in all.

    Trials of earlier calls count: if the same call is repeated, it has nothing to do, and the logger `fcps` says so at
    the level INFO.

    `what` is a study, a problem, a problem file, or a task (or its name). A task is simulated. A problem needs the
    function `trial(trial)`, which does a trial and returns its outcome (by name or as an array; None if there is none),
    or raises `TrialFailed`; without a function, the program in the problem file is run. Contexts come from the task or
    the problem file, or are drawn evenly within their bounds.

    - `contexts={"x": [1, 3], "wind": 0}`: these rows in turn.
    - `on_episode=lambda episode: print(episode.reward)` is called after each trial; before the first one, it is called
      for each trial of earlier calls. If it returns False, or raises `StopRun`, the run ends and `fcps.run` returns the
      finished trials. `trial` may raise `StopRun`, too.
    - `until_converged=True` also ends the run when further trials are worth little; this is checked every ten trials.
    - `budget=200` ends the run before all trials of the study would cost more, by the problem's `cost`.
    - `goes_on_failing=True` goes on even if more than half of the trials failed; otherwise a run then ends with
      FailureRateError.

    `parallel` trials are under way at once: so many threads call `trial`, or so many programs run. Each ask takes
    account of those that are under way; results are told in the order of the asks, so that the asks do not depend on
    timing. With several threads `trial` must not use the study (BusyError). A task is simulated, one trial after
    another.

    `path` keeps everything in a file. A run that was interrupted, also by Ctrl-C or an exception of `trial`, continues
    from the same place when it is called again with the same path or study.

    >>> import fcps
    >>> problem = fcps.Problem(target={"x": (0, 5)}, parameters={"push": (0, 3)}, outcome=["place"],
    ...                        achieved={"x": "place"}, reward="-distance")
    >>> done = fcps.run(problem, lambda trial: trial.parameters["push"]**2 / 2, episodes=15, seed=1001)
    >>> abs(done.policy()(x=2).parameters["push"] - 2) < 0.1
    True
    """
    if trial is not None and not callable(trial):
        raise ArgumentError(
            f"expected a function that does a trial, not {trial!r}; a program is named by the problem file, as in "
            "run: {command: [PROGRAM]}",
            field="trial",
        )
    study, task = _study_of(what, path, learner, settings, seed)
    with contextlib.ExitStack() as failing:
        if study is not what:  # the next call must be able to hold the study, even if a traceback keeps this handle
            failing.callback(study.close)
        if evaluate_every > 0 and (task is None or trial is not None):
            raise UnsupportedError(
                "only a built-in task that is simulated has contexts to evaluate a policy in; leave `evaluate_every` out, and "
                "ask done.policy() in contexts of your own",
                field="evaluate_every",
            )
        host = Host(study.problem)
        shown: list[Episode] = []
        offline: list[tuple[int, float]] = []
        options = ffi.new("fcps_run_options *")
        options.episodes = whole_number("episodes", episodes)
        options.evaluate_every = whole_number("evaluate_every", evaluate_every)
        options.budget = 0.0 if budget is None else _budget(budget)
        options.user, options.stop, options.on_episode = host.user, lib.fcps_py_stop, lib.fcps_py_on_episode
        options.on_offline, options.parallel, options.goes_on_failing = (
            lib.fcps_py_on_offline,
            whole_number("parallel", parallel, 0, 256),
            bool(goes_on_failing),
        )
        options.log = {"write": lib.fcps_py_log, "user": host.user}
        outlook = ffi.new("fcps_outlook *")
        options.until_converged = outlook if until_converged else ffi.NULL
        if contexts is not None:
            host.run_context = _rows_in_turn(study.problem, contexts)
            options.context = lib.fcps_py_context

        def show(episode: Any) -> None:
            one = _read_episode(study.problem, episode)
            shown.append(one)
            if not one.is_earlier:
                stored = ffi.addressof(episode, "stored")
                lacks = lacks_outcome(study.problem, stored.result.rollout)
                study._say_of_result(stored, lacks, lambda: study._explain_result(stored))
            if on_episode is not None and on_episode(one) is False:
                raise StopRun

        host.episode_shown = show
        host.offline_shown = lambda c: offline.append((c.episode, c.mean))
        is_stopped = False
        try:
            _go(study, task, trial, host, options)
        except StopRun:
            is_stopped = True
        if shown and all(one.is_earlier for one in shown) and not is_stopped and not outlook.is_converged:
            inform(
                "I_NOTHING_TO_DO",
                f"nothing to do: {shown[-1].done} of {options.episodes} episodes are done; to go on, give a larger `episodes`",
            )
        study._say_of_outage()
        if study is not what:
            study.release()  # the next call may go on while this handle is still in use
        failing.pop_all()
    table = _episode_table(study.problem, shown)
    means = Table(episode=np.array([at for at, _ in offline], np.int64), mean=np.array([mean for _, mean in offline]))
    return Run(study, table, means, bool(outlook.is_converged), is_stopped)


def _budget(given: object) -> float:
    """Checks a budget; 0 would mean that there is none."""
    if isinstance(given, bool) or not isinstance(given, (int, float, np.number)) or not 0 < given < float("inf"):
        raise ArgumentError(f"expected a number above zero, not {given!r}", field="budget")
    return float(given)


def _study_of(what: Any, path: Any, learner: str | None, settings: Any, seed: int | None) -> tuple[Study, Task | None]:
    if isinstance(what, Study):
        if path is not None or learner is not None or settings is not None or seed is not None:
            raise ArgumentError(
                "the study has its path, learner, settings and seed already; leave them out", field="study"
            )
        return what, what.task
    if isinstance(what, str) and not os.path.exists(what) and not what.endswith((".yaml", ".yml")):
        what = Task(what, seed=1 if seed is None else seed)
    if isinstance(what, Task):
        study = Study(path, what.problem, learner=learner, settings=settings, seed=what.seed)
        return study, study.task
    if isinstance(what, (str, os.PathLike)):
        what = Problem.from_file(what)  # type: ignore[arg-type]
    if not isinstance(what, Problem):
        raise ArgumentError(
            f"expected a study, a problem, a problem file or a task, not {type(what).__name__}", field="what"
        )
    return Study(path, what, learner=learner, settings=settings, seed=seed), None


def _go(study: Study, task: Task | None, trial: TrialFunction | None, host: Host, options: Any) -> None:
    with study._host.lock, contextlib.ExitStack() as threads:
        handle = study._handle()
        call: tuple[Any, ...]
        if trial is not None:
            do = _Threads(study, trial, int(options.parallel), threads) if options.parallel > 1 else trial
            host.run_trial = _trial_runner(study.problem, do)
            call = (lib.fcps_run_function, handle, lib.fcps_py_trial, host.user, options)
        elif task is not None:
            call = (lib.fcps_run, handle, lib.fcps_run_task(handle.c), options)
        elif isinstance(study.problem._source, FileSource):
            call = (lib.fcps_run_program, handle, ffi.NULL, options)
        else:
            raise _no_trial()
        # the study's host keeps exceptions of the problem's functions, the run's host those of the run's functions
        failure: BaseException | None = None
        study._host.enter()
        try:
            host.call(*call)
        except ArgumentError as error:
            # a problem file may name a program; a problem made in Python has none
            failure = _no_trial() if error.field == "run" and trial is None else error
        except BaseException as error:
            failure = error
        finally:
            study._host.active -= 1
        study._host.take()
        if failure is not None:
            raise failure


def _no_trial() -> ArgumentError:
    return ArgumentError(
        "give a function that does the trials, as in fcps.run(problem, trial, episodes=20), or a program in the "
        "problem file, as in run: {command: [PROGRAM]}",
        field="trial",
        hint="give a function that does the trials",
    )


class _RunLock:
    """Takes the place of the study's lock while the run waits for its threads. A thread that used the lock would wait
    for the run for ever, so it gets an error.
    """

    def __init__(self, lock: Any) -> None:
        self.lock = lock
        self.workers: set[int] = set()

    def __enter__(self) -> None:
        if threading.get_ident() in self.workers:
            raise BusyError(
                "the study is at work: a trial in one of several threads must not use it; return the outcome of the trial, or "
                "run one trial at a time"
            )
        self.lock.acquire()

    def __exit__(self, *_: object) -> None:
        self.lock.release()


class _Threads:
    """Does trials in threads. The library asks for all trials, and then for one result after another; with the first
    result all asked trials begin.
    """

    def __init__(self, study: Study, trial: TrialFunction, count: int, until: contextlib.ExitStack) -> None:
        self._study, self._trial = study, trial
        self._clients = {"run", *(f"run/{i}" for i in range(2, count + 1))}
        self._begun: dict[int, tuple[Trial, Future[OutcomeLike]]] = {}
        host = study._host
        lock = host.lock
        host.lock = run_lock = _RunLock(lock)
        until.callback(setattr, host, "lock", lock)
        self._pool = ThreadPoolExecutor(
            count, "fcps trial", initializer=lambda: run_lock.workers.add(threading.get_ident())
        )
        until.callback(self._end)

    def __call__(self, asked: Trial) -> OutcomeLike:
        for one in self._study.pending:
            if one.client in self._clients and one.id not in self._begun:
                self._begun[one.id] = one, self._pool.submit(self._trial, one)
        outcome = self._begun[asked.id][1].result()
        del self._begun[asked.id]
        return outcome

    def _end(self) -> None:
        """If the run ends early, finishes the trials under way and tells their results."""
        self._pool.shutdown(cancel_futures=True)
        for trial, future in self._begun.values():
            if future.cancelled():
                continue
            failure = future.exception()
            if failure is None:
                self._study.tell(trial, future.result(), client=trial.client)
            elif isinstance(failure, TrialFailed):
                self._study.tell(trial, status=failure.status, message=str(failure), client=trial.client)


def _trial_runner(problem: Problem, trial: TrialFunction) -> Callable[[int, Any, Any], None]:
    kept: list[Any] = []

    def run_trial(episode: int, ask: Any, result: Any) -> None:
        kept.clear()
        asked = read_ask(problem, ask)
        message, status = "", "ok"
        outcome: OutcomeLike | Missing = MISSING
        try:
            outcome = trial(asked)
        except TrialFailed as failure:
            message, status = str(failure), failure.status
        Told(outcome, {}, status=status).fill(problem, result.rollout, kept)
        result.message = message_of(message, kept)

    return run_trial


def _rows_in_turn(problem: Problem, contexts: Any) -> Callable[[int, Any, Any], None]:
    rows = many_rows("contexts", problem.context, contexts)
    if not rows.shape[0]:
        raise ArgumentError("there is no row; give at least one context, or leave `contexts` out", field="contexts")
    cut = len(problem.target)

    def context(episode: int, target: Any, environment: Any) -> None:
        row = rows[episode % rows.shape[0]].tolist()
        target[0:cut] = row[:cut]
        environment[0 : len(row) - cut] = row[cut:]

    return context


def _read_episode(problem: Problem, c: Any) -> Episode:
    rollout = c.stored.result.rollout
    outcome = unpack(problem.outcome, rollout.outcome) if rollout.outcome != ffi.NULL else None
    return Episode(
        c.episode,
        c.done,
        unpack(problem.target, rollout.target),
        unpack(problem.environment, rollout.environment),
        unpack_parameters(problem, rollout.target, rollout.environment, rollout.parameters),
        outcome,
        rollout.reward,
        STATUSES[int(rollout.status)],
        c.ask_seconds,
        c.run_seconds,
        c.is_earlier,
    )


def _episode_table(problem: Problem, shown: list[Episode]) -> Table:
    table = Table()
    dimensions = problem.context + problem.parameters.names + problem.outcome.names
    table._say("episode", np.array([one.episode for one in shown], np.int64), dimensions)
    for space in (problem.target, problem.environment, problem.parameters):
        rows = [one_row(space.name, space.names, getattr(one, space.name), {}) for one in shown]
        table._add(space.names, np.array(rows).reshape(len(shown), len(space)))
    for name in problem.outcome.names:
        table[name] = np.array([np.nan if one.outcome is None else one.outcome[name] for one in shown], np.float64)
    table._say("reward", np.array([one.reward for one in shown], np.float64), dimensions)
    table._say("status", np.array([one.status for one in shown], object), dimensions)
    return table
