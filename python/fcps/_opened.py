# SPDX-License-Identifier: Apache-2.0
"""A study that is open in this process: creating or opening, holding, and closing it. Other classes add the rest."""

from __future__ import annotations

import inspect
import os
import time
import uuid
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Literal, Self, cast

from ._failures import unknown
from ._fcps import ffi, lib
from ._findings import Event, read_event
from ._host import Handle, Host, c_text, inform, text, texts
from ._opening import Setup, Wishes, check_order, check_problem, check_wishes, refuse_text, setup_of
from ._problem import FileSource, Problem
from ._tasks import HAS_LAB, Task
from .errors import (
    ArgumentError,
    BusyError,
    ClosedError,
    ConflictError,
    DamagedError,
    LockedError,
    MissingFileError,
    StoreError,
    UnsupportedError,
)

_PAUSE = 0.02  # s, between two looks whether another process has made the study


_MODES = ("any", "new", "open")


class FoundStudy:
    """Finds the class of a study by its path. It is a base class of its own, so that type checkers see `__init__`
    first.
    """

    def __init_subclass__(cls) -> None:
        """Lets help() and notebooks show the signature of `__init__`, not that of `__new__`."""
        cls.__signature__ = inspect.Signature(list(inspect.signature(cls.__init__).parameters.values())[1:])

    def __new__(cls, path: str | os.PathLike[str] | None = None, *_: Any, **__: Any) -> Self:
        """Makes a `ServedStudy` for a study behind a server."""
        from ._served import ServedStudy
        from ._study import Study

        if cls is Study and isinstance(path, str) and path.startswith(("http://", "https://", "unix:")):
            return object.__new__(cast(Any, ServedStudy))
        return object.__new__(cls)


class OpenStudy(FoundStudy):
    """A study of the library, and its problem."""

    _door: Handle | None = None  # of the study, for calls by name

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
        wait: float = 5.0,
    ) -> None:
        check_order(path, problem)
        if mode not in _MODES:
            raise unknown("mode", mode, _MODES, "mode")
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
        self._opening = options = self._options(problem, relaxed, wait)
        exists = self._exists(url)
        if not exists and mode == "open":
            raise MissingFileError(
                f"there is no study {url!r}; look at its path, or leave mode='open' out to make it"
                if url is not None
                else "a study in memory is new; give the path of the one to open, or leave mode='open' out",
                field="path",
            )
        if not exists and problem is None:
            raise ArgumentError(
                f"there is no study {url!r}; give a problem to make one"
                if url is not None
                else "give a problem: a study in memory is always new",
                field="problem",
            )
        if not exists and problem is not None:
            exists = not self._make(
                url, setup_of(problem, self._native, Wishes(learner, settings, seed)), options, wait
            )
        if exists and mode == "new":
            raise ConflictError(
                f"there is a study {url!r} already; give another path, or leave mode='new' out to go on with it", field="path"
            )
        try:
            if exists:
                self._open(url, options)
            self._host.problem = self.problem = self._read_problem(problem)
            self._identity = self._read_identity()
            if exists:
                check_problem(problem, self.problem, self._host.read(lib.fcps_study_file, self._study))
                check_wishes(Wishes(learner, settings, seed), Wishes(self.learner, self.settings, self.seed))
                if mode == "any" and problem is not None:
                    self._say_opened()
        except BaseException:
            self.close()  # an exception's traceback would keep the study open
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
        if HAS_LAB:
            options.maker = lib.fcps_run_maker()
        self._native: Any = None
        if problem is not None and problem._source is None:
            self._native = problem._native(self._host)
            options.problem = self._native.c
        return options

    def _take(self, out: Any) -> None:
        self._study = Handle(self._host, out[0], lib.fcps_study_close, "study", keep=self._native, stays=True)

    def _open(self, url: str | None, options: Any) -> None:
        out = ffi.new("fcps_study **")
        try:
            self._host.call(lib.fcps_study_open, out, c_text(url or "", self._keep), options)
        except DamagedError:
            refuse_text(url or "")
            raise
        self._take(out)

    def _make(self, url: str | None, setup: Setup, options: Any, wait: float) -> bool:
        """Makes the study. False: another process was faster and has made it; this call waits while that one works."""
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
        """The identity of the study, which tells it from all others; "" for files of an early version."""
        with self._host.lock:
            identity = lib.fcps_study_identity(self._handle().c)
            if identity != ffi.NULL:
                return text(identity)
            return "" if self._is_file else f"in memory {uuid.uuid4()}"

    def _read_problem(self, given: Problem | None) -> Problem:
        """The problem of the study, with its amendments."""
        with self._host.lock:
            study = self._handle().c
            file = lib.fcps_study_file(study)
            if file != ffi.NULL:
                changes = tuple(
                    (event.code, event.text)
                    for event in self._events()
                    if event.code in ("reward", "constraints", "limits", "safe", "cost")
                    or event.code.startswith(("bounds.", "choices."))
                )
                return Problem._of_source(FileSource(text(file.text), text(file.file), changes))
            if HAS_LAB and lib.fcps_run_task(study) != ffi.NULL:
                self._task = Task._from_origin(text(lib.fcps_study_origin(study)))
                return self._task.problem
        if given is None:
            raise UnsupportedError(
                "the study was made with Python functions; give the same problem to open it", field="problem"
            )
        return given

    def _events(self) -> list[Event]:
        """Reads the events; the caller has the lock."""
        found: list[Event] = []
        study = self._handle().c
        while (event := lib.fcps_study_event_at(study, len(found))) != ffi.NULL:
            found.append(read_event(event))
        return found

    def _say_opened(self) -> None:
        """Logs how many results exist: the caller may expect a new study, as when the cells of a notebook are run
        again.
        """
        with self._host.lock:
            count = int(self._host.look(lib.fcps_study_result_count, self._handle()))
        if count:
            inform(
                "I_OPENED",
                f"{self.path} is there already, with {count} result{'s' * (count > 1)}; what is told now is added",
            )

    # -- What it is --

    @property
    def path(self) -> str | None:
        """The place of the study; None in memory."""
        with self._host.lock:
            url = lib.fcps_study_url(self._handle().c)
            return None if url == ffi.NULL else text(url)

    @property
    def learner(self) -> str:
        """The name of the learner."""
        with self._host.lock:
            return text(lib.fcps_study_learner(self._handle().c))

    @property
    def settings(self) -> dict[str, str]:
        """The settings of the learner that differ from its defaults."""
        with self._host.lock:
            return texts(lib.fcps_study_settings(self._handle().c))

    @property
    def seed(self) -> int:
        """The seed of all random numbers."""
        return int(self._host.read(lib.fcps_study_seed, self._handle()))

    @property
    def task(self) -> Task | None:
        """The built-in task of the study."""
        return self._task

    @property
    def is_closed(self) -> bool:
        """Whether the study was closed."""
        return self._study is None or self._study.is_closed

    def _handle(self) -> Handle:
        """The handle of the study, whose pointer may be used only under the lock."""
        if self._study is None:
            raise ClosedError("the study was not opened", field="study")
        if self._is_file and os.getpid() != self._process and not self._study.is_closed:
            raise ClosedError(
                "the study was opened before this process was forked; open it again here with fcps.Study(path)",
                field="study",
            )
        return self._study

    # -- Holding and closing --

    def hold(self) -> None:
        """Reserves the study for this process until it is closed or released: another process that wants to hold or run
        it is refused.
        """
        self._host.call(lib.fcps_study_hold, self._handle())

    def release(self) -> None:
        """Ends a hold, that of `hold` or of a run, so that another process may hold the study. Told results are stored
        already.
        """
        with self._host.lock:
            if self._host.active:
                raise BusyError("release() was called inside a function that this study is calling; return from the function first")
            path = self.path
            if path is None:
                return  # no other process can use a study in memory
            self._end()  # this also ends the hold
            self._open(path, self._opening)

    def close(self) -> None:
        """Closes the study, after a call of another thread has ended; told results are stored already."""
        with self._host.lock:
            if self._host.active:
                raise BusyError(
                    "close() was called inside a function that this study is calling; return from the function first"
                )
            self._end()

    def _end(self) -> None:
        for handle in (self._door, self._study):
            if handle is not None:
                handle.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a study cannot be pickled; open it again by its path in the other process")
