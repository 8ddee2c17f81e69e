# SPDX-License-Identifier: Apache-2.0
"""How soon a result that is told on one page appears on another, by the clock of the pages, in two browser windows side by side.

python3 bench/serve/page.py FCPS [CHROMIUM] [--tells 30]

Fails if one of them takes longer than a second. Run it on a machine that is not busy.
"""
import argparse
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "serve"))
from page import Visit, check_two_pages, make_throws  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("fcps")
parser.add_argument("program", nargs="?", default="chromium")
parser.add_argument("--tells", type=int, default=30)
a = parser.parse_args()
with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
    visit = Visit(a.fcps, folder, a.program, is_hostile=False)
    try:
        make_throws(visit.client, 20)
        taken = check_two_pages(visit.see("first"), visit.see("second"), visit.client, a.tells, "bench")
    finally:
        visit.end()
print("median %d ms, longest %d ms" % (taken[len(taken) // 2], taken[-1]))
sys.exit(taken[-1] > 1000)
