# SPDX-License-Identifier: Apache-2.0
"""What the package writes never takes the place of a study, or of what a person wrote."""

import errno
import os
import sqlite3

import fcps
import pytest
from conftest import formula_problem, learn

WRITERS = {
    "policy": lambda study, path: study.policy().save(path),
    "optuna": lambda study, path: study.to_optuna(path),
    "backup": lambda study, path: study.backup(path),
    "copy": lambda study, path: fcps.Study.copy(study.path, path),
    "repair": lambda study, path: fcps.Study.repair(study.path, path),
}
TEXTS = {
    "simulate.py": "print(1)\n",
    "throw.yaml": "parameters: {}\n",
    "sim.c": "int main(void) { return 0; }\n",
    "notes.md": "mine\n",
    "program": "#!/bin/sh\nexit 0\n",
}


def make(path, results=2):
    study = fcps.Study(path, formula_problem(), seed=1001)
    learn(study, results)
    return study


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
@pytest.mark.parametrize("is_open", [True, False], ids=["open", "closed"])
@pytest.mark.parametrize("is_link", [True, False], ids=["link", "name"])
def test_a_study_is_never_written_over(tmp_path, write, is_open, is_link):
    path = tmp_path / "kept.fcps"
    kept = make(path)
    if not is_open:
        kept.close()
    name = tmp_path / "link" if is_link else path
    if is_link:
        name.symlink_to(path)
    with make(tmp_path / "other.fcps") as other, pytest.raises(fcps.Error) as caught:
        write(other, name)
    assert str(name) in str(caught.value) and caught.value.hint
    kept.close()
    with fcps.Study(path) as again:
        assert len(again) == 2


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
@pytest.mark.parametrize("name", TEXTS)
def test_what_a_person_wrote_is_never_written_over(tmp_path, write, name):
    path = tmp_path / name
    path.write_text(TEXTS[name])
    with make(tmp_path / "study.fcps") as study, pytest.raises(fcps.Error) as caught:
        write(study, path)
    assert str(path) in str(caught.value) and caught.value.hint
    assert path.read_text() == TEXTS[name]


def test_a_link_to_a_program_and_what_belongs_to_a_study_are_protected(tmp_path):
    program, link = tmp_path / "simulate.py", tmp_path / "out.policy"
    program.write_text("print(1)\n")
    link.symlink_to(program)
    with make(tmp_path / "study.fcps") as study:
        for path in (link, tmp_path / "study.fcps-journal"):
            with pytest.raises(fcps.errors.ArgumentError, match="Choose another name"):
                study.policy().save(path)
    assert program.read_text() == "print(1)\n"


def test_an_open_study_is_still_locked_after_a_refusal(tmp_path):
    """To look into a file that SQLite has open would drop its locks."""
    path = tmp_path / "kept.fcps"
    with make(path) as study:
        study.hold()
        with pytest.raises(fcps.errors.ArgumentError, match="is a study"):
            study.policy().save(path)
        study.tell(study.ask(x=1, wind=0), land=1, height=0)
        with fcps.Study(path) as other, pytest.raises(fcps.LockedError):
            other.hold()
    assert sqlite3.connect(path).execute("pragma integrity_check").fetchone() == ("ok",)


def test_a_policy_and_a_journal_are_written_again(tmp_path):
    with make(tmp_path / "study.fcps") as study:
        for _ in range(2):
            words = study.policy().save(tmp_path / "throw.policy")
            assert study.to_optuna(tmp_path / "journal.log") == 2
    assert (tmp_path / "throw.policy").read_text() == words
    assert fcps.Policy.load(tmp_path / "throw.policy").save() == words


def test_what_the_system_refuses_is_an_error_of_python_too(tmp_path, told):
    with pytest.raises(FileNotFoundError) as caught:
        told.policy().save(tmp_path / "missing" / "throw.policy")
    assert caught.value.errno == errno.ENOENT and os.fspath(caught.value.filename).endswith("throw.policy")
