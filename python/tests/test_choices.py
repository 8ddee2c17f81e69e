# SPDX-License-Identifier: Apache-2.0
"""Words: str goes in and comes out, of rows, tables, functions, files and servers."""

from __future__ import annotations

import json
import pickle

import fcps
import numpy as np
import pytest
from conftest import served_at

SPACES = {
    "environment": {"bean": fcps.Choice({"kenya": {"acid": 5}, "brazil": {"acid": 2}}), "load": (0, 1)},
    "parameters": {
        "gate": ["tab", "pin", "two words"],
        "level": fcps.Choice("low", "mid", "high", ordered=True),
        "lanes": fcps.Choice(1, 2, 4),
        "speed": (0, 10),
    },
    "outcome": ["y"],
}
REWARD = "-abs(y - 3) - (gate == 'two words')"
ROBOTS = fcps.Choice("a", "b", "c", alike=True)


def problem(**changes):
    return fcps.Problem(**{**SPACES, "reward": REWARD, **changes})


def outcome_of(trial):
    push = {"tab": 0.0, "pin": 1.0, "two words": -2.0}[trial.parameters["gate"]]
    return trial.parameters["speed"] + push + (trial.environment["bean"] == "kenya")


def test_a_choice_says_what_it_is():
    assert repr(SPACES["parameters"]["level"]) == "Choice('low', 'mid', 'high', ordered=True)"
    assert repr(ROBOTS) == "Choice('a', 'b', 'c', alike=True)"
    assert SPACES["parameters"]["lanes"].words == ("1", "2", "4")
    assert pickle.loads(pickle.dumps(ROBOTS)) == ROBOTS
    assert fcps.Choice(["a", "b"]) == fcps.Choice("a", "b") != fcps.Choice("a", "b", alike=True)
    assert problem().environment["bean"].properties["brazil"] == {"acid": 2.0}
    assert problem() == problem() != problem(parameters={**SPACES["parameters"], "gate": ["tab", "pin"]}, reward="-y")


def test_a_problem_is_written_and_read():
    read = fcps.Problem.from_yaml(problem(environment={**SPACES["environment"], "robot": ROBOTS}).to_yaml())
    assert read.environment["robot"] == ROBOTS
    assert read.environment["bean"] == SPACES["environment"]["bean"]
    assert read.parameters["gate"] == fcps.Choice("tab", "pin", "two words")
    again = pickle.loads(pickle.dumps(read))
    assert again == read and again.parameters["level"].ordered


@pytest.mark.parametrize(
    ("spaces", "words"),
    [
        ({"parameters": {"a": fcps.Choice("one")}}, "2 to 1000"),
        ({"parameters": {"a": {"x", "y"}}}, "a set has no order"),
        ({"outcome": {"y": fcps.Choice("a", "b")}}, "an outcome is a number"),
        ({"parameters": {"a": fcps.Choice("x", "y", ordered=True, alike=True)}}, "both ordered and alike"),
    ],
)
def test_mistakes_are_explained(spaces, words):
    with pytest.raises(fcps.Error, match=words):
        fcps.Problem(**{"parameters": {"p": (0, 1)}, "outcome": ["y"], "reward": "-y", **spaces})
    with pytest.raises(fcps.Error, match="twice"):
        fcps.Choice("a", "a")
    with pytest.raises(fcps.Error, match="same properties"):
        fcps.Choice({"a": {"x": 1}, "b": {"y": 1}})


def test_words_go_in_and_come_out():
    with fcps.Study(None, problem(), seed=1001) as study:
        for i in range(12):
            trial = study.ask(bean=("kenya", "brazil")[i % 2], load=0.5)
            assert trial.environment["bean"] == ("kenya", "brazil")[i % 2]
            assert trial.parameters["gate"] in ("tab", "pin", "two words")
            assert trial.parameters["lanes"] in ("1", "2", "4")
            study.tell(trial, y=outcome_of(trial))
        with pytest.raises(fcps.errors.UnknownNameError, match="did you mean 'kenya'"):
            study.ask(bean="kenia", load=0.5)
        with pytest.raises(fcps.errors.UnknownNameError):
            study.ask(bean=0, load=0.5)
        trial = study.ask({"bean": "kenya", "load": 0})
        study.tell(trial, {"y": 3.0}, parameters={**trial.parameters, "gate": "pin", "lanes": 2})
        table = study.rollouts()
        assert table["gate"][-1] == "pin" and table["lanes"][-1] == "2"
        answer = study.policy()(bean="brazil", load=0.1)
        assert answer.parameters["level"] in ("low", "mid", "high")
        row = np.asarray(answer.parameters)
        assert row.dtype == object and row[0] == answer.parameters["gate"]
        study.tell(None, {"y": 2.0}, environment=["brazil", 0.5], parameters=row)
        assert study.rollouts()["bean"][-1] == "brazil"
        assert "gate: " in repr(answer.parameters)


def test_frames_have_categories():
    pandas = pytest.importorskip("pandas")
    with fcps.Study(None, problem(), seed=1002) as study:
        trial = study.ask(bean="kenya", load=0.5)
        study.tell(trial, y=outcome_of(trial))
        frame = study.rollouts().to_pandas()
        assert list(frame["gate"].cat.categories) == ["tab", "pin", "two words"]
        assert frame["gate"][0] == trial.parameters["gate"] and "y" in frame
        contexts = pandas.DataFrame({"bean": pandas.Categorical(["kenya", "brazil"]), "load": [0.1, 0.9]})
        answers = study.policy().predict(contexts)
        assert list(answers["bean"]) == ["kenya", "brazil"] and set(answers["gate"]) <= {"tab", "pin", "two words"}


def test_tables_of_contexts_have_words():
    with fcps.Study(None, problem(), seed=1002) as study:
        for i in range(6):
            trial = study.ask(bean="kenya", load=i / 5)
            study.tell(trial, y=outcome_of(trial))
        policy = study.policy()
        table = policy.predict({"bean": ["brazil", "kenya"], "load": 0.5})
        assert list(table["bean"]) == ["brazil", "kenya"]
        assert list(policy.predict([["brazil", 0.5]])["bean"]) == ["brazil"]
        assert list(policy.predict([{"bean": "kenya", "load": 1}])["bean"]) == ["kenya"]
        with pytest.raises(fcps.Error, match="did you mean 'brazil'"):
            policy.predict({"bean": ["brasil"], "load": [0.5]})
        saved = pickle.loads(pickle.dumps(policy))
        assert saved(bean="kenya", load=0.5).parameters == policy(bean="kenya", load=0.5).parameters


def test_functions_are_given_words():
    seen = set()

    def reward(target, environment, parameters, outcome):
        seen.update(parameters["gate"].tolist())
        seen.update(environment["bean"].tolist())
        seen.add(target["wish"])
        return np.where(parameters["gate"] == "pin", -abs(outcome["y"] - 3), -9.0)

    own = problem(reward=reward, target={"wish": ["red", "blue"]}, safe=[{"gate": "pin", "level": "low", "lanes": 1, "speed": 1}])
    with fcps.Study(None, own, seed=1003) as study:
        for wish in ("red", "blue", "red", "blue"):
            trial = study.ask(wish=wish, bean="kenya", load=0.5)
            study.tell(trial, y=outcome_of(trial))
    assert {"red", "blue", "kenya"} <= seen and seen & {"tab", "pin", "two words"}


def test_a_word_is_added_to_a_study(tmp_path):
    path = tmp_path / "s.fcps"
    with fcps.Study(path, problem()) as study:
        trial = study.ask(bean="kenya", load=0.5)
        study.tell(trial, y=outcome_of(trial))
        study.amend(add_choice={"gate": "ring"})
        assert study.problem.parameters["gate"].words == ("tab", "pin", "two words", "ring")
        again = study.ask(bean="kenya", load=0.2)
        study.tell(again, y=1.0, parameters={**again.parameters, "gate": "ring"})
    with fcps.Study(path) as study:
        assert study.rollouts()["gate"].tolist() == [trial.parameters["gate"], "ring"]
        with pytest.raises(fcps.errors.UnsupportedError, match="did you mean pin, which is there"):
            study.amend(add_choice={"gate": "Pin"})
        study.amend(add_choice={"gate": "ring"})
        study.amend(add_choice={"gate": "Pin"}, force=True)
        assert study.problem.parameters["gate"].words == ("tab", "pin", "two words", "ring", "Pin")


def test_a_problem_with_other_words_than_the_study_says_which(tmp_path):
    path = tmp_path / "s.fcps"
    fcps.Study(path, problem()).close()
    for gate, words in {
        ("tab", "pin", "two words", "ring"): r"the word 'ring' for 'gate'.* study.amend\(add_choice=\{'gate': 'ring'\}\)",
        ("pin", "tab", "two words"): "the words of 'gate' are tab, pin, two words in the study and pin, tab, two words in",
    }.items():
        with pytest.raises(fcps.ConflictError, match=words):
            fcps.Study(path, problem(parameters={**SPACES["parameters"], "gate": gate}))


def test_a_journal_of_optuna_has_categories(tmp_path):
    from fcps._optuna import write_journal

    with fcps.Study(None, problem()) as study:
        trial = study.ask(bean="kenya", load=0.5)
        study.tell(trial, y=outcome_of(trial))
        write_journal(study, tmp_path / "journal.log")
        line = json.loads((tmp_path / "journal.log").read_text().splitlines()[1])
        distribution = json.loads(line["distributions"]["gate"])
        assert distribution == {"name": "CategoricalDistribution", "attributes": {"choices": ["tab", "pin", "two words"]}}
        assert distribution["attributes"]["choices"][line["params"]["gate"]] == trial.parameters["gate"]
        assert line["user_attrs"]["bean"] == "kenya"


def test_a_served_study_has_words(tmp_path, monkeypatch):
    own = problem(environment={**SPACES["environment"], "robot": ROBOTS})
    with served_at(tmp_path, monkeypatch, own) as address, fcps.connect(address) as study:
        assert study.problem.environment["robot"] == ROBOTS
        assert study.problem.environment["bean"] == SPACES["environment"]["bean"]
        trial = study.ask(bean="brazil", load=0.5, robot="c")
        assert trial.environment["robot"] == "c" and trial.parameters["lanes"] in ("1", "2", "4")
        study.tell(trial, {"y": 1.0}, parameters={**trial.parameters, "gate": "pin"})
        assert study.rollouts()["gate"].tolist() == ["pin"]
        with pytest.raises(fcps.Error, match="did you mean 'kenya'"):
            study.ask(bean="kenia", load=0.5, robot="a")
        study.amend(add_choice={"gate": "ring"}, bounds={"load": (0, 2)}, limits={"y": {"at_most": 50}})
        assert study.problem.parameters["gate"].words[-1] == "ring" and study.problem.environment["load"].upper == 2
        study.amend(constraints=["speed <= 9"], safe=[], limits={})
        with pytest.raises(fcps.errors.UnsupportedError, match="did you mean ring"):
            study.amend(add_choice={"gate": "rings"})


def test_runs_have_words():
    def throw(trial):
        return {"y": outcome_of(trial)}

    with fcps.Study(None, problem(), seed=1004) as study:
        done = fcps.run(study, throw, episodes=3, contexts=[{"bean": "kenya", "load": 0.1}, {"bean": "brazil", "load": 0.2}])
        assert done.episodes["bean"].tolist() == ["kenya", "brazil", "kenya"]


def test_optuna_reads_the_categories(tmp_path):
    optuna = pytest.importorskip("optuna")
    with fcps.Study(None, problem()) as study:
        trial = study.ask(bean="kenya", load=0.5)
        study.tell(trial, y=outcome_of(trial))
        study.to_optuna(tmp_path / "journal.log")
    storage = optuna.storages.JournalStorage(optuna.storages.journal.JournalFileBackend(str(tmp_path / "journal.log")))
    read = optuna.load_study(study_name="problem", storage=storage).trials[0]
    assert read.params["gate"] == trial.parameters["gate"] and read.params["speed"] == trial.parameters["speed"]


def test_variables_of_gest_may_be_texts():
    vocs_module = pytest.importorskip("gest_api.vocs")
    import fcps.gest

    vocs = vocs_module.VOCS(variables={"gate": {"a", "b", "c"}, "x": [0, 1]}, observables=["y"], objectives={})
    generator = fcps.gest.Generator(vocs, reward="-abs(y - 0.3) - (gate == a)")
    for _ in range(3):
        (point,) = generator.suggest(1)
        assert point["gate"] in ("a", "b", "c")
        generator.ingest([{**point, "y": point["x"]}])
    generator.ingest([{"gate": "b", "x": 0.3, "y": 0.2}])
    assert generator.study.rollouts()["gate"][-1] == "b"
    with pytest.raises(fcps.Error, match="not a word|no word"):
        generator.ingest([{"gate": "d", "x": 0.3, "y": 0.2}])


def test_a_notebook_shows_words():
    with fcps.Study(None, problem()) as study:
        for i in range(4):
            trial = study.ask(bean="kenya", load=i / 3)
            study.tell(trial, y=outcome_of(trial))
        policy = study.policy()
        assert policy.health()[0].lengths["gate"] > 0  # a share of the range, not a word
        assert ">kenya<" in policy._repr_html_() and ">brazil<" in policy._repr_html_()
        assert "gate" in study.rollouts()._repr_html_() and trial.parameters["gate"] in study.rollouts()._repr_html_()
    alone = fcps.Problem(environment={"bean": ["kenya", "brazil"]}, parameters={"x": (0, 1)}, outcome=["y"], reward="-y")
    with fcps.Study(None, alone) as study:
        study.tell(study.ask(bean="kenya"), y=0.5)
        assert ">brazil<" in study.policy()._repr_html_()
