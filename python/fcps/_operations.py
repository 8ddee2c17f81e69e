# SPDX-License-Identifier: Apache-2.0
"""Operations by name, as the library lists them. `Study.call` does one, for a study in a file or behind a server."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from ._fcps import ffi, lib
from ._host import Handle, Host, c_text, taken_text
from ._tasks import Catalogue
from ._trials import Trial
from .errors import ArgumentError


@dataclass(frozen=True)
class OperationField:
    """One value that an operation takes."""

    name: str
    kind: str  # "number", "integer", "boolean", "string", "array", "numbers by name", ...; several with "or" between
    help: str
    is_needed: bool
    choices: tuple[str, ...]
    default: Any  # None if there is no default


@dataclass(frozen=True)
class OperationInfo:
    """An operation on a study."""

    name: str
    summary: str
    help: str  # further sentences
    fields: dict[str, OperationField]


def _kind(schema: Mapping[str, Any]) -> str:
    for several in ("oneOf", "allOf"):
        if several in schema:
            return " or ".join(_kind(one) for one in schema[several])
    return "numbers by name" if "$ref" in schema else str(schema.get("type", "object"))


def _field(name: str, schema: Mapping[str, Any], words: str, is_needed: bool) -> OperationField:
    choices = tuple(str(one) for one in schema.get("enum", ()))
    return OperationField(name, _kind(schema), words, is_needed, choices, schema.get("default"))


def _fields(described: Mapping[str, Any]) -> dict[str, OperationField]:
    given: list[dict[str, Any]] = [one for one in described.get("parameters", ()) if "name" in one]
    found = [_field(one["name"], one["schema"], one.get("description", ""), one.get("required", False)) for one in given]
    if "requestBody" in described:
        body = described["requestBody"]["content"]["application/json"]["schema"]
        needed = body.get("required", ())
        found += [
            _field(name, schema, schema.get("description", ""), name in needed)
            for name, schema in body["properties"].items()
        ]
    return {field.name: field for field in found}


def _operations() -> dict[str, OperationInfo]:
    document = json.loads(taken_text(lib.fcps_door_describe()))
    found = [
        OperationInfo(one["operationId"], one["summary"], one.get("description", ""), _fields(one))
        for path in document["paths"].values()
        for one in path.values()
    ]
    return {one.name: one for one in found}


operations: Catalogue[OperationInfo] = Catalogue("operation", _operations)


def door_options(host: Host) -> Any:
    """Options of a door: its messages and interrupts go to the host."""
    options = ffi.new("fcps_door_options *", {"stop": lib.fcps_py_stop, "user": host.user})
    options.study.log = {"write": lib.fcps_py_log, "user": host.user}
    return options


def request_of(given: Mapping[str, Any]) -> str:
    """A request as the library reads it."""
    return json.dumps({name: _plain(name, value) for name, value in given.items()})


def _plain(name: str, value: Any) -> Any:
    """A value as JSON has it; JSON has no NaN and no infinity, which become "nan", "inf" and "-inf"."""
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, Trial):
        return value.id
    if isinstance(value, Mapping):
        return {str(key): _plain(name, one) for key, one in cast("Mapping[Any, Any]", value).items()}
    if hasattr(value, "tolist"):  # a NumPy value
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(name, one) for one in cast("list[Any]", value)]
    if isinstance(value, float):
        return value if math.isfinite(value) else repr(value)
    if isinstance(value, (bool, int, str)):
        return value
    raise ArgumentError(f"expected numbers, texts, lists or mappings, not {type(value).__name__}", field=name)


def ask_door(host: Host, door: Handle, operation: str, request: str) -> bytes:
    """Does an operation and returns the answer unchanged."""
    keep: list[Any] = []
    out, length = ffi.new("char **"), ffi.new("size_t *")
    try:
        host.call(lib.fcps_door_call, door, c_text(operation, keep), c_text(request, keep), out, length)
        return bytes(ffi.buffer(out[0], length[0]))
    finally:
        lib.fcps_free(out[0])


def answer_of(data: bytes) -> dict[str, Any]:
    """An answer as a value: an object, or an object with the text of a table, or one with the bytes of a file."""
    if data.startswith(b"{"):
        return cast("dict[str, Any]", json.loads(data))
    return {"bytes": data} if b"\0" in data else {"text": data.decode("utf-8")}
