# SPDX-License-Identifier: Apache-2.0
"""Studies: durable asks and results, tables, amendments."""

import logging
import os
import pickle
import signal
import subprocess
import sys
import threading

import fcps
import numpy as np
import pytest
from conftest import REWARD, SPACES, built, formula_problem, function_problem, learn, same, throw


def test_a_study_is_made_and_opened_again(tmp_path, problem):
    path = tmp_path / "throw.fcps"
    with fcps.Study(path, problem, learner="bo-fcps", settings={"kappa": 1.5}, seed=1001) as study:
        learn(study, 5)
        trial = study.ask(x=1, wind=0, client="robot-1")
        assert study.path == str(path) and study.learner == "bo-fcps" and study.seed == 1001
        assert study.settings == {"kappa": "1.5"}
    assert study.is_closed and repr(study) == "Study(closed)"
    for again in (
        lambda: fcps.Study(path),
        lambda: fcps.Study(str(path), problem, learner="bo-fcps", settings={"kappa": 1.5}, seed=1001),
    ):
        with again() as study:
            assert len(study) == 5 and study.pending == [trial] and study.problem.reward == REWARD
            repeated = study.ask(x=7, wind=1, client="robot-1")
            assert repeated == trial and repeated.is_repeated


def test_what_is_given_for_a_study_that_exists_must_be_what_it_has(tmp_path, problem):
    path = tmp_path / "throw.fcps"
    fcps.Study(path, problem, seed=1001).close()
    for field, change in {
        "seed": {"seed": 2},
        "learner": {"learner": "random"},
        "kappa": {"settings": {"kappa": 1}},
    }.items():
        with pytest.raises(fcps.ConflictError) as caught:
            fcps.Study(path, problem, **change)
        assert caught.value.field == field and caught.value.hint
    for field, other in {
        "reward": formula_problem(reward="-abs(land - x)"),
        "target.x": formula_problem(target={"x": (-9, 8)}),
        "parameters.speed": formula_problem(parameters={**SPACES["parameters"], "speed": fcps.Integer(1, 10)}),
        "outcome.weight": formula_problem(outcome=["land", "height", "weight"]),
        "environment.wind": formula_problem(environment={}),
        "parameters": formula_problem(parameters=dict(reversed(SPACES["parameters"].items()))),
    }.items():
        with pytest.raises(fcps.ConflictError) as caught:
            fcps.Study(path, other)
        assert caught.value.field == field and "path" in caught.value.hint and "differs" not in str(caught.value)
    with pytest.raises(fcps.Error):
        fcps.Study(path, function_problem())
    with pytest.raises(fcps.errors.ArgumentError, match="give a problem to make one"):
        fcps.Study(tmp_path / "none.fcps")
    with pytest.raises(fcps.errors.ArgumentError):
        fcps.Study()


def test_both_formulas_are_named_where_they_differ(tmp_path):
    path = tmp_path / "throw.fcps"
    reward = "-abs(land - x)"
    for ours, theirs, words in (
        ({"achieved": None}, {}, "`achieved` is {'x': 'land'} in the study and not given in the problem"),
        ({}, {"achieved": None}, "`achieved` is not given in the study and {'x': 'land'} in the problem"),
        ({"achieved": {"x": "-land"}}, {}, "`achieved` is {'x': 'land'} in the study and {'x': '-land'} in the"),
        ({"reward": "-abs(land)"}, {}, "`reward` is '-abs(land - x)' in the study and '-abs(land)' in the problem"),
        ({"reward": None}, {}, "`reward` is '-abs(land - x)' in the study and told in the problem"),
    ):
        path.unlink(missing_ok=True)
        fcps.Study(path, formula_problem(**{"reward": reward, **theirs})).close()
        written = formula_problem(**{"reward": reward, **ours})
        for problem in written, fcps.Problem.from_yaml(written.to_yaml()):
            with pytest.raises(fcps.ConflictError) as caught:
                fcps.Study(path, problem)
            assert words in str(caught.value) and "use another path" in str(caught.value)


def test_a_study_of_functions_needs_its_problem_again(tmp_path):
    path = tmp_path / "throw.fcps"
    with fcps.Study(path, function_problem(), seed=1001) as study:
        expected = learn(study, 4)
    with pytest.raises(fcps.Error):
        fcps.Study(path)
    with fcps.Study(path, function_problem()) as study:
        assert [tuple(trial.parameters.values()) for trial in study.trials] == expected
        assert study.policy()(x=1, wind=0).parameters["speed"] > 0


def test_a_problem_file_is_a_problem(tmp_path, problem):
    path = tmp_path / "throw.yaml"
    path.write_text(problem.to_yaml())
    with fcps.Study(None, path, seed=1001) as study, fcps.Study(None, problem, seed=1001) as other:
        assert learn(study, 3) == learn(other, 3)


def test_rollouts_are_a_table(told):
    table = told.rollouts()
    assert table.rows == 12 and list(table)[:7] == ["ask", "x", "wind", "turn", "speed", "land", "height"]
    assert np.allclose(table["reward"], -abs(table["land"] - table["x"]) - 0.01 * table["speed"] ** 2)
    assert set(table["status"]) == {"ok"} and table["used"].all() and table["ask"].tolist() == list(range(1, 13))
    assert "<table>" in table._repr_html_() and "12 rows" in repr(table)


def test_data_frames_are_taken_and_given_back(told):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"wind": [0.0, 0.5], "x": [1.0, 2.0], "note": ["a", "b"]}, index=[7, 8])
    answer = told.retarget(frame)
    assert list(answer.index) == [7, 8] and answer["speed"].notna().all()
    assert list(answer.columns)[:5] == ["wind", "x", "note", "turn", "speed"] and list(answer["note"]) == ["a", "b"]
    assert len(told.rollouts().to_pandas()) == 12


def test_polars_frames_too(told):
    polars = pytest.importorskip("polars")
    answer = told.retarget(polars.DataFrame({"wind": [0.0, 0.5], "x": [1.0, 2.0], "note": ["a", "b"]}))
    assert answer["speed"].len() == 2 and isinstance(answer, polars.DataFrame) and list(answer["note"]) == ["a", "b"]
    assert told.rollouts().to_polars().height == 12


class Frame(dict):
    """The least that a data frame is."""

    columns = property(list)


def test_columns_of_a_frame_are_kept_and_what_replaces_one_is_said(told, caplog):
    frame = Frame(id=["a", "b"], wind=[0.0, 0.5], x=[1.0, 2.0])
    answer = told.retarget(frame)
    assert isinstance(answer, Frame) and answer["id"] == ["a", "b"] and not caplog.records
    assert list(answer)[:5] == ["id", "wind", "x", "turn", "speed"] and len(answer["reward"]) == 2
    again = told.retarget(answer)  # an earlier answer
    assert same(again["speed"], answer["speed"]) and list(again) == list(answer) and not caplog.records
    replaced = told.retarget(Frame(frame, speed=[-1, -1], reward=[5, 5]))
    assert same(replaced["speed"], answer["speed"])
    assert [record.code for record in caplog.records] == ["W_COLUMN_REPLACED"] and "speed, reward" in caplog.text


@pytest.mark.parametrize("learner", ["outcome", "bo-fcps", "bo-cps"])
def test_a_reward_without_any_value_is_said(tmp_path, learner, caplog):
    path = tmp_path / "throw.fcps"
    with fcps.Study(path, function_problem(), learner=learner, seed=1001) as study:
        learn(study, 8)
    assert not caplog.records
    nowhere = function_problem(reward=lambda target, environment, parameters, outcome: np.full(outcome.rows, np.nan))
    for use in (
        lambda study: study.ask(x=1, wind=0),
        lambda study: study.ask_many({"x": [1, 2], "wind": 0}),
        lambda study: study.policy(),
        lambda study: study.retarget({"x": [1, 2], "wind": 0}),
    ):
        caplog.clear()
        with fcps.Study(path, nowhere) as study:
            use(study)
            use(study)  # it is said once
            codes = [record.code for record in caplog.records]
            assert codes.count("W_REWARD_NOT_FINITE") == 1 and "none of the 8 results" in caplog.text
    assert learner == "bo-cps" or "W_NO_VALUE: in 2 of 2 contexts" in caplog.text
    with fcps.Study(path, nowhere) as study:
        assert study.outlook().unmet == "in all 64 contexts the reward has no value"


def test_a_reward_without_a_value_in_one_context_is_said(tmp_path, caplog):
    def reward(target, environment, parameters, outcome):
        return -abs(outcome["land"]) if target["x"] < 6 else np.full(outcome.rows, np.nan)

    with fcps.Study(None, function_problem(reward=reward), seed=1001) as study:
        learn(study, 8)
        caplog.clear()
        policy = study.policy()
        policy(x=1, wind=0)
        assert not caplog.records
        assert np.isnan(policy(x=7, wind=0).reward)
        assert [record.code for record in caplog.records] == ["W_NO_VALUE"]
        policy.predict({"x": [1, 7, 8], "wind": 0})
        assert "in 2 of 3 contexts" in caplog.text
        assert "of 64 contexts the reward has no value" in study.outlook().unmet


def test_many_contexts_by_name_rows_or_array(told):
    by_name = told.retarget({"x": np.linspace(-5, 5, 7), "wind": 0.1})
    by_array = told.retarget(np.column_stack([np.linspace(-5, 5, 7), np.full(7, 0.1)]))
    by_rows = told.retarget([{"x": x, "wind": 0.1} for x in np.linspace(-5, 5, 7)])
    for table in (by_array, by_rows):
        assert np.array_equal(table["speed"], by_name["speed"])
    assert by_name.rows == 7 and by_name["deviation"].min() > 0 and by_name["chance_of_success"].max() <= 1


def test_trials_side_by_side(study):
    trials = study.ask_many({"x": [1, 2, 3], "wind": 0})
    assert [trial.target["x"] for trial in trials] == [1, 2, 3] and len(study.pending) == 3
    more = study.ask_many([[4.0, 0.5]], count=2)
    assert len({tuple(trial.parameters.values()) for trial in trials + more}) == 5
    for trial in reversed(trials + more):
        study.tell(trial, throw(trial))
    assert len(study) == 5 and not study.pending
    with pytest.raises(fcps.errors.ArgumentError):
        study.ask_many({"x": [1, 2], "wind": 0}, count=3)
    with pytest.raises(fcps.errors.ArgumentError):
        study.ask_many({"x": [1, 2], "wind": 0}, count=0)


def test_a_trial_knows_what_is_expected_and_a_tell_compares(told, caplog):
    first, trial = told.trials[0], told.ask(x=2, wind=0.1)
    assert first.expected is None  # nothing was known yet
    assert trial.expected.outcome.keys() == trial.expected.outcome_deviation.keys() == {"land", "height"}
    assert trial.expected.deviation > 0 and 0 < trial.expected.chance_of_success <= 1
    assert trial.expected == told.trials[-1].expected
    wrong = {name: 1000 * value for name, value in throw(trial).items()}
    assert told.tell(trial, wrong).is_suspect and "was expected; a typo?" in caplog.text
    trial = told.ask(x=2.5, wind=0.1)
    assert not told.tell(trial, throw(trial)).is_suspect


def test_telling_twice_is_harmless_and_a_contradiction_is_kept(study):
    trial = study.ask(x=1, wind=0)
    receipt = study.tell(trial, land=1.0, height=0.5)
    assert receipt.reward == pytest.approx(-0.01 * trial.parameters["speed"] ** 2) and not receipt.is_repeated
    assert study.tell(trial, land=1.0, height=0.5).is_repeated
    with pytest.raises(fcps.ConflictError):
        study.tell(trial, land=2.0, height=0.5)
    assert study.counts.results == 1 and study.counts.unused == 1
    table = study.rollouts()
    study.use(int(table["sequence"][0]), False)
    assert study.counts.results == 0


def test_late_flagged_and_failed_results(study):
    trial = study.ask(x=1, wind=0)
    study.forget(trial)
    assert study.tell(trial.id, land=1.0, height=0.0).is_late
    assert study.tell(study.ask(x=1, wind=0), land=np.nan, height=0.0).is_flagged
    study.tell(study.ask(x=1, wind=0), status="failed", message="slipped")
    study.tell(study.ask(x=1, wind=0), None)
    counts = study.counts
    assert (counts.failed, counts.without_outcome, counts.outcomes_not_finite) == (1, 1, 1)
    assert "slipped" in study.rollouts()["message"]


def test_a_result_that_nobody_asked_for(study):
    receipt = study.tell(None, [1.0, 0.5], target={"x": 2}, environment={"wind": 0}, parameters=[90, 5], key="old-1")
    assert receipt.ask == 0 and len(study) == 1
    assert study.tell(
        None, [1.0, 0.5], target={"x": 2}, environment={"wind": 0}, parameters=[90, 5], key="old-1"
    ).is_repeated


def test_a_study_is_amended(told, problem):
    told.amend(reward="-abs(land - x)", bounds={"speed": (1, 12)})
    assert told.problem.parameters["speed"].upper == 12 and told.problem.reward == "-abs(land - x)"
    table = told.rollouts()
    assert np.allclose(table["reward"], -abs(table["land"] - table["x"]))
    told.policy()(x=1, wind=0)
    told.amend_learner("bo-fcps", kappa=0.5)
    assert told.learner == "bo-fcps" and told.settings == {"kappa": "0.5"}
    assert [event.code for event in told.events][:2] == ["reward", "bounds.speed"]
    with pytest.raises(fcps.Error):
        told.amend(reward="-abs(lnad)")


def test_an_amended_study_opens_with_the_problem_that_made_it(tmp_path, problem):
    path = tmp_path / "throw.fcps"
    with fcps.Study(path, problem, seed=1001) as study:
        learn(study, 3)
        study.amend(reward="-abs(land - x)")
    with fcps.Study(path, problem) as study:
        assert study.problem.reward == "-abs(land - x)"
    fcps.Study(path, formula_problem(reward="-abs(land - x)")).close()


def test_outlook_and_suspects(told):
    outlook = told.outlook()
    assert (
        outlook.contexts > 10 and outlook.worst_reward <= outlook.reward and set(outlook.worst_context) == {"x", "wind"}
    )
    assert told.find_suspects().rows == 0 and told.remarks() == []


def test_files_are_imported_copied_and_removed(tmp_path, problem):
    path = tmp_path / "throw.fcps"
    table = tmp_path / "old.csv"
    table.write_text("x,wind,turn,speed,land,height\n1,0,90,5,2,1\n2,0,100,5,2,1\n")
    with fcps.Study(path, problem, seed=1001) as study:
        assert study.import_csv(table) == (2, 0) and study.import_csv(table) == (0, 2)
        assert study.backup(tmp_path / "copy.fcps") > 0
        with pytest.raises(fcps.errors.StoreError):
            study.backup(tmp_path / "copy.fcps")
        assert fcps.Study.copy(study.path, tmp_path / "second.fcps") > 0
    with fcps.Study(tmp_path / "second.fcps") as second:
        assert len(second) > 0
        assert second.import_csv(table, again=True) == (2, 0)
    with fcps.Study(tmp_path / "copy.fcps") as copy:
        assert len(copy) == 2
    fcps.Study.remove(path)
    assert not path.exists()


def test_messages_of_the_library_are_logged(told, caplog):
    policy = told.policy()
    with caplog.at_level(logging.WARNING, "fcps"):
        policy(x=20, wind=0)
    assert any(record.code == "W_OUTSIDE_BOUNDS" for record in caplog.records)


def test_another_process_uses_the_same_file(tmp_path, problem):
    path = tmp_path / "throw.fcps"
    with fcps.Study(path, problem, seed=1001) as study:
        code = f"import fcps; s = fcps.Study({str(path)!r}); t = s.ask(x=1, wind=0); s.tell(t, land=1.0, height=0.0)"
        subprocess.run([sys.executable, "-c", code], check=True)
        study.refresh()
        assert len(study) == 1


def test_a_forked_child_must_open_its_own(tmp_path, problem):
    path = tmp_path / "throw.fcps"
    study = fcps.Study(path, problem, seed=1001)
    learner = fcps.Learner(problem, seed=1001)
    learn(learner, 3)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            learn(learner, 3, first=3)
            try:
                study.ask(x=1, wind=0)
            except fcps.ClosedError:
                study.close()
                with fcps.Study(path) as own:
                    own.tell(own.ask(x=1, wind=0), land=1.0, height=0.0)
                status = 0
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    study.refresh()
    assert len(study) == 1
    study.tell(study.ask(x=2, wind=0), land=1.0, height=0.0)
    study.close()


def test_a_study_is_not_pickled(study):
    with pytest.raises(TypeError, match="open it again"):
        pickle.dumps(study)


def test_the_program_says_why_it_cannot_open_a_study_of_functions(tmp_path):
    program, path = built("FCPS_PROGRAM"), tmp_path / "throw.fcps"
    with fcps.Study(path, function_problem(), seed=1001) as study:
        learn(study, 3)
    for command in ("status", "log", "export"):
        told = subprocess.run([program, "study", command, path], text=True, capture_output=True)
        assert told.returncode != 0 and "is a function of the program that made it" in told.stderr
        assert "fcps.Study(PATH, problem)" in told.stderr and "a formula is open to every command" in told.stderr
    subprocess.run([program, "study", "backup", path, tmp_path / "copy.fcps"], check=True, capture_output=True)
    with fcps.Study(tmp_path / "copy.fcps", function_problem()) as study:
        assert len(study) == 3
    with pytest.raises(fcps.errors.UnsupportedError, match="fcps.Study"):
        fcps.Study(path)


def test_asks_in_parts_are_those_of_one_call(problem):
    """A call for many is made in parts, so that signals are seen; each ask knows all before it."""
    with fcps.Study(None, problem, seed=1001) as many, fcps.Study(None, problem, seed=1001) as single:
        for study in (many, single):
            learn(study, 12)
        together = many.ask_many({"x": 3.0, "wind": 0.25}, count=20)
        assert [trial.parameters for trial in together] == [
            single.ask(x=3.0, wind=0.25).parameters for _ in range(20)
        ]


def test_many_asks_without_a_context():
    problem = fcps.Problem(parameters={"dose": (0, 10)}, outcome=["growth"], reward="growth")
    with fcps.Study(None, problem, seed=1001) as study:
        assert [trial.id for trial in study.ask_many(count=3)] == [1, 2, 3]
        assert len(study.ask_many()) == len(study.ask_many({})) == 1


def test_an_interrupt_in_ask_many_comes_soon_and_leaves_no_ask(told):
    """It comes after a part of the asks, and what was asked is given up."""
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        told.ask_many({"x": 3.0, "wind": 0.25}, count=1000)
    timer.join()
    assert told.pending == []
    assert len(told.trials) < 900


def test_an_exception_in_a_later_part_of_ask_many_leaves_no_ask(told, monkeypatch):
    read, calls = fcps._study.read_ask, []

    def tired(problem, ask, study):
        calls.append(ask.id)
        if len(calls) == 12:
            raise KeyboardInterrupt
        return read(problem, ask, study)

    monkeypatch.setattr(fcps._study, "read_ask", tired)
    with pytest.raises(KeyboardInterrupt):
        told.ask_many({"x": 3.0, "wind": 0.0}, count=20)
    monkeypatch.undo()
    assert told.pending == [] and len(told.trials) > 20


def test_a_trial_that_failed_is_told_in_the_word_of_the_other_doors(study):
    told = [
        ({"failed": "slipped"}, ("failed", "slipped")),
        ({"failed": True}, ("failed", "")),
        ({"failed": True, "message": "slipped"}, ("failed", "slipped")),
        ({"failed": "late", "status": "timeout"}, ("timeout", "late")),
        ({"failed": False, "land": 1, "height": 2}, ("ok", "")),
    ]
    for arguments, _ in told:
        study.tell(study.ask(x=1, wind=0), **arguments)
    table = study.rollouts()
    assert list(zip(table["status"], table["message"])) == [expected for _, expected in told]
    for wrong in ({"failed": 1.0}, {"failed": "slipped", "message": "late"}, {"failed": "slipped", "land": 1, "height": 2}):
        with pytest.raises(fcps.errors.ArgumentError):
            study.tell(study.ask(x=1, wind=0), **wrong)
    learner = fcps.Learner(study.problem)
    learner.tell(learner.ask(x=1, wind=0), failed="slipped")
    assert learner.rollouts == 1


def test_an_outcome_of_nones_is_none(study):
    study.tell(study.ask(x=1, wind=0), land=None, height=None)
    study.tell(study.ask(x=1, wind=0), {"land": None, "height": None})
    assert study.counts.without_outcome == 2
    for wrong in ({"land": None}, {"land": None, "height": 1}, {"land": None, "hight": None}):
        with pytest.raises(fcps.Error):
            study.tell(study.ask(x=1, wind=0), **wrong)
    assert len(study) == 2


@pytest.mark.parametrize("name", ["best_trial", "best_params", "best_value", "optimize", "trials_dataframe"])
def test_names_of_other_packages_say_what_there_is(study, name):
    with pytest.raises(AttributeError, match=f"a study has no {name}; .*(study|fcps)\\.") as caught:
        getattr(study, name)
    assert caught.value.name == name and not hasattr(study, name)
    with pytest.raises(AttributeError, match="no attribute 'best_tiral'"):
        study.best_tiral


# -- A study that is there already --


def test_a_study_is_opened_or_made_as_it_is_wanted(tmp_path, problem):
    path = tmp_path / "throw.fcps"
    with pytest.raises(fcps.errors.MissingFileError, match="leave mode='open' out"):
        fcps.Study(path, problem, mode="open")
    assert not path.exists()
    with fcps.Study(path, problem, mode="new") as study:
        learn(study, 2)
    with pytest.raises(fcps.ConflictError, match="already"):
        fcps.Study(path, problem, mode="new")
    for mode in ("open", "any"):
        with fcps.Study(path, problem, mode=mode) as study:
            assert len(study) == 2
    with fcps.Study(None, problem, mode="new") as study:
        assert len(study) == 0
    with pytest.raises(fcps.errors.MissingFileError, match="in memory is new"):
        fcps.Study(None, problem, mode="open")
    with pytest.raises(fcps.errors.UnknownNameError, match="any, new, open"):
        fcps.Study(path, problem, mode="r")


def test_what_is_there_already_is_said(tmp_path, problem, caplog):
    path = tmp_path / "throw.fcps"
    with caplog.at_level("INFO", "fcps"):
        with fcps.Study(path, problem) as study:
            assert caplog.records == []
            learn(study, 2)
        for given in ({}, {"problem": problem, "mode": "open"}):  # whoever wants an old study knows
            fcps.Study(path, **given).close()
        assert caplog.records == []
        fcps.Study(path, problem).close()
        assert [(record.levelname, record.code) for record in caplog.records] == [("INFO", "I_OPENED")]
        assert f"{path} is there already, with 2 results" in caplog.text


def test_whoever_types_sees_it_without_setting_up_logging(tmp_path, problem):
    path = tmp_path / "throw.fcps"
    with fcps.Study(path, problem) as study:
        learn(study, 1)
    code = (
        "import logging, sys, fcps; fcps.Study({0!r}, fcps.Study({0!r}).problem); sys.ps1 = '>>> '; "
        "fcps.Study({0!r}, fcps.Study({0!r}).problem); print('quiet', file=sys.stderr); "
        "logging.getLogger('fcps').setLevel('WARNING'); fcps.Study({0!r}, fcps.Study({0!r}).problem)"
    ).format(str(path))
    said = subprocess.run([sys.executable, "-c", code], check=True, text=True, capture_output=True).stderr.splitlines()
    assert said == [f"I_OPENED: {path} is there already, with 1 result; what is told now is added", "quiet"]


def test_a_lazy_frame_and_a_column_of_texts_are_refused(told):
    polars = pytest.importorskip("polars")
    with pytest.raises(fcps.errors.ArgumentError, match="collect"):
        told.retarget(polars.LazyFrame({"x": [1.0], "wind": [0.0]}))
    with pytest.raises(fcps.errors.ArgumentError, match="texts|numbers"):
        told.retarget(polars.DataFrame({"x": ["1"], "wind": [0.0]}))
