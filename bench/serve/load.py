# SPDX-License-Identifier: Apache-2.0
"""Load on `fcps serve`: clients that ask and tell on several studies, against a ledger.

python3 bench/serve/load.py FCPS [--seconds 60] [--clients 20] [--studies 4] [--rollouts 200] [--soak]

Every study begins with the given rollouts. Prints requests per second, median and 99th percentile of asks and tells, and checks that
nothing was lost or doubled. With --soak memory and open files are also looked at: neither may grow.
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

PROBLEM = """name: throw
target:      {x: [-8, 8], y: [-8, 8]}
environment: {wind: [-1, 1]}
parameters: {turn: {range: [0, 360], period: 360}, speed: [1, 10]}
outcome: [land_x, land_y]
achieved: {x: land_x, y: land_y}
reward: -distance - 0.01*speed^2
learner: {name: %s}
"""


def throw(turn, speed, wind):
    return {"land_x": speed * math.cos(math.radians(turn)) + wind, "land_y": speed * math.sin(math.radians(turn))}


def make_study(fcps, folder, name, rollouts, learner):
    """A study with old results, which an import brings."""
    rng = random.Random(name)
    path, table, problem = (os.path.join(folder, name + ending) for ending in (".fcps", ".csv", ".yaml"))
    with open(problem, "w") as file:
        file.write(PROBLEM % learner)
    with open(table, "w") as file:
        file.write("x,y,wind,turn,speed,land_x,land_y\n")
        for _ in range(rollouts):
            x, y, wind, turn, speed = rng.uniform(-8, 8), rng.uniform(-8, 8), rng.uniform(-1, 1), rng.uniform(0, 360), rng.uniform(1, 10)
            o = throw(turn, speed, wind)
            file.write(",".join(repr(v) for v in (x, y, wind, turn, speed, o["land_x"], o["land_y"])) + "\n")
    subprocess.run([fcps, "study", "new", path, "--problem", problem], check=True, stdout=subprocess.DEVNULL)
    if rollouts:
        subprocess.run([fcps, "study", "import", path, table], check=True, stdout=subprocess.DEVNULL)
    return path


class Robot(threading.Thread):
    def __init__(self, server, number, study, until):
        super().__init__()
        self.client, self.until, self.study = Client(server, 600), until, study
        self.name, self.rng = "robot %d" % number, random.Random(number)
        self.asks, self.tells, self.ledger = [], [], {}

    def run(self):
        path = "/v1/studies/" + self.study
        while time.time() < self.until:
            context = {"target": {"x": self.rng.uniform(-8, 8), "y": self.rng.uniform(-8, 8)}, "environment": {"wind": self.rng.uniform(-1, 1)}}
            begin = time.time()
            status, text = self.client.call("POST", path + "/ask", {"client": self.name, **context})
            self.asks.append(time.time() - begin)
            if status != 200:
                complain("ask: %d %s" % (status, text))
                return
            ask = json.loads(text)
            outcome = throw(ask["parameters"]["turn"], ask["parameters"]["speed"], ask["environment"]["wind"])
            begin = time.time()
            status, text = self.client.call("POST", path + "/tell", {"ask": ask["ask"], "outcome": outcome, "client": self.name})
            self.tells.append(time.time() - begin)
            if status != 200:
                complain("tell: %d %s" % (status, text))
                return
            if ask["ask"] in self.ledger:
                complain("ask %d was given twice" % ask["ask"])
            self.ledger[ask["ask"]] = outcome


def quantile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else math.nan


def state_of(server):
    with open("/proc/%d/statm" % server.process.pid) as file:
        return int(file.read().split()[1]) * 4096 / 1e6, len(os.listdir("/proc/%d/fd" % server.process.pid))


def check_ledger(server, names, robots):
    client = Client(server, 600)
    for name in names:
        stored, after = {}, 0
        while True:
            page = client.get("/v1/studies/%s/rollouts?limit=10000&after=%d" % (name, after))
            for r in page["rollouts"]:
                if r["ask"] in stored:
                    complain("ask %d of %s has two results" % (r["ask"], name))
                if r["ask"] is not None:
                    stored[r["ask"]] = r["outcome"]
            after = page["last"]
            if not page["more"]:
                break
        ledger = {}
        for robot in robots:
            if robot.study == name:
                ledger.update(robot.ledger)
        expect("the results of " + name, stored, ledger)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("fcps")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--studies", type=int, default=4)
    parser.add_argument("--rollouts", type=int, default=200)
    parser.add_argument("--learner", default="outcome")
    parser.add_argument("--soak", action="store_true")
    a = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        names = ["s%d" % i for i in range(a.studies)]
        paths = [make_study(a.fcps, folder, name, a.rollouts, a.learner) for name in names]
        server = Server(a.fcps, paths, os.path.join(folder, "token"))
        until = time.time() + a.seconds
        robots = [Robot(server, i, names[i % a.studies], until) for i in range(a.clients)]
        begin = time.time()
        for robot in robots:
            robot.start()
        states = []
        while any(robot.is_alive() for robot in robots):
            time.sleep(min(5, max(0.2, a.seconds / 20)))
            states.append(state_of(server))
        taken = time.time() - begin
        asks, tells = sum((r.asks for r in robots), []), sum((r.tells for r in robots), [])
        print("%d clients, %d studies of %d rollouts, %s, %.0f s: %d trials, %.1f requests/s" % (
            a.clients, a.studies, a.rollouts, a.learner, taken, len(tells), (len(asks) + len(tells)) / taken))
        for name, values in (("ask", asks), ("tell", tells)):
            print("%-5s median %.1f ms, 99 %% below %.1f ms" % (name, 1e3 * quantile(values, 0.5), 1e3 * quantile(values, 0.99)))
        check_ledger(server, names, robots)
        if a.soak and len(states) > 10:
            half = len(states) // 2
            early, late = max(s[1] for s in states[:half]), max(s[1] for s in states[half:])
            print("memory %.0f MB at half time, %.0f MB in the end; open files %d and %d" % (states[half][0], states[-1][0], early, late))
            if late > early + 4:
                complain("open files grow: %d, then %d" % (early, late))
            if states[-1][0] > 1.5 * states[half][0] + 50:  # studies grow, and their models with them
                complain("memory grows: %.0f MB, then %.0f MB" % (states[half][0], states[-1][0]))
        server.end()
    sys.exit(1 if failures else 0)


main()
