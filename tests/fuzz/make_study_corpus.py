#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns study files into inputs of fuzz_study (see there) and into small files for fuzz_study_file.

    make_study_corpus.py FOLDER STUDY...    writes FOLDER/study/NAME and FOLDER/study_file/NAME
"""
import pathlib
import sqlite3
import sys

C_REPS, FIRST_PROBLEM = b"\x07", b"\x00"  # the study of fuzz_study: its place in the registry, and in kinds.h

def numbers(blob):
    return b"\xff" if blob is None else bytes([len(blob) // 8]) + blob


def short(text):
    data = text.encode()[:255]
    return bytes([len(data)]) + data


def items(study):
    texts = dict(study.execute("SELECT key, text FROM texts"))
    if "learner.state" in texts:
        data = texts["learner.state"].encode()
        yield b"=" + bytes([int(texts["learner.sequence"])]) + len(data).to_bytes(2, "little") + data
    for row in study.execute("SELECT kind, ask, other, status, target, environment, parameters, outcome, client, text"
                             " FROM journal ORDER BY sequence"):
        kind, ask, other, status, target, environment, parameters, outcome, client, text = row
        yield (bytes([kind, ask % 256, other % 256, status]) + numbers(target) + numbers(environment)
               + numbers(parameters) + numbers(outcome) + short(client) + short(text))


folder = pathlib.Path(sys.argv[1])
for name in ("study", "study_file"):
    (folder / name).mkdir(parents=True, exist_ok=True)
for path in map(pathlib.Path, sys.argv[2:]):
    study = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    (folder / "study" / path.stem).write_bytes(C_REPS + FIRST_PROBLEM + b"".join(items(study)))
    small = folder / "study_file" / path.stem
    small.unlink(missing_ok=True)
    study.execute("PRAGMA page_size = 512")  # more of the file is structure
    study.execute("VACUUM INTO ?", (str(small),))
