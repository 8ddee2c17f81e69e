#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A simulator for fcps. It reads one JSON object per line and answers with one. Messages for people go to stderr."""
import json
import math
import sys

GRAVITY = 9.81


def throw(turn, speed, wind):
    """The landing point of a ball that leaves the ground at 45 degrees."""
    flight = math.sqrt(2) * speed / GRAVITY
    distance = speed**2 / GRAVITY
    angle = math.radians(turn)
    return {"land_x": distance * math.cos(angle) + wind * flight, "land_y": distance * math.sin(angle)}


for line in sys.stdin:
    trial = json.loads(line)
    outcome = throw(**trial["parameters"], **trial["environment"])
    print(json.dumps({"ask": trial["ask"], "outcome": outcome}), flush=True)
