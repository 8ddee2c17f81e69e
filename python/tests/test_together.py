# SPDX-License-Identifier: Apache-2.0
"""Several processes that begin at once: one makes the study, the others wait and open it."""

import subprocess
import sys
from pathlib import Path

import fcps

ROBOT = """
import sys, fcps
from conftest import formula_problem, throw
problem = formula_problem()
print("ready", flush=True)
sys.stdin.readline()
with fcps.Study(sys.argv[1], problem, seed=1001) as study:
    trial = study.ask(x=1, wind=0)
    study.tell(trial, throw(trial))
"""


def test_processes_that_make_one_study_at_once_share_it(tmp_path):
    path = tmp_path / "throw.fcps"
    robots = [
        subprocess.Popen(
            [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n{ROBOT}", path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    for robot in robots:
        robot.stdout.readline()
    for robot in robots:
        robot.stdin.write("go\n")
        robot.stdin.flush()
    assert [robot.communicate(timeout=60)[1] for robot in robots] == ["", "", ""]
    with fcps.Study(path) as study:
        assert len(study) == 3 and not study.pending
