# SPDX-License-Identifier: Apache-2.0
"""What the tests of the Python package share: a small throw, as formulas and as functions."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import contextmanager

import fcps
import numpy as np
import pytest

SPACES = {
    "target": {"x": (-8, 8)},
    "environment": {"wind": (-1, 1)},
    "parameters": {"turn": fcps.Angle(0, 360, unit="deg"), "speed": (1, 10)},
    "outcome": ["land", "height"],
}
REWARD = "-abs(land - x) - 0.01*speed^2"


def formula_problem(**changes):
    return fcps.Problem(**{**SPACES, "reward": REWARD, "achieved": {"x": "land"}, **changes})


def reward(target, environment, parameters, outcome):
    return -abs(outcome["land"] - target["x"]) - 0.01 * parameters["speed"] ** 2


def achieved(environment, outcome):
    return {"x": outcome["land"]}


def function_problem(**changes):
    return fcps.Problem(**{**SPACES, "reward": reward, "achieved": achieved, **changes})


def throw(trial):
    """Where it lands, without any function of the mathematical library: the same bits in every language."""
    turn, speed = trial.parameters["turn"], trial.parameters["speed"]
    side = (turn - 180) / 180
    return {
        "land": speed * side * (2 - abs(side)) * 0.8 + 0.5 * trial.environment["wind"],
        "height": 0.05 * speed * speed,
    }


def context(i):
    """The context of trial i: irregular, but the same for everybody."""
    return {"x": (i * 5 % 17) - 8.0, "wind": (i * 3 % 11) / 5.0 - 1.0}


def learn(learner, episodes, first=0):
    """Asks and tells; the parameters that were asked."""
    asked = []
    for i in range(first, first + episodes):
        trial = learner.ask(**context(i))
        learner.tell(trial, throw(trial))
        asked.append(tuple(trial.parameters.values()))
    return asked


@pytest.fixture(autouse=True, scope="session")
def interrupts():
    """Ctrl-C as usual: a shell lets the commands that it starts in the background ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def problem():
    return formula_problem()


@pytest.fixture
def study(problem):
    with fcps.Study(None, problem, seed=1001) as study:
        yield study


@pytest.fixture
def told(problem):
    """A study in memory with twelve results."""
    with fcps.Study(None, problem, seed=1001) as study:
        learn(study, 12)
        yield study


def built(name):
    """A program of the build that the tests are given; without one (an installed wheel) the test is skipped."""
    path = os.environ.get(name)
    if not path or not os.path.exists(path):
        pytest.skip(f"{name} names no program: this test needs a build tree")
    return path


def same(first, second):
    return np.array_equal(np.asarray(first), np.asarray(second), equal_nan=True)


@contextmanager
def served_at(folder, monkeypatch, problem):
    """The address of a new study of a problem behind fcps serve."""
    program = built("FCPS_PROGRAM")
    monkeypatch.setenv("FCPS_TOKEN_FILE", str(folder / "token"))
    fcps.Study(folder / "throw.fcps", problem, seed=1001).close()
    server = subprocess.Popen(
        [program, "serve", folder / "throw.fcps"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    line = server.stdout.readline().strip()
    if not line:
        words = server.communicate()[1]
        pytest.skip(words) if "libevent" in words else pytest.fail(words)
    try:
        yield line.replace("/#", "/throw#")
    finally:
        server.terminate()
        server.communicate(timeout=30)
