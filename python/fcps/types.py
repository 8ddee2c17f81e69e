# SPDX-License-Identifier: Apache-2.0
"""Types of returned values, for type hints and `isinstance`; users do not make these objects.

>>> import fcps
>>> def show(episode: fcps.types.Episode) -> None:
...     print(episode.done, episode.reward)
"""

from ._check import CheckedOutput, Finding, Health, ModelCheck
from ._dimensions import Space
from ._findings import Counts, Event, Outlook, Remark
from ._operations import OperationField, OperationInfo
from ._run import Episode, Run
from ._served import ServedStudy
from ._tasks import LearnerInfo, Rollout, Setting, TaskInfo
from ._trials import Answer, Expected, Receipt, Trial
from ._values import Batch, Table, Values

__all__ = [
    "Answer",
    "Batch",
    "CheckedOutput",
    "Counts",
    "Episode",
    "Event",
    "Expected",
    "Finding",
    "Health",
    "LearnerInfo",
    "ModelCheck",
    "OperationField",
    "OperationInfo",
    "Outlook",
    "Receipt",
    "Remark",
    "Rollout",
    "Run",
    "ServedStudy",
    "Setting",
    "Space",
    "Table",
    "TaskInfo",
    "Trial",
    "Values",
]
