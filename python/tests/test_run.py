# SPDX-License-Identifier: Apache-2.0
"""Runs: the loop, tasks, and primitives."""

import pickle
import threading
import time

import fcps
import numpy as np
import pytest
from conftest import formula_problem, function_problem, same, throw


def test_a_run_learns_and_goes_on(tmp_path, problem):
    path = tmp_path / "throw.fcps"
    with fcps.run(problem, throw, episodes=6, path=path, seed=1001) as first:
        assert first.episodes.rows == 6 and not first.is_converged
    shown = []
    with fcps.run(problem, throw, episodes=10, path=path, on_episode=shown.append) as second:
        assert [episode.is_earlier for episode in shown] == [True] * 6 + [False] * 4
        assert np.array_equal(second.episodes["turn"][:6], first.episodes["turn"])
        assert shown[-1].done == 10 and shown[-1].outcome["height"] > 0


def test_a_trial_may_fail_or_raise(problem):
    calls = []

    def fragile(trial):
        calls.append(trial)
        if len(calls) == 3:
            raise fcps.TrialFailed("slipped", status="timeout")
        if len(calls) == 5:
            raise RuntimeError("cable out")
        return throw(trial)

    study = fcps.Study(None, problem, seed=1001)
    with pytest.raises(RuntimeError, match="cable out"):
        fcps.run(study, fragile, episodes=8)
    assert len(study) == 4 and len(study.pending) == 1 and "timeout" in study.rollouts()["status"]
    done = fcps.run(study, fragile, episodes=8)
    assert done.episodes.rows == 8 and calls[4] == calls[5]  # the ask that was not finished comes again
    study.close()


def test_contexts_in_turn(problem):
    done = fcps.run(problem, throw, episodes=5, contexts={"x": [1, 2], "wind": [0, 0.5]}, seed=1001)
    assert done.episodes["x"].tolist() == [1, 2, 1, 2, 1]
    with pytest.raises(fcps.errors.ArgumentError):
        fcps.run(problem, throw, episodes=5, contexts=np.empty((0, 2)))


def test_wrong_runs(problem):
    with pytest.raises(fcps.errors.ArgumentError, match="function that does the trials"):
        fcps.run(function_problem(), episodes=3)
    with pytest.raises(fcps.Error):
        fcps.run(problem, episodes=3)  # the file names no program
    with pytest.raises(fcps.errors.UnknownNameError, match="did you mean 'cannon'"):
        fcps.run("canon", episodes=3)
    with pytest.raises(fcps.errors.ArgumentError):
        fcps.run(3, episodes=3)
    with pytest.raises(fcps.errors.ArgumentError):
        fcps.run(fcps.Study(None, problem), throw, episodes=3, seed=2)
    with pytest.raises(fcps.errors.ArgumentError):
        fcps.run(problem, throw, episodes=-3)
    with fcps.Study(None, problem) as study, pytest.raises(fcps.errors.BusyError):
        fcps.run(study, lambda trial: study.close(), episodes=3)
    with pytest.raises(fcps.errors.ArgumentError):
        fcps.run(problem, lambda trial: [1, 2, 3], episodes=3)


def test_a_function_of_the_problem_that_raises_ends_the_run():
    calls = [0]

    def broken(target, environment, parameters, outcome):
        calls[0] += 1
        if calls[0] > 3:
            raise ZeroDivisionError("in the reward")
        return -abs(outcome["land"])

    with pytest.raises(ZeroDivisionError, match="in the reward"):
        fcps.run(function_problem(reward=broken), throw, episodes=20, seed=1001)


def test_a_run_ends_when_it_has_converged():
    problem = fcps.Problem(parameters={"dose": (0, 10)}, outcome=["growth"], reward="growth")
    done = fcps.run(
        problem, lambda trial: -0.1 * (trial.parameters["dose"] - 4) ** 2, episodes=200, until_converged=True, seed=1001
    )
    assert done.is_converged and done.episodes.rows < 200


def test_a_task_is_simulated_and_evaluated():
    with fcps.run("cannon", episodes=10, evaluate_every=5, seed=1001) as done:
        assert done.offline["episode"].tolist() == [5, 10] and np.isfinite(done.offline["mean"]).all()
        assert done.study.task.name == "cannon"
    task = fcps.Task("cannon", seed=1001)
    first = task.context(0)
    assert first == fcps.Task("cannon", seed=1001).context(0) and first != task.context(1)
    rollout = task.run({name: (dim.lower + dim.upper) / 2 for name, dim in task.problem.parameters.items()})
    assert rollout.status == "ok"
    assert task.evaluation().rows > 10 and pickle.loads(pickle.dumps(task)).context(0) == first
    with pytest.raises(fcps.errors.UnknownNameError):
        fcps.Task("cannon", settings={"hils": 3})


def test_primitives_imitate_and_are_checked():
    times = np.linspace(0, 1, 101)
    swing = fcps.primitives.Primitive(2, basis_count=20)
    shape = np.column_stack([np.sin(3 * times), times**2])
    swing.imitate(shape, duration=1.0)
    motion = fcps.primitives.Motion([(swing, 1.0)], dt=0.005)
    motion.set_goal(shape[-1], [3 * np.cos(3), 2.0])
    path = motion.trajectory(shape[0], [3.0, 0.0])
    assert path.positions.shape == (motion.steps + 1, 2) and path.times[-1] == pytest.approx(1)
    assert abs(path.positions[-1] - shape[-1]).max() < 0.05
    assert motion.check(shape[0], speed=[100, 100]) == []
    broken = motion.check(shape[0], upper=[0.5, 10], inside=lambda position: position[1] < 0.5)
    assert {violation.kind for violation in broken} == {"position", "workspace"} and broken[0].text
    again = pickle.loads(pickle.dumps(swing))
    assert np.array_equal(again.weights, swing.weights)
    with pytest.raises(ZeroDivisionError):
        motion.check(shape[0], inside=lambda position: 1 / 0)
    for wrong in (
        lambda: fcps.primitives.Primitive(0),
        lambda: swing.imitate([[1, 2]], duration=1),
        lambda: swing.imitate(times, duration=1),
        lambda: fcps.primitives.Motion([], 0.1),
        lambda: fcps.primitives.Motion([(swing, 1.0)], -1),
        lambda: motion.set_goal([1]),
        lambda: motion.set_goal([1, np.nan]),
        lambda: motion.trajectory("ab"),
        lambda: motion.set_goal([1, 2], part=7),
    ):
        with pytest.raises(fcps.Error):
            wrong()


def test_a_problem_file_runs_its_program(tmp_path):
    import sys

    program = tmp_path / "sim.py"
    program.write_text(
        "import json, sys\nfor line in sys.stdin:\n    asked = json.loads(line)\n"
        "    outcome = {'land': asked['parameters']['speed'], 'height': 0}\n"
        "    print(json.dumps({'ask': asked['ask'], 'outcome': outcome}), flush=True)\n"
    )
    path = tmp_path / "throw.yaml"
    path.write_text(formula_problem().to_yaml() + f"run: {{command: [{sys.executable}, {program}], timeout_s: 30}}\n")
    with fcps.run(path, episodes=4, seed=1001) as done:
        assert np.array_equal(done.episodes["land"], done.episodes["speed"])


# -- The end of a run that its caller wants --


@pytest.mark.parametrize("parallel", [1, 3])
def test_a_callback_ends_a_run_and_keeps_what_was_done(problem, parallel):
    for last in (lambda episode: episode.done < 5, stop_at(5)):
        with fcps.run(problem, throw, episodes=20, seed=1001, on_episode=last, parallel=parallel) as done:
            assert done.is_stopped and done.episodes.rows == 5 and not done.is_converged
            assert 5 <= len(done.study) <= 4 + parallel and done.policy()(x=1, wind=0).parameters
            further = fcps.run(done.study, throw, episodes=8)
            assert not further.is_stopped and further.episodes.rows == 8


def stop_at(number):
    def stop(episode):
        if episode.done == number:
            raise fcps.StopRun

    return stop


def test_what_a_callback_returns_otherwise_ends_nothing(problem):
    for nothing in (None, 0, "", np.array([])):
        assert fcps.run(problem, throw, episodes=3, on_episode=lambda _: nothing).episodes.rows == 3


def test_a_trial_ends_a_run_and_stays_unfinished(tmp_path, problem):
    def tired(trial):
        if trial.id == 4:
            raise fcps.StopRun
        return throw(trial)

    with fcps.run(problem, tired, episodes=9, path=tmp_path / "throw.fcps", seed=1001) as done:
        assert done.is_stopped and done.episodes.rows == 3
        assert [trial.id for trial in done.study.pending] == [4]
        assert fcps.run(done.study, throw, episodes=9).episodes.rows == 9


def test_the_same_run_again_does_nothing_and_says_so(tmp_path, problem, caplog):
    path = tmp_path / "throw.fcps"
    calls = []

    def counted(trial):
        calls.append(trial)
        return throw(trial)

    with caplog.at_level("INFO", "fcps"):
        for i, codes in enumerate([[], ["I_OPENED", "I_NOTHING_TO_DO"]]):
            caplog.clear()
            with fcps.run(problem, counted, episodes=6, path=path, seed=1001) as done:
                assert len(done.study) == done.episodes.rows == len(calls) == 6
            assert [record.code for record in caplog.records] == codes, i
        assert "6 of 6 episodes are done" in caplog.text
        caplog.clear()
        with fcps.Study(path, mode="open") as study:  # of one's own
            fcps.run(study, counted, episodes=5)
        assert "6 of 5 episodes are done" in caplog.text and len(calls) == 6


# -- Several trials at once --


def test_trials_at_once_in_threads(problem):
    together, most, lock = [0], [0], threading.Lock()

    def slow(trial):
        with lock:
            together[0] += 1
            most[0] = max(most[0], together[0])
        time.sleep(0.02 + 0.02 * (trial.id % 3))
        with lock:
            together[0] -= 1
        if trial.id == 5:
            raise fcps.TrialFailed("slipped")
        return throw(trial)

    tables = []
    for _ in range(2):
        with fcps.run(problem, slow, episodes=12, seed=1001, parallel=4) as done:
            tables.append(done.episodes)
            assert done.study.pending == [] and done.study.counts.failed == 1
            assert done.episodes.rows == 12 and len(done.study.trials) == 12
    assert most[0] == 4
    assert same(tables[0]["speed"], tables[1]["speed"])  # whatever took how long


def test_an_exception_in_one_of_several_threads_loses_no_other_trial(problem):
    ran = []

    def breaking(trial):
        ran.append(trial.id)
        time.sleep(0.05)
        if trial.id == 5 and ran.count(5) == 1:
            raise ValueError("broke")
        return throw(trial)

    with fcps.Study(None, problem, seed=1001) as study:
        with pytest.raises(ValueError, match="broke"):
            fcps.run(study, breaking, episodes=9, parallel=3)
        asked = {trial.id for trial in study.trials}
        assert {trial.id for trial in study.pending} == {5} | (asked - set(ran))  # what had begun was told
        assert fcps.run(study, breaking, episodes=9, parallel=3).episodes.rows == 9
        assert sorted(ran) == sorted([*range(1, 10), 5])


def test_a_trial_in_a_thread_must_not_use_the_study(problem):
    with fcps.Study(None, problem, seed=1001) as study:
        with pytest.raises(fcps.errors.BusyError, match="one trial at a time"):
            fcps.run(study, lambda trial: len(study), episodes=4, parallel=2)
        assert len(study) == 0


def test_the_next_call_goes_on_while_the_first_is_still_there(tmp_path, problem):
    """As in a notebook, where a cell is run again."""
    path = tmp_path / "throw.fcps"
    first = fcps.run(problem, throw, episodes=4, path=path, seed=1001)
    second = fcps.run(problem, throw, episodes=6, path=path, seed=1001)
    assert first.episodes.rows == 4 and second.episodes.rows == 6
    first.study.refresh()
    assert len(first.study) == len(second.study) == 6
    by_task = [fcps.run("cannon", episodes=n, path=tmp_path / "cannon.fcps", seed=1001) for n in (3, 5)]
    assert by_task[1].episodes.rows == 5
    function = function_problem()
    third = [fcps.run(function, throw, episodes=n, path=tmp_path / "f.fcps", seed=1001) for n in (3, 9)]
    assert third[1].study.ask(x=1, wind=0).id == 10
    for run in (first, second, *by_task, *third):
        run.study.close()


def test_a_hold_can_be_released(tmp_path, problem):
    path = tmp_path / "throw.fcps"
    with fcps.Study(path, problem, seed=1001) as one, fcps.Study(path, wait=0.01) as other:
        one.hold()
        with pytest.raises(fcps.LockedError):
            other.hold()
        one.release()
        other.hold()
        assert one.tell(one.ask(x=1, wind=0), land=1, height=1).ask == 1
