# SPDX-License-Identifier: Apache-2.0
"""The server is killed (-9) again and again while clients ask and tell, and started again on the same port. Clients repeat what
was not answered. In the end the studies hold what was acknowledged, each result once, and every ask was answered.

python3 kill.py FCPS FOLDER KILLS
"""
import os
import random
import subprocess
import sys
import threading
import time

from client import Client, Server, complain, expect, failures

PROBLEM = """name: p
target: {x: [0, 1]}
parameters: {a: [0, 1]}
outcome: [o]
achieved: {x: o}
reward: "-distance"
learner: {name: random}
"""
STUDIES, CLIENTS = 2, 6


class Robot(threading.Thread):
    """Asks and tells until it is stopped, and keeps a ledger of what was acknowledged."""

    def __init__(self, server, number, stop):
        super().__init__()
        self.client, self.stop, self.ledger = Client(server), stop, {}
        self.name = "robot %d" % number
        self.path = "/v1/studies/s%d" % (number % STUDIES)
        self.rng = random.Random(number)
        self.repeated = 0

    def run(self):
        while not self.stop.is_set():
            status, ask = self.client.insist(self.path + "/ask", {"client": self.name, "target": {"x": self.rng.random()}})
            if status != 200:
                complain("%s: ask: %d %r" % (self.name, status, ask))
                return
            if ask["ask"] in self.ledger:
                complain("%s: ask %d was given again after its result was acknowledged" % (self.name, ask["ask"]))
            outcome = self.rng.random()
            status, receipt = self.client.insist(self.path + "/tell", {"ask": ask["ask"], "outcome": {"o": outcome}, "client": self.name})
            if status != 200:
                complain("%s: tell: %d %r" % (self.name, status, receipt))
                return
            self.repeated += receipt["repeated"]
            self.ledger[ask["ask"]] = outcome


def main():
    fcps, folder, kills = sys.argv[1], sys.argv[2], int(sys.argv[3])
    problem = os.path.join(folder, "p.yaml")
    with open(problem, "w") as file:
        file.write(PROBLEM)
    studies = [os.path.join(folder, "s%d.fcps" % i) for i in range(STUDIES)]
    for study in studies:
        subprocess.run([fcps, "study", "new", study, "--problem", problem], check=True, stdout=subprocess.DEVNULL)
    server = Server(fcps, studies, os.path.join(folder, "token"))
    stop, rng = threading.Event(), random.Random(7)
    robots = [Robot(server, i, stop) for i in range(CLIENTS)]
    for robot in robots:
        robot.start()
    for _ in range(kills):
        time.sleep(rng.uniform(0.05, 0.4))
        server.kill()
        server.start("127.0.0.1:%d" % server.port)
    time.sleep(0.3)
    stop.set()
    for robot in robots:
        robot.join(60)
    client = Client(server)
    acknowledged = 0
    for number in range(STUDIES):
        path = "/v1/studies/s%d" % number
        stored = {}
        rollouts = client.get(path + "/rollouts?limit=10000")
        expect("all on one page", rollouts["more"], False)
        for r in rollouts["rollouts"]:
            if r["ask"] in stored:
                complain("ask %d has two results" % r["ask"])
            stored[r["ask"]] = r["outcome"]["o"]
        ledger = {}
        for robot in robots:
            if robot.path == path:
                ledger.update(robot.ledger)
        acknowledged += len(ledger)
        expect("what s%d holds" % number, stored, ledger)
        expect("what is pending in s%d" % number, client.get(path + "/asks")["asks"], [])
    server.end()
    print("%d kills, %d results acknowledged, %d of them told again" % (kills, acknowledged, sum(r.repeated for r in robots)))
    sys.exit(1 if failures else 0)


main()
