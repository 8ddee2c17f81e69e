# SPDX-License-Identifier: Apache-2.0
"""Every example in a docstring runs, and the package is what it says."""

import doctest
import importlib
import pkgutil
import re
import shutil
import subprocess
import sys
from pathlib import Path

import fcps
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
        assert thing.__doc__ or name in ("learners", "tasks"), name
    for kind in (fcps.Problem, fcps.Learner, fcps.Study, fcps.Policy, fcps.Task, fcps.Primitive, fcps.Motion):
        for name, member in vars(kind).items():
            assert name.startswith("_") or getattr(member, "__doc__", None) or isinstance(member, property), (
                f"{kind}.{name}"
            )


@pytest.mark.parametrize(
    ("page", "section"),
    [
        ("../docs/python.md", ""),
        ("../docs/coming-from.md", ""),
        ("../docs/tutorial.md", "## 8. The same in Python"),
        ("README.md", ""),
        ("../README.md", ""),
    ],
)
def test_the_code_of_a_page_runs(page, section, tmp_path, monkeypatch, capsys):
    path = Path(__file__).parent.parent / page
    if not path.exists():
        pytest.skip(f"{page} is not here")
    if section:
        shutil.copytree(path.parent.parent / "examples/simulator", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    words = path.read_text(encoding="utf-8").partition(section)[2] if section else path.read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", words, re.M | re.S)
    assert blocks
    exec(compile("\n".join(blocks), page, "exec"), {"__name__": "page"})


def test_nothing_but_numpy_is_imported():
    others = ("pandas", "polars", "matplotlib", "gymnasium", "optuna")
    code = f"import sys, fcps; print(*(name for name in {others} if name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=True, text=True, capture_output=True).stdout.strip() == ""
    assert fcps.__version__.count(".") == 2
