# SPDX-License-Identifier: Apache-2.0
"""fcps learns which parameters to use in which situation, from very few trials.

>>> import fcps
>>> problem = fcps.Problem(target={"x": (-8, 8)}, environment={"wind": (-1, 1)}, parameters={"speed": (-4, 4)},
...                        outcome=["land"], achieved={"x": "land"}, reward="-distance - 0.01*speed^2")
>>> with fcps.Study(None, problem, seed=1001) as study:
...     for x in range(-7, 8):
...         trial = study.ask(x=x, wind=0.2)
...         receipt = study.tell(trial, land=2 * trial.parameters["speed"] + trial.environment["wind"])
...     policy = study.policy()
>>> answer = policy(x=3, wind=0.2)
>>> abs(answer.parameters["speed"] - 1.4) < 0.1
True
"""

from ._fcps import ffi as _ffi
from ._fcps import lib as _lib
from .check import CheckedOutput, Health, ModelCheck
from .dimensions import Angle, Dimension, Integer, Log, Space
from .errors import (
    ArgumentError,
    BoundsError,
    BusyError,
    CallbackError,
    ClosedError,
    ConflictError,
    DamagedError,
    Error,
    FailureRateError,
    FileError,
    FormatError,
    InternalError,
    LockedError,
    MissingFileError,
    NoRewardError,
    NotFiniteError,
    NumericalError,
    OutOfMemoryError,
    ProgramError,
    StoppedError,
    StoreError,
    StoreFullError,
    UnavailableError,
    UnknownAskError,
    UnknownNameError,
    UnsupportedError,
)
from .findings import Counts, Event, Outlook, Remark
from .learner import Learner
from .policy import Policy
from .primitive import Motion, Primitive, Trajectory, Violation, minimum_jerk
from .problem import Problem
from .run import Episode, Run, run
from .served import ServedStudy, connect
from .study import Study
from .tasks import LearnerInfo, Rollout, Setting, Task, TaskInfo, learners, tasks
from .trials import Answer, Receipt, Trial, TrialFailed
from .values import Batch, Table, Values

__version__: str = _ffi.string(_lib.fcps_version()).decode()

__all__ = [
    "Angle",
    "Answer",
    "ArgumentError",
    "Batch",
    "BoundsError",
    "BusyError",
    "CallbackError",
    "CheckedOutput",
    "ClosedError",
    "ConflictError",
    "Counts",
    "DamagedError",
    "Dimension",
    "Episode",
    "Error",
    "Event",
    "FailureRateError",
    "FileError",
    "FormatError",
    "Health",
    "Integer",
    "InternalError",
    "Learner",
    "LearnerInfo",
    "LockedError",
    "Log",
    "MissingFileError",
    "ModelCheck",
    "Motion",
    "NoRewardError",
    "NotFiniteError",
    "NumericalError",
    "OutOfMemoryError",
    "Outlook",
    "Policy",
    "Primitive",
    "Problem",
    "ProgramError",
    "Receipt",
    "Remark",
    "Rollout",
    "Run",
    "ServedStudy",
    "Setting",
    "Space",
    "StoppedError",
    "StoreError",
    "StoreFullError",
    "Study",
    "Table",
    "Task",
    "TaskInfo",
    "Trajectory",
    "Trial",
    "TrialFailed",
    "UnavailableError",
    "UnknownAskError",
    "UnknownNameError",
    "UnsupportedError",
    "Values",
    "Violation",
    "connect",
    "learners",
    "minimum_jerk",
    "run",
    "tasks",
]
