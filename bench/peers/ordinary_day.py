# SPDX-License-Identifier: Apache-2.0
"""The tasks of the workshop with BoTorch by its usual recipe, in the worlds, contexts, noise and mishaps that fcps meets
(workshop.c).

    ordinary_day.py WORKSHOP TASK MISHAP SEED...     one JSON object per seed

TASK is reactor, reach or dosing; MISHAP is a setting of the task, as in failures=5, typo=50 or unit=3, or `clean`.

Each outcome has a GP (SingleTaskGP with Standardize) over the environment and the parameters in the unit cube, from the
trials with an outcome. A further one has the labels 1 and 0 of trials with and without, for whatever reason. The known
reward for the target of the episode is the objective over samples of the outcomes. A suggestion maximizes
qLogExpectedImprovement beyond the best trial, scored again for that target, if the label exceeds a half; the
environment is a fixed feature. An integer is first searched like any number; then both integers beside it are tried. Five
points of a Sobol sequence come first, and more until two trials have outcomes. After the last trial, the policy
maximizes in each context of the evaluation the expected reward, in which the label is the chance of an outcome and no
outcome counts as the task says. All is taken as told: no trial is doubted.
"""
import json
import math
import subprocess
import sys
import time
import warnings

import numpy as np
import torch
from botorch.acquisition import qSimpleRegret
from botorch.acquisition.logei import qLogExpectedImprovement
from botorch.acquisition.objective import GenericMCObjective
from botorch.fit import fit_gpytorch_mll
from botorch.models import ModelListGP, SingleTaskGP
from botorch.models.transforms import Standardize
from botorch.optim import optimize_acqf
from botorch.sampling import SobolQMCNormalSampler
from gpytorch.mlls import SumMarginalLogLikelihood
from torch.quasirandom import SobolEngine

warnings.filterwarnings("ignore")
torch.set_num_threads(1)
torch.set_default_dtype(torch.double)
EPISODES, INITIAL = 60, 5
SAMPLES = 64  # of the outcomes, for an expectation
RESTARTS, STARTS, STEPS = 4, 128, 20  # a search follows the RESTARTS best of STARTS points for STEPS steps


# The rewards of trials that have an outcome, as documented by the tasks. Parameters and outcomes are in the last axis.
def reactor(target, p, y):
    return -(y[..., 0] - target[0]).abs() / 5 - (y[..., 1] - target[1]).abs() / 4 - p[..., 2] / 50


def reach(target, p, y):
    miss = ((y[..., 0] - target[0]).square() + (y[..., 1] - target[1]).square() + 1e-12).sqrt()
    return -miss - 0.02 * p.abs().sum(-1)


def dosing(target, p, y):
    return -(y[..., 0] - target[0]).abs() - (y[..., 1] - target[1]).abs() / 6 - p.sum(-1) / 200


REWARDS = {"reactor": reactor, "reach": reach, "dosing": dosing}


class Space:
    """Numbers in their own units and in the unit cube."""

    def __init__(self, dimensions):
        self.count = len(dimensions)
        self.lower = torch.tensor([d["lower"] for d in dimensions], dtype=torch.double)
        self.upper = torch.tensor([d["upper"] for d in dimensions], dtype=torch.double)
        self.is_log = torch.tensor([d["scale"] == "log" for d in dimensions])
        self.is_integer = torch.tensor([d["scale"] == "integer" for d in dimensions])
        self.low, self.high = self.bend(self.lower), self.bend(self.upper)

    def bend(self, values):
        return torch.where(self.is_log, values.clamp(min=1e-300).log(), values)

    def to_unit(self, values):
        return (self.bend(values) - self.low) / (self.high - self.low)

    def from_unit(self, z):
        bent = self.low + z * (self.high - self.low)
        values = torch.where(self.is_log, torch.where(self.is_log, bent, 0.0).exp(), bent)
        return torch.where(self.is_integer, values.detach().round(), values)


class Workshop:
    def __init__(self, program, task, seed, mishap):
        settings = [] if mishap == "clean" else [mishap]
        self.process = subprocess.Popen([program, task, str(seed), str(EPISODES), *settings], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, bufsize=1)
        head = json.loads(self.process.stdout.readline())
        self.targets = len(head["target"])
        self.environment, self.parameters = Space(head["environment"]), Space(head["parameters"])
        self.outcomes = len(head["outcome"])
        self.episodes, self.evaluation = torch.tensor(head["episodes"]), torch.tensor(head["evaluation"])
        self.failure_reward = head["failure reward"]
        unit = 10.0 ** int(mishap.removeprefix("unit=")) if mishap.startswith("unit=") else 1.0
        self.units = torch.tensor([unit] + [1.0] * (self.outcomes - 1))
        self.formula = REWARDS[task]

    def split(self, context):
        return context[:self.targets], context[self.targets:]

    def reward(self, target, parameters, outcome):
        return self.formula(target, parameters, outcome / self.units)

    def run(self, episode, context, z):
        """Reward and outcome (None: absent) of a trial; the program's reward must be that of our formula."""
        parameters = self.parameters.from_unit(z)
        numbers = [*context.tolist(), *parameters.tolist()]
        self.process.stdin.write(" ".join([str(episode), *("%.17g" % v for v in numbers)]) + "\n")
        reward, *outcome = map(float, self.process.stdout.readline().split())
        if not outcome:
            assert reward == self.failure_reward
            return reward, None
        outcome = torch.tensor(outcome)
        assert abs(float(self.reward(context[:self.targets], parameters, outcome)) - reward) < 1e-5
        return reward, outcome

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Trials:
    """The told trials: inputs (environment and parameters in the unit cube), and outcomes unless they are absent."""

    def __init__(self, workshop):
        self.workshop, self.inputs, self.outcomes = workshop, [], []

    def add(self, environment, z, outcome):
        self.inputs.append(torch.cat([self.workshop.environment.to_unit(environment), z]))
        self.outcomes.append(outcome)

    def present(self):
        """Inputs and outcomes of the trials that have one."""
        rows = [(x, y) for x, y in zip(self.inputs, self.outcomes) if y is not None]
        return torch.stack([x for x, _ in rows]), torch.stack([y for _, y in rows])

    def count_present(self):
        return sum(y is not None for y in self.outcomes)

    def labels(self):
        return torch.tensor([[0.0 if y is None else 1.0] for y in self.outcomes])


def fit(trials):
    """One GP per outcome, then the GP of the labels."""
    inputs, outcomes = trials.present()
    data = [(inputs, outcomes[:, i:i + 1]) for i in range(outcomes.shape[1])]
    data.append((torch.stack(trials.inputs), trials.labels()))
    model = ModelListGP(*(SingleTaskGP(x, y, outcome_transform=Standardize(1)) for x, y in data))
    fit_gpytorch_mll(SumMarginalLogLikelihood(model.likelihood, model))
    return model


def reward_of_samples(workshop, target):
    """The reward of samples of the outcomes; the last number of a sample is the label."""
    first = workshop.environment.count

    def reward(samples, X=None):
        return workshop.reward(target, workshop.parameters.from_unit(X[..., first:]), samples[..., :-1])

    return reward


def sampler():
    return SobolQMCNormalSampler(torch.Size([SAMPLES]), seed=0)


def search(workshop, acquisition, environment):
    """The parameters in the unit cube that maximize the acquisition in this environment."""
    parameters, first = workshop.parameters, workshop.environment.count
    box = torch.stack([torch.zeros(first + parameters.count), torch.ones(first + parameters.count)])
    fixed = dict(enumerate(workshop.environment.to_unit(environment).tolist()))
    found = optimize_acqf(acquisition, box, q=1, fixed_features=fixed, num_restarts=RESTARTS, raw_samples=STARTS,
                          options={"maxiter": STEPS})[0]
    for number in parameters.is_integer.nonzero().flatten().tolist():
        intervals = float(parameters.upper[number] - parameters.lower[number])
        found = settle(acquisition, box, fixed, found, first + number, intervals)
    return found[0, first:]


def settle(acquisition, box, fixed, found, index, intervals):
    """The better of the two integers next to the found value; the other parameters are searched again for each."""
    below = min(math.floor(intervals * float(found[0, index])), intervals - 1)
    tries = []
    for value in (below / intervals, (below + 1) / intervals):
        start = found.clone()
        start[0, index] = fixed[index] = value
        tries.append(optimize_acqf(acquisition, box, q=1, num_restarts=1, batch_initial_conditions=start[None],
                                   fixed_features=dict(fixed), options={"maxiter": STEPS}))
    return max(tries, key=lambda t: float(t[1]))[0]


def suggest(trials, model, context):
    workshop = trials.workshop
    target, environment = workshop.split(context)
    inputs, outcomes = trials.present()
    parameters = workshop.parameters.from_unit(inputs[:, workshop.environment.count:])
    acquisition = qLogExpectedImprovement(model, best_f=workshop.reward(target, parameters, outcomes).max(),
                                          objective=GenericMCObjective(reward_of_samples(workshop, target)),
                                          constraints=[lambda samples: 0.5 - samples[..., -1]], sampler=sampler())
    return search(workshop, acquisition, environment)


def best(workshop, model, context):
    """The parameters with the largest expected reward, which includes the probability of no outcome."""
    target, environment = workshop.split(context)
    reward = reward_of_samples(workshop, target)

    def expected(samples, X=None):
        chance = samples[..., -1].clamp(0.0, 1.0)
        return chance * reward(samples, X) + (1.0 - chance) * workshop.failure_reward

    return search(workshop, qSimpleRegret(model, objective=GenericMCObjective(expected), sampler=sampler()), environment)


def evaluate(workshop, model):
    """Mean reward of the policy and the share of contexts in which its trial has no outcome."""
    results = [workshop.run(-1, context, best(workshop, model, context)) for context in workshop.evaluation]
    return float(np.mean([reward for reward, _ in results])), float(np.mean([y is None for _, y in results]))


def learn(workshop, seed):
    torch.manual_seed(seed)
    sobol = SobolEngine(workshop.parameters.count, scramble=True, seed=seed)
    trials, seconds = Trials(workshop), 0.0
    for episode, context in enumerate(workshop.episodes):
        start = time.process_time()
        if episode < INITIAL or trials.count_present() < 2:
            z = sobol.draw(1).double()[0]
        else:
            z = suggest(trials, fit(trials), context)
        z = workshop.parameters.to_unit(workshop.parameters.from_unit(z))  # of an integer, what is executed
        seconds += time.process_time() - start
        trials.add(workshop.split(context)[1], z, workshop.run(episode, context, z)[1])
    start = time.process_time()
    offline, fallen = evaluate(workshop, fit(trials))
    return {"offline": offline, "fallen": fallen, "failed trials": EPISODES - trials.count_present(), "seconds": seconds,
            "policy seconds": time.process_time() - start}


def main():
    program, task, mishap = sys.argv[1:4]
    for seed in map(int, sys.argv[4:]):
        workshop = Workshop(program, task, seed, mishap)
        result = learn(workshop, seed)
        workshop.close()
        print(json.dumps({"benchmark": "ordinary-day", "rival": "botorch", "task": task, "mishap": mishap, "seed": seed,
                          **result}), flush=True)


main()
