# SPDX-License-Identifier: Apache-2.0
"""A study behind `fcps serve`, on this or another machine: ask and tell through the library's client, with the names of
`Study`.

A call that lost its connection can mostly be repeated: an ask with a `client` returns the same ask, and telling twice
is harmless. So calls try again for `wait` seconds, and only then raise. If the server refuses a call, the error has the
same class as for a study in a file.
"""

from __future__ import annotations

import math
import os
import re
import time
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from ._dimensions import Choice, Dimension
from ._display import curve_svg, study_table
from ._failures import is_status, of_code
from ._fcps import ffi, lib
from ._host import Handle, Host, c_text, text, warn
from ._operations import ask_door, door_options, request_of
from ._policy import Policy
from ._problem import Problem
from ._study import Study, context_rows
from ._trials import Expected, Receipt, Told, Trial, check_own, number_of
from ._values import RowLike, Table, Values, applying, one_number, one_row, shown, some_by_name, values_of, words_of
from .errors import ArgumentError, Error, FileError, LockedError, StoreError, UnknownNameError, UnsupportedError


class ServedStudy(Study):
    """A study behind a server: `fcps.Study("http://127.0.0.1:8017/throw")`, or `fcps.connect` with a token.

    The token comes from the address (`#token=...`), from `token`, or from the file in which `fcps serve` keeps it. It
    is sent only to a server that has proved to know it. Operations that need the program or a study in a file raise
    UnsupportedError.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        problem: Problem | str | os.PathLike[str] | None = None,
        *,
        mode: Literal["any", "new", "open"] = "any",
        learner: str | None = None,
        settings: Mapping[str, Any] | None = None,
        seed: int | None = None,
        relaxed: bool = False,
        wait: float = 60.0,
        token: str | None = None,
    ) -> None:
        if mode == "new":
            raise UnsupportedError("a study behind a server is there already; leave mode='new' out", field="mode")
        for name, given in {"problem": problem, "learner": learner, "settings": settings, "seed": seed}.items():
            if given is not None:
                raise ArgumentError(f"the study is there already, with its own {name}; leave `{name}` out", field=name)
        address = os.fsdecode(path or "")
        if not address.startswith(("http://", "unix:")):
            raise ArgumentError(
                f"{address!r} is not the address of a study; give http://HOST:PORT/NAME, as fcps serve prints it, or unix:PATH/NAME",
                field="address",
            )
        self._wait = wait
        self._asks: dict[int, Trial] = {}  # asked through this object, and not told yet
        self._host = Host()
        self._host.words = _in_words
        options, keep, out = door_options(self._host), list[Any](), ffi.new("fcps_door **")
        options.token = c_text(token, keep) if token else ffi.NULL
        options.wait_s = math.ceil(min(max(wait, 1.0), 2**31 - 1))
        self._host.call(lib.fcps_door_open, out, c_text(address, keep), options)
        self._server = Handle(self._host, out[0], lib.fcps_door_close, "study")
        self._path = text(lib.fcps_door_address(out[0]))
        told = self.call("problem")
        self._host.problem = self.problem = _read_problem(told)
        self._identity = str(told.get("identity") or "")

    # -- Ask and tell --

    def ask(self, context: RowLike | None = None, /, *, client: str = "", **values: float) -> Trial:
        """Asks for parameters in a context, as `Study.ask`. With a `client` the same trial can be asked for again after
        a crash.
        """
        asked = self._context(one_row("context", self.problem.context, context, values))
        return self._kept(self.call("ask", **asked, **_given(client=client)), client)

    def choose(self, fixed: RowLike | None = None, /, *, client: str = "", **values: float) -> Trial:
        """For active learners: chooses context and parameters; given dimensions of the context stay as they are."""
        known = some_by_name("context", self.problem.context, fixed, values)
        parts = {
            space.name: {name: shown(space.names, name, known[name]) for name in space.names if name in known}
            for space in (self.problem.target, self.problem.environment)
        }
        return self._kept(self.call("choose", **_given(**parts, client=client)), client)

    def ask_many(self, contexts: Any = None, count: int | None = None, *, client: str = "") -> list[Trial]:
        """Asks for trials that are to be done side by side: one for each row of `contexts`, or `count` for one context.
        All are stored, or none.
        """
        whole = context_rows(self.problem, contexts, count)
        rows = [self._context(row) for row in whole.tolist()]
        asked = self.call("ask", contexts=rows, **_given(client=client))
        return [self._kept(one, client) for one in asked["asks"]]

    def _tell(self, number: int, given: Told, *, message: str, client: str, key: str, asked: str) -> Receipt:
        told = self._told(given, message)
        told.update(_given(ask=number, client=client, key=key))
        got = self.call("tell", **told)
        self._asks.pop(number, None)
        scored = got.get("reward")
        receipt = Receipt(
            int(got.get("ask") or 0),
            math.nan if scored is None else float(scored),
            int(got.get("evidence") or 1),
            is_repeated=bool(got.get("repeated")),
            is_late=bool(got.get("late")),
            is_flagged=bool(got.get("flagged")),
            is_misplaced=bool(got.get("misplaced")),
            is_suspect=bool(got.get("suspect")),
        )
        self._say_of_receipt(receipt, "outcome" in told and told["outcome"] is None)
        self._say_of_client(number, asked, client)
        return receipt

    def forget(self, trial: Trial | int) -> None:
        """Gives up a trial. If its result comes later, it is still accepted."""
        self.call("forget", ask=self._number(trial))

    def _amend(self, changes: dict[str, Any], force: bool) -> None:
        """Asks the server for the changes; it also needs `force` for a reward that gives no stored result a finite value."""
        for name, span in changes.pop("bounds", {}).items():
            self.call("amend", bounds={name: span})
        for name, value in changes.items():
            self.call("amend", **{name: value}, force=force)
        self._host.problem = self.problem = _read_problem(self.call("problem"))

    # -- What has been learnt --

    def policy(self) -> Policy:
        """Makes the policy learnt so far, as a value of its own, which is asked without the server."""
        return Policy.from_text(self._do("policy", {}).decode("utf-8"))

    def status(self) -> dict[str, Any]:
        """The state of the study, as `fcps study status --json` prints it."""
        return self.call("status")

    # -- What is stored --

    @property
    def path(self) -> str:
        """The address of the study."""
        return self._path

    @property
    def learner(self) -> str:
        """The name of the learner."""
        return str(self.status()["learner"])

    @property
    def settings(self) -> dict[str, str]:
        """The settings of the learner that differ from its defaults."""
        return {str(name): str(value) for name, value in self.status()["settings"].items()}

    @property
    def seed(self) -> int:
        """The seed of all random numbers."""
        return int(self.status()["seed"])

    @property
    def task(self) -> None:
        """None: a server has no built-in tasks."""
        return None

    @property
    def trials(self) -> list[Trial]:
        """All asked trials."""
        return [self._trial(ask, str(ask.get("client") or "")) for ask in self.call("asks", state="all")["asks"]]

    def rollouts(self) -> Table:
        """All stored results as a table: context, parameters, outcome, `reward`, `status` and other facts about each
        result.
        """
        found: list[Mapping[str, Any]] = []
        more, last = True, 0
        while more:
            part = self.call("rollouts", after=last)
            found += part["rollouts"]
            more, last = bool(part["more"]) and part["last"] > last, part["last"]
        return _table(self.problem, found)

    def __len__(self) -> int:
        """The number of stored results."""
        state = self.status()
        return int(state["rollouts"]) + int(state["not_used"])

    def refresh(self) -> None:
        """Does nothing: the server is asked each time."""

    def _repr_html_(self) -> str:
        if self.is_closed:
            return "<p>a closed study</p>"
        state = self.status()
        rows = {"kept at": self.path} | {name: state[name] for name in ("learner", "seed", "rollouts", "failed", "pending")}
        return study_table(rows) + curve_svg(self.rollouts().known("reward"))

    # -- The end --

    def close(self) -> None:
        """Closes the study here; the server goes on."""
        with self._host.lock:
            self._server.end()

    @property
    def is_closed(self) -> bool:
        """Whether the study was closed here."""
        return self._server.is_closed

    def _handle(self) -> Handle:
        """Raises an error: calls that need a handle are not possible through a server."""
        with self._host.lock:
            _ = self._server.c  # a closed study raises here
        raise UnsupportedError(
            "a study behind a server cannot do this; use `fcps study` with its address, or open its file where the server runs",
            field="study",
        )

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a study cannot be pickled; connect again by its address in the other process")

    def __repr__(self) -> str:
        return f"ServedStudy({'closed' if self.is_closed else self.path})"

    # -- Requests --

    def _context(self, numbers: list[float]) -> dict[str, Any]:
        target, environment = self.problem.target.names, self.problem.environment.names
        cut = len(target)
        return {
            "target": dict(Values(target, tuple(numbers[:cut]))),
            "environment": dict(Values(environment, tuple(numbers[cut:]))),
        }

    def _trial(self, ask: Mapping[str, Any], client: str) -> Trial:
        parts: list[Values] = []
        for space in (self.problem.target, self.problem.environment, self.problem.parameters):
            given: Mapping[str, Any] = ask.get(space.name) or {}
            parts.append(_values(space.names, given))
        return Trial(
            int(ask["ask"]),
            *parts,
            client=client,
            state=str(ask.get("state") or "pending"),
            is_repeated=bool(ask.get("repeated")),
            study=self._identity,
            expected=self._expected(ask.get("expected")),
            cost=ask.get("cost"),
        )

    def _expected(self, given: Mapping[str, Any] | None) -> Expected | None:
        if given is None:
            return None
        names = self.problem.outcome.names
        outcome, deviation = (
            _values(names, given[key]) if key in given else None
            for key in ("outcome", "outcome_sd")
        )
        return Expected(
            outcome,
            deviation,
            float(given.get("reward", math.nan)),
            float(given.get("reward_sd", math.nan)),
            float(given["chance_of_success"]),
            float(given["chance_of_outcome"]),
            Values(tuple(given["limits"]), tuple(map(float, given["limits"].values()))) if "limits" in given else None,
            float(given.get("chance_of_limits", 1.0)),
        )

    def _kept(self, ask: Mapping[str, Any], client: str) -> Trial:
        trial = self._trial(ask, client)
        self._asks[trial.id] = trial
        return trial

    def _number(self, trial: Trial | int | None) -> int:
        """The number of a trial, which must be one of this study."""
        number = number_of(trial)
        if isinstance(trial, Trial):
            own = self._asked_as(number)
            if own is not None:
                check_own(trial, own, "study")
        return number

    def _asked_as(self, number: int) -> Trial | None:
        if number in self._asks:
            return self._asks[number]
        asks: list[Mapping[str, Any]] = self.call("asks", state="all")["asks"]
        return next((self._trial(ask, "") for ask in asks if ask["ask"] == number), None)

    def _told(self, told: Told, message: str) -> dict[str, Any]:
        """Writes a result as the server reads it."""
        problem, status = self.problem, told.checked_status()
        body: dict[str, Any] = {}
        outcome = told.outcome_row(problem)
        if status != "ok":
            body.update(failed=message or status, status=status)
        elif problem.outcome or outcome is not None:
            body["outcome"] = None if outcome is None else dict(zip(problem.outcome.names, outcome))
        for name, space, given in (
            ("outcome_sd", problem.outcome, told.deviation),
            ("target", problem.target, told.target),
            ("environment", problem.environment, told.environment),
            ("executed", problem.parameters, told.parameters),
        ):
            if given is not None:
                row = one_row(_FIELDS.get(name, name), space.names, given, {})
                body[name] = dict(values_of(space.names, row))
        for name, number in (("reward", told.own_reward), ("hindsight_reward", told.hindsight_reward)):
            if not math.isnan(number):
                body[name] = number
        return body

    def _do(self, operation: str, request: Mapping[str, Any]) -> bytes:
        """Does one call. If nothing was stored, or repeating is harmless, it tries again until `wait` is over."""
        end, pause, is_said = time.monotonic() + self._wait, 0.1, False
        body = request_of(request)
        while True:
            with self._host.lock:
                try:
                    return ask_door(self._host, self._server, operation, body)
                except Error as failure:
                    error, may_pass = self._judge(failure)
            if not may_pass or time.monotonic() + pause > end:
                raise error
            if pause > 0.5 and not is_said:  # a short failure needs no warning
                warn("W_SERVER_AWAY", f"{self.path}: {error}; it is tried again, and must answer within {self._wait:g} s")
                is_said = True
            time.sleep(pause)
            pause = min(2 * pause, 5.0)

    def _judge(self, error: Error) -> tuple[Error, bool]:
        """Makes the Python error of a call, and says whether the call may pass later; the caller has the lock."""
        if self._server.is_closed:
            return error, False
        failure = ffi.new("fcps_door_failure *")
        lib.fcps_door_explain(self._server.c, failure)
        status = int(failure.http_status)
        return _error(error, status, text(failure.code)), isinstance(error, LockedError) and status != 507  # a full disk stays full


def _error(error: Error, status: int, said: str) -> Error:
    """Makes the error for a server's answer from its status and its code; without an answer, that of the connection."""
    if status <= 0:
        return FileError(error.message, field="address") if isinstance(error, LockedError) else error
    code = "FCPS_ERR_" + said.removeprefix("E_")
    if code == "FCPS_ERR_TOKEN":
        return ArgumentError(error.message, field="token")
    if code == "FCPS_ERR_STUDY":
        return UnknownNameError(error.message, field="study")
    if said in ("", "E_BUSY"):
        return LockedError(error.message) if status == 503 else StoreError(error.message, field="address")
    if is_status(code):
        return of_code(code, error.message, error.field)
    return ArgumentError(error.message, field=error.field) if status < 500 else StoreError(error.message, field=error.field)


def _values(names: tuple[str, ...], given: Mapping[str, Any]) -> Values:
    """Reads numbers from a server. The library has checked that they are numbers, but not their names."""
    names = applying(names, [name not in given for name in names])
    for name in names:
        if name not in given:
            raise StoreError(f"the server's answer has no number for {name!r}; is it of another study?", field="address")
    words = words_of(names)
    return Values(names, tuple(one_number(name, given[name], words[name]) if name in words else float(given[name]) for name in names))


def _read_dimension(told: Mapping[str, Any]) -> Dimension:
    if "choices" not in told:
        return Dimension(**{key: value for key, value in told.items() if key in _MEMBERS})
    words, columns = list(told["choices"]), dict(told.get("known") or {})
    known = {word: {name: column[i] for name, column in columns.items()} for i, word in enumerate(words)}
    said = {name: bool(told.get(name)) for name in ("ordered", "alike")}
    return Choice(*words, **said, properties=known if columns else None, when=str(told.get("when") or ""))


def _read_problem(told: Mapping[str, Any]) -> Problem:
    """Reads the spaces; the reward stays with the server."""
    spaces: dict[str, Any] = {}
    for name in ("target", "environment", "parameters", "outcome"):
        spaces[name] = {
            str(dim["name"]): _read_dimension(dim)
            for dim in told[name]
        }
    return Problem(**spaces, name=str(told.get("name") or "problem"))


_FIELDS = {"outcome_sd": "deviation", "executed": "parameters"}  # names of the arguments of `tell`
_MEMBERS = ("lower", "upper", "period", "scale", "unit", "step", "when")


def connect(address: str, *, token: str | None = None, wait: float = 60.0) -> ServedStudy:
    """Connects to a study behind `fcps serve`: fcps.connect("http://127.0.0.1:8017/throw")."""
    return ServedStudy(address, token=token, wait=wait)


def _table(problem: Problem, rows: list[Mapping[str, Any]]) -> Table:
    """Makes a table of results from a server, with those columns of `Study.rollouts` that the server knows."""
    table = Table()
    spaces = (problem.target, problem.environment, problem.parameters, problem.outcome)
    dimensions = [name for space in spaces for name in space.names]
    table._say("ask", np.array([int(row.get("ask") or 0) for row in rows], np.int64), dimensions)
    for space in spaces:
        words = words_of(space.names)
        table._words.update(words)
        for name in space.names:
            parts: list[dict[str, Any]] = [row.get(space.name) or {} for row in rows]
            if name in words:
                table[name] = np.array([part.get(name) for part in parts], object)
            else:
                table[name] = np.array([_float(part.get(name)) for part in parts], np.float64)
    table._say("sequence", np.array([int(row["result"]) for row in rows], np.int64), dimensions)
    table._say("reward", np.array([_float(row.get("reward")) for row in rows], np.float64), dimensions)
    for name in ("status", "message", "client"):
        table._say(name, np.array([str(row.get(name) or "") for row in rows], object), dimensions)
    for name in ("used", "flagged"):
        table._say(name, np.array([bool(row.get(name)) for row in rows], np.bool_), dimensions)
    table._say("time", np.array([_float(row.get("time_ms")) / 1000 for row in rows], np.float64), dimensions)
    table._say("result_number", np.array([int(row.get("evidence") or 1) for row in rows], np.int64), dimensions)
    return table


def _float(number: Any) -> float:
    return math.nan if number is None else float(number)


_FORGET = re.compile(r"fcps study forget (?:'[^']*'|\S+) (\d+)")  # in a server's message to users of the command line


def _in_words(message: str) -> str:
    """Rewrites a warning of the server for Python. Commands in it take the address of the study, because not all of
    them can be done here.
    """
    return _FORGET.sub(r"study.forget(\1)", message)


def _given(**parts: Any) -> dict[str, Any]:
    """The arguments that are neither 0 nor empty."""
    return {name: value for name, value in parts.items() if value}
