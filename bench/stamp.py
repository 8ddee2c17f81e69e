# SPDX-License-Identifier: Apache-2.0
"""Prints the time, the program and the machine of a measurement; a page with its numbers should say the same."""
import os
import subprocess
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def output(*command):
    try:
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def show(fcps):
    """Call this before a measurement, so that the load is that of other programs."""
    print("measured on %s with %s at %s, on %d processors; load of the last minute before: %.1f" % (
        time.strftime("%Y-%m-%d", time.gmtime()), output(os.path.abspath(fcps), "--version"),
        output("git", "describe", "--always", "--dirty", "--exclude", "*"), os.cpu_count(), os.getloadavg()[0]), flush=True)
