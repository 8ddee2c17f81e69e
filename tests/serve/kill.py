# SPDX-License-Identifier: Apache-2.0
"""The server is killed (-9) again and again while clients ask and tell, and started again on the same port. Clients repeat what
was not answered. In the end the studies hold what was acknowledged, each result once, and every ask was answered.

python3 kill.py FCPS FOLDER KILLS [--clients 6] [--studies 2] [--rollouts 0] [--learner random] [--pause 0.4]
"""
import argparse
import os
import random
import sys
import threading
import time

from client import Client, Server, complain, expect, failures
from throws import draw_context, make_study, stored_results, throw_of


class Robot(threading.Thread):
    """Asks and tells until it is stopped, and keeps a ledger of what was acknowledged."""

    def __init__(self, server, number, study, stop):
        super().__init__()
        self.client, self.stop, self.study, self.ledger = Client(server), stop, study, {}
        self.name, self.path = "robot %d" % number, "/v1/studies/" + study
        self.rng = random.Random(number)
        self.repeated = 0

    def run(self):
        while not self.stop.is_set():
            status, ask = self.client.insist(self.path + "/ask", {"client": self.name, **draw_context(self.rng)})
            if status != 200:
                complain("%s: ask: %d %r" % (self.name, status, ask))
                return
            if ask["ask"] in self.ledger:
                complain("%s: ask %d was given again after its result was acknowledged" % (self.name, ask["ask"]))
            outcome = throw_of(ask)
            status, receipt = self.client.insist(self.path + "/tell", {"ask": ask["ask"], "outcome": outcome, "client": self.name})
            if status != 200:
                complain("%s: tell: %d %r" % (self.name, status, receipt))
                return
            self.repeated += receipt["repeated"]
            self.ledger[ask["ask"]] = outcome


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("fcps")
    parser.add_argument("folder")
    parser.add_argument("kills", type=int)
    parser.add_argument("--clients", type=int, default=6)
    parser.add_argument("--studies", type=int, default=2)
    parser.add_argument("--rollouts", type=int, default=0)
    parser.add_argument("--learner", default="random")
    parser.add_argument("--pause", type=float, default=0.4, help="the most seconds between a start and the next kill")
    a = parser.parse_args()
    names = ["s%d" % i for i in range(a.studies)]
    studies = [make_study(a.fcps, a.folder, name, a.rollouts, a.learner) for name in names]
    server = Server(a.fcps, studies, os.path.join(a.folder, "token"))
    stop, rng = threading.Event(), random.Random(7)
    robots = [Robot(server, i, names[i % a.studies], stop) for i in range(a.clients)]
    for robot in robots:
        robot.start()
    for _ in range(a.kills):
        time.sleep(rng.uniform(0.05, a.pause))
        server.kill()
        server.start("127.0.0.1:%d" % server.port)
    time.sleep(0.3)
    stop.set()
    for robot in robots:
        robot.join(300)
    client, acknowledged = Client(server), 0
    for name in names:
        stored, doubled = stored_results(client, name)
        ledger = {}
        for robot in robots:
            if robot.study == name:
                ledger.update(robot.ledger)
        acknowledged += len(ledger)
        expect("asks of %s with two results" % name, doubled, 0)
        expect("what %s holds" % name, stored, ledger)
        expect("what is pending in " + name, client.get("/v1/studies/%s/asks" % name)["asks"], [])
    server.end()
    print("%d kills, %d results acknowledged, %d of them told again" % (a.kills, acknowledged, sum(r.repeated for r in robots)))
    sys.exit(1 if failures else 0)


main()
