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

from . import errors, primitives, types
from ._dimensions import Angle, Choice, Dimension, Integer, Log
from ._fcps import ffi as _ffi
from ._fcps import lib as _lib
from ._findings import Outlook
from ._learner import Learner
from ._operations import operations
from ._policy import Policy
from ._problem import Problem
from ._run import run
from ._served import connect
from ._study import Study
from ._tasks import Task, learners, tasks
from ._trials import Answer, Trial
from ._values import Table
from .errors import BoundsError, ClosedError, ConflictError, Error, LockedError, StopRun, TrialFailed

__version__: str = _ffi.string(_lib.fcps_version()).decode()

# the names that users write; the types of results are in `types`, the exceptions in `errors`
__all__ = [
    "Angle",
    "Answer",
    "BoundsError",
    "Choice",
    "ClosedError",
    "ConflictError",
    "Dimension",
    "Error",
    "Integer",
    "Learner",
    "LockedError",
    "Log",
    "Outlook",
    "Policy",
    "Problem",
    "StopRun",
    "Study",
    "Table",
    "Task",
    "Trial",
    "TrialFailed",
    "connect",
    "errors",
    "learners",
    "operations",
    "primitives",
    "run",
    "tasks",
    "types",
]
