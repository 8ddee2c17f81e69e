# SPDX-License-Identifier: Apache-2.0
"""Counts the requests that a command makes: the program speaks through a socket of its own, which passes everything on
and notes each request line. An ask must be one request, not a copy of the study."""
import json
import os
import socket
import subprocess
import sys
import threading
import time

fcps, folder = sys.argv[1:3]
server_path, own_path = os.path.join(folder, "server.sock"), os.path.join(folder, "own.sock")
environment = dict(os.environ, FCPS_TOKEN_FILE=os.path.join(folder, "token"), XDG_STATE_HOME=os.path.join(folder, "state"))
requests, failed = [], 0


def pass_on(source, sink, is_request):
    first = b""
    while True:
        try:
            data = source.recv(65536)
        except OSError:
            data = b""
        if is_request and b"\r\n" not in first:
            first += data
            if b"\r\n" in first:
                requests.append(first.split(b"\r\n")[0].decode().split(" HTTP")[0])
        try:
            sink.sendall(data) if data else sink.shutdown(socket.SHUT_WR)
        except OSError:
            return
        if not data:
            return


def listen():
    door = socket.socket(socket.AF_UNIX)
    door.bind(own_path)
    door.listen(16)
    while True:
        client, _ = door.accept()
        server = socket.socket(socket.AF_UNIX)
        server.connect(server_path)
        for pair in ((client, server, True), (server, client, False)):
            threading.Thread(target=pass_on, args=pair, daemon=True).start()


def run(*words, code=0, state=None):
    """What the command printed; its requests are in `requests`."""
    requests.clear()
    place = dict(environment, XDG_STATE_HOME=state) if state else environment
    done = subprocess.run([fcps, *words], cwd=folder, env=place, capture_output=True, text=True, timeout=120)
    expect(" ".join(words), done.returncode, code, done.stdout + done.stderr)
    return done.stdout


def expect(what, got, wanted, more=""):
    global failed
    if got != wanted:
        failed = 1
        print("%s: %r, expected %r %s" % (what, got, wanted, more))


run("study", "new", "throw.fcps", "--problem", "throw.yaml")
server = subprocess.Popen([fcps, "serve", "throw.fcps", "--listen", "unix:" + server_path], cwd=folder, env=environment,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
try:
    threading.Thread(target=listen, daemon=True).start()
    for _ in range(200):
        if os.path.exists(server_path) and os.path.exists(own_path):
            break
        time.sleep(0.1)
    study, context = "unix:%s/throw" % own_path, ("--target", "x=3,y=4", "--environment", "wind=0.2")
    base = "POST /v1/studies/throw/"

    answer = json.loads(run("study", "ask", study, *context, "--client", "robot", "--json"))
    expect("an ask", requests, [base + "ask"])
    expect("its number", answer["ask"], 1)
    for words, names in ((("ask", study, *context, "--count", "3"), ["ask"]),
                         (("tell", study, "1", "--outcome", "land_x=0.64,land_y=-3.05"), ["tell"]),
                         (("tell", study, "2", "--outcome", "land_x=1,land_y=1", "--executed", "speed=2"), ["tell"]),
                         (("forget", study, "3"), ["forget"]),
                         (("best", study, *context), ["best"]),
                         (("amend", study, "--reward", "-2*distance"), ["amend"]),
                         (("use", study, "1.1"), ["use"])):
        run("study", *words)
        expect(words[0], requests, [base + name for name in names])
    run("study", "events", study, "--limit", "5")
    expect("events", requests, ["GET /v1/studies/throw/events?limit=5"])
    run("study", "status", study, "--json")
    expect("status", requests, ["GET /v1/studies/throw"])
    run("study", "log", study)
    expect("a log", requests, ["GET /v1/studies/throw/file"])

    # what a worker kept for a served study is looked for, with a copy of it, only if anything waits on this machine
    state = os.path.join(folder, "kept")
    os.makedirs(os.path.join(state, "fcps"))
    run("study", "ask", study, *context, state=state)
    expect("an ask where nothing waits", requests, [base + "ask"])
    open(os.path.join(state, "fcps", "other-kept-1.json"), "w").write("{}")
    run("study", "ask", study, *context, state=state)
    expect("an ask where something waits", requests, ["GET /v1/studies/throw/file", base + "ask"])
finally:
    server.terminate()
    server.wait()
sys.exit(failed)
