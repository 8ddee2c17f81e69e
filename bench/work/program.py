# SPDX-License-Identifier: Apache-2.0
"""The program of bench/work/rate.py: a trial sleeps for SECONDS. The answer to each line is where the shot lands.

python3 -S -E program.py SECONDS
"""
import json
import math
import sys
import time

for line in sys.stdin:
    request = json.loads(line)
    given = request["parameters"]
    time.sleep(float(sys.argv[1]))
    land = given["speed"] ** 2 * math.sin(2 * math.radians(given["angle"])) / 9.81
    print(json.dumps({"ask": request["ask"], "outcome": {"land": land}}), flush=True)
