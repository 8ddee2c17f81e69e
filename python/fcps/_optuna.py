# SPDX-License-Identifier: Apache-2.0
"""A study as a journal of Optuna, for optuna-dashboard and Optuna's own figures. Optuna itself is not needed to write
it.

The format is that of optuna.storages.JournalStorage: a line of JSON for each operation, 0 for a new study and 4 for a
new trial.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable
from datetime import datetime, timezone
from typing import Any

from ._dimensions import Choice, Dimension
from ._files import write_text
from ._study import Study

_CREATE_STUDY, _CREATE_TRIAL = 0, 4
_MAXIMIZE = 2
_STATES = {"running": 0, "complete": 1, "fail": 3}  # values of optuna.trial.TrialState


def write_journal(study: Study, path: str | os.PathLike[str], *, name: str | None = None) -> int:
    """Writes a journal and returns its number of trials. Parameters become parameters; the context, the outcome, the
    status and the client become user attributes. Trials that failed, or have no finite reward, are failed in the
    journal.
    """
    lines = [{"op_code": _CREATE_STUDY, "study_name": name or study.problem.name, "directions": [_MAXIMIZE]}]
    told: set[int] = set()
    table = study.rollouts()
    columns = {key: column.tolist() for key, column in table.items()}
    for i in range(table.rows):
        row = {key: column[i] for key, column in columns.items()}
        if row[table.own("used")]:
            told.add(row[table.own("ask")])
            lines.append(_result(study, row, table.own))
    for trial in study.pending:
        if trial.id not in told:
            lines.append(
                _trial(
                    study,
                    dict(trial.parameters),
                    "running",
                    None,
                    {**trial.target, **trial.environment, "ask": trial.id},
                    None,
                )
            )
    words = "".join(json.dumps({**line, "worker_id": "fcps"}) + "\n" for line in lines)
    write_text(path, words)
    return len(lines) - 1


def _result(study: Study, row: dict[str, Any], own: Callable[[str], str]) -> dict[str, Any]:
    problem = study.problem
    reward = row[own("reward")]
    is_good = row[own("status")] == "ok" and math.isfinite(reward)
    names = [*problem.context, *problem.outcome.names, *map(own, ("ask", "status", "message", "client"))]
    attributes = {name: _plain(row[name]) for name in names if row[name] != ""}
    lacking = {name for name in problem.parameters.names.conditional if row[name] is None or row[name] != row[name]}
    parameters = {name: row[name] for name in problem.parameters.names if name not in lacking}
    return _trial(
        study,
        parameters,
        "complete" if is_good else "fail",
        reward if is_good else None,
        attributes,
        row[own("time")],
    )


def _trial(
    study: Study,
    parameters: dict[str, float],
    state: str,
    value: float | None,
    attributes: dict[str, Any],
    time: float | None,
) -> dict[str, Any]:
    when = datetime.fromtimestamp(time or 0, timezone.utc).isoformat(timespec="microseconds")
    # a parameter executed outside its bounds has no distribution in the journal, so it is written as an attribute
    inside: dict[str, float] = {}
    distributions: dict[str, str] = {}
    for name, number in parameters.items():
        dim = study.problem.parameters[name]
        if isinstance(dim, Choice):
            inside[name] = dim.words.index(str(number))  # Optuna stores the place of a word in the list
            distributions[name] = _distribution(dim)
        elif dim.lower is not None and dim.upper is not None and dim.lower <= number <= dim.upper:
            inside[name] = number
            distributions[name] = _distribution(dim)
        else:
            attributes = {**attributes, name: _plain(number)}
    line: dict[str, Any] = {
        "op_code": _CREATE_TRIAL,
        "study_id": 0,
        "state": _STATES[state],
        "value": value,
        "values": None,
        "params": inside,
        "distributions": distributions,
        "user_attrs": attributes,
        "system_attrs": {},
        "intermediate_values": {},
        "datetime_start": when if time is not None else None,
    }
    if time is not None:
        line["datetime_complete"] = when
    return line


def _distribution(dim: Dimension) -> str:
    if isinstance(dim, Choice):
        return json.dumps({"name": "CategoricalDistribution", "attributes": {"choices": list(dim.words)}})
    if dim.scale == "integer":
        return json.dumps(
            {
                "name": "IntDistribution",
                "attributes": {"log": False, "step": 1, "low": int(dim.lower or 0), "high": int(dim.upper or 0)},
            }
        )
    return json.dumps(
        {
            "name": "FloatDistribution",
            "attributes": {"step": None, "low": dim.lower, "high": dim.upper, "log": dim.scale == "log"},
        }
    )


def _plain(value: Any) -> Any:
    """Replaces NaN, which JSON does not have."""
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
