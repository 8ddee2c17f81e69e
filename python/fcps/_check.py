# SPDX-License-Identifier: Apache-2.0
"""How far a model can be believed: what it has learnt (`Health`), and how well it predicts each trial from all others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ._fcps import ffi, lib
from ._host import text
from ._trials import unpack
from ._values import Table, Values

if TYPE_CHECKING:
    from ._problem import Problem


@dataclass(frozen=True)
class Finding:
    """A structure of the outcomes that a model believes in, beyond a plain Gaussian process."""

    name: str  # "frame", "contact", ...
    words: str  # as a sentence
    log_odds: float  # natural logarithm of the odds against the best explanation without it; 0: it was declared
    is_claimed: bool  # it was declared, or its odds are at least twenty to one


@dataclass(frozen=True)
class Health:
    """What one Gaussian process of a policy has learnt, and whether its fit went well."""

    model: str  # "joint", "rescored" or "outcome"
    output: str  # the predicted output: "reward", the name of an outcome, or "outcome" for all of them
    split_by: str  # the dimension along which the model has split; "" if it has not
    is_upper_side: bool
    rollouts: int  # the trials that it learns from
    others: int  # trials that failed, are not finite or have no outcome; they only show what may go wrong
    noise: float  # its standard deviation
    is_noise_share: bool  # whether `noise` is a share of the output's own deviation; else it has the output's unit
    jitter: float  # the number added to the diagonal of the kernel matrix; 0: none was needed
    fallback: str  # the code of a fit that failed; "" if the fit went well
    lengths: Values  # by dimension: the share of its range over which the output changes; NaN if it is not an input
    findings: tuple[Finding, ...]  # structures that the model believes in
    least_noise: float  # least and most noise at the trials, if noise depends on the place; else both are `noise`
    most_noise: float


def read_health(problem: Problem, policy: Any) -> list[Health]:
    """Reads all processes of a policy."""
    spaces = {
        "target_lengths": problem.target,
        "environment_lengths": problem.environment,
        "parameter_lengths": problem.parameters,
    }
    c = ffi.new("fcps_health *")
    lengths = {member: ffi.new("double[]", max(len(space), 1)) for member, space in spaces.items()}
    found: list[Health] = []
    while True:
        for member, array in lengths.items():
            setattr(c, member, array)
        if not lib.fcps_policy_health(policy, len(found), c):
            return found
        parts = [unpack(space, lengths[member]) for member, space in spaces.items()]
        found.append(
            Health(
                text(c.model),
                text(c.output),
                text(c.split_by),
                c.is_upper_side,
                c.rollouts,
                c.others,
                c.noise,
                c.is_noise_share,
                c.jitter,
                text(c.fallback),
                Values(
                    tuple(name for part in parts for name in part), tuple(x for part in parts for x in part._numbers)
                ),
                tuple(_read_finding(c.findings[i]) for i in range(c.finding_count)),
                c.least_noise,
                c.most_noise,
            )
        )


def _read_finding(c: Any) -> Finding:
    return Finding(text(c.name), text(c.words), c.log_odds, c.is_claimed)


@dataclass(frozen=True)
class CheckedOutput:
    """How well the model predicts one output."""

    name: str
    unit: str
    predicted: int  # results with an expectation; the numbers below refer to these
    covered: int  # results within their 95 % intervals
    error: float  # root mean square of told - expected
    spread: float  # standard deviation of the told values
    is_overconfident: bool  # far fewer than 95 % are covered
    is_careful: bool  # far more are covered
    is_blind: bool  # the model has not learnt what this output depends on
    median_error: float  # half of the errors are smaller
    is_noise_growing: bool  # errors grow with the expected value, beyond chance


@dataclass(frozen=True)
class ModelCheck:
    """Each result beside the value that the model expects of it from all others."""

    model: str
    outputs: list[CheckedOutput]
    results: Table  # `sequence`, `ask`, `result_number`, `surprise`; NAME, NAME_expected and NAME_deviation by output

    def _repr_html_(self) -> str:
        names = ("name", "predicted", "covered", "error", "spread")
        return Table({name: np.array([getattr(output, name) for output in self.outputs]) for name in names}).to_html()


def read_check(c: Any) -> ModelCheck:
    """Reads an fcps_study_check."""
    outputs = [_read_output(c.outputs[i]) for i in range(c.output_count)]
    rows = [c.results[i] for i in range(c.result_count)]
    table = Table(
        {
            name: np.array([getattr(row, name) for row in rows], np.int64)
            for name in ("sequence", "ask", "result_number")
        }
    )
    for i, output in enumerate(outputs):
        for member, ending in (("told", ""), ("expected", "_expected"), ("deviation", "_deviation")):
            table[output.name + ending] = np.array([getattr(row, member)[i] for row in rows], np.float64)
    table._say("surprise", np.array([row.surprise for row in rows], np.float64), table)
    return ModelCheck(text(c.model), outputs, table)


def _read_output(c: Any) -> CheckedOutput:
    values: dict[str, Any] = {name: getattr(c, name) for name in CheckedOutput.__dataclass_fields__}
    values.update(name=text(c.name), unit=text(c.unit))
    return CheckedOutput(**values)
