# SPDX-License-Identifier: Apache-2.0
"""The worlds with limits of `fcps reproduce limits` with other packages, in the contexts and noise that fcps meets (workshop.c).

    limits.py BUILD WORLD METHOD SEED...     one JSON object per seed: forty trials from one safe trial

BUILD has the programs fcps and bench/workshop.

fcps      `fcps run limited` with its defaults, which keep all limits with a chance of 0.95
penalty   the same, with the limits written into the reward as a penalty
botorch   a GP per outcome (SingleTaskGP with Standardize); qLogExpectedImprovement of the known reward, weighed by the chance
          that the limits are kept, beyond the best trial that kept them
ax        Ax's Client, method `fast`, with outcome_constraints; only worlds without contexts
safeopt   SafeOpt on a grid, in the context of the trial; SafeOptSwarm for Hartmann-6, because a grid of six dimensions is too
          large. A GP for the reward and one for each limit, with fixed lengths and variances, because it does not fit them.
          The lengths are half the range, of contexts twice the range; the scales are those of 50 random trials without noise
          that it gets besides. If no point is safe, the safe trial is repeated. With contexts its rule is SafeUCB, because
          its search for expanders fails with them (0.16)

BoTorch and Ax begin with the safe trial and four points of a Sobol sequence, fcps and SafeOpt with the safe trial. Constraints
that fcps is told as formulas are further limits for the rivals, and count as broken. The answer of a rival is, of many
candidates and all its trials, the one with the best expected reward of those whose limits are all kept with a chance of 0.95
together (BoTorch); its own recommendation (SafeOpt); or its best trial that kept all limits (Ax).
"""
import collections
import collections.abc
import csv
import json
import logging
import math
import resource
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np

warnings.filterwarnings("ignore")
TRIALS, INITIAL, CHANCE, SAMPLES = 40, 5, 0.95, 64


class World:
    """`reward` and `limits` take rows of context, parameters and outcome; a limit is kept if its margin is not negative."""

    def __init__(self, safe, reward, limits):
        self.safe, self.reward, self.limits = safe, reward, limits


def beam_limits(c, p, y):
    return [math.log(13600) - y[..., 1], math.log(30000) - y[..., 2], math.log(0.25) - y[..., 3], y[..., 4] - math.log(6000),
            p[..., 3] - p[..., 0]]


def reducer_limits(c, p, y):
    face, module, teeth, l1, l2, d1, d2 = (p[..., i] for i in range(7))
    return [1.0 - y[..., i] for i in range(1, 7)] + [
        (40.0 - module * teeth) / 40.0, face / module - 5.0, 12.0 - face / module, l1 - 1.5 * d1 - 1.9, l2 - 1.1 * d2 - 1.9]


WORLDS = {
    "throw": World([2, 0.5], lambda c, p, y: -abs(y[..., 0] - c[..., 0]), lambda c, p, y: [1.2 - y[..., 1]]),
    "process": World([40, 0.5, 1], lambda c, p, y: y[..., 0], lambda c, p, y: [80.0 - y[..., 1]]),
    "hartmann": World([0.4, 0.3, 0.6, 0.45, 0.3, 0.4], lambda c, p, y: y[..., 0], lambda c, p, y: [y[..., 0] - 0.5]),
    "pendulum": World([45, 12], lambda c, p, y: -y[..., 0], lambda c, p, y: [0.35 - y[..., 1]]),
    "vessel": World([3, 2, 70, 100], lambda c, p, y: -y[..., 0] / 1000,
                    lambda c, p, y: [-y[..., 1], -y[..., 2], (y[..., 3] - 750.0) / 750.0]),
    "beam": World([1.5, 6, 9, 2], lambda c, p, y: -y[..., 0], beam_limits),
    "reducer": World([3.6, 0.72, 20, 7.9, 8.1, 3.7, 5.45], lambda c, p, y: -y[..., 0] / 1000, reducer_limits),
}


class Program:
    """A world in its program. Parameters are in the unit cube, contexts in their own units."""

    def __init__(self, program, name, seed):
        self.world = WORLDS[name]
        self.process = subprocess.Popen([program, "limited", str(seed), str(TRIALS), f"world={name}", "keep=nothing"],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        head = json.loads(self.process.stdout.readline())
        self.parameters = head["parameters"]
        self.low, self.high = (np.array([d[k] for d in self.parameters]) for k in ("lower", "upper"))
        self.step = np.array([d["step"] or float(d["scale"] == "integer") for d in self.parameters])
        contexts = head["target"] + head["environment"]
        self.context_low, self.context_high = (np.array([d[k] for d in contexts]) for k in ("lower", "upper"))
        self.contexts, self.evaluation = np.array(head["episodes"]), np.array(head["evaluation"])

    def context_unit(self, context):
        return (context - self.context_low) / (self.context_high - self.context_low)

    def values(self, z):
        values = self.low + np.clip(z, 0.0, 1.0) * (self.high - self.low)
        step = np.where(self.step > 0, self.step, 1.0)
        return np.where(self.step > 0, self.low + step * np.round((values - self.low) / step), values)

    def unit(self, values):
        return (np.asarray(values, float) - self.low) / (self.high - self.low)

    def run(self, trial, context, z):
        """Does a trial: its reward, outcome and margins; a negative number is without noise."""
        p = self.values(z)
        self.process.stdin.write(" ".join([str(trial), *("%.17g" % v for v in [*context, *p])]) + "\n")
        reward, *outcome = map(float, self.process.stdout.readline().split())
        y = np.array(outcome)
        assert abs(self.world.reward(context, p, y) - reward) < 1e-5 * max(1.0, abs(reward))
        return reward, y, np.array(self.world.limits(context, p, y))

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class BoTorch:
    def __init__(self, program, seed):
        import torch
        torch.manual_seed(seed)
        torch.set_num_threads(1)
        torch.set_default_dtype(torch.double)
        self.torch, self.program, self.rows, self.told = torch, program, [], []

    def add(self, context, z, reward, y, margins):
        self.rows.append(np.concatenate([self.program.context_unit(context), z]))
        self.told.append(y)

    def fit(self):
        from botorch.fit import fit_gpytorch_mll
        from botorch.models import ModelListGP, SingleTaskGP
        from botorch.models.transforms import Standardize
        from gpytorch.mlls import SumMarginalLogLikelihood
        x, y = self.torch.tensor(np.array(self.rows)), self.torch.tensor(np.array(self.told))
        self.model = ModelListGP(*(SingleTaskGP(x, y[:, i:i + 1], outcome_transform=Standardize(1)) for i in range(y.shape[1])))
        fit_gpytorch_mll(SumMarginalLogLikelihood(self.model.likelihood, self.model))

    def own_values(self, x):
        low, high = self.torch.tensor(self.program.low), self.torch.tensor(self.program.high)
        return low + x[..., -len(low):] * (high - low)

    def suggest(self, context):
        from botorch.acquisition.logei import qLogExpectedImprovement
        from botorch.acquisition.objective import GenericMCObjective
        from botorch.optim import optimize_acqf
        from botorch.sampling import SobolQMCNormalSampler
        torch, world = self.torch, self.program.world
        self.fit()
        here = torch.tensor(context)
        x, y = torch.tensor(np.array(self.rows)), torch.tensor(np.array(self.told))
        rewards = world.reward(here, self.own_values(x), y)
        kept = torch.stack([m >= 0 for m in world.limits(here, self.own_values(x), y)]).all(0)
        count = len(world.limits(here, self.own_values(x), y))
        # the last point of `X` belongs to the last but one axis of the samples
        margins = [lambda samples, k=k: -world.limits(here, self.seen, samples)[k] for k in range(count)]

        def reward(samples, X=None):
            self.seen = self.own_values(X)
            return world.reward(here, self.seen, samples)

        gain = qLogExpectedImprovement(self.model, best_f=rewards[kept].max(), objective=GenericMCObjective(reward),
                                       constraints=margins, sampler=SobolQMCNormalSampler(torch.Size([SAMPLES]), seed=0))
        width, before = x.shape[1], len(context)
        box = torch.stack([torch.zeros(width), torch.ones(width)])
        fixed = dict(enumerate(self.program.context_unit(context).tolist())) or None
        found = optimize_acqf(gain, box, q=1, fixed_features=fixed, num_restarts=4, raw_samples=128, options={"maxiter": 30})[0]
        return found[0, before:].detach().numpy()

    def answers(self, contexts):
        """Of candidates, the best expected reward of those that keep all limits with the chance, by samples."""
        torch, program = self.torch, self.program
        self.fit()
        tried = np.array(self.rows)[:, len(contexts[0]):]
        draw = np.random.default_rng(0)
        near = np.clip(np.repeat(tried, 40, 0) + 0.05 * draw.normal(size=(40 * len(tried), tried.shape[1])), 0.0, 1.0)
        some = torch.quasirandom.SobolEngine(tried.shape[1], scramble=True, seed=0).draw(2048).double().numpy()
        found = []
        for context in contexts:
            z = np.concatenate([tried, near, some])
            p = np.array([program.values(one) for one in z])
            z = program.unit(p)
            x = torch.tensor(np.hstack([np.tile(program.context_unit(context), (len(z), 1)), z]))
            with torch.no_grad():
                posterior = self.model.posterior(x, observation_noise=True)
                samples = posterior.mean + posterior.variance.sqrt() * torch.randn(256, *posterior.mean.shape)
            here, own = torch.tensor(context), torch.tensor(p)
            margins = torch.broadcast_tensors(*program.world.limits(here, own, samples))
            kept = torch.stack([m >= 0 for m in margins]).all(0).double().mean(0)
            reward = program.world.reward(here, own, samples).mean(0)
            sure = kept >= CHANCE
            best = torch.where(sure, reward, torch.tensor(-math.inf)) if bool(sure.any()) else kept
            found.append(z[int(best.argmax())])
        return found


class Ax:
    def __init__(self, program, seed):
        from ax.api.client import Client
        from ax.api.configs import RangeParameterConfig
        logging.disable(logging.WARNING)
        assert program.contexts.shape[1] == 0
        self.program, self.best = program, (-math.inf, None)
        self.names = [f"x{i}" for i in range(len(program.low))]
        self.client = Client(random_seed=seed)
        self.client.configure_experiment(
            parameters=[RangeParameterConfig(name=n, parameter_type="float", bounds=(0.0, 1.0)) for n in self.names])
        start = program.run(-1, program.contexts[0], program.unit(program.world.safe))
        self.client.configure_optimization(objective="reward",
                                           outcome_constraints=[f"m{k} >= 0" for k in range(len(start[2]))])
        self.client.configure_generation_strategy(method="fast", initialization_budget=INITIAL, initialize_with_center=False)

    def add(self, context, z, reward, y, margins):
        trial = self.client.attach_trial(parameters=dict(zip(self.names, map(float, z))))
        self.client.complete_trial(trial_index=trial, raw_data={"reward": reward, **{f"m{k}": float(m) for k, m in enumerate(margins)}})
        if (margins >= 0).all() and reward > self.best[0]:
            self.best = reward, z

    def suggest(self, context):
        (index, found), = self.client.get_next_trials(max_trials=1).items()
        self.client.mark_trial_abandoned(trial_index=index)
        return np.array([found[n] for n in self.names])

    def answers(self, contexts):
        return [self.best[1] for _ in contexts]


class SafeOpt:
    LEAST = 1e-3  # deviation of the noise, as a share of the scale

    def __init__(self, program, seed):
        self.program, self.made, self.contexts = program, None, program.contexts.shape[1]
        draw = np.random.default_rng(seed)
        trials = [program.run(-1, program.contexts[i % TRIALS], draw.uniform(size=len(program.low))) for i in range(50)]
        numbers = np.array([[t[0], *t[2]] for t in trials])
        self.scale = numbers.std(0) + 1e-9
        self.offset = np.concatenate([[numbers[:, 0].mean()], np.zeros(numbers.shape[1] - 1)])
        np.random.seed(seed)

    def add(self, context, z, reward, y, margins):
        collections.Sequence = collections.abc.Sequence  # SafeOpt is of older Pythons and numpys
        np.float, np.int, np.bool = float, int, bool
        import GPy
        import safeopt
        told = (np.array([reward, *margins]) - self.offset) / self.scale
        if self.made is not None:
            self.made.add_new_data_point(z[None, :], told[None, :], **self.here(context))
            return
        width = len(z) + self.contexts
        x = np.concatenate([z, self.program.context_unit(context)])[None, :]
        lengths = [0.5] * len(z) + [2.0] * self.contexts
        gps = [GPy.models.GPRegression(x, np.array([[v]]), GPy.kern.Matern52(width, variance=1.0, lengthscale=lengths, ARD=True),
                                       noise_var=max(self.LEAST, 0.02)**2) for v in told]
        least = [-np.inf] + [0.0] * len(margins)
        if len(z) > 4:
            self.made = safeopt.SafeOptSwarm(gps, least, bounds=[(0.0, 1.0)] * len(z), threshold=0.1)
        else:
            many = {2: 40, 3: 16, 4: 9}[len(z)]
            grid = safeopt.linearly_spaced_combinations([(0.0, 1.0)] * len(z), many)
            self.made = safeopt.SafeOpt(gps, grid, least, num_contexts=self.contexts, threshold=0.1)

    def suggest(self, context):
        try:
            return self.made.optimize(**self.here(context), ucb=self.contexts > 0)
        except EnvironmentError:  # no point of the grid is safe here
            return self.program.unit(self.program.world.safe)

    def answers(self, contexts):
        found = [self.made.get_maximum(**self.here(c)) for c in contexts]
        start = self.program.unit(self.program.world.safe)
        return [start if f is None else np.asarray(f[0])[:len(start)] for f in found]

    def here(self, context):
        return {"context": self.program.context_unit(context)} if self.contexts else {}


METHODS = {"botorch": BoTorch, "ax": Ax, "safeopt": SafeOpt}


def summary(broken, policy, policy_broken, seconds):
    return {"broken": float(np.mean(broken)), "late": float(np.mean(broken[10:])), "policy": float(np.mean(policy)),
            "policy broken": float(np.mean(policy_broken)), "seconds": seconds}


def is_broken(margins):
    return not (np.array(margins) >= -1e-9).all()


def learn(program, method, first):
    start, broken = time.process_time(), []
    for trial, context in enumerate(program.contexts):
        if trial == 0:
            z = program.unit(program.world.safe)
        elif trial < first:
            z = method.draw[trial]
        else:
            z = method.suggest(context)
        z = program.unit(program.values(z))
        reward, y, margins = program.run(trial, context, z)
        broken.append(is_broken(margins))
        method.add(context, z, reward, y, margins)
    answers = method.answers(program.evaluation)
    seconds = time.process_time() - start
    results = [program.run(-1, c, z) for c, z in zip(program.evaluation, answers)]
    return summary(broken, [r[0] for r in results], [is_broken(r[2]) for r in results], seconds)


def learn_rival(build, name, method, seed):
    program = Program(f"{build}/bench/workshop", name, seed)
    rival = METHODS[method](program, seed)
    if method != "safeopt":
        from torch.quasirandom import SobolEngine
        rival.draw = SobolEngine(len(program.low), scramble=True, seed=seed).draw(INITIAL).double().numpy()
    result = learn(program, rival, 1 if method == "safeopt" else INITIAL)
    program.close()
    return result


def judged(path, world):
    """The rewards of a table of trials, and whether they broke a limit."""
    def numbers(row, kind):
        return np.array([float(v) for k, v in row.items() if k.startswith(kind)])

    rows = list(csv.DictReader(open(path, encoding="utf-8")))
    margins = [world.limits(None, numbers(row, "parameters."), numbers(row, "outcome.")) for row in rows]
    return [float(row["reward"]) for row in rows], [is_broken(m) for m in margins]


def learn_fcps(build, name, method, seed):
    keep = "penalty" if method == "penalty" else "limits"
    with tempfile.TemporaryDirectory() as folder:
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run([f"{build}/fcps", "run", "limited", "--task-set", f"world={name}", "--task-set", f"keep={keep}", "-n",
                        str(TRIALS), "--seed", str(seed), "--learner", "outcome", "--evaluate-every=0", "--quiet", "--no-figure",
                        "--out", f"{folder}/run"], check=True, stdout=subprocess.DEVNULL)
        seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        broken = judged(f"{folder}/run/episodes.csv", WORLDS[name])[1]
        return summary(broken, *judged(f"{folder}/run/map.csv", WORLDS[name]), seconds)


def main():
    build, world, method = sys.argv[1:4]
    for seed in map(int, sys.argv[4:]):
        result = (learn_rival if method in METHODS else learn_fcps)(build, world, method, seed)
        print(json.dumps({"benchmark": "limits", "rival": method, "world": world, "seed": seed, **result}), flush=True)


main()
