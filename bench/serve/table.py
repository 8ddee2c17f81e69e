# SPDX-License-Identifier: Apache-2.0
"""The table of docs/lab/benchmarks.md: every measurement of `fcps serve`, one after the other, on a machine that is otherwise idle.

python3 bench/serve/table.py FCPS IN_PROCESS [--seconds 60] [--trials 200] [--peers .deps/peers/common/bin/python3]

Shows what each measurement prints as it comes, and the table in the end. Optuna is measured if the Python of --peers has it
(bench/peers/setup.sh installs it), the pages if there is a chromium; otherwise their rows say what is missing.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import stamp


def measure(program, *words):
    """Runs a measurement, shows its output and returns it."""
    command = [program, os.path.join(HERE, words[0]), *words[1:]]
    print("$ " + " ".join(command), flush=True)
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    lines = []
    for line in process.stdout:
        print("  " + line, end="", flush=True)
        lines.append(line)
    return process.wait(), "".join(lines)


def find(pattern, text):
    found = re.search(pattern, text, re.S)
    return found.groups() if found else None


def load_row(a, learner, seconds):
    code, text = measure(sys.executable, "load.py", a.fcps, "--in-process", a.in_process, "--learner", learner, "--seconds", str(seconds))
    served = r"over HTTP: (\d+) trials in \d+ s, ([\d.]+) requests/s\s+ask +median ([\d.]+) ms, 99 % below ([\d.]+) ms\s+tell +median ([\d.]+) ms, 99 % below ([\d.]+) ms"
    got, alone, cost = find(served, text), find(r"in process: (\d+) trials", text), find(r"took ([\d.]+) ms of processor time", text)
    if code != 0 or not got or not alone:
        return "failed: see above"
    return ("%s trials over HTTP, %s in process; %s requests a second; ask median %s ms, 99 %% below %s ms; tell median %s ms, 99 %% below %s ms; "
            "%s ms of the server's processor time a trial" % (got[0], alone[0], *got[1:], cost[0]))


def page_row(a):
    if shutil.which("chromium") is None:
        return "not measured: no chromium"
    _, text = measure(sys.executable, "page.py", a.fcps)
    got = find(r"median (\d+) ms, longest (\d+) ms", text)
    return "seen on the other after %s ms (median), %s ms at most" % got if got else "failed: see above"


def optuna_row(a):
    if not os.path.exists(a.peers):
        return "not measured: bench/peers/setup.sh installs Optuna"
    _, text = measure(a.peers, "optuna_trials.py", "--trials", str(a.trials))
    lines = [line.strip() for line in text.strip().split("\n") if line.strip()]
    return "; ".join(lines[-3:]) if lines else "failed: see above"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("fcps")
    parser.add_argument("in_process")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--peers", default=os.path.join(HERE, "..", "..", ".deps", "peers", "common", "bin", "python3"))
    a = parser.parse_args()
    stamp.show(a.fcps)
    rows = [("20 clients for %g s on 4 studies of 200 rollouts, learner `outcome`" % a.seconds, load_row(a, "outcome", a.seconds)),
            ("the same for %g s, learner `random`" % (a.seconds / 3), load_row(a, "random", a.seconds / 3)),
            ("results that are told on one of two pages", page_row(a)),
            ("%d trials by Optuna, TPE, through its gRPC proxy where that is there" % a.trials, optuna_row(a))]
    print("\n| | |\n|---|---|")
    for what, value in rows:
        print("| %s | %s |" % (what, value))
    sys.exit(any(value.startswith("failed") for _, value in rows))


main()
