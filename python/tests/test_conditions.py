# SPDX-License-Identifier: Apache-2.0
"""Parameters that apply under a condition: rows lack what does not apply, and tables have None or NaN there."""

from __future__ import annotations

import math
import pickle

import fcps
import numpy as np
import pytest
from conftest import served_at

PARAMETERS = {
    "tool": ["mill", "drill", "laser"],
    "speed": fcps.Log(1, 10),
    "coolant": fcps.Choice("none", "mist", "flood", when="tool == mill"),
    "flow": fcps.Dimension(0, 5, unit="l/min", when="coolant != none"),
    "power": fcps.Integer(1, 4, when="tool == laser && stock == steel"),
}


def problem(**changes):
    spaces = {"environment": {"stock": ["steel", "brass"]}, "parameters": PARAMETERS, "outcome": ["rough"], "reward": "-rough"}
    return fcps.Problem(**{**spaces, **changes})


def check(environment, parameters):
    assert ("coolant" in parameters) == (parameters["tool"] == "mill")
    assert ("flow" in parameters) == (parameters.get("coolant", "none") != "none")
    assert ("power" in parameters) == (parameters["tool"] == "laser" and environment["stock"] == "steel")


def rough_of(trial):
    check(trial.environment, trial.parameters)
    flow, power = trial.parameters.get("flow"), trial.parameters.get("power")
    rough = {"mill": 0.4, "drill": 0.6, "laser": 0.5}[trial.parameters["tool"]] + 0.1 * math.log(trial.parameters["speed"] / 3) ** 2
    return rough + (0 if flow is None else 0.05 * (flow - 2) ** 2 - 0.2) + (0 if power is None else 0.1 * abs(power - 3) - 0.1)


def test_a_problem_says_when_and_is_written_and_read():
    assert repr(PARAMETERS["coolant"]) == "Choice('none', 'mist', 'flood', when='tool == mill')"
    assert fcps.Log(1, 2, when="a > 1").when == fcps.Angle(when="a > 1").when == "a > 1"
    read = fcps.Problem.from_yaml(problem().to_yaml())
    assert read.parameters["flow"] == PARAMETERS["flow"] and read.parameters["coolant"] == PARAMETERS["coolant"]
    assert pickle.loads(pickle.dumps(problem())) == problem() != problem(parameters={**PARAMETERS, "flow": (0, 5)})
    with pytest.raises(fcps.Error, match="did you mean 'tool'"):
        fcps.Learner(problem(parameters={**PARAMETERS, "flow": fcps.Dimension(0, 5, when="tol == mill")}))
    with pytest.raises(fcps.Error, match="never holds"):
        fcps.Learner(problem(parameters={**PARAMETERS, "flow": fcps.Dimension(0, 5, when="tool == mill && tool == drill")}))


def test_a_trial_has_the_cost_that_the_problem_tells():
    priced = problem(cost="1 + speed + (coolant == none ? 0 : 2 + flow)")
    study = fcps.Study(None, priced, learner="random", seed=1003)
    for i in range(8):
        trial = study.ask(stock="steel")
        assert priced.cost_of(trial.parameters, trial.environment) == trial.cost
    assert priced.cost_of({"tool": "drill", "speed": 2}, stock="steel") == 3
    with pytest.raises(fcps.Error, match="does not apply here"):
        priced.cost_of({"tool": "drill", "speed": 2, "flow": 1}, stock="steel")


def test_rows_lack_what_does_not_apply(tmp_path):
    with fcps.Study(tmp_path / "a.fcps", problem(), seed=1003) as study:
        for i in range(16):
            trial = study.ask(stock="steel" if i % 2 else "brass")
            study.tell(trial, rough=rough_of(trial))
        table = study.rollouts()
        for row in range(table.rows):
            there = {name: table[name][row] for name in PARAMETERS}
            check({"stock": table["stock"][row]}, {name: x for name, x in there.items() if x is not None and x == x})
        assert any(word is None for word in table["coolant"]) and np.isnan(table["flow"]).any()
        policy = study.policy()
        for stock in ("steel", "brass"):
            check({"stock": stock}, policy(stock=stock).parameters)
        answers = policy.predict({"stock": ["steel", "brass"]})
        assert math.isnan(answers["power"][1])
        loaded = fcps.Policy.from_text(policy.save(), study.problem)
        assert loaded(stock="steel").parameters == policy(stock="steel").parameters


def test_what_is_told_says_what_applies():
    with fcps.Study(None, problem()) as study:
        trial = study.ask(stock="brass")
        with pytest.raises(fcps.Error, match="does not apply here: it is used only when coolant != none; leave it out"):
            study.tell(trial, parameters={"tool": "drill", "speed": 2, "flow": 2}, rough=1)
        with pytest.raises(fcps.Error, match="coolant: is missing: it applies here"):
            study.tell(trial, parameters={"tool": "mill", "speed": 2}, rough=1)
        with pytest.raises(fcps.Error, match="did you mean 'coolant'"):
            study.tell(trial, parameters={"tool": "mill", "speed": 2, "coolent": "mist"}, rough=1)
        study.tell(trial, parameters={"tool": "drill", "speed": 2}, rough=1)
        assert study.rollouts()["coolant"][0] is None


def check_the_rest_is_as_asked(study):
    stock = "brass"
    trial = study.ask(stock=stock)
    study.tell(trial, parameters={"tool": "drill"}, rough=1)
    trial = study.ask(stock=stock)
    study.tell(trial.id, parameters={"tool": "mill", "coolant": "mist", "flow": 2}, rough=1)
    trials = [trial, study.ask(stock=stock)]
    study.tell(trials[1], parameters={"tool": "mill", "speed": 3, "coolant": "none", "flow": None, "power": None}, rough=1)
    trials.append(study.ask(stock=stock))
    study.tell(trials[2], parameters={"tool": "drill", "speed": 4, "coolant": None, "flow": math.nan, "power": None}, rough=1)
    with pytest.raises(fcps.Error, match="coolant: is missing"):
        study.tell(None, parameters={"tool": "mill", "speed": 3, "coolant": None}, environment={"stock": stock}, rough=1)
    with pytest.raises(fcps.Error, match="no value for 'speed'"):
        study.tell(None, parameters={"tool": "drill"}, environment={"stock": stock}, rough=1)
    table = study.rollouts()
    assert list(table["tool"]) == ["drill", "mill", "mill", "drill"]
    assert list(table["coolant"]) == [None, "mist", "none", None]
    assert table["speed"][1] == trials[0].parameters["speed"] and list(table["speed"][2:]) == [3, 4]
    assert table["flow"][1] == 2 and np.isnan(table["flow"][[0, 2, 3]]).all()


def test_the_rest_of_what_is_told_is_as_asked(tmp_path, monkeypatch):
    with fcps.Study(None, problem()) as study:
        check_the_rest_is_as_asked(study)
    with served_at(tmp_path, monkeypatch, problem()) as address, fcps.connect(address) as study:
        check_the_rest_is_as_asked(study)


def test_a_learner_goes_on_after_pickling():
    learner = fcps.Learner(problem(), seed=1004)
    for i in range(12):
        trial = learner.ask(stock="steel" if i % 2 else "brass")
        learner.tell(trial, rough=rough_of(trial))
    learner.ask(stock="steel")
    again = pickle.loads(pickle.dumps(learner))
    assert again.ask(stock="brass").parameters == learner.ask(stock="brass").parameters


def test_runs_leave_it_out():
    with fcps.Study(None, problem(), seed=1005) as study:
        done = fcps.run(study, lambda trial: {"rough": rough_of(trial)}, episodes=6, contexts=[{"stock": "steel"}, {"stock": "brass"}])
        assert done.episodes.rows == 6 and all(math.isnan(x) for x in done.episodes["power"][1::2])


def test_a_served_study_leaves_it_out(tmp_path, monkeypatch):
    with served_at(tmp_path, monkeypatch, problem()) as address, fcps.connect(address) as study:
        assert study.problem.parameters["coolant"] == PARAMETERS["coolant"]
        for i in range(8):
            trial = study.ask(stock="steel" if i % 2 else "brass")
            study.tell(trial, rough=rough_of(trial))
        trial = study.ask(stock="brass")
        with pytest.raises(fcps.Error, match="does not apply here"):
            study.tell(trial, parameters={"tool": "drill", "speed": 2, "flow": 2}, rough=1)
        study.tell(trial, parameters={"tool": "drill", "speed": 2}, rough=1)
        assert study.rollouts()["coolant"][-1] is None


def test_optuna_has_no_such_parameter(tmp_path):
    with fcps.Study(None, problem()) as study:
        for i in range(6):
            trial = study.ask(stock="brass")
            study.tell(trial, rough=rough_of(trial))
        study.to_optuna(tmp_path / "journal.log")
    assert '"power"' not in (tmp_path / "journal.log").read_text()
