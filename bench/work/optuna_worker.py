# SPDX-License-Identifier: Apache-2.0
"""One worker of bench/work/rate.py with Optuna: asks, lets the same program run the trial, tells. Prints a line for each trial
that the storage has acknowledged.

python3 optuna_worker.py STORAGE SECONDS_OF_WORK SECONDS_OF_A_TRIAL SAMPLER NUMBER [--create]
STORAGE: a URL of a database, or the path of a journal file.
"""
import json
import os
import subprocess
import sys
import time
import warnings

import optuna

optuna.logging.set_verbosity(optuna.logging.ERROR)
warnings.simplefilter("ignore")
place, seconds, of_a_trial, sampler, number = sys.argv[1], float(sys.argv[2]), sys.argv[3], sys.argv[4], int(sys.argv[5])
if "://" in place:
    storage = optuna.storages.RDBStorage(place)
else:
    storage = optuna.storages.JournalStorage(optuna.storages.journal.JournalFileBackend(place))
if "--create" in sys.argv:
    optuna.create_study(study_name="rate", storage=storage, direction="maximize")
    sys.exit()
chosen = optuna.samplers.RandomSampler(seed=number) if sampler == "random" else optuna.samplers.TPESampler(seed=number)
study = optuna.load_study(study_name="rate", storage=storage, sampler=chosen)
program = subprocess.Popen([sys.executable, "-S", "-E", os.path.join(os.path.dirname(__file__), "program.py"), of_a_trial],
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
end = time.monotonic() + seconds
while time.monotonic() < end:
    trial = study.ask()
    given = {"speed": trial.suggest_float("speed", 1, 10), "angle": trial.suggest_float("angle", 5, 85)}
    print(json.dumps({"ask": trial.number, "parameters": given}), file=program.stdin, flush=True)
    land = json.loads(program.stdout.readline())["outcome"]["land"]
    study.tell(trial, -abs(land - 4))
    print(trial.number, flush=True)
program.stdin.close()
program.wait()
