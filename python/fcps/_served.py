# SPDX-License-Identifier: Apache-2.0
"""A study behind `fcps serve`, on this or another machine: ask and tell over HTTP, with the names of `Study`.

A call that lost its connection may be repeated: an ask with a `client` comes again, and telling twice is harmless. So
calls wait and try again for as long as `wait` says, and only then raise. What the server refuses is an error of the same
class as that of a study in a file.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import json
import math
import os
import re
import secrets
import socket
import stat
import struct
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote, unquote, urlsplit

import numpy as np

from ._dimensions import Dimension
from ._display import curve_svg, study_table
from ._failures import is_status, of_code
from ._host import Handle, Host, warn
from ._policy import Policy
from ._problem import Problem
from ._study import Study, context_rows
from ._trials import MISSING, Expected, OutcomeLike, Receipt, Told, Trial, check_own, how_it_ended, number_of
from ._values import RowLike, Table, Values, one_row, some_by_name
from .errors import ArgumentError, ClosedError, FileError, LockedError, StoreError, UnknownNameError, UnsupportedError


class ServedStudy(Study):
    """A study behind a server: `fcps.Study("http://127.0.0.1:8017/throw")`, or `fcps.connect` with a token.

    The token comes from the address (`#token=...`), from `token`, or from the file in which `fcps serve` keeps it, and is sent
    to nobody who has not proved that it is known there. What only the program or a study in a file can do raises
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
        address, _, fragment = str(path).partition("#")
        self._where, name = _read_address(address)
        self._path = "/v1/studies/" + quote(unquote(name.removeprefix("v1/studies/")), safe="")
        self._token = token or fragment.removeprefix("token=") or _kept_token(self._where)
        self._wait = wait
        self._lock = threading.Lock()
        self._is_over = False
        self._host = Host()
        self._asks: dict[int, Trial] = {}  # by this object, and not yet told
        told = self._get("/problem")
        self._host.problem = self.problem = self._problem = _read_problem(told)
        self._identity = str(told.get("identity") or "")

    # -- Ask and tell --

    def ask(self, context: RowLike | None = None, /, *, client: str = "", **values: float) -> Trial:
        """Parameters worth trying in a context, as `Study.ask`. With a `client` it may be asked again after a crash."""
        asked = {**self._context(one_row("context", self._problem.context, context, values)), **_given(client=client)}
        return self._kept(self._post("/ask", asked, repeats=bool(client)), client)

    def choose(self, fixed: RowLike | None = None, /, *, client: str = "", **values: float) -> Trial:
        """Active learners: chooses context and parameters; what is given of the context stays as it is."""
        problem = self._problem
        known = some_by_name("context", problem.context, fixed, values)
        body = {
            space.name: {name: known[name] for name in space.names if name in known}
            for space in (problem.target, problem.environment)
        }
        return self._kept(self._post("/choose", {**_given(**body), **_given(client=client)}, repeats=bool(client)), client)

    def ask_many(self, contexts: Any = None, count: int | None = None, *, client: str = "") -> list[Trial]:
        """Trials that are to be made side by side: one for each row of `contexts`, or `count` for one context. All are
        stored, or none.
        """
        whole = context_rows(self._problem, contexts, count)
        rows = [self._context(row) for row in whole.tolist()]
        asked = self._post("/ask", {"contexts": rows, **_given(client=client)}, repeats=bool(client))
        return [self._kept(one, client) for one in asked["asks"]]

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
        """Stores the outcome of a trial, as `Study.tell`: when it returns, the result is stored."""
        number = self._number(trial)
        status, message = how_it_ended(failed, status, message)
        told = self._told(
            Told(outcome, values, deviation, reward, hindsight_reward, status, target, environment, parameters), message
        )
        told.update(_given(ask=number, client=client, key=key))
        got = self._post("/tell", told, repeats=True)
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
        self._say_of_client(number, trial.client if isinstance(trial, Trial) else "", client)
        return receipt

    def forget(self, trial: Trial | int) -> None:
        """Gives up a trial. Its result is still accepted if it comes."""
        self._post("/forget", {"ask": self._number(trial)}, repeats=True)

    # -- What has been learnt --

    def policy(self) -> Policy:
        """What has been learnt so far, as a value of its own: it is asked without the server."""
        return Policy.from_text(self._request("GET", "/policy", None, True).decode("utf-8"))

    def status(self) -> dict[str, Any]:
        """The state of the study, as `fcps study status --json` says it."""
        return self._get("")

    # -- What is stored --

    @property
    def path(self) -> str:
        """Where the study is: its address."""
        return f"{_shown(self._where)}{self._path.removeprefix('/v1/studies')}"

    @property
    def learner(self) -> str:
        """The name of the learner."""
        return str(self.status()["learner"])

    @property
    def settings(self) -> dict[str, str]:
        """The settings of the learner that were given."""
        return {str(name): str(value) for name, value in self.status()["settings"].items()}

    @property
    def seed(self) -> int:
        """The seed of all random numbers."""
        return int(self.status()["seed"])

    @property
    def task(self) -> None:
        """A server has no built-in tasks."""
        return None

    @property
    def trials(self) -> list[Trial]:
        """All trials that were asked for."""
        return [self._trial(ask, str(ask.get("client") or "")) for ask in self._get("/asks?state=all")["asks"]]

    def rollouts(self) -> Table:
        """All stored results, as a table: context, parameters, outcome, `reward`, `status` and what is known of each."""
        found: list[Mapping[str, Any]] = []
        more, last = True, 0
        while more:
            part = self._get(f"/rollouts?after={last}")
            found += part["rollouts"]
            more, last = bool(part["more"]) and part["last"] > last, part["last"]
        return _table(self._problem, found)

    def __len__(self) -> int:
        """The number of stored results."""
        state = self.status()
        return int(state["rollouts"]) + int(state["not_used"])

    def refresh(self) -> None:
        """Nothing is to be done: the server is asked each time."""

    def _repr_html_(self) -> str:
        if self._is_over:
            return "<p>a closed study</p>"
        state = self.status()
        rows = {"kept at": self.path} | {name: state[name] for name in ("learner", "seed", "rollouts", "failed", "pending")}
        return study_table(rows) + curve_svg(self.rollouts().known("reward"))

    # -- The end --

    def close(self) -> None:
        """Ends the use of the study here; the server goes on."""
        self._is_over = True

    @property
    def is_closed(self) -> bool:
        """Whether the study was closed here."""
        return self._is_over

    def _handle(self) -> Handle:
        """There is none: what needs one is not done over a server."""
        self._check_open()
        raise UnsupportedError(
            "a study behind a server cannot do this; use `fcps study` with its address, or open its file where the server runs",
            field="study",
        )

    def _check_open(self) -> None:
        if self._is_over:
            raise ClosedError("the study is closed; open it again with fcps.Study(address)", field="study")

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a study cannot be pickled; connect again by its address in the other process")

    def __repr__(self) -> str:
        return f"ServedStudy({'closed' if self._is_over else self.path})"

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
        return Trial(
            int(ask["ask"]),
            *parts,
            client=client,
            state=str(ask.get("state") or "pending"),
            is_repeated=bool(ask.get("repeated")),
            study=self._identity,
            expected=self._expected(ask.get("expected")),
        )

    def _expected(self, given: Mapping[str, Any] | None) -> Expected | None:
        if given is None:
            return None
        names = self._problem.outcome.names
        outcome, deviation = (
            Values(names, tuple(float(given[key][name]) for name in names)) if key in given else None
            for key in ("outcome", "outcome_sd")
        )
        return Expected(
            outcome,
            deviation,
            float(given.get("reward", math.nan)),
            float(given.get("reward_sd", math.nan)),
            float(given["chance_of_success"]),
            float(given["chance_of_outcome"]),
        )

    def _kept(self, ask: Mapping[str, Any], client: str) -> Trial:
        trial = self._trial(ask, client)
        self._asks[trial.id] = trial
        return trial

    def _number(self, trial: Trial | int | None) -> int:
        """The number of a trial, which must be one of this study."""
        number = number_of(trial)
        if isinstance(trial, Trial):
            own = self._asks.get(number) or self._asked_by_others(number)
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
        for name, number in (("reward", told.own_reward), ("hindsight_reward", told.hindsight_reward)):
            if not math.isnan(number):
                body[name] = _number_text(number)
        return body

    def _get(self, what: str) -> dict[str, Any]:
        return json.loads(self._request("GET", what, None, True))

    def _post(self, what: str, body: Mapping[str, Any], *, repeats: bool) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self._request("POST", what, json.dumps(body).encode(), repeats) or b"{}")
        for warning in answer.get("warnings") or ():
            warn(str(warning.get("code")), _FORGET.sub(r"study.forget(\1)", str(warning.get("message"))))
        return answer

    def _request(self, method: str, what: str, body: bytes | None, repeats: bool) -> bytes:
        """One request. Where nothing was stored (503), or repeating is harmless, it is sent again until `wait` is over."""
        self._check_open()
        end, pause, is_said = time.monotonic() + self._wait, 0.1, False
        while True:
            try:
                status, answer = self._send(method, self._path + what, body)
                if status < 400:
                    return answer
                error = _error(status, answer)
                may_pass = status == 503
            except StoreError:  # an answer that no second try makes smaller
                raise
            except OSError as failure:
                error = FileError(f"the server cannot be reached ({failure}); is fcps serve running?", field="address")
                may_pass = repeats or isinstance(failure, ConnectionRefusedError)
            if not may_pass or time.monotonic() + pause > end:
                raise error
            if pause > 0.5 and not is_said:  # a hiccup is nobody's concern; a minute of silence looks like a program that hangs
                warn("W_SERVER_AWAY", f"{self.path}: {error}; it is tried again, and must answer within {self._wait:g} s")
                is_said = True
            time.sleep(pause)
            pause = min(2 * pause, 5.0)

    def _send(self, method: str, path: str, body: bytes | None) -> tuple[int, bytes]:
        head = f"{method} {path} HTTP/1.1\r\nHost: {_host(self._where)}\r\nAuthorization: Bearer {self._token}\r\n"
        if body is not None:
            head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        with self._lock, _Line(self._where, max(self._wait, 1.0)) as line:
            refused = line.ask_for_proof(self._token)
            if refused is not None:
                return refused
            line.send((head + "Connection: close\r\n\r\n").encode("ascii") + (body or b""))
            return line.receive(_ANSWER_MAX)


# bytes of an answer, of which a copy of a study is the largest; of one to a question for a proof, and of a head; bytes
# that earn an answer another second
_ANSWER_MAX, _PROOF_MAX, _HEAD_MAX, _BYTES_PER_S = 1 << 30, 1 << 13, 1 << 14, 1 << 14

_Where = tuple[str, int]  # a host and its port; the path of a socket and 0


class _Line:
    """One connection. Its answers have a size and a time: who answers without end, or a byte now and then, is left.

    An answer must have begun within a time, and be whole within as much from then on; each piece that comes earns it more.
    """

    def __init__(self, where: _Where, wait: float) -> None:
        self._where, self._wait, self._until = where, wait, 0.0
        if where[1]:
            self._socket = socket.create_connection(where, timeout=min(wait, 10.0))
        else:
            self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self._socket.settimeout(wait)
            self._socket.connect(where[0])

    def __enter__(self) -> _Line:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def send(self, data: bytes) -> None:
        self._socket.settimeout(self._wait)
        self._socket.sendall(data)

    def receive(self, most: int) -> tuple[int, bytes]:
        """Status and body of an answer."""
        self._until = time.monotonic() + self._wait
        got = self._some()
        self._until = time.monotonic() + self._wait
        while (end := got.find(b"\r\n\r\n")) < 0:
            if len(got) > _HEAD_MAX:
                raise _odd()
            got += self._some()
        head, body = bytes(got[: end + 2]), got[end + 4 :]
        status, lengths = re.match(rb"HTTP/1\.1 ([2-5]\d\d) ", head), _LENGTH.findall(head)
        if status is None or len(lengths) != 1:
            raise _odd()
        length = int(lengths[0])
        if length > most:
            raise StoreError(f"the answer of the server is larger than {most} bytes, which is more than is taken", field="address")
        while len(body) < length:
            body += self._some()
        if len(body) > length:
            raise _odd()
        return int(status[1]), bytes(body)

    def _some(self) -> bytearray:
        left = self._until - time.monotonic()
        self._socket.settimeout(max(left, 1e-3))
        try:
            part = self._socket.recv(65536) if left > 0 else None
        except TimeoutError:
            part = None
        if part is None:
            raise TimeoutError(f"no whole answer came within {self._wait:g} s")
        if not part:
            raise ConnectionError("the connection was lost")
        self._until += len(part) / _BYTES_PER_S
        return bytearray(part)

    def ask_for_proof(self, token: str) -> tuple[int, bytes] | None:
        """Lets the server prove that it knows the token (docs/serve.md); an answer where it cannot do so yet, or at this address.

        Of a socket in the file system the kernel says whose it is.
        """
        if not self._where[1]:
            owner = struct.unpack("3i", self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[1]
            if owner not in (0, os.geteuid()):
                raise ArgumentError(f"{_shown(self._where)} belongs to another user; the token is not sent to it", field="address")
            return None
        end = self._socket.getpeername()
        numbers = str(end[0]).partition("%")[0].removeprefix("::ffff:")
        nonce, address, host = secrets.token_hex(16), _host((numbers, end[1])), _host(self._where)
        asked = f"/v1/proof?nonce={nonce}&address={quote(address, safe='')}&host={quote(host, safe='')}"
        self.send(f"GET {asked} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode("ascii"))
        status, answer = self.receive(_PROOF_MAX)
        if status in (403, 429, 503):
            return status, answer
        message = f"fcps server\n{nonce}\n{address}\n{host}\n".encode("ascii")
        wanted = hmac.new(token.encode(), message, hashlib.sha256).hexdigest()
        if status != 200 or answer != f'{{"proof":"{wanted}"}}'.encode():
            raise ArgumentError(
                f"what listens at {_shown(self._where)} did not prove that it knows the token, so the token was not sent; is it "
                "another program, or a server with another token? The token file of the server has the right one",
                field="token",
            )
        return None


def _odd() -> ConnectionError:
    return ConnectionError("what came is not an answer of fcps serve; is it another program?")


_LENGTH = re.compile(rb"(?i)\r\ncontent-length: *(\d{1,15}) *(?=\r\n)")


def _read_address(address: str) -> tuple[_Where, str]:
    """Where the server is, and the name of the study as it stands in the address."""
    parts = urlsplit(address)
    name = parts.path.strip("/")
    if parts.scheme == "unix":
        path, _, name = address.removeprefix("unix:").rstrip("/").rpartition("/")
        if path and name and not _is_socket(f"{path}/{name}"):
            return (path, 0), name
    elif parts.scheme == "http" and parts.hostname and parts.hostname.isascii() and parts.port and name:
        return (parts.hostname, parts.port), name
    raise ArgumentError(
        f"{address!r} is not the address of a study; give http://HOST:PORT/NAME, as fcps serve prints it, or unix:PATH/NAME",
        field="address",
    )


def _is_socket(path: str) -> bool:
    try:
        return stat.S_ISSOCK(os.stat(path).st_mode)
    except OSError:
        return False


def _host(where: _Where) -> str:
    """What the server is called: 127.0.0.1:8017, [::1]:8017; localhost over a socket in the file system."""
    if not where[1]:
        return "localhost"
    return f"[{where[0]}]:{where[1]}" if ":" in where[0] else f"{where[0]}:{where[1]}"


def _shown(where: _Where) -> str:
    return f"http://{_host(where)}" if where[1] else f"unix:{where[0]}"


def _read_problem(told: Mapping[str, Any]) -> Problem:
    """The spaces; the reward stays with the server."""
    spaces: dict[str, Any] = {}
    for name in ("target", "environment", "parameters", "outcome"):
        spaces[name] = {
            str(dim["name"]): Dimension(**{key: value for key, value in dim.items() if key in _MEMBERS})
            for dim in told[name]
        }
    return Problem(**spaces, name=str(told.get("name") or "problem"))


_FORGET = re.compile(r'POST forget \{"ask": (\d+)\}')  # what a server says for those who send requests themselves

_MEMBERS = ("lower", "upper", "period", "scale", "unit", "step")


def connect(address: str, *, token: str | None = None, wait: float = 60.0) -> ServedStudy:
    """Connects to a study behind `fcps serve`: fcps.connect("http://127.0.0.1:8017/throw")."""
    return ServedStudy(address, token=token, wait=wait)


def _table(problem: Problem, rows: list[Mapping[str, Any]]) -> Table:
    """Results as the server tells them, with the columns of `Study.rollouts` that it knows."""
    table = Table()
    spaces = (problem.target, problem.environment, problem.parameters, problem.outcome)
    dimensions = [name for space in spaces for name in space.names]
    table._say("ask", np.array([int(row.get("ask") or 0) for row in rows], np.int64), dimensions)
    for space in spaces:
        for name in space.names:
            parts: list[dict[str, Any]] = [row.get(space.name) or {} for row in rows]
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


def _named(names: tuple[str, ...], numbers: list[float]) -> dict[str, float | str]:
    return {name: _number_text(number) for name, number in zip(names, numbers)}


def _number_text(number: float) -> float | str:
    """JSON has no NaN and nothing infinite: the server reads "nan", "inf" and "-inf"."""
    return number if math.isfinite(number) else repr(float(number))


def _given(**parts: Any) -> dict[str, Any]:
    """What is neither 0 nor empty."""
    return {name: value for name, value in parts.items() if value}


def _is_here(where: _Where) -> bool:
    host, port = where
    if not port:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _kept_token(where: _Where) -> str:
    if not os.environ.get("FCPS_TOKEN_FILE") and not _is_here(where):
        raise ArgumentError(
            f"{where[0]} is another machine, and the token that is kept here is for servers of this one; give `token`, or FCPS_TOKEN_FILE",
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
    message, field = str(told.get("message", "")), str(told.get("field") or "")
    if status == 503 and code == "FCPS_ERR_":
        return LockedError(message)
    if code == "FCPS_ERR_TOKEN":
        return ArgumentError(f"the server does not take the token; {message}", field="token")
    if code == "FCPS_ERR_STUDY":
        return UnknownNameError(message, field="study")
    if not is_status(code):  # of the server alone
        return ArgumentError(message, field=field) if status < 500 else StoreError(message, field=field)
    return of_code(code, message, field)
