# SPDX-License-Identifier: Apache-2.0
"""What people stumbled over who had never used `fcps serve`: nothing that is said is lost in silence, whatever the door.
python3 strangers.py FCPS FOLDER"""
import json
import os
import random
import re
import shutil
import socket
import subprocess
import sys
import threading
import time

from client import Client, Server, complain, expect, failures

PROBLEM = """name: throw
target:      {x: [-8, 8], y: [-8, 8]}
environment: {wind: {range: [-1, 1], unit: m/s}}
parameters:
  turn:  {range: [0, 360], period: 360, unit: deg}
  speed: {range: [1, 10], unit: m/s}
outcome: [land_x, land_y]
achieved: {x: land_x, y: land_y}
reward: -distance - 0.01*speed^2
"""
S = "/v1/studies/throw"
HERE = {"target": {"x": 3, "y": 4}, "environment": {"wind": 0.2}}
ROW = "1,1,0,30,5,4.3,2.5\n"
HEAD = "x,y,wind,turn,speed,land_x,land_y\n"


def contains(what, text, *words):
    for word in words:
        if word not in text:
            complain("%s: no %r in %r" % (what, word, text[:400]))


class Place:
    """The folder of the test, and commands in it."""

    def __init__(self, fcps, folder):
        self.fcps, self.folder = fcps, folder
        self.environment = dict(os.environ, HOME=folder, XDG_STATE_HOME=os.path.join(folder, "state"))
        self.environment.pop("FCPS_TOKEN_FILE", None)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text, encoding="utf-8"):
        with open(self.path(name), "w", encoding=encoding) as file:
            file.write(text)

    def run(self, *words, environment=None):
        patience = 200 if "FCPS_SANITIZED" in os.environ else 50
        done = subprocess.run([self.fcps, *words], cwd=self.folder, capture_output=True, text=True, timeout=patience,
                              env={**self.environment, **(environment or {})})
        return done.returncode, done.stdout + done.stderr

    def new(self, name):
        self.write("throw.yaml", PROBLEM)
        code, text = self.run("study", "new", name, "--problem", "throw.yaml")
        expect("study new " + name, (code, text if code else ""), (0, ""))


def check_import(place, client, url):
    """Equal rows are repeated trials, through a server as in a file; a repeated import adds nothing."""
    place.new("twin.fcps")
    tables = {"equal.csv": HEAD + 3 * ROW, "wrong.csv": HEAD + ROW + "1,1,0,thirty,5,4.3,2.5\n", "lacks.csv": "x,y\n1,2\n",
              "odd.csv": HEAD.replace("\n", ",colour\n") + "1,2,0,30,50,4,2,red\n", "empty.csv": "", "absent.csv": None}
    for name, text in tables.items():
        if text is not None:
            place.write(name, text)
        for _ in range(2):
            here, there = place.run("study", "import", "twin.fcps", name), place.run("study", "import", url, name)
            expect("import " + name, there[0], here[0])
            here, there = (re.sub(r"fcps study (amend|import) \S+ ", r"fcps study \1 STUDY ", text) for _, text in (here, there))
            expect("import " + name, there, here)
    rollouts = client.get(S + "/rollouts")["rollouts"]
    expect("imported rows", [(r["client"], r["ask"]) for r in rollouts], 4 * [("import", None)])
    place.write("latin.csv", HEAD.replace("\n", ",message\n") + "1,2,0,30,5,4,2,s\u00e4ge\n", "latin-1")
    code, text = place.run("study", "import", url, "latin.csv")
    expect("a table that is not UTF-8", code, 2)
    contains("a table that is not UTF-8", text, "UTF-8", "latin.csv")
    more = {"csv": HEAD + 2 * "2,2,0,30,5,4.3,2.5\n", "file": "more.csv"}
    first = client.post(S + "/import", more)
    expect("the route", (first["added"], first["skipped"]), (2, 0))
    expect("a row that is there twice", first["warnings"][0]["code"], "W_ROWS_REPEATED")
    expect("the route, again", client.post(S + "/import", more), {"added": 0, "skipped": 2})
    wrong = client.post(S + "/import", {"csv": HEAD + ROW + "1,1,0\n", "file": "w.csv"}, 400)["error"]
    expect("a wrong row", (wrong["code"], wrong["file"], wrong["line"]), ("E_FORMAT", "w.csv", 3))
    client.post(S + "/import", {}, 400)
    long = HEAD + "".join("%r,1,0,30,5,4.3,2.5\n" % (0.1 + i / 5e5) for i in range(40000))
    if len(long) < 1 << 20:
        complain("the long table is short")
    expect("a long table that is wrong in its last row", client.post(S + "/import", {"csv": long + "1\n"}, 400)["error"]["line"], 40002)
    expect("all or none", len(client.get(S + "/rollouts")["rollouts"]), 6)


def check_failed(client):
    """A failure with wrong numbers is refused, and an outcome beside a failure as well."""
    ask = client.post(S + "/ask", {"client": "robot", **HERE})
    tell = {"ask": ask["ask"]}
    for extra, field in (({"executed": {}}, "executed"), ({"executed": {"tunr": 10, "speed": 2}}, "executed"),
                         ({"executed": {"turn": "x", "speed": 2}}, "executed"), ({"executed": 7}, "executed"),
                         ({"environment": {}}, "environment"), ({"environment": {"wnd": 1}}, "environment")):
        for failed in "gripper slipped", True:
            error = client.post(S + "/tell", {**tell, "failed": failed, **extra}, 400)["error"]
            if not error["field"].startswith(field):
                complain("%r: the field is %r" % (extra, error))
    landing = {"land_x": 0.64, "land_y": -3.05}
    for failed in "x", True:
        error = client.post(S + "/tell", {**tell, "failed": failed, "outcome": landing}, 400)["error"]
        contains("an outcome beside a failure", error["message"], "outcome", "failed")
    for failed in 7, {}, []:
        expect("failed: %r" % failed, client.post(S + "/tell", {**tell, "failed": failed}, 400)["error"]["field"], "failed")
    for failed in "", False, None:
        error = client.post(S + "/tell", {**tell, "failed": failed}, 400)["error"]
        expect("no failure, and no outcome", error["field"], "outcome")
    error = client.post(S + "/tell", {**tell, "outcome": landing, "hindsight_reward": 1}, 400)["error"]
    expect("a reward beside a formula", error["field"], "hindsight_reward")
    expect("nothing is stored", client.get(S + "/asks")["asks"][0]["state"], "pending")
    receipt = client.post(S + "/tell", {**tell, "failed": "", "outcome": landing})
    expect("no failure", receipt["reward"] is not None, True)
    other = client.post(S + "/ask", {"client": "robot", **HERE})
    receipt = client.post(S + "/tell", {"ask": other["ask"], "failed": True, "executed": {"turn": 10, "speed": 2}, "environment": {"wind": 0.1}})
    last = client.get(S + "/rollouts")["rollouts"][-1]
    expect("a whole failure", (last["parameters"], last["environment"], last["status"]), ({"turn": 10, "speed": 2}, {"wind": 0.1}, "failed"))


def check_words(client):
    """An error or a warning names fields of the API, and a request is not called an answer."""
    ask = client.post(S + "/ask", {"client": "robot", **HERE})["ask"]
    client.post(S + "/tell", {"ask": ask, "outcome": {"land_x": 1, "land_y": 1}})
    other = client.post(S + "/tell", {"ask": ask, "outcome": {"land_x": 2, "land_y": 1}}, 409)["error"]["message"]
    name = re.search(r"--use (\S+)", other)[1]
    expect("by its name", client.post(S + "/use", {"result": name})["used"], True)
    client.post(S + "/drop", {"result": "%d.9" % ask}, 404)
    for route, body in ("/best", {"target": {"x": 3}, "environment": {"wind": 0}}), ("/tell", {"ask": ask}):
        message = client.post(S + route, body, 400)["error"]["message"]
        if "answer" in message:
            complain("a request is called an answer: " + message)


def check_wordless(place, client, url):
    """A failure without a message is a failure through a server as well."""
    ask = client.post(S + "/ask", {"client": "robot", **HERE})["ask"]
    code, text = place.run("study", "tell", url, str(ask), "--no-outcome", "--status", "timeout")
    expect("a failure without words: " + text[:200], code, 0)
    expect("a failure without words", client.get(S + "/rollouts")["rollouts"][-1]["status"], "timeout")
    for study in url, "throw.fcps":
        for extra in ("--outcome", "land_x=1,land_y=1", "--status", "timeout"), ("--failed", "x", "--reward", "1"):
            code, text = place.run("study", "tell", study, str(ask), *extra)
            expect("%s: %s" % (" ".join(extra), text[:200]), code, 2)
            contains("what contradicts itself", text, "leave out")


def check_names(place, client):
    """A name belongs to one file. A name that no request can contain is refused at the start."""
    os.mkdir(place.path("other"))
    shutil.copy(place.path("throw.fcps"), place.path("other/far.fcps"))
    server = Server(place.fcps, [place.path("throw.fcps"), place.path("other/far.fcps")], place.path("token"), "--make", place.path("made"))
    there = Client(server)
    error = there.post("/v1/studies", {"name": "far", "problem": PROBLEM}, 409)["error"]
    contains("a name that is taken", error["message"], "far", "name")
    expect("no file", os.listdir(place.path("made")), [])
    expect("another name", there.post("/v1/studies", {"name": "near", "problem": PROBLEM}, 201)["study"], "near")
    expect("again", there.post("/v1/studies", {"name": "near", "problem": PROBLEM})["repeated"], True)
    for other in {"learner": "random"}, {"settings": {"kappa": "2"}}, {"seed": 3}:
        expect("something else", there.post("/v1/studies", {"name": "near", "problem": PROBLEM, **other}, 409)["error"]["field"], "name")
    near = "http://127.0.0.1:%d" % server.port
    server.end()
    shutil.copy(place.path("throw.fcps"), place.path("my s\u00e4ge 50%.fcps"))
    server = Server(place.fcps, [place.path("my s\u00e4ge 50%.fcps")], place.path("token"))
    near = "http://127.0.0.1:%d/" % server.port
    for name in "my s\u00e4ge 50%", "my%20s%C3%A4ge%2050%25":
        code, text = place.run("study", "log", near + name)
        expect("a name with blanks: " + text[-200:], code, 0)
    server.end()
    for name in "back\\slash", "two\nlines", "x" * 240:
        shutil.copy(place.path("throw.fcps"), place.path(name + ".fcps"))
        code, text = place.run("serve", place.path(name + ".fcps"), "--listen", "127.0.0.1:1")
        expect("a name that cannot be asked for: " + text[:200], code, 2)
        contains("a name that cannot be asked for", text, "name", "rename")
    shutil.copy(place.path("throw.fcps"), place.path("other/throw.fcps"))
    code, text = place.run("serve", "throw.fcps", "other/throw.fcps", "--listen", "127.0.0.1:1")
    expect("two files of one name", (code, "other/throw.fcps" in text), (2, True))


def check_clients(client):
    """The asks of a run are its own. A client that gets an unfinished ask for another context is told so."""
    for name in "run", "run/2":
        for route in "/ask", "/choose":
            error = client.post(S + route, {"client": name, **HERE}, 400)["error"]
            expect("a client of a run", (error["code"], error["field"]), ("E_ARGUMENT", "client"))
        ask = client.post(S + "/ask", HERE)["ask"]
        told = {"ask": ask, "outcome": {"land_x": 1, "land_y": 1}, "client": name}
        error = client.post(S + "/tell", told, 400)["error"]
        expect("a run does not tell here", (error["code"], error["field"]), ("E_ARGUMENT", "client"))
    client.post(S + "/ask", {"client": "runner", **HERE})
    again = client.post(S + "/ask", {"client": "runner", **HERE})
    expect("the same context", [w["code"] for w in again.get("warnings", [])], [])
    other = client.post(S + "/ask", {"client": "runner", "target": {"x": 1, "y": 1}, "environment": {"wind": 0}})
    expect("another context", [w["code"] for w in other.get("warnings", [])], ["W_OTHER_CONTEXT"])
    contains("another context", other["warnings"][0]["message"], "forget")
    team = {"client": "team", "count": 2, **HERE}
    client.post(S + "/ask", team)
    other = client.post(S + "/ask", {**team, "target": {"x": 1, "y": 1}})
    expect("another context of a team", [w["code"] for w in other.get("warnings", [])], 2 * ["W_OTHER_CONTEXT"])
    for ask in client.get(S + "/asks")["asks"]:
        client.post(S + "/forget", {"ask": ask["ask"]})


def check_other_context(place, url):
    """The command says it once."""
    for x in 1, 2:
        _, text = place.run("study", "ask", url, "--target", "x=%d,y=1" % x, "--environment", "wind=0", "--client", "twice")
    expect("W_OTHER_CONTEXT of the command", text.count("W_OTHER_CONTEXT"), 1)


def check_long_texts(place, client):
    """A text too long to read is cut when it is stored, whatever the door."""
    ask = client.post(S + "/ask", {"client": "robot", **HERE})["ask"]
    receipt = client.post(S + "/tell", {"ask": ask, "failed": "\u00e4" * 150000})
    expect("a warning", [w["code"] for w in receipt.get("warnings", [])], ["W_TEXT_CUT"])
    message = client.get(S + "/rollouts")["rollouts"][-1]["message"]
    expect("a long reason", (len(message.encode()) <= 4096, message[:3]), (True, "\u00e4\u00e4\u00e4"))
    contains("a long reason", message, "300000 bytes")
    place.write("long.csv", HEAD.replace("\n", ",status,message\n") + "1,1,0,30,5,,,failed,%s\n" % ("y" * 9000))
    client.post(S + "/import", {"csv": open(place.path("long.csv")).read()})
    expect("a long message of a table", len(client.get(S + "/rollouts")["rollouts"][-1]["message"]) <= 4096, True)
    unasked = {**HERE, "executed": {"turn": 10, "speed": 2}, "outcome": None}
    for key in "client", "key":
        expect("a long " + key, client.post(S + "/tell", {**unasked, key: "k" * 2000}, 400)["error"]["field"], key)


def check_bidi(place, client, url):
    """Characters that turn the direction of a text around are shown by their numbers."""
    ask = client.post(S + "/ask", {"client": "robot", **HERE})["ask"]
    client.post(S + "/tell", {"ask": ask, "failed": "safe \u202e evil \u2066 x"})
    expect("report", place.run("study", "report", url, "-o", "page.html")[0], 0)
    page = open(place.path("page.html"), encoding="utf-8").read()
    if "\u202e" in page or "\u2066" in page:
        complain("the report has characters that turn texts around")
    contains("the report", page, "U+202E")


def check_addresses(place, server, url, token):
    """The token goes to nobody else and is never printed, and a mistyped address is understood."""
    state = place.path("state/fcps")
    os.makedirs(state, exist_ok=True)
    shutil.copy(place.path("token"), os.path.join(state, "token"))
    code, text = place.run("study", "log", "http://192.0.2.7:80/throw", environment={"FCPS_SERVER_WAIT": "2"})
    expect("another machine", code, 2)
    contains("another machine", text, "192.0.2.7", "FCPS_TOKEN_FILE")
    base = url.rsplit("/", 1)[0]
    for port in "99999", "0", "65536", str(65536 + server.port):
        code, text = place.run("study", "log", "http://127.0.0.1:%s/throw" % port)
        expect("port " + port, (code, "65535" in text), (2, True))
    for words in (("status",), ("log",), ("amend", "--reward", "-distance"), ("ask", "--target", "x=1"), ("best",), ("log", "x")):
        for address in url, url + "x", base + "x/throw", url.replace("http:", "http:/"):
            _, text = place.run("study", words[0], address + "#token=" + token, *words[1:])
            if token in text:
                complain("%s prints the token: %s" % (words[0], text))
    for wrong, right in ((url.replace("http://", "https://"), "http://"), (url.replace("http://", "http:/"), "http://"),
                         (url.replace("http://", ""), "http://"), (url.replace("http://", "htp://"), "http://"),
                         (base + "/thro", "throw"), (base + "throw", base + "/throw"), (base, "/throw"), (url + "/ask", url)):
        code, text = place.run("study", "log", wrong)
        if code == 0 or right not in text.replace(wrong, ""):
            complain("%s is answered by %s" % (wrong, text))
    for words in ("new", "https://127.0.0.1:1/x", "--problem", "throw.yaml"), ("backup", "http:/127.0.0.1:1/x", "y.fcps"):
        code, text = place.run("study", *words)
        expect(" ".join(words) + ": " + text[:200], (code, "http://127.0.0.1:1/x" in text), (2, True))


def check_token_files(place):
    """No message tells a user to remove a study."""
    os.chmod(place.path("throw.fcps"), 0o600)
    place.write("none", "hello\n")
    for mode in 0o600, 0o644:
        for name in "throw.fcps", "none":
            os.chmod(place.path(name), mode)
            code, text = place.run("serve", "throw.fcps", "--token-file", name, "--listen", "127.0.0.1:1")
            expect("--token-file " + name, code != 0, True)
            contains("--token-file " + name, text, "not a token", "--token-file")
            if "remove" in text:
                complain("--token-file %s: %s" % (name, text))


def check_silence(place):
    """A command does not wait for ever for a server that does not answer."""
    silent = socket.create_server(("127.0.0.1", 0))
    kept = []
    threading.Thread(target=lambda: kept.append(silent.accept()), daemon=True).start()
    code, text = place.run("study", "log", "http://127.0.0.1:%d/throw" % silent.getsockname()[1], environment={"FCPS_SERVER_WAIT": "1"})
    expect("a silent server", code, 4)
    contains("a silent server", text, "within 1 s", "FCPS_SERVER_WAIT")


def check_backup(place, url):
    """A copy is not written over the very study that it is of."""
    for force in [], ["--force"]:
        before = os.stat(place.path("throw.fcps")).st_ino
        code, text = place.run("study", "backup", url, "throw.fcps", *force)
        expect("a backup onto the study", (code, os.stat(place.path("throw.fcps")).st_ino), (2, before))
    contains("a backup onto the study", text, "serves")
    expect("a backup", place.run("study", "backup", url, "kept.fcps")[0], 0)
    expect("a backup, again", place.run("study", "backup", url, "kept.fcps", "--force")[0], 0)


def check_workers(place, client):
    """Workers and their asks are in the state, as in the state of a file."""
    place.write("trial.py", "import sys, time\nfor line in sys.stdin:\n    time.sleep(30)\n")
    place.write("slow.yaml", PROBLEM + "run: {command: [python3, trial.py], timeout_s: 60}\n")
    expect("new", place.run("study", "new", "slow.fcps", "--problem", "slow.yaml")[0], 0)
    server = Server(place.fcps, [place.path("slow.fcps")], place.path("token"))
    worker = subprocess.Popen([place.fcps, "work", "slow.fcps", "--problem", "slow.yaml", "--name", "bench"], cwd=place.folder, env=place.environment,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    there, found = Client(server), []
    for _ in range(100):
        found = there.get("/v1/studies/slow").get("workers", [])
        if found:
            break
        worker_poll = worker.poll()
        if worker_poll is not None:
            complain("the worker ended with %d" % worker_poll)
            break
        threading.Event().wait(0.1)
    expect("workers", [(w["worker"], w["leases"]) for w in found], [("bench", 1)])
    worker.terminate()
    worker.wait()
    server.end()


ANSWER = """import json, sys
for line in sys.stdin:
    print(json.dumps({"ask": json.loads(line)["ask"], "outcome": {"land_x": 1.0, "land_y": 2.0}}), flush=True)
"""


def check_files(place):
    """No path from a request reaches the file system, and no command from a study is run without a word."""
    place.write("secret.csv", "x,y,wind\n1,2,0.5\n-1,-2,0\n")
    server = Server(place.fcps, [place.path("throw.fcps")], place.path("token"), "--make", place.path("made"))
    client, base = Client(server), "http://127.0.0.1:%d/" % server.port
    for path in "secret.csv", place.path("secret.csv"), "/dev/zero", "/proc/kmsg":
        error = client.post("/v1/studies", {"name": "reader", "problem": PROBLEM + "contexts: {csv: %s}\n" % path}, 422)["error"]
        expect("a problem that names a file", (error["code"], error["field"]), ("E_UNSUPPORTED", "contexts.csv"))
    expect("nothing is made", os.path.exists(place.path("made/reader.fcps")), False)

    # a command in a problem is data
    program = "run: {command: [touch, %s], timeout_s: 9}\n" % place.path("ran")
    client.post("/v1/studies", {"name": "evil", "problem": PROBLEM + program}, 201)
    code, text = place.run("work", base + "evil", "--trials", "1")
    expect("a command from a server", (code, os.path.exists(place.path("ran"))), (2, False))
    contains("a command from a server", text, "touch " + place.path("ran"), "--trust-study", "--problem FILE")
    code, text = place.run("work", base + "evil", "--trials", "1", "--trust-study")
    expect("a command from a server that is trusted", (code, os.path.exists(place.path("ran"))), (6, True))
    server.end()

    # the server reads no table of a study either; the worker has it
    place.write("answer.py", ANSWER)
    place.write("table.yaml", PROBLEM + "learner: {name: random}\ncontexts: {csv: secret.csv}\n"
                "run: {command: [python3, answer.py], timeout_s: 60}\n")
    expect("new", place.run("study", "new", "table.fcps", "--problem", "table.yaml")[0], 0)
    server = Server(place.fcps, [place.path("table.fcps")], place.path("token"))
    client, base = Client(server), "http://127.0.0.1:%d/" % server.port
    error = client.post("/v1/studies/table/lease", {"worker": "w"}, 400)["error"]
    expect("a lease without a context", (error["code"], error["field"]), ("E_ARGUMENT", "target"))
    code, text = place.run("work", base + "table", "--trials", "3", "--problem", "table.yaml")
    expect("a worker with the table", (code, text if code else ""), (0, ""))
    rows = [(r["target"]["x"], r["environment"]["wind"]) for r in client.get("/v1/studies/table/rollouts")["rollouts"]]
    expect("contexts of the table", rows, [(1, 0.5), (-1, 0), (1, 0.5)])
    server.end()


def check_twins(place):
    """Two workers with one name do not run the same asks: the second ends with a message. After a worker was killed, its name
    is free again."""
    place.write("nap.py", "import time\n" + ANSWER.replace("    print", "    time.sleep(0.3)\n    print"))
    place.write("nap.yaml", PROBLEM + "learner: {name: random}\nrun: {command: [python3, nap.py], timeout_s: 60}\n")
    expect("new", place.run("study", "new", "nap.fcps", "--problem", "nap.yaml")[0], 0)
    server = Server(place.fcps, [place.path("nap.fcps")], place.path("token"))
    for study in "nap.fcps", "http://127.0.0.1:%d/nap" % server.port:
        words = [place.fcps, "work", study, "--problem", "nap.yaml", "--name", "twin", "--lease", "2"]
        first = subprocess.Popen(words, cwd=place.folder, env=place.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        first.stdout.readline()
        code, text = place.run(*words[1:], "--trials", "1000")
        expect("a second worker of one name", (code, first.poll()), (2, None))
        contains("a second worker of one name", text, "W_NAME_TAKEN", "E_CONFLICT", "twin", "--name", "0 trials done" if code == 0 else "")
        first.kill()
        first.wait()
        asks = len(Client(server).get("/v1/studies/nap/asks?state=all")["asks"])
        code, text = place.run(*words[1:], "--trials", str(asks + 1))
        expect("the name of one that was killed", (code, text if code else ""), (0, ""))
    log = [json.loads(line) for line in place.run("study", "log", "nap.fcps", "--json")[1].splitlines() if line.startswith("{")]
    numbers = [row["ask"] for row in log]
    expect("no ask was run twice", len(numbers), len(set(numbers)))
    server.end()


def check_end(place):
    """A server ends on TERM while a model computes, and nothing that was acknowledged is lost."""
    place.new("large.fcps")
    rows = [(random.uniform(-8, 8), random.uniform(0, 360), random.uniform(1, 10)) for _ in range(6000)]
    place.write("large.csv", HEAD + "".join("%r,1,0,%r,%r,%r,%r\n" % (x, turn, speed, speed + x, turn - x) for x, turn, speed in rows))
    server = Server(place.fcps, [place.path("large.fcps")], place.path("token"))
    with open(place.path("large.csv")) as table:
        expect("import", Client(server).post("/v1/studies/large/import", {"csv": table.read()})["added"], 6000)
    looking = Client(server)

    def look():
        try:
            looking.call("GET", "/v1/studies/large")
        except OSError:
            pass  # the server has ended

    threading.Thread(target=look, daemon=True).start()
    threading.Event().wait(2)
    begin = time.monotonic()
    server.end()
    if time.monotonic() - begin > 40:
        complain("the server ended after %.0f s" % (time.monotonic() - begin))
    server.start()
    expect("the results", [s["rollouts"] for s in Client(server).get("/v1/studies")["studies"]], [6000])
    server.end()


def check_made(place):
    """A study that was made through a server is served again by the next one. If the folder is not a folder, the start is
    refused."""
    os.mkdir(place.path("shelf"))
    token = place.path("token")
    server = Server(place.fcps, [], token, "--make", place.path("shelf"))
    client = Client(server)
    expect("no study yet", client.get("/v1/studies")["studies"], [])
    client.post("/v1/studies", {"name": "later", "problem": PROBLEM}, 201)
    client.post("/v1/studies/later/ask", {"client": "robot", **HERE})
    server.end()
    place.write("shelf/broken.fcps", "no study")
    os.symlink(place.path("throw.fcps"), place.path("shelf/linked.fcps"))
    shutil.copy(place.path("shelf/later.fcps"), place.path("later.fcps"))
    server = Server(place.fcps, [], token, "--make", place.path("shelf"))
    found = [s["study"] for s in Client(server).get("/v1/studies")["studies"]]
    expect("after a restart", found, ["later"])
    expect("its ask", Client(server).get("/v1/studies/later/asks")["asks"][0]["client"], "robot")
    server.end()
    server = Server(place.fcps, [place.path("later.fcps")], token, "--make", place.path("shelf"))
    expect("one of each name", [s["study"] for s in Client(server).get("/v1/studies")["studies"]], ["later"])
    server.end()
    for wrong in "nowhere", "throw.fcps":
        code, text = place.run("serve", "throw.fcps", "--make", wrong, "--token-file", token)
        expect("a folder that is none", code, 4)
        contains("a folder that is none", text, "--make", wrong)
    expect("neither", place.run("serve")[0], 2)


def main():
    place = Place(*sys.argv[1:3])
    os.mkdir(place.path("made"))
    place.new("throw.fcps")
    server = Server(place.fcps, [place.path("throw.fcps")], place.path("token"))
    place.environment["FCPS_TOKEN_FILE"] = place.path("token")
    client, url = Client(server), "http://127.0.0.1:%d/throw" % server.port
    checks = {"import": lambda: check_import(place, client, url), "failed": lambda: check_failed(client),
              "words": lambda: check_words(client), "wordless": lambda: check_wordless(place, client, url), "clients": lambda: check_clients(client),
              "other_context": lambda: check_other_context(place, url), "long": lambda: check_long_texts(place, client),
              "bidi": lambda: check_bidi(place, client, url), "silence": lambda: check_silence(place),
              "backup": lambda: check_backup(place, url), "names": lambda: check_names(place, client),
              "workers": lambda: check_workers(place, client), "files": lambda: check_files(place),
              "twins": lambda: check_twins(place), "end": lambda: check_end(place), "made": lambda: check_made(place)}
    wanted = sys.argv[3:]
    for name, check in checks.items():
        if not wanted or name in wanted:
            check()
    del place.environment["FCPS_TOKEN_FILE"]
    if not wanted or "addresses" in wanted:
        check_addresses(place, server, url, server.token)
    server.end()
    if not wanted or "tokens" in wanted:
        check_token_files(place)
    sys.exit(1 if failures else 0)


main()
