# SPDX-License-Identifier: Apache-2.0
"""A study of throws with results: load and kills begin with it."""
import math
import os
import random
import subprocess

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


def throw_of(ask):
    return throw(ask["parameters"]["turn"], ask["parameters"]["speed"], ask["environment"]["wind"])


def draw_context(rng):
    return {"target": {"x": rng.uniform(-8, 8), "y": rng.uniform(-8, 8)}, "environment": {"wind": rng.uniform(-1, 1)}}


def make_study(fcps, folder, name, rollouts, learner):
    """A study with old results, which an import brings."""
    rng = random.Random(name)
    path, table, problem = (os.path.join(folder, name + ending) for ending in (".fcps", ".csv", ".yaml"))
    with open(problem, "w") as file:
        file.write(PROBLEM % learner)
    with open(table, "w") as file:
        file.write("x,y,wind,turn,speed,land_x,land_y\n")
        for _ in range(rollouts):
            context, turn, speed = draw_context(rng), rng.uniform(0, 360), rng.uniform(1, 10)
            o = throw(turn, speed, context["environment"]["wind"])
            numbers = *context["target"].values(), *context["environment"].values(), turn, speed, *o.values()
            file.write(",".join(repr(v) for v in numbers) + "\n")
    subprocess.run([fcps, "study", "new", path, "--problem", problem], check=True, stdout=subprocess.DEVNULL)
    if rollouts:
        subprocess.run([fcps, "study", "import", path, table], check=True, stdout=subprocess.DEVNULL)
    return path


def stored_results(client, study):
    """The outcomes by ask, of results that were asked for, and how many asks have two of them."""
    stored, doubled, after = {}, 0, 0
    while True:
        page = client.get("/v1/studies/%s/rollouts?limit=10000&after=%d" % (study, after))
        for r in page["rollouts"]:
            doubled += r["ask"] is not None and r["ask"] in stored
            if r["ask"] is not None:
                stored[r["ask"]] = r["outcome"]
        after = page["last"]
        if not page["more"]:
            return stored, doubled
