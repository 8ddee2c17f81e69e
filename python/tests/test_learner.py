# SPDX-License-Identifier: Apache-2.0
"""Learners: asks, tells, and what is refused."""

import json
import math
import pickle

import fcps
import numpy as np
import pytest
from conftest import context, formula_problem, function_problem, learn, throw


@pytest.mark.parametrize("make", [formula_problem, function_problem])
def test_a_learner_learns(make):
    learner = fcps.Learner(make(), "outcome", seed=1001)
    learn(learner, 30)
    policy = learner.policy()
    misses = []
    for i in range(40, 60):
        answer = policy(**context(i))
        trial = fcps.Trial(0, None, fcps.types.Values(("wind",), (context(i)["wind"],)), answer.parameters)
        misses.append(abs(throw(trial)["land"] - context(i)["x"]))
    assert np.median(misses) < 0.5
    assert (learner.rollouts, learner.pending) == (30, 0)


def test_a_context_is_given_by_name_mapping_or_array(problem):
    asked = []
    for given in (
        lambda learner: learner.ask(x=3, wind=0.2),
        lambda learner: learner.ask({"wind": 0.2, "x": 3}),
        lambda learner: learner.ask([3, 0.2]),
        lambda learner: learner.ask(np.array([3, 0.2], np.float32).astype(float)),
        lambda learner: learner.ask(fcps.types.Values(("x", "wind"), (3.0, 0.2))),
    ):
        asked.append(tuple(given(fcps.Learner(problem, seed=1001)).parameters.values()))
    assert len(set(asked[:3])) == 1 and asked[4] == asked[0]


def test_values_are_mappings_and_arrays(problem):
    trial = fcps.Learner(problem, seed=1001).ask(x=3, wind=0.2)
    assert list(trial.parameters) == ["turn", "speed"] and len(trial.parameters) == 2
    assert np.asarray(trial.parameters).tolist() == list(trial.parameters.values())
    assert dict(trial.target) == {"x": 3.0} and "x" in trial.target and trial.target.get("y") is None
    with pytest.raises(KeyError, match="did you mean 'speed'"):
        trial.parameters["sped"]
    assert pickle.loads(pickle.dumps(trial)) == trial


def test_a_trial_that_nobody_asked_for_is_told(problem):
    learner = fcps.Learner(problem, seed=1001)
    learner.tell(None, target={"x": 1}, environment=[0.5], parameters={"turn": 90, "speed": 4}, land=2.0, height=1.0)
    assert learner.rollouts == 1
    with pytest.raises(fcps.errors.ArgumentError) as caught:
        learner.tell(None, land=2.0, height=1.0)
    assert caught.value.field == "target"


def test_a_learner_goes_on_after_saving(problem):
    whole, half = fcps.Learner(problem, "bo-fcps", seed=1001), fcps.Learner(problem, "bo-fcps", seed=1001)
    expected = learn(whole, 12)
    first = learn(half, 6)
    for again in (fcps.Learner.load(problem, half.save()), pickle.loads(pickle.dumps(half))):
        assert first + learn(again, 6, first=6) == expected


def _slipping(trials=40):
    """A learner whose outcomes vary a hundred times as much at one end of the space as at the other."""
    problem = fcps.Problem(parameters={"a": (0, 1), "b": (0, 1)}, outcome=["u", "v"], reward="-hypot(u - 0.5, v)")
    learner, draw = fcps.Learner(problem, seed=1001), np.random.default_rng(1001)
    for a, b in draw.uniform(size=(trials, 2)):
        loud = 0.005 * 100**b
        outcome = [np.sin(4 * a) + b * b + loud * draw.normal(), b - np.cos(3 * a) + loud * draw.normal()]
        learner.tell(None, outcome, parameters=[a, b])
    learner.ask()
    return problem, learner.save()


def _edited(state, path, value):
    whole = json.loads(state)
    place = whole
    for key in path[:-1]:
        place = place[key]
    if value is KeyError:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return json.dumps(whole)


SLIPPING = _slipping()


@pytest.mark.parametrize(
    "path, value",
    [
        (["pending"], KeyError),
        (["pending"], None),
        (["pending"], 3),
        (["pending"], "x"),
        (["pending"], {}),
        (["pending"], [[1, [], [], [0.5, 0.5]]] * 2),
        (["pending", 0], [1, [], [], [0.5, 0.5], 0]),
        (["pending", 0, 3, 0], "nan"),
        (["pending", 0, 3, 0], "inf"),
        (["pending", 0, 3, 0], 1e300),
        (["state", "structures"], "x"),
        (["state", "structures"], [3]),
        (["state", "structures", 0, "name"], "even_noise"),
        (["state", "structures", 0, "nats"], "inf"),
        (["state", "structures", 0, "noise"], {}),
        (["state", "structures", 0, "noise"], [[0.1, []]] * 3),
        (["state", "structures", 0, "noise", 0], [0.1, [], 3]),
        (["state", "structures", 0, "noise", 0, 1, 0], "nan"),
        (["state", "structures", 0, "state"], {}),
        (["state", "structures", 0, "state", 1], 3),
        (["state", "structures", 0, "state", 2], 0.5),
        (["state", "structures", 0, "state", 3], "nan"),
        (["state", "structures", 0, "state", 4], []),
        (["state", "contests"], KeyError),
        (["state", "contests", 0, "name"], "pose"),
        (["state", "contests", 0, "looked"], 41),
        (["state", "contests", -1, "active"], 3),
        (["state", "contests", -1, "candidates", 1, "hyper"], ["inf"] * 4),
        (["state", "contests", -1, "candidates", 1, "state"], KeyError),
        (["state", "gps"], []),
        (["state", "gps", 0, "hyper"], [0.0]),
        (["state", "gps", 0, "base"], 41),
    ],
)
def test_a_damaged_text_of_a_learner_is_refused_by_its_part(path, value):
    problem, state = SLIPPING
    assert fcps.Learner.load(problem, state).pending == 1 and "uneven_noise" in state
    with pytest.raises(fcps.errors.FormatError) as caught:
        fcps.Learner.load(problem, _edited(state, path, value))
    assert caught.value.field == (path[1] if path[0] == "state" else "pending")


def test_an_active_learner_chooses(problem):
    learner = fcps.Learner(problem, "outcome-active", seed=1001)
    assert learner.is_active
    for _ in range(4):
        trial = learner.choose(wind=0.5)
        assert trial.environment["wind"] == 0.5 and -8 <= trial.target["x"] <= 8
        learner.tell(trial, throw(trial))
    with pytest.raises(fcps.errors.UnknownNameError, match="did you mean 'wind'"):
        learner.choose(wnd=0.5)
    with pytest.raises(fcps.Error):
        fcps.Learner(problem, "random", seed=1).choose()


def test_a_pending_trial_can_be_given_up(problem):
    learner = fcps.Learner(problem, seed=1001)
    trial = learner.ask(x=1, wind=0)
    assert learner.pending == 1
    learner.forget(trial)
    assert learner.pending == 0
    with pytest.raises(fcps.errors.UnknownAskError):
        learner.forget(trial)


def test_deviations_and_statuses_are_told(problem):
    learner = fcps.Learner(problem, seed=1001)
    learner.tell(learner.ask(x=1, wind=0), {"land": 1.0, "height": 2.0}, deviation={"land": 0.1, "height": 0.0})
    learner.tell(learner.ask(x=1, wind=0), status="failed")
    learner.tell(learner.ask(x=1, wind=0), None)
    learner.tell(learner.ask(x=1, wind=0), [math.nan, 1.0])
    assert learner.rollouts == 4
    with pytest.raises(fcps.BoundsError):
        learner.tell(learner.ask(x=1, wind=0), [1.0, 1.0], deviation=[-1, 0])


def test_rewards_are_told_where_there_is_no_function():
    problem = fcps.Problem(parameters={"dose": (0, 10)})
    learner = fcps.Learner(problem, "bo-cps", seed=1001)
    for _ in range(15):
        trial = learner.ask()
        learner.tell(trial, reward=-((trial.parameters["dose"] - 4) ** 2))
    assert learner.policy()().parameters["dose"] == pytest.approx(4, abs=0.3)


def test_the_lists_say_what_is_built_in():
    assert "outcome" in fcps.learners and fcps.learners["outcome"].needs_reward
    kappa = fcps.learners["outcome"].settings["kappa"]
    assert kappa.kind == "number" and float(kappa.default) > 0 and kappa.help
    assert any(setting.choices for setting in fcps.learners["bo-fcps"].settings.values())
    assert fcps.tasks["cannon"].summary and fcps.learners["outcome-active"].is_active
    with pytest.raises(fcps.errors.UnknownNameError, match="did you mean 'cannon'"):
        fcps.tasks["canon"]
    assert len(fcps.learners) == len(list(fcps.learners)) and "cannon" in repr(fcps.tasks)


@pytest.mark.parametrize("value", [0.5, "0.5", np.float64(0.5)])
def test_settings_are_numbers_or_texts(problem, value):
    fcps.Learner(problem, settings={"kappa": value}, seed=1001).ask(x=1, wind=0)


def test_settings_that_do_not_exist_are_refused(problem):
    with pytest.raises(fcps.errors.UnknownNameError) as caught:
        fcps.Learner(problem, settings={"kapa": 1})
    assert "kappa" in str(caught.value)
    with pytest.raises(fcps.Error):
        fcps.Learner(problem, settings={"kappa": -1e9})
    with pytest.raises(fcps.errors.UnknownNameError):
        fcps.Learner(problem, "outcom")
