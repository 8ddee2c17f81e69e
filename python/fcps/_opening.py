# SPDX-License-Identifier: Apache-2.0
"""Making a study, and opening one that exists: what is given must then be what it has."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, cast

from ._dimensions import Choice, Dimension, Space
from ._fcps import ffi, lib
from ._host import as_seed, c_text, setting_list, taken_text, text, texts
from ._problem import FileSource, Native, Problem, TaskSource
from ._trials import message_of
from .errors import ArgumentError, ConflictError, UnsupportedError

_HEAD = 100  # bytes at the beginning of a study


@dataclass(frozen=True)
class Wishes:
    """Who should learn; None: whoever does, or the default."""

    learner: str | None
    settings: Mapping[str, Any] | None
    seed: int | None


@dataclass(frozen=True)
class Setup:
    """What a new study is made of, for the library."""

    c: Any  # fcps_study_setup *
    keep: list[Any]  # what it points to


def setup_of(problem: Problem, native: Native | None, wishes: Wishes) -> Setup:
    """The setup of a new study; `native` is the C side of a problem with functions."""
    keep: list[Any] = []
    setup = ffi.new("fcps_study_setup *")
    source = problem._source
    if isinstance(source, FileSource):
        setup.text, setup.text_name = c_text(source.text, keep), c_text(source.name, keep)
        if source.changes:
            raise UnsupportedError(
                "a problem that was amended in a study makes no new study; write it as a new Problem",
                field="problem",
            )
    elif isinstance(source, TaskSource):
        origin = lib.fcps_run_origin(c_text(source.task, keep), setting_list(dict(source.settings), keep), source.seed)
        setup.origin = c_text(taken_text(origin), keep)
    elif native is not None:
        setup.problem = native.c
    setup.learner = message_of(wishes.learner or "", keep)
    setup.settings = setting_list(wishes.settings, keep)
    setup.seed = as_seed(1 if wishes.seed is None else wishes.seed)
    return Setup(setup, keep)


def check_order(path: Any, problem: Any) -> None:
    """Refuses the path and the problem of a study that were given in the other order."""
    is_exchanged = _is_problem_file(path) and isinstance(problem, (str, os.PathLike)) and not _is_problem_file(problem)
    if isinstance(path, Problem) or is_exchanged:
        raise ArgumentError(
            "the path of the study comes first, then its problem: Study('throw.fcps', problem); without a file it is "
            "Study(None, problem)",
            field="path",
        )


def refuse_text(path: str) -> None:
    """Says of a text that it is no study: the library has found no beginning of one, and nothing is to be repaired."""
    if not os.path.isfile(path) or path.endswith(".fcps"):
        return
    with open(path, "rb") as file:
        if b"\0" in file.read(_HEAD):  # the head of a study has zeros, also if it is damaged
            return
    what = "a problem file" if _is_problem_file(path) else "a text"
    raise ArgumentError(
        f"{path!r} is {what}, not a study; give the path of the study first, such as 'throw.fcps', which is made if it "
        "does not exist",
        field="path",
    ) from None


def _is_problem_file(path: Any) -> bool:
    return isinstance(path, (str, os.PathLike)) and os.fsdecode(cast(Any, path)).endswith((".yaml", ".yml"))


def check_wishes(given: Wishes, there: Wishes) -> None:
    """Refuses a study with another learner, seed or setting than was given."""
    if given.learner is not None and given.learner != there.learner:
        raise _refusal(
            "learner",
            f"the study learns with {there.learner}, not {given.learner}; change it with amend_learner, or "
            "leave `learner` out",
        )
    if given.seed is not None and as_seed(given.seed) != there.seed:
        raise _refusal(
            "seed", f"the study has the seed {there.seed}, not {given.seed}; leave `seed` out, or use another path"
        )
    kept: list[Any] = []
    settings = there.settings or {}
    for name, value in texts(setting_list(given.settings, kept)).items() if given.settings else ():
        if settings.get(name) != value:
            raise _refusal(
                name,
                f"the study was made with {name}={settings.get(name, 'its default')}, not {value}; change it "
                "with amend_learner, or leave it out",
            )


def check_problem(given: Problem | None, there: Problem, file: Any) -> None:
    """Refuses a study of another problem; `file` is its fcps_problem_file, NULL if it was made without one."""
    if given is None:
        return
    if file == ffi.NULL or not isinstance(given._source, FileSource):
        if (file == ffi.NULL) != (not isinstance(given._source, FileSource)):
            raise _refusal(
                "problem", "the study was made from another kind of problem; use its own problem, or another path"
            )
        if isinstance(given._source, TaskSource) and given._source != there._source:
            raise _refusal("problem", f"the study is one of {there._source}; use another path")
        return
    natives = given._native(), Problem._of_source(FileSource(text(file.text), text(file.file)))._native()
    parsed, made = (native.file for native in natives)
    for key in (b"target", b"environment", b"parameters", b"outcome", b"achieved", b"reward", b"constraints", b"limits", b"safe", b"cost"):
        if not lib.fcps_problem_file_same(key, parsed, file) and not lib.fcps_problem_file_same(key, parsed, made):
            raise _refusal(*_difference(key.decode(), given, there, parsed, file))


def _formulas(part: str, targets: Space, file: Any) -> str:
    """The words for the reward of an fcps_problem_file, or for its `achieved`."""
    if part == "reward":
        return repr(text(file.reward)) if file.reward != ffi.NULL else "told"
    if part == "cost":
        return repr(text(file.problem.cost)) if file.problem.cost != ffi.NULL else "none"
    if part in ("limits", "safe"):
        return "another"
    if part == "constraints":
        return repr([text(file.problem.constraints[i]) for i in range(file.problem.constraint_count)])
    if file.achieved == ffi.NULL:
        return "not given"
    return repr({name: text(file.achieved[i]) for i, name in enumerate(targets.names)})


def _difference(part: str, given: Problem, there: Problem, given_file: Any, study_file: Any) -> tuple[str, str]:
    """The field and the words for a part of the problem that is another one in the study."""
    ours, theirs = getattr(given, part), getattr(there, part)
    if not isinstance(ours, Space):
        mine, stored = (_formulas(part, given.target, file) for file in (given_file, study_file))
        remedy = "amend the study with study.amend(reward=...)" if part == "reward" else "give the same"
        return part, f"`{part}` is {stored} in the study and {mine} in the problem; {remedy}, or use another path"
    for name in (*ours, *theirs):
        field = f"{part}.{name}"
        if name not in theirs:
            return field, f"the study has no dimension '{name}' there; use its own problem, or another path"
        if name not in ours:
            return field, f"the problem has no dimension '{name}' there, which the study has; use its own problem, or another path"
        mine, stored = ours[name], theirs[name]
        if isinstance(mine, Choice) and isinstance(stored, Choice) and mine.words != stored.words:
            return field, _other_words(name, mine.words, stored.words)
        for what in (one.name for one in fields(Dimension)):
            mine, stored = getattr(ours[name], what), getattr(theirs[name], what)
            if mine != stored:
                remedy = "change bounds with study.amend(bounds=...)" if what in ("lower", "upper") else "use its own problem"
                return field, f"`{what}` is {stored!r} in the study and {mine!r} in the problem; {remedy}, or use another path"
    return part, "the dimensions are in another order in the study; use its own problem, or another path"


def _other_words(name: str, ours: tuple[str, ...], theirs: tuple[str, ...]) -> str:
    """What to do if the problem has other words for a dimension than the study."""
    new = ours[len(theirs):]
    if new and ours[: len(theirs)] == theirs:
        return (
            f"the problem has the word {new[0]!r} for '{name}', which the study lacks; add it with "
            f"study.amend(add_choice={{{name!r}: {new[0]!r}}}), or use another path"
        )
    there, here = ", ".join(theirs), ", ".join(ours)
    return f"the words of '{name}' are {there} in the study and {here} in the problem; use its own problem, or another path"


def _refusal(field: str, message: str) -> ConflictError:
    return ConflictError(message, field=field)
