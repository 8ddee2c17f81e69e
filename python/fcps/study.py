# SPDX-License-Identifier: Apache-2.0
"""A study: a problem, a learner and a store. Ask and tell that survive a crash."""

from __future__ import annotations

import contextlib
import math
import os
import time
import uuid
from collections.abc import Generator, Iterator, Mapping
from dataclasses import replace
from types import TracebackType
from typing import Any, Self, cast

import numpy as np

from ._fcps import ffi, lib
from ._host import Handle, Host, c_text, setting_list, taken_text, text, texts, warn, whole_number
from .check import ModelCheck, read_check
from .errors import (
    ArgumentError,
    BusyError,
    ClosedError,
    LockedError,
    StoreError,
    UnsupportedError,
    in_python,
)
from .findings import Counts, Event, Outlook, Remark, read_counts, read_event, read_outlook, read_remark
from .learner import free_dimensions
from .opening import Setup, Wishes, check_problem, check_wishes, setup_of
from .policy import Policy
from .problem import FileSource, Problem
from .results import find_named, read_results
from .tasks import Task
from .trials import MISSING, OutcomeLike, Receipt, Told, Trial, check_own, doubles, message_of, number_of, read_ask
from .values import Array, RowLike, Table, is_record_array, many_rows, one_row


_ASKS = 8  # are asked at once; between them a signal is seen
_INT = (-(2**31), 2**31 - 1)  # numbers of C's int
_PAUSE = 0.02  # s, until one looks again whether another process has made the study


class Study:
    """Asks and results that are stored before they count.

    `Study(path, problem)` makes the study, or opens it where it exists; then the problem may be left out if its reward
    is a formula. Without a path the study is in memory; an address (`http://HOST:PORT/NAME`) is that of a study behind
    `fcps serve`. An ask is stored before it is returned, a result before `tell`
    returns. Several processes may use one file, and several threads one study: they wait for each other.

    >>> import fcps
    >>> problem = fcps.Problem(target={"x": (0, 5)}, parameters={"speed": (0, 8), "tilt": (0.1, 1.5)}, outcome=["land"],
    ...                        achieved={"x": "land"}, reward="-distance - 0.01*speed")
    >>> with fcps.Study(None, problem, seed=1001) as study:
    ...     for x in np.linspace(0.5, 4.5, 20):
    ...         trial = study.ask(x=x)
    ...         speed, tilt = trial.parameters.values()
    ...         receipt = study.tell(trial, land=speed**2 * np.sin(2 * tilt) / 9.81)
    ...     policy = study.policy()
    >>> answer = policy(x=3.3)
    >>> abs(answer.outcome["land"] - 3.3) < 0.3
    True
    """

    def __new__(cls, path: str | os.PathLike[str] | None = None, *_: Any, **__: Any) -> Self:
        """A study behind a server is a `ServedStudy`."""
        if cls is Study and isinstance(path, str) and path.startswith(("http://", "https://")):
            from .served import ServedStudy

            return object.__new__(cast(Any, ServedStudy))
        return object.__new__(cls)

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        problem: Problem | str | os.PathLike[str] | None = None,
        *,
        learner: str | None = None,
        settings: Mapping[str, Any] | None = None,
        seed: int | None = None,
        relaxed: bool = False,
        wait: float = 5.0,
    ) -> None:
        if problem is not None and not isinstance(problem, Problem):
            if not isinstance(problem, (str, os.PathLike)):
                raise ArgumentError(
                    f"expected a Problem or the path of a problem file, not {type(problem).__name__}", field="problem"
                )
            problem = Problem.from_file(problem)
        url = None if path is None else os.fspath(path)
        if isinstance(url, bytes):
            url = os.fsdecode(url)
        self._host = Host(problem)
        self._study: Handle | None = None
        self._process = os.getpid()
        self._is_file = url is not None and not url.startswith("memory:")
        self._keep: list[Any] = []
        self._task: Task | None = None
        self._is_reward_blamed = False  # it was said that no reward can be used
        self._opening = options = self._options(problem, relaxed, wait)
        exists = self._exists(url)
        if not exists and problem is None:
            raise ArgumentError(
                f"there is no study {url!r}; give a problem to make one"
                if url is not None
                else "give a problem; a study in memory is new",
                field="problem",
            )
        if not exists and problem is not None:
            exists = not self._make(
                url, setup_of(problem, self._native, Wishes(learner, settings, seed)), options, wait
            )
        try:
            if exists:
                self._open(url, options)
            self._host.problem = self.problem = self._read_problem(problem)
            self._identity = self._read_identity()
            if exists:
                check_problem(problem, self.problem, self._host.read(lib.fcps_study_file, self._study))
                check_wishes(Wishes(learner, settings, seed), Wishes(self.learner, self.settings, self.seed))
        except BaseException:
            self.close()  # not only when the exception, whose traceback has it, is forgotten
            raise

    # -- Opening --

    def _exists(self, url: str | None) -> bool:
        if url is None:
            return False
        found = ffi.new("bool *")
        self._host.call(lib.fcps_study_exists, found, c_text(url, self._keep))
        return bool(found[0])

    def _options(self, problem: Problem | None, relaxed: bool, wait: float) -> Any:
        options = ffi.new("fcps_study_options *")
        options.is_relaxed = relaxed
        options.wait_ms = max(int(wait * 1000), 1)
        options.log = {"write": lib.fcps_py_log, "user": self._host.user}
        options.maker = lib.fcps_run_maker()
        self._native: Any = None
        if problem is not None and problem.source is None:
            self._native = problem.native(self._host)
            options.problem = self._native.c
        return options

    def _take(self, out: Any) -> None:
        self._study = Handle(self._host, out[0], lib.fcps_study_close, "study", keep=self._native, stays=True)

    def _open(self, url: str | None, options: Any) -> None:
        out = ffi.new("fcps_study **")
        self._host.call(lib.fcps_study_open, out, c_text(url or "", self._keep), options)
        self._take(out)

    def release(self) -> None:
        """Ends a hold, that of `hold` or of a run: whoever waits may hold the study now. What was told is stored already."""
        with self._host.lock:
            if self._host.active:
                raise BusyError("the study is at work: a function of its own must not release it")
            path, study = self.path, self._study
            if path is None or study is None:
                return  # a study in memory has nobody else
            study.end()  # with which the hold ends
            self._open(path, self._opening)

    def _make(self, url: str | None, setup: Setup, options: Any, wait: float) -> bool:
        """Makes the study. False: another process was faster, and its study is there; it is waited for while it works."""
        end = time.monotonic() + wait
        out = ffi.new("fcps_study **")
        address = ffi.NULL if url is None else c_text(url, self._keep)
        while True:
            try:
                self._host.call(lib.fcps_study_create, out, address, setup.c, options)
            except StoreError as failure:
                if self._exists(url):
                    return False
                if not isinstance(failure, LockedError) or time.monotonic() > end:
                    raise
                time.sleep(_PAUSE)
            else:
                self._take(out)
                return True

    def _read_identity(self) -> str:
        """What tells the study from all others; "" for files of an early version, which have nothing."""
        with self._host.lock:
            identity = lib.fcps_study_identity(self.handle().c)
            if identity != ffi.NULL:
                return text(identity)
            return "" if self._is_file else f"in memory {uuid.uuid4()}"

    def _read_problem(self, given: Problem | None) -> Problem:
        """The problem as the study has it, amendments included."""
        with self._host.lock:
            study = self.handle().c
            file = lib.fcps_study_file(study)
            if file != ffi.NULL:
                changes = tuple(
                    (event.code, event.text)
                    for event in self._events()
                    if event.code == "reward" or event.code.startswith("bounds.")
                )
                return Problem.of_source(FileSource(text(file.text), text(file.file), changes))
            if lib.fcps_run_task(study) != ffi.NULL:
                self._task = Task.from_origin(text(lib.fcps_study_origin(study)))
                return self._task.problem
        if given is None:
            raise UnsupportedError(
                "the study was made with Python functions; give the same problem to open it", field="problem"
            )
        return given

    # -- What it is --

    @property
    def path(self) -> str | None:
        """Where the study is kept; None in memory."""
        with self._host.lock:
            url = lib.fcps_study_url(self.handle().c)
            return None if url == ffi.NULL else text(url)

    @property
    def learner(self) -> str:
        """The name of the learner."""
        with self._host.lock:
            return text(lib.fcps_study_learner(self.handle().c))

    @property
    def settings(self) -> dict[str, str]:
        """The settings of the learner that were given."""
        with self._host.lock:
            return texts(lib.fcps_study_settings(self.handle().c))

    @property
    def seed(self) -> int:
        """The seed of all random numbers."""
        return int(self._host.read(lib.fcps_study_seed, self.handle()))

    @property
    def task(self) -> Task | None:
        """The built-in task that the study is of."""
        return self._task

    @property
    def counts(self) -> Counts:
        """How the trials ended."""
        c = ffi.new("fcps_study_counts *")
        self._host.look(lib.fcps_study_count, self.handle(), c)
        return read_counts(c)

    @property
    def events(self) -> list[Event]:
        """Amendments and other events, oldest first."""
        with self._host.lock:
            return [replace(event, replaced=self._replaced(i)) for i, event in enumerate(self._events())]

    def _replaced(self, index: int) -> str | None:
        out = ffi.new("char **")
        self._host.call(lib.fcps_study_replaced, self.handle(), index, out)
        return None if out[0] == ffi.NULL else taken_text(out[0])

    def _events(self) -> list[Event]:
        """By a caller who has the lock."""
        found: list[Event] = []
        study = self.handle().c
        while (event := lib.fcps_study_event_at(study, len(found))) != ffi.NULL:
            found.append(read_event(event))
        return found

    # -- Ask and tell --

    def ask(self, context: RowLike | None = None, /, *, client: str = "", **values: float) -> Trial:
        """Parameters worth trying in a context, which is given by keywords, as a mapping or as an array.

        A client that has an unfinished trial gets that one again: after a crash nothing is lost.
        """
        study = self.handle()
        numbers = one_row("context", self.problem.context, context, values)
        cut = len(self.problem.target)
        keep: list[Any] = []
        return self._asked(
            lib.fcps_study_ask, client, study, message_of(client, keep), doubles(numbers[:cut]), doubles(numbers[cut:])
        )

    def choose(self, fixed: RowLike | None = None, /, *, client: str = "", **values: float) -> Trial:
        """Active learners: chooses context and parameters; what is given of the context stays as it is."""
        study = self.handle()
        free, target, environment, keep = free_dimensions(self.problem, fixed, values)
        return self._asked(lib.fcps_study_choose, client, study, message_of(client, keep), free, target, environment)

    def _asked(self, function: Any, client: str, *arguments: Any) -> Trial:
        """An interrupt is raised when the library has returned: an ask that nobody will ever see is given up."""
        ask = ffi.new("fcps_ask *")
        with self._host.lock:
            try:
                self._host.call(function, *arguments, ask)
                self._warn_without_rewards()
                return read_ask(self.problem, ask, self._identity)
            except BaseException:
                if ask.id != 0 and not client:
                    self._host.answer(lib.fcps_study_forget, self.handle(), ask.id, ffi.NULL)
                raise

    def _warn_without_rewards(self) -> None:
        """Says once where trials ended well and not one of their rewards can be used; by a caller who has the lock. One
        alone may be an accident, which its receipt tells.
        """
        if self._is_reward_blamed or (count := self._count_without_rewards()) < 2:
            return
        self._is_reward_blamed = True
        warn(
            "W_REWARD_NOT_FINITE",
            f"none of the {count} results that could have a reward has one that can be used ({self.explain()}): asks and "
            "answers are guesses. Look at the reward",
        )

    def _count_without_rewards(self) -> int:
        """How many trials ended well; 0 where the reward of one can be used, which mostly is that of the latest."""
        stored, count = ffi.new("fcps_stored_result *"), 0
        for i in reversed(range(len(self))):
            self._host.look(lib.fcps_study_result_at, self.handle(), i, stored)
            if not stored.is_used or stored.result.rollout.status != lib.FCPS_ROLLOUT_OK:
                continue
            if math.isfinite(stored.result.rollout.reward):
                return 0
            count += 1
        return count

    def ask_many(self, contexts: Any = None, count: int | None = None) -> list[Trial]:
        """Trials that are to be made side by side: one for each row of `contexts`, or `count` for one context. Each
        knows those before it. Where one fails, or Ctrl-C comes, none of them is left pending.
        """
        self.handle()
        rows = context_rows(self.problem, contexts, count)
        number = len(rows)
        found: list[Trial] = []
        with self._host.lock:
            while len(found) < number:
                asks = ffi.new("fcps_ask[]", min(_ASKS, number - len(found)))
                try:
                    self._ask_rows(rows[len(found) : len(found) + len(asks)], asks)
                    found += [read_ask(self.problem, ffi.addressof(asks, i), self._identity) for i in range(len(asks))]
                except BaseException:
                    for one in {trial.id for trial in found} | {ask.id for ask in asks if ask.id != 0}:
                        self._host.answer(lib.fcps_study_forget, self.handle(), one, ffi.NULL)
                    raise
            self._warn_without_rewards()
        return found

    def _ask_rows(self, rows: Array, asks: Any) -> None:
        """One ask for each row."""
        cut = len(self.problem.target)
        targets, environments = np.ascontiguousarray(rows[:, :cut]), np.ascontiguousarray(rows[:, cut:])
        c = ffi.new("fcps_ask_contexts *", {"rows": len(asks)})
        c.targets = ffi.from_buffer("double[]", targets) if targets.size else ffi.NULL
        c.environments = ffi.from_buffer("double[]", environments) if environments.size else ffi.NULL
        self._host.call(lib.fcps_study_ask_many, self.handle(), len(asks), c, asks)

    def tell(
        self,
        trial: Trial | int | None,
        outcome: OutcomeLike = MISSING,
        /,
        *,
        reward: float = math.nan,
        hindsight_reward: float = math.nan,
        status: str = "ok",
        message: str = "",
        deviation: RowLike | None = None,
        target: RowLike | None = None,
        environment: RowLike | None = None,
        parameters: RowLike | None = None,
        client: str = "",
        key: str = "",
        **values: float,
    ) -> Receipt:
        """Stores the outcome of a trial: by keywords, as a mapping or as an array; None where there was none.

        `deviation` says how exact it is. Target, environment and parameters are as asked, unless they were measured; a
        trial that nobody asked for (None) must have them. A trial that broke has a status ("failed", "refused",
        "timeout" or "unstable") and a message. Telling the same again changes nothing.
        """
        study, number = self.handle(), self._number(trial)
        keep: list[Any] = []
        result = ffi.new("fcps_result *")
        Told(outcome, values, deviation, reward, hindsight_reward, status, target, environment, parameters).fill(
            self.problem, result.rollout, keep
        )
        result.client = message_of(client, keep)
        result.message = message_of(message, keep)
        result.key = message_of(key, keep)
        receipt = ffi.new("fcps_receipt *")
        self._host.call(lib.fcps_study_tell, study, number, result, receipt)
        return Receipt(
            receipt.ask,
            receipt.reward,
            receipt.result_number,
            receipt.is_repeated,
            receipt.is_late,
            receipt.is_flagged,
            receipt.is_misplaced,
            receipt.is_suspect,
        )

    def forget(self, trial: Trial | int) -> None:
        """Gives up a trial. Its result is still accepted if it comes."""
        self._host.call(lib.fcps_study_forget, self.handle(), self._number(trial))

    def _number(self, trial: Trial | int | None) -> int:
        """The number of a trial, which must be one of this study."""
        number = number_of(trial)
        if isinstance(trial, Trial):
            with self._host.lock:
                own = self._asked_as(number)
                if own is None:  # asked through another process
                    self.refresh()
                    own = self._asked_as(number)
            if own is not None:
                check_own(trial, own, "study")
        return number

    def _asked_as(self, number: int) -> Trial | None:
        study, ask = self.handle().c, ffi.new("fcps_ask *")
        count = lib.fcps_study_ask_count(study)
        for i in (number - 1, *range(count)):  # asks are numbered from 1, and few are missing
            if 0 <= i < count:
                lib.fcps_study_ask_at(study, i, ask)
                if ask.id == number:
                    return read_ask(self.problem, ask, self._identity)
        return None

    def refresh(self) -> None:
        """Sees what other processes have stored; ask, tell and policy do it by themselves."""
        self._host.call(lib.fcps_study_refresh, self.handle())

    # -- What is stored --

    @property
    def trials(self) -> list[Trial]:
        """All trials that were asked for."""
        with self._host.lock:
            study = self.handle().c
            ask = ffi.new("fcps_ask *")
            found: list[Trial] = []
            for i in range(lib.fcps_study_ask_count(study)):
                lib.fcps_study_ask_at(study, i, ask)
                found.append(read_ask(self.problem, ask, self._identity))
            return found

    @property
    def pending(self) -> list[Trial]:
        """The trials that wait for their result."""
        return [trial for trial in self.trials if trial.state == "pending"]

    def rollouts(self) -> Table:
        """All stored results, as a table: context, parameters, outcome, `reward`, `status` and what is known of each.

        pandas.DataFrame(study.rollouts()) and polars.DataFrame(study.rollouts()) make a data frame of it. While the reward is
        a function that raises, rewards are NaN, and the logger `fcps` says what it raised.
        """
        with self._host.lock:
            return read_results(self._host, self.handle(), self.problem)

    def __len__(self) -> int:
        """The number of stored results."""
        return int(self._host.look(lib.fcps_study_result_count, self.handle()))

    def __iter__(self) -> Iterator[Trial]:
        return iter(self.trials)

    def find_suspects(self) -> Table:
        """The results that the model does not believe, each judged by all others."""
        count = ffi.new("int *")
        with self._host.lock:
            self._host.call(lib.fcps_study_find_suspects, self.handle(), count)
            # what the reward raises comes out: without rewards nothing is judged
            self._host.read(lib.fcps_study_count, self.handle(), ffi.new("fcps_study_counts *"))
            table = self.rollouts()
            rows = np.flatnonzero(table.known("suspect"))
            chosen = table.where(rows)
            words = np.array([self._surprise(int(row)) for row in rows], object)
            chosen.say("surprise", words, chosen)
            return chosen

    def _surprise(self, index: int) -> str:
        stored, words = ffi.new("fcps_stored_result *"), ffi.new("char[]", lib.FCPS_SURPRISE_SIZE)
        self._host.read(lib.fcps_study_result_at, self.handle(), index, stored)
        self._host.read(lib.fcps_study_surprise_text, self.handle(), stored, words)
        return in_python(text(words))

    def check_model(self) -> ModelCheck:
        """Compares each result with what the model expects of it after all others."""
        with self._host.lock, self._native_policy() as policy:
            out = ffi.new("fcps_study_check **")
            self._host.call(lib.fcps_study_check_model, self.handle(), policy, out)
            try:
                return read_check(out[0])
            finally:
                lib.fcps_study_check_destroy(out[0])

    def explain(self) -> str:
        """Why the latest result that counts and cannot be used cannot: which outcome, or which part of the reward's
        formula. "" where all can be used.
        """
        words = ffi.new("char[]", _WORDS)
        with self._host.lock:
            return text(self._host.read(lib.fcps_study_explain, self.handle(), ffi.NULL, _WORDS, words))

    def complaint(self) -> str:
        """Where no trial ever ended well: what they said, and what to do. "" where one did."""
        words = ffi.new("char[]", _WORDS)
        return in_python(text(words)) if self._host.read(lib.fcps_study_complain, self.handle(), _WORDS, words) else ""

    def confirm(self, sequence: int | str) -> None:
        """Says that a surprising result is right; by its `sequence` in the table of rollouts, or by its name in messages:
        "21.1" is the first result of ask 21, "30.1-39.1,42.1" are several.
        """
        for one in self._sequences(sequence):
            self._host.call(lib.fcps_study_confirm, self.handle(), one)

    def use(self, sequence: int | str, used: bool = True) -> None:
        """Takes a result out of what the learner is told, or back in; by its `sequence` or its name, as `confirm`."""
        for one in self._sequences(sequence):
            self._host.call(lib.fcps_study_use_result, self.handle(), one, bool(used))

    def _sequences(self, given: int | str) -> list[int]:
        return find_named(self.rollouts(), given) if isinstance(given, str) else [whole_number("sequence", given)]

    def use_of(self, trial: Trial | int, result_number: int) -> None:
        """Chooses which of several results of a trial is used; by its `result_number` in the table of rollouts."""
        number = whole_number("result_number", result_number, *_INT)
        self._host.call(lib.fcps_study_use, self.handle(), self._number(trial), number)

    # -- What has been learnt --

    def policy(self) -> Policy:
        """What has been learnt so far, as a value of its own."""
        with self._host.lock, self._native_policy() as policy:
            words = ffi.new("char **")
            self._host.call(lib.fcps_policy_save, policy, words)
            self._warn_without_rewards()
            return Policy(self.problem, taken_text(words[0]))

    @contextlib.contextmanager
    def _native_policy(self) -> Generator[Any]:
        """The policy of the library, for a caller who has the lock."""
        out = ffi.new("fcps_policy **")
        self._host.call(lib.fcps_study_policy, self.handle(), out)
        try:
            yield out[0]
        finally:
            lib.fcps_policy_destroy(out[0])

    def retarget(self, contexts: Any) -> Any:
        """The policy's answers for many contexts: see `Policy.predict`."""
        return self.policy().predict(contexts)

    def outlook(self) -> Outlook:
        """How good the policy is believed to be over the whole context space, and whether more trials are worth it."""
        with self._host.lock, self._native_policy() as policy:
            c = ffi.new("fcps_outlook *")
            target = ffi.new("double[]", max(len(self.problem.target), 1))
            environment = ffi.new("double[]", max(len(self.problem.environment), 1))
            self._host.call(lib.fcps_study_outlook, self.handle(), policy, c, target, environment)
            return read_outlook(self.problem, c, target, environment)

    def remarks(self) -> list[Remark]:
        """What looks wrong in the study: the last `outlook` has looked at everything."""
        found: list[Remark] = []
        with self._host.lock:
            study = self.handle().c
            while (remark := lib.fcps_study_remark_at(study, len(found))) != ffi.NULL:
                found.append(read_remark(remark))
        return found

    # -- Changes --

    def amend(self, *, reward: str | None = None, bounds: Mapping[str, tuple[float, float]] | None = None) -> None:
        """Changes the reward's formula or the bounds of dimensions. Everything that is stored is scored again."""
        study = self.handle()
        changes = _changes(reward, bounds)
        self._check_formulas()
        keep: list[Any] = []
        for what, value in changes:
            self._host.call(lib.fcps_study_amend, study, c_text(what, keep), c_text(value, keep))
        if changes:
            self._host.problem = self.problem = self._read_problem(self.problem)
            self._is_reward_blamed = False

    def _check_formulas(self) -> None:
        if self.problem.source is None:
            raise UnsupportedError(
                "only a problem whose reward is a formula can be amended; open the study with a Problem that has another "
                "function: everything that is stored is scored again",
                field="reward",
            )

    def preview(
        self, *, reward: str | None = None, bounds: Mapping[str, tuple[float, float]] | None = None
    ) -> tuple[Counts, str]:
        """What `counts` would be after one such change, which is not made, and why a result could then not be used."""
        study = self.handle()
        changes = _changes(reward, bounds)
        self._check_formulas()
        if len(changes) != 1:
            raise ArgumentError("give one change: a reward, or the bounds of one dimension", field="reward")
        keep: list[Any] = []
        change, c, why = ffi.new("fcps_setting *"), ffi.new("fcps_study_counts *"), ffi.new("char[256]")
        change.name, change.value = (c_text(part, keep) for part in changes[0])
        self._host.call(lib.fcps_study_preview, study, change, c, why)
        return read_counts(c), text(why)

    def amend_learner(self, learner: str | None = None, **settings: Any) -> None:
        """Changes who learns, and its settings. Everything that counts is told again."""
        keep: list[Any] = []
        self._host.call(
            lib.fcps_study_amend_learner, self.handle(), message_of(learner or "", keep), setting_list(settings, keep)
        )

    def note(self, code: str, words: str) -> None:
        """Adds an event that changes nothing."""
        keep: list[Any] = []
        self._host.call(lib.fcps_study_note, self.handle(), c_text(code, keep), c_text(words, keep))

    def import_csv(self, path: str | os.PathLike[str], *, again: bool = False) -> tuple[int, int]:
        """Reads old trials from a CSV with a column for each dimension. Returns how many were added and skipped: rows
        that equal a stored result are skipped, unless the trials were done `again` and gave the very same numbers."""
        keep: list[Any] = []
        added, skipped = ffi.new("int *"), ffi.new("int *")
        read = lib.fcps_study_import_again if again else lib.fcps_study_import
        self._host.call(read, self.handle(), c_text(os.fspath(path), keep), added, skipped)
        return added[0], skipped[0]

    def backup(self, path: str | os.PathLike[str], *, replace: bool = False) -> int:
        """Copies the study to another file, also while others write. Returns how many records it has."""
        keep: list[Any] = []
        records = ffi.new("int64_t *")
        with self._host.lock:
            url = lib.fcps_study_url(self.handle().c)
            if url == ffi.NULL:
                raise UnsupportedError(
                    "a study in memory cannot be copied; give it a path when it is made", field="path"
                )
            self._host.call(lib.fcps_study_backup, url, c_text(os.fspath(path), keep), replace, records)
        return int(records[0])

    def to_optuna(self, path: str | os.PathLike[str], *, name: str | None = None) -> int:
        """Writes the study as a journal that Optuna and optuna-dashboard open. Returns the number of its trials."""
        from .optuna import write_journal

        return write_journal(self, path, name=name)

    def plot(self, axes: Any = None) -> Any:
        """The learning curve with matplotlib, which must be installed; returns the axes."""
        from .display import plot_study

        return plot_study(self, axes)

    def _repr_html_(self) -> str:
        from .display import study_html

        return study_html(self)

    def hold(self) -> None:
        """Keeps the study for this one until it is closed or released: whoever else wants to hold it, or to run it, is
        refused.
        """
        self._host.call(lib.fcps_study_hold, self.handle())

    @staticmethod
    def repair(path: str | os.PathLike[str], to: str | os.PathLike[str]) -> int:
        """Copies what is unharmed of a damaged study to a new file. Returns how many records that was."""
        keep: list[Any] = []
        records = ffi.new("int64_t *")
        Host().call(lib.fcps_study_repair, c_text(os.fspath(path), keep), c_text(os.fspath(to), keep), records)
        return int(records[0])

    @staticmethod
    def restore(backup: str | os.PathLike[str], path: str | os.PathLike[str], *, force: bool = False) -> str | None:
        """Makes `path` a copy of a backup. Returns the new name of the study that was there; None where none was.
        Where another study is there, it is refused unless `force`."""
        keep: list[Any] = []
        kept, records = ffi.new("char **"), ffi.new("int64_t *")
        Host().call(
            lib.fcps_study_restore,
            c_text(os.fspath(backup), keep),
            c_text(os.fspath(path), keep),
            force,
            kept,
            records,
        )
        return None if kept[0] == ffi.NULL else taken_text(kept[0])

    @staticmethod
    def copy(source: str | os.PathLike[str], to: str | os.PathLike[str]) -> int:
        """Copies a study to a new one: a file, or postgresql://HOST/DATABASE#NAME. Returns how many records it has."""
        keep: list[Any] = []
        records = ffi.new("int64_t *")
        Host().call(lib.fcps_study_copy, c_text(os.fspath(source), keep), c_text(os.fspath(to), keep), records)
        return int(records[0])

    @staticmethod
    def remove(path: str | os.PathLike[str]) -> None:
        """Deletes a study and everything that is kept beside it."""
        keep: list[Any] = []
        Host().call(lib.fcps_study_remove, c_text(os.fspath(path), keep))

    # -- The end --

    def close(self) -> None:
        """Ends the use of the study, once the call of another thread is over; what was told is stored already."""
        with self._host.lock:
            if self._host.active:
                raise BusyError(
                    "the study is at work: a function of its own must not close it; return from the function first"
                )
            if self._study is not None:
                self._study.end()

    def __enter__(self) -> Study:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a study cannot be pickled; open it again by its path in the other process")

    def __repr__(self) -> str:
        with self._host.lock:
            if self.is_closed:
                return "Study(closed)"
            where = self.path or "in memory"
            return f"Study({where}: {self.learner}, seed {self.seed}, {len(self)} results, {len(self.pending)} pending)"

    @property
    def is_closed(self) -> bool:
        """Whether the study was closed."""
        return self._study is None or self._study.is_closed

    @property
    def host(self) -> Host:
        """What stands between the study and the library, for the package itself."""
        return self._host

    def handle(self) -> Handle:
        """The study of the library, whose pointer is looked at under the lock."""
        if self._study is None:
            raise ClosedError("the study was not opened", field="study")
        if self._is_file and os.getpid() != self._process and not self._study.is_closed:
            raise ClosedError(
                "the study was opened before this process was forked; open it again here with fcps.Study(path)",
                field="study",
            )
        return self._study


_WORDS = 1024  # room for a text of the library


def _changes(reward: str | None, bounds: Mapping[str, tuple[float, float]] | None) -> list[tuple[str, str]]:
    changes = [("reward", str(reward))] if reward is not None else []
    return changes + [
        (f"bounds.{name}", f"{float(lower)!r},{float(upper)!r}") for name, (lower, upper) in (bounds or {}).items()
    ]


def context_rows(problem: Problem, contexts: Any, count: int | None) -> Array:
    """The contexts of many asks, one row each."""
    rows = _rows_of(problem, contexts)
    number = rows.shape[0] if count is None else whole_number("count", count)
    if not 0 < number <= lib.FCPS_ASKS_MAX:
        raise ArgumentError(f"expected 1 to {lib.FCPS_ASKS_MAX} asks, not {number}", field="count")
    if rows.shape[0] not in (1, number):
        raise ArgumentError(
            f"there are {rows.shape[0]} contexts for {number} asks; give one for each ask, or one for all",
            field="contexts",
        )
    return np.broadcast_to(rows, (number, rows.shape[1]))


def _rows_of(problem: Problem, contexts: Any) -> Array:
    if contexts is None or (isinstance(contexts, Mapping) and not contexts):
        if problem.context:
            raise ArgumentError(f"give the contexts: columns {', '.join(problem.context)}", field="contexts")
        return np.empty((1, 0))
    if isinstance(contexts, np.ndarray) and contexts.ndim == 1 and not is_record_array(contexts):
        contexts = np.asarray(contexts, np.float64)[None, :]
    return many_rows("contexts", problem.context, contexts)
