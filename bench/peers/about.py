# SPDX-License-Identifier: Apache-2.0
"""Prints one JSON object with the installed versions of the named packages."""
import importlib.metadata
import json
import platform
import sys

packages = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in sys.argv[1:])
print(json.dumps({"benchmark": "about", "text": f"Python {platform.python_version()}: {packages}"}))
