# SPDX-License-Identifier: Apache-2.0
"""The same runs as ordinary_day.py with fcps: the rewards of its policy after sixty trials, and processor seconds of the run.

    ordinary_day_fcps.py FCPS TASK MISHAP SEED...     one JSON object per seed
"""
import csv
import json
import pathlib
import resource
import subprocess
import sys
import tempfile

EPISODES = 60


def run(program, task, mishap, seed, folder, evaluate):
    """Processor seconds of a run; `evaluate` as in `fcps run`: 0 at the end, -1 never."""
    settings = [] if mishap == "clean" else ["--task-set", mishap]
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run([program, "run", task, "--learner", "outcome", "-n", str(EPISODES), "--seed", str(seed), "--quiet",
                    "--no-figure", f"--evaluate-every={evaluate}", "--out", folder, *settings], check=True,
                   stdout=subprocess.DEVNULL)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def share_without_outcome(path):
    rows = list(csv.DictReader(path.open()))
    return sum(any(k.startswith("outcome.") and v == "" for k, v in row.items()) for row in rows) / len(rows)


def learn(program, task, mishap, seed):
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        seconds = run(program, task, mishap, seed, folder / "trials", -1)  # nothing but trials is timed
        run(program, task, mishap, seed, folder / "result", 0)
        offline = json.loads((folder / "result" / "summary.json").read_text())["offline_mean"]
        return {"offline": offline, "fallen": share_without_outcome(folder / "result" / "map.csv"), "seconds": seconds}


def main():
    program, task, mishap = sys.argv[1:4]
    for seed in map(int, sys.argv[4:]):
        print(json.dumps({"benchmark": "ordinary-day", "rival": "fcps outcome", "task": task, "mishap": mishap, "seed": seed,
                          **learn(program, task, mishap, seed)}), flush=True)


main()
