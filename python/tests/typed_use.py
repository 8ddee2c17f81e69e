# SPDX-License-Identifier: Apache-2.0
# pyright: reportUnnecessaryTypeIgnoreComment=true
"""What type checkers find in a user's program; `scripts/test-python types` lets mypy and pyright read it. A line that must be
refused has `type: ignore`: where nothing is wrong with it, both complain.
"""

from typing import Any, assert_type

import fcps
import numpy as np
import pandas as pd

problem = fcps.Problem(parameters={"speed": (1, 10)}, outcome=["land"], reward="-land")

study = fcps.Study("throw.fcps", problem, mode="new", learner="outcome", settings={"frame": "off"}, seed=3)
assert_type(study, fcps.Study)
fcps.Study("throw.fcps", problem, lerner="outcome")  # type: ignore
fcps.Study("throw.fcps", 3)  # type: ignore
fcps.Study("throw.fcps", problem, mode="r")  # type: ignore
study.best_trial()  # type: ignore
assert_type(fcps.connect("http://127.0.0.1:8017/throw"), fcps.types.ServedStudy)

trial = study.ask(x=3)
assert_type(trial, fcps.Trial)
assert_type(trial.parameters["speed"], float)
assert_type(study.tell(trial, failed="slipped"), fcps.types.Receipt)
study.tell(trial, failed=3)  # type: ignore
study.tell("21", land=3.0)  # type: ignore

policy = study.policy()
assert_type(policy(x=1), fcps.Answer)
assert_type(policy.predict({"x": np.linspace(0, 1, 5), "wind": 0}), fcps.Table)
assert_type(policy.predict([[1.0, 2.0]]), fcps.Table)
assert_type(policy.predict(np.zeros((3, 2))), fcps.Table)
assert_type(policy.predict(pd.DataFrame({"x": [1.0]})), pd.DataFrame)
assert_type(study.retarget({"x": 1.0}), fcps.Table)
policy.predict(3)  # type: ignore


def throw(asked: fcps.Trial) -> dict[str, float]:
    if asked.parameters["speed"] > 9:
        raise fcps.TrialFailed("slipped", status="timeout")
    return {"land": 2 * asked.parameters["speed"]}


def show(episode: fcps.types.Episode) -> bool:
    return episode.reward < -0.1


done = fcps.run(study, throw, episodes=5, on_episode=show)
assert_type(done, fcps.types.Run)
assert_type(done.episodes, fcps.Table)
fcps.run(study, throw)  # type: ignore
try:
    table: Any = study.rollouts().to_pandas()
except fcps.errors.UnavailableError as error:
    print(error.code, error.hint)
assert_type(study.call("best", target={"x": 1.0}), dict[str, Any])
assert_type(fcps.operations["best"], fcps.types.OperationInfo)
assert_type(fcps.learners["outcome"].settings["frame"].help, str)
study.call(3)  # type: ignore

tyre = fcps.Choice("soft", "medium", "hard", ordered=True)
beans = fcps.Choice({"kenya": {"acid": 5}, "brazil": {"acid": 2}}, alike=True)
fcps.Problem(environment={"bean": beans}, parameters={"tyre": tyre, "gate": ["tab", "pin"]}, outcome=["lap"], reward="-lap")
assert_type(tyre.words, tuple[str, ...])
fcps.Choice("a", "b", order=True)  # type: ignore
