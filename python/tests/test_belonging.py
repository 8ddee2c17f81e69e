# SPDX-License-Identifier: Apache-2.0
"""A trial belongs to whoever asked it: numbers of asks agree by chance, and a result must not reach another study."""

import pickle

import fcps
import pytest
from conftest import formula_problem, learn, throw

MAKERS = {
    "study": lambda seed: fcps.Study(None, formula_problem(), seed=seed),
    "learner": lambda seed: fcps.Learner(formula_problem(), seed=seed),
}


@pytest.mark.parametrize("kind", MAKERS)
def test_a_trial_of_another_is_refused_and_nothing_has_changed(kind):
    first, second = MAKERS[kind](1001), MAKERS[kind](1002)
    ours, theirs = first.ask(x=1, wind=0), second.ask(x=2, wind=0)
    assert ours.id == theirs.id
    with pytest.raises(fcps.ConflictError, match=f"another {kind} asked it") as caught:
        first.tell(theirs, throw(theirs))
    assert (
        caught.value.code == "FCPS_ERR_CONFLICT" and caught.value.field == "trial" and "tell None" in caught.value.hint
    )
    with pytest.raises(fcps.ConflictError):
        first.forget(theirs)
    first.tell(ours, throw(ours))
    second.tell(theirs, throw(theirs))
    assert (len(first) if kind == "study" else first.rollouts) == 1


@pytest.mark.parametrize("kind", MAKERS)
def test_the_same_context_with_other_parameters_is_another_trial(kind):
    first, second = MAKERS[kind](1001), MAKERS[kind](1002)
    first.ask(x=1, wind=0)
    with pytest.raises(fcps.ConflictError, match="parameters"):
        first.tell(second.ask(x=1, wind=0), land=1, height=0)


def test_a_trial_of_another_problem_is_refused_before_its_outcome_is_read():
    other = fcps.Study(None, fcps.Problem(parameters={"dose": (0, 10)}, outcome=["growth"], reward="growth"))
    with fcps.Study(None, formula_problem(), seed=1001) as study:
        study.ask(x=1, wind=0)
        with pytest.raises(fcps.ConflictError):
            study.tell(other.ask(), growth=3)


def test_trials_stay_those_of_a_learner_that_was_saved():
    learner = fcps.Learner(formula_problem(), seed=1001)
    learn(learner, 3)
    ours = learner.ask(x=1, wind=0)
    theirs = fcps.Learner(formula_problem(), seed=1002)
    learn(theirs, 3)
    stranger = theirs.ask(x=1, wind=0)
    for again in (pickle.loads(pickle.dumps(learner)), fcps.Learner.load(learner.problem, learner.save())):
        with pytest.raises(fcps.ConflictError):
            again.tell(stranger, land=1, height=0)
        again.tell(pickle.loads(pickle.dumps(ours)), throw(ours))


def test_trials_of_other_processes_are_known(tmp_path):
    path = tmp_path / "throw.fcps"
    with fcps.Study(path, formula_problem(), seed=1001) as here, fcps.Study(path) as there:
        trial = there.ask(x=1, wind=0)
        here.tell(trial, throw(trial))
        late = there.ask(x=2, wind=0)
        there.amend(bounds={"speed": (1, 12)})
        here.forget(late)
        here.tell(late, throw(late))
        here.tell(late.id, throw(late))  # a number alone is taken at its word
        assert len(here) == 2


def test_a_trial_of_an_equal_study_is_refused_and_that_of_a_copy_is_not(tmp_path):
    """Equal seeds and contexts give equal trials: only the study itself tells them apart."""
    paths = [tmp_path / "first.fcps", tmp_path / "second.fcps", None, None]
    studies = [fcps.Study(path, formula_problem(), seed=1001) for path in paths]
    trials = [study.ask(x=1, wind=0) for study in studies]
    assert all(trial == trials[0] for trial in trials)
    for study, own in zip(studies, trials):
        for trial in trials:
            if trial is not own:
                with pytest.raises(fcps.ConflictError, match="is equal, but another study asked it"):
                    study.tell(pickle.loads(pickle.dumps(trial)), throw(trial))
                with pytest.raises(fcps.ConflictError):
                    study.forget(trial)
    studies[0].backup(tmp_path / "copy.fcps")
    with fcps.Study(tmp_path / "copy.fcps") as copy:
        copy.tell(trials[0], throw(trials[0]))
    for study, own in zip(studies, trials):
        study.tell(pickle.loads(pickle.dumps(own)), throw(own))
        study.close()
    (tmp_path / "moved").mkdir()
    paths[0].rename(tmp_path / "moved" / "first.fcps")
    with fcps.Study(tmp_path / "moved" / "first.fcps") as moved:
        assert moved.tell(trials[0], throw(trials[0])).is_repeated
