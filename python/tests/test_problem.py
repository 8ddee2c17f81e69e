# SPDX-License-Identifier: Apache-2.0
"""Problems: what they are made of, and that every mistake is found when they are made."""

import math
import pickle

import fcps
import numpy as np
import pytest
from conftest import REWARD, formula_problem, function_problem, learn, reward


def test_dimensions_say_what_their_numbers_mean():
    problem = fcps.Problem(
        parameters={
            "turn": fcps.Angle(0, 360),
            "gain": fcps.Log(1e-3, 10, unit="dB"),
            "count": fcps.Integer(1, 9),
            "part": fcps.Angle(-90, 90, period=360),
            "plain": (0, 1),
            "other": fcps.Dimension(2, 3, unit="m"),
        },
        outcome={"free": None, "bounded": (0, 5)},
        reward="free",
    )
    again = fcps.Problem.from_yaml(problem.to_yaml())
    assert again.parameters == problem.parameters and again.outcome == problem.outcome
    assert problem.parameters["turn"].period == 360 and problem.parameters["gain"].scale == "log"
    assert problem.outcome["free"].lower is None and problem.outcome["bounded"].upper == 5
    assert fcps.Angle().period == pytest.approx(2 * math.pi)


def test_the_c_side_of_functions_has_the_same_spaces():
    native = function_problem()._native()
    dim = native.c.parameters.dims[0]
    assert (dim.lower, dim.upper, dim.period) == (0, 360, 360)
    assert native.c.outcome.count == 2


def test_a_file_gives_its_problem(tmp_path):
    path = tmp_path / "throw.yaml"
    path.write_text(formula_problem(name="throw").to_yaml())
    problem = fcps.Problem.from_file(path)
    assert problem.name == "throw" and problem.reward == REWARD and problem.context == ("x", "wind")


def test_problems_are_values():
    assert formula_problem() == formula_problem()
    assert formula_problem() != formula_problem(reward="-abs(land - x)")
    assert hash(formula_problem()) == hash(formula_problem())
    for problem in (formula_problem(), function_problem()):
        again = pickle.loads(pickle.dumps(problem))
        assert again == problem and again.parameters["turn"].unit == "deg"


def test_a_function_is_given_whole_batches():
    calls = []

    def watching(target, environment, parameters, outcome):
        calls.append((dict(target), {name: len(column) for name, column in parameters.items()}, outcome.rows))
        assert np.asarray(outcome).shape == (outcome.rows, 2)
        assert isinstance(target["x"], float) and list(environment) == ["wind"]
        return reward(target, environment, parameters, outcome)

    learner = fcps.Learner(function_problem(reward=watching), "bo-fcps", seed=1001)
    for i in range(12):
        trial = learner.ask(x=1, wind=0)
        learner.tell(trial, land=float(i), height=0.0)
    learner.policy()(x=1, wind=0)
    assert max(rows for _, _, rows in calls) >= 12
    assert all(lengths == {"turn": rows, "speed": rows} for _, lengths, rows in calls)


def test_rows_without_an_outcome_are_nan_and_known():
    seen = []

    def careful(target, environment, parameters, outcome):
        seen.append((outcome.present.copy(), outcome["land"], outcome["present"]))
        return np.where(outcome.present, -abs(outcome["land"] - target["x"]), -20.0)

    learner = fcps.Learner(function_problem(reward=careful), "bo-fcps", seed=1001)
    for i in range(8):
        trial = learner.ask(x=1, wind=0)
        learner.tell(trial, None if i % 3 == 0 else {"land": 1.0, "height": 0.0})
    learner.ask(x=2, wind=0)
    present, land, again = max(seen, key=lambda one: len(one[0]))
    assert not present.all() and np.array_equal(np.isnan(land), ~present) and np.array_equal(again != 0, present)


def test_a_kept_batch_never_dangles():
    kept = []

    def keeping(target, environment, parameters, outcome):
        kept.append((parameters, outcome["land"], outcome["land"].copy()))
        return -abs(outcome["land"] - target["x"])

    learner = fcps.Learner(function_problem(reward=keeping), "bo-fcps", seed=1001)
    for i in range(8):
        learner.tell(learner.ask(x=1, wind=0), land=float(i), height=0.0)
    learner.ask(x=1, wind=0)
    assert all(np.array_equal(column, copy) for _, column, copy in kept)
    with pytest.raises(fcps.errors.ArgumentError, match="only during the call"):
        kept[0][0]["speed"]


def test_presence_is_asked():
    calls = []

    def presence(environment, parameters):
        calls.append(len(parameters["speed"]))
        return parameters["speed"] > 3

    problem = function_problem(presence=presence)
    learner = fcps.Learner(problem, "outcome", seed=1001)
    for i in range(14):
        trial = learner.ask(x=1, wind=0)
        fires = trial.parameters["speed"] > 3
        learner.tell(trial, {"land": 1.0, "height": 0.0} if fires else None)
    assert calls and learner.policy()(x=1, wind=0).parameters["speed"] > 2.9


@pytest.mark.parametrize(
    "changes, kind, field, words",
    [
        ({"parameters": {}}, fcps.errors.FormatError, "parameters", "at least one parameter"),
        ({"parameters": {"speed": (5, 1)}}, fcps.BoundsError, "parameters.speed", ""),
        ({"parameters": {"speed": (0, math.nan)}}, fcps.Error, "", ""),
        ({"parameters": {"speed": (0, 1, 2)}}, fcps.errors.ArgumentError, "parameters.speed", "lower, upper"),
        ({"parameters": {"grip": {"v1", "v2"}}}, fcps.errors.ArgumentError, "parameters.grip", "a set has no order"),
        ({"parameters": {"speed": ("0", 1)}}, fcps.errors.ArgumentError, "parameters.speed", "text"),
        ({"parameters": {"speed": 3}}, fcps.errors.ArgumentError, "parameters.speed", "lower, upper"),
        ({"parameters": {3: (0, 1)}}, fcps.errors.ArgumentError, "parameters", "names are texts"),
        ({"parameters": {"x": (0, 1)}}, fcps.errors.FormatError, "parameters.x", "already"),
        ({"parameters": {"a b": (0, 1)}}, fcps.Error, "", ""),
        ({"parameters": {"speed": fcps.Log(-1, 1)}}, fcps.Error, "parameters.speed", ""),
        ({"outcome": "land"}, fcps.errors.ArgumentError, "outcome", "list"),
        ({"outcome": ["land", "land"]}, fcps.errors.ArgumentError, "outcome", "twice"),
        ({"reward": "-abs(lnad - x)"}, fcps.Error, "reward", "lnad"),
        ({"reward": "-abs(land - x"}, fcps.Error, "reward", ""),
        ({"reward": 3}, fcps.errors.ArgumentError, "reward", "formula or a function"),
        ({"achieved": {"xx": "land"}}, fcps.errors.UnknownNameError, "achieved", "There are: x"),
        ({"achieved": "land"}, fcps.errors.ArgumentError, "achieved", ""),
        ({"presence": lambda e, p: True}, fcps.errors.UnsupportedError, "reward", "mixed"),
        ({"reward": reward}, fcps.errors.UnsupportedError, "reward", "mixed"),
        ({"name": "a\0b"}, fcps.Error, "", ""),
    ],
)
def test_mistakes_are_found_when_a_problem_is_made(changes, kind, field, words):
    with pytest.raises(kind) as caught:
        formula_problem(**changes)
    if field:
        assert caught.value.field == field
    assert words in str(caught.value)
    assert "problem:" not in str(caught.value)  # the text was made here: no file of the user has this position


def test_functions_are_checked_too():
    with pytest.raises(fcps.BoundsError) as caught:
        fcps.Problem(parameters={"speed": (5, 1)}, reward=reward)
    assert caught.value.field == "parameters.speed"
    with pytest.raises(fcps.errors.ArgumentError, match="at least one parameter"):
        fcps.Problem(target={"x": (0, 1)}, reward=reward)
    with pytest.raises(fcps.errors.ArgumentError):
        fcps.Problem(parameters={"speed": (0, 1)}, reward=reward, presence=3)
    with pytest.raises(fcps.errors.UnsupportedError):
        function_problem().to_yaml()


@pytest.mark.parametrize(
    "changes, field",
    [
        ({"reward": lambda outcome: 0.0, "achieved": None}, "reward"),
        ({"achieved": lambda outcome: 0.0}, "achieved"),
        ({"presence": lambda: True}, "presence"),
    ],
)
def test_a_function_with_other_arguments_is_refused_at_once(changes, field):
    with pytest.raises(fcps.errors.ArgumentError, match=f"the function is called as {field}\\(.*write it as def {field}") as caught:
        function_problem(**changes)
    assert caught.value.field == field


@pytest.mark.parametrize(
    "score",
    [
        lambda target, environment, parameters, outcome: np.array([float(outcome["land"])]),
        lambda target, environment, parameters, outcome: np.array([math.hypot(outcome["land"], 1)]),
        lambda target, environment, parameters, outcome: np.array([1.0 if outcome["land"] > 0 else 0.0]),
    ],
)
def test_a_function_of_single_rows_is_told_of_batches(score):
    """What NumPy says of it does not say that whole batches come."""
    problem = function_problem(reward=score, achieved=None)
    with pytest.raises((TypeError, ValueError)) as caught:
        learn(fcps.Learner(problem, "outcome", seed=1001), 12)
    assert "whole batches" in caught.value.__notes__[0]


def test_a_mistake_in_a_file_has_its_place(tmp_path):
    path = tmp_path / "throw.yaml"
    path.write_text("parameters: {speed: [1, 2]}\noutcome: [land]\nreward: -lnad\n")
    with pytest.raises(fcps.Error) as caught:
        fcps.Problem.from_file(path)
    assert caught.value.file == str(path) and caught.value.line == 3 and str(path) in str(caught.value)
    with pytest.raises(FileNotFoundError):
        fcps.Problem.from_file(tmp_path / "none.yaml")


CONSTRAINTS = ["acid + salt + water == 1", "acid*salt <= 0.05 + 0.02*heat"]


def mixture(**changes):
    parts = {
        "target": {"want": (0, 1)},
        "environment": {"heat": (0, 1)},
        "parameters": {"acid": (0, 1), "salt": (0, 1), "water": (0, 1)},
        "outcome": ["sour"],
        "reward": "-abs(sour - want)",
        "constraints": CONSTRAINTS,
    }
    return fcps.Problem(**{**parts, **changes})


def sour(parameters):
    return {"sour": parameters["acid"] - 0.3 * parameters["salt"]}


def assert_kept(parameters, heat):
    assert sum(parameters.values()) == pytest.approx(1, abs=1e-9)
    assert parameters["acid"] * parameters["salt"] <= 0.05 + 0.02 * heat + 1e-9


@pytest.mark.parametrize("reward", ["-abs(sour - want)", lambda t, e, p, o: -abs(o["sour"] - t["want"])])
def test_constraints_hold_for_every_proposal(tmp_path, reward):
    problem = mixture(reward=reward)
    assert problem.constraints == tuple(CONSTRAINTS)
    with fcps.Study(tmp_path / "mix.fcps", problem, seed=1001) as study:
        for i in range(8):
            trial = study.ask(want=0.4, heat=i / 10)
            assert_kept(trial.parameters, i / 10)
            study.tell(trial, sour(trial.parameters))
        policy = study.policy()
        assert_kept(policy(want=0.2, heat=0.5).parameters, 0.5)
    with fcps.Study(tmp_path / "mix.fcps", problem) as study:
        assert study.problem.constraints == tuple(CONSTRAINTS)
    if isinstance(reward, str):  # a study knows no more of functions than their spaces
        with pytest.raises(fcps.Error, match="constraints"):
            fcps.Study(tmp_path / "mix.fcps", mixture(reward=reward, constraints=["acid <= 0.5"]))


def test_a_problem_says_which_constraint_is_broken():
    whole = {"acid": 0.2, "salt": 0.1, "water": 0.7}
    assert mixture().broken(whole, want=0.4, heat=0) is None
    assert mixture().broken({**whole, "water": 0.6}, want=0.4, heat=0) == CONSTRAINTS[0]
    assert mixture().broken({"acid": 0.5, "salt": 0.5, "water": 0}, want=0.4, heat=0) == CONSTRAINTS[1]


def test_a_parameter_that_does_not_apply_breaks_no_constraint():
    problem = fcps.Problem(
        parameters={"tool": fcps.Choice("mill", "drill"), "n": (0, 10), "flow": fcps.Dimension(1, 5, when="tool == mill")},
        outcome=["o"],
        reward="-o",
        constraints=["n*flow <= 20"],
    )
    assert problem.broken({"tool": "drill", "n": 5}) is None
    assert problem.broken({"tool": "drill", "n": 5, "flow": 5}) is None
    assert problem.broken({"tool": "mill", "n": 5, "flow": 5}) == "n*flow <= 20"


def test_constraints_belong_to_the_value(tmp_path):
    assert mixture() == mixture() != mixture(constraints=CONSTRAINTS[:1])
    assert pickle.loads(pickle.dumps(mixture())).constraints == tuple(CONSTRAINTS)
    assert fcps.Problem.from_yaml(mixture().to_yaml()) == mixture()
    assert mixture(constraints="acid <= 0.5").constraints == ("acid <= 0.5",)


@pytest.mark.parametrize(
    "constraints, words",
    [
        (["acid + salt <= 0.3", "salt >= 0.5"], 'both "acid \\+ salt <= 0.3" and "salt >= 0.5"'),
        (["sour <= 1"], "'sour' is an outcome"),
        (["acid"], "expected a comparison"),
        ([3], "formulas as texts"),
    ],
)
def test_wrong_constraints_are_refused(constraints, words):
    with pytest.raises(fcps.Error, match=words) as caught:
        mixture(constraints=constraints)
    assert caught.value.field.startswith("constraints")


def throw(parameters):
    speed, tilt = parameters["speed"], parameters["tilt"]
    return {"land": speed**2 * math.sin(2 * tilt) / 9.81, "apex": (speed * math.sin(tilt)) ** 2 / 19.62}


def limited(**changes):
    parts = {
        "target": {"x": (0.2, 4)},
        "parameters": {"speed": (1, 8), "tilt": (0.1, 1.5)},
        "outcome": ["land", "apex"],
        "reward": "-abs(land - x)",
        "limits": {"apex": {"at_most": 1.2}},
        "safe": [{"speed": 2, "tilt": 0.5}],
    }
    return fcps.Problem(**{**parts, **changes})


@pytest.mark.parametrize("reward", ["-abs(land - x)", lambda t, e, p, o: -abs(o["land"] - t["x"])])
def test_limits_are_kept_and_their_chances_said(tmp_path, reward):
    problem = limited(reward=reward)
    broken = 0
    with fcps.Study(tmp_path / "throw.fcps", problem, seed=1001) as study:
        for i in range(14):
            trial = study.ask(x=3.5)
            if i == 0:
                assert trial.parameters == {"speed": 2, "tilt": 0.5}
            told = throw(trial.parameters)
            broken += told["apex"] > 1.2
            study.tell(trial, told)
        assert trial.expected.chance_of_limits > 0.9 and set(trial.expected.limits) == {"apex"}
        answer = study.policy()(x=3.5)
        assert answer.chance_of_limits > 0.9 and answer.limits["apex"] == answer.chance_of_limits
        assert throw(answer.parameters)["apex"] <= 1.2
        assert study.policy().predict({"x": [3.5]})["chance_of_limits"][0] == pytest.approx(answer.chance_of_limits)
        if isinstance(reward, str):
            study.amend(limits={"apex": {"at_most": 2, "chance": 0.9}})
            assert study.problem.limits == {"apex": {"at_most": "2", "chance": 0.9}}
    assert broken <= 1


def test_limits_belong_to_the_value():
    problem = limited(limits={"apex": {"at_most": "x/2", "chance": 0.9}})
    assert problem != limited() and pickle.loads(pickle.dumps(problem)) == problem
    again = fcps.Problem.from_yaml(problem.to_yaml())
    assert again == problem and again.limits["apex"] == {"at_most": "x/2", "chance": 0.9}
    assert again.safe == ({"speed": 2.0, "tilt": 0.5},)
    with pytest.raises(fcps.Error, match="uses no outcome") as caught:
        limited(limits={"fast": {"of": "2*speed", "at_most": 3}})
    assert caught.value.field == "limits.fast"
    with pytest.raises(fcps.Error, match="model of outcomes"):
        fcps.Learner(problem, "c-reps")


def test_a_trial_has_a_cost_and_a_run_a_budget():
    spaces = {"target": {"x": (0, 5)}, "parameters": {"push": (0, 3)}, "outcome": ["place"], "reward": "-abs(place - x)"}
    problem = fcps.Problem(**spaces, cost="1 + push^2")
    assert problem.cost == "1 + push^2" and problem.cost_of({"push": 2}, x=1) == 5
    assert "cost" in problem.to_yaml() and fcps.Problem.from_yaml(problem.to_yaml()).cost == problem.cost
    assert np.isnan(fcps.Problem(**spaces).cost_of({"push": 2}, x=1))
    study = fcps.Study(None, problem, seed=1001)
    trial = study.ask(x=2)
    assert trial.cost == problem.cost_of(dict(trial.parameters), x=2)
    study.tell(trial, place=1.0)
    done = fcps.run(study, lambda trial: trial.parameters["push"] ** 2 / 2, episodes=50, budget=30)
    costs = [problem.cost_of({"push": push}, x=0) for push in study.rollouts()["push"]]
    assert 15 < sum(costs) <= 30 and len(done.episodes) < 30
    assert study.call("status")["cost"] == pytest.approx(sum(costs))
    with pytest.raises(fcps.BoundsError, match="above zero"):
        fcps.Problem(**spaces, cost="push - 1")
    with pytest.raises(fcps.errors.ArgumentError):
        fcps.Problem(**spaces, cost=3)
    by_function = function_problem(cost="2 + speed")
    assert by_function.cost_of({"turn": 0, "speed": 3}, x=1, wind=0) == 5
