# SPDX-License-Identifier: Apache-2.0
"""How far a model can be trusted: its view of the trials (`Health`), and how well it predicts each from all others."""

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
    """A belief of the model about the world, beyond a plain Gaussian process."""

    name: str  # "frame", "contact", ...
    words: str  # as a sentence
    log_odds: float  # compared with the best explanation without it, such as noise; 0: it was declared
    is_claimed: bool  # it was declared, or the odds are at least twenty to one


@dataclass(frozen=True)
class Health:
    """The state of one Gaussian process of a policy: how it explains the trials, and whether its fit is sound."""

    model: str  # "joint", "rescored" or "outcome"
    output: str  # what it predicts: "reward", the name of an outcome, or "outcome" for all of them
    split_by: str  # the dimension along which the model has split; "" if it has not
    is_upper_side: bool
    rollouts: int  # trials that it learns from
    others: int  # failed, not finite or without an outcome: these only show where trials fail
    noise: float  # its standard deviation
    is_noise_share: bool  # as a share of the output's own deviation; else in the output's unit
    jitter: float  # the number that was added to the diagonal of the kernel matrix; 0: none
    fallback: str  # the code of a fit that failed; "" if it succeeded
    lengths: Values  # by dimension: the share of its range over which the output changes; NaN if it is not an input
    findings: tuple[Finding, ...]  # what the model believes of the world
    least_noise: float  # the smallest noise at a trial, if noise depends on the place; else the same as `noise`
    most_noise: float

    def matters(self, name: str) -> str:
        """How much a dimension matters, in words."""
        return text(lib.fcps_study_sensitivity_text(self.lengths[name]))


def read_health(problem: Problem, policy: Any) -> list[Health]:
    """The health of all processes of a policy."""
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
    predicted: int  # results for which there is an expectation; the numbers below are about these
    covered: int  # how many of them were told within the 95 % interval
    error: float  # root mean square of told - expected
    spread: float  # standard deviation of the told values
    is_overconfident: bool  # far fewer than 95 % are covered
    is_careful: bool  # far more than 95 % are covered
    is_blind: bool  # the model has not learnt on which inputs this output depends
    median_error: float  # half of the errors are smaller
    is_noise_growing: bool  # errors are larger where larger values are expected, more than by chance


@dataclass(frozen=True)
class ModelCheck:
    """Each result, compared with the model's expectation from all other results."""

    model: str
    outputs: list[CheckedOutput]
    results: Table  # `sequence`, `ask`, `result_number`, `surprise`; NAME, NAME_expected and NAME_deviation by output

    def _repr_html_(self) -> str:
        names = ("name", "predicted", "covered", "error", "spread")
        return Table({name: np.array([getattr(output, name) for output in self.outputs]) for name in names}).to_html()


def read_check(c: Any) -> ModelCheck:
    """An fcps_study_check, as a value."""
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
