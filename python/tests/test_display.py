# SPDX-License-Identifier: Apache-2.0
"""Studies and policies in a notebook."""

import xml.etree.ElementTree as tree

import fcps
import pytest
from conftest import learn


def drawings(text):
    """The drawings in a piece of HTML; each must be well-formed."""
    whole = tree.fromstring(f"<div>{text}</div>")
    return whole.findall(".//{http://www.w3.org/2000/svg}svg")


def test_a_study_shows_itself(told, study):
    assert len(drawings(told._repr_html_())) == 1 and "outcome" in told._repr_html_()
    assert drawings(study._repr_html_()) == []  # nothing to draw yet
    study.close()
    assert "closed" in study._repr_html_()


def test_a_policy_draws_its_map(told, problem):
    (drawing,) = drawings(told.policy()._repr_html_())
    assert len(drawing.findall("{http://www.w3.org/2000/svg}rect")) > 24 * 24
    line = fcps.Problem(target={"x": (0, 5)}, parameters={"push": (0, 3)}, outcome=["place"], reward="-abs(place - x)")
    with fcps.run(line, lambda trial: trial.parameters["push"] * 1.5, episodes=8, seed=1001) as done:
        assert len(drawings(done.policy()._repr_html_())) == 1
    learner = fcps.Learner(problem, "c-reps", seed=1001)
    learn(learner, 4)
    assert drawings(learner.policy()._repr_html_()) == []


def test_matplotlib_is_not_required(told):
    try:
        import matplotlib
    except ImportError:
        with pytest.raises(fcps.errors.UnavailableError, match="pip install matplotlib"):
            told.plot()
        return
    matplotlib.use("Agg")
    assert told.plot().get_ylabel() == "reward"
