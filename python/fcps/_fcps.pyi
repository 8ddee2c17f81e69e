"""The library: cffi knows its types only at run time."""

from typing import Any

ffi: Any
lib: Any
