# SPDX-License-Identifier: Apache-2.0
"""A study behind fcps serve, asked and told from Python."""

import pickle
import re
from collections import namedtuple
from pathlib import Path
from types import SimpleNamespace

import fcps
import fcps._served as served_module
import numpy as np
import pytest
from conftest import formula_problem, learn, same, served_at, throw


@pytest.fixture
def address(tmp_path, monkeypatch):
    with served_at(tmp_path, monkeypatch, formula_problem()) as line:
        yield line


def test_a_served_study_asks_and_tells_as_a_study_in_a_file(address, tmp_path, caplog):
    served = fcps.connect(address)
    asked = learn(served, 6)
    with fcps.Study(None, formula_problem(), seed=1001) as study:
        assert asked == learn(study, 6)
        expected = study.policy()(x=3, wind=0.2)
        assert [trial.expected for trial in served.trials] == [trial.expected for trial in study.trials]
    assert served.policy()(x=3, wind=0.2) == expected
    assert served.retarget({"x": [1, 2], "wind": 0}).rows == 2
    first = served.ask(x=1, wind=0, client="robot")
    again = fcps.connect(address.partition("#")[0]).ask(x=2, wind=0, client="robot")  # the token is in its file
    assert again == first and again.is_repeated
    assert f"give it up: study.forget({first.id})" in caplog.text and "POST" not in caplog.text
    assert not served.tell(first, throw(first)).is_repeated and served.tell(first, throw(first)).is_repeated
    with pytest.raises(fcps.ConflictError):
        served.tell(first, land=100.0, height=0.0)
    several = served.ask_many({"x": [1, 2, 3], "wind": 0})
    assert [trial.target["x"] for trial in several] == [1, 2, 3]
    served.forget(several[0])
    assert np.isnan(served.tell(several[1], status="failed", message="slipped").reward)
    served.tell(several[2], throw(several[2]), deviation=[0.1, 0.1])
    with fcps.Study(tmp_path / "throw.fcps") as study:  # with the evidence of the conflict
        assert len(study) == len(served) == 10 and list(study.rollouts()["status"]).count("failed") == 1
    assert served.status() and "throw" in repr(served)


def test_a_served_study_goes_by_names(address):
    served = fcps.connect(address)
    context, outcome = namedtuple("Context", "wind x"), namedtuple("Outcome", "height land")
    trial = served.ask(context(wind=0.5, x=3))
    assert (trial.target["x"], trial.environment["wind"]) == (3, 0.5)
    served.tell(trial, outcome(height=1, land=2), deviation=outcome(height=0.1, land=0.2))
    assert (served.rollouts()["land"][0], served.rollouts()["height"][0]) == (2, 1)
    assert [one.target["x"] for one in served.ask_many([context(0.5, 3), context(0.2, 4)])] == [3, 4]
    with pytest.raises(fcps.errors.UnknownNameError, match="did you mean 'wind'"):
        served.choose({"winds": 0.5})


def test_what_a_server_refuses_is_an_error_of_its_kind(address):
    served = fcps.connect(address, wait=0.2)
    with pytest.raises(fcps.BoundsError) as caught:
        served.ask(x=30, wind=0)
    assert caught.value.field == "target.x"
    with pytest.raises(fcps.errors.UnknownAskError):
        served.tell(77, land=1.0, height=0.0)
    with pytest.raises(fcps.errors.UnknownNameError):
        served.ask(z=1, wind=0)
    with pytest.raises(fcps.errors.UnknownNameError) as caught:
        fcps.connect(address.partition("#")[0] + "-2")
    assert caught.value.field == "study"
    with pytest.raises(fcps.errors.ArgumentError) as caught:
        fcps.connect(address, token="0" * 48)
    assert caught.value.field == "token" and caught.value.code == "FCPS_ERR_ARGUMENT"
    with pytest.raises(fcps.errors.FileError, match="cannot be reached"):
        fcps.connect("http://127.0.0.1:1/throw", token="0" * 48, wait=0.1)
    with pytest.raises(fcps.errors.ArgumentError, match="HOST:PORT"):
        fcps.connect("throw.fcps")
    with pytest.raises(fcps.errors.ArgumentError, match="leave `seed` out"):
        fcps.Study(address, seed=1)
    for local in (lambda: served.backup("x"), lambda: served.counts, served.outlook, lambda: fcps.run(served, episodes=1)):
        with pytest.raises(fcps.errors.UnsupportedError, match="behind a server"):
            local()
    with pytest.raises(TypeError, match="connect again"):
        pickle.dumps(served)


def test_a_served_study_is_not_made(address):
    with pytest.raises(fcps.errors.UnsupportedError, match="is there already"):
        fcps.Study(address, mode="new")
    fcps.Study(address, mode="open").close()


def test_who_waits_for_a_server_is_told_so_once(address, caplog, monkeypatch):
    # a clock of its own: nobody waits in a test
    now = [0.0]
    monkeypatch.setattr(served_module, "time", SimpleNamespace(monotonic=lambda: now[0], sleep=lambda s: now.__setitem__(0, now[0] + s)))
    with pytest.raises(fcps.errors.FileError, match="cannot be reached"):
        fcps.connect("http://127.0.0.1:1/throw", token="0" * 48)
    assert [record.code for record in caplog.records] == ["W_SERVER_AWAY"]
    assert "http://127.0.0.1:1/throw" in caplog.text and "within 60 s" in caplog.text and 50 < now[0] <= 60
    caplog.clear()
    served = fcps.connect(address)
    ask, failures = served_module.ask_door, iter(range(2))  # two short ones, which are nobody's concern
    away = fcps.LockedError("away")
    monkeypatch.setattr(
        served_module, "ask_door", lambda *a: ask(*a) if next(failures, None) is None else (_ for _ in ()).throw(away)
    )
    assert served.pending == [] and not caplog.records and next(failures, None) is None


def test_an_address_opens_a_study_like_a_path(address, tmp_path):
    with fcps.Study(address) as study:
        assert isinstance(study, fcps.Study) and isinstance(study, fcps.types.ServedStudy) and not study.is_closed
        learn(study, 4)
        pending = study.ask_many({"x": 1, "wind": 0}, count=2)
        study.tell(pending[0], failed="slipped")
        assert study.pending == pending[1:] == [trial for trial in study if trial.state == "pending"]
        assert (study.learner, study.settings, study.seed, study.task, len(study)) == ("outcome", {}, 1001, None, 5)
        table = study.rollouts()
        assert "<svg" in study._repr_html_() and study.path in study._repr_html_() and study.path in repr(study)
        with fcps.Study(tmp_path / "throw.fcps") as file:
            there = file.rollouts()
        assert set(table) <= set(there) and table.rows == there.rows == 5
        for name, column in table.items():
            assert column.dtype == there[name].dtype
            assert list(column) == list(there[name]) or same(column, there[name])
    assert study.is_closed and "closed" in repr(study) and "closed" in study._repr_html_()
    for late in (lambda: study.ask(x=1, wind=0), study.rollouts, lambda: study.counts):
        with pytest.raises(fcps.ClosedError):
            late()


def test_numbers_that_json_has_not_are_taken_as_by_a_study_in_a_file(address):
    served = fcps.connect(address)
    for study in (served, fcps.Study(None, formula_problem(), seed=1001)):
        for wrong in (np.nan, np.inf, -np.inf):
            with pytest.raises(fcps.errors.NotFiniteError) as caught:
                study.ask(x=wrong, wind=0)
            assert caught.value.field == "target.x"
        trial = study.ask(x=1, wind=0)
        with pytest.raises(fcps.errors.ArgumentError, match="the outcome is missing"):
            study.tell(trial)
        with pytest.raises(fcps.errors.NotFiniteError):
            study.tell(trial, land=1.0, height=0.0, parameters=[np.nan, 1])
        assert study.tell(trial, land=np.nan, height=0.0).is_flagged
    told = served.tell(None, [1.0, 1.0], target=[1], environment=[0], parameters=[45, 3.7], key="old-17")
    assert told.ask == 0 and np.isfinite(told.reward)


def test_the_example_of_the_page_runs(address, tmp_path):
    page = Path(__file__).parent.parent.parent / "docs/python.md"
    if not page.exists():
        pytest.skip("docs/python.md is not here")
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
    served = next(block for block in blocks if "fcps.connect(" in block)
    served = served.replace("http://127.0.0.1:8017/throw", address).replace("y=4, ", "")  # our throw has no y
    names = {"fcps": fcps, "throw": throw}
    exec(compile(served, "python.md", "exec"), names)
    assert names["policy"](x=1, wind=0).parameters


def test_a_trial_of_another_study_is_refused(address, tmp_path):
    served, other = fcps.connect(address), fcps.Study(None, formula_problem(), seed=1002)
    ours, theirs = served.ask(x=1, wind=0), other.ask(x=2, wind=0)
    for study in (served, fcps.connect(address)):  # whoever asked it
        with pytest.raises(fcps.ConflictError, match="another study"):
            study.tell(theirs, throw(theirs))
    with pytest.raises(fcps.ConflictError):
        served.forget(theirs)
    equal = fcps.Study(None, formula_problem(), seed=1001).ask(x=1, wind=0)
    with pytest.raises(fcps.ConflictError, match="is equal, but another study asked it"):
        served.tell(equal, throw(equal))
    for wrong in ("1", 1.5, True):
        with pytest.raises(fcps.errors.ArgumentError):
            served.tell(wrong, land=1.0, height=0.0)
    assert not fcps.connect(address).tell(ours, throw(ours)).is_repeated
    with fcps.Study(tmp_path / "throw.fcps") as study:  # the same by its file
        assert study.tell(ours, throw(ours)).is_repeated


def test_a_study_in_a_file_and_a_served_one_count_and_refuse_alike(address):
    found = []
    with fcps.Study(None, formula_problem(), seed=1001) as local:
        for study in (local, fcps.connect(address)):
            trial = study.ask(x=1, wind=0)
            with pytest.raises(fcps.errors.ArgumentError) as caught:
                study.tell(trial, land=9, height=3, status="failed")
            assert "has no outcome; leave it out" in str(caught.value) and caught.value.field == "outcome"
            receipts = [study.tell(trial, land=np.nan, height=0), study.tell(trial, land=1, height=0)]
            with pytest.raises(fcps.ConflictError):
                study.tell(trial, land=50, height=0)
            displaced = study.ask(x=2, wind=0)
            receipts.append(study.tell(displaced, land=1, height=0, environment=[np.nan]))
            assert len(study) == study.rollouts().rows == 4
            found.append([(r.result_number, r.is_flagged, r.is_misplaced) for r in receipts])
    assert found[0] == found[1] == [(1, True, False), (2, False, False), (1, True, True)]
