# SPDX-License-Identifier: Apache-2.0
"""The host of a handle: what stands between a handle of the library (a learner, a policy, a study, a run) and Python.

A host has the lock of its handle, the last error, and the user's functions. The library knows the host by a number: if
a host is gone, its number is not found, while an address would end the process. If a function of the user raises, the
host keeps the exception, and the call that needed the function raises it, with its traceback.

Calls release Python's lock (cffi does), so another thread may call the same handle: it waits. A function of the user
that uses the handle that is calling it gets BusyError from the library.

The pointer of a handle is read, and destroyed, only under the lock: a later caller finds the handle closed. A method of
the handle destroys it, not cffi, because garbage collection destroys objects in any order, and one of them may still
use another. A handle keeps the handles that it depends on alive.

A forked child inherits no locks: it has new locks for its handles, and handles that another thread was using are lost.
The library's own locks of the process are in base/process.c, and a fork waits for them. An exception that is left from an
earlier call is dropped when the next call begins.
"""

from __future__ import annotations

import itertools
import logging
import os
import re
import sys
import threading
import weakref
from collections.abc import Callable, Mapping
from typing import Any, SupportsIndex, cast

from ._failures import from_library, in_python
from ._fcps import ffi, lib
from ._values import Batch, Goal, shown, write_answer
from .errors import ArgumentError, ClosedError

log = logging.getLogger("fcps")


def warn(code: str, words: str) -> None:
    """Logs a warning of the package, with a stable code like those of the library."""
    log.warning("%s: %s", code, words, extra={"code": code})


def inform(code: str, words: str) -> None:
    """Logs a message of the level INFO. In a notebook or at a prompt it is shown even if logging is not set up; Python
    alone would show warnings only.
    """
    if hasattr(sys, "ps1") and not log.hasHandlers() and log.level == logging.NOTSET:
        print(f"{code}: {words}", file=sys.stderr)
    else:
        log.info("%s: %s", code, words, extra={"code": code})


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
        "is_lost",
        "is_said",
        "lock",
        "number",
        "offline_shown",
        "problem",
        "raised",
        "run_context",
        "run_trial",
        "stopped",
        "thread",
        "user",
        "words",
        "workspace",
    )

    def __init__(self, problem: Any = None) -> None:
        self.number = number = next(_numbers)
        self.problem = problem  # a Problem, whose spaces and functions are called
        self.user = ffi.cast("void *", number)
        self.error = ffi.new("fcps_error *")
        self.lock: Any = threading.RLock()
        self.words: Callable[[str], str] = in_python  # how messages of the library are rewritten
        self.raised: BaseException | None = None
        self.active = 0  # calls from which the library has not returned yet
        self.thread = 0  # the thread that made them
        self.is_lost = False  # another thread was within the library when this process was forked
        self.is_said = False  # a read has already logged that the reward raises
        self.run_trial: Callable[..., None] | None = None
        self.run_context: Callable[..., None] | None = None
        self.episode_shown: Callable[[Any], None] | None = None
        self.offline_shown: Callable[[Any], None] | None = None
        self.stopped: Callable[[], bool] | None = None
        self.workspace: Callable[[Any], bool] | None = None
        _hosts[number] = self

    def call(self, function: Callable[..., int], *arguments: Any) -> None:
        """Calls a function that takes an fcps_error as its last argument, and raises its error."""
        with self.lock:
            if self.answer(function, *arguments, self.error) != lib.FCPS_OK or self.raised is not None:
                self.fail(self.error)

    def answer(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Calls a function of the library that has handles among its arguments. If a function of the user raises
        meanwhile, the exception is kept for the caller, who has the lock; an exception that an earlier call has left is
        dropped.
        """
        given = [argument.c if type(argument) is Handle else argument for argument in arguments]
        self.enter()
        try:
            return function(*given)
        finally:
            self.active -= 1

    def enter(self) -> None:
        """Begins a call of the library; the caller has the lock, and ends the call with `active -= 1`."""
        if not self.active:
            self.raised, self.thread = None, threading.get_ident()
        self.active += 1

    def read(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Calls a function without a status that may score results, and raises what the reward raises."""
        with self.lock:
            found = self.answer(function, *arguments)
            self.take()
            return found

    def look(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Does the same for stored results, which can be read even if the reward raises: rewards are then NaN."""
        with self.lock:
            found = self.answer(function, *arguments)
            raised = self.raised if isinstance(self.raised, Exception) else None
            if raised is not None:
                self.raised = None
                if not self.is_said:
                    warn(
                        "W_REWARD_RAISED",
                        f"the reward raised {type(raised).__name__}: {raised}; rewards are NaN until it works",
                    )
            self.is_said = raised is not None
            self.take()
            return found

    def fail(self, error: Any) -> None:
        """Raises the exception of a function of the user, or else the error."""
        raised, self.raised = self.raised, None
        if raised is not None:
            try:
                raise raised
            finally:
                del raised
        if error.status == lib.FCPS_ERR_CALLBACK and self.number not in _hosts:  # its functions are being collected
            raise ClosedError("the functions of the problem are gone: this object is at its end")
        raise from_library(error)

    def take(self) -> None:
        """Raises the exception of a function of the user in a call that itself succeeded, such as an interrupt in a
        log.
        """
        raised, self.raised = self.raised, None
        if raised is not None:
            raise raised


class Handle:
    """An object of the library (a learner, a study, ...). Only the handle may destroy it. `on` is a handle that it
    depends on, which is destroyed later; `keep` is memory that it points to.
    """

    __slots__ = ("__weakref__", "_c", "_destroy", "_host", "_is_stood_on", "_keep", "_name", "_on", "_process")
    _own_process = staticmethod(os.getpid)  # works even when the interpreter ends, and modules are empty

    def __init__(
        self,
        host: Host,
        c: Any,
        destroy: Callable[[Any], None],
        name: str,
        *,
        on: Handle | None = None,
        keep: Any = None,
        stays: bool = False,
    ) -> None:
        self._host, self._c, self._destroy, self._name, self._on, self._keep = host, c, destroy, name, on, keep
        self._process = os.getpid() if stays else 0  # the process that may destroy it; 0: every process
        self._is_stood_on = False
        if on is not None:
            on._is_stood_on = True

    @property
    def c(self) -> Any:
        """The pointer, for a caller who has the lock."""
        if self._c is None:
            raise ClosedError(f"the {self._name} is closed{_AGAIN.get(self._name, '')}", field=self._name)
        if self._host.is_lost:
            raise ClosedError(
                f"the {self._name} was at work in another thread when this process was forked; make it anew here, or fork "
                "while no thread uses it",
                field=self._name,
            )
        return self._c

    @property
    def is_closed(self) -> bool:
        """Whether it was destroyed."""
        return self._c is None

    def end(self) -> None:
        """Destroys the object, and releases the handle that it depends on. Called under the lock, or when no reference
        is left.
        """
        c, self._c = self._c, None
        if c is None or self._host.is_lost or self._process not in (0, self._own_process()):
            return  # in a forked child, destroying it would touch files that the parent uses, or half-finished work
        self._destroy(c)
        if self._on is not None:
            self._on.end()

    def __del__(self) -> None:
        if not self._is_stood_on:
            self.end()


_AGAIN = {"study": "; open it again with fcps.Study(path)"}


def _forked() -> None:
    """Called in a forked child: the other threads are gone, with the locks that they had."""
    for host in list(_hosts.values()):
        if host.thread == threading.get_ident() and host.active:
            continue  # a function of the user forked
        host.lock = threading.RLock()
        host.is_lost, host.active = host.active > 0, 0


os.register_at_fork(after_in_child=_forked)


def _find(user: Any) -> Host:
    return _hosts[int(ffi.cast("uintptr_t", user))]


def _caught(kind: Any, value: BaseException, traceback: Any) -> None:
    """Keeps an exception that was raised outside the `try` of a callback, as by an interrupt at its first instruction.
    If the host is not found, it is being collected: `fail` then says so.
    """
    user = traceback.tb_frame.f_locals.get("user") if traceback is not None else None
    host = _hosts.get(int(ffi.cast("uintptr_t", user))) if user is not None else None
    if host is not None:
        host.raised = value.with_traceback(traceback)


# NumPy's message if an array is used as one number: in float() and math, and in `if`
_ONE_NUMBER = re.compile(r"only (?:0-dimensional|length-1|size-1) arrays|truth value of an array")
_BATCHES = (
    "a function of the problem is called for whole batches: outcome['land'] is an array with a number for each row, so use "
    "functions of NumPy (np.hypot, np.where) instead of float(), math and if"
)


def _answered(host: Host, given: tuple[Batch, ...], write: Callable[..., None], *arguments: Any) -> int:
    """Calls a function of the problem; an exception is kept, and the function's batches end with the call."""
    try:
        write(host.problem, given, *arguments)
        return lib.FCPS_OK
    except BaseException as error:
        if isinstance(error, (TypeError, ValueError)) and _ONE_NUMBER.search(str(error)):
            error.add_note(_BATCHES)
        host.raised = error
        return lib.FCPS_ERR_CALLBACK
    finally:
        for batch in given:
            batch._end()


def _write_rewards(problem: Any, given: tuple[Batch, ...], count: int, target: Any, rewards: Any) -> None:
    names = problem.target.names
    numbers: list[float] = ffi.unpack(target, len(names)) if names else []
    goal = Goal({name: shown(names, name, number) for name, number in zip(names, numbers)})
    write_answer(problem.reward(goal, *given), count, rewards, "reward")


def _write_targets(problem: Any, given: tuple[Batch, ...], count: int, targets: Any) -> None:
    rows = problem._achieved_rows(problem.achieved(*given), count)
    ffi.memmove(targets, rows, rows.nbytes)


def _write_present(problem: Any, given: tuple[Batch, ...], count: int, present: Any) -> None:
    ffi.memmove(present, problem._presence_rows(problem.presence(*given), count), count)


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
    """Passes messages of the library to the logger `fcps`, with their stable codes."""
    host = _hosts.get(int(ffi.cast("uintptr_t", user)))
    text = (host.words if host is not None else in_python)(ffi.string(message).decode("utf-8", "replace"))
    name = ffi.string(code).decode("utf-8", "replace")
    log.log(_levels.get(level, logging.WARNING), "%s: %s", name, text, extra={"code": name})


@ffi.def_extern(error=True, onerror=_caught)
def fcps_py_stop(user: Any) -> bool:
    """Lets Python handle signals between episodes, so that Ctrl-C ends a run here."""
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


def texts(settings: Any) -> dict[str, str]:
    """Reads a list of settings that ends with {NULL, NULL}."""
    found: dict[str, str] = {}
    i = 0
    while settings != ffi.NULL and settings[i].name != ffi.NULL:
        found[text(settings[i].name)] = text(settings[i].value)
        i += 1
    return found


def setting_list(settings: Any, keep: list[Any]) -> Any:
    """Makes settings for the library: numbers, truth values and names become texts. `keep` keeps them alive."""
    if not settings:
        return ffi.NULL
    if not isinstance(settings, Mapping):
        raise ArgumentError(f"expected a mapping, as in {{'frame': 'off'}}, not {settings!r}", field="settings")
    items = list(cast("Mapping[Any, Any]", settings).items())
    array = ffi.new("fcps_setting[]", len(items) + 1)
    for slot, (name, value) in zip(array, items):
        slot.name = c_text(str(name), keep)
        slot.value = c_text(setting_text(value), keep)
    keep.append(array)
    return array


def setting_text(value: Any) -> str:
    """The text of a setting's value as the library reads it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return repr(float(value)) if isinstance(value, float) else str(value)


def whole_number(name: str, given: object, least: int = -(2**63), most: int = 2**63 - 1) -> int:
    """Checks a whole number that the library can take."""
    if isinstance(given, bool) or not hasattr(given, "__index__"):
        raise ArgumentError(f"expected a whole number, not {given!r}", field=name)
    number: int = cast(SupportsIndex, given).__index__()
    if not least <= number <= most:
        raise ArgumentError(f"{number} is not between {least} and {most}", field=name)
    return number


def as_seed(seed: object) -> int:
    """Checks a seed for the library."""
    return whole_number("seed", seed, 0, 2**64 - 1)


def c_text(value: str, keep: list[Any]) -> Any:
    """Makes a text for the library; refuses values that are not texts."""
    if not isinstance(value, str):  # type: ignore[reportUnnecessaryIsInstance]
        raise ArgumentError(f"expected a text, not {value!r}")
    try:
        data = value.encode("utf-8")
    except UnicodeEncodeError:
        raise ArgumentError(f"{value!r} has half of a character in it, which cannot be stored; leave it out") from None
    if b"\0" in data:
        raise ArgumentError("a text must not have a zero byte in it")
    pointer = ffi.new("char[]", data)
    keep.append(pointer)
    return pointer


def text(pointer: Any) -> str:
    """Reads a text of the library; "" for NULL."""
    return "" if pointer == ffi.NULL else str(ffi.string(pointer).decode("utf-8", "replace"))


def taken_text(pointer: Any) -> str:
    """Reads a text that the library gave away, and frees it."""
    try:
        return text(pointer)
    finally:
        lib.fcps_free(pointer)
