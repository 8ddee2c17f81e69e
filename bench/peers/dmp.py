# SPDX-License-Identifier: Apache-2.0
"""One second of motion at 1 kHz with movement_primitives: processor milliseconds of `open_loop`, after imitating a
minimum-jerk motion. Its two integrators; formulations differ from ours, so this compares speed alone."""
import json
import statistics
import time
import warnings

import numpy as np

warnings.filterwarnings("ignore")
from movement_primitives.dmp import DMP  # noqa: E402

REPEATS = 20


def measure(dimensions, basis, integrator):
    times = np.linspace(0, 1, 1001)
    motion = (10 * times**3 - 15 * times**4 + 6 * times**5)[:, None] * np.ones((1, dimensions))
    dmp = DMP(n_dims=dimensions, execution_time=1.0, dt=0.001, n_weights_per_dim=basis, int_dt=0.001)
    dmp.imitate(times, motion)
    dmp.configure(start_y=np.zeros(dimensions), goal_y=np.ones(dimensions))
    seconds = []
    for _ in range(REPEATS):
        dmp.reset()
        start = time.process_time()
        dmp.open_loop(step_function=integrator)
        seconds.append(time.process_time() - start)
    return seconds


for dimensions, basis in ((3, 10), (6, 30), (50, 60)):
    for integrator in ("rk4-cython", "euler-cython"):
        seconds = measure(dimensions, basis, integrator)
        print(json.dumps({"benchmark": "dmp", "rival": "movement_primitives " + integrator, "dimensions": dimensions,
                          "basis": basis, "ms": 1e3 * statistics.median(seconds),
                          "spread ms": 1e3 * (max(seconds) - min(seconds))}), flush=True)
