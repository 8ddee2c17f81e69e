# SPDX-License-Identifier: Apache-2.0
"""The whole API once: every route, what is repeated, what others store, and who waits for whom. python3 api.py FCPS FOLDER"""
import csv
import io
import json
import math
import os
import socket
import subprocess
import sys
import threading
import time

from client import Changes, Client, Server, complain, expect, failures

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


def throw(ask):
    turn, speed = math.radians(ask["parameters"]["turn"]), ask["parameters"]["speed"]
    return {"land_x": speed * math.cos(turn) + ask["environment"]["wind"], "land_y": speed * math.sin(turn)}


def check_tutorial(client):
    """Ask and tell as a robot does, and what the study then knows."""
    here = {"target": {"x": 3, "y": 4}, "environment": {"wind": 0.2}}
    first = client.post(S + "/ask", {"client": "robot", **here})
    again = client.post(S + "/ask", {"client": "robot", **here})
    expect("a repeated ask", (again["ask"], again["repeated"], again["parameters"]), (1, True, first["parameters"]))
    receipt = client.post(S + "/tell", {"ask": 1, "outcome": throw(first), "client": "robot"})
    expect("a receipt", (receipt["stored"], receipt["repeated"]), (True, False))
    expect("a repeated tell", client.post(S + "/tell", {"ask": 1, "outcome": throw(first), "client": "robot"})["repeated"], True)
    other = client.post(S + "/tell", {"ask": 1, "outcome": {"land_x": 0, "land_y": 0}}, 409)
    expect("a contradiction", other["error"]["code"], "E_CONFLICT")
    for i in range(12):
        ask = client.post(S + "/ask", {"client": "robot", "target": {"x": i - 6, "y": 2}, "environment": {"wind": 0}})
        client.post(S + "/tell", {"ask": ask["ask"], "outcome": throw(ask), "outcome_sd": {"land_x": 0.1, "land_y": 0.1}})
    status = client.get(S)
    expect("rollouts", (status["rollouts"], status["pending"], status["not_used"]), (13, 0, 1))
    if "worth it" not in status["going_on"]:
        complain("the stopping rule has no words: %r" % status["going_on"])


def check_asks(client):
    body = {"client": "team", "target": {"x": 1, "y": 1}, "environment": {"wind": 0}, "count": 3}
    asks = client.post(S + "/ask", body)["asks"]
    expect("clients of a team", [a["client"] for a in asks], ["team", "team/2", "team/3"])
    expect("the same three again", [a["ask"] for a in client.post(S + "/ask", body)["asks"]], [a["ask"] for a in asks])
    several = client.post(S + "/ask", {"contexts": [{"target": {"x": i, "y": 0}, "environment": {"wind": 0}} for i in (1, 2)]})
    expect("two contexts", [a["target"]["x"] for a in several["asks"]], [1, 2])
    expect("pending", len(client.get(S + "/asks")["asks"]), 5)
    for ask in asks + several["asks"]:
        client.post(S + "/forget", {"ask": ask["ask"]})
    expect("pending after forgetting", client.get(S + "/asks")["asks"], [])
    expect("all asks", len(client.get(S + "/asks?state=all")["asks"]), 18)
    late = client.post(S + "/tell", {"ask": asks[0]["ask"], "failed": "gripper slipped", "status": "timeout"})
    expect("a late result", late["late"], True)
    expect("a learner that does not choose", client.post(S + "/choose", {}, 422)["error"]["code"], "E_UNSUPPORTED")


def check_growth(client, rollouts):
    """A client that has a list learns whether it is still true, and gets only the new rows."""
    number = rollouts[-2]["result"]
    for path, key in (S + "/rollouts", "rollouts"), (S + "/curve", "points"):
        whole = client.get(path)
        expect("digests of the whole " + key, (whole["last"], whole["digest"] == whole["earlier"]), (rollouts[-1]["result"], False))
        none = client.get(path + "?after=%d" % whole["last"])
        expect("nothing new in " + key, (none[key], none["last"], none["earlier"], none["digest"]), ([], whole["last"], whole["digest"], whole["digest"]))
        part = client.get(path + "?after=%d" % number)
        expect("the rest of " + key, (part[key], part["digest"]), ([r for r in whole[key] if r["result"] > number], whole["digest"]))
        client.post(S + "/drop", {"result": number})
        expect("an older one of %s changed" % key, client.get(path + "?after=%d" % whole["last"])["earlier"] != whole["digest"], True)
        client.post(S + "/use", {"result": number})
        expect("and back", client.get(path + "?after=%d" % whole["last"])["earlier"], whole["digest"])
    client.get(S + "/curve?after=-1", 400)
    client.get(S + "/curve?since=1", 400)


def check_results(client):
    unasked = {"target": {"x": 0, "y": 0}, "environment": {"wind": 0}, "executed": {"turn": 10, "speed": 2},
               "outcome": {"land_x": 1.9, "land_y": 0.3}, "client": "old", "key": "page 7"}
    client.post(S + "/tell", unasked)
    expect("the same key again", client.post(S + "/tell", unasked)["repeated"], True)
    rollouts = client.get(S + "/rollouts")["rollouts"]
    last = rollouts[-1]
    expect("the key", last["key"], "page 7")
    expect("rollouts after the last but one", len(client.get(S + "/rollouts?after=%d" % rollouts[-2]["result"])["rollouts"]), 1)
    page = client.get(S + "/rollouts?limit=4")
    expect("a page", (len(page["rollouts"]), page["more"], page["last"]), (4, True, page["rollouts"][3]["result"]))
    check_growth(client, rollouts)
    expect("dropped", client.post(S + "/drop", {"result": last["result"]})["used"], False)
    expect("dropped, again", client.post(S + "/drop", {"result": last["result"]})["used"], False)
    expect("shown as dropped", client.get(S + "/rollouts")["rollouts"][-1]["used"], False)
    expect("used", client.post(S + "/use", {"result": last["result"]})["used"], True)
    expect("confirmed", client.post(S + "/confirm", {"result": last["result"]})["confirmed"], True)
    client.post(S + "/drop", {"result": 999999}, 404)
    wrong = client.post(S + "/tell", {**unasked, "outcome": {"land_x": 190, "land_y": 0.3}, "key": "typo"})
    found = client.get(S + "/suspects")["suspects"]
    if wrong.get("suspect"):
        expect("the suspect", (len(found), "190" in found[0]["surprise"]), (1, True))
    client.post(S + "/drop", {"result": client.get(S + "/rollouts")["rollouts"][-1]["result"]})
    status, text = client.call("GET", S + "/rollouts.csv")
    table = list(csv.DictReader(io.StringIO(text)))
    expect("the table", (status, len(table)), (200, len(client.get(S + "/rollouts")["rollouts"])))
    expect("the curve", len(client.get(S + "/curve")["points"]), 14)
    client.post(S + "/import", {"csv": "wind,turn,speed,land_x,land_y\n0.5,30,5.5,2.7,1.5\n"})
    expect("the curve without what nobody wanted", len(client.get(S + "/curve")["points"]), 14)
    if "; 1 result that came without a target is left out" not in client.get(S)["earned"]:
        complain("what is left out is not said: %r" % client.get(S)["earned"])


def check_policy(client):
    here = {"target": {"x": 3, "y": 4}, "environment": {"wind": 0.2}}
    best = client.post(S + "/best", here)
    if not -9 < best["predicted_reward"] <= 0:
        complain("a strange prediction: %r" % best)
    many = client.post(S + "/best", {"contexts": [here, here]})["answers"]
    expect("the same answer for many", many[1]["parameters"], best["parameters"])
    far = {"target": {"x": 30, "y": 4}, "environment": {"wind": 0.2}}
    expect("a warning comes with the answer", client.post(S + "/best", far)["warnings"][0]["code"], "W_OUTSIDE_BOUNDS")
    expect("strict", client.post(S + "/best", {**far, "strict": True}, 400)["error"]["code"], "E_BOUNDS")
    expect("and not for ever", len(client.post(S + "/best", far)["warnings"]), 1)
    answers = client.post(S + "/retarget", {"contexts": [here] * 5})["answers"]
    expect("five answers", len(answers), 5)
    expect("rewards of trials that end well", [a["success_reward"] <= 0 < a["success_reward_sd"] for a in answers], [True] * 5)
    status, text = client.call("POST", S + "/retarget", {"contexts": [here] * 5, "format": "csv"})
    expect("five rows", (status, len(list(csv.DictReader(io.StringIO(text))))), (200, 5))
    grid = client.post(S + "/map", {"x": "x", "y": "wind", "at": {"y": 2}, "columns": 5, "rows": 3})
    expect("the map", (len(grid["rewards"]), grid["x"]["values"], grid["target"]["y"]), (15, [-8, -4, 0, 4, 8], 2))
    line = client.post(S + "/map", {"x": "wind", "columns": 4})
    expect("a map of one dimension", (len(line["rewards"]), line["y"]), (4, None))
    client.post(S + "/map", {"x": "speed"}, 400)
    expect("x against itself", client.post(S + "/map", {"x": "x", "y": "x"}, 400)["error"]["field"], "y")
    expect("the model", client.get(S + "/health")["model"][0]["model"], "outcome")
    expect("outputs", [o["name"] for o in client.get(S + "/check-model")["outputs"]], ["land_x", "land_y"])
    return client.call("GET", S + "/policy")[1]


def check_amendments(client):
    client.post(S + "/amend", {"reward": "-distance"})
    expect("the reward", client.get(S + "/problem")["reward"], "-distance")
    client.post(S + "/amend", {"bounds": {"speed": [1, 12]}})
    expect("the bounds", client.get(S + "/problem")["parameters"][1]["upper"], 12)
    client.post(S + "/amend", {"settings": {"kappa": "1"}})
    expect("a setting", client.get(S)["settings"], {"kappa": "1"})
    expect("a wrong setting", client.post(S + "/amend", {"settings": {"kapa": "1"}}, 400)["error"]["code"], "E_UNKNOWN_NAME")
    expect("a reward without values", client.post(S + "/amend", {"reward": "log(-1)"}, 422)["error"]["code"], "E_UNSUPPORTED")
    here = {"target": {"x": 3, "y": 4}, "environment": {"wind": "0,2"}}
    said = client.post(S + "/best", here, 400)["error"]["message"]
    expect("a comma", said, '"0,2" of wind is not a number: decimals have a point, as in 0.5')
    client.post(S + "/amend", {"limits": {"land_x": {"at_most": 9}}}), client.post(S + "/amend", {"limits": {}})
    client.post(S + "/amend", {"constraints": ["speed <= 11"]}), client.post(S + "/amend", {"constraints": "[]"})
    said = client.post(S + "/amend", {"safe": 3}, 400)["error"]["message"]
    expect("a part", said, '"safe" must be as in a problem file: a list or an object, or its text')
    expect("two changes", client.post(S + "/amend", {"reward": "0", "learner": "random"}, 400)["error"]["code"], "E_ARGUMENT")
    events = client.get(S + "/events")["events"]
    codes = [e["code"] for e in events]
    if not {"reward", "bounds.speed", "setting.kappa"} <= set(codes):
        complain("events: %r" % codes)
    expect("events after the last", client.get(S + "/events?after=%d" % events[-1]["sequence"])["events"], [])


def check_making(client, folder):
    body = {"name": "second", "problem": PROBLEM, "seed": 7}
    expect("made", client.post("/v1/studies", body, 201)["repeated"], False)
    expect("made again", client.post("/v1/studies", body)["repeated"], True)
    client.post("/v1/studies", {**body, "seed": 8}, 409)
    for name in "../x", "a/b", ".x", "-x", "", "a" * 65, "x.fcps", "é":
        client.post("/v1/studies", {**body, "name": name}, 400)
    client.post("/v1/studies", {"name": "steps", "problem": "parameters: {n: {range: [0, 3], step: 0.5}, v: [0, 1]}\noutcome: [land]\nreward: land\n"}, 201)
    expect("the step", [d.get("step") for d in client.get("/v1/studies/steps/problem")["parameters"]], [0.5, None])
    wrong = client.post("/v1/studies", {"name": "third", "problem": "name: [}"}, 400)["error"]
    expect("a mistake in a problem", (wrong["code"], wrong["line"]), ("E_FORMAT", 1))
    expect("served", [s["study"] for s in client.get("/v1/studies")["studies"]], ["throw", "second", "steps"])
    expect("files", sorted(f for f in os.listdir(folder) if f.endswith(".fcps")), ["second.fcps", "steps.fcps", "throw.fcps"])
    expect("its seed", client.get("/v1/studies/second")["seed"], 7)


def check_changes(server, client, fcps, study):
    """Two listeners see within a second a result told here, and one that another process stores."""
    streams = [Changes(server), Changes(server)]
    before = client.get("/v1/studies")["studies"][0]["sequence"]
    begin = time.time()
    client.post(S + "/ask", {"client": "seen", "target": {"x": 1, "y": 1}, "environment": {"wind": 0}})
    asked = time.time()
    for stream in streams:
        stream.until("throw", before + 1)
    if time.time() - asked > 1:
        complain("a change was announced after %.1f s" % (time.time() - asked))
    now = client.get("/v1/studies")["studies"][0]["sequence"]
    subprocess.run([fcps, "study", "amend", study, "--reward", "-distance - 0.02*speed^2"], check=True, stdout=subprocess.DEVNULL)
    begin = time.time()
    for stream in streams:
        stream.until("throw", now + 1)
    if time.time() - begin > 3:
        complain("what another process stored was announced after %.1f s" % (time.time() - begin))
    expect("the new reward", client.get(S + "/problem")["reward"], "-distance - 0.02*speed^2")


def check_waiting(server):
    """A slow ask delays neither another study nor reads of its own study."""
    slow = {"contexts": [{"target": {"x": i % 8, "y": 0}, "environment": {"wind": 0}} for i in range(60)]}
    taken = {}

    def ask():
        begin = time.time()
        Client(server).post(S + "/ask", slow)
        taken["slow"] = time.time() - begin

    thread = threading.Thread(target=ask)
    thread.start()
    time.sleep(0.2)
    client, others = Client(server), []
    while thread.is_alive() and len(others) < 20:
        begin = time.time()
        client.get("/v1/studies")
        client.post("/v1/studies/second/ask", {"client": "b", "target": {"x": 1, "y": 1}, "environment": {"wind": 0}})
        client.get(S + "/problem")
        others.append(time.time() - begin)
    thread.join()
    if taken["slow"] > 2 and others and sorted(others)[len(others) // 2] > taken["slow"] / 2:
        complain("others waited %.2f s for an ask of %.2f s" % (sorted(others)[len(others) // 2], taken["slow"]))


def check_leaving(server, client):
    """A forecast ends when its client leaves: the next question to the model costs less than the forecast would."""
    def spent():  # processor time, in ticks
        with open("/proc/%d/stat" % server.process.pid) as file:
            return int(file.read().rsplit(")", 1)[1].split()[11])

    path = S + "/forecast?trials=120"
    client.get(S + "/health")
    began = spent()
    with socket.create_connection(("127.0.0.1", server.port)) as leaving:
        leaving.sendall(("GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\n\r\n" % (path, server.port, server.token)).encode())
        while spent() < began + 5:  # it has begun
            time.sleep(0.01)
    client.get(S + "/forecast?trials=1")
    left = spent() - began
    client.get(path)
    whole = spent() - began - left
    if not left < whole / 2:
        complain("a forecast goes on without its client: %d ticks, as a whole %d" % (left, whole))


def main():
    fcps, folder = sys.argv[1:3]
    problem, study = os.path.join(folder, "throw.yaml"), os.path.join(folder, "throw.fcps")
    with open(problem, "w") as file:
        file.write(PROBLEM)
    subprocess.run([fcps, "study", "new", study, "--problem", problem], check=True, stdout=subprocess.DEVNULL)
    server = Server(fcps, [study], os.path.join(folder, "token"), "--make", folder)
    client = Client(server)
    check_tutorial(client)
    check_asks(client)
    check_results(client)
    policy = check_policy(client)
    check_amendments(client)
    check_making(client, folder)
    check_changes(server, client, fcps, study)
    check_leaving(server, client)
    check_waiting(server)
    server.end()
    with open(os.path.join(folder, "throw.policy"), "w") as file:
        file.write(policy)
    answer = subprocess.run([fcps, "policy", "query", os.path.join(folder, "throw.policy"), "--target", "x=3,y=4", "--environment",
                             "wind=0.2", "--json"], check=True, capture_output=True, text=True)
    json.loads(answer.stdout)
    sys.exit(1 if failures else 0)


main()
