# SPDX-License-Identifier: Apache-2.0
"""Writes _fcps.c, the cffi module over the public headers: build_ffi.py COMPILER OUTPUT FOLDER...

A folder is given with the headers that are taken from it, as in include:fcps/fcps.h. The declarations are those of them as the compiler sees them, so they cannot drift; the compiler then compares
every one with the headers once more. For each callback type of the headers there is one function that Python defines.
"""

import re
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from cffi import FFI

# Callbacks that are members of structs, and so have no type of their own in the headers.
MEMBERS = """
extern "Python" {
  bool fcps_py_stop(void *user);
  void fcps_py_context(void *user, int64_t episode, double *target, double *environment);
  fcps_status fcps_py_on_episode(void *user, const fcps_episode *episode);
  fcps_status fcps_py_on_offline(void *user, const fcps_offline *offline);
  bool fcps_py_inside(void *user, const double *position);
}
"""


def preprocess(compiler: str, folders: list[str], source: str, *options: str) -> str:
    """The headers without those of the system: theirs are empty files here, and cffi knows bool, size_t and int64_t."""
    with tempfile.TemporaryDirectory() as stubs:
        for name in ("stdbool.h", "stddef.h", "stdint.h"):
            Path(stubs, name).touch()
        # without __GNUC__ FCPS_API is empty
        command = [compiler, "-E", "-P", *options, "-nostdinc", "-U__GNUC__", f"-I{stubs}"]
        command += [f"-I{folder}" for folder in folders]
        return subprocess.run(
            [*command, "-x", "c", "-"], input=source, check=True, text=True, capture_output=True
        ).stdout


def constants(macros: str) -> str:
    """#define lines: whole numbers are left to the compiler, texts and other numbers become values."""
    lines: list[str] = []
    for name, value in re.findall(r"^#define (FCPS_\w+) (.+)$", macros, re.M):
        if value.startswith('"'):
            lines.append(f"static char *const {name};")
        elif re.fullmatch(r"\d*\.\d+", value):
            lines.append(f"static const double {name};")
        elif re.fullmatch(r"[-+()\w\s]*\d[-+()\w\s]*", value):
            lines.append(f"#define {name} ...")
    return "\n".join(lines)


def callbacks(declarations: str) -> str:
    """For every type `typedef RESULT fcps_NAME_fn(...)` of a callback, a Python function fcps_py_NAME."""
    names = re.findall(r"^typedef [\w\s*]+?fcps_(\w+)_fn\(", declarations, re.M)
    return "\n".join(f'extern "Python" fcps_{name}_fn fcps_py_{name};' for name in names if name != "choice")


def main() -> None:
    compiler, output, *given = sys.argv[1:]
    folders, headers = zip(*(place.rsplit(":", 1) for place in given))
    source = "".join(f"#include <{header}>\n" for header in headers)
    declarations = preprocess(compiler, list(folders), source)
    macros = preprocess(compiler, list(folders), source, "-dM")
    ffi = FFI()
    ffi.cdef("\n".join([declarations, constants(macros), callbacks(declarations), MEMBERS]))
    # Py_LIMITED_API itself is a definition of the target, 3.11: cffi leaves a given one alone; a free-threaded Python has none
    is_limited = not sysconfig.get_config_var("Py_GIL_DISABLED")
    ffi.set_source("fcps._fcps", source, py_limited_api=is_limited)
    ffi.emit_c_code(output)


main()
