# SPDX-License-Identifier: Apache-2.0
"""The test functions of bench_lab with other packages, on the contexts and noise that fcps meets (lab_problem.c).

    lab.py FOLDER NAME METHOD SEED...     one JSON object per seed: what the policy earns after 60 trials

FOLDER has the programs lab_problem and bench_lab.

fcps       what bench_lab prints

composite  BoTorch: a GP for each outcome (SingleTaskGP with Standardize) over environment and parameters, the formula of the
           reward over 64 samples as objective; trials by the upper confidence bound with kappa 0.5, as for the cannon;
           answers by the expected reward
plain      BoTorch: a GP of the told reward over target, environment and parameters; the same two rules
ax         Ax's Client, method `fast`; contexts by `fixed_parameters`, among the parameters; answers by the predicted mean,
           the best of 256 points of a Sobol sequence and of all trials
optuna     GPSampler, which knows no contexts: it learns the reward over the parameters; the answer is its best trial

All: five points of a Sobol sequence first, then a fit from scratch for each trial. Steps and whole numbers are searched as
numbers and rounded before they are tried.
"""
import json
import logging
import os
import re
import subprocess
import sys
import time
import warnings

import numpy as np
import torch
from torch.quasirandom import SobolEngine

warnings.filterwarnings("ignore")
torch.set_num_threads(1)
torch.set_default_dtype(torch.double)
TRIALS, INITIAL, KAPPA, SAMPLES = 60, 5, 0.5, 64
SEARCH = {"num_restarts": 4, "raw_samples": 128, "options": {"maxiter": 40}}


class Space:
    """Converts between values in their own units and in the unit cube, on their steps."""

    def __init__(self, dimensions):
        self.count, self.names = len(dimensions), [d["name"] for d in dimensions]
        self.lower = torch.tensor([d["lower"] for d in dimensions], dtype=torch.double)
        self.upper = torch.tensor([d["upper"] for d in dimensions], dtype=torch.double)
        self.step = torch.tensor([d["step"] or float(d["scale"] == "integer") for d in dimensions], dtype=torch.double)
        self.is_log = torch.tensor([d["scale"] == "log" for d in dimensions], dtype=torch.bool)

    def bend(self, values):
        return torch.where(self.is_log, values.clamp(min=1e-300).log(), values)

    def to_unit(self, values):
        low, high = self.bend(self.lower), self.bend(self.upper)
        return (self.bend(values) - low) / (high - low)

    def from_unit(self, z):
        low, high = self.bend(self.lower), self.bend(self.upper)
        bent = low + z.clamp(0.0, 1.0) * (high - low)
        return torch.where(self.is_log, torch.where(self.is_log, bent, torch.zeros_like(bent)).exp(), bent)

    def settle(self, z):
        """The point of the unit cube that is really tried: on its steps."""
        values = self.from_unit(z)
        step = torch.where(self.step > 0, self.step, torch.ones_like(self.step))
        return self.to_unit(torch.where(self.step > 0, self.lower + step * ((values - self.lower) / step).round(), values))


def joined(pick):
    """min or max of numbers and tensors."""
    def of(first, *others):
        for other in others:
            first = pick(torch.as_tensor(first), torch.as_tensor(other))
        return first
    return of


FUNCTIONS = {"min": joined(torch.minimum), "max": joined(torch.maximum), "abs": abs, "log10": torch.log10,
             "__builtins__": {}}


class Problem:
    def __init__(self, program, name, seed):
        self.process = subprocess.Popen([program, name, str(seed), str(TRIALS)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, bufsize=1)
        head = json.loads(self.process.stdout.readline())
        self.target, self.environment, self.parameters = (Space(head[s]) for s in ("target", "environment", "parameters"))
        self.outcomes = [d["name"] for d in head["outcome"]]
        self.trials, self.evaluation = torch.tensor(head["trials"]), torch.tensor(head["evaluation"])
        formula = re.search(r"reward: (.*)", head["text"])[1].replace("^", "**")
        achieved = re.search(r"achieved: {(.*)}", head["text"])
        if achieved:
            gaps = [f"({pair.replace(':', ' -')})**2" for pair in achieved[1].split(",")]
            formula = formula.replace("distance", f"({' + '.join(gaps)} + 1e-12)**0.5")
        self.code = compile(formula, name, "eval")

    def split(self, context):
        return context[:self.target.count], context[self.target.count:]

    def reward(self, context, parameters, outcome):
        target, environment = self.split(context)
        names = {**dict(zip(self.target.names, target)), **dict(zip(self.environment.names, environment)),
                 **{n: parameters[..., i] for i, n in enumerate(self.parameters.names)},
                 **{n: outcome[..., i] for i, n in enumerate(self.outcomes)}}
        return eval(self.code, FUNCTIONS, names)

    def run(self, trial, context, z):
        """Makes a trial: reward and outcome. Checks the program's reward against our formula."""
        parameters = self.parameters.from_unit(z)
        numbers = [*context.tolist(), *parameters.tolist()]
        self.process.stdin.write(" ".join([str(trial), *("%.17g" % v for v in numbers)]) + "\n")
        reward, *outcome = map(float, self.process.stdout.readline().split())
        outcome = torch.tensor(outcome)
        ours = float(self.reward(context, parameters, outcome))
        assert abs(ours - reward) < 1e-5 * max(1.0, abs(reward)), (ours, reward)
        return reward, outcome

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def inputs_of(problem, context, z, with_target):
    target, environment = problem.split(context)
    before = [problem.target.to_unit(target)] if with_target else []
    return torch.cat([*before, problem.environment.to_unit(environment), z])


class BoTorch:
    """`knows`: the model predicts outcomes and the formula is the objective; otherwise the model predicts the reward."""

    def __init__(self, problem, knows):
        self.problem, self.knows, self.rows, self.told = problem, knows, [], []

    def add(self, context, z, reward, outcome):
        self.rows.append(inputs_of(self.problem, context, z, not self.knows))
        self.told.append(outcome if self.knows else torch.tensor([reward]))

    def fit(self):
        from botorch.fit import fit_gpytorch_mll
        from botorch.models import ModelListGP, SingleTaskGP
        from botorch.models.transforms import Standardize
        from gpytorch.mlls import SumMarginalLogLikelihood
        inputs, told = torch.stack(self.rows), torch.stack(self.told)
        self.model = ModelListGP(*(SingleTaskGP(inputs, told[:, i:i + 1], outcome_transform=Standardize(1))
                                   for i in range(told.shape[1])))
        fit_gpytorch_mll(SumMarginalLogLikelihood(self.model.likelihood, self.model))

    def search(self, acquisition, context):
        from botorch.optim import optimize_acqf
        width, n = self.rows[0].numel(), self.problem.parameters.count
        before = inputs_of(self.problem, context, torch.zeros(n), not self.knows)[:width - n]
        box = torch.stack([torch.zeros(width), torch.ones(width)])
        found = optimize_acqf(acquisition, box, q=1, fixed_features=dict(enumerate(before.tolist())) or None, **SEARCH)[0]
        return self.problem.parameters.settle(found[0, width - n:])

    def objective(self, context):
        from botorch.acquisition.objective import GenericMCObjective
        n = self.problem.parameters.count

        def reward(samples, X=None):
            if not self.knows:
                return samples[..., 0]
            return self.problem.reward(context, self.problem.parameters.from_unit(X[..., -n:]), samples)

        return GenericMCObjective(reward)

    def sampler(self):
        from botorch.sampling import SobolQMCNormalSampler
        return SobolQMCNormalSampler(torch.Size([SAMPLES]), seed=0)

    def suggest(self, context):
        from botorch.acquisition import qUpperConfidenceBound
        self.fit()
        return self.search(qUpperConfidenceBound(self.model, beta=KAPPA**2, objective=self.objective(context),
                                                 sampler=self.sampler()), context)

    def answers(self, contexts):
        from botorch.acquisition import qSimpleRegret
        self.fit()
        return [self.search(qSimpleRegret(self.model, objective=self.objective(c), sampler=self.sampler()), c)
                for c in contexts]


class Ax:
    def __init__(self, problem, seed):
        from ax.api.client import Client
        from ax.api.configs import RangeParameterConfig
        logging.disable(logging.WARNING)
        self.problem = problem
        width = problem.target.count + problem.environment.count + problem.parameters.count
        self.names, self.before = [f"x{i}" for i in range(width)], width - problem.parameters.count
        self.client, self.points = Client(random_seed=seed), []
        self.client.configure_experiment(
            parameters=[RangeParameterConfig(name=n, parameter_type="float", bounds=(0.0, 1.0)) for n in self.names])
        self.client.configure_optimization(objective="reward")
        self.client.configure_generation_strategy(method="fast", initialization_budget=INITIAL, initialize_with_center=False)

    def add(self, context, z, reward, outcome):
        row = inputs_of(self.problem, context, z, True).tolist()
        self.points.append(row[self.before:])
        trial = self.client.attach_trial(parameters=dict(zip(self.names, row)))
        self.client.complete_trial(trial_index=trial, raw_data={"reward": reward})

    def fixed(self, context):
        return dict(zip(self.names, inputs_of(self.problem, context, torch.zeros(0), True).tolist()))

    def suggest(self, context):
        fixed = self.fixed(context)
        # what is only proposed is taken back: what is tried, on its step, is attached
        (index, found), = self.client.get_next_trials(max_trials=1, **({"fixed_parameters": fixed} if fixed else {})).items()
        self.client.mark_trial_abandoned(trial_index=index)
        return self.problem.parameters.settle(torch.tensor([found[n] for n in self.names[self.before:]]))

    def answers(self, contexts):
        n = self.problem.parameters.count
        drawn = SobolEngine(n, scramble=True, seed=0).draw(256).double().tolist()
        points = [self.problem.parameters.settle(torch.tensor(p)) for p in self.points + drawn]
        found = []
        for context in contexts:
            fixed = self.fixed(context)
            said = self.client.predict([{**fixed, **dict(zip(self.names[self.before:], p.tolist()))} for p in points])
            found.append(points[int(np.argmax([s["reward"][0] for s in said]))])
        return found


class Optuna:
    def __init__(self, problem, seed):
        import optuna
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self.problem, self.optuna = problem, optuna
        self.space = {f"x{i}": optuna.distributions.FloatDistribution(0, 1) for i in range(problem.parameters.count)}
        self.study = optuna.create_study(direction="maximize",
                                         sampler=optuna.samplers.GPSampler(seed=seed, n_startup_trials=INITIAL))

    def add(self, context, z, reward, outcome):
        self.study.add_trial(self.optuna.trial.create_trial(params=dict(zip(self.space, z.tolist())),
                                                            distributions=self.space, value=reward))

    def suggest(self, context):
        trial = self.study.ask(self.space)
        z = self.problem.parameters.settle(torch.tensor([trial.params[n] for n in self.space]))
        self.study.tell(trial, state=self.optuna.trial.TrialState.FAIL)
        return z

    def answers(self, contexts):
        best = torch.tensor([self.study.best_params[n] for n in self.space])
        return [best for _ in contexts]


METHODS = {"composite": lambda problem, seed: BoTorch(problem, True), "plain": lambda problem, seed: BoTorch(problem, False),
           "ax": Ax, "optuna": Optuna}


def learn(problem, method, seed):
    torch.manual_seed(seed)
    first = SobolEngine(problem.parameters.count, scramble=True, seed=seed).draw(INITIAL).double()
    start = time.process_time()
    for trial, context in enumerate(problem.trials):
        z = problem.parameters.settle(first[trial]) if trial < INITIAL else method.suggest(context)
        method.add(context, z, *problem.run(trial, context, z))
    answers = method.answers(problem.evaluation)
    seconds = time.process_time() - start
    earned = [problem.run(-1, c, z)[0] for c, z in zip(problem.evaluation, answers)]
    return {"policy": float(np.mean(earned)), "seconds": seconds}


def learn_fcps(folder, name, seed):
    text = subprocess.run([f"{folder}/bench_lab", "--only", name, "--trials", str(TRIALS), "--seeds", str(seed), str(seed)],
                          env={**os.environ, "FCPS_BENCH_SEEDS": "1"}, stdout=subprocess.PIPE, text=True, check=True).stdout
    return {"policy": float(re.search(rf"{name} seed {seed}: (\S+)", text)[1])}


def learn_rival(folder, name, method, seed):
    problem = Problem(f"{folder}/lab_problem", name, seed)
    result = learn(problem, METHODS[method](problem, seed), seed)
    problem.close()
    return result


def main():
    folder, name, method = sys.argv[1:4]
    for seed in map(int, sys.argv[4:]):
        result = learn_fcps(folder, name, seed) if method == "fcps" else learn_rival(folder, name, method, seed)
        print(json.dumps({"benchmark": "lab", "rival": method, "problem": name, "seed": seed, **result}), flush=True)


main()
