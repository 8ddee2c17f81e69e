# SPDX-License-Identifier: Apache-2.0
"""The notebooks run from top to bottom, and are stored as they were run."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "examples/notebooks"


@pytest.mark.parametrize("name", ["throw", "retarget", "robots"])
def test_a_notebook_runs(name):
    path = FOLDER / f"{name}.ipynb"
    if not path.exists():
        pytest.skip("the notebooks are not here")
    subprocess.run([sys.executable, FOLDER / "execute.py", "--check", path], check=True, capture_output=True)
    cells = [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
