#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A throw in a plane as a simulator for fcps; a number N breaks every N-th trial, -N its measurement of the wind."""
import json
import math
import sys

fail_every = int(sys.argv[1]) if len(sys.argv) > 1 else 0
for line in sys.stdin:
    asked = json.loads(line)
    if "context" in asked:
        number = asked["context"]
        print(json.dumps({"context": number, "target": {"x": number % 5}, "environment": {"wind": 0.1}}), flush=True)
        continue
    p, wind = asked["parameters"], asked["environment"]["wind"]
    if fail_every > 0 and asked["ask"] % fail_every == 0:
        print(json.dumps({"ask": asked["ask"], "failed": "slipped"}), flush=True)
        continue
    land = p["speed"] ** 2 * math.sin(2 * p["tilt"]) / 2 + wind
    answer = {"ask": asked["ask"], "outcome": {"land": land}}
    if fail_every < 0 and asked["ask"] % -fail_every == 0:
        answer["environment"] = {"wind": "nan"}
    print(json.dumps(answer), flush=True)
