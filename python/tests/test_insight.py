# SPDX-License-Identifier: Apache-2.0
"""Questions to the model: of a study in memory, and by an ask or its number."""

import fcps
import pytest
from conftest import formula_problem, learn


def test_questions_are_answered():
    with fcps.Study(None, formula_problem(), seed=1001) as study:
        learn(study, 12)
        trial = study.ask(x=1, wind=0.1)
        why = study.why(trial)
        assert why == study.why(trial.id) and why["ask"] == trial.id
        assert why["parameters"] == dict(trial.parameters) and why["results"] == 12
        few = study.forecast(5)
        assert few["trials"] == 5 and few["reward"]["low"] <= few["reward"]["median"] <= few["reward"]["high"]
        assert study.forecast(5) == few
        easy = study.forecast(5, reward=few["now"]["low"] - 1)
        assert easy["trials"] == 0 and easy["chance"] == pytest.approx(1)
        what = study.explain({"x": 1}, points=5)
        assert {len(line["values"]) for line in what["slices"]} == {5}
        assert what["target"]["x"] == 1
        with pytest.raises(fcps.errors.UnknownNameError, match="z"):
            study.explain({"z": 1})
