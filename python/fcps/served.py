# SPDX-License-Identifier: Apache-2.0
"""A study behind `fcps serve`, on this or another machine: ask and tell over HTTP, with the names of `Study`.

A call that lost its connection may be repeated: an ask with a `client` comes again, and telling twice is harmless. So
calls wait and try again for as long as `wait` says, and only then raise. What the server refuses is an error of the same
class as that of a study in a file.
"""

from __future__ import annotations

import http.client
import ipaddress
import json
import math
import os
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from ._host import log
from .dimensions import Dimension
from .errors import ArgumentError, FileError, LockedError, StoreError, of_code
from .policy import Policy
from .problem import Problem
from .trials import MISSING, OutcomeLike, Receipt, Told, Trial, check_own, number_of
from .values import RowLike, Values, many_rows, one_row


class ServedStudy:
    """A study behind a server: `fcps.connect("http://127.0.0.1:8017/throw")`.

    The token comes from the address (`#token=...`), from `token`, or from the file in which `fcps serve` keeps it.
    """

    def __init__(self, address: str, *, token: str | None = None, wait: float = 60.0) -> None:
        parts = urlsplit(address)
        if parts.scheme != "http" or not parts.hostname or not parts.port or not parts.path.strip("/"):
            raise ArgumentError(
                f"{address.split('#')[0]!r} is not the address of a study; give http://HOST:PORT/NAME, as fcps serve prints it",
                field="address",
            )
        self._where = (parts.hostname, parts.port)
        self._path = "/v1/studies/" + quote(unquote(parts.path.strip("/").removeprefix("v1/studies/")), safe="")
        self._token = token or parts.fragment.removeprefix("token=") or _kept_token(parts.hostname)
        self._wait = wait
        self._lock = threading.Lock()
        self._asked: dict[int, Trial] = {}  # by this object, and not yet told
        self._problem = _read_problem(self._get("/problem"))

    # -- Ask and tell --

    def ask(self, context: RowLike | None = None, /, *, client: str = "", **values: float) -> Trial:
        """Parameters worth trying in a context, as `Study.ask`. With a `client` it may be asked again after a crash."""
        asked = {**self._context(one_row("context", self._problem.context, context, values)), **_given(client=client)}
        return self._kept(self._post("/ask", asked, repeats=bool(client)), client)

    def ask_many(self, contexts: Any, *, client: str = "") -> list[Trial]:
        """Trials that are to be made side by side, one for each row of `contexts`. All are stored, or none."""
        rows = [self._context(row) for row in many_rows("contexts", self._problem.context, contexts).tolist()]
        asked = self._post("/ask", {"contexts": rows, **_given(client=client)}, repeats=bool(client))
        return [self._kept(one, client) for one in asked["asks"]]

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
        """Stores the outcome of a trial, as `Study.tell`: when it returns, the result is stored."""
        number = self._number(trial)
        told = self._told(
            Told(outcome, values, deviation, reward, hindsight_reward, status, target, environment, parameters), message
        )
        told.update(_given(ask=number, client=client, key=key))
        got = self._post("/tell", told, repeats=True)
        self._asked.pop(number, None)
        scored = got.get("reward")
        return Receipt(
            int(got.get("ask") or 0),
            math.nan if scored is None else float(scored),
            is_repeated=bool(got.get("repeated")),
            is_late=bool(got.get("late")),
            is_flagged=bool(got.get("flagged")),
            is_suspect=bool(got.get("suspect")),
        )

    def forget(self, trial: Trial | int) -> None:
        """Gives up a trial. Its result is still accepted if it comes."""
        self._post("/forget", {"ask": self._number(trial)}, repeats=True)

    # -- What has been learnt --

    def policy(self) -> Policy:
        """What has been learnt so far, as a value of its own: it is asked without the server."""
        return Policy.from_text(self._request("GET", "/policy", None, True).decode("utf-8"))

    def retarget(self, contexts: Any) -> Any:
        """The policy's answers for many contexts: see `Policy.predict`."""
        return self.policy().predict(contexts)

    def status(self) -> dict[str, Any]:
        """The state of the study, as `fcps study status --json` says it."""
        return self._get("")

    def __repr__(self) -> str:
        return f"ServedStudy(http://{self._where[0]}:{self._where[1]}{self._path})"

    # -- Requests --

    def _context(self, numbers: list[float]) -> dict[str, Any]:
        cut = len(self._problem.target)
        return {
            "target": _named(self._problem.target.names, numbers[:cut]),
            "environment": _named(self._problem.environment.names, numbers[cut:]),
        }

    def _trial(self, ask: Mapping[str, Any], client: str) -> Trial:
        parts: list[Values] = []
        for space in (self._problem.target, self._problem.environment, self._problem.parameters):
            given: Mapping[str, Any] = ask.get(space.name) or {}
            parts.append(Values(space.names, tuple(float(given[name]) for name in space.names)))
        return Trial(int(ask["ask"]), *parts, client=client, is_repeated=bool(ask.get("repeated")))

    def _kept(self, ask: Mapping[str, Any], client: str) -> Trial:
        trial = self._trial(ask, client)
        self._asked[trial.id] = trial
        return trial

    def _number(self, trial: Trial | int | None) -> int:
        """The number of a trial, which must be one of this study."""
        number = number_of(trial)
        if isinstance(trial, Trial):
            own = self._asked.get(number) or self._asked_by_others(number)
            if own is not None:
                check_own(trial, own, "study")
        return number

    def _asked_by_others(self, number: int) -> Trial | None:
        asks: list[Mapping[str, Any]] = self._get("/asks?state=all")["asks"]
        return next((self._trial(ask, "") for ask in asks if ask["ask"] == number), None)

    def _told(self, told: Told, message: str) -> dict[str, Any]:
        """What is told, as the server reads it."""
        problem, status = self._problem, told.checked_status()
        body: dict[str, Any] = {}
        outcome = told.outcome_row(problem)
        if status != "ok":
            if outcome is not None:
                raise ArgumentError(f"a trial with the status '{status}' has no outcome; leave it out", field="outcome")
            body.update(failed=message or status, status=status)
        elif problem.outcome or outcome is not None:
            body["outcome"] = None if outcome is None else _named(problem.outcome.names, outcome)
        for name, space in (
            ("outcome_sd", "deviation"),
            ("target", "target"),
            ("environment", "environment"),
            ("executed", "parameters"),
        ):
            given = getattr(told, space)
            names = problem.outcome.names if space == "deviation" else getattr(problem, space).names
            if given is not None:
                body[name] = _named(names, one_row(space, names, given, {}))
        for name in ("reward", "hindsight_reward"):
            if not math.isnan(getattr(told, name)):
                body[name] = _number_text(getattr(told, name))
        return body

    def _get(self, what: str) -> dict[str, Any]:
        return json.loads(self._request("GET", what, None, True))

    def _post(self, what: str, body: Mapping[str, Any], *, repeats: bool) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self._request("POST", what, json.dumps(body).encode(), repeats) or b"{}")
        for warning in answer.get("warnings") or ():
            log.warning("%s: %s", warning.get("code"), warning.get("message"), extra={"code": warning.get("code")})
        return answer

    def _request(self, method: str, what: str, body: bytes | None, repeats: bool) -> bytes:
        """One request. Where nothing was stored (503), or repeating is harmless, it is sent again until `wait` is over."""
        end, pause = time.monotonic() + self._wait, 0.1
        while True:
            try:
                status, answer = self._send(method, self._path + what, body)
                if status < 400:
                    return answer
                error = _error(status, answer)
                may_pass = status == 503
            except (OSError, http.client.HTTPException) as failure:
                error = FileError(f"the server cannot be reached ({failure}); is fcps serve running?", field="address")
                may_pass = repeats or isinstance(failure, ConnectionRefusedError)
            if not may_pass or time.monotonic() + pause > end:
                raise error
            time.sleep(pause)
            pause = min(2 * pause, 5.0)

    def _send(self, method: str, path: str, body: bytes | None) -> tuple[int, bytes]:
        headers = {"Authorization": f"Bearer {self._token}"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        with self._lock:
            connection = http.client.HTTPConnection(*self._where, timeout=max(self._wait, 1.0))
            try:
                connection.request(method, path, body, headers)
                answer = connection.getresponse()
                return answer.status, answer.read()
            finally:
                connection.close()


def _read_problem(told: Mapping[str, Any]) -> Problem:
    """The spaces; the reward stays with the server."""
    spaces: dict[str, Any] = {}
    for name in ("target", "environment", "parameters", "outcome"):
        spaces[name] = {
            str(dim["name"]): Dimension(**{key: value for key, value in dim.items() if key in _MEMBERS})
            for dim in told[name]
        }
    return Problem(**spaces, name=str(told.get("name") or "problem"))


_MEMBERS = ("lower", "upper", "period", "scale", "unit", "step")


def connect(address: str, *, token: str | None = None, wait: float = 60.0) -> ServedStudy:
    """Connects to a study behind `fcps serve`: fcps.connect("http://127.0.0.1:8017/throw")."""
    return ServedStudy(address, token=token, wait=wait)


def _named(names: tuple[str, ...], numbers: list[float]) -> dict[str, float | str]:
    return {name: _number_text(number) for name, number in zip(names, numbers)}


def _number_text(number: float) -> float | str:
    """JSON has no NaN and nothing infinite: the server reads "nan", "inf" and "-inf"."""
    return number if math.isfinite(number) else repr(float(number))


def _given(**parts: Any) -> dict[str, Any]:
    """What is neither 0 nor empty."""
    return {name: value for name, value in parts.items() if value}


def _is_here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _kept_token(host: str) -> str:
    if not os.environ.get("FCPS_TOKEN_FILE") and not _is_here(host):
        raise ArgumentError(
            f"{host} is another machine, and the token that is kept here is for servers of this one; give `token`, or FCPS_TOKEN_FILE",
            field="token",
        )
    state = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    path = Path(os.environ.get("FCPS_TOKEN_FILE") or Path(state, "fcps/token"))
    try:
        return path.read_text(encoding="ascii").strip()
    except OSError as failure:
        raise FileError(
            f"the token cannot be read from {path} ({failure.strerror}); give `token`, or FCPS_TOKEN_FILE",
            field="token",
        ) from None


def _error(status: int, answer: bytes) -> Exception:
    try:
        told: dict[str, Any] = json.loads(answer)["error"]
    except (ValueError, KeyError, TypeError):
        return StoreError(f"the server answered with {status}", field="address")
    code = "FCPS_ERR_" + str(told.get("code", "")).removeprefix("E_")
    if status == 503 and code == "FCPS_ERR_":
        return LockedError(str(told.get("message", "")))
    return of_code(code, str(told.get("message", "")), str(told.get("field") or ""))
