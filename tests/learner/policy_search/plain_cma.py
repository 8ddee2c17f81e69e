# SPDX-License-Identifier: Apache-2.0
"""Median evaluations that PyPI's cma needs on the functions of plain_functions.h, one line each.

It is taken from .deps/cma, where `scripts/setup --full` puts it, or from what Python has. Exit code 77 where it is not
installed."""

import pathlib
import statistics
import sys
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / ".deps" / "cma"))

try:
    warnings.simplefilter("ignore")
    import cma
except ImportError:
    sys.exit(77)

SIZE = 5


def sphere(x):
    return sum((v - 1.5) ** 2 for v in x)


def ellipsoid(x):
    return sum(1e4 ** (i / (SIZE - 1)) * (v - 1.5) ** 2 for i, v in enumerate(x))


def rosenbrock(x):
    return sum(100 * (x[i + 1] - x[i] ** 2) ** 2 + (1 - x[i]) ** 2 for i in range(SIZE - 1))


def evaluations(function, seed, goal, most):
    options = {"seed": seed, "verbose": -9, "CMA_active": False, "tolfun": 0, "tolx": 0, "tolfunhist": 0}
    strategy = cma.CMAEvolutionStrategy(SIZE * [0.0], 1.5, options)
    made = 0
    while made < most:
        points = strategy.ask()
        values = []
        for point in points:
            made += 1
            values.append(function(point))
            if values[-1] <= goal or made == most:
                return made
        strategy.tell(points, values)
    return most


for function in (sphere, ellipsoid, rosenbrock):
    print(statistics.median(evaluations(function, seed, 1e-8, 6000) for seed in range(1, 12)))
