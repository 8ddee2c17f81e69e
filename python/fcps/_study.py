# SPDX-License-Identifier: Apache-2.0
"""A study: a problem, a learner and a store. Ask and tell that survive a crash."""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, overload

import numpy as np
from numpy.typing import NDArray

from ._changing import ChangingStudy
from ._check import ModelCheck, read_check
from ._copied import CopiedStudy
from ._fcps import ffi, lib
from ._findings import Outlook, Remark, read_outlook, read_remark
from ._host import Handle, taken_text, whole_number
from ._learner import free_dimensions
from ._operations import answer_of, ask_door, door_options, request_of
from ._policy import Policy
from ._problem import Problem
from ._trials import (
    MISSING,
    OutcomeLike,
    Receipt,
    Told,
    Trial,
    doubles,
    how_it_ended,
    lacks_outcome,
    message_of,
    read_ask,
)
from ._values import Array, Frame, RowLike, Table, by_names, is_record_array, many_rows, one_row
from .errors import ArgumentError, Error

_ASKS = 8  # asked at a time; signals are handled between them


class Study(ChangingStudy, CopiedStudy):
    """A study of asks and results, which are stored before they count.

    `Study(path, problem)` makes the study, or opens it if it exists; then the problem may be left out if its reward is
    a formula. Without a path the study is in memory; with an address (`http://HOST:PORT/NAME`) it is behind `fcps
    serve`. An ask is stored before it is returned, a result before `tell` returns. Several processes may use one file,
    and several threads one study: they wait for each other.

    - `mode`: "new" refuses a study that exists, "open" one that does not exist. The default ("any") allows both, and
      the logger `fcps` says at the level INFO how many results exist already.
    - `learner`, `settings`: the learner (`fcps.learners` lists all) and its settings; an existing study has its own.
    - `seed`: the seed of all random numbers. The default of a new study is 1, so repetitions of an experiment need different seeds.
    - `relaxed`: results are acknowledged before they are safe from a power cut (a crash of the program loses none),
      which makes cheap simulations faster.
    - `wait`: how many seconds a call waits while another process uses the file.

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

    # -- Ask and tell --

    def ask(self, context: RowLike | None = None, /, *, client: str = "", **values: float) -> Trial:
        """Asks for parameters in a context, which is given by keywords, as a mapping or as an array.

        A client that has an unfinished trial gets that trial again, so nothing is lost after a crash.
        """
        study = self._handle()
        numbers = one_row("context", self.problem.context, context, values)
        cut = len(self.problem.target)
        keep: list[Any] = []
        return self._asked(
            lib.fcps_study_ask, client, study, message_of(client, keep), doubles(numbers[:cut]), doubles(numbers[cut:])
        )

    def choose(self, fixed: RowLike | None = None, /, *, client: str = "", **values: float) -> Trial:
        """For active learners: chooses context and parameters; given dimensions of the context stay as they are."""
        study = self._handle()
        free, target, environment, keep = free_dimensions(self.problem, fixed, values)
        return self._asked(lib.fcps_study_choose, client, study, message_of(client, keep), free, target, environment)

    def _asked(self, function: Any, client: str, *arguments: Any) -> Trial:
        """Asks, and raises an interrupt only after the library has returned: an ask that the user will never see is
        given up.
        """
        ask, keep = ffi.new("fcps_ask *"), list[Any]()
        if lib.fcps_run_owns_client(message_of(client, keep)):
            raise ArgumentError(f"{client!r} is a client of `fcps run`; choose another name", field="client")
        with self._host.lock:
            try:
                self._host.call(function, *arguments, ask)
                self._warn_without_rewards()
                return read_ask(self.problem, ask, self._identity)
            except BaseException:
                if ask.id != 0 and not client:
                    self._host.answer(lib.fcps_study_forget, self._handle(), ask.id, ffi.NULL)
                raise

    def ask_many(self, contexts: Any = None, count: int | None = None) -> list[Trial]:
        """Asks for trials that are to be done side by side: one for each row of `contexts`, or `count` for one context.
        Each takes account of those before it. If one fails, or Ctrl-C comes, none of them is left pending.
        """
        self._handle()
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
                        self._host.answer(lib.fcps_study_forget, self._handle(), one, ffi.NULL)
                    raise
            self._warn_without_rewards()
        return found

    def _ask_rows(self, rows: Array, asks: Any) -> None:
        """Makes one ask for each row."""
        cut = len(self.problem.target)
        targets, environments = np.ascontiguousarray(rows[:, :cut]), np.ascontiguousarray(rows[:, cut:])
        c = ffi.new("fcps_ask_contexts *", {"rows": len(asks)})
        c.targets = ffi.from_buffer("double[]", targets) if targets.size else ffi.NULL
        c.environments = ffi.from_buffer("double[]", environments) if environments.size else ffi.NULL
        self._host.call(lib.fcps_study_ask_many, self._handle(), len(asks), c, asks)

    def tell(
        self,
        trial: Trial | int | None,
        outcome: OutcomeLike = MISSING,
        /,
        *,
        reward: float | None = None,
        hindsight_reward: float = math.nan,
        status: str = "ok",
        failed: bool | str = False,
        message: str = "",
        deviation: RowLike | None = None,
        target: RowLike | None = None,
        environment: RowLike | None = None,
        parameters: RowLike | None = None,
        client: str = "",
        key: str = "",
        **values: float,
    ) -> Receipt:
        """Stores the outcome of a trial: by keywords, as a mapping or as an array; None if the trial had no outcome.

        `deviation` says how exact the outcome is. Target, environment and parameters are as asked, unless they are
        given; numbers that `environment` or `parameters` lack are as asked, too. A trial without an ask (None) must
        have all of them. If the problem has no reward, the `reward` is told here; NaN means that there is none. A trial
        that failed is told with a reason, `failed="slipped"`, or with a status ("failed", "refused", "timeout" or
        "unstable") and a message. Telling the same result again changes nothing.
        """
        number = self._number(trial)
        status, message = how_it_ended(failed, status, message)
        told = Told(outcome, values, deviation, reward, hindsight_reward, status, target, environment, parameters)
        self._complete(told, trial, number)
        asked = trial.client if isinstance(trial, Trial) else ""
        return self._tell(number, told, message=message, client=client, key=key, asked=asked)

    def _complete(self, told: Told, trial: Trial | int | None, number: int) -> None:
        """Completes an environment or parameters that are told in part with those of the ask."""
        for part in ("environment", "parameters"):
            given = by_names(part, getattr(told, part))
            if trial is None or not isinstance(given, Mapping) or not 0 < len(given) < len(getattr(self.problem, part)):
                continue
            with self._host.lock:
                own = trial if isinstance(trial, Trial) else self._asked_as(number)
            if own is not None:
                setattr(told, part, {**getattr(own, part), **given})

    def _tell(self, number: int, given: Told, *, message: str, client: str, key: str, asked: str) -> Receipt:
        """Tells a result; `asked` is the client that asked for the trial, if known."""
        study = self._handle()
        keep: list[Any] = []
        result = ffi.new("fcps_result *")
        given.fill(self.problem, result.rollout, keep)
        result.client = message_of(client, keep)
        result.message = message_of(message, keep)
        result.key = message_of(key, keep)
        receipt = ffi.new("fcps_receipt *")
        with self._host.lock:
            self._host.call(lib.fcps_study_tell, study, number, result, receipt)
            told = Receipt(
                receipt.ask,
                receipt.reward,
                receipt.result_number,
                receipt.is_repeated,
                receipt.is_late,
                receipt.is_flagged,
                receipt.is_misplaced,
                receipt.is_suspect,
            )
            self._say_of_receipt(told, lacks_outcome(self.problem, result.rollout), lambda: self._explain_told(told.ask))
            stored = self._asked_as(number) if client else None
            self._say_of_client(number, stored.client if stored is not None else asked, client)
        return told

    def forget(self, trial: Trial | int) -> None:
        """Gives up a trial. If its result comes later, it is still accepted."""
        self._host.call(lib.fcps_study_forget, self._handle(), self._number(trial))

    # -- What has been learnt --

    def policy(self) -> Policy:
        """Makes the policy learnt so far, as a value of its own."""
        with self._host.lock, self._native_policy() as policy:
            words = ffi.new("char **")
            self._host.call(lib.fcps_policy_save, policy, words)
            self._warn_without_rewards()
            if self._may_have_outage():
                self._look_for_outage(policy)
            return Policy(self.problem, taken_text(words[0]))

    def _say_of_outage(self) -> None:
        """Logs at the end of a run which trials are taken for an outage."""
        with self._host.lock, contextlib.suppress(Error):  # the run is done even if there is no policy
            if self._may_have_outage():
                with self._native_policy() as policy:
                    self._look_for_outage(policy)

    @contextlib.contextmanager
    def _native_policy(self) -> Generator[Any]:
        """Makes a policy of the library, for a caller who has the lock."""
        out = ffi.new("fcps_policy **")
        self._host.call(lib.fcps_study_policy, self._handle(), out)
        try:
            yield out[0]
        finally:
            lib.fcps_policy_destroy(out[0])

    @overload
    def retarget(self, contexts: Frame) -> Frame: ...

    @overload
    def retarget(self, contexts: Mapping[str, Any] | Sequence[Any] | NDArray[Any]) -> Table: ...

    def retarget(self, contexts: Any) -> Any:
        """Answers many contexts by the policy: see `Policy.predict`."""
        return self.policy().predict(contexts)

    def outlook(self) -> Outlook:
        """Says how good the policy is believed to be over the whole context space, and whether more trials are worth
        it.
        """
        with self._host.lock, self._native_policy() as policy:
            c = ffi.new("fcps_outlook *")
            target = ffi.new("double[]", max(len(self.problem.target), 1))
            environment = ffi.new("double[]", max(len(self.problem.environment), 1))
            self._host.call(lib.fcps_study_outlook, self._handle(), policy, c, target, environment)
            if c.excused:
                self._say_excused()
            return read_outlook(self.problem, c, target, environment)

    def remarks(self) -> list[Remark]:
        """Returns the remarks about what looks wrong in the study, after `outlook` has looked for all kinds."""
        found: list[Remark] = []
        with self._host.lock:
            study = self._handle().c
            while (remark := lib.fcps_study_remark_at(study, len(found))) != ffi.NULL:
                found.append(read_remark(remark))
        return found

    def check_model(self) -> ModelCheck:
        """Compares each result with the value that the model expects of it from all others."""
        with self._host.lock, self._native_policy() as policy:
            out = ffi.new("fcps_study_check **")
            self._host.call(lib.fcps_study_check_model, self._handle(), policy, out)
            try:
                return read_check(out[0])
            finally:
                lib.fcps_study_check_destroy(out[0])

    # -- Questions to the model --

    def why(self, ask: int | Trial) -> dict[str, Any]:
        """Explains an ask: what it expects and could earn, what it would teach, and which results its prediction rests
        on.
        """
        return self.call("why", ask=int(ask.id if isinstance(ask, Trial) else ask))

    def forecast(
        self, trials: int | None = None, *, reward: float | None = None, parallel: int | None = None
    ) -> dict[str, Any]:
        """Predicts what `trials` more trials bring, or how many more it takes until the policy earns `reward`, with a
        band that covers 8 of 10 rehearsed worlds.
        """
        given = {"trials": trials, "reward": reward, "parallel": parallel}
        return self.call("forecast", **{name: value for name, value in given.items() if value is not None})

    def explain(
        self, target: Mapping[str, float] | None = None, environment: Mapping[str, float] | None = None, *, points: int = 24
    ) -> dict[str, Any]:
        """Explains the model: what matters, how predictions change along each dimension through a context, and how the
        best parameters follow the context.
        """
        return self.call("explain", target=dict(target or {}), environment=dict(environment or {}), points=points)

    # -- By name --

    def call(self, operation: str, /, **request: Any) -> dict[str, Any]:
        """Does an operation by its name, with its fields by keywords: `study.call("best", target={"x": 3})`.

        `fcps.operations` lists them; requests and answers are those of docs/serve.md. The answer has a table under
        `text`, and a file under `bytes`.
        """
        return answer_of(self._do(operation, request))

    def _do(self, operation: str, request: Mapping[str, Any]) -> bytes:
        with self._host.lock:
            study, events = self._handle(), len(self._events())
            if self._door is None or self._door.is_closed:
                out = ffi.new("fcps_door **")
                self._host.call(lib.fcps_door_open_study, out, study, door_options(self._host))
                self._door = Handle(self._host, out[0], lib.fcps_door_close, "study", on=study, stays=True)
            data = ask_door(self._host, self._door, operation, request_of(request))
            if len(self._events()) != events:
                self._see_amendment()
            return data

    # -- For others, and to look at --

    def to_optuna(self, path: str | os.PathLike[str], *, name: str | None = None) -> int:
        """Writes the study as a journal that Optuna and optuna-dashboard open. Returns the number of its trials."""
        from ._optuna import write_journal

        return write_journal(self, path, name=name)

    def plot(self, axes: Any = None) -> Any:
        """Draws the learning curve with matplotlib, which must be installed; returns the axes."""
        from ._display import plot_study

        return plot_study(self, axes)

    def _repr_html_(self) -> str:
        from ._display import study_html

        return study_html(self)

    if not TYPE_CHECKING:  # type checkers would accept any name

        def __getattr__(self, name: str) -> Any:
            """For names of other packages, says what to use here."""
            if name in _ELSEWHERE:
                raise AttributeError(f"a study has no {name}; {_ELSEWHERE[name]}", name=name, obj=self)
            return object.__getattribute__(self, name)

    def __repr__(self) -> str:
        with self._host.lock:
            if self.is_closed:
                return "Study(closed)"
            where = self.path or "in memory"
            return f"Study({where}: {self.learner}, seed {self.seed}, {len(self)} results, {len(self.pending)} pending)"


_BEST = "there is no best trial, only one for a context: study.policy()(x=1).parameters"
_ELSEWHERE: Final = {
    "best_trial": _BEST,
    "best_trials": _BEST,
    "best_params": _BEST,
    "best_value": _BEST,
    "best": _BEST,
    "optimize": "fcps.run(study, trial, episodes=60) asks, calls trial(trial) and tells, until there are 60 results",
    "run": "fcps.run(study, trial, episodes=60) asks, calls trial(trial) and tells, until there are 60 results",
    "stop": "a run ends if `on_episode` returns False, or raises fcps.StopRun",
    "trials_dataframe": "all results are in study.rollouts().to_pandas()",
    "predict": "study.policy().predict(contexts) answers",
}


def context_rows(problem: Problem, contexts: Any, count: int | None) -> Array:
    """Makes the contexts of many asks, one row each."""
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
