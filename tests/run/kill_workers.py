#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Workers that are killed at random, against ledgers that are kept outside of fcps.

    tests/run/kill_workers.py --fcps build/fcps --workers 4 --kills 6 --trials 20 [--server] [--restarts 2]

Each worker's program writes down every trial that it begins and every result that it gives; what a worker prints was
acknowledged. In the end, against both:

  - every acknowledged result is in the study, with the same reward, and each ask has exactly one result that counts;
  - every stored result is one that a program gave, bit for bit;
  - no ask was begun by a worker while another living worker ran it;
  - no ask is unfinished, no lease is left, and no result waits on disk.

With --server the study is in a PostgreSQL that is started here; then its backends are terminated as well, and it is
restarted --restarts times. Exit code 77: there is no PostgreSQL. With --serve it is behind `fcps serve`, which is killed (-9)
--restarts times and started again.
"""
import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PROGRAM = r"""
import json, os, random, sys, time
ledger, least, most = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
out = os.open(ledger, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
def note(*words):
    os.write(out, (json.dumps(words) + "\n").encode())
for line in sys.stdin:
    request = json.loads(line)
    ask, worker = request["ask"], os.environ["KILLED_NAME"]
    note("begin", ask, worker, time.time())
    time.sleep(random.uniform(least, most))
    land = request["parameters"]["speed"] + random.uniform(0, 1e-3)
    note("end", ask, worker, time.time(), land)
    print(json.dumps({"ask": ask, "outcome": {"land": land}}), flush=True)
"""

PROBLEM = """
target: {x: [0, 3]}
parameters: {speed: [0, 3]}
outcome: [land]
achieved: {x: land}
reward: -distance
learner: {name: %s}
run: {command: [%s, program.py, ledger, "%g", "%g"], timeout_s: 60}
"""


class Server:
    """A private PostgreSQL in a folder."""

    def __init__(self, folder):
        self.folder, self.process = folder, None
        os.chmod(folder, 0o755)
        self.start()

    def start(self):
        script = os.path.join(os.path.dirname(__file__), "..", "store", "postgresql-server.sh")
        self.process = subprocess.Popen(["sh", script, self.folder])
        for _ in range(1500):
            if self.process.poll() is not None:
                sys.exit(self.process.returncode)
            if self.sql("SELECT 1") == 0:
                return
            time.sleep(0.02)
        sys.exit("the server does not answer")

    def sql(self, statement):
        return subprocess.run(["psql", "-qAt", "-h", self.folder, "-U", "fcps", "postgres", "-c", statement],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode

    def cut(self):
        self.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                 " WHERE application_name = 'fcps' AND random() < 0.5")

    def end(self):
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait()

    def restart(self):
        self.end()
        self.start()


class Served:
    """`fcps serve` on a study file. Each time it is started on the same port, so that workers find it again."""

    def __init__(self, fcps, folder, study):
        self.command = [fcps, "serve", study, "--token-file", os.path.join(folder, "token"), "--listen"]
        self.listen, self.process, self.url = "127.0.0.1:0", None, None
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.command + [self.listen], stdout=subprocess.PIPE, text=True)
        place, mark, token = self.process.stdout.readline().strip().partition("/#")
        if not mark:
            sys.exit("the server did not begin")
        self.listen, self.url = place[len("http://"):], place + "/s#" + token

    def cut(self):
        pass  # every connection serves one request

    def end(self):
        self.process.terminate()
        if self.process.wait() != 0:
            complain("the server ended with %d" % self.process.returncode)

    def restart(self):
        self.process.kill()
        self.process.wait()
        time.sleep(random.uniform(0, 0.3))
        self.start()


class Workers:
    def __init__(self, options, folder, study):
        self.options, self.folder, self.study = options, folder, study
        self.count, self.alive, self.killed = 0, {}, {}
        self.environment = dict(os.environ, XDG_STATE_HOME=os.path.join(folder, "state"))

    def start(self):
        self.count += 1
        name = "w%d" % self.count
        log = open(os.path.join(self.folder, name + ".out"), "wb")
        with open(os.path.join(self.folder, name + ".err"), "wb") as messages:
            self.alive[name] = subprocess.Popen(
                [self.options.fcps, "work", self.study, "--problem", "p.yaml", "--name", name, "--lease",
                 str(self.options.lease), "--trials", str(self.options.trials)],
                cwd=self.folder, stdout=log, stderr=messages, env=dict(self.environment, KILLED_NAME=name))
        log.close()

    def kill(self):
        running = [name for name, process in self.alive.items() if process.poll() is None]
        if not running:
            return False
        name = random.choice(running)
        self.alive[name].kill()
        self.alive.pop(name).wait()
        self.killed[name] = time.time()
        return True

    def wait(self, seconds):
        limit = time.time() + seconds
        for name, process in self.alive.items():
            try:
                code = process.wait(max(1, limit - time.time()))
            except subprocess.TimeoutExpired:
                complain("worker %s does not end" % name)
                process.kill()
                process.wait()
                continue
            if code != 0:
                with open(os.path.join(self.folder, name + ".err")) as messages:
                    complain("worker %s ended with %d: %s" % (name, code, messages.read()[-300:]))


complaints = 0


def complain(text):
    global complaints
    complaints += 1
    print("kill_workers: " + text)


def run(options, *words, **more):
    return subprocess.run([options.fcps, *words], capture_output=True, text=True, **more)


def check(options, folder, study, workers):
    with open(os.path.join(folder, "ledger")) as ledger:
        notes = [json.loads(line) for line in ledger if line.endswith("\n")]
    given = {}
    for note in notes:
        if note[0] == "end":
            given.setdefault(note[1], []).append(note[4])
    table = run(options, "study", "log", study, "--json", env=workers.environment)
    stored = [json.loads(line) for line in table.stdout.splitlines() if line.startswith("{")]
    if not stored:
        complain("the log cannot be read: " + table.stderr)
    used = {}
    for row in stored:
        if "ask" not in row or row.get("ask") is None:
            continue
        if row["outcome"]["land"] not in given.get(row["ask"], []):
            complain("ask %d: %r was stored, and no program gave it" % (row["ask"], row["outcome"]["land"]))
        if row.get("used", True):
            used.setdefault(row["ask"], []).append(row)
    for ask in range(1, options.trials + 1):
        if len(used.get(ask, [])) != 1:
            complain("ask %d has %d results that count" % (ask, len(used.get(ask, []))))
    acknowledged = 0
    for number in range(1, workers.count + 1):
        with open(os.path.join(folder, "w%d.out" % number)) as lines:
            for line in lines:
                words = line.split()
                if len(words) != 4 or not line.endswith("\n"):
                    continue
                acknowledged += 1
                rewards = ["%.17g" % row["reward"] for row in stored if row.get("ask") == int(words[0])]
                if "%.17g" % float(words[3]) not in rewards:
                    complain("ask %s: the acknowledged reward %s is not in the study" % (words[0], words[3]))
    check_overlaps(notes, workers)
    state = json.loads(run(options, "study", "status", study, "--json", env=workers.environment).stdout)
    if state["pending"] != 0 or state.get("kept_results"):
        complain("%d asks are unfinished, %d results wait" % (state["pending"], state.get("kept_results", 0)))
    kept = os.path.join(workers.environment["XDG_STATE_HOME"], "fcps")
    waiting = [name for name in os.listdir(kept) if name.endswith(".json")] if os.path.isdir(kept) else []
    if waiting:  # a draft of a killed worker is no result
        complain("results wait on disk: %r" % waiting)
    for worker in state.get("workers", []):
        if worker["leases"]:
            complain("worker %s has a lease left" % worker["worker"])
    return acknowledged, len(stored)


def check_overlaps(notes, workers):
    """An ask may be begun by a second worker only when the first has given its result or is dead."""
    for i, note in enumerate(notes):
        if note[0] != "begin":
            continue
        for other in notes[:i]:
            if other[0] != "begin" or other[1] != note[1] or other[2] == note[2]:
                continue
            ends = [n[3] for n in notes if n[0] == "end" and n[1] == other[1] and n[2] == other[2]]
            end = min(ends + [workers.killed.get(other[2], float("inf"))])
            if end > note[3]:
                complain("ask %d was begun by %s while %s ran it" % (note[1], note[2], other[2]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fcps", required=True)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--kills", type=int, default=6)
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--lease", type=int, default=5)
    parser.add_argument("--pause", type=float, default=0.3, help="seconds between two kills, at most")
    parser.add_argument("--seconds", type=float, default=0.05, help="of a trial, at most")
    parser.add_argument("--learner", default="random")
    parser.add_argument("--server", action="store_true")
    parser.add_argument("--serve", action="store_true")
    parser.add_argument("--restarts", type=int, default=0)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    options = parser.parse_args()
    options.fcps = os.path.abspath(options.fcps)
    random.seed(options.seed)
    folder = tempfile.mkdtemp(prefix="fcps-kill-")
    server = None
    try:
        if options.server:
            os.mkdir(os.path.join(folder, "server"))
            os.chmod(folder, 0o755)
            server = Server(os.path.join(folder, "server"))
        study = "postgresql:///postgres?host=%s/server&user=fcps#killed" % folder if server else folder + "/s.fcps"
        with open(os.path.join(folder, "program.py"), "w") as file:
            file.write(PROGRAM)
        with open(os.path.join(folder, "p.yaml"), "w") as file:
            file.write(PROBLEM % (options.learner, sys.executable, options.seconds / 5, options.seconds))
        made = run(options, "study", "new", study, "--problem", "p.yaml", "--seed", "1004", cwd=folder)
        if made.returncode != 0:
            complain(made.stderr)
            return 1
        if options.serve:
            server = Served(options.fcps, folder, study)
        workers = Workers(options, folder, server.url if options.serve else study)
        for _ in range(options.workers):
            workers.start()
        restarts = [options.kills * (i + 1) // (options.restarts + 1) for i in range(options.restarts)]
        killed = 0
        for i in range(options.kills):
            time.sleep(random.uniform(0, options.pause))
            killed += workers.kill()
            workers.start()
            if server and random.random() < 0.3:
                server.cut()
            if server and i in restarts:
                server.restart()
        workers.wait(240)
        workers.start()  # finds what killed ones have left on disk, and whether anything is left to do
        workers.wait(60)
        acknowledged, stored = check(options, folder, study, workers)
        print("kill_workers: seed %d: %d workers, %d kills: %d results stored, %d acknowledged"
              % (options.seed, workers.count, killed, stored, acknowledged))
    finally:
        if server:
            server.end()
        if complaints == 0:
            shutil.rmtree(folder, ignore_errors=True)
        else:
            print("kill_workers: see " + folder)
    return 1 if complaints else 0


sys.exit(main())
