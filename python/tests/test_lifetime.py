# SPDX-License-Identifier: Apache-2.0
"""Who comes too late finds a closed handle: threads, the collection of garbage, the end of the interpreter, forks. Each is
tried in a process of its own, which may crash or hang."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

PROBLEM = """
import gc, os, signal, sys, threading, time
import fcps
problem = fcps.Problem(target={"goal": (0.5, 6)}, parameters={"a": (0, 10)}, outcome=["d"], reward="-abs(d-goal)")
by_function = fcps.Problem(target={"goal": (0.5, 6)}, parameters={"a": (0, 10)}, outcome=["d"],
                           reward=lambda target, environment, parameters, outcome: -abs(outcome["d"] - target["goal"]))
"""


def run(code, seconds=60):
    """What a script printed; it must end well and in time."""
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", PROBLEM + textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    "use",
    [
        "study.ask(goal=1)",
        "study.tell(None, [1], target=[1], parameters=[2])",
        "study.refresh()",
        "study.path",
        "study.settings",
        "study.learner",
        "study.events",
        "study.rollouts()",
        "len(study)",
        "study.policy()",
    ],
)
def test_close_while_threads_use_the_study(use):
    printed = run(
        f"""
        found = set()
        for round in range(25):
            study = fcps.Study(None, problem, learner="random", settings={{}})
            for i in range(3):
                study.tell(study.ask(goal=1), [1])
            begun = threading.Event()
            def work():
                try:
                    for i in range(200_000):
                        begun.set()
                        {use}
                except Exception as error:
                    found.add(type(error).__name__)
            threads = [threading.Thread(target=work) for _ in range(2)]
            for one in threads: one.start()
            begun.wait()
            time.sleep(0.0005 * (round % 5))
            study.close()
            for one in threads: one.join()
        print(*sorted(found))
        """
    )
    assert printed.split() == ["ClosedError"]


@pytest.mark.parametrize("what", ["repr(study)", "study._repr_html_()"])
def test_a_study_that_is_closed_meanwhile_is_shown_as_closed(what):
    run(
        f"""
        for round in range(25):
            study = fcps.Study(None, problem, learner="random")
            study.tell(study.ask(goal=1), [1])
            begun, stop = threading.Event(), threading.Event()
            def work():
                while not stop.is_set():
                    {what}
                    begun.set()
            thread = threading.Thread(target=work)
            thread.start()
            begun.wait()
            study.close()
            assert "closed" in {what}
            stop.set()
            thread.join()
        """
    )


USES = {
    "fcps.Study(None, {})": ["ask(goal=1)", "tell(None, [1], target=[1], parameters=[1])", "rollouts()"],
    "fcps.Learner({})": ["ask(goal=1)", "save()", "rollouts"],
    "fcps.Study(None, {}).policy()": ["__call__(goal=1)", "save()", "health()"],
    "fcps.primitives.Primitive(1)": ["weights"],
    "fcps.primitives.Motion([(fcps.primitives.Primitive(1), 1.0)], dt=0.1)": ["trajectory([0.0])"],
    "fcps.Task('cannon')": ["context(1)", "evaluation()"],
}


@pytest.mark.parametrize("made", USES)
def test_a_finalizer_in_a_cycle_uses_its_handle(made):
    """In a collection of garbage, and at the end of the interpreter."""
    lines = [
        f"robots.append(Robot({made.format(by)}, lambda it: it.{use}))"
        for use in USES[made]
        for by in ("problem", "by_function")
    ]
    printed = run(
        """
        class Robot:
            def __init__(self, it, use):
                self.it, self.use, self.me = it, use, self
            def __del__(self):
                try:
                    self.use(self.it)
                    print("works", flush=True)
                except fcps.ClosedError:
                    print("closed", flush=True)
        robots = []
        """
        + "".join(f"\n        {line}" for line in lines)
        + "\n        robots.clear()\n        gc.collect()"
        + "".join(f"\n        {line}" for line in lines)
    )
    assert len(printed.split()) == 2 * len(lines)
    assert set(printed.split()) <= {"works", "closed"}


FORKS = """
busy = fcps.Learner(problem, seed=1001)
idle = fcps.Learner(problem, seed=1001)
for learner in (busy, idle):
    for i in range(8):
        learner.tell(learner.ask(goal=1 + i / 4), [i])
policy, stop, found = idle.policy(), False, {}
def work():
    while not stop:
        trial = busy.ask(goal=2)
        busy.forget(trial)
thread = threading.Thread(target=work)
thread.start()
for i in range(40):
    child = os.fork()
    if child == 0:
        signal.alarm(20)  # ends a child that waits for ever
        try:
            USE
            os._exit(0)
        except fcps.ClosedError as error:
            os._exit(3 if "forked" in str(error) else 4)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    found[status] = found.get(status, 0) + 1
    time.sleep(0.001 * (i % 5))
stop = True
thread.join()
print(*sorted(found))
"""


@pytest.mark.parametrize(
    ("use", "ways"), [("idle.ask(goal=2); policy(goal=2); idle.policy()", {0}), ("busy.ask(goal=2)", {0, 3})]
)
def test_fork_while_a_thread_computes(use, ways):
    """What the thread did not use works in the child; what it used may be half done, and says so."""
    assert {int(status) for status in run(FORKS.replace("USE", use)).split()} <= ways
