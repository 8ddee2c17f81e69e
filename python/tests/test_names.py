# SPDX-License-Identifier: Apache-2.0
"""Numbers that bring their names are read by them, wherever numbers are taken: a row of a table whose columns stand in
another order would else be stored wrong, without a word. Numbers without names are read by their place.
"""

import collections
import dataclasses
import sqlite3
import typing

import fcps
import numpy as np
import pytest

# names in another order than the problem has them
WANTED = {"temp": 20.0, "want": 90.0}
MEASURED = {"height": 7.0, "width": 88.0}


class Series:
    """Labels and numbers, as pandas has them: arrays and loops see the numbers alone."""

    def __init__(self, numbers, index=None):
        self._numbers = list(numbers)
        self.index = list(range(len(self._numbers))) if index is None else list(index)

    def keys(self):
        return self.index

    def __getitem__(self, label):
        return self._numbers[self.index.index(label)]

    def __len__(self):
        return len(self._numbers)

    def __iter__(self):
        return iter(self._numbers)

    def __array__(self, dtype=None, copy=None):
        return np.array(self._numbers, dtype)


class Frame:
    """Columns by name, as polars has them."""

    def __init__(self, data):
        self._data = data
        self.columns = list(data)

    def __len__(self):
        return len(self._data[self.columns[0]])

    def __getitem__(self, name):
        return self._data[name]


def series(row):
    return Series(row.values(), row)


def named_tuple(row):
    return collections.namedtuple("Row", row)(**row)


def dataclass(row):
    return dataclasses.make_dataclass("Row", [(name, float) for name in row])(**row)


def record(row):
    return np.array([tuple(row.values())], [(name, float) for name in row])[0]


def record_array(row):
    return np.array([tuple(row.values())], [(name, float) for name in row])


def database_row(row):
    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row
    return connection.execute("SELECT " + ", ".join(f"{value} AS {name}" for name, value in row.items())).fetchone()


def frame(row):
    return Frame({name: [value] for name, value in row.items()})


def pandas_series(row):
    return pytest.importorskip("pandas").Series(row)


def pandas_row(row):
    return pytest.importorskip("pandas").DataFrame([row]).iloc[0]


def pandas_tuple(row):
    return next(pytest.importorskip("pandas").DataFrame([row]).itertuples(index=False))


def pandas_frame(row):
    return pytest.importorskip("pandas").DataFrame([row])


def polars_frame(row):
    return pytest.importorskip("polars").DataFrame([row])


def polars_row(row):
    return pytest.importorskip("polars").DataFrame([row]).row(0, named=True)


MAKERS = [
    dict,
    series,
    named_tuple,
    dataclass,
    record,
    record_array,
    database_row,
    frame,
    pandas_series,
    pandas_row,
    pandas_tuple,
    pandas_frame,
    polars_frame,
    polars_row,
]
TABLES = [make for make in MAKERS if make not in (frame, pandas_frame, polars_frame)]  # those of several rows are one thing
named = pytest.mark.parametrize("made", MAKERS, ids=lambda make: make.__name__)


def problem(**changes):
    return fcps.Problem(
        **{
            "target": {"want": (0, 100)},
            "environment": {"temp": (0, 100)},
            "parameters": {"p": (0, 1), "q": (0, 1)},
            "outcome": ["width", "height"],
            "reward": "-abs(width - want) - abs(height)",
            **changes,
        }
    )


@pytest.fixture
def study():
    with fcps.Study(None, problem(), seed=1001) as study:
        yield study


def last(study, *names):
    table = study.rollouts()
    return [table[name][-1] for name in names]


@named
def test_an_ask_and_its_outcome_go_by_their_names(study, made):
    trial = study.ask(made(WANTED))
    assert (dict(trial.target), dict(trial.environment)) == ({"want": 90.0}, {"temp": 20.0})
    study.tell(trial, made(MEASURED))
    assert last(study, "width", "height") == [88.0, 7.0]


@named
def test_all_that_is_told_goes_by_its_names(study, made):
    study.tell(
        None,
        made(MEASURED),
        deviation=made({"height": 0.5, "width": 2.0}),
        target=made({"want": 10.0}),
        environment=made({"temp": 5.0}),
        parameters=made({"q": 0.75, "p": 0.25}),
    )
    assert last(study, "want", "temp", "p", "q", "width", "height") == [10.0, 5.0, 0.25, 0.75, 88.0, 7.0]


@named
def test_a_learner_goes_by_names(made):
    learner = fcps.Learner(problem(), seed=1001)
    trial = learner.ask(made(WANTED))
    assert trial.target["want"] == 90.0 and trial.environment["temp"] == 20.0
    learner.tell(trial, made(MEASURED))
    assert learner.rollouts == 1


@named
def test_what_is_fixed_of_a_choice_goes_by_its_names(made):
    with fcps.Study(None, problem(), learner="outcome-active", seed=1001) as study:
        trial = study.choose(made(WANTED))
        assert (trial.target["want"], trial.environment["temp"]) == (90.0, 20.0)
        assert study.choose(made({"temp": 30.0})).environment["temp"] == 30.0


@named
def test_a_policy_goes_by_names(study, made):
    for i in range(6):
        study.tell(study.ask(want=15 * i, temp=20), width=10.0 * i, height=1.0)
    policy = study.policy()
    assert policy(made(WANTED)) == policy(**WANTED)
    for one in (policy.predict, study.retarget):
        answer = one(made(WANTED))
        assert np.asarray(answer["p"]).tolist() == [policy(**WANTED).parameters["p"]]
    assert problem().outside(made({"temp": 50.0, "want": 400.0})) == ["target.want: 400 lies outside [0, 100]"]


@pytest.mark.parametrize("made", TABLES, ids=lambda make: make.__name__)
def test_many_rows_go_by_their_names(study, made):
    other = {"temp": 30.0, "want": 80.0}
    asked = study.ask_many([made(WANTED), made(other)])
    assert [(one.target["want"], one.environment["temp"]) for one in asked] == [(90.0, 20.0), (80.0, 30.0)]
    asked = study.ask_many(made(WANTED), count=2)
    assert [(one.target["want"], one.environment["temp"]) for one in asked] == [(90.0, 20.0)] * 2
    # named or not, each row says for itself
    asked = study.ask_many([[90.0, 20.0], made(other)])
    assert [(one.target["want"], one.environment["temp"]) for one in asked] == [(90.0, 20.0), (80.0, 30.0)]


def test_an_array_of_records_is_a_table(study):
    rows = np.array([(20.0, 90.0), (30.0, 80.0)], [("temp", float), ("want", float)])
    for table in (rows, rows.view(np.recarray)):
        asked = study.ask_many(table)
        assert [(one.target["want"], one.environment["temp"]) for one in asked] == [(90.0, 20.0), (80.0, 30.0)]
    with pytest.raises(fcps.errors.ArgumentError, match="one row, not 2"):
        study.ask(rows)


@named
def test_a_run_goes_by_names(made):
    contexts = [made(WANTED)] if made in TABLES else made(WANTED)
    with fcps.run(problem(), lambda trial: made(MEASURED), episodes=2, contexts=contexts, seed=1001) as done:
        table = done.episodes
        assert table["width"].tolist() == [88.0, 88.0] and table["height"].tolist() == [7.0, 7.0]
        assert table["want"].tolist() == [90.0, 90.0] and table["temp"].tolist() == [20.0, 20.0]


@named
def test_an_achieved_target_goes_by_its_names(made):
    """Which a function returns for all rows, as columns or as rows with names."""
    row = made({"second": 2.0, "first": 1.0})
    both = {"first": (0, 9), "second": (0, 9)}
    achieved = problem(
        target=both, reward=lambda target, *_: np.zeros(1), achieved=lambda *_: None, outcome=["width"]
    )._achieved_rows(row, 1)
    assert achieved.tolist() == [[1.0, 2.0]]


@named
def test_names_that_lack_or_are_not_known_are_refused(study, made):
    with pytest.raises(fcps.errors.ArgumentError, match="no value for 'want'"):
        study.ask(made({"temp": 20.0}))
    with pytest.raises(fcps.errors.UnknownNameError, match="'wnat'; did you mean 'want'"):
        study.ask(made({"temp": 20.0, "wnat": 90.0}))
    with pytest.raises(fcps.errors.UnknownNameError, match="there is no dimension of the context 'sheet'"):
        study.ask(made({**WANTED, "sheet": 3.0}))
    with pytest.raises(fcps.errors.ArgumentError, match="once"):
        study.ask(made(WANTED), want=3)
    with fcps.Study(None, problem(), learner="outcome-active", seed=1001) as active:
        with pytest.raises(fcps.errors.UnknownNameError, match="'wnat'; did you mean 'want'"):
            active.choose(made({"wnat": 90.0}))


def test_a_name_that_is_there_twice_is_refused(study):
    with pytest.raises(fcps.errors.ArgumentError, match="'want' is given twice"):
        study.ask(Series([1.0, 2.0, 3.0], ["want", "temp", "want"]))
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame([[1.0, 2.0, 3.0]], columns=["want", "temp", "want"])
    for use in (study.ask, study.ask_many, study.retarget):
        with pytest.raises(fcps.errors.ArgumentError, match="'want' is given twice"):
            use(frame)


def test_numbers_without_names_go_by_their_place(study):
    class Pair(typing.NamedTuple):
        temp: float
        want: float

    for given in ([90.0, 20.0], (90.0, 20.0), np.array([90.0, 20.0]), Series([90.0, 20.0]), Series([90.0, 20.0], [7, 3])):
        trial = study.ask(given)
        assert (trial.target["want"], trial.environment["temp"]) == (90.0, 20.0)
    assert study.ask(Pair(20.0, 90.0)).target["want"] == 90.0
    with pytest.raises(fcps.errors.ArgumentError, match="by name"):
        study.choose([90.0])


def test_a_table_of_several_rows_is_no_single_row(study):
    with pytest.raises(fcps.errors.ArgumentError, match="expected one row, not 2"):
        study.ask(Frame({"temp": [20.0, 30.0], "want": [90.0, 80.0]}))
    with pytest.raises(fcps.errors.ArgumentError, match="expected one row, not 2"):
        study.tell(study.ask(WANTED), Frame({"height": [7.0, 8.0], "width": [88.0, 87.0]}))
