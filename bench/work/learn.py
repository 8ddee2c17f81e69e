# SPDX-License-Identifier: Apache-2.0
"""The gain from workers: cumulative reward against wall-clock time on the toy cannon, for 1, 4 and 16 workers on one study.

python3 bench/work/learn.py build/fcps build/bench/shoot [--workers 1,4,16] [--seconds 60] [--shot 0.5] [--seeds 1001,1002,1003]
  [--place file|serve]

A shot takes half a second. For each number of workers, a mean over the seeds: after each tenth of the time the shots so far, the sum
of their rewards (each is at most 0, so the sum falls with every shot) and the mean reward of the latest 20 shots, which says how
well it shoots by then.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time

import lines
import places

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import stamp

PROBLEM = """
target: {x: [-11, 11], y: [-11, 11]}
parameters:
  turn: {range: [0, 6.283185307179586], period: 6.283185307179586}
  tilt: [0.01, 1.3707963267948966]
  speed: [0.1, 5]
outcome: [land_x, land_y]
achieved: {x: land_x, y: land_y}
reward: -distance - 0.05 * speed ^ 2
run: {command: [%s, -S, -E, %s/cannon.py, %s, "%d", "%g"], timeout_s: 60}
"""
STEPS, LATEST = 10, 20


def shots_of(a, folder, workers, seed):
    """(seconds, reward) of every acknowledged shot; time counts from the start of the first worker."""
    name = "s%d_%d" % (workers, seed)
    problem = os.path.join(folder, name + ".yaml")
    with open(problem, "w") as file:
        file.write(PROBLEM % (sys.executable, HERE, a.shoot, seed, a.shot))
    place = places.behind_serve if a.place == "serve" else places.in_file
    environment = dict(os.environ, OPENBLAS_NUM_THREADS="1", XDG_STATE_HOME=folder)
    with place(a.fcps, folder, name, lambda study: places.make_study(a.fcps, study, problem, "outcome", seed)) as url:
        begin = time.monotonic()
        running = [subprocess.Popen([a.fcps, "work", url, "--problem", problem, "--hours", repr(a.seconds / 3600), "--name",
                                     "w%d" % i], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment)
                   for i in range(workers)]
        shots = [(at - begin, float(line.split()[-1])) for _, at, line in lines.lines_of(running)]
        if any(process.wait() for process in running):
            sys.exit("a worker failed on %s" % name)
    return shots


def summarize(shots, until):
    rewards = [reward for at, reward in shots if at <= until]
    latest = rewards[-LATEST:]
    return len(rewards), sum(rewards), sum(latest) / len(latest) if latest else float("nan")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fcps")
    parser.add_argument("shoot")
    parser.add_argument("--workers", default="1,4,16")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--shot", type=float, default=0.5)
    parser.add_argument("--seeds", default="1001,1002,1003")
    parser.add_argument("--place", default="file", choices=["file", "serve"])
    a = parser.parse_args()
    stamp.show(a.fcps)
    a.fcps, a.shoot = os.path.abspath(a.fcps), os.path.abspath(a.shoot)
    seeds = [int(s) for s in a.seeds.split(",")]
    folder = tempfile.mkdtemp(prefix="fcps-learn-")
    try:
        print("%7s %8s %8s %12s %12s" % ("workers", "seconds", "shots", "cumulative", "latest %d" % LATEST))
        for workers in map(int, a.workers.split(",")):
            runs = [shots_of(a, folder, workers, seed) for seed in seeds]
            for step in range(1, STEPS + 1):
                at = a.seconds * step / STEPS
                rows = [summarize(shots, at) for shots in runs]
                print("%7d %8.1f %8.1f %12.1f %12.2f" % (workers, at, *(sum(c) / len(rows) for c in zip(*rows))), flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


main()
