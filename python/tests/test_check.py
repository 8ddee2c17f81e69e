# SPDX-License-Identifier: Apache-2.0
"""How far a model can be believed, and what a study says about its results."""

import fcps
import numpy as np
import pytest
from conftest import context, formula_problem, learn, throw


def test_each_result_is_predicted_from_all_others(told):
    check = told.check_model()
    assert check.model == "outcome" and [output.name for output in check.outputs] == ["land", "height"]
    assert check.results.rows == 12 and np.array_equal(check.results["land"], told.rollouts()["land"])
    for output in check.outputs:
        assert output.predicted <= 12 and output.covered <= output.predicted and output.median_error >= 0
    assert np.all(check.results["land_deviation"] > 0) and "<table>" in check._repr_html_()
    with fcps.Study(None, formula_problem(), learner="c-cma-es", seed=1001) as study:
        learn(study, 6)
        with pytest.raises(fcps.errors.UnsupportedError):
            study.check_model()


def test_a_policy_says_how_its_model_is(told):
    for health in told.policy().health():
        assert health.model == "outcome" and health.rollouts == 12 and health.others == 0 and health.noise >= 0
        assert set(health.lengths) == {"x", "wind", "turn", "speed"} and np.isnan(health.lengths["x"])
        assert all(found.name and found.words for found in health.findings)
    learner = fcps.Learner(formula_problem(), "c-cma-es", seed=1001)
    assert learner.policy().health() == []


def test_what_a_model_believes_of_the_world_is_said():
    spaces = {"parameters": {"turn": fcps.Angle(0, 360, unit="deg"), "speed": (1, 10)}, "outcome": ["land_x", "land_y"]}
    problem = fcps.Problem(**spaces, target={"x": (-9, 9), "y": (-9, 9)}, reward="-hypot(land_x - x, land_y - y)")
    frame = "land_x, land_y turn with turn"
    learner = fcps.Learner(problem, settings={"frame": frame}, seed=1001)
    for i in range(3):
        trial = learner.ask(x=i, y=2)
        turn, speed = np.radians(trial.parameters["turn"]), trial.parameters["speed"]
        learner.tell(trial, land_x=speed * np.cos(turn), land_y=speed * np.sin(turn))
    [health] = learner.policy().health()
    assert health.findings[0] == fcps.types.Finding("frame", frame, 0.0, True)


def test_nothing_is_predicted_before_there_is_something_to_predict_from(study):
    answer = study.policy()(x=3, wind=0.2)
    assert np.isnan(answer.reward) and answer.outcome is None


def test_where_a_trial_may_fail_its_success_has_a_reward_of_its_own(study):
    for i in range(12):
        trial = study.ask(**context(i))
        if i % 3 == 2:
            study.tell(trial, status="failed", message="the arm fell")
        else:
            study.tell(trial, throw(trial))
    answer = study.policy()(x=3, wind=0.2)
    assert np.isfinite(answer.success_reward) and answer.success_deviation > 0 and answer.chance <= 1
    outlook = study.outlook()
    assert outlook.suspects == 0 and outlook.excused >= 0 and outlook.caution_cost >= 0
    assert study.counts.with_reward == 8 and study.complaint() == "" and study.unusable_reason() == ""


def test_a_study_complains_where_nothing_ever_worked(study):
    for i in range(3):
        study.tell(study.ask(**context(i)), status="failed", message="no power")
    assert "no power" in study.complaint()


def test_an_amendment_can_be_seen_before(told):
    counts, why = told.preview(reward="log(land - 100)")
    assert counts.rewards_not_finite == 12 and why and told.counts.rewards_not_finite == 0
    with pytest.raises(fcps.errors.ArgumentError, match="one change"):
        told.preview()
    told.amend(bounds={"x": (-9, 9)})
    changed = [event for event in told.events if event.code == "bounds.x"]
    assert len(changed) == 1 and "-8" in changed[0].replaced


def test_a_suspect_is_explained_confirmed_or_dropped(told):
    trial = told.ask(x=3, wind=0.2)
    told.tell(trial, land=5000.0, height=1.0)
    found = told.find_suspects()
    assert list(found["ask"]) == [trial.id] and "5000" in found["surprise"][0]
    told.use(found["sequence"][0], False)
    row = told.rollouts()
    assert not row["used"][-1] and row["was_used"][-1] and not row["confirmed"][-1]
    told.use(found["sequence"][0])
    told.confirm(found["sequence"][0])
    assert told.rollouts()["confirmed"][-1] and told.find_suspects().rows == 0


def test_one_of_several_results_is_used(told):
    trial = told.ask(x=3, wind=0.2)
    told.tell(trial, land=3.0, height=1.0)
    with pytest.raises(fcps.ConflictError):
        told.tell(trial, land=4.0, height=1.0)
    told.use_of(trial, 2)
    table = told.rollouts()
    assert list(table["result_number"][-2:]) == [1, 2] and list(table["used"][-2:]) == [False, True]


def test_what_lies_outside_is_named(problem):
    assert problem.outside(x=3, wind=0) == []
    assert problem.outside(x=30, wind=-2) == [
        "target.x: 30 lies outside [-8, 8]",
        "environment.wind: -2 lies outside [-1, 1]",
    ]


def test_a_backup_is_restored_and_a_study_repaired(tmp_path, problem):
    path, copy = tmp_path / "throw.fcps", tmp_path / "copy.fcps"
    with fcps.Study(path, problem, seed=1001) as study:
        learn(study, 3)
        study.backup(copy)
        learn(study, 2, first=3)
        study.hold()
        with fcps.Study(path) as other, pytest.raises(fcps.LockedError):
            other.hold()
    kept = fcps.Study.restore(copy, path)
    with fcps.Study(path) as study, fcps.Study(kept) as old:
        assert len(study) == 3 and len(old) == 5
    assert fcps.Study.repair(path, tmp_path / "new.fcps") >= 6
    with fcps.Study(tmp_path / "new.fcps") as study:
        assert len(study) == 3


def test_a_task_evaluates_a_policy():
    cannon = fcps.Task("cannon", seed=1001)
    with fcps.run(cannon, episodes=12, evaluate_every=12) as done:
        table = cannon.evaluate(done.policy())
        assert table["reward"].mean() == pytest.approx(done.offline["mean"][-1])
        assert table.rows == len(table["predicted"]) == cannon.evaluation().rows
