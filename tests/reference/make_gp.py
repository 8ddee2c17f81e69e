#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes gp.json: predictions and likelihoods of Gaussian processes, by scikit-learn.

    pip install scikit-learn && python3 make_gp.py > gp.json

test_reference.c compares fcps with it. Inputs are random in the unit cube, hyper-parameters are given (no fit), the
outputs are neither centred nor scaled.
"""
import json

import numpy as np
import sklearn
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Matern, WhiteKernel

rng = np.random.default_rng(20190520)
cases = []
for name, make in (("se", RBF), ("matern32", lambda l: Matern(l, nu=1.5)), ("matern52", lambda l: Matern(l, nu=2.5))):
    for dim in (1, 3, 6):
        rows = 10 * dim
        length = rng.uniform(0.2, 1.5, dim)
        signal, noise = rng.uniform(0.5, 2.0), rng.uniform(0.05, 0.3)
        x, points = rng.random((rows, dim)), rng.random((5, dim))
        y = np.sin(4 * x).sum(1) + noise * rng.normal(size=rows)
        kernel = ConstantKernel(signal**2) * make(length)
        gp = GaussianProcessRegressor(kernel, alpha=noise**2, optimizer=None).fit(x, y)
        mean, sd = gp.predict(points, return_std=True)
        # the likelihood and its gradient with the noise as a hyper-parameter, too
        white = GaussianProcessRegressor(kernel + WhiteKernel(noise**2), alpha=0.0, optimizer=None).fit(x, y)
        likelihood, gradient = white.log_marginal_likelihood(white.kernel_.theta, eval_gradient=True)
        cases.append(dict(
            kernel=name, dim=dim, rows=rows, length=length.tolist(), signal=signal, noise=noise,
            inputs=x.ravel().tolist(), outputs=y.tolist(), points=points.ravel().tolist(),
            mean=mean.tolist(), deviation=sd.tolist(), likelihood=likelihood,
            # scikit-learn: d/d log of (sf^2, lengths, sn^2); ours: d/d log of (lengths, sf, sn)
            gradient=gradient[1:-1].tolist() + [2 * gradient[0], 2 * gradient[-1]]))
print(json.dumps(dict(made_by="scikit-learn " + sklearn.__version__, cases=cases)))
