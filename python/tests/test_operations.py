# SPDX-License-Identifier: Apache-2.0
"""Operations by their names: of a study in memory, in a file and behind a server."""

import gc
import json
import os
import signal
import socket
import threading
import time

import fcps
import fcps._served as served_module
import numpy as np
import pytest
from fcps._fcps import lib
from conftest import context, formula_problem, function_problem, learn, throw
from test_impostor import TOKEN, answer, prove
from test_impostor import listen as listen
from test_served import address as address


def numbered(trial):
    return {"target": dict(trial.target), "environment": dict(trial.environment), "ask": trial.id}


@pytest.mark.parametrize("make", [formula_problem, function_problem])
def test_a_trial_is_asked_and_told_by_name(make):
    with fcps.Study(None, make(), seed=1001) as study, fcps.Study(None, make(), seed=1001) as same:
        for i in range(6):
            x, wind = context(i).values()
            asked = study.call("ask", target={"x": np.float64(x)}, environment={"wind": wind})
            trial = same.ask(x=x, wind=wind)
            assert asked["parameters"] == pytest.approx(dict(trial.parameters), rel=0, abs=0)
            told = study.call("tell", ask=study.pending[0], outcome=throw(trial))
            assert told["reward"] == same.tell(trial, throw(trial)).reward and told["stored"]
        best = study.call("best", target={"x": 3}, environment={"wind": 0.2})
        answered = same.policy()(x=3, wind=0.2)
        assert best["parameters"] == dict(answered.parameters) and best["predicted_reward"] == answered.reward
        assert len(study) == 6 == study.call("status")["rollouts"]
        assert study.call("table")["text"].splitlines()[0].startswith("ask,")
        assert json.loads(study.policy().save()) == study.call("policy")


def test_what_is_wrong_in_a_call_is_named(told):
    with pytest.raises(fcps.errors.UnknownNameError, match="did you mean best") as caught:
        told.call("bset")
    assert caught.value.field == "operation"
    with pytest.raises(fcps.errors.UnknownNameError, match="did you mean target") as caught:
        told.call("best", targt={"x": 1})
    assert caught.value.field == "targt"
    with pytest.raises(fcps.errors.UnknownNameError):
        told.call("best", target={"z": 1})
    with pytest.raises(fcps.errors.ArgumentError, match='"ask" is missing'):
        told.call("forget")
    with pytest.raises(fcps.errors.ArgumentError, match="not set") as caught:
        told.call("best", target={1, 2})
    assert caught.value.field == "target"
    with pytest.raises(fcps.errors.NotFiniteError):
        told.call("ask", target={"x": float("nan")}, environment={"wind": 0})
    with pytest.raises(fcps.errors.UnsupportedError):
        told.call("file")


def test_an_amendment_by_name_is_seen(told):
    told.call("amend", bounds={"speed": [1, 12]})
    assert told.problem.parameters["speed"].upper == 12
    told.call("amend", reward="-abs(land - x)")
    first = told.ask(x=1, wind=0)
    assert told.tell(first, land=3, height=0).reward == -2


def test_a_call_sees_what_others_stored_and_ends_with_its_study(tmp_path):
    path = tmp_path / "throw.fcps"
    with fcps.Study(path, formula_problem(), seed=1001) as study, fcps.Study(path) as other:
        assert study.call("asks")["asks"] == []
        trial = other.ask(x=1, wind=0)
        assert [one["ask"] for one in study.call("asks")["asks"]] == [trial.id]
        study.hold()
        study.release()
        assert len(study.call("asks")["asks"]) == 1
        assert study.call("file")["bytes"].startswith(path.read_bytes()[:16])
    with pytest.raises(fcps.ClosedError):
        study.call("asks")
    fcps.Study.remove(path)  # nobody has it open


def test_a_function_of_the_problem_must_not_call():
    raised = []

    def reward(target, environment, parameters, outcome):
        try:
            study.call("best", target={"x": 1}, environment={"wind": 0})
        except fcps.errors.BusyError as error:
            raised.append(error)
        return -abs(outcome["land"] - target["x"])

    with fcps.Study(None, function_problem(reward=reward), seed=1001) as study:
        learn(study, 3)
        study.call("best", target={"x": 1}, environment={"wind": 0})
    assert raised


def test_a_study_that_was_called_can_be_collected(tmp_path):
    path = tmp_path / "throw.fcps"
    for _ in range(3):
        study = fcps.Study(path, formula_problem(), seed=1001)
        study.itself = study
        study.call("best", target={"x": 1}, environment={"wind": 0}) if len(study) else learn(study, 4)
        del study
        gc.collect()
    fcps.Study.remove(path)  # nobody has it open


def test_operations_are_listed():
    assert {"ask", "tell", "best", "status", "lease"} <= set(fcps.operations)
    for name, info in fcps.operations.items():
        assert info.name == name and info.summary and isinstance(info, fcps.types.OperationInfo)
        with fcps.Study(None, formula_problem(), seed=1) as study, pytest.raises(fcps.errors.UnknownNameError) as caught:
            study.call(name, no_such_field=1)
        assert caught.value.field == "no_such_field"  # and not the operation
    fields = fcps.operations["tell"].fields
    assert (fields["outcome"].kind, fields["ask"].kind, fields["failed"].kind) == ("numbers by name", "integer", "string or boolean")
    assert "timeout" in fields["status"].choices and "one standard deviation" in fields["outcome_sd"].help
    assert fcps.operations["forget"].fields["ask"].is_needed and not fields["client"].is_needed
    assert fcps.operations["rollouts"].fields["limit"].default == 1000
    with pytest.raises(fcps.errors.UnknownNameError, match="did you mean 'best'"):
        fcps.operations["bset"]
    assert "retarget" in repr(fcps.operations)


def test_a_served_study_answers_calls_as_one_in_a_file(address, tmp_path):
    served = fcps.Study(address)
    learn(served, 5)
    with fcps.Study(tmp_path / "throw.fcps") as study:
        for name, request in (
            ("best", {"target": {"x": 3}, "environment": {"wind": 0}}),
            ("retarget", {"contexts": [{"target": {"x": 3}, "environment": {"wind": 0}}], "format": "csv"}),
            ("rollouts", {"after": 1, "limit": 2}),
            ("events", {}),
            ("table", {}),
            ("policy", {}),
        ):
            assert served.call(name, **request) == study.call(name, **request), name
        assert served.call("file")["bytes"][:16] == study.call("file")["bytes"][:16]
        for wrong in (lambda one: one.call("best", targt={}), lambda one: one.call("use", result=99), lambda one: one.call("bset")):
            errors = []
            for one in (served, study):
                with pytest.raises(fcps.Error) as caught:
                    wrong(one)
                errors.append((type(caught.value), caught.value.field))
            assert errors[0] == errors[1]
        served.call("drop", result=2)
        assert not study.call("rollouts", after=1, limit=1)["rollouts"][0]["used"]


# -- While an answer is awaited --

PROBLEM = json.dumps(
    {
        "name": "p",
        "target": [{"name": "x", "lower": 0, "upper": 1}],
        "environment": [],
        "parameters": [{"name": "a", "lower": 0, "upper": 1}],
        "outcome": [{"name": "o"}],
    }
)


def serve_problem(asked, then):
    """A server that tells its problem, and else does `then`."""

    def behave(connection, read):
        connection.sendall(prove(read))
        words = read().split()[1].decode()
        if words.endswith("/problem"):
            connection.sendall(answer("200 OK", PROBLEM))
        else:
            asked.append(words.rpartition("/")[2])
            then(connection)

    return behave


def test_what_may_have_been_done_is_made_again_only_where_that_is_harmless(listen):
    asked = []
    served = fcps.connect(listen(serve_problem(asked, lambda c: c.shutdown(socket.SHUT_RDWR))).address, token=TOKEN, wait=1)
    for call in (lambda: served.ask(x=0.5), lambda: served.choose({}), lambda: served.call("import", csv="x")):
        with pytest.raises(fcps.errors.FileError, match="connection was lost"):
            call()
    assert asked == ["ask", "choose", "import"]
    asked.clear()
    for call in (lambda: served.ask(x=0.5, client="robot"), lambda: served.tell(7, o=1), served.status):
        with pytest.raises(fcps.errors.FileError, match="connection was lost"):
            call()
    assert all(asked.count(word) > 1 for word in ("ask", "tell", "throw"))


def interrupt_when(is_so):
    def work():
        for _ in range(600):
            if is_so():
                break
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=work)
    thread.start()
    return thread


def test_an_interrupt_ends_the_wait_for_an_answer(listen):
    asked = []
    served = fcps.connect(listen(serve_problem(asked, lambda c: None)).address, token=TOKEN, wait=3000)
    thread = interrupt_when(lambda: asked)
    with pytest.raises(KeyboardInterrupt):
        served.ask(x=0.5, client="robot")
    thread.join()
    assert asked == ["ask"]


def test_an_interrupt_ends_the_wait_for_a_connection(monkeypatch):
    begun, ask = [], served_module.ask_door
    monkeypatch.setattr(served_module, "ask_door", lambda *a: (begun.append(a), ask(*a)))
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full:  # who comes now is not answered, and not refused
        others = [socket.socket() for _ in range(4)]
        for other in others:
            other.setblocking(False)
            other.connect_ex(full.getsockname())
        thread = interrupt_when(lambda: begun)
        with pytest.raises(KeyboardInterrupt):
            fcps.connect(f"http://127.0.0.1:{full.getsockname()[1]}/throw", token=TOKEN, wait=3000)
        thread.join()
        assert begun[0][0].error.status == lib.FCPS_ERR_STOPPED  # and not after the time for a connection
        for other in others:
            other.close()
