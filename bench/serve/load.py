# SPDX-License-Identifier: Apache-2.0
"""Load on `fcps serve`: clients that ask and tell on several studies, against a ledger.

python3 bench/serve/load.py FCPS [--seconds 60] [--clients 20] [--studies 4] [--rollouts 200] [--learner outcome] [--soak]
                            [--in-process PROGRAM]

Every study begins with the given rollouts. Prints requests per second, median and 99th percentile of asks and tells, and checks that
nothing was lost or doubled. With --soak memory and open files are also looked at: neither may grow. With --in-process the same is done
without a server, by build/bench/in_process_trials.
"""
import argparse
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "serve"))
from client import Client, Server, complain, expect, failures  # noqa: E402
from throws import draw_context, make_study, stored_results, throw_of  # noqa: E402


class Robot(threading.Thread):
    def __init__(self, server, number, study, until):
        super().__init__()
        self.client, self.until, self.study = Client(server, 600), until, study
        self.name, self.rng = "robot %d" % number, random.Random(number)
        self.asks, self.tells, self.ledger = [], [], {}

    def call(self, what, body, times):
        begin = time.time()
        status, text = self.client.call("POST", "/v1/studies/%s/%s" % (self.study, what), body)
        times.append(time.time() - begin)
        if status != 200:
            complain("%s: %d %s" % (what, status, text))
            return None
        return json.loads(text)

    def run(self):
        while time.time() < self.until:
            ask = self.call("ask", {"client": self.name, **draw_context(self.rng)}, self.asks)
            if ask is None or self.call("tell", {"ask": ask["ask"], "outcome": throw_of(ask), "client": self.name}, self.tells) is None:
                return
            if ask["ask"] in self.ledger:
                complain("ask %d was given twice" % ask["ask"])
            self.ledger[ask["ask"]] = throw_of(ask)


def quantile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else math.nan


def state_of(server, robots):
    """Megabytes of memory, open files, and the trials that were made."""
    with open("/proc/%d/statm" % server.process.pid) as file:
        memory = int(file.read().split()[1]) * 4096 / 1e6
    return memory, len(os.listdir("/proc/%d/fd" % server.process.pid)), sum(len(r.tells) for r in robots)


def processor_ms(server):
    with open("/proc/%d/stat" % server.process.pid) as file:
        words = file.read().rpartition(")")[2].split()
    return 1e3 * (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def check_ledger(server, names, robots):
    client = Client(server, 600)
    for name in names:
        stored, doubled = stored_results(client, name)
        ledger = {}
        for robot in robots:
            if robot.study == name:
                ledger.update(robot.ledger)
        expect("asks of %s with two results" % name, doubled, 0)
        expect("the results of " + name, stored, ledger)


def show(what, seconds, asks, tells):
    print("%s: %d trials in %.0f s, %.1f requests/s" % (what, len(tells), seconds, (len(asks) + len(tells)) / seconds))
    for name, values in (("ask", asks), ("tell", tells)):
        print("  %-5s median %.1f ms, 99 %% below %.1f ms" % (name, 1e3 * quantile(values, 0.5), 1e3 * quantile(values, 0.99)), flush=True)


def check_soak(states):
    """Open files do not grow, and memory grows only by the stored trials, of which three handles of a study have a copy each."""
    half, end = states[len(states) // 2], states[-1]
    early, late = (max(s[1] for s in part) for part in (states[:len(states) // 2], states[len(states) // 2:]))
    print("memory %.0f MB after %d trials, %.0f MB after %d; open files %d and %d" % (half[0], half[2], end[0], end[2], early, late))
    if late > early + 4:
        complain("open files grow: %d, then %d" % (early, late))
    if os.environ.get("FCPS_SANITIZED"):
        return  # a sanitizer keeps freed memory
    if end[0] - half[0] > 10 + 0.004 * (end[2] - half[2]):
        complain("memory grows by more than 4 kB a trial: %.0f MB, then %.0f MB" % (half[0], end[0]))


def run_served(a, folder):
    names = ["s%d" % i for i in range(a.studies)]
    paths = [make_study(a.fcps, folder, name, a.rollouts, a.learner) for name in names]
    server = Server(a.fcps, paths, os.path.join(folder, "token"))
    begin = time.time()
    robots = [Robot(server, i, names[i % a.studies], begin + a.seconds) for i in range(a.clients)]
    for robot in robots:
        robot.start()
    states = []
    while any(robot.is_alive() for robot in robots):
        time.sleep(min(5, max(0.2, a.seconds / 20)))
        states.append(state_of(server, robots))
    print("the server took %.2f ms of processor time a trial" % (processor_ms(server) / max(1, states[-1][2])))
    show("over HTTP", time.time() - begin, sum((r.asks for r in robots), []), sum((r.tells for r in robots), []))
    check_ledger(server, names, robots)
    if a.soak and len(states) > 10:
        check_soak(states)
    server.end()


def run_in_process(a, folder):
    paths = [make_study(a.fcps, folder, "p%d" % i, a.rollouts, a.learner) for i in range(a.studies)]
    lines = subprocess.run([a.in_process, str(a.seconds), str(a.clients), *paths], check=True, stdout=subprocess.PIPE, text=True).stdout.split("\n")
    times = [[float(word) for word in line.split()] for line in lines if line]
    show("in process", times[-1][0], [t[0] for t in times[:-1]], [t[1] for t in times[:-1]])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("fcps")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--studies", type=int, default=4)
    parser.add_argument("--rollouts", type=int, default=200)
    parser.add_argument("--learner", default="outcome")
    parser.add_argument("--soak", action="store_true")
    parser.add_argument("--in-process")
    a = parser.parse_args()
    print("%d clients, %d studies of %d rollouts, learner %s" % (a.clients, a.studies, a.rollouts, a.learner), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        run_served(a, folder)
        if a.in_process:
            run_in_process(a, folder)
    sys.exit(1 if failures else 0)


main()
