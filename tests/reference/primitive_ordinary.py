#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes primitive_ordinary.csv: the ordinary primitive (no fading in, goal velocity 0) as movement_primitives 0.9.1
computes it. Install: pip install movement-primitives==0.9.1 numpy scipy pytransform3d. Run in this folder.

Two dimensions, 10 weights each (formulas below, repeated in the test), 1.5 s from (0.2, -1) to (1, 0.5). The integration
step is 2e-5 s, so that what is left of both integrators' errors is below 1e-4.
"""
import csv

import numpy as np
from movement_primitives.dmp import DMP

DURATION, DT, COUNT = 1.5, 2e-5, 10
i = np.arange(COUNT)
weights = np.array([100 * np.sin(i + 1), 60 * np.cos(2 * i)])

dmp = DMP(n_dims=2, execution_time=DURATION, dt=DT, n_weights_per_dim=COUNT, int_dt=DT)
dmp.forcing_term.weights_[:, :] = weights
dmp.configure(start_y=np.array([0.2, -1.0]), goal_y=np.array([1.0, 0.5]))
times, positions = dmp.open_loop(step_function="euler")

with open("primitive_ordinary.csv", "w", newline="") as file:
    rows = csv.writer(file, lineterminator="\n")
    rows.writerow(["time", "forcing_0", "forcing_1", "position_0", "position_1"])
    for time in np.linspace(0, DURATION, 31):
        forcing = dmp.forcing_term(time)[:, 0]
        position = positions[int(round(time / DT))]
        rows.writerow([repr(float(x)) for x in (time, *forcing, *position)])
