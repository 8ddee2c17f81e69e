# SPDX-License-Identifier: Apache-2.0
"""What the program says of a result that was told is heard in Python too: the logger `fcps` says it, by default on stderr."""

import math
import subprocess
import sys

import fcps
import numpy as np
import pytest
from conftest import formula_problem, function_problem, throw


def codes(caplog):
    return [record.code for record in caplog.records]


@pytest.mark.parametrize("problem", [formula_problem, function_problem])
def test_a_number_that_is_not_finite_is_said(problem, caplog):
    with fcps.Study(None, problem(), seed=1001) as study:
        for i in range(6):
            trial = study.ask(x=i, wind=0)
            told = throw(trial) if i != 4 else {"land": math.nan, "height": 1.0}
            assert study.tell(trial, told).is_flagged == (i == 4)
    assert codes(caplog) == ["W_REWARD_NOT_FINITE"]
    assert "the result of ask 5" in caplog.text and "land" in caplog.text


def test_it_is_said_by_default():
    script = """
import fcps, math
study = fcps.Study(None, fcps.Problem(parameters={"p": (0, 1)}, outcome=["o"], reward="o"), seed=1001)
study.tell(study.ask(), o=1.0)
study.tell(study.ask(), o=math.nan)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert done.stderr.count("W_REWARD_NOT_FINITE") == 1 and not done.stdout


def test_other_remarks_on_what_was_told(study, caplog):
    trial = study.ask(x=1, wind=0)
    study.tell(trial, throw(trial))
    assert not codes(caplog)
    study.tell(study.ask(x=1, wind=0), [1.0, 1.0], environment=[math.nan])
    assert codes(caplog) == ["W_ENVIRONMENT_NOT_FINITE"]
    caplog.clear()
    for _ in range(3):
        study.tell(study.ask(x=1, wind=0), None)
    assert codes(caplog) == ["W_NO_REWARD"]  # once: where one trial comes to nothing, others will
    caplog.clear()
    trial = study.ask(x=1, wind=0)
    study.forget(trial)
    assert study.tell(trial, throw(trial)).is_late
    assert study.tell(trial, throw(trial)).is_repeated
    assert codes(caplog) == ["W_TELL_LATE"] and f"ask {trial.id} had been given up" in caplog.text
    caplog.clear()
    trial = study.ask(x=1, wind=0, client="left")
    study.tell(trial, throw(trial), client="right")
    assert codes(caplog) == ["W_OTHER_CLIENT"] and "was given to left, not to right" in caplog.text
    caplog.clear()
    study.tell(study.ask(x=1, wind=0), status="failed", message="slipped")
    study.tell(study.ask(x=1, wind=0, client="left"), [1.0, 1.0], client="left")
    assert not codes(caplog)


def test_a_run_says_it_as_well(caplog):
    def trial(asked):
        return [math.nan, 1.0] if asked.id == 3 else None if asked.id > 4 else throw(asked)

    with fcps.run(formula_problem(), trial, episodes=6, seed=1001) as done:
        assert codes(caplog) == ["W_REWARD_NOT_FINITE", "W_NO_REWARD"] and "the result of ask 3" in caplog.text
        caplog.clear()
        fcps.run(done.study, trial, episodes=6)
        assert not codes(caplog)  # these were said


def outage_trial(asked):
    """Ends well, but for a power cut: whatever the parameters are."""
    if 10 < asked.id <= 17:
        raise fcps.TrialFailed("no power")
    return throw(asked)


def test_an_outage_is_said(caplog):
    with fcps.run(formula_problem(), outage_trial, episodes=25, seed=1001) as done:
        assert codes(caplog) == ["W_OUTAGE"]
        assert "7 trials in a row went wrong" in caplog.text and "11.1,12.1,13.1,14.1,15.1,16.1,17.1" in caplog.text
        done.policy()
        assert done.study.outlook().excused == 7
        assert codes(caplog) == ["W_OUTAGE"]  # once
        done.study.use("11.1-17.1", False)
        done.policy()
        assert codes(caplog) == ["W_OUTAGE"]


def test_an_outage_is_said_where_a_loop_looks_at_its_policy(caplog):
    with fcps.Study(None, formula_problem(), seed=1001) as study:
        for i in range(25):
            trial = study.ask(x=(i * 5 % 17) - 8.0, wind=0)
            try:
                study.tell(trial, outage_trial(trial))
            except fcps.TrialFailed as failure:
                study.tell(trial, status="failed", message=str(failure))
        study.policy()
        assert codes(caplog) == ["W_OUTAGE"]


def test_asks_are_the_same_whether_an_outage_was_looked_for_or_not():
    asked = []
    for looks in (False, True):
        with fcps.Study(None, formula_problem(), seed=1001) as study:
            for i in range(25):
                trial = study.ask(x=(i * 5 % 17) - 8.0, wind=0)
                study.tell(trial, **({"status": "failed"} if 10 <= i < 17 else throw(trial)))
                if looks and i > 12:
                    study.policy()
            asked.append(np.array([list(trial.parameters.values()) for trial in study.trials]))
    assert np.array_equal(*asked)
