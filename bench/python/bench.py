#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the border to Python costs: bench.py BENCH_PYTHON [RUNS] (the program of bench_python.c). Times of asks are
processor time. A run has the same asks each time, so each ask has the least of its times over all runs (nine), and the
means of twenty asks are compared; runs of C and Python take turns. So a busy machine must disturb the same ask in every
run to change a number.

- an ask and a tell at N = 150, in C and in Python, for formulas and for functions;
- a reward function of 10,000 rows, alone and called by the library's door;
- two threads with a learner each; the time of an import.
"""

import subprocess
import sys
import tempfile
import threading
import time

import fcps
import numpy as np

EPISODES, LAST, RUNS = 150, 20, 9
SPACES = {
    "target": {"x": (-8, 8), "y": (-8, 8)},
    "environment": {"wind": (-1, 1)},
    "parameters": {"turn": fcps.Angle(0, 360), "speed": (1, 10)},
    "outcome": ["land_x", "land_y"],
}
FORMULA = "-hypot(land_x - x, land_y - y) - 0.01*speed^2"


def reward(target, environment, parameters, outcome):
    return -np.hypot(outcome["land_x"] - target["x"], outcome["land_y"] - target["y"]) - 0.01 * parameters["speed"] ** 2


def learn(problem, learner, episodes=EPISODES):
    """Microseconds of processor time of each of the last asks and tells."""
    handle = fcps.Learner(problem, learner, seed=1001)
    times = []
    for i in range(episodes):
        context = (i * 5 % 17 - 8.0, i * 7 % 17 - 8.0, (i * 3 % 11) / 5.0 - 1.0)
        begin = time.thread_time()
        trial = handle.ask(context)
        asked = time.thread_time()
        turn, speed = trial.parameters["turn"] * 0.017453292519943295, trial.parameters["speed"]
        reach = speed * speed / 9.81
        outcome = (reach * np.cos(turn) + 0.5 * context[2], reach * np.sin(turn))
        told = time.thread_time()
        handle.tell(trial, outcome)
        times.append(asked - begin + time.thread_time() - told)
    return [1e6 * one for one in times[-LAST:]]


def in_c(program, yaml, learner, kind):
    command = [program, yaml, learner, kind, str(EPISODES)]
    return [float(line) for line in subprocess.run(command, check=True, text=True, capture_output=True).stdout.split()]


def by_turns(runs, *measures):
    """For each measure the mean over its asks of the shortest time of each ask."""
    found = [[measure() for measure in measures] for _ in range(runs)]
    return [sum(map(min, zip(*times))) / LAST for times in zip(*found)]


def rows_of_a_batch():
    """Microseconds of a reward function with 10,000 rows: called directly, and called by fcps."""
    from fcps._fcps import ffi, lib
    from fcps._host import Host

    rows, random = 10_000, np.random.default_rng(1)
    problem = fcps.Problem(**SPACES, reward=reward)
    host = Host(problem)
    arrays = [
        random.normal(size=(1, 2)),
        random.normal(size=(rows, 1)),
        random.normal(size=(rows, 2)),
        random.normal(size=(rows, 2)),
    ]
    present, rewards = np.ones(rows, bool), np.empty(rows)
    pointers = [ffi.from_buffer("double[]", array) for array in arrays]
    columns = {"land_x": arrays[3][:, 0].copy(), "land_y": arrays[3][:, 1].copy()}
    given = ({"x": 0.5, "y": 0.5}, {}, {"speed": arrays[2][:, 1].copy()}, columns)
    native = problem._native(host)

    def alone():
        begin = time.perf_counter()
        reward(*given)
        return 1e6 * (time.perf_counter() - begin)

    def through():
        begin = time.perf_counter()
        assert (
            native.c.reward(
                host.user, rows, *pointers, ffi.from_buffer("bool[]", present), ffi.from_buffer("double[]", rewards)
            )
            == lib.FCPS_OK
        )
        return 1e6 * (time.perf_counter() - begin)

    return min(alone() for _ in range(200)), min(through() for _ in range(200))


def two_threads(problem, learner):
    """How much more two threads do than one, by the clock; only meaningful on an idle machine."""

    def work():
        learn(problem, learner)

    begin = time.perf_counter()
    work()
    single = time.perf_counter() - begin
    threads = [threading.Thread(target=work) for _ in range(2)]
    begin = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return 2 * single / (time.perf_counter() - begin)


def main():
    program, runs = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else RUNS
    formula, function = fcps.Problem(**SPACES, reward=FORMULA), fcps.Problem(**SPACES, reward=reward)
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as yaml:
        yaml.write(formula.to_yaml())
        yaml.flush()
        print(f"{'ask and tell at N = 150, us':32} {'C':>8} {'Python':>8} {'more':>8} {'ratio':>6}")
        for learner in ("random", "bo-fcps", "outcome"):
            for kind, problem in (("formula", formula), ("function", function)):
                c, python = by_turns(
                    runs,
                    lambda: in_c(program, yaml.name, learner, kind),
                    lambda: learn(problem, learner),
                )
                print(
                    f"{learner + ', ' + kind:32} {c:8.1f} {python:8.1f} {python - c:8.1f} {python / c:6.2f}", flush=True
                )
    alone, through = rows_of_a_batch()
    print(
        f"reward of 10,000 rows: {alone:.0f} us alone, {through:.0f} us through the door, ratio {through / alone:.2f}"
    )
    for learner in ("bo-fcps", "outcome"):
        print(
            f"two threads with {learner}, formula: {max(two_threads(formula, learner) for _ in range(3)):.2f} times one"
        )
    code = (
        "import time, numpy; begin = time.process_time(); import fcps; end = time.process_time(); "
        "print(1e3 * (end - begin), 1e3 * end)"
    )
    times = [
        subprocess.run([sys.executable, "-c", code], check=True, text=True, capture_output=True).stdout.split()
        for _ in range(5)
    ]
    ours, whole = (min(float(row[i]) for row in times) for i in range(2))
    print(f"import: {ours:.0f} ms after NumPy, {whole:.0f} ms with it and with Python's start")


main()
