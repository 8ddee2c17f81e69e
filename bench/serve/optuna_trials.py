# SPDX-License-Identifier: Apache-2.0
"""The trials of bench/serve/load.py by Optuna: clients ask and tell on several studies in one SQLite file, through its gRPC proxy if
grpc is installed, else directly.

python3 bench/serve/optuna_trials.py --trials N [--clients 20] [--studies 4] [--rollouts 200] [--sampler tpe|random]

Optuna has no contexts: a trial chooses the parameters alone. The comparison is of the time that an ask and a tell take, with the reads of
the sampler. Prints trials a second, median and 99th percentile of ask (with the parameters suggested) and tell.
"""
import argparse
import math
import multiprocessing
import os
import socket
import sys
import tempfile
import time
import warnings

try:
    import optuna
except ImportError:
    sys.exit("optuna is not installed: bench/peers/setup.sh installs it, then run .deps/peers/common/bin/python3 bench/serve/optuna_trials.py")
try:
    import grpc
except ImportError:
    grpc = None

optuna.logging.set_verbosity(optuna.logging.ERROR)
warnings.simplefilter("ignore")
SPACE = {"turn": optuna.distributions.FloatDistribution(0, 360), "speed": optuna.distributions.FloatDistribution(1, 10)}


def reward(turn, speed):
    x, y = speed * math.cos(math.radians(turn)), speed * math.sin(math.radians(turn))
    return -math.hypot(x - 3, y - 4) - 0.01 * speed ** 2


def open_storage(url, port):
    return optuna.storages.GrpcStorageProxy(host="localhost", port=port) if port else optuna.storages.RDBStorage(
        url, engine_kwargs={"connect_args": {"timeout": 600}})


def serve(url, port):
    optuna.storages.run_grpc_proxy_server(optuna.storages.get_storage(url), host="localhost", port=port)


def wait_for(port):
    """Waits until the port is open. The proxy itself is not called before the clients are forked: gRPC does not survive a fork."""
    for _ in range(600):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    sys.exit("the proxy did not begin")


def sampler_of(name, seed):
    return optuna.samplers.TPESampler(seed=seed) if name == "tpe" else optuna.samplers.RandomSampler(seed=seed)


def work(url, port, number, a, trials, results):
    study = optuna.load_study(study_name="s%d" % (number % a.studies), storage=open_storage(url, port), sampler=sampler_of(a.sampler, number))
    times = []
    for _ in range(trials):
        begin = time.time()
        trial = study.ask(SPACE)
        asked = time.time()
        study.tell(trial, reward(**trial.params))
        times.append((asked - begin, time.time() - asked))
    results.put(times)


def quantile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--trials", type=int, required=True)
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--studies", type=int, default=4)
    parser.add_argument("--rollouts", type=int, default=200)
    parser.add_argument("--sampler", choices=["tpe", "random"], default="tpe")
    a = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        url = "sqlite:///" + os.path.join(folder, "studies.db")
        port, server = 0, None
        for s in range(a.studies):
            study = optuna.create_study(study_name="s%d" % s, storage=url, direction="maximize", sampler=sampler_of("random", s))
            study.add_trials([optuna.trial.create_trial(params=p, distributions=SPACE, value=reward(**p)) for p in (
                {"turn": 360 * ((i * 0.7549) % 1), "speed": 1 + 9 * ((i * 0.5698) % 1)} for i in range(a.rollouts))])
        if grpc:
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", 0))
                port = probe.getsockname()[1]
            server = multiprocessing.Process(target=serve, args=(url, port), daemon=True)
            server.start()
            wait_for(port)
        results = multiprocessing.Queue()
        workers = [multiprocessing.Process(target=work, args=(url, port, i, a, a.trials // a.clients, results)) for i in range(a.clients)]
        begin = time.time()
        for worker in workers:
            worker.start()
        times = sum((results.get() for _ in workers), [])
        taken = time.time() - begin
        for worker in workers:
            worker.join()
        print("optuna %s, %s, %s: %d trials in %.0f s, %.1f requests/s" % (
            optuna.__version__, "gRPC proxy before SQLite" if port else "SQLite", a.sampler, len(times), taken, 2 * len(times) / taken))
        for i, name in enumerate(("ask", "tell")):
            values = [t[i] for t in times]
            print("  %-5s median %.1f ms, 99 %% below %.1f ms" % (name, 1e3 * quantile(values, 0.5), 1e3 * quantile(values, 0.99)))
        if server:
            server.terminate()


if __name__ == "__main__":
    main()
