# SPDX-License-Identifier: Apache-2.0
"""The whole cannon protocol with BoTorch, on the hills, targets and noise that fcps meets (shoot.c).

    learn.py SHOOT joint|composite SEED...     one JSON object per seed

joint      a GP over target and parameters -> reward, upper confidence bound, the target as fixed features
composite  outcome_model.py
Both: five shots of a Sobol sequence, then a fit from scratch and a suggestion each episode; kappa 0.5.
"""
import json
import subprocess
import sys
import time
import warnings

import numpy as np
import torch
from botorch.acquisition import PosteriorMean, UpperConfidenceBound
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.models.transforms import Standardize
from botorch.optim import optimize_acqf
from gpytorch.mlls import ExactMarginalLogLikelihood
from torch.quasirandom import SobolEngine

import outcome_model

warnings.filterwarnings("ignore")
torch.set_num_threads(1)
EPISODES, INITIAL, KAPPA = 150, 5, 0.5


class Cannon:
    def __init__(self, program, seed):
        self.process = subprocess.Popen([program, str(seed), str(EPISODES)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, bufsize=1)
        head = json.loads(self.process.stdout.readline())
        self.targets, self.grid = np.array(head["targets"]), np.array(head["grid"])

    def shoot(self, episode, z):
        self.process.stdin.write("%d %.17g %.17g %.17g\n" % (episode, *z))
        return np.array([float(v) for v in self.process.stdout.readline().split()])

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def reward(target, landing, z):
    return -np.linalg.norm(target - landing) - 0.05 * (0.1 + 4.9 * z[2]) ** 2


class Joint:
    def fit(self, targets, x, landings, rewards):
        inputs = torch.tensor(np.hstack([targets / 22 + 0.5, x]))
        model = SingleTaskGP(inputs, torch.tensor(rewards)[:, None], outcome_transform=Standardize(1))
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        return model

    def search(self, acquisition, target, restarts, samples):
        box = torch.stack([torch.zeros(5), torch.ones(5)]).double()
        fixed = {0: float(target[0] / 22 + 0.5), 1: float(target[1] / 22 + 0.5)}
        return optimize_acqf(acquisition, box, q=1, num_restarts=restarts, raw_samples=samples,
                             fixed_features=fixed)[0][0, 2:].numpy()

    def suggest(self, model, target):
        return self.search(UpperConfidenceBound(model, beta=KAPPA**2), target, 10, 512)

    def best(self, model, target):
        return self.search(PosteriorMean(model), target, 4, 256)


class Composite:
    def fit(self, targets, x, landings, rewards):
        return outcome_model.fit(x, landings)

    def suggest(self, model, target):
        return outcome_model.suggest(model, target, KAPPA)

    def best(self, model, target):
        return outcome_model.best(model, target)


def learn(program, method, seed):
    torch.manual_seed(seed)
    cannon = Cannon(program, seed)
    first = SobolEngine(3, scramble=True, seed=seed).draw(INITIAL).double().numpy()
    x, landings, rewards, seconds = [], [], [], 0.0
    for episode, target in enumerate(cannon.targets):
        start = time.process_time()
        if episode < INITIAL:
            z = first[episode]
        else:
            z = method.suggest(method.fit(cannon.targets[:episode], np.array(x), np.array(landings), np.array(rewards)), target)
        seconds += time.process_time() - start
        landing = cannon.shoot(episode, z)
        x.append(z)
        landings.append(landing)
        rewards.append(reward(target, landing, z))
    start = time.process_time()
    model = method.fit(cannon.targets, np.array(x), np.array(landings), np.array(rewards))
    parameters = [method.best(model, target) for target in cannon.grid]
    grid_seconds = time.process_time() - start
    offline = np.mean([reward(t, cannon.shoot(-1, z), z) for t, z in zip(cannon.grid, parameters)])
    cannon.close()
    total = np.cumsum(rewards)
    return {"at 50": total[49], "at 100": total[99], "at 150": total[149], "offline": float(offline), "seconds": seconds,
            "grid seconds": grid_seconds}


def main():
    program, name = sys.argv[1:3]
    method = {"joint": Joint, "composite": Composite}[name]()
    for seed in map(int, sys.argv[3:]):
        print(json.dumps({"benchmark": "learn", "rival": "botorch " + name, "seed": seed, **learn(program, method, seed)}),
              flush=True)


main()
