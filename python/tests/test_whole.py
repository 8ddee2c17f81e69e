# SPDX-License-Identifier: Apache-2.0
"""Nothing of the public headers is forgotten: each function, status and field is used in the package, or a reason is
given here. A new one in include/fcps fails these tests until somebody has decided.
"""

import dataclasses
import re
from pathlib import Path

import fcps
import pytest
from fcps import _failures, _trials
from fcps._dimensions import SCALES
from fcps._fcps import ffi, lib

SOURCES = {path.name: path.read_text() for path in Path(fcps.__file__).parent.glob("*.py")}
USED = set(re.findall(r"\w+", "".join(SOURCES.values())))

# Functions and fields without a counterpart, by how they begin, and why.
WITHOUT = {
    "fcps_choices_find": "fcps.Choice has its words",
    "fcps_dimension_word": "values are words",
    "fcps_door_options.patience": "a tell in Python says at once that the study is in use",
    "fcps_error_format": "str(error)",
    "fcps_experiment_": "fcps reproduce: experiments write files, and the command line runs them",
    "fcps_film.": "films are those of the command line",
    "fcps_lease": "fcps work: a worker in Python is a program of it",
    "fcps_learner_default": "fcps.learners[name].settings",
    "fcps_motion_step": "Motion.trajectory gives all steps at once",
    "fcps_oracle_": "a figure of the command line",
    "fcps_policy_check": "a policy that is strict refuses with the same words",
    "fcps_policy_query_batch": "Policy.predict, which predicts more",
    "fcps_prediction.has_reward": "a reward that is NaN",
    "fcps_problem.gradient": "rewards of Python are differentiated in whole batches",
    "fcps_problem.is_distance": "formulas say it themselves",
    "fcps_problem_check_context": "ask refuses with the same words",
    "fcps_problem_file.": "the file itself says how it is run",
    "fcps_problem_file_read": "Problem.from_file reads, so that the text can be kept",
    "fcps_problem_judge_reward": "fcps check; what is usually a mistake is a warning of the study",
    "fcps_reward_judgement.": "fcps check",
    "fcps_rollout_ending_text": "an outcome that is None",
    "fcps_rollout_status_text": "STATUSES in _trials.py",
    "fcps_run_kept_count": "a run tells what is kept",
    "fcps_run_output_": "result files are those of the command line; Run.episodes has the numbers",
    "fcps_run_patience.": "tell waits as long as the study was told to",
    "fcps_run_tell": "tell waits as long as the study was told to; a run tells what is kept",
    "fcps_scale_name": "SCALES in _dimensions.py",
    "fcps_offline.predictions": "Task.evaluate",
    "fcps_stored_result.expected_deviation": "find_suspects says it in words",
    "fcps_stored_result.suspect_outcome": "find_suspects says it in words",
    "fcps_study_ask_leased": "fcps work",
    "fcps_study_cost": "Study.call(\"status\") has the cost so far, also behind a server",
    "fcps_study_export_policy": "Policy.save",
    "fcps_study_maker.": "built-in tasks are made by the library",
    "fcps_study_name": "Study.task has its name, and Study.problem that of its file",
    "fcps_study_options.clock": "for tests of the library",
    "fcps_study_lease_at": "fcps work",
    "fcps_study_owner": "Study.task",
    "fcps_study_problem": "Study.problem",
    "fcps_study_read_leases": "fcps work",
    "fcps_study_renew_leases": "fcps work",
    "fcps_study_result_of": "the table of rollouts has the ask of each result",
    "fcps_study_sketch": "fcps study status, of thousands of results",
    "fcps_study_wait": "fcps work",
    "fcps_task_breaks": "Task.evaluate counts nothing of that; experiments do",
    "fcps_task_film": "films are those of the command line",
    "fcps_task_has_film": "films are those of the command line",
    "fcps_task_idle": "a figure of the command line",
    "fcps_task_name": "Task.name",
    "fcps_task_sketch": "pictures are those of the command line",
    "fcps_work": "fcps work runs programs, also those in Python",
    "fcps_evaluation.": "Task.evaluate answers NaN, or what the task says that a failure earns",
}


def forgotten(names):
    return [name for name in names if not any(name.startswith(beginning) for beginning in WITHOUT)]


def structs():
    found = {}
    for name in {name for names in ffi.list_types()[:2] for name in names}:
        try:
            kind = ffi.typeof(name)
            ffi.sizeof(kind)  # an opaque struct has no fields, and cffi 2.1.1 ends the process that looks for them
        except (ffi.error, ValueError):
            continue
        if kind.kind == "struct" and kind.fields:
            found[name] = [field for field, _ in kind.fields]
    return found


def test_every_function_has_a_counterpart():
    functions = [name for name in dir(lib) if name.startswith("fcps_") and not name.startswith("fcps_py_")]
    assert len(functions) > 120
    assert forgotten(name for name in functions if name not in USED) == []


def test_every_field_has_a_counterpart():
    assert len(structs()) > 30
    assert (
        forgotten(f"{name}.{field}" for name, fields in structs().items() for field in fields if field not in USED)
        == []
    )


def test_every_reason_is_needed():
    names = [name for name in dir(lib) if name.startswith("fcps_")]
    names += [f"{name}.{field}" for name, fields in structs().items() for field in fields]
    for beginning in WITHOUT:
        assert any(name.startswith(beginning) for name in names), f"{beginning} no longer exists"


def test_every_status_is_a_class_of_its_own():
    statuses = [name for name in ffi.typeof("fcps_status").relements if name not in ("FCPS_OK", "FCPS_STATUS_COUNT")]
    kinds = {}
    for name in statuses:
        error = _failures.from_status(getattr(lib, name))
        assert error.code == name and str(error) and error.hint
        kinds[type(error)] = name
    assert len(kinds) == len(statuses) and fcps.Error not in kinds
    assert all(getattr(fcps.errors, kind.__name__) is kind for kind in kinds)


@pytest.mark.parametrize(
    ("struct", "kind", "renamed"),
    [
        ("fcps_study_counts", fcps.types.Counts, {}),
        ("fcps_outlook", fcps.Outlook, {}),
        ("fcps_receipt", fcps.types.Receipt, {}),
        ("fcps_checked_output", fcps.types.CheckedOutput, {}),
        (
            "fcps_health",
            fcps.types.Health,
            dict.fromkeys(("target_lengths", "environment_lengths", "parameter_lengths"), "lengths")
            | {"finding_count": "findings"},
        ),
        ("fcps_finding", fcps.types.Finding, {}),
        (
            "fcps_prediction",
            fcps.Answer,
            {
                "has_reward": "reward",
                "has_outcome": "outcome",
                "reward_deviation": "deviation",
                "success_reward_deviation": "success_deviation",
            },
        ),
    ],
)
def test_a_value_has_all_fields(struct, kind, renamed):
    own = {field.name for field in dataclasses.fields(kind)}
    assert {renamed.get(field, field) for field in structs()[struct]} <= own


def test_lists_are_in_the_order_of_the_library():
    count = lib.FCPS_ROLLOUT_STATUS_COUNT
    assert [ffi.string(lib.fcps_rollout_status_text(i)).decode() for i in range(count)] == list(_trials.STATUSES)
    scales = [ffi.string(lib.fcps_scale_name(i)).decode() for i in range(len(SCALES))]
    assert scales == list(SCALES) and lib.fcps_scale_name(len(scales)) == ffi.NULL
    states = ffi.typeof("fcps_ask_state").elements
    assert [states[i].removeprefix("FCPS_ASK_").lower() for i in sorted(states)] == list(_trials.STATES)
    for name, info in fcps.learners.items():
        for setting in info.settings.values():
            default = lib.fcps_learner_default(name.encode(), setting.name.encode())
            assert ffi.string(default).decode() == setting.default
