# SPDX-License-Identifier: Apache-2.0
"""Nothing leaks: memory stays flat over many handles and trials. The long form has ten thousand trials."""

import gc
import os

import fcps
from conftest import formula_problem, function_problem, learn


def resident():
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def use(problem, name):
    learner = fcps.Learner(problem, name, seed=1001)
    learn(learner, 10)
    policy = learner.policy()
    policy(x=1, wind=0)
    policy.predict({"x": [1, 2], "wind": 0})
    with fcps.Study(None, problem, learner=name, seed=1001) as study:
        learn(study, 10)
        study.rollouts()
        try:
            study.ask(x=99, wind=0)
        except fcps.BoundsError:
            pass


def test_memory_stays_flat():
    rounds = 500 if os.environ.get("FCPS_TEST_LONG") else 40
    problems = (formula_problem(), function_problem())
    for _ in range(10):
        use(problems[0], "random")
        use(problems[1], "bo-fcps")
    before = resident()
    for _ in range(rounds // 2):
        use(problems[0], "random")
        use(problems[1], "bo-fcps")
    assert resident() - before < 4e6
