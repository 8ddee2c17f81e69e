#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The code of docs/coming-from.md, run as it stands: same_problem.py NAME=PYTHON... where NAME is fcps, BoTorch, Ax or
Optuna and PYTHON an interpreter that has the package. For each: what it earns, processor seconds of the whole script,
those of the import alone (least of three), and the size of all that pip installed for it.
"""

import json
import os
import re
import resource
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parent.parent.parent / "docs/coming-from.md"
MODULES = {"fcps": "fcps", "BoTorch": "botorch", "Ax": "ax.api.client", "Optuna": "optuna"}
PACKAGES = {"fcps": "fcps", "BoTorch": "botorch", "Ax": "ax-platform", "Optuna": "optuna"}
BEYOND = {"Optuna": ["scipy", "torch"]}  # packages that its GPSampler needs but that it does not require

# counts the files of a package and of all packages that it requires
SIZE = """
import importlib.metadata as m, json, re, sys
def size(name, seen):
    name = re.sub(r"[-_.]+", "-", name).lower()
    if name in seen: return
    try: found = m.distribution(name)
    except m.PackageNotFoundError: return
    seen[name] = sum(f.locate().stat().st_size for f in found.files or () if f.locate().is_file())
    for need in found.requires or ():
        if "extra ==" not in need: size(re.match(r"[\\w.-]+", need).group(), seen)
seen = {}
for name in sys.argv[1:]: size(name, seen)
print(json.dumps([sum(seen.values()), len(seen)]))
"""


def blocks():
    """The common code, and the code of each package."""
    shared, *parts = PAGE.read_text(encoding="utf-8").split("\n## ")
    first = re.search(r"^```python\n(.*?)^```", shared, re.M | re.S).group(1)
    code = {part.partition("\n")[0]: re.findall(r"^```py(?:thon)?\n(.*?)^```", part, re.M | re.S) for part in parts}
    return {name: first + "\n".join(own) for name, own in code.items() if own}


def processor_seconds(*command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, check=True, text=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def main():
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")
    print(f"{'':8} {'reward':>8} {'script, s':>10} {'import, s':>10} {'MB':>7} {'packages':>9}")
    code = blocks()
    for name, _, python in (argument.partition("=") for argument in sys.argv[1:]):
        script, output = processor_seconds(python, "-W", "ignore", "-c", code[name])
        load = min(processor_seconds(python, "-W", "ignore", "-c", f"import {MODULES[name]}")[0] for _ in range(3))
        names = [PACKAGES[name], *BEYOND.get(name, [])]
        size, count = json.loads(
            subprocess.run([python, "-c", SIZE, *names], check=True, text=True, capture_output=True).stdout
        )
        earned = float(output.split()[-1])
        print(f"{name:8} {earned:8.3f} {script:10.2f} {load:10.2f} {size / 1e6:7.0f} {count:9}", flush=True)


main()
