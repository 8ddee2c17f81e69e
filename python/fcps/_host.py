# SPDX-License-Identifier: Apache-2.0
"""What stands between a handle of the library (a learner, a policy, a study, a run) and Python.

A host has the lock of its handle, the words for its last error, and the user's functions. The library knows it by a
number: a number of a host that is gone is not found, while an address would end the process. What a function of the
user raises is kept by the host and comes out of the call that needed it, with its traceback.

Calls release Python's lock (cffi does), so another thread may come: it waits for the handle. A function of the user
that uses the handle which is calling it gets BusyError from the library.
"""

from __future__ import annotations

import itertools
import logging
import threading
import weakref
from collections.abc import Callable
from typing import Any, SupportsIndex, cast

from ._fcps import ffi, lib
from .errors import ArgumentError, from_library
from .values import Batch, write_answer

log = logging.getLogger("fcps")

_hosts: weakref.WeakValueDictionary[int, Host] = weakref.WeakValueDictionary()
_numbers = itertools.count(1)
_levels = {lib.FCPS_LOG_DEBUG: logging.DEBUG, lib.FCPS_LOG_INFO: logging.INFO, lib.FCPS_LOG_WARNING: logging.WARNING}


class Host:
    """The lock, the error and the functions of one handle."""

    __slots__ = (
        "__weakref__",
        "active",
        "episode_shown",
        "error",
        "lock",
        "offline_shown",
        "problem",
        "raised",
        "run_context",
        "run_trial",
        "stopped",
        "user",
        "workspace",
    )

    def __init__(self, problem: Any = None) -> None:
        number = next(_numbers)
        self.problem = problem  # a Problem, whose spaces and functions are called
        self.user = ffi.cast("void *", number)
        self.error = ffi.new("fcps_error *")
        self.lock = threading.RLock()
        self.raised: BaseException | None = None
        self.active = 0  # calls that the library has not yet returned from
        self.run_trial: Callable[..., None] | None = None
        self.run_context: Callable[..., None] | None = None
        self.episode_shown: Callable[[Any], None] | None = None
        self.offline_shown: Callable[[Any], None] | None = None
        self.stopped: Callable[[], bool] | None = None
        self.workspace: Callable[[Any], bool] | None = None
        _hosts[number] = self

    def call(self, function: Callable[..., int], *arguments: Any) -> None:
        """Calls a function that takes an fcps_error as its last argument, and raises what went wrong."""
        with self.lock:
            if self.answer(function, *arguments, self.error) != lib.FCPS_OK or self.raised is not None:
                self.fail(self.error)

    def answer(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Calls a function of the library. What a function of the user raised meanwhile is kept for whoever called, who
        has the lock; what an earlier call has left is not this one's.
        """
        if not self.active:
            self.raised = None
        self.active += 1
        try:
            return function(*arguments)
        finally:
            self.active -= 1

    def read(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """The answer of a function without a status, which may score results: what the reward raises comes out."""
        with self.lock:
            found = self.answer(function, *arguments)
            self.take()
            return found

    def fail(self, error: Any) -> None:
        """Raises what a function of the user raised, else the error."""
        raised, self.raised = self.raised, None
        if raised is not None:
            try:
                raise raised
            finally:
                del raised
        raise from_library(error)

    def take(self) -> None:
        """Raises what a function of the user raised in a call that itself went well, such as an interrupt in a log."""
        raised, self.raised = self.raised, None
        if raised is not None:
            raise raised


def _find(user: Any) -> Host:
    return _hosts[int(ffi.cast("uintptr_t", user))]


def _caught(kind: Any, value: BaseException, traceback: Any) -> None:
    """What was raised outside the `try` of a callback: an interrupt at its first instruction."""
    user = traceback.tb_frame.f_locals.get("user") if traceback is not None else None
    if user is not None:
        _find(user).raised = value.with_traceback(traceback)


def _answered(host: Host, given: tuple[Batch, ...], write: Callable[..., None], *arguments: Any) -> int:
    """Lets a function of the problem answer: what it raises is kept, and its batches end with it."""
    try:
        write(host.problem, given, *arguments)
        return lib.FCPS_OK
    except BaseException as error:
        host.raised = error
        return lib.FCPS_ERR_CALLBACK
    finally:
        for batch in given:
            batch.end()


def _write_rewards(problem: Any, given: tuple[Batch, ...], count: int, target: Any, rewards: Any) -> None:
    names = problem.target.names
    goal = dict(zip(names, ffi.unpack(target, len(names)))) if names else {}
    write_answer(problem.reward(goal, *given), count, rewards, "reward")


def _write_targets(problem: Any, given: tuple[Batch, ...], count: int, targets: Any) -> None:
    rows = problem.achieved_rows(problem.achieved(*given), count)
    ffi.memmove(targets, rows, rows.nbytes)


def _write_present(problem: Any, given: tuple[Batch, ...], count: int, present: Any) -> None:
    ffi.memmove(present, problem.presence_rows(problem.presence(*given), count), count)


@ffi.def_extern(error=lib.FCPS_ERR_CALLBACK, onerror=_caught)
def fcps_py_reward(
    user: Any, count: int, target: Any, environments: Any, parameters: Any, outcomes: Any, present: Any, rewards: Any
) -> int:
    host = _find(user)
    problem = host.problem
    given = (
        Batch(problem.environment, count, environments),
        Batch(problem.parameters, count, parameters),
        Batch(problem.outcome, count, outcomes, present),
    )
    return _answered(host, given, _write_rewards, count, target, rewards)


@ffi.def_extern(error=lib.FCPS_ERR_CALLBACK, onerror=_caught)
def fcps_py_achieved(user: Any, count: int, environments: Any, outcomes: Any, targets: Any) -> int:
    host = _find(user)
    given = (Batch(host.problem.environment, count, environments), Batch(host.problem.outcome, count, outcomes))
    return _answered(host, given, _write_targets, count, targets)


@ffi.def_extern(error=lib.FCPS_ERR_CALLBACK, onerror=_caught)
def fcps_py_presence(user: Any, count: int, environments: Any, parameters: Any, present: Any) -> int:
    host = _find(user)
    given = (Batch(host.problem.environment, count, environments), Batch(host.problem.parameters, count, parameters))
    return _answered(host, given, _write_present, count, present)


@ffi.def_extern(onerror=_caught)
def fcps_py_log(user: Any, level: int, code: Any, message: Any) -> None:
    """Messages of the library go to the logger `fcps`, with their stable code."""
    text = ffi.string(message).decode("utf-8", "replace")
    name = ffi.string(code).decode("utf-8", "replace")
    log.log(_levels.get(level, logging.WARNING), "%s: %s", name, text, extra={"code": name})


@ffi.def_extern(error=True, onerror=_caught)
def fcps_py_stop(user: Any) -> bool:
    """Between episodes Python sees signals, so that Ctrl-C ends a run here."""
    host = _find(user)
    if host.raised is not None:
        return True
    return host.stopped is not None and bool(host.stopped())


@ffi.def_extern(onerror=_caught)
def fcps_py_context(user: Any, episode: int, target: Any, environment: Any) -> None:
    host = _find(user)
    if host.run_context is not None and host.raised is None:
        host.run_context(episode, target, environment)


@ffi.def_extern(error=lib.FCPS_ERR_CALLBACK, onerror=_caught)
def fcps_py_trial(user: Any, episode: int, ask: Any, result: Any) -> int:
    host = _find(user)
    if host.raised is not None or host.run_trial is None:
        return lib.FCPS_ERR_CALLBACK
    host.run_trial(episode, ask, result)
    return lib.FCPS_OK


@ffi.def_extern(error=lib.FCPS_ERR_STOPPED, onerror=_caught)
def fcps_py_on_episode(user: Any, episode: Any) -> int:
    host = _find(user)
    if host.episode_shown is not None:
        host.episode_shown(episode)
    return lib.FCPS_OK


@ffi.def_extern(error=lib.FCPS_ERR_STOPPED, onerror=_caught)
def fcps_py_on_offline(user: Any, offline: Any) -> int:
    host = _find(user)
    if host.offline_shown is not None:
        host.offline_shown(offline)
    return lib.FCPS_OK


@ffi.def_extern(error=False, onerror=_caught)
def fcps_py_inside(user: Any, position: Any) -> bool:
    host = _find(user)
    return host.raised is None and host.workspace is not None and host.workspace(position)


def owned(handle: Any, destroy: Callable[[Any], None], keep: Any) -> Any:
    """A handle that is destroyed with its last reference, and before what it stands on, which the destructor keeps."""

    def end(it: Any, _: Any = keep) -> None:
        destroy(it)

    return ffi.gc(handle, end)


def texts(settings: Any) -> dict[str, str]:
    """A list of settings that ends with {NULL, NULL}."""
    found: dict[str, str] = {}
    i = 0
    while settings != ffi.NULL and settings[i].name != ffi.NULL:
        found[text(settings[i].name)] = text(settings[i].value)
        i += 1
    return found


def setting_list(settings: Any, keep: list[Any]) -> Any:
    """Settings for the library: numbers, truth values and names as text. `keep` keeps them alive."""
    if not settings:
        return ffi.NULL
    items = list(settings.items())
    array = ffi.new("fcps_setting[]", len(items) + 1)
    for slot, (name, value) in zip(array, items):
        slot.name = c_text(str(name), keep)
        slot.value = c_text(setting_text(value), keep)
    keep.append(array)
    return array


def setting_text(value: Any) -> str:
    """A value of a setting as the library reads it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return repr(float(value)) if isinstance(value, float) else str(value)


def as_seed(seed: object) -> int:
    """A seed for the library."""
    if isinstance(seed, bool) or not hasattr(seed, "__index__"):
        raise ArgumentError(f"expected a whole number, not {seed!r}", field="seed")
    number: int = cast(SupportsIndex, seed).__index__()
    if not 0 <= number < 2**64:
        raise ArgumentError(f"{number} is not between 0 and 2^64 - 1", field="seed")
    return number


def c_text(value: str, keep: list[Any]) -> Any:
    """A text for the library; one that cannot be one is refused."""
    if not isinstance(value, str):  # type: ignore[reportUnnecessaryIsInstance]
        raise ArgumentError(f"expected a text, not {value!r}")
    data = value.encode("utf-8")
    if b"\0" in data:
        raise ArgumentError("a text must not have a zero byte in it")
    pointer = ffi.new("char[]", data)
    keep.append(pointer)
    return pointer


def text(pointer: Any) -> str:
    """A text of the library; "" for none."""
    return "" if pointer == ffi.NULL else str(ffi.string(pointer).decode("utf-8", "replace"))


def taken_text(pointer: Any) -> str:
    """A text that the library gave away: it is freed."""
    try:
        return text(pointer)
    finally:
        lib.fcps_free(pointer)
