#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A program that misbehaves in the way its first argument names."""
import json
import os
import signal
import subprocess
import sys
import time

how = sys.argv[1]
if how == "ignore-term":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def answer(ask, **what):
    print(json.dumps({"ask": ask, **what}), flush=True)


for line in sys.stdin:
    asked = json.loads(line)
    ask = asked.get("ask", asked.get("context"))
    good = {"land": asked["parameters"]["speed"] * 2} if "parameters" in asked else None
    if how == "good":
        answer(ask, outcome=good)
    elif how == "chatty":
        print("about to throw")
        print("warming up", file=sys.stderr, flush=True)
        answer(ask, outcome=good)
    elif how == "absent":
        answer(ask, outcome=None)
    elif how == "failed":
        answer(ask, failed="gripper slipped")
    elif how == "exit-0":
        sys.exit(0)
    elif how == "exit-3":
        print("cannot open the arm", file=sys.stderr)
        sys.exit(3)
    elif how == "segv":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif how in ("sleep", "ignore-term"):
        time.sleep(60)
    elif how == "grandchild":
        subprocess.Popen(["sleep", "60"])
        sys.exit(0)
    elif how == "flood":
        while True:
            sys.stdout.write("x" * 65536)
    elif how == "flood-lines":
        while True:
            sys.stdout.write("noise\n" * 8192)
    elif how == "half-line":
        sys.stdout.write('{"ask": 1, "outco')
        sys.stdout.flush()
        sys.exit(0)
    elif how == "not-json":
        print("{oops}", flush=True)
    elif how == "nan":
        print('{"ask": %d, "outcome": {"land": NaN}}' % ask, flush=True)
    elif how == "nan-text":
        print('{"ask": %d, "outcome": {"land": "nan"}}' % ask, flush=True)
    elif how == "twice":
        answer(ask, outcome=good)
        answer(ask, outcome=good)
    elif how == "wrong-id":
        answer(ask + 1000, outcome=good)
    elif how == "missing-name":
        answer(ask, outcome={"fell": 1})
    elif how == "drip":
        for character in '{"ask": 1, "outcome": null}':
            sys.stdout.write(character)
            sys.stdout.flush()
            time.sleep(0.2)
    elif how == "close":
        os.close(1)
        time.sleep(60)
    elif how == "contexts":
        if "context" in asked:
            print(json.dumps({"context": ask, "target": {"x": ask / 10}, "environment": {}}), flush=True)
        else:
            answer(ask, outcome=good)
