"""A spray booth, as a formula. fcps writes one JSON object per line and reads one. Put your own machine here."""

import json
import math
import random
import sys


def spray(flow, speed, gap, humidity, noise):
    dried = 1 - 0.004 * (80 - humidity) * (gap / 200) ** 1.5  # drops that dry on their way do not stick
    width = 40 * (gap / 200)  # width of the cone, in mm
    sprayed = flow / 60 * 300 / speed  # volume on a line of 300 mm, in mL
    lost = 0.25 + 0.5 * max(0, 1 - gap / 150) + 0.3 * max(0, flow / 100 - 0.6)  # share that bounces off or becomes mist
    film = 1e6 * sprayed * (1 - lost) * dried / (300 * width)  # thickness in um
    return {"film": film * (1 + 0.01 * noise.gauss(0, 1)), "waste": sprayed * (1 - (1 - lost) * dried)}


for line in sys.stdin:
    trial = json.loads(line)
    noise = random.Random(trial["ask"])  # a repeated trial gives the same measurement
    print(json.dumps({"ask": trial["ask"], "outcome": spray(**trial["parameters"], **trial["environment"], noise=noise)}), flush=True)
