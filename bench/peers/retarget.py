# SPDX-License-Identifier: Apache-2.0
"""One rollout more, and new targets from old rollouts, with BoTorch's composite model (shots as CSV on stdin).

    retarget.py N TARGETS    two JSON objects: processor time of a fit from scratch, which is its way to take in a
                             rollout, and of TARGETS targets (0: without it), one after another, with the model there
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
    n, targets = map(int, sys.argv[1:3])
    x, landings = shots[:n, 2:5], shots[:n, 5:7]
    outcome_model.fit(x[:20], landings[:20])  # lazy initialisation is not measured
    about = {"rival": "botorch composite", "N": n}

    start = time.process_time()
    model = outcome_model.fit(x, landings)
    seconds = [time.process_time() - start]
    seconds += [timed(outcome_model.fit, x, landings) for _ in range(2 if n <= 500 else 0)]
    print(json.dumps({"benchmark": "tell"} | about | {"fits": len(seconds), "ms": 1e3 * statistics.median(seconds),
                                                      "spread ms": 1e3 * (max(seconds) - min(seconds))}), flush=True)

    if targets == 0:
        return
    outcome_model.best(model, shots[-1, :2])
    seconds = [timed(outcome_model.best, model, shots[-1 - i, :2]) for i in range(targets)]
    median = statistics.median(seconds)
    print(json.dumps({"benchmark": "retarget"} | about |
                     {"timed targets": targets, "seconds a target": median, "spread": max(seconds) - min(seconds),
                      "targets/s": 1 / median}))


main()
