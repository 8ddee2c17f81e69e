# SPDX-License-Identifier: Apache-2.0
"""Trials per second against the number of workers, on a study in a file, behind `fcps serve` and in PostgreSQL, compared
with Optuna with PostgreSQL and with its journal file. Same machine, same program (0.1 s of sleep), one process per
worker.

python3 bench/work/rate.py build/fcps [--workers 1,4,16,64] [--seconds 20] [--learner outcome] [--trial 0.1]
  [--optuna .deps/peers/work/bin/python3]

A trial counts if it was acknowledged in the last three quarters of the time, because workers need a while to begin.
`ideal` is the rate that the program allows. A package that is not installed is shown as missing; bench/peers/setup.sh
work installs Optuna.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

import lines
import places

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import stamp

PROBLEM = """
target: {x: [2, 8]}
parameters: {speed: [1, 10], angle: [5, 85]}
outcome: [land]
achieved: {x: land}
reward: -distance
run: {command: [%s, -S, -E, %s/program.py, "%g"], timeout_s: 60}
"""


def count_lines(commands, folder):
    """Lines per second of several processes, in the last three quarters of the time from the first line to the last; None if a
    process failed, or if nothing was printed."""
    environment = dict(os.environ, OPENBLAS_NUM_THREADS="1", XDG_STATE_HOME=folder)
    with open(os.path.join(folder, "errors"), "w+") as errors:
        running = [subprocess.Popen(c, stdout=subprocess.PIPE, stderr=errors, env=environment) for c in commands]
        times = [at for _, at, _ in lines.lines_of(running)]
        codes = [process.wait() for process in running]
        errors.seek(0)
        if any(codes) or len(times) < 2:
            print(errors.read()[-300:], file=sys.stderr)
            return None
    begin = times[0] + (times[-1] - times[0]) / 4
    return sum(begin <= at for at in times) / (times[-1] - begin)


def measure_fcps(a, place, folder, name, workers):
    def make(study):
        places.make_study(a.fcps, study, os.path.join(folder, "p.yaml"), a.learner, 1001)

    with place(a.fcps, folder, name, make) as url:
        commands = [[a.fcps, "work", url, "--problem", os.path.join(folder, "p.yaml"), "--hours", repr(a.seconds / 3600),
                     "--name", "w%d" % i] for i in range(workers)]
        return count_lines(commands, folder)


def measure_optuna(a, storage, folder, sampler, workers):
    worker = [a.optuna, os.path.join(HERE, "optuna_worker.py"), storage, repr(a.seconds), repr(a.trial), sampler]
    made = subprocess.run(worker + ["0", "--create"], stderr=subprocess.PIPE, text=True, check=False)
    if made.returncode != 0:
        print(made.stderr.strip().splitlines()[-1], file=sys.stderr)
        return None
    return count_lines([worker + [str(i)] for i in range(workers)], folder)


def show(name, rates):
    cells = ["%8s" % ("missing" if r is None else "%.1f" % r) for r in rates]
    print("%-34s %s" % (name, " ".join(cells)), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fcps")
    parser.add_argument("--workers", default="1,4,16,64")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--trial", type=float, default=0.1)
    parser.add_argument("--learner", default="outcome")
    parser.add_argument("--sampler", default="tpe", choices=["tpe", "random"])
    parser.add_argument("--optuna", default=os.path.join(HERE, "..", "..", ".deps", "peers", "work", "bin", "python3"))
    a = parser.parse_args()
    stamp.show(a.fcps)
    a.fcps = os.path.abspath(a.fcps)
    counts = [int(w) for w in a.workers.split(",")]
    folder = tempfile.mkdtemp(prefix="fcps-rate-")
    database = places.Database(folder)
    try:
        with open(os.path.join(folder, "p.yaml"), "w") as file:
            file.write(PROBLEM % (sys.executable, HERE, a.trial))
        print("%-34s %s   workers" % ("trials a second", " ".join("%8d" % c for c in counts)))
        show("ideal", [c / a.trial for c in counts])
        rows = [("file", places.in_file), ("serve", places.behind_serve)]
        if database.is_there():
            rows.append(("postgresql", database.study))
        for name, place in rows:
            show("fcps %s, %s" % (a.learner, name),
                 [measure_fcps(a, place, folder, "%s%d" % (name, c), c) for c in counts])
        if not database.is_there():
            show("fcps %s, postgresql" % a.learner, [None] * len(counts))
        has_optuna = os.path.exists(a.optuna)
        for name in ("postgresql", "journal file"):
            rates = []
            for c in counts:
                is_database = name == "postgresql"
                storage = os.path.join(folder, "journal%d" % c)
                if is_database:
                    database.sql("CREATE DATABASE optuna%d" % c)
                    storage = "postgresql+psycopg2://fcps@/optuna%d?host=%s" % (c, database.folder)
                is_possible = has_optuna and (database.is_there() or not is_database)
                rates.append(measure_optuna(a, storage, folder, a.sampler, c) if is_possible else None)
            show("Optuna %s, %s" % (a.sampler, name), rates)
    finally:
        database.end()
        shutil.rmtree(folder, ignore_errors=True)


main()
