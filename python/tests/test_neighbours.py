# SPDX-License-Identifier: Apache-2.0
"""Neighbours: Optuna reads our journals, gest-api's generators are ours. Tests of packages that are missing are
skipped.
"""

import json
import math

import fcps
import pytest


def test_a_journal_has_a_line_for_each_trial(told, tmp_path):
    told.tell(told.ask(x=1, wind=0), status="failed", message="slipped")
    told.tell(told.ask(x=1, wind=0), [math.nan, 1.0])
    told.ask(x=2, wind=0)
    assert told.to_optuna(tmp_path / "journal.log") == 15
    lines = [json.loads(line) for line in (tmp_path / "journal.log").read_text().splitlines()]
    assert lines[0]["op_code"] == 0 and lines[0]["directions"] == [2]
    assert [line["state"] for line in lines[1:]] == [1] * 12 + [3, 3, 0]
    first = lines[1]
    assert set(first["params"]) == {"turn", "speed"} and first["user_attrs"]["x"] == told.rollouts()["x"][0]
    assert json.loads(first["distributions"]["speed"])["attributes"]["high"] == 10


def test_optuna_reads_a_journal(told, tmp_path):
    optuna = pytest.importorskip("optuna")
    told.tell(told.ask(x=1, wind=0), status="failed")
    told.ask(x=2, wind=0)
    told.to_optuna(tmp_path / "journal.log", name="throw")
    storage = optuna.storages.JournalStorage(optuna.storages.journal.JournalFileBackend(str(tmp_path / "journal.log")))
    study = optuna.load_study(study_name="throw", storage=storage)
    assert len(study.trials) == 14 and study.best_value == told.rollouts()["reward"][:12].max()
    assert study.best_trial.params["speed"] in told.rollouts()["speed"]


def vocs(**changes):
    gest = pytest.importorskip("gest_api.vocs")
    return gest.VOCS(
        **{
            "variables": {
                "x": gest.ContextualVariable(domain=[-8, 8]),
                "wind": gest.ContextualVariable(domain=[-1, 1]),
                "turn": [0.0, 360.0],
                "speed": [1.0, 10.0],
            },
            "objectives": {},
            "observables": ["land", "height"],
            **changes,
        }
    )


def test_a_generator_suggests_and_ingests():
    gest = pytest.importorskip("gest_api")
    from fcps.gest import Generator

    generator = Generator(
        vocs(),
        "-abs(land - x)",
        environment=["wind"],
        contexts=[{"x": 3.0, "wind": 0.1}, {"x": -2.0, "wind": 0.0}],
        seed=1001,
    )
    assert isinstance(generator, gest.Generator) and generator.returns_id
    points = generator.suggest(4)
    assert [point["x"] for point in points] == [3.0, -2.0, 3.0, -2.0] and len({point["_id"] for point in points}) == 4
    generator.ingest([{**point, "land": 1.0, "height": 0.5} for point in points[:3]])
    generator.ingest([{"x": 1.0, "wind": 0.0, "turn": 90.0, "speed": 3.0, "land": 2.0, "height": 1.0}])
    assert len(generator.study) == 4 and len(generator.study.pending) == 1
    with pytest.raises(ValueError, match="_id"):
        generator.ingest([{**points[0], "land": 1.0, "height": 0.5}])
    with pytest.raises(fcps.errors.ArgumentError, match="number for 'speed', not none") as caught:
        generator.ingest([{"x": 1.0, "wind": 0.0, "turn": 90.0, "land": 2.0, "height": 1.0}])
    assert caught.value.field == "speed"
    assert len(generator.suggest()) == 1
    generator.finalize()
    assert not generator.study.pending and len(generator.study) == 4


def simulate(point):
    return {"land": point["speed"] * 1.2 - 4}


@pytest.mark.parametrize("comms", ["threads", "local"])
def test_libensemble_tells_every_result(comms, tmp_path, monkeypatch):
    gest, specs = pytest.importorskip("gest_api.vocs"), pytest.importorskip("libensemble.specs")
    from fcps.gest import Generator
    from libensemble import Ensemble
    from libensemble.alloc_funcs.start_only_persistent import only_persistent_gens

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["test"])
    points = gest.VOCS(
        variables={"x": gest.ContextualVariable(domain=[-8, 8]), "speed": [1.0, 10.0]},
        objectives={},
        observables=["land"],
    )
    generator = Generator(points, "-abs(land - x)", contexts=[{"x": 3.0}, {"x": -2.0}], seed=1001)
    options = specs.LibeSpecs(comms=comms, nworkers=2, gen_on_manager=True, final_gen_send=True, disable_log_files=True)
    ensemble = Ensemble(
        libE_specs=options,
        gen_specs=specs.GenSpecs(generator=generator, initial_batch_size=4, batch_size=2, vocs=points),
        sim_specs=specs.SimSpecs(simulator=simulate, vocs=points),
        alloc_specs=specs.AllocSpecs(alloc_f=only_persistent_gens),
        exit_criteria=specs.ExitCriteria(sim_max=24),
    )
    ensemble.run()
    assert len(generator.study) >= 24 and not generator.study.pending
    assert generator.study.policy()(x=3.0).parameters["speed"] == pytest.approx(7 / 1.2, abs=0.2)


def test_the_example_with_libensemble_runs_and_goes_on(tmp_path, monkeypatch, capsys):
    pytest.importorskip("gest_api")
    pytest.importorskip("libensemble")
    import pathlib
    import runpy

    example = pathlib.Path(__file__).parents[2] / "examples" / "libensemble" / "throw.py"
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        monkeypatch.setattr("sys.argv", ["throw.py", "12", "throw.fcps"])
        runpy.run_path(str(example), run_name="__main__")
    said = capsys.readouterr().out.splitlines()
    assert int(said[-1].split()[0]) >= 24 and float(said[-1].split()[-2]) == pytest.approx(math.sqrt(50), abs=0.5)


def test_a_generator_with_an_objective_is_told_rewards():
    pytest.importorskip("gest_api")
    from fcps.gest import Generator

    generator = Generator(
        vocs(variables={"dose": [0.0, 10.0]}, objectives={"loss": "MINIMIZE"}, observables=[]), seed=1001
    )
    for _ in range(15):
        (point,) = generator.suggest(1)
        generator.ingest([{**point, "loss": (point["dose"] - 4) ** 2}])
    assert generator.study.policy()().parameters["dose"] == pytest.approx(4, abs=0.4)
    with pytest.raises(ValueError):
        Generator(vocs(objectives={"a": "MINIMIZE", "b": "MINIMIZE"}))
    with pytest.raises(ValueError, match="contextual"):
        Generator(vocs(variables={"x": {"type": "ContextualVariable"}}), "land")


def test_an_evaluation_that_broke_is_a_failed_trial():
    pytest.importorskip("gest_api")
    import copy

    from fcps.gest import Generator

    generator = Generator(vocs(), "-abs(land - x)", environment=["wind"], seed=1001)
    assert copy.deepcopy(generator) is generator
    points = generator.suggest(2)
    broken = {
        "land": math.nan,
        "height": math.nan,
        "xopt_error": True,
        "xopt_error_str": "Traceback\nValueError: slipped",
    }
    generator.ingest([{**points[0], **broken}, {**points[1], "land": 1.0, "height": 0.5}])
    generator.ingest([{"_id": math.nan, "x": 1.0, "wind": 0.0, "turn": 9.0, "speed": 3.0, "land": 2.0, "height": 1.0}])
    table = generator.study.rollouts()
    assert list(table["status"]) == ["failed", "ok", "ok"] and table["message"][0] == "ValueError: slipped"


@pytest.mark.parametrize("workers", [1, 2])
def test_xopt_runs_the_generator(workers):
    gest, xopt = pytest.importorskip("gest_api.vocs"), pytest.importorskip("xopt")
    from concurrent.futures import ThreadPoolExecutor

    from fcps.gest import Generator

    points = gest.VOCS(
        variables={"x": gest.ContextualVariable(domain=[-8, 8]), "speed": [1.0, 10.0]},
        objectives={},
        observables=["land"],
    )
    generator = Generator(points, "-abs(land - x)", contexts=[{"x": 3.0}, {"x": -2.0}], seed=1001)
    with ThreadPoolExecutor(workers) as executor:
        options = {"max_workers": workers, "executor": executor} if workers > 1 else {}
        loop = xopt.Xopt(generator=generator, evaluator=xopt.Evaluator(function=simulate, **options))
        for _ in range(24 // workers):
            loop.step()
    assert len(loop.data) == len(generator.study) == 24 and not generator.study.pending
    assert generator.study.policy()(x=3.0).parameters["speed"] == pytest.approx(7 / 1.2, abs=0.2)
