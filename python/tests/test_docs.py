# SPDX-License-Identifier: Apache-2.0
"""Every example in a docstring runs, and the package is what it says."""

import doctest
import importlib
import inspect
import pkgutil
import pydoc
import re
import shutil
import subprocess
import sys
from pathlib import Path

import fcps
import numpy as np
import pytest

MODULES = ["fcps"] + [f"fcps.{module.name}" for module in pkgutil.iter_modules(fcps.__path__) if module.name != "_fcps"]


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name):
    if name == "fcps.gest":
        pytest.importorskip("gest_api")
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_every_public_name_is_there_and_explained():
    for name in fcps.__all__:
        thing = getattr(fcps, name)
        assert thing.__doc__ or name in ("learners", "operations", "tasks"), name
    for kind in (fcps.Problem, fcps.Learner, fcps.Study, fcps.Policy, fcps.Task, fcps.primitives.Primitive, fcps.primitives.Motion):
        for name in dir(kind):
            member = getattr(kind, name)
            assert name.startswith("_") or getattr(member, "__doc__", None), f"{kind}.{name}"


PUBLIC = set(
    """Angle Answer BoundsError Choice ClosedError ConflictError Dimension Error Integer Learner LockedError Log Outlook Policy Problem
    StopRun Study Table Task Trial TrialFailed connect errors learners operations primitives run tasks types""".split()
)


def test_the_package_shows_its_public_names_and_no_others():
    code = "import fcps; print(*(name for name in dir(fcps) if not name.startswith('_')))"
    shown = subprocess.run([sys.executable, "-c", code], check=True, text=True, capture_output=True).stdout.split()
    assert set(shown) == PUBLIC == set(fcps.__all__)
    modules = {module.name for module in pkgutil.iter_modules(fcps.__path__) if not module.name.startswith("_")}
    assert modules == {"errors", "gest", "gymnasium", "primitives", "types"}
    for module in (fcps.errors, fcps.primitives, fcps.types):
        assert all(getattr(module, name).__doc__ for name in module.__all__)
    assert {name for name in dir(fcps.errors) if not name.startswith("_")} == set(fcps.errors.__all__)
    for kind in (fcps.errors.Error, *fcps.errors.Error.__subclasses__(), fcps.TrialFailed):
        assert getattr(fcps.errors, kind.__name__) is kind


def test_a_signature_says_what_is_taken():
    """help() and notebooks show it; a study is made by __new__, which takes anything."""
    names = ["path", "problem", "mode", "learner", "settings", "seed", "relaxed", "wait"]
    assert list(inspect.signature(fcps.Study).parameters) == names
    assert list(inspect.signature(fcps.types.ServedStudy).parameters) == [*names, "token"]

    class Own(fcps.Study):
        def __init__(self, place):
            super().__init__(place)

    assert list(inspect.signature(Own).parameters) == ["place"]
    assert "Study(path:" in pydoc.render_doc(fcps.Study, renderer=pydoc.plaintext)


# -- Pages --

ROOT = Path(__file__).parent.parent.parent
PAGES = sorted(
    str(path.relative_to(ROOT))
    for path in [ROOT / "README.md", ROOT / "python/README.md", *ROOT.glob("docs/**/*.md")]
    if path.exists() and "```python\n" in path.read_text(encoding="utf-8")
)

# blocks that are not for this test, by a line of theirs
ELSEWHERE = {
    "for line in sys.stdin:": "a program that fcps runs, or a part of one",
    "robot = connect(f": "a line of such a program",
    "import math, os, requests": "a client of the server without this package",
    'study = fcps.connect("http://127.0.0.1:8017/throw")': "needs a server: test_served.py",
    'with fcps.Study("coating.fcps") as study:': "after commands of a shell: tests/cli/test_readme.sh",
    "import gymnasium_robotics": "needs gymnasium-robotics: test_gymnasium.py",
}


def blocks_of(page):
    return re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(encoding="utf-8"), re.M | re.S)


def blocks_for_this_test(page):
    return [block for block in blocks_of(page) if not any(line in block for line in ELSEWHERE)]


@pytest.mark.parametrize("page", filter(blocks_for_this_test, PAGES))
def test_the_code_of_a_page_runs(page, tmp_path, monkeypatch, capsys):
    simulator = ROOT / "examples/simulator"  # the problem file of the tutorial
    if simulator.exists():
        shutil.copytree(simulator, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    exec(compile("\n".join(blocks_for_this_test(page)), page, "exec"), {"__name__": "page"})


def test_all_code_of_pages_is_marked_as_such_and_none_is_left_out():
    for page in PAGES:
        words = (ROOT / page).read_text(encoding="utf-8")
        for block in re.findall(r"^```\n(.*?)^```", words, re.M | re.S):
            assert "fcps." not in block or not re.search(r"^\w+ = fcps\.|^import fcps", block, re.M), f"{page}: {block}"
    everything = "".join(block for page in PAGES for block in blocks_of(page))
    assert not PAGES or all(line in everything for line in ELSEWHERE)


@pytest.mark.parametrize("page", PAGES)
def test_a_landing_belongs_to_its_ask(page):
    """Where a page tells the numbers of a throw, the ball of that ask landed there."""
    told = re.findall(r"study\.tell\(trial, land_x=([-\d.]+), land_y=([-\d.]+)\)", "".join(blocks_of(page)))
    problem = fcps.Problem(
        target={"x": (-8, 8), "y": (-8, 8)},
        environment={"wind": (-1, 1)},
        parameters={"turn": fcps.Angle(0, 360, unit="deg"), "speed": (1, 10)},
        outcome=["land_x", "land_y"],
        reward="-hypot(land_x - x, land_y - y) - 0.01*speed^2",
    )
    with fcps.Study(None, problem, seed=1) as study:
        turn, speed = study.ask(x=3, y=4, wind=0.2).parameters.values()
    reach, turn = speed**2 / 9.81, np.deg2rad(turn)
    drifts = {"docs/python.md": 0.5}  # of its own throw; elsewhere the wind blows as long as the ball flies
    drift = 0.2 * drifts.get(page, np.sqrt(2) * speed / 9.81)
    for land_x, land_y in told:
        assert float(land_x) == pytest.approx(reach * np.cos(turn) + drift, abs=0.006)
        assert float(land_y) == pytest.approx(reach * np.sin(turn), abs=0.006)


def test_nothing_but_numpy_is_imported():
    others = ("pandas", "polars", "matplotlib", "gymnasium", "optuna")
    code = f"import sys, fcps; print(*(name for name in {others} if name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=True, text=True, capture_output=True).stdout.strip() == ""
    assert fcps.__version__.count(".") == 2
