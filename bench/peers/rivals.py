# SPDX-License-Identifier: Apache-2.0
"""Processor seconds that other packages need for one suggestion, on the shots of write_shots (CSV on stdin).

    rivals.py [--quick] NAME...        one JSON object per line: rival, contexts, N, median and spread in milliseconds

Each rival is a function: inputs in the unit cube (rows), rewards (or landings), the fixed context (or None) -> a function
that makes one suggestion. Settings are the package's defaults, or its usual recipe if it has none: docs/lab/benchmarks.md.
"""
import csv
import json
import statistics
import sys
import time
import warnings

import numpy as np

warnings.filterwarnings("ignore")
KAPPA = 0.5
SIZES = (20, 50, 150, 500, 1000)
REPEATS = 5
if "--quick" in sys.argv:
    sys.argv.remove("--quick")
    SIZES = (20, 150)


def botorch(x, y, context):
    import torch
    from botorch.acquisition import UpperConfidenceBound
    from botorch.fit import fit_gpytorch_mll
    from botorch.models import SingleTaskGP
    from botorch.models.transforms import Standardize
    from botorch.optim import optimize_acqf
    from gpytorch.mlls import ExactMarginalLogLikelihood

    torch.set_num_threads(1)
    inputs, outputs = torch.tensor(x, dtype=torch.double), torch.tensor(y, dtype=torch.double)[:, None]
    box = torch.stack([torch.zeros(x.shape[1]), torch.ones(x.shape[1])]).double()
    fixed = None if context is None else dict(enumerate(map(float, context)))

    def suggest():
        model = SingleTaskGP(inputs, outputs, outcome_transform=Standardize(1))
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        return optimize_acqf(UpperConfidenceBound(model, beta=KAPPA**2), box, q=1, num_restarts=10, raw_samples=512,
                             fixed_features=fixed)

    return suggest


def composite(x, landings, target):
    import outcome_model

    return lambda: outcome_model.suggest(outcome_model.fit(x, landings), target, KAPPA)


def ax(x, y, context):
    import logging

    import torch
    from ax.api.client import Client
    from ax.api.configs import RangeParameterConfig

    torch.set_num_threads(1)
    logging.disable(logging.WARNING)
    names = [f"x{i}" for i in range(x.shape[1])]
    client = Client(random_seed=0)
    client.configure_experiment(
        parameters=[RangeParameterConfig(name=n, parameter_type="float", bounds=(0.0, 1.0)) for n in names])
    client.configure_optimization(objective="reward")
    client.configure_generation_strategy(method="fast", initialize_with_center=False)
    for row, value in zip(x, y):
        trial = client.attach_trial(parameters=dict(zip(names, map(float, row))))
        client.complete_trial(trial_index=trial, raw_data={"reward": float(value)})
    fixed = {} if context is None else {"fixed_parameters": dict(zip(names, map(float, context)))}
    return lambda: client.get_next_trials(max_trials=1, **fixed)


def optuna(x, y, context):
    import optuna as o
    import torch

    if context is not None:
        return None  # no context for one suggestion
    torch.set_num_threads(1)
    o.logging.set_verbosity(o.logging.ERROR)
    space = {f"x{i}": o.distributions.FloatDistribution(0, 1) for i in range(x.shape[1])}
    study = o.create_study(direction="maximize", sampler=o.samplers.GPSampler(seed=0))
    for row, value in zip(x, y):
        study.add_trial(o.trial.create_trial(params=dict(zip(space, map(float, row))), distributions=space,
                                             value=float(value)))
    return lambda: study.ask(space)


def scikit_learn(x, y, context):
    """As in the code of the paper's authors: maximum likelihood, DIRECT with 100 evaluations, L-BFGS-B with differences."""
    import nlopt
    from scipy.optimize import minimize
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel

    before = [] if context is None else list(context)
    free = x.shape[1] - len(before)

    def suggest():
        kernel = ConstantKernel(1.0, (1e-2, 1e4)) * RBF(np.full(x.shape[1], 0.3), (0.03, 100))
        gp = GaussianProcessRegressor(kernel, alpha=1e-3, normalize_y=True, n_restarts_optimizer=1, random_state=0)
        gp.fit(x, y)

        def cost(z, _gradient=None):
            mean, deviation = gp.predict(np.concatenate([before, z])[None], return_std=True)
            return float(-mean[0] - KAPPA * deviation[0])

        direct = nlopt.opt(nlopt.GN_DIRECT_L_RAND, free)
        direct.set_min_objective(cost)
        direct.set_lower_bounds(0.0)
        direct.set_upper_bounds(1.0)
        direct.set_maxeval(100)
        return minimize(cost, direct.optimize(np.full(free, 0.5)), method="L-BFGS-B", bounds=[(0, 1)] * free)

    return suggest


def bayes_opt(x, y, context):
    from bayes_opt import BayesianOptimization
    from bayes_opt.acquisition import UpperConfidenceBound

    if context is not None:
        return None
    names = [f"x{i}" for i in range(x.shape[1])]
    optimizer = BayesianOptimization(None, {n: (0, 1) for n in names}, random_state=0, verbose=0,
                                     acquisition_function=UpperConfidenceBound(kappa=KAPPA),
                                     allow_duplicate_points=True)
    for row, value in zip(x, y):
        optimizer.register(dict(zip(names, map(float, row))), float(value))
    return optimizer.suggest


def emukit(x, y, context):
    import GPy
    from emukit.bayesian_optimization.acquisitions import NegativeLowerConfidenceBound
    from emukit.core import ContinuousParameter, ParameterSpace
    from emukit.core.optimization import GradientAcquisitionOptimizer
    from emukit.model_wrappers import GPyModelWrapper

    names = [f"x{i}" for i in range(x.shape[1])]
    space = ParameterSpace([ContinuousParameter(n, 0, 1) for n in names])
    costs = -((y - y.mean()) / y.std())[:, None]
    fixed = None if context is None else dict(zip(names, map(float, context)))

    def suggest():
        model = GPyModelWrapper(GPy.models.GPRegression(x, costs, GPy.kern.Matern52(x.shape[1], ARD=True)), n_restarts=1)
        model.optimize()
        return GradientAcquisitionOptimizer(space).optimize(NegativeLowerConfidenceBound(model, beta=KAPPA), context=fixed)

    return suggest


RIVALS = {f.__name__: f for f in (botorch, composite, ax, optuna, scikit_learn, bayes_opt, emukit)}


def question(shots, rival, contexts, n, repeat):
    """The data that a rival sees: without contexts rewards are scored again for one target; with them it is an input."""
    targets, x, landings, rewards = shots[:n, :2], shots[:n, 2:5], shots[:n, 5:7], shots[:n, 7]
    wanted = shots[-1 - repeat, :2]
    if rival is composite:
        return x, landings, wanted
    if contexts == 0:
        speed = 0.1 + 4.9 * x[:, 2]
        return x, -np.linalg.norm(wanted - landings, axis=1) - 0.05 * speed**2, None
    return np.hstack([targets / 22 + 0.5, x]), rewards, wanted / 22 + 0.5


def measure(shots, rival, contexts, n):
    seconds = []
    for repeat in range(REPEATS if n <= 150 else 2):
        suggest = rival(*question(shots, rival, contexts, n, repeat))
        if suggest is None:
            return None
        start = time.process_time()
        suggest()
        seconds.append(time.process_time() - start)
    return seconds


def main():
    shots = np.array([[float(v) for v in row] for row in list(csv.reader(sys.stdin))[1:]])
    for name in sys.argv[1:]:
        rival = RIVALS[name]
        for contexts in (0,) if rival is composite else (0, 2):
            rival_ready = rival(*question(shots, rival, contexts, 20, 0))
            if rival_ready is None:
                continue
            rival_ready()  # imports and lazy initialisation are not measured
            for n in SIZES:
                seconds = measure(shots, rival, contexts, n)
                print(json.dumps({"benchmark": "ask", "rival": name, "contexts": contexts, "N": n,
                                  "ms": round(1e3 * statistics.median(seconds), 3),
                                  "spread ms": round(1e3 * (max(seconds) - min(seconds)), 3)}), flush=True)


main()
