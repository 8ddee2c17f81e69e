# SPDX-License-Identifier: Apache-2.0
"""New targets from old rollouts, and one rollout more, with BoTorch's composite model (shots as CSV on stdin).

    retarget.py retarget N TARGETS    processor seconds a target: the model is there, targets one after another
    retarget.py tell N                processor seconds to take in one rollout: the fit from scratch, its only way
"""
import csv
import json
import statistics
import sys
import time
import warnings

import numpy as np

import outcome_model

warnings.filterwarnings("ignore")


def timed(function, *arguments):
    start = time.process_time()
    function(*arguments)
    return time.process_time() - start


def main():
    shots = np.array([[float(v) for v in row] for row in list(csv.reader(sys.stdin))[1:]])
    what, n = sys.argv[1], int(sys.argv[2])
    x, landings = shots[:n, 2:5], shots[:n, 5:7]
    outcome_model.fit(x[:20], landings[:20])  # lazy initialisation is not measured
    row = {"benchmark": what, "rival": "botorch composite", "N": n}
    if what == "retarget":
        model = outcome_model.fit(x, landings)
        outcome_model.best(model, shots[-1, :2])
        seconds = [timed(outcome_model.best, model, shots[-1 - i, :2]) for i in range(int(sys.argv[3]))]
        row |= {"timed targets": len(seconds), "seconds a target": statistics.median(seconds),
                "spread": max(seconds) - min(seconds), "targets/s": 1 / statistics.median(seconds)}
    else:
        seconds = [timed(outcome_model.fit, x, landings) for _ in range(3 if n <= 500 else 1)]
        row |= {"ms": 1e3 * statistics.median(seconds), "spread ms": 1e3 * (max(seconds) - min(seconds))}
    print(json.dumps(row), flush=True)


main()
