# SPDX-License-Identifier: Apache-2.0
"""The same seed gives the same asks through every door, byte for byte."""

import os
import subprocess
import sys
import textwrap

import fcps
import pytest
from conftest import built, formula_problem, function_problem, learn, throw

LONG = bool(os.environ.get("FCPS_TEST_LONG"))  # every learner through every door, beyond the first fits
EPISODES, SEED = (14 if LONG else 8), 1001
OFTEN = ["outcome", "bo-fcps", "c-cma-es"]


@pytest.fixture(scope="module")
def asked_in_c(tmp_path_factory):
    program = built("FCPS_PYTHON_ASKS")
    path = tmp_path_factory.mktemp("asks") / "throw.yaml"
    path.write_text(formula_problem().to_yaml())
    output = subprocess.run(
        [program, path, str(EPISODES), str(SEED)], check=True, text=True, capture_output=True
    ).stdout
    asked = {}
    for line in output.splitlines():
        name, _, turn, speed = line.split()
        asked.setdefault(name, []).append((float.fromhex(turn), float.fromhex(speed)))
    return asked


@pytest.mark.parametrize("name", list(fcps.learners))
def test_a_learner_asks_as_in_c(name, asked_in_c):
    assert learn(fcps.Learner(formula_problem(), name, seed=SEED), EPISODES) == asked_in_c[name]


@pytest.mark.parametrize("name", list(fcps.learners) if LONG else OFTEN)
def test_a_study_asks_as_its_learner_does(name, asked_in_c):
    with fcps.Study(None, formula_problem(), learner=name, seed=SEED) as study:
        assert learn(study, EPISODES) == asked_in_c[name]


@pytest.mark.parametrize("name", list(fcps.learners) if LONG else OFTEN)
def test_a_run_asks_as_the_command_line_does(name, tmp_path):
    program = built("FCPS_PROGRAM")
    simulator = tmp_path / "simulate.py"
    simulator.write_text(
        textwrap.dedent("""\
        import json, sys
        for line in sys.stdin:
            asked = json.loads(line)
            turn, speed = asked["parameters"]["turn"], asked["parameters"]["speed"]
            side = (turn - 180) / 180
            outcome = {"land": speed * side * (2 - abs(side)) * 0.8 + 0.5 * asked["environment"]["wind"],
                       "height": 0.05 * speed * speed}
            print(json.dumps({"ask": asked["ask"], "outcome": outcome}), flush=True)
        """)
    )
    yaml = tmp_path / "throw.yaml"
    yaml.write_text(formula_problem().to_yaml() + f"run: {{command: [{sys.executable}, {simulator}], timeout_s: 30}}\n")
    store = tmp_path / "throw.fcps"
    subprocess.run(
        [
            program,
            "run",
            yaml,
            "--learner",
            name,
            "--episodes",
            str(EPISODES),
            "--seed",
            str(SEED),
            "--quiet",
            "--store",
            store,
        ],
        check=True,
        capture_output=True,
    )
    with (
        fcps.Study(store) as study,
        fcps.run(formula_problem(), throw, learner=name, seed=SEED, episodes=EPISODES) as done,
    ):
        assert [trial.parameters for trial in study.trials] == [trial.parameters for trial in done.study.trials]
        assert [trial.target for trial in study.trials] == [trial.target for trial in done.study.trials]


def test_a_task_learns_as_the_command_line_does(tmp_path):
    program = built("FCPS_PROGRAM")
    subprocess.run(
        [
            program,
            "run",
            "cannon",
            "--learner",
            "outcome",
            "--episodes",
            "8",
            "--seed",
            str(SEED),
            "--quiet",
            "--no-figure",
            "--out",
            tmp_path / "out",
        ],
        check=True,
        capture_output=True,
    )
    with (
        fcps.Study(tmp_path / "out/run.fcps") as study,
        fcps.run("cannon", episodes=8, seed=SEED, learner="outcome") as done,
    ):
        assert study.task is not None and study.task.name == "cannon"
        assert [trial.parameters for trial in study.trials] == [trial.parameters for trial in done.study.trials]


def test_a_reward_function_asks_the_same_each_time():
    first = learn(fcps.Learner(function_problem(), "outcome", seed=SEED), EPISODES)
    assert first == learn(fcps.Learner(function_problem(), "outcome", seed=SEED), EPISODES)


def test_answers_are_those_of_the_command_line(tmp_path):
    program = built("FCPS_PROGRAM")
    with fcps.Study(tmp_path / "throw.fcps", formula_problem(), seed=SEED) as study:
        learn(study, EPISODES)
        policy = study.policy()
    contexts = {"x": [-7.5, 0.0, 3.25], "wind": [0.5, -0.25, 1.0]}
    table = tmp_path / "contexts.csv"
    table.write_text("x,wind\n" + "".join(f"{x},{wind}\n" for x, wind in zip(*contexts.values())))
    answers = subprocess.run(
        [program, "retarget", tmp_path / "throw.fcps", table], check=True, text=True, capture_output=True
    )
    lines = [line.split(",") for line in answers.stdout.splitlines()]
    ours = policy.predict(contexts)
    for name in ("turn", "speed"):
        assert [float(line[lines[0].index(name)]) for line in lines[1:]] == list(ours[name])
    assert policy(x=3.25, wind=1.0).parameters["speed"] == pytest.approx(ours["speed"][2], rel=1e-6)
