#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs notebooks from top to bottom without Jupyter: execute.py [--check] NOTEBOOK...

The output of a cell and the value of its last line are stored in the notebook, with numbers, tables and drawings as a
notebook shows them. With --check nothing is stored; the first cell that fails ends the program.
"""

import ast
import contextlib
import io
import json
import os
import sys
import tempfile
from pathlib import Path


def run_cell(source, names):
    """Executes a cell and returns its outputs."""
    body = ast.parse(source).body
    last = ast.Expression(body.pop().value) if body and isinstance(body[-1], ast.Expr) else None
    printed, outputs = io.StringIO(), []
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), "cell", "exec"), names)
        value = eval(compile(last, "cell", "eval"), names) if last is not None else None
    if printed.getvalue():
        outputs.append({"output_type": "stream", "name": "stdout", "text": lines(printed.getvalue())})
    if value is not None:
        data = {"text/plain": lines(repr(value))}
        if hasattr(value, "_repr_html_"):
            data["text/html"] = lines(value._repr_html_())
        outputs.append({"output_type": "execute_result", "data": data, "metadata": {}})
    return outputs


def lines(text):
    return text.splitlines(keepends=True)


def execute(path, is_check):
    notebook, names, count = json.loads(path.read_text(encoding="utf-8")), {"__name__": "__main__"}, 0
    home = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:  # files that a notebook writes are deleted in the end
        os.chdir(folder)
        try:
            for cell in notebook["cells"]:
                if cell["cell_type"] != "code":
                    continue
                count += 1
                outputs = run_cell("".join(cell["source"]), names)
                for output in outputs:
                    if output["output_type"] == "execute_result":
                        output["execution_count"] = count
                cell["outputs"], cell["execution_count"] = outputs, count
        finally:
            os.chdir(home)
    if not is_check:
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{path.name}: {count} cells")


def main():
    arguments = sys.argv[1:]
    for name in arguments:
        if name != "--check":
            execute(Path(name), "--check" in arguments)


main()
