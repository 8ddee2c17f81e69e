# SPDX-License-Identifier: Apache-2.0
"""The cannon that loses powder (bench/bench_drift.c) with the time-dependent generator of Xopt.

    drift.py BENCH_DRIFT FIRST LAST SHOTS LOSS      cumulative reward of each seed, their mean and standard error

The generator learns the reward over the target, the parameters and the number of the shot, which is its time: each shot is asked
for the time of that shot, in the context of its target. The first ten shots are random. All other settings are the package's defaults.
"""
import math
import random
import statistics
import subprocess
import sys
import warnings

import pandas as pd

warnings.filterwarnings("ignore")
import torch
from botorch.acquisition import FixedFeatureAcquisitionFunction
from xopt import VOCS
from xopt.generators.bayesian.bayesian_generator import BayesianGenerator
from xopt.generators.bayesian.upper_confidence_bound import TDUpperConfidenceBoundGenerator

FIRST_SHOTS = 10
BOUNDS = {"turn": (0.0, 2 * math.pi), "tilt": (0.01, math.pi / 2 - 0.2), "speed": (0.1, 5.0)}
REACH = 11.0
torch.set_num_threads(1)


class Generator(TDUpperConfidenceBoundGenerator):
    """Asks for the time that it was given instead of that of the clock, and in a context: the package has either a time or
    fixed features."""

    def generate(self, n_candidates):
        return BayesianGenerator.generate(self, n_candidates)

    def _apply_fixed_features_and_contextual_variables(self, acq):
        return acq

    def get_acquisition(self, model):
        columns = [self.model_input_names.index(name) for name in self.fixed_features]
        values = torch.tensor(list(self.fixed_features.values()), **self.tkwargs)
        return FixedFeatureAcquisitionFunction(super().get_acquisition(model), self.vocs.n_variables, columns, values)


def shoot(process, shot, parameters):
    process.stdin.write(f"{shot} {parameters['turn']!r} {parameters['tilt']!r} {parameters['speed']!r}\n")
    process.stdin.flush()
    return tuple(map(float, process.stdout.readline().split()))


def run(program, seed, shots, loss):
    torch.manual_seed(seed)
    draw = random.Random(seed)
    process = subprocess.Popen([program, "rival", str(seed), str(shots), str(loss)], text=True,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    numbers = list(map(float, process.stdout.readline().split()))
    targets = list(zip(numbers[::2], numbers[1::2]))
    vocs = VOCS(variables={**{name: list(b) for name, b in BOUNDS.items()}, "x": [-REACH, REACH], "y": [-REACH, REACH]},
                objectives={"reward": "MAXIMIZE"})
    generator, total = Generator(vocs=vocs), 0.0
    for shot in range(shots):
        x, y = targets[shot]
        if shot < FIRST_SHOTS:
            parameters = {name: draw.uniform(*b) for name, b in BOUNDS.items()}
        else:
            generator.target_prediction_time = shot + 1.0
            generator.fixed_features = {"x": x, "y": y}
            parameters = {name: float(generator.generate(1)[0][name]) for name in BOUNDS}
        landing = shoot(process, shot, parameters)
        reward = -math.hypot(landing[0] - x, landing[1] - y) - 0.05 * parameters["speed"] ** 2
        total += reward
        generator.add_data(pd.DataFrame([{**parameters, "x": x, "y": y, "reward": reward, "time": shot + 1.0}]))
    process.stdin.close()
    process.wait()
    return total


def main():
    program, first, last, shots, loss = sys.argv[1], *map(int, sys.argv[2:5]), float(sys.argv[5])
    totals = []
    for seed in range(first, last + 1):
        totals.append(run(program, seed, shots, loss))
        print(seed, f"{totals[-1]:.2f}", flush=True)
    error = statistics.stdev(totals) / math.sqrt(len(totals)) if len(totals) > 1 else math.nan
    print(f"{statistics.mean(totals):.1f} +- {error:.1f}")


if __name__ == "__main__":
    main()
