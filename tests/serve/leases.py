# SPDX-License-Identifier: Apache-2.0
"""Asks under leases over HTTP: python3 leases.py FCPS FOLDER"""
import os
import subprocess
import sys
import time

from client import Client, Server, expect, failures
from throws import make_study

LONG, SHORT = 600000, 1


def main():
    fcps, folder = sys.argv[1], sys.argv[2]
    study = make_study(fcps, folder, "leased", 0, "random")
    server = Server(fcps, [study], os.path.join(folder, "token"))
    client, path = Client(server), "/v1/studies/leased"

    def lease(worker, lease_ms=LONG, **more):
        return client.post(path + "/lease", {"worker": worker, "lease_ms": lease_ms, **more})

    known = client.get(path + "/work")
    expect("what a worker knows", sorted(known), ["asks", "file", "identity", "learner", "problem", "seed", "settings"])
    expect("the learner", (known["learner"], known["asks"]), ("random", 0))

    first = lease("a/1")
    expect("the first ask", (first["ask"], first["repeated"], first["leases"], first["asks"]), (1, False, 1, 1))
    again = lease("a/1")
    expect("the same worker again", (again["ask"], again["repeated"], again["target"]), (1, True, first["target"]))
    expect("another worker", lease("b/1")["ask"], 2)
    expect("all of b live", client.post(path + "/renew", {"worker": "b", "lease_ms": LONG})["leases"], 1)
    expect("none is left", {k: lease("c/1", most_asks=2)[k] for k in ("ask", "leases")}, {"ask": None, "leases": 2})

    # what is released goes to the next; the late result of the first is taken, that of the second is evidence
    expect("a gives up", client.post(path + "/release", {"worker": "a"})["leases"], 1)
    taken = lease("c/1", most_asks=2)
    expect("c takes over", (taken["ask"], taken["repeated"], taken["parameters"]), (1, True, first["parameters"]))
    outcome = {"land_x": 1.0, "land_y": 2.0}
    told = client.post(path + "/tell", {"ask": 1, "outcome": outcome, "client": "a/1"})
    expect("a late result", (told["stored"], told["repeated"]), (True, False))
    client.post(path + "/tell", {"ask": 1, "outcome": {"land_x": 5.0, "land_y": 2.0}, "client": "c/1"}, 409)
    expect("both are kept", len(client.get(path + "/rollouts")["rollouts"]), 2)

    # a lease that ended by itself
    lease("d/1", SHORT)
    time.sleep(0.05)
    expect("a silent worker's ask", lease("e/1", most_asks=3)["ask"], 3)
    given = lease("f/1", target=first["target"], environment=first["environment"])
    expect("a given context", given["target"], first["target"])
    codes = [e["code"] for e in client.get(path + "/events")["events"]]
    expect("asks that changed hands", codes.count("LEASE_ENDED"), 2)

    latest = client.get(path + "/rollouts?latest=1")["rollouts"]
    expect("the latest result", latest, client.get(path + "/rollouts")["rollouts"][-1:])
    expect("the latest event", client.get(path + "/events?latest=1")["events"], client.get(path + "/events")["events"][-1:])
    expect("a misspelt query", client.get(path + "/rollouts?aftr=1", 400)["error"]["field"], "aftr")

    expect("without a name", client.post(path + "/lease", {}, 400)["error"]["field"], "worker")
    expect("a lease of nothing", client.post(path + "/lease", {"worker": "a", "lease_ms": 0}, 400)["error"]["field"], "lease_ms")
    client.post(path + "/renew", {"worker": "a", "leese": 1}, 400)

    # a worker that was refused says why, and one that is stopped before the server is there says so
    url = "http://127.0.0.1:%d/leased#token=%s" % (server.port, "0" * 48)
    refused = subprocess.run([fcps, "work", url], capture_output=True, text=True, check=False)
    expect("a wrong token", (refused.returncode, "token" in refused.stderr), (4, True))
    server.end()
    waiting = subprocess.Popen([fcps, "work", "http://127.0.0.1:%d/leased#token=%s" % (server.port, server.token)],
                               stderr=subprocess.PIPE, text=True)
    expect("it waits", "W_STUDY_LOCKED" in waiting.stderr.readline(), True)
    waiting.terminate()
    expect("it stops", waiting.wait(20), 130)
    sys.exit(1 if failures else 0)


main()
