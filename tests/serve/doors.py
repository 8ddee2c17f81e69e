# SPDX-License-Identifier: Apache-2.0
"""Where a stranger tried to let results go to another study, to use up what the server needs, or to move one robot twice.
python3 doors.py FCPS FOLDER [CHECK ...]"""
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

from client import Client, Server, complain, expect, failures

PROBLEM = """name: throw
target:      {x: [-8, 8], y: [-8, 8]}
parameters:
  turn:  {range: [0, 360], period: 360, unit: deg}
  speed: {range: [1, 10], unit: m/s}
outcome: [land_x, land_y]
achieved: {x: land_x, y: land_y}
reward: -distance
learner: {name: random}
run: {command: [python3, simulate.py], timeout_s: 30}
"""
# a robot that moves for ever while the file `hang` is there, and says that it has begun
PROGRAM = """import json, os, sys, time
for line in sys.stdin:
    ask = json.loads(line)
    open("moving", "a").close()
    while os.path.exists("hang"):
        time.sleep(0.05)
    print(json.dumps({"ask": ask["ask"], "outcome": {"land_x": 1, "land_y": 2}}), flush=True)
"""
LANDING = {"land_x": 1, "land_y": 1}


def contains(what, text, *words):
    for word in words:
        if word not in text:
            complain("%s: no %r in %r" % (what, word, text[:600]))


def wait_for(what, is_there):
    for _ in range(600):
        if is_there():
            return
        time.sleep(0.05)
    complain("waited in vain for " + what)


class Place:
    """The folder of the test, and commands in it."""

    def __init__(self, fcps, folder):
        self.fcps, self.folder, self.token = fcps, folder, os.path.join(folder, "token")
        self.environment = dict(os.environ, HOME=folder, XDG_STATE_HOME=os.path.join(folder, "state"),
                                FCPS_TOKEN_FILE=self.token)
        self.write("throw.yaml", PROBLEM)
        self.write("simulate.py", PROGRAM)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def begin(self, *words, **options):
        return subprocess.Popen([self.fcps, *words], cwd=self.folder, env=self.environment, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)

    def run(self, *words, **options):
        process = self.begin(*words, **options)
        try:
            text = process.communicate(timeout=50)[0]
        except subprocess.TimeoutExpired:
            process.kill()
            text = process.communicate()[0]
            complain("%s goes on for ever: %s" % (" ".join(words), text))
        return process.returncode, text

    def new(self, name):
        code, text = self.run("study", "new", name, "--problem", "throw.yaml")
        expect("study new " + name, (code, text if code else ""), (0, ""))

    def serve(self, *studies, options=()):
        return Server(self.fcps, [self.path(s) for s in studies], self.token, *options)


def end(process, number=signal.SIGTERM):
    process.send_signal(number)
    return process.wait(30)


def check_replaced(place):
    """A result never goes to a study that did not ask for it, and no study claims to have it."""
    place.new("one.fcps")
    place.new("two.fcps")
    place.run("study", "ask", "two.fcps", "--target", "x=-1,y=-1", "--client", "robot")
    server = place.serve("one.fcps")
    client, S = Client(server), "/v1/studies/one"
    ask = client.post(S + "/ask", {"client": "robot", "target": {"x": 7, "y": 7}})["ask"]
    shutil.copy(place.path("two.fcps"), place.path("copy.fcps"))
    os.rename(place.path("copy.fcps"), place.path("one.fcps"))
    for _ in range(3):
        error = client.post(S + "/tell", {"ask": ask, "outcome": LANDING}, 500)["error"]
        expect("a tell to another study", error["code"], "E_DAMAGED")
        contains("a tell to another study", error["message"], "replaced", "starting the server again")
        for path in "", "/asks", "/rollouts":
            expect("a look at another study", client.get(S + path, 500)["error"]["code"], "E_DAMAGED")
    server.end()
    contains("the other study", place.run("study", "status", "one.fcps")[1], "0 results")
    server = place.serve("one.fcps")
    expect("after a new start", Client(server).get(S + "/asks")["asks"][0]["target"], {"x": -1, "y": -1})
    server.end()


def check_older_copy(place):
    """A command that only reads also refuses an older copy of a study that was written over it, even after others continued
    that copy."""
    paths = "", "/asks", "/rollouts?after=0", "/events?after=0", "/curve", "/problem", "/rollouts.csv", "/health"
    for is_continued in False, True:
        place.new("over.fcps")
        server = place.serve("over.fcps")
        client, S = Client(server), "/v1/studies/over"
        for path in "", "/asks", "/health":
            client.get(S + path)
        shutil.copy(place.path("over.fcps"), place.path("old.fcps"))
        ask = client.post(S + "/ask", {"client": "robot", "target": {"x": 7, "y": 7}})["ask"]
        client.post(S + "/tell", {"ask": ask, "outcome": LANDING})
        shutil.copyfile(place.path("old.fcps"), place.path("over.fcps"))
        for number in range(4 * is_continued):
            place.run("study", "ask", "over.fcps", "--target", "x=-1,y=%d" % number)
        for path in paths:
            expect("a look at an older copy by " + path, client.get(S + path, 500)["error"]["code"], "E_DAMAGED")
        server.end()
        os.remove(place.path("over.fcps"))


def check_emptied(place):
    """If a study loses its content or its name, every lane refuses it for good, and its data are saved once."""
    for what in "emptied", "another database", "removed":
        place.new("lost.fcps")
        server = place.serve("lost.fcps")
        client, S = Client(server), "/v1/studies/lost"
        client.post(S + "/ask", {"client": "robot", "target": {"x": 7, "y": 7}})
        if what == "emptied":
            os.truncate(place.path("lost.fcps"), 0)
        elif what == "removed":
            os.remove(place.path("lost.fcps"))
        else:
            base = sqlite3.connect(place.path("other.db"))
            base.execute("create table a (b)")
            base.commit()
            base.close()
            shutil.copyfile(place.path("other.db"), place.path("lost.fcps"))
        for _ in range(2):
            for path in "", "/asks", "/health":
                expect("a look at a study that was " + what, client.get(S + path, 500)["error"]["code"], "E_DAMAGED")
            error = client.post(S + "/ask", {"client": "robot", "target": {"x": 1, "y": 1}}, 500)["error"]
            expect("an ask of a study that was " + what, error["code"], "E_DAMAGED")
        saved = [name for name in os.listdir(place.folder) if name.startswith("lost.fcps.rescued")]
        expect("copies of a study that was " + what, len(saved), 1 if what == "removed" else 0)
        server.end()
        for name in ["lost.fcps"] + saved:
            if os.path.exists(place.path(name)):
                os.remove(place.path(name))


def check_descriptors(place):
    """The server refuses further studies before its last descriptor is used, and the present ones continue."""
    os.mkdir(place.path("made"))
    place.write("few", "#!/bin/sh\nulimit -n 256 && exec '%s' \"$@\"\n" % place.fcps)
    os.chmod(place.path("few"), 0o755)
    server = Server(place.path("few"), [], place.token, "--make", place.path("made"))
    client, made = Client(server), 0
    for number in range(60):
        status, text = client.call("POST", "/v1/studies", {"name": "s%d" % number, "problem": PROBLEM})
        if status != 201:
            break
        made += 1
    error = json.loads(text)["error"]
    expect("a study too many", (status, error["code"], error["field"]), (403, "E_UNSUPPORTED", "name"))
    contains("a study too many", error["message"], "%d studies" % made, "ulimit -n", "LimitNOFILE")
    if not 10 <= made < 32:
        complain("%d studies fit into 256 descriptors" % made)
    expect("nothing was made", os.path.exists(place.path("made/s%d.fcps" % made)), False)
    expect("made again", client.call("POST", "/v1/studies", {"name": "s0", "problem": PROBLEM})[0], 200)
    more = [Client(server) for _ in range(40)]
    for number, other in enumerate(more):
        other.post("/v1/studies/s%d/ask" % (number % made), {"client": "robot-%d" % number, "target": {"x": 1, "y": 1}})
    server.end()
    for number in range(20):
        shutil.copy(place.path("made/s0.fcps"), place.path("made/t%d.fcps" % number))
    done = subprocess.run(server.command, capture_output=True, text=True, timeout=50)
    expect("too many at the start", (done.returncode, done.stdout), (2, ""))
    contains("too many at the start", done.stderr, "%d studies" % (made + 20), "%d fit" % made, "ulimit -n", "LimitNOFILE")
    expect("no connection", place.run("serve", "--make", place.path("made"), "--connections", "0")[0], 2)


def check_run_beside_worker(place, study, address):
    """Two programs never move one robot: whatever the door, neither begins beside the other."""
    place.write("hang", "")
    if os.path.exists(place.path("moving")):
        os.remove(place.path("moving"))
    run = place.begin("run", "throw.yaml", "--store", study, "--episodes", "50")
    wait_for("the run", lambda: os.path.exists(place.path("moving")))
    code, text = place.run("work", address, "--problem", "throw.yaml", "--trials", "1")
    expect("a worker beside a run at " + address, code, 5)
    contains("a worker beside a run", text, "E_LOCKED", "beside a run", "process %d" % run.pid)
    expect("the end of the run", end(run, signal.SIGINT), 130)
    os.remove(place.path("moving"))
    worker = place.begin("work", address, "--problem", "throw.yaml", "--trials", "50", "--name", "arm", "--lease", "20")
    wait_for("the worker", lambda: os.path.exists(place.path("moving")))
    code, text = place.run("run", "throw.yaml", "--store", study, "--episodes", "2")
    expect("a run beside a worker at " + address, code, 5)
    contains("a run beside a worker", text, "E_LOCKED", '"arm"', "End the worker")
    end(worker, signal.SIGINT)
    os.remove(place.path("hang"))
    code, text = place.run("run", "throw.yaml", "--store", study, "--episodes", "2")
    expect("a run after a worker: " + text, code, 0)


def check_beside(place):
    place.new("arm.fcps")
    check_run_beside_worker(place, "arm.fcps", "arm.fcps")
    server = place.serve("arm.fcps")
    check_run_beside_worker(place, "arm.fcps", "http://127.0.0.1:%d/arm" % server.port)
    place.write("hang", "")
    if os.path.exists(place.path("moving")):
        os.remove(place.path("moving"))
    run = place.begin("run", "throw.yaml", "--store", "arm.fcps", "--episodes", "50")
    client = Client(server)
    wait_for("the run", lambda: os.path.exists(place.path("moving")))
    expect("a lease beside a run", client.post("/v1/studies/arm/lease", {"worker": "plc"}, 503)["error"]["code"], "E_LOCKED")
    end(run, signal.SIGINT)
    os.remove(place.path("hang"))
    client.post("/v1/studies/arm/lease", {"worker": "plc"})
    server.end()


def check_kept(place):
    """Results that a worker could not tell its server are counted. A command tells them, not only the next worker."""
    place.new("kept.fcps")
    place.write("hang", "")
    server = place.serve("kept.fcps")
    url = "http://127.0.0.1:%d/kept" % server.port
    if os.path.exists(place.path("moving")):
        os.remove(place.path("moving"))
    worker = place.begin("work", url, "--problem", "throw.yaml", "--trials", "1", "--lease", "2")
    wait_for("the worker", lambda: os.path.exists(place.path("moving")))
    server.kill()
    state = place.path("state/fcps")
    os.remove(place.path("hang"))
    wait_for("a kept result", lambda: os.path.isdir(state) and any(name.endswith("-kept-1.json") for name in os.listdir(state)))
    end(worker, signal.SIGKILL)
    left = [name for name in os.listdir(state) if name.endswith("-kept-1.json")]
    place.write("state/fcps/%s.new-999999-0.json" % left[0], "a draft of a worker that was killed")
    server.start("127.0.0.1:%d" % server.port)
    with open(os.path.join(state, left[0])) as file:
        kept = file.read()
    contains("status of the file", place.run("study", "status", "kept.fcps")[1], "1 result is kept on this machine, by workers",
             "study tell kept.fcps --kept")
    expect("the same as JSON", json.loads(place.run("study", "status", "kept.fcps", "--json")[1]).get("kept_results"), 1)
    expect("tell --kept to the file", place.run("study", "tell", "kept.fcps", "--kept")[1].splitlines()[-1], "stored 1 kept result")
    expect("and again", place.run("study", "tell", "kept.fcps", "--kept"), (0, "stored 0 kept results\n"))
    place.write("state/fcps/" + left[0], kept)  # as if nobody had told it
    contains("status", place.run("study", "status", url)[1], "1 result is kept", "study tell %s --kept" % url)
    expect("status --json", json.loads(place.run("study", "status", url, "--json")[1]).get("kept_results"), 1)
    expect("tell --kept", place.run("study", "tell", url, "--kept")[1].splitlines()[-1], "stored 1 kept result")
    expect("stored", Client(server).get("/v1/studies/kept")["rollouts"], 1)
    expect("tell --kept again", place.run("study", "tell", url, "--kept"), (0, "stored 0 kept results\n"))
    expect("the next worker", place.run("work", url, "--problem", "throw.yaml", "--trials", "2")[0], 0)
    expect("what is left", [name for name in os.listdir(state) if "-kept-" in name], [])
    server.end()


def check_folders(place):
    """No folder gets a name that belongs to a study: the study could not be used beside it."""
    place.new("s.fcps")
    for tail in "-journal", "-lock", "-reserve", "-kept-1.json":
        for out in "s.fcps" + tail, "s.fcps" + tail + "/deep":
            code, text = place.run("run", "cannon", "--episodes", "2", "--out", out)
            expect("--out " + out, code, 2)
            contains("--out " + out, text, "uses for the study beside it", "s.fcps" + tail)
            expect("what --out made", os.path.exists(place.path("s.fcps" + tail)), False)
    expect("the study", place.run("study", "status", "s.fcps")[0], 0)


def own_folders():
    return {name for name in os.listdir("/tmp") if name.startswith(("fcps-copy-", "fcps-report-"))
            and os.stat(os.path.join("/tmp", name)).st_uid == os.getuid()}


def check_copies(place):
    """A signal leaves no copy of a study in /tmp."""
    place.new("copied.fcps")
    rows = "x,y,turn,speed,land_x,land_y\n" + "".join("1,1,%r,5,%r,2\n" % (i / 9, i / 7) for i in range(1500))
    place.write("many.csv", rows)
    expect("import", place.run("study", "import", "copied.fcps", "many.csv")[0], 0)
    expect("amend", place.run("study", "amend", "copied.fcps", "--learner", "outcome")[0], 0)
    server = place.serve("copied.fcps")
    for command in ["status"], ["report", "--output", place.path("page.html")]:
        before = own_folders()
        process = place.begin("study", command[0], "http://127.0.0.1:%d/copied" % server.port, *command[1:])
        wait_for("a copy", lambda: own_folders() - before or process.poll() is not None)
        mine = own_folders() - before
        expect("study %s, ended" % command[0], end(process), -signal.SIGTERM)
        expect("study %s, what is left" % command[0], mine & own_folders(), set())
    server.end()


def check_pipes(place):
    """A named pipe is refused, not waited for; a pipe of the shell is read."""
    os.mkfifo(place.path("pipe"))
    place.new("piped.fcps")
    for words in (["study", "new", "p.fcps", "--problem", "pipe"], ["retarget", "piped.fcps", "pipe"],
                  ["study", "import", "piped.fcps", "pipe"], ["run", "pipe"], ["check", "pipe"]):
        code, text = place.run(*words)
        if code in (0, -9):
            complain("%s: %d" % (" ".join(words), code))
        contains(" ".join(words), text, "pipe")
    code, _ = place.run("study", "new", "in.fcps", "--problem", "/dev/stdin", stdin=open(place.path("throw.yaml")))
    expect("a file as /dev/stdin", code, 0)
    reader, writer = os.pipe()
    os.write(writer, PROBLEM.encode())
    os.close(writer)
    code, _ = place.run("study", "new", "shell.fcps", "--problem", "/dev/fd/%d" % reader, pass_fds=[reader])
    expect("a pipe of the shell", code, 0)
    os.close(reader)


def check_no_target(place):
    """A trial whose target nobody noted is accepted, as on the command line."""
    place.new("old.fcps")
    server = place.serve("old.fcps")
    client, S = Client(server), "/v1/studies/old"
    for key, end_of_trial in ("a", {"failed": "slipped"}), ("b", {"outcome": LANDING}), ("c", {"target": None, "outcome": None}):
        answer = client.post(S + "/tell", {"key": key, "executed": {"turn": 10, "speed": 2}, **end_of_trial})
        expect("a trial without a target", [w["code"] for w in answer.get("warnings", [])][:1], ["W_NO_TARGET"])
    expect("its target", [r["target"] for r in client.get(S + "/rollouts")["rollouts"]], 3 * [{"x": 0, "y": 0}])
    client.post(S + "/tell", {"key": "d", "target": {"x": 1}, "executed": {"turn": 10, "speed": 2}, "failed": True}, 400)
    server.end()


def check_tokens(place):
    """A token at the wrong place is refused, and no message repeats it."""
    place.new("secret.fcps")
    server = place.serve("secret.fcps")
    where, token = "127.0.0.1:%d" % server.port, server.token
    for address in ("http://%s/secret#tok=%s", "http://%s/secret#%s", "https://%s/secret#tokn=%s"):
        code, text = place.run("study", "status", address % (where, token))
        expect(address, (code, token in text), (2, False))
    for scheme in "http", "https":
        for user in "u:" + token, token:
            for words in ["study", "status"], ["work", "--problem", "throw.yaml"]:
                code, text = place.run(*words, "%s://%s@%s/secret" % (scheme, user, where))
                expect("a token before the host", (code, token in text), (2, False))
    expect("at its place", place.run("study", "status", "http://%s/secret#token=%s" % (where, token))[0], 0)
    server.end()


def main():
    place = Place(*sys.argv[1:3])
    checks = {"replaced": check_replaced, "older_copy": check_older_copy, "emptied": check_emptied, "descriptors": check_descriptors, "beside": check_beside, "kept": check_kept,
              "folders": check_folders, "copies": check_copies, "pipes": check_pipes, "no_target": check_no_target,
              "tokens": check_tokens}
    for name in sys.argv[3:] or checks:
        checks[name](place)
    sys.exit(1 if failures else 0)


main()
