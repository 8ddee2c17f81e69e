# SPDX-License-Identifier: Apache-2.0
"""The program of bench/work/learn.py: the toy cannon of fcps (bench/peers/shoot.c), whose shots take SECONDS.

python3 -S -E cannon.py SHOOT SEED SECONDS
"""
import json
import math
import subprocess
import sys
import time

BOUNDS = {"turn": (0, 2 * math.pi), "tilt": (0.01, math.pi / 2 - 0.2), "speed": (0.1, 5)}
shoot = subprocess.Popen([sys.argv[1], sys.argv[2], "1"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
shoot.stdout.readline()
for line in sys.stdin:
    request = json.loads(line)
    unit = [(request["parameters"][name] - low) / (high - low) for name, (low, high) in BOUNDS.items()]
    print(request["ask"], *map(repr, unit), file=shoot.stdin, flush=True)
    x, y = map(float, shoot.stdout.readline().split())
    time.sleep(float(sys.argv[3]))
    print(json.dumps({"ask": request["ask"], "outcome": {"land_x": x, "land_y": y}}), flush=True)
