# SPDX-License-Identifier: Apache-2.0
"""Policies: values that answer alone."""

import pickle

import fcps
import numpy as np
import pytest
from conftest import formula_problem, function_problem, learn, reward


def test_an_answer_says_what_is_expected(told):
    answer = told.policy()(x=3, wind=0.2)
    assert set(answer.parameters) == {"turn", "speed"} and set(answer.outcome) == {"land", "height"}
    assert answer.deviation > 0 and answer.outcome_deviation["land"] > 0 and 0 <= answer.reducible_deviation
    assert answer.chance == answer.chance_of_success * answer.chance_of_outcome
    assert np.isfinite(answer.reward)


def test_a_policy_outlives_its_study_and_is_saved(tmp_path, problem):
    with fcps.Study(None, problem, seed=1001) as study:
        learn(study, 12)
        policy = study.policy()
    expected = policy(x=3, wind=0.2)
    policy.save(tmp_path / "throw.policy")
    for again in (
        fcps.Policy.load(tmp_path / "throw.policy"),
        pickle.loads(pickle.dumps(policy)),
        fcps.Policy.from_text(policy.save()),
    ):
        assert again(x=3, wind=0.2) == expected


def test_a_policy_of_functions_is_saved_with_its_problem():
    learner = fcps.Learner(function_problem(), seed=1001)
    learn(learner, 12)
    policy = learner.policy()
    expected = policy(x=3, wind=0.2)
    assert pickle.loads(pickle.dumps(policy))(x=3, wind=0.2) == expected
    assert fcps.Policy.from_text(policy.save(), function_problem())(x=3, wind=0.2) == expected
    with pytest.raises(fcps.errors.UnsupportedError, match="give the problem"):
        fcps.Policy.from_text(policy.save())
    with pytest.raises(fcps.Error):
        fcps.Policy.from_text(policy.save(), fcps.Problem(parameters={"a": (0, 1)}, reward=reward))


def test_a_policy_of_an_amended_study_has_the_amendment(told):
    told.amend(reward="-abs(land - x)")
    policy = told.policy()
    assert fcps.Policy.from_text(policy.save())(x=3, wind=0.2) == policy(x=3, wind=0.2)


def test_a_policy_of_a_task(tmp_path):
    with fcps.run("cannon", episodes=12, seed=1001, path=tmp_path / "c.fcps") as done:
        policy = done.policy()
        assert pickle.loads(pickle.dumps(policy))(x=3, y=4) == policy(x=3, y=4)


def test_contexts_outside_their_bounds(told):
    policy = told.policy()
    assert np.isfinite(policy(x=20, wind=0).parameters["speed"])
    strict = fcps.Policy.from_text(policy.save(), strict=True)
    again = fcps.Policy.from_text(policy.save())
    again.strict = True
    with pytest.raises(fcps.BoundsError):
        again(x=20, wind=0)
    again.strict = False
    assert again(x=20, wind=0).parameters
    with pytest.raises(fcps.BoundsError) as caught:
        strict(x=20, wind=0)
    assert caught.value.field == "target.x"


def test_learners_without_a_model_predict_no_reward(problem):
    learner = fcps.Learner(problem, "c-reps", seed=1001)
    learn(learner, 30)
    policy = learner.policy()
    assert policy.lacking_results == 0  # nothing is predicted
    assert not policy.predicts_reward and np.isnan(policy(x=1, wind=0).reward) and policy(x=1, wind=0).outcome is None


def test_damaged_texts_are_refused(told):
    words = told.policy().save()
    for text in ("", "{}", words[: len(words) // 2], words.replace('"policy": ', '"polcy": ')):
        with pytest.raises(fcps.Error):
            fcps.Policy.from_text(text)
    with pytest.raises(fcps.errors.FormatError):
        fcps.Policy.from_text(words.replace('"fcps_policy_file": 1', '"fcps_policy_file": 99'))


def test_many_contexts_are_answered_in_parts(told):
    policy = told.policy()
    contexts = np.column_stack([np.linspace(-8, 8, 1100), np.zeros(1100)])
    table = policy.predict(contexts)
    assert table.rows == 1100 and np.isfinite(table["reward"]).all()
    one = policy(x=-8, wind=0)
    assert np.isclose(table["success_reward"][0], one.success_reward)
    assert np.isclose(table["success_deviation"][0], one.success_deviation, atol=1e-5)
    assert policy.predict(np.empty((0, 2))).rows == 0
    assert formula_problem() == policy.problem
