# SPDX-License-Identifier: Apache-2.0
"""Everything that can be given wrongly: an exception that teaches, never a crash."""

import gc
import json
import math
import os
import signal
import subprocess
import sys
import sysconfig
import threading
import traceback
import warnings

import fcps
import numpy as np
import pytest
from conftest import SPACES, formula_problem, function_problem, learn, reward, throw
from fcps._failures import in_python

WRONG_CONTEXTS = {
    "a wrong name": (lambda: ((), {"x": 1, "wnd": 0}), fcps.errors.UnknownNameError, "did you mean 'wind'"),
    "a name too many": (lambda: ((), {"x": 1, "wind": 0, "rain": 0}), fcps.errors.UnknownNameError, "rain"),
    "a missing name": (lambda: ((), {"x": 1}), fcps.errors.ArgumentError, "'wind'"),
    "nothing": (lambda: ((), {}), fcps.errors.ArgumentError, "'x'"),
    "both ways": (lambda: (([1, 0],), {"x": 1}), fcps.errors.ArgumentError, "once"),
    "too many numbers": (lambda: (([1, 0, 2],), {}), fcps.errors.ArgumentError, "2 numbers"),
    "a table": (lambda: (([[1, 0]],), {}), fcps.errors.ArgumentError, "shape"),
    "a number": (lambda: ((3,), {}), fcps.errors.ArgumentError, "shape"),
    "a text": (lambda: (("x=1",), {}), fcps.errors.ArgumentError, "text"),
    "a text as a number": (lambda: ((), {"x": "1", "wind": 0}), fcps.errors.ArgumentError, "text"),
    "texts": (lambda: ((["1", "0"],), {}), fcps.errors.ArgumentError, "numbers"),
    "None": (lambda: ((), {"x": None, "wind": 0}), fcps.errors.ArgumentError, "number"),
    "complex": (lambda: ((np.array([1j, 0]),), {}), fcps.errors.ArgumentError, "numbers"),
    "dates": (lambda: ((np.array(["2020-01-01", "2020-01-02"], "M8[D]"),), {}), fcps.errors.ArgumentError, "numbers"),
    "ragged": (lambda: (([1, [2, 3]],), {}), fcps.errors.ArgumentError, ""),
    "an array as a number": (lambda: ((), {"x": np.zeros(3), "wind": 0}), fcps.errors.ArgumentError, "number"),
    "NaN": (lambda: ((), {"x": math.nan, "wind": 0}), fcps.errors.NotFiniteError, "x"),
    "infinite": (lambda: ((), {"x": 1, "wind": math.inf}), fcps.errors.NotFiniteError, "wind"),
    "out of bounds": (lambda: ((), {"x": 9, "wind": 0}), fcps.BoundsError, "[-8, 8]"),
}


@pytest.mark.parametrize("case", WRONG_CONTEXTS)
@pytest.mark.parametrize("who", ["learner", "study", "policy"])
def test_wrong_contexts(case, who, problem, told):
    make, kind, words = WRONG_CONTEXTS[case]
    ask = {"learner": fcps.Learner(problem, seed=1001).ask, "study": told.ask, "policy": told.policy()}[who]
    if who == "policy" and kind is fcps.BoundsError:
        return  # a policy answers: it may extrapolate
    positional, keywords = make()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NumPy's own about ragged lists
        with pytest.raises(kind) as caught:
            ask(*positional, **keywords)
    assert words in str(caught.value) and caught.value.code.startswith("FCPS_ERR_")
    assert not told.pending


@pytest.mark.parametrize(
    "given, kind, words",
    [
        ({"x": [1, 2], "wind": [0, 1, 2]}, fcps.errors.ArgumentError, "length"),
        ({"x": [1, 2]}, fcps.errors.ArgumentError, "'wind'"),
        ({"x": [1, 2], "wnd": 0}, fcps.errors.UnknownNameError, "did you mean 'wind'"),
        ([[1, 2, 3]], fcps.errors.ArgumentError, "shape"),
        ([1, 2], fcps.errors.ArgumentError, "shape"),
        ("x", fcps.errors.ArgumentError, ""),
        (7, fcps.errors.ArgumentError, "shape"),
        ([{"x": 1}], fcps.errors.ArgumentError, "'wind'"),
        ({"x": [[1, 2]], "wind": 0}, fcps.errors.ArgumentError, "dimension"),
        ({"x": [1, math.nan], "wind": 0}, fcps.errors.NotFiniteError, ""),
    ],
)
def test_wrong_tables_of_contexts(given, kind, words, told):
    with pytest.raises(kind) as caught:
        told.retarget(given)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "positional, keywords, kind, words",
    [
        ((), {}, fcps.errors.ArgumentError, "land=..., height=..."),
        ((), {"land": 1}, fcps.errors.ArgumentError, "'height'"),
        ((), {"land": 1, "hight": 2}, fcps.errors.UnknownNameError, "did you mean 'height'"),
        (([1, 2],), {"land": 1}, fcps.errors.ArgumentError, "once"),
        ((None,), {"land": 1}, fcps.errors.ArgumentError, "once"),
        (([1, 2, 3],), {}, fcps.errors.ArgumentError, "2 numbers"),
        ((1.0,), {}, fcps.errors.ArgumentError, "shape"),
        (("far",), {}, fcps.errors.ArgumentError, "text"),
        (([1, 2],), {"status": "broken"}, fcps.errors.UnknownNameError, "failed"),
        (([1, 2],), {"deviation": [1]}, fcps.errors.ArgumentError, "2 numbers"),
        (([1, 2],), {"parameters": {"turn": 1, "sped": 2}}, fcps.errors.UnknownNameError, "did you mean 'speed'"),
        (([1, 2],), {"parameters": {"sped": 2}}, fcps.errors.UnknownNameError, "did you mean 'speed'"),
        (([1, 2],), {"target": {"y": 1}}, fcps.errors.UnknownNameError, "there is no"),
        (([1, 2],), {"parameters": [math.nan, 1]}, fcps.errors.NotFiniteError, ""),
        ((), {"reward": 3}, fcps.errors.ArgumentError, "its own reward, which scores the outcome; give land=..., height=..."),
        (([1, 2],), {"executed": [45, 2]}, fcps.errors.UnknownNameError, "'executed'; tell takes the executed parameters as `parameters`"),
        (([1, 2],), {"outcome_sd": 1}, fcps.errors.UnknownNameError, "'outcome_sd'; tell takes the deviation of the outcome as `deviation`"),
        ((), {"outcome": {"land": 1, "height": 2}}, fcps.errors.UnknownNameError, "'outcome'; give the outcome itself"),
        (([1, 2],), {"context": [1, 0]}, fcps.errors.UnknownNameError, "there is no dimension of the outcome 'context'"),
        ((None,), {"mesage": "slipped"}, fcps.errors.UnknownNameError, "'mesage'"),
    ],
)
@pytest.mark.parametrize("who", ["learner", "study"])
def test_wrong_outcomes(positional, keywords, kind, words, who, problem, study):
    handle = fcps.Learner(problem, seed=1001) if who == "learner" else study
    trial = handle.ask(x=1, wind=0)
    with pytest.raises(kind) as caught:
        handle.tell(trial, *positional, **keywords)
    assert words in str(caught.value)
    handle.tell(trial, land=1, height=2)  # nothing has changed


def test_only_a_study_completes_what_is_told_in_part(problem, study):
    learner = fcps.Learner(problem, seed=1001)
    with pytest.raises(fcps.errors.ArgumentError, match="'speed'"):
        learner.tell(learner.ask(x=1, wind=0), [1, 2], parameters={"turn": 1})
    trial = study.ask(x=1, wind=0)
    study.tell(trial, [1, 2], parameters={"turn": 1})
    assert study.rollouts()["turn"][-1] == 1 and study.rollouts()["speed"][-1] == trial.parameters["speed"]


def test_trials_that_do_not_exist(problem, study):
    for wrong in (99, fcps.Trial(77, None, None, fcps.types.Values((), ()))):
        with pytest.raises(fcps.errors.UnknownAskError):
            study.tell(wrong, land=1, height=2)
    for wrong in ("1", 1.5, True, object()):
        with pytest.raises(fcps.errors.ArgumentError):
            study.tell(wrong, land=1, height=2)
    learner = fcps.Learner(problem, seed=1001)
    for wrong in (1, "1"):
        with pytest.raises(fcps.errors.ArgumentError):
            learner.tell(wrong, land=1, height=2)
        with pytest.raises(fcps.errors.ArgumentError):
            learner.forget(wrong)
    with pytest.raises(fcps.errors.UnknownAskError, match="use None for"):
        learner.tell(fcps.Trial(77, {"x": 1}, {"wind": 0}, {"turn": 1, "speed": 2}), land=1, height=2)


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, "1", None, True])
def test_wrong_seeds(seed, problem):
    with pytest.raises(fcps.errors.ArgumentError):
        fcps.Learner(problem, seed=seed)


def test_wrong_problems():
    for wrong in (None, "throw", {}, 3):
        with pytest.raises((fcps.errors.ArgumentError, FileNotFoundError)):
            fcps.Learner(wrong) if not isinstance(wrong, str) else fcps.Study(None, wrong)
    with pytest.raises(fcps.errors.ArgumentError):
        fcps.Study(None, 3)


@pytest.mark.parametrize("make", [formula_problem, function_problem])
@pytest.mark.parametrize(
    ("given", "field", "words"),
    [
        ({"target": ["x"]}, "target.x", "no bounds; give (lower, upper)"),
        ({"environment": {"wind": None}}, "environment.wind", "no bounds; give (lower, upper)"),
        ({"parameters": {"turn": fcps.Dimension(), "speed": (1, 10)}}, "parameters.turn", "no bounds"),
        ({"target": {"x": ("-8", 8)}}, "target.x", "the text '-8'"),
        ({"target": {"x": (-8, None)}}, "target.x", "both bounds"),
        ({"outcome": 5}, "outcome", "a list or a mapping of names, not 5"),
    ],
)
def test_a_space_that_is_given_wrongly_is_named(make, given, field, words):
    with pytest.raises(fcps.errors.ArgumentError) as caught:
        make(**given)
    assert caught.value.field == field and words in str(caught.value) and "range:" not in str(caught.value)


def test_a_run_of_what_is_no_function_asks_for_nothing(study):
    for wrong in ("python3 throw.py", ["python3", "throw.py"], throw(study.ask(x=1, wind=0))):
        with pytest.raises(fcps.errors.ArgumentError, match="trial: expected a function that does a trial"):
            fcps.run(study, wrong, episodes=3)
    assert len(study.trials) == 1


@pytest.mark.parametrize(
    ("change", "field", "words"),
    [
        ({"reward": reward}, "reward", "a formula, not function"),
        ({"reward": 5}, "reward", "a formula, not int"),
        ({"bounds": {"speed": 5}}, "bounds.speed", "(lower, upper)"),
        ({"bounds": {"speed": ("1", "12")}}, "bounds.speed", "the text '1'"),
        ({"bounds": 5}, "bounds", "names, not 5"),
        ({"bounds": ["speed"]}, "bounds.speed", "no bounds"),
    ],
)
def test_an_amendment_that_is_given_wrongly_is_named(change, field, words, study):
    for amend in (study.amend, study.preview):
        with pytest.raises(fcps.errors.ArgumentError) as caught:
            amend(**change)
        assert caught.value.field == field and words in str(caught.value)


def test_a_study_with_a_function_is_not_opened_by_a_formula(tmp_path):
    fcps.Study(tmp_path / "throw.fcps", function_problem()).close()
    with pytest.raises(fcps.errors.UnsupportedError, match=r"fcps\.Study\(PATH, problem\) with a problem whose reward is a function"):
        fcps.Study(tmp_path / "throw.fcps", formula_problem())


def test_a_closed_study_says_so(problem):
    study = fcps.Study(None, problem, seed=1001)
    study.close()
    study.close()
    for use in (
        lambda: study.ask(x=1, wind=0),
        lambda: study.tell(1, land=1, height=1),
        study.policy,
        study.rollouts,
        lambda: study.trials,
        lambda: len(study),
        study.outlook,
        lambda: study.amend(reward="1"),
        study.refresh,
        lambda: study.seed,
        lambda: study.learner,
        lambda: study.counts,
        lambda: study.events,
        lambda: fcps.run(study, throw, episodes=1),
    ):
        with pytest.raises(fcps.ClosedError, match="open it again"):
            use()


# -- The user's functions --


def raising(target, environment, parameters, outcome):
    return {}["missing"]


def test_what_a_function_raises_comes_out_with_its_traceback(problem):
    for make in (
        lambda p: fcps.Learner(p, "bo-fcps", seed=1001),
        lambda p: fcps.Study(None, p, learner="bo-fcps", seed=1001),
    ):
        fails = [False]

        def sometimes(*given):
            return raising(*given) if fails[0] else reward(*given)

        handle = make(function_problem(reward=sometimes))
        expected = learn(make(function_problem()), 10)
        asked = learn(handle, 8)
        fails[0] = True
        with pytest.raises(KeyError, match="missing") as caught:
            handle.ask(x=1, wind=0)
            trial = handle.ask(x=1, wind=0)
            handle.tell(trial, land=1.0, height=0.0)
        names = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
        assert "raising" in names and "sometimes" in names
        fails[0] = False
        assert asked + learn(handle, 2, first=8) == expected  # nothing is lost
        if isinstance(handle, fcps.Study):
            handle.close()


@pytest.mark.parametrize(
    "answer, words",
    [
        (lambda rows: np.zeros(rows + 1), "shape"),
        (lambda rows: 0.0, "shape"),
        (lambda rows: np.zeros((rows, 1)), "shape"),
        (lambda rows: None, ""),
        (lambda rows: "far", ""),
        (lambda rows: np.full(rows, "far"), ""),
        (lambda rows: [[0.0]] * rows, "shape"),
    ],
)
def test_wrong_answers_of_a_reward_function(answer, words):
    learner = fcps.Learner(function_problem(reward=lambda t, e, p, o: answer(o.rows)), "bo-fcps", seed=1001)
    with pytest.raises((ValueError, TypeError)) as caught:
        for i in range(10):
            learner.tell(learner.ask(x=1, wind=0), land=float(i), height=0.0)
    assert words in str(caught.value)


def test_wrong_answers_of_the_other_functions():
    for wrong in (
        lambda e, o: {"y": o["land"]},
        lambda e, o: np.zeros(3),
        lambda e, o: {"x": np.zeros(o.rows + 1)},
        lambda e, o: 1 / 0,
    ):
        learner = fcps.Learner(function_problem(achieved=wrong), "bo-fcps-her", seed=1001)
        with pytest.raises((ValueError, KeyError, ZeroDivisionError)):
            learn(learner, 12)
    for wrong in (lambda e, p: np.ones(p.rows), lambda e, p: True, lambda e, p: 1 / 0):
        learner = fcps.Learner(function_problem(presence=wrong), "outcome", seed=1001)
        with pytest.raises((ValueError, ZeroDivisionError)):
            learn(learner, 20)


def test_a_function_that_uses_its_caller_is_told_so():
    handles = {}

    def nosy(target, environment, parameters, outcome):
        if "use" in handles:
            handles["use"]()
        return reward(target, environment, parameters, outcome)

    learner = fcps.Learner(function_problem(reward=nosy), "bo-fcps", seed=1001)
    learn(learner, 8)
    handles["use"] = lambda: learner.ask(x=1, wind=0)
    with pytest.raises(fcps.errors.BusyError, match="callback"):
        learner.ask(x=2, wind=0)
    handles["use"] = lambda: learner.rollouts  # reading is allowed
    learner.ask(x=2, wind=0)
    with fcps.Study(None, function_problem(reward=nosy), learner="bo-fcps", seed=1001) as study:
        handles.pop("use")
        learn(study, 8)
        for handles["use"] in (study.close, lambda: study.forget(1), lambda: study.policy()):
            with pytest.raises(fcps.errors.BusyError):
                study.ask(x=2, wind=0)
        assert not study.is_closed and len(study) == 8
        seen = []
        handles["use"] = lambda: seen.append((study.rollouts(), study.pending, len(study)))  # and of a study
        study.ask(x=2, wind=0)
        table, pending, count = seen[0]
        assert table.rows == count == 8 and pending == [] and np.isnan(table["reward"]).all()


def test_an_interrupt_in_a_callback_comes_out_and_nothing_is_pending():
    calls = [0]

    def interrupted(target, environment, parameters, outcome):
        calls[0] += 1
        if calls[0] == 20:
            signal.raise_signal(signal.SIGINT)
        return reward(target, environment, parameters, outcome)

    learner = fcps.Learner(function_problem(reward=interrupted), "outcome", seed=1001)
    with pytest.raises(KeyboardInterrupt):
        learn(learner, 40)
    assert learner.pending <= 1
    before = learner.pending
    learn(learner, 1)
    assert learner.pending == before


def test_an_interrupt_ends_a_long_run(problem):
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    study = fcps.Study(None, problem, seed=1001)
    try:
        with pytest.raises(KeyboardInterrupt):
            fcps.run(study, throw, episodes=5000)
    finally:
        timer.cancel()
    done = len(study)
    assert 0 < done < 5000
    assert len(fcps.run(study, throw, episodes=done + 2).episodes["x"]) == done + 2
    study.close()


def test_threads_wait_for_each_other(problem):
    with fcps.Study(None, problem, seed=1001) as study:
        failures = []

        def robot(number):
            try:
                for i in range(5):
                    trial = study.ask(x=float(i), wind=0.1 * number, client=f"robot-{number}")
                    study.tell(trial, throw(trial), client=f"robot-{number}")
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=robot, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failures and len(study) == 20


@pytest.mark.parametrize("make", [formula_problem, function_problem])
def test_a_learner_each_in_threads(make):
    problem = make()
    expected = learn(fcps.Learner(problem, "outcome", seed=1001), 12)
    found = {}

    def work(number):
        found[number] = learn(fcps.Learner(problem, "outcome", seed=1001), 12)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(found[number] == expected for number in range(4))


def test_a_free_threaded_python_stays_free():
    if not sysconfig.get_config_var("Py_GIL_DISABLED"):
        pytest.skip("this Python has one lock for all threads")
    assert not sys._is_gil_enabled()


def test_handles_end_in_any_order(problem):
    for _ in range(20):
        learner = fcps.Learner(problem, seed=1001)
        learn(learner, 2)
        policy = learner.policy()
        cycle = [learner, policy]
        cycle.append(cycle)
        del learner, policy, cycle
    gc.collect()


# -- Errors themselves --


def test_every_status_has_its_class():
    from fcps._failures import _kinds
    from fcps._fcps import ffi

    names = set(ffi.typeof("fcps_status").relements) - {"FCPS_OK", "FCPS_STATUS_COUNT"}
    assert names == set(_kinds)


def test_errors_are_pythons_own_kinds_too_and_can_be_pickled():
    import pickle

    with pytest.raises(ValueError) as caught:
        formula_problem(parameters={"speed": (5, 1)})
    error = pickle.loads(pickle.dumps(caught.value))
    assert type(error) is fcps.BoundsError and str(error) == str(caught.value) and error.field == "parameters.speed"
    assert error.hint and error.code == "FCPS_ERR_BOUNDS"
    assert issubclass(fcps.errors.UnknownNameError, KeyError) and issubclass(fcps.errors.StoreError, OSError)


def test_settings_and_names_with_odd_texts(problem):
    with pytest.raises(fcps.errors.ArgumentError, match="zero byte"):
        fcps.Learner(problem, settings={"kappa": "1\0"})
    for wrong in ("frame=off", [("frame", "off")], 3):
        with pytest.raises(fcps.errors.ArgumentError, match="settings: expected a mapping"):
            fcps.Learner(problem, settings=wrong)
    with fcps.Study(None, problem, seed=1001) as study:
        with pytest.raises(fcps.errors.UnknownNameError, match=r"give settings by keywords, as in study\.amend_learner\(frame='off'\)"):
            study.amend_learner("outcome", settings={"frame": "off"})
        study.amend_learner(frame="off")
        assert study.settings == {"frame": "off"}
    with pytest.raises(fcps.Error):
        fcps.Study("a\0b", problem)


# -- Names and files --


def test_dimensions_with_the_names_of_arguments_and_columns(tmp_path):
    names = ("client", "time", "deviation", "key", "sequence", "target")
    for name in names:
        problem = fcps.Problem(target={name: (0, 1)}, parameters={"a": (0, 1)}, outcome=["o"], reward="-abs(a - o)")
        with fcps.Study(None, problem, seed=1001) as study:
            trial = study.ask({name: 0.25})
            study.tell(trial, o=0.5)
            assert study.rollouts()[name][0] == study.retarget({name: [0.25]})[name][0] == 0.25
            assert study.rollouts().known("reward")[0] == pytest.approx(-abs(trial.parameters["a"] - 0.5))
            study.to_optuna(tmp_path / "journal.log")
            assert study.rollouts().known("client")[0] == "" and study._repr_html_() and study.policy()._repr_html_()
            if name == "client":
                with pytest.raises(fcps.errors.ArgumentError, match="as a mapping"):
                    study.ask(client=0.25)
    for name in ("client", "deviation", "key", "target", "environment", "parameters"):
        problem = fcps.Problem(parameters={"a": (0, 1)}, outcome=[name], reward=f"-abs({name})")
        with fcps.Study(None, problem, seed=1001) as study:
            trial = study.ask()
            with pytest.raises(fcps.errors.ArgumentError, match=f"'{name}'"):
                study.tell(trial, **{name: 0.5})
            assert study.tell(trial, {name: 0.5}).reward == -0.5
    done = fcps.run(
        fcps.Problem(parameters={"episode": (0, 1)}, outcome=["o"], reward="-o"),
        lambda trial: trial.parameters["episode"],
        episodes=3,
        seed=1001,
    )
    assert done.episodes["episode_"].tolist() == [1, 2, 3] and done.episodes["episode"].max() <= 1


def test_an_outcome_named_reward_is_not_taken_for_a_told_reward():
    problem = fcps.Problem(parameters={"a": (0, 1)}, outcome=["reward"], reward=lambda t, e, p, o: -o["reward"])
    with fcps.Study(None, problem, seed=1001) as study:
        with pytest.raises(fcps.errors.ArgumentError, match="mapping"):
            study.tell(study.ask(), reward=0.5)


def test_a_client_is_a_text(study):
    with pytest.raises(fcps.errors.ArgumentError, match="text"):
        study.ask(x=1, wind=0, client=7)


@pytest.mark.parametrize("name", ["run", "run/2"])
def test_the_client_of_a_run_is_nobody_elses(study, name):
    for ask in study.ask, study.choose:
        with pytest.raises(fcps.errors.ArgumentError, match="is a client of `fcps run`") as caught:
            ask(x=1, wind=0, client=name)
        assert caught.value.field == "client"
    assert not study.pending and study.ask(x=1, wind=0, client="runner").client == "runner"


def test_a_named_pipe_is_not_waited_for(tmp_path):
    """In a process of its own: who waits, waits for ever."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for call in "Policy.load(pipe)", "Problem.from_file(pipe)", "Study(None, pipe)":
        code = f"import fcps\npipe = {str(pipe)!r}\ntry: fcps.{call}\nexcept fcps.errors.FileError as error: print(error.field, error)"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
        assert "is a named pipe" in done.stdout, (call, done)


def test_files_that_are_not_there_are_errors_of_both_kinds(tmp_path, told):
    missing = tmp_path / "there-is-none"
    for call in (
        lambda: fcps.Problem.from_file(f"{missing}.yaml"),
        lambda: fcps.Policy.load(f"{missing}.policy"),
        lambda: fcps.run(f"{missing}.yaml", throw, episodes=1),
        lambda: fcps.Study(tmp_path / "s.fcps", f"{missing}.yaml"),
        lambda: told.import_csv(f"{missing}.csv"),
        lambda: told.policy().save(missing / "policy"),
        lambda: told.to_optuna(missing / "journal"),
    ):
        with pytest.raises(FileNotFoundError) as caught:
            call()
        assert isinstance(caught.value, fcps.errors.FileError) and caught.value.code == "FCPS_ERR_IO"
        assert str(missing) in str(caught.value) and caught.value.hint
    with pytest.raises(fcps.errors.FileError) as caught:
        fcps.Problem.from_file(tmp_path)
    assert not isinstance(caught.value, FileNotFoundError)


@pytest.mark.parametrize("name", ["z", "rain", "range", "force"])
def test_a_name_that_is_far_from_all_brings_no_guess(name):
    problem = fcps.Problem(
        target={"x": (0, 1), "angle": (0, 1), "source": (0, 1)}, parameters={"a": (0, 1)}, reward="-a"
    )
    with pytest.raises(fcps.errors.UnknownNameError) as caught:
        fcps.Learner(problem, "random", seed=1001).ask(x=0, angle=0, source=0, **{name: 0})
    assert "did you mean" not in str(caught.value) and "angle" in str(caught.value)


def hint_of(call):
    with pytest.raises(fcps.Error) as caught:
        call()
    return caught.value.hint


def test_hints_say_what_to_do(study):
    """And are never a piece of what was given."""
    assert hint_of(lambda: study.ask(x=None, wind=0)) == "give one number for 'x'"
    assert hint_of(lambda: study.ask(x=np.array([1.5, 2]), wind=0)) == "give one number for 'x'"
    assert "one length" in hint_of(lambda: study.ask_many({"x": [1, 2, 3], "wind": [0, 1]}))
    assert hint_of(lambda: study.ask(x=1, wnd=0)) == "did you mean 'wind'?"
    assert hint_of(lambda: study.ask("a; b. C: give")) == "give this argument another value"
    for message, hint in {
        "300 trials at once: give a number from 1 to 256": "give a number from 1 to 256",
        "no file (a; b); use another": "use another",
        "nothing 'x; y' is there. Choose another one": "Choose another one",
        "not array([1. , 2.])": "give this argument another value",
        "the task's learner isn't there; make one": "make one",
        "columns differ (x: 3, y: 2)": "give this argument another value",
    }.items():
        assert fcps.errors.ArgumentError(message).hint == hint


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda rows: None, "not None; is a `return` missing"),
        (lambda rows: "high", "reward function must return.*not str 'high'"),
        (lambda rows: np.zeros(rows, complex), "reward function must return"),
        (lambda rows: np.array([None] * rows, object), "None for some rows"),
        (lambda rows: np.ma.masked_array(np.zeros(rows), mask=True), "masked"),
        (lambda rows: {"reward": 1}, "reward function must return"),
        (lambda rows: np.zeros(rows + 1), "shape"),
    ],
)
def test_what_a_reward_returns_wrongly_is_named(answer, words):
    def wrong(target, environment, parameters, outcome):
        return answer(len(outcome["land"]))

    with fcps.Study(None, function_problem(reward=wrong), seed=1001) as study, warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(fcps.errors.ArgumentError, match=words) as caught:
            study.tell(None, [1, 1], target=[1], environment=[0], parameters=[90, 4])
        assert caught.value.field == "reward"


@pytest.mark.parametrize("dtype", [np.float32, np.int64, bool, list, np.ma.masked_array, "strided"])
def test_what_a_reward_may_return(dtype):
    def fine(target, environment, parameters, outcome):
        ones = np.ones(len(outcome["land"]))
        if dtype == "strided":
            return np.repeat(ones, 2)[::2]
        return dtype(ones) if dtype in (list, np.ma.masked_array) else ones.astype(dtype)

    with fcps.Study(None, function_problem(reward=fine), seed=1001) as study:
        assert study.tell(None, [1, 1], target=[1], environment=[0], parameters=[90, 4]).reward == 1


def test_a_wrong_name_of_a_target_in_a_function_is_guessed():
    def wrong(target, environment, parameters, outcome):
        return outcome["land"] - target["y"]

    with fcps.Study(None, function_problem(reward=wrong, target={"goal": (0, 1)}, achieved=None), seed=1001) as study:
        with pytest.raises(fcps.errors.UnknownNameError, match="target 'y'; There are: goal"):
            study.tell(None, [1, 1], target=[1], environment=[0], parameters=[90, 4])


# -- Errors speak Python, and are errors of fcps --


def test_errors_name_calls_of_python_and_not_commands(tmp_path, problem):
    def words(call):
        with pytest.raises(fcps.Error) as caught:
            call()
        assert "--" not in str(caught.value) and "amend STUDY" not in str(caught.value)
        return str(caught.value)

    def slip(trial):
        raise fcps.TrialFailed("slipped")

    with fcps.Study(tmp_path / "throw.fcps", problem, seed=1001) as study:
        study.backup(tmp_path / "copy.fcps")
        assert "replace=True" in words(lambda: study.backup(tmp_path / "copy.fcps"))
        trial = study.ask(x=1, wind=0)
        study.tell(trial, land=1, height=1)
        assert "study.use_of(1, 2)" in words(lambda: study.tell(trial, land=2, height=1))
        study.use_of(1, 2)
        for wrong in (lambda: study.use_of(1, 9), lambda: study.use(999), lambda: study.confirm(999), lambda: study.use("7.1")):
            assert "study.rollouts() lists them" in words(wrong)
        assert "deviation.land" in words(lambda: study.tell(study.ask(x=1, wind=0), [1, 1], deviation=[-1, 1]))
    assert "study.use(sequence, False)" in words(lambda: fcps.run(problem, slip, episodes=9, seed=1001))
    assert "give a function" in words(lambda: fcps.run(problem, episodes=1))
    absent = words(lambda: fcps.run(formula_problem(reward="land"), lambda trial: None, episodes=9, seed=1001))
    assert 'study.amend(reward="present ? FORMULA : NUMBER")' in absent
    with fcps.Study(None, function_problem(), seed=1001) as study:
        assert "formula" in words(lambda: study.amend(reward="-land"))
    assert "evaluate_every" in words(lambda: fcps.run(problem, throw, episodes=1, evaluate_every=1))


@pytest.mark.parametrize(
    ("said", "done"),
    {
        "a typo? fcps study amend 'my throw.fcps' --drop 21.1, or --confirm 21.1": "a typo? study.use('21.1', False), or "
        "study.confirm('21.1')",
        "(fcps study amend a.fcps --drop 30.1-39.1,42.1) and": "(study.use('30.1-39.1,42.1', False)) and",
        "fcps study amend STUDY --reward 'present ? FORMULA : NUMBER'": 'study.amend(reward="present ? FORMULA : NUMBER")',
        "fcps study amend STUDY --reward FORMULA": "study.amend(reward=...)",
        "nearer a trial comes: amend --reward": "nearer a trial comes: study.amend(reward=...)",
        "the most surprising ones: fcps study check-model STUDY": "the most surprising ones: study.check_model()",
        "Save what can be read: fcps study repair a.fcps --to NEW": "Save what can be read: fcps.Study.repair(path, to)",
        "2 more results surprise the model: fcps study status": "2 more results surprise the model: study.find_suspects()",
        "All are stored; `fcps study log` shows why.": "All are stored; study.rollouts() shows why.",
        "leave outcome_sd out where it is unknown": "leave deviation out where it is unknown",
    }.items(),
)
def test_commands_in_words_of_the_library_become_calls(said, done):
    assert in_python(said) == done


def test_results_are_taken_out_and_confirmed_by_the_names_that_messages_give_them(told):
    told.use("3.1", False)
    told.use("5.1-7.1,9.1", False)
    table = told.rollouts()
    assert table["ask"][~table["used"]].tolist() == [3, 5, 6, 7, 9]
    told.use("3.1")
    told.use(str(table["sequence"][4]))
    told.confirm("12.1")
    table = told.rollouts()
    assert table["ask"][~table["used"]].tolist() == [6, 7, 9] and table["ask"][table["confirmed"]].tolist() == [12]
    for wrong in ("3.1.1", "x", "3.1-4", "3.1-4.2", ""):
        with pytest.raises(fcps.errors.ArgumentError, match="is not a result"):
            told.use(wrong, False)
    with pytest.raises(fcps.errors.UnknownAskError, match="there is no result 3.2"):
        told.use("4.1,3.2", False)
    assert told.rollouts()["used"][3]


def test_a_saved_text_of_another_problem_is_refused_by_the_dimension(told):
    policy, parameters = told.policy(), SPACES["parameters"]
    for words, other in {
        '"speed" has other bounds': {"parameters": {**parameters, "speed": (1, 11)}},
        'the saved text has no "spin"': {"parameters": {**parameters, "spin": (0, 1)}},
        'the saved text also has "speed"': {"parameters": {"turn": parameters["turn"]}},
        'has "wind" where the problem has "gust"': {"environment": {"gust": (-1, 1)}},
    }.items():
        with pytest.raises(fcps.errors.UnsupportedError, match=f"{words}.*; load it with its own problem") as caught:
            fcps.Policy(function_problem(**other), policy.save())
        assert caught.value.field in other


def saved_learner(change=lambda text: text):
    return change(fcps.Learner(formula_problem(), seed=1001).save())


NOT_OURS = {
    "a large number of a trial": lambda study: study.tell(2**70, [1, 1]),
    "a large sequence": lambda study: study.use(2**70),
    "a large number of a result": lambda study: study.use_of(1, 2**40),
    "many dimensions": lambda study: fcps.primitives.Primitive(2**40),
    "many basis functions": lambda study: fcps.primitives.Primitive(1, basis_count=2**40),
    "a late episode": lambda study: fcps.Task("cannon").context(2**63),
    "a late trial": lambda study: fcps.Task("cannon").run([0.1] * 3, episode=2**63),
    "many episodes": lambda study: fcps.run(study, throw, episodes=2**70),
    "half a character": lambda study: study.tell(study.ask(x=1, wind=0), [1, 1], message="\ud800"),
    "half a character in a path": lambda study: fcps.Study("\ud800", formula_problem()),
    "a learner without its asks": lambda study: fcps.Learner.load(
        formula_problem(), saved_learner(lambda text: text.replace('"pending"', '"pendin"'))
    ),
    "a part that is no primitive": lambda study: fcps.primitives.Motion([(3, 1.0)], dt=0.1),
    "a part that is no pair": lambda study: fcps.primitives.Motion([fcps.primitives.Primitive(1)], dt=0.1),
    "a part that is not there": lambda study: fcps.primitives.Motion([(fcps.primitives.Primitive(1), 1.0)], dt=0.1).set_goal([1.0], part=9),
    "a policy that is none": lambda study: fcps.Policy.from_text("hello"),
    "texts in a column": lambda study: study.retarget({"x": np.array(["1", "2"], object), "wind": 0}),
}


@pytest.mark.parametrize("name", NOT_OURS)
def test_what_is_wrong_is_an_error_of_fcps(study, name):
    with pytest.raises(fcps.Error) as caught:
        NOT_OURS[name](study)
    assert caught.value.hint and "invalid argument" not in str(caught.value)


def test_a_policy_that_was_saved_with_its_problem_is_made_with_another(told):
    assert fcps.Policy(formula_problem(), told.policy().save())(x=1, wind=0) == told.policy()(x=1, wind=0)


def test_a_reward_that_is_told_beside_a_formula_is_warned_of(study, caplog):
    with caplog.at_level("WARNING", "fcps"):
        study.tell(study.ask(x=1, wind=0), [1, 1], reward=5)
        study.tell(study.ask(x=1, wind=0), status="failed", reward=-10)
        study.tell(study.ask(x=1, wind=0), None, reward=-10)
    codes = [record.code for record in caplog.records]
    assert codes == ["W_REWARD_IGNORED", "W_REWARD_IGNORED", "W_REWARD_IGNORED", "W_NO_REWARD"]


def test_what_is_kept_as_evidence_is_not_said_to_be_used(caplog):
    problem = formula_problem(parameters={"turn": (0, 360), "speed": fcps.Integer(1, 10)})
    with fcps.Study(None, problem, seed=1001) as study:
        trial = study.ask(x=1, wind=0)
        study.tell(trial, [1.0, 1.0])
        with pytest.raises(fcps.ConflictError, match="nothing learns from it"):
            study.tell(trial, [1.0, 1.0], parameters=[400, 2.5])
        assert not caplog.records
        study.tell(study.ask(x=1, wind=0), [1.0, 1.0], parameters=[400, 2.5])
    assert [record.code for record in caplog.records] == ["W_OFF_STEP", "W_OUTSIDE_BOUNDS"]


def test_a_problem_that_was_written_and_read_is_equal(tmp_path, problem):
    (tmp_path / "throw.yaml").write_text(problem.to_yaml(), encoding="utf-8")
    assert fcps.Problem.from_file(tmp_path / "throw.yaml") == problem
    assert formula_problem(reward="-abs(land - x)") != problem


def test_a_policy_is_shown_before_its_first_result(study):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "nothing is known yet" in study.policy()._repr_html_()
        assert study._repr_html_()


def test_a_problem_without_a_reward_wants_it_told():
    """At the first result: a reward that was forgotten would else leave every trial without one."""
    unrewarded = formula_problem(reward=None, achieved=None)
    with fcps.Study(None, unrewarded, seed=1001) as study:
        for given in (throw(study.ask(x=1, wind=0)), None):
            with pytest.raises(fcps.errors.ArgumentError, match="the problem has no reward, and none was told") as caught:
                study.tell(study.ask(x=1, wind=0), given)
            assert caught.value.field == "reward" and len(study) == 0
        study.tell(study.ask(x=1, wind=0), [1.0, 1.0], reward=0.5)
        study.tell(study.ask(x=1, wind=0), [1.0, 1.0], reward=math.nan)  # which is said to be none
        study.tell(study.ask(x=1, wind=0), status="failed")
        assert len(study) == 3
    learner = fcps.Learner(unrewarded, learner="bo-cps", seed=1001)
    with pytest.raises(fcps.errors.ArgumentError, match="the problem has no reward, and none was told"):
        learner.tell(learner.ask(x=1, wind=0), [1.0, 1.0])
    with pytest.raises(fcps.errors.ArgumentError, match="the problem has no reward, and none was told"):
        fcps.run(unrewarded, throw, episodes=3, seed=1001)


def test_a_file_that_is_no_study_is_called_what_it_is(tmp_path, problem):
    yaml, script = tmp_path / "glue.yaml", tmp_path / "glue.py"
    yaml.write_text(problem.to_yaml())
    script.write_text("import fcps\n")
    for arguments in ((yaml, problem), (yaml,), (yaml, yaml)):
        with pytest.raises(fcps.errors.ArgumentError, match="is a problem file, not a study") as caught:
            fcps.Study(*arguments)
        assert caught.value.field == "path" and "repair" not in str(caught.value)
    with pytest.raises(fcps.errors.ArgumentError, match="is a text, not a study"):
        fcps.Study(script, problem)
    assert yaml.read_text() == problem.to_yaml() and script.read_text() == "import fcps\n"
    (tmp_path / "torn.fcps").write_bytes(b"SQLite format 3\0" + bytes(3000))
    with pytest.raises(fcps.errors.StoreError):
        fcps.Study(tmp_path / "torn.fcps", problem)


def test_arguments_of_a_study_that_are_exchanged_are_told_so(tmp_path, problem):
    yaml = tmp_path / "glue.yaml"
    yaml.write_text(problem.to_yaml())
    for arguments in ((problem, tmp_path / "x.fcps"), (problem,), (yaml, tmp_path / "x.fcps")):
        with pytest.raises(fcps.errors.ArgumentError, match="the path of the study comes first") as caught:
            fcps.Study(*arguments)
        assert caught.value.field == "path"
    assert not (tmp_path / "x.fcps").exists()


def test_another_handle_sees_what_was_stored(tmp_path, problem):
    with fcps.Study(tmp_path / "throw.fcps", problem, seed=1001) as one, fcps.Study(tmp_path / "throw.fcps") as other:
        for look in (
            len,
            lambda study: study.rollouts().rows,
            lambda study: study.counts.results,
            lambda study: len(study.trials),
            lambda study: len(list(study)),
            lambda study: int(repr(study).partition(" results")[0].rpartition(" ")[2]),
        ):
            trial = one.ask(x=1, wind=0)
            one.tell(trial, throw(trial))
            assert look(other) == look(one)
        one.ask(x=2, wind=0)
        assert len(other.pending) == 1
        one.note("said", "something")
        assert [event.code for event in other.events] == [event.code for event in one.events]


def test_a_masked_number_is_refused_by_its_name(problem):
    """What lies under a mask was not measured: it is any number."""
    masked = np.ma.array([1.0, -999.0], mask=[False, True])
    second = problem.outcome.names[1]
    with fcps.Study(None, problem, seed=1001) as study:
        trial = study.ask(x=1, wind=0)
        for given in (masked, [1.0, masked[1]], dict(zip(problem.outcome.names, masked))):
            with pytest.raises(fcps.errors.ArgumentError, match="is masked") as caught:
                study.tell(trial, given)
            assert caught.value.field == second and len(study) == 0
        with pytest.raises(fcps.errors.ArgumentError, match="is masked") as caught:
            study.ask(masked)
        assert caught.value.field == "wind"
        with pytest.raises(fcps.errors.ArgumentError, match="is masked"):
            study.ask_many({"x": masked, "wind": 0})
        study.tell(trial, np.ma.array([1.0, 2.0], mask=[False, False]))
        assert study.rollouts()[second].tolist() == [2.0]


def test_numbers_and_texts_beyond_all_measure_are_errors_of_the_package(problem):
    huge = 10**400
    with fcps.Study(None, problem, seed=1001) as study:
        trial = study.ask(x=1, wind=0)
        for call in (
            lambda: study.ask(x=huge, wind=0),
            lambda: study.ask([huge, 0]),
            lambda: study.tell(trial, [huge, 0]),
            lambda: study.tell(trial, [1.0, 1.0], reward=huge),
        ):
            with pytest.raises(fcps.errors.ArgumentError, match="too large"):
                call()
    for deep in ("[" * 10**6, '{"fcps_policy_file": ' + "[" * 10**6):
        with pytest.raises(fcps.errors.FormatError, match="not a policy"):
            fcps.Policy.from_text(deep, problem)
        with pytest.raises(fcps.Error):
            fcps.Policy(problem, deep)


@pytest.mark.parametrize("changes", [None, "x", 3, True, {}, [["reward"]], [["reward", "x", "y"]], ["ab"], [[1, 2]]])
def test_a_policy_file_whose_changes_are_damaged_is_refused(changes, told):
    whole = json.loads(told.policy().save())
    with pytest.raises(fcps.errors.FormatError, match="damaged"):
        fcps.Policy.from_text(json.dumps({**whole, "changes": changes}))


@pytest.mark.parametrize("text", [None, 3, b"{}", "with_half_of_a_character"])
def test_what_is_no_text_is_no_saved_policy_or_learner(text, told):
    if text == "with_half_of_a_character":
        text = told.policy().save().replace("name:", "name:\ud800")
    with pytest.raises(fcps.errors.ArgumentError, match="text|half of a character"):
        fcps.Policy.from_text(text)
    with pytest.raises(fcps.errors.ArgumentError, match="text|half of a character"):
        fcps.Learner.load(told.problem, text)
