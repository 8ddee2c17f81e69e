# SPDX-License-Identifier: Apache-2.0
"""What a function of the user raises: it comes out of the call that needed it and of no other, and leaves nothing behind."""

import math
import os
import re
import signal

import fcps
import pytest
from conftest import formula_problem, function_problem, learn, reward, throw

READINGS = {
    "counts": lambda study: study.counts,
    "unusable_reason": lambda study: study.unusable_reason(),
    "complaint": lambda study: study.complaint(),
    "rollouts": lambda study: study.rollouts(),
    "find_suspects": lambda study: study.find_suspects(),
    "policy": lambda study: study.policy(),
    "html": lambda study: study._repr_html_(),
    "trials": lambda study: study.trials,
    "remarks": lambda study: study.remarks(),
}


@pytest.mark.parametrize("name", READINGS)
def test_an_innocent_call_raises_nothing_old(name, caplog):
    is_broken = [False]

    def fragile(target, environment, parameters, outcome):
        if is_broken[0]:
            raise ZeroDivisionError("of an earlier call")
        return reward(target, environment, parameters, outcome)

    with fcps.Study(None, function_problem(reward=fragile), learner="bo-fcps", seed=1001) as study:
        learn(study, 4)
        study.tell(study.ask(x=1, wind=0), land=1, height=0)
        is_broken[0] = True
        if name in ("trials", "remarks"):  # they score nothing
            READINGS[name](study)
        elif name in ("counts", "rollouts", "html"):  # they show what is stored, whatever the reward does
            with caplog.at_level("WARNING", "fcps"):
                READINGS[name](study)
                assert list(study.rollouts()["land"])[-1] == 1 and math.isnan(study.rollouts()["reward"][0])
            assert [record.code for record in caplog.records] == ["W_REWARD_RAISED"]
            assert "ZeroDivisionError: of an earlier call" in caplog.text
        else:
            with pytest.raises(ZeroDivisionError):
                READINGS[name](study)
        is_broken[0] = False
        study.note("mark", "an innocent call")
        READINGS[name](study)
        assert not math.isnan(study.rollouts()["reward"][0])


# -- Runs --


def fails_at(number, failure):
    calls = [0]

    def trial(asked):
        calls[0] += 1
        if calls[0] == number:
            raise failure
        return throw(asked)

    return trial


def test_a_run_that_raised_keeps_no_lock(tmp_path, problem):
    path = tmp_path / "throw.fcps"
    with pytest.raises(ZeroDivisionError) as kept:  # the exception, and so its frames, live on
        fcps.run(problem, fails_at(3, ZeroDivisionError()), episodes=6, path=path, seed=1001)
    with fcps.run(problem, throw, episodes=6, path=path) as done:
        assert done.episodes.rows == 6
        done.study.hold()
        with pytest.raises(fcps.LockedError, match=r"since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\)"):
            fcps.run(problem, throw, episodes=6, path=path)
    with pytest.raises(fcps.errors.ArgumentError):
        fcps.run(problem, throw, episodes=6, path=path, contexts=[])
    fcps.run(problem, throw, episodes=6, path=path).study.close()
    assert kept is not None


def test_a_study_that_was_refused_is_closed(tmp_path, problem):
    path = tmp_path / "throw.fcps"
    fcps.run(problem, throw, episodes=2, path=path, seed=1001).study.close()
    descriptors = len(os.listdir("/proc/self/fd"))
    kept = []
    for wrong in ({"seed": 5}, {"learner": "random"}, {"settings": {"kappa": 7}}):
        with pytest.raises(fcps.ConflictError) as caught:
            fcps.Study(path, problem, **wrong)
        kept.append(caught)
    assert len(os.listdir("/proc/self/fd")) == descriptors


def test_an_interrupt_in_a_trial_function_comes_out_at_once_and_its_ask_waits(tmp_path, problem):
    path, seen = tmp_path / "throw.fcps", []

    def interrupted(asked):
        seen.append(asked)
        if len(seen) == 3:
            signal.raise_signal(signal.SIGINT)
            raise AssertionError("the interrupt came out of the function")
        return throw(asked)

    with pytest.raises(KeyboardInterrupt):
        fcps.run(problem, interrupted, episodes=5, path=path, seed=1001)
    with fcps.Study(path) as study:
        assert len(study) == 2 and [trial.parameters for trial in study.pending] == [seen[2].parameters]
    first = []
    with fcps.run(problem, lambda asked: (first.append(asked), throw(asked))[1], episodes=5, path=path) as done:
        assert first[0].id == seen[2].id and first[0].parameters == seen[2].parameters
        assert done.episodes.rows == 5 and not done.study.pending


def test_the_lock_of_another_process_says_who_has_it(tmp_path):
    path = tmp_path / "throw.fcps"
    with fcps.Study(path, formula_problem(), seed=1001) as one, fcps.Study(path) as other:
        one.hold()
        with pytest.raises(fcps.LockedError) as caught:
            other.hold()
    assert re.search(rf"\(process {os.getpid()} on \S+ since [-\d]+ [:\d]+ UTC\)", str(caught.value))
